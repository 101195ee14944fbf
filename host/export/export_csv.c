/* Long-format CSV: columns that identify the row, then one column per array. The field of an array that is not defined
 * for a row's signal is empty; NaN is a value. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"

struct csv {
  const struct cs_export *export;
  struct cs_text *text;
  const struct cs_array **place, **column; /* [places], [columns] */
  size_t places, columns;
  size_t *axis, *kind; /* [axes], [kinds] dimensions of the columns; kinds: of signals */
  size_t axes, kinds;
  size_t *position;              /* [table->dimensions] of the row */
  const struct cs_array *status; /* gives the run number of a row; NULL: rows are not runs */
};

/* ---- fields */

/* Quoted if it contains a comma, a quote or a line break; quotes are doubled. */
static void add_text(struct cs_text *text, const char *field) {
  if (field[strcspn(field, ",\"\n")] == '\0') {
    cs_text_add_plain(text, field);
    return;
  }
  struct cs_text plain = {0};
  cs_text_add_plain(&plain, field);
  text->failed |= plain.failed;
  cs_text_append(text, "\"", 1);
  for (field = cs_text_string(&plain); *field != '\0'; field++)
    cs_text_append(text, *field == '"' ? "\"\"" : field, *field == '"' ? 2 : 1);
  cs_text_append(text, "\"", 1);
  cs_text_free(&plain);
}

static void add_number(struct cs_text *text, double value) {
  if (isnan(value))
    cs_text_append(text, "NaN", 3);
  else if (isinf(value))
    cs_text_add(text, value > 0.0 ? "Inf" : "-Inf");
  else
    cs_text_add_number(text, value);
}

static void add_coordinate(struct cs_text *text, const struct cs_dimension *dimension, size_t at) {
  if (dimension->labels != NULL)
    add_text(text, dimension->labels[at]);
  else
    add_number(text, dimension->values[at]);
}

static void add_item(struct cs_text *text, const struct cs_array *array, size_t item) {
  if (array->type == CS_TEXT)
    add_text(text, array->data.text[item] != NULL ? array->data.text[item] : "");
  else if (array->type == CS_INT64)
    cs_text_add(text, "%" PRId64, cs_table_int64(array, item));
  else
    add_number(text, cs_table_number(array, item));
}

/* ---- what the rows and columns are */

/* The arrays named by the user, else those with a value for every run. */
static bool is_column(const struct cs_export *export, const struct cs_array *array) {
  if (cs_export_is_place(export, array)) return false;
  if (export->asked) return true;
  size_t axes = 0;
  for (size_t d = 0; d < export->table->dimensions; d++)
    axes += export->axis[d];
  for (size_t i = 0; i < array->dimensions; i++)
    axes -= export->axis[array->dimension[i]];
  return axes == 0;
}

static bool any_has(const struct csv *csv, size_t dimension) {
  for (size_t i = 0; i < csv->columns; i++)
    if (cs_export_lies_over(csv->column[i], dimension)) return true;
  return false;
}

static void find_layout(struct csv *csv) {
  const struct cs_export *export = csv->export;
  for (size_t i = 0; i < export->arrays; i++)
    if (is_column(export, export->array[i])) csv->column[csv->columns++] = export->array[i];
  for (size_t d = 0; d < export->table->dimensions; d++)
    if (any_has(csv, d)) {
      if (export->axis[d])
        csv->axis[csv->axes++] = d;
      else
        csv->kind[csv->kinds++] = d;
    }
  for (size_t i = 0; i < export->arrays; i++)
    if (cs_export_is_place(export, export->array[i]) && any_has(csv, export->array[i]->dimension[0]))
      csv->place[csv->places++] = export->array[i];
  csv->status = cs_table_find(export->table, "status");
  if (csv->status != NULL && (csv->status->dimensions != csv->axes || cs_table_find_note(export->root, "run") != NULL))
    csv->status = NULL;
}

/* A column name that no array of the file has. */
static void add_own_name(const struct csv *csv, const char *name) {
  const struct cs_table *table = csv->export->table;
  cs_text_add(csv->text, "%s%s", name,
              cs_table_find(table, name) != NULL || cs_table_find_dimension(table, name) != NULL ? "_" : "");
}

static void add_head(const struct csv *csv) {
  const size_t start = csv->text->length;
  if (csv->status != NULL) {
    add_own_name(csv, "run");
    cs_text_add(csv->text, ",");
  }
  for (size_t i = 0; i < csv->axes; i++) {
    add_text(csv->text, csv->export->table->dimension[csv->axis[i]].name);
    cs_text_add(csv->text, ",");
  }
  for (size_t i = 0; i < csv->places; i++) {
    add_text(csv->text, csv->place[i]->name);
    cs_text_add(csv->text, ",");
  }
  if (csv->kinds > 0) {
    add_own_name(csv, "signal_kind");
    cs_text_add(csv->text, ",");
    add_own_name(csv, "signal");
    cs_text_add(csv->text, ",");
  }
  for (size_t i = 0; i < csv->columns; i++) {
    add_text(csv->text, csv->column[i]->name);
    cs_text_add(csv->text, ",");
  }
  if (csv->text->length > start && !csv->text->failed) csv->text->data[csv->text->length - 1] = '\n';
}

/* ---- rows */

/* `kind`: the dimension of the row's signal. */
static void add_row(const struct csv *csv, const size_t *kind) {
  const struct cs_table *table = csv->export->table;
  struct cs_text *text = csv->text;
  if (csv->status != NULL) cs_text_add(text, "%zu,", cs_export_item(csv->export, csv->status, csv->position));
  for (size_t i = 0; i < csv->axes; i++) {
    add_coordinate(text, &table->dimension[csv->axis[i]], csv->position[csv->axis[i]]);
    cs_text_append(text, ",", 1);
  }
  for (size_t i = 0; i < csv->places; i++) {
    add_item(text, csv->place[i], cs_export_item(csv->export, csv->place[i], csv->position));
    cs_text_append(text, ",", 1);
  }
  if (kind != NULL) {
    add_text(text, table->dimension[*kind].name);
    cs_text_append(text, ",", 1);
    add_coordinate(text, &table->dimension[*kind], csv->position[*kind]);
    cs_text_append(text, ",", 1);
  }
  for (size_t i = 0; i < csv->columns; i++) {
    const struct cs_dimension *signals = cs_export_signals(csv->export, csv->column[i]);
    if (signals == NULL || (kind != NULL && signals == &table->dimension[*kind]))
      add_item(text, csv->column[i], cs_export_item(csv->export, csv->column[i], csv->position));
    cs_text_append(text, i + 1 < csv->columns ? "," : "\n", 1);
  }
}

enum { BLOCK = 1 << 20 }; /* bytes that are handed over at once */

static int hand_over(const struct csv *csv, struct cs_error *error) {
  const struct cs_export *export = csv->export;
  if (export->take == NULL || csv->text->length < BLOCK || csv->text->failed) return CS_OK;
  return export->take(export->context, csv->text, error);
}

static int add_rows(const struct csv *csv, struct cs_error *error) {
  const struct cs_export *export = csv->export;
  int code = CS_OK;
  for (size_t d = 0; d < export->table->dimensions; d++)
    csv->position[d] = export->first[d];
  do {
    if (csv->kinds == 0) add_row(csv, NULL);
    for (size_t k = 0; k < csv->kinds; k++)
      do
        add_row(csv, &csv->kind[k]);
      while (cs_export_advance(export, 1, &csv->kind[k], csv->position));
    code = hand_over(csv, error);
  } while (code == CS_OK && !csv->text->failed && cs_export_advance(export, csv->axes, csv->axis, csv->position));
  return code;
}

int cs_export_csv(const struct cs_export *export, struct cs_text *text, struct cs_error *error) {
  int code = CS_OK;
  const size_t dimensions = export->table->dimensions + 1, arrays = export->arrays + 1;
  struct csv csv = {.export = export,
                    .text = text,
                    .place = calloc(arrays, sizeof *csv.place),
                    .column = calloc(arrays, sizeof *csv.column),
                    .axis = calloc(dimensions, sizeof *csv.axis),
                    .kind = calloc(dimensions, sizeof *csv.kind),
                    .position = calloc(dimensions, sizeof *csv.position)};
  if (csv.place == NULL || csv.column == NULL || csv.axis == NULL || csv.kind == NULL || csv.position == NULL)
    text->failed = 1;
  if (!text->failed) {
    find_layout(&csv);
    add_head(&csv);
    code = add_rows(&csv, error);
  }
  free(csv.place);
  free(csv.column);
  free(csv.axis);
  free(csv.kind);
  free(csv.position);
  return text->failed ? cs_error_memory(error) : code;
}
