/* Convergence orders: least squares of log(y) = p log(x) + q over the asymptotic range (docs/formats.md section 2). */
#ifndef COSWEEP_FIT_H
#define COSWEEP_FIT_H

#include <stddef.h>

struct cs_fit {
  double order, r2;   /* NaN when fewer than 3 points */
  double first, last; /* smallest and largest abscissa used */
  long points;        /* used; 0 when there is no fit, -1 when out of memory */
};

/* x, y: [count], any order. Points that are not finite, not positive or not above `floor` are ignored. From the
 * smallest abscissa upwards the range grows while every local slope in it stays within 0.1 of their median. Values at
 * one abscissa count as one point, their geometric mean. */
struct cs_fit cs_fit_order(const double *x, const double *y, size_t count, double floor);
/* The same over all points that are finite and positive: for values whose constant differs from point to point, as that
 * of an event's time does with its place in the step, so that local slopes say nothing. */
struct cs_fit cs_fit_scattered(const double *x, const double *y, size_t count);

#endif
