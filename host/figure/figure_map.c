/* A metric over two dimensions: the pixels of a map, and the stability boundary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"

/* Pixels along each side: enough to keep cells sharp, and no more than are visible. */
enum { PIXELS = 160, MOST_PIXELS = 640 };

/* One side of a map: the values drawn, ascending, and the edges of their cells on the axis as drawn. */
struct side {
  struct cs_slice *slice;
  size_t at; /* number of that slice */
  bool log;
  size_t count, pixels;
  size_t *position; /* [count] along the dimension */
  double *value;    /* [count] as drawn: logarithms on a logarithmic axis */
  double *edge;     /* [count + 1], as drawn */
  size_t *cell;     /* [pixels] cell of each pixel */
};

struct map {
  struct cs_view *view;
  struct side x, y;
  bool log_z, radius;
  const struct cs_array *decaying; /* what colours the stable side of spectral_radius; NULL: nothing else */
  size_t missing;                  /* successful runs without a value */
  double least, most;              /* of the values drawn */
};

/* ---- sides */

static void free_side(struct side *side) {
  free(side->position);
  free(side->value);
  free(side->edge);
  free(side->cell);
}

static double drawn(const struct side *side, double value) {
  return side->log ? log(value) : value;
}

static double undrawn(const struct side *side, double value) {
  return side->log ? exp(value) : value;
}

static void sort_side(struct side *side) {
  for (size_t i = 1; i < side->count; i++)
    for (size_t k = i; k > 0 && side->value[k - 1] > side->value[k]; k--) {
      const double value = side->value[k];
      const size_t position = side->position[k];
      side->value[k] = side->value[k - 1];
      side->position[k] = side->position[k - 1];
      side->value[k - 1] = value;
      side->position[k - 1] = position;
    }
}

/* Whether all cells have the same width, so that each can have the same number of pixels. */
static bool is_even(const struct side *side) {
  const double width = (side->edge[side->count] - side->edge[0]) / (double)side->count;
  for (size_t i = 0; i < side->count; i++)
    if (fabs(side->edge[i + 1] - side->edge[i] - width) > 1e-6 * width) return false;
  return true;
}

/* `uneven`: number of pixels if the cells differ in width. */
static int open_side(struct side *side, struct cs_slice *slice, size_t at, size_t finer, size_t uneven,
                     struct cs_error *error) {
  *side = (struct side){.slice = slice, .at = at, .count = slice->count};
  side->position = malloc(side->count * sizeof *side->position);
  side->value = malloc(side->count * sizeof *side->value);
  side->edge = malloc((side->count + 1) * sizeof *side->edge);
  if (side->position == NULL || side->value == NULL || side->edge == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < side->count; i++) {
    side->position[i] = slice->kept[i];
    side->value[i] = slice->dimension->values[slice->kept[i]];
  }
  sort_side(side);
  side->log = cs_view_is_log(side->value, side->count);
  for (size_t i = 0; i < side->count; i++)
    side->value[i] = drawn(side, side->value[i]);
  for (size_t i = 1; i < side->count; i++)
    side->edge[i] = 0.5 * (side->value[i - 1] + side->value[i]);
  const size_t last = side->count - 1;
  const double alone = side->value[0] != 0.0 ? fabs(side->value[0]) : 1.0; /* width of a single cell */
  side->edge[0] = side->value[0] - 0.5 * (last > 0 ? side->value[1] - side->value[0] : alone);
  side->edge[last + 1] = side->value[last] + 0.5 * (last > 0 ? side->value[last] - side->value[last - 1] : alone);
  const size_t times = finer > 1 ? 2 * finer : (PIXELS + side->count - 1) / side->count;
  side->pixels = is_even(side) ? side->count * times : uneven;
  side->cell = malloc(side->pixels * sizeof *side->cell);
  if (side->cell == NULL) return cs_error_memory(error);
  for (size_t i = 0, cell = 0; i < side->pixels; i++) {
    const double part = ((double)i + 0.5) / (double)side->pixels;
    const double value = side->edge[0] + part * (side->edge[side->count] - side->edge[0]);
    while (cell + 1 < side->count && value > side->edge[cell + 1])
      cell++;
    side->cell[i] = cell;
  }
  return CS_OK;
}

static int set_axis(const struct side *side, struct cs_figure_axis *axis, struct cs_error *error) {
  struct cs_text label = {0};
  cs_view_add_axis(side->slice, &label);
  axis->label = label.data;
  axis->log = side->log;
  axis->least = undrawn(side, side->edge[0]);
  axis->most = undrawn(side, side->edge[side->count]);
  return label.failed ? cs_error_memory(error) : CS_OK;
}

/* ---- values */

static double value_at(const struct map *map, size_t *position, size_t column, size_t row) {
  position[map->x.at] = map->x.position[column];
  position[map->y.at] = map->y.position[row];
  return cs_view_value(map->view, position);
}

/* The same for colours: where a spectral radius is stable, the radius of the part that decays, which says more than
 * values close to 1. */
static double colour_at(const struct map *map, size_t *position, size_t column, size_t row) {
  const double value = value_at(map, position, column, row);
  if (map->decaying == NULL || !(value <= 1.0 + 1e-9)) return value;
  const double own = cs_table_number(map->decaying, cs_view_item(map->view, map->decaying, position));
  return own > 0.0 ? fmin(own, 1.0) : value;
}

/* Range of the values of some panels, and whether a logarithmic scale suits them. */
static void look_through(struct map *map, size_t from, size_t to) {
  size_t position[CS_MAX_DIMENSIONS] = {0}, negative = 0;
  double smallest = INFINITY;
  map->least = INFINITY;
  map->most = -INFINITY;
  cs_view_place(map->view, CS_PART_NONE, 0, position);
  const size_t failed = map->view->failed;
  for (size_t p = from; p < to; p++) {
    cs_view_place(map->view, CS_PART_PANEL, p, position);
    for (size_t i = 0; i < map->x.count * map->y.count; i++) {
      const double value = colour_at(map, position, i % map->x.count, i / map->x.count);
      if (isnan(value)) continue;
      negative += value < 0.0;
      if (value != 0.0) smallest = fmin(smallest, fabs(value));
      map->least = fmin(map->least, value);
      map->most = fmax(map->most, value);
    }
  }
  map->view->failed = failed; /* counted when drawn */
  map->log_z = negative == 0 && map->most > 0.0 && (map->radius || map->most >= 30.0 * smallest);
  if (map->log_z) map->least = smallest;
}

/* ---- refined points */

struct points {
  const double *x, *y, *value;
  double *along[CS_MAX_DIMENSIONS]; /* coordinates along the other axes, borrowed; NULL if the group has none */
  char **name[CS_MAX_DIMENSIONS];   /* the same for axes of names */
  size_t count, finer;              /* finer: cells along a side of a refined cell */
};

/* The points added by refinement around the boundary; count 0 if there are none. */
static struct points find_points(const struct cs_view *view, const struct cs_slice *x, const struct cs_slice *y) {
  const struct cs_table *group = view->table->group;
  struct points points = {.finer = 1};
  const struct cs_array *value = group != NULL ? cs_table_find(group, view->metric->name) : NULL;
  const struct cs_array *level = group != NULL ? cs_table_find(group, "level") : NULL;
  const struct cs_array *of_x = group != NULL ? cs_table_find(group, x->dimension->name) : NULL;
  const struct cs_array *of_y = group != NULL ? cs_table_find(group, y->dimension->name) : NULL;
  if (value == NULL || level == NULL || of_x == NULL || of_y == NULL || value->type != CS_FLOAT64 ||
      of_x->type != CS_FLOAT64 || of_y->type != CS_FLOAT64)
    return points;
  for (size_t i = 0; i < view->slices; i++) {
    const struct cs_array *along = cs_table_find(group, view->slice[i].dimension->name);
    if (along != NULL && along->type == CS_FLOAT64) points.along[i] = along->data.float64;
    if (along != NULL && along->type == CS_TEXT) points.name[i] = along->data.text;
  }
  for (size_t i = 0; i < level->count; i++)
    while (points.finer < 16 && cs_table_number(level, i) >= log2((double)points.finer) + 0.5)
      points.finer *= 2;
  const size_t longest = x->count > y->count ? x->count : y->count;
  while (points.finer > 1 && 2 * points.finer * longest > MOST_PIXELS)
    points.finer /= 2;
  if (points.finer == 1) return points; /* the cells are already as fine as the pixels */
  points.x = of_x->data.float64;
  points.y = of_y->data.float64;
  points.value = value->data.float64;
  points.count = value->count;
  return points;
}

/* Whether point number `i` belongs to the panel at `position`. */
static bool is_of_panel(const struct map *map, const struct points *points, size_t i, const size_t *position) {
  for (size_t s = 0; s < map->view->slices; s++) {
    const struct cs_dimension *d = map->view->slice[s].dimension;
    if (s == map->x.at || s == map->y.at) continue;
    if (points->name[s] != NULL && d->labels != NULL && strcmp(points->name[s][i], d->labels[position[s]]) != 0)
      return false;
    if (points->along[s] != NULL && d->values != NULL && points->along[s][i] != d->values[position[s]]) return false;
  }
  return true;
}

/* The first of the two pixels around a value; `pixels` if outside. */
static size_t pixel_of(const struct side *side, double value) {
  const double part = (drawn(side, value) - side->edge[0]) / (side->edge[side->count] - side->edge[0]);
  const double pixel = part * (double)side->pixels - 0.5;
  return pixel >= 0.0 && pixel < (double)(side->pixels - 1) ? (size_t)pixel : side->pixels;
}

/* Draws each point over the four pixels around it, the size of a refined cell. */
static void overlay(const struct map *map, const struct points *points, const size_t *position,
                    struct cs_figure_map *pixels) {
  for (size_t i = 0; i < points->count; i++) {
    if (isnan(points->value[i]) || !is_of_panel(map, points, i, position)) continue;
    const size_t column = pixel_of(&map->x, points->x[i]), row = pixel_of(&map->y, points->y[i]);
    if (column == pixels->columns || row == pixels->rows) continue;
    for (size_t k = 0; k < 4; k++)
      pixels->value[(row + k / 2) * pixels->columns + column + k % 2] = points->value[i];
  }
}

/* ---- boundaries */

/* Where the file says that stability changes, in the panel at `position`. */
struct crossings {
  const struct map *map;
  const struct cs_array *array[2]; /* along x, along y; NULL: not searched */
  size_t *position;
};

/* The crossing between two values on a line of the grid. */
static double find_crossing(const void *context, bool upwards, size_t line, double from, double to) {
  const struct crossings *c = context;
  const struct side *over = upwards ? &c->map->x : &c->map->y;
  const struct cs_array *array = c->array[upwards];
  if (array == NULL) return NAN;
  const size_t most = c->map->view->table->dimension[array->dimension[array->dimensions - 1]].length;
  c->position[over->at] = over->position[line];
  const double *value = array->data.float64 + cs_view_item(c->map->view, array, c->position);
  for (size_t k = 0; k < most && !isnan(value[k]); k++)
    if (value[k] >= from && value[k] <= to) return value[k];
  return NAN;
}

static const struct cs_array *crossings_along(const struct map *map, const struct side *side) {
  const struct cs_array *found = cs_runs_find(map->view->table, side->slice->dimension->name,
                                              cs_metric_limit[CS_LIMIT_CROSSINGS].suffix, CS_FLOAT64);
  return found != NULL && found->dimensions == map->view->slices ? found : NULL;
}

/* The numbers of a contour: coordinates, values, added points. */
struct field {
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
static double height(const struct map *map, size_t *position, const struct cs_array *radius, size_t column,
                     size_t row) {
  const double own = value_at(map, position, column, row);
  if (radius != NULL) return measure(cs_table_number(radius, cs_view_item(map->view, radius, position)), false);
  if (!(own <= 1.0 + 1e-9)) return log(own) - 1e-9;
  const double part =
      map->decaying != NULL ? cs_table_number(map->decaying, cs_view_item(map->view, map->decaying, position)) : NAN;
  return fmin(part > 0.0 ? measure(part, true) : measure(own, false), 0.0);
}

static int open_field(const struct map *map, const struct points *points, const struct cs_array *radius,
                      size_t *position, struct cs_contour *contour, struct field *f, struct cs_error *error) {
  const size_t columns = map->x.count, rows = map->y.count, more = radius == NULL ? points->count : 0;
  *f = (struct field){malloc(columns * sizeof *f->x), malloc(rows * sizeof *f->y),
                      malloc(columns * rows * sizeof *f->value), malloc((more + 1) * sizeof *f->point)};
  *contour = (struct cs_contour){
      .columns = columns, .rows = rows, .x = f->x, .y = f->y, .log_x = map->x.log, .log_y = map->y.log};
  contour->value = f->value;
  contour->point = f->point;
  if (f->x == NULL || f->y == NULL || f->value == NULL || f->point == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < columns; i++)
    f->x[i] = map->x.slice->dimension->values[map->x.position[i]];
  for (size_t i = 0; i < rows; i++)
    f->y[i] = map->y.slice->dimension->values[map->y.position[i]];
  const size_t failed = map->view->failed;
  for (size_t i = 0; i < columns * rows; i++)
    f->value[i] = height(map, position, radius, i % columns, i / columns);
  map->view->failed = failed; /* counted when drawn */
  for (size_t i = 0; i < more; i++)
    if (is_of_panel(map, points, i, position))
      f->point[contour->points++] =
          (struct cs_contour_point){points->x[i], points->y[i], measure(points->value[i], false)};
  return CS_OK;
}

/* The boundary of stability: through the crossings that the file has, else between neighbours of the map and of the
 * points added to it. And where the model itself grows, which no coupling is to blame for. */
static int add_boundaries(const struct map *map, const struct points *points, struct cs_figure_panel *panel,
                          size_t *position, struct cs_error *error) {
  const struct cs_array *exact = cs_table_find(map->view->table, cs_metric_table[CS_SPECTRAL_RADIUS_EXACT].name);
  const struct crossings crossings = {map, {crossings_along(map, &map->x), crossings_along(map, &map->y)}, position};
  struct cs_contour contour;
  struct field field;
  int code = open_field(map, points, NULL, position, &contour, &field, error);
  contour.crossing = find_crossing;
  contour.context = &crossings;
  if (code == CS_OK) code = cs_figure_add_contour(&contour, panel, CS_INK_BOUNDARY, "boundary", error);
  free_field(&field);
  if (code != CS_OK || exact == NULL || exact == map->view->metric || exact->type != CS_FLOAT64 ||
      exact->dimensions != map->view->metric->dimensions)
    return code;
  code = open_field(map, points, exact, position, &contour, &field, error);
  if (code == CS_OK) code = cs_figure_add_contour(&contour, panel, CS_INK_EXACT, "model itself", error);
  free_field(&field);
  return code;
}

/* ---- panels */

static int fill_pixels(struct map *map, const struct points *points, struct cs_figure_panel *panel, size_t *position,
                       struct cs_error *error) {
  struct cs_figure_map *pixels = panel->map = calloc(1, sizeof *pixels);
  if (pixels == NULL) return cs_error_memory(error);
  pixels->columns = map->x.pixels;
  pixels->rows = map->y.pixels;
  pixels->divide = map->radius ? 1.0 : NAN;
  pixels->value = malloc(pixels->columns * pixels->rows * sizeof *pixels->value);
  if (pixels->value == NULL) return cs_error_memory(error);
  const size_t failed = map->view->failed;
  for (size_t r = 0; r < pixels->rows; r++)
    for (size_t c = 0; c < pixels->columns; c++) {
      const double value = colour_at(map, position, map->x.cell[c], map->y.cell[r]);
      pixels->value[r * pixels->columns + c] = map->log_z && value <= 0.0 ? map->least : value;
    }
  map->view->failed = failed; /* pixels are not runs */
  for (size_t i = 0; i < map->x.count * map->y.count; i++)
    map->missing += isnan(value_at(map, position, i % map->x.count, i / map->x.count));
  overlay(map, points, position, pixels);
  /* Values beyond the scale take the colour of its end; values close to 1 that of their side, with 1 itself stable. */
  const double side = map->radius ? pow(panel->z.most / panel->z.least, 0.012) : 1.0;
  for (size_t i = 0; i < pixels->columns * pixels->rows; i++) {
    double *value = &pixels->value[i];
    if (isnan(*value)) continue;
    *value = fmin(fmax(*value, panel->z.least), panel->z.most);
    if (map->radius) *value = *value <= 1.0 + 1e-9 ? fmin(*value, 1.0 / side) : fmax(*value, side);
  }
  return CS_OK;
}

static int fill_panel(struct map *map, const struct points *points, struct cs_figure_panel *panel, size_t *position,
                      struct cs_error *error) {
  struct cs_text label = {0};
  int code = set_axis(&map->x, &panel->x, error);
  if (code == CS_OK) code = set_axis(&map->y, &panel->y, error);
  cs_view_add_metric(map->view, position, false, &label);
  panel->z = (struct cs_figure_axis){.label = label.data, .log = map->log_z, .least = map->least, .most = map->most};
  if (code == CS_OK && label.failed) code = cs_error_memory(error);
  if (code == CS_OK) code = fill_pixels(map, points, panel, position, error);
  if (code == CS_OK && map->radius) code = add_boundaries(map, points, panel, position, error);
  return code;
}

/* Sets the colour scale: a spectral radius within a factor of 100 of 1, at most twelve decades of unbounded values, and
 * never an empty range. */
static void set_scale(struct map *map) {
  const double far = 100.0, decades = 1e12;
  struct cs_text *notes = &map->view->notes;
  if (map->radius) {
    if (map->least < 1.0 / far || map->most > far) cs_text_add(notes, "colours end at %g and %g\n", 1.0 / far, far);
    map->least = fmin(fmax(map->least, 1.0 / far), 1.0 / 1.01);
    map->most = fmax(fmin(map->most, far), 1.01);
    map->least = fmin(map->least, pow(map->most, -0.06)); /* a visible part below 1 */
    map->most = fmax(map->most, pow(map->least, -0.06));
  } else if (map->log_z && map->most > decades * map->least) {
    map->most = decades * map->least;
    cs_figure_add_notes("colours end 12 decades above the least value\n", notes);
  }
  if (!cs_figure_is_flat(map->least, map->most)) return;
  const double room = map->least != 0.0 ? 0.05 * fabs(map->least) : 1.0;
  map->most = map->least + room;
  map->least -= room;
}

/* Colour range of panels `from` to `to`; arbitrary if they have no values. */
static void choose_scale(struct map *map, size_t from, size_t to) {
  look_through(map, from, to);
  if (map->least > map->most) map->least = map->most = 0.0;
  set_scale(map);
}

/* Two numeric dimensions: the requested ones, else the longest; the step size is horizontal. */
static int choose_sides(struct cs_view *view, struct cs_slice **x, struct cs_slice **y, struct cs_error *error) {
  const struct cs_figure_request *request = view->request;
  struct cs_slice *longest[2] = {NULL, NULL};
  int code = request->x != NULL ? cs_view_need(view, "x", request->x, x, error) : CS_OK;
  if (code == CS_OK && request->y != NULL) code = cs_view_need(view, "y", request->y, y, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < view->slices; i++) {
    struct cs_slice *s = &view->slice[i];
    const bool number = s->dimension->values != NULL && s->nature != CS_NATURE_WORD && s->nature != CS_NATURE_ORDER;
    if (!number || s->count < 2 || s == *x || s == *y) continue;
    if (longest[0] == NULL || s->count > longest[0]->count) {
      longest[1] = longest[0];
      longest[0] = s;
    } else if (longest[1] == NULL || s->count > longest[1]->count) {
      longest[1] = s;
    }
  }
  const bool both = *x == NULL && *y == NULL, step = longest[1] != NULL && longest[1]->nature == CS_NATURE_STEP;
  if (*x == NULL) *x = both && step ? longest[1] : longest[0];
  if (*y == NULL) *y = both && !step ? longest[1] : longest[0];
  const struct cs_slice *wrong = *x != NULL && (*x)->dimension->values == NULL ? *x : *y;
  if (*x != NULL && *y != NULL && *x != *y && wrong->dimension->values != NULL) {
    (*x)->part = CS_PART_X;
    (*y)->part = CS_PART_Y;
    return CS_OK;
  }
  return cs_error_set(error, CS_USAGE, "--kind map: %s has no two axes of several numbers for --x and --y",
                      view->metric->name);
}

int cs_figure_map_of(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                     struct cs_error *error) {
  struct cs_view view;
  struct map map = {.view = &view};
  struct cs_slice *x = NULL, *y = NULL;
  size_t position[CS_MAX_DIMENSIONS] = {0};
  int code = cs_view_open(table, request, request->metric, &view, error);
  if (code == CS_OK) code = choose_sides(&view, &x, &y, error);
  if (code == CS_OK && request->curve != NULL)
    code = cs_error_set(error, CS_USAGE, "--curve \"%s\"; a map has no curves, want --panel", request->curve);
  if (code == CS_OK) code = cs_view_share(&view, false, error);
  if (code != CS_OK) goto out;
  const struct points points = find_points(&view, x, y);
  map.radius = cs_view_is_radius(&view);
  map.decaying = cs_table_find(table, cs_metric_table[CS_SPECTRAL_RADIUS_DECAYING].name);
  if (strcmp(view.metric->name, cs_metric_table[CS_SPECTRAL_RADIUS].name) != 0 ||
      (map.decaying != NULL && (map.decaying->type != CS_FLOAT64 || map.decaying->count != view.metric->count)))
    map.decaying = NULL;
  const size_t shown = cs_view_count(&view, CS_PART_PANEL); /* more panels are smaller */
  const size_t uneven = shown == 1 ? MOST_PIXELS : shown <= 4 ? 400 : 240;
  code = open_side(&map.x, x, (size_t)(x - view.slice), points.finer, uneven, error);
  if (code == CS_OK) code = open_side(&map.y, y, (size_t)(y - view.slice), points.finer, uneven, error);
  if (code == CS_OK) code = cs_figure_begin_view("map", &view, figure, error);
  if (code != CS_OK) goto out;
  const size_t panels = (*figure)->panels;
  (*figure)->one_scale = strncmp(view.metric->unit, "see ", 4) != 0; /* units differ between signals */
  look_through(&map, 0, panels);
  if (map.least > map.most)
    code = cs_error_set(error, CS_NO_RESULT, "%s: no run that is drawn succeeded", view.metric->name);
  if (code == CS_OK && (*figure)->one_scale) set_scale(&map);
  cs_view_place(&view, CS_PART_NONE, 0, position);
  for (size_t p = 0; p < panels && code == CS_OK; p++) {
    cs_view_place(&view, CS_PART_PANEL, p, position);
    if (!(*figure)->one_scale) choose_scale(&map, p, p + 1);
    code = fill_panel(&map, &points, &(*figure)->panel[p], position, error);
  }
  if (view.failed > 0) cs_text_add(&view.notes, "grey: %zu failed run%s\n", view.failed, view.failed == 1 ? "" : "s");
  if (map.missing > view.failed) cs_text_add(&view.notes, "grey: %zu without a value\n", map.missing - view.failed);
  view.failed = 0;
  if (code == CS_OK) code = cs_view_finish(&view, *figure, error);
out:
  free_side(&map.x);
  free_side(&map.y);
  cs_view_close(&view);
  return code;
}
