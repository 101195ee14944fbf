/* Figures put together from pieces, and which kind suits a table. */
#include "figure.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"

/* ---- pieces */

struct cs_figure *cs_figure_begin(const char *kind, size_t panels, size_t across) {
  struct cs_figure *figure = calloc(1, sizeof *figure);
  if (figure == NULL) return NULL;
  figure->kind = kind;
  figure->panel = calloc(panels + 1, sizeof *figure->panel);
  if (figure->panel == NULL) {
    free(figure);
    return NULL;
  }
  figure->panels = panels;
  figure->across = across > 0 ? across : panels <= 3 ? panels : panels == 4 ? 2 : panels <= 9 ? 3 : 4;
  for (size_t i = 0; i < panels; i++) {
    struct cs_figure_panel *p = &figure->panel[i];
    p->x.least = p->y.least = p->z.least = 0.0;
    p->x.most = p->y.most = p->z.most = 1.0;
  }
  return figure;
}

int cs_figure_begin_view(const char *kind, struct cs_view *view, struct cs_figure **figure, struct cs_error *error) {
  const size_t panels = cs_view_count(view, CS_PART_PANEL);
  size_t position[CS_MAX_DIMENSIONS] = {0}, across = 0, dimensions = 0;
  for (size_t i = 0; i < view->slices; i++)
    if (view->slice[i].part == CS_PART_PANEL && view->slice[i].count > 1) {
      across = view->slice[i].count;
      dimensions++;
    }
  *figure = cs_figure_begin(kind, panels, dimensions > 1 && across <= 4 && panels / across <= 4 ? across : 0);
  if (*figure == NULL) return cs_error_memory(error);
  for (size_t p = 0; p < panels; p++) {
    struct cs_text title = {0};
    cs_text_add(&title, "%s", "");
    cs_view_place(view, CS_PART_PANEL, p, position);
    cs_view_add_places(view, CS_PART_PANEL, position, &title);
    (*figure)->panel[p].title = title.data;
    if (title.failed) return cs_error_memory(error);
  }
  return CS_OK;
}

struct cs_figure_curve *cs_figure_add_curve(struct cs_figure_panel *panel, size_t points, const char *title) {
  struct cs_figure_curve *list = realloc(panel->curve, (panel->curves + 1) * sizeof *list);
  if (list == NULL) return NULL;
  panel->curve = list;
  struct cs_figure_curve *curve = &list[panel->curves];
  *curve = (struct cs_figure_curve){.order = NAN, .points = points};
  curve->title = title != NULL ? cs_text_copy(title) : NULL;
  curve->x = malloc((points + 1) * sizeof *curve->x);
  curve->y = malloc((points + 1) * sizeof *curve->y);
  panel->curves++; /* freed with the panel also where memory was short */
  if (curve->x != NULL && curve->y != NULL && (title == NULL || curve->title != NULL)) return curve;
  curve->points = 0;
  return NULL;
}

int cs_figure_add_label(struct cs_figure_panel *panel, double x, double y, const char *text) {
  struct cs_figure_label *list = realloc(panel->label, (panel->labels + 1) * sizeof *list);
  if (list == NULL) return CS_DEVICE;
  panel->label = list;
  list[panel->labels] = (struct cs_figure_label){.text = cs_text_copy(text), .x = x, .y = y};
  return list[panel->labels++].text != NULL ? CS_OK : CS_DEVICE;
}

static void free_axis(struct cs_figure_axis *axis) {
  free(axis->label);
  for (size_t i = 0; axis->tick != NULL && i < axis->ticks; i++)
    free(axis->tick[i]);
  free(axis->tick);
}

static void free_panel(struct cs_figure_panel *panel) {
  for (size_t i = 0; i < panel->curves; i++) {
    free(panel->curve[i].title);
    free(panel->curve[i].x);
    free(panel->curve[i].y);
  }
  for (size_t i = 0; i < panel->labels; i++)
    free(panel->label[i].text);
  if (panel->map != NULL) free(panel->map->value);
  free(panel->map);
  free(panel->curve);
  free(panel->label);
  free(panel->title);
  free_axis(&panel->x);
  free_axis(&panel->y);
  free_axis(&panel->z);
}

void cs_figure_free(struct cs_figure *figure) {
  if (figure == NULL) return;
  for (size_t i = 0; i < figure->panels; i++)
    free_panel(&figure->panel[i]);
  free(figure->panel);
  free(figure->title);
  free(figure->notes);
  free(figure);
}

/* ---- ranges */

/* Widens [least, most] by the points of a panel's curves that are drawn: those with both numbers. */
static void widen(const struct cs_figure_panel *panel, bool of_y, double *least, double *most) {
  for (size_t c = 0; c < panel->curves; c++) {
    const struct cs_figure_curve *curve = &panel->curve[c];
    for (size_t i = 0; i < curve->points; i++) {
      if (!isfinite(curve->x[i]) || !isfinite(curve->y[i])) continue;
      *least = fmin(*least, of_y ? curve->y[i] : curve->x[i]);
      *most = fmax(*most, of_y ? curve->y[i] : curve->x[i]);
    }
  }
}

bool cs_figure_is_flat(double least, double most) {
  return most - least <= 1e-9 * fmax(fabs(least), fabs(most));
}

/* A range with some room at both ends, which is not empty. */
static void set_range(struct cs_figure_axis *axis, double least, double most) {
  if (!(least <= most)) {
    least = axis->log ? 0.1 : 0.0;
    most = 1.0;
  }
  if (axis->ticks > 0) {
    axis->least = -0.5;
    axis->most = (double)axis->ticks - 0.5;
  } else if (axis->log) {
    const double room = cs_figure_is_flat(least, most) ? 2.0 : pow(most / least, 0.04);
    axis->least = fmax(least / room, DBL_MIN);
    axis->most = fmin(most * room, DBL_MAX);
  } else {
    const double room = !cs_figure_is_flat(least, most) ? 0.04 * (most - least) : most != 0.0 ? 0.5 * fabs(most) : 1.0;
    axis->least = least - room;
    axis->most = most + room;
  }
}

static int compare_numbers(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* All values of the panels with that label, ascending; NULL when memory is short. */
static double *sort_values(const struct cs_figure *figure, const char *label, size_t *count) {
  size_t most = 0;
  for (size_t p = 0; p < figure->panels; p++)
    for (size_t c = 0; c < figure->panel[p].curves; c++)
      most += figure->panel[p].curve[c].points;
  double *values = malloc((most + 1) * sizeof *values);
  *count = 0;
  for (size_t p = 0; values != NULL && p < figure->panels; p++) {
    const struct cs_figure_panel *panel = &figure->panel[p];
    for (size_t c = 0; c < panel->curves && strcmp(panel->y.label, label) == 0; c++)
      for (size_t i = 0; i < panel->curve[c].points; i++)
        if (isfinite(panel->curve[c].y[i])) values[(*count)++] = panel->curve[c].y[i];
  }
  if (values != NULL) qsort(values, *count, sizeof *values, compare_numbers);
  return values;
}

/* Ends of a logarithmic range: where some values grew without bound, those that did not shall still be told apart, and
 * of the courses of a trace single values near rounding shall not press the others together. */
static void bound(const struct cs_figure *figure, const char *label, double *least, double *most,
                  struct cs_text *notes) {
  const double decades = 1e20, room = 1e4, gap = 1e-5;
  enum { MANY = 50 };
  size_t count;
  double *values = *most > fmin(decades, 1.0 / gap) * *least ? sort_values(figure, label, &count) : NULL;
  if (values == NULL || count == 0) {
    free(values);
    return;
  }
  const double high = room * values[(size_t)(0.7 * (double)(count - 1))], low = values[count / MANY];
  if (*most > decades * *least && high < *most) {
    *most = high;
    cs_figure_add_notes("the largest values lie beyond the axis: they grow without bound\n", notes);
  }
  if (figure->stacked && count >= MANY && *least < gap * low) {
    *least = 0.1 * low;
    cs_figure_add_notes("single values far below the others lie beyond the axis\n", notes);
  }
  free(values);
}

void cs_figure_set_ranges(struct cs_figure *figure, struct cs_text *notes) {
  double x_least = INFINITY, x_most = -INFINITY;
  for (size_t i = 0; i < figure->panels; i++)
    widen(&figure->panel[i], false, &x_least, &x_most);
  for (size_t i = 0; i < figure->panels; i++) {
    struct cs_figure_panel *panel = &figure->panel[i];
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < figure->panels; k++)
      if (strcmp(figure->panel[k].y.label, panel->y.label) == 0) widen(&figure->panel[k], true, &least, &most);
    if (panel->y.log) bound(figure, panel->y.label, &least, &most, notes);
    set_range(&panel->x, x_least, x_most);
    set_range(&panel->y, least, most);
  }
}

/* ---- kinds */

static const char *const kinds[] = {"convergence", "map", "cost", "trace", "lines", "points"};

bool cs_figure_is_trace(const struct cs_table *table) {
  return cs_table_find_dimension(table, "t") != NULL && cs_table_find(table, "accepted") != NULL;
}

static bool is_stability(const struct cs_table *table) {
  const struct cs_note *study = cs_table_find_note(table, "study");
  return study != NULL && study->type == CS_TEXT && study->count > 0 && strcmp(study->text[0], "stability") == 0;
}

const struct cs_array *cs_figure_orders(const struct cs_table *table, const char *metric) {
  struct cs_text name = {0};
  cs_text_add(&name, "%s_order", metric);
  const struct cs_array *orders = name.failed ? NULL : cs_table_find(table, name.data);
  cs_text_free(&name);
  return orders != NULL && orders->type == CS_FLOAT64 ? orders : NULL;
}

static size_t count_slices(const struct cs_view *view, enum cs_nature nature, size_t least) {
  size_t count = 0;
  for (size_t i = 0; i < view->slices; i++)
    count += view->slice[i].nature == nature && view->slice[i].count >= least;
  return count;
}

/* Different ways to solve one problem, which are paid for differently. */
static bool is_contest(const struct cs_view *view) {
  const bool paid = cs_table_find(view->table, "evaluations") != NULL || cs_table_find(view->table, "stages") != NULL;
  return paid && count_slices(view, CS_NATURE_ORDER, 2) + count_slices(view, CS_NATURE_WORD, 2) >= 2;
}

static const char *suitable(const struct cs_view *view) {
  const size_t numbers = count_slices(view, CS_NATURE_NUMBER, 5), steps = count_slices(view, CS_NATURE_STEP, 3);
  const bool stability = is_stability(view->table);
  if (view->request->y != NULL) return "map";
  if (stability) return numbers + count_slices(view, CS_NATURE_STEP, 5) >= 2 ? "map" : "lines";
  if (view->request->x != NULL) {
    const struct cs_dimension *x = cs_table_find_dimension(view->table, view->request->x);
    if (x == NULL && cs_table_find(view->table, view->request->x) != NULL) return "cost";
  }
  if (cs_figure_orders(view->table, view->metric->name) != NULL && cs_figure_fitted(view) < view->slices)
    return "convergence";
  if (view->request->x == NULL && numbers >= 2) return "map";
  if (view->request->x == NULL && steps > 0) return is_contest(view) ? "cost" : "convergence";
  return "lines";
}

/* The metric of a figure whose request names none. */
static const char *default_metric(const struct cs_table *table) {
  static const char *const simulated[] = {"output_error",      "state_error",        "input_error",
                                          "local_error",       "output_error_final", "state_error_final",
                                          "output_error_max",  "monitor_final",      "monitor_rms",
                                          "connection_defect", "output_defect"};
  static const char *const analysed[] = {"spectral_radius", "spectral_radius_decaying", "growth_rate", "stable"};
  return is_stability(table) ? cs_figure_metric(table, analysed, sizeof analysed / sizeof *analysed)
                             : cs_figure_metric(table, simulated, sizeof simulated / sizeof *simulated);
}

static int check_kind(const char *kind, struct cs_error *error) {
  struct cs_text names = {0};
  bool known = false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    known = known || strcmp(kind, kinds[i]) == 0;
    cs_text_add(&names, "%s%s", i > 0 ? ", " : "", kinds[i]);
  }
  const int code = known ? CS_OK : cs_error_set(error, CS_USAGE, "--kind \"%s\"; want one of: %s", kind, names.data);
  cs_text_free(&names);
  return code;
}

/* Fills in kind and metric where the request has none; `kind` is a text of `kinds`. */
static int complete(const struct cs_table *table, struct cs_figure_request *request, struct cs_error *error) {
  struct cs_view view;
  int code = request->kind != NULL ? check_kind(request->kind, error) : CS_OK;
  if (code == CS_OK && cs_figure_is_trace(table) && request->kind == NULL) request->kind = "trace";
  if (code != CS_OK || (request->kind != NULL && strcmp(request->kind, "trace") == 0)) return code;
  if (request->metric == NULL) request->metric = default_metric(table);
  if (request->kind != NULL) return CS_OK;
  code = cs_view_open(table, request, request->metric, &view, error);
  if (code == CS_OK) request->kind = suitable(&view);
  cs_view_close(&view);
  return code;
}

/* A figure of one metric. */
static int make(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                struct cs_error *error) {
  struct cs_figure_request whole = *request;
  int code = complete(table, &whole, error);
  if (code != CS_OK) return code;
  if (strcmp(whole.kind, "trace") == 0) return cs_figure_trace(table, &whole, figure, error);
  if (strcmp(whole.kind, "map") == 0) return cs_figure_map_of(table, &whole, figure, error);
  if (strcmp(whole.kind, "cost") == 0) return cs_figure_cost(table, &whole, figure, error);
  return cs_figure_lines(table, &whole, whole.kind, figure, error);
}

void cs_figure_add_notes(const char *more, struct cs_text *notes) {
  while (*more != '\0') {
    struct cs_text line = {0};
    const size_t length = strcspn(more, "\n") + 1;
    cs_text_append(&line, more, length);
    if (line.failed || notes->data == NULL || strstr(notes->data, line.data) == NULL)
      cs_text_append(notes, more, length);
    cs_text_free(&line);
    more += length;
  }
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
  struct cs_figure_panel *list = realloc(to->panel, (panels + 1) * sizeof *list);
  if (list == NULL) return cs_error_memory(error);
  to->panel = list;
  struct cs_text notes = {0};
  cs_text_add(&notes, "%s", to->notes);
  cs_figure_add_notes(from->notes, &notes);
  if (notes.failed) {
    cs_text_free(&notes);
    return cs_error_memory(error);
  }
  free(to->notes);
  to->notes = notes.data;
  memcpy(list + to->panels, from->panel, from->panels * sizeof *list);
  to->panels = panels;
  if (to->across < from->across) to->across = from->across;
  to->one_scale = false; /* metrics have colours of their own */
  from->panels = 0;
  return CS_OK;
}

/* A figure of the metrics in `names`, separated by commas. */
static int make_all(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                    struct cs_error *error) {
  int code = CS_OK;
  for (const char *names = request->metric; *names != '\0' && code == CS_OK;) {
    const size_t length = strcspn(names, ",");
    struct cs_figure_request one = *request;
    struct cs_figure *next = NULL;
    struct cs_text name = {0};
    cs_text_append(&name, names, length);
    one.metric = name.data;
    code = name.failed ? cs_error_memory(error) : make(table, &one, &next, error);
    if (code == CS_OK && *figure != NULL) code = join(*figure, next, error);
    if (*figure == NULL)
      *figure = next;
    else
      cs_figure_free(next);
    cs_text_free(&name);
    names += length + (names[length] == ',');
  }
  if (code == CS_OK && (*figure)->across == 1 && (*figure)->panels > 1) /* metrics beside each other */
    (*figure)->across = (*figure)->panels <= 3 ? (*figure)->panels : 3;
  return code;
}

int cs_figure_new(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                  struct cs_error *error) {
  const bool several = request->metric != NULL && strchr(request->metric, ',') != NULL && !cs_figure_is_trace(table);
  *figure = NULL;
  const int code = several ? make_all(table, request, figure, error) : make(table, request, figure, error);
  if (code == CS_OK) return CS_OK;
  cs_figure_free(*figure);
  *figure = NULL;
  return code;
}
