/* Solver dopri5: its fragment as plain C for the network of fragments.h, all subsystems with their own micro steps,
 * against the method carried out in long double; and in the engine. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dopri5.h"
#include "engine_case.h"
#define ADAPTIVES 1
#include "fragments.h"
#include "plain_compare.h"
#include "plain_dopri5.h"
#include "tableau.h"

/* ---- the fragment */

static void fill_tables(void) {
  for (int i = 0; i < DOPRI5_STAGES; i++) {
    DOPRI5_C[i] = cs_dopri5_c(i);
    for (int j = 0; j < DOPRI5_STAGES; j++)
      DOPRI5_A[i * DOPRI5_STAGES + j] = cs_dopri5_a(i, j);
    for (int row = 0; row < ROWS_; row++) {
      DOPRI5_B[row * DOPRI5_STAGES + i] = cs_dopri5_b(row, i);
      for (int n = 1; n <= SERIES; n++)
        DOPRI5_WEIGHT[(row * DOPRI5_STAGES + i) * (SERIES + 1) + n] = cs_dopri5_weight(row, i, n);
    }
  }
}

static const double norm_A = 4.5;
static const V start_r[NR] = {0.7, -0.4, 0.9, 1};

/* A flow at T_{k-1} with ||M|| H = theta that deviates from the exact solution. */
static void start(double theta, V *k, struct flow *f) {
  memset(f, 0, sizeof *f);
  k[K_H] = theta / norm_A;
  k[K_NORM] = theta;
  for (int i = 0; i < NR; i++)
    f->r[i] = f->r0[i] = start_r[i];
  for (int i = 0; i < NX; i++)
    f->x[i] = f->x0[i] = 0.05 * (i + 1);
  for (int i = 0; i < NQ * NU; i++)
    f->c0[i] = 0.03 - 0.01 * i;
}

/* States first <= a < first + count with the input terms computed by the fragment. */
static void read_driven(const V *k, const struct dopri5 *w, int first, int count, struct plain_driven *to) {
  memset(to, 0, sizeof *to);
  to->states = (size_t)count;
  to->H = k[K_H];
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++)
      to->A.at[i][j] = matrix_A[first + i][first + j];
    for (int j = 0; j < NQ; j++)
      to->v[j][i] = w->bu[j * NX + first + i] + (j == 0 ? w->force[first + i] : 0);
  }
}

/* The exact solution of the same at s. */
static void flow_exactly(const struct plain_driven *system, real s, const real *x, real *result) {
  struct plain_matrix m = {0};
  real z[PLAIN_MAX] = {0};
  const size_t n = system->states;
  for (size_t i = 0; i < n; i++) {
    z[i] = x[i];
    for (size_t j = 0; j < n; j++)
      m.at[i][j] = system->H * system->A.at[i][j];
    for (size_t j = 0; j < 4; j++)
      m.at[i][n + j] = system->H * system->v[j][i];
  }
  z[n] = 1;
  for (size_t j = 1; j < 4; j++)
    m.at[n + j][n + j - 1] = (real)j;
  plain_flow(&m, n + 4, s, z);
  memcpy(result, z, n * sizeof *z);
}

enum { PLACES = 7 };
static const double place[PLACES] = {0.0, 0.1, 0.37, 0.5, 0.81, 0.99, 1.0};

/* Deviation of the method's continuous solution of a subsystem from the exact one, and its defect, at the places. */
static void solve_plainly(const struct plain_driven *system, const struct plain_dopri5 *run, const real *x,
                          real want[PLACES][PLAIN_MAX], real rate[PLACES][PLAIN_MAX]) {
  real now[PLAIN_MAX], slope[PLAIN_MAX], exact[PLAIN_MAX];
  for (int p = 0; p < PLACES; p++) {
    plain_dopri5_value(run, place[p], now, slope);
    flow_exactly(system, place[p], x, exact);
    for (size_t i = 0; i < system->states; i++) {
      want[p][i] = now[i] - exact[i];
      rate[p][i] = slope[i] / system->H;
      for (size_t j = 0; j < system->states; j++)
        rate[p][i] -= system->A.at[i][j] * now[j];
      for (int j = 0; j < 4; j++)
        rate[p][i] -= system->v[j][i] * powl(place[p], j);
    }
  }
}

static real largest(real values[PLACES][PLAIN_MAX], int count) {
  real most = 0;
  for (int p = 0; p < PLACES; p++)
    for (int i = 0; i < count; i++)
      most = fmaxl(most, fabsl(values[p][i]));
  return most;
}

/* States first <= a < first + count: tolerances relative to the largest deviation and defect. If micro steps are beyond
 * the reach of the series, x~ itself is integrated. */
static void compare_walk(double theta, double tolerance, int first, int count, real relative, real floor) {
  V k[COEFFICIENTS] = {0}, value[NX], defect[NX], slope;
  struct flow f, at;
  struct dopri5 w;
  struct plain_driven system;
  struct plain_dopri5 run;
  real x[PLAIN_MAX], want[PLACES][PLAIN_MAX], rate[PLACES][PLAIN_MAX];
  fill_tables();
  k[K_SOLVER_TOLERANCE] = k[K_SOLVER_TOLERANCE + 1] = tolerance;
  start(theta, k, &f);
  at = f;
  dopri5_open(k, &f, &w);
  read_driven(k, &w, first, count, &system);
  for (int i = 0; i < count; i++)
    x[i] = w.x[first + i];
  plain_dopri5_run(&system, x, tolerance, &run);
  solve_plainly(&system, &run, x, want, rate);
  const real off = relative * largest(want, count) + floor,
             off_rate = relative * largest(rate, count) + 50 * floor / system.H;
  for (int p = 0; p < PLACES; p++) {
    dopri5_reach(k, &w, place[p], false);
    flow_by(k, &at, place[p] - at.s);
    dopri5_inside(k, &at, &w, place[p], value);
    dopri5_defect(k, &w, place[p], defect);
    for (int i = 0; i < count; i++) {
      const int a = first + i;
      const real carried = dopri5_value(&w, a, place[p], &slope), deviation = value[a] - (real)at.x[a];
      cr_expect(fabsl((w.plain[a] > 0 ? deviation : carried) - want[p][i]) <= off,
                "theta %g, tolerance %g, s %g: deviation [%d] %.17Lg, want %.17Lg", theta, tolerance, place[p], a,
                deviation, want[p][i]);
      cr_expect_float_eq(deviation, want[p][i], off + 1e-15);
      cr_expect(fabsl(defect[a] - rate[p][i]) <= off_rate,
                "theta %g, tolerance %g, s %g: defect [%d] %.17g, want %.17Lg", theta, tolerance, place[p], a,
                defect[a], rate[p][i]);
    }
  }
  cr_expect_eq(w.tried[first], run.tries, "theta %g, tolerance %g: %g tries, want %zu", theta, tolerance,
               w.tried[first], run.tries);
  dopri5_close(k, &at, &w);
  for (int i = 0; i < count; i++)
    cr_expect(fabsl(at.x[first + i] - (real)value[first + i]) <= off + 1e-15);
  plain_dopri5_free(&run);
}

/* Long double gives deviations to about 1e-18. */
Test(dopri5, walks_as_the_method_within_reach_of_the_series) {
  static const double thetas[] = {0.05, 0.3, 1, 2};
  for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++) {
    for (double tolerance = 1e-3; tolerance > 1e-11; tolerance *= 0.01) {
      compare_walk(thetas[t], tolerance, 0, 1, 1e-13, 1e-18);
      compare_walk(thetas[t], tolerance, 1, 2, 1e-13, 1e-18);
    }
  }
}

/* In long steps the method is at its stability limit: rounding of a solution changes the error estimate and thereby the
 * end of a micro step, which in turn changes all later ones. */
Test(dopri5, walks_as_the_method_beyond_it) {
  static const double thetas[] = {5, 20, 60};
  for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++) {
    for (double tolerance = 1e-1; tolerance > 1e-10; tolerance *= 1e-3) {
      const real relative = 1e-11L + (thetas[t] > 10 ? 2e-14L / tolerance : 0);
      compare_walk(thetas[t], tolerance, 0, 1, relative, 1e-14);
      compare_walk(thetas[t], tolerance, 1, 2, relative, 1e-14);
    }
  }
}

/* Too many micro steps give NaN; NaN ends the macro step immediately. */
Test(dopri5, limits_its_tries) {
  V k[COEFFICIENTS] = {0};
  struct flow f;
  struct dopri5 w;
  fill_tables();
  k[K_SOLVER_TOLERANCE] = 1e-3;
  k[K_SOLVER_TOLERANCE + 1] = 1e-40;
  start(20, k, &f);
  dopri5_open(k, &f, &w);
  dopri5_close(k, &f, &w);
  cr_expect(isfinite(f.x[0]));
  cr_expect(isnan(f.x[1]) && isnan(f.x[2]));
  cr_expect_eq(w.tried[1], DOPRI5_MOST);
  start(20, k, &f);
  f.x[2] = INFINITY;
  dopri5_open(k, &f, &w);
  dopri5_close(k, &f, &w);
  cr_expect(isnan(f.x[1]) && isnan(f.x[2]));
  cr_expect_eq(w.tried[1], 0);
}

/* ---- in the engine */

static const char settings[] =
    "{\"name\": \"settings\", \"zip\": {\n"
    "\"method.master\": [\"jacobi\", \"gauss_seidel\", \"jacobi\", \"jacobi\"],\n"
    "\"method.iterations\": [0, 0, 1, 0],\n"
    "\"method.hold\": [\"taylor\", \"lagrange\", \"lagrange\", \"backward_difference\"],\n"
    "\"method.input_order\": [1, 2, 0, 3], \"method.output_order\": [2, 1, 1, 0],\n"
    "\"method.feedthrough\": [\"solved\", \"explicit\", \"explicit\", \"explicit\"],\n"
    "\"method.start\": [\"consistent\", \"ramp\", \"consistent\", \"consistent\"],\n"
    "\"method.error_at\": [\"continuous\", \"points\", \"continuous\", \"points\"]}}";

/* Compares every run of the loaded sweep with long double. */
static void compare_with_plain(struct harness *harness, struct harness_check *check, const char *title) {
  struct plain_result *result = malloc(sizeof *result);
  char name[128];
  cr_assert(result != NULL);
  for (size_t run = 0; run < harness->sweep->runs; run++) {
    size_t index[4] = {0}, rest = run;
    for (size_t axis = harness->sweep->axes; axis-- > 0; rest /= harness->sweep->axis[axis].length)
      index[axis] = rest % harness->sweep->axis[axis].length;
    plain_run(harness->sweep, run, NULL, NULL, result);
    snprintf(name, sizeof name, "%s, run %zu", title, run);
    plain_compare(harness, index, result, 1e-11, 1e-15, check, name);
  }
  free(result);
}

static void run_network(const char *model, const char *method, double size, double t_end, const char *title) {
  struct harness harness;
  struct harness_check check = {0};
  struct cs_text text = {0};
  cs_text_add(
      &text,
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"dopri5\", \"model\": \"model.json\",\n"
      "\"study\": \"simulation\", \"t_end\": %g, \"method\": {\"solver\": \"dopri5\"%s,\n"
      "\"step\": {\"size\": %g}}, \"metrics\": " ENGINE_CASE_METRICS
      ",\n"
      "\"axes\": [%s, {\"name\": \"tolerance\", \"path\": \"method.tolerance\", \"values\": [1e-3, 1e-6, 1e-9]}]}",
      t_end, method, size, settings);
  cr_assert(!text.failed);
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  harness_load(&harness, text.data);
  harness_run(&harness);
  compare_with_plain(&harness, &check, title);
  harness_finish(&check, title);
  harness_close(&harness);
  cs_text_free(&text);
}

/* Together with other solvers, in short and in long macro steps. */
Test(dopri5, three_solvers_match_long_double) {
  char *model = harness_read("tests/data/three_way.json");
  run_network(model,
              ", \"subsystems\": {\"b\": {\"solver\": \"rk4\", \"micro_steps\": 4}, \"c\": {\"tolerance\": 1e-5}}",
              0.125, 1, "three solvers");
  free(model);
}

Test(dopri5, long_steps_match_long_double) {
  char *model = harness_read("tests/data/three_way.json");
  run_network(model, ", \"subsystems\": {\"b\": {\"solver\": \"exact\"}}", 1, 4, "long steps");
  free(model);
}

/* With step size control: rejected steps, unevenly spaced points. */
static const char controlled[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"dopri5\", \"model\": \"model.json\", \"study\": \"simulation\",\n"
    "\"t_end\": 2, \"method\": {\"solver\": \"dopri5\", \"tolerance\": 1e-5, \"feedthrough\": \"explicit\",\n"
    "\"step\": {\"initial\": 0.01, \"max\": 0.25, \"tolerance\": 1e-3}},\n"
    "\"axes\": [{\"name\": \"control\", \"zip\": {\"method.step.control\": [\"pi_defect\", \"richardson\"],\n"
    "\"method.hold\": [\"taylor\", \"lagrange\"], \"method.order\": [1, 1]}}],\n"
    "\"metrics\": " ENGINE_CASE_METRICS "}\n";

Test(dopri5, controlled_steps_match_long_double) {
  struct harness harness;
  struct harness_check check = {0};
  char *model = harness_read("tests/data/three_way.json");
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  harness_load(&harness, controlled);
  harness_run(&harness);
  compare_with_plain(&harness, &check, "controlled");
  harness_finish(&check, "dopri5 under control");
  harness_close(&harness);
  free(model);
}

static const char many[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"dopri5\", \"model\": \"model.json\", \"study\": \"simulation\",\n"
    "\"t_end\": 2, \"method\": {\"solver\": \"dopri5\", \"hold\": \"lagrange\", \"order\": 1, \"step\": {\"size\": "
    "0.5}},\n"
    "\"axes\": [{\"name\": \"tolerance\", \"path\": \"method.tolerance\",\n"
    "\"values\": [1e-2, 1e-9, 1e-5, 1e-60, 1e-7, 1e-3, 1e-4, 1e-10, 1e-6, 1e-8]}],\n"
    "\"metrics\": " ENGINE_CASE_METRICS "}\n";

/* A run's results do not depend on neighbours that take more or fewer micro steps, or too many. */
Test(dopri5, runs_do_not_see_their_neighbours) {
  struct harness harness;
  struct engine_case together, alone;
  char *model = harness_read("tests/data/three_way.json");
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  engine_case_run(&harness, many, 8, 0, &together);
  engine_case_run(&harness, many, 8, 1, &alone);
  engine_case_same(&together, &alone);
  for (size_t run = 0; run < together.runs; run++) {
    cr_expect_eq(engine_case_status(&together, run), run == 3, "run %zu: status %d", run,
                 engine_case_status(&together, run));
  }
  engine_case_free(&together);
  engine_case_free(&alone);
  harness_close(&harness);
  free(model);
}
