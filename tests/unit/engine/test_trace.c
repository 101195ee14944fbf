/* Traces: every step of a run against tables of single steps, against what runs themselves sum up, and where they end.
 */
#include "trace.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "engine_case.h"
#include "variable_tables.h"

TestSuite(trace, .timeout = 900);

static struct harness harness;

static void set_up(void) {
  harness_open(&harness);
}

static void tear_down(void) {
  harness_close(&harness);
}

/* The trace of a run of the loaded sweep; what it says about the run goes to `report`. */
static struct cs_table *trace(size_t run, size_t most, unsigned lanes, struct cs_trace_report *report) {
  const struct cs_engine_options options = {.lanes = lanes};
  struct cs_table *table;
  struct cs_error error;
  const int code = cs_trace_run(harness.sweep, run, most, harness.device, &options, &table, report, &error);
  cr_assert_eq(code, CS_OK, "run %zu: %s", run, error.message);
  return table;
}

static size_t rows(const struct cs_table *table) {
  return cs_table_find_dimension(table, "t")->length;
}

static double time_of(const struct cs_table *table, size_t row) {
  return cs_table_find_dimension(table, "t")->values[row];
}

static double at(const struct cs_table *table, const char *name, size_t row, const char *signal) {
  return harness_value(table, name, &row, signal);
}

/* ---- tables of single steps -------------------------------------------------------------------------------------- */

/* Compares the rows of one run of the table, from `first` on; returns the row after them. */
static size_t compare_glumac(const struct harness_csv *csv, size_t first, struct harness_check *check) {
  static const char *const values[][3] = {{"H", "H", NULL},
                                          {"start", "t_start", NULL},
                                          {"eps", "eps", NULL},
                                          {"u1", "u_start", "oscillator1.omega2"},
                                          {"u2", "u_start", "oscillator2.tau1"},
                                          {"y1", "y", "oscillator1.tau1"},
                                          {"y2", "y", "oscillator2.omega2"}};
  static const char *const keys[] = {"feedthrough", "begin", "control", "solver", "order"};
  const bool fixed = strcmp(harness_csv_text(csv, first, "control"), "fixed") == 0;
  const double tolerance = harness_csv_number(csv, first, "order") < 2 ? 1e-9 : 1e-7;
  struct cs_trace_report report;
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"glumac\", \"model\": \"model.json\", \"t_end\": 1,\n"
              "\"method\": {\"hold\": \"taylor\", \"feedthrough\": \"%s\", \"start\": \"%s\", \"solver\": \"%s\",\n"
              "\"order\": %s, \"step\": {%s}}}\n",
              harness_csv_text(csv, first, "feedthrough"), harness_csv_text(csv, first, "begin"),
              harness_csv_text(csv, first, "solver"), harness_csv_text(csv, first, "order"),
              fixed ? "\"control\": \"fixed\", \"size\": 0.1000000000000001"
                    : "\"control\": \"pi_defect\", \"initial\": 1e-4, \"end\": \"overshoot\",\n"
                      "\"tolerance\": 0.1000000000000001");
  cr_assert(!text.failed);
  harness_load(&harness, text.data);
  struct cs_table *table = trace(0, CS_TRACE_MOST, 0, &report);
  size_t row = first, step = 0;
  for (bool same = true; same; row += same) {
    for (size_t i = 0; i < sizeof values / sizeof *values && step + 1 < rows(table); i++)
      harness_compare(check, at(table, values[i][1], step + 1, values[i][2]),
                      harness_csv_number(csv, row, values[i][0]), tolerance, i == 2 ? 1e-15 : 1e-16,
                      "row %zu: %s of step %zu", row + 1, values[i][0], step + 1);
    harness_compare(check, time_of(table, ++step), harness_csv_number(csv, row, "end"), tolerance, 0, "row %zu: end",
                    row + 1);
    same = row + 1 < csv->rows;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
      same = same && strcmp(harness_csv_text(csv, row + 1, keys[i]), harness_csv_text(csv, first, keys[i])) == 0;
  }
  cr_expect(fixed || rows(table) == step + 1, "row %zu: %zu steps, want %zu", first + 1, rows(table) - 1, step);
  cs_table_free(table);
  cs_trace_report_free(&report);
  cs_text_free(&text);
  return row + 1;
}

Test(trace, glumac, .init = set_up, .fini = tear_down) {
  struct harness_csv csv;
  struct harness_check check = {0};
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_csv_load("tests/data/glumac_trace.csv", &csv);
  for (size_t row = 0; row < csv.rows;)
    row = compare_glumac(&csv, row, &check);
  harness_finish(&check, "single steps of Glumac and Kovačić");
  harness_csv_free(&csv);
}

/* The row of a trace that ends at `t`. */
static size_t row_at(const struct cs_table *table, double t) {
  size_t row = 1;
  while (row + 1 < rows(table) && time_of(table, row) < t * (1.0 - 1e-9))
    row++;
  return row;
}

/* Local errors over time, [A] Fig. 3.12, 3.13 and 3.15: rows of the table for one model, order and step size; returns
 * the row after them. The table is of plain differences in double precision. */
static size_t compare_local(const struct harness_csv *csv, size_t first, struct harness_check *check) {
  const char *model = harness_csv_text(csv, first, "model"), *size = harness_csv_text(csv, first, "H");
  struct cs_trace_report report;
  struct cs_text text = {0}, path = {0};
  size_t row = first;
  cs_text_add(&path, "models/%s/model.json", model);
  engine_case_model(&harness, path.data);
  cs_text_add(
      &text,
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"local\", \"model\": \"model.json\", \"t_end\": 1,\n"
      "\"method\": {\"hold\": \"lagrange\", \"feedthrough\": \"explicit\", \"order\": %s, \"step\": {\"size\": %s}},\n"
      "\"metrics\": [\"local_error\", \"local_error_estimate\"]}\n",
      harness_csv_text(csv, first, "order"), size);
  cr_assert(!text.failed && !path.failed);
  harness_load(&harness, text.data);
  struct cs_table *table = trace(0, CS_TRACE_MOST, 0, &report);
  const struct cs_dimension *outputs = cs_table_find_dimension(table, "output");
  cr_assert(outputs != NULL && outputs->length == 4);
  for (; row < csv->rows && strcmp(harness_csv_text(csv, row, "model"), model) == 0 &&
         strcmp(harness_csv_text(csv, row, "H"), size) == 0;
       row++)
    for (size_t l = 0; l < 4; l++) {
      const size_t step = row_at(table, harness_csv_number(csv, row, "t"));
      const char error[] = {'e', 'r', 'r', 'o', 'r', '_', 'y', (char)('0' + l), '\0'};
      const char estimate[] = {'e', 's', 't', 'i', 'm', 'a', 't', 'e', '_', 'y', (char)('0' + l), '\0'};
      harness_compare(check, at(table, "local_error", step, outputs->labels[l]), harness_csv_number(csv, row, error),
                      1e-6, 2e-15, "row %zu: error of output %zu", row + 2, l);
      harness_compare(check, at(table, "local_error_estimate", step, outputs->labels[l]),
                      harness_csv_number(csv, row, estimate), 1e-6, 2e-15, "row %zu: estimate of output %zu", row + 2,
                      l);
    }
  cs_table_free(table);
  cs_trace_report_free(&report);
  cs_text_free(&text);
  cs_text_free(&path);
  return row;
}

Test(trace, local_errors_over_time, .init = set_up, .fini = tear_down) {
  struct harness_csv csv;
  struct harness_check check = {0};
  harness_csv_load("tests/data/andersson_local_error_time.csv", &csv);
  cr_assert_eq(csv.rows, 300u);
  for (size_t row = 0; row < csv.rows;)
    row = compare_local(&csv, row, &check);
  harness_finish(&check, "local errors of Andersson over time");
  harness_csv_free(&csv);
}

/* Without the metrics, and with variable steps, there is no local error. */
Test(trace, local_errors_only_where_asked, .init = set_up, .fini = tear_down) {
  static const char *const metrics[] = {"\"local_error\"", "\"local_error_estimate\"", "\"output_error\""};
  engine_case_model(&harness, "models/mass_spring_damper/model.json");
  for (size_t i = 0; i < 3; i++) {
    struct cs_trace_report report;
    struct cs_text text = {0};
    cs_text_add(&text,
                "{\"format\": \"cosweep-sweep/1\", \"name\": \"local\", \"model\": \"model.json\", \"t_end\": 1,\n"
                "\"method\": {\"step\": {\"size\": 0.1}}, \"metrics\": [%s]}\n",
                metrics[i]);
    harness_load(&harness, text.data);
    struct cs_table *table = trace(0, CS_TRACE_MOST, 0, &report);
    cr_expect_eq(cs_table_find(table, "local_error") != NULL, i == 0);
    cr_expect_eq(cs_table_find(table, "local_error_estimate") != NULL, i == 1);
    cs_table_free(table);
    cs_trace_report_free(&report);
    cs_text_free(&text);
  }
}

static bool is_of(const struct harness_csv *csv, size_t row, const char *hold, const char *order) {
  return strcmp(harness_csv_text(csv, row, "hold"), hold) == 0 &&
         strcmp(harness_csv_text(csv, row, "order"), order) == 0;
}

Test(trace, quarter_car, .init = set_up, .fini = tear_down) {
  struct variable_runner runner = {.harness = &harness};
  struct harness_csv runs, steps;
  struct harness_check check = {0};
  harness_csv_load("tests/data/quarter_car.csv", &runs);
  harness_csv_load("tests/data/quarter_car_trace.csv", &steps);
  for (size_t run = 0; run < runs.rows; run++) {
    const char *hold = harness_csv_text(&runs, run, "hold"), *order = harness_csv_text(&runs, run, "order");
    struct cs_trace_report report;
    size_t row = 1;
    if (strcmp(harness_csv_text(&runs, run, "master"), "jacobi") != 0) continue;
    variable_run_quarter_car(&runner, &runs, run);
    struct cs_table *table = trace(0, CS_TRACE_MOST, 0, &report);
    for (size_t i = 0; i < steps.rows; i++) {
      if (!is_of(&steps, i, hold, order)) continue;
      cr_assert_lt(row, rows(table), "%s, order %s: too few steps", hold, order);
      harness_compare(&check, at(table, "H", row, NULL), harness_csv_number(&steps, i, "H"), 1e-7, 0, "row %zu: H",
                      i + 1);
      harness_compare(&check, at(table, "t_start", row, NULL), harness_csv_number(&steps, i, "t"), 1e-7, 0,
                      "row %zu: t", i + 1);
      harness_compare(&check, at(table, "eps", row, NULL), harness_csv_number(&steps, i, "error"), 1e-7, 0,
                      "row %zu: error", i + 1);
      cr_expect_eq(at(table, "accepted", row, NULL), harness_csv_number(&steps, i, "accepted"), "row %zu", i + 1);
      cr_expect_eq(at(table, "degree", row, NULL), harness_csv_number(&steps, i, "degree"), "row %zu", i + 1);
      row++;
    }
    cr_expect_eq(rows(table), row, "%s, order %s: %zu steps, want %zu", hold, order, rows(table) - 1, row - 1);
    cr_expect_eq(report.steps, harness_csv_number(&runs, run, "steps"));
    cr_expect_eq(report.rejected, harness_csv_number(&runs, run, "rejected_steps"));
    cs_table_free(table);
    cs_trace_report_free(&report);
  }
  harness_finish(&check, "single steps of the quarter car");
  harness_csv_free(&runs);
  harness_csv_free(&steps);
}

/* ---- against runs ------------------------------------------------------------------------------------------------ */

#define RUN_METRICS                                                                                                \
  "\"metrics\": [\"output_defect\", \"connection_defect\", \"output_error\", \"output_error_final\", "             \
  "\"input_error_final\", \"state_error_final\", \"monitor_final\", \"steps\", \"rejected_steps\", \"step_max\", " \
  "\"t_final\"]"

/* Root mean square of the accepted rows over the run. */
static double rms(const struct cs_table *table, const char *name, const char *signal) {
  double sum = 0.0, t = 0.0;
  for (size_t row = 1; row < rows(table); row++) {
    const double h = at(table, "H", row, NULL), value = at(table, name, row, signal);
    if (at(table, "accepted", row, NULL) == 0.0) continue;
    sum += h * value * value;
    t += h;
  }
  return sqrt(sum / t);
}

/* The last accepted row and sums over the rows beside the numbers of run number `run`. */
static void compare_run(const struct cs_table *table, size_t run, double relative, struct harness_check *check) {
  static const char *const finals[][2] = {{"output_error_final", "output_error"},
                                          {"input_error_final", "input_error"},
                                          {"state_error_final", "state_error"},
                                          {"monitor_final", "monitor_value"}};
  static const char *const sums[] = {"output_defect", "connection_defect"};
  const size_t last = rows(table) - 1;
  for (size_t i = 0; i < sizeof finals / sizeof *finals; i++) {
    const struct cs_array *array = cs_table_find(harness.table, finals[i][0]);
    const struct cs_dimension *signals = &harness.table->dimension[array->dimension[array->dimensions - 1]];
    for (size_t s = 0; s < signals->length; s++) {
      const double want = harness_value(harness.table, finals[i][0], &run, signals->labels[s]);
      const double value = at(table, finals[i][1], last, signals->labels[s]);
      const double rounding = i == 3 && relative > 0.0 ? 1e-15 : 0.0; /* a monitor's terms are of size 1 */
      harness_compare(check, i < 3 ? fabs(value) : value, want, relative, rounding, "run %zu: %s of %s", run,
                      finals[i][0], signals->labels[s]);
    }
  }
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    const struct cs_array *array = cs_table_find(harness.table, sums[i]);
    const struct cs_dimension *signals = &harness.table->dimension[array->dimension[array->dimensions - 1]];
    for (size_t s = 0; s < signals->length; s++)
      harness_compare(check, rms(table, sums[i], signals->labels[s]),
                      harness_value(harness.table, sums[i], &run, signals->labels[s]), 1e-12, 1e-18,
                      "run %zu: %s of %s", run, sums[i], signals->labels[s]);
  }
  harness_compare(check, time_of(table, last), harness_value(harness.table, "t_final", &run, NULL), relative, 0,
                  "run %zu: t_final", run);
}

/* Every run of the loaded sweep. */
static void compare_runs(double relative, const char *title) {
  struct harness_check check = {0};
  harness_run(&harness);
  for (size_t run = 0; run < harness.sweep->runs; run++) {
    struct cs_trace_report report;
    struct cs_table *table = trace(run, CS_TRACE_MOST, 0, &report);
    cr_expect_eq(report.status, CS_STATUS_OK);
    cr_expect_eq(report.steps, harness_value(harness.table, "steps", &run, NULL));
    cr_expect_eq(report.rejected, harness_value(harness.table, "rejected_steps", &run, NULL));
    compare_run(table, run, relative, &check);
    cs_table_free(table);
    cs_trace_report_free(&report);
  }
  harness_finish(&check, title);
}

/* Control fixed goes by another engine, which assembles the map of a step. */
Test(trace, ends_where_fixed_runs_end, .init = set_up, .fini = tear_down) {
  static const char *const engine[] = {"step", "double"};
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  for (int i = 0; i < 2; i++) {
    harness_load_engine(&harness,
                        "{\"format\": \"cosweep-sweep/1\", \"name\": \"fixed\", \"model\": \"model.json\", "
                        "\"t_end\": 5,\n\"method\": {\"hold\": \"lagrange\", \"order\": 2, \"feedthrough\": "
                        "\"solved\", \"start\": \"ramp\"},\n\"axes\": [{\"name\": \"H\", \"path\": "
                        "\"method.step.size\", \"values\": [0.01, 0.3, 1]}],\n" RUN_METRICS "}\n",
                        engine[i]);
    compare_runs(1e-12, engine[i]);
  }
}

/* The constant that drives the model makes the ordinary engine look at deviations from its equilibrium. */
Test(trace, states_of_driven_models_are_their_own, .init = set_up, .fini = tear_down) {
  struct cs_trace_report report;
  harness_write(&harness, "model.json",
                "{\"format\": \"cosweep-model/1\", \"name\": \"driven\", \"subsystems\": [\n"
                "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]],\n"
                "\"B\": [[1]], \"C\": [[1]], \"e\": [2], \"x0\": [3]}],\n"
                "\"connections\": [{\"to\": \"a.u\", \"value\": 0.5}],\n"
                "\"monitors\": [{\"name\": \"m\", \"terms\": {\"a.x.x\": 2}}]}\n");
  harness_load(&harness,
               "{\"format\": \"cosweep-sweep/1\", \"name\": \"driven\", \"model\": \"model.json\", \"t_end\": 2,\n"
               "\"method\": {\"step\": {\"size\": 0.25}}}\n");
  struct cs_table *table = trace(0, CS_TRACE_MOST, 0, &report);
  cr_assert_eq(rows(table), 9);
  for (size_t row = 0; row < rows(table); row++) {
    const double x = 2.5 + 0.5 * exp(-time_of(table, row));
    cr_expect_float_eq(at(table, "x", row, "a.x"), x, 1e-14);
    cr_expect_float_eq(at(table, "x_exact", row, "a.x"), x, 1e-14);
    cr_expect_float_eq(at(table, "y", row, "a.y"), x, 1e-14);
    cr_expect_float_eq(at(table, "u", row, "a.u"), 0.5, 1e-15);
    cr_expect_float_eq(at(table, "monitor_value", row, "m"), 2 * x, 1e-14);
  }
  cs_table_free(table);
  cs_trace_report_free(&report);
}

Test(trace, is_the_run_itself, .init = set_up, .fini = tear_down) {
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_load(&harness,
               "{\"format\": \"cosweep-sweep/1\", \"name\": \"pi\", \"model\": \"model.json\", \"t_end\": 10,\n"
               "\"method\": {\"hold\": \"taylor\", \"order\": 1, \"step\": {\"control\": \"pi_defect\", \"initial\": "
               "1e-3}},\n\"axes\": [{\"name\": \"tolerance\", \"path\": \"method.step.tolerance\", \"logspace\": "
               "[1e-4, 1e-2, 3]}],\n" RUN_METRICS "}\n");
  compare_runs(0.0, "pi_defect");
  harness_load(&harness,
               "{\"format\": \"cosweep-sweep/1\", \"name\": \"pairs\", \"model\": \"model.json\", \"t_end\": 3,\n"
               "\"method\": {\"hold\": \"lagrange\", \"order\": 1, \"solver\": \"rk4\", \"step\": {\"control\": "
               "\"richardson\", \"initial\": 1, \"rtol\": 1e-3}},\n\"axes\": [{\"name\": \"atol\", \"path\": "
               "\"method.step.atol\", \"values\": [1e-3, 1e-5]}],\n" RUN_METRICS "}\n");
  compare_runs(1e-12, "richardson");
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

Test(trace, shows_events, .init = set_up, .fini = tear_down) {
  struct cs_trace_report report;
  size_t events = 0;
  harness_write(&harness, "model.json",
                "{\"format\": \"cosweep-model/1\", \"name\": \"jumps\", \"subsystems\": [\n"
                "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]],\n"
                "\"B\": [[0]], \"C\": [[2]], \"x0\": [1]},\n"
                "{\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[0]],\n"
                "\"B\": [[1]], \"C\": [[1]]}],\n"
                "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\"}],\n"
                "\"events\": [{\"name\": \"kick\", \"t\": 0.35, \"add\": {\"a.x\": 3}}]}\n");
  harness_load(&harness,
               "{\"format\": \"cosweep-sweep/1\", \"name\": \"jumps\", \"model\": \"model.json\", \"t_end\": 0.8,\n"
               "\"method\": {\"hold\": \"lagrange\", \"order\": 0, \"step\": {\"size\": 0.1}}}\n");
  struct cs_table *table = trace(0, CS_TRACE_MOST, 0, &report);
  cr_assert_eq(rows(table), 10, "%zu rows", rows(table));
  for (size_t row = 0; row < rows(table); row++) {
    const double before = exp(-time_of(table, row)), jump = 3 * exp(0.35 - time_of(table, row));
    const bool event = at(table, "event", row, NULL) != 0.0, past = row > 4;
    events += event;
    cr_expect_eq(event, row == 4);
    cr_expect_float_eq(at(table, "x", row, "a.x"), before + (past ? jump : 0.0), 1e-14);
    cr_expect_float_eq(at(table, "x_after", row, "a.x"), before + (row >= 4 ? jump : 0.0), 1e-14);
    cr_expect_float_eq(at(table, "y", row, "a.y"), 2 * at(table, "x", row, "a.x"), 1e-14);
    cr_expect_float_eq(at(table, "y_after", row, "a.y"), 2 * at(table, "x_after", row, "a.x"), 1e-14);
    cr_expect(row == 0 || fabs(at(table, "u_start", row, "b.u") - at(table, "y_after", row - 1, "a.y")) <= 1e-14);
  }
  cr_expect_eq(events, 1);
  cr_expect_eq(time_of(table, 4), 0.35);
  cr_expect_float_eq(at(table, "H", 4, NULL), 0.05, 1e-15);
  cr_expect_eq(at(table, "H_wanted", 4, NULL), 0.1);
  cr_expect_eq(at(table, "H", 5, NULL), 0.1);
  cs_table_free(table);
  cs_trace_report_free(&report);
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

#define TWO_MASSES "{\"format\": \"cosweep-sweep/1\", \"name\": \"end\", \"model\": \"model.json\", "

/* Runs 0 of the sweep; what was told until it failed. */
static void expect_end(const char *sweep, size_t most, enum cs_status status, size_t steps, const char *failure) {
  struct cs_trace_report report;
  harness_load(&harness, sweep);
  struct cs_table *table = trace(0, most, 0, &report);
  cr_expect_eq(report.status, status, "status %d", (int)report.status);
  cr_expect(report.failure.data != NULL && strstr(report.failure.data, failure) != NULL, "%s",
            report.failure.data != NULL ? report.failure.data : "no failure");
  cr_expect_eq(rows(table), steps + 1, "%zu rows", rows(table));
  for (size_t row = 0; row < rows(table); row++)
    cr_expect_eq(at(table, "status", row, NULL), row + 1 < rows(table) ? 0 : status);
  cs_table_free(table);
  cs_trace_report_free(&report);
}

Test(trace, tells_failed_runs_until_they_fail, .init = set_up, .fini = tear_down) {
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  expect_end(TWO_MASSES "\"t_end\": 1, \"method\": {\"step\": {\"size\": 1e-3}}}\n", 300, CS_STATUS_STEP_LIMIT, 300,
             "stopped after 300 steps, at t = 0.3 s; raise --most to record more");
  expect_end(TWO_MASSES "\"t_end\": 1, \"method\": {\"step\": {\"size\": 1e-3, \"max_steps\": 7}}}\n", 300,
             CS_STATUS_STEP_LIMIT, 7, "stopped after method.step.max_steps, 7 steps");
  expect_end(TWO_MASSES
             "\"t_end\": 1, \"method\": {\"step\": {\"control\": \"pi_defect\", \"initial\": 0.1,\n"
             "\"tolerance\": 1e-9, \"underflow\": 0.09, \"shrink_max\": 0.95}}}\n",
             300, CS_STATUS_UNDERFLOW, 3, "the step size fell below method.step.underflow after 3 steps");
}

Test(trace, runs_that_cannot_begin, .init = set_up, .fini = tear_down) {
  static const struct {
    const char *sweep, *message;
    int code;
  } list[] = {
      {TWO_MASSES "\"t_end\": 1, \"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [-1, 1]}]}\n",
       "run 0 (H=-1)", CS_NO_RESULT},
      {TWO_MASSES "\"t_end\": 1, \"skip\": [{\"order\": 0}], \"method\": {\"step\": {\"size\": 0.1}},\n"
                  "\"axes\": [{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1]}]}\n",
       "run 0 is skipped", CS_NO_RESULT},
      {TWO_MASSES "\"study\": \"stability\", \"method\": {\"step\": {\"size\": 0.1}}}\n",
       "study stability takes no steps; want study simulation to trace", CS_INPUT}};
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    struct cs_trace_report report;
    struct cs_table *table;
    struct cs_error error = {0};
    harness_load(&harness, list[i].sweep);
    cr_expect_eq(cs_trace_run(harness.sweep, 0, 10, harness.device, NULL, &table, &report, &error), list[i].code);
    cr_expect_null(table);
    cr_expect(strstr(error.message, list[i].message), "%s", error.message);
    cs_trace_report_free(&report);
  }
}

Test(trace, errors_are_differences_from_the_exact_solution, .init = set_up, .fini = tear_down) {
  struct cs_trace_report report;
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_load(&harness,
               "{\"format\": \"cosweep-sweep/1\", \"name\": \"errors\", \"model\": \"model.json\", \"t_end\": 2,\n"
               "\"method\": {\"step\": {\"size\": 0.25}}}\n");
  const struct cs_model *model = harness.sweep->model;
  struct cs_table *table = trace(0, CS_TRACE_MOST, 0, &report);
  double most = 0;
  for (size_t row = 0; row < rows(table); row++) {
    for (size_t i = 0; i < model->states; i++) {
      const char *name = model->state[i].name;
      const double difference = at(table, "x", row, name) - at(table, "x_exact", row, name);
      cr_expect_float_eq(at(table, "state_error", row, name), difference, 1e-14, "%s, row %zu", name, row);
      most = fmax(most, fabs(difference));
    }
    for (size_t i = 0; i < model->outputs; i++) {
      const char *name = model->output[i].name;
      const double difference = at(table, "y", row, name) - at(table, "y_exact", row, name);
      cr_expect_float_eq(at(table, "output_error", row, name), difference, 1e-14, "%s, row %zu", name, row);
    }
  }
  cr_expect_gt(most, 1e-3);
  cs_table_free(table);
  cs_trace_report_free(&report);
}
