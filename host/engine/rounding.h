/* The rounding of results: how far those of a second formulation, whose rounding errors are others, differ
 * (docs/accuracy.md). */
#ifndef COSWEEP_ROUNDING_H
#define COSWEEP_ROUNDING_H

#include "collect.h"

/* Enters metric `rounding` of all runs that are computed and ok, from the same runs in `other`: the largest difference
 * of a metric, or of the number of steps, by the larger of the two values. Differences of the rounding of the signals
 * that a metric compares do not count. Runs beyond CS_LARGEST_ROUNDING, and those that fail in `other`, become
 * CS_STATUS_IMPRECISE and keep their metrics. */
#define CS_LARGEST_ROUNDING 1e-6
int cs_rounding_judge(struct cs_collect *collect, const struct cs_result *other, struct cs_error *error);

/* Appends why a run with this rounding is imprecise, as a line. */
void cs_rounding_describe(double rounding, struct cs_text *text);

#endif
