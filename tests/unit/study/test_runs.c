/* What the dimensions of a result are, from the sweep in its provenance. */
#include "runs.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>

#include "digest_case.h"

static struct cs_error error;
static struct cs_table *table;
static struct cs_runs runs;

/* A table of one axis of two values, "a", over which the runs and all arrays of `names` lie; `axis`: its entry. */
static void open_one(const char *axis, const char *const *names) {
  const double values[] = {0, 1};
  char sweep[512];
  size_t a;
  snprintf(sweep, sizeof sweep, "{\"axes\": [{\"name\": \"a\", %s}]}", axis);
  table = cs_table_new("", "", "");
  digest_case_note(table, "sweep", sweep);
  cs_table_add_dimension(table, "a", "1", "", 2, values, NULL, &a, &error);
  cs_table_add_array(table, "status", "1", "", CS_UINT8, 1, &a, NULL, &error);
  for (; names != NULL && *names != NULL; names++)
    cs_table_add_array(table, *names, "1", "", CS_FLOAT64, 1, &a, NULL, &error);
  cr_assert_eq(cs_runs_open(table, &runs, &error), CS_OK, "%s", error.message);
}

static void close_one(void) {
  cs_runs_close(&runs);
  cs_table_free(table);
}

/* docs/formats.md section 5: what --rank makes of an axis, and what figures do. */
Test(runs, what_paths_are) {
  static const struct {
    const char *axis, *paths;
    enum cs_nature nature;
    enum cs_role role;
  } row[] = {
      {"\"path\": \"method.step.size\"", "method.step.size", CS_NATURE_STEP, CS_ROLE_KNOB},
      {"\"path\": \"method.step.kp\"", "method.step.kp", CS_NATURE_NUMBER, CS_ROLE_KNOB},
      {"\"path\": \"method.step.bonds\"", "method.step.bonds", CS_NATURE_NUMBER, CS_ROLE_COMBINATION},
      {"\"path\": \"method.subsystems.b.tolerance\"", "method.subsystems.b.tolerance", CS_NATURE_STEP, CS_ROLE_KNOB},
      {"\"path\": \"method.order\"", "method.order", CS_NATURE_ORDER, CS_ROLE_COMBINATION},
      {"\"path\": \"parameters.order\"", "parameters.order", CS_NATURE_ORDER, CS_ROLE_CASE},
      {"\"path\": \"parameters.k\"", "parameters.k", CS_NATURE_NUMBER, CS_ROLE_CASE},
      {"\"path\": \"t_end\"", "t_end", CS_NATURE_NUMBER, CS_ROLE_CASE},
      {"\"path\": \"method.error_at\"", "method.error_at", CS_NATURE_NUMBER, CS_ROLE_CASE},
      {"\"paths\": [\"method.step.size\", \"t_end\"]", "method.step.size, t_end", CS_NATURE_STEP, CS_ROLE_CASE},
      {"\"zip\": {\"method.step.size\": [], \"method.hold\": []}", "method.step.size, method.hold", CS_NATURE_WORD,
       CS_ROLE_COMBINATION},
      {"\"path\": 3", "", CS_NATURE_NUMBER, CS_ROLE_COMBINATION},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    open_one(row[i].axis, NULL);
    const struct cs_runs_dimension *about = cs_runs_about(&runs, 0);
    cr_expect_str_eq(about->paths, row[i].paths);
    cr_expect_eq(about->nature, row[i].nature, "%s: %d", row[i].axis, (int)about->nature);
    cr_expect_eq(about->role, row[i].role, "%s: %d", row[i].axis, (int)about->role);
    close_one();
  }
}

static void expect_settings(const char *axis, const char *const *want) {
  static const char *const names[] = {"a_size", "a_hold", "a_used", "a_min", "b_hold", NULL};
  size_t found = 0;
  open_one(axis, names);
  for (size_t i = 0; i < table->arrays; i++) {
    const char *name = cs_runs_setting(&runs, 0, &table->array[i]);
    if (name == NULL) continue;
    cr_assert(want[found] != NULL, "%s of %s", name, axis);
    cr_expect_str_eq(name, want[found++]);
  }
  cr_expect(want[found] == NULL, "%s lacks %s", axis, want[found]);
  close_one();
}

/* Settings that move together, one alone too; nothing else that begins with the name of the axis. */
Test(runs, settings_that_move_together) {
  expect_settings("\"zip\": {\"method.step.size\": [], \"method.hold\": []}",
                  (const char *const[]){"size", "hold", NULL});
  expect_settings("\"zip\": {\"method.hold\": []}", (const char *const[]){"hold", NULL});
  expect_settings("\"paths\": [\"method.step.size\", \"method.hold\"]", (const char *const[]){NULL});
}

/* Of two axes and signals; the last axis is the fastest. */
Test(runs, positions) {
  table = digest_case_result();
  cr_assert_eq(cs_runs_open(table, &runs, &error), CS_OK, "%s", error.message);
  for (size_t run = 0; run < RUNS; run++) {
    cr_expect_eq(cs_runs_position(&runs, run, 0), run / SIZES);
    cr_expect_eq(cs_runs_position(&runs, run, 1), run % SIZES);
  }
  cr_expect_str_eq(cs_runs_axis(&runs, 1)->name, "H");
  cr_expect_eq(runs.dimension[2].nature, CS_NATURE_SIGNAL);
  close_one();
}

Test(runs, of_a_foreign_file) {
  table = cs_table_new("", "", "");
  cr_expect_eq(cs_runs_open(table, &runs, &error), CS_OK, "nothing is needed to open it");
  cr_expect_eq(cs_runs_check(&runs, &error), CS_IO);
  close_one();
  table = cs_table_new("", "", "");
  digest_case_note(table, "sweep", "no JSON");
  cr_expect_eq(cs_runs_open(table, &runs, &error), CS_IO);
  close_one();
}
