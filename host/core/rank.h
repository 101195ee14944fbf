/* Which runs are worth their cost: the Pareto front of cost and error, and combinations of settings ranked at equal
 * error or at equal cost. Pure, on arrays.
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
  const double *cost, *error;             /* [runs]; a run with a NaN in one of them takes no part */
  const size_t *case_of, *combination_of; /* [runs], below `cases` and `combinations` */
};

/* A point of a front. */
struct cs_rank_point {
  double cost, error;
  size_t run;  /* the first run with this cost and error */
  size_t ties; /* how many other runs have the same cost and error */
  size_t of_case;
};

/* Of every case the runs that no other run of it beats, by rising cost: none has less of one of cost and error and not
 * more of the other. Case i has points (*start)[i] to (*start)[i + 1] - 1 of *front; the caller frees both. */
int cs_rank_fronts(const struct cs_rank_runs *runs, struct cs_rank_point **front, size_t **start,
                   struct cs_error *error);

/* CS_RANK_AT_ERROR: the cheapest run with error <= limit. CS_RANK_AT_COST: the most accurate one with cost <= limit. */
enum cs_rank_by { CS_RANK_AT_ERROR, CS_RANK_AT_COST };

#define CS_RANK_NONE SIZE_MAX

/* What a combination has to offer in a case. */
struct cs_rank_choice {
  size_t run; /* CS_RANK_NONE: no run keeps the limit */
  bool last;  /* the combination has no cheaper (or no more accurate) run in this case at all: the limit did not bind */
};

/* `choice` is [cases][combinations]. Among equal ones the run with less of the limited quantity, then the first. */
void cs_rank_choose(const struct cs_rank_runs *runs, enum cs_rank_by by, double limit, struct cs_rank_choice *choice);

/* How a combination does over all cases. Ratios: its cost (or error) over the best of the case, 1 being best. */
struct cs_rank_standing {
  size_t combination;
  size_t reached;       /* cases in which it keeps the limit */
  size_t wins;          /* cases in which it is the best, alone or with others */
  size_t last;          /* cases whose choice is `last` */
  double median, worst; /* ratio over the cases reached; NaN where none is */
};

/* `standing`, [combinations], best first: by more cases reached, smaller median ratio, more wins, smaller worst ratio;
 * with one case then by the limited quantity. */
int cs_rank_standings(const struct cs_rank_runs *runs, enum cs_rank_by by, const struct cs_rank_choice *choice,
                      struct cs_rank_standing *standing, struct cs_error *error);

/* The lower median of the values of all runs that take part and are above 0; 0 where there is none. */
int cs_rank_median(const struct cs_rank_runs *runs, const double *values, double *median, struct cs_error *error);
/* The smallest number of two decimal digits that is not below `value`; 0 for 0. */
double cs_rank_round_up(double value);

#endif
