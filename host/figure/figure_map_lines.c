/* Lines over a map: where stability ends, where the model itself grows, where values change their sign. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_map.h"

/* Where the file says that stability changes, in the panel at `position`. */
struct crossings {
  const struct cs_map *map;
  const struct cs_array *array[2]; /* along x, along y; NULL: not searched */
  size_t *position;
};

/* The first crossing from one value on a line of the grid to another. */
static double find_crossing(const void *context, bool upwards, size_t line, double from, double to) {
  const struct crossings *c = context;
  const struct cs_map_side *over = upwards ? &c->map->x : &c->map->y;
  const struct cs_array *array = c->array[upwards];
  const double *value = NULL;
  c->position[over->at] = over->position[line];
  const size_t count = cs_view_crossings_at(c->map->view, array, c->position, &value);
  double first = NAN;
  for (size_t k = 0; k < count; k++)
    if (value[k] >= fmin(from, to) && value[k] <= fmax(from, to) && !(fabs(value[k] - from) >= fabs(first - from)))
      first = value[k];
  return first;
}

/* The numbers of a contour: where the frame is, coordinates, values, added points. */
struct field {
  double frame[4];
  double *x, *y, *value;
  struct cs_contour_point *point;
};

static void free_field(struct field *f) {
  free(f->x);
  free(f->y);
  free(f->value);
  free(f->point);
}

/* ln rho, with 1 + 1e-9 still stable. `known`: a radius of 1 is that of a mode about to grow; otherwise it may be that
 * of a neutral one, which says nothing about the distance to the boundary: minus infinity. */
static double measure(double radius, bool known) {
  const double own = log(radius) - 1e-9;
  return own <= 0.0 && own > -1e-8 && !known ? -INFINITY : own;
}

/* The same of a run; radius: another array over the runs, or NULL for the metric itself, whose stable side has the
 * radius of the part that decays. */
static double height(const struct cs_map *map, size_t *position, const struct cs_array *radius, size_t column,
                     size_t row) {
  const double own = cs_figure_map_value(map, position, column, row);
  if (!map->radius) return own <= map->zero ? fmin(own, 0.0) : own;
  if (radius != NULL) return measure(cs_table_number(radius, cs_view_item(map->view, radius, position)), false);
  if (!(own <= 1.0 + 1e-9)) return log(own) - 1e-9;
  const double part = cs_figure_map_decaying(map, position);
  if (log(own) > -1e-8 && cs_figure_map_is_limit(map, position, column, row)) return 0.0;
  return fmin(part > 0.0 ? measure(part, true) : measure(own, false), 0.0);
}

static int open_field(const struct cs_map *map, const struct cs_map_points *points, const struct cs_array *radius,
                      size_t *position, struct cs_contour *contour, struct field *f, struct cs_error *error) {
  const size_t columns = map->x.count, rows = map->y.count, more = radius == NULL ? points->count : 0;
  *f = (struct field){.x = malloc(columns * sizeof *f->x),
                      .y = malloc(rows * sizeof *f->y),
                      .value = malloc(columns * rows * sizeof *f->value),
                      .point = malloc((more + 1) * sizeof *f->point)};
  cs_figure_map_frame(map, f->frame);
  *contour = (struct cs_contour){
      .columns = columns, .rows = rows, .x = f->x, .y = f->y, .log_x = map->x.log, .log_y = map->y.log};
  contour->bent = true;
  contour->frame = f->frame;
  contour->value = f->value;
  contour->point = f->point;
  if (f->x == NULL || f->y == NULL || f->value == NULL || f->point == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < columns; i++)
    f->x[i] = map->x.slice->dimension->values[map->x.position[i]];
  for (size_t i = 0; i < rows; i++)
    f->y[i] = map->y.slice->dimension->values[map->y.position[i]];
  const struct cs_view_lost lost = map->view->lost;
  for (size_t i = 0; i < columns * rows; i++)
    f->value[i] = height(map, position, radius, i % columns, i / columns);
  map->view->lost = lost; /* counted when drawn */
  for (size_t i = 0; i < more; i++)
    if (cs_figure_map_has_point(map, points, i, position))
      f->point[contour->points++] = (struct cs_contour_point){
          points->x[i], points->y[i], map->radius ? measure(points->value[i], false) : points->value[i]};
  return CS_OK;
}

/* Where values of both signs change theirs. */
static int add_zero(const struct cs_map *map, const struct cs_map_points *points, struct cs_figure_panel *panel,
                    size_t *position, struct cs_error *error) {
  struct cs_contour contour;
  struct field field;
  int code = open_field(map, points, NULL, position, &contour, &field, error);
  if (code == CS_OK) code = cs_figure_add_contour(&contour, panel, CS_INK_BOUNDARY, error);
  free_field(&field);
  return code;
}

/* The boundary of stability: through the crossings that the file has, else between neighbours of the map and of the
 * points added to it. And where the model itself grows, which no coupling is to blame for. */
static int add_boundaries(const struct cs_map *map, const struct cs_map_points *points, struct cs_figure_panel *panel,
                          size_t *position, struct cs_error *error) {
  const struct cs_array *exact = cs_table_find(map->view->table, cs_metric_table[CS_SPECTRAL_RADIUS_EXACT].name);
  const struct crossings crossings = {
      map, {cs_view_crossings(map->view, map->x.slice), cs_view_crossings(map->view, map->y.slice)}, position};
  struct cs_contour contour;
  struct field field;
  int code = open_field(map, points, NULL, position, &contour, &field, error);
  contour.crossing = crossings.array[0] != NULL || crossings.array[1] != NULL ? find_crossing : NULL;
  contour.context = &crossings;
  if (code == CS_OK) code = cs_figure_add_contour(&contour, panel, CS_INK_BOUNDARY, error);
  free_field(&field);
  if (code != CS_OK || exact == NULL || exact == map->view->metric || exact->type != CS_FLOAT64 ||
      exact->dimensions != map->view->metric->dimensions)
    return code;
  code = open_field(map, points, exact, position, &contour, &field, error);
  if (code == CS_OK) code = cs_figure_add_contour(&contour, panel, CS_INK_EXACT, error);
  free_field(&field);
  return code;
}

int cs_figure_map_add_lines(const struct cs_map *map, const struct cs_map_points *points, struct cs_figure_panel *panel,
                            size_t *position, struct cs_error *error) {
  if (map->radius) return add_boundaries(map, points, panel, position, error);
  return map->divide == 0.0 ? add_zero(map, points, panel, position, error) : CS_OK;
}

static bool has_ink(const struct cs_figure *figure, enum cs_figure_ink ink) {
  for (size_t p = 0; p < figure->panels; p++)
    for (size_t c = 0; c < figure->panel[p].curves; c++)
      if (figure->panel[p].curve[c].ink == ink) return true;
  return false;
}

void cs_figure_map_explain_lines(const struct cs_map *map, const struct cs_figure *figure, struct cs_text *notes) {
  const bool boundary = has_ink(figure, CS_INK_BOUNDARY), exact = has_ink(figure, CS_INK_EXACT);
  if (boundary) cs_text_add(notes, "%sline: %s", exact ? "solid " : "", map->radius ? "boundary of stability" : "0");
  if (exact) cs_text_add(notes, "%sdashed line: beyond it the model itself grows", boundary ? "; " : "");
  if (boundary || exact) cs_text_add(notes, "\n");
}
