/* Solver dopri5 in long double, carried out by its stages: micro steps over one macro step (docs/methods.md section 4).
 */
#ifndef COSWEEP_TESTS_PLAIN_DOPRI5_H
#define COSWEEP_TESTS_PLAIN_DOPRI5_H

#include "plain_network.h"

/* x' = H (A x + v(s)) for s in [0, 1], v(s) = v[0] + v[1] s + v[2] s^2 + v[3] s^3. */
struct plain_driven {
  size_t states;
  real H;
  struct plain_matrix A;
  real v[4][PLAIN_MAX];
};

struct plain_micro_step {
  real from, to; /* in s */
  real x0[PLAIN_MAX], x1[PLAIN_MAX];
  real slope0[PLAIN_MAX], slope1[PLAIN_MAX], bump[PLAIN_MAX]; /* times its length */
};

struct plain_dopri5 {
  size_t states, steps, tries;
  real reach;                    /* largest ||A|| h of a step */
  struct plain_micro_step *step; /* [steps] */
};

/* Fails the running test beyond 20000 tries. Free with plain_dopri5_free. */
void plain_dopri5_run(const struct plain_driven *system, const real *x, double tolerance, struct plain_dopri5 *run);
/* The continuous solution and its derivative by s. */
void plain_dopri5_value(const struct plain_dopri5 *run, real s, real *x, real *derivative);
void plain_dopri5_free(struct plain_dopri5 *run);

#endif
