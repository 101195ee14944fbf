#include "worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimate.h"
#include "list.h"
#include "modes.h"
#include "worker_private.h"

/* Multiply-adds per launch of the assembly. */
#define ASSEMBLY_WORK 4e9

/* ---- coefficients and states ------------------------------------------------------------------------------------- */

/* Place of an item of a lane: [group][item][lane], but [item][run] in programs of OpenCL with one (lanes.clh). */
static bool is_by_item(const struct cs_worker *w) {
  return w->setup.lanes == 1 && !cs_device_info(w->setup.device)->host;
}

static size_t place(const struct cs_worker *w, size_t groups, size_t items, size_t lane, size_t item) {
  const size_t lanes = w->setup.lanes;
  return is_by_item(w) ? item * groups + lane : ((lane / lanes) * items + item) * lanes + lane % lanes;
}

static size_t pitch(const struct cs_worker *w, size_t groups) {
  return is_by_item(w) ? groups : w->setup.lanes;
}

/* derived: the coefficients from estimate_at on. */
static void fill_lane(const struct cs_worker *w, const struct job *job, const size_t *places, const double *derived,
                      const struct cs_run *run, size_t lane) {
  const struct cs_layout *l = job->layout;
  const struct cs_networks *networks = w->setup.plan->networks;
  const double *numbers = networks->numbers + run->network * networks->packed;
  double fixed[CS_K_X0];
  fixed[CS_K_H] = run->step_size;
  fixed[CS_K_NORM] = run->norm;
  fixed[CS_K_RELAXATION] = run->relaxation;
  fixed[CS_K_CHAIN] = run->chain;
  fixed[CS_K_N] = run->steps;
  fixed[CS_K_ZEROS] = (double)networks->zeros[run->network];
  fixed[CS_K_NEUTRAL] = networks->neutral[run->network];
  cs_layout_quadrature(l, run->norm, run->chain, run->octave, &fixed[CS_K_PANELS], &fixed[CS_K_LEVELS],
                       &fixed[CS_K_FIRST_PANEL], &fixed[CS_K_NODES]);
  double *to = w->host + place(w, job->groups, l->coefficients.count, lane, 0);
  const size_t step = pitch(w, job->groups);
  for (size_t i = 0; i < CS_K_X0; i++, to += step)
    *to = fixed[i];
  for (size_t i = CS_K_X0; i < l->coefficients.estimate_at; i++, to += step)
    *to = numbers[places[i - CS_K_X0]];
  for (size_t i = l->coefficients.estimate_at; i < l->coefficients.count; i++, to += step)
    *to = derived[i - l->coefficients.estimate_at];
}

/* What numbers of a network are derived for. */
struct derivation {
  const struct cs_worker *worker;
  const struct cs_layout *layout;
  const double *numbers;
  const size_t *places;
  bool apart;
};

/* Richardson's matrices. */
static int derive_estimates(void *context, double *matrices, struct cs_error *error) {
  const struct derivation *d = context;
  return cs_estimate_matrices(d->layout, d->numbers, d->places, matrices, error);
}

static int derive_modes(void *context, double *modes, struct cs_error *error) {
  const struct derivation *d = context;
  struct cs_tally *tally = d->worker->setup.tally;
  cs_tally_separates(tally, d->apart ? cs_modes_seconds(d->layout) : 0.0);
  const int code = cs_modes_fill(d->layout, d->numbers, d->apart, modes, error);
  cs_tally_separated(tally);
  return code;
}

int cs_worker_derive(const struct cs_worker *w, const struct cs_layout *l, uint32_t network, bool apart,
                     const size_t *places, double *derived, struct cs_error *error) {
  const struct cs_networks *networks = w->setup.plan->networks;
  struct derivation d = {w, l, networks->numbers + network * networks->packed, places, apart};
  const struct cs_recall_key estimates = {cs_estimate_kind(l), d.numbers, networks->packed};
  const struct cs_recall_key modes = {cs_modes_kind(l, apart), d.numbers, networks->packed};
  const size_t items = l->coefficients.modes_at - l->coefficients.estimate_at;
  int code = CS_OK;
  if (l->coefficients.estimates > 0)
    code = cs_recall_get(w->setup.recall, estimates, derived, items, derive_estimates, &d, error);
  if (code == CS_OK && l->kind.stiff)
    code =
        cs_recall_get(w->setup.recall, modes, derived + items, cs_mode_places_at(l, CS_MODES), derive_modes, &d, error);
  return code;
}

void cs_worker_own(const struct cs_plan *plan, const struct cs_layout *l, size_t run, double *to) {
  const size_t names = l->coefficients.control_at - l->coefficients.own_at;
  if (names > 0) memcpy(to, plan->own + run * names, names * sizeof *to);
}

/* Coefficients of the tile's lanes; the last group is filled up with its last run. */
static int fill(struct cs_worker *w, const struct job *job, struct cs_error *error) {
  const struct cs_plan *plan = w->setup.plan;
  const struct cs_layout *l = job->layout;
  const struct cs_tile *tile = job->tile;
  const struct cs_run *before = NULL;
  bool was_apart = false;
  const size_t bytes = job->lanes * l->coefficients.count * sizeof(double);
  size_t *places = malloc((l->coefficients.count + 1) * sizeof *places);
  double *derived = malloc((l->coefficients.count - l->coefficients.estimate_at + 1) * sizeof *derived);
  int code = places == NULL || derived == NULL ? cs_error_memory(error) : cs_worker_need_host(w, bytes, error);
  if (code == CS_OK) cs_networks_places(l, places);
  for (size_t lane = 0; lane < job->lanes && code == CS_OK; lane++) {
    const struct cs_run *run = &plan->run[tile->run[lane < tile->count ? lane : tile->count - 1]];
    const bool apart = cs_sizing_apart(l, run);
    if (before == NULL || before->network != run->network || was_apart != apart)
      code = cs_worker_derive(w, l, run->network, apart, places, derived, error);
    was_apart = apart;
    if (l->kind.stiff)
      derived[l->coefficients.modes_at - l->coefficients.estimate_at + cs_mode_places_at(l, CS_MODES_OCTAVE)] =
          run->octave;
    double *own = derived + (l->coefficients.own_at - l->coefficients.estimate_at);
    cs_worker_own(plan, l, (size_t)(run - plan->run), own);
    const double *paced =
        l->kind.compensates ? cs_pacing_numbers(&plan->pacing, plan->paced[run - plan->run]) + plan->pacing.compensation
                            : NULL;
    for (size_t i = 0; i < l->dims.inputs && paced != NULL; i++)
      derived[l->coefficients.compensation_at - l->coefficients.estimate_at + i] = paced[l->model->input[i].subsystem];
    if (code == CS_OK) fill_lane(w, job, places, derived, run, lane);
    before = run;
  }
  if (code == CS_OK) code = cs_device_buffer_write(w->buffer[COEFFICIENTS], 0, bytes, w->host, error);
  free(places);
  free(derived);
  return code;
}

static int note_again(struct again *a, size_t run, struct cs_error *error) {
  if (!cs_list_grow(&a->run, a->count, sizeof *a->run)) return cs_error_memory(error);
  a->run[a->count++] = run;
  return CS_OK;
}

static int collect(struct cs_worker *w, const struct job *job, struct cs_error *error) {
  const struct cs_layout *l = job->layout;
  const size_t bytes = job->lanes * l->state.items * sizeof(double), step = pitch(w, job->groups);
  int code = cs_worker_need_host(w, bytes, error);
  if (code == CS_OK) code = cs_device_buffer_read(w->buffer[STATE], 0, bytes, w->host, error);
  for (size_t lane = 0; lane < job->tile->count && code == CS_OK; lane++) {
    const double *state = w->host + place(w, job->groups, l->state.items, lane, 0);
    const double mark = state[l->state.diverged * step];
    if (mark < 0.0)
      code =
          note_again(&w->again[mark == CS_AGAIN_BY_ROOT ? AGAIN_BY_ROOT : AGAIN_BY_STEPS], job->tile->run[lane], error);
    else
      cs_worker_enter_run(w, job->tile->run[lane], job->tile->doubled ? CS_WAY_DOUBLE : CS_WAY_STEP, state, step);
  }
  return code;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void count_work(const struct cs_worker *w, const struct job *job, enum cs_work kind, double work,
                       double lane_steps) {
  if (job->counted) cs_tally_work(w->setup.tally, kind, work, lane_steps);
}

/* Assembles the map of step number `ramp` (CS_STEADY: of all later steps), of a cycle that of its step number `phase`,
 * a few columns at a time where a column is much work. On a CPU a work-item goes through the columns of its lanes;
 * elsewhere each has one. */
static int assemble(struct cs_worker *w, const struct job *job, int64_t ramp, size_t phase, struct cs_error *error) {
  const bool cpu = cs_device_info(w->setup.device)->cpu;
  const bool measured = !job->layout->kind.stability;
  const size_t before = measured ? 0 : job->layout->dims.exact, columns = cs_layout_columns(job->layout);
  const double work = cs_tally_assembly_work(w->setup.plan, job->tile);
  const double most = fmax(1.0, floor(ASSEMBLY_WORK / work * (double)columns));
  const size_t batch = most < (double)columns ? (size_t)most : columns;
  int code = CS_OK;
  for (size_t first = 0; first < columns && code == CS_OK; first += batch) {
    const size_t count = columns - first < batch ? columns - first : batch;
    const int64_t number[] = {(int64_t)job->items,
                              ramp,
                              (int64_t)job->groups,
                              (int64_t)(before + first),
                              (int64_t)(before + first + count),
                              (int64_t)phase,
                              measured};
    if (cs_tally_stopped(w->setup.tally)) return cs_error_interrupted(error);
    code = cs_worker_arguments(w, ASSEMBLE, number, error);
    if (code == CS_OK) code = cs_worker_launch(w, ASSEMBLE, CS_WORK_ASSEMBLY, job->groups, cpu ? 1 : count, error);
    /* the predicted work is that of one map, however many a ramp or a cycle has */
    if (phase == 0 && (ramp == 1 || (ramp == CS_STEADY && job->layout->step.ramp == 0)))
      count_work(w, job, CS_WORK_ASSEMBLY, work * (double)count / (double)columns, 0.0);
  }
  return code;
}

/* Steps of all runs of a tile between two step numbers. */
static double steps_between(const struct cs_worker *w, const struct cs_tile *tile, double from, double to) {
  double sum = 0.0;
  for (size_t i = 0; i < tile->count; i++) {
    const double steps = w->setup.plan->run[tile->run[i]].steps;
    sum += fmin(steps, to) - fmin(steps, from);
  }
  return sum;
}

static int step(struct cs_worker *w, const struct job *job, double from, double to, struct cs_error *error) {
  const int64_t number[] = {(int64_t)job->items, (int64_t)from, (int64_t)to, (int64_t)job->groups};
  const enum kernel kernel = w->step_team > 0 ? STEP_TEAM : STEP;
  int code = cs_worker_arguments(w, kernel, number, error);
  if (code == CS_OK)
    code = w->step_team > 0 ? cs_worker_launch_teams(w, kernel, job->groups, error)
                            : cs_worker_launch(w, kernel, CS_WORK_STEPS, job->groups, 0, error);
  if (code == CS_OK && !job->tile->doubled) {
    const double lane_steps = steps_between(w, job->tile, from, to);
    count_work(w, job, CS_WORK_STEPS, lane_steps * cs_layout_step_work(job->layout, job->tile->nodes), lane_steps);
  }
  return code;
}

/* Launches a kernel on batches of the tile's vectors, each with its own workspace. number: the kernel's arguments, of
 * which [range] and [range + 1] become the first vector and the one after the last. `lane_steps`: of the tile. */
static int launch_batches(struct cs_worker *w, const struct job *job, enum kernel kernel, int64_t *number, size_t range,
                          double lane_steps, struct cs_error *error) {
  const struct cs_layout *l = job->layout;
  const bool teams = kernel == DOUBLE_TEAM;
  const size_t workers =
      teams ? 1 : cs_sizing_workers(cs_device_info(w->setup.device), w->setup.options, l, w->setup.lanes, job->groups);
  const double work = cs_sizing_tile_work(w->setup.plan, job->tile);
  const size_t batch = cs_sizing_batch(work, job->groups, workers);
  int code =
      cs_worker_need_buffer(w, WORKSPACE, workers * w->setup.lanes * cs_layout_workspace(l, w->setup.lanes), error);
  for (size_t first = 0; first < job->groups && code == CS_OK; first += batch) {
    const size_t last = job->groups - first < batch ? job->groups : first + batch;
    const double share = (double)(last - first) / (double)job->groups;
    number[range] = (int64_t)first;
    number[range + 1] = (int64_t)last;
    if (cs_tally_stopped(w->setup.tally)) return cs_error_interrupted(error);
    code = cs_worker_arguments(w, kernel, number, error);
    if (code == CS_OK)
      code = teams ? cs_worker_launch_teams(w, kernel, last - first, error)
                   : cs_worker_launch(w, kernel, CS_WORK_STEPS, workers, 0, error);
    count_work(w, job, CS_WORK_STEPS, work * share, lane_steps * share);
  }
  return code;
}

/* Computes all steps after number `from` by doubling. */
static int twice(struct cs_worker *w, const struct job *job, double from, struct cs_error *error) {
  const enum kernel kernel = job->root ? DOUBLE_ROOT : w->team > 0 ? DOUBLE_TEAM : DOUBLE;
  int64_t number[] = {(int64_t)job->items, (int64_t)from, (int64_t)job->groups, 0, 0};
  return launch_batches(w, job, kernel, number, 3, job->tile->steps, error);
}

/* Eigenvalues of the tile's maps. */
static int analyse(struct cs_worker *w, const struct job *job, struct cs_error *error) {
  const struct cs_layout *l = job->layout;
  int64_t number[] = {(int64_t)job->items,
                      (int64_t)job->groups,
                      0,
                      0,
                      (int64_t)l->dims.modes,
                      (int64_t)cs_layout_exact_modes(l),
                      (int64_t)l->coefficients.count,
                      (int64_t)l->state.items,
                      (int64_t)cs_layout_phases(l),
                      (int64_t)l->dims.handed,
                      (int64_t)l->map.handed_at};
  int code = CS_OK;
  for (size_t phase = 0; phase < cs_layout_phases(l) && code == CS_OK; phase++)
    code = assemble(w, job, CS_STEADY, phase, error);
  return code == CS_OK ? launch_batches(w, job, SPECTRUM, number, 2, 0.0, error) : code;
}

/* For a doubled tile whose runs all end within the ramp. */
static void count_whole_tile(struct cs_worker *w, const struct job *job) {
  count_work(w, job, CS_WORK_STEPS, cs_sizing_tile_work(w->setup.plan, job->tile), job->tile->steps);
}

static int advance(struct cs_worker *w, const struct job *job, struct cs_error *error) {
  const double ramp = (double)job->layout->step.ramp;
  const double most = cs_sizing_longest(w->setup.plan, job->tile), stride = cs_sizing_steps(w->setup.plan, job->tile);
  const int64_t groups = (int64_t)job->groups;
  double k = 0.0;
  int code = cs_worker_arguments(w, BEGIN, &groups, error);
  if (code == CS_OK) code = cs_worker_launch(w, BEGIN, CS_WORK_ASSEMBLY, job->groups, 0, error);
  for (; k < ramp && k < most && code == CS_OK; k += 1.0) {
    code = assemble(w, job, (int64_t)k + 1, 0, error);
    if (code == CS_OK) code = step(w, job, k, k + 1.0, error);
  }
  if (code == CS_OK && k < most) code = assemble(w, job, CS_STEADY, 0, error);
  if (code == CS_OK && k < most && job->tile->doubled) return twice(w, job, k, error);
  if (code == CS_OK && job->tile->doubled) count_whole_tile(w, job);
  while (k < most && code == CS_OK) {
    const double to = fmin(most, (floor(k / CS_CHUNK) * CS_CHUNK) + stride);
    if (cs_tally_stopped(w->setup.tally)) return cs_error_interrupted(error);
    code = step(w, job, k, to, error);
    k = to;
  }
  return code;
}

static int run(struct cs_worker *w, struct job *job, struct cs_error *error) {
  const struct cs_layout *l = w->layout;
  const struct cs_tile *tile = job->tile;
  job->layout = l;
  job->groups = (tile->count + w->setup.lanes - 1) / w->setup.lanes;
  job->lanes = job->groups * w->setup.lanes;
  job->items = l->map.point_items + tile->nodes * l->map.inside_items;
  if (l->kind.stability) job->items *= cs_layout_phases(l);
  if (l->kind.varies) return cs_worker_vary(w, job, error);
  int code = cs_worker_need_buffer(w, COEFFICIENTS, 8 * job->lanes * l->coefficients.count, error);
  if (code == CS_OK) code = cs_worker_need_buffer(w, DATA, 8 * job->lanes * job->items, error);
  if (code == CS_OK) code = cs_worker_need_buffer(w, STATE, 8 * job->lanes * l->state.items, error);
  if (code == CS_OK) code = fill(w, job, error);
  if (code == CS_OK) code = l->kind.stability ? analyse(w, job, error) : advance(w, job, error);
  if (code == CS_OK) code = collect(w, job, error);
  return code;
}

/* Repeats runs that doubling could not complete: with the factor of the Gram matrix if digits cancelled, with steps if
 * numbers left their range. */
static int run_again(struct cs_worker *w, const struct cs_tile *tile, int way, struct cs_error *error) {
  struct again list = w->again[way];
  struct cs_tile rest = *tile;
  struct job job = {.tile = &rest, .root = way == AGAIN_BY_ROOT};
  if (list.count == 0) return CS_OK;
  rest.run = list.run;
  rest.count = list.count;
  rest.doubled = way == AGAIN_BY_ROOT;
  w->again[way].count = 0;
  return run(w, &job, error);
}

void cs_worker_enter_run(struct cs_worker *w, size_t run, enum cs_way way, const double *state, size_t pitch) {
  w->entered = true;
  w->setup.enter(w->setup.context, run, way, state, pitch);
}

bool cs_worker_has_entered(const struct cs_worker *w) {
  return w->entered;
}

int cs_worker_tile(struct cs_worker *w, const struct cs_tile *tile, struct cs_error *error) {
  w->entered = false;
  struct job job = {.tile = tile, .counted = true};
  for (int i = 0; i < AGAINS; i++)
    w->again[i].count = 0;
  int code = run(w, &job, error);
  if (code == CS_OK) code = run_again(w, tile, AGAIN_BY_ROOT, error);
  if (code == CS_OK) code = run_again(w, tile, AGAIN_BY_STEPS, error);
  cs_tally_runs(w->setup.tally, (ptrdiff_t)(code == CS_OK ? tile->count : 0) - (ptrdiff_t)job.told);
  return code;
}
