/* A metric over two dimensions: the pixels of a map. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_map.h"

/* Pixels along each side: enough to keep cells sharp, and no more than are visible. */
enum { PIXELS = 160, MOST_PIXELS = 640 };

/* ---- sides */

static void free_side(struct cs_map_side *side) {
  free(side->position);
  free(side->value);
  free(side->edge);
  free(side->cell);
}

static double drawn(const struct cs_map_side *side, double value) {
  return side->log ? log(value) : value;
}

static double undrawn(const struct cs_map_side *side, double value) {
  return side->log ? exp(value) : value;
}

static void sort_side(struct cs_map_side *side) {
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
static bool is_even(const struct cs_map_side *side) {
  const double width = (side->edge[side->count] - side->edge[0]) / (double)side->count;
  for (size_t i = 0; i < side->count; i++)
    if (fabs(side->edge[i + 1] - side->edge[i] - width) > 1e-6 * width) return false;
  return true;
}

/* `uneven`: number of pixels if the cells differ in width. */
static int open_side(struct cs_map_side *side, struct cs_slice *slice, size_t at, size_t finer, size_t uneven,
                     struct cs_error *error) {
  *side = (struct cs_map_side){.slice = slice, .at = at, .count = slice->count};
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

static int set_axis(const struct cs_map_side *side, struct cs_figure_axis *axis, struct cs_error *error) {
  struct cs_text label = {0};
  cs_view_add_axis(side->slice, &label);
  axis->label = label.data;
  axis->log = side->log;
  axis->least = undrawn(side, side->edge[0]);
  axis->most = undrawn(side, side->edge[side->count]);
  return label.failed ? cs_error_memory(error) : CS_OK;
}

void cs_figure_map_frame(const struct cs_map *map, double frame[4]) {
  for (size_t k = 0; k < 4; k++) {
    const struct cs_map_side *side = k < 2 ? &map->x : &map->y;
    frame[k] = undrawn(side, side->edge[k % 2 ? side->count : 0]);
  }
}

/* ---- values */

double cs_figure_map_value(const struct cs_map *map, size_t *position, size_t column, size_t row) {
  position[map->x.at] = map->x.position[column];
  position[map->y.at] = map->y.position[row];
  return cs_view_value(map->view, position);
}

double cs_figure_map_decaying(const struct cs_map *map, const size_t *position) {
  return map->decaying != NULL ? cs_table_number(map->decaying, cs_view_item(map->view, map->decaying, position)) : NAN;
}

bool cs_figure_map_is_limit(const struct cs_map *map, size_t *position, size_t column, size_t row) {
  bool decays = false, gone = false, grows = false;
  for (size_t k = 0; k < 4; k++) {
    const size_t i = column + (k == 1) - (k == 0), j = row + (k == 3) - (k == 2); /* below 0: larger than any */
    const double value = i < map->x.count && j < map->y.count ? cs_figure_map_value(map, position, i, j) : NAN;
    decays = decays || value < 1.0 - 1e-8;
    gone = gone || (value <= 1.0 + 1e-9 && cs_figure_map_decaying(map, position) == 0.0);
    grows = grows || value > 1.0 + 1e-9;
  }
  cs_figure_map_value(map, position, column, row); /* sets its position */
  return decays || (grows && !gone && map->vanishes && cs_figure_map_decaying(map, position) == 0.0);
}

/* The same for colours: where a spectral radius is stable, the radius of the part that decays, which says more than
 * values close to 1. */
static double colour_at(const struct cs_map *map, size_t *position, size_t column, size_t row) {
  const double value = cs_figure_map_value(map, position, column, row);
  if (map->decaying == NULL || !(value <= 1.0 + 1e-9)) return value;
  const double own = cs_figure_map_decaying(map, position);
  const bool gone = own == 0.0 && map->vanishes && !cs_figure_map_is_limit(map, position, column, row);
  return own > 0.0 || gone ? fmin(own, 1.0) : value;
}

/* What the values of some panels are like; `zero`: absolute values that count as 0. */
struct census {
  size_t negative, positive;
  double least, most, smallest, logarithms; /* smallest absolute value; sum of ln of absolute values; without zeros */
};

static struct census look_through(const struct cs_map *map, size_t from, size_t to, double zero) {
  struct census c = {.least = INFINITY, .most = -INFINITY, .smallest = INFINITY};
  size_t position[CS_MAX_DIMENSIONS] = {0};
  cs_view_place(map->view, CS_PART_NONE, 0, position);
  const struct cs_view_lost lost = map->view->lost;
  for (size_t p = from; p < to; p++) {
    cs_view_place(map->view, CS_PART_PANEL, p, position);
    for (size_t i = 0; i < map->x.count * map->y.count; i++) {
      const double value = colour_at(map, position, i % map->x.count, i / map->x.count), size = fabs(value);
      if (isnan(value)) continue;
      c.least = fmin(c.least, value);
      c.most = fmax(c.most, value);
      if (!(size > zero)) continue;
      c.negative += value < 0.0;
      c.positive += value > 0.0;
      c.smallest = fmin(c.smallest, size);
      c.logarithms += log(size);
    }
  }
  map->view->lost = lost; /* counted when drawn */
  return c;
}

/* Range of the values of some panels, and which colours suit them. */
static void choose_colours(struct cs_map *map, size_t from, size_t to) {
  const double noise = 1e-6; /* relative to the largest value, beside values of both signs */
  struct census c = look_through(map, from, to, 0.0);
  const bool both = !map->radius && c.negative > 0 && c.positive > 0;
  map->least = c.least;
  map->most = c.most;
  map->log_z = c.negative == 0 && c.most > 0.0 && (map->radius || c.most >= 30.0 * c.smallest);
  map->divide = map->radius ? 1.0 : both ? 0.0 : NAN;
  if (map->log_z) map->least = c.smallest;
  if (!both) return;
  map->zero = noise * fmax(-c.least, c.most);
  c = look_through(map, from, to, map->zero);
  map->usual = exp(c.logarithms / (double)(c.negative + c.positive));
}

/* ---- refined points */

/* The points added by refinement around the boundary; count 0 if there are none. */
static struct cs_map_points find_points(const struct cs_view *view, const struct cs_slice *x,
                                        const struct cs_slice *y) {
  const struct cs_table *group = view->table->group;
  struct cs_map_points points = {.finer = 1};
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

bool cs_figure_map_has_point(const struct cs_map *map, const struct cs_map_points *points, size_t i,
                             const size_t *position) {
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
static size_t pixel_of(const struct cs_map_side *side, double value) {
  const double part = (drawn(side, value) - side->edge[0]) / (side->edge[side->count] - side->edge[0]);
  const double pixel = part * (double)side->pixels - 0.5;
  return pixel >= 0.0 && pixel < (double)(side->pixels - 1) ? (size_t)pixel : side->pixels;
}

/* Draws each point over the four pixels around it, the size of a refined cell. */
static void overlay(const struct cs_map *map, const struct cs_map_points *points, const size_t *position,
                    struct cs_figure_map *pixels) {
  for (size_t i = 0; i < points->count; i++) {
    if (isnan(points->value[i]) || !cs_figure_map_has_point(map, points, i, position)) continue;
    const size_t column = pixel_of(&map->x, points->x[i]), row = pixel_of(&map->y, points->y[i]);
    if (column == pixels->columns || row == pixels->rows) continue;
    for (size_t k = 0; k < 4; k++)
      pixels->value[(row + k / 2) * pixels->columns + column + k % 2] = points->value[i];
  }
}

/* ---- panels */

/* Whether something decays in a stable run of the panel: where nothing does, it then has vanished after some steps. */
static bool finds_decay(const struct cs_map *map, size_t *position) {
  const struct cs_view_lost lost = map->view->lost;
  bool found = false;
  for (size_t i = 0; i < map->x.count * map->y.count && map->decaying != NULL && !found; i++) {
    const double value = cs_figure_map_value(map, position, i % map->x.count, i / map->x.count);
    found = value <= 1.0 + 1e-9 && cs_figure_map_decaying(map, position) > 0.0;
  }
  map->view->lost = lost;
  return found;
}

static int fill_pixels(struct cs_map *map, const struct cs_map_points *points, struct cs_figure_panel *panel,
                       size_t *position, struct cs_error *error) {
  struct cs_figure_map *pixels = panel->map = calloc(1, sizeof *pixels);
  if (pixels == NULL) return cs_error_memory(error);
  pixels->columns = map->x.pixels;
  pixels->rows = map->y.pixels;
  pixels->divide = map->divide;
  pixels->value = malloc(pixels->columns * pixels->rows * sizeof *pixels->value);
  if (pixels->value == NULL) return cs_error_memory(error);
  const struct cs_view_lost lost = map->view->lost;
  map->vanishes = finds_decay(map, position);
  for (size_t r = 0; r < pixels->rows; r++)
    for (size_t c = 0; c < pixels->columns; c++) {
      const double value = colour_at(map, position, map->x.cell[c], map->y.cell[r]);
      pixels->value[r * pixels->columns + c] = map->log_z && value <= 0.0 ? map->least : value;
    }
  map->view->lost = lost; /* pixels are not runs */
  for (size_t i = 0; i < map->x.count * map->y.count; i++)
    map->missing += isnan(cs_figure_map_value(map, position, i % map->x.count, i / map->x.count));
  overlay(map, points, position, pixels);
  /* Values beyond the scale take the colour of its end; values close to 1, or to 0, that of their side, with 1 itself
   * stable. */
  const double side = map->radius ? pow(panel->z.most / panel->z.least, 0.012) : 1.0;
  for (size_t i = 0; i < pixels->columns * pixels->rows; i++) {
    double *value = &pixels->value[i];
    if (isnan(*value)) continue;
    *value = fmin(fmax(*value, panel->z.least), panel->z.most);
    if (map->radius) *value = *value <= 1.0 + 1e-9 ? fmin(*value, 1.0 / side) : fmax(*value, side);
    const double apart = 0.012 * panel->z.most;
    if (map->divide == 0.0) *value = *value <= map->zero ? fmin(*value, -apart) : fmax(*value, apart);
  }
  return CS_OK;
}

static int fill_panel(struct cs_map *map, const struct cs_map_points *points, struct cs_figure_panel *panel,
                      size_t *position, struct cs_error *error) {
  struct cs_text label = {0};
  int code = set_axis(&map->x, &panel->x, error);
  if (code == CS_OK) code = set_axis(&map->y, &panel->y, error);
  cs_view_add_metric(map->view, position, false, &label);
  panel->z = (struct cs_figure_axis){.label = label.data, .log = map->log_z, .least = map->least, .most = map->most};
  if (code == CS_OK && label.failed) code = cs_error_memory(error);
  if (code == CS_OK) code = fill_pixels(map, points, panel, position, error);
  if (code == CS_OK) code = cs_figure_map_add_lines(map, points, panel, position, error);
  return code;
}

static double two_digits(double value) {
  const double unit = pow(10.0, floor(log10(value)) - 1.0);
  return isfinite(unit) && unit > 0.0 ? round(value / unit) * unit : value;
}

/* Sets the colour scale: a spectral radius within a factor of 100 of 1, at most twelve decades of unbounded values, and
 * never an empty range. */
static void set_scale(struct cs_map *map) {
  const double far = 100.0, decades = 1e12;
  struct cs_text *notes = &map->view->notes;
  if (map->radius) {
    if (map->least < 1.0 / far || map->most > far) cs_text_add(notes, "colours end at %g and %g\n", 1.0 / far, far);
    map->least = fmin(fmax(map->least, 1.0 / far), 1.0 / 1.01);
    map->most = fmax(fmin(map->most, far), 1.01);
    map->least = fmin(map->least, pow(map->most, -0.06)); /* a visible part below 1 */
    map->most = fmax(map->most, pow(map->least, -0.06));
  } else if (map->divide == 0.0) { /* both signs alike, and most values not lost beside few large ones */
    const double reach = fmax(-map->least, map->most), clear = 30.0 * map->usual;
    map->most = fmin(reach, two_digits(clear));
    map->least = -map->most;
    if (reach > map->most) cs_text_add(notes, "colours end at %.6g and %.6g\n", map->least, map->most);
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
static void choose_scale(struct cs_map *map, size_t from, size_t to) {
  choose_colours(map, from, to);
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
  struct cs_map map = {.view = &view};
  struct cs_slice *x = NULL, *y = NULL;
  size_t position[CS_MAX_DIMENSIONS] = {0};
  int code = cs_view_open(table, request, request->metric, &view, error);
  if (code == CS_OK) code = choose_sides(&view, &x, &y, error);
  if (code == CS_OK && request->curve != NULL)
    code = cs_error_set(error, CS_USAGE, "--curve \"%s\"; a map has no curves, want --panel", request->curve);
  if (code == CS_OK) code = cs_view_share(&view, false, error);
  if (code != CS_OK) goto out;
  const struct cs_map_points points = find_points(&view, x, y);
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
  choose_colours(&map, 0, panels);
  if (map.least > map.most)
    code = cs_error_set(error, CS_NO_RESULT, "%s: no run that is drawn succeeded", view.metric->name);
  if (code == CS_OK && (*figure)->one_scale) set_scale(&map);
  cs_view_place(&view, CS_PART_NONE, 0, position);
  for (size_t p = 0; p < panels && code == CS_OK; p++) {
    cs_view_place(&view, CS_PART_PANEL, p, position);
    if (!(*figure)->one_scale) choose_scale(&map, p, p + 1);
    code = fill_panel(&map, &points, &(*figure)->panel[p], position, error);
  }
  cs_figure_map_explain_lines(&map, *figure, &view.notes);
  const size_t failed = view.lost.failed, skipped = view.lost.skipped;
  if (failed > 0) cs_text_add(&view.notes, "grey: %zu failed run%s\n", failed, failed == 1 ? "" : "s");
  if (skipped > 0) cs_text_add(&view.notes, "grey: %zu skipped run%s\n", skipped, skipped == 1 ? "" : "s");
  const size_t outside = view.lost.outside, known = failed + skipped + outside;
  if (outside > 0) cs_text_add(&view.notes, "grey: %zu that --where leaves out\n", outside);
  if (map.missing > known) cs_text_add(&view.notes, "grey: %zu without a value\n", map.missing - known);
  view.lost = (struct cs_view_lost){0};
  if (code == CS_OK) code = cs_view_finish(&view, *figure, error);
out:
  free_side(&map.x);
  free_side(&map.y);
  cs_view_close(&view);
  return code;
}
