#include "network.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "linalg.h"
#include "list.h"
#include "numbers.h"
#include "status.h"
#include "views.h"

/* Networks whose M has a smaller reciprocal condition number are not shifted to their equilibrium. */
#define EQUILIBRIUM_RCOND 1e-4

/* Distance from 1 of a single eigenvalue that is taken for 1; of two that share an eigenvector, at least; and the
 * rounding of a step of which m of them show the m-th root. */
#define NEUTRAL 1e-9
#define NEUTRAL_PAIR 2e-5
#define ROUNDING 1e-13

struct cs_network_private {
  struct cs_index known; /* sets, by their keys */
  double *key;           /* [room][parameters + 1] overrides, 0 where not given, and the step size of waves */
  double wave;           /* that of the last set */
  size_t last;           /* the parameter set found last, once there is one */
  struct cs_numbers *numbers;
  bool solved;  /* S is that of the last set whose D or L changed */
  bool bounded; /* in study stability: the bound is that of the last set whose A changed */
  double norm;  /* that bound */
  size_t chain;
  double *x0;    /* [states], before the dense matrices of all operators */
  size_t *place; /* [packed] where the packed numbers are, from x0 on */
  double *dense[CS_OPERATORS], *gain, *u, *loop, *bound, *scale, *row;
  struct cs_component *component;
};

static size_t entries(const struct cs_pattern *p) {
  return p->rows * p->columns;
}

/* Room for the operators as dense matrices, and which of their numbers are packed. */
static bool place_operators(struct cs_networks *n) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  size_t count = l->dims.states, at = count;
  for (int op = 0; op < CS_OPERATORS; op++)
    count += entries(&l->pattern[op]);
  p->x0 = calloc(count + 1, sizeof *p->x0);
  p->place = malloc((count + 1) * sizeof *p->place);
  if (p->x0 == NULL || p->place == NULL) return false;
  for (n->packed = 0; n->packed < l->dims.states; n->packed++)
    p->place[n->packed] = n->packed;
  for (int op = 0; op < CS_OPERATORS; op++) {
    p->dense[op] = p->x0 + at;
    for (size_t i = 0; i < entries(&l->pattern[op]); i++, at++)
      if (l->pattern[op].set[i]) p->place[n->packed++] = at;
  }
  return true;
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
  n->configurations = l->configurations.count;
  const bool good = place_operators(n);
  p->gain = calloc(l->dims.outputs * l->dims.exact + 1, sizeof(double));
  p->u = calloc(l->dims.inputs * l->dims.exact + 1, sizeof(double));
  p->loop = calloc(2 * l->dims.outputs * l->dims.outputs + 1, sizeof(double));
  p->bound = calloc(l->dims.exact * l->dims.exact + 1, sizeof(double));
  p->scale = calloc(l->dims.exact + 1, sizeof(double));
  p->row = calloc(l->model->conditions * (l->dims.states + 1) + 1, sizeof(double));
  const size_t most = l->dims.outputs > l->dims.exact ? l->dims.outputs : l->dims.exact;
  int code = cs_component_new(most, &p->component, error);
  if (code == CS_OK) code = cs_numbers_new(l->model, &p->numbers, error);
  if (code == CS_OK) p->numbers->initial = l->sweep->initial;
  if (good && p->gain != NULL && p->u != NULL && p->loop != NULL && p->bound != NULL && p->scale != NULL &&
      p->row != NULL && code == CS_OK)
    return CS_OK;
  cs_networks_free(n);
  *networks = NULL;
  return cs_error_memory(error);
}

void cs_networks_free(struct cs_networks *n) {
  if (n == NULL) return;
  struct cs_network_private *p = n->private_;
  cs_index_clear(&p->known);
  free(p->key);
  cs_numbers_free(p->numbers);
  free(p->x0);
  free(p->place);
  free(p->gain);
  free(p->u);
  free(p->loop);
  free(p->bound);
  free(p->scale);
  free(p->row);
  cs_component_free(p->component);
  free(p);
  for (size_t i = 0; i < n->count; i++)
    free(n->reason[i]);
  free(n->numbers);
  free(n->norm);
  free(n->chain);
  free(n->zeros);
  free(n->neutral);
  free(n->status);
  free(n->reason);
  free(n);
}

/* Conditions as sums that are not to be negative: a combination above its bound, a bound above its combination. */
static void direct_conditions(struct cs_networks *n) {
  static const enum cs_operator rows[] = {CS_OP_WHEN_X, CS_OP_WHEN_U, CS_OP_WHEN_Y, CS_OP_WHEN_BOUND};
  for (size_t op = 0; op < sizeof rows / sizeof *rows; op++) {
    const struct cs_pattern *p = &n->layout->pattern[rows[op]];
    for (size_t i = 0; i < p->rows * p->columns; i++)
      if (n->model->condition[i / p->columns].above == (rows[op] == CS_OP_WHEN_BOUND))
        n->private_->dense[rows[op]][i] *= -1.0;
  }
}

/* Evaluates the model's matrices in these modes as dense matrices. */
static int evaluate_model(struct cs_networks *n, const double *overrides, const unsigned char *given,
                          const size_t *mode, struct cs_error *reason) {
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
              {CS_OP_MC, CS_MC},
              {CS_OP_EVENT_TIME, CS_EVENT_TIME},
              {CS_OP_EVENT_SET, CS_EVENT_SET},
              {CS_OP_EVENT_ADD, CS_EVENT_ADD},
              {CS_OP_F, CS_F},
              {CS_OP_WHEN_X, CS_WHEN_X},
              {CS_OP_WHEN_U, CS_WHEN_U},
              {CS_OP_WHEN_Y, CS_WHEN_Y},
              {CS_OP_WHEN_BOUND, CS_WHEN_BOUND},
              {CS_OP_CHANGE_X, CS_CHANGE_X},
              {CS_OP_CHANGE_U, CS_CHANGE_U},
              {CS_OP_CHANGE_Y, CS_CHANGE_Y}};
  struct cs_network_private *p = n->private_;
  const int code = cs_numbers_find(p->numbers, overrides, given, mode, reason);
  p->bounded = p->bounded && code == CS_OK && !p->numbers->matrix[CS_A].changed && p->wave == 0;
  if (code != CS_OK) return code;
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    const struct cs_entries *shape = &n->model->matrix[list[i].from];
    memcpy(p->dense[list[i].to], p->numbers->matrix[list[i].from].numbers,
           shape->rows * shape->columns * sizeof(double));
  }
  memcpy(p->x0, p->numbers->matrix[CS_X0].numbers, n->layout->dims.states * sizeof(double));
  direct_conditions(n);
  return CS_OK;
}

/* Events must be after the start of the run. Those at its end or later do not happen. */
static bool check_events(const struct cs_networks *n, struct cs_error *reason) {
  const double *time = n->private_->dense[CS_OP_EVENT_TIME];
  for (size_t e = 0; e < n->model->events && !n->layout->kind.stability; e++) {
    if (time[e] > 0.0 || !n->model->event[e].timed) continue;
    cs_error_set(reason, CS_INPUT, "event %s is at t = %g, not after the start", n->model->event[e].name, time[e]);
    return false;
  }
  return true;
}

/* S = (I - D L)^-1. A loop is judged by the signals that depend on each other, and in balanced units. With the same D
 * and L as in the last set, S is what it was. */
static int solve_loop(struct cs_networks *n, bool *singular, struct cs_error *error) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  *singular = false;
  if (p->solved && !p->numbers->matrix[CS_D].changed && !p->numbers->matrix[CS_L].changed) return CS_OK;
  const size_t outputs = l->dims.outputs;
  double *s = p->dense[CS_OP_S], *loop = p->loop, *unit = loop + outputs * outputs, norm, inverse;
  memset(loop, 0, outputs * outputs * sizeof *loop);
  cs_linalg_add_product(outputs, l->dims.inputs, outputs, p->dense[CS_OP_D], p->dense[CS_OP_L], loop);
  bool none = true;
  for (size_t i = 0; i < outputs * outputs; i++) {
    none = none && loop[i] == 0.0;
    s[i] = unit[i] = i % (outputs + 1) == 0 ? 1.0 : 0.0;
    loop[i] = unit[i] - loop[i];
  }
  p->solved = none;
  if (none) return CS_OK;
  cs_component_find(p->component, outputs, loop);
  const int code = cs_linalg_solve(p->component, loop, outputs, unit, s, &norm, &inverse, error);
  *singular = !(fmax(norm, 1.0) * inverse <= 1.0 / CS_LINALG_SINGULAR);
  p->solved = code == CS_OK && !*singular;
  return code;
}

/* Y = S (C, D b + f), M = (A, e) + B (L Y, + b), if the loop is not singular. */
static int solve_network(struct cs_networks *n, bool *singular, struct cs_error *error) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  double *s = p->dense[CS_OP_S], *y = p->dense[CS_OP_Y], *m = p->dense[CS_OP_M];
  const int code = solve_loop(n, singular, error);
  if (code != CS_OK || *singular) return code;
  memset(p->gain, 0, l->dims.outputs * l->dims.exact * sizeof *p->gain);
  for (size_t i = 0; i < l->dims.outputs; i++) {
    for (size_t j = 0; j < l->dims.states; j++)
      p->gain[i * l->dims.exact + j] = p->dense[CS_OP_C][i * l->dims.states + j];
    if (!l->kind.affine) continue;
    double constant = p->dense[CS_OP_F][i];
    for (size_t j = 0; j < l->dims.inputs; j++)
      constant += p->dense[CS_OP_D][i * l->dims.inputs + j] * p->dense[CS_OP_BIAS][j];
    p->gain[i * l->dims.exact + l->dims.states] = constant;
  }
  memset(y, 0, l->dims.outputs * l->dims.exact * sizeof *y);
  cs_linalg_add_product(l->dims.outputs, l->dims.outputs, l->dims.exact, s, p->gain, y);
  memset(p->u, 0, l->dims.inputs * l->dims.exact * sizeof *p->u);
  for (size_t i = 0; l->kind.affine && i < l->dims.inputs; i++)
    p->u[i * l->dims.exact + l->dims.states] = p->dense[CS_OP_BIAS][i];
  cs_linalg_add_product(l->dims.inputs, l->dims.outputs, l->dims.exact, p->dense[CS_OP_L], y, p->u);
  memset(m, 0, l->dims.exact * l->dims.exact * sizeof *m);
  for (size_t i = 0; i < l->dims.states; i++) {
    for (size_t j = 0; j < l->dims.states; j++)
      m[i * l->dims.exact + j] = p->dense[CS_OP_A][i * l->dims.states + j];
    if (l->kind.affine) m[i * l->dims.exact + l->dims.states] = p->dense[CS_OP_E][i];
  }
  cs_linalg_add_product(l->dims.states, l->dims.inputs, l->dims.exact, p->dense[CS_OP_B], p->u, m);
  return CS_OK;
}

/* Lines as waves: their efforts u become s (F - Z w), Z = k H, and s Z w part of the subsystems, A + s Z B C. The exact
 * network is what it was. */
static void add_waves(struct cs_networks *n) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  const double *b = p->dense[CS_OP_B], *c = p->dense[CS_OP_C];
  for (size_t e = 0; e < 2 * n->model->lines && p->wave > 0; e++) {
    const struct cs_line *line = &n->model->line[e / 2];
    const struct cs_subsystem *own = &n->model->subsystem[line->subsystem];
    const size_t flow = line->flow[e % 2], effort = line->effort[e % 2];
    const double z = line->sign * p->wave * b[own->first_state * l->dims.inputs + own->first_input];
    p->dense[CS_OP_L][effort * l->dims.outputs + flow] -= z;
    for (size_t i = 0; i < l->dims.states; i++)
      for (size_t j = 0; j < l->dims.states; j++)
        p->dense[CS_OP_A][i * l->dims.states + j] += z * b[i * l->dims.inputs + effort] * c[flow * l->dims.states + j];
  }
}

/* A network whose loop is singular has no exact solution: sets its operators to 0 and keeps the others (study
 * stability). */
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

/* Shifts the origin of an affine network to its equilibrium x*, M x* + m = 0. All holds, feed-throughs and solvers
 * commute with the shift; the constant terms vanish, and with them cancellation near rest. Monitors keep their values
 * at rest (CS_OP_MC). A network with singular M is not shifted. Not shifted by the caller: networks of another
 * formulation, for other rounding errors; with users' masters, which may treat constants in any way; with variable
 * steps or for traces, which use plain values. */
static int shift_to_equilibrium(struct cs_networks *n, struct cs_error *error) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  double *m = p->dense[CS_OP_M], *y = p->dense[CS_OP_Y], norm, inverse;
  double *rest = calloc(l->dims.states + l->dims.outputs + l->dims.inputs + 1, sizeof *rest),
         *matrix = calloc(l->dims.states * (l->dims.states + 1) + 1, sizeof *matrix);
  const bool good = rest != NULL && matrix != NULL;
  int code = good ? CS_OK : cs_error_memory(error);
  double *rest_y = good ? rest + l->dims.states : NULL, *rest_u = good ? rest_y + l->dims.outputs : NULL,
         *constant = good ? matrix + l->dims.states * l->dims.states : NULL;
  if (!good) goto out;
  for (size_t i = 0; i < l->dims.states; i++) {
    for (size_t j = 0; j < l->dims.states; j++)
      matrix[i * l->dims.states + j] = m[i * l->dims.exact + j];
    constant[i] = -m[i * l->dims.exact + l->dims.states];
  }
  cs_component_find(p->component, l->dims.states, matrix);
  code = cs_linalg_solve(p->component, matrix, 1, constant, rest, &norm, &inverse, error);
  if (code != CS_OK || !(norm * inverse <= 1.0 / EQUILIBRIUM_RCOND)) goto out;
  for (size_t i = 0; i < l->dims.outputs; i++) {
    rest_y[i] = y[i * l->dims.exact + l->dims.states];
    for (size_t j = 0; j < l->dims.states; j++)
      rest_y[i] += y[i * l->dims.exact + j] * rest[j];
  }
  for (size_t i = 0; i < l->dims.inputs; i++)
    rest_u[i] = p->dense[CS_OP_BIAS][i];
  add_times(&l->pattern[CS_OP_L], p->dense[CS_OP_L], rest_y, rest_u);
  add_times(&l->pattern[CS_OP_MX], p->dense[CS_OP_MX], rest, p->dense[CS_OP_MC]);
  add_times(&l->pattern[CS_OP_MU], p->dense[CS_OP_MU], rest_u, p->dense[CS_OP_MC]);
  add_times(&l->pattern[CS_OP_MY], p->dense[CS_OP_MY], rest_y, p->dense[CS_OP_MC]);
  for (size_t i = 0; i < l->dims.states; i++) {
    p->x0[i] -= rest[i];
    p->dense[CS_OP_E][i] = m[i * l->dims.exact + l->dims.states] = 0.0;
  }
  for (size_t i = 0; i < l->dims.outputs; i++)
    y[i * l->dims.exact + l->dims.states] = 0.0;
  for (size_t i = 0; i < l->dims.inputs; i++)
    p->dense[CS_OP_BIAS][i] = 0.0;
out:
  free(rest);
  free(matrix);
  return code;
}

/* What sets the number of terms and pieces of series: ||M|| and ||A_i||, and the chain. Constants are a component of
 * their own, which sets no time scale. */
static void bound(struct cs_networks *n, size_t index) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  const size_t exact = l->dims.exact, states = l->dims.states;
  if (!p->bounded) {
    for (size_t i = 0; i < exact * exact; i++) {
      const size_t row = i / exact, column = i % exact;
      const double a = row < states && column < states ? fabs(p->dense[CS_OP_A][row * states + column]) : 0.0;
      const double m = l->kind.stability ? 0.0 : fabs(p->dense[CS_OP_M][i]); /* the exact solution is not computed */
      p->bound[i] = fmax(m, a);
    }
    cs_component_find(p->component, exact, p->bound);
    cs_linalg_balance(p->component, p->bound, p->scale);
    p->norm = cs_linalg_balanced_norm(p->component, p->bound, p->scale);
    p->chain = cs_component_chain(p->component, p->bound);
  }
  p->bounded = l->kind.stability && p->wave == 0;
  n->norm[index] = p->norm;
  n->chain[index] = p->chain;
}

/* Neutral modes of the exact solution, eigenvalues 0 of M: constants, which every method keeps. If m of them share an
 * eigenvector, rounding separates those of a step by the m-th root of its unit. */
static int find_neutral(struct cs_networks *n, size_t index, struct cs_error *error) {
  const struct cs_layout *l = n->layout;
  struct cs_network_private *p = n->private_;
  size_t block;
  for (size_t i = 0; i < l->dims.states; i++)
    memcpy(p->bound + i * l->dims.states, p->dense[CS_OP_M] + i * l->dims.exact, l->dims.states * sizeof *p->bound);
  cs_component_find(p->component, l->dims.states, p->bound);
  const int code = cs_linalg_zero_eigenvalues(p->component, p->bound, &n->zeros[index], &block, error);
  if (block > 1) n->neutral[index] = fmax(NEUTRAL_PAIR, pow(ROUNDING, 1.0 / (double)block));
  return code;
}

/* Copies x0 and the structurally non-zero entries; false if one of these is not finite. */
static bool pack(const struct cs_networks *n, double *to) {
  const struct cs_network_private *p = n->private_;
  bool finite = true;
  for (size_t i = 0; i < n->packed; i++) {
    to[i] = p->x0[p->place[i]];
    finite = finite && (isfinite(to[i]) || i < n->layout->dims.states);
  }
  return finite;
}

static bool reserve(struct cs_networks *n, size_t room) {
  struct cs_network_private *p = n->private_;
  if (!cs_list_reserve(&n->numbers, room, n->packed * sizeof *n->numbers) ||
      !cs_list_reserve(&n->norm, room, sizeof *n->norm) || !cs_list_reserve(&n->chain, room, sizeof *n->chain) ||
      !cs_list_reserve(&n->zeros, room, sizeof *n->zeros) || !cs_list_reserve(&n->neutral, room, sizeof *n->neutral) ||
      !cs_list_reserve(&n->status, room, sizeof *n->status) || !cs_list_reserve(&n->reason, room, sizeof *n->reason) ||
      (!n->distinct && !cs_list_reserve(&p->key, room, (n->model->parameters + 1) * sizeof *p->key)))
    return false;
  n->room = room;
  return true;
}

int cs_networks_reserve(struct cs_networks *n, size_t sets, struct cs_error *error) {
  const bool good =
      reserve(n, (sets + 1) * n->configurations) && (n->distinct || cs_index_reserve(&n->private_->known, sets));
  return good ? CS_OK : cs_error_memory(error);
}

/* Room for the sets of another parameter set. */
static bool grow(struct cs_networks *n) {
  return n->count + n->configurations <= n->room || reserve(n, n->room == 0 ? 64 * n->configurations : 2 * n->room);
}

/* Whether the network is shifted to its equilibrium, if it has one. */
static bool shifts(const struct cs_networks *n) {
  const struct cs_layout *l = n->layout;
  return l->kind.affine && !l->kind.other && l->sweep->masters->user.count == 0 && !cs_sweep_varies(l->sweep) &&
         !l->kind.records;
}

/* Adds a [conditions][inner] times b [inner][exact] to the conditions over r = (states, 1). */
static void add_rows(const struct cs_networks *n, size_t inner, const double *a, const double *b) {
  const size_t r = n->layout->dims.states + 1, exact = n->layout->dims.exact;
  for (size_t i = 0; i < n->model->conditions; i++)
    for (size_t k = 0; k < inner; k++)
      for (size_t j = 0; j < exact; j++)
        n->private_->row[i * r + j] += a[i * inner + k] * b[k * exact + j];
}

/* Whether the views of every event that can happen in configuration number `index` are the same. */
static bool check_views(const struct cs_networks *n, size_t index, struct cs_error *reason) {
  const struct cs_layout *l = n->layout;
  const struct cs_network_private *p = n->private_;
  const size_t states = l->dims.states, r = states + 1;
  struct cs_views_gap gap;
  for (size_t i = 0; i < n->model->conditions * r; i++)
    p->row[i] = i % r < states ? p->dense[CS_OP_WHEN_X][i / r * states + i % r] : p->dense[CS_OP_WHEN_BOUND][i / r];
  add_rows(n, l->dims.inputs, p->dense[CS_OP_WHEN_U], p->u);
  add_rows(n, l->dims.outputs, p->dense[CS_OP_WHEN_Y], p->dense[CS_OP_Y]);
  for (size_t e = 0; e < n->model->events; e++) {
    if (cs_configurations_after(&l->configurations, n->model, index, e) == SIZE_MAX) continue;
    if (!cs_views_differ(n->model, e, p->row, &gap)) continue;
    cs_error_set(reason, CS_INPUT, "event %s: the views of %s and %s differ in condition %zu", n->model->event[e].name,
                 gap.one, gap.other, gap.condition);
    return false;
  }
  return true;
}

static void make_invalid(struct cs_networks *n, size_t at, const struct cs_error *reason) {
  memset(n->numbers + at * n->packed, 0, n->packed * sizeof *n->numbers);
  n->status[at] = CS_STATUS_INVALID;
  n->reason[at] = cs_text_copy(reason->message);
}

/* Evaluates set `at` in these modes. */
static int evaluate(struct cs_networks *n, const double *overrides, const unsigned char *given, const size_t *mode,
                    size_t at, struct cs_error *error) {
  struct cs_error reason; /* of which the message is too long to be cleared for every network */
  bool singular;
  int code = CS_OK;
  double *numbers = n->numbers + at * n->packed;
  n->norm[at] = 0.0;
  n->chain[at] = n->zeros[at] = 0;
  n->neutral[at] = NEUTRAL;
  n->status[at] = 0;
  n->reason[at] = NULL;
  if (evaluate_model(n, overrides, given, mode, &reason) != CS_OK || !check_events(n, &reason)) {
    make_invalid(n, at, &reason);
    return CS_OK;
  }
  code = solve_network(n, &singular, error);
  if (code == CS_OK && !singular && !n->layout->kind.stability && !check_views(n, at % n->configurations, &reason)) {
    make_invalid(n, at, &reason);
    return CS_OK;
  }
  add_waves(n);
  if (code == CS_OK && !singular && shifts(n)) code = shift_to_equilibrium(n, error);
  if (code != CS_OK) return code;
  if (singular) forget_exact(n);
  const bool finite = pack(n, numbers);
  if (finite) bound(n, at);
  if (finite && !singular && n->layout->kind.stability) code = find_neutral(n, at, error);
  n->status[at] = singular ? CS_STATUS_SINGULAR : finite ? CS_STATUS_OK : CS_STATUS_INVALID;
  if (!finite && !singular) n->reason[at] = cs_text_copy("the network's numbers overflow");
  return code;
}

/* What configurations of one parameter set have in common: numbers that are not finite anywhere make all of them
 * invalid, and one that is singular must be told from the others when a run enters it. */
static void agree(struct cs_networks *n, size_t first) {
  for (size_t i = first; i < first + n->configurations; i++) {
    if (n->status[i] == CS_STATUS_SINGULAR && n->configurations > 1) n->norm[i] = NAN;
    for (size_t j = first; j < first + n->configurations; j++) {
      if (n->chain[j] > n->chain[i]) n->chain[i] = n->chain[j];
      if (n->status[j] != CS_STATUS_INVALID || n->status[i] == CS_STATUS_INVALID) continue;
      n->status[i] = CS_STATUS_INVALID;
      n->reason[i] = cs_text_copy(n->reason[j]);
    }
  }
}

/* Evaluates the next set in all configurations. */
static int add(struct cs_networks *n, const double *overrides, const unsigned char *given, struct cs_error *error) {
  const struct cs_configurations *all = &n->layout->configurations;
  const size_t first = n->count;
  int code = CS_OK;
  for (size_t c = 0; c < n->configurations && code == CS_OK; c++) {
    code = evaluate(n, overrides, given, all->mode + c * all->subsystems, n->count, error);
    n->count++;
  }
  if (code == CS_OK) agree(n, first);
  return code;
}

int cs_networks_find(struct cs_networks *n, const double *overrides, const unsigned char *given, double wave,
                     size_t *index, struct cs_error *error) {
  struct cs_network_private *p = n->private_;
  const size_t numbers = n->model->parameters + 1, bytes = numbers * sizeof *p->key;
  if (!grow(n)) return cs_error_memory(error);
  p->wave = wave;
  *index = n->count;
  if (n->distinct) return add(n, overrides, given, error);
  double *key = p->key + n->count * numbers;
  for (size_t i = 0; i + 1 < numbers; i++)
    key[i] = given[i] ? overrides[i] : 0.0;
  key[numbers - 1] = wave;
  *index = p->last;
  if (n->count > 0 && memcmp(p->key + *index * numbers, key, bytes) == 0) return CS_OK;
  const uint64_t hash = cs_index_hash(CS_INDEX_SEED, key, bytes);
  for (size_t probe = 0; (*index = cs_index_next(&p->known, hash, &probe)) != CS_INDEX_NONE;)
    if (memcmp(p->key + *index * numbers, key, bytes) == 0) {
      p->last = *index;
      return CS_OK;
    }
  p->last = *index = n->count;
  const int code = add(n, overrides, given, error);
  if (code != CS_OK) return code;
  return cs_index_add(&p->known, hash, *index) ? CS_OK : cs_error_memory(error);
}

void cs_networks_places(const struct cs_layout *l, size_t *places) {
  size_t at = l->dims.states, next = 0;
  const size_t listed = l->coefficients.estimate_at - CS_K_X0 - l->dims.states;
  for (size_t i = 0; i < l->dims.states; i++)
    places[i] = i;
  for (int op = 0; op < CS_OPERATORS; op++)
    for (size_t i = 0; i < l->pattern[op].rows * l->pattern[op].columns; i++) {
      if (!l->pattern[op].set[i]) continue;
      const struct cs_coefficient *c = &l->coefficients.list[next];
      if (next < listed && c->from == (enum cs_operator)op && c->row * l->pattern[op].columns + c->column == i)
        places[l->dims.states + next++] = at;
      at++;
    }
}
