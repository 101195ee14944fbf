/* Plans of a sweep's windows (window.h), each made in a thread while the one before is computed. */
#ifndef COSWEEP_AHEAD_H
#define COSWEEP_AHEAD_H

#include <pthread.h>

#include "sizing.h"

struct cs_ahead {
  const struct cs_sweep *sweep;
  const struct cs_device_info *const *device; /* [devices] */
  size_t devices;
  const struct cs_engine_options *options;
  struct cs_sweep part[2]; /* the last plans refer to them: the one taken, and the one begun */
  unsigned turn;           /* of these, the one of the plan taken */
  bool begun;              /* a plan, by the thread */
  pthread_t thread;
  struct cs_plan *plan;
  int code;
  struct cs_error error;
};

/* Begins to plan the sweep's runs from `first` on, at most `runs` of them; nothing where the sweep ends before. What
 * was begun has been taken, and all plans taken before the last one are freed. */
void cs_ahead_begin(struct cs_ahead *ahead, size_t first, size_t runs);

/* As cs_sizing_plan for the study and for those runs of the sweep, as many as there are: the plan begun, if it is
 * theirs. Free it before the next one but one is begun. */
int cs_ahead_take(struct cs_ahead *ahead, size_t first, size_t runs, struct cs_plan **plan, struct cs_error *error);

/* Frees a plan that was begun and not taken. */
void cs_ahead_end(struct cs_ahead *ahead);

#endif
