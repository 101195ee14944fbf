#include "theory.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "loop.h"
#include "metric.h"
#include "model.h"
#include "orders.h"

enum hold { TAYLOR, LAGRANGE, BACKWARD_DIFFERENCE, HERMITE, WAVEFORM, LEAST_SQUARES };

struct settings {
  enum hold hold;
  double m, n, held; /* orders of input and output, degree of what inputs hold */
  double solver;     /* its order; NaN: not known */
  bool keeps;        /* a solver with memory goes on from one macro step to the next */
  bool euler;        /* with one micro step */
  bool sampled;      /* feedthrough explicit or refresh */
  bool c0, c1;       /* continuity */
  bool ramp, zero;   /* start; neither: consistent */
  bool restarts;     /* polynomials through points begin anew at events */
  bool points;       /* error_at */
  bool together;     /* master jacobi without iterations */
  bool in_turn, converged, alternates, waves;
  double iterations, latency, compensation;
  double wave; /* order at communication points of values at nodes inside a step */
};

/* Orders of one macro step as they all are, of the first ones (none where they are like all others), and of the run. */
struct course {
  struct cs_orders *usual, *first, *whole;
};

struct cs_theory {
  const struct cs_runs *runs;
  struct cs_model *model; /* NULL if this version cannot read it */
  size_t *sequence;       /* [subsystems] */
  double *value, *room;   /* [parameters] and what cs_loop_gain needs */
  unsigned char *given;   /* [parameters] */
  size_t run;             /* the run that the rest is of; SIZE_MAX: none */
  bool known;             /* there are rules for it */
  struct settings settings;
  struct course course;
  bool fades;          /* what repetitions leave shrinks with their number, not with H: */
  struct course limit; /* of infinitely many */
};

/* ---- the model of the file */

static int read_model(const struct cs_table *table, struct cs_model **model, struct cs_error *error) {
  const char *text = cs_table_text(table, "model");
  struct cs_json *json = NULL;
  if (text == NULL) return cs_error_set(error, CS_IO, "no text \"model\" in provenance; want a result of cosweep");
  const int parsed = cs_json_parse("provenance/model", text, strlen(text), &json, error);
  if (parsed != CS_OK) return parsed == CS_INPUT ? CS_IO : parsed;
  const int code = cs_model_read(json, model, error);
  return code == CS_INPUT ? CS_OK : code;
}

static int open_course(const struct cs_model *model, struct course *course, struct cs_error *error) {
  int code = cs_orders_new(model, &course->usual, error);
  if (code == CS_OK) code = cs_orders_new(model, &course->first, error);
  if (code == CS_OK) code = cs_orders_new(model, &course->whole, error);
  return code;
}

static void close_course(struct course *course) {
  cs_orders_free(course->usual);
  cs_orders_free(course->first);
  cs_orders_free(course->whole);
}

int cs_theory_open(const struct cs_runs *runs, struct cs_theory **theory, struct cs_error *error) {
  struct cs_theory *t = *theory = calloc(1, sizeof *t);
  if (t == NULL) return cs_error_memory(error);
  t->runs = runs;
  t->run = SIZE_MAX;
  int code = cs_runs_check(runs, error);
  if (code == CS_OK) code = read_model(runs->table, &t->model, error);
  if (code != CS_OK || t->model == NULL) return code;
  const struct cs_model *model = t->model;
  t->sequence = calloc(model->subsystems + 1, sizeof *t->sequence);
  t->value = calloc(model->values + 1, sizeof *t->value);
  t->given = calloc(model->parameters + 1, sizeof *t->given);
  t->room = calloc(model->inputs + model->outputs + 1, sizeof *t->room);
  if (t->sequence == NULL || t->value == NULL || t->given == NULL || t->room == NULL) return cs_error_memory(error);
  code = open_course(model, &t->course, error);
  return code == CS_OK ? open_course(model, &t->limit, error) : code;
}

void cs_theory_free(struct cs_theory *theory) {
  if (theory == NULL) return;
  cs_model_free(theory->model);
  close_course(&theory->course);
  close_course(&theory->limit);
  free(theory->sequence);
  free(theory->value);
  free(theory->given);
  free(theory->room);
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

static double solver_order(struct cs_runs_value solver) {
  static const struct {
    const char *name;
    double order;
  } list[] = {{"exact", INFINITY},   {"euler", 1},       {"heun", 2}, {"rk4", 4},
              {"implicit_euler", 1}, {"trapezoidal", 2}, {"ab2", 2},  {"bdf2", 2}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (says(solver, list[i].name)) return list[i].order;
  return NAN;
}

static int find_hold(struct cs_runs_value hold) {
  static const char *const names[] = {"taylor",  "lagrange", "backward_difference",
                                      "hermite", "waveform", "least_squares"};
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
    if (says(hold, names[i])) return i;
  return -1;
}

/* What compensation makes of first steps that are not exact, and of outputs that pass on what held inputs lack, is not
 * known. */
static bool compensates_as_known(const struct cs_model *model, const struct settings *s) {
  const bool begins = (s->ramp || s->zero) && s->m > 0;
  return s->compensation == 0 || (!begins && model->events == 0 && !(s->sampled && model->matrix[CS_D].count > 0));
}

/* Constants that are old in one step and new in the next have errors whose mean over both cancels, which states feel;
 * what outputs that pass on held inputs make of it is not known. */
static bool alternates_as_known(const struct cs_model *model, const struct settings *s) {
  const bool plain = s->latency == 0 && !s->c0 && !s->c1;
  return !s->alternates || (plain && (s->held > 0 || (model->events == 0 && model->matrix[CS_D].count == 0)));
}

/* The order of a polynomial through exact values. Backward differences extrapolate consistently to first order only. */
static double held_order(const struct settings *s) {
  return s->hold == BACKWARD_DIFFERENCE ? fmin(s->held + 1, 2) : s->held + 1;
}

/* What a number of repetitions leaves of constants at nodes is not known. */
static bool waves_as_known(const struct cs_model *model, const struct settings *s) {
  return s->hold != WAVEFORM || (s->converged && isinf(s->solver) && model->state_events == 0);
}

/* Waves are straight lines through values that need no past; beside other couplings of another order it is not known
 * which of both an output feels. */
static bool lines_as_known(const struct cs_model *model, struct settings *s) {
  const bool alone = model->matrix[CS_L].count == 4 * model->lines;
  if (s->waves && alone) s->m = s->held = 1;
  if (s->waves && alone) s->ramp = s->zero = false;
  return !s->waves || s->m == 1;
}

/* False if no rules are known for these runs. Results of older versions lack the newest settings. A solver that keeps
 * its memory over a jump of its input is wrong by this jump in its first micro step. Relaxed repetitions
 * add errors of extrapolation and interpolation, whose means over a step cancel at some values. What a correction by an
 * interface Jacobian leaves of extrapolation has the order of what is looked for, if it knows feed-through. */
static bool read_settings(const struct cs_theory *t, size_t run, struct settings *s) {
  const struct cs_runs_value master = setting(t, run, "master"), iterations = setting(t, run, "iterations");
  const struct cs_runs_value start = setting(t, run, "start"), feedthrough = setting(t, run, "feedthrough");
  const struct cs_runs_value solver = setting(t, run, "solver"), micro = setting(t, run, "micro_steps");
  const struct cs_runs_value continuity = setting(t, run, "continuity");
  const double relaxation = setting(t, run, "relaxation").number, latency = setting(t, run, "latency").number;
  const double compensation = setting(t, run, "compensation").number;
  const struct cs_runs_value jacobian = setting(t, run, "jacobian");
  const bool corrects = iterations.number > 0 && jacobian.word != NULL && !says(jacobian, "none");
  const bool jacobi = says(master, "jacobi"), converged = corrects || says(iterations, "converged");
  const bool alternates = !jacobi && says(setting(t, run, "sequence"), "alternating");
  const int hold = find_hold(setting(t, run, "hold"));
  *s = (struct settings){.hold = (enum hold)hold,
                         .m = setting(t, run, "input_order").number,
                         .n = setting(t, run, "output_order").number,
                         .solver = solver_order(solver),
                         .keeps = says(setting(t, run, "memory"), "keep"),
                         .euler = says(solver, "euler") && (says(micro, "auto") || micro.number == 1),
                         .sampled = !says(feedthrough, "solved"),
                         .c0 = says(continuity, "c0"),
                         .c1 = says(continuity, "c1"),
                         .ramp = says(start, "ramp"),
                         .zero = says(start, "zero"),
                         .points = says(setting(t, run, "error_at"), "points"),
                         .together = jacobi && iterations.number == 0,
                         .converged = converged,
                         .in_turn = !jacobi && !alternates,
                         .alternates = alternates,
                         .waves = says(setting(t, run, "lines"), "waves"),
                         .iterations = converged ? 0 : iterations.number,
                         .latency = isnan(latency) ? 0 : latency,
                         .compensation = isnan(compensation) ? 0 : compensation};
  s->held = s->hold == TAYLOR ? fmin(s->m, s->n) : s->m;
  if (s->keeps && !s->c0 && !s->c1 && (says(solver, "ab2") || says(solver, "bdf2")))
    s->solver = fmin(s->solver, held_order(s));
  s->wave = says(setting(t, run, "nodes"), "equal") ? s->m + 2 - fmod(s->m, 2) : 2 * s->m;
  s->restarts = t->model->events > 0 && s->hold != TAYLOR && (s->m > 0 || s->n > 0);
  const bool cancels = iterations.number > 0 && !isnan(relaxation) && relaxation != 1;
  const bool switches = says(setting(t, run, "events.first"), "parallel");
  return hold >= 0 && !cancels && !switches && compensates_as_known(t->model, s) && alternates_as_known(t->model, s) &&
         waves_as_known(t->model, s) && lines_as_known(t->model, s) && (jacobi || says(master, "gauss_seidel")) &&
         s->iterations >= 0 && start.word != NULL && feedthrough.word != NULL && !isnan(s->m) && !isnan(s->n);
}

/* The subsystems as they advance. */
static void read_sequence(struct cs_theory *t, size_t run) {
  const struct cs_node *list = cs_runs_list(t->runs, run, "method.sequence");
  for (size_t i = 0; i < t->model->subsystems; i++) {
    const char *name = list != NULL ? cs_json_string(cs_json_at(list, i)) : NULL;
    t->sequence[i] = i;
    for (size_t k = 0; name != NULL && k < t->model->subsystems; k++)
      if (strcmp(name, t->model->subsystem[k].name) == 0) t->sequence[i] = k;
  }
}

/* ---- loops of feed-through */

/* Gain of the loops in a run: cs_loop_gain. */
static double loop_gain(struct cs_theory *t, size_t run) {
  struct cs_error error;
  for (size_t i = 0; i < t->model->parameters; i++) {
    struct cs_text path = {0};
    cs_text_add(&path, "parameters.%s", t->model->parameter[i].name);
    if (path.failed) return NAN;
    t->value[i] = cs_runs_value(t->runs, run, path.data).number;
    t->given[i] = !isnan(t->value[i]);
    cs_text_free(&path);
  }
  if (cs_model_parameters(t->model, t->value, t->given, t->value, &error) != CS_OK) return NAN;
  return cs_loop_gain(t->model, t->value, t->room);
}

/* The most that extrapolation to the end of a step makes of values up to 1, where loops of a gain below 1 over this are
 * zero-stable (of hold hermite: docs/methods.md section 3). INFINITY: not known, as of a fit; derivatives of joined
 * inputs contain those of what joins them. */
static double amplification(const struct settings *s) {
  double sum = 1, term = 1;
  if (s->hold == TAYLOR) return s->held > (s->c0 ? 0 : s->c1 ? 1 : 3) ? INFINITY : 1;
  if (s->hold == HERMITE) return s->latency > 0 ? INFINITY : 13;
  if (s->hold == LEAST_SQUARES) return s->m > 0 ? INFINITY : 1;
  for (int j = 1; j <= (int)s->m; j++) {
    term *= 2 * (s->hold == LAGRANGE ? s->latency + j : s->latency + 1) / j;
    sum += term;
  }
  return sum;
}

/* Whether values that return through a loop decay from step to step however small H is. */
static bool is_zero_stable(const struct settings *s, double gain) {
  return pow(gain, s->iterations + 1) * amplification(s) < 1;
}

/* ---- what polynomials lack */

/* Interpolated inputs end with the new value; with continuity they begin with the old one, which is exact too. `c0`
 * makes a line of a constant, `c1` of any polynomial the cubic through values and slopes at both ends; what the slopes
 * lack is the same at both ends, so that its mean is zero. */
static struct cs_orders_held interpolated(const struct settings *s) {
  const double order = held_order(s), ends = fmax(2, fmin(s->held + 1, s->hold == BACKWARD_DIFFERENCE ? 3 : 4));
  const bool exact_slopes = s->hold == HERMITE || (s->hold == TAYLOR && s->held > 0);
  if (s->c0) return (struct cs_orders_held){ends, ends, INFINITY};
  if (!s->c1) return (struct cs_orders_held){order, order, INFINITY};
  return exact_slopes ? (struct cs_orders_held){4, 4, INFINITY}
                      : (struct cs_orders_held){order, fmin(order + 1, 4), INFINITY};
}

static void limit(struct cs_orders_held *held, double within, double end) {
  held->input = fmin(held->input, within);
  held->effect = fmin(held->effect, within);
  held->end = fmin(held->end, end);
}

/* In the first steps extrapolated inputs are constant, and interpolated ones a line; hermite has a slope at T_0 too,
 * unless it arrives later. Start `zero` has wrong values at -H, and `c1` a wrong slope at T_0. */
static void begin(const struct settings *s, struct cs_orders_step *step) {
  const bool hermite = s->hold == HERMITE, start = s->ramp || s->zero;
  const double line = (s->ramp || s->restarts) && !hermite ? 2 : INFINITY;
  const double history = s->zero && s->hold != TAYLOR && s->m > 1 ? 1 : INFINITY;
  const double slope = s->c1 && (start || s->restarts) ? 1 : INFINITY;
  const double constant = hermite && s->latency == 0 ? 2 : 1;
  limit(&step->extrapolated, fmin(constant, slope), constant);
  limit(&step->interpolated, fmin(line, fmin(history, slope)), INFINITY);
}

/* The same of reconstructed outputs. */
static double recorded_first(const struct settings *s) {
  if (s->zero && s->hold != TAYLOR && s->n > 1) return 1;
  return (s->ramp || s->restarts) && s->hold != HERMITE ? 2 : INFINITY;
}

/* State events happen where held inputs say, so what these lack moves states. */
static double at_events(const struct cs_model *model, const struct cs_orders *usual) {
  double order = INFINITY;
  for (size_t i = 0; model->state_events > 0 && i < model->inputs; i++)
    order = fmin(order, usual->input[i]);
  return order;
}

static void follow(const struct cs_theory *t, bool converged, const struct course *c) {
  const struct settings *s = &t->settings;
  const double order = held_order(s);
  const bool balanced = s->compensation == 1 || (s->alternates && s->held == 0);
  struct cs_orders_step step = {.extrapolated = {order, balanced ? order + 1 : order, order},
                                .interpolated = interpolated(s),
                                .repetitions = (size_t)s->iterations,
                                .converged = converged,
                                .in_turn = !converged && s->in_turn,
                                .solved = !s->sampled,
                                .sequence = t->sequence};
  cs_orders_take_step(t->model, &step, c->usual);
  begin(s, &step);
  if (s->ramp || s->zero || s->restarts)
    cs_orders_take_step(t->model, &step, c->first);
  else
    cs_orders_none(t->model, c->first);
  cs_orders_of_run(t->model, !s->sampled, fmin(s->solver, at_events(t->model, c->usual)), c->usual, c->first, c->whole);
}

/* Prepares for questions about a run. */
static void turn_to(struct cs_theory *t, size_t run) {
  struct settings *s = &t->settings;
  if (t->run == run) return;
  t->run = run;
  t->known = read_settings(t, run, s);
  if (!t->known) return;
  const double gain = s->sampled && !s->converged ? loop_gain(t, run) : 0;
  t->known = gain == 0 || is_zero_stable(s, gain);
  const bool slopes = (s->zero && s->hold == TAYLOR) || (s->ramp && s->hold == HERMITE);
  t->fades = s->iterations > 0 && (gain > 0 || slopes);
  read_sequence(t, run);
  follow(t, s->converged, &t->course);
  if (t->fades) follow(t, true, &t->limit);
}

/* ---- the rules */

/* With hold waveform orders at points are those of quadrature at its nodes; inside a step the polynomials' own count,
 * and of outputs those of reconstructions, which begin anew at events. */
static double wave_order(const struct cs_theory *t, const struct course *c, enum cs_over over, bool points,
                         size_t signal) {
  const struct settings *s = &t->settings;
  const struct cs_orders *own = c->usual;
  const double inside = over == CS_OVER_STATE   ? own->state[signal]
                        : over == CS_OVER_INPUT ? own->input[signal]
                                                : own->output[signal];
  if (isinf(inside) || points) return isinf(inside) ? INFINITY : s->wave;
  if (over == CS_OVER_OUTPUT) return fmin(s->wave, fmin(s->n + 1, recorded_first(s) + 0.5));
  return fmin(s->wave, inside);
}

/* Errors of a few first steps count half an order less in an RMS over the run. */
static double error_order(const struct cs_theory *t, const struct course *c, int metric, size_t signal) {
  const struct settings *s = &t->settings;
  const enum cs_over over = cs_metric_table[metric].over;
  const enum cs_reduction reduction = cs_metric_table[metric].reduction;
  const bool points = s->points || reduction != CS_RMS;
  double whole, first;
  const bool passed_on = over == CS_OVER_INPUT || t->model->matrix[CS_D].count > 0;
  if (isnan(s->solver) || (s->alternates && reduction == CS_FINAL && passed_on)) return NAN;
  if (s->hold == WAVEFORM) return wave_order(t, c, over, points, signal);
  if (over == CS_OVER_STATE) {
    whole = c->whole->state[signal];
    first = c->first->state[signal];
  } else if (over == CS_OVER_INPUT) {
    whole = points ? c->whole->end[signal] : c->whole->input[signal];
    first = points ? c->first->end[signal] : c->first->input[signal];
  } else {
    whole = c->whole->output[signal];
    first = c->first->output[signal];
  }
  if (over == CS_OVER_OUTPUT && !points) {
    const bool derivatives = s->hold == TAYLOR && s->sampled; /* those of held inputs, beyond what these receive */
    whole = fmin(whole, s->n + 1);
    first = fmin(first, recorded_first(s));
    if (derivatives) whole = fmin(whole, cs_orders_own(t->model, c->usual, signal));
    if (derivatives && s->zero && s->n > 1) first = fmin(first, cs_orders_own(t->model, c->first, signal));
  }
  return reduction == CS_FINAL ? whole : fmin(whole, reduction == CS_LARGEST ? first : first + 0.5);
}

/* Solver `euler` hands on slopes of its own. */
static double connection_defect_order(const struct cs_theory *t, const struct course *c, size_t input) {
  const struct settings *s = &t->settings;
  const bool slopes = s->euler && s->hold == TAYLOR;
  if (!s->together || (!isinf(s->solver) && !slopes)) return NAN;
  if (isinf(c->usual->input[input])) return INFINITY; /* a constant */
  const double order = fmin(c->usual->input[input], s->n + 1);
  return fmin(slopes ? fmin(order, 2) : order, fmin(c->first->input[input], recorded_first(s)) + 0.5);
}

static bool follows_states(const struct cs_model *model, size_t output) {
  const struct cs_entries *c = &model->matrix[CS_C];
  for (size_t i = 0; i < c->count; i++)
    if (c->entry[i].row == output) return true;
  return false;
}

/* Of an output between samples. With compensation states there feel what inputs lack, not its mean alone. */
static double own_inside(const struct cs_theory *t, const struct cs_orders *o, size_t output) {
  const struct cs_entries *c = &t->model->matrix[CS_C], *d = &t->model->matrix[CS_D];
  double order = INFINITY;
  if (t->settings.compensation < 1) return cs_orders_own(t->model, o, output);
  for (size_t i = 0; i < c->count; i++)
    if (c->entry[i].row == output) order = fmin(order, o->state[c->entry[i].column] - 1);
  for (size_t i = 0; i < d->count; i++)
    if (d->entry[i].row == output) order = fmin(order, o->input[d->entry[i].column]);
  return order;
}

/* Between samples outputs follow states that integrate held inputs, with kinks where these jump, and solved samples
 * differ from what held inputs give. The derivatives of `explicit` samples are those that outputs have. What follows
 * inputs alone is as smooth as these. What constants lack but for its mean is 0 at the midpoint. */
static double output_defect_order(const struct cs_theory *t, const struct course *c, bool estimated, size_t output) {
  const struct settings *s = &t->settings;
  const bool derivatives = s->hold == TAYLOR && s->sampled;
  if (s->euler && s->hold == TAYLOR && estimated && s->together) {
    if (s->n == 0) return 1;
    return s->sampled && !s->c1 ? INFINITY : NAN;
  }
  const bool centred = s->compensation == 1 && s->m == 0 && estimated && t->model->matrix[CS_D].count > 0;
  if (!isinf(s->solver) || !follows_states(t->model, output) || centred || s->alternates) return NAN;
  const double order = fmin(s->n + 1, recorded_first(s) + 0.5);
  double often = own_inside(t, c->usual, output), once = cs_orders_own(t->model, c->first, output) + 0.5;
  if (s->c1) often--, once--; /* in between, means do not count */
  if (fmin(often, once) >= order || (derivatives && !s->c1)) return order;
  if (!s->together || (s->hold == HERMITE && s->latency > 0) || s->c0 || s->c1 ||
      (often < order && often > held_order(s) + 1))
    return NAN;
  return fmin(often, once);
}

/* An error that is zero but for rounding may have the order of what is rounded. */
static double above_rounding(double order) {
  return isinf(order) ? NAN : order;
}

/* Local errors begin with exact slopes, so that with `c1` what the slopes at the end lack has a mean; of interpolated
 * backward differences leading terms vanish. With compensation what inputs lack has a mean of one order more, but its
 * moments, which states feel that integrate states, do not. */
static double order_of(const struct cs_theory *t, const struct course *c, int metric, size_t signal) {
  const struct settings *s = &t->settings;
  const enum cs_order_rule rule = cs_metric_table[metric].order;
  double order = INFINITY;
  switch (rule) {
    case CS_ORDER_ERROR:
      return above_rounding(error_order(t, c, metric, signal));
    case CS_ORDER_LOCAL_ERROR:
      if (s->alternates || s->hold == WAVEFORM) return NAN;
      if (s->compensation > 0 && (metric == CS_LOCAL_ERROR_ESTIMATE || c->usual->output[signal] > s->held + 3))
        return NAN;
      return isinf(s->solver) && (s->together || (!s->c1 && s->hold != BACKWARD_DIFFERENCE))
                 ? above_rounding(c->usual->output[signal])
                 : NAN;
    case CS_ORDER_INPUT:
      return connection_defect_order(t, c, signal);
    case CS_ORDER_OUTPUT:
    case CS_ORDER_OUTPUT_SAMPLED:
      return output_defect_order(t, c, rule == CS_ORDER_OUTPUT_SAMPLED, signal);
    case CS_ORDER_STATE:
      return isinf(s->solver) ? INFINITY : NAN;
    case CS_ORDER_EVENT:
      if (cs_metric_table[metric].over != CS_OVER_EVENT) return above_rounding(error_order(t, c, metric, signal));
      for (size_t i = 0; i < t->model->states; i++)
        order = fmin(order, c->whole->state[i]);
      return above_rounding(order);
    case CS_ORDER_NONE:
      break;
  }
  return NAN;
}

/* ---- events */

/* Whether the rules hold where events at given times end steps. */
static bool holds_at_times(const struct cs_theory *t, int metric) {
  const struct settings *s = &t->settings;
  const enum cs_order_rule rule = cs_metric_table[metric].order;
  return rule != CS_ORDER_LOCAL_ERROR && (rule == CS_ORDER_ERROR || !s->restarts) &&
         (!s->sampled || (t->model->matrix[CS_D].count == 0 && (s->hold != TAYLOR || s->n == 0)));
}

/* Whether they hold where events inside steps end them. `taylor` takes derivatives of the new states, so that nothing
 * is lost but what held inputs lack. */
static bool holds_at_events(const struct cs_theory *t, int metric) {
  const struct settings *s = &t->settings;
  return cs_metric_table[metric].order == CS_ORDER_EVENT && !s->sampled && !s->ramp && !s->zero && !s->c0 && !s->c1 &&
         isinf(s->solver) && s->hold <= LAGRANGE && says(setting(t, t->run, "events.detect"), "all") &&
         says(setting(t, t->run, "events.reset"), "joint") &&
         (cs_metric_table[metric].over != CS_OVER_INPUT || !says(setting(t, t->run, "events.first"), "predicted"));
}

/* Whether the axis sets only the fixed macro step size. */
static bool is_step_size(const struct cs_theory *t, size_t axis) {
  const struct cs_node *method = method_of(t);
  const struct cs_node *step = method != NULL ? cs_json_get(method, "step") : NULL;
  const struct cs_node *control = step != NULL ? cs_json_get(step, "control") : NULL;
  return strcmp(cs_runs_about(t->runs, axis)->paths, "method.step.size") == 0 && control != NULL &&
         cs_json_kind(control) == CS_STRING && strcmp(cs_json_string(control), "fixed") == 0;
}

/* Whether the model has the signal, of which the result has a number: files may say more than their model. */
static bool has_signal(const struct cs_model *model, int metric, size_t signal) {
  switch (cs_metric_table[metric].over) {
    case CS_OVER_OUTPUT:
      return signal < model->outputs;
    case CS_OVER_INPUT:
      return signal < model->inputs;
    case CS_OVER_STATE:
      return signal < model->states;
    default:
      return cs_metric_table[metric].over == CS_OVER_EVENT;
  }
}

double cs_theory_order(struct cs_theory *t, size_t axis, size_t run, int metric, size_t signal) {
  if (t->model == NULL || metric < 0 || !is_step_size(t, axis) || subsystems_differ(t)) return NAN;
  if (!has_signal(t->model, metric, signal)) return NAN;
  turn_to(t, run);
  if (!t->known) return NAN;
  if (t->model->events > 0 && setting(t, run, "events.interruption").number != 0) return NAN;
  if (t->model->state_events > 0 ? !holds_at_events(t, metric) : t->model->events > 0 && !holds_at_times(t, metric))
    return NAN;
  const double order = order_of(t, &t->course, metric, signal);
  return t->fades && order_of(t, &t->limit, metric, signal) != order ? NAN : order;
}

bool cs_theory_restarts(const struct cs_theory *t) {
  return t->model != NULL && t->model->events > t->model->state_events;
}
