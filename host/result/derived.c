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
  bool initial; /* the operating point */
  const struct cs_derived *what;
  struct cs_text *warnings;
  size_t count;
  struct cs_index index;
  struct key *key; /* [count] */
  double *value;   /* [count][width] */
  double *parameters;
};

static uint64_t hash_of(const struct key *key) {
  return cs_index_hash(cs_index_hash(CS_INDEX_SEED, &key->network, sizeof key->network), &key->T, sizeof key->T);
}

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
  if (code == CS_OK) code = cs_model_operate(d->model, d->initial, d->parameters, error);
  if (code == CS_OK) code = d->what->compute(d->model, settings->mode, d->parameters, key.T, value, error);
  if (code != CS_INPUT) return code;
  warn(d, run, error);
  for (size_t i = 0; i < width; i++)
    value[i] = NAN;
  return CS_OK;
}

static int find(struct derived *d, struct key key, const struct cs_settings *settings, size_t run, const double **value,
                struct cs_error *error) {
  const uint64_t hash = hash_of(&key);
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
  struct derived d = {.model = model, .initial = plan->sweep->initial, .what = what, .warnings = warnings};
  struct cs_settings settings = {0};
  d.parameters = calloc(model->values + 1, sizeof *d.parameters);
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

/* First guesses: what the exact outputs of a network take; what a gain takes while the network's fastest time scale
 * passes. */
#define SECONDS_PER_EXACT 1e-4
#define SECONDS_PER_GAIN 1e-6

/* Seconds of the gains of all networks, for each time at which one of its runs ends. */
static double gains_seconds(const struct cs_plan *plan) {
  const struct cs_model *m = plan->sweep->model;
  const double gains = (double)(m->outputs * (m->inputs + m->outputs + m->states));
  struct cs_index seen = {0};
  double sum = 0.0;
  for (size_t i = 0; i < plan->ordered; i++) {
    const struct cs_run *run = &plan->run[plan->order[i]];
    const struct key key = {run->network, run->steps * run->step_size};
    const uint64_t hash = hash_of(&key);
    size_t probe = 0;
    if (!isfinite(key.T) || cs_index_next(&seen, hash, &probe) != CS_INDEX_NONE) continue;
    if (!cs_index_add(&seen, hash, i)) break; /* a guess without the others */
    sum += SECONDS_PER_GAIN * gains * plan->networks->norm[key.network] * key.T;
  }
  cs_index_clear(&seen);
  return sum;
}

double cs_derived_seconds(const struct cs_plan *plan) {
  const bool *metric = plan->sweep->metric;
  double sum = 0.0;
  if (plan->networks == NULL || plan->options.study != CS_SIMULATION || plan->options.other) return 0.0;
  if (metric[CS_OUTPUT_EXACT] || metric[CS_OUTPUT_ERROR_RELATIVE])
    sum += SECONDS_PER_EXACT * (double)plan->networks->count;
  if (metric[CS_ERROR_BOUND]) sum += gains_seconds(plan);
  return sum;
}
