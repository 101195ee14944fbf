/* Coordinates in which a matrix is block diagonal, by its real Schur form. */
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "linalg.h"

/* Eigenvalues closer than this factor share a block, as do those that rounding of the largest one exceeds. */
#define GAP 3.0
#define ROUNDING 1e-14
/* Blocks stay together if coordinates with larger entries would be needed to separate them. */
#define LARGEST_ENTRY 1e3

struct schur {
  lapack_int n, low, high;
  double *a, *q;      /* [n][n], by columns: the Schur form and its vectors */
  double *scale;      /* [n] of balancing */
  double *re, *im;    /* [n] eigenvalues in the order of the form */
  double *size;       /* [n] their absolute values, sorted */
  double *x;          /* [n][n] */
  double *room;       /* [n] */
  lapack_logical *on; /* [n] */
  size_t *end;        /* [n] ends of the blocks, ascending */
  size_t blocks;
};

static bool schur_new(struct schur *s, size_t n) {
  s->n = (lapack_int)n;
  s->a = calloc(n * n + 1, sizeof *s->a);
  s->q = calloc(n * n + 1, sizeof *s->q);
  s->scale = calloc(n + 1, sizeof *s->scale);
  s->re = calloc(n + 1, sizeof *s->re);
  s->im = calloc(n + 1, sizeof *s->im);
  s->size = calloc(n + 1, sizeof *s->size);
  s->x = calloc(n * n + 1, sizeof *s->x);
  s->room = calloc(n + 1, sizeof *s->room);
  s->on = calloc(n + 1, sizeof *s->on);
  s->end = calloc(n + 1, sizeof *s->end);
  return s->a != NULL && s->q != NULL && s->scale != NULL && s->re != NULL && s->im != NULL && s->size != NULL &&
         s->x != NULL && s->room != NULL && s->on != NULL && s->end != NULL;
}

static void schur_free(struct schur *s) {
  free(s->a);
  free(s->q);
  free(s->scale);
  free(s->re);
  free(s->im);
  free(s->size);
  free(s->x);
  free(s->room);
  free(s->on);
  free(s->end);
}

static int compare(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void sort_sizes(struct schur *s) {
  for (lapack_int i = 0; i < s->n; i++)
    s->size[i] = hypot(s->re[i], s->im[i]);
  qsort(s->size, (size_t)s->n, sizeof *s->size, compare);
}

/* The Schur form of the balanced matrix. */
static bool schur_form(struct schur *s) {
  lapack_int none = 0;
  if (LAPACKE_dgebal(LAPACK_COL_MAJOR, 'B', s->n, s->a, s->n, &s->low, &s->high, s->scale) != 0) return false;
  return LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', NULL, s->n, s->a, s->n, &none, s->re, s->im, s->q, s->n) == 0;
}

/* Moves the eigenvalues up to the given absolute value to the front; returns how many there are, or -1. */
static lapack_int bring_forward(struct schur *s, double most) {
  lapack_int count = 0;
  double condition = 0.0, separation = 0.0;
  for (lapack_int i = 0; i < s->n; i++)
    s->on[i] = hypot(s->re[i], s->im[i]) <= most;
  lapack_int integer = 0;
  const lapack_int failed = LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'N', 'V', s->on, s->n, s->a, s->n, s->q, s->n, s->re,
                                                s->im, &count, &condition, &separation, s->room, s->n, &integer, 1);
  return failed == 0 ? count : -1;
}

/* Orders the form by blocks of ascending absolute values. */
static void order_blocks(struct schur *s) {
  const double floor = ROUNDING * s->size[s->n - 1];
  for (lapack_int i = 1; i < s->n; i++) {
    const double below = s->size[i - 1], above = s->size[i];
    if (above <= GAP * below || above <= floor) continue;
    const lapack_int count = bring_forward(s, sqrt(fmax(below, floor / GAP) * above));
    if (count > 0 && count < s->n) s->end[s->blocks++] = (size_t)count;
  }
  s->end[s->blocks++] = (size_t)s->n;
}

/* Removes the coupling of the columns before `end`, from `first` on, with those after: false if it stays. */
static bool decouple(struct schur *s, size_t first, size_t end) {
  const size_t n = (size_t)s->n, rows = end - first, columns = n - end;
  double scale = 1.0, most = 0.0;
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++)
      s->x[j * rows + i] = -s->a[(end + j) * n + first + i];
  if (LAPACKE_dtrsyl(LAPACK_COL_MAJOR, 'N', 'N', -1, (lapack_int)rows, (lapack_int)columns, s->a + first * n + first,
                     s->n, s->a + end * n + end, s->n, s->x, (lapack_int)rows, &scale) != 0)
    return false;
  for (size_t i = 0; i < rows * columns; i++)
    most = fmax(most, fabs(s->x[i]));
  if (!(most <= LARGEST_ENTRY * scale)) return false;
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++) {
      const double x = s->x[j * rows + i] / scale;
      s->a[(end + j) * n + first + i] = 0.0;
      for (size_t l = 0; l < n; l++)
        s->q[(end + j) * n + l] += x * s->q[(first + i) * n + l];
    }
  return true;
}

int cs_linalg_separate(size_t n, const double *a, const double *unit, double *t, size_t *block,
                       struct cs_error *error) {
  struct schur s = {0};
  bool good = schur_new(&s, n);
  if (!good) {
    schur_free(&s);
    return cs_error_memory(error);
  }
  for (size_t i = 0; i < n * n; i++)
    s.a[i % n * n + i / n] = a[i] * (unit[i % n] / unit[i / n]);
  good = schur_form(&s);
  if (good) {
    sort_sizes(&s);
    order_blocks(&s);
  }
  size_t first = 0, number = 0;
  for (size_t b = 0; good && b < s.blocks; b++) {
    const size_t end = s.end[b];
    if (end < n && !decouple(&s, first, end)) continue;
    for (; first < end; first++)
      block[first] = number;
    number++;
  }
  good = good && LAPACKE_dgebak(LAPACK_COL_MAJOR, 'B', 'R', s.n, s.low, s.high, s.scale, s.n, s.q, s.n) == 0;
  for (size_t i = 0; i < n * n; i++) {
    t[i] = (good ? s.q[i % n * n + i / n] : i % (n + 1) == 0 ? 1.0 : 0.0) * unit[i / n];
    if (!good) block[i % n] = 0;
  }
  schur_free(&s);
  return CS_OK;
}
