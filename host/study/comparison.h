/* The runs of a result file as what rank.h compares: roles of the axes, cost and error of every run. */
#ifndef COSWEEP_COMPARISON_H
#define COSWEEP_COMPARISON_H

#include "rank.h"
#include "table.h"

/* What an axis is to a comparison. */
enum cs_role {
  CS_ROLE_FIXED,       /* has one value, or one was chosen */
  CS_ROLE_CASE,        /* poses the problem: parameters, t_end, error_at */
  CS_ROLE_COMBINATION, /* a way to solve it: names, orders and other settings of the method */
  CS_ROLE_KNOB,        /* numbers of method.step: a combination takes the best along it */
};

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

const struct cs_dimension *cs_comparison_axis(const struct cs_comparison *comparison, size_t axis);
/* Axes of a role. */
size_t cs_comparison_axes(const struct cs_comparison *comparison, enum cs_role role);
/* Position along axis number `axis` of run number `run`. */
size_t cs_comparison_position(const struct cs_comparison *comparison, size_t run, size_t axis);
/* A run of case (or combination) number `index`; CS_ROLE_FIXED, 0: a run at the fixed positions. */
size_t cs_comparison_member(const struct cs_comparison *comparison, enum cs_role role, size_t index);

#endif
