#include "gains.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "linalg.h"

enum { DEGREE = 24, SAMPLES = 16, MOST_PANELS = 1000000 };

/* What has decayed to less than this is left out. */
#define GONE 1e-18
/* The last term of a series is at most this much of what it begins with, as where a mode turns by 1.9 radians; up to
 * FEW states, where panels take no time, by a radian. */
#define LAST 1e-17
#define LAST_OF_FEW 1.6e-24
enum { FEW = 40 };

/* The kernel in coordinates in which M is block diagonal: Y T, T^-1 M T, T^-1 E. Rows move with time, since they are
 * fewer than columns, among which are all states. */
struct gains {
  size_t n, rows, columns;
  double *m, *e, *v, *end; /* the blocks of M one after the other; [n][columns]; [rows][n] at a panel's start and end */
  double *size;            /* [rows][n] largest |v| so far in a block */
  size_t *block;           /* [n] */
  double *term, *series;   /* [rows][DEGREE + 1][n], [rows][DEGREE + 1][columns] of s over the panel */
};

static void gains_free(struct gains *g) {
  double *const all[] = {g->m, g->e, g->v, g->end, g->size, g->term, g->series};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  free(g->block);
}

/* The end of the block that begins with coordinate `first`. */
static size_t end_of(const struct gains *g, size_t first) {
  size_t last = first;
  while (last < g->n && g->block[last] == g->block[first])
    last++;
  return last;
}

/* Keeps of m [n][n] the blocks, each with rows of its own length: what lies outside is rounding. */
static void keep_blocks(const struct gains *g) {
  double *to = g->m;
  for (size_t first = 0, last; first < g->n; first = last) {
    last = end_of(g, first);
    for (size_t i = first; i < last; i++, to += last - first)
      memmove(to, g->m + i * g->n + first, (last - first) * sizeof *to);
  }
}

/* inverse = t^-1 [n][n], with rows of t in these units. */
static void invert(size_t n, const double *t, const double *unit, int *pivots, double *inverse) {
  double rcond;
  for (size_t i = 0; i < n * n; i++)
    inverse[i] = t[i] / unit[i / n];
  cs_linalg_invert(n, inverse, pivots, &rcond);
  for (size_t i = 0; i < n * n; i++)
    inverse[i] /= unit[i % n];
}

static int open_gains(size_t n, const double *m, size_t rows, const double *y, size_t columns, const double *e,
                      struct gains *g, struct cs_error *error) {
  double *t = calloc(n * n + 1, sizeof *t), *inverse = calloc(n * n + 1, sizeof *inverse);
  double *room = calloc(n * n + 1, sizeof *room), *unit = calloc(n + 1, sizeof *unit);
  int *pivots = calloc(n + 1, sizeof *pivots), code = CS_OK;
  *g = (struct gains){.n = n,
                      .rows = rows,
                      .columns = columns,
                      .m = calloc(n * n + 1, sizeof(double)),
                      .e = calloc(n * columns + 1, sizeof(double)),
                      .v = calloc(rows * n + 1, sizeof(double)),
                      .end = calloc(rows * n + 1, sizeof(double)),
                      .size = calloc(rows * n + 1, sizeof(double)),
                      .term = calloc(rows * n * (DEGREE + 1) + 1, sizeof(double)),
                      .series = calloc(rows * columns * (DEGREE + 1) + 1, sizeof(double)),
                      .block = calloc(n + 1, sizeof(size_t))};
  const bool good = t != NULL && inverse != NULL && room != NULL && unit != NULL && pivots != NULL && g->m != NULL &&
                    g->e != NULL && g->v != NULL && g->end != NULL && g->size != NULL && g->term != NULL &&
                    g->series != NULL && g->block != NULL;
  code = good ? cs_linalg_units(n, m, unit, error) : cs_error_memory(error);
  if (code == CS_OK) code = cs_linalg_separate(n, m, unit, t, g->block, error);
  if (code == CS_OK) {
    invert(n, t, unit, pivots, inverse);
    cs_linalg_add_product(n, n, n, m, t, room);
    cs_linalg_add_product(n, n, n, inverse, room, g->m);
    cs_linalg_add_product(rows, n, n, y, t, g->v);
    cs_linalg_add_product(n, n, columns, inverse, e, g->e);
    keep_blocks(g);
  }
  free(t);
  free(inverse);
  free(room);
  free(unit);
  free(pivots);
  return code;
}

/* The largest of a row of v in a block, INFINITY if one is not finite. */
static double largest(const double *row, size_t first, size_t last) {
  double most = 0.0;
  for (size_t k = first; k < last; k++) {
    const double size = fabs(row[k]);
    most = fmax(most, isfinite(size) ? size : INFINITY);
  }
  return most;
}

/* Sets to 0 what has decayed. */
static void drop_gone(struct gains *g) {
  for (size_t first = 0, last; first < g->n; first = last) {
    last = end_of(g, first);
    for (size_t i = 0; i < g->rows; i++) {
      double *row = g->v + i * g->n, *size = &g->size[i * g->n + first];
      const double now = largest(row, first, last);
      *size = fmax(*size, now);
      if (!(now > GONE * *size)) memset(row + first, 0, (last - first) * sizeof *row);
    }
  }
}

static double *term_of(const struct gains *g, size_t row, size_t p) {
  return g->term + (row * (DEGREE + 1) + p) * g->n;
}

/* The last term of the series just expanded, relative to what it began with, in any block and row. */
static double last_term(const struct gains *g) {
  double most = 0.0;
  for (size_t first = 0, last; first < g->n; first = last) {
    last = end_of(g, first);
    for (size_t i = 0; i < g->rows; i++) {
      const double from = largest(g->v + i * g->n, first, last), to = largest(term_of(g, i, DEGREE), first, last);
      if (from > 0.0) most = fmax(most, from < INFINITY ? to / from : INFINITY);
    }
  }
  return most;
}

/* The term of a row after term p, of a panel of length h: M has no entries but its blocks. */
static void next_term(const struct gains *g, size_t row, size_t p, double h) {
  const double *from = term_of(g, row, p), *block = g->m;
  double *to = term_of(g, row, p + 1), *end = g->end + row * g->n;
  memset(to, 0, g->n * sizeof *to);
  for (size_t first = 0, last; first < g->n; first = last) {
    last = end_of(g, first);
    cs_linalg_add_product(1, last - first, last - first, from + first, block, to + first);
    block += (last - first) * (last - first);
  }
  for (size_t k = 0; k < g->n; k++) {
    to[k] = to[k] * h / (double)(p + 1);
    end[k] += to[k];
  }
}

/* The series of the kernel over a panel of length h, in s / h, and v at its end. */
static void expand(const struct gains *g, double h) {
  const size_t n = g->n, count = g->rows * (DEGREE + 1);
  memcpy(g->end, g->v, g->rows * n * sizeof *g->v);
  for (size_t i = 0; i < g->rows; i++) {
    memcpy(term_of(g, i, 0), g->v + i * n, n * sizeof *g->v);
    for (size_t p = 0; p < DEGREE; p++)
      next_term(g, i, p, h);
  }
  memset(g->series, 0, count * g->columns * sizeof *g->series);
  cs_linalg_add_product(count, n, g->columns, g->term, g->e, g->series);
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

/* The integral of |kernel| of a row and a column over the panel, relative to its length. */
static double absolute_of(const struct gains *g, size_t row, size_t column) {
  double c[DEGREE + 1];
  for (size_t p = 0; p <= DEGREE; p++)
    c[p] = g->series[(row * (DEGREE + 1) + p) * g->columns + column];
  return absolute(c);
}

/* cs_gains_add where every state lies between every column and every row; gain [rows][columns] is set. */
static int integrate(size_t n, const double *m, size_t rows, const double *y, size_t columns, const double *e, double T,
                     double *gain, struct cs_error *error) {
  struct gains g;
  const double least = n <= FEW ? LAST_OF_FEW : LAST;
  double now = 0.0, h = T;
  int code = open_gains(n, m, rows, y, columns, e, &g, error);
  for (size_t panels = 0; code == CS_OK && now < T; panels++) {
    if (panels == MOST_PANELS || !(h > 0.0)) {
      code = cs_error_set(error, CS_INPUT,
                          "gains of defects: modes turn so often that the first %g of %g s are %zu panels, of about "
                          "%s each; want a shorter time",
                          now, T, panels, n <= FEW ? "a radian" : "two radians");
      break;
    }
    drop_gone(&g);
    expand(&g, h);
    const double last = last_term(&g);
    if (last <= least) {
      for (size_t i = 0; i < rows * columns; i++)
        gain[i] += h * absolute_of(&g, i / columns, i % columns);
      memcpy(g.v, g.end, rows * n * sizeof *g.v);
      now = h == T - now ? T : now + h;
    }
    /* terms are as h^24; with a margin, for they change from panel to panel */
    h = fmin(T - now, last < INFINITY ? 0.95 * h * pow(least / last, 1.0 / DEGREE) : 1e-9 * h);
  }
  gains_free(&g);
  return code;
}

/* ---- paths: a row answers to a column through the states between them. In coordinates of the whole network rounding
 * would couple others to them, whose units may be any. */

/* Adds to a set of states those that depend on it or, not `forward`, on which it depends. open: room [n]. */
static void spread(size_t n, const double *m, bool forward, unsigned char *set, size_t *open) {
  size_t count = 0;
  for (size_t k = 0; k < n; k++)
    if (set[k]) open[count++] = k;
  while (count > 0) {
    const size_t from = open[--count];
    for (size_t to = 0; to < n; to++) {
      if (set[to] || (forward ? m[to * n + from] : m[from * n + to]) == 0.0) continue;
      set[to] = 1;
      open[count++] = to;
    }
  }
}

/* Lists the sets [count][n] that are equal to set `which`; none if it is not the first of them. */
static size_t list_equal(size_t n, const unsigned char *sets, size_t count, size_t which, size_t *list) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    if (memcmp(sets + i * n, sets + which * n, n) != 0) continue;
    if (i < which) return 0;
    list[found++] = i;
  }
  return found;
}

/* The whole, and lists of what lies on the paths at hand. */
struct paths {
  size_t n, rows, columns;
  const double *m, *y, *e;
  unsigned char *out, *in;                       /* [rows][n], [columns][n] states that each depends on, and reaches */
  size_t *state, *row, *column;                  /* lists: [n], [rows], [columns] */
  double *some_m, *some_y, *some_e, *some_gains; /* what they list */
};

static void gather(const double *from, size_t width, size_t rows, const size_t *row, size_t columns,
                   const size_t *column, double *to) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      to[i * columns + j] = from[row[i] * width + column[j]];
}

/* Adds the gains of the listed rows and columns. */
static int add_listed(const struct paths *p, size_t rows, size_t columns, double T, double *gain,
                      struct cs_error *error) {
  size_t n = 0;
  for (size_t k = 0; k < p->n; k++)
    if (p->out[p->row[0] * p->n + k] && p->in[p->column[0] * p->n + k]) p->state[n++] = k;
  gather(p->m, p->n, n, p->state, n, p->state, p->some_m);
  gather(p->y, p->n, rows, p->row, n, p->state, p->some_y);
  gather(p->e, p->columns, n, p->state, columns, p->column, p->some_e);
  memset(p->some_gains, 0, rows * columns * sizeof *p->some_gains);
  const int code =
      n > 0 ? integrate(n, p->some_m, rows, p->some_y, columns, p->some_e, T, p->some_gains, error) : CS_OK;
  for (size_t i = 0; i < rows * columns; i++)
    gain[p->row[i / columns] * p->columns + p->column[i % columns]] += p->some_gains[i];
  return code;
}

int cs_gains_add(size_t n, const double *m, size_t rows, const double *y, size_t columns, const double *e, double T,
                 double *gain, struct cs_error *error) {
  struct paths p = {n, rows, columns, m, y, e, .out = calloc(rows * n + 1, 1), .in = calloc(columns * n + 1, 1)};
  size_t *lists = calloc(n + rows + columns + 1, sizeof *lists);
  double *some = calloc(n * (n + rows + columns) + rows * columns + 1, sizeof *some);
  int code = p.out != NULL && p.in != NULL && lists != NULL && some != NULL ? CS_OK : cs_error_memory(error);
  if (code != CS_OK) goto out;
  p.state = lists, p.row = lists + n, p.column = p.row + rows;
  p.some_m = some, p.some_y = some + n * n, p.some_e = p.some_y + rows * n, p.some_gains = p.some_e + n * columns;
  for (size_t i = 0; i < rows * n; i++)
    p.out[i] = y[i] != 0.0;
  for (size_t i = 0; i < rows; i++)
    spread(n, m, false, p.out + i * n, p.state);
  for (size_t j = 0; j < columns; j++) {
    for (size_t k = 0; k < n; k++)
      p.in[j * n + k] = e[k * columns + j] != 0.0;
    spread(n, m, true, p.in + j * n, p.state);
  }
  for (size_t i = 0; i < rows; i++) {
    const size_t some_rows = list_equal(n, p.out, rows, i, p.row);
    for (size_t j = 0; j < columns && some_rows > 0 && code == CS_OK; j++) {
      const size_t some_columns = list_equal(n, p.in, columns, j, p.column);
      if (some_columns > 0) code = add_listed(&p, some_rows, some_columns, T, gain, error);
    }
  }
out:
  free(p.out);
  free(p.in);
  free(lists);
  free(some);
  return code;
}
