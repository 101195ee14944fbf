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

/* The largest root of lambda^(m+1) = mu sum_j w_j lambda^(m-j), w_j = (-1)^j C(m+1, j+1): extrapolation through the
 * last m + 1 values, each of which comes back with the factor mu. The complex companion matrix as a real one of twice
 * its size has its eigenvalues and their conjugates. */
static int extrapolated(struct cs_complex mu, unsigned m, double *factor, struct cs_error *error) {
  enum { MOST = 2 * CS_EXPLAIN_ORDERS };
  const size_t n = m + 1, width = 2 * n;
  double a[MOST * MOST] = {0}, weight = (double)n;
  struct cs_complex root[MOST];
  for (size_t j = 0; j < n; j++) {
    a[j] = a[n * width + n + j] = mu.re * weight;
    a[n + j] = -mu.im * weight;
    a[n * width + j] = mu.im * weight;
    weight *= -(double)(n - j - 1) / (double)(j + 2);
  }
  for (size_t i = 1; i < n; i++)
    a[i * width + i - 1] = a[(n + i) * width + n + i - 1] = 1.0;
  const int code = eigenvalues(width, a, root, error);
  *factor = hypot(root->re, root->im);
  return code;
}

/* The same for hold hermite of values and slopes (H u') at two points: of (u, H u') at the newest one become, at the
 * end of the step, mu times the polynomial through both. */
static int extrapolated_cubic(struct cs_complex mu, double *factor, struct cs_error *error) {
  enum { N = 4, WIDTH = 2 * N };
  static const double end[2][N] = {{-4, 4, 5, 2}, {-12, 8, 12, 5}};
  double a[WIDTH * WIDTH] = {0};
  struct cs_complex root[WIDTH];
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) {
      const double value = i < 2 ? end[i][j] : j + 2 == i;
      const struct cs_complex by = i < 2 ? mu : (struct cs_complex){1.0, 0.0};
      a[i * WIDTH + j] = a[(N + i) * WIDTH + N + j] = by.re * value;
      a[i * WIDTH + N + j] = -by.im * value;
      a[(N + i) * WIDTH + j] = by.im * value;
    }
  const int code = eigenvalues(WIDTH, a, root, error);
  *factor = hypot(root->re, root->im);
  return code;
}

/* What a value comes back as after a step at H = 0, for each loop: eigenvalues of (I - D L_new)^-1 D L_old, where L_new
 * are the connections from subsystems that have advanced before. */
static int returns(const struct cs_explanation *e, const struct cs_approach *approach, struct cs_complex *mu,
                   struct cs_error *error) {
  const struct cs_snapshot *s = &e->network;
  const size_t n = s->outputs;
  double *old = calloc(n * n + 1, sizeof *old), *fresh = calloc(n * n + 1, sizeof *fresh);
  double *a = calloc(n * n + 1, sizeof *a), norm, inverse;
  size_t *place = calloc(s->parts + 1, sizeof *place);
  struct cs_component *component = NULL;
  int code = old != NULL && fresh != NULL && a != NULL && place != NULL ? cs_component_new(n, &component, error)
                                                                        : cs_error_memory(error);
  for (size_t i = 0; code == CS_OK && approach->sequence != NULL && i < s->parts; i++)
    place[approach->sequence[i]] = i;
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
  if (code == CS_OK) code = eigenvalues(n, a, mu, error);
  cs_component_free(component);
  free(old);
  free(fresh);
  free(a);
  free(place);
  return code;
}

/* The factors of one row of the table, for every order. */
static int add_zeros(struct cs_explanation *e, const struct cs_approach *approach, struct cs_error *error) {
  const size_t n = e->network.outputs;
  struct cs_complex *mu = malloc((n + 1) * sizeof *mu);
  int code = mu != NULL ? returns(e, approach, mu, error) : cs_error_memory(error);
  for (unsigned m = cs_experiment_first_order(approach->hold); m < CS_EXPLAIN_ORDERS && code == CS_OK; m++) {
    struct cs_explain_zero *zero = &e->zero[e->zeros++];
    *zero = (struct cs_explain_zero){.approach = *approach, .order = m};
    for (size_t i = 0; i < n && code == CS_OK; i++) {
      double factor = hypot(mu[i].re, mu[i].im);
      if (approach->hold == CS_HERMITE)
        code = extrapolated_cubic(mu[i], &factor, error);
      else if (approach->hold == CS_LAGRANGE)
        code = extrapolated(mu[i], m, &factor, error);
      zero->factor = fmax(zero->factor, factor);
    }
  }
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
