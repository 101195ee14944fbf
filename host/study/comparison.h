/* The runs of a result prepared for rank.h: roles of the axes, cost and error of every run. */
#ifndef COSWEEP_COMPARISON_H
#define COSWEEP_COMPARISON_H

#include "rank.h"
#include "runs.h"

/* What to compare, as the user names it. */
struct cs_comparison_wish {
  const char *path;   /* of the result file, for messages */
  const char *metric; /* a defect, an error or a monitor: absolute values count */
  const char *cost;   /* a count; NULL: evaluations, stages or steps, the first present */
  const char *signal; /* NULL: the maximum over all signals */
  const char **at;    /* [ats] "axis=value" */
  size_t ats;
  const char *const *by; /* [bys] axes whose settings are compared, best over all others; none: as their roles say */
  size_t bys;
};

struct cs_comparison {
  const struct cs_table *table; /* borrowed, like the arrays */
  struct cs_runs over;          /* its axes */
  const struct cs_array *metric, *cost, *status;
  const struct cs_dimension *signals;   /* of the metric */
  size_t signal;                        /* position of the chosen one; SIZE_MAX: the maximum over all */
  enum cs_role role[CS_MAX_DIMENSIONS]; /* of the axes, [status->dimensions] */
  bool problems;                   /* what is ranked are different problems, the points of a sample or a zip axis */
  size_t fixed[CS_MAX_DIMENSIONS]; /* position along each fixed axis */
  size_t selected, failed,
      not_finite; /* runs at the fixed positions; those that failed; successful ones without a finite error */
  struct cs_rank_runs runs;
  /* The same for Pareto fronts, without runs that are no compromise between cost and error: unstable ones, where the
   * file has spectral_radius, and those with an error above the signal, where it has output_exact or the error is
   * relative. */
  struct cs_rank_runs fronts;
  size_t unstable, above; /* how many these are */
  bool judged;            /* false: the file has nothing that tells, and fronts have all runs */
  double *memory_numbers; /* owned; `runs` points into both */
  size_t *memory_indices;
};

/* CS_USAGE if the file has no such metric, cost, signal or axis value; the message lists those it has. CS_IO if the
 * sweep does not define the file's axes. cs_comparison_free is needed even on failure. */
int cs_comparison_open(const struct cs_table *table, const struct cs_comparison_wish *wish,
                       struct cs_comparison *comparison, struct cs_error *error);
void cs_comparison_free(struct cs_comparison *comparison);

/* Number of axes of a role. */
size_t cs_comparison_axes(const struct cs_comparison *comparison, enum cs_role role);
/* The first run of case (or combination) number `index`; CS_ROLE_FIXED, 0: the first run at the fixed positions. */
size_t cs_comparison_member(const struct cs_comparison *comparison, enum cs_role role, size_t index);

#endif
