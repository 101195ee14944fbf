#include "radius.h"

#include <math.h>

#include "pool.h"
#include "result.h"
#include "sizing.h"

static void enter(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  double *radius = context;
  (void)run;
  (void)way;
  *radius = cs_result_radius(state, pitch);
}

int cs_radius_of_run(const struct cs_sweep *sweep, size_t run, struct cs_device *host, double *radius, double *at_0,
                     struct cs_error *error) {
  static const struct cs_engine_options options;
  struct cs_plan *plan = NULL;
  struct cs_pool *pool = NULL;
  *radius = *at_0 = NAN;
  if (sweep->model->events > 0) return CS_OK;
  int code = cs_sizing_plan_step(sweep, run, cs_device_info(host), &options, &plan, error);
  if (code != CS_OK || plan->run[run].status != CS_STATUS_OK) {
    cs_plan_free(plan);
    return code;
  }
  const struct cs_pool_setup setup = {
      .device = &host, .devices = 1, .variants = 2 * plan->variants, .options = &options, .keep = true};
  code = cs_pool_open(&setup, &pool, error);
  if (code == CS_OK) code = cs_pool_run(pool, plan, enter, radius, error);
  plan->run[run].step_size = plan->run[run].norm = 0.0;
  if (code == CS_OK) code = cs_pool_run(pool, plan, enter, at_0, error);
  cs_pool_close(pool);
  cs_plan_free(plan);
  return code;
}
