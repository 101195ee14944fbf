/* Runs that fail keep their row: a status, metrics of NaN, a reason in the report; and runs beside them keep their
 * bytes. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"
#include "plan.h"

/* Two lags with feed-through p and q; line 5 column 15 holds an expression that not every p can have. */
static const char lags[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"lags\",\n"
    "\"parameters\": {\"p\": 1, \"q\": 0.5, \"pole\": -1},\n"
    "\"subsystems\": [\n"
    "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[\"pole\"]],\n"
    "\"B\": [[1]], \"C\": [[%s]], \"D\": [[\"p\"]], \"x0\": [1]},\n"
    "{\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]],\n"
    "\"B\": [[1]], \"C\": [[1]], \"D\": [[\"q\"]], \"x0\": [0.5]}],\n"
    "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\"}],\n"
    "\"monitors\": [{\"name\": \"sum\", \"terms\": {\"a.x.x\": 1, \"b.y.y\": 1}}]}\n";

static void open_lags(struct harness *harness, const char *c) {
  char model[2048];
  snprintf(model, sizeof model, lags, c);
  harness_open(harness);
  harness_write(harness, "model.json", model);
}

/* Runs along one axis (name `v`, further axes and members in `more`). */
static void run_metrics(struct harness *harness, const char *method, const char *metrics, const char *path,
                        const char *values, const char *more, struct engine_case *result) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"statuses\", \"model\": \"model.json\", "
              "\"t_end\": 100, \"method\": {\"step\": {\"size\": 0.1}%s}, \"fits\": [], \"metrics\": %s,\n"
              "\"axes\": [{\"name\": \"v\", \"path\": \"%s\", \"values\": [%s]}]%s}\n",
              method, metrics, path, values, more);
  cr_assert(!text.failed);
  engine_case_run(harness, text.data, 0, 0, result);
  cs_text_free(&text);
}

static void run(struct harness *harness, const char *method, const char *path, const char *values, const char *more,
                struct engine_case *result) {
  run_metrics(harness, method, ENGINE_CASE_METRICS, path, values, more, result);
}

static void expect_statuses(const struct engine_case *result, const int *status, size_t count) {
  size_t by_status[CS_STATUSES] = {0};
  cr_assert_eq(result->runs, count);
  for (size_t i = 0; i < count; i++) {
    cr_expect_eq(engine_case_status(result, i), status[i], "run %zu: status %d, want %d", i,
                 engine_case_status(result, i), status[i]);
    by_status[status[i]]++;
  }
  for (size_t i = 0; i < CS_STATUSES; i++) {
    cr_expect_eq(result->outcome.status[i], by_status[i], "status %zu: %zu runs in the outcome, want %zu", i,
                 result->outcome.status[i], by_status[i]);
  }
}

/* All metrics but counts and times are NaN. */
static void expect_no_numbers(const struct engine_case *result, size_t number) {
  for (size_t m = 0; m < CS_METRICS; m++) {
    const struct cs_metric_info *info = &cs_metric_table[m];
    if (info->over == CS_OVER_NOTHING || cs_table_find(result->table, info->name) == NULL) continue;
    size_t signals;
    const double *value = engine_case_values(result, info->name, number, &signals);
    for (size_t i = 0; i < signals; i++)
      cr_expect(isnan(value[i]), "run %zu: %s is %g, want NaN", number, info->name, value[i]);
  }
}

static void expect_text(const char *text, const char *part) {
  cr_expect(text != NULL && strstr(text, part) != NULL, "no '%s' in:\n%s", part, text != NULL ? text : "");
}

/* Values along an axis, those whose run fails, and what the failed ones must be. */
struct bad_rows {
  const char *method, *path;
  const char *values[8]; /* ends with NULL */
  int status[8];
  const char *reasons[3]; /* parts of the report */
};

static void join(struct cs_text *text, const struct bad_rows *rows, bool good_only) {
  for (size_t i = 0; rows->values[i] != NULL; i++)
    if (!good_only || rows->status[i] == 0) cs_text_add(text, "%s%s", text->length > 0 ? ", " : "", rows->values[i]);
}

/* The statuses, NaN where there is nothing, reasons, and the others' bytes as in a sweep without the bad rows. */
static void check_rows(struct harness *harness, const struct bad_rows *rows) {
  struct engine_case all, good;
  struct cs_text values = {0}, good_values = {0};
  size_t count = 0, at = 0;
  join(&values, rows, false);
  join(&good_values, rows, true);
  run(harness, rows->method, rows->path, values.data, "", &all);
  while (rows->values[count] != NULL)
    count++;
  expect_statuses(&all, rows->status, count);
  for (size_t i = 0; i < sizeof rows->reasons / sizeof *rows->reasons && rows->reasons[i] != NULL; i++)
    expect_text(all.outcome.failures.data, rows->reasons[i]);
  if (good_values.length > 0) {
    run(harness, rows->method, rows->path, good_values.data, "", &good);
    for (size_t i = 0; i < count; i++)
      if (rows->status[i] == 0) engine_case_same_run(&all, i, &good, at++);
    engine_case_free(&good);
  }
  for (size_t i = 0; i < count; i++)
    if (rows->status[i] != 0) expect_no_numbers(&all, i);
  engine_case_free(&all);
  cs_text_free(&values);
  cs_text_free(&good_values);
}

static void check_lags(const char *c, const struct bad_rows *rows) {
  struct harness harness;
  open_lags(&harness, c);
  check_rows(&harness, rows);
  harness_close(&harness);
}

Test(statuses, singular_algebraic_loop) {
  check_lags("1", &(struct bad_rows){.method = ", \"feedthrough\": \"explicit\"",
                                     .path = "parameters.p",
                                     .values = {"0.5", "1", "2", "-0.25", "0.4"},
                                     .status = {0, 0, CS_STATUS_SINGULAR, 0, 0},
                                     .reasons = {"run 2 (v=2)", "singular"}});
}

Test(statuses, expression_without_a_finite_value) {
  check_lags("\"sqrt(p)\"", &(struct bad_rows){.method = "",
                                               .path = "parameters.p",
                                               .values = {"1", "-1", "0.25", "0"},
                                               .status = {0, CS_STATUS_INVALID, 0, 0},
                                               .reasons = {"run 1 (v=-1)", "model.json:5:20: subsystems[0].C[0][0]"}});
  check_lags("\"1/p\"", &(struct bad_rows){.method = "",
                                           .path = "parameters.p",
                                           .values = {"0", "1", "0.25"},
                                           .status = {CS_STATUS_INVALID, 0, 0},
                                           .reasons = {"run 0 (v=0)", "model.json:5:20: subsystems[0].C[0][0]"}});
}

Test(statuses, step_sizes_that_mean_nothing) {
  check_lags("1", &(struct bad_rows){.method = "",
                                     .path = "method.step.size",
                                     .values = {"0.1", "0", "0.25", "-0.1"},
                                     .status = {0, CS_STATUS_INVALID, 0, CS_STATUS_INVALID},
                                     .reasons = {"run 1 (v=0)", "run 3 (v=-0.1)", "method.step.size"}});
}

Test(statuses, end_times_that_mean_nothing) {
  check_lags("1", &(struct bad_rows){.method = "",
                                     .path = "t_end",
                                     .values = {"1", "0", "-2", "2.5"},
                                     .status = {0, CS_STATUS_INVALID, CS_STATUS_INVALID, 0},
                                     .reasons = {"run 1 (v=0)", "run 2 (v=-2)", "t_end"}});
}

Test(statuses, too_many_steps_are_not_started, .timeout = 60) {
  check_lags("1", &(struct bad_rows){.method = "",
                                     .path = "method.step.size",
                                     .values = {"0.1", "2.5e-7", "0.5"},
                                     .status = {0, CS_STATUS_STEP_LIMIT, 0},
                                     .reasons = {"run 1 (v=2.5e-07)", "400000000 steps", "max_steps"}});
}

Test(statuses, too_stiff_for_the_step) {
  check_lags("1", &(struct bad_rows){.method = "",
                                     .path = "parameters.pole",
                                     .values = {"-1", "-1e11", "-1000"},
                                     .status = {0, CS_STATUS_INVALID, 0},
                                     .reasons = {"run 1 (v=-1e+11)", "fastest time scale"}});
}

Test(statuses, all_runs_failed) {
  struct harness harness;
  struct engine_case result;
  open_lags(&harness, "1");
  run(&harness, "", "method.step.size", "0, -1, 1e-9", "", &result);
  expect_statuses(&result, (const int[]){CS_STATUS_INVALID, CS_STATUS_INVALID, CS_STATUS_STEP_LIMIT}, 3);
  for (size_t i = 0; i < result.runs; i++) {
    expect_no_numbers(&result, i);
    cr_expect_eq(engine_case_steps(&result, i), 0);
  }
  cr_expect_eq(result.outcome.steps, 0);
  engine_case_free(&result);
  harness_close(&harness);
}

Test(statuses, skipped_combinations) {
  static const char skip[] = ", \"skip\": [{\"v\": 0.25}, {\"v\": 1}]";
  struct harness harness;
  struct engine_case all, good;
  open_lags(&harness, "1");
  run(&harness, "", "parameters.p", "0.5, 0.25, 0.75, 1", skip, &all);
  run(&harness, "", "parameters.p", "0.5, 0.75", "", &good);
  expect_statuses(&all, (const int[]){0, CS_STATUS_SKIPPED, 0, CS_STATUS_SKIPPED}, 4);
  engine_case_same_run(&all, 0, &good, 0);
  engine_case_same_run(&all, 2, &good, 1);
  expect_no_numbers(&all, 1);
  cr_expect(all.outcome.failures.data == NULL || strstr(all.outcome.failures.data, "run 1") == NULL,
            "a skipped run is no failure:\n%s", all.outcome.failures.data);
  engine_case_free(&all);
  engine_case_free(&good);
  harness_close(&harness);
}

/* ---- unstable couplings */

/* The two lags with zero-order hold and `explicit` outputs, step by step in long double. Gives the step after which a
 * state, or an exchanged output, is first beyond `limit` from the exact solution, which has decayed or is of order 1;
 * 0: never. x [2]: the final states. */
static long first_beyond(long double p, long double q, long double H, long steps, long double limit, long double *x) {
  const long double decay = expl(-H), d[2] = {p, q}, loop = 1 / (1 - p * q);
  x[0] = 1;
  x[1] = 0.5L;
  long double y[2] = {(x[0] + p * x[1]) * loop, (x[1] + q * x[0]) * loop};
  for (long k = 1; k <= steps; k++) {
    const long double u[2] = {y[1], y[0]};
    bool beyond = false;
    for (int i = 0; i < 2; i++) {
      x[i] = decay * x[i] + (1 - decay) * u[i];
      y[i] = x[i] + d[i] * u[i];
      beyond = beyond || fabsl(x[i]) > limit || fabsl(y[i]) > limit;
    }
    if (beyond) return k;
  }
  return 0;
}

/* |p q| > 1: the exchanged outputs grow by sqrt(p q) per step. Divergence in the first chunk of 256 steps, at its
 * border, in a later one; p = 2.2 grows to 1e141 and is a result. The exact problem is stable for p q > 1. */
static void check_divergence(const char *method, const char *metrics) {
  static const char *const values[] = {"200", "0.5", "24.25", "2.2", "24", "23.75", "3"};
  static const double numbers[] = {200, 0.5, 24.25, 2.2, 24, 23.75, 3};
  enum { COUNT = sizeof values / sizeof *values, STEPS = 1000 };
  struct harness harness;
  struct engine_case all, good;
  struct cs_text list = {0};
  long double x[2];
  int status[COUNT];
  size_t at = 0, failed = 0;
  open_lags(&harness, "1");
  for (size_t i = 0; i < COUNT; i++)
    cs_text_add(&list, "%s%s", i ? ", " : "", values[i]);
  run_metrics(&harness, method, metrics, "parameters.p", list.data, "", &all);
  run_metrics(&harness, method, metrics, "parameters.p", "0.5, 2.2", "", &good);
  for (size_t i = 0; i < COUNT; i++) {
    const long beyond = first_beyond(numbers[i], 0.5L, 0.1L, STEPS, 1e150L, x);
    status[i] = beyond > 0 ? CS_STATUS_DIVERGED : CS_STATUS_OK;
    cr_expect_eq(engine_case_steps(&all, i), beyond > 0 ? beyond : STEPS, "p = %s: %ld steps, want %ld", values[i],
                 engine_case_steps(&all, i), beyond);
    if (beyond > 0) {
      char where[64];
      snprintf(where, sizeof where, "(v=%s): diverged at step %ld of %d", values[i], beyond, STEPS);
      expect_no_numbers(&all, i);
      if (failed++ == 0) /* one run stands for all of a status */
        expect_text(all.outcome.failures.data, where);
      else
        cr_expect_null(strstr(all.outcome.failures.data, where), "%s", all.outcome.failures.data);
    } else {
      size_t signals;
      const double *error = engine_case_values(&all, "state_error_final", i, &signals);
      cr_expect(numbers[i] < 1 || (fabs(error[0]) > 1e80 && fabs(error[0] / (double)fabsl(x[0]) - 1) < 1e-10),
                "p = %s: state error %.17g, want %.17g", values[i], error[0], (double)fabsl(x[0]));
      engine_case_same_run(&all, i, &good, at++);
    }
  }
  expect_statuses(&all, status, COUNT);
  engine_case_free(&all);
  engine_case_free(&good);
  cs_text_free(&list);
  harness_close(&harness);
}

Test(statuses, divergence_is_found_at_its_step_by_stepping) {
  check_divergence(", \"feedthrough\": \"explicit\", \"engine\": \"step\"", ENGINE_CASE_METRICS);
}

Test(statuses, divergence_is_found_at_its_step_by_doubling) {
  check_divergence(", \"feedthrough\": \"explicit\", \"engine\": \"double\"", ENGINE_CASE_SUMS);
}

/* ---- very many steps */

/* Zero-order hold: the error is of first order in H, up to 8 10^8 steps. */
Test(statuses, hundreds_of_millions_of_steps_by_doubling, .timeout = 60) {
  static const char sweep[] =
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"many\", \"model\": \"model.json\", \"t_end\": 100,\n"
      "\"parameters\": {\"p\": -1}, \"method\": {\"engine\": \"double\", \"step\": {\"max_steps\": 1000000000}}, "
      "\"fits\": [],\n"
      "\"metrics\": [\"state_error\", \"steps\", \"t_final\"],\n"
      "\"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [1.25e-7, 1.25e-6, 0.9e-7, "
      "1.25e-5]}]}\n";
  static const struct {
    size_t run;
    double times; /* error, in those of the run of 8 10^7 steps */
  } rows[] = {{0, 0.1}, {3, 10}};
  struct harness harness;
  struct engine_case result;
  size_t signals;
  open_lags(&harness, "1");
  engine_case_run(&harness, sweep, 0, 0, &result);
  expect_statuses(&result, (const int[]){0, 0, CS_STATUS_STEP_LIMIT, 0}, 4);
  engine_case_all_doubled(&result);
  cr_expect_eq(engine_case_steps(&result, 0), 800000000);
  cr_expect_float_eq(engine_case_values(&result, "t_final", 0, &signals)[0], 100, 1e-6);
  const double *error = engine_case_values(&result, "state_error", 1, &signals);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const double *value = engine_case_values(&result, "state_error", rows[i].run, &signals);
    for (size_t s = 0; s < signals; s++) {
      cr_expect_float_eq(value[s] / error[s] / rows[i].times, 1, 1e-4,
                         "run %zu, state %zu: %.17g, %.17g in 8 10^7 steps", rows[i].run, s, value[s], error[s]);
    }
  }
  engine_case_free(&result);
  harness_close(&harness);
}

/* ---- warnings */

/* The exact solution at -H, -2H grows like e^(H |pole|) per step on its way back. */
Test(statuses, growth_before_the_start_is_told) {
  static const char *const methods[] = {
      ", \"hold\": \"lagrange\", \"order\": 1, \"start\": \"consistent\"",
      ", \"hold\": \"lagrange\", \"order\": 1, \"start\": \"ramp\"",
      ", \"hold\": \"lagrange\", \"order\": 0, \"start\": \"consistent\"",
      ", \"hold\": \"taylor\", \"order\": 1, \"start\": \"consistent\"",
  };
  struct harness harness;
  struct engine_case result;
  open_lags(&harness, "1");
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    run(&harness, methods[i], "parameters.pole", "-1, -150, -300, -400", "", &result);
    if (i == 0) {
      expect_text(result.outcome.warnings.data, "in 2 runs"); /* e^15 is not told, e^30 and e^40 are */
      expect_text(result.outcome.warnings.data, "\"ramp\"");
    } else {
      cr_expect(result.outcome.warnings.data == NULL, "%s: %s", methods[i], result.outcome.warnings.data);
    }
    engine_case_free(&result);
  }
  harness_close(&harness);
}

/* Steps of two halves need the solution half as far back. */
Test(statuses, growth_before_half_steps_is_that_of_the_halves) {
  static const char sweep[] =
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"halves\", \"model\": \"model.json\", \"t_end\": 3, "
      "\"study\": \"simulation\", \"method\": {\"hold\": \"lagrange\", \"order\": 2, \"feedthrough\": \"explicit\", "
      "\"step\": {\"control\": \"richardson\", \"initial\": %g, \"atol\": 1e-3, \"rtol\": 1e-3}}, "
      "\"metrics\": [\"steps\"]}";
  struct harness harness;
  struct engine_case result;
  harness_open(&harness);
  engine_case_model(&harness, "models/quarter_car/model.json");
  for (int initial = 1; initial <= 2; initial++) {
    struct cs_text text = {0};
    cs_text_add(&text, sweep, (double)initial);
    engine_case_run(&harness, text.data, 0, 0, &result);
    if (initial == 1)
      cr_expect(result.outcome.warnings.data == NULL, "%s", result.outcome.warnings.data);
    else
      expect_text(result.outcome.warnings.data, "1.57e+12");
    engine_case_free(&result);
    cs_text_free(&text);
  }
  harness_close(&harness);
}

/* A growing oscillation: components leave the range of numbers now and then before they do for good. */
static void run_spiral(struct harness *harness, const char *engine, const char *pitch, const char *zip,
                       struct engine_case *result) {
  struct cs_text model = {0}, sweep = {0};
  cs_text_add(
      &model,
      "{\"format\": \"cosweep-model/1\", \"name\": \"spiral\", \"parameters\": {\"a\": 0.001},\n"
      "\"subsystems\": [{\"name\": \"s\", \"states\": [\"p\", \"v\"], \"inputs\": [], \"outputs\": [\"y\"],\n"
      "\"A\": [[\"a\", -0.29999894], [0.29999894, \"a\"]], \"C\": [[%s, 0]], \"x0\": [1, 0]}], \"connections\": [],\n"
      "\"monitors\": [{\"name\": \"n\", \"terms\": {\"s.y\": 1}}]}\n",
      pitch);
  cs_text_add(&sweep,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"spiral\", \"model\": \"model.json\", \"t_end\": 400000,\n"
              "\"method\": {\"step\": {\"size\": 1}, \"engine\": \"%s\"}, \"fits\": [],\n"
              "\"metrics\": [\"steps\", \"monitor_rms\", \"monitor_final\"],\n"
              "\"axes\": [{\"name\": \"r\", \"zip\": %s}]}\n",
              engine, zip);
  cr_assert(!model.failed && !sweep.failed);
  harness_write(harness, "model.json", model.data);
  engine_case_run(harness, sweep.data, 2, 0, result);
  cs_text_free(&model);
  cs_text_free(&sweep);
}

static const char *const engines[] = {"step", "double"};
enum { ENGINES = sizeof engines / sizeof *engines };

/* The step at which a run diverges depends neither on a neighbour that ends in the same chunk of steps nor on the
 * engine, and the neighbour keeps its bytes. */
Test(statuses, divergence_does_not_depend_on_neighbours) {
  struct harness harness;
  struct engine_case beside[ENGINES], alone, good;
  harness_open(&harness);
  for (size_t e = 0; e < ENGINES; e++) {
    run_spiral(&harness, engines[e], "1", "{\"parameters.a\": [0.001, -0.001], \"t_end\": [400000, 345500]}",
               &beside[e]);
    run_spiral(&harness, engines[e], "1", "{\"parameters.a\": [0.001], \"t_end\": [400000]}", &alone);
    run_spiral(&harness, engines[e], "1", "{\"parameters.a\": [-0.001], \"t_end\": [345500]}", &good);
    cr_expect_eq(engine_case_status(&beside[e], 0), CS_STATUS_DIVERGED);
    cr_expect_eq(engine_case_steps(&beside[e], 0), engine_case_steps(&alone, 0), "%s: %ld steps beside, %ld alone",
                 engines[e], engine_case_steps(&beside[e], 0), engine_case_steps(&alone, 0));
    cr_expect_eq(engine_case_status(&good, 0), 0);
    engine_case_same_run(&beside[e], 1, &good, 0);
    engine_case_free(&alone);
    engine_case_free(&good);
  }
  cr_expect_str_eq(beside[0].outcome.failures.data, beside[1].outcome.failures.data);
  engine_case_free(&beside[0]);
  engine_case_free(&beside[1]);
  harness_close(&harness);
}

/* States below 1e150 whose measures overflow are no result either. */
Test(statuses, infinite_measures_are_no_result) {
  struct harness harness;
  struct engine_case result;
  size_t signals;
  harness_open(&harness);
  for (size_t e = 0; e < ENGINES; e++) {
    run_spiral(&harness, engines[e], "1e6", "{\"parameters.a\": [0.001, -0.001], \"t_end\": [343000, 343000]}",
               &result);
    cr_expect_eq(engine_case_status(&result, 0), CS_STATUS_DIVERGED, "%s", engines[e]);
    cr_expect(isnan(engine_case_values(&result, "monitor_rms", 0, &signals)[0]));
    cr_expect(isnan(engine_case_values(&result, "monitor_final", 0, &signals)[0]));
    cr_expect_eq(engine_case_status(&result, 1), CS_STATUS_OK);
    engine_case_free(&result);
  }
  harness_close(&harness);
}

/* Once a run has decayed, further steps add nothing to its sums, whatever power of the step they are taken with. */
Test(statuses, sums_of_decayed_runs_are_those_of_their_steps) {
  static const char *const engine[] = {", \"engine\": \"step\"", ", \"engine\": \"double\""};
  struct harness harness;
  struct engine_case result[2];
  open_lags(&harness, "1");
  for (size_t i = 0; i < 2; i++)
    run_metrics(&harness, engine[i], "[\"state_error\", \"output_defect\"]", "parameters.p", "-0.5, -0.25", "",
                &result[i]);
  for (size_t r = 0; r < 2; r++) {
    size_t signals;
    const double *one = engine_case_values(&result[0], "state_error", r, &signals);
    const double *other = engine_case_values(&result[1], "state_error", r, &signals);
    for (size_t i = 0; i < signals; i++)
      cr_expect(one[i] > 1e-6 && fabs(other[i] / one[i] - 1) < 1e-9, "run %zu, state %zu: %.17g, want %.17g", r, i,
                other[i], one[i]);
  }
  engine_case_free(&result[0]);
  engine_case_free(&result[1]);
  harness_close(&harness);
}
