#include "master.h"

#include <stdlib.h>
#include <string.h>

#include "user_fragment.h"

enum { MOST_MEMORY = 64, MOST_PASSES = 1000, MOST_MASTERS = 60000 };

int cs_masters_new(const struct cs_model *model, const char *sweep, struct cs_masters *masters,
                   struct cs_error *error) {
  *masters = (struct cs_masters){.model = model, .sweep = sweep, .sequences = 1};
  masters->sequence = calloc(1, sizeof *masters->sequence);
  size_t *first = malloc((model->subsystems + 1) * sizeof *first);
  if (masters->sequence == NULL || first == NULL) {
    free(first);
    masters->sequences = 0;
    return cs_error_memory(error);
  }
  for (size_t s = 0; s < model->subsystems; s++)
    first[s] = s;
  masters->sequence[0] = first;
  return CS_OK;
}

void cs_masters_free(struct cs_masters *masters) {
  for (size_t i = 0; i < masters->sequences; i++)
    free(masters->sequence[i]);
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
  for (size_t s = 0; s < masters->model->subsystems; s++)
    cs_text_add(wrong, "%s%s", s ? ", " : "", masters->model->subsystem[s].name);
  return cs_json_fail_text(json, node, false, wrong, error);
}

static int read_names(const struct cs_masters *masters, const struct cs_json *json, const struct cs_node *list,
                      size_t *order, struct cs_error *error) {
  const size_t subsystems = masters->model->subsystems;
  struct cs_text wrong = {0};
  for (size_t i = 0; i < cs_node_length(list); i++) {
    const struct cs_node *item = cs_node_at(list, i);
    int code = cs_json_want(json, item, CS_STRING, error);
    if (code != CS_OK) return code;
    const char *name = cs_node_string(item);
    size_t s = 0;
    while (s < subsystems && strcmp(masters->model->subsystem[s].name, name) != 0)
      s++;
    bool twice = false;
    for (size_t j = 0; j < i && s < subsystems; j++)
      twice = twice || order[j] == s;
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
  int code = order != NULL ? read_names(masters, json, node, order, error) : cs_error_memory(error);
  size_t at = 0;
  while (code == CS_OK && at < masters->sequences &&
         memcmp(masters->sequence[at], order, subsystems * sizeof *order) != 0)
    at++;
  *number = (double)at;
  if (code == CS_OK && at == masters->sequences) {
    size_t **list = at < MOST_MASTERS ? realloc(masters->sequence, (at + 1) * sizeof *list) : NULL;
    if (list != NULL) {
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

int cs_masters_read_user(struct cs_masters *masters, const struct cs_json *json, const struct cs_node *node,
                         double *number, struct cs_error *error) {
  static const char *const legal[] = {"kernel", "memory", "passes", NULL};
  static const char *const wanted[] = {"master_step", "master_exchange", "master_begin", NULL};
  static const char *const simple[] = {"master_step", "master_exchange", NULL}; /* without memory */
  const char *kernel = NULL;
  struct cs_user_master user = {0};
  int code = cs_json_check_keys(json, node, legal, error);
  if (code == CS_OK) code = cs_json_need_string(json, node, "kernel", &kernel, error);
  if (code == CS_OK) code = cs_user_fragment_count(json, node, "memory", 0, MOST_MEMORY, 0, &user.memory, error);
  if (code == CS_OK) code = cs_user_fragment_count(json, node, "passes", 1, MOST_PASSES, 1, &user.passes, error);
  if (code == CS_OK) {
    code = cs_user_fragment_read(json, cs_node_get(node, "kernel"), masters->sweep, user.memory > 0 ? wanted : simple,
                                 "docs/masters.md", &user.path, &user.text, error);
  }
  for (size_t i = 0; i < masters->users && code == CS_OK; i++) {
    const struct cs_user_master *other = &masters->user[i];
    if (strcmp(other->path, user.path) == 0 && other->memory == user.memory && other->passes == user.passes) {
      *number = (double)i;
      goto out;
    }
  }
  struct cs_user_master *list = code == CS_OK && masters->users < MOST_MASTERS
                                    ? realloc(masters->user, (masters->users + 1) * sizeof *list)
                                    : NULL;
  if (list != NULL) {
    masters->user = list;
    *number = (double)masters->users;
    masters->user[masters->users++] = user;
    return CS_OK;
  }
  if (code == CS_OK) code = cs_error_memory(error);
out:
  free(user.path);
  free(user.text);
  return code;
}
