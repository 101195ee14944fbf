/* Products of kernels/fixed/powers.clh for large models, whose numbers are plain ones: tiles of 4 rows and 2 vectors
 * along rows (wide.h), in one piece whatever the variant's tiles are. Every entry begins with START and is added up in
 * the order of the inner index: the bits of one-row tiles. */
#ifndef COSWEEP_NATIVE_DOUBLING_H
#define COSWEEP_NATIVE_DOUBLING_H

#include "wide.h"

enum { DOUBLING_ROWS = 4, DOUBLING_COLUMNS = 2 * WIDE };

/* tile [DOUBLING_ROWS][DOUBLING_COLUMNS] += rows of a, pa apart, times the panel [inner][DOUBLING_COLUMNS]. */
static inline void doubling_tile(int rows, int inner, const double *a, size_t pa, const double *panel, double *tile) {
  if (rows == DOUBLING_ROWS) {
    wide_tile_4_2(inner, a, pa, panel, DOUBLING_COLUMNS, tile, DOUBLING_COLUMNS, true);
    return;
  }
  for (int r = 0; r < rows; r++)
    wide_tile_1_2(inner, a + (size_t)r * pa, pa, panel, DOUBLING_COLUMNS, tile + r * DOUBLING_COLUMNS, DOUBLING_COLUMNS,
                  true);
}

/* The first row of a product from `i` on that is stored, for columns from j on. */
#define PUT_ALONE_FROM(i, j) (i)
#define PUT_WHERE_FROM(i, j) (i)
#define PUT_BOTH_FROM(i, j) ((i) > (j) ? (i) : (j))

#define DEFINE_PRODUCT(NAME, ROWS, COLUMNS, START, RIGHT, STORE)                                                      \
  static void NAME(double *w, const size_t pitch, int i0, int i1, int j0, int j1, int k0, int k1, int a, int b,       \
                   int to, V keep, M where) {                                                                         \
    double panel[(size_t)(k1 - k0 + 1) * DOUBLING_COLUMNS], tile[DOUBLING_ROWS][DOUBLING_COLUMNS] = {{0}};            \
    for (int j = j0; j < j1; j += DOUBLING_COLUMNS) {                                                                 \
      const int columns = (int)min(DOUBLING_COLUMNS, j1 - j);                                                         \
      for (int k = k0; k < k1; k++)                                                                                   \
        for (int c = 0; c < DOUBLING_COLUMNS; c++)                                                                    \
          panel[(k - k0) * DOUBLING_COLUMNS + c] = c < columns ? RIGHT(k, j + c) : 0.0;                               \
      for (int i = STORE##_FROM(i0, j); i < i1; i += DOUBLING_ROWS) {                                                 \
        const int rows = (int)min(DOUBLING_ROWS, i1 - i);                                                             \
        for (int r = 0; r < rows; r++)                                                                                \
          for (int c = 0; c < columns; c++)                                                                           \
            tile[r][c] = START(i + r, j + c);                                                                         \
        doubling_tile(rows, k1 - k0, (const double *)w + ((size_t)a * NP + i) * NP + k0, (size_t)NP, panel, tile[0]); \
        for (int r = 0; r < rows; r++)                                                                                \
          for (int c = 0; c < columns; c++)                                                                           \
            STORE(i + r, j + c, tile[r][c]);                                                                          \
      }                                                                                                               \
    }                                                                                                                 \
  }

#endif
