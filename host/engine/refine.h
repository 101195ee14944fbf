/* Refinement of maps around stability boundaries (docs/formats.md section 2). Uses no device; the caller supplies a
 * function that evaluates points. */
#ifndef COSWEEP_REFINE_H
#define COSWEEP_REFINE_H

#include "boundary.h"

/* Adds the group "refined" to the table: points inside the cells of the maps over the axes sweep->refined whose corners
 * differ in `stable`, level by level. radius [sweep->runs]: as for cs_boundary_search. */
int cs_refine_maps(const struct cs_sweep *sweep, const double *radius, cs_evaluate *evaluate, void *context,
                   struct cs_table *table, struct cs_error *error);

#endif
