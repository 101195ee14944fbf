#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* Length of the longest part of `text` (`length` bytes) that does not end inside a UTF-8 character. */
static size_t whole_characters(const char *text, size_t length) {
  while (length > 0 && ((unsigned char)text[length] & 0xC0u) == 0x80u)
    length--;
  return length;
}

/* What a message names stays on its line; only the message of another error, a list of them, or a compiler's has
 * several. */
int cs_error_set(struct cs_error *error, int code, const char *format, ...) {
  if (error == NULL) return code;
  /* Formatted into a record of its own, because an argument may be the old message. */
  struct cs_error next = {.code = code};
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(next.message, sizeof next.message, format, arguments);
  va_end(arguments);
  if (length < 0)
    strcpy(next.message, "failed; the message could not be formatted");
  else if ((size_t)length >= sizeof next.message)
    strcpy(next.message + whole_characters(next.message, sizeof next.message - sizeof "..."), "...");
  if (strcmp(format, "%s") != 0 && strchr(format, '\n') == NULL) cs_text_make_line(next.message);
  *error = next;
  return code;
}

int cs_error_usage(struct cs_error *error, int code, const char *command) {
  if (code != CS_USAGE || error == NULL) return code;
  return cs_error_set(error, code, "cosweep %s: %s (see: cosweep %s --help)", command, error->message, command);
}

int cs_error_memory(struct cs_error *error) {
  return cs_error_set(error, CS_DEVICE, "out of memory");
}

int cs_error_interrupted(struct cs_error *error) {
  return cs_error_set(error, CS_INTERRUPTED, "interrupted");
}
