/* Device `auto` beside something that tells to be a GPU: narrow, with small work-groups and little memory. It takes
 * tiles while the host goes on, with the same bits, and whatever fails of it costs no result. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "engine_case.h"
#include "opencl.h"

/* ---- the card: PoCL's CPU in the place of the library's functions ------------------------------------------------ */

enum { CARD_UNITS = 64, CARD_BUFFER = 4 << 20, NEVER = 1 << 30 };

static bool is_card, plain; /* plain: its compiler does not optimise */
static cl_uint units;
static size_t group, kernel_group;      /* work-items in a work-group */
static atomic_int launches, fails_from; /* launches of it; the first one that fails */

typedef cl_int ask_device(cl_device_id id, cl_device_info what, size_t size, void *value, size_t *needed);
typedef cl_int ask_kernel(cl_kernel kernel, cl_device_id id, cl_kernel_work_group_info what, size_t size, void *value,
                          size_t *needed);
typedef cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                      const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait, cl_event *event);
typedef cl_int build(cl_program program, cl_uint devices, const cl_device_id *device, const char *options,
                     void (*notify)(cl_program program, void *context), void *context);
typedef cl_mem open_buffer(cl_context context, cl_mem_flags flags, size_t size, void *data, cl_int *code);

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value, size_t *needed) {
  ask_device *real;
  *(void **)&real = dlsym(RTLD_NEXT, "clGetDeviceInfo");
  const cl_int code = real(id, what, size, value, needed);
  if (!is_card || code != CL_SUCCESS || value == NULL) return code;
  if (what == CL_DEVICE_TYPE) *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
  if (what == CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE) *(cl_uint *)value = 1;
  if (what == CL_DEVICE_MAX_COMPUTE_UNITS) *(cl_uint *)value = units;
  if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE) *(size_t *)value = group;
  if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE) *(cl_ulong *)value = CARD_BUFFER;
  return code;
}

/* A kernel may need more registers than a whole work-group has. */
cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id id, cl_kernel_work_group_info what, size_t size,
                                void *value, size_t *needed) {
  ask_kernel *real;
  *(void **)&real = dlsym(RTLD_NEXT, "clGetKernelWorkGroupInfo");
  const cl_int code = real(kernel, id, what, size, value, needed);
  if (is_card && code == CL_SUCCESS && what == CL_KERNEL_WORK_GROUP_SIZE) *(size_t *)value = kernel_group;
  return code;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
                              cl_event *event) {
  launch *real;
  *(void **)&real = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
  if (is_card && local != NULL && local[0] * (dimensions > 1 ? local[1] : 1) > kernel_group)
    return CL_INVALID_WORK_GROUP_SIZE;
  if (is_card && launches++ >= fails_from) return CL_OUT_OF_RESOURCES;
  return real(queue, kernel, dimensions, offset, global, local, waits, wait, event);
}

cl_int clBuildProgram(cl_program program, cl_uint devices, const cl_device_id *device, const char *options,
                      void (*notify)(cl_program program, void *context), void *context) {
  char more[400];
  build *real;
  *(void **)&real = dlsym(RTLD_NEXT, "clBuildProgram");
  snprintf(more, sizeof more, "%s -cl-opt-disable", options);
  return real(program, devices, device, is_card && plain ? more : options, notify, context);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *data, cl_int *code) {
  open_buffer *real;
  *(void **)&real = dlsym(RTLD_NEXT, "clCreateBuffer");
  if (!is_card || size <= CARD_BUFFER) return real(context, flags, size, data, code);
  *code = CL_INVALID_BUFFER_SIZE;
  return NULL;
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

#define SWEEP(study, more)                                                                                            \
  "{\"format\": \"cosweep-sweep/1\", \"name\": \"apart\", \"model\": \"model.json\", \"study\": \"" study "\", " more \
  "}"
#define SIMULATION(method, axis)                                                              \
  SWEEP("simulation",                                                                         \
        "\"t_end\": 10, \"method\": {\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": " \
        "\"taylor\", " method "}, \"axes\": [" axis                                           \
        "], \"metrics\": [\"output_defect\", "                                                \
        "\"output_error\", \"state_error_final\", \"steps\"]")
#define SIZES "{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.01, 1, 160]}"

static const char stepping[] = SIMULATION("\"engine\": \"step\", \"step\": {\"control\": \"fixed\"}", SIZES);
static const char doubling[] = SIMULATION("\"engine\": \"double\", \"step\": {\"control\": \"fixed\"}", SIZES);
static const char varied[] =
    SIMULATION("\"step\": {\"control\": \"pi_defect\", \"initial\": 0.1}",
               "{\"name\": \"tol\", \"path\": \"method.step.tolerance\", \"logspace\": [1e-4, 1e-2, 160]}");
static const char stability[] = SWEEP(
    "stability",
    "\"method\": {\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"taylor\"}, \"axes\": [{\"name\": \"H\", "
    "\"path\": \"method.step.size\", \"linspace\": [0.1, 3, 160]}], \"metrics\": [\"spectral_radius\", \"stable\"]");

static struct harness harness;
static struct cs_device *host;
static char cache[300];

static void open_card(void) {
  struct cs_error error;
  opencl_needed();
  harness_directory(&harness);
  snprintf(cache, sizeof cache, "%s/kept", harness.directory);
  setenv("COSWEEP_CACHE", cache, 1);
  is_card = true;
  units = CARD_UNITS;
  group = 16;
  kernel_group = 8;
  plain = false;
  fails_from = NEVER;
  cr_assert_eq(cs_device_open("auto", &harness.device, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_open("host", &host, &error), CS_OK, "%s", error.message);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
}

static void close_card(void) {
  cs_device_close(host);
  harness_close(&harness);
}

TestSuite(apart, .init = open_card, .fini = close_card, .timeout = 600);

/* Holds the host's tiles back until the program is there, and for a while until the card has computed. */
static void hold_back(const struct cs_progress *progress, void *context) {
  enum { BUILD = 3000, WAIT = 10 };
  const struct timespec pause = {.tv_nsec = 20000000};
  char pattern[400];
  bool there = false;
  (void)context;
  snprintf(pattern, sizeof pattern, "%s/*.program", cache);
  for (int i = 0; progress->runs_done > 0 && i < BUILD && !there; i++) {
    glob_t found;
    there = glob(pattern, 0, NULL, &found) == 0;
    if (there) globfree(&found);
    nanosleep(&pause, NULL);
  }
  for (int i = 0; there && launches == 0 && i < WAIT; i++)
    nanosleep(&pause, NULL);
}

static void run(struct cs_device *device, struct engine_case *result) {
  struct cs_error error;
  const struct cs_engine_options options = {
      .tile_runs = 2, .builder = harness_program(), .build_pays = 1e-9, .progress = device != host ? hold_back : NULL};
  *result = (struct engine_case){.runs = harness.sweep->runs};
  cr_assert_eq(cs_engine_run(harness.sweep, device, &options, &result->table, &result->outcome, &error), CS_OK, "%s",
               error.message);
}

/* Both ways; the warnings contain `warning`, unless it is NULL. */
static void compare(const char *sweep, const char *warning, size_t devices) {
  struct engine_case right, both;
  launches = 0;
  harness_load(&harness, sweep);
  run(harness.device, &both);
  run(host, &right);
  engine_case_same(&right, &both);
  const struct cs_note *device = cs_table_find_note(both.table, "device");
  const char *said = cs_text_string(&both.outcome.warnings);
  cr_expect(launches > 0 || devices == 1, "the host has left it no tile");
  cr_expect_eq(device->count, devices, "%zu devices", device->count);
  cr_expect_str_eq(device->text[0], "host");
  cr_expect(warning != NULL ? strstr(said, warning) != NULL : said[0] == '\0', "%s", said);
  engine_case_free(&right);
  engine_case_free(&both);
}

static const char failed[] = "computed without optimised programs: device";

/* Where it fails in a later batch, the host computes each of its tiles. */
Test(apart, steps_and_fails) {
  compare(stepping, NULL, 2);
  fails_from = 24;
  compare(stepping, failed, 2);
  fails_from = 0;
  compare(stepping, failed, 1);
}

Test(apart, steps_in_teams) {
  group = kernel_group = 64;
  compare(stepping, NULL, 2);
}

/* Rows are dealt to as many work-items as the program has. */
Test(apart, steps_in_teams_that_are_too_large) {
  group = 64;
  compare(stepping, "work-items need a work-group of that size; the driver allows this kernel 8", 1);
}

Test(apart, doubles) {
  compare(doubling, NULL, 2);
}

/* A work-item has a run: the work-groups are smaller than any team. */
Test(apart, varies_steps) {
  group = kernel_group = 4;
  compare(varied, NULL, 2);
}

/* PoCL's compiler follows every path from a barrier to the end of a kernel; through optimised code there are 10^26. */
Test(apart, varies_steps_in_teams) {
  plain = true;
  kernel_group = 16;
  compare(varied, NULL, 2);
}

Test(apart, finds_eigenvalues) {
  compare(stability, NULL, 2);
}
