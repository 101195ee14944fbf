#include <criterion/criterion.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_case.h"

#ifndef COSWEEP_SOURCE_DIR
#define COSWEEP_SOURCE_DIR "."
#endif

static struct cs_sweep *sweep;
static struct cs_settings settings;
static struct cs_error error;

static void tear_down(void) {
  cs_settings_free(&settings);
  cs_sweep_free(sweep);
  sweep_case_close();
}

TestSuite(sweep, .init = sweep_case_open, .fini = tear_down);

static void load(const char *method, const char *axes, const char *rest) {
  sweep = sweep_case_load(method, axes, rest);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
}

static void expect_description(size_t run, const char *expected) {
  struct cs_text text = {0};
  cs_sweep_describe_run(sweep, run, &text);
  cr_expect_str_eq(text.data, expected);
  cs_text_free(&text);
}

static void expect_method(size_t run, const char *expected) {
  struct cs_text text = {0};
  cs_settings_of(sweep, run, &settings);
  cs_sweep_describe_method(sweep, &settings.method, &text);
  cr_expect_str_eq(text.data, expected);
  cs_text_free(&text);
}

/* Two sweeps of the same axes, results and runs. */
static void expect_equal(const struct cs_sweep *a, const struct cs_sweep *b) {
  cr_assert_eq(a->axes, b->axes);
  cr_assert_eq(a->runs, b->runs);
  cr_expect_eq(memcmp(a->metric, b->metric, sizeof a->metric), 0);
  cr_assert_eq(a->fits, b->fits);
  for (size_t f = 0; f < a->fits; f++) {
    cr_expect_eq(a->fit[f].axis, b->fit[f].axis);
    cr_expect_eq(memcmp(a->fit[f].metric, b->fit[f].metric, sizeof a->metric), 0);
  }
  for (size_t i = 0; i < a->axes; i++) {
    const struct cs_axis *left = &a->axis[i], *right = &b->axis[i];
    cr_expect_str_eq(left->name, right->name);
    cr_expect_str_eq(left->unit, right->unit);
    cr_expect_str_eq(left->long_name, right->long_name);
    cr_expect_eq(left->columns, right->columns);
    for (size_t k = 0; left->values != NULL && k < left->length; k++)
      cr_expect_eq(left->values[k], right->values[k]);
    for (size_t k = 0; left->labels != NULL && k < left->length; k++)
      cr_expect_str_eq(left->labels[k], right->labels[k]);
  }
  struct cs_settings l, r;
  cr_assert_eq(cs_settings_new(a, &l, &error), CS_OK);
  cr_assert_eq(cs_settings_new(b, &r, &error), CS_OK);
  for (size_t run = 0; run < a->runs; run += 1 + a->runs / 1009) {
    cs_settings_of(a, run, &l);
    cs_settings_of(b, run, &r);
    cr_expect(cs_method_equal(a->model->subsystems, &l.method, &r.method));
    cr_expect_eq(l.step_size, r.step_size);
    cr_expect(l.t_end == r.t_end || (isnan(l.t_end) && isnan(r.t_end)));
    cr_expect_eq(l.max_steps, r.max_steps);
    cr_expect_eq(l.skipped, r.skipped);
    for (size_t p = 0; p < a->model->parameters; p++) {
      cr_expect_eq(l.given[p], r.given[p]);
      cr_expect_eq(l.parameters[p], r.parameters[p]);
    }
  }
  cs_settings_free(&l);
  cs_settings_free(&r);
}

/* The printed sweep, put at `path`, reads back as an equal one that prints the same. */
static void expect_round_trip(const struct cs_sweep *original, const char *path) {
  struct cs_text first = {0}, second = {0};
  struct cs_sweep *again = NULL;
  cs_sweep_print(original, &first);
  sweep_case_write(path, first.data);
  cr_assert_eq(cs_sweep_load(path, NULL, 0, &again, &error), CS_OK, "%s", error.message);
  expect_equal(original, again);
  cs_sweep_print(again, &second);
  cr_expect_str_eq(first.data, second.data);
  cs_text_free(&first);
  cs_text_free(&second);
  cs_sweep_free(again);
}

Test(sweep, defaults_are_those_of_the_methods) {
  load("", "", "");
  cr_expect_str_eq(sweep->name, "s");
  cr_expect_str_eq(sweep->description, "");
  cr_expect_eq(sweep->axes, 0);
  cr_expect_eq(sweep->runs, 1);
  cs_settings_of(sweep, 0, &settings);
  const struct cs_method *method = &settings.method;
  cr_expect_eq(method->master, CS_JACOBI);
  cr_expect_eq(method->hold, CS_TAYLOR);
  cr_expect_eq(method->feedthrough, CS_SOLVED);
  cr_expect_eq(method->start, CS_CONSISTENT);
  cr_expect_eq(method->control, CS_FIXED);
  cr_expect_eq(method->error_at, CS_CONTINUOUS);
  cr_expect_eq(method->engine, CS_AUTO);
  for (size_t s = 0; s < 2; s++) {
    cr_expect_eq(method->subsystem[s].solver, CS_EXACT);
    cr_expect_eq(method->subsystem[s].input_order, 0);
    cr_expect_eq(method->subsystem[s].output_order, 0);
    cr_expect_eq(method->subsystem[s].micro_steps, 1);
  }
  cr_expect_eq(settings.step_size, 0.1);
  cr_expect_eq(settings.t_end, 1);
  cr_expect_eq(settings.max_steps, 1e8);
  cr_expect_not(settings.skipped);
  cr_expect_eq(settings.given[0], 0);
  cr_expect_eq(settings.given[1], 0);
  expect_description(0, "the only run");
}

Test(sweep, default_metrics_are_what_the_model_has_without_those_on_request) {
  load("", "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2]}",
       "\"fits\": [{\"along\": \"H\"}]");
  for (int m = 0; m < CS_METRICS; m++) {
    bool other = cs_metric_table[m].over == CS_OVER_MONITOR || cs_metric_table[m].study != CS_SIMULATION ||
                 cs_metric_table[m].of_events;
    cr_expect_eq(sweep->metric[m], !other && !cs_metric_table[m].on_request, "%s", cs_metric_table[m].name);
    cr_expect_eq(sweep->fit[0].metric[m], sweep->metric[m] && cs_metric_table[m].fitted, "%s", cs_metric_table[m].name);
  }
}

Test(sweep, metrics_and_fits_are_those_asked_for) {
  load(
      "",
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2]},\n"
      "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2]}",
      "\"metrics\": [\"state_error_max\", \"steps\", \"output_defect\"],\n"
      "\"fits\": [{\"along\": \"p\", \"metrics\": [\"steps\"]}, {\"along\": \"H\", \"metrics\": [\"output_defect\"]}]");
  for (int m = 0; m < CS_METRICS; m++) {
    cr_expect_eq(sweep->metric[m], m == CS_STATE_ERROR_MAX || m == CS_STEPS || m == CS_OUTPUT_DEFECT);
    cr_expect_eq(sweep->fit[0].metric[m], m == CS_STEPS);
    cr_expect_eq(sweep->fit[1].metric[m], m == CS_OUTPUT_DEFECT);
  }
  cr_expect_eq(sweep->fit[0].axis, 1);
  cr_expect_eq(sweep->fit[1].axis, 0);
}

Test(sweep, runs_count_with_the_last_axis_fastest) {
  load("",
       "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [5, 6], \"unit\": \"kg\"},\n"
       "{\"name\": \"solver\", \"path\": \"method.solver\", \"values\": [\"rk4\", \"euler\", \"exact\"]},\n"
       "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.5, 0.25], \"description\": \"step\"}",
       "");
  cr_assert_eq(sweep->runs, 12);
  cr_expect_str_eq(sweep->axis[0].unit, "kg");
  cr_expect_str_eq(sweep->axis[0].long_name, "parameters.p");
  cr_expect_str_eq(sweep->axis[1].unit, "1");
  cr_expect_str_eq(sweep->axis[2].unit, "s");
  cr_expect_str_eq(sweep->axis[2].long_name, "step");
  cr_expect_null(sweep->axis[1].values);
  cr_expect_str_eq(sweep->axis[1].labels[1], "euler");
  static const unsigned char solvers[] = {CS_RK4, CS_EULER, CS_EXACT};
  for (size_t run = 0; run < 12; run++) {
    cs_settings_of(sweep, run, &settings);
    cr_expect_eq(settings.step_size, run % 2 ? 0.25 : 0.5);
    cr_expect_eq(settings.method.subsystem[1].solver, solvers[run / 2 % 3]);
    cr_expect_eq(settings.parameters[0], run < 6 ? 5 : 6);
    cr_expect_eq(settings.given[0], 1);
    cr_expect_eq(settings.given[1], 0);
  }
  expect_description(9, "p=6, solver=euler, H=0.25");
}

Test(sweep, ends_and_decades_are_exact) {
  load("",
       "{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.0003, 0.7, 6]},\n"
       "{\"name\": \"p\", \"path\": \"parameters.p\", \"logspace\": [0.001, 1000, 7]},\n"
       "{\"name\": \"q\", \"path\": \"parameters.q\", \"linspace\": [0.1, -0.3, 5]},\n"
       "{\"name\": \"n\", \"path\": \"method.micro_steps\", \"logspace\": [2, 128, 7]},\n"
       "{\"name\": \"t\", \"path\": \"t_end\", \"linspace\": [3, 3, 1]},\n"
       "{\"name\": \"order\", \"path\": \"method.order\", \"linspace\": [0, 3, 4]}",
       "");
  static const double decades[] = {0.001, 0.01, 0.1, 1, 10, 100, 1000};
  for (size_t i = 0; i < 7; i++) {
    cr_expect_eq(sweep->axis[1].values[i], decades[i]);
    cr_expect_eq(sweep->axis[3].values[i], (double)(2 << i));
  }
  const struct cs_axis *h = &sweep->axis[0];
  cr_expect_eq(h->values[0], 0.0003);
  cr_expect_eq(h->values[5], 0.7);
  for (size_t i = 1; i < 6; i++)
    cr_expect_float_eq(h->values[i] / h->values[i - 1], pow(0.7 / 0.0003, 0.2), 1e-14);
  cr_expect_eq(sweep->axis[2].values[0], 0.1);
  cr_expect_eq(sweep->axis[2].values[4], -0.3);
  cr_expect_float_eq(sweep->axis[2].values[2], -0.1, 1e-16);
  cr_expect_eq(sweep->axis[4].values[0], 3);
  for (size_t i = 0; i < 4; i++)
    cr_expect_eq(sweep->axis[5].values[i], (double)i);
}

Test(sweep, order_sets_both_orders) {
  load("\"order\": 2", "", "");
  expect_method(0, "taylor, order 2, solved, consistent, exact");
  cs_sweep_free(sweep);
  cs_settings_free(&settings);
  load("\"input_order\": 1", "{\"name\": \"order\", \"path\": \"method.order\", \"values\": [3, 0]}", "");
  expect_method(0, "taylor, order 3, solved, consistent, exact");
  expect_method(1, "taylor, order 0, solved, consistent, exact");
}

Test(sweep, paths_share_their_values) {
  load("",
       "{\"name\": \"m\", \"paths\": [\"method.input_order\", \"method.subsystems.b.output_order\", \"parameters.q\"],"
       " \"values\": [0, 3], \"unit\": \"1\"}",
       "");
  cr_expect_str_eq(sweep->axis[0].unit, "1");
  cs_settings_of(sweep, 1, &settings);
  cr_expect_eq(settings.method.subsystem[0].input_order, 3);
  cr_expect_eq(settings.method.subsystem[0].output_order, 0);
  cr_expect_eq(settings.method.subsystem[1].input_order, 3);
  cr_expect_eq(settings.method.subsystem[1].output_order, 3);
  cr_expect_eq(settings.parameters[1], 3);
  expect_method(1, "taylor, solved, consistent, a (input order 3, output order 0, exact), b (order 3, exact)");
  cr_expect_str_eq(sweep->axis[0].long_name, "method.input_order, method.subsystems.b.output_order, parameters.q");
}

Test(sweep, zip_moves_paths_together) {
  load("",
       "{\"name\": \"setting\", \"unit\": \"1\", \"zip\": {\n"
       "\"method.start\": [\"zero\", \"ramp\", {\"label\": \"as stated\", \"value\": \"consistent\"}],\n"
       "\"parameters.q\": [7, 7, -1],\n"
       "\"t_end\": [{\"label\": \"short\", \"value\": 1}, {\"label\": \"long\", \"value\": 9},"
       " {\"label\": \"long\", \"value\": 9}]}}",
       "\"skip\": [{\"setting\": 1}]");
  const struct cs_axis *axis = &sweep->axis[0];
  cr_assert_eq(axis->length, 3);
  cr_assert_eq(axis->columns, 3);
  cr_expect_str_eq(axis->column[0].name, "setting_start");
  cr_expect_str_eq(axis->column[1].name, "setting_q");
  cr_expect_str_eq(axis->column[2].name, "setting_t_end");
  cr_expect_str_eq(axis->column[1].unit, "1");
  cr_expect_str_eq(axis->column[2].unit, "s");
  cr_expect_str_eq(axis->column[0].labels[0], "zero");
  cr_expect_str_eq(axis->column[0].labels[2], "as stated");
  cr_expect_null(axis->column[0].values);
  cr_expect_eq(axis->column[1].values[2], -1);
  cr_expect_null(axis->column[1].labels);
  cr_expect_str_eq(axis->column[2].labels[1], "long");
  static const unsigned char starts[] = {CS_ZERO, CS_RAMP, CS_CONSISTENT};
  for (size_t run = 0; run < 3; run++) {
    cs_settings_of(sweep, run, &settings);
    cr_expect_eq(axis->values[run], (double)run);
    cr_expect_eq(settings.method.start, starts[run]);
    cr_expect_eq(settings.parameters[1], run < 2 ? 7 : -1);
    cr_expect_eq(settings.t_end, run < 1 ? 1 : 9);
    cr_expect_eq(settings.skipped, run == 1);
  }
}

Test(sweep, an_axis_has_the_unit_of_its_paths) {
  sweep_case_write(
      "model.json",
      "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"parameters\": {\"p\": {\"value\": 1, "
      "\"unit\": \"kg\"}, \"q\": 2, \"r\": {\"value\": 1, \"unit\": \"kg\"}}, \"subsystems\": [{\"name\": "
      "\"a\", \"states\": [\"x\"], \"inputs\": [], \"outputs\": [\"y\"], \"A\": [[\"-q/p\"]], \"C\": [[\"r\"]]}], "
      "\"connections\": []}");
  load("",
       "{\"name\": \"one\", \"path\": \"parameters.p\", \"values\": [1]},"
       "{\"name\": \"free\", \"path\": \"parameters.q\", \"values\": [1], \"unit\": \"m\"},"
       "{\"name\": \"both\", \"paths\": [\"method.step.size\", \"t_end\"], \"values\": [1]}",
       "");
  cr_expect_str_eq(sweep->axis[0].unit, "kg");
  cr_expect_str_eq(sweep->axis[1].unit, "m");
  cr_expect_str_eq(sweep->axis[2].unit, "s");
  cs_settings_free(&settings);
  cs_sweep_free(sweep);
  load("", "{\"name\": \"other\", \"paths\": [\"method.step.size\", \"parameters.r\"], \"values\": [1]}", "");
  cr_expect_str_eq(sweep->axis[0].unit, "1");
}

Test(sweep, labels_are_coordinates) {
  load("",
       "{\"name\": \"stiffness\", \"path\": \"parameters.p\", \"values\": [{\"label\": \"soft\", \"value\": 1},"
       " {\"label\": \"hard\", \"value\": 100}]}",
       "\"skip\": [{\"stiffness\": \"soft\"}]");
  cr_expect_null(sweep->axis[0].values);
  cr_expect_str_eq(sweep->axis[0].labels[1], "hard");
  cs_settings_of(sweep, 0, &settings);
  cr_expect(settings.skipped);
  cs_settings_of(sweep, 1, &settings);
  cr_expect_not(settings.skipped);
  cr_expect_eq(settings.parameters[0], 100);
  expect_description(1, "stiffness=hard");
}

Test(sweep, subsystems_have_their_own_settings) {
  load(
      "\"solver\": \"heun\", \"order\": 1,\n"
      "\"subsystems\": {\"a\": {\"solver\": \"euler\", \"output_order\": 2}, \"b\": {\"micro_steps\": 6}}",
      "", "");
  cs_settings_of(sweep, 0, &settings);
  const struct cs_subsystem_method *a = &settings.method.subsystem[0], *b = &settings.method.subsystem[1];
  cr_expect_eq(a->solver, CS_EULER);
  cr_expect_eq(a->micro_steps, 1);
  cr_expect_eq(a->input_order, 1);
  cr_expect_eq(a->output_order, 2);
  cr_expect_eq(b->solver, CS_HEUN);
  cr_expect_eq(b->micro_steps, 6);
  cr_expect_eq(b->output_order, 1);
  expect_method(0,
                "taylor, solved, consistent, a (input order 1, output order 2, euler), "
                "b (order 1, heun in 6 micro steps)");
}

Test(sweep, micro_steps_follow_the_solver) {
  load("",
       "{\"name\": \"solver\", \"path\": \"method.solver\","
       " \"values\": [\"exact\", \"euler\", \"heun\", \"rk4\", \"implicit_euler\", \"trapezoidal\"]},\n"
       "{\"name\": \"engine\", \"path\": \"method.engine\", \"values\": [\"auto\", \"step\"]}",
       "");
  static const unsigned short micro_steps[] = {1, 1, 2, 2, 2, 2};
  for (size_t run = 0; run < 12; run++) {
    cs_settings_of(sweep, run, &settings);
    cr_expect_eq(settings.method.subsystem[0].micro_steps, micro_steps[run / 2]);
    cr_expect_eq(settings.method.engine, run % 2 ? CS_STEP : CS_AUTO);
  }
  expect_method(7, "taylor, order 0, solved, consistent, rk4 in 2 micro steps, engine step");
}

Test(sweep, methods_are_equal_when_all_that_selects_a_kernel_is) {
  load("",
       "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2]},\n"
       "{\"name\": \"order\", \"path\": \"method.subsystems.b.input_order\", \"values\": [0, 1]},\n"
       "{\"name\": \"at\", \"path\": \"method.error_at\", \"values\": [\"continuous\", \"points\"]}",
       "");
  struct cs_settings other;
  cr_assert_eq(cs_settings_new(sweep, &other, &error), CS_OK);
  memset(other.method.subsystem, 0xFF, 2 * sizeof *other.method.subsystem);
  for (size_t i = 0; i < sweep->runs; i++) {
    for (size_t k = 0; k < sweep->runs; k++) {
      cs_settings_of(sweep, i, &settings);
      cs_settings_of(sweep, k, &other);
      cr_expect_eq(cs_method_equal(sweep->model->subsystems, &settings.method, &other.method), i % 4 == k % 4,
                   "%zu %zu", i, k);
    }
  }
  cs_settings_free(&other);
}

Test(sweep, what_has_no_meaning_may_be_skipped) {
  load("",
       "{\"name\": \"y\", \"path\": \"method.feedthrough\", \"values\": [\"explicit\", \"refresh\"]},\n"
       "{\"name\": \"hold\", \"path\": \"method.hold\", \"values\": [\"taylor\", \"lagrange\"]},\n"
       "{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.1, 1, 10]}",
       "\"skip\": [{\"y\": \"refresh\", \"hold\": \"lagrange\"}, {\"H\": 0.1, \"hold\": \"taylor\"}]");
  size_t skipped = 0;
  for (size_t run = 0; run < sweep->runs; run++) {
    cs_settings_of(sweep, run, &settings);
    skipped += settings.skipped;
  }
  cr_expect_eq(skipped, 12);
}

Test(sweep, numbers_of_a_wrong_sign_may_stand_on_an_axis) {
  load("",
       "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [-1, 0, 0.5]},\n"
       "{\"name\": \"T\", \"path\": \"t_end\", \"values\": [0, 2]},\n"
       "{\"name\": \"limit\", \"path\": \"method.step.max_steps\", \"values\": [0, 10]}",
       "");
  cs_settings_of(sweep, 0, &settings);
  cr_expect_eq(settings.step_size, -1);
  cr_expect_eq(settings.t_end, 0);
  cr_expect_eq(settings.max_steps, 0);
}

Test(sweep, an_axis_gives_what_the_file_leaves_out) {
  sweep_case_write("s.json",
                   "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"axes\": [\n"
                   "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.5]},\n"
                   "{\"name\": \"T\", \"path\": \"t_end\", \"values\": [2, 3]}]}");
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 1, &settings);
  cr_expect_eq(settings.step_size, 0.5);
  cr_expect_eq(settings.t_end, 3);
  expect_round_trip(sweep, "printed.json");
}

Test(sweep, overrides_come_before_everything) {
  static const char *const set[] = {"method.step.size=0.01",
                                    "method.solver=euler",
                                    "parameters.q=-3",
                                    "name=other",
                                    "axes.0.values.1=8",
                                    "method.subsystems.a.input_order=2",
                                    "t_end=4e1"};
  sweep_case_compose("\"solver\": \"none\"", "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2]}", "");
  cr_assert_eq(cs_sweep_load("s.json", set, sizeof set / sizeof *set, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 1, &settings);
  cr_expect_str_eq(sweep->name, "other");
  cr_expect_eq(settings.step_size, 0.01);
  cr_expect_eq(settings.t_end, 40);
  cr_expect_eq(settings.method.subsystem[1].solver, CS_EULER);
  cr_expect_eq(settings.method.subsystem[0].input_order, 2);
  cr_expect_eq(settings.parameters[0], 8);
  cr_expect_eq(settings.parameters[1], -3);
  expect_round_trip(sweep, "printed.json");
}

Test(sweep, up_to_2_40_runs) {
  load("",
       "{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [0, 1, 1024]},\n"
       "{\"name\": \"q\", \"path\": \"parameters.q\", \"linspace\": [0, 1, 1024]},\n"
       "{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0, 1, 1024]},\n"
       "{\"name\": \"T\", \"path\": \"t_end\", \"linspace\": [0, 1, 1024]}",
       "");
  cr_assert_eq(sweep->runs, (size_t)1 << 40);
  cs_settings_of(sweep, sweep->runs - 1, &settings);
  cr_expect_eq(settings.parameters[0], 1);
  cr_expect_eq(settings.t_end, 1);
}

Test(sweep, printed_with_every_default_it_reads_back_equal) {
  load("\"input_order\": 1,\n\"subsystems\": {\"b\": {\"solver\": \"rk4\", \"micro_steps\": \"auto\"}}",
       "{\"name\": \"solver\", \"path\": \"method.solver\", \"values\": [\"exact\", \"euler\", \"heun\"]},\n"
       "{\"name\": \"z\", \"zip\": {\"parameters.p\": [1, 2], \"t_end\": [3, 4.1]}, \"description\": \"a "
       "\\\"pair\\\"\"},\n"
       "{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.001, 1, 5], \"unit\": \"s\"}",
       "\"parameters\": {\"q\": 0.1}, \"skip\": [{\"solver\": \"heun\", \"H\": 1}], \"fits\": [{\"along\": \"H\"}]");
  expect_round_trip(sweep, "printed.json");
  struct cs_text text = {0};
  cs_sweep_print(sweep, &text);
  static const char *const parts[] = {"\"study\": \"simulation\"",
                                      "\"master\": \"jacobi\"",
                                      "\"hold\": \"taylor\"",
                                      "\"input_order\": 1",
                                      "\"output_order\": 0",
                                      "\"feedthrough\": \"solved\"",
                                      "\"start\": \"consistent\"",
                                      "\"solver\": \"exact\"",
                                      "\"micro_steps\": \"auto\"",
                                      "\"error_at\": \"continuous\"",
                                      "\"engine\": \"auto\"",
                                      "\"control\": \"fixed\"",
                                      "\"size\": 0.1",
                                      "\"max_steps\": 100000000",
                                      "\"metrics\": [\"output_defect\", \"connection_defect\", \"output_error\"",
                                      "\"along\": \"H\", \"metrics\": [\"output_defect\"",
                                      "\"unit\": \"1\"",
                                      "\"description\": \"method.step.size\""};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    cr_expect_not_null(strstr(text.data, parts[i]), "%s in\n%s", parts[i], text.data);
  cs_text_free(&text);
}

static void load_stability(const char *rest) {
  struct cs_text text = {0};
  cs_text_add(&text, "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", ");
  cs_text_add(&text, "\"study\": \"stability\", \"method\": {\"hold\": \"lagrange\", \"order\": 2, ");
  cs_text_add(&text, "\"step\": {\"size\": 0}}%s}", rest);
  sweep_case_write("s.json", text.data);
  cs_text_free(&text);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 0, &settings);
}

Test(sweep, stability_takes_step_0_and_has_metrics_of_its_own) {
  load_stability("");
  cr_expect_eq(sweep->study, CS_STABILITY);
  cr_expect_eq(settings.step_size, 0);
  cr_expect_eq(settings.method.subsystem[0].input_order, 2);
  cr_expect_eq(settings.method.subsystem[0].output_order, 0, "output_order selects a kernel with hold lagrange");
  for (int m = 0; m < CS_METRICS; m++) {
    bool wanted = cs_metric_table[m].study == CS_STABILITY && !cs_metric_table[m].on_request;
    wanted = wanted && m != CS_OPERATING_POINT && m != CS_EQUILIBRIUM_RESIDUAL; /* of nonlinear models */
    cr_expect_eq(sweep->metric[m], wanted, "%s", cs_metric_table[m].name);
  }
}

Test(sweep, stability_printed_reads_back_equal) {
  load_stability(
      ", \"metrics\": [\"stable\", \"eigenvalue\"], \"axes\": [{\"name\": \"p\", \"path\": \"parameters.p\", "
      "\"values\": [1, 2]}, {\"name\": \"q\", \"path\": \"parameters.q\", \"values\": [1, 2]}], "
      "\"boundary\": {\"along\": \"q\"}, \"refine\": 3");
  cr_expect(sweep->boundary == 1 && sweep->refine == 3 && sweep->refined[0] == 0 && sweep->refined[1] == 1);
  cr_expect(sweep->metric[CS_STABLE] && sweep->metric[CS_EIGENVALUE_RE] && sweep->metric[CS_EIGENVALUE_IM]);
  expect_round_trip(sweep, "printed.json");
  struct cs_text text = {0};
  cs_sweep_print(sweep, &text);
  cr_expect_not_null(strstr(text.data, "\"metrics\": [\"stable\", \"eigenvalue\"]"), "%s", text.data);
  cr_expect_not_null(strstr(text.data, "\"along\": \"q\""), "%s", text.data);
  cr_expect_not_null(strstr(text.data, "\"refine\": 3"), "%s", text.data);
  cr_expect_null(strstr(text.data, "start"), "%s", text.data);
  cr_expect_null(strstr(text.data, "max_steps"), "%s", text.data);
  cs_text_free(&text);
}

Test(shipped_sweeps, load_and_settle) {
  static const char *const names[] = {
      "demonstration",           "glumac_fixed_step_published",    "glumac_fixed_step_stated",
      "glumac_orders",           "kyllingstad_oscillator",         "kyllingstad_reservoirs",
      "kyllingstad_controllers", "glumac_variable_step_published", "glumac_variable_step_stated",
      "glumac_traces",           "andersson_quarter_car",          "ecco_quarter_car"};
  static const size_t runs[] = {100000, 96, 96, 512, 4, 6, 10000, 96, 96, 8, 6, 36};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct cs_text path = {0};
    cs_text_add(&path, "%s/sweeps/%s.json", COSWEEP_SOURCE_DIR, names[i]);
    cr_assert_eq(cs_sweep_load(path.data, NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
    cr_expect_eq(sweep->runs, runs[i], "%s", names[i]);
    cr_expect_str_eq(sweep->name, names[i]);
    cs_sweep_free(sweep);
    cs_text_free(&path);
  }
}

/* ---- shipped ones */

static size_t load_all(const char *pattern) {
  glob_t found;
  cr_assert_eq(glob(pattern, 0, NULL, &found), 0, "%s", pattern);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    cr_expect_eq(cs_sweep_load(found.gl_pathv[i], NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
    cs_sweep_free(sweep);
    sweep = NULL;
  }
  const size_t count = found.gl_pathc;
  globfree(&found);
  return count;
}

Test(sweep, shipped_sweeps_load_and_every_model_has_its_stability) {
  glob_t models;
  cr_expect_geq(load_all(COSWEEP_SOURCE_DIR "/sweeps/*.json"), 21);
  cr_assert_eq(glob(COSWEEP_SOURCE_DIR "/models/*/model.json", 0, NULL, &models), 0);
  cr_expect_eq(load_all(COSWEEP_SOURCE_DIR "/sweeps/stability/*.json"), models.gl_pathc);
  globfree(&models);
}
