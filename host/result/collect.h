/* Collects the results of runs from the workers: numbers go into the table, counts and failures into the outcome. */
#ifndef COSWEEP_COLLECT_H
#define COSWEEP_COLLECT_H

#include <pthread.h>

#include "outcome.h"
#include "result.h"

/* A run that failed while it was computed. */
struct cs_collect_failure {
  size_t run;
  double number; /* of the step at which it failed, or what shows that it did */
  enum cs_status status;
};

/* What all parts of a sweep have in common. */
struct cs_collect_all {
  struct cs_plan_reasons reasons;      /* why runs are not computed */
  struct cs_text failure[CS_STATUSES]; /* the first run of each status that failed while computed */
  double worst_growth;
  size_t growth_runs;
  size_t missing_runs, first_missing; /* without a local error that they ask for */
};

struct cs_collect {
  const struct cs_plan *plan;
  struct cs_result result;
  size_t *again;        /* [runs] runs to be repeated by the variants for stiff networks, `repeated` so far */
  double *radius;       /* [runs] spectral radii, NaN where there is none; NULL if not asked for */
  pthread_mutex_t lock; /* protects what follows */
  struct cs_outcome *outcome;
  struct cs_collect_all *all;
  struct cs_collect_failure failed[CS_STATUSES]; /* the first run of each status that failed while computed */
  size_t failed_runs[CS_STATUSES];
  double worst_growth, steps; /* steps: tried by runs with step size control */
  size_t growth_runs, repeated, missing_runs, first_missing;
};

/* `table`: of the plan's runs. `radii`: keep spectral radii. To `outcome` and `all` is added what the plan already
 * knows. Call cs_collect_close also on failure. */
int cs_collect_open(const struct cs_plan *plan, bool radii, struct cs_table *table, struct cs_outcome *outcome,
                    struct cs_collect_all *all, struct cs_collect *collect, struct cs_error *error);
void cs_collect_close(struct cs_collect *collect);

/* A cs_worker_enter whose context is the struct cs_collect. */
void cs_collect_enter(void *collect, size_t run, enum cs_way way, const double *state, size_t pitch);

/* Gives a run that was ok another status, for a reason that `number` shows. */
void cs_collect_degrade(struct cs_collect *collect, size_t run, enum cs_status status, double number);

/* To be called after the plan's last run: adds steps and failures to the outcome. */
void cs_collect_finish(struct cs_collect *collect);

/* Adds failures and warnings of all parts to the outcome. */
void cs_collect_tell(const struct cs_collect_all *all, struct cs_outcome *outcome);
void cs_collect_free_all(struct cs_collect_all *all);

#endif
