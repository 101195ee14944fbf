/* The fixed-step runs of Kyllingstad 2025 (tests/data/kyllingstad_fixed.csv): the monitored discrepancies within
 * 1e-12 absolute, final states through monitors of their own. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static const double tolerance = 1e-12;

/* What the columns of the table are in each model: its own monitor, and the signals of the columns x1, x2, v2. */
struct network {
  const char *name, *monitor, *states[3];
};

static const struct network networks[] = {
    {"damped_oscillator", "dx", {"spring_damper_x1", "mass_x2", "mass_v2"}},
    {"reservoirs", "dV", {"reservoir1_V1", "reservoir2_V2", NULL}},
};
static const char *const state_columns[] = {"x1", "x2", "v2"};

static const struct network *find_network(const char *name) {
  for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
    if (strcmp(networks[i].name, name) == 0) {
      return &networks[i];
    }
  }
  cr_assert_fail("no network %s", name);
  return NULL;
}

/* Runs the model of a row with its own monitors, or with one monitor per state. */
static void run_row(struct harness *harness, const struct harness_csv *csv, size_t row, bool states,
                    const char *engine) {
  struct cs_text path = {0}, sweep = {0};
  const char *v0 = harness_csv_text(csv, row, "v0");
  cs_text_add(&path, "models/%s/model.json", harness_csv_text(csv, row, "model"));
  char *model = harness_read(path.data), *monitored = harness_monitor_states(model);
  harness_write(harness, "model.json", states ? monitored : model);
  cs_text_add(&sweep,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"kyllingstad\", \"model\": \"model.json\",\n"
              "\"study\": \"simulation\", \"t_end\": %s, \"parameters\": {%s%s},\n"
              "\"method\": {\"hold\": \"lagrange\", \"order\": 0, \"feedthrough\": \"%s\", \"solver\": \"exact\",\n"
              "\"step\": {\"control\": \"fixed\", \"size\": %s}},\n"
              "\"metrics\": [\"monitor_final\", \"monitor_max\", \"steps\"]}\n",
              harness_csv_text(csv, row, "t_end"), *v0 ? "\"v0\": " : "", v0, harness_csv_text(csv, row, "feedthrough"),
              harness_csv_text(csv, row, "H"));
  cr_assert(!path.failed && !sweep.failed);
  harness_load_engine(harness, sweep.data, engine);
  harness_run(harness);
  cs_text_free(&path);
  cs_text_free(&sweep);
  free(monitored);
  free(model);
}

static void compare_row(struct harness *harness, const struct harness_csv *csv, size_t row, const char *engine,
                        struct harness_check *check) {
  const struct network *network = find_network(harness_csv_text(csv, row, "model"));
  run_row(harness, csv, row, false, engine);
  const char *const columns[] = {"monitor_final", "monitor_max", "steps"};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    const char *signal = strcmp(columns[i], "steps") == 0 ? NULL : network->monitor;
    if (cs_table_find(harness->table, columns[i]) != NULL) { /* no maxima by doubling */
      harness_compare(check, harness_value(harness->table, columns[i], NULL, signal),
                      harness_csv_number(csv, row, columns[i]), 0, tolerance, "%s, row %zu: %s", engine, row + 1,
                      columns[i]);
    }
  }
  run_row(harness, csv, row, true, engine);
  for (size_t i = 0; i < 3 && network->states[i] != NULL; i++) {
    harness_compare(check, harness_value(harness->table, "monitor_final", NULL, network->states[i]),
                    harness_csv_number(csv, row, state_columns[i]), 0, tolerance, "%s, row %zu: %s", engine, row + 1,
                    state_columns[i]);
  }
}

Test(kyllingstad, fixed_step_discrepancies_and_states) {
  struct harness harness;
  struct harness_csv csv;
  struct harness_check check = {0};
  harness_csv_load("tests/data/kyllingstad_fixed.csv", &csv);
  harness_open(&harness);
  for (size_t row = 0; row < csv.rows; row++) {
    compare_row(&harness, &csv, row, "step", &check);
    compare_row(&harness, &csv, row, "double", &check);
  }
  harness_finish(&check, "kyllingstad, step and double");
  harness_close(&harness);
  harness_csv_free(&csv);
}

/* The two numbers of docs/methods.md section 9 from the sweep as shipped. */
Test(kyllingstad, shipped_sweep_gives_the_published_discrepancies) {
  struct harness harness;
  struct harness_check check = {0};
  static const double want[] = {2.3190348976894555e-05, 0.050037885944355494};
  harness_open(&harness);
  char *path = harness_source_path("sweeps/kyllingstad_oscillator.json");
  harness_load_file(&harness, path);
  harness_run(&harness);
  for (size_t v0 = 0; v0 < 2; v0++) {
    harness_compare(&check, harness_value(harness.table, "monitor_final", &v0, "dx"), want[v0], 0, tolerance,
                    "dx(15), v0 = %zu", v0);
  }
  harness_finish(&check, "kyllingstad as shipped");
  harness_close(&harness);
  free(path);
}
