/* A growing string. Running out of memory sets `failed` and makes further additions no-ops, so that the caller checks
 * once, at the end. */
#ifndef COSWEEP_TEXT_H
#define COSWEEP_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "error.h"

struct cs_text {
  char *data; /* zero-terminated once anything was added; NULL before */
  size_t length, capacity;
  int failed;
};

void cs_text_add(struct cs_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cs_text_add_list(struct cs_text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
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

/* How the beginning of a text is shown: the bytes of a character, itself or U+FFFD for what cannot be shown. Bytes of
 * the text that it stands for. */
size_t cs_text_show(const char *string, size_t length, const char **shown, size_t *bytes);
/* Appends a text from a file, with U+FFFD for what cannot be shown: control characters except \n and \t, those that
 * change the order of others, and bytes that are not UTF-8. Terminals would obey the former, XML admits neither. */
void cs_text_add_plain(struct cs_text *text, const char *string);
/* The same for all that the text contains. */
void cs_text_make_plain(struct cs_text *text);
/* Blanks for line breaks and tabs: what is a name stays on its line. */
void cs_text_make_line(char *text);
void cs_text_add_line(struct cs_text *text, const char *string);
/* cs_text_add_plain for XML, also inside double quotes: "&amp;" for "&". */
void cs_text_add_xml(struct cs_text *text, const char *string);
void cs_text_add_xml_part(struct cs_text *text, const char *string, size_t length);

/* Copy of `string`, or of its first bytes, owned by the caller; NULL when out of memory. */
char *cs_text_copy(const char *string);
char *cs_text_copy_part(const char *string, size_t length);

/* Bytes of the byte order mark of UTF-8 that a file may begin with, which readers of texts pass over: 3, or 0. */
size_t cs_text_mark_length(const char *text, size_t length);
/* Bytes of the UTF-8 character at `text` (1 to 4), or 0 if there is none within `length` bytes. */
size_t cs_text_utf8_length(const char *text, size_t length);
/* The code of a character of so many bytes. */
unsigned cs_text_code(const char *text, size_t bytes);
/* cs_text_utf8_length, but 0 for what cannot be shown, also \n and \t. */
size_t cs_text_plain_length(const char *text, size_t length);

#endif
