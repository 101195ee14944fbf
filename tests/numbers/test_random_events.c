/* State events on random networks: tests/data/events/model_NN.json, three subsystems with private and shared events and
 * modes, under methods drawn at random, against tests/oracle/plain_course.c. The same events at the same times, the
 * same counts, errors and defects. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "plain.h"
#include "plain_compare.h"
#include "random_draw.h"

enum { CASES = 40, MODELS = 10, CONTROLS = 5, LISTED = 16 };

/* Event times; errors after an event, which are differences of plain values. */
#define TIMES 1e-11
#define PLAIN 1e-9

static void add_step(uint64_t *state, size_t control, double H, struct cs_text *text) {
  cs_text_add(text, "\"step\": {");
  switch (control) {
    case CS_FIXED:
      cs_text_add(text, "\"size\": %.17g}", H);
      return;
    case CS_PI_DEFECT:
      cs_text_add(text, "\"control\": \"pi_defect\", \"tolerance\": %.17g",
                  pow(10, -1 - (double)random_draw(state, 20) / 10));
      break;
    case CS_PI_ECCO:
      cs_text_add(text,
                  "\"control\": \"pi_ecco\", \"kp\": 0.1, \"ki\": 0.05, \"atol\": 0.01, \"rtol\": 0.01, \"bonds\": "
                  "[{\"a\": [\"s0.x1\", \"s0.v\"], \"b\": [\"s1.x0\", \"s1.v\"], \"sign\": -1}]");
      break;
    case CS_THRESHOLD:
      cs_text_add(
          text,
          "\"control\": \"threshold\", \"signal\": \"s1.x\", \"threshold\": 0, \"above\": %.17g, \"below\": %.17g", H,
          0.6 * H);
      break;
    default:
      cs_text_add(text, "\"control\": \"richardson\", \"atol\": %.17g, \"rtol\": 0.001",
                  pow(10, -2 - (double)random_draw(state, 20) / 10));
  }
  if (control != CS_THRESHOLD) cs_text_add(text, ", \"initial\": %.17g", H);
  cs_text_add(text, ", \"min\": %.17g, \"max\": %.17g}", 0.1 * H, 2 * H);
}

static void add_events(uint64_t *state, size_t control, bool sequential, bool iterates, struct cs_text *text) {
  static const char *const detects[] = {"all", "all", "points", "first"}, *const resets[] = {"joint", "extrapolated"};
  static const char *const grids[] = {"restart", "keep"}, *const interruptions[] = {"0", "0", "0.003"};
  cs_text_add(text, ", \"events\": {\"window\": 0.1, \"detect\": \"%s\", \"reset\": \"%s\", \"interruption\": %s",
              random_word(state, detects, sequential ? 4 : 3), random_word(state, resets, 2),
              random_word(state, interruptions, 3));
  const bool predicts = random_draw(state, 2) && sequential && !iterates;
  static const char *const firsts[] = {"predicted", "parallel"}, *const horizons[] = {"1.5", "0.5", "0"};
  if (predicts)
    cs_text_add(text, ", \"first\": \"%s\", \"horizon\": %s", random_word(state, firsts, 2),
                random_word(state, horizons, 3));
  if (control == CS_FIXED)
    cs_text_add(text, ", \"grid\": \"%s\"", random_word(state, grids, 2));
  else if (random_draw(state, 2))
    cs_text_add(text, ", \"restart\": 0.015");
  cs_text_add(text, "}");
}

static void write_sweep(uint64_t *state, size_t number, struct cs_text *text) {
  static const char *const holds[] = {"taylor", "lagrange", "backward_difference"};
  static const char *const starts[] = {"consistent", "ramp", "zero"};
  static const char *const feedthroughs[] = {"explicit", "solved", "refresh"};
  static const char *const solvers[] = {"exact", "exact",  "exact",          "euler",      "heun",
                                        "rk4",   "dopri5", "implicit_euler", "trapezoidal"};
  const size_t control = number % CONTROLS, hold = random_draw(state, 3), pick = random_draw(state, 6);
  const size_t iterations = pick > 3 ? pick - 3 : 0, least = control == CS_RICHARDSON;
  const bool sequential = random_draw(state, 2);
  const double H = 0.02 + 0.01 * (double)random_draw(state, 5);
  const bool refreshes = !sequential && hold == CS_TAYLOR && iterations == 0;
  cs_text_add(
      text,
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"events\", \"model\": \"%s/tests/data/events/model_%02zu.json\",\n"
      "\"t_end\": %.17g, \"metrics\": [\"output_defect\", \"connection_defect\", \"integration_defect\", "
      "\"output_error\", \"input_error\", \"state_error\", \"output_error_final\", \"input_error_final\", "
      "\"state_error_final\", \"output_error_between\", \"input_error_between\", \"state_error_between\", "
      "\"time_between\", \"first_divergence\", \"events\", \"exact_events\", \"late_events\", \"missed_events\", "
      "\"spurious_events\", \"event_time_error\", \"event_time_error_max\", \"rollbacks\", \"event_time\", "
      "\"event_kind\", \"exact_event_time\", \"exact_event_kind\", \"steps\", \"rejected_steps\", "
      "\"evaluations\", \"step_min\", \"step_mean\", \"step_max\", \"t_final\"],\n\"method\": {",
      COSWEEP_SOURCE_DIR, random_draw(state, MODELS), 1.5 + 0.1 * (double)random_draw(state, 10));
  cs_text_add(text,
              "\"master\": \"%s\", \"iterations\": %zu, \"hold\": \"%s\", \"input_order\": %zu, "
              "\"output_order\": %zu, ",
              sequential ? "gauss_seidel" : "jacobi", iterations, holds[hold], least + random_draw(state, 4 - least),
              least + random_draw(state, 4 - least));
  if (random_draw(state, 2))
    cs_text_add(text, "\"continuity\": \"c%zu\", \"feedthrough\": \"%s\", ", random_draw(state, 2),
                random_word(state, feedthroughs, 2));
  else
    cs_text_add(text, "\"feedthrough\": \"%s\", ", random_word(state, feedthroughs, refreshes ? 3 : 2));
  cs_text_add(text, "\"start\": \"%s\", \"solver\": \"%s\", ", random_word(state, starts, 3),
              random_word(state, solvers, 9));
  add_step(state, control, H, text);
  add_events(state, control, sequential, iterations > 0, text);
  if (!sequential && iterations == 0 && hold == CS_LAGRANGE && strstr(text->data, "continuity") == NULL &&
      strstr(text->data, "dopri5") == NULL)
    cs_text_add(text, ", \"compensation\": %g", (double)random_draw(state, 5) / 4);
  cs_text_add(text, "}}\n");
  cr_assert(!text->failed);
}

/* What has no value in both is the same. */
static void compare(struct harness_check *check, double actual, double expected, double relative, double absolute,
                    const char *name, const char *metric, size_t item) {
  if (!isnan(actual) || !isnan(expected))
    harness_compare(check, actual, expected, relative, absolute, "%s: %s %zu", name, metric, item);
}

static void compare_scalars(const struct harness *harness, const struct plain_result *result,
                            struct harness_check *check, const char *name) {
  for (size_t m = 0; m < CS_METRICS; m++) {
    const struct cs_metric_info *info = &cs_metric_table[m];
    if (info->over != CS_OVER_NOTHING || cs_table_find(harness->table, info->name) == NULL) continue;
    const bool count = info->reduction == CS_COUNT;
    compare(check, harness_value(harness->table, info->name, NULL, NULL), (double)result->metric[m][0],
            count ? 0 : PLAIN, count ? 0 : TIMES, name, info->name, 0);
  }
}

static void compare_events(const struct harness *harness, const struct plain_result *result,
                           struct harness_check *check, const char *name) {
  static const enum cs_metric list[] = {CS_EVENT_TIMES, CS_EVENT_KINDS, CS_EXACT_EVENT_TIMES, CS_EXACT_EVENT_KINDS};
  static const enum cs_metric event[] = {
      CS_EVENTS,          CS_EXACT_EVENTS,     CS_LATE_EVENTS,         CS_MISSED_EVENTS,
      CS_SPURIOUS_EVENTS, CS_EVENT_TIME_ERROR, CS_EVENT_TIME_ERROR_MAX};
  for (size_t k = 0; k < sizeof list / sizeof *list + sizeof event / sizeof *event; k++) {
    const enum cs_metric m = k < 4 ? list[k] : event[k - 4];
    const struct cs_array *array = cs_table_find(harness->table, cs_metric_table[m].name);
    for (size_t i = 0; i < array->count; i++) {
      const double actual = array->type == CS_FLOAT64 ? array->data.float64[i] : (double)array->data.int64[i];
      compare(check, actual, (double)result->metric[m][i], 0, array->type == CS_FLOAT64 ? TIMES : 0, name,
              cs_metric_table[m].name, i);
    }
  }
}

static void compare_cases(size_t first, size_t end, const char *title) {
  struct harness harness;
  struct harness_check check = {0};
  struct plain_result *result = malloc(sizeof *result);
  cr_assert(result != NULL);
  harness_open(&harness);
  for (size_t i = first; i < end; i++) {
    struct cs_text sweep = {0}, name = {0};
    uint64_t state = 7919 * (i + 1);
    write_sweep(&state, i, &sweep);
    cs_text_add(&name, "case %zu", i);
    const size_t failed = check.failed;
    harness_load(&harness, sweep.data);
    plain_run(harness.sweep, 0, NULL, NULL, result);
    harness_run(&harness);
    const double status = harness_value(harness.table, "status", NULL, NULL);
    cr_expect_eq(status, result->status, "%s: status %g, not %d", name.data, status, result->status);
    if (result->status == 0) {
      plain_compare(&harness, NULL, result, PLAIN, 1e-11, &check, name.data);
      compare_scalars(&harness, result, &check, name.data);
      compare_events(&harness, result, &check, name.data);
    }
    if (check.failed > failed || status != result->status)
      fprintf(stderr, "%s: %s%s", name.data, strstr(sweep.data, "tests/data"), strstr(sweep.data, "\"master\""));
    cs_text_free(&name);
    cs_text_free(&sweep);
  }
  harness_finish(&check, title);
  free(result);
  harness_close(&harness);
}

Test(random_events, methods_match_the_reference) {
  compare_cases(0, CASES, "state events on random networks");
}
