#include "plain_rates.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

enum { DEPTH = CS_MAX_ORDER * CS_MAX_RATE + 1 };

struct plain_rates {
  size_t steps;                              /* macro steps done */
  size_t own[PLAIN_MAX];                     /* gauss_seidel: own steps done in this one, by subsystem */
  real sent[DEPTH][PLAIN_ORDERS][PLAIN_MAX]; /* by output: at the points of its subsystem, the newest first */
  real held[PLAIN_ORDERS][PLAIN_MAX];        /* by input: powers of (t - T)/h in its subsystem's own step of length h */
};

static const struct cs_subsystem_method *own(const struct plain_simulation *sim, size_t subsystem) {
  return &sim->method->subsystem[subsystem];
}

static real own_step(const struct plain_simulation *sim, size_t subsystem) {
  return sim->H / own(sim, subsystem)->rate;
}

/* ---- start */

static void send_exact(const struct plain_simulation *sim, size_t output, size_t point, const real *r, int slopes,
                       struct plain_rates *rates) {
  const struct plain_network *n = &sim->n;
  real derivative[PLAIN_MAX];
  memcpy(derivative, r, sizeof derivative);
  for (size_t j = 0; j < (slopes ? PLAIN_ORDERS : 1u); j++) {
    real next[PLAIN_MAX] = {0};
    for (size_t q = 0; q <= n->states; q++)
      rates->sent[point][j][output] += n->Y.at[output][q] * derivative[q];
    plain_multiply_add(&n->M, n->states + 1, n->states + 1, derivative, next);
    memcpy(derivative, next, sizeof derivative);
  }
}

struct plain_rates *plain_rates_new(const struct plain_simulation *sim) {
  struct plain_rates *rates = calloc(1, sizeof *rates);
  const int consistent = sim->method->start == CS_CONSISTENT, slopes = sim->method->start != CS_ZERO;
  cr_assert(rates != NULL);
  for (size_t l = 0; l < sim->n.outputs; l++) {
    real r[PLAIN_MAX];
    memcpy(r, sim->r, sizeof r);
    for (size_t point = 0; point < DEPTH; point++) {
      send_exact(sim, l, point, r, slopes, rates);
      if (consistent) plain_exact(sim, -own_step(sim, sim->n.model->output[l].subsystem), r);
    }
  }
  return rates;
}

void plain_rates_free(struct plain_rates *rates) {
  free(rates);
}

/* ---- exchange */

/* gauss_seidel: the number, from T_{k-1} on, of the point that a polynomial for own step j ends at. */
static size_t ends_at(const struct plain_simulation *sim, size_t to, size_t from, size_t j) {
  const size_t r = own(sim, to)->rate, s = own(sim, from)->rate;
  return sim->rates->own[from] == s && from != to ? ((j + 1) * s + r - 1) / r : 0;
}

/* What an input receives of an output at its subsystem's own point j, in its own steps from there. */
static void polynomial(const struct plain_simulation *sim, size_t input, size_t output, size_t j, real *p) {
  const struct plain_rates *rates = sim->rates;
  const size_t to = sim->n.model->input[input].subsystem, from = sim->n.model->output[output].subsystem;
  const size_t r = own(sim, to)->rate, s = own(sim, from)->rate, n = own(sim, from)->output_order;
  const size_t newest = sim->sequence != NULL ? ends_at(sim, to, from, j) : j * s / r;
  const size_t apart = (s + r - 1) / r, known = (rates->steps * s + newest) / apart;
  const size_t since_newest = sim->sequence != NULL ? rates->own[from] - newest : 0;
  const size_t m = own(sim, to)->input_order;
  const int taylor = sim->method->hold == CS_TAYLOR;
  const real since = (real)j - (real)(newest * r) / (real)s; /* in own steps */
  struct plain_samples samples;
  for (size_t i = 0; i < PLAIN_ORDERS; i++) {
    const size_t point = since_newest + i * apart < DEPTH ? since_newest + i * apart : 0;
    samples.back[i] = (real)(i * apart * r) / (real)s + since;
    for (size_t q = 0; q < PLAIN_ORDERS; q++)
      samples.sent[i][q] = taylor && q > n ? 0 : rates->sent[point][q][output];
  }
  const size_t degree = sim->method->start == CS_RAMP && known < m ? known : m;
  plain_polynomial_of(sim->method->hold, own_step(sim, to), &samples, degree, p);
  plain_shift(p, since);
}

static void hold(struct plain_simulation *sim, size_t subsystem, size_t j) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  for (size_t i = sub->first_input; i < sub->first_input + sub->inputs; i++) {
    for (size_t q = 0; q < PLAIN_ORDERS; q++)
      sim->rates->held[q][i] = q == 0 ? sim->n.b[i] : 0;
    for (size_t l = 0; l < sim->n.outputs; l++) {
      real p[PLAIN_ORDERS];
      if (sim->n.L.at[i][l] == 0) continue;
      polynomial(sim, i, l, j, p);
      for (size_t q = 0; q < PLAIN_ORDERS; q++)
        sim->rates->held[q][i] += sim->n.L.at[i][l] * p[q];
    }
  }
}

static void advance(struct plain_simulation *sim, size_t subsystem) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  const real h = own_step(sim, subsystem);
  real v[PLAIN_ORDERS][PLAIN_MAX] = {{0}}, *x = sim->x + sub->first_state, end[PLAIN_MAX];
  for (size_t i = 0; i < sub->states; i++) {
    for (size_t q = 0; q < PLAIN_ORDERS; q++)
      for (size_t u = 0; u < sub->inputs; u++)
        v[q][i] += sim->n.B.at[sub->first_state + i][sub->first_input + u] * sim->rates->held[q][sub->first_input + u];
    v[0][i] += sim->n.e[sub->first_state + i];
  }
  if (sim->tables != NULL)
    plain_tables_subsystem(sim->tables, subsystem, h, h, v, x, end);
  else
    plain_exact_flow(NULL, &sim->n, subsystem, h, 1, v, x, end);
  memcpy(x, end, sub->states * sizeof *x);
}

/* ---- samples of the subsystems that have a point now, is_here[subsystem] their own number of it, or 0 */

/* d^j u~ / dt^j at the end of the own step. */
static real held_derivative(const struct plain_simulation *sim, size_t input, size_t j) {
  const real h = own_step(sim, sim->n.model->input[input].subsystem);
  real u = 0;
  for (size_t q = j; q < PLAIN_ORDERS; q++)
    u += sim->rates->held[q][input] * plain_factorial[q] / plain_factorial[q - j] / pow(h, (real)j);
  return u;
}

/* The same of what others sent, and of constants: known before the network of those here is solved. */
static real known_derivative(const struct plain_simulation *sim, const size_t *is_here, size_t input, size_t j) {
  const size_t subsystem = sim->n.model->input[input].subsystem;
  real u = j == 0 ? sim->n.b[input] : 0;
  for (size_t l = 0; l < sim->n.outputs; l++) {
    real p[PLAIN_ORDERS];
    if (sim->n.L.at[input][l] == 0 || is_here[sim->n.model->output[l].subsystem]) continue;
    polynomial(sim, input, l, is_here[subsystem], p);
    u += sim->n.L.at[input][l] * p[j] * plain_factorial[j] / pow(own_step(sim, subsystem), (real)j);
  }
  return u;
}

/* y = g + D u, u = known + L y among those here: outputs and inputs. */
static void solve(const struct plain_simulation *sim, const size_t *is_here, const real *known, real *y, real *u) {
  const struct plain_network *n = &sim->n;
  struct plain_matrix a = {{{0}}};
  for (size_t l = 0; l < n->outputs; l++) {
    a.at[l][l] = 1;
    for (size_t i = 0; i < n->inputs && is_here[n->model->output[l].subsystem]; i++) {
      y[l] += n->D.at[l][i] * known[i];
      for (size_t q = 0; q < n->outputs; q++)
        if (is_here[n->model->output[q].subsystem]) a.at[l][q] -= n->D.at[l][i] * n->L.at[i][q];
    }
  }
  plain_solve(&a, n->outputs, y);
  for (size_t i = 0; i < n->inputs; i++) {
    u[i] = known[i];
    for (size_t l = 0; l < n->outputs; l++)
      if (is_here[n->model->output[l].subsystem]) u[i] += n->L.at[i][l] * y[l];
  }
}

static void sample(struct plain_simulation *sim, const size_t *is_here, real y[PLAIN_ORDERS][PLAIN_MAX]) {
  const struct plain_network *n = &sim->n;
  real x[PLAIN_MAX];
  memcpy(x, sim->x, sizeof x);
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    real known[PLAIN_MAX] = {0}, u[PLAIN_MAX] = {0}, next[PLAIN_MAX] = {0};
    memset(y[j], 0, sizeof y[j]);
    if (j == 0) memcpy(y[j], n->f, sizeof y[j]);
    plain_multiply_add(&n->C, n->outputs, n->states, x, y[j]);
    for (size_t i = 0; i < n->inputs; i++) {
      if (!is_here[n->model->input[i].subsystem]) continue;
      u[i] = held_derivative(sim, i, j);
      known[i] = known_derivative(sim, is_here, i, j);
    }
    if (sim->method->feedthrough == CS_SOLVED)
      solve(sim, is_here, known, y[j], u);
    else
      plain_multiply_add(&n->D, n->outputs, n->inputs, u, y[j]);
    if (j == 0) memcpy(next, n->e, sizeof next);
    plain_multiply_add(&n->A, n->states, n->states, x, next);
    plain_multiply_add(&n->B, n->states, n->inputs, u, next);
    memcpy(x, next, sizeof x);
  }
}

static void record(struct plain_simulation *sim, const size_t *is_here) {
  real y[PLAIN_ORDERS][PLAIN_MAX];
  sample(sim, is_here, y);
  for (size_t l = 0; l < sim->n.outputs; l++) {
    for (size_t j = 0; j < PLAIN_ORDERS && is_here[sim->n.model->output[l].subsystem]; j++) {
      for (size_t point = DEPTH - 1; point > 0; point--)
        sim->rates->sent[point][j][l] = sim->rates->sent[point - 1][j][l];
      sim->rates->sent[0][j][l] = y[j][l];
    }
  }
}

/* ---- a macro step */

/* The next point of any subsystem after `*done` own steps of each: whose it is. False at the end of the step. */
static int next_point(const struct plain_simulation *sim, size_t *done, size_t *is_here) {
  const size_t subsystems = sim->n.model->subsystems;
  size_t first = SIZE_MAX;
  for (size_t i = 0; i < subsystems; i++) {
    const size_t r = own(sim, i)->rate;
    if (done[i] == r) continue;
    if (first == SIZE_MAX || (done[i] + 1) * own(sim, first)->rate < (done[first] + 1) * r) first = i;
  }
  if (first == SIZE_MAX) return 0;
  const size_t j = done[first] + 1, r = own(sim, first)->rate;
  for (size_t i = 0; i < subsystems; i++) {
    is_here[i] = (done[i] + 1) * r == j * own(sim, i)->rate ? done[i] + 1 : 0;
    done[i] += is_here[i] > 0;
  }
  return 1;
}

/* Outputs with the held inputs, sent by a subsystem at its own point. */
static void pass_on(struct plain_simulation *sim, size_t subsystem) {
  const struct plain_network *n = &sim->n;
  const struct cs_subsystem *sub = &n->model->subsystem[subsystem];
  for (size_t l = sub->first_output; l < sub->first_output + sub->outputs; l++) {
    real y = n->f[l];
    for (size_t i = 0; i < n->states; i++)
      y += n->C.at[l][i] * sim->x[i];
    for (size_t i = sub->first_input; i < sub->first_input + sub->inputs; i++)
      y += n->D.at[l][i] * held_derivative(sim, i, 0);
    for (size_t point = DEPTH - 1; point > 0; point--)
      sim->rates->sent[point][0][l] = sim->rates->sent[point - 1][0][l];
    sim->rates->sent[0][0][l] = y;
  }
}

/* One subsystem after the other, through the whole step; then what is recorded at its end. */
static void step_in_turn(struct plain_simulation *sim) {
  struct plain_rates *rates = sim->rates;
  const size_t subsystems = sim->n.model->subsystems;
  real y[PLAIN_ORDERS][PLAIN_MAX];
  memset(rates->own, 0, sizeof rates->own);
  for (size_t place = 0; place < subsystems; place++) {
    const size_t i = sim->sequence[place];
    for (size_t j = 0; j < own(sim, i)->rate; j++) {
      hold(sim, i, j);
      advance(sim, i);
      pass_on(sim, i);
      rates->own[i]++;
    }
  }
  sample(sim, rates->own, y);
  memcpy(rates->sent[0][0], y[0], sizeof y[0]);
  rates->steps++;
  memcpy(sim->memory.sent[0], rates->sent[0], sizeof sim->memory.sent[0]);
}

void plain_rates_step(struct plain_simulation *sim) {
  if (sim->sequence != NULL) {
    step_in_turn(sim);
    return;
  }
  const size_t subsystems = sim->n.model->subsystems;
  size_t done[PLAIN_MAX] = {0}, is_here[PLAIN_MAX];
  for (size_t i = 0; i < subsystems; i++)
    hold(sim, i, 0);
  while (next_point(sim, done, is_here)) {
    for (size_t i = 0; i < subsystems; i++)
      if (is_here[i]) advance(sim, i);
    record(sim, is_here);
    for (size_t i = 0; i < subsystems; i++)
      if (is_here[i] && done[i] < own(sim, i)->rate) hold(sim, i, done[i]);
  }
  sim->rates->steps++;
  memcpy(sim->memory.sent[0], sim->rates->sent[0], sizeof sim->memory.sent[0]);
}

void plain_rates_inputs(const struct plain_simulation *sim, real *u) {
  for (size_t i = 0; i < sim->n.inputs; i++)
    u[i] = held_derivative(sim, i, 0);
}
