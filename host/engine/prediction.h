/* What running a sweep takes at least: known at once, from its axes and metrics, before anything is planned. */
#ifndef COSWEEP_PREDICTION_H
#define COSWEEP_PREDICTION_H

#include "options.h"
#include "sweep.h"

struct cs_prediction {
  double plan, table, file; /* bytes; of the file without its texts */
  double radii;             /* bytes of the runs' spectral radii, where boundaries are searched */
  bool spills;              /* the table is in a file beside that of the result while the sweep is computed */
};

/* `plan`: of one window (window.h). */
void cs_prediction_make(const struct cs_sweep *sweep, const struct cs_engine_options *options,
                        struct cs_prediction *prediction);

/* CS_DEVICE, with both numbers, if this machine has less memory. */
int cs_prediction_check_memory(const struct cs_sweep *sweep, const struct cs_engine_options *options,
                               struct cs_error *error);

#endif
