/* What computing a sweep takes in memory: the one place that knows. What the process has anyway, program, model, plans,
 * is measured, as a forecast reads and plans what a run does; what computing adds to it is counted. */
#ifndef COSWEEP_FOOTPRINT_H
#define COSWEEP_FOOTPRINT_H

#include "device.h"
#include "options.h"
#include "plan.h"
#include "prediction.h"

struct cs_footprint {
  double plans; /* bytes of the plans of windows beyond the part that is planned here */
  double base;  /* the process with a part's plan and the texts of kernels */
  double tiles; /* of all workers, on the device; what --memory bounds */
  double host;  /* beside these on the host: matrices of threads, what is derived and kept */
};

/* Before the sweep's parts of so many runs are planned. */
void cs_footprint_begin(struct cs_footprint *footprint, const struct cs_sweep *sweep, size_t part,
                        const struct cs_engine_options *options);
/* Adds a plan, which is there alone or beside the one that it belongs to. */
int cs_footprint_add(struct cs_footprint *footprint, const struct cs_plan *plan, const struct cs_device_info *device,
                     const struct cs_engine_options *options, struct cs_error *error);
/* While all of a part is there that a run has too. */
void cs_footprint_look(struct cs_footprint *footprint);
/* Bytes that the process has at its peak, with a result of so many bytes (prediction.h) and so long a journal. */
double cs_footprint_most(const struct cs_footprint *footprint, const struct cs_device_info *device,
                         const struct cs_prediction_sizes *result, size_t journal);

#endif
