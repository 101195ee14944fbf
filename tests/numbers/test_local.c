/* Local errors of single steps from the exact solution and Richardson's estimate of them: against the tables of a
 * reference for Andersson 2013, section 3.3, against steps in long double, and against runs of a single step. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"
#include "plain.h"

static void load_numbers(const char *path, const char *d1, const char *d2, struct cs_model **model,
                         struct plain_network *n) {
  struct cs_error error;
  double parameters[64], given[64] = {0};
  unsigned char is_given[64] = {0};
  cr_assert_eq(cs_model_load(path, model, &error), CS_OK, "%s", error.message);
  cr_assert_leq((*model)->parameters, 64);
  if (d1 != NULL) {
    given[0] = strtod(d1, NULL);
    given[1] = strtod(d2, NULL);
    is_given[0] = is_given[1] = 1;
  }
  cr_assert_eq(cs_model_parameters(*model, given, is_given, parameters, &error), CS_OK);
  plain_network_read(*model, parameters, n);
}

/* ---- tables: single steps from exact states of a model, whose last parameters are its initial states */

/* Axis `at`: the exact solution at i / (points - 1). */
static void add_states(const char *path, const char *d1, const char *d2, int points, struct cs_text *text) {
  struct cs_model *model;
  struct plain_network n;
  load_numbers(path, d1, d2, &model, &n);
  cs_text_add(text, "{\"name\": \"at\", \"zip\": {");
  for (size_t a = 0; a < n.states; a++) {
    cs_text_add(text, "%s\"parameters.%s\": [", a ? ",\n" : "",
                model->parameter[model->parameters - n.states + a].name);
    for (int i = 0; i < points; i++) {
      real r[PLAIN_MAX] = {0};
      memcpy(r, n.x0, sizeof n.x0);
      r[n.states] = 1;
      plain_flow(&n.M, n.states + 1, (real)i / (points - 1), r);
      cs_text_add(text, "%s%.17Lg", i ? ", " : "", r[a]);
    }
    cs_text_add(text, "]");
  }
  cs_text_add(text, "}}");
  cs_model_free(model);
}

/* One step per run: the macro step is 2 H of the tables. `method`: an axis. */
static void run_tables(struct harness *harness, const char *path, const char *parameters, const char *method,
                       const char *sizes, const char *states) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"local\", \"model\": \"%s\", \"study\": \"simulation\",\n"
              "\"parameters\": {%s}, \"method\": {\"engine\": \"step\"}, \"axes\": [%s,\n"
              "{\"name\": \"H\", \"paths\": [\"t_end\", \"method.step.size\"], \"values\": [%s]},\n%s],\n"
              "\"metrics\": [\"local_error\", \"local_error_estimate\"]}\n",
              path, parameters, method, sizes, states);
  cr_assert(!text.failed);
  harness_load(harness, text.data);
  harness_run(harness);
  cs_text_free(&text);
}

/* RMS over the states of the run at `index`. */
static double rms_over_states(const struct harness *harness, const char *metric, const size_t *index, int points,
                              const char *signal) {
  double sum = 0;
  for (size_t i = 0; i < (size_t)points; i++) {
    const size_t at[] = {index[0], index[1], i};
    const double value = harness_value(harness->table, metric, at, signal);
    sum += value * value;
  }
  return sqrt(sum / points);
}

/* Rows of the table that belong to `model`, and its methods (each with the same sizes, in the table's order). */
static void add_methods(const struct harness_csv *csv, const char *model, struct cs_text *text) {
  static const char *const path[][2] = {{"hold", "method.hold"},
                                        {"order", "method.order"},
                                        {"feedthrough", "method.feedthrough"},
                                        {"estimate", "method.step.estimate"}};
  cs_text_add(text, "{\"name\": \"method\", \"zip\": {");
  for (size_t p = 0; p < sizeof path / sizeof *path; p++) {
    const char *separator = p ? ",\n" : "";
    cs_text_add(text, "%s\"%s\": ", separator, path[p][1]);
    separator = "[";
    for (size_t row = 0; row < csv->rows; row++) {
      if (strcmp(harness_csv_text(csv, row, "model"), model) != 0 ||
          strcmp(harness_csv_text(csv, row, "H"), "0.0001") != 0)
        continue;
      const char *word = harness_csv_text(csv, row, path[p][0]);
      cs_text_add(text, p == 1 ? "%s%s" : "%s\"%s\"", separator, *word ? word : "plain");
      separator = ", ";
    }
    cs_text_add(text, "]");
  }
  cs_text_add(text, "}}");
}

/* The table is of plain differences in double precision: 1e-15 of signals of about 1 is what it knows. */
static void compare_table(const char *model, double relative, double absolute) {
  enum { POINTS = 41, SIZES = 10 };
  struct harness harness;
  struct harness_csv csv;
  struct harness_check check = {0};
  struct cs_text method = {0}, states = {0}, path = {0};
  cs_text_add(&path, "%s/models/%s/model.json", COSWEEP_SOURCE_DIR, model);
  harness_csv_load("tests/data/andersson_local_error.csv", &csv);
  add_methods(&csv, model, &method);
  add_states(path.data, NULL, NULL, POINTS, &states);
  harness_open(&harness);
  run_tables(&harness, path.data, "", method.data, "0.0002, 0.0004, 0.001, 0.002, 0.004, 0.01, 0.02, 0.04, 0.1, 0.2",
             states.data);
  size_t number = 0;
  for (size_t row = 0; row < csv.rows; row++) {
    if (strcmp(harness_csv_text(&csv, row, "model"), model) != 0) continue;
    const size_t index[] = {number / SIZES, number % SIZES};
    number++;
    for (size_t o = 0; o < harness.sweep->model->outputs; o++) {
      const char *signal = harness.sweep->model->output[o].name;
      char column[32];
      snprintf(column, sizeof column, "error_%zu", o);
      harness_compare(&check, rms_over_states(&harness, "local_error", index, POINTS, signal),
                      harness_csv_number(&csv, row, column), relative, absolute, "row %zu, %s", row, column);
      snprintf(column, sizeof column, "estimated_%zu", o);
      if (*harness_csv_text(&csv, row, column)) {
        harness_compare(&check, rms_over_states(&harness, "local_error_estimate", index, POINTS, signal),
                        harness_csv_number(&csv, row, column), relative, absolute, "row %zu, %s", row, column);
      }
    }
  }
  harness_finish(&check, model);
  harness_close(&harness);
  harness_csv_free(&csv);
  cs_text_free(&method);
  cs_text_free(&states);
  cs_text_free(&path);
}

Test(local, errors_without_feedthrough_are_those_of_the_table) {
  compare_table("mass_spring_damper", 1e-9, 1e-15);
}

Test(local, errors_with_feedthrough_are_those_of_the_table) {
  compare_table("mass_spring_damper_feedthrough", 1e-9, 1e-15);
}

/* Networks in which D L D is not 0, so that only the corrected estimate is right in the limit. The table's norms over
 * all points and outputs carry the rounding of each. */
Test(local, corrected_estimate_is_that_of_the_table) {
  enum { POINTS = 11, SIZES = 2, NETWORKS = 3 };
  static const struct {
    const char *name, *path, *d1, *d2;
  } network[NETWORKS] = {{"lags_opposed", "models/linear_feedthrough/model.json", "0.3", "-0.4"},
                         {"lags_alike", "models/linear_feedthrough/model.json", "0.5", "0.25"},
                         {"ring3", "tests/data/ring3.json", NULL, NULL}};
  struct harness harness;
  struct harness_csv csv;
  struct harness_check check = {0};
  harness_csv_load("tests/data/andersson_local_error_corrected.csv", &csv);
  harness_open(&harness);
  for (size_t n = 0; n < NETWORKS; n++) {
    struct cs_text states = {0}, parameters = {0};
    char *path = harness_source_path(network[n].path);
    add_states(path, network[n].d1, network[n].d2, POINTS, &states);
    if (network[n].d1 != NULL) cs_text_add(&parameters, "\"d1\": %s, \"d2\": %s", network[n].d1, network[n].d2);
    run_tables(&harness, path, parameters.data != NULL ? parameters.data : "",
               "{\"name\": \"method\", \"zip\": {\"method.order\": [0, 1, 2, 3],\n"
               "\"method.hold\": [\"lagrange\", \"lagrange\", \"lagrange\", \"lagrange\"],\n"
               "\"method.feedthrough\": [\"explicit\", \"explicit\", \"explicit\", \"explicit\"],\n"
               "\"method.step.estimate\": [\"corrected\", \"corrected\", \"corrected\", \"corrected\"]}}",
               "0.002, 0.02", states.data);
    for (size_t row = 0; row < csv.rows; row++) {
      if (strcmp(harness_csv_text(&csv, row, "network"), network[n].name) != 0) continue;
      const size_t index[] = {(size_t)harness_csv_number(&csv, row, "order"),
                              harness_csv_number(&csv, row, "H") > 0.005};
      double error = 0, estimate = 0;
      for (size_t o = 0; o < harness.sweep->model->outputs; o++) {
        const char *signal = harness.sweep->model->output[o].name;
        error = hypot(error, rms_over_states(&harness, "local_error", index, POINTS, signal) * sqrt(POINTS));
        estimate =
            hypot(estimate, rms_over_states(&harness, "local_error_estimate", index, POINTS, signal) * sqrt(POINTS));
      }
      const double expected = harness_csv_number(&csv, row, "error");
      const double rounding = 4e-16 * sqrt((double)(POINTS * harness.sweep->model->outputs));
      harness_compare(&check, error, expected, 1e-9, rounding, "row %zu, error", row);
      harness_compare(&check, estimate / error, harness_csv_number(&csv, row, "ratio"), 1e-9, 2 * rounding / expected,
                      "row %zu, ratio", row);
    }
    free(path);
    cs_text_free(&states);
    cs_text_free(&parameters);
  }
  harness_finish(&check, "networks with D L D");
  harness_close(&harness);
  harness_csv_free(&csv);
}

/* Subsystems with dopri5: steps are not linear, the same errors come from the engine of steps that vary. */
Test(local, errors_with_tolerances_are_those_of_the_table) {
  enum { POINTS = 21, SIZES = 3, TOLERANCES = 8 };
  static const char *const kind[] = {"", "_position", "_velocity"};
  struct harness harness;
  struct harness_csv csv;
  struct harness_check check = {0};
  struct cs_text states = {0};
  char *path = harness_source_path("models/mass_spring_damper/model.json");
  harness_csv_load("tests/data/andersson_tolerances.csv", &csv);
  cr_assert_eq(csv.rows, SIZES * TOLERANCES);
  add_states(path, NULL, NULL, POINTS, &states);
  harness_open(&harness);
  run_tables(&harness, path, "",
             "{\"name\": \"method\", \"zip\": {\n"
             "\"method.solver\": [\"exact\", \"dopri5\", \"dopri5\", \"dopri5\", \"dopri5\", \"dopri5\", \"dopri5\",\n"
             "\"dopri5\"], \"method.tolerance\": [1, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9]}}",
             "0.1, 0.01, 0.001", states.data);
  for (size_t row = 0; row < csv.rows; row++) {
    const size_t index[] = {row % TOLERANCES, row / TOLERANCES};
    double error[2] = {0}, estimate[2] = {0}; /* sums of squares over positions, velocities */
    for (size_t o = 0; o < 4; o++) {
      const char *signal = harness.sweep->model->output[o].name;
      error[o % 2] += pow(rms_over_states(&harness, "local_error", index, POINTS, signal), 2);
      estimate[o % 2] += pow(rms_over_states(&harness, "local_error_estimate", index, POINTS, signal), 2);
    }
    const double errors[] = {sqrt((error[0] + error[1]) / 4), sqrt(error[0] / 2), sqrt(error[1] / 2)};
    const double estimates[] = {sqrt((estimate[0] + estimate[1]) / 4), sqrt(estimate[0] / 2), sqrt(estimate[1] / 2)};
    for (size_t k = 0; k < 3; k++) {
      char column[32];
      snprintf(column, sizeof column, "error%s", kind[k]);
      harness_compare(&check, errors[k], harness_csv_number(&csv, row, column), 1e-9, 1e-15, "row %zu, %s", row,
                      column);
      snprintf(column, sizeof column, "estimated%s", kind[k]);
      harness_compare(&check, estimates[k], harness_csv_number(&csv, row, column), 1e-9, 1e-15, "row %zu, %s", row,
                      column);
    }
  }
  harness_finish(&check, "tolerances");
  harness_close(&harness);
  harness_csv_free(&csv);
  cs_text_free(&states);
  free(path);
}

/* d1 = d2 = 3/2 is where 2^(p+1) - c3 is singular for p = 1, and for nothing else. */
Test(local, estimate_that_does_not_exist_is_not_a_number) {
  struct harness harness;
  char *path = harness_source_path("models/linear_feedthrough/model.json");
  harness_open(&harness);
  run_tables(
      &harness, path, "\"d1\": 1.5, \"d2\": 1.5",
      "{\"name\": \"method\", \"zip\": {\"method.order\": [1, 2], \"method.hold\": [\"lagrange\", \"lagrange\"],\n"
      "\"method.feedthrough\": [\"explicit\", \"explicit\"],\n"
      "\"method.step.estimate\": [\"corrected\", \"corrected\"]}}",
      "0.02", "{\"name\": \"at\", \"path\": \"parameters.x10\", \"values\": [1]}");
  for (size_t i = 0; i < 2; i++) {
    const size_t index[] = {i, 0, 0};
    cr_expect_eq(harness_value(harness.table, "status", index, NULL), 0);
    cr_expect(isfinite(harness_value(harness.table, "local_error", index, "lag1.y")));
    cr_expect_eq(isnan(harness_value(harness.table, "local_error_estimate", index, "lag1.y")), i == 0);
  }
  harness_close(&harness);
  free(path);
}

/* ---- runs of many steps beside long double */

/* Every run of the loaded sweep, its metrics computed. */
static void compare_runs(struct harness *harness, struct harness_check *check, const char *title) {
  static const enum cs_metric metrics[] = {CS_LOCAL_ERROR, CS_LOCAL_ERROR_ESTIMATE};
  struct plain_result *result = malloc(sizeof *result);
  cr_assert(result != NULL);
  for (size_t run = 0; run < harness->sweep->runs; run++) {
    plain_run(harness->sweep, run, NULL, NULL, result);
    for (size_t i = 0; i < 2 * harness->sweep->model->outputs; i++) {
      const char *signal = harness->sweep->model->output[i / 2].name, *metric = cs_metric_table[metrics[i % 2]].name;
      harness_compare(check, harness_value(harness->table, metric, &run, signal),
                      (double)result->metric[metrics[i % 2]][i / 2], 1e-13, 1e-17, "%s, run %zu, %s of %s", title, run,
                      metric, signal);
    }
  }
  free(result);
}

static const char six_settings[] =
    "{\"name\": \"settings\", \"zip\": {\n"
    "\"method.master\": [\"jacobi\", \"jacobi\", \"gauss_seidel\", \"gauss_seidel\", \"jacobi\", \"jacobi\"],\n"
    "\"method.iterations\": [0, 0, 0, 1, 1, 0],\n"
    "\"method.hold\": [\"lagrange\", \"taylor\", \"lagrange\", \"taylor\", \"backward_difference\", \"taylor\"],\n"
    "\"method.input_order\": [2, 2, 1, 1, 2, 1], \"method.output_order\": [0, 1, 2, 1, 1, 1],\n"
    "\"method.feedthrough\": [\"explicit\", \"solved\", \"explicit\", \"explicit\", \"solved\", \"refresh\"],\n"
    "\"method.start\": [\"ramp\", \"consistent\", \"ramp\", \"zero\", \"consistent\", \"zero\"],\n"
    "\"method.solver\": [\"exact\", \"exact\", \"heun\", \"exact\", \"trapezoidal\", \"euler\"],\n"
    "\"method.step.estimate\": [\"corrected\", \"plain\", \"corrected\", \"plain\", \"plain\", \"plain\"]}}";

static const char two_settings[] =
    "{\"name\": \"settings\", \"zip\": {\n"
    "\"method.master\": [\"jacobi\", \"gauss_seidel\"], \"method.hold\": [\"taylor\", \"lagrange\"],\n"
    "\"method.order\": [1, 2], \"method.feedthrough\": [\"solved\", \"explicit\"],\n"
    "\"method.start\": [\"consistent\", \"ramp\"], \"method.step.estimate\": [\"plain\", \"corrected\"]}}";

/* Starts without a past, of which local errors know nothing, where inputs go on, are late
 * or are given back what they lacked. */
static const char starts[] =
    "{\"name\": \"settings\", \"zip\": {\n"
    "\"method.master\": [\"jacobi\", \"gauss_seidel\", \"jacobi\", \"jacobi\"],\n"
    "\"method.hold\": [\"taylor\", \"taylor\", \"taylor\", \"lagrange\"],\n"
    "\"method.order\": [1, 2, 1, 1], \"method.start\": [\"ramp\", \"zero\", \"ramp\", \"zero\"],\n"
    "\"method.continuity\": [\"c1\", \"c1\", \"none\", \"none\"], \"method.latency\": [0, 0, 2, 0],\n"
    "\"method.compensation\": [0, 0, 0, 0.75],\n"
    "\"method.feedthrough\": [\"explicit\", \"explicit\", \"explicit\", \"explicit\"]}}";

/* A sweep of model.json: t_end, members of method, axes, more metrics. */
static const char run_frame[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"local\", \"model\": \"model.json\",\n"
    "\"study\": \"simulation\", \"t_end\": %g, \"method\": {%s, \"step\": {\"size\": 0.125}},\n"
    "\"axes\": [%s], \"metrics\": [\"local_error\", \"local_error_estimate\"%s]}\n";

static void load_runs(struct harness *harness, const char *method, const char *axis, double t_end, const char *more) {
  struct cs_text text = {0};
  cs_text_add(&text, run_frame, t_end, method, axis, more);
  cr_assert(!text.failed);
  harness_load(harness, text.data);
  cs_text_free(&text);
}

/* A network and orders of its own in one subsystem. */
static void compare_network(const char *path, const char *own, const char *engine, const char *settings) {
  struct harness harness;
  struct harness_check check = {0};
  struct cs_text method = {0};
  char *model = harness_read(path);
  cs_text_add(&method, "\"engine\": \"%s\", \"subsystems\": {\"%s\": {\"input_order\": 0}}", engine, own);
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  load_runs(&harness, method.data, settings, 3, "");
  harness_run(&harness);
  compare_runs(&harness, &check, engine);
  harness_finish(&check, engine);
  harness_close(&harness);
  cs_text_free(&method);
  free(model);
}

/* Constants, feed-through both ways. */
Test(local, stepping_matches_steps_in_long_double) {
  compare_network("tests/data/three_way.json", "b", "step", six_settings);
}

Test(local, starts_do_not_matter) {
  compare_network("tests/data/three_way.json", "b", "step", starts);
}

Test(local, doubling_matches_steps_in_long_double) {
  compare_network("tests/data/three_way.json", "b", "double", two_settings);
}

/* One subsystem has no inputs, another no states. */
Test(local, sources_match_steps_in_long_double) {
  compare_network("tests/data/source.json", "s2", "step", six_settings);
  compare_network("tests/data/source.json", "s0", "step", six_settings);
}

/* Outputs that depend on each other through feed-through, in units that are q apart. */
Test(local, corrected_estimates_exist_in_any_units) {
  static const char model[] =
      "{\"format\": \"cosweep-model/1\", \"name\": \"units\", \"parameters\": {\"q\": 1}, \"subsystems\": [\n"
      "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]], \"B\": [[1]],\n"
      "\"C\": [[1]], \"D\": [[0.3]], \"x0\": [1]}, {\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"],\n"
      "\"outputs\": [\"y\"], \"A\": [[-1]], \"B\": [[1]], \"C\": [[\"1/q\"]], \"D\": [[\"-0.4/q\"]], \"x0\": [0.5]}],\n"
      "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\", \"gain\": "
      "\"q\"}]}\n";
  struct harness harness;
  struct harness_check check = {0};
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  load_runs(&harness, "\"hold\": \"lagrange\", \"order\": 1, \"feedthrough\": \"explicit\"",
            "{\"name\": \"q\", \"zip\": {\"parameters.q\": [1, 1e14, 1e-14], "
            "\"method.step.estimate\": [\"corrected\", \"corrected\", \"corrected\"]}}",
            1, "");
  harness_run(&harness);
  compare_runs(&harness, &check, "units");
  harness_finish(&check, "units");
  harness_close(&harness);
}

/* The code of large models, in loops. */
Test(local, large_models_match_steps_in_long_double) {
  struct harness harness;
  struct harness_check check = {0};
  char *model = harness_read("models/mass_chain/model.json");
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  load_runs(&harness, "\"engine\": \"step\", \"hold\": \"lagrange\", \"feedthrough\": \"explicit\", \"order\": 2",
            "{\"name\": \"iterations\", \"path\": \"method.iterations\", \"values\": [0]}", 2.5, ", \"output_defect\"");
  harness_run(&harness);
  compare_runs(&harness, &check, "chain");
  harness_finish(&check, "mass_chain");
  harness_close(&harness);
  free(model);
}

/* An event beyond the end changes nothing but the engine; runs of different steps side by side. */
Test(local, steps_that_vary_give_the_same) {
  static const char sizes[] = "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.125, 0.25, 1]}";
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case fixed, vary;
  struct cs_text axes = {0}, sweep = {0}, late = {0};
  char *model = harness_read("tests/data/three_way.json"), *brace = strchr(model, '{');
  cs_text_add(&axes, "%s, %s", two_settings, sizes);
  cs_text_add(&sweep, run_frame, 2.0, "\"engine\": \"step\"", axes.data, ", \"steps\"");
  cs_text_add(&late, "{\"events\": [{\"name\": \"late\", \"t\": 100, \"add\": {\"a.p\": 1}}], %s", brace + 1);
  cr_assert(!axes.failed && !sweep.failed && !late.failed);
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  engine_case_run(&harness, sweep.data, 0, 0, &fixed);
  harness_write(&harness, "model.json", late.data);
  engine_case_run(&harness, sweep.data, 0, 0, &vary);
  engine_case_compare(&check, &vary, &fixed, 1e-13, 1e-17);
  harness_finish(&check, "steps that vary");
  engine_case_free(&fixed);
  engine_case_free(&vary);
  harness_close(&harness);
  cs_text_free(&axes);
  cs_text_free(&sweep);
  cs_text_free(&late);
  free(model);
}

/* A mode that grows like e^1000 for every step back, also before T_0: what needs such a past has no value, which is
 * said; all else is as without it. */
static void compare_tame(const char *engine) {
  static const char frame[] =
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"local\", \"model\": \"model.json\", \"t_end\": 10,\n"
      "\"method\": {\"engine\": \"%s\", \"hold\": \"lagrange\", \"start\": \"ramp\", \"step\": {\"size\": 1}},\n"
      "\"axes\": [{\"name\": \"late\", \"zip\": {\"method.latency\": [0, 2, 2], \"method.order\": [0, 0, 1]}}],\n"
      "\"metrics\": [\"output_error\", \"state_error_final\"%s]}\n";
  struct harness harness;
  struct engine_case with, without;
  size_t signals;
  harness_open(&harness);
  harness_write(&harness, "model.json",
                "{\"format\": \"cosweep-model/1\", \"name\": \"tame\", \"subsystems\": [\n"
                "{\"name\": \"a\", \"states\": [\"x\", \"w\"], \"inputs\": [\"u\"], \"outputs\": [\"y\", \"z\"], "
                "\"A\": [[-1000, 0], [0, -1]], \"B\": [[1000], [0]], \"C\": [[1, 0], [0, 1]], \"x0\": [1, 1]},\n"
                "{\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]], "
                "\"B\": [[1]], \"C\": [[1]], \"x0\": [0.5]}],\n"
                "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\", "
                "\"gain\": -0.5}]}\n");
  for (int i = 0; i < 2; i++) {
    struct cs_text text = {0};
    cs_text_add(&text, frame, engine, i ? "" : ", \"local_error\", \"local_error_estimate\"");
    engine_case_run(&harness, text.data, 0, 0, i ? &without : &with);
    cs_text_free(&text);
  }
  for (size_t run = 0; run < 3; run++) {
    const double *error = engine_case_values(&with, "local_error", run, &signals);
    cr_expect_eq(engine_case_status(&with, run), 0, "%s, run %zu", engine, run);
    engine_case_same_run(&with, run, &without, run);
    for (size_t l = 0; l < 3; l += 2)
      cr_expect_eq(isnan(error[l]), run > 0, "%s, run %zu, output %zu: %g", engine, run, l, error[l]);
  }
  cr_expect_not_null(
      strstr(cs_text_string(&with.outcome.warnings), "local errors: none of some output for run 1 and 1 more"), "%s",
      cs_text_string(&with.outcome.warnings));
  cr_expect_eq(without.outcome.warnings.length, 0, "%s", cs_text_string(&without.outcome.warnings));
  engine_case_free(&with);
  engine_case_free(&without);
  harness_close(&harness);
}

Test(local, a_past_beyond_doubles_spoils_no_other_metric) {
  compare_tame("step");
  compare_tame("double");
}

/* ---- what holds for any master */

/* A run of two steps of H/2 from consistent values is what local errors are about; a master of one's own with memory,
 * for which nothing else is there to compare with. */
Test(local, error_is_that_of_a_run_of_two_half_steps) {
  static const char master[] =
      "\"master\": {\"kernel\": \"moving_average.clh\", \"memory\": 2}, \"order\": 0,\n"
      "\"hold\": \"lagrange\", \"feedthrough\": \"explicit\"";
  struct harness harness;
  struct harness_check check = {0};
  struct cs_text text = {0};
  char *model = harness_read("models/linear_feedthrough/model.json");
  char *fragment = harness_read("sweeps/moving_average.clh");
  double final[3][2];
  harness_open_opencl(&harness);
  harness_write(&harness, "model.json", model);
  harness_write(&harness, "moving_average.clh", fragment);
  for (int i = 0; i < 3; i++) { /* H/2 to H, H to H, and what is to be shown */
    cs_text_add(&text,
                "{\"format\": \"cosweep-sweep/1\", \"name\": \"local\", \"model\": \"model.json\",\n"
                "\"study\": \"simulation\", \"t_end\": 0.25, \"method\": {%s, \"step\": {\"size\": %g}},\n"
                "\"axes\": [], \"metrics\": [\"output_error_final\", \"local_error\", \"local_error_estimate\"]}\n",
                master, i == 0 ? 0.125 : 0.25);
    harness_load(&harness, text.data);
    harness_run(&harness);
    for (size_t l = 0; l < 2; l++) {
      const char *signal = harness.sweep->model->output[l].name;
      const char *metric = i < 2 ? "output_error_final" : "local_error_estimate";
      final[i][l] = harness_value(harness.table, metric, NULL, signal);
      if (i == 2) {
        harness_compare(&check, harness_value(harness.table, "local_error", NULL, signal), final[0][l], 1e-14, 1e-16,
                        "error of %s", signal);
        /* the errors' signs are not known */
        const double apart = fabs(final[0][l] - final[1][l]), together = final[0][l] + final[1][l];
        const double nearer = fabs(final[2][l] - apart) < fabs(final[2][l] - together) ? apart : together;
        harness_compare(&check, final[2][l], nearer, 1e-14, 1e-16, "estimate of %s", signal);
      }
    }
    cs_text_free(&text);
    text = (struct cs_text){0};
  }
  harness_finish(&check, "moving average");
  harness_close(&harness);
  free(model);
  free(fragment);
}
