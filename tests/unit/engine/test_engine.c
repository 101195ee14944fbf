/* A run's numbers depend on the run alone: not on the tile, the lane, its neighbours, the order of axes or what else is
 * asked for (same bytes), and on the vector width only by rounding. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"
#include "plain.h"

/* Three kernels of different shape; step sizes from ||M|| H = 0.02 to 18, so that neighbours in a vector differ in
 * steps, terms, pieces and nodes of the quadrature. */
#define METHODS                                                                                    \
  "{\"name\": \"method\", \"zip\": {\"method.hold\": [\"taylor\", \"lagrange\", \"taylor\"], "     \
  "\"method.order\": [1, 2, 0], \"method.feedthrough\": [\"explicit\", \"solved\", \"refresh\"], " \
  "\"method.start\": [\"consistent\", \"ramp\", \"zero\"], \"method.solver\": [\"exact\", \"exact\", \"rk4\"]}}"
#define STEPS \
  "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.02, 0.037, 0.1, 0.15, 0.3, 0.7, 1, 3, 6]}"
/* the second of METHODS, for tests of one kernel */
#define RAMP "\"hold\": \"lagrange\", \"order\": 2, \"feedthrough\": \"solved\", \"start\": \"ramp\""
#define DAMPING "{\"name\": \"dk\", \"path\": \"parameters.dk\", \"values\": [0.5, 2, 9]}"
enum { METHOD_COUNT = 3, STEP_COUNT = 9, DAMPING_COUNT = 3 };

static char *sweep_text(const char *method, const char *axes, const char *metrics) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"engine\", \"model\": \"model.json\", "
              "\"study\": \"simulation\", \"t_end\": 12, \"method\": {%s%s\"step\": {\"control\": \"fixed\", "
              "\"size\": 0.125}}, \"fits\": [], \"axes\": [%s], \"metrics\": %s}\n",
              method, *method ? ", " : "", axes, metrics);
  cr_assert(!text.failed);
  return text.data;
}

static void run(struct harness *harness, const char *method, const char *axes, const char *metrics, unsigned lanes,
                size_t tile_runs, struct engine_case *result) {
  char *sweep = sweep_text(method, axes, metrics);
  engine_case_run(harness, sweep, lanes, tile_runs, result);
  free(sweep);
}

/* An engine and all metrics it can give. */
static const struct engine {
  const char *method, *metrics;
  bool doubles;
} stepping = {"\"engine\": \"step\"", ENGINE_CASE_METRICS, false},
  doubling = {"\"engine\": \"double\"", ENGINE_CASE_SUMS, true};

static void run_all(struct harness *harness, const struct engine *engine, size_t tile_runs,
                    struct engine_case *result) {
  run(harness, engine->method, METHODS ", " DAMPING ", " STEPS, engine->metrics, 0, tile_runs, result);
  if (engine->doubles) engine_case_all_doubled(result);
}

static void open_two_masses(struct harness *harness) {
  harness_open(harness);
  engine_case_model(harness, "models/two_mass_oscillator/model.json");
}

static void check_tile_sizes(const struct engine *engine) {
  static const size_t tile_runs[] = {0, 1, 7, 64};
  struct harness harness;
  struct engine_case first, other;
  open_two_masses(&harness);
  run_all(&harness, engine, 0, &first);
  for (size_t r = 0; r < first.runs; r++)
    cr_assert_eq(engine_case_status(&first, r), 0, "run %zu", r);
  for (size_t i = 0; i < sizeof tile_runs / sizeof *tile_runs; i++) {
    run_all(&harness, engine, tile_runs[i], &other);
    engine_case_same(&first, &other);
    engine_case_free(&other);
  }
  engine_case_free(&first);
  harness_close(&harness);
}

Test(engine, same_bytes_again_and_for_every_tile_size_by_stepping) {
  check_tile_sizes(&stepping);
}

Test(engine, same_bytes_again_and_for_every_tile_size_by_doubling) {
  check_tile_sizes(&doubling);
}

static void check_order_of_axes(const struct engine *engine) {
  struct harness harness;
  struct engine_case first, other;
  open_two_masses(&harness);
  run_all(&harness, engine, 0, &first);
  run(&harness, engine->method, STEPS ", " METHODS ", " DAMPING, engine->metrics, 0, 0, &other);
  for (size_t m = 0; m < METHOD_COUNT; m++) {
    for (size_t d = 0; d < DAMPING_COUNT; d++) {
      for (size_t h = 0; h < STEP_COUNT; h++) {
        engine_case_same_run(&first, (m * DAMPING_COUNT + d) * STEP_COUNT + h, &other,
                             (h * METHOD_COUNT + m) * DAMPING_COUNT + d);
      }
    }
  }
  engine_case_free(&first);
  engine_case_free(&other);
  harness_close(&harness);
}

Test(engine, same_bytes_for_another_order_of_axes) {
  check_order_of_axes(&stepping);
  check_order_of_axes(&doubling);
}

/* 1e-13 relative; 1e-16 absolute where a value itself is rounding (signals are of order 0.1 to 1). */
static void check_vector_widths(const struct engine *engine, const char *more, const char *axes, const char *title) {
  static const unsigned lanes[] = {1, 2, 4, 16};
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case wide, other;
  struct cs_text method = {0};
  cs_text_add(&method, "%s%s", engine->method, more);
  cr_assert(!method.failed);
  open_two_masses(&harness);
  run(&harness, method.data, axes, engine->metrics, 8, 0, &wide);
  for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
    run(&harness, method.data, axes, engine->metrics, lanes[i], 0, &other);
    engine_case_compare(&check, &other, &wide, 1e-13, 1e-16);
    engine_case_free(&other);
  }
  harness_finish(&check, title);
  engine_case_free(&wide);
  cs_text_free(&method);
  harness_close(&harness);
}

Test(engine, vector_width_changes_only_rounding_of_steps) {
  check_vector_widths(&stepping, "", METHODS ", " DAMPING ", " STEPS, "vector widths, step");
}

Test(engine, vector_width_changes_only_rounding_of_doubling) {
  check_vector_widths(&doubling, ", " RAMP, DAMPING ", " STEPS, "vector widths, double");
}

/* Very different numbers of steps and ||M|| H side by side in one vector, then each run alone. */
static void check_neighbours(const struct engine *engine) {
  static const char *const sizes[] = {"0.004", "0.05", "0.3", "2", "6", "11", "40"};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  struct harness harness;
  struct engine_case all, alone;
  struct cs_text axis = {0}, method = {0};
  cs_text_add(&method, "%s, " RAMP, engine->method);
  cr_assert(!method.failed);
  open_two_masses(&harness);
  cs_text_add(&axis, "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [");
  for (size_t i = 0; i < SIZES; i++)
    cs_text_add(&axis, "%s%s", i ? ", " : "", sizes[i]);
  cs_text_add(&axis, "]}");
  run(&harness, method.data, axis.data, engine->metrics, 8, 0, &all);
  for (size_t i = 0; i < SIZES; i++) {
    char one[128];
    snprintf(one, sizeof one, "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [%s]}", sizes[i]);
    run(&harness, method.data, one, engine->metrics, 8, 0, &alone);
    engine_case_same_run(&all, i, &alone, 0);
    engine_case_free(&alone);
  }
  engine_case_free(&all);
  cs_text_free(&axis);
  cs_text_free(&method);
  harness_close(&harness);
}

Test(engine, same_bytes_alone_and_among_neighbours) {
  check_neighbours(&stepping);
  check_neighbours(&doubling);
}

/* By stepping: `auto` may choose another way for another list of metrics. */
Test(engine, same_bytes_for_a_metric_alone_and_with_all_others) {
  static const char *const metrics[] = {"output_defect",      "output_defect_true", "connection_defect",
                                        "integration_defect", "input_error",        "state_error_max",
                                        "output_error_final", "monitor_rms"};
  static const char method[] = "\"order\": 1, \"solver\": \"heun\", \"engine\": \"step\"";
  struct harness harness;
  struct engine_case all, alone;
  open_two_masses(&harness);
  run(&harness, method, STEPS, ENGINE_CASE_METRICS, 0, 0, &all);
  for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
    char list[64];
    snprintf(list, sizeof list, "[\"%s\"]", metrics[i]);
    run(&harness, method, STEPS, list, 0, 0, &alone);
    engine_case_same(&all, &alone);
    engine_case_free(&alone);
  }
  engine_case_free(&all);
  harness_close(&harness);
}

/* ---- the number of steps */

/* Runs that end at `ends`, after `steps` steps: every sum against long double. */
static void check_sums(const struct engine *engine, const char *more, const char *ends, const long *steps,
                       const char *title) {
  static const enum cs_metric metrics[] = {CS_OUTPUT_DEFECT,      CS_CONNECTION_DEFECT, CS_STATE_ERROR,
                                           CS_OUTPUT_ERROR_FINAL, CS_STATE_ERROR_MAX,   CS_MONITOR_RMS};
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case result;
  struct plain_result *want = malloc(sizeof *want);
  struct cs_text method = {0}, axis = {0};
  cs_text_add(&method, "%s, %s", engine->method, more);
  cs_text_add(&axis, "{\"name\": \"N\", \"path\": \"t_end\", \"values\": [%s]}", ends);
  cr_assert(want != NULL && !method.failed && !axis.failed);
  open_two_masses(&harness);
  run(&harness, method.data, axis.data, engine->metrics, 0, 0, &result);
  for (size_t r = 0; r < result.runs; r++) {
    cr_assert_eq(engine_case_steps(&result, r), steps[r]);
    plain_run(harness.sweep, r, NULL, NULL, want);
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
      const char *name = cs_metric_table[metrics[m]].name;
      size_t signals;
      if (cs_table_find(result.table, name) == NULL) /* maxima, by doubling */
        continue;
      const double *value = engine_case_values(&result, name, r, &signals);
      for (size_t i = 0; i < signals; i++) {
        harness_compare(&check, value[i], (double)want->metric[metrics[m]][i], 1e-11, 1e-16, "N = %ld: %s, signal %zu",
                        steps[r], name, i);
      }
    }
  }
  harness_finish(&check, title);
  free(want);
  cs_text_free(&method);
  cs_text_free(&axis);
  engine_case_free(&result);
  harness_close(&harness);
}

/* Stepping adds squares in chunks of 256 steps, doubling goes through the bits of their number; both treat the last
 * step apart. The last run's end is no multiple of its step. */
Test(engine, sums_count_every_step_once) {
  static const char method[] = "\"feedthrough\": \"explicit\"";
  static const char ends[] = "0.125, 0.25, 31.875, 32, 32.125, 64, 64.125, 0.3";
  static const long steps[] = {1, 2, 255, 256, 257, 512, 513, 3};
  check_sums(&stepping, method, ends, steps, "sums, step");
  check_sums(&doubling, method, ends, steps, "sums, double");
}

/* The first steps of a ramp have maps of their own: runs that end within them, just after, and one more step on. */
Test(engine, sums_count_every_step_of_a_ramp_once) {
  static const char method[] = "\"hold\": \"lagrange\", \"order\": 3, \"start\": \"ramp\"";
  static const char ends[] = "0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1, 4.9";
  static const long steps[] = {1, 2, 3, 4, 5, 6, 8, 40};
  check_sums(&stepping, method, ends, steps, "sums of a ramp, step");
  check_sums(&doubling, method, ends, steps, "sums of a ramp, double");
}
