/* Runs of models with events that are more than constants at given times (cs_model_is_eventful): what kernels keep of a
 * run, and what they know of its events (kernels/vary/course.clh, docs/methods.md section 9). */
#ifndef COSWEEP_COURSE_H
#define COSWEEP_COURSE_H

#include "layout.h"

/* Items of a run's state, in this order, of the co-simulation where `EXACT` does not say otherwise. Over `event`: one
 * per state event of the model; over `signal`: states, inputs, outputs. */
enum cs_course_part {
  CS_COURSE_AIM,      /* size of the next try, s, which ends at an event; infinite: none */
  CS_COURSE_TRIGGER,  /* that event, or the number of them */
  CS_COURSE_LAP,      /* whether the next step is an interruption */
  CS_COURSE_GIVEN_UP, /* tries, because of an event inside */
  CS_COURSE_ROLLED,   /* those of them in which subsystems had gone beyond it; these subsystems */
  CS_COURSE_ROLLBACKS,
  CS_COURSE_LEADER, /* number of the order in which subsystems advance; how often it has changed, with `first`
                       parallel steps of all at once */
  CS_COURSE_CHANGES,
  CS_COURSE_CONFIGURATION,       /* the configuration in force */
  CS_COURSE_EXACT_CONFIGURATION, /* likewise */
  CS_COURSE_PARTED,              /* whether an event has happened after T_0 */
  CS_COURSE_LENGTH,              /* time during which both solutions have the same events behind them, s */
  CS_COURSE_DIVERGENCE,          /* time of the first event without partner, s; infinite: none */
  CS_COURSE_TOTAL,               /* state events; those in a row at one time; the time of the last, s */
  CS_COURSE_ROW,
  CS_COURSE_LAST,
  CS_COURSE_EXACT_TOTAL, /* likewise */
  CS_COURSE_EXACT_ROW,
  CS_COURSE_EXACT_LAST,
  CS_COURSE_R,     /* [r] the exact solution */
  CS_COURSE_COUNT, /* [event] how often it has happened; likewise; found late; without partner; pairs */
  CS_COURSE_EXACT_COUNT,
  CS_COURSE_LATE,
  CS_COURSE_MISSED,
  CS_COURSE_SPURIOUS,
  CS_COURSE_PAIRS,
  CS_COURSE_SQUARES, /* [event] sum of squared differences of the times of pairs, s^2; the largest and the first, s */
  CS_COURSE_MOST,
  CS_COURSE_FIRST,
  CS_COURSE_WAITING, /* [event] times that wait for partners; of which solution; they themselves, [event][8] */
  CS_COURSE_SIDE,
  CS_COURSE_QUEUE,
  CS_COURSE_BETWEEN, /* [signal] integral of the squared errors during CS_COURSE_LENGTH */
  CS_COURSE_TIMES,   /* [table] times of the first state events, s, and which they are; likewise */
  CS_COURSE_KINDS,
  CS_COURSE_EXACT_TIMES,
  CS_COURSE_EXACT_KINDS,
  CS_COURSE_TOGETHER,   /* with `first` parallel: tries of all subsystems at once; */
  CS_COURSE_AHEAD,      /* time until an event is expected, s; */
  CS_COURSE_CONDITIONS, /* [condition] values at the last communication point */
  CS_COURSE_PARTS
};

/* Name of a part in kernels, "C_AIM". */
const char *cs_course_name(enum cs_course_part part);
/* Length of the lists of first events: 0 unless a metric wants them. */
size_t cs_course_table(const struct cs_layout *layout);
/* Position of a part's first item; CS_COURSE_PARTS: the count of all. */
size_t cs_course_place(const struct cs_layout *layout, enum cs_course_part part);

/* The configuration that a run begins in. */
size_t cs_course_start(const struct cs_sweep *sweep, const struct cs_settings *settings);

/* The configuration that an event leads to from `from`, which may be this one; -1 if it cannot happen there. */
long cs_course_after(const struct cs_layout *layout, size_t from, size_t event);

/* `leader`: number of the order in which subsystems advance (layout.h).
 *
 * Whether the subsystem looks for events inside steps: it does not where it is told not to, or where it waits for new
 * values and holds one of them constant, so that it would act before its time. */
bool cs_course_looks(const struct cs_layout *layout, size_t leader, size_t subsystem);
/* Subsystems' steps that had gone beyond an event which this subsystem finds. */
size_t cs_course_beyond(const struct cs_layout *layout, size_t leader, size_t subsystem);

#endif
