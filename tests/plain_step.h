/* One macro step of the plain reference: exchange, advance, sample (docs/methods.md sections 2 to 4). */
#ifndef COSWEEP_TESTS_PLAIN_STEP_H
#define COSWEEP_TESTS_PLAIN_STEP_H

#include "plain.h"

enum { PLAIN_ORDERS = CS_MAX_ORDER + 1, PLAIN_MICRO = 8 };

struct plain_simulation {
  struct plain_network n;
  const struct cs_method *method;
  const size_t *sequence; /* gauss_seidel: order of the subsystems; NULL: jacobi */
  plain_flow_fn *flow;
  void *context;
  real H;
  size_t k; /* the step in hand, from 1 */
  real x[PLAIN_MAX], r[PLAIN_MAX];
  real history[PLAIN_ORDERS]
              [PLAIN_MAX];           /* taylor: output derivatives at T_{k-1}; else outputs at T_{k-1}, T_{k-2}, ... */
  real now[PLAIN_ORDERS][PLAIN_MAX]; /* outputs at T_k, or their derivatives, as far as they are known */
  real refreshed[PLAIN_ORDERS][PLAIN_MAX]; /* input derivatives at T_{k-1} with feed-through `refresh` */
  real held[PLAIN_ORDERS][PLAIN_MAX];      /* coefficients of u~ in s */
  real forcing[PLAIN_ORDERS][PLAIN_MAX];   /* B u~ + e likewise */
  real grid[PLAIN_MICRO + 1][PLAIN_MAX], slope[PLAIN_MICRO + 1][PLAIN_MAX]; /* at the solvers' step ends */
  real recorded[PLAIN_ORDERS][PLAIN_MAX];                                   /* coefficients of y~ in s - 1 */
};

extern const real plain_factorial[PLAIN_ORDERS + 1];

/* ---- plain_step.c */

/* Fills the history for the first step from the exact solution at T_0. */
void plain_start(struct plain_simulation *sim);
/* From the history to held, forcing, grid, slope and now: of the last pass. */
void plain_advance(struct plain_simulation *sim);
/* Makes the end of the advanced step the start of the next: x, recorded, history. */
void plain_sample(struct plain_simulation *sim);
/* x~(s) of the advanced step, the solvers' continuous solution, and its derivative. */
void plain_states(struct plain_simulation *sim, real s, real *x, real *derivative);
/* The exact flow of a subsystem, by Taylor series: a plain_flow_fn. */
plain_flow_fn plain_exact_flow;

/* ---- plain_exchange.c */

/* Held polynomials of a subsystem's inputs and its forcing: from outputs with is_new[output] interpolated with their
 * values at T_k, from the others extrapolated. */
void plain_hold(struct plain_simulation *sim, size_t subsystem, const int *is_new);
/* Sum over the connections of an input of its sources' derivative j, known up to each source's own order. */
real plain_connect(const struct plain_simulation *sim, size_t input, size_t j, const real *y);
/* Takes the samples at T_k into the history; from that `recorded`. */
void plain_record(struct plain_simulation *sim);
/* Degree of an output's reconstruction in this step. */
size_t plain_output_degree(const struct plain_simulation *sim, size_t output);
/* Sum of coefficients[j][signal] s^j. */
real plain_polynomial(real coefficients[PLAIN_ORDERS][PLAIN_MAX], size_t signal, real s);
/* u~(s) of the advanced step. */
void plain_held(struct plain_simulation *sim, real s, real *u);

#endif
