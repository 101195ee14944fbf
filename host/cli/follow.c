#include "follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "refine.h"
#include "result.h"
#include "sample.h"

enum { TOLD = 10 }; /* lines of the boundary, and points, that differ and are told */

bool cs_follow_is_equal(const struct cs_array *a, size_t i, const struct cs_array *b, size_t k) {
  if (a->type == CS_TEXT) return strcmp(a->data.text[i], b->data.text[k]) == 0;
  if (a->type != CS_FLOAT64)
    return a->type == CS_INT64 ? cs_table_int64(a, i) == cs_table_int64(b, k)
                               : cs_table_uint8(a, i) == cs_table_uint8(b, k);
  const double one = cs_table_float64(a, i), other = cs_table_float64(b, k);
  return memcmp(&one, &other, sizeof one) == 0 || (isnan(one) && isnan(other));
}

int cs_follow_draw(uint64_t seed, size_t all, size_t count, size_t *number, struct cs_error *error) {
  double *point = malloc((count + 1) * sizeof *point);
  int code = point != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) code = cs_sample_fill(CS_SAMPLE_RANDOM, seed, 1, count, point, error);
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    const size_t first = (size_t)((double)all * (double)i / (double)count);
    const size_t end = (size_t)((double)all * (double)(i + 1) / (double)count);
    number[i] = first + (size_t)(point[i] * (double)(end - first));
  }
  free(point);
  return code;
}

/* The table of the sweep, without numbers of runs. */
static int outline(const struct cs_follow *f, struct cs_table **table, struct cs_error *error) {
  const struct cs_result_home home = {CS_NOWHERE, NULL};
  return cs_result_new(f->sweep, f->modes, home, NULL, "", table, error);
}

static int refuse(const struct cs_follow *f, const char *what, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "%s: %s does not follow from the runs in it", f->path, what);
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

/* The logarithm of another C library may round otherwise. */
static bool is_near(const struct cs_array *a, size_t i, const struct cs_array *b) {
  const double near = 1e-12;
  if (a->type != CS_FLOAT64 || cs_follow_is_equal(a, i, b, i)) return cs_follow_is_equal(a, i, b, i);
  const double one = cs_table_float64(a, i), other = cs_table_float64(b, i);
  return fabs(one - other) <= near * fmax(fabs(one), 1.0); /* false for NaN */
}

static bool is_fit(const struct cs_array *kept, const struct cs_array *fit) {
  bool same = kept != NULL && kept->type == fit->type && kept->count == fit->count;
  for (size_t i = 0; i < fit->count && same; i++)
    same = is_near(fit, i, kept);
  return same;
}

static int follow_orders(const struct cs_follow *f, struct cs_error *error) {
  struct cs_table *table = NULL;
  int code = outline(f, &table, error);
  if (code != CS_OK) return code;
  const size_t first = table->arrays;
  table->home = CS_IN_MEMORY; /* of what is added from here on */
  code = cs_result_fit(f->sweep, f->modes, f->table, table, error);
  for (size_t i = first; i < table->arrays && code == CS_OK; i++)
    if (!is_fit(cs_table_find(f->table, table->array[i].name), &table->array[i]))
      code = refuse(f, table->array[i].name, error);
  if (code == CS_OK && table->arrays > first) cs_text_add(f->text, "ok        orders, which follow from the runs\n");
  cs_table_free(table);
  return code;
}

/* ---- the boundary ------------------------------------------------------------------------------------------------ */

/* Of all runs; NULL if the sweep does not ask for them, whatever the file has. */
static const struct cs_array *radii(const struct cs_follow *f) {
  const char *name = cs_metric_table[CS_SPECTRAL_RADIUS].name;
  return f->sweep->metric[CS_SPECTRAL_RADIUS] ? cs_table_find(f->table, name) : NULL;
}

static size_t stride_of(const struct cs_sweep *sweep, size_t axis) {
  return cs_axis_stride(sweep->axis, sweep->axes, axis);
}

/* The radii of lines through the runs, NaN elsewhere: chosen [lines], number of lines. */
static size_t choose_lines(const struct cs_follow *f, bool *chosen, double *radius) {
  const size_t stride = stride_of(f->sweep, (size_t)f->sweep->boundary);
  const size_t length = f->sweep->axis[f->sweep->boundary].length;
  size_t count = 0;
  for (size_t i = 0; i < f->sweep->runs; i++)
    radius[i] = NAN;
  for (size_t i = 0; i < f->runs; i++) {
    const size_t first = f->run[i] - f->run[i] / stride % length * stride;
    const size_t line = first / (stride * length) * stride + first % stride;
    count += !chosen[line];
    chosen[line] = true;
    for (size_t k = 0; k < length; k++)
      radius[first + k * stride] = cs_table_float64(radii(f), first + k * stride);
  }
  return count;
}

/* The first of a line's numbers that differs, or an empty text. */
static void compare_line(const struct cs_follow *f, const struct cs_table *computed, size_t lines, size_t line,
                         struct cs_text *text) {
  static const double none = NAN;
  const struct cs_array nothing = {.type = CS_FLOAT64, .count = 1, .data.float64 = (double *)&none};
  for (size_t i = 0; i < CS_LIMITS && text->length == 0; i++) {
    struct cs_text name = {0};
    cs_text_add(&name, "%s%s", f->sweep->axis[f->sweep->boundary].name, cs_metric_limit[i].suffix);
    const struct cs_array *one = cs_table_find(computed, cs_text_string(&name));
    const struct cs_array *kept = cs_table_find(f->table, cs_text_string(&name));
    const size_t own = one->count / lines, others = kept != NULL ? kept->count / lines : 0;
    if (others == 0 || kept->type != one->type) cs_text_add(text, "%s is missing", name.data);
    for (size_t n = 0; n < (own > others ? own : others) && text->length == 0; n++) {
      const struct cs_array *a = n < others ? kept : &nothing, *b = n < own ? one : &nothing;
      const size_t at = n < others ? line * others + n : 0, by = n < own ? line * own + n : 0;
      if (!cs_follow_is_equal(a, at, b, by))
        cs_text_add(text, "%s: %.17g in the file, %.17g computed", name.data, cs_table_number(a, at),
                    cs_table_number(b, by));
    }
    cs_text_free(&name);
  }
}

static void tell(struct cs_follow *f, size_t run, const char *what, const struct cs_text *text, size_t *differing) {
  if (++*differing > TOLD) return;
  cs_text_add(f->text, "differs   %s run %zu (", what, run);
  cs_sweep_describe_run(f->sweep, run, f->text);
  cs_text_add(f->text, "): %s\n", cs_text_string(text));
}

static void tell_end(struct cs_follow *f, const char *what, size_t checked, size_t all, size_t differing) {
  if (differing > TOLD) cs_text_add(f->text, "differs   %zu of %s more\n", differing - TOLD, what);
  if (differing == 0)
    cs_text_add(f->text, "ok        %zu of %zu %s, computed again: every byte is the same\n", checked, all, what);
  f->differing += differing;
}

static int follow_boundary(struct cs_follow *f, cs_evaluate *evaluate, void *points, struct cs_error *error) {
  const struct cs_sweep *sweep = f->sweep;
  const size_t stride = stride_of(sweep, (size_t)sweep->boundary), length = sweep->axis[sweep->boundary].length;
  const size_t lines = sweep->runs / length;
  bool *chosen = calloc(lines, sizeof *chosen);
  double *radius = malloc(sweep->runs * sizeof *radius);
  struct cs_table *table = NULL;
  size_t count = 0, differing = 0;
  int code = chosen != NULL && radius != NULL ? outline(f, &table, error) : cs_error_memory(error);
  if (code == CS_OK) count = choose_lines(f, chosen, radius);
  if (code == CS_OK) code = cs_boundary_search(sweep, radius, evaluate, points, table, error);
  for (size_t line = 0; line < lines && code == CS_OK; line++) {
    struct cs_text text = {0};
    if (chosen[line]) compare_line(f, table, lines, line, &text);
    if (text.length > 0) tell(f, line / stride * stride * length + line % stride, "boundary from", &text, &differing);
    cs_text_free(&text);
  }
  if (code == CS_OK) tell_end(f, "lines with a boundary", count, lines, differing);
  cs_table_free(table);
  free(radius);
  free(chosen);
  return code;
}

/* ---- refined points ---------------------------------------------------------------------------------------------- */

struct refined {
  size_t map; /* the run at position 0 of both axes */
  double value[2], radius;
  size_t row; /* in the file */
};

struct lookup {
  const struct cs_follow *follow;
  size_t count;
  struct refined *list; /* [count], by map and values */
};

static int compare_refined(const void *left, const void *right) {
  const struct refined *a = left, *b = right;
  if (a->map != b->map) return a->map < b->map ? -1 : 1;
  for (size_t i = 0; i < 2; i++)
    if (a->value[i] != b->value[i]) return a->value[i] < b->value[i] ? -1 : 1;
  return 0;
}

static bool spans(const struct cs_sweep *sweep, size_t axis) {
  return axis == sweep->refined[0] || axis == sweep->refined[1];
}

/* The run at position 0 of both axes in the map of a run. */
static size_t map_of(const struct cs_sweep *sweep, size_t run) {
  size_t map = run;
  for (size_t i = 0; i < 2; i++) {
    const size_t stride = stride_of(sweep, sweep->refined[i]);
    map -= run / stride % sweep->axis[sweep->refined[i]].length * stride;
  }
  return map;
}

/* Where a row of the file is; false if it is in no map. */
static bool find_row(const struct cs_follow *f, size_t row, struct refined *r) {
  const struct cs_sweep *sweep = f->sweep;
  const struct cs_table *group = f->table->group;
  *r = (struct refined){.row = row};
  for (size_t a = 0; a < sweep->axes; a++) {
    const struct cs_axis *axis = &sweep->axis[a];
    const struct cs_array *array = cs_table_find(group, axis->name);
    size_t at = 0;
    if (array == NULL || array->count <= row || array->type != (axis->labels != NULL ? CS_TEXT : CS_FLOAT64))
      return false;
    if (spans(sweep, a)) {
      r->value[a == sweep->refined[1]] = cs_table_float64(array, row);
      continue;
    }
    while (at < axis->length && (axis->labels != NULL ? strcmp(array->data.text[row], axis->labels[at]) != 0
                                                      : cs_table_float64(array, row) != axis->values[at]))
      at++;
    if (at == axis->length) return false;
    r->map += at * stride_of(sweep, a);
  }
  const struct cs_array *radius = cs_table_find(group, cs_metric_table[CS_SPECTRAL_RADIUS].name);
  if (radius == NULL || radius->type != CS_FLOAT64 || radius->count <= row) return false;
  r->radius = cs_table_float64(radius, row);
  return true;
}

/* A cs_evaluate of the points in the file; NaN for others. */
static int look_up(void *context, const size_t *axis, size_t axes, const struct cs_point *point, size_t points,
                   double *radius, struct cs_error *error) {
  const struct lookup *l = context;
  (void)axis;
  (void)axes;
  (void)error;
  for (size_t i = 0; i < points; i++) {
    const struct refined key = {.map = map_of(l->follow->sweep, point[i].run),
                                .value = {point[i].value[0], point[i].value[1]}};
    const struct refined *found = bsearch(&key, l->list, l->count, sizeof key, compare_refined);
    radius[i] = found != NULL ? found->radius : NAN;
  }
  return CS_OK;
}

/* Whether the group is what refining makes of the radii in the file. */
static bool is_group(const struct cs_table *kept, const struct cs_table *group) {
  bool same = (kept == NULL) == (group == NULL) && (kept == NULL || strcmp(kept->name, group->name) == 0);
  for (size_t i = 0; group != NULL && i < group->arrays && same; i++) {
    const struct cs_array *array = &group->array[i], *own = cs_table_find(kept, array->name);
    same = own != NULL && own->type == array->type && own->count == array->count;
    for (size_t k = 0; k < array->count && same; k++)
      same = cs_follow_is_equal(own, k, array, k);
  }
  return same;
}

static int follow_grid(const struct lookup *l, struct cs_error *error) {
  const struct cs_follow *f = l->follow;
  double *radius = malloc(f->sweep->runs * sizeof *radius);
  struct cs_table *table = NULL;
  int code = radius != NULL ? outline(f, &table, error) : cs_error_memory(error);
  for (size_t i = 0; i < f->sweep->runs && code == CS_OK; i++)
    radius[i] = cs_table_float64(radii(f), i);
  if (code == CS_OK) code = cs_refine_maps(f->sweep, radius, look_up, (void *)l, table, error);
  if (code == CS_OK && !is_group(f->table->group, table->group)) code = refuse(f, "the group refined", error);
  cs_table_free(table);
  free(radius);
  return code;
}

/* A run of a map that was computed; any if none was. */
static size_t sample_of(const struct cs_follow *f, size_t map) {
  const struct cs_sweep *sweep = f->sweep;
  const size_t *axis = sweep->refined;
  for (size_t i = 0; i < sweep->axis[axis[0]].length; i++)
    for (size_t k = 0; k < sweep->axis[axis[1]].length; k++) {
      const size_t run = map + i * stride_of(sweep, axis[0]) + k * stride_of(sweep, axis[1]);
      if (!isnan(cs_table_float64(radii(f), run))) return run;
    }
  return map;
}

/* Computes some of the points again. */
static int follow_points(struct cs_follow *f, const struct lookup *l, cs_evaluate *evaluate, void *points,
                         struct cs_error *error) {
  const size_t count = f->runs < l->count ? f->runs : l->count;
  struct cs_point *point = malloc((count + 1) * sizeof *point);
  double *radius = malloc((count + 1) * sizeof *radius);
  size_t *number = malloc((count + 1) * sizeof *number), differing = 0;
  int code = point != NULL && radius != NULL && number != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) code = cs_follow_draw(f->seed, l->count, count, number, error);
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    const struct refined *r = &l->list[number[i]];
    point[i] = (struct cs_point){.run = sample_of(f, r->map), .value = {r->value[0], r->value[1]}};
  }
  if (code == CS_OK && count > 0) code = evaluate(points, f->sweep->refined, 2, point, count, radius, error);
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    const struct refined *r = &l->list[number[i]];
    struct cs_text text = {0};
    if (memcmp(&r->radius, &radius[i], sizeof radius[i]) == 0 || (isnan(r->radius) && isnan(radius[i]))) continue;
    cs_text_add(&text, "at %.17g, %.17g: %.17g in the file, %.17g computed", r->value[0], r->value[1], r->radius,
                radius[i]);
    tell(f, point[i].run, "refined point in the map of", &text, &differing);
    cs_text_free(&text);
  }
  if (code == CS_OK && l->count > 0) tell_end(f, "refined points", count, l->count, differing);
  free(point);
  free(radius);
  free(number);
  return code;
}

static int follow_refined(struct cs_follow *f, cs_evaluate *evaluate, void *points, struct cs_error *error) {
  const struct cs_array *level = f->table->group != NULL ? cs_table_find(f->table->group, "level") : NULL;
  struct lookup l = {.follow = f, .count = level != NULL ? level->count : 0};
  l.list = malloc((l.count + 1) * sizeof *l.list);
  int code = l.list != NULL ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; i < l.count && code == CS_OK; i++)
    if (!find_row(f, i, &l.list[i])) code = refuse(f, "the group refined", error);
  if (code == CS_OK) qsort(l.list, l.count, sizeof *l.list, compare_refined);
  if (code == CS_OK) code = follow_grid(&l, error);
  if (code == CS_OK) code = follow_points(f, &l, evaluate, points, error);
  free(l.list);
  return code;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

int cs_follow_between(void *context, cs_evaluate *evaluate, void *points, struct cs_error *error) {
  struct cs_follow *f = context;
  if (radii(f) == NULL) {
    cs_text_add(f->text, "left out  what lies between the runs: spectral_radius is not among the metrics\n");
    return CS_OK;
  }
  int code = CS_OK;
  if (f->sweep->boundary >= 0) code = follow_boundary(f, evaluate, points, error);
  if (code == CS_OK && f->sweep->refine > 0) code = follow_refined(f, evaluate, points, error);
  return code;
}

int cs_follow_conclude(const struct cs_follow *f, struct cs_error *error) {
  if (f->differing > 0)
    return cs_error_set(error, CS_IO, "%s: boundaries or refined points differ where they are computed again", f->path);
  return follow_orders(f, error);
}
