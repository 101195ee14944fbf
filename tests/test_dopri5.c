/* Solver dopri5: its fragment as plain C for the network of fragments.h, all subsystems with their own micro steps,
 * against the method carried out in long double; and in the engine. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "dopri5.h"
#include "fragments.h"
#include "plain_dopri5.h"
#include "tableau.h"

/* ---- the fragment */

#undef SERIES
#undef SERIES_REACH
#define SERIES CS_SERIES
#define SERIES_REACH CS_SERIES_REACH
#define TOLERANCE_OF(k, a) tolerance_of[(a) > 0]
enum { ROWS_ = CS_DOPRI5_ROWS, STAGES_ = CS_DOPRI5_STAGES };
static double tolerance_of[2];
static const int ADAPTIVE[NX] = {1, 1, 1};
static double DOPRI5_A[STAGES_ * STAGES_], DOPRI5_B[ROWS_ * STAGES_], DOPRI5_C[STAGES_];
static double DOPRI5_WEIGHT[ROWS_ * STAGES_ * (SERIES + 1)];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* clang-format off */
#include "../kernels/elementary.clh"
#include "../kernels/dopri5.clh"
/* clang-format on */
#pragma GCC diagnostic pop

static void fill_tables(void) {
  for (int i = 0; i < STAGES_; i++) {
    DOPRI5_C[i] = cs_dopri5_c(i);
    for (int j = 0; j < STAGES_; j++) {
      DOPRI5_A[i * STAGES_ + j] = cs_dopri5_a(i, j);
    }
    for (int row = 0; row < ROWS_; row++) {
      DOPRI5_B[row * STAGES_ + i] = cs_dopri5_b(row, i);
      for (int n = 1; n <= SERIES; n++) {
        DOPRI5_WEIGHT[(row * STAGES_ + i) * (SERIES + 1) + n] = cs_dopri5_weight(row, i, n);
      }
    }
  }
}

static const double norm_A = 4.5;
static const V start_r[NR] = {0.7, -0.4, 0.9, 1};

/* A flow at T_{k-1} with ||M|| H = theta, off the exact solution by some. */
static void start(double theta, V *k, struct flow *f) {
  memset(f, 0, sizeof *f);
  k[K_H] = theta / norm_A;
  k[K_NORM] = theta;
  for (int i = 0; i < NR; i++) {
    f->r[i] = f->r0[i] = start_r[i];
  }
  for (int i = 0; i < NX; i++) {
    f->x[i] = f->x0[i] = 0.05 * (i + 1);
  }
  for (int i = 0; i < NQ * NU; i++) {
    f->c0[i] = 0.03 - 0.01 * i;
  }
}

/* States first <= a < first + count with what the fragment says drives them. */
static void read_driven(const V *k, const struct walk *w, int first, int count, struct plain_driven *to) {
  memset(to, 0, sizeof *to);
  to->states = (size_t)count;
  to->H = k[K_H];
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      to->A.at[i][j] = matrix_A[first + i][first + j];
    }
    for (int j = 0; j < NQ; j++) {
      to->v[j][i] = w->bu[j * NX + first + i] + (j == 0 ? w->force[first + i] : 0);
    }
  }
}

/* The exact solution of the same at s. */
static void flow_exactly(const struct plain_driven *system, real s, const real *x, real *result) {
  struct plain_matrix m = {0};
  real z[PLAIN_MAX] = {0};
  const size_t n = system->states;
  for (size_t i = 0; i < n; i++) {
    z[i] = x[i];
    for (size_t j = 0; j < n; j++) {
      m.at[i][j] = system->H * system->A.at[i][j];
    }
    for (size_t j = 0; j < 4; j++) {
      m.at[i][n + j] = system->H * system->v[j][i];
    }
  }
  z[n] = 1;
  for (size_t j = 1; j < 4; j++) {
    m.at[n + j][n + j - 1] = (real)j;
  }
  plain_flow(&m, n + 4, s, z);
  memcpy(result, z, n * sizeof *z);
}

/* Deviations of a subsystem at places in the step, its defects and its end. Relative to the largest; where micro steps
 * are beyond the reach of the series deviations are plain differences. */
static void compare_walk(double theta, double tolerance, int first, int count, real relative, real floor) {
  static const double places[] = {0.0, 0.1, 0.37, 0.5, 0.81, 0.99, 1.0};
  V k[COEFFICIENTS] = {0}, value[NX], defect[NX];
  struct flow f;
  struct walk w;
  struct plain_driven system;
  struct plain_dopri5 run;
  real x[PLAIN_MAX], most = 0, steepest = 0;
  fill_tables();
  tolerance_of[0] = tolerance_of[1] = tolerance;
  start(theta, k, &f);
  walk_open(k, &f, &w);
  read_driven(k, &w, first, count, &system);
  for (int i = 0; i < count; i++) {
    x[i] = w.x[first + i];
  }
  plain_dopri5_run(&system, x, tolerance, &run);
  for (int pass = 0; pass < 2; pass++) {
    walk_open(k, &f, &w);
    struct flow moving = f;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
      const real s = places[p];
      real want[PLAIN_MAX], slope[PLAIN_MAX], exact[PLAIN_MAX], rate[PLAIN_MAX];
      plain_dopri5_value(&run, s, want, slope);
      flow_exactly(&system, s, x, exact);
      for (int i = 0; i < count; i++) {
        rate[i] = slope[i] / system.H;
        for (int j = 0; j < count; j++) {
          rate[i] -= system.A.at[i][j] * want[j];
        }
        for (int j = 0; j < 4; j++) {
          rate[i] -= system.v[j][i] * powl(s, j);
        }
      }
      for (int i = 0; i < count; i++) {
        want[i] -= exact[i];
        most = pass == 0 ? fmaxl(most, fabsl(want[i])) : most;
        steepest = pass == 0 ? fmaxl(steepest, fabsl(rate[i])) : steepest;
      }
      if (pass == 0) {
        continue;
      }
      walk_reach(k, &w, places[p], false);
      flow_by(k, &moving, places[p] - moving.s);
      walk_inside(&moving, &w, places[p], value);
      walk_defect(k, &w, places[p], defect);
      for (int i = 0; i < count; i++) {
        const real deviation = value[first + i] - moving.x[first + i], off = fabsl(deviation - want[i]);
        cr_expect(off <= relative * most + floor, "theta %g, tolerance %g, s %g: deviation [%d] %.17Lg, want %.17Lg",
                  theta, tolerance, places[p], first + i, deviation, want[i]);
        cr_expect(fabsl(defect[first + i] - rate[i]) <= relative * steepest + 10 * floor / system.H,
                  "theta %g, tolerance %g, s %g: defect [%d] %.17g, want %.17Lg", theta, tolerance, places[p],
                  first + i, defect[first + i], rate[i]);
      }
    }
  }
  cr_expect_eq(w.tried[first], run.tries, "theta %g, tolerance %g: %g tries, want %zu", theta, tolerance,
               w.tried[first], run.tries);
  walk_close(k, &f, &w);
  plain_dopri5_free(&run);
}

Test(dopri5, walks_as_the_method_within_reach_of_the_series) {
  static const double thetas[] = {1e-3, 0.05, 0.3, 1, 2};
  for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++) {
    for (double tolerance = 1e-3; tolerance > 1e-11; tolerance *= 0.01) {
      compare_walk(thetas[t], tolerance, 0, 1, 1e-13, 1e-26);
      compare_walk(thetas[t], tolerance, 1, 2, 1e-13, 1e-26);
    }
  }
}

/* In long steps the method stands at the limit of its stability: what is rounded of a solution is an error estimate
 * besides, moves the end of a micro step, and each end moves the next. */
Test(dopri5, walks_as_the_method_beyond_it) {
  static const double thetas[] = {5, 20, 100};
  for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++) {
    for (double tolerance = 1e-1; tolerance > 1e-11; tolerance *= 0.01) {
      const real relative = 1e-11L + (thetas[t] > 50 ? 2e-14L / tolerance : 0);
      compare_walk(thetas[t], tolerance, 0, 1, relative, 1e-14);
      compare_walk(thetas[t], tolerance, 1, 2, relative, 1e-14);
    }
  }
}

/* What has no end has no number; what is no number ends at once. */
Test(dopri5, limits_its_tries) {
  V k[COEFFICIENTS] = {0};
  struct flow f;
  struct walk w;
  fill_tables();
  tolerance_of[0] = 1e-3;
  tolerance_of[1] = 1e-40;
  start(20, k, &f);
  walk_open(k, &f, &w);
  walk_close(k, &f, &w);
  cr_expect(isfinite(f.x[0]));
  cr_expect(isnan(f.x[1]) && isnan(f.x[2]));
  cr_expect_eq(w.tried[1], DOPRI5_MOST);
  start(20, k, &f);
  f.x[2] = INFINITY;
  walk_open(k, &f, &w);
  walk_close(k, &f, &w);
  cr_expect(isnan(f.x[1]) && isnan(f.x[2]));
  cr_expect_eq(w.tried[1], 0);
}
