/* The result of a sweep as a table: dimensions, metrics, status, fits, provenance (docs/formats.md section 4). */
#ifndef COSWEEP_RESULT_H
#define COSWEEP_RESULT_H

#include "plan.h"
#include "table.h"

/* An empty table: its title is the sweep's description, or its name, and `suffix`; its history the time stamp `started`
 * and the command line (NULL: the library was called). */
int cs_result_new_table(const struct cs_sweep *sweep, const char *suffix, const char *command, const char *started,
                        struct cs_table **table, struct cs_error *error);

/* A table with every array in place, nothing run: metrics NaN, counts 0, status of runs that are not computed.
 * `started`: time stamp for the history. */
int cs_result_new(const struct cs_plan *plan, const char *command, const char *started, struct cs_table **table,
                  struct cs_error *error);

/* Where the numbers of a run go: arrays by metric, NULL for metrics that are not written or that another study gives;
 * status and engine NULL beside the sweep's own study. */
struct cs_result {
  const struct cs_plan *plan;
  struct cs_array *metric[CS_METRICS], *status, *engine; /* engine: NULL in study stability */
};
void cs_result_open(const struct cs_plan *plan, struct cs_table *table, struct cs_result *result);

/* How a run was computed, in the array `engine`. */
enum cs_way { CS_WAY_NONE, CS_WAY_STEP, CS_WAY_DOUBLE };

/* Enters one computed run. state: the lane's state items (layout->state.items), `pitch` apart. Returns its status. */
enum cs_status cs_result_enter(const struct cs_result *result, size_t run, enum cs_way way, const double *state,
                               size_t pitch);

/* Whether a spectral radius, NaN where there is none, is stable: at most 1 + 1e-9, for rounding moves neutral
 * eigenvalues off the unit circle by less (docs/methods.md section 8). */
bool cs_result_stable(double radius);
/* The spectral radius in a state of spectrum.cl; NaN where it failed. */
double cs_result_radius(const double *state, size_t pitch);
/* The same in study stability: state as spectrum.cl leaves it. */
enum cs_status cs_result_enter_spectrum(const struct cs_result *result, size_t run, const double *state, size_t pitch);

/* Numbers that a run has of a metric: 1, or its signals, bonds or eigenvalues. */
size_t cs_result_signals(const struct cs_plan *plan, int metric);
/* A dimension of the model's signals of a kind, by name, with their units beside it; *index gets its place. */
int cs_result_add_signals(const struct cs_model *model, enum cs_over over, struct cs_table *table, size_t *index,
                          struct cs_error *error);
/* The unit that all signals of a kind share ("1" where the file gives none), or NULL. */
const char *cs_result_common_unit(const struct cs_model *model, enum cs_over over);

/* Says why a run ended before t_end, from its status and the number of its last step. */
void cs_result_describe_end(enum cs_status status, double step, struct cs_text *text);

/* Orders along the fitted axes, from the metrics in the table. */
int cs_result_fit(const struct cs_plan *plan, struct cs_table *table, struct cs_error *error);

/* Gives the plan's copies the results of the runs that were computed for them; counts them in `status` by outcome. */
void cs_result_copy(const struct cs_plan *plan, struct cs_table *table, size_t *status);

#endif
