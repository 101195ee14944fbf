/* Gains from defects to output errors (docs/methods.md section 10). */
#ifndef COSWEEP_GAINS_H
#define COSWEEP_GAINS_H

#include <stddef.h>

#include "error.h"

/* Adds int_0^T |(Y e^(Ms) E)_ij| ds to gain [rows][columns]. m [n][n] (1/s), y [rows][n], e [n][columns]. Between
 * neighbouring changes of sign the integral is that of a polynomial of degree 24, in panels in which no mode that is
 * left turns by more than a radian, or two beyond 40 states. CS_INPUT if there are more than 10^6 such panels. */
int cs_gains_add(size_t n, const double *m, size_t rows, const double *y, size_t columns, const double *e, double T,
                 double *gain, struct cs_error *error);

#endif
