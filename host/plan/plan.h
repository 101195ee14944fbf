/* Sweep -> variants, runs and tiles, with predicted steps, work and memory. A pure function of the sweep and a few
 * numbers, so that whoever plans again gets the same tiles. */
#ifndef COSWEEP_PLAN_H
#define COSWEEP_PLAN_H

#include <stdint.h>

#include "network.h"
#include "pacing.h"
#include "status.h"

struct cs_run {
  double step_size, steps; /* H (s), N */
  double norm;             /* ||M|| H */
  uint32_t variant, network;
  uint32_t nodes;       /* inside nodes per step */
  unsigned char status; /* before running: ok or why it is not run */
  bool doubled;         /* by doubling, not step by step */
};

struct cs_tile {
  const size_t *run; /* [count] numbers of its runs */
  size_t count;
  uint32_t variant;
  size_t nodes; /* room for inside nodes per lane */
  bool doubled; /* all of its runs, or none */
  double steps;
};

struct cs_plan_options {
  enum cs_study study; /* the sweep's, or stability for the spectra beside a simulation */
  unsigned lanes;
  size_t tile_runs; /* 0: from memory */
  size_t memory;    /* bytes a tile may take on the device */
  bool records;     /* a trace: run number `only` alone, of which every step is told, at most `most` of them */
  size_t only;
  double most;
};

/* A run with other values along some axes. */
struct cs_point {
  size_t run;
  double value[2];
};

struct cs_plan {
  const struct cs_sweep *sweep;
  struct cs_plan_options options;
  bool of_points; /* its variants are another plan's */
  size_t runs, variants, tiles, ordered;
  struct cs_run *run;         /* [runs] */
  struct cs_layout **variant; /* [variants] */
  size_t modes;               /* eigenvalues of the variant that has most */
  struct cs_networks *networks;
  struct cs_pacing pacing;
  uint32_t *paced; /* [runs] of those whose steps vary their set in `pacing`; NULL where none do */
  size_t *order;   /* [ordered] run numbers that are computed: by variant, way of stepping, nodes and ascending
                      in steps */
  size_t copies;   /* runs that are the same work as another, which is computed for them */
  size_t *same;    /* [runs] for runs with status ok the one that is computed; NULL without copies */
  struct cs_tile *tile;
  double steps;
  size_t status[CS_STATUSES]; /* runs by status before running */
  struct cs_text reasons;     /* invalid runs, the first of each reason: "run 12 (H=-1): ..." lines */
};

int cs_plan_new(const struct cs_sweep *sweep, const struct cs_plan_options *options, struct cs_plan **plan,
                struct cs_error *error);
/* The plan of `points` runs of a sweep of which `plan` is the plan, in study stability: run i is point i, with values
 * of its own along axis [axes], axes of real numbers. Its point.run must be one that `plan` computes. The new plan
 * borrows the variants. */
int cs_plan_points(const struct cs_plan *plan, const size_t *axis, size_t axes, const struct cs_point *point,
                   size_t points, struct cs_plan **made, struct cs_error *error);
void cs_plan_free(struct cs_plan *plan);

/* Takes runs that are the same work out of the order; fills `same`. Part of cs_plan_new. */
int cs_plan_merge_equal(struct cs_plan *plan, struct cs_error *error);

/* Bytes of a tile of `count` runs on the device, its last vector filled up. */
size_t cs_plan_tile_bytes(const struct cs_layout *layout, size_t count, size_t nodes, unsigned lanes);

#endif
