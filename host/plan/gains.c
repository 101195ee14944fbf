#include "gains.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "linalg.h"

enum { DEGREE = 24, SAMPLES = 16, MOST_PANELS = 1000000 };

/* What has decayed to less than this is left out. */
#define GONE 1e-18

/* The kernel in coordinates in which M is block diagonal: Y T, T^-1 M T, T^-1 E. */
struct gains {
  size_t n, rows, columns;
  double *m, *y, *v;   /* [n][n], [rows][n], [n][columns]: v moves on with time */
  double *next, *term; /* [n][columns] */
  size_t *block;       /* [n] */
  double *rate, *size; /* [n] of a coordinate's block: its norm (1/s); largest |v| so far */
  double *series;      /* [rows][columns][DEGREE + 1] of s over the panel */
};

static void gains_free(struct gains *g) {
  double *const all[] = {g->m, g->y, g->v, g->next, g->term, g->rate, g->size, g->series};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  free(g->block);
}

static int open_gains(size_t n, const double *m, size_t rows, const double *y, size_t columns, const double *e,
                      struct gains *g, struct cs_error *error) {
  double *t = calloc(n * n + 1, sizeof *t), *inverse = calloc(n * n + 1, sizeof *inverse), rcond = 1.0;
  double *room = calloc(n * n + 1, sizeof *room);
  int *pivots = calloc(n + 1, sizeof *pivots), code = CS_OK;
  *g = (struct gains){.n = n,
                      .rows = rows,
                      .columns = columns,
                      .m = calloc(n * n + 1, sizeof(double)),
                      .y = calloc(rows * n + 1, sizeof(double)),
                      .v = calloc(n * columns + 1, sizeof(double)),
                      .next = calloc(n * columns + 1, sizeof(double)),
                      .term = calloc(n * columns + 1, sizeof(double)),
                      .rate = calloc(n + 1, sizeof(double)),
                      .size = calloc(n + 1, sizeof(double)),
                      .series = calloc(rows * columns * (DEGREE + 1) + 1, sizeof(double)),
                      .block = calloc(n + 1, sizeof(size_t))};
  const bool good = t != NULL && inverse != NULL && room != NULL && pivots != NULL && g->m != NULL && g->y != NULL &&
                    g->v != NULL && g->next != NULL && g->term != NULL && g->rate != NULL && g->size != NULL &&
                    g->series != NULL && g->block != NULL;
  code = good ? cs_linalg_separate(n, m, t, g->block, error) : cs_error_memory(error);
  if (code == CS_OK) {
    memcpy(inverse, t, n * n * sizeof *t);
    cs_linalg_invert(n, inverse, pivots, &rcond);
    cs_linalg_add_product(n, n, n, m, t, room);
    cs_linalg_add_product(n, n, n, inverse, room, g->m);
    cs_linalg_add_product(rows, n, n, y, t, g->y);
    cs_linalg_add_product(n, n, columns, inverse, e, g->v);
  }
  for (size_t i = 0; code == CS_OK && i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (g->block[i] != g->block[j]) g->m[i * n + j] = 0.0; /* rounding */
  free(t);
  free(inverse);
  free(room);
  free(pivots);
  return code;
}

/* Norms of the blocks. */
static void find_rates(struct gains *g) {
  for (size_t i = 0; i < g->n; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < g->n; j++)
      sum += fabs(g->m[i * g->n + j]);
    for (size_t j = 0; j < g->n; j++)
      if (g->block[j] == g->block[i]) g->rate[j] = fmax(g->rate[j], sum);
  }
}

/* Sets to 0 the blocks that have decayed, and returns the largest rate of the others. */
static double drop_gone(struct gains *g) {
  double fastest = 0.0;
  for (size_t first = 0, last; first < g->n; first = last) {
    double now = 0.0;
    for (last = first; last < g->n && g->block[last] == g->block[first]; last++)
      for (size_t j = 0; j < g->columns; j++)
        now = fmax(now, fabs(g->v[last * g->columns + j]));
    g->size[first] = fmax(g->size[first], now);
    if (now > GONE * g->size[first])
      fastest = fmax(fastest, g->rate[first]);
    else
      memset(g->v + first * g->columns, 0, (last - first) * g->columns * sizeof *g->v);
  }
  return fastest;
}

/* The series of the kernel over a panel of length h, in s / h, and v at its end. */
static void expand(struct gains *g, double h) {
  const size_t n = g->n, columns = g->columns;
  memcpy(g->term, g->v, n * columns * sizeof *g->v);
  for (size_t p = 0;; p++) {
    for (size_t i = 0; i < g->rows; i++)
      for (size_t j = 0; j < columns; j++) {
        double sum = 0.0;
        for (size_t k = 0; k < n; k++)
          sum += g->y[i * n + k] * g->term[k * columns + j];
        g->series[(i * columns + j) * (DEGREE + 1) + p] = sum;
      }
    if (p == DEGREE) return;
    memset(g->next, 0, n * columns * sizeof *g->next);
    cs_linalg_add_product(n, n, columns, g->m, g->term, g->next);
    for (size_t i = 0; i < n * columns; i++) {
      g->term[i] = g->next[i] * h / (double)(p + 1);
      g->v[i] += g->term[i];
    }
  }
}

/* ---- the integral of a polynomial's absolute value over [0, 1] */

static double value(const double *c, double x) {
  double sum = 0.0;
  for (size_t p = DEGREE + 1; p-- > 0;)
    sum = sum * x + c[p];
  return sum;
}

static double slope(const double *c, double x) {
  double sum = 0.0;
  for (size_t p = DEGREE + 1; p-- > 1;)
    sum = sum * x + (double)p * c[p];
  return sum;
}

/* The integral from 0 to x. */
static double area(const double *c, double x) {
  double sum = 0.0;
  for (size_t p = DEGREE + 1; p-- > 0;)
    sum = (sum + c[p] / (double)(p + 1)) * x;
  return sum;
}

/* The three at the samples. */
struct samples {
  double value[SAMPLES + 1], slope[SAMPLES + 1], area[SAMPLES + 1];
};

/* All at once, for a compiler that computes several side by side. */
static struct samples sample(const double *c) {
  struct samples s = {.value = {0.0}};
  for (size_t p = DEGREE + 1; p-- > 0;) {
    const double over = c[p] / (double)(p + 1);
    for (int i = 0; i <= SAMPLES; i++) {
      const double x = (double)i / SAMPLES;
      s.value[i] = s.value[i] * x + c[p];
      s.area[i] = (s.area[i] + over) * x;
    }
  }
  for (size_t p = DEGREE + 1; p-- > 1;)
    for (int i = 0; i <= SAMPLES; i++)
      s.slope[i] = s.slope[i] * ((double)i / SAMPLES) + (double)p * c[p];
  return s;
}

/* Where f changes sign in [from, to], at whose ends its signs differ. */
static double root(double (*f)(const double *, double), const double *c, double from, double to) {
  const bool rises = f(c, from) < 0.0;
  double middle = 0.5 * (from + to);
  for (int i = 0; i < 60 && middle > from && middle < to; i++) {
    *((f(c, middle) < 0.0) == rises ? &from : &to) = middle;
    middle = 0.5 * (from + to);
  }
  return middle;
}

struct point {
  double at, value, area;
};

/* The same between two points without extremum. */
static double absolute_monotone(const double *c, struct point from, struct point to) {
  if ((from.value < 0.0) == (to.value < 0.0) || from.value == 0.0 || to.value == 0.0) return fabs(to.area - from.area);
  const double middle = area(c, root(value, c, from.at, to.at));
  return fabs(middle - from.area) + fabs(to.area - middle);
}

static double absolute(const double *c) {
  const struct samples s = sample(c);
  double sum = 0.0;
  for (int i = 0; i < SAMPLES; i++) {
    const struct point from = {(double)i / SAMPLES, s.value[i], s.area[i]},
                       to = {(double)(i + 1) / SAMPLES, s.value[i + 1], s.area[i + 1]};
    if ((s.slope[i] < 0.0) == (s.slope[i + 1] < 0.0)) {
      sum += absolute_monotone(c, from, to);
      continue;
    }
    const double x = root(slope, c, from.at, to.at);
    const struct point top = {x, value(c, x), area(c, x)};
    sum += absolute_monotone(c, from, top) + absolute_monotone(c, top, to);
  }
  return sum;
}

int cs_gains_add(size_t n, const double *m, size_t rows, const double *y, size_t columns, const double *e, double T,
                 double *gain, struct cs_error *error) {
  struct gains g;
  int code = open_gains(n, m, rows, y, columns, e, &g, error);
  if (code == CS_OK) find_rates(&g);
  size_t panels = 0;
  for (double now = 0.0; code == CS_OK && now < T; panels++) {
    const double fastest = drop_gone(&g);
    const double h = fastest * (T - now) > 1.0 ? 1.0 / fastest : T - now;
    if (panels == MOST_PANELS || !isfinite(fastest)) {
      code =
          cs_error_set(error, CS_INPUT, "gains of defects: modes that turn more than %d times in %g s", MOST_PANELS, T);
      break;
    }
    expand(&g, h);
    for (size_t i = 0; i < rows * columns; i++)
      gain[i] += h * absolute(g.series + i * (DEGREE + 1));
    now = h == T - now ? T : now + h;
  }
  gains_free(&g);
  return code;
}
