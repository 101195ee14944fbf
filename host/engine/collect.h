/* What workers hand in of a sweep's runs: numbers go into the table, how it went into the outcome. */
#ifndef COSWEEP_COLLECT_H
#define COSWEEP_COLLECT_H

#include <pthread.h>

#include "outcome.h"
#include "result.h"

enum { CS_COLLECT_FAILURES = 5 }; /* whose reasons are told */

/* A run that failed on its way. */
struct cs_collect_failure {
  size_t run;
  double step; /* its number */
  enum cs_status status;
};

struct cs_collect {
  const struct cs_plan *plan;
  struct cs_result result;
  double *radius;       /* [runs] spectral radii, NaN where there is none; NULL where nobody wants them */
  pthread_mutex_t lock; /* of what follows */
  struct cs_outcome *outcome;
  struct cs_collect_failure failed[CS_COLLECT_FAILURES]; /* ascending runs */
  size_t failed_runs;                                    /* computed ones, also beyond those */
  double worst_growth, steps;                            /* steps: of runs whose steps vary */
  size_t growth_runs;
};

/* `table`: as from cs_result_new. The outcome gets what the plan knows beforehand. To be closed in any case. */
int cs_collect_open(const struct cs_plan *plan, bool radii, struct cs_table *table, struct cs_outcome *outcome,
                    struct cs_collect *collect, struct cs_error *error);
void cs_collect_close(struct cs_collect *collect);

/* A cs_worker_enter; context: the struct cs_collect. */
void cs_collect_enter(void *collect, size_t run, enum cs_way way, const double *state, size_t pitch);

/* When all runs are in: gives copies their results and radii, and the outcome steps, failures and warnings. */
void cs_collect_finish(struct cs_collect *collect, struct cs_table *table);

#endif
