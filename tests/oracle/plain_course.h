/* State events and modes of the plain reference (docs/formats.md section 6, docs/methods.md section 9): events are
 * found by samples and bisection, and the exact solution is carried in plain coordinates beside the co-simulation. */
#ifndef COSWEEP_TESTS_PLAIN_COURSE_H
#define COSWEEP_TESTS_PLAIN_COURSE_H

#include "plain_step.h"

enum { PLAIN_LISTED = 16, PLAIN_QUEUE = 8, PLAIN_KINDS = 3 };

/* The events of one solution. */
struct plain_happened {
  size_t mode[PLAIN_MAX]; /* of every subsystem, into model->mode */
  size_t total, row;      /* row: how many, the newest included, came at about its time */
  int over;               /* more events than allowed */
  int cascades;           /* an event shortly after another, but not with it */
  real last;
  size_t count[PLAIN_MAX]; /* by event of the model */
  real time[PLAIN_LISTED];
  size_t kind[PLAIN_LISTED]; /* event of the model */
};

/* Times of one event that wait for their partners, all of one solution. */
struct plain_waiting {
  size_t count;
  int own;
  real time[PLAIN_QUEUE + 1];
};

struct plain_course {
  const struct cs_settings *settings;
  const double *parameters;
  struct plain_matrix when_x, when_u, when_y, change_x, change_u, change_y;
  real bound[PLAIN_MAX];
  struct plain_network exact; /* in the exact solution's configuration */
  real r[PLAIN_MAX];          /* the exact solution at `now` */
  struct plain_happened own, other;
  struct plain_waiting waiting[PLAIN_MAX];
  size_t late[PLAIN_MAX], missed[PLAIN_MAX], spurious[PLAIN_MAX], pairs[PLAIN_MAX];
  real squares[PLAIN_MAX], most[PLAIN_MAX], first[PLAIN_MAX], divergence;
  size_t sequence[PLAIN_MAX];
  size_t rollbacks, rolled, given_up, changes;
  int one_stage, happened;         /* the step is one of all subsystems at once; something happened at its start */
  size_t parallel, at_once;        /* such steps, and tries */
  real before[PLAIN_MAX], sampled; /* values of the conditions at the last communication point, and its time */
  real start, now, h;              /* of the try, of its step in hand; its size */
  real aim;                        /* > 0: the next try ends after it, with `event` */
  int looks, found, laps;          /* laps: the next step is an interruption */
  size_t event;                    /* that ends the try; SIZE_MAX: none */
  real offset;                     /* where it was found */
  real error[PLAIN_KINDS][PLAIN_MAX], between[PLAIN_KINDS][PLAIN_MAX], final[PLAIN_KINDS][PLAIN_MAX], together;
  real largest[PLAIN_KINDS][PLAIN_MAX]; /* errors at communication points */
};

/* Of a run whose simulation is at T_0, events there included. The caller frees it. */
struct plain_course *plain_course_new(struct plain_simulation *sim, const struct cs_settings *settings,
                                      const double *parameters);
/* Size of the next try: the aim, the interruption, the grid's next multiple, or the nominal step H. */
real plain_course_size(const struct plain_course *course, real T, real H);
/* A try of size h from T begins. */
void plain_course_try(struct plain_course *course, real T, real h);
/* Searches the step just sampled. Whether the try is to be given up. */
int plain_course_look(struct plain_simulation *sim);
/* The exact solution along the step just sampled, and errors. */
void plain_course_measure(struct plain_simulation *sim);
/* Whether either solution has more events than allowed. */
int plain_course_over(const struct plain_course *course);
/* All that happens at T, at T_0 to the exact solution as well; due: at a time event. Whether anything did. */
int plain_course_happen(struct plain_simulation *sim, real T, int due);
/* Order of the subsystems in the next step, from T, H the nominal one. */
void plain_course_order(struct plain_simulation *sim, real T, real H);
void plain_course_finish(struct plain_simulation *sim, real T, struct plain_result *result);

#endif
