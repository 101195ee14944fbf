#include "signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout_private.h"
#include "linalg.h"

enum { INSTANTS = 64, TERMS = 16 };

struct signals {
  const struct cs_layout *l;
  double *dense[CS_OPERATORS];
  double *flow, *power, *next; /* [exact][exact]; flow: without I */
  double *r, *then, *y, *u;    /* at an instant */
};

size_t cs_signals_place(const struct cs_layout *l, enum cs_size_of kind) {
  const size_t count[CS_SIZES_OF] = {l->dims.outputs, l->dims.inputs, l->dims.states, l->dims.monitors, l->dims.states};
  size_t at = 0;
  for (int i = 0; i < (int)kind; i++)
    at += count[i];
  return at;
}

static bool signals_new(struct signals *s, const double *packed) {
  const struct cs_layout *l = s->l;
  const size_t r = l->dims.exact;
  bool failed = false;
  for (int op = 0; op < CS_OPERATORS; op++)
    s->dense[op] = cs_layout_take(l->pattern[op].rows * l->pattern[op].columns, sizeof(double), &failed);
  s->flow = cs_layout_take(r * r, sizeof *s->flow, &failed);
  s->power = cs_layout_take(r * r, sizeof *s->power, &failed);
  s->next = cs_layout_take(r * r, sizeof *s->next, &failed);
  s->r = cs_layout_take(r, sizeof *s->r, &failed);
  s->then = cs_layout_take(r, sizeof *s->then, &failed);
  s->y = cs_layout_take(l->dims.outputs, sizeof *s->y, &failed);
  s->u = cs_layout_take(l->dims.inputs, sizeof *s->u, &failed);
  if (failed) return false;
  memcpy(s->r, packed, l->dims.states * sizeof *s->r);
  if (r > l->dims.states) s->r[r - 1] = 1.0;
  const double *from = packed + l->dims.states;
  for (int op = 0; op < CS_OPERATORS; op++)
    for (size_t i = 0; i < l->pattern[op].rows * l->pattern[op].columns; i++)
      s->dense[op][i] = cs_layout_unpack(&l->pattern[op], i, &from);
  return true;
}

static void signals_free(struct signals *s) {
  for (int op = 0; op < CS_OPERATORS; op++)
    free(s->dense[op]);
  free(s->flow);
  free(s->power);
  free(s->next);
  free(s->r);
  free(s->then);
  free(s->y);
  free(s->u);
}

/* flow = e^{M h} - I, by a series for a short piece of h and doubling: in units in which the piece is far too short,
 * e^{M h} itself would be I. */
static void find_flow(struct signals *s, double h) {
  const size_t r = s->l->dims.exact;
  const double *m = s->dense[CS_OP_M];
  double norm = 0.0;
  for (size_t i = 0; i < r; i++) {
    double row = 0.0;
    for (size_t j = 0; j < r; j++)
      row += fabs(m[i * r + j]);
    norm = fmax(norm, row);
  }
  int halvings = 0;
  for (; norm * h > 1.0 && halvings < 1000; halvings++)
    h *= 0.5;
  for (size_t i = 0; i < r * r; i++) {
    s->flow[i] = 0.0;
    s->power[i] = i % (r + 1) == 0 ? 1.0 : 0.0;
  }
  for (int term = 1; term <= TERMS; term++) {
    memset(s->next, 0, r * r * sizeof *s->next);
    cs_linalg_add_product(r, r, r, m, s->power, s->next);
    for (size_t i = 0; i < r * r; i++) {
      s->power[i] = s->next[i] * h / term;
      s->flow[i] += s->power[i];
    }
  }
  for (; halvings > 0; halvings--) {
    memset(s->next, 0, r * r * sizeof *s->next);
    cs_linalg_add_product(r, r, r, s->flow, s->flow, s->next);
    for (size_t i = 0; i < r * r; i++)
      s->flow[i] = 2.0 * s->flow[i] + s->next[i];
  }
}

/* y += a x */
static void add(const struct signals *s, enum cs_operator op, const double *x, double *y) {
  const struct cs_pattern *p = &s->l->pattern[op];
  cs_linalg_add_product(p->rows, p->columns, 1, s->dense[op], x, y);
}

/* Size of row i of a x, term by term; a without columns has none. */
static double terms(const struct signals *s, enum cs_operator op, size_t i, const double *x) {
  const struct cs_pattern *p = &s->l->pattern[op];
  double sum = 0.0;
  for (size_t j = 0; p->rows > i && j < p->columns; j++)
    sum += fabs(s->dense[op][i * p->columns + j] * x[j]);
  return sum;
}

static void raise_to(double value, double *most) {
  if (!(value <= *most)) *most = value; /* NaN, too */
}

static void look(struct signals *s, double *size) {
  static const double one = 1.0;
  const struct cs_layout *l = s->l;
  double *at[CS_SIZES_OF];
  for (int i = 0; i < CS_SIZES_OF; i++)
    at[i] = size + cs_signals_place(l, (enum cs_size_of)i);
  memset(s->y, 0, l->dims.outputs * sizeof *s->y);
  memset(s->u, 0, l->dims.inputs * sizeof *s->u);
  add(s, CS_OP_Y, s->r, s->y);
  add(s, CS_OP_L, s->y, s->u);
  if (l->kind.affine) add(s, CS_OP_BIAS, &one, s->u);
  for (size_t i = 0; i < l->dims.outputs; i++)
    raise_to(fabs(s->y[i]), &at[CS_SIZE_OF_OUTPUT][i]);
  for (size_t i = 0; i < l->dims.inputs; i++)
    raise_to(fabs(s->u[i]), &at[CS_SIZE_OF_INPUT][i]);
  for (size_t i = 0; i < l->dims.states; i++) {
    raise_to(fabs(s->r[i]), &at[CS_SIZE_OF_STATE][i]);
    raise_to(terms(s, CS_OP_A, i, s->r) + terms(s, CS_OP_B, i, s->u) + terms(s, CS_OP_E, i, &one),
             &at[CS_SIZE_OF_SLOPE][i]);
  }
  for (size_t i = 0; i < l->dims.monitors; i++)
    raise_to(terms(s, CS_OP_MX, i, s->r) + terms(s, CS_OP_MU, i, s->u) + terms(s, CS_OP_MY, i, s->y) +
                 terms(s, CS_OP_MC, i, &one),
             &at[CS_SIZE_OF_MONITOR][i]);
}

int cs_signals_find(const struct cs_layout *l, const double *packed, double t_end, double *size,
                    struct cs_error *error) {
  struct signals s = {.l = l};
  const size_t r = l->dims.exact;
  const bool good = signals_new(&s, packed);
  memset(size, 0, cs_signals_place(l, CS_SIZES_OF) * sizeof *size);
  if (good) find_flow(&s, t_end / INSTANTS);
  for (int i = 0; good && i <= INSTANTS; i++) {
    look(&s, size);
    memcpy(s.then, s.r, r * sizeof *s.then);
    cs_linalg_add_product(r, r, 1, s.flow, s.r, s.then);
    memcpy(s.r, s.then, r * sizeof *s.r);
  }
  signals_free(&s);
  return good ? CS_OK : cs_error_memory(error);
}
