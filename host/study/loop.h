/* Loops of feed-through: outputs that depend on each other within a moment, through D L. */
#ifndef COSWEEP_LOOP_H
#define COSWEEP_LOOP_H

#include "model.h"

/* A bound of what a value comes back as after one turn, whatever the signs: the spectral radius of |D| |L|, or slightly
 * more; 0 if there is no loop, NaN if an entry is not finite. parameters: as from cs_model_parameters; room: [inputs +
 * outputs]. Entries of all modes count. */
double cs_loop_gain(const struct cs_model *model, const double *parameters, double *room);

#endif
