/* State events: what runs met of them, and the runs that met them best and worst. */
#include <math.h>
#include <string.h>

#include "digest_private.h"
#include "metric.h"

/* The array of a metric over the runs and the state events; NULL if absent. */
static const struct cs_array *find(const struct cs_digest *d, enum cs_metric metric) {
  const struct cs_array *array = cs_table_find(d->table, cs_metric_table[metric].name);
  const bool fits = array != NULL && array->type == cs_metric_type(metric) && array->dimensions == d->axes + 1 &&
                    cs_digest_is_over_runs(d, array);
  const bool alike = fits && (d->events == NULL || &d->table->dimension[array->dimension[d->axes]] == d->events);
  return alike ? array : NULL;
}

static int64_t count(const struct cs_digest *d, enum cs_metric metric, size_t item) {
  const struct cs_array *array = find(d, metric);
  return array != NULL ? cs_table_int64(array, item) : -1;
}

/* Events near the end that find no partner are neither missed nor spurious, in one of the solutions at most. */
static int64_t count_pairs(const struct cs_digest_event *e) {
  const int64_t exact = e->exact >= 0 && e->missed >= 0 ? e->exact - e->missed : -1;
  const int64_t own = e->events >= 0 && e->spurious >= 0 ? e->events - e->spurious : -1;
  return exact < 0 ? own : own < 0 || exact < own ? exact : own;
}

struct cs_digest_event cs_digest_event(const struct cs_digest *d, size_t run, size_t event) {
  const size_t item = run * d->events->length + event;
  const struct cs_array *error = find(d, d->largest ? CS_EVENT_TIME_ERROR_MAX : CS_EVENT_TIME_ERROR);
  struct cs_digest_event e = {.events = count(d, CS_EVENTS, item),
                              .exact = count(d, CS_EXACT_EVENTS, item),
                              .late = count(d, CS_LATE_EVENTS, item),
                              .missed = count(d, CS_MISSED_EVENTS, item),
                              .spurious = count(d, CS_SPURIOUS_EVENTS, item),
                              .error = error != NULL ? cs_table_float64(error, item) : NAN};
  e.matched = count_pairs(&e);
  return e;
}

size_t cs_digest_frequent(const struct cs_digest *d, size_t run) {
  int64_t most = 0;
  size_t frequent = CS_DIGEST_NONE;
  for (size_t i = 0; d->events != NULL && i < d->events->length; i++) {
    const struct cs_digest_event e = cs_digest_event(d, run, i);
    const int64_t here = e.events > e.exact ? e.events : e.exact;
    if (here <= most) continue;
    most = here;
    frequent = i;
  }
  return frequent;
}

/* Events without partner in a run, and its largest time error; 0 where there is none. */
static void judge(const struct cs_digest *d, size_t run, int64_t *alone, double *error) {
  *alone = 0;
  *error = 0;
  for (size_t i = 0; i < d->events->length; i++) {
    const struct cs_digest_event e = cs_digest_event(d, run, i);
    *alone += (e.missed > 0 ? e.missed : 0) + (e.spurious > 0 ? e.spurious : 0);
    *error = fmax(*error, e.error);
  }
}

static void find_ends(struct cs_digest *d) {
  int64_t alone, fewest = 0, most = 0;
  double error, least = 0, largest = 0;
  for (size_t run = 0; run < d->runs; run++) {
    if (cs_table_uint8(d->status, run) != 0) continue;
    judge(d, run, &alone, &error);
    if (d->right == CS_DIGEST_NONE || alone < fewest || (alone == fewest && error < least)) {
      d->right = run;
      fewest = alone;
      least = error;
    }
    if (d->wrong == CS_DIGEST_NONE || alone > most || (alone == most && error > largest)) {
      d->wrong = run;
      most = alone;
      largest = error;
    }
  }
}

void cs_digest_find_events(struct cs_digest *d) {
  static const enum cs_metric metrics[] = {CS_EVENT_TIME_ERROR_MAX, CS_EVENT_TIME_ERROR, CS_MISSED_EVENTS,
                                           CS_SPURIOUS_EVENTS,      CS_EVENTS,           CS_EXACT_EVENTS};
  const struct cs_array *array = NULL;
  size_t first = 0;
  d->right = d->wrong = CS_DIGEST_NONE;
  for (; first < sizeof metrics / sizeof *metrics && array == NULL; first++)
    array = find(d, metrics[first]);
  if (array == NULL) return;
  d->events = &d->table->dimension[array->dimension[d->axes]];
  d->largest = find(d, CS_EVENT_TIME_ERROR_MAX) != NULL;
  if (first <= 4) find_ends(d); /* counts alone do not say what is right */
}
