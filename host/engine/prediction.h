/* What running a sweep takes at least: known at once, from its axes and metrics, before anything is planned. */
#ifndef COSWEEP_PREDICTION_H
#define COSWEEP_PREDICTION_H

#include "options.h"
#include "provenance.h"
#include "sweep.h"

struct cs_prediction {
  double plan, table, file; /* bytes; of the file without its texts */
  double radii;             /* bytes of the runs' spectral radii, where boundaries are searched */
  bool spills;              /* the table is in a file beside that of the result while the sweep is computed */
};

/* `plan`: of one window (window.h). */
void cs_prediction_make(const struct cs_sweep *sweep, const struct cs_engine_options *options,
                        struct cs_prediction *prediction);

/* Bytes of the result's file, its texts included; in memory until that is written of numbers, and of texts. */
struct cs_prediction_sizes {
  size_t file, numbers, texts;
};

/* Once kernels are known. */
int cs_prediction_result(const struct cs_sweep *sweep, const struct cs_device_info *device,
                         const struct cs_engine_options *options, size_t modes, const struct cs_kernels *kernels,
                         struct cs_prediction_sizes *sizes, struct cs_error *error);

/* CS_DEVICE, with both numbers, if this machine has less memory. */
int cs_prediction_check_memory(const struct cs_sweep *sweep, const struct cs_engine_options *options,
                               struct cs_error *error);

#endif
