/* Exact flows of stiff networks: matrix exponentials by scaling and squaring, kept by length of time. Squaring k times
 * costs 2^k units of rounding of the largest entry, so that ||A|| t = 1e8 leaves 1e-26 in quadruple precision. */
#ifndef COSWEEP_TESTS_PLAIN_TABLES_H
#define COSWEEP_TESTS_PLAIN_TABLES_H

#include "plain_network.h"

enum { PLAIN_POWERS = 4 };

struct plain_tables;

struct plain_tables *plain_tables_new(const struct plain_network *network);
void plain_tables_free(struct plain_tables *tables);

/* r <- exp(M t) r */
void plain_tables_exact(struct plain_tables *tables, real t, real *r);
/* The states of a subsystem after t from `x`, x' = A x + v[0] + v[1] (t/H) + v[2] (t/H)^2 + v[3] (t/H)^3. */
void plain_tables_subsystem(struct plain_tables *tables, size_t subsystem, real t, real H,
                            real v[PLAIN_POWERS][PLAIN_MAX], const real *x, real *result);

/* Where quadrature over a step of length H has to be cut so that between cuts no mode of the network or of a subsystem
 * does much: halved towards 0, each half in `parts` equal ones. */
struct plain_cuts {
  size_t halvings, parts;
};

struct plain_cuts plain_tables_cuts(const struct plain_tables *tables, real H);

#endif
