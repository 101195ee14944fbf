#include "plain_judge.h"

#include <float.h>
#include <tgmath.h>

#include "harness.h"
#include "plain_compare.h"

void plain_position(const struct cs_sweep *sweep, size_t run, size_t *index) {
  for (size_t i = sweep->axes; i-- > 0; run /= sweep->axis[i].length)
    index[i] = run % sweep->axis[i].length;
}

double plain_size_of(const struct plain_result *result, enum cs_metric metric, const struct plain_signals *signals,
                     size_t i) {
  switch (metric) {
    case CS_OUTPUT_DEFECT:
    case CS_OUTPUT_DEFECT_TRUE:
      return (double)result->output_terms[i];
    case CS_CONNECTION_DEFECT:
      return (double)result->input_terms[i];
    case CS_INTEGRATION_DEFECT:
      return (double)result->slope_terms[i];
    case CS_INPUT_ERROR:
    case CS_INPUT_ERROR_MAX:
    case CS_INPUT_ERROR_FINAL:
      return (double)(signals->most[i] + fabs(result->metric[metric][i]) + result->input_held[i]);
    default:
      return (double)(signals->most[i] + fabs(result->metric[metric][i]));
  }
}

static bool of_the_run(enum cs_metric metric) {
  switch (metric) {
    case CS_STEPS:
    case CS_REJECTED_STEPS:
    case CS_STEP_MIN:
    case CS_STEP_MEAN:
    case CS_STEP_MAX:
    case CS_T_FINAL:
      return true;
    default:
      return false;
  }
}

static void judge(struct plain_verdict verdict, plain_verdict_fn *look, void *context) {
  const double difference = fabs(verdict.actual - verdict.expected);
  verdict.relative = difference == 0 ? 0 : difference / fabs(verdict.expected);
  verdict.units = difference == 0 ? 0 : difference / (DBL_EPSILON * verdict.size);
  look(context, &verdict);
}

/* A metric of the exact names that the result file has; NaN without a table. */
static double value_of(const struct cs_table *table, enum cs_metric metric, const size_t *index, const char *signal) {
  return table == NULL ? NAN : harness_value(table, cs_metric_table[metric].name, index, signal);
}

/* Of a bond; bonds beyond the run's own have none. */
static void judge_bonds(const struct cs_sweep *sweep, const struct cs_table *table, const size_t *index,
                        const struct plain_result *result, plain_verdict_fn *look, void *context) {
  for (size_t i = 0; i < cs_controls_bonds(sweep->controls); i++) {
    struct cs_text name = {0};
    cs_controls_name_bond(sweep->controls, i, &name);
    struct plain_verdict verdict = {.metric = CS_BOND_ENERGY, .signal = name.data};
    verdict.actual = value_of(table, verdict.metric, index, verdict.signal);
    verdict.expected = (double)result->metric[CS_BOND_ENERGY][i];
    verdict.size = (double)result->bond_terms[i];
    if (verdict.size > 0) judge(verdict, look, context);
    cs_text_free(&name);
  }
}

void plain_judge(const struct cs_sweep *sweep, const struct cs_table *table, size_t run,
                 const struct plain_result *result, plain_verdict_fn *look, void *context) {
  size_t index[PLAIN_MAX_AXES];
  plain_position(sweep, run, index);
  for (size_t metric = 0; metric < CS_METRICS; metric++) {
    const struct cs_metric_info *info = &cs_metric_table[metric];
    const struct plain_signals signals = plain_signals_of(sweep->model, result, info->over);
    struct plain_verdict verdict = {.metric = (enum cs_metric)metric, .signal = ""};
    if (!sweep->metric[metric] || (table != NULL && cs_table_find(table, info->name) == NULL)) continue;
    if (metric == CS_BOND_ENERGY) judge_bonds(sweep, table, index, result, look, context);
    for (size_t i = 0; i < signals.count; i++) {
      verdict.signal = signals.signal[i].name;
      verdict.actual = value_of(table, verdict.metric, index, verdict.signal);
      verdict.expected = (double)result->metric[metric][i];
      verdict.size = plain_size_of(result, verdict.metric, &signals, i);
      judge(verdict, look, context);
    }
    if (verdict.metric == CS_CONTRACTION || (of_the_run(verdict.metric) && cs_sweep_varies(sweep))) {
      verdict.actual = value_of(table, verdict.metric, index, NULL);
      verdict.expected = verdict.size = (double)result->metric[metric][0];
      judge(verdict, look, context);
    }
  }
}
