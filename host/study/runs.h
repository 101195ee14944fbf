/* What the axes of a result are: their entries in the sweep of its provenance. */
#ifndef COSWEEP_RUNS_H
#define COSWEEP_RUNS_H

#include "json.h"

/* The axis of that name in the file of a sweep (may be NULL), as it stands there; NULL where there is none. */
const struct cs_node *cs_runs_axis(const struct cs_json *sweep, const char *name);

#endif
