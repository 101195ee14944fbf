/* Axes, metrics, boundaries and runs of a result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "info_private.h"
#include "metric.h"
#include "status.h"
#include "words.h"

enum { COLUMNS = 79, MOST_METRICS = 8, MOST_ROWS = 1000, MOST_OPEN = 24 };

static size_t width_of(const char *word) {
  size_t width = 0;
  for (; *word != '\0'; word++)
    width += ((unsigned char)*word & 0xc0) != 0x80;
  return width;
}

static const char *unit_of(const char *unit) {
  return unit == NULL || strcmp(unit, "1") == 0 || strncmp(unit, "see ", 4) == 0 ? "" : unit;
}

void cs_info_add_rest(struct cs_document *document, int indent, size_t count) {
  const char *program = document->medium == CS_PAGE ? "cosweep info " : "";
  cs_document_words(document, CS_TONE_DIM, indent, "and %zu more; %s--json lists all", count, program);
}

/* ---- settings of a run */

/* Axes with a single value do not distinguish runs. */
bool cs_info_shows(const struct cs_digest *d, size_t column, size_t without) {
  const size_t axis = d->column[column].axis;
  return axis != without && d->axis[axis].dimension->length > 1;
}

void cs_info_add_setting_heads(struct cs_grid *grid, const struct cs_digest *d, size_t without) {
  for (size_t c = 0; c < d->columns; c++)
    if (cs_info_shows(d, c, without))
      cs_grid_head(grid, d->column[c].labels != NULL ? CS_GRID_LEFT : CS_GRID_RIGHT, "%s", d->column[c].name);
}

void cs_info_add_settings(struct cs_grid *grid, const struct cs_digest *d, size_t run, size_t without) {
  for (size_t c = 0; c < d->columns; c++) {
    struct cs_text cell = {0};
    if (!cs_info_shows(d, c, without)) continue;
    cs_runs_add_value(&d->over, &d->column[c], run, &cell);
    cs_grid_take(grid, &cell);
  }
}

/* ---- axes */

/* As many of the values as fit in `room` columns, always including the last one. */
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

/* The values of an axis; more than `most` numbers as a range. */
static void add_range(const struct cs_digest_axis *axis, size_t most, size_t room, struct cs_text *text) {
  const struct cs_dimension *d = axis->dimension;
  if (d->values != NULL && d->length > most)
    cs_text_add(text, "%.6g ... %.6g", d->values[0], d->values[d->length - 1]);
  else
    add_values(d->length, d->values, d->labels, room, text);
}

/* "d1: 0.2, 0.5": one of several settings that an axis changes together. */
static void add_column(const struct cs_runs_column *column, size_t room, struct cs_text *text) {
  cs_text_add(text, "%s: ", column->name);
  add_values(column->array->count, column->values, column->labels, room - strlen(column->name) - 2, text);
}

static void add_axis_row(struct cs_grid *grid, const struct cs_digest *d, size_t index) {
  enum { MOST_VALUES = 12, ROOM = 200 };
  const struct cs_digest_axis *axis = &d->axis[index];
  const struct cs_dimension *dimension = axis->dimension;
  struct cs_text values = {0}, spacing = {0};
  if (axis->design == NULL) add_range(axis, MOST_VALUES, ROOM, &values);
  for (size_t c = 0; c < d->columns; c++) {
    if (d->column[c].axis != index || d->column[c].array == NULL) continue;
    cs_text_add(&values, "%s", values.length > 0 ? "\n" : "");
    add_column(&d->column[c], ROOM, &values);
  }
  cs_grid_add(grid, "%s", dimension->name);
  cs_grid_add(grid, "%zu", dimension->length);
  cs_grid_take(grid, &values);
  cs_grid_add(grid, "%s", unit_of(dimension->unit));
  cs_digest_add_spacing(axis, &spacing);
  cs_grid_take(grid, &spacing);
  cs_grid_add(grid, "%s", strcmp(dimension->long_name, axis->paths) == 0 ? "" : dimension->long_name);
  cs_grid_add(grid, "%s", axis->paths);
}

static void add_axis_table(struct cs_document *document, const struct cs_digest *d) {
  struct cs_grid grid = {0};
  cs_grid_head(&grid, CS_GRID_LEFT, "axis");
  cs_grid_head(&grid, CS_GRID_RIGHT, "values");
  cs_grid_head(&grid, CS_GRID_LEFT, "from ... to");
  cs_grid_head(&grid, CS_GRID_LEFT, "unit");
  cs_grid_head(&grid, CS_GRID_LEFT, "spacing");
  cs_grid_head(&grid, CS_GRID_LEFT_DIM, "description");
  cs_grid_head(&grid, CS_GRID_LEFT_CODE, "moves");
  for (size_t i = 0; i < d->axes; i++)
    add_axis_row(&grid, d, i);
  cs_document_table(document, &grid, NULL);
}

/* A row of the list on a terminal: name, number of values, values, and the description beside or below them. */
static void add_axis(struct cs_document *document, int width, const struct cs_digest_axis *axis) {
  enum { MOST_VALUES = 8, ROOM = 46 };
  const struct cs_dimension *d = axis->dimension;
  struct cs_text what = {0};
  if (axis->design == NULL) add_range(axis, MOST_VALUES, ROOM, &what);
  if (unit_of(d->unit)[0] != '\0') cs_text_add(&what, " %s", d->unit);
  if (axis->design == NULL && d->length > MOST_VALUES && cs_digest_spacing(axis->spacing)[0] != '\0')
    cs_text_add(&what, ", ");
  if (axis->design != NULL || d->length > MOST_VALUES) cs_digest_add_spacing(axis, &what);
  const size_t used = (size_t)width + 11 + width_of(cs_text_string(&what));
  const bool said = d->long_name[0] == '\0' || strcmp(d->long_name, d->name) == 0;
  const bool beside = !said && used + 2 + width_of(d->long_name) <= COLUMNS;
  cs_document_line(document, "  %-*s %6zu  %s%s%s", width, d->name, d->length, cs_text_string(&what),
                   beside ? "  " : "", beside ? d->long_name : "");
  if (!said && !beside) cs_document_words(document, CS_TONE_PLAIN, width + 11, "%s", d->long_name);
  cs_document_free_text(document, &what);
}

static void add_axis_list(struct cs_document *document, const struct cs_digest *d) {
  int width = 6;
  for (size_t i = 0; i < d->axes; i++)
    if ((int)strlen(d->axis[i].dimension->name) > width) width = (int)strlen(d->axis[i].dimension->name);
  for (size_t i = 0; i < d->axes; i++) {
    add_axis(document, width, &d->axis[i]);
    for (size_t c = 0; c < d->columns; c++) {
      struct cs_text values = {0};
      if (d->column[c].axis != i || d->column[c].array == NULL) continue;
      add_column(&d->column[c], (size_t)(COLUMNS - width - 11), &values);
      cs_document_line(document, "%*s%s", width + 11, "", cs_text_string(&values));
      cs_document_free_text(document, &values);
    }
  }
}

void cs_info_add_axes(struct cs_document *document, const struct cs_digest *d) {
  cs_document_section(document, "axes", "axes", "axes%s", d->axes == 0 ? ": none" : "");
  if (document->medium == CS_TERMINAL)
    add_axis_list(document, d);
  else if (d->axes > 0)
    add_axis_table(document, d);
  else
    cs_document_words(document, CS_TONE_PLAIN, 2, "A single run.");
}

/* ---- metrics */

/* "-" if there are no numbers. */
static void add_value(const struct cs_digest_metric *m, double value, struct cs_text *text) {
  if (m->numbers == 0)
    cs_text_add(text, "-");
  else if (m->array->type == CS_INT64)
    cs_words_add_count(text, value);
  else
    cs_text_add(text, "%.4g", value);
}

static void add_signal(const struct cs_dimension *signals, size_t signal, struct cs_text *text) {
  if (signals == NULL || signal == CS_DIGEST_NONE) return;
  if (signals->labels != NULL)
    cs_text_add(text, "%s", signals->labels[signal]);
  else
    cs_text_add(text, "%s %.0f", signals->name, signals->values[signal]);
}

/* "  smallest  3.77e-09  oscillator1.tau1: solver exact, H 0.001" */
static void add_point(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_metric *m,
                      const char *word, const struct cs_digest_point *point) {
  struct cs_text line = {0}, lines = {0};
  char head[32];
  add_signal(m->signals, point->signal, &line);
  if (m->signals != NULL) cs_text_add(&line, ": ");
  cs_digest_add_place(d, point->run, CS_DIGEST_NONE, &line);
  cs_words_add_paragraph(&lines, 25, cs_text_string(&line));
  snprintf(head, sizeof head, "    %-8s %10.4g", word, point->value);
  if (lines.length > strlen(head)) {
    memcpy(lines.data, head, strlen(head));
    lines.data[lines.length - 1] = '\0'; /* cs_document_line ends the line */
  }
  cs_document_line(document, "%s", cs_text_string(&lines));
  cs_document_free_text(document, &line);
  cs_document_free_text(document, &lines);
}

/* Whether to print where the extremes are: of error-like metrics, and only if there are few. */
static bool says_where(const struct cs_digest *d, const struct cs_digest_metric *m) {
  return d->runs > 1 && d->metrics <= MOST_METRICS && m->numbers > 0 && m->least.value < m->largest.value &&
         m->array->type == CS_FLOAT64 &&
         (m->signals != NULL || strcmp(m->array->name, cs_metric_table[CS_SPECTRAL_RADIUS].name) == 0);
}

static void add_metric(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_metric *m,
                       int width) {
  struct cs_text over = {0}, least = {0}, largest = {0}, units = {0};
  if (m->signals != NULL) cs_words_add_number(&over, m->signals->length, m->signals->name);
  add_value(m, m->least.value, &least);
  add_value(m, m->largest.value, &largest);
  cs_digest_add_units(d, m, &units);
  const bool fits = units.data == NULL || (size_t)width + 40 + width_of(units.data) <= COLUMNS;
  if (!fits) cs_text_free(&units);
  if (!fits && m->signals != NULL) cs_text_add(&units, "see %s_units", m->signals->name);
  cs_document_line(document, "  %-*s  %-12s %10s  %10s%s%s", width, m->array->name, cs_text_string(&over),
                   cs_text_string(&least), cs_text_string(&largest), units.data != NULL ? "  " : "",
                   cs_text_string(&units));
  cs_document_free_text(document, &over);
  cs_document_free_text(document, &least);
  cs_document_free_text(document, &largest);
  cs_document_free_text(document, &units);
}

static void add_metric_list(struct cs_document *document, const struct cs_digest *d) {
  int width = 6;
  for (size_t i = 0; i < d->metrics; i++)
    if ((int)strlen(d->metric[i].array->name) > width) width = (int)strlen(d->metric[i].array->name);
  cs_document_part(document, "%-*s  %-12s %10s  %10s", width + 2, "metrics", "", "smallest", "largest");
  for (size_t i = 0; i < d->metrics; i++) {
    const struct cs_digest_metric *m = &d->metric[i];
    add_metric(document, d, m, width);
    if (!says_where(d, m)) continue;
    add_point(document, d, m, "smallest", &m->least);
    add_point(document, d, m, "largest", &m->largest);
  }
}

/* Whether each signal has a unit of its own. */
static bool has_units(const struct cs_digest_metric *m) {
  return m->signals != NULL && strncmp(m->array->unit, "see ", 4) == 0;
}

/* The value of a point, and its signal, with its unit where those of signals differ, and run. */
static void add_end(struct cs_grid *grid, const struct cs_digest *d, const struct cs_digest_metric *m,
                    const struct cs_digest_point *point) {
  struct cs_text value = {0}, signal = {0}, place = {0};
  add_value(m, point->value, &value);
  if (m->numbers > 0) add_signal(m->signals, point->signal, &signal);
  const struct cs_array *units = m->numbers > 0 && has_units(m) ? cs_runs_units(d->table, m->signals) : NULL;
  if (units != NULL && units->data.text[point->signal][0] != '\0')
    cs_text_add(&signal, " [%s]", units->data.text[point->signal]);
  if (m->numbers > 0 && d->runs > 1) cs_digest_add_place(d, point->run, CS_DIGEST_NONE, &place);
  cs_grid_take(grid, &value);
  cs_grid_take(grid, &signal);
  cs_grid_more(grid, &place);
}

static void add_metric_table(struct cs_document *document, const struct cs_digest *d) {
  struct cs_grid grid = {0};
  cs_document_section(document, "metrics", "metrics", "metrics");
  cs_document_words(document, CS_TONE_DIM, 2, "Over the runs that succeeded.");
  cs_grid_head(&grid, CS_GRID_LEFT, "metric");
  cs_grid_head(&grid, CS_GRID_RIGHT, "smallest");
  cs_grid_head(&grid, CS_GRID_LEFT, "at");
  cs_grid_head(&grid, CS_GRID_RIGHT, "largest");
  cs_grid_head(&grid, CS_GRID_LEFT, "at");
  cs_grid_head(&grid, CS_GRID_LEFT, "unit");
  for (size_t i = 0; i < d->metrics; i++) {
    const struct cs_digest_metric *m = &d->metric[i];
    struct cs_text what = {0}, units = {0};
    cs_grid_add(&grid, "%s", m->array->name);
    cs_text_add(&what, "%s", m->array->long_name);
    cs_grid_more(&grid, &what);
    add_end(&grid, d, m, &m->least);
    add_end(&grid, d, m, &m->largest);
    if (!has_units(m)) cs_digest_add_units(d, m, &units);
    cs_grid_take(&grid, &units);
  }
  cs_document_table(document, &grid, NULL);
}

void cs_info_add_metrics(struct cs_document *document, const struct cs_digest *d) {
  if (document->medium == CS_TERMINAL)
    add_metric_list(document, d);
  else
    add_metric_table(document, d);
}

/* ---- best and worst runs */

static const struct cs_dimension *signals_of(const struct cs_digest *d) {
  return d->judge->dimensions > d->axes ? &d->table->dimension[d->judge->dimension[d->axes]] : NULL;
}

static void add_ranked(struct cs_grid *grid, const struct cs_digest *d, const char *word,
                       const struct cs_digest_point *point) {
  struct cs_text cost = {0}, signal = {0};
  cs_grid_add(grid, "%s", word);
  cs_grid_add(grid, "%.4g", point->value);
  if (d->cost != NULL) cs_words_add_count(&cost, (double)cs_table_int64(d->cost, point->run));
  if (d->cost != NULL) cs_grid_take(grid, &cost);
  if (signals_of(d) != NULL) {
    add_signal(signals_of(d), point->signal, &signal);
    cs_grid_take(grid, &signal);
  }
  cs_info_add_settings(grid, d, point->run, CS_DIGEST_NONE);
}

void cs_info_add_best(struct cs_document *document, const struct cs_digest *d) {
  static const char *const place[CS_DIGEST_BEST] = {"best", "2nd", "3rd"};
  struct cs_grid grid = {0};
  if (d->ranked == 0) return;
  const bool signals = signals_of(d) != NULL;
  cs_document_section(document, "runs", "best and worst", "best and worst runs by %s%s", d->judge->name,
                      signals ? ", the largest of a run" : "");
  cs_grid_head(&grid, CS_GRID_LEFT, "%s", "");
  cs_grid_head(&grid, CS_GRID_RIGHT, "%s", signals ? "largest" : "value");
  if (d->cost != NULL) cs_grid_head(&grid, CS_GRID_RIGHT, "%s", d->cost->name);
  if (signals) cs_grid_head(&grid, CS_GRID_LEFT, "of");
  grid.firm = grid.columns;
  cs_info_add_setting_heads(&grid, d, CS_DIGEST_NONE);
  for (size_t i = 0; i < d->ranked; i++)
    add_ranked(&grid, d, place[i], &d->best[i]);
  for (size_t i = d->ranked; i-- > 0;)
    add_ranked(&grid, d, i == 0 ? "worst" : "", &d->worst[i]);
  cs_document_table(document, &grid, NULL);
  if (d->tied > 1) {
    struct cs_text count = {0};
    cs_words_add_count(&count, (double)d->tied);
    cs_document_words(document, CS_TONE_PLAIN, 2, "%s runs tie for the best.", cs_text_string(&count));
    cs_document_free_text(document, &count);
  }
  if (d->floor.run != CS_DIGEST_NONE)
    cs_document_words(document, CS_TONE_NOTE, 2,
                      "%s does not fall below %.3g from %s %.3g down: the first step, method.step.initial %.4g s, is "
                      "never rejected and the largest of these runs. A smaller one helps.",
                      d->judge->name, d->floor.value, d->axis[d->floor.axis].dimension->name, d->floor.tolerance,
                      d->floor.initial);
}
