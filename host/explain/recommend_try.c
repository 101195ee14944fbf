/* Runs of candidates at step sizes, and what they say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recommend_private.h"
#include "setting.h"

/* Values of H that are tried: all of them up to so many states. Beyond, where a run takes n^3 operations, every
 * STRIDE-th, a power of two, from the smallest one on, as long as the error is kept, and then the gap between the last
 * that keeps it and the next is halved until it is none. */
enum { SIZES = 121, ALL_UP_TO = 40, STRIDE = 8, AT_ONCE = 4 };
/* RMS of an output that counts, relative to the largest of the same unit. */
#define MOVES 1e-9

/* What a candidate's run with one H says; error NaN: it was not tried. */
struct trial {
  double error, cost[CS_COSTS];
};

struct tries {
  struct cs_recommendation *r;
  bool begun;      /* outputs have been chosen */
  size_t searched; /* candidates before those that are repeated to a tolerance */
  double H[SIZES];
  struct trial *trial;  /* [candidates][SIZES] */
  size_t *which, *size; /* candidates and H of runs to come, */
  size_t count;         /* so many, at most candidates SIZES */
};

static struct trial *trial_of(const struct tries *t, size_t candidate, size_t size) {
  return &t->trial[candidate * SIZES + size];
}

/* ---- sweeps */

/* A path of the zip axis with the candidates' values. */
static void begin_values(struct cs_writer *w, const char *path) {
  cs_writer_line(w);
  cs_writer_list(w, path);
}

static void add_sequence(const struct cs_recommendation *r, const struct cs_approach *a, struct cs_writer *w) {
  struct cs_text label = {0};
  if (a->sequence == NULL || a->alternating) {
    const enum cs_sequence word = a->alternating ? CS_SEQUENCE_ALTERNATING : CS_SEQUENCE_MODEL;
    cs_writer_string(w, NULL, cs_setting_word(CS_SETTING_SEQUENCE, word));
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

static const struct cs_candidate *candidate_of(const struct cs_recommendation *r, const size_t *which, size_t i) {
  return &r->candidate[which != NULL ? which[i] : i];
}

double cs_recommend_tolerance(const struct cs_recommendation *r) {
  return fmax(1e-3 * r->wish->error, 1e-12);
}

bool cs_recommend_repeats(const struct cs_recommendation *r, const size_t *which, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++)
    any = any || candidate_of(r, which, i)->approach.iterations == CS_TOLERANCE;
  return any;
}

void cs_recommend_write_settings(const struct cs_recommendation *r, const size_t *which, const double *H, size_t count,
                                 struct cs_writer *w) {
  cs_writer_lines(w);
  cs_writer_object(w, NULL);
  cs_writer_string(w, "name", "setting");
  cs_writer_object(w, "zip");
  begin_values(w, "method.master");
  for (size_t i = 0; i < count; i++)
    cs_writer_string(w, NULL, cs_experiment_master(&candidate_of(r, which, i)->approach));
  cs_writer_end(w);
  begin_values(w, "method.sequence");
  for (size_t i = 0; i < count; i++)
    add_sequence(r, &candidate_of(r, which, i)->approach, w);
  cs_writer_end(w);
  begin_values(w, "method.hold");
  for (size_t i = 0; i < count; i++)
    cs_writer_string(w, NULL, cs_experiment_hold(&candidate_of(r, which, i)->approach));
  cs_writer_end(w);
  begin_values(w, "method.order");
  for (size_t i = 0; i < count; i++)
    cs_writer_count(w, NULL, candidate_of(r, which, i)->order);
  cs_writer_end(w);
  if (r->wish->rollback) {
    begin_values(w, "method.iterations");
    for (size_t i = 0; i < count; i++)
      cs_experiment_write_iterations(w, NULL, candidate_of(r, which, i)->approach.iterations);
    cs_writer_end(w);
  }
  if (cs_recommend_repeats(r, which, count)) {
    begin_values(w, "method.acceleration");
    for (size_t i = 0; i < count; i++)
      cs_writer_string(w, NULL, cs_experiment_acceleration(candidate_of(r, which, i)->approach.iterations));
    cs_writer_end(w);
  }
  if (r->wish->integrals) {
    begin_values(w, "method.compensation");
    for (size_t i = 0; i < count; i++)
      cs_writer_count(w, NULL, candidate_of(r, which, i)->approach.compensated);
    cs_writer_end(w);
  }
  if (H != NULL) {
    begin_values(w, "method.step.size");
    for (size_t i = 0; i < count; i++)
      cs_writer_shortest(w, NULL, H[i]);
    cs_writer_end(w);
  }
  cs_writer_end(w);
  cs_writer_end(w);
}

static const char *const measured[] = {"output_error", "evaluations", "stages", "steps", "output_exact"};
enum { MEASURED = sizeof measured / sizeof *measured };

/* Runs of candidates which [count] with H [count]; H NULL: of all candidates with all sizes. */
static int run(const struct cs_recommendation *r, const size_t *which, const double *H, size_t count,
               const char *const *metric, size_t metrics, struct cs_table **table, struct cs_error *error) {
  struct cs_text text = {0};
  struct cs_writer w = {.text = &text};
  cs_experiment_begin(&w, "simulation", NULL, NULL, 0.0);
  if (cs_recommend_repeats(r, which, count)) cs_writer_number(&w, "tolerance_iterations", cs_recommend_tolerance(r));
  cs_experiment_axes(&w);
  cs_recommend_write_settings(r, which, H, count, &w);
  if (H == NULL) cs_experiment_sizes(&w, r->first, r->last, SIZES);
  cs_experiment_end_axes(&w);
  cs_writer_number(&w, "t_end", r->t_end);
  cs_experiment_metrics(&w, metric, metrics);
  cs_writer_end(&w);
  /* a tolerance is one of the model's own values that are handed on */
  const bool narrowed = r->narrowed && !cs_recommend_repeats(r, which, count);
  return cs_experiment_run(&r->wish->experiment, narrowed ? &r->base.network : NULL, CS_SNAPSHOT_WHOLE, &text, table,
                           error);
}

/* ---- their results */

/* RMS of the exact outputs, which all runs have that succeed. */
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
  const struct cs_array *error = cs_table_find(table, "output_error");
  const size_t n = r->base.network.outputs;
  double largest = 0.0;
  if (cs_table_find(table, "status")->data.uint8[run] != CS_STATUS_OK) return INFINITY;
  for (size_t i = 0; i < n; i++) {
    if (!r->counts[i]) continue;
    const double own = error->data.float64[run * n + i] / r->exact[i];
    if (!(own <= largest)) largest = isnan(own) ? INFINITY : own;
  }
  return largest;
}

/* Outputs are chosen by the first table. */
static int begin_with(struct tries *t, const struct cs_table *table, struct cs_error *error) {
  if (t->begun) return CS_OK;
  t->begun = true;
  find_exact(t->r, table);
  return choose_outputs(t->r, error);
}

static void enter(struct tries *t, const struct cs_table *table, size_t run, struct trial *to) {
  to->error = error_of(t->r, table, run);
  for (int i = 0; i < CS_COSTS; i++)
    to->cost[i] = cs_table_number(cs_table_find(table, cs_recommend_cost_name(i)), run);
}

/* ---- which are run */

static int try_all(struct tries *t, struct cs_error *error) {
  struct cs_table *table = NULL;
  int code = run(t->r, NULL, NULL, t->searched, measured, MEASURED, &table, error);
  if (code == CS_OK) code = begin_with(t, table, error);
  if (code == CS_OK) memcpy(t->H, cs_table_find_dimension(table, "H")->values, sizeof t->H);
  for (size_t i = 0; i < t->searched * SIZES && code == CS_OK; i++)
    enter(t, table, i, &t->trial[i]);
  cs_table_free(table);
  return code;
}

static void list(struct tries *t, size_t candidate, size_t size) {
  t->which[t->count] = candidate;
  t->size[t->count++] = size;
}

/* Runs what is listed. */
static int run_listed(struct tries *t, struct cs_error *error) {
  struct cs_table *table = NULL;
  double *H = malloc((t->count + 1) * sizeof *H);
  if (H == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < t->count; i++)
    H[i] = t->H[t->size[i]];
  const size_t metrics = t->begun ? MEASURED - 1 : MEASURED;
  int code = t->count > 0 ? run(t->r, t->which, H, t->count, measured, metrics, &table, error) : CS_OK;
  if (code == CS_OK && t->count > 0) code = begin_with(t, table, error);
  for (size_t i = 0; i < t->count && code == CS_OK; i++)
    enter(t, table, i, trial_of(t, t->which[i], t->size[i]));
  cs_table_free(table);
  free(H);
  t->count = 0;
  return code;
}

/* Whether no H that was tried has a larger error. */
static bool keeps(const struct tries *t, size_t candidate) {
  bool kept = true;
  for (size_t k = 0; k < SIZES; k++)
    kept = kept && !(trial_of(t, candidate, k)->error > t->r->wish->error);
  return kept;
}

/* Whether a candidate has kept the error with some H. */
static bool any_reaches(const struct tries *t) {
  bool any = false;
  for (size_t i = 0; i < t->searched; i++)
    any = any || trial_of(t, i, 0)->error <= t->r->wish->error;
  return any;
}

/* The last H of those tried that keeps the error as all before it do; SIZES: none. */
static size_t last_kept(const struct tries *t, size_t candidate) {
  size_t found = SIZES;
  for (size_t k = 0; k < SIZES && !(trial_of(t, candidate, k)->error > t->r->wish->error); k++)
    if (!isnan(trial_of(t, candidate, k)->error)) found = k;
  return found;
}

static int try_some(struct tries *t, struct cs_error *error) {
  const struct cs_recommendation *r = t->r;
  for (size_t k = 0; k < SIZES; k++)
    t->H[k] = k + 1 == SIZES ? r->last : r->first * pow(r->last / r->first, (double)k / (SIZES - 1));
  int code = CS_OK;
  for (size_t k = 0; k < SIZES && code == CS_OK; k += STRIDE * AT_ONCE) {
    const bool searched = k > 0 && any_reaches(t); /* else the smallest error of all is told */
    for (size_t i = 0; i < t->searched; i++)
      for (size_t s = k; s < k + STRIDE * AT_ONCE && s < SIZES && (!searched || keeps(t, i)); s += STRIDE)
        list(t, i, s);
    code = run_listed(t, error);
  }
  for (size_t width = STRIDE / 2; width > 0 && code == CS_OK; width /= 2) {
    for (size_t i = 0; i < t->searched; i++) {
      const size_t last = last_kept(t, i);
      if (last + width < SIZES) list(t, i, last + width);
    }
    code = run_listed(t, error);
  }
  return code;
}

/* ---- what is best */

/* The largest H up to which every H that was tried keeps the error. */
static void find_best(const struct tries *t, size_t index) {
  struct cs_candidate *c = &t->r->candidate[index];
  bool kept = true;
  c->H = c->error = c->radius = NAN;
  c->lowest = INFINITY;
  for (size_t k = 0; k < SIZES; k++) {
    const struct trial *own = trial_of(t, index, k);
    if (isnan(own->error)) continue;
    c->lowest = fmin(c->lowest, own->error);
    kept = kept && own->error <= t->r->wish->error;
    if (!kept) continue;
    c->H = t->H[k];
    c->error = own->error;
    memcpy(c->cost, own->cost, sizeof c->cost);
  }
}

/* The candidate whose limit one that is repeated to a tolerance approaches: converged, with its hold and order. */
static size_t limit_of(const struct cs_recommendation *r, size_t candidate) {
  const struct cs_candidate *own = &r->candidate[candidate];
  size_t i = 0;
  if (own->approach.iterations != CS_TOLERANCE) return candidate;
  while (r->candidate[i].approach.iterations != CS_CONVERGED || r->candidate[i].approach.hold != own->approach.hold ||
         r->candidate[i].order != own->order)
    i++;
  return i;
}

/* Those that are repeated to a tolerance are run with the H of their limit, whose step is a map and has been searched
 * for; where what the tolerance leaves is too much, with the next smaller ones. */
static int try_repeated(struct tries *t, struct cs_error *error) {
  struct cs_recommendation *r = t->r;
  int code = CS_OK;
  for (size_t i = t->searched; i < r->candidates && code == CS_OK; i++) {
    const double H = r->candidate[limit_of(r, i)].H;
    size_t size = isnan(H) ? 0 : SIZES; /* the limit does not reach the error with any */
    while (size > 0 && t->H[size - 1] > H)
      size--;
    for (bool kept = false; size > 0 && !kept && code == CS_OK; size--) {
      list(t, i, size - 1);
      code = run_listed(t, error);
      kept = code == CS_OK && trial_of(t, i, size - 1)->error <= r->wish->error;
    }
    find_best(t, i);
  }
  return code;
}

/* Spectral radii with the H found. */
static int find_radii(struct tries *t, struct cs_error *error) {
  static const char *const radius = "spectral_radius";
  struct cs_recommendation *r = t->r;
  struct cs_table *table = NULL;
  double *H = malloc((r->candidates + 1) * sizeof *H);
  size_t count = 0;
  if (H == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < r->candidates; i++)
    if (!isnan(r->candidate[i].H)) {
      t->size[count] = i;
      t->which[count] = limit_of(r, i);
      H[count++] = r->candidate[i].H;
    }
  const int code = count > 0 ? run(r, t->which, H, count, &radius, 1, &table, error) : CS_OK;
  for (size_t i = 0; i < count && code == CS_OK; i++)
    r->candidate[t->size[i]].radius = cs_table_number(cs_table_find(table, radius), i);
  cs_table_free(table);
  free(H);
  return code;
}

int cs_recommend_try(struct cs_recommendation *r, struct cs_error *error) {
  const size_t most = r->candidates * SIZES;
  struct tries t = {.r = r};
  while (t.searched < r->candidates && r->candidate[t.searched].approach.iterations != CS_TOLERANCE)
    t.searched++;
  t.trial = malloc((most + 1) * sizeof *t.trial);
  t.which = malloc((most + 1) * sizeof *t.which);
  t.size = malloc((most + 1) * sizeof *t.size);
  int code = t.trial != NULL && t.which != NULL && t.size != NULL ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; i < most && code == CS_OK; i++)
    t.trial[i].error = NAN;
  if (code == CS_OK) code = r->base.network.states <= ALL_UP_TO ? try_all(&t, error) : try_some(&t, error);
  for (size_t i = 0; i < t.searched && code == CS_OK; i++)
    find_best(&t, i);
  if (code == CS_OK) code = try_repeated(&t, error);
  if (code == CS_OK) code = find_radii(&t, error);
  free(t.trial);
  free(t.which);
  free(t.size);
  return code;
}
