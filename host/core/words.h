/* Human-readable numbers, texts and axes. */
#ifndef COSWEEP_WORDS_H
#define COSWEEP_WORDS_H

#include "text.h"

/* A blank and a word, in single quotes where a shell needs them. */
void cs_words_add_word(struct cs_text *text, const char *word);

void cs_words_add_number(struct cs_text *text, size_t count, const char *one); /* "1 tile", "2 tiles" */
void cs_words_add_count(struct cs_text *text, double count);                   /* "100,000", from 10^15 on "1.2e+16" */
void cs_words_add_bytes(struct cs_text *text, double bytes);                   /* "1.2 MB" */
void cs_words_add_duration(struct cs_text *text, double seconds); /* "12.3 ms", "1.23 s", "1 min 5 s", "2 h 3 min" */
/* A paragraph wrapped at 79 columns and indented by `indent` blanks. */
void cs_words_add_paragraph(struct cs_text *text, int indent, const char *words);
/* "  H   16  0.001 ... 1 s  macro step size": a row of a list of axes. `values` or `labels` are [length]. */
void cs_words_add_axis(struct cs_text *text, int width, const char *name, size_t length, const double *values,
                       char *const *labels, const char *unit, const char *long_name);

#endif
