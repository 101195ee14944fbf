/* How a sweep is to be run, and what is told while it runs. */
#ifndef COSWEEP_OPTIONS_H
#define COSWEEP_OPTIONS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

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

#endif
