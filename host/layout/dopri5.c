#include "dopri5.h"

#include <string.h>

typedef long double real;

static const real a[CS_DOPRI5_STAGES][CS_DOPRI5_STAGES] = {
    {0},
    {1.0L / 5},
    {3.0L / 40, 9.0L / 40},
    {44.0L / 45, -56.0L / 15, 32.0L / 9},
    {19372.0L / 6561, -25360.0L / 2187, 64448.0L / 6561, -212.0L / 729},
    {9017.0L / 3168, -355.0L / 33, 46732.0L / 5247, 49.0L / 176, -5103.0L / 18656},
    {35.0L / 384, 0, 500.0L / 1113, 125.0L / 192, -2187.0L / 6784, 11.0L / 84}};
static const real c[CS_DOPRI5_STAGES] = {0, 1.0L / 5, 3.0L / 10, 4.0L / 5, 8.0L / 9, 1, 1};
/* The end minus the embedded solution of order 4. */
static const real error[CS_DOPRI5_STAGES] = {71.0L / 57600,      0,           -71.0L / 16695, 71.0L / 1920,
                                             -17253.0L / 339200, 22.0L / 525, -1.0L / 40};
/* Of theta^2 (1 - theta)^2 in the continuous solution of order 4 (Hairer, Nørsett and Wanner, Solving Ordinary
 * Differential Equations I, section II.6); the rest of it is the cubic through values and slopes at both ends. */
static const real bump[CS_DOPRI5_STAGES] = {-12715105075.0L / 11282082432,  0,
                                            87487479700.0L / 32700410799,   -10690763975.0L / 1880347072,
                                            701980252875.0L / 199316789632, -1453857185.0L / 822651844,
                                            69997945.0L / 29380423};

/* theta (b + (1 - theta) (B + theta (C + (1 - theta) bump))), B = first slope - b, C = b - last slope - B. */
static real row_weight(int row, int stage) {
  const real b = a[CS_DOPRI5_STAGES - 1][stage], first = stage == 0, last = stage == CS_DOPRI5_STAGES - 1;
  const real cubic = 2 * b - first - last;
  switch (row) {
    case CS_DOPRI5_END:
      return b;
    case CS_DOPRI5_ERROR:
      return error[stage];
    case CS_DOPRI5_DENSE:
      return first;
    case CS_DOPRI5_DENSE + 1:
      return b - first + cubic + bump[stage];
    case CS_DOPRI5_DENSE + 2:
      return -cubic - 2 * bump[stage];
    default:
      return bump[stage];
  }
}

double cs_dopri5_a(int stage, int slope) {
  return (double)a[stage][slope];
}

double cs_dopri5_c(int stage) {
  return (double)c[stage];
}

double cs_dopri5_b(int row, int stage) {
  return (double)row_weight(row, stage);
}

/* The row's weights applied to A^power c^n. */
static real input_weight(int row, int power, int n) {
  real v[CS_DOPRI5_STAGES], next[CS_DOPRI5_STAGES], sum = 0;
  for (int i = 0; i < CS_DOPRI5_STAGES; i++) {
    v[i] = 1;
    for (int j = 0; j < n; j++)
      v[i] *= c[i];
  }
  for (int p = 0; p < power; p++) {
    for (int i = 0; i < CS_DOPRI5_STAGES; i++) {
      next[i] = 0;
      for (int j = 0; j < i; j++)
        next[i] += a[i][j] * v[j];
    }
    memcpy(v, next, sizeof v);
  }
  for (int i = 0; i < CS_DOPRI5_STAGES; i++)
    sum += row_weight(row, i) * v[i];
  return sum;
}

double cs_dopri5_weight(int row, int power, int n) {
  if (power + n <= (row == CS_DOPRI5_END ? 5 : 4)) return 0.0;
  const real in = n * input_weight(row, power, n - 1);
  if (power > 0) return (double)(in - input_weight(row, power - 1, n));
  return (double)(row == CS_DOPRI5_END ? in - 1 : in);
}
