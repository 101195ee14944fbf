/* The rounding of results: how far those of a second formulation, whose rounding errors are others, differ
 * (docs/accuracy.md). */
#ifndef COSWEEP_ROUNDING_H
#define COSWEEP_ROUNDING_H

#include "collect.h"

/* Whether results of a run may be further off than cosweep promises (docs/accuracy.md): derivatives of fast outputs are
 * exchanged that are not known well enough. Such runs are judged in any case, and more strictly. */
bool cs_rounding_doubts(const struct cs_plan *plan, size_t run);
/* Whether the runs of a plan are to be computed by a second formulation: on request, or for a doubtful one. */
bool cs_rounding_is_wanted(const struct cs_plan *plan);

/* Enters metric `rounding`, if it is asked for, of all runs that are computed and ok, from the same runs in `other`:
 * the largest difference of a metric, or of the number of steps, by the larger of the two values. Differences of the
 * rounding of the signals that a metric compares do not count. Runs beyond CS_LARGEST_ROUNDING, doubtful ones beyond
 * CS_PROMISED_ROUNDING, and those that fail in `other`, become CS_STATUS_IMPRECISE and keep their metrics. */
#define CS_LARGEST_ROUNDING 1e-6
#define CS_PROMISED_ROUNDING 1e-9
int cs_rounding_judge(struct cs_collect *collect, const struct cs_result *other, struct cs_error *error);

/* Appends why a run with this rounding is imprecise, as a line. `doubted`: cs_rounding_doubts. */
void cs_rounding_describe(double rounding, bool doubted, struct cs_text *text);

#endif
