/* Places of the numbers of separated modes among a lane's numbers (modes.h computes them). */
#ifndef COSWEEP_MODE_PLACES_H
#define COSWEEP_MODE_PLACES_H

#include "layout.h"

/* Numbers of a lane, in this order, each row by row. r: exact coordinates, [exact]; blocks of subsystems have rows of
 * length dims.largest. */
enum cs_modes_part {
  CS_MODES_M,             /* [r][r] M, block diagonal */
  CS_MODES_Y,             /* [outputs][r] outputs of r */
  CS_MODES_T,             /* [r][r] states, in their coordinates, and constant of r */
  CS_MODES_I,             /* [r][r] r of the model's own states and the constant */
  CS_MODES_RATE,          /* [r] bound of the component's block of M, 1/s */
  CS_MODES_SLOW,          /* [r] set by kernels */
  CS_MODES_A,             /* [states][largest] A, block diagonal within each subsystem */
  CS_MODES_B,             /* [states][inputs] */
  CS_MODES_C,             /* [outputs][states] */
  CS_MODES_E,             /* [states] */
  CS_MODES_OWN,           /* [states][largest] the model's own states */
  CS_MODES_OWN_I,         /* [states][largest] and back */
  CS_MODES_RATE_A,        /* [states] bound of the subsystem's blocks of A, 1/s */
  CS_MODES_OCTAVE,        /* panels to every doubling (below): of the run, or of the step where steps vary, */
  CS_MODES_OCTAVE_ALWAYS, /* at least these, */
  CS_MODES_TURN,          /* and at least these, 1/s, times its size */
  CS_MODES
};

/* Position of a part; CS_MODES: the count of all numbers. */
size_t cs_mode_places_at(const struct cs_layout *layout, enum cs_modes_part part);

#endif
