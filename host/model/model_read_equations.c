/* Subsystems by equations: "f", an expression for every state's derivative, and "g", one for every output, over
 * parameters and the subsystem's own states and inputs. They become matrices when they are read, those of nonlinear
 * subsystems derivatives at an operating point. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "component.h"
#include "list.h"
#include "model_read.h"

/* The names in equations: parameters, then states, then inputs of the subsystem. */
struct scope {
  const struct cs_subsystem *subsystem;
  size_t parameters;
  struct cs_reader reader; /* for expressions over these names */
  size_t *number;          /* of each name among the values of the model */
  struct cs_expr *expr;    /* the one at hand */
  bool nonlinear;          /* one of them so far */
  size_t twins;            /* pairs of equal names */
  struct twin {
    size_t one, other; /* one < other */
  } * twin;            /* [twins] */
};

/* The expressions under one key: rows of x' = A x + B u + e or of y = C x + D u + f. */
struct side {
  const char *key, *per;
  size_t count, first;
  enum cs_matrix states, inputs, constant;
};

bool cs_model_read_is_by_equations(const struct cs_node *subsystem) {
  const struct cs_node *states = cs_json_get(subsystem, "states");
  return cs_json_get(subsystem, "g") != NULL ||
         (cs_json_get(subsystem, "f") != NULL && cs_json_get(subsystem, "A") == NULL &&
          cs_json_get(subsystem, "modes") == NULL && states != NULL && cs_json_length(states) > 0);
}

/* What "f" and "g" stand in place of. */
static int check_alone(const struct cs_reader *reader, const struct cs_node *node) {
  static const char *const keys[] = {"A", "B", "C", "D", "e", "modes"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (cs_json_get(node, keys[i]) != NULL)
      return cs_json_fail_key(reader->json, cs_json_get(node, keys[i]), reader->error,
                              "\"%s\" together with equations; want either matrices, \"A\" to \"f\", or equations, "
                              "\"f\" and \"g\"",
                              keys[i]);
  return CS_OK;
}

static const char *kind_of(const struct scope *scope, size_t name) {
  return name < scope->parameters                              ? "a parameter"
         : name < scope->parameters + scope->subsystem->states ? "a state"
                                                               : "an input";
}

/* A name of parameters is only one parameter. */
static int find_twins(struct scope *scope) {
  const struct cs_reader *reader = &scope->reader;
  for (size_t i = 0; i < reader->names; i++)
    for (size_t k = i < scope->parameters ? scope->parameters : i + 1; k < reader->names; k++) {
      if (strcmp(reader->name[i], reader->name[k]) != 0) continue;
      if (!cs_list_grow(&scope->twin, scope->twins, sizeof *scope->twin)) return cs_error_memory(reader->error);
      scope->twin[scope->twins++] = (struct twin){i, k};
    }
  return CS_OK;
}

/* Own states and inputs, after the parameters. A name of an equation means one thing. */
static int open_scope(const struct cs_reader *reader, const struct cs_node *node, const struct cs_subsystem *s,
                      struct scope *scope) {
  const size_t own = s->states + s->inputs;
  const size_t before = strlen(s->name) + 1;
  const char **name = calloc(reader->names + own + 1, sizeof *name);
  *scope = (struct scope){.subsystem = s, .parameters = reader->names, .reader = *reader};
  scope->reader.name = name;
  scope->reader.timeless = true;
  scope->number = calloc(reader->names + own + 1, sizeof *scope->number);
  if (name == NULL || scope->number == NULL) return cs_error_memory(reader->error);
  for (size_t i = 0; i < reader->names; i++) {
    name[i] = reader->name[i];
    scope->number[i] = i;
  }
  for (size_t i = 0; i < own; i++) {
    const bool state = i < s->states;
    const size_t index = state ? i : i - s->states;
    const struct cs_signal *signal =
        state ? &reader->model->state[s->first_state + index] : &reader->model->input[s->first_input + index];
    name[reader->names + i] = signal->name + before;
    scope->number[reader->names + i] =
        reader->names + (state ? s->first_state : reader->model->states + s->first_input) + index;
    if (cs_expr_is_reserved(signal->name + before))
      return cs_json_fail(reader->json, cs_json_at(cs_json_get(node, state ? "states" : "inputs"), index),
                          reader->error, "\"%s\" is reserved in expressions; want another name", signal->name + before);
  }
  scope->reader.names = reader->names + own;
  return find_twins(scope);
}

/* Fails if the expression uses a name that stands for two things. */
static int check_names(const struct scope *scope, const struct cs_node *node) {
  const struct cs_reader *reader = &scope->reader;
  for (size_t i = 0; i < scope->twins; i++)
    if (cs_expr_uses(scope->expr, scope->twin[i].one))
      return cs_json_fail(reader->json, node, reader->error, "\"%s\" is %s and %s; rename one",
                          reader->name[scope->twin[i].one], kind_of(scope, scope->twin[i].other),
                          kind_of(scope, scope->twin[i].one));
  return CS_OK;
}

static int read_equation(struct scope *scope, const struct cs_node *node) {
  cs_expr_free(scope->expr);
  scope->expr = NULL;
  int code = cs_model_read_expr(&scope->reader, node, &scope->expr);
  if (code == CS_OK) code = check_names(scope, node);
  if (code == CS_OK) cs_expr_renumber(scope->expr, scope->number);
  return code;
}

/* Why an expression cannot be differentiated, with its place. */
static int fail_reason(const struct scope *scope, const struct cs_node *node, int code, const struct cs_error *reason) {
  const struct cs_reader *reader = &scope->reader;
  return code == CS_INPUT ? cs_json_fail(reader->json, node, reader->error, "%s", reason->message)
                          : cs_error_memory(reader->error);
}

/* The coefficient of a state or an input, by its number among the values of the model. */
static int add_coefficient(struct scope *scope, const struct side *side, size_t row, size_t value,
                           struct cs_derivation *derivation, const struct cs_node *node) {
  const struct cs_reader *reader = &scope->reader;
  const size_t signal = value - scope->parameters;
  const bool state = signal < reader->model->states;
  struct cs_expr *derivative;
  struct cs_error reason;
  const int code = cs_expr_derivative(derivation, value, &derivative, &reason);
  if (code != CS_OK) return fail_reason(scope, node, code, &reason);
  scope->nonlinear = scope->nonlinear || cs_expr_uses_from(derivative, scope->parameters);
  return cs_model_read_add(reader, state ? side->states : side->inputs, row,
                           state ? signal : signal - reader->model->states, derivative, node);
}

static int add_coefficients(struct scope *scope, const struct side *side, size_t row, const struct cs_node *node) {
  struct cs_derivation *derivation;
  struct cs_error reason;
  int code = cs_expr_open_derivation(scope->expr, scope->parameters, SIZE_MAX, &derivation, &reason);
  if (code != CS_OK) code = fail_reason(scope, node, code, &reason);
  for (size_t v = scope->parameters; code == CS_OK && (v = cs_expr_next_variable(derivation, v)) != SIZE_MAX; v++)
    code = add_coefficient(scope, side, row, v, derivation, node);
  cs_expr_close_derivation(derivation);
  return code;
}

/* Adds the coefficients of an equation, and keeps it until it is known whether all of the subsystem are linear. */
static int add_equation(struct scope *scope, const struct side *side, size_t row, const struct cs_node *node) {
  struct cs_model *model = scope->reader.model;
  int code = read_equation(scope, node);
  if (code == CS_OK) code = add_coefficients(scope, side, row, node);
  if (code != CS_OK) return code;
  if (!cs_list_grow(&model->equation, model->equations, sizeof *model->equation))
    return cs_error_memory(scope->reader.error);
  model->equation[model->equations++] =
      (struct cs_equation){.output = side->constant == CS_F, .row = row, .expr = scope->expr, .node = node};
  scope->expr = NULL;
  return CS_OK;
}

/* The equations from number `first` on become constants beside the coefficients, unless something was wrong. */
static int add_constants(const struct scope *scope, size_t first, int code) {
  struct cs_model *model = scope->reader.model;
  for (size_t i = first; i < model->equations; i++) {
    const struct cs_equation *equation = &model->equation[i];
    struct cs_derivation *derivation = NULL;
    struct cs_expr *constant;
    struct cs_error reason;
    if (code == CS_OK) {
      code = cs_expr_open_derivation(equation->expr, scope->parameters, SIZE_MAX, &derivation, &reason);
      if (code == CS_OK) code = cs_expr_constant(derivation, &constant, &reason);
      code = code != CS_OK ? fail_reason(scope, equation->node, code, &reason)
                           : cs_model_read_add(&scope->reader, equation->output ? CS_F : CS_E, equation->row, 0,
                                               constant, equation->node);
      cs_expr_close_derivation(derivation);
    }
    cs_expr_free(equation->expr);
  }
  model->equations = first;
  return code;
}

static int read_side(struct scope *scope, const struct cs_node *node, const struct side *side) {
  const struct cs_reader *reader = &scope->reader;
  const struct cs_node *list = cs_json_get(node, side->key);
  if (list == NULL && side->count == 0) return CS_OK;
  if (list == NULL)
    return cs_json_fail(reader->json, node, reader->error,
                        "missing key \"%s\"; want a list of %zu expressions, one per %s", side->key, side->count,
                        side->per);
  int code = cs_model_read_length(reader, list, side->count, "expressions", side->per);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < side->count && cs_json_goes_on(reader->json, code); i++)
    code = cs_json_also(reader->json, code, add_equation(scope, side, side->first + i, cs_json_at(list, i)),
                        reader->error);
  return code;
}

int cs_model_read_equations(const struct cs_reader *reader, const struct cs_node *node, const struct cs_subsystem *s) {
  const struct side sides[] = {{"f", "state", s->states, s->first_state, CS_A, CS_B, CS_E},
                               {"g", "output", s->outputs, s->first_output, CS_C, CS_D, CS_F}};
  const size_t first = reader->model->equations;
  struct scope scope = {.reader = *reader};
  scope.reader.name = NULL; /* not its own */
  int code = check_alone(reader, node);
  if (code == CS_OK) code = open_scope(reader, node, s, &scope);
  if (code == CS_OK) {
    code = read_side(&scope, node, &sides[0]);
    if (cs_json_goes_on(reader->json, code))
      code = cs_json_also(reader->json, code, read_side(&scope, node, &sides[1]), reader->error);
  }
  reader->model->subsystem[s - reader->model->subsystem].nonlinear = code == CS_OK && scope.nonlinear;
  if (code != CS_OK || !scope.nonlinear) code = add_constants(&scope, first, code);
  cs_expr_free(scope.expr);
  free(scope.number);
  free(scope.twin);
  free(scope.reader.name);
  return code;
}

/* ---- what nonlinear models may have */

static int fail_member(const struct cs_reader *reader, const struct cs_node *root, const char *key, const char *name) {
  return cs_json_fail_key(reader->json, cs_json_get(root, key), reader->error,
                          "%s together with equations that are not linear, those of %s; want a linear model with them",
                          key, name);
}

/* Outputs that depend directly on themselves, by way of others. */
static int check_loops(const struct cs_reader *reader, const struct cs_node *root) {
  const struct cs_model *m = reader->model;
  const struct cs_entries *d = &m->matrix[CS_D], *l = &m->matrix[CS_L];
  double *direct = calloc(m->outputs * m->outputs + 1, sizeof *direct);
  struct cs_component *component = NULL;
  int code = direct == NULL ? cs_error_memory(reader->error) : cs_component_new(m->outputs, &component, reader->error);
  for (size_t i = 0; i < d->count && code == CS_OK; i++)
    for (size_t k = 0; k < l->count; k++)
      if (l->entry[k].row == d->entry[i].column) direct[d->entry[i].row * m->outputs + l->entry[k].column] = 1.0;
  if (code == CS_OK) cs_component_find(component, m->outputs, direct);
  for (size_t k = 0; code == CS_OK && k < component->count; k++)
    if (cs_component_is_loop(component, k, direct))
      code = cs_json_fail(reader->json, cs_json_get(root, "connections"), reader->error,
                          "a loop of direct feed-through by way of %s in a nonlinear model; want a state in it",
                          m->output[component->row[component->first[k]]].name);
  cs_component_free(component);
  free(direct);
  return code;
}

int cs_model_read_nonlinear(const struct cs_reader *reader, const struct cs_node *root) {
  struct cs_model *model = reader->model;
  model->values = model->parameters + (model->equations > 0 ? model->states + model->inputs : 0);
  if (model->equations == 0) return CS_OK;
  size_t s = 0;
  while (!model->subsystem[s].nonlinear)
    s++;
  if (model->events > 0) return fail_member(reader, root, "events", model->subsystem[s].name);
  if (model->modes > 0)
    return fail_member(reader, cs_json_at(cs_json_get(root, "subsystems"), model->mode[0].subsystem), "modes",
                       model->subsystem[s].name);
  return check_loops(reader, root);
}
