/* A result for other programs: selected arrays and positions as CSV, as a MATLAB file, or described for ParaView
 * (docs/formats.md section 5). */
#ifndef COSWEEP_EXPORT_H
#define COSWEEP_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "runs.h"
#include "text.h"

/* What to export, as the user names it. All borrowed. */
struct cs_export_wish {
  const char *path;    /* of the file, for messages */
  const char *command; /* that the user gave, for messages; NULL: export */
  const char *group;   /* group to export; NULL: the root */
  const char **metric; /* [metrics] names of arrays, several separated by commas; if there are none, all arrays */
  size_t metrics;
  const char **where; /* [wheres] "dimension=value"; several values of a dimension add up */
  size_t wheres;
};

struct cs_export {
  const struct cs_table *root, *table; /* the file, and what is exported: the root or its group; borrowed */
  struct cs_runs runs;                 /* the dimensions of `table` */
  bool **chosen;                       /* [table->dimensions][length of the dimension] selected positions; NULL: all */
  size_t *first, *length;              /* [table->dimensions] first selected position, and their number */
  bool *axis;                          /* [table->dimensions] whether it is an axis of the runs rather than signals */
  const struct cs_array **array;       /* [arrays] in the order of the table */
  size_t arrays;
  bool asked; /* the user has named the arrays */
  /* Takes what there is of a long text, which then begins anew; NULL: the text is one. */
  int (*take)(void *context, struct cs_text *text, struct cs_error *error);
  void *context;
};

/* CS_USAGE if the file has no such group, array or position; the message lists those it has. If the sweep in the
 * provenance is not valid JSON, settings of axes are arrays like any other. cs_export_close is needed even on failure.
 */
int cs_export_open(const struct cs_table *root, const struct cs_export_wish *wish, struct cs_export *export,
                   struct cs_error *error);
void cs_export_close(struct cs_export *export);

/* One row per run and signal, in the format of RFC 4180 with plain newlines. What `take` has not taken is in `text`. */
int cs_export_csv(const struct cs_export *export, struct cs_text *text, struct cs_error *error);
/* A level 5 MAT-file; what `take` has not taken is in `bytes`. CS_USAGE if a variable is too large for it. */
int cs_export_matlab(const struct cs_export *export, struct cs_text *bytes, struct cs_error *error);
/* An XDMF file that refers to the numbers in the result file; `reference`: the name of the result file in the XDMF
 * file. CS_USAGE if no array is over a numeric axis, or if there are too many maps. */
int cs_export_xdmf(const struct cs_export *export, const char *reference, struct cs_text *text, struct cs_error *error);

/* ---- for the formats */

/* Whether this is one of the array's dimensions. */
bool cs_export_lies_over(const struct cs_array *array, size_t dimension);
/* Whether the array labels positions like an axis: one of several settings that an axis changes together, or a
 * coordinate of the points in a group. */
bool cs_export_is_place(const struct cs_export *export, const struct cs_array *array);
/* The array's dimension that is not an axis, or NULL. */
const struct cs_dimension *cs_export_signals(const struct cs_export *export, const struct cs_array *array);
/* Index in the array of the item at `position` [table->dimensions]. */
size_t cs_export_item(const struct cs_export *export, const struct cs_array *array, const size_t *position);
/* Whether a position along a dimension is selected. */
bool cs_export_has(const struct cs_export *export, size_t dimension, size_t position);
/* Advances to the next selected position along `dimension` [count], the last one fastest; returns false after the last,
 * with all back at the first. */
bool cs_export_advance(const struct cs_export *export, size_t count, const size_t *dimension, size_t *position);

#endif
