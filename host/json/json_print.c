/* JSON text of a value: two blanks of indentation, lists of scalars on one line. */
#include "json.h"

static bool holds_containers(const struct cs_node *node) {
  for (size_t i = 0; i < cs_json_length(node); i++) {
    enum cs_kind kind = cs_json_kind(cs_json_at(node, i));
    if (kind == CS_LIST || kind == CS_OBJECT) return true;
  }
  return false;
}

static void write_container(struct cs_writer *writer, const char *key, const struct cs_node *node) {
  const bool object = cs_json_kind(node) == CS_OBJECT;
  if (object)
    cs_writer_object(writer, key);
  else
    cs_writer_list(writer, key);
  if (object || holds_containers(node)) cs_writer_lines(writer);
  for (size_t i = 0; i < cs_json_length(node); i++)
    cs_json_write(writer, object ? cs_json_key(cs_json_at(node, i)) : NULL, cs_json_at(node, i));
  cs_writer_end(writer);
}

void cs_json_write(struct cs_writer *writer, const char *key, const struct cs_node *node) {
  switch (cs_json_kind(node)) {
    case CS_NULL:
      cs_writer_null(writer, key);
      return;
    case CS_BOOL:
      cs_writer_bool(writer, key, cs_json_bool(node));
      return;
    case CS_NUMBER:
      cs_writer_shortest(writer, key, cs_json_number(node));
      return;
    case CS_STRING:
      cs_writer_string(writer, key, cs_json_string(node));
      return;
    case CS_LIST:
    case CS_OBJECT:
      write_container(writer, key, node);
  }
}

void cs_json_print(const struct cs_node *node, struct cs_text *text) {
  struct cs_writer writer = {.text = text, .spread = true};
  cs_json_write(&writer, NULL, node);
}
