/* Ranking of runs by cost and error: Pareto fronts, and combinations of settings compared at equal
 * error or at equal cost. Pure functions on arrays.
 *
 * Every run belongs to one case (a problem to solve; only runs of one case are compared) and to one combination (a way
 * to solve it). A combination may have many runs in a case, of different cost and error. */
#ifndef COSWEEP_RANK_H
#define COSWEEP_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct cs_rank_runs {
  size_t runs, cases, combinations;
  const double *cost, *error;             /* [runs]; a run with a NaN in either is ignored */
  const size_t *case_of, *combination_of; /* [runs], below `cases` and `combinations` */
};

/* A point of a front. */
struct cs_rank_point {
  double cost, error;
  size_t run;  /* the first run with this cost and error */
  size_t ties; /* how many other runs have the same cost and error */
  size_t of_case;
};

/* The Pareto front of every case, by ascending cost: the runs for which no other run of the case has less cost or less
 * error without having more of the other. Case i has points (*start)[i] to (*start)[i + 1] - 1 of *front; the caller
 * frees both. */
int cs_rank_fronts(const struct cs_rank_runs *runs, struct cs_rank_point **front, size_t **start,
                   struct cs_error *error);

/* CS_RANK_AT_ERROR: the cheapest run with error <= limit. CS_RANK_AT_COST: the most accurate one with cost <= limit. */
enum cs_rank_by { CS_RANK_AT_ERROR, CS_RANK_AT_COST };

#define CS_RANK_NONE SIZE_MAX

/* The run chosen for a combination in a case. */
struct cs_rank_choice {
  size_t run; /* CS_RANK_NONE: no run is within the limit */
  bool last;  /* the combination has no cheaper (or more accurate) run in this case: the limit is inactive */
};

/* `choice` is [cases][combinations]. Of equal runs the one with less of the limited quantity, then the first. */
void cs_rank_choose(const struct cs_rank_runs *runs, enum cs_rank_by by, double limit, struct cs_rank_choice *choice);

/* Result of a combination over all cases. Ratio: its cost (or error) divided by the best of the case. */
struct cs_rank_standing {
  size_t combination;
  size_t reached;       /* cases in which a run is within the limit */
  size_t wins;          /* cases in which it is the best, ties included */
  size_t last;          /* cases whose choice is `last` */
  double median, worst; /* of the ratios in the cases reached; NaN if none */
};

/* `standing`, [combinations], best first: by more cases reached, smaller median ratio, more wins, smaller worst ratio;
 * with a single case then by less of the limited quantity. */
int cs_rank_standings(const struct cs_rank_runs *runs, enum cs_rank_by by, const struct cs_rank_choice *choice,
                      struct cs_rank_standing *standing, struct cs_error *error);

/* The combinations, best first: by more points of the fronts of all cases that are theirs (the first's, of equal runs);
 * then by the lower median, over these points, of the cost at which they reach the point's error, divided by the
 * point's cost, infinite where they do not; then by more points whose error they reach. The page of `cosweep explore`
 * has the same rule (host/explore/page/cost.js). */
int cs_rank_order(const struct cs_rank_runs *runs, size_t *order, struct cs_error *error);

/* The lower median of the positive values of all runs that are not ignored; 0 if there are none. */
int cs_rank_median(const struct cs_rank_runs *runs, const double *values, double *median, struct cs_error *error);
/* The smallest number of two significant digits that is at least `value`; 0 for 0. */
double cs_rank_round_up(double value);

#endif
