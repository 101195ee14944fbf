#include "master.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

enum { MOST_MEMORY = 64, MOST_PASSES = 1000, MOST_MASTERS = 60000 };

int cs_masters_new(const struct cs_model *model, const char *sweep, struct cs_masters *masters,
                   struct cs_error *error) {
  *masters = (struct cs_masters){.model = model, .sweep = sweep, .sequences = 1};
  masters->sequence = calloc(1, sizeof *masters->sequence);
  size_t *first = malloc((model->subsystems + 1) * sizeof *first);
  if (!masters->sequence || !first) {
    free(first);
    masters->sequences = 0;
    return cs_error_memory(error);
  }
  for (size_t s = 0; s < model->subsystems; s++) {
    first[s] = s;
  }
  masters->sequence[0] = first;
  return CS_OK;
}

void cs_masters_free(struct cs_masters *masters) {
  for (size_t i = 0; i < masters->sequences; i++) {
    free(masters->sequence[i]);
  }
  for (size_t i = 0; i < masters->users; i++) {
    free(masters->user[i].path);
    free(masters->user[i].text);
  }
  free(masters->sequence);
  free(masters->user);
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

static int fail_sequence(const struct cs_masters *masters, const struct cs_json *json, const struct cs_node *node,
                         struct cs_text *wrong, struct cs_error *error) {
  cs_text_add(wrong, "; want each subsystem once: ");
  for (size_t s = 0; s < masters->model->subsystems; s++) {
    cs_text_add(wrong, "%s%s", s ? ", " : "", masters->model->subsystem[s].name);
  }
  return cs_fail_text(json, node, wrong, error);
}

static int read_names(const struct cs_masters *masters, const struct cs_json *json, const struct cs_node *list,
                      size_t *order, struct cs_error *error) {
  const size_t subsystems = masters->model->subsystems;
  struct cs_text wrong = {0};
  for (size_t i = 0; i < cs_node_length(list); i++) {
    const struct cs_node *item = cs_node_at(list, i);
    int code = cs_json_want(json, item, CS_STRING, error);
    if (code) {
      return code;
    }
    const char *name = cs_node_string(item);
    size_t s = 0;
    while (s < subsystems && strcmp(masters->model->subsystem[s].name, name) != 0) {
      s++;
    }
    bool twice = false;
    for (size_t j = 0; j < i && s < subsystems; j++) {
      twice = twice || order[j] == s;
    }
    if (s == subsystems || twice) {
      cs_text_add(&wrong, twice ? "subsystem \"%s\" stands here twice" : "unknown subsystem \"%s\"", name);
      return fail_sequence(masters, json, item, &wrong, error);
    }
    order[i] = s;
  }
  if (cs_node_length(list) < subsystems) {
    cs_text_add(&wrong, "found %zu of %zu subsystems", cs_node_length(list), subsystems);
    return fail_sequence(masters, json, list, &wrong, error);
  }
  return CS_OK;
}

int cs_masters_read_sequence(struct cs_masters *masters, const struct cs_json *json, const struct cs_node *node,
                             double *number, struct cs_error *error) {
  const size_t subsystems = masters->model->subsystems;
  size_t *order = malloc((cs_node_length(node) + 1) * sizeof *order);
  int code = order ? read_names(masters, json, node, order, error) : cs_error_memory(error);
  size_t at = 0;
  while (!code && at < masters->sequences && memcmp(masters->sequence[at], order, subsystems * sizeof *order) != 0) {
    at++;
  }
  *number = (double)at;
  if (!code && at == masters->sequences) {
    size_t **list = at < MOST_MASTERS ? realloc(masters->sequence, (at + 1) * sizeof *list) : NULL;
    if (list) {
      masters->sequence = list;
      masters->sequence[masters->sequences++] = order;
      return CS_OK;
    }
    code = cs_error_memory(error);
  }
  free(order);
  return code;
}

/* ---- fragments --------------------------------------------------------------------------------------------------- */

/* An optional count from `least` to `most`; `initial` where it is not given. */
static int read_count(const struct cs_json *json, const struct cs_node *object, const char *key, int least, int most,
                      size_t initial, size_t *count, struct cs_error *error) {
  const struct cs_node *node = cs_node_get(object, key);
  *count = initial;
  int code = node ? cs_json_want(json, node, CS_NUMBER, error) : CS_OK;
  if (code || !node) {
    return code;
  }
  const double value = cs_node_number(node);
  if (value != floor(value) || value < least || value > most) {
    return cs_json_fail(json, node, error, "found %g; want an integer from %d to %d", value, least, most);
  }
  *count = (size_t)value;
  return CS_OK;
}

/* What would show only in the compiler's words about the program around it, or not at all. */
static int check_text(const struct cs_json *json, const struct cs_node *node, const struct cs_user_master *user,
                      struct cs_error *error) {
  static const char *const wanted[] = {"master_step", "master_exchange", "master_begin"};
  const size_t line = cs_source_open_comment(user->text);
  if (line > 0) {
    return cs_json_fail(json, node, error, "%s:%zu: comment without an end; want */", user->path, line);
  }
  for (size_t i = 0; i < (user->memory > 0 ? 3 : 2); i++) {
    if (cs_source_count(user->text, wanted[i], strlen(wanted[i])) == 0) {
      return cs_json_fail(json, node, error, "%s defines no %s; want master_step, master_exchange%s (docs/masters.md)",
                          user->path, wanted[i], user->memory > 0 ? ", master_begin" : "");
    }
  }
  return CS_OK;
}

/* The fragment's text; its path is relative to the sweep file. */
static int read_fragment(const struct cs_masters *masters, const struct cs_json *json, const struct cs_node *node,
                         struct cs_user_master *user, struct cs_error *error) {
  const char *given = cs_node_string(node), *slash = strrchr(masters->sweep, '/');
  struct cs_text path = {0}, text = {0};
  struct cs_error inner = {0};
  if (slash && given[0] != '/') {
    cs_text_append(&path, masters->sweep, (size_t)(slash - masters->sweep) + 1);
  }
  cs_text_add(&path, "%s", given);
  int code = path.failed ? cs_error_memory(error) : cs_text_read(&text, path.data, "kernel fragment", &inner);
  if (code == CS_IO) {
    code = cs_json_fail(json, node, error, "%s", inner.message);
  }
  if (!code && strlen(text.data) != text.length) {
    code = cs_json_fail(json, node, error, "%s is no text; want OpenCL C", path.data);
  }
  user->text = text.data;
  user->path = path.data;
  return code ? code : check_text(json, node, user, error);
}

int cs_masters_read_user(struct cs_masters *masters, const struct cs_json *json, const struct cs_node *node,
                         double *number, struct cs_error *error) {
  static const char *const legal[] = {"kernel", "memory", "passes", NULL};
  const char *kernel = NULL;
  struct cs_user_master user = {0};
  int code = cs_json_check_keys(json, node, legal, error);
  code = code ? code : cs_json_need_string(json, node, "kernel", &kernel, error);
  code = code ? code : read_count(json, node, "memory", 0, MOST_MEMORY, 0, &user.memory, error);
  code = code ? code : read_count(json, node, "passes", 1, MOST_PASSES, 1, &user.passes, error);
  code = code ? code : read_fragment(masters, json, cs_node_get(node, "kernel"), &user, error);
  for (size_t i = 0; i < masters->users && !code; i++) {
    const struct cs_user_master *other = &masters->user[i];
    if (strcmp(other->path, user.path) == 0 && other->memory == user.memory && other->passes == user.passes) {
      *number = (double)i;
      goto out;
    }
  }
  struct cs_user_master *list =
      !code && masters->users < MOST_MASTERS ? realloc(masters->user, (masters->users + 1) * sizeof *list) : NULL;
  if (list) {
    masters->user = list;
    *number = (double)masters->users;
    masters->user[masters->users++] = user;
    return CS_OK;
  }
  code = code ? code : cs_error_memory(error);
out:
  free(user.path);
  free(user.text);
  return code;
}
