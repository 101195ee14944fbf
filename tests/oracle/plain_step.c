#include "plain_step.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "plain_dopri5.h"

enum { STAGES = 4 };

/* Butcher tableaus; an entry on the diagonal makes the stage implicit. */
struct tableau {
  size_t stages;
  real a[STAGES][STAGES], b[STAGES], c[STAGES];
};

static const struct tableau tableaus[] = {
    [CS_EULER] = {1, {{0}}, {1}, {0}},
    [CS_HEUN] = {2, {{0}, {1}}, {0.5L, 0.5L}, {0, 1}},
    [CS_RK4] = {4,
                {{0}, {0.5L}, {0, 0.5L}, {0, 0, 1}},
                {1 / (real)6, 1 / (real)3, 1 / (real)3, 1 / (real)6},
                {0, 0.5L, 0.5L, 1}},
    [CS_IMPLICIT_EULER] = {1, {{1}}, {1}, {1}},
    [CS_TRAPEZOIDAL] = {2, {{0}, {0.5L, 0.5L}}, {0.5L, 0.5L}, {0, 1}},
};

static const struct cs_subsystem_method *state_method(const struct plain_simulation *sim, size_t state) {
  return &sim->method->subsystem[sim->n.model->state[state].subsystem];
}

/* ---- subsystems, docs/methods.md section 4 */

void plain_exact_flow(void *context, const struct plain_network *network, size_t subsystem, real H, real s,
                      real v[4][PLAIN_MAX], const real *x, real *result) {
  (void)context;
  const struct cs_subsystem *sub = &network->model->subsystem[subsystem];
  size_t states = sub->states, first = sub->first_state;
  struct plain_matrix augmented = {{{0}}}; /* of (x, w, w s, w s^2, w s^3), by s */
  real z[PLAIN_MAX] = {0}, w = 1;          /* w: so large that the forcing does not add to the norm */
  for (size_t i = 0; i < states; i++)
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      w = fmax(w, fabs(v[j][i]));
  for (size_t i = 0; i < states; i++) {
    z[i] = x[i];
    for (size_t j = 0; j < states; j++)
      augmented.at[i][j] = H * network->A.at[first + i][first + j];
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      augmented.at[i][states + j] = H * v[j][i] / w;
  }
  z[states] = w;
  for (size_t j = 1; j < PLAIN_ORDERS; j++)
    augmented.at[states + j][states + j - 1] = (real)j;
  plain_flow(&augmented, states + PLAIN_ORDERS, s, z);
  memcpy(result, z, states * sizeof *result);
}

void plain_exact(const struct plain_simulation *sim, real t, real *r) {
  if (sim->tables != NULL)
    plain_tables_exact(sim->tables, t, r);
  else
    plain_flow(&sim->n.M, sim->n.states + 1, t, r);
}

static void call_flow(struct plain_simulation *sim, size_t subsystem, real s, real *result) {
  size_t first = sim->n.model->subsystem[subsystem].first_state;
  real v[PLAIN_ORDERS][PLAIN_MAX] = {{0}};
  for (size_t j = 0; j < PLAIN_ORDERS; j++)
    memcpy(v[j], sim->forcing[j] + first, sim->n.model->subsystem[subsystem].states * sizeof(real));
  if (sim->tables != NULL && sim->flow == plain_exact_flow)
    plain_tables_subsystem(sim->tables, subsystem, s * sim->H, sim->H, v, sim->grid[0] + first, result);
  else
    sim->flow(sim->context, &sim->n, subsystem, sim->H, s, v, sim->grid[0] + first, result);
}

/* f(x, u~(s)) of one subsystem. */
static void right_side(struct plain_simulation *sim, size_t subsystem, const real *x, real s, real *slope) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  for (size_t i = 0; i < sub->states; i++) {
    slope[i] = plain_polynomial(sim->forcing, sub->first_state + i, s);
    for (size_t j = 0; j < sub->states; j++)
      slope[i] += sim->n.A.at[sub->first_state + i][sub->first_state + j] * x[j];
  }
}

/* One step of length h = width H from s: stages k_i = f(x + h sum_j a_ij k_j, u~(s + c_i width)). */
static void runge_kutta(struct plain_simulation *sim, size_t subsystem, const struct tableau *t, real s, real width,
                        const real *x, real *result) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  size_t states = sub->states, first = sub->first_state;
  real h = width * sim->H, stage[STAGES][PLAIN_MAX];
  memmove(result, x, states * sizeof *x);
  for (size_t i = 0; i < t->stages; i++) {
    real point[PLAIN_MAX] = {0};
    memcpy(point, x, states * sizeof *x);
    for (size_t j = 0; j < i; j++)
      for (size_t q = 0; q < states; q++)
        point[q] += h * t->a[i][j] * stage[j][q];
    right_side(sim, subsystem, point, s + t->c[i] * width, stage[i]);
    struct plain_matrix implicit = {{{0}}}; /* (I - h a_ii A) k_i = f(point) */
    for (size_t p = 0; p < states; p++)
      for (size_t q = 0; q < states; q++)
        implicit.at[p][q] = (p == q) - h * t->a[i][i] * sim->n.A.at[first + p][first + q];
    plain_solve(&implicit, states, stage[i]);
  }
  for (size_t i = 0; i < t->stages; i++)
    for (size_t q = 0; q < states; q++)
      result[q] += h * t->b[i] * stage[i][q];
}

/* Micro step number j of a solver with memory: one of heun or of the trapezoidal rule where there is none. */
static void remembering(struct plain_simulation *sim, size_t subsystem, size_t j) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  const struct cs_subsystem_method *method = &sim->method->subsystem[subsystem];
  const size_t first = sub->first_state, states = sub->states;
  const real width = 1 / (real)method->micro_steps, s = (real)j * width, h = width * sim->H;
  const real *x = sim->grid[j] + first;
  real *result = sim->grid[j + 1] + first, slope[PLAIN_MAX], end[PLAIN_MAX], zero[PLAIN_MAX] = {0}, before[PLAIN_MAX];
  if (j == 0 && !(method->keeps && sim->remembers)) {
    runge_kutta(sim, subsystem, &tableaus[method->solver == CS_AB2 ? CS_HEUN : CS_TRAPEZOIDAL], s, width, x, result);
    return;
  }
  memcpy(before, j == 0 ? sim->before + first : sim->grid[j - 1] + first, states * sizeof *before);
  if (j > 0 && method->solver == CS_AB2) right_side(sim, subsystem, sim->grid[j - 1] + first, s - width, before);
  right_side(sim, subsystem, x, s, slope);
  right_side(sim, subsystem, zero, s + width, end);
  if (method->solver == CS_AB2) {
    for (size_t q = 0; q < states; q++)
      result[q] = x[q] + h * (3 * slope[q] - before[q]) / 2;
    return;
  }
  struct plain_matrix implicit = {{{0}}};
  for (size_t p = 0; p < states; p++) {
    result[p] = (4 * x[p] - before[p] + 2 * h * end[p]) / 3;
    for (size_t q = 0; q < states; q++)
      implicit.at[p][q] = (p == q) - 2 * h * sim->n.A.at[first + p][first + q] / 3;
  }
  plain_solve(&implicit, states, result);
}

/* The advanced step of a subsystem with solver dopri5, from the start of the step. */
static void run_dopri5(struct plain_simulation *sim, size_t subsystem, struct plain_dopri5 *run) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  struct plain_driven system = {.states = sub->states, .H = sim->H};
  for (size_t i = 0; i < sub->states; i++) {
    for (size_t j = 0; j < sub->states; j++)
      system.A.at[i][j] = sim->n.A.at[sub->first_state + i][sub->first_state + j];
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      system.v[j][i] = sim->forcing[j][sub->first_state + i];
  }
  plain_dopri5_run(&system, sim->grid[0] + sub->first_state, sim->tolerance[subsystem], run);
  sim->degenerate |= run->reach > 6;
}

static void look_at_dopri5(struct plain_simulation *sim, size_t subsystem, real s, real *x, real *derivative) {
  struct plain_dopri5 run;
  run_dopri5(sim, subsystem, &run);
  plain_dopri5_value(&run, s, x, derivative);
  for (size_t i = 0; i < run.states; i++)
    derivative[i] /= sim->H;
  plain_dopri5_free(&run);
}

void plain_advance_subsystem(struct plain_simulation *sim, size_t subsystem) {
  const struct cs_subsystem_method *method = &sim->method->subsystem[subsystem];
  size_t first = sim->n.model->subsystem[subsystem].first_state;
  real width = 1 / (real)method->micro_steps;
  cr_assert_leq(method->micro_steps, PLAIN_MICRO);
  memcpy(sim->grid[0] + first, sim->x + first, sim->n.model->subsystem[subsystem].states * sizeof(real));
  for (size_t j = 0; j < method->micro_steps; j++) {
    if (method->solver == CS_EXACT) {
      call_flow(sim, subsystem, (real)(j + 1) * width, sim->grid[j + 1] + first);
    } else if (method->solver == CS_DOPRI5) {
      real unused[PLAIN_MAX];
      look_at_dopri5(sim, subsystem, 1, sim->grid[1] + first, unused);
    } else if (cs_method_remembers(method->solver)) {
      remembering(sim, subsystem, j);
    } else {
      runge_kutta(sim, subsystem, &tableaus[method->solver], (real)j * width, width, sim->grid[j] + first,
                  sim->grid[j + 1] + first);
    }
  }
  for (size_t j = 0; j <= method->micro_steps; j++)
    right_side(sim, subsystem, sim->grid[j] + first, (real)j * width, sim->slope[j] + first);
}

/* The solver's continuous solution of one subsystem and its derivative at s: the flow itself, straight lines (euler),
 * cubic Hermite polynomials (the others). */
static void continuous(struct plain_simulation *sim, size_t subsystem, real s, real *x, real *derivative) {
  const struct cs_subsystem *sub = &sim->n.model->subsystem[subsystem];
  const struct cs_subsystem_method *method = &sim->method->subsystem[subsystem];
  if (method->solver == CS_EXACT) {
    call_flow(sim, subsystem, s, x);
    right_side(sim, subsystem, x, s, derivative);
    return;
  }
  if (method->solver == CS_DOPRI5) {
    look_at_dopri5(sim, subsystem, s, x, derivative);
    return;
  }
  size_t j = (size_t)(s * method->micro_steps);
  j = j < method->micro_steps ? j : method->micro_steps - 1u;
  real h = sim->H / method->micro_steps, p = s * method->micro_steps - (real)j;
  for (size_t i = 0; i < sub->states; i++) {
    size_t q = sub->first_state + i;
    real x0 = sim->grid[j][q], x1 = sim->grid[j + 1][q], d0 = h * sim->slope[j][q], d1 = h * sim->slope[j + 1][q];
    real c2 = 3 * (x1 - x0) - 2 * d0 - d1, c3 = d0 + d1 - 2 * (x1 - x0);
    if (method->solver == CS_EULER) c2 = c3 = 0;
    x[i] = x0 + p * (d0 + p * (c2 + p * c3));
    derivative[i] = (d0 + p * (2 * c2 + p * 3 * c3)) / h;
  }
}

void plain_states(struct plain_simulation *sim, real s, real *x, real *derivative) {
  for (size_t i = 0; i < sim->n.model->subsystems; i++) {
    size_t first = sim->n.model->subsystem[i].first_state;
    continuous(sim, i, s, x + first, derivative + first);
  }
}

static int ascending(const void *left, const void *right) {
  const real a = *(const real *)left, b = *(const real *)right;
  return (a > b) - (a < b);
}

/* Between breaks, so many that the sums over the step resolve fast modes too. */
static real *add_cuts(const struct plain_simulation *sim, real *breaks, size_t *count) {
  const struct plain_cuts cuts = plain_tables_cuts(sim->tables, sim->H);
  breaks = realloc(breaks, (*count + cuts.halvings * cuts.parts) * sizeof *breaks);
  cr_assert(breaks != NULL);
  real half = 1;
  for (size_t i = 0; i < cuts.halvings; i++) {
    half /= 2;
    for (size_t part = 0; part < cuts.parts; part++)
      breaks[(*count)++] = half + half * (real)part / (real)cuts.parts;
  }
  return breaks;
}

real *plain_breaks(struct plain_simulation *sim, size_t *count) {
  real *breaks = NULL;
  *count = 0;
  for (size_t i = 0; i < sim->n.model->subsystems; i++) {
    const struct cs_subsystem_method *method = &sim->method->subsystem[i];
    const int adaptive = method->solver == CS_DOPRI5;
    struct plain_dopri5 run = {.steps = method->micro_steps};
    if (adaptive) run_dopri5(sim, i, &run);
    breaks = realloc(breaks, (*count + run.steps + 1) * sizeof *breaks);
    cr_assert(breaks != NULL);
    breaks[(*count)++] = 0;
    for (size_t j = 0; j < run.steps; j++)
      breaks[(*count)++] = adaptive ? run.step[j].to : (real)(j + 1) / (real)run.steps;
    plain_dopri5_free(&run);
  }
  if (sim->tables != NULL) breaks = add_cuts(sim, breaks, count);
  qsort(breaks, *count, sizeof *breaks, ascending);
  return breaks;
}

/* ---- samples at T_k, docs/methods.md section 2 */

/* d^j u~ / dt^j at T_k */
static void held_derivative(struct plain_simulation *sim, size_t j, real *u) {
  for (size_t i = 0; i < sim->n.inputs; i++) {
    u[i] = 0;
    for (size_t q = j; q < PLAIN_ORDERS; q++)
      u[i] += sim->held[q][i] * plain_factorial[q] / plain_factorial[q - j] / pow(sim->H, j);
  }
}

/* y = C x + D u (+ f), or with the loop solved y = S (C x (+ D b + f)) and u = L y (+ b); affine terms at j = 0. */
static void output_of(struct plain_simulation *sim, size_t j, int solved, const real *x, real *u, real *y) {
  const struct plain_network *n = &sim->n;
  real direct[PLAIN_MAX] = {0};
  if (j == 0) memcpy(direct, n->f, sizeof direct);
  plain_multiply_add(&n->C, n->outputs, n->states, x, direct);
  if (!solved) {
    plain_multiply_add(&n->D, n->outputs, n->inputs, u, direct);
    memcpy(y, direct, sizeof direct);
    return;
  }
  memset(u, 0, PLAIN_MAX * sizeof *u);
  memset(y, 0, PLAIN_MAX * sizeof *y);
  if (j == 0) {
    memcpy(u, n->b, PLAIN_MAX * sizeof *u);
    plain_multiply_add(&n->D, n->outputs, n->inputs, n->b, direct);
  }
  plain_multiply_add(&n->S, n->outputs, n->outputs, direct, y);
  plain_multiply_add(&n->L, n->inputs, n->outputs, y, u);
}

/* x^(j+1) = A x^(j) + B u^(j) (+ e); with euler the slope of the step just done, then zero (Glumac (46)). */
static void next_derivative(struct plain_simulation *sim, size_t j, const real *x, const real *u, real *next) {
  const struct plain_network *n = &sim->n;
  memset(next, 0, PLAIN_MAX * sizeof *next);
  if (j == 0) memcpy(next, n->e, PLAIN_MAX * sizeof *next);
  plain_multiply_add(&n->A, n->states, n->states, x, next);
  plain_multiply_add(&n->B, n->states, n->inputs, u, next);
  for (size_t i = 0; i < n->states; i++) {
    const struct cs_subsystem_method *method = state_method(sim, i);
    if (method->solver == CS_EULER && sim->stepped) next[i] = j == 0 ? sim->slope[method->micro_steps - 1][i] : 0;
  }
}

static void end_states(const struct plain_simulation *sim, real *x) {
  for (size_t i = 0; i < sim->n.states; i++)
    x[i] = sim->grid[state_method(sim, i)->micro_steps][i];
}

/* Output derivatives y[j] at T_k; xs and us get the derivatives of states and inputs they were made of. */
static void sample(struct plain_simulation *sim, int solved, real y[PLAIN_ORDERS][PLAIN_MAX],
                   real xs[PLAIN_ORDERS][PLAIN_MAX], real us[PLAIN_ORDERS][PLAIN_MAX]) {
  end_states(sim, xs[0]);
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    held_derivative(sim, j, us[j]);
    output_of(sim, j, solved, xs[j], us[j], y[j]);
    if (j + 1 < PLAIN_ORDERS) next_derivative(sim, j, xs[j], us[j], xs[j + 1]);
  }
}

/* Feed-through `refresh`: inputs in model order, each from the values already refreshed. */
static void refresh(struct plain_simulation *sim) {
  real y[PLAIN_ORDERS][PLAIN_MAX], xs[PLAIN_ORDERS][PLAIN_MAX] = {{0}}, us[PLAIN_ORDERS][PLAIN_MAX] = {{0}};
  sample(sim, 0, y, xs, us);
  for (size_t i = 0; i < sim->n.inputs; i++) {
    size_t m = sim->method->subsystem[sim->n.model->input[i].subsystem].input_order;
    for (size_t j = 0; j < PLAIN_ORDERS; j++) {
      real now[PLAIN_MAX] = {0};
      output_of(sim, j, 0, xs[j], us[j], now);
      us[j][i] = j <= m ? plain_connect(sim, i, j, now) : 0;
    }
  }
  memcpy(sim->memory.refreshed, us, sizeof sim->memory.refreshed);
}

void plain_sample_outputs(struct plain_simulation *sim, int solved, size_t subsystem) {
  real y[PLAIN_ORDERS][PLAIN_MAX], xs[PLAIN_ORDERS][PLAIN_MAX] = {{0}}, us[PLAIN_ORDERS][PLAIN_MAX] = {{0}};
  sample(sim, solved, y, xs, us);
  for (size_t l = 0; l < sim->n.outputs; l++)
    for (size_t j = 0; j < PLAIN_ORDERS && (subsystem == SIZE_MAX || sim->n.model->output[l].subsystem == subsystem);
         j++)
      sim->now[j][l] = y[j][l];
}

void plain_sample_nodes(struct plain_simulation *sim, size_t subsystem) {
  for (size_t i = 1; i <= plain_wave(sim); i++) {
    real x[PLAIN_MAX], slope[PLAIN_MAX], u[PLAIN_MAX], y[PLAIN_MAX];
    plain_states(sim, plain_node(sim, i), x, slope);
    plain_held(sim, plain_node(sim, i), u);
    output_of(sim, 0, 0, x, u, y);
    for (size_t l = 0; l < sim->n.outputs; l++)
      if (subsystem == SIZE_MAX || sim->n.model->output[l].subsystem == subsystem) sim->now[i - 1][l] = y[l];
  }
}

/* Points that polynomials may need before the first step. */
static size_t wanted_points(const struct plain_simulation *sim) {
  size_t most = 0;
  for (size_t i = 0; i < sim->n.model->subsystems; i++)
    most = sim->method->subsystem[i].latency > most ? sim->method->subsystem[i].latency : most;
  return (sim->method->points > PLAIN_ORDERS ? sim->method->points : PLAIN_ORDERS) + most;
}

/* Outputs of the exact solution r, and their derivatives. */
static void send_exact(const struct plain_network *n, const real *r, real sent[PLAIN_ORDERS][PLAIN_MAX]) {
  real derivative[PLAIN_MAX];
  memcpy(derivative, r, sizeof derivative);
  for (size_t j = 0; j < PLAIN_ORDERS; j++) {
    real next[PLAIN_MAX] = {0};
    plain_multiply_add(&n->Y, n->outputs, n->states + 1, derivative, sent[j]);
    plain_multiply_add(&n->M, n->states + 1, n->states + 1, derivative, next);
    memcpy(derivative, next, sizeof derivative);
  }
}

/* Start values: samples of the exact solution at T_0 and before, or with start zero its values at T_0 alone. */
void plain_start(const struct plain_simulation *sim, real spacing, struct plain_memory *memory) {
  const struct plain_network *n = &sim->n;
  const int zero = sim->method->start == CS_ZERO, consistent = sim->method->start == CS_CONSISTENT;
  const size_t points = wanted_points(sim);
  real r[PLAIN_MAX], slope[PLAIN_MAX] = {0};
  memcpy(r, sim->r, sizeof r);
  memset(memory, 0, sizeof *memory);
  memory->points = sim->method->start == CS_RAMP ? 1 : PLAIN_PAST;
  plain_multiply_add(&n->U, n->inputs, n->states + 1, r, memory->ended[0]);
  plain_multiply_add(&n->M, n->states + 1, n->states + 1, r, slope);
  if (consistent) plain_multiply_add(&n->U, n->inputs, n->states + 1, slope, memory->ended[1]);
  for (size_t p = 0; p < points; p++) {
    memory->back[p] = (real)p * spacing;
    send_exact(n, r, memory->sent[p]);
    if (zero) memset(memory->sent[p][1], 0, (PLAIN_ORDERS - 1) * sizeof memory->sent[p][1]);
    if (!zero) plain_exact(sim, -spacing, r);
  }
  if (consistent && cs_method_compensates(n->model, sim->method) && sim->compensation != NULL)
    plain_lost_before(sim, spacing, memory->lost);
  for (size_t j = 0; j < PLAIN_ORDERS; j++)
    for (size_t i = 0; i < n->inputs; i++)
      memory->refreshed[j][i] = plain_connect(sim, i, j, memory->sent[0][j]);
}

void plain_sample(struct plain_simulation *sim) {
  for (size_t a = 0; a < sim->n.states; a++) {
    const struct cs_subsystem_method *method = state_method(sim, a);
    sim->before[a] = (method->solver == CS_AB2 ? sim->slope : sim->grid)[method->micro_steps - 1][a];
  }
  sim->remembers = 1;
  end_states(sim, sim->x);
  plain_record(sim);
  if (sim->method->feedthrough == CS_REFRESH) refresh(sim);
}

void plain_sample_now(struct plain_simulation *sim) {
  for (size_t i = 0; i < sim->n.states; i++)
    sim->grid[state_method(sim, i)->micro_steps][i] = sim->x[i];
  plain_sample_outputs(sim, sim->method->feedthrough == CS_SOLVED, SIZE_MAX);
}

void plain_sample_again(struct plain_simulation *sim) {
  plain_sample_now(sim);
  memcpy(sim->memory.sent[0], sim->now, sizeof sim->memory.sent[0]);
  if (sim->method->hold != CS_TAYLOR) sim->memory.points = 1;
  plain_begin_anew(sim);
  if (sim->method->feedthrough == CS_REFRESH) refresh(sim);
}
