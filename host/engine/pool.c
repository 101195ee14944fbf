#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "cache.h"
#include "clock.h"
#include "emit.h"
#include "native.h"
#include "provenance.h"
#include "sizing.h"

/* A built program and the number of its users. */
struct built {
  struct cs_program *program, *spectrum; /* spectrum: only in study stability */
  size_t users, tiles_left;
};

struct thread {
  struct cs_pool *pool;
  pthread_t id;
  size_t device;
  struct cs_device *queue; /* twin of the device */
  struct cs_worker *worker;
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
  size_t threads;
  struct thread *thread;  /* [devices * CS_WORKERS_PER_DEVICE] */
  struct cs_tally *tally; /* of the plan */
  double device_seconds;  /* of earlier plans, like the next two (cs_tally_occupancy) */
  double tried, room;
  pthread_mutex_t building; /* one program at a time: the cache attributes all new files to it */
  struct built *built;      /* [devices][setup.variants] */
  pthread_mutex_t lock;     /* protects what follows, and the counts of `built` */
  size_t next;              /* tile */
};

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static unsigned lanes_of(const struct cs_pool *x, size_t device) {
  return cs_sizing_lanes(cs_device_info(x->setup.device[device]), x->setup.options);
}

static void release(struct thread *t) {
  struct cs_pool *x = t->pool;
  struct cs_program *unused[2] = {NULL, NULL};
  if (t->built == NULL) return;
  cs_worker_use(t->worker, NULL, NULL, 0, NULL);
  pthread_mutex_lock(&x->lock);
  if (--t->built->users == 0 && t->built->tiles_left == 0) {
    unused[0] = t->built->program;
    unused[1] = t->built->spectrum;
    t->built->program = t->built->spectrum = NULL;
  }
  pthread_mutex_unlock(&x->lock);
  pthread_mutex_lock(&x->building);
  cs_device_program_free(unused[0]);
  cs_device_program_free(unused[1]);
  pthread_mutex_unlock(&x->building);
  t->built = NULL;
}

static cs_host_kernel *find_native(const void *made, const char *name) {
  return cs_native_find(made, name);
}

static void release_native(void *made) {
  cs_native_free(made);
}

/* The kernels compiled ahead. */
static int open_native(struct cs_device *device, const struct cs_layout *layout, struct cs_program **program,
                       struct cs_error *error) {
  struct cs_native *native = NULL;
  const int code = layout != NULL ? cs_native_new(layout, &native, error) : cs_native_spectrum(&native, error);
  if (code != CS_OK) return code;
  const struct cs_host_program host = {
      .made = native, .variant = cs_native_variant(native), .find = find_native, .release = release_native};
  return cs_device_program_host(device, &host, program, error);
}

/* The program of a variant, or with layout NULL that of the eigenvalues: all variants have the same one, which after
 * the first comes from the cache. */
static int open_program(struct thread *t, const struct cs_layout *layout, struct cs_program **program,
                        struct cs_error *error) {
  struct cs_pool *x = t->pool;
  struct cs_device *device = x->setup.device[t->device];
  const unsigned lanes = lanes_of(x, t->device);
  struct cs_text source = {0};
  if (cs_device_info(device)->host) return open_native(device, layout, program, error);
  int code = layout != NULL ? cs_emit(layout, lanes, &source, error) : cs_emit_spectrum(lanes, &source, error);
  if (code == CS_OK)
    code = cs_device_program_open(device, source.data, CS_BUILD_OPTIONS, x->setup.options->stop, program, error);
  cs_text_free(&source);
  return code;
}

/* Called with the lock `building`. */
static int build(struct thread *t, struct built *built, uint32_t variant, struct cs_error *error) {
  struct cs_pool *x = t->pool;
  const struct cs_layout *layout = x->plan->variant[variant];
  const double start = cs_clock_seconds();
  cs_tally_builds(x->tally);
  int code = open_program(t, layout, &built->program, error);
  if (code == CS_OK && layout->kind.stability) code = open_program(t, NULL, &built->spectrum, error);
  if (code == CS_OK) code = cs_worker_use(t->worker, built->program, built->spectrum, variant, error);
  if (code == CS_OK) code = cs_worker_warm_up(t->worker, error);
  if (code == CS_OK) cs_device_program_keep(built->program);
  if (code == CS_OK && built->spectrum != NULL) cs_device_program_keep(built->spectrum);
  cs_tally_built(x->tally, cs_clock_seconds() - start);
  return code;
}

/* Switches to the kernels of a variant, which the first thread of a device that needs them builds. take_tile has
 * already counted this thread as a user. */
static int use_variant(struct thread *t, uint32_t variant, struct cs_error *error) {
  struct cs_pool *x = t->pool;
  struct built *built = &x->built[t->device * x->setup.variants + variant];
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
  if (cs_tally_stopped(x->tally)) code = cs_error_interrupted(error);
  if (code == CS_OK)
    code = built->program == NULL ? build(t, built, variant, error)
                                  : cs_worker_use(t->worker, built->program, built->spectrum, variant, error);
  /* Compilers remove their files on Ctrl-C and then fail because of that. */
  const volatile sig_atomic_t *stop = x->setup.options->stop;
  if (code == CS_DEVICE && stop != NULL && *stop != 0) code = cs_error_interrupted(error);
  if (code != CS_OK) cs_tally_stop(x->tally); /* before another thread tries the same */
  pthread_mutex_unlock(&x->building);
  return code;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* The next tile, or NULL after the last. */
static const struct cs_tile *take_tile(struct thread *t) {
  struct cs_pool *x = t->pool;
  const struct cs_tile *tile = NULL;
  pthread_mutex_lock(&x->lock);
  if (x->next < x->plan->tiles) {
    tile = &x->plan->tile[x->next++];
    for (size_t d = 0; d < x->setup.devices; d++)
      x->built[d * x->setup.variants + tile->variant].tiles_left--;
    x->built[t->device * x->setup.variants + tile->variant].users++; /* keeps other threads from freeing the program */
  }
  pthread_mutex_unlock(&x->lock);
  return tile;
}

static void *work(void *context) {
  struct thread *t = context;
  struct cs_pool *x = t->pool;
  const struct cs_tile *tile;
  while (t->code == CS_OK && !cs_tally_stopped(x->tally) && (tile = take_tile(t)) != NULL) {
    t->code = use_variant(t, tile->variant, &t->error);
    if (t->code == CS_OK) t->code = cs_worker_tile(t->worker, tile, &t->error);
  }
  if (t->code != CS_OK) cs_tally_stop(x->tally);
  release(t);
  return NULL;
}

/* The first worker runs in the caller's thread. */
static int start_thread(struct cs_pool *x, struct thread *t, struct cs_error *error) {
  int code = cs_device_twin(x->setup.device[t->device], &t->queue, error);
  if (code != CS_OK) return code;
  const struct cs_worker_setup setup = {.plan = x->plan,
                                        .options = x->setup.options,
                                        .device = t->queue,
                                        .index = t->device,
                                        .lanes = lanes_of(x, t->device),
                                        .tally = x->tally,
                                        .enter = x->enter,
                                        .record = x->setup.record,
                                        .context = x->context};
  code = cs_worker_new(&setup, &t->worker, error);
  if (code != CS_OK || t == x->thread) return code;
  t->started = pthread_create(&t->id, NULL, work, t) == 0;
  return t->started ? CS_OK : cs_error_set(error, CS_DEVICE, "cannot start a thread: out of resources");
}

/* Returns the first error of a thread that did not merely stop because of another. */
static int join_threads(struct cs_pool *x, int code, struct cs_error *error) {
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
  if (code == CS_OK && x->next < x->plan->tiles) return cs_error_interrupted(error);
  return code;
}

static int run_tiles(struct cs_pool *x, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < x->threads && code == CS_OK; i++) {
    x->thread[i] = (struct thread){.pool = x, .device = i % x->setup.devices};
    code = start_thread(x, &x->thread[i], error);
    if (code != CS_OK) cs_tally_stop(x->tally);
  }
  if (code == CS_OK && x->threads > 0) work(&x->thread[0]);
  return join_threads(x, code, error);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

int cs_pool_open(const struct cs_pool_setup *setup, struct cs_pool **pool, struct cs_error *error) {
  struct cs_pool *x = calloc(1, sizeof *x);
  *pool = NULL;
  if (x == NULL) return cs_error_memory(error);
  x->setup = *setup;
  x->quiet = *setup->options;
  x->quiet.progress = NULL;
  pthread_mutex_init(&x->building, NULL);
  pthread_mutex_init(&x->lock, NULL);
  x->thread = calloc(setup->devices * CS_WORKERS_PER_DEVICE, sizeof *x->thread);
  x->built = calloc(setup->devices * setup->variants + 1, sizeof *x->built);
  if (x->thread == NULL || x->built == NULL) {
    cs_pool_close(x);
    return cs_error_memory(error);
  }
  for (size_t i = 0; setup->keep && i < setup->devices * setup->variants; i++)
    x->built[i].tiles_left = 1;
  *pool = x;
  return CS_OK;
}

void cs_pool_close(struct cs_pool *x) {
  if (x == NULL) return;
  for (size_t i = 0; x->built != NULL && i < x->setup.devices * x->setup.variants; i++) {
    cs_device_program_free(x->built[i].program);
    cs_device_program_free(x->built[i].spectrum);
  }
  free(x->thread);
  free(x->built);
  cs_tally_free(x->tally);
  pthread_mutex_destroy(&x->building);
  pthread_mutex_destroy(&x->lock);
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

int cs_pool_run(struct cs_pool *x, const struct cs_plan *plan, cs_worker_enter *enter, void *context,
                struct cs_error *error) {
  const size_t most = x->setup.devices * CS_WORKERS_PER_DEVICE;
  x->plan = plan;
  x->enter = enter;
  x->context = context;
  x->next = plan->done;
  x->threads = most < plan->tiles - plan->done ? most : plan->tiles - plan->done;
  for (size_t i = plan->done; i < plan->tiles; i++)
    for (size_t d = 0; d < x->setup.devices; d++)
      x->built[d * x->setup.variants + plan->tile[i].variant].tiles_left++;
  int code = cs_tally_new(plan, plan->of_points || plan->done > 0 ? &x->quiet : x->setup.options,
                          x->threads > 0 ? x->threads : 1, x->setup.devices, &x->tally, error);
  if (code == CS_OK) code = run_tiles(x, error);
  finish_tally(x);
  return code;
}

double cs_pool_occupancy(const struct cs_pool *x) {
  return x->tried / x->room;
}

double cs_pool_device_seconds(const struct cs_pool *x) {
  return x != NULL ? x->device_seconds : 0.0;
}
