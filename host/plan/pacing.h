/* Numbers of a run that kernels read, of those with variable steps or compensation: each distinct set is stored once.
 */
#ifndef COSWEEP_PACING_H
#define COSWEEP_PACING_H

#include "index.h"
#include "sweep.h"

/* Numbers of a set, in the order of the coefficients from control_at on (layout.h): those of enum cs_control_number,
 * t_end in s, then the tolerance of every subsystem; of models with state events or modes those of enum cs_event_number
 * and, as an index of sweep->start, the configuration that the run begins in. Then the compensation of every
 * subsystem, which is that of its inputs among the coefficients, and those of enum cs_repetition_number. */
enum { CS_PACING_T_END = CS_CONTROL_NUMBERS, CS_PACING_TOLERANCES };

struct cs_pacing {
  size_t items, count;             /* numbers of a set */
  size_t compensation, repetition; /* the first of these */
  double *number;                  /* [count][items] */
  struct cs_index index;
};

/* *set = index of the set of these settings, added if new. */
int cs_pacing_find(struct cs_pacing *pacing, const struct cs_sweep *sweep, const struct cs_settings *settings,
                   uint32_t *set, struct cs_error *error);
/* The configuration that runs of a set begin in. */
size_t cs_pacing_start(const struct cs_pacing *pacing, uint32_t set);
/* [items] */
const double *cs_pacing_numbers(const struct cs_pacing *pacing, uint32_t set);
void cs_pacing_clear(struct cs_pacing *pacing);

#endif
