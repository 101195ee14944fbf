#include "user_fragment.h"

#include <math.h>
#include <string.h>

#include "source.h"

int cs_user_fragment_count(const struct cs_json *json, const struct cs_node *object, const char *key, int least,
                           int most, size_t initial, size_t *count, struct cs_error *error) {
  const struct cs_node *node = cs_node_get(object, key);
  *count = initial;
  int code = node != NULL ? cs_json_want(json, node, CS_NUMBER, error) : CS_OK;
  if (code != CS_OK || node == NULL) return code;
  const double value = cs_node_number(node);
  if (value != floor(value) || value < least || value > most)
    return cs_json_fail(json, node, error, "found %g; want an integer from %d to %d", value, least, most);
  *count = (size_t)value;
  return CS_OK;
}

static int check_text(const struct cs_json *json, const struct cs_node *node, const char *path, const char *text,
                      const char *const *wanted, const char *document, struct cs_error *error) {
  const size_t line = cs_source_open_comment(text);
  if (line > 0) return cs_json_fail(json, node, error, "%s:%zu: comment without an end; want */", path, line);
  for (size_t i = 0; wanted[i] != NULL; i++) {
    if (cs_source_count(text, wanted[i], strlen(wanted[i])) > 0) continue;
    struct cs_text wrong = {0};
    cs_text_add(&wrong, "%s defines no %s; want ", path, wanted[i]);
    for (size_t k = 0; wanted[k] != NULL; k++)
      cs_text_add(&wrong, "%s%s", k ? ", " : "", wanted[k]);
    cs_text_add(&wrong, " (%s)", document);
    return cs_json_fail_text(json, node, false, &wrong, error);
  }
  return CS_OK;
}

int cs_user_fragment_read(const struct cs_json *json, const struct cs_node *node, const char *sweep,
                          const char *const *wanted, const char *document, char **path, char **text,
                          struct cs_error *error) {
  const char *given = cs_node_string(node), *slash = strrchr(sweep, '/');
  struct cs_text place = {0}, found = {0};
  struct cs_error inner = {0};
  if (slash != NULL && given[0] != '/') cs_text_append(&place, sweep, (size_t)(slash - sweep) + 1);
  cs_text_add(&place, "%s", given);
  int code = place.failed ? cs_error_memory(error) : cs_text_read(&found, place.data, "kernel fragment", &inner);
  if (code == CS_IO) code = cs_json_fail(json, node, error, "%s", inner.message);
  if (code == CS_OK && strlen(found.data) != found.length)
    code = cs_json_fail(json, node, error, "%s is no text; want OpenCL C", place.data);
  *path = place.data;
  *text = found.data;
  return code != CS_OK ? code : check_text(json, node, *path, *text, wanted, document, error);
}
