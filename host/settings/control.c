#include "control.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "near.h"

int cs_controls_new(const struct cs_model *model, const char *sweep, struct cs_controls *controls,
                    struct cs_error *error) {
  *controls = (struct cs_controls){.model = model, .sweep = sweep, .lists = 1, .cycles = 1};
  controls->list = calloc(1, sizeof *controls->list);
  controls->cycle = calloc(1, sizeof *controls->cycle);
  if (controls->list != NULL && controls->cycle != NULL) return CS_OK;
  controls->lists = 0;
  return cs_error_memory(error);
}

void cs_controls_free(struct cs_controls *controls) {
  for (size_t i = 0; i < controls->lists; i++)
    free(controls->list[i].bond);
  free(controls->list);
  free(controls->cycle);
  cs_user_fragment_free(&controls->user);
}

/* Index of the signal that `node` names, among `count`. */
static int read_signal(const struct cs_json *json, const struct cs_node *node, const char *noun,
                       const struct cs_signal *signal, size_t count, size_t *index, struct cs_error *error) {
  int code = cs_json_want(json, node, CS_STRING, error);
  for (*index = 0; code == CS_OK && *index < count; (*index)++)
    if (strcmp(signal[*index].name, cs_json_string(node)) == 0) return CS_OK;
  if (code != CS_OK) return code;
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "unknown %s \"%s\"; want %s", noun, cs_json_string(node),
              count ? "one of: " : "none: there are none");
  for (size_t i = 0; i < count; i++)
    cs_text_add(&wrong, "%s%s", i ? ", " : "", signal[i].name);
  cs_near_suggest(&wrong, cs_json_string(node));
  return cs_json_fail_text(json, node, false, &wrong, error);
}

int cs_controls_read_signal(const struct cs_controls *controls, const struct cs_json *json, const struct cs_node *node,
                            double *number, struct cs_error *error) {
  size_t output = 0;
  int code = read_signal(json, node, "output", controls->model->output, controls->model->outputs, &output, error);
  *number = (double)output;
  return code;
}

/* One side of a bond, [input, output]. */
static int read_side(const struct cs_model *model, const struct cs_json *json, const struct cs_node *object,
                     const char *key, struct cs_bond *bond, size_t side, struct cs_error *error) {
  const struct cs_node *pair = NULL;
  int code = cs_json_need_list(json, object, key, &pair, error);
  if (code == CS_OK && cs_json_length(pair) != 2)
    code = cs_json_fail(json, pair, error, "found %zu items; want two, [input, output]", cs_json_length(pair));
  if (code == CS_OK)
    code = read_signal(json, cs_json_at(pair, 0), "input", model->input, model->inputs, &bond->input[side], error);
  if (code == CS_OK)
    code = read_signal(json, cs_json_at(pair, 1), "output", model->output, model->outputs, &bond->output[side], error);
  return code;
}

static int read_bond(const struct cs_model *model, const struct cs_json *json, const struct cs_node *node,
                     struct cs_bond *bond, struct cs_error *error) {
  static const char *const legal[] = {"a", "b", "sign", NULL};
  const struct cs_node *sign = NULL;
  int code = cs_json_check_keys(json, node, legal, error);
  if (code == CS_OK) code = read_side(model, json, node, "a", bond, 0, error);
  if (code == CS_OK) code = read_side(model, json, node, "b", bond, 1, error);
  sign = code != CS_OK ? NULL : cs_json_get(node, "sign");
  bond->sign = -1;
  if (sign != NULL) {
    code = cs_json_want(json, sign, CS_NUMBER, error);
    bond->sign = code != CS_OK ? 0 : cs_json_number(sign);
  }
  if (code == CS_OK && bond->sign != 1 && bond->sign != -1)
    code = cs_json_fail(json, sign, error, "found %g; want 1 or -1", bond->sign);
  return code;
}

static bool bonds_are_equal(const struct cs_bond_list *a, const struct cs_bond_list *b) {
  bool equal = a->bonds == b->bonds;
  for (size_t i = 0; i < a->bonds && equal; i++) {
    const struct cs_bond *x = &a->bond[i], *y = &b->bond[i];
    equal = x->input[0] == y->input[0] && x->input[1] == y->input[1] && x->output[0] == y->output[0] &&
            x->output[1] == y->output[1] && x->sign == y->sign;
  }
  return equal;
}

/* Adds `read` unless an equal list exists; takes ownership of it. */
static int keep_bonds(struct cs_controls *controls, struct cs_bond_list *read, double *number, struct cs_error *error) {
  size_t at = 1;
  while (at < controls->lists && !bonds_are_equal(&controls->list[at], read))
    at++;
  *number = (double)at;
  if (at < controls->lists) {
    free(read->bond);
    return CS_OK;
  }
  if (at == CS_MOST_LISTED || !cs_list_grow(&controls->list, at, sizeof *controls->list)) {
    free(read->bond);
    return cs_error_memory(error);
  }
  controls->list[controls->lists++] = *read;
  return CS_OK;
}

int cs_controls_read_bonds(struct cs_controls *controls, const struct cs_json *json, const struct cs_node *node,
                           double *number, struct cs_error *error) {
  if (cs_json_length(node) == 0)
    return cs_json_fail(json, node, error, "found an empty list; want at least one power bond");
  struct cs_bond_list read = {.bonds = cs_json_length(node), .bond = calloc(cs_json_length(node), sizeof *read.bond)};
  int code = read.bond != NULL ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; i < read.bonds && code == CS_OK; i++)
    code = read_bond(controls->model, json, cs_json_at(node, i), &read.bond[i], error);
  if (code != CS_OK) {
    free(read.bond);
    return code;
  }
  return keep_bonds(controls, &read, number, error);
}

int cs_controls_read_ratios(struct cs_controls *controls, const struct cs_json *json, const struct cs_node *node,
                            double *number, struct cs_error *error) {
  struct cs_ratio_list read = {.ratios = cs_json_length(node)};
  int code = CS_OK;
  if (read.ratios == 0 || read.ratios > CS_MOST_RATIOS)
    return cs_json_fail(json, node, error, "found %zu ratios; want 1 to %d", read.ratios, CS_MOST_RATIOS);
  for (size_t i = 0; i < read.ratios && code == CS_OK; i++) {
    const struct cs_node *item = cs_json_at(node, i);
    code = cs_json_want(json, item, CS_NUMBER, error);
    if (code == CS_OK) read.ratio[i] = cs_json_number(item);
    if (code == CS_OK && !(read.ratio[i] > 0.0))
      code = cs_json_fail(json, item, error, "found %g; want a number > 0", read.ratio[i]);
  }
  if (code != CS_OK) return code;
  size_t at = 1;
  while (at < controls->cycles && memcmp(&controls->cycle[at], &read, sizeof read) != 0)
    at++;
  *number = (double)at;
  if (at < controls->cycles) return CS_OK;
  if (at == CS_MOST_LISTED || !cs_list_grow(&controls->cycle, at, sizeof *controls->cycle))
    return cs_error_memory(error);
  controls->cycle[controls->cycles++] = read;
  return CS_OK;
}

size_t cs_controls_bonds(const struct cs_controls *controls) {
  size_t most = 0;
  for (size_t i = 0; i < controls->lists; i++)
    most = controls->list[i].bonds > most ? controls->list[i].bonds : most;
  return most;
}

static bool joins_the_same(const struct cs_bond *a, const struct cs_bond *b) {
  return a->input[0] == b->input[0] && a->input[1] == b->input[1];
}

void cs_controls_name_bond(const struct cs_controls *controls, size_t bond, struct cs_text *text) {
  const struct cs_bond *named = NULL;
  bool clear = true;
  for (size_t i = 0; i < controls->lists; i++) {
    const struct cs_bond_list *list = &controls->list[i];
    named = named == NULL && bond < list->bonds ? &list->bond[bond] : named;
  }
  for (size_t i = 0; i < controls->lists; i++)
    for (size_t k = 0; k < controls->list[i].bonds; k++)
      clear = clear && joins_the_same(&controls->list[i].bond[k], named) == (k == bond);
  if (clear) {
    cs_text_add(text, "%s | %s", controls->model->input[named->input[0]].name,
                controls->model->input[named->input[1]].name);
  } else {
    cs_text_add(text, "bond%zu", bond);
  }
}

int cs_controls_read_user(struct cs_controls *controls, const struct cs_json *json, const struct cs_node *node,
                          double *number, struct cs_error *error) {
  static const char *const wanted[] = {"control_begin", "control_step", NULL};
  static const struct cs_user_kind kind = {false, wanted, wanted, "docs/controllers.md"};
  return cs_user_fragment_read(&controls->user, &kind, controls->sweep, json, node, number, error);
}
