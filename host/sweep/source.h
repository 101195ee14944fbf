/* The words of a C text, without its comments and literals. */
#ifndef COSWEEP_SOURCE_H
#define COSWEEP_SOURCE_H

#include <stddef.h>

/* Next identifier or number from `at` on, its length in `length`; NULL at the end. */
const char *cs_source_word(const char *at, size_t *length);

/* How often the text has that word. */
size_t cs_source_count(const char *text, const char *word, size_t length);

/* Line of a comment without an end, from 1; 0 where there is none. */
size_t cs_source_open_comment(const char *text);

#endif
