/* Metrics that follow from a run's network and a time alone, entered after the runs. */
#ifndef COSWEEP_DERIVED_H
#define COSWEEP_DERIVED_H

#include "plan.h"
#include "table.h"

/* Computes `value` for a network over a time T (s); parameters, mode: as for cs_model_numbers. CS_INPUT where it has no
 * value. */
typedef int cs_derived_compute(const struct cs_model *model, const size_t *mode, const double *parameters, double T,
                               double *value, struct cs_error *error);

struct cs_derived {
  enum cs_metric metric; /* that the values are for */
  size_t width;
  cs_derived_compute *compute;
  void (*enter)(void *context, size_t run, const double *value);
  void *context;
};

/* Enters value [width] of every run that has metrics, in order; NaN where there is none, the first reason for which
 * becomes a line of `warnings` unless the metric has one. Each network is computed once for each time: end [runs], or
 * t_end if that is NULL. */
int cs_derived_each(const struct cs_plan *plan, const struct cs_table *table, const struct cs_array *end,
                    const struct cs_derived *what, struct cs_text *warnings, struct cs_error *error);

/* What these metrics of a simulation take on one thread once the runs have ended, in seconds: a first guess. */
double cs_derived_seconds(const struct cs_plan *plan);

#endif
