/* Enters what runs of models with state events have met: counts, times, and errors between events. */
#include <math.h>

#include "course.h"
#include "result.h"

static const double *part_of(const struct cs_layout *l, const double *state, enum cs_course_part part) {
  return state + l->state.course + cs_course_place(l, part);
}

static void enter_whole(const struct cs_result *r, enum cs_metric metric, size_t run, size_t count,
                        const double *value) {
  for (size_t i = 0; r->metric[metric] != NULL && i < count; i++)
    r->metric[metric]->data.int64[run * count + i] = (int64_t)value[i];
}

/* What a failed run has, too. */
static void enter_counts(const struct cs_result *r, const struct cs_layout *l, size_t run, const double *state) {
  static const struct {
    enum cs_metric metric;
    enum cs_course_part part;
  } list[] = {{CS_EVENTS, CS_COURSE_COUNT},
              {CS_EXACT_EVENTS, CS_COURSE_EXACT_COUNT},
              {CS_LATE_EVENTS, CS_COURSE_LATE},
              {CS_MISSED_EVENTS, CS_COURSE_MISSED},
              {CS_SPURIOUS_EVENTS, CS_COURSE_SPURIOUS}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    enter_whole(r, list[i].metric, run, l->model->state_events, part_of(l, state, list[i].part));
  enter_whole(r, CS_ROLLBACKS, run, 1, part_of(l, state, CS_COURSE_ROLLBACKS));
  const double none = 0.0, *changes = part_of(l, state, CS_COURSE_CHANGES);
  enter_whole(r, CS_SEQUENCE_CHANGES, run, 1, l->master.together ? &none : changes);
  enter_whole(r, CS_PARALLEL_STEPS, run, 1, l->master.together ? changes : &none);
  enter_whole(r, CS_EVENT_KINDS, run, cs_course_table(l), part_of(l, state, CS_COURSE_KINDS));
  enter_whole(r, CS_EXACT_EVENT_KINDS, run, cs_course_table(l), part_of(l, state, CS_COURSE_EXACT_KINDS));
}

static double *numbers_of(const struct cs_result *r, enum cs_metric metric, size_t run, size_t count) {
  return r->metric[metric] != NULL ? r->metric[metric]->data.float64 + run * count : NULL;
}

/* Errors of the times of events that have partners; NaN without any. */
static void enter_time_errors(const struct cs_result *r, const struct cs_layout *l, size_t run, const double *state) {
  const size_t events = l->model->state_events;
  const double *pairs = part_of(l, state, CS_COURSE_PAIRS), *squares = part_of(l, state, CS_COURSE_SQUARES);
  const double *most = part_of(l, state, CS_COURSE_MOST), *first = part_of(l, state, CS_COURSE_FIRST);
  double *rms = numbers_of(r, CS_EVENT_TIME_ERROR, run, events);
  double *largest = numbers_of(r, CS_EVENT_TIME_ERROR_MAX, run, events);
  double *earliest = numbers_of(r, CS_EVENT_TIME_ERROR_FIRST, run, events);
  for (size_t i = 0; i < events; i++) {
    if (rms != NULL) rms[i] = sqrt(squares[i] / pairs[i]);
    if (largest != NULL) largest[i] = pairs[i] > 0.0 ? most[i] : NAN;
    if (earliest != NULL) earliest[i] = pairs[i] > 0.0 ? first[i] : NAN;
  }
}

static void enter_between(const struct cs_result *r, enum cs_metric metric, size_t run, size_t count,
                          const double *square, double length) {
  double *to = numbers_of(r, metric, run, count);
  for (size_t i = 0; to != NULL && i < count; i++)
    to[i] = length > 0.0 ? sqrt(square[i] / length) : NAN;
}

static void enter_list(const struct cs_result *r, enum cs_metric metric, size_t run, size_t count,
                       const double *value) {
  double *to = numbers_of(r, metric, run, count);
  for (size_t i = 0; to != NULL && i < count; i++)
    to[i] = isnan(value[i]) ? NAN : value[i]; /* the same bits on every device */
}

void cs_result_enter_events(const struct cs_result *r, size_t run, const double *state, bool good) {
  const struct cs_layout *l = r->plan->variant[r->plan->run[run].variant];
  enter_counts(r, l, run, state);
  if (!good) return;
  const double length = *part_of(l, state, CS_COURSE_LENGTH), *square = part_of(l, state, CS_COURSE_BETWEEN);
  const double divergence = *part_of(l, state, CS_COURSE_DIVERGENCE);
  enter_time_errors(r, l, run, state);
  enter_between(r, CS_STATE_ERROR_BETWEEN, run, l->dims.states, square, length);
  enter_between(r, CS_INPUT_ERROR_BETWEEN, run, l->dims.inputs, square + l->dims.states, length);
  enter_between(r, CS_OUTPUT_ERROR_BETWEEN, run, l->dims.outputs, square + l->dims.states + l->dims.inputs, length);
  if (r->metric[CS_TIME_BETWEEN] != NULL) r->metric[CS_TIME_BETWEEN]->data.float64[run] = length;
  if (r->metric[CS_FIRST_DIVERGENCE] != NULL)
    r->metric[CS_FIRST_DIVERGENCE]->data.float64[run] = isfinite(divergence) ? divergence : NAN;
  enter_list(r, CS_EVENT_TIMES, run, cs_course_table(l), part_of(l, state, CS_COURSE_TIMES));
  enter_list(r, CS_EXACT_EVENT_TIMES, run, cs_course_table(l), part_of(l, state, CS_COURSE_EXACT_TIMES));
}
