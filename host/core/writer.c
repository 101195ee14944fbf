#include "writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add_string(struct cs_text *text, const char *string) {
  cs_text_add(text, "\"");
  for (size_t left = strlen(string); left > 0;) {
    const unsigned char c = (unsigned char)*string;
    const size_t length = cs_text_utf8_length(string, left);
    if (c == '"' || c == '\\')
      cs_text_add(text, "\\%c", c);
    else if (c == '\n')
      cs_text_add(text, "\\n");
    else if (length == 0) /* file names may hold any bytes, JSON may not */
      cs_text_add(text, "\\ufffd");
    else if (cs_text_plain_length(string, left) == 0) /* terminals obey these; none is beyond U+FFFF */
      cs_text_add(text, "\\u%04x", cs_text_code(string, length));
    else
      cs_text_append(text, string, length);
    string += length > 0 ? length : 1;
    left -= length > 0 ? length : 1;
  }
  cs_text_add(text, "\"");
}

static struct cs_writer_level *innermost(struct cs_writer *w) {
  return &w->level[w->depth - 1];
}

/* What precedes a value: comma, line break, key. */
static void begin(struct cs_writer *w, const char *key) {
  if (w->depth == 0) return;
  struct cs_writer_level *level = innermost(w);
  const bool line = w->line || level->lines;
  cs_text_add(w->text, "%s", !level->filled ? "" : line ? "," : ", ");
  if (line) {
    cs_text_add(w->text, "\n%*s", level->indent, "");
    w->indent = level->indent;
    level->broken = true;
  }
  w->line = false;
  level->filled = true;
  if (key == NULL) return;
  add_string(w->text, key);
  cs_text_add(w->text, ": ");
}

static void open_container(struct cs_writer *w, const char *key, bool object) {
  begin(w, key);
  cs_text_add(w->text, object ? "{" : "[");
  w->text->failed |= w->depth == CS_WRITER_DEPTH;
  if (w->text->failed) return;
  w->level[w->depth++] = (struct cs_writer_level){.object = object, .indent = w->indent + (w->spread ? 2 : 1)};
}

void cs_writer_object(struct cs_writer *writer, const char *key) {
  open_container(writer, key, true);
}

void cs_writer_list(struct cs_writer *writer, const char *key) {
  open_container(writer, key, false);
}

void cs_writer_end(struct cs_writer *writer) {
  if (writer->text->failed) return;
  const struct cs_writer_level *level = innermost(writer);
  if (writer->spread && level->broken) {
    writer->indent = level->indent - 2;
    cs_text_add(writer->text, "\n%*s", writer->indent, "");
  }
  cs_text_add(writer->text, level->object ? "}" : "]");
  writer->depth--;
}

void cs_writer_line(struct cs_writer *writer) {
  writer->line = true;
}

void cs_writer_lines(struct cs_writer *writer) {
  if (!writer->text->failed) innermost(writer)->lines = true;
}

void cs_writer_string(struct cs_writer *writer, const char *key, const char *string) {
  begin(writer, key);
  add_string(writer->text, string);
}

void cs_writer_number(struct cs_writer *writer, const char *key, double value) {
  if (isfinite(value))
    cs_writer_token(writer, key, "%.17g", value);
  else
    cs_writer_null(writer, key);
}

void cs_writer_shortest(struct cs_writer *writer, const char *key, double value) {
  begin(writer, key);
  cs_text_add_number(writer->text, value);
}

void cs_writer_count(struct cs_writer *writer, const char *key, size_t count) {
  cs_writer_token(writer, key, "%zu", count);
}

void cs_writer_bool(struct cs_writer *writer, const char *key, bool value) {
  cs_writer_token(writer, key, value ? "true" : "false");
}

void cs_writer_null(struct cs_writer *writer, const char *key) {
  cs_writer_token(writer, key, "null");
}

void cs_writer_token(struct cs_writer *writer, const char *key, const char *format, ...) {
  va_list arguments;
  char token[400];
  va_start(arguments, format);
  vsnprintf(token, sizeof token, format, arguments);
  va_end(arguments);
  begin(writer, key);
  cs_text_add(writer->text, "%s", token);
}
