/* The signals of a trace over time, with the exact solution and ticks at events. */
#include <math.h>
#include <string.h>

#include "history.h"
#include "list.h"

/* Part of a panel's height by which curves must differ to be told apart. */
static const double visible = 0.02;

static int add_signal(struct cs_history *c, struct cs_figure_panel *panel, const struct cs_history_kind *kind, size_t s,
                      const char *title, struct cs_error *error) {
  const struct cs_array *value = cs_history_find(c, kind->name), *after = cs_history_find(c, kind->after);
  const struct cs_array *before = cs_history_find(c, kind->before), *start = cs_history_find(c, "t_start");
  const size_t rows = c->t->length;
  struct cs_figure_curve *curve = cs_figure_add_curve(panel, 3 * rows, title);
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  curve->series = s;
  for (size_t row = 0; row < rows; row++) {
    if (!cs_history_is_taken(c, row)) continue;
    if (before != NULL && start != NULL)
      cs_history_push(curve, cs_history_at(c, start, row, 0), cs_history_at(c, before, row, s));
    cs_history_push(curve, c->t->values[row], cs_history_at(c, value, row, s));
    if (after != NULL) cs_history_push_after(curve, c->t->values[row], cs_history_at(c, after, row, s));
  }
  cs_history_reduce(c, curve);
  curve->draw = curve->points <= CS_HISTORY_SYMBOLS ? CS_DRAW_BOTH : CS_DRAW_LINE;
  return CS_OK;
}

/* ---- the exact solution */

/* Arrays of the group /events, NULL: there are none. */
static const struct cs_array *find_event(const struct cs_history *c, const char *name) {
  const struct cs_array *array = c->table->group != NULL ? cs_table_find(c->table->group, name) : NULL;
  return array != NULL && array->type != CS_TEXT ? array : NULL;
}

/* The exact solution's events up to `end`, from number *next on: where state `s` jumps. */
static void push_events(const struct cs_history *c, struct cs_figure_curve *curve, size_t s, double end, size_t *next) {
  const struct cs_array *time = find_event(c, "time"), *exact = find_event(c, "solution");
  const struct cs_array *before = find_event(c, "x_before"), *after = find_event(c, "x_after");
  if (time == NULL || exact == NULL || before == NULL || after == NULL) return;
  for (; *next < time->count && cs_table_number(time, *next) < end; ++*next) {
    const double t = cs_table_number(time, *next);
    if (cs_table_number(exact, *next) == 0.0) continue;
    cs_history_push(curve, t, cs_table_number(before, *next * (before->count / time->count) + s));
    cs_history_push_after(curve, t, cs_table_number(after, *next * (after->count / time->count) + s));
  }
}

/* The exact value of signal `s` in a row. */
static double exact_at(const struct cs_history *c, const struct cs_history_kind *kind, size_t row, size_t s) {
  const struct cs_array *exact = cs_history_find(c, kind->exact), *wrong = cs_history_find(c, kind->error);
  if (exact != NULL) return cs_history_at(c, exact, row, s);
  return cs_history_at(c, cs_history_find(c, kind->name), row, s) - cs_history_at(c, wrong, row, s);
}

/* Whether the exact solution of a signal can be told apart from the co-simulation in a panel of that height. */
static bool is_apart(const struct cs_history *c, const struct cs_history_kind *kind, size_t s, double height) {
  const struct cs_array *value = cs_history_find(c, kind->name);
  for (size_t row = 0; row < c->t->length; row++)
    if (cs_history_is_taken(c, row) &&
        fabs(cs_history_at(c, value, row, s) - exact_at(c, kind, row, s)) > visible * height)
      return true;
  return false;
}

/* The exact solution at the same points; a legend entry for the first. */
static int add_exact(struct cs_history *c, struct cs_figure_panel *panel, const struct cs_history_kind *kind, size_t s,
                     bool first, struct cs_error *error) {
  const struct cs_array *events = kind->jumps ? find_event(c, "time") : NULL;
  const size_t rows = c->t->length, most = rows + (events != NULL ? 3 * events->count : 0);
  struct cs_figure_curve *curve = cs_figure_add_curve(panel, most, first ? "exact solution" : NULL);
  if (curve == NULL) return cs_error_memory(error);
  curve->points = 0;
  for (size_t row = 0, next = 0; row < rows; row++) {
    if (!cs_history_is_taken(c, row)) continue;
    if (events != NULL) push_events(c, curve, s, c->t->values[row], &next);
    cs_history_push(curve, c->t->values[row], exact_at(c, kind, row, s));
  }
  cs_history_reduce(c, curve);
  curve->ink = CS_INK_EXACT;
  curve->draw = CS_DRAW_LINE;
  return CS_OK;
}

/* The range of what a panel shows so far. */
static double height_of(const struct cs_figure_panel *panel) {
  double least = INFINITY, most = -INFINITY;
  for (size_t k = 0; k < panel->curves; k++)
    for (size_t i = 0; i < panel->curve[k].points; i++) {
      least = fmin(least, panel->curve[k].y[i]);
      most = fmax(most, panel->curve[k].y[i]);
    }
  return most > least ? most - least : 0.0;
}

/* Ticks at the events of both solutions (group /events). */
static int add_marks(struct cs_history *c, struct cs_figure_panel *panel, struct cs_error *error) {
  const struct cs_array *time = find_event(c, "time"), *exact = find_event(c, "solution");
  const struct cs_array *partner = find_event(c, "partner"), *timed = find_event(c, "timed");
  if (time == NULL || exact == NULL || partner == NULL || timed == NULL) return CS_OK;
  const size_t count = time->count < CS_HISTORY_MARKS ? time->count : CS_HISTORY_MARKS;
  if (count < time->count) c->crowded = true;
  if (!cs_list_reserve(&panel->mark, count, sizeof *panel->mark)) return cs_error_memory(error);
  for (size_t i = 0; i < count; i++)
    panel->mark[panel->marks++] =
        (struct cs_figure_mark){.x = cs_table_number(time, i),
                                .above = cs_table_number(exact, i) == 0.0,
                                .alone = cs_table_number(partner, i) < 0.0 && cs_table_number(timed, i) == 0.0};
  return CS_OK;
}

/* ---- panels */

/* Whether the panel of signal `first` shows signal `s` too: both wanted, of one unit. */
static bool belongs(const struct cs_history *c, const struct cs_array *value, size_t first, size_t s) {
  return cs_history_is_wanted(c, cs_history_signals(c, value), s) &&
         strcmp(cs_history_unit(c, value, first), cs_history_unit(c, value, s)) == 0;
}

/* The panel of all signals with the unit of signal `first`; a single one is named by its axis. */
static int add_unit(struct cs_history *c, const struct cs_history_kind *kind, size_t first, size_t *drawn,
                    struct cs_error *error) {
  const struct cs_array *value = cs_history_find(c, kind->name);
  const struct cs_dimension *d = cs_history_signals(c, value);
  const size_t count = d != NULL ? d->length : 1;
  size_t alike = 0;
  for (size_t s = first; s < count; s++)
    alike += belongs(c, value, first, s);
  struct cs_text label = {0};
  if (alike == 1 && d != NULL && d->labels != NULL)
    cs_text_add(&label, "%s%s", kind->of, d->labels[first]);
  else
    cs_text_add(&label, "%s", kind->label);
  struct cs_figure_panel *panel =
      label.failed ? NULL : cs_history_add_panel(c, label.data, cs_history_unit(c, value, first));
  cs_text_free(&label);
  int code = panel != NULL ? add_marks(c, panel, error) : cs_error_memory(error);
  size_t end = first;
  for (; end < count && code == CS_OK && *drawn < c->most; end++) {
    if (!belongs(c, value, first, end)) continue;
    code = add_signal(c, panel, kind, end, alike > 1 && d->labels != NULL ? d->labels[end] : "", error);
    ++*drawn;
  }
  if (code != CS_OK || (cs_history_find(c, kind->exact) == NULL && cs_history_find(c, kind->error) == NULL))
    return code;
  const double height = height_of(panel);
  bool named = false;
  for (size_t s = first; s < end && code == CS_OK; s++) {
    if (!belongs(c, value, first, s) || !is_apart(c, kind, s, height)) continue;
    code = add_exact(c, panel, kind, s, !named, error);
    named = true;
  }
  return code;
}

int cs_history_add_signals(struct cs_history *c, const struct cs_history_kind *kind, struct cs_error *error) {
  const struct cs_array *value = cs_history_find(c, kind->name);
  const struct cs_dimension *d = cs_history_signals(c, value);
  const size_t wanted = cs_history_count(c, d);
  size_t drawn = 0;
  int code = CS_OK;
  for (size_t s = 0; s < (d != NULL ? d->length : 1) && code == CS_OK && drawn < c->most; s++) {
    bool new = cs_history_is_wanted(c, d, s);
    for (size_t k = 0; k < s; k++)
      new = new && !belongs(c, value, s, k);
    if (new) code = add_unit(c, kind, s, &drawn, error);
  }
  if (drawn < wanted) cs_text_add(&c->notes, "%zu of %zu signals of %s; --signal chooses\n", drawn, wanted, kind->name);
  return code;
}
