#include "wide.h"

#include <string.h>

void cs_wide_add_product(size_t rows, size_t inner, size_t columns, const cs_wide *a, const cs_wide *b, cs_wide *c) {
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < inner; k++)
      for (size_t j = 0; a[i * inner + k] != 0.0 && j < columns; j++)
        c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}

void cs_wide_product(size_t rows, size_t inner, size_t columns, const cs_wide *a, const cs_wide *b, cs_wide *c) {
  memset(c, 0, rows * columns * sizeof *c);
  cs_wide_add_product(rows, inner, columns, a, b, c);
}

static void swap_rows(cs_wide *a, size_t n, size_t i, size_t j) {
  for (size_t k = 0; k < n && i != j; k++) {
    const cs_wide other = a[i * n + k];
    a[i * n + k] = a[j * n + k];
    a[j * n + k] = other;
  }
}

/* The row with the largest entry of column p, relative to the row's largest one. */
static size_t pivot_of(const cs_wide *a, size_t n, size_t p) {
  cs_wide most = -1.0;
  size_t best = p;
  for (size_t i = p; i < n; i++) {
    cs_wide size = 0.0;
    for (size_t j = 0; j < n; j++)
      size = cs_wide_larger(size, cs_wide_size(a[i * n + j]));
    const cs_wide share = size > 0.0 ? cs_wide_size(a[i * n + p]) / size : 0.0;
    if (share > most) {
      most = share;
      best = i;
    }
  }
  return best;
}

/* Gauss-Jordan elimination. */
bool cs_wide_invert(size_t n, cs_wide *a, cs_wide *inverse) {
  for (size_t i = 0; i < n * n; i++)
    inverse[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
  for (size_t p = 0; p < n; p++) {
    const size_t best = pivot_of(a, n, p);
    swap_rows(a, n, p, best);
    swap_rows(inverse, n, p, best);
    if (a[p * n + p] == 0.0) return false;
    const cs_wide factor = 1.0 / a[p * n + p];
    for (size_t j = 0; j < n; j++) {
      a[p * n + j] *= factor;
      inverse[p * n + j] *= factor;
    }
    for (size_t i = 0; i < n; i++) {
      const cs_wide other = a[i * n + p];
      for (size_t j = 0; i != p && other != 0.0 && j < n; j++) {
        a[i * n + j] -= other * a[p * n + j];
        inverse[i * n + j] -= other * inverse[p * n + j];
      }
    }
  }
  return true;
}
