/* The result of a sweep as a table: dimensions, metrics, status and fits (docs/formats.md section 4). */
#ifndef COSWEEP_RESULT_H
#define COSWEEP_RESULT_H

#include "plan.h"
#include "table.h"

/* An empty table: its title is the sweep's description, or its name, and `suffix`; its history the time stamp `started`
 * and the command line (NULL: the library was called). */
int cs_result_new_table(const struct cs_sweep *sweep, const char *suffix, const char *command, const char *started,
                        struct cs_table **table, struct cs_error *error);

/* Where results are to be while the sweep is computed; `beside`: with CS_IN_FILE, as for cs_table_spill. */
struct cs_result_home {
  enum cs_home home;
  const char *beside;
};

/* The table of a sweep before anything is run, with every array but those of the fits: metrics NaN, counts 0; in a file
 * all zeros. `modes`: the largest number of eigenvalues of a run. `command` and `started` as for cs_result_new_table.
 */
int cs_result_new(const struct cs_sweep *sweep, size_t modes, struct cs_result_home home, const char *command,
                  const char *started, struct cs_table **table, struct cs_error *error);
/* Enters the status of every run as planned. `table`: of the plan's runs. */
void cs_result_begin(const struct cs_plan *plan, struct cs_table *table);

/* Destination of a run's numbers: arrays by metric, NULL for metrics that are not requested or that another study
 * provides. `status` and `engine` are NULL in the stability analysis that follows a simulation. */
struct cs_result {
  const struct cs_plan *plan;
  struct cs_array *metric[CS_METRICS], *status, *engine; /* engine: also NULL in study stability */
};
void cs_result_open(const struct cs_plan *plan, struct cs_table *table, struct cs_result *result);

/* How a run was computed: values of the array `engine`. */
enum cs_way { CS_WAY_NONE, CS_WAY_STEP, CS_WAY_DOUBLE };

/* Whether kernels can have written a run's state [layout->state.items] and may have computed it in this way: asked once
 * where states come from a file or from another process. If not, `wrong` gets what they cannot have: "status 12". */
bool cs_result_check(const struct cs_plan *plan, size_t run, unsigned way, const double *state, struct cs_text *wrong);

/* Enters one computed run and returns its status. state: the run's [layout->state.items], `pitch` apart. */
enum cs_status cs_result_enter(const struct cs_result *result, size_t run, enum cs_way way, const double *state,
                               size_t pitch);

/* Its part for models with state events; `good`: the run succeeded, otherwise counts alone are entered. */
void cs_result_enter_events(const struct cs_result *result, size_t run, const double *state, bool good);

/* Whether a spectral radius is stable: at most 1 + 1e-9, because rounding moves neutral eigenvalues off the unit circle
 * by less than that (docs/methods.md section 8). False for NaN. */
#define CS_RESULT_NEUTRAL 1e-9
bool cs_result_stable(double radius);
/* The spectral radius in a state written by spectrum.cl; NaN if the analysis failed. */
double cs_result_radius(const double *state, size_t pitch);
/* cs_result_enter for a state written by spectrum.cl. */
enum cs_status cs_result_enter_spectrum(const struct cs_result *result, size_t run, const double *state, size_t pitch);

/* How many numbers a run has of a metric: 1, or as many as there are signals, bonds or eigenvalues. */
size_t cs_result_signals(const struct cs_sweep *sweep, size_t modes, int metric);
/* Adds a dimension labelled with the names of the model's signals of a kind, and an array of their units; *index gets
 * the number of the dimension. */
int cs_result_add_signals(const struct cs_model *model, enum cs_over over, struct cs_table *table, size_t *index,
                          struct cs_error *error);
/* The unit shared by all signals of a kind ("1" if the model gives none), or NULL. */
const char *cs_result_common_unit(const struct cs_model *model, enum cs_over over);

/* Appends why a run of this variant ended before t_end, given its status and the number of its last step. */
void cs_result_describe_end(const struct cs_layout *layout, enum cs_status status, double step, struct cs_text *text);

/* Fills output_exact and output_error_relative, which contains output errors until then. A reason why a run has none
 * becomes one of the warnings. */
int cs_result_add_exact(const struct cs_plan *plan, struct cs_table *table, struct cs_text *warnings,
                        struct cs_error *error);

/* The same of error_bound, from the defects of the runs (docs/methods.md section 10). */
int cs_result_add_operating_point(const struct cs_plan *plan, struct cs_table *table, struct cs_text *warnings,
                                  struct cs_error *error);
int cs_result_add_bound(const struct cs_plan *plan, struct cs_table *table, struct cs_text *warnings,
                        struct cs_error *error);

/* Adds the convergence orders along the sweep's fit axes to `table`, where that has its numbers; of an outline their
 * arrays alone. They are fitted to the metrics in `from`: the same table, or one like it. */
int cs_result_fit(const struct cs_sweep *sweep, size_t modes, const struct cs_table *from, struct cs_table *table,
                  struct cs_error *error);

#endif
