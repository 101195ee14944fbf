/* The part of a table that a figure draws: an array, and the selected positions along its dimensions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scale.h"
#include "status.h"
#include "view.h"
#include "word_list.h"

/* ---- numbers */

bool cs_view_is_log(const double *values, size_t count) {
  double least = INFINITY, most = -INFINITY, linear = 0.0, logarithmic = 0.0;
  for (size_t i = 0; i < count; i++) {
    least = fmin(least, values[i]);
    most = fmax(most, values[i]);
  }
  if (count < 3 || !(least > 0.0) || !(most >= 5.0 * least)) return false;
  /* The better scale has the smaller maximum gap, relative to the range. */
  for (size_t i = 1; i < count; i++) {
    linear = fmax(linear, fabs(values[i] - values[i - 1]) / (most - least));
    logarithmic = fmax(logarithmic, fabs(log(values[i] / values[i - 1])) / log(most / least));
  }
  return logarithmic < linear;
}

/* ---- what dimensions are */

static int open_slices(struct cs_view *view, struct cs_error *error) {
  int code = cs_runs_open(view->table, &view->runs, error);
  for (size_t i = 0; i < view->metric->dimensions && code == CS_OK; i++) {
    struct cs_slice *slice = &view->slice[i];
    const struct cs_dimension *dimension = &view->table->dimension[view->metric->dimension[i]];
    const struct cs_runs_dimension *about = &view->runs.dimension[view->metric->dimension[i]];
    *slice = (struct cs_slice){.dimension = dimension,
                               .nature = about->nature,
                               .problem = about->role == CS_ROLE_CASE,
                               .count = dimension->length};
    view->slices++;
    slice->kept = malloc(slice->count * sizeof *slice->kept);
    if (slice->kept == NULL) code = cs_error_memory(error);
    for (size_t k = 0; k < slice->count && code == CS_OK; k++)
      slice->kept[k] = k;
  }
  return code;
}

/* ---- what the user names */

struct cs_slice *cs_view_find(struct cs_view *view, const char *dimension) {
  for (size_t i = 0; i < view->slices; i++)
    if (strcmp(view->slice[i].dimension->name, dimension) == 0) return &view->slice[i];
  return NULL;
}

int cs_view_need(struct cs_view *view, const char *option, const char *name, struct cs_slice **slice,
                 struct cs_error *error) {
  struct cs_text names = {0};
  *slice = cs_view_find(view, name);
  if (*slice != NULL) return CS_OK;
  for (size_t i = 0; i < view->slices; i++)
    cs_text_add_name(&names, view->slice[i].dimension->name);
  return cs_scale_fail(option, name, &names, error);
}

/* Selects a position of a slice; the first one selected drops all others. */
static int keep_position(void *of, size_t at, struct cs_error *error) {
  struct cs_slice *slice = of;
  size_t place = 0;
  (void)error;
  if (!slice->chosen) slice->count = 0;
  slice->chosen = true;
  while (place < slice->count && slice->kept[place] < at)
    place++;
  if (place < slice->count && slice->kept[place] == at) return CS_OK;
  memmove(&slice->kept[place + 1], &slice->kept[place], (slice->count - place) * sizeof *slice->kept);
  slice->kept[place] = at;
  slice->count++;
  return CS_OK;
}

static int keep(struct cs_slice *slice, const char *option, const char *said, const char *value,
                struct cs_error *error) {
  return cs_scale_take(slice->dimension, value, option, said, keep_position, slice, error);
}

/* Whether the array has a number for each run, along dimensions that the view's metric has too. */
static bool can_filter(const struct cs_view *view, const struct cs_array *array) {
  bool along = array->type != CS_TEXT && cs_metric_find(array->name) >= 0;
  for (size_t i = 0; i < array->dimensions && along; i++) {
    size_t s = 0;
    while (s < view->slices && view->metric->dimension[s] != array->dimension[i])
      s++;
    along = s < view->slices && view->slice[s].nature != CS_NATURE_SIGNAL;
  }
  return along;
}

/* Keeps runs by "metric=number" or "metric=from:to". */
static int keep_runs(struct cs_view *view, const struct cs_array *metric, const char *where, const char *value,
                     struct cs_error *error) {
  struct cs_view_filter filter = {.metric = metric};
  char *end = NULL;
  if (!cs_scale_range(value, &filter.least, &filter.most)) {
    filter.least = filter.most = strtod(value, &end);
    if (end == value || *end != '\0' || isnan(filter.least))
      return cs_error_set(error, CS_USAGE, "--where \"%s\"; want %s=NUMBER or %s=FROM:TO", where, metric->name,
                          metric->name);
  }
  if (view->filters == CS_VIEW_FILTERS)
    return cs_error_set(error, CS_USAGE, "--where \"%s\": want at most %d metrics", where, CS_VIEW_FILTERS);
  view->filter[view->filters++] = filter;
  return CS_OK;
}

/* Selects by "dimension=value", or runs by "metric=value". */
static int keep_where(struct cs_view *view, const char *where, struct cs_error *error) {
  struct cs_text names = {0};
  for (size_t i = 0; i < view->slices; i++) {
    const char *name = view->slice[i].dimension->name, *value = cs_scale_value(where, name);
    cs_text_add_name(&names, name);
    if (value == NULL) continue;
    cs_text_free(&names);
    return keep(&view->slice[i], "where", where, value, error);
  }
  for (size_t i = 0; i < view->table->arrays; i++) {
    const struct cs_array *array = &view->table->array[i];
    if (!can_filter(view, array)) continue;
    const char *value = cs_scale_value(where, array->name);
    cs_text_add_name(&names, array->name);
    if (value == NULL) continue;
    cs_text_free(&names);
    return keep_runs(view, array, where, value, error);
  }
  return cs_scale_fail_axis("where", where, &names, error);
}

static int keep_signal(struct cs_view *view, struct cs_error *error) {
  const char *signal = view->request->signal;
  for (size_t i = 0; i < view->slices && signal != NULL; i++)
    if (view->slice[i].nature == CS_NATURE_SIGNAL) return keep(&view->slice[i], "signal", signal, signal, error);
  if (signal == NULL) return CS_OK;
  return cs_error_set(error, CS_USAGE, "--signal \"%s\"; %s has no signals", signal, view->metric->name);
}

int cs_view_assign(struct cs_view *view, const char *option, const char *names, enum cs_part part,
                   struct cs_error *error) {
  struct cs_word_list list;
  if (names == NULL || names[0] == '\0') return CS_OK;
  int code = cs_word_list_read(names, &list, error);
  for (size_t i = 0; i < list.count && code == CS_OK; i++) {
    struct cs_slice *slice = NULL;
    code = cs_view_need(view, option, list.word[i], &slice, error);
    if (code == CS_OK && slice->part != CS_PART_NONE && slice->part != part)
      code =
          cs_error_set(error, CS_USAGE, "--%s \"%s\": the figure uses this dimension already; want another dimension",
                       option, list.word[i]);
    if (code == CS_OK) slice->part = part;
  }
  cs_word_list_free(&list);
  return code;
}

/* ---- the whole */

bool cs_view_can_draw(const struct cs_array *array) {
  return array->type != CS_TEXT && array->dimensions > 0;
}

bool cs_view_is_radius(const struct cs_view *view) {
  const long m = cs_metric_find(view->metric->name);
  return m >= 0 && cs_metric_table[m].radius;
}

const struct cs_array *cs_view_crossings(const struct cs_view *view, const struct cs_slice *slice) {
  const struct cs_array *found =
      cs_runs_find(view->table, slice->dimension->name, cs_metric_limit[CS_LIMIT_CROSSINGS].suffix, CS_FLOAT64);
  return found != NULL && found->dimensions == view->slices ? found : NULL;
}

size_t cs_view_crossings_at(const struct cs_view *view, const struct cs_array *crossings, const size_t *position,
                            const double **value) {
  size_t count = 0;
  if (crossings == NULL) return 0;
  const size_t most = view->table->dimension[crossings->dimension[crossings->dimensions - 1]].length;
  *value = crossings->data.float64 + cs_view_item(view, crossings, position);
  while (count < most && !isnan((*value)[count]))
    count++;
  return count;
}

int cs_view_open(const struct cs_table *table, const struct cs_figure_request *request, const char *metric,
                 struct cs_view *view, struct cs_error *error) {
  *view = (struct cs_view){.table = table, .request = request};
  view->metric = metric != NULL ? cs_table_find(table, metric) : NULL;
  if (view->metric == NULL || !cs_view_can_draw(view->metric)) {
    struct cs_text names = {0};
    for (size_t i = 0; i < table->arrays; i++)
      if (cs_view_can_draw(&table->array[i])) cs_text_add_name(&names, table->array[i].name);
    return cs_scale_fail("metric", metric != NULL ? metric : "", &names, error);
  }
  int code = open_slices(view, error);
  view->status = view->runs.status;
  /* If a dimension of the runs is missing, as for fitted orders, values have no status. */
  for (size_t i = 0; view->status != NULL && i < view->status->dimensions; i++)
    if (cs_view_find(view, table->dimension[view->status->dimension[i]].name) == NULL) view->status = NULL;
  for (size_t i = 0; i < request->wheres && code == CS_OK; i++)
    code = keep_where(view, request->where[i], error);
  return code == CS_OK ? keep_signal(view, error) : code;
}

void cs_view_close(struct cs_view *view) {
  for (size_t i = 0; i < view->slices; i++)
    free(view->slice[i].kept);
  cs_runs_close(&view->runs);
  cs_text_free(&view->notes);
  *view = (struct cs_view){0};
}

size_t cs_view_item(const struct cs_view *view, const struct cs_array *array, const size_t *position) {
  size_t item = 0;
  for (size_t i = 0; i < array->dimensions; i++) {
    size_t at = 0;
    for (size_t s = 0; s < view->slices; s++)
      if (view->metric->dimension[s] == array->dimension[i]) at = position[s];
    item = item * view->table->dimension[array->dimension[i]].length + at;
  }
  return item;
}

static bool is_failed(const struct cs_view *view, const size_t *position) {
  return view->status != NULL && cs_table_uint8(view->status, cs_view_item(view, view->status, position)) != 0;
}

static bool is_outside(const struct cs_view *view, const size_t *position) {
  bool inside = true;
  for (size_t i = 0; i < view->filters && inside; i++) {
    const struct cs_view_filter *f = &view->filter[i];
    const double value = cs_table_number(f->metric, cs_view_item(view, f->metric, position));
    inside = value >= f->least && value <= f->most;
  }
  return !inside;
}

bool cs_view_failed(const struct cs_view *view, const size_t *position) {
  return is_failed(view, position) || is_outside(view, position);
}

double cs_view_value(struct cs_view *view, const size_t *position) {
  const bool own = view->metric == view->status; /* the status itself is valid for every run */
  if (!own && is_failed(view, position)) {
    const bool skipped = cs_table_uint8(view->status, cs_view_item(view, view->status, position)) == CS_STATUS_SKIPPED;
    view->lost.skipped += skipped;
    view->lost.failed += !skipped;
    return NAN;
  }
  if (is_outside(view, position)) {
    view->lost.outside++;
    return NAN;
  }
  const double value = cs_table_number(view->metric, cs_view_item(view, view->metric, position));
  return isfinite(value) ? value : NAN;
}
