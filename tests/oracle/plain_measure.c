#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "plain_rates.h"

/* ---- over a step, docs/methods.md section 6 */

/* Values at one instant of the step. */
struct instant {
  real x[PLAIN_MAX], derivative[PLAIN_MAX], u[PLAIN_MAX], y[PLAIN_MAX]; /* x~, x~', u~, y~ */
  real g[PLAIN_MAX], f[PLAIN_MAX], connected[PLAIN_MAX];                /* g(x~, u~), f(x~, u~), L y~ + b */
  real exact_x[PLAIN_MAX], exact_u[PLAIN_MAX], exact_y[PLAIN_MAX];
};

static void look_at_exact(const struct plain_simulation *sim, real s, struct instant *at) {
  const struct plain_network *n = &sim->n;
  real r[PLAIN_MAX] = {0};
  memcpy(r, sim->r, (n->states + 1) * sizeof *r);
  plain_exact(sim, s * sim->H, r);
  memcpy(at->exact_x, r, n->states * sizeof *r);
  plain_multiply_add(&n->U, n->inputs, n->states + 1, r, at->exact_u);
  plain_multiply_add(&n->Y, n->outputs, n->states + 1, r, at->exact_y);
}

/* With rates, what is known at the end of the step. */
static void look_at_end(const struct plain_simulation *sim, struct instant *at) {
  memcpy(at->x, sim->x, sizeof at->x);
  memcpy(at->y, sim->memory.sent[0][0], sizeof at->y);
  plain_rates_inputs(sim, at->u);
}

static void look(struct plain_simulation *sim, real s, struct instant *at) {
  const struct plain_network *n = &sim->n;
  memset(at, 0, sizeof *at);
  look_at_exact(sim, s, at);
  if (sim->rates != NULL) {
    look_at_end(sim, at);
    return;
  }
  plain_states(sim, s, at->x, at->derivative);
  plain_held(sim, s, at->u);
  for (size_t l = 0; l < n->outputs; l++)
    at->y[l] = plain_polynomial(sim->recorded, l, s - 1);
  memcpy(at->g, n->f, sizeof at->g);
  plain_multiply_add(&n->C, n->outputs, n->states, at->x, at->g);
  plain_multiply_add(&n->D, n->outputs, n->inputs, at->u, at->g);
  memcpy(at->f, n->e, sizeof at->f);
  plain_multiply_add(&n->A, n->states, n->states, at->x, at->f);
  plain_multiply_add(&n->B, n->states, n->inputs, at->u, at->f);
  memcpy(at->connected, n->b, sizeof at->connected);
  plain_multiply_add(&n->L, n->inputs, n->outputs, at->y, at->connected);
}

static void add_squares(real weight, const real *a, const real *b, size_t count, real *sum) {
  for (size_t i = 0; i < count; i++)
    sum[i] += weight * (a[i] - b[i]) * (a[i] - b[i]);
}

static void raise_to(const real *value, size_t count, real *most) {
  for (size_t i = 0; i < count; i++)
    most[i] = fmax(most[i], fabs(value[i]));
}

static void add_sizes(const struct plain_matrix *matrix, size_t rows, size_t columns, const real *x, double *sum) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      sum[i] += fabs((double)matrix->at[i][j] * (double)x[j]);
}

static void add_terms(real weight, const double *terms, const real *a, const real *b, size_t count, real *sum) {
  for (size_t i = 0; i < count; i++) {
    const double size = terms[i] + (double)fabs(a[i]) + (double)fabs(b[i]);
    sum[i] += weight * size * size;
  }
}

/* The terms of the polynomial that an input holds. */
static void measure_held(const struct plain_simulation *sim, real s, real weight, struct plain_result *part) {
  for (size_t q = 0; q < sim->n.inputs; q++) {
    real size = 0, power = 1;
    for (size_t j = 0; j < PLAIN_ORDERS; j++, power *= s)
      size += fabs(sim->held[j][q]) * power;
    part->input_held[q] += weight * size * size;
  }
}

static void measure_terms(const struct plain_network *n, const struct instant *at, real weight,
                          struct plain_result *part) {
  double output[PLAIN_MAX] = {0}, input[PLAIN_MAX] = {0}, slope[PLAIN_MAX] = {0};
  add_sizes(&n->C, n->outputs, n->states, at->x, output);
  add_sizes(&n->D, n->outputs, n->inputs, at->u, output);
  add_sizes(&n->L, n->inputs, n->outputs, at->y, input);
  add_sizes(&n->A, n->states, n->states, at->x, slope);
  add_sizes(&n->B, n->states, n->inputs, at->u, slope);
  add_terms(weight, output, at->y, n->f, n->outputs, part->output_terms);
  add_terms(weight, input, at->u, n->b, n->inputs, part->input_terms);
  add_terms(weight, slope, at->derivative, n->e, n->states, part->slope_terms);
}

void plain_quadrature(real *node, real *weight) {
  for (int i = 0; i < PLAIN_NODES; i++) {
    real x = cos(acos((real)-1) * (i + 0.75L) / (PLAIN_NODES + 0.5L)), slope = 0;
    for (int iteration = 0; iteration < 20; iteration++) {
      real p0 = 1, p1 = x;
      for (int k = 2; k <= PLAIN_NODES; k++) {
        real p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1;
        p1 = p2;
      }
      slope = PLAIN_NODES * (x * p1 - p0) / (x * x - 1);
      x -= p1 / slope;
    }
    node[i] = (x + 1) / 2;
    weight[i] = 1 / ((1 - x * x) * slope * slope);
  }
}

/* omega(t)/omega(T_k - H/2): the shape of the estimated output defect. */
static real defect_shape(const struct plain_simulation *sim, size_t output, real s) {
  const enum cs_hold hold = sim->method->hold;
  real shape = 1;
  for (size_t j = 0; j <= plain_output_degree(sim, output); j++) {
    const real node = hold == CS_TAYLOR ? 1 : 1 - sim->memory.back[hold == CS_HERMITE ? j / 2 : j] / sim->H;
    shape *= (s - node) / (0.5L - node);
  }
  return shape;
}

/* Power that the coupling feeds into bonds. */
static void measure_bonds(const struct plain_simulation *sim, const struct instant *at, real weight,
                          struct plain_result *part) {
  for (size_t i = 0; i < sim->bonds->bonds; i++) {
    const struct cs_bond *bond = &sim->bonds->bond[i];
    const real a = at->u[bond->input[0]] * at->g[bond->output[0]], b = at->u[bond->input[1]] * at->g[bond->output[1]];
    part->metric[CS_BOND_ENERGY][i] += weight * (a + bond->sign * b);
    part->bond_terms[i] += weight * (fabs(a) + fabs(bond->sign * b));
  }
}

static void measure_defects(struct plain_simulation *sim, const struct instant *middle, const struct instant *at,
                            real s, real w, struct plain_result *part) {
  const struct plain_network *n = &sim->n;
  for (size_t l = 0; l < n->outputs; l++) {
    real defect = (middle->g[l] - middle->y[l]) * defect_shape(sim, l, s);
    part->metric[CS_OUTPUT_DEFECT][l] += w * defect * defect;
  }
  add_squares(w, at->y, at->g, n->outputs, part->metric[CS_OUTPUT_DEFECT_TRUE]);
  add_squares(w, at->u, at->connected, n->inputs, part->metric[CS_CONNECTION_DEFECT]);
  add_squares(w, at->derivative, at->f, n->states, part->metric[CS_INTEGRATION_DEFECT]);
  measure_terms(n, at, w, part);
  measure_held(sim, s, w, part);
  measure_bonds(sim, at, w, part);
}

/* Means of squares over the step; with rates of the exact solution alone. */
static void measure_inside(struct plain_simulation *sim, struct plain_result *part) {
  const struct plain_network *n = &sim->n;
  int points = sim->method->error_at == CS_POINTS;
  size_t breaks;
  real *at_break = plain_breaks(sim, &breaks);
  struct instant middle, at;
  look(sim, 0.5L, &middle);
  for (size_t q = 0; q < PLAIN_NODES * (breaks - 1); q++) {
    const real *piece = &at_break[q / PLAIN_NODES], width = piece[1] - piece[0];
    real s = piece[0] + width * sim->node[q % PLAIN_NODES], w = width * sim->weight[q % PLAIN_NODES];
    static const real zero[PLAIN_MAX];
    if (width < 1e-15L) continue;
    look(sim, s, &at);
    if (sim->rates == NULL) measure_defects(sim, &middle, &at, s, w, part);
    add_squares(points ? 0 : w, at.y, at.exact_y, n->outputs, part->metric[CS_OUTPUT_ERROR]);
    add_squares(points ? 0 : w, at.u, at.exact_u, n->inputs, part->metric[CS_INPUT_ERROR]);
    add_squares(points ? 0 : w, at.x, at.exact_x, n->states, part->metric[CS_STATE_ERROR]);
    add_squares(w, at.exact_y, zero, n->outputs, part->output_rms);
    add_squares(w, at.exact_u, zero, n->inputs, part->input_rms);
    add_squares(w, at.exact_x, zero, n->states, part->state_rms);
    raise_to(at.exact_y, n->outputs, part->output_most);
    raise_to(at.exact_u, n->inputs, part->input_most);
    raise_to(at.exact_x, n->states, part->state_most);
  }
  free(at_break);
}

/* Errors at the end of the step, and where it counts alone their squares. */
static void measure_end(struct plain_simulation *sim, const struct instant *at, struct plain_result *part) {
  const struct plain_network *n = &sim->n;
  const struct {
    enum cs_metric max, final, rms;
    size_t count;
    const real *value, *exact;
  } kinds[] = {
      {CS_OUTPUT_ERROR_MAX, CS_OUTPUT_ERROR_FINAL, CS_OUTPUT_ERROR, n->outputs, at->y, at->exact_y},
      {CS_INPUT_ERROR_MAX, CS_INPUT_ERROR_FINAL, CS_INPUT_ERROR, n->inputs, at->u, at->exact_u},
      {CS_STATE_ERROR_MAX, CS_STATE_ERROR_FINAL, CS_STATE_ERROR, n->states, at->x, at->exact_x},
  };
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    for (size_t i = 0; i < kinds[kind].count; i++) {
      real error = fabs(kinds[kind].value[i] - kinds[kind].exact[i]);
      part->metric[kinds[kind].max][i] = part->metric[kinds[kind].final][i] = error;
      if (sim->method->error_at == CS_POINTS) part->metric[kinds[kind].rms][i] = error * error;
    }
  }
}

static void add_monitors(const struct plain_network *n, const real *x, const real *u, const real *y, real *value) {
  for (size_t i = 0; i < n->monitors; i++)
    value[i] += n->mc[i];
  plain_multiply_add(&n->MX, n->monitors, n->states, x, value);
  plain_multiply_add(&n->MU, n->monitors, n->inputs, u, value);
  plain_multiply_add(&n->MY, n->monitors, n->outputs, y, value);
}

/* Monitors, and what the course of a flow predicts for them (Kyllingstad (37)): the flow as it was sent at the start
 * of the step against its value at the end. */
static void measure_monitors(struct plain_simulation *sim, const struct instant *at, const real *sent,
                             struct plain_result *part) {
  const struct plain_network *n = &sim->n;
  real value[PLAIN_MAX] = {0};
  add_monitors(n, at->x, at->u, at->y, value);
  for (size_t i = 0; i < n->monitors; i++) {
    long flow = n->model->monitor[i].flow;
    part->metric[CS_MONITOR_MAX][i] = fabs(value[i]);
    part->metric[CS_MONITOR_RMS][i] = value[i] * value[i];
    part->metric[CS_MONITOR_FINAL][i] = value[i];
    part->metric[CS_MONITOR_PREDICTED][i] = flow < 0 ? NAN : -(at->y[flow] - sent[flow]) * sim->H / 2;
  }
}

void plain_measure(struct plain_simulation *sim, int inside, const real *sent, struct plain_result *part) {
  struct instant at;
  memset(part, 0, sizeof *part);
  if (inside) measure_inside(sim, part);
  look(sim, 1, &at);
  measure_end(sim, &at, part);
  measure_monitors(sim, &at, sent, part);
  if (sim->local) plain_local(sim, part);
}

/* ---- over a run */

void plain_measure_start(const struct plain_simulation *sim, struct plain_result *result) {
  const struct plain_network *n = &sim->n;
  real u[PLAIN_MAX] = {0}, y[PLAIN_MAX] = {0}, value[PLAIN_MAX] = {0};
  plain_multiply_add(&n->U, n->inputs, n->states + 1, sim->r, u);
  plain_multiply_add(&n->Y, n->outputs, n->states + 1, sim->r, y);
  add_monitors(n, sim->x, u, y, value);
  for (size_t i = 0; i < n->monitors; i++)
    result->metric[CS_MONITOR_MAX][i] = fabs(value[i]);
}

static const enum cs_metric squares[] = {
    CS_OUTPUT_DEFECT, CS_OUTPUT_DEFECT_TRUE, CS_CONNECTION_DEFECT, CS_INTEGRATION_DEFECT, CS_OUTPUT_ERROR,
    CS_INPUT_ERROR,   CS_STATE_ERROR,        CS_MONITOR_RMS,       CS_LOCAL_ERROR,        CS_LOCAL_ERROR_ESTIMATE};
static const enum cs_metric maxima[] = {CS_OUTPUT_ERROR_MAX, CS_INPUT_ERROR_MAX, CS_STATE_ERROR_MAX, CS_MONITOR_MAX};
static const enum cs_metric finals[] = {CS_OUTPUT_ERROR_FINAL, CS_INPUT_ERROR_FINAL, CS_STATE_ERROR_FINAL,
                                        CS_MONITOR_FINAL};

void plain_add_measures(const struct plain_result *part, real H, struct plain_result *result) {
  for (size_t q = 0; q < PLAIN_MAX; q++) {
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
      result->metric[squares[i]][q] += H * part->metric[squares[i]][q];
    for (size_t i = 0; i < sizeof maxima / sizeof *maxima; i++) {
      real *max = &result->metric[maxima[i]][q];
      *max = fmax(*max, part->metric[maxima[i]][q]);
    }
    for (size_t i = 0; i < sizeof finals / sizeof *finals; i++)
      result->metric[finals[i]][q] = part->metric[finals[i]][q];
    result->metric[CS_MONITOR_PREDICTED][q] += part->metric[CS_MONITOR_PREDICTED][q];
    result->output_most[q] = fmax(result->output_most[q], part->output_most[q]);
    result->input_most[q] = fmax(result->input_most[q], part->input_most[q]);
    result->state_most[q] = fmax(result->state_most[q], part->state_most[q]);
    result->output_rms[q] += H * part->output_rms[q];
    result->input_rms[q] += H * part->input_rms[q];
    result->state_rms[q] += H * part->state_rms[q];
    result->output_terms[q] += H * part->output_terms[q];
    result->input_terms[q] += H * part->input_terms[q];
    result->input_held[q] += H * part->input_held[q];
    result->slope_terms[q] += H * part->slope_terms[q];
    result->bond_terms[q] += H * part->bond_terms[q];
    result->metric[CS_BOND_ENERGY][q] += H * part->metric[CS_BOND_ENERGY][q];
  }
}

static void take_root(real *values, real time) {
  for (size_t i = 0; i < PLAIN_MAX; i++)
    values[i] = sqrt(values[i] / time);
}

void plain_finish_measures(const struct plain_simulation *sim, real time, struct plain_result *result) {
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
    take_root(result->metric[squares[i]], time);
  take_root(result->output_rms, time);
  take_root(result->input_rms, time);
  take_root(result->state_rms, time);
  take_root(result->output_terms, time);
  take_root(result->input_terms, time);
  take_root(result->input_held, time);
  take_root(result->slope_terms, time);
  memcpy(result->state, sim->x, sizeof sim->x);
}
