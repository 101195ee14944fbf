/* cosweep info: what a result file holds, within 80 columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "store.h"

enum { COLUMNS = 79 };

static const char *note_text(const struct cs_table *table, const char *name) {
  const struct cs_note *note = cs_table_find_note(table, name);
  return note != NULL && note->type == CS_TEXT && note->count > 0 ? note->text[0] : "";
}

static double note_number(const struct cs_table *table, const char *name) {
  const struct cs_note *note = cs_table_find_note(table, name);
  if (note == NULL || note->type == CS_TEXT) return NAN;
  return note->type == CS_FLOAT64 ? note->float64 : (double)note->int64;
}

static double value_at(const struct cs_array *array, size_t i) {
  switch (array->type) {
    case CS_FLOAT64:
      return array->data.float64[i];
    case CS_INT64:
      return (double)array->data.int64[i];
    case CS_UINT8:
      return array->data.uint8[i];
    default:
      return NAN;
  }
}

/* ---- axes */

/* Variables along an axis that moves several settings together: "<axis>_<setting>". */
static void add_columns(const struct cs_table *table, size_t axis, int width, struct cs_text *text) {
  const char *name = table->dimension[axis].name;
  for (size_t i = 0; i < table->arrays; i++) {
    const struct cs_array *a = &table->array[i];
    const bool named = strncmp(a->name, name, strlen(name)) == 0 && a->name[strlen(name)] == '_';
    if (!named || a->dimensions != 1 || a->dimension[0] != axis || cs_metric_find(a->name) >= 0) continue;
    if (a->type == CS_TEXT)
      cs_add_axis(text, width, a->name, a->count, NULL, a->data.text, NULL, NULL);
    else if (a->type == CS_FLOAT64)
      cs_add_axis(text, width, a->name, a->count, a->data.float64, NULL, NULL, NULL);
  }
}

static void add_axes(const struct cs_table *table, const struct cs_array *status, struct cs_text *text) {
  int width = 6;
  cs_text_add(text, "\naxes%s\n", status->dimensions == 0 ? ": none" : "");
  for (size_t i = 0; i < status->dimensions; i++) {
    const int length = (int)strlen(table->dimension[status->dimension[i]].name);
    if (length > width) width = length;
  }
  for (size_t i = 0; i < status->dimensions; i++) {
    const struct cs_dimension *d = &table->dimension[status->dimension[i]];
    cs_add_axis(text, width, d->name, d->length, d->values, d->labels, d->unit, d->long_name);
    add_columns(table, status->dimension[i], width, text);
  }
}

/* ---- metrics */

/* Smallest and largest value over the runs that are ok; false where there is none. */
static bool range(const struct cs_array *array, const struct cs_array *status, double *least, double *most) {
  const size_t runs = status->count, inner = runs > 0 ? array->count / runs : 0;
  *least = INFINITY;
  *most = -INFINITY;
  for (size_t run = 0; run < runs; run++)
    for (size_t i = 0; i < inner && status->data.uint8[run] == 0; i++) {
      const double value = value_at(array, run * inner + i);
      if (isnan(value)) continue;
      *least = fmin(*least, value);
      *most = fmax(*most, value);
    }
  return *least <= *most;
}

static void add_metrics(const struct cs_table *table, const struct cs_array *status, struct cs_text *text) {
  int width = 6;
  for (size_t i = 0; i < table->arrays; i++)
    if (cs_metric_find(table->array[i].name) >= 0 && (int)strlen(table->array[i].name) > width)
      width = (int)strlen(table->array[i].name);
  cs_text_add(text, "\n%-*s  %-12s %10s  %10s  unit\n", width + 2, "metrics", "", "smallest", "largest");
  for (size_t i = 0; i < table->arrays; i++) {
    const struct cs_array *a = &table->array[i];
    double least, most;
    if (cs_metric_find(a->name) < 0) continue;
    char over[32] = "";
    if (a->dimensions > status->dimensions) {
      const struct cs_dimension *d = &table->dimension[a->dimension[a->dimensions - 1]];
      snprintf(over, sizeof over, "%zu %s%s", d->length, d->name, d->length == 1 ? "" : "s");
    }
    cs_text_add(text, "  %-*s  %-12s ", width, a->name, over);
    if (range(a, status, &least, &most))
      cs_text_add(text, "%10.4g  %10.4g", least, most);
    else
      cs_text_add(text, "%10s  %10s", "-", "-");
    cs_text_add(text, "  %s\n", strcmp(a->unit, "1") == 0 ? "" : a->unit);
  }
}

/* ---- boundaries */

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

/* Smallest and largest of the values that are there. */
static void add_range(const char *what, const struct cs_array *array, struct cs_text *text) {
  double least = INFINITY, most = -INFINITY;
  size_t count = 0;
  for (size_t i = 0; i < array->count; i++) {
    const double value = value_at(array, i);
    if (isnan(value)) continue;
    least = fmin(least, value);
    most = fmax(most, value);
    count++;
  }
  cs_text_add(text, "  %-13s", what);
  if (count > 0)
    cs_text_add(text, "%.10g", least);
  else
    cs_text_add(text, "none");
  if (least < most) cs_text_add(text, " ... %.10g", most);
  cs_text_add(text, "%s%s\n", strcmp(array->unit, "1") == 0 ? "" : " ",
              strcmp(array->unit, "1") == 0 ? "" : array->unit);
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

/* ---- orders */

/* The metric whose orders these are; NULL: they are none. */
static const struct cs_array *fitted(const struct cs_table *table, const struct cs_array *orders) {
  char name[256];
  if (!ends_with(orders->name, "_order") || orders->type != CS_FLOAT64) return NULL;
  if (snprintf(name, sizeof name, "%s", orders->name) >= (int)sizeof name) return NULL;
  name[strlen(name) - strlen("_order")] = '\0';
  return cs_metric_find(name) >= 0 ? cs_table_find(table, name) : NULL;
}

/* Name of the axis that the fit took away. */
static const char *fitted_axis(const struct cs_table *table, const struct cs_array *metric,
                               const struct cs_array *orders) {
  for (size_t i = 0; i < metric->dimensions; i++)
    if (i >= orders->dimensions || metric->dimension[i] != orders->dimension[i])
      return table->dimension[metric->dimension[i]].name;
  return "";
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Smallest, median and largest order of every signal: what is left to say where there are too many for a table. */
static void add_spread(const struct cs_array *orders, size_t rows, size_t signals, char *const *labels,
                       struct cs_text *text) {
  double *sorted = malloc((rows + 1) * sizeof *sorted);
  for (size_t s = 0; s < signals && sorted != NULL; s++) {
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
      const double value = orders->data.float64[i * signals + s];
      if (!isnan(value)) sorted[count++] = value;
    }
    qsort(sorted, count, sizeof *sorted, compare);
    cs_text_add(text, "    %-32s", labels != NULL ? labels[s] : "");
    if (count > 0) cs_text_add(text, " %6.2f ... %.2f, median %.2f", sorted[0], sorted[count - 1], sorted[count / 2]);
    cs_text_add(text, "  (%zu of %zu fitted)\n", count, rows);
  }
  free(sorted);
}

/* Coordinates of row number `row` of the orders, last axis fastest. */
static void add_place(const struct cs_table *table, const struct cs_array *orders, size_t axes, size_t row,
                      struct cs_text *text) {
  size_t stride = 1;
  for (size_t i = 0; i < axes; i++)
    stride *= table->dimension[orders->dimension[i]].length;
  for (size_t i = 0; i < axes; i++) {
    const struct cs_dimension *d = &table->dimension[orders->dimension[i]];
    stride /= d->length;
    const size_t at = row / stride % d->length;
    if (d->labels != NULL)
      cs_text_add(text, "%s%s %s", i > 0 ? ", " : "", d->name, d->labels[at]);
    else
      cs_text_add(text, "%s%s %.6g", i > 0 ? ", " : "", d->name, d->values[at]);
  }
}

static void add_rows(const struct cs_table *table, const struct cs_array *orders, size_t axes, size_t rows,
                     const struct cs_dimension *signal, struct cs_text *text) {
  enum { PLACE = 34 };
  const size_t signals = signal != NULL ? signal->length : 1;
  cs_text_add(text, "    %-*s", PLACE - 4, "");
  for (size_t s = 0; s < signals && signal != NULL; s++)
    cs_text_add(text, "  %s", signal->labels[s]);
  cs_text_add(text, "\n");
  for (size_t row = 0; row < rows; row++) {
    struct cs_text place = {0};
    add_place(table, orders, axes, row, &place);
    cs_text_add(text, "    %-*s", PLACE - 4, place.data != NULL ? place.data : "");
    cs_text_free(&place);
    for (size_t s = 0; s < signals; s++) {
      const double value = orders->data.float64[row * signals + s];
      const int width = 2 + (signal != NULL ? (int)strlen(signal->labels[s]) : 6);
      if (isnan(value))
        cs_text_add(text, "%*s", width, "-");
      else
        cs_text_add(text, "%*.2f", width, value);
    }
    cs_text_add(text, "\n");
  }
}

static void add_orders(const struct cs_table *table, const struct cs_array *status, struct cs_text *text) {
  enum { MOST_ROWS = 24, PLACE = 34 };
  for (size_t i = 0; i < table->arrays; i++) {
    const struct cs_array *orders = &table->array[i], *metric = fitted(table, orders);
    if (metric == NULL) continue;
    const struct cs_dimension *signal =
        metric->dimensions > status->dimensions ? &table->dimension[metric->dimension[status->dimensions]] : NULL;
    const size_t signals = signal != NULL ? signal->length : 1, rows = signals > 0 ? orders->count / signals : 0;
    size_t width = PLACE;
    for (size_t s = 0; s < signals && signal != NULL; s++)
      width += 2 + strlen(signal->labels[s]);
    cs_text_add(text, "\norder of %s along %s\n", metric->name, fitted_axis(table, metric, orders));
    if (rows <= MOST_ROWS && width <= COLUMNS)
      add_rows(table, orders, status->dimensions - 1, rows, signal, text);
    else
      add_spread(orders, rows, signals, signal != NULL ? signal->labels : NULL, text);
  }
}

/* ---- the whole */

static void add_status(const struct cs_array *status, struct cs_text *text) {
  size_t count[256] = {0};
  for (size_t i = 0; i < status->count; i++)
    count[status->data.uint8[i]]++;
  const char *separator = ": ";
  cs_text_add(text, "runs      ");
  cs_add_count(text, (double)status->count);
  const char *word = status->flag_meanings != NULL ? status->flag_meanings : "";
  for (int i = 0; i < 256 && *word != '\0'; i++) {
    const size_t length = strcspn(word, " ");
    if (count[i] > 0) {
      cs_text_add(text, "%s%zu %.*s", separator, count[i], (int)length, word);
      separator = ", ";
    }
    word += length + strspn(word + length, " ");
  }
  cs_text_add(text, "\n");
}

static void add_provenance(const struct cs_table *table, struct cs_text *text) {
  if (cs_table_find_note(table, "study") != NULL) cs_text_add(text, "study     %s\n", note_text(table, "study"));
  if (cs_table_find_note(table, "steps") != NULL) {
    cs_text_add(text, "steps     ");
    cs_add_count(text, note_number(table, "steps"));
    cs_text_add(text, "\n");
  }
  cs_text_add(text, "made by   %s, started %s\ntook      ", table->source, note_text(table, "started"));
  cs_add_duration(text, note_number(table, "wall_seconds"));
  cs_text_add(text, ", ");
  cs_add_duration(text, note_number(table, "device_seconds"));
  cs_text_add(text, " on the device\ndevice    %s\ndriver    %s %s\n", note_text(table, "device"),
              note_text(table, "platform"), note_text(table, "driver"));
  cs_text_add(text, "command   %s\n", note_text(table, "command"));
}

/* Options that say how to rank want --rank. */
static int check_options(const struct cs_arguments *arguments, struct cs_error *error) {
  static const struct {
    enum cs_option option;
    const char *name;
  } rank_only[] = {{CS_OPTION_COST, "cost"},   {CS_OPTION_SIGNAL, "signal"}, {CS_OPTION_AT, "at"},
                   {CS_OPTION_ERROR, "error"}, {CS_OPTION_BUDGET, "budget"}, {CS_OPTION_JSON, "json"}};
  for (size_t i = 0; i < sizeof rank_only / sizeof *rank_only && !arguments->given[CS_OPTION_RANK]; i++)
    if (arguments->given[rank_only[i].option])
      return cs_error_set(error, CS_USAGE,
                          "cosweep info: --%s says how to rank; want --rank METRIC with it (see: cosweep info --help)",
                          rank_only[i].name);
  return CS_OK;
}

int cs_command_info(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *path = arguments->operand[0];
  struct cs_table *table = NULL;
  struct cs_text text = {0};
  int code = check_options(arguments, error);
  if (code == CS_OK) code = cs_store_read(path, &table, error);
  if (code != CS_OK) return code;
  if (arguments->given[CS_OPTION_RANK]) {
    code = cs_command_rank(arguments, table, error);
    goto out;
  }
  const struct cs_array *status = cs_table_find(table, "status");
  if (status == NULL || status->type != CS_UINT8) {
    code = cs_error_set(error, CS_IO, "%s: no variable \"status\"; want a result of cosweep", path);
    goto out;
  }
  cs_text_add(&text, "%s\n", path);
  cs_add_paragraph(&text, 2, table->title);
  cs_text_add(&text, "\n");
  add_status(status, &text);
  add_provenance(table, &text);
  add_axes(table, status, &text);
  add_metrics(table, status, &text);
  add_boundaries(table, &text);
  add_orders(table, status, &text);
  code = cs_command_print(&text, error);
out:
  cs_table_free(table);
  return code;
}
