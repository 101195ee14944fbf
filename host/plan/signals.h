/* Sizes of the exact solution's signals, beside which rounding is judged. */
#ifndef COSWEEP_SIGNALS_H
#define COSWEEP_SIGNALS_H

#include "layout.h"

enum cs_size_of {
  CS_SIZE_OF_OUTPUT,
  CS_SIZE_OF_INPUT,
  CS_SIZE_OF_STATE,
  CS_SIZE_OF_MONITOR, /* of its terms */
  CS_SIZE_OF_SLOPE,   /* of the terms of a state's derivative */
  CS_SIZES_OF
};

/* Position of the first signal of a kind; CS_SIZES_OF: the count of all. */
size_t cs_signals_place(const struct cs_layout *layout, enum cs_size_of kind);

/* Largest absolute values at instants from 0 to t_end, without events: size [cs_signals_place(layout, CS_SIZES_OF)].
 * `packed` as in network.h. Not finite where the solution overflows. CS_DEVICE without memory. */
int cs_signals_find(const struct cs_layout *layout, const double *packed, double t_end, double *size,
                    struct cs_error *error);

#endif
