#include "estimate.h"

#include <math.h>
#include <stdlib.h>

#include "linalg.h"

/* Matrices with a smaller reciprocal condition number are singular, as for algebraic loops (docs/methods.md section 1).
 */
#define SINGULAR_RCOND 1e-13

struct work {
  double *d, *l, *c3, *inverse; /* [outputs][inputs], [inputs][outputs], [outputs][outputs] twice */
  int *pivots;
};

static double degree_factor(size_t own, size_t most) {
  return (double)((own < most ? own : most) + 1);
}

static void read_network(const struct cs_layout *l, const double *numbers, const size_t *places, struct work *w) {
  for (size_t i = 0; CS_K_X0 + l->dims.states + i < l->coefficients.estimate_at; i++) {
    const struct cs_coefficient *c = &l->coefficients.list[i];
    const double value = numbers[places[l->dims.states + i]];
    if (c->from == CS_OP_D) w->d[c->row * l->dims.inputs + c->column] = value;
    if (c->from == CS_OP_L) w->l[c->row * l->dims.outputs + c->column] = value;
  }
}

/* c3 (2^(p+1) - c3)^-1, an equivalent form that does not need the inverse of c3. */
static void fill_matrix(const struct cs_layout *l, size_t most, struct work *w, double *matrix) {
  double rcond;
  for (size_t i = 0; i < l->dims.outputs * l->dims.outputs; i++)
    w->c3[i] = i % (l->dims.outputs + 1) == 0 ? 1.0 : 0.0;
  for (size_t q = 0; q < l->dims.inputs; q++)
    for (size_t o = 0; o < l->dims.outputs; o++)
      for (size_t j = 0; w->d[o * l->dims.inputs + q] != 0.0 && j < l->dims.outputs; j++)
        w->c3[o * l->dims.outputs + j] +=
            w->d[o * l->dims.inputs + q] * degree_factor(l->degree.input[q], most) * w->l[q * l->dims.outputs + j];
  for (size_t i = 0; i < l->dims.outputs * l->dims.outputs; i++) {
    const size_t o = i / l->dims.outputs;
    w->inverse[i] = (i % l->dims.outputs == o ? exp2(degree_factor(l->degree.estimate[o], most)) : 0.0) - w->c3[i];
    matrix[i] = 0.0;
  }
  cs_linalg_invert(l->dims.outputs, w->inverse, w->pivots, &rcond);
  if (rcond >= SINGULAR_RCOND)
    cs_linalg_add_product(l->dims.outputs, l->dims.outputs, l->dims.outputs, w->c3, w->inverse, matrix);
  for (size_t i = 0; i < l->dims.outputs * l->dims.outputs && !(rcond >= SINGULAR_RCOND); i++)
    matrix[i] = NAN;
}

int cs_estimate_matrices(const struct cs_layout *l, const double *numbers, const size_t *places, double *matrix,
                         struct cs_error *error) {
  struct work w = {.d = calloc(l->dims.outputs * l->dims.inputs + 1, sizeof *w.d),
                   .l = calloc(l->dims.inputs * l->dims.outputs + 1, sizeof *w.l),
                   .c3 = calloc(l->dims.outputs * l->dims.outputs + 1, sizeof *w.c3),
                   .inverse = calloc(l->dims.outputs * l->dims.outputs + 1, sizeof *w.inverse),
                   .pivots = calloc(l->dims.outputs + 1, sizeof *w.pivots)};
  int code = CS_OK;
  if (w.d == NULL || w.l == NULL || w.c3 == NULL || w.inverse == NULL || w.pivots == NULL) {
    code = cs_error_memory(error);
    goto out;
  }
  read_network(l, numbers, places, &w);
  for (size_t q = 0; q < l->coefficients.estimates; q++)
    fill_matrix(l, q, &w, matrix + q * l->dims.outputs * l->dims.outputs);
out:
  free(w.d);
  free(w.l);
  free(w.c3);
  free(w.inverse);
  free(w.pivots);
  return code;
}
