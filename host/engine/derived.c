#include "derived.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "list.h"

struct key {
  uint32_t network; /* stands for the parameters and the modes that a run begins in */
  double T;
};

struct derived {
  const struct cs_model *model;
  const struct cs_derived *what;
  struct cs_text *warnings;
  size_t count;
  struct cs_index index;
  struct key *key; /* [count] */
  double *value;   /* [count][width] */
  double *parameters;
};

/* Why a run has no value; once for the metric. */
static void warn(const struct derived *d, size_t run, const struct cs_error *error) {
  struct cs_text begin = {0};
  cs_text_add(&begin, "%s: none for run ", cs_metric_table[d->what->metric].name);
  if (strstr(cs_text_string(d->warnings), cs_text_string(&begin)) == NULL)
    cs_text_add(d->warnings, "%s%zu: %s\n", cs_text_string(&begin), run, error->message);
  cs_text_free(&begin);
}

static int add(struct derived *d, struct key key, uint64_t hash, const struct cs_settings *settings, size_t run,
               struct cs_error *error) {
  const size_t width = d->what->width;
  if (!cs_list_grow(&d->key, d->count, sizeof *d->key) ||
      !cs_list_grow(&d->value, d->count, (width + 1) * sizeof *d->value) || !cs_index_add(&d->index, hash, d->count))
    return cs_error_memory(error);
  double *value = d->value + d->count * (width + 1);
  d->key[d->count++] = key;
  int code = cs_model_parameters(d->model, settings->parameters, settings->given, d->parameters, error);
  if (code == CS_OK) code = d->what->compute(d->model, settings->mode, d->parameters, key.T, value, error);
  if (code != CS_INPUT) return code;
  warn(d, run, error);
  for (size_t i = 0; i < width; i++)
    value[i] = NAN;
  return CS_OK;
}

static int find(struct derived *d, struct key key, const struct cs_settings *settings, size_t run, const double **value,
                struct cs_error *error) {
  const uint64_t hash =
      cs_index_hash(cs_index_hash(CS_INDEX_SEED, &key.network, sizeof key.network), &key.T, sizeof key.T);
  size_t found = CS_INDEX_NONE;
  for (size_t probe = 0, i; found == CS_INDEX_NONE && (i = cs_index_next(&d->index, hash, &probe)) != CS_INDEX_NONE;)
    if (d->key[i].network == key.network && d->key[i].T == key.T) found = i;
  const int code = found == CS_INDEX_NONE ? add(d, key, hash, settings, run, error) : CS_OK;
  *value = d->value + (found == CS_INDEX_NONE ? d->count - 1 : found) * (d->what->width + 1);
  return code;
}

int cs_derived_each(const struct cs_plan *plan, const struct cs_table *table, const struct cs_array *end,
                    const struct cs_derived *what, struct cs_text *warnings, struct cs_error *error) {
  const struct cs_model *model = plan->sweep->model;
  const struct cs_array *status = cs_table_find(table, "status");
  struct derived d = {.model = model, .what = what, .warnings = warnings};
  struct cs_settings settings = {0};
  d.parameters = calloc(model->parameters + 1, sizeof *d.parameters);
  int code = d.parameters != NULL ? cs_settings_new(plan->sweep, &settings, error) : cs_error_memory(error);
  for (size_t run = 0; run < plan->runs && code == CS_OK; run++) {
    const int own = status->data.uint8[run];
    const double *value = NULL;
    if (own != CS_STATUS_OK && own != CS_STATUS_IMPRECISE) continue;
    cs_settings_of(plan->sweep, run, &settings);
    const struct key key = {plan->run[run].network, end != NULL ? end->data.float64[run] : settings.t_end};
    code = find(&d, key, &settings, plan->sweep->first + run, &value, error);
    if (code == CS_OK) what->enter(what->context, run, value);
  }
  cs_settings_free(&settings);
  cs_index_clear(&d.index);
  free(d.key);
  free(d.value);
  free(d.parameters);
  return code;
}
