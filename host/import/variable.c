#include "variable.h"

#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "list.h"
#include "stream.h"
#include "text.h"

struct cs_variable *cs_variable_add(struct cs_variable *whole, const char *name) {
  if (!cs_list_grow(&whole->part, whole->parts, sizeof *whole->part)) return NULL;
  struct cs_variable *part = &whole->part[whole->parts];
  *part = (struct cs_variable){.name = cs_text_copy(name)};
  if (part->name == NULL) return NULL;
  cs_text_make_line(part->name);
  whole->parts++;
  return part;
}

bool cs_variable_give(struct cs_variable *variable, size_t rows, size_t columns) {
  free(variable->number);
  variable->kind = CS_VARIABLE_NUMBERS;
  variable->rows = rows;
  variable->columns = columns;
  variable->number = calloc(rows * columns + 1, sizeof *variable->number);
  return variable->number != NULL;
}

bool cs_variable_say(struct cs_variable *variable, enum cs_variable_kind kind, const char *text) {
  free(variable->text);
  variable->kind = kind;
  variable->text = cs_text_copy(text);
  if (variable->text != NULL) cs_text_make_line(variable->text);
  return variable->text != NULL;
}

bool cs_variable_fit(struct cs_variable *variable, size_t dimensions, const size_t *dimension, bool *fits) {
  struct cs_text text = {0};
  bool large = false;
  for (size_t i = 0; i < dimensions && i < 8; i++) {
    cs_text_add(&text, "%s%zu", i > 0 ? "x" : "", dimension[i]);
    large = large || dimension[i] > CS_DRAFT_MOST;
  }
  *fits = dimensions == 2 && !large;
  if (dimensions != 2)
    cs_text_add(&text, "; want a matrix");
  else
    cs_text_add(&text, "; want at most %d rows and columns", CS_DRAFT_MOST);
  const bool done = !text.failed && (*fits || cs_variable_say(variable, CS_VARIABLE_OTHER, text.data));
  cs_text_free(&text);
  return done;
}

const struct cs_variable *cs_variable_find(const struct cs_variable *variable, const char *name) {
  for (size_t i = 0; i < variable->parts; i++)
    if (strcmp(variable->part[i].name, name) == 0) return &variable->part[i];
  return NULL;
}

void cs_variable_free(struct cs_variable *variable) {
  for (size_t i = 0; i < variable->parts; i++)
    cs_variable_free(&variable->part[i]);
  free(variable->name);
  free(variable->number);
  free(variable->text);
  free(variable->part);
  *variable = (struct cs_variable){0};
}

/* ---- between processes */

void cs_variable_put(FILE *to, const struct cs_variable *v) {
  cs_stream_put_text(to, v->name != NULL ? v->name : "");
  cs_stream_put_count(to, (size_t)v->kind);
  cs_stream_put_count(to, v->rows);
  cs_stream_put_count(to, v->columns);
  cs_stream_put_count(to, v->list);
  cs_stream_put_text(to, v->text != NULL ? v->text : "");
  if (v->kind == CS_VARIABLE_NUMBERS && v->number != NULL && !ferror(to))
    fwrite(v->number, sizeof *v->number, v->rows * v->columns, to);
  cs_stream_put_count(to, v->parts);
  for (size_t i = 0; i < v->parts; i++)
    cs_variable_put(to, &v->part[i]);
}

static bool take(FILE *from, struct cs_variable *v, int deep, bool *memory);

static char *take_text(FILE *from, bool *memory) {
  char *text = cs_stream_take_text(from);
  *memory = text == NULL && !feof(from) && !ferror(from);
  if (text != NULL) cs_text_make_line(text);
  return text;
}

static bool take_numbers(FILE *from, struct cs_variable *v, bool *memory) {
  if (v->rows > CS_DRAFT_MOST || v->columns > CS_DRAFT_MOST) return false;
  *memory = !cs_variable_give(v, v->rows, v->columns);
  const size_t count = v->rows * v->columns;
  return !*memory && (count == 0 || fread(v->number, sizeof *v->number, count, from) == count);
}

/* Grows with what comes: the number may be nonsense. */
static bool take_parts(FILE *from, struct cs_variable *v, size_t parts, int deep, bool *memory) {
  for (size_t i = 0; i < parts; i++) {
    struct cs_variable *part = cs_variable_add(v, "");
    *memory = part == NULL;
    if (*memory || !take(from, part, deep - 1, memory)) return false;
  }
  return v->kind != CS_VARIABLE_CELLS ||
         (v->columns > 0 ? parts / v->columns == v->rows && parts % v->columns == 0 : parts == 0);
}

static bool take(FILE *from, struct cs_variable *v, int deep, bool *memory) {
  size_t kind = 0, list = 0, parts = 0;
  free(v->name);
  v->name = take_text(from, memory);
  if (v->name == NULL || !cs_stream_take_count(from, &kind) || kind >= CS_VARIABLE_KINDS ||
      !cs_stream_take_count(from, &v->rows) || !cs_stream_take_count(from, &v->columns) ||
      !cs_stream_take_count(from, &list))
    return false;
  v->list = list != 0;
  v->kind = (enum cs_variable_kind)kind;
  v->text = take_text(from, memory);
  if (v->text == NULL || (v->kind == CS_VARIABLE_NUMBERS && !take_numbers(from, v, memory))) return false;
  return cs_stream_take_count(from, &parts) && (parts == 0 || deep > 1) && take_parts(from, v, parts, deep, memory);
}

bool cs_variable_take(FILE *from, struct cs_variable *variable, bool *memory) {
  *memory = false;
  return take(from, variable, CS_VARIABLE_DEEPEST, memory);
}
