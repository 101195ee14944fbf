#include "engine.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache.h"
#include "emit.h"
#include "launch.h"
#include "provenance.h"
#include "result.h"
#include "worker.h"

enum { MOST_FAILURES = 5 };

/* A built program and who uses it. */
struct built {
  struct cs_program *program;
  size_t users, tiles_left;
};

/* A run that left the range of numbers. */
struct diverged {
  size_t run;
  double step;
};

struct execution;

struct thread {
  struct execution *execution;
  pthread_t id;
  size_t device;
  struct cs_device *queue; /* twin of the device */
  struct cs_worker *worker;
  bool started;
  struct built *built; /* of the variant in use */
  int code;
  struct cs_error error;
};

struct execution {
  const struct cs_sweep *sweep;
  const struct cs_engine_options *options;
  const struct cs_plan *plan;
  struct cs_device *const *device;    /* [devices] */
  const struct cs_device_info **info; /* [devices] */
  size_t devices, threads;
  struct thread *thread;
  struct cs_tally *tally;
  struct cs_result result;
  pthread_mutex_t building; /* one program at a time: the cache takes what a build leaves behind */
  struct built *built;      /* [devices][variants] */
  pthread_mutex_t lock;     /* of what follows */
  size_t next;              /* tile */
  struct cs_report *report;
  struct diverged diverged[MOST_FAILURES]; /* ascending runs */
  size_t diverged_runs;                    /* computed ones, also beyond those */
  double worst_growth;
  size_t growth_runs;
};

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void note_diverged(struct execution *x, size_t run, double step) {
  const size_t count = x->diverged_runs++;
  size_t at = count < MOST_FAILURES ? count : MOST_FAILURES;
  while (at > 0 && x->diverged[at - 1].run > run) {
    if (at < MOST_FAILURES) x->diverged[at] = x->diverged[at - 1];
    at--;
  }
  if (at < MOST_FAILURES) x->diverged[at] = (struct diverged){run, step};
}

static void enter(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  struct execution *x = context;
  const struct cs_layout *l = x->plan->variant[x->plan->run[run].variant];
  const enum cs_status status = l->stability ? cs_result_enter_spectrum(&x->result, run, state, pitch)
                                             : cs_result_enter(&x->result, run, way, state, pitch);

  const double step = state[l->state_diverged * pitch], growth = l->stability ? 0.0 : state[l->state_growth * pitch];
  pthread_mutex_lock(&x->lock);
  x->report->status[status]++;
  if (status == CS_STATUS_DIVERGED) note_diverged(x, run, step > 0.0 ? step : x->plan->run[run].steps);
  if (growth > 1e8) {
    x->growth_runs++;
    x->worst_growth = fmax(x->worst_growth, growth);
  }
  pthread_mutex_unlock(&x->lock);
}

static void report_start(struct execution *x) {
  for (int i = 0; i < CS_STATUSES; i++)
    x->report->status[i] = x->plan->status[i];
  if (x->plan->reasons.length > 0) cs_text_append(&x->report->failures, x->plan->reasons.data, x->plan->reasons.length);
}

static void report_end(struct execution *x, double wall) {
  struct cs_report *r = x->report;
  for (size_t i = 0; i < x->diverged_runs && i < MOST_FAILURES; i++) {
    const struct diverged *d = &x->diverged[i];
    struct cs_text where = {0};
    cs_sweep_describe_run(x->sweep, d->run, &where);
    cs_text_add(&r->failures, "run %zu (%s): ", d->run, where.data != NULL ? where.data : "");
    if (x->sweep->study == CS_STABILITY)
      cs_text_add(&r->failures, "the map of a step is not finite, or its eigenvalues did not converge\n");
    else
      cs_text_add(&r->failures, "diverged at step %.0f of %.0f\n", d->step, x->plan->run[d->run].steps);
    cs_text_free(&where);
  }
  r->wall_seconds = wall;
  r->device_seconds = cs_tally_device_seconds(x->tally);
  r->steps = x->plan->steps;
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

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static unsigned lanes_of(const struct execution *x, size_t device) {
  return cs_launch_lanes(x->info[device], x->options);
}

static void release(struct thread *t) {
  struct execution *x = t->execution;
  struct cs_program *unused = NULL;
  if (t->built == NULL) return;
  cs_worker_use(t->worker, NULL, 0, NULL);
  pthread_mutex_lock(&x->lock);
  if (--t->built->users == 0 && t->built->tiles_left == 0) {
    unused = t->built->program;
    t->built->program = NULL;
  }
  pthread_mutex_unlock(&x->lock);
  pthread_mutex_lock(&x->building);
  cs_program_free(unused);
  pthread_mutex_unlock(&x->building);
  t->built = NULL;
}

/* The lock `building` is held. */
static int build(struct thread *t, struct built *built, uint32_t variant, struct cs_error *error) {
  struct execution *x = t->execution;
  struct cs_text source = {0};
  const double start = cs_tally_clock();
  int code = cs_emit(x->plan->variant[variant], lanes_of(x, t->device), &source, error);
  if (code == CS_OK)
    code =
        cs_program_open(x->device[t->device], source.data, CS_BUILD_OPTIONS, x->options->stop, &built->program, error);
  if (code == CS_OK) code = cs_worker_use(t->worker, built->program, variant, error);
  if (code == CS_OK) code = cs_worker_warm_up(t->worker, error);
  if (code == CS_OK) cs_program_keep(built->program);
  cs_text_free(&source);
  cs_tally_build(x->tally, cs_tally_clock() - start);
  return code;
}

/* The kernels of the variant, of which take_tile has made this thread a user; built by the first thread of a device
 * that needs them. */
static int use_variant(struct thread *t, uint32_t variant, struct cs_error *error) {
  struct execution *x = t->execution;
  struct built *built = &x->built[t->device * x->plan->variants + variant];
  if (t->built == built) {
    pthread_mutex_lock(&x->lock);
    built->users--; /* counted already */
    pthread_mutex_unlock(&x->lock);
    return CS_OK;
  }
  release(t);
  t->built = built;
  pthread_mutex_lock(&x->building);
  int code = CS_OK;
  if (cs_tally_stopped(x->tally)) code = cs_error_set(error, CS_INTERRUPTED, "interrupted");
  if (code == CS_OK)
    code = built->program == NULL ? build(t, built, variant, error)
                                  : cs_worker_use(t->worker, built->program, variant, error);
  if (code != CS_OK) cs_tally_stop(x->tally); /* before anybody else tries the same */
  pthread_mutex_unlock(&x->building);
  return code;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* The next tile, or NULL after the last. */
static const struct cs_tile *take_tile(struct thread *t) {
  struct execution *x = t->execution;
  const struct cs_tile *tile = NULL;
  pthread_mutex_lock(&x->lock);
  if (x->next < x->plan->tiles) {
    tile = &x->plan->tile[x->next++];
    for (size_t d = 0; d < x->devices; d++)
      x->built[d * x->plan->variants + tile->variant].tiles_left--;
    x->built[t->device * x->plan->variants + tile->variant].users++; /* so that nobody gives the program back */
  }
  pthread_mutex_unlock(&x->lock);
  return tile;
}

static void *work(void *context) {
  struct thread *t = context;
  struct execution *x = t->execution;
  const struct cs_tile *tile;
  while (t->code == CS_OK && !cs_tally_stopped(x->tally) && (tile = take_tile(t)) != NULL) {
    t->code = use_variant(t, tile->variant, &t->error);
    if (t->code == CS_OK) t->code = cs_worker_tile(t->worker, tile, &t->error);
  }
  if (t->code != CS_OK) cs_tally_stop(x->tally);
  release(t);
  return NULL;
}

/* The first worker works in the caller's own thread. */
static int start_thread(struct execution *x, struct thread *t, struct cs_error *error) {
  int code = cs_device_twin(x->device[t->device], &t->queue, error);
  if (code != CS_OK) return code;
  const struct cs_worker_setup setup = {.plan = x->plan,
                                        .options = x->options,
                                        .device = t->queue,
                                        .index = t->device,
                                        .lanes = lanes_of(x, t->device),
                                        .tally = x->tally,
                                        .enter = enter,
                                        .context = x};
  code = cs_worker_new(&setup, &t->worker, error);
  if (code != CS_OK || t == x->thread) return code;
  t->started = pthread_create(&t->id, NULL, work, t) == 0;
  return t->started ? CS_OK : cs_error_set(error, CS_DEVICE, "cannot start a thread: out of resources");
}

/* The first error of a thread that was not merely told to stop. */
static int join_threads(struct execution *x, int code, struct cs_error *error) {
  const struct thread *blame = NULL;
  for (size_t i = 0; i < x->threads; i++) {
    struct thread *t = &x->thread[i];
    if (t->started) pthread_join(t->id, NULL);
    cs_worker_free(t->worker);
    cs_device_close(t->queue);
    if (t->code != CS_OK && (blame == NULL || blame->code == CS_INTERRUPTED)) blame = t;
  }
  if (code == CS_OK && blame != NULL) {
    *error = blame->error;
    return blame->code;
  }
  if (code == CS_OK && x->next < x->plan->tiles) return cs_error_set(error, CS_INTERRUPTED, "interrupted");
  return code;
}

static int run_tiles(struct execution *x, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < x->threads && code == CS_OK; i++) {
    x->thread[i] = (struct thread){.execution = x, .device = i % x->devices};
    code = start_thread(x, &x->thread[i], error);
    if (code != CS_OK) cs_tally_stop(x->tally);
  }
  if (code == CS_OK && x->threads > 0) work(&x->thread[0]);
  return join_threads(x, code, error);
}

/* ---- the sweep --------------------------------------------------------------------------------------------------- */

static int execution_open(struct execution *x, struct cs_error *error) {
  const struct cs_plan *plan = x->plan;
  x->threads = x->devices * CS_WORKERS_PER_DEVICE;
  if (x->threads > plan->tiles) x->threads = plan->tiles;
  x->thread = calloc(x->threads + 1, sizeof *x->thread);
  x->built = calloc(x->devices * plan->variants + 1, sizeof *x->built);
  if (x->thread == NULL || x->built == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < plan->tiles; i++)
    for (size_t d = 0; d < x->devices; d++)
      x->built[d * plan->variants + plan->tile[i].variant].tiles_left++;
  return cs_tally_new(plan, x->options, x->threads > 0 ? x->threads : 1, x->devices, &x->tally, error);
}

static void execution_close(struct execution *x) {
  for (size_t i = 0; x->built != NULL && i < x->devices * x->plan->variants; i++)
    cs_program_free(x->built[i].program);
  free(x->thread);
  free(x->built);
  free(x->info);
  cs_tally_free(x->tally);
  pthread_mutex_destroy(&x->building);
  pthread_mutex_destroy(&x->lock);
}

/* Kernel texts of the variants that were computed, as for the first device. */
static int add_provenance(struct execution *x, const char *started, double wall, struct cs_table *table,
                          struct cs_error *error) {
  const struct cs_plan *plan = x->plan;
  char **sources = calloc(plan->variants + 1, sizeof *sources);
  int code = sources == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t i = 0; i < plan->tiles && code == CS_OK; i++) {
    struct cs_text source = {0};
    const uint32_t variant = plan->tile[i].variant;
    if (sources[variant] != NULL) continue;
    code = cs_emit(plan->variant[variant], lanes_of(x, 0), &source, error);
    sources[variant] = source.data;
  }
  if (code == CS_OK) {
    const struct cs_provenance p = {.plan = plan,
                                    .device = x->info,
                                    .devices = x->devices,
                                    .command = x->options->command,
                                    .started = started,
                                    .sources = sources,
                                    .lanes = lanes_of(x, 0),
                                    .wall = wall,
                                    .device_seconds = cs_tally_device_seconds(x->tally)};
    code = cs_provenance_add(&p, table, error);
  }
  cs_provenance_free_sources(sources, plan->variants);
  return code;
}

/* "2026-01-31T12:00:00Z" */
static void time_stamp(char *text, size_t size) {
  const time_t seconds = time(NULL);
  struct tm utc;
  gmtime_r(&seconds, &utc);
  strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

int cs_engine_run_on(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
                     const struct cs_engine_options *options, struct cs_table **table, struct cs_report *report,
                     struct cs_error *error) {
  static const struct cs_engine_options defaults;
  struct cs_report own = {0};
  struct execution x = {.sweep = sweep,
                        .options = options != NULL ? options : &defaults,
                        .device = device,
                        .devices = devices,
                        .report = report != NULL ? report : &own};
  struct cs_plan *plan = NULL;
  char started[64];
  const double start = cs_tally_clock();
  time_stamp(started, sizeof started);
  *table = NULL;
  if (devices == 0) return cs_error_set(error, CS_USAGE, "no device to run on; want at least one");
  x.info = calloc(devices, sizeof *x.info);
  for (size_t d = 0; x.info != NULL && d < devices; d++)
    x.info[d] = cs_device_info(device[d]);
  int code = x.info == NULL ? cs_error_memory(error) : cs_launch_plan(sweep, x.info, devices, x.options, &plan, error);
  if (code != CS_OK) {
    free(x.info);
    return code;
  }
  x.plan = plan;
  pthread_mutex_init(&x.building, NULL);
  pthread_mutex_init(&x.lock, NULL);
  report_start(&x);
  code = execution_open(&x, error);
  if (code == CS_OK) code = cs_result_new(plan, x.options->command, started, table, error);
  if (code == CS_OK) {
    cs_result_open(plan, *table, &x.result);
    code = run_tiles(&x, error);
    if (code == CS_OK) cs_result_copy(plan, *table, x.report->status);
  }
  if (code == CS_OK) code = cs_result_fit(plan, *table, error);
  if (code == CS_OK) code = add_provenance(&x, started, cs_tally_clock() - start, *table, error);
  if (code == CS_OK) report_end(&x, cs_tally_clock() - start);
  execution_close(&x);
  cs_plan_free(plan);
  cs_report_free(&own);
  if (code != CS_OK) {
    cs_table_free(*table);
    *table = NULL;
  }
  return code;
}

int cs_engine_run(const struct cs_sweep *sweep, struct cs_device *device, const struct cs_engine_options *options,
                  struct cs_table **table, struct cs_report *report, struct cs_error *error) {
  return cs_engine_run_on(sweep, &device, 1, options, table, report, error);
}

void cs_report_free(struct cs_report *report) {
  if (report == NULL) return;
  cs_text_free(&report->warnings);
  cs_text_free(&report->failures);
}
