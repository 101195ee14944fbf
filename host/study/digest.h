/* Summary of a result: its axes, the range of every metric and where the extremes occur, fitted orders and those
 * expected from theory, best and worst runs, failed runs and why, cost. Summary of a trace: its steps and time
 * histories. Works on tables only; `cosweep info` and `cosweep report` print it. */
#ifndef COSWEEP_DIGEST_H
#define COSWEEP_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "runs.h"
#include "text.h"

enum { CS_DIGEST_BEST = 3 };
#define CS_DIGEST_NONE SIZE_MAX
/* Largest difference between fitted and expected order that counts as agreement. */
#define CS_DIGEST_TOLERANCE 0.15

/* Spacing of the values of an axis; CS_SPACING_LIST: irregular, or names. */
enum cs_spacing { CS_SPACING_ONE, CS_SPACING_LINEAR, CS_SPACING_LOGARITHMIC, CS_SPACING_LIST };

struct cs_digest_axis {
  const struct cs_dimension *dimension;
  const char *paths; /* as in struct cs_runs_dimension */
  enum cs_spacing spacing;
  const struct cs_node *design; /* as cs_runs_design */
  double least, largest;        /* NaN for names */
};

/* A value with its run and signal (CS_DIGEST_NONE if the metric has no signals). */
struct cs_digest_point {
  double value;
  size_t run, signal;
};

struct cs_digest_metric {
  const struct cs_array *array;
  const struct cs_dimension *signals;    /* NULL: none */
  size_t numbers;                        /* values of successful runs that are not NaN */
  struct cs_digest_point least, largest; /* of these, the first one if several are equal; unset if there are none */
};

enum cs_verdict { CS_VERDICT_NONE, CS_VERDICT_AGREES, CS_VERDICT_DEVIATES, CS_VERDICT_UNKNOWN };

/* A fitted order and the one expected. CS_VERDICT_NONE: no expectation; CS_VERDICT_UNKNOWN: expected but not fitted. */
struct cs_digest_order {
  double order, r2, first, last; /* NaN without a fit; first and last: ends of the fitted range */
  double expected;               /* NaN: no expectation; infinite: the metric is zero */
  long points;
  enum cs_verdict verdict;
};

struct cs_digest_fit {
  const struct cs_array *metric, *orders;
  const struct cs_dimension *signals; /* NULL: none */
  size_t axis;                        /* along which the order was fitted */
  size_t rows, columns;               /* combinations of the other axes, last fastest; signals, or 1 */
  size_t *run;                        /* [rows] run at the first value of the fitted axis */
  struct cs_digest_order *order;      /* [rows][columns] */
  size_t verdicts[4];                 /* number of orders by enum cs_verdict */
};

/* The runs that failed with the same status. */
struct cs_digest_failure {
  int status;
  size_t count;
  size_t *run;          /* [count], ascending */
  size_t *first, *last; /* [axes] smallest and largest position along each */
};

/* What a run met of a state event. Counts are -1, and the time error NaN, where the file does not have them. */
struct cs_digest_event {
  int64_t events, exact, late, missed, spurious; /* in the co-simulation, in the exact solution; the metrics */
  int64_t matched;                               /* pairs */
  double error;                                  /* s; NaN without pairs */
};

/* An error that stops falling with the tolerance because the first step, which its control does not reject, is the
 * largest by far. */
struct cs_digest_floor {
  size_t axis, run;        /* the tolerance; the run with the smallest one, CS_DIGEST_NONE if no error has a floor */
  double value, tolerance; /* the error there; from which tolerance down it is the same */
  double initial;          /* s */
};

struct cs_digest {
  const struct cs_table *table; /* borrowed */
  const struct cs_array *status;
  struct cs_runs over; /* axes of the runs */
  size_t runs, good;
  size_t axes, columns, metrics, fits, failures;
  struct cs_digest_axis *axis;
  struct cs_runs_column column[CS_RUNS_COLUMNS];
  struct cs_digest_metric *metric;
  struct cs_digest_fit *fit;
  struct cs_digest_failure *failure; /* by status */
  /* Successful runs ordered by the maximum of |judge| over its signals: the `best` ones, best first, and the `worst`
   * ones, worst first. NULL and 0 if no metric is suitable. */
  const struct cs_array *judge, *cost; /* cost: evaluations, stages or steps, the first present; NULL: none */
  size_t ranked;                       /* length of both lists */
  size_t tied;                         /* runs with the best value, but for rounding */
  struct cs_digest_point best[CS_DIGEST_BEST], worst[CS_DIGEST_BEST];
  struct cs_digest_floor floor; /* of `judge`; the first one if several combinations have one */
  struct cs_theory *theory;
  /* State events of the model; NULL: the file has no metric of them. Of the successful runs `right` has the fewest
   * events without partner, among equals the smallest largest time error, `wrong` the most, and the largest; the first
   * of several. CS_DIGEST_NONE: nothing to judge by. */
  const struct cs_dimension *events;
  bool largest; /* whether errors are event_time_error_max, otherwise event_time_error */
  size_t right, wrong;
};

/* CS_IO if the table is not a result of cosweep. cs_digest_free is needed even on failure. */
int cs_digest_open(const struct cs_table *table, struct cs_digest *digest, struct cs_error *error);
void cs_digest_free(struct cs_digest *digest);

/* Appends the settings of a run, "solver exact, order 1", except axis number `without` (CS_DIGEST_NONE: none) and axes
 * with a single value; "the only run" if nothing is left. */
void cs_digest_add_place(const struct cs_digest *digest, size_t run, size_t without, struct cs_text *text);
/* Appends the unit of a metric, or the distinct units of its signals: "N m, rad/s"; nothing for dimensionless ones. */
void cs_digest_add_units(const struct cs_digest *digest, const struct cs_digest_metric *metric, struct cs_text *text);
/* Accepted macro steps of a run; -1 if the file does not have them. */
int64_t cs_digest_steps(const struct cs_digest *digest, size_t run);
/* Number of stable runs; CS_DIGEST_NONE if the file does not have the metric. */
size_t cs_digest_stable(const struct cs_digest *digest);
/* State event number `event` in a run. */
struct cs_digest_event cs_digest_event(const struct cs_digest *digest, size_t run, size_t event);
/* The state event that happened most often in a run, in one of the solutions; CS_DIGEST_NONE if none is counted. */
size_t cs_digest_frequent(const struct cs_digest *digest, size_t run);
/* "linear", "logarithmic"; "" otherwise. */
const char *cs_digest_spacing(enum cs_spacing spacing);
/* Appends how the points of an axis lie: "linear", "Latin hypercube, seed 3", "from points.csv"; nothing for a list. */
void cs_digest_add_spacing(const struct cs_digest_axis *axis, struct cs_text *text);
/* Name of a status as in the file, and its explanation; "" for an unknown number. */
const char *cs_digest_status(int status);
const char *cs_digest_reason(int status);
/* "agrees", "deviates", "not fitted", "". */
const char *cs_digest_verdict(enum cs_verdict verdict);
/* Appends where runs failed, "all at H 0.5 ... 1, order 2"; axes along which they did everywhere are left
 * out, nothing is appended if none is left. */
void cs_digest_add_region(const struct cs_digest *digest, const struct cs_digest_failure *failure,
                          struct cs_text *text);
/* A note of the provenance; "" or NaN if absent. */
const char *cs_digest_text(const struct cs_table *table, const char *name);
double cs_digest_number(const struct cs_table *table, const char *name);
/* "40.2 s: 40.1 s preparing kernels, 3 ms computing": what computing the table took, and what for. */
void cs_digest_add_took(const struct cs_table *table, struct cs_text *text);

/* ---- traces */

struct cs_digest_course {
  const struct cs_array *array;
  const struct cs_dimension *signals;
  size_t signal;
  double end;         /* value at the last accepted step */
  double largest, at; /* maximum absolute value over the accepted steps, and its time (s) */
};

struct cs_digest_trace {
  const struct cs_table *table;                   /* borrowed */
  size_t rows, steps, rejected, given_up, events; /* given_up: tries of steps, because of an event inside */
  int status;
  double t_first, t_last;      /* s */
  double least, mean, largest; /* sizes of the accepted steps (s); NaN if there are none */
  double least_at, largest_at; /* end times of the smallest and largest step (s) */
  size_t courses;
  struct cs_digest_course
      *course; /* signals of x, y, u, errors, defects, error estimates and monitors, in file order */
};

/* Appends the run of a trace, "control=fixed, H=0.1"; settings moved together by their own names and values. */
void cs_digest_add_trace_place(const struct cs_table *table, struct cs_text *text);
bool cs_digest_is_trace(const struct cs_table *table);
int cs_digest_open_trace(const struct cs_table *table, struct cs_digest_trace *trace, struct cs_error *error);
void cs_digest_free_trace(struct cs_digest_trace *trace);

#endif
