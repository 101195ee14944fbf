/* Subsystems by equations: "f", an expression for every state's derivative, and "g", one for every output, over
 * parameters and the subsystem's own states and inputs. They become matrices when they are read. */
#include <stdlib.h>
#include <string.h>

#include "model_read.h"

/* The names in equations: parameters, then states, then inputs of the subsystem. */
struct scope {
  const struct cs_subsystem *subsystem;
  size_t parameters;
  struct cs_reader reader; /* for expressions over these names */
  struct cs_expr *expr;    /* the one at hand */
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
  if (name == NULL) return cs_error_memory(reader->error);
  memcpy(name, reader->name, reader->names * sizeof *name);
  for (size_t i = 0; i < own; i++) {
    const bool state = i < s->states;
    const size_t index = state ? i : i - s->states;
    const struct cs_signal *signal =
        state ? &reader->model->state[s->first_state + index] : &reader->model->input[s->first_input + index];
    name[reader->names + i] = signal->name + before;
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
  return code != CS_OK ? code : check_names(scope, node);
}

/* Why an expression cannot be differentiated, with its place. */
static int fail_reason(const struct scope *scope, const struct cs_node *node, int code, const struct cs_error *reason) {
  const struct cs_reader *reader = &scope->reader;
  return code == CS_INPUT ? cs_json_fail(reader->json, node, reader->error, "%s", reason->message)
                          : cs_error_memory(reader->error);
}

/* The coefficient of one state or input. */
static int add_coefficient(const struct scope *scope, const struct side *side, size_t row, size_t own,
                           const struct cs_node *node) {
  const struct cs_reader *reader = &scope->reader;
  const struct cs_subsystem *s = scope->subsystem;
  const bool state = own < s->states;
  struct cs_expr *derivative;
  struct cs_error reason;
  const int code = cs_expr_derivative(scope->expr, scope->parameters + own, &derivative, &reason);
  if (code != CS_OK) return fail_reason(scope, node, code, &reason);
  if (cs_expr_uses_from(derivative, scope->parameters)) {
    cs_expr_free(derivative);
    return cs_json_fail(reader->json, node, reader->error, "not linear in %s \"%s\"; want a linear expression",
                        state ? "the state" : "the input", reader->name[scope->parameters + own]);
  }
  return cs_model_read_add(reader, state ? side->states : side->inputs, row,
                           state ? s->first_state + own : s->first_input + own - s->states, derivative, node);
}

static int add_equation(struct scope *scope, const struct side *side, size_t row, const struct cs_node *node) {
  struct cs_expr *constant;
  struct cs_error reason;
  int code = read_equation(scope, node);
  for (size_t i = 0; i < scope->subsystem->states + scope->subsystem->inputs && code == CS_OK; i++)
    if (cs_expr_uses(scope->expr, scope->parameters + i)) code = add_coefficient(scope, side, row, i, node);
  if (code != CS_OK) return code;
  code = cs_expr_constant(scope->expr, scope->parameters, &constant, &reason);
  return code != CS_OK ? fail_reason(scope, node, code, &reason)
                       : cs_model_read_add(&scope->reader, side->constant, row, 0, constant, node);
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
  struct scope scope = {0};
  int code = check_alone(reader, node);
  if (code == CS_OK) code = open_scope(reader, node, s, &scope);
  if (code == CS_OK) {
    code = read_side(&scope, node, &sides[0]);
    if (cs_json_goes_on(reader->json, code))
      code = cs_json_also(reader->json, code, read_side(&scope, node, &sides[1]), reader->error);
  }
  cs_expr_free(scope.expr);
  free(scope.reader.name);
  return code;
}
