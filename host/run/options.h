/* How to run a sweep, and the progress reported meanwhile. */
#ifndef COSWEEP_OPTIONS_H
#define COSWEEP_OPTIONS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct cs_error;
struct cs_farm;
struct cs_journal;
struct cs_point; /* plan.h */

struct cs_progress {
  /* What `runs` are: "runs", where steps became too long for the network "repeated runs", or in what follows a
   * simulation "spectra" or "comparisons"; all counts restart. */
  const char *what;
  size_t runs, runs_done;
  size_t kernels, building;     /* all variants, all devices; number of the one being built, from 1; 0: none */
  double steps_rate, runs_rate; /* 1/s, of macro steps and of runs that are computed here and now; 0: unknown */
  double work, work_done;       /* predicted work in an arbitrary unit */
  double seconds;               /* s since the start */
  double separating, separate;  /* s since modes are being separated, 0: none are; s that this takes, predicted */
  double remaining;             /* s; NaN while unknown */
};

struct cs_engine_options {
  unsigned lanes;     /* VW: 1, 2, 4, 8 or 16; 0: the device's native width (1 on GPUs) */
  unsigned team;      /* work-items that share a run in doubling, with its matrices in local memory; used with 1 lane if
                         the matrices fit; 0: 64 on GPUs, none on CPUs */
  size_t tile_runs;   /* runs per tile; 0: chosen from the memory available */
  const char *beside; /* a file, the result's, beside which one without a name may have the results that memory has no
                         room for; NULL: none may */
  size_t window;      /* runs planned at a time; 0: chosen from the memory allowed (window.h) */
  size_t memory; /* bytes of device memory to use, for tiles and matrices, on a CPU also for what is handed over; 0:
                    half of the device's memory, but at most 1.5 GiB and at most its    largest buffer */
  const volatile sig_atomic_t *stop; /* non-zero: stop soon, with CS_INTERRUPTED; may be NULL */
  void (*progress)(const struct cs_progress *progress,
                   void *context); /* may be NULL; called from any thread, one at a time */
  void *context;
  const char *command; /* command line for the provenance; may be NULL */
  const char *builder; /* program that builds for OpenCL in other processes (builder.h), so that this one computes or
                          builds meanwhile; NULL: with `auto` none is built where the host has kernels */
  struct cs_journal *const *journal; /* [journals] that have results already; the first keeps those of now (resume.h) */
  size_t journals;
  size_t shard, shards; /* shard: compute only that one of so many, for the journal alone; 0 of some: merge theirs; 0 of
                           0: there are none */
  struct cs_farm *farm; /* processes that share the tiles, of which this is one (farm.h); NULL: none */
  bool complete;        /* compute what shards that are merged have not */
  double build_pays;    /* s of work on the host from which `auto` builds, 0: 10; core s from which a device of OpenCL
                           that was named does so with optimisation, 0: 0.5 for a CPU, 0.02 for others */
};

/* Computes radius [points], the spectral radii of points that lie between the values of axis [axes] (cs_plan_points);
 * NaN where no radius could be computed. */
typedef int cs_evaluate(void *context, const size_t *axis, size_t axes, const struct cs_point *point, size_t points,
                        double *radius, struct cs_error *error);

#endif
