/* What cosweep info says of a result's axes, metrics, boundaries and runs, and of a trace. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grid.h"
#include "info.h"
#include "metric.h"
#include "words.h"

enum { COLUMNS = 79, MOST_RUNS = 4, MOST_METRICS = 8 };

static size_t width_of(const char *word) {
  size_t width = 0;
  for (; *word != '\0'; word++)
    width += ((unsigned char)*word & 0xc0) != 0x80;
  return width;
}

static const char *unit_of(const char *unit) {
  return unit == NULL || strcmp(unit, "1") == 0 || strncmp(unit, "see ", 4) == 0 ? "" : unit;
}

/* ---- axes */

/* As many of the values as there is room for, the last one always. */
static void add_values(size_t length, const double *values, char *const *labels, size_t room, struct cs_text *text) {
  struct cs_text all = {0}, end = {0};
  size_t shown = 0, fits = 0;
  if (labels != NULL)
    cs_text_add(&end, ", ... %s", labels[length - 1]);
  else
    cs_text_add(&end, ", ... %.6g", values[length - 1]);
  for (; shown < length; shown++) {
    const size_t before = all.length;
    if (labels != NULL)
      cs_text_add(&all, "%s%s", shown > 0 ? ", " : "", labels[shown]);
    else
      cs_text_add(&all, "%s%.6g", shown > 0 ? ", " : "", values[shown]);
    if (all.data == NULL || width_of(all.data) > room) {
      all.length = before;
      break;
    }
    if (width_of(all.data) + end.length <= room) fits = all.length;
  }
  if (shown < length && fits > 0)
    cs_text_add(text, "%.*s%s", (int)fits, all.data, end.data);
  else
    cs_text_add(text, "%.*s", (int)all.length, cs_text_string(&all));
  text->failed |= all.failed || end.failed;
  cs_text_free(&all);
  cs_text_free(&end);
}

/* A row of the list: name, number of values, values, and, behind them or below, what it is. */
static void add_axis(int width, const struct cs_digest_axis *axis, struct cs_text *text) {
  enum { MOST_VALUES = 8, ROOM = 46 };
  const struct cs_dimension *d = axis->dimension;
  struct cs_text what = {0};
  if (d->values != NULL && d->length > MOST_VALUES)
    cs_text_add(&what, "%.6g ... %.6g", d->values[0], d->values[d->length - 1]);
  else
    add_values(d->length, d->values, d->labels, ROOM, &what);
  if (unit_of(d->unit)[0] != '\0') cs_text_add(&what, " %s", d->unit);
  if (d->length > MOST_VALUES && cs_digest_spacing(axis->spacing)[0] != '\0')
    cs_text_add(&what, ", %s", cs_digest_spacing(axis->spacing));
  cs_text_add(text, "  %-*s %6zu  %s", width, d->name, d->length, cs_text_string(&what));
  const size_t used = (size_t)width + 11 + width_of(cs_text_string(&what));
  const bool said = d->long_name[0] == '\0' || strcmp(d->long_name, d->name) == 0;
  if (!said && used + 2 + width_of(d->long_name) <= COLUMNS) cs_text_add(text, "  %s", d->long_name);
  cs_text_add(text, "\n");
  if (!said && used + 2 + width_of(d->long_name) > COLUMNS) cs_add_paragraph(text, width + 11, d->long_name);
  text->failed |= what.failed;
  cs_text_free(&what);
}

static void add_axes(const struct cs_digest *d, struct cs_text *text) {
  int width = 6;
  cs_text_add(text, "\naxes%s\n", d->axes == 0 ? ": none" : "");
  for (size_t i = 0; i < d->axes; i++)
    if ((int)strlen(d->axis[i].dimension->name) > width) width = (int)strlen(d->axis[i].dimension->name);
  for (size_t i = 0; i < d->axes; i++) {
    add_axis(width, &d->axis[i], text);
    for (size_t c = 0; c < d->columns; c++) {
      const struct cs_array *array = d->column[c].array;
      if (d->column[c].axis != i || array == NULL) continue;
      cs_text_add(text, "%*s%s: ", width + 11, "", d->column[c].name);
      add_values(array->count, array->type == CS_TEXT ? NULL : array->data.float64,
                 array->type == CS_TEXT ? array->data.text : NULL,
                 (size_t)(COLUMNS - width - 13) - strlen(d->column[c].name), text);
      cs_text_add(text, "\n");
    }
  }
}

/* ---- metrics */

/* "  smallest  3.77e-09  oscillator1.tau1, solver exact, H 0.001" */
static void add_point(const struct cs_digest *d, const struct cs_digest_metric *m, const char *word,
                      const struct cs_digest_point *point, struct cs_text *text) {
  struct cs_text line = {0};
  if (m->signals != NULL && m->signals->labels != NULL)
    cs_text_add(&line, "%s: ", m->signals->labels[point->signal]);
  else if (m->signals != NULL)
    cs_text_add(&line, "%s %.0f: ", m->signals->name, m->signals->values[point->signal]);
  cs_digest_add_place(d, point->run, CS_DIGEST_NONE, &line);
  const size_t start = text->length;
  cs_add_paragraph(text, 25, cs_text_string(&line));
  char head[32];
  snprintf(head, sizeof head, "    %-8s %10.4g", word, point->value);
  if (!text->failed && text->length > start) memcpy(text->data + start, head, strlen(head));
  text->failed |= line.failed;
  cs_text_free(&line);
}

/* Counts and steps tell little by where they are largest; with many metrics none says where. */
static bool says_where(const struct cs_digest *d, const struct cs_digest_metric *m) {
  return d->runs > 1 && d->metrics <= MOST_METRICS && m->numbers > 0 && m->least.value < m->largest.value &&
         m->array->type == CS_FLOAT64 &&
         (m->signals != NULL || strcmp(m->array->name, cs_metric_table[CS_SPECTRAL_RADIUS].name) == 0);
}

/* In ten columns. */
static void add_value(const struct cs_digest_metric *m, double value, struct cs_text *text) {
  struct cs_text word = {0};
  if (m->numbers == 0)
    cs_text_add(&word, "-");
  else if (m->array->type == CS_INT64)
    cs_add_count(&word, value);
  else
    cs_text_add(&word, "%.4g", value);
  cs_text_add(text, "%10s", cs_text_string(&word));
  text->failed |= word.failed;
  cs_text_free(&word);
}

static void add_metrics(const struct cs_digest *d, struct cs_text *text) {
  int width = 6;
  for (size_t i = 0; i < d->metrics; i++)
    if ((int)strlen(d->metric[i].array->name) > width) width = (int)strlen(d->metric[i].array->name);
  cs_text_add(text, "\n%-*s  %-12s %10s  %10s\n", width + 2, "metrics", "", "smallest", "largest");
  for (size_t i = 0; i < d->metrics; i++) {
    const struct cs_digest_metric *m = &d->metric[i];
    struct cs_text over = {0};
    if (m->signals != NULL)
      cs_text_add(&over, "%zu %s%s", m->signals->length, m->signals->name, m->signals->length == 1 ? "" : "s");
    cs_text_add(text, "  %-*s  %-12s ", width, m->array->name, cs_text_string(&over));
    text->failed |= over.failed;
    cs_text_free(&over);
    add_value(m, m->least.value, text);
    cs_text_add(text, "  ");
    add_value(m, m->largest.value, text);
    struct cs_text units = {0};
    cs_digest_add_units(d, m, &units);
    if (units.data != NULL && (size_t)width + 40 + width_of(units.data) <= COLUMNS)
      cs_text_add(text, "  %s", units.data);
    else if (units.data != NULL && m->signals != NULL)
      cs_text_add(text, "  see %s_units", m->signals->name);
    cs_text_free(&units);
    cs_text_add(text, "\n");
    if (!says_where(d, m)) continue;
    add_point(d, m, "smallest", &m->least, text);
    add_point(d, m, "largest", &m->largest, text);
  }
}

/* ---- boundaries */

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

/* Smallest and largest of the values that are there. */
static void add_range(const char *what, const struct cs_array *array, struct cs_text *text) {
  double least = NAN, most = NAN;
  for (size_t i = 0; i < array->count; i++) {
    least = fmin(least, cs_array_number(array, i));
    most = fmax(most, cs_array_number(array, i));
  }
  cs_text_add(text, "  %-13s", what);
  if (isnan(least))
    cs_text_add(text, "none");
  else
    cs_text_add(text, "%.10g", least);
  if (least < most) cs_text_add(text, " ... %.10g", most);
  if (unit_of(array->unit)[0] != '\0') cs_text_add(text, " %s", array->unit);
  cs_text_add(text, "\n");
}

/* Limits of stability along an axis, and refined maps. */
static void add_boundaries(const struct cs_table *table, struct cs_text *text) {
  for (size_t i = 0; i < table->arrays; i++) {
    const struct cs_array *most = &table->array[i];
    struct cs_text name = {0};
    if (!ends_with(most->name, "_stable_max") || most->type != CS_FLOAT64) continue;
    const int length = (int)(strlen(most->name) - strlen("_stable_max"));
    cs_text_add(&name, "%.*s_crossings", length, most->name);
    const struct cs_array *crossings = name.failed ? NULL : cs_table_find(table, name.data);
    cs_text_free(&name);
    if (crossings == NULL) continue;
    cs_text_add(text, "\nboundary along %.*s\n", length, most->name);
    add_range("stable up to", most, text);
    add_range("crossings", crossings, text);
  }
  if (table->group == NULL || table->group->dimensions == 0) return;
  cs_text_add(text, "\ngroup %s: ", table->group->name);
  cs_add_count(text, (double)table->group->dimension[0].length);
  cs_text_add(text, " %s\n", table->group->title);
}

/* ---- best, worst and failed runs */

static void add_ranked(const struct cs_digest *d, struct cs_grid *grid, const char *word,
                       const struct cs_digest_point *point) {
  const struct cs_dimension *signals =
      d->judge->dimensions > d->axes ? &d->table->dimension[d->judge->dimension[d->axes]] : NULL;
  struct cs_text cell = {0};
  cs_grid_add(grid, "%s", word);
  cs_grid_add(grid, "%.4g", point->value);
  if (d->cost != NULL) cs_add_count(&cell, (double)d->cost->data.int64[point->run]);
  if (d->cost != NULL) cs_grid_add(grid, "%s", cs_text_string(&cell));
  if (signals != NULL) cs_grid_add(grid, "%s", signals->labels != NULL ? signals->labels[point->signal] : "");
  for (size_t c = 0; c < d->columns; c++) {
    if (d->axis[d->column[c].axis].dimension->length == 1) continue;
    cs_text_free(&cell);
    cs_digest_add_cell(d, c, point->run, 4, &cell);
    cs_grid_add(grid, "%s", cs_text_string(&cell));
  }
  grid->failed |= cell.failed;
  cs_text_free(&cell);
}

static void add_best(const struct cs_digest *d, struct cs_text *text) {
  static const char *const place[CS_DIGEST_BEST] = {"best", "2nd", "3rd"};
  struct cs_grid grid = {.columns = 0};
  if (d->ranked == 0) return;
  const bool signals = d->judge->dimensions > d->axes;
  cs_text_add(text, "\nbest and worst runs by %s%s\n", d->judge->name, signals ? ", the largest of a run" : "");
  cs_grid_add(&grid, "%s", "");
  cs_grid_add(&grid, "%s", signals ? "largest" : "value");
  if (d->cost != NULL) cs_grid_add(&grid, "%s", d->cost->name);
  if (signals) cs_grid_add(&grid, "of");
  grid.firm = 2 + (d->cost != NULL) + signals;
  grid.left[0] = true;
  grid.left[grid.firm - 1] = signals;
  grid.columns = grid.firm;
  for (size_t c = 0; c < d->columns && grid.columns < CS_GRID_COLUMNS; c++) {
    const struct cs_dimension *axis = d->axis[d->column[c].axis].dimension;
    if (axis->length == 1) continue;
    grid.left[grid.columns++] = d->column[c].array != NULL ? d->column[c].array->type == CS_TEXT : axis->labels != NULL;
    cs_grid_add(&grid, "%s", d->column[c].name);
  }
  for (size_t i = 0; i < d->ranked; i++)
    add_ranked(d, &grid, place[i], &d->best[i]);
  for (size_t i = d->ranked; i-- > 0;)
    add_ranked(d, &grid, i == 0 ? "worst" : "", &d->worst[i]);
  cs_grid_print(&grid, text);
}

/* Where failures are: "H 0.5 ... 1, order 2, 3"; axes all along which they happen are left out. */
static void add_region(const struct cs_digest *d, const struct cs_digest_failure *f, struct cs_text *text) {
  const size_t start = text->length;
  for (size_t a = 0; a < d->axes; a++) {
    const struct cs_dimension *axis = d->axis[a].dimension;
    if (f->last[a] - f->first[a] + 1 == axis->length) continue;
    cs_text_add(text, "%s%s ", text->length > start ? ", " : "all of them within ", axis->name);
    for (size_t end = 0; end < 2 && (end == 0 || f->first[a] < f->last[a]); end++) {
      const size_t at = end == 0 ? f->first[a] : f->last[a];
      if (axis->labels != NULL)
        cs_text_add(text, "%s%s", end == 1 ? " ... " : "", axis->labels[at]);
      else
        cs_text_add(text, "%s%.4g", end == 1 ? " ... " : "", axis->values[at]);
    }
  }
}

static void add_failures(const struct cs_digest *d, struct cs_text *text) {
  if (d->failures > 0) cs_text_add(text, "\nruns that did not succeed\n");
  for (size_t i = 0; i < d->failures; i++) {
    const struct cs_digest_failure *f = &d->failure[i];
    struct cs_text line = {0};
    cs_add_count(&line, (double)f->count);
    cs_text_add(&line, " %s: %s", cs_digest_status(f->status), cs_digest_reason(f->status));
    if (line.data != NULL) cs_add_paragraph(text, 2, line.data);
    cs_text_free(&line);
    add_region(d, f, &line);
    if (line.data != NULL && f->count > 1) cs_add_paragraph(text, 4, line.data);
    for (size_t r = 0; r < f->count && r < MOST_RUNS; r++) {
      cs_text_free(&line);
      cs_text_add(&line, "run %zu: ", f->run[r]);
      cs_digest_add_place(d, f->run[r], CS_DIGEST_NONE, &line);
      if (cs_digest_steps(d, f->run[r]) > 0)
        cs_text_add(&line, ", after %lld steps", (long long)cs_digest_steps(d, f->run[r]));
      if (line.data != NULL) cs_add_paragraph(text, 4, line.data);
    }
    if (f->count > MOST_RUNS) cs_text_add(text, "    and %zu more; --json lists all\n", f->count - MOST_RUNS);
    text->failed |= line.failed;
    cs_text_free(&line);
  }
}

void cs_info_add_result(const struct cs_digest *digest, struct cs_text *text) {
  add_axes(digest, text);
  add_metrics(digest, text);
  add_boundaries(digest->table, text);
  cs_info_add_orders(digest, text);
  add_best(digest, text);
  add_failures(digest, text);
}

/* ---- traces */

static void add_steps(const struct cs_digest_trace *t, struct cs_text *text) {
  const char *at = cs_digest_text(t->table, "at");
  if (at[0] != '\0') {
    cs_text_add(text, "run       %.0f", cs_digest_number(t->table, "run"));
    cs_text_add(text, ": %s\n", at);
  }
  cs_text_add(text, "time      %.6g ... %.6g s\n", t->t_first, t->t_last);
  cs_text_add(text, "ended     %s%s\n", cs_digest_status(t->status), t->status == 0 ? "" : ":");
  if (t->status != 0) cs_add_paragraph(text, 12, cs_digest_reason(t->status));
  cs_text_add(text, "steps     ");
  cs_add_count(text, (double)t->steps);
  cs_text_add(text, " taken, ");
  cs_add_count(text, (double)t->rejected);
  cs_text_add(text, " rejected");
  if (t->events > 0) cs_text_add(text, ", events at %zu point%s", t->events, t->events == 1 ? "" : "s");
  cs_text_add(text, "\n");
  if (t->steps == 0) return;
  if (t->largest - t->least <= 1e-9 * t->largest) {
    cs_text_add(text, "H         %.6g s\n", t->largest);
    return;
  }
  cs_text_add(text, "H         %.4g s (to t = %.4g) ... %.4g s (to t = %.4g), mean %.4g s\n", t->least, t->least_at,
              t->largest, t->largest_at, t->mean);
}

void cs_info_add_trace(const struct cs_digest_trace *t, struct cs_text *text) {
  struct cs_grid grid = {.columns = 5, .firm = 5, .left = {true, true}};
  size_t most = 40;
  add_steps(t, text);
  cs_text_add(text, "\ncourses\n");
  cs_grid_add(&grid, "variable");
  cs_grid_add(&grid, "of");
  cs_grid_add(&grid, "at the end");
  cs_grid_add(&grid, "largest |.|");
  cs_grid_add(&grid, "at t");
  for (size_t i = 0; i < t->courses && i < most; i++) {
    const struct cs_digest_course *c = &t->course[i];
    cs_grid_add(&grid, "%s", c->signal == 0 ? c->array->name : "");
    cs_grid_add(&grid, "%s", c->signals != NULL && c->signals->labels != NULL ? c->signals->labels[c->signal] : "");
    cs_grid_add(&grid, isnan(c->end) ? "-" : "%.6g", c->end);
    cs_grid_add(&grid, isnan(c->largest) ? "-" : "%.4g", c->largest);
    cs_grid_add(&grid, isnan(c->at) ? "-" : "%.4g", c->at);
  }
  cs_grid_print(&grid, text);
  if (t->courses > most) cs_text_add(text, "  and %zu more; --json lists all\n", t->courses - most);
}
