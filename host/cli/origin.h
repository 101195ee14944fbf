/* The sweep that a result was made of, from its provenance. */
#ifndef COSWEEP_ORIGIN_H
#define COSWEEP_ORIGIN_H

#include "error.h"
#include "option.h"
#include "sweep.h"
#include "table.h"

/* CS_DEVICE if the table has none, or one that this program cannot read; CS_INPUT if it has fragments of code and
 * --no-fragments is given. */
int cs_origin_sweep(const char *path, const struct cs_table *table, const struct cs_arguments *arguments,
                    struct cs_sweep **sweep, struct cs_error *error);

#endif
