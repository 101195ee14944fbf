/* Computes tiles on one queue of a device: coefficients in, maps, steps or doubling, states out. A worker belongs to
 * one thread; several of them, on one device or on many, share a plan. */
#ifndef COSWEEP_WORKER_H
#define COSWEEP_WORKER_H

#include "result.h"
#include "tally.h"

/* Takes over the state of a run, [state_items] with a pitch between items (layout.h); from any worker's thread. */
typedef void cs_worker_enter(void *context, size_t run, enum cs_way way, const double *state, size_t pitch);

/* Takes over rows of a trace, [count][cs_record_place(layout, CS_RECORDS)]; from the thread of its only worker. */
typedef int cs_worker_record(void *context, const double *rows, size_t count, struct cs_error *error);

struct cs_worker_setup {
  const struct cs_plan *plan;
  const struct cs_engine_options *options;
  struct cs_device *device; /* its queue is the worker's own */
  size_t index;             /* of the device in the tally */
  unsigned lanes;
  struct cs_tally *tally;
  cs_worker_enter *enter;
  cs_worker_record *record; /* where the plan's variants record */
  void *context;
};

struct cs_worker;

int cs_worker_new(const struct cs_worker_setup *setup, struct cs_worker **worker, struct cs_error *error);
void cs_worker_free(struct cs_worker *worker);

/* Opens the kernels of a variant, which the tiles that follow belong to; the program is borrowed until the next call or
 * cs_worker_free. NULL closes them. `spectrum`: the program of cs_emit_spectrum, in study stability. */
int cs_worker_use(struct cs_worker *worker, struct cs_program *program, struct cs_program *spectrum, uint32_t variant,
                  struct cs_error *error);
/* Launches every kernel that the variant's tiles need on no lanes at all: drivers finish compiling at the first launch,
 * which would otherwise be taken for the time of the work. */
int cs_worker_warm_up(struct cs_worker *worker, struct cs_error *error);
/* CS_INTERRUPTED when the tally says stop. */
int cs_worker_tile(struct cs_worker *worker, const struct cs_tile *tile, struct cs_error *error);

#endif
