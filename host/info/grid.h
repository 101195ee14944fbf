/* A table of words: what stands in its cells, and how it is put on a terminal of 80 columns. */
#ifndef COSWEEP_GRID_H
#define COSWEEP_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* Numbers stand to the right, names to the left; less important ones are dim where there are colours. */
enum cs_grid_style { CS_GRID_RIGHT, CS_GRID_LEFT, CS_GRID_RIGHT_DIM, CS_GRID_LEFT_DIM, CS_GRID_LEFT_CODE };

struct cs_grid_cell {
  char *words;              /* lines on a page are separated by \n */
  char *more, *hint;        /* on a page alone: a dim line below, and what is shown beside the pointer; NULL: none */
  bool marked;              /* stands out on a page */
  enum cs_grid_style style; /* of a head: its column's */
};

struct cs_grid {
  size_t columns;
  size_t firm; /* columns that stay side by side on a terminal; where the others do not fit, they go below */
  size_t cells;
  struct cs_grid_cell *cell; /* row by row, the first row holds the heads */
  int failed;
};

/* A further column, by its head; all of them before the first cell. */
void cs_grid_head(struct cs_grid *grid, enum cs_grid_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The next cell. */
void cs_grid_add(struct cs_grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same from a text, which is freed. */
void cs_grid_take(struct cs_grid *grid, struct cs_text *words);
/* The last cell's line below, and its hint; takes over the text. */
void cs_grid_more(struct cs_grid *grid, struct cs_text *words);
void cs_grid_hint(struct cs_grid *grid, struct cs_text *words);
/* Appends the table, each line after two blanks. Columns with nothing but a head are left out. */
void cs_grid_print(const struct cs_grid *grid, struct cs_text *text);
void cs_grid_free(struct cs_grid *grid);

#endif
