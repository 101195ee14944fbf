/* Small dense linear algebra on the host: the door to LAPACK. Matrices are row-major. */
#ifndef COSWEEP_LINALG_H
#define COSWEEP_LINALG_H

#include <stddef.h>

#include "error.h"

/* Replaces a [n][n] by its inverse and returns its reciprocal condition number (1-norm) in *rcond; a singular matrix
 * gives rcond 0 and leaves a undefined. work: [n] ints. */
void cs_linalg_invert(size_t n, double *a, int *pivots, double *rcond);

/* c [rows][columns] += a [rows][inner] b [inner][columns]. */
void cs_linalg_add_product(size_t rows, size_t inner, size_t columns, const double *a, const double *b, double *c);

/* Infinity norm of |a| after balancing by powers of two (diagonal similarity). a [n][n] is overwritten. */
double cs_linalg_balanced_norm(size_t n, double *a);

/* Eigenvalues of a [n][n], which is overwritten, in no particular order: real parts re [n], imaginary parts im [n]. A
 * matrix with an entry that is not finite, or an iteration that does not converge, gives CS_INPUT. */
int cs_linalg_eigenvalues(size_t n, double *a, double *re, double *im, struct cs_error *error);

/* Coordinates t [n][n] in which a [n][n] is block diagonal, t^-1 a t, with blocks of similar absolute eigenvalues;
 * block [n]: the number of each coordinate's block, ascending. Blocks that only ill-conditioned coordinates would
 * separate stay together; the identity and one block if the iteration does not converge. */
int cs_linalg_separate(size_t n, const double *a, double *t, size_t *block, struct cs_error *error);

/* Nodes and weights of the n-point Gauss-Legendre rule on [0, 1], computed in long double. */
void cs_linalg_gauss(size_t n, double *nodes, double *weights);

#endif
