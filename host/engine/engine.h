/* Runs a sweep: variants -> tiles -> launches -> table. */
#ifndef COSWEEP_ENGINE_H
#define COSWEEP_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device.h"
#include "status.h"
#include "sweep.h"
#include "table.h"

struct cs_progress {
  bool beside; /* of the spectra that a simulation has beside it, after its runs; all counts begin anew */
  size_t runs, runs_done;
  size_t kernels, building; /* of all variants and devices; the one that is being built, from 1, 0: none */
  double steps, steps_done; /* macro steps of all lanes */
  double work, work_done;   /* predicted work, any unit */
  double seconds;           /* since the start */
  double remaining;         /* s; NaN while unknown */
};

struct cs_engine_options {
  unsigned lanes; /* VW: 1, 2, 4, 8 or 16; 0: the device's native width (1 on GPUs) */
  unsigned team;  /* with 1 lane: work-items that share a run in doubling, its matrices in local memory, where they fit
                     there; 0: 64 on GPUs, none on CPUs */
  size_t tile_runs; /* 0: chosen from memory */
  size_t memory;    /* bytes of device memory to use; 0: half of what the device has, at most 1.5 GiB and its largest
                       buffer */
  const volatile sig_atomic_t *stop; /* non-zero: stop soon with CS_INTERRUPTED; may be NULL */
  void (*progress)(const struct cs_progress *progress, void *context); /* may be NULL; from any thread, one at a time */
  void *context;
  const char *command; /* command line, for the provenance; may be NULL */
};

/* What a run of the sweep would do (--dry-run, check). */
struct cs_forecast {
  size_t runs, skipped, invalid, variants, tiles, launches;
  double steps;                                 /* of study simulation */
  size_t varied;                                /* runs whose steps vary: how many they take is not known before */
  size_t analyses;                              /* maps of study stability whose eigenvalues are computed */
  size_t device_memory, host_memory, file_size; /* bytes */
};

struct cs_report {
  size_t status[CS_STATUSES]; /* runs by status */
  double device_seconds, wall_seconds, steps;
  size_t points;           /* computed beside the runs: on the way to boundaries */
  struct cs_text warnings; /* one line each */
  struct cs_text failures; /* failed runs with reasons, the first of each kind; one line each */
};
void cs_report_free(struct cs_report *report);

int cs_engine_forecast(const struct cs_sweep *sweep, const struct cs_device_info *device,
                       const struct cs_engine_options *options, struct cs_forecast *forecast, struct cs_error *error);

/* Runs everything and returns the finished table (arrays [axes..., signal] named as in cs_metric_table, `status`,
 * fits, coordinates, provenance notes). CS_INTERRUPTED when stopped. `report` may be NULL. */
int cs_engine_run(const struct cs_sweep *sweep, struct cs_device *device, const struct cs_engine_options *options,
                  struct cs_table **table, struct cs_report *report, struct cs_error *error);

/* The same on several devices, which take tiles as they come free. Which device computes a run does not change it where
 * they are alike. */
int cs_engine_run_on(const struct cs_sweep *sweep, struct cs_device *const *device, size_t devices,
                     const struct cs_engine_options *options, struct cs_table **table, struct cs_report *report,
                     struct cs_error *error);

/* The kernel source of variant `index` as it would be built; CS_INPUT beyond the last. */
int cs_engine_kernel(const struct cs_sweep *sweep, const struct cs_device_info *device,
                     const struct cs_engine_options *options, size_t index, struct cs_text *source,
                     struct cs_error *error);

#endif
