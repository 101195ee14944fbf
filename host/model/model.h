/* A model file, checked: subsystems, signals, connections, monitors, events (docs/formats.md section 1).
 *
 * The network is stored stacked: all states, inputs and outputs in the order of the subsystems; the matrices are lists
 * of structurally non-zero entries (a literal 0 is absent), so that kernels compute nothing for zeros.
 *   x' = A x + B u + e,  y = C x + D u + f,  u = L y + b */
#ifndef COSWEEP_MODEL_H
#define COSWEEP_MODEL_H

#include <stddef.h>

#include "expr.h"
#include "json.h"
#include "metric.h"

struct cs_parameter {
  char *name, *unit, *description; /* unit and description may be "" */
  struct cs_expr *value;           /* over the parameters before it */
};

struct cs_signal {
  char *name, *unit; /* "subsystem.signal" */
  size_t subsystem;
};

struct cs_subsystem {
  char *name, *description;
  bool nonlinear; /* its equations are not linear; its matrices are derivatives at the operating point */
  size_t states, inputs, outputs;                /* counts */
  size_t first_state, first_input, first_output; /* into the stacked signals */
  size_t modes, first_mode;                      /* into the stacked modes; runs begin in the first. 0: it has none */
};

/* A mode of a subsystem: matrices of its own. A configuration is a mode of every subsystem (configurations.h). */
struct cs_mode {
  char *name, *description;
  size_t subsystem;
};

/* Stacked matrices and vectors; rows and columns as in the equations above. MX, MU, MY: monitors over states, inputs,
 * outputs; MC [monitors][1]: their constants. EVENT_TIME [events][1] (s); EVENT_SET, EVENT_ADD [events][states]: what
 * an event sets states to, or adds to them, without its terms; there a literal 0 is an entry too. CHANGE_X, _U, _Y
 * [changes]: these terms, over the signals before the event. WHEN_X, _U, _Y [conditions] and WHEN_BOUND
 * [conditions][1]: combinations and what they have to be above or below. Vectors have column 0. */
enum cs_matrix {
  CS_A,
  CS_B,
  CS_C,
  CS_D,
  CS_E,
  CS_F,
  CS_X0,
  CS_L,
  CS_BIAS,
  CS_MX,
  CS_MU,
  CS_MY,
  CS_MC,
  CS_EVENT_TIME,
  CS_EVENT_SET,
  CS_EVENT_ADD,
  CS_WHEN_X,
  CS_WHEN_U,
  CS_WHEN_Y,
  CS_WHEN_BOUND,
  CS_CHANGE_X,
  CS_CHANGE_U,
  CS_CHANGE_Y,
  CS_MATRICES
};

struct cs_entry {
  size_t row, column;
  long mode; /* into model->mode: the entry counts in this mode only; -1: always */
  struct cs_expr *expr;
  const struct cs_node *node; /* its place in the file */
};

struct cs_entries {
  size_t rows, columns, count;
  struct cs_entry *entry; /* sorted by row, then column, then mode; an (L, b) entry may occur several times; they are
                             summed */
};

struct cs_monitor {
  char *name, *unit;
  long flow; /* output whose time history predicts the monitor, [K](37), or -1 */
};

/* States or modes change instantaneously at a given time, or where conditions hold (docs/formats.md section 6). */
struct cs_event {
  char *name;
  bool timed;                         /* it has a time and no conditions */
  size_t first_condition, conditions; /* into the list of conditions */
  size_t first_change, changes;       /* into the list of changes */
  unsigned char *in;                  /* [modes] whether it can happen in a mode of its subsystem */
  long *to;                           /* [subsystems] mode that it changes to, or -1 */
};

/* A combination of a subsystem's own signals is above or below a bound. All conditions of an event that belong to one
 * subsystem, a view, have to hold together; sorted by event, then in the order of the subsystems. */
struct cs_condition {
  size_t event, subsystem;
  bool above;
};

/* An event sets a state, or adds to it. */
struct cs_change {
  size_t event, state;
  bool adds;
};

/* A state's derivative, or an output, of a nonlinear subsystem. */
struct cs_equation {
  bool output;
  size_t row; /* into the stacked states or outputs */
  struct cs_expr *expr;
  const struct cs_node *node;
};

/* A spring between two outputs, flows into it, and two inputs, efforts of `sign` times its force, each pair of one
 * subsystem; itself a subsystem with its force as its state. */
struct cs_line {
  size_t subsystem, flow[2], effort[2];
  double sign; /* 1 or -1 */
};

struct cs_model {
  struct cs_json *json; /* owned */
  size_t values; /* that expressions use: the parameters, in nonlinear models followed by the states and inputs of the
                    operating point */
  size_t equations;
  struct cs_equation *equation; /* [equations] of all nonlinear subsystems */
  char *name, *description, *reference;
  size_t parameters, subsystems, states, inputs, outputs, monitors, modes;
  size_t events, state_events, conditions, changes; /* state events: those that are not timed */
  struct cs_parameter *parameter;
  struct cs_subsystem *subsystem;
  struct cs_signal *state, *input, *output;
  struct cs_monitor *monitor;
  struct cs_mode *mode;
  struct cs_event *event;
  struct cs_condition *condition;
  struct cs_change *change;
  size_t lines; /* they are the last subsystems */
  struct cs_line *line;
  struct cs_entries matrix[CS_MATRICES];
};

int cs_model_load(const char *path, struct cs_model **model, struct cs_error *error);
/* From JSON already parsed; takes ownership of `json` also on failure. */
int cs_model_read(struct cs_json *json, struct cs_model **model, struct cs_error *error);
void cs_model_free(struct cs_model *model);

/* Index of a parameter, or -1. */
long cs_model_parameter(const struct cs_model *model, const char *name);

/* Whether a subsystem is a line. */
bool cs_model_is_line(const struct cs_model *model, size_t subsystem);

/* Whether what events do depends on signals, or they change modes; otherwise they are constants at given times. */
bool cs_model_is_eventful(const struct cs_model *model);

/* Number of signals along the extra dimension of a metric (1 for CS_OVER_NOTHING), their names and units ("" if the
 * file gives none). */
size_t cs_model_signals(const struct cs_model *model, enum cs_over over);
const char *cs_model_signal_name(const struct cs_model *model, enum cs_over over, size_t index);
const char *cs_model_signal_unit(const struct cs_model *model, enum cs_over over, size_t index);
/* Length of the longest chain of subsystems each of which waits for the previous one when they advance in this sequence
 * [subsystems]; 1: none waits. stage [subsystems]: room. */
size_t cs_model_stages(const struct cs_model *model, const size_t *sequence, size_t *stage);

/* Values of all parameters: overrides[i] where given[i], else the file's value, expressions evaluated in order.
 * CS_INPUT with place and reason when a value is not finite. values: [parameters]. */
int cs_model_parameters(const struct cs_model *model, const double *overrides, const unsigned char *given,
                        double *values, struct cs_error *error);

/* ---- nonlinear models: those with equations. Deviations from an operating point obey x' = A x + B u, y = C x + D u;
 * constants e and f of nonlinear subsystems are left out. */

/* Finds the operating point of a nonlinear model and puts it behind the parameters, values [values]; otherwise does
 * nothing. `initial`: the initial states; otherwise the equilibrium that Newton's method reaches from these. CS_INPUT
 * with the reason where there is none. */
int cs_model_operate(const struct cs_model *model, bool initial, double *values, struct cs_error *error);
/* Where that is: "at the initial states", "at the equilibrium that is reached from the initial states". All outputs say
 * "linearised" and these words. */
const char *cs_model_linearised(bool initial);
/* x' [states] there, 0 at an equilibrium but for rounding. */
int cs_model_slopes(const struct cs_model *model, const double *values, double *slope, struct cs_error *error);

/* Dense row-major numbers of one matrix, [rows][columns], absent entries 0; `parameters` as from
 * cs_model_parameters, [values] with the operating point behind them. mode: every subsystem's, [subsystems], into
 * model->mode, of no meaning for subsystems without modes; NULL: those that runs begin in. CS_INPUT with the entry's
 * place and the reason when a value is not finite. */
int cs_model_numbers(const struct cs_model *model, enum cs_matrix matrix, const size_t *mode, const double *parameters,
                     double *numbers, struct cs_error *error);

/* Evaluates every value once with the file's own parameters; fails if one is not finite. */
int cs_model_check_values(const struct cs_model *model, struct cs_error *error);

#endif
