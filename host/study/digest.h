/* What a reader wants to know of a result: its axes, the range of every metric and where its ends are, orders beside
 * what theory expects, the best and the worst runs, the failed ones and why, and what it cost. Of a trace: its steps.
 * Pure, on tables; `cosweep info` and `cosweep report` show it. */
#ifndef COSWEEP_DIGEST_H
#define COSWEEP_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "runs.h"
#include "text.h"

enum { CS_DIGEST_BEST = 3 };
#define CS_DIGEST_NONE SIZE_MAX
/* Orders further than this from theory deviate. */
#define CS_DIGEST_TOLERANCE 0.15

/* How the values of an axis follow each other; CS_SPACING_LIST: otherwise, or names. */
enum cs_spacing { CS_SPACING_ONE, CS_SPACING_LINEAR, CS_SPACING_LOGARITHMIC, CS_SPACING_LIST };

struct cs_digest_axis {
  const struct cs_dimension *dimension;
  const char *paths; /* as of cs_runs_dimension */
  enum cs_spacing spacing;
  double least, largest; /* NaN of names */
};

/* A value, and the run and the signal that have it (CS_DIGEST_NONE of a metric without signals). */
struct cs_digest_point {
  double value;
  size_t run, signal;
};

struct cs_digest_metric {
  const struct cs_array *array;
  const struct cs_dimension *signals;    /* NULL: none */
  size_t numbers;                        /* how many of the values of successful runs are numbers */
  struct cs_digest_point least, largest; /* of these; the first ones; no meaning without numbers */
};

enum cs_verdict { CS_VERDICT_NONE, CS_VERDICT_AGREES, CS_VERDICT_DEVIATES, CS_VERDICT_UNKNOWN };

/* A fitted order beside theory. CS_VERDICT_NONE: theory says nothing; CS_VERDICT_UNKNOWN: it does, but no fit. */
struct cs_digest_order {
  double order, r2, first, last; /* NaN where there is no fit; first and last: ends of the fitted range */
  double expected;               /* NaN: nothing; infinite: the metric is zero */
  long points;
  enum cs_verdict verdict;
};

struct cs_digest_fit {
  const struct cs_array *metric, *orders;
  const struct cs_dimension *signals; /* NULL: none */
  size_t axis;                        /* number of the fitted one */
  size_t rows, columns;               /* combinations of the other axes, last fastest; signals, or 1 */
  size_t *run;                        /* [rows], the run at the first value of the fitted axis */
  struct cs_digest_order *order;      /* [rows][columns] */
  size_t verdicts[4];                 /* how many have each verdict */
};

/* The runs of one status other than ok. */
struct cs_digest_failure {
  int status;
  size_t count;
  size_t *run;          /* [count], ascending */
  size_t *first, *last; /* [axes], the least and the largest position along each */
};

struct cs_digest {
  const struct cs_table *table; /* borrowed */
  const struct cs_array *status;
  struct cs_runs over; /* what the runs lie over */
  size_t runs, good;
  size_t axes, columns, metrics, fits, failures;
  struct cs_digest_axis *axis;
  struct cs_runs_column column[CS_RUNS_COLUMNS];
  struct cs_digest_metric *metric;
  struct cs_digest_fit *fit;
  struct cs_digest_failure *failure; /* by status */
  /* Successful runs by the largest absolute value of `judge` over its signals: `best` and `worst` of them, worst
   * first; NULL and 0 where nothing can be compared. */
  const struct cs_array *judge, *cost; /* cost: evaluations, stages or steps, the first there is; NULL: none */
  size_t ranked;                       /* length of both lists */
  struct cs_digest_point best[CS_DIGEST_BEST], worst[CS_DIGEST_BEST];
  struct cs_theory *theory;
};

/* CS_IO where the table is no result of cosweep; cs_digest_free is needed also on failure. */
int cs_digest_open(const struct cs_table *table, struct cs_digest *digest, struct cs_error *error);
void cs_digest_free(struct cs_digest *digest);

/* "solver exact, order 1": where a run is, but for axis number `without` (CS_DIGEST_NONE: all) and those of one value;
 * "the only run" where there is nothing to say. */
void cs_digest_add_place(const struct cs_digest *digest, size_t run, size_t without, struct cs_text *text);
/* The unit of a metric, or those of its signals, each said once: "N m, rad/s"; nothing where it has none. */
void cs_digest_add_units(const struct cs_digest *digest, const struct cs_digest_metric *metric, struct cs_text *text);
/* Accepted macro steps of a run, where the file has them; -1 elsewhere. */
int64_t cs_digest_steps(const struct cs_digest *digest, size_t run);
/* How many runs are stable; CS_DIGEST_NONE where the file does not say. */
size_t cs_digest_stable(const struct cs_digest *digest);
/* "logarithmic"; "" of names and of a single value. */
const char *cs_digest_spacing(enum cs_spacing spacing);
/* Name of a status as in the file, and what it means; "" for numbers that no version has given. */
const char *cs_digest_status(int status);
const char *cs_digest_reason(int status);
/* "agrees", "deviates", "not fitted", "". */
const char *cs_digest_verdict(enum cs_verdict verdict);
/* A note of provenance; "" and NaN where it is absent. */
const char *cs_digest_text(const struct cs_table *table, const char *name);
double cs_digest_number(const struct cs_table *table, const char *name);

/* ---- traces */

struct cs_digest_course {
  const struct cs_array *array;
  const struct cs_dimension *signals;
  size_t signal;
  double end;         /* value at the last accepted row */
  double largest, at; /* largest absolute value over the accepted rows, and its time (s) */
};

struct cs_digest_trace {
  const struct cs_table *table; /* borrowed */
  size_t rows, steps, rejected, events;
  int status;
  double t_first, t_last;      /* s */
  double least, mean, largest; /* accepted steps (s); NaN without one */
  double least_at, largest_at; /* when they end (s) */
  size_t courses;
  struct cs_digest_course *course; /* every signal of x, y, u, of errors and of defects, in the file's order */
};

bool cs_digest_is_trace(const struct cs_table *table);
int cs_digest_open_trace(const struct cs_table *table, struct cs_digest_trace *trace, struct cs_error *error);
void cs_digest_free_trace(struct cs_digest_trace *trace);

#endif
