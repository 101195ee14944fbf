#include "wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "each_set.h"

struct cs_wide cs_wide_take(size_t count, bool *failed) {
  double *hi = calloc(count > 0 ? 2 * count : 1, sizeof *hi);
  if (hi == NULL) *failed = true;
  return (struct cs_wide){hi, hi == NULL ? NULL : hi + count};
}

void cs_wide_free(struct cs_wide a) {
  free(a.hi);
}

void cs_wide_clear(size_t count, struct cs_wide a) {
  memset(a.hi, 0, count * sizeof *a.hi);
  memset(a.lo, 0, count * sizeof *a.lo);
}

void cs_wide_diagonal(size_t n, double value, struct cs_wide a) {
  cs_wide_clear(n * n, a);
  for (size_t i = 0; i < n; i++)
    a.hi[i * (n + 1)] = value;
}

void cs_wide_copy(size_t count, struct cs_wide from, struct cs_wide to) {
  memcpy(to.hi, from.hi, count * sizeof *to.hi);
  memcpy(to.lo, from.lo, count * sizeof *to.lo);
}

/* ---- numbers ---- */

/* The upper half of the digits of a, whose products with other halves are exact (Dekker 1971). */
static inline double upper(double a) {
  const double shifted = 0x8000001p0 * a;
  return shifted - (shifted - a);
}

/* a b, with what the product lacks in *rest; a1: upper(a). */
static inline double times(double a, double a1, double b, double *rest) {
  const double a2 = a - a1, b1 = upper(b), b2 = b - b1, product = a * b;
  *rest = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
  return product;
}

/* In loops without branches, which compilers turn into vectors. */
CS_EACH_SET static void add_times(size_t count, double hi, double lo, const double *restrict b,
                                  const double *restrict b_lo, double *restrict c, double *restrict c_lo) {
  const double half = upper(hi);
  for (size_t j = 0; j < count; j++) {
    double rest;
    const double product = times(hi, half, b[j], &rest), sum = c[j] + product, own = sum - c[j];
    const double low = (c[j] - (sum - own)) + (product - own) + (c_lo[j] + (rest + (hi * b_lo[j] + lo * b[j])));
    c[j] = sum + low;
    c_lo[j] = low - (c[j] - sum);
  }
}

void cs_wide_add(size_t count, struct cs_wide factor, struct cs_wide b, struct cs_wide c) {
  if (*factor.hi != 0.0) add_times(count, *factor.hi, *factor.lo, b.hi, b.lo, c.hi, c.lo);
}

void cs_wide_scale(size_t count, struct cs_wide factor, struct cs_wide a) {
  const double hi = *factor.hi, lo = *factor.lo, half = upper(hi);
  for (size_t j = 0; j < count; j++) {
    double rest;
    const double product = times(hi, half, a.hi[j], &rest), low = rest + (hi * a.lo[j] + lo * a.hi[j]);
    a.hi[j] = product + low;
    a.lo[j] = low - (a.hi[j] - product);
  }
}

/* The quotient of doubles, and what it lacks. */
void cs_wide_reciprocal(struct cs_wide from, struct cs_wide to) {
  double rest;
  const double first = 1.0 / *from.hi, product = times(first, upper(first), *from.hi, &rest);
  const double second = ((1.0 - product) - rest - first * *from.lo) / *from.hi;
  *to.hi = first + second;
  *to.lo = second - (*to.hi - first);
}

/* ---- matrices ---- */

void cs_wide_add_product(size_t rows, size_t inner, size_t columns, struct cs_wide a, size_t pitch, struct cs_wide b,
                         struct cs_wide c) {
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < inner; k++)
      cs_wide_add(columns, cs_wide_at(a, i * pitch + k), cs_wide_at(b, k * columns), cs_wide_at(c, i * columns));
}

void cs_wide_product(size_t rows, size_t inner, size_t columns, struct cs_wide a, size_t pitch, struct cs_wide b,
                     struct cs_wide c) {
  cs_wide_clear(rows * columns, c);
  cs_wide_add_product(rows, inner, columns, a, pitch, b, c);
}

/* The row with the largest entry of column p, relative to the row's largest one. */
static size_t pivot_of(const double *a, size_t n, size_t p) {
  double most = -1.0;
  size_t best = p;
  for (size_t i = p; i < n; i++) {
    double size = 0.0;
    for (size_t j = p; j < n; j++)
      size = fabs(a[i * n + j]) > size ? fabs(a[i * n + j]) : size;
    const double share = size > 0.0 ? fabs(a[i * n + p]) / size : 0.0;
    if (share > most) {
      most = share;
      best = i;
    }
  }
  return best;
}

/* Gauss-Jordan elimination; columns before p are 0 in row p. */
bool cs_wide_invert(size_t n, struct cs_wide a, struct cs_wide inverse) {
  double number[2];
  const struct cs_wide factor = {number, number + 1};
  cs_wide_diagonal(n, 1.0, inverse);
  for (size_t p = 0; p < n; p++) {
    const size_t best = pivot_of(a.hi, n, p);
    for (size_t k = 0; k < n && best != p; k++) {
      cs_wide_swap(a, p * n + k, best * n + k);
      cs_wide_swap(inverse, p * n + k, best * n + k);
    }
    const struct cs_wide row = cs_wide_at(a, p * n + p), other = cs_wide_at(inverse, p * n);
    if (*row.hi == 0.0) return false;
    cs_wide_reciprocal(row, factor);
    cs_wide_scale(n - p, factor, row);
    cs_wide_scale(n, factor, other);
    for (size_t i = 0; i < n; i++) {
      const struct cs_wide own = cs_wide_at(a, i * n + p);
      if (i == p) continue;
      *factor.hi = -*own.hi;
      *factor.lo = -*own.lo;
      cs_wide_add(n - p, factor, row, own);
      cs_wide_add(n, factor, other, cs_wide_at(inverse, i * n));
    }
  }
  return true;
}
