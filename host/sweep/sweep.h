/* What a sweep file says, checked against its model: method, axes, metrics, fits (docs/formats.md section 2).
 * The cartesian product of the axes is the set of runs; run numbers count with the last axis fastest. */
#ifndef COSWEEP_SWEEP_H
#define COSWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "control.h"
#include "json.h"
#include "master.h"
#include "method.h"
#include "metric.h"
#include "model.h"
#include "settings.h"

struct cs_axis {
  char *name, *unit, *long_name; /* unit "1" when the file gives none */
  size_t length;
  double *values; /* coordinate of a numeric or zip axis; NULL for names */
  char **labels;  /* coordinate of an axis of names or labels; NULL for numbers */
  /* zip: one auxiliary variable per path, named <axis>_<last part of the path>. */
  size_t columns;
  struct cs_axis_column {
    char *name;
    double *values; /* or NULL */
    char **labels;  /* or NULL */
  } * column;
  struct cs_axis_binding *binding; /* private to sweep.c */
  size_t bindings;
};

struct cs_sweep_fit {
  size_t axis;
  bool metric[CS_METRICS]; /* which metrics are fitted along it */
};

struct cs_sweep {
  struct cs_json *json;   /* owned */
  struct cs_model *model; /* owned */
  const struct cs_masters *masters;
  const struct cs_controls *controls;
  enum cs_study study;
  char *path, *name, *description;
  size_t axes, fits, runs;
  struct cs_axis *axis;
  struct cs_sweep_fit *fit;
  long boundary;           /* the axis along which limits of stability are searched, or -1 */
  unsigned refine;         /* levels by which maps are refined around their boundaries; 0: none */
  size_t refined[2];       /* the axes of these maps */
  bool metric[CS_METRICS]; /* what is written */
  struct cs_sweep_private *private_;
};

/* `set`: "path=value" texts from the command line, applied before anything is checked. */
int cs_sweep_load(const char *path, const char *const *set, size_t sets, struct cs_sweep **sweep,
                  struct cs_error *error);
void cs_sweep_free(struct cs_sweep *sweep);

/* The settings of run number `run` (0 <= run < sweep->runs). Cheap: called for every run. Cannot fail. */
void cs_sweep_settings(const struct cs_sweep *sweep, size_t run, struct cs_settings *settings);

/* The same where some axes, which select no kernel, have values of their own: value [axes]. */
void cs_sweep_settings_at(const struct cs_sweep *sweep, size_t run, const size_t *axis, const double *value,
                          size_t axes, struct cs_settings *settings);

/* Whether a simulation was asked for metrics of study stability. */
bool cs_sweep_has_spectra_beside(const struct cs_sweep *sweep);

/* Whether some of its runs have macro steps of their own size: by step size control, events or an adaptive solver;
 * or are computed as if they had, for metric monitor_predicted; and whether those with a method have. */
bool cs_sweep_varies(const struct cs_sweep *sweep);
bool cs_sweep_varies_with(const struct cs_sweep *sweep, const struct cs_method *method);

/* The sweep as run: overrides applied, every default written out (JSON). */
void cs_sweep_print(const struct cs_sweep *sweep, struct cs_text *text);

/* Values of run `run` along the axes, as "H=0.1, order=1": for messages. */
void cs_sweep_describe_run(const struct cs_sweep *sweep, size_t run, struct cs_text *text);

#endif
