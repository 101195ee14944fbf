/* The engine's metrics against the plain reference. */
#ifndef COSWEEP_TESTS_PLAIN_COMPARE_H
#define COSWEEP_TESTS_PLAIN_COMPARE_H

#include "harness.h"
#include "plain.h"

/* Signals of a kind, the RMS and the largest value of each over the run, [count]; 0: none that has one. */
struct plain_signals {
  size_t count;
  const struct cs_signal *signal;
  const real *rms, *most;
};

struct plain_signals plain_signals_of(const struct cs_model *model, const struct plain_result *result,
                                      enum cs_over over);

/* The largest RMS of any signal. */
real plain_largest_rms(const struct cs_model *model, const struct plain_result *result);

/* Compares every metric of outputs, inputs and states of the run at `index`, to `relative` or `floor` times the
 * signal's RMS; `case_name` stands before each in messages. */
void plain_compare(const struct harness *harness, const size_t *index, const struct plain_result *result,
                   double relative, double floor, struct harness_check *check, const char *case_name);
/* The same for doubling, which sums up products of all signals: what is zero to the reference's digits may be `floor`
 * times the largest RMS of any signal. */
void plain_compare_doubled(const struct harness *harness, const size_t *index, const struct plain_result *result,
                           double relative, double floor, struct harness_check *check, const char *case_name);

#endif
