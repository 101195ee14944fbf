/* Error against cost: a line for each method, its runs that no other of its own beats; the best of them in colour. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"
#include "fit.h"
#include "methods.h"
#include "metric.h"
#include "rank.h"

struct cost {
  struct cs_view *view;
  const struct cs_array *paid;
  bool absolute; /* the metric has values below zero */
  bool mixed;    /* runs of many problems in a panel, which are points */
  struct cs_methods methods;
  double *x, *y;             /* costs and errors of runs, NaN for those that are not drawn */
  size_t *of_case, *of_line; /* the same size */
  size_t runs;
  size_t *legend; /* [methods.coloured] in the order in which the lines lie at the right edge of the first panel */
};

/* ---- cost -------------------------------------------------------------------------------------------------------- */

bool cs_figure_is_count(const struct cs_view *view, const struct cs_array *array) {
  return array->type == CS_INT64 && cs_metric_find(array->name) >= 0 && view->status != NULL &&
         array->dimensions == view->status->dimensions;
}

static int find_paid(const struct cs_view *view, const struct cs_array **paid, struct cs_error *error) {
  const char *name = view->request->x;
  *paid = name != NULL ? cs_table_find(view->table, name) : cs_runs_usual(view->table, CS_USE_COST);
  if (*paid != NULL) name = (*paid)->name;
  if (*paid != NULL && cs_figure_is_count(view, *paid)) return CS_OK;
  struct cs_text names = {0};
  for (size_t i = 0; i < view->table->arrays; i++)
    if (cs_figure_is_count(view, &view->table->array[i])) cs_text_add_name(&names, view->table->array[i].name);
  const int code =
      names.length > 0
          ? cs_error_set(error, CS_USAGE, "--kind cost%s%s: want --x with one of the counts: %s",
                         name != NULL ? " --x " : "", name != NULL ? name : "", names.data)
          : cs_error_set(
                error, CS_USAGE,
                "--kind cost: the file has no cost metric; want evaluations, stages or steps among the sweep's "
                "metrics");
  cs_text_free(&names);
  return code;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Problems distinguish panels, settings of the method or those that the user names lines; along all others lie the runs
 * of a line. */
static int share(struct cost *cost, struct cs_error *error) {
  struct cs_view *view = cost->view;
  const bool chosen = view->request->curve != NULL;
  size_t group_most = 1, *group = NULL;
  for (size_t i = 0; i < view->slices; i++)
    if (view->slice[i].dimension->length > group_most) group_most = view->slice[i].dimension->length;
  group = malloc(group_most * sizeof *group);
  int code = group != NULL ? cs_view_assign(view, "curve", view->request->curve, CS_PART_CURVE, error)
                           : cs_error_memory(error);
  if (code == CS_OK) code = cs_view_assign(view, "panel", view->request->panel, CS_PART_PANEL, error);
  for (size_t i = 0; i < view->slices && code == CS_OK; i++) {
    struct cs_slice *s = &view->slice[i];
    const bool sample = s->problem && s->nature == CS_NATURE_WORD && s->count > CS_FIGURE_CURVES;
    const bool named = s->part == CS_PART_CURVE;
    size_t groups = s->dimension->length;
    if (s->part == CS_PART_PANEL || (!named && s->nature == CS_NATURE_SIGNAL)) continue;
    if (!named && s->problem && !sample) continue; /* a panel */
    cost->mixed = cost->mixed || (sample && !named);
    if (!named) s->part = CS_PART_X;
    for (size_t at = 0; at < groups; at++)
      group[at] = at;
    if (!named) code = cs_runs_methods(&view->runs, view->metric->dimension[i], group, &groups, error);
    if (code == CS_OK && (named || (!chosen && groups > 1))) code = cs_methods_add(&cost->methods, i, group, error);
  }
  free(group);
  if (code == CS_OK && cost->mixed && view->request->slopes)
    code = cs_error_set(error, CS_USAGE,
                        "--slopes: a panel has runs of many problems, which lie on no line; want --where with some "
                        "of them");
  return code == CS_OK ? cs_view_share(view, false, error) : code;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Positions to visit along each slice. */
struct walk {
  const size_t *list[CS_MAX_DIMENSIONS]; /* NULL: all */
  size_t length[CS_MAX_DIMENSIONS], total, cases;
  bool of_case[CS_MAX_DIMENSIONS];
};

/* The runs of the panel at `position`; or of all panels, each a case, and of all problems, drawn or not, so that
 * colours are the same in all figures of a file. */
static struct walk plan(const struct cost *cost, const size_t *position, bool all) {
  struct walk w = {.total = 1, .cases = 1};
  for (size_t i = 0; i < cost->view->slices; i++) {
    const struct cs_slice *s = &cost->view->slice[i];
    const bool line = s->part == CS_PART_X || s->part == CS_PART_CURVE,
               problem = s->problem && cost->methods.part[i] == NULL;
    w.of_case[i] = all && (problem || s->part == CS_PART_PANEL);
    w.list[i] = all && problem ? NULL : line || all ? s->kept : &position[i];
    w.length[i] = all && problem ? s->dimension->length : line || all ? s->count : 1;
    w.total *= w.length[i];
    if (w.of_case[i]) w.cases *= w.length[i];
  }
  return w;
}

static size_t visit(const struct cost *cost, const struct walk *w, size_t index, size_t *position) {
  size_t of_case = 0, stride = 1;
  for (size_t i = cost->view->slices; i-- > 0;) {
    const size_t at = index % w->length[i];
    index /= w->length[i];
    position[i] = w->list[i] != NULL ? w->list[i][at] : at;
    if (!w->of_case[i]) continue;
    of_case += stride * at;
    stride *= w->length[i];
  }
  return of_case;
}

static void take_runs(struct cost *cost, const struct walk *w, bool drawn) {
  struct cs_view *view = cost->view;
  const struct cs_view_lost lost = view->lost;
  const size_t zeros = view->zeros;
  cost->runs = w->total;
  for (size_t i = 0; i < w->total; i++) {
    size_t position[CS_MAX_DIMENSIONS] = {0};
    cost->of_case[i] = visit(cost, w, i, position);
    cost->of_line[i] = cs_methods_line(&cost->methods, position);
    cost->y[i] = fabs(cs_view_value(view, position));
    cost->x[i] = cs_table_number(cost->paid, cs_view_item(view, cost->paid, position));
    if (cost->y[i] != 0.0 && cost->x[i] > 0.0) continue;
    view->zeros++;
    cost->y[i] = NAN;
  }
  if (drawn) return;
  view->lost = lost;
  view->zeros = zeros;
}

static struct cs_rank_runs runs_of(const struct cost *cost, size_t cases, const size_t *of_case) {
  return (struct cs_rank_runs){.runs = cost->runs,
                               .cases = cases,
                               .combinations = cost->methods.count,
                               .cost = cost->x,
                               .error = cost->y,
                               .case_of = of_case,
                               .combination_of = cost->of_line};
}

static int rank(struct cost *cost, struct cs_error *error) {
  const struct walk w = plan(cost, NULL, true);
  cost->x = malloc((w.total + 1) * sizeof *cost->x);
  cost->y = malloc((w.total + 1) * sizeof *cost->y);
  cost->of_case = malloc((w.total + 1) * sizeof *cost->of_case);
  cost->of_line = malloc((w.total + 1) * sizeof *cost->of_line);
  if (cost->x == NULL || cost->y == NULL || cost->of_case == NULL || cost->of_line == NULL)
    return cs_error_memory(error);
  take_runs(cost, &w, false);
  const struct cs_rank_runs runs = runs_of(cost, w.cases, cost->of_case);
  return cs_methods_rank(&cost->methods, &runs, error);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* The points of a panel's lines, line by line: of each the runs that no other of it beats, or, of many problems, all
 * runs. */
static int find_lines(const struct cost *cost, struct cs_rank_point **point, size_t **start, struct cs_error *error) {
  const struct cs_rank_runs runs = runs_of(cost, cost->methods.count, cost->of_line);
  if (!cost->mixed) return cs_rank_fronts(&runs, point, start, error);
  *point = malloc((cost->runs + 1) * sizeof **point);
  *start = calloc(cost->methods.count + 2, sizeof **start);
  if (*point == NULL || *start == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < cost->runs; i++)
    (*start)[cost->of_line[i] + 2] += !isnan(cost->x[i]) && !isnan(cost->y[i]);
  for (size_t c = 0; c < cost->methods.count; c++)
    (*start)[c + 2] += (*start)[c + 1];
  for (size_t i = 0; i < cost->runs; i++)
    if (!isnan(cost->x[i]) && !isnan(cost->y[i]))
      (*point)[(*start)[cost->of_line[i] + 1]++] = (struct cs_rank_point){.cost = cost->x[i], .error = cost->y[i]};
  return CS_OK;
}

/* Sorts the lines in colour by where they end, from above. */
static int order_legend(struct cost *cost, const struct cs_rank_point *point, const size_t *start,
                        struct cs_error *error) {
  const size_t count = cost->methods.coloured;
  if (cost->legend != NULL) return CS_OK;
  cost->legend = malloc((count + 1) * sizeof *cost->legend);
  if (cost->legend == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < count; i++) {
    size_t at = i;
    const size_t line = cost->methods.order[i];
    const double end = start[line + 1] > start[line] ? point[start[line + 1] - 1].error : 0.0;
    for (; at > 0; at--) {
      const size_t other = cost->legend[at - 1];
      if (start[other + 1] > start[other] && point[start[other + 1] - 1].error >= end) break;
      cost->legend[at] = other;
    }
    cost->legend[at] = line;
  }
  return CS_OK;
}

static void push(struct cs_figure_curve *curve, double x, double y) {
  curve->x[curve->points] = x;
  curve->y[curve->points++] = y;
}

/* All lines that are not in colour, as one curve. */
static int add_others(const struct cost *cost, struct cs_figure_panel *panel, const struct cs_rank_point *point,
                      const size_t *start, struct cs_error *error) {
  const struct cs_methods *m = &cost->methods;
  const size_t others = m->count - m->coloured;
  struct cs_text title = {0};
  if (others == 0) return CS_OK;
  cs_text_add(&title, "%zu other%s", others, others == 1 ? "" : "s");
  struct cs_figure_curve *curve =
      title.failed ? NULL : cs_figure_add_curve(panel, start[m->count] + others, title.data);
  cs_text_free(&title);
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  curve->ink = CS_INK_OTHERS;
  curve->draw = cost->mixed ? CS_DRAW_POINTS : CS_DRAW_BOTH;
  for (size_t i = m->coloured; i < m->count; i++) {
    const size_t line = m->order[i];
    for (size_t k = start[line]; k < start[line + 1]; k++)
      push(curve, point[k].cost, point[k].error);
    if (start[line + 1] > start[line] && !cost->mixed) push(curve, point[start[line]].cost, NAN);
  }
  return CS_OK;
}

/* The slope at large costs, as orders are fitted at small steps. NaN: there is none, or none is wanted. */
static int find_slope(const struct cost *cost, const struct cs_rank_point *point, size_t points, double *slope,
                      struct cs_error *error) {
  *slope = NAN;
  if (!cost->view->request->slopes) return CS_OK;
  double *step = malloc((points + 1) * sizeof *step), *y = malloc((points + 1) * sizeof *y);
  for (size_t i = 0; i < points && step != NULL && y != NULL; i++) {
    step[i] = 1.0 / point[i].cost;
    y[i] = point[i].error;
  }
  const struct cs_fit fit =
      step != NULL && y != NULL ? cs_fit_order(step, y, points, 0.0) : (struct cs_fit){.points = -1};
  free(step);
  free(y);
  if (fit.points > 0) *slope = -fit.order;
  return fit.points >= 0 ? CS_OK : cs_error_memory(error);
}

static int add_line(const struct cost *cost, struct cs_figure_panel *panel, size_t line,
                    const struct cs_rank_point *point, size_t points, struct cs_error *error) {
  enum { SYMBOLS = 64 }; /* beyond that, they hide the line */
  struct cs_text title = {0};
  double slope = NAN;
  if (find_slope(cost, point, points, &slope, error) != CS_OK) return CS_DEVICE;
  cs_methods_add_name(&cost->methods, line, &title);
  if (title.length == 0) cs_text_add(&title, "runs");
  struct cs_figure_curve *curve = title.failed ? NULL : cs_figure_add_curve(panel, points, title.data);
  cs_text_free(&title);
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  curve->order = slope;
  curve->series = cost->methods.place[line];
  curve->draw = cost->mixed || points == 1 ? CS_DRAW_POINTS : points > SYMBOLS ? CS_DRAW_LINE : CS_DRAW_BOTH;
  for (size_t i = 0; i < points; i++)
    push(curve, point[i].cost, point[i].error);
  return CS_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int fill_panel(struct cost *cost, struct cs_figure_panel *panel, const size_t *position,
                      struct cs_error *error) {
  enum { ROOM = 32 }; /* characters along a small panel */
  const struct walk w = plan(cost, position, false);
  struct cs_rank_point *point = NULL;
  struct cs_text y = {0};
  size_t *start = NULL;
  take_runs(cost, &w, true);
  cs_view_add_metric(cost->view, position, cost->absolute, &y);
  panel->y.label = y.data;
  panel->signal = cs_view_signal(cost->view, position);
  const size_t said = strcspn(cost->paid->long_name, ","); /* details come after it */
  panel->x.label = said > ROOM ? cs_text_copy(cost->paid->name) : cs_text_copy_part(cost->paid->long_name, said);
  panel->x.log = panel->y.log = true;
  int code = y.failed || panel->x.label == NULL ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK) code = find_lines(cost, &point, &start, error);
  if (code == CS_OK) code = order_legend(cost, point, start, error);
  if (code == CS_OK) code = add_others(cost, panel, point, start, error);
  for (size_t i = 0; i < cost->methods.coloured && code == CS_OK; i++) {
    const size_t line = cost->legend[i];
    code = add_line(cost, panel, line, point + start[line], start[line + 1] - start[line], error);
  }
  free(point);
  free(start);
  return code;
}

/* Problems lie below each other, signals side by side. */
static size_t find_across(const struct cost *cost, size_t panels) {
  const struct cs_view *view = cost->view;
  size_t signals = 1, problems = 1;
  for (size_t i = 0; i < view->slices; i++) {
    const struct cs_slice *s = &view->slice[i];
    if (s->part != CS_PART_PANEL) continue;
    if (s->problem)
      problems *= s->count;
    else
      signals *= s->count;
  }
  return problems < 2 || problems > 3 || problems * signals != panels || signals > 4 ? 0 : signals;
}

static void add_notes(struct cost *cost) {
  struct cs_view *view = cost->view;
  cs_methods_note(&cost->methods, "methods",
                  cost->methods.count > 0 ? "those with most of the runs that no other beats" : "", &view->notes);
  if (view->request->usual_curve)
    cs_text_add(&view->notes, "%s makes the largest difference at equal cost; --curve chooses\n", view->request->curve);
  for (size_t i = 0; i < view->slices; i++) {
    struct cs_slice *s = &view->slice[i];
    if (s->nature != CS_NATURE_SIGNAL || !s->chosen || s->count != 1) continue;
    if (view->request->usual_signal)
      cs_text_add(&view->notes,
                  "of %zu signals the one whose errors lie farthest apart; --signal or --panel %s chooses\n",
                  s->dimension->length, s->dimension->name);
    s->chosen = false; /* the axis names it */
  }
}

int cs_figure_cost(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                   struct cs_error *error) {
  struct cs_view view;
  struct cost cost = {.view = &view};
  size_t position[CS_MAX_DIMENSIONS] = {0};
  int code = cs_view_open(table, request, request->metric, &view, error);
  cs_methods_open(&view, &cost.methods);
  if (code == CS_OK) code = find_paid(&view, &cost.paid, error);
  if (code == CS_OK) code = share(&cost, error);
  if (code == CS_OK) code = rank(&cost, error);
  if (code == CS_OK) code = cs_figure_begin_view("cost", &view, figure, error);
  if (code != CS_OK) goto out;
  const size_t across = find_across(&cost, (*figure)->panels);
  if (across > 0) (*figure)->across = across;
  for (size_t i = 0; i < view.metric->count; i++)
    cost.absolute = cost.absolute || cs_table_number(view.metric, i) < 0.0;
  cs_view_place(&view, CS_PART_NONE, 0, position);
  for (size_t p = 0; p < (*figure)->panels && code == CS_OK; p++) {
    cs_view_place(&view, CS_PART_PANEL, p, position);
    code = fill_panel(&cost, &(*figure)->panel[p], position, error);
  }
  add_notes(&cost);
  (*figure)->by_ends = !cost.mixed;
  if (code == CS_OK) cs_figure_set_ranges(*figure, &view.notes);
  if (code == CS_OK) code = cs_view_finish(&view, *figure, error);
out:
  free(cost.x);
  free(cost.y);
  free(cost.of_case);
  free(cost.of_line);
  free(cost.legend);
  cs_methods_close(&cost.methods);
  cs_view_close(&view);
  return code;
}
