/* Sums of squares of doubling for large models (kernels/fixed/gram.clh, root.clh), whose numbers are plain ones: along
 * rows, and reflections of several rows at once. */
#ifndef COSWEEP_NATIVE_SQUARES_H
#define COSWEEP_NATIVE_SQUARES_H

#define OWN_SQUARES
enum { SQUARES_AT_ONCE = 2 * WIDE };

/* The symmetric products of gram.clh take all rows at once: each panel of columns is laid out once (doubling.h). */
#undef TILE_COLUMNS_R
#undef TILE_COLUMNS_W
#define TILE_COLUMNS_R NRP
#define TILE_COLUMNS_W (NP - NRP)

static V reflection(V a, V squares, V *first, V *scale);

/* f [KEPT] at the places of its coordinates. */
static inline void spread_row(const double *f, double *to) {
  memset(to, 0, sizeof *to * (size_t)NP);
  for (int i = 0; i < KEPT; i++)
    to[PADDED(i)] = f[i];
}

static double gram_squares(const double *w, const size_t pitch, const double *f, double *size) {
  double own[NP], total = 0.0;
  spread_row(f, own);
  for (int i = 0; i < NP; i++) {
    const double *row = w + ((size_t)GRAM * NP + (size_t)i) * NP;
    double below[8] = {0}, sizes[8] = {0};
    int j = 0;
    for (; j + 8 <= i; j += 8)
      WIDE_UNROLL for (int c = 0; c < 8; c++) {
        const double term = row[j + c] * own[j + c];
        below[c] += term;
        sizes[c] += fabs(term);
      }
    for (; j < i; j++) {
      below[0] += row[j] * own[j];
      sizes[0] += fabs(row[j] * own[j]);
    }
    for (int c = 1; c < 8; c++) {
      below[0] += below[c];
      sizes[0] += sizes[c];
    }
    total = FMA(own[i], FMA(2.0, below[0], row[i] * own[i]), total);
    *size = FMA(fabs(own[i]), FMA(2.0, sizes[0], fabs(row[i] * own[i])), *size);
  }
  return total;
}

static double root_squares(const double *w, const size_t pitch, const double *f) {
  double own[NP], sum[NP];
  spread_row(f, own);
  wide_product(1, NP, NP, own, (size_t)NP, w + (size_t)GRAM * NP * NP, (size_t)NP, sum, (size_t)NP, false);
  return wide_dot(sum, sum, NP, 0.0);
}

/* Reflections I - scale v v^T of rows from `first` to before `last` of `spare`, whose entries end at `end`; v has the
 * row, and corner[] where S has its diagonal. Together they are I - V^T T V; T [SQUARES_AT_ONCE][SQUARES_AT_ONCE] is
 * upper triangular. */
static void reflect_few(double *w, int spare, int first, int last, int end, double *corner, double *T) {
  double between[SQUARES_AT_ONCE];
  for (int i = first; i < last; i++) {
    const double *row = w + ((size_t)spare * NP + (size_t)i) * NP;
    double scale;
    const int n = i - first;
    PUT_CELL(GRAM, i, i, reflection(CELL(GRAM, i, i), wide_dot(row, row, end, 0.0), &corner[n], &scale));
    for (int j = i + 1; j < last; j++) {
      double *to = w + ((size_t)spare * NP + (size_t)j) * NP;
      const double x = -scale * wide_dot(row, to, end, corner[n] * CELL(GRAM, j, i));
      PUT_CELL(GRAM, j, i, FMA(x, corner[n], CELL(GRAM, j, i)));
      wide_product(1, 1, end, &x, 1, row, 0, to, 0, true);
    }
    for (int k = 0; k < n; k++)
      between[k] = wide_dot(w + ((size_t)spare * NP + (size_t)(first + k)) * NP, row, end, 0.0);
    for (int k = 0; k < n; k++) {
      double sum = 0.0;
      for (int l = k; l < n; l++)
        sum = FMA(T[k * SQUARES_AT_ONCE + l], between[l], sum);
      T[k * SQUARES_AT_ONCE + n] = -scale * sum;
    }
    T[n * SQUARES_AT_ONCE + n] = scale;
  }
}

/* Applies them to `rows` rows from j on: panel is V^T, [end][SQUARES_AT_ONCE]. */
static void reflect_rows(double *w, int spare, int first, int count, int end, const double *corner, const double *T,
                         const double *panel, int j, int rows) {
  double *const to = w + ((size_t)spare * NP + (size_t)j) * NP;
  double dot[DOUBLING_ROWS * SQUARES_AT_ONCE] = {0}, x[DOUBLING_ROWS * SQUARES_AT_ONCE];
  doubling_tile(rows, end, to, (size_t)NP, panel, dot);
  for (int r = 0; r < rows; r++) {
    double *const own = dot + r * SQUARES_AT_ONCE;
    for (int k = 0; k < count; k++)
      own[k] = FMA(corner[k], CELL(GRAM, j + r, first + k), own[k]);
    for (int i = 0; i < count; i++) {
      double sum = 0.0;
      for (int k = 0; k <= i; k++)
        sum = FMA(own[k], T[k * SQUARES_AT_ONCE + i], sum);
      x[r * count + i] = -sum;
      PUT_CELL(GRAM, j + r, first + i, FMA(-sum, corner[i], CELL(GRAM, j + r, first + i)));
    }
  }
  wide_product(rows, count, end, x, (size_t)count, w + ((size_t)spare * NP + (size_t)first) * NP, (size_t)NP, to,
               (size_t)NP, true);
}

static void fold_root(double *w, const size_t pitch, int spare) {
  double panel[(size_t)NP * SQUARES_AT_ONCE], T[SQUARES_AT_ONCE * SQUARES_AT_ONCE], corner[SQUARES_AT_ONCE];
  for (int first = 0, last; first < NP; first = last) {
    const int end = first < NRP ? NRP : NP;
    last = (int)min(first + SQUARES_AT_ONCE, end);
    reflect_few(w, spare, first, last, end, corner, T);
    for (int k = 0; k < end; k++)
      for (int c = 0; c < SQUARES_AT_ONCE; c++)
        panel[k * SQUARES_AT_ONCE + c] = first + c < last ? CELL(spare, first + c, k) : 0.0;
    for (int j = last; j < NP; j += DOUBLING_ROWS)
      reflect_rows(w, spare, first, last - first, end, corner, T, panel, j, (int)min(DOUBLING_ROWS, NP - j));
  }
}

#endif
