#include "sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "text.h"

/* ---- cells */

static char separator_of(const char *text) {
  static const char order[] = {';', ',', '\t'};
  bool quoted = false, found[sizeof order] = {false};
  for (; *text != '\0' && (quoted || (*text != '\n' && *text != '\r')); text++) {
    quoted = quoted != (*text == '"');
    for (size_t i = 0; i < sizeof order && !quoted; i++)
      found[i] = found[i] || *text == order[i];
  }
  return found[0] ? order[0] : found[1] || !found[2] ? order[1] : order[2];
}

/* Ends the cell that begins at `at` and adds it; returns where the next one begins, with the character that ended it. A
 * cell in double quotes may have separators and line breaks, and two quotes for one; its breaks count as lines. */
static char *take_cell(char *at, char separator, char *ended, size_t *line) {
  const char ends[] = {separator, '\r', '\n', '\0'};
  char *to = at;
  if (*at == '"') {
    char *from = at + 1;
    while (*from != '\0' && !(from[0] == '"' && from[1] != '"')) {
      from += from[0] == '"';
      *line += *from == '\n';
      *to++ = *from++;
    }
    from += *from == '"';
    from += strcspn(from, ends);
    *ended = *from;
    *to = '\0';
    return from + (*from != '\0');
  }
  to += strcspn(at, ends);
  *ended = *to;
  char *next = to + (*to != '\0');
  while (to > at && (to[-1] == ' ' || to[-1] == '\t'))
    to--;
  *to = '\0';
  return next;
}

static bool is_empty_row(const struct cs_sheet *sheet, size_t begin) {
  while (begin < sheet->cells && sheet->cell[begin][0] == '\0')
    begin++;
  return begin == sheet->cells;
}

/* The cells of one row; returns where the next one begins, NULL when out of memory. */
static char *take_row(char *text, struct cs_sheet *sheet, size_t *columns, size_t *line) {
  char ended = sheet->separator;
  for (*columns = 0; ended == sheet->separator; (*columns)++) {
    while (*text == ' ' || (*text == '\t' && sheet->separator != '\t'))
      text++;
    if (!cs_list_grow(&sheet->cell, sheet->cells, sizeof *sheet->cell)) return NULL;
    sheet->cell[sheet->cells++] = text;
    text = take_cell(text, sheet->separator, &ended, line);
  }
  if (ended == '\r' && *text == '\n') text++;
  ++*line;
  return text;
}

static int read_rows(const char *path, char *text, struct cs_sheet *sheet, struct cs_error *error) {
  size_t line = 1;
  while (*text != '\0') {
    const size_t begins = line, before = sheet->cells;
    size_t columns;
    if (*text == '\r' || *text == '\n') { /* an empty line */
      line += *text++ == '\n';
      continue;
    }
    if (sheet->rows == 0) sheet->separator = separator_of(text);
    text = take_row(text, sheet, &columns, &line);
    if (text == NULL || !cs_list_grow(&sheet->line, sheet->rows, sizeof *sheet->line)) return cs_error_memory(error);
    if (is_empty_row(sheet, before)) {
      sheet->cells = before;
      continue;
    }
    if (sheet->rows == 0) sheet->columns = columns;
    if (columns != sheet->columns)
      return cs_error_set(error, CS_INPUT, "%s:%zu: found %zu value%s; want %zu, as in the first line", path, begins,
                          columns, columns == 1 ? "" : "s", sheet->columns);
    sheet->line[sheet->rows++] = begins;
  }
  if (sheet->rows < 2)
    return cs_error_set(error, CS_INPUT, "%s: found %zu line%s; want a line of paths and lines of values", path,
                        sheet->rows, sheet->rows == 1 ? "" : "s");
  return CS_OK;
}

/* ---- numbers */

bool cs_sheet_number(const struct cs_sheet *sheet, const char *cell, double *value) {
  char number[64], *end;
  const size_t length = strlen(cell);
  if (length >= sizeof number || cell[strspn(cell, "0123456789.,+-eE")] != '\0') return false;
  memcpy(number, cell, length + 1);
  char *comma = strchr(number, ',');
  if (comma != NULL && sheet->separator != ',') *comma = '.';
  *value = strtod(number, &end);
  return end != number && *end == '\0' && isfinite(*value);
}

/* Where commas are decimal, points are not: what they would be is not known. */
static int check_points(const char *path, const struct cs_sheet *sheet, struct cs_error *error) {
  static const char marks[] = ".,";
  size_t first[2] = {0};
  double value;
  for (size_t i = sheet->columns; i < sheet->cells && sheet->separator != ','; i++)
    for (size_t k = 0; k < 2; k++)
      if (first[k] == 0 && strchr(sheet->cell[i], marks[k]) != NULL && cs_sheet_number(sheet, sheet->cell[i], &value))
        first[k] = i;
  if (first[0] == 0 || first[1] == 0) return CS_OK;
  const size_t later = first[0] > first[1] ? first[0] : first[1], sooner = first[0] + first[1] - later;
  return cs_error_set(error, CS_INPUT, "%s:%zu: found \"%s\" and, before it, \"%s\"; want decimal points or commas",
                      path, sheet->line[later / sheet->columns], sheet->cell[later], sheet->cell[sooner]);
}

/* ---- columns */

/* 0, 1, 2, ... or 1, 2, 3, ... */
static bool counts_rows(const struct cs_sheet *sheet, size_t column) {
  double value, first = 0.0;
  for (size_t r = 1; r < sheet->rows; r++) {
    if (!cs_sheet_number(sheet, sheet->cell[r * sheet->columns + column], &value)) return false;
    if (r == 1) first = value;
    if (value != first + (double)(r - 1)) return false;
  }
  return first == 0.0 || first == 1.0;
}

static bool is_empty_column(const struct cs_sheet *sheet, size_t column) {
  size_t r = 0;
  while (r < sheet->rows && sheet->cell[r * sheet->columns + column][0] == '\0')
    r++;
  return r == sheet->rows;
}

/* Says nothing: a nameless column that is empty, or the index of pandas. */
static bool is_left_out(const struct cs_sheet *sheet, size_t column) {
  return sheet->cell[column][0] == '\0' &&
         (is_empty_column(sheet, column) || (column == 0 && counts_rows(sheet, column)));
}

static void drop_column(struct cs_sheet *sheet, size_t column) {
  size_t kept = 0;
  for (size_t i = 0; i < sheet->cells; i++)
    if (i % sheet->columns != column) sheet->cell[kept++] = sheet->cell[i];
  sheet->cells = kept;
  sheet->columns--;
}

static int check_names(const char *path, const struct cs_sheet *sheet, const size_t *number, struct cs_error *error) {
  for (size_t c = 0; c < sheet->columns; c++) {
    if (sheet->cell[c][0] == '\0')
      return cs_error_set(error, CS_INPUT, "%s:%zu: column %zu has no name; want the path of a setting", path,
                          sheet->line[0], number[c]);
    for (size_t d = 0; d < c; d++)
      if (strcmp(sheet->cell[c], sheet->cell[d]) == 0)
        return cs_error_set(error, CS_INPUT, "%s:%zu: path \"%s\" stands in columns %zu and %zu; want each path once",
                            path, sheet->line[0], sheet->cell[c], number[d], number[c]);
  }
  return CS_OK;
}

int cs_sheet_read(const char *path, char *text, struct cs_sheet *sheet, struct cs_error *error) {
  *sheet = (struct cs_sheet){.separator = ','};
  text += cs_text_mark_length(text, strlen(text));
  int code = read_rows(path, text, sheet, error);
  if (code == CS_OK) code = check_points(path, sheet, error);
  if (code != CS_OK) return code;
  size_t *number = malloc(sheet->columns * sizeof *number); /* in the file, of the columns that are kept */
  if (number == NULL) return cs_error_memory(error);
  const size_t all = sheet->columns;
  for (size_t c = 0, kept = 0; c < all; c++)
    if (is_left_out(sheet, kept))
      drop_column(sheet, kept);
    else
      number[kept++] = c + 1;
  code = check_names(path, sheet, number, error);
  free(number);
  return code;
}

void cs_sheet_free(struct cs_sheet *sheet) {
  free(sheet->cell);
  free(sheet->line);
  *sheet = (struct cs_sheet){0};
}
