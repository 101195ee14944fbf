/* Matrices with eigenvalues that are hard to compute, and certificates of eigenvalues without a second solver. */
#ifndef COSWEEP_TESTS_SPECTRUM_CASE_H
#define COSWEEP_TESTS_SPECTRUM_CASE_H

#include <stddef.h>
#include <stdint.h>

enum spectrum_kind {
  SPECTRUM_DENSE,
  SPECTRUM_SCALED,     /* dense, rows and columns scaled by powers of ten over many decades */
  SPECTRUM_LARGE,      /* dense, times 1e200 or 1e-200 */
  SPECTRUM_TRIANGULAR, /* triangular up to the order of its rows */
  SPECTRUM_COMPANION,
  SPECTRUM_JORDAN,    /* one Jordan block */
  SPECTRUM_NILPOTENT, /* chains of a memory, up to the order of the rows */
  SPECTRUM_DEFECTIVE, /* Jordan blocks turned by an orthogonal matrix */
  SPECTRUM_GRCAR,
  SPECTRUM_KAHAN,
  SPECTRUM_STEEP, /* triangular with large entries beside the diagonal, turned by an orthogonal matrix */
  SPECTRUM_ORTHOGONAL,
  SPECTRUM_ZERO,
  SPECTRUM_RANK_ONE,
  SPECTRUM_HAMILTONIAN, /* eigenvalues in pairs +-lambda */
  SPECTRUM_SYMMETRIC,
  SPECTRUM_SPARSE,   /* few entries, small integers */
  SPECTRUM_NEAR_ONE, /* the unit matrix with a small perturbation */
  SPECTRUM_GRADED,
  SPECTRUM_CYCLE, /* a cyclic permutation, which unshifted steps do not change */
  SPECTRUM_KINDS
};

/* Uniform in [-1, 1). */
double spectrum_random(uint64_t *state);

/* A matrix a [n][n] of the kind. */
void spectrum_matrix(enum spectrum_kind kind, size_t n, uint64_t *state, double *a);

/* Exchanges random rows of a [n][n], and the same columns. */
void spectrum_shuffle(size_t n, uint64_t *state, double *a);

/* Frobenius norm. */
double spectrum_norm(size_t n, const double *a);

/* Backward error of re + i im as an eigenvalue of a [n][n]: a vector with |A x - lambda x| <= error norm |x| exists;
 * and the eigenvalue's condition, |x| |y| / |y^H x| of its right and left eigenvectors. */
void spectrum_certify(size_t n, const double *a, double re, double im, double *error, double *condition);

#endif
