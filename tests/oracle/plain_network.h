/* A model's numbers, and the few operations the plain reference needs on them. */
#ifndef COSWEEP_TESTS_PLAIN_NETWORK_H
#define COSWEEP_TESTS_PLAIN_NETWORK_H

#include <stddef.h>

#include "model.h"
#include "plain_real.h"

enum { PLAIN_MAX = 24 }; /* states + 4, inputs, outputs */

struct plain_matrix {
  real at[PLAIN_MAX][PLAIN_MAX];
};

/* Stacked network, docs/methods.md section 1. Exact solution: r = (x, 1), r' = M r, y = Y r, u = U r. */
struct plain_network {
  const struct cs_model *model; /* borrowed */
  size_t states, inputs, outputs, monitors;
  struct plain_matrix A, B, C, D, L, S, Y, U, M; /* S = (I - D L)^-1 */
  struct plain_matrix MX, MU, MY;                /* monitors over x~, u~, y~ */
  real mc[PLAIN_MAX];                            /* their constants */
  real e[PLAIN_MAX], f[PLAIN_MAX], b[PLAIN_MAX], x0[PLAIN_MAX];
  struct plain_matrix event_set, event_add; /* by event and state */
  real event_time[PLAIN_MAX];
};

/* `parameters` as from cs_model_parameters. Fails the running test when a value cannot be had. */
void plain_network_read(const struct cs_model *model, const double *parameters, struct plain_network *network);
/* In given modes of all subsystems, [subsystems], as of cs_model_numbers. */
void plain_network_read_modes(const struct cs_model *model, const size_t *mode, const double *parameters,
                              struct plain_network *network);

/* Whether the model connects them, with whatever gain. */
int plain_is_connected(const struct plain_network *network, size_t input, size_t output);

/* y += matrix x */
void plain_multiply_add(const struct plain_matrix *matrix, size_t rows, size_t columns, const real *x, real *y);

/* Solves matrix x = x by elimination with partial pivoting; `matrix` is destroyed. */
void plain_solve(struct plain_matrix *matrix, size_t size, real *x);

/* x <- exp(matrix t) x, by Taylor series over short enough pieces. */
void plain_flow(const struct plain_matrix *matrix, size_t size, real t, real *x);

#endif
