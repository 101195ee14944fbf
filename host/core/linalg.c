#include "linalg.h"

#include <lapacke.h>
#include <math.h>

/* Largest column sum. */
static double norm_of(size_t n, const double *a) {
  double norm = 0.0;
  for (size_t j = 0; j < n; j++) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
      sum += fabs(a[i * n + j]);
    if (!(sum <= norm)) norm = sum;
  }
  return norm;
}

/* LAPACK reads the rows as columns: the inverse of the transpose is the transpose of the inverse. */
void cs_linalg_invert(size_t n, double *a, int *pivots, double *rcond) {
  const lapack_int size = (lapack_int)n;
  *rcond = 1.0;
  if (n == 0) return;
  const double norm = norm_of(n, a);
  *rcond = 0.0;
  if (!isfinite(norm) || LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, a, size, pivots) != 0) return;
  double work[64];
  const lapack_int room = sizeof work / sizeof *work;
  const lapack_int failed = size <= room ? LAPACKE_dgetri_work(LAPACK_COL_MAJOR, size, a, size, pivots, work, room)
                                         : LAPACKE_dgetri(LAPACK_COL_MAJOR, size, a, size, pivots);
  const double product = norm * norm_of(n, a);
  if (failed == 0 && isfinite(product)) *rcond = 1.0 / product;
}

void cs_linalg_add_product(size_t rows, size_t inner, size_t columns, const double *a, const double *b, double *c) {
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < inner; k++) {
      const double factor = a[i * inner + k];
      if (factor == 0.0) continue;
      for (size_t j = 0; j < columns; j++)
        c[i * columns + j] += factor * b[k * columns + j];
    }
}

double cs_linalg_balanced_norm(size_t n, double *a) {
  for (int sweep = 0, changed = 1; changed && sweep < 16; sweep++) {
    changed = 0;
    for (size_t i = 0; i < n; i++) {
      double row = 0.0, column = 0.0;
      for (size_t j = 0; j < n; j++) {
        if (j == i) continue;
        row += fabs(a[i * n + j]);
        column += fabs(a[j * n + i]);
      }
      if (!(row > 0.0) || !(column > 0.0)) continue;
      const double factor = ldexp(1.0, (int)lround(0.5 * log2(row / column)));
      if (factor == 1.0) continue;
      changed = 1;
      for (size_t j = 0; j < n; j++) {
        a[i * n + j] /= factor;
        a[j * n + i] *= factor;
      }
    }
  }
  double norm = 0.0;
  for (size_t i = 0; i < n; i++) {
    double row = 0.0;
    for (size_t j = 0; j < n; j++)
      row += fabs(a[i * n + j]);
    norm = fmax(norm, row);
  }
  return norm;
}

int cs_linalg_eigenvalues(size_t n, double *a, double *re, double *im, struct cs_error *error) {
  const lapack_int size = (lapack_int)n;
  if (n == 0) return CS_OK;
  for (size_t i = 0; i < n * n; i++)
    if (!isfinite(a[i]))
      return cs_error_set(error, CS_INPUT, "eigenvalues of a matrix: entry [%zu][%zu] is %g; want finite numbers",
                          i / n, i % n, a[i]);
  if (LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', size, a, size, re, im, NULL, size, NULL, size) == 0) return CS_OK;
  return cs_error_set(error, CS_INPUT, "eigenvalues of a matrix of %zu rows: the iteration does not converge", n);
}

void cs_linalg_gauss(size_t n, double *nodes, double *weights) {
  for (size_t i = 0; i < n; i++) {
    long double x = cosl(acosl(-1.0L) * ((long double)i + 0.75L) / ((long double)n + 0.5L)), slope = 1.0L;
    for (int iteration = 0; iteration < 100; iteration++) {
      long double p0 = 1.0L, p1 = x;
      for (size_t k = 2; k <= n; k++) {
        const long double p2 =
            ((2.0L * (long double)k - 1.0L) * x * p1 - ((long double)k - 1.0L) * p0) / (long double)k;
        p0 = p1;
        p1 = p2;
      }
      slope = (long double)n * (x * p1 - p0) / (x * x - 1.0L);
      const long double step = p1 / slope;
      x -= step;
      if (fabsl(step) < 1e-19L) break;
    }
    nodes[n - 1 - i] = (double)((1.0L + x) / 2.0L);
    weights[n - 1 - i] = (double)(1.0L / ((1.0L - x * x) * slope * slope));
  }
}
