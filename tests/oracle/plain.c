#include "plain.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "plain_course.h"
#include "plain_rates.h"
#include "plain_vary.h"

/* parameters [64] */
static void open_simulation(struct plain_simulation *sim, const struct cs_sweep *sweep,
                            const struct cs_settings *settings, double *parameters) {
  struct cs_error error;
  cr_assert_leq(sweep->model->parameters, 64);
  cr_assert_eq(cs_model_parameters(sweep->model, settings->parameters, settings->given, parameters, &error), CS_OK);
  plain_network_read(sweep->model, parameters, &sim->n);
  sim->method = &settings->method;
  sim->tolerance = settings->tolerance;
  sim->relaxation = settings->relaxation;
  sim->bonds = &sweep->controls->list[settings->method.bonds];
  sim->sequence =
      settings->method.master == CS_GAUSS_SEIDEL ? sweep->masters->sequence[settings->method.sequence] : NULL;
  memcpy(sim->x, sim->n.x0, sizeof sim->x);
  memcpy(sim->r, sim->n.x0, sizeof sim->r);
  sim->r[sim->n.states] = 1;
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
  result->steps = (size_t)ceil(settings->t_end / settings->step_size * (1 - 1e-9));
  for (size_t k = 0; k < result->steps; k++) {
    real sent[PLAIN_MAX];
    memcpy(sent, sim->memory.sent[0][0], sizeof sent);
    take_step(sim);
    plain_measure(sim, 1, sent, part);
    plain_add_measures(part, sim->H, result);
    plain_exact(sim, sim->H, sim->r);
  }
  plain_finish_measures(sim, (real)result->steps * sim->H, result);
  if (settings->method.iterations > 0) result->metric[CS_CONTRACTION][0] = plain_contraction(sim);
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
  if (sweep->model->state_events > 0) plain_course_new(sim, settings, parameters);
  plain_measure_start(sim, result);
  if (settings->method.control == CS_FIXED && sweep->model->events == 0)
    run_fixed(sim, settings, result);
  else
    plain_vary(sim, sweep, settings, watch, result);
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
