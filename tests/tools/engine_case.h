/* Running one sweep in several ways and comparing the tables run by run. */
#ifndef COSWEEP_TESTS_ENGINE_CASE_H
#define COSWEEP_TESTS_ENGINE_CASE_H

#include "harness.h"

/* Every metric that is summed, raised or kept by the kernels, as the list of a sweep file. */
#define ENGINE_CASE_METRICS                                                                                       \
  "[\"output_defect\", \"output_defect_true\", \"connection_defect\", \"integration_defect\", \"output_error\", " \
  "\"input_error\", \"state_error\", \"output_error_max\", \"input_error_max\", \"state_error_max\", "            \
  "\"output_error_final\", \"input_error_final\", \"state_error_final\", \"monitor_rms\", \"monitor_max\", "      \
  "\"monitor_final\", \"steps\", \"t_final\"]"

/* The same without maxima, which doubling cannot give. */
#define ENGINE_CASE_SUMS                                                                                          \
  "[\"output_defect\", \"output_defect_true\", \"connection_defect\", \"integration_defect\", \"output_error\", " \
  "\"input_error\", \"state_error\", \"output_error_final\", \"input_error_final\", \"state_error_final\", "      \
  "\"monitor_rms\", \"monitor_final\", \"steps\", \"t_final\"]"

/* A table together with the outcome of the run that made it. */
struct engine_case {
  struct cs_table *table;
  struct cs_outcome outcome;
  size_t runs;
};

/* Writes model.json from a file below the source directory. */
void engine_case_model(struct harness *harness, const char *path);
/* Loads `sweep` and runs it; 0 for lanes or tile_runs: the engine's choice. */
void engine_case_run(struct harness *harness, const char *sweep, unsigned lanes, size_t tile_runs,
                     struct engine_case *result);
void engine_case_free(struct engine_case *result);

/* Fails the test unless run number `a` of one table and `b` of the other have the same bytes in every metric both
 * tables hold, and in `status`. */
void engine_case_same_run(const struct engine_case *one, size_t a, const struct engine_case *other, size_t b);
/* The same for all runs of two tables. */
void engine_case_same(const struct engine_case *one, const struct engine_case *other);
/* Compares every metric of every run, to harness_compare's tolerances. */
void engine_case_compare(struct harness_check *check, const struct engine_case *actual,
                         const struct engine_case *expected, double relative, double absolute);

/* The same for the metrics of signals, each signal beside that of its name: of models that list subsystems in different
 * orders. */
void engine_case_compare_by_name(struct harness_check *check, const struct engine_case *actual,
                                 const struct engine_case *expected, double relative, double absolute);

/* Values of a metric for run number `run`, [signals]; fails the test when the table has no such metric. */
const double *engine_case_values(const struct engine_case *result, const char *metric, size_t run, size_t *signals);
int engine_case_status(const struct engine_case *result, size_t run);
/* Fails the test unless every run that was computed was doubled. */
void engine_case_all_doubled(const struct engine_case *result);
/* Value of `steps` for run number `run`. */
long engine_case_steps(const struct engine_case *result, size_t run);

#endif
