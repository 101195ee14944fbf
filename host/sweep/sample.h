/* Points of the unit cube: random, a Latin hypercube, Sobol's sequence. The same on every machine. */
#ifndef COSWEEP_SAMPLE_H
#define COSWEEP_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum cs_sample { CS_SAMPLE_LHS, CS_SAMPLE_SOBOL, CS_SAMPLE_RANDOM, CS_SAMPLES };
enum { CS_SOBOL_DIMENSIONS = 21 };

const char *cs_sample_name(enum cs_sample kind); /* "lhs" */

/* point [dimensions][count], 0 <= point < 1. Random numbers are SplitMix64 of the seed and a counter; sobol: primitive
 * polynomials and direction numbers of Joe and Kuo (2008), in the order of the Gray code from the point 0 on, shifted
 * bit by bit by random numbers unless seed is 0. dimensions <= CS_SOBOL_DIMENSIONS with sobol. */
int cs_sample_fill(enum cs_sample kind, uint64_t seed, size_t dimensions, size_t count, double *point,
                   struct cs_error *error);

#endif
