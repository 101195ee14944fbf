/* The time histories of a run: signals with the exact solution, defects, step sizes and their error estimate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"
#include "list.h"

enum {
  MOST_POINTS = 4000, /* of a curve; beyond that, points between extremes are not visible */
  MOST_SYMBOLS = 40,  /* beyond that, symbols hide the curve */
  MOST_MARKS = 400    /* of events; beyond that, ticks make a bar */
};

struct course {
  const struct cs_table *table;
  const struct cs_figure_request *request;
  const struct cs_dimension *t;
  const struct cs_array *accepted;
  struct cs_figure *figure;
  size_t most; /* signals in a panel */
  struct cs_text notes;
  bool thinned, crowded;
};

/* A dataset over time whose signals can be drawn, and the related datasets. */
static const struct signal {
  const char *name, *label;
  const char *exact, *error;  /* exact values, or the error to subtract; NULL: none */
  const char *after, *before; /* values after an event, and at the start of the step */
  bool jumps;                 /* the group /events says where the exact ones do */
} signals[] = {{"y", "outputs y", "y_exact", NULL, "y_after", NULL, false},
               {"x", "states x", "x_exact", NULL, "x_after", NULL, true},
               {"u", "inputs u", NULL, "input_error", NULL, "u_start", false},
               {"monitor_value", "monitors", NULL, NULL, NULL, NULL, false}};

/* ---- values */

static const struct cs_array *find(const struct course *c, const char *name) {
  const struct cs_array *array = name != NULL ? cs_table_find(c->table, name) : NULL;
  return array != NULL && array->type != CS_TEXT ? array : NULL;
}

/* Value of signal `s` in a row; arrays without signals have a single value. */
static double at(const struct cs_array *array, size_t rows, size_t row, size_t s) {
  return cs_table_number(array, row * (array->count / rows) + s);
}

static bool is_taken(const struct course *c, size_t row) {
  return cs_table_number(c->accepted, row) != 0.0;
}

/* Thins very long curves: keeps the extremes of short intervals. */
static void reduce(struct course *c, struct cs_figure_curve *curve) {
  if (curve->points <= MOST_POINTS) return;
  const size_t stretches = MOST_POINTS / 2, of = curve->points;
  size_t count = 0;
  for (size_t i = 0; i < stretches; i++) {
    const size_t from = i * of / stretches, to = (i + 1) * of / stretches;
    size_t low = from, high = from;
    for (size_t k = from; k < to; k++) {
      if (curve->y[k] < curve->y[low] || isnan(curve->y[low])) low = k;
      if (curve->y[k] > curve->y[high] || isnan(curve->y[high])) high = k;
    }
    const size_t kept[] = {low < high ? low : high, low < high ? high : low};
    for (size_t k = 0; k < 2; k++) {
      curve->x[count] = curve->x[kept[k]];
      curve->y[count++] = curve->y[kept[k]];
    }
  }
  curve->points = count;
  c->thinned = true;
}

static void push(struct cs_figure_curve *curve, double x, double y) {
  if (isnan(x) || isnan(y)) return;
  curve->x[curve->points] = x;
  curve->y[curve->points++] = y;
}

/* A value after an event: the pen is lifted where it jumps. */
static void push_after(struct cs_figure_curve *curve, double x, double y) {
  if (curve->points > 0 && !isnan(y) && y != curve->y[curve->points - 1]) {
    curve->x[curve->points] = x;
    curve->y[curve->points++] = NAN;
  }
  push(curve, x, y);
}

/* ---- pieces */

static const char *unit_of(const struct course *c, const struct cs_array *array, size_t s) {
  const char *unit = strcmp(array->unit, "1") != 0 ? array->unit : "";
  if (strncmp(unit, "see ", 4) != 0) return unit;
  const size_t last = array->dimension[array->dimensions - 1];
  const struct cs_array *units = cs_runs_units(c->table, &c->table->dimension[last]);
  unit = units != NULL ? units->data.text[s] : "";
  return strcmp(unit, "1") != 0 ? unit : "";
}

/* Whether signal `s` of a dataset is wanted. */
static bool is_wanted(const struct course *c, const struct cs_dimension *d, size_t s) {
  return c->request->signal == NULL || d->labels == NULL || strcmp(d->labels[s], c->request->signal) == 0;
}

static const struct cs_dimension *signals_of(const struct course *c, const struct cs_array *array) {
  return array->dimensions > 1 ? &c->table->dimension[array->dimension[1]] : NULL;
}

/* Adds a panel at the bottom. */
static struct cs_figure_panel *add_panel(struct course *c, const char *label, const char *unit) {
  struct cs_text y = {0};
  struct cs_figure *figure = c->figure;
  if (!cs_list_reserve(&figure->panel, figure->panels + 1, sizeof *figure->panel)) return NULL;
  cs_text_add(&y, "%s%s%s%s", label, unit[0] != '\0' ? " [" : "", unit, unit[0] != '\0' ? "]" : "");
  struct cs_figure_panel *panel = &figure->panel[figure->panels++];
  *panel = (struct cs_figure_panel){.title = cs_text_copy(""),
                                    .x = {.label = cs_text_copy("t [s]"), .most = 1.0},
                                    .y = {.label = y.data, .most = 1.0}};
  return panel->title != NULL && panel->x.label != NULL && !y.failed ? panel : NULL;
}

/* ---- signals */

static int add_signal(struct course *c, struct cs_figure_panel *panel, const struct signal *kind, size_t s,
                      size_t series, struct cs_error *error) {
  const struct cs_array *value = find(c, kind->name), *after = find(c, kind->after), *before = find(c, kind->before);
  const struct cs_array *start = find(c, "t_start");
  const size_t rows = c->t->length;
  struct cs_figure_curve *curve =
      cs_figure_add_curve(panel, 3 * rows, signals_of(c, value) != NULL ? signals_of(c, value)->labels[s] : kind->name);
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  curve->series = series;
  for (size_t row = 0; row < rows; row++) {
    if (!is_taken(c, row)) continue;
    if (before != NULL && start != NULL) push(curve, at(start, rows, row, 0), at(before, rows, row, s));
    push(curve, c->t->values[row], at(value, rows, row, s));
    if (after != NULL) push_after(curve, c->t->values[row], at(after, rows, row, s));
  }
  reduce(c, curve);
  curve->draw = curve->points <= MOST_SYMBOLS ? CS_DRAW_BOTH : CS_DRAW_LINE;
  return CS_OK;
}

/* Arrays of the group /events, NULL: there are none. */
static const struct cs_array *find_event(const struct course *c, const char *name) {
  const struct cs_array *array = c->table->group != NULL ? cs_table_find(c->table->group, name) : NULL;
  return array != NULL && array->type != CS_TEXT ? array : NULL;
}

/* The exact solution's events up to `end`, from number *next on: where state `s` jumps. */
static void push_events(const struct course *c, struct cs_figure_curve *curve, size_t s, double end, size_t *next) {
  const struct cs_array *time = find_event(c, "time"), *exact = find_event(c, "solution");
  const struct cs_array *before = find_event(c, "x_before"), *after = find_event(c, "x_after");
  if (time == NULL || exact == NULL || before == NULL || after == NULL) return;
  for (; *next < time->count && cs_table_number(time, *next) < end; ++*next) {
    const double t = cs_table_number(time, *next);
    if (cs_table_number(exact, *next) == 0.0) continue;
    push(curve, t, at(before, time->count, *next, s));
    push_after(curve, t, at(after, time->count, *next, s));
  }
}

/* The exact solution at the same points; `first`: with a legend entry. */
static int add_exact(struct course *c, struct cs_figure_panel *panel, const struct signal *kind, size_t s, bool first,
                     struct cs_error *error) {
  const struct cs_array *exact = find(c, kind->exact), *value = find(c, kind->name), *wrong = find(c, kind->error);
  const size_t rows = c->t->length;
  if (exact == NULL && wrong == NULL) return CS_OK;
  const struct cs_array *events = kind->jumps ? find_event(c, "time") : NULL;
  const size_t most = rows + (events != NULL ? 3 * events->count : 0);
  struct cs_figure_curve *curve = cs_figure_add_curve(panel, most, first ? "exact solution" : NULL);
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  for (size_t row = 0, next = 0; row < rows; row++) {
    if (!is_taken(c, row)) continue;
    if (events != NULL) push_events(c, curve, s, c->t->values[row], &next);
    push(curve, c->t->values[row],
         exact != NULL ? at(exact, rows, row, s) : at(value, rows, row, s) - at(wrong, rows, row, s));
  }
  reduce(c, curve);
  curve->ink = CS_INK_EXACT;
  curve->draw = CS_DRAW_LINE;
  return CS_OK;
}

/* Ticks at the events of both solutions (group /events). */
static int add_marks(struct course *c, struct cs_figure_panel *panel, struct cs_error *error) {
  const struct cs_array *time = find_event(c, "time"), *exact = find_event(c, "solution");
  const struct cs_array *partner = find_event(c, "partner"), *timed = find_event(c, "timed");
  if (time == NULL || exact == NULL || partner == NULL || timed == NULL) return CS_OK;
  const size_t count = time->count < MOST_MARKS ? time->count : MOST_MARKS;
  if (count < time->count) c->crowded = true;
  if (!cs_list_reserve(&panel->mark, count, sizeof *panel->mark)) return cs_error_memory(error);
  for (size_t i = 0; i < count; i++)
    panel->mark[panel->marks++] =
        (struct cs_figure_mark){.x = cs_table_number(time, i),
                                .above = cs_table_number(exact, i) == 0.0,
                                .alone = cs_table_number(partner, i) < 0.0 && cs_table_number(timed, i) == 0.0};
  return CS_OK;
}

/* A panel for each unit of the wanted signals. */
static int add_signals(struct course *c, const struct signal *kind, struct cs_error *error) {
  const struct cs_array *value = find(c, kind->name);
  const struct cs_dimension *d = signals_of(c, value);
  const size_t count = d != NULL ? d->length : 1;
  size_t drawn = 0;
  int code = CS_OK;
  for (size_t s = 0; s < count && code == CS_OK; s++) {
    bool new = d == NULL || is_wanted(c, d, s);
    for (size_t k = 0; k < s; k++)
      new = new && !(is_wanted(c, d, k) && strcmp(unit_of(c, value, k), unit_of(c, value, s)) == 0);
    if (!new || drawn == c->most) continue;
    struct cs_figure_panel *panel = add_panel(c, kind->label, unit_of(c, value, s));
    const size_t before = drawn;
    if (panel == NULL) return cs_error_memory(error);
    code = add_marks(c, panel, error);
    for (size_t k = s; k < count && code == CS_OK && drawn < c->most; k++) {
      if ((d != NULL && !is_wanted(c, d, k)) || strcmp(unit_of(c, value, k), unit_of(c, value, s)) != 0) continue;
      code = add_signal(c, panel, kind, k, drawn++, error);
    }
    size_t number = before;
    for (size_t k = s; k < count && code == CS_OK && number < drawn; k++) {
      if ((d != NULL && !is_wanted(c, d, k)) || strcmp(unit_of(c, value, k), unit_of(c, value, s)) != 0) continue;
      code = add_exact(c, panel, kind, k, number++ == before, error);
    }
  }
  size_t wanted = 0;
  for (size_t s = 0; s < count; s++)
    wanted += d == NULL || is_wanted(c, d, s);
  if (drawn < wanted) cs_text_add(&c->notes, "%zu of %zu signals of %s; --signal chooses\n", drawn, wanted, kind->name);
  return code;
}

/* ---- steps */

/* A value at the end of every step, for accepted or for rejected steps. */
static int add_steps(struct course *c, struct cs_figure_panel *panel, const struct cs_array *value, size_t s,
                     bool taken, size_t series, const char *title, struct cs_error *error) {
  const size_t rows = c->t->length;
  struct cs_figure_curve *curve = cs_figure_add_curve(panel, rows, title);
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  for (size_t row = 0; row < rows; row++) {
    const double y = at(value, rows, row, s);
    if (is_taken(c, row) == taken && !(panel->y.log && y <= 0.0)) push(curve, c->t->values[row], y);
  }
  curve->series = series;
  if (taken) reduce(c, curve);
  curve->draw = !taken ? CS_DRAW_POINTS : curve->points <= MOST_SYMBOLS ? CS_DRAW_BOTH : CS_DRAW_LINE;
  if (!taken) curve->ink = CS_INK_REJECTED;
  if (curve->points > 0) return CS_OK;
  free(curve->title); /* no legend entry for an empty curve */
  curve->title = NULL;
  return CS_OK;
}

/* Smallest positive and largest value of a dataset. */
static void find_range(const struct cs_array *value, double *least, double *most) {
  for (size_t i = 0; i < value->count; i++) {
    const double y = cs_table_number(value, i);
    if (y > 0.0) *least = fmin(*least, y);
    if (y > 0.0) *most = fmax(*most, y);
  }
}

/* A panel of the defects of every signal. */
static int add_defects(struct course *c, const char *name, struct cs_error *error) {
  const struct cs_array *value = find(c, name);
  const struct cs_dimension *d = value != NULL ? signals_of(c, value) : NULL;
  double least = INFINITY, most = 0.0;
  int code = CS_OK;
  if (d != NULL) find_range(value, &least, &most);
  if (most == 0.0) return CS_OK;
  struct cs_figure_panel *panel = add_panel(c, name, "");
  if (panel == NULL) return cs_error_memory(error);
  panel->y.log = true;
  for (size_t s = 0; s < d->length && s < c->most && code == CS_OK; s++) {
    struct cs_text title = {0};
    cs_text_add(&title, "%s%s%s%s", d->labels[s], unit_of(c, value, s)[0] != '\0' ? " [" : "", unit_of(c, value, s),
                unit_of(c, value, s)[0] != '\0' ? "]" : "");
    code = title.failed ? cs_error_memory(error) : add_steps(c, panel, value, s, true, s, title.data, error);
    cs_text_free(&title);
  }
  if (d->length > c->most) cs_text_add(&c->notes, "%zu of %zu signals of %s\n", c->most, d->length, name);
  return code;
}

/* Step sizes or estimates, with the rejected ones. */
static int add_control(struct course *c, const char *name, struct cs_error *error) {
  const struct cs_array *value = find(c, name);
  double least = INFINITY, most = 0.0;
  if (value == NULL) return CS_OK;
  find_range(value, &least, &most);
  if (most == 0.0) return CS_OK;
  struct cs_figure_panel *panel = add_panel(c, name, strcmp(value->unit, "1") != 0 ? value->unit : "");
  if (panel == NULL) return cs_error_memory(error);
  panel->y.log = most >= 20.0 * least;
  struct cs_text rejected = {0};
  cs_text_add(&rejected, "%s, rejected", name);
  int code = rejected.failed ? cs_error_memory(error) : add_steps(c, panel, value, 0, true, 0, name, error);
  if (code == CS_OK) code = add_steps(c, panel, value, 0, false, 0, rejected.data, error);
  cs_text_free(&rejected);
  return code;
}

/* ---- the whole */

static int find_kind(const struct course *c, const struct signal **kind, struct cs_error *error) {
  const char *metric = c->request->metric;
  struct cs_text names = {0};
  *kind = NULL;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    if (find(c, signals[i].name) == NULL) continue;
    if (*kind == NULL && (metric == NULL || strcmp(metric, signals[i].name) == 0)) *kind = &signals[i];
    cs_text_add_name(&names, signals[i].name);
  }
  const int code = *kind != NULL
                       ? CS_OK
                       : cs_error_set(error, CS_USAGE, "--metric \"%s\"; a trace has other quantities; want one of: %s",
                                      metric != NULL ? metric : "", cs_text_string(&names));
  cs_text_free(&names);
  return code;
}

static int check_request(const struct course *c, const struct signal *kind, struct cs_error *error) {
  const struct cs_figure_request *r = c->request;
  const char *const option[] = {r->x, r->y, r->curve, r->panel, r->wheres > 0 ? r->where[0] : NULL};
  static const char *const name[] = {"x", "y", "curve", "panel", "where"};
  const struct cs_dimension *d = signals_of(c, find(c, kind->name));
  struct cs_text names = {0};
  bool known = r->signal == NULL;
  for (size_t i = 0; i < sizeof option / sizeof *option; i++)
    if (option[i] != NULL)
      return cs_error_set(error, CS_USAGE, "--%s \"%s\"; a trace is one run over t, want --metric and --signal alone",
                          name[i], option[i]);
  for (size_t i = 0; d != NULL && d->labels != NULL && i < d->length; i++) {
    known = known || strcmp(d->labels[i], r->signal) == 0;
    cs_text_add_name(&names, d->labels[i]);
  }
  const int code = known ? CS_OK
                         : cs_error_set(error, CS_USAGE, "--signal \"%s\"; want one of: %s", r->signal,
                                        names.data != NULL ? names.data : "(it has none)");
  cs_text_free(&names);
  return code;
}

static int finish(struct course *c, struct cs_error *error) {
  if (c->thinned) cs_text_add(&c->notes, "too many steps to draw each: curves show the extremes of short intervals\n");
  if (c->crowded) cs_text_add(&c->notes, "ticks for the first %d events\n", MOST_MARKS);
  c->figure->title = cs_text_copy(c->table->title);
  c->figure->notes = cs_text_copy(cs_text_string(&c->notes));
  return c->notes.failed || c->figure->title == NULL || c->figure->notes == NULL ? cs_error_memory(error) : CS_OK;
}

int cs_figure_course(const struct cs_table *table, const struct cs_figure_request *request, size_t most,
                     struct cs_figure **figure, struct cs_error *error) {
  struct course c = {.table = table,
                     .request = request,
                     .most = most,
                     .t = cs_table_find_dimension(table, "t"),
                     .accepted = cs_table_find(table, "accepted")};
  const struct signal *kind;
  if (c.t == NULL || c.accepted == NULL || c.t->values == NULL)
    return cs_error_set(error, CS_USAGE, "--kind trace: the file is not a trace; want one written by cosweep trace");
  int code = find_kind(&c, &kind, error);
  if (code == CS_OK) code = check_request(&c, kind, error);
  if (code != CS_OK) return code;
  c.figure = *figure = cs_figure_begin("trace", 0, 1);
  if (c.figure == NULL) return cs_error_memory(error);
  c.figure->stacked = true;
  code = add_signals(&c, kind, error);
  if (code == CS_OK) code = add_defects(&c, "connection_defect", error);
  if (code == CS_OK) code = add_defects(&c, "output_defect", error);
  if (code == CS_OK) code = add_control(&c, "H", error);
  if (code == CS_OK) code = add_control(&c, "eps", error);
  if (code == CS_OK) code = finish(&c, error);
  cs_text_free(&c.notes);
  return code;
}

int cs_figure_trace(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                    struct cs_error *error) {
  const struct cs_note *place = cs_table_find_note(table, "at");
  struct cs_text notes = {0};
  int code = cs_figure_course(table, request, CS_FIGURE_CURVES, figure, error);
  if (code != CS_OK) return code;
  if (place != NULL && place->type == CS_TEXT && place->count > 0 && place->text[0][0] != '\0')
    cs_text_add(&notes, "run: %s\n", place->text[0]);
  cs_text_add(&notes, "%s", (*figure)->notes);
  cs_figure_set_ranges(*figure, &notes);
  if (notes.failed) {
    cs_text_free(&notes);
    return cs_error_memory(error);
  }
  free((*figure)->notes);
  (*figure)->notes = notes.data;
  return CS_OK;
}
