/* Coordinates of stiff networks: those of the exact solution and of each subsystem's states in which fast and slow
 * modes are separate (docs/methods.md section 5, kernels/flow/modes.clh). */
#ifndef COSWEEP_MODES_H
#define COSWEEP_MODES_H

#include "layout.h"
#include "mode_places.h"

/* Whether the step of a run of a large network (native.h) needs its modes apart: errors do, since those of slow signals
 * are small beside fast ones, and steps of study stability whose ||M|| H, times the rounding of a double, leaves less
 * of slow modes than is promised of a spectral radius. */
bool cs_modes_apart(const struct cs_layout *layout, double norm);

/* The numbers of a network, `packed` as in network.h, computed with more digits than a double has:
 * [cs_mode_places_at(layout, CS_MODES)]. `apart`: in coordinates that separate its modes, or else in the model's own.
 */
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
