#include "engine.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ahead.h"
#include "boundary.h"
#include "cache.h"
#include "clock.h"
#include "collect.h"
#include "list.h"
#include "machine.h"
#include "pool.h"
#include "prediction.h"
#include "provenance.h"
#include "radius.h"
#include "refine.h"
#include "resume.h"
#include "rounding.h"
#include "shard.h"
#include "sizing.h"
#include "tiers.h"
#include "window.h"

struct engine {
  const struct cs_sweep *sweep;
  const struct cs_engine_options *options;
  struct cs_device *const *device;    /* [devices] */
  const struct cs_device_info **info; /* [devices] */
  size_t devices;
  struct cs_device_info *used; /* [used_devices], those that computed runs */
  size_t used_devices;
  size_t modes; /* largest number of eigenvalues of a run */
  char started[CS_TIME_STAMP];
  double start; /* clock */
  struct cs_table *table;
  struct cs_resume resume;
  struct cs_kernels kernels;
  struct cs_collect_all all;
  struct cs_tiers *tiers; /* with device `auto`, of all windows */
  double tried, room;     /* as from cs_pool_add_occupancy */
  double *radius;         /* [runs] spectral radii, where boundaries are searched */
  bool single;            /* only some runs are computed, each in a window of its own */
  struct cs_outcome *outcome;

  struct cs_ahead ahead;
  struct cs_window window;       /* the runs that are being computed */
  struct cs_engine_options told; /* the options, with progress of the whole sweep */
  struct cs_plan *plan;
  struct cs_pool *pool;
  struct cs_collect collect;
};

static void add_times(const struct engine *x, const struct cs_pool *pool) {
  x->outcome->device_seconds += cs_pool_device_seconds(pool);
  cs_pool_add_preparation(pool, &x->outcome->programs);
}

/* Each warning once. */
static void warn(const struct engine *x, const char *warning) {
  if (warning != NULL && strstr(cs_text_string(&x->outcome->warnings), warning) == NULL)
    cs_text_add(&x->outcome->warnings, "%s\n", warning);
}

static void end_window(struct engine *x) {
  add_times(x, x->pool);
  cs_pool_add_occupancy(x->pool, &x->tried, &x->room);
}

/* Of a pool in a window, or after the last one. */
static struct cs_pool_setup setup_of(const struct engine *x, bool keep) {
  return (struct cs_pool_setup){.device = x->device,
                                .devices = x->devices,
                                .options = &x->told,
                                .tiers = x->tiers,
                                .windows = (double)x->sweep->runs / (double)x->window.sweep.runs,
                                .keep = keep};
}

/* ---- boundaries -------------------------------------------------------------------------------------------------- */

static bool has_boundaries(const struct cs_sweep *sweep) {
  return sweep->boundary >= 0 || sweep->refine > 0;
}

/* Opens the pool of the last window anew where it has no room for the variants of others. */
static int make_room(struct engine *x, struct cs_error *error) {
  if (cs_pool_has_room(x->pool, x->plan)) return CS_OK;
  end_window(x);
  cs_pool_close(x->pool);
  x->pool = NULL;
  return cs_pool_open_for(x->plan, setup_of(x, true), &x->pool, error);
}

static int evaluate(void *context, const size_t *axis, size_t axes, const struct cs_point *point, size_t points,
                    double *radius, struct cs_error *error) {
  struct engine *x = context;
  struct cs_plan *plan = NULL;
  int code = cs_plan_points(x->plan, x->sweep, axis, axes, point, points, &plan, error);
  if (code == CS_OK) code = make_room(x, error);
  if (code != CS_OK) {
    cs_plan_free(plan);
    return code;
  }
  for (size_t i = 0; i < points; i++)
    radius[i] = NAN;
  x->outcome->points += plan->ordered;
  code = cs_resume_radii(&x->resume, x->pool, plan, &(struct cs_serve_points){axis, axes, point}, radius, error);
  cs_plan_free(plan);
  return code;
}

static int add_boundaries(struct engine *x, struct cs_table *table, struct cs_error *error) {
  const double *radius = x->radius;
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
static int add_spectra(struct engine *x, struct cs_error *error) {
  struct cs_plan *plan = NULL;
  struct cs_pool *pool = NULL;
  struct cs_result result;
  int code = cs_sizing_plan_beside(x->plan, &x->window.sweep, x->info, x->devices, x->options, &plan, error);
  if (code != CS_OK) return code;
  plan->modes = x->modes;
  cs_result_open(plan, &x->window.table, &result);
  code = cs_pool_open_for(plan, setup_of(x, false), &pool, error);
  if (code == CS_OK) code = cs_resume_run(&x->resume, pool, plan, CS_PASS_SPECTRA, enter_beside, &result, error);
  warn(x, cs_pool_warning(pool));
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
static int add_rounding(struct engine *x, struct cs_error *error) {
  const struct cs_sweep *part = &x->window.sweep;
  struct cs_plan *plan = NULL;
  struct cs_pool *pool = NULL;
  struct cs_window other = {0};
  struct cs_result result;
  int code = cs_sizing_plan_other(part, x->info, x->devices, x->options, &plan, error);
  if (code == CS_OK)
    code = cs_window_open(x->sweep, x->table, part->first - x->sweep->first, part->runs, true, &other, error);
  if (code == CS_OK) {
    plan->modes = x->modes;
    cs_result_begin(plan, &other.table);
    cs_result_open(plan, &other.table, &result);
    code = cs_pool_open_for(plan, setup_of(x, false), &pool, error);
  }
  if (code == CS_OK) code = cs_resume_run(&x->resume, pool, plan, CS_PASS_OTHER, enter_other, &result, error);
  warn(x, cs_pool_warning(pool));
  if (code == CS_OK && x->options->shard == 0) code = cs_rounding_judge(&x->collect, &result, error);
  add_times(x, pool);
  cs_pool_close(pool);
  cs_window_close(&other);
  cs_plan_free(plan);
  return code;
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* Progress of a window, as progress of the sweep. */
static void tell_all(const struct cs_progress *progress, void *context) {
  const struct engine *x = context;
  const double first = (double)(x->window.sweep.first - x->sweep->first), runs = (double)x->sweep->runs;
  const double part = progress->work > 0.0 ? progress->work_done / progress->work : 0.0;
  const double left = (runs - first - (double)x->window.sweep.runs) / (double)x->window.sweep.runs;
  struct cs_progress p = *progress;
  if (x->plan->again == NULL) {
    p.runs = x->sweep->runs;
    p.runs_done += (size_t)first;
  }
  p.work = runs;
  p.work_done = first + part * (double)x->window.sweep.runs;
  /* the windows that are left take as long as this one */
  p.remaining += left * (p.seconds + p.remaining);
  p.seconds = cs_clock_seconds() - x->start;
  x->options->progress(&p, x->options->context);
}

static bool is_whole(const struct engine *x) {
  return x->window.sweep.runs == x->sweep->runs;
}

/* Plans the runs from `first` on, at most `runs`. */
static int plan_window(struct engine *x, size_t first, size_t runs, struct cs_error *error) {
  x->window.sweep = cs_sweep_part(x->sweep, first, runs);
  const size_t next = first + x->window.sweep.runs;
  if (x->tiers != NULL) cs_tiers_follow(x->tiers, cs_sweep_part(x->sweep, next, SIZE_MAX));
  x->told = *x->options;
  if (x->options->progress != NULL && !is_whole(x)) {
    x->told.progress = tell_all;
    x->told.context = x;
  }
  return cs_ahead_take(&x->ahead, first, runs, &x->plan, error);
}

/* Makes the place of its results. */
static int open_window(struct engine *x, struct cs_error *error) {
  const size_t first = x->window.sweep.first - x->sweep->first, runs = x->window.sweep.runs;
  const bool boundaries = has_boundaries(x->sweep);
  int code = cs_window_open(x->sweep, x->table, first, runs, false, &x->window, error);
  if (code != CS_OK) return code;
  x->plan->modes = x->modes;
  cs_result_begin(x->plan, &x->window.table);
  code = cs_collect_open(x->plan, boundaries, &x->window.table, x->outcome, &x->all, &x->collect, error);
  if (code == CS_OK) code = cs_pool_open_for(x->plan, setup_of(x, boundaries), &x->pool, error);
  return code;
}

static bool was_used(const struct engine *x, size_t count, const struct cs_device_info *device) {
  size_t i = 0;
  while (i < count && (x->used[i].index != device->index || strcmp(x->used[i].name, device->name) != 0))
    i++;
  return i < count;
}

/* Notes the devices of the window that no window before had. */
static int add_used(struct engine *x, struct cs_error *error) {
  const size_t before = x->used_devices;
  const struct cs_device_info **device = malloc((x->devices + CS_TIERS) * sizeof *device);
  const size_t count = device != NULL ? cs_pool_devices(x->pool, device) : 0;
  int code = device != NULL ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    if (was_used(x, before, device[i])) continue;
    if (!cs_list_grow(&x->used, x->used_devices, sizeof *x->used)) code = cs_error_memory(error);
    if (code == CS_OK) x->used[x->used_devices++] = *device[i];
  }
  free(device);
  return code;
}

static void free_window(struct engine *x) {
  cs_pool_close(x->pool);
  cs_collect_close(&x->collect);
  cs_plan_free(x->plan);
  cs_window_close(&x->window);
  x->collect.plan = NULL;
  x->pool = NULL;
  x->plan = NULL;
}

/* Computes the runs; those whose steps become too long for their network are repeated by the variants for stiff ones.
 */
static int compute(struct engine *x, struct cs_error *error) {
  struct cs_collect *c = &x->collect;
  int code = cs_resume_run(&x->resume, x->pool, x->plan, CS_PASS_RUNS, cs_collect_enter, c, error);
  if (code != CS_OK || c->repeated == 0) return code;
  x->outcome->repeats += c->repeated;
  code = cs_plan_again(x->plan, c->again, c->repeated, error);
  if (code == CS_OK) code = cs_sizing_check(x->plan, x->info, x->devices, x->options, error);
  if (code != CS_OK) return code;
  return cs_resume_run(&x->resume, x->pool, x->plan, CS_PASS_AGAIN, cs_collect_enter, c, error);
}

/* Computes the window's runs and what is known of each of them alone. */
static int run_window(struct engine *x, struct cs_error *error) {
  struct cs_table *table = &x->window.table;
  int code = open_window(x, error);
  if (code == CS_OK) code = compute(x, error);
  if (code == CS_OK && x->sweep->study == CS_SIMULATION && cs_rounding_is_wanted(x->plan))
    code = add_rounding(x, error);
  if (code != CS_OK) return code;
  warn(x, cs_pool_warning(x->pool));
  code = add_used(x, error);
  if (code == CS_OK && x->options->shard == 0) {
    cs_collect_finish(&x->collect);
    code = cs_result_add_exact(x->plan, table, &x->outcome->warnings, error);
    if (code == CS_OK) code = cs_result_add_operating_point(x->plan, table, &x->outcome->warnings, error);
    if (code == CS_OK) code = cs_result_add_bound(x->plan, table, &x->outcome->warnings, error);
    if (code == CS_OK) code = cs_provenance_add_kernels(x->sweep, x->plan, &x->kernels, error);
  }
  if (code == CS_OK && cs_sweep_has_spectra_beside(x->sweep)) code = add_spectra(x, error);
  if (code == CS_OK && x->radius != NULL)
    memcpy(x->radius + (x->window.sweep.first - x->sweep->first), x->collect.radius,
           x->window.sweep.runs * sizeof *x->radius);
  if (code == CS_OK) code = cs_window_keep(&x->window, x->table, x->window.sweep.first - x->sweep->first, error);
  return code;
}

/* ---- the sweep --------------------------------------------------------------------------------------------------- */

static void warn_of_cache(const struct engine *x) {
  bool built = false;
  for (size_t d = 0; d < x->used_devices; d++)
    built = built || !x->used[d].host;
  if (built) warn(x, cs_cache_warning());
}

static int add_provenance(const struct engine *x, struct cs_error *error) {
  const struct cs_device_info **device = malloc((x->used_devices + 1) * sizeof *device);
  if (device == NULL) return cs_error_memory(error);
  for (size_t d = 0; d < x->used_devices; d++)
    device[d] = &x->used[d];
  const struct cs_provenance p = {.sweep = x->sweep,
                                  .kernels = &x->kernels,
                                  .device = device,
                                  .devices = x->used_devices,
                                  .asked = x->info[0],
                                  .options = x->options,
                                  .started = x->started,
                                  .failures = cs_text_string(&x->outcome->failures),
                                  .runs = x->sweep->runs,
                                  .wall = cs_clock_seconds() - x->start,
                                  .points = x->outcome->points,
                                  .repeats = x->outcome->repeats,
                                  .steps = x->outcome->steps,
                                  .build_seconds = x->outcome->programs.seconds,
                                  .occupancy = x->tried / x->room,
                                  .device_seconds = x->outcome->device_seconds};
  const int code = cs_provenance_add(&p, x->table, error);
  free(device);
  return code;
}

/* What the blocks of all runs are taken to cost, where there are shards: class [], free() it. The first window has been
 * planned already. */
static int find_classes(struct engine *x, int **class, struct cs_error *error) {
  const size_t runs = x->sweep->runs, part = x->window.sweep.runs;
  int code = CS_OK;
  *class = NULL;
  if (x->options->shards == 0) return CS_OK;
  const size_t block = cs_shard_block(runs, x->options->shards);
  *class = calloc(runs / block + 1, sizeof **class);
  if (*class == NULL) return cs_error_memory(error);
  cs_shard_classes(x->plan, block, *class);
  for (size_t first = part; first < runs && code == CS_OK; first += part) {
    const struct cs_sweep next = cs_sweep_part(x->sweep, first, part);
    struct cs_plan *plan = NULL;
    code = cs_sizing_plan(&next, x->info, x->devices, x->options, &plan, error);
    if (code == CS_OK) cs_shard_classes(plan, block, *class + first / block);
    cs_plan_free(plan);
  }
  return code;
}

/* Where results are while the sweep is computed; those of a shard are in its journal alone, those of single runs in
 * their windows. */
static struct cs_result_home home_of(const struct engine *x) {
  struct cs_prediction prediction;
  cs_prediction_make(x->sweep, x->options, &prediction);
  const bool none = x->single || x->options->shard > 0;
  const enum cs_home home = none ? CS_NOWHERE : prediction.spills ? CS_IN_FILE : CS_IN_MEMORY;
  return (struct cs_result_home){home, x->options->beside};
}

/* The file of the result, with the texts of the kernels of the first window, must find room beside which results may
 * be: what the numbers take was looked at before, but a kernel has half a MB. */
static int check_file(const struct engine *x, struct cs_error *error) {
  struct cs_kernels kernels = {0};
  struct cs_prediction_sizes sizes = {0};
  if (x->options->beside == NULL || x->options->shard > 0) return CS_OK;
  int code = cs_provenance_add_kernels(x->sweep, x->plan, &kernels, error);
  if (code == CS_OK) code = cs_prediction_result(x->sweep, x->info[0], x->options, x->modes, &kernels, &sizes, error);
  if (code == CS_OK) code = cs_machine_check_file(x->options->beside, (double)sizes.file, error);
  if (code == CS_OK) code = cs_machine_check_space(x->options->beside, (double)sizes.file, error);
  cs_provenance_free_kernels(&kernels);
  return code;
}

/* What the table and the journal need to know, after the first window was planned. */
static int begin(struct engine *x, struct cs_error *error) {
  bool counts = false; /* eigenvalues */
  int *class = NULL, code = CS_OK;
  for (int m = 0; m < CS_METRICS; m++)
    counts = counts || (x->sweep->metric[m] && cs_metric_table[m].over == CS_OVER_MODE);
  x->modes = x->plan->modes;
  if (counts && !is_whole(x)) code = cs_plan_modes(x->sweep, &x->modes, error);
  if (code == CS_OK) code = check_file(x, error);
  if (code == CS_OK)
    code = cs_result_new(x->sweep, x->modes, home_of(x), x->options->command, x->started, &x->table, error);
  if (code == CS_OK && has_boundaries(x->sweep) && !x->single) {
    x->radius = malloc((x->sweep->runs + 1) * sizeof *x->radius);
    if (x->radius == NULL) code = cs_error_memory(error);
  }
  if (code == CS_OK) code = find_classes(x, &class, error);
  if (code == CS_OK) code = cs_resume_open(x->options, x->sweep->runs, class, &x->resume, error);
  free(class);
  return code;
}

/* What follows from all runs, the last window of which is still open. */
static int finish(struct engine *x, struct cs_error *error) {
  const struct cs_array *status = cs_table_find(x->table, "status");
  cs_collect_tell(&x->all, x->outcome);
  warn_of_cache(x);
  if (x->options->shard > 0) return CS_OK;
  if (x->options->command != NULL) cs_radius_describe(x->sweep, status, &x->outcome->failures);
  int code = cs_result_fit(x->sweep, x->modes, x->table, x->table, error);
  if (code == CS_OK && has_boundaries(x->sweep)) code = add_boundaries(x, x->table, error);
  return code;
}

/* Before the first window. */
static int prepare(struct engine *x, struct cs_error *error) {
  x->start = cs_clock_seconds();
  cs_provenance_stamp(x->started);
  x->outcome->device_seconds = x->outcome->steps = 0.0; /* every window adds to them */
  x->outcome->programs = (struct cs_preparation){0};
  for (int i = 0; i < CS_STATUSES; i++)
    x->outcome->status[i] = 0;
  x->info = malloc(x->devices * sizeof *x->info);
  if (x->info == NULL) return cs_error_memory(error);
  for (size_t d = 0; d < x->devices; d++)
    x->info[d] = cs_device_info(x->device[d]);
  x->ahead = (struct cs_ahead){.sweep = x->sweep, .device = x->info, .devices = x->devices, .options = x->options};
  const bool tiers = cs_tiers_serve(x->device, x->devices, x->options);
  return tiers ? cs_tiers_open(x->device[0], x->options, &x->tiers, error) : CS_OK;
}

static void close_all(struct engine *x) {
  free_window(x);
  cs_ahead_end(&x->ahead);
  cs_tiers_close(x->tiers);
  cs_resume_close(&x->resume);
  cs_collect_free_all(&x->all);
  free(x->radius);
  cs_provenance_free_kernels(&x->kernels);
  free(x->info);
  free(x->used);
  cs_table_free(x->table);
}

static int run(struct engine *x, struct cs_error *error) {
  const size_t runs = x->sweep->runs, part = cs_window_runs(x->sweep, x->options);
  int code = prepare(x, error);
  if (code == CS_OK) code = cs_prediction_check_memory(x->sweep, x->options, error);
  for (size_t first = 0; first < runs && code == CS_OK; first += part) {
    free_window(x);
    code = plan_window(x, first, part, error);
    if (code == CS_OK && first == 0) code = begin(x, error);
    if (code == CS_OK) cs_ahead_begin(&x->ahead, first + part, part);
    if (code == CS_OK) code = run_window(x, error);
    if (code == CS_OK && first + part >= runs) code = finish(x, error);
    end_window(x);
  }
  if (code == CS_OK && x->options->shard == 0) code = add_provenance(x, error);
  x->outcome->wall_seconds = cs_clock_seconds() - x->start;
  return code;
}

static const struct cs_engine_options defaults;

int cs_engine_run_on(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
                     const struct cs_engine_options *options, struct cs_table **table, struct cs_outcome *outcome,
                     struct cs_error *error) {
  struct cs_outcome own = {0};
  struct engine x = {.sweep = sweep,
                     .options = options != NULL ? options : &defaults,
                     .device = device,
                     .devices = devices,
                     .outcome = outcome != NULL ? outcome : &own};
  *table = NULL;
  if (devices == 0) return cs_error_set(error, CS_USAGE, "no device to run on; want at least one");
  int code = run(&x, error);
  if (x.options->farm != NULL) {
    struct cs_error other;
    const int finished = cs_serve_finish(x.options->farm, &other);
    if (code == CS_OK && finished != CS_OK) code = finished;
  }
  if (code == CS_OK && x.options->shard == 0) {
    *table = x.table;
    x.table = NULL;
  }
  close_all(&x);
  cs_outcome_free(&own);
  return code;
}

int cs_engine_again(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
                    const struct cs_engine_options *options, const size_t *run, size_t runs,
                    const struct cs_engine_again *again, struct cs_outcome *outcome, struct cs_error *error) {
  struct engine x = {
      .sweep = sweep, .options = options, .device = device, .devices = devices, .outcome = outcome, .single = true};
  int code = prepare(&x, error);
  for (size_t i = 0; i < runs && code == CS_OK; i++) {
    free_window(&x);
    code = plan_window(&x, run[i], 1, error);
    if (code == CS_OK && i == 0) code = begin(&x, error);
    if (code == CS_OK) code = run_window(&x, error);
    if (code == CS_OK) code = again->receive(again->context, run[i], &x.window.table, error);
    if (code == CS_OK && i + 1 == runs && has_boundaries(sweep) && again->between != NULL)
      code = again->between(again->between_context, evaluate, &x, error);
    end_window(&x);
  }
  outcome->wall_seconds = cs_clock_seconds() - x.start;
  close_all(&x);
  return code;
}

int cs_engine_run(const struct cs_sweep *sweep, struct cs_device *device, const struct cs_engine_options *options,
                  struct cs_table **table, struct cs_outcome *outcome, struct cs_error *error) {
  return cs_engine_run_on(sweep, &device, 1, options, table, outcome, error);
}
