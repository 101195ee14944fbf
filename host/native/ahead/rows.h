/* What kernels/spectrum/rows.clh does, for large matrices: along rows, and of a step's reflections all at once for WIDE
 * rows side by side, of which each number is read and written once. */
#ifndef COSWEEP_NATIVE_ROWS_H
#define COSWEEP_NATIVE_ROWS_H

#include "wide.h"

static inline void hessenberg_rows(double *a, const size_t stride, int n, int k, int i, const int count,
                                   double weight) {
  const double *v = a + SPECTRUM_RE(n, k + 2);
  for (int r = i; r < i + count; r++) {
    double *row = a + r * SPECTRUM_ROW(n) + k + 1;
    const double x = wide_dot(row + 1, v, n - k - 2, *row) * -weight;
    *row += x;
    APART for (int j = 1; j < n - k - 1; j++) row[j] = FMA(x, v[j - 1], row[j]);
  }
}

/* Reflections are applied to so many vectors side by side, each of which waits for its own numbers; to columns beyond
 * those that a step reads, so many reflections at once. */
enum { SIDE = 2, SIDE_WIDE = SIDE * WIDE, REFLECTIONS_AT_ONCE = 8 };

static inline int begin_of(int from, int k, int width) {
  return from + (k - from) / width * width;
}

static inline int soon_from(int from, int k) {
  return begin_of(from, k, SIDE_WIDE);
}

/* Beyond it are whole vectors. */
static inline int soon_to(int from, int to, int k) {
  const int last = begin_of(from, k, REFLECTIONS_AT_ONCE) + REFLECTIONS_AT_ONCE + 1;
  return last < to ? to - (to - last) / SIDE_WIDE * SIDE_WIDE : to;
}

static inline void keep_reflection(double *a, int n, int k, double weight, double q, double r) {
  a[SPECTRUM_RE(n, k)] = weight;
  a[SPECTRUM_IM(n, k)] = q;
  a[SPECTRUM_SIZE(n, k)] = r;
}

/* Of reflection k the rows or columns k to k + 2, in SIDE vectors each; the last become what the next begins with. */
static inline void reflect_three(const double *a, int n, int k, wide *first, wide *second, wide *third) {
  const double weight = a[SPECTRUM_RE(n, k)];
  const wide q = wide_same(a[SPECTRUM_IM(n, k)]), r = wide_same(a[SPECTRUM_SIZE(n, k)]), x = wide_same(-weight);
  WIDE_UNROLL for (int v = 0; v < SIDE; v++) {
    wide own[3] = {first[v], second[v], third[v]};
    if (weight != 0.0) {
      const wide dot = wide_fma(r, own[2], wide_fma(q, own[1], own[0]));
      own[0] = wide_fma(dot, x, own[0]);
      own[1] = wide_fma(dot, x * q, own[1]);
      own[2] = wide_fma(dot, x * r, own[2]);
    }
    third[v] = own[0];
    first[v] = own[1];
    second[v] = own[2];
  }
}

/* Reflections k to k + REFLECTIONS_AT_ONCE - 1 on columns. */
static inline void reflect_down(double *a, int n, int k, int column) {
  const size_t pitch = SPECTRUM_ROW(n);
  double *row = a + (size_t)k * pitch + (size_t)column;
  wide first[SIDE], second[SIDE], third[SIDE];
  WIDE_UNROLL for (int v = 0; v < SIDE; v++) first[v] = wide_from(row + v * WIDE);
  WIDE_UNROLL for (int v = 0; v < SIDE; v++) second[v] = wide_from(row + pitch + v * WIDE);
  for (int c = 0; c < REFLECTIONS_AT_ONCE; c++, row += pitch) {
    WIDE_UNROLL for (int v = 0; v < SIDE; v++) third[v] = wide_from(row + 2 * pitch + v * WIDE);
    reflect_three(a, n, k + c, first, second, third);
    WIDE_UNROLL for (int v = 0; v < SIDE; v++) wide_to(row + v * WIDE, third[v]);
  }
  WIDE_UNROLL for (int v = 0; v < SIDE; v++) wide_to(row + v * WIDE, first[v]);
  WIDE_UNROLL for (int v = 0; v < SIDE; v++) wide_to(row + pitch + v * WIDE, second[v]);
}

/* `count` columns, at most WIDE, of SIDE_WIDE rows from `a` on: column [count][SIDE]. */
static inline void columns_of(const double *a, size_t pitch, int count, wide *column) {
  for (int v = 0; v < SIDE; v++, a += WIDE * pitch) {
    if (count >= WIDE) {
      wide own[WIDE];
      WIDE_UNROLL for (int r = 0; r < WIDE; r++) own[r] = wide_from(a + r * pitch);
      wide_transpose(own);
      WIDE_UNROLL for (int c = 0; c < WIDE; c++) column[c * SIDE + v] = own[c];
      continue;
    }
    for (int c = 0; c < count; c++) {
      double each[WIDE];
      for (int r = 0; r < WIDE; r++)
        each[r] = a[r * pitch + (size_t)c];
      column[c * SIDE + v] = wide_from(each);
    }
  }
}

static inline void columns_to(double *a, size_t pitch, int count, const wide *column) {
  for (int v = 0; v < SIDE; v++, a += WIDE * pitch) {
    if (count >= WIDE) {
      wide own[WIDE];
      WIDE_UNROLL for (int c = 0; c < WIDE; c++) own[c] = column[c * SIDE + v];
      wide_transpose(own);
      WIDE_UNROLL for (int r = 0; r < WIDE; r++) wide_to(a + r * pitch, own[r]);
      continue;
    }
    for (int c = 0; c < count; c++) {
      double each[WIDE];
      wide_to(each, column[c * SIDE + v]);
      for (int r = 0; r < WIDE; r++)
        a[r * pitch + (size_t)c] = each[r];
    }
  }
}

/* Reflections k to `to` - 1 of a step on SIDE_WIDE rows from i on. */
static inline void reflect_wide(double *a, int n, int i, int k, int to) {
  const size_t pitch = SPECTRUM_ROW(n);
  double *const rows = a + (size_t)i * pitch;
  wide first[SIDE], second[SIDE], column[WIDE * SIDE];
  columns_of(rows + k, pitch, 1, first);
  columns_of(rows + k + 1, pitch, 1, second);
  while (k < to) {
    const int count = min(to - k, WIDE), there = min(to - k - 1, WIDE);
    columns_of(rows + k + 2, pitch, there, column);
    for (int v = 0; v < SIDE && there < count; v++)
      column[there * SIDE + v] = wide_same(0.0);
    for (int c = 0; c < count; c++)
      reflect_three(a, n, k + c, first, second, column + c * SIDE);
    columns_to(rows + k, pitch, count, column);
    k += count;
  }
  columns_to(rows + to, pitch, 1, first);
}

/* After reflection k: what soon_to and soon_from have left out. */
static inline void reflect_later(double *a, int n, int from, int to, int k) {
  const int begin = begin_of(from, k, REFLECTIONS_AT_ONCE);
  if (k + 1 == begin + REFLECTIONS_AT_ONCE)
    for (int j = soon_to(from, to, k) + 1; j <= to; j += SIDE_WIDE)
      reflect_down(a, n, begin, j);
  if (k + 1 == to)
    for (int i = from; i + SIDE_WIDE < to; i += SIDE_WIDE)
      reflect_wide(a, n, i, i + SIDE_WIDE, to);
}

#endif
