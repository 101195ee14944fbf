#include "launch.h"

#include <math.h>

/* Multiply-adds per launch of the step kernel: some tenths of a second, so that progress and Ctrl-C stay alive. */
#define LAUNCH_WORK 1e9

unsigned cs_launch_lanes(const struct cs_device_info *device, const struct cs_engine_options *options) {
  if (options->lanes != 0) return options->lanes;
  if (!device->cpu) return 1;
  unsigned lanes = 1;
  while (2 * lanes <= device->native_width && lanes < 16)
    lanes *= 2;
  return lanes;
}

static int check_lanes(unsigned lanes, struct cs_error *error) {
  if (lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 16) return CS_OK;
  return cs_error_set(error, CS_USAGE, "%u lanes; want one of: 1, 2, 4, 8, 16", lanes);
}

static size_t memory_of(const struct cs_device_info *device, const struct cs_engine_options *options) {
  if (options->memory != 0) return options->memory;
  size_t memory = (size_t)1536 << 20;
  if (device->memory / 2 < memory) memory = (size_t)(device->memory / 2);
  if (device->largest_buffer < memory) memory = (size_t)device->largest_buffer;
  return memory;
}

int cs_launch_plan(const struct cs_sweep *sweep, const struct cs_device_info *device,
                   const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error) {
  const struct cs_plan_options want = {
      .lanes = cs_launch_lanes(device, options), .tile_runs = options->tile_runs, .memory = memory_of(device, options)};
  const int code = check_lanes(want.lanes, error);
  return code == CS_OK ? cs_plan_new(sweep, &want, plan, error) : code;
}

/* Steps of a launch: a fixed amount of work, so that progress and Ctrl-C stay alive. */
double cs_launch_steps(const struct cs_plan *plan, const struct cs_tile *tile) {
  const double per_step = (double)tile->count * cs_layout_step_work(plan->variant[tile->variant], tile->nodes);
  return fmax(1.0, floor(LAUNCH_WORK / per_step / CS_CHUNK)) * CS_CHUNK;
}

double cs_launch_longest(const struct cs_plan *plan, const struct cs_tile *tile) {
  double most = 0.0;
  for (size_t i = tile->first; i < tile->first + tile->count; i++)
    most = fmax(most, plan->run[plan->order[i]].steps);
  return most;
}

/* Kernel calls of a tile: begin, the map of every ramp step and of the others, and the steps in pieces. */
size_t cs_launch_count(const struct cs_plan *plan, const struct cs_tile *tile) {
  const double most = cs_launch_longest(plan, tile), ramp = (double)plan->variant[tile->variant]->ramp_steps;
  if (most <= ramp) return 1 + 2 * (size_t)most;
  return 2 + 2 * (size_t)ramp + (size_t)ceil(most / cs_launch_steps(plan, tile));
}
