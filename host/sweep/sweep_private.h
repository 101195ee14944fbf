/* Interface shared by the parts of the sweep reader. */
#ifndef COSWEEP_SWEEP_PRIVATE_H
#define COSWEEP_SWEEP_PRIVATE_H

#include "skip.h"
#include "slots.h"

struct cs_sweep_private {
  struct cs_slots slots;
  struct cs_skips skips;
};

/* Fills `starts` and `start` of a sweep whose axes are read. */
int cs_sweep_read_starts(struct cs_sweep *sweep, struct cs_error *error);
/* Reads the metrics and fits of the sweep file, after its axes. `sound`: settings and axes have no faults; otherwise
 * only unknown metrics are faults. */
int cs_sweep_read_metrics(struct cs_sweep *sweep, bool sound, struct cs_error *error);
int cs_sweep_read_fits(struct cs_sweep *sweep, struct cs_error *error);
/* Reads "boundary" and "refine", after the metrics. */
int cs_sweep_read_boundary(struct cs_sweep *sweep, struct cs_error *error);
/* Whether an axis can be interpolated: it has numbers that select no kernel. */
bool cs_sweep_is_real(const struct cs_sweep *sweep, size_t axis);
/* The numeric axis that `object` names as "along"; `real`: it must satisfy cs_sweep_is_real. */
int cs_sweep_read_along(const struct cs_sweep *sweep, const struct cs_node *object, bool real, size_t *along,
                        struct cs_error *error);
/* Fails if a meaningless combination of settings is not skipped. */
int cs_sweep_check_meaning(const struct cs_sweep *sweep, struct cs_error *error);
/* Fails if parameters give matrices that are not finite; if an axis sweeps one, runs fail individually instead. */
int cs_sweep_check_parameters(const struct cs_sweep *sweep, struct cs_error *error);

#endif
