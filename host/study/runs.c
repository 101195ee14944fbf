#include "runs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/* ---- entries of the sweep */

/* The axis of that name in the sweep; NULL if there is none. */
static const struct cs_node *find_axis(const struct cs_json *sweep, const char *name) {
  const struct cs_node *axes = sweep != NULL ? cs_json_get(cs_json_root(sweep), "axes") : NULL;
  for (size_t i = 0; axes != NULL && i < cs_json_length(axes); i++) {
    const struct cs_node *said = cs_json_get(cs_json_at(axes, i), "name");
    if (said != NULL && cs_json_kind(said) == CS_STRING && strcmp(cs_json_string(said), name) == 0)
      return cs_json_at(axes, i);
  }
  return NULL;
}

static const char *text_of(const struct cs_node *node) {
  return cs_json_kind(node) == CS_STRING ? cs_json_string(node) : "";
}

const char *cs_runs_path(const struct cs_node *axis, size_t index) {
  const struct cs_node *path = axis != NULL ? cs_json_get(axis, "path") : NULL;
  const struct cs_node *paths = axis != NULL ? cs_json_get(axis, "paths") : NULL;
  const struct cs_node *zip = axis != NULL ? cs_json_get(axis, "zip") : NULL;
  if (path != NULL) return index == 0 ? text_of(path) : NULL;
  if (paths != NULL) return index < cs_json_length(paths) ? text_of(cs_json_at(paths, index)) : NULL;
  return zip != NULL && index < cs_json_length(zip) ? cs_json_key(cs_json_at(zip, index)) : NULL;
}

/* ---- meaning of paths */

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

static enum cs_nature nature_of_path(const char *path) {
  static const char *const sizes[] = {"step.size", ".tolerance", "step.atol", "step.rtol", "step.min", "step.max"};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (ends_with(path, sizes[i])) return CS_NATURE_STEP;
  return ends_with(path, "order") ? CS_NATURE_ORDER : CS_NATURE_NUMBER;
}

enum cs_role cs_runs_role_of(const char *path) {
  static const char *const words[] = {"control", "end",    "estimate", "norm", "bonds",
                                      "signal",  "detect", "reset",    "grid", "first"};
  static const char step[] = "method.step.", events[] = "method.events.";
  if (starts_with(path, "parameters.") || starts_with(path, "modes.") || strcmp(path, "t_end") == 0 ||
      strcmp(path, "method.error_at") == 0 || strcmp(path, "method.events.window") == 0)
    return CS_ROLE_CASE;
  if (ends_with(path, ".tolerance")) return CS_ROLE_KNOB; /* of a solver, global or of one subsystem */
  if (!starts_with(path, step) && !starts_with(path, events)) return CS_ROLE_COMBINATION;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(strrchr(path, '.') + 1, words[i]) == 0) return CS_ROLE_COMBINATION;
  return CS_ROLE_KNOB;
}

/* ---- dimensions */

/* With several paths, the last one that is not a plain number determines the nature; a case outranks a combination,
 * and a combination a knob. */
static void judge_axis(const struct cs_dimension *dimension, struct cs_runs_dimension *d) {
  const char *path;
  d->nature = CS_NATURE_NUMBER;
  d->role = CS_ROLE_KNOB;
  for (size_t i = 0; (path = cs_runs_path(d->axis, i)) != NULL; i++) {
    const enum cs_nature nature = nature_of_path(path);
    const enum cs_role role = cs_runs_role_of(path);
    if (nature != CS_NATURE_NUMBER) d->nature = nature;
    if (role < d->role) d->role = role;
  }
  if (cs_json_get(d->axis, "zip") != NULL || dimension->labels != NULL) d->nature = CS_NATURE_WORD;
}

static bool is_of_runs(const struct cs_runs *runs, size_t dimension) {
  for (size_t i = 0; runs->status != NULL && i < runs->status->dimensions; i++)
    if (runs->status->dimension[i] == dimension) return true;
  return false;
}

static int open_dimension(struct cs_runs *runs, size_t index, struct cs_error *error) {
  const struct cs_dimension *dimension = &runs->table->dimension[index];
  struct cs_runs_dimension *d = &runs->dimension[index];
  struct cs_text paths = {0};
  const char *path;
  *d = (struct cs_runs_dimension){
      .axis = find_axis(runs->sweep, dimension->name), .nature = CS_NATURE_SIGNAL, .role = CS_ROLE_COMBINATION};
  if (d->axis != NULL)
    judge_axis(dimension, d);
  else if (is_of_runs(runs, index))
    d->nature = dimension->values != NULL ? CS_NATURE_NUMBER : CS_NATURE_WORD;
  cs_text_append(&paths, "", 0);
  for (size_t i = 0; (path = cs_runs_path(d->axis, i)) != NULL; i++)
    cs_text_add_name(&paths, path);
  d->paths = paths.data;
  return paths.failed ? cs_error_memory(error) : CS_OK;
}

/* ---- the whole */

/* JSON among the notes; NULL if there is none. CS_IO if it is not valid. */
static int open_note(const struct cs_table *table, const char *name, const char *said, struct cs_json **json,
                     struct cs_error *error) {
  const char *text = cs_table_text(table, name);
  if (text == NULL) return CS_OK;
  const int code = cs_json_parse(said, text, strlen(text), json, error);
  return code == CS_INPUT ? CS_IO : code;
}

int cs_runs_open(const struct cs_table *table, struct cs_runs *runs, struct cs_error *error) {
  *runs = (struct cs_runs){.table = table, .status = cs_table_find(table, "status")};
  if (runs->status != NULL && runs->status->type != CS_UINT8) runs->status = NULL;
  runs->dimension = calloc(table->dimensions + 1, sizeof *runs->dimension);
  if (runs->dimension == NULL) return cs_error_memory(error);
  int code = open_note(table, "sweep", "provenance/sweep", &runs->sweep, error);
  if (code == CS_OK) code = open_note(table, "designs", "provenance/designs", &runs->designs, error);
  for (size_t i = 0; i < table->dimensions; i++)
    if (open_dimension(runs, i, error) != CS_OK) return CS_DEVICE;
  return code;
}

void cs_runs_close(struct cs_runs *runs) {
  for (size_t i = 0; runs->dimension != NULL && i < runs->table->dimensions; i++)
    free(runs->dimension[i].paths);
  free(runs->dimension);
  cs_json_free(runs->sweep);
  cs_json_free(runs->designs);
  *runs = (struct cs_runs){0};
}

const struct cs_node *cs_runs_design(const struct cs_runs *runs, const char *axis) {
  return runs->designs != NULL ? cs_json_get(cs_json_root(runs->designs), axis) : NULL;
}

int cs_runs_check(const struct cs_runs *runs, struct cs_error *error) {
  if (runs->status == NULL) return cs_error_set(error, CS_IO, "no variable \"status\"; want a result of cosweep");
  if (runs->sweep != NULL) return CS_OK;
  return cs_error_set(error, CS_IO, "no text \"sweep\" in provenance; want a result of cosweep");
}

const struct cs_dimension *cs_runs_axis(const struct cs_runs *runs, size_t axis) {
  return &runs->table->dimension[runs->status->dimension[axis]];
}

const struct cs_runs_dimension *cs_runs_about(const struct cs_runs *runs, size_t axis) {
  return &runs->dimension[runs->status->dimension[axis]];
}

bool cs_runs_is_zip(const struct cs_runs *runs, size_t axis) {
  const struct cs_node *node = cs_runs_about(runs, axis)->axis;
  return node != NULL && cs_json_get(node, "zip") != NULL;
}

size_t cs_runs_position(const struct cs_runs *runs, size_t run, size_t axis) {
  for (size_t i = runs->status->dimensions; i-- > axis + 1;)
    run /= cs_runs_axis(runs, i)->length;
  return run % cs_runs_axis(runs, axis)->length;
}

size_t cs_runs_of_row(const struct cs_runs *runs, size_t axis, size_t row) {
  size_t inner = 1;
  for (size_t i = axis + 1; i < runs->status->dimensions; i++)
    inner *= cs_runs_axis(runs, i)->length;
  return row / inner * inner * cs_runs_axis(runs, axis)->length + row % inner;
}

const char *cs_runs_setting(const struct cs_runs *runs, size_t dimension, const struct cs_array *array) {
  const struct cs_node *axis = runs->dimension[dimension].axis;
  const char *name = runs->table->dimension[dimension].name, *path;
  const size_t length = strlen(name);
  if (axis == NULL || cs_json_get(axis, "zip") == NULL || array->dimensions != 1 || array->dimension[0] != dimension ||
      (array->type != CS_FLOAT64 && array->type != CS_TEXT) || !starts_with(array->name, name) ||
      array->name[length] != '_')
    return NULL;
  for (size_t i = 0; (path = cs_runs_path(axis, i)) != NULL; i++) {
    const char *dot = strrchr(path, '.');
    if (strcmp(array->name + length + 1, dot != NULL ? dot + 1 : path) == 0) return array->name + length + 1;
  }
  return NULL;
}

bool cs_runs_is_idle(const struct cs_runs *runs, size_t dimension, const char *setting, size_t at) {
  if (strcmp(setting, "sequence") != 0) return false;
  const struct cs_array *master = cs_runs_find(runs->table, runs->table->dimension[dimension].name, "_master", CS_TEXT);
  return master != NULL && cs_runs_setting(runs, dimension, master) != NULL &&
         strcmp(master->data.text[at], "jacobi") == 0;
}

size_t cs_runs_columns(const struct cs_runs *runs, size_t axis, struct cs_runs_column *column, size_t room) {
  const struct cs_dimension *dimension = cs_runs_axis(runs, axis);
  size_t count = 0;
  for (size_t i = 0; i < runs->table->arrays && count < room; i++) {
    const struct cs_array *array = &runs->table->array[i];
    const char *setting = cs_runs_setting(runs, runs->status->dimension[axis], array);
    if (setting == NULL) continue;
    column[count] = (struct cs_runs_column){.name = setting, .axis = axis, .array = array};
    if (array->type == CS_TEXT)
      column[count++].labels = array->data.text;
    else
      column[count++].values = array->data.float64;
  }
  if (count == 0 && room > 0)
    column[count++] = (struct cs_runs_column){
        .name = dimension->name, .axis = axis, .labels = dimension->labels, .values = dimension->values};
  return count;
}

void cs_runs_add_value(const struct cs_runs *runs, const struct cs_runs_column *column, size_t run,
                       struct cs_text *text) {
  const size_t at = cs_runs_position(runs, run, column->axis);
  if (column->labels != NULL)
    cs_text_add(text, "%s", column->labels[at]);
  else
    cs_text_add(text, "%.4g", column->values[at]);
}

const struct cs_array *cs_runs_find(const struct cs_table *table, const char *name, const char *ending,
                                    enum cs_type type) {
  const size_t length = strlen(name);
  for (size_t i = 0; i < table->arrays; i++) {
    const struct cs_array *array = &table->array[i];
    if (starts_with(array->name, name) && strcmp(array->name + length, ending) == 0)
      return array->type == type ? array : NULL;
  }
  return NULL;
}

const struct cs_array *cs_runs_units(const struct cs_table *table, const struct cs_dimension *signals) {
  const struct cs_array *units = cs_runs_find(table, signals->name, "_units", CS_TEXT);
  return units != NULL && units->count == signals->length ? units : NULL;
}

const struct cs_array *cs_runs_usual(const struct cs_table *table, enum cs_use use) {
  const struct cs_array *array = NULL;
  long m;
  for (size_t place = 1; array == NULL && (m = cs_metric_usual(use, place)) >= 0; place++)
    array = cs_table_find(table, cs_metric_table[m].name);
  return array;
}
