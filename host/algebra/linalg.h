/* Small dense linear algebra on the host: the door to LAPACK. Matrices are row-major. */
#ifndef COSWEEP_LINALG_H
#define COSWEEP_LINALG_H

#include <stddef.h>

#include "component.h"
#include "error.h"

/* A matrix, such as I - D L, with a smaller reciprocal condition number in balanced units is singular (docs/methods.md
 * section 1). */
#define CS_LINALG_SINGULAR 1e-13

/* Replaces a [n][n] by its inverse and returns its reciprocal condition number (1-norm) in *rcond; a singular matrix
 * gives rcond 0 and leaves a undefined. work: [n] ints. */
void cs_linalg_invert(size_t n, double *a, int *pivots, double *rcond);

/* c [rows][columns] += a [rows][inner] b [inner][columns]. */
void cs_linalg_add_product(size_t rows, size_t inner, size_t columns, const double *a, const double *b, double *c);

/* Balances the components of a [n][n]: scale [n] so that in S^-1 a S, S = diag(scale), every row without its diagonal
 * has the same sum of absolute values as its column, counting entries within the component only. The result does not
 * depend on the units of the rows. */
void cs_linalg_balance(const struct cs_component *components, const double *a, double *scale);

/* The largest infinity norm of the components of S^-1 a S. */
double cs_linalg_balanced_norm(const struct cs_component *components, const double *a, const double *scale);

/* Solves a x = b for x [n][columns], component by component: units and couplings that go one way only have no effect
 * on accuracy. norm, inverse_norm: the largest 1-norm of a balanced component, and of its inverse; INFINITY if one is
 * singular, and x undefined. */
int cs_linalg_solve(const struct cs_component *components, const double *a, size_t columns, const double *b, double *x,
                    double *norm, double *inverse_norm, struct cs_error *error);

/* b [n][columns] becomes a^-1 b, undefined where *condition is INFINITY or beyond all digits: the smallest condition
 * number (infinity norm) that a [n][n] has with other units of its rows and columns; 1 or more, INFINITY if singular.
 */
int cs_linalg_divide(size_t n, const double *a, size_t columns, double *b, double *condition, struct cs_error *error);

/* Eigenvalues 0 of a [n][n]: their number, counted with multiplicity, and a bound on the size of their Jordan blocks. A
 * component's rank is judged in balanced units. */
int cs_linalg_zero_eigenvalues(const struct cs_component *components, const double *a, size_t *count, size_t *block,
                               struct cs_error *error);

/* Eigenvalues of a [n][n], which is overwritten, in no particular order: real parts re [n], imaginary parts im [n]. A
 * matrix with an entry that is not finite, or an iteration that does not converge, gives CS_INPUT. */
int cs_linalg_eigenvalues(size_t n, double *a, double *re, double *im, struct cs_error *error);

/* The same with eigenvectors, in columns: right [n][n] v with a v = lambda v, left [n][n] w with w^H a = lambda w^H. Of
 * a pair re +- i im, which stand together, that with im > 0 first, column j has the real part and column j + 1 the
 * imaginary part. The matrix is balanced first; a is overwritten. */
int cs_linalg_eigenvectors(size_t n, double *a, double *re, double *im, double *left, double *right,
                           struct cs_error *error);

/* Units of the rows of a [n][n], powers of 2, in which its components are balanced and no coupling between two of them
 * exceeds the norm of the one that it drives. But for the rounding to powers of 2, a is the same in these whatever
 * units it was given in. */
int cs_linalg_units(size_t n, const double *a, double *unit, struct cs_error *error);

/* Coordinates t [n][n] in which a [n][n] is block diagonal, t^-1 a t, with blocks of similar absolute eigenvalues;
 * block [n]: the number of each coordinate's block, ascending. unit [n]: of the rows. Blocks that only ill-conditioned
 * coordinates in these units would separate stay together; one block, of the units, if the iteration does not
 * converge. */
int cs_linalg_separate(size_t n, const double *a, const double *unit, double *t, size_t *block, struct cs_error *error);

/* Nodes and weights of the n-point Gauss-Legendre rule on [0, 1], computed in long double. */
void cs_linalg_gauss(size_t n, double *nodes, double *weights);

#endif
