/* The part of a table that a figure draws: an array, which positions of its dimensions, what they mean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"
#include "json.h"
#include "runs.h"
#include "scale.h"

/* ---- numbers */

bool cs_figure_is_log(const double *values, size_t count) {
  double least = INFINITY, most = -INFINITY, linear = 0.0, logarithmic = 0.0;
  for (size_t i = 0; i < count; i++) {
    least = fmin(least, values[i]);
    most = fmax(most, values[i]);
  }
  if (count < 3 || !(least > 0.0) || !(most >= 5.0 * least)) return false;
  /* The largest gap, relative to the range, is smaller on the scale that the values are spread on. */
  for (size_t i = 1; i < count; i++) {
    linear = fmax(linear, fabs(values[i] - values[i - 1]) / (most - least));
    logarithmic = fmax(logarithmic, fabs(log(values[i] / values[i - 1])) / log(most / least));
  }
  return logarithmic < linear;
}

/* ---- what dimensions are */

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void judge_path(const char *path, struct cs_slice *slice) {
  if (path == NULL) return;
  static const char *const sizes[] = {"step.size", ".tolerance", "step.atol", "step.rtol", "step.min", "step.max"};
  if (ends_with(path, "order")) slice->nature = CS_NATURE_ORDER;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (ends_with(path, sizes[i])) slice->nature = CS_NATURE_STEP;
  if (strncmp(path, "parameters.", 11) == 0 || strcmp(path, "t_end") == 0) slice->problem = true;
}

static void judge_axis(const struct cs_node *axis, struct cs_slice *slice) {
  const struct cs_node *path = cs_node_get(axis, "path"), *paths = cs_node_get(axis, "paths");
  const struct cs_node *zip = cs_node_get(axis, "zip");
  slice->nature = CS_NATURE_NUMBER;
  if (path != NULL) judge_path(cs_node_string(path), slice);
  for (size_t i = 0; paths != NULL && i < cs_node_length(paths); i++)
    judge_path(cs_node_string(cs_node_at(paths, i)), slice);
  for (size_t i = 0; zip != NULL && i < cs_node_length(zip); i++)
    judge_path(cs_node_key(cs_node_at(zip, i)), slice);
  if (zip != NULL || slice->dimension->labels != NULL) slice->nature = CS_NATURE_WORD;
}

/* Is the dimension one of the runs'? */
static bool is_axis(const struct cs_view *view, size_t dimension) {
  for (size_t i = 0; view->status != NULL && i < view->status->dimensions; i++)
    if (view->status->dimension[i] == dimension) return true;
  return false;
}

static int open_slices(struct cs_view *view, struct cs_error *error) {
  const struct cs_note *note = cs_table_find_note(view->table, "sweep");
  struct cs_json *sweep = NULL;
  int code = CS_OK;
  if (note != NULL && note->type == CS_TEXT && note->count > 0)
    code = cs_json_parse("provenance/sweep", note->text[0], strlen(note->text[0]), &sweep, error);
  for (size_t i = 0; i < view->metric->dimensions && code == CS_OK; i++) {
    struct cs_slice *slice = &view->slice[i];
    const struct cs_node *axis;
    *slice =
        (struct cs_slice){.dimension = &view->table->dimension[view->metric->dimension[i]], .nature = CS_NATURE_SIGNAL};
    view->slices++;
    slice->count = slice->dimension->length;
    slice->kept = malloc(slice->count * sizeof *slice->kept);
    if (slice->kept == NULL) code = cs_error_memory(error);
    for (size_t k = 0; k < slice->count && code == CS_OK; k++)
      slice->kept[k] = k;
    axis = cs_runs_axis(sweep, slice->dimension->name);
    if (axis != NULL)
      judge_axis(axis, slice);
    else if (is_axis(view, view->metric->dimension[i]))
      slice->nature = slice->dimension->values != NULL ? CS_NATURE_NUMBER : CS_NATURE_WORD;
  }
  cs_json_free(sweep);
  return code;
}

/* ---- what the user names */

static int fail_names(struct cs_error *error, const char *option, const char *word, struct cs_text *names) {
  const int code = cs_error_set(error, CS_USAGE, "--%s \"%s\"; want one of: %s", option, word,
                                names->data != NULL ? names->data : "(the file has none)");
  cs_text_free(names);
  return code;
}

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
  return fail_names(error, option, name, &names);
}

/* Keeps one position of a slice; the first one named drops all others. */
static int keep(struct cs_slice *slice, const char *option, const char *said, const char *value,
                struct cs_error *error) {
  const struct cs_dimension *d = slice->dimension;
  const size_t at = cs_scale_position(d->length, d->values, d->labels, value);
  size_t place = 0;
  if (at == d->length) {
    struct cs_text names = {0};
    cs_scale_list(d->length, d->values, d->labels, &names);
    return fail_names(error, option, said, &names);
  }
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

/* "dimension=value". One that the metric has not got is an error only where the table has none of that name. */
static int keep_where(struct cs_view *view, const char *where, struct cs_error *error) {
  const size_t length = strcspn(where, "=");
  struct cs_text names = {0};
  for (size_t i = 0; i < view->slices; i++) {
    const char *name = view->slice[i].dimension->name;
    if (where[length] != '\0' && strlen(name) == length && memcmp(name, where, length) == 0) {
      cs_text_free(&names);
      return keep(&view->slice[i], "where", where, where + length + 1, error);
    }
    cs_text_add_name(&names, name);
  }
  const int code = cs_error_set(error, CS_USAGE, "--where \"%s\"; want AXIS=VALUE with AXIS one of: %s", where,
                                names.data != NULL ? names.data : "(the metric has none)");
  cs_text_free(&names);
  return code;
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
  int code = CS_OK;
  while (names != NULL && *names != '\0' && code == CS_OK) {
    struct cs_text name = {0};
    struct cs_slice *slice = NULL;
    const size_t length = strcspn(names, ",");
    cs_text_append(&name, names, length);
    code = name.failed ? cs_error_memory(error) : cs_view_need(view, option, name.data, &slice, error);
    if (code == CS_OK && slice->part != CS_PART_NONE && slice->part != part)
      code = cs_error_set(error, CS_USAGE, "--%s \"%s\": the figure has it elsewhere already; want another dimension",
                          option, name.data);
    if (code == CS_OK) slice->part = part;
    cs_text_free(&name);
    names += length + (names[length] == ',');
  }
  return code;
}

/* ---- the whole */

static bool is_drawable(const struct cs_array *array) {
  return array->type != CS_TEXT && array->dimensions > 0;
}

const char *cs_figure_metric(const struct cs_table *table, const char *const *usual, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (cs_table_find(table, usual[i]) != NULL) return usual[i];
  for (size_t i = 0; i < table->arrays; i++)
    if (table->array[i].type == CS_FLOAT64 && table->array[i].dimensions > 1) return table->array[i].name;
  for (size_t i = 0; i < table->arrays; i++)
    if (is_drawable(&table->array[i])) return table->array[i].name;
  return NULL;
}

int cs_view_open(const struct cs_table *table, const struct cs_figure_request *request, const char *metric,
                 struct cs_view *view, struct cs_error *error) {
  *view = (struct cs_view){.table = table, .request = request, .status = cs_table_find(table, "status")};
  view->metric = metric != NULL ? cs_table_find(table, metric) : NULL;
  if (view->metric == NULL || !is_drawable(view->metric)) {
    struct cs_text names = {0};
    for (size_t i = 0; i < table->arrays; i++)
      if (is_drawable(&table->array[i])) cs_text_add_name(&names, table->array[i].name);
    return fail_names(error, "metric", metric != NULL ? metric : "", &names);
  }
  int code = open_slices(view, error);
  /* Where a dimension of the runs is gone, as from fitted orders, a status does not belong to a value. */
  for (size_t i = 0; view->status != NULL && i < view->status->dimensions; i++)
    if (cs_view_find(view, table->dimension[view->status->dimension[i]].name) == NULL) view->status = NULL;
  if (view->status != NULL && view->status->type != CS_UINT8) view->status = NULL;
  for (size_t i = 0; i < request->wheres && code == CS_OK; i++)
    code = keep_where(view, request->where[i], error);
  return code == CS_OK ? keep_signal(view, error) : code;
}

void cs_view_close(struct cs_view *view) {
  for (size_t i = 0; i < view->slices; i++)
    free(view->slice[i].kept);
  cs_text_free(&view->notes);
  *view = (struct cs_view){0};
}

bool cs_view_failed(const struct cs_view *view, const size_t *position) {
  size_t run = 0;
  for (size_t i = 0; view->status != NULL && i < view->status->dimensions; i++) {
    const size_t dimension = view->status->dimension[i];
    for (size_t s = 0; s < view->slices; s++)
      if (view->metric->dimension[s] == dimension) run = run * view->slice[s].dimension->length + position[s];
  }
  return view->status != NULL && view->status->data.uint8[run] != 0;
}

double cs_view_value(struct cs_view *view, const size_t *position) {
  size_t index = 0;
  for (size_t i = 0; i < view->slices; i++)
    index = index * view->slice[i].dimension->length + position[i];
  const bool own = view->metric == view->status; /* the status itself is good for every run */
  if (!own && cs_view_failed(view, position)) {
    view->failed++;
    return NAN;
  }
  const double value = cs_array_number(view->metric, index);
  return isfinite(value) ? value : NAN;
}
