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

/* How many points older than the newest one are those that an input is made from. */
static size_t latency(const struct plain_simulation *sim, size_t input, int is_new) {
  const size_t d = is_new ? 0 : input_method(sim, input)->latency;
  return d < sim->memory.points ? d : sim->memory.points - 1; /* in a ramp T_0 is the oldest */
}

/* Degree of an input's polynomial from an output whose newest point is T_k (`is_new`) or T_{k-1}, cut down while a ramp
 * lasts: through points, with hermite through values and slopes. */
static size_t input_degree(const struct plain_simulation *sim, size_t input, int is_new) {
  const size_t m = input_method(sim, input)->input_order, d = is_new ? 0 : input_method(sim, input)->latency;
  const size_t known = sim->memory.points + (size_t)(is_new != 0);
  if (known <= d) return 0; /* no point is old enough */
  const size_t most = sim->method->hold == CS_HERMITE ? 2 * (known - d) - 1 : known - d - 1;
  return m < most ? m : most;
}

size_t plain_output_degree(const struct plain_simulation *sim, size_t output) {
  const size_t n = output_method(sim, output)->output_order, points = sim->memory.points;
  const size_t most = sim->method->hold == CS_HERMITE ? 2 * points - 1 : points - 1;
  return n < most ? n : most;
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

/* Cubic polynomial through values and slopes (of s) at -back[0], -back[1]: powers of s + back[0], from the conditions
 * at the other point. */
static void cubic(const real *values, const real *slopes, const real *back, real *coefficients) {
  const real w = back[1] - back[0]; /* the other point is at -w */
  const real value = values[1] - values[0] + slopes[0] * w, slope = slopes[1] - slopes[0];
  coefficients[0] = values[0];
  coefficients[1] = slopes[0];
  coefficients[2] = (3 * value + slope * w) / (w * w); /* c2 w^2 - c3 w^3 = value, -2 c2 w + 3 c3 w^2 = slope */
  coefficients[3] = (2 * value + slope * w) / (w * w * w);
}

void plain_polynomial_of(enum cs_hold hold, real H, const struct plain_samples *samples, size_t degree,
                         real *coefficients) {
  real values[PLAIN_ORDERS], back[PLAIN_ORDERS];
  memset(coefficients, 0, PLAIN_ORDERS * sizeof *coefficients);
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    values[j] = samples->sent[j][0];
    back[j] = samples->back[j] - samples->back[0];
  }
  if (hold == CS_LAGRANGE) {
    interpolate(values, back, degree, coefficients);
  } else if (hold == CS_BACKWARD_DIFFERENCE) {
    backward_difference(values, back, degree, coefficients);
  } else if (hold == CS_HERMITE && degree == 3) {
    const real slopes[] = {samples->sent[0][1] * H, samples->sent[1][1] * H};
    cubic(values, slopes, back, coefficients);
  } else {
    for (size_t j = 0; j <= degree; j++)
      coefficients[j] = samples->sent[0][j] * pow(H, (real)j) / plain_factorial[j];
  }
}

void plain_shift(real *coefficients, real a) {
  for (size_t i = 0; i + 1 < PLAIN_ORDERS; i++)
    for (size_t j = PLAIN_ORDERS - 1; j-- > i;)
      coefficients[j] += a * coefficients[j + 1];
}

size_t plain_wave(const struct plain_simulation *sim) {
  return sim->method->hold == CS_WAVEFORM ? sim->method->subsystem[0].input_order : 0;
}

real plain_node(const struct plain_simulation *sim, size_t i) {
  const size_t p = plain_wave(sim);
  if (p < 3 || i % p == 0 || sim->method->nodes == CS_EQUAL) return (real)i / (real)p;
  return (5 + (i == 1 ? -1 : 1) * sqrt((real)5)) / 10;
}

/* Through the value at T_{k-1} and those handed on at the nodes, if these are known. */
static void wave_polynomial(const struct plain_simulation *sim, size_t input, size_t output, int is_new,
                            real *coefficients) {
  real values[PLAIN_ORDERS] = {sim->memory.sent[0][0][output]}, back[PLAIN_ORDERS] = {0};
  for (size_t i = 1; i <= plain_wave(sim); i++) {
    values[i] = sim->handed[input][i - 1][output];
    back[i] = -plain_node(sim, i);
  }
  interpolate(values, back, is_new ? plain_wave(sim) : 0, coefficients);
}

/* The polynomial that fits the points best, from the normal equations. */
static void fitted_polynomial(const struct plain_simulation *sim, size_t input, size_t output, real *coefficients) {
  const struct plain_memory *memory = &sim->memory;
  const size_t n = input_degree(sim, input, 0) + 1;
  real a[PLAIN_ORDERS][PLAIN_ORDERS + 1] = {{0}};
  for (size_t p = 0; p < sim->method->points && p < memory->points; p++) {
    const real s = -memory->back[p] / sim->H, weight = pow(sim->relaxation, (real)p);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++)
        a[i][j] += weight * pow(s, (real)(i + j));
      a[i][n] += weight * pow(s, (real)i) * memory->sent[p][0][output];
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t row = 0; row < n; row++) {
      const real part = row == i ? 0 : a[row][i] / a[i][i];
      for (size_t j = i; j <= n && row != i; j++)
        a[row][j] -= part * a[i][j];
    }
  memset(coefficients, 0, PLAIN_ORDERS * sizeof *coefficients);
  for (size_t i = 0; i < n; i++)
    coefficients[i] = a[i][n] / a[i][i];
}

/* What an output gives to an input in the step, as powers of s. */
static void output_polynomial(const struct plain_simulation *sim, size_t input, size_t output, int is_new,
                              real *coefficients) {
  const struct plain_memory *memory = &sim->memory;
  const size_t late = latency(sim, input, is_new), n = output_method(sim, output)->output_order;
  const int taylor = sim->method->hold == CS_TAYLOR;
  struct plain_samples samples;
  if (plain_wave(sim) > 0) {
    wave_polynomial(sim, input, output, is_new, coefficients);
    return;
  }
  if (cs_method_fits(sim->method)) {
    fitted_polynomial(sim, input, output, coefficients);
    return;
  }
  for (size_t p = 0; p < PLAIN_ORDERS; p++) {
    const size_t at = p + late - (is_new && p > 0);
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      const real sent = is_new && p == 0 ? sim->handed[input][j][output] : memory->sent[at][j][output];
      samples.sent[p][j] = taylor && j > n ? 0 : sent;
    }
    samples.back[p] = is_new && p == 0 ? -1 : memory->back[at] / sim->H;
  }
  plain_polynomial_of(sim->method->hold, sim->H, &samples, input_degree(sim, input, is_new), coefficients);
  if (samples.back[0] != 0) plain_shift(coefficients, samples.back[0]);
}

void plain_hand_on(struct plain_simulation *sim) {
  for (size_t i = 0; i < sim->n.inputs; i++) {
    for (size_t l = 0; l < sim->n.outputs; l++) {
      real p[PLAIN_ORDERS];
      output_polynomial(sim, i, l, 0, p);
      for (size_t j = 0; j < PLAIN_ORDERS; j++) {
        sim->handed[i][j][l] = 0; /* the derivative at s = 1 */
        for (size_t q = j; q < PLAIN_ORDERS && plain_wave(sim) == 0; q++)
          sim->handed[i][j][l] += p[q] * plain_factorial[q] / plain_factorial[q - j] / pow(sim->H, (real)j);
        if (plain_wave(sim) > 0) sim->handed[i][j][l] = p[0];
      }
    }
  }
}

/* Adds up what the connections of an input bring it. */
static void connected(const struct plain_simulation *sim, size_t input, const int *is_new, real *held) {
  held[0] += sim->n.b[input];
  for (size_t l = 0; l < sim->n.outputs; l++) {
    real coefficients[PLAIN_ORDERS];
    if (sim->n.L.at[input][l] == 0) continue;
    output_polynomial(sim, input, l, is_new[l], coefficients);
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      held[j] += sim->n.L.at[input][l] * coefficients[j];
  }
}

void plain_begin_anew(struct plain_simulation *sim) {
  static const int extrapolated[PLAIN_MAX] = {0};
  for (size_t i = 0; i < sim->n.inputs; i++) {
    real held[PLAIN_ORDERS] = {0};
    connected(sim, i, extrapolated, held);
    sim->memory.ended[0][i] = held[0];
    sim->memory.ended[1][i] = held[1] / sim->H;
    sim->memory.lost[i] = 0;
  }
}

/* Continuity: the input goes on with the value, and the slope, that it had. */
static void join(struct plain_simulation *sim, size_t input) {
  const real value = sim->memory.ended[0][input] - sim->held[0][input];
  const real slope = sim->memory.ended[1][input] * sim->H - sim->held[1][input];
  const real fading[2][PLAIN_ORDERS] = {{1, -1, 0, 0}, {1, 0, -3, 2}}, bending[PLAIN_ORDERS] = {0, 1, -2, 1};
  const int smooth = sim->method->continuity == CS_C1;
  for (size_t j = 0; j < PLAIN_ORDERS; j++)
    sim->held[j][input] += value * fading[smooth][j] + (smooth ? slope * bending[j] : 0);
}

static void hold_refreshed(struct plain_simulation *sim, size_t input) {
  for (size_t j = 0; j <= input_degree(sim, input, 0); j++)
    sim->held[j][input] = sim->memory.refreshed[j][input] * pow(sim->H, (real)j) / plain_factorial[j];
}

void plain_hold(struct plain_simulation *sim, size_t subsystem, const int *is_new) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  for (size_t i = sub->first_input; i < sub->first_input + sub->inputs; i++) {
    real held[PLAIN_ORDERS] = {0};
    if (sim->method->feedthrough != CS_REFRESH) connected(sim, i, is_new, held);
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      sim->held[j][i] = held[j];
    if (sim->method->feedthrough == CS_REFRESH) hold_refreshed(sim, i);
    if (sim->method->continuity != CS_JUMPS) join(sim, i);
    const double share = sim->compensation != NULL ? sim->compensation[subsystem] : 0;
    sim->given_back[i] = share > 0 ? share * sim->memory.lost[i] / sim->H : 0;
    sim->held[0][i] += sim->given_back[i];
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
  memory->points += memory->points < PLAIN_PAST;
  for (size_t p = PLAIN_PAST - 1; p > 0; p--) {
    memcpy(memory->sent[p], memory->sent[p - 1], sizeof memory->sent[p]);
    memory->back[p] = H + memory->back[p - 1];
  }
  memcpy(memory->sent[0], sim->now, sizeof memory->sent[0]);
  for (size_t i = 0; i < sim->n.inputs; i++) {
    memory->ended[0][i] = memory->ended[1][i] = 0;
    for (size_t q = PLAIN_ORDERS; q-- > 0;) {
      memory->ended[0][i] += sim->held[q][i];
      memory->ended[1][i] += (real)q * sim->held[q][i] / sim->H;
    }
  }
}

void plain_reconstruct(const struct plain_simulation *sim, size_t output, real *coefficients) {
  const struct plain_memory *memory = &sim->memory;
  const int own = sim->method->hold == CS_TAYLOR || sim->method->hold == CS_HERMITE;
  struct plain_samples samples;
  for (size_t p = 0; p < PLAIN_ORDERS; p++) {
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      samples.sent[p][j] = memory->sent[p][j][output];
    samples.back[p] = memory->back[p] / sim->H;
  }
  plain_polynomial_of(own ? sim->method->hold : CS_LAGRANGE, sim->H, &samples, plain_output_degree(sim, output),
                      coefficients);
}

void plain_record(struct plain_simulation *sim) {
  plain_remember(sim, sim->H, &sim->memory);
  if (cs_method_compensates(sim->n.model, sim->method)) plain_lost(sim, sim->memory.lost);
  for (size_t l = 0; l < sim->n.outputs; l++) {
    real coefficients[PLAIN_ORDERS];
    plain_reconstruct(sim, l, coefficients);
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      sim->recorded[j][l] = coefficients[j];
  }
}
