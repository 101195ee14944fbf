#include "print.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cs_print_text(const char *text) {
  struct cs_text plain = {0};
  cs_text_add_plain(&plain, text);
  const bool good = !plain.failed;
  if (good) fputs(cs_text_string(&plain), stdout);
  cs_text_free(&plain);
  return good;
}

static bool is_exact(void) {
  return isatty(STDOUT_FILENO) != 1;
}

bool cs_print_data(const struct cs_text *bytes) {
  if (!is_exact()) return cs_print_text(cs_text_string(bytes));
  return bytes->length == 0 || fwrite(bytes->data, 1, bytes->length, stdout) == bytes->length;
}

void cs_print_path(const char *path) {
  if (is_exact())
    puts(path);
  else if (cs_print_text(path))
    putchar('\n');
}

void cs_print_coloured(const char *text) {
  fputs(text, stdout);
}

bool cs_print_flush(void) {
  return fflush(stdout) == 0 && !ferror(stdout);
}

static void put(const char *bytes, size_t length) {
  while (length > 0) {
    const ssize_t done = write(STDERR_FILENO, bytes, length);
    if (done < 0 && errno != EINTR) return;
    if (done < 0) continue;
    bytes += done;
    length -= (size_t)done;
  }
}

static void put_plain(const char *text) {
  char line[1024];
  const char *shown;
  size_t bytes, held = 0;
  for (size_t left = strlen(text), step; left > 0; text += step, left -= step) {
    step = cs_text_show(text, left, &shown, &bytes);
    memcpy(line + held, shown, bytes);
    held += bytes;
    if (held < sizeof line - 4 && left > step) continue;
    put(line, held);
    held = 0;
  }
}

/* What finds no memory is cut off: a message comes out nevertheless. */
void cs_print_message(const char *format, ...) {
  char brief[512];
  struct cs_text text = {0};
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(brief, sizeof brief, format, arguments);
  if (length >= (int)sizeof brief) cs_text_add_list(&text, format, again);
  put_plain(text.length > 0 ? text.data : brief);
  va_end(again);
  va_end(arguments);
  cs_text_free(&text);
}

void cs_print_drawing(const char *text) {
  put(text, strlen(text));
}
