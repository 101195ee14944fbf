/* Random networks over all holds, orders, feed-throughs, starts and the solvers exact and euler, against long double
 * in plain coordinates (tests/python/make_random.py).
 *
 * Tolerance: 1e-11 relative, or 1e-16 of the signal's RMS: below that the reference itself loses digits, for it
 * subtracts the exact solution from the co-simulated one. Doubling sums up products of all signals: where the value is
 * zero, 1e-16 of the largest signal's RMS (output_defect_true of s2.y1 in case 45 is 1.5e-16 of its own). Monitors are
 * plain sums of signals: 1e-11, 1e-13 absolute. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"
#include "random_cases.h"

static bool engine_value(const void *context, const char *metric, const char *signal, double *value) {
  if (strstr(metric, "_rms") != NULL && strstr(metric, "monitor") == NULL) return false;
  if (cs_table_find(context, metric) == NULL) /* maxima, by doubling */
    return false;
  *value = harness_value(context, metric, NULL, signal);
  return true;
}

/* Every `stride`-th case with one engine. */
static void compare_cases(const char *engine, bool zeros_by_largest, size_t stride, const char *title) {
  struct random_cases cases;
  struct harness harness;
  struct harness_check check = {0};
  random_cases_load(&cases);
  cases.zeros_by_largest = zeros_by_largest;
  harness_open(&harness);
  for (size_t i = 0; i < cases.count; i += stride) {
    random_cases_open_engine(&cases, i, engine, &harness);
    harness_run(&harness);
    cr_expect_eq(harness_value(harness.table, "status", NULL, NULL), 0, "case %zu", i);
    random_cases_compare(&cases, i, engine_value, harness.table, 1e-11, 1e-16, &check);
  }
  harness_finish(&check, title);
  harness_close(&harness);
  random_cases_free(&cases);
}

Test(random, all_methods_match_the_reference_by_stepping) {
  compare_cases("step", false, 1, "random networks, step");
}

/* A third of the cases, among them every hold, feed-through, start and solver. */
Test(random, methods_match_the_reference_by_doubling) {
  compare_cases("double", true, 3, "random networks, double");
}

/* ---- bounds */

/* A sweep that also asks for the bound, with errors over the whole run. */
static char *with_bound(const char *sweep) {
  static const char metrics[] = "\"metrics\":[", points[] = "\"error_at\":\"points\"";
  const char *list = strstr(sweep, metrics), *place = strstr(sweep, points);
  struct cs_text text = {0};
  cr_assert_not_null(list);
  if (place != NULL && place < list) {
    cs_text_append(&text, sweep, (size_t)(place - sweep));
    cs_text_add(&text, "\"error_at\":\"continuous\"");
    sweep = place + strlen(points);
  }
  cs_text_append(&text, sweep, (size_t)(list - sweep));
  cs_text_add(&text, "%s\"error_bound\",%s", metrics, list + strlen(metrics));
  cr_assert_not(text.failed);
  return text.data;
}

/* error_bound is at least the error of every output of every case, and of the same size in most: a bound that is
 * infinite or of no network would hold as well. */
Test(random, bounds_hold) {
  enum { MOST = 1000 };
  struct random_cases cases;
  struct harness harness;
  double ratio[MOST];
  size_t count = 0, close = 0;
  random_cases_load(&cases);
  harness_open(&harness);
  for (size_t i = 0; i < cases.count; i++) {
    char *sweep = with_bound(cases.sweep[i]);
    harness_write(&harness, "model.json", cases.model[i]);
    harness_load(&harness, sweep);
    harness_run(&harness);
    const struct cs_array *bound = cs_table_find(harness.table, "error_bound");
    const struct cs_array *error = cs_table_find(harness.table, "output_error");
    for (size_t k = 0; k < bound->count && count < MOST; k++) {
      const double b = bound->data.float64[k], e = error->data.float64[k];
      cr_expect(isfinite(b) && b >= e * (1.0 - 1e-9), "case %zu, output %zu: bound %g, error %g", i, k, b, e);
      if (!(e > 0.0)) continue;
      ratio[count++] = b / e;
      close += b < 100.0 * e;
    }
    free(sweep);
  }
  double least = INFINITY, largest = 0.0;
  for (size_t k = 0; k < count; k++) {
    least = fmin(least, ratio[k]);
    largest = fmax(largest, ratio[k]);
  }
  printf("bounds of random networks: %zu outputs, bound / error %.3g to %.3g, below 100 in %zu\n", count, least,
         largest, close);
  cr_expect_gt(count, 50);
  cr_expect_gt(close, count / 2, "%zu of %zu bounds are below 100 times the error", close, count);
  harness_close(&harness);
  random_cases_free(&cases);
}

/* A bell that rings for a million radians and more, of which nobody hears. */
Test(random, bounds_that_take_too_long_are_missing_and_told) {
  static const char model[] =
      "{\"format\": \"cosweep-model/1\", \"name\": \"bell\", \"subsystems\": [\n"
      "{\"name\": \"a\", \"states\": [\"x\", \"v\"], \"inputs\": [], \"outputs\": [\"y\"], \"A\": [[0, 1e6], [-1e6, "
      "0]],\n"
      "\"C\": [[1, 0]], \"x0\": [1, 0]}], \"connections\": []}\n";
  struct harness harness;
  struct engine_case result;
  size_t signals;
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  engine_case_run(&harness,
                  "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 2,\n"
                  "\"method\": {\"step\": {\"size\": 1e-6}}, \"metrics\": [\"error_bound\"]}",
                  0, 0, &result);
  cr_expect_eq(engine_case_status(&result, 0), 0);
  cr_expect(isnan(engine_case_values(&result, "error_bound", 0, &signals)[0]));
  cr_expect_not_null(strstr(cs_text_string(&result.outcome.warnings),
                            "error_bound: none for run 0: gains of defects: modes turn so often that the first "),
                     "%s", cs_text_string(&result.outcome.warnings));
  engine_case_free(&result);
  harness_close(&harness);
}
