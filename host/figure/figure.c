/* The choice of the kind of figure, and figures of several metrics. */
#include "figure.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "digest.h"
#include "effects.h"
#include "figure_private.h"
#include "list.h"
#include "metric.h"
#include "runs.h"
#include "word_list.h"

static const char *const kinds[] = {"convergence", "map", "cost", "trace", "lines", "points"};

static bool is_stability(const struct cs_table *table) {
  const char *study = cs_table_text(table, "study");
  return study != NULL && strcmp(study, "stability") == 0;
}

static size_t count_slices(const struct cs_view *view, enum cs_nature nature, size_t least) {
  size_t count = 0;
  for (size_t i = 0; i < view->slices; i++)
    count += view->slice[i].nature == nature && view->slice[i].count >= least;
  return count;
}

/* Whether several methods with different cost are compared. */
static bool is_contest(const struct cs_view *view) {
  const bool paid = cs_table_find(view->table, "evaluations") != NULL || cs_table_find(view->table, "stages") != NULL;
  return paid && count_slices(view, CS_NATURE_ORDER, 2) + count_slices(view, CS_NATURE_WORD, 2) >= 2;
}

/* Whether methods are compared that have their own measures of effort, moved together: step size of one, tolerance of
 * the other. Only their cost is common to them. */
static bool has_efforts(const struct cs_view *view) {
  const struct cs_array *first, *cost = cs_runs_usual(view->table, CS_USE_COST);
  bool found = false;
  for (size_t i = 0; i < view->slices; i++)
    found = found || (!view->slice[i].problem && cs_view_moved(view, &view->slice[i], &first) > 1);
  return found && cost != NULL && cs_figure_is_count(view, cost) && count_slices(view, CS_NATURE_WORD, 2) >= 2;
}

/* Whether settings of the method that are numbers are compared, as those of a controller, at several tolerances: only
 * at equal cost do they differ. */
static bool has_knobs(const struct cs_view *view) {
  const struct cs_array *cost = cs_runs_usual(view->table, CS_USE_COST);
  size_t knobs = 0;
  for (size_t i = 0; i < view->slices; i++) {
    const struct cs_slice *s = &view->slice[i];
    knobs += s->nature == CS_NATURE_NUMBER && !s->problem && s->count > 1;
  }
  return knobs >= 2 && count_slices(view, CS_NATURE_STEP, 2) > 0 && cost != NULL && cs_figure_is_count(view, cost);
}

/* The axis of numbers that matters most at equal cost, but for tolerances and step sizes; NULL: none. */
static const char *largest_effect(const struct cs_view *view) {
  const struct cs_comparison_wish wish = {.path = "", .metric = view->metric->name, .signal = view->request->signal};
  struct cs_comparison comparison;
  struct cs_effects effects = {0};
  const char *name = NULL;
  int code = cs_comparison_open(view->table, &wish, &comparison, NULL);
  if (code == CS_OK) code = cs_effects_find(&comparison, &effects, NULL);
  for (size_t k = 0; k < effects.count && code == CS_OK && name == NULL; k++)
    for (size_t i = 0; i < view->slices; i++) {
      const struct cs_slice *s = &view->slice[i];
      const bool same = cs_runs_axis(&comparison.over, effects.effect[k].axis) == s->dimension;
      if (same && s->nature == CS_NATURE_NUMBER && s->count > 1) name = s->dimension->name;
    }
  cs_comparison_free(&comparison);
  return name;
}

static const char *suitable(struct cs_view *view) {
  const size_t numbers = count_slices(view, CS_NATURE_NUMBER, 5), steps = count_slices(view, CS_NATURE_STEP, 3);
  const bool stability = is_stability(view->table);
  if (view->metric == view->status && view->request->y == NULL) return "points";
  if (view->request->y != NULL) return "map";
  if (stability) return numbers + count_slices(view, CS_NATURE_STEP, 5) >= 2 ? "map" : "lines";
  if (view->request->x != NULL) {
    const struct cs_dimension *x = cs_table_find_dimension(view->table, view->request->x);
    if (x == NULL && cs_table_find(view->table, view->request->x) != NULL &&
        cs_view_find_setting(view, view->request->x) == NULL)
      return "cost";
  }
  if (cs_figure_fitted(view) < view->slices) return "convergence";
  if (view->request->x == NULL && has_knobs(view)) return "cost";
  if (view->request->x == NULL && numbers >= 2) return "map";
  if (view->request->x == NULL && has_efforts(view)) return "cost";
  if (view->request->x == NULL && steps > 0) return is_contest(view) ? "cost" : "convergence";
  return "lines";
}

static bool is_drawn(const struct cs_array *array) {
  return array->type == CS_FLOAT64 && array->dimensions > 1;
}

/* The metric if the request names none: a usual one, else the first that can be drawn; NULL: none. */
static const char *default_metric(const struct cs_table *table) {
  const enum cs_study study = is_stability(table) ? CS_STABILITY : CS_SIMULATION;
  long m;
  for (size_t place = 1; (m = cs_metric_usual(CS_USE_FIGURE, place)) >= 0; place++)
    if (cs_metric_table[m].study == study && cs_table_find(table, cs_metric_table[m].name) != NULL)
      return cs_metric_table[m].name;
  for (size_t i = 0; i < table->arrays; i++)
    if (is_drawn(&table->array[i])) return table->array[i].name;
  for (size_t i = 0; i < table->arrays; i++)
    if (cs_view_can_draw(&table->array[i])) return table->array[i].name;
  return NULL;
}

/* What kind convergence draws if the request names no metric: as in reports, times of events first, where any have
 * partners; NULL: nothing else than the other kinds. */
static const char *convergence_metric(const struct cs_table *table) {
  const struct cs_array *array = cs_table_find(table, cs_metric_table[cs_metric_usual(CS_USE_CONVERGENCE, 1)].name);
  for (size_t i = 0; array != NULL && i < array->count; i++)
    if (isfinite(cs_table_number(array, i))) return array->name;
  return NULL;
}

static int check_kind(const char *kind, struct cs_error *error) {
  struct cs_text names = {0};
  bool known = false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    known = known || strcmp(kind, kinds[i]) == 0;
    cs_text_add_name(&names, kinds[i]);
  }
  const int code = known ? CS_OK : cs_error_set(error, CS_USAGE, "--kind \"%s\"; want one of: %s", kind, names.data);
  cs_text_free(&names);
  return code;
}

int cs_figure_complete(const struct cs_table *table, struct cs_figure_request *request, struct cs_error *error) {
  struct cs_view view;
  int code = request->kind != NULL ? check_kind(request->kind, error) : CS_OK;
  if (code == CS_OK && cs_digest_is_trace(table) && request->kind == NULL) request->kind = "trace";
  if (code != CS_OK || (request->kind != NULL && strcmp(request->kind, "trace") == 0)) return code;
  const char *const named = request->metric;
  if (named == NULL) request->metric = default_metric(table);
  if (request->kind == NULL) {
    code = cs_view_open(table, request, request->metric, &view, error);
    if (code == CS_OK) request->kind = suitable(&view);
    if (code == CS_OK && strcmp(request->kind, "cost") == 0 && request->curve == NULL && has_knobs(&view)) {
      request->curve = largest_effect(&view);
      request->usual_curve = request->curve != NULL;
    }
    cs_view_close(&view);
  }
  if (code == CS_OK && strcmp(request->kind, "cost") == 0) return cs_figure_choose_signal(table, request, error);
  if (code != CS_OK || named != NULL || strcmp(request->kind, "convergence") != 0) return code;
  const char *const events = convergence_metric(table);
  if (events != NULL) request->metric = events;
  return CS_OK;
}

/* Which lines are in colour can be said of figures that have lines to choose from, and slopes of logarithms. */
static int check_lines(const struct cs_figure_request *request, struct cs_error *error) {
  const size_t most = 2 * CS_FIGURE_CURVES;
  const bool lines = strcmp(request->kind, "map") != 0 && strcmp(request->kind, "trace") != 0;
  if (request->methods > most)
    return cs_error_set(error, CS_USAGE, "--methods %zu; want at most %zu, which colours and symbols distinguish",
                        request->methods, most);
  if (request->slopes && strcmp(request->kind, "cost") != 0 && strcmp(request->kind, "convergence") != 0)
    return cs_error_set(error, CS_USAGE,
                        "--slopes: a figure of kind %s does not draw an error over its cost or a step size, whose "
                        "logarithms have a slope; want --kind cost or convergence",
                        request->kind);
  if (lines || (request->methods == 0 && request->highlights == 0)) return CS_OK;
  return cs_error_set(error, CS_USAGE, "--%s: a figure of kind %s has no lines to choose from; want another --kind",
                      request->methods > 0 ? "methods" : "highlight", request->kind);
}

/* A figure of one metric. */
static int make(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                struct cs_error *error) {
  struct cs_figure_request whole = *request;
  int code = cs_figure_complete(table, &whole, error);
  if (code == CS_OK) code = check_lines(&whole, error);
  if (code != CS_OK) return code;
  if (strcmp(whole.kind, "trace") == 0) return cs_figure_trace(table, &whole, figure, error);
  if (strcmp(whole.kind, "map") == 0) return cs_figure_map_of(table, &whole, figure, error);
  if (strcmp(whole.kind, "cost") == 0) return cs_figure_cost(table, &whole, figure, error);
  return cs_figure_lines(table, &whole, whole.kind, figure, error);
}

/* Moves the panels of `from` behind those of `to`. */
static int join(struct cs_figure *to, struct cs_figure *from, struct cs_error *error) {
  const size_t panels = to->panels + from->panels;
  if (strcmp(to->kind, from->kind) != 0)
    return cs_error_set(error, CS_USAGE, "--metric: figures of kind %s and %s do not go together; want --kind",
                        to->kind, from->kind);
  if (panels > CS_FIGURE_PANELS)
    return cs_error_set(error, CS_USAGE, "--metric: %zu panels and more; want at most %d: --where and --signal choose",
                        panels, CS_FIGURE_PANELS);
  if (!cs_list_reserve(&to->panel, panels, sizeof *to->panel)) return cs_error_memory(error);
  struct cs_text notes = {0};
  cs_text_add(&notes, "%s", to->notes);
  cs_figure_add_notes(from->notes, &notes);
  if (notes.failed) {
    cs_text_free(&notes);
    return cs_error_memory(error);
  }
  free(to->notes);
  to->notes = notes.data;
  memcpy(to->panel + to->panels, from->panel, from->panels * sizeof *to->panel);
  to->panels = panels;
  if (to->across < from->across) to->across = from->across;
  to->one_scale = false; /* each metric has its own colour scale */
  from->panels = 0;
  return CS_OK;
}

/* Whether the array has values for each of some signals; also if there is no such array, which is said elsewhere. */
static bool has_signals(const struct cs_table *table, const char *metric) {
  struct cs_runs runs = {0};
  struct cs_error unsaid;
  const struct cs_array *array = cs_table_find(table, metric);
  bool has = array == NULL || cs_runs_open(table, &runs, &unsaid) != CS_OK;
  for (size_t i = 0; !has && i < array->dimensions; i++)
    has = runs.dimension[array->dimension[i]].nature == CS_NATURE_SIGNAL;
  cs_runs_close(&runs);
  return has;
}

/* A figure of the metrics in `names`, separated by commas. A signal is that of the metrics that have any. */
static int make_all(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                    struct cs_error *error) {
  struct cs_word_list names;
  int code = cs_word_list_read(request->metric, &names, error);
  bool any = false;
  for (size_t i = 0; i < names.count && code == CS_OK; i++)
    any = any || has_signals(table, names.word[i]);
  for (size_t i = 0; i < names.count && code == CS_OK; i++) {
    struct cs_figure_request one = *request;
    struct cs_figure *next = NULL;
    one.metric = names.word[i];
    if (any && !has_signals(table, one.metric)) one.signal = NULL;
    code = make(table, &one, &next, error);
    if (code == CS_OK && *figure != NULL) code = join(*figure, next, error);
    if (*figure == NULL)
      *figure = next;
    else
      cs_figure_free(next);
  }
  cs_word_list_free(&names);
  if (code == CS_OK && (*figure)->across == 1 && (*figure)->panels > 1) /* metrics side by side */
    (*figure)->across = (*figure)->panels <= 3 ? (*figure)->panels : 3;
  return code;
}

void cs_figure_add_metrics(const struct cs_table *table, struct cs_text *lines) {
  if (cs_digest_is_trace(table)) {
    cs_figure_trace_add_metrics(table, lines);
    return;
  }
  for (size_t i = 0; i < table->arrays; i++)
    if (cs_view_can_draw(&table->array[i])) cs_text_add(lines, "%s\n", table->array[i].name);
}

/* The note of a nonlinear model. */
static int note_linearised(const struct cs_table *table, struct cs_figure *figure, struct cs_error *error) {
  const char *where = cs_digest_text(table, "linearised");
  struct cs_text notes = {0};
  if (where[0] == '\0') return CS_OK;
  cs_text_add(&notes, "%slinearised %s\n", figure->notes, where);
  if (notes.failed) return cs_error_memory(error);
  free(figure->notes);
  figure->notes = notes.data;
  return CS_OK;
}

int cs_figure_new(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                  struct cs_error *error) {
  const bool several = request->metric != NULL && strchr(request->metric, ',') != NULL && !cs_digest_is_trace(table);
  *figure = NULL;
  int code = several ? make_all(table, request, figure, error) : make(table, request, figure, error);
  if (code == CS_OK) code = note_linearised(table, *figure, error);
  if (code == CS_OK) return CS_OK;
  cs_figure_free(*figure);
  *figure = NULL;
  return code;
}
