/* The two-mass study by hand: fixed step, Jacobi, hold taylor of order 1, explicit feed-through, exact subsystems,
 * consistent start. A rival for cosweep: one model, one method, no input files.
 *
 * A step multiplies every state with constant rows. Derivatives are stored as H y' (Nordsieck), so that on a step,
 * with s = (t - T[k-1])/H, the held input is u0 + u1 s and the reconstructed output y0 + y1 (s - 1). */
#ifndef TWO_MASS_H
#define TWO_MASS_H

#include <stddef.h>

/* Rows of a step. Oscillator 1 acts on (phi1, omega1, phi2, u0, u1), u its input omega2; oscillator 2 on
 * (phi2, omega2, v0, v1), v its input tau1; the exact solution on (phi1, omega1, phi2, omega2). The names give the
 * row's first coefficient. */
enum {
  /* oscillator 1, 5 coefficients each; its row for phi2 is (0, 0, 1, H, H/2) */
  FLOW1_PHI1 = 0,
  FLOW1_OMEGA1 = 5,
  FLOW1_STEP = 10,      /* H */
  FLOW1_HALF_STEP = 11, /* H/2 */
  TAU1 = 12,            /* output at T[k] */
  TAU1_SLOPE = 17,      /* H times its derivative at T[k] */
  TAU1_MIDDLE = 22,     /* output minus its reconstruction, at the middle of the step */
  /* oscillator 2, 4 coefficients each; its output is the state omega2 */
  FLOW2_PHI2 = 27,
  FLOW2_OMEGA2 = 31,
  OMEGA2_SLOPE = 35,
  OMEGA2_MIDDLE = 39,
  /* exact solution, 4 coefficients each: four rows of the flow, the last one giving omega2, then tau1 at T[k] */
  EXACT_FLOW = 43,
  EXACT_TAU1 = 59,
  COEFFICIENTS = 63
};

/* Where the variables of a run stand in its initial values. */
enum { OSCILLATOR1 = 0, OSCILLATOR2 = 5, EXACT = 9, VARIABLES = 13 };

/* Sums of squares over the steps. A defect that is a polynomial of degree 1 is kept as its value at the middle of the
 * step and its slope, which are orthogonal: the integral of its square over s is middle^2 + slope^2/12. */
enum {
  DEFECT_TAU1, /* output defect at the middle of the step */
  DEFECT_OMEGA2,
  CONNECTION1_MIDDLE, /* held input minus connected reconstruction */
  CONNECTION1_SLOPE,
  CONNECTION2_MIDDLE,
  CONNECTION2_SLOPE,
  ERROR_TAU1, /* output minus the exact one, at T[k] */
  ERROR_OMEGA2,
  SUMS
};

/* Floating-point operations of a step as written in two_mass_lanes.c, a multiply-add counting two. */
enum { STEP_OPERATIONS = 140 };

/* RMS results of a run, in the order of the columns that --values writes. */
enum { RESULTS = 6 };

/* Runs with step sizes spaced logarithmically from `smallest` to 1 s. Arrays are [item][runs]; free with ensemble_free.
 */
struct ensemble {
  size_t runs;
  double *step_size;   /* [runs], s, ascending: neighbours take similar numbers of steps */
  long *steps;         /* [runs] */
  double *coefficient; /* [COEFFICIENTS][runs] */
  double *initial;     /* [VARIABLES][runs] */
  double *sum;         /* [SUMS][runs], filled by two_mass_run */
};

/* Returns 0, or -1 when memory is short. `runs` is at least 2. */
int ensemble_new(size_t runs, double smallest, double t_end, struct ensemble *ensemble);
void ensemble_free(struct ensemble *ensemble);

/* The rows of one step and the initial values of one run. */
void two_mass_rows(double step_size, double row[COEFFICIENTS]);
void two_mass_initial(double step_size, double initial[VARIABLES]);

/* RMS over the run, from its sums: output defects, connection defects, output errors (tau1 before omega2, the input
 * omega2 of oscillator 1 before the input tau1 of oscillator 2). */
void two_mass_results(const struct ensemble *ensemble, size_t run, double result[RESULTS]);

/* Doubles in a vector of the implementation linked in; `runs` must be a multiple of it. */
extern const unsigned two_mass_width;
extern const char two_mass_implementation[];

/* Runs two_mass_width neighbouring runs from `first` to their ends and writes their sums. */
void two_mass_run(struct ensemble *ensemble, size_t first);

#endif
