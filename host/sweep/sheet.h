/* Tables in CSV files, as they are written by hand, by pandas and by spreadsheets. */
#ifndef COSWEEP_SHEET_H
#define COSWEEP_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* The cells of a file [rows][columns]; the first row has the names. Texts point into the file's. */
struct cs_sheet {
  char **cell;
  size_t *line; /* [rows] on which it begins, from 1 */
  size_t cells, columns, rows;
  char separator; /* comma, semicolon or tab: the first of ; , \t that the first row has outside quotes */
};

/* Takes apart `text`, which it changes. Left out are empty rows, columns without a name and without anything in them,
 * and a first column without name that counts the rows from 0 or 1. Every other column has a name of its own. CS_INPUT
 * with "PATH:LINE: what is wrong". To be freed also on failure. */
int cs_sheet_read(const char *path, char *text, struct cs_sheet *sheet, struct cs_error *error);
void cs_sheet_free(struct cs_sheet *sheet);

/* Whether a cell is a finite decimal number: the C library would read hexadecimal numbers and words as well. A decimal
 * comma is one where another character separates. */
bool cs_sheet_number(const struct cs_sheet *sheet, const char *cell, double *value);

#endif
