#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Makes room for `more` bytes and the terminating zero; returns 0 when out of memory. */
static int reserve(struct cs_text *text, size_t more) {
  if (text->failed) return 0;
  if (more < text->capacity - text->length) return 1;
  if (more > SIZE_MAX / 4 - text->length) {
    text->failed = 1;
    return 0;
  }
  size_t capacity = 2 * (text->length + more) + 64;
  char *data = realloc(text->data, capacity);
  if (data == NULL) {
    text->failed = 1;
    return 0;
  }
  text->data = data;
  text->capacity = capacity;
  return 1;
}

void cs_text_add_name(struct cs_text *names, const char *name) {
  cs_text_add(names, "%s%s", names->length > 0 ? ", " : "", name);
}

const char *cs_text_string(const struct cs_text *text) {
  return text->data != NULL ? text->data : "";
}

void cs_text_append(struct cs_text *text, const char *bytes, size_t length) {
  if (!reserve(text, length)) return;
  if (length > 0) memcpy(text->data + text->length, bytes, length);
  text->length += length;
  text->data[text->length] = '\0';
}

/* Into the room that is there, and once more where it is too small. */
void cs_text_add_list(struct cs_text *text, const char *format, va_list arguments) {
  if (text->failed) return;
  va_list again;
  va_copy(again, arguments);
  const size_t room = text->capacity - text->length;
  const int length = vsnprintf(room > 0 ? text->data + text->length : NULL, room, format, arguments);
  const bool fits = length >= 0 && (size_t)length < room;
  if (length < 0)
    text->failed = 1;
  else if (!fits && reserve(text, (size_t)length))
    vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
  va_end(again);
  if (!text->failed)
    text->length += (size_t)length;
  else if (room > 0)
    text->data[text->length] = '\0';
}

void cs_text_add(struct cs_text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  cs_text_add_list(text, format, arguments);
  va_end(arguments);
}

void cs_text_free(struct cs_text *text) {
  free(text->data);
  *text = (struct cs_text){0};
}

char *cs_text_copy_part(const char *string, size_t length) {
  char *copy = malloc(length + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, string, length);
  copy[length] = '\0';
  return copy;
}

char *cs_text_copy(const char *string) {
  return cs_text_copy_part(string, strlen(string));
}

void cs_text_add_number(struct cs_text *text, double value) {
  char number[32];
  int length = snprintf(number, sizeof number, "%.15g", value);
  if (strtod(number, NULL) != value) length = snprintf(number, sizeof number, "%.16g", value);
  if (strtod(number, NULL) != value) length = snprintf(number, sizeof number, "%.17g", value);
  cs_text_append(text, number, (size_t)length);
}

/* Whether there is an end to it: a device may have none, and wait for ever. */
static int check_file(FILE *file, const char *path, const char *what, struct cs_error *error) {
  struct stat status;
  if (fstat(fileno(file), &status) != 0 || S_ISDIR(status.st_mode)) return CS_OK; /* reading says why it fails */
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
    return cs_error_set(error, CS_IO, "%s: is neither a regular file nor a pipe; want a readable %s", path, what);
  if (status.st_size <= CS_TEXT_LARGEST_FILE) return CS_OK;
  return cs_error_set(error, CS_IO, "%s: has %.1f MiB; want a %s of at most %d MiB", path,
                      (double)status.st_size / (1 << 20), what, CS_TEXT_LARGEST_FILE >> 20);
}

int cs_text_read(struct cs_text *text, const char *path, const char *what, struct cs_error *error) {
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return cs_error_set(error, CS_IO, "%s: cannot be opened: %s; want a readable %s", path, strerror(errno), what);
  char buffer[16384];
  size_t got, all = 0;
  int code = check_file(file, path, what, error);
  cs_text_append(text, "", 0);
  while (code == CS_OK && all <= CS_TEXT_LARGEST_FILE && (got = fread(buffer, 1, sizeof buffer, file)) > 0) {
    cs_text_append(text, buffer, got);
    all += got;
  }
  if (code == CS_OK && all > CS_TEXT_LARGEST_FILE)
    code = cs_error_set(error, CS_IO, "%s: has more than %d MiB; want a smaller %s", path, CS_TEXT_LARGEST_FILE >> 20,
                        what);
  else if (code == CS_OK && ferror(file))
    code = cs_error_set(error, CS_IO, "%s: cannot be read: %s; want a readable %s", path, strerror(errno), what);
  else if (code == CS_OK && text->failed)
    code = cs_error_memory(error);
  fclose(file);
  return code;
}

size_t cs_text_mark_length(const char *text, size_t length) {
  return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

size_t cs_text_utf8_length(const char *text, size_t length) {
  const unsigned char *b = (const unsigned char *)text;
  if (length == 0) return 0;
  size_t size = b[0] < 0x80u ? 1 : b[0] < 0xC2u ? 0 : b[0] < 0xE0u ? 2 : b[0] < 0xF0u ? 3 : b[0] < 0xF5u ? 4 : 0;
  if (size > length) return 0;
  for (size_t i = 1; i < size; i++)
    if ((b[i] & 0xC0u) != 0x80u) return 0;
  bool overlong = (b[0] == 0xE0u && b[1] < 0xA0u) || (b[0] == 0xF0u && b[1] < 0x90u);
  bool surrogate = b[0] == 0xEDu && b[1] >= 0xA0u;
  bool beyond = b[0] == 0xF4u && b[1] >= 0x90u;
  return overlong || surrogate || beyond ? 0 : size;
}

unsigned cs_text_code(const char *text, size_t bytes) {
  const unsigned char *b = (const unsigned char *)text;
  unsigned code = bytes == 1 ? b[0] : b[0] & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; i++)
    code = code << 6 | (b[i] & 0x3Fu);
  return code;
}

/* Controls are U+0000 to U+001F and U+007F to U+009F; U+2028 and U+2029 end lines, U+202A to U+202E and U+2066 to
 * U+2069 change the order in which others are shown; no characters are U+FFFE and U+FFFF. */
size_t cs_text_plain_length(const char *text, size_t length) {
  const size_t size = cs_text_utf8_length(text, length);
  const unsigned code = size > 0 ? cs_text_code(text, size) : 0;
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0), order = code >= 0x2066 && code <= 0x2069;
  return control || order || (code >= 0x2028 && code <= 0x202E) || code == 0xFFFE || code == 0xFFFF ? 0 : size;
}

size_t cs_text_show(const char *string, size_t length, const char **shown, size_t *bytes) {
  const size_t plain = cs_text_plain_length(string, length), whole = cs_text_utf8_length(string, length);
  const bool is = plain > 0 || *string == '\n' || *string == '\t';
  *shown = is ? string : "\357\277\275";
  *bytes = is ? whole : 3;
  return whole > 0 ? whole : 1;
}

void cs_text_add_plain(struct cs_text *text, const char *string) {
  const char *shown;
  size_t bytes;
  for (size_t left = strlen(string), step; left > 0; string += step, left -= step) {
    step = cs_text_show(string, left, &shown, &bytes);
    cs_text_append(text, shown, bytes);
  }
}

void cs_text_make_line(char *text) {
  for (; (text = strpbrk(text, "\n\t")) != NULL; text++)
    *text = ' ';
}

void cs_text_add_line(struct cs_text *text, const char *string) {
  const size_t start = text->length;
  cs_text_append(text, string, strlen(string));
  if (!text->failed) cs_text_make_line(text->data + start);
}

void cs_text_make_plain(struct cs_text *text) {
  struct cs_text plain = {.failed = text->failed};
  if (text->data != NULL) cs_text_add_plain(&plain, text->data);
  cs_text_free(text);
  *text = plain;
}

void cs_text_add_xml_part(struct cs_text *text, const char *string, size_t length) {
  static const char special[] = "&<>\"", *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
  const char *shown;
  size_t bytes;
  for (size_t step; length > 0; string += step, length -= step) {
    step = cs_text_show(string, length, &shown, &bytes);
    const char *found = bytes == 1 ? memchr(special, *shown, sizeof special - 1) : NULL;
    if (found != NULL)
      cs_text_add(text, "%s", entity[found - special]);
    else
      cs_text_append(text, shown, bytes);
  }
}

void cs_text_add_xml(struct cs_text *text, const char *string) {
  cs_text_add_xml_part(text, string, strlen(string));
}
