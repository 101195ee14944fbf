/* A result as one page to look around in (docs/formats.md section 5): its numbers, exactly, with all that says what
 * they are, and the program that draws them, which runs in the reader's browser (page/). */
#ifndef COSWEEP_EXPLORE_H
#define COSWEEP_EXPLORE_H

#include <stddef.h>

#include "error.h"
#include "table.h"
#include "text.h"

enum { CS_EXPLORE_FILES = 2, CS_EXPLORE_LARGEST = 30 }; /* MB of packed numbers on a page */

/* The time histories of a run. */
struct cs_explore_trace {
  size_t run;
  const struct cs_table *table;
};

/* A result, as the user names it, and traces of some of its runs. All borrowed. */
struct cs_explore_file {
  const char *path;
  const struct cs_table *table;
  const struct cs_explore_trace *trace;
  size_t traces;
};

/* What of it is on the page. All borrowed. */
struct cs_explore_wish {
  const char **metric; /* [metrics] names of arrays, several separated by commas; if there are none, all arrays */
  size_t metrics;
  const char **where; /* [wheres] "dimension=value"; several values of a dimension add up */
  size_t wheres;
};

/* Appends the page of one result, or of two over the same axes. CS_USAGE if a result does not have what is asked for,
 * or if the page would be too large; CS_IO if a file is no result, or if the axes of two differ; CS_DEVICE if the
 * program was built without d3. */
int cs_explore_write(const struct cs_explore_file *file, size_t files, const struct cs_explore_wish *wish,
                     struct cs_text *page, struct cs_error *error);

#endif
