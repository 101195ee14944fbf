#include "complaint.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "print.h"
#include "text.h"

enum { WIDEST = 100 }; /* columns of a source line that are shown */

/* A message that begins with a place: the length of the file's name, 0 if there is none. */
static size_t find_place(const char *message, size_t length, size_t *line, size_t *column) {
  for (size_t at = 1; at + 1 < length; at++) {
    char *end = NULL;
    if (message[at] != ':' || message[at + 1] < '1' || message[at + 1] > '9') continue;
    *line = strtoul(message + at + 1, &end, 10);
    if (*end != ':' || end[1] < '1' || end[1] > '9') continue;
    *column = strtoul(end + 1, &end, 10);
    if (*end == ':' && (size_t)(end - message) < length) return at;
  }
  return 0;
}

/* A line of a file, cut if it is long, and a caret below a column that is shown. */
static void add_source(struct cs_text *text, const char *source, size_t column) {
  const size_t length = strcspn(source, "\r\n");
  size_t at = 0, columns = 1;
  struct cs_text line = {0}, caret = {0};
  for (; at < length && columns < WIDEST; columns++) {
    const size_t size = cs_text_utf8_length(source + at, length - at);
    if (size == 0) break;
    if (columns < column) cs_text_add(&caret, source[at] == '\t' ? "\t" : " ");
    cs_text_append(&line, source + at, size);
    at += size;
  }
  if (column <= columns)
    cs_text_add(text, "  %s%s\n  %s^\n", cs_text_string(&line), at < length ? "..." : "", cs_text_string(&caret));
  text->failed |= line.failed | caret.failed;
  cs_text_free(&line);
  cs_text_free(&caret);
}

/* The line of the file where something is wrong; nothing if it cannot be read again. */
static void show_place(const char *message, size_t length, struct cs_text *text) {
  struct cs_text name = {0}, file = {0};
  struct stat found;
  size_t line = 0, column = 0;
  const size_t end = find_place(message, length, &line, &column);
  cs_text_append(&name, message, end);
  if (end == 0 || name.failed || stat(name.data, &found) != 0 || !S_ISREG(found.st_mode)) goto out;
  if (cs_text_read(&file, name.data, "file", NULL) != CS_OK) goto out;
  const char *source = cs_text_string(&file);
  for (; line > 1 && *source != '\0'; line--) {
    source += strcspn(source, "\n");
    source += *source == '\n';
  }
  if (source == file.data) source += cs_text_mark_length(file.data, file.length);
  if (line == 1) add_source(text, source, column);
out:
  cs_text_free(&name);
  cs_text_free(&file);
}

void cs_complaint_print(const struct cs_error *error) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  struct cs_text text = {0};
  for (const char *line = error->message; *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    cs_text_add(&text, "%.*s\n", (int)length, line);
    if (terminal) show_place(line, length, &text);
    line += length + (line[length] == '\n');
  }
  cs_print_message("%s", text.failed ? error->message : cs_text_string(&text));
  cs_text_free(&text);
}
