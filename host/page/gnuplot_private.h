/* Strings in gnuplot scripts. */
#ifndef COSWEEP_GNUPLOT_PRIVATE_H
#define COSWEEP_GNUPLOT_PRIVATE_H

#include "text.h"

/* Appends a text as a string constant of one line with at most `most` characters that can be shown
 * (letters.h). */
void cs_gnuplot_add_string(struct cs_text *text, const char *string, size_t most);
/* Appends a path as a string constant, with every byte as it is. */
void cs_gnuplot_add_path(struct cs_text *text, const char *path);

#endif
