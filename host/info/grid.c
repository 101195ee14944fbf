#include "grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "words.h"

enum { WIDEST = 79, INDENT = 2, GAP = 2 };

static void add_cell(struct cs_grid *grid, const char *format, va_list arguments) {
  struct cs_text words = {0};
  cs_text_add_list(&words, format, arguments);
  if (!words.failed && cs_list_grow(&grid->cell, grid->cells, sizeof *grid->cell)) {
    grid->cell[grid->cells++] = (struct cs_grid_cell){.words = words.data};
    return;
  }
  grid->failed = 1;
  cs_text_free(&words);
}

void cs_grid_head(struct cs_grid *grid, enum cs_grid_style style, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_cell(grid, format, arguments);
  va_end(arguments);
  grid->columns++;
  if (!grid->failed) grid->cell[grid->cells - 1].style = style;
}

void cs_grid_add(struct cs_grid *grid, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_cell(grid, format, arguments);
  va_end(arguments);
}

void cs_grid_take(struct cs_grid *grid, struct cs_text *words) {
  cs_grid_add(grid, "%s", cs_text_string(words));
  grid->failed |= words->failed;
  cs_text_free(words);
}

/* Moves the text to *last; `last` is NULL if there is no cell. */
static void take(struct cs_grid *grid, char **last, struct cs_text *words) {
  grid->failed |= words->failed || last == NULL;
  if (last != NULL) {
    *last = words->data;
    *words = (struct cs_text){0};
  }
  cs_text_free(words);
}

void cs_grid_more(struct cs_grid *grid, struct cs_text *words) {
  take(grid, grid->cells > 0 ? &grid->cell[grid->cells - 1].more : NULL, words);
}

void cs_grid_hint(struct cs_grid *grid, struct cs_text *words) {
  take(grid, grid->cells > 0 ? &grid->cell[grid->cells - 1].hint : NULL, words);
}

/* Columns that a word takes on the terminal. */
static size_t width_of(const char *word) {
  size_t width = 0;
  for (; *word != '\0'; word++)
    width += ((unsigned char)*word & 0xc0) != 0x80;
  return width;
}

static void print_cell(struct cs_text *text, const char *word, size_t gap, size_t width, bool left, bool last) {
  const int pad = (int)(width - width_of(word));
  cs_text_add(text, "%*s%*s", (int)gap, "", left ? 0 : pad, "");
  cs_text_add_line(text, word);
  cs_text_add(text, "%*s", left && !last ? pad : 0, "");
}

/* The columns that do not fit side by side: "hold taylor, order 1". */
static void add_below(const struct cs_grid *grid, size_t row, struct cs_text *text) {
  struct cs_text line = {0};
  for (size_t i = grid->firm; i < grid->columns; i++) {
    const char *word = grid->cell[row * grid->columns + i].words;
    if (*word != '\0') cs_text_add(&line, "%s%s %s", line.length > 0 ? ", " : "", grid->cell[i].words, word);
  }
  text->failed |= line.failed;
  if (line.data != NULL) cs_words_add_paragraph(text, INDENT + 6, line.data);
  cs_text_free(&line);
}

/* Width of every column, 0 if all cells below its head are empty; returns the width of a line. */
static size_t measure(const struct cs_grid *grid, size_t rows, size_t *width) {
  size_t total = INDENT - GAP;
  for (size_t i = 0; i < grid->columns; i++) {
    for (size_t row = 1; row < rows; row++) {
      const size_t here = width_of(grid->cell[row * grid->columns + i].words);
      if (here > width[i]) width[i] = here;
    }
    const size_t head = width_of(grid->cell[i].words);
    if (width[i] > 0 && head > width[i]) width[i] = head;
    if (width[i] > 0) total += width[i] + GAP;
  }
  return total;
}

static void add_row(const struct cs_grid *grid, size_t row, size_t columns, const size_t *width, struct cs_text *text) {
  size_t gap = INDENT;
  for (size_t i = 0; i < columns; i++) {
    if (width[i] == 0) continue;
    const enum cs_grid_style style = grid->cell[i].style;
    const bool left = style != CS_GRID_RIGHT && style != CS_GRID_RIGHT_DIM;
    print_cell(text, grid->cell[row * grid->columns + i].words, gap, width[i], left, i + 1 == columns);
    gap = GAP;
  }
  while (text->length > 0 && text->data[text->length - 1] == ' ') /* a last cell without words */
    text->data[--text->length] = '\0';
  cs_text_add(text, "\n");
}

void cs_grid_print(const struct cs_grid *grid, struct cs_text *text) {
  const size_t rows = grid->columns > 0 ? grid->cells / grid->columns : 0;
  size_t *width = calloc(grid->columns + 1, sizeof *width);
  text->failed |= grid->failed || width == NULL;
  const size_t beside = text->failed || measure(grid, rows, width) <= WIDEST ? grid->columns : grid->firm;
  for (size_t row = 0; row < rows && !text->failed; row++) {
    add_row(grid, row, beside, width, text);
    if (row > 0 && beside < grid->columns) add_below(grid, row, text);
  }
  free(width);
}

void cs_grid_free(struct cs_grid *grid) {
  for (size_t i = 0; i < grid->cells; i++) {
    free(grid->cell[i].words);
    free(grid->cell[i].more);
    free(grid->cell[i].hint);
  }
  free(grid->cell);
  *grid = (struct cs_grid){0};
}
