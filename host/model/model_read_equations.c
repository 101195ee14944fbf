/* Subsystems by equations: "f", an expression for every state's derivative, and "g", one for every output, over
 * parameters and the subsystem's own states and inputs. They become matrices when they are read, those of nonlinear
 * subsystems derivatives at an operating point. */
#include <stdlib.h>
#include <string.h>

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

/* Own states and inputs, after the parameters. A name of an equation means one thing. */
static int open_scope(const struct cs_reader *reader, const struct cs_node *node, const struct cs_subsystem *s,
                      struct scope *scope) {
  const size_t own = s->states + s->inputs;
  const size_t before = strlen(s->name) + 1;
  const char **name = calloc(reader->names + own + 1, sizeof *name);
  *scope = (struct scope){.subsystem = s, .parameters = reader->names, .reader = *reader};
  scope->reader.name = name;
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
  return CS_OK;
}

static const char *kind_of(const struct scope *scope, size_t name) {
  return name < scope->parameters                              ? "a parameter"
         : name < scope->parameters + scope->subsystem->states ? "a state"
                                                               : "an input";
}

/* Fails if the expression uses a name that stands for two things. */
static int check_names(const struct scope *scope, const struct cs_node *node) {
  const struct cs_reader *reader = &scope->reader;
  for (size_t i = 0; i < reader->names; i++)
    for (size_t k = i < scope->parameters ? scope->parameters : i + 1; k < reader->names; k++)
      if (strcmp(reader->name[i], reader->name[k]) == 0 && cs_expr_uses(scope->expr, i))
        return cs_json_fail(reader->json, node, reader->error, "\"%s\" is %s and %s; rename one", reader->name[i],
                            kind_of(scope, k), kind_of(scope, i));
  return CS_OK;
}

static int read_equation(struct scope *scope, const struct cs_node *node) {
  const struct cs_reader *reader = &scope->reader;
  static const char no_time[] = "unknown name \"t\"";
  cs_expr_free(scope->expr);
  scope->expr = NULL;
  const int code = cs_model_read_expr(reader, node, &scope->expr);
  const char *message = code == CS_INPUT ? strstr(reader->error->message, no_time) : NULL;
  if (message != NULL)
    return cs_json_fail(reader->json, node, reader->error,
                        "\"t\" is unknown, equations have no time; want a clock, a state whose f is 1");
  if (code != CS_OK) return code;
  const int clear = check_names(scope, node);
  if (clear == CS_OK) cs_expr_renumber(scope->expr, scope->number);
  return clear;
}

/* Why an expression cannot be differentiated, with its place. */
static int fail_reason(const struct scope *scope, const struct cs_node *node, int code, const struct cs_error *reason) {
  const struct cs_reader *reader = &scope->reader;
  return code == CS_INPUT ? cs_json_fail(reader->json, node, reader->error, "%s", reason->message)
                          : cs_error_memory(reader->error);
}

/* The coefficient of one state or input. */
static int add_coefficient(struct scope *scope, const struct side *side, size_t row, size_t own,
                           const struct cs_node *node) {
  const struct cs_reader *reader = &scope->reader;
  const struct cs_subsystem *s = scope->subsystem;
  const bool state = own < s->states;
  struct cs_expr *derivative;
  struct cs_error reason;
  const int code = cs_expr_derivative(scope->expr, scope->number[scope->parameters + own], &derivative, &reason);
  if (code != CS_OK) return fail_reason(scope, node, code, &reason);
  scope->nonlinear = scope->nonlinear || cs_expr_uses_from(derivative, scope->parameters);
  return cs_model_read_add(reader, state ? side->states : side->inputs, row,
                           state ? s->first_state + own : s->first_input + own - s->states, derivative, node);
}

/* Adds the coefficients of an equation, and keeps it until it is known whether all of the subsystem are linear. */
static int add_equation(struct scope *scope, const struct side *side, size_t row, const struct cs_node *node) {
  struct cs_model *model = scope->reader.model;
  int code = read_equation(scope, node);
  for (size_t i = 0; i < scope->subsystem->states + scope->subsystem->inputs && code == CS_OK; i++)
    if (cs_expr_uses(scope->expr, scope->number[scope->parameters + i]))
      code = add_coefficient(scope, side, row, i, node);
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
    struct cs_expr *constant;
    struct cs_error reason;
    if (code == CS_OK) {
      code = cs_expr_constant(equation->expr, scope->parameters, &constant, &reason);
      code = code != CS_OK ? fail_reason(scope, equation->node, code, &reason)
                           : cs_model_read_add(&scope->reader, equation->output ? CS_F : CS_E, equation->row, 0,
                                               constant, equation->node);
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
  free(scope.reader.name);
  return code;
}

/* ---- what nonlinear models may have */

static int fail_member(const struct cs_reader *reader, const struct cs_node *root, const char *key, const char *name) {
  return cs_json_fail_key(reader->json, cs_json_get(root, key), reader->error,
                          "%s together with equations that are not linear, those of %s; want a linear model with them",
                          key, name);
}

/* Number of outputs that output follow each other directly in the longest way to each; more than there are: a loop. */
static int check_loops(const struct cs_reader *reader, const struct cs_node *root) {
  const struct cs_model *m = reader->model;
  const struct cs_entries *d = &m->matrix[CS_D], *l = &m->matrix[CS_L];
  size_t *length = calloc(m->outputs + 1, sizeof *length);
  if (length == NULL) return cs_error_memory(reader->error);
  size_t found = m->outputs;
  for (size_t pass = 0; pass <= m->outputs && found == m->outputs; pass++)
    for (size_t i = 0; i < d->count; i++)
      for (size_t k = 0; k < l->count; k++) {
        const struct cs_entry *here = &d->entry[i], *link = &l->entry[k];
        if (link->row != here->column || length[here->row] > length[link->column]) continue;
        length[here->row] = length[link->column] + 1;
        if (length[here->row] > m->outputs) found = here->row;
      }
  free(length);
  return found == m->outputs
             ? CS_OK
             : cs_json_fail(reader->json, cs_json_get(root, "connections"), reader->error,
                            "a loop of direct feed-through by way of %s in a nonlinear model; want a state in it",
                            m->output[found].name);
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
