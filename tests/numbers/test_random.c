/* Random networks over all holds, orders, feed-throughs, starts and the solvers exact and euler, against long double
 * in plain coordinates (tests/python/make_random.py).
 *
 * Tolerance: 1e-11 relative, or 1e-16 of the signal's RMS: below that the reference itself loses digits, for it
 * subtracts the exact solution from the co-simulated one. Doubling sums up products of all signals: where the value is
 * zero, 1e-16 of the largest signal's RMS (output_defect_true of s2.y1 in case 45 is 1.5e-16 of its own). Monitors are
 * plain sums of signals: 1e-11, 1e-13 absolute. */
#include <criterion/criterion.h>
#include <string.h>

#include "harness.h"
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
