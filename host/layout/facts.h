/* What host and kernels must agree on, defined here only: positions in shared buffers, codes, sizes. Each enum is
 * followed by its list, FACT(name in kernels, value). define.h prints the lists into the kernel text; tests that
 * compile fragments as C turn them into enumerators. */
#ifndef COSWEEP_FACTS_H
#define COSWEEP_FACTS_H

#include "dopri5.h"
#include "occurrence.h"
#include "status.h"
#include "tableau.h"

/* Turns a list into enumerators. */
#define CS_FACT_ENUMERATOR(name, value) name = (value),

/* States, and signals of each kind, that runs side by side have room for on the host: beyond, its kernels take one run
 * at a time, with larger matrices. */
enum { CS_MOST_SMALL = 40 };

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

/* Coefficients of a lane: the fixed ones below, x0, the operators' entries, the matrices of Richardson's estimate; with
 * variable steps followed by the numbers of step size control, t_end and the subsystems' tolerances. */
enum cs_fixed_coefficient {
  CS_K_H,
  CS_K_NORM,
  CS_K_RELAXATION, /* 1 without iterations */
  CS_K_CHAIN,      /* series have at least the terms for this ||M|| H: cs_layout_chain */
  CS_K_N,
  CS_K_PANELS,
  CS_K_LEVELS,
  CS_K_FIRST_PANEL,
  CS_K_NODES,
  CS_K_ZEROS,   /* study stability: eigenvalues 0 of M */
  CS_K_NEUTRAL, /* how far rounding moves an eigenvalue 1 of a step that belongs to them */
  CS_K_X0
};

/* Number of steps summed before the sum is added to the state; step number of every step after the ramp; nodes of the
 * large rule of the quadrature inside a step. */
enum { CS_CHUNK = 256, CS_STEADY = 99, CS_NODES_FULL = 8 };

#define CS_LANE_FACTS(FACT)             \
  FACT(K_H, CS_K_H)                     \
  FACT(K_NORM, CS_K_NORM)               \
  FACT(K_CHAIN, CS_K_CHAIN)             \
  FACT(K_N, CS_K_N)                     \
  FACT(K_RELAXATION, CS_K_RELAXATION)   \
  FACT(K_PANELS, CS_K_PANELS)           \
  FACT(K_LEVELS, CS_K_LEVELS)           \
  FACT(K_FIRST_PANEL, CS_K_FIRST_PANEL) \
  FACT(K_NODES, CS_K_NODES)             \
  FACT(K_X0, CS_K_X0)                   \
  FACT(AFTER_RAMP, CS_STEADY)           \
  FACT(NODES_FULL, CS_NODES_FULL)

/* Times that differ by less than this fraction of the macro step, or of t_end, are taken as equal: no step is made for
 * the remainder. */
#define CS_STEP_ROUNDING 1e-9
/* Events closer to each other, or to t_end, than this fraction of t_end happen together. */
#define CS_END_ROUNDING 1e-13
/* A run with a larger component of z has diverged; squares and their sums are still finite. */
#define CS_LARGEST_STATE 1e150
/* The small rule of the quadrature is used up to this ||M|| H. */
#define CS_NORM_FEW 0.125
/* ... unless a chain of components makes signals polynomials of a higher degree. */
#define CS_CHAIN_FEW 0x1p-13
/* Beyond this ||M|| H a run uses the flow of stiff networks (kernels/flow/stiff.clh). */
#define CS_STIFF_NORM 16.0
/* Integrals over steps of stiff networks take at most so many panels to every doubling (modes.h). */
enum { CS_MODES_OCTAVE_MOST = 64 };
/* The largest number of powers of the series of across.clh, for ||M|| H = 1. */
enum { CS_MOST_POWERS = 18 };
/* A macro step with a larger ||M|| H is meaningless: rounding leaves less than eight digits of slow modes. Status
 * invalid. */
#define CS_LARGEST_NORM 1e9

/* ---- stepping and doubling --------------------------------------------------------------------------------------- */

/* Stored in the state, in place of the step in which a doubled run diverged, if the run must be repeated: step by step,
 * or with the factor of the Gram matrix. */
enum cs_again { CS_AGAIN_BY_STEPS = -1, CS_AGAIN_BY_ROOT = -2 };

/* Matrices of doubling in a work-item's workspace: the sum of z z^T, the map of one step, two buffers for its powers.
 */
enum cs_doubling_matrix { CS_GRAM, CS_ONE_STEP, CS_POWER_A, CS_POWER_B, CS_DOUBLING_MATRICES };

#define CS_STEP_FACTS(FACT) FACT(CHUNK, CS_CHUNK)

#define CS_DOUBLING_FACTS(FACT)           \
  FACT(AGAIN_BY_STEPS, CS_AGAIN_BY_STEPS) \
  FACT(AGAIN_BY_ROOT, CS_AGAIN_BY_ROOT)   \
  FACT(GRAM, CS_GRAM)                     \
  FACT(ONE_STEP, CS_ONE_STEP)             \
  FACT(POWER_A, CS_POWER_A)               \
  FACT(POWER_B, CS_POWER_B)               \
  FACT(MATRICES, CS_DOUBLING_MATRICES)

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

#define CS_SOLVER_FACTS(FACT) \
  FACT(SERIES, CS_SERIES)     \
  FACT(STAGES_MAX, CS_STAGES)

#define CS_DOPRI5_FACTS(FACT)           \
  FACT(DOPRI5_STAGES, CS_DOPRI5_STAGES) \
  FACT(DOPRI5_END, CS_DOPRI5_END)       \
  FACT(DOPRI5_ERROR, CS_DOPRI5_ERROR)   \
  FACT(DOPRI5_DENSE, CS_DOPRI5_DENSE)

/* ---- study stability --------------------------------------------------------------------------------------------- */

/* Results of spectrum.cl in a lane's state. */
enum cs_spectrum_state {
  CS_SPECTRUM_RADIUS,
  CS_SPECTRUM_DECAYING,
  CS_SPECTRUM_GROWTH_EXACT,
  CS_SPECTRUM_FAILED,
  CS_SPECTRUM_CONTRACTION,
  CS_SPECTRUM_EIGENVALUES
};

#define CS_SPECTRUM_FACTS(FACT)                      \
  FACT(K_ZEROS, CS_K_ZEROS)                          \
  FACT(K_NEUTRAL, CS_K_NEUTRAL)                      \
  FACT(STATE_RADIUS, CS_SPECTRUM_RADIUS)             \
  FACT(STATE_DECAYING, CS_SPECTRUM_DECAYING)         \
  FACT(STATE_GROWTH_EXACT, CS_SPECTRUM_GROWTH_EXACT) \
  FACT(STATE_FAILED, CS_SPECTRUM_FAILED)             \
  FACT(STATE_CONTRACTION, CS_SPECTRUM_CONTRACTION)   \
  FACT(STATE_EIGENVALUES, CS_SPECTRUM_EIGENVALUES)

/* ---- variable steps ---------------------------------------------------------------------------------------------- */

/* State of a run with variable steps, after z (vary.cl). */
enum cs_vary_state {
  CS_VARY_SCALE,
  CS_VARY_SPACING,
  CS_VARY_TIME = CS_VARY_SPACING + 3,
  CS_VARY_REST,
  CS_VARY_NOMINAL,
  CS_VARY_EVENT,
  CS_VARY_STEPS,
  CS_VARY_REJECTED,
  CS_VARY_LEAST,     /* of steps that were not cut */
  CS_VARY_LEAST_CUT, /* of those that were */
  CS_VARY_MOST,
  CS_VARY_STATUS,
  CS_VARY_SHARED,
  CS_VARY_GROWTH,
  CS_VARY_SPLIT,
  CS_VARY_ITEMS
};

/* What vary_lanes reports of every lane after a launch. */
enum cs_mark { CS_MARK_STATUS, CS_MARK_TIME, CS_MARK_NOMINAL, CS_MARK_TRIED, CS_MARK_TAKEN, CS_MARKS };

/* In place of a status: the run has not ended; it has to be repeated with the flow of stiff networks. */
enum { CS_RUNNING = -1, CS_AGAIN_STIFF = 100 };

#define CS_VARY_FACTS(FACT)                                   \
  FACT(MARK_STATUS, CS_MARK_STATUS)                           \
  FACT(MARK_TIME, CS_MARK_TIME)                               \
  FACT(MARK_NOMINAL, CS_MARK_NOMINAL)                         \
  FACT(MARK_TRIED, CS_MARK_TRIED)                             \
  FACT(MARK_TAKEN, CS_MARK_TAKEN)                             \
  FACT(MARKS, CS_MARKS)                                       \
  FACT(RUNNING, CS_RUNNING)                                   \
  FACT(AGAIN_STIFF, CS_AGAIN_STIFF)                           \
  FACT(DONE, CS_STATUS_OK)                                    \
  FACT(DIVERGED, CS_STATUS_DIVERGED)                          \
  FACT(UNDERFLOW, CS_STATUS_UNDERFLOW)                        \
  FACT(STEP_LIMIT, CS_STATUS_STEP_LIMIT)                      \
  FACT(SINGULAR, CS_STATUS_SINGULAR)                          \
  FACT(EVENT_LIMIT, CS_STATUS_EVENT_LIMIT)                    \
  FACT(OCCURRENCES_MOST, CS_OCCURRENCES_MOST)                 \
  FACT(OCCURRENCE_ITEMS, CS_OCCURRENCE_ITEMS)                 \
  FACT(OCCURRENCE_EXACT, CS_OCCURRENCE_EXACT)                 \
  FACT(OCCURRENCE_EVENT, CS_OCCURRENCE_EVENT)                 \
  FACT(OCCURRENCE_TIME, CS_OCCURRENCE_TIME)                   \
  FACT(OCCURRENCE_LATE, CS_OCCURRENCE_LATE)                   \
  FACT(OCCURRENCE_CONFIGURATION, CS_OCCURRENCE_CONFIGURATION) \
  FACT(INVALID, CS_STATUS_INVALID)

/* What runs count whose steps are repeated to a tolerance, in z: repetitions, the most of a step, steps that have not
 * converged. */
enum cs_repeated { CS_REPEATED, CS_REPEATED_MOST, CS_REPEATED_UNCONVERGED, CS_REPEATED_NUMBERS };
/* Coefficients in which a kernel notes which step the map of a repetition is of that it keeps: its size, and its number
 * in a ramp. The host writes 0, of no step. */
enum { CS_REPEAT_KEPT = 2 };

#define CS_REPEATED_FACTS(FACT)              \
  FACT(REPEATED, CS_REPEATED)                \
  FACT(REPEATED_MOST, CS_REPEATED_MOST)      \
  FACT(UNCONVERGED, CS_REPEATED_UNCONVERGED) \
  FACT(REPEATED_NUMBERS, CS_REPEATED_NUMBERS)

/* Numbers that controllers keep from step to step. `pi_defect`: the integral part, ln H and the logarithms of its
 * settings; `pi_ecco`: the error estimate of the previous step and its logarithm. */
enum cs_pi_defect_memory {
  CS_PI_DEFECT_INTEGRAL,
  CS_PI_DEFECT_SIZE,
  CS_PI_DEFECT_TOLERANCE,
  CS_PI_DEFECT_SHRINK_MAX,
  CS_PI_DEFECT_GROWTH_MAX,
  CS_PI_DEFECT_MIN,
  CS_PI_DEFECT_MAX,
  CS_PI_DEFECT_MEMORY
};
enum cs_pi_ecco_memory { CS_PI_ECCO_BEFORE, CS_PI_ECCO_LOG_BEFORE, CS_PI_ECCO_MEMORY };

#define CS_PI_DEFECT_FACTS(FACT)                \
  FACT(LOG_INTEGRAL, CS_PI_DEFECT_INTEGRAL)     \
  FACT(LOG_SIZE, CS_PI_DEFECT_SIZE)             \
  FACT(LOG_TOLERANCE, CS_PI_DEFECT_TOLERANCE)   \
  FACT(LOG_SHRINK_MAX, CS_PI_DEFECT_SHRINK_MAX) \
  FACT(LOG_GROWTH_MAX, CS_PI_DEFECT_GROWTH_MAX) \
  FACT(LOG_MIN, CS_PI_DEFECT_MIN)               \
  FACT(LOG_MAX, CS_PI_DEFECT_MAX)

#define CS_PI_ECCO_FACTS(FACT)    \
  FACT(BEFORE, CS_PI_ECCO_BEFORE) \
  FACT(LOG_BEFORE, CS_PI_ECCO_LOG_BEFORE)

#endif
