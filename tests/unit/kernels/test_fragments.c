/* The fragments of kernels/ compiled as plain C: flow, solvers, holds by points and the quadrature inside a step, for
 * the network of fragments.h, against long double. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "fragments.h"
#include "layout.h"
#include "linalg.h"
#include "plain_network.h"
#include "tableau.h"

static const double norm_M = 4.5; /* its largest row */
static const V start_r[NR] = {0.7, -0.4, 0.9, 1};
static const V start_c0[NQ * NU] = {0.03, -0.02, 0.01, 0.05, -0.04, 0.02};

static void start(double theta, int deviations, V *k, struct flow *f) {
  memset(f, 0, sizeof *f);
  k[K_H] = theta / norm_M;
  k[K_NORM] = theta;
  for (int i = 0; i < NR; i++)
    f->r[i] = f->r0[i] = start_r[i];
  for (int i = 0; deviations && i < NX; i++)
    f->x[i] = f->x0[i] = 0.1 * (i + 1);
  for (int i = 0; deviations && i < NQ * NU; i++)
    f->c0[i] = start_c0[i];
}

/* ---- the same flow in long double */

struct exact {
  real r[NR], x[NX], q[NQ][NY];
};

static real choose(int n, int j) {
  real product = 1;
  for (int i = 0; i < j; i++)
    product = product * (n - i) / (i + 1);
  return product;
}

/* Taylor coefficients of r and y = C x about the start: r [count][NR], y [count][NY]. */
static void coefficients(real H, int count, real r[][NR], real y[][NY]) {
  for (int i = 0; i < NR; i++)
    r[0][i] = start_r[i];
  for (int n = 0; n < count; n++) {
    for (int l = 0; l < NY; l++) {
      y[n][l] = 0;
      for (int i = 0; i < NX; i++)
        y[n][l] += matrix_C[l][i] * r[n][i];
    }
    for (int i = 0; i < NR && n + 1 < count; i++) {
      r[n + 1][i] = 0;
      for (int j = 0; j < NR; j++)
        r[n + 1][i] += H / (n + 1) * matrix_M[i][j] * r[n][j];
    }
  }
}

/* Coefficient n of the input error: the hold's deviation, and minus the exact input above its degree. */
static void input_coefficient(const struct flow *f, int n, real y[][NY], real *u) {
  for (int q = 0; q < NU; q++) {
    u[q] = n < NQ ? f->c0[n * NU + q] : 0;
    for (int l = 0; l < NY && n >= NQ; l++)
      u[q] -= matrix_L[q][l] * y[n][l];
  }
}

/* Sums of the Taylor series, for short steps: without cancellation. */
static void exact_series(const V *k, const struct flow *f, real s, struct exact *to) {
  enum { TERMS = 60 };
  real r[TERMS][NR], y[TERMS][NY], x[TERMS][NX], u[NU];
  coefficients(k[K_H], TERMS, r, y);
  memset(to, 0, sizeof *to);
  for (int i = 0; i < NX; i++)
    x[0][i] = f->x0[i];
  for (int n = 0; n < TERMS; n++) {
    input_coefficient(f, n, y, u);
    for (int i = 0; i < NX && n + 1 < TERMS; i++) {
      x[n + 1][i] = 0;
      for (int j = 0; j < NX; j++)
        x[n + 1][i] += (real)k[K_H] / (n + 1) * matrix_A[i][j] * x[n][j];
      for (int q = 0; q < NU; q++)
        x[n + 1][i] += (real)k[K_H] / (n + 1) * matrix_B[i][q] * u[q];
    }
    for (int i = 0; i < NR; i++)
      to->r[i] += r[n][i] * powl(s, n);
    for (int i = 0; i < NX; i++)
      to->x[i] += x[n][i] * powl(s, n);
    for (int j = 0; j < NQ && n >= NQ; j++)
      for (int l = 0; l < NY; l++)
        to->q[j][l] -= choose(n, j) * powl(s, n - j) * y[n][l];
  }
}

/* One matrix exponential of (r, x, 1, s, s^2), for long steps. */
static void exact_exponential(const V *k, const struct flow *f, real s, struct exact *to) {
  enum { X = NR, S = NR + NX, SIZE_ = S + NQ };
  struct plain_matrix g = {0};
  real z[PLAIN_MAX] = {0}, r[NQ][NR], y[NQ][NY], last[NQ][NY], H = k[K_H];
  coefficients(H, NQ, r, y);
  for (int i = 0; i < NR; i++) {
    z[i] = start_r[i];
    for (int j = 0; j < NR; j++)
      g.at[i][j] = H * matrix_M[i][j];
  }
  z[S] = 1;
  for (int n = 1; n < NQ; n++)
    g.at[S + n][S + n - 1] = n;
  for (int i = 0; i < NX; i++) {
    z[X + i] = f->x0[i];
    for (int j = 0; j < NX; j++)
      g.at[X + i][X + j] = H * matrix_A[i][j];
    for (int q = 0; q < NU; q++) { /* B (hold's deviation - L (y - its polynomial)) */
      for (int n = 0; n < NQ; n++)
        g.at[X + i][S + n] += H * matrix_B[i][q] * f->c0[n * NU + q];
      for (int l = 0; l < NY; l++) {
        for (int n = 0; n < NQ; n++)
          g.at[X + i][S + n] += H * matrix_B[i][q] * matrix_L[q][l] * y[n][l];
        for (int j = 0; j < NX; j++)
          g.at[X + i][j] -= H * matrix_B[i][q] * matrix_L[q][l] * matrix_C[l][j];
      }
    }
  }
  plain_flow(&g, SIZE_, s, z);
  memcpy(to->r, z, sizeof to->r);
  memcpy(to->x, z + X, sizeof to->x);
  real at[NQ][NR];
  memcpy(at[0], z, sizeof at[0]);
  for (int j = 0; j < NQ; j++) {
    for (int l = 0; l < NY; l++) {
      last[j][l] = 0;
      for (int i = 0; i < NX; i++)
        last[j][l] += matrix_C[l][i] * at[j][i];
      to->q[j][l] = -last[j][l];
      for (int n = j; n < NQ; n++)
        to->q[j][l] += choose(n, j) * powl(s, n - j) * y[n][l];
    }
    for (int i = 0; i < NR && j + 1 < NQ; i++) {
      at[j + 1][i] = 0;
      for (int n = 0; n < NR; n++)
        at[j + 1][i] += H / (j + 1) * matrix_M[i][n] * at[j][n];
    }
  }
}

static real largest(const real *values, int count) {
  real most = 0;
  for (int i = 0; i < count; i++)
    most = fmaxl(most, fabsl(values[i]));
  return most;
}

static void expect_close(const char *what, double theta, double s, const V *value, const real *want, int count,
                         real tolerance) {
  const real allowed = tolerance * largest(want, count);
  for (int i = 0; i < count; i++) {
    cr_expect(fabsl(value[i] - want[i]) <= allowed, "theta %g, s %g: %s[%d] %.17g, want %.17Lg, allowed %.2Lg", theta,
              s, what, i, value[i], want[i], allowed);
  }
}

static void expect_flow(double theta, const V *k, const struct flow *f, real tolerance) {
  struct exact want;
  if (theta <= 2)
    exact_series(k, f, f->s, &want);
  else
    exact_exponential(k, f, f->s, &want);
  expect_close("r", theta, f->s, f->r, want.r, NR, tolerance);
  expect_close("x", theta, f->s, f->x, want.x, NX, tolerance);
  for (int j = 0; j < NQ; j++)
    expect_close("q", theta, f->s, f->q + j * NY, want.q[j], NY, tolerance);
}

/* Starting from zero deviations, all but r is the tail of a series, down to 1e-12 of r: still accurate to 13 digits. */
Test(fragments, flow_matches_the_matrix_exponential) {
  static const double thetas[] = {1e-3, 1e-2, 0.1, 0.25, 0.26, 0.5, 1, 1.5, 2, 5, 20, 50};
  static const double hops[][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 0.5, 0.5}, {0.3, 0.6, 0.1}};
  for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++) {
    for (size_t h = 0; h < sizeof hops / sizeof *hops; h++) {
      for (int deviations = 0; deviations < 2; deviations++) {
        V k[COEFFICIENTS] = {0};
        struct flow f;
        start(thetas[t], deviations, k, &f);
        for (int i = 0; i < 3; i++)
          flow_by(k, &f, hops[h][i]);
        expect_flow(thetas[t], k, &f, 2e-14L * (1 + thetas[t]));
      }
    }
  }
}

/* A hop of 0 changes nothing, +1 and then -1 lead back to the start. */
Test(fragments, flow_by_nothing_and_back) {
  V k[COEFFICIENTS] = {0};
  struct flow f, before;
  start(0.8, 1, k, &f);
  flow_by(k, &f, 1);
  before = f;
  flow_by(k, &f, 0);
  cr_expect_eq(memcmp(&f, &before, sizeof f), 0);
  flow_by(k, &f, -1);
  for (int i = 0; i < NR; i++)
    cr_expect_float_eq(f.r[i], start_r[i], 1e-15);
  for (int i = 0; i < NQ * NY; i++)
    cr_expect_float_eq(f.q[i], 0, 1e-15);
}

/* ---- solvers */

/* The table written out in fragments.h is the one that the host computes. */
Test(fragments, weights_are_those_of_the_tableaus) {
  static const int solver[] = {CS_HEUN, CS_TRAPEZOIDAL};
  for (int slot = 0; slot < 2; slot++) {
    const struct cs_tableau *tableau = cs_tableau_of(solver[slot]);
    cr_expect_eq(tableau->implicit, IMPLICIT[slot]);
    for (int stage = 0; stage < STAGES_MAX; stage++) {
      for (int n = 1; n <= SERIES; n++) {
        const double want = WEIGHT[(slot * STAGES_MAX + stage) * (SERIES + 1) + n];
        const double value = cs_tableau_weight(tableau, stage, n);
        cr_expect_eq(value, want, "slot %d, stage %d, n = %d: %.17g, want %g", slot, stage, n, value, want);
      }
    }
  }
}

/* Zeros on the diagonal require row exchanges. */
Test(fragments, invert_exchanges_rows) {
  enum { N = 5 };
  static const double a[N][N] = {
      {0, 2, 0, 1, -1}, {3, 0, 0, 0.5, 0}, {0, 1e-9, 0, -4, 2}, {1, 1, 1, 0, 0}, {-2, 0.25, 5, 0, 1e3}};
  V w[2 * N * N];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      w[i * 2 * N + j] = a[i][j];
      w[i * 2 * N + N + j] = i == j;
    }
  }
  invert(w, N);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int n = 0; n < N; n++)
        sum += a[i][n] * w[n * 2 * N + N + j];
      cr_expect_float_eq(sum, i == j, 1e-13, "[%d][%d] of a times its inverse: %.17g", i, j, sum);
    }
  }
}

/* H (A x + B u~(s) + e); u [NQ][NU]: coefficients of u~ over the macro step. */
static void slope(real H, real u[NQ][NU], const real *x, real s, real *to) {
  for (int i = 0; i < NX; i++) {
    to[i] = H * vector_e[i];
    for (int j = 0; j < NX; j++)
      to[i] += H * matrix_A[i][j] * x[j];
    for (int q = 0; q < NU; q++)
      for (int n = 0; n < NQ; n++)
        to[i] += H * matrix_B[i][q] * u[n][q] * powl(s, n);
  }
}

/* x~ at the end of the macro step, by the methods' own definitions: state 0 by two steps of heun, states 1 and 2 by one
 * of the trapezoidal rule. */
static void solve_plainly(const V *k, const struct flow *f, real *x) {
  real H = k[K_H], r[NQ][NR], y[NQ][NY], u[NQ][NU], first[NX], second[NX], guess[NX] = {0};
  coefficients(H, NQ, r, y);
  for (int n = 0; n < NQ; n++)
    for (int q = 0; q < NU; q++)
      u[n][q] = f->c0[n * NU + q] + (n == 0 ? vector_b[q] : 0) + matrix_L[q][0] * y[n][0] + matrix_L[q][1] * y[n][1];
  for (int i = 0; i < NX; i++)
    x[i] = start_r[i] + f->x0[i];
  slope(H, u, x, 0, first);
  slope(H, u, guess, 1, second); /* the part independent of x */
  struct plain_matrix m = {0};
  real b[2];
  for (int i = 0; i < 2; i++) {
    b[i] = x[1 + i] + 0.5L * first[1 + i] + 0.5L * second[1 + i];
    for (int j = 0; j < 2; j++)
      m.at[i][j] = (i == j) - 0.5L * H * matrix_A[1 + i][1 + j];
  }
  plain_solve(&m, 2, b);
  for (int half = 0; half < 2; half++) {
    slope(H, u, x, 0.5L * half, first);
    guess[0] = x[0] + 0.5L * first[0];
    slope(H, u, guess, 0.5L * (half + 1), second);
    x[0] += 0.25L * (first[0] + second[0]);
  }
  memcpy(x + 1, b, sizeof b);
}

/* Below ||M|| h = 1 the difference comes from the weights, above from the stages. */
Test(fragments, solver_steps_match_their_definitions) {
  static const double thetas[] = {0.01, 0.3, 0.9, 1.5, 3, 8};
  for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++) {
    V k[COEFFICIENTS] = {0};
    struct flow f;
    struct solver v;
    real x[NX], z[PLAIN_MAX] = {0};
    struct plain_matrix g = {0};
    start(thetas[t], 1, k, &f);
    solve_plainly(k, &f, x);
    solver_open(k, &v);
    for (int segment = 0; segment < SEGMENTS; segment++) {
      solver_begin(k, &f, &v, segment);
      flow_by(k, &f, 1.0 / SEGMENTS);
      solver_end(k, &f, &v, segment);
    }
    for (int i = 0; i < NR; i++) {
      z[i] = start_r[i];
      for (int j = 0; j < NR; j++)
        g.at[i][j] = k[K_H] * matrix_M[i][j];
    }
    plain_flow(&g, NR, 1, z);
    for (int i = 0; i < NX; i++) {
      const real want = x[i] - z[i];
      cr_expect(fabsl(f.x[i] - want) <= 1e-13L * fmaxl(0.1L, fabsl(want)), "theta %g: state %d: %.17g, want %.17Lg",
                thetas[t], i, f.x[i], want);
    }
  }
}

/* ---- polynomials through points */

static double polynomial(const double *coefficient, int count, double s) {
  double sum = 0;
  for (int j = count; j-- > 0;)
    sum = sum * s + coefficient[j];
  return sum;
}

Test(fragments, node_and_basis_polynomials_interpolate) {
  for (int m = 0; m < 4; m++) {
    for (int at = 0; at <= m; at++) {
      cr_expect_float_eq(polynomial(NODE[m], 4, -at), at == 0, 1e-14, "NODE[%d] at -%d", m, at);
      for (int p = 0; p <= m; p++)
        cr_expect_float_eq(polynomial(BASIS[m][p], 4, -at), at == p, 1e-14, "BASIS[%d][%d] at -%d", m, p, at);
    }
    for (int j = m + 1; j < 4; j++)
      cr_expect_eq(NODE[m][j], 0);
  }
}

/* Without an exact solution the errors are the polynomials themselves: after each new value they pass through the
 * newest points, as many as the degree requires and the ramp provides. */
Test(fragments, held_polynomials_run_through_the_newest_points) {
  static const double sample[] = {0.3, -1.2, 0.8, 2.5, -0.1, 0.4};
  enum { SAMPLES = sizeof sample / sizeof *sample };
  const V zero[NQ * NY] = {0};
  V c[NQ * NU] = {0}, g[NQ * NY] = {0};
  for (int step = 0; step < SAMPLES; step++) {
    V c1[NQ * NU], u[NU], y[NY], new_c[NQ * NU], new_g[NQ * NY];
    for (int i = 0; i < NU; i++) {
      for (int j = 0; j < NQ; j++)
        c1[j * NU + i] = shifted(c + i, NU, j, 1);
      u[i] = y[i] = (i + 1) * sample[step];
    }
    hold_inputs(NULL, c, c1, zero, zero, u, step, new_c);
    hold_outputs(NULL, g, zero, y, zero, step, new_g);
    memcpy(c, new_c, sizeof c);
    memcpy(g, new_g, sizeof g);
    for (int i = 0; i < NU; i++) {
      for (int back = 0; back <= min(INPUT_ORDER[i], step); back++) {
        cr_expect_float_eq(shifted(c + i, NU, 0, -back), (i + 1) * sample[step - back], 1e-14,
                           "input %d, step %d, %d back", i, step, back);
      }
      for (int back = 0; back <= min(OUTPUT_ORDER[i], step); back++) {
        cr_expect_float_eq(shifted(g + i, NY, 0, -back), (i + 1) * sample[step - back], 1e-14,
                           "output %d, step %d, %d back", i, step, back);
      }
      cr_expect_neq(c[min(INPUT_ORDER[i], step) * NU + i], 0, "degree of input %d in step %d", i, step);
      for (int j = min(INPUT_ORDER[i], step) + 1; j < NQ; j++)
        cr_expect_eq(c[j * NU + i], 0, "power %d of input %d in step %d", j, i, step);
      for (int j = min(OUTPUT_ORDER[i], step) + 1; j < NQ; j++)
        cr_expect_eq(g[j * NY + i], 0, "power %d of output %d in step %d", j, i, step);
    }
  }
}

/* ---- terms of series */

Test(fragments, the_host_knows_the_terms_of_series) {
  const struct cs_layout layout = {.dims.powers = NQ};
  size_t levels = 0, terms;
  for (double most; (terms = cs_layout_flow_terms(&layout, levels, &most)) > 0; levels++) {
    cr_expect_eq(taylor_terms(most), (V)terms, "up to %g", most);
    if (levels > 0) cr_expect_gt(taylor_terms(most * (1 + DBL_EPSILON)), (V)terms, "beyond %g", most);
  }
  cr_expect_eq(taylor_terms(0), NQ + 3);
}

/* Three terms beyond the first one of a chain of couplings, as far as series reach; no more than that for short ones.
 */
Test(fragments, a_chain_has_terms_for_its_length) {
  static const struct cs_model no_model;
  for (int across = 0; across < 2; across++)
    for (size_t powers = 1; powers <= 4; powers++) {
      const struct cs_layout layout = {
          .model = &no_model, .dims.powers = powers, .kind.varies = across, .master.parts = 1};
      double most, before = 0;
      cr_assert_eq(cs_layout_is_across(&layout), across == 1);
      for (size_t chain = 0; chain < 30; chain++) {
        const double theta = cs_layout_chain(&layout, chain);
        size_t terms = powers + 3;
        for (size_t level = 0, more; (more = (across ? cs_layout_powers : cs_layout_flow_terms)(&layout, level, &most));
             level++)
          if (theta > 0 && theta <= most) terms = more;
        cr_expect(terms >= chain + 3 || theta == 1.0, "%zu terms for a chain of %zu", terms, chain);
        cr_expect_eq(theta == 0, chain <= powers);
        cr_expect_geq(theta, before);
        before = theta;
      }
      cr_expect_eq(before, 1.0);
    }
}

/* ---- quadrature inside the step */

static size_t choose_quadrature(double norm, V *k) {
  const struct cs_layout layout = {
      .step.pieces = PIECES, .step.few = NODES_FEW, .kind.inexact = true, .map.inside_rows = INSIDE_ROWS};
  k[K_NORM] = norm;
  return cs_layout_quadrature(&layout, norm, k[K_CHAIN], 1.0, &k[K_PANELS], &k[K_LEVELS], &k[K_FIRST_PANEL],
                              &k[K_NODES]);
}

/* Sum of f over the rule of a piece; checks that its panels fill [0, 1] and its weights add up to 1. */
static double integrate(const V *k, double (*function)(double rate, double tau), double rate) {
  double sum = 0, total = 0;
  V left, width;
  panel_first(k, &left, &width);
  for (int panel = 0; panel < inside_panels(k); panel++) {
    for (int i = 0; i < inside_count(k); i++) {
      V weight;
      const V tau = left + width * node_place(k, i, panel, &weight);
      cr_expect(tau > 0 && tau < 1, "node at %g", tau);
      sum += weight * width * function(rate, tau);
      total += weight * width;
    }
    panel_next(k, panel, &left, &width);
  }
  cr_expect_float_eq(total, 1, 1e-14, "weights of ||M|| H = %g: %.17g", k[K_NORM], total);
  return sum;
}

static double squared_decay(double rate, double tau) {
  return exp(-2 * rate * tau);
}

/* exp(-rate tau)^2 over a piece, ||M|| H = rate PIECES: exact to 1e-10. */
Test(fragments, quadrature_resolves_fast_transients) {
  static const double rates[] = {1e-3, 0.05, 0.5, 1, 3, 8, 20, 100, 1000};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    V k[COEFFICIENTS] = {0};
    const size_t nodes = choose_quadrature(rates[i] * PIECES, k);
    cr_expect_eq(nodes, (size_t)(PIECES * inside_panels(k) * inside_count(k)));
    const double value = integrate(k, squared_decay, rates[i]), want = -expm1(-2 * rates[i]) / (2 * rates[i]);
    cr_expect(fabs(value / want - 1) < 1e-10, "rate %g: %.17g, want %.17g", rates[i], value, want);
  }
}

/* The tables written out in fragments.h are those that emission prints. */
Test(fragments, nodes_are_those_of_the_host) {
  double node[NODES_FULL], weight[NODES_FULL];
  cs_linalg_gauss(NODES_FEW, node, weight);
  for (int i = 0; i < NODES_FEW; i++)
    cr_expect(fabs(node[i] - NODE_FEW[i]) < 1e-16 && fabs(weight[i] - WEIGHT_FEW[i]) < 1e-16, "few, node %d", i);
  cs_linalg_gauss(NODES_FULL, node, weight);
  for (int i = 0; i < NODES_FULL; i++)
    cr_expect(fabs(node[i] - NODE_FULL[i]) < 1e-16 && fabs(weight[i] - WEIGHT_FULL[i]) < 1e-16, "full, node %d", i);
}

/* A lane with fewer panels or nodes than its neighbour gives the others weight 0. */
Test(fragments, nodes_of_the_small_rule) {
  V k[COEFFICIENTS] = {0}, weight;
  k[K_PANELS] = 1;
  k[K_FIRST_PANEL] = 1;
  k[K_NODES] = NODES_FEW;
  cr_expect_float_eq(integrate(k, squared_decay, 0.1), -expm1(-0.2) / 0.2, 1e-15);
  node_place(k, 7, 0, &weight);
  cr_expect_eq(weight, 0);
  node_place(k, 0, 1, &weight);
  cr_expect_eq(weight, 0);
}

/* The rows of inside_nodes are values times the square root of their weights. Without an exact solution the input error
 * is a polynomial, and the squares add up to its integral. */
Test(fragments, rows_inside_the_step_square_to_the_integral) {
  enum { NODES = 64 };
  V k[COEFFICIENTS] = {0}, data[POINT_ITEMS + NODES * INSIDE_ITEMS] = {0};
  const struct sink to = {.data = data, .stride = 1, .column = 0};
  struct flow f;
  struct solver v;
  const size_t nodes = choose_quadrature(3, k);
  cr_assert_leq(nodes, NODES);
  memset(&f, 0, sizeof f);
  memcpy(f.c0, start_c0, sizeof f.c0);
  k[K_H] = 3 / norm_M;
  solver_open(k, &v);
  for (int piece = 0; piece < PIECES; piece++) {
    solver_begin(k, &f, &v, piece);
    inside_nodes(k, &f, &v, &(struct dopri5){0}, piece, &to);
    flow_by(k, &f, 1.0 / PIECES);
    solver_end(k, &f, &v, piece);
  }
  for (int q = 0; q < NU; q++) {
    const double a = start_c0[q], b = start_c0[NU + q], c = start_c0[2 * NU + q];
    const double want = a * a + a * b + (b * b + 2 * a * c) / 3 + b * c / 2 + c * c / 5;
    double sum = 0;
    for (size_t node = 0; node < nodes; node++) {
      const V row = data[POINT_ITEMS + node * INSIDE_ITEMS + (size_t)q];
      sum += row * row;
    }
    cr_expect_float_eq(sum / want, 1, 1e-14, "input %d: %.17g, want %.17g", q, sum, want);
  }
}
