#include "random_cases.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"

/* Cuts a text into its lines. */
static const char **cut_lines(char *text, size_t *count) {
  size_t lines = 0;
  for (const char *p = text; *p; p++) {
    lines += *p == '\n';
  }
  const char **line = calloc(lines + 1, sizeof *line);
  cr_assert(line != NULL);
  *count = 0;
  for (char *next = strtok(text, "\n"); next != NULL; next = strtok(NULL, "\n")) {
    line[(*count)++] = next;
  }
  return line;
}

void random_cases_load(struct random_cases *cases) {
  size_t sweeps;
  cases->models = harness_read("tests/data/random/models.jsonl");
  cases->sweeps = harness_read("tests/data/random/sweeps.jsonl");
  cases->model = cut_lines(cases->models, &cases->count);
  cases->sweep = cut_lines(cases->sweeps, &sweeps);
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

/* The kind of signal a metric is about: "output", "input", "state" or "monitor". */
static const char *kind_of(const char *metric) {
  for (size_t i = 0; i < CS_METRICS; i++) {
    if (strcmp(cs_metric_table[i].name, metric) == 0) {
      return cs_over_name(cs_metric_table[i].over);
    }
  }
  return "";
}

/* RMS of a signal over the run; 1000 for monitors, whose values are plain sums of signals. */
static double signal_rms(const struct harness_csv *csv, size_t first, size_t last, const char *kind,
                         const char *signal) {
  char metric[32];
  snprintf(metric, sizeof metric, "%s_rms", kind);
  for (size_t row = first; row < last; row++) {
    if (strcmp(harness_csv_text(csv, row, "metric"), metric) == 0 &&
        strcmp(harness_csv_text(csv, row, "signal"), signal) == 0) {
      return harness_csv_number(csv, row, "value");
    }
  }
  return 1000;
}

void random_cases_compare(const struct random_cases *cases, size_t number, random_cases_value *value,
                          const void *context, double relative, double floor, struct harness_check *check) {
  const struct harness_csv *csv = &cases->expected;
  size_t first = 0, last;
  while (first < csv->rows && harness_csv_number(csv, first, "case") != (double)number) {
    first++;
  }
  for (last = first; last < csv->rows && harness_csv_number(csv, last, "case") == (double)number;) {
    last++;
  }
  cr_assert_lt(first, last, "case %zu has no values", number);
  for (size_t row = first; row < last; row++) {
    const char *metric = harness_csv_text(csv, row, "metric"), *signal = harness_csv_text(csv, row, "signal");
    double actual, expected = harness_csv_number(csv, row, "value");
    double rms = signal_rms(csv, first, last, kind_of(metric), signal);
    bool zero = fabs(expected) < 1e-17 * rms;
    if (value(context, metric, signal, &actual)) {
      harness_compare(check, actual, expected, relative, (zero ? 10 : 1) * floor * rms, "case %zu, %s of %s", number,
                      metric, signal);
    }
  }
}
