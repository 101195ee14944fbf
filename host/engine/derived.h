/* Metrics that follow from a run's network and a time alone, entered after the runs. */
#ifndef COSWEEP_DERIVED_H
#define COSWEEP_DERIVED_H

#include "plan.h"
#include "table.h"

/* Computes `value` for a network over a time T (s); parameters, mode: as for cs_model_numbers. CS_INPUT where it has no
 * value. */
typedef int cs_derived_compute(const struct cs_model *model, const size_t *mode, const double *parameters, double T,
                               double *value, struct cs_error *error);

/* Calls enter(context, run, value) with value [width] of every run that has metrics, in order; NaN where there is none.
 * Each network is computed once for each time: end [runs], or t_end if that is NULL. */
int cs_derived_each(const struct cs_plan *plan, const struct cs_table *table, const struct cs_array *end, size_t width,
                    cs_derived_compute *compute, void (*enter)(void *context, size_t run, const double *value),
                    void *context, struct cs_error *error);

#endif
