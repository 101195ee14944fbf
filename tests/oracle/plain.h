/* A second, direct evaluation of docs/methods.md for tests: co-simulation in fixed and variable step, with all
 * masters and holds, rates and latency, in plain coordinates and long double, step by step, Runge-Kutta methods by
 * their stages. Shares no code with the engine's kernels; slow, and blind to errors below 1e-18 of the signals. In
 * quadruple precision (plain_quad.h) it serves stiff networks too: there 1e-33 ||M||H of the signals is lost, and
 * (||M||H)^j times as much where hold `taylor` hands on derivatives up to j. */
#ifndef COSWEEP_TESTS_PLAIN_H
#define COSWEEP_TESTS_PLAIN_H

#include <stddef.h>

#include "plain_network.h"
#include "sweep.h"

/* Replaces the exact flow of a subsystem: gives its states at T_{k-1} + s H from those at T_{k-1} (`x`, [states] of
 * the subsystem), for x' = A x + v(s), v(s) = v[0] + v[1] s + v[2] s^2 + v[3] s^3, s = (t - T_{k-1})/H. */
typedef void plain_flow_fn(void *context, const struct plain_network *network, size_t subsystem, real H, real s,
                           real v[4][PLAIN_MAX], const real *x, real *result);

struct plain_result {
  size_t steps;   /* accepted ones; further counts and step sizes stand in `metric` */
  int status;     /* docs/formats.md section 3 */
  int degenerate; /* rounding decides: events in a cascade, steps that vanish or reach beyond stability */
  real metric[CS_METRICS][PLAIN_MAX]; /* by signal, where the metric has any; else [0] */
  real state[PLAIN_MAX];              /* final states */
  /* RMS and largest value of the exact solution's signals. */
  real output_rms[PLAIN_MAX], input_rms[PLAIN_MAX], state_rms[PLAIN_MAX];
  real output_most[PLAIN_MAX], input_most[PLAIN_MAX], state_most[PLAIN_MAX];
  /* RMS of what is added up where defects are found, every term by its size: of y~ and C x~ + D u~ + f, of u~ and
   * L y~ + b, of x~' and A x~ + B u~ + e; and of the powers of s that make up u~. */
  real output_terms[PLAIN_MAX], input_terms[PLAIN_MAX], slope_terms[PLAIN_MAX], input_held[PLAIN_MAX];
  real bond_terms[PLAIN_MAX]; /* by bond: integrals of the powers of both sides, each by its size */
};

/* Run number `run` of `sweep`. `flow` NULL: the exact flow, by Taylor series or, in quadruple precision, by tables. */
void plain_run(const struct cs_sweep *sweep, size_t run, plain_flow_fn *flow, void *context,
               struct plain_result *result);

/* A step that control `richardson` tries from T on, or that another control takes. */
struct plain_attempt {
  real T, H, error; /* error: what is compared with `accept`, or eps of the control; NaN where there is none */
  int accepted;
  size_t degree; /* p of the estimate */
};

struct plain_watch {
  void (*look)(void *context, const struct plain_attempt *attempt);
  void *context;
};

/* The same for settings of one's own, with an eye (or NULL) on every attempt of a variable-step run. */
void plain_run_settings(const struct cs_sweep *sweep, const struct cs_settings *settings,
                        const struct plain_watch *watch, struct plain_result *result);

#endif
