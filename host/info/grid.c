#include "grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

enum { WIDEST = 79, INDENT = 2, GAP = 2 };

void cs_grid_add(struct cs_grid *grid, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (grid->cells == grid->capacity) {
    const size_t capacity = 2 * grid->capacity + 64;
    char **cell = realloc(grid->cell, capacity * sizeof *cell);
    if (cell == NULL) {
      grid->failed = 1;
      va_end(again);
      return;
    }
    grid->cell = cell;
    grid->capacity = capacity;
  }
  char *word = length < 0 ? NULL : malloc((size_t)length + 1);
  if (word != NULL) vsnprintf(word, (size_t)length + 1, format, again);
  va_end(again);
  grid->failed |= word == NULL;
  if (word != NULL) grid->cell[grid->cells++] = word;
}

/* Columns on the terminal. */
static size_t width_of(const char *word) {
  size_t width = 0;
  for (; *word != '\0'; word++)
    width += ((unsigned char)*word & 0xc0) != 0x80;
  return width;
}

static void add_cell(struct cs_text *text, const char *word, size_t gap, size_t width, bool left, bool last) {
  const int pad = (int)(width - width_of(word));
  cs_text_add(text, "%*s%*s%s%*s", (int)gap, "", left ? 0 : pad, "", word, left && !last ? pad : 0, "");
}

/* What does not fit beside the rest: "hold taylor, order 1". */
static void add_below(const struct cs_grid *grid, size_t row, struct cs_text *text) {
  struct cs_text line = {0};
  for (size_t i = grid->firm; i < grid->columns; i++)
    cs_text_add(&line, "%s%s %s", i > grid->firm ? ", " : "", grid->cell[i], grid->cell[row * grid->columns + i]);
  text->failed |= line.failed;
  if (line.data != NULL) cs_add_paragraph(text, INDENT + 6, line.data);
  cs_text_free(&line);
}

/* Width of every column, 0 where there is nothing below its head; returns the width of the line. */
static size_t measure(const struct cs_grid *grid, size_t rows, size_t *width) {
  size_t total = INDENT - GAP;
  for (size_t i = 0; i < grid->columns; i++) {
    for (size_t row = 1; row < rows; row++) {
      const size_t here = width_of(grid->cell[row * grid->columns + i]);
      if (here > width[i]) width[i] = here;
    }
    const size_t head = width_of(grid->cell[i]);
    if (width[i] > 0 && head > width[i]) width[i] = head;
    if (width[i] > 0) total += width[i] + GAP;
  }
  return total;
}

static void add_row(const struct cs_grid *grid, size_t row, size_t columns, const size_t *width, struct cs_text *text) {
  size_t gap = INDENT;
  for (size_t i = 0; i < columns; i++) {
    if (width[i] == 0) continue;
    add_cell(text, grid->cell[row * grid->columns + i], gap, width[i], grid->left[i], i + 1 == columns);
    gap = GAP;
  }
  cs_text_add(text, "\n");
}

void cs_grid_print(struct cs_grid *grid, struct cs_text *text) {
  const size_t rows = grid->columns > 0 ? grid->cells / grid->columns : 0;
  size_t width[CS_GRID_COLUMNS] = {0};
  text->failed |= grid->failed;
  const size_t beside = grid->failed || measure(grid, rows, width) <= WIDEST ? grid->columns : grid->firm;
  for (size_t row = 0; row < rows && !grid->failed; row++) {
    add_row(grid, row, beside, width, text);
    if (row > 0 && beside < grid->columns) add_below(grid, row, text);
  }
  for (size_t i = 0; i < grid->cells; i++)
    free(grid->cell[i]);
  free(grid->cell);
  *grid = (struct cs_grid){0};
}
