/* With r = (x, 1), r' = M r and y = Y r, the integral of r r^T over a time is R^T R, where R has as rows what
 * quadrature weighs. Over twice the time it is [R; R E^T], E = exp(M t), which is reduced to as many rows by
 * reflections: forming R^T R would lose outputs that are small differences of large states. E - I is kept instead of E,
 * in coordinates in which fast and slow modes are apart, so that squaring does not lose what is slow. */
#include "exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg.h"
#include "snapshot.h"

typedef long double real;

enum { NODES = 12, TERMS = 24 };

/* The coupled model in coordinates r' = W r, r = T r'. */
struct exact {
  size_t n, states, outputs; /* n: states and the constant */
  real *m, *y, *start;       /* [n][n], [outputs][n], [n] */
  real *t, *w;               /* [n][n] */
  real *f, *more;            /* E - I [n][n], and room of that size */
  real *rows;                /* of R: room for [2 n + NODES][n] */
  real *room;                /* [4 n] */
};

static real *take(size_t count, bool *failed) {
  real *made = calloc(count + 1, sizeof *made);
  if (made == NULL) *failed = true;
  return made;
}

/* ---- linear algebra */

/* c [p][r] = a [p][q] b [q][r]. */
static void multiply(size_t p, size_t q, size_t r, const real *a, const real *b, real *c) {
  memset(c, 0, p * r * sizeof *c);
  for (size_t i = 0; i < p; i++)
    for (size_t k = 0; k < q; k++)
      for (size_t j = 0; a[i * q + k] != 0 && j < r; j++)
        c[i * r + j] += a[i * q + k] * b[k * r + j];
}

/* w [n][n] = t^-1, with rows of t in these units; false if it is singular. a: room [n][n]. */
static bool invert(size_t n, const real *t, const double *unit, real *a, real *w) {
  for (size_t i = 0; i < n * n; i++) {
    a[i] = t[i] / unit[i / n];
    w[i] = i % (n + 1) == 0 ? 1 / (real)unit[i / n] : 0;
  }
  for (size_t k = 0; k < n; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabsl(a[i * n + k]) > fabsl(a[pivot * n + k])) pivot = i;
    if (a[pivot * n + k] == 0) return false;
    for (size_t j = 0; j < n; j++) {
      const real p = a[pivot * n + j], q = w[pivot * n + j];
      a[pivot * n + j] = a[k * n + j], w[pivot * n + j] = w[k * n + j];
      a[k * n + j] = p, w[k * n + j] = q;
    }
    const real own = a[k * n + k];
    for (size_t j = 0; j < n; j++)
      a[k * n + j] /= own, w[k * n + j] /= own;
    for (size_t i = 0; i < n; i++) {
      const real factor = a[i * n + k];
      if (i == k || factor == 0) continue;
      for (size_t j = 0; j < n; j++)
        a[i * n + j] -= factor * a[k * n + j], w[i * n + j] -= factor * w[k * n + j];
    }
  }
  return true;
}

/* Reduces rows [count][n] to n rows with the same R^T R; returns how many there are. */
static size_t reduce(size_t count, size_t n, real *rows) {
  for (size_t k = 0; k < n && k + 1 < count; k++) {
    real squares = 0;
    for (size_t i = k; i < count; i++)
      squares += rows[i * n + k] * rows[i * n + k];
    const real norm = rows[k * n + k] < 0 ? -sqrtl(squares) : sqrtl(squares), head = rows[k * n + k] + norm;
    if (!(squares > 0)) continue;
    for (size_t j = k + 1; j < n; j++) {
      real dot = head * rows[k * n + j];
      for (size_t i = k + 1; i < count; i++)
        dot += rows[i * n + k] * rows[i * n + j];
      const real factor = dot / (norm * head);
      rows[k * n + j] -= factor * head;
      for (size_t i = k + 1; i < count; i++)
        rows[i * n + j] -= factor * rows[i * n + k];
    }
    rows[k * n + k] = -norm;
    for (size_t i = k + 1; i < count; i++)
      rows[i * n + k] = 0;
  }
  return count < n ? count : n;
}

/* ---- the coupled model */

/* r' = M r, y = Y r. */
struct coupled {
  double *m, *y, *x0; /* [n][n], [outputs][n], [states] */
};

static void free_coupled(struct coupled *c) {
  free(c->m);
  free(c->y);
  free(c->x0);
}

/* Dense numbers of one matrix, which the caller frees. */
static int read_numbers(const struct cs_model *model, enum cs_matrix matrix, const size_t *mode,
                        const double *parameters, double **numbers, struct cs_error *error) {
  *numbers = calloc(model->matrix[matrix].rows * model->matrix[matrix].columns + 1, sizeof **numbers);
  if (*numbers == NULL) return cs_error_memory(error);
  return cs_model_numbers(model, matrix, mode, parameters, *numbers, error);
}

/* to [rows][n]: a matrix [rows][n - 1], and as its last column constant + through b. */
static void extend(size_t rows, size_t n, const double *matrix, const double *constant, size_t inputs,
                   const double *through, const double *b, double *to) {
  for (size_t i = 0; i < rows; i++) {
    memcpy(to + i * n, matrix + i * (n - 1), (n - 1) * sizeof *to);
    to[i * n + n - 1] = constant[i];
    for (size_t j = 0; j < inputs; j++)
      to[i * n + n - 1] += through[i * inputs + j] * b[j];
  }
}

/* The network with its constants as a further column. */
static int couple(const struct cs_model *model, const size_t *mode, const double *parameters, struct coupled *c,
                  struct cs_error *error) {
  const size_t n = model->states + 1;
  struct cs_snapshot s;
  double *e = NULL, *f = NULL, *b = NULL, rcond;
  double *a = calloc(n * n, sizeof *a), *right = calloc(model->outputs * n + 1, sizeof *right);
  c->m = calloc(n * n, sizeof *c->m);
  c->y = calloc(model->outputs * n + 1, sizeof *c->y);
  int code = cs_snapshot_open(model, mode, parameters, &s, error);
  if (code == CS_OK && (a == NULL || right == NULL || c->m == NULL || c->y == NULL)) code = cs_error_memory(error);
  if (code == CS_OK) code = read_numbers(model, CS_E, mode, parameters, &e, error);
  if (code == CS_OK) code = read_numbers(model, CS_F, mode, parameters, &f, error);
  if (code == CS_OK) code = read_numbers(model, CS_BIAS, mode, parameters, &b, error);
  if (code == CS_OK) code = read_numbers(model, CS_X0, mode, parameters, &c->x0, error);
  if (code == CS_OK) {
    extend(model->states, n, s.a, e, model->inputs, s.b, b, a);
    extend(model->outputs, n, s.c, f, model->inputs, s.d, b, right);
    code = cs_snapshot_couple(&s, n, a, right, c->y, c->m, &rcond, error);
  }
  cs_snapshot_close(&s);
  free(a);
  free(right);
  free(e);
  free(f);
  free(b);
  return code;
}

/* Coordinates in which fast and slow modes are apart, the identity where they cannot be. */
static int separate(const struct coupled *c, struct exact *x, struct cs_error *error) {
  const size_t n = x->n;
  double *t = calloc(n * n + 1, sizeof *t), *unit = calloc(n + 1, sizeof *unit);
  size_t *block = calloc(n + 1, sizeof *block);
  int code =
      t != NULL && unit != NULL && block != NULL ? cs_linalg_units(n, c->m, unit, error) : cs_error_memory(error);
  if (code == CS_OK) code = cs_linalg_separate(n, c->m, unit, t, block, error);
  for (size_t i = 0; code == CS_OK && i < n * n; i++)
    x->t[i] = t[i];
  if (code == CS_OK && !invert(n, x->t, unit, x->more, x->w))
    for (size_t i = 0; i < n * n; i++)
      x->t[i] = x->w[i] = i % (n + 1) == 0;
  free(t);
  free(unit);
  free(block);
  return code;
}

static int transform(const struct cs_model *model, const struct coupled *c, struct exact *x, struct cs_error *error) {
  const size_t n = x->n;
  const int code = separate(c, x, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < n * n; i++)
    x->f[i] = c->m[i];
  multiply(n, n, n, x->f, x->t, x->more);
  multiply(n, n, n, x->w, x->more, x->m);
  for (size_t i = 0; i < x->outputs; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++)
        x->y[i * n + j] += (real)c->y[i * n + k] * x->t[k * n + j];
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      x->start[i] += x->w[i * n + k] * (k < model->states ? (real)c->x0[k] : 1);
  return CS_OK;
}

/* ---- integration */

/* to [n] += (exp(M t) - I) from, by its series. */
static void add_change(const struct exact *x, real t, const real *from, real *to) {
  const size_t n = x->n;
  real *term = x->room, *next = x->room + n;
  memcpy(term, from, n * sizeof *term);
  for (int k = 1; k <= TERMS; k++) {
    for (size_t i = 0; i < n; i++) {
      next[i] = 0;
      for (size_t j = 0; j < n; j++)
        next[i] += x->m[i * n + j] * term[j];
      next[i] *= t / (real)k;
    }
    for (size_t i = 0; i < n; i++)
      to[i] += next[i];
    memcpy(term, next, n * sizeof *term);
  }
}

static real norm_of(const struct exact *x) {
  real largest = 0;
  for (size_t i = 0; i < x->n; i++) {
    real sum = 0;
    for (size_t j = 0; j < x->n; j++)
      sum += fabsl(x->m[i * x->n + j]);
    if (sum > largest) largest = sum;
  }
  return largest;
}

/* R and E - I of a time t, short enough for the series; the number of rows of R. */
static size_t begin(struct exact *x, real t) {
  const size_t n = x->n;
  double node[NODES], weight[NODES];
  real *unit = x->room + 2 * n, *change = x->room + 3 * n;
  cs_linalg_gauss(NODES, node, weight);
  for (size_t q = 0; q < NODES; q++) {
    real *row = x->rows + q * n;
    memcpy(row, x->start, n * sizeof *row);
    add_change(x, (real)node[q] * t, x->start, row);
    for (size_t i = 0; i < n; i++)
      row[i] *= sqrtl((real)weight[q] * t);
  }
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < n; i++) {
      unit[i] = i == j;
      change[i] = 0;
    }
    add_change(x, t, unit, change);
    for (size_t i = 0; i < n; i++)
      x->f[i * n + j] = change[i];
  }
  return reduce(NODES, n, x->rows);
}

/* R and E - I of twice the time. */
static size_t twice(struct exact *x, size_t count) {
  const size_t n = x->n;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < n; j++) {
      real *to = &x->rows[(count + i) * n + j];
      *to = x->rows[i * n + j];
      for (size_t k = 0; k < n; k++)
        *to += x->f[j * n + k] * x->rows[i * n + k];
    }
  multiply(n, n, n, x->f, x->f, x->more);
  for (size_t i = 0; i < n * n; i++)
    x->f[i] = 2 * x->f[i] + x->more[i];
  return reduce(2 * count, n, x->rows);
}

/* Adds int_0^T y^2 dt to squares [outputs], and moves x->start on by T. */
static void integrate(struct exact *x, double T, real *squares) {
  const size_t n = x->n;
  const real norm = norm_of(x);
  real t = T;
  int doublings = 0;
  for (; norm * t > 0.5L && doublings < 4000; doublings++)
    t /= 2;
  size_t count = begin(x, t);
  for (; doublings > 0; doublings--)
    count = twice(x, count);
  for (size_t o = 0; o < x->outputs; o++)
    for (size_t i = 0; i < count; i++) {
      real value = 0;
      for (size_t j = 0; j < n; j++)
        value += x->rows[i * n + j] * x->y[o * n + j];
      squares[o] += value * value;
    }
  multiply(n, n, 1, x->f, x->start, x->room);
  for (size_t i = 0; i < n; i++)
    x->start[i] += x->room[i];
}

/* ---- events */

/* The time of the next event after `now`, or T. */
static double next_event(const struct cs_model *model, const double *time, double now, double T) {
  double next = T;
  for (size_t e = 0; e < model->events; e++)
    if (time[e] > now && time[e] < next) next = time[e];
  return next;
}

/* What all events at a time do to the states. set, add [events][states]. */
static void apply_events(const struct cs_model *model, const double *time, double now, const double *set,
                         const double *add, struct exact *x) {
  const size_t n = x->n, states = model->states;
  real *own = x->room;
  multiply(n, n, 1, x->t, x->start, own);
  for (size_t e = 0; e < model->events; e++) {
    if (time[e] != now) continue;
    for (size_t i = 0; i < model->matrix[CS_EVENT_SET].count; i++) {
      const struct cs_entry *entry = &model->matrix[CS_EVENT_SET].entry[i];
      if (entry->row == e) own[entry->column] = set[e * states + entry->column];
    }
    for (size_t i = 0; i < states; i++)
      own[i] += add[e * states + i];
  }
  multiply(n, n, 1, x->w, own, x->start);
}

static int follow(const struct cs_model *model, const size_t *mode, const double *parameters, double T, struct exact *x,
                  real *squares, struct cs_error *error) {
  const size_t count = model->events * model->states;
  double *time = calloc(model->events + 2 * count + 1, sizeof *time), *set = time + model->events, *add = set + count;
  int code = time != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) code = cs_model_numbers(model, CS_EVENT_TIME, mode, parameters, time, error);
  if (code == CS_OK) code = cs_model_numbers(model, CS_EVENT_SET, mode, parameters, set, error);
  if (code == CS_OK) code = cs_model_numbers(model, CS_EVENT_ADD, mode, parameters, add, error);
  for (double now = 0.0; code == CS_OK && now < T;) {
    const double next = next_event(model, time, now, T);
    integrate(x, next - now, squares);
    if (next < T) apply_events(model, time, next, set, add, x);
    now = next;
  }
  free(time);
  return code;
}

/* ---- all of it */

static bool make_room(struct exact *x) {
  const size_t n = x->n;
  bool failed = false;
  x->m = take(n * n, &failed);
  x->y = take(x->outputs * n, &failed);
  x->start = take(n, &failed);
  x->t = take(n * n, &failed);
  x->w = take(n * n, &failed);
  x->f = take(n * n, &failed);
  x->more = take(n * n, &failed);
  x->rows = take((2 * n + NODES) * n, &failed);
  x->room = take(4 * n, &failed);
  return !failed;
}

static void free_room(struct exact *x) {
  real *const all[] = {x->m, x->y, x->start, x->t, x->w, x->f, x->more, x->rows, x->room};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
}

int cs_exact_rms(const struct cs_model *model, const size_t *mode, const double *parameters, double T, double *rms,
                 struct cs_error *error) {
  struct exact x = {.n = model->states + 1, .states = model->states, .outputs = model->outputs};
  struct coupled c = {0};
  real *squares = calloc(model->outputs + 1, sizeof *squares);
  int code = make_room(&x) && squares != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) code = couple(model, mode, parameters, &c, error);
  if (code == CS_OK) code = transform(model, &c, &x, error);
  if (code == CS_OK) code = follow(model, mode, parameters, T, &x, squares, error);
  for (size_t i = 0; code == CS_OK && i < model->outputs; i++) {
    rms[i] = (double)sqrtl(squares[i] / T);
    if (!isfinite(rms[i])) rms[i] = NAN;
  }
  free_room(&x);
  free_coupled(&c);
  free(squares);
  return code;
}
