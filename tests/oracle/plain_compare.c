#include "plain_compare.h"

struct plain_signals plain_signals_of(const struct cs_model *model, const struct plain_result *result,
                                      enum cs_over over) {
  switch (over) {
    case CS_OVER_OUTPUT:
      return (struct plain_signals){model->outputs, model->output, result->output_rms, result->output_most};
    case CS_OVER_INPUT:
      return (struct plain_signals){model->inputs, model->input, result->input_rms, result->input_most};
    case CS_OVER_STATE:
      return (struct plain_signals){model->states, model->state, result->state_rms, result->state_most};
    default:
      return (struct plain_signals){0};
  }
}

real plain_largest_rms(const struct cs_model *model, const struct plain_result *result) {
  static const enum cs_over kinds[] = {CS_OVER_OUTPUT, CS_OVER_INPUT, CS_OVER_STATE};
  real largest = 0;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    const struct plain_signals signals = plain_signals_of(model, result, kinds[kind]);
    for (size_t i = 0; i < signals.count; i++)
      largest = signals.rms[i] > largest ? signals.rms[i] : largest;
  }
  return largest;
}

/* `zero`: by what RMS a value is measured that the reference has as zero, as far as its digits go; 0: the signal's. */
static void compare(const struct harness *harness, const size_t *index, const struct plain_result *result,
                    double relative, double floor, double zero, struct harness_check *check, const char *case_name) {
  for (size_t metric = 0; metric < CS_METRICS; metric++) {
    const struct cs_metric_info *info = &cs_metric_table[metric];
    const struct plain_signals signals = plain_signals_of(harness->sweep->model, result, info->over);
    if (cs_table_find(harness->table, info->name) == NULL) /* maxima, by doubling */
      continue;
    for (size_t i = 0; i < signals.count; i++) {
      const double expected = (double)result->metric[metric][i], rms = (double)signals.rms[i];
      harness_compare(check, harness_value(harness->table, info->name, index, signals.signal[i].name), expected,
                      relative, floor * (zero > 0 && expected < 1e-18 * rms ? zero : rms), "%s: %s of %s", case_name,
                      info->name, signals.signal[i].name);
    }
  }
}

void plain_compare(const struct harness *harness, const size_t *index, const struct plain_result *result,
                   double relative, double floor, struct harness_check *check, const char *case_name) {
  compare(harness, index, result, relative, floor, 0, check, case_name);
}

void plain_compare_doubled(const struct harness *harness, const size_t *index, const struct plain_result *result,
                           double relative, double floor, struct harness_check *check, const char *case_name) {
  compare(harness, index, result, relative, floor, (double)plain_largest_rms(harness->sweep->model, result), check,
          case_name);
}
