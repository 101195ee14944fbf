/* Local errors and Richardson's estimate of them, docs/methods.md section 6. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "plain_step.h"

/* Outputs after `steps` of size H from the exact solution of `like`, with the memory of an exact past. */
static void steps_from_exact(const struct plain_simulation *like, real H, int steps, real *y) {
  struct cs_method method = *like->method;
  struct plain_simulation *sim = calloc(1, sizeof *sim);
  cr_assert(sim != NULL);
  method.start = CS_CONSISTENT;
  *sim = (struct plain_simulation){.n = like->n,
                                   .method = &method,
                                   .sequence = like->sequence,
                                   .tolerance = like->tolerance,
                                   .compensation = like->compensation,
                                   .flow = like->flow,
                                   .context = like->context,
                                   .relaxation = like->relaxation,
                                   .repetition = like->repetition,
                                   .tables = like->tables,
                                   .H = H};
  memcpy(sim->x, like->r, sim->n.states * sizeof *sim->x);
  memcpy(sim->r, like->r, sizeof sim->r);
  memcpy(sim->node, like->node, sizeof sim->node);
  memcpy(sim->weight, like->weight, sizeof sim->weight);
  plain_start(sim, H, &sim->memory);
  for (int k = 0; k < steps; k++) {
    plain_advance(sim);
    plain_sample(sim);
  }
  memcpy(y, sim->recorded[0], sizeof sim->recorded[0]);
  free(sim);
}

/* Degree of what an input holds of an output; -1: nothing. */
static long held_degree(const struct plain_simulation *sim, size_t input, size_t output) {
  const struct cs_model *model = sim->n.model;
  const size_t m = sim->method->subsystem[model->input[input].subsystem].input_order;
  const size_t n = sim->method->subsystem[model->output[output].subsystem].output_order;
  if (!plain_is_connected(&sim->n, input, output)) return -1;
  if (sim->method->hold == CS_WAVEFORM) { /* the order at points but one, as far as repetitions carry it */
    const size_t order = sim->method->nodes == CS_LOBATTO || m < 3 ? 2 * m : 4, n_times = sim->method->iterations;
    return (long)(n_times < order ? n_times : order - 1);
  }
  return (long)(sim->method->hold == CS_TAYLOR && n < m ? n : m);
}

/* The largest degree in an input's polynomial. */
static long degree_of_input(const struct plain_simulation *sim, size_t input) {
  long degree = 0;
  for (size_t l = 0; l < sim->n.outputs; l++)
    degree = (long)fmax((real)degree, (real)held_degree(sim, input, l));
  return degree;
}

/* Degree that an output's estimate counts with: the smallest that its subsystem receives; if that receives nothing,
 * and for SIZE_MAX, the smallest of all. */
static long degree_of(const struct plain_simulation *sim, size_t subsystem) {
  const struct plain_network *n = &sim->n;
  long degree = LONG_MAX;
  for (size_t i = 0; i < n->inputs; i++) {
    for (size_t l = 0; l < n->outputs; l++) {
      const long m = held_degree(sim, i, l);
      const bool own = subsystem == SIZE_MAX || n->model->input[i].subsystem == subsystem;
      if (own && m >= 0 && m < degree) degree = m;
    }
  }
  return degree < LONG_MAX ? degree : subsystem < SIZE_MAX ? degree_of(sim, SIZE_MAX) : 0;
}

/* (2^(p+1) c3^-1 - I)^-1 d as c3 w, (2^(p+1) - c3) w = d. */
static void estimate(const struct plain_simulation *sim, const real *d, real *est) {
  const struct plain_network *n = &sim->n;
  struct plain_matrix c3 = {0}, left = {0};
  real w[PLAIN_MAX] = {0};
  for (size_t l = 0; l < n->outputs; l++) {
    const real scale = pow((real)2, (real)degree_of(sim, n->model->output[l].subsystem) + 1);
    w[l] = d[l];
    c3.at[l][l] = 1;
    for (size_t i = 0; i < n->inputs; i++) {
      const real m = (real)degree_of_input(sim, i);
      for (size_t j = 0; j < n->outputs && sim->method->estimate == CS_ESTIMATE_CORRECTED; j++)
        c3.at[l][j] += n->D.at[l][i] * (m + 1) * n->L.at[i][j];
    }
    for (size_t j = 0; j < n->outputs; j++)
      left.at[l][j] = (l == j ? scale : 0) - c3.at[l][j];
  }
  plain_solve(&left, n->outputs, w);
  memset(est, 0, n->outputs * sizeof *est);
  plain_multiply_add(&c3, n->outputs, n->outputs, w, est);
}

void plain_local(const struct plain_simulation *sim, struct plain_result *part) {
  const struct plain_network *n = &sim->n;
  real r[PLAIN_MAX], fine[PLAIN_MAX], coarse[PLAIN_MAX], exact[PLAIN_MAX] = {0}, d[PLAIN_MAX], est[PLAIN_MAX];
  memcpy(r, sim->r, sizeof r);
  steps_from_exact(sim, sim->H / 2, 2, fine);
  steps_from_exact(sim, sim->H, 1, coarse);
  plain_exact(sim, sim->H, r);
  plain_multiply_add(&n->Y, n->outputs, n->states + 1, r, exact);
  for (size_t l = 0; l < n->outputs; l++)
    d[l] = fine[l] - coarse[l];
  estimate(sim, d, est);
  for (size_t l = 0; l < n->outputs; l++) {
    part->metric[CS_LOCAL_ERROR][l] = (fine[l] - exact[l]) * (fine[l] - exact[l]);
    part->metric[CS_LOCAL_ERROR_ESTIMATE][l] = est[l] * est[l];
  }
}
