#include "linalg.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "each_set.h"

/* Small matrices, of which plans have millions, need no memory but the stack's. */
enum { FEW = 256 };

static double *take_room(double few[FEW], size_t count) {
  return count <= FEW ? few : malloc(count * sizeof *few);
}

static void give_room(const double few[FEW], double *room) {
  if (room != few) free(room);
}

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

/* Gauss-Jordan elimination of two rows with a pivot from the first column; false if singular. */
static bool invert_pair(double *a) {
  const bool swapped = fabs(a[2]) > fabs(a[0]);
  const double *first = a + 2 * swapped, *second = a + 2 * !swapped;
  if (!(fabs(first[0]) > 0.0)) return false;
  const double factor = second[0] / first[0], last = second[1] - factor * first[1];
  if (!(fabs(last) > 0.0)) return false;
  const double low[2] = {-factor / last, 1.0 / last};
  const double high[2] = {(1.0 - first[1] * low[0]) / first[0], -first[1] * low[1] / first[0]};
  a[swapped] = high[0];
  a[!swapped] = high[1];
  a[2 + swapped] = low[0];
  a[2 + !swapped] = low[1];
  return true;
}

/* LAPACK reads the rows as columns: the inverse of the transpose is the transpose of the inverse. Sizes 1 and 2, of
 * which plans of maps have millions, are not worth its calls. */
static bool invert(size_t n, double *a, int *pivots) {
  const lapack_int size = (lapack_int)n;
  if (n == 1) *a = 1.0 / *a;
  if (n == 1) return true;
  if (n == 2) return invert_pair(a);
  if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, a, size, pivots) != 0) return false;
  double work[64];
  const lapack_int room = sizeof work / sizeof *work;
  return (size <= room ? LAPACKE_dgetri_work(LAPACK_COL_MAJOR, size, a, size, pivots, work, room)
                       : LAPACKE_dgetri(LAPACK_COL_MAJOR, size, a, size, pivots)) == 0;
}

void cs_linalg_invert(size_t n, double *a, int *pivots, double *rcond) {
  const double norm = norm_of(n, a);
  *rcond = n == 0 ? 1.0 : 0.0;
  if (n == 0 || !isfinite(norm) || !(norm > 0.0) || !invert(n, a, pivots)) return;
  const double product = norm * norm_of(n, a);
  if (isfinite(product)) *rcond = n == 1 ? 1.0 : 1.0 / product;
}

/* At most ROWS_AT_ONCE rows, for which b is read once. */
enum { ROWS_AT_ONCE = 4 };
CS_EACH_SET static void add_rows(size_t rows, size_t inner, size_t columns, const double *a, const double *restrict b,
                                 double *restrict c) {
  for (size_t k = 0; k < inner; k++)
    for (size_t i = 0; i < rows; i++) {
      const double factor = a[i * inner + k];
      if (factor == 0.0) continue;
      for (size_t j = 0; j < columns; j++)
        c[i * columns + j] += factor * b[k * columns + j];
    }
}

void cs_linalg_add_product(size_t rows, size_t inner, size_t columns, const double *a, const double *b, double *c) {
  for (size_t i = 0; i < rows; i += ROWS_AT_ONCE)
    add_rows(rows - i < ROWS_AT_ONCE ? rows - i : ROWS_AT_ONCE, inner, columns, a + i * inner, b, c + i * columns);
}

/* Where balancing begins, whatever the units: with entries of 1 along the search tree of a component. */
static void begin_balance(const struct cs_component *c, const double *a, double *scale) {
  for (size_t v = 0; v < c->rows; v++) {
    const size_t i = c->visit[v], from = c->parent[i];
    scale[i] = 1.0;
    if (from == i || c->of[from] != c->of[i]) continue;
    const double wanted = scale[from] / fabs(a[from * c->rows + i]);
    scale[i] = wanted > 1e-150 && wanted < 1e150 ? wanted : scale[from];
  }
}

/* Or with entries whose logarithms are as near to their mean as they can be, in the sense of least squares: the scales'
 * logarithms solve an equation with the Laplace matrix of the component. False if they cannot be found. */
static bool begin_evenly(const struct cs_component *c, const double *a, double *scale) {
  const size_t n = c->rows;
  double *laplace = calloc(n * n, sizeof *laplace), mean = 0.0, count = 0.0;
  if (laplace == NULL) return false;
  memset(scale, 0, n * sizeof *scale);
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        if (i == j || c->of[i] != c->of[j] || a[i * n + j] == 0.0) continue;
        const double size = log(fabs(a[i * n + j]));
        if (pass == 0) {
          mean += size;
          count += 1.0;
          continue;
        }
        scale[i] += size - mean / count;
        scale[j] -= size - mean / count;
        laplace[i * n + i] += 1.0;
        laplace[j * n + j] += 1.0;
        laplace[i * n + j] -= 1.0;
        laplace[j * n + i] -= 1.0;
      }
  for (size_t k = 0; k < c->count; k++)
    laplace[c->row[c->first[k]] * (n + 1)] += 1.0; /* whose logarithm becomes 0 */
  const bool good =
      LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', (lapack_int)n, 1, laplace, (lapack_int)n, scale, (lapack_int)n) == 0;
  free(laplace);
  for (size_t i = 0; i < n && good; i++) {
    if (!(fabs(scale[i]) < 345.0)) return false;
    scale[i] = exp(scale[i]);
  }
  return good;
}

/* Makes the sums of row and column i equal; whether its scale changes by more than a 64th. Inverse scales, which save
 * a division for every entry, are in c->number. */
static bool balance_one(const struct cs_component *c, const double *a, size_t i, double *scale) {
  const size_t n = c->rows, k = c->of[i];
  double row = 0.0, column = 0.0;
  for (size_t p = c->first[k]; p < c->first[k + 1]; p++) {
    const size_t j = c->row[p];
    if (j == i) continue;
    row += fabs(a[i * n + j]) * scale[j];
    column += fabs(a[j * n + i]) * c->number[j];
  }
  if (!(row > 0.0) || !(column > 0.0)) return false;
  const double before = scale[i], wanted = sqrt(row / column);
  if (!(wanted > 1e-300 && wanted < 1e300)) return false;
  scale[i] = wanted;
  c->number[i] = sqrt(column / row);
  return fabs(wanted - before) > before / 64.0;
}

static void sweep_balance(const struct cs_component *c, const double *a, double *scale) {
  enum { SWEEPS = 64 };
  for (size_t i = 0; i < c->rows; i++)
    c->number[i] = 1.0 / scale[i];
  bool changed = c->count < c->rows;
  for (int sweep = 0; changed && sweep < SWEEPS; sweep++) {
    changed = false;
    for (size_t i = 0; i < c->rows; i++)
      changed |= balance_one(c, a, i, scale);
  }
}

/* The infinity norm of component k of S^-1 a S. */
static double norm_of_component(const struct cs_component *c, size_t k, const double *a, const double *scale) {
  double norm = 0.0;
  for (size_t p = c->first[k]; p < c->first[k + 1]; p++) {
    const double *from = a + c->row[p] * c->rows;
    double row = 0.0;
    for (size_t q = c->first[k]; q < c->first[k + 1]; q++)
      row += fabs(from[c->row[q]]) * scale[c->row[q]];
    norm = fmax(norm, row / scale[c->row[p]]);
  }
  return norm;
}

double cs_linalg_balanced_norm(const struct cs_component *c, const double *a, const double *scale) {
  double norm = 0.0;
  for (size_t k = 0; k < c->count; k++)
    norm = fmax(norm, norm_of_component(c, k, a, scale));
  return norm;
}

/* The norm is as large for any scales, which change no entry of the diagonal and no product of opposite ones. */
static double least_balanced(const struct cs_component *c, const double *a) {
  const size_t n = c->rows;
  double most = 0.0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      if (c->of[i] == c->of[j] && a[i * n + j] != 0.0 && a[j * n + i] != 0.0)
        most = fmax(most, sqrt(fabs(a[i * n + j])) * sqrt(fabs(a[j * n + i])));
  return most;
}

/* Sweeps even out the scales of neighbours: what is wrong at the ends of a chain takes as many as the square of its
 * length, each with a change so small that they end too early. Where an even beginning does much better, it counts. */
void cs_linalg_balance(const struct cs_component *c, const double *a, double *scale) {
  enum { FEW_ROWS = 8 };
  double few[FEW];
  begin_balance(c, a, scale);
  sweep_balance(c, a, scale);
  if (c->rows <= FEW_ROWS) return;
  const double norm = cs_linalg_balanced_norm(c, a, scale);
  if (norm <= (2.0 - 1e-10) * least_balanced(c, a)) return; /* nothing halves it */
  double *other = take_room(few, c->rows);
  if (other != NULL && begin_evenly(c, a, other)) {
    sweep_balance(c, a, other);
    if (2.0 * cs_linalg_balanced_norm(c, a, other) < norm) memcpy(scale, other, c->rows * sizeof *scale);
  }
  give_room(few, other);
}

/* What the coupling of row i to row j of another component is multiplied by to be the norm of row i's: a steady input
 * then has a response of its own size. Components without norm, integrators, take `least`. */
static double factor_of(const struct cs_component *c, size_t i, size_t j, const double *a, double least,
                        const double *scale) {
  const double norm = norm_of_component(c, c->of[i], a, scale);
  const double factor = fabs(a[i * c->rows + j]) * scale[j] / scale[i] / (norm > 0.0 ? norm : least);
  return factor > 1e-150 && factor < 1e150 ? factor : 1.0;
}

/* Multiplies the scale of the rows whose number is `of`. */
static void scale_rows(const struct cs_component *c, double of, double factor, double *scale) {
  for (size_t i = 0; i < c->rows; i++)
    if (c->number[i] == of) scale[i] *= factor;
}

/* The smallest norm of a component that is not 0; 1 if all are. */
static double least_norm(const struct cs_component *c, const double *a, const double *scale) {
  double least = INFINITY;
  for (size_t k = 0; k < c->count; k++) {
    const double norm = norm_of_component(c, k, a, scale);
    if (norm > 0.0) least = fmin(least, norm);
  }
  return least < INFINITY ? least : 1.0;
}

/* Balances the components against each other. */
static void tie(const struct cs_component *c, const double *a, double *scale) {
  const size_t n = c->rows;
  const double least = least_norm(c, a, scale);
  for (size_t i = 0; i < n; i++)
    c->number[i] = (double)c->of[i];
  /* the first coupling between any two groups of components makes them one, whatever the units */
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double own = c->number[i];
      if (a[i * n + j] == 0.0 || own == c->number[j]) continue;
      scale_rows(c, own, factor_of(c, i, j, a, least, scale), scale);
      for (size_t k = 0; k < n; k++)
        if (c->number[k] == own) c->number[k] = c->number[j];
    }
  for (size_t i = 0; i < n; i++)
    c->number[i] = (double)c->of[i];
  /* those that a component receives from come before it */
  for (size_t k = 0; k < c->count; k++) {
    double most = 1.0;
    for (size_t p = c->first[k]; p < c->first[k + 1]; p++)
      for (size_t i = c->row[p], j = 0; j < n; j++)
        if (c->of[j] != k && a[i * n + j] != 0.0) most = fmax(most, factor_of(c, i, j, a, least, scale));
    scale_rows(c, (double)k, most, scale);
  }
}

int cs_linalg_units(size_t n, const double *a, double *unit, struct cs_error *error) {
  struct cs_component *component = NULL;
  const int code = cs_component_new(n, &component, error);
  if (code != CS_OK) return code;
  cs_component_find(component, n, a);
  cs_linalg_balance(component, a, unit);
  tie(component, a, unit);
  for (size_t i = 0; i < n; i++)
    unit[i] = exp2(rint(log2(unit[i])));
  cs_component_free(component);
  return CS_OK;
}

/* Rows of the solution of component k, those of lower ones being known. room: [size][size + columns] of the component.
 */
static void solve_component(const struct cs_component *c, size_t k, const double *a, const double *scale,
                            size_t columns, const double *b, double *x, double *room, int *pivots, double *norm,
                            double *rcond) {
  const size_t n = c->rows, *row = c->row + c->first[k], size = c->first[k + 1] - c->first[k];
  double *inverse = room, *right = room + size * size;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < size; j++)
      inverse[i * size + j] = a[row[i] * n + row[j]] * (scale[row[j]] / scale[row[i]]);
  *norm = norm_of(size, inverse);
  cs_linalg_invert(size, inverse, pivots, rcond);
  for (size_t i = 0; i < size; i++) {
    double *to = right + i * columns;
    memcpy(to, b + row[i] * columns, columns * sizeof *to);
    for (size_t j = 0; j < n; j++)
      for (size_t q = 0; c->of[j] != k && a[row[i] * n + j] != 0.0 && q < columns; q++)
        to[q] -= a[row[i] * n + j] * x[j * columns + q];
  }
  for (size_t i = 0; i < size; i++) {
    double *to = x + row[i] * columns;
    memset(to, 0, columns * sizeof *to);
    for (size_t j = 0; j < size; j++)
      for (size_t q = 0; q < columns; q++)
        to[q] += inverse[i * size + j] * (scale[row[i]] / scale[row[j]]) * right[j * columns + q];
  }
}

int cs_linalg_solve(const struct cs_component *c, const double *a, size_t columns, const double *b, double *x,
                    double *norm, double *inverse_norm, struct cs_error *error) {
  const size_t n = c->rows;
  double few[FEW], *scale = take_room(few, n * (n + columns + 2));
  *norm = *inverse_norm = 0.0;
  if (scale == NULL) return cs_error_memory(error);
  double *pivots = scale + n, *room = pivots + n;
  cs_linalg_balance(c, a, scale);
  for (size_t k = 0; k < c->count; k++) {
    double own, rcond;
    solve_component(c, k, a, scale, columns, b, x, room, (int *)pivots, &own, &rcond);
    *norm = fmax(*norm, own);
    *inverse_norm = fmax(*inverse_norm, rcond > 0.0 ? 1.0 / (rcond * own) : INFINITY);
  }
  give_room(few, scale);
  return CS_OK;
}

/* Spectral radius of |a^-1| |a|, from above: the least infinity-norm condition number that scaled rows and columns of
 * a have (Bauer 1963). v: [2][n]. */
static double scaled_condition(size_t n, const double *a, const double *inverse, double *v) {
  enum { STEPS = 32 };
  double *next = v + n, bound = INFINITY;
  for (size_t i = 0; i < n; i++)
    v[i] = 1.0;
  for (int step = 0; step < STEPS; step++) {
    double most = 0.0, ratio = 0.0;
    for (size_t i = 0; i < n; i++) {
      next[i] = 0.0;
      for (size_t j = 0; j < n; j++)
        next[i] += fabs(a[i * n + j]) * v[j];
    }
    for (size_t i = 0; i < n; i++) {
      double sum = 0.0;
      for (size_t j = 0; j < n; j++)
        sum += fabs(inverse[i * n + j]) * next[j];
      ratio = fmax(ratio, sum / v[i]);
      most = fmax(most, sum);
      v[i] = sum;
    }
    bound = fmin(bound, ratio);
    for (size_t i = 0; i < n; i++)
      v[i] = fmax(v[i] / most, DBL_MIN);
  }
  return bound;
}

int cs_linalg_divide(size_t n, const double *a, size_t columns, double *b, double *condition, struct cs_error *error) {
  double *scaled = malloc((n * n + 1) * sizeof *scaled), *inverse = malloc((n * n + 1) * sizeof *inverse);
  double *right = malloc((n * columns + 1) * sizeof *right), *v = malloc((2 * n + 1) * sizeof *v), rcond = 0.0;
  int *pivots = malloc((n + 1) * sizeof *pivots);
  const bool room = scaled != NULL && inverse != NULL && right != NULL && v != NULL && pivots != NULL;
  for (size_t i = 0; i < n && room; i++) { /* pivots are chosen among rows of one size */
    double most = 0.0;
    int power = 0;
    for (size_t j = 0; j < n; j++)
      most = fmax(most, fabs(a[i * n + j]));
    frexp(most, &power);
    for (size_t j = 0; j < n; j++)
      scaled[i * n + j] = inverse[i * n + j] = ldexp(a[i * n + j], -power);
    for (size_t j = 0; j < columns; j++)
      right[i * columns + j] = ldexp(b[i * columns + j], -power);
  }
  if (room) {
    cs_linalg_invert(n, inverse, pivots, &rcond);
    *condition = rcond > 0.0 ? scaled_condition(n, scaled, inverse, v) : INFINITY;
    memset(b, 0, n * columns * sizeof *b);
    cs_linalg_add_product(n, n, columns, inverse, right, b);
  }
  free(scaled);
  free(inverse);
  free(right);
  free(v);
  free(pivots);
  return room ? CS_OK : cs_error_memory(error);
}

/* Room of cs_linalg_zero_eigenvalues: matrices of a component, singular values, what LAPACK needs. */
struct staircase {
  double *scale, *b, *u, *product, *values, *work;
  int *pivots;
  size_t *length; /* [count] longest Jordan block that ends in a component */
};

/* Whether all singular values of b [size][size] are certainly larger: they are at least 1 over the norm of the inverse,
 * which costs less than they do. */
static bool is_regular(size_t size, double least, struct staircase *s) {
  double rcond;
  memcpy(s->product, s->b, size * size * sizeof *s->b);
  cs_linalg_invert(size, s->product, s->pivots, &rcond);
  return rcond * norm_of(size, s->b) > 2.0 * sqrt((double)size) * least;
}

/* Replaces b [size][size] by its restriction to what it does not map to 0, which has its other eigenvalues. Returns the
 * number of rows, or SIZE_MAX. */
static size_t restrict_to_range(size_t size, double least, struct staircase *s) {
  const lapack_int n = (lapack_int)size;
  double none;
  memcpy(s->product, s->b, size * size * sizeof *s->b);
  if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'N', n, n, s->product, n, s->values, s->u, n, &none, 1, s->work,
                          (lapack_int)(5 * size)) != 0)
    return SIZE_MAX;
  size_t rank = 0;
  while (rank < size && s->values[rank] > least)
    rank++;
  if (rank == size) return rank;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < rank; j++) {
      double *to = &s->product[i * size + j];
      *to = 0.0;
      for (size_t k = 0; k < size; k++)
        *to += s->b[i * size + k] * s->u[j * size + k];
    }
  for (size_t i = 0; i < rank; i++)
    for (size_t j = 0; j < rank; j++) {
      double *to = &s->b[i * rank + j];
      *to = 0.0;
      for (size_t k = 0; k < size; k++)
        *to += s->u[i * size + k] * s->product[k * size + j];
    }
  return rank;
}

/* Eigenvalues 0 of component k: their number, added to *count, and the size of the largest block; SIZE_MAX if LAPACK
 * fails. Ranks are relative to the largest entry, and to the norm of the whole. */
static size_t zeros_of_component(const struct cs_component *c, size_t k, const double *a, double norm,
                                 struct staircase *s, size_t *count) {
  const size_t *row = c->row + c->first[k];
  size_t size = c->first[k + 1] - c->first[k], block = 0;
  double largest = 0.0;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < size; j++) {
      s->b[i * size + j] = a[row[i] * c->rows + row[j]] * (s->scale[row[j]] / s->scale[row[i]]);
      largest = fmax(largest, fabs(s->b[i * size + j]));
    }
  while (size > 0) {
    const double least = fmax(1e-12 * largest, 1e-15 * norm);
    if (is_regular(size, least, s)) break;
    const size_t rank = restrict_to_range(size, least, s);
    if (rank == SIZE_MAX) return rank;
    if (rank == size) break;
    *count += size - rank;
    size = rank;
    block++;
  }
  return block;
}

/* The longest blocks that end in components k depends on, one after the other. */
static size_t block_before(const struct cs_component *c, size_t k, const double *a, const size_t *length) {
  size_t most = 0;
  for (size_t p = c->first[k]; p < c->first[k + 1]; p++)
    for (size_t j = 0; j < c->rows; j++)
      if (c->of[j] != k && a[c->row[p] * c->rows + j] != 0.0 && length[c->of[j]] > most) most = length[c->of[j]];
  return most;
}

int cs_linalg_zero_eigenvalues(const struct cs_component *c, const double *a, size_t *count, size_t *block,
                               struct cs_error *error) {
  const size_t n = c->rows, square = n * n;
  double few[FEW], *room = take_room(few, 3 * square + 9 * n);
  *count = *block = 0;
  if (room == NULL) return cs_error_memory(error);
  struct staircase s = {.b = room, .u = room + square, .product = room + 2 * square};
  s.scale = room + 3 * square;
  s.values = s.scale + n;
  s.length = (size_t *)(s.values + n);
  s.pivots = (int *)(s.length + n);
  s.work = s.values + 3 * n;
  cs_linalg_balance(c, a, s.scale);
  const double norm = cs_linalg_balanced_norm(c, a, s.scale);
  for (size_t k = 0; isfinite(norm) && k < c->count; k++) {
    const size_t own = zeros_of_component(c, k, a, norm, &s, count);
    s.length[k] = block_before(c, k, a, s.length) + (own == SIZE_MAX ? 0 : own);
    if (s.length[k] > *block) *block = s.length[k];
  }
  give_room(few, room);
  return CS_OK;
}

static int check_finite(size_t n, const double *a, struct cs_error *error) {
  for (size_t i = 0; i < n * n; i++)
    if (!isfinite(a[i]))
      return cs_error_set(error, CS_INPUT, "eigenvalues of a matrix: entry [%zu][%zu] is %g; want finite numbers",
                          i / n, i % n, a[i]);
  return CS_OK;
}

/* What a routine of LAPACK returned. */
static int check_converged(size_t n, lapack_int info, struct cs_error *error) {
  if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR) return cs_error_memory(error);
  if (info == 0) return CS_OK;
  return cs_error_set(error, CS_INPUT, "eigenvalues of a matrix of %zu rows: the iteration does not converge", n);
}

int cs_linalg_eigenvalues(size_t n, double *a, double *re, double *im, struct cs_error *error) {
  const lapack_int size = (lapack_int)n;
  const int code = check_finite(n, a, error);
  if (n == 0 || code != CS_OK) return code;
  return check_converged(n, LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', size, a, size, re, im, NULL, size, NULL, size),
                         error);
}

int cs_linalg_eigenvectors(size_t n, double *a, double *re, double *im, double *left, double *right,
                           struct cs_error *error) {
  const lapack_int size = (lapack_int)n;
  const int code = check_finite(n, a, error);
  if (n == 0 || code != CS_OK) return code;
  double *scale = malloc(n * sizeof *scale), norm;
  lapack_int low, high, info = LAPACK_WORK_MEMORY_ERROR;
  if (scale != NULL)
    info = LAPACKE_dgeevx(LAPACK_ROW_MAJOR, 'B', 'V', 'V', 'N', size, a, size, re, im, left, size, right, size, &low,
                          &high, scale, &norm, NULL, NULL);
  free(scale);
  return check_converged(n, info, error);
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
