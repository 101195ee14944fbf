/* Fitted orders beside theory, as cosweep info prints them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "info.h"
#include "words.h"

enum { COLUMNS = 79, MOST_ROWS = 24, MOST_DEVIATING = 5 };

/* "1.5", "0" where the metric is zero, "-" where theory says nothing. */
static void add_expected(struct cs_grid *grid, double expected) {
  if (isnan(expected))
    cs_grid_add(grid, "-");
  else if (isinf(expected))
    cs_grid_add(grid, "zero");
  else
    cs_grid_add(grid, "%.3g", expected);
}

/* Whether theory says the same of all signals of every row. */
static bool expects_alike(const struct cs_digest_fit *f) {
  for (size_t i = 0; i < f->rows * f->columns; i++) {
    const double here = f->order[i].expected, first = f->order[i / f->columns * f->columns].expected;
    if (!(here == first || (isnan(here) && isnan(first)))) return false;
  }
  return true;
}

/* "1.98", with theory behind it where signals differ: "1.98 (2)". */
static void add_cell(struct cs_grid *grid, const struct cs_digest_order *o, bool alike) {
  char number[32] = "-", theory[32] = "";
  if (!isnan(o->order)) snprintf(number, sizeof number, "%.2f", o->order);
  if (!alike && isinf(o->expected))
    snprintf(theory, sizeof theory, " (0)");
  else if (!alike && !isnan(o->expected))
    snprintf(theory, sizeof theory, " (%.3g)", o->expected);
  cs_grid_add(grid, "%s%s%s", o->verdict == CS_VERDICT_DEVIATES ? "! " : "", number, theory);
}

static bool is_word(const struct cs_digest *d, size_t column) {
  const struct cs_digest_column *c = &d->column[column];
  return c->array != NULL ? c->array->type == CS_TEXT : d->axis[c->axis].dimension->labels != NULL;
}

/* Settings that differ between rows. */
static bool is_shown(const struct cs_digest *d, const struct cs_digest_fit *f, size_t column) {
  const size_t axis = d->column[column].axis;
  return axis != f->axis && d->axis[axis].dimension->length > 1;
}

static size_t count_settings(const struct cs_digest *d, const struct cs_digest_fit *f) {
  size_t count = 0;
  for (size_t c = 0; c < d->columns; c++)
    count += is_shown(d, f, c);
  return count;
}

static void add_settings(const struct cs_digest *d, const struct cs_digest_fit *f, size_t run, struct cs_grid *grid) {
  for (size_t c = 0; c < d->columns; c++) {
    struct cs_text cell = {0};
    if (!is_shown(d, f, c)) continue;
    cs_digest_add_cell(d, c, run, 4, &cell);
    cs_grid_add(grid, "%s", cs_text_string(&cell));
    grid->failed |= cell.failed;
    cs_text_free(&cell);
  }
}

static void add_heads(const struct cs_digest *d, const struct cs_digest_fit *f, struct cs_grid *grid) {
  size_t column = grid->columns;
  for (size_t c = 0; c < d->columns; c++) {
    if (!is_shown(d, f, c)) continue;
    grid->left[column++] = is_word(d, c);
    cs_grid_add(grid, "%s", d->column[c].name);
  }
  grid->columns = column;
}

static const char *signal_name(const struct cs_digest_fit *f, size_t column) {
  return f->signals != NULL && f->signals->labels != NULL ? f->signals->labels[column] : "order";
}

/* Of the widest of a column's values, its head included. */
static size_t setting_width(const struct cs_digest *d, size_t column) {
  const struct cs_digest_column *c = &d->column[column];
  size_t width = strlen(c->name), stride = 1;
  for (size_t a = c->axis + 1; a < d->axes; a++)
    stride *= d->axis[a].dimension->length;
  for (size_t i = 0; i < d->axis[c->axis].dimension->length; i++) {
    struct cs_text cell = {0};
    cs_digest_add_cell(d, column, i * stride, 4, &cell);
    if (cell.length > width) width = cell.length;
    cs_text_free(&cell);
  }
  return width;
}

/* Whether a table of a row for each combination and a column for each signal has room. */
static bool is_small(const struct cs_digest *d, const struct cs_digest_fit *f) {
  const bool alike = expects_alike(f);
  const size_t cell = strlen(alike ? "1.50" : "1.50 (1.5)") + (f->verdicts[CS_VERDICT_DEVIATES] > 0 ? 2 : 0);
  size_t width = alike ? strlen("  theory") : 0;
  for (size_t c = 0; c < d->columns; c++)
    if (is_shown(d, f, c)) width += 2 + setting_width(d, c);
  for (size_t s = 0; s < f->columns; s++)
    width += 2 + (strlen(signal_name(f, s)) > cell ? strlen(signal_name(f, s)) : cell);
  return f->rows <= MOST_ROWS && width <= COLUMNS;
}

static void add_table(const struct cs_digest *d, const struct cs_digest_fit *f, struct cs_text *text) {
  struct cs_grid grid = {.columns = 0};
  const bool alike = expects_alike(f);
  add_heads(d, f, &grid);
  for (size_t s = 0; s < f->columns; s++)
    cs_grid_add(&grid, "%s", signal_name(f, s));
  grid.columns += f->columns;
  const bool theory = alike && f->verdicts[CS_VERDICT_NONE] < f->rows * f->columns;
  if (theory) {
    cs_grid_add(&grid, "theory");
    grid.columns++;
  }
  grid.firm = grid.columns;
  for (size_t row = 0; row < f->rows; row++) {
    add_settings(d, f, f->run[row], &grid);
    for (size_t s = 0; s < f->columns; s++)
      add_cell(&grid, &f->order[row * f->columns + s], alike);
    if (theory) add_expected(&grid, f->order[row * f->columns].expected);
  }
  cs_grid_print(&grid, text);
}

/* ---- few combinations, many signals: a row for each signal */

static char *place_of(const struct cs_digest *d, const struct cs_digest_fit *f, size_t row) {
  struct cs_text place = {0};
  cs_digest_add_place(d, f->run[row], f->axis, &place);
  return place.failed ? NULL : place.data;
}

static bool is_short(const struct cs_digest *d, const struct cs_digest_fit *f) {
  const size_t cell = strlen("! 1.50 (1.5)");
  size_t width = 2;
  for (size_t s = 0; s < f->columns; s++)
    if (2 + strlen(signal_name(f, s)) > width) width = 2 + strlen(signal_name(f, s));
  for (size_t row = 0; row < f->rows && width <= COLUMNS; row++) {
    char *place = place_of(d, f, row);
    width += 2 + (place != NULL && strlen(place) > cell ? strlen(place) : cell);
    free(place);
  }
  return f->columns <= MOST_ROWS && width <= COLUMNS;
}

static void add_turned_table(const struct cs_digest *d, const struct cs_digest_fit *f, struct cs_text *text) {
  struct cs_grid grid = {.columns = f->rows + 1, .firm = f->rows + 1, .left = {true}};
  cs_grid_add(&grid, "signal");
  for (size_t row = 0; row < f->rows; row++) {
    char *place = place_of(d, f, row);
    cs_grid_add(&grid, "%s", f->rows > 1 && place != NULL ? place : "order");
    free(place);
  }
  for (size_t s = 0; s < f->columns; s++) {
    cs_grid_add(&grid, "%s", signal_name(f, s));
    for (size_t row = 0; row < f->rows; row++)
      add_cell(&grid, &f->order[row * f->columns + s], false);
  }
  cs_grid_print(&grid, text);
}

/* ---- many rows: by signal and expectation */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* Orders of a signal of which theory expects `expected`, sorted; and how many fits there are of which it does. */
static size_t collect(const struct cs_digest_fit *f, size_t signal, double expected, double *sorted, size_t *all,
                      size_t *deviate) {
  size_t count = 0;
  *all = *deviate = 0;
  for (size_t row = 0; row < f->rows; row++) {
    const struct cs_digest_order *o = &f->order[row * f->columns + signal];
    if (!same(o->expected, expected)) continue;
    ++*all;
    *deviate += o->verdict == CS_VERDICT_DEVIATES;
    if (!isnan(o->order)) sorted[count++] = o->order;
  }
  qsort(sorted, count, sizeof *sorted, compare);
  return count;
}

static void add_group(const struct cs_digest_fit *f, size_t signal, double expected, double *sorted,
                      struct cs_grid *grid) {
  size_t all, deviate;
  const size_t count = collect(f, signal, expected, sorted, &all, &deviate);
  cs_grid_add(grid, "%s", signal_name(f, signal));
  add_expected(grid, expected);
  cs_grid_add(grid, "%zu", all);
  cs_grid_add(grid, "%zu", count);
  for (size_t i = 0; i < 3; i++)
    cs_grid_add(grid, count > 0 ? "%.2f" : "-", count > 0 ? sorted[i == 0 ? 0 : i == 1 ? count / 2 : count - 1] : 0.0);
  if (isnan(expected))
    cs_grid_add(grid, "-");
  else
    cs_grid_add(grid, "%s%zu", deviate > 0 ? "! " : "", deviate);
}

/* A row for every signal and every order that theory expects of it, by rising order. */
static void add_groups(const struct cs_digest_fit *f, struct cs_text *text) {
  static const char *const heads[] = {"signal", "theory", "fits", "fitted", "least", "median", "largest", "deviate"};
  struct cs_grid grid = {.columns = 8, .firm = 8, .left = {true}};
  double *sorted = malloc((f->rows + 1) * sizeof *sorted), *expected = malloc((f->rows + 1) * sizeof *expected);
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    cs_grid_add(&grid, "%s", heads[i]);
  for (size_t s = 0; s < f->columns && sorted != NULL && expected != NULL; s++) {
    size_t kinds = 0;
    bool none = false;
    for (size_t row = 0; row < f->rows; row++) {
      const double here = f->order[row * f->columns + s].expected;
      size_t i = 0;
      while (i < kinds && expected[i] != here)
        i++;
      if (isnan(here))
        none = true;
      else if (i == kinds)
        expected[kinds++] = here;
    }
    qsort(expected, kinds, sizeof *expected, compare);
    for (size_t i = 0; i < kinds; i++)
      add_group(f, s, expected[i], sorted, &grid);
    if (none) add_group(f, s, NAN, sorted, &grid);
  }
  grid.failed |= sorted == NULL || expected == NULL;
  free(sorted);
  free(expected);
  cs_grid_print(&grid, text);
}

/* The fits furthest from theory. */
static void add_deviating(const struct cs_digest *d, const struct cs_digest_fit *f, struct cs_text *text) {
  double above = INFINITY;
  for (size_t shown = 0; shown < MOST_DEVIATING && shown < f->verdicts[CS_VERDICT_DEVIATES]; shown++) {
    size_t worst = SIZE_MAX;
    double distance = -1;
    for (size_t i = 0; i < f->rows * f->columns; i++) {
      const double here = fabs(f->order[i].order - f->order[i].expected);
      if (f->order[i].verdict != CS_VERDICT_DEVIATES || here >= above || here <= distance) continue;
      distance = here;
      worst = i;
    }
    if (worst == SIZE_MAX) return;
    const struct cs_digest_order *o = &f->order[worst];
    struct cs_text line = {0};
    cs_text_add(&line, "! %.2f for %.3g: %s, ", o->order, o->expected, signal_name(f, worst % f->columns));
    cs_digest_add_place(d, f->run[worst / f->columns], f->axis, &line);
    if (line.data != NULL) cs_add_paragraph(text, 4, line.data);
    text->failed |= line.failed;
    cs_text_free(&line);
    above = distance;
  }
}

/* Nothing to show: too few points everywhere, and no metric that is zero as it should be. */
static bool is_empty(const struct cs_digest_fit *f) {
  for (size_t i = 0; i < f->rows * f->columns; i++)
    if (!isnan(f->order[i].order) || f->order[i].verdict == CS_VERDICT_AGREES) return false;
  return true;
}

static void add_fit(const struct cs_digest *d, const struct cs_digest_fit *f, struct cs_text *text) {
  cs_text_add(text, "\norder of %s along %s\n", f->metric->name, d->axis[f->axis].dimension->name);
  if (is_empty(f)) {
    cs_text_add(text, "  no fit has 3 points in its asymptotic range\n");
  } else if (is_small(d, f)) {
    add_table(d, f, text);
  } else if (is_short(d, f)) {
    add_turned_table(d, f, text);
  } else {
    if (count_settings(d, f) > 0) cs_text_add(text, "  %zu combinations of the other axes\n", f->rows);
    add_groups(f, text);
    add_deviating(d, f, text);
  }
}

void cs_info_add_orders(const struct cs_digest *d, struct cs_text *text) {
  size_t count[4] = {0};
  for (size_t i = 0; i < d->fits; i++) {
    add_fit(d, &d->fit[i], text);
    for (size_t v = 0; v < 4; v++)
      count[v] += d->fit[i].verdicts[v];
  }
  if (count[CS_VERDICT_AGREES] + count[CS_VERDICT_DEVIATES] == 0) return;
  cs_text_add(text, "\n  %zu of %zu orders are within 0.15 of theory\n", count[CS_VERDICT_AGREES],
              count[CS_VERDICT_AGREES] + count[CS_VERDICT_DEVIATES] + count[CS_VERDICT_UNKNOWN]);
  if (count[CS_VERDICT_UNKNOWN] > 0) cs_text_add(text, "  - %zu could not be fitted\n", count[CS_VERDICT_UNKNOWN]);
  if (count[CS_VERDICT_DEVIATES] > 0)
    cs_add_paragraph(text, 2,
                     "! more than 0.15 from theory: the steps are not small enough yet, the values are at the floor of "
                     "rounding, few points were fitted, or (above theory) the leading term of this signal vanishes");
}
