#include "serve.h"

#include <stdint.h>
#include <stdlib.h>

#include "ahead.h"
#include "checksum.h"
#include "pool.h"
#include "sizing.h"

enum { OVER = CS_PASSES }; /* in place of a pass */

/* What rank 0 says first of a pass. */
struct call {
  uint64_t pass, runs, repeats, points, axes, axis[2]; /* runs: of the plan */
  uint64_t first, part;                                /* the part of the sweep that it is of: first run, runs */
  uint64_t tiles;                                      /* checksum of them */
};

/* Of the tiles that a pass computes. */
static uint64_t checksum_of(const struct cs_plan *plan) {
  struct cs_checksum sum;
  cs_checksum_begin(&sum);
  for (size_t i = plan->done; i < plan->tiles; i++) {
    const uint64_t tile[] = {plan->tile[i].run[0], plan->tile[i].count, plan->tile[i].variant};
    cs_checksum_add(&sum, tile, sizeof tile);
  }
  return sum.value;
}

/* ---- rank 0 ------------------------------------------------------------------------------------------------------ */

int cs_serve_announce(struct cs_farm *farm, enum cs_journal_pass pass, const struct cs_plan *plan, const bool *done,
                      const struct cs_serve_points *points, struct cs_error *error) {
  struct call call = {.pass = pass, .runs = plan->runs, .first = plan->sweep->first, .part = plan->sweep->runs};
  if (farm == NULL) return CS_OK;
  call.tiles = checksum_of(plan);
  if (pass == CS_PASS_AGAIN) call.repeats = plan->repeats;
  if (points != NULL) {
    call.points = plan->runs;
    call.axes = points->axes;
    for (size_t a = 0; a < points->axes; a++)
      call.axis[a] = points->axis[a];
  }
  int code = farm->share(farm, &call, sizeof call, error);
  if (code == CS_OK && call.repeats > 0)
    code = farm->share(farm, plan->again, call.repeats * sizeof *plan->again, error);
  if (code == CS_OK && call.points > 0)
    code = farm->share(farm, (void *)points->point, call.points * sizeof *points->point, error);
  return code == CS_OK ? farm->share(farm, (void *)done, call.runs * sizeof *done, error) : code;
}

int cs_serve_finish(struct cs_farm *farm, struct cs_error *error) {
  struct call call = {.pass = OVER};
  return farm != NULL && farm->rank == 0 ? farm->share(farm, &call, sizeof call, error) : CS_OK;
}

/* ---- other ranks ------------------------------------------------------------------------------------------------- */

struct server {
  struct cs_tiers *tiers; /* with device `auto` */
  const struct cs_sweep *sweep;
  const struct cs_engine_options *options;
  struct cs_device *const *device;
  const struct cs_device_info **info;
  size_t devices;
  struct cs_ahead ahead;
  struct cs_sweep part; /* of the sweep, whose runs are planned */
  struct cs_plan *plan; /* of its runs; NULL: none yet */
  struct cs_pool *pool;
  struct cs_plan *served; /* of the pass */
  uint64_t tiles;         /* what rank 0 says of its tiles */
};

static struct cs_pool_setup setup_of(const struct server *s, bool keep) {
  return (struct cs_pool_setup){.device = s->device,
                                .devices = s->devices,
                                .options = s->options,
                                .tiers = s->tiers,
                                .windows = (double)s->sweep->runs / (double)s->part.runs,
                                .keep = keep};
}

static void send(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  const struct server *s = context;
  const struct cs_plan *plan = s->served;
  const struct cs_farm_result result = {run, (uint32_t)way,
                                        (uint32_t)plan->variant[plan->run[run].variant]->state.items};
  s->options->farm->send(s->options->farm, &result, state, pitch);
}

/* A list of rank 0's; free() it. */
static void *list_of(const struct server *s, size_t count, size_t size, int *code, struct cs_error *error) {
  void *list = malloc((count + 1) * size);
  if (list == NULL) *code = cs_error_memory(error);
  if (*code == CS_OK) *code = s->options->farm->share(s->options->farm, list, count * size, error);
  return list;
}

/* Computes a share of the plan's tiles, without the runs that are done. */
static int compute(struct server *s, struct cs_pool *pool, struct cs_plan *plan, struct cs_error *error) {
  int code = CS_OK;
  bool *done = list_of(s, plan->runs, sizeof *done, &code, error);
  if (code == CS_OK) code = cs_plan_drop(plan, done, error);
  free(done);
  if (code == CS_OK && checksum_of(plan) != s->tiles)
    code = cs_error_set(error, CS_DEVICE,
                        "its runs are divided otherwise than those of rank 0; want --memory and "
                        "--tile-runs, the same for all ranks");
  s->served = plan;
  return code == CS_OK ? cs_pool_run(pool, plan, send, s, error) : code;
}

static int serve_again(struct server *s, const struct call *call, struct cs_error *error) {
  int code = CS_OK;
  size_t *run = list_of(s, call->repeats, sizeof *run, &code, error);
  if (code == CS_OK) code = cs_plan_again(s->plan, run, call->repeats, error);
  free(run);
  return code == CS_OK ? compute(s, s->pool, s->plan, error) : code;
}

static int serve_points(struct server *s, const struct call *call, struct cs_error *error) {
  const size_t axis[2] = {call->axis[0], call->axis[1]};
  struct cs_plan *plan = NULL;
  int code = CS_OK;
  struct cs_point *point = list_of(s, call->points, sizeof *point, &code, error);
  if (code == CS_OK) code = cs_plan_points(s->plan, s->sweep, axis, call->axes, point, call->points, &plan, error);
  if (code == CS_OK && !cs_pool_has_room(s->pool, s->plan)) {
    cs_pool_close(s->pool);
    s->pool = NULL;
    code = cs_pool_open_for(s->plan, setup_of(s, true), &s->pool, error);
  }
  if (code == CS_OK) code = compute(s, s->pool, plan, error);
  cs_plan_free(plan);
  free(point);
  return code;
}

/* A pass whose plan is its own. */
static int serve_beside(struct server *s, enum cs_journal_pass pass, struct cs_error *error) {
  struct cs_plan *plan = NULL;
  struct cs_pool *pool = NULL;
  int code = pass == CS_PASS_SPECTRA
                 ? cs_sizing_plan_beside(s->plan, &s->part, s->info, s->devices, s->options, &plan, error)
                 : cs_sizing_plan_other(&s->part, s->info, s->devices, s->options, &plan, error);
  if (code == CS_OK) code = cs_pool_open_for(plan, setup_of(s, false), &pool, error);
  if (code == CS_OK) code = compute(s, pool, plan, error);
  cs_pool_close(pool);
  cs_plan_free(plan);
  return code;
}

static int serve_pass(struct server *s, const struct call *call, struct cs_error *error) {
  switch ((enum cs_journal_pass)call->pass) {
    case CS_PASS_RUNS:
      return compute(s, s->pool, s->plan, error);
    case CS_PASS_AGAIN:
      return serve_again(s, call, error);
    case CS_PASS_POINTS:
      return serve_points(s, call, error);
    case CS_PASS_SPECTRA:
    case CS_PASS_OTHER:
      return serve_beside(s, call->pass, error);
    case CS_PASSES:
      break;
  }
  return CS_OK;
}

/* Plans the part of the sweep that rank 0 is at. */
static int turn_to(struct server *s, const struct call *call, struct cs_error *error) {
  const bool keep = s->sweep->boundary >= 0 || s->sweep->refine > 0;
  if (s->plan != NULL && s->part.first == call->first && s->part.runs == call->part) return CS_OK;
  if (call->pass == CS_PASS_POINTS) return CS_OK; /* those of all parts, with the plan of the last one */
  cs_pool_close(s->pool);
  cs_plan_free(s->plan);
  s->pool = NULL;
  s->plan = NULL;
  s->part = cs_sweep_part(s->sweep, call->first, call->part);
  const size_t first = call->first - s->sweep->first, next = first + call->part;
  if (s->tiers != NULL) cs_tiers_follow(s->tiers, cs_sweep_part(s->sweep, next, SIZE_MAX));
  const int code = cs_ahead_take(&s->ahead, first, call->part, &s->plan, error);
  if (code != CS_OK) return code;
  cs_ahead_begin(&s->ahead, next, call->part);
  return cs_pool_open_for(s->plan, setup_of(s, keep), &s->pool, error);
}

static int serve(struct server *s, struct cs_error *error) {
  struct cs_farm *farm = s->options->farm;
  struct call call = {.pass = OVER};
  int code = CS_OK;
  while (code == CS_OK) {
    code = farm->share(farm, &call, sizeof call, error);
    if (code != CS_OK || call.pass == OVER) break;
    s->tiles = call.tiles;
    code = turn_to(s, &call, error);
    if (code == CS_OK) code = serve_pass(s, &call, error);
  }
  return code;
}

int cs_serve(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
             const struct cs_engine_options *options, struct cs_error *error) {
  struct server s = {.sweep = sweep, .options = options, .device = device, .devices = devices};
  s.info = malloc((devices + 1) * sizeof *s.info);
  for (size_t d = 0; s.info != NULL && d < devices; d++)
    s.info[d] = cs_device_info(device[d]);
  s.ahead = (struct cs_ahead){.sweep = sweep, .device = s.info, .devices = devices, .options = options};
  int code = s.info != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK && cs_tiers_serve(device, devices, options))
    code = cs_tiers_open(device[0], options, &s.tiers, error);
  if (code == CS_OK) code = serve(&s, error);
  cs_pool_close(s.pool);
  cs_tiers_close(s.tiers);
  cs_plan_free(s.plan);
  cs_ahead_end(&s.ahead);
  free(s.info);
  return code;
}
