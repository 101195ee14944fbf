/* The fixed-step study of Glumac and Kovačić 2023 against 40-digit reference values: every order pair, feed-through,
 * start and solver of tests/data/glumac_fixed_step.csv and glumac_fixed_step_more.csv in one sweep, and the orders
 * fitted by the program.
 *
 * Tolerance: 1e-11 relative throughout. Floors are below anything the method gives: 1e-24 for exact subsystems; 1e-14
 * for euler, whose zeros (output defects with output_order >= 1) are differences of rounded numbers. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static const char *const tables[] = {"tests/data/glumac_fixed_step.csv", "tests/data/glumac_fixed_step_more.csv"};
enum { TABLES = sizeof tables / sizeof *tables };

/* Distinct texts in order of appearance; an index is a position along an axis. */
struct list {
  size_t count;
  const char *text[128];
};

static size_t list_index(struct list *list, const char *text) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->text[i], text) == 0) return i;
  cr_assert_lt(list->count, sizeof list->text / sizeof *list->text);
  list->text[list->count] = text;
  return list->count++;
}

/* ---- all rows of both tables */

/* The settings that one row names, and the paths of the zip axis they go to. */
static const struct {
  const char *column, *path;
  bool word;
} settings[] = {{"feedthrough", "method.feedthrough", true},
                {"start", "method.start", true},
                {"solver", "method.solver", true},
                {"input_order", "method.input_order", false},
                {"output_order", "method.output_order", false}};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Position of a row's settings among the distinct ones, given by their first rows. */
struct variants {
  size_t count;
  const struct harness_csv *csv[128];
  size_t row[128];
};

static size_t variant_index(struct variants *variants, const struct harness_csv *csv, size_t row) {
  for (size_t i = 0; i < variants->count; i++) {
    size_t equal = 0;
    for (size_t j = 0; j < SETTINGS; j++) {
      equal += strcmp(harness_csv_text(variants->csv[i], variants->row[i], settings[j].column),
                      harness_csv_text(csv, row, settings[j].column)) == 0;
    }
    if (equal == SETTINGS) return i;
  }
  cr_assert_lt(variants->count, sizeof variants->row / sizeof *variants->row);
  variants->csv[variants->count] = csv;
  variants->row[variants->count] = row;
  return variants->count++;
}

/* One sweep for everything: a zip axis of settings, and the step sizes as the tables print them. */
static char *write_sweep(const char *engine, const struct variants *variants, const struct list *sizes) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"glumac\", \"model\": \"model.json\",\n"
              "\"study\": \"simulation\",\n"
              "\"t_end\": 1, \"method\": {\"hold\": \"taylor\", \"error_at\": \"continuous\", \"engine\": \"%s\"},\n"
              "\"metrics\": [\"output_defect\", \"connection_defect\", \"output_error\", \"steps\"],\n"
              "\"axes\": [{\"name\": \"settings\", \"zip\": {",
              engine);
  for (size_t j = 0; j < SETTINGS; j++) {
    const char *quote = settings[j].word ? "\"" : "";
    cs_text_add(&text, "%s\n\"%s\": [", j ? "," : "", settings[j].path);
    for (size_t i = 0; i < variants->count; i++) {
      cs_text_add(&text, "%s%s%s%s", i ? ", " : "", quote,
                  harness_csv_text(variants->csv[i], variants->row[i], settings[j].column), quote);
    }
    cs_text_add(&text, "]");
  }
  cs_text_add(&text, "}},\n{\"name\": \"H\", \"path\": \"method.step.size\", \"unit\": \"s\", \"values\": [");
  for (size_t i = 0; i < sizes->count; i++)
    cs_text_add(&text, "%s%s", i ? ", " : "", sizes->text[i]);
  cs_text_add(&text, "]}]}\n");
  cr_assert(!text.failed);
  return text.data;
}

/* Runs a sweep over the shipped two-mass model. */
static void run_two_mass(struct harness *harness, const char *sweep) {
  char *model = harness_read("models/two_mass_oscillator/model.json");
  harness_open(harness);
  harness_write(harness, "model.json", model);
  harness_load(harness, sweep);
  harness_run(harness);
  free(model);
}

static void compare_row(const struct harness *harness, const struct harness_csv *csv, size_t row, const size_t *index,
                        struct harness_check *check) {
  const char *metric = harness_csv_text(csv, row, "metric"), *signal = harness_csv_text(csv, row, "signal");
  const char *solver = harness_csv_text(csv, row, "solver");
  double floor = strcmp(solver, "euler") == 0 ? 1e-14 : 1e-24;
  char run[160];
  snprintf(run, sizeof run, "%s %s %s, orders %s and %s, H = %s", harness_csv_text(csv, row, "feedthrough"),
           harness_csv_text(csv, row, "start"), solver, harness_csv_text(csv, row, "input_order"),
           harness_csv_text(csv, row, "output_order"), harness_csv_text(csv, row, "H"));
  harness_compare(check, harness_value(harness->table, metric, index, signal), harness_csv_number(csv, row, "value"),
                  1e-11, floor, "%s: %s of %s", run, metric, signal);
  harness_compare(check, harness_value(harness->table, "steps", index, NULL), harness_csv_number(csv, row, "steps"), 0,
                  0, "%s: steps", run);
}

/* Every value of the first `count` tables. */
static void compare_tables(const char *engine, size_t count, const char *title) {
  struct harness harness;
  struct harness_csv csv[TABLES];
  struct harness_check check = {0};
  struct variants variants = {0};
  struct list sizes = {0};
  for (size_t t = 0; t < count; t++) {
    harness_csv_load(tables[t], &csv[t]);
    for (size_t row = 0; row < csv[t].rows; row++) {
      variant_index(&variants, &csv[t], row);
      list_index(&sizes, harness_csv_text(&csv[t], row, "H"));
    }
  }
  char *sweep = write_sweep(engine, &variants, &sizes);
  run_two_mass(&harness, sweep);
  for (size_t t = 0; t < count; t++) {
    for (size_t row = 0; row < csv[t].rows; row++) {
      size_t index[] = {variant_index(&variants, &csv[t], row),
                        list_index(&sizes, harness_csv_text(&csv[t], row, "H"))};
      compare_row(&harness, &csv[t], row, index, &check);
    }
  }
  harness_finish(&check, title);
  harness_close(&harness);
  free(sweep);
  for (size_t t = 0; t < count; t++)
    harness_csv_free(&csv[t]);
}

Test(glumac, every_value_of_the_tables_by_stepping) {
  compare_tables("step", TABLES, "glumac tables, step");
}

/* The first table: the pairs of equal orders with every feed-through, start and solver, and the unequal ones of the
 * figures; up to 1000 steps. */
Test(glumac, every_value_of_the_first_table_by_doubling) {
  compare_tables("double", 1, "glumac table, double");
}

/* ---- orders */

static const char orders_sweep[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"orders\", \"model\": \"model.json\", \"study\": \"simulation\",\n"
    "\"t_end\": 1, \"method\": {\"hold\": \"taylor\", \"feedthrough\": \"explicit\", \"start\": \"consistent\",\n"
    "\"solver\": \"%s\", \"engine\": \"%s\"}, \"metrics\": [\"output_defect\", \"connection_defect\", "
    "\"output_error\"],\n"
    "\"axes\": [{\"name\": \"m\", \"path\": \"method.input_order\", \"values\": [0, 1, 2, 3]},\n"
    "{\"name\": \"n\", \"path\": \"method.output_order\", \"values\": [0, 1, 2, 3]},\n"
    "{\"name\": \"H\", \"path\": \"method.step.size\", \"unit\": \"s\",\n"
    "\"values\": [0.00048828125, 0.0009765625, 0.001953125, 0.00390625, 0.0078125, 0.015625, 0.03125, 0.0625]}],\n"
    "\"fits\": [{\"along\": \"H\"}]}\n";

static void run_orders(struct harness *harness, const char *solver, const char *engine) {
  struct cs_text text = {0};
  cs_text_add(&text, orders_sweep, solver, engine);
  cr_assert(!text.failed);
  run_two_mass(harness, text.data);
  cs_text_free(&text);
}

static void compare_orders(const struct harness *harness, const size_t *index, const char *metric, double want,
                           const char *const *signals, struct harness_check *check) {
  char name[64];
  snprintf(name, sizeof name, "%s_order", metric);
  for (size_t i = 0; i < 2; i++) {
    harness_compare(check, harness_value(harness->table, name, index, signals[i]), want, 0, 0.05,
                    "%s of %s, m = %zu, n = %zu", name, signals[i], index[0], index[1]);
  }
}

static const char *const outputs[] = {"oscillator1.tau1", "oscillator2.omega2"};
static const char *const inputs[] = {"oscillator1.omega2", "oscillator2.tau1"};

/* docs/methods.md section 6: output defect n + 1, connection defect and error min(m, n) + 1. By doubling. */
Test(glumac, orders_with_exact_subsystems) {
  struct harness harness;
  struct harness_check check = {0};
  run_orders(&harness, "exact", "double");
  for (size_t m = 0; m <= CS_MAX_ORDER; m++) {
    for (size_t n = 0; n <= CS_MAX_ORDER; n++) {
      const size_t index[] = {m, n};
      double coupling = (double)(m < n ? m : n) + 1;
      compare_orders(&harness, index, "output_defect", (double)n + 1, outputs, &check);
      compare_orders(&harness, index, "connection_defect", coupling, inputs, &check);
      compare_orders(&harness, index, "output_error", coupling, outputs, &check);
    }
  }
  harness_finish(&check, "orders, exact, double");
  harness_close(&harness);
}

/* The same section for euler, m = n: error 1, connection defect 2 from n = 1 on, output defect zero there (no fit). By
 * stepping. */
Test(glumac, orders_with_euler) {
  struct harness harness;
  struct harness_check check = {0};
  run_orders(&harness, "euler", "step");
  for (size_t n = 0; n <= CS_MAX_ORDER; n++) {
    const size_t index[] = {n, n};
    compare_orders(&harness, index, "connection_defect", n == 0 ? 1 : 2, inputs, &check);
    compare_orders(&harness, index, "output_error", 1, outputs, &check);
    if (n == 0) compare_orders(&harness, index, "output_defect", 1, outputs, &check);
    for (size_t i = 0; n > 0 && i < 2; i++) {
      const size_t finest[] = {n, n, 0};
      harness_compare(&check, harness_value(harness.table, "output_defect", finest, outputs[i]), 0, 0, 1e-14,
                      "output_defect of %s, n = %zu", outputs[i], n);
      cr_expect(isnan(harness_value(harness.table, "output_defect_order", index, outputs[i])));
    }
  }
  harness_finish(&check, "orders, euler, step");
  harness_close(&harness);
}
