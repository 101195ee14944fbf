/* Coordinates of stiff networks: those of the exact solution and of each subsystem's states in which fast and slow
 * modes are separate (docs/methods.md section 5, kernels/flow/modes.clh). */
#ifndef COSWEEP_MODES_H
#define COSWEEP_MODES_H

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
size_t cs_modes_place(const struct cs_layout *layout, enum cs_modes_part part);

/* Whether the step of a run of a large network (native.h) needs its modes apart: errors do, since those of slow signals
 * are small beside fast ones, and steps of study stability whose ||M|| H, times the rounding of a double, leaves less
 * of slow modes than is promised of a spectral radius. */
bool cs_modes_apart(const struct cs_layout *layout, double norm);

/* The numbers of a network, `packed` as in network.h, computed with more digits than a double has:
 * [cs_modes_place(layout, CS_MODES)]. `apart`: in coordinates that separate its modes, or else in the model's own. */
int cs_modes_fill(const struct cs_layout *layout, const double *packed, bool apart, double *modes,
                  struct cs_error *error);

/* What cs_modes_fill takes: bytes of memory, and core seconds of a machine of today, a first guess. */
size_t cs_modes_bytes(const struct cs_layout *layout);
double cs_modes_seconds(const struct cs_layout *layout);

/* What else these numbers follow from: layouts of one model with the same kind have the same for a network. */
uint64_t cs_modes_kind(const struct cs_layout *layout, bool apart);

/* Panels to every doubling of the distance from the start of a macro step H that resolve transients of this network,
 * which may oscillate while they decay. CS_MODES_OCTAVE_MOST (facts.h) is the limit of what is computed. */
enum { CS_MODES_OCTAVE_LEAST = 4 };
int cs_modes_octave(const struct cs_layout *layout, const double *packed, double H, double *panels,
                    struct cs_error *error);

#endif
