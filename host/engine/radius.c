#include "radius.h"

#include <math.h>

#include "device.h"
#include "pool.h"
#include "result.h"
#include "sizing.h"

static void enter(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  double *radius = context;
  (void)run;
  (void)way;
  *radius = cs_result_radius(state, pitch);
}

/* radius, at_0: of the propagation matrix of the run's macro step and of its limit H -> 0, as in study stability; NaN
 * where there is no such matrix: steps that vary, events, adaptive solvers, repetitions to a tolerance. `host`: the
 * device "host", for whose kernels the model may be too large, which is an error. */
static int radius_of_run(const struct cs_sweep *sweep, size_t run, struct cs_device *host, double *radius, double *at_0,
                         struct cs_error *error) {
  static const struct cs_engine_options options;
  const struct cs_sweep part = cs_sweep_part(sweep, run, 1);
  struct cs_plan *plan = NULL;
  struct cs_pool *pool = NULL;
  *radius = *at_0 = NAN;
  if (sweep->model->events > 0) return CS_OK;
  int code = cs_sizing_plan_step(&part, cs_device_info(host), &options, &plan, error);
  if (code != CS_OK || plan->run[0].status != CS_STATUS_OK || plan->variant[plan->run[0].variant]->kind.tolerates) {
    cs_plan_free(plan);
    return code;
  }
  const struct cs_pool_setup setup = {
      .device = &host, .devices = 1, .variants = 2 * plan->variants, .options = &options, .keep = true};
  code = cs_pool_open(&setup, &pool, error);
  if (code == CS_OK) code = cs_pool_run(pool, plan, enter, radius, error);
  plan->run[0].step_size = plan->run[0].norm = 0.0;
  if (code == CS_OK) code = cs_pool_run(pool, plan, enter, at_0, error);
  cs_pool_close(pool);
  cs_plan_free(plan);
  return code;
}

static bool grows(double radius) {
  return !isnan(radius) && !cs_result_stable(radius);
}

void cs_radius_describe(const struct cs_sweep *sweep, const struct cs_array *status, struct cs_text *text) {
  struct cs_devices host = {0};
  struct cs_error error;
  size_t run = 0;
  double radius = NAN, at_0 = NAN;
  while (run < status->count && cs_table_uint8(status, run) != CS_STATUS_DIVERGED)
    run++;
  if (run == status->count || sweep->study != CS_SIMULATION) return;
  if (cs_devices_open("host", &host, &error) == CS_OK)
    radius_of_run(sweep, run, host.device[0], &radius, &at_0, &error);
  cs_devices_close(&host);
  if (grows(radius)) {
    cs_text_add(text, "run %zu: the spectral radius of its step is %.4g", run, radius);
    if (grows(at_0)) cs_text_add(text, ", and still %.4g for H -> 0: no step size helps", at_0);
    cs_text_add(text, "\n");
  }
}
