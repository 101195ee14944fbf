#include "variable_tables.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- who runs them */

void variable_open(struct variable_runner *runner, struct harness *harness, bool plain) {
  *runner = (struct variable_runner){.harness = harness};
  if (plain) {
    runner->plain = malloc(sizeof *runner->plain);
    cr_assert(runner->plain != NULL);
    harness_directory(harness);
  } else {
    harness_open(harness);
  }
}

void variable_close(struct variable_runner *runner) {
  harness_close(runner->harness);
  free(runner->plain);
}

void variable_run(struct variable_runner *runner, const char *sweep) {
  harness_load(runner->harness, sweep);
  runner->run = SIZE_MAX;
  if (runner->plain == NULL) harness_run(runner->harness);
}

static const struct cs_metric_info *find_metric(const char *name) {
  for (size_t i = 0; i < CS_METRICS; i++)
    if (strcmp(cs_metric_table[i].name, name) == 0) return &cs_metric_table[i];
  cr_assert_fail("no metric %s", name);
  return NULL;
}

double variable_value(struct variable_runner *runner, const char *name, const size_t *index, const char *signal) {
  const struct cs_sweep *sweep = runner->harness->sweep;
  if (runner->plain == NULL) return harness_value(runner->harness->table, name, index, signal);
  size_t run = 0, q = 0;
  for (size_t i = 0; i < sweep->axes; i++)
    run = run * sweep->axis[i].length + index[i];
  if (run != runner->run) {
    plain_run(sweep, run, NULL, NULL, runner->plain);
    runner->run = run;
  }
  if (strcmp(name, "status") == 0) return runner->plain->status;
  const struct cs_metric_info *info = find_metric(name);
  while (signal != NULL && strcmp(cs_model_signal_name(sweep->model, info->over, q), signal) != 0) {
    q++;
    cr_assert_lt(q, cs_model_signals(sweep->model, info->over), "no %s", signal);
  }
  return (double)runner->plain->metric[info - cs_metric_table][q];
}

/* ---- what their sweeps have in common */

/* Text of a model with other monitors, or with events as well, in place of the monitors and what stands after them. */
static void write_model(struct harness *harness, const char *path, const char *end) {
  char *model = harness_read(path);
  char *at = end != NULL ? strstr(model, "\"monitors\"") : NULL;
  struct cs_text text = {0};
  cr_assert(end == NULL || at != NULL);
  cs_text_append(&text, model, at != NULL ? (size_t)(at - model) : strlen(model));
  cs_text_add(&text, "%s", end != NULL ? end : "");
  cr_assert(!text.failed);
  harness_write(harness, "model.json", text.data);
  cs_text_free(&text);
  free(model);
}

/* One path of a zip axis with what the rows have in `column`. */
static void add_path(struct cs_text *text, const char *path, const struct harness_csv *csv, const char *column,
                     size_t first, size_t step, bool words) {
  cs_text_add(text, "%s\"%s\": [", text->data[text->length - 1] == '{' ? "" : ",\n", path);
  for (size_t row = first; row < csv->rows; row += step)
    cs_text_add(text, words ? "%s\"%s\"" : "%s%s", row > first ? ", " : "", harness_csv_text(csv, row, column));
  cs_text_add(text, "]");
}

static void compare(struct variable_runner *runner, const struct harness_csv *csv, size_t row, const char *column,
                    const char *metric, const size_t *index, const char *signal, double relative, double absolute,
                    struct harness_check *check) {
  harness_compare(check, variable_value(runner, metric, index, signal), harness_csv_number(csv, row, column), relative,
                  absolute, "row %zu: %s of %s", row + 1, metric, signal != NULL ? signal : "the run");
}

static bool is_count(const char *metric) {
  return strcmp(metric, "steps") == 0 || strcmp(metric, "rejected_steps") == 0;
}

/* ---- Glumac and Kovačić, Fig. 7 to 10: the rows of a run stand together */

enum { GLUMAC_ROWS = 11 };

void variable_compare_glumac(struct variable_runner *runner, size_t stride, struct harness_check *check) {
  struct harness_csv csv;
  struct cs_text text = {0};
  harness_csv_load("tests/data/glumac_variable.csv", &csv);
  write_model(runner->harness, "models/two_mass_oscillator/model.json", NULL);
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"glumac\", \"model\": \"model.json\", \"t_end\": 1,\n"
              "\"method\": {\"hold\": \"taylor\",\n"
              "\"step\": {\"control\": \"pi_defect\", \"initial\": 1e-4, \"end\": \"overshoot\"}},\n"
              "\"metrics\": [\"output_defect\", \"connection_defect\", \"output_error\", \"steps\", \"step_min\",\n"
              "\"step_mean\", \"step_max\", \"t_final\"],\n"
              "\"axes\": [{\"name\": \"run\", \"zip\": {");
  add_path(&text, "method.feedthrough", &csv, "feedthrough", 0, GLUMAC_ROWS, true);
  add_path(&text, "method.start", &csv, "start", 0, GLUMAC_ROWS, true);
  add_path(&text, "method.solver", &csv, "solver", 0, GLUMAC_ROWS, true);
  add_path(&text, "method.input_order", &csv, "order", 0, GLUMAC_ROWS, false);
  add_path(&text, "method.output_order", &csv, "order", 0, GLUMAC_ROWS, false);
  add_path(&text, "method.step.tolerance", &csv, "tolerance", 0, GLUMAC_ROWS, false);
  cs_text_add(&text, "}}]}\n");
  cr_assert(!text.failed);
  variable_run(runner, text.data);
  for (size_t row = 0; row < csv.rows; row++) {
    const size_t run = row / GLUMAC_ROWS, first = run * GLUMAC_ROWS;
    const char *metric = harness_csv_text(&csv, row, "metric"), *signal = harness_csv_text(&csv, row, "signal");
    const bool euler = strcmp(harness_csv_text(&csv, row, "solver"), "euler") == 0;
    const double relative = harness_csv_number(&csv, row, "order") < 2 ? 1e-9 : 1e-7;
    cr_assert_str_eq(harness_csv_text(&csv, row, "tolerance"), harness_csv_text(&csv, first, "tolerance"));
    if (run % stride == 0) {
      compare(runner, &csv, row, "value", metric, &run, *signal ? signal : NULL, is_count(metric) ? 0 : relative,
              euler ? 1e-14 : 0, check);
    }
  }
  cs_text_free(&text);
  harness_csv_free(&csv);
}

/* ---- Kyllingstad */

static const char oscillator_end[] =
    "\"monitors\": [{\"name\": \"dx\", \"terms\": {\"spring_damper.x1\": 1, \"mass.x2\": -1}, \"flow\": "
    "\"mass.velocity\"},\n"
    "{\"name\": \"x1\", \"terms\": {\"spring_damper.x1\": 1}}, {\"name\": \"x2\", \"terms\": {\"mass.x2\": 1}},\n"
    "{\"name\": \"v2\", \"terms\": {\"mass.v2\": 1}}]}\n";

void variable_compare_ecco(struct variable_runner *runner, size_t stride, struct harness_check *check) {
  static const struct {
    const char *column, *metric, *signal;
  } values[] = {
      {"steps", "steps", NULL},
      {"step_max", "step_max", NULL},
      {"x1", "monitor_final", "x1"},
      {"x2", "monitor_final", "x2"},
      {"v2", "monitor_final", "v2"},
      {"monitor_final", "monitor_final", "dx"},
      {"monitor_max", "monitor_max", "dx"},
      {"monitor_predicted", "monitor_predicted", "dx"},
  };
  static const char *const steps[] = {"initial", "kp", "ki", "min", "max", "shrink_max", "growth_max", "atol", "rtol"};
  struct harness_csv csv;
  struct cs_text text = {0};
  harness_csv_load("tests/data/kyllingstad_ecco.csv", &csv);
  write_model(runner->harness, "models/damped_oscillator/model.json", oscillator_end);
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"ecco\", \"model\": \"model.json\", \"t_end\": 15,\n"
              "\"method\": {\"hold\": \"lagrange\", \"order\": 0, \"feedthrough\": \"explicit\",\n"
              "\"step\": {\"control\": \"pi_ecco\", \"initial\": 0.1, \"bonds\": [\n"
              "{\"a\": [\"spring_damper.velocity\", \"spring_damper.force\"], \"b\": [\"mass.force\", "
              "\"mass.velocity\"]}]}},\n"
              "\"metrics\": [\"monitor_final\", \"monitor_max\", \"monitor_predicted\", \"steps\", \"step_max\"],\n"
              "\"axes\": [{\"name\": \"run\", \"zip\": {");
  add_path(&text, "parameters.v0", &csv, "v0", 0, 1, false);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    char path[64];
    snprintf(path, sizeof path, "method.step.%s", steps[i]);
    add_path(&text, path, &csv, steps[i], 0, 1, false);
  }
  cs_text_add(&text, "}}]}\n");
  cr_assert(!text.failed);
  variable_run(runner, text.data);
  for (size_t row = 0; row < csv.rows; row += stride) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
      compare(runner, &csv, row, values[i].column, values[i].metric, &row, values[i].signal, 0,
              is_count(values[i].metric) ? 0 : 1e-12, check);
    }
  }
  cs_text_free(&text);
  harness_csv_free(&csv);
}

static const char reservoirs_end[] =
    "\"monitors\": [{\"name\": \"dV\", \"terms\": {\"reservoir1.V\": 1, \"reservoir1.V1\": -1, \"reservoir2.V2\": "
    "-1}, \"flow\": \"reservoir2.Q\"},\n"
    "{\"name\": \"V1\", \"terms\": {\"reservoir1.V1\": 1}}, {\"name\": \"V2\", \"terms\": {\"reservoir2.V2\": 1}}],\n"
    "\"events\": [{\"name\": \"filling\", \"t\": 1, \"add\": {\"reservoir1.V1\": %s, \"reservoir1.V\": %s}}]}\n";

static void run_reservoirs(struct variable_runner *runner, const struct harness_csv *csv, size_t row) {
  const char *added = harness_csv_text(csv, row, "added"), *end = harness_csv_text(csv, row, "end");
  const char *feedthrough = harness_csv_text(csv, row, "feedthrough"), *above = harness_csv_text(csv, row, "above");
  struct cs_text model = {0}, text = {0};
  cs_text_add(&model, reservoirs_end, added, added);
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"reservoirs\", \"model\": \"model.json\", \"t_end\": 5,\n"
              "\"method\": {\"hold\": \"lagrange\", \"order\": 0, \"feedthrough\": \"%s\",\n",
              feedthrough);
  if (*end) {
    cs_text_add(&text,
                "\"step\": {\"control\": \"threshold\", \"signal\": \"reservoir2.Q\", \"threshold\": 0.5,\n"
                "\"above\": %s, \"below\": %s, \"end\": \"%s\"}},\n",
                above, harness_csv_text(csv, row, "below"), end);
  } else {
    cs_text_add(&text, "\"step\": {\"control\": \"fixed\", \"size\": %s}},\n", above);
  }
  cs_text_add(&text,
              "\"metrics\": [\"monitor_final\", \"monitor_max\", \"monitor_predicted\", \"steps\", \"t_final\"]}\n");
  cr_assert(!model.failed && !text.failed);
  write_model(runner->harness, "models/reservoirs/model.json", model.data);
  variable_run(runner, text.data);
  cs_text_free(&model);
  cs_text_free(&text);
}

void variable_compare_reservoirs(struct variable_runner *runner, struct harness_check *check) {
  static const struct {
    const char *column, *metric, *signal;
  } values[] = {
      {"steps", "steps", NULL},
      {"t_final", "t_final", NULL},
      {"V1", "monitor_final", "V1"},
      {"V2", "monitor_final", "V2"},
      {"monitor_final", "monitor_final", "dV"},
      {"monitor_max", "monitor_max", "dV"},
      {"monitor_predicted", "monitor_predicted", "dV"},
  };
  struct harness_csv csv;
  harness_csv_load("tests/data/kyllingstad_reservoirs.csv", &csv);
  for (size_t row = 0; row < csv.rows; row++) {
    run_reservoirs(runner, &csv, row);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
      compare(runner, &csv, row, values[i].column, values[i].metric, NULL, values[i].signal, 0,
              is_count(values[i].metric) ? 0 : 1e-12, check);
    }
  }
  harness_csv_free(&csv);
}

/* ---- Andersson, Table 5.2 */

static const char quarter_car_end[] =
    "\"monitors\": [{\"name\": \"chassis_x\", \"terms\": {\"chassis.x.x\": 1}}, {\"name\": \"chassis_v\", \"terms\": "
    "{\"chassis.x.v\": 1}},\n"
    "{\"name\": \"wheel_x\", \"terms\": {\"wheel.x.x\": 1}}, {\"name\": \"wheel_v\", \"terms\": {\"wheel.x.v\": "
    "1}}]}\n";

void variable_run_quarter_car(struct variable_runner *runner, const struct harness_csv *csv, size_t row) {
  const char *sequence = harness_csv_text(csv, row, "sequence");
  struct cs_text text = {0};
  write_model(runner->harness, "models/quarter_car/model.json", quarter_car_end);
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"quarter_car\", \"model\": \"model.json\", \"t_end\": 1,\n"
              "\"method\": {\"master\": \"%s\", ",
              harness_csv_text(csv, row, "master"));
  if (*sequence) {
    cs_text_add(&text, "\"sequence\": [\"%.*s\", \"%s\"], ", (int)strcspn(sequence, " "), sequence,
                strchr(sequence, ' ') + 1);
  }
  cs_text_add(&text,
              "\"hold\": \"%s\", \"order\": %s, \"feedthrough\": \"explicit\", \"start\": \"ramp\",\n"
              "\"step\": {\"control\": \"richardson\", \"initial\": 1e-3, \"norm\": \"%s\", \"accept\": %s}},\n"
              "\"metrics\": [\"monitor_final\", \"state_error_final\", \"steps\", \"rejected_steps\"]}\n",
              harness_csv_text(csv, row, "hold"), harness_csv_text(csv, row, "order"),
              harness_csv_text(csv, row, "norm"), harness_csv_text(csv, row, "accept"));
  cr_assert(!text.failed);
  variable_run(runner, text.data);
  cs_text_free(&text);
}

void variable_compare_quarter_car(struct variable_runner *runner, struct harness_check *check) {
  static const char *const states[][2] = {
      {"chassis.x", "chassis_x"}, {"chassis.v", "chassis_v"}, {"wheel.x", "wheel_x"}, {"wheel.v", "wheel_v"}};
  struct harness_csv csv;
  harness_csv_load("tests/data/quarter_car.csv", &csv);
  for (size_t row = 0; row < csv.rows; row++) {
    variable_run_quarter_car(runner, &csv, row);
    compare(runner, &csv, row, "steps", "steps", NULL, NULL, 0, 0, check);
    compare(runner, &csv, row, "rejected_steps", "rejected_steps", NULL, NULL, 0, 0, check);
    double most = 0;
    for (size_t i = 0; i < 4; i++) {
      compare(runner, &csv, row, states[i][0], "monitor_final", NULL, states[i][1], 0, 1e-11, check);
      const double error = variable_value(runner, "state_error_final", NULL, states[i][0]);
      most = error <= most ? most : error; /* not a number where it is none */
    }
    harness_compare(check, most, harness_csv_number(&csv, row, "state_error_max"), 0, 1e-11, "row %zu: state error",
                    row + 1);
  }
  harness_csv_free(&csv);
}

void variable_compare_engine(variable_compare_fn *table, const char *title) {
  struct harness harness;
  struct variable_runner runner;
  struct harness_check check = {0};
  variable_open(&runner, &harness, false);
  table(&runner, &check);
  harness_finish(&check, title);
  variable_close(&runner);
}
