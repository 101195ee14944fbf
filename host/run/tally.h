/* Work done and work left, reported by all workers: progress, remaining time, device time. Unless a function says
 * otherwise it may be called from any thread. */
#ifndef COSWEEP_TALLY_H
#define COSWEEP_TALLY_H

#include "device.h"
#include "options.h"
#include "plan.h"

/* Kinds of launches; the time per unit of predicted work is measured for each. */
enum cs_work { CS_WORK_ASSEMBLY, CS_WORK_STEPS, CS_WORKS };

struct cs_tally;

/* `workers` threads on `devices` devices share the work of the plan. `plan` and `options` are kept. */
int cs_tally_new(const struct cs_plan *plan, const struct cs_engine_options *options, size_t workers, size_t devices,
                 struct cs_tally **tally, struct cs_error *error);
void cs_tally_free(struct cs_tally *tally);

/* So many more threads share the work. */
void cs_tally_joined(struct cs_tally *tally, size_t workers);

/* Records a launch that took `seconds`; the device was busy from busy.begin to busy.end. */
void cs_tally_launch(struct cs_tally *tally, enum cs_work kind, size_t device, double seconds, struct cs_span busy);
/* Records predicted work and macro steps, summed over runs, as done. */
void cs_tally_work(struct cs_tally *tally, enum cs_work kind, double work, double lane_steps);
/* Records steps tried by runs with step size control, and the number the vectors had room for. */
void cs_tally_tried(struct cs_tally *tally, double tried, double room);
/* Record that building a kernel begins, and that it ended after `seconds`. One kernel at a time. */
void cs_tally_builds(struct cs_tally *tally);
void cs_tally_built(struct cs_tally *tally, double seconds);
/* Record that modes are separated, which will take about so many seconds, and that they are. */
void cs_tally_separates(struct cs_tally *tally, double seconds);
void cs_tally_separated(struct cs_tally *tally);
/* Records runs as done; fewer than none: those of a tile that has failed are not. */
void cs_tally_runs(struct cs_tally *tally, ptrdiff_t runs);

/* Whether to stop soon: the user asked for it, or cs_tally_stop was called because a worker failed. */
bool cs_tally_stopped(const struct cs_tally *tally);
void cs_tally_stop(struct cs_tally *tally);

/* Seconds during which devices were busy, summed over devices; overlapping launches count once. Call it only after all
 * workers have ended. */
double cs_tally_device_seconds(struct cs_tally *tally);

/* Totals of cs_tally_tried. Call it only after all workers have ended. */
void cs_tally_occupancy(const struct cs_tally *tally, double *tried, double *room);

/* Predicted work of assembling a tile's maps, in the tally's unit. */
double cs_tally_assembly_work(const struct cs_plan *plan, const struct cs_tile *tile);

#endif
