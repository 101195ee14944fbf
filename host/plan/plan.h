/* Sweep -> variants, runs and tiles, with predicted steps, work and memory. A pure function of the sweep and the
 * options: planning again gives the same tiles. */
#ifndef COSWEEP_PLAN_H
#define COSWEEP_PLAN_H

#include <stdint.h>

#include "network.h"
#include "pacing.h"
#include "status.h"

struct cs_run {
  double step_size, steps; /* H (s), N */
  double norm;             /* ||M|| H */
  double chain;            /* least ||M|| H for the number of terms of series */
  double relaxation;       /* of iterations */
  double octave;           /* panels of a graded quadrature (modes.h) */
  uint32_t variant, network;
  uint32_t nodes;       /* nodes inside a step */
  unsigned char status; /* before running: ok, or the reason for not running it */
  bool doubled;         /* computed by doubling rather than step by step */
};

struct cs_tile {
  const size_t *run; /* [count] indices of its runs */
  size_t count;
  uint32_t variant;
  size_t nodes; /* room for nodes inside a step, per lane */
  bool doubled; /* applies to all of its runs */
  double steps;
};

struct cs_plan;

struct cs_plan_options {
  enum cs_study study; /* the sweep's, or stability for the spectra that accompany a simulation */
  unsigned lanes;
  size_t tile_runs; /* runs per tile; 0: as many as fit into memory */
  double
      tile_work; /* multiply-adds of the steps of a tile, unless it has no more than `tile_least` runs; 0: any number */
  size_t tile_least;
  size_t memory;  /* bytes that a worker may take on the device: its tile, and matrices of doubling or of eigenvalues */
  size_t workers; /* that share what the user allows; 0: 1 */
  size_t group;   /* work-items, each with its own matrices, of which there must be one group; 0: 1 */
  bool staged;    /* what goes to and from the device takes the same memory: a CPU's */
  bool other;     /* every run by another formulation, with other rounding errors: that of stiff networks */
  bool records;   /* a trace: every step recorded, at most `most` steps */
  double most;
  /* Spectra beside a simulation: its plan, whose programs are to serve; NULL else. Not kept. */
  const struct cs_plan *beside;
};

/* A run with different values on some axes. */
struct cs_point {
  size_t run; /* in the whole sweep */
  double value[2];
};

enum { CS_PLAN_REASONS = 8 }; /* runs that stand for others */

/* Why runs are not computed: lines "run 12 (H=-1): ...", the first run for each reason. */
struct cs_plan_reasons {
  struct cs_text text;
  size_t count;
  struct cs_plan_reason {
    enum cs_status status;
    size_t line, at; /* where the line and the reason itself begin in `text` */
  } known[CS_PLAN_REASONS];
};

struct cs_plan {
  const struct cs_sweep *sweep;
  struct cs_plan_options options;
  bool of_points; /* variants are borrowed from another plan */
  size_t runs, variants, tiles, ordered;
  struct cs_run *run;         /* [runs] */
  struct cs_layout **variant; /* [variants] */
  size_t modes;               /* largest number of eigenvalues of a variant */
  struct cs_networks *networks;
  struct cs_pacing pacing;
  double *own;     /* [runs][names of the sweep's masters' parameters]; NULL if there are none */
  uint32_t *paced; /* [runs] set in `pacing` of each run with variable steps or compensation; NULL if there are none */
  size_t *order;   /* [ordered] indices of the runs to compute: by variant, doubling, nodes and ascending steps */
  struct cs_tile *tile;
  size_t done;   /* tiles that are not computed again */
  size_t *again; /* [repeats] order of the runs to repeat; NULL: none yet */
  size_t repeats;
  size_t *left;   /* order of the runs that the tiles from `done` on have, if some were dropped */
  size_t dropped; /* their number */
  double steps;
  size_t status[CS_STATUSES]; /* runs by status before running */
  struct cs_plan_reasons reasons;
};

int cs_plan_new(const struct cs_sweep *sweep, const struct cs_plan_options *options, struct cs_plan **plan,
                struct cs_error *error);
/* Plans `points` further runs, in study stability, of the sweep that `plan` is of a part of: run i is point[i], whose
 * value[] replaces the run's on the numeric axes axis [axes]; point.run is a number in the whole sweep. The new plan
 * borrows the variants, to which those that `plan` has not are added. */
int cs_plan_points(struct cs_plan *plan, const struct cs_sweep *sweep, const size_t *axis, size_t axes,
                   const struct cs_point *point, size_t points, struct cs_plan **made, struct cs_error *error);
/* Appends tiles that repeat runs with variable steps by the variants for stiff networks; those before are done. There
 * are at most twice as many variants afterwards. */
int cs_plan_again(struct cs_plan *plan, const size_t *run, size_t runs, struct cs_error *error);
/* Cuts anew the tiles of the order, or of the runs to repeat, without those that need not be computed. done [runs]. */
int cs_plan_drop(struct cs_plan *plan, const bool *done, struct cs_error *error);
void cs_plan_free(struct cs_plan *plan);

/* The largest number of eigenvalues of a variant (struct cs_plan), without planning the runs. */
int cs_plan_modes(const struct cs_sweep *sweep, size_t *modes, struct cs_error *error);

/* Adds the reasons of a plan of further runs that are not yet among `all`. */
void cs_plan_add_reasons(struct cs_plan_reasons *all, const struct cs_plan_reasons *own);

/* What plans of a sweep's parts show of an axis: no two runs along it that are computed; only equal ones; others. */
enum cs_plan_effect { CS_EFFECT_UNKNOWN, CS_EFFECT_NONE, CS_EFFECT_SEEN };
/* Adds what a plan shows to effect [axes], before the first one CS_EFFECT_UNKNOWN. Runs are equal if kernels are given
 * the same. */
void cs_plan_note_effects(const struct cs_plan *plan, enum cs_plan_effect *effect);

/* Part of cs_plan_new. Adds tiles of one variant each for the runs of an order [ordered]; a tile that is too large is
 * halved. */
int cs_plan_cut(struct cs_plan *plan, const size_t *order, size_t ordered, struct cs_error *error);

/* Bytes of a tile of `count` runs on the device, its last vector padded; matrices are not among them. */
size_t cs_plan_tile_bytes(const struct cs_plan_options *options, const struct cs_layout *layout, size_t count,
                          size_t nodes);
/* Bytes of a worker's memory that matrices of doubling or of eigenvalues may take: a quarter, but one group's. */
size_t cs_plan_matrix_bytes(size_t memory, const struct cs_layout *layout, size_t group, unsigned lanes);

#endif
