/* Every result column, declared once: name, dimension, unit, sentence (docs/formats.md section 3). */
#ifndef COSWEEP_METRIC_H
#define COSWEEP_METRIC_H

#include <stdbool.h>

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

struct cs_metric_info {
  const char *name;
  const char *asked;     /* what a sweep asks for where it is not the name; neighbours of one word come together */
  enum cs_study study;   /* which gives it */
  enum cs_over over;     /* the dimension beyond the axes */
  bool count;            /* int64 instead of float64 */
  const char *flags;     /* words of a byte 0, 1, ... instead of float64; NULL: it is none */
  bool fitted;           /* a defect or an error: fitted by default */
  bool on_request;       /* not among the default metrics */
  bool every_step;       /* a maximum or a sum over steps: needs each of them, so that doubling cannot give it */
  const char *unit;      /* "" where it is the signals' own */
  const char *long_name; /* one sentence */
};

/* One row per metric, in the order of the enum. */
extern const struct cs_metric_info cs_metric_table[CS_METRICS];

/* Metrics that say what a run costs, what tells most first. */
enum { CS_COSTS = 3 };
extern const char *const cs_metric_costs[CS_COSTS];

long cs_metric_find(const char *name); /* its row, or -1 */
/* What a sweep asks for; whether it is another word than that of the row before. */
const char *cs_metric_word(int metric);
bool cs_metric_begins(int metric);
const char *cs_study_name(enum cs_study study); /* "simulation", "stability" */

/* Why a name known to the formats is no metric to ask for ("not available in this version"); NULL for other names. */
const char *cs_metric_absent(const char *name);

const char *cs_over_name(enum cs_over over); /* "output", "input", "state", "monitor", "mode", "bond" */

#endif
