#include "derived.h"

#include <math.h>
#include <stdlib.h>

#include "index.h"
#include "list.h"

struct key {
  uint32_t network; /* stands for the parameters and the modes that a run begins in */
  double T;
};

struct derived {
  const struct cs_model *model;
  cs_derived_compute *compute;
  size_t width, count;
  struct cs_index index;
  struct key *key; /* [count] */
  double *value;   /* [count][width] */
  double *parameters;
};

static int add(struct derived *d, struct key key, uint64_t hash, const struct cs_settings *settings,
               struct cs_error *error) {
  if (!cs_list_grow(&d->key, d->count, sizeof *d->key) ||
      !cs_list_grow(&d->value, d->count, (d->width + 1) * sizeof *d->value) || !cs_index_add(&d->index, hash, d->count))
    return cs_error_memory(error);
  double *value = d->value + d->count * (d->width + 1);
  d->key[d->count++] = key;
  int code = cs_model_parameters(d->model, settings->parameters, settings->given, d->parameters, error);
  if (code == CS_OK) code = d->compute(d->model, settings->mode, d->parameters, key.T, value, error);
  if (code != CS_INPUT) return code;
  for (size_t i = 0; i < d->width; i++)
    value[i] = NAN;
  return CS_OK;
}

static int find(struct derived *d, struct key key, const struct cs_settings *settings, const double **value,
                struct cs_error *error) {
  const uint64_t hash =
      cs_index_hash(cs_index_hash(CS_INDEX_SEED, &key.network, sizeof key.network), &key.T, sizeof key.T);
  size_t found = CS_INDEX_NONE;
  for (size_t probe = 0, i; found == CS_INDEX_NONE && (i = cs_index_next(&d->index, hash, &probe)) != CS_INDEX_NONE;)
    if (d->key[i].network == key.network && d->key[i].T == key.T) found = i;
  const int code = found == CS_INDEX_NONE ? add(d, key, hash, settings, error) : CS_OK;
  *value = d->value + (found == CS_INDEX_NONE ? d->count - 1 : found) * (d->width + 1);
  return code;
}

int cs_derived_each(const struct cs_plan *plan, const struct cs_table *table, const struct cs_array *end, size_t width,
                    cs_derived_compute *compute, void (*enter)(void *context, size_t run, const double *value),
                    void *context, struct cs_error *error) {
  const struct cs_model *model = plan->sweep->model;
  const struct cs_array *status = cs_table_find(table, "status");
  struct derived d = {.model = model, .compute = compute, .width = width};
  struct cs_settings settings = {0};
  d.parameters = calloc(model->parameters + 1, sizeof *d.parameters);
  int code = d.parameters != NULL ? cs_settings_new(plan->sweep, &settings, error) : cs_error_memory(error);
  for (size_t run = 0; run < plan->runs && code == CS_OK; run++) {
    const int own = status->data.uint8[run];
    const double *value = NULL;
    if (own != CS_STATUS_OK && own != CS_STATUS_IMPRECISE) continue;
    cs_settings_of(plan->sweep, run, &settings);
    const struct key key = {plan->run[run].network, end != NULL ? end->data.float64[run] : settings.t_end};
    code = find(&d, key, &settings, &value, error);
    if (code == CS_OK) enter(context, run, value);
  }
  cs_settings_free(&settings);
  cs_index_clear(&d.index);
  free(d.key);
  free(d.value);
  free(d.parameters);
  return code;
}
