/* The fixed-step runs of Kyllingstad 2025 (tests/data/kyllingstad_fixed.csv): the monitored discrepancies within
 * 1e-12 absolute, final states through monitors of their own; and the sweeps that reproduce the paper. */
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
  for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
    if (strcmp(networks[i].name, name) == 0) return &networks[i];
  cr_assert_fail("no network %s", name);
  return NULL;
}

/* The model up to its events, which stand last: with one, no run is doubled. */
static void drop_events(char *model) {
  static const char end[] = "\n}\n";
  char *events = strstr(model, ",\n  \"events\"");
  if (events != NULL) memcpy(events, end, sizeof end);
}

/* Runs the model of a row, without events, with its own monitors, or with one monitor per state. */
static void run_row(struct harness *harness, const struct harness_csv *csv, size_t row, bool states,
                    const char *engine) {
  struct cs_text path = {0}, sweep = {0};
  const char *v0 = harness_csv_text(csv, row, "v0");
  cs_text_add(&path, "models/%s/model.json", harness_csv_text(csv, row, "model"));
  char *model = harness_read(path.data);
  drop_events(model);
  char *monitored = harness_monitor_states(model);
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

/* ---- as shipped */

/* The four numbers of docs/methods.md section 11, which the flow predicts exactly. */
Test(kyllingstad, shipped_oscillator_gives_the_published_discrepancies) {
  static const double want[2][2] = {{2.3190348976894555e-05, 0.050037885944355494},
                                    {0.0098857720277233489, 0.021224533063830157}};
  static const double steps[2][2] = {{150, 150}, {1809, 3052}};
  struct harness harness;
  struct harness_check check = {0};
  harness_open(&harness);
  harness_run_shipped(&harness, "kyllingstad_oscillator");
  for (size_t i = 0; i < 4; i++) {
    const size_t at[] = {i / 2, i % 2};
    const double final = harness_value(harness.table, "monitor_final", at, "dx");
    harness_compare(&check, final, want[i / 2][i % 2], 0, tolerance, "dx(15), run %zu", i);
    harness_compare(&check, harness_value(harness.table, "monitor_predicted", at, "dx"), final, 0, tolerance,
                    "predicted, run %zu", i);
    harness_compare(&check, harness_value(harness.table, "steps", at, NULL), steps[i / 2][i % 2], 0, 0,
                    "steps, run %zu", i);
  }
  harness_finish(&check, "oscillator as shipped");
  harness_close(&harness);
}

/* Every run of the sweep is a row of the table: without and with the volume added, fixed steps and steps by the flow;
 * by the flow without it the flow never reaches the threshold, and the steps are the larger fixed ones. */
Test(kyllingstad, shipped_reservoirs_give_the_rows_of_the_table) {
  static const struct {
    size_t at[2];
    const char *control, *above, *added;
  } runs[] = {{{0, 0}, "fixed", "0.01", "0"}, {{0, 1}, "fixed", "0.001", "0"}, {{0, 2}, "fixed", "0.01", "0"},
              {{1, 0}, "fixed", "0.01", "1"}, {{1, 1}, "fixed", "0.001", "1"}, {{1, 2}, "threshold", "0.001", "1"}};
  static const char *const columns[] = {"steps", "t_final", "monitor_final", "monitor_max", "monitor_predicted"};
  struct harness harness;
  struct harness_csv csv;
  struct harness_check check = {0};
  harness_csv_load("tests/data/kyllingstad_reservoirs.csv", &csv);
  harness_open(&harness);
  harness_run_shipped(&harness, "kyllingstad_reservoirs");
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    size_t row = 0;
    while (strcmp(harness_csv_text(&csv, row, "control"), runs[i].control) != 0 ||
           strcmp(harness_csv_text(&csv, row, "above"), runs[i].above) != 0 ||
           strcmp(harness_csv_text(&csv, row, "added"), runs[i].added) != 0 ||
           strcmp(harness_csv_text(&csv, row, "feedthrough"), "explicit") != 0 ||
           strcmp(harness_csv_text(&csv, row, "end"), "overshoot") == 0) {
      row++;
      cr_assert_lt(row, csv.rows, "no row for run %zu", i);
    }
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
      const char *signal = strncmp(columns[c], "monitor", 7) == 0 ? "dV" : NULL;
      harness_compare(&check, harness_value(harness.table, columns[c], runs[i].at, signal),
                      harness_csv_number(&csv, row, columns[c]), 0, c == 0 ? 0 : tolerance, "run %zu: %s", i,
                      columns[c]);
    }
  }
  harness_finish(&check, "reservoirs as shipped");
  harness_close(&harness);
  harness_csv_free(&csv);
}

/* Table 1 is among the settings; and a step that may not shrink stays at its largest, whatever else is set. */
Test(kyllingstad, shipped_controllers_hold_the_paper_s_own_and_fixed_steps) {
  enum { EACH = 10, SHRINK = 1, TOLERANCE = 6 };
  const size_t paper[] = {EACH - 1, EACH - 1, SHRINK, TOLERANCE};
  struct harness harness;
  struct harness_check check = {0};
  harness_open(&harness);
  harness_run_shipped(&harness, "kyllingstad_controllers");
  cr_expect_eq(harness.sweep->runs, 10000);
  harness_compare(&check, harness_value(harness.table, "monitor_final", paper, "dx"), 0.0098857720277233489, 0,
                  tolerance, "dx(15) of Table 1");
  harness_compare(&check, harness_value(harness.table, "steps", paper, NULL), 1809, 0, 0, "steps of Table 1");
  for (size_t run = 0; run < harness.sweep->runs; run++) {
    const size_t at[] = {run / 1000, run / 100 % EACH, run / EACH % EACH, run % EACH};
    const double final = harness_value(harness.table, "monitor_final", at, "dx");
    if (at[2] == EACH - 1) {
      harness_compare(&check, final, 2.3190348976894555e-05, 0, tolerance, "dx(15), run %zu", run);
      harness_compare(&check, harness_value(harness.table, "steps", at, NULL), 150, 0, 0, "steps, run %zu", run);
    }
    harness_compare(&check, harness_value(harness.table, "monitor_predicted", at, "dx"), final, 0, tolerance,
                    "predicted, run %zu", run);
  }
  harness_finish(&check, "controllers as shipped");
  harness_close(&harness);
}
