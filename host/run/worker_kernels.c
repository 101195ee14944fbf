/* Kernels, buffers and launches of a worker. */
#include <stdlib.h>

#include "clock.h"
#include "list.h"
#include "worker_private.h"

/* One work-item per vector of lanes, in two dimensions where it also has a column. */
static const struct cs_builder_kernel kernel_table[KERNELS] = {
    [BEGIN] = {"begin_lanes", 2, 1, 1},         [ASSEMBLE] = {"assemble_map", 2, 7, 2},
    [STEP] = {"step_lanes", 3, 4, 1},           [STEP_TEAM] = {"step_team", 3, 4, 1},
    [DOUBLE] = {"double_lanes", 4, 5, 1},       [DOUBLE_ROOT] = {"double_lanes_root", 4, 5, 1},
    [DOUBLE_TEAM] = {"double_team", 3, 5, 1},   [SPECTRUM] = {"spectrum_lanes", 5, 11, 1},
    [BEGIN_VARIED] = {"begin_varied", 5, 1, 1}, [VARY] = {"vary_lanes", 5, 4, 1},
    [VARY_TEAM] = {"vary_team", 5, 4, 1},
};

/* The part of a variant's programs that has a kernel. */
static enum cs_part part_of(const struct cs_worker *w, enum kernel kernel) {
  switch (kernel) {
    case STEP:
      return CS_PART_STEP;
    case STEP_TEAM:
      return CS_PART_STEP_TEAM;
    case DOUBLE:
      return CS_PART_DOUBLE;
    case DOUBLE_ROOT:
      return CS_PART_ROOT;
    case DOUBLE_TEAM:
      return CS_PART_DOUBLE_TEAM;
    case SPECTRUM:
      return CS_PART_SPECTRUM;
    case BEGIN_VARIED:
      return w->vary_team > 0 ? CS_PART_VARY_TEAM : CS_PART_METHOD;
    case VARY_TEAM:
      return CS_PART_VARY_TEAM;
    default:
      return CS_PART_METHOD;
  }
}

/* Builders launch kernels by one work-item. */
static bool is_team(enum kernel kernel) {
  return kernel == STEP_TEAM || kernel == DOUBLE_TEAM || kernel == VARY_TEAM;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

int cs_worker_new(const struct cs_worker_setup *setup, struct cs_worker **worker, struct cs_error *error) {
  *worker = calloc(1, sizeof **worker);
  if (*worker == NULL) return cs_error_memory(error);
  (*worker)->setup = *setup;
  return CS_OK;
}

static void close_kernels(struct cs_worker *w) {
  for (int i = 0; i < KERNELS; i++) {
    cs_device_kernel_free(w->kernel[i]);
    w->kernel[i] = NULL;
  }
}

void cs_worker_free(struct cs_worker *w) {
  if (w == NULL) return;
  close_kernels(w);
  for (int i = 0; i < STORAGES; i++)
    cs_device_buffer_free(w->buffer[i]);
  free(w->host);
  for (int i = 0; i < AGAINS; i++)
    free(w->again[i].run);
  free(w);
}

/* Whether the variant's programs have a kernel. */
static bool is_there(const struct cs_worker *w, enum kernel kernel) {
  switch (kernel) {
    case ASSEMBLE:
      return !w->layout->kind.varies;
    case BEGIN_VARIED:
      return w->layout->kind.varies;
    case VARY:
      return w->layout->kind.varies && w->vary_team == 0;
    case VARY_TEAM:
      return w->vary_team > 0;
    case SPECTRUM:
      return w->layout->kind.stability;
    case DOUBLE:
    case DOUBLE_ROOT:
      return !w->layout->kind.stability && w->layout->kind.doubles;
    case STEP_TEAM:
      return !w->layout->kind.stability && !w->layout->kind.varies && w->step_team > 0;
    case DOUBLE_TEAM:
      return !w->layout->kind.stability && w->layout->kind.doubles && w->team > 0;
    default:
      return !w->layout->kind.stability && !w->layout->kind.varies;
  }
}

int cs_worker_need_buffer(struct cs_worker *w, enum storage which, size_t bytes, struct cs_error *error) {
  if (w->buffer[which] != NULL && w->room[which] >= bytes) return CS_OK;
  cs_device_buffer_free(w->buffer[which]);
  w->buffer[which] = NULL;
  w->room[which] = 0;
  const int code = cs_device_buffer_new(w->setup.device, bytes, &w->buffer[which], error);
  if (code == CS_OK) w->room[which] = bytes;
  return code;
}

/* Where spectrum.cl finds the entries of the variant's maps. */
static int fill_table(struct cs_worker *w, struct cs_error *error) {
  const size_t bytes = cs_layout_spectrum_places(w->layout) * sizeof(int64_t);
  int64_t *table = malloc(bytes + 1);
  int code = table == NULL ? cs_error_memory(error) : cs_worker_need_buffer(w, TABLE, bytes + sizeof *table, error);
  if (code == CS_OK) {
    cs_layout_spectrum_table(w->layout, table);
    if (bytes > 0) code = cs_device_buffer_write(w->buffer[TABLE], 0, bytes, table, error);
  }
  free(table);
  return code;
}

/* Notes what the variant's tiles need. */
static void turn_to(struct cs_worker *w, uint32_t variant, const struct cs_device_info *device) {
  const struct cs_plan *plan = w->setup.plan;
  w->layout = plan->variant[variant];
  w->steps = w->layout->step.ramp > 0;
  w->team = w->setup.alike ? 0 : cs_sizing_team(device, w->setup.options, w->layout);
  w->step_team = cs_sizing_step_team(device, w->setup.options, w->layout);
  w->vary_team = cs_sizing_vary_team(device, w->setup.options, w->layout);
  w->doubles = false;
  for (size_t i = 0; i < plan->tiles; i++)
    if (plan->tile[i].variant == variant) *(plan->tile[i].doubled ? &w->doubles : &w->steps) = true;
}

static int open_kernel(struct cs_worker *w, enum kernel kernel, struct cs_error *error) {
  struct cs_program *program = cs_programs_of(w->programs, part_of(w, kernel));
  const int code = cs_device_kernel_open(program, kernel_table[kernel].name, &w->kernel[kernel], error);
  if (code == CS_OK) cs_device_kernel_use(w->kernel[kernel], w->setup.device);
  return code;
}

int cs_worker_use(struct cs_worker *w, struct cs_programs *programs, uint32_t variant, struct cs_error *error) {
  int code = CS_OK;
  w->entered = false;
  w->programs = programs;
  close_kernels(w);
  if (programs == NULL) return CS_OK;
  turn_to(w, variant, cs_device_info(w->setup.device));
  for (int i = 0; i < KERNELS && code == CS_OK; i++)
    if (is_there(w, (enum kernel)i) && cs_programs_of(programs, part_of(w, (enum kernel)i)) != NULL)
      code = open_kernel(w, (enum kernel)i, error);
  return code == CS_OK && w->layout->kind.stability ? fill_table(w, error) : code;
}

static int launch_sides(struct cs_worker *w, enum kernel kernel, enum cs_work work, const size_t *global,
                        const size_t *local, struct cs_error *error) {
  struct cs_span busy;
  const double start = cs_clock_seconds();
  const int code = cs_device_kernel_run(w->kernel[kernel], global[1] > 0 ? 2 : 1, global, local, &busy, error);
  if (code == CS_OK) cs_tally_launch(w->setup.tally, work, w->setup.index, cs_clock_seconds() - start, busy);
  return code;
}

/* Work-items of a work-group. */
static size_t side_of(const struct cs_worker *w, enum kernel kernel) {
  const size_t usual = cs_sizing_local(cs_device_info(w->setup.device));
  const size_t wanted = kernel == DOUBLE_TEAM ? w->team
                        : kernel == STEP_TEAM ? w->step_team
                        : kernel == VARY_TEAM ? w->vary_team
                                              : usual;
  return cs_device_kernel_side(w->kernel[kernel], wanted);
}

int cs_worker_launch(struct cs_worker *w, enum kernel kernel, enum cs_work work, size_t groups, size_t columns,
                     struct cs_error *error) {
  const size_t side = side_of(w, kernel);
  const size_t global[2] = {(groups + side - 1) / side * side, columns}, local[2] = {side, 1};
  return launch_sides(w, kernel, work, global, local, error);
}

/* A program is written for a team of one size. */
static int fail_team(const struct cs_worker *w, size_t wanted, size_t allowed, struct cs_error *error) {
  return cs_error_set(error, CS_DEVICE,
                      "device %s: steps of a run by %zu work-items need a work-group of that size; the driver allows "
                      "this kernel %zu",
                      cs_device_info(w->setup.device)->name, wanted, allowed);
}

int cs_worker_launch_teams(struct cs_worker *w, enum kernel kernel, size_t teams, struct cs_error *error) {
  const size_t team = side_of(w, kernel);
  if (kernel == STEP_TEAM && team < w->step_team) return fail_team(w, w->step_team, team, error);
  if (kernel == VARY_TEAM && team < w->vary_team) return fail_team(w, w->vary_team, team, error);
  const size_t global[2] = {teams * team, 0}, local[2] = {team, 1};
  const unsigned last = kernel_table[kernel].buffers + kernel_table[kernel].numbers;
  const int code = kernel == DOUBLE_TEAM
                       ? cs_device_kernel_set_local(w->kernel[kernel], last, cs_layout_team_bytes(w->layout), error)
                       : CS_OK;
  if (code != CS_OK) return code;
  return launch_sides(w, kernel, CS_WORK_STEPS, global, local, error);
}

/* Launches a kernel on no lanes. */
static int launch_idle(struct cs_worker *w, enum kernel kernel, struct cs_error *error) {
  const struct cs_builder_kernel *shape = &kernel_table[kernel];
  const bool teams = kernel == DOUBLE_TEAM;
  int code = CS_OK;
  if (teams)
    code = cs_device_kernel_set_local(w->kernel[kernel], shape->buffers + shape->numbers,
                                      cs_layout_team_bytes(w->layout), error);
  if (code != CS_OK) return code;
  return cs_device_kernel_idle(w->kernel[kernel], shape->buffers, shape->numbers, shape->dimensions, side_of(w, kernel),
                               error);
}

static int set_arguments(struct cs_worker *w, enum kernel kernel, const int64_t *number, struct cs_error *error) {
  static const enum storage order[] = {COEFFICIENTS, DATA, STATE, WORKSPACE, TABLE}, begin[] = {COEFFICIENTS, STATE};
  static const enum storage vary[] = {COEFFICIENTS, STATE, MARKS, ORDER, RECORD};
  const enum storage *from = kernel == BEGIN                                                   ? begin
                             : kernel == BEGIN_VARIED || kernel == VARY || kernel == VARY_TEAM ? vary
                                                                                               : order;
  const unsigned buffers = kernel_table[kernel].buffers;
  int code = CS_OK;
  for (unsigned i = 0; i < buffers && code == CS_OK; i++)
    code = cs_device_kernel_set_buffer(w->kernel[kernel], i, w->buffer[from[i]], error);
  for (unsigned i = 0; i < kernel_table[kernel].numbers && code == CS_OK; i++)
    code = cs_device_kernel_set_long(w->kernel[kernel], buffers + i, number[i], error);
  return code;
}

/* A kernel of which most tiles have no need, in a program that perhaps nobody has opened yet: launched once on none of
 * the tile's lanes, as drivers finish building it then. */
static int open_late(struct cs_worker *w, enum kernel kernel, struct cs_error *error) {
  static const int64_t none[16];
  int code = cs_programs_enter(w->programs, w->layout, part_of(w, kernel), error);
  if (code == CS_OK) code = open_kernel(w, kernel, error);
  if (code == CS_OK) code = set_arguments(w, kernel, none, error);
  if (code == CS_OK) {
    const size_t side = side_of(w, kernel), local[2] = {side, 1};
    code = cs_device_kernel_run(w->kernel[kernel], kernel_table[kernel].dimensions, local, local, NULL, error);
  }
  cs_programs_leave(w->programs, part_of(w, kernel), code == CS_OK);
  return code;
}

int cs_worker_arguments(struct cs_worker *w, enum kernel kernel, const int64_t *number, struct cs_error *error) {
  const int code = w->kernel[kernel] == NULL ? open_late(w, kernel, error) : CS_OK;
  return code == CS_OK ? set_arguments(w, kernel, number, error) : code;
}

int cs_worker_need_host(struct cs_worker *w, size_t bytes, struct cs_error *error) {
  if (w->room_host >= bytes) return CS_OK;
  if (!cs_list_reserve(&w->host, bytes, 1)) return cs_error_memory(error);
  w->room_host = bytes;
  return CS_OK;
}

/* Whether the variant's tiles normally need a kernel. Repeating doubled runs is rare. */
static bool is_needed(const struct cs_worker *w, enum kernel kernel) {
  if (w->layout->kind.stability || w->layout->kind.varies) return is_there(w, kernel);
  if (kernel == STEP) return w->steps && w->step_team == 0;
  if (kernel == STEP_TEAM) return w->steps && w->step_team > 0;
  if (kernel == DOUBLE) return w->doubles && w->team == 0;
  if (kernel == DOUBLE_TEAM) return w->doubles && w->team > 0;
  return kernel != DOUBLE_ROOT && is_there(w, kernel);
}

int cs_worker_warm_up(struct cs_worker *w, struct cs_error *error) {
  int code = CS_OK;
  for (int i = 0; i < KERNELS && code == CS_OK; i++)
    if (is_needed(w, (enum kernel)i)) code = launch_idle(w, (enum kernel)i, error);
  return code;
}

void cs_worker_parts(const struct cs_worker_setup *setup, uint32_t variant, const struct cs_device_info *device,
                     bool part[CS_PARTS]) {
  struct cs_worker w = {.setup = *setup};
  turn_to(&w, variant, device);
  for (int i = 0; i < CS_PARTS; i++)
    part[i] = false;
  for (int i = 0; i < KERNELS; i++)
    part[part_of(&w, (enum kernel)i)] |= is_needed(&w, (enum kernel)i);
}

size_t cs_worker_kernels(const struct cs_worker_setup *setup, uint32_t variant, const struct cs_device_info *device,
                         enum cs_part part, struct cs_builder_kernel kernel[CS_BUILDER_KERNELS]) {
  struct cs_worker w = {.setup = *setup};
  size_t count = 0;
  turn_to(&w, variant, device);
  for (int i = 0; i < KERNELS; i++)
    if (is_needed(&w, (enum kernel)i) && part_of(&w, (enum kernel)i) == part && !is_team((enum kernel)i))
      kernel[count++] = kernel_table[i];
  return count;
}
