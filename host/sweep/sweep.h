/* A sweep file, checked against its model: method, axes, metrics, fits (docs/formats.md section 2). The runs are the
 * Cartesian product of the axes, numbered with the last axis fastest. */
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
  char *name, *unit, *long_name; /* unit: "1" if the file gives none */
  size_t length;
  double *values; /* coordinate of a numeric or zip axis; NULL for labels */
  char **labels;  /* coordinate of an axis of words or labels; NULL for numbers */
  /* zip: one auxiliary variable per path, named <axis>_<last part of the path>. */
  size_t columns;
  struct cs_axis_column {
    char *name;
    const char *unit; /* of values, borrowed */
    double *values;   /* or NULL */
    char **labels;    /* or NULL */
  } * column;
  struct cs_axis_binding *binding; /* private to axis.c */
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
  bool initial; /* the operating point of a nonlinear model: its initial states, not the equilibrium */
  char *path, *model_path, *name, *description;
  char *designs; /* what axes written out as "zip" had in the file, as cs_design_write_out says; NULL: there are none */
  size_t axes, fits, runs;
  size_t first; /* number of its first run; 0 unless it is a part of a sweep (cs_sweep_part) */
  struct cs_axis *axis;
  struct cs_sweep_fit *fit;
  long boundary;           /* the axis along which stability boundaries are located, or -1 */
  unsigned refine;         /* levels of refinement of maps around their boundaries; 0: none */
  size_t refined[2];       /* the axes of refined maps */
  bool metric[CS_METRICS]; /* metrics written */
  size_t table;            /* method.events.table: events listed by metrics over `occurrence` */
  /* Modes that some run may begin in: all combinations of those of each subsystem. */
  size_t starts, *start; /* [starts][model->subsystems], into model->mode; SIZE_MAX for a subsystem without modes */
  struct cs_sweep_private *private_;
};

/* `set`: "path=value" texts from the command line, applied before anything is checked. */
int cs_sweep_load(const char *path, const char *const *set, size_t sets, struct cs_sweep **sweep,
                  struct cs_error *error);
/* The same from JSON already parsed, and with a model that is there already (NULL: the file that the sweep names);
 * takes ownership of both also on failure. `path` is the sweep's, and that of a model which is there, in messages;
 * files that it names are relative to it. */
int cs_sweep_read(const char *path, struct cs_json *json, struct cs_model *model, const char *const *set, size_t sets,
                  struct cs_sweep **sweep, struct cs_error *error);
void cs_sweep_free(struct cs_sweep *sweep);

/* `runs` runs of a sweep from number `first` on, or as many as there are, as a sweep of their own: run 0 of the part is
 * run `first` of the whole, which owns all but the struct. The axes are those of the whole. */
struct cs_sweep cs_sweep_part(const struct cs_sweep *whole, size_t first, size_t runs);

/* Paths of the files that were read: 0 the sweep, 1 the model, CS_SWEEP_FRAGMENTS and up the fragments of user-defined
 * masters and controllers; NULL after the last. */
enum { CS_SWEEP_FRAGMENTS = 2 };
const char *cs_sweep_file(const struct cs_sweep *sweep, size_t index);

/* At most so many sets of parameters and modes that runs begin in. */
double cs_sweep_sets(const struct cs_sweep *sweep);
/* Whether every run has a set of its own. */
bool cs_sweep_sets_differ(const struct cs_sweep *sweep);

/* Length of the dimension of metrics (1 for CS_OVER_NOTHING); of modes, which depend on the method, at least. */
size_t cs_sweep_signals(const struct cs_sweep *sweep, enum cs_over over);

/* Whether a simulation also writes metrics of study stability. */
bool cs_sweep_has_spectra_beside(const struct cs_sweep *sweep);

/* Whether some runs (or those with a method) have individual macro steps: because of step size control, events or an
 * adaptive solver; runs with metric monitor_predicted are computed as if they had. */
bool cs_sweep_varies(const struct cs_sweep *sweep);
/* Whether lines may be waves. */
bool cs_sweep_waves(const struct cs_sweep *sweep);
bool cs_sweep_varies_with(const struct cs_sweep *sweep, const struct cs_method *method);

/* Whether the sweep sets method.relaxation to something else than its default. */
bool cs_sweep_sets_relaxation(const struct cs_sweep *sweep);
/* cs_slots_are_eventful */
bool cs_sweep_is_eventful(const struct cs_sweep *sweep);

/* The sweep as run, as JSON: overrides applied, every default written out. */
void cs_sweep_print(const struct cs_sweep *sweep, struct cs_text *text);

/* Coordinates of run `run` (of a part: counted from its first) along the axes, as "H=0.1, order=1". */
void cs_sweep_describe_run(const struct cs_sweep *sweep, size_t run, struct cs_text *text);
/* For messages: the same with the settings that axes with `zip` move; `rounded`: numbers have 4 digits. */
void cs_sweep_describe_settings(const struct cs_sweep *sweep, size_t run, bool rounded, struct cs_text *text);

/* For messages: "taylor, order 1, explicit, consistent, exact". */
void cs_sweep_describe_method(const struct cs_sweep *sweep, const struct cs_method *method, struct cs_text *text);

/* Append, a line each, the paths that --set may override, and the words that the setting at a path takes. */
void cs_sweep_add_paths(const struct cs_sweep *sweep, struct cs_text *lines);
void cs_sweep_add_words(const struct cs_sweep *sweep, const char *path, struct cs_text *lines);

#endif
