/* Where a co-simulation stops being stable (docs/formats.md section 2): every change of `stable` between neighbouring
 * values of an axis, by bisection. Pure but for what evaluates points. */
#ifndef COSWEEP_BOUNDARY_H
#define COSWEEP_BOUNDARY_H

#include "plan.h"
#include "table.h"

/* Spectral radii of `points` points with values of their own along axis [axes], as in cs_plan_points; NaN where there
 * is none. */
typedef int cs_evaluate(void *context, const size_t *axis, size_t axes, const struct cs_point *point, size_t points,
                        double *radius, struct cs_error *error);

/* Positions along an axis, ascending in value: order [axis->length]. */
int cs_boundary_order(const struct cs_axis *axis, size_t *order, struct cs_error *error);

/* Enters <axis>_stable_max, <axis>_crossings and <axis>_crossing_count into the table. radius [sweep->runs]: of all
 * runs, NaN where there is none. */
int cs_boundary_search(const struct cs_sweep *sweep, const double *radius, cs_evaluate *evaluate, void *context,
                       struct cs_table *table, struct cs_error *error);

#endif
