/* Shared by the parts of the model reader: names, texts, expressions, entries. */
#include "ascii.h"
#include "model_read.h"

#include <string.h>

#include "list.h"
#include "name.h"

int cs_model_read_copy(const struct cs_reader *reader, const char *text, char **out) {
  *out = cs_text_copy(text);
  return *out != NULL ? CS_OK : cs_error_memory(reader->error);
}

int cs_model_read_check_text(const struct cs_reader *reader, const struct cs_node *object, const char *key) {
  const struct cs_node *node = cs_json_get(object, key);
  return node != NULL ? cs_json_want(reader->json, node, CS_STRING, reader->error) : CS_OK;
}

int cs_model_read_text(const struct cs_reader *reader, const struct cs_node *object, const char *key, char **out) {
  const struct cs_node *node = cs_json_get(object, key);
  int code = cs_model_read_check_text(reader, object, key);
  return code != CS_OK ? code : cs_model_read_copy(reader, node != NULL ? cs_json_string(node) : "", out);
}

int cs_model_read_check_name(const struct cs_reader *reader, const struct cs_node *node) {
  int code = cs_json_want(reader->json, node, CS_STRING, reader->error);
  return code != CS_OK ? code : cs_name_check(reader->json, node, false, cs_json_string(node), reader->error);
}

int cs_model_read_name(const struct cs_reader *reader, const struct cs_node *object, char **out) {
  const char *name;
  int code = cs_json_need_string(reader->json, object, "name", &name, reader->error);
  if (code == CS_OK) code = cs_model_read_check_name(reader, cs_json_get(object, "name"));
  return code != CS_OK ? code : cs_model_read_copy(reader, name, out);
}

int cs_model_read_item_name(const struct cs_reader *reader, const struct cs_node *item, const char *list,
                            const void *items, size_t size, size_t count, char **out) {
  int code = cs_model_read_name(reader, item, out);
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    const char *other = *(char *const *)((const char *)items + i * size);
    if (other != NULL && strcmp(other, *out) == 0) { /* NULL: of an item with faults */
      code = cs_json_fail(reader->json, cs_json_get(item, "name"), reader->error,
                          "\"%s\" is already the name of %s[%zu]; want different names", *out, list, i);
    }
  }
  return code;
}

int cs_model_read_each(const struct cs_reader *reader, const struct cs_node *root, const char *key,
                       int (*read)(const struct cs_reader *reader, const struct cs_node *item)) {
  const struct cs_node *list = cs_json_get(root, key);
  int code = list != NULL ? cs_json_want(reader->json, list, CS_LIST, reader->error) : CS_OK;
  for (size_t i = 0; list != NULL && i < cs_json_length(list) && cs_json_goes_on(reader->json, code); i++)
    code = cs_json_also(reader->json, code, read(reader, cs_json_at(list, i)), reader->error);
  return code;
}

int cs_model_read_length(const struct cs_reader *reader, const struct cs_node *list, size_t want, const char *what,
                         const char *per) {
  int code = cs_json_want(reader->json, list, CS_LIST, reader->error);
  if (code == CS_OK && cs_json_length(list) != want) {
    code = cs_json_fail(reader->json, list, reader->error, "number of %s is %zu; want %zu, one per %s", what,
                        cs_json_length(list), want, per);
  }
  return code;
}

int cs_model_read_expr(const struct cs_reader *reader, const struct cs_node *node, struct cs_expr **out) {
  struct cs_error reason;
  const char *unknown;
  enum cs_kind kind = cs_json_kind(node);
  if (kind == CS_NUMBER) {
    *out = cs_expr_number(cs_json_number(node));
    return *out != NULL ? CS_OK : cs_error_memory(reader->error);
  }
  if (kind != CS_STRING) {
    return cs_json_fail(reader->json, node, reader->error, "found %s; want a number or an expression",
                        cs_json_kind_name(kind));
  }
  int code = cs_expr_parse(cs_json_string(node), reader->name, reader->names, out, &unknown, &reason);
  if (code == CS_INPUT && reader->timeless && unknown != NULL && *unknown == 't' && !cs_ascii_is_word(unknown[1]))
    return cs_json_fail(reader->json, node, reader->error,
                        "\"t\" is unknown, equations have no time; want a clock, a state whose f is 1");
  if (code == CS_INPUT) return cs_json_fail(reader->json, node, reader->error, "%s", reason.message);
  return code != CS_OK ? cs_error_memory(reader->error) : CS_OK;
}

int cs_model_read_add(const struct cs_reader *reader, enum cs_matrix matrix, size_t row, size_t column,
                      struct cs_expr *expr, const struct cs_node *place) {
  struct cs_entries *entries = &reader->model->matrix[matrix];
  if (expr == NULL) return cs_error_memory(reader->error);
  const bool kept = matrix >= CS_EVENT_TIME && matrix <= CS_EVENT_ADD; /* zeros too */
  if (reader->mode == CS_READER_NOWHERE || (!kept && cs_expr_is_zero(expr))) {
    cs_expr_free(expr);
    return CS_OK;
  }
  if (!cs_list_grow(&entries->entry, entries->count, sizeof *entries->entry)) {
    cs_expr_free(expr);
    return cs_error_memory(reader->error);
  }
  size_t at = entries->count++;
  for (; at > 0; at--) {
    const struct cs_entry *before = &entries->entry[at - 1];
    if (before->row < row || (before->row == row && before->column <= column)) break;
    entries->entry[at] = *before;
  }
  entries->entry[at] =
      (struct cs_entry){.row = row, .column = column, .mode = reader->mode, .expr = expr, .node = place};
  return CS_OK;
}

int cs_model_read_entry(const struct cs_reader *reader, enum cs_matrix matrix, size_t row, size_t column,
                        const struct cs_node *node) {
  struct cs_expr *expr = NULL;
  int code = cs_model_read_expr(reader, node, &expr);
  return code != CS_OK ? code : cs_model_read_add(reader, matrix, row, column, expr, node);
}
