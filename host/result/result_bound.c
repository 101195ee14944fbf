/* The metric error_bound: gains of the network times the defects of a run. */
#include "derived.h"
#include "result.h"
#include "snapshot.h"

struct bound {
  const struct cs_model *model;
  const struct cs_array *connection, *output, *integration;
  struct cs_array *bound;
};

/* The gains of connection, output and integration defects, one after the other. */
static int compute(const struct cs_model *model, const size_t *mode, const double *parameters, double T, double *gain,
                   struct cs_error *error) {
  struct cs_snapshot snapshot;
  double *output = gain + model->outputs * model->inputs, *integration = output + model->outputs * model->outputs;
  int code = cs_snapshot_open(model, mode, parameters, &snapshot, error);
  if (code == CS_OK) code = cs_snapshot_gains(&snapshot, T, gain, output, integration, error);
  cs_snapshot_close(&snapshot);
  return code;
}

/* sum_j gain [count] times the defects of a run. */
static double sum_of(const double *gain, const struct cs_array *defect, size_t run, size_t count) {
  double sum = 0.0;
  for (size_t j = 0; j < count && defect != NULL; j++)
    sum += gain[j] * defect->data.float64[run * count + j];
  return sum;
}

static void enter(void *context, size_t run, const double *gain) {
  const struct bound *b = context;
  const size_t inputs = b->model->inputs, outputs = b->model->outputs, states = b->model->states;
  const double *output = gain + outputs * inputs, *integration = output + outputs * outputs;
  for (size_t i = 0; i < outputs; i++)
    b->bound->data.float64[run * outputs + i] = sum_of(gain + i * inputs, b->connection, run, inputs) +
                                                sum_of(output + i * outputs, b->output, run, outputs) +
                                                sum_of(integration + i * states, b->integration, run, states);
}

int cs_result_add_bound(const struct cs_plan *plan, struct cs_table *table, struct cs_text *warnings,
                        struct cs_error *error) {
  const struct cs_model *model = plan->sweep->model;
  struct bound b = {model, cs_table_find(table, cs_metric_table[CS_CONNECTION_DEFECT].name),
                    cs_table_find(table, cs_metric_table[CS_OUTPUT_DEFECT_TRUE].name),
                    cs_table_find(table, cs_metric_table[CS_INTEGRATION_DEFECT].name),
                    cs_table_find(table, cs_metric_table[CS_ERROR_BOUND].name)};
  if (b.bound == NULL) return CS_OK;
  const struct cs_derived gains = {CS_ERROR_BOUND, model->outputs * (model->inputs + model->outputs + model->states),
                                   compute, enter, &b};
  const struct cs_array *end = cs_table_find(table, cs_metric_table[CS_T_FINAL].name);
  return cs_derived_each(plan, table, end, &gains, warnings, error);
}
