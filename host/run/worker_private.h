/* Shared by worker*.c. */
#ifndef COSWEEP_WORKER_PRIVATE_H
#define COSWEEP_WORKER_PRIVATE_H

#include "sizing.h"
#include "worker.h"

enum kernel {
  BEGIN,
  ASSEMBLE,
  STEP,
  STEP_TEAM,
  DOUBLE,
  DOUBLE_ROOT,
  DOUBLE_TEAM,
  SPECTRUM,
  BEGIN_VARIED,
  VARY,
  VARY_TEAM,
  KERNELS
};

enum storage { COEFFICIENTS, DATA, STATE, WORKSPACE, TABLE, MARKS, ORDER, RECORD, STORAGES };

/* Runs of a doubled tile that have to be repeated by another method (enum cs_again). */
enum { AGAIN_BY_STEPS, AGAIN_BY_ROOT, AGAINS };

struct again {
  size_t *run;
  size_t count;
};

struct cs_worker {
  struct cs_worker_setup setup;
  const struct cs_layout *layout; /* of the variant in use */
  struct cs_programs *programs;   /* its, borrowed */
  bool steps, doubles;            /* whether tiles of the variant step, or double */
  bool entered;                   /* a run of the tile has its result */
  size_t team;                    /* work-items that share a run in doubling; 0: none */
  size_t step_team;               /* work-items that share the steps of a run; 0: none do */
  size_t vary_team;               /* the same with variable steps */
  struct cs_kernel *kernel[KERNELS];
  struct cs_buffer *buffer[STORAGES];
  size_t room[STORAGES]; /* bytes */
  double *host;
  size_t room_host;
  struct again again[AGAINS];
};

/* A tile and its sizes on this worker. */
struct job {
  const struct cs_tile *tile;
  const struct cs_layout *layout;
  size_t groups, lanes, items; /* vectors; runs, including the padding of the last vector; items of a run's map */
  bool root;                   /* doubling with the factor of the Gram matrix instead of the matrix */
  bool counted;                /* as work in the tally */
  size_t told;                 /* runs counted there before the tile is done */
};

/* The coefficients of a network that are not its own numbers, from estimate_at to control_at: `derived`;
 * `apart` as in modes.h. */
int cs_worker_derive(const struct cs_worker *worker, const struct cs_layout *layout, uint32_t network, bool apart,
                     const size_t *places, double *derived, struct cs_error *error);
/* Parameters of a run's user-defined master, from own_at to control_at: `to`. */
void cs_worker_own(const struct cs_plan *plan, const struct cs_layout *layout, size_t run, double *to);
/* Make a buffer at least this large; it is kept for later tiles. */
int cs_worker_need_buffer(struct cs_worker *worker, enum storage which, size_t bytes, struct cs_error *error);
int cs_worker_need_host(struct cs_worker *worker, size_t bytes, struct cs_error *error);
/* Passes on a run's state. */
void cs_worker_enter_run(struct cs_worker *worker, size_t run, enum cs_way way, const double *state, size_t pitch);
/* Sets a kernel's arguments: its buffers, then its numbers. Opens the kernel if few tiles need it. */
int cs_worker_arguments(struct cs_worker *worker, enum kernel kernel, const int64_t *number, struct cs_error *error);
/* One work-item per vector of lanes, or per vector and column if `columns` > 0. */
int cs_worker_launch(struct cs_worker *worker, enum kernel kernel, enum cs_work work, size_t groups, size_t columns,
                     struct cs_error *error);
/* One team of work-items per run. */
int cs_worker_launch_teams(struct cs_worker *worker, enum kernel kernel, size_t teams, struct cs_error *error);
/* Computes a tile of runs with step size control (worker_vary.c). */
int cs_worker_vary(struct cs_worker *worker, struct job *job, struct cs_error *error);

#endif
