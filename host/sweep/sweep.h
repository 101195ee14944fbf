/* What a sweep file says, checked against its model: method, axes, metrics, fits (docs/formats.md section 2).
 * The cartesian product of the axes is the set of runs; run numbers count with the last axis fastest. */
#ifndef COSWEEP_SWEEP_H
#define COSWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "control.h"
#include "json.h"
#include "master.h"
#include "metric.h"
#include "model.h"

enum cs_master { CS_JACOBI, CS_GAUSS_SEIDEL, CS_USER /* and beyond: fragments of the sweep */ };
enum cs_hold { CS_TAYLOR, CS_LAGRANGE, CS_BACKWARD_DIFFERENCE };
enum cs_feedthrough { CS_EXPLICIT, CS_SOLVED, CS_REFRESH };
enum cs_start { CS_CONSISTENT, CS_RAMP, CS_ZERO };
enum cs_solver { CS_EXACT, CS_EULER, CS_HEUN, CS_RK4, CS_IMPLICIT_EULER, CS_TRAPEZOIDAL, CS_DOPRI5 };
enum cs_control {
  CS_FIXED,
  CS_PI_DEFECT,
  CS_PI_ECCO,
  CS_THRESHOLD,
  CS_RICHARDSON,
  CS_USER_CONTROL /* fragments of the sweep */
};
enum cs_end { CS_END_EXACT, CS_END_OVERSHOOT };
enum cs_estimate { CS_ESTIMATE_PLAIN, CS_ESTIMATE_CORRECTED };
enum cs_norm { CS_NORM_RMS, CS_NORM_THESIS };
enum cs_error_at { CS_CONTINUOUS, CS_POINTS };
enum cs_engine_choice { CS_AUTO, CS_STEP, CS_DOUBLE };

/* Numbers of step size control (docs/methods.md section 7): values inside a kernel, of which every run has its own. */
enum cs_control_number {
  CS_CONTROL_INITIAL,   /* s; of control `fixed` the size */
  CS_CONTROL_MIN,       /* s */
  CS_CONTROL_MAX,       /* s */
  CS_CONTROL_MOST,      /* max_steps */
  CS_CONTROL_UNDERFLOW, /* s */
  CS_CONTROL_TOLERANCE,
  CS_CONTROL_KP,
  CS_CONTROL_KI,
  CS_CONTROL_ALPHA,
  CS_CONTROL_GROWTH_MAX,
  CS_CONTROL_SHRINK_MAX,
  CS_CONTROL_ATOL,
  CS_CONTROL_RTOL,
  CS_CONTROL_ACCEPT,
  CS_CONTROL_THRESHOLD,
  CS_CONTROL_ABOVE, /* s */
  CS_CONTROL_BELOW, /* s */
  CS_CONTROL_NUMBERS
};

enum { CS_MAX_ORDER = 3, CS_MAX_ITERATIONS = 100, CS_CONTROLS = CS_USER_CONTROL + 1 };

/* Settings of one subsystem after overrides. */
struct cs_subsystem_method {
  unsigned char solver, input_order, output_order;
  unsigned short micro_steps; /* resolved default: 1 for euler, 1 for exact and dopri5 (unused), 2 else; even but for
                                 euler's 1 */
};

/* Everything that selects a kernel: a variant. Compared bytewise, so unused bytes are zero. */
struct cs_method {
  unsigned char master, hold, feedthrough, start, control, error_at, engine, iterations;
  unsigned char end, estimate, norm;     /* of step size control; 0 where the control has no use for them */
  unsigned short sequence, user;         /* numbers in the sweep's masters; 0 where the master has no use for them */
  unsigned short bonds, user_control;    /* numbers in the sweep's controls, likewise */
  unsigned short signal;                 /* output that control `threshold` looks at; else 0 */
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

/* What one run is. The arrays are allocated by cs_settings_new and reused. */
struct cs_settings {
  struct cs_method method; /* method.subsystem: [subsystems] */
  double step_size, t_end; /* s; no step_size with a control that changes it: NaN */
  double max_steps;
  double control[CS_CONTROL_NUMBERS]; /* defaults of the control filled in; NaN where it has no use for the number, but
                                         MIN 0 and MAX infinite */
  double *tolerance;                  /* of dopri5, [model->subsystems]; NaN where the subsystem has another solver */
  double *parameters;                 /* overrides, [model->parameters] */
  unsigned char *given;               /* [model->parameters]: 1 where overridden */
  bool skipped;                       /* status 6 */
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

/* Whether the numbers of a run mean anything to the study, its own or that of spectra beside a simulation; if not, the
 * reason is appended. Names and orders are checked when the sweep is loaded. */
bool cs_settings_check(const struct cs_sweep *sweep, const struct cs_settings *settings, enum cs_study study,
                       struct cs_text *reason);

/* Whether a simulation was asked for metrics of study stability. */
bool cs_sweep_has_spectra_beside(const struct cs_sweep *sweep);

/* Whether some of its runs have macro steps of their own size: by step size control, events or an adaptive solver;
 * or are computed as if they had, for metric monitor_predicted. */
bool cs_sweep_varies(const struct cs_sweep *sweep);

/* Two methods that need the same kernel. */
bool cs_method_equal(const struct cs_sweep *sweep, const struct cs_method *a, const struct cs_method *b);
/* "taylor, order 1, explicit, consistent, exact": for messages. */
void cs_method_describe(const struct cs_sweep *sweep, const struct cs_method *method, struct cs_text *text);

/* The sweep as run: overrides applied, every default written out (JSON). */
void cs_sweep_print(const struct cs_sweep *sweep, struct cs_text *text);

/* Values of run `run` along the axes, as "H=0.1, order=1": for messages. */
void cs_sweep_describe_run(const struct cs_sweep *sweep, size_t run, struct cs_text *text);

#endif
