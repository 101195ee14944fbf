/* All that the program prints. Texts of others - names, paths, messages of compilers - reach a terminal as characters
 * that can be shown: what it would obey is U+FFFD (cs_text_add_plain). */
#ifndef COSWEEP_PRINT_H
#define COSWEEP_PRINT_H

#include <stdbool.h>

#include "text.h"

/* On stdout. False, and nothing printed, without memory. */
bool cs_print_text(const char *text);
/* On stdout, exactly as it is, unless that is a terminal: for other programs. False if that failed. */
bool cs_print_data(const struct cs_text *bytes);
/* The same, as a line: the path of a file that was written. */
void cs_print_path(const char *path);
/* On stdout, with what terminals obey: plain texts between colours. */
void cs_print_coloured(const char *text);
/* Whether all that was printed on stdout has arrived; sets errno. */
bool cs_print_flush(void);

/* On stderr, at once. From any thread. */
void cs_print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* On stderr, with what terminals obey: words of the program alone. */
void cs_print_drawing(const char *text);

#endif
