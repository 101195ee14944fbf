/* A result for other programs: chosen arrays at chosen places as CSV, as a MATLAB file, or described for ParaView
 * (docs/formats.md section 5). */
#ifndef COSWEEP_EXPORT_H
#define COSWEEP_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "runs.h"
#include "text.h"

/* What is exported, as the user names it. All borrowed. */
struct cs_export_wish {
  const char *path;    /* of the file, for messages */
  const char *group;   /* instead of the root; NULL: the root */
  const char **metric; /* [metrics] names of arrays; none: all */
  size_t metrics;
  const char **where; /* [wheres] "dimension=value", also several of one dimension */
  size_t wheres;
};

struct cs_export {
  const struct cs_table *root, *table; /* the file's, and the one exported: the root or its group; borrowed */
  struct cs_runs runs;                 /* what the dimensions of `table` are */
  bool **chosen;                       /* [table->dimensions][its length] positions; NULL: all of them */
  size_t *first, *length;              /* [table->dimensions] the first of the chosen ones, and their number */
  bool *axis;                          /* [table->dimensions] an axis of the runs, not signals */
  const struct cs_array **array;       /* [arrays] in the order of the table */
  size_t arrays;
  bool asked; /* for these arrays, by name */
};

/* CS_USAGE on a wish that the file cannot fulfil, with what it has. cs_export_close is needed also on failure. */
int cs_export_open(const struct cs_table *root, const struct cs_export_wish *wish, struct cs_export *export,
                   struct cs_error *error);
void cs_export_close(struct cs_export *export);

/* One row for every run and signal, as RFC 4180 has it but with plain newlines. */
int cs_export_csv(const struct cs_export *export, struct cs_text *text, struct cs_error *error);
/* A MAT-file of level 5. CS_USAGE where a variable is too large for one. */
int cs_export_matlab(const struct cs_export *export, struct cs_text *bytes, struct cs_error *error);
/* An XDMF file whose numbers stay in the result file; `reference`: that one's name as the XDMF file is to say it.
 * CS_USAGE where nothing lies over an axis of numbers. */
int cs_export_xdmf(const struct cs_export *export, const char *reference, struct cs_text *text, struct cs_error *error);

/* ---- for the formats */

/* Is this one of the array's dimensions? */
bool cs_export_lies_over(const struct cs_array *array, size_t dimension);
/* Is this what a run's place is called beside the axes: a column of an axis that moves several settings together, or a
 * coordinate of a point in a group? */
bool cs_export_is_place(const struct cs_export *export, const struct cs_array *array);
/* The array's dimension that is not an axis, or NULL. */
const struct cs_dimension *cs_export_signals(const struct cs_export *export, const struct cs_array *array);
/* Number in the array of the item at `position` [table->dimensions]. */
size_t cs_export_item(const struct cs_export *export, const struct cs_array *array, const size_t *position);
/* Is this one of the chosen positions along a dimension? */
bool cs_export_has(const struct cs_export *export, size_t dimension, size_t position);
/* To the next of the chosen positions along `dimension` [count], the last one fastest; false after the last, when all
 * are back at the first. */
bool cs_export_advance(const struct cs_export *export, size_t count, const size_t *dimension, size_t *position);

#endif
