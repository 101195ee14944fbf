#include "emit_places.h"

#include <math.h>

#include "linalg.h"

static void entries(struct cs_define *t, const char *name, size_t blocks, size_t count, const struct cs_row *row) {
  struct cs_define_list list = {0};
  for (size_t i = 0; i < count; i++)
    for (size_t b = 0; b < blocks; b++)
      cs_define_add(&list, row[i].entry[b]);
  cs_define_list(t, name, &list, 0);
}

static double square_factor(const struct cs_layout *l, int degree) {
  double node[8], weight[8], sum = 0.0, half = 1.0;
  if (l->method.hold == CS_HERMITE) return 16.0 / sqrt(630.0); /* of s^2 (1 - s)^2, 1/16 at the midpoint */
  if (l->method.hold == CS_TAYLOR) return ldexp(1.0, degree + 1) / sqrt(2.0 * degree + 3.0);
  cs_linalg_gauss(8, node, weight);
  for (int j = 0; j <= degree; j++)
    half *= j - 0.5;
  for (int i = 0; i < 8; i++) {
    double omega = 1.0;
    for (int j = 0; j <= degree; j++)
      omega *= node[i] - 1.0 + j;
    sum += weight[i] * omega * omega;
  }
  return sqrt(sum) / fabs(half);
}

/* Row i, column j: sqrt(2i+1) j!^2 / ((j-i)! (j+i+1)!), so that the squares of the rows add up to the integral of the
 * squared polynomial over [0, 1]. */
static void legendre(struct cs_define *t) {
  static const double factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040};
  double value[16];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      value[4 * i + j] =
          j < i ? 0.0 : sqrt(2.0 * i + 1.0) * factorial[j] * factorial[j] / (factorial[j - i] * factorial[j + i + 1]);
  cs_define_matrix(t, "LEGENDRE", 4, 4, value);
}

static void quadrature_tables(const struct cs_layout *l, struct cs_define *t) {
  double node[CS_NODES_FULL], weight[CS_NODES_FULL];
  cs_define_text(t, "\n/* Gauss-Legendre nodes and weights on [0, 1] */\n");
  cs_define_size(t, "GRADED", cs_layout_is_graded(l));
  cs_linalg_gauss(l->step.few, node, weight);
  cs_define_reals(t, "NODE_FEW", l->step.few, node);
  cs_define_reals(t, "WEIGHT_FEW", l->step.few, weight);
  cs_linalg_gauss(CS_NODES_FULL, node, weight);
  cs_define_reals(t, "NODE_FULL", CS_NODES_FULL, node);
  cs_define_reals(t, "WEIGHT_FULL", CS_NODES_FULL, weight);
}

/* RECEIVES_NEW [LEADERS][PARTS][NU]: where an input receives the new values of a part. */
static void receivers(const struct cs_layout *l, struct cs_define *t) {
  struct cs_define_list list = {0};
  for (size_t f = 0; l->master.leaders > 1 && f < l->master.leaders; f++)
    for (size_t i = 0; i < l->master.parts * l->dims.inputs; i++) {
      const size_t input = i % l->dims.inputs;
      bool newer = false;
      for (size_t o = 0; o < l->dims.outputs; o++)
        newer = newer || (l->pattern[CS_OP_L].set[input * l->dims.outputs + o] &&
                          cs_layout_part(l, input, o) == i / l->dims.inputs &&
                          cs_layout_newer(l, f, l->model->input[input].subsystem, l->model->output[o].subsystem));
      cs_define_add(&list, newer);
    }
  cs_define_list(t, "RECEIVES_NEW", &list, 0);
}

/* The power of s whose coefficient is number i of z, if that lies in a list of polynomials that begins at `at`, -1:
 * nowhere; otherwise `other`. */
static size_t power_in(long at, size_t polynomials, size_t coefficients, size_t i, size_t other) {
  if (at < 0 || i < (size_t)at || i - (size_t)at >= polynomials * coefficients) return other;
  return (i - (size_t)at) % coefficients;
}

/* Coefficients of s^j in memories scale with the j-th power of the step size. */
static void powers(const struct cs_layout *l, struct cs_define *t) {
  struct cs_define_list list = {0};
  for (size_t i = 0; i < l->dims.coordinates; i++) {
    size_t j = 0;
    for (size_t m = 0; m < l->master.parts * l->dims.inputs; m++)
      j = power_in(l->at.input[m], 1, l->degree.input[m % l->dims.inputs] + 1, i, j);
    for (size_t o = 0; o < l->dims.outputs; o++)
      j = power_in(l->at.output[o], 1, l->degree.output[o] + 1, i, j);
    for (size_t o = 0; l->method.hold == CS_TAYLOR && o < l->dims.outputs; o++)
      j = power_in(l->at.past[o], 1, l->degree.past[o], i, j);
    for (size_t q = 0; q < l->dims.inputs; q++) {
      j = power_in(l->at.late[q], cs_layout_latency(l, q), l->degree.input[q] + 1, i, j);
      j = power_in(l->at.joint[q], 1, l->method.continuity, i, j);
    }
    cs_define_add(&list, (long)j);
  }
  cs_define_list(t, "POWER_OF", &list, 0);
}

/* Steps of a cycle, divided by method.step.size. */
static void cycle_table(const struct cs_layout *l, struct cs_define *t) {
  static const double none[] = {1.0};
  const struct cs_ratio_list *cycle = l->control.cycle;
  cs_define_reals(t, "CYCLE_RATIO", cycle != NULL ? cycle->ratios : 1, cycle != NULL ? cycle->ratio : none);
}

static void late(const struct cs_layout *l, struct cs_define *t) {
  struct cs_define_list list = {0};
  for (size_t i = 0; i < l->dims.inputs; i++)
    cs_define_add(&list, l->at.late[i] >= 0 ? (long)cs_layout_latency(l, i) : 0);
  cs_define_list(t, "LATE", &list, 0);
}

/* HANDED_ON [DERIVATIVES][NY]: whether some input uses this derivative of an output, or its value at this node. */
static void handed_on(const struct cs_layout *l, struct cs_define *t) {
  const size_t samples = cs_layout_samples(l);
  struct cs_define_list list = {0};
  for (size_t i = 0; i < samples; i++) {
    const size_t o = i % l->dims.outputs, j = i / l->dims.outputs;
    bool used = false;
    for (size_t q = 0; q < l->dims.inputs; q++)
      used = used ||
             (l->pattern[CS_OP_L].set[q * l->dims.outputs + o] && (l->degree.wave > 0 || j <= l->degree.input[q]) &&
              (j <= l->degree.output[o] || l->method.hold != CS_TAYLOR));
    cs_define_add(&list, used);
  }
  cs_define_list(t, "HANDED_ON", &list, 0);
}

/* The points of all subsystems in a macro step, how many steps of its own the subsystem of every input and output
 * takes, and where values of points are kept. */
static void rates(const struct cs_layout *l, struct cs_define *t) {
  static const size_t none[] = {0};
  size_t points = 0, numerator[CS_MOST_POINTS], denominator[CS_MOST_POINTS];
  const bool rated = cs_layout_has_rates(l);
  if (rated) points = cs_layout_points(l, numerator, denominator);
  cs_define_integers(t, "POINT_NUMBER", points, rated ? numerator : none);
  cs_define_integers(t, "POINT_OF", points, rated ? denominator : none);
  struct cs_define_list list = {0};
  for (size_t i = 0; i < l->dims.inputs; i++)
    cs_define_add(&list, (long)cs_layout_rate(l, l->model->input[i].subsystem));
  cs_define_list(t, "INPUT_RATE", &list, 1);
  for (size_t o = 0; o < l->dims.outputs; o++)
    cs_define_add(&list, (long)cs_layout_rate(l, l->model->output[o].subsystem));
  cs_define_list(t, "OUTPUT_RATE", &list, 1);
  cs_define_integers(t, "PAST_AT", l->dims.outputs, (const size_t *)l->at.past);
  cs_define_integers(t, "PAST", l->dims.outputs, l->degree.past);
}

/* Nodes inside the step, and the coefficients of powers of s of the polynomials that are 1 at one of them, 0 at the
 * others: [power][node]. */
static void wave(const struct cs_layout *l, struct cs_define *t) {
  const size_t p = l->degree.wave, n = p + 1;
  double node[CS_MAX_ORDER + 1], power[(CS_MAX_ORDER + 1) * (CS_MAX_ORDER + 1)];
  for (size_t i = 0; i < n; i++)
    node[i] = (double)i / (double)p;
  if (p == 3 && l->method.nodes == CS_LOBATTO) {
    node[1] = 2.0 / (5.0 + sqrt(5.0)); /* (5 - sqrt(5)) / 10 */
    node[2] = (5.0 + sqrt(5.0)) / 10.0;
  }
  for (size_t i = 0; i < n; i++) {
    double c[CS_MAX_ORDER + 1] = {1.0}, denominator = 1.0;
    size_t degree = 0;
    for (size_t k = 0; k < n; k++) {
      if (k == i) continue;
      denominator *= node[i] - node[k];
      for (size_t j = ++degree; j > 0; j--)
        c[j] = c[j - 1] - node[k] * c[j];
      c[0] *= -node[k];
    }
    for (size_t j = 0; j < n; j++)
      power[j * n + i] = c[j] / denominator;
  }
  cs_define_size(t, "WAVE", p);
  cs_define_reals(t, "WAVE_NODE", n, node);
  cs_define_reals(t, "WAVE_POWER", n * n, power);
}

void cs_emit_places_entries(const struct cs_layout *l, struct cs_define *t) {
  cs_define_integers(t, "BLOCK_FIRST", l->dims.blocks + 1, l->at.block);
  struct cs_define_list list = {0};
  for (size_t b = 0; b < l->dims.blocks; b++)
    for (size_t i = l->at.block[b]; i < l->at.block[b + 1]; i++)
      cs_define_add(&list, (long)b);
  cs_define_list(t, "BLOCK", &list, 0);
  entries(t, "ENTRY", l->dims.blocks, l->map.rows, l->map.row);
  entries(t, "INSIDE_ENTRY", l->dims.blocks, l->map.inside_rows, l->map.inside);
}

void cs_emit_places(const struct cs_layout *l, struct cs_define *t) {
  cs_define_text(t, "\n/* positions in z and in the assembled map */\n");
  cs_define_integers(t, "INPUT_ORDER", l->dims.inputs, l->degree.input);
  cs_define_integers(t, "OUTPUT_ORDER", l->dims.outputs, l->degree.output);
  cs_define_integers(t, "ESTIMATE_DEGREE", l->dims.outputs, l->degree.estimate);
  cs_define_integers(t, "INPUT_AT", l->master.parts * l->dims.inputs, (const size_t *)l->at.input);
  cs_define_integers(t, "LATE_AT", l->dims.inputs, (const size_t *)l->at.late);
  late(l, t);
  rates(l, t);
  cs_define_integers(t, "JOINT_AT", l->dims.inputs, (const size_t *)l->at.joint);
  receivers(l, t);
  handed_on(l, t);
  cs_define_integers(t, "OUTPUT_AT", l->dims.outputs, (const size_t *)l->at.output);
  cs_emit_places_entries(l, t);
  cs_define_integers(t, "ROW_CONNECTION_DEFECT", l->dims.inputs, l->map.connection_row);
  cs_define_integers(t, "CONNECTION_DEGREE", l->dims.inputs, l->degree.connection);
  powers(l, t);
  cycle_table(l, t);
  if (l->degree.wave > 0) wave(l, t);
  legendre(t);
  double factor[4];
  for (int d = 0; d < 4; d++)
    factor[d] = square_factor(l, d);
  cs_define_text(t, "/* step RMS of the estimated output defect divided by |rho|, [G](30),(32), by degree */\n");
  cs_define_reals(t, "DEFECT_FACTOR", 4, factor);
  quadrature_tables(l, t);
}
