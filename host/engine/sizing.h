/* How a plan is brought to a device: lanes, memory, and the launches of a tile. Pure. */
#ifndef COSWEEP_SIZING_H
#define COSWEEP_SIZING_H

#include "device.h"
#include "options.h"
#include "plan.h"

/* Work-items per work-group: 1 on a CPU, where each is a loop over its vector of lanes. */
static inline size_t cs_sizing_local(const struct cs_device_info *device) {
  return device->cpu ? 1 : 64;
}

/* VW: as asked for, else the native width of a CPU, 1 on others. */
unsigned cs_sizing_lanes(const struct cs_device_info *device, const struct cs_engine_options *options);

/* Work-items that share a run in doubling (double_team.cl); 0: every work-item has its own. */
size_t cs_sizing_team(const struct cs_device_info *device, const struct cs_engine_options *options,
                      const struct cs_layout *layout);

/* Workers per device: while one's tile is computed, another fills and empties its own. */
enum { CS_WORKERS_PER_DEVICE = 2 };

/* The sweep's plan, of its own study or of stability, for one device, or for several that share its tiles; CS_USAGE on
 * a number of lanes that does not exist. */
int cs_sizing_plan(const struct cs_sweep *sweep, enum cs_study study, const struct cs_device_info *const *device,
                   size_t devices, const struct cs_engine_options *options, struct cs_plan **plan,
                   struct cs_error *error);

/* The plan of a trace: run number `run` alone, at most `most` steps of it. */
int cs_sizing_plan_trace(const struct cs_sweep *sweep, size_t run, double most, const struct cs_device_info *device,
                         const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error);

/* Steps of the tile's longest run; steps of one launch; kernel calls of the tile. */
double cs_sizing_longest(const struct cs_plan *plan, const struct cs_tile *tile);
double cs_sizing_steps(const struct cs_plan *plan, const struct cs_tile *tile);
size_t cs_sizing_launches(const struct cs_plan *plan, const struct cs_tile *tile);

/* Predicted work of a tile's steps, or of its eigenvalues in study stability, in multiply-adds of the step kernel. */
double cs_sizing_tile_work(const struct cs_plan *plan, const struct cs_tile *tile);

/* A doubled tile, or one of study stability: work-items side by side, each with matrices of its own; vectors per
 * launch, a multiple of the work-items. `groups`: vectors of the tile; `work`: of the tile, as from
 * cs_sizing_tile_work. */
size_t cs_sizing_workers(const struct cs_device_info *device, const struct cs_layout *layout, unsigned lanes,
                         size_t groups);
size_t cs_sizing_batch(double work, size_t groups, size_t workers);

#endif
