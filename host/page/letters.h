/* Widths of texts in figures, and their lines. */
#ifndef COSWEEP_LETTERS_H
#define COSWEEP_LETTERS_H

#include <stddef.h>

#include "text.h"

/* Most characters of a label that a figure shows, and of a line of title or notes. */
enum { CS_LETTERS_MOST = 120, CS_LETTERS_LINE = 1000 };

/* Appends `length` bytes as one line that can be shown: control characters become U+FFFD, and what follows `most`
 * characters becomes an ellipsis. */
void cs_letters_add_plain(struct cs_text *text, const char *string, size_t length, size_t most);

/* Width of `length` bytes in a font of that size, in the unit of the size. The widths are those of DejaVu Sans, wider
 * than other sans-serif fonts; 1 em for characters that may be as wide. */
double cs_letters_width(const char *string, size_t length, double size);
/* Bytes of the first line of `string` that is at most `width` wide, at least one character: broken at a newline, at a
 * blank, or after one of , . : / _ = if there is no blank, neither between brackets; anywhere if there is neither. */
size_t cs_letters_line(const char *string, double size, double width);
/* Bytes that separate that line from the next one: a blank or newline. */
size_t cs_letters_skip(const char *rest);

/* Breaks `string` into at most `most` lines; the last is shortened to an ellipsis if more would follow. The lines are
 * the caller's, in list [most] with text of its own. Returns their number, at least 1 unless `string` is empty. */
size_t cs_letters_wrap(const char *string, double size, double width, size_t most, struct cs_text *list);

#endif
