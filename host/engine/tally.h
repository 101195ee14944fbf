/* What has been done and what is left, told by all workers: progress, remaining time, time on the devices. Every
 * function may be called from any thread. */
#ifndef COSWEEP_TALLY_H
#define COSWEEP_TALLY_H

#include "device.h"
#include "options.h"
#include "plan.h"

/* Kinds of launches, of which each has its own seconds per predicted work. */
enum cs_work { CS_WORK_ASSEMBLY, CS_WORK_STEPS, CS_WORKS };

struct cs_tally;

/* `workers` threads share the work of the plan on `devices` devices. */
int cs_tally_new(const struct cs_plan *plan, const struct cs_engine_options *options, size_t workers, size_t devices,
                 struct cs_tally **tally, struct cs_error *error);
void cs_tally_free(struct cs_tally *tally);

/* A launch took `seconds`, of which the device was busy from `busy.begin` to `busy.end`. */
void cs_tally_launch(struct cs_tally *tally, enum cs_work kind, size_t device, double seconds, struct cs_span busy);
/* So much of the predicted work, and so many macro steps of all lanes, are done. */
void cs_tally_work(struct cs_tally *tally, enum cs_work kind, double work, double lane_steps);
/* Steps tried of runs whose steps vary, and what the vectors had room for meanwhile. */
void cs_tally_tried(struct cs_tally *tally, double tried, double room);
/* A kernel is being built; it has been, in so many seconds. One at a time. */
void cs_tally_builds(struct cs_tally *tally);
void cs_tally_built(struct cs_tally *tally, double seconds);
void cs_tally_runs(struct cs_tally *tally, size_t runs);

/* Whether to stop soon: the user wants it, or another worker has failed. */
bool cs_tally_stopped(const struct cs_tally *tally);
void cs_tally_stop(struct cs_tally *tally);

/* Seconds in which a device was busy, summed over devices; overlapping launches count once. No worker may be at work.
 */
double cs_tally_device_seconds(struct cs_tally *tally);

/* What cs_tally_tried was told. */
void cs_tally_occupancy(const struct cs_tally *tally, double *tried, double *room);

/* Predicted work of a tile in the tally's units. */
double cs_tally_assembly_work(const struct cs_plan *plan, const struct cs_tile *tile);

/* Seconds of a clock that never goes back. */
double cs_tally_clock(void);

#endif
