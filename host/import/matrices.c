#include "matrices.h"

#include <string.h>

struct reader {
  const char *file;
  const struct cs_json *json;
  struct cs_draft *draft;
  struct cs_error *error;
};

static int give(const struct reader *r, struct cs_draft_matrix *matrix, size_t rows, size_t columns) {
  return cs_draft_give(matrix, rows, columns) ? CS_OK : cs_error_memory(r->error);
}

static int read_row(const struct reader *r, const struct cs_node *row, size_t columns, double *value) {
  int code = cs_json_want(r->json, row, CS_LIST, r->error);
  if (code == CS_OK && cs_json_length(row) != columns)
    code = cs_json_fail(r->json, row, r->error, "%zu numbers; want %zu, as in the first row", cs_json_length(row),
                        columns);
  for (size_t i = 0; i < columns && code == CS_OK; i++) {
    code = cs_json_want(r->json, cs_json_at(row, i), CS_NUMBER, r->error);
    if (code == CS_OK) value[i] = cs_json_number(cs_json_at(row, i));
  }
  return code;
}

/* A list of rows. */
static int read_matrix(const struct reader *r, const struct cs_node *node, struct cs_draft_matrix *matrix) {
  int code = cs_json_want(r->json, node, CS_LIST, r->error);
  if (code != CS_OK) return code;
  const size_t rows = cs_json_length(node);
  if (rows > 0) code = cs_json_want(r->json, cs_json_at(node, 0), CS_LIST, r->error);
  const size_t columns = rows > 0 && code == CS_OK ? cs_json_length(cs_json_at(node, 0)) : 0;
  if (code == CS_OK) code = give(r, matrix, rows, columns);
  for (size_t i = 0; i < rows && code == CS_OK; i++)
    code = read_row(r, cs_json_at(node, i), columns, columns > 0 ? matrix->value + i * columns : NULL);
  return code;
}

/* A list of numbers. */
static int read_vector(const struct reader *r, const struct cs_node *node, struct cs_draft_matrix *matrix) {
  int code = cs_json_want(r->json, node, CS_LIST, r->error);
  if (code == CS_OK) code = give(r, matrix, cs_json_length(node), 1);
  return code == CS_OK ? read_row(r, node, cs_json_length(node), matrix->value) : code;
}

static int read_texts(const struct reader *r, const struct cs_node *node, struct cs_draft_names *names) {
  int code = cs_json_want(r->json, node, CS_LIST, r->error);
  names->given = true;
  for (size_t i = 0; code == CS_OK && i < cs_json_length(node); i++) {
    code = cs_json_want(r->json, cs_json_at(node, i), CS_STRING, r->error);
    if (code == CS_OK && !cs_draft_add_text(names, cs_json_string(cs_json_at(node, i))))
      code = cs_error_memory(r->error);
  }
  return code;
}

static int read_sampling(const struct reader *r, const struct cs_node *node) {
  const int code = cs_json_want(r->json, node, CS_NUMBER, r->error);
  if (code != CS_OK || cs_json_number(node) == 0.0) return code;
  return cs_json_fail(r->json, node, r->error, "%s is %g: cosweep takes continuous subsystems (d2c)", cs_json_key(node),
                      cs_json_number(node));
}

static int read_member(const struct reader *r, const struct cs_node *node, struct cs_draft_system *system) {
  const char *key = cs_json_key(node);
  if (strcmp(key, "Ts") == 0 || strcmp(key, "dt") == 0) return read_sampling(r, node);
  for (int s = 0; s < CS_DRAFT_SIDES; s++) {
    if (strcmp(key, cs_draft_names_key(s, false)) == 0) return read_texts(r, node, &system->names[s]);
    if (strcmp(key, cs_draft_names_key(s, true)) == 0) return read_texts(r, node, &system->units[s]);
  }
  for (int p = 0; p < CS_DRAFT_PARTS; p++)
    if (strcmp(strcmp(key, "X0") == 0 ? "x0" : key, cs_draft_part_name(p)) == 0)
      return p <= CS_DRAFT_D ? read_matrix(r, node, &system->part[p]) : read_vector(r, node, &system->part[p]);
  return CS_OK;
}

static int read_system(const struct reader *r, const struct cs_node *node, const char *name) {
  static const char *const legal[] = {"A",         "B",          "C",         "D",         "e",          "f",
                                      "x0",        "X0",         "u0",        "Ts",        "dt",         "StateName",
                                      "InputName", "OutputName", "StateUnit", "InputUnit", "OutputUnit", NULL};
  int code = cs_json_want(r->json, node, CS_OBJECT, r->error);
  if (code == CS_OK) code = cs_json_check_keys(r->json, node, legal, r->error);
  if (code == CS_OK && cs_json_get(node, "A") == NULL)
    code = cs_json_fail(r->json, node, r->error, "no A; want the matrices A, B, C and D");
  struct cs_draft_system *system = code == CS_OK ? cs_draft_add_system(r->draft, name) : NULL;
  if (code == CS_OK && system == NULL) code = cs_error_memory(r->error);
  for (size_t i = 0; code == CS_OK && i < cs_json_length(node); i++)
    code = read_member(r, cs_json_at(node, i), system);
  struct cs_error wrong = {0};
  if (code != CS_OK) return code;
  code = cs_draft_finish(r->draft, name, &wrong);
  return code == CS_INPUT ? cs_json_fail(r->json, node, r->error, "%s", wrong.message)
         : code != CS_OK  ? cs_error_set(r->error, code, "%s", wrong.message)
                          : CS_OK;
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

static int read_root(const struct reader *r, const struct cs_node *root, const char *name) {
  int code = cs_json_want(r->json, root, CS_OBJECT, r->error);
  if (code != CS_OK) return code;
  const struct cs_node *format = cs_json_get(root, "format");
  if (format != NULL && cs_json_kind(format) == CS_STRING && strncmp(cs_json_string(format), "cosweep-", 8) == 0)
    return cs_json_fail(r->json, format, r->error, "is a file of cosweep's own already; want matrices");
  if (cs_json_get(root, "A") != NULL) return read_system(r, root, name);
  for (size_t i = 0; code == CS_OK && i < cs_json_length(root); i++) {
    const struct cs_node *member = cs_json_at(root, i);
    code = strcmp(cs_json_key(member), "connections") == 0 ? read_connections(r, member)
                                                           : read_system(r, member, cs_json_key(member));
  }
  return code;
}

int cs_matrices_read(const char *file, const char *name, struct cs_draft *draft, struct cs_error *error) {
  struct cs_json *json = NULL;
  int code = cs_json_load(file, &json, error);
  const struct reader reader = {file, json, draft, error};
  if (code == CS_OK) code = read_root(&reader, cs_json_root(json), name);
  cs_json_free(json);
  return code;
}
