/* Why a run diverged: the spectral radius of its macro step. */
#ifndef COSWEEP_RADIUS_H
#define COSWEEP_RADIUS_H

#include "device.h"
#include "sweep.h"

/* radius, at_0: of the propagation matrix of the run's macro step and of its limit H -> 0, as in study stability; NaN
 * where there is no such matrix: steps that vary, events, adaptive solvers. `host`: the device "host", for whose
 * kernels the model may be too large, which is an error. */
int cs_radius_of_run(const struct cs_sweep *sweep, size_t run, struct cs_device *host, double *radius, double *at_0,
                     struct cs_error *error);

#endif
