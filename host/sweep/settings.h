/* Settings of one run: its method and its numbers. */
#ifndef COSWEEP_SETTINGS_H
#define COSWEEP_SETTINGS_H

#include "metric.h"
#include "setting_values.h"

struct cs_sweep;

int cs_settings_new(const struct cs_sweep *sweep, struct cs_settings *settings, struct cs_error *error);
void cs_settings_free(struct cs_settings *settings);

/* Whether the numbers of a run are valid in `study`: that of the sweep, or CS_STABILITY for the spectra computed with a
 * simulation. If not, the reason is appended. All else is checked when the sweep is loaded. */
bool cs_settings_check(const struct cs_sweep *sweep, const struct cs_settings *settings, enum cs_study study,
                       struct cs_text *reason);

/* The settings of run `run` (0 <= run < sweep->runs, of a part counted from its first). Cheap enough to be called for
 * every run, above all in order: of what the run has in common with the one that the settings were of, only parameters
 * and the step size are set again, so nobody else may change it. */
void cs_settings_of(const struct cs_sweep *sweep, size_t run, struct cs_settings *settings);

/* The same with other values for some axes, which must not select kernels: axis, value [axes]. */
void cs_settings_at(const struct cs_sweep *sweep, size_t run, const size_t *axis, const double *value, size_t axes,
                    struct cs_settings *settings);

#endif
