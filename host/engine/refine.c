#include "refine.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "index.h"
#include "list.h"
#include "result.h"

/* A point of a map: number of the map and, along both axes, coordinates on the grid of the last level. */
struct node {
  uint64_t map, at[2];
};

struct found {
  struct node node;
  double radius;
  unsigned level;
};

struct refining {
  const struct cs_sweep *sweep;
  const struct cs_axis *axis[2];
  size_t *order[2], stride[2]; /* of the axes: positions ascending in value; runs between neighbours */
  size_t maps, *base, *sample; /* [maps] the run at position 0 of both axes; one that has a radius */
  const double *radius;        /* of the runs */
  uint64_t split;              /* steps of the last level between neighbouring values of an axis */
  struct found *found;         /* new points */
  size_t founds;
  struct cs_index index; /* of new points, by their nodes */
  struct node *cell;     /* cells to split, given by their lowest corners */
  size_t cells;
};

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

static double coordinate(const struct refining *r, size_t a, uint64_t at) {
  const double *values = r->axis[a]->values;
  const size_t *order = r->order[a];
  const uint64_t whole = at / r->split, rest = at % r->split;
  if (rest == 0) return values[order[whole]];
  const double part = (double)rest / (double)r->split;
  return values[order[whole]] * (1.0 - part) + values[order[whole + 1]] * part;
}

/* The run at the axis values just below a point. */
static size_t run_of(const struct refining *r, const struct node *n) {
  return r->base[n->map] + r->order[0][n->at[0] / r->split] * r->stride[0] +
         r->order[1][n->at[1] / r->split] * r->stride[1];
}

static bool is_run(const struct refining *r, const struct node *n) {
  return n->at[0] % r->split == 0 && n->at[1] % r->split == 0;
}

static uint64_t hash_of(const struct node *n) {
  return cs_index_hash(CS_INDEX_SEED, n, sizeof *n);
}

/* The number of a new point, or CS_INDEX_NONE. */
static size_t number_of(const struct refining *r, const struct node *n) {
  const uint64_t hash = hash_of(n);
  size_t item;
  for (size_t probe = 0; (item = cs_index_next(&r->index, hash, &probe)) != CS_INDEX_NONE;)
    if (memcmp(&r->found[item].node, n, sizeof *n) == 0) break;
  return item;
}

static double radius_at(const struct refining *r, const struct node *n) {
  return is_run(r, n) ? r->radius[run_of(r, n)] : r->found[number_of(r, n)].radius;
}

static int need_point(struct refining *r, const struct node *n, unsigned level, struct cs_error *error) {
  if (is_run(r, n) || number_of(r, n) != CS_INDEX_NONE) return CS_OK;
  if (!cs_list_grow(&r->found, r->founds, sizeof *r->found) || !cs_index_add(&r->index, hash_of(n), r->founds))
    return cs_error_memory(error);
  r->found[r->founds++] = (struct found){.node = *n, .radius = NAN, .level = level};
  return CS_OK;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static struct node moved(const struct node *n, uint64_t along0, uint64_t along1) {
  return (struct node){.map = n->map, .at = {n->at[0] + along0, n->at[1] + along1}};
}

/* Keeps a cell for splitting if its corners differ; corners without a radius are ignored. */
static int consider(struct refining *r, const struct node *low, uint64_t size, struct cs_error *error) {
  bool any[2] = {false, false};
  for (uint64_t i = 0; i < 4; i++) {
    const struct node corner = moved(low, (i & 1) * size, (i >> 1) * size);
    const double radius = radius_at(r, &corner);
    if (isnan(radius)) continue;
    any[cs_result_stable(radius)] = true;
    if (is_run(r, &corner)) r->sample[low->map] = run_of(r, &corner);
  }
  if (!any[0] || !any[1]) return CS_OK;
  if (!cs_list_grow(&r->cell, r->cells, sizeof *r->cell)) return cs_error_memory(error);
  r->cell[r->cells++] = *low;
  return CS_OK;
}

static int consider_maps(struct refining *r, struct cs_error *error) {
  int code = CS_OK;
  for (size_t m = 0; m < r->maps; m++)
    for (size_t i = 0; i + 1 < r->axis[0]->length; i++)
      for (size_t j = 0; j + 1 < r->axis[1]->length && code == CS_OK; j++) {
        const struct node low = {.map = m, .at = {i * r->split, j * r->split}};
        code = consider(r, &low, r->split, error);
      }
  return code;
}

static int evaluate_new(struct refining *r, size_t first, cs_evaluate *evaluate, void *context,
                        struct cs_error *error) {
  const size_t count = r->founds - first;
  struct cs_point *point = malloc((count + 1) * sizeof *point);
  double *radius = malloc((count + 1) * sizeof *radius);
  int code = point == NULL || radius == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    const struct node *n = &r->found[first + i].node;
    point[i] =
        (struct cs_point){.run = r->sample[n->map], .value = {coordinate(r, 0, n->at[0]), coordinate(r, 1, n->at[1])}};
  }
  if (code == CS_OK && count > 0) code = evaluate(context, r->sweep->refined, 2, point, count, radius, error);
  for (size_t i = 0; i < count && code == CS_OK; i++)
    r->found[first + i].radius = radius[i];
  free(point);
  free(radius);
  return code;
}

/* Splits all kept cells, of that size, and keeps those quarters whose corners differ. */
static int split_cells(struct refining *r, uint64_t size, unsigned level, cs_evaluate *evaluate, void *context,
                       struct cs_error *error) {
  const size_t first = r->founds, count = r->cells;
  const uint64_t half = size / 2;
  struct node *old = r->cell;
  int code = CS_OK;
  for (size_t c = 0; c < count; c++)
    for (uint64_t i = 0; i < 9 && code == CS_OK; i++) {
      const struct node n = moved(&old[c], i % 3 * half, i / 3 * half);
      if (i != 0 && i != 2 && i != 6 && i != 8) code = need_point(r, &n, level, error);
    }
  r->cell = NULL;
  r->cells = 0;
  if (code == CS_OK) code = evaluate_new(r, first, evaluate, context, error);
  for (size_t c = 0; c < count; c++)
    for (uint64_t i = 0; i < 4 && code == CS_OK; i++) {
      const struct node low = moved(&old[c], (i & 1) * half, (i >> 1) * half);
      code = consider(r, &low, half, error);
    }
  free(old);
  return code;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static int compare_found(const void *left, const void *right) {
  const struct found *a = left, *b = right;
  if (a->level != b->level) return a->level < b->level ? -1 : 1;
  if (a->node.map != b->node.map) return a->node.map < b->node.map ? -1 : 1;
  for (size_t i = 0; i < 2; i++)
    if (a->node.at[i] != b->node.at[i]) return a->node.at[i] < b->node.at[i] ? -1 : 1;
  return 0;
}

/* Coordinates of the points along axis number a. */
static int add_coordinate(const struct refining *r, size_t a, struct cs_table *group, struct cs_error *error) {
  const struct cs_axis *axis = &r->sweep->axis[a];
  const size_t point = 0;
  const size_t stride = cs_axis_stride(r->sweep->axis, r->sweep->axes, a);
  struct cs_array *to;
  int code = cs_table_add_array(group, axis->name, axis->labels != NULL ? "" : axis->unit, axis->long_name,
                                axis->labels != NULL ? CS_TEXT : CS_FLOAT64, 1, &point, &to, error);
  for (size_t i = 0; i < r->founds && code == CS_OK; i++) {
    const struct node *n = &r->found[i].node;
    const size_t at = r->base[n->map] / stride % axis->length;
    if (a == r->sweep->refined[0] || a == r->sweep->refined[1])
      to->data.float64[i] = coordinate(r, a == r->sweep->refined[1], n->at[a == r->sweep->refined[1]]);
    else if (axis->labels == NULL)
      to->data.float64[i] = axis->values[at];
    else if ((to->data.text[i] = cs_text_copy(axis->labels[at])) == NULL)
      code = cs_error_memory(error);
  }
  return code;
}

static int add_group(struct refining *r, struct cs_table *table, struct cs_error *error) {
  const size_t point = 0;
  struct cs_table *group;
  struct cs_array *to;
  if (r->founds == 0) return CS_OK; /* no boundary crosses a map: a dimension has at least one item */
  qsort(r->found, r->founds, sizeof *r->found, compare_found);
  int code = cs_table_add_group(table, "refined", "points added around the boundaries of the maps", &group, error);
  if (code == CS_OK) code = cs_table_add_numbers(group, "point", "point", r->founds, NULL, error);
  for (size_t a = 0; a < r->sweep->axes && code == CS_OK; a++)
    code = add_coordinate(r, a, group, error);
  const struct cs_metric_info *radius = &cs_metric_table[CS_SPECTRAL_RADIUS], *stable = &cs_metric_table[CS_STABLE];
  if (code == CS_OK)
    code = cs_table_add_array(group, radius->name, radius->unit, radius->long_name, CS_FLOAT64, 1, &point, &to, error);
  for (size_t i = 0; i < r->founds && code == CS_OK; i++)
    to->data.float64[i] = r->found[i].radius;
  if (code == CS_OK)
    code = cs_table_add_array(group, stable->name, stable->unit, stable->long_name, CS_UINT8, 1, &point, &to, error);
  if (code == CS_OK && (to->flag_meanings = cs_text_copy(stable->flags)) == NULL) code = cs_error_memory(error);
  for (size_t i = 0; i < r->founds && code == CS_OK; i++)
    to->data.uint8[i] = cs_result_stable(r->found[i].radius);
  if (code == CS_OK)
    code = cs_table_add_array(group, "level", "1", "level of refinement that added the point, from 1", CS_INT64, 1,
                              &point, &to, error);
  for (size_t i = 0; i < r->founds && code == CS_OK; i++)
    to->data.int64[i] = r->found[i].level;
  return code;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int refining_open(const struct cs_sweep *sweep, const double *radius, struct refining *r,
                         struct cs_error *error) {
  *r = (struct refining){.sweep = sweep, .radius = radius, .split = (uint64_t)1 << sweep->refine};
  for (size_t i = 0; i < 2; i++) {
    r->axis[i] = &sweep->axis[sweep->refined[i]];
    r->order[i] = malloc(r->axis[i]->length * sizeof *r->order[i]);
    if (r->order[i] == NULL) return cs_error_memory(error);
    const int code = cs_boundary_order(r->axis[i], r->order[i], error);
    if (code != CS_OK) return code;
    r->stride[i] = cs_axis_stride(sweep->axis, sweep->axes, sweep->refined[i]);
  }
  const size_t maps = sweep->runs / r->axis[0]->length / r->axis[1]->length;
  r->base = malloc(maps * sizeof *r->base);
  r->sample = calloc(maps, sizeof *r->sample);
  if (r->base == NULL || r->sample == NULL) return cs_error_memory(error);
  for (size_t run = 0; run < sweep->runs; run++)
    if (run / r->stride[0] % r->axis[0]->length == 0 && run / r->stride[1] % r->axis[1]->length == 0)
      r->base[r->maps++] = run;
  return CS_OK;
}

static void refining_close(struct refining *r) {
  free(r->order[0]);
  free(r->order[1]);
  free(r->base);
  free(r->sample);
  free(r->found);
  cs_index_clear(&r->index);
  free(r->cell);
}

int cs_refine_maps(const struct cs_sweep *sweep, const double *radius, cs_evaluate *evaluate, void *context,
                   struct cs_table *table, struct cs_error *error) {
  struct refining r;
  int code = refining_open(sweep, radius, &r, error);
  if (code == CS_OK) code = consider_maps(&r, error);
  uint64_t size = r.split;
  for (unsigned level = 1; level <= sweep->refine && code == CS_OK; level++, size /= 2)
    code = split_cells(&r, size, level, evaluate, context, error);
  if (code == CS_OK) code = add_group(&r, table, error);
  refining_close(&r);
  return code;
}
