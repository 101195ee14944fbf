/* What a sweep file says, checked against its model: method, axes, metrics, fits (docs/formats.md section 2).
 * The cartesian product of the axes is the set of runs; run numbers count with the last axis fastest. */
#ifndef COSWEEP_SWEEP_H
#define COSWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"
#include "master.h"
#include "metric.h"
#include "model.h"

enum cs_master { CS_JACOBI, CS_GAUSS_SEIDEL, CS_USER /* and beyond: fragments of the sweep */ };
enum cs_hold { CS_TAYLOR, CS_LAGRANGE, CS_BACKWARD_DIFFERENCE };
enum cs_feedthrough { CS_EXPLICIT, CS_SOLVED, CS_REFRESH };
enum cs_start { CS_CONSISTENT, CS_RAMP, CS_ZERO };
enum cs_solver { CS_EXACT, CS_EULER, CS_HEUN, CS_RK4, CS_IMPLICIT_EULER, CS_TRAPEZOIDAL };
enum cs_control { CS_FIXED };
enum cs_error_at { CS_CONTINUOUS, CS_POINTS };
enum cs_engine_choice { CS_AUTO, CS_STEP, CS_DOUBLE };

enum { CS_MAX_ORDER = 3, CS_MAX_ITERATIONS = 100 };

/* Settings of one subsystem after overrides. */
struct cs_subsystem_method {
  unsigned char solver, input_order, output_order;
  unsigned short micro_steps; /* resolved default: 1 for euler, 1 for exact (unused), 2 else; even but for euler's 1 */
};

/* Everything that selects a kernel: a variant. Compared bytewise, so unused bytes are zero. */
struct cs_method {
  unsigned char master, hold, feedthrough, start, control, error_at, engine, iterations;
  unsigned short sequence, user;         /* numbers in the sweep's masters; 0 where the master has no use for them */
  struct cs_subsystem_method *subsystem; /* [model->subsystems] */
};

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

/* What one run is. The arrays are allocated by cs_settings_new and reused. */
struct cs_settings {
  struct cs_method method; /* method.subsystem: [subsystems] */
  double step_size, t_end; /* s */
  double max_steps;
  double *parameters;   /* overrides, [model->parameters] */
  unsigned char *given; /* [model->parameters]: 1 where overridden */
  bool skipped;         /* status 6 */
};

/* `set`: "path=value" texts from the command line, applied before anything is checked. */
int cs_sweep_load(const char *path, const char *const *set, size_t sets, struct cs_sweep **sweep,
                  struct cs_error *error);
void cs_sweep_free(struct cs_sweep *sweep);

int cs_settings_new(const struct cs_sweep *sweep, struct cs_settings *settings, struct cs_error *error);
void cs_settings_free(struct cs_settings *settings);
/* The settings of run number `run` (0 <= run < sweep->runs). Cheap: called for every run. Cannot fail. */
void cs_sweep_settings(const struct cs_sweep *sweep, size_t run, struct cs_settings *settings);

/* The same where some axes, which select no kernel, have values of their own: value [axes]. */
void cs_sweep_settings_at(const struct cs_sweep *sweep, size_t run, const size_t *axis, const double *value,
                          size_t axes, struct cs_settings *settings);

/* Whether a simulation was asked for metrics of study stability. */
bool cs_sweep_has_spectra_beside(const struct cs_sweep *sweep);

/* Two methods that need the same kernel. */
bool cs_method_equal(const struct cs_sweep *sweep, const struct cs_method *a, const struct cs_method *b);
/* "taylor, order 1, explicit, consistent, exact": for messages. */
void cs_method_describe(const struct cs_sweep *sweep, const struct cs_method *method, struct cs_text *text);

/* The sweep as run: overrides applied, every default written out (JSON). */
void cs_sweep_print(const struct cs_sweep *sweep, struct cs_text *text);

/* Values of run `run` along the axes, as "H=0.1, order=1": for messages. */
void cs_sweep_describe_run(const struct cs_sweep *sweep, size_t run, struct cs_text *text);

#endif
