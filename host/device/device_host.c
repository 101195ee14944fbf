/* The host as a device: its kernels are functions of this program, called by as many threads as there are processors.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "device_private.h"
#include "version.h"

static size_t beside = 1; /* processes that use the same processors */

/* Those that the process may use. */
static size_t processors(void) {
  cpu_set_t set;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return (size_t)CPU_COUNT(&set);
  return online > 0 ? (size_t)online : 1;
}

size_t cs_device_processors(void) {
  const size_t all = processors();
  return all > beside ? all / beside : 1;
}

void cs_device_share(size_t processes) {
  char units[32];
  beside = processes > 0 ? processes : 1;
  snprintf(units, sizeof units, "%zu", cs_device_processors());
  if (processes > 1) setenv("POCL_MAX_PTHREAD_COUNT", units, 0); /* PoCL starts a thread for each processor there is */
}

struct cs_device_info cs_device_host_info(int index) {
  struct cs_device_info info = {
      .index = index, .cpu = true, .fp64 = true, .host = true, .native_width = 8, .double_units = 16};
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  snprintf(info.name, sizeof info.name, "host");
  snprintf(info.platform, sizeof info.platform, "cosweep");
  snprintf(info.driver, sizeof info.driver, "%s", CS_VERSION);
  snprintf(info.version, sizeof info.version, "cosweep %s", CS_VERSION);
  info.units = (unsigned)cs_device_processors();
  info.memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : (uint64_t)1 << 30;
  info.largest_buffer = info.memory / 2;
  return info;
}

/* ---- memory of threads ------------------------------------------------------------------------------------------- */

/* Before the memory itself, whose first numbers are 0 when it is new: kernels leave there what later launches may use.
 */
struct room {
  struct room *next;
  size_t bytes;
};
enum { HEAD = CS_HOST_ALIGNMENT };

/* Of no thread, the one returned last first; freed with the last device. */
static struct {
  pthread_mutex_t lock;
  struct room *first;
  size_t devices;
} rooms = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Frees those after the first `most`; with the lock. */
static void free_rooms(size_t most) {
  struct room **at = &rooms.first;
  for (; *at != NULL && most > 0; most--)
    at = &(*at)->next;
  struct room *rest = *at;
  *at = NULL;
  while (rest != NULL) {
    struct room *const next = rest->next;
    free(rest);
    rest = next;
  }
}

/* NULL: there is none. */
static void *take_room(size_t bytes) {
  const size_t whole = (2 * HEAD + bytes) / HEAD * HEAD;
  pthread_mutex_lock(&rooms.lock);
  struct room **at = &rooms.first;
  while (*at != NULL && (*at)->bytes != bytes)
    at = &(*at)->next;
  struct room *room = *at;
  const bool known = room != NULL;
  if (known) {
    *at = room->next;
  } else if ((room = aligned_alloc(HEAD, whole)) == NULL) {
    free_rooms(0);
    room = aligned_alloc(HEAD, whole);
  }
  pthread_mutex_unlock(&rooms.lock);
  if (room != NULL && !known) {
    memset(room, 0, 2 * HEAD);
    room->bytes = bytes;
  }
  return room != NULL ? (char *)room + HEAD : NULL;
}

/* As many stay as two launches at the same time have. NULL is allowed. */
static void leave_room(void *memory) {
  if (memory == NULL) return;
  struct room *room = (struct room *)((char *)memory - HEAD);
  pthread_mutex_lock(&rooms.lock);
  room->next = rooms.first;
  rooms.first = room;
  free_rooms(2 * cs_device_processors());
  pthread_mutex_unlock(&rooms.lock);
}

static int open_device(struct cs_device *device, const struct cs_device *twin, struct cs_error *error) {
  (void)device, (void)twin, (void)error;
  pthread_mutex_lock(&rooms.lock);
  rooms.devices++;
  pthread_mutex_unlock(&rooms.lock);
  return CS_OK;
}

static void close_device(struct cs_device *device) {
  (void)device;
  pthread_mutex_lock(&rooms.lock);
  if (--rooms.devices == 0) free_rooms(0);
  pthread_mutex_unlock(&rooms.lock);
}

/* ---- programs and kernels ---------------------------------------------------------------------------------------- */

int cs_device_program_host(struct cs_device *device, const struct cs_host_program *host, struct cs_program **program,
                           struct cs_error *error) {
  *program = calloc(1, sizeof **program);
  if (*program == NULL) {
    host->release(host->made);
    return cs_error_memory(error);
  }
  (*program)->device = device;
  (*program)->host = *host;
  return CS_OK;
}

static void keep_program(struct cs_program *program) {
  (void)program;
}

static void close_program(struct cs_program *program) {
  if (program->host.release != NULL) program->host.release(program->host.made);
}

static int open_kernel(struct cs_kernel *kernel, const struct cs_program *program, struct cs_error *error) {
  kernel->run = program->host.find(program->host.made, kernel->name);
  kernel->variant = program->host.variant;
  kernel->stack = program->host.stack;
  kernel->memory = program->host.memory;
  if (kernel->run != NULL) return CS_OK;
  return cs_error_set(error, CS_DEVICE, "device %d (%s): no kernel \"%s\" in the program", program->device->info.index,
                      program->device->info.name, kernel->name);
}

static void close_kernel(struct cs_kernel *kernel) {
  (void)kernel;
}

static int set_buffer(struct cs_kernel *kernel, unsigned index, struct cs_buffer *buffer, struct cs_error *error) {
  (void)error;
  kernel->argument[index] = buffer != NULL ? buffer->data : NULL;
  return CS_OK;
}

static int set_long(struct cs_kernel *kernel, unsigned index, int64_t value, struct cs_error *error) {
  (void)error;
  kernel->number[index] = value;
  kernel->argument[index] = &kernel->number[index];
  return CS_OK;
}

/* Its work-groups are single work-items. */
static int set_local(struct cs_kernel *kernel, unsigned index, size_t bytes, struct cs_error *error) {
  (void)index, (void)bytes;
  return cs_error_set(error, CS_DEVICE, "device host: kernel %s: there is no local memory", kernel->name);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* A launch whose work-items several threads take, `share` at a time. */
struct launch {
  const struct cs_kernel *kernel;
  size_t size[2], share;
  atomic_size_t next;
};

/* A thread of it, with its memory. */
struct unit {
  struct launch *launch;
  void *memory;
  pthread_t thread;
};

static void *work(void *context) {
  const struct unit *unit = context;
  struct launch *x = unit->launch;
  for (;;) {
    size_t first[2] = {atomic_fetch_add(&x->next, x->share), 0}, end[2] = {first[0] + x->share, x->size[1]};
    if (first[0] >= x->size[0]) return NULL;
    if (end[0] > x->size[0]) end[0] = x->size[0];
    x->kernel->run(x->kernel->variant, x->kernel->argument, first, end, x->size, unit->memory);
  }
}

enum { MOST_THREADS = 256 };

/* Workers of the device launch at the same time and share the processors. */
static atomic_size_t launches;

static int run(struct cs_kernel *kernel, unsigned dimensions, const size_t *global, const size_t *local,
               struct cs_span *span, struct cs_error *error) {
  (void)local;
  struct launch x = {.kernel = kernel, .size = {global[0], dimensions == 2 ? global[1] : 1}};
  struct unit unit[MOST_THREADS];
  pthread_attr_t attributes;
  const size_t units = kernel->device->info.units, sharing = atomic_fetch_add(&launches, 1) + 1;
  size_t wanted = (units + sharing - 1) / sharing, started = 0;
  const double begin = cs_clock_seconds();
  if (wanted > MOST_THREADS) wanted = MOST_THREADS;
  if (wanted > x.size[0]) wanted = x.size[0];
  if (wanted == 0) wanted = 1;
  x.share = (x.size[0] + 8 * wanted - 1) / (8 * wanted);
  if (x.share == 0) x.share = 1;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kernel->stack);
  while (started < wanted) {
    struct unit *u = &unit[started];
    *u = (struct unit){.launch = &x, .memory = kernel->memory > 0 ? take_room(kernel->memory) : NULL};
    if ((u->memory == NULL && kernel->memory > 0) || pthread_create(&u->thread, &attributes, work, u) != 0) {
      leave_room(u->memory);
      break;
    }
    started++;
  }
  pthread_attr_destroy(&attributes);
  for (size_t i = 0; i < started; i++) {
    pthread_join(unit[i].thread, NULL);
    leave_room(unit[i].memory);
  }
  atomic_fetch_sub(&launches, 1);
  if (started == 0) return cs_error_set(error, CS_DEVICE, "cannot start a thread: out of resources");
  if (span != NULL) *span = (struct cs_span){begin, cs_clock_seconds()};
  return CS_OK;
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

static int open_buffer(struct cs_buffer *buffer, struct cs_error *error) {
  const size_t whole = (buffer->bytes + CS_HOST_ALIGNMENT) / CS_HOST_ALIGNMENT * CS_HOST_ALIGNMENT;
  buffer->data = aligned_alloc(CS_HOST_ALIGNMENT, whole);
  return buffer->data != NULL ? CS_OK : cs_error_memory(error);
}

static void close_buffer(struct cs_buffer *buffer) {
  free(buffer->data);
}

static int write_buffer(struct cs_buffer *buffer, size_t offset, size_t bytes, const void *data,
                        struct cs_error *error) {
  (void)error;
  memcpy(buffer->data + offset, data, bytes);
  return CS_OK;
}

static int read_buffer(struct cs_buffer *buffer, size_t offset, size_t bytes, void *data, struct cs_error *error) {
  (void)error;
  memcpy(data, buffer->data + offset, bytes);
  return CS_OK;
}

const struct cs_device_kind cs_device_host = {open_device,  close_device, keep_program, close_program, open_kernel,
                                              close_kernel, set_buffer,   set_long,     set_local,     run,
                                              open_buffer,  close_buffer, write_buffer, read_buffer};
