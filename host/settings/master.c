#include "master.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"

int cs_masters_new(const struct cs_model *model, const char *sweep, struct cs_masters *masters,
                   struct cs_error *error) {
  enum { NAMED = CS_SEQUENCE_ALTERNATING + 1 };
  *masters = (struct cs_masters){.model = model, .sweep = sweep};
  masters->sequence = calloc(NAMED, sizeof *masters->sequence);
  if (masters->sequence == NULL) return cs_error_memory(error);
  for (masters->sequences = 0; masters->sequences < NAMED; masters->sequences++) {
    size_t *own = masters->sequence[masters->sequences] = malloc((model->subsystems + 1) * sizeof *own);
    if (own == NULL) return cs_error_memory(error);
    for (size_t s = 0; s < model->subsystems; s++)
      own[s] = s;
  }
  return CS_OK;
}

void cs_masters_free(struct cs_masters *masters) {
  for (size_t i = 0; i < masters->sequences; i++)
    free(masters->sequence[i]);
  free(masters->sequence);
  cs_user_fragment_free(&masters->user);
}

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
  for (size_t i = 0; i < cs_json_length(list); i++) {
    const struct cs_node *item = cs_json_at(list, i);
    int code = cs_json_want(json, item, CS_STRING, error);
    if (code != CS_OK) return code;
    const char *name = cs_json_string(item);
    size_t s = 0;
    while (s < subsystems && strcmp(masters->model->subsystem[s].name, name) != 0)
      s++;
    bool twice = false;
    for (size_t j = 0; j < i && s < subsystems; j++)
      twice = twice || order[j] == s;
    if (s == subsystems || twice) {
      cs_text_add(&wrong, twice ? "subsystem \"%s\" is listed twice" : "unknown subsystem \"%s\"", name);
      return fail_sequence(masters, json, item, &wrong, error);
    }
    order[i] = s;
  }
  if (cs_json_length(list) < subsystems) {
    cs_text_add(&wrong, "found %zu of %zu subsystems", cs_json_length(list), subsystems);
    return fail_sequence(masters, json, list, &wrong, error);
  }
  return CS_OK;
}

int cs_masters_read_sequence(struct cs_masters *masters, const struct cs_json *json, const struct cs_node *node,
                             double *number, struct cs_error *error) {
  const size_t subsystems = masters->model->subsystems;
  size_t *order = malloc((cs_json_length(node) + 1) * sizeof *order);
  int code = order != NULL ? read_names(masters, json, node, order, error) : cs_error_memory(error);
  size_t at = 0;
  while (code == CS_OK && at < masters->sequences &&
         (at == CS_SEQUENCE_ALTERNATING || memcmp(masters->sequence[at], order, subsystems * sizeof *order) != 0))
    at++;
  *number = (double)at;
  if (code == CS_OK && at == masters->sequences) {
    if (at < CS_MOST_LISTED && cs_list_grow(&masters->sequence, at, sizeof(size_t *))) {
      masters->sequence[masters->sequences++] = order;
      return CS_OK;
    }
    code = cs_error_memory(error);
  }
  free(order);
  return code;
}

int cs_masters_read_user(struct cs_masters *masters, const struct cs_json *json, const struct cs_node *node,
                         double *number, struct cs_error *error) {
  static const char *const wanted[] = {"master_step", "master_exchange", "master_begin", NULL};
  static const char *const simple[] = {"master_step", "master_exchange", NULL};
  static const struct cs_user_kind kind = {true, wanted, simple, "docs/masters.md"};
  return cs_user_fragment_read(&masters->user, &kind, masters->sweep, json, node, number, error);
}
