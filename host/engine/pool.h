/* Plans on devices: threads that take tiles as they come free, and the programs these need, each built once. */
#ifndef COSWEEP_POOL_H
#define COSWEEP_POOL_H

#include "worker.h"

struct cs_pool_setup {
  struct cs_device *const *device; /* [devices] */
  size_t devices, variants;        /* all plans have the same variants */
  const struct cs_engine_options *options;
  bool keep;                /* programs for further plans; else one goes after its last tile */
  cs_worker_record *record; /* of a trace, else NULL; its context is that of the plan's run */
};

struct cs_pool;

int cs_pool_open(const struct cs_pool_setup *setup, struct cs_pool **pool, struct cs_error *error);
void cs_pool_close(struct cs_pool *pool);

/* All tiles of a plan. A plan of points makes no progress that is told. */
int cs_pool_run(struct cs_pool *pool, const struct cs_plan *plan, cs_worker_enter *enter, void *context,
                struct cs_error *error);

/* How well steps that vary filled the vectors of lanes: steps tried, of those there was room for; NaN where there were
 * none. */
double cs_pool_occupancy(const struct cs_pool *pool);

/* Seconds in which devices were busy, summed over devices and plans. */
double cs_pool_device_seconds(const struct cs_pool *pool);

#endif
