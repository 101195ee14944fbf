/* Pools whose threads cannot all be started: the sweep fails with a message, whichever thread of whichever plan it is.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "engine_case.h"
#include "harness.h"

typedef int create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context);

static atomic_long created, failing; /* the number of the call that fails; 0: none */

/* In place of the library's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context) {
  create *real;
  *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  return ++created == failing ? EAGAIN : real(thread, attributes, start, context);
}

/* Its boundary is a further plan, or several, for the pool of the first one. */
static const char map[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"map\", \"study\": \"stability\", \"model\": \"model.json\", "
    "\"method\": {\"hold\": \"lagrange\", \"feedthrough\": \"explicit\", \"step\": {\"size\": 0.1}}, "
    "\"axes\": [{\"name\": \"d1\", \"path\": \"parameters.d1\", \"linspace\": [-1.9, 1.9, 3]}, "
    "{\"name\": \"d2\", \"path\": \"parameters.d2\", \"linspace\": [-1.9, 1.9, 3]}], "
    "\"metrics\": [\"spectral_radius\"], \"boundary\": {\"along\": \"d2\"}}";

static int run(const struct harness *harness, struct cs_device *const device[2], struct cs_error *error) {
  const struct cs_engine_options options = {.tile_runs = 1}; /* enough for all threads */
  struct cs_table *table = NULL;
  const int code = cs_engine_run_on(harness->sweep, device, 2, &options, &table, NULL, error);
  cr_expect((table != NULL) == (code == CS_OK));
  cs_table_free(table);
  return code;
}

Test(pool, every_thread_that_cannot_be_started) {
  enum { CALLS = 24 }; /* three for each of the first plans */
  struct harness harness;
  struct cs_device *device[2];
  struct cs_error error;
  size_t refused = 0;
  harness_directory(&harness);
  engine_case_model(&harness, "models/linear_feedthrough/model.json");
  harness_load(&harness, map);
  cs_device_share(1000); /* kernels, which would do with fewer threads, have none of their own */
  for (int d = 0; d < 2; d++)
    cr_assert_eq(cs_device_open("host", &device[d], &error), CS_OK, "%s", error.message);
  created = 0;
  cr_assert_eq(run(&harness, device, &error), CS_OK, "%s", error.message);
  cr_assert_geq(created, CALLS);
  for (long n = 1; n <= CALLS; n++) {
    created = 0;
    failing = n;
    const int code = run(&harness, device, &error);
    cr_assert(code == CS_OK || strcmp(error.message, "cannot start a thread: out of resources") == 0, "call %ld: %s", n,
              error.message);
    refused += code != CS_OK;
  }
  cr_expect_gt(refused, 6, "%zu of %d calls", refused, CALLS);
  for (int d = 0; d < 2; d++)
    cs_device_close(device[d]);
  harness_close(&harness);
}
