/* Structurally non-zero entries of the network. */
#include "layout_private.h"

#include <stdlib.h>
#include <string.h>

static bool pattern_new(struct cs_pattern *p, size_t rows, size_t columns) {
  p->rows = rows;
  p->columns = columns;
  p->set = calloc(cs_max_size(rows * columns, 1), 1);
  return p->set != NULL;
}

static void pattern_take(struct cs_pattern *p, const struct cs_entries *entries) {
  for (size_t i = 0; i < entries->count; i++)
    p->set[entries->entry[i].row * p->columns + entries->entry[i].column] = 1;
}

/* c |= a b, in the first columns of c. */
static void pattern_product(const struct cs_pattern *a, const struct cs_pattern *b, struct cs_pattern *c) {
  for (size_t i = 0; i < a->rows; i++)
    for (size_t k = 0; k < a->columns; k++)
      if (a->set[i * a->columns + k])
        for (size_t j = 0; j < b->columns; j++)
          c->set[i * c->columns + j] |= b->set[k * b->columns + j];
}

/* S = I + DL + (DL)^2 + ... */
static void pattern_closure(struct cs_pattern *s) {
  const size_t n = s->rows;
  for (size_t i = 0; i < n; i++)
    s->set[i * n + i] = 1;
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++)
      if (s->set[i * n + k])
        for (size_t j = 0; j < n; j++)
          s->set[i * n + j] |= s->set[k * n + j];
}

/* The patterns of the model's own matrices, and empty ones of the others. */
static bool take_matrices(struct cs_layout *l) {
  static const enum cs_matrix source[CS_OPERATORS] = {[CS_OP_A] = CS_A,
                                                      [CS_OP_B] = CS_B,
                                                      [CS_OP_C] = CS_C,
                                                      [CS_OP_D] = CS_D,
                                                      [CS_OP_L] = CS_L,
                                                      [CS_OP_BIAS] = CS_BIAS,
                                                      [CS_OP_E] = CS_E,
                                                      [CS_OP_MX] = CS_MX,
                                                      [CS_OP_MU] = CS_MU,
                                                      [CS_OP_MY] = CS_MY,
                                                      [CS_OP_MC] = CS_MC,
                                                      [CS_OP_EVENT_TIME] = CS_EVENT_TIME,
                                                      [CS_OP_EVENT_SET] = CS_EVENT_SET,
                                                      [CS_OP_EVENT_ADD] = CS_EVENT_ADD,
                                                      [CS_OP_F] = CS_F,
                                                      [CS_OP_WHEN_X] = CS_WHEN_X,
                                                      [CS_OP_WHEN_U] = CS_WHEN_U,
                                                      [CS_OP_WHEN_Y] = CS_WHEN_Y,
                                                      [CS_OP_WHEN_BOUND] = CS_WHEN_BOUND,
                                                      [CS_OP_CHANGE_X] = CS_CHANGE_X,
                                                      [CS_OP_CHANGE_U] = CS_CHANGE_U,
                                                      [CS_OP_CHANGE_Y] = CS_CHANGE_Y};
  struct cs_pattern *p = l->pattern;
  bool good = pattern_new(&p[CS_OP_M], l->dims.exact, l->dims.exact) &&
              pattern_new(&p[CS_OP_Y], l->dims.outputs, l->dims.exact) &&
              pattern_new(&p[CS_OP_S], l->dims.outputs, l->dims.outputs);
  for (int op = 0; op < CS_OPERATORS; op++) {
    if (op == CS_OP_M || op == CS_OP_Y || op == CS_OP_S) continue;
    const struct cs_entries *from = &l->model->matrix[source[op]];
    good = good && pattern_new(&p[op], from->rows, from->columns);
    if (good) pattern_take(&p[op], from);
  }
  return good;
}

/* What waves add to A and L (plan/network.c), where a run may have them. */
static void add_waves(struct cs_layout *l) {
  const struct cs_model *model = l->model;
  struct cs_pattern *p = l->pattern;
  for (size_t e = 0; e < 2 * model->lines && cs_sweep_waves(l->sweep); e++) {
    const size_t flow = model->line[e / 2].flow[e % 2], effort = model->line[e / 2].effort[e % 2];
    p[CS_OP_L].set[effort * l->dims.outputs + flow] = 1;
    for (size_t i = 0; i < l->dims.states; i++)
      for (size_t j = 0; j < l->dims.states; j++)
        p[CS_OP_A].set[i * l->dims.states + j] |=
            p[CS_OP_B].set[i * l->dims.inputs + effort] & p[CS_OP_C].set[flow * l->dims.states + j];
  }
}

/* Y = S (C, D b + f), u = (L Y, + b), M = (A, e) + B u; gain [outputs][r] and u [inputs][r] are empty. */
static void solve_patterns(struct cs_layout *l, struct cs_pattern *gain, struct cs_pattern *u) {
  const struct cs_entries *f = &l->model->matrix[CS_F];
  struct cs_pattern *p = l->pattern;
  pattern_product(&p[CS_OP_D], &p[CS_OP_L], &p[CS_OP_S]);
  pattern_closure(&p[CS_OP_S]);
  for (size_t i = 0; i < l->dims.outputs; i++)
    for (size_t j = 0; j < l->dims.states; j++)
      gain->set[i * l->dims.exact + j] = p[CS_OP_C].set[i * l->dims.states + j];
  if (l->kind.affine) {
    for (size_t i = 0; i < l->dims.outputs; i++)
      for (size_t j = 0; j < l->dims.inputs; j++)
        if (p[CS_OP_D].set[i * l->dims.inputs + j] && p[CS_OP_BIAS].set[j])
          gain->set[i * l->dims.exact + l->dims.states] = 1;
    for (size_t i = 0; i < f->count; i++)
      gain->set[f->entry[i].row * l->dims.exact + l->dims.states] = 1;
  }
  pattern_product(&p[CS_OP_S], gain, &p[CS_OP_Y]);
  pattern_product(&p[CS_OP_L], &p[CS_OP_Y], u);
  for (size_t i = 0; l->kind.affine && i < l->dims.inputs; i++)
    u->set[i * l->dims.exact + l->dims.states] |= p[CS_OP_BIAS].set[i];
  for (size_t i = 0; i < l->dims.states; i++) {
    for (size_t j = 0; j < l->dims.states; j++)
      p[CS_OP_M].set[i * l->dims.exact + j] |= p[CS_OP_A].set[i * l->dims.states + j];
    if (l->kind.affine) p[CS_OP_M].set[i * l->dims.exact + l->dims.states] |= p[CS_OP_E].set[i];
  }
  pattern_product(&p[CS_OP_B], u, &p[CS_OP_M]);
}

int cs_layout_patterns(struct cs_layout *l, struct cs_error *error) {
  const struct cs_entries *matrix = l->model->matrix;
  struct cs_pattern gain = {0}, u = {0};
  l->kind.affine = matrix[CS_E].count + matrix[CS_F].count + matrix[CS_BIAS].count + matrix[CS_MC].count > 0;
  l->dims.exact = l->dims.states + (l->kind.affine ? 1 : 0);
  const bool good = take_matrices(l) && pattern_new(&gain, l->dims.outputs, l->dims.exact) &&
                    pattern_new(&u, l->dims.inputs, l->dims.exact);
  if (good) {
    add_waves(l);
    if (l->kind.affine) memset(l->pattern[CS_OP_MC].set, 1, l->dims.monitors);
    solve_patterns(l, &gain, &u);
  }
  free(gain.set);
  free(u.set);
  return good ? CS_OK : cs_error_memory(error);
}
