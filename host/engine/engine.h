/* Runs a sweep: variants -> tiles -> launches -> table. */
#ifndef COSWEEP_ENGINE_H
#define COSWEEP_ENGINE_H

#include <stddef.h>

#include "device.h"
#include "options.h"
#include "outcome.h"
#include "sweep.h"
#include "table.h"

/* What running the sweep would take (--dry-run, check). */
struct cs_forecast {
  size_t runs, skipped, invalid, variants, tiles, launches;
  size_t planned;        /* runs that were planned for it; where these are not all, the other numbers are estimates, and
                            variants, reasons and errors those of runs that are spread evenly */
  size_t built;          /* of the variants: programs of OpenCL, where kernels of the host are not there or too slow */
  size_t programs, kept; /* these programs, which variants may share; of which in the cache */
  char builds_for[256];  /* the device that they are built for; "": none, or there is none */
  double build_seconds, compute_seconds; /* first guesses; build_seconds: before computing, compute_seconds: NaN if the
                                            device is no processor */
  double steps;                          /* of study simulation */
  size_t varied;                         /* runs whose number of steps is unknown in advance */
  size_t controlled; /* of these, runs with step size control; the others have events that cut steps */
  bool paced;        /* some run has steps of its own: nobody knows how long one takes */
  size_t analyses;   /* propagation matrices of study stability whose eigenvalues are computed */
  bool apart;        /* the device has memory of its own */
  size_t device_memory, host_memory, file_size; /* bytes: of tiles, which --memory bounds; of the process at its peak,
                                                   these included unless they are apart */
  size_t again_memory; /* of the process, where steps become long for a large network and its runs are repeated */
  size_t journal_size; /* bytes, of the whole sweep */
  bool journal_grows;  /* by what is unknown in advance: points of boundaries, runs that are repeated */
  const char *jumping; /* cs_engine_jumping of a run where it is not NULL */
  bool idle[CS_MAX_DIMENSIONS]; /* axes along which all runs are equal */
};

/* What follows where a solver keeps its memory over inputs that jump, a sentence without capital and full stop; NULL:
 * none does. */
const char *cs_engine_jumping(const struct cs_model *model, const struct cs_method *method);

int cs_engine_forecast(const struct cs_sweep *sweep, const struct cs_device_info *device,
                       const struct cs_engine_options *options, struct cs_forecast *forecast, struct cs_error *error);

/* Which events of the model happen before t_end in some run that a forecast plans, and change nothing in any: idle
 * [model->events]. None in study stability, which knows no events. */
int cs_engine_idle_events(const struct cs_sweep *sweep, const struct cs_engine_options *options, bool *idle,
                          struct cs_error *error);

/* Runs the sweep and returns the finished table: metrics [axes..., signal] named as in cs_metric_table, `status`, fits,
 * coordinates and provenance notes. CS_INTERRUPTED when stopped. `options` and `outcome` may be NULL. Of a shard
 * (struct cs_engine_options) there is no table, NULL. */
int cs_engine_run(const struct cs_sweep *sweep, struct cs_device *device, const struct cs_engine_options *options,
                  struct cs_table **table, struct cs_outcome *outcome, struct cs_error *error);

/* The same on several devices, each of which takes the next tile when it is free. Identical devices give identical
 * results, whichever of them computes a run. */
int cs_engine_run_on(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
                     const struct cs_engine_options *options, struct cs_table **table, struct cs_outcome *outcome,
                     struct cs_error *error);

/* Receives the numbers of one run: `table` has the arrays over the runs, each with this run's items alone. */
typedef int cs_engine_receive(void *context, size_t run, const struct cs_table *table, struct cs_error *error);

/* Asks for points between the runs: evaluate(points, ...). */
typedef int cs_engine_between(void *context, cs_evaluate *evaluate, void *points, struct cs_error *error);

/* What comes of single runs. */
struct cs_engine_again {
  cs_engine_receive *receive;
  cs_engine_between *between; /* called at the end of sweeps with a boundary or refined maps; may be NULL */
  void *context, *between_context;
};

/* Computes single runs of a sweep, one after the other, as cs_engine_run_on would, without what follows from several
 * runs: fits, boundaries, refined points. run [runs], ascending. No journals, shards or farms. */
int cs_engine_again(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
                    const struct cs_engine_options *options, const size_t *run, size_t runs,
                    const struct cs_engine_again *again, struct cs_outcome *outcome, struct cs_error *error);

/* Appends the kernel source of variant number `index` as it would be built; CS_INPUT if there is no such variant. Of a
 * sweep of which a forecast plans a part, a variant of those runs. */
int cs_engine_kernel(const struct cs_sweep *sweep, const struct cs_device_info *device,
                     const struct cs_engine_options *options, size_t index, struct cs_text *source,
                     struct cs_error *error);

#endif
