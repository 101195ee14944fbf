/* Axes, metrics, limits and runs of a result as tables of a report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report_private.h"

enum { MOST_VALUES = 12, MOST_RUNS = 50, MOST_OPEN = 24, MOST_LIMITS = 1000 };

/* ---- settings of a run */

/* Axes of one value tell nothing about a run. */
static bool is_shown(const struct cs_digest *d, size_t column, size_t without) {
  const size_t axis = d->column[column].axis;
  return axis != without && d->axis[axis].dimension->length > 1;
}

static bool is_word(const struct cs_digest *d, size_t column) {
  const struct cs_digest_column *c = &d->column[column];
  return c->array != NULL ? c->array->type == CS_TEXT : d->axis[c->axis].dimension->labels != NULL;
}

void cs_report_add_setting_heads(const struct cs_digest *d, size_t without, struct cs_text *page) {
  for (size_t c = 0; c < d->columns; c++)
    if (is_shown(d, c, without)) cs_report_add_element(page, "th", is_word(d, c) ? NULL : "n", d->column[c].name);
}

void cs_report_add_settings(const struct cs_digest *d, size_t run, size_t without, struct cs_text *page) {
  for (size_t c = 0; c < d->columns; c++) {
    struct cs_text cell = {0};
    if (!is_shown(d, c, without)) continue;
    cs_digest_add_cell(d, c, run, 4, &cell);
    cs_report_add_element(page, "td", is_word(d, c) ? NULL : "n", cs_text_string(&cell));
    page->failed |= cell.failed;
    cs_text_free(&cell);
  }
}

static void add_place(const struct cs_digest *d, size_t run, struct cs_text *page) {
  struct cs_text place = {0};
  cs_digest_add_place(d, run, CS_DIGEST_NONE, &place);
  cs_report_add_words(page, cs_text_string(&place));
  page->failed |= place.failed;
  cs_text_free(&place);
}

static const char *signal_name(const struct cs_dimension *signals, size_t signal, char number[24]) {
  if (signals == NULL || signal == CS_DIGEST_NONE) return "";
  if (signals->labels != NULL) return signals->labels[signal];
  snprintf(number, 24, "%zu", signal);
  return number;
}

/* ---- axes */

static void add_list(size_t length, const double *values, char *const *labels, struct cs_text *page) {
  for (size_t i = 0; i < length; i++) {
    if (i == MOST_VALUES - 2 && length > MOST_VALUES) {
      cs_text_add(page, ", \342\200\246");
      i = length - 1;
    }
    cs_text_add(page, "%s", i > 0 ? ", " : "");
    if (labels != NULL)
      cs_report_add_words(page, labels[i]);
    else
      cs_report_add_number(page, values[i]);
  }
}

static void add_axis(const struct cs_digest *d, size_t index, struct cs_text *page) {
  const struct cs_digest_axis *axis = &d->axis[index];
  const struct cs_dimension *dimension = axis->dimension;
  cs_text_add(page, "<tr>");
  cs_report_add_element(page, "td", NULL, dimension->name);
  cs_text_add(page, "<td class=\"n\">%zu</td><td>", dimension->length);
  if (dimension->values != NULL && dimension->length > MOST_VALUES) {
    cs_report_add_number(page, dimension->values[0]);
    cs_text_add(page, " \342\200\246 ");
    cs_report_add_number(page, dimension->values[dimension->length - 1]);
  } else {
    add_list(dimension->length, dimension->values, dimension->labels, page);
  }
  for (size_t c = 0; c < d->columns; c++) {
    const struct cs_array *array = d->column[c].array;
    if (d->column[c].axis != index || array == NULL) continue;
    cs_text_add(page, "<br/><span class=\"dim\">");
    cs_report_add_words(page, d->column[c].name);
    cs_text_add(page, ":</span> ");
    add_list(array->count, array->type == CS_TEXT ? NULL : array->data.float64,
             array->type == CS_TEXT ? array->data.text : NULL, page);
  }
  cs_text_add(page, "</td>");
  cs_report_add_element(page, "td", NULL, strcmp(dimension->unit, "1") == 0 ? "" : dimension->unit);
  cs_report_add_element(page, "td", NULL, cs_digest_spacing(axis->spacing));
  cs_report_add_element(page, "td", "dim", strcmp(dimension->long_name, axis->paths) == 0 ? "" : dimension->long_name);
  cs_text_add(page, "<td><code>");
  cs_report_add_words(page, axis->paths);
  cs_text_add(page, "</code></td></tr>\n");
}

void cs_report_add_axes(const struct cs_digest *d, struct cs_text *page) {
  cs_text_add(page, "<section id=\"axes\"><h2>Axes</h2>\n");
  if (d->axes == 0) {
    cs_text_add(page, "<p>None: a single run.</p></section>\n");
    return;
  }
  cs_text_add(page,
              "<div class=\"scroll\"><table><tr><th>axis</th><th class=\"n\">values</th><th>from \342\200\246 "
              "to</th><th>unit</th><th>spacing</th><th>what it is</th><th>moves</th></tr>\n");
  for (size_t i = 0; i < d->axes; i++)
    add_axis(d, i, page);
  cs_text_add(page, "</table></div></section>\n");
}

/* ---- metrics */

static void add_end(const struct cs_digest *d, const struct cs_digest_metric *m, const struct cs_digest_point *point,
                    struct cs_text *page) {
  char number[24];
  if (m->numbers == 0) {
    cs_text_add(page, "<td class=\"n\">\342\200\223</td><td></td>");
    return;
  }
  if (m->array->type == CS_INT64) {
    cs_text_add(page, "<td class=\"n\">");
    cs_report_add_count(page, point->value);
    cs_text_add(page, "</td>");
  } else {
    cs_report_add_number_cell(page, point->value);
  }
  cs_text_add(page, "<td>");
  cs_report_add_words(page, signal_name(m->signals, point->signal, number));
  cs_text_add(page, "%s<span class=\"dim\">", m->signals != NULL ? "<br/>" : "");
  if (d->runs > 1) add_place(d, point->run, page);
  cs_text_add(page, "</span></td>");
}

void cs_report_add_metrics(const struct cs_digest *d, struct cs_text *page) {
  cs_text_add(page,
              "<section id=\"metrics\"><h2>Metrics</h2>\n<p class=\"dim\">Over the runs that succeeded.</p>"
              "<div class=\"scroll\"><table><tr><th>metric</th><th class=\"n\">smallest</th><th>at</th>"
              "<th class=\"n\">largest</th><th>at</th><th>unit</th></tr>\n");
  for (size_t i = 0; i < d->metrics; i++) {
    const struct cs_digest_metric *m = &d->metric[i];
    cs_text_add(page, "<tr><td>%s<br/>", m->array->name);
    cs_report_add_element(page, "span", "dim", m->array->long_name);
    cs_text_add(page, "</td>");
    add_end(d, m, &m->least, page);
    add_end(d, m, &m->largest, page);
    struct cs_text units = {0};
    cs_digest_add_units(d, m, &units);
    cs_report_add_element(page, "td", NULL, cs_text_string(&units));
    page->failed |= units.failed;
    cs_text_free(&units);
    cs_text_add(page, "</tr>\n");
  }
  cs_text_add(page, "</table></div></section>\n");
}

/* ---- limits of stability */

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

/* Number of the axis whose name has this length and begins `name`; `axes` where there is none. */
static size_t find_axis(const struct cs_digest *d, const char *name, size_t length) {
  size_t axis = 0;
  while (axis < d->axes &&
         !(strlen(d->axis[axis].dimension->name) == length && memcmp(d->axis[axis].dimension->name, name, length) == 0))
    axis++;
  return axis;
}

/* The run of a row of arrays without an axis, at that axis's first value. */
static size_t run_of(const struct cs_digest *d, size_t axis, size_t row) {
  size_t inner = 1;
  for (size_t i = axis + 1; i < d->axes; i++)
    inner *= d->axis[i].dimension->length;
  return row / inner * inner * d->axis[axis].dimension->length + row % inner;
}

/* "stable up to 0.013 … 20": over all combinations. */
static void add_limit_range(const char *what, const struct cs_array *array, struct cs_text *page) {
  double least = NAN, most = NAN;
  for (size_t i = 0; i < array->count; i++) {
    least = fmin(least, array->data.float64[i]);
    most = fmax(most, array->data.float64[i]);
  }
  cs_text_add(page, "<p>%s ", what);
  cs_report_add_number(page, least);
  if (least < most) cs_text_add(page, " \342\200\246 ");
  if (least < most) cs_report_add_number(page, most);
  cs_text_add(page, "</p>\n");
}

static void add_limit_rows(const struct cs_digest *d, const struct cs_array *most, const struct cs_array *crossings,
                           size_t axis, struct cs_text *page) {
  const size_t most_crossings = crossings->count / most->count;
  if (most->count > MOST_OPEN) cs_text_add(page, "<details><summary>%zu combinations</summary>\n", most->count);
  cs_text_add(page, "<div class=\"scroll\"><table><tr>");
  cs_report_add_setting_heads(d, axis, page);
  cs_text_add(page, "<th class=\"n\">stable up to</th><th>changes at</th></tr>\n");
  for (size_t row = 0; row < most->count && row < MOST_LIMITS; row++) {
    cs_text_add(page, "<tr>");
    cs_report_add_settings(d, run_of(d, axis, row), axis, page);
    cs_report_add_number_cell(page, most->data.float64[row]);
    cs_text_add(page, "<td>");
    for (size_t i = 0; i < most_crossings && !isnan(crossings->data.float64[row * most_crossings + i]); i++) {
      cs_text_add(page, "%s", i > 0 ? ", " : "");
      cs_text_add(page, "%.8g", crossings->data.float64[row * most_crossings + i]);
    }
    cs_text_add(page, "</td></tr>\n");
  }
  cs_text_add(page, "</table></div>\n");
  if (most->count > MOST_LIMITS)
    cs_text_add(page, "<p class=\"dim\">The first %d of %zu combinations; the file has all.</p>\n", MOST_LIMITS,
                most->count);
  if (most->count > MOST_OPEN) cs_text_add(page, "</details>\n");
}

void cs_report_add_limits(const struct cs_digest *d, struct cs_text *page) {
  for (size_t i = 0; i < d->table->arrays; i++) {
    const struct cs_array *most = &d->table->array[i];
    struct cs_text name = {0};
    if (!ends_with(most->name, "_stable_max") || most->type != CS_FLOAT64) continue;
    const size_t length = strlen(most->name) - strlen("_stable_max"), axis = find_axis(d, most->name, length);
    cs_text_add(&name, "%.*s_crossings", (int)length, most->name);
    const struct cs_array *crossings = name.failed ? NULL : cs_table_find(d->table, name.data);
    cs_text_free(&name);
    if (crossings == NULL || crossings->type != CS_FLOAT64 || axis == d->axes || most->dimensions + 1 != d->axes ||
        crossings->count % most->count != 0)
      continue;
    cs_text_add(page, "<section id=\"limits\"><h2>Limits of stability along ");
    cs_report_add_words(page, d->axis[axis].dimension->name);
    if (strcmp(most->unit, "1") != 0) cs_text_add(page, " (");
    if (strcmp(most->unit, "1") != 0) cs_report_add_words(page, most->unit);
    cs_text_add(page, "%s</h2>\n", strcmp(most->unit, "1") != 0 ? ")" : "");
    add_limit_range("stable up to", most, page);
    add_limit_range("changes at", crossings, page);
    add_limit_rows(d, most, crossings, axis, page);
    cs_text_add(page, "</section>\n");
  }
}

/* ---- runs */

static void add_ranked(const struct cs_digest *d, const char *word, const struct cs_digest_point *point,
                       struct cs_text *page) {
  const bool signals = d->judge->dimensions > d->axes;
  char number[24];
  cs_text_add(page, "<tr><td>%s</td>", word);
  cs_report_add_number_cell(page, point->value);
  if (signals)
    cs_report_add_element(page, "td", NULL,
                          signal_name(&d->table->dimension[d->judge->dimension[d->axes]], point->signal, number));
  if (d->cost != NULL) {
    cs_text_add(page, "<td class=\"n\">");
    cs_report_add_count(page, (double)d->cost->data.int64[point->run]);
    cs_text_add(page, "</td>");
  }
  cs_report_add_settings(d, point->run, CS_DIGEST_NONE, page);
  cs_text_add(page, "</tr>\n");
}

void cs_report_add_best(const struct cs_digest *d, struct cs_text *page) {
  static const char *const best[CS_DIGEST_BEST] = {"best", "2nd", "3rd"};
  if (d->ranked == 0) return;
  const bool signals = d->judge->dimensions > d->axes;
  cs_text_add(page, "<section id=\"runs\"><h2>Best and worst runs</h2>\n<p class=\"dim\">By %s%s.</p>", d->judge->name,
              signals ? ", the largest over its signals" : "");
  cs_text_add(page, "<div class=\"scroll\"><table><tr><th></th><th class=\"n\">%s</th>", signals ? "largest" : "value");
  if (signals) cs_text_add(page, "<th>of</th>");
  if (d->cost != NULL) cs_text_add(page, "<th class=\"n\">%s</th>", d->cost->name);
  cs_report_add_setting_heads(d, CS_DIGEST_NONE, page);
  cs_text_add(page, "</tr>\n");
  for (size_t i = 0; i < d->ranked; i++)
    add_ranked(d, best[i], &d->best[i], page);
  for (size_t i = d->ranked; i-- > 0;)
    add_ranked(d, i == 0 ? "worst" : "", &d->worst[i], page);
  cs_text_add(page, "</table></div></section>\n");
}

void cs_report_add_failures(const struct cs_digest *d, struct cs_text *page) {
  cs_text_add(page, "<section id=\"failures\"><h2>Runs that did not succeed</h2>\n");
  if (d->failures == 0) cs_text_add(page, "<p>None.</p>\n");
  for (size_t i = 0; i < d->failures; i++) {
    const struct cs_digest_failure *f = &d->failure[i];
    cs_text_add(page, "<h3>%s: ", cs_digest_status(f->status));
    cs_report_add_count(page, (double)f->count);
    cs_text_add(page, f->count == 1 ? " run</h3>\n<p>" : " runs</h3>\n<p>");
    cs_report_add_words(page, cs_digest_reason(f->status));
    cs_text_add(page, ".</p>\n<div class=\"scroll\"><table><tr><th class=\"n\">run</th>");
    if (cs_digest_steps(d, f->run[0]) >= 0) cs_text_add(page, "<th class=\"n\">steps until then</th>");
    cs_report_add_setting_heads(d, CS_DIGEST_NONE, page);
    cs_text_add(page, "</tr>\n");
    for (size_t r = 0; r < f->count && r < MOST_RUNS; r++) {
      cs_text_add(page, "<tr><td class=\"n\">%zu</td>", f->run[r]);
      if (cs_digest_steps(d, f->run[0]) >= 0)
        cs_text_add(page, "<td class=\"n\">%lld</td>", (long long)cs_digest_steps(d, f->run[r]));
      cs_report_add_settings(d, f->run[r], CS_DIGEST_NONE, page);
      cs_text_add(page, "</tr>\n");
    }
    cs_text_add(page, "</table></div>\n");
    if (f->count > MOST_RUNS) cs_text_add(page, "<p class=\"dim\">and %zu more.</p>\n", f->count - MOST_RUNS);
  }
  cs_text_add(page, "</section>\n");
}
