/* Pieces of the panels of a trace. */
#include "history.h"

#include <math.h>
#include <string.h>

#include "list.h"

/* ---- values */

const struct cs_array *cs_history_find(const struct cs_history *c, const char *name) {
  const struct cs_array *array = name != NULL ? cs_table_find(c->table, name) : NULL;
  return array != NULL && array->type != CS_TEXT ? array : NULL;
}

double cs_history_at(const struct cs_history *c, const struct cs_array *array, size_t row, size_t s) {
  return cs_table_number(array, row * (array->count / c->t->length) + s);
}

bool cs_history_is_taken(const struct cs_history *c, size_t row) {
  return cs_table_number(c->accepted, row) != 0.0;
}

/* ---- signals */

const struct cs_dimension *cs_history_signals(const struct cs_history *c, const struct cs_array *array) {
  return array->dimensions > 1 ? &c->table->dimension[array->dimension[1]] : NULL;
}

bool cs_history_is_wanted(const struct cs_history *c, const struct cs_dimension *signals, size_t s) {
  if (c->request->signal == NULL || signals == NULL || signals->labels == NULL) return true;
  return strcmp(signals->labels[s], c->request->signal) == 0;
}

size_t cs_history_count(const struct cs_history *c, const struct cs_dimension *signals) {
  size_t count = 0;
  for (size_t s = 0; s < (signals != NULL ? signals->length : 1); s++)
    count += cs_history_is_wanted(c, signals, s);
  return count;
}

const char *cs_history_unit(const struct cs_history *c, const struct cs_array *array, size_t s) {
  const char *unit = strcmp(array->unit, "1") != 0 ? array->unit : "";
  if (strncmp(unit, "see ", 4) != 0) return unit;
  const size_t last = array->dimension[array->dimensions - 1];
  const struct cs_array *units = cs_runs_units(c->table, &c->table->dimension[last]);
  unit = units != NULL ? units->data.text[s] : "";
  return strcmp(unit, "1") != 0 ? unit : "";
}

struct cs_figure_panel *cs_history_add_panel(struct cs_history *c, const char *label, const char *unit) {
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

/* ---- points */

void cs_history_push(struct cs_figure_curve *curve, double x, double y) {
  if (isnan(x) || isnan(y)) return;
  curve->x[curve->points] = x;
  curve->y[curve->points++] = y;
}

void cs_history_push_after(struct cs_figure_curve *curve, double x, double y) {
  if (curve->points > 0 && !isnan(y) && y != curve->y[curve->points - 1]) {
    curve->x[curve->points] = x;
    curve->y[curve->points++] = NAN;
  }
  cs_history_push(curve, x, y);
}

void cs_history_reduce(struct cs_history *c, struct cs_figure_curve *curve) {
  if (curve->points <= CS_HISTORY_POINTS) return;
  const size_t stretches = CS_HISTORY_POINTS / 2, of = curve->points;
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
