#include "shape.h"

#include <stdbool.h>
#include <string.h>

#include "metric.h"
#include "text.h"

/* A table and the record of its first fault. */
struct check {
  const struct cs_table *table;
  const struct cs_array *status;
  const char *path;
  struct cs_error *error;
};

static const char *const type_names[] = {"float64", "int64", "uint8", "texts"};

static int fail(const struct check *c, const char *name, const char *want) {
  return cs_error_set(c->error, CS_IO, "%s: variable \"%s\": want %s; the file is damaged or not a result of cosweep",
                      c->path, name, want);
}

/* ---- dimensions */

/* The dimensions that an array must have; `count` beyond the limit matches none. */
struct shape {
  size_t count, dimension[CS_MAX_DIMENSIONS + 1];
};

static struct shape shape_of(const struct cs_array *array) {
  struct shape shape = {.count = array->dimensions};
  memcpy(shape.dimension, array->dimension, array->dimensions * sizeof *array->dimension);
  return shape;
}

static struct shape without(struct shape shape, size_t axis) {
  memmove(shape.dimension + axis, shape.dimension + axis + 1, (shape.count - axis - 1) * sizeof *shape.dimension);
  shape.count--;
  return shape;
}

static bool has_shape(const struct cs_array *array, const struct shape *shape) {
  return array->dimensions == shape->count &&
         memcmp(array->dimension, shape->dimension, shape->count * sizeof *shape->dimension) == 0;
}

static void add_shape(const struct check *c, const struct shape *shape, struct cs_text *text) {
  for (size_t i = 0; i < shape->count; i++)
    cs_text_add(text, "%s%s", i > 0 ? ", " : "", c->table->dimension[shape->dimension[i]].name);
}

static int need(const struct check *c, const struct cs_array *array, enum cs_type type, const struct shape *shape) {
  if (array->type == type && has_shape(array, shape)) return CS_OK;
  struct cs_text want = {0};
  cs_text_add(&want, "%s over (", type_names[type]);
  add_shape(c, shape, &want);
  cs_text_add(&want, ")");
  const int code = want.failed ? cs_error_memory(c->error) : fail(c, array->name, want.data);
  cs_text_free(&want);
  return code;
}

/* The same for the array "<name><ending>", if there is one. */
static int need_part(const struct check *c, const char *name, const char *ending, enum cs_type type,
                     const struct shape *shape, const struct cs_array **found) {
  struct cs_text whole = {0};
  cs_text_add(&whole, "%s%s", name, ending);
  *found = whole.failed ? NULL : cs_table_find(c->table, whole.data);
  const int code = whole.failed ? cs_error_memory(c->error) : *found != NULL ? need(c, *found, type, shape) : CS_OK;
  cs_text_free(&whole);
  return code;
}

/* Adds the dimension of signals to a shape: that of the array behind the shape's own, if it has the right name. */
static int add_signals(const struct check *c, const struct cs_array *array, enum cs_over over, struct shape *shape) {
  const char *name = cs_metric_over_name(over);
  const struct cs_dimension *signals = cs_table_find_dimension(c->table, name);
  const bool numbers = over == CS_OVER_MODE || over == CS_OVER_OCCURRENCE;
  if (over == CS_OVER_NOTHING) return CS_OK;
  if (signals == NULL || (signals->labels == NULL) != numbers) {
    struct cs_text want = {0};
    cs_text_add(&want, "a dimension \"%s\" of %s", name, numbers ? "numbers" : "names");
    const int code = want.failed ? cs_error_memory(c->error) : fail(c, array->name, want.data);
    cs_text_free(&want);
    return code;
  }
  shape->dimension[shape->count++] = (size_t)(signals - c->table->dimension);
  return CS_OK;
}

/* ---- results */

/* The order of a metric lacks one axis; what belongs to it has the same dimensions. */
static int check_order(const struct check *c, const struct cs_array *metric) {
  static const struct {
    const char *ending;
    enum cs_type type;
  } parts[] = {{"_order_r2", CS_FLOAT64},
               {"_order_first", CS_FLOAT64},
               {"_order_last", CS_FLOAT64},
               {"_order_points", CS_INT64}};
  const struct shape whole = shape_of(metric);
  struct cs_text name = {0};
  const struct cs_array *found;
  cs_text_add(&name, "%s_order", metric->name);
  const struct cs_array *order = name.failed ? NULL : cs_table_find(c->table, name.data);
  int code = name.failed ? cs_error_memory(c->error) : CS_OK;
  cs_text_free(&name);
  if (order == NULL) return code;
  bool fits = false;
  for (size_t axis = 0; axis < c->status->dimensions && !fits; axis++) {
    const struct shape shape = without(whole, axis);
    fits = order->type == CS_FLOAT64 && has_shape(order, &shape);
  }
  if (!fits) return fail(c, order->name, "float64 over the dimensions of its metric but one axis");
  const struct shape shape = shape_of(order);
  for (size_t i = 0; i < sizeof parts / sizeof *parts && code == CS_OK; i++)
    code = need_part(c, metric->name, parts[i].ending, parts[i].type, &shape, &found);
  return code;
}

static int check_metric(const struct check *c, const struct cs_array *array) {
  const long metric = cs_metric_find(array->name);
  struct shape shape = shape_of(c->status);
  if (metric < 0) return CS_OK;
  int code = add_signals(c, array, cs_metric_table[metric].over, &shape);
  if (code == CS_OK) code = need(c, array, cs_metric_type((int)metric), &shape);
  return code == CS_OK ? check_order(c, array) : code;
}

/* What was searched along an axis: one value, or a list of them, for each place along the others. One of several
 * settings that the axis changes together may have the same name: it is over the axis alone. */
static int check_boundary(const struct check *c, size_t axis) {
  const struct cs_dimension *crossing = cs_table_find_dimension(c->table, "crossing");
  const size_t along = c->status->dimension[axis];
  for (size_t i = 0; i < CS_LIMITS; i++) {
    const struct cs_limit_info *part = &cs_metric_limit[i];
    struct shape shape = without(shape_of(c->status), axis);
    const struct cs_array *found;
    if (part->list && crossing != NULL) shape.dimension[shape.count++] = (size_t)(crossing - c->table->dimension);
    int code = need_part(c, c->table->dimension[along].name, part->suffix, part->count ? CS_INT64 : CS_FLOAT64, &shape,
                         &found);
    if (code == CS_OK && found != NULL && part->list && crossing == NULL)
      code = fail(c, found->name, "a dimension \"crossing\"");
    if (code != CS_OK && (found == NULL || found->dimensions != 1 || found->dimension[0] != along)) return code;
  }
  return CS_OK;
}

/* A dimension twice would make one position stand for two. */
static int check_distinct(const struct check *c) {
  for (size_t i = 0; i < c->table->arrays; i++) {
    const struct cs_array *array = &c->table->array[i];
    for (size_t k = 0; k < array->dimensions; k++)
      for (size_t m = 0; m < k; m++)
        if (array->dimension[m] == array->dimension[k]) return fail(c, array->name, "each dimension once");
  }
  return CS_OK;
}

static int check_results(struct check *c) {
  const struct cs_array *found;
  c->status = cs_table_find(c->table, "status");
  if (c->status == NULL) c->status = cs_table_find(c->table, "accepted"); /* a row of a trace stands for a run */
  if (c->status == NULL)
    return cs_error_set(c->error, CS_IO, "%s: has no variable \"status\"; want a result file of cosweep", c->path);
  const struct shape runs = shape_of(c->status);
  int code = need(c, c->status, CS_UINT8, &runs);
  if (code == CS_OK) code = need_part(c, "engine_used", "", CS_UINT8, &runs, &found);
  for (size_t i = 0; i < c->table->arrays && code == CS_OK; i++)
    code = check_metric(c, &c->table->array[i]);
  for (size_t i = 0; i < c->status->dimensions && code == CS_OK; i++)
    code = check_boundary(c, i);
  return code;
}

/* ---- traces */

/* What only traces have, besides metrics. */
static const struct {
  const char *name;
  enum cs_type type;
  enum cs_over over;
} courses[] = {
    {"accepted", CS_UINT8, CS_OVER_NOTHING},
    {"status", CS_UINT8, CS_OVER_NOTHING},
    {"event", CS_UINT8, CS_OVER_NOTHING},
    {"found", CS_UINT8, CS_OVER_NOTHING},
    {"first", CS_INT64, CS_OVER_NOTHING},
    {"t_start", CS_FLOAT64, CS_OVER_NOTHING},
    {"H", CS_FLOAT64, CS_OVER_NOTHING},
    {"H_wanted", CS_FLOAT64, CS_OVER_NOTHING},
    {"eps", CS_FLOAT64, CS_OVER_NOTHING},
    {"degree", CS_FLOAT64, CS_OVER_NOTHING},
    {"x", CS_FLOAT64, CS_OVER_STATE},
    {"x_exact", CS_FLOAT64, CS_OVER_STATE},
    {"x_after", CS_FLOAT64, CS_OVER_STATE},
    {"u_start", CS_FLOAT64, CS_OVER_INPUT},
    {"u", CS_FLOAT64, CS_OVER_INPUT},
    {"y", CS_FLOAT64, CS_OVER_OUTPUT},
    {"y_exact", CS_FLOAT64, CS_OVER_OUTPUT},
    {"y_after", CS_FLOAT64, CS_OVER_OUTPUT},
    {"monitor_value", CS_FLOAT64, CS_OVER_MONITOR},
};

static int check_trace(const struct check *c) {
  const struct cs_dimension *t = cs_table_find_dimension(c->table, "t");
  if (t == NULL || t->values == NULL) return fail(c, "accepted", "a dimension \"t\" of numbers");
  if (cs_table_find(c->table, "H") == NULL) return fail(c, "accepted", "a variable \"H\" beside it");
  int code = CS_OK;
  for (size_t i = 0; i < sizeof courses / sizeof *courses && code == CS_OK; i++) {
    const struct cs_array *array = cs_table_find(c->table, courses[i].name);
    struct shape shape = {.count = 1, .dimension = {(size_t)(t - c->table->dimension)}};
    if (array == NULL) continue;
    code = add_signals(c, array, courses[i].over, &shape);
    if (code == CS_OK) code = need(c, array, courses[i].type, &shape);
  }
  return code;
}

/* ---- groups */

/* A list of points, or of events: everything is over it, or over it and signals, which have units. Coordinates are
 * numbers or names as in the root, and like metrics without signals over the list alone. */
static int check_group(const struct check *root) {
  const struct cs_table *group = root->table->group;
  const struct check c = {.table = group, .path = root->path, .error = root->error};
  int code = group->dimensions > 0 ? check_distinct(&c) : fail(&c, group->name, "a group with a dimension");
  for (size_t i = 0; i < group->arrays && code == CS_OK; i++) {
    const struct cs_array *array = &group->array[i];
    const struct cs_dimension *axis = cs_table_find_dimension(root->table, array->name);
    const long metric = cs_metric_find(array->name);
    const enum cs_type type = axis != NULL  ? (axis->labels != NULL ? CS_TEXT : CS_FLOAT64)
                              : metric >= 0 ? cs_metric_type((int)metric)
                                            : array->type;
    const bool alone = axis != NULL || (metric >= 0 && cs_metric_table[metric].over == CS_OVER_NOTHING);
    struct shape shape = {.count = 1};
    if (array->dimensions == 2 && !alone) shape.dimension[shape.count++] = array->dimension[1];
    if (array->dimensions == 1 && array->dimension[0] > 0 && array->type == CS_TEXT && !alone) /* units */
      shape.dimension[0] = array->dimension[0];
    code = need(&c, array, type, &shape);
  }
  return code;
}

/* ---- the whole */

int cs_shape_check(const struct cs_table *table, const char *path, struct cs_error *error) {
  struct check c = {.table = table, .path = path, .error = error};
  int code = check_distinct(&c);
  if (code == CS_OK && cs_table_find(table, "accepted") != NULL) code = check_trace(&c);
  if (code == CS_OK) code = check_results(&c);
  return code == CS_OK && table->group != NULL ? check_group(&c) : code;
}
