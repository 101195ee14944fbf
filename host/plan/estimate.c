#include "estimate.h"

#include <math.h>
#include <stdlib.h>

#include "linalg.h"

/* Worse conditioned matrices have no inverse, as in the algebraic loop (docs/methods.md section 1). */
#define SINGULAR_RCOND 1e-13

struct work {
  double *d, *l, *c3, *inverse; /* [y][u], [u][y], [y][y], [y][y] */
  int *pivots;
};

static double degree_factor(size_t own, size_t most) {
  return (double)((own < most ? own : most) + 1);
}

static void read_network(const struct cs_layout *l, const double *numbers, const size_t *places, struct work *w) {
  for (size_t i = 0; CS_K_X0 + l->x + i < l->estimate_at; i++) {
    const struct cs_coefficient *c = &l->coefficient[i];
    const double value = numbers[places[l->x + i]];
    if (c->from == CS_OP_D) w->d[c->row * l->u + c->column] = value;
    if (c->from == CS_OP_L) w->l[c->row * l->y + c->column] = value;
  }
}

/* c3 (2^(p+1) - c3)^-1, which is the same and needs no inverse of c3. */
static void fill_matrix(const struct cs_layout *l, size_t most, struct work *w, double *matrix) {
  double rcond;
  for (size_t i = 0; i < l->y * l->y; i++)
    w->c3[i] = i % (l->y + 1) == 0 ? 1.0 : 0.0;
  for (size_t q = 0; q < l->u; q++)
    for (size_t o = 0; o < l->y; o++)
      for (size_t j = 0; w->d[o * l->u + q] != 0.0 && j < l->y; j++)
        w->c3[o * l->y + j] += w->d[o * l->u + q] * degree_factor(l->input_order[q], most) * w->l[q * l->y + j];
  for (size_t i = 0; i < l->y * l->y; i++) {
    const size_t o = i / l->y;
    w->inverse[i] = (i % l->y == o ? exp2(degree_factor(l->estimate_degree[o], most)) : 0.0) - w->c3[i];
    matrix[i] = 0.0;
  }
  cs_linalg_invert(l->y, w->inverse, w->pivots, &rcond);
  if (rcond >= SINGULAR_RCOND) cs_linalg_add_product(l->y, l->y, l->y, w->c3, w->inverse, matrix);
  for (size_t i = 0; i < l->y * l->y && !(rcond >= SINGULAR_RCOND); i++)
    matrix[i] = NAN;
}

int cs_estimate_matrices(const struct cs_layout *l, const double *numbers, const size_t *places, double *matrix,
                         struct cs_error *error) {
  struct work w = {.d = calloc(l->y * l->u + 1, sizeof *w.d),
                   .l = calloc(l->u * l->y + 1, sizeof *w.l),
                   .c3 = calloc(l->y * l->y + 1, sizeof *w.c3),
                   .inverse = calloc(l->y * l->y + 1, sizeof *w.inverse),
                   .pivots = calloc(l->y + 1, sizeof *w.pivots)};
  int code = CS_OK;
  if (w.d == NULL || w.l == NULL || w.c3 == NULL || w.inverse == NULL || w.pivots == NULL) {
    code = cs_error_memory(error);
    goto out;
  }
  read_network(l, numbers, places, &w);
  for (size_t q = 0; q < l->estimates; q++)
    fill_matrix(l, q, &w, matrix + q * l->y * l->y);
out:
  free(w.d);
  free(w.l);
  free(w.c3);
  free(w.inverse);
  free(w.pivots);
  return code;
}
