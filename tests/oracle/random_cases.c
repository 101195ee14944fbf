#include "random_cases.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"

/* Of a signal's RMS: what long double leaves of zero. The smallest values that are not zero are ten times as large. */
#define ZERO 1e-18

/* Cuts a text into its lines. */
static const char **cut_lines(char *text, size_t *count) {
  size_t lines = 0;
  for (const char *p = text; *p; p++)
    lines += *p == '\n';
  const char **line = calloc(lines + 1, sizeof *line);
  cr_assert(line != NULL);
  *count = 0;
  for (char *next = strtok(text, "\n"); next != NULL; next = strtok(NULL, "\n"))
    line[(*count)++] = next;
  return line;
}

void random_cases_load(struct random_cases *cases) {
  size_t sweeps;
  cases->models = harness_read("tests/data/random/models.jsonl");
  cases->sweeps = harness_read("tests/data/random/sweeps.jsonl");
  cases->model = cut_lines(cases->models, &cases->count);
  cases->sweep = cut_lines(cases->sweeps, &sweeps);
  cases->zeros_by_largest = false;
  cr_assert(cases->count > 0 && sweeps == cases->count);
  harness_csv_load("tests/data/random/expected.csv", &cases->expected);
}

void random_cases_free(struct random_cases *cases) {
  harness_csv_free(&cases->expected);
  free(cases->model);
  free(cases->sweep);
  free(cases->models);
  free(cases->sweeps);
}

void random_cases_open(const struct random_cases *cases, size_t number, struct harness *harness) {
  harness_write(harness, "model.json", cases->model[number]);
  harness_load(harness, cases->sweep[number]);
}

void random_cases_open_engine(const struct random_cases *cases, size_t number, const char *engine,
                              struct harness *harness) {
  harness_write(harness, "model.json", cases->model[number]);
  harness_load_engine(harness, cases->sweep[number], engine);
}

/* The kind of signal a metric is about: "output", "input", "state" or "monitor". */
static const char *kind_of(const char *metric) {
  for (size_t i = 0; i < CS_METRICS; i++)
    if (strcmp(cs_metric_table[i].name, metric) == 0) return cs_metric_over_name(cs_metric_table[i].over);
  return "";
}

struct rows {
  const struct harness_csv *csv;
  size_t first, end;
};

static struct rows rows_of(const struct random_cases *cases, size_t number) {
  struct rows rows = {.csv = &cases->expected};
  while (rows.first < rows.csv->rows && harness_csv_number(rows.csv, rows.first, "case") != (double)number)
    rows.first++;
  for (rows.end = rows.first; rows.end < rows.csv->rows;) {
    if (harness_csv_number(rows.csv, rows.end, "case") != (double)number) break;
    rows.end++;
  }
  cr_assert_lt(rows.first, rows.end, "case %zu has no values", number);
  return rows;
}

static double look_up(const struct rows *rows, const char *metric, const char *signal, double otherwise) {
  for (size_t row = rows->first; row < rows->end; row++)
    if (strcmp(harness_csv_text(rows->csv, row, "metric"), metric) == 0 &&
        strcmp(harness_csv_text(rows->csv, row, "signal"), signal) == 0)
      return harness_csv_number(rows->csv, row, "value");
  return otherwise;
}

/* RMS of a signal over the run; 1000 for monitors, whose values are plain sums of signals. */
static double signal_rms(const struct rows *rows, const char *metric, const char *signal) {
  char name[32];
  snprintf(name, sizeof name, "%s_rms", kind_of(metric));
  return look_up(rows, name, signal, 1000);
}

static double largest_rms(const struct rows *rows) {
  static const char *const names[] = {"output_rms", "input_rms", "state_rms"};
  double most = 0;
  for (size_t row = rows->first; row < rows->end; row++) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (strcmp(harness_csv_text(rows->csv, row, "metric"), names[i]) == 0)
        most = fmax(most, harness_csv_number(rows->csv, row, "value"));
  }
  return most;
}

void random_cases_compare(const struct random_cases *cases, size_t number, random_cases_value *value,
                          const void *context, double relative, double floor, struct harness_check *check) {
  const struct rows rows = rows_of(cases, number);
  const double largest = largest_rms(&rows);
  for (size_t row = rows.first; row < rows.end; row++) {
    const char *metric = harness_csv_text(rows.csv, row, "metric"), *signal = harness_csv_text(rows.csv, row, "signal");
    double actual, expected = harness_csv_number(rows.csv, row, "value");
    double rms = signal_rms(&rows, metric, signal);
    if (cases->zeros_by_largest && fabs(expected) < ZERO * rms) rms = fmax(rms, largest);
    if (strcmp(metric, "reach") != 0 && value(context, metric, signal, &actual)) {
      double absolute = floor * rms;
      harness_compare(check, actual, expected, relative, absolute, "case %zu, %s of %s", number, metric, signal);
    }
  }
}
