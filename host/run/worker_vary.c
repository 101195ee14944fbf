/* Tiles of runs with step size control: launches of a few steps each, between which finished runs are removed and the
 * others are sorted by the estimated number of steps left, so that the runs of a vector end at about the same time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "modes.h"
#include "record.h"
#include "worker_private.h"

/* Steps per launch: few at first, while the step sizes are still unknown. */
enum { FIRST_ATTEMPTS = 16, MOST_ATTEMPTS = 256, RAMP_ATTEMPTS = 64 };

/* s after which runs that have ended are handed over while others of the tile go on, where a journal keeps them. */
#define HANDS_OVER 0.25

/* No limit to a number of steps. */
#define NO_LIMIT ((int64_t)1 << 53)

struct vary {
  struct cs_worker *worker;
  struct job *job;
  size_t runs;    /* of the tile */
  double *t_end;  /* [runs] s */
  double *marks;  /* [runs][CS_MARKS] after the last launch */
  double *tried;  /* [runs] steps tried by then */
  double *done;   /* [runs] share of the run reported as progress */
  int32_t *order; /* [runs, padded to whole vectors] */
  struct left *left;
  size_t alive, groups; /* runs and vectors of the next launch */
  bool *handed;         /* [runs] */
  double last;          /* s, when runs were handed over */
};

/* A run and an estimate of the steps it has left. */
struct left {
  double steps;
  int32_t run;
};

static int compare_left(const void *a, const void *b) {
  const struct left *x = a, *y = b;
  if (x->steps != y->steps) return x->steps < y->steps ? -1 : 1;
  return (x->run > y->run) - (x->run < y->run);
}

static void vary_free(struct vary *v) {
  free(v->t_end);
  free(v->marks);
  free(v->tried);
  free(v->done);
  free(v->order);
  free(v->left);
  free(v->handed);
}

static int vary_new(struct vary *v, struct cs_error *error) {
  const size_t lanes = v->worker->setup.lanes;
  v->t_end = calloc(v->runs, sizeof *v->t_end);
  v->marks = calloc(v->runs * CS_MARKS, sizeof *v->marks);
  v->tried = calloc(v->runs, sizeof *v->tried);
  v->done = calloc(v->runs, sizeof *v->done);
  v->order = calloc(v->runs + lanes, sizeof *v->order);
  v->left = calloc(v->runs, sizeof *v->left);
  v->handed = calloc(v->runs, sizeof *v->handed);
  v->last = cs_clock_seconds();
  const bool good = v->t_end != NULL && v->marks != NULL && v->tried != NULL && v->done != NULL && v->order != NULL &&
                    v->left != NULL && v->handed != NULL;
  return good ? CS_OK : cs_error_memory(error);
}

/* Numbers of run `number` in the configuration of network `network`; `before`: those of another network, if its derived
 * numbers are the same, or NULL. */
static int fill_one(struct vary *v, size_t number, uint32_t network, const size_t *places, const double *before,
                    double *to, struct cs_error *error) {
  const struct cs_layout *l = v->job->layout;
  const struct cs_plan *plan = v->worker->setup.plan;
  const struct cs_run *run = &plan->run[number];
  const double *numbers = plan->networks->numbers + network * plan->networks->packed;
  int code = CS_OK;
  for (size_t c = 0; c < CS_K_X0; c++)
    to[c] = 0.0;
  to[CS_K_NORM] = plan->networks->norm[network];
  to[CS_K_RELAXATION] = run->relaxation;
  to[CS_K_CHAIN] = run->chain;
  for (size_t c = CS_K_X0; c < l->coefficients.estimate_at; c++)
    to[c] = numbers[places[c - CS_K_X0]];
  if (before != NULL)
    memcpy(to + l->coefficients.estimate_at, before + l->coefficients.estimate_at,
           (l->coefficients.control_at - l->coefficients.estimate_at) * sizeof *to);
  else
    code = cs_worker_derive(v->worker, l, network, true, places, to + l->coefficients.estimate_at, error);
  cs_worker_own(plan, l, number, to + l->coefficients.own_at);
  const double *paced = cs_pacing_numbers(&plan->pacing, plan->paced[number]);
  memcpy(to + l->coefficients.control_at, paced, plan->pacing.compensation * sizeof *to);
  for (size_t i = 0; i < l->dims.inputs && l->kind.compensates; i++)
    to[l->coefficients.compensation_at + i] = paced[plan->pacing.compensation + l->model->input[i].subsystem];
  if (l->kind.tolerates) {
    double *repetition = to + l->coefficients.repetition_at;
    memcpy(repetition, paced + plan->pacing.repetition, CS_REPETITION_NUMBERS * sizeof *to);
    memset(repetition + CS_REPETITION_NUMBERS, 0, CS_REPEAT_KEPT * sizeof *to);
  }
  return code;
}

/* Coefficients of all runs, [run][configurations][coefficients]. */
static int fill(struct vary *v, struct cs_error *error) {
  struct cs_worker *w = v->worker;
  const struct cs_layout *l = v->job->layout;
  const struct cs_plan *plan = w->setup.plan;
  const size_t count = l->coefficients.count, each = cs_layout_lane_numbers(l) / count;
  const size_t bytes = v->runs * each * count * sizeof(double);
  size_t *places = malloc((count + 1) * sizeof *places);
  int code = places == NULL ? cs_error_memory(error) : cs_worker_need_host(w, bytes, error);
  if (code == CS_OK) cs_networks_places(l, places);
  for (size_t i = 0; i < v->runs && code == CS_OK; i++) {
    const size_t number = v->job->tile->run[i];
    const uint32_t network = plan->run[number].network;
    const bool same = i > 0 && network == plan->run[v->job->tile->run[i - 1]].network;
    const uint32_t first = network - (uint32_t)(each > 1 ? cs_pacing_start(&plan->pacing, plan->paced[number]) : 0);
    double *to = w->host + i * each * count;
    for (size_t c = 0; c < each && code == CS_OK; c++)
      code = fill_one(v, number, first + (uint32_t)c, places, same ? to + c * count - each * count : NULL,
                      to + c * count, error);
    v->t_end[i] = cs_pacing_numbers(&plan->pacing, plan->paced[number])[CS_PACING_T_END];
  }
  free(places);
  return code == CS_OK ? cs_device_buffer_write(w->buffer[COEFFICIENTS], 0, bytes, w->host, error) : code;
}

/* Sorts the unfinished runs by steps left, ascending; the last vector is padded with its last run. */
static int put_in_order(struct vary *v, struct cs_error *error) {
  const size_t lanes = v->worker->setup.lanes;
  v->alive = 0;
  for (size_t i = 0; i < v->runs; i++) {
    const double *mark = v->marks + i * CS_MARKS;
    if (mark[CS_MARK_STATUS] >= 0.0) continue;
    const double steps = (v->t_end[i] - mark[CS_MARK_TIME]) / mark[CS_MARK_NOMINAL];
    v->left[v->alive++] = (struct left){isnan(steps) ? INFINITY : steps, (int32_t)i};
  }
  qsort(v->left, v->alive, sizeof *v->left, compare_left);
  v->groups = (v->alive + lanes - 1) / lanes;
  for (size_t i = 0; i < v->groups * lanes; i++)
    v->order[i] = i < v->alive ? v->left[i].run : -1 - v->left[v->alive - 1].run;
  if (v->alive == 0) return CS_OK;
  return cs_device_buffer_write(v->worker->buffer[ORDER], 0, v->groups * lanes * sizeof *v->order, v->order, error);
}

/* Reports runs that have ended, the share of the tile and the steps that a launch has brought. */
static void tell_done(struct vary *v, size_t ended, double share, double steps) {
  struct cs_worker *w = v->worker;
  v->job->told += ended;
  cs_tally_runs(w->setup.tally, (ptrdiff_t)ended);
  cs_tally_work(w->setup.tally, CS_WORK_STEPS, share * cs_sizing_tile_work(w->setup.plan, v->job->tile), steps);
}

/* Reads the marks after a launch; reports progress and how well the vectors were filled. */
static int look(struct vary *v, bool begins, struct cs_error *error) {
  struct cs_worker *w = v->worker;
  const size_t lanes = w->setup.lanes;
  const int code = cs_device_buffer_read(w->buffer[MARKS], 0, v->runs * CS_MARKS * sizeof *v->marks, v->marks, error);
  if (code != CS_OK || begins) return code;
  double sum = 0.0, room = 0.0, work = 0.0;
  size_t ended = 0;
  for (size_t g = 0; g < v->groups; g++) {
    double most = 0.0;
    for (size_t i = g * lanes; i < (g + 1) * lanes && i < v->alive; i++) {
      const int32_t run = v->order[i];
      const double *mark = v->marks + (size_t)run * CS_MARKS;
      const double tried = mark[CS_MARK_TRIED] - v->tried[run];
      const bool ends = mark[CS_MARK_STATUS] >= 0.0;
      const double done = ends ? 1.0 : fmin(mark[CS_MARK_TIME] / v->t_end[run], 1.0);
      most = fmax(most, tried);
      sum += tried;
      work += done - v->done[run];
      ended += ends;
      v->tried[run] = mark[CS_MARK_TRIED];
      v->done[run] = done;
    }
    room += most * (double)lanes;
  }
  cs_tally_tried(w->setup.tally, sum, room);
  if (v->job->counted) tell_done(v, ended, work / (double)v->runs, sum);
  return code;
}

/* Passes on the rows that a launch has recorded of the only run. */
static int tell(struct vary *v, size_t rows, struct cs_error *error) {
  struct cs_worker *w = v->worker;
  const size_t bytes = rows * cs_record_place(v->job->layout, CS_RECORDS) * sizeof(double);
  int code = cs_worker_need_host(w, bytes, error);
  if (code == CS_OK) code = cs_device_buffer_read(w->buffer[RECORD], 0, bytes, w->host, error);
  return code == CS_OK ? w->setup.record(w->setup.context, w->host, rows, error) : code;
}

/* Passes on the runs that have ended. */
static int hand_over(struct vary *v, struct cs_error *error) {
  struct cs_worker *w = v->worker;
  const size_t items = v->job->layout->state.items, bytes = v->runs * items * sizeof(double);
  int code = cs_worker_need_host(w, bytes, error);
  if (code == CS_OK) code = cs_device_buffer_read(w->buffer[STATE], 0, bytes, w->host, error);
  for (size_t i = 0; i < v->runs && code == CS_OK; i++) {
    if (v->handed[i] || v->marks[i * CS_MARKS + CS_MARK_STATUS] < 0.0) continue;
    cs_worker_enter_run(w, v->job->tile->run[i], CS_WAY_STEP, w->host + i * items, 1);
    v->handed[i] = true;
  }
  v->last = cs_clock_seconds();
  return code;
}

static bool hands_over(const struct vary *v) {
  return v->worker->setup.options->journals > 0 && cs_clock_seconds() > v->last + HANDS_OVER;
}

/* At most `attempts` steps of all runs, until they have taken `accepts` of them since the start. */
static int launch(struct vary *v, int64_t attempts, int64_t accepts, int64_t ramp, struct cs_error *error) {
  struct cs_worker *w = v->worker;
  const int64_t number[] = {(int64_t)v->groups, attempts, accepts, ramp};
  const double before = v->tried[0];
  if (cs_tally_stopped(w->setup.tally)) return cs_error_interrupted(error);
  const enum kernel kernel = w->vary_team > 0 ? VARY_TEAM : VARY;
  int code = cs_worker_arguments(w, kernel, number, error);
  if (code == CS_OK)
    code = w->vary_team > 0 ? cs_worker_launch_teams(w, kernel, v->groups, error)
                            : cs_worker_launch(w, kernel, CS_WORK_STEPS, v->groups, 0, error);
  if (code == CS_OK) code = look(v, false, error);
  if (code == CS_OK && v->job->layout->kind.records) code = tell(v, (size_t)(v->tried[0] - before), error);
  if (code == CS_OK && hands_over(v)) code = hand_over(v, error);
  return code == CS_OK ? put_in_order(v, error) : code;
}

static bool all_have_taken(const struct vary *v, double steps) {
  for (size_t i = 0; i < v->alive; i++)
    if (v->marks[(size_t)v->left[i].run * CS_MARKS + CS_MARK_TAKEN] < steps) return false;
  return true;
}

static int begin(struct vary *v, struct cs_error *error) {
  struct cs_worker *w = v->worker;
  for (size_t i = 0; i < v->runs; i++) {
    v->marks[i * CS_MARKS + CS_MARK_STATUS] = CS_RUNNING;
    v->marks[i * CS_MARKS + CS_MARK_NOMINAL] = 1.0;
  }
  int code = put_in_order(v, error);
  const int64_t number[] = {(int64_t)v->groups};
  if (code == CS_OK) code = cs_worker_arguments(w, BEGIN_VARIED, number, error);
  if (code == CS_OK) code = cs_worker_launch(w, BEGIN_VARIED, CS_WORK_STEPS, v->groups, 0, error);
  if (code == CS_OK) code = look(v, true, error);
  if (code == CS_OK && v->job->layout->kind.records) code = tell(v, 1, error);
  return code == CS_OK ? put_in_order(v, error) : code;
}

/* The steps of a ramp are taken by all runs together, because each uses another map. */
static int advance(struct vary *v, struct cs_error *error) {
  const int64_t ramp = (int64_t)v->job->layout->step.ramp;
  int code = begin(v, error);
  for (int64_t k = 1; k <= ramp && code == CS_OK; k++)
    while (code == CS_OK && !all_have_taken(v, (double)k))
      code = launch(v, RAMP_ATTEMPTS, k, k, error);
  for (int64_t attempts = FIRST_ATTEMPTS; v->alive > 0 && code == CS_OK;
       attempts = attempts < MOST_ATTEMPTS ? 2 * attempts : attempts)
    code = launch(v, attempts, NO_LIMIT, CS_STEADY, error);
  return code;
}

int cs_worker_vary(struct cs_worker *w, struct job *job, struct cs_error *error) {
  struct vary v = {.worker = w, .job = job, .runs = job->tile->count};
  const struct cs_layout *l = job->layout;
  int code = vary_new(&v, error);
  if (code == CS_OK) code = cs_worker_need_buffer(w, COEFFICIENTS, 8 * v.runs * cs_layout_lane_numbers(l), error);
  if (code == CS_OK) code = cs_worker_need_buffer(w, STATE, 8 * v.runs * l->state.items, error);
  if (code == CS_OK) code = cs_worker_need_buffer(w, MARKS, 8 * v.runs * CS_MARKS, error);
  if (code == CS_OK) code = cs_worker_need_buffer(w, ORDER, 4 * (v.runs + w->setup.lanes), error);
  const size_t rows =
      l->kind.records ? MOST_ATTEMPTS : 1; /* the kernels have the argument even where they record nothing */
  if (code == CS_OK) code = cs_worker_need_buffer(w, RECORD, 8 * rows * cs_record_place(l, CS_RECORDS), error);
  if (code == CS_OK) code = fill(&v, error);
  if (code == CS_OK) code = advance(&v, error);
  if (code == CS_OK) code = hand_over(&v, error);
  vary_free(&v);
  return code;
}
