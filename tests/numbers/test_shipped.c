/* Shipped sweeps of variable step: those of the papers against tests/data/glumac_variable.csv and quarter_car.csv, with
 * the tolerances of variable_tables.h; the others against the plain reference. Kyllingstad's are in test_kyllingstad.c.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plain_compare.h"

/* ---- Glumac and Kovačić, Fig. 7 to 10 */

/* The rows of one feed-through are all runs of one sweep, and each belongs to a run of its own axes. */
static void compare_glumac(const char *name, const char *feedthrough) {
  struct harness harness;
  struct harness_csv csv;
  struct harness_check check = {0};
  size_t rows = 0;
  harness_csv_load("tests/data/glumac_variable.csv", &csv);
  harness_open(&harness);
  harness_run_shipped(&harness, name);
  for (size_t row = 0; row < csv.rows; row++) {
    if (strcmp(harness_csv_text(&csv, row, "feedthrough"), feedthrough) != 0) continue;
    const bool euler = strcmp(harness_csv_text(&csv, row, "solver"), "euler") == 0;
    const char *metric = harness_csv_text(&csv, row, "metric"), *signal = harness_csv_text(&csv, row, "signal");
    const double order = harness_csv_number(&csv, row, "order"), tolerance = harness_csv_number(&csv, row, "tolerance");
    const size_t at[] = {euler, (size_t)order, (size_t)lround(5 * (log10(tolerance) + 3))};
    const double relative = strcmp(metric, "steps") == 0 ? 0 : order < 2 ? 1e-9 : 1e-7;
    harness_compare(&check, harness_value(harness.table, metric, at, *signal ? signal : NULL),
                    harness_csv_number(&csv, row, "value"), relative, euler ? 1e-14 : 0, "row %zu: %s of %s", row + 1,
                    metric, *signal ? signal : "the run");
    rows++;
  }
  cr_expect_eq(rows, 11 * harness.sweep->runs, "every run of the sweep stands in the table");
  harness_finish(&check, name);
  harness_close(&harness);
  harness_csv_free(&csv);
}

Test(shipped, steps_by_defects_as_published) {
  compare_glumac("glumac_variable_step_published", "refresh");
}

Test(shipped, steps_by_defects_as_stated) {
  compare_glumac("glumac_variable_step_stated", "explicit");
}

/* ---- Andersson, Table 5.2 */

Test(shipped, steps_by_richardson) {
  static const char *const holds[] = {"backward_difference", "lagrange"};
  static const char *const states[] = {"chassis.x", "chassis.v", "wheel.x", "wheel.v"};
  struct harness harness;
  struct harness_csv csv;
  struct harness_check check = {0};
  harness_csv_load("tests/data/quarter_car.csv", &csv);
  harness_open(&harness);
  harness_run_shipped(&harness, "andersson_quarter_car");
  for (size_t run = 0; run < harness.sweep->runs; run++) {
    const size_t at[] = {run / 3, run % 3};
    size_t row = 0;
    while (strcmp(harness_csv_text(&csv, row, "master"), "jacobi") != 0 ||
           strcmp(harness_csv_text(&csv, row, "hold"), holds[at[0]]) != 0 ||
           (size_t)harness_csv_number(&csv, row, "order") != at[1]) {
      row++;
      cr_assert_lt(row, csv.rows, "no row for run %zu", run);
    }
    double most = 0;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
      most = fmax(most, harness_value(harness.table, "state_error_final", at, states[i]));
    harness_compare(&check, harness_value(harness.table, "steps", at, NULL), harness_csv_number(&csv, row, "steps"), 0,
                    0, "run %zu: steps", run);
    harness_compare(&check, harness_value(harness.table, "rejected_steps", at, NULL),
                    harness_csv_number(&csv, row, "rejected_steps"), 0, 0, "run %zu: rejected steps", run);
    harness_compare(&check, most, harness_csv_number(&csv, row, "state_error_max"), 0, 1e-9, "run %zu: state error",
                    run);
  }
  harness_finish(&check, "andersson_quarter_car");
  harness_close(&harness);
  harness_csv_free(&csv);
}

/* ---- sweeps that no table has, to `relative` or 1e-5 of that times the signal's RMS; counts are equal */

static void compare_plain(const char *name, double relative) {
  struct harness harness;
  struct harness_check check = {0};
  struct plain_result *result = malloc(sizeof *result);
  cr_assert_not_null(result);
  harness_open(&harness);
  harness_run_shipped(&harness, name);
  const struct cs_sweep *sweep = harness.sweep;
  for (size_t run = 0; run < sweep->runs; run++) {
    size_t at[3];
    cr_assert_eq(sweep->axes, 3);
    for (size_t i = 3, rest = run; i-- > 0; rest /= sweep->axis[i].length)
      at[i] = rest % sweep->axis[i].length;
    plain_run(sweep, run, NULL, NULL, result);
    plain_compare(&harness, at, result, relative, 1e-5 * relative, &check, name);
    harness_compare(&check, harness_value(harness.table, "steps", at, NULL), (double)result->steps, 0, 0,
                    "run %zu: steps", run);
  }
  harness_finish(&check, name);
  harness_close(&harness);
  free(result);
}

Test(shipped, traces) {
  compare_plain("glumac_traces", 1e-10);
}

/* The controller looks at differences that pass through zero, and rounding there is large beside them. */
Test(shipped, quarter_car_by_what_it_exchanges) {
  compare_plain("ecco_quarter_car", 1e-9);
}
