/* Messages about values: place, path, and what was wanted. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json_private.h"
#include "near.h"

/* The message about `node`, "FILE:LINE:COLUMN: PATH: what"; control characters from the file are shown as '?', so
 * that a message stays one line. */
static int fail_at(const struct cs_json *json, const struct cs_node *node, struct cs_place place,
                   struct cs_error *error, const char *format, va_list arguments) {
  struct cs_text text = {0};
  struct cs_error what;
  vsnprintf(what.message, sizeof what.message, format, arguments);
  if (node->set != NULL)
    cs_text_add(&text, "--set %s: ", node->set);
  else
    cs_text_add(&text, "%s:%zu:%zu: ", json->name, place.line, place.column);
  bool said = node->set != NULL && cs_json_kind(node) != CS_OBJECT; /* the path of --set is the node's own */
  if (node->parent != NULL && !said) {
    cs_json_add_path(node, &text);
    cs_text_add(&text, ": ");
  }
  cs_text_add(&text, "%s", what.message);
  int code = CS_INPUT;
  if (text.failed) {
    code = cs_error_memory(error);
  } else {
    for (char *p = text.data; *p; p++)
      *p = (unsigned char)*p < 0x20 || *p == 0x7F ? '?' : *p;
    cs_error_set(error, code, "%s", text.data);
  }
  cs_text_free(&text);
  return code;
}

int cs_json_fail(const struct cs_json *json, const struct cs_node *node, struct cs_error *error, const char *format,
                 ...) {
  va_list arguments;
  va_start(arguments, format);
  const int code = fail_at(json, node, node->place.value, error, format, arguments);
  va_end(arguments);
  return code;
}

int cs_json_fail_key(const struct cs_json *json, const struct cs_node *member, struct cs_error *error,
                     const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int code = fail_at(json, member, member->place.key, error, format, arguments);
  va_end(arguments);
  return code;
}

int cs_json_fail_text(const struct cs_json *json, const struct cs_node *node, bool key, struct cs_text *text,
                      struct cs_error *error) {
  int code = text->failed ? cs_error_memory(error)
             : key        ? cs_json_fail_key(json, node, error, "%s", text->data)
                          : cs_json_fail(json, node, error, "%s", text->data);
  cs_text_free(text);
  return code;
}

/* ---- several faults */

enum { MOST_FAULTS = 20 };

int cs_json_also(const struct cs_json *json, int code, int next, const struct cs_error *error) {
  if (next == CS_INPUT) cs_faults_add(json->faults, error != NULL ? error->message : "");
  return next != CS_OK ? next : code;
}

bool cs_json_goes_on(const struct cs_json *json, int code) {
  return code == CS_OK || (code == CS_INPUT && json->faults->count < MOST_FAULTS);
}

int cs_json_tell(const struct cs_json *json, int code, struct cs_error *error) {
  if (code != CS_INPUT || error == NULL) return code;
  cs_faults_add(json->faults, error->message);
  return json->faults->lines.failed ? code : cs_error_set(error, code, "%s", cs_text_string(&json->faults->lines));
}

int cs_json_want(const struct cs_json *json, const struct cs_node *node, enum cs_kind kind, struct cs_error *error) {
  enum cs_kind found = cs_json_kind(node);
  return found == kind
             ? CS_OK
             : cs_json_fail(json, node, error, "found %s; want %s", cs_json_kind_name(found), cs_json_kind_name(kind));
}

int cs_json_check_keys(const struct cs_json *json, const struct cs_node *node, const char *const *legal,
                       struct cs_error *error) {
  int code = cs_json_want(json, node, CS_OBJECT, error);
  if (code != CS_OK) return code; /* the items of a list have no keys */
  for (size_t i = 0; i < node->children && cs_json_goes_on(json, code); i++) {
    size_t k = 0;
    while (legal[k] != NULL && strcmp(legal[k], node->child[i]->value->string) != 0)
      k++;
    if (legal[k] != NULL) continue;
    struct cs_text wrong = {0};
    cs_text_add(&wrong, "unknown key; want one of: ");
    for (k = 0; legal[k] != NULL; k++)
      cs_text_add(&wrong, "%s%s", k > 0 ? ", " : "", legal[k]);
    cs_near_suggest(&wrong, node->child[i]->value->string);
    code = cs_json_also(json, code, cs_json_fail_text(json, node->child[i], true, &wrong, error), error);
  }
  return code;
}

int cs_json_need_as(const struct cs_json *json, const struct cs_node *object, const char *key, const char *want,
                    const struct cs_node **out, struct cs_error *error) {
  int code = cs_json_want(json, object, CS_OBJECT, error);
  if (code != CS_OK) return code;
  *out = cs_json_get(object, key);
  return *out != NULL ? CS_OK : cs_json_fail(json, object, error, "missing key \"%s\"; want %s", key, want);
}

int cs_json_need(const struct cs_json *json, const struct cs_node *object, const char *key, const struct cs_node **out,
                 struct cs_error *error) {
  return cs_json_need_as(json, object, key, "a value", out, error);
}

int cs_json_need_string(const struct cs_json *json, const struct cs_node *object, const char *key, const char **out,
                        struct cs_error *error) {
  const struct cs_node *node = NULL;
  int code = cs_json_need_as(json, object, key, cs_json_kind_name(CS_STRING), &node, error);
  if (code == CS_OK) code = cs_json_want(json, node, CS_STRING, error);
  *out = code != CS_OK ? NULL : cs_json_string(node);
  return code;
}

int cs_json_need_format(const struct cs_json *json, const struct cs_node *root, const char *want,
                        struct cs_error *error) {
  static const char *const kinds[] = {"model", "sweep"};
  const char *format = NULL;
  int code = cs_json_need_string(json, root, "format", &format, error);
  if (code != CS_OK) return code;
  const struct cs_node *node = cs_json_get(root, "format");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char legal[32];
    snprintf(legal, sizeof legal, "cosweep-%s/1", kinds[i]);
    const bool found = strcmp(legal, format) == 0;
    if (found && strcmp(kinds[i], want) == 0) return CS_OK;
    if (found)
      return cs_json_fail(json, node, error, "this is a %s; want a %s, \"cosweep-%s/1\"", kinds[i], want, want);
  }
  return cs_json_fail(json, node, error, "unknown format \"%s\"; want \"cosweep-%s/1\"", format, want);
}

int cs_json_need_list(const struct cs_json *json, const struct cs_node *object, const char *key,
                      const struct cs_node **out, struct cs_error *error) {
  int code = cs_json_need_as(json, object, key, cs_json_kind_name(CS_LIST), out, error);
  return code != CS_OK ? code : cs_json_want(json, *out, CS_LIST, error);
}
