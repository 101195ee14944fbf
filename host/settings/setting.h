/* The scalar settings of a sweep, each declared once: path, kind, legal words or range, default (docs/methods.md). The
 * file, its axes, messages and the printed sweep all read this table. */
#ifndef COSWEEP_SETTING_H
#define COSWEEP_SETTING_H

#include <stdbool.h>

#include "control.h"
#include "json.h"
#include "master.h"
#include "metric.h"
#include "setting_values.h"

enum cs_setting {
  CS_SETTING_MASTER,
  CS_SETTING_SEQUENCE,
  CS_SETTING_ITERATIONS,
  CS_SETTING_RELAXATION,
  CS_SETTING_ACCELERATION,
  CS_SETTING_TOLERANCE_ITERATIONS,
  CS_SETTING_ITERATIONS_MAX,
  CS_SETTING_JACOBIAN,
  CS_SETTING_HOLD,
  CS_SETTING_NODES,
  CS_SETTING_POINTS, /* of hold least_squares, as its weight */
  CS_SETTING_WEIGHT,
  CS_SETTING_LINES, /* of models with lines */
  CS_SETTING_INPUT_ORDER,
  CS_SETTING_OUTPUT_ORDER,
  CS_SETTING_CONTINUITY,
  CS_SETTING_COMPENSATION,
  CS_SETTING_LATENCY,
  CS_SETTING_RATE,
  CS_SETTING_FEEDTHROUGH,
  CS_SETTING_START,
  CS_SETTING_SOLVER,
  CS_SETTING_MICRO_STEPS,
  CS_SETTING_MEMORY,    /* of solvers with one */
  CS_SETTING_TOLERANCE, /* of solver dopri5 */
  CS_SETTING_ERROR_AT,
  CS_SETTING_ENGINE,
  CS_SETTING_CONTROL,
  CS_SETTING_STEP_SIZE,
  CS_SETTING_RATIOS,
  CS_SETTING_INITIAL,
  CS_SETTING_MIN,
  CS_SETTING_MAX,
  CS_SETTING_MAX_STEPS,
  CS_SETTING_UNDERFLOW,
  CS_SETTING_END,
  CS_SETTING_STEP_TOLERANCE,
  CS_SETTING_KP,
  CS_SETTING_KI,
  CS_SETTING_ALPHA,
  CS_SETTING_GROWTH_MAX,
  CS_SETTING_SHRINK_MAX,
  CS_SETTING_ATOL,
  CS_SETTING_RTOL,
  CS_SETTING_ESTIMATE,
  CS_SETTING_NORM,
  CS_SETTING_DEFECTS,
  CS_SETTING_ACCEPT,
  CS_SETTING_BONDS,
  CS_SETTING_SIGNAL,
  CS_SETTING_THRESHOLD,
  CS_SETTING_ABOVE,
  CS_SETTING_BELOW,
  CS_SETTING_DETECT,
  CS_SETTING_RESET,
  CS_SETTING_INTERRUPTION,
  CS_SETTING_GRID,
  CS_SETTING_FIRST,
  CS_SETTING_HORIZON,
  CS_SETTING_RESTART,
  CS_SETTING_WINDOW,
  CS_SETTING_AT_ONCE,
  CS_SETTING_EVENTS_MOST,
  CS_SETTING_TABLE,
  CS_SETTING_T_END,
  CS_SETTINGS
};

enum cs_setting_kind {
  CS_SETTING_WORD,
  CS_SETTING_INTEGER,
  CS_SETTING_POSITIVE,
  CS_SETTING_NOT_NEGATIVE,
  CS_SETTING_SHARE,   /* 0 to 1 */
  CS_SETTING_WEIGHED, /* above 0, up to 1 */
  CS_SETTING_REAL,
  CS_SETTING_OUTPUT, /* its index in the model */
  CS_SETTING_BOND_LIST,
  CS_SETTING_RATIO_LIST,
  CS_SETTING_MODE /* its index in the model */
};

/* Values that are neither words nor numbers; settings hold their indices. */
struct cs_setting_lists {
  struct cs_masters masters;
  struct cs_controls controls;
};

/* The events without which a setting has no effect. */
enum cs_setting_events { CS_SETTING_ANYWAY, CS_SETTING_ANY_EVENTS, CS_SETTING_STATE_EVENTS };

struct cs_setting_info {
  const char *path; /* in the sweep file: "method.step.size" */
  const char *unit; /* of its numbers; NULL: they have none, or that of a parameter */
  enum cs_setting_kind kind;
  enum cs_setting_events events; /* which events the model needs */
  bool of_runs;                  /* applies to simulated runs only: not legal in study stability */
  bool structural;               /* selects a kernel: the range holds on axes too */
  bool of_sweep;                 /* one number for all runs: no axis */
  bool per_subsystem;            /* also legal in method.subsystems.<name>, */
  bool only_subsystem;           /* legal only there */
  bool even;                     /* 1 or an even integer */
  double least, most; /* range of an integer; of a positive number the limit that it has to stay below, 0: none */
  double worth; /* value of the first word of an integer, others follow; if not 0, axes of integers take words too */
  const char *words[10]; /* legal words, with the values 0, 1, ...; the word of a numeric setting is an automatic
                           choice, with the value `worth` of an integer and else NaN */
  const char *later;     /* words reserved for later versions, separated by blanks, or NULL */
  const char *initial;   /* the default; NULL: there is none, or it depends on the control */
  /* For settings that only some step size controls take, the default with each control: "": must be given, "inf": no
   * limit, "nan": left to the controller; NULL: the control does not use the setting. */
  bool by_control;
  const char *with[CS_CONTROLS];
  /* Of CS_SETTING_MODE, which has no words of its own: those of the subsystem. */
  const struct cs_model *model;
  size_t subsystem;
};

extern const struct cs_setting_info cs_setting_table[CS_SETTINGS];
/* A model parameter as a setting, and the step size of study stability, where 0 requests zero-stability. */
extern const struct cs_setting_info cs_setting_parameter, cs_setting_step_size_or_0;

/* Whether it is legal in method, or in method.subsystems.<name>. */
static inline bool cs_setting_is_in(const struct cs_setting_info *info, bool subsystem) {
  return subsystem ? info->per_subsystem : !info->only_subsystem;
}

/* The word of a value that is one of cs_setting_table's: "gauss_seidel". */
const char *cs_setting_word(enum cs_setting setting, unsigned value);
/* The last part of the path: "size". */
const char *cs_setting_name(const struct cs_setting_info *info);
/* Value of the default; NaN if there is none. */
double cs_setting_initial(const struct cs_setting_info *info);
/* The same for a setting whose default depends on the control. */
double cs_setting_initial_with(const struct cs_setting_info *info, enum cs_control control);
/* Whether `value` is legal. On an axis only structural settings have a range; others out of range fail run by run. */
bool cs_setting_accepts(const struct cs_setting_info *info, double value, bool on_axis);
/* Appends what is legal: "one of: exact, euler", "an integer from 0 to 3". */
void cs_setting_want(const struct cs_setting_info *info, bool on_axis, struct cs_text *text);
/* Appends the modes that a setting of kind CS_SETTING_MODE accepts: "stick, forward". */
void cs_setting_add_modes(const struct cs_setting_info *info, struct cs_text *text);
/* Whether its values are identified by names rather than numbers. */
bool cs_setting_is_named(const struct cs_setting_info *info);
/* The value that `node` gives: a number, or the index of a word, an output, a sequence, a list of bonds or of ratios;
 * those of user-defined masters and controllers follow the words. On an axis numeric settings accept no words. */
int cs_setting_read(const struct cs_json *json, const struct cs_node *node, const struct cs_setting_info *info,
                    bool on_axis, struct cs_setting_lists *lists, double *value, struct cs_error *error);

/* Whether `list`, words separated by blanks, contains `word`. */
bool cs_setting_word_listed(const char *list, const char *word);

#endif
