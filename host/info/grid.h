/* A table of text on a terminal of 80 columns. */
#ifndef COSWEEP_COMMAND_GRID_H
#define COSWEEP_COMMAND_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

enum { CS_GRID_COLUMNS = 64 };

struct cs_grid {
  size_t columns;
  bool left[CS_GRID_COLUMNS]; /* names; numbers stand to the right */
  size_t firm;                /* columns that stay side by side; where the others do not fit, they go below */
  size_t cells, capacity;
  char **cell; /* row by row, the first row holds the heads */
  int failed;
};

/* The next cell. */
void cs_grid_add(struct cs_grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the table, each line after two blanks, and frees the cells. Columns with nothing but a head are left out. */
void cs_grid_print(struct cs_grid *grid, struct cs_text *text);

#endif
