/* Statistics and messages of a sweep that was run. */
#ifndef COSWEEP_OUTCOME_H
#define COSWEEP_OUTCOME_H

#include "status.h"
#include "text.h"

/* Programs of OpenCL: those that were built, those that the cache had, and the seconds until they were ready. */
struct cs_preparation {
  size_t built, kept;
  double seconds;
};

struct cs_outcome {
  size_t status[CS_STATUSES]; /* runs by status */
  double device_seconds, wall_seconds, steps;
  struct cs_preparation programs;
  size_t repeats;          /* runs whose steps became too long for the network, computed again by other kernels */
  size_t points;           /* evaluated in addition to the runs, to locate stability boundaries */
  struct cs_text warnings; /* one line each */
  struct cs_text failures; /* reasons of the first failed runs; one line each */
};

/* Frees the texts; NULL is allowed. */
void cs_outcome_free(struct cs_outcome *outcome);

#endif
