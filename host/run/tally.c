#include "tally.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "journal.h"
#include "list.h"
#include "sizing.h"

/* Time spans in which a device was busy, in the order in which launches were recorded. */
struct spans {
  size_t count;
  struct cs_span *span;
};

struct kind {
  double done, left, seconds; /* predicted work; sum over workers */
};

struct cs_tally {
  const struct cs_plan *plan;
  const struct cs_engine_options *options;
  double start;
  pthread_mutex_t lock; /* protects what follows and the progress callback */
  double workers;
  struct kind kind[CS_WORKS];
  double build_seconds, steps_done;
  double tried, room;                                         /* totals of cs_tally_tried */
  size_t builds, builds_left, runs_done, runs_known, devices; /* known: before anything is computed */
  bool building;
  size_t separating; /* threads that separate modes, since a time for a predicted number of seconds */
  double separates, separate;
  struct spans *busy; /* [devices] */
  atomic_bool stop;
  pthread_t clock; /* tells once a second, whatever takes long; if there is one */
  pthread_cond_t ended;
  bool ticks, ends;
};

double cs_tally_assembly_work(const struct cs_plan *plan, const struct cs_tile *tile) {
  const struct cs_layout *l = plan->variant[tile->variant];
  double hops = 0.0;
  for (size_t i = 0; i < tile->count && !l->kind.varies; i++)
    hops += cs_layout_hops(l, plan->run[tile->run[i]].norm, plan->run[tile->run[i]].nodes);
  return cs_layout_assembly_work(l, hops);
}

static void *tick(void *context);

int cs_tally_new(const struct cs_plan *plan, const struct cs_engine_options *options, size_t workers, size_t devices,
                 struct cs_tally **tally, struct cs_error *error) {
  struct cs_tally *t = calloc(1, sizeof *t);
  *tally = NULL;
  if (t == NULL) return cs_error_memory(error);
  t->busy = calloc(devices, sizeof *t->busy);
  if (t->busy == NULL || pthread_mutex_init(&t->lock, NULL) != 0) {
    free(t->busy);
    free(t);
    return cs_error_memory(error);
  }
  t->plan = plan;
  t->options = options;
  t->workers = (double)workers;
  t->devices = devices;
  t->start = cs_clock_seconds();
  for (size_t i = plan->done; i < plan->tiles; i++) {
    const struct cs_tile *tile = &plan->tile[i];
    t->kind[CS_WORK_ASSEMBLY].left += cs_tally_assembly_work(plan, tile);
    t->kind[CS_WORK_STEPS].left += cs_sizing_tile_work(plan, tile);
    if (i == plan->done || tile->variant != plan->tile[i - 1].variant) t->builds_left++;
  }
  for (int i = CS_STATUS_DIVERGED; i < CS_STATUSES && plan->again == NULL; i++)
    t->runs_done += plan->status[i];
  t->runs_done += plan->dropped;
  t->runs_known = t->runs_done;
  pthread_cond_init(&t->ended, NULL);
  t->ticks = options->progress != NULL && pthread_create(&t->clock, NULL, tick, t) == 0;
  *tally = t;
  return CS_OK;
}

void cs_tally_free(struct cs_tally *t) {
  if (t == NULL) return;
  pthread_mutex_lock(&t->lock);
  t->ends = true;
  pthread_cond_signal(&t->ended);
  pthread_mutex_unlock(&t->lock);
  if (t->ticks) pthread_join(t->clock, NULL);
  for (size_t i = 0; i < t->devices; i++)
    free(t->busy[i].span);
  free(t->busy);
  pthread_cond_destroy(&t->ended);
  pthread_mutex_destroy(&t->lock);
  free(t);
}

/* Seconds that are left; NaN until all kinds of work that are left, and a build, have been seen once, and a run has
 * ended or a hundredth of a few long ones is done: the first steps of a control are small. */
static double remaining(const struct cs_tally *t, double share) {
  if (t->builds == 0 || (t->runs_done == t->runs_known && share < 0.01)) return NAN;
  double sum = t->build_seconds / (double)t->builds * (double)t->builds_left;
  for (int i = 0; i < CS_WORKS; i++) {
    const struct kind *kind = &t->kind[i];
    if (kind->left > 0.0) sum += kind->done > 0.0 ? kind->seconds / kind->done * kind->left / t->workers : NAN;
  }
  return sum;
}

/* Called with the lock, so that progress is reported by one thread at a time. */
static void tell(const struct cs_tally *t) {
  if (t->options->progress == NULL) return;
  const double seconds = cs_clock_seconds() - t->start;
  struct cs_progress p = {.what = t->plan->options.study != t->plan->sweep->study ? "spectra"
                                  : t->plan->options.other                        ? "comparisons"
                                  : t->plan->again != NULL                        ? "repeated runs"
                                                                                  : "runs",
                          .runs = t->plan->again != NULL ? t->plan->repeats : t->plan->runs,
                          .runs_done = t->runs_done,
                          .kernels = t->builds + (t->builds_left > 0 ? t->builds_left : t->building),
                          .building = t->building ? t->builds + 1 : 0,
                          .steps_rate = seconds > 0.0 ? t->steps_done / seconds : 0.0,
                          .runs_rate = seconds > 0.0 ? (double)(t->runs_done - t->runs_known) / seconds : 0.0,
                          .seconds = seconds,
                          .separating = t->separating > 0 ? cs_clock_seconds() - t->separates : 0.0,
                          .separate = t->separate,
                          .remaining = NAN};
  for (int i = 0; i < CS_WORKS; i++) {
    p.work += t->kind[i].done + t->kind[i].left;
    p.work_done += t->kind[i].done;
  }
  p.remaining = remaining(t, p.work > 0.0 ? p.work_done / p.work : 0.0);
  t->options->progress(&p, t->options->context);
}

static void *tick(void *context) {
  struct cs_tally *t = context;
  struct timespec next;
  clock_gettime(CLOCK_REALTIME, &next);
  pthread_mutex_lock(&t->lock);
  while (!t->ends) {
    next.tv_sec++;
    while (!t->ends && pthread_cond_timedwait(&t->ended, &t->lock, &next) == 0)
      continue;
    if (!t->ends) tell(t);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

void cs_tally_separates(struct cs_tally *t, double seconds) {
  pthread_mutex_lock(&t->lock);
  if (t->separating++ == 0) {
    t->separates = cs_clock_seconds();
    t->separate = seconds;
  }
  pthread_mutex_unlock(&t->lock);
}

void cs_tally_separated(struct cs_tally *t) {
  pthread_mutex_lock(&t->lock);
  t->separating--;
  pthread_mutex_unlock(&t->lock);
}

static void note_span(struct spans *s, struct cs_span span) {
  if (s->count > 0 && span.begin <= s->span[s->count - 1].end && span.begin >= s->span[s->count - 1].begin) {
    s->span[s->count - 1].end = fmax(s->span[s->count - 1].end, span.end);
    return;
  }
  if (!cs_list_grow(&s->span, s->count, sizeof *s->span)) return; /* only a statistic: no reason to fail */
  s->span[s->count++] = span;
}

void cs_tally_joined(struct cs_tally *t, size_t workers) {
  pthread_mutex_lock(&t->lock);
  t->workers += (double)workers;
  pthread_mutex_unlock(&t->lock);
}

void cs_tally_launch(struct cs_tally *t, enum cs_work kind, size_t device, double seconds, struct cs_span busy) {
  pthread_mutex_lock(&t->lock);
  t->kind[kind].seconds += seconds;
  note_span(&t->busy[device], busy);
  pthread_mutex_unlock(&t->lock);
}

void cs_tally_work(struct cs_tally *t, enum cs_work kind, double work, double lane_steps) {
  pthread_mutex_lock(&t->lock);
  t->kind[kind].done += work;
  t->kind[kind].left = fmax(t->kind[kind].left - work, 0.0);
  t->steps_done += lane_steps;
  tell(t);
  pthread_mutex_unlock(&t->lock);
}

void cs_tally_tried(struct cs_tally *t, double tried, double room) {
  pthread_mutex_lock(&t->lock);
  t->tried += tried;
  t->room += room;
  pthread_mutex_unlock(&t->lock);
}

void cs_tally_occupancy(const struct cs_tally *t, double *tried, double *room) {
  *tried = t->tried;
  *room = t->room;
}

void cs_tally_builds(struct cs_tally *t) {
  pthread_mutex_lock(&t->lock);
  t->building = true;
  tell(t);
  pthread_mutex_unlock(&t->lock);
}

void cs_tally_built(struct cs_tally *t, double seconds) {
  pthread_mutex_lock(&t->lock);
  t->building = false;
  t->build_seconds += seconds;
  t->builds++;
  if (t->builds_left > 0) t->builds_left--;
  tell(t);
  pthread_mutex_unlock(&t->lock);
}

void cs_tally_runs(struct cs_tally *t, ptrdiff_t runs) {
  pthread_mutex_lock(&t->lock);
  t->runs_done += (size_t)runs;
  tell(t);
  pthread_mutex_unlock(&t->lock);
}

bool cs_tally_stopped(const struct cs_tally *t) {
  const struct cs_engine_options *o = t->options;
  return t->stop || (o->stop != NULL && *o->stop != 0) || (o->journals > 0 && cs_journal_failed(o->journal[0]));
}

void cs_tally_stop(struct cs_tally *t) {
  t->stop = true;
}

static int compare_spans(const void *left, const void *right) {
  const struct cs_span *a = left, *b = right;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

double cs_tally_device_seconds(struct cs_tally *t) {
  double sum = 0.0;
  for (size_t d = 0; d < t->devices; d++) {
    const struct spans *s = &t->busy[d];
    double end = -INFINITY;
    if (s->count > 0) qsort(s->span, s->count, sizeof *s->span, compare_spans);
    for (size_t i = 0; i < s->count; i++) {
      sum += fmax(0.0, s->span[i].end - fmax(end, s->span[i].begin));
      end = fmax(end, s->span[i].end);
    }
  }
  return sum;
}
