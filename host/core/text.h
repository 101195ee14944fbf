/* A growing string. Running out of memory sets `failed` and makes further additions no-ops, so that the caller checks
 * once, at the end. */
#ifndef COSWEEP_TEXT_H
#define COSWEEP_TEXT_H

#include <stddef.h>

#include "error.h"

struct cs_text {
  char *data; /* zero-terminated once anything was added; NULL before */
  size_t length, capacity;
  int failed;
};

void cs_text_add(struct cs_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The shortest of 15, 16 and 17 digits that reads back as the same number. */
void cs_text_add_number(struct cs_text *text, double value);
/* Appends a name to a list: "a, b". */
void cs_text_add_name(struct cs_text *names, const char *name);
/* The text so far, "" if there is none; valid until the text changes. */
const char *cs_text_string(const struct cs_text *text);
void cs_text_append(struct cs_text *text, const char *bytes, size_t length);
enum { CS_TEXT_LARGEST_FILE = 64 << 20 }; /* bytes */
/* Appends all bytes of a file or pipe; CS_IO if it cannot be read, is something else, such as a device, or is larger,
 * with `what` naming the file wanted: "JSON file". */
int cs_text_read(struct cs_text *text, const char *path, const char *what, struct cs_error *error);
void cs_text_free(struct cs_text *text);

/* Appends a text from a file, with U+FFFD for what cannot be shown: control characters except \n and \t, and bytes that
 * are not UTF-8. Terminals would obey the former, XML admits neither. */
void cs_text_add_plain(struct cs_text *text, const char *string);
/* The same for all that the text contains. */
void cs_text_make_plain(struct cs_text *text);
/* cs_text_add_plain for XML, also inside double quotes: "&amp;" for "&". */
void cs_text_add_xml(struct cs_text *text, const char *string);

/* Copy of `string`, or of its first bytes, owned by the caller; NULL when out of memory. */
char *cs_text_copy(const char *string);
char *cs_text_copy_part(const char *string, size_t length);

/* Bytes of the byte order mark of UTF-8 that a file may begin with, which readers of texts pass over: 3, or 0. */
size_t cs_text_mark_length(const char *text, size_t length);
/* Bytes of the UTF-8 character at `text` (1 to 4), or 0 if there is none within `length` bytes. */
size_t cs_text_utf8_length(const char *text, size_t length);
/* The same, but 0 for a control character, also \n and \t, and for the codes that stand for none. */
size_t cs_text_plain_length(const char *text, size_t length);

#endif
