/* Traces of some runs of a result, computed from the sweep in its provenance. */
#ifndef COSWEEP_HISTORIES_H
#define COSWEEP_HISTORIES_H

#include "error.h"
#include "option.h"
#include "table.h"

enum { CS_HISTORIES_MOST = 64 };

struct cs_histories {
  size_t count;
  size_t run[CS_HISTORIES_MOST];
  struct cs_table *table[CS_HISTORIES_MOST]; /* owned */
};

/* The runs that --trace names: numbers, "best" and "worst" of the result, separated by commas. CS_USAGE for other words
 * and runs; CS_INPUT for results of study stability, whose runs have no time. cs_histories_free is needed even on
 * failure. */
int cs_histories_compute(const char *path, const struct cs_table *table, const struct cs_arguments *arguments,
                         struct cs_histories *histories, struct cs_error *error);
void cs_histories_free(struct cs_histories *histories);

#endif
