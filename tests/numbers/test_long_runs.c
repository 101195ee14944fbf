/* Long fixed-step runs, up to 10^8 macro steps, against the 140-digit values of tests/data/long_runs.csv
 * (tests/python/make_long_runs.py): every row by doubling, those up to 10^5 steps by stepping as well.
 *
 * Tolerance: 1e-11 relative for RMS values. Errors at the end of the run have decayed, by up to 40 orders of magnitude:
 * 1e-9 relative, or 1e-16 of the largest RMS error of the run (column scale). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { MOST_SIZES = 8 };

/* What is equal in all rows of one sweep; step sizes are its axis. */
static const char *const settings[] = {"model", "t_end", "hold", "order", "feedthrough", "start"};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Step sizes of a sweep as the table prints them. */
struct sizes {
  size_t count;
  const char *text[MOST_SIZES];
};

static bool same_settings(const struct harness_csv *csv, size_t a, size_t b) {
  size_t equal = 0;
  for (size_t i = 0; i < SETTINGS; i++)
    equal += strcmp(harness_csv_text(csv, a, settings[i]), harness_csv_text(csv, b, settings[i])) == 0;
  return equal == SETTINGS;
}

/* Position of a row's step size along the axis, added if it is new. */
static size_t size_index(struct sizes *sizes, const char *text) {
  for (size_t i = 0; i < sizes->count; i++)
    if (strcmp(sizes->text[i], text) == 0) return i;
  cr_assert_lt(sizes->count, MOST_SIZES);
  sizes->text[sizes->count] = text;
  return sizes->count++;
}

static void run_settings(struct harness *harness, const struct harness_csv *csv, size_t row, const struct sizes *sizes,
                         const char *engine) {
  struct cs_text path = {0}, sweep = {0};
  cs_text_add(&path, "models/%s/model.json", harness_csv_text(csv, row, "model"));
  char *model = harness_read(path.data);
  const char *order = harness_csv_text(csv, row, "order");
  harness_write(harness, "model.json", model);
  cs_text_add(&sweep,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"long\", \"model\": \"model.json\",\n"
              "\"study\": \"simulation\", \"t_end\": %s,\n"
              "\"method\": {\"hold\": \"%s\", \"input_order\": %s, \"output_order\": %s, \"feedthrough\": \"%s\",\n"
              "\"start\": \"%s\", \"solver\": \"exact\", \"engine\": \"%s\"},\n"
              "\"metrics\": [\"output_defect\", \"connection_defect\", \"output_error\", \"state_error\",\n"
              "\"output_error_final\", \"state_error_final\", \"steps\"],\n"
              "\"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"unit\": \"s\", \"values\": [",
              harness_csv_text(csv, row, "t_end"), harness_csv_text(csv, row, "hold"), order, order,
              harness_csv_text(csv, row, "feedthrough"), harness_csv_text(csv, row, "start"), engine);
  for (size_t i = 0; i < sizes->count; i++)
    cs_text_add(&sweep, "%s%s", i ? ", " : "", sizes->text[i]);
  cs_text_add(&sweep, "]}]}\n");
  cr_assert(!path.failed && !sweep.failed);
  harness_load(harness, sweep.data);
  harness_run(harness);
  cs_text_free(&path);
  cs_text_free(&sweep);
  free(model);
}

static void compare_row(const struct harness *harness, const struct harness_csv *csv, size_t row, size_t size,
                        struct harness_check *check) {
  const char *metric = harness_csv_text(csv, row, "metric"), *signal = harness_csv_text(csv, row, "signal");
  const char *model = harness_csv_text(csv, row, "model"), *hold = harness_csv_text(csv, row, "hold");
  const char *order = harness_csv_text(csv, row, "order"), *steps = harness_csv_text(csv, row, "N");
  const char *start = harness_csv_text(csv, row, "start");
  const double scale = harness_csv_number(csv, row, "scale");
  const double relative = scale > 0 ? 1e-9 : 1e-11, absolute = 1e-16 * scale;
  harness_compare(check, harness_value(harness->table, metric, &size, signal), harness_csv_number(csv, row, "value"),
                  relative, absolute, "%s, %s %s, %s, %s steps: %s of %s", model, hold, order, start, steps, metric,
                  signal);
  harness_compare(check, harness_value(harness->table, "steps", &size, NULL), harness_csv_number(csv, row, "N"), 0, 0,
                  "%s, %s %s, %s, %s steps: steps", model, hold, order, start, steps);
}

/* Every row of at most `most_steps` steps with one engine; the runs of one sweep differ in N alone. */
static void compare_table(const char *engine, double most_steps) {
  struct harness harness;
  struct harness_csv csv;
  struct harness_check check = {0};
  harness_csv_load("tests/data/long_runs.csv", &csv);
  harness_open(&harness);
  for (size_t first = 0, end; first < csv.rows; first = end) {
    struct sizes sizes = {0};
    for (end = first; end < csv.rows && same_settings(&csv, first, end); end++)
      if (harness_csv_number(&csv, end, "N") <= most_steps) size_index(&sizes, harness_csv_text(&csv, end, "H"));
    run_settings(&harness, &csv, first, &sizes, engine);
    for (size_t row = first; row < end; row++)
      if (harness_csv_number(&csv, row, "N") <= most_steps)
        compare_row(&harness, &csv, row, size_index(&sizes, harness_csv_text(&csv, row, "H")), &check);
  }
  harness_finish(&check, engine);
  harness_close(&harness);
  harness_csv_free(&csv);
}

Test(long_runs, by_stepping) {
  compare_table("step", 1e5);
}

Test(long_runs, by_doubling) {
  compare_table("double", 1e8);
}
