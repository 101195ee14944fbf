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
void cs_text_add(struct cs_text *text, const char *format, ...) {
  if (text->failed) return;
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const size_t room = text->capacity - text->length;
  const int length = vsnprintf(room > 0 ? text->data + text->length : NULL, room, format, arguments);
  const bool fits = length >= 0 && (size_t)length < room;
  va_end(arguments);
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

/* Controls are U+0000 to U+001F and U+007F to U+009F; no characters are U+FFFE and U+FFFF. */
size_t cs_text_plain_length(const char *text, size_t length) {
  const unsigned char *b = (const unsigned char *)text;
  const size_t size = cs_text_utf8_length(text, length);
  if (size == 1 && (b[0] < 0x20u || b[0] == 0x7Fu)) return 0;
  if (size == 2 && b[0] == 0xC2u && b[1] < 0xA0u) return 0;
  return size == 3 && b[0] == 0xEFu && b[1] == 0xBFu && b[2] >= 0xBEu ? 0 : size;
}

void cs_text_add_plain(struct cs_text *text, const char *string) {
  for (size_t left = strlen(string); left > 0;) {
    const size_t plain = cs_text_plain_length(string, left), whole = cs_text_utf8_length(string, left);
    const size_t length = plain > 0 ? plain : whole > 0 ? whole : 1;
    if (plain > 0 || *string == '\n' || *string == '\t')
      cs_text_append(text, string, length);
    else
      cs_text_append(text, "\357\277\275", 3);
    string += length;
    left -= length;
  }
}

void cs_text_make_plain(struct cs_text *text) {
  struct cs_text plain = {.failed = text->failed};
  if (text->data != NULL) cs_text_add_plain(&plain, text->data);
  cs_text_free(text);
  *text = plain;
}

void cs_text_add_xml(struct cs_text *text, const char *string) {
  struct cs_text plain = {0};
  cs_text_add_plain(&plain, string);
  text->failed |= plain.failed;
  for (const char *c = cs_text_string(&plain); *c != '\0'; c++)
    switch (*c) {
      case '&':
        cs_text_add(text, "&amp;");
        break;
      case '<':
        cs_text_add(text, "&lt;");
        break;
      case '"':
        cs_text_add(text, "&quot;");
        break;
      default:
        cs_text_append(text, c, 1);
    }
  cs_text_free(&plain);
}
