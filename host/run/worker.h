/* Computes tiles on one queue of a device: uploads coefficients, assembles maps, steps or doubles, and collects states.
 * A worker belongs to one thread; several, on one or more devices, share a plan. */
#ifndef COSWEEP_WORKER_H
#define COSWEEP_WORKER_H

#include "builder.h"
#include "programs.h"
#include "recall.h"
#include "result.h"
#include "tally.h"

/* Receives the final state of a run, [layout->state.items] with items `pitch` apart; called from any worker's thread.
 */
typedef void cs_worker_enter(void *context, size_t run, enum cs_way way, const double *state, size_t pitch);

/* Receives rows of a trace, [count][cs_record_place(layout, CS_RECORDS)]; called from the thread of its only worker. */
typedef int cs_worker_record(void *context, const double *rows, size_t count, struct cs_error *error);

struct cs_worker_setup {
  const struct cs_plan *plan;
  const struct cs_engine_options *options;
  struct cs_device *device; /* its queue is used by this worker only */
  size_t index;             /* of the device in the tally */
  unsigned lanes;
  bool alike; /* results are to have the bits of the host: no teams */
  struct cs_tally *tally;
  struct cs_recall *recall; /* of all workers */
  cs_worker_enter *enter;
  cs_worker_record *record; /* NULL unless the plan's variants record */
  void *context;
};

struct cs_worker;

int cs_worker_new(const struct cs_worker_setup *setup, struct cs_worker **worker, struct cs_error *error);
void cs_worker_free(struct cs_worker *worker);

/* The parts whose kernels the variant's tiles normally launch on a device: opened before its first tile, others on
 * demand. Of `setup` plan, options and `alike` are used. */
void cs_worker_parts(const struct cs_worker_setup *setup, uint32_t variant, const struct cs_device_info *device,
                     bool part[CS_PARTS]);
/* Opens the kernels of the variant that the following tiles belong to. `programs` NULL only closes those in use. They
 * are borrowed until the next call or cs_worker_free; those that a tile needs beyond them are added. */
int cs_worker_use(struct cs_worker *worker, struct cs_programs *programs, uint32_t variant, struct cs_error *error);
/* Launches every kernel that the variant's tiles need, on no lanes: drivers finish compiling at the first launch, and
 * that time must not count as work. */
int cs_worker_warm_up(struct cs_worker *worker, struct cs_error *error);
/* The kernels of a part of these, which cs_worker_warm_up launches on a CPU. */
size_t cs_worker_kernels(const struct cs_worker_setup *setup, uint32_t variant, const struct cs_device_info *device,
                         enum cs_part part, struct cs_builder_kernel kernel[CS_BUILDER_KERNELS]);
/* Computes a tile; CS_INTERRUPTED when cs_tally_stopped. */
int cs_worker_tile(struct cs_worker *worker, const struct cs_tile *tile, struct cs_error *error);
/* Whether cs_worker_enter was called for a run of the last tile. */
bool cs_worker_has_entered(const struct cs_worker *worker);

#endif
