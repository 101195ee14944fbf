/* Device `auto`: the host begins, programs of OpenCL that another process has built take over between two tiles, with
 * the same bits; whatever fails of them costs no result. Devices that were named: programs of several methods side by
 * side. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "engine_case.h"
#include "opencl.h"
#include "tiers.h"

#define SWEEP(study, more)                                                                                            \
  "{\"format\": \"cosweep-sweep/1\", \"name\": \"tiers\", \"model\": \"model.json\", \"study\": \"" study "\", " more \
  "}"

/* 40 tiles of 4 runs each. */
static const char fixed[] = SWEEP(
    "simulation",
    "\"t_end\": 3, \"method\": {\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"taylor\", \"step\": "
    "{\"control\": \"fixed\"}}, \"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.01, 1, "
    "160]}], \"metrics\": [\"output_error\", \"output_defect\", \"state_error\", \"steps\"]");
static const char varied[] =
    SWEEP("simulation",
          "\"t_end\": 3, \"method\": {\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"taylor\", \"step\": "
          "{\"control\": \"pi_defect\", \"initial\": 0.1}}, \"axes\": [{\"name\": \"tol\", \"path\": "
          "\"method.step.tolerance\", \"logspace\": [1e-4, 1e-2, 160]}], \"metrics\": [\"output_error\", \"steps\"]");
static const char stability[] = SWEEP(
    "stability",
    "\"method\": {\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"taylor\"}, \"axes\": [{\"name\": \"H\", "
    "\"path\": \"method.step.size\", \"linspace\": [0.1, 3, 160]}], \"metrics\": [\"spectral_radius\", \"stable\"]");

struct wait {
  const char *pattern; /* of files; NULL: wait a little */
  size_t files;
  int calls;
};

/* Holds tiles back until so many files are there, and a little longer. */
static void hold_back(const struct cs_progress *progress, void *context) {
  struct wait *wait = context;
  const struct timespec pause = {.tv_nsec = 50000000};
  if (progress->runs_done == 0 || wait->calls++ > 40) return;
  for (int i = 0; i < 1200; i++) {
    glob_t found;
    nanosleep(&pause, NULL);
    if (wait->pattern == NULL) return;
    const size_t there = glob(wait->pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    if (there > 0) globfree(&found);
    if (there >= wait->files) return;
  }
}

static struct harness harness;
static struct cs_device *host;
static char cache[300];

static void open_both(void) {
  harness_directory(&harness);
  snprintf(cache, sizeof cache, "%s/kept", harness.directory);
  setenv("COSWEEP_CACHE", cache, 1);
  setenv("COSWEEP_DEVICE", "auto", 1);
  struct cs_error error;
  cr_assert_eq(cs_device_open(NULL, &harness.device, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_open("host", &host, &error), CS_OK, "%s", error.message);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
}

static void close_both(void) {
  cs_device_close(host);
  harness_close(&harness);
}

TestSuite(tiers, .init = open_both, .fini = close_both, .timeout = 600);

static const char *device_of(const struct engine_case *result, size_t i) {
  const struct cs_note *note = cs_table_find_note(result->table, "device");
  return i < note->count ? note->text[i] : "";
}

static void run(struct cs_device *device, const struct cs_engine_options *options, struct engine_case *result) {
  struct cs_error error;
  *result = (struct engine_case){.runs = harness.sweep->runs};
  cr_assert_eq(cs_engine_run(harness.sweep, device, options, &result->table, &result->outcome, &error), CS_OK, "%s",
               error.message);
}

/* Runs the sweep with `auto` and on another device, with the same bits. */
static void compare(const char *sweep, struct cs_device *device, const char *builder, struct wait *wait,
                    struct engine_case *tiers) {
  const struct cs_engine_options options = {
      .tile_runs = 4, .builder = builder, .build_pays = 1e-9, .progress = hold_back, .context = wait};
  struct engine_case alone;
  harness_load(&harness, sweep);
  run(harness.device, &options, tiers); /* first: the other may keep the same programs */
  run(device, NULL, &alone);
  engine_case_same(&alone, tiers);
  engine_case_free(&alone);
}

/* From `first` on, where the engine that begins keeps `programs` programs and the one that takes over builds `more`. */
static void change_over(const char *sweep, struct cs_device *device, size_t programs, size_t more) {
  opencl_needed();
  struct engine_case first, second;
  char pattern[400];
  snprintf(pattern, sizeof pattern, "%s/*.program", cache);
  struct wait wait = {.pattern = pattern, .files = programs + more};
  compare(sweep, device, harness_program(), &wait, &first);
  if (programs == 0) {
    cr_expect_str_eq(device_of(&first, 0), "host");
    cr_expect(strlen(device_of(&first, 1)) > 0, "the host has computed all tiles");
  }
  compare(sweep, device, harness_program(), &wait, &second); /* kept: from the first tile on */
  cr_expect_str_neq(device_of(&second, 0), "host");
  cr_expect(first.outcome.warnings.length == 0 && second.outcome.warnings.length == 0, "%s",
            cs_text_string(&first.outcome.warnings));
  engine_case_free(&first);
  engine_case_free(&second);
}

Test(tiers, change_between_two_tiles_with_the_same_bits) {
  change_over(fixed, host, 0, 3); /* maps, stepping and doubling */
}

/* Runs that differ so little that all of a window are a tile. */
#define ALIKE(axes)                                                                                             \
  SWEEP("simulation",                                                                                           \
        "\"t_end\": 1, \"method\": {\"hold\": \"taylor\", \"order\": 1, \"step\": {\"size\": 0.1}}, \"axes\": " \
        "[" axes                                                                                                \
        "{\"name\": \"d\", \"path\": \"parameters.dk\", \"linspace\": [1, 1.001, 160]}], \"metrics\": "         \
        "[\"output_error\"]")

/* None of the windows would pay for a program. */
Test(tiers, change_between_two_windows) {
  opencl_needed();
  struct engine_case first, alone;
  char pattern[400];
  snprintf(pattern, sizeof pattern, "%s/*.program", cache);
  struct wait wait = {.pattern = pattern, .files = 2};
  const struct cs_engine_options options = {
      .window = 4, .builder = harness_program(), .build_pays = 1e-9, .progress = hold_back, .context = &wait};
  harness_load(&harness, ALIKE(""));
  run(harness.device, &options, &first);
  cr_expect_str_eq(device_of(&first, 0), "host");
  cr_expect(strlen(device_of(&first, 1)) > 0, "the host has computed all windows");
  cr_expect_eq(first.outcome.programs.kept, 2, "%zu programs", first.outcome.programs.kept);
  run(host, NULL, &alone);
  engine_case_same(&alone, &first);
  engine_case_free(&first);
  engine_case_free(&alone);
}

/* What later windows compute by other methods pays for no program. */
Test(tiers, stay_where_later_windows_have_their_own_methods) {
  opencl_needed();
  struct engine_case ran;
  struct wait wait = {.pattern = NULL};
  const struct cs_engine_options options = {.window = 160,
                                            .builder = "/bin/false", /* which would be told of */
                                            .build_pays = 1e-9,
                                            .progress = hold_back,
                                            .context = &wait};
  harness_load(&harness, ALIKE("{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1, 2]}, "));
  run(harness.device, &options, &ran);
  cr_expect_str_eq(device_of(&ran, 0), "host");
  cr_expect_str_eq(device_of(&ran, 1), "");
  cr_expect_eq(ran.outcome.warnings.length, 0, "%s", cs_text_string(&ran.outcome.warnings));
  engine_case_free(&ran);
}

Test(tiers, change_where_steps_vary) {
  change_over(varied, host, 0, 1);
}

Test(tiers, change_in_study_stability) {
  change_over(stability, host, 0, 2); /* maps, and their eigenvalues */
}

/* What the host cannot compute begins with a program that is built without optimisation. */
Test(tiers, change_where_there_is_a_fragment_of_a_user) {
  opencl_needed();
  struct cs_device *cpu = NULL;
  struct cs_error error;
  struct cs_text text = {0};
  char *fragment = harness_read("sweeps/moving_average.clh");
  harness_write(&harness, "own.clh", fragment);
  free(fragment);
  cs_text_add(&text, "%s",
              SWEEP("simulation",
                    "\"t_end\": 3, \"method\": {\"feedthrough\": \"explicit\", \"order\": 0, \"hold\": \"lagrange\", "
                    "\"master\": {\"kernel\": \"own.clh\", \"memory\": 2}, \"step\": {\"control\": \"fixed\"}}, "
                    "\"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.01, 0.1, 160]}], "
                    "\"metrics\": [\"output_error\", \"steps\"]"));
  cr_assert_eq(cs_device_open("cpu", &cpu, &error), CS_OK, "%s", error.message);
  change_over(text.data, cpu, 1, 2);
  cs_device_close(cpu);
  cs_text_free(&text);
}

/* What a sweep's program would take on a device that was named, and whether it is kept. */
static struct cs_forecast forecast(const struct cs_device *device, double build_pays) {
  struct cs_error error;
  struct cs_forecast forecast;
  const struct cs_engine_options options = {.build_pays = build_pays};
  cr_assert_eq(cs_engine_forecast(harness.sweep, cs_device_info(device), &options, &forecast, &error), CS_OK, "%s",
               error.message);
  cr_expect_eq(forecast.built, 1);
  return forecast;
}

/* A brief sweep gets one program without optimisation from a device that was named, unless those with it are kept; the
 * bits are the same. */
Test(tiers, named_devices_optimise_what_pays) {
  opencl_needed();
  static const struct cs_engine_options paying = {.build_pays = 1e-9};
  struct cs_device *cpu = NULL;
  struct cs_error error;
  struct engine_case brief, optimised, again;
  cr_assert_eq(cs_device_open("cpu", &cpu, &error), CS_OK, "%s", error.message);
  harness_load(&harness, fixed);
  cr_expect_eq(forecast(cpu, 0.0).programs, 1);
  cr_expect_eq(forecast(cpu, paying.build_pays).programs, 3); /* maps, stepping and doubling */
  cr_expect_eq(forecast(cpu, 0.0).build_seconds, 1.0);
  cr_expect_eq(forecast(cpu, paying.build_pays).build_seconds, 5.0);
  run(cpu, NULL, &brief);
  cr_expect_eq(brief.outcome.programs.built, 1);
  cr_expect_eq(forecast(cpu, 0.0).kept, 1);
  cr_expect_eq(forecast(cpu, paying.build_pays).kept, 0);
  run(cpu, &paying, &optimised);
  cr_expect_eq(optimised.outcome.programs.built, 3);
  cr_expect_eq(forecast(cpu, paying.build_pays).kept, 3);
  cr_expect_eq(forecast(cpu, 0.0).kept, 3, "they serve brief sweeps too");
  run(cpu, NULL, &again);
  cr_expect_eq(again.outcome.programs.built, 0);
  engine_case_same(&brief, &optimised);
  engine_case_same(&brief, &again);
  engine_case_free(&brief);
  engine_case_free(&optimised);
  engine_case_free(&again);
  cs_device_close(cpu);
}

/* Brief spectra beside a simulation that pays have its program, optimised; only that of the eigenvalues is not. */
Test(tiers, spectra_take_the_program_that_is_there) {
  opencl_needed();
  struct cs_device *cpu = NULL;
  struct cs_error error;
  struct engine_case own;
  cr_assert_eq(cs_device_open("cpu", &cpu, &error), CS_OK, "%s", error.message);
  harness_load(&harness, SWEEP("simulation",
                               "\"t_end\": 100, \"method\": {\"order\": 0, \"engine\": \"step\", "
                               "\"step\": {\"size\": 0.001}}, "
                               "\"axes\": [{\"name\": \"k\", \"path\": \"parameters.ck\", "
                               "\"linspace\": [1, 10, 20]}], "
                               "\"metrics\": [\"output_error\", \"spectral_radius\"]"));
  static const struct cs_engine_options paying = {.build_pays = 0.02};
  cr_expect_eq(forecast(cpu, paying.build_pays).build_seconds, 5.0);
  run(cpu, &paying, &own);
  cr_expect_eq(own.outcome.programs.built, 3); /* maps, stepping, eigenvalues */
  engine_case_free(&own);
  cs_device_close(cpu);
}

/* Seconds from which optimising has to pay for the sweep to be brief, divided by those that its tiles take. */
static double briefness(const struct cs_device *device, const char *sweep) {
  double pays = 1e-9;
  harness_load(&harness, sweep);
  while (forecast(device, pays).build_seconds > 1.0)
    pays *= 1.25;
  return pays / (forecast(device, pays).compute_seconds * cs_device_info(device)->units - CS_TIERS_VARIANT_SECONDS);
}

/* Programs of several methods. */
static const char methods[] =
    SWEEP("simulation",
          "\"t_end\": 1, \"method\": {\"feedthrough\": \"explicit\", \"hold\": \"taylor\", \"step\": {\"size\": 0.1}}, "
          "\"axes\": [{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1, 2]}, {\"name\": \"start\", "
          "\"path\": \"method.start\", \"values\": [\"consistent\", \"zero\"]}], \"metrics\": [\"output_error\"]");

/* Runs them on a device that was named, with the bits of the host, and every program counts as built. */
static void build_on_cpu(const char *builder) {
  opencl_needed();
  struct cs_device *cpu = NULL;
  struct cs_error error;
  struct engine_case here, there;
  const struct cs_engine_options options = {.builder = builder};
  harness_load(&harness, methods);
  cr_assert_eq(cs_device_open("cpu", &cpu, &error), CS_OK, "%s", error.message);
  run(host, NULL, &here);
  run(cpu, &options, &there);
  engine_case_same(&here, &there);
  cr_expect(there.outcome.programs.built == 6 && there.outcome.programs.kept == 0, "%zu built, %zu kept",
            there.outcome.programs.built, there.outcome.programs.kept);
  engine_case_free(&here);
  engine_case_free(&there);
  cs_device_close(cpu);
}

/* The first three of six are built here, the others there. */
Test(tiers, programs_are_built_side_by_side) {
  char script[400], told[400], text[1000];
  snprintf(script, sizeof script, "%s/builder", harness.directory);
  snprintf(told, sizeof told, "%s/told", harness.directory);
  snprintf(text, sizeof text, "#!/bin/sh\necho one >> %s\nexec %s \"$@\"\n", told, harness_program());
  harness_write(&harness, "builder", text);
  cr_assert_eq(chmod(script, 0700), 0);
  build_on_cpu(script);
  cr_expect(access(told, F_OK) == 0 || cs_device_processors() == 1, "nobody else has built");
}

Test(tiers, programs_are_built_here_where_others_fail) {
  build_on_cpu("/bin/false");
}

/* Where the number of steps is a guess, ten times as many count. */
Test(tiers, named_devices_optimise_where_work_is_a_guess) {
  opencl_needed();
  struct cs_device *cpu = NULL;
  struct cs_error error;
  cr_assert_eq(cs_device_open("cpu", &cpu, &error), CS_OK, "%s", error.message);
  const double known = briefness(cpu, fixed), guessed = briefness(cpu, varied);
  cr_expect(known >= 1.0 && known < 1.3, "%g", known);
  cr_expect(guessed >= 10.0 && guessed < 13.0, "%g", guessed);
  cs_device_close(cpu);
}

/* A device that was named begins with a quick program where much is to be computed in short tiles; optimised ones
 * take over between two of them. */
Test(tiers, change_on_a_named_device) {
  opencl_needed();
  struct cs_device *cpu = NULL;
  struct cs_error error;
  struct engine_case here, there;
  char pattern[400];
  snprintf(pattern, sizeof pattern, "%s/*.program", cache);
  struct wait wait = {.pattern = pattern, .files = 3}; /* together; maps and stepping */
  struct cs_engine_options options = {
      .tile_runs = 4, .builder = harness_program(), .progress = hold_back, .context = &wait};
  cr_assert_eq(cs_device_open("cpu", &cpu, &error), CS_OK, "%s", error.message);
  harness_load(&harness, ALIKE(""));
  const double core_seconds = forecast(cpu, 0.0).compute_seconds * cs_device_info(cpu)->units;
  options.build_pays = (core_seconds - CS_TIERS_VARIANT_SECONDS) / 30.0; /* of 40 tiles */
  run(cpu, &options, &there);
  cr_expect(there.outcome.programs.built == 1 && there.outcome.programs.kept == 2, "%zu built, %zu kept",
            there.outcome.programs.built, there.outcome.programs.kept);
  cr_expect_str_eq(device_of(&there, 1), "");
  run(host, NULL, &here);
  engine_case_same(&here, &there);
  engine_case_free(&here);
  engine_case_free(&there);
  cs_device_close(cpu);
}

static void expect_host_alone(const char *builder, const char *warning) {
  opencl_needed(); /* or nothing would be built */
  struct engine_case result;
  struct wait wait = {.pattern = NULL};
  compare(fixed, host, builder, &wait, &result);
  cr_expect_str_eq(device_of(&result, 0), "host");
  cr_expect_str_eq(device_of(&result, 1), "");
  const char *said = cs_text_string(&result.outcome.warnings);
  cr_expect(warning != NULL ? strstr(said, warning) != NULL : said[0] == '\0', "%s: %s", builder, said);
  engine_case_free(&result);
}

Test(tiers, a_builder_that_fails_costs_no_result) {
  expect_host_alone("/bin/false", "computed without optimised programs: the process that built it ended early");
}

Test(tiers, a_builder_that_is_not_there_costs_no_result) {
  expect_host_alone("/nonexistent", "computed without optimised programs: cannot start a process to build programs in");
}

Test(tiers, without_a_builder_the_host_computes) {
  struct engine_case result;
  const struct cs_engine_options options = {.build_pays = 1e-9};
  harness_load(&harness, fixed);
  run(harness.device, &options, &result);
  cr_expect_str_eq(device_of(&result, 0), "host");
  engine_case_free(&result);
}
