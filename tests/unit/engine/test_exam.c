/* A device of OpenCL whose numbers are wrong in their last bit: it is named, and what it would have computed others
 * compute. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine_case.h"
#include "exam.h"
#include "harness.h"

TestSuite(exam, .timeout = 300);

typedef cl_int read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                           void *data, cl_uint waits, const cl_event *wait, cl_event *event);

static atomic_bool wrong;
static atomic_int reads;
static atomic_size_t only, last; /* size of the reads that are wrong, 0: all; of the last one */

/* In place of the library's. */
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                           void *data, cl_uint waits, const cl_event *wait, cl_event *event) {
  read_buffer *real;
  *(void **)&real = dlsym(RTLD_NEXT, "clEnqueueReadBuffer");
  const cl_int code = real(queue, buffer, blocking, offset, size, data, waits, wait, event);
  double *number = data;
  reads++;
  last = size;
  for (size_t i = 0; wrong && (only == 0 || only == size) && i < size / sizeof *number; i++)
    if (number[i] != floor(number[i])) /* not those that count, or say how a run has ended */
      number[i] = nextafter(number[i], 0);
  return code;
}

static const char *const methods[] = {
    "\"study\": \"simulation\", \"t_end\": 3, \"method\": {\"hold\": \"lagrange\", \"order\": 1, \"engine\": "
    "\"step\"}, "
    "\"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.01, 0.3, 40]}]",
    "\"study\": \"simulation\", \"t_end\": 3, \"method\": {\"hold\": \"lagrange\", \"order\": 1, \"engine\": "
    "\"double\"}, \"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.01, 0.3, 40]}]",
    "\"study\": \"simulation\", \"t_end\": 3, \"method\": {\"hold\": \"taylor\", \"order\": 1, \"step\": {\"control\": "
    "\"pi_defect\", \"initial\": 0.1}}, \"axes\": [{\"name\": \"tol\", \"path\": \"method.step.tolerance\", "
    "\"logspace\": [1e-4, 1e-2, 40]}]",
    "\"study\": \"stability\", \"method\": {\"hold\": \"lagrange\", \"order\": 1, \"feedthrough\": \"explicit\"}, "
    "\"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.1, 3, 40]}]"};
enum { METHODS = sizeof methods / sizeof *methods };

static struct harness harness;
static struct cs_error error;

static void load(const char *method) {
  struct cs_text text = {0};
  cs_text_add(&text, "{\"format\": \"cosweep-sweep/1\", \"name\": \"exam\", \"model\": \"model.json\", %s}", method);
  harness_load(&harness, text.data);
  cs_text_free(&text);
}

/* Holds tiles back until the device of OpenCL has computed something. */
static void hold_back(const struct cs_progress *progress, void *context) {
  const struct timespec pause = {.tv_nsec = 10000000};
  (void)context;
  for (int i = 0; progress->runs_done > 0 && reads == 0 && i < 10; i++)
    nanosleep(&pause, NULL);
}

static int run(struct cs_device *const *device, size_t devices, struct engine_case *result) {
  const struct cs_engine_options options = {.tile_runs = 2,
                                            .build_pays = harness_build_pays(device[devices - 1]),
                                            .progress = devices > 1 ? hold_back : NULL};
  *result = (struct engine_case){.runs = harness.sweep->runs};
  return cs_engine_run_on(harness.sweep, device, devices, &options, &result->table, &result->outcome, &error);
}

static void expect_named(const char *said, const struct cs_device *device) {
  struct cs_text text = {0};
  cs_text_add(&text, "device %s: computes wrong numbers: of run ", cs_device_info(device)->name);
  cr_expect_not_null(strstr(said, text.data), "%s", said);
  cr_expect_not_null(strstr(said, "; it is not used"), "%s", said);
  cs_text_free(&text);
}

/* Alone it is an error; beside the host, first or second, a warning. */
static void compare(struct cs_device *host, struct cs_device *cpu) {
  struct cs_device *const both[][2] = {{host, cpu}, {cpu, host}};
  struct engine_case right, alone, two;
  wrong = false;
  cr_assert_eq(run(&host, 1, &right), CS_OK, "%s", error.message);
  cr_assert_eq(run(&cpu, 1, &alone), CS_OK, "%s", error.message);
  engine_case_same(&right, &alone);
  engine_case_free(&alone);
  wrong = true;
  cr_expect_eq(run(&cpu, 1, &alone), CS_DEVICE);
  expect_named(error.message, cpu);
  engine_case_free(&alone);
  for (size_t i = 0; i < 2; i++) {
    reads = 0;
    cr_assert_eq(run(both[i], 2, &two), CS_OK, "%s", error.message);
    engine_case_same(&right, &two);
    const struct cs_note *device = cs_table_find_note(two.table, "device");
    cr_expect_gt(reads, 0, "the host has left it no tile");
    cr_expect(device->count == 1 && strcmp(device->text[0], "host") == 0, "%zu", device->count);
    expect_named(cs_text_string(&two.outcome.warnings), cpu);
    engine_case_free(&two);
  }
  engine_case_free(&right);
}

Test(exam, a_device_that_computes_wrong_numbers) {
  struct cs_device *host = NULL, *cpu = NULL;
  harness_open_opencl(&harness);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  cr_assert_eq(cs_device_open("host", &host, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_open("cpu", &cpu, &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < METHODS; i++) {
    load(methods[i]);
    compare(host, cpu);
  }
  cs_device_close(host);
  cs_device_close(cpu);
  harness_close(&harness);
}

/* Device `auto` goes on with the host, from the second variant on. What takes over is a program that cosweep keeps, not
 * PoCL. */
Test(exam, beside_the_host) {
  static const char both[] =
      "\"study\": \"simulation\", \"t_end\": 3, \"method\": {\"hold\": \"lagrange\", \"engine\": \"step\"}, \"axes\": "
      "[{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1]}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.01, 0.3, 40]}]";
  struct cs_device *automatic = NULL, *host = NULL, *cpu = NULL;
  struct engine_case right, kept, ran;
  if (getenv("POCL_CACHE_DIR") != NULL) setenv("COSWEEP_CACHE", getenv("POCL_CACHE_DIR"), 1);
  unsetenv("POCL_CACHE_DIR");
  harness_open_opencl(&harness);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  cr_assert_eq(cs_device_open("auto", &automatic, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_open("host", &host, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_open("cpu", &cpu, &error), CS_OK, "%s", error.message);
  const struct cs_engine_options options = {.tile_runs = 2, .builder = harness_program(), .build_pays = 1e-9};
  wrong = false;
  load(methods[0]);
  cr_assert_eq(run(&cpu, 1, &kept), CS_OK, "%s", error.message);
  only = last; /* of order 1 */
  engine_case_free(&kept);
  load(both);
  cr_assert_eq(run(&host, 1, &right), CS_OK, "%s", error.message);
  cr_assert_eq(run(&cpu, 1, &kept), CS_OK, "%s", error.message); /* its programs are kept */
  wrong = true;
  ran = (struct engine_case){.runs = harness.sweep->runs};
  cr_assert_eq(cs_engine_run(harness.sweep, automatic, &options, &ran.table, &ran.outcome, &error), CS_OK, "%s",
               error.message);
  engine_case_same(&right, &ran);
  expect_named(cs_text_string(&ran.outcome.warnings), cpu);
  const struct cs_note *device = cs_table_find_note(ran.table, "device");
  cr_expect_eq(device->count, 2, "the first variant was computed on it");
  engine_case_free(&right);
  engine_case_free(&kept);
  engine_case_free(&ran);
  cs_device_close(automatic);
  cs_device_close(host);
  cs_device_close(cpu);
  harness_close(&harness);
}

/* With as many lanes as the host has for them, and another order of additions. */
Test(exam, large_models) {
  enum { STATES = 40 };
  struct cs_device *cpu = NULL;
  struct engine_case result;
  struct cs_text text = {0};
  const struct cs_engine_options options = {.lanes = 1};
  harness_open_opencl(&harness);
  cs_text_add(&text,
              "{\"format\": \"cosweep-model/1\", \"name\": \"large\", \"subsystems\": [{\"name\": \"a\", "
              "\"inputs\": [\"u\"], \"outputs\": [\"y\"], \"states\": [\"x0\"");
  for (int i = 1; i < STATES; i++)
    cs_text_add(&text, ", \"x%d\"", i);
  for (int i = 0; i < STATES; i++) {
    cs_text_add(&text, i == 0 ? "], \"A\": [[" : "], [");
    for (int j = 0; j < STATES; j++)
      cs_text_add(&text, "%s%g", j > 0 ? ", " : "", j == i ? -300.0 - 111.0 * i : j == i - 1 ? 90.0 : 0.0);
  }
  for (int i = 0; i < STATES; i++)
    cs_text_add(&text, "%s1]", i == 0 ? "]], \"B\": [[" : ", [");
  for (int i = 0; i < STATES; i++)
    cs_text_add(&text, "%s%g", i == 0 ? "], \"C\": [[" : ", ", 0.1 * (i + 1));
  cs_text_add(&text,
              "]]}, {\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], "
              "\"A\": [[-1]], \"B\": [[-1]], \"C\": [[1]], \"x0\": [1]}], \"connections\": "
              "[{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\"}]}");
  harness_write(&harness, "model.json", cs_text_string(&text));
  cs_text_free(&text);
  load(
      "\"t_end\": 2, \"metrics\": [\"output_defect\"], \"method\": {\"order\": 0, \"start\": \"zero\", \"step\": "
      "{\"control\": \"pi_defect\", \"initial\": 0.1, \"tolerance\": 1e-3}}, \"axes\": []");
  cr_assert_eq(cs_device_open("cpu", &cpu, &error), CS_OK, "%s", error.message);
  result = (struct engine_case){.runs = harness.sweep->runs};
  cr_expect_eq(cs_engine_run(harness.sweep, cpu, &options, &result.table, &result.outcome, &error), CS_OK, "%s",
               error.message);
  engine_case_free(&result);
  cs_device_close(cpu);
  harness_close(&harness);
}

Test(exam, the_host) {
  cr_expect_eq(cs_exam_host(&error), CS_OK, "%s", error.message);
}
