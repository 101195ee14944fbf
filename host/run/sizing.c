#include "sizing.h"

#include <math.h>

#include "farm.h"
#include "modes.h"
#include "native.h"

/* Multiply-adds per launch of the step kernel: some tenths of a second, to keep progress and Ctrl-C responsive. */
#define LAUNCH_WORK 1e9

/* Beyond this, more matrices of doubling or of eigenvalues at a time gain nothing. */
#define WORKSPACE_BYTES ((size_t)256 << 20)

unsigned cs_sizing_lanes(const struct cs_device_info *device, const struct cs_engine_options *options,
                         const struct cs_model *model) {
  if (device->host && (options->lanes == 0 || !device->automatic)) return cs_native_lanes(model);
  if (options->lanes != 0) return options->lanes;
  if (!device->cpu) return 1;
  unsigned lanes = 1;
  while (2 * lanes <= device->native_width && lanes < 16)
    lanes *= 2;
  return lanes;
}

unsigned cs_sizing_lanes_beside(const struct cs_device_info *own, const struct cs_device_info *beside,
                                const struct cs_engine_options *options, const struct cs_model *model) {
  return cs_sizing_lanes(beside->cpu ? own : beside, options, model);
}

size_t cs_sizing_team(const struct cs_device_info *device, const struct cs_engine_options *options,
                      const struct cs_layout *layout) {
  if (cs_sizing_lanes(device, options, layout->model) != 1 || cs_layout_team_bytes(layout) == 0) return 0;
  return options->team > 0 ? options->team : device->cpu ? 0 : cs_sizing_local(device);
}

/* A team of the size that its program is written for. */
static size_t whole_team(const struct cs_device_info *device, const struct cs_engine_options *options,
                         const struct cs_layout *layout, size_t items) {
  const bool wanted = options->team > 0 || !device->cpu;
  if (!wanted || cs_sizing_lanes(device, options, layout->model) != 1 || device->group < items) return 0;
  return items;
}

size_t cs_sizing_step_team(const struct cs_device_info *device, const struct cs_engine_options *options,
                           const struct cs_layout *layout) {
  return whole_team(device, options, layout, cs_layout_step_team(layout).items);
}

size_t cs_sizing_vary_team(const struct cs_device_info *device, const struct cs_engine_options *options,
                           const struct cs_layout *layout) {
  return whole_team(device, options, layout, cs_layout_vary_team(layout).items);
}

static int check_lanes(unsigned lanes, struct cs_error *error) {
  if (lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 16) return CS_OK;
  return cs_error_set(error, CS_USAGE, "%u lanes; want one of: 1, 2, 4, 8, 16", lanes);
}

/* Kernels compiled ahead have the lanes that they were compiled with. */
static int check_host(const struct cs_device_info *device, const struct cs_engine_options *options,
                      const struct cs_model *model, struct cs_error *error) {
  const unsigned own = cs_native_lanes(model);
  if (!device->host || device->automatic || options->lanes == 0 || options->lanes == own) return CS_OK;
  return cs_error_set(error, CS_USAGE, "device host: %u lanes; want %u (its instruction set is %s), or --device cpu",
                      options->lanes, own, cs_native_set());
}

/* Whether private memory is on a thread's stack that a driver has chosen. */
static bool has_stack(const struct cs_device_info *device) {
  return device->cpu && !device->host;
}

/* Bytes that a worker of the device may take. */
static size_t memory_of(const struct cs_device_info *device, const struct cs_engine_options *options) {
  size_t memory = options->memory;
  if (memory == 0) {
    memory = (size_t)1536 << 20;
    if (device->memory / 2 < memory) memory = (size_t)(device->memory / 2);
    if (device->largest_buffer < memory) memory = (size_t)device->largest_buffer;
  }
  return memory / CS_WORKERS_PER_DEVICE;
}

/* Half of a thread's stack, which on a CPU contains the private memory of work-items. */
#define PRIVATE_BYTES ((size_t)CS_DEVICE_STACK / 2)

static int check_private(const struct cs_plan *plan, unsigned lanes, struct cs_error *error) {
  for (size_t v = 0; v < plan->variants; v++) {
    const struct cs_layout *l = plan->variant[v];
    const size_t bytes = l->kind.varies || l->kind.stiff ? lanes * cs_layout_private_bytes(l) : 0;
    if (bytes <= PRIVATE_BYTES) continue;
    const bool fewer = bytes / lanes <= PRIVATE_BYTES;
    return cs_error_set(
        error, CS_DEVICE,
        "steps of %u run%s at once need about %zu kB of a thread's stack, and a driver's has %zu kB; want "
        "--device host%s",
        lanes, lanes == 1 ? "" : "s", bytes / 1000, PRIVATE_BYTES / 1000, fewer ? ", or fewer --lanes" : "");
  }
  return CS_OK;
}

int cs_sizing_check_model(const struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_model *m = sweep->model;
  const size_t limit[] = {CS_NATIVE_MOST_STATES, CS_NATIVE_MOST_SIGNALS, CS_NATIVE_MOST_SIGNALS, CS_NATIVE_MOST_SIGNALS,
                          CS_NATIVE_MOST_SIGNALS},
               count[] = {m->states, m->inputs, m->outputs, m->monitors, m->subsystems};
  static const char *const name[] = {"states", "inputs", "outputs", "monitors", "subsystems"};
  for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
    if (count[i] <= limit[i]) continue;
    /* the map of a step, its powers, coordinates of modes and of subsystems, room for their exponentials */
    const double side = (double)(m->states + m->inputs + m->outputs), megabytes = 8e-6 * 40.0 * side * side;
    return cs_error_set(error, CS_INPUT,
                        "%s: the model has %zu %s; want at most %zu, since memory and time grow fast: %zu "
                        "would need about %.0f MB for each of its runs",
                        sweep->model_path, count[i], name[i], limit[i], count[i], megabytes);
  }
  return CS_OK;
}

/* Makes a plan; on a CPU its steps must fit the stack. */
static int make_plan(const struct cs_sweep *sweep, const struct cs_plan_options *want, bool cpu, struct cs_plan **plan,
                     struct cs_error *error) {
  *plan = NULL;
  int code = cs_sizing_check_model(sweep, error);
  if (code == CS_OK) code = check_lanes(want->lanes, error);
  if (code == CS_OK) code = cs_plan_new(sweep, want, plan, error);
  if (code == CS_OK && cpu) code = check_private(*plan, want->lanes, error);
  if (code == CS_OK) return code;
  cs_plan_free(*plan);
  *plan = NULL;
  return code;
}

int cs_sizing_check(const struct cs_plan *plan, const struct cs_device_info *const *device, size_t devices,
                    const struct cs_engine_options *options, struct cs_error *error) {
  int code = CS_OK;
  for (size_t d = 0; d < devices && code == CS_OK; d++)
    if (has_stack(device[d]))
      code = check_private(plan, cs_sizing_lanes(device[d], options, plan->sweep->model), error);
  return code;
}

bool cs_sizing_fits(const struct cs_plan *plan, const struct cs_tile *tile, const struct cs_device_info *device,
                    const struct cs_engine_options *options) {
  const struct cs_layout *l = plan->variant[tile->variant];
  const unsigned lanes = cs_sizing_lanes(device, options, l->model);
  size_t memory = memory_of(device, options);
  if (tile->doubled || l->kind.stability) memory -= cs_plan_matrix_bytes(memory, l, cs_sizing_local(device), lanes);
  const size_t bytes = cs_plan_tile_bytes(&plan->options, l, tile->count, tile->nodes);
  return memory <= memory_of(device, options) && bytes <= memory;
}

/* Device `auto` changes its engine between tiles, which hence take a second or so on the host, or one vector of runs
 * per processor. */
static void limit_tiles(const struct cs_sweep *sweep, const struct cs_device_info *device,
                        const struct cs_engine_options *options, struct cs_plan_options *want) {
  const unsigned lanes = cs_sizing_lanes(device, options, sweep->model);
  want->tile_runs = options->tile_runs;
  if (options->tile_runs > 0) return;
  if (options->journals > 0 && has_stack(device)) { /* what is not done when the process is killed is lost */
    want->tile_work = 4e9;
    want->tile_least = (size_t)device->units * lanes;
  }
  if (options->farm != NULL) { /* small enough for all to end at the same time */
    const size_t share = sweep->runs / (16 * options->farm->ranks) + 1;
    want->tile_least = 2 * lanes; /* on all ranks the same, whatever their processors */
    want->tile_runs = share < 2048 ? share : 2048;
    if (want->tile_runs < want->tile_least) want->tile_runs = want->tile_least;
    want->tile_work = 1e9;
    return;
  }
  if (!device->automatic) return;
  want->tile_runs = 2048;
  want->tile_work = 3e9;
  want->tile_least = (size_t)device->units * lanes;
}

static int plan_for(const struct cs_sweep *sweep, struct cs_plan_options want,
                    const struct cs_device_info *const *device, size_t devices, const struct cs_engine_options *options,
                    struct cs_plan **plan, struct cs_error *error) {
  want.lanes = 1;
  limit_tiles(sweep, device[0], options, &want);
  want.memory = SIZE_MAX;
  want.workers = CS_WORKERS_PER_DEVICE;
  bool cpu = false;
  for (size_t d = 0; d < devices; d++) {
    const unsigned lanes = cs_sizing_lanes(device[d], options, sweep->model);
    const int code = check_host(device[d], options, sweep->model, error);
    if (code != CS_OK) return code;
    cpu = cpu || has_stack(device[d]);
    const size_t memory = memory_of(device[d], options);
    if (lanes > want.lanes) want.lanes = lanes;
    if (memory < want.memory) want.memory = memory;
    if (cs_sizing_local(device[d]) > want.group) want.group = cs_sizing_local(device[d]);
    want.staged = want.staged || device[d]->cpu;
  }
  return make_plan(sweep, &want, cpu, plan, error);
}

int cs_sizing_plan(const struct cs_sweep *sweep, const struct cs_device_info *const *device, size_t devices,
                   const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error) {
  return plan_for(sweep, (struct cs_plan_options){.study = sweep->study}, device, devices, options, plan, error);
}

int cs_sizing_plan_beside(const struct cs_plan *simulation, const struct cs_sweep *sweep,
                          const struct cs_device_info *const *device, size_t devices,
                          const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error) {
  const struct cs_plan_options want = {.study = CS_STABILITY, .beside = simulation};
  return plan_for(sweep, want, device, devices, options, plan, error);
}

int cs_sizing_plan_other(const struct cs_sweep *sweep, const struct cs_device_info *const *device, size_t devices,
                         const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error) {
  const struct cs_plan_options want = {.study = CS_SIMULATION, .other = true};
  return plan_for(sweep, want, device, devices, options, plan, error);
}

/* One run only. */
static int plan_one(const struct cs_sweep *part, struct cs_plan_options want, const struct cs_device_info *device,
                    const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error) {
  want.lanes = cs_sizing_lanes(device, options, part->model);
  want.memory = memory_of(device, options);
  want.workers = CS_WORKERS_PER_DEVICE;
  want.group = cs_sizing_local(device);
  want.staged = device->cpu;
  const int code = check_host(device, options, part->model, error);
  return code == CS_OK ? make_plan(part, &want, has_stack(device), plan, error) : code;
}

int cs_sizing_plan_trace(const struct cs_sweep *part, double most, const struct cs_device_info *device,
                         const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error) {
  const struct cs_plan_options want = {.study = CS_SIMULATION, .records = true, .most = most};
  return plan_one(part, want, device, options, plan, error);
}

int cs_sizing_plan_step(const struct cs_sweep *part, const struct cs_device_info *device,
                        const struct cs_engine_options *options, struct cs_plan **plan, struct cs_error *error) {
  return plan_one(part, (struct cs_plan_options){.study = CS_STABILITY}, device, options, plan, error);
}

bool cs_sizing_apart(const struct cs_layout *l, const struct cs_run *run) {
  return !cs_layout_is_large(l->model) || cs_modes_apart(l, run->norm);
}

double cs_sizing_steps(const struct cs_plan *plan, const struct cs_tile *tile) {
  const double per_step = (double)tile->count * cs_layout_step_work(plan->variant[tile->variant], tile->nodes);
  return fmax(1.0, floor(LAUNCH_WORK / per_step / CS_CHUNK)) * CS_CHUNK;
}

double cs_sizing_longest(const struct cs_plan *plan, const struct cs_tile *tile) {
  double most = 0.0;
  for (size_t i = 0; i < tile->count; i++)
    most = fmax(most, plan->run[tile->run[i]].steps);
  return most;
}

static double double_work(const struct cs_plan *plan, const struct cs_tile *tile) {
  double work = 0.0;
  for (size_t i = 0; i < tile->count; i++) {
    const struct cs_run *run = &plan->run[tile->run[i]];
    work += cs_layout_double_work(plan->variant[tile->variant], run->steps, run->nodes);
  }
  return cs_layout_double_weight(plan->variant[tile->variant]) * work;
}

double cs_sizing_tile_work(const struct cs_plan *plan, const struct cs_tile *tile) {
  const struct cs_layout *l = plan->variant[tile->variant];
  if (l->kind.stability) return (double)tile->count * cs_layout_spectrum_work(l);
  if (tile->doubled) return double_work(plan, tile);
  return tile->steps * cs_layout_step_work(l, tile->nodes);
}

/* Several work-items per compute unit balance the load. */
size_t cs_sizing_workers(const struct cs_device_info *device, const struct cs_engine_options *options,
                         const struct cs_layout *layout, unsigned lanes, size_t groups) {
  const size_t local = cs_sizing_local(device);
  const size_t allowed = cs_plan_matrix_bytes(memory_of(device, options), layout, local, lanes);
  const size_t bytes = allowed < WORKSPACE_BYTES ? allowed : WORKSPACE_BYTES;
  const size_t most = bytes / (cs_layout_workspace(layout, lanes) * lanes * local);
  size_t count = (groups + local - 1) / local, wanted = (size_t)device->units * (device->cpu ? 16 : 32);
  if (count > wanted) count = wanted;
  if (count > most) count = most;
  return (count > 0 ? count : 1) * local;
}

size_t cs_sizing_batch(double work, size_t groups, size_t workers) {
  const double rounds = floor(LAUNCH_WORK / work * (double)groups / (double)workers);
  if (rounds < 1.0) return workers;
  return rounds * (double)workers < (double)groups ? (size_t)rounds * workers : groups;
}

/* Begin, the map of every ramp step and of the others, and the steps in batches; a doubled tile counts as one batch.
 * Study stability: the map and its eigenvalues. With step size control, the minimum. */
size_t cs_sizing_launches(const struct cs_plan *plan, const struct cs_tile *tile) {
  const double most = cs_sizing_longest(plan, tile), ramp = (double)plan->variant[tile->variant]->step.ramp;
  if (plan->variant[tile->variant]->kind.stability) return 2;
  if (plan->variant[tile->variant]->kind.varies) return 2 + (size_t)ramp; /* at least */
  if (most <= ramp) return 1 + 2 * (size_t)most;
  if (tile->doubled) return 3 + 2 * (size_t)ramp;
  return 2 + 2 * (size_t)ramp + (size_t)ceil(most / cs_sizing_steps(plan, tile));
}
