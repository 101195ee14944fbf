/* The metrics that need the RMS of the exact outputs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "index.h"
#include "list.h"
#include "result.h"

/* What the RMS values depend on, and they. */
struct known {
  struct cs_index index;
  size_t count, starts;
  double *end; /* [count] s */
  uint32_t *network;
  size_t *mode; /* [count][subsystems] */
  double *rms;  /* [count][outputs] */
};

static void known_free(struct known *k) {
  cs_index_clear(&k->index);
  free(k->end);
  free(k->network);
  free(k->mode);
  free(k->rms);
}

static int add_known(const struct cs_model *model, uint32_t network, const struct cs_settings *settings, uint64_t hash,
                     struct known *k, struct cs_error *error) {
  const size_t n = model->subsystems, outputs = model->outputs;
  double *parameters = calloc(model->parameters + 1, sizeof *parameters);
  if (parameters == NULL || !cs_list_grow(&k->end, k->count, sizeof *k->end) ||
      !cs_list_grow(&k->network, k->count, sizeof *k->network) ||
      !cs_list_grow(&k->mode, k->count, (n + 1) * sizeof *k->mode) ||
      !cs_list_grow(&k->rms, k->count, (outputs + 1) * sizeof *k->rms) || !cs_index_add(&k->index, hash, k->count)) {
    free(parameters);
    return cs_error_memory(error);
  }
  k->end[k->count] = settings->t_end;
  k->network[k->count] = network;
  memcpy(k->mode + k->count * (n + 1), settings->mode, n * sizeof *k->mode);
  int code = cs_model_parameters(model, settings->parameters, settings->given, parameters, error);
  if (code == CS_OK)
    code = cs_exact_rms(model, settings->mode, parameters, settings->t_end, k->rms + k->count * (outputs + 1), error);
  k->count++;
  free(parameters);
  return code;
}

/* The RMS values [outputs] of a run. */
static int find(const struct cs_model *model, uint32_t network, const struct cs_settings *settings, struct known *k,
                const double **rms, struct cs_error *error) {
  const size_t n = model->subsystems, outputs = model->outputs;
  uint64_t hash = cs_index_hash(CS_INDEX_SEED, &network, sizeof network);
  hash = cs_index_hash(hash, &settings->t_end, sizeof settings->t_end);
  hash = cs_index_hash(hash, settings->mode, n * sizeof *settings->mode);
  size_t found = CS_INDEX_NONE;
  for (size_t probe = 0, i; found == CS_INDEX_NONE && (i = cs_index_next(&k->index, hash, &probe)) != CS_INDEX_NONE;)
    if (k->end[i] == settings->t_end && k->network[i] == network &&
        memcmp(k->mode + i * (n + 1), settings->mode, n * sizeof *settings->mode) == 0)
      found = i;
  int code = CS_OK;
  if (found == CS_INDEX_NONE) {
    found = k->count;
    code = add_known(model, network, settings, hash, k, error);
  }
  *rms = k->rms + found * (outputs + 1);
  return code;
}

/* NaN where the exact output is 0. */
static void enter(const double *rms, size_t outputs, size_t run, struct cs_array *exact, struct cs_array *relative) {
  for (size_t i = 0; i < outputs; i++) {
    if (exact != NULL) exact->data.float64[run * outputs + i] = rms[i];
    if (relative == NULL) continue;
    double *error = &relative->data.float64[run * outputs + i];
    *error = rms[i] > 0.0 ? *error / rms[i] : NAN;
  }
}

int cs_result_add_exact(const struct cs_plan *plan, struct cs_table *table, struct cs_error *error) {
  const struct cs_sweep *sweep = plan->sweep;
  struct cs_array *exact = cs_table_find(table, cs_metric_table[CS_OUTPUT_EXACT].name);
  struct cs_array *relative = cs_table_find(table, cs_metric_table[CS_OUTPUT_ERROR_RELATIVE].name);
  const struct cs_array *status = cs_table_find(table, "status");
  if (exact == NULL && relative == NULL) return CS_OK;
  struct known known = {0};
  struct cs_settings settings;
  int code = cs_settings_new(sweep, &settings, error);
  for (size_t run = 0; run < plan->runs && code == CS_OK; run++) {
    const int own = status->data.uint8[run];
    const double *rms;
    if (own != CS_STATUS_OK && own != CS_STATUS_IMPRECISE) continue;
    cs_settings_of(sweep, run, &settings);
    code = find(sweep->model, plan->run[run].network, &settings, &known, &rms, error);
    if (code == CS_OK) enter(rms, sweep->model->outputs, run, exact, relative);
  }
  cs_settings_free(&settings);
  known_free(&known);
  return code;
}
