#include "plain_step.h"

#include <string.h>
#include <tgmath.h>

/* ---- what outputs give to inputs and to their reconstructions, docs/methods.md sections 2 and 3 */

const real plain_factorial[PLAIN_ORDERS + 1] = {1, 1, 2, 6, 24};

static const struct cs_subsystem_method *input_method(const struct plain_simulation *sim, size_t input) {
  return &sim->method->subsystem[sim->n.model->input[input].subsystem];
}

static const struct cs_subsystem_method *output_method(const struct plain_simulation *sim, size_t output) {
  return &sim->method->subsystem[sim->n.model->output[output].subsystem];
}

/* Degree of an input's polynomial from an output whose newest point is T_k (`is_new`) or T_{k-1}, cut down while a ramp
 * lasts. */
static size_t input_degree(const struct plain_simulation *sim, size_t input, int is_new) {
  size_t m = input_method(sim, input)->input_order, before = sim->memory.points - !is_new;
  return m < before ? m : before;
}

size_t plain_output_degree(const struct plain_simulation *sim, size_t output) {
  size_t n = output_method(sim, output)->output_order, before = sim->memory.points - 1;
  return n < before ? n : before;
}

real plain_polynomial(real coefficients[PLAIN_ORDERS][PLAIN_MAX], size_t signal, real s) {
  real value = 0;
  for (size_t j = PLAIN_ORDERS; j-- > 0;)
    value = value * s + coefficients[j][signal];
  return value;
}

void plain_held(struct plain_simulation *sim, real s, real *u) {
  for (size_t i = 0; i < sim->n.inputs; i++)
    u[i] = plain_polynomial(sim->held, i, s);
}

/* Interpolation through `values` at -back[0], -back[1], ...: coefficients of s^j, by Lagrange's basis multiplied out.
 */
static void interpolate(const real *values, const real *back, size_t degree, real *coefficients) {
  memset(coefficients, 0, PLAIN_ORDERS * sizeof *coefficients);
  for (size_t i = 0; i <= degree; i++) {
    real basis[PLAIN_ORDERS + 1] = {1};
    for (size_t q = 0, length = 1; q <= degree; q++) {
      if (q == i) continue;
      real scale = 1 / (back[q] - back[i]); /* (s + back_q)/(back_q - back_i) */
      for (size_t j = length; j-- > 0;) {
        basis[j + 1] += basis[j] * scale;
        basis[j] *= back[q] * scale;
      }
      length++;
    }
    for (size_t j = 0; j <= degree; j++)
      coefficients[j] += values[i] * basis[j];
  }
}

/* Andersson (4.7): backward differences over the product of the last steps as if they were derivatives. */
static void backward_difference(const real *values, const real *back, size_t degree, real *coefficients) {
  real difference[PLAIN_ORDERS], steps = 1;
  memcpy(difference, values, sizeof difference);
  memset(coefficients, 0, PLAIN_ORDERS * sizeof *coefficients);
  for (size_t j = 0; j <= degree; j++) {
    steps *= j == 0 ? 1 : back[j] - back[j - 1];
    coefficients[j] = difference[0] / steps / plain_factorial[j];
    for (size_t i = 0; i + 1 < PLAIN_ORDERS; i++)
      difference[i] -= difference[i + 1];
  }
}

/* Polynomial of an output about its newest point, powers of (t - that point)/H. */
static void output_polynomial(const struct plain_simulation *sim, size_t output, int is_new, size_t degree,
                              real *coefficients) {
  const struct plain_memory *memory = &sim->memory;
  real values[PLAIN_ORDERS], back[PLAIN_ORDERS]; /* taylor: derivatives there; else values there and at points before */
  int taylor = sim->method->hold == CS_TAYLOR;
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    values[j] = !is_new            ? memory->history[j][output]
                : taylor || j == 0 ? sim->now[j][output]
                                   : memory->history[j - 1][output];
    back[j] = (!is_new ? memory->back[j] : j == 0 ? 0 : sim->H + memory->back[j - 1]) / sim->H;
  }
  if (taylor) {
    size_t n = output_method(sim, output)->output_order;
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      coefficients[j] = j <= degree && j <= n ? values[j] * pow(sim->H, (real)j) / plain_factorial[j] : 0;
  } else if (sim->method->hold == CS_LAGRANGE) {
    interpolate(values, back, degree, coefficients);
  } else {
    backward_difference(values, back, degree, coefficients);
  }
}

/* p(s) <- p(s - 1) */
static void shift_back(real *coefficients) {
  for (size_t i = 0; i + 1 < PLAIN_ORDERS; i++)
    for (size_t j = PLAIN_ORDERS - 1; j-- > i;)
      coefficients[j] -= coefficients[j + 1];
}

/* Adds up what the connections of an input bring it. */
static void hold_connected(struct plain_simulation *sim, size_t input, const int *is_new) {
  sim->held[0][input] += sim->n.b[input];
  for (size_t l = 0; l < sim->n.outputs; l++) {
    real coefficients[PLAIN_ORDERS];
    output_polynomial(sim, l, is_new[l], input_degree(sim, input, is_new[l]), coefficients);
    if (is_new[l]) shift_back(coefficients);
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      sim->held[j][input] += sim->n.L.at[input][l] * coefficients[j];
  }
}

static void hold_refreshed(struct plain_simulation *sim, size_t input) {
  for (size_t j = 0; j <= input_degree(sim, input, 0); j++)
    sim->held[j][input] = sim->memory.refreshed[j][input] * pow(sim->H, (real)j) / plain_factorial[j];
}

void plain_hold(struct plain_simulation *sim, size_t subsystem, const int *is_new) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  for (size_t i = sub->first_input; i < sub->first_input + sub->inputs; i++) {
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      sim->held[j][i] = 0;
    if (sim->method->feedthrough == CS_REFRESH)
      hold_refreshed(sim, i);
    else
      hold_connected(sim, i, is_new);
  }
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    memset(sim->forcing[j], 0, sizeof sim->forcing[j]);
    plain_multiply_add(&sim->n.B, sim->n.states, sim->n.inputs, sim->held[j], sim->forcing[j]);
  }
  for (size_t i = 0; i < sim->n.states; i++)
    sim->forcing[0][i] += sim->n.e[i];
}

real plain_connect(const struct plain_simulation *sim, size_t input, size_t j, const real *y) {
  real u = j == 0 ? sim->n.b[input] : 0;
  for (size_t l = 0; l < sim->n.outputs; l++)
    if (j <= output_method(sim, l)->output_order) u += sim->n.L.at[input][l] * y[l];
  return u;
}

void plain_remember(const struct plain_simulation *sim, real H, struct plain_memory *memory) {
  memory->points += memory->points < PLAIN_ORDERS;
  if (sim->method->hold == CS_TAYLOR) {
    memcpy(memory->history, sim->now, sizeof memory->history);
    return;
  }
  for (size_t j = PLAIN_ORDERS - 1; j > 0; j--) {
    memcpy(memory->history[j], memory->history[j - 1], sizeof memory->history[j]);
    memory->back[j] = H + memory->back[j - 1];
  }
  memcpy(memory->history[0], sim->now[0], sizeof memory->history[0]);
}

void plain_record(struct plain_simulation *sim) {
  const struct plain_memory *memory = &sim->memory;
  plain_remember(sim, sim->H, &sim->memory);
  for (size_t l = 0; l < sim->n.outputs; l++) {
    real values[PLAIN_ORDERS], back[PLAIN_ORDERS], coefficients[PLAIN_ORDERS];
    size_t degree = plain_output_degree(sim, l);
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      values[j] = memory->history[j][l];
      back[j] = memory->back[j] / sim->H;
      coefficients[j] = j <= degree ? values[j] * pow(sim->H, (real)j) / plain_factorial[j] : 0;
    }
    if (sim->method->hold != CS_TAYLOR) interpolate(values, back, degree, coefficients);
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      sim->recorded[j][l] = coefficients[j];
  }
}
