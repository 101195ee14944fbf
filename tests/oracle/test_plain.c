/* The references against each other: tests/plain.c, which test_solvers.c builds on, the table written by
 * tests/python/make_random.py, and the tables of variable-step runs. Needs no device. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"
#include "random_cases.h"
#include "variable_tables.h"

struct reference {
  const struct cs_model *model;
  struct plain_result result;
};

static size_t find_signal(const struct cs_model *model, enum cs_over over, const char *name) {
  if (over == CS_OVER_MONITOR) {
    for (size_t i = 0; i < model->monitors; i++)
      if (strcmp(model->monitor[i].name, name) == 0) return i;
  }
  const struct cs_signal *signals = over == CS_OVER_OUTPUT  ? model->output
                                    : over == CS_OVER_INPUT ? model->input
                                                            : model->state;
  size_t count = over == CS_OVER_OUTPUT ? model->outputs : over == CS_OVER_INPUT ? model->inputs : model->states;
  for (size_t i = 0; i < count; i++)
    if (strcmp(signals[i].name, name) == 0) return i;
  cr_assert_fail("no signal %s", name);
  return 0;
}

static bool reference_value(const void *context, const char *metric, const char *signal, double *value) {
  const struct reference *reference = context;
  const struct {
    const char *name;
    enum cs_over over;
    const real *values;
  } rms[] = {{"output_rms", CS_OVER_OUTPUT, reference->result.output_rms},
             {"input_rms", CS_OVER_INPUT, reference->result.input_rms},
             {"state_rms", CS_OVER_STATE, reference->result.state_rms}};
  for (size_t i = 0; i < sizeof rms / sizeof *rms; i++) {
    if (strcmp(rms[i].name, metric) == 0) {
      *value = (double)rms[i].values[find_signal(reference->model, rms[i].over, signal)];
      return true;
    }
  }
  for (size_t i = 0; i < CS_METRICS; i++) {
    if (strcmp(cs_metric_table[i].name, metric) == 0) {
      size_t index = find_signal(reference->model, cs_metric_table[i].over, signal);
      *value = (double)reference->result.metric[i][index];
      return true;
    }
  }
  cr_assert_fail("no metric %s", metric);
  return false;
}

/* Both round at 1e-19 of the signals, amplified a little on the way. */
Test(plain, agrees_with_the_table_of_random_networks) {
  struct random_cases cases;
  struct harness harness;
  struct harness_check check = {0};
  struct reference *reference = malloc(sizeof *reference);
  cr_assert(reference != NULL);
  random_cases_load(&cases);
  harness_directory(&harness);
  for (size_t i = 0; i < cases.count; i++) {
    random_cases_open(&cases, i, &harness);
    reference->model = harness.sweep->model;
    plain_run(harness.sweep, 0, NULL, NULL, &reference->result);
    random_cases_compare(&cases, i, reference_value, reference, 1e-12, 1e-17, &check);
  }
  harness_finish(&check, "random networks, two references");
  free(reference);
  harness_close(&harness);
  random_cases_free(&cases);
}

/* ---- variable step */

Test(plain, agrees_with_defect_controlled_runs) {
  struct harness harness;
  struct variable_runner runner;
  struct harness_check check = {0};
  variable_open(&runner, &harness, true);
  variable_compare_glumac(&runner, 1, &check);
  harness_finish(&check, "pi_defect, two references");
  variable_close(&runner);
}

Test(plain, agrees_with_energy_controlled_runs) {
  struct harness harness;
  struct variable_runner runner;
  struct harness_check check = {0};
  variable_open(&runner, &harness, true);
  variable_compare_ecco(&runner, 8, &check);
  harness_finish(&check, "pi_ecco, two references");
  variable_close(&runner);
}

Test(plain, agrees_with_runs_with_an_event) {
  struct harness harness;
  struct variable_runner runner;
  struct harness_check check = {0};
  variable_open(&runner, &harness, true);
  variable_compare_reservoirs(&runner, &check);
  harness_finish(&check, "reservoirs, two references");
  variable_close(&runner);
}

Test(plain, agrees_with_richardson_controlled_runs) {
  struct harness harness;
  struct variable_runner runner;
  struct harness_check check = {0};
  variable_open(&runner, &harness, true);
  variable_compare_quarter_car(&runner, &check);
  harness_finish(&check, "richardson, two references");
  variable_close(&runner);
}

/* The rows of a trace that one run has to give, in their order. */
struct trace {
  const struct harness_csv *csv;
  struct harness_check *check;
  const char *hold, *order;
  size_t row; /* the next */
};

static size_t next_row(const struct trace *trace, size_t row) {
  while (row < trace->csv->rows && (strcmp(harness_csv_text(trace->csv, row, "hold"), trace->hold) != 0 ||
                                    strcmp(harness_csv_text(trace->csv, row, "order"), trace->order) != 0))
    row++;
  return row;
}

static void look_at_attempt(void *context, const struct plain_attempt *attempt) {
  struct trace *trace = context;
  const struct {
    const char *column;
    real value;
    double relative;
  } values[] = {{"t", attempt->T, 1e-7},
                {"H", attempt->H, 1e-7},
                {"error", attempt->error, 1e-7},
                {"accepted", attempt->accepted, 0},
                {"degree", (real)attempt->degree, 0}};
  cr_assert_lt(trace->row, trace->csv->rows, "%s, order %s: too many steps", trace->hold, trace->order);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    harness_compare(trace->check, (double)values[i].value, harness_csv_number(trace->csv, trace->row, values[i].column),
                    values[i].relative, 0, "row %zu: %s", trace->row + 1, values[i].column);
  }
  trace->row = next_row(trace, trace->row + 1);
}

Test(plain, agrees_with_every_step_of_the_quarter_car) {
  struct harness harness;
  struct variable_runner runner;
  struct harness_csv runs, steps;
  struct harness_check check = {0};
  struct cs_settings settings;
  struct cs_error error;
  variable_open(&runner, &harness, true);
  harness_csv_load("tests/data/quarter_car.csv", &runs);
  harness_csv_load("tests/data/quarter_car_trace.csv", &steps);
  for (size_t row = 0; row < runs.rows; row++) {
    struct trace trace = {.csv = &steps, .check = &check, .order = harness_csv_text(&runs, row, "order")};
    const struct plain_watch watch = {look_at_attempt, &trace};
    trace.hold = harness_csv_text(&runs, row, "hold");
    trace.row = next_row(&trace, 0);
    if (strcmp(harness_csv_text(&runs, row, "master"), "jacobi") == 0) {
      variable_run_quarter_car(&runner, &runs, row);
      cr_assert_eq(cs_settings_new(harness.sweep, &settings, &error), CS_OK);
      cs_settings_of(harness.sweep, 0, &settings);
      plain_run_settings(harness.sweep, &settings, &watch, runner.plain);
      cr_expect_eq(trace.row, steps.rows, "%s, order %s: steps missing", trace.hold, trace.order);
      cs_settings_free(&settings);
    }
  }
  harness_finish(&check, "quarter car step by step, two references");
  harness_csv_free(&steps);
  harness_csv_free(&runs);
  variable_close(&runner);
}
