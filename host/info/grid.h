/* A table of texts, and its layout on a terminal of 80 columns. */
#ifndef COSWEEP_GRID_H
#define COSWEEP_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* Alignment and emphasis of a column. Numbers are right-aligned. Dim and code: on a page only. */
enum cs_grid_style { CS_GRID_RIGHT, CS_GRID_LEFT, CS_GRID_RIGHT_DIM, CS_GRID_LEFT_DIM, CS_GRID_LEFT_CODE };

struct cs_grid_cell {
  char *words;              /* lines separated by \n on a page */
  char *more, *hint;        /* on a page only: a dim line below, and a tooltip; NULL: none */
  bool marked;              /* highlighted on a page */
  enum cs_grid_style style; /* of a head: its column's */
};

struct cs_grid {
  size_t columns;
  size_t firm; /* leading columns that stay side by side on a terminal; the others move below if too wide */
  size_t cells;
  struct cs_grid_cell *cell; /* row by row; the first row holds the heads */
  int failed;
};

/* Adds a column by its head; all heads come before the first cell. */
void cs_grid_head(struct cs_grid *grid, enum cs_grid_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds the next cell. */
void cs_grid_add(struct cs_grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the next cell from a text, and frees it. */
void cs_grid_take(struct cs_grid *grid, struct cs_text *words);
/* Sets `more` or `hint` of the last cell; takes ownership of the text. */
void cs_grid_more(struct cs_grid *grid, struct cs_text *words);
void cs_grid_hint(struct cs_grid *grid, struct cs_text *words);
/* Appends the table, indented by two blanks. Columns with empty cells only are omitted. */
void cs_grid_print(const struct cs_grid *grid, struct cs_text *text);
void cs_grid_free(struct cs_grid *grid);

#endif
