#include "user_fragment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "name.h"
#include "source.h"

enum { MOST_MEMORY = 64, MOST_PASSES = 1000 };

/* An optional count from `least` to `most`; `least` if absent. */
static int read_count(const struct cs_json *json, const struct cs_node *object, const char *key, int least, int most,
                      size_t *count, struct cs_error *error) {
  const struct cs_node *node = cs_json_get(object, key);
  *count = (size_t)least;
  int code = node != NULL ? cs_json_want(json, node, CS_NUMBER, error) : CS_OK;
  if (code != CS_OK || node == NULL) return code;
  const double value = cs_json_number(node);
  if (value != floor(value) || value < least || value > most)
    return cs_json_fail(json, node, error, "found %g; want an integer from %d to %d", value, least, most);
  *count = (size_t)value;
  return CS_OK;
}

static int check_text(const struct cs_json *json, const struct cs_node *node, const struct cs_user_fragment *fragment,
                      const struct cs_user_kind *kind, struct cs_error *error) {
  const char *const *wanted = fragment->memory > 0 ? kind->wanted : kind->simple;
  const size_t line = cs_source_open_comment(fragment->text);
  if (line > 0) return cs_json_fail(json, node, error, "%s:%zu: unterminated comment; want */", fragment->path, line);
  struct cs_text beyond = {0};
  const size_t place = cs_source_beyond(fragment->text, &beyond);
  int code = beyond.failed ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK && place > 0)
    code = cs_json_fail(json, node, error,
                        "%s:%zu: %s is refused: what a fragment does has to follow from its text; want it written out",
                        fragment->path, place, cs_text_string(&beyond));
  cs_text_free(&beyond);
  if (code != CS_OK) return code;
  for (size_t i = 0; wanted[i] != NULL; i++) {
    if (cs_source_count(fragment->text, wanted[i], strlen(wanted[i])) > 0) continue;
    struct cs_text wrong = {0};
    cs_text_add(&wrong, "%s defines no %s; want ", fragment->path, wanted[i]);
    for (size_t k = 0; wanted[k] != NULL; k++)
      cs_text_add(&wrong, "%s%s", k ? ", " : "", wanted[k]);
    cs_text_add(&wrong, " (%s)", kind->document);
    return cs_json_fail_text(json, node, false, &wrong, error);
  }
  return CS_OK;
}

/* The path is a part of the program, in a comment and as a literal. */
static int check_path(const struct cs_json *json, const struct cs_node *node, const char *path,
                      struct cs_error *error) {
  const char *at = path;
  while (*at != '\0' && (unsigned char)*at >= ' ' && *at != '"' && *at != '\\' && strncmp(at, "*/", 2) != 0)
    at++;
  if (*at == '\0') return CS_OK;
  return cs_json_fail(json, node, error, "%s: cannot name a fragment; want a path without \", \\, */ and line breaks",
                      path);
}

/* Path and text of the fragment that `node` names. */
static int read_text(const struct cs_json *json, const struct cs_node *node, const char *sweep,
                     struct cs_user_fragment *fragment, struct cs_error *error) {
  struct cs_text place = {0}, found = {0};
  struct cs_error inner = {0};
  cs_source_locate(sweep, cs_json_string(node), &place);
  int code = place.failed ? cs_error_memory(error) : check_path(json, node, place.data, error);
  if (code == CS_OK) code = cs_text_read(&found, place.data, "kernel fragment", &inner);
  if (code == CS_IO) code = cs_json_fail(json, node, error, "%s", inner.message);
  if (code == CS_DEVICE) code = cs_error_memory(error); /* so far said in `inner` alone */
  const size_t mark = code == CS_OK ? cs_text_mark_length(found.data, found.length) : 0;
  if (mark > 0) memmove(found.data, found.data + mark, (found.length -= mark) + 1);
  if (code == CS_OK && strlen(found.data) != found.length)
    code = cs_json_fail(json, node, error, "%s is not a text; want OpenCL C", place.data);
  fragment->path = place.data;
  fragment->text = found.data;
  return code;
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static size_t find_name(const struct cs_user_fragments *fragments, const char *name) {
  size_t i = 0;
  while (i < fragments->names && strcmp(fragments->name[i], name) != 0)
    i++;
  return i;
}

static int add_names(struct cs_user_fragments *fragments, const struct cs_json *json, const struct cs_node *object,
                     struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < cs_json_length(object) && code == CS_OK; i++) {
    const struct cs_node *member = cs_json_at(object, i);
    const char *name = cs_json_key(member);
    code = cs_name_check(json, member, true, name, error);
    if (code != CS_OK || find_name(fragments, name) < fragments->names) continue;
    if (fragments->names == CS_MOST_OWN)
      return cs_json_fail_key(json, member, error, "the masters have more than %d parameters; want fewer", CS_MOST_OWN);
    fragments->name[fragments->names++] = name;
  }
  return code;
}

int cs_user_fragment_find_names(struct cs_user_fragments *fragments, const struct cs_json *json,
                                const struct cs_node *node, struct cs_error *error) {
  const enum cs_kind kind = cs_json_kind(node);
  const struct cs_node *own = kind == CS_OBJECT ? cs_json_get(node, "parameters") : NULL;
  int code = CS_OK;
  if (kind != CS_OBJECT && kind != CS_LIST) return CS_OK;
  if (own != NULL && cs_json_kind(own) == CS_OBJECT && cs_json_get(node, "kernel") != NULL)
    return add_names(fragments, json, own, error);
  for (size_t i = 0; i < cs_json_length(node) && code == CS_OK; i++)
    code = cs_user_fragment_find_names(fragments, json, cs_json_at(node, i), error);
  return code;
}

static int read_parameters(const struct cs_user_fragments *fragments, const struct cs_json *json,
                           const struct cs_node *node, struct cs_user_fragment *fragment, struct cs_error *error) {
  const struct cs_node *object = cs_json_get(node, "parameters");
  for (size_t i = 0; i < CS_MOST_OWN; i++)
    fragment->own[i] = NAN;
  int code = object != NULL ? cs_json_want(json, object, CS_OBJECT, error) : CS_OK;
  for (size_t i = 0; object != NULL && code == CS_OK && i < cs_json_length(object); i++) {
    const struct cs_node *member = cs_json_at(object, i);
    code = cs_json_want(json, member, CS_NUMBER, error);
    if (code == CS_OK) fragment->own[find_name(fragments, cs_json_key(member))] = cs_json_number(member);
  }
  return code;
}

/* ---- fragments --------------------------------------------------------------------------------------------------- */

static int read_fragment(const struct cs_user_fragments *fragments, const struct cs_user_kind *kind, const char *sweep,
                         const struct cs_json *json, const struct cs_node *node, struct cs_user_fragment *fragment,
                         struct cs_error *error) {
  static const char *const all[] = {"kernel", "memory", "parameters", "passes", NULL};
  static const char *const few[] = {"kernel", "memory", NULL};
  const char *kernel = NULL;
  int code = cs_json_check_keys(json, node, kind->master ? all : few, error);
  if (code == CS_OK) code = cs_json_need_string(json, node, "kernel", &kernel, error);
  if (code == CS_OK) code = read_count(json, node, "memory", 0, MOST_MEMORY, &fragment->memory, error);
  if (code == CS_OK) code = read_count(json, node, "passes", 1, MOST_PASSES, &fragment->passes, error);
  if (code == CS_OK) code = read_parameters(fragments, json, node, fragment, error);
  const struct cs_node *place = cs_json_get(node, "kernel");
  if (code == CS_OK) code = read_text(json, place, sweep, fragment, error);
  return code != CS_OK ? code : check_text(json, place, fragment, kind, error);
}

static void clear(struct cs_user_fragment *fragment) {
  free(fragment->path);
  free(fragment->text);
}

static bool are_equal(const struct cs_user_fragment *a, const struct cs_user_fragment *b) {
  return strcmp(a->path, b->path) == 0 && a->memory == b->memory && a->passes == b->passes &&
         memcmp(a->own, b->own, sizeof a->own) == 0;
}

int cs_user_fragment_read(struct cs_user_fragments *fragments, const struct cs_user_kind *kind, const char *sweep,
                          const struct cs_json *json, const struct cs_node *node, double *number,
                          struct cs_error *error) {
  struct cs_user_fragment read = {0};
  size_t at = 0;
  int code = read_fragment(fragments, kind, sweep, json, node, &read, error);
  while (code == CS_OK && at < fragments->count && !are_equal(&fragments->item[at], &read))
    at++;
  *number = (double)at;
  const bool known = at < fragments->count;
  if (code == CS_OK && !known && (at == CS_MOST_LISTED || !cs_list_grow(&fragments->item, at, sizeof *fragments->item)))
    code = cs_error_memory(error);
  if (code == CS_OK && !known)
    fragments->item[fragments->count++] = read;
  else
    clear(&read);
  return code;
}

void cs_user_fragment_free(struct cs_user_fragments *fragments) {
  for (size_t i = 0; i < fragments->count; i++)
    clear(&fragments->item[i]);
  free(fragments->item);
}
