/* The two references against each other: tests/plain.c, which test_solvers.c builds on, and the table written by
 * tests/python/make_random.py. Needs no device. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"
#include "random_cases.h"

struct reference {
  const struct cs_model *model;
  struct plain_result result;
};

static size_t find_signal(const struct cs_model *model, enum cs_over over, const char *name) {
  if (over == CS_OVER_MONITOR) {
    for (size_t i = 0; i < model->monitors; i++) {
      if (strcmp(model->monitor[i].name, name) == 0) {
        return i;
      }
    }
  }
  const struct cs_signal *signals = over == CS_OVER_OUTPUT  ? model->output
                                    : over == CS_OVER_INPUT ? model->input
                                                            : model->state;
  size_t count = over == CS_OVER_OUTPUT ? model->outputs : over == CS_OVER_INPUT ? model->inputs : model->states;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(signals[i].name, name) == 0) {
      return i;
    }
  }
  cr_assert_fail("no signal %s", name);
  return 0;
}

static bool reference_value(const void *context, const char *metric, const char *signal, double *value) {
  const struct reference *reference = context;
  const struct {
    const char *name;
    enum cs_over over;
    const real *values;
  } rms[] = {{"output_rms", CS_OVER_OUTPUT, reference->result.output_rms},
             {"input_rms", CS_OVER_INPUT, reference->result.input_rms},
             {"state_rms", CS_OVER_STATE, reference->result.state_rms}};
  for (size_t i = 0; i < sizeof rms / sizeof *rms; i++) {
    if (strcmp(rms[i].name, metric) == 0) {
      *value = (double)rms[i].values[find_signal(reference->model, rms[i].over, signal)];
      return true;
    }
  }
  for (size_t i = 0; i < CS_METRICS; i++) {
    if (strcmp(cs_metric_table[i].name, metric) == 0) {
      size_t index = find_signal(reference->model, cs_metric_table[i].over, signal);
      *value = (double)reference->result.metric[i][index];
      return true;
    }
  }
  cr_assert_fail("no metric %s", metric);
  return false;
}

/* Both round at 1e-19 of the signals, amplified a little on the way. */
Test(plain, agrees_with_the_table_of_random_networks) {
  struct random_cases cases;
  struct harness harness;
  struct harness_check check = {0};
  struct reference *reference = malloc(sizeof *reference);
  cr_assert(reference != NULL);
  random_cases_load(&cases);
  harness_directory(&harness);
  for (size_t i = 0; i < cases.count; i++) {
    random_cases_open(&cases, i, &harness);
    reference->model = harness.sweep->model;
    plain_run(harness.sweep, 0, NULL, NULL, &reference->result);
    random_cases_compare(&cases, i, reference_value, reference, 1e-12, 1e-17, &check);
  }
  harness_finish(&check, "random networks, two references");
  free(reference);
  harness_close(&harness);
  random_cases_free(&cases);
}
