/* What the parts of the model's reader share: names, texts, expressions, entries. */
#include "model_read.h"

#include <stdlib.h>

#include "name.h"

int cs_reader_copy(const struct cs_reader *reader, const char *text, char **out) {
  *out = cs_text_copy(text);
  return *out != NULL ? CS_OK : cs_error_memory(reader->error);
}

int cs_reader_text(const struct cs_reader *reader, const struct cs_node *object, const char *key, char **out) {
  const struct cs_node *node = cs_node_get(object, key);
  int code = node != NULL ? cs_json_want(reader->json, node, CS_STRING, reader->error) : CS_OK;
  return code != CS_OK ? code : cs_reader_copy(reader, node != NULL ? cs_node_string(node) : "", out);
}

int cs_reader_check_name(const struct cs_reader *reader, const struct cs_node *node) {
  int code = cs_json_want(reader->json, node, CS_STRING, reader->error);
  return code != CS_OK ? code : cs_name_check(reader->json, node, false, cs_node_string(node), reader->error);
}

int cs_reader_name(const struct cs_reader *reader, const struct cs_node *object, char **out) {
  const char *name;
  int code = cs_json_need_string(reader->json, object, "name", &name, reader->error);
  if (code == CS_OK) code = cs_reader_check_name(reader, cs_node_get(object, "name"));
  return code != CS_OK ? code : cs_reader_copy(reader, name, out);
}

int cs_reader_expr(const struct cs_reader *reader, const struct cs_node *node, struct cs_expr **out) {
  struct cs_error reason;
  enum cs_kind kind = cs_node_kind(node);
  if (kind == CS_NUMBER) {
    *out = cs_expr_number(cs_node_number(node));
    return *out != NULL ? CS_OK : cs_error_memory(reader->error);
  }
  if (kind != CS_STRING) {
    return cs_json_fail(reader->json, node, reader->error, "found %s; want a number or an expression",
                        cs_kind_name(kind));
  }
  int code = cs_expr_parse(cs_node_string(node), reader->name, reader->names, out, &reason);
  if (code == CS_INPUT) return cs_json_fail(reader->json, node, reader->error, "%s", reason.message);
  return code != CS_OK ? cs_error_memory(reader->error) : CS_OK;
}

int cs_reader_add(const struct cs_reader *reader, enum cs_matrix matrix, size_t row, size_t column,
                  struct cs_expr *expr, const struct cs_node *place) {
  struct cs_entries *entries = &reader->model->matrix[matrix];
  if (expr == NULL) return cs_error_memory(reader->error);
  if (cs_expr_is_zero(expr) && matrix < CS_EVENT_TIME) {
    cs_expr_free(expr);
    return CS_OK;
  }
  if ((entries->count & (entries->count - 1)) == 0) { /* full: the room is a power of two */
    size_t room = entries->count > 0 ? 2 * entries->count : 1;
    struct cs_entry *entry = realloc(entries->entry, room * sizeof *entry);
    if (entry == NULL) {
      cs_expr_free(expr);
      return cs_error_memory(reader->error);
    }
    entries->entry = entry;
  }
  size_t at = entries->count++;
  for (; at > 0; at--) {
    const struct cs_entry *before = &entries->entry[at - 1];
    if (before->row < row || (before->row == row && before->column <= column)) break;
    entries->entry[at] = *before;
  }
  entries->entry[at] = (struct cs_entry){.row = row, .column = column, .expr = expr, .node = place};
  return CS_OK;
}

int cs_reader_entry(const struct cs_reader *reader, enum cs_matrix matrix, size_t row, size_t column,
                    const struct cs_node *node) {
  struct cs_expr *expr = NULL;
  int code = cs_reader_expr(reader, node, &expr);
  return code != CS_OK ? code : cs_reader_add(reader, matrix, row, column, expr, node);
}
