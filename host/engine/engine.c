#include "engine.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "boundary.h"
#include "cache.h"
#include "emit.h"
#include "pool.h"
#include "provenance.h"
#include "refine.h"
#include "result.h"
#include "sizing.h"

enum { MOST_FAILURES = 5 };

/* A run that failed on its way. */
struct failed {
  size_t run;
  double step; /* its number */
  enum cs_status status;
};

/* A sweep at work. */
struct engine {
  const struct cs_sweep *sweep;
  const struct cs_engine_options *options;
  const struct cs_plan *plan;
  const struct cs_device_info **info; /* [devices] */
  size_t devices;
  struct cs_pool *pool;
  struct cs_result result;
  double beside_seconds; /* device time of the spectra beside a simulation */
  double *radius;        /* [runs] spectral radii where boundaries are searched, NaN where there are none; else NULL */
  pthread_mutex_t lock;  /* of what follows */
  struct cs_outcome *outcome;
  struct failed failed[MOST_FAILURES]; /* ascending runs */
  size_t failed_runs;                  /* computed ones, also beyond those */
  double worst_growth, steps;          /* steps: of runs whose steps vary */
  size_t growth_runs;
};

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void note_failed(struct engine *x, size_t run, double step, enum cs_status status) {
  const size_t count = x->failed_runs++;
  size_t at = count < MOST_FAILURES ? count : MOST_FAILURES;
  while (at > 0 && x->failed[at - 1].run > run) {
    if (at < MOST_FAILURES) x->failed[at] = x->failed[at - 1];
    at--;
  }
  if (at < MOST_FAILURES) x->failed[at] = (struct failed){run, step, status};
}

/* Number of the step at which a run failed. */
static double failed_step(const struct engine *x, const struct cs_layout *l, size_t run, const double *state,
                          size_t pitch) {
  if (l->varies) {
    const double *own = state + l->state_vary; /* a step that diverges is neither taken nor rejected */
    return own[CS_VARY_STEPS] + own[CS_VARY_REJECTED] + (own[CS_VARY_STATUS] == CS_STATUS_DIVERGED ? 1.0 : 0.0);
  }
  const double step = state[l->state_diverged * pitch];
  return step > 0.0 ? step : x->plan->run[run].steps;
}

static void enter(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  struct engine *x = context;
  const struct cs_layout *l = x->plan->variant[x->plan->run[run].variant];
  const enum cs_status status = l->stability ? cs_result_enter_spectrum(&x->result, run, state, pitch)
                                             : cs_result_enter(&x->result, run, way, state, pitch);

  const double growth = l->stability ? 0.0 : state[l->state_growth * pitch];
  if (x->radius != NULL) x->radius[run] = cs_result_radius(state, pitch);
  pthread_mutex_lock(&x->lock);
  x->outcome->status[status]++;
  if (status != CS_STATUS_OK) note_failed(x, run, failed_step(x, l, run, state, pitch), status);
  if (l->varies) x->steps += state[l->state_vary + CS_VARY_STEPS] + state[l->state_vary + CS_VARY_REJECTED];
  if (growth > 1e8) {
    x->growth_runs++;
    x->worst_growth = fmax(x->worst_growth, growth);
  }
  pthread_mutex_unlock(&x->lock);
}

static void report_start(struct engine *x) {
  for (int i = 0; i < CS_STATUSES; i++)
    x->outcome->status[i] = x->plan->status[i];
  if (x->plan->reasons.length > 0)
    cs_text_append(&x->outcome->failures, x->plan->reasons.data, x->plan->reasons.length);
}

/* Why a run failed, from its status and the step it came to. */
static void describe_failure(const struct engine *x, const struct failed *d, struct cs_text *text) {
  const struct cs_run *run = &x->plan->run[d->run];
  if (x->sweep->study == CS_STABILITY) {
    cs_text_add(text, "the map of a step is not finite, or its eigenvalues did not converge\n");
    return;
  }
  cs_result_describe_end(d->status, d->step, text);
  if (!x->plan->variant[run->variant]->varies) cs_text_add(text, " of %.0f", run->steps);
  cs_text_add(text, "\n");
}

static void report_end(struct engine *x, double wall) {
  struct cs_outcome *r = x->outcome;
  for (size_t i = 0; i < x->failed_runs && i < MOST_FAILURES; i++) {
    const struct failed *d = &x->failed[i];
    struct cs_text where = {0};
    cs_sweep_describe_run(x->sweep, d->run, &where);
    cs_text_add(&r->failures, "run %zu (%s): ", d->run, cs_text_string(&where));
    describe_failure(x, d, &r->failures);
    cs_text_free(&where);
  }
  r->wall_seconds = wall;
  r->device_seconds = cs_pool_device_seconds(x->pool) + x->beside_seconds;
  r->steps = x->plan->steps + x->steps;
  bool pocl = false;
  for (size_t d = 0; d < x->devices; d++)
    pocl = pocl || cs_device_is_pocl(x->info[d]);
  if (pocl && cs_cache_warning() != NULL) cs_text_add(&r->warnings, "%s\n", cs_cache_warning());
  if (x->growth_runs > 0)
    cs_text_add(&r->warnings,
                "start consistent: the exact solution before the start grows up to %.3g times in %zu runs; "
                "consider \"start\": \"ramp\"\n",
                x->worst_growth, x->growth_runs);
}

/* ---- boundaries -------------------------------------------------------------------------------------------------- */

static void enter_point(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  double *radius = context;
  (void)way;
  radius[run] = cs_result_radius(state, pitch);
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
  code = cs_pool_run(x->pool, plan, enter_point, radius, error);
  cs_plan_free(plan);
  return code;
}

static bool has_boundaries(const struct cs_sweep *sweep) {
  return sweep->boundary >= 0 || sweep->refine > 0;
}

static int add_boundaries(struct engine *x, struct cs_table *table, struct cs_error *error) {
  int code = CS_OK;
  for (size_t run = 0; x->plan->copies > 0 && run < x->plan->runs; run++)
    if (x->plan->run[run].status == CS_STATUS_OK) x->radius[run] = x->radius[x->plan->same[run]];
  if (x->sweep->boundary >= 0) code = cs_boundary_search(x->sweep, x->radius, evaluate, x, table, error);
  if (code == CS_OK && x->sweep->refine > 0) code = cs_refine_maps(x->sweep, x->radius, evaluate, x, table, error);
  return code;
}

/* ---- spectra beside a simulation --------------------------------------------------------------------------------- */

static void enter_beside(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  (void)way;
  cs_result_enter_spectrum(context, run, state, pitch);
}

/* Analyses the maps of a simulation's runs, also of those that have diverged. */
static int add_spectra(struct engine *x, struct cs_device *const *device, struct cs_table *table,
                       struct cs_error *error) {
  struct cs_plan *plan = NULL;
  struct cs_pool *pool = NULL;
  struct cs_result result;
  int code = cs_sizing_plan(x->sweep, CS_STABILITY, x->info, x->devices, x->options, &plan, error);
  if (code != CS_OK) return code;
  const struct cs_pool_setup setup = {
      .device = device, .devices = x->devices, .variants = plan->variants, .options = x->options};
  cs_result_open(plan, table, &result);
  code = cs_pool_open(&setup, &pool, error);
  if (code == CS_OK) code = cs_pool_run(pool, plan, enter_beside, &result, error);
  if (code == CS_OK) cs_result_copy(plan, table, NULL);
  x->beside_seconds = cs_pool_device_seconds(pool);
  cs_pool_close(pool);
  cs_plan_free(plan);
  return code;
}

/* ---- the sweep --------------------------------------------------------------------------------------------------- */

/* How well steps that vary filled the vectors of lanes; NaN where there were none. */
static double occupancy(const struct engine *x) {
  double tried, room;
  cs_pool_occupancy(x->pool, &tried, &room);
  return tried / room;
}

/* Kernel texts of the variants that were computed, as for the first device. */
static int add_provenance(struct engine *x, const char *started, double wall, struct cs_table *table,
                          struct cs_error *error) {
  const struct cs_plan *plan = x->plan;
  char **sources = calloc(plan->variants + 1, sizeof *sources);
  int code = sources == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t i = 0; i < plan->tiles && code == CS_OK; i++) {
    struct cs_text source = {0};
    const uint32_t variant = plan->tile[i].variant;
    if (sources[variant] != NULL) continue;
    code = cs_emit_all(plan->variant[variant], cs_sizing_lanes(x->info[0], x->options), &source, error);
    sources[variant] = source.data;
  }
  if (code == CS_OK) {
    const struct cs_provenance p = {.plan = plan,
                                    .device = x->info,
                                    .devices = x->devices,
                                    .command = x->options->command,
                                    .started = started,
                                    .runs = plan->runs,
                                    .sources = sources,
                                    .lanes = cs_sizing_lanes(x->info[0], x->options),
                                    .wall = wall,
                                    .points = x->outcome->points,
                                    .steps = plan->steps + x->steps,
                                    .occupancy = occupancy(x),
                                    .device_seconds = cs_pool_device_seconds(x->pool) + x->beside_seconds};
    code = cs_provenance_add(&p, table, error);
  }
  cs_provenance_free_sources(sources, plan->variants);
  return code;
}

static int engine_open(struct engine *x, struct cs_device *const *device, struct cs_error *error) {
  const struct cs_pool_setup setup = {.device = device,
                                      .devices = x->devices,
                                      .variants = x->plan->variants,
                                      .options = x->options,
                                      .keep = has_boundaries(x->sweep)};
  if (has_boundaries(x->sweep)) {
    x->radius = malloc((x->plan->runs + 1) * sizeof *x->radius);
    if (x->radius == NULL) return cs_error_memory(error);
    for (size_t i = 0; i < x->plan->runs; i++)
      x->radius[i] = NAN;
  }
  return cs_pool_open(&setup, &x->pool, error);
}

static void engine_close(struct engine *x) {
  cs_pool_close(x->pool);
  free(x->radius);
  free(x->info);
  pthread_mutex_destroy(&x->lock);
}

/* Everything but the plan. */
static int run_plan(struct engine *x, struct cs_device *const *device, const char *started, double start,
                    struct cs_table **table, struct cs_error *error) {
  report_start(x);
  int code = engine_open(x, device, error);
  if (code == CS_OK) code = cs_result_new(x->plan, x->options->command, started, table, error);
  if (code == CS_OK) {
    cs_result_open(x->plan, *table, &x->result);
    code = cs_pool_run(x->pool, x->plan, enter, x, error);
  }
  if (code == CS_OK) cs_result_copy(x->plan, *table, x->outcome->status);
  if (code == CS_OK && cs_sweep_has_spectra_beside(x->sweep)) code = add_spectra(x, device, *table, error);
  if (code == CS_OK) code = cs_result_fit(x->plan, *table, error);
  if (code == CS_OK && has_boundaries(x->sweep)) code = add_boundaries(x, *table, error);
  if (code == CS_OK) code = add_provenance(x, started, cs_tally_clock() - start, *table, error);
  if (code == CS_OK) report_end(x, cs_tally_clock() - start);
  return code;
}

int cs_engine_run_on(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
                     const struct cs_engine_options *options, struct cs_table **table, struct cs_outcome *outcome,
                     struct cs_error *error) {
  static const struct cs_engine_options defaults;
  struct cs_outcome own = {0};
  struct engine x = {.sweep = sweep,
                     .options = options != NULL ? options : &defaults,
                     .devices = devices,
                     .outcome = outcome != NULL ? outcome : &own};
  struct cs_plan *plan = NULL;
  char started[CS_TIME_STAMP];
  const double start = cs_tally_clock();
  cs_provenance_stamp(started);
  *table = NULL;
  if (devices == 0) return cs_error_set(error, CS_USAGE, "no device to run on; want at least one");
  pthread_mutex_init(&x.lock, NULL);
  x.info = calloc(devices, sizeof *x.info);
  for (size_t d = 0; x.info != NULL && d < devices; d++)
    x.info[d] = cs_device_info(device[d]);
  int code = x.info == NULL ? cs_error_memory(error)
                            : cs_sizing_plan(sweep, sweep->study, x.info, devices, x.options, &plan, error);
  x.plan = plan;
  if (code == CS_OK) code = run_plan(&x, device, started, start, table, error);
  engine_close(&x);
  cs_plan_free(plan);
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
