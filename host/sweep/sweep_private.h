/* What sweep.c and its parts know beyond sweep.h. */
#ifndef COSWEEP_SWEEP_PRIVATE_H
#define COSWEEP_SWEEP_PRIVATE_H

#include "skip.h"
#include "slots.h"

struct cs_sweep_private {
  struct cs_slots slots;
  struct cs_skips skips;
};

/* Reads the metrics and fits of the sweep file, after its axes. */
int cs_sweep_read_metrics(struct cs_sweep *sweep, struct cs_error *error);
int cs_sweep_read_fits(struct cs_sweep *sweep, struct cs_error *error);
/* Reads "boundary" and "refine", after the metrics. */
int cs_sweep_read_boundary(struct cs_sweep *sweep, struct cs_error *error);
/* Whether an axis selects kernels. */
bool cs_sweep_is_structural(const struct cs_sweep *sweep, size_t axis);
/* Whether values between those of an axis make sense: numbers that select no kernel. */
bool cs_sweep_is_real(const struct cs_sweep *sweep, size_t axis);
/* The axis that `object` names as "along", one of numbers; `real`: of those between which others make sense. */
int cs_sweep_read_along(const struct cs_sweep *sweep, const struct cs_node *object, bool real, size_t *along,
                        struct cs_error *error);
/* A combination of settings that has no meaning and is not skipped is an error before anything runs. */
int cs_sweep_check_meaning(const struct cs_sweep *sweep, struct cs_error *error);
/* Parameters that no axis sweeps must give finite matrices; swept ones fail run by run. */
int cs_sweep_check_parameters(const struct cs_sweep *sweep, struct cs_error *error);

#endif
