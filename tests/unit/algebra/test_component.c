/* Components of matrices, and linear algebra that does not depend on the units of rows. */
#include "component.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg.h"

enum { MOST = 8 };

static double uniform(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0;
}

/* A matrix with about `share` of its entries, none of them small. */
static void draw(size_t n, double share, unsigned *state, double *a) {
  for (size_t i = 0; i < n * n; i++) {
    const double value = 0.5 + uniform(state), sign = uniform(state) < 0.5 ? -1.0 : 1.0;
    a[i] = uniform(state) < share ? sign * value : 0.0;
  }
}

/* reach[i][j]: row i depends on row j, directly or not; by Warshall's algorithm. */
static void close_reach(size_t n, const double *a, bool reach[MOST][MOST]) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      reach[i][j] = i == j || a[i * n + j] != 0.0;
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
}

Test(component, rows_are_together_if_each_depends_on_the_other) {
  struct cs_component *c;
  unsigned state = 1;
  cr_assert_eq(cs_component_new(MOST, &c, NULL), CS_OK);
  for (int round = 0; round < 2000; round++) {
    const size_t n = 1 + (size_t)round % MOST;
    double a[MOST * MOST];
    bool reach[MOST][MOST], seen[MOST] = {false};
    draw(n, 0.05 + 0.3 * uniform(&state), &state, a);
    close_reach(n, a, reach);
    cs_component_find(c, n, a);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        cr_assert_eq(c->of[i] == c->of[j], reach[i][j] && reach[j][i]);
        cr_assert(!reach[i][j] || c->of[j] <= c->of[i], "dependences come first");
      }
    for (size_t k = 0; k < c->count; k++)
      for (size_t p = c->first[k]; p < c->first[k + 1]; p++) {
        cr_assert_eq(c->of[c->row[p]], k);
        seen[c->row[p]] = true;
      }
    for (size_t v = 0; v < n; v++) {
      const size_t i = c->visit[v], from = c->parent[i];
      cr_assert(seen[v] && (from == i || a[from * n + i] != 0.0));
    }
  }
  cs_component_free(c);
}

Test(component, chain_is_the_longest_way_through_components) {
  /* 3 -> {1, 2} -> 0 -> 4, and 3 -> 4: three couplings */
  static const double a[25] = {0, 0, 2, 0, 0, /**/ 0, 0, 1,      7, 0, /**/ 0, 1, 0,
                               0, 0, 0, 0, 0, 5,      0, /**/ 1, 0, 0, 1,      0};
  struct cs_component *c;
  cr_assert_eq(cs_component_new(5, &c, NULL), CS_OK);
  cs_component_find(c, 5, a);
  cr_expect_eq(c->count, 4);
  cr_expect_eq(cs_component_chain(c, a), 3);
  static const double ring[4] = {0, 1, 1, 0}, none[4] = {1, 0, 0, 2};
  cs_component_find(c, 2, ring);
  cr_expect_eq(cs_component_chain(c, ring), 0);
  cs_component_find(c, 2, none);
  cr_expect_eq(cs_component_chain(c, none), 0);
  cs_component_free(c);
}

/* a in other units: rows and columns scaled by 10^-8 to 10^8, or the rows in another order. */
static void change_units(size_t n, const double *a, unsigned *state, double *unit, double *to) {
  for (size_t i = 0; i < n; i++)
    unit[i] = pow(10.0, 16.0 * uniform(state) - 8.0);
  for (size_t i = 0; i < n * n; i++)
    to[i] = a[i] * unit[i % n] / unit[i / n];
}

static double norm_of(struct cs_component *c, size_t n, const double *a) {
  double scale[MOST];
  cs_component_find(c, n, a);
  cs_linalg_balance(c, a, scale);
  return cs_linalg_balanced_norm(c, a, scale);
}

Test(component, the_norm_does_not_depend_on_units) {
  struct cs_component *c;
  unsigned state = 2;
  cr_assert_eq(cs_component_new(MOST, &c, NULL), CS_OK);
  for (int round = 0; round < 1000; round++) {
    const size_t n = 1 + (size_t)round % MOST;
    double a[MOST * MOST], other[MOST * MOST], unit[MOST];
    draw(n, 0.15 + 0.5 * uniform(&state), &state, a);
    change_units(n, a, &state, unit, other);
    const double norm = norm_of(c, n, a);
    cr_expect_float_eq(norm_of(c, n, other), norm, 1e-9 * norm);
    for (size_t i = 0; i < n * n; i++) /* the rows in reverse order: the same up to the tolerance of balancing */
      other[i] = a[n * n - 1 - i];
    cr_expect_float_eq(norm_of(c, n, other), norm, 0.1 * norm);
  }
  static const double one_way[4] = {-1, 0, 1e12, -0.5};
  cr_expect_eq(norm_of(c, 2, one_way), 1.0);
  cs_component_free(c);
}

/* Chains of many rows: a symmetric matrix is balanced as it is, and units change nothing. Oscillators in a row,
 * positions driven by velocities, have the norm of a single one of frequency 2 sqrt(k). */
Test(component, the_norm_of_chains_does_not_grow_with_their_length) {
  enum { LONG = 200 };
  static double a[LONG * LONG], other[LONG * LONG], scale[LONG], unit[LONG];
  struct cs_component *c;
  unsigned state = 5;
  cr_assert_eq(cs_component_new(LONG, &c, NULL), CS_OK);
  for (int oscillators = 0; oscillators < 2; oscillators++) {
    const size_t half = LONG / 2, length = oscillators ? half : LONG;
    memset(a, 0, sizeof a);
    for (size_t i = 0; i < length; i++)
      for (size_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < length; j++)
        a[(oscillators ? half + i : i) * LONG + j] = i == j ? -2e3 : 1e3;
    for (size_t i = 0; i < half && oscillators; i++)
      a[i * LONG + half + i] = 1.0;
    change_units(LONG, a, &state, unit, other);
    cs_component_find(c, LONG, other);
    cs_linalg_balance(c, other, scale);
    const double right = oscillators ? 2.0 * sqrt(1e3) : 4e3;
    cr_expect_float_eq(cs_linalg_balanced_norm(c, other, scale), right, 0.2 * right, "%g",
                       cs_linalg_balanced_norm(c, other, scale));
  }
  cs_component_free(c);
}

/* Of matrices in units of 10^-8 to 10^8, some of them without loops: to 1e-9 in every entry. */
Test(component, solutions_do_not_depend_on_units) {
  struct cs_component *c;
  unsigned state = 3;
  cr_assert_eq(cs_component_new(MOST, &c, NULL), CS_OK);
  for (int round = 0; round < 1000; round++) {
    const size_t n = 1 + (size_t)round % MOST;
    double a[MOST * MOST], other[MOST * MOST], unit[MOST], identity[MOST * MOST] = {0}, x[MOST * MOST], y[MOST * MOST],
                                                                           norm[2], inverse[2];
    draw(n, 0.5 * uniform(&state), &state, a);
    for (size_t i = 0; i < n; i++) {
      a[i * n + i] = 4.0 + uniform(&state);
      identity[i * n + i] = 1.0;
    }
    change_units(n, a, &state, unit, other);
    cs_component_find(c, n, a);
    cr_assert_eq(cs_linalg_solve(c, a, n, identity, x, &norm[0], &inverse[0], NULL), CS_OK);
    cs_component_find(c, n, other);
    cr_assert_eq(cs_linalg_solve(c, other, n, identity, y, &norm[1], &inverse[1], NULL), CS_OK);
    cr_expect_float_eq(norm[0] * inverse[0], norm[1] * inverse[1], 1e-9 * norm[0] * inverse[0]);
    for (size_t i = 0; i < n * n; i++) {
      double product = 0.0;
      for (size_t j = 0; j < n; j++)
        product += a[i / n * n + j] * x[j * n + i % n];
      cr_expect_float_eq(product, identity[i], 1e-10);
      cr_expect_float_eq(y[i] * unit[i / n] / unit[i % n], x[i], 1e-9 * fmax(fabs(x[i]), 1e-3));
    }
  }
  cs_component_free(c);
}

/* Of random matrices, and of pairs that need a pivot, to the rounding of their condition. */
Test(component, inverses) {
  static const double exchange[4] = {0, 1, 1, 0}, tiny[4] = {1e-20, 1, 1, 1}, large[4] = {1e20, 1, 1, 1},
                      alike[4] = {1, 2, 2, 4}, *const pairs[] = {exchange, tiny, large, alike};
  unsigned state = 5;
  for (int round = 0; round < 1000; round++) {
    const size_t n = round < 4 ? 2 : 1 + (size_t)round % MOST;
    double a[MOST * MOST], inverse[MOST * MOST], rcond;
    int pivots[MOST];
    for (size_t i = 0; i < n * n; i++)
      a[i] = round < 4 ? pairs[round][i] : 2.0 * uniform(&state) - 1.0;
    memcpy(inverse, a, sizeof a);
    cs_linalg_invert(n, inverse, pivots, &rcond);
    cr_expect(round == 3 ? rcond == 0.0 : rcond > 0.0 && rcond <= 1.0, "round %d: rcond %g", round, rcond);
    for (size_t i = 0; i < n * n && rcond > 0.0; i++) {
      double product = 0.0;
      for (size_t j = 0; j < n; j++)
        product += a[i / n * n + j] * inverse[j * n + i % n];
      cr_expect_float_eq(product, i % (n + 1) == 0 ? 1.0 : 0.0, 1e-14 / rcond);
    }
  }
}

/* Rows and columns have units of their own, as equations and states do. */
Test(component, quotients_do_not_depend_on_units) {
  static const double a[9] = {4, 1, 0, 1, 3, -1, 0, 2, 5}, row[3] = {1e-9, 1, 1e12}, column[3] = {1e6, 1e-3, 1};
  double e[9], x[3] = {3, 2, 1}, b[3] = {0}, condition[2], same[9];
  for (int i = 0; i < 9; i++) {
    e[i] = a[i] * row[i / 3] * column[i % 3];
    b[i / 3] += e[i] * x[i % 3] / column[i % 3];
  }
  cr_assert_eq(cs_linalg_divide(3, e, 1, b, &condition[0], NULL), CS_OK);
  for (int i = 0; i < 3; i++)
    cr_expect(fabs(b[i] * column[i] - x[i]) < 1e-14, "%d: %.17g", i, b[i] * column[i]);
  memcpy(same, a, sizeof a);
  cr_assert_eq(cs_linalg_divide(3, same, 1, b, &condition[1], NULL), CS_OK);
  cr_expect(fabs(condition[0] - condition[1]) < 1e-9, "%.17g, %.17g", condition[0], condition[1]);
  cr_expect(condition[0] > 1 && condition[0] < 5, "%g", condition[0]);
  double pair[2] = {3, 1};
  cr_assert_eq(cs_linalg_divide(2, (const double[]){1, 1, 1, -1}, 1, pair, &condition[1], NULL), CS_OK);
  cr_expect(pair[0] == 2 && pair[1] == 1 && condition[1] == 2, "%g, %g, %g", pair[0], pair[1], condition[1]);
  memcpy(e + 6, e + 3, 3 * sizeof *e);
  cr_assert_eq(cs_linalg_divide(3, e, 1, b, &condition[0], NULL), CS_OK);
  cr_expect(condition[0] > 1e15, "%g", condition[0]);
}

Test(component, only_a_loop_is_singular) {
  static const double nilpotent[4] = {1, 0, -1e12, 1}, loop[4] = {1, -1e-9, -1e9, 1}, identity[4] = {1, 0, 0, 1};
  struct cs_component *c;
  double x[4], norm, inverse;
  cr_assert_eq(cs_component_new(2, &c, NULL), CS_OK);
  cs_component_find(c, 2, nilpotent);
  cr_assert_eq(cs_linalg_solve(c, nilpotent, 2, identity, x, &norm, &inverse, NULL), CS_OK);
  cr_expect(norm * inverse == 1.0 && x[0] == 1.0 && x[1] == 0.0 && x[2] == 1e12 && x[3] == 1.0);
  cs_component_find(c, 2, loop);
  cr_assert_eq(cs_linalg_solve(c, loop, 2, identity, x, &norm, &inverse, NULL), CS_OK);
  cr_expect_gt(norm * inverse, 1e14);
  cs_component_free(c);
}

static void expect_zeros(size_t n, const double *a, size_t count, size_t block) {
  struct cs_component *c;
  size_t zeros, most;
  cr_assert_eq(cs_component_new(n, &c, NULL), CS_OK);
  cs_component_find(c, n, a);
  cr_assert_eq(cs_linalg_zero_eigenvalues(c, a, &zeros, &most, NULL), CS_OK);
  cr_expect(zeros == count && most == block, "%zu eigenvalues 0 in blocks of %zu; want %zu, %zu", zeros, most, count,
            block);
  cs_component_free(c);
}

Test(component, eigenvalues_0_are_counted_with_their_blocks) {
  /* two free masses, joined by spring and damper; the same in other units; fast and slow decay */
  static const double free_masses[16] = {0, 1, 0, 0, -1, -0.5, 1, 0.5, 0, 0, 0, 1, 0.5, 0.25, -0.5, -0.25};
  static const double decay[4] = {-1e9, 1, 1, -1}, coupled[4] = {-1, 1, 1, -1}, nothing[9] = {0};
  static const double integrators[9] = {0, 1e6, 0, 0, 0, 1e-9, 0, 0, 0};
  static const double apart[9] = {0, 0, 0, 1, -1, 0, 0, 1, 0};
  double other[16], unit[4];
  unsigned state = 4;
  expect_zeros(4, free_masses, 2, 2);
  for (int round = 0; round < 100; round++) {
    change_units(4, free_masses, &state, unit, other);
    expect_zeros(4, other, 2, 2);
  }
  expect_zeros(2, decay, 0, 0);
  expect_zeros(2, coupled, 1, 1);
  expect_zeros(3, nothing, 3, 1);
  expect_zeros(3, integrators, 3, 3);
  expect_zeros(3, apart, 2, 2);
}
