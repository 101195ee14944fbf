#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "metric.h"
#include "runs.h"
#include "scale.h"
#include "text.h"

/* ---- wishes the file cannot fulfil */

/* A wrong name, and the names there are. */
static int fail_name(struct cs_error *error, const char *option, const char *name, const struct cs_text *names) {
  return cs_error_set(error, CS_USAGE, "cosweep info: --%s \"%s\"; want one of: %s (see: cosweep info --help)", option,
                      name, names->data != NULL ? names->data : "(the file has none)");
}

/* ---- metric, cost and signal */

/* Has the array one value, or [inner] of them, per run? */
static bool per_run(const struct cs_comparison *c, const struct cs_array *array, size_t inner) {
  return array->dimensions == c->status->dimensions + inner &&
         memcmp(array->dimension, c->status->dimension, c->status->dimensions * sizeof *array->dimension) == 0;
}

static bool is_cost(const struct cs_comparison *c, const struct cs_array *array) {
  const long m = cs_metric_find(array->name);
  return m >= 0 && cs_metric_table[m].count && array->type == CS_INT64 && per_run(c, array, 0);
}

static bool is_error(const struct cs_comparison *c, const struct cs_array *array) {
  const long m = cs_metric_find(array->name);
  return m >= 0 && cs_metric_table[m].over != CS_OVER_NOTHING && cs_metric_table[m].over != CS_OVER_BOND &&
         cs_metric_table[m].study == CS_SIMULATION && array->type == CS_FLOAT64 && per_run(c, array, 1);
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
  const int code = fail_name(error, option, name, &names);
  cs_text_free(&names);
  return code;
}

static int find_cost(struct cs_comparison *c, const char *path, const char *name, struct cs_error *error) {
  for (size_t i = 0; i < CS_COSTS && name == NULL; i++)
    if (cs_table_find(c->table, cs_metric_costs[i]) != NULL) name = cs_metric_costs[i];
  if (name != NULL) return find_array(c, "cost", name, is_cost, &c->cost, error);
  return cs_error_set(error, CS_IO, "%s: holds no cost; want evaluations, stages or steps among the sweep's metrics",
                      path);
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
  const int code = c->signal == SIZE_MAX ? fail_name(error, "signal", name, &names) : CS_OK;
  cs_text_free(&names);
  return code;
}

/* ---- roles of axes */

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/* What a path of the sweep file makes of the axis along which it varies. */
static enum cs_role role_of_path(const char *path) {
  static const char step[] = "method.step.";
  static const char *const words[] = {"method.step.control", "method.step.end",   "method.step.estimate",
                                      "method.step.norm",    "method.step.bonds", "method.step.signal"};
  if (starts_with(path, "parameters.") || strcmp(path, "t_end") == 0 || strcmp(path, "method.error_at") == 0)
    return CS_ROLE_CASE;
  const char *last = strrchr(path, '.');
  const bool tolerance = last != NULL && strcmp(last, ".tolerance") == 0; /* of a solver, for all or for a subsystem */
  bool word = false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    word = word || strcmp(path, words[i]) == 0;
  return (starts_with(path, step) && !word) || tolerance ? CS_ROLE_KNOB : CS_ROLE_COMBINATION;
}

/* Of several paths at once: what poses another problem weighs most, then what is another way. */
static void join_role(enum cs_role *role, const char *path) {
  const enum cs_role other = path != NULL ? role_of_path(path) : CS_ROLE_COMBINATION;
  if (other < *role) *role = other;
}

static enum cs_role role_of_axis(const struct cs_node *axis) {
  const struct cs_node *paths = cs_node_get(axis, "paths"), *zip = cs_node_get(axis, "zip");
  const struct cs_node *path = cs_node_get(axis, "path");
  enum cs_role role = CS_ROLE_KNOB;
  if (path != NULL) join_role(&role, cs_node_string(path));
  for (size_t i = 0; paths != NULL && i < cs_node_length(paths); i++)
    join_role(&role, cs_node_string(cs_node_at(paths, i)));
  for (size_t i = 0; zip != NULL && i < cs_node_length(zip); i++)
    join_role(&role, cs_node_key(cs_node_at(zip, i)));
  return role;
}

const struct cs_dimension *cs_comparison_axis(const struct cs_comparison *c, size_t axis) {
  return &c->table->dimension[c->status->dimension[axis]];
}

/* The roles, from the sweep that the file keeps. */
static int find_roles(struct cs_comparison *c, const char *path, struct cs_error *error) {
  const struct cs_note *note = cs_table_find_note(c->table, "sweep");
  struct cs_json *sweep = NULL;
  if (note == NULL || note->type != CS_TEXT || note->count == 0)
    return cs_error_set(error, CS_IO, "%s: no text \"sweep\" in provenance; want a result of cosweep", path);
  int code = cs_json_parse(path, note->text[0], strlen(note->text[0]), &sweep, error);
  if (code != CS_OK) code = CS_IO;
  for (size_t a = 0; a < c->status->dimensions && code == CS_OK; a++) {
    const struct cs_dimension *dimension = cs_comparison_axis(c, a);
    const struct cs_node *axis = cs_runs_axis(sweep, dimension->name);
    if (axis == NULL)
      code = cs_error_set(error, CS_IO, "%s: the sweep in provenance has no axis \"%s\"; want a result of cosweep",
                          path, dimension->name);
    else
      c->role[a] = dimension->length == 1 ? CS_ROLE_FIXED : role_of_axis(axis);
  }
  cs_json_free(sweep);
  return code;
}

/* ---- chosen values */

/* `at` names a value that the axis has not. */
static int fail_value(const struct cs_dimension *axis, const char *at, struct cs_error *error) {
  struct cs_text names = {0};
  cs_scale_list(axis->length, axis->values, axis->labels, &names);
  const int code = fail_name(error, "at", at, &names);
  cs_text_free(&names);
  return code;
}

/* "axis=value". */
static int fix(struct cs_comparison *c, const char *at, struct cs_error *error) {
  const size_t length = strcspn(at, "=");
  struct cs_text names = {0};
  for (size_t a = 0; a < c->status->dimensions; a++) {
    const struct cs_dimension *axis = cs_comparison_axis(c, a);
    cs_text_add_name(&names, axis->name);
    if (at[length] == '\0' || strlen(axis->name) != length || memcmp(axis->name, at, length) != 0) continue;
    cs_text_free(&names);
    c->role[a] = CS_ROLE_FIXED;
    c->fixed[a] = cs_scale_position(axis->length, axis->values, axis->labels, at + length + 1);
    return c->fixed[a] < axis->length ? CS_OK : fail_value(axis, at, error);
  }
  const int code = cs_error_set(error, CS_USAGE,
                                "cosweep info: --at \"%s\"; want AXIS=VALUE with AXIS one of: %s (see: cosweep info "
                                "--help)",
                                at, names.data != NULL ? names.data : "(the file has none)");
  cs_text_free(&names);
  return code;
}

/* ---- runs */

size_t cs_comparison_axes(const struct cs_comparison *c, enum cs_role role) {
  size_t axes = 0;
  for (size_t a = 0; a < c->status->dimensions; a++)
    axes += c->role[a] == role;
  return axes;
}

size_t cs_comparison_position(const struct cs_comparison *c, size_t run, size_t axis) {
  for (size_t a = c->status->dimensions; a-- > axis + 1;)
    run /= cs_comparison_axis(c, a)->length;
  return run % cs_comparison_axis(c, axis)->length;
}

size_t cs_comparison_member(const struct cs_comparison *c, enum cs_role role, size_t index) {
  size_t run = 0, stride = 1;
  for (size_t a = c->status->dimensions; a-- > 0;) {
    const size_t length = cs_comparison_axis(c, a)->length;
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
    if (c->role[a] == role) index = index * cs_comparison_axis(c, a)->length + position[a];
  return index;
}

static size_t count_of(const struct cs_comparison *c, enum cs_role role) {
  size_t count = 1;
  for (size_t a = 0; a < c->status->dimensions; a++)
    if (c->role[a] == role) count *= cs_comparison_axis(c, a)->length;
  return count;
}

/* The chosen signal's absolute value or the largest of all; NaN where one of those asked for is not finite. */
static double error_of(const struct cs_comparison *c, size_t run) {
  const double *value = c->metric->data.float64 + run * c->signals->length;
  double largest = 0.0;
  for (size_t i = 0; i < c->signals->length; i++) {
    if (c->signal != SIZE_MAX && c->signal != i) continue;
    if (!isfinite(value[i])) return NAN;
    largest = fmax(largest, fabs(value[i]));
  }
  return largest;
}

static bool is_selected(const struct cs_comparison *c, const size_t *position) {
  for (size_t a = 0; a < c->status->dimensions; a++)
    if (c->role[a] == CS_ROLE_FIXED && position[a] != c->fixed[a]) return false;
  return true;
}

static int take_runs(struct cs_comparison *c, struct cs_error *error) {
  const size_t runs = c->status->count;
  double *cost = c->memory_numbers = malloc(2 * (runs + 1) * sizeof *cost), *of = cost + runs;
  size_t *of_case = c->memory_indices = malloc(2 * (runs + 1) * sizeof *of_case), *combination = of_case + runs;
  if (cost == NULL || of_case == NULL) return cs_error_memory(error);
  for (size_t run = 0; run < runs; run++) {
    size_t position[CS_MAX_DIMENSIONS];
    for (size_t a = 0; a < c->status->dimensions; a++)
      position[a] = cs_comparison_position(c, run, a);
    const bool selected = is_selected(c, position), good = c->status->data.uint8[run] == 0;
    cost[run] = (double)c->cost->data.int64[run];
    of[run] = selected && good ? error_of(c, run) : NAN;
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
  return CS_OK;
}

/* ---- the whole */

int cs_comparison_open(const struct cs_table *table, const struct cs_comparison_wish *wish,
                       struct cs_comparison *comparison, struct cs_error *error) {
  *comparison = (struct cs_comparison){.table = table, .status = cs_table_find(table, "status")};
  if (comparison->status == NULL || comparison->status->type != CS_UINT8)
    return cs_error_set(error, CS_IO, "%s: no variable \"status\"; want a result of cosweep", wish->path);
  int code = find_array(comparison, "rank", wish->metric, is_error, &comparison->metric, error);
  if (code == CS_OK) code = find_cost(comparison, wish->path, wish->cost, error);
  if (code == CS_OK) code = find_signal(comparison, wish->signal, error);
  if (code == CS_OK) code = find_roles(comparison, wish->path, error);
  for (size_t i = 0; i < wish->ats && code == CS_OK; i++)
    code = fix(comparison, wish->at[i], error);
  return code == CS_OK ? take_runs(comparison, error) : code;
}

void cs_comparison_free(struct cs_comparison *comparison) {
  free(comparison->memory_numbers);
  free(comparison->memory_indices);
  *comparison = (struct cs_comparison){0};
}
