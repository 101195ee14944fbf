#include "wide.h"

#include <math.h>
#include <string.h>

/* ---- pairs ---- */

struct cs_wide_pairs cs_wide_split(size_t count, const cs_wide *from, double *room) {
  const struct cs_wide_pairs p = {room, room + count};
  for (size_t i = 0; i < count; i++)
    cs_wide_put(p, i, from[i]);
  return p;
}

void cs_wide_join(size_t count, struct cs_wide_pairs from, cs_wide *to) {
  for (size_t i = 0; i < count; i++)
    to[i] = cs_wide_get(from, i);
}

/* The upper half of the digits of a, whose products with other halves are exact (Dekker 1971). */
static inline double upper(double a) {
  const double shifted = 0x8000001p0 * a;
  return shifted - (shifted - a);
}

/* a b, with what the product lacks in *rest. */
static inline double times(double a, double a1, double b, double *rest) {
  const double a2 = a - a1, b1 = upper(b), b2 = b - b1, product = a * b;
  *rest = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
  return product;
}

/* In loops without branches, which compilers turn into vectors. */
static void add_times(size_t count, double hi, double lo, const double *restrict b, const double *restrict b_lo,
                      double *restrict c, double *restrict c_lo) {
  const double half = upper(hi);
  for (size_t j = 0; j < count; j++) {
    double rest;
    const double product = times(hi, half, b[j], &rest), sum = c[j] + product, own = sum - c[j];
    const double low = (c[j] - (sum - own)) + (product - own) + (c_lo[j] + (rest + (hi * b_lo[j] + lo * b[j])));
    c[j] = sum + low;
    c_lo[j] = low - (c[j] - sum);
  }
}

void cs_wide_add(size_t count, double hi, double lo, struct cs_wide_pairs b, struct cs_wide_pairs c) {
  if (hi != 0.0) add_times(count, hi, lo, b.hi, b.lo, c.hi, c.lo);
}

void cs_wide_scale(size_t count, cs_wide factor, struct cs_wide_pairs a) {
  const double hi = (double)factor, lo = (double)(factor - hi), half = upper(hi);
  for (size_t j = 0; j < count; j++) {
    double rest;
    const double product = times(hi, half, a.hi[j], &rest), low = rest + (hi * a.lo[j] + lo * a.hi[j]);
    a.hi[j] = product + low;
    a.lo[j] = low - (a.hi[j] - product);
  }
}

/* ---- matrices ---- */

size_t cs_wide_room(size_t n) {
  return 4 * n * n;
}

void cs_wide_add_product(size_t rows, size_t inner, size_t columns, const cs_wide *a, size_t pitch, const cs_wide *b,
                         cs_wide *c, double *room) {
  const struct cs_wide_pairs right = cs_wide_split(inner * columns, b, room);
  double *const own = room + 2 * inner * columns;
  for (size_t i = 0; i < rows; i++) {
    const struct cs_wide_pairs sum = cs_wide_split(columns, c + i * columns, own);
    for (size_t k = 0; k < inner; k++) {
      const cs_wide factor = a[i * pitch + k];
      const double hi = (double)factor;
      cs_wide_add(columns, hi, (double)(factor - hi), cs_wide_at(right, k * columns), sum);
    }
    cs_wide_join(columns, sum, c + i * columns);
  }
}

void cs_wide_product(size_t rows, size_t inner, size_t columns, const cs_wide *a, size_t pitch, const cs_wide *b,
                     cs_wide *c, double *room) {
  memset(c, 0, rows * columns * sizeof *c);
  cs_wide_add_product(rows, inner, columns, a, pitch, b, c, room);
}

static void swap_rows(double *a, size_t n, size_t i, size_t j) {
  for (size_t k = 0; k < n && i != j; k++) {
    const double other = a[i * n + k];
    a[i * n + k] = a[j * n + k];
    a[j * n + k] = other;
  }
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
bool cs_wide_invert(size_t n, const cs_wide *a, cs_wide *inverse, double *room) {
  const struct cs_wide_pairs left = cs_wide_split(n * n, a, room), right = {room + 2 * n * n, room + 3 * n * n};
  memset(right.hi, 0, 2 * n * n * sizeof *room);
  for (size_t i = 0; i < n; i++)
    right.hi[i * n + i] = 1.0;
  for (size_t p = 0; p < n; p++) {
    const size_t best = pivot_of(left.hi, n, p);
    double *const all[] = {left.hi, left.lo, right.hi, right.lo};
    for (size_t m = 0; m < 4; m++)
      swap_rows(all[m], n, p, best);
    if (left.hi[p * n + p] == 0.0) return false;
    const cs_wide factor = 1.0 / cs_wide_get(left, p * n + p);
    const struct cs_wide_pairs row = cs_wide_at(left, p * n + p), other = cs_wide_at(right, p * n);
    cs_wide_scale(n - p, factor, row);
    cs_wide_scale(n, factor, other);
    for (size_t i = 0; i < n; i++) {
      const double hi = -left.hi[i * n + p], lo = -left.lo[i * n + p];
      if (i == p) continue;
      cs_wide_add(n - p, hi, lo, row, cs_wide_at(left, i * n + p));
      cs_wide_add(n, hi, lo, other, cs_wide_at(right, i * n));
    }
  }
  cs_wide_join(n * n, right, inverse);
  return true;
}
