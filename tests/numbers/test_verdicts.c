/* Verdicts of study stability against time stepping: two lags with feed-through over d1, d2, by master, feed-through,
 * hold and order, at three step sizes.
 *
 * Radii within BAND of 1 are left out: there 4000 steps do not tell growth from decay. Orders 0 and 1 of
 * backward_difference are those of lagrange. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"
#include "linalg.h"
#include "plan.h"

enum {
  MASTERS = 2,
  FEEDTHROUGHS = 2,
  KINDS = 6,
  LAGRANGE_KINDS = 4,
  SIZES = 3,
  GRID = 41,
  HALF_GRID = 21,
  STEPS = 4000,
  ORDERS = 4
};

#define BAND 0.01
#define GROWTH 0.003      /* tolerance: e^6 between two sizes of a signal 2000 steps apart */
#define FIRST_GAIN (-2.0) /* d1 and d2 from here to its negative */

static const size_t kind_order[KINDS] = {0, 1, 2, 3, 2, 3};
static const bool kind_is_lagrange[KINDS] = {true, true, true, true, false, false};
static const double size[SIZES] = {0.01, 0.1, 1};

#define HEAD "{\"format\": \"cosweep-sweep/1\", \"name\": \"verdicts\", \"model\": \"model.json\",\n"
#define LAGRANGE "\"lagrange\", \"lagrange\", \"lagrange\", \"lagrange\""
#define ALL_ORDERS "[0, 1, 2, 3, 2, 3]"
#define ALL_HOLDS "[" LAGRANGE ", \"backward_difference\", \"backward_difference\"]"
#define LAGRANGE_ORDERS "[0, 1, 2, 3]"
#define LAGRANGE_HOLDS "[" LAGRANGE "]"

/* Axes before and after that of H. */
#define WAYS(orders, holds)                                                                                  \
  "{\"name\": \"master\", \"path\": \"method.master\", \"values\": [\"jacobi\", \"gauss_seidel\"]},\n"       \
  "{\"name\": \"feedthrough\", \"path\": \"method.feedthrough\", \"values\": [\"explicit\", \"solved\"]},\n" \
  "{\"name\": \"kind\", \"zip\": {\"method.input_order\": " orders ", \"method.hold\": " holds "}},\n"
#define GAINS(d2)                                                                 \
  "{\"name\": \"d1\", \"path\": \"parameters.d1\", \"linspace\": [-2, 2, 41]},\n" \
  "{\"name\": \"d2\", \"path\": \"parameters.d2\", \"linspace\": [-2, 2, " d2 "]}]"

#define STABILITY(orders, holds, d2) \
  HEAD "\"study\": \"stability\", \"metrics\": [\"spectral_radius\", \"spectral_radius_exact\", \"stable\"],\n" \
       "\"axes\": [" WAYS(orders, holds) "{\"name\": \"H\", \"path\": \"method.step.size\", "                  \
                                         "\"values\": [0.01, 0.1, 1]},\n" GAINS(d2) "}"

/* Where a run stands: the axes of both sweeps, those of H apart. */
struct place {
  size_t master, feedthrough, kind, size;
  double d1, d2;
  char text[160];
};

static struct place place_of(size_t run, size_t kinds, size_t second_gains) {
  static const char *const masters[] = {"jacobi", "gauss_seidel"}, *const loops[] = {"explicit", "solved"};
  struct place at;
  at.d2 = FIRST_GAIN * (1 - 2 * (double)(run % second_gains) / (double)(second_gains - 1));
  run /= second_gains;
  at.d1 = FIRST_GAIN * (1 - 2 * (double)(run % GRID) / (GRID - 1));
  run /= GRID;
  at.size = run % SIZES;
  run /= SIZES;
  at.kind = run % kinds;
  run /= kinds;
  at.feedthrough = run % FEEDTHROUGHS;
  at.master = run / FEEDTHROUGHS;
  snprintf(at.text, sizeof at.text, "%s, %s, %s %zu, H %g, d1 %.1f, d2 %.1f", masters[at.master], loops[at.feedthrough],
           kind_is_lagrange[at.kind] ? "lagrange" : "backward_difference", kind_order[at.kind], size[at.size], at.d1,
           at.d2);
  return at;
}

static const struct cs_array *array(const struct cs_table *table, const char *name) {
  const struct cs_array *found = cs_table_find(table, name);
  cr_assert_not_null(found, "no %s", name);
  return found;
}

/* Counts and prints the first runs of which verdict and stepping disagree. */
struct comparison {
  size_t compared, stable, wrong;
};

static void compare(struct comparison *comparison, const struct place *at, double radius, bool stable, bool grows) {
  enum { PRINTED = 20 };
  comparison->compared++;
  comparison->stable += stable;
  if (stable == grows && comparison->wrong++ < PRINTED)
    fprintf(stderr, "%s: radius %.6g is %s, yet the steps %s\n", at->text, radius, stable ? "stable" : "unstable",
            grows ? "grow" : "decay");
}

static void finish(const struct comparison *comparison, const char *title) {
  fprintf(stderr, "%s: %zu verdicts, %zu of them stable, %zu wrong\n", title, comparison->compared, comparison->stable,
          comparison->wrong);
  cr_assert(comparison->wrong == 0, "%s: %zu of %zu verdicts are wrong", title, comparison->wrong,
            comparison->compared);
}

/* ---- two lags stepped here, in the co-simulation's own signals: x' = -x + u, y = x + d u */

/* Weights of the values at s0, s0 - 1, ... in a step's held input: in what it adds to the state, and at its end. */
struct held {
  double state[ORDERS], end[ORDERS];
};

struct lags {
  size_t order;
  bool gauss_seidel, solved;
  double decay, d1, d2;
  struct held extrapolated, interpolated;
  double x1, x2, y1[ORDERS + 1], y2[ORDERS + 1]; /* outputs newest first */
};

/* What value i contributes at s, measured from the newest value: Lagrange's basis, or Andersson (4.7) with equal
 * steps. */
static double basis(size_t kind, size_t i, double s) {
  const size_t order = kind_order[kind];
  double value = 1, term = 1; /* term: s^j / j! (-1)^i binomial(j, i) */
  if (kind_is_lagrange[kind]) {
    for (size_t q = 0; q <= order; q++)
      if (q != i) value *= (s + (double)q) / ((double)q - (double)i);
    return value;
  }
  value = 0;
  for (size_t j = 1; j <= i; j++)
    term *= -s / (double)j;
  for (size_t j = i; j <= order; j++) {
    value += term;
    term *= s / (double)(j + 1 - i);
  }
  return value;
}

static struct held held_weights(size_t kind, double H, double newest_at) {
  enum { NODES = 8 };
  double node[NODES], weight[NODES];
  struct held held = {{0}, {0}};
  cs_linalg_gauss(NODES, node, weight);
  for (size_t i = 0; i <= kind_order[kind]; i++) {
    for (size_t q = 0; q < NODES; q++)
      held.state[i] += H * weight[q] * exp(-H * (1 - node[q])) * basis(kind, i, node[q] - newest_at);
    held.end[i] = basis(kind, i, 1 - newest_at);
  }
  return held;
}

static double weighted(const double *weight, const double *value, size_t order) {
  double sum = 0;
  for (size_t i = 0; i <= order; i++)
    sum += weight[i] * value[i];
  return sum;
}

static void push(double *history, double value) {
  memmove(history + 1, history, ORDERS * sizeof *history);
  history[0] = value;
}

static void lags_step(struct lags *l) {
  const double x1 = l->decay * l->x1 + weighted(l->extrapolated.state, l->y2, l->order);
  double y1 = x1 + l->d1 * weighted(l->extrapolated.end, l->y2, l->order);
  const struct held *held = l->gauss_seidel ? &l->interpolated : &l->extrapolated;
  if (l->gauss_seidel) push(l->y1, y1);
  const double x2 = l->decay * l->x2 + weighted(held->state, l->y1, l->order);
  double y2 = x2 + l->d2 * weighted(held->end, l->y1, l->order);
  if (l->solved) {
    y1 = (x1 + l->d1 * x2) / (1 - l->d1 * l->d2);
    y2 = (x2 + l->d2 * x1) / (1 - l->d1 * l->d2);
  }
  if (!l->gauss_seidel) push(l->y1, y1);
  l->y1[0] = y1;
  push(l->y2, y2);
  l->x1 = x1;
  l->x2 = x2;
}

/* Size of all that a step goes on from. */
static double lags_norm(const struct lags *l) {
  double sum = l->x1 * l->x1 + l->x2 * l->x2;
  for (size_t i = 0; i <= l->order; i++)
    sum += l->y1[i] * l->y1[i] + l->y2[i] * l->y2[i];
  return sqrt(sum);
}

static void lags_divide(struct lags *l, double by) {
  l->x1 /= by;
  l->x2 /= by;
  for (size_t i = 0; i <= ORDERS; i++) {
    l->y1[i] /= by;
    l->y2[i] /= by;
  }
}

/* Growth per step over the second half of STEPS; 0 where everything died away. The size is brought back to 1 every
 * few steps, so that nothing leaves the range of numbers. */
static double lags_growth(const struct place *at) {
  enum { SCALED_EVERY = 20 };
  const double H = size[at->size];
  struct lags l = {.order = kind_order[at->kind],
                   .gauss_seidel = at->master == 1,
                   .solved = at->feedthrough == 1,
                   .decay = exp(-H),
                   .d1 = at->d1,
                   .d2 = at->d2,
                   .x1 = 1,
                   .x2 = 0.61803,
                   .y1 = {0.3, -0.7, 0.45, 0.91},
                   .y2 = {-0.82, 0.17, 0.66, -0.29}};
  l.extrapolated = held_weights(at->kind, H, 0);
  l.interpolated = held_weights(at->kind, H, 1);
  double logarithm = 0;
  for (size_t k = 1; k <= STEPS; k++) {
    lags_step(&l);
    if (k % SCALED_EVERY == 0) {
      const double norm = lags_norm(&l);
      if (norm == 0) return 0;
      if (k > STEPS / 2) logarithm += log(norm);
      lags_divide(&l, norm);
    }
  }
  return exp(logarithm / (STEPS / 2));
}

/* The growth of the steps is the radius itself, to what 2000 steps show of it. */
Test(verdicts, of_two_lags_stepped_by_hand) {
  struct harness harness;
  struct comparison comparison = {0};
  struct harness_check growth = {0};
  harness_open(&harness);
  engine_case_model(&harness, "models/linear_feedthrough/model.json");
  harness_load(&harness, STABILITY(ALL_ORDERS, ALL_HOLDS, "41"));
  harness_run(&harness);
  const double *radius = array(harness.table, "spectral_radius")->data.float64;
  const uint8_t *stable = array(harness.table, "stable")->data.uint8;
  const uint8_t *status = array(harness.table, "status")->data.uint8;
  cr_assert_eq(harness.sweep->runs, (size_t)(MASTERS * FEEDTHROUGHS * KINDS * SIZES * GRID * GRID));
  for (size_t run = 0; run < harness.sweep->runs; run++) {
    const struct place at = place_of(run, KINDS, GRID);
    if (at.feedthrough == 1 && fabs(at.d1 * at.d2 - 1) < 1e-9) {
      cr_expect_eq(status[run], CS_STATUS_SINGULAR, "%s", at.text);
      continue;
    }
    cr_assert_eq(status[run], CS_STATUS_OK, "%s", at.text);
    const double steps = lags_growth(&at);
    harness_compare(&growth, steps, radius[run], 0, GROWTH * fmax(1, radius[run]), "%s", at.text);
    if (fabs(radius[run] - 1) > BAND) compare(&comparison, &at, radius[run], stable[run], steps > 1);
  }
  harness_finish(&growth, "growth of two lags");
  finish(&comparison, "two lags");
  harness_close(&harness);
}

/* ---- runs of study simulation */

static const char simulation[] = HEAD
    "\"study\": \"simulation\", \"t_end\": 1, \"method\": {\"engine\": \"step\"}, \"metrics\": [\"monitor_final\"],\n"
    "\"parameters\": {\"x20\": 0.61803}, \"axes\": [" WAYS(LAGRANGE_ORDERS, LAGRANGE_HOLDS)
    "{\"name\": \"H\", \"zip\": {\n"
    "\"method.step.size\": [0.01, 0.01, 0.1, 0.1, 1, 1], \"t_end\": [20, 40, 200, 400, 2000, 4000]}},\n" GAINS(
        "21") "}";

/* Whether a simulated run grows over its second half: its states at STEPS / 2 and at STEPS, or divergence before.
 * Numbers that have lost digits because they are so small have decayed. */
static bool run_grows(const struct cs_table *table, size_t run) {
  enum { STATES = 2 };
  const size_t points = GRID * HALF_GRID, half = run / points * 2 * points + run % points, full = half + points;
  const uint8_t *status = array(table, "status")->data.uint8;
  const double *state = array(table, "monitor_final")->data.float64;
  if (status[full] == CS_STATUS_DIVERGED) return true;
  cr_assert(status[half] == CS_STATUS_OK && status[full] == CS_STATUS_OK, "run %zu: status %d", full, status[full]);
  const double before = hypot(state[half * STATES], state[half * STATES + 1]);
  const double after = hypot(state[full * STATES], state[full * STATES + 1]);
  return after > DBL_MIN && after > before;
}

/* A run carries the exact solution and the error, and x~ is their sum: where the exact solution grows, and faster than
 * x~, the run shows or leaves the range of numbers with the exact solution. There the steps above alone decide. */
Test(verdicts, of_simulated_runs) {
  struct harness harness;
  struct comparison comparison = {0};
  size_t exact_grows = 0;
  harness_open(&harness);
  char *text = harness_read("models/linear_feedthrough/model.json"), *monitored = harness_monitor_states(text);
  harness_write(&harness, "model.json", monitored);
  harness_load(&harness, STABILITY(LAGRANGE_ORDERS, LAGRANGE_HOLDS, "21"));
  harness_run(&harness);
  struct cs_table *verdicts = harness.table;
  harness.table = NULL;
  harness_load(&harness, simulation);
  harness_run(&harness);
  const double *radius = array(verdicts, "spectral_radius")->data.float64;
  const double *exact = array(verdicts, "spectral_radius_exact")->data.float64;
  const size_t runs = array(verdicts, "status")->count;
  cr_assert_eq(runs, (size_t)(MASTERS * FEEDTHROUGHS * LAGRANGE_KINDS * SIZES * GRID * HALF_GRID));
  for (size_t run = 0; run < runs; run++) {
    const struct place at = place_of(run, LAGRANGE_KINDS, HALF_GRID);
    if (fabs(at.d1 * at.d2 - 1) < 1e-9 || fabs(radius[run] - 1) <= BAND) continue;
    if (exact[run] > 1 && exact[run] > radius[run]) {
      exact_grows++;
      continue;
    }
    compare(&comparison, &at, radius[run], array(verdicts, "stable")->data.uint8[run], run_grows(harness.table, run));
  }
  fprintf(stderr, "%zu runs left out, the exact solution grows faster\n", exact_grows);
  finish(&comparison, "simulated runs");
  cs_table_free(verdicts);
  free(monitored);
  free(text);
  harness_close(&harness);
}
