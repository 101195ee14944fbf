/* What the exact monolithic solution itself is worth: RMS of its outputs over a run. */
#ifndef COSWEEP_EXACT_H
#define COSWEEP_EXACT_H

#include "model.h"

/* rms [outputs]: sqrt(1/T int_0^T y^2 dt) of the coupled model (docs/methods.md section 1), with its constants and time
 * events before T (s); NaN if the solution is not finite; CS_INPUT if the algebraic loop is singular. parameters, mode:
 * as for cs_model_numbers. The model is not one for which cs_model_is_eventful. */
int cs_exact_rms(const struct cs_model *model, const size_t *mode, const double *parameters, double T, double *rms,
                 struct cs_error *error);

#endif
