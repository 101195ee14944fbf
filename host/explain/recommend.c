#include "recommend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_private.h"
#include "layout.h"
#include "recommend_private.h"

const char *cs_recommend_cost_name(enum cs_recommend_cost cost) {
  static const char *const name[CS_COSTS] = {"evaluations", "stages", "steps"};
  return name[cost];
}

/* ---- candidates */

static int copy_sequence(struct cs_approach *to, const size_t *sequence, size_t parts, struct cs_error *error) {
  if (sequence == NULL) return CS_OK;
  to->sequence = malloc((parts + 1) * sizeof *sequence);
  if (to->sequence == NULL) return cs_error_memory(error);
  memcpy(to->sequence, sequence, parts * sizeof *sequence);
  return CS_OK;
}

static int add_candidates(struct cs_recommendation *r, enum cs_master master, const size_t *sequence,
                          struct cs_error *error) {
  const struct cs_recommend_wish *wish = r->wish;
  int code = CS_OK;
  if (wish->derivatives && wish->rollback && sequence == NULL && r->model->events == 0)
    r->candidate[r->candidates++] =
        (struct cs_candidate){.approach = {master, CS_HERMITE, NULL, CS_CONVERGED}, .order = 3};
  for (unsigned order = 0; wish->integrals && sequence == NULL && order < CS_EXPLAIN_ORDERS; order++)
    r->candidate[r->candidates++] =
        (struct cs_candidate){.approach = {master, CS_LAGRANGE, NULL, 0, true}, .order = order};
  for (int derivatives = 0; derivatives <= wish->derivatives; derivatives++)
    for (size_t i = 0; i < (wish->rollback ? CS_EXPERIMENT_REPEATED : 1); i++)
      for (unsigned order = (unsigned)derivatives; code == CS_OK && order < CS_EXPLAIN_ORDERS; order++) {
        const unsigned iterations = cs_experiment_iterations(i);
        if (iterations == CS_CONVERGED && sequence != NULL) continue;
        struct cs_candidate *to = &r->candidate[r->candidates++];
        *to = (struct cs_candidate){.approach = {master, derivatives ? CS_TAYLOR : CS_LAGRANGE, NULL, iterations},
                                    .order = order};
        code = copy_sequence(&to->approach, sequence, r->base.network.parts, error);
      }
  return code;
}

/* The next sequence in the order of the alphabet; false after the last. */
static bool permute(size_t *sequence, size_t count) {
  size_t i = count - 1, j = count - 1;
  while (i > 0 && sequence[i - 1] > sequence[i])
    i--;
  if (i == 0) return false;
  while (sequence[j] < sequence[i - 1])
    j--;
  const size_t pivot = sequence[i - 1];
  sequence[i - 1] = sequence[j];
  sequence[j] = pivot;
  for (j = count - 1; i < j; i++, j--) {
    const size_t other = sequence[i];
    sequence[i] = sequence[j];
    sequence[j] = other;
  }
  return true;
}

/* gauss_seidel in the model's order and its reverse in turn. */
static int add_alternating(struct cs_recommendation *r, struct cs_error *error) {
  const size_t parts = r->base.network.parts;
  for (int derivatives = 0; derivatives <= r->wish->derivatives; derivatives++)
    for (unsigned order = (unsigned)derivatives; order < CS_EXPLAIN_ORDERS; order++) {
      struct cs_candidate *to = &r->candidate[r->candidates++];
      *to = (struct cs_candidate){.approach = {.master = CS_GAUSS_SEIDEL,
                                               .hold = derivatives ? CS_TAYLOR : CS_LAGRANGE,
                                               .sequence = malloc((parts + 1) * sizeof *to->approach.sequence),
                                               .alternating = true},
                                  .order = order};
      if (to->approach.sequence == NULL) return cs_error_memory(error);
      for (size_t i = 0; i < parts; i++)
        to->approach.sequence[i] = i;
    }
  return CS_OK;
}

/* All that repeat a step once through points, repeating it to a tolerance. */
static int add_repeated(struct cs_recommendation *r, struct cs_error *error) {
  const size_t count = r->candidates;
  int code = CS_OK;
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    const struct cs_candidate *from = &r->candidate[i];
    if (from->approach.iterations != 1 || from->approach.hold != CS_LAGRANGE) continue;
    struct cs_candidate *to = &r->candidate[r->candidates++];
    *to = *from;
    to->approach.sequence = NULL;
    to->approach.iterations = CS_TOLERANCE;
    code = copy_sequence(&to->approach, from->approach.sequence, r->base.network.parts, error);
  }
  return code;
}

/* jacobi, and gauss_seidel in all sequences of up to three subsystems, else in the model's order and the opposite.
 * Where limits alone are compared also alternating: its runs have individual steps, and a search through them takes ten
 * times as long as all others. */
static int list_candidates(struct cs_recommendation *r, struct cs_error *error) {
  const size_t parts = r->base.network.parts;
  size_t *sequence = malloc((parts + 1) * sizeof *sequence);
  r->candidate = calloc((1 + 6 + 1) * 2 * (CS_EXPERIMENT_REPEATED + 1) * CS_EXPLAIN_ORDERS, sizeof *r->candidate);
  int code = sequence != NULL && r->candidate != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) code = add_candidates(r, CS_JACOBI, NULL, error);
  for (size_t i = 0; code == CS_OK && i < parts; i++)
    sequence[i] = i;
  bool more = parts > 1;
  while (code == CS_OK && more) {
    code = add_candidates(r, CS_GAUSS_SEIDEL, sequence, error);
    if (parts <= 3) {
      more = permute(sequence, parts);
      continue;
    }
    more = sequence[0] == 0;
    for (size_t i = 0; i < parts; i++)
      sequence[i] = parts - 1 - i;
  }
  const bool alternates = !r->simulated && parts > 1 && cs_experiment_alternates(&r->wish->experiment);
  const bool repeats = r->simulated && r->model->events == 0 && cs_experiment_accelerates(&r->wish->experiment);
  if (code == CS_OK && alternates) code = add_alternating(r, error);
  if (code == CS_OK && repeats) code = add_repeated(r, error);
  free(sequence);
  return code;
}

/* ---- the order of the candidates */

/* By the cost asked for, then by the others, then by the error. */
static int compare(const struct cs_candidate *a, const struct cs_candidate *b, enum cs_recommend_cost first) {
  if (isnan(a->H) || isnan(b->H)) return isnan(a->H) - isnan(b->H);
  for (int i = 0; i < CS_COSTS; i++) {
    const int k = (i + (int)first) % CS_COSTS;
    if (a->cost[k] != b->cost[k]) return a->cost[k] < b->cost[k] ? -1 : 1;
  }
  return a->error < b->error ? -1 : a->error > b->error;
}

static int compare_evaluations(const void *left, const void *right) {
  return compare(left, right, CS_COST_EVALUATIONS);
}

static int compare_stages(const void *left, const void *right) {
  return compare(left, right, CS_COST_STAGES);
}

static int compare_steps(const void *left, const void *right) {
  return compare(left, right, CS_COST_STEPS);
}

static int judge(struct cs_recommendation *r, struct cs_error *error) {
  const struct cs_candidate *lowest = r->candidate;
  static int (*const by[CS_COSTS])(const void *, const void *) = {compare_evaluations, compare_stages, compare_steps};
  qsort(r->candidate, r->candidates, sizeof *r->candidate, by[r->wish->cost]);
  for (size_t i = 0; i < r->candidates; i++) {
    r->reached += !isnan(r->candidate[i].H);
    if (r->candidate[i].lowest < lowest->lowest) lowest = &r->candidate[i];
  }
  if (r->reached > 0) return CS_OK;
  if (!r->simulated)
    return cs_error_set(error, CS_NO_RESULT, "%s: no combination is stable, not even with H = %g",
                        r->wish->experiment.path, r->first);
  struct cs_text setting = {0};
  cs_experiment_add_approach(&r->base.network, &lowest->approach, true, &setting);
  cs_error_set(error, CS_NO_RESULT, "%s: no combination reaches %g above H = %g; smallest error %.2g (%s, %s %u)",
               r->wish->experiment.path, r->wish->error, r->first, lowest->lowest, cs_text_string(&setting),
               cs_experiment_hold(&lowest->approach), lowest->order);
  cs_text_free(&setting);
  return CS_NO_RESULT;
}

int cs_recommend_find_limit(const struct cs_recommendation *r, struct cs_candidate *c, struct cs_error *error) {
  const struct cs_approach *own = &c->approach, converged = {.hold = own->hold, .iterations = CS_CONVERGED};
  const struct cs_approach *of = own->iterations == CS_TOLERANCE ? &converged : own;
  return cs_explain_scan_first(&r->base, of, c->order, &c->limit, error);
}

/* First limits of those that reach the error. */
static int find_limits(struct cs_recommendation *r, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < r->candidates && code == CS_OK; i++) {
    r->candidate[i].limit = NAN;
    if (!isnan(r->candidate[i].H) && r->base.growth == CS_GROWTH_DAMPED)
      code = cs_recommend_find_limit(r, &r->candidate[i], error);
  }
  return code;
}

/* ---- all of it */

/* Time span and range of H from the modes of the coupled model. */
static int choose_ranges(struct cs_recommendation *r, struct cs_error *error) {
  const struct cs_explanation *e = &r->base;
  r->t_end = r->wish->t_end > 0.0 ? r->wish->t_end : cs_explain_time_span(e);
  r->first = cs_explain_round(2.0 * PI / e->fastest / 2000.0, 3);
  r->last = cs_explain_round(fmin(2.0 * PI / e->slowest, r->t_end / 4.0), 3);
  if (r->last > r->first) return CS_OK;
  return cs_error_set(error, CS_USAGE, "--t-end %g: too short for macro steps of %g s and more; want at least %g",
                      r->t_end, r->first, 8.0 * r->first);
}

static int check_signals(const struct cs_recommendation *r, struct cs_error *error) {
  for (size_t k = 0; k < r->wish->signals; k++) {
    struct cs_text all = {0};
    size_t i = 0;
    while (i < r->model->outputs && strcmp(r->model->output[i].name, r->wish->signal[k]) != 0)
      i++;
    if (i < r->model->outputs) continue;
    for (i = 0; i < r->model->outputs; i++)
      cs_text_add_name(&all, r->model->output[i].name);
    cs_error_set(error, CS_USAGE, "--signal %s: no such output; want one of: %s", r->wish->signal[k],
                 cs_text_string(&all));
    cs_text_free(&all);
    return CS_USAGE;
  }
  return CS_OK;
}

/* A large network with more inputs than its subsystems can tell apart is run with fewer: it takes so many coordinates.
 */
static int narrow(struct cs_recommendation *r, struct cs_error *error) {
  if (!cs_layout_is_large(r->model) || r->model->events > 0) return CS_OK;
  const int code = cs_snapshot_narrow(&r->base.network, error);
  r->narrowed = code == CS_OK && r->base.network.inputs < r->model->inputs;
  return code;
}

int cs_recommend_open(const struct cs_model *model, const struct cs_recommend_wish *wish, struct cs_recommendation *r,
                      struct cs_error *error) {
  *r = (struct cs_recommendation){
      .model = model, .wish = wish, .simulated = model->equations == 0, .plain = {.experiment = wish->experiment}};
  int code = check_signals(r, error);
  if (code == CS_OK && model->state_events > 0)
    code = cs_error_set(error, CS_INPUT, "%s: recommend takes models without state events", wish->experiment.path);
  if (code == CS_OK) code = cs_explain_open_modes(model, &r->plain, "recommend", &r->base, error);
  if (code == CS_OK && !(r->base.fastest > 0.0))
    code = cs_error_set(error, CS_NO_RESULT, "%s: the coupled model has no mode that moves: every step size is exact",
                        wish->experiment.path);
  if (code == CS_OK && r->simulated) code = choose_ranges(r, error);
  if (code == CS_OK) code = narrow(r, error);
  if (code == CS_OK) code = list_candidates(r, error);
  r->exact = calloc(model->outputs + 1, sizeof *r->exact);
  r->counts = calloc(model->outputs + 1, sizeof *r->counts);
  if (code == CS_OK && (r->exact == NULL || r->counts == NULL)) code = cs_error_memory(error);
  if (code == CS_OK) code = r->simulated ? cs_recommend_try(r, error) : cs_recommend_by_limits(r, error);
  if (code == CS_OK) code = judge(r, error);
  if (code == CS_OK && r->simulated) code = find_limits(r, error);
  return code;
}

void cs_recommend_close(struct cs_recommendation *r) {
  for (size_t i = 0; i < r->candidates; i++)
    free(r->candidate[i].approach.sequence);
  free(r->candidate);
  free(r->exact);
  free(r->counts);
  cs_explain_close(&r->base);
  *r = (struct cs_recommendation){0};
}

/* ---- as a sweep file */

/* What the sweep computes: errors with their orders, or limits. */
static void add_wanted(bool simulated, struct cs_writer *w) {
  static const char *const metrics[] = {"output_error", "output_error_relative", "evaluations", "stages"};
  if (simulated) {
    cs_experiment_metrics(w, metrics, sizeof metrics / sizeof *metrics);
    cs_writer_list(w, "fits");
    cs_writer_object(w, NULL);
  } else {
    cs_writer_object(w, "boundary");
  }
  cs_writer_string(w, "along", "H");
  cs_writer_end(w);
  if (simulated) cs_writer_end(w);
}

int cs_recommend_add_sweep(const struct cs_recommendation *r, const char *model, struct cs_text *text,
                           struct cs_error *error) {
  struct cs_text plain = {0};
  struct cs_writer w = {.text = &plain};
  struct cs_json *json = NULL;
  const double H = r->candidate->H;
  const size_t best = r->reached < 3 ? r->reached : 3;
  char about[120];
  if (r->simulated)
    snprintf(about, sizeof about, "recommended for a relative error of %g", r->wish->error);
  else
    snprintf(about, sizeof about, "around the largest stable step, linearised %s",
             cs_model_linearised(r->base.network.initial));
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "format", "cosweep-sweep/1");
  cs_text_add(text, "%s_recommended", r->model->name);
  cs_writer_string(&w, "name", cs_text_string(text));
  cs_text_free(text);
  cs_writer_string(&w, "description", about);
  cs_writer_string(&w, "model", model);
  if (r->simulated)
    cs_writer_number(&w, "t_end", r->t_end);
  else
    cs_writer_string(&w, "study", "stability");
  if (cs_recommend_repeats(r, NULL, best)) {
    cs_writer_object(&w, "method");
    cs_writer_number(&w, "tolerance_iterations", cs_recommend_tolerance(r));
    cs_writer_end(&w);
  }
  cs_writer_list(&w, "axes");
  cs_recommend_write_settings(r, NULL, NULL, best, &w);
  cs_experiment_sizes(&w, cs_explain_round(H / 8.0, 6), cs_explain_round(2.0 * H, 6), 13);
  cs_writer_end(&w);
  add_wanted(r->simulated, &w);
  cs_writer_end(&w);
  int code = plain.failed ? cs_error_memory(error)
                          : cs_json_parse(r->wish->experiment.path, plain.data, plain.length, &json, error);
  for (size_t i = 0; i < r->wish->experiment.sets && code == CS_OK; i++)
    code = cs_json_assign(json, r->wish->experiment.set[i], error);
  if (code == CS_OK) {
    cs_json_print(cs_json_root(json), text);
    cs_text_add(text, "\n");
  }
  cs_json_free(json);
  cs_text_free(&plain);
  return code;
}
