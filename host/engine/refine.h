/* Maps refined around their boundaries of stability (docs/formats.md section 2). Pure but for what evaluates points. */
#ifndef COSWEEP_REFINE_H
#define COSWEEP_REFINE_H

#include "boundary.h"

/* Makes the table's group "refined": points within the cells of the maps over sweep->refined whose corners differ in
 * `stable`, level by level. */
int cs_refine_maps(const struct cs_sweep *sweep, const double *radius, cs_evaluate *evaluate, void *context,
                   struct cs_table *table, struct cs_error *error);

#endif
