/* Limits of the step size of every master and order, and of networks with two subsystems merged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain_private.h"

/* Points of the scan in every decade of H: beyond so many states fewer, so that a scan takes n^2 operations, not n^3,
 * but never less than the least. */
enum { PER_DECADE = 60, LEAST_PER_DECADE = 12, ALL_UP_TO = 40 };

size_t cs_explain_per_decade(const struct cs_explanation *e) {
  const size_t n = e->network.states;
  if (n <= ALL_UP_TO) return PER_DECADE;
  const size_t fewer = PER_DECADE * ALL_UP_TO / n;
  return fewer > LEAST_PER_DECADE ? fewer : LEAST_PER_DECADE;
}

/* ---- the table's rows */

enum way { JACOBI, FORWARDS, BACKWARDS, ALTERNATING, WAYS };

static int add_row(struct cs_explanation *e, enum cs_hold hold, enum way way, unsigned iterations,
                   struct cs_error *error) {
  struct cs_explain_row *row = &e->row[e->rows++];
  const size_t parts = e->network.parts;
  *row = (struct cs_explain_row){.approach = {way == JACOBI ? CS_JACOBI : CS_GAUSS_SEIDEL, hold, NULL, iterations}};
  if (way == JACOBI) return CS_OK;
  row->approach.alternating = way == ALTERNATING;
  row->approach.sequence = malloc((parts + 1) * sizeof *row->approach.sequence);
  if (row->approach.sequence == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < parts; i++)
    row->approach.sequence[i] = way == BACKWARDS ? parts - 1 - i : i;
  return CS_OK;
}

static int add_rows(struct cs_explanation *e, enum cs_hold hold, unsigned iterations, struct cs_error *error) {
  const bool one = e->network.parts == 1 || iterations == CS_CONVERGED;
  const bool turns = iterations == 0 && cs_experiment_alternates(&e->wish->experiment);
  const int ways = one ? 1 : turns ? WAYS : ALTERNATING;
  int code = CS_OK;
  for (int way = 0; code == CS_OK && way < ways; way++)
    code = add_row(e, hold, (enum way)way, iterations, error);
  return code;
}

int cs_explain_list_rows(struct cs_explanation *e, struct cs_error *error) {
  const struct cs_explain_wish *wish = e->wish;
  int code = CS_OK;
  static const enum cs_hold holds[] = {CS_LAGRANGE, CS_TAYLOR};
  e->row = calloc(3 * WAYS * CS_EXPERIMENT_REPEATED + 1, sizeof *e->row);
  if (e->row == NULL) return cs_error_memory(error);
  for (int derivatives = 0; derivatives <= wish->derivatives; derivatives++)
    for (size_t i = 0; code == CS_OK && i < (wish->rollback ? CS_EXPERIMENT_REPEATED : 1); i++)
      code = add_rows(e, holds[derivatives], cs_experiment_iterations(i), error);
  if (code == CS_OK && wish->approach.hold == CS_HERMITE) code = add_rows(e, CS_HERMITE, 0, error);
  if (code == CS_OK && wish->derivatives && wish->rollback) code = add_row(e, CS_HERMITE, JACOBI, CS_CONVERGED, error);
  if (code == CS_OK && wish->integrals) {
    code = add_row(e, CS_LAGRANGE, JACOBI, 0, error);
    e->row[e->rows - 1].approach.compensated = true;
  }
  return code;
}

/* ---- one row */

static void add_orders(struct cs_writer *w, unsigned first, unsigned count) {
  cs_writer_object(w, NULL);
  cs_writer_string(w, "name", "m");
  cs_writer_string(w, "path", "method.order");
  cs_writer_list(w, "values");
  for (unsigned m = first; m < first + count; m++)
    cs_writer_count(w, NULL, m);
  cs_writer_end(w);
  cs_writer_end(w);
}

/* Fills limit [count] of orders from `first` on. */
static int read_limits(const struct cs_table *table, size_t count, struct cs_explain_limit *limit,
                       struct cs_error *error) {
  const struct cs_array *changes = cs_table_find(table, "H_crossings"),
                        *counts = cs_table_find(table, "H_crossing_count");
  const struct cs_array *stable = cs_table_find(table, "stable");
  const size_t width = changes->count / count, points = stable->count / count;
  for (size_t i = 0; i < count; i++) {
    limit[i].there = true;
    limit[i].excess = NAN;
    limit[i].stable_at_first = stable->data.uint8[i * points] != 0;
    limit[i].changes = (size_t)counts->data.int64[i];
    limit[i].change = malloc((limit[i].changes + 1) * sizeof(double));
    if (limit[i].change == NULL) return cs_error_memory(error);
    memcpy(limit[i].change, changes->data.float64 + i * width, limit[i].changes * sizeof(double));
  }
  return CS_OK;
}

/* What is scanned: orders, and step sizes. */
struct scan {
  const struct cs_snapshot *snapshot;
  const struct cs_approach *approach;
  unsigned order, orders;
  double first, last;
  size_t points;
};

static int run_scan(const struct cs_explanation *e, const struct scan *scan, struct cs_explain_limit *limit,
                    struct cs_error *error) {
  struct cs_text text = {0};
  struct cs_writer w = {.text = &text};
  struct cs_table *table = NULL;
  cs_experiment_begin(&w, "stability", scan->approach, scan->snapshot, 0.0);
  cs_experiment_axes(&w);
  add_orders(&w, scan->order, scan->orders);
  cs_experiment_sizes(&w, scan->first, scan->last, scan->points);
  cs_experiment_end_axes(&w);
  cs_experiment_metrics(&w, (const char *[]){"stable"}, 1);
  cs_writer_object(&w, "boundary");
  cs_writer_string(&w, "along", "H");
  cs_writer_end(&w);
  cs_writer_end(&w);
  int code = cs_experiment_run(&e->wish->experiment, scan->snapshot, CS_SNAPSHOT_BARE, &text, &table, error);
  if (code == CS_OK) code = read_limits(table, scan->orders, limit, error);
  cs_table_free(table);
  return code;
}

static size_t count_points(const struct cs_explanation *e) {
  return (size_t)((double)cs_explain_per_decade(e) * log10(e->last / e->first)) + 1;
}

int cs_explain_scan(const struct cs_explanation *e, const struct cs_snapshot *s, const struct cs_approach *approach,
                    unsigned first, unsigned count, struct cs_explain_limit *limit, struct cs_error *error) {
  return run_scan(e, &(struct scan){s, approach, first, count, e->first, e->last, count_points(e)}, limit, error);
}

/* The first limit of a scan; 0 also where its first point has no radius. */
static int first_of(const struct cs_explanation *e, const struct scan *scan, double *first, struct cs_error *error) {
  struct cs_explain_limit limit = {.there = false};
  const int code = run_scan(e, scan, &limit, error);
  if (code == CS_OK) *first = cs_explain_first(&limit);
  free(limit.change);
  return code;
}

int cs_explain_scan_first(const struct cs_explanation *e, const struct cs_approach *approach, unsigned order,
                          double *first, struct cs_error *error) {
  const size_t gaps = count_points(e) - 1, piece = e->network.states <= ALL_UP_TO ? gaps : cs_explain_per_decade(e);
  const struct scan whole = {&e->network, approach, order, 1, e->first, e->last, gaps + 1};
  struct scan scan = whole;
  int code = CS_OK;
  *first = INFINITY;
  for (size_t k = 0, next; code == CS_OK && *first == INFINITY && k < gaps; k = next) {
    next = gaps - k < 2 * piece ? gaps : k + piece;
    scan.last = next == gaps ? e->last : e->first * pow(e->last / e->first, (double)next / (double)gaps);
    scan.points = next - k + 1;
    code = first_of(e, &scan, first, error);
    if (code == CS_OK && k > 0 && *first == 0.0) return first_of(e, &whole, first, error);
    scan.first = scan.last;
  }
  return code;
}

/* Excess growth of every order at e->small, where no mode is damped. */
static int measure_excess(const struct cs_explanation *e, const struct cs_approach *approach, unsigned first,
                          unsigned count, struct cs_explain_limit *limit, struct cs_error *error) {
  struct cs_text text = {0};
  struct cs_writer w = {.text = &text};
  struct cs_table *table = NULL;
  cs_experiment_begin(&w, "stability", approach, &e->network, e->small);
  cs_experiment_axes(&w);
  add_orders(&w, first, count);
  cs_experiment_end_axes(&w);
  cs_experiment_metrics(&w, (const char *[]){"excess_growth_rate"}, 1);
  cs_writer_end(&w);
  const int code = cs_experiment_run(&e->wish->experiment, &e->network, CS_SNAPSHOT_BARE, &text, &table, error);
  for (size_t i = 0; code == CS_OK && i < count; i++) {
    limit[i].there = true;
    limit[i].excess = cs_table_find(table, "excess_growth_rate")->data.float64[i];
  }
  cs_table_free(table);
  return code;
}

static int fill_row(const struct cs_explanation *e, struct cs_explain_row *row, struct cs_error *error) {
  const unsigned first = cs_experiment_first_order(row->approach.hold), count = CS_EXPLAIN_ORDERS - first;
  if (e->growth == CS_GROWTH_UNDAMPED)
    return measure_excess(e, &row->approach, first, count, row->order + first, error);
  return cs_explain_scan(e, &e->network, &row->approach, first, count, row->order + first, error);
}

int cs_explain_fill_limits(struct cs_explanation *e, struct cs_error *error) {
  int code = CS_OK;
  if (!(e->fastest > 0.0) || e->growth == CS_GROWTH_GROWS) return CS_OK;
  for (size_t r = 0; r < e->rows && code == CS_OK; r++)
    code = fill_row(e, &e->row[r], error);
  return code;
}

size_t cs_explain_stages(const struct cs_explanation *e, const struct cs_approach *approach, size_t *room) {
  const size_t parts = e->network.parts;
  if (approach->sequence == NULL) return 1;
  const size_t forwards = cs_model_stages(e->model, approach->sequence, room);
  for (size_t i = 0; i < parts; i++)
    room[parts + i] = approach->sequence[parts - 1 - i];
  const size_t backwards = approach->alternating ? cs_model_stages(e->model, room + parts, room) : 1;
  return forwards > backwards ? forwards : backwards;
}

double cs_explain_first(const struct cs_explain_limit *limit) {
  if (!limit->there || !isnan(limit->excess)) return NAN;
  return !limit->stable_at_first ? 0.0 : limit->changes > 0 ? limit->change[0] : INFINITY;
}

/* ---- merges */

static int merge(struct cs_explanation *e, size_t i, size_t j, struct cs_error *error) {
  struct cs_snapshot merged;
  struct cs_explain_merge *to = &e->merge[e->merges++];
  *to = (struct cs_explain_merge){.i = i, .j = j};
  int code = cs_snapshot_merge(&e->network, i, j, &merged, error);
  if (code == CS_OK) code = cs_explain_scan(e, &merged, &e->wish->approach, e->wish->order, 1, &to->limit, error);
  cs_snapshot_close(&merged);
  return code;
}

int cs_explain_fill_merges(struct cs_explanation *e, struct cs_error *error) {
  const size_t parts = e->network.parts;
  if (parts < 3 || e->growth != CS_GROWTH_DAMPED || !(e->fastest > 0.0)) return CS_OK;
  e->merge = calloc(parts * parts, sizeof *e->merge);
  int code = e->merge != NULL ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; i < parts; i++)
    for (size_t j = i + 1; code == CS_OK && j < parts; j++)
      if (cs_snapshot_joined(&e->network, i, j)) code = merge(e, i, j, error);
  return code;
}
