/* The lines of a figure, one for each combination of settings: which of them are drawn in colour, and what these are
 * called. */
#ifndef COSWEEP_METHODS_H
#define COSWEEP_METHODS_H

#include "rank.h"
#include "view.h"

struct cs_methods {
  const struct cs_view *view;
  size_t count; /* lines */
  /* For each slice: the part that each position along its dimension belongs to, SIZE_MAX if it is not drawn, and the
   * number of parts. NULL: the slice does not tell lines apart. */
  size_t *part[CS_MAX_DIMENSIONS], parts[CS_MAX_DIMENSIONS];
  size_t slice[CS_MAX_DIMENSIONS], slices; /* those that do, in the order in which they were added, the last fastest */
  size_t *order, *place; /* [count]: lines, those in colour first, the best first; where each line is in that */
  size_t coloured;
};

/* Lines without any setting that tells them apart: one. cs_methods_close is needed even on failure. */
void cs_methods_open(const struct cs_view *view, struct cs_methods *methods);
void cs_methods_close(struct cs_methods *methods);
/* Makes a slice tell lines apart by the groups of its positions, [length] along its dimension. */
int cs_methods_add(struct cs_methods *methods, size_t slice, const size_t *group, struct cs_error *error);
/* The line of a position, [slices] along the view's. */
size_t cs_methods_line(const struct cs_methods *methods, const size_t *position);
/* Chooses the lines in colour: the best, or the best of those that the request highlights. CS_USAGE for names and
 * values that there are none of. `runs`: combinations are the lines. */
int cs_methods_rank(struct cs_methods *methods, const struct cs_rank_runs *runs, struct cs_error *error);
/* Appends what distinguishes a line in colour from the others in colour: "gauss_seidel, order 2". */
void cs_methods_add_name(const struct cs_methods *methods, size_t line, struct cs_text *text);
/* Notes how many lines are in colour, which, and what they have in common. `what`: "methods". `why`: "the best ...". */
void cs_methods_note(const struct cs_methods *methods, const char *what, const char *why, struct cs_text *notes);

#endif
