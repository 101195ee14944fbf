#include "axis.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "name.h"

enum { MAX_AXES = 31 }; /* HDF5 allows 32 dimensions, of which signals need one */

static const uint64_t max_runs = UINT64_C(1) << 40;

/* A slot and its values along the axis. */
struct cs_axis_binding {
  size_t slot;
  double *values; /* [axis length] */
};

/* State of reading axis `count`. */
struct reader {
  const struct cs_json *json;
  struct cs_slots *slots;
  struct cs_axis *axes;
  size_t count;
  struct cs_error *error;
};

static void free_labels(char **labels, size_t length) {
  for (size_t i = 0; labels != NULL && i < length; i++)
    free(labels[i]);
  free(labels);
}

void cs_axes_free(struct cs_axis *axes, size_t count) {
  for (size_t a = 0; axes != NULL && a < count; a++) {
    struct cs_axis *axis = &axes[a];
    for (size_t c = 0; c < axis->columns; c++) {
      free(axis->column[c].name);
      free(axis->column[c].values);
      free_labels(axis->column[c].labels, axis->length);
    }
    for (size_t b = 0; b < axis->bindings; b++)
      free(axis->binding[b].values);
    free(axis->column);
    free(axis->binding);
    free(axis->values);
    free_labels(axis->labels, axis->length);
    free(axis->name);
    free(axis->unit);
    free(axis->long_name);
  }
  free(axes);
}

/* Sets a number that nothing else in the settings follows from; false if the slot is of something else. */
static bool set_number(const struct cs_slots *slots, size_t slot, double value, struct cs_settings *settings) {
  const size_t first = cs_slots_parameter(slots, 0);
  const bool given_steps = settings->method.control == CS_FIXED || settings->method.control == CS_CYCLE;
  const size_t own = cs_slots_own(slots, 0);
  if (slot >= first && slot < first + slots->model->parameters)
    settings->parameters[slot - first] = value;
  else if (slot >= own && !isnan(settings->own[slot - own]))
    settings->own[slot - own] = value;
  else if (slot == CS_SETTING_STEP_SIZE && given_steps)
    settings->step_size = settings->control[CS_CONTROL_INITIAL] = value;
  else
    return false;
  return true;
}

void cs_axis_set(const struct cs_axis *axis, const struct cs_slots *slots, double value, struct cs_settings *settings) {
  for (size_t b = 0; b < axis->bindings; b++)
    if (!set_number(slots, axis->binding[b].slot, value, settings))
      assert(!"an axis of real numbers sets something else");
}

bool cs_axis_move(const struct cs_axis *axis, const struct cs_slots *slots, size_t from, size_t to,
                  struct cs_settings *settings) {
  for (size_t b = 0; b < axis->bindings; b++) {
    const struct cs_slot *slot = &slots->slot[axis->binding[b].slot];
    const double *next = &slot->values[to / slot->stride % slot->length];
    if (set_number(slots, axis->binding[b].slot, *next, settings)) continue;
    if (memcmp(next, &slot->values[from / slot->stride % slot->length], sizeof *next) != 0) return false;
  }
  return true;
}

void cs_axis_add_value(const struct cs_axis *axis, size_t i, struct cs_text *text) {
  if (axis->labels != NULL)
    cs_text_add_line(text, axis->labels[i]);
  else
    cs_text_add_number(text, axis->values[i]);
}

size_t cs_axis_stride(const struct cs_axis *axes, size_t count, size_t axis) {
  size_t stride = 1;
  for (size_t a = axis + 1; a < count; a++)
    stride *= axes[a].length;
  return stride;
}

static double *copy_values(const double *values, size_t length) {
  double *copy = malloc(length * sizeof *copy);
  return copy != NULL ? memcpy(copy, values, length * sizeof *copy) : NULL;
}

/* What in a result file already has that name; NULL: nothing. */
static const char *reserved(const char *name) {
  for (int m = 0; m < CS_METRICS; m++) {
    const size_t length = strlen(cs_metric_table[m].name);
    if (strncmp(name, cs_metric_table[m].name, length) != 0) continue;
    if (name[length] == '\0') return "the name of a metric";
    if (cs_setting_word_listed("_order _order_r2 _order_first _order_last _order_points", name + length))
      return "the name of a fit";
  }
  if (cs_metric_absent(name) != NULL || strcmp(name, "eigenvalue") == 0) return "the name of a metric";
  if (cs_setting_word_listed("output input state monitor bond event occurrence", name))
    return "the name of a signal dimension";
  bool result = cs_setting_word_listed(
      "output_units input_units state_units monitor_units mode_units provenance engine_used", name);
  return result ? "a name of the result file" : NULL;
}

/* Fails unless `name` is legal and new in the result file. Errors are at `node`; `key`: at its key (a column). */
static int check_name(struct reader *reader, const struct cs_node *node, const char *name, bool key) {
  struct cs_text wrong = {0};
  const char *taken = reserved(name);
  int code = cs_name_check(reader->json, node, key, name, reader->error);
  for (size_t a = 0; a <= reader->count && taken == NULL; a++) {
    const struct cs_axis *axis = &reader->axes[a];
    if (axis->name != NULL && strcmp(axis->name, name) == 0) taken = "the name of another axis";
    for (size_t c = 0; c < axis->columns && taken == NULL; c++) {
      bool same = axis->column[c].name != NULL && strcmp(axis->column[c].name, name) == 0;
      taken = same ? "the name of a column of a zip axis" : NULL;
    }
  }
  if (code != CS_OK || taken == NULL) return code;
  cs_text_add(&wrong, "\"%s\" is already %s; want another name%s", name, taken,
              key ? " for the axis or other last parts of the paths" : "");
  return cs_json_fail_text(reader->json, node, key, &wrong, reader->error);
}

/* The target of a path, which is the value of `node` or its key. */
static int find_target(struct reader *reader, const struct cs_node *node, bool key, struct cs_target *target) {
  struct cs_text wrong = {0};
  const char *path = key ? cs_json_key(node) : cs_json_string(node);
  bool found = cs_slots_find(reader->slots, path, target, &wrong);
  for (size_t i = 0; found && i < target->slots; i++) {
    const struct cs_slot *slot = &reader->slots->slot[target->slot[i]];
    if (slot->axis != NULL) {
      cs_text_add(&wrong, "\"%s\" is already bound by axis \"%s\"; want each path once", path, slot->axis);
      found = false;
    }
  }
  if (found) return CS_OK;
  return cs_json_fail_text(reader->json, node, key, &wrong, reader->error);
}

/* Binds the slots of a target to copies of `values`, [axis length]. */
static int bind(struct reader *reader, const struct cs_node *path, const struct cs_target *target,
                const double *values) {
  struct cs_axis *axis = &reader->axes[reader->count];
  for (size_t i = 0; i < target->slots; i++) {
    double *copy = copy_values(values, axis->length);
    if (copy == NULL || !cs_list_grow(&axis->binding, axis->bindings, sizeof *axis->binding)) {
      free(copy);
      return cs_error_memory(reader->error);
    }
    axis->binding[axis->bindings++] = (struct cs_axis_binding){.slot = target->slot[i], .values = copy};
    struct cs_slot *slot = &reader->slots->slot[target->slot[i]];
    slot->axis = axis->name;
    slot->path = path;
    slot->values = copy;
    slot->length = axis->length;
  }
  return CS_OK;
}

static int compare_texts(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Labels are coordinates and must be distinct. */
static int check_labels(struct reader *reader, const struct cs_node *list, const struct cs_axis *axis) {
  char **sorted = malloc(axis->length * sizeof *sorted);
  if (sorted == NULL) return cs_error_memory(reader->error);
  memcpy(sorted, axis->labels, axis->length * sizeof *sorted);
  qsort(sorted, axis->length, sizeof *sorted, compare_texts);
  int code = CS_OK;
  for (size_t i = 1; i < axis->length && code == CS_OK; i++)
    if (strcmp(sorted[i - 1], sorted[i]) == 0)
      code = cs_json_fail(reader->json, list, reader->error, "\"%s\" is listed twice; want each name once", sorted[i]);
  free(sorted);
  return code;
}

/* The only key of `keys` that the axis has; fails if it has none or several. */
static int one_of(struct reader *reader, const struct cs_node *node, const char *const *keys, const char *choices,
                  const struct cs_node **member) {
  *member = NULL;
  for (; *keys != NULL; keys++) {
    const struct cs_node *found = cs_json_get(node, *keys);
    if (found != NULL && *member != NULL) {
      return cs_json_fail_key(reader->json, found, reader->error, "given together with \"%s\"; want one of: %s",
                              cs_json_key(*member), choices);
    }
    *member = found != NULL ? found : *member;
  }
  return *member != NULL ? CS_OK : cs_json_fail(reader->json, node, reader->error, "want one of the keys: %s", choices);
}

/* Values for one path of an axis; those of the first path are also the coordinate. */
static int read_path(struct reader *reader, const struct cs_node *path, const struct cs_node *source) {
  struct cs_axis *axis = &reader->axes[reader->count];
  struct cs_series series = {0};
  struct cs_target target;
  int code = cs_json_want(reader->json, path, CS_STRING, reader->error);
  if (code == CS_OK) code = find_target(reader, path, false, &target);
  if (code != CS_OK) return code;
  if (strcmp(cs_json_key(source), "values") == 0) {
    code = cs_series_read(reader->json, source, target.info, &reader->slots->lists, &series, reader->error);
  } else {
    bool logarithmic = strcmp(cs_json_key(source), "logspace") == 0;
    code = cs_series_space(reader->json, source, target.info, logarithmic, &series, reader->error);
  }
  if (code != CS_OK) return code;
  bool first = axis->length == 0;
  axis->length = series.length;
  code = bind(reader, path, &target, series.values);
  if (first && code == CS_OK) {
    char **labels = series.labels;
    axis->labels = labels;
    axis->values = labels != NULL ? NULL : series.values;
    series.labels = NULL;
    series.values = labels != NULL ? series.values : NULL;
    code = labels != NULL ? check_labels(reader, source, axis) : CS_OK;
  }
  cs_series_free(&series);
  return code;
}

static int read_paths(struct reader *reader, const struct cs_node *node, const struct cs_node *paths) {
  static const char *const keys[] = {"values", "linspace", "logspace", NULL};
  const struct cs_node *source = NULL;
  int code = one_of(reader, node, keys, "values, linspace, logspace", &source);
  if (code != CS_OK || strcmp(cs_json_key(paths), "path") == 0)
    return code != CS_OK ? code : read_path(reader, paths, source);
  code = cs_json_want(reader->json, paths, CS_LIST, reader->error);
  if (code == CS_OK && cs_json_length(paths) == 0)
    code = cs_json_fail(reader->json, paths, reader->error, "found an empty list; want at least one path");
  for (size_t i = 0; i < cs_json_length(paths) && code == CS_OK; i++)
    code = read_path(reader, cs_json_at(paths, i), source);
  return code;
}

/* One path of a zip axis and its column. */
static int read_column(struct reader *reader, const struct cs_node *zip, size_t index) {
  struct cs_axis *axis = &reader->axes[reader->count];
  const struct cs_node *member = cs_json_at(zip, index);
  struct cs_series series = {0};
  struct cs_target target;
  struct cs_text name = {0};
  int code = find_target(reader, member, true, &target);
  if (code == CS_OK)
    code = cs_series_read(reader->json, member, target.info, &reader->slots->lists, &series, reader->error);
  if (code != CS_OK) return code;
  const char *path = cs_json_key(member);
  cs_text_add(&name, "%s_%s", axis->name, strrchr(path, '.') != NULL ? strrchr(path, '.') + 1 : path);
  if (name.failed) {
    code = cs_error_memory(reader->error);
  } else if (index > 0 && series.length != axis->length) {
    code = cs_json_fail(reader->json, member, reader->error, "found a list of %zu; want %zu values, as for \"%s\"",
                        series.length, axis->length, cs_json_key(cs_json_at(zip, 0)));
  }
  if (code == CS_OK) code = check_name(reader, member, name.data, true);
  if (code != CS_OK) {
    cs_series_free(&series);
    cs_text_free(&name);
    return code;
  }
  axis->length = series.length;
  const char *unit = cs_slots_unit(reader->slots, target.slot[0]);
  axis->column[index] =
      (struct cs_axis_column){.name = name.data, .unit = unit != NULL ? unit : "1", .labels = series.labels};
  axis->columns = index + 1;
  code = bind(reader, member, &target, series.values);
  if (series.labels != NULL)
    free(series.values);
  else
    axis->column[index].values = series.values;
  return code;
}

static int read_zip(struct reader *reader, const struct cs_node *node, const struct cs_node *zip) {
  static const char *const keys[] = {"values", "linspace", "logspace"};
  struct cs_axis *axis = &reader->axes[reader->count];
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const struct cs_node *source = cs_json_get(node, keys[k]);
    if (source != NULL)
      return cs_json_fail_key(reader->json, source, reader->error,
                              "given together with \"zip\"; want the values in zip");
  }
  int code = cs_json_want(reader->json, zip, CS_OBJECT, reader->error);
  if (code == CS_OK && cs_json_length(zip) == 0)
    code = cs_json_fail(reader->json, zip, reader->error, "found an empty object; want at least one path");
  if (code == CS_OK) {
    axis->column = calloc(cs_json_length(zip), sizeof *axis->column);
    code = axis->column != NULL ? CS_OK : cs_error_memory(reader->error);
  }
  for (size_t i = 0; i < cs_json_length(zip) && code == CS_OK; i++)
    code = read_column(reader, zip, i);
  if (code == CS_OK) {
    axis->values = calloc(axis->length, sizeof *axis->values);
    code = axis->values != NULL ? CS_OK : cs_error_memory(reader->error);
  }
  for (size_t i = 0; i < axis->length && code == CS_OK; i++)
    axis->values[i] = (double)i;
  return code;
}

/* Copies an optional text, or else `initial`. */
static int read_text(struct reader *reader, const struct cs_node *node, const char *key, const char *initial,
                     char **out) {
  const char *text = initial;
  int code =
      cs_json_get(node, key) != NULL ? cs_json_need_string(reader->json, node, key, &text, reader->error) : CS_OK;
  if (code == CS_OK) {
    *out = cs_text_copy(text);
    code = *out != NULL ? CS_OK : cs_error_memory(reader->error);
  }
  return code;
}

/* The default description of an axis: its paths. */
static int describe(struct reader *reader, const struct cs_node *node, const struct cs_node *paths) {
  struct cs_text text = {0};
  if (cs_json_kind(paths) == CS_STRING) cs_text_add(&text, "%s", cs_json_string(paths));
  for (size_t i = 0; i < cs_json_length(paths); i++) {
    const struct cs_node *path = cs_json_at(paths, i);
    cs_text_add(&text, "%s%s", i ? ", " : "", cs_json_key(path) != NULL ? cs_json_key(path) : cs_json_string(path));
  }
  int code = text.failed ? cs_error_memory(reader->error) : CS_OK;
  if (code == CS_OK) code = read_text(reader, node, "description", text.data, &reader->axes[reader->count].long_name);
  cs_text_free(&text);
  return code;
}

/* The unit of the coordinate is that of all paths, or what the file says where they have none; "1" says nothing. */
static int read_unit(struct reader *reader, const struct cs_node *node) {
  struct cs_axis *axis = &reader->axes[reader->count];
  const struct cs_node *member = cs_json_get(node, "unit");
  const char *given = NULL, *common = NULL;
  int code = member != NULL ? cs_json_want(reader->json, member, CS_STRING, reader->error) : CS_OK;
  if (code == CS_OK && member != NULL) given = cs_json_string(member);
  if (given != NULL && (given[0] == '\0' || strcmp(given, "1") == 0)) given = NULL;
  if (code == CS_OK && given != NULL && axis->columns > 0)
    return cs_json_fail(reader->json, member, reader->error,
                        "found \"%s\"; want none: points have numbers, and settings their own units", given);
  for (size_t b = 0; b < axis->bindings && axis->columns == 0 && code == CS_OK; b++) {
    const struct cs_slot *slot = &reader->slots->slot[axis->binding[b].slot];
    const char *unit = cs_slots_unit(reader->slots, axis->binding[b].slot);
    if (given != NULL && unit != NULL && strcmp(given, unit) != 0)
      return cs_json_fail(reader->json, member, reader->error,
                          "found \"%s\"; want \"%s\", the unit of %s: values are not converted", given, unit,
                          cs_json_string(slot->path));
    if (b == 0) common = unit;
    if (common == NULL || unit == NULL || strcmp(common, unit) != 0) common = NULL;
  }
  if (code != CS_OK) return code;
  axis->unit = cs_text_copy(given != NULL ? given : common != NULL ? common : "1");
  return axis->unit != NULL ? CS_OK : cs_error_memory(reader->error);
}

static int read_axis(struct reader *reader, const struct cs_node *node) {
  static const char *const legal[] = {"name",     "path",     "paths", "zip",         "sample", "values",
                                      "linspace", "logspace", "unit",  "description", NULL};
  static const char *const bindings[] = {"path", "paths", "zip", NULL};
  struct cs_axis *axis = &reader->axes[reader->count];
  const struct cs_node *paths = NULL;
  const char *name = NULL;
  int code = cs_json_check_keys(reader->json, node, legal, reader->error);
  if (code == CS_OK) code = cs_json_need_string(reader->json, node, "name", &name, reader->error);
  if (code == CS_OK) code = check_name(reader, cs_json_get(node, "name"), name, false);
  if (code == CS_OK) code = read_text(reader, node, "name", name, &axis->name);
  if (code == CS_OK) code = one_of(reader, node, bindings, "path, paths, zip, sample", &paths);
  if (code != CS_OK) return code;
  bool zip = strcmp(cs_json_key(paths), "zip") == 0;
  code = zip ? read_zip(reader, node, paths) : read_paths(reader, node, paths);
  if (code == CS_OK) code = read_unit(reader, node);
  return code == CS_OK ? describe(reader, node, paths) : code;
}

/* Strides of all bound slots, the last axis fastest, and the number of runs. */
static int count_runs(struct reader *reader, const struct cs_node *list, size_t *runs) {
  uint64_t stride = 1;
  for (size_t a = reader->count; a-- > 0;) {
    const struct cs_axis *axis = &reader->axes[a];
    if (axis->length > max_runs / stride)
      return cs_json_fail(reader->json, list, reader->error, "more than 2^40 runs; want fewer or shorter axes");
    for (size_t b = 0; b < axis->bindings; b++)
      reader->slots->slot[axis->binding[b].slot].stride = (size_t)stride;
    stride *= axis->length;
  }
  *runs = (size_t)stride;
  return CS_OK;
}

int cs_axes_read(const struct cs_json *json, const struct cs_node *list, struct cs_slots *slots, struct cs_axis **axes,
                 size_t *count, size_t *runs, struct cs_error *error) {
  *runs = 1;
  int code = list != NULL ? cs_json_want(json, list, CS_LIST, error) : CS_OK;
  size_t length = list != NULL && code == CS_OK ? cs_json_length(list) : 0;
  if (length > MAX_AXES) return cs_json_fail(json, list, error, "found %zu axes; want at most %d", length, MAX_AXES);
  if (code != CS_OK || length == 0) return code;
  *axes = calloc(length, sizeof **axes);
  if (*axes == NULL) return cs_error_memory(error);
  *count = length;
  struct reader reader = {.json = json, .slots = slots, .axes = *axes, .error = error};
  for (; reader.count < length && cs_json_goes_on(json, code); reader.count++)
    code = cs_json_also(json, code, read_axis(&reader, cs_json_at(list, reader.count)), error);
  return code != CS_OK ? code : count_runs(&reader, list, runs);
}
