/* Views of shared events, which have to be the same in the exact solution: conditions over r = (states, 1). */
#ifndef COSWEEP_VIEWS_H
#define COSWEEP_VIEWS_H

#include "model.h"

/* Where two views of an event differ. */
struct cs_views_gap {
  const char *one, *other; /* their subsystems */
  size_t condition;        /* number of the condition in its view, from 1 */
};

/* The end of the view that begins with condition number `first`, of conditions before `end`. */
size_t cs_views_end(const struct cs_model *model, size_t first, size_t end);
/* Whether views of an event differ by more than 1e-9 of the larger values; they must have as many conditions each.
 * row: [conditions][states + 1], sums over r that are not negative where the condition holds. */
bool cs_views_differ(const struct cs_model *model, size_t event, const double *row, struct cs_views_gap *gap);

#endif
