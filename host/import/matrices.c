#include "matrices.h"

#include <stdlib.h>
#include <string.h>

#include "role.h"
#include "variables.h"

struct reader {
  const char *file;
  const struct cs_json *json;
  struct cs_draft *draft;
  struct cs_error *error;
};

/* ---- members */

static int read_number(const struct reader *r, const struct cs_node *node, double *number) {
  *number = cs_json_kind(node) == CS_BOOL ? (double)cs_json_bool(node) : cs_json_number(node);
  return cs_json_kind(node) == CS_BOOL ? CS_OK : cs_json_want(r->json, node, CS_NUMBER, r->error);
}

static int read_row(const struct reader *r, const struct cs_node *row, size_t columns, double *number) {
  int code = cs_json_want(r->json, row, CS_LIST, r->error);
  if (code == CS_OK && cs_json_length(row) != columns)
    code = cs_json_fail(r->json, row, r->error, "%zu numbers; want %zu, as in the first row", cs_json_length(row),
                        columns);
  for (size_t i = 0; i < columns && code == CS_OK; i++)
    code = read_number(r, cs_json_at(row, i), number + i);
  return code;
}

/* A list of rows, a list of numbers, which is a column, or a number; null is nothing. */
static int read_numbers(const struct reader *r, const struct cs_node *node, struct cs_variable *v) {
  const bool list = cs_json_kind(node) == CS_LIST, null = cs_json_kind(node) == CS_NULL;
  const size_t rows = list ? cs_json_length(node) : !null;
  const struct cs_node *first = list && rows > 0 ? cs_json_at(node, 0) : NULL;
  const bool matrix = first != NULL && cs_json_kind(first) == CS_LIST;
  const size_t columns = matrix ? cs_json_length(first) : rows > 0;
  int code = cs_variable_give(v, rows, columns) ? CS_OK : cs_error_memory(r->error);
  v->list = list && !matrix;
  if (code == CS_OK && !list && !null) return read_number(r, node, v->number);
  for (size_t i = 0; i < rows && code == CS_OK; i++)
    code = matrix ? read_row(r, cs_json_at(node, i), columns, v->number + i * columns)
                  : read_number(r, cs_json_at(node, i), v->number + i);
  return code;
}

static int read_text(const struct reader *r, const struct cs_node *node, struct cs_variable *v) {
  const int code = cs_json_want(r->json, node, CS_STRING, r->error);
  if (code != CS_OK) return code;
  return cs_variable_say(v, CS_VARIABLE_TEXT, cs_json_string(node)) ? CS_OK : cs_error_memory(r->error);
}

static int read_texts(const struct reader *r, const struct cs_node *node, struct cs_variable *v) {
  if (cs_json_kind(node) == CS_STRING) return read_text(r, node, v);
  int code = cs_json_want(r->json, node, CS_LIST, r->error);
  v->kind = CS_VARIABLE_CELLS;
  v->rows = code == CS_OK ? cs_json_length(node) : 0;
  v->columns = 1;
  for (size_t i = 0; code == CS_OK && i < v->rows; i++) {
    struct cs_variable *part = cs_variable_add(v, "");
    code = part != NULL ? read_text(r, cs_json_at(node, i), part) : cs_error_memory(r->error);
  }
  return code;
}

static void set_place(const struct cs_node *node, struct cs_variable *v) {
  const struct cs_value_place place = cs_json_place(node);
  v->line = place.value.line;
  v->column = place.value.column;
}

static struct cs_variable *add(const struct cs_node *node, const char *name, struct cs_variable *whole) {
  struct cs_variable *v = cs_variable_add(whole, name);
  if (v != NULL) set_place(node, v);
  return v;
}

/* A, or D alone, or a and others that stand for the matrices; "D" and "a" may be subsystems. */
static bool has_matrices(const struct cs_node *node) {
  const struct cs_node *a = cs_json_get(node, "a"), *d = cs_json_get(node, "D");
  if (cs_json_get(node, "A") != NULL) return true;
  if (a == NULL && d != NULL && cs_json_kind(d) != CS_OBJECT)
    return cs_json_get(node, "B") == NULL && cs_json_get(node, "C") == NULL;
  return a != NULL && cs_json_kind(a) != CS_OBJECT &&
         (cs_json_get(node, "b") != NULL || cs_json_get(node, "c") != NULL || cs_json_get(node, "d") != NULL);
}

/* The keys that mean something in this object. */
static int check_keys(const struct reader *r, const struct cs_node *node) {
  const size_t keys = cs_json_kind(node) == CS_OBJECT ? cs_json_length(node) : 0;
  const char **legal = calloc((size_t)CS_DRAFT_PARTS + 2 * CS_DRAFT_SIDES + keys + 1, sizeof *legal);
  size_t count = 0;
  if (legal == NULL) return cs_error_memory(r->error);
  for (int p = 0; p < CS_DRAFT_PARTS; p++)
    legal[count++] = cs_draft_part_name(p);
  for (int s = 0; s < CS_DRAFT_SIDES; s++)
    for (int units = 0; units < 2; units++)
      legal[count++] = cs_draft_names_key(s, units > 0);
  for (size_t i = 0; i < keys; i++) {
    const char *key = cs_json_key(cs_json_at(node, i));
    const enum cs_role_kind kind = cs_role_of(key).kind;
    const bool small = kind == CS_ROLE_SMALL && cs_json_get(node, "A") == NULL;
    if (small || kind >= CS_ROLE_SAMPLING || strcmp(key, "X0") == 0) legal[count++] = key;
  }
  const int code = cs_json_check_keys(r->json, node, legal, r->error);
  free(legal);
  return code;
}

/* ---- subsystems */

static int read_system(const struct reader *r, const struct cs_node *node, struct cs_variable *v) {
  int code = check_keys(r, node);
  if (code == CS_OK && !has_matrices(node))
    code = cs_json_fail(r->json, node, r->error, "no A; want the matrices A, B, C and D");
  v->kind = CS_VARIABLE_STRUCT;
  v->rows = v->columns = 1;
  for (size_t i = 0; code == CS_OK && i < cs_json_length(node); i++) {
    const struct cs_node *member = cs_json_at(node, i);
    struct cs_variable *part = add(member, cs_json_key(member), v);
    const enum cs_role_kind kind = cs_role_of(cs_json_key(member)).kind;
    if (part == NULL)
      code = cs_error_memory(r->error);
    else if (kind == CS_ROLE_NAMES || kind == CS_ROLE_UNITS || kind == CS_ROLE_TIME_UNIT)
      code = read_texts(r, member, part);
    else
      code = read_numbers(r, member, part);
  }
  return code;
}

static int read_connections(const struct reader *r, const struct cs_node *list) {
  int code = cs_json_want(r->json, list, CS_LIST, r->error);
  for (size_t i = 0; code == CS_OK && i < cs_json_length(list); i++) {
    const struct cs_node *row = cs_json_at(list, i);
    const size_t length = cs_json_kind(row) == CS_LIST ? cs_json_length(row) : 0;
    if (length == 2 && cs_json_kind(cs_json_at(row, 0)) == CS_NUMBER && cs_json_kind(cs_json_at(row, 1)) == CS_STRING) {
      code = cs_draft_add_wish(r->draft, r->file, NULL, cs_json_string(cs_json_at(row, 1)),
                               cs_json_number(cs_json_at(row, 0)), r->error);
      continue;
    }
    if (length < 2 || length > 3 || cs_json_kind(cs_json_at(row, 0)) != CS_STRING ||
        cs_json_kind(cs_json_at(row, 1)) != CS_STRING || (length == 3 && cs_json_kind(cs_json_at(row, 2)) != CS_NUMBER))
      return cs_json_fail(r->json, row, r->error,
                          "want [\"a.y\", \"b.u\"], [\"a.y\", \"b.u\", gain] or [constant, \"b.u\"]");
    code = cs_draft_add_wish(r->draft, r->file, cs_json_string(cs_json_at(row, 0)), cs_json_string(cs_json_at(row, 1)),
                             length == 3 ? cs_json_number(cs_json_at(row, 2)) : 1.0, r->error);
  }
  return code;
}

static int read_root(const struct reader *r, const struct cs_node *root, struct cs_variable *all) {
  int code = cs_json_want(r->json, root, CS_OBJECT, r->error);
  if (code != CS_OK) return code;
  const struct cs_node *format = cs_json_get(root, "format");
  if (format != NULL && cs_json_kind(format) == CS_STRING && strncmp(cs_json_string(format), "cosweep-", 8) == 0)
    return cs_json_fail(r->json, format, r->error,
                        "is a file of cosweep's own, which check, explain and run take as it is; want matrices");
  set_place(root, all);
  if (has_matrices(root)) return read_system(r, root, all);
  all->kind = CS_VARIABLE_STRUCT;
  for (size_t i = 0; code == CS_OK && i < cs_json_length(root); i++) {
    const struct cs_node *member = cs_json_at(root, i);
    const bool links = strcmp(cs_json_key(member), "connections") == 0;
    struct cs_variable *part = links ? NULL : add(member, cs_json_key(member), all);
    code = links          ? read_connections(r, member)
           : part != NULL ? read_system(r, member, part)
                          : cs_error_memory(r->error);
  }
  return code;
}

int cs_matrices_read(const char *file, const char *name, struct cs_draft *draft, struct cs_error *error) {
  struct cs_json *json = NULL;
  struct cs_variable all = {0};
  int code = cs_json_load(file, &json, error);
  const struct reader reader = {file, json, draft, error};
  if (code == CS_OK) code = read_root(&reader, cs_json_root(json), &all);
  if (code == CS_OK) code = cs_variables_read(file, name, &all, draft, error);
  cs_variable_free(&all);
  cs_json_free(json);
  return code;
}
