/* Local errors and Richardson's estimate of them, docs/methods.md section 6. */
#include <criterion/criterion.h>
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
                                   .flow = like->flow,
                                   .context = like->context,
                                   .relaxation = like->relaxation,
                                   .tables = like->tables,
                                   .H = H};
  memcpy(sim->x, like->r, sim->n.states * sizeof *sim->x);
  memcpy(sim->r, like->r, sizeof sim->r);
  plain_start(sim, H, &sim->memory);
  for (int k = 0; k < steps; k++) {
    plain_advance(sim);
    plain_sample(sim);
  }
  memcpy(y, sim->recorded[0], sizeof sim->recorded[0]);
  free(sim);
}

/* Degree that an output's estimate counts with: the smallest that its subsystem receives; if that receives nothing,
 * and for SIZE_MAX, the smallest of all. */
static size_t degree_of(const struct plain_simulation *sim, size_t subsystem) {
  const struct plain_network *n = &sim->n;
  const struct cs_method *method = sim->method;
  size_t degree = SIZE_MAX;
  for (size_t i = 0; i < n->inputs; i++) {
    for (size_t l = 0; l < n->outputs; l++) {
      const size_t to = n->model->input[i].subsystem, held = method->subsystem[to].input_order;
      const size_t sent = method->subsystem[n->model->output[l].subsystem].output_order;
      const size_t m = method->hold == CS_TAYLOR && sent < held ? sent : held;
      if (plain_is_connected(n, i, l) && (subsystem == SIZE_MAX || to == subsystem) && m < degree) degree = m;
    }
  }
  return degree < SIZE_MAX ? degree : subsystem < SIZE_MAX ? degree_of(sim, SIZE_MAX) : 0;
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
      const real m = (real)degree_of(sim, n->model->input[i].subsystem);
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
