/* Group /provenance of a result: what was run, on what, by which program (docs/formats.md section 4). */
#ifndef COSWEEP_PROVENANCE_H
#define COSWEEP_PROVENANCE_H

#include "device.h"
#include "options.h"
#include "plan.h"
#include "table.h"

#define CS_BUILD_OPTIONS "-cl-std=CL1.2 -w"

struct cs_provenance {
  const struct cs_plan *plan;
  const struct cs_device_info *const *device; /* [devices]; kernels are told as the first one has them */
  size_t devices;
  const struct cs_engine_options *options;
  const char *started;
  const char *engine;          /* how the runs were computed; NULL: as the table says */
  size_t runs, points;         /* points: computed beside the runs */
  double steps, occupancy;     /* tried; of vectors of lanes by steps that vary, NaN where there are none */
  double wall, device_seconds; /* s */
};

/* "2026-01-31T12:00:00Z": now. */
enum { CS_TIME_STAMP = 64 };
void cs_provenance_stamp(char text[CS_TIME_STAMP]);

int cs_provenance_add(const struct cs_provenance *provenance, struct cs_table *table, struct cs_error *error);

#endif
