/* The metric error_bound: gains of the network times the defects of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "list.h"
#include "result.h"
#include "snapshot.h"

/* Gains of a network over a time. */
struct gains {
  uint32_t network;
  double end; /* s */
  double *connection, *output, *integration;
};

struct known {
  struct cs_index index;
  size_t count;
  struct gains *gains; /* [count] */
};

static void known_free(struct known *k) {
  for (size_t i = 0; i < k->count; i++) {
    free(k->gains[i].connection);
    free(k->gains[i].output);
    free(k->gains[i].integration);
  }
  free(k->gains);
  cs_index_clear(&k->index);
}

static int compute(const struct cs_model *model, const struct cs_settings *settings, struct gains *g,
                   struct cs_error *error) {
  struct cs_snapshot snapshot = {0};
  double *parameters = calloc(model->parameters + 1, sizeof *parameters);
  g->connection = calloc(model->outputs * model->inputs + 1, sizeof(double));
  g->output = calloc(model->outputs * model->outputs + 1, sizeof(double));
  g->integration = calloc(model->outputs * model->states + 1, sizeof(double));
  const bool good = parameters != NULL && g->connection != NULL && g->output != NULL && g->integration != NULL;
  int code = good ? cs_model_parameters(model, settings->parameters, settings->given, parameters, error)
                  : cs_error_memory(error);
  if (code == CS_OK) code = cs_snapshot_open(model, settings->mode, parameters, &snapshot, error);
  if (code == CS_OK) code = cs_snapshot_gains(&snapshot, g->end, g->connection, g->output, g->integration, error);
  cs_snapshot_close(&snapshot);
  free(parameters);
  return code;
}

/* The modes that runs begin in select networks like parameters do: both are settings of the run. */
static int find(const struct cs_model *model, uint32_t network, double end, const struct cs_settings *settings,
                struct known *k, const struct gains **found, struct cs_error *error) {
  uint64_t hash = cs_index_hash(CS_INDEX_SEED, &network, sizeof network);
  hash = cs_index_hash(hash, &end, sizeof end);
  for (size_t probe = 0, i; (i = cs_index_next(&k->index, hash, &probe)) != CS_INDEX_NONE;) {
    *found = &k->gains[i];
    if ((*found)->network == network && (*found)->end == end) return CS_OK;
  }
  if (!cs_list_grow(&k->gains, k->count, sizeof *k->gains) || !cs_index_add(&k->index, hash, k->count))
    return cs_error_memory(error);
  struct gains *made = &k->gains[k->count++];
  *made = (struct gains){.network = network, .end = end};
  *found = made;
  return compute(model, settings, made, error);
}

/* sum_j gain [outputs][count] times the defects of a run. */
static double sum_of(const double *gain, const struct cs_array *defect, size_t run, size_t output, size_t count) {
  double sum = 0.0;
  for (size_t j = 0; j < count && defect != NULL; j++)
    sum += gain[output * count + j] * defect->data.float64[run * count + j];
  return sum;
}

int cs_result_add_bound(const struct cs_plan *plan, struct cs_table *table, struct cs_error *error) {
  const struct cs_model *model = plan->sweep->model;
  const struct cs_array *status = cs_table_find(table, "status"), *end = cs_table_find(table, "t_final");
  const struct cs_array *connection = cs_table_find(table, cs_metric_table[CS_CONNECTION_DEFECT].name);
  const struct cs_array *output = cs_table_find(table, cs_metric_table[CS_OUTPUT_DEFECT_TRUE].name);
  const struct cs_array *integration = cs_table_find(table, cs_metric_table[CS_INTEGRATION_DEFECT].name);
  struct cs_array *bound = cs_table_find(table, cs_metric_table[CS_ERROR_BOUND].name);
  if (bound == NULL) return CS_OK;
  struct known known = {0};
  struct cs_settings settings;
  int code = cs_settings_new(plan->sweep, &settings, error);
  for (size_t run = 0; run < plan->runs && code == CS_OK; run++) {
    const int own = status->data.uint8[run];
    const struct gains *g = NULL;
    if (own != CS_STATUS_OK && own != CS_STATUS_IMPRECISE) continue;
    cs_settings_of(plan->sweep, run, &settings);
    code = find(model, plan->run[run].network, end->data.float64[run], &settings, &known, &g, error);
    for (size_t i = 0; i < model->outputs && code == CS_OK; i++)
      bound->data.float64[run * model->outputs + i] = sum_of(g->connection, connection, run, i, model->inputs) +
                                                      sum_of(g->output, output, run, i, model->outputs) +
                                                      sum_of(g->integration, integration, run, i, model->states);
  }
  cs_settings_free(&settings);
  known_free(&known);
  return code;
}
