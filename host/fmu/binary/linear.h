/* A linear subsystem, x' = A x + B u + e, y = C x + D u + f, with inputs that are polynomials in time. */
#ifndef COSWEEP_LINEAR_H
#define COSWEEP_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

enum { DEGREE = 3, POWERS = DEGREE + 1 }; /* of the inputs: the highest derivative, and how many numbers */

struct linear {
  size_t states, inputs, outputs, width; /* width: of F, states + inputs POWERS + 1 */
  double *number;                        /* all of linear.txt, in which the next eight are places */
  const double *A, *B, *C, *D, *e, *f, *x0, *u0;
  double *x;      /* [states] */
  double *u;      /* [POWERS][inputs] derivatives of the inputs */
  double *next;   /* [states] */
  double *F;      /* [states][width] of the step size h; F - (I, 0) for the sake of digits */
  double *W[3];   /* [width][width] to compute it with */
  double h, time; /* s */
};

/* From the folder of a linear.txt; `uri`: "file:///tmp/x". False if there is none that can be read, with its path in
 * `path`. Close also on failure. */
bool linear_open(struct linear *s, const char *uri, char *path, size_t size);
void linear_close(struct linear *s);
/* Initial states and inputs at time 0. */
void linear_reset(struct linear *s);
/* A step of size h (s) with the inputs as they are, which go on as the polynomials. False if it overflows. */
bool linear_step(struct linear *s, double h);
double linear_dot(size_t count, const double *a, const double *b);
/* Derivative of state i, output i. */
double linear_slope(const struct linear *s, size_t i);
double linear_output(const struct linear *s, size_t i);

#endif
