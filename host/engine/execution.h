/* Plans on devices: threads that take tiles as they come free, and the programs these need, each built once. */
#ifndef COSWEEP_EXECUTION_H
#define COSWEEP_EXECUTION_H

#include "worker.h"

struct cs_execution_setup {
  struct cs_device *const *device; /* [devices] */
  size_t devices, variants;        /* all plans have the same variants */
  const struct cs_engine_options *options;
  bool keep;                /* programs for further plans; else one goes after its last tile */
  cs_worker_record *record; /* of a trace, else NULL; its context is that of the plan's run */
};

struct cs_execution;

int cs_execution_open(const struct cs_execution_setup *setup, struct cs_execution **execution, struct cs_error *error);
void cs_execution_close(struct cs_execution *execution);

/* All tiles of a plan. A plan of points makes no progress that is told. */
int cs_execution_run(struct cs_execution *execution, const struct cs_plan *plan, cs_worker_enter *enter, void *context,
                     struct cs_error *error);

/* Steps tried of runs whose steps vary, and what vectors of lanes had room for: their ratio is the vectors' occupancy.
 */
void cs_execution_occupancy(const struct cs_execution *execution, double *tried, double *room);

/* Seconds in which devices were busy, summed over devices and plans. */
double cs_execution_device_seconds(const struct cs_execution *execution);

#endif
