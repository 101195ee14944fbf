/* Going on from journals whose records hold together, but not with the plan. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "course.h"
#include "engine_case.h"
#include "farm.h"
#include "harness.h"
#include "journal.h"
#include "sizing.h"

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

/* ---- numbers that make no sense ---------------------------------------------------------------------------------- */

#define HEAD "{\"format\": \"cosweep-sweep/1\", \"name\": \"r\", \"model\": \"model.json\", "

enum which { FIXED, VARIED, EVENTS, STABILITY, SWEEPS };

static void load(enum which which) {
  static const struct {
    const char *model, *sweep;
  } of[SWEEPS] = {
      {"two_mass_oscillator",
       HEAD "\"t_end\": 10, \"method\": {\"hold\": \"lagrange\", \"engine\": \"double\"}, \"axes\": [{\"name\": "
            "\"H\", \"path\": \"method.step.size\", \"values\": [0.01, 0.1]}], \"metrics\": [\"output_error\"]}"},
      {"two_mass_oscillator",
       HEAD "\"t_end\": 1, \"method\": {\"step\": {\"control\": \"pi_defect\", \"initial\": 0.05}}, "
            "\"axes\": [{\"name\": \"tol\", \"path\": \"method.step.tolerance\", \"values\": [1e-3, 1e-2]}], "
            "\"metrics\": [\"output_error\", \"output_error_max\", \"steps\"]}"},
      {"thermostat", HEAD "\"t_end\": 7200, \"method\": {\"events\": {\"window\": 300, \"table\": 4}}, "
                          "\"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [60, 300]}], "
                          "\"metrics\": [\"output_error\", \"events\", \"event_kind\"]}"},
      {"two_mass_oscillator",
       HEAD "\"study\": \"stability\", \"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": "
            "[0.1, 1]}]}"}};
  char path[64];
  snprintf(path, sizeof path, "models/%s/model.json", of[which].model);
  engine_case_model(&harness, path);
  harness_load(&harness, of[which].sweep);
}

/* Where a number is in the state of the sweep's first run. */
enum place { SUM, TOP, DIVERGED, GROWTH, STATUS, STEPS, REJECTED, TIME, MOST, LATE, KIND, PAIRS, RADIUS, FAILED, WAY };

static size_t place_of(const struct cs_layout *l, enum place place) {
  const struct cs_layout_state *s = &l->state;
  switch (place) {
    case SUM:
      return s->sums;
    case TOP:
      return s->tops;
    case DIVERGED:
      return s->diverged;
    case GROWTH:
      return s->growth;
    case STATUS:
      return s->vary + CS_VARY_STATUS;
    case STEPS:
      return s->vary + CS_VARY_STEPS;
    case REJECTED:
      return s->vary + CS_VARY_REJECTED;
    case TIME:
      return s->vary + CS_VARY_TIME;
    case MOST:
      return s->vary + CS_VARY_MOST;
    case LATE:
      return s->course + cs_course_place(l, CS_COURSE_LATE);
    case KIND:
      return s->course + cs_course_place(l, CS_COURSE_KINDS);
    case PAIRS:
      return s->course + cs_course_place(l, CS_COURSE_PAIRS);
    case RADIUS:
      return CS_SPECTRUM_RADIUS;
    case FAILED:
      return CS_SPECTRUM_FAILED;
    case WAY:
      return 0;
  }
  return 0;
}

static const struct {
  enum which sweep;
  enum place place;
  double value;
  const char *wrong; /* NULL: it could be */
} numbers_of_states[] = {
    {VARIED, STATUS, 12, "status 12"},
    {VARIED, STATUS, -1, "status -1"},
    {VARIED, STATUS, 1000, "status 1000"},
    {VARIED, STATUS, 0.5, "status 0.5"},
    {VARIED, STATUS, NAN, "status nan"},
    {VARIED, STATUS, CS_STATUS_EVENT_LIMIT, "status 5"}, /* without events */
    {VARIED, STATUS, CS_STATUS_SKIPPED, "status 6"},
    {VARIED, STATUS, CS_STATUS_STEP_LIMIT, NULL},
    {VARIED, STATUS, CS_AGAIN_STIFF, NULL},
    {VARIED, STEPS, 0.5, "steps 0.5"},
    {VARIED, STEPS, 1e300, "steps 1e+300"},
    {VARIED, STEPS, 7, NULL},
    {VARIED, REJECTED, -1, "rejected steps -1"},
    {VARIED, TIME, 1000, "time 1000"},
    {VARIED, TIME, 0.5, "time 0.5"}, /* of a run that has reached its end, 1 */
    {VARIED, MOST, 5, "step size 5"},
    {VARIED, SUM, -1, "sum of squares -1"},
    {VARIED, SUM, NAN, NULL},
    {VARIED, SUM, 1000, NULL},
    {VARIED, TOP, -1, "maximum -1"},
    {VARIED, GROWTH, -1, "growth -1"},
    {VARIED, WAY, 2, "way 2"},
    {VARIED, WAY, 0, "way 0"},
    {VARIED, WAY, 50, "way 50"},
    {EVENTS, STATUS, CS_STATUS_EVENT_LIMIT, NULL},
    {EVENTS, STATUS, CS_AGAIN_STIFF, "status 100"},
    {EVENTS, LATE, 1.5, "late events 1.5"},
    {EVENTS, LATE, NAN, "late events nan"},
    {EVENTS, PAIRS, -1, "pairs of events -1"},
    {EVENTS, KIND, 1e9, "event 1000000000"},
    {EVENTS, KIND, -2, "event -2"},
    {EVENTS, KIND, 1, NULL},
    {FIXED, DIVERGED, -1, "step of divergence -1"},
    {FIXED, DIVERGED, 0.5, "step of divergence 0.5"},
    {FIXED, DIVERGED, 1001, "step of divergence 1001"}, /* of 1000 */
    {FIXED, DIVERGED, 1000, NULL},
    {FIXED, SUM, -1e-300, "sum of squares -1e-300"},
    {FIXED, WAY, 1, NULL},
    {FIXED, WAY, 3, "way 3"},
    {STABILITY, RADIUS, -1, "spectral radius -1"},
    {STABILITY, RADIUS, NAN, NULL},
    {STABILITY, FAILED, 0.5, "failure 0.5"},
    {STABILITY, FAILED, 1, NULL},
    {STABILITY, WAY, 2, "way 2"},
};

struct copying {
  const struct cs_layout *layout; /* NULL: all as it is */
  size_t row;                     /* of numbers_of_states */
  struct cs_journal *to;
};

/* The first run with another number. */
static int copy(void *context, const struct cs_journal_entry *entry, const double *numbers, struct cs_error *why) {
  const struct copying *c = context;
  struct cs_journal_entry changed = *entry;
  double state[400];
  (void)why;
  cr_assert(entry->items <= sizeof state / sizeof *state);
  memcpy(state, numbers, entry->items * sizeof *numbers);
  if (entry->run == 0 && numbers_of_states[c->row].place == WAY)
    changed.way = (uint16_t)numbers_of_states[c->row].value;
  else if (entry->run == 0)
    state[place_of(c->layout, numbers_of_states[c->row].place)] = numbers_of_states[c->row].value;
  cs_journal_add(c->to, &changed, state, 1);
  return CS_OK;
}

static struct cs_journal *new_journal(const char *name) {
  char path[HARNESS_FILES_PATH + 16];
  struct cs_journal *journal = NULL;
  snprintf(path, sizeof path, "%s/%s", harness.directory, name);
  const struct cs_journal_setup setup = {.path = path, .plan = "plan", .session = "{}", .fresh = true};
  cr_assert_eq(cs_journal_open(&setup, &journal, &error), CS_OK, "%s", error.message);
  return journal;
}

static struct cs_journal *reopen(struct cs_journal *journal) {
  char path[HARNESS_FILES_PATH + 16];
  struct cs_journal *again = NULL;
  snprintf(path, sizeof path, "%s", cs_journal_path(journal));
  cr_assert_eq(cs_journal_sync(journal, true, &error), CS_OK, "%s", error.message);
  cs_journal_close(journal, false);
  cr_assert_eq(cs_journal_read(path, "plan", &again, &error), CS_OK, "%s", error.message);
  return again;
}

static int run_from(struct cs_journal *journal, bool whole, struct cs_table **table) {
  struct cs_engine_options options = {.journals = 1};
  options.journal = &journal;
  if (whole) options.shards = 1;
  return cs_engine_run(harness.sweep, harness.device, &options, table, NULL, &error);
}

/* That of the loaded sweep. */
static struct cs_plan *new_plan(void) {
  const struct cs_device_info *info = cs_device_info(harness.device);
  struct cs_plan *plan = NULL;
  cr_assert_eq(cs_sizing_plan(harness.sweep, &info, 1, &(struct cs_engine_options){0}, &plan, &error), CS_OK);
  return plan;
}

Test(resume, numbers_that_no_kernel_gives_are_refused) {
  enum which loaded = SWEEPS;
  struct cs_journal *all = NULL;
  struct cs_plan *plan = NULL;
  struct cs_table *table = NULL;
  harness_open(&harness);
  for (size_t row = 0; row < sizeof numbers_of_states / sizeof *numbers_of_states; row++) {
    const enum which which = numbers_of_states[row].sweep;
    const char *wrong = numbers_of_states[row].wrong;
    if (which != loaded) {
      cs_journal_close(all, false);
      cs_plan_free(plan);
      load(which);
      all = new_journal("all");
      cr_assert_eq(run_from(all, false, &table), CS_OK, "%s", error.message);
      cs_table_free(table);
      all = reopen(all);
      cr_assert_eq(cs_journal_found(all, CS_PASS_RUNS), 2);
      plan = new_plan();
      loaded = which;
    }
    struct copying copying = {plan->variant[plan->run[0].variant], row, new_journal("changed")};
    cr_assert_eq(cs_journal_replay(all, CS_PASS_RUNS, 0, 2, copy, &copying, &error), CS_OK);
    struct cs_journal *changed = reopen(copying.to);
    const int code = run_from(changed, wrong != NULL, &table);
    char want[HARNESS_FILES_PATH + 160];
    snprintf(want, sizeof want, "%s/changed: run 0 has %s, which no kernel gives; want --fresh, or it moved away",
             harness.directory, wrong != NULL ? wrong : "");
    cr_expect_eq(code, wrong != NULL ? CS_IO : CS_OK, "row %zu: %s", row, error.message);
    if (wrong != NULL) cr_expect_str_eq(error.message, want, "row %zu", row);
    cs_table_free(table);
    cs_journal_close(changed, false);
  }
  cs_journal_close(all, false);
  cs_plan_free(plan);
  harness_close(&harness);
}

/* A run that was not to be repeated. */
Test(resume, runs_that_are_not_repeated_are_refused) {
  double numbers[400] = {0};
  struct cs_table *table = NULL;
  harness_open(&harness);
  load(VARIED);
  struct cs_plan *plan = new_plan();
  const struct cs_layout *l = plan->variant[plan->run[0].variant];
  struct cs_journal *journal = new_journal("again");
  numbers[l->state.vary + CS_VARY_STATUS] = CS_AGAIN_STIFF;
  numbers[l->state.growth] = 1;
  struct cs_journal_entry entry = {0, CS_PASS_RUNS, 1, (uint32_t)l->state.items};
  cs_journal_add(journal, &entry, numbers, 1);
  numbers[l->state.vary + CS_VARY_STATUS] = CS_STATUS_STEP_LIMIT;
  entry.pass = CS_PASS_AGAIN;
  entry.run = 1;
  cs_journal_add(journal, &entry, numbers, 1);
  journal = reopen(journal);
  cr_expect_eq(run_from(journal, false, &table), CS_IO);
  cr_expect_not_null(strstr(error.message, "/again: has run 1, which is none that is computed"), "%s", error.message);
  cs_journal_close(journal, false);
  cs_plan_free(plan);
  cs_table_free(table);
  harness_close(&harness);
}

Test(resume, points_that_make_no_sense_are_refused) {
  static const struct {
    uint32_t items;
    double radius;
    const char *wrong; /* NULL: it could be, but is of another place */
  } row[] = {{3, -1.0, "point 0 has spectral radius -1"},
             {3, INFINITY, "point 0 has spectral radius inf"},
             {2, 0.5, "point 0 has 2 numbers"},
             {3, NAN, NULL}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const struct cs_journal_entry entry = {.pass = CS_PASS_POINTS, .way = 1, .items = row[i].items};
    const double numbers[] = {1.0, 0.0, row[i].radius};
    struct cs_table *table = NULL;
    load_boundary();
    cr_expect_eq(run_with(&entry, numbers, &table), row[i].wrong != NULL ? CS_IO : CS_OK, "%zu: %s", i, error.message);
    if (row[i].wrong != NULL) cr_expect_not_null(strstr(error.message, row[i].wrong), "%s", error.message);
    cs_table_free(table);
    harness_close(&harness);
  }
}

/* ---- results of other ranks -------------------------------------------------------------------------------------- */

/* A farm of two ranks, the other one of which sends a result and leaves all tiles to this one. */
static struct {
  struct cs_farm farm;
  struct cs_farm_result result;
  double *numbers;
  struct cs_farm_receiver receiver;
  long next, last;
  int code;
  struct cs_error error;
} other;

static int share(struct cs_farm *farm, void *data, size_t bytes, struct cs_error *why) {
  (void)farm, (void)data, (void)bytes, (void)why;
  return CS_OK;
}

static int begin(struct cs_farm *farm, size_t first, size_t last, const struct cs_farm_receiver *receiver,
                 struct cs_error *why) {
  (void)farm, (void)why;
  other.next = (long)first;
  other.last = (long)last;
  other.code = receiver->enter(receiver->context, &other.result, other.numbers, &other.error);
  return CS_OK;
}

static long take(struct cs_farm *farm) {
  (void)farm;
  return other.next < other.last ? other.next++ : CS_FARM_NONE;
}

static int end(struct cs_farm *farm, int code, struct cs_error *why) {
  (void)farm, (void)why;
  return code;
}

Test(resume, results_of_ranks_that_make_no_sense_are_refused) {
  static const struct {
    uint64_t run;
    uint32_t way, more; /* more numbers than there are */
    double status;
    const char *wrong;
  } row[] = {{0, 1, 0, 12, "run 0 has status 12, which no kernel gives"},
             {0, 7, 0, CS_STATUS_STEP_LIMIT, "run 0 has way 7, which no kernel gives"},
             {1, 1, 3, CS_STATUS_STEP_LIMIT, "has sent run 1, which is none that is left to compute"},
             {UINT64_MAX, 1, 0, CS_STATUS_STEP_LIMIT, "has sent run 18446744073709551615, which is none that"},
             {1, 1, 0, CS_STATUS_STEP_LIMIT, NULL}};
  double numbers[400] = {0};
  harness_open(&harness);
  load(VARIED);
  struct cs_plan *plan = new_plan();
  const struct cs_layout *l = plan->variant[plan->run[0].variant];
  other.farm = (struct cs_farm){.ranks = 2, .neighbours = 1, .share = share, .begin = begin, .take = take, .end = end};
  other.numbers = numbers;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_table *table = NULL;
    const struct cs_engine_options options = {.farm = &other.farm};
    numbers[l->state.vary + CS_VARY_STATUS] = row[i].status;
    other.result = (struct cs_farm_result){row[i].run, row[i].way, (uint32_t)l->state.items + row[i].more};
    cr_expect_eq(cs_engine_run(harness.sweep, harness.device, &options, &table, NULL, &error), CS_OK, "%s",
                 error.message);
    cr_expect_eq(other.code, row[i].wrong != NULL ? CS_IO : CS_OK, "row %zu", i);
    if (row[i].wrong != NULL)
      cr_expect_not_null(strstr(other.error.message, row[i].wrong), "row %zu: %s", i, other.error.message);
    cs_table_free(table);
  }
  cs_plan_free(plan);
  harness_close(&harness);
}
