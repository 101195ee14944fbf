#include "theory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "metric.h"
#include "model.h"

struct cs_theory {
  const struct cs_runs *runs;
  struct cs_model *model; /* NULL if this version cannot read it */
  size_t *integrations;   /* [states] from the subsystem's inputs to each state; NONE: no input reaches it */
};

enum { NONE = 1000 }; /* more than any chain of states in a model */

/* ---- the model of the file */

/* Shortest chains of integrators: 1 for states driven by inputs, one more for states driven by those, and so on. */
static void count_integrations(struct cs_theory *t) {
  const struct cs_entries *a = &t->model->matrix[CS_A], *b = &t->model->matrix[CS_B];
  for (size_t i = 0; i < t->model->states; i++)
    t->integrations[i] = NONE;
  for (size_t i = 0; i < b->count; i++)
    t->integrations[b->entry[i].row] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < a->count; i++) {
      const size_t through = t->integrations[a->entry[i].column] + 1;
      if (through >= t->integrations[a->entry[i].row]) continue;
      t->integrations[a->entry[i].row] = through;
      changed = true;
    }
  }
}

static int read_model(const struct cs_table *table, struct cs_model **model, struct cs_error *error) {
  const struct cs_note *note = cs_table_find_note(table, "model");
  struct cs_json *json = NULL;
  if (note == NULL || note->type != CS_TEXT || note->count == 0)
    return cs_error_set(error, CS_IO, "no text \"model\" in provenance; want a result of cosweep");
  const int parsed = cs_json_parse("provenance/model", note->text[0], strlen(note->text[0]), &json, error);
  if (parsed != CS_OK) return parsed == CS_INPUT ? CS_IO : parsed;
  const int code = cs_model_read(json, model, error);
  return code == CS_INPUT ? CS_OK : code;
}

int cs_theory_open(const struct cs_runs *runs, struct cs_theory **theory, struct cs_error *error) {
  struct cs_theory *t = *theory = calloc(1, sizeof *t);
  if (t == NULL) return cs_error_memory(error);
  t->runs = runs;
  int code = cs_runs_check(runs, error);
  if (code == CS_OK) code = read_model(runs->table, &t->model, error);
  if (code != CS_OK || t->model == NULL) return code;
  t->integrations = calloc(t->model->states + 1, sizeof *t->integrations);
  if (t->integrations == NULL) return cs_error_memory(error);
  count_integrations(t);
  return CS_OK;
}

void cs_theory_free(struct cs_theory *theory) {
  if (theory == NULL) return;
  cs_model_free(theory->model);
  free(theory->integrations);
  free(theory);
}

/* ---- settings of a run */

/* The fixed settings of the sweep; NULL if it has none. */
static const struct cs_node *method_of(const struct cs_theory *t) {
  return cs_json_get(cs_json_root(t->runs->sweep), "method");
}

static struct cs_runs_value setting(const struct cs_theory *t, size_t run, const char *key) {
  char path[64] = "method.";
  strncat(path, key, sizeof path - sizeof "method.");
  return cs_runs_value(t->runs, run, path);
}

static bool says(struct cs_runs_value value, const char *word) {
  return value.word != NULL && strcmp(value.word, word) == 0;
}

/* Whether a path of an axis, or a key of a subsystem, is that of a rate, which does not change orders. */
static bool is_rate(const char *path) {
  const char *dot = strrchr(path, '.');
  return strcmp(dot != NULL ? dot + 1 : path, "rate") == 0;
}

/* Whether some subsystem has its own settings, but for rates, for which there are no rules. */
static bool subsystems_differ(const struct cs_theory *t) {
  const struct cs_node *method = method_of(t);
  const struct cs_node *own = method != NULL ? cs_json_get(method, "subsystems") : NULL;
  for (size_t i = 0; own != NULL && i < cs_json_length(own); i++)
    for (size_t j = 0; j < cs_json_length(cs_json_at(own, i)); j++)
      if (!is_rate(cs_json_key(cs_json_at(cs_json_at(own, i), j)))) return true;
  for (size_t i = 0; i < t->runs->status->dimensions; i++) {
    const struct cs_runs_dimension *about = cs_runs_about(t->runs, i);
    const char *path;
    if (strstr(about->paths, "method.subsystems.") == NULL) continue;
    for (size_t p = 0; (path = cs_runs_path(about->axis, p)) != NULL; p++)
      if (strncmp(path, "method.subsystems.", sizeof "method.subsystems." - 1) == 0 && !is_rate(path)) return true;
  }
  return false;
}

/* ---- the rules */

struct settings {
  const struct cs_theory *theory;
  bool taylor, lagrange; /* hold; lagrange: or hermite; if neither, backward_difference */
  bool hermite;
  bool jacobi, repeated;           /* repeated: with iterations; jacobi: without */
  bool solved, consistent, ramped; /* feedthrough, start */
  bool exact, euler;               /* euler: one micro step */
  double m, n, held;               /* orders of input and output, degree of what inputs hold */
  double solver;                   /* order of the solver */
};

static double solver_order(struct cs_runs_value solver) {
  static const struct {
    const char *name;
    double order;
  } list[] = {{"exact", INFINITY}, {"euler", 1}, {"heun", 2}, {"rk4", 4}, {"implicit_euler", 1}, {"trapezoidal", 2}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (says(solver, list[i].name)) return list[i].order;
  return NAN;
}

/* False if no rules are known for these runs. */
static bool read_settings(const struct cs_theory *t, size_t run, struct settings *s) {
  const struct cs_runs_value hold = setting(t, run, "hold"), master = setting(t, run, "master");
  const struct cs_runs_value start = setting(t, run, "start"), solver = setting(t, run, "solver");
  const struct cs_runs_value feedthrough = setting(t, run, "feedthrough"), micro = setting(t, run, "micro_steps");
  const struct cs_runs_value repeated = setting(t, run, "iterations");
  const double iterations = says(repeated, "converged") ? 1 : repeated.number;
  *s = (struct settings){.theory = t,
                         .taylor = says(hold, "taylor"),
                         .lagrange = says(hold, "lagrange") || says(hold, "hermite"),
                         .hermite = says(hold, "hermite"),
                         .jacobi = says(master, "jacobi") && iterations == 0,
                         .repeated = iterations > 0,
                         .solved = says(feedthrough, "solved"),
                         .consistent = says(start, "consistent"),
                         .ramped = says(start, "ramp"),
                         .exact = says(solver, "exact"),
                         .euler = says(solver, "euler") && (says(micro, "auto") || micro.number == 1),
                         .m = setting(t, run, "input_order").number,
                         .n = setting(t, run, "output_order").number,
                         .solver = solver_order(solver)};
  s->held = s->taylor ? fmin(s->m, s->n) : s->m;
  const bool known = s->taylor || s->lagrange || says(hold, "backward_difference");
  return (says(master, "jacobi") || says(master, "gauss_seidel")) && iterations >= 0 && known && start.word != NULL &&
         feedthrough.word != NULL && !isnan(s->m) && !isnan(s->n);
}

static bool has_feedthrough(const struct cs_theory *t, size_t output) {
  const struct cs_entries *d = &t->model->matrix[CS_D];
  for (size_t i = 0; i < d->count; i++)
    if (d->entry[i].row == output) return true;
  return false;
}

/* The error of held inputs is of this order in H. Backward differences extrapolate consistently to first order only. */
static double held_order(const struct settings *s) {
  return s->taylor || s->lagrange ? s->held + 1 : fmin(s->held + 1, 2);
}

/* The order of states where steps begin without derivatives or history: a first step that holds inputs has an error of
 * O(H) in them for a time H; one that is repeated draws a straight line to their new values, in error by O(H^2). */
static double beginning_order(const struct settings *s) {
  return s->repeated ? 3 : 2;
}

/* What a first step of degree 0 does to states, it does as O(H^1.5) to the RMS of signals with feed-through of held
 * inputs. */
static double error_order(const struct settings *s, int metric, size_t signal) {
  const enum cs_over over = cs_metric_table[metric].over;
  const bool state = over == CS_OVER_STATE, maximum = cs_metric_table[metric].reduction == CS_LARGEST;
  const bool final = cs_metric_table[metric].reduction == CS_FINAL;
  const bool passed_on = over == CS_OVER_INPUT || (over == CS_OVER_OUTPUT && has_feedthrough(s->theory, signal));
  if (isnan(s->solver) || (!state && !s->taylor && s->m != s->n)) return NAN;
  const double order = fmin(held_order(s), s->solver);
  if (s->consistent) return order;
  if (s->hermite) return NAN;
  if (state || order <= 1) return fmin(order, beginning_order(s));
  if (s->repeated || maximum || !s->taylor || (passed_on && s->solved)) return NAN;
  return fmin(order, passed_on && !final ? 1.5 : 2);
}

static double connection_defect_order(const struct settings *s) {
  if (!s->jacobi) return NAN;
  if (!s->taylor && (s->m != s->n || !s->exact || !s->consistent)) return NAN;
  if (!s->exact && !s->euler) return NAN;
  const double order = s->euler ? fmin(held_order(s), 2) : held_order(s);
  return s->consistent ? order : fmin(order, 1.5);
}

/* Solved samples have derivatives that the held inputs lack: with m < n the defect is larger. */
static double output_defect_order(const struct settings *s, bool sampled) {
  if (!s->jacobi || (!s->consistent && (s->ramped || !s->taylor)) || (s->solved && s->m < s->n)) return NAN;
  if (!s->taylor && (s->m != s->n || !s->exact || (!s->lagrange && s->n > 1))) return NAN;
  if (s->exact) return s->n + 1;
  if (!s->euler || !sampled) return NAN;
  return s->n == 0 ? 1 : s->solved ? NAN : INFINITY;
}

/* Held inputs have an error of O(H^(m+1)); every integration on the way to an output adds one order. Solved outputs
 * depend only on states: their own and those of the outputs they receive. */
static double local_error_order(const struct settings *s, size_t output) {
  const struct cs_theory *t = s->theory;
  const struct cs_entries *c = &t->model->matrix[CS_C];
  size_t least = NONE;
  if (!s->jacobi || !s->exact || !(s->taylor || s->lagrange)) return NAN;
  if (has_feedthrough(t, output)) {
    if (s->solved) return NAN;
    least = 0;
  }
  for (size_t i = 0; i < c->count; i++)
    if (c->entry[i].row == output && t->integrations[c->entry[i].column] < least)
      least = t->integrations[c->entry[i].column];
  return least < NONE ? s->held + 1 + (double)least : NAN;
}

static double order_without_events(const struct settings *s, enum cs_order_rule rule, int metric, size_t signal) {
  switch (rule) {
    case CS_ORDER_ERROR:
      return error_order(s, metric, signal);
    case CS_ORDER_LOCAL_ERROR:
      return local_error_order(s, signal);
    case CS_ORDER_INPUT:
      return connection_defect_order(s);
    case CS_ORDER_OUTPUT:
    case CS_ORDER_OUTPUT_SAMPLED:
      return output_defect_order(s, rule == CS_ORDER_OUTPUT_SAMPLED);
    case CS_ORDER_STATE:
      return s->exact ? INFINITY : NAN;
    case CS_ORDER_NONE:
    case CS_ORDER_EVENT:
      break;
  }
  return NAN;
}

/* ---- events */

/* The place of a subsystem in the sequence of a run. */
static size_t place_of(const struct cs_theory *t, const struct cs_node *sequence, size_t subsystem) {
  for (size_t i = 0; sequence != NULL && i < cs_json_length(sequence); i++) {
    const char *name = cs_json_string(cs_json_at(sequence, i));
    if (name != NULL && strcmp(name, t->model->subsystem[subsystem].name) == 0) return i;
  }
  return subsystem;
}

/* Whether what an input receives is, or depends without delay on, what is extrapolated: what comes from a subsystem
 * that has not advanced yet. */
static bool is_extrapolated(const struct settings *s, const struct cs_node *sequence, size_t input) {
  const struct cs_model *model = s->theory->model;
  const struct cs_entries *l = &model->matrix[CS_L], *d = &model->matrix[CS_D];
  const size_t place = place_of(s->theory, sequence, model->input[input].subsystem);
  for (size_t i = 0; i < l->count; i++) {
    if (l->entry[i].row != input) continue;
    const size_t output = l->entry[i].column;
    if (s->jacobi || place_of(s->theory, sequence, model->output[output].subsystem) >= place) return true;
    for (size_t j = 0; j < d->count; j++)
      if (d->entry[j].row == output && is_extrapolated(s, sequence, d->entry[j].column)) return true;
  }
  return false;
}

/* The most that the order of an error can be where polynomials through points begin anew at events, with exact values,
 * in RMS over all times. Steps after an event extrapolate with degree 0 first, interpolate with degree 1. Samples that
 * are solved depend on states alone. NaN: not known. */
static double anew_order(const struct settings *s, size_t run, enum cs_over over, size_t signal) {
  const bool points = says(setting(s->theory, run, "error_at"), "points");
  if (over != CS_OVER_INPUT && over != CS_OVER_OUTPUT) return beginning_order(s);
  if (s->repeated) return points ? NAN : 2.5;
  if (over == CS_OVER_OUTPUT) return 2;
  if (says(setting(s->theory, run, "events.first"), "predicted")) return NAN;
  return is_extrapolated(s, cs_runs_list(s->theory->runs, run, "method.sequence"), signal) ? 1.5 : 2;
}

/* Events at given times end steps. States, and all that depends on them alone, lose no more than beyond the order of a
 * beginning; what lacks the history itself is known for its RMS error with hold `lagrange` alone. */
static double restarted_order(const struct settings *s, size_t run, enum cs_order_rule rule, int metric,
                              size_t signal) {
  const enum cs_over over = cs_metric_table[metric].over;
  const bool memory = !s->taylor && (s->m > 0 || s->n > 0);
  const bool known = rule == CS_ORDER_ERROR || (!memory && rule != CS_ORDER_LOCAL_ERROR);
  if (!known || (!s->solved && s->theory->model->matrix[CS_D].count > 0)) return NAN;
  if (setting(s->theory, run, "events.interruption").number != 0) return NAN;
  const double order = order_without_events(s, rule, metric, signal);
  if (!memory || isnan(order) || order <= 1) return order;
  if (cs_metric_table[metric].reduction == CS_FINAL) return fmin(order, beginning_order(s));
  if (over == CS_OVER_INPUT && (!s->lagrange || cs_metric_table[metric].reduction == CS_LARGEST)) return NAN;
  const double most = anew_order(s, run, over, signal);
  return isnan(most) ? NAN : fmin(order, most);
}

/* Events inside steps end them, and `taylor` takes derivatives of the new states, so that nothing is lost but what held
 * inputs lack. */
static double event_order(const struct settings *s, size_t run, int metric, size_t signal) {
  const struct cs_theory *t = s->theory;
  const enum cs_over over = cs_metric_table[metric].over;
  if (!s->solved || !s->consistent || !s->exact || !(s->taylor || s->lagrange)) return NAN;
  if (!says(setting(t, run, "events.detect"), "all") || !says(setting(t, run, "events.reset"), "joint")) return NAN;
  if (setting(t, run, "events.interruption").number != 0) return NAN;
  if (over == CS_OVER_OUTPUT && !s->taylor && s->m != s->n) return NAN;
  if (s->taylor || s->m == 0) return held_order(s);
  const double most = anew_order(s, run, over, signal);
  return isnan(most) ? NAN : fmin(held_order(s), most);
}

/* Whether the axis sets only the fixed macro step size. */
static bool is_step_size(const struct cs_theory *t, size_t axis) {
  const struct cs_node *method = method_of(t);
  const struct cs_node *step = method != NULL ? cs_json_get(method, "step") : NULL;
  const struct cs_node *control = step != NULL ? cs_json_get(step, "control") : NULL;
  return strcmp(cs_runs_about(t->runs, axis)->paths, "method.step.size") == 0 && control != NULL &&
         cs_json_kind(control) == CS_STRING && strcmp(cs_json_string(control), "fixed") == 0;
}

double cs_theory_order(const struct cs_theory *t, size_t axis, size_t run, int metric, size_t signal) {
  struct settings s;
  const enum cs_order_rule rule = metric >= 0 ? cs_metric_table[metric].order : CS_ORDER_NONE;
  if (t->model == NULL || rule == CS_ORDER_NONE || !is_step_size(t, axis) || subsystems_differ(t) ||
      !read_settings(t, run, &s))
    return NAN;
  if (rule == CS_ORDER_EVENT) return event_order(&s, run, metric, signal);
  if (t->model->state_events > 0) return NAN;
  return cs_theory_restarts(t) ? restarted_order(&s, run, rule, metric, signal)
                               : order_without_events(&s, rule, metric, signal);
}

bool cs_theory_restarts(const struct cs_theory *t) {
  return t->model != NULL && t->model->events > t->model->state_events;
}
