#include "engine.h"

#include <math.h>
#include <stdlib.h>

#include "boundary.h"
#include "cache.h"
#include "clock.h"
#include "collect.h"
#include "pool.h"
#include "provenance.h"
#include "radius.h"
#include "refine.h"
#include "resume.h"
#include "rounding.h"
#include "sizing.h"

struct engine {
  const struct cs_sweep *sweep;
  const struct cs_engine_options *options;
  struct cs_device *const *device;    /* [devices] */
  const struct cs_device_info **info; /* [devices] */
  size_t devices;
  const struct cs_device_info **used; /* [used_devices], those that computed runs */
  size_t used_devices;
  struct cs_plan *plan;
  struct cs_pool *pool;
  struct cs_collect collect;
  struct cs_resume resume;
  struct cs_outcome *outcome;
};

static void add_times(const struct engine *x, const struct cs_pool *pool) {
  x->outcome->device_seconds += cs_pool_device_seconds(pool);
  cs_pool_add_preparation(pool, &x->outcome->programs);
}

static void warn(const struct engine *x, const struct cs_pool *pool) {
  if (cs_pool_warning(pool) != NULL) cs_text_add(&x->outcome->warnings, "%s\n", cs_pool_warning(pool));
}

/* ---- boundaries -------------------------------------------------------------------------------------------------- */

static bool has_boundaries(const struct cs_sweep *sweep) {
  return sweep->boundary >= 0 || sweep->refine > 0;
}

static int evaluate(void *context, const size_t *axis, size_t axes, const struct cs_point *point, size_t points,
                    double *radius, struct cs_error *error) {
  struct engine *x = context;
  struct cs_plan *plan = NULL;
  int code = cs_plan_points(x->plan, axis, axes, point, points, &plan, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < points; i++)
    radius[i] = NAN;
  x->outcome->points += plan->ordered;
  code = cs_resume_radii(&x->resume, x->pool, plan, &(struct cs_serve_points){axis, axes, point}, radius, error);
  cs_plan_free(plan);
  return code;
}

static int add_boundaries(struct engine *x, struct cs_table *table, struct cs_error *error) {
  const double *radius = x->collect.radius;
  int code = CS_OK;
  if (x->sweep->boundary >= 0) code = cs_boundary_search(x->sweep, radius, evaluate, x, table, error);
  if (code == CS_OK && x->sweep->refine > 0) code = cs_refine_maps(x->sweep, radius, evaluate, x, table, error);
  return code;
}

/* ---- spectra of a simulation's runs ------------------------------------------------------------------------------ */

static void enter_beside(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  (void)way;
  cs_result_enter_spectrum(context, run, state, pitch);
}

/* Computes the eigenvalues of the propagation matrices of a simulation's runs, including those that diverged. */
static int add_spectra(struct engine *x, struct cs_table *table, struct cs_error *error) {
  struct cs_plan *plan = NULL;
  struct cs_pool *pool = NULL;
  struct cs_result result;
  int code = cs_sizing_plan(x->sweep, CS_STABILITY, x->info, x->devices, x->options, &plan, error);
  if (code != CS_OK) return code;
  cs_result_open(plan, table, &result);
  code = cs_pool_open_for(plan, x->device, x->devices, x->options, false, &pool, error);
  if (code == CS_OK) code = cs_resume_run(&x->resume, pool, plan, CS_PASS_SPECTRA, enter_beside, &result, error);
  warn(x, pool);
  if (code == CS_OK && x->options->shard == 0) cs_result_copy(plan, table, NULL);
  add_times(x, pool);
  cs_pool_close(pool);
  cs_plan_free(plan);
  return code;
}

/* ---- rounding ---------------------------------------------------------------------------------------------------- */

static void enter_other(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  cs_result_enter(context, run, way, state, pitch);
}

/* Computes the runs by another formulation, and what the two have in common. */
static int add_rounding(struct engine *x, const char *started, struct cs_error *error) {
  struct cs_plan *plan = NULL;
  struct cs_pool *pool = NULL;
  struct cs_table *table = NULL;
  struct cs_result result;
  int code = cs_sizing_plan_other(x->sweep, x->info, x->devices, x->options, &plan, error);
  if (code == CS_OK) code = cs_result_new(plan, x->options->command, started, &table, error);
  if (code == CS_OK) {
    cs_result_open(plan, table, &result);
    code = cs_pool_open_for(plan, x->device, x->devices, x->options, false, &pool, error);
  }
  if (code == CS_OK) code = cs_resume_run(&x->resume, pool, plan, CS_PASS_OTHER, enter_other, &result, error);
  warn(x, pool);
  if (code == CS_OK && x->options->shard == 0) code = cs_rounding_judge(&x->collect, &result, error);
  add_times(x, pool);
  cs_pool_close(pool);
  cs_table_free(table);
  cs_plan_free(plan);
  return code;
}

/* ---- the sweep --------------------------------------------------------------------------------------------------- */

static void warn_of_cache(const struct engine *x) {
  bool pocl = false;
  for (size_t d = 0; d < x->used_devices; d++)
    pocl = pocl || cs_device_is_pocl(x->used[d]);
  if (pocl && cs_cache_warning() != NULL) cs_text_add(&x->outcome->warnings, "%s\n", cs_cache_warning());
}

static int add_provenance(const struct engine *x, const char *started, double wall, struct cs_table *table,
                          struct cs_error *error) {
  const struct cs_provenance p = {.plan = x->plan,
                                  .device = x->used,
                                  .devices = x->used_devices,
                                  .asked = x->info[0],
                                  .options = x->options,
                                  .started = started,
                                  .failures = cs_text_string(&x->outcome->failures),
                                  .runs = x->plan->runs,
                                  .wall = wall,
                                  .points = x->outcome->points,
                                  .steps = x->outcome->steps,
                                  .build_seconds = x->outcome->programs.seconds,
                                  .occupancy = cs_pool_occupancy(x->pool),
                                  .device_seconds = x->outcome->device_seconds};
  return cs_provenance_add(&p, table, error);
}

/* Computes the runs; those whose steps become too long for their network are repeated by the variants for stiff ones.
 */
static int compute(struct engine *x, struct cs_error *error) {
  struct cs_collect *c = &x->collect;
  int code = cs_resume_run(&x->resume, x->pool, x->plan, CS_PASS_RUNS, cs_collect_enter, c, error);
  if (code != CS_OK || c->repeated == 0) return code;
  code = cs_plan_again(x->plan, c->again, c->repeated, error);
  if (code == CS_OK) code = cs_sizing_check(x->plan, x->info, x->devices, x->options, error);
  if (code != CS_OK) return code;
  return cs_resume_run(&x->resume, x->pool, x->plan, CS_PASS_AGAIN, cs_collect_enter, c, error);
}

/* What is left of a shard, of which the journal is all that stays. */
static int run_shard(struct engine *x, double start, struct cs_table **table, struct cs_error *error) {
  const int code = cs_sweep_has_spectra_beside(x->sweep) ? add_spectra(x, *table, error) : CS_OK;
  add_times(x, x->pool);
  x->outcome->wall_seconds = cs_clock_seconds() - start;
  cs_table_free(*table);
  *table = NULL;
  return code;
}

static int run(struct engine *x, struct cs_table **table, struct cs_error *error) {
  const double start = cs_clock_seconds();
  const bool boundaries = has_boundaries(x->sweep);
  char started[CS_TIME_STAMP];
  cs_provenance_stamp(started);
  x->outcome->device_seconds = 0.0; /* every pool adds to it */
  x->outcome->programs = (struct cs_preparation){0};
  int code = cs_sizing_plan(x->sweep, x->sweep->study, x->info, x->devices, x->options, &x->plan, error);
  if (code == CS_OK) code = cs_result_new(x->plan, x->options->command, started, table, error);
  if (code == CS_OK) code = cs_collect_open(x->plan, boundaries, *table, x->outcome, &x->collect, error);
  if (code == CS_OK) code = cs_pool_open_for(x->plan, x->device, x->devices, x->options, boundaries, &x->pool, error);
  if (code == CS_OK) code = cs_resume_open(x->options, x->plan, &x->resume, error);
  if (code == CS_OK) code = compute(x, error);
  if (code == CS_OK && x->sweep->study == CS_SIMULATION && cs_rounding_is_wanted(x->plan))
    code = add_rounding(x, started, error);
  if (code != CS_OK) return code;
  x->used_devices = cs_pool_devices(x->pool, x->used);
  warn(x, x->pool);
  warn_of_cache(x);
  if (x->options->shard > 0) return run_shard(x, start, table, error);
  cs_collect_finish(&x->collect, *table);
  if (x->options->command != NULL) cs_radius_describe(x->sweep, x->collect.result.status, &x->outcome->failures);
  code = cs_result_add_exact(x->plan, *table, error);
  if (code == CS_OK) code = cs_result_add_bound(x->plan, *table, error);
  if (code == CS_OK && cs_sweep_has_spectra_beside(x->sweep)) code = add_spectra(x, *table, error);
  if (code == CS_OK) code = cs_result_fit(x->plan, *table, error);
  if (code == CS_OK && boundaries) code = add_boundaries(x, *table, error);
  add_times(x, x->pool);
  if (code == CS_OK) code = add_provenance(x, started, cs_clock_seconds() - start, *table, error);
  x->outcome->wall_seconds = cs_clock_seconds() - start;
  return code;
}

int cs_engine_run_on(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
                     const struct cs_engine_options *options, struct cs_table **table, struct cs_outcome *outcome,
                     struct cs_error *error) {
  static const struct cs_engine_options defaults;
  struct cs_outcome own = {0};
  struct engine x = {.sweep = sweep,
                     .options = options != NULL ? options : &defaults,
                     .device = device,
                     .devices = devices,
                     .outcome = outcome != NULL ? outcome : &own};
  *table = NULL;
  if (devices == 0) return cs_error_set(error, CS_USAGE, "no device to run on; want at least one");
  x.info = malloc(devices * sizeof *x.info);
  for (size_t d = 0; x.info != NULL && d < devices; d++)
    x.info[d] = cs_device_info(device[d]);
  x.used = malloc((devices + 1) * sizeof *x.used);
  int code = x.info != NULL && x.used != NULL ? run(&x, table, error) : cs_error_memory(error);
  if (x.plan != NULL && x.options->farm != NULL) {
    struct cs_error other;
    const int finished = cs_serve_finish(x.options->farm, &other);
    if (code == CS_OK && finished != CS_OK) code = finished;
  }
  cs_pool_close(x.pool);
  cs_collect_close(&x.collect);
  cs_resume_close(&x.resume);
  cs_plan_free(x.plan);
  free(x.info);
  free(x.used);
  cs_outcome_free(&own);
  if (code != CS_OK) {
    cs_table_free(*table);
    *table = NULL;
  }
  return code;
}

int cs_engine_run(const struct cs_sweep *sweep, struct cs_device *device, const struct cs_engine_options *options,
                  struct cs_table **table, struct cs_outcome *outcome, struct cs_error *error) {
  return cs_engine_run_on(sweep, &device, 1, options, table, outcome, error);
}
