#include "recommend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_private.h"
#include "sweep.h"

/* Values of H that are tried. */
#define SIZES 121
/* RMS of an output that counts, relative to the largest of the same unit. */
#define MOVES 1e-9

const char *cs_recommend_cost_name(enum cs_recommend_cost cost) {
  static const char *const name[CS_COSTS] = {"evaluations", "stages", "steps"};
  return name[cost];
}

/* ---- candidates */

static int add_candidates(struct cs_recommendation *r, const char *master, const size_t *sequence,
                          struct cs_error *error) {
  const struct cs_recommend_wish *wish = r->wish;
  const size_t parts = r->base.network.parts;
  if (wish->derivatives && wish->rollback && sequence == NULL && r->model->events == 0)
    r->candidate[r->candidates++] =
        (struct cs_candidate){.approach = {master, "hermite", NULL, CS_CONVERGED}, .order = 3};
  for (int derivatives = 0; derivatives <= wish->derivatives; derivatives++)
    for (size_t i = 0; i < (wish->rollback ? CS_EXPERIMENT_REPEATED : 1); i++)
      for (unsigned order = (unsigned)derivatives; order < CS_EXPLAIN_ORDERS; order++) {
        const unsigned iterations = cs_experiment_iterations(i);
        if (iterations == CS_CONVERGED && sequence != NULL) continue;
        struct cs_candidate *to = &r->candidate[r->candidates++];
        *to = (struct cs_candidate){.approach = {master, derivatives ? "taylor" : "lagrange", NULL, iterations},
                                    .order = order};
        if (sequence == NULL) continue;
        to->approach.sequence = malloc((parts + 1) * sizeof *sequence);
        if (to->approach.sequence == NULL) return cs_error_memory(error);
        memcpy(to->approach.sequence, sequence, parts * sizeof *sequence);
      }
  return CS_OK;
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

/* jacobi, and gauss_seidel in all sequences of up to three subsystems, else in the model's order and the opposite. */
static int list_candidates(struct cs_recommendation *r, struct cs_error *error) {
  const size_t parts = r->base.network.parts;
  size_t *sequence = malloc((parts + 1) * sizeof *sequence);
  r->candidate = calloc((1 + 6) * 2 * CS_EXPERIMENT_REPEATED * CS_EXPLAIN_ORDERS, sizeof *r->candidate);
  int code = sequence != NULL && r->candidate != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) code = add_candidates(r, "jacobi", NULL, error);
  for (size_t i = 0; code == CS_OK && i < parts; i++)
    sequence[i] = i;
  bool more = parts > 1;
  while (code == CS_OK && more) {
    code = add_candidates(r, "gauss_seidel", sequence, error);
    if (parts <= 3) {
      more = permute(sequence, parts);
      continue;
    }
    more = sequence[0] == 0;
    for (size_t i = 0; i < parts; i++)
      sequence[i] = parts - 1 - i;
  }
  free(sequence);
  return code;
}

/* ---- the sweep */

/* A path of the zip axis with the candidates' values. */
static void begin_values(struct cs_writer *w, const char *path) {
  cs_writer_line(w);
  cs_writer_list(w, path);
}

static void add_sequence(const struct cs_recommendation *r, const struct cs_approach *a, struct cs_writer *w) {
  struct cs_text label = {0};
  if (a->sequence == NULL) {
    cs_writer_string(w, NULL, "model");
    return;
  }
  for (size_t i = 0; i < r->base.network.parts; i++)
    cs_text_add(&label, "%s%s", i > 0 ? "-" : "", r->base.network.part[a->sequence[i]].name);
  cs_writer_object(w, NULL);
  cs_writer_string(w, "label", cs_text_string(&label));
  cs_writer_list(w, "value");
  for (size_t i = 0; i < r->base.network.parts; i++)
    cs_writer_string(w, NULL, r->base.network.part[a->sequence[i]].name);
  cs_writer_end(w);
  cs_writer_end(w);
  w->text->failed |= label.failed;
  cs_text_free(&label);
}

/* Both axes: the first `count` candidates, and H. */
static void add_axes(const struct cs_recommendation *r, size_t count, double first, double last, size_t sizes,
                     struct cs_writer *w) {
  cs_writer_lines(w);
  cs_writer_object(w, NULL);
  cs_writer_string(w, "name", "setting");
  cs_writer_object(w, "zip");
  begin_values(w, "method.master");
  for (size_t i = 0; i < count; i++)
    cs_writer_string(w, NULL, r->candidate[i].approach.master);
  cs_writer_end(w);
  begin_values(w, "method.sequence");
  for (size_t i = 0; i < count; i++)
    add_sequence(r, &r->candidate[i].approach, w);
  cs_writer_end(w);
  begin_values(w, "method.hold");
  for (size_t i = 0; i < count; i++)
    cs_writer_string(w, NULL, r->candidate[i].approach.hold);
  cs_writer_end(w);
  begin_values(w, "method.order");
  for (size_t i = 0; i < count; i++)
    cs_writer_count(w, NULL, r->candidate[i].order);
  cs_writer_end(w);
  if (r->wish->rollback) {
    begin_values(w, "method.iterations");
    for (size_t i = 0; i < count; i++)
      cs_experiment_write_iterations(w, NULL, r->candidate[i].approach.iterations);
    cs_writer_end(w);
  }
  cs_writer_end(w);
  cs_writer_end(w);
  cs_experiment_sizes(w, first, last, sizes);
}

static void write_sweep(const struct cs_recommendation *r, struct cs_text *text) {
  const char *metrics[3 + CS_COSTS] = {"output_error", "output_exact", "spectral_radius"};
  struct cs_writer w = {.text = text};
  cs_experiment_begin(&w, "simulation", NULL, NULL, 0.0);
  cs_experiment_axes(&w);
  add_axes(r, r->candidates, r->first, r->last, SIZES, &w);
  cs_experiment_end_axes(&w);
  cs_writer_number(&w, "t_end", r->t_end);
  for (int i = 0; i < CS_COSTS; i++)
    metrics[3 + i] = cs_recommend_cost_name(i);
  cs_experiment_metrics(&w, metrics, 3 + CS_COSTS);
  cs_writer_end(&w);
}

/* ---- its result */

/* RMS of the exact outputs, the largest of all runs, which sum at different points. */
static void find_exact(struct cs_recommendation *r, const struct cs_table *table) {
  const struct cs_array *exact = cs_table_find(table, "output_exact");
  for (size_t i = 0; i < exact->count; i++)
    r->exact[i % r->base.network.outputs] = fmax(r->exact[i % r->base.network.outputs], exact->data.float64[i]);
}

/* The outputs that count: those asked for, or those that move. */
static int choose_outputs(struct cs_recommendation *r, struct cs_error *error) {
  const size_t n = r->base.network.outputs;
  const struct cs_signal *output = r->model->output;
  size_t moving = 0;
  for (size_t i = 0; i < n; i++) {
    double largest = 0.0;
    for (size_t j = 0; j < n; j++)
      if (strcmp(output[i].unit, output[j].unit) == 0) largest = fmax(largest, r->exact[j]);
    r->counts[i] = r->exact[i] > MOVES * largest;
    moving += r->counts[i];
  }
  if (moving == 0)
    return cs_error_set(error, CS_NO_RESULT,
                        "%s: nothing moves: all initial values and constants are zero; give x0 in the model",
                        r->wish->experiment.path);
  for (size_t i = 0; i < n && r->wish->signals > 0; i++) {
    bool asked = false;
    for (size_t k = 0; k < r->wish->signals; k++)
      asked = asked || strcmp(r->wish->signal[k], output[i].name) == 0;
    if (asked && !(r->exact[i] > 0.0))
      return cs_error_set(error, CS_NO_RESULT,
                          "%s: %s is zero in the exact solution, so that no error is relative to it",
                          r->wish->experiment.path, output[i].name);
    r->counts[i] = asked;
  }
  return CS_OK;
}

/* The largest relative error of the outputs that count; infinite if the run failed. */
static double error_of(const struct cs_recommendation *r, const struct cs_table *table, size_t run) {
  const struct cs_array *error = cs_table_find(table, "output_error"), *exact = cs_table_find(table, "output_exact");
  const size_t n = r->base.network.outputs;
  double largest = 0.0;
  if (cs_table_find(table, "status")->data.uint8[run] != CS_STATUS_OK) return INFINITY;
  for (size_t i = 0; i < n; i++) {
    if (!r->counts[i]) continue;
    const double own = error->data.float64[run * n + i] / exact->data.float64[run * n + i];
    if (!(own <= largest)) largest = isnan(own) ? INFINITY : own;
  }
  return largest;
}

/* The largest H up to which every H keeps the error. */
static void find_best(const struct cs_recommendation *r, const struct cs_table *table, size_t index) {
  struct cs_candidate *c = &r->candidate[index];
  const double *sizes = cs_table_find_dimension(table, "H")->values;
  bool kept = true;
  c->H = c->error = c->radius = NAN;
  c->lowest = INFINITY;
  for (size_t k = 0; k < SIZES; k++) {
    const size_t run = index * SIZES + k;
    const double own = error_of(r, table, run);
    c->lowest = fmin(c->lowest, own);
    kept = kept && own <= r->wish->error;
    if (!kept) continue;
    c->H = sizes[k];
    c->error = own;
    for (int i = 0; i < CS_COSTS; i++)
      c->cost[i] = cs_table_number(cs_table_find(table, cs_recommend_cost_name(i)), run);
    c->radius = cs_table_number(cs_table_find(table, "spectral_radius"), run);
  }
}

static int run_sweep(struct cs_recommendation *r, struct cs_error *error) {
  struct cs_text text = {0};
  struct cs_table *table = NULL;
  write_sweep(r, &text);
  int code = cs_experiment_run(&r->wish->experiment, NULL, false, &text, &table, error);
  if (code == CS_OK) {
    find_exact(r, table);
    code = choose_outputs(r, error);
  }
  for (size_t i = 0; i < r->candidates && code == CS_OK; i++)
    find_best(r, table, i);
  cs_table_free(table);
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
  struct cs_text setting = {0};
  cs_experiment_add_approach(&r->base.network, &lowest->approach, true, &setting);
  cs_error_set(error, CS_NO_RESULT, "%s: no combination reaches %g above H = %g; smallest error %.2g (%s, %s %u)",
               r->wish->experiment.path, r->wish->error, r->first, lowest->lowest, cs_text_string(&setting),
               lowest->approach.hold, lowest->order);
  cs_text_free(&setting);
  return CS_NO_RESULT;
}

/* First limits of those that reach the error. */
static int find_limits(struct cs_recommendation *r, struct cs_error *error) {
  const struct cs_explanation *e = &r->base;
  int code = CS_OK;
  for (size_t i = 0; i < r->candidates && code == CS_OK; i++) {
    struct cs_candidate *c = &r->candidate[i];
    struct cs_explain_limit limit = {.there = false};
    c->limit = NAN;
    if (isnan(c->H) || e->growth != CS_GROWTH_DAMPED) continue;
    code = cs_explain_scan(e, &e->network, &c->approach, c->order, 1, &limit, error);
    if (code == CS_OK) c->limit = cs_explain_first(&limit);
    free(limit.change);
  }
  return code;
}

/* ---- all of it */

/* Time span and range of H from the modes of the coupled model. */
static int choose_ranges(struct cs_recommendation *r, struct cs_error *error) {
  const struct cs_explanation *e = &r->base;
  if (!(e->fastest > 0.0))
    return cs_error_set(error, CS_NO_RESULT, "%s: the coupled model has no mode that moves: every step size is exact",
                        r->wish->experiment.path);
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

int cs_recommend_open(const struct cs_model *model, const struct cs_recommend_wish *wish, struct cs_recommendation *r,
                      struct cs_error *error) {
  *r = (struct cs_recommendation){.model = model, .wish = wish, .plain = {.experiment = wish->experiment}};
  int code = check_signals(r, error);
  if (code == CS_OK && model->state_events > 0)
    code = cs_error_set(error, CS_INPUT, "%s: recommend takes models without state events", wish->experiment.path);
  if (code == CS_OK) code = cs_explain_open_modes(model, &r->plain, "recommend", &r->base, error);
  if (code == CS_OK) code = choose_ranges(r, error);
  if (code == CS_OK) code = list_candidates(r, error);
  r->exact = calloc(model->outputs + 1, sizeof *r->exact);
  r->counts = calloc(model->outputs + 1, sizeof *r->counts);
  if (code == CS_OK && (r->exact == NULL || r->counts == NULL)) code = cs_error_memory(error);
  if (code == CS_OK) code = run_sweep(r, error);
  if (code == CS_OK) code = judge(r, error);
  if (code == CS_OK) code = find_limits(r, error);
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

int cs_recommend_add_sweep(const struct cs_recommendation *r, const char *model, struct cs_text *text,
                           struct cs_error *error) {
  struct cs_text plain = {0};
  struct cs_writer w = {.text = &plain};
  struct cs_json *json = NULL;
  const double H = r->candidate->H;
  char about[80];
  snprintf(about, sizeof about, "recommended for a relative error of %g", r->wish->error);
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "format", "cosweep-sweep/1");
  cs_text_add(text, "%s_recommended", r->model->name);
  cs_writer_string(&w, "name", cs_text_string(text));
  cs_text_free(text);
  cs_writer_string(&w, "description", about);
  cs_writer_string(&w, "model", model);
  cs_writer_number(&w, "t_end", r->t_end);
  cs_writer_list(&w, "axes");
  add_axes(r, r->reached < 3 ? r->reached : 3, cs_explain_round(H / 8.0, 6), cs_explain_round(2.0 * H, 6), 13, &w);
  cs_writer_end(&w);
  static const char *const metrics[] = {"output_error", "output_error_relative", "evaluations", "stages"};
  cs_experiment_metrics(&w, metrics, sizeof metrics / sizeof *metrics);
  cs_writer_list(&w, "fits");
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "along", "H");
  cs_writer_end(&w);
  cs_writer_end(&w);
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
