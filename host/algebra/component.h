/* Strongly connected components of a square matrix: rows that depend on each other. Row i depends on row j if a[i][j]
 * is not 0. Ordered by component the matrix is block triangular; what lies between components couples one way only, so
 * that a change of units makes it as small as one likes. */
#ifndef COSWEEP_COMPONENT_H
#define COSWEEP_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct cs_component {
  size_t rows, count;
  size_t *of;     /* [rows] component of each row, which depends on rows of this and of lower ones only */
  size_t *row;    /* [rows] the rows by component */
  size_t *first;  /* [count + 1] in `row` */
  size_t *parent; /* [rows] a row that depends on this one, from which the search came; the row itself at its start */
  size_t *visit;  /* [rows] the rows as the search came to them, after their parents */
  double *number; /* [rows] room of whoever computes with the components */
  size_t room, *work;
};

/* For matrices of at most `room` rows. */
int cs_component_new(size_t room, struct cs_component **components, struct cs_error *error);
void cs_component_free(struct cs_component *components);

/* Components of a [n][n]. */
void cs_component_find(struct cs_component *components, size_t n, const double *a);

/* Whether rows of component k depend on themselves: it has several, or one with a diagonal entry. a: as in
 * cs_component_find. */
bool cs_component_is_loop(const struct cs_component *components, size_t k, const double *a);

/* The largest number of couplings between components that follow one another. a: as in cs_component_find. */
size_t cs_component_chain(struct cs_component *components, const double *a);

#endif
