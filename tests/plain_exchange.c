#include "plain_step.h"

#include <math.h>
#include <string.h>

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
  size_t m = input_method(sim, input)->input_order, points = is_new ? sim->k : sim->k - 1;
  return sim->method->start == CS_RAMP && m > points ? points : m;
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
    coefficients[j] = difference[0] / plain_factorial[j];
    for (size_t i = 0; i + 1 < PLAIN_ORDERS; i++) {
      difference[i] -= difference[i + 1];
    }
  }
}

/* Polynomial of an output about its newest point, powers of (t - that point)/H. */
static void output_polynomial(const struct plain_simulation *sim, size_t output, int is_new, size_t degree,
                              real *coefficients) {
  real values[PLAIN_ORDERS]; /* taylor: derivatives there; else values there and at the points before */
  int taylor = sim->method->hold == CS_TAYLOR;
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    values[j] = !is_new            ? sim->history[j][output]
                : taylor || j == 0 ? sim->now[j][output]
                                   : sim->history[j - 1][output];
  }
  if (taylor) {
    size_t n = output_method(sim, output)->output_order;
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      coefficients[j] = j <= degree && j <= n ? values[j] * powl(sim->H, (real)j) / plain_factorial[j] : 0;
    }
  } else if (sim->method->hold == CS_LAGRANGE) {
    interpolate(values, degree, coefficients);
  } else {
    backward_difference(values, degree, coefficients);
  }
}

/* p(s) <- p(s - 1) */
static void shift_back(real *coefficients) {
  for (size_t i = 0; i + 1 < PLAIN_ORDERS; i++) {
    for (size_t j = PLAIN_ORDERS - 1; j-- > i;) {
      coefficients[j] -= coefficients[j + 1];
    }
  }
}

/* Adds up what the connections of an input bring it. */
static void hold_connected(struct plain_simulation *sim, size_t input, const int *is_new) {
  sim->held[0][input] += sim->n.b[input];
  for (size_t l = 0; l < sim->n.outputs; l++) {
    real coefficients[PLAIN_ORDERS];
    output_polynomial(sim, l, is_new[l], input_degree(sim, input, is_new[l]), coefficients);
    if (is_new[l]) {
      shift_back(coefficients);
    }
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      sim->held[j][input] += sim->n.L.at[input][l] * coefficients[j];
    }
  }
}

static void hold_refreshed(struct plain_simulation *sim, size_t input) {
  for (size_t j = 0; j <= input_degree(sim, input, 0); j++) {
    sim->held[j][input] = sim->refreshed[j][input] * powl(sim->H, (real)j) / plain_factorial[j];
  }
}

void plain_hold(struct plain_simulation *sim, size_t subsystem, const int *is_new) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  for (size_t i = sub->first_input; i < sub->first_input + sub->inputs; i++) {
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      sim->held[j][i] = 0;
    }
    if (sim->method->feedthrough == CS_REFRESH) {
      hold_refreshed(sim, i);
    } else {
      hold_connected(sim, i, is_new);
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

real plain_connect(const struct plain_simulation *sim, size_t input, size_t j, const real *y) {
  real u = j == 0 ? sim->n.b[input] : 0;
  for (size_t l = 0; l < sim->n.outputs; l++) {
    if (j <= output_method(sim, l)->output_order) {
      u += sim->n.L.at[input][l] * y[l];
    }
  }
  return u;
}

void plain_record(struct plain_simulation *sim) {
  if (sim->method->hold == CS_TAYLOR) {
    memcpy(sim->history, sim->now, sizeof sim->history);
  } else {
    memmove(sim->history[1], sim->history[0], (PLAIN_ORDERS - 1) * sizeof sim->history[0]);
    memcpy(sim->history[0], sim->now[0], sizeof sim->history[0]);
  }
  for (size_t l = 0; l < sim->n.outputs; l++) {
    real values[PLAIN_ORDERS], coefficients[PLAIN_ORDERS];
    size_t degree = plain_output_degree(sim, l);
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      values[j] = sim->history[j][l];
      coefficients[j] = j <= degree ? values[j] * powl(sim->H, (real)j) / plain_factorial[j] : 0;
    }
    if (sim->method->hold != CS_TAYLOR) {
      interpolate(values, degree, coefficients);
    }
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      sim->recorded[j][l] = coefficients[j];
    }
  }
}
