/* What a trace says of each step: errors, defects, step sizes and their error estimate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"

/* Panels of errors are divided by units up to this number of them. */
enum { MOST_UNITS = 2 };

/* ---- errors and defects */

/* "connection defect", "local error estimate": an array in words. */
static void add_words(const char *name, struct cs_text *text) {
  for (; *name != '\0'; name++)
    cs_text_append(text, *name == '_' ? " " : name, 1);
}

/* Smallest positive and largest absolute value of the wanted signals. */
static void find_range(const struct cs_history *c, const struct cs_array *value, double *least, double *most) {
  const struct cs_dimension *d = cs_history_signals(c, value);
  *least = INFINITY;
  *most = 0.0;
  for (size_t i = 0; i < value->count; i++) {
    const double y = fabs(cs_table_number(value, i));
    if ((d != NULL && !cs_history_is_wanted(c, d, i % d->length)) || !(y > 0.0)) continue;
    *least = fmin(*least, y);
    *most = fmax(*most, y);
  }
}

/* Absolute values at the ends of the accepted steps. */
static int add_values(struct cs_history *c, struct cs_figure_panel *panel, const struct cs_array *value, size_t s,
                      const char *title, struct cs_error *error) {
  const size_t rows = c->t->length;
  struct cs_figure_curve *curve = cs_figure_add_curve(panel, rows, title);
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  curve->series = s;
  for (size_t row = 0; row < rows; row++) {
    const double y = fabs(cs_history_at(c, value, row, s));
    if (cs_history_is_taken(c, row) && !(panel->y.log && y == 0.0)) cs_history_push(curve, c->t->values[row], y);
  }
  cs_history_reduce(c, curve);
  curve->draw = curve->points <= CS_HISTORY_SYMBOLS ? CS_DRAW_BOTH : CS_DRAW_LINE;
  return CS_OK;
}

/* Whether signals share a panel: of one unit, or all of them. */
static bool belongs(const struct cs_history *c, const struct cs_array *value, bool together, size_t first, size_t s) {
  if (!cs_history_is_wanted(c, cs_history_signals(c, value), s)) return false;
  return together || strcmp(cs_history_unit(c, value, first), cs_history_unit(c, value, s)) == 0;
}

/* "load.torque [N m]" where signals of several units share the panel; "load.torque, estimate [N m]". */
static int add_named(struct cs_history *c, struct cs_figure_panel *panel, const struct cs_array *value, size_t s,
                     bool together, bool alone, const char *what, struct cs_error *error) {
  const char *unit = together ? cs_history_unit(c, value, s) : "";
  struct cs_text title = {0};
  cs_text_add(&title, "%s", alone ? "" : cs_history_signals(c, value)->labels[s]);
  if (what[0] != '\0') cs_text_add(&title, "%s%s", title.length > 0 ? ", " : "", what);
  if (unit[0] != '\0') cs_text_add(&title, " [%s]", unit);
  cs_text_add(&title, "%s", "");
  const int code = title.failed ? cs_error_memory(error) : add_values(c, panel, value, s, title.data, error);
  cs_text_free(&title);
  return code;
}

/* What a panel shows of a signal: the error, and its estimate in the same colour, thin. */
static int add_pair(struct cs_history *c, struct cs_figure_panel *panel, const struct cs_array *const value[2],
                    size_t s, bool together, bool alone, struct cs_error *error) {
  static const char *const what[] = {"error", "estimate"};
  int code = CS_OK;
  for (size_t i = 0; i < 2 && value[i] != NULL && code == CS_OK; i++) {
    const char *word = value[1] == NULL || (i == 0 && !alone) ? "" : what[i];
    code = add_named(c, panel, value[i], s, together, alone, word, error);
    if (code == CS_OK && value[1] != NULL)
      panel->curve[panel->curves - 1].series = s % CS_FIGURE_CURVES + i * CS_FIGURE_CURVES;
  }
  return code;
}

static int add_measure_panel(struct cs_history *c, const struct cs_array *const value[2], const char *label,
                             size_t first, bool together, size_t *drawn, struct cs_error *error) {
  const struct cs_dimension *d = cs_history_signals(c, value[0]);
  size_t alike = 0;
  double least, most;
  struct cs_text y = {0};
  for (size_t s = first; s < d->length; s++)
    alike += belongs(c, value[0], together, first, s);
  add_words(label, &y);
  if (alike == 1) cs_text_add(&y, " of %s", d->labels[first]);
  struct cs_figure_panel *panel =
      y.failed ? NULL : cs_history_add_panel(c, y.data, together ? "" : cs_history_unit(c, value[0], first));
  cs_text_free(&y);
  if (panel == NULL) return cs_error_memory(error);
  find_range(c, value[0], &least, &most);
  panel->y.log = most >= 20.0 * least;
  int code = CS_OK;
  for (size_t s = first; s < d->length && code == CS_OK && *drawn < c->most; s++) {
    if (!belongs(c, value[0], together, first, s)) continue;
    code = add_pair(c, panel, value, s, together, alike == 1, error);
    ++*drawn;
  }
  return code;
}

int cs_history_add_measure(struct cs_history *c, const char *name, const char *label, const char *estimate,
                           struct cs_error *error) {
  const struct cs_array *value = cs_history_find(c, name), *const pair[] = {value, cs_history_find(c, estimate)};
  const struct cs_dimension *d = value != NULL ? cs_history_signals(c, value) : NULL;
  double least, most;
  size_t drawn = 0, units = 0;
  int code = CS_OK;
  if (d == NULL || d->labels == NULL) return CS_OK;
  find_range(c, value, &least, &most);
  if (most == 0.0) return CS_OK;
  for (int pass = 0; pass < 2; pass++) /* counts the units, then adds their panels */
    for (size_t s = 0; s < d->length && code == CS_OK && drawn < c->most; s++) {
      const bool together = pass == 1 && units > (label != NULL ? MOST_UNITS : 1);
      bool new = cs_history_is_wanted(c, d, s);
      for (size_t k = 0; k < s; k++)
        new = new && !belongs(c, value, together, s, k);
      units += pass == 0 && new;
      if (new &&pass == 1) code = add_measure_panel(c, pair, label != NULL ? label : name, s, together, &drawn, error);
    }
  const size_t wanted = cs_history_count(c, d);
  if (drawn < wanted) cs_text_add(&c->notes, "%zu of %zu signals of %s; --signal chooses\n", drawn, wanted, name);
  return code;
}

/* ---- steps */

/* The values of the accepted steps, as stairs or at the ends of the steps. */
static int add_taken(struct cs_history *c, struct cs_figure_panel *panel, const struct cs_array *value, bool stairs,
                     struct cs_error *error) {
  const struct cs_array *start = cs_history_find(c, "t_start");
  struct cs_figure_curve *curve = cs_figure_add_curve(panel, 2 * c->t->length, "");
  double from = 0.0;
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  for (size_t row = 0; row < c->t->length; row++) {
    const double y = cs_history_at(c, value, row, 0), t = c->t->values[row];
    if (!cs_history_is_taken(c, row)) continue;
    if (!isnan(y) && !(panel->y.log && y <= 0.0)) {
      if (stairs && start != NULL) from = cs_history_at(c, start, row, 0);
      const size_t last = curve->points - 1;
      const bool goes_on = stairs && curve->points > 1 && curve->y[last] == y && curve->x[last] == from;
      if (goes_on) curve->points--; /* the same value goes on */
      if (stairs && !goes_on) cs_history_push(curve, from, y);
      cs_history_push(curve, t, y);
    }
    from = t;
  }
  cs_history_reduce(c, curve);
  curve->draw = !stairs && curve->points <= CS_HISTORY_SYMBOLS ? CS_DRAW_BOTH : CS_DRAW_LINE;
  return CS_OK;
}

/* The values of the tries that were not taken: because of an event inside, or rejected. */
static int add_tries(struct cs_history *c, struct cs_figure_panel *panel, const struct cs_array *value, bool given_up,
                     struct cs_error *error) {
  const struct cs_array *found = cs_history_find(c, "found");
  struct cs_figure_curve *curve =
      cs_figure_add_curve(panel, c->t->length, given_up ? "given up at an event" : "rejected");
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  curve->ink = given_up ? CS_INK_GIVEN_UP : CS_INK_REJECTED;
  curve->draw = CS_DRAW_POINTS;
  for (size_t row = 0; row < c->t->length; row++) {
    const double y = cs_history_at(c, value, row, 0);
    const bool ended = found != NULL && cs_history_at(c, found, row, 0) != 0.0;
    if (!cs_history_is_taken(c, row) && ended == given_up && !(panel->y.log && y <= 0.0))
      cs_history_push(curve, c->t->values[row], y);
  }
  if (curve->points > 0) return CS_OK;
  free(curve->title); /* no legend entry for an empty curve */
  curve->title = NULL;
  return CS_OK;
}

int cs_history_add_control(struct cs_history *c, const char *name, const char *label, bool stairs,
                           struct cs_error *error) {
  const struct cs_array *value = cs_history_find(c, name);
  double least, most;
  if (value == NULL) return CS_OK;
  find_range(c, value, &least, &most);
  if (most == 0.0) return CS_OK;
  struct cs_figure_panel *panel = cs_history_add_panel(c, label, strcmp(value->unit, "1") != 0 ? value->unit : "");
  if (panel == NULL) return cs_error_memory(error);
  panel->y.log = most >= 20.0 * least;
  int code = add_taken(c, panel, value, stairs, error);
  if (code == CS_OK) code = add_tries(c, panel, value, false, error);
  if (code == CS_OK && cs_history_find(c, "found") != NULL) code = add_tries(c, panel, value, true, error);
  return code;
}
