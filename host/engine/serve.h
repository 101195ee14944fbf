/* What ranks above 0 of a farm do, and how rank 0 tells them: every pass over a plan is begun by rank 0 with what
 * determines its tiles. */
#ifndef COSWEEP_SERVE_H
#define COSWEEP_SERVE_H

#include "device.h"
#include "farm.h"
#include "journal.h"
#include "options.h"
#include "plan.h"

/* The points of a pass over points (cs_plan_points). */
struct cs_serve_points {
  const size_t *axis;
  size_t axes;
  const struct cs_point *point;
};

/* On rank 0, before cs_pool_run: has the others begin a pass over a plan without the runs that are done [runs].
 * `points`: of pass CS_PASS_POINTS. Without a farm nothing happens. */
int cs_serve_announce(struct cs_farm *farm, enum cs_journal_pass pass, const struct cs_plan *plan, const bool *done,
                      const struct cs_serve_points *points, struct cs_error *error);
/* On rank 0: there is no further pass over the sweep. */
int cs_serve_finish(struct cs_farm *farm, struct cs_error *error);

/* On ranks above 0: takes part in all passes over the sweep that rank 0 begins. */
int cs_serve(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
             const struct cs_engine_options *options, struct cs_error *error);

#endif
