/* Error against cost for each combination of settings, with the Pareto front. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"
#include "metric.h"
#include "rank.h"

struct cost {
  struct cs_view *view;
  const struct cs_array *paid;
  bool absolute;         /* the metric has values below zero */
  bool joined;           /* the runs of a curve differ only in one step size or tolerance */
  bool mixed;            /* runs of many problems in a panel, which are not ranked */
  size_t runs;           /* of a curve */
  size_t groups, *group; /* of positions along slice number `grouped`, as cs_view_groups; each is a curve */
  size_t grouped;
  double *x, *y;            /* [curves][runs] of the current panel, NaN for excluded runs */
  size_t *of_case, *of_set; /* the same size, for cs_rank_fronts: a single case, the curve */
};

/* ---- cost */

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

/* ---- parts */

/* Signals and problems distinguish panels; user-chosen dimensions among the rest distinguish curves; along all others
 * lie the runs of a curve. */
static int share(struct cost *cost, struct cs_error *error) {
  struct cs_view *view = cost->view;
  const bool chosen = view->request->curve != NULL;
  size_t others = 0;
  int code = cs_view_assign(view, "curve", view->request->curve, CS_PART_CURVE, error);
  if (code == CS_OK) code = cs_view_assign(view, "panel", view->request->panel, CS_PART_PANEL, error);
  for (size_t i = 0; i < view->slices; i++) {
    struct cs_slice *s = &view->slice[i];
    const bool sample = s->problem && s->nature == CS_NATURE_WORD && s->count > CS_FIGURE_CURVES;
    const bool setting = s->nature != CS_NATURE_SIGNAL && (!s->problem || sample);
    const bool name = (s->nature == CS_NATURE_WORD && !cs_view_is_grouped(view, s)) || s->nature == CS_NATURE_ORDER;
    if (s->part != CS_PART_NONE || s->count < 2 || !setting) continue;
    cost->mixed = cost->mixed || sample;
    if (!chosen && name && !sample && cs_view_count(view, CS_PART_CURVE) * s->count <= CS_FIGURE_CURVES) {
      s->part = CS_PART_CURVE;
    } else {
      s->part = CS_PART_X;
      others++;
    }
  }
  cost->joined = others <= 1 && !cost->mixed;
  return code == CS_OK ? cs_view_share(view, false, error) : code;
}

/* ---- curves */

struct pair {
  double x, y;
};

static int compare_pairs(const void *left, const void *right) {
  const struct pair *a = left, *b = right;
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  return (a->y > b->y) - (a->y < b->y);
}

/* The runs of a curve by increasing cost; coinciding points once. */
static int add_runs(const struct cost *cost, struct cs_figure_panel *panel, size_t series, const double *x,
                    const double *y, const char *title, struct cs_error *error) {
  struct cs_figure_curve *curve = cs_figure_add_curve(panel, cost->runs, title);
  struct pair *pair = malloc((cost->runs + 1) * sizeof *pair);
  size_t count = 0;
  if (curve == NULL || pair == NULL) {
    free(pair);
    return cs_error_memory(error);
  }
  for (size_t i = 0; i < cost->runs; i++)
    if (!isnan(x[i]) && !isnan(y[i])) pair[count++] = (struct pair){x[i], y[i]};
  qsort(pair, count, sizeof *pair, compare_pairs);
  curve->points = 0;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && pair[i].x == pair[i - 1].x && fabs(pair[i].y - pair[i - 1].y) < 0.005 * pair[i].y) continue;
    curve->x[curve->points] = pair[i].x;
    curve->y[curve->points++] = pair[i].y;
  }
  curve->series = series;
  curve->draw = cost->joined ? CS_DRAW_BOTH : CS_DRAW_POINTS;
  free(pair);
  return CS_OK;
}

static int add_front(const struct cost *cost, struct cs_figure_panel *panel, size_t curves, struct cs_error *error) {
  const struct cs_rank_runs runs = {.runs = curves * cost->runs,
                                    .cases = 1,
                                    .combinations = curves,
                                    .cost = cost->x,
                                    .error = cost->y,
                                    .case_of = cost->of_case,
                                    .combination_of = cost->of_set};
  struct cs_rank_point *front = NULL;
  size_t *start = NULL;
  int code = cs_rank_fronts(&runs, &front, &start, error);
  if (code == CS_OK) {
    struct cs_figure_curve *curve = cs_figure_add_curve(panel, 2 * start[1], "Pareto front");
    if (curve == NULL) code = cs_error_memory(error);
    if (code == CS_OK) curve->points = 0;
    for (size_t i = 0; code == CS_OK && i < start[1];
         i++) { /* an error is reached until a run of more cost is better */
      const double reached[] = {i > 0 ? front[i - 1].error : NAN, front[i].error};
      for (size_t k = i == 0; k < 2; k++) {
        curve->x[curve->points] = front[i].cost;
        curve->y[curve->points++] = reached[k];
      }
    }
    if (code == CS_OK) {
      curve->ink = CS_INK_FRONT;
      curve->draw = start[1] > 1 ? CS_DRAW_LINE : CS_DRAW_POINTS;
    }
  }
  free(front);
  free(start);
  return code;
}

/* Costs and errors of all runs of a panel. */
static void take_runs(struct cost *cost, size_t curves, size_t *position) {
  struct cs_view *view = cost->view;
  for (size_t i = 0; i < curves * cost->runs; i++) {
    const size_t curve = i / cost->runs;
    cs_view_place(view, CS_PART_CURVE, curve / cost->groups, position);
    cs_view_place(view, CS_PART_X, i % cost->runs, position);
    if (cost->groups > 1 && cost->group[position[cost->grouped]] != curve % cost->groups) {
      cost->x[i] = cost->y[i] = NAN;
      cost->of_case[i] = 0;
      cost->of_set[i] = curve;
      continue;
    }
    double y = fabs(cs_view_value(view, position)),
           x = cs_table_number(cost->paid, cs_view_item(view, cost->paid, position));
    if (y == 0.0 || x <= 0.0) {
      view->zeros++;
      y = NAN;
    }
    cost->x[i] = x;
    cost->y[i] = y;
    cost->of_case[i] = 0;
    cost->of_set[i] = curve;
  }
}

/* Finds the groups of runs along an axis that moves words together with other settings. */
static int open_groups(struct cost *cost, struct cs_error *error) {
  struct cs_view *view = cost->view;
  cost->groups = 1;
  for (size_t i = 0; i < view->slices && cost->groups == 1; i++) {
    const struct cs_slice *s = &view->slice[i];
    if (s->part != CS_PART_X || s->nature != CS_NATURE_WORD || s->dimension->labels != NULL) continue;
    free(cost->group);
    cost->group = calloc(s->dimension->length + 1, sizeof *cost->group);
    if (cost->group == NULL) return cs_error_memory(error);
    cost->groups = cs_view_groups(view, s, cost->group);
    cost->grouped = i;
  }
  return CS_OK;
}

static void add_group(const struct cost *cost, size_t group, struct cs_text *title) {
  const struct cs_slice *s = &cost->view->slice[cost->grouped];
  size_t at = 0;
  if (cost->groups == 1) return;
  while (at + 1 < s->dimension->length && cost->group[at] != group)
    at++;
  cs_text_add(title, "%s", title->length > 0 ? ", " : "");
  cs_view_add_group(cost->view, s, at, title);
}

enum { ROOM = 32 }; /* characters along a small panel */

static int fill_panel(struct cost *cost, struct cs_figure_panel *panel, size_t *position, struct cs_error *error) {
  struct cs_view *view = cost->view;
  const size_t curves = cs_view_count(view, CS_PART_CURVE) * cost->groups;
  struct cs_text y = {0};
  int code = CS_OK;
  take_runs(cost, curves, position);
  cs_view_add_metric(view, position, cost->absolute, &y);
  panel->y.label = y.data;
  const bool longer = strlen(cost->paid->long_name) > ROOM;
  panel->x.label = cs_text_copy(longer ? cost->paid->name : cost->paid->long_name);
  panel->x.log = panel->y.log = true;
  if (y.failed || panel->x.label == NULL) return cs_error_memory(error);
  if (!cost->mixed) code = add_front(cost, panel, curves, error); /* first, so that it lies under the curves */
  for (size_t c = 0; c < curves && code == CS_OK; c++) {
    struct cs_text title = {0};
    cs_view_place(view, CS_PART_CURVE, c / cost->groups, position);
    cs_view_add_places(view, CS_PART_CURVE, position, &title);
    add_group(cost, c % cost->groups, &title);
    if (title.length == 0) cs_text_add(&title, "runs");
    code = title.failed
               ? cs_error_memory(error)
               : add_runs(cost, panel, c, cost->x + c * cost->runs, cost->y + c * cost->runs, title.data, error);
    cs_text_free(&title);
  }
  return code;
}

int cs_figure_cost(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                   struct cs_error *error) {
  struct cs_view view;
  struct cost cost = {.view = &view};
  size_t position[CS_MAX_DIMENSIONS] = {0};
  int code = cs_view_open(table, request, request->metric, &view, error);
  if (code == CS_OK) code = find_paid(&view, &cost.paid, error);
  if (code == CS_OK) code = share(&cost, error);
  if (code == CS_OK) code = open_groups(&cost, error);
  if (code == CS_OK) code = cs_figure_begin_view("cost", &view, figure, error);
  if (code != CS_OK) goto out;
  cost.runs = cs_view_count(&view, CS_PART_X);
  for (size_t i = 0; i < view.metric->count; i++)
    cost.absolute = cost.absolute || cs_table_number(view.metric, i) < 0.0;
  const size_t all = cost.runs * cs_view_count(&view, CS_PART_CURVE) * cost.groups;
  cost.x = malloc(all * sizeof *cost.x);
  cost.y = malloc(all * sizeof *cost.y);
  cost.of_case = malloc(all * sizeof *cost.of_case);
  cost.of_set = malloc(all * sizeof *cost.of_set);
  if (cost.x == NULL || cost.y == NULL || cost.of_case == NULL || cost.of_set == NULL) code = cs_error_memory(error);
  cs_view_place(&view, CS_PART_NONE, 0, position);
  for (size_t p = 0; p < (*figure)->panels && code == CS_OK; p++) {
    cs_view_place(&view, CS_PART_PANEL, p, position);
    code = fill_panel(&cost, &(*figure)->panel[p], position, error);
  }
  if (cost.mixed) cs_text_add(&view.notes, "no Pareto front: the runs solve different problems\n");
  if (code == CS_OK) cs_figure_set_ranges(*figure, &view.notes);
  if (code == CS_OK) code = cs_view_finish(&view, *figure, error);
out:
  free(cost.x);
  free(cost.y);
  free(cost.of_case);
  free(cost.of_set);
  free(cost.group);
  cs_view_close(&view);
  return code;
}
