/* Group /provenance of a result: the files run, the devices and the version of cosweep (docs/formats.md section 4). */
#ifndef COSWEEP_PROVENANCE_H
#define COSWEEP_PROVENANCE_H

#include "device.h"
#include "options.h"
#include "plan.h"
#include "table.h"

/* The variants of all plans of a sweep's runs, in the order in which they are met. */
struct cs_kernels {
  size_t count;
  struct cs_kernel_of {
    struct cs_layout *layout;
    bool computed; /* some run was */
  } * variant;     /* [count] */
};

/* Adds the variants of a plan, of `sweep` or a part of it. */
int cs_provenance_add_kernels(const struct cs_sweep *sweep, const struct cs_plan *plan, struct cs_kernels *kernels,
                              struct cs_error *error);
void cs_provenance_free_kernels(struct cs_kernels *kernels);

struct cs_provenance {
  const struct cs_sweep *sweep;
  const struct cs_kernels *kernels;
  const struct cs_device_info *const *device; /* [devices]; kernel sources are those of the first */
  size_t devices;
  const struct cs_device_info *asked; /* the device named first, for the checksum of the plan; NULL: none */
  const struct cs_engine_options *options;
  const char *started;
  const char *engine;                         /* how the runs were computed; NULL: taken from the table */
  const char *failures;                       /* a line for each reason of failed runs; NULL: none */
  size_t runs, points;                        /* points: evaluated in addition to the runs */
  size_t repeats;                             /* runs that were computed again by kernels of stiff networks */
  double steps, occupancy;                    /* steps tried; occupancy as from cs_pool_occupancy */
  double wall, build_seconds, device_seconds; /* s; build_seconds: as in struct cs_preparation */
};

enum { CS_TIME_STAMP = 64 };
/* The current time: "2026-01-31T12:00:00Z". */
void cs_provenance_stamp(char text[CS_TIME_STAMP]);

int cs_provenance_add(const struct cs_provenance *provenance, struct cs_table *table, struct cs_error *error);

#endif
