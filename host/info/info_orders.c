/* Fitted orders compared with theory. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info_private.h"
#include "status.h"
#include "theory.h"

enum { COLUMNS = 79, MOST_ROWS = 24, MOST_DEVIATING = 5 }; /* on a terminal */

/* "1.5", "zero" if the metric is zero, "-" without an expectation. */
static void add_expected(struct cs_grid *grid, double expected) {
  if (isnan(expected))
    cs_grid_add(grid, "-");
  else if (isinf(expected))
    cs_grid_add(grid, "zero");
  else
    cs_grid_add(grid, "%.3g", expected);
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* Whether the expected order is the same for all signals of each row. */
static bool expects_alike(const struct cs_digest_fit *f) {
  for (size_t i = 0; i < f->rows * f->columns; i++)
    if (!same(f->order[i].expected, f->order[i / f->columns * f->columns].expected)) return false;
  return true;
}

/* The points of the fit. */
static void add_hint(struct cs_grid *grid, const struct cs_digest_order *o) {
  struct cs_text hint = {0};
  cs_text_add(&hint, "%ld points from %.4g to %.4g, R\302\262 = %.6g", o->points, o->first, o->last, o->r2);
  cs_grid_hint(grid, &hint);
}

/* "1.98", or "1.98 (2)" with the expected order. */
static void add_cell(struct cs_grid *grid, const struct cs_digest_order *o, bool with_theory) {
  char number[32] = "-", theory[32] = "";
  if (!isnan(o->order)) snprintf(number, sizeof number, "%.2f", o->order);
  if (with_theory && isinf(o->expected))
    snprintf(theory, sizeof theory, " (0)");
  else if (with_theory && !isnan(o->expected))
    snprintf(theory, sizeof theory, " (%.3g)", o->expected);
  const bool deviates = o->verdict == CS_VERDICT_DEVIATES;
  cs_grid_add(grid, "%s%s%s", deviates ? "! " : "", number, theory);
  if (!grid->failed) grid->cell[grid->cells - 1].marked = deviates;
  if (o->points > 0) add_hint(grid, o);
}

static size_t count_settings(const struct cs_digest *d, const struct cs_digest_fit *f) {
  size_t count = 0;
  for (size_t c = 0; c < d->columns; c++)
    count += cs_info_shows(d, c, f->axis);
  return count;
}

static const char *signal_name(const struct cs_digest_fit *f, size_t column) {
  return f->signals != NULL && f->signals->labels != NULL ? f->signals->labels[column] : "order";
}

/* Width of a column with its head. */
static size_t setting_width(struct cs_document *document, const struct cs_digest *d, size_t column) {
  const struct cs_runs_column *c = &d->column[column];
  size_t width = strlen(c->name), stride = 1;
  for (size_t a = c->axis + 1; a < d->axes; a++)
    stride *= d->axis[a].dimension->length;
  for (size_t i = 0; i < d->axis[c->axis].dimension->length; i++) {
    struct cs_text cell = {0};
    cs_runs_add_value(&d->over, c, i * stride, &cell);
    if (cell.length > width) width = cell.length;
    cs_document_free_text(document, &cell);
  }
  return width;
}

/* Whether a table with one row per combination and one column per signal fits. */
static bool is_small(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_fit *f) {
  const bool alike = expects_alike(f);
  const size_t cell = strlen(alike ? "1.50" : "1.50 (1.5)") + (f->verdicts[CS_VERDICT_DEVIATES] > 0 ? 2 : 0);
  size_t width = alike ? strlen("  theory") : 0;
  for (size_t c = 0; c < d->columns; c++)
    if (cs_info_shows(d, c, f->axis)) width += 2 + setting_width(document, d, c);
  for (size_t s = 0; s < f->columns; s++)
    width += 2 + (strlen(signal_name(f, s)) > cell ? strlen(signal_name(f, s)) : cell);
  return f->rows <= MOST_ROWS && width <= COLUMNS;
}

static void add_table(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_fit *f) {
  struct cs_grid grid = {0};
  const bool alike = expects_alike(f),
             theory = alike && (f->verdicts[CS_VERDICT_NONE] < f->rows * f->columns || cs_theory_restarts(d->theory));
  cs_info_add_setting_heads(&grid, d, f->axis);
  for (size_t s = 0; s < f->columns; s++)
    cs_grid_head(&grid, CS_GRID_RIGHT, "%s", signal_name(f, s));
  if (theory) cs_grid_head(&grid, CS_GRID_RIGHT, "theory");
  grid.firm = grid.columns;
  for (size_t row = 0; row < f->rows; row++) {
    cs_info_add_settings(&grid, d, f->run[row], f->axis);
    for (size_t s = 0; s < f->columns; s++)
      add_cell(&grid, &f->order[row * f->columns + s], !alike);
    if (theory) add_expected(&grid, f->order[row * f->columns].expected);
  }
  cs_document_table(document, &grid, NULL);
}

/* ---- few combinations, many signals: one row per signal */

static char *place_of(const struct cs_digest *d, const struct cs_digest_fit *f, size_t row) {
  struct cs_text place = {0};
  cs_digest_add_place(d, f->run[row], f->axis, &place);
  if (place.failed) cs_text_free(&place);
  return place.data;
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

static void add_turned_table(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_fit *f) {
  struct cs_grid grid = {0};
  cs_grid_head(&grid, CS_GRID_LEFT, "signal");
  for (size_t row = 0; row < f->rows; row++) {
    char *place = place_of(d, f, row);
    cs_grid_head(&grid, CS_GRID_RIGHT, "%s", f->rows > 1 && place != NULL ? place : "order");
    grid.failed |= place == NULL;
    free(place);
  }
  grid.firm = grid.columns;
  for (size_t s = 0; s < f->columns; s++) {
    cs_grid_add(&grid, "%s", signal_name(f, s));
    for (size_t row = 0; row < f->rows; row++)
      add_cell(&grid, &f->order[row * f->columns + s], true);
  }
  cs_document_table(document, &grid, NULL);
}

/* ---- many combinations: grouped by signal and expected order */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts the fitted orders of a signal for which `expected` is expected and returns their number; *all: number of fits
 * with that expectation; *deviate: those that deviate. */
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

/* One row per signal and expected order, ascending. */
static void add_groups(struct cs_document *document, const struct cs_digest_fit *f) {
  static const char *const heads[] = {"signal", "theory", "fits", "fitted", "least", "median", "largest", "deviate"};
  struct cs_grid grid = {.firm = sizeof heads / sizeof *heads};
  double *sorted = malloc((f->rows + 1) * sizeof *sorted), *expected = malloc((f->rows + 1) * sizeof *expected);
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    cs_grid_head(&grid, i == 0 ? CS_GRID_LEFT : CS_GRID_RIGHT, "%s", heads[i]);
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
  cs_document_table(document, &grid, NULL);
}

/* The fits furthest from theory. */
static void add_deviating(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_fit *f) {
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
    cs_digest_add_place(d, f->run[worst / f->columns], f->axis, &line);
    cs_document_words(document, CS_TONE_PLAIN, 4, "! %.2f for %.3g: %s, %s", o->order, o->expected,
                      signal_name(f, worst % f->columns), cs_text_string(&line));
    cs_document_free_text(document, &line);
    above = distance;
  }
}

/* Nothing to show: too few points everywhere, and no metric that is zero as expected. */
static bool is_empty(const struct cs_digest_fit *f) {
  for (size_t i = 0; i < f->rows * f->columns; i++)
    if (!isnan(f->order[i].order) || f->order[i].verdict == CS_VERDICT_AGREES) return false;
  return true;
}

static void add_fit(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_fit *f) {
  cs_document_part(document, "order of %s along %s", f->metric->name, d->axis[f->axis].dimension->name);
  if (is_empty(f)) {
    cs_document_words(document, CS_TONE_PLAIN, 2, "no fit has 3 points in its asymptotic range");
  } else if (is_small(document, d, f)) {
    add_table(document, d, f);
  } else if (is_short(d, f)) {
    add_turned_table(document, d, f);
  } else {
    if (count_settings(d, f) > 0)
      cs_document_words(document, CS_TONE_PLAIN, 2, "%zu combinations of the other axes", f->rows);
    add_groups(document, f);
    add_deviating(document, d, f);
  }
}

/* ---- on a page: one row per combination */

static bool deviates(const struct cs_digest_fit *f, size_t row) {
  for (size_t s = 0; s < f->columns; s++)
    if (f->order[row * f->columns + s].verdict == CS_VERDICT_DEVIATES) return true;
  return false;
}

/* All rows, or only those that deviate. */
static void add_rows(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_fit *f, bool all,
                     const char *folded) {
  enum { MOST = 1000 };
  const bool alike = expects_alike(f);
  struct cs_grid grid = {0};
  size_t rows = 0;
  cs_info_add_setting_heads(&grid, d, f->axis);
  for (size_t s = 0; s < f->columns; s++) {
    cs_grid_head(&grid, CS_GRID_RIGHT, "%s", signal_name(f, s));
    if (!alike || s + 1 == f->columns) cs_grid_head(&grid, CS_GRID_RIGHT_DIM, "theory");
  }
  for (size_t row = 0; row < f->rows && rows < MOST; row++) {
    if (!all && !deviates(f, row)) continue;
    cs_info_add_settings(&grid, d, f->run[row], f->axis);
    for (size_t s = 0; s < f->columns; s++) {
      add_cell(&grid, &f->order[row * f->columns + s], false);
      if (!alike || s + 1 == f->columns) add_expected(&grid, f->order[row * f->columns + s].expected);
    }
    rows++;
  }
  cs_document_table(document, &grid, folded);
  if (rows == MOST) cs_document_words(document, CS_TONE_DIM, 2, "The first %d; cosweep info --json lists all.", MOST);
}

/* Orders of skipped runs, of which nobody expects a fit. */
static size_t count_skipped(const struct cs_digest *d, const struct cs_digest_fit *f) {
  size_t count = 0;
  for (size_t i = 0; i < f->rows * f->columns && d->status != NULL; i++)
    count += f->order[i].verdict == CS_VERDICT_UNKNOWN &&
             cs_table_uint8(d->status, f->run[i / f->columns]) == CS_STATUS_SKIPPED;
  return count;
}

/* How many orders agree, of those that theory knows; unknown: without skipped ones. */
static void add_counts(const size_t verdicts[4], size_t skipped, struct cs_text *text) {
  const size_t unknown = verdicts[CS_VERDICT_UNKNOWN];
  cs_text_add(text, "%zu of %zu orders are within 0.15 of theory", verdicts[CS_VERDICT_AGREES],
              verdicts[CS_VERDICT_AGREES] + verdicts[CS_VERDICT_DEVIATES] + unknown);
  if (unknown > 0) cs_text_add(text, ", %zu could not be fitted", unknown);
  if (skipped > 0) cs_text_add(text, "; %zu belong to skipped runs", skipped);
  if (verdicts[CS_VERDICT_NONE] > 0) cs_text_add(text, "; theory has none for %zu more", verdicts[CS_VERDICT_NONE]);
}

static void add_full_fit(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_fit *f) {
  enum { MOST_OPEN = 40 };
  const size_t skipped = count_skipped(d, f);
  size_t verdicts[4];
  struct cs_text counts = {0};
  char folded[64];
  memcpy(verdicts, f->verdicts, sizeof verdicts);
  verdicts[CS_VERDICT_UNKNOWN] -= skipped;
  add_counts(verdicts, skipped, &counts);
  cs_document_part(document, "%s along %s", f->metric->name, d->axis[f->axis].dimension->name);
  cs_document_words(document, CS_TONE_DIM, 2, "%s.", cs_text_string(&counts));
  cs_document_free_text(document, &counts);
  if (f->rows > MOST_OPEN && f->verdicts[CS_VERDICT_DEVIATES] > 0) add_rows(document, d, f, false, NULL);
  snprintf(folded, sizeof folded, "all %zu combinations", f->rows);
  add_rows(document, d, f, true, f->rows > MOST_OPEN ? folded : NULL);
}

/* ---- all fits */

void cs_info_add_orders(struct cs_document *document, const struct cs_digest *d) {
  const bool page = document->medium == CS_PAGE;
  size_t count[4] = {0}, skipped = 0;
  if (d->fits == 0) return;
  if (page) cs_document_section(document, "orders", "orders", "orders of convergence");
  if (page)
    cs_document_words(document, CS_TONE_DIM, 2,
                      "Least-squares slopes of the logarithms over the asymptotic range, next to the order that theory "
                      "expects.");
  for (size_t i = 0; i < d->fits; i++) {
    if (page)
      add_full_fit(document, d, &d->fit[i]);
    else
      add_fit(document, d, &d->fit[i]);
    for (size_t v = 0; v < 4; v++)
      count[v] += d->fit[i].verdicts[v];
    count[CS_VERDICT_UNKNOWN] -= count_skipped(d, &d->fit[i]);
    skipped += count_skipped(d, &d->fit[i]);
  }
  const size_t told = count[CS_VERDICT_AGREES] + count[CS_VERDICT_DEVIATES];
  if (told > 0 && !page) {
    struct cs_text counts = {0};
    add_counts(count, skipped, &counts);
    cs_document_line(document, "%s", "");
    cs_document_line(document, "  %s", cs_text_string(&counts));
    cs_document_free_text(document, &counts);
  }
  if (cs_theory_restarts(d->theory))
    cs_document_words(
        document, CS_TONE_NOTE, 2,
        "Polynomials through points begin anew at events: with holds other than taylor errors have order "
        "2 at most, those of extrapolated inputs 1.5; with iterations 3, those of inputs and outputs 2.5.");
  if (count[CS_VERDICT_DEVIATES] > 0)
    cs_document_words(
        document, CS_TONE_NOTE, 2,
        "! more than 0.15 from theory: the steps are not small enough yet, the values are at the floor of "
        "rounding, few points were fitted, or (above theory) the leading term of this signal vanishes");
}
