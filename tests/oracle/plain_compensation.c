/* What inputs lack over a step and are given back in the next one, docs/methods.md section 3. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "plain_step.h"

/* Adds weight times L y + b - p at s, y the outputs inside the step. */
static void add_lack(struct plain_simulation *sim, real s, real weight, real *lost) {
  const struct plain_network *n = &sim->n;
  real x[PLAIN_MAX], slope[PLAIN_MAX], u[PLAIN_MAX], y[PLAIN_MAX], received[PLAIN_MAX];
  plain_states(sim, s, x, slope);
  plain_held(sim, s, u);
  memcpy(y, n->f, sizeof y);
  plain_multiply_add(&n->C, n->outputs, n->states, x, y);
  plain_multiply_add(&n->D, n->outputs, n->inputs, u, y);
  memcpy(received, n->b, sizeof received);
  plain_multiply_add(&n->L, n->inputs, n->outputs, y, received);
  for (size_t i = 0; i < n->inputs; i++)
    lost[i] += weight * (received[i] - (u[i] - sim->given_back[i]));
}

void plain_lost(struct plain_simulation *sim, real *lost) {
  size_t count;
  real *breaks = plain_breaks(sim, &count);
  memset(lost, 0, PLAIN_MAX * sizeof *lost);
  for (size_t i = 1; i < count; i++) {
    const real width = breaks[i] - breaks[i - 1];
    for (size_t q = 0; q < PLAIN_NODES && width > 0; q++)
      add_lack(sim, breaks[i - 1] + width * sim->node[q], width * sim->weight[q] * sim->H, lost);
  }
  free(breaks);
}

void plain_lost_before(const struct plain_simulation *sim, real spacing, real *lost) {
  static const int extrapolated[PLAIN_MAX] = {0};
  enum { PIECES = 16 };
  struct plain_simulation *past = malloc(sizeof *past);
  cr_assert(past != NULL);
  *past = *sim;
  past->compensation = NULL; /* there is none before */
  past->H = spacing;
  plain_exact(sim, -spacing, past->r);
  plain_start(past, spacing, &past->memory);
  for (size_t i = 0; i < sim->n.model->subsystems; i++)
    plain_hold(past, i, extrapolated);
  memset(lost, 0, PLAIN_MAX * sizeof *lost);
  for (size_t q = 0; q < PIECES * PLAIN_NODES; q++) {
    const real s = ((real)(q / PLAIN_NODES) + past->node[q % PLAIN_NODES]) / PIECES;
    real r[PLAIN_MAX], u[PLAIN_MAX] = {0}, held[PLAIN_MAX];
    memcpy(r, past->r, sizeof r);
    plain_exact(past, s * spacing, r);
    plain_multiply_add(&past->n.U, past->n.inputs, past->n.states + 1, r, u);
    plain_held(past, s, held);
    for (size_t i = 0; i < past->n.inputs; i++)
      lost[i] += past->weight[q % PLAIN_NODES] / PIECES * spacing * (u[i] - held[i]);
  }
  free(past);
}
