#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "scale.h"
#include "text.h"

/* ---- metric, cost and signal */

/* Whether the array is over the runs' axes and `inner` further dimensions. */
static bool per_run(const struct cs_comparison *c, const struct cs_array *array, size_t inner) {
  return array->dimensions == c->status->dimensions + inner &&
         memcmp(array->dimension, c->status->dimension, c->status->dimensions * sizeof *array->dimension) == 0;
}

static bool is_cost(const struct cs_comparison *c, const struct cs_array *array) {
  const long m = cs_metric_find(array->name);
  return m >= 0 && cs_metric_table[m].reduction == CS_COUNT && array->type == CS_INT64 && per_run(c, array, 0);
}

static bool is_error(const struct cs_comparison *c, const struct cs_array *array) {
  const long m = cs_metric_find(array->name);
  return m >= 0 && cs_metric_table[m].ranked && array->type == CS_FLOAT64 && per_run(c, array, 1);
}

static int find_array(const struct cs_comparison *c, const char *option, const char *name,
                      bool (*good)(const struct cs_comparison *c, const struct cs_array *array),
                      const struct cs_array **found, struct cs_error *error) {
  const struct cs_array *array = cs_table_find(c->table, name);
  if (array != NULL && good(c, array)) {
    *found = array;
    return CS_OK;
  }
  struct cs_text names = {0};
  for (size_t i = 0; i < c->table->arrays; i++)
    if (good(c, &c->table->array[i])) cs_text_add_name(&names, c->table->array[i].name);
  return cs_scale_fail(option, name, &names, error);
}

static int find_cost(struct cs_comparison *c, const char *name, struct cs_error *error) {
  const struct cs_array *usual = name == NULL ? cs_runs_usual(c->table, CS_USE_COST) : NULL;
  if (usual != NULL) name = usual->name;
  if (name != NULL) return find_array(c, "cost", name, is_cost, &c->cost, error);
  return cs_error_set(error, CS_IO, "has no cost metric; want evaluations, stages or steps among the sweep's metrics");
}

static int find_signal(struct cs_comparison *c, const char *name, struct cs_error *error) {
  c->signals = &c->table->dimension[c->metric->dimension[c->metric->dimensions - 1]];
  c->signal = SIZE_MAX;
  if (name == NULL) return CS_OK;
  struct cs_text names = {0};
  for (size_t i = 0; i < c->signals->length && c->signals->labels != NULL; i++) {
    if (strcmp(c->signals->labels[i], name) == 0) c->signal = i;
    cs_text_add_name(&names, c->signals->labels[i]);
  }
  if (c->signal == SIZE_MAX) return cs_scale_fail("signal", name, &names, error);
  cs_text_free(&names);
  return CS_OK;
}

/* ---- roles of axes */

/* An axis with a single value is fixed. CS_IO if the sweep does not define an axis. */
static int find_roles(struct cs_comparison *c, struct cs_error *error) {
  for (size_t a = 0; a < c->status->dimensions; a++) {
    const struct cs_dimension *axis = cs_runs_axis(&c->over, a);
    if (cs_runs_about(&c->over, a)->axis == NULL)
      return cs_error_set(error, CS_IO, "the sweep in provenance has no axis \"%s\"; want a result of cosweep",
                          axis->name);
    c->role[a] = axis->length == 1 ? CS_ROLE_FIXED : cs_runs_about(&c->over, a)->role;
  }
  return CS_OK;
}

/* What --by names is compared; what else would compete is chosen at its best. */
static int choose_ranked(struct cs_comparison *c, const struct cs_comparison_wish *wish, struct cs_error *error) {
  for (size_t a = 0; a < c->status->dimensions && wish->bys > 0; a++)
    if (c->role[a] == CS_ROLE_COMBINATION) c->role[a] = CS_ROLE_KNOB;
  for (size_t i = 0; i < wish->bys; i++) {
    struct cs_text names = {0};
    bool found = false;
    for (size_t a = 0; a < c->status->dimensions; a++) {
      const char *name = cs_runs_axis(&c->over, a)->name;
      cs_text_add_name(&names, name);
      if (strcmp(name, wish->by[i]) != 0) continue;
      found = true;
      if (c->role[a] != CS_ROLE_FIXED) c->role[a] = CS_ROLE_COMBINATION;
    }
    if (!found) return cs_scale_fail("by", wish->by[i], &names, error);
    cs_text_free(&names);
  }
  return CS_OK;
}

/* Where axes with samples of problems are all there is, and nothing competes within one, their points do. */
static void let_problems_compete(struct cs_comparison *c) {
  if (cs_comparison_axes(c, CS_ROLE_COMBINATION) > 0 || cs_comparison_axes(c, CS_ROLE_KNOB) > 0) return;
  for (size_t a = 0; a < c->status->dimensions; a++) {
    if (c->role[a] != CS_ROLE_CASE || !cs_runs_is_zip(&c->over, a)) continue;
    c->role[a] = CS_ROLE_COMBINATION;
    c->problems = true;
  }
}

/* "axis=value". */
static int fix(struct cs_comparison *c, const char *at, struct cs_error *error) {
  struct cs_text names = {0};
  for (size_t a = 0; a < c->status->dimensions; a++) {
    const struct cs_dimension *axis = cs_runs_axis(&c->over, a);
    const char *value = cs_scale_value(at, axis->name);
    cs_text_add_name(&names, axis->name);
    if (value == NULL) continue;
    cs_text_free(&names);
    c->role[a] = CS_ROLE_FIXED;
    return cs_scale_choose(axis->length, axis->values, axis->labels, value, "at", at, &c->fixed[a], error);
  }
  return cs_scale_fail_axis("at", at, &names, error);
}

/* ---- runs */

size_t cs_comparison_axes(const struct cs_comparison *c, enum cs_role role) {
  size_t axes = 0;
  for (size_t a = 0; a < c->status->dimensions; a++)
    axes += c->role[a] == role;
  return axes;
}

size_t cs_comparison_member(const struct cs_comparison *c, enum cs_role role, size_t index) {
  size_t run = 0, stride = 1;
  for (size_t a = c->status->dimensions; a-- > 0;) {
    const size_t length = cs_runs_axis(&c->over, a)->length;
    if (c->role[a] == CS_ROLE_FIXED) {
      run += c->fixed[a] * stride;
    } else if (c->role[a] == role) {
      run += index % length * stride;
      index /= length;
    }
    stride *= length;
  }
  return run;
}

/* Number of a run's case or combination: its positions along the axes of that role, the last fastest. */
static size_t index_of(const struct cs_comparison *c, enum cs_role role, const size_t *position) {
  size_t index = 0;
  for (size_t a = 0; a < c->status->dimensions; a++)
    if (c->role[a] == role) index = index * cs_runs_axis(&c->over, a)->length + position[a];
  return index;
}

static size_t count_of(const struct cs_comparison *c, enum cs_role role) {
  size_t count = 1;
  for (size_t a = 0; a < c->status->dimensions; a++)
    if (c->role[a] == role) count *= cs_runs_axis(&c->over, a)->length;
  return count;
}

/* The absolute value of the chosen signal, or the maximum over all; NaN if any of them is not finite. */
static double error_of(const struct cs_comparison *c, size_t run) {
  double largest = 0.0;
  for (size_t i = 0; i < c->signals->length; i++) {
    if (c->signal != SIZE_MAX && c->signal != i) continue;
    const double value = cs_table_float64(c->metric, run * c->signals->length + i);
    if (!isfinite(value)) return NAN;
    largest = fmax(largest, fabs(value));
  }
  return largest;
}

/* Of a run the error that may be on a front: NaN where it is unstable or above the signal. */
struct judge {
  const struct cs_array *radius, *own, *exact; /* spectral_radius and that of the model, output_exact; NULL: absent */
  bool relative;
};

static struct judge find_judge(const struct cs_comparison *c) {
  const struct cs_array *radius = cs_table_find(c->table, "spectral_radius"),
                        *own = cs_table_find(c->table, "spectral_radius_exact"),
                        *exact = cs_table_find(c->table, "output_exact");
  const bool plain = strcmp(c->metric->name, "output_error") == 0;
  return (struct judge){
      .radius = radius != NULL && radius->type == CS_FLOAT64 && per_run(c, radius, 0) ? radius : NULL,
      .own = own != NULL && own->type == CS_FLOAT64 && per_run(c, own, 0) ? own : NULL,
      .exact = plain && exact != NULL && exact->type == CS_FLOAT64 && exact->count == c->metric->count ? exact : NULL,
      .relative = strcmp(c->metric->name, "output_error_relative") == 0};
}

static bool is_unstable(const struct judge *judge, size_t run) {
  const double most = judge->own != NULL ? fmax(cs_table_float64(judge->own, run), 1.0) : 1.0;
  return judge->radius != NULL && cs_table_float64(judge->radius, run) > most * (1.0 + 1e-9);
}

/* The signal is the chosen one, or the one with the largest error. */
static bool is_above(const struct cs_comparison *c, const struct judge *judge, size_t run, double value) {
  if (judge->relative) return value > 1.0;
  for (size_t i = 0; i < c->signals->length && judge->exact != NULL; i++) {
    const size_t at = run * c->signals->length + i;
    if (c->signal != SIZE_MAX ? c->signal == i : fabs(cs_table_float64(c->metric, at)) == value)
      return value > cs_table_float64(judge->exact, at);
  }
  return false;
}

static double front_error(struct cs_comparison *c, const struct judge *judge, size_t run, double value) {
  if (isnan(value)) return value;
  const bool unstable = is_unstable(judge, run), above = !unstable && is_above(c, judge, run, value);
  c->unstable += unstable;
  c->above += above;
  return unstable || above ? NAN : value;
}

static bool is_selected(const struct cs_comparison *c, const size_t *position) {
  for (size_t a = 0; a < c->status->dimensions; a++)
    if (c->role[a] == CS_ROLE_FIXED && position[a] != c->fixed[a]) return false;
  return true;
}

static int take_runs(struct cs_comparison *c, struct cs_error *error) {
  const size_t runs = c->status->count;
  double *cost = c->memory_numbers = malloc(3 * (runs + 1) * sizeof *cost), *of = cost + runs, *front = of + runs;
  size_t *of_case = c->memory_indices = malloc(2 * (runs + 1) * sizeof *of_case), *combination = of_case + runs;
  if (cost == NULL || of_case == NULL) return cs_error_memory(error);
  const struct judge judge = find_judge(c);
  c->judged = judge.radius != NULL || judge.exact != NULL || judge.relative;
  for (size_t run = 0; run < runs; run++) {
    size_t position[CS_MAX_DIMENSIONS];
    for (size_t a = 0; a < c->status->dimensions; a++)
      position[a] = cs_runs_position(&c->over, run, a);
    const bool selected = is_selected(c, position), good = cs_table_uint8(c->status, run) == 0;
    cost[run] = (double)cs_table_int64(c->cost, run);
    of[run] = selected && good ? error_of(c, run) : NAN;
    front[run] = front_error(c, &judge, run, of[run]);
    of_case[run] = index_of(c, CS_ROLE_CASE, position);
    combination[run] = index_of(c, CS_ROLE_COMBINATION, position);
    c->selected += selected;
    c->failed += selected && !good;
    c->not_finite += selected && good && isnan(of[run]);
  }
  c->runs = (struct cs_rank_runs){.runs = runs,
                                  .cases = count_of(c, CS_ROLE_CASE),
                                  .combinations = count_of(c, CS_ROLE_COMBINATION),
                                  .cost = cost,
                                  .error = of,
                                  .case_of = of_case,
                                  .combination_of = combination};
  c->fronts = c->runs;
  c->fronts.error = front;
  return CS_OK;
}

/* ---- the whole */

static int open(struct cs_comparison *c, const struct cs_comparison_wish *wish, struct cs_error *error) {
  int code = cs_runs_open(c->table, &c->over, error);
  if (code == CS_OK) code = cs_runs_check(&c->over, error);
  c->status = c->over.status;
  if (code == CS_OK) code = find_array(c, "rank", wish->metric, is_error, &c->metric, error);
  if (code == CS_OK) code = find_cost(c, wish->cost, error);
  if (code == CS_OK) code = find_signal(c, wish->signal, error);
  if (code == CS_OK) code = find_roles(c, error);
  if (code == CS_OK) code = choose_ranked(c, wish, error);
  for (size_t i = 0; i < wish->ats && code == CS_OK; i++)
    code = fix(c, wish->at[i], error);
  if (code == CS_OK) let_problems_compete(c);
  return code == CS_OK ? take_runs(c, error) : code;
}

int cs_comparison_open(const struct cs_table *table, const struct cs_comparison_wish *wish,
                       struct cs_comparison *comparison, struct cs_error *error) {
  struct cs_error why = {0};
  *comparison = (struct cs_comparison){.table = table};
  const int code = open(comparison, wish, &why);
  if (code == CS_IO) return cs_error_set(error, code, "%s: %s", wish->path, why.message);
  if (code != CS_OK) cs_error_set(error, code, "%s", why.message);
  return cs_error_usage(error, code, "info");
}

void cs_comparison_free(struct cs_comparison *comparison) {
  cs_runs_close(&comparison->over);
  free(comparison->memory_numbers);
  free(comparison->memory_indices);
  *comparison = (struct cs_comparison){0};
}
