/* Going on from journals whose records hold together, but not with the plan. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "engine_case.h"
#include "harness.h"
#include "journal.h"

static struct harness harness;
static struct cs_error error;

static struct cs_journal *open_journal(void) {
  char path[HARNESS_FILES_PATH + 16];
  struct cs_journal *journal = NULL;
  snprintf(path, sizeof path, "%s/j", harness.directory);
  const struct cs_journal_setup setup = {.path = path, .plan = "plan", .session = "{}", .seconds = 0.0};
  cr_assert_eq(cs_journal_open(&setup, &journal, &error), CS_OK, "%s", error.message);
  return journal;
}

/* Begins a journal with one entry, and runs the sweep with it. */
static int run_with(const struct cs_journal_entry *entry, const double *numbers, struct cs_table **table) {
  struct cs_journal *journal = open_journal();
  cs_journal_add(journal, entry, numbers, 1);
  cr_assert_eq(cs_journal_sync(journal, true, &error), CS_OK, "%s", error.message);
  cs_journal_close(journal, false);
  journal = open_journal();
  cr_assert_eq(cs_journal_found(journal, entry->pass), 1);
  struct cs_engine_options options = {.journals = 1};
  options.journal = &journal;
  const int code = cs_engine_run(harness.sweep, harness.device, &options, table, NULL, &error);
  cs_journal_close(journal, true);
  return code;
}

static void load_boundary(void) {
  harness_open(&harness);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_load(
      &harness,
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"r\", \"model\": \"model.json\", \"study\": \"stability\", "
      "\"boundary\": {\"along\": \"H\"}, \"method\": {\"hold\": \"lagrange\", \"order\": 1}, "
      "\"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.01, 20, 9]}]}");
}

Test(resume, numbers_of_points_are_bounded) {
  const struct cs_journal_entry entry = {.run = 1 << 29, .pass = CS_PASS_POINTS, .items = 3};
  const double numbers[] = {1.0, 0.0, 0.5};
  struct cs_table *table = NULL;
  load_boundary();
#if !defined(__SANITIZE_ADDRESS__)                   /* which reserves terabytes of addresses */
  const struct rlimit room = {4UL << 30, 4UL << 30}; /* 2^29 points would take eight times as much */
  cr_assert_eq(setrlimit(RLIMIT_AS, &room), 0);
#endif
  cr_expect_eq(run_with(&entry, numbers, &table), CS_OK, "%s", error.message);
  const struct cs_array *limit = table != NULL ? cs_table_find(table, "H_crossing_count") : NULL;
  cr_expect(limit != NULL && limit->data.int64[0] > 0, "no boundary was found");
  cs_table_free(table);
  harness_close(&harness);
}

Test(resume, a_run_that_the_sweep_has_not_is_refused) {
  const struct cs_journal_entry entry = {.run = 9, .pass = CS_PASS_RUNS, .items = 1};
  const double number = 1.0;
  struct cs_table *table = NULL;
  load_boundary();
  cr_expect_eq(run_with(&entry, &number, &table), CS_IO);
  cr_expect_not_null(strstr(error.message, "/j: has run 9, which is none that is computed"), "%s", error.message);
  cr_expect_null(table);
  harness_close(&harness);
}
