#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "plain_course.h"
#include "plain_vary.h"

void plain_measured_step(struct plain_simulation *sim, real h, int inside, struct plain_result *part) {
  real sent[PLAIN_MAX];
  memcpy(sent, sim->memory.sent[0][0], sizeof sent);
  sim->H = h;
  plain_advance(sim);
  plain_sample(sim);
  if (sim->course != NULL && plain_course_look(sim)) return;
  plain_measure(sim, inside, sent, part);
  if (sim->course != NULL) plain_course_measure(sim);
  plain_exact(sim, h, sim->r);
}

/* Whether a subsystem has what another has sent at T_k when its step is done for the last time. */
static int is_new(const struct plain_simulation *sim, size_t to, size_t from) {
  size_t place[2] = {0};
  if (sim->sequence == NULL || cs_method_repetitions(sim->method) > 0) return cs_method_repetitions(sim->method) > 0;
  while (sim->sequence[place[0]] != to)
    place[0]++;
  while (sim->sequence[place[1]] != from)
    place[1]++;
  return place[1] < place[0];
}

/* The smallest degree of what any connection holds in the whole step; 0 if there are none. */
static size_t degree_in_use(const struct plain_simulation *sim, const struct plain_memory *macro) {
  const struct cs_model *model = sim->n.model;
  size_t degree = SIZE_MAX;
  for (size_t i = 0; i < model->inputs; i++) {
    for (size_t l = 0; l < model->outputs; l++) {
      const size_t to = model->input[i].subsystem, from = model->output[l].subsystem;
      const size_t points = macro->points + (size_t)is_new(sim, to, from);
      const size_t most = sim->method->hold == CS_HERMITE ? 2 * points - 1 : points - 1;
      size_t m = sim->method->subsystem[to].input_order, n = sim->method->subsystem[from].output_order;
      m = sim->method->hold == CS_TAYLOR && n < m ? n : m;
      m = most < m ? most : m;
      degree = plain_is_connected(&sim->n, i, l) && m < degree ? m : degree;
    }
  }
  return degree == SIZE_MAX ? 0 : degree;
}

/* d <- d/(2^(p+1) - 1), or (2^(p+1) c^-1 - I)^-1 d with c = I + (p+1) D L, which is (2^(p+1) I - c)^-1 c d. */
static void estimate(const struct plain_simulation *sim, size_t p, real *d) {
  const struct plain_network *n = &sim->n;
  const real power = pow(2, (real)p + 1);
  if (sim->method->estimate == CS_ESTIMATE_PLAIN) {
    for (size_t i = 0; i < n->outputs; i++)
      d[i] /= power - 1;
    return;
  }
  struct plain_matrix c = {{{0}}};
  real right[PLAIN_MAX] = {0};
  for (size_t i = 0; i < n->outputs; i++) {
    for (size_t j = 0; j < n->outputs; j++) {
      c.at[i][j] = i == j;
      for (size_t q = 0; q < n->inputs; q++)
        c.at[i][j] += (real)(p + 1) * n->D.at[i][q] * n->L.at[q][j];
    }
  }
  plain_multiply_add(&c, n->outputs, n->outputs, d, right);
  for (size_t i = 0; i < n->outputs; i++)
    for (size_t j = 0; j < n->outputs; j++)
      c.at[i][j] = (i == j) * power - c.at[i][j];
  memcpy(d, right, sizeof right);
  plain_solve(&c, n->outputs, d);
}

/* Andersson (3.72) as printed, the root of the mean of the ratios, or the root of the mean of their squares. */
static real norm_of(const struct plain_simulation *sim, const struct cs_settings *settings, const real *d,
                    const real *y) {
  real sum = 0;
  for (size_t i = 0; i < sim->n.outputs; i++) {
    real ratio = fabs(d[i]) / (settings->control[CS_CONTROL_ATOL] + settings->control[CS_CONTROL_RTOL] * fabs(y[i]));
    sum += sim->method->norm == CS_NORM_THESIS ? ratio : ratio * ratio;
  }
  return sqrt(sum / (real)sim->n.outputs);
}

size_t plain_richardson(struct plain_simulation *sim, const struct cs_settings *settings, real h, int inside,
                        struct plain_memory *macro, struct plain_result *part, real *error, int *accepted) {
  const struct plain_memory micro = sim->memory;
  const size_t p = degree_in_use(sim, macro);
  real x[PLAIN_MAX], r[PLAIN_MAX], d[PLAIN_MAX], lost[PLAIN_MAX] = {0};
  memcpy(x, sim->x, sizeof x);
  memcpy(r, sim->r, sizeof r);
  sim->memory = *macro;
  sim->H = h;
  plain_advance(sim);
  memcpy(d, sim->now[0], sizeof d);
  if (cs_method_compensates(sim->n.model, sim->method)) plain_lost(sim, lost);
  sim->memory = micro;
  plain_measured_step(sim, h / 2, inside, &part[0]);
  plain_measured_step(sim, h / 2, inside, &part[1]);
  for (size_t i = 0; i < sim->n.outputs; i++)
    d[i] = sim->now[0][i] - d[i];
  estimate(sim, p, d);
  *error = norm_of(sim, settings, d, sim->now[0]);
  *accepted = *error < settings->control[CS_CONTROL_ACCEPT];
  if (*accepted) {
    plain_remember(sim, h, macro);
    memcpy(macro->refreshed, sim->memory.refreshed, sizeof macro->refreshed);
    memcpy(macro->lost, lost, sizeof lost);
  } else {
    sim->memory = micro;
    memcpy(sim->x, x, sizeof x);
    memcpy(sim->r, r, sizeof r);
  }
  return p;
}
