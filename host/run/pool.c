#include "pool.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "builds.h"
#include "clock.h"
#include "exam.h"
#include "farm.h"
#include "sizing.h"
#include "tiers.h"

/* Built programs and the number of their users. */
struct built {
  struct cs_programs programs;
  size_t users, tiles_left;
};

/* A thread's place at a device. */
struct seat {
  struct cs_device *queue; /* twin of the device */
  struct cs_worker *worker;
};

enum { OWN, BESIDE, SEATS };

struct thread {
  struct cs_pool *pool;
  pthread_t id;
  struct seat seat[SEATS]; /* at one of the devices; with `auto` also at OpenCL's device beside it */
  struct seat *at;         /* the one in use */
  size_t engine;           /* in use, at first the thread's own */
  bool started;
  struct built *built; /* of the variant in use */
  int code;
  struct cs_error error;
};

struct cs_pool {
  struct cs_pool_setup setup;
  struct cs_engine_options quiet; /* the options without progress */
  const struct cs_plan *plan;     /* current one */
  cs_worker_enter *enter;         /* receives its results */
  void *context;
  size_t threads, apart;    /* threads; those of a device apart, with the lock `building` */
  struct thread *thread;    /* [devices * CS_WORKERS_PER_DEVICE, with `auto` as many more for a device apart] */
  struct cs_tiers *tiers;   /* with device `auto` */
  struct cs_tiers *own;     /* these, if they are not borrowed */
  struct cs_tally *tally;   /* of the plan */
  struct cs_recall *recall; /* of all plans */
  double device_seconds;    /* of earlier plans, like the next two (cs_tally_occupancy) */
  double tried, room;
  struct cs_builds *builds;          /* with the lock `building` */
  struct cs_preparation preparation; /* with the lock `building` */
  pthread_mutex_t building;          /* one program at a time: the cache attributes all new files to it; recursive */
  struct built *built;               /* [engines][setup.variants] */
  struct cs_error *failed;           /* [engines] what those compute that failed; with the lock `building` */
  size_t failures;                   /* their number */
  struct cs_text warnings;           /* about them, a line each */
  bool *used;                        /* [engines] */
  pthread_mutex_t lock;              /* protects what follows, `used`, and the counts of `built` */
  pthread_cond_t taken;              /* a tile was, or all have ended that could */
  size_t next;                       /* tile */
  const struct cs_tile **back;       /* [threads] tiles that threads have given back, `backs` of them */
  size_t backs;
  bool *came; /* [plan->runs] from other ranks; of the thread that receives */
};

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* An engine is a device, by its number, or with `auto` one of enum cs_tier. */
static size_t engines_of(const struct cs_pool *x) {
  return x->tiers != NULL ? CS_TIERS : x->setup.devices;
}

static bool is_automatic(const struct cs_pool *x) {
  return cs_device_info(x->setup.device[0])->automatic;
}

static struct built *built_of(struct cs_pool *x, size_t engine, uint32_t variant) {
  return &x->built[engine * x->setup.variants + variant];
}

static bool is_beside(const struct cs_pool *x, size_t engine) {
  return x->tiers != NULL && engine != CS_TIER_HOST;
}

static struct cs_device *device_of(const struct cs_pool *x, size_t engine) {
  return is_beside(x, engine) ? cs_tiers_device(x->tiers) : x->setup.device[engine];
}

static unsigned lanes_of(const struct cs_pool *x, size_t engine) {
  const struct cs_device_info *own = cs_device_info(x->setup.device[is_beside(x, engine) ? 0 : engine]);
  const struct cs_device_info *used = cs_device_info(device_of(x, engine));
  return cs_sizing_lanes_beside(own, used, x->setup.options, x->plan->sweep->model);
}

/* For threads: of the devices, and of a device apart. */
static size_t places(const struct cs_pool *x) {
  return (x->setup.devices + 1) * CS_WORKERS_PER_DEVICE;
}

static void release(struct thread *t) {
  struct cs_pool *x = t->pool;
  struct cs_programs unused = {.setup = {NULL}};
  if (t->built == NULL) return;
  cs_worker_use(t->at->worker, NULL, 0, NULL);
  pthread_mutex_lock(&x->lock);
  if (--t->built->users == 0 && t->built->tiles_left == 0) {
    unused = t->built->programs;
    t->built->programs = (struct cs_programs){.setup = {NULL}};
  }
  pthread_mutex_unlock(&x->lock);
  pthread_mutex_lock(&x->building);
  cs_programs_free(&unused);
  pthread_mutex_unlock(&x->building);
  t->built = NULL;
}

static bool is_brief(const struct cs_pool *x, size_t engine, uint32_t variant) {
  return cs_tiers_is_brief(x->plan, variant, cs_device_info(device_of(x, engine)), x->setup.options,
                           fmax(1.0, x->setup.windows));
}

/* Whether the programs of a variant are built without optimisation. */
static bool is_quick(const struct thread *t, uint32_t variant) {
  return t->pool->tiers != NULL ? t->engine == CS_TIER_QUICK : is_brief(t->pool, t->engine, variant);
}

static struct cs_worker_setup setup_at(const struct thread *t, size_t engine, const struct seat *seat) {
  const struct cs_pool *x = t->pool;
  return (struct cs_worker_setup){.plan = x->plan,
                                  .options = x->setup.options,
                                  .device = seat->queue,
                                  .index = engine,
                                  .lanes = lanes_of(x, engine),
                                  .alike = is_automatic(x),
                                  .tally = x->tally,
                                  .recall = x->recall,
                                  .enter = x->enter,
                                  .record = x->setup.record,
                                  .context = x->context};
}

/* Those that another process builds, before a variant's first tile. */
static bool needs_quick(const void *context, uint32_t variant) {
  const struct thread *t = context;
  return is_automatic(t->pool) || is_brief(t->pool, t->engine, variant);
}

static void build_beside(const void *context) {
  const struct thread *t = context;
  struct cs_pool *x = t->pool;
  const struct cs_builds_setup setup = {.worker = setup_at(t, t->engine, t->at),
                                        .device = device_of(x, t->engine),
                                        .lanes = lanes_of(x, t->engine),
                                        .quick = needs_quick,
                                        .context = t};
  pthread_mutex_lock(&x->lock);
  const size_t next = x->next;
  pthread_mutex_unlock(&x->lock);
  cs_builds_beside(x->builds, &setup, next);
}

/* Programs that other processes have built are of the cache for this one alone. */
static void count_programs(struct cs_pool *x, const struct built *built, uint32_t variant) {
  size_t kept = 0;
  cs_programs_count(&built->programs, &x->preparation.built, &kept);
  *(cs_builds_asked(x->builds, variant) ? &x->preparation.built : &x->preparation.kept) += kept;
}

/* Whether others can take the place of the one that has failed. */
static bool goes_on(const struct cs_pool *x) {
  return x->tiers != NULL || (x->setup.options->farm == NULL && x->failures < x->setup.devices);
}

/* Tests the engine with known answers, before it computes its first tile by these programs. */
static int examine(struct thread *t, struct built *built, const struct cs_tile *tile, struct cs_error *error) {
  struct cs_pool *x = t->pool;
  const struct cs_worker_setup setup = setup_at(t, t->engine, t->at);
  bool passed = true;
  if (cs_device_info(setup.device)->host) return cs_exam_host(error);
  const int code = cs_exam_device(&setup, &built->programs, tile, &passed, error);
  if (code != CS_OK || passed) return code;
  x->failed[t->engine] = *error;
  x->failures++;
  if (x->tiers == NULL && goes_on(x))
    cs_text_add(&x->warnings, "%s%s", x->warnings.length > 0 ? "\n" : "", error->message);
  return CS_DEVICE;
}

static bool has_failed(const struct cs_pool *x, size_t engine) {
  return x->failed[engine].code != CS_OK;
}

/* Called with the lock `building`. */
static int build(struct thread *t, struct built *built, const struct cs_tile *tile, struct cs_error *error) {
  struct cs_pool *x = t->pool;
  const uint32_t variant = tile->variant;
  struct cs_worker *worker = t->at->worker;
  const double start = cs_clock_seconds();
  const bool host = cs_device_info(device_of(x, t->engine))->host;
  if (!host) cs_tally_builds(x->tally);
  const struct cs_programs_setup setup = {.device = device_of(x, t->engine),
                                          .layout = x->plan->variant[variant],
                                          .lanes = lanes_of(x, t->engine),
                                          .quick = is_quick(t, variant),
                                          .options = x->setup.options,
                                          .lock = &x->building,
                                          .missing = build_beside,
                                          .context = t};
  const struct cs_worker_setup own = setup_at(t, t->engine, t->at);
  bool part[CS_PARTS];
  cs_worker_parts(&own, variant, cs_device_info(setup.device), part);
  int code = cs_programs_open(&setup, part, &built->programs, error);
  if (code == CS_OK) code = cs_worker_use(worker, &built->programs, variant, error);
  if (code == CS_OK) code = cs_worker_warm_up(worker, error);
  if (code == CS_OK) code = examine(t, built, tile, error);
  if (code == CS_OK) cs_programs_keep(&built->programs);
  const double seconds = cs_clock_seconds() - start;
  cs_tally_built(x->tally, seconds);
  if (code == CS_OK && !host) {
    count_programs(x, built, variant);
    x->preparation.seconds += seconds;
  }
  return code;
}

/* Switches to the kernels of a variant, which the first thread of a device that needs them builds. assign has already
 * counted this thread as a user. */
static int use_variant(struct thread *t, struct built *built, const struct cs_tile *tile, struct cs_error *error) {
  struct cs_pool *x = t->pool;
  t->built = built;
  pthread_mutex_lock(&x->building);
  int code = CS_OK;
  if (cs_tally_stopped(x->tally)) code = cs_error_interrupted(error);
  if (code == CS_OK && has_failed(x, t->engine)) {
    *error = x->failed[t->engine];
    code = error->code;
  }
  if (code == CS_OK)
    code = cs_programs_are_open(&built->programs) ? cs_worker_use(t->at->worker, &built->programs, tile->variant, error)
                                                  : build(t, built, tile, error);
  /* Compilers remove their files on Ctrl-C and then fail because of that. */
  const volatile sig_atomic_t *stop = x->setup.options->stop;
  if (code == CS_DEVICE && stop != NULL && *stop != 0) code = cs_error_interrupted(error);
  const bool replaces = x->tiers != NULL && t->engine != cs_tiers_first(x->tiers, tile->variant);
  const bool others = replaces || (has_failed(x, t->engine) && goes_on(x));
  if (code != CS_OK && !others) cs_tally_stop(x->tally); /* before another thread tries the same */
  pthread_mutex_unlock(&x->building);
  return code;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* The next tile, or NULL after the last. */
static const struct cs_tile *take_tile(struct thread *t) {
  struct cs_pool *x = t->pool;
  const struct cs_tile *tile = NULL;
  struct cs_farm *farm = x->setup.options->farm;
  if (farm != NULL) {
    const long number = farm->take(farm);
    return number != CS_FARM_NONE ? &x->plan->tile[number] : NULL;
  }
  pthread_mutex_lock(&x->lock);
  if (x->backs > 0)
    tile = x->back[--x->backs];
  else if (x->next < x->plan->tiles)
    tile = &x->plan->tile[x->next++];
  pthread_cond_broadcast(&x->taken);
  pthread_mutex_unlock(&x->lock);
  return tile;
}

/* Whether the thread's device has failed while others go on. */
static bool is_out(struct thread *t) {
  struct cs_pool *x = t->pool;
  pthread_mutex_lock(&x->building);
  const bool out = x->tiers == NULL && has_failed(x, t->engine) && goes_on(x);
  pthread_mutex_unlock(&x->building);
  return out;
}

static void give_back(struct cs_pool *x, const struct cs_tile *tile) {
  pthread_mutex_lock(&x->lock);
  x->back[x->backs++] = tile;
  pthread_mutex_unlock(&x->lock);
}

/* The engine that computes a tile. */
static int choose_engine(struct thread *t, const struct cs_tile *tile, size_t *engine, struct cs_error *error) {
  struct cs_pool *x = t->pool;
  const size_t number = (size_t)(tile - x->plan->tile);
  *engine = t->engine;
  if (x->tiers == NULL) return CS_OK;
  pthread_mutex_lock(&x->building);
  const int code = cs_tiers_prepare(x->tiers, number, error);
  pthread_mutex_unlock(&x->building);
  *engine = cs_tiers_take(x->tiers, number);
  return code;
}

static int sit(struct thread *t, size_t engine, struct cs_error *error) {
  struct cs_pool *x = t->pool;
  struct seat *seat = &t->seat[is_beside(x, engine) ? BESIDE : OWN];
  t->engine = engine;
  t->at = seat;
  if (seat->worker != NULL) return CS_OK;
  const int code = cs_device_twin(device_of(x, engine), &seat->queue, error);
  const struct cs_worker_setup setup = setup_at(t, engine, seat);
  return code == CS_OK ? cs_worker_new(&setup, &seat->worker, error) : code;
}

/* Goes to an engine, if it is another one, with the kernels for a tile. */
static int move(struct thread *t, const struct cs_tile *tile, size_t engine, struct cs_error *error) {
  struct cs_pool *x = t->pool;
  struct built *built = built_of(x, engine, tile->variant);
  const bool moves = t->built != built;
  pthread_mutex_lock(&x->lock);
  built->users += moves; /* keeps other threads from freeing the programs */
  pthread_mutex_unlock(&x->lock);
  if (!moves) return CS_OK;
  release(t);
  const int code = sit(t, engine, error);
  if (code == CS_OK) return use_variant(t, built, tile, error);
  pthread_mutex_lock(&x->lock);
  built->users--;
  pthread_mutex_unlock(&x->lock);
  return code;
}

/* Tiles of a plan from `first` on that are computed as one. */
struct batch {
  size_t first, count;
  struct cs_tile tile;
};

/* Not before they are computed, so that nobody frees their programs. */
static void count_tiles(struct cs_pool *x, const struct batch *batch) {
  pthread_mutex_lock(&x->lock);
  for (size_t e = 0; e < engines_of(x); e++)
    built_of(x, e, batch->tile.variant)->tiles_left -= batch->count;
  pthread_mutex_unlock(&x->lock);
}

static int compute_by(struct thread *t, const struct batch *batch, size_t engine, struct cs_error *error) {
  struct cs_pool *x = t->pool;
  const int code = move(t, &batch->tile, engine, error);
  if (code != CS_OK) return code;
  const double start = cs_clock_seconds();
  const int computed = cs_worker_tile(t->at->worker, &batch->tile, error);
  if (computed != CS_OK) return computed;
  pthread_mutex_lock(&x->lock);
  x->used[engine] = true;
  pthread_mutex_unlock(&x->lock);
  if (x->tiers != NULL)
    cs_tiers_record(x->tiers, batch->first, batch->count, (enum cs_tier)engine, cs_clock_seconds() - start);
  return CS_OK;
}

/* Where an engine of `auto` fails before it has given any result of the batch, the one that it replaced computes it. */
static int compute(struct thread *t, const struct batch *batch, size_t engine, struct cs_error *error) {
  struct cs_pool *x = t->pool;
  int code = compute_by(t, batch, engine, error);
  if (code != CS_DEVICE || !is_beside(x, engine)) return code;
  if (t->at->worker != NULL && cs_worker_has_entered(t->at->worker)) return code;
  if (!cs_tiers_give_up(x->tiers, batch->tile.variant, (enum cs_tier)engine, error)) return code;
  code = CS_OK;
  for (size_t i = 0; i < batch->count && code == CS_OK; i++) {
    const struct batch one = {batch->first + i, 1, x->plan->tile[batch->first + i]};
    code = compute_by(t, &one, cs_tiers_first(x->tiers, one.tile.variant), error);
  }
  return code;
}

/* Waits until there are tiles for a device apart; false if there will be none. */
static bool take_apart(struct cs_pool *x, struct batch *batch) {
  struct timespec until;
  batch->count = 0;
  pthread_mutex_lock(&x->lock);
  while (x->next < x->plan->tiles && !cs_tally_stopped(x->tally)) {
    batch->first = x->next;
    batch->count = cs_tiers_take_apart(x->tiers, x->next, &batch->tile);
    x->next += batch->count;
    if (batch->count > 0) break;
    clock_gettime(CLOCK_REALTIME, &until); /* `taken` does not tell of a request to stop */
    until.tv_sec++;
    pthread_cond_timedwait(&x->taken, &x->lock, &until);
  }
  pthread_mutex_unlock(&x->lock);
  return batch->count > 0;
}

static void *work_apart(void *context) {
  struct thread *t = context;
  struct batch batch;
  while (t->code == CS_OK && take_apart(t->pool, &batch)) {
    t->code = compute(t, &batch, CS_TIER_BUILT, &t->error);
    count_tiles(t->pool, &batch);
  }
  release(t);
  return NULL;
}

/* As soon as it is known that there is a device apart. Where a thread cannot be started the host goes on. */
static void start_apart(struct cs_pool *x) {
  if (x->tiers == NULL || x->setup.options->farm != NULL || !cs_tiers_is_apart(x->tiers)) return;
  pthread_mutex_lock(&x->building);
  const size_t before = x->apart;
  for (; x->apart < CS_WORKERS_PER_DEVICE; x->apart++) {
    struct thread *t = &x->thread[CS_WORKERS_PER_DEVICE + x->apart];
    t->started = pthread_create(&t->id, NULL, work_apart, t) == 0;
  }
  if (before < x->apart) cs_tally_joined(x->tally, x->apart);
  pthread_mutex_unlock(&x->building);
}

static void *work(void *context) {
  struct thread *t = context;
  struct cs_pool *x = t->pool;
  struct cs_farm *farm = x->setup.options->farm;
  const struct cs_tile *tile;
  while (t->code == CS_OK && !cs_tally_stopped(x->tally) && (tile = take_tile(t)) != NULL) {
    const struct batch batch = {(size_t)(tile - x->plan->tile), 1, *tile};
    size_t engine = 0;
    t->code = choose_engine(t, tile, &engine, &t->error);
    start_apart(x);
    if (t->code == CS_OK) t->code = compute(t, &batch, engine, &t->error);
    if (t->code == CS_DEVICE && is_out(t)) {
      give_back(x, tile);
      t->code = CS_OK;
      break;
    }
    if (t->code == CS_OK && farm != NULL && farm->rank > 0) farm->sent(farm, batch.first);
    count_tiles(x, &batch);
  }
  release(t);
  return NULL;
}

/* The first worker runs in the caller's thread. */
static int start_thread(struct cs_pool *x, struct thread *t, struct cs_error *error) {
  const int code = sit(t, (size_t)(t - x->thread) % x->setup.devices, error);
  if (code != CS_OK || t == x->thread) return code;
  t->started = pthread_create(&t->id, NULL, work, t) == 0;
  return t->started ? CS_OK : cs_error_set(error, CS_DEVICE, "cannot start a thread: out of resources");
}

/* Returns the first error of a thread that did not merely stop because of another. */
static int join_threads(struct cs_pool *x, int code, struct cs_error *error) {
  const struct thread *blame = NULL;
  for (size_t i = 0; i < places(x); i++) { /* those apart last, as they were started by others */
    struct thread *t = &x->thread[i];
    if (t->started) pthread_join(t->id, NULL);
    for (int s = 0; s < SEATS; s++) {
      cs_worker_free(t->seat[s].worker);
      cs_device_close(t->seat[s].queue);
    }
    if (t->code != CS_OK && (blame == NULL || blame->code == CS_INTERRUPTED)) blame = t;
  }
  if (code == CS_OK && blame != NULL) {
    *error = blame->error;
    return blame->code;
  }
  const bool all =
      x->setup.options->farm != NULL ? !cs_tally_stopped(x->tally) : x->backs > 0 || x->next == x->plan->tiles;
  if (code == CS_OK && !all) return cs_error_interrupted(error);
  return code;
}

/* Whether the device of a thread computes nothing any more. */
static bool is_idle(const struct cs_pool *x, size_t thread) {
  return x->tiers == NULL && has_failed(x, thread % x->setup.devices);
}

static int run_threads(struct cs_pool *x, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < places(x); i++)
    x->thread[i] = (struct thread){.pool = x}; /* all, as those that are not started are looked at too */
  for (size_t i = 0; i < x->threads && code == CS_OK; i++) {
    if (!is_idle(x, i)) code = start_thread(x, &x->thread[i], error);
    if (code != CS_OK) cs_tally_stop(x->tally);
  }
  if (code == CS_OK && x->threads > 0 && !is_idle(x, 0)) work(&x->thread[0]);
  return join_threads(x, code, error);
}

/* Tiles that a device has given back may be there when the threads of the others have ended. */
static int run_tiles(struct cs_pool *x, struct cs_error *error) {
  int code = run_threads(x, error);
  while (code == CS_OK && x->backs > 0) {
    x->threads = x->setup.devices * CS_WORKERS_PER_DEVICE;
    code = run_threads(x, error);
  }
  return code;
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

int cs_pool_open(const struct cs_pool_setup *setup, struct cs_pool **pool, struct cs_error *error) {
  struct cs_pool *x = calloc(1, sizeof *x);
  *pool = NULL;
  if (x == NULL) return cs_error_memory(error);
  x->setup = *setup;
  x->quiet = *setup->options;
  x->quiet.progress = NULL;
  pthread_mutexattr_t again;
  pthread_mutexattr_init(&again);
  pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&x->building, &again);
  pthread_mutexattr_destroy(&again);
  pthread_mutex_init(&x->lock, NULL);
  pthread_cond_init(&x->taken, NULL);
  x->thread = calloc(places(x), sizeof *x->thread);
  int code = x->thread == NULL ? cs_error_memory(error) : cs_recall_new(&x->recall, error);
  if (code == CS_OK) code = cs_builds_new(setup->variants, &x->builds, error);
  if (code == CS_OK && setup->tiers == NULL && cs_tiers_serve(setup->device, setup->devices, setup->options))
    code = cs_tiers_open(setup->device[0], setup->options, &x->own, error);
  x->tiers = setup->tiers != NULL ? setup->tiers : x->own;
  x->built = calloc(engines_of(x) * setup->variants + 1, sizeof *x->built);
  x->used = calloc(engines_of(x), sizeof *x->used);
  x->failed = calloc(engines_of(x), sizeof *x->failed);
  x->back = calloc(setup->devices * CS_WORKERS_PER_DEVICE, sizeof *x->back);
  const bool whole = x->built != NULL && x->used != NULL && x->failed != NULL && x->back != NULL;
  if (code == CS_OK && !whole) code = cs_error_memory(error);
  if (code != CS_OK) {
    cs_pool_close(x);
    return code;
  }
  for (size_t i = 0; setup->keep && i < engines_of(x) * setup->variants; i++)
    x->built[i].tiles_left = 1;
  *pool = x;
  return CS_OK;
}

int cs_pool_open_for(const struct cs_plan *plan, struct cs_pool_setup setup, struct cs_pool **pool,
                     struct cs_error *error) {
  setup.variants = 2 * plan->variants;
  return cs_pool_open(&setup, pool, error);
}

bool cs_pool_has_room(const struct cs_pool *x, const struct cs_plan *plan) {
  return plan->variants <= x->setup.variants;
}

void cs_pool_close(struct cs_pool *x) {
  if (x == NULL) return;
  for (size_t i = 0; x->built != NULL && i < engines_of(x) * x->setup.variants; i++)
    cs_programs_free(&x->built[i].programs);
  cs_builds_free(x->builds);
  cs_tiers_close(x->own);
  free(x->thread);
  free(x->built);
  free(x->used);
  free(x->failed);
  free(x->back);
  cs_text_free(&x->warnings);
  cs_tally_free(x->tally);
  cs_recall_free(x->recall);
  pthread_mutex_destroy(&x->building);
  pthread_mutex_destroy(&x->lock);
  pthread_cond_destroy(&x->taken);
  free(x);
}

static void finish_tally(struct cs_pool *x) {
  if (x->tally != NULL) {
    double tried, room;
    cs_tally_occupancy(x->tally, &tried, &room);
    x->tried += tried;
    x->room += room;
    x->device_seconds += cs_tally_device_seconds(x->tally);
  }
  cs_tally_free(x->tally);
  x->tally = NULL;
}

/* ---- with other processes */

/* A result that another rank has computed. */
static int enter_from_afar(void *context, const struct cs_farm_result *result, const double *numbers,
                           struct cs_error *error) {
  struct cs_pool *x = context;
  const struct cs_plan *plan = x->plan;
  const size_t run = (size_t)result->run;
  struct cs_text wrong = {0};
  if (run >= plan->runs || x->came[run] || plan->run[run].status != CS_STATUS_OK ||
      result->items != plan->variant[plan->run[run].variant]->state.items)
    return cs_error_set(error, CS_IO, "has sent run %zu, which is none that is left to compute", run);
  int code = CS_OK;
  x->came[run] = true;
  if (cs_result_check(plan, run, result->way, numbers, &wrong))
    x->enter(x->context, run, (enum cs_way)result->way, numbers, 1);
  else if (wrong.failed)
    code = cs_error_memory(error);
  else
    code = cs_error_set(error, CS_IO, "run %zu has %s, which no kernel gives", run, wrong.data);
  cs_text_free(&wrong);
  return code;
}

static void count_from_afar(void *context, size_t number) {
  const struct cs_pool *x = context;
  if (number >= x->plan->tiles) return;
  const struct cs_tile *tile = &x->plan->tile[number];
  cs_tally_work(x->tally, CS_WORK_ASSEMBLY, cs_tally_assembly_work(x->plan, tile), 0.0);
  cs_tally_work(x->tally, CS_WORK_STEPS, cs_sizing_tile_work(x->plan, tile), tile->steps);
  cs_tally_runs(x->tally, (ptrdiff_t)tile->count);
}

/* ---- plans */

/* `code`: of the preparations. Other ranks take part in the pass in any case. */
static int run_among_others(struct cs_pool *x, int code, struct cs_error *error) {
  const struct cs_farm_receiver receiver = {enter_from_afar, count_from_afar, x};
  struct cs_farm *farm = x->setup.options->farm;
  x->came = calloc(x->plan->runs + 1, sizeof *x->came);
  if (code == CS_OK && x->came == NULL) code = cs_error_memory(error);
  if (code == CS_OK) code = farm->begin(farm, x->plan->done, x->plan->tiles, &receiver, error);
  if (code == CS_OK) code = run_tiles(x, error);
  code = farm->end(farm, code, error);
  free(x->came);
  x->came = NULL;
  return code;
}

int cs_pool_run(struct cs_pool *x, const struct cs_plan *plan, cs_worker_enter *enter, void *context,
                struct cs_error *error) {
  const size_t most = x->setup.devices * CS_WORKERS_PER_DEVICE;
  x->plan = plan;
  x->enter = enter;
  x->context = context;
  x->next = plan->done;
  x->apart = 0;
  cs_builds_begin(x->builds);
  x->threads = most < plan->tiles - plan->done ? most : plan->tiles - plan->done;
  for (size_t i = plan->done; i < plan->tiles; i++)
    for (size_t e = 0; e < engines_of(x); e++)
      built_of(x, e, plan->tile[i].variant)->tiles_left++;
  int code = cs_tally_new(plan, plan->of_points ? &x->quiet : x->setup.options, x->threads > 0 ? x->threads : 1,
                          engines_of(x), &x->tally, error);
  if (code == CS_OK && x->tiers != NULL) code = cs_tiers_begin(x->tiers, plan, error);
  if (x->setup.options->farm != NULL)
    code = run_among_others(x, code, error);
  else if (code == CS_OK)
    code = run_tiles(x, error);
  finish_tally(x);
  return code;
}

double cs_pool_occupancy(const struct cs_pool *x) {
  return x->tried / x->room;
}

void cs_pool_add_occupancy(const struct cs_pool *x, double *tried, double *room) {
  if (x == NULL) return;
  *tried += x->tried;
  *room += x->room;
}

double cs_pool_device_seconds(const struct cs_pool *x) {
  return x != NULL ? x->device_seconds : 0.0;
}

void cs_pool_add_preparation(const struct cs_pool *x, struct cs_preparation *preparation) {
  if (x == NULL) return;
  preparation->built += x->preparation.built;
  preparation->kept += x->preparation.kept;
  preparation->seconds += x->preparation.seconds;
}

const char *cs_pool_warning(const struct cs_pool *x) {
  if (x != NULL && x->warnings.length > 0) return cs_text_string(&x->warnings);
  return x != NULL && x->tiers != NULL ? cs_tiers_warning(x->tiers) : NULL;
}

size_t cs_pool_devices(const struct cs_pool *x, const struct cs_device_info **info) {
  size_t count = 0;
  for (size_t e = 0; e < engines_of(x); e++)
    if (x->tiers == NULL ? !has_failed(x, e)
                         : (x->used[e] && (count == 0 || info[count - 1] != cs_device_info(device_of(x, e)))))
      info[count++] = cs_device_info(device_of(x, e));
  if (count == 0) info[count++] = cs_device_info(x->setup.device[0]);
  return count;
}
