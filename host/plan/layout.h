/* What a variant looks like: sizes, which entries of the network and of the assembled map can be non-zero, and where
 * everything stands in the lanes' data. Pure function of model, method and wanted metrics; kernels are printed from it
 * (emit) and filled by it (engine). */
#ifndef COSWEEP_LAYOUT_H
#define COSWEEP_LAYOUT_H

#include <stdint.h>

#include "facts.h"
#include "sweep.h"

/* Matrices of the network as kernels see it. Y, M act on r = (x, 1): M [r][r], Y [outputs][r]. */
enum cs_operator {
  CS_OP_M,
  CS_OP_Y,
  CS_OP_A,
  CS_OP_B,
  CS_OP_C,
  CS_OP_D,
  CS_OP_L,
  CS_OP_S,    /* (I - D L)^-1 */
  CS_OP_BIAS, /* b */
  CS_OP_E,    /* e */
  CS_OP_MX,
  CS_OP_MU,
  CS_OP_MY,
  CS_OP_MC, /* monitors at the equilibrium the network is shifted to */
  CS_OP_EVENT_TIME,
  CS_OP_EVENT_SET,
  CS_OP_EVENT_ADD,
  CS_OPERATORS
};

struct cs_pattern {
  size_t rows, columns;
  unsigned char *set; /* [rows][columns] */
};

struct cs_coefficient {
  enum cs_operator from;
  size_t row, column;
};

/* A group of rows of the assembled map, one row per signal (several for a connection defect). */
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
  CS_ROWS_POINT_GROUPS, /* rows inside the step follow */
  CS_ROWS_OUTPUT_ERROR = CS_ROWS_POINT_GROUPS,
  CS_ROWS_INPUT_ERROR,
  CS_ROWS_STATE_ERROR,
  CS_ROWS_OUTPUT_DEFECT_TRUE,
  CS_ROWS_INTEGRATION_DEFECT,
  CS_ROWS_GROUPS
};

struct cs_row {
  enum cs_rows group;
  size_t signal;
  unsigned char *block; /* [blocks]: may touch block 0 (r), 1 + subsystem */
  int *entry;           /* [blocks]: place of the block's first column among the items, -1 when untouched */
  int sum, top, final;  /* accumulators, or -1 */
};

struct cs_layout {
  const struct cs_sweep *sweep;
  const struct cs_model *model;
  struct cs_method method; /* own copy */

  bool affine; /* r carries a constant 1 */
  /* euler's frozen slopes; any solver with micro steps of equal size; any implicit one; any with its own step sizes */
  bool frozen, inexact, implicit, adaptive;
  /* Samples' derivatives and midpoint lie on one solution; so does the whole step (see defect_series.clh). */
  bool follows_model, follows_throughout;
  size_t r, x, u, y, monitors, z, blocks; /* counts: r, states, inputs, outputs, z, blocks of z */
  size_t coefficients_of_input;           /* NQ: coefficients carried, largest degree + 1 */
  size_t *block_first;                    /* [blocks + 1] columns of z */
  size_t *input_order, *output_order;     /* effective degrees [u], [y] */
  size_t *state_at;                       /* places in z */
  long *input_at;                         /* [parts][u] of the memories, or -1: none */
  long *output_at;                        /* or -1: no memory */
  /* The master: parts of the network that inputs receive from (1, or 2 where some outputs are new already), stages of
   * subsystems that wait for each other, plain numbers it keeps for itself and their place in z. */
  size_t parts, stages, master_memory, master_at;
  const struct cs_user_fragment *user; /* NULL: a built-in one */
  unsigned char *newer;                /* [subsystems][subsystems] whether the first has the second's new values */
  unsigned char *reach;                /* [subsystems][subsystems] whether a step of the first depends on the second */
  struct cs_pattern pattern[CS_OPERATORS];
  size_t coefficients;
  struct cs_coefficient *coefficient; /* of the operators, those from CS_K_X0 + x on */
  /* Richardson's corrected estimate (estimate.h): matrices for degrees 0, 1, ..., the first coefficient of [estimates]
   * [y][y]; without it 0 of them. Degree p of each output's estimate [y]. */
  size_t estimates, estimate_at;
  size_t *estimate_degree;

  size_t segments, pieces, few; /* of a step; quadrature pieces; nodes of the small rule */
  size_t *micro_length;         /* [x] segments per micro step */
  size_t ramp_steps;            /* steps with maps of their own */

  size_t rows, inside_rows; /* rows of the map and point measures; rows per node */
  struct cs_row *row, *inside;
  size_t first_row[CS_ROWS_GROUPS]; /* of each group; inside groups count from 0 */
  bool wanted[CS_ROWS_GROUPS];
  size_t *connection_row, *connection_degree; /* [u] */
  size_t point_items, inside_items;

  size_t sums, tops, finals;
  long sum_of[CS_METRICS], top_of[CS_METRICS], final_of[CS_METRICS]; /* first accumulator of a metric, or -1 */
  size_t state_items, state_sums, state_tops, state_finals, state_diverged, state_growth;

  /* Study stability (spectrum.cl): the map's block of the co-simulation alone, without r; no rows of measures. The
   * state holds results: what the block's eigenvalues say, and on request `modes` of them, real parts first. */
  bool stability;
  size_t modes; /* rows of the block */

  /* Steps vary: no map is assembled, the step function is applied to the runs (vary.cl). */
  bool varies, halves;          /* `halves`: every step beside two of half its size */
  bool sees_defects;            /* the controller asks for the largest defect of a step */
  bool records;                 /* one run, of which every step is told, record.h (a trace) */
  size_t control_memory, bonds; /* numbers the controller keeps; power bonds */
  size_t control_at;            /* of the numbers of step size control among the coefficients */
  size_t state_vary, state_memory, state_coarse, state_flow, state_share; /* places in the state */

  bool doubles;      /* runs may go by doubling (double.cl): nothing needs every step; in a plan, and some do */
  bool has_doubled;  /* noted by the plan */
  bool *from_states; /* [u] the input's value comes from outputs without feed-through: the first coefficient of its
                        memory of part 0 is L C of the states' errors, L that of the part */
  size_t kept;       /* coordinates of z in doubling: all but those */
};

/* `study`: the sweep's own, or stability for the spectra beside a simulation. `records`: for a trace. */
int cs_layout_new(const struct cs_sweep *sweep, const struct cs_method *method, enum cs_study study, bool records,
                  struct cs_layout **layout, struct cs_error *error);
void cs_layout_free(struct cs_layout *layout);
/* Whether the macro step goes by one series (across.clh). */
bool cs_layout_is_across(const struct cs_layout *layout);
/* About the private memory that a work-item needs for each of its lanes where steps vary, in bytes. */
size_t cs_layout_private_bytes(const struct cs_layout *layout);
/* Panels that the quadrature inside a piece of the step may have. */
size_t cs_layout_panels_most(const struct cs_layout *layout);

/* Quadrature of a lane with ||M|| H = norm: K_PANELS, K_LEVELS, K_FIRST_PANEL, K_NODES. Returns the nodes it takes per
 * step. */
size_t cs_layout_quadrature(const struct cs_layout *layout, double norm, double *panels, double *levels,
                            double *first_panel, double *nodes);

/* Step calls of subsystems in a macro step, and how many of them one after the other where the others run beside. */
size_t cs_layout_evaluations(const struct cs_layout *layout);
size_t cs_layout_stages(const struct cs_layout *layout);

/* Multiply-adds of one step with `nodes` inside nodes; of one assembly for ||M|| H = norm (predicted work). */
double cs_layout_step_work(const struct cs_layout *layout, size_t nodes);
/* Floating-point operations of a step, rows inside the step left out; a multiply-add counts two. */
double cs_layout_step_operations(const struct cs_layout *layout);
double cs_layout_assembly_work(const struct cs_layout *layout, double norm, size_t nodes);
/* Whether a step is straight-line code: up to 1000 entries of the map and the measures of a node. */
bool cs_layout_unrolled(const struct cs_layout *layout);
/* The table of places that spectrum.cl reads, [cs_layout_spectrum_places()]. */
size_t cs_layout_spectrum_places(const struct cs_layout *layout);
void cs_layout_spectrum_table(const struct cs_layout *layout, int64_t *table);
/* Of the eigenvalues of a map's block. */
double cs_layout_spectrum_work(const struct cs_layout *layout);
/* Of all `steps` steps by doubling; and what one of these multiply-adds takes, in those of stepping: more than one of
 * straight-line code, less than one of large models, which wait for their maps. */
double cs_layout_double_weight(const struct cs_layout *layout);
double cs_layout_double_work(const struct cs_layout *layout, double steps, size_t nodes);

/* Matrices of doubling (double.cl): register tiles of the block of r and of the rest of z; sizes in whole tiles. */
struct cs_tiling {
  size_t rows_r, columns_r, rows_w, columns_w, padded_r, padded;
};
struct cs_tiling cs_layout_tiling(const struct cs_layout *layout, unsigned lanes);
/* Places in the local memory of a team of work-items that shares a run in doubling (double_team.cl), behind its
 * matrices [kept][kept]: z [kept], the next z [kept], what the run is done again for. `items`: numbers in all. */
struct cs_team {
  size_t z, next, again, items;
};
struct cs_team cs_layout_team(const struct cs_layout *layout);
/* Bytes of local memory that a team needs for a run; 0 where it is more than the 32 KiB
 * that every device has, or there is no doubling. */
size_t cs_layout_team_bytes(const struct cs_layout *layout);
/* Bytes of these matrices per lane; in study stability, of the block and what its reduction needs. */
size_t cs_layout_workspace(const struct cs_layout *layout, unsigned lanes);

/* Whether a run goes by doubling: where it is asked for, or where it is less work than stepping, a multiply-add in
 * doubling counting as cs_layout_double_weight (bench/ checks the figure). Depends on nothing but sizes and steps. */
bool cs_layout_doubles(const struct cs_layout *layout, double steps, size_t nodes);

#endif
