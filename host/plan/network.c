#include "network.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "linalg.h"
#include "list.h"

/* I - D L with a smaller reciprocal condition number is singular (docs/methods.md section 1). */
#define SINGULAR_RCOND 1e-13
/* Networks with a worse conditioned M have no usable equilibrium and keep their affine terms. */
#define EQUILIBRIUM_RCOND 1e-4

struct cs_network_private {
  struct cs_index known; /* sets, by their keys */
  double *key;           /* [room][parameters] overrides, 0 where not given */
  double *parameters;
  double *dense[CS_OPERATORS], *f, *x0, *gain, *u, *bound;
  int *pivots;
};

static size_t pattern_count(const struct cs_pattern *p) {
  size_t count = 0;
  for (size_t i = 0; i < p->rows * p->columns; i++)
    count += p->set[i];
  return count;
}

int cs_networks_new(const struct cs_layout *l, struct cs_networks **networks, struct cs_error *error) {
  struct cs_networks *n = calloc(1, sizeof *n);
  struct cs_network_private *p = calloc(1, sizeof *p);
  *networks = n;
  if (n == NULL || p == NULL) {
    free(n);
    free(p);
    *networks = NULL;
    return cs_error_memory(error);
  }
  n->private_ = p;
  n->model = l->model;
  n->layout = l;
  n->packed = l->x;
  bool good = true;
  for (int op = 0; op < CS_OPERATORS; op++) {
    n->packed += pattern_count(&l->pattern[op]);
    p->dense[op] = calloc(l->pattern[op].rows * l->pattern[op].columns + 1, sizeof(double));
    good = good && p->dense[op] != NULL;
  }
  p->parameters = calloc(l->model->parameters + 1, sizeof(double));
  p->f = calloc(l->y + 1, sizeof(double));
  p->x0 = calloc(l->x + 1, sizeof(double));
  p->gain = calloc(l->y * l->r + 1, sizeof(double));
  p->u = calloc(l->u * l->r + 1, sizeof(double));
  p->bound = calloc(l->r * l->r + 1, sizeof(double));
  p->pivots = calloc(l->y + 1, sizeof(int));
  if (!good || p->parameters == NULL || p->f == NULL || p->x0 == NULL || p->gain == NULL || p->u == NULL ||
      p->bound == NULL || p->pivots == NULL) {
    cs_networks_free(n);
    *networks = NULL;
    return cs_error_memory(error);
  }
  return CS_OK;
}

void cs_networks_free(struct cs_networks *n) {
  if (n == NULL) return;
  struct cs_network_private *p = n->private_;
  for (int op = 0; op < CS_OPERATORS; op++)
    free(p->dense[op]);
  cs_index_clear(&p->known);
  free(p->key);
  free(p->parameters);
  free(p->f);
  free(p->x0);
  free(p->gain);
  free(p->u);
  free(p->bound);
  free(p->pivots);
  free(p);
  for (size_t i = 0; i < n->count; i++)
    free(n->reason[i]);
  free(n->numbers);
  free(n->norm);
  free(n->status);
  free(n->reason);
  free(n);
}

/* Dense numbers of the model's own matrices. */
static int evaluate_model(struct cs_networks *n, const double *overrides, const unsigned char *given,
                          struct cs_error *reason) {
  static const struct {
    enum cs_operator to;
    enum cs_matrix from;
  } list[] = {{CS_OP_A, CS_A},
              {CS_OP_B, CS_B},
              {CS_OP_C, CS_C},
              {CS_OP_D, CS_D},
              {CS_OP_L, CS_L},
              {CS_OP_BIAS, CS_BIAS},
              {CS_OP_E, CS_E},
              {CS_OP_MX, CS_MX},
              {CS_OP_MU, CS_MU},
              {CS_OP_MY, CS_MY},
              {CS_OP_EVENT_TIME, CS_EVENT_TIME},
              {CS_OP_EVENT_SET, CS_EVENT_SET},
              {CS_OP_EVENT_ADD, CS_EVENT_ADD}};
  struct cs_network_private *p = n->private_;
  int code = cs_model_parameters(n->model, overrides, given, p->parameters, reason);
  for (size_t i = 0; code == CS_OK && i < sizeof list / sizeof list[0]; i++)
    code = cs_model_numbers(n->model, list[i].from, p->parameters, p->dense[list[i].to], reason);
  if (code == CS_OK) code = cs_model_numbers(n->model, CS_F, p->parameters, p->f, reason);
  if (code == CS_OK) code = cs_model_numbers(n->model, CS_X0, p->parameters, p->x0, reason);
  return code;
}

/* Events stand inside the run: after its start. Those at its end or later do not happen. */
static bool check_events(const struct cs_networks *n, struct cs_error *reason) {
  const double *time = n->private_->dense[CS_OP_EVENT_TIME];
  for (size_t e = 0; e < n->model->events && !n->layout->stability; e++) {
    if (time[e] > 0.0) continue;
    cs_error_set(reason, CS_INPUT, "event %s is at t = %g, not after the start", n->model->event[e].name, time[e]);
    return false;
  }
  return true;
}

/* S = (I - D L)^-1, Y = S (C, D b + f), M = (A, e) + B (L Y, + b). False when the loop is singular. */
static bool solve_network(struct cs_networks *n) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  double *s = p->dense[CS_OP_S], *y = p->dense[CS_OP_Y], *m = p->dense[CS_OP_M], rcond = 1.0;
  memset(s, 0, l->y * l->y * sizeof *s);
  cs_linalg_add_product(l->y, l->u, l->y, p->dense[CS_OP_D], p->dense[CS_OP_L], s);
  bool loop = false;
  for (size_t i = 0; i < l->y * l->y; i++) {
    loop = loop || s[i] != 0.0;
    s[i] = (i % (l->y + 1) == 0 ? 1.0 : 0.0) - s[i];
  }
  if (loop) cs_linalg_invert(l->y, s, p->pivots, &rcond);
  if (!(rcond >= SINGULAR_RCOND)) return false;

  memset(p->gain, 0, l->y * l->r * sizeof *p->gain);
  for (size_t i = 0; i < l->y; i++) {
    for (size_t j = 0; j < l->x; j++)
      p->gain[i * l->r + j] = p->dense[CS_OP_C][i * l->x + j];
    if (!l->affine) continue;
    double constant = p->f[i];
    for (size_t j = 0; j < l->u; j++)
      constant += p->dense[CS_OP_D][i * l->u + j] * p->dense[CS_OP_BIAS][j];
    p->gain[i * l->r + l->x] = constant;
  }
  memset(y, 0, l->y * l->r * sizeof *y);
  cs_linalg_add_product(l->y, l->y, l->r, s, p->gain, y);
  memset(p->u, 0, l->u * l->r * sizeof *p->u);
  for (size_t i = 0; l->affine && i < l->u; i++)
    p->u[i * l->r + l->x] = p->dense[CS_OP_BIAS][i];
  cs_linalg_add_product(l->u, l->y, l->r, p->dense[CS_OP_L], y, p->u);
  memset(m, 0, l->r * l->r * sizeof *m);
  for (size_t i = 0; i < l->x; i++) {
    for (size_t j = 0; j < l->x; j++)
      m[i * l->r + j] = p->dense[CS_OP_A][i * l->x + j];
    if (l->affine) m[i * l->r + l->x] = p->dense[CS_OP_E][i];
  }
  cs_linalg_add_product(l->x, l->u, l->r, p->dense[CS_OP_B], p->u, m);
  return true;
}

/* A network whose loop is singular has no exact solution; what does not refer to it remains (study stability). */
static void forget_exact(struct cs_networks *n) {
  static const enum cs_operator exact[] = {CS_OP_M, CS_OP_Y, CS_OP_S};
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
    const struct cs_pattern *p = &n->layout->pattern[exact[i]];
    memset(n->private_->dense[exact[i]], 0, p->rows * p->columns * sizeof(double));
  }
}

/* y[rows] += a [rows][columns] x */
static void add_times(const struct cs_pattern *shape, const double *a, const double *x, double *y) {
  cs_linalg_add_product(shape->rows, shape->columns, 1, a, x, y);
}

/* Measures an affine network from its equilibrium x*, M x* + m = 0: all holds, feed-throughs and solvers commute with
 * the shift, the constant terms vanish and nothing small is left over from their cancellation near rest. The monitors
 * keep their values at rest. M singular: nothing is shifted; nor with masters of users' own, which may treat a constant
 * as they like, and where step size control looks at the values themselves. */
static bool shift_to_equilibrium(struct cs_networks *n) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  double *m = p->dense[CS_OP_M], *y = p->dense[CS_OP_Y], rcond;
  double *rest = calloc(l->x + l->y + l->u + 1, sizeof *rest), *inverse = calloc(l->x * l->x + 1, sizeof *inverse);
  int *pivots = calloc(l->x + 1, sizeof *pivots);
  const bool good = rest != NULL && inverse != NULL && pivots != NULL;
  double *rest_y = good ? rest + l->x : NULL, *rest_u = good ? rest_y + l->y : NULL;
  if (!good) goto out;
  memset(p->dense[CS_OP_MC], 0, l->monitors * sizeof(double));
  for (size_t i = 0; i < l->x; i++)
    for (size_t j = 0; j < l->x; j++)
      inverse[i * l->x + j] = m[i * l->r + j];
  cs_linalg_invert(l->x, inverse, pivots, &rcond);
  if (!(rcond >= EQUILIBRIUM_RCOND)) goto out;
  for (size_t i = 0; i < l->x; i++)
    for (size_t j = 0; j < l->x; j++)
      rest[i] -= inverse[i * l->x + j] * m[j * l->r + l->x];
  for (size_t i = 0; i < l->y; i++) {
    rest_y[i] = y[i * l->r + l->x];
    for (size_t j = 0; j < l->x; j++)
      rest_y[i] += y[i * l->r + j] * rest[j];
  }
  for (size_t i = 0; i < l->u; i++)
    rest_u[i] = p->dense[CS_OP_BIAS][i];
  add_times(&l->pattern[CS_OP_L], p->dense[CS_OP_L], rest_y, rest_u);
  add_times(&l->pattern[CS_OP_MX], p->dense[CS_OP_MX], rest, p->dense[CS_OP_MC]);
  add_times(&l->pattern[CS_OP_MU], p->dense[CS_OP_MU], rest_u, p->dense[CS_OP_MC]);
  add_times(&l->pattern[CS_OP_MY], p->dense[CS_OP_MY], rest_y, p->dense[CS_OP_MC]);
  for (size_t i = 0; i < l->x; i++) {
    p->x0[i] -= rest[i];
    p->dense[CS_OP_E][i] = m[i * l->r + l->x] = 0.0;
  }
  for (size_t i = 0; i < l->y; i++)
    y[i * l->r + l->x] = 0.0;
  for (size_t i = 0; i < l->u; i++)
    p->dense[CS_OP_BIAS][i] = 0.0;
out:
  free(rest);
  free(inverse);
  free(pivots);
  return good;
}

static double bound(const struct cs_networks *n) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  for (size_t i = 0; i < l->r * l->r; i++) {
    const size_t row = i / l->r, column = i % l->r;
    const double a = row < l->x && column < l->x ? fabs(p->dense[CS_OP_A][row * l->x + column]) : 0.0;
    const double m = l->stability ? 0.0 : fabs(p->dense[CS_OP_M][i]); /* no exact solution goes along */
    p->bound[i] = column < l->x ? fmax(m, a) : 0.0;                   /* constants set no time scale */
  }
  return cs_linalg_balanced_norm(l->r, p->bound);
}

/* Copies what the patterns name; false when a number is not finite. */
static bool pack(struct cs_networks *n, double *to) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  bool finite = true;
  for (size_t i = 0; i < l->x; i++)
    *to++ = p->x0[i];
  for (int op = 0; op < CS_OPERATORS; op++)
    for (size_t i = 0; i < l->pattern[op].rows * l->pattern[op].columns; i++)
      if (l->pattern[op].set[i]) {
        finite = finite && isfinite(p->dense[op][i]);
        *to++ = p->dense[op][i];
      }
  return finite;
}

/* Room for another set. */
static bool grow(struct cs_networks *n) {
  struct cs_network_private *p = n->private_;
  if (n->count < n->room) return true;
  const size_t room = n->room == 0 ? 64 : 2 * n->room;
  if (!cs_list_reserve(&n->numbers, room, n->packed * sizeof *n->numbers) ||
      !cs_list_reserve(&n->norm, room, sizeof *n->norm) || !cs_list_reserve(&n->status, room, sizeof *n->status) ||
      !cs_list_reserve(&n->reason, room, sizeof *n->reason) ||
      !cs_list_reserve(&p->key, room, n->model->parameters * sizeof *p->key))
    return false;
  n->room = room;
  return true;
}

int cs_networks_find(struct cs_networks *n, const double *overrides, const unsigned char *given, size_t *index,
                     struct cs_error *error) {
  struct cs_network_private *p = n->private_;
  const size_t parameters = n->model->parameters, bytes = parameters * sizeof *p->key;
  if (!grow(n)) return cs_error_memory(error);
  double *key = p->key + n->count * parameters;
  for (size_t i = 0; i < parameters; i++)
    key[i] = given[i] ? overrides[i] : 0.0;
  const uint64_t hash = cs_index_hash(CS_INDEX_SEED, key, bytes);
  for (size_t probe = 0; (*index = cs_index_next(&p->known, hash, &probe)) != CS_INDEX_NONE;)
    if (memcmp(p->key + *index * parameters, key, bytes) == 0) return CS_OK;
  struct cs_error reason = {0};
  double *numbers = n->numbers + n->count * n->packed;
  n->norm[n->count] = 0.0;
  n->status[n->count] = 0;
  n->reason[n->count] = NULL;
  memset(numbers, 0, n->packed * sizeof *numbers);
  if (evaluate_model(n, overrides, given, &reason) != CS_OK || !check_events(n, &reason)) {
    n->status[n->count] = 7;
    n->reason[n->count] = cs_text_copy(reason.message);
  } else if (!solve_network(n)) {
    n->status[n->count] = 4;
    forget_exact(n);
    if (pack(n, numbers)) n->norm[n->count] = bound(n);
  } else if (n->layout->affine && n->layout->sweep->masters->user.count == 0 && !cs_sweep_varies(n->layout->sweep) &&
             !n->layout->records && !shift_to_equilibrium(n)) {
    return cs_error_memory(error);
  } else if (!pack(n, numbers)) {
    n->status[n->count] = 7;
    n->reason[n->count] = cs_text_copy("the network's numbers overflow");
  } else {
    n->norm[n->count] = bound(n);
  }
  *index = n->count++;
  return cs_index_add(&p->known, hash, *index) ? CS_OK : cs_error_memory(error);
}

void cs_networks_places(const struct cs_layout *l, size_t *places) {
  size_t at = l->x, next = 0;
  const size_t listed = l->estimate_at - CS_K_X0 - l->x;
  for (size_t i = 0; i < l->x; i++)
    places[i] = i;
  for (int op = 0; op < CS_OPERATORS; op++)
    for (size_t i = 0; i < l->pattern[op].rows * l->pattern[op].columns; i++) {
      if (!l->pattern[op].set[i]) continue;
      const struct cs_coefficient *c = &l->coefficient[next];
      if (next < listed && c->from == (enum cs_operator)op && c->row * l->pattern[op].columns + c->column == i)
        places[l->x + next++] = at;
      at++;
    }
}
