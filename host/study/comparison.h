/* The runs of a result file as what rank.h compares: roles of the axes, cost and error of every run. */
#ifndef COSWEEP_COMPARISON_H
#define COSWEEP_COMPARISON_H

#include "rank.h"
#include "runs.h"

/* What is compared, as the user names it. */
struct cs_comparison_wish {
  const char *path;   /* of the file, for messages */
  const char *metric; /* a defect, an error or a monitor: absolute values count */
  const char *cost;   /* a count; NULL: the first there is of evaluations, stages, steps */
  const char *signal; /* NULL: the largest over all signals */
  const char **at;    /* [ats] "axis=value" */
  size_t ats;
};

struct cs_comparison {
  const struct cs_table *table; /* borrowed, as are the arrays */
  struct cs_runs over;          /* what the runs lie over */
  const struct cs_array *metric, *cost, *status;
  const struct cs_dimension *signals;   /* of the metric */
  size_t signal;                        /* position of the chosen one; SIZE_MAX: the largest counts */
  enum cs_role role[CS_MAX_DIMENSIONS]; /* of the axes, [status->dimensions] */
  size_t fixed[CS_MAX_DIMENSIONS];      /* position along an axis that is fixed */
  size_t selected, failed, not_finite;  /* runs at the fixed positions; of them without success, without numbers */
  struct cs_rank_runs runs;
  double *memory_numbers; /* what `runs` points to */
  size_t *memory_indices;
};

/* CS_USAGE on a wish that the file cannot fulfil, with what it has; CS_IO where the file does not say what its axes
 * are. cs_comparison_free is needed also on failure. */
int cs_comparison_open(const struct cs_table *table, const struct cs_comparison_wish *wish,
                       struct cs_comparison *comparison, struct cs_error *error);
void cs_comparison_free(struct cs_comparison *comparison);

/* Axes of a role. */
size_t cs_comparison_axes(const struct cs_comparison *comparison, enum cs_role role);
/* A run of case (or combination) number `index`; CS_ROLE_FIXED, 0: a run at the fixed positions. */
size_t cs_comparison_member(const struct cs_comparison *comparison, enum cs_role role, size_t index);

#endif
