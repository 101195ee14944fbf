/* Layout of a variant: sizes, which entries of the network and of the assembled map can be non-zero, and the position
 * of every number in the lanes' data. A pure function of model, method and requested metrics; kernel text is printed
 * from it (emit), and the lanes' data are filled by it (engine). */
#ifndef COSWEEP_LAYOUT_H
#define COSWEEP_LAYOUT_H

#include <stdint.h>

#include "configurations.h"
#include "facts.h"
#include "operator.h"
#include "sweep.h"

struct cs_pattern {
  size_t rows, columns;
  unsigned char *set; /* [rows][columns] */
};

struct cs_coefficient {
  enum cs_operator from;
  size_t row, column;
};

/* Groups of rows of the assembled map, with one row per signal (several for a connection defect). */
enum cs_rows {
  CS_ROWS_MAP,
  CS_ROWS_OUTPUT_DEFECT,
  CS_ROWS_CONNECTION_DEFECT,
  CS_ROWS_OUTPUT_POINT,
  CS_ROWS_INPUT_POINT,
  CS_ROWS_STATE_POINT,
  CS_ROWS_MONITOR,
  CS_ROWS_LOCAL_ERROR,
  CS_ROWS_LOCAL_ESTIMATE,
  CS_ROWS_POINT_GROUPS, /* rows evaluated at nodes inside the step follow */
  CS_ROWS_OUTPUT_ERROR = CS_ROWS_POINT_GROUPS,
  CS_ROWS_INPUT_ERROR,
  CS_ROWS_STATE_ERROR,
  CS_ROWS_OUTPUT_DEFECT_TRUE,
  CS_ROWS_INTEGRATION_DEFECT,
  CS_ROWS_BOND_ENERGY, /* products, not squares */
  CS_ROWS_GROUPS
};

struct cs_row {
  enum cs_rows group;
  size_t signal;
  unsigned char *block; /* [blocks]: whether the row can depend on block 0 (r), 1 + subsystem */
  int *entry;           /* [blocks]: position of the block's first column among the items, -1 if independent of it */
  int sum, top, final;  /* its accumulators, or -1 */
};

/* Counts. */
struct cs_layout_dims {
  size_t states, inputs, outputs, monitors;
  size_t largest;     /* most states of a subsystem, at least 1 */
  size_t exact;       /* of r: the states and, in an affine network, a constant 1 */
  size_t coordinates; /* of z: r, then block by block the state errors and memories */
  size_t blocks;      /* of z: r, the subsystems, the master's own memory if it has one */
  size_t modes;       /* coordinates that act on the run: z without r and memories of outputs */
  size_t kept;        /* coordinates of z used in doubling: all but those determined by the states */
  size_t handed;      /* values that a repetition hands on, whose map is analysed; 0: it is not */
  size_t powers;      /* coefficients of an input polynomial: largest degree + 1 */
};

/* Properties of the variant. */
struct cs_layout_kind {
  bool stability; /* maps are analysed (spectrum.cl), no steps are taken; the state contains the results */
  /* With stability: the program has what that takes alone. Without, the spectra are beside a simulation with fixed
   * steps, whose program assembles their maps. */
  bool lean;
  bool affine; /* r carries a constant 1 */
  /* Some subsystem has: frozen slopes of euler; fixed micro steps; an implicit solver; an adaptive solver. */
  bool frozen, inexact, implicit, adaptive;
  /* The samples' derivatives and the midpoint lie on one solution; the whole step does (see defect_series.clh). */
  bool follows_model, follows_throughout;
  bool varies;       /* no map is assembled, the step function is applied to the runs (vary.cl) */
  bool halves;       /* every step is repeated as two steps of half its size */
  bool sees_defects; /* the controller uses the largest defect of a step */
  bool stiff;        /* r and the states in modal coordinates (modes.h) */
  bool other;        /* with other rounding errors than a plan without `other` has, from the same kernels */
  bool eventful;     /* the model has state events or modes (course.h) */
  bool compensates;  /* inputs are given back what they lacked: integrals over the step are part of it */
  bool tolerates;    /* steps are repeated to a tolerance, from the outputs as reconstructed */
  bool alternates;   /* every second step has the reverse of the sequence */
  bool remembers;    /* some subsystem's solver has a memory */
  bool records;      /* a trace: one run, every step of which is recorded (record.h) */
  bool doubles;      /* doubling (double.clh) is possible, as nothing needs every step; in a plan, it is also used */
  bool has_doubled;  /* some run of the plan uses doubling */
};

/* Positions in z. */
struct cs_layout_places {
  size_t *block;     /* [blocks + 1] first columns */
  size_t *state;     /* [states] */
  long *input;       /* [parts][inputs] memories, -1: none */
  long *output;      /* [outputs] memories, -1: none */
  long *late;        /* [inputs] polynomials under way, that of the newest point but one first; -1: none */
  long *past;        /* [outputs] values sent, with rates: that of the newest point first; -1: none */
  long *joint;       /* [inputs] where the step before ended, with continuity; -1: none */
  long *memory;      /* [states] what solvers keep, behind the master's numbers; -1: nothing */
  size_t master;     /* numbers that the master keeps */
  bool *from_states; /* [inputs] all connected outputs are without feed-through: the first coefficient of the memory of
                        part 0 is L C times the states' errors, L being that of the part */
};

/* Degrees of the polynomials over a step. */
struct cs_layout_degrees {
  size_t *input, *output;  /* [inputs], [outputs] effective degrees */
  size_t *estimate, least; /* [outputs] Richardson's estimate; the smallest of all connections */
  size_t *connection;      /* [inputs] connection defect */
  size_t wave;             /* of polynomials through nodes inside the step, whose memories are values alone; 0: none */
  size_t *past;            /* [outputs] with rates: values kept of points, or derivatives of the newest */
};

/* Order in which the master advances the subsystems, and the resulting dependences. */
struct cs_layout_master {
  const struct cs_user_fragment *user; /* NULL: built-in */
  /* Parts of the network that inputs receive from: 1; or 2 if some outputs are already new; or, if that changes from
   * step to step, one for each subsystem that an input receives from. Where orders alternate, what is new in the first,
   * in the second, and what a subsystem sends itself. */
  size_t parts;
  size_t stages;     /* groups of subsystems that advance one after the other, at most */
  size_t own_stages; /* with rates: own steps of subsystems one after the other in a macro step */
  size_t memory;     /* numbers kept beside the subsystems' own: plain ones of the master, then those of solvers, */
  size_t solvers;    /* of which there are so many */
  size_t leaders; /* orders of the subsystems that a run changes between: 1, 2 that alternate, one for each first, or */
  bool together;  /* the sequence and all at once */
  size_t *sequence;     /* [leaders][subsystems] these orders; the first is the method's */
  unsigned char *newer; /* [leaders][subsystems][subsystems] whether the first receives the second's new values */
  unsigned char *reach; /* [subsystems][subsystems] whether a step of the first depends on the second */
};

/* Coefficients of a lane. */
struct cs_layout_coefficients {
  size_t count;
  struct cs_coefficient *list; /* entries of the operators, the first being coefficient CS_K_X0 + states */
  /* Matrices of Richardson's corrected estimate (estimate.h), [estimates][outputs][outputs], one per degree 0, 1, ...,
   * and their first coefficient. 0 matrices if it is not used. */
  size_t estimates, estimate_at;
  size_t modes_at;   /* first number of the modal coordinates (modes.h), if stiff */
  size_t own_at;     /* first parameter of the sweep's user-defined masters, if the method has one */
  size_t control_at; /* first number of step size control */
  size_t events_at;  /* first number of events (cs_event_number), followed by the configuration that runs begin in */
  size_t compensation_at; /* [inputs], where kind.compensates */
  size_t repetition_at;   /* those of enum cs_repetition_number, and CS_REPEAT_KEPT more, where kind.tolerates */
};

/* Subdivision of a macro step. */
struct cs_layout_step {
  size_t segments, pieces; /* segments; quadrature pieces */
  size_t few;              /* nodes of the small rule */
  size_t *micro_length;    /* [states] segments per micro step */
  size_t ramp;             /* number of first steps that have maps of their own */
  bool ramps;              /* whether their polynomials have lower degrees */
};

/* Rows of the assembled map and of the measures. */
struct cs_layout_map {
  size_t rows, inside_rows; /* rows of the map and of the measures at T_k; rows per node inside the step */
  struct cs_row *row, *inside;
  size_t first_row[CS_ROWS_GROUPS]; /* of each group; groups inside the step count from 0 */
  bool wanted[CS_ROWS_GROUPS];
  size_t *connection_row; /* [inputs] first row of each connection defect */
  size_t point_items, inside_items;
  size_t handed_at; /* first item of the map of a repetition, [handed][handed], among the point items */
};

/* Accumulators. */
struct cs_layout_measures {
  size_t sums, tops, finals;
  long sum_of[CS_METRICS], top_of[CS_METRICS], final_of[CS_METRICS]; /* first accumulator of a metric, or -1 */
  long states; /* first accumulator of final state errors that are taken from z, or -1 */
};

/* Positions in a lane's state, and its size; those from `vary` on exist with variable steps only. */
struct cs_layout_state {
  size_t items, sums, tops, finals, diverged, growth;
  size_t vary, memory, coarse, flow, share, course;
};

struct cs_layout_control {
  size_t memory;                     /* numbers the controller keeps */
  size_t bonds;                      /* power bonds that it judges */
  size_t energies;                   /* power bonds whose energy is measured */
  const struct cs_ratio_list *cycle; /* of control `cycle`, or `pairs`; NULL with others */
  struct cs_ratio_list pairs;        /* in study stability of orders that alternate */
};

struct cs_layout {
  const struct cs_sweep *sweep;
  const struct cs_model *model;
  struct cs_method method; /* own copy */
  struct cs_layout_dims dims;
  struct cs_layout_kind kind;
  struct cs_pattern pattern[CS_OPERATORS];
  struct cs_configurations configurations; /* first those that runs begin in, as in the sweep's `start` */
  struct cs_layout_degrees degree;
  struct cs_layout_master master;
  struct cs_layout_control control;
  struct cs_layout_places at;
  struct cs_layout_coefficients coefficients;
  struct cs_layout_step step;
  struct cs_layout_map map;
  struct cs_layout_measures measures;
  struct cs_layout_state state;
  struct cs_layout_state stepped; /* as the program's kernels that take steps have it: `state`, if they are launched */
};

/* `study`: the sweep's own, or stability for the spectra beside a simulation. `records`: for a trace. `stiff`: for runs
 * beyond CS_STIFF_NORM. */
int cs_layout_new(const struct cs_sweep *sweep, const struct cs_method *method, enum cs_study study, bool records,
                  bool stiff, struct cs_layout **layout, struct cs_error *error);
void cs_layout_free(struct cs_layout *layout);
/* Whether the macro step is computed by one Taylor series (across.clh). */
bool cs_layout_is_across(const struct cs_layout *layout);
/* Approximate private memory of a work-item per lane with variable steps, in bytes. */
size_t cs_layout_private_bytes(const struct cs_layout *layout);
/* Numbers of a lane with variable steps, in all configurations. */
size_t cs_layout_lane_numbers(const struct cs_layout *layout);
/* The largest ||M|| H of a run. */
double cs_layout_norm_most(const struct cs_layout *layout);
/* Largest number of panels of the quadrature inside a piece of the step. */
size_t cs_layout_panels_most(const struct cs_layout *layout);

/* Terms of Taylor series: number at level 0, 1, ... and the largest ||M|| H for which it suffices, in descending order;
 * 0 beyond the last level. Those of across.clh, and of flow.clh. */
enum { CS_MOST_LEVELS = 9 }; /* of cs_layout_powers */
size_t cs_layout_powers(const struct cs_layout *layout, size_t level, double *most);
size_t cs_layout_flow_terms(const struct cs_layout *layout, size_t level, double *most);
/* The ||M|| H whose number of terms covers `chain` couplings between components in sequence; 0 if any number does. */
double cs_layout_chain(const struct cs_layout *layout, size_t chain);

/* Whether panels of the quadrature inside a step are graded from its start to its end, as in stiff networks. */
bool cs_layout_is_graded(const struct cs_layout *layout);
/* Quadrature of a lane with ||M|| H = norm and K_CHAIN = chain: K_PANELS, K_LEVELS, K_FIRST_PANEL, K_NODES. octave:
 * panels to every doubling of the distance from the start of the step, if they are graded (modes.h). Returns the number
 * of nodes per step. */
size_t cs_layout_quadrature(const struct cs_layout *layout, double norm, double chain, double octave, double *panels,
                            double *levels, double *first_panel, double *nodes);

/* Whether the controller judges defects of this group of rows. */
bool cs_layout_sees(const struct cs_layout *layout, enum cs_rows group);

/* Whether the inputs of `to` receive the new values of `from` within a step, in the order of number `leader`. */
bool cs_layout_newer(const struct cs_layout *layout, size_t leader, size_t to, size_t from);
/* The part of the network, one of master.parts, that an input receives a connected output from. */
size_t cs_layout_part(const struct cs_layout *layout, size_t input, size_t output);
/* Whether some inputs are interpolated: they receive new values within a step. */
bool cs_layout_interpolates(const struct cs_layout *layout);
/* Whether some are extrapolated in the last repetition. */
bool cs_layout_extrapolates(const struct cs_layout *layout);
/* By how many macro steps an input's polynomial is older than the newest, and the most of all inputs. */
size_t cs_layout_latency(const struct cs_layout *layout, size_t input);
size_t cs_layout_latest(const struct cs_layout *layout);
/* Own steps of a subsystem in a macro step; whether some subsystem has more than one. */
size_t cs_layout_rate(const struct cs_layout *layout, size_t subsystem);
bool cs_layout_has_rates(const struct cs_layout *layout);
/* With rates: whether subsystems advance one after the other through the macro step. */
bool cs_layout_rates_in_turn(const struct cs_layout *layout);
/* The points of all subsystems in a macro step, without its end: fractions numerator / denominator in ascending order,
 * 0 first, and their number. The lists have room for CS_MOST_POINTS, or are NULL. */
enum { CS_MOST_POINTS = CS_MAX_RATE * (CS_MAX_RATE + 1) / 2 };
size_t cs_layout_points(const struct cs_layout *layout, size_t *numerator, size_t *denominator);
/* Whether values handed on may be relaxed: the sweep says how. */
bool cs_layout_relaxes(const struct cs_layout *layout);
/* Derivatives in a sample, the value included: as many as hold taylor receives, 2 of hold hermite, else 1. */
size_t cs_layout_derivatives(const struct cs_layout *layout);
/* Values that a repetition hands on: outputs, with their derivatives where the hold receives them, or at the nodes
 * inside a step. */
size_t cs_layout_samples(const struct cs_layout *layout);
/* Numbers that a kernel keeps of the map of a repetition (master_converged.clh, master_tolerance.clh). */
size_t cs_layout_prepared(const struct cs_layout *layout);

/* Subsystem step calls per macro step; of these, the calls that remain in sequence if all others run in parallel;
 * in the longest of the orders that a run changes between. */
size_t cs_layout_evaluations(const struct cs_layout *layout);
size_t cs_layout_stages(const struct cs_layout *layout);

/* Most inputs, outputs, monitors or subsystems of a model; whether it has more of these, or more states, than
 * CS_MOST_SMALL. */
size_t cs_layout_signals(const struct cs_model *model);
bool cs_layout_is_large(const struct cs_model *model);

/* Predicted work, in multiply-adds: of one step with `nodes` nodes inside it. */
double cs_layout_step_work(const struct cs_layout *layout, size_t nodes);
/* Floating-point operations of a step without the rows inside it; a multiply-add counts as two. */
double cs_layout_step_operations(const struct cs_layout *layout);
/* Columns that an assembly computes: with stability those of r are not among them. */
size_t cs_layout_columns(const struct cs_layout *layout);
/* Evaluations of the flow by a column of an assembly for ||M|| H = norm; multiply-adds of all columns with so many. */
double cs_layout_hops(const struct cs_layout *layout, double norm, size_t nodes);
double cs_layout_assembly_work(const struct cs_layout *layout, double hops);
/* Whether a step is straight-line code: up to 1000 entries in the map and the measures of a node. */
bool cs_layout_unrolled(const struct cs_layout *layout);
/* Position of an operator's first coefficient; its entries are stored row by row. */
size_t cs_layout_first_coefficient(const struct cs_layout *layout, enum cs_operator op);
/* Position of one of its entries, which exists. */
size_t cs_layout_coefficient(const struct cs_layout *layout, enum cs_operator op, size_t row, size_t column);
/* Of the steps of a cycle, divided by method.step.size: the longest, their sum; how many. 1 with other controls. */
double cs_layout_longest(const struct cs_layout *layout);
double cs_layout_period(const struct cs_layout *layout);
size_t cs_layout_phases(const struct cs_layout *layout);
/* Whether a run's number of steps follows from its settings: nothing chooses steps, and no event cuts any. */
bool cs_layout_knows_steps(const struct cs_layout *layout);
/* This number, for steps of H times those of the cycle, until t_end (s). */
double cs_layout_steps(const struct cs_layout *layout, double H, double t_end);
/* The table of positions that spectrum.cl reads, [cs_layout_spectrum_places()]. */
size_t cs_layout_spectrum_places(const struct cs_layout *layout);
void cs_layout_spectrum_table(const struct cs_layout *layout, int64_t *table);
/* Modes of the exact solution that its metrics follow from: of all states, or none where they are not wanted. */
size_t cs_layout_exact_modes(const struct cs_layout *layout);
/* Multiply-adds of the eigenvalues of a map's block. */
double cs_layout_spectrum_work(const struct cs_layout *layout);
/* Multiply-adds of all `steps` steps by doubling, and the cost of one of these relative to one in stepping: above 1 for
 * straight-line code, below 1 for loops, whose stepping is limited by loading the map, and least for large networks,
 * whose doubling is products of matrices, unless sums of squares have to be added up, which many repeat by the factor
 * of the Gram matrix. */
double cs_layout_double_weight(const struct cs_layout *layout);
double cs_layout_double_work(const struct cs_layout *layout, double steps, size_t nodes);

/* Matrices of doubling (double.clh): register tiles for the block of r and for the rest of z; sizes padded to whole
 * tiles. */
struct cs_tiling {
  size_t rows_r, columns_r, rows_w, columns_w, padded_r, padded;
};
struct cs_tiling cs_layout_tiling(const struct cs_layout *layout, unsigned lanes);
/* Positions in the local memory of a team of work-items that share a run in doubling (double_team.cl), after its
 * matrices [kept][kept]: z [kept], the next z [kept], the reason for repeating the run. `items`: total count. */
struct cs_team {
  size_t z, next, again, items;
};
struct cs_team cs_layout_team(const struct cs_layout *layout);
/* Bytes of local memory that a team needs; 0 if that exceeds the 32 KiB that every device has, or without doubling. */
size_t cs_layout_team_bytes(const struct cs_layout *layout);
/* Work-items that share the steps of a run (step_team.cl), and the most rows that one of them has; 0 without fixed
 * steps. */
struct cs_step_team {
  size_t items, slots;
};
struct cs_step_team cs_layout_step_team(const struct cs_layout *layout);
/* Work-items that share a run with variable steps (vary_team.cl), and their numbers in local memory; near: the lane's
 * coefficients are among them. 0 where the method has no teams, or their arrays exceed 32 KiB. */
struct cs_vary_team {
  size_t items, room;
  bool near;
};
struct cs_vary_team cs_layout_vary_team(const struct cs_layout *layout);
/* Those arrays, with the names of their places in team.clh; returns the sum of their counts. */
struct cs_team_array {
  const char *name;
  size_t count;
};
enum { CS_TEAM_ARRAYS = 42 };
size_t cs_layout_vary_team_arrays(const struct cs_layout *layout, struct cs_team_array list[CS_TEAM_ARRAYS]);
/* Of row i, of a step or behind these of a node inside it: whether every step has it, not the final values alone;
 * whether it has a sum or maximum of its own, or is one of the map. */
bool cs_layout_is_measured(const struct cs_layout *layout, size_t i);
bool cs_layout_begins_unit(const struct cs_layout *layout, size_t i);
/* Numbers of the matrices of doubling per lane. */
size_t cs_layout_doubling_items(const struct cs_layout *layout, unsigned lanes);
/* Bytes of the matrices per lane; with stability, of the block and of the scratch space for its reduction. */
size_t cs_layout_workspace(const struct cs_layout *layout, unsigned lanes);

/* Whether a run uses doubling: if requested, or if it is less work than stepping, with multiply-adds in doubling
 * weighted by cs_layout_double_weight (checked in bench/). Depends on sizes and numbers of steps and nodes only. */
bool cs_layout_doubles(const struct cs_layout *layout, double steps, size_t nodes);

#endif
