/* How a run of a sweep went, beside its table. */
#ifndef COSWEEP_OUTCOME_H
#define COSWEEP_OUTCOME_H

#include "status.h"
#include "text.h"

struct cs_outcome {
  size_t status[CS_STATUSES]; /* runs by status */
  double device_seconds, wall_seconds, steps;
  size_t points;           /* computed beside the runs: on the way to boundaries */
  struct cs_text warnings; /* one line each */
  struct cs_text failures; /* failed runs with reasons, the first of each kind; one line each */
};

/* Frees the texts; NULL is allowed. */
void cs_outcome_free(struct cs_outcome *outcome);

#endif
