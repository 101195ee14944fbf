/* Sizes for a device: lanes, memory and the launches of a tile. Uses no device. */
#ifndef COSWEEP_SIZING_H
#define COSWEEP_SIZING_H

#include "device.h"
#include "options.h"
#include "plan.h"

/* Work-items per work-group: 1 on a CPU, where each is a loop over its vector of lanes; elsewhere 64, or as many as the
 * device allows. */
static inline size_t cs_sizing_local(const struct cs_device_info *device) {
  const size_t usual = 64;
  return device->cpu ? 1 : device->group > 0 && device->group < usual ? device->group : usual;
}

/* Lanes per work-item: as requested, otherwise the native width of a CPU and 1 on other devices; on the host those of
 * its kernels for the model. */
unsigned cs_sizing_lanes(const struct cs_device_info *device, const struct cs_engine_options *options,
                         const struct cs_model *model);

/* Those of a device beside the host of `auto`, which is `own`: on CPUs the host's. */
unsigned cs_sizing_lanes_beside(const struct cs_device_info *own, const struct cs_device_info *beside,
                                const struct cs_engine_options *options, const struct cs_model *model);

/* Work-items that share a run in doubling (double_team.cl); 0: one work-item per vector. */
size_t cs_sizing_team(const struct cs_device_info *device, const struct cs_engine_options *options,
                      const struct cs_layout *layout);

/* Work-items that share the steps of a run (step_team.cl); 0: one work-item per vector, on CPUs and where work-groups
 * are too small. */
size_t cs_sizing_step_team(const struct cs_device_info *device, const struct cs_engine_options *options,
                           const struct cs_layout *layout);

/* The same with variable steps (vary_team.cl), also 0 for methods without teams. */
size_t cs_sizing_vary_team(const struct cs_device_info *device, const struct cs_engine_options *options,
                           const struct cs_layout *layout);

/* Workers per device: while the device computes the tile of one, the other prepares or collects its own. */
enum { CS_WORKERS_PER_DEVICE = 2 };

/* Models beyond what the kernels of the host have room for are refused on every device: nothing else computes those of
 * this size in a time that anybody waits for. Every plan is checked for it. */
int cs_sizing_check_model(const struct cs_sweep *sweep, struct cs_error *error);

/* Whether the steps of a plan's variants fit the stack of a CPU device's threads. */
int cs_sizing_check(const struct cs_plan *plan, const struct cs_device_info *const *device, size_t devices,
                    const struct cs_engine_options *options, struct cs_error *error);

/* Whether a device has the memory for a tile of a plan that was made for another one. */
bool cs_sizing_fits(const struct cs_plan *plan, const struct cs_tile *tile, const struct cs_device_info *device,
                    const struct cs_engine_options *options);

/* The sweep's plan, for one device or for several that share its tiles. CS_USAGE for an invalid number of lanes;
 * CS_DEVICE if a step does not fit the stack of a CPU's threads. */
int cs_sizing_plan(const struct cs_sweep *sweep, const struct cs_device_info *const *device, size_t devices,
                   const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error);

/* That of the spectra of a simulation's runs, whose maps the programs of its plan assemble. */
int cs_sizing_plan_beside(const struct cs_plan *simulation, const struct cs_sweep *sweep,
                          const struct cs_device_info *const *device, size_t devices,
                          const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error);

/* That of another formulation of a simulation's runs, whose rounding errors differ. */
int cs_sizing_plan_other(const struct cs_sweep *sweep, const struct cs_device_info *const *device, size_t devices,
                         const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error);

/* Plans of a part of a sweep that is one run (cs_sweep_part): a trace of at most `most` steps; the stability of its
 * macro step. Errors as for cs_sizing_plan. */
int cs_sizing_plan_trace(const struct cs_sweep *part, double most, const struct cs_device_info *device,
                         const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error);
int cs_sizing_plan_step(const struct cs_sweep *part, const struct cs_device_info *device,
                        const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error);

/* Whether a run of a stiff variant has its network's modes separated: small networks always have. */
bool cs_sizing_apart(const struct cs_layout *layout, const struct cs_run *run);

/* Steps of the tile's longest run; steps per launch; kernel calls of the tile. */
double cs_sizing_longest(const struct cs_plan *plan, const struct cs_tile *tile);
double cs_sizing_steps(const struct cs_plan *plan, const struct cs_tile *tile);
size_t cs_sizing_launches(const struct cs_plan *plan, const struct cs_tile *tile);

/* Predicted work of a tile in multiply-adds of the step kernel: its steps, or in study stability its eigenvalues. */
double cs_sizing_tile_work(const struct cs_plan *plan, const struct cs_tile *tile);

/* For a tile in doubling or in study stability: concurrent work-items, each with its own matrices; and vectors per
 * launch, a multiple of these unless one launch takes the whole tile. `groups`: vectors of the tile; `work`: from
 * cs_sizing_tile_work. */
size_t cs_sizing_workers(const struct cs_device_info *device, const struct cs_engine_options *options,
                         const struct cs_layout *layout, unsigned lanes, size_t groups);
size_t cs_sizing_batch(double work, size_t groups, size_t workers);

#endif
