#include "plain_step.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 4 };

static const real factorial[PLAIN_ORDERS + 1] = {1, 1, 2, 6, 24};

/* Butcher tableaus; an entry on the diagonal makes the stage implicit. */
struct tableau {
  size_t stages;
  real a[STAGES][STAGES], b[STAGES], c[STAGES];
};

static const struct tableau tableaus[] = {
    [CS_EULER] = {1, {{0}}, {1}, {0}},
    [CS_HEUN] = {2, {{0}, {1}}, {0.5L, 0.5L}, {0, 1}},
    [CS_RK4] = {4, {{0}, {0.5L}, {0, 0.5L}, {0, 0, 1}}, {1 / 6.0L, 1 / 3.0L, 1 / 3.0L, 1 / 6.0L}, {0, 0.5L, 0.5L, 1}},
    [CS_IMPLICIT_EULER] = {1, {{1}}, {1}, {1}},
    [CS_TRAPEZOIDAL] = {2, {{0}, {0.5L, 0.5L}}, {0.5L, 0.5L}, {0, 1}},
};

static const struct cs_subsystem_method *input_method(const struct plain_simulation *sim, size_t input) {
  return &sim->method->subsystem[sim->n.model->input[input].subsystem];
}

static const struct cs_subsystem_method *output_method(const struct plain_simulation *sim, size_t output) {
  return &sim->method->subsystem[sim->n.model->output[output].subsystem];
}

static const struct cs_subsystem_method *state_method(const struct plain_simulation *sim, size_t state) {
  return &sim->method->subsystem[sim->n.model->state[state].subsystem];
}

/* Degrees in step k, cut down while a ramp lasts. */
static size_t input_degree(const struct plain_simulation *sim, size_t input) {
  size_t m = input_method(sim, input)->input_order;
  return sim->method->start == CS_RAMP && m > sim->k - 1 ? sim->k - 1 : m;
}

size_t plain_output_degree(const struct plain_simulation *sim, size_t output) {
  size_t n = output_method(sim, output)->output_order;
  return sim->method->start == CS_RAMP && n > sim->k ? sim->k : n;
}

real plain_polynomial(real coefficients[PLAIN_ORDERS][PLAIN_MAX], size_t signal, real s) {
  real value = 0;
  for (size_t j = PLAIN_ORDERS; j-- > 0;) {
    value = value * s + coefficients[j][signal];
  }
  return value;
}

void plain_held(struct plain_simulation *sim, real s, real *u) {
  for (size_t i = 0; i < sim->n.inputs; i++) {
    u[i] = plain_polynomial(sim->held, i, s);
  }
}

/* ---- exchange: the held polynomials of the step, docs/methods.md section 3 */

/* Interpolation through `values` at 0, -1, ..., -degree: coefficients of s^j, by Lagrange's basis multiplied out. */
static void interpolate(const real *values, size_t degree, real *coefficients) {
  memset(coefficients, 0, PLAIN_ORDERS * sizeof *coefficients);
  for (size_t i = 0; i <= degree; i++) {
    real basis[PLAIN_ORDERS + 1] = {1};
    for (size_t q = 0, length = 1; q <= degree; q++) {
      if (q == i) {
        continue;
      }
      real scale = 1 / ((real)q - (real)i); /* (s + q)/(q - i) */
      for (size_t j = length; j-- > 0;) {
        basis[j + 1] += basis[j] * scale;
        basis[j] *= (real)q * scale;
      }
      length++;
    }
    for (size_t j = 0; j <= degree; j++) {
      coefficients[j] += values[i] * basis[j];
    }
  }
}

/* Andersson (4.7) with equal steps: backward differences as if they were derivatives. */
static void backward_difference(const real *values, size_t degree, real *coefficients) {
  real difference[PLAIN_ORDERS];
  memcpy(difference, values, sizeof difference);
  memset(coefficients, 0, PLAIN_ORDERS * sizeof *coefficients);
  for (size_t j = 0; j <= degree; j++) {
    coefficients[j] = difference[0] / factorial[j];
    for (size_t i = 0; i + 1 < PLAIN_ORDERS; i++) {
      difference[i] -= difference[i + 1];
    }
  }
}

static void exchange(struct plain_simulation *sim) {
  for (size_t i = 0; i < sim->n.inputs; i++) {
    real values[PLAIN_ORDERS], coefficients[PLAIN_ORDERS] = {0};
    size_t degree = input_degree(sim, i);
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      values[j] = sim->memory[j][i];
    }
    if (sim->method->hold == CS_LAGRANGE) {
      interpolate(values, degree, coefficients);
    } else if (sim->method->hold == CS_BACKWARD_DIFFERENCE) {
      backward_difference(values, degree, coefficients);
    } else {
      for (size_t j = 0; j <= degree; j++) {
        coefficients[j] = values[j] * powl(sim->H, j) / factorial[j];
      }
    }
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      sim->held[j][i] = coefficients[j];
    }
  }
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    memset(sim->forcing[j], 0, sizeof sim->forcing[j]);
    plain_multiply_add(&sim->n.B, sim->n.states, sim->n.inputs, sim->held[j], sim->forcing[j]);
  }
  for (size_t i = 0; i < sim->n.states; i++) {
    sim->forcing[0][i] += sim->n.e[i];
  }
}

/* ---- subsystems, docs/methods.md section 4 */

void plain_exact_flow(void *context, const struct plain_network *network, size_t subsystem, real H, real s,
                      real v[4][PLAIN_MAX], const real *x, real *result) {
  (void)context;
  const struct cs_subsystem *sub = &network->model->subsystem[subsystem];
  size_t states = sub->states, first = sub->first_state;
  struct plain_matrix augmented = {{{0}}}; /* of (x, 1, s, s^2, s^3), by s */
  real z[PLAIN_MAX] = {0};
  for (size_t i = 0; i < states; i++) {
    z[i] = x[i];
    for (size_t j = 0; j < states; j++) {
      augmented.at[i][j] = H * network->A.at[first + i][first + j];
    }
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      augmented.at[i][states + j] = H * v[j][i];
    }
  }
  z[states] = 1;
  for (size_t j = 1; j < PLAIN_ORDERS; j++) {
    augmented.at[states + j][states + j - 1] = (real)j;
  }
  plain_flow(&augmented, states + PLAIN_ORDERS, s, z);
  memcpy(result, z, states * sizeof *result);
}

static void call_flow(struct plain_simulation *sim, size_t subsystem, real s, real *result) {
  size_t first = sim->n.model->subsystem[subsystem].first_state;
  real v[PLAIN_ORDERS][PLAIN_MAX] = {{0}};
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    memcpy(v[j], sim->forcing[j] + first, sim->n.model->subsystem[subsystem].states * sizeof(real));
  }
  sim->flow(sim->context, &sim->n, subsystem, sim->H, s, v, sim->grid[0] + first, result);
}

/* f(x, u~(s)) of one subsystem. */
static void right_side(struct plain_simulation *sim, size_t subsystem, const real *x, real s, real *slope) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  for (size_t i = 0; i < sub->states; i++) {
    slope[i] = plain_polynomial(sim->forcing, sub->first_state + i, s);
    for (size_t j = 0; j < sub->states; j++) {
      slope[i] += sim->n.A.at[sub->first_state + i][sub->first_state + j] * x[j];
    }
  }
}

/* One step of length h = width H from s: stages k_i = f(x + h sum_j a_ij k_j, u~(s + c_i width)). */
static void runge_kutta(struct plain_simulation *sim, size_t subsystem, const struct tableau *t, real s, real width,
                        const real *x, real *result) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  size_t states = sub->states, first = sub->first_state;
  real h = width * sim->H, stage[STAGES][PLAIN_MAX];
  memmove(result, x, states * sizeof *x);
  for (size_t i = 0; i < t->stages; i++) {
    real point[PLAIN_MAX] = {0};
    memcpy(point, x, states * sizeof *x);
    for (size_t j = 0; j < i; j++) {
      for (size_t q = 0; q < states; q++) {
        point[q] += h * t->a[i][j] * stage[j][q];
      }
    }
    right_side(sim, subsystem, point, s + t->c[i] * width, stage[i]);
    struct plain_matrix implicit = {{{0}}}; /* (I - h a_ii A) k_i = f(point) */
    for (size_t p = 0; p < states; p++) {
      for (size_t q = 0; q < states; q++) {
        implicit.at[p][q] = (p == q) - h * t->a[i][i] * sim->n.A.at[first + p][first + q];
      }
    }
    plain_solve(&implicit, states, stage[i]);
  }
  for (size_t i = 0; i < t->stages; i++) {
    for (size_t q = 0; q < states; q++) {
      result[q] += h * t->b[i] * stage[i][q];
    }
  }
}

/* Fills the grid of the step: states and slopes at the ends of every solver step. */
void plain_advance(struct plain_simulation *sim) {
  exchange(sim);
  memcpy(sim->grid[0], sim->x, sizeof sim->x);
  for (size_t i = 0; i < sim->n.model->subsystems; i++) {
    const struct cs_subsystem_method *method = &sim->method->subsystem[i];
    size_t first = sim->n.model->subsystem[i].first_state;
    real width = 1 / (real)method->micro_steps;
    cr_assert_leq(method->micro_steps, PLAIN_MICRO);
    for (size_t j = 0; j < method->micro_steps; j++) {
      if (method->solver == CS_EXACT) {
        call_flow(sim, i, (real)(j + 1) * width, sim->grid[j + 1] + first);
      } else {
        runge_kutta(sim, i, &tableaus[method->solver], (real)j * width, width, sim->grid[j] + first,
                    sim->grid[j + 1] + first);
      }
    }
    for (size_t j = 0; j <= method->micro_steps; j++) {
      right_side(sim, i, sim->grid[j] + first, (real)j * width, sim->slope[j] + first);
    }
  }
}

/* The solver's continuous solution of one subsystem and its derivative at s: the flow itself, straight lines (euler),
 * cubic Hermite polynomials (the others). */
static void continuous(struct plain_simulation *sim, size_t subsystem, real s, real *x, real *derivative) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  const struct cs_subsystem_method *method = &sim->method->subsystem[subsystem];
  if (method->solver == CS_EXACT) {
    call_flow(sim, subsystem, s, x);
    right_side(sim, subsystem, x, s, derivative);
    return;
  }
  size_t j = (size_t)(s * method->micro_steps);
  j = j < method->micro_steps ? j : method->micro_steps - 1u;
  real h = sim->H / method->micro_steps, p = s * method->micro_steps - (real)j;
  for (size_t i = 0; i < sub->states; i++) {
    size_t q = sub->first_state + i;
    real x0 = sim->grid[j][q], x1 = sim->grid[j + 1][q], d0 = h * sim->slope[j][q], d1 = h * sim->slope[j + 1][q];
    real c2 = 3 * (x1 - x0) - 2 * d0 - d1, c3 = d0 + d1 - 2 * (x1 - x0);
    if (method->solver == CS_EULER) {
      c2 = c3 = 0;
    }
    x[i] = x0 + p * (d0 + p * (c2 + p * c3));
    derivative[i] = (d0 + p * (2 * c2 + p * 3 * c3)) / h;
  }
}

void plain_states(struct plain_simulation *sim, real s, real *x, real *derivative) {
  for (size_t i = 0; i < sim->n.model->subsystems; i++) {
    size_t first = sim->n.model->subsystem[i].first_state;
    continuous(sim, i, s, x + first, derivative + first);
  }
}

/* ---- samples at T_k, docs/methods.md section 2 */

/* d^j u~ / dt^j at T_k */
static void held_derivative(struct plain_simulation *sim, size_t j, real *u) {
  for (size_t i = 0; i < sim->n.inputs; i++) {
    u[i] = 0;
    for (size_t q = j; q < PLAIN_ORDERS; q++) {
      u[i] += sim->held[q][i] * factorial[q] / factorial[q - j] / powl(sim->H, j);
    }
  }
}

/* y = C x + D u (+ f), or with the loop solved y = S (C x (+ D b + f)) and u = L y (+ b); affine terms at j = 0. */
static void output_of(struct plain_simulation *sim, size_t j, int solved, const real *x, real *u, real *y) {
  const struct plain_network *n = &sim->n;
  real direct[PLAIN_MAX] = {0};
  if (j == 0) {
    memcpy(direct, n->f, sizeof direct);
  }
  plain_multiply_add(&n->C, n->outputs, n->states, x, direct);
  if (!solved) {
    plain_multiply_add(&n->D, n->outputs, n->inputs, u, direct);
    memcpy(y, direct, sizeof direct);
    return;
  }
  memset(u, 0, PLAIN_MAX * sizeof *u);
  memset(y, 0, PLAIN_MAX * sizeof *y);
  if (j == 0) {
    memcpy(u, n->b, PLAIN_MAX * sizeof *u);
    plain_multiply_add(&n->D, n->outputs, n->inputs, n->b, direct);
  }
  plain_multiply_add(&n->S, n->outputs, n->outputs, direct, y);
  plain_multiply_add(&n->L, n->inputs, n->outputs, y, u);
}

/* x^(j+1) = A x^(j) + B u^(j) (+ e); with euler the slope of the step just done, then zero (Glumac (46)). */
static void next_derivative(struct plain_simulation *sim, size_t j, const real *x, const real *u, real *next) {
  const struct plain_network *n = &sim->n;
  memset(next, 0, PLAIN_MAX * sizeof *next);
  if (j == 0) {
    memcpy(next, n->e, PLAIN_MAX * sizeof *next);
  }
  plain_multiply_add(&n->A, n->states, n->states, x, next);
  plain_multiply_add(&n->B, n->states, n->inputs, u, next);
  for (size_t i = 0; i < n->states; i++) {
    const struct cs_subsystem_method *method = state_method(sim, i);
    if (method->solver == CS_EULER) {
      next[i] = j == 0 ? sim->slope[method->micro_steps - 1][i] : 0;
    }
  }
}

/* Output derivatives y[j] at T_k; xs and us get the derivatives of states and inputs they were made of. */
static void sample(struct plain_simulation *sim, int solved, real y[PLAIN_ORDERS][PLAIN_MAX],
                   real xs[PLAIN_ORDERS][PLAIN_MAX], real us[PLAIN_ORDERS][PLAIN_MAX]) {
  memcpy(xs[0], sim->x, sizeof sim->x);
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    held_derivative(sim, j, us[j]);
    output_of(sim, j, solved, xs[j], us[j], y[j]);
    if (j + 1 < PLAIN_ORDERS) {
      next_derivative(sim, j, xs[j], us[j], xs[j + 1]);
    }
  }
}

/* Sum over the connections of input i of its sources' derivative j, known up to each source's own order. */
static real connect(struct plain_simulation *sim, size_t i, size_t j, const real *y) {
  real u = j == 0 ? sim->n.b[i] : 0;
  for (size_t l = 0; l < sim->n.outputs; l++) {
    if (j <= output_method(sim, l)->output_order) {
      u += sim->n.L.at[i][l] * y[l];
    }
  }
  return u;
}

/* Feed-through `refresh`: inputs in model order, each from the values already refreshed. */
static void refresh(struct plain_simulation *sim, real xs[PLAIN_ORDERS][PLAIN_MAX], real us[PLAIN_ORDERS][PLAIN_MAX]) {
  for (size_t i = 0; i < sim->n.inputs; i++) {
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      real y[PLAIN_MAX] = {0};
      output_of(sim, j, 0, xs[j], us[j], y);
      us[j][i] = j <= input_method(sim, i)->input_order ? connect(sim, i, j, y) : 0;
    }
  }
  memcpy(sim->memory, us, sizeof sim->memory);
}

static void sample_taylor(struct plain_simulation *sim) {
  real y[PLAIN_ORDERS][PLAIN_MAX], xs[PLAIN_ORDERS][PLAIN_MAX] = {{0}}, us[PLAIN_ORDERS][PLAIN_MAX] = {{0}};
  sample(sim, sim->method->feedthrough == CS_SOLVED, y, xs, us);
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    for (size_t l = 0; l < sim->n.outputs; l++) {
      sim->recorded[j][l] = j <= plain_output_degree(sim, l) ? y[j][l] * powl(sim->H, j) / factorial[j] : 0;
    }
    for (size_t i = 0; i < sim->n.inputs; i++) {
      sim->memory[j][i] = connect(sim, i, j, y[j]);
    }
  }
  if (sim->method->feedthrough == CS_REFRESH) {
    refresh(sim, xs, us);
  }
}

static void sample_nodes(struct plain_simulation *sim) {
  real y[PLAIN_MAX] = {0}, u[PLAIN_MAX];
  held_derivative(sim, 0, u);
  output_of(sim, 0, sim->method->feedthrough == CS_SOLVED, sim->x, u, y);
  memmove(sim->memory[1], sim->memory[0], (PLAIN_ORDERS - 1) * sizeof sim->memory[0]);
  memmove(sim->history[1], sim->history[0], (PLAIN_ORDERS - 1) * sizeof sim->history[0]);
  memcpy(sim->history[0], y, sizeof y);
  memcpy(sim->memory[0], sim->n.b, sizeof sim->n.b);
  plain_multiply_add(&sim->n.L, sim->n.inputs, sim->n.outputs, y, sim->memory[0]);
  for (size_t l = 0; l < sim->n.outputs; l++) {
    real values[PLAIN_ORDERS], coefficients[PLAIN_ORDERS];
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      values[j] = sim->history[j][l];
    }
    interpolate(values, plain_output_degree(sim, l), coefficients);
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      sim->recorded[j][l] = coefficients[j];
    }
  }
}

/* Start values: derivatives or history from the exact solution, or with start zero none. */
void plain_start(struct plain_simulation *sim) {
  const struct plain_network *n = &sim->n;
  int taylor = sim->method->hold == CS_TAYLOR, zero = sim->method->start == CS_ZERO;
  real r[PLAIN_MAX];
  memcpy(r, sim->r, sizeof r);
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    real y[PLAIN_MAX] = {0};
    plain_multiply_add(&n->Y, n->outputs, n->states + 1, r, y);
    for (size_t i = 0; i < n->inputs; i++) {
      real u = 0;
      for (size_t q = 0; q <= n->states; q++) {
        u += n->U.at[i][q] * r[q];
      }
      sim->memory[j][i] = !taylor || j == 0 ? u : zero ? 0 : connect(sim, i, j, y);
    }
    memcpy(sim->history[j], y, sizeof y);
    if (taylor) { /* the next derivative */
      real next[PLAIN_MAX] = {0};
      plain_multiply_add(&n->M, n->states + 1, n->states + 1, r, next);
      memcpy(r, next, sizeof r);
    } else if (!zero) { /* one step back */
      plain_flow(&n->M, n->states + 1, -sim->H, r);
    }
  }
}

void plain_sample(struct plain_simulation *sim) {
  for (size_t i = 0; i < sim->n.states; i++) {
    sim->x[i] = sim->grid[state_method(sim, i)->micro_steps][i];
  }
  if (sim->method->hold == CS_TAYLOR) {
    sample_taylor(sim);
  } else {
    sample_nodes(sim);
  }
}
