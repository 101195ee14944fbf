/* One macro step of the plain reference: exchange, advance, sample (docs/methods.md sections 2 to 4). */
#ifndef COSWEEP_TESTS_PLAIN_STEP_H
#define COSWEEP_TESTS_PLAIN_STEP_H

#include "plain.h"
#include "plain_tables.h"

enum {
  PLAIN_ORDERS = CS_MAX_ORDER + 1,
  PLAIN_PAST = PLAIN_ORDERS + CS_MAX_LATENCY, /* points that a polynomial may need */
  PLAIN_MICRO = 8,
  PLAIN_NODES = 12
};

/* What a step knows of the past, from its newest communication point T on. */
struct plain_memory {
  size_t points; /* communication points that are known, the newest one included; PLAIN_PAST: as many as wanted */
  real back[PLAIN_PAST];                          /* T minus the time of each point; s */
  real sent[PLAIN_PAST][PLAIN_ORDERS][PLAIN_MAX]; /* outputs and their derivatives at each point */
  real refreshed[PLAIN_ORDERS][PLAIN_MAX];        /* input derivatives at T with feed-through `refresh` */
  real ended[2][PLAIN_MAX];                       /* continuity: values and slopes that inputs go on from, 1/s */
  real lost[PLAIN_MAX]; /* compensation: integral over the step before of what inputs lacked without it */
};

struct plain_course;
struct plain_rates;

struct plain_simulation {
  struct plain_network n;
  const struct cs_method *method;
  const size_t *sequence;     /* gauss_seidel: order of the subsystems; NULL: jacobi */
  const double *tolerance;    /* of dopri5, [subsystems] */
  const double *compensation; /* [subsystems] */
  plain_flow_fn *flow;
  void *context;
  struct plain_rates *rates;        /* of subsystems with steps of their own (plain_rates.h); NULL: none */
  const struct cs_bond_list *bonds; /* whose energy counts */
  real relaxation;
  const double *repetition;                /* of iterations to a tolerance: it, and at most so many */
  size_t passes, most_passes, unconverged; /* of steps repeated to one */
  struct plain_course *course;             /* state events and modes (plain_course.h); NULL: none */
  size_t order[PLAIN_MAX];                 /* with a course, or alternating, what `sequence` points to */
  struct plain_tables *tables;             /* of exact flows, for stiff networks; NULL: by series */
  int local;                               /* whether local errors are wanted */
  int degenerate; /* explicit steps beyond their stability, in which rounding grows by orders */
  real H;         /* of the step in hand */
  int stepped;    /* whether there has been one */
  int remembers;  /* whether one has ended, and what is in `before` of it */
  real x[PLAIN_MAX], r[PLAIN_MAX];
  struct plain_memory memory;
  real now[PLAIN_ORDERS][PLAIN_MAX];               /* outputs at T_k and their derivatives, as far as they are known */
  real handed[PLAIN_MAX][PLAIN_ORDERS][PLAIN_MAX]; /* what inputs are given of them, by input */
  real held[PLAIN_ORDERS][PLAIN_MAX];              /* coefficients of u~ in s */
  real given_back[PLAIN_MAX];                      /* what of u~ is compensation */
  real forcing[PLAIN_ORDERS][PLAIN_MAX];           /* B u~ + e likewise */
  real grid[PLAIN_MICRO + 1][PLAIN_MAX], slope[PLAIN_MICRO + 1][PLAIN_MAX]; /* at the solvers' step ends */
  real before[PLAIN_MAX]; /* of the last micro step: its slope at the start (ab2), or its start (bdf2) */
  real recorded[PLAIN_ORDERS][PLAIN_MAX];      /* coefficients of y~ in s - 1 */
  real node[PLAIN_NODES], weight[PLAIN_NODES]; /* of quadrature over [0, 1] */
};

extern const real plain_factorial[PLAIN_ORDERS + 1];

/* ---- plain_step.c */

/* Fills a memory for the first step from the exact solution at T_0, point holds at distances `spacing`. */
void plain_start(const struct plain_simulation *sim, real spacing, struct plain_memory *memory);
/* Fills the grid of one subsystem: states and slopes at the ends of every solver step. */
void plain_advance_subsystem(struct plain_simulation *sim, size_t subsystem);
/* Samples of all outputs at T_k (`subsystem` SIZE_MAX), or of one subsystem's that has just advanced: `now`. */
void plain_sample_outputs(struct plain_simulation *sim, int solved, size_t subsystem);
/* The same at the nodes inside the step, with the inputs that are held there. */
void plain_sample_nodes(struct plain_simulation *sim, size_t subsystem);
/* Makes the end of the advanced step the start of the next: x, recorded, memory. */
void plain_sample(struct plain_simulation *sim);
/* Outputs, as recorded, at the end of the step just done, with the states that now are in x: `now`. */
void plain_sample_now(struct plain_simulation *sim);
/* Samples once more at the end of the step just done, with the states that now are in x, which jumped there: a point
 * without a past. */
void plain_sample_again(struct plain_simulation *sim);
/* x~(s) of the advanced step, the solvers' continuous solution, and its derivative. */
void plain_states(struct plain_simulation *sim, real s, real *x, real *derivative);
/* Where the solvers' micro steps end in the advanced step, and with tables further cuts, in ascending order, from 0 to
 * 1: in between all solutions are smooth. The caller frees it. */
real *plain_breaks(struct plain_simulation *sim, size_t *count);
/* The exact flow of a subsystem, by Taylor series: a plain_flow_fn. */
plain_flow_fn plain_exact_flow;
/* r <- exp(M t) r */
void plain_exact(const struct plain_simulation *sim, real t, real *r);

/* ---- plain_master.c */

/* With sequence `alternating`: the order of step number `step`. */
void plain_alternate(struct plain_simulation *sim, size_t step);
/* From the memory to held, forcing, grid, slope and now: of the last pass. */
void plain_advance(struct plain_simulation *sim);
/* Spectral radius of the map of one repetition with step H and all the points that are wanted. Spoils the step. */
real plain_contraction(struct plain_simulation *sim);

/* ---- plain_exchange.c */

/* Coefficients of the polynomial through an output's newest points, in s - 1 of the step that ends with the newest. */
void plain_reconstruct(const struct plain_simulation *sim, size_t output, real *coefficients);
/* Samples that a polynomial is made from, the newest first: [point][derivative], by time, and how far back they are, in
 * steps of length H. */
struct plain_samples {
  real sent[PLAIN_ORDERS][PLAIN_ORDERS], back[PLAIN_ORDERS];
};

/* Polynomial of `degree`, as a hold makes it, in powers of s = (t - the newest point)/H. */
void plain_polynomial_of(enum cs_hold hold, real H, const struct plain_samples *samples, size_t degree,
                         real *coefficients);
/* p(s) <- p(s + a) */
void plain_shift(real *coefficients, real a);
/* Held polynomials of a subsystem's inputs and its forcing: from outputs with is_new[output] interpolated with their
 * values at T_k, from the others extrapolated. */
void plain_hold(struct plain_simulation *sim, size_t subsystem, const int *is_new);
/* Sum over the connections of an input of its sources' derivative j, known up to each source's own order. */
real plain_connect(const struct plain_simulation *sim, size_t input, size_t j, const real *y);
/* With hold waveform: the degree of its polynomials, 0: another hold; the nodes, 0 and 1 among them. What is handed on
 * are values at these but the first, in place of derivatives. */
size_t plain_wave(const struct plain_simulation *sim);
real plain_node(const struct plain_simulation *sim, size_t i);
/* What inputs are given of outputs at T_k at first: `handed`, as extrapolated. */
void plain_hand_on(struct plain_simulation *sim);
/* After an event: inputs go on from what they are given of the samples there, as extrapolated. */
void plain_begin_anew(struct plain_simulation *sim);
/* Takes the samples at T_k, H after the newest point, into a memory. */
void plain_remember(const struct plain_simulation *sim, real H, struct plain_memory *memory);
/* Into the memory at hand; from that `recorded`. */
void plain_record(struct plain_simulation *sim);
/* Degree of an output's reconstruction in the step just recorded. */
size_t plain_output_degree(const struct plain_simulation *sim, size_t output);
/* Sum of coefficients[j][signal] s^j. */
real plain_polynomial(real coefficients[PLAIN_ORDERS][PLAIN_MAX], size_t signal, real s);
/* u~(s) of the advanced step. */
void plain_held(struct plain_simulation *sim, real s, real *u);

/* ---- plain_compensation.c */

/* Integral over the advanced step, s, of what inputs lack of the outputs inside it but for what they are given back. */
void plain_lost(struct plain_simulation *sim, real *lost);
/* What an exact past leaves, over a step of length `spacing` before the exact solution is at r. */
void plain_lost_before(const struct plain_simulation *sim, real spacing, real *lost);

/* ---- plain_local.c */

/* Squares of local errors and of their estimates, for the step of length H that begins at r. */
void plain_local(const struct plain_simulation *sim, struct plain_result *part);

/* ---- plain_measure.c */

/* Nodes and weights of Gauss-Legendre quadrature on [0, 1], by Newton's method. */
void plain_quadrature(real *node, real *weight);
/* What T_0 counts for: maxima of monitors. */
void plain_measure_start(const struct plain_simulation *sim, struct plain_result *result);
/* Measures of the step just sampled, whose start is still in r: in `part` means of squares over the step (only with
 * `inside`), and values at its end. `sent` [outputs]: outputs as they were sent at its start. */
void plain_measure(struct plain_simulation *sim, int inside, const real *sent, struct plain_result *part);
/* Adds the measures of a step of length H. */
void plain_add_measures(const struct plain_result *part, real H, struct plain_result *result);
/* From sums over the run, which took `time`, to RMS values; the final states. */
void plain_finish_measures(const struct plain_simulation *sim, real time, struct plain_result *result);

#endif
