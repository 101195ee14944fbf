#include "engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emit.h"
#include "launch.h"
#include "provenance.h"
#include "result.h"

/* Multiply-adds per launch of the assembly. */
#define ASSEMBLY_WORK 4e9

enum { STEADY = 99 }; /* the step number whose map serves all later steps, see assemble.cl */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

/* Seconds per unit of work, measured for stepping and for assembling apart; seconds per build. */
struct clock {
  double start, steps_done;
  double step_work, step_seconds, assembly_work, assembly_seconds, build_seconds;
  size_t builds, runs_done;
  double step_work_left, assembly_work_left;
  size_t builds_left;
};

static double rate(double seconds, double work, double other_seconds, double other_work) {
  if (work > 0.0) return seconds / work;
  return other_work > 0.0 ? other_seconds / other_work : 0.0;
}

static void tell(const struct cs_engine_options *options, const struct cs_plan *plan, const struct clock *clock) {
  if (options->progress == NULL) return;
  struct cs_progress p = {
      .runs = plan->runs,
      .runs_done = clock->runs_done,
      .steps = plan->steps,
      .steps_done = clock->steps_done,
      .work = clock->step_work + clock->step_work_left + clock->assembly_work + clock->assembly_work_left,
      .work_done = clock->step_work + clock->assembly_work,
      .seconds = now() - clock->start};
  const double step = rate(clock->step_seconds, clock->step_work, clock->assembly_seconds, clock->assembly_work);
  const double assembly = rate(clock->assembly_seconds, clock->assembly_work, clock->step_seconds, clock->step_work);
  const double build = clock->builds > 0 ? clock->build_seconds / (double)clock->builds : 0.0;
  p.remaining = clock->builds == 0 ? NAN
                                   : step * clock->step_work_left + assembly * clock->assembly_work_left +
                                         build * (double)clock->builds_left;
  options->progress(&p, options->context);
}

/* ---- one tile ---------------------------------------------------------------------------------------------------- */

struct execution {
  const struct cs_sweep *sweep;
  const struct cs_engine_options *options;
  struct cs_device *device;
  const struct cs_plan *plan;
  struct cs_result result;
  struct cs_report *report;
  struct clock clock;
  unsigned lanes;
  double device_seconds;
  struct cs_buffer *coefficients, *data, *state, *workspace;
  size_t room_coefficients, room_data, room_state, room_workspace; /* bytes */
  size_t *again; /* runs of the tile that doubling leaves to stepping */
  size_t agains;
  double *host;
  size_t room_host;
  double worst_growth;
  size_t growth_runs;
};

struct program {
  struct cs_program *program;
  struct cs_kernel *begin, *assemble, *step, *twice; /* twice: NULL where the variant is never doubled */
};

static void program_close(struct program *p) {
  cs_kernel_free(p->begin);
  cs_kernel_free(p->assemble);
  cs_kernel_free(p->step);
  cs_kernel_free(p->twice);
  cs_program_free(p->program);
  *p = (struct program){0};
}

static int launch(struct execution *s, struct cs_kernel *kernel, size_t groups, size_t columns, double *spent,
                  struct cs_error *error) {
  const size_t local_size = cs_launch_local(cs_device_info(s->device));
  const size_t global[2] = {(groups + local_size - 1) / local_size * local_size, columns};
  const size_t local[2] = {local_size, 1};
  double seconds = 0.0;
  const double start = now();
  const int code = cs_kernel_run(kernel, columns > 0 ? 2 : 1, global, local, &seconds, error);
  s->device_seconds += seconds;
  *spent += now() - start;
  return code;
}

/* Launches every kernel on no lanes at all: drivers finish compiling at the first launch, which would otherwise be
 * taken for the time of the work. */
static int program_warm_up(struct execution *s, struct program *p, struct cs_error *error) {
  const struct {
    struct cs_kernel *kernel;
    unsigned buffers, numbers;
  } list[] = {{p->begin, 2, 1}, {p->assemble, 2, 5}, {p->step, 3, 4}, {p->twice, 4, 5}};
  struct cs_buffer *nothing = NULL;
  double seconds = 0.0;
  int code = cs_buffer_new(s->device, sizeof(double), &nothing, error);
  for (size_t i = 0; i < sizeof list / sizeof list[0] && list[i].kernel != NULL; i++) {
    for (unsigned b = 0; b < list[i].buffers && code == CS_OK; b++)
      code = cs_kernel_set_buffer(list[i].kernel, b, nothing, error);
    for (unsigned n = 0; n < list[i].numbers && code == CS_OK; n++)
      code = cs_kernel_set_long(list[i].kernel, list[i].buffers + n, 0, error);
    if (code == CS_OK) code = launch(s, list[i].kernel, 1, i == 1, &seconds, error);
  }
  cs_buffer_free(nothing);
  return code;
}

static int program_open(struct execution *s, const struct cs_layout *layout, struct program *p, struct cs_text *source,
                        struct cs_error *error) {
  *p = (struct program){0};
  int code = cs_emit(layout, s->lanes, source, error);
  if (code == CS_OK) code = cs_program_build(s->device, source->data, CS_BUILD_OPTIONS, &p->program, error);
  if (code == CS_OK) code = cs_kernel_open(p->program, "begin_lanes", &p->begin, error);
  if (code == CS_OK) code = cs_kernel_open(p->program, "assemble_map", &p->assemble, error);
  if (code == CS_OK) code = cs_kernel_open(p->program, "step_lanes", &p->step, error);
  if (code == CS_OK && layout->doubles) code = cs_kernel_open(p->program, "double_lanes", &p->twice, error);
  if (code == CS_OK) code = program_warm_up(s, p, error);
  if (code != CS_OK) program_close(p);
  return code;
}

static int need_buffer(struct execution *s, struct cs_buffer **buffer, size_t *room, size_t bytes,
                       struct cs_error *error) {
  if (*buffer != NULL && *room >= bytes) return CS_OK;
  cs_buffer_free(*buffer);
  *buffer = NULL;
  *room = 0;
  const int code = cs_buffer_new(s->device, bytes, buffer, error);
  if (code == CS_OK) *room = bytes;
  return code;
}

static int need_host(struct execution *s, size_t bytes, struct cs_error *error) {
  if (s->room_host >= bytes) return CS_OK;
  double *host = realloc(s->host, bytes);
  if (host == NULL) return cs_error_memory(error);
  s->host = host;
  s->room_host = bytes;
  return CS_OK;
}

/* Place of an item of a lane: [group][item][lane] with several lanes, [item][run] with one (lanes.clh). */
static size_t place(unsigned lanes, size_t groups, size_t items, size_t lane, size_t item) {
  return lanes == 1 ? item * groups + lane : ((lane / lanes) * items + item) * lanes + lane % lanes;
}

static size_t pitch(unsigned lanes, size_t groups) {
  return lanes == 1 ? groups : lanes;
}

static void fill_lane(const struct execution *s, const struct cs_layout *l, const size_t *places,
                      const struct cs_run *run, size_t groups, size_t lane) {
  double fixed[CS_K_X0];
  const double *numbers = s->plan->networks->numbers + run->network * s->plan->networks->packed;
  fixed[CS_K_H] = run->step_size;
  fixed[CS_K_NORM] = run->norm;
  fixed[CS_K_N] = run->steps;
  cs_layout_quadrature(l, run->norm, &fixed[CS_K_PANELS], &fixed[CS_K_LEVELS], &fixed[CS_K_FIRST_PANEL],
                       &fixed[CS_K_NODES]);
  double *to = s->host + place(s->lanes, groups, l->coefficients, lane, 0);
  const size_t step = pitch(s->lanes, groups);
  for (size_t i = 0; i < CS_K_X0; i++, to += step)
    *to = fixed[i];
  for (size_t i = 0; i < l->coefficients - CS_K_X0; i++, to += step)
    *to = numbers[places[i]];
}

/* Coefficients of the tile's lanes; the last group is filled up with its last run. */
static int fill(struct execution *s, const struct cs_tile *tile, size_t groups, struct cs_error *error) {
  const struct cs_layout *l = s->plan->variant[tile->variant];
  const size_t bytes = groups * s->lanes * l->coefficients * sizeof(double);
  size_t *places = malloc((l->coefficients + 1) * sizeof *places);
  int code = places == NULL ? cs_error_memory(error) : need_host(s, bytes, error);
  if (code == CS_OK) {
    cs_networks_places(l, places);
    for (size_t lane = 0; lane < groups * s->lanes; lane++) {
      const size_t i = lane < tile->count ? lane : tile->count - 1;
      fill_lane(s, l, places, &s->plan->run[s->plan->order[i]], groups, lane);
    }
    code = cs_buffer_write(s->coefficients, 0, bytes, s->host, error);
  }
  free(places);
  return code;
}

static bool stopped(const struct execution *s) {
  return s->options->stop != NULL && *s->options->stop != 0;
}

static int interrupted(struct cs_error *error) {
  return cs_error_set(error, CS_INTERRUPTED, "interrupted");
}

static double assembly_work(const struct cs_plan *plan, const struct cs_tile *tile) {
  double work = 0.0;
  for (size_t i = 0; i < tile->count; i++) {
    const struct cs_run *run = &plan->run[tile->run[i]];
    work += cs_layout_assembly_work(plan->variant[tile->variant], run->norm, run->nodes);
  }
  return work;
}

/* Assembles the map of step number `ramp` (STEADY: of all later steps), a few columns at a time where a column is much
 * work. */
static int assemble(struct execution *s, struct program *p, const struct cs_tile *tile, size_t items, int64_t ramp,
                    size_t groups, struct cs_error *error) {
  const size_t columns = s->plan->variant[tile->variant]->z;
  const double most = fmax(1.0, floor(ASSEMBLY_WORK / assembly_work(s->plan, tile) * (double)columns));
  const size_t batch = most < (double)columns ? (size_t)most : columns;
  int code = cs_kernel_set_buffer(p->assemble, 0, s->coefficients, error);
  if (code == CS_OK) code = cs_kernel_set_buffer(p->assemble, 1, s->data, error);
  if (code == CS_OK) code = cs_kernel_set_long(p->assemble, 2, (int64_t)items, error);
  if (code == CS_OK) code = cs_kernel_set_long(p->assemble, 3, ramp, error);
  if (code == CS_OK) code = cs_kernel_set_long(p->assemble, 4, (int64_t)groups, error);
  for (size_t first = 0; first < columns && code == CS_OK; first += batch) {
    const size_t count = columns - first < batch ? columns - first : batch;
    if (stopped(s)) return interrupted(error);
    code = cs_kernel_set_long(p->assemble, 5, (int64_t)first, error);
    if (code == CS_OK) code = cs_kernel_set_long(p->assemble, 6, (int64_t)(first + count), error);
    if (code == CS_OK) code = launch(s, p->assemble, groups, cs_device_info(s->device)->cpu ? 1 : count, &s->clock.assembly_seconds, error);
  }
  return code;
}

static int step(struct execution *s, struct program *p, size_t items, double from, double to, size_t groups,
                struct cs_error *error) {
  int code = cs_kernel_set_buffer(p->step, 0, s->coefficients, error);
  if (code == CS_OK) code = cs_kernel_set_buffer(p->step, 1, s->data, error);
  if (code == CS_OK) code = cs_kernel_set_buffer(p->step, 2, s->state, error);
  if (code == CS_OK) code = cs_kernel_set_long(p->step, 3, (int64_t)items, error);
  if (code == CS_OK) code = cs_kernel_set_long(p->step, 4, (int64_t)from, error);
  if (code == CS_OK) code = cs_kernel_set_long(p->step, 5, (int64_t)to, error);
  if (code == CS_OK) code = cs_kernel_set_long(p->step, 6, (int64_t)groups, error);
  if (code == CS_OK) code = launch(s, p->step, groups, 0, &s->clock.step_seconds, error);
  return code;
}

/* Lane-steps of a tile between two step numbers. */
static double steps_between(const struct execution *s, const struct cs_tile *tile, double from, double to) {
  double sum = 0.0;
  for (size_t i = 0; i < tile->count; i++) {
    const double steps = s->plan->run[s->plan->order[i]].steps;
    sum += fmin(steps, to) - fmin(steps, from);
  }
  return sum;
}

/* The tile's map is assembled: counted once, whatever maps the first steps of a ramp have. */
static void credit_assembly(struct execution *s, const struct cs_tile *tile) {
  if (s->again != NULL && !tile->doubled) return;
  const double work = assembly_work(s->plan, tile);
  s->clock.assembly_work += work;
  s->clock.assembly_work_left -= work;
}

/* All steps from number `from` on by doubling, in launches of some tenths of a second. */
static int twice(struct execution *s, struct program *p, const struct cs_tile *tile, size_t items, size_t from,
                 size_t groups, struct cs_error *error) {
  const struct cs_layout *l = s->plan->variant[tile->variant];
  const size_t workers = cs_launch_workers(cs_device_info(s->device), l, s->lanes, groups);
  const size_t batch = cs_launch_batch(s->plan, tile, groups, workers);
  struct cs_kernel *k = p->twice;
  int code = need_buffer(s, &s->workspace, &s->room_workspace, workers * s->lanes * cs_layout_workspace(l, s->lanes), error);
  struct cs_buffer *const buffer[] = {s->coefficients, s->data, s->state, s->workspace};
  for (unsigned i = 0; i < 4 && code == CS_OK; i++)
    code = cs_kernel_set_buffer(k, i, buffer[i], error);
  if (code == CS_OK) code = cs_kernel_set_long(k, 4, (int64_t)items, error);
  if (code == CS_OK) code = cs_kernel_set_long(k, 5, (int64_t)from, error);
  if (code == CS_OK) code = cs_kernel_set_long(k, 6, (int64_t)groups, error);
  for (size_t first = 0; first < groups && code == CS_OK; first += batch) {
    const size_t last = groups - first < batch ? groups : first + batch;
    if (stopped(s)) return interrupted(error);
    code = cs_kernel_set_long(k, 7, (int64_t)first, error);
    if (code == CS_OK) code = cs_kernel_set_long(k, 8, (int64_t)last, error);
    if (code == CS_OK) code = launch(s, k, workers, 0, &s->clock.step_seconds, error);
    tell(s->options, s->plan, &s->clock);
  }
  return code;
}

static void credit_steps(struct execution *s, const struct cs_tile *tile, double from, double to) {
  const double lane_steps = steps_between(s, tile, from, to);
  const double work = tile->doubled ? cs_launch_double_work(s->plan, tile)
                                    : lane_steps * cs_layout_step_work(s->plan->variant[tile->variant], tile->nodes);
  if (s->again != NULL && !tile->doubled) return; /* doubling counted these runs */
  s->clock.step_work += work;
  s->clock.step_work_left -= work;
  s->clock.steps_done += lane_steps;
}

static int advance(struct execution *s, struct program *p, const struct cs_tile *tile, size_t items, size_t groups,
                   struct cs_error *error) {
  const struct cs_layout *l = s->plan->variant[tile->variant];
  const double most = cs_launch_longest(s->plan, tile), stride = cs_launch_steps(s->plan, tile);
  int code = CS_OK;
  for (double k = 0.0; k < most && code == CS_OK;) {
    if (stopped(s)) return interrupted(error);
    const bool ramp = k < (double)l->ramp_steps, doubled = tile->doubled && !ramp;
    const double to = ramp      ? k + 1.0
                      : doubled ? most
                                : fmin(most, (floor(k / CS_CHUNK) * CS_CHUNK) + stride);
    if (ramp || k == (double)l->ramp_steps)
      code = assemble(s, p, tile, items, ramp ? (int64_t)k + 1 : STEADY, groups, error);
    if (k == 0.0) credit_assembly(s, tile);
    if (code == CS_OK)
      code = doubled ? twice(s, p, tile, items, (size_t)k, groups, error) : step(s, p, items, k, to, groups, error);
    if (!ramp || !tile->doubled) credit_steps(s, tile, k, to);
    k = to;
    tell(s->options, s->plan, &s->clock);
  }
  return code;
}

static int collect(struct execution *s, const struct cs_tile *tile, size_t groups, struct cs_error *error) {
  const struct cs_layout *l = s->plan->variant[tile->variant];
  const size_t bytes = groups * s->lanes * l->state_items * sizeof(double);
  int code = need_host(s, bytes, error);
  if (code == CS_OK) code = cs_buffer_read(s->state, 0, bytes, s->host, error);
  for (size_t lane = 0; lane < tile->count && code == CS_OK; lane++) {
    const size_t run = tile->run[lane];
    const double *state = s->host + place(s->lanes, groups, l->state_items, lane, 0);
    const double diverged = state[l->state_diverged * pitch(s->lanes, groups)];
    if (diverged < 0.0) {
      s->again[s->agains++] = run;
      continue;
    }
    const double growth = state[l->state_growth * pitch(s->lanes, groups)];
    const enum cs_status status = cs_result_enter(&s->result, run, state, pitch(s->lanes, groups));
    if (growth > 1e8) {
      s->growth_runs++;
      s->worst_growth = fmax(s->worst_growth, growth);
    }
    s->report->status[status]++;
    if (status == CS_STATUS_DIVERGED && s->report->status[status] <= 5) {
      struct cs_text where = {0};
      cs_sweep_describe_run(s->sweep, run, &where);
      cs_text_add(&s->report->failures, "run %zu (%s): diverged at step %.0f of %.0f\n", run,
                  where.data != NULL ? where.data : "", diverged > 0.0 ? diverged : s->plan->run[run].steps,
                  s->plan->run[run].steps);
      cs_text_free(&where);
    }
  }
  return code;
}

static int run_tile(struct execution *s, struct program *p, const struct cs_tile *tile, struct cs_error *error) {
  const struct cs_layout *l = s->plan->variant[tile->variant];
  const size_t groups = (tile->count + s->lanes - 1) / s->lanes, lanes = groups * s->lanes;
  const size_t items = l->point_items + tile->nodes * l->inside_items;
  int code = need_buffer(s, &s->coefficients, &s->room_coefficients, 8 * lanes * l->coefficients, error);
  if (code == CS_OK) code = need_buffer(s, &s->data, &s->room_data, 8 * lanes * items, error);
  if (code == CS_OK) code = need_buffer(s, &s->state, &s->room_state, 8 * lanes * l->state_items, error);
  if (code == CS_OK) code = fill(s, tile, groups, error);
  if (code == CS_OK) code = cs_kernel_set_buffer(p->begin, 0, s->coefficients, error);
  if (code == CS_OK) code = cs_kernel_set_buffer(p->begin, 1, s->state, error);
  if (code == CS_OK) code = cs_kernel_set_long(p->begin, 2, (int64_t)groups, error);
  if (code == CS_OK) code = launch(s, p->begin, groups, 0, &s->clock.assembly_seconds, error);
  if (code == CS_OK) code = advance(s, p, tile, items, groups, error);
  if (code == CS_OK) code = collect(s, tile, groups, error);
  return code;
}

/* A tile, and step by step what doubling found to diverge: at which step it did is part of the result. */
static int run_whole_tile(struct execution *s, struct program *p, const struct cs_tile *tile, struct cs_error *error) {
  int code = CS_OK;
  s->agains = 0;
  s->again = tile->doubled ? malloc(tile->count * sizeof *s->again) : NULL;
  if (tile->doubled && s->again == NULL) return cs_error_memory(error);
  code = run_tile(s, p, tile, error);
  if (code == CS_OK && s->agains > 0) {
    struct cs_tile again = *tile;
    again.run = s->again;
    again.count = s->agains;
    again.doubled = false;
    code = run_tile(s, p, &again, error);
  }
  free(s->again);
  s->again = NULL;
  return code;
}

/* ---- the sweep --------------------------------------------------------------------------------------------------- */

static double step_work(const struct cs_plan *plan, const struct cs_tile *tile) {
  if (tile->doubled) return cs_launch_double_work(plan, tile);
  return tile->steps * cs_layout_step_work(plan->variant[tile->variant], tile->nodes);
}

static void clock_start(struct execution *s) {
  s->clock = (struct clock){.start = now()};
  for (size_t i = 0; i < s->plan->tiles; i++) {
    const struct cs_tile *tile = &s->plan->tile[i];
    s->clock.assembly_work_left += assembly_work(s->plan, tile);
    s->clock.step_work_left += step_work(s->plan, tile);
    if (i == 0 || tile->variant != s->plan->tile[i - 1].variant) s->clock.builds_left++;
  }
  for (int i = CS_STATUS_DIVERGED; i < CS_STATUSES; i++)
    s->clock.runs_done += s->plan->status[i];
}

static int run_tiles(struct execution *s, char **sources, struct cs_error *error) {
  struct program program = {0};
  int code = CS_OK;
  for (size_t i = 0; i < s->plan->tiles && code == CS_OK; i++) {
    const struct cs_tile *tile = &s->plan->tile[i];
    if (i == 0 || tile->variant != s->plan->tile[i - 1].variant) {
      struct cs_text source = {0};
      const double start = now();
      if (stopped(s)) {
        code = interrupted(error);
        break;
      }
      tell(s->options, s->plan, &s->clock);
      program_close(&program);
      code = program_open(s, s->plan->variant[tile->variant], &program, &source, error);
      sources[tile->variant] = source.data;
      s->clock.build_seconds += now() - start;
      s->clock.builds++;
      s->clock.builds_left--;
    }
    if (code == CS_OK) code = run_whole_tile(s, &program, tile, error);
    s->clock.runs_done += tile->count;
    tell(s->options, s->plan, &s->clock);
  }
  program_close(&program);
  return code;
}

static void report_start(struct execution *s) {
  for (int i = 0; i < CS_STATUSES; i++)
    s->report->status[i] = s->plan->status[i];
  if (s->plan->reasons.length > 0) cs_text_append(&s->report->failures, s->plan->reasons.data, s->plan->reasons.length);
}

static void report_end(struct execution *s, double wall) {
  s->report->wall_seconds = wall;
  s->report->device_seconds = s->device_seconds;
  s->report->steps = s->plan->steps;
  if (s->growth_runs > 0)
    cs_text_add(&s->report->warnings,
                "start consistent: the exact solution before the start grows up to %.3g times in %zu runs; "
                "consider \"start\": \"ramp\"\n",
                s->worst_growth, s->growth_runs);
}

static void execution_close(struct execution *s) {
  cs_buffer_free(s->coefficients);
  cs_buffer_free(s->data);
  cs_buffer_free(s->state);
  cs_buffer_free(s->workspace);
  free(s->host);
}

int cs_engine_run(const struct cs_sweep *sweep, struct cs_device *device, const struct cs_engine_options *options,
                  struct cs_table **table, struct cs_report *report, struct cs_error *error) {
  static const struct cs_engine_options defaults;
  struct cs_report own = {0};
  struct execution s = {.sweep = sweep,
                        .options = options != NULL ? options : &defaults,
                        .device = device,
                        .report = report != NULL ? report : &own};
  struct cs_plan *plan = NULL;
  char **sources = NULL, started[64];
  const double start = now();
  const time_t seconds = time(NULL);
  struct tm utc;
  gmtime_r(&seconds, &utc);
  strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
  *table = NULL;
  int code = cs_launch_plan(sweep, cs_device_info(device), s.options, &plan, error);
  if (code != CS_OK) return code;
  s.plan = plan;
  s.lanes = cs_launch_lanes(cs_device_info(device), s.options);
  report_start(&s);
  clock_start(&s);
  code = cs_result_new(plan, s.options->command, started, table, error);
  if (code != CS_OK) goto out;
  cs_result_open(plan, *table, &s.result);
  sources = calloc(plan->variants + 1, sizeof *sources);
  code = sources == NULL ? cs_error_memory(error) : run_tiles(&s, sources, error);
  if (code == CS_OK) code = cs_result_fit(plan, *table, error);
  if (code == CS_OK) {
    const struct cs_provenance p = {.plan = plan,
                                    .device = cs_device_info(device),
                                    .command = s.options->command,
                                    .started = started,
                                    .sources = sources,
                                    .lanes = s.lanes,
                                    .wall = now() - start,
                                    .device_seconds = s.device_seconds};
    code = cs_provenance_add(&p, *table, error);
  }
  report_end(&s, now() - start);
out:
  cs_provenance_free_sources(sources, plan->variants);
  cs_plan_free(plan);
  execution_close(&s);
  cs_report_free(&own);
  if (code != CS_OK) {
    cs_table_free(*table);
    *table = NULL;
  }
  return code;
}

void cs_report_free(struct cs_report *report) {
  if (report == NULL) return;
  cs_text_free(&report->warnings);
  cs_text_free(&report->failures);
}
