/* Every result column, declared once: what it is, in which unit, and what readers make of it (docs/formats.md section
 * 3). */
#ifndef COSWEEP_METRIC_H
#define COSWEEP_METRIC_H

#include <stdbool.h>
#include <stddef.h>

/* What a sweep does: run co-simulations, or analyse the map of one macro step without running any. */
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
  CS_MONITOR_RMS,
  CS_MONITOR_MAX,
  CS_MONITOR_FINAL,
  CS_MONITOR_PREDICTED,
  CS_LOCAL_ERROR,
  CS_LOCAL_ERROR_ESTIMATE,
  CS_BOND_SHARE,
  CS_STEPS,
  CS_REJECTED_STEPS,
  CS_EVALUATIONS,
  CS_CALL_STAGES,
  CS_REPEATED_STEPS,
  CS_STEP_MIN,
  CS_STEP_MEAN,
  CS_STEP_MAX,
  CS_T_FINAL,
  CS_SPECTRAL_RADIUS,
  CS_SPECTRAL_RADIUS_EXACT,
  CS_SPECTRAL_RADIUS_DECAYING,
  CS_GROWTH_RATE,
  CS_EXCESS_GROWTH_RATE,
  CS_STABLE,
  CS_EIGENVALUE_RE,
  CS_EIGENVALUE_IM,
  CS_METRICS
};

enum cs_over {
  CS_OVER_NOTHING,
  CS_OVER_OUTPUT,
  CS_OVER_INPUT,
  CS_OVER_STATE,
  CS_OVER_MONITOR,
  CS_OVER_MODE,
  CS_OVER_BOND
};

/* What a metric makes of the steps of a run. */
enum cs_reduction {
  CS_OF_THE_MAP, /* nothing: a property of the map of one step, study stability */
  CS_RMS,
  CS_LARGEST,
  CS_SMALLEST,
  CS_MEAN,
  CS_SUM,
  CS_FINAL, /* the value at the end */
  CS_COUNT  /* int64 instead of float64 */
};

/* Which rule of docs/methods.md section 6 gives its order of convergence. */
enum cs_order_rule {
  CS_ORDER_NONE, /* theory says nothing */
  CS_ORDER_ERROR,
  CS_ORDER_LOCAL_ERROR,
  CS_ORDER_INPUT,          /* of what inputs hold beside what they receive */
  CS_ORDER_OUTPUT,         /* of outputs beside their own equation */
  CS_ORDER_OUTPUT_SAMPLED, /* the same, estimated from samples alone */
  CS_ORDER_STATE           /* zero where solvers are exact */
};

/* What is taken first where nobody names a metric. */
enum cs_use {
  CS_USE_JUDGE,       /* the best and the worst runs are told by it */
  CS_USE_FIGURE,      /* drawn; of those that the file's study gives */
  CS_USE_CONVERGENCE, /* drawn in a report, over the axis of its fits */
  CS_USE_COST,        /* what a run costs */
  CS_USES
};

struct cs_metric_info {
  const char *name;
  const char *asked;   /* what a sweep asks for where it is not the name; neighbours of one word come together */
  enum cs_study study; /* which gives it */
  enum cs_over over;   /* the dimension beyond the axes */
  enum cs_reduction reduction;
  enum cs_order_rule order;
  const char *flags;          /* words of a byte 0, 1, ... instead of float64; NULL: it is none */
  bool fitted;                /* a defect or an error: fitted by default */
  bool ranked;                /* runs can be compared by its absolute value: a defect, an error, a monitor */
  bool radius;                /* at most 1 where a map is stable */
  bool on_request;            /* not among the default metrics */
  bool every_step;            /* needs each of the steps, so that doubling cannot give it */
  bool per_second;            /* in the signals' own unit per s */
  const char *unit;           /* NULL: the signals' own */
  unsigned char use[CS_USES]; /* its place, from 1, among the metrics of a use; 0: it has none */
  const char *long_name;      /* one sentence */
};

/* One row per metric, in the order of the enum. */
extern const struct cs_metric_info cs_metric_table[CS_METRICS];

long cs_metric_find(const char *name); /* its row, or -1 */
/* The row of the metric at a place, from 1, of a use; -1 beyond the last. */
long cs_metric_usual(enum cs_use use, size_t place);
/* What a sweep asks for; whether it is another word than that of the row before. */
const char *cs_metric_word(int metric);
bool cs_metric_begins(int metric);
const char *cs_study_name(enum cs_study study); /* "simulation", "stability" */

/* Why a name known to the formats is no metric to ask for ("not available in this version"); NULL for other names. */
const char *cs_metric_absent(const char *name);

const char *cs_over_name(enum cs_over over); /* "output", "input", "state", "monitor", "mode", "bond" */

#endif
