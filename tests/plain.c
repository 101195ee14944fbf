#include "plain.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plain_step.h"

enum { NODES = 12 };

/* ---- measures, docs/methods.md section 6 */

/* Values at one instant of the step. */
struct instant {
  real x[PLAIN_MAX], derivative[PLAIN_MAX], u[PLAIN_MAX], y[PLAIN_MAX]; /* x~, x~', u~, y~ */
  real g[PLAIN_MAX], f[PLAIN_MAX], connected[PLAIN_MAX];                /* g(x~, u~), f(x~, u~), L y~ + b */
  real exact_x[PLAIN_MAX], exact_u[PLAIN_MAX], exact_y[PLAIN_MAX];
};

static void look(struct plain_simulation *sim, real s, struct instant *at) {
  const struct plain_network *n = &sim->n;
  memset(at, 0, sizeof *at);
  plain_states(sim, s, at->x, at->derivative);
  plain_held(sim, s, at->u);
  for (size_t l = 0; l < n->outputs; l++) {
    at->y[l] = plain_polynomial(sim->recorded, l, s - 1);
  }
  memcpy(at->g, n->f, sizeof at->g);
  plain_multiply_add(&n->C, n->outputs, n->states, at->x, at->g);
  plain_multiply_add(&n->D, n->outputs, n->inputs, at->u, at->g);
  memcpy(at->f, n->e, sizeof at->f);
  plain_multiply_add(&n->A, n->states, n->states, at->x, at->f);
  plain_multiply_add(&n->B, n->states, n->inputs, at->u, at->f);
  memcpy(at->connected, n->b, sizeof at->connected);
  plain_multiply_add(&n->L, n->inputs, n->outputs, at->y, at->connected);
  real r[PLAIN_MAX] = {0};
  memcpy(r, sim->r, (n->states + 1) * sizeof *r);
  plain_flow(&n->M, n->states + 1, s * sim->H, r);
  memcpy(at->exact_x, r, n->states * sizeof *r);
  plain_multiply_add(&n->U, n->inputs, n->states + 1, r, at->exact_u);
  plain_multiply_add(&n->Y, n->outputs, n->states + 1, r, at->exact_y);
}

static void add_squares(real weight, const real *a, const real *b, size_t count, real *sum) {
  for (size_t i = 0; i < count; i++) {
    sum[i] += weight * (a[i] - b[i]) * (a[i] - b[i]);
  }
}

/* Nodes and weights of Gauss-Legendre quadrature on [0, 1], by Newton's method. */
static void gauss_legendre(real *node, real *weight) {
  for (int i = 0; i < NODES; i++) {
    real x = cosl(acosl(-1) * (i + 0.75L) / (NODES + 0.5L)), slope = 0;
    for (int iteration = 0; iteration < 20; iteration++) {
      real p0 = 1, p1 = x;
      for (int k = 2; k <= NODES; k++) {
        real p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1;
        p1 = p2;
      }
      slope = NODES * (x * p1 - p0) / (x * x - 1);
      x -= p1 / slope;
    }
    node[i] = (x + 1) / 2;
    weight[i] = 1 / ((1 - x * x) * slope * slope);
  }
}

/* omega(t)/omega(T_k - H/2): the shape of the estimated output defect. */
static real defect_shape(const struct plain_simulation *sim, size_t output, real s) {
  real shape = 1;
  for (size_t j = 0; j <= plain_output_degree(sim, output); j++) {
    real node = sim->method->hold == CS_TAYLOR ? 1 : 1 - (real)j;
    shape *= (s - node) / (0.5L - node);
  }
  return shape;
}

static void measure_step(struct plain_simulation *sim, size_t pieces, struct plain_result *result) {
  const struct plain_network *n = &sim->n;
  int points = sim->method->error_at == CS_POINTS;
  real node[NODES], weight[NODES];
  struct instant middle, at;
  gauss_legendre(node, weight);
  look(sim, 0.5L, &middle);
  for (size_t q = 0; q < NODES * pieces; q++) {
    real s = (node[q % NODES] + (real)(q / NODES)) / (real)pieces, w = weight[q % NODES] / (real)pieces;
    static const real zero[PLAIN_MAX];
    look(sim, s, &at);
    for (size_t l = 0; l < n->outputs; l++) {
      real defect = (middle.g[l] - middle.y[l]) * defect_shape(sim, l, s);
      result->metric[CS_OUTPUT_DEFECT][l] += w * defect * defect;
    }
    add_squares(w, at.y, at.g, n->outputs, result->metric[CS_OUTPUT_DEFECT_TRUE]);
    add_squares(w, at.u, at.connected, n->inputs, result->metric[CS_CONNECTION_DEFECT]);
    add_squares(w, at.derivative, at.f, n->states, result->metric[CS_INTEGRATION_DEFECT]);
    add_squares(points ? 0 : w, at.y, at.exact_y, n->outputs, result->metric[CS_OUTPUT_ERROR]);
    add_squares(points ? 0 : w, at.u, at.exact_u, n->inputs, result->metric[CS_INPUT_ERROR]);
    add_squares(points ? 0 : w, at.x, at.exact_x, n->states, result->metric[CS_STATE_ERROR]);
    add_squares(w, at.exact_y, zero, n->outputs, result->output_rms);
    add_squares(w, at.exact_u, zero, n->inputs, result->input_rms);
    add_squares(w, at.exact_x, zero, n->states, result->state_rms);
  }
  look(sim, 1, &at);
  add_squares(points, at.y, at.exact_y, n->outputs, result->metric[CS_OUTPUT_ERROR]);
  add_squares(points, at.u, at.exact_u, n->inputs, result->metric[CS_INPUT_ERROR]);
  add_squares(points, at.x, at.exact_x, n->states, result->metric[CS_STATE_ERROR]);
}

static void measure_end(struct plain_simulation *sim, struct plain_result *result) {
  const struct plain_network *n = &sim->n;
  struct instant at;
  look(sim, 1, &at);
  const struct {
    enum cs_metric max, final;
    size_t count;
    const real *value, *exact;
  } kinds[] = {{CS_OUTPUT_ERROR_MAX, CS_OUTPUT_ERROR_FINAL, n->outputs, at.y, at.exact_y},
               {CS_INPUT_ERROR_MAX, CS_INPUT_ERROR_FINAL, n->inputs, at.u, at.exact_u},
               {CS_STATE_ERROR_MAX, CS_STATE_ERROR_FINAL, n->states, at.x, at.exact_x}};
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    for (size_t i = 0; i < kinds[kind].count; i++) {
      real error = fabsl(kinds[kind].value[i] - kinds[kind].exact[i]);
      real *max = &result->metric[kinds[kind].max][i];
      *max = fmaxl(*max, error);
      result->metric[kinds[kind].final][i] = error;
    }
  }
}

static void measure_monitors(struct plain_simulation *sim, struct plain_result *result) {
  const struct plain_network *n = &sim->n;
  struct instant at;
  real value[PLAIN_MAX] = {0};
  look(sim, 1, &at);
  plain_multiply_add(&n->MX, n->monitors, n->states, at.x, value);
  plain_multiply_add(&n->MU, n->monitors, n->inputs, at.u, value);
  plain_multiply_add(&n->MY, n->monitors, n->outputs, at.y, value);
  for (size_t i = 0; i < n->monitors; i++) {
    real *max = &result->metric[CS_MONITOR_MAX][i];
    *max = fmaxl(*max, fabsl(value[i]));
    result->metric[CS_MONITOR_RMS][i] += value[i] * value[i];
    result->metric[CS_MONITOR_FINAL][i] = value[i];
  }
}

static void take_root(real *values, size_t steps) {
  for (size_t i = 0; i < PLAIN_MAX; i++) {
    values[i] = sqrtl(values[i] / (real)steps);
  }
}

static void finish(struct plain_simulation *sim, struct plain_result *result) {
  static const enum cs_metric rms[] = {CS_OUTPUT_DEFECT,      CS_OUTPUT_DEFECT_TRUE, CS_CONNECTION_DEFECT,
                                       CS_INTEGRATION_DEFECT, CS_OUTPUT_ERROR,       CS_INPUT_ERROR,
                                       CS_STATE_ERROR,        CS_MONITOR_RMS};
  for (size_t i = 0; i < sizeof rms / sizeof *rms; i++) {
    take_root(result->metric[rms[i]], result->steps);
  }
  take_root(result->output_rms, result->steps);
  take_root(result->input_rms, result->steps);
  take_root(result->state_rms, result->steps);
  memcpy(result->state, sim->x, sizeof sim->x);
}

/* ---- the run */

static void open_simulation(struct plain_simulation *sim, const struct cs_sweep *sweep,
                            const struct cs_settings *settings) {
  struct cs_error error;
  double parameters[64];
  cr_assert_leq(sweep->model->parameters, 64);
  cr_assert_eq(cs_model_parameters(sweep->model, settings->parameters, settings->given, parameters, &error), CS_OK);
  plain_network_read(sweep->model, parameters, &sim->n);
  sim->method = &settings->method;
  sim->sequence =
      settings->method.master == CS_GAUSS_SEIDEL ? sweep->masters->sequence[settings->method.sequence] : NULL;
  sim->H = settings->step_size;
  memcpy(sim->x, sim->n.x0, sizeof sim->x);
  memcpy(sim->r, sim->n.x0, sizeof sim->r);
  sim->r[sim->n.states] = 1;
  plain_start(sim);
}

static void step(struct plain_simulation *sim, struct plain_result *result) {
  size_t pieces = 1;
  for (size_t i = 0; i < sim->n.model->subsystems; i++) {
    size_t micro_steps = sim->method->subsystem[i].micro_steps;
    pieces = micro_steps > pieces ? micro_steps : pieces;
  }
  plain_advance(sim);
  plain_sample(sim);
  measure_step(sim, pieces, result);
  measure_end(sim, result);
  measure_monitors(sim, result);
  plain_flow(&sim->n.M, sim->n.states + 1, sim->H, sim->r);
}

void plain_run(const struct cs_sweep *sweep, size_t run, plain_flow_fn *flow, void *context,
               struct plain_result *result) {
  struct cs_error error;
  struct cs_settings settings;
  struct plain_simulation *sim = calloc(1, sizeof *sim);
  cr_assert(sim != NULL && cs_settings_new(sweep, &settings, &error) == CS_OK);
  cs_sweep_settings(sweep, run, &settings);
  memset(result, 0, sizeof *result);
  sim->flow = flow != NULL ? flow : plain_exact_flow;
  sim->context = context;
  open_simulation(sim, sweep, &settings);
  result->steps = (size_t)ceil(settings.t_end / settings.step_size * (1 - 1e-9));
  for (sim->k = 1; sim->k <= result->steps; sim->k++) {
    step(sim, result);
  }
  finish(sim, result);
  cs_settings_free(&settings);
  free(sim);
}
