/* Runs of variable step at their limits: beside runs of any other length, with steps rejected where a step is special,
 * at the limits of the step size, and where they fail. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"
#include "plan.h"
#include "vary_case.h"

#define PI "\"control\": \"pi_defect\", \"initial\": 25, \"tolerance\": "
#define HALVES "\"control\": \"richardson\", \"initial\": 25, \"atol\": 1e-3, \"rtol\": 1e-3"

static void open(struct harness *harness) {
  harness_open(harness);
  engine_case_model(harness, "models/two_mass_oscillator/model.json");
}

static void run(struct harness *harness, const struct vary_case *sweep, unsigned lanes, size_t tile_runs,
                struct engine_case *result) {
  char *text = vary_case_text(sweep);
  engine_case_run(harness, text, lanes, tile_runs, result);
  free(text);
}

/* ---- neighbours */

/* Largest steps from 0.001 s, 25000 steps, to 25 s, at best one. */
enum { LENGTHS = 9 };
static const char *const length[LENGTHS] = {"25", "0.001", "3", "0.011", "0.5", "24", "1.7", "0.03", "0.2"};

/* Values of the axis from the first to the last or the other way. */
static void list_lengths(bool reversed, struct cs_text *text) {
  for (size_t i = 0; i < LENGTHS; i++)
    cs_text_add(text, "%s%s", i > 0 ? ", " : "", length[reversed ? LENGTHS - 1 - i : i]);
}

/* A lane's numbers are its own: whatever runs beside it, in whatever order and tile, and, but for rounding, in vectors
 * of whatever width. */
static void check_neighbours(const char *method, const char *step, bool rejects) {
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case all, other;
  struct cs_text values = {0}, back = {0};
  struct vary_case sweep = {.t_end = 25, .method = method, .step = step, .path = "method.step.max"};
  open(&harness);
  list_lengths(false, &values);
  list_lengths(true, &back);

  sweep.values = values.data;
  run(&harness, &sweep, 8, 0, &all);
  long least = 1L << 40, most = 0, rejected = 0;
  for (size_t i = 0; i < LENGTHS; i++) {
    const long steps = engine_case_steps(&all, i);
    cr_assert_eq(engine_case_status(&all, i), 0);
    least = steps < least ? steps : least;
    most = steps > most ? steps : most;
    rejected += (long)harness_value(all.table, "rejected_steps", &i, NULL);
  }
  cr_assert(most >= 1000 * least, "from %ld to %ld steps", least, most);
  cr_assert_eq(rejected > 0, rejects, "%ld steps rejected", rejected);

  run(&harness, &sweep, 8, 3, &other);
  engine_case_same(&all, &other);
  engine_case_free(&other);
  run(&harness, &sweep, 1, 0, &other);
  engine_case_compare(&check, &other, &all, 1e-12, 1e-24);
  for (size_t i = 0; i < LENGTHS; i++)
    cr_expect_eq(engine_case_steps(&other, i), engine_case_steps(&all, i));
  engine_case_free(&other);
  sweep.values = back.data;
  run(&harness, &sweep, 8, 0, &other);
  for (size_t i = 0; i < LENGTHS; i++)
    engine_case_same_run(&all, i, &other, LENGTHS - 1 - i);
  engine_case_free(&other);
  for (size_t i = 0; i < LENGTHS; i++) {
    sweep.values = length[i];
    run(&harness, &sweep, 8, 0, &other);
    engine_case_same_run(&all, i, &other, 0);
    engine_case_free(&other);
  }
  harness_finish(&check, "vectors of one lane against eight");
  engine_case_free(&all);
  cs_text_free(&values);
  cs_text_free(&back);
  harness_close(&harness);
}

Test(variable_edges, neighbours_do_not_matter_by_one_series, .timeout = 300) {
  check_neighbours("\"hold\": \"taylor\", \"order\": 1, \"feedthrough\": \"explicit\", ", PI "100", false);
}

Test(variable_edges, neighbours_do_not_matter_with_rejected_steps, .timeout = 300) {
  check_neighbours("\"hold\": \"lagrange\", \"order\": 2, \"start\": \"ramp\", ", HALVES, true);
}

Test(variable_edges, neighbours_do_not_matter_with_other_solvers, .timeout = 300) {
  check_neighbours("\"master\": \"gauss_seidel\", \"hold\": \"lagrange\", \"order\": 1, \"solver\": \"rk4\", ",
                   PI "1e4", false);
}

/* ---- rejected first steps */

/* With alpha and shrink_max 1/2 each rejection halves H exactly, so that a run that began too large is from then on the
 * run that began right: state and both histories were restored, to the last bit. (Sums are split between launches,
 * where rejected steps count.) */
static void check_first_step(const char *method) {
  static const char step[] =
      "\"control\": \"richardson\", \"initial\": 1, \"alpha\": 0.5, \"shrink_max\": 0.5, \"atol\": 1e-5, "
      "\"rtol\": 1e-5";
  static const char values[] = "0.0625, 0.125, 0.5, 4";
  static const long more[] = {0, 1, 3, 6};
  struct vary_case sweep = {25,
                            method,
                            step,
                            "method.step.initial",
                            values,
                            "\"output_error_max\", \"state_error_max\", \"output_error_final\", \"state_error_final\", "
                            "\"monitor_max\", \"monitor_final\", \"steps\", \"step_min\", \"step_max\", \"t_final\""};
  struct harness harness;
  struct engine_case results, counts;
  open(&harness);
  run(&harness, &sweep, 0, 0, &results);
  sweep.metrics = "\"rejected_steps\", \"evaluations\"";
  run(&harness, &sweep, 0, 0, &counts);
  for (size_t i = 0, first = 0; i < results.runs; i++) {
    const double rejected = harness_value(counts.table, "rejected_steps", &i, NULL);
    const double once = harness_value(counts.table, "rejected_steps", &first, NULL);
    engine_case_same_run(&results, 0, &results, i);
    cr_expect_eq(rejected, once + (double)more[i], "run %zu: %g rejected, %g from the right size on", i, rejected,
                 once);
    cr_expect_eq(harness_value(counts.table, "evaluations", &i, NULL),
                 6 * (rejected + (double)engine_case_steps(&results, i)));
  }
  engine_case_free(&counts);

  /* a first step so large that the network is stiff for it: the whole run has the stiff formulation's rounding */
  struct harness_check check = {0};
  struct engine_case stiff, plain;
  sweep.metrics = "\"output_error_max\", \"state_error_max\", \"steps\", \"step_min\", \"step_max\"";
  sweep.values = "16";
  run(&harness, &sweep, 0, 0, &stiff);
  sweep.values = "0.0625";
  run(&harness, &sweep, 0, 0, &plain);
  engine_case_compare(&check, &stiff, &plain, 1e-9, 1e-20);
  cr_expect_eq(engine_case_steps(&stiff, 0), engine_case_steps(&plain, 0));
  harness_finish(&check, "a stiff first step against a small one");
  engine_case_free(&stiff);
  engine_case_free(&plain);
  engine_case_free(&results);
  harness_close(&harness);
}

Test(variable_edges, rejected_first_steps_leave_nothing_of_points) {
  check_first_step("\"hold\": \"lagrange\", \"order\": 2, \"start\": \"ramp\", ");
}

Test(variable_edges, rejected_first_steps_leave_nothing_of_derivatives) {
  check_first_step("\"hold\": \"taylor\", \"order\": 1, \"feedthrough\": \"refresh\", ");
}

/* ---- limits of the step */

/* The plain reference, and statuses written down; 1e-10 relative or 1e-15 of the signal, for a controller hands
 * rounding on to the step sizes. */
static void check_limits(const char *step, const char *path, const char *values, const int *status) {
  const struct vary_case sweep = {20, "\"hold\": \"lagrange\", \"order\": 1, ", step, path, values, NULL};
  struct harness harness;
  struct harness_check check = {0};
  open(&harness);
  vary_case_against_plain(&harness, &sweep, NULL, 1e-10, 1e-15, &check);
  for (size_t i = 0; i < harness.sweep->runs; i++) {
    const double actual = harness_value(harness.table, "status", &i, NULL);
    const double done =
        harness_value(harness.table, "steps", &i, NULL) + harness_value(harness.table, "rejected_steps", &i, NULL);
    cr_expect_eq(actual, status[i], "%s %s: run %zu has status %g, want %d", step, values, i, actual, status[i]);
    if (strstr(path, "max_steps") != NULL && status[i] == CS_STATUS_STEP_LIMIT)
      cr_expect_eq(done, harness.sweep->axis[0].values[i], "run %zu: %g steps", i, done);
    if (strstr(path, ".min") != NULL)
      cr_expect_float_eq(harness_value(harness.table, "step_min", &i, NULL), harness.sweep->axis[0].values[i], 1e-15,
                         "smallest step");
  }
  harness_finish(&check, path);
  harness_close(&harness);
}

#define STRICT "\"control\": \"pi_defect\", \"initial\": 2, \"tolerance\": 1e-6"
#define STRICT_HALVES "\"control\": \"richardson\", \"initial\": 2, \"atol\": 1e-7, \"rtol\": 1e-7, \"accept\": "

Test(variable_edges, a_step_driven_to_its_least_stays_there) {
  check_limits(STRICT, "method.step.min", "0.5, 0.03, 1.7", (int[]){0, 0, 0});
  check_limits(STRICT_HALVES "1e9", "method.step.min", "0.5, 0.2, 1.7", (int[]){0, 0, 0});
}

Test(variable_edges, steps_below_underflow_end_the_run) {
  check_limits(STRICT, "method.step.underflow", "0.1, 1e-13, 0.03, 2.5",
               (int[]){CS_STATUS_UNDERFLOW, 0, CS_STATUS_UNDERFLOW, CS_STATUS_UNDERFLOW});
  check_limits(STRICT_HALVES "1", "method.step.underflow", "0.15, 1e-3", (int[]){CS_STATUS_UNDERFLOW, 0});
}

Test(variable_edges, as_many_steps_as_are_allowed_end_the_run) {
  check_limits(STRICT, "method.step.max_steps", "1, 40, 100000000, 111, 112, 113",
               (int[]){CS_STATUS_STEP_LIMIT, CS_STATUS_STEP_LIMIT, 0, CS_STATUS_STEP_LIMIT, CS_STATUS_STEP_LIMIT,
                       CS_STATUS_STEP_LIMIT});
  check_limits("\"control\": \"richardson\", \"initial\": 20, \"atol\": 1e-4, \"rtol\": 1e-4", "method.step.max_steps",
               "1, 7, 20, 100000000", (int[]){CS_STATUS_STEP_LIMIT, CS_STATUS_STEP_LIMIT, CS_STATUS_STEP_LIMIT, 0});
}

/* ---- runs that fail */

/* Runs along an axis with those of `status` not 0 among them; the others have the bytes of a sweep that has `good`
 * alone. */
static void check_failures(struct harness *harness, const struct vary_case *sweep, const int *status, const char *good,
                           const char *reason) {
  struct vary_case rest = *sweep;
  struct engine_case all, alone;
  size_t at = 0;
  run(harness, sweep, 8, 0, &all);
  rest.values = good;
  run(harness, &rest, 8, 0, &alone);
  for (size_t i = 0; i < all.runs; i++) {
    const int actual = engine_case_status(&all, i);
    cr_expect_eq(actual, status[i], "%s, %s: run %zu has status %d, want %d", sweep->step, sweep->values, i, actual,
                 status[i]);
    if (status[i] == 0) engine_case_same_run(&all, i, &alone, at++);
    if (strstr(sweep->step, "richardson") == NULL)
      cr_expect_eq(harness_value(all.table, "rejected_steps", &i, NULL), 0, "%s: run %zu", sweep->step, i);
  }
  cr_expect_eq(at, alone.runs);
  cr_expect(all.outcome.failures.data != NULL && strstr(all.outcome.failures.data, reason) != NULL, "no '%s' in:\n%s",
            reason, all.outcome.failures.data);
  engine_case_free(&all);
  engine_case_free(&alone);
}

Test(variable_edges, tolerances_that_mean_nothing_harm_no_other_run) {
  struct harness harness;
  open(&harness);
  check_failures(&harness,
                 &(struct vary_case){.t_end = 20,
                                     .method = "\"order\": 1, ",
                                     .step = "\"control\": \"pi_defect\", \"initial\": 0.1, \"tolerance\": 1",
                                     .path = "method.step.tolerance",
                                     .values = "1e-3, 0, 1e-2, -1, 1e-4"},
                 (int[]){0, CS_STATUS_INVALID, 0, CS_STATUS_INVALID, 0}, "1e-3, 1e-2, 1e-4",
                 "run 3 (v=-1): method.step.tolerance -1 is not above 0");
  harness_close(&harness);
}

static const char lags[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"lags\", \"parameters\": {\"pole\": -1, \"start\": 1},\n"
    "\"subsystems\": [\n"
    "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[\"pole\"]],\n"
    "\"B\": [[1]], \"C\": [[1]], \"x0\": [\"start\"]},\n"
    "{\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-2]],\n"
    "\"B\": [[1]], \"C\": [[0.5]], \"D\": [[0.25]], \"x0\": [0.5]}],\n"
    "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\"}],\n"
    "\"monitors\": [{\"name\": \"sum\", \"terms\": {\"a.x\": 1, \"b.x\": 1}}]}\n";

/* Whatever controls the step: fast growth, and values that are too large at once. */
static void check_overflow(const char *method, const char *step) {
  struct harness harness;
  harness_open(&harness);
  harness_write(&harness, "model.json", lags);
  struct vary_case sweep = {
      .t_end = 3, .method = method, .step = step, .path = "parameters.pole", .values = "-1, 800, -3, 0.5, 400"};
  check_failures(&harness, &sweep, (int[]){0, 1, 0, 0, 1}, "-1, -3, 0.5", "diverged");
  sweep.path = "parameters.start";
  sweep.values = "1, 1e200, 2, -1e305, 1e152";
  check_failures(&harness, &sweep, (int[]){0, 1, 0, 1, 1}, "1, 2", "diverged");
  harness_close(&harness);
}

Test(variable_edges, growth_beyond_all_numbers_harms_no_other_run) {
  check_overflow("\"order\": 1, ", "\"control\": \"pi_defect\", \"initial\": 0.1, \"tolerance\": 1e-3, \"min\": 0.05");
  check_overflow("\"hold\": \"lagrange\", \"order\": 1, ",
                 "\"control\": \"richardson\", \"initial\": 0.1, \"atol\": 1e-3, \"rtol\": 1e-3");
  check_overflow("\"hold\": \"lagrange\", \"order\": 0, ",
                 "\"control\": \"pi_ecco\", \"initial\": 0.1, \"bonds\": [{\"a\": [\"a.u\", \"a.y\"], "
                 "\"b\": [\"b.u\", \"b.y\"]}]");
}

/* ---- what Richardson's estimate counts with */

#define ESTIMATED "\"control\": \"richardson\", \"initial\": 0.4, \"atol\": 0.006, \"rtol\": 0.001"

static void check_estimates(struct harness *harness, struct harness_check *check, const char *method, const char *step,
                            const char *orders) {
  const struct vary_case sweep = {2, method, step, "method.order", orders, NULL};
  vary_case_against_plain(harness, &sweep, NULL, 1e-10, 1e-15, check);
}

/* A subsystem without inputs makes errors with every solver but the exact one. */
Test(variable_edges, estimates_are_right_where_a_subsystem_has_no_inputs) {
  static const char *const solver[] = {"euler", "heun", "rk4", "implicit_euler", "trapezoidal", "dopri5", "exact"};
  static const struct {
    const char *signal;
    double error;
  } at_the_end[] = {{"s0.y0", 0.00022891466605625},
                    {"s1.y0", 0.00118215506379842},
                    {"s1.y1", 0.00244674390423835},
                    {"s2.y0", 0.00205277944596514},
                    {"s2.y1", 0.00132904310283640}};
  struct harness harness;
  struct harness_check check = {0};
  char *model = harness_read("tests/data/source.json");
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  for (size_t i = 0; i < sizeof solver / sizeof *solver; i++) {
    struct cs_text method = {0};
    cs_text_add(&method, "\"hold\": \"lagrange\", \"feedthrough\": \"explicit\", \"solver\": \"%s\", ", solver[i]);
    check_estimates(&harness, &check, method.data, ESTIMATED, "0, 1, 2, 3");
    check_estimates(&harness, &check, method.data, ESTIMATED ", \"estimate\": \"corrected\"", "0, 1, 2, 3");
    cs_text_free(&method);
  }
  /* values of 170 bits */
  const struct vary_case sweep = {2,
                                  "\"hold\": \"lagrange\", \"feedthrough\": \"explicit\", \"solver\": \"heun\", ",
                                  ESTIMATED ", \"estimate\": \"corrected\"",
                                  "method.order",
                                  "1",
                                  "\"output_error_final\", \"steps\", \"rejected_steps\", \"step_min\", \"step_max\""};
  struct engine_case result;
  run(&harness, &sweep, 0, 0, &result);
  cr_expect_eq(engine_case_steps(&result, 0), 4);
  cr_expect_eq(harness_value(result.table, "rejected_steps", (size_t[]){0}, NULL), 1);
  harness_compare(&check, harness_value(result.table, "step_min", (size_t[]){0}, NULL), 0.4, 1e-15, 0, "step_min");
  harness_compare(&check, harness_value(result.table, "step_max", (size_t[]){0}, NULL), 0.6439452870169776, 1e-13, 0,
                  "step_max");
  for (size_t i = 0; i < sizeof at_the_end / sizeof *at_the_end; i++)
    harness_compare(&check, harness_value(result.table, "output_error_final", (size_t[]){0}, at_the_end[i].signal),
                    at_the_end[i].error, 1e-12, 0, "%s", at_the_end[i].signal);
  engine_case_free(&result);
  harness_finish(&check, "a source");
  harness_close(&harness);
  free(model);
}

/* In a ramp p is the smallest degree in use: where all inputs are interpolated they have one more than where some are
 * extrapolated. With a sequence along the connections the last subsystem interpolates without iterations. */
Test(variable_edges, estimates_in_a_ramp_count_with_the_degrees_in_use) {
  static const char chain[] =
      "{\"format\": \"cosweep-model/1\", \"name\": \"chain\", \"subsystems\": [\n"
      "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [], \"outputs\": [\"y\"], \"A\": [[-1]], \"C\": [[1]],\n"
      "\"x0\": [1]}, {\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-2]],\n"
      "\"B\": [[1]], \"C\": [[0.5]], \"D\": [[0.25]], \"x0\": [0.5]}],\n"
      "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}],\n"
      "\"monitors\": [{\"name\": \"sum\", \"terms\": {\"a.x\": 1, \"b.x\": 1}}]}\n";
  static const char *const method[][2] = {
      {"\"hold\": \"lagrange\", ", "0, 1, 2, 3"},
      {"\"hold\": \"lagrange\", \"iterations\": 1, ", "0, 1, 2, 3"},
      {"\"hold\": \"taylor\", \"iterations\": 2, ", "0, 1, 2, 3"},
      {"\"hold\": \"hermite\", \"iterations\": 1, ", "3"},
      {"\"hold\": \"backward_difference\", \"iterations\": \"converged\", ", "0, 1, 2, 3"},
      {"\"hold\": \"lagrange\", \"master\": \"gauss_seidel\", ", "0, 1, 2, 3"},
      {"\"hold\": \"taylor\", \"master\": \"gauss_seidel\", ", "0, 1, 2, 3"},
  };
  struct harness harness;
  struct harness_check check = {0};
  harness_open(&harness);
  for (int m = 0; m < 2; m++) {
    harness_write(&harness, "model.json", m == 0 ? chain : lags);
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
      struct cs_text text = {0};
      cs_text_add(&text, "\"start\": \"ramp\", \"feedthrough\": \"explicit\", %s", method[i][0]);
      check_estimates(&harness, &check, text.data, ESTIMATED, method[i][1]);
      cs_text_free(&text);
    }
  }
  harness_finish(&check, "ramps");
  harness_close(&harness);
}

/* ---- shares of bonds */

/* The controller looks at power bonds from the second step on: one step alone gives no shares. */
Test(variable_edges, bonds_have_shares_from_the_second_step_on) {
  struct harness harness;
  struct engine_case result;
  harness_open(&harness);
  harness_write(&harness, "model.json", lags);
  run(&harness,
      &(struct vary_case){.t_end = 1,
                          .method = "\"hold\": \"lagrange\", \"order\": 0, ",
                          .step = "\"control\": \"pi_ecco\", \"initial\": 1, \"bonds\": [{\"a\": [\"a.u\", \"a.y\"], "
                                  "\"b\": [\"b.u\", \"b.y\"]}, {\"a\": [\"b.u\", \"b.y\"], \"b\": [\"a.u\", \"a.y\"], "
                                  "\"sign\": 1}]",
                          .path = "t_end",
                          .values = "1, 2",
                          .metrics = "\"bond_share\", \"steps\""},
      1, 0, &result);
  size_t bonds = 0;
  cr_expect_eq(engine_case_steps(&result, 0), 1);
  cr_expect_eq(engine_case_steps(&result, 1), 2);
  const double *first = engine_case_values(&result, "bond_share", 0, &bonds);
  cr_assert_eq(bonds, 2);
  cr_expect(isnan(first[0]) && isnan(first[1]), "after one step: %g, %g", first[0], first[1]);
  const double *second = engine_case_values(&result, "bond_share", 1, &bonds);
  cr_expect(second[0] > 0 && second[1] > 0, "after two steps: %g, %g", second[0], second[1]);
  cr_expect_float_eq(second[0] + second[1], 1, 1e-15, "after two steps: %g, %g", second[0], second[1]);
  engine_case_free(&result);
  harness_close(&harness);
}
