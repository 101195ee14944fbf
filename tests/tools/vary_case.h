/* Sweeps of variable step written as text, and their runs beside the plain reference. */
#ifndef COSWEEP_TESTS_VARY_CASE_H
#define COSWEEP_TESTS_VARY_CASE_H

#include "harness.h"
#include "plain.h"

/* What differs between the sweeps of a test; members of JSON objects, without braces. */
struct vary_case {
  double t_end;
  const char *method; /* members of `method` besides `step`, each followed by a comma, or "" */
  const char *step;
  const char *path, *values; /* of the only axis, `v` */
  const char *metrics;       /* members of the list; NULL: VARY_CASE_METRICS */
};

#define VARY_CASE_METRICS                                                                                         \
  "\"output_defect\", \"connection_defect\", \"output_error\", \"input_error\", \"state_error\", "                \
  "\"output_error_max\", \"state_error_final\", \"monitor_rms\", \"monitor_max\", \"monitor_final\", \"steps\", " \
  "\"rejected_steps\", \"evaluations\", \"step_min\", \"step_mean\", \"step_max\", \"t_final\""

/* The sweep's text, of model.json; the caller frees it. */
char *vary_case_text(const struct vary_case *sweep);

/* Runs the sweep and compares every run's status, counts, step sizes, metrics of signals and, with status 0, monitors
 * with the plain reference: to `relative`, or `floor` times the RMS of the signal. `watch`, or NULL, sees the attempts
 * of all runs. */
void vary_case_against_plain(struct harness *harness, const struct vary_case *sweep, const struct plain_watch *watch,
                             double relative, double floor, struct harness_check *check);

#endif
