/* A metric over one dimension: convergence with fitted slopes, lines, points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"
#include "fit.h"
#include "methods.h"

/* ---- the dimension of x */

size_t cs_figure_fitted(const struct cs_view *view) {
  const struct cs_array *orders = cs_runs_find(view->table, view->metric->name, "_order", CS_FLOAT64);
  for (size_t i = 0; orders != NULL && orders->dimensions + 1 == view->slices && i < view->slices; i++)
    if (i == orders->dimensions || orders->dimension[i] != view->metric->dimension[i])
      return view->slice[i].count > 1 ? i : view->slices;
  return view->slices;
}

/* The slice of a nature with most positions, at least two. */
static struct cs_slice *longest(struct cs_view *view, enum cs_nature nature) {
  struct cs_slice *best = NULL;
  for (size_t i = 0; i < view->slices; i++) {
    struct cs_slice *s = &view->slice[i];
    if (s->nature == nature && s->count > 1 && (best == NULL || s->count > best->count)) best = s;
  }
  return best;
}

/* An axis with many points of settings that move together, before orders and words, unless steps or other numbers vary
 * by themselves; NULL if there is none. */
static struct cs_slice *find_sample(struct cs_view *view) {
  const struct cs_array *first;
  struct cs_slice *found = NULL;
  for (size_t i = 0; i < view->slices; i++) {
    struct cs_slice *s = &view->slice[i];
    if ((s->nature == CS_NATURE_STEP || s->nature == CS_NATURE_NUMBER) && s->count > 1) return NULL;
    if (found == NULL && s->count > CS_FIGURE_CURVES && cs_view_moved(view, s, &first) > 0) found = s;
  }
  return found;
}

int cs_figure_choose_x(struct cs_view *view, struct cs_slice **x, struct cs_error *error) {
  static const enum cs_nature wanted[] = {CS_NATURE_STEP, CS_NATURE_NUMBER, CS_NATURE_ORDER, CS_NATURE_WORD,
                                          CS_NATURE_SIGNAL};
  int code = CS_OK;
  if (view->request->x != NULL && cs_view_find(view, view->request->x) == NULL)
    *x = cs_view_find_setting(view, view->request->x);
  if (view->request->x != NULL && *x == NULL)
    code = cs_view_need(view, "x", view->request->x, x, error);
  else if (cs_figure_fitted(view) < view->slices)
    *x = &view->slice[cs_figure_fitted(view)];
  else if (view->request->x == NULL)
    *x = find_sample(view);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted && code == CS_OK && *x == NULL; i++)
    *x = longest(view, wanted[i]);
  if (code == CS_OK && *x == NULL && view->slices > 0) *x = &view->slice[view->slices - 1];
  if (code == CS_OK && view->request->x == NULL && (*x)->nature == CS_NATURE_SIGNAL && view->slices > 1 &&
      strncmp(view->metric->unit, "see ", 4) == 0) /* units may differ: a panel for each signal */
    *x = *x != &view->slice[0] ? &view->slice[0] : &view->slice[1];
  if (code == CS_OK) (*x)->part = CS_PART_X;
  return code;
}

/* ---- curves */

/* Common to all curves of the figure. */
struct plot {
  struct cs_view *view;
  struct cs_slice *x;
  size_t x_at;           /* its number */
  const double *numbers; /* along x; NULL: names */
  bool fit, log_x, log_y, absolute;
  bool scattered;            /* not in the order of x, or wanted as points */
  size_t groups, *group;     /* of positions along x, as cs_view_groups; each is a curve of its own */
  struct cs_methods methods; /* the curves of a panel */
  bool chosen;               /* not all of them are in colour */
  size_t *legend;            /* [methods.coloured] curves in the order of the legend */
};

/* Sets the curve's order: that at `position` in the file, or fitted here. */
static int set_order(const struct plot *plot, struct cs_figure_curve *curve, const size_t *position,
                     struct cs_error *error) {
  const struct cs_view *view = plot->view;
  const struct cs_array *orders = cs_runs_find(view->table, view->metric->name, "_order", CS_FLOAT64);
  if (plot->x_at == cs_figure_fitted(view)) {
    const struct cs_array *from = cs_runs_find(view->table, view->metric->name, "_order_first", CS_FLOAT64),
                          *to = cs_runs_find(view->table, view->metric->name, "_order_last", CS_FLOAT64);
    const size_t item = cs_view_item(view, orders, position);
    curve->order = orders->data.float64[item];
    if (from != NULL && to != NULL && from->count == orders->count && to->count == orders->count) {
      curve->fitted_from = from->data.float64[item];
      curve->fitted_to = to->data.float64[item];
    }
    return CS_OK;
  }
  const long metric = cs_metric_find(view->metric->name);
  const struct cs_fit fit = metric >= 0 && cs_metric_table[metric].of_events
                                ? cs_fit_scattered(curve->x, curve->y, curve->points)
                                : cs_fit_order(curve->x, curve->y, curve->points, 0.0);
  curve->order = fit.order;
  curve->fitted_from = fit.first;
  curve->fitted_to = fit.last;
  return fit.points >= 0 ? CS_OK : cs_error_memory(error);
}

/* Values of a group along x at `position`; false if all are zero. */
static bool take_values(const struct plot *plot, size_t group, struct cs_figure_curve *curve, size_t *position) {
  struct cs_view *view = plot->view;
  size_t zeros = 0, numbers = 0;
  curve->points = 0;
  for (size_t i = 0; i < plot->x->count; i++) {
    const size_t at = plot->x->kept[i];
    if (plot->group[at] != group) continue;
    position[plot->x_at] = at;
    curve->x[curve->points] = plot->numbers == NULL ? (double)i : plot->numbers[at];
    double value = cs_view_value(view, position);
    if (plot->absolute) value = fabs(value);
    numbers += !isnan(value);
    zeros += value == 0.0;
    if (plot->log_y && value <= 0.0) {
      view->zeros++;
      value = NAN;
    }
    curve->y[curve->points++] = value;
  }
  return numbers == 0 || zeros < numbers;
}

/* The place along x of the first drawn point of a group. */
static size_t begin_of(const struct plot *plot, size_t group) {
  size_t i = 0;
  while (i + 1 < plot->x->count && plot->group[plot->x->kept[i]] != group)
    i++;
  return plot->x->kept[i];
}

/* "gauss_seidel, order 1: slope 1.98". */
static int name_curve(const struct plot *plot, size_t number, bool some, const size_t *position,
                      struct cs_figure_curve *curve, struct cs_error *error) {
  struct cs_text title = {0};
  if (plot->chosen) {
    cs_methods_add_name(&plot->methods, number, &title);
  } else {
    cs_view_add_places(plot->view, CS_PART_CURVE, position, &title);
    if (plot->groups > 1) {
      cs_text_add(&title, "%s", title.length > 0 ? ", " : "");
      cs_view_add_group(plot->view, plot->x, begin_of(plot, number % plot->groups), &title);
    }
  }
  curve->zero = !some && plot->view->metric->type == CS_FLOAT64;
  curve->title = title.data;
  return title.failed ? cs_error_memory(error) : CS_OK;
}

static enum cs_figure_draw drawn_as(const struct plot *plot, const struct cs_figure_panel *panel) {
  return panel->x.ticks > 0 || plot->scattered ? CS_DRAW_POINTS : plot->x->count > 64 ? CS_DRAW_LINE : CS_DRAW_BOTH;
}

/* Curve number `number` of a panel at `position`. */
static int add_curve(const struct plot *plot, struct cs_figure_panel *panel, size_t number, size_t *position,
                     struct cs_error *error) {
  struct cs_figure_curve *curve = cs_figure_add_curve(panel, plot->x->count, NULL);
  if (curve == NULL) return cs_error_memory(error);
  const bool some = take_values(plot, number % plot->groups, curve, position);
  curve->series = plot->chosen ? plot->methods.place[number] : number;
  curve->draw = drawn_as(plot, panel);
  const bool fit = plot->fit && !cs_view_is_radius(plot->view); /* a radius has no order */
  if (fit && set_order(plot, curve, position, error) != CS_OK) return CS_DEVICE;
  return name_curve(plot, number, some, position, curve, error);
}

/* All curves that are not in colour, as one. */
static int add_others(const struct plot *plot, struct cs_figure_panel *panel, size_t *position,
                      struct cs_error *error) {
  const size_t others = plot->methods.count - plot->methods.coloured, length = plot->x->count;
  struct cs_text title = {0};
  cs_text_add(&title, "%zu other%s", others, others == 1 ? "" : "s");
  struct cs_figure_curve *all = title.failed ? NULL : cs_figure_add_curve(panel, others * (length + 1), title.data);
  cs_text_free(&title);
  if (all == NULL) return cs_error_memory(error);
  all->points = 0;
  all->ink = CS_INK_OTHERS;
  all->draw = drawn_as(plot, panel);
  for (size_t i = plot->methods.coloured; i < plot->methods.count; i++) {
    const size_t number = plot->methods.order[i];
    struct cs_figure_curve one = {.x = all->x + all->points, .y = all->y + all->points};
    cs_view_place(plot->view, CS_PART_CURVE, number / plot->groups, position);
    take_values(plot, number % plot->groups, &one, position);
    one.x[one.points] = one.points > 0 ? one.x[one.points - 1] : 0.0;
    one.y[one.points] = NAN;
    all->points += one.points + 1;
  }
  return CS_OK;
}

/* ---- which curves are in colour */

/* A position of curve number `c` in panel number `p`, at place `i` along x. */
static void place(const struct plot *plot, size_t p, size_t c, size_t i, size_t *position) {
  cs_view_place(plot->view, CS_PART_NONE, 0, position);
  cs_view_place(plot->view, CS_PART_PANEL, p, position);
  cs_view_place(plot->view, CS_PART_CURVE, c / plot->groups, position);
  position[plot->x_at] = plot->x->kept[i];
}

/* Ranks the curves as methods are, each place along x a problem, the value its cost. */
static int rank_curves(struct plot *plot, size_t panels, struct cs_error *error) {
  struct cs_view *view = plot->view;
  const size_t curves = plot->methods.count, length = plot->x->count, all = panels * curves * length;
  const struct cs_view_lost lost = view->lost;
  double *value = malloc((all + 1) * sizeof *value), *nothing = calloc(all + 1, sizeof *nothing);
  size_t *of_case = malloc((all + 1) * sizeof *of_case), *of_curve = malloc((all + 1) * sizeof *of_curve);
  int code = value != NULL && nothing != NULL && of_case != NULL && of_curve != NULL ? CS_OK : cs_error_memory(error);
  for (size_t k = 0; k < all && code == CS_OK; k++) {
    size_t position[CS_MAX_DIMENSIONS] = {0};
    const size_t i = k % length, c = k / length % curves, p = k / length / curves;
    place(plot, p, c, i, position);
    const bool own = plot->group[plot->x->kept[i]] == c % plot->groups;
    value[k] = own ? fabs(cs_view_value(view, position)) : NAN;
    of_case[k] = p * length + i;
    of_curve[k] = c;
  }
  view->lost = lost;
  const struct cs_rank_runs runs = {.runs = all,
                                    .cases = panels * length,
                                    .combinations = curves,
                                    .cost = value,
                                    .error = nothing,
                                    .case_of = of_case,
                                    .combination_of = of_curve};
  if (code == CS_OK) code = cs_methods_rank(&plot->methods, &runs, error);
  free(value);
  free(nothing);
  free(of_case);
  free(of_curve);
  return code;
}

/* The last value of a curve in the first panel. */
static double end_of(const struct plot *plot, size_t number) {
  double end = -INFINITY;
  for (size_t i = 0; i < plot->x->count; i++) {
    size_t position[CS_MAX_DIMENSIONS] = {0};
    place(plot, 0, number, i, position);
    if (plot->group[plot->x->kept[i]] != number % plot->groups || cs_view_failed(plot->view, position)) continue;
    const double value = cs_table_number(plot->view->metric, cs_view_item(plot->view, plot->view->metric, position));
    if (isfinite(value)) end = plot->absolute ? fabs(value) : value;
  }
  return end;
}

/* More curves than there are colours, or those that the user wants: which are in colour, in the order in which they
 * end, from above. */
static int choose_curves(struct plot *plot, size_t panels, struct cs_error *error) {
  const struct cs_view *view = plot->view;
  const size_t most = view->request->methods > 0 ? view->request->methods : CS_FIGURE_CURVES;
  size_t longest = 1;
  for (size_t s = 0; s < view->slices; s++)
    longest = view->slice[s].dimension->length > longest ? view->slice[s].dimension->length : longest;
  size_t *alone = malloc(longest * sizeof *alone);
  int code = alone != NULL ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; i < longest && code == CS_OK; i++)
    alone[i] = i;
  for (size_t s = 0; s < view->slices && code == CS_OK; s++)
    if (view->slice[s].part == CS_PART_CURVE) code = cs_methods_add(&plot->methods, s, alone, error);
  if (code == CS_OK && plot->groups > 1) code = cs_methods_add(&plot->methods, plot->x_at, plot->group, error);
  free(alone);
  plot->chosen = plot->methods.count > most || view->request->highlights > 0;
  if (code != CS_OK || !plot->chosen) return code;
  code = rank_curves(plot, panels, error);
  plot->legend = malloc((plot->methods.count + 1) * sizeof *plot->legend);
  if (code == CS_OK && plot->legend == NULL) code = cs_error_memory(error);
  for (size_t i = 0; i < plot->methods.coloured && code == CS_OK; i++) {
    const double end = end_of(plot, plot->methods.order[i]);
    size_t at = i;
    for (; at > 0 && end_of(plot, plot->legend[at - 1]) < end; at--)
      plot->legend[at] = plot->legend[at - 1];
    plot->legend[at] = plot->methods.order[i];
  }
  return code;
}

/* ---- axes */

static int name_ticks(const struct plot *plot, struct cs_figure_axis *axis, struct cs_error *error) {
  const struct cs_slice *x = plot->x;
  if (plot->numbers != NULL) return CS_OK;
  axis->tick = calloc(x->count, sizeof *axis->tick);
  if (axis->tick == NULL) return cs_error_memory(error);
  axis->ticks = x->count;
  for (size_t i = 0; i < x->count; i++) {
    struct cs_text name = {0};
    cs_view_add_place(plot->view, x, x->kept[i], &name);
    cs_view_add_unit(plot->view, x, x->kept[i], &name);
    axis->tick[i] = name.data;
    if (name.failed) return cs_error_memory(error);
  }
  return CS_OK;
}

static int set_axes(const struct plot *plot, struct cs_figure_panel *panel, const size_t *position,
                    struct cs_error *error) {
  struct cs_text x = {0}, y = {0};
  cs_view_add_axis(plot->x, &x);
  cs_view_add_metric(plot->view, position, plot->absolute, &y);
  panel->x.label = x.data;
  panel->y.label = y.data;
  panel->x.log = plot->log_x;
  panel->x.whole = plot->x->nature == CS_NATURE_ORDER;
  panel->y.log = plot->log_y;
  panel->y.whole = plot->view->metric->type != CS_FLOAT64;
  return x.failed || y.failed ? cs_error_memory(error) : name_ticks(plot, &panel->x, error);
}

static int compare_numbers(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Whether the numbers of a group along x all rise, or all fall. */
static bool in_order(const struct plot *plot, size_t group) {
  double before = NAN, way = 0.0;
  for (size_t i = 0; i < plot->x->count; i++) {
    const double value = plot->numbers[plot->x->kept[i]], step = value - before;
    if (plot->group[plot->x->kept[i]] != group) continue;
    if (step == 0.0 || step * way < 0.0) return false;
    if (!isnan(step)) way = step;
    before = value;
  }
  return true;
}

/* Chooses the scales from all values to be drawn. CS_NO_RESULT if there are none. */
static int choose_scales(struct plot *plot, bool convergence, struct cs_error *error) {
  struct cs_view *view = plot->view;
  const size_t panels = cs_view_count(view, CS_PART_PANEL), curves = cs_view_count(view, CS_PART_CURVE);
  size_t position[CS_MAX_DIMENSIONS] = {0}, negative = 0, above = 0, numbers = 0;
  double least = INFINITY, most = 0.0;
  for (size_t i = 0; i < panels * curves * plot->x->count; i++) {
    cs_view_place(view, CS_PART_NONE, 0, position);
    cs_view_place(view, CS_PART_PANEL, i / plot->x->count / curves, position);
    cs_view_place(view, CS_PART_CURVE, i / plot->x->count % curves, position);
    position[plot->x_at] = plot->x->kept[i % plot->x->count];
    const double value = cs_view_value(view, position);
    numbers += !isnan(value);
    negative += value < 0.0;
    above += value > 0.0;
    if (value == 0.0 || isnan(value)) continue;
    least = fmin(least, fabs(value));
    most = fmax(most, fabs(value));
  }
  if (numbers == 0) return cs_error_set(error, CS_NO_RESULT, "%s: no run that is drawn succeeded", view->metric->name);
  view->lost = (struct cs_view_lost){0};
  plot->absolute = convergence && negative > 0;
  const double wide = cs_view_is_radius(view) ? 3.0 : 100.0; /* a limit at 1 is seen on a logarithmic axis alone */
  plot->log_y = most > 0.0 && view->metric != view->status &&
                (convergence || (negative == 0 && above > 0 && most >= wide * least));
  if (plot->numbers != NULL) {
    double *values = malloc(plot->x->count * sizeof *values);
    if (values == NULL) return cs_error_memory(error);
    for (size_t i = 0; i < plot->x->count; i++)
      values[i] = plot->numbers[plot->x->kept[i]];
    for (size_t g = 0; g < plot->groups; g++)
      plot->scattered |= !in_order(plot, g);
    qsort(values, plot->x->count, sizeof *values, compare_numbers);
    plot->log_x = cs_view_is_log(values, plot->x->count);
    free(values);
  }
  return CS_OK;
}

/* ---- the whole */

/* Where the last curve of the panel passes 1 between two runs, by a straight line: points on the line at 1. */
static int add_interpolated(const struct plot *plot, struct cs_figure_panel *panel, struct cs_error *error) {
  const double rounding = 1e-9;
  const struct cs_figure_curve from = panel->curve[panel->curves - 1]; /* adding one may move it */
  struct cs_figure_curve *curve = cs_figure_add_curve(panel, from.points, NULL);
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  curve->draw = CS_DRAW_POINTS;
  curve->series = from.series;
  curve->more = true;
  for (size_t i = 1; i < from.points; i++) {
    const double a = from.y[i - 1], b = from.y[i], part = (1.0 - a) / (b - a);
    if (isnan(a) || isnan(b) || (a > 1.0 + rounding) == (b > 1.0 + rounding)) continue;
    const double x0 = from.x[i - 1], x1 = from.x[i], at = fmin(fmax(part, 0.0), 1.0);
    curve->x[curve->points] = plot->log_x ? x0 * pow(x1 / x0, at) : x0 + at * (x1 - x0);
    curve->y[curve->points++] = 1.0;
  }
  if (curve->points > 0)
    cs_figure_add_notes("circles: where stability changes, interpolated between runs\n", &plot->view->notes);
  else
    cs_figure_drop_curve(panel);
  return CS_OK;
}

/* Where the file says that the stability of a curve changes: points on the line at 1, which show the range that the
 * curve passes through between two runs. */
static int add_crossings(const struct plot *plot, struct cs_figure_panel *panel, size_t series, const size_t *position,
                         struct cs_error *error) {
  const struct cs_view *view = plot->view;
  const bool shown = plot->x->column == NULL && cs_view_is_radius(view);
  const struct cs_array *found = shown ? cs_view_crossings(view, plot->x) : NULL;
  if (shown && found == NULL && plot->numbers != NULL && !plot->scattered) return add_interpolated(plot, panel, error);
  const double *value = NULL;
  const size_t count = cs_view_crossings_at(view, found, position, &value);
  struct cs_figure_curve *curve = count > 0 ? cs_figure_add_curve(panel, count, NULL) : NULL;
  if (count > 0) cs_figure_add_notes("circles: where stability changes\n", &plot->view->notes);
  if (curve == NULL) return count > 0 ? cs_error_memory(error) : CS_OK;
  curve->draw = CS_DRAW_POINTS;
  curve->series = series;
  curve->more = true;
  for (size_t i = 0; i < count; i++) {
    curve->x[i] = value[i];
    curve->y[i] = 1.0;
  }
  return CS_OK;
}

/* The stability limit: a line at 1. */
static int add_limit(struct cs_figure *figure, struct cs_error *error) {
  for (size_t i = 0; i < figure->panels; i++) {
    struct cs_figure_panel *panel = &figure->panel[i];
    struct cs_figure_curve *limit = cs_figure_add_curve(panel, 2, NULL);
    if (limit == NULL) return cs_error_memory(error);
    limit->ink = CS_INK_REFERENCE;
    limit->x[0] = panel->x.least;
    limit->x[1] = panel->x.most;
    limit->y[0] = limit->y[1] = 1.0;
  }
  return CS_OK;
}

/* Says of limits up to the first change where something beyond them is stable again. */
static int add_islands(struct cs_view *view, struct cs_error *error) {
  const long limit = cs_metric_find_limit(view->metric->name);
  if (limit != CS_LIMIT_FIRST) return CS_OK;
  const struct cs_limit_info *info = cs_metric_limit;
  char *axis = cs_text_copy_part(view->metric->name, strlen(view->metric->name) - strlen(info[CS_LIMIT_FIRST].suffix));
  if (axis == NULL) return cs_error_memory(error);
  const struct cs_array *first = view->metric,
                        *last = cs_runs_find(view->table, axis, info[CS_LIMIT_LAST].suffix, CS_FLOAT64);
  size_t again = 0;
  free(axis);
  if (last == NULL || last->count != first->count || first->type != CS_FLOAT64) return CS_OK;
  for (size_t i = 0; i < first->count; i++)
    again += last->data.float64[i] > first->data.float64[i] * (1.0 + 1e-6);
  if (again > 0)
    cs_text_add(&view->notes, "%zu of %zu are stable again beyond: cosweep info names these islands\n", again,
                first->count);
  return CS_OK;
}

static int fill_panel(const struct plot *plot, struct cs_figure_panel *panel, size_t *position,
                      struct cs_error *error) {
  const struct cs_view *view = plot->view;
  const size_t curves = plot->chosen ? plot->methods.coloured : cs_view_count(view, CS_PART_CURVE) * plot->groups;
  cs_view_place(view, CS_PART_CURVE, 0, position);
  int code = set_axes(plot, panel, position, error);
  panel->signal = cs_view_signal(view, position);
  if (code == CS_OK && plot->chosen && curves < plot->methods.count) code = add_others(plot, panel, position, error);
  for (size_t i = 0; i < curves && code == CS_OK; i++) {
    const size_t c = plot->chosen ? plot->legend[i] : i;
    cs_view_place(view, CS_PART_CURVE, c / plot->groups, position);
    code = add_curve(plot, panel, c, position, error);
    if (code == CS_OK) code = add_crossings(plot, panel, panel->curve[panel->curves - 1].series, position, error);
  }
  return code;
}

static int fill(struct plot *plot, struct cs_figure *figure, struct cs_error *error) {
  struct cs_view *view = plot->view;
  size_t position[CS_MAX_DIMENSIONS] = {0};
  int code = choose_curves(plot, figure->panels, error);
  cs_view_place(view, CS_PART_NONE, 0, position);
  for (size_t p = 0; p < figure->panels && code == CS_OK; p++) {
    cs_view_place(view, CS_PART_PANEL, p, position);
    code = fill_panel(plot, &figure->panel[p], position, error);
  }
  if (code != CS_OK) return code;
  figure->by_ends = plot->chosen && plot->numbers != NULL;
  if (plot->chosen) cs_methods_note(&plot->methods, "curves", "those that are lowest most often", &view->notes);
  cs_figure_drop_empty(figure, &view->notes);
  cs_figure_set_ranges(figure, &view->notes);
  for (size_t p = 0; p < figure->panels && code == CS_OK && plot->fit && plot->log_x && plot->log_y; p++)
    code = cs_figure_add_triangles(&figure->panel[p], error);
  if (code == CS_OK && cs_view_is_radius(view)) code = add_limit(figure, error);
  if (code == CS_OK) code = add_islands(view, error);
  return code;
}

int cs_figure_lines(const struct cs_table *table, const struct cs_figure_request *request, const char *kind,
                    struct cs_figure **figure, struct cs_error *error) {
  struct cs_view view;
  struct plot plot = {.view = &view, .fit = strcmp(kind, "convergence") == 0};
  int code = cs_view_open(table, request, request->metric, &view, error);
  cs_methods_open(&view, &plot.methods);
  if (code == CS_OK) code = cs_figure_choose_x(&view, &plot.x, error);
  if (code == CS_OK && (strcmp(kind, "points") != 0 || view.metric == view.status))
    cs_view_choose_column(&view, plot.x);
  if (code == CS_OK) plot.numbers = cs_view_numbers(plot.x);
  if (code == CS_OK && plot.fit && plot.numbers == NULL)
    code = cs_error_set(error, CS_USAGE, "--kind convergence: %s has no numbers; want --x with an axis of numbers",
                        plot.x->dimension->name);
  if (code == CS_OK) code = cs_view_share(&view, true, error);
  if (code != CS_OK) goto out;
  plot.x_at = (size_t)(plot.x - view.slice);
  plot.scattered = strcmp(kind, "points") == 0;
  plot.group = calloc(plot.x->dimension->length + 1, sizeof *plot.group);
  if (plot.group == NULL) code = cs_error_memory(error);
  if (code != CS_OK) goto out;
  plot.groups = plot.x->column != NULL ? cs_view_groups(&view, plot.x, plot.group) : 1;
  code = choose_scales(&plot, plot.fit, error);
  if (code != CS_OK) goto out;
  if (plot.fit && !plot.log_x && plot.x->count > 1) plot.log_x = plot.numbers[plot.x->kept[0]] > 0.0;
  code = cs_figure_begin_view(plot.fit                                 ? "convergence"
                              : plot.numbers == NULL || plot.scattered ? "points"
                                                                       : "lines",
                              &view, figure, error);
  if (code == CS_OK) code = fill(&plot, *figure, error);
  if (code == CS_OK) code = cs_view_finish(&view, *figure, error);
out:
  free(plot.group);
  free(plot.legend);
  cs_methods_close(&plot.methods);
  cs_view_close(&view);
  return code;
}
