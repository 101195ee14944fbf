/* Subsystems with several communication steps in a macro step (docs/methods.md section 2), solver exact. */
#ifndef COSWEEP_TESTS_PLAIN_RATES_H
#define COSWEEP_TESTS_PLAIN_RATES_H

#include "plain_step.h"

/* At T_0, with macro steps of length sim->H. */
struct plain_rates *plain_rates_new(const struct plain_simulation *sim);
void plain_rates_free(struct plain_rates *rates);
/* A macro step: x~ and the outputs at its end (sim->memory.sent[0]). */
void plain_rates_step(struct plain_simulation *sim);
/* Inputs as they are held at the end of the step. */
void plain_rates_inputs(const struct plain_simulation *sim, real *u);

#endif
