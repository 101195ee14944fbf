/* A method: everything that selects a kernel (docs/methods.md). */
#ifndef COSWEEP_METHOD_H
#define COSWEEP_METHOD_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

enum cs_master { CS_JACOBI, CS_GAUSS_SEIDEL, CS_USER /* and above: fragments of the sweep */ };
enum cs_sequence { CS_SEQUENCE_MODEL, CS_SEQUENCE_ALTERNATING /* above: lists of the sweep */ };
enum cs_hold { CS_TAYLOR, CS_LAGRANGE, CS_BACKWARD_DIFFERENCE, CS_HERMITE, CS_WAVEFORM, CS_LEAST_SQUARES };
enum cs_jacobian { CS_JACOBIAN_NONE, CS_JACOBIAN_FEEDTHROUGH, CS_JACOBIAN_FIRST, CS_JACOBIAN_EXACT };
enum cs_acceleration { CS_ACCELERATION_NONE, CS_AITKEN, CS_QUASI_NEWTON }; /* of iterations `tolerance` */
enum cs_nodes { CS_LOBATTO, CS_EQUAL };                                    /* of hold waveform */
enum cs_feedthrough { CS_EXPLICIT, CS_SOLVED, CS_REFRESH };
enum cs_continuity { CS_JUMPS, CS_C0, CS_C1 }; /* also how many derivatives, from 0 on, inputs keep from step to step */
enum cs_start { CS_CONSISTENT, CS_RAMP, CS_ZERO };
enum cs_solver {
  CS_EXACT,
  CS_EULER,
  CS_HEUN,
  CS_RK4,
  CS_IMPLICIT_EULER,
  CS_TRAPEZOIDAL,
  CS_DOPRI5,
  CS_AB2,
  CS_BDF2,
  CS_SOLVERS
};
enum cs_lines { CS_LINES_SUBSYSTEM, CS_LINES_WAVES };
enum cs_memory { CS_MEMORY_RESTART, CS_MEMORY_KEEP };
enum cs_control {
  CS_FIXED,
  CS_PI_DEFECT,
  CS_PI_ECCO,
  CS_THRESHOLD,
  CS_RICHARDSON,
  CS_CYCLE,
  CS_USER_CONTROL /* fragments of the sweep */
};
enum cs_end { CS_END_EXACT, CS_END_OVERSHOOT };
enum cs_estimate { CS_ESTIMATE_PLAIN, CS_ESTIMATE_CORRECTED };
enum cs_norm { CS_NORM_RMS, CS_NORM_THESIS };
enum cs_defects { CS_DEFECTS_BOTH, CS_DEFECTS_CONNECTION, CS_DEFECTS_OUTPUT }; /* that control `pi_defect` judges */
enum cs_error_at { CS_CONTINUOUS, CS_POINTS };
enum cs_detect { CS_DETECT_ALL, CS_DETECT_FIRST, CS_DETECT_POINTS };
enum cs_reset { CS_RESET_JOINT, CS_RESET_EXTRAPOLATED };
enum cs_step_grid { CS_GRID_RESTART, CS_GRID_KEEP };
enum cs_first { CS_FIRST_SEQUENCE, CS_FIRST_PREDICTED, CS_FIRST_PARALLEL };
enum cs_engine_choice { CS_AUTO, CS_STEP, CS_DOUBLE };

enum {
  CS_MAX_ORDER = 3,
  CS_MAX_ITERATIONS = 100,
  CS_CONVERGED,
  CS_TOLERANCE,
  CS_MAX_LATENCY = 8,
  CS_MAX_RATE = 64,
  CS_MAX_POINTS = 8, /* of hold least_squares */
  CS_CONTROLS = CS_USER_CONTROL + 1
};

/* Settings of one subsystem, overrides applied. */
struct cs_subsystem_method {
  unsigned char solver, input_order, output_order;
  unsigned char latency;     /* of what it receives, macro steps */
  unsigned char rate;        /* its own steps in a macro step */
  unsigned char compensates; /* whether its inputs are given back what they lacked: cs_settings.compensation above 0 */
  unsigned char keeps;       /* whether a solver with memory goes on from one macro step to the next */
  unsigned short
      micro_steps; /* default resolved: 1 for euler, 1 for exact and dopri5 (unused), else 2; even except for euler */
};

/* clang-format off */
/* The part of a method that all subsystems share: FIELD(name, its setting). 0 if other choices leave it unused. Indices
 * into the sweep's masters: `user`, `sequence`; into its controls: `user_control`, `bonds`, `ratios`. `signal` is the output that
 * control `threshold` observes. */
#define CS_METHOD_FIELDS(FIELD)     \
  FIELD(master, MASTER)             \
  FIELD(user, MASTER)               \
  FIELD(sequence, SEQUENCE)         \
  FIELD(iterations, ITERATIONS)     \
  FIELD(jacobian, JACOBIAN)         \
  FIELD(acceleration, ACCELERATION) \
  FIELD(hold, HOLD)                 \
  FIELD(nodes, NODES)               \
  FIELD(points, POINTS)             \
  FIELD(lines, LINES)               \
  FIELD(continuity, CONTINUITY)     \
  FIELD(feedthrough, FEEDTHROUGH)   \
  FIELD(start, START)               \
  FIELD(error_at, ERROR_AT)         \
  FIELD(engine, ENGINE)             \
  FIELD(control, CONTROL)           \
  FIELD(user_control, CONTROL)      \
  FIELD(end, END)                   \
  FIELD(estimate, ESTIMATE)         \
  FIELD(norm, NORM)                 \
  FIELD(defects, DEFECTS)           \
  FIELD(bonds, BONDS)               \
  FIELD(signal, SIGNAL)             \
  FIELD(ratios, RATIOS)             \
  FIELD(detect, DETECT)             \
  FIELD(reset, RESET)               \
  FIELD(grid, GRID)                 \
  FIELD(first, FIRST)
/* clang-format on */

/* A variant: all runs with the same method share a kernel. */
struct cs_method {
#define CS_METHOD_DECLARE(name, setting) unsigned short name;
  CS_METHOD_FIELDS(CS_METHOD_DECLARE)
#undef CS_METHOD_DECLARE
  struct cs_subsystem_method *subsystem; /* [model->subsystems], compared bytewise: unused bytes are zero */
};

/* Whether two methods of a model with so many subsystems need the same kernel, and a hash that such methods share. */
bool cs_method_equal(size_t subsystems, const struct cs_method *a, const struct cs_method *b);
uint64_t cs_method_hash(size_t subsystems, const struct cs_method *method);
/* How often a macro step is done again: 1 where `iterations` is CS_CONVERGED; with CS_TOLERANCE runs count it. */
size_t cs_method_repetitions(const struct cs_method *method);
/* Whether samples contain derivatives: hold taylor and hermite. */
bool cs_method_sends_slopes(const struct cs_method *method);
/* Whether `relaxation` acts on what iterations hand on. */
bool cs_method_relaxes(const struct cs_method *method);
/* Whether every step is repeated until it has converged to a tolerance. */
bool cs_method_tolerates(const struct cs_method *method);
/* Whether the inputs of some subsystem are given back what they lacked. */
bool cs_method_compensates(const struct cs_model *model, const struct cs_method *method);
/* Whether inputs hold polynomials that fit more points than these need. */
bool cs_method_fits(const struct cs_method *method);
/* Whether lines are waves. */
bool cs_method_waves(const struct cs_method *method);
/* Whether some subsystem takes several steps in a macro step. */
bool cs_method_has_rates(const struct cs_model *model, const struct cs_method *method);
/* Whether an enum cs_solver needs more than the state at which a micro step begins. */
bool cs_method_remembers(unsigned solver);
/* Whether the steps of a subsystem are not a linear map: solver dopri5 with states to integrate. */
bool cs_method_adapts(const struct cs_model *model, const struct cs_method *method, size_t subsystem);
/* Name of a step size control for messages. */
const char *cs_method_control_name(enum cs_control control);

#endif
