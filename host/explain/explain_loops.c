/* Feed-through: loops of outputs that depend on themselves at once, and whether they diverge at H = 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "component.h"
#include "explain_private.h"
#include "linalg.h"

static int compare_sizes(const void *left, const void *right) {
  const struct cs_complex *a = left, *b = right;
  const double d = hypot(b->re, b->im) - hypot(a->re, a->im);
  if (d != 0.0) return d < 0.0 ? -1 : 1;
  return a->im > b->im ? -1 : a->im < b->im;
}

/* Eigenvalues of a [n][n], which is overwritten, largest first: values [n]. */
static int eigenvalues(size_t n, double *a, struct cs_complex *values, struct cs_error *error) {
  double *room = malloc((2 * n + 1) * sizeof *room);
  const int code = room != NULL ? cs_linalg_eigenvalues(n, a, room, room + n, error) : cs_error_memory(error);
  for (size_t i = 0; i < n && code == CS_OK; i++)
    values[i] = (struct cs_complex){room[i], room[n + i]};
  free(room);
  if (code == CS_OK) qsort(values, n, sizeof *values, compare_sizes);
  return code;
}

/* The loops of D L. */
static int number_loops(struct cs_explanation *e, const double *dl, struct cs_error *error) {
  const size_t n = e->network.outputs;
  struct cs_component *component = NULL;
  size_t *number = calloc(n + 1, sizeof *number);
  e->loop = calloc(n + 1, sizeof *e->loop);
  int code = number != NULL && e->loop != NULL ? cs_component_new(n, &component, error) : cs_error_memory(error);
  if (code == CS_OK) cs_component_find(component, n, dl);
  for (size_t i = 0; i < n && code == CS_OK; i++) {
    const size_t k = component->of[i];
    if (!cs_component_is_loop(component, k, dl)) continue;
    if (number[k] == 0) number[k] = ++e->loops;
    e->loop[i] = number[k];
  }
  cs_component_free(component);
  free(number);
  return code;
}

/* What is extrapolated to the end of a step: weights [rows][width] of the numbers known of a value, the newest first.
 * Of lagrange the last m + 1 values, w_j = (-1)^j C(m+1, j+1); of hermite values and slopes (H u') at two points; of
 * taylor every coefficient goes on by itself. */
enum { MOST = CS_EXPLAIN_ORDERS };
struct extrapolation {
  size_t width, rows;
  double weight[2][MOST];
};

static struct extrapolation extrapolation_of(enum cs_hold hold, unsigned m) {
  struct extrapolation x = {.width = m + 1, .rows = 1};
  double weight = (double)x.width;
  if (hold == CS_TAYLOR) return (struct extrapolation){1, 1, {{1}}};
  if (hold == CS_HERMITE) return (struct extrapolation){4, 2, {{-4, 4, 5, 2}, {-12, 8, 12, 5}}};
  for (size_t j = 0; j < x.width; j++) {
    x.weight[0][j] = weight;
    weight *= -(double)(x.width - j - 1) / (double)(j + 2);
  }
  return x;
}

/* Whether number i of what is known after a step is number j before it. */
static bool is_kept(const struct extrapolation *x, size_t i, size_t j) {
  return i >= x->rows && j + x->rows == i;
}

/* The largest eigenvalue of the map of a step where every value comes back with the factor mu. The complex matrix as a
 * real one of twice its size has its eigenvalues and their conjugates. */
static int extrapolated(const struct extrapolation *x, struct cs_complex mu, double *factor, struct cs_error *error) {
  const size_t n = x->width, width = 2 * n;
  double a[4 * MOST * MOST] = {0};
  struct cs_complex root[2 * MOST];
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const bool new = i < x->rows;
      a[i * width + j] = a[(n + i) * width + n + j] = new ? mu.re * x->weight[i][j] : is_kept(x, i, j);
      a[i * width + n + j] = new ? -mu.im * x->weight[i][j] : 0.0;
      a[(n + i) * width + j] = new ? mu.im * x->weight[i][j] : 0.0;
    }
  const int code = eigenvalues(width, a, root, error);
  *factor = hypot(root->re, root->im);
  return code;
}

/* The map of a step, [n width][n width], where values come back by the matrix r [n][n]. */
static void fill_map(const struct extrapolation *x, size_t n, const double *r, double *map) {
  for (size_t i = 0; i < x->width; i++)
    for (size_t j = 0; j < x->width; j++)
      for (size_t k = 0; k < n * n; k++)
        map[(i * n + k / n) * n * x->width + j * n + k % n] =
            i < x->rows ? x->weight[i][j] * r[k] : is_kept(x, i, j) && k / n == k % n;
}

/* The same for two maps in turn, each the other way round: of a step the root of what two do. */
static int alternated(const struct extrapolation *x, size_t n, const double *first, const double *second,
                      double *factor, struct cs_error *error) {
  const size_t m = n * x->width;
  double *room = calloc(3 * m * m + 1, sizeof *room), *a = room, *b = a + m * m, *both = b + m * m;
  struct cs_complex *root = malloc((m + 1) * sizeof *root);
  int code = room != NULL && root != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) {
    fill_map(x, n, first, a);
    fill_map(x, n, second, b);
    for (size_t i = 0; i < m; i++)
      for (size_t k = 0; k < m; k++)
        for (size_t j = 0; b[i * m + k] != 0.0 && j < m; j++)
          both[i * m + j] += b[i * m + k] * a[k * m + j];
    code = eigenvalues(m, both, root, error);
  }
  *factor = code == CS_OK ? sqrt(hypot(root->re, root->im)) : NAN;
  free(room);
  free(root);
  return code;
}

/* As what values come back after a step at H = 0: a [outputs][outputs] = (I - D L_new)^-1 D L_old, where L_new are the
 * connections from subsystems that have advanced before. */
static int returns(const struct cs_explanation *e, const struct cs_approach *approach, bool backwards, double *a,
                   struct cs_error *error) {
  const struct cs_snapshot *s = &e->network;
  const size_t n = s->outputs;
  double *old = calloc(n * n + 1, sizeof *old), *fresh = calloc(n * n + 1, sizeof *fresh);
  double norm, inverse;
  size_t *place = calloc(s->parts + 1, sizeof *place);
  struct cs_component *component = NULL;
  int code =
      old != NULL && fresh != NULL && place != NULL ? cs_component_new(n, &component, error) : cs_error_memory(error);
  for (size_t i = 0; code == CS_OK && approach->sequence != NULL && i < s->parts; i++)
    place[approach->sequence[i]] = backwards ? s->parts - 1 - i : i;
  for (size_t i = 0; code == CS_OK && i < n; i++)
    fresh[i * n + i] = 1.0;
  for (size_t k = 0; code == CS_OK && k < s->links; k++) {
    const struct cs_link *link = &s->link[k];
    const bool advanced = place[cs_snapshot_of_output(s, link->from)] < place[cs_snapshot_of_input(s, link->to)];
    for (size_t i = 0; i < n; i++)
      *(advanced ? &fresh[i * n + link->from] : &old[i * n + link->from]) +=
          (advanced ? -1.0 : 1.0) * s->d[i * s->inputs + link->to] * link->gain;
  }
  if (code == CS_OK) cs_component_find(component, n, fresh);
  if (code == CS_OK) code = cs_linalg_solve(component, fresh, n, old, a, &norm, &inverse, error);
  cs_component_free(component);
  free(old);
  free(fresh);
  free(place);
  return code;
}

/* Rows and columns of the outputs in loops alone, of a [outputs][outputs]: their number. No others come back. */
static size_t keep_loops(const struct cs_explanation *e, double *a) {
  const size_t n = e->network.outputs;
  size_t kept = 0, at = 0;
  for (size_t i = 0; i < n; i++)
    kept += e->loop[i] > 0;
  for (size_t k = 0; k < n * n; k++)
    if (e->loop[k / n] > 0 && e->loop[k % n] > 0) a[at++] = a[k];
  return kept;
}

/* The factors of one row of the table, for every order. */
static int add_zeros(struct cs_explanation *e, const struct cs_approach *approach, struct cs_error *error) {
  const size_t outputs = e->network.outputs;
  const enum cs_hold hold = approach->hold;
  double *a = calloc(outputs * outputs + 1, sizeof *a), *back = calloc(outputs * outputs + 1, sizeof *back);
  struct cs_complex *mu = malloc((outputs + 1) * sizeof *mu);
  int code = a != NULL && back != NULL && mu != NULL ? returns(e, approach, false, a, error) : cs_error_memory(error);
  const size_t n = code == CS_OK ? keep_loops(e, a) : 0;
  if (code == CS_OK && approach->alternating) {
    code = returns(e, approach, true, back, error);
    keep_loops(e, back);
  } else if (code == CS_OK) {
    code = eigenvalues(n, a, mu, error);
  }
  for (unsigned m = cs_experiment_first_order(hold); m < CS_EXPLAIN_ORDERS && code == CS_OK; m++) {
    const struct extrapolation x = extrapolation_of(hold, m);
    struct cs_explain_zero *zero = &e->zero[e->zeros++];
    *zero = (struct cs_explain_zero){.approach = *approach, .order = m};
    if (approach->alternating) code = alternated(&x, n, a, back, &zero->factor, error);
    for (size_t i = 0; i < n && code == CS_OK && !approach->alternating; i++) {
      double factor = 0.0;
      code = extrapolated(&x, mu[i], &factor, error);
      zero->factor = fmax(zero->factor, factor);
    }
  }
  free(a);
  free(back);
  free(mu);
  return code;
}

int cs_explain_fill_loops(struct cs_explanation *e, struct cs_error *error) {
  const size_t n = e->network.outputs;
  double *dl = malloc((n * n + 1) * sizeof *dl);
  e->direct = calloc(n + 1, sizeof *e->direct);
  e->zero = calloc(e->rows * CS_EXPLAIN_ORDERS + 1, sizeof *e->zero);
  int code = dl != NULL && e->direct != NULL && e->zero != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) cs_snapshot_loop(&e->network, dl);
  if (code == CS_OK) code = number_loops(e, dl, error);
  if (code == CS_OK) code = eigenvalues(n, dl, e->direct, error);
  for (size_t r = 0; code == CS_OK && e->loops > 0 && r < e->rows; r++)
    if (e->row[r].approach.iterations == 0 && !e->row[r].approach.compensated)
      code = add_zeros(e, &e->row[r].approach, error);
  free(dl);
  return code;
}
