/* Runs a sweep: variants -> tiles -> launches -> table. */
#ifndef COSWEEP_ENGINE_H
#define COSWEEP_ENGINE_H

#include <stddef.h>

#include "device.h"
#include "options.h"
#include "outcome.h"
#include "sweep.h"
#include "table.h"

/* What a run of the sweep would do (--dry-run, check). */
struct cs_forecast {
  size_t runs, skipped, invalid, variants, tiles, launches;
  double steps;                                 /* of study simulation */
  size_t varied;                                /* runs whose steps vary: how many they take is not known before */
  size_t analyses;                              /* maps of study stability whose eigenvalues are computed */
  size_t device_memory, host_memory, file_size; /* bytes */
};

int cs_engine_forecast(const struct cs_sweep *sweep, const struct cs_device_info *device,
                       const struct cs_engine_options *options, struct cs_forecast *forecast, struct cs_error *error);

/* Runs everything and returns the finished table (arrays [axes..., signal] named as in cs_metric_table, `status`,
 * fits, coordinates, provenance notes). CS_INTERRUPTED when stopped. `outcome` may be NULL. */
int cs_engine_run(const struct cs_sweep *sweep, struct cs_device *device, const struct cs_engine_options *options,
                  struct cs_table **table, struct cs_outcome *outcome, struct cs_error *error);

/* The same on several devices, which take tiles as they come free. Which device computes a run does not change it where
 * they are alike. */
int cs_engine_run_on(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
                     const struct cs_engine_options *options, struct cs_table **table, struct cs_outcome *outcome,
                     struct cs_error *error);

/* The kernel source of variant `index` as it would be built; CS_INPUT beyond the last. */
int cs_engine_kernel(const struct cs_sweep *sweep, const struct cs_device_info *device,
                     const struct cs_engine_options *options, size_t index, struct cs_text *source,
                     struct cs_error *error);

#endif
