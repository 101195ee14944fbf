#include "estimate.h"

#include <math.h>
#include <stdlib.h>

#include "index.h"
#include "linalg.h"

struct work {
  double *d, *l, *c3, *left, *unit, *inverse; /* [outputs][inputs], [inputs][outputs], [outputs][outputs] */
  struct cs_component *component;
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
static int fill_matrix(const struct cs_layout *l, size_t most, struct work *w, double *matrix, struct cs_error *error) {
  double norm, inverse;
  for (size_t i = 0; i < l->dims.outputs * l->dims.outputs; i++)
    w->c3[i] = w->unit[i] = i % (l->dims.outputs + 1) == 0 ? 1.0 : 0.0;
  for (size_t q = 0; q < l->dims.inputs; q++)
    for (size_t o = 0; o < l->dims.outputs; o++)
      for (size_t j = 0; w->d[o * l->dims.inputs + q] != 0.0 && j < l->dims.outputs; j++)
        w->c3[o * l->dims.outputs + j] +=
            w->d[o * l->dims.inputs + q] * degree_factor(l->degree.input[q], most) * w->l[q * l->dims.outputs + j];
  for (size_t i = 0; i < l->dims.outputs * l->dims.outputs; i++) {
    const size_t o = i / l->dims.outputs;
    w->left[i] = (i % l->dims.outputs == o ? exp2(degree_factor(l->degree.estimate[o], most)) : 0.0) - w->c3[i];
    matrix[i] = 0.0;
  }
  cs_component_find(w->component, l->dims.outputs, w->left);
  const int code = cs_linalg_solve(w->component, w->left, l->dims.outputs, w->unit, w->inverse, &norm, &inverse, error);
  const bool exists = fmax(norm, 1.0) * inverse <= 1.0 / CS_LINALG_SINGULAR;
  if (exists) cs_linalg_add_product(l->dims.outputs, l->dims.outputs, l->dims.outputs, w->c3, w->inverse, matrix);
  for (size_t i = 0; i < l->dims.outputs * l->dims.outputs && !exists; i++)
    matrix[i] = NAN;
  return code;
}

/* The highest bit tells it from cs_modes_kind. */
uint64_t cs_estimate_kind(const struct cs_layout *l) {
  uint64_t hash = cs_index_hash(CS_INDEX_SEED, l->degree.input, l->dims.inputs * sizeof *l->degree.input);
  hash = cs_index_hash(hash, &l->coefficients.estimates, sizeof l->coefficients.estimates);
  hash = cs_index_hash(hash, l->degree.estimate, l->dims.outputs * sizeof *l->degree.estimate);
  return hash | UINT64_C(1) << 63;
}

int cs_estimate_matrices(const struct cs_layout *l, const double *numbers, const size_t *places, double *matrix,
                         struct cs_error *error) {
  const size_t square = l->dims.outputs * l->dims.outputs, across = l->dims.outputs * l->dims.inputs;
  struct work w = {.d = calloc(2 * across + 4 * square + 1, sizeof *w.d)};
  if (w.d == NULL) return cs_error_memory(error);
  w.l = w.d + across, w.c3 = w.l + across, w.left = w.c3 + square, w.unit = w.left + square;
  w.inverse = w.unit + square;
  int code = cs_component_new(l->dims.outputs, &w.component, error);
  if (code == CS_OK) read_network(l, numbers, places, &w);
  for (size_t q = 0; q < l->coefficients.estimates && code == CS_OK; q++)
    code = fill_matrix(l, q, &w, matrix + q * square, error);
  cs_component_free(w.component);
  free(w.d);
  return code;
}
