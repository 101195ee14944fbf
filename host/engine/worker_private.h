/* What the parts of the worker share. */
#ifndef COSWEEP_WORKER_PRIVATE_H
#define COSWEEP_WORKER_PRIVATE_H

#include "sizing.h"
#include "worker.h"

enum kernel { BEGIN, ASSEMBLE, STEP, DOUBLE, DOUBLE_ROOT, DOUBLE_TEAM, SPECTRUM, BEGIN_VARIED, VARY, KERNELS };

enum storage { COEFFICIENTS, DATA, STATE, WORKSPACE, TABLE, MARKS, ORDER, RECORD, STORAGES };

/* Runs of a doubled tile that have to be done in another way: enum cs_again. */
enum { AGAIN_BY_STEPS, AGAIN_BY_ROOT, AGAINS };

struct again {
  size_t *run;
  size_t count;
};

struct cs_worker {
  struct cs_worker_setup setup;
  const struct cs_layout *layout; /* of the variant in use */
  bool steps, doubles;            /* what the variant's tiles need */
  bool warming_up;                /* launches are part of building */
  size_t team;                    /* work-items that share a run in doubling; 0: none do */
  struct cs_kernel *kernel[KERNELS];
  struct cs_buffer *buffer[STORAGES];
  size_t room[STORAGES]; /* bytes */
  double *host;
  size_t room_host;
  struct again again[AGAINS];
};

/* A tile with its sizes on this worker. */
struct job {
  const struct cs_tile *tile;
  const struct cs_layout *layout;
  size_t groups, lanes, items; /* vectors, runs with the last vector filled up, items of a lane's map */
  bool root;                   /* by the factor of the Gram matrix, not by the matrix */
  bool counted;                /* in the tally's work */
};

/* Buffers grow and stay. */
int cs_worker_need_buffer(struct cs_worker *worker, enum storage which, size_t bytes, struct cs_error *error);
int cs_worker_need_host(struct cs_worker *worker, size_t bytes, struct cs_error *error);
/* Arguments of a kernel: its buffers, then numbers. */
int cs_worker_arguments(struct cs_worker *worker, enum kernel kernel, const int64_t *number, struct cs_error *error);
/* A work-item for every vector of lanes, and for every column where there are some. */
int cs_worker_launch(struct cs_worker *worker, enum kernel kernel, enum cs_work work, size_t groups, size_t columns,
                     struct cs_error *error);
/* A team of work-items for every run. */
int cs_worker_launch_teams(struct cs_worker *worker, enum kernel kernel, size_t teams, struct cs_error *error);
/* A tile whose runs have steps of their own (worker_vary.c): fills, steps, hands over results. */
int cs_worker_vary(struct cs_worker *worker, const struct job *job, struct cs_error *error);

#endif
