/* Parts of a recommendation (recommend.h). */
#ifndef COSWEEP_RECOMMEND_PRIVATE_H
#define COSWEEP_RECOMMEND_PRIVATE_H

#include "recommend.h"
#include "writer.h"

/* The values of the first axis of a sweep, a zip of everything that candidates differ in: those of number which[i], or
 * of number i if `which` is NULL; with the step sizes H [count], unless that is NULL. */
void cs_recommend_write_settings(const struct cs_recommendation *recommendation, const size_t *which, const double *H,
                                 size_t count, struct cs_writer *writer);

/* To which steps of candidates that are repeated to a tolerance converge: a thousandth of the error. */
double cs_recommend_tolerance(const struct cs_recommendation *recommendation);
/* Whether one of the candidates which [count], or of the first `count`, is. */
bool cs_recommend_repeats(const struct cs_recommendation *recommendation, const size_t *which, size_t count);

/* Runs the candidates, chooses the outputs that count, and fills every candidate's H and what belongs to it. */
int cs_recommend_try(struct cs_recommendation *recommendation, struct cs_error *error);

/* The same for a nonlinear model, whose candidates' H are their limits, and costs those of a second there. */
int cs_recommend_by_limits(struct cs_recommendation *recommendation, struct cs_error *error);
/* The first limit of a candidate. */
int cs_recommend_find_limit(const struct cs_recommendation *recommendation, struct cs_candidate *candidate,
                            struct cs_error *error);

#endif
