/* Stability boundaries (docs/formats.md section 2): locates every change of `stable` between neighbouring values of an
 * axis. Uses no device; the caller supplies a function that evaluates points. */
#ifndef COSWEEP_BOUNDARY_H
#define COSWEEP_BOUNDARY_H

#include "options.h"
#include "plan.h"
#include "table.h"

/* Sorts an axis: order [axis->length] gets its positions in ascending order of their values. */
int cs_boundary_order(const struct cs_axis *axis, size_t *order, struct cs_error *error);

/* Adds the arrays of cs_metric_limit to the table. radius [sweep->runs]: spectral radii
 * of all runs, NaN where there is none. */
int cs_boundary_search(const struct cs_sweep *sweep, const double *radius, cs_evaluate *evaluate, void *context,
                       struct cs_table *table, struct cs_error *error);

#endif
