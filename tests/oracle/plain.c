#include "plain.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "plain_course.h"
#include "plain_rates.h"
#include "plain_vary.h"

/* ---- counts, docs/methods.md section 2 */

/* The longest chain of subsystems each of which waits for the one before, in a sequence. */
static size_t chain(const struct cs_model *model, const size_t *sequence) {
  size_t length[PLAIN_MAX] = {0}, most = 0;
  for (size_t p = 0; p < model->subsystems; p++) {
    const struct cs_entries *links = &model->matrix[CS_L];
    size_t *own = &length[sequence[p]];
    for (size_t i = 0; i < links->count; i++)
      if (model->input[links->entry[i].row].subsystem == sequence[p])
        *own = fmax(*own, length[model->output[links->entry[i].column].subsystem]);
    *own += 1;
    most = fmax(most, *own);
  }
  return most;
}

/* With rates, own steps that wait for one another. */
static size_t own_stages(const struct plain_simulation *sim) {
  const struct cs_model *model = sim->n.model;
  size_t done[PLAIN_MAX][CS_MAX_RATE + 1] = {{0}}, most = 0;
  int before[PLAIN_MAX] = {0};
  for (size_t place = 0; place < model->subsystems; place++) {
    const size_t to = sim->sequence != NULL ? sim->sequence[place] : place, r = sim->method->subsystem[to].rate;
    for (size_t j = 1; j <= r; j++) {
      size_t wait = done[to][j - 1];
      for (size_t i = 0; i < sim->n.inputs; i++)
        for (size_t l = 0; l < sim->n.outputs; l++) {
          const size_t from = model->output[l].subsystem, s = sim->method->subsystem[from].rate;
          if (sim->sequence == NULL || model->input[i].subsystem != to || !before[from] || sim->n.L.at[i][l] == 0)
            continue;
          wait = fmax(wait, done[from][(size_t)ceil((real)(j * s) / (real)r)]);
        }
      done[to][j] = wait + 1;
    }
    before[to] = 1;
    most = fmax(most, done[to][r]);
  }
  return most;
}

/* Steps one after the other in a macro step: with first `predicted` of the longest chain that any first makes. */
static size_t stages(const struct plain_simulation *sim) {
  const struct cs_model *model = sim->n.model;
  const size_t passes = 1 + cs_method_repetitions(sim->method);
  size_t most = 1;
  if (cs_method_has_rates(model, sim->method)) return own_stages(sim);
  if (sim->sequence == NULL) return passes;
  for (size_t step = 0; step < 2 && sim->method->sequence == CS_SEQUENCE_ALTERNATING; step++) {
    struct plain_simulation *like = malloc(sizeof *like);
    cr_assert(like != NULL);
    *like = *sim;
    plain_alternate(like, step);
    most = fmax(most, chain(model, like->sequence));
    free(like);
  }
  for (size_t first = 0; first < (sim->method->first == CS_FIRST_PREDICTED ? model->subsystems : 1); first++) {
    size_t sequence[PLAIN_MAX] = {sim->sequence[first]};
    for (size_t p = 0, place = 1; p < model->subsystems; p++)
      if (p != first) sequence[place++] = sim->sequence[p];
    most = fmax(most, chain(model, sequence));
  }
  return most * passes;
}

void plain_count(const struct plain_simulation *sim, size_t steps, size_t rejected, struct plain_result *result) {
  const struct cs_model *model = sim->n.model;
  const size_t tried = steps + rejected, each = sim->method->control == CS_RICHARDSON ? 3 : 1, calls = each * tried;
  const size_t at_once = sim->course != NULL ? each * sim->course->at_once : 0;
  size_t own = 0;
  for (size_t i = 0; i < model->subsystems; i++)
    own += sim->method->subsystem[i].rate;
  result->steps = steps;
  result->metric[CS_STEPS][0] = (real)steps;
  result->metric[CS_REJECTED_STEPS][0] = (real)rejected;
  result->metric[CS_EVALUATIONS][0] = (real)(calls * (1 + cs_method_repetitions(sim->method)) * own);
  result->metric[CS_CALL_STAGES][0] = (real)((calls - at_once) * stages(sim) + at_once);
  result->metric[CS_REPEATED_STEPS][0] = (real)(tried * cs_method_repetitions(sim->method));
  result->metric[CS_REPETITIONS][0] = result->metric[CS_REPETITIONS_MAX][0] = 1 + cs_method_repetitions(sim->method);
}

/* Of a run whose steps were repeated until they converged. */
static void count_repetitions(const struct plain_simulation *sim, struct plain_result *result) {
  const real passes = (real)sim->passes;
  if (!cs_method_tolerates(sim->method)) return;
  result->metric[CS_EVALUATIONS][0] = passes * (real)sim->n.model->subsystems;
  result->metric[CS_CALL_STAGES][0] = passes * (real)(stages(sim) / 2);
  result->metric[CS_REPEATED_STEPS][0] = passes - (real)result->steps;
  result->metric[CS_REPETITIONS][0] = passes / (real)result->steps;
  result->metric[CS_REPETITIONS_MAX][0] = (real)sim->most_passes;
  result->metric[CS_UNCONVERGED_STEPS][0] = (real)sim->unconverged;
}

/* ---- the exact solution alone */

/* Mean squares of the exact outputs from 0 to t_end; stiff networks, which have tables, are too fast for the pieces. */
static void add_exact_outputs(const struct plain_simulation *like, real t_end, struct plain_result *result) {
  enum { PIECES = 64 };
  const struct plain_network *n = &like->n;
  struct plain_simulation *sim = malloc(sizeof *sim);
  cr_assert(sim != NULL);
  *sim = *like;
  sim->H = 1;
  for (real T = 0, next; T < t_end; T = next) {
    next = plain_next_event(n, T, t_end);
    for (size_t q = 0; q < PIECES * PLAIN_NODES; q++) {
      real r[PLAIN_MAX], y[PLAIN_MAX] = {0}, piece = (next - T) / PIECES;
      memcpy(r, sim->r, sizeof r);
      plain_flow(&n->M, n->states + 1, piece * sim->node[q % PLAIN_NODES], r);
      plain_multiply_add(&n->Y, n->outputs, n->states + 1, r, y);
      for (size_t l = 0; l < n->outputs; l++)
        result->metric[CS_OUTPUT_EXACT][l] += piece / t_end * sim->weight[q % PLAIN_NODES] * y[l] * y[l];
      if (q % PLAIN_NODES + 1 == PLAIN_NODES) plain_flow(&n->M, n->states + 1, piece, sim->r);
    }
    plain_jump(sim, next);
  }
  free(sim);
}

static void finish_exact_outputs(const struct plain_simulation *sim, struct plain_result *result) {
  for (size_t l = 0; l < sim->n.outputs; l++) {
    real *exact = &result->metric[CS_OUTPUT_EXACT][l];
    *exact = sqrt(*exact);
    result->metric[CS_OUTPUT_ERROR_RELATIVE][l] = *exact > 0 ? result->metric[CS_OUTPUT_ERROR][l] / *exact : (real)NAN;
  }
}

/* ---- repetitions alone */

/* With all the points that are wanted, and nothing there: a map's columns are differences. */
static real contraction(const struct plain_simulation *like, real H) {
  struct cs_method method = *like->method;
  struct plain_simulation *sim = malloc(sizeof *sim);
  cr_assert(sim != NULL);
  *sim = *like;
  method.start = CS_CONSISTENT;
  sim->method = &method;
  sim->H = H;
  plain_start(sim, H, &sim->memory);
  memset(sim->x, 0, sizeof sim->x);
  sim->remembers = 1;
  memset(sim->memory.sent, 0, sizeof sim->memory.sent);
  memset(sim->memory.refreshed, 0, sizeof sim->memory.refreshed);
  memset(sim->memory.ended, 0, sizeof sim->memory.ended);
  const real radius = plain_contraction(sim);
  free(sim);
  return radius;
}

/* ---- runs */

/* parameters [64] */
static void open_simulation(struct plain_simulation *sim, const struct cs_sweep *sweep,
                            const struct cs_settings *settings, double *parameters) {
  struct cs_error error;
  cr_assert_leq(sweep->model->parameters, 64);
  cr_assert_eq(cs_model_parameters(sweep->model, settings->parameters, settings->given, parameters, &error), CS_OK);
  plain_network_read(sweep->model, parameters, &sim->n);
  sim->method = &settings->method;
  sim->tolerance = settings->tolerance;
  sim->compensation = settings->compensation;
  sim->relaxation = settings->relaxation;
  sim->repetition = settings->repetition;
  sim->bonds = &sweep->controls->list[settings->method.bonds];
  sim->sequence =
      settings->method.master == CS_GAUSS_SEIDEL ? sweep->masters->sequence[settings->method.sequence] : NULL;
  memcpy(sim->x, sim->n.x0, sizeof sim->x);
  memcpy(sim->r, sim->n.x0, sizeof sim->r);
  sim->r[sim->n.states] = 1;
  sim->local = sweep->metric[CS_LOCAL_ERROR] || sweep->metric[CS_LOCAL_ERROR_ESTIMATE];
  plain_quadrature(sim->node, sim->weight);
}

static void take_step(struct plain_simulation *sim) {
  if (sim->rates != NULL) {
    plain_rates_step(sim);
  } else {
    plain_advance(sim);
    plain_sample(sim);
  }
}

/* N = ceil(t_end/H (1 - 1e-9)) whole steps. */
static void run_fixed(struct plain_simulation *sim, const struct cs_settings *settings, struct plain_result *result) {
  struct plain_result *part = malloc(sizeof *part);
  cr_assert(part != NULL);
  sim->H = settings->step_size;
  plain_start(sim, sim->H, &sim->memory);
  if (cs_method_has_rates(sim->n.model, sim->method)) sim->rates = plain_rates_new(sim);
  plain_count(sim, (size_t)ceil(settings->t_end / settings->step_size * (1 - 1e-9)), 0, result);
  for (size_t k = 0; k < result->steps; k++) {
    real sent[PLAIN_MAX];
    memcpy(sent, sim->memory.sent[0][0], sizeof sent);
    plain_alternate(sim, k);
    take_step(sim);
    if (plain_diverged(sim)) result->status = 1;
    plain_measure(sim, 1, sent, part);
    plain_add_measures(part, sim->H, result);
    plain_exact(sim, sim->H, sim->r);
  }
  count_repetitions(sim, result);
  result->metric[CS_T_FINAL][0] = (real)result->steps * sim->H;
  result->metric[CS_STEP_MIN][0] = result->metric[CS_STEP_MEAN][0] = result->metric[CS_STEP_MAX][0] = sim->H;
  plain_finish_measures(sim, result->metric[CS_T_FINAL][0], result);
  free(part);
}

static void run(const struct cs_sweep *sweep, const struct cs_settings *settings, plain_flow_fn *flow, void *context,
                const struct plain_watch *watch, struct plain_result *result) {
  struct plain_simulation *sim = calloc(1, sizeof *sim);
  double parameters[64];
  cr_assert(sim != NULL);
  memset(result, 0, sizeof *result);
  sim->flow = flow != NULL ? flow : plain_exact_flow;
  sim->context = context;
  open_simulation(sim, sweep, settings, parameters);
#ifdef PLAIN_QUAD
  sim->tables = plain_tables_new(&sim->n);
#endif
  if (cs_sweep_is_eventful(sweep)) plain_course_new(sim, settings, parameters);
  plain_measure_start(sim, result);
  const bool exact = sim->tables == NULL && (sweep->metric[CS_OUTPUT_EXACT] || sweep->metric[CS_OUTPUT_ERROR_RELATIVE]);
  if (sweep->metric[CS_CONTRACTION] && settings->method.iterations > 0)
    result->metric[CS_CONTRACTION][0] = contraction(sim, settings->step_size);
  if (exact) add_exact_outputs(sim, settings->t_end, result);
  if (settings->method.control == CS_FIXED && sweep->model->events == 0)
    run_fixed(sim, settings, result);
  else
    plain_vary(sim, sweep, settings, watch, result);
  if (exact) finish_exact_outputs(sim, result);
  result->degenerate |= sim->degenerate;
  memcpy(result->metric[CS_ERROR_BOUND], result->metric[CS_OUTPUT_ERROR], sizeof *result->metric); /* what is bounded */
  plain_rates_free(sim->rates);
  plain_tables_free(sim->tables);
  free(sim->course);
  free(sim);
}

void plain_run(const struct cs_sweep *sweep, size_t number, plain_flow_fn *flow, void *context,
               struct plain_result *result) {
  struct cs_error error;
  struct cs_settings settings;
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, number, &settings);
  run(sweep, &settings, flow, context, NULL, result);
  cs_settings_free(&settings);
}

void plain_run_settings(const struct cs_sweep *sweep, const struct cs_settings *settings,
                        const struct plain_watch *watch, struct plain_result *result) {
  run(sweep, settings, NULL, NULL, watch, result);
}
