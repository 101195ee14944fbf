/* The host as a device: its kernels are functions of this program, called by as many threads as there are processors.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "device_private.h"
#include "version.h"

struct cs_device_info cs_device_host_info(int index) {
  struct cs_device_info info = {.index = index, .cpu = true, .fp64 = true, .host = true, .native_width = 8};
  const long processors = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  snprintf(info.name, sizeof info.name, "host");
  snprintf(info.platform, sizeof info.platform, "cosweep");
  snprintf(info.driver, sizeof info.driver, "%s", CS_VERSION);
  snprintf(info.version, sizeof info.version, "cosweep %s", CS_VERSION);
  info.units = processors > 0 ? (unsigned)processors : 1;
  info.memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : (uint64_t)1 << 30;
  info.largest_buffer = info.memory / 2;
  return info;
}

int cs_device_host_kernel(struct cs_kernel *kernel, const struct cs_program *program, struct cs_error *error) {
  kernel->run = program->host.find(program->host.made, kernel->name);
  kernel->variant = program->host.variant;
  if (kernel->run != NULL) return CS_OK;
  return cs_error_set(error, CS_DEVICE, "device %d (%s): no kernel \"%s\" in the program", program->device->info.index,
                      program->device->info.name, kernel->name);
}

/* A launch whose work-items several threads take, `share` at a time. */
struct launch {
  const struct cs_kernel *kernel;
  size_t size[2], share;
  atomic_size_t next;
};

static void *work(void *context) {
  struct launch *x = context;
  for (;;) {
    size_t first[2] = {atomic_fetch_add(&x->next, x->share), 0}, end[2] = {first[0] + x->share, x->size[1]};
    if (first[0] >= x->size[0]) return NULL;
    if (end[0] > x->size[0]) end[0] = x->size[0];
    x->kernel->run(x->kernel->variant, x->kernel->argument, first, end, x->size);
  }
}

/* Private memory is on the stack, of which only what a model needs is ever touched. */
#define STACK_BYTES ((size_t)64 << 20)

enum { MOST_THREADS = 256 };

/* Workers of the device launch at the same time and share the processors. */
static atomic_size_t launches;

int cs_device_host_run(struct cs_kernel *kernel, unsigned dimensions, const size_t *global, struct cs_span *span,
                       struct cs_error *error) {
  struct launch x = {.kernel = kernel, .size = {global[0], dimensions == 2 ? global[1] : 1}};
  pthread_t thread[MOST_THREADS];
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
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  while (started < wanted && pthread_create(&thread[started], &attributes, work, &x) == 0)
    started++;
  pthread_attr_destroy(&attributes);
  for (size_t i = 0; i < started; i++)
    pthread_join(thread[i], NULL);
  atomic_fetch_sub(&launches, 1);
  if (started == 0) return cs_error_set(error, CS_DEVICE, "cannot start a thread: out of resources");
  if (span != NULL) *span = (struct cs_span){begin, cs_clock_seconds()};
  return CS_OK;
}
