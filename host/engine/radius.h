/* Why a run diverged: the spectral radius of its macro step. */
#ifndef COSWEEP_RADIUS_H
#define COSWEEP_RADIUS_H

#include "sweep.h"
#include "table.h"

/* Appends why the first run that diverged did, a line, if its steps multiply errors: "run 1: the spectral radius of its
 * step is 1.2". Nothing in study stability, and where there is no such radius. */
void cs_radius_describe(const struct cs_sweep *sweep, const struct cs_array *status, struct cs_text *text);

#endif
