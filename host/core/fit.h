/* Convergence orders: least squares of log(y) = p log(x) + q over the asymptotic range (docs/formats.md section 2). */
#ifndef COSWEEP_FIT_H
#define COSWEEP_FIT_H

#include <stddef.h>

struct cs_fit {
  double order, r2;   /* NaN when fewer than 3 points */
  double first, last; /* smallest and largest abscissa used */
  long points;        /* used; 0 when there is no fit */
};

/* x, y: [count], any order. Points that are not finite, not positive or not above `floor` are left out; from the
 * smallest abscissa up, the range grows while each local slope stays within 0.1 of the median of the slopes so far.
 * Values at one abscissa count as one point, their geometric mean. Short memory reads as no fit. */
struct cs_fit cs_fit_order(const double *x, const double *y, size_t count, double floor);

#endif
