/* JSON text of a value: two blanks of indentation, lists of scalars on one line. */
#include <stdio.h>
#include <stdlib.h>

#include "json.h"

static void print_string(const char *string, struct cs_text *text) {
  cs_text_append(text, "\"", 1);
  for (const char *p = string; *p; p++) {
    unsigned char byte = (unsigned char)*p;
    if (byte == '"' || byte == '\\')
      cs_text_add(text, "\\%c", *p);
    else if (byte == '\n')
      cs_text_add(text, "\\n");
    else if (byte < 0x20)
      cs_text_add(text, "\\u%04X", (unsigned)byte);
    else
      cs_text_append(text, p, 1);
  }
  cs_text_append(text, "\"", 1);
}

static bool holds_containers(const struct cs_node *node) {
  for (size_t i = 0; i < cs_node_length(node); i++) {
    enum cs_kind kind = cs_node_kind(cs_node_at(node, i));
    if (kind == CS_LIST || kind == CS_OBJECT) return true;
  }
  return false;
}

static void print_node(const struct cs_node *node, int indent, struct cs_text *text) {
  enum cs_kind kind = cs_node_kind(node);
  switch (kind) {
    case CS_NULL:
      cs_text_add(text, "null");
      return;
    case CS_BOOL:
      cs_text_add(text, cs_node_bool(node) ? "true" : "false");
      return;
    case CS_NUMBER:
      cs_text_add_number(text, cs_node_number(node));
      return;
    case CS_STRING:
      print_string(cs_node_string(node), text);
      return;
    case CS_LIST:
    case CS_OBJECT:
      break;
  }
  size_t length = cs_node_length(node);
  bool lines = length > 0 && (kind == CS_OBJECT || holds_containers(node));
  cs_text_add(text, kind == CS_OBJECT ? "{" : "[");
  for (size_t i = 0; i < length; i++) {
    const struct cs_node *item = cs_node_at(node, i);
    cs_text_add(text, i == 0 ? "" : lines ? "," : ", ");
    if (lines) cs_text_add(text, "\n%*s", indent + 2, "");
    if (kind == CS_OBJECT) {
      print_string(cs_node_key(item), text);
      cs_text_add(text, ": ");
    }
    print_node(item, indent + 2, text);
  }
  if (lines) cs_text_add(text, "\n%*s", indent, "");
  cs_text_add(text, kind == CS_OBJECT ? "}" : "]");
}

void cs_json_print(const struct cs_node *node, struct cs_text *text) {
  print_node(node, 0, text);
}
