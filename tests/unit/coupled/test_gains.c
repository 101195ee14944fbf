/* Gains beside integrals by hand, in any units and over paths alone. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "gains.h"

static struct cs_error error;

static void expect(double found, double want, const char *what) {
  cr_expect(fabs(found - want) <= 1e-13 * want, "%s: %.17g, not %.17g", what, found, want);
}

/* The gain of one row and one column. */
static double gain_of(size_t n, const double *m, const double *y, const double *e, double T) {
  double gain = 0.0;
  cr_assert_eq(cs_gains_add(n, m, 1, y, 1, e, T, &gain, &error), CS_OK, "%s", error.message);
  return gain;
}

Test(gains, are_integrals_between_changes_of_sign) {
  const double pi = acos(-1.0), lag[] = {-3.0}, one[] = {1.0};
  expect(gain_of(1, lag, one, one, 2.0), -expm1(-6.0) / 3.0, "lag");
  for (double w = 1.0; w < 1e4; w *= 10.0) { /* cos(w t) over k periods */
    const double bell[] = {0.0, w, -w, 0.0}, e[] = {1.0, 0.0};
    expect(gain_of(2, bell, e, e, 2.0 * pi * 3.0 / w), 3.0 * 4.0 / w, "bell");
  }
  double sum = 5.0; /* what was there is added to */
  cr_assert_eq(cs_gains_add(1, lag, 1, one, 1, one, 2.0, &sum, &error), CS_OK);
  expect(sum, 5.0 - expm1(-6.0) / 3.0, "sum");
}

static double rate_of(size_t k) {
  return (double)(1 + k / 2) * (k < 30 ? 1.0 : 1e2);
}

/* Slow and fast oscillators, thirty in all, each of which all coordinates show: cos(w t) over k periods, of the one
 * that column and row see.
 */
Test(gains, of_many_states_are_integrals) {
  enum { N = 60 };
  const double pi = acos(-1.0);
  double m[N * N], v[N], unit[N], squares = 0.0;
  for (size_t i = 0; i < N; i++)
    v[i] = 1.0 + sin((double)i), squares += v[i] * v[i];
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) { /* Q D Q, Q = I - 2 v v^T / v^T v, whose column j of D is w_j times unit j +- 1 */
      m[i * N + j] = 0.0;
      for (size_t k = 0; k < N; k++) {
        const size_t to = k ^ 1;
        const double w = (k % 2 == 0 ? -1.0 : 1.0) * rate_of(k);
        m[i * N + j] +=
            w * ((double)(i == to) - 2.0 * v[i] * v[to] / squares) * ((double)(j == k) - 2.0 * v[k] * v[j] / squares);
      }
    }
  for (size_t of = 28; of < N; of += 30) {
    const double w = rate_of(of);
    for (size_t i = 0; i < N; i++)
      unit[i] = (double)(i == of) - 2.0 * v[i] * v[of] / squares;
    expect(gain_of(N, m, unit, unit, 2.0 * pi * 3.0 / w), 3.0 * 4.0 / w, "oscillator of thirty");
  }
}

/* A slow lag that drives one 10^8 times as fast, and a fast one that drives a slow one; each state in units of its own.
 */
Test(gains, of_fast_and_slow_modes_in_any_units) {
  static const double units[][2] = {{1, 1}, {1e-12, 1}, {1, 1e-12}, {1e9, 1e-9}};
  const double k = 1e8, T = 3.0;
  const double slower = -expm1(-T) - -expm1(-k * T) / k; /* int e^-t - e^-kt, both times k / (k - 1) */
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    const double p = units[i][0], q = units[i][1];
    const double fast[] = {-1.0, 0.0, k * q / p, -k}, slow[] = {-k, 0.0, q / p, -1.0};
    const double into[] = {p, 0.0}, out[] = {0.0, 1.0 / q};
    expect(gain_of(2, fast, out, into, T), slower * (k / (k - 1.0)), "fast after slow");
    expect(gain_of(2, slow, out, into, T), slower / (k - 1.0), "slow after fast");
  }
}

/* x' = a (x - z), z' = a (x - z): the modes are those of an integrator, one panel however large a is. */
Test(gains, of_large_entries_without_fast_modes) {
  const double a = 1e9, m[] = {a, -a, a, -a}, y[] = {1.0, -1.0}, z[] = {0.0, 1.0}, e[] = {1.0, 0.0};
  expect(gain_of(2, m, y, e, 1e4), 1e4, "difference");
  expect(gain_of(2, m, z, e, 1e4), 0.5 * a * 1e8, "drift");
}

/* Twelve integrators in units that differ by q each: t^12 / 12!. */
Test(gains, of_chains_in_any_units) {
  enum { LEVELS = 12 };
  for (double q = 1e-6; q < 1e7; q *= 1e6) {
    double m[LEVELS * LEVELS] = {0.0}, y[LEVELS] = {1.0}, e[LEVELS] = {0.0}, want = 1.0;
    for (size_t i = 0; i + 1 < LEVELS; i++)
      m[i * LEVELS + i + 1] = q;
    e[LEVELS - 1] = pow(q, 1.0 - LEVELS);
    for (int i = 1; i <= LEVELS; i++)
      want *= 2.0 / i;
    const double found = gain_of(LEVELS, m, y, e, 2.0);
    cr_expect(fabs(found - want) <= 1e-12 * want, "chain: %.17g, not %.17g", found, want);
  }
}

/* A slow loop that drives one 10^3 times as fast, in units q apart: 1.12... is an integral in 40 digits. */
Test(gains, of_loops_in_any_units) {
  static const double coupling[] = {1.0, 1e-20, 1e-40, 1e20, 1e40};
  for (size_t i = 0; i < sizeof coupling / sizeof *coupling; i++) {
    const double k = 1e3, q = k * coupling[i];
    const double m[] = {-0.1,    1.0,     0.0,       0.0,     -1.3,     -0.2,    0.0,      0.0,
                        0.4 * q, 0.7 * q, -0.15 * k, 0.9 * k, -0.2 * q, 0.3 * q, -1.2 * k, -0.1 * k};
    const double y[] = {0.0, 0.0, k / q, 0.0}, e[] = {1.0, 0.0, 0.0, 0.0};
    const double found = gain_of(4, m, y, e, 7.0), want = 1.1226712970824384412;
    cr_expect(fabs(found - want) <= 2e-12 * want, "%g: %.17g, not %.17g", coupling[i], found, want);
  }
}

/* Gains of many rows and columns at once are those one by one, in any units. */
Test(gains, of_many_rows_and_columns) {
  enum { N = 4 };
  for (double q = 1e-20; q < 1e21; q *= 1e20) {
    const double m[N * N] = {-0.1,    1.0,     0.2 / q, 0.0, -1.3,     -0.2,    0.0,   0.1 / q,
                             0.4 * q, 0.7 * q, -1.5,    9.0, -0.2 * q, 0.3 * q, -12.0, -1.0};
    const double y[N * N] = {1.0, 0.5, 0.0,     0.0,     0.0, 0.3, 1.0 / q, 0.0,
                             0.0, 0.0, 0.2 / q, 1.0 / q, 0.7, 0.0, 0.0,     0.0};
    double e[N * N] = {0.0};
    for (size_t i = 0; i < N; i++)
      e[i * (N + 1)] = i < 2 ? 1.0 : q;
    for (size_t rows = 1; rows <= N; rows++) {
      double gain[N * N] = {0.0};
      cr_assert_eq(cs_gains_add(N, m, rows, y, N, e, 7.0, gain, &error), CS_OK, "%s", error.message);
      for (size_t i = 0; i < rows * N; i++) {
        double column[N] = {0.0};
        column[i % N] = e[i % N * (N + 1)];
        const double want = gain_of(N, m, y + i / N * N, column, 7.0);
        cr_expect(fabs(gain[i] - want) <= 2e-12 * want, "%zu rows, row %zu, column %zu: %.17g, not %.17g", rows, i / N,
                  i % N, gain[i], want);
      }
    }
  }
}

/* Two loops that know nothing of each other, in units 10^30 apart, the first of which drives a third: what has no path
 * is exactly 0, and the rest is as without the others. */
Test(gains, follow_paths) {
  enum { N = 6, LOOPS = 3 };
  const double u = 1e30;
  const double m[N * N] = {-1.0,    0.7,     0.0,  0.0, 0.0,  0.0, -0.6,    -1.3,     0.0,  0.0,  0.0,  0.0,
                           0.0,     0.0,     -0.9, 0.8, 0.0,  0.0, 0.0,     0.0,      -0.5, -1.1, 0.0,  0.0,
                           0.3 * u, 0.2 * u, 0.0,  0.0, -0.8, 0.9, 0.4 * u, -0.5 * u, 0.0,  0.0,  -1.0, -0.2};
  const double first[] = {-1.0, 0.7, -0.6, -1.3}, second[] = {-0.9, 0.8, -0.5, -1.1};
  double e[N * N] = {0.0}, gain[N * N] = {0.0};
  for (size_t i = 0; i < N; i++)
    e[i * N + i] = 1.0;
  cr_assert_eq(cs_gains_add(N, m, N, e, N, e, 4.0, gain, &error), CS_OK, "%s", error.message);
  static const unsigned char path[LOOPS][LOOPS] = {{1, 0, 0}, {0, 1, 0}, {1, 0, 1}}; /* to the row from the column */
  for (size_t i = 0; i < N * N; i++)
    cr_expect((gain[i] > 0.0) == (path[i / N / 2][i % N / 2] == 1), "row %zu, column %zu: %g", i / N, i % N, gain[i]);
  const double one[] = {1.0, 0.0}, two[] = {0.0, 1.0};
  expect(gain[0], gain_of(2, first, one, one, 4.0), "first loop");
  expect(gain[1], gain_of(2, first, one, two, 4.0), "first loop");
  expect(gain[2 * N + 2], gain_of(2, second, one, one, 4.0), "second loop");
  expect(gain[2 * N + 3], gain_of(2, second, one, two, 4.0), "second loop");
}

/* A bell that rings for a million radians and more. */
Test(gains, say_what_takes_too_long) {
  const double bell[] = {0.0, 1e6, -1e6, 0.0}, e[] = {1.0, 0.0};
  double gain = 0.0;
  cr_expect_eq(cs_gains_add(2, bell, 1, e, 1, e, 2.0, &gain, &error), CS_INPUT);
  cr_expect_not_null(strstr(error.message, "gains of defects: modes turn so often that the first "), "%s",
                     error.message);
  cr_expect_not_null(strstr(error.message, " of 2 s are 1000000 panels"), "%s", error.message);
}
