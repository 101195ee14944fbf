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

/* How many there are. */
struct cs_layout_dims {
  size_t states, inputs, outputs, monitors;
  size_t exact;       /* r: the states and, in an affine network, a constant 1 */
  size_t coordinates; /* z: r, then block by block state errors and memories */
  size_t blocks;      /* of z: r, the subsystems, the master's own memory where it has one */
  size_t modes;       /* rows of the map's block of the co-simulation alone, without r */
  size_t kept;        /* coordinates of z in doubling: all but those that follow from states */
  size_t powers;      /* of s that input polynomials carry: largest degree + 1 */
};

/* What kind of variant it is. */
struct cs_layout_kind {
  bool stability; /* study stability (spectrum.cl): no rows of measures; the state holds results */
  bool affine;    /* r carries a constant 1 */
  /* euler's frozen slopes; any solver with micro steps of equal size; any implicit one; any with its own step sizes */
  bool frozen, inexact, implicit, adaptive;
  /* Samples' derivatives and midpoint lie on one solution; so does the whole step (see defect_series.clh). */
  bool follows_model, follows_throughout;
  bool varies;       /* no map is assembled, the step function is applied to the runs (vary.cl) */
  bool halves;       /* every step beside two of half its size */
  bool sees_defects; /* the controller asks for the largest defect of a step */
  bool records;      /* one run, of which every step is told, record.h (a trace) */
  bool doubles;      /* runs may go by doubling (double.cl): nothing needs every step; in a plan, and some do */
  bool has_doubled;  /* noted by the plan */
};

/* Places in z. */
struct cs_layout_places {
  size_t *block;     /* [blocks + 1] first columns */
  size_t *state;     /* [states] */
  long *input;       /* [parts][inputs] of the memories, or -1: none */
  long *output;      /* [outputs] or -1: no memory */
  size_t master;     /* of the numbers that the master keeps */
  bool *from_states; /* [inputs] the input's value comes from outputs without feed-through: the first coefficient of its
                        memory of part 0 is L C of the states' errors, L that of the part */
};

/* Degrees of polynomials over a step. */
struct cs_layout_degrees {
  size_t *input, *output; /* [inputs], [outputs] effective ones */
  size_t *estimate;       /* [outputs] of Richardson's estimate */
  size_t *connection;     /* [inputs] of the connection defect */
};

/* What the master makes of the network. */
struct cs_layout_master {
  const struct cs_user_fragment *user; /* NULL: a built-in one */
  size_t parts;         /* of the network that inputs receive from: 1, or 2 where some outputs are new already */
  size_t stages;        /* of subsystems that wait for each other */
  size_t memory;        /* plain numbers it keeps for itself */
  unsigned char *newer; /* [subsystems][subsystems] whether the first has the second's new values */
  unsigned char *reach; /* [subsystems][subsystems] whether a step of the first depends on the second */
};

/* Coefficients of a lane. */
struct cs_layout_coefficients {
  size_t count;
  struct cs_coefficient *list; /* of the operators, those from CS_K_X0 + states on */
  /* Richardson's corrected estimate (estimate.h): matrices for degrees 0, 1, ..., [estimates][outputs][outputs], and
   * the first coefficient of them; without it 0 of them. */
  size_t estimates, estimate_at;
  size_t control_at; /* the numbers of step size control */
};

/* A macro step in parts. */
struct cs_layout_step {
  size_t segments, pieces; /* of a step; quadrature pieces */
  size_t few;              /* nodes of the small rule */
  size_t *micro_length;    /* [states] segments per micro step */
  size_t ramp;             /* steps with maps of their own */
};

/* Rows of the assembled map and of the measures. */
struct cs_layout_map {
  size_t rows, inside_rows; /* of the map and point measures; per node */
  struct cs_row *row, *inside;
  size_t first_row[CS_ROWS_GROUPS]; /* of each group; inside groups count from 0 */
  bool wanted[CS_ROWS_GROUPS];
  size_t *connection_row; /* [inputs] the first of each connection defect */
  size_t point_items, inside_items;
};

/* Accumulators. */
struct cs_layout_measures {
  size_t sums, tops, finals;
  long sum_of[CS_METRICS], top_of[CS_METRICS], final_of[CS_METRICS]; /* first accumulator of a metric, or -1 */
};

/* Places in a lane's state, and its size; from `vary` on those of runs whose steps vary. */
struct cs_layout_state {
  size_t items, sums, tops, finals, diverged, growth;
  size_t vary, memory, coarse, flow, share;
};

struct cs_layout_control {
  size_t memory; /* numbers the controller keeps */
  size_t bonds;  /* power bonds */
};

struct cs_layout {
  const struct cs_sweep *sweep;
  const struct cs_model *model;
  struct cs_method method; /* own copy */
  struct cs_layout_dims dims;
  struct cs_layout_kind kind;
  struct cs_pattern pattern[CS_OPERATORS];
  struct cs_layout_degrees degree;
  struct cs_layout_master master;
  struct cs_layout_control control;
  struct cs_layout_places at;
  struct cs_layout_coefficients coefficients;
  struct cs_layout_step step;
  struct cs_layout_map map;
  struct cs_layout_measures measures;
  struct cs_layout_state state;
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
