/* Subsystems as JSON: an object with the matrices A, B, C, D, or an object of such objects. */
#ifndef COSWEEP_MATRICES_H
#define COSWEEP_MATRICES_H

#include "draft.h"
#include "json.h"

/* Keys as cs_role_of knows them, and no others; beside subsystems "connections", rows [from, to], [from, to, gain] or
 * [constant, to]. `name`: of a subsystem that stands alone. CS_INPUT with FILE:LINE:COLUMN. */
int cs_matrices_read(const char *file, const char *name, struct cs_draft *draft, struct cs_error *error);

#endif
