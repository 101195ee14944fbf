/* Matrices of Richardson's corrected estimate (docs/methods.md section 7). */
#ifndef COSWEEP_ESTIMATE_H
#define COSWEEP_ESTIMATE_H

#include "layout.h"

/* (2^(p+1) c3^-1 - I)^-1 with c3 = I + D (m+1) L, for every limit q = 0, 1, ... on the degrees m of the inputs and p of
 * the outputs' estimates. `numbers` and `places` as in network.h; matrix [estimates][outputs][outputs], NaN where none
 * exists. */
int cs_estimate_matrices(const struct cs_layout *layout, const double *numbers, const size_t *places, double *matrix,
                         struct cs_error *error);

/* What else they follow from: layouts of one model with the same kind have the same for a network. */
uint64_t cs_estimate_kind(const struct cs_layout *layout);

#endif
