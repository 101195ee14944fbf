/* The random networks of tests/data/random: models, sweeps and the values every method has to give. */
#ifndef COSWEEP_TESTS_RANDOM_CASES_H
#define COSWEEP_TESTS_RANDOM_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "harness.h"

struct random_cases {
  size_t count;
  char *models, *sweeps;       /* texts of the files, cut into lines */
  const char **model, **sweep; /* [count], into them */
  struct harness_csv expected;
  bool zeros_by_largest;
};

void random_cases_load(struct random_cases *cases);
void random_cases_free(struct random_cases *cases);
/* Writes model and sweep of a case into the harness and loads them. */
void random_cases_open(const struct random_cases *cases, size_t number, struct harness *harness);
/* The same with an engine, as harness_load_engine. */
void random_cases_open_engine(const struct random_cases *cases, size_t number, const char *engine,
                              struct harness *harness);

/* Value of a metric (or "output_rms", "input_rms", "state_rms") for a signal; false: not to be compared. */
typedef bool random_cases_value(const void *context, const char *metric, const char *signal, double *value);

/* Compares all values of a case, to `relative` or `floor` times the RMS of the signal that is meant. With
 * cases->zeros_by_largest, where the value is zero to the reference's own digits, `floor` times the largest RMS of the
 * case: what stands there is what rounding leaves of terms as large as any signal. */
void random_cases_compare(const struct random_cases *cases, size_t number, random_cases_value *value,
                          const void *context, double relative, double floor, struct harness_check *check);

#endif
