#include "spectrum_case.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double spectrum_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ldexp((double)(*state >> 11), -52) - 1.0;
}

static size_t choose(uint64_t *state, size_t count) {
  return (size_t)(0.5 * (spectrum_random(state) + 1.0) * (double)count);
}

static void fill_random(size_t n, uint64_t *state, double *a) {
  for (size_t i = 0; i < n * n; i++)
    a[i] = spectrum_random(state);
}

/* Q A Q^T of some random reflections. */
static void turn(size_t n, uint64_t *state, double *a) {
  double v[64];
  for (int times = 0; times < 3; times++) {
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) {
      v[i] = spectrum_random(state);
      squares += v[i] * v[i];
    }
    for (int side = 0; side < 2; side++)
      for (size_t j = 0; j < n; j++) {
        const size_t first = side == 0 ? j : j * n, step = side == 0 ? n : 1;
        double dot = 0.0;
        for (size_t i = 0; i < n; i++)
          dot += v[i] * a[first + i * step];
        for (size_t i = 0; i < n; i++)
          a[first + i * step] -= 2.0 * dot / squares * v[i];
      }
  }
}

void spectrum_shuffle(size_t n, uint64_t *state, double *a) {
  for (size_t i = n; i-- > 1;) {
    const size_t j = choose(state, i + 1);
    for (size_t k = 0; k < n; k++) {
      const double swap = a[i * n + k];
      a[i * n + k] = a[j * n + k];
      a[j * n + k] = swap;
    }
    for (size_t k = 0; k < n; k++) {
      const double swap = a[k * n + i];
      a[k * n + i] = a[k * n + j];
      a[k * n + j] = swap;
    }
  }
}

static void fill_companion(size_t n, uint64_t *state, double *a) {
  double root[64], c[65] = {1.0};
  const int spaced = spectrum_random(state) < -0.5; /* Wilkinson's: the roots 1/n, 2/n ... 1 */
  for (size_t i = 0; i < n; i++) {
    root[i] = spaced ? (double)(i + 1) / (double)n : 2.0 * spectrum_random(state);
    for (size_t k = i + 1; k > 0; k--)
      c[k] -= root[i] * c[k - 1];
  }
  for (size_t i = 0; i < n; i++) {
    a[i] = -c[i + 1];
    if (i > 0) a[i * n + i - 1] = 1.0;
  }
}

static void fill_jordan(size_t n, size_t longest, uint64_t *state, double *a) {
  double value = spectrum_random(state);
  for (size_t i = 0, place = 0; i < n; i++, place++) {
    if (place == longest) {
      place = 0;
      if (spectrum_random(state) > 0.0) value = spectrum_random(state);
    }
    a[i * n + i] = value;
    if (place > 0) a[(i - 1) * n + i] = 1.0;
  }
}

/* Triangular, off-diagonal entries `size` times as large as the diagonal ones. */
static void fill_triangular(size_t n, double size, uint64_t *state, double *a) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = i; j < n; j++)
      a[i * n + j] = (j > i ? size : 1.0) * spectrum_random(state);
}

static void fill_grcar(size_t n, double *a) {
  for (size_t i = 0; i < n; i++) {
    if (i > 0) a[i * n + i - 1] = -1.0;
    for (size_t j = i; j < n && j <= i + 3; j++)
      a[i * n + j] = 1.0;
  }
}

static void fill_kahan(size_t n, uint64_t *state, double *a) {
  const double angle = 0.3 + fabs(spectrum_random(state)), s = sin(angle), c = cos(angle);
  for (size_t i = 0; i < n; i++)
    for (size_t j = i; j < n; j++)
      a[i * n + j] = pow(s, (double)i) * (j > i ? -c : 1.0);
}

/* (A, G; Q, -A^T), G and Q symmetric; the last row of an odd matrix is separate. */
static void fill_hamiltonian(size_t n, uint64_t *state, double *a) {
  const size_t m = n / 2;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < m; j++) {
      a[i * n + j] = spectrum_random(state);
      a[(m + j) * n + m + i] = -a[i * n + j];
      if (j > i) continue;
      a[i * n + m + j] = a[j * n + m + i] = spectrum_random(state);
      a[(m + i) * n + j] = a[(m + j) * n + i] = spectrum_random(state);
    }
}

static void fill_scaled(size_t n, uint64_t *state, double *a) {
  double factor[64];
  for (size_t i = 0; i < n; i++)
    factor[i] = pow(10.0, 12.0 * spectrum_random(state));
  fill_random(n, state, a);
  for (size_t i = 0; i < n * n; i++)
    a[i] *= factor[i / n] / factor[i % n];
}

void spectrum_matrix(enum spectrum_kind kind, size_t n, uint64_t *state, double *a) {
  double v[64];
  memset(a, 0, n * n * sizeof *a);
  switch (kind) {
    case SPECTRUM_SCALED:
      fill_scaled(n, state, a);
      break;
    case SPECTRUM_TRIANGULAR:
      fill_triangular(n, 1.0, state, a);
      spectrum_shuffle(n, state, a);
      break;
    case SPECTRUM_COMPANION:
      fill_companion(n, state, a);
      break;
    case SPECTRUM_JORDAN:
      fill_jordan(n, n, state, a);
      break;
    case SPECTRUM_NILPOTENT:
      for (size_t i = 1; i < n; i++)
        a[i * n + i - 1] = spectrum_random(state) > -0.6 ? 1.0 : 0.0;
      spectrum_shuffle(n, state, a);
      break;
    case SPECTRUM_DEFECTIVE:
      fill_jordan(n, 1 + choose(state, 4), state, a);
      turn(n, state, a);
      break;
    case SPECTRUM_GRCAR:
      fill_grcar(n, a);
      break;
    case SPECTRUM_KAHAN:
      fill_kahan(n, state, a);
      turn(n, state, a);
      break;
    case SPECTRUM_STEEP:
      fill_triangular(n, pow(10.0, 4.0 + 4.0 * spectrum_random(state)), state, a);
      turn(n, state, a);
      break;
    case SPECTRUM_ZERO:
      break;
    case SPECTRUM_RANK_ONE:
      for (size_t i = 0; i < n; i++)
        v[i] = spectrum_random(state);
      for (size_t i = 0; i < n * n; i++)
        a[i] = v[i / n] * spectrum_random(&(uint64_t){i % n + 7});
      break;
    case SPECTRUM_HAMILTONIAN:
      fill_hamiltonian(n, state, a);
      break;
    case SPECTRUM_SPARSE:
      for (size_t i = 0; i < n * n; i++)
        a[i] = fmax(-1.0, fmin(1.0, trunc(2.2 * spectrum_random(state) * fabs(spectrum_random(state)))));
      break;
    case SPECTRUM_CYCLE:
      for (size_t i = 0; i < n; i++)
        a[i * n + (i + 1) % n] = 1.0;
      spectrum_shuffle(n, state, a);
      break;
    case SPECTRUM_ORTHOGONAL:
      for (size_t i = 0; i < n; i++)
        a[i * n + (i + 1) % n] = spectrum_random(state) > 0.0 ? 1.0 : -1.0;
      spectrum_shuffle(n, state, a);
      turn(n, state, a);
      break;
    default:
      fill_random(n, state, a);
      break;
  }
  const double size = spectrum_random(state) > 0.0 ? 1e200 : 1e-200;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double *entry = &a[i * n + j];
      if (kind == SPECTRUM_LARGE) *entry *= size;
      if (kind == SPECTRUM_SYMMETRIC && j < i) *entry = a[j * n + i];
      if (kind == SPECTRUM_NEAR_ONE) *entry = (i == j ? 1.0 : 0.0) + 1e-7 * *entry;
      if (kind == SPECTRUM_GRADED) *entry *= pow(10.0, -0.5 * (double)(i + j));
    }
}

double spectrum_norm(size_t n, const double *a) {
  double most = 0.0, squares = 0.0;
  for (size_t i = 0; i < n * n; i++)
    most = fmax(most, fabs(a[i]));
  for (size_t i = 0; i < n * n && most > 0.0; i++)
    squares += a[i] / most * (a[i] / most);
  return most * sqrt(squares);
}

/* ---- certificates: inverse iteration with elimination by pivots ---- */

/* In place; a zero pivot is replaced by `least`. */
static void eliminate(size_t n, double least, double complex *m, size_t *pivot) {
  for (size_t k = 0; k < n; k++) {
    pivot[k] = k;
    for (size_t i = k + 1; i < n; i++)
      if (cabs(m[i * n + k]) > cabs(m[pivot[k] * n + k])) pivot[k] = i;
    for (size_t j = 0; j < n && pivot[k] != k; j++) {
      const double complex swap = m[k * n + j];
      m[k * n + j] = m[pivot[k] * n + j];
      m[pivot[k] * n + j] = swap;
    }
    if (cabs(m[k * n + k]) < least) m[k * n + k] = least;
    for (size_t i = k + 1; i < n; i++) {
      const double complex factor = m[i * n + k] /= m[k * n + k];
      for (size_t j = k + 1; j < n && factor != 0.0; j++)
        m[i * n + j] -= factor * m[k * n + j];
    }
  }
}

/* Only directions matter: a solution close to overflow is rescaled. */
static void bring_back(size_t n, double size, double complex *x) {
  for (size_t i = 0; i < n && size > 1e100; i++)
    x[i] /= size;
}

static void solve(size_t n, const double complex *m, const size_t *pivot, double complex *x) {
  for (size_t k = 0; k < n; k++) {
    const double complex swap = x[k];
    x[k] = x[pivot[k]];
    x[pivot[k]] = swap;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      x[i] -= m[i * n + j] * x[j];
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++)
      x[i] -= m[i * n + j] * x[j];
    x[i] /= m[i * n + i];
    bring_back(n, cabs(x[i]), x);
  }
}

/* M^H y = x with the factors of M. */
static void solve_adjoint(size_t n, const double complex *m, const size_t *pivot, double complex *x) {
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++)
      x[i] -= conj(m[j * n + i]) * x[j];
    x[i] /= conj(m[i * n + i]);
    bring_back(n, cabs(x[i]), x);
  }
  for (size_t i = n; i-- > 0;)
    for (size_t j = i + 1; j < n; j++)
      x[i] -= conj(m[j * n + i]) * x[j];
  for (size_t k = n; k-- > 0;) {
    const double complex swap = x[k];
    x[k] = x[pivot[k]];
    x[pivot[k]] = swap;
  }
}

static void normalise(size_t n, double complex *x) {
  double most = 0.0, squares = 0.0;
  for (size_t i = 0; i < n; i++)
    most = fmax(most, cabs(x[i]));
  for (size_t i = 0; i < n; i++) {
    x[i] /= most;
    squares += creal(x[i] * conj(x[i]));
  }
  for (size_t i = 0; i < n; i++)
    x[i] /= sqrt(squares);
}

void spectrum_certify(size_t n, const double *a, double re, double im, double *error, double *condition) {
  double complex m[64 * 64], x[64], y[64], dot = 0.0;
  size_t pivot[64];
  uint64_t state = 3;
  const double norm = spectrum_norm(n, a);
  *error = norm == 0.0 ? (re == 0.0 && im == 0.0 ? 0.0 : INFINITY) : 0.0;
  *condition = 1.0;
  if (norm == 0.0) return;
  cr_assert(n <= 64);
  for (size_t i = 0; i < n * n; i++)
    m[i] = (a[i] - (i / n == i % n ? re + I * im : 0.0)) / norm;
  eliminate(n, DBL_EPSILON / 8.0, m, pivot);
  for (size_t i = 0; i < n; i++)
    x[i] = y[i] = spectrum_random(&state) + I * spectrum_random(&state);
  for (int times = 0; times < 4; times++) { /* towards the smallest singular value */
    memcpy(x, y, sizeof x);
    solve_adjoint(n, m, pivot, x);
    normalise(n, x);
    memcpy(y, x, sizeof y);
    solve(n, m, pivot, y);
    normalise(n, y);
  }
  double squares = 0.0;
  for (size_t i = 0; i < n; i++) {
    double complex sum = -(re + I * im) / norm * y[i];
    for (size_t j = 0; j < n; j++)
      sum += a[i * n + j] / norm * y[j];
    squares += creal(sum * conj(sum));
    dot += conj(x[i]) * y[i];
  }
  *error = sqrt(squares);
  *condition = 1.0 / fmax(cabs(dot), DBL_MIN);
}
