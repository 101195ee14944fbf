/* Every metric of a result file, declared once: meaning, unit and default uses (docs/formats.md section 3). */
#ifndef COSWEEP_METRIC_H
#define COSWEEP_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "table.h"
#include "text.h"

/* What a sweep does: run co-simulations, or analyse the propagation matrix of one macro step. */
enum cs_study { CS_SIMULATION, CS_STABILITY };

enum cs_metric {
  CS_OUTPUT_DEFECT,
  CS_OUTPUT_DEFECT_TRUE,
  CS_CONNECTION_DEFECT,
  CS_INTEGRATION_DEFECT,
  CS_OUTPUT_ERROR,
  CS_INPUT_ERROR,
  CS_STATE_ERROR,
  CS_OUTPUT_ERROR_MAX,
  CS_INPUT_ERROR_MAX,
  CS_STATE_ERROR_MAX,
  CS_OUTPUT_ERROR_FINAL,
  CS_INPUT_ERROR_FINAL,
  CS_STATE_ERROR_FINAL,
  CS_OUTPUT_EXACT,
  CS_OUTPUT_ERROR_RELATIVE,
  CS_ERROR_BOUND,
  CS_MONITOR_RMS,
  CS_MONITOR_MAX,
  CS_MONITOR_FINAL,
  CS_MONITOR_PREDICTED,
  CS_LOCAL_ERROR,
  CS_LOCAL_ERROR_ESTIMATE,
  CS_BOND_SHARE,
  CS_BOND_ENERGY,
  CS_STEPS,
  CS_REJECTED_STEPS,
  CS_EVALUATIONS,
  CS_CALL_STAGES,
  CS_REPEATED_STEPS,
  CS_REPETITIONS,
  CS_REPETITIONS_MAX,
  CS_UNCONVERGED_STEPS,
  CS_STEP_MIN,
  CS_STEP_MEAN,
  CS_STEP_MAX,
  CS_T_FINAL,
  CS_ROUNDING,
  CS_EVENTS,
  CS_EXACT_EVENTS,
  CS_LATE_EVENTS,
  CS_MISSED_EVENTS,
  CS_SPURIOUS_EVENTS,
  CS_EVENT_TIME_ERROR,
  CS_EVENT_TIME_ERROR_MAX,
  CS_EVENT_TIME_ERROR_FIRST,
  CS_FIRST_DIVERGENCE,
  CS_OUTPUT_ERROR_BETWEEN,
  CS_INPUT_ERROR_BETWEEN,
  CS_STATE_ERROR_BETWEEN,
  CS_TIME_BETWEEN,
  CS_ROLLBACKS,
  CS_SEQUENCE_CHANGES,
  CS_PARALLEL_STEPS,
  CS_EVENT_TIMES,
  CS_EVENT_KINDS,
  CS_EXACT_EVENT_TIMES,
  CS_EXACT_EVENT_KINDS,
  CS_SPECTRAL_RADIUS,
  CS_SPECTRAL_RADIUS_EXACT,
  CS_SPECTRAL_RADIUS_DECAYING,
  CS_GROWTH_RATE,
  CS_EXCESS_GROWTH_RATE,
  CS_STABLE,
  CS_CONTRACTION,
  CS_EIGENVALUE_RE,
  CS_EIGENVALUE_IM,
  CS_OPERATING_POINT,
  CS_EQUILIBRIUM_RESIDUAL,
  CS_METRICS
};

enum cs_over {
  CS_OVER_NOTHING,
  CS_OVER_OUTPUT,
  CS_OVER_INPUT,
  CS_OVER_STATE,
  CS_OVER_MONITOR,
  CS_OVER_MODE,
  CS_OVER_BOND,
  CS_OVER_EVENT,      /* the model's state events */
  CS_OVER_OCCURRENCE, /* the first events of a run, by number */
  CS_OVERS
};

/* How a metric reduces the steps of a run. */
enum cs_reduction {
  CS_OF_THE_MAP, /* none: a property of the propagation matrix, study stability */
  CS_RMS,
  CS_LARGEST,
  CS_SMALLEST,
  CS_MEAN,
  CS_SUM,
  CS_FINAL,    /* the value at the end */
  CS_EARLIEST, /* the first value */
  CS_EACH,     /* none: a list of the first ones */
  CS_COUNT     /* int64 instead of float64 */
};

/* Which rule of docs/methods.md section 6 gives its order of convergence. */
enum cs_order_rule {
  CS_ORDER_NONE, /* no theoretical order */
  CS_ORDER_ERROR,
  CS_ORDER_LOCAL_ERROR,
  CS_ORDER_INPUT,          /* of held inputs against the connected outputs */
  CS_ORDER_OUTPUT,         /* of outputs against their own equation */
  CS_ORDER_OUTPUT_SAMPLED, /* the same, estimated from samples alone */
  CS_ORDER_STATE,          /* zero with exact solvers */
  CS_ORDER_EVENT           /* of event times, and of errors between events */
};

/* Uses for which a default metric is chosen. */
enum cs_use {
  CS_USE_JUDGE,       /* selects the best and the worst runs */
  CS_USE_FIGURE,      /* drawn, among the metrics of the file's study */
  CS_USE_CONVERGENCE, /* drawn in a report over the axis of its fits */
  CS_USE_COST,        /* the cost of a run */
  CS_USES
};

struct cs_metric_info {
  const char *name;
  const char *asked;   /* word in sweep files, if not the name; adjacent rows with one word are requested together */
  enum cs_study study; /* that computes it */
  enum cs_over over;   /* the dimension beyond the axes */
  enum cs_reduction reduction;
  enum cs_order_rule order;
  const char *flags;          /* words for 0, 1, ... of a uint8 metric; NULL: not a flag */
  bool fitted;                /* a defect or an error: fitted by default */
  bool ranked;                /* runs can be compared by its absolute value: a defect, an error, a monitor */
  bool radius;                /* a spectral radius: at most 1 where stable */
  bool of_events;             /* only of models with state events */
  bool numbered;              /* a number of something else: int64, without being a count */
  bool on_request;            /* not among the default metrics */
  bool every_step;            /* needs every single step, so that doubling cannot compute it */
  bool per_second;            /* unit: the signals' own, per second */
  const char *unit;           /* NULL: the signals' own */
  unsigned char use[CS_USES]; /* rank, from 1, among the metrics of a use; 0: not used */
  const char *long_name;      /* one sentence */
};

/* One row per metric, in the order of the enum. */
extern const struct cs_metric_info cs_metric_table[CS_METRICS];

enum cs_type cs_metric_type(int metric); /* of its numbers in a result file */
long cs_metric_find(const char *name);   /* index of the row, or -1 */
/* Appends what figures call an array: "RMS output error", "largest state error", "spectral radius" for metrics, any
 * other name as it is. */
void cs_metric_add_label(const char *name, struct cs_text *text);
/* The metric of a rank, from 1, for a use; -1 beyond the last. */
long cs_metric_usual(enum cs_use use, size_t place);
/* The word for a metric in sweep files, and whether the row is the first with it. */
const char *cs_metric_word(int metric);
bool cs_metric_begins(int metric);
const char *cs_metric_study_name(enum cs_study study); /* "simulation", "stability" */

/* Why a name reserved by the formats cannot be requested ("not available in this version"); NULL for other names. */
const char *cs_metric_absent(const char *name);

/* Arrays of a search for boundaries along an axis, named after it, over the axes that are left. */
enum cs_limit { CS_LIMIT_FIRST, CS_LIMIT_LAST, CS_LIMIT_CROSSINGS, CS_LIMIT_COUNT, CS_LIMITS };
struct cs_limit_info {
  const char *suffix;    /* of the axis's name */
  bool list;             /* over `crossing` in addition */
  bool count;            /* int64, else float64 in the axis's unit */
  const char *long_name; /* with %s for the axis */
  const char *label;     /* the same for figures, with %.*s */
};
extern const struct cs_limit_info cs_metric_limit[CS_LIMITS];
long cs_metric_find_limit(const char *name); /* of an array; -1: it is none */

const char *cs_metric_over_name(enum cs_over over); /* "output", "input", "event", ... */

#endif
