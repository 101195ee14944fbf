/* Metrics of a run beside those of the plain reference, with the size of the signals behind each. */
#ifndef COSWEEP_TESTS_PLAIN_JUDGE_H
#define COSWEEP_TESTS_PLAIN_JUDGE_H

#include "plain_compare.h"
#include "table.h"

enum { PLAIN_MAX_AXES = 32 };

struct plain_verdict {
  enum cs_metric metric;
  const char *signal; /* "" for metrics of the run itself */
  double actual, expected;
  double size;     /* of the signals that were subtracted from each other, over the run */
  double relative; /* |actual - expected| by |expected| */
  double units;    /* |actual - expected| by the unit of rounding of `size`, 2^-52 */
};

typedef void plain_verdict_fn(void *context, const struct plain_verdict *verdict);

/* Size of what a metric of signal i is the difference of: what the exact solution is at most and the co-simulation, for
 * inputs with the terms of the polynomial, or the RMS of a defect's terms. */
double plain_size_of(const struct plain_result *result, enum cs_metric metric, const struct plain_signals *signals,
                     size_t i);

/* Position of a run on each axis, [axes]. */
void plain_position(const struct cs_sweep *sweep, size_t run, size_t *index);

/* Calls `look` for every metric that the sweep writes and the reference has. `table` NULL: nothing to compare with,
 * `actual` is NaN. */
void plain_judge(const struct cs_sweep *sweep, const struct cs_table *table, size_t run,
                 const struct plain_result *result, plain_verdict_fn *look, void *context);

#endif
