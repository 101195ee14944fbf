#include "emit_vary.h"

#include <math.h>

#include "define.h"
#include "linalg.h"
#include "modes.h"
#include "record.h"

/* ---- sizes and places -------------------------------------------------------------------------------------------- */

static void control_numbers(const struct cs_layout *l, struct cs_text *t) {
  static const char *const names[CS_CONTROL_NUMBERS] = {[CS_CONTROL_INITIAL] = "K_INITIAL",
                                                        [CS_CONTROL_MIN] = "K_MIN",
                                                        [CS_CONTROL_MAX] = "K_MAX",
                                                        [CS_CONTROL_MOST] = "K_MAX_STEPS",
                                                        [CS_CONTROL_UNDERFLOW] = "K_UNDERFLOW",
                                                        [CS_CONTROL_TOLERANCE] = "K_TOLERANCE",
                                                        [CS_CONTROL_KP] = "K_KP",
                                                        [CS_CONTROL_KI] = "K_KI",
                                                        [CS_CONTROL_ALPHA] = "K_ALPHA",
                                                        [CS_CONTROL_GROWTH_MAX] = "K_GROWTH_MAX",
                                                        [CS_CONTROL_SHRINK_MAX] = "K_SHRINK_MAX",
                                                        [CS_CONTROL_ATOL] = "K_ATOL",
                                                        [CS_CONTROL_RTOL] = "K_RTOL",
                                                        [CS_CONTROL_ACCEPT] = "K_ACCEPT",
                                                        [CS_CONTROL_THRESHOLD] = "K_THRESHOLD",
                                                        [CS_CONTROL_ABOVE] = "K_ABOVE",
                                                        [CS_CONTROL_BELOW] = "K_BELOW"};
  for (size_t i = 0; i < CS_CONTROL_NUMBERS; i++)
    cs_define_size(t, names[i], l->coefficients.control_at + i);
  cs_define_size(t, "K_T_END", l->coefficients.control_at + CS_CONTROL_NUMBERS);
  cs_define_size(t, "K_SOLVER_TOLERANCE", l->coefficients.control_at + CS_CONTROL_NUMBERS + 1);
}

/* Gauss-Legendre rule for the integrals of node polynomials in spacing.clh. */
static void gauss_tables(struct cs_text *t) {
  enum { NODES = 5 };
  double node[NODES], weight[NODES];
  cs_linalg_gauss(NODES, node, weight);
  cs_define_size(t, "GAUSS_NODES", NODES);
  cs_define_reals(t, "GAUSS_NODE", NODES, node);
  cs_define_reals(t, "GAUSS_WEIGHT", NODES, weight);
}

/* Numbers of a step that the kernel computes, spacing.clh. */
static void step_numbers(const struct cs_layout *l, struct cs_text *t) {
  static const struct {
    const char *name;
    size_t count;
  } list[] = {{"K_RATE", 1}, {"K_INVERSE", 4}, {"K_NODE", 16}, {"K_FACTOR", 4}, {"K_RATIO", 4}};
  size_t at = l->coefficients.count;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    cs_define_size(t, list[i].name, at);
    at += list[i].count;
  }
  cs_define_size(t, "NUMBERS", at);
}

static void state_places(const struct cs_layout *l, struct cs_text *t) {
  static const struct {
    const char *name;
    enum cs_vary_state at;
  } list[] = {{"STATE_SCALE", CS_VARY_SCALE}, {"STATE_SPACING", CS_VARY_SPACING},   {"STATE_TIME", CS_VARY_TIME},
              {"STATE_REST", CS_VARY_REST},   {"STATE_NOMINAL", CS_VARY_NOMINAL},   {"STATE_EVENT", CS_VARY_EVENT},
              {"STATE_STEPS", CS_VARY_STEPS}, {"STATE_REJECTED", CS_VARY_REJECTED}, {"STATE_LEAST", CS_VARY_LEAST},
              {"STATE_MOST", CS_VARY_MOST},   {"STATE_STATUS", CS_VARY_STATUS},     {"STATE_SHARED", CS_VARY_SHARED},
              {"STATE_SPLIT", CS_VARY_SPLIT}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    cs_define_size(t, list[i].name, l->state.vary + (size_t)list[i].at);
  const struct cs_size more[] = {{"STATE_MEMORY", l->state.memory},
                                 {"STATE_COARSE", l->state.coarse},
                                 {"STATE_COARSE_SCALE", l->state.coarse + l->dims.coordinates},
                                 {"STATE_COARSE_SPACING", l->state.coarse + l->dims.coordinates + 1},
                                 {"STATE_FLOW", l->state.flow},
                                 {"STATE_PREDICTED", l->state.flow + l->dims.monitors},
                                 {"STATE_SHARE", l->state.share}};
  cs_define_sizes(t, more, sizeof more / sizeof *more);
}

/* The connection of the lowest degree determines the local error; inputs without connections have none. With hold
 * `taylor` the degree is limited by the derivatives that are sent. */
static size_t least_degree(const struct cs_layout *l) {
  size_t least = l->dims.powers - 1; /* the largest degree with an estimate */
  for (size_t i = 0; i < l->dims.inputs * l->dims.outputs; i++) {
    if (!l->pattern[CS_OP_L].set[i]) continue;
    const size_t sent = l->degree.output[i % l->dims.outputs], held = l->degree.input[i / l->dims.outputs];
    const size_t degree = l->method.hold == CS_TAYLOR && sent < held ? sent : held;
    if (degree < least) least = degree;
  }
  return least;
}

/* Tables of `pi_ecco` and switches of the controller's code. */
static void control_tables(const struct cs_layout *l, struct cs_text *t) {
  const struct cs_method *m = &l->method;
  cs_define_size(t, "HALVES", l->kind.halves);
  cs_define_count(t, "CONTROL_MEMORY", l->control.memory);
  cs_define_count(t, "BONDS", l->control.bonds);
  if (m->control == CS_PI_DEFECT) cs_define_facts(t, CS_FACTS_PI_DEFECT);
  if (m->control == CS_PI_ECCO) cs_define_facts(t, CS_FACTS_PI_ECCO);
  cs_define_size(t, "OVERSHOOTS", m->control == CS_FIXED || m->end == CS_END_OVERSHOOT);
  if (m->control == CS_THRESHOLD) cs_define_size(t, "THRESHOLD_SIGNAL", m->signal);
  cs_define_size(t, "THESIS_NORM", m->norm == CS_NORM_THESIS);
  cs_define_size(t, "CORRECTED", l->coefficients.estimates > 0);
  cs_define_size(t, "INPUT_DEGREE", least_degree(l));
  if (l->control.bonds == 0) return;
  const struct cs_bond *bond = l->sweep->controls->list[m->bonds].bond;
  static const char *const name[] = {"BOND_INPUT", "BOND_OUTPUT"};
  for (int k = 0; k < 2; k++) {
    cs_text_add(t, "__constant int %s[] = {", name[k]);
    for (size_t b = 0; b < l->control.bonds; b++)
      cs_text_add(t, "%s%zu, %zu", b > 0 ? ", " : "", k == 0 ? bond[b].input[0] : bond[b].output[0],
                  k == 0 ? bond[b].input[1] : bond[b].output[1]);
    cs_text_add(t, "};\n");
  }
  cs_text_add(t, "__constant double BOND_SIGN[] = {");
  for (size_t b = 0; b < l->control.bonds; b++)
    cs_text_add(t, "%s%.17e", b > 0 ? ", " : "", bond[b].sign);
  cs_text_add(t, "};\n");
}

static double binomial(int i, int j) {
  double value = 1.0;
  for (int n = 1; n <= j; n++)
    value = value * (i - n + 1) / n;
  return value;
}

enum { TERMS = CS_MOST_POWERS };

static void reach_tables(const struct cs_layout *l, struct cs_text *t) {
  double reach;
  size_t levels = 0, powers;
  cs_text_add(t, "__constant int POWERS[] = ");
  for (; (powers = cs_layout_powers(l, levels, &reach)) > 0; levels++)
    cs_text_add(t, "%s%zu", levels > 0 ? ", " : "{", powers);
  cs_text_add(t, "};\n__constant double REACH[] = ");
  for (size_t i = 0; i < levels; i++) {
    cs_layout_powers(l, i, &reach);
    cs_text_add(t, "%s%.17g", i > 0 ? ", " : "{", reach);
  }
  cs_text_add(t, "};\n");
  cs_define_size(t, "REACHES", levels);
}

static void add_list(struct cs_text *t, const double *value, size_t count) {
  for (size_t i = 0; i < count; i++)
    cs_text_add(t, "%s%.17e", i > 0 ? ", " : "{", value[i]);
  cs_text_add(t, "}");
}

/* Weights of the series' terms, all but HALF_POWER including 1/i!. */
static void series_tables(struct cs_text *t) {
  double inverse[TERMS + 1] = {1.0}, value[TERMS];
  for (int i = 1; i <= TERMS; i++)
    inverse[i] = inverse[i - 1] / i;
  cs_define_size(t, "TERMS", TERMS);
  cs_text_add(t, "__constant double FACTORIAL[4] = {1.0, 1.0, 2.0, 6.0};\n");
  cs_text_add(t, "__constant double INVERSE[TERMS + 1] = ");
  add_list(t, inverse, TERMS + 1);
  cs_text_add(t, ";\n__constant double HALF_POWER[TERMS] = ");
  for (int i = 0; i < TERMS; i++)
    value[i] = ldexp(1.0, -i);
  add_list(t, value, TERMS);
  cs_text_add(t, ";\n__constant double BINOMIAL[4][TERMS] = {");
  for (int j = 0; j < 4; j++) {
    for (int i = 0; i < TERMS; i++)
      value[i] = binomial(i, j) * inverse[i];
    cs_text_add(t, "%s", j > 0 ? ", " : "");
    add_list(t, value, TERMS);
  }
  cs_text_add(t, "};\n__constant double RHO[4][TERMS] = {");
  for (int n = 0; n < 4; n++) {
    for (int i = 0; i < TERMS; i++) {
      value[i] = ldexp(1.0, -i);
      for (int j = 0; j <= n; j++)
        value[i] -= binomial(i, j) * ldexp(j % 2 == 0 ? 1.0 : -1.0, -j);
      value[i] = i <= n ? 0.0 : value[i] * inverse[i];
    }
    cs_text_add(t, "%s", n > 0 ? ", " : "");
    add_list(t, value, TERMS);
  }
  cs_text_add(t, "};\n");
}

/* Range of an operator's coefficients, which are contiguous. */
static void coefficients_of(const struct cs_layout *l, enum cs_operator op, size_t *first, size_t *end) {
  const size_t fixed = CS_K_X0 + l->dims.states;
  for (*first = fixed; *first < l->coefficients.estimate_at && l->coefficients.list[*first - fixed].from != op;)
    ++*first;
  for (*end = *first; *end < l->coefficients.estimate_at && l->coefficients.list[*end - fixed].from == op;)
    ++*end;
}

/* Coefficients as used by the series: M, A and B multiplied by H, and -L. */
static void print_series_coefficients(const struct cs_layout *l, struct cs_text *t) {
  static const struct {
    enum cs_operator op;
    const char *value;
  } used[] = {{CS_OP_M, "h * k[i]"}, {CS_OP_A, "h * k[i]"}, {CS_OP_B, "h * k[i]"}, {CS_OP_L, "-k[i]"}};
  cs_text_add(t, "static void series_coefficients(const V *k, V h, V *kh) {\n");
  for (size_t n = 0; n < sizeof used / sizeof *used; n++) {
    size_t first, end;
    coefficients_of(l, used[n].op, &first, &end);
    if (end > first)
      cs_text_add(t, "  UNROLL for (int i = %zu; i < %zu; i++) kh[i] = %s;\n", first, end, used[n].value);
  }
  cs_text_add(t, "}\n");
}

/* Positions in a row of a trace. */
static void record_places(const struct cs_layout *l, struct cs_text *t) {
  cs_define_size(t, "RECORDS", l->kind.records);
  if (!l->kind.records) return;
  for (int i = 0; i < CS_RECORDS; i++)
    cs_define_size(t, cs_record_table[i].place, cs_record_place(l, (enum cs_record)i));
  cs_define_size(t, "RECORD_ITEMS", cs_record_place(l, CS_RECORDS));
}

void cs_emit_vary_places(const struct cs_layout *l, struct cs_text *t) {
  cs_text_add(t, "\n/* variable steps */\n");
  cs_define_size(t, "POINTS", l->method.hold != CS_TAYLOR);
  cs_define_size(t, "RAMPED", l->method.start == CS_RAMP);
  cs_define_size(t, "INSIDE_ROWS1", l->map.inside_rows > 0 ? l->map.inside_rows : 1);
  cs_define_size(t, "PANELS_MOST", cs_layout_panels_most(l));
  cs_define_size(t, "EVENTS", l->model->events);
  cs_text_add(t,
              "#define LARGEST_NORM %g\n#define STIFF_NORM %g\n#define NORM_FEW %g\n#define CHAIN_FEW %a\n"
              "#define STEP_ROUNDING %g\n#define OCTAVE_MOST %d.0\n",
              CS_LARGEST_NORM, CS_STIFF_NORM, CS_NORM_FEW, CS_CHAIN_FEW, CS_STEP_ROUNDING, CS_MODES_OCTAVE_MOST);
  cs_define_facts(t, CS_FACTS_VARY);
  gauss_tables(t);
  cs_define_size(t, "WANT_FLOW", l->sweep->metric[CS_MONITOR_PREDICTED] && l->dims.monitors > 0);
  control_numbers(l, t);
  step_numbers(l, t);
  state_places(l, t);
  record_places(l, t);
  control_tables(l, t);
  size_t least = CS_MAX_ORDER;
  for (size_t o = 0; o < l->dims.outputs; o++)
    least = l->degree.output[o] < least ? l->degree.output[o] : least;
  cs_define_size(t, "LEAST_OUTPUT_ORDER", least);
  cs_define_size(t, "K_SERIES_END", l->coefficients.estimate_at);
  series_tables(t);
  reach_tables(l, t);
  print_series_coefficients(l, t);
}

/* ---- code over the variant's rows -------------------------------------------------------------------------------- */

/* Coefficients of s^j in memories scale with the j-th power of the step size. */
static void print_rescale(const struct cs_layout *l, struct cs_text *t) {
  size_t power[4] = {0};
  cs_text_add(t,
              "/* memories rescaled to a step q times as large; the rest of z is copied */\n"
              "static void rescale(const V *z, V q, V *to) {\n  const V q2 = q * q, q3 = q2 * q;\n");
  for (size_t i = 0; i < l->dims.coordinates; i++) {
    size_t j = 0;
    for (size_t m = 0; m < l->master.parts * l->dims.inputs; m++)
      if (l->at.input[m] >= 0 && (long)i >= l->at.input[m] &&
          i - (size_t)l->at.input[m] <= l->degree.input[m % l->dims.inputs])
        j = i - (size_t)l->at.input[m];
    for (size_t o = 0; o < l->dims.outputs; o++)
      if (l->at.output[o] >= 0 && (long)i >= l->at.output[o] && i - (size_t)l->at.output[o] <= l->degree.output[o])
        j = i - (size_t)l->at.output[o];
    power[j]++;
    static const char *const factor[] = {"", " * q", " * q2", " * q3"};
    cs_text_add(t, "  to[%zu] = z[%zu]%s;\n", i, i, factor[j]);
  }
  cs_text_add(t, "%s%s}\n", power[2] == 0 ? "  (void)q2;\n" : "", power[3] == 0 ? "  (void)q3;\n" : "");
}

static void print_after(const struct cs_layout *l, struct cs_text *t) {
  cs_text_add(t,
              "/* z after a step: the rows of r and of the states are increments */\n"
              "static void after_step(const V *z, const V *row, V *to) {\n");
  for (size_t i = 0; i < l->dims.coordinates; i++) {
    bool increment = i < l->dims.exact;
    for (size_t a = 0; a < l->dims.states; a++)
      increment = increment || l->at.state[a] == i;
    cs_text_add(t, increment ? "  to[%zu] = z[%zu] + row[%zu];\n" : "  to[%zu] = row[%zu];\n", i, i, i);
  }
  cs_text_add(t, "}\n");
}

static void print_measures(const struct cs_layout *l, struct cs_text *t) {
  cs_text_add(t,
              "/* adds squares to the sums in the lanes of `on` only: rows of other lanes may be NaN */\n"
              "static void add_measures(const V *row, const V *inside, V weight, M on, V *sum) {\n");
  for (size_t i = l->dims.coordinates; i < l->map.rows; i++)
    if (l->map.row[i].sum >= 0)
      cs_text_add(t, "  sum[%d] = SEL(on, FMA(weight * row[%zu], row[%zu], sum[%d]), sum[%d]);\n", l->map.row[i].sum, i,
                  i, l->map.row[i].sum, l->map.row[i].sum);
  for (size_t i = 0; i < l->map.inside_rows; i++)
    if (l->map.inside[i].sum >= 0)
      cs_text_add(t, "  sum[%d] = SEL(on, FMA(weight, inside[%zu], sum[%d]), sum[%d]);\n", l->map.inside[i].sum, i,
                  l->map.inside[i].sum, l->map.inside[i].sum);
  cs_text_add(t, "}\nstatic void raise_tops(const V *row, M on, V *top) {\n");
  for (size_t i = l->dims.coordinates; i < l->map.rows; i++)
    if (l->map.row[i].top >= 0)
      cs_text_add(t, "  top[%d] = SEL(on, fmax(top[%d], fabs(row[%zu])), top[%d]);\n", l->map.row[i].top,
                  l->map.row[i].top, i, l->map.row[i].top);
  cs_text_add(t, "}\nstatic void take_finals(const V *row, const V *z, M on, V *final) {\n");
  for (size_t i = l->dims.coordinates; i < l->map.rows; i++)
    if (l->map.row[i].final >= 0)
      cs_text_add(t, "  final[%d] = SEL(on, row[%zu], final[%d]);\n", l->map.row[i].final, i, l->map.row[i].final);
  const long states = l->measures.states;
  for (size_t a = 0; states >= 0 && a < l->dims.states; a++)
    cs_text_add(t, "  final[%zu] = SEL(on, z[%zu], final[%zu]);\n", (size_t)states + a, l->at.state[a],
                (size_t)states + a);
  cs_text_add(t, "}\n");
}

static void print_flows(const struct cs_layout *l, struct cs_text *t) {
  cs_text_add(t, "/* the flow of each monitor, [K](37) */\nstatic void flows(const V *y, V *flow) {\n");
  for (size_t m = 0; m < l->dims.monitors; m++)
    if (l->model->monitor[m].flow >= 0)
      cs_text_add(t, "  flow[%zu] = y[%ld];\n", m, l->model->monitor[m].flow);
    else
      cs_text_add(t, "  flow[%zu] = (V)0.0;\n", m);
  cs_text_add(t, "}\n");
}

static size_t coefficients_before(const struct cs_layout *l, enum cs_operator op, size_t row, size_t column) {
  size_t i = 0;
  while (i + CS_K_X0 + l->dims.states < l->coefficients.estimate_at &&
         !(l->coefficients.list[i].from == op && l->coefficients.list[i].row == row &&
           l->coefficients.list[i].column == column))
    i++;
  return CS_K_X0 + l->dims.states + i;
}

static void print_events(const struct cs_layout *l, struct cs_text *t) {
  const struct cs_pattern *set = &l->pattern[CS_OP_EVENT_SET], *add = &l->pattern[CS_OP_EVENT_ADD];
  cs_text_add(t, "static V event_time(const V *k, int e) {\n");
  for (size_t e = 0; e < l->model->events; e++) {
    if (l->pattern[CS_OP_EVENT_TIME].set[e])
      cs_text_add(t, "  if (e == %zu) return k[%zu]; /* %s */\n", e, coefficients_before(l, CS_OP_EVENT_TIME, e, 0),
                  l->model->event[e].name);
  }
  cs_text_add(t,
              "  return (V)INFINITY;\n}\n"
              "static void event_states(const V *k, int e, M on, V *r, V *x) {\n");
  for (size_t e = 0; e < l->model->events; e++) {
    cs_text_add(t, "  if (e == %zu) { /* %s */\n", e, l->model->event[e].name);
    for (size_t a = 0; a < l->dims.states; a++) {
      if (set->set[e * l->dims.states + a])
        cs_text_add(t, "    r[%zu] = SEL(on, k[%zu], r[%zu]); /* %s */\n    x[%zu] = SEL(on, (V)0.0, x[%zu]);\n", a,
                    coefficients_before(l, CS_OP_EVENT_SET, e, a), a, l->model->state[a].name, a, a);
      if (add->set[e * l->dims.states + a])
        cs_text_add(t, "    r[%zu] = SEL(on, r[%zu] + k[%zu], r[%zu]); /* %s */\n", a, a,
                    coefficients_before(l, CS_OP_EVENT_ADD, e, a), a, l->model->state[a].name);
    }
    cs_text_add(t, "  }\n");
  }
  cs_text_add(t, "}\n");
}

void cs_emit_vary_functions(const struct cs_layout *l, struct cs_text *t) {
  print_rescale(l, t);
  print_after(l, t);
  print_measures(l, t);
  if (l->sweep->metric[CS_MONITOR_PREDICTED]) print_flows(l, t);
  print_events(l, t);
}

void cs_emit_vary_control(const struct cs_layout *l, struct cs_text *t) {
  if (!l->kind.sees_defects) return;
  cs_text_add(t,
              "/* the largest step RMS of all connection defects and estimated output defects, squared and plain */\n"
              "static V largest_square(const struct control *c) {\n  const V *row = c->row;\n"
              "  V most = (V)0.0, other = (V)0.0, one;\n");
  size_t signals = 0; /* two independent chains of comparisons, to halve the latency */
  for (size_t i = l->dims.coordinates; i < l->map.rows; i++) {
    const struct cs_row *row = &l->map.row[i];
    if (row->group != CS_ROWS_OUTPUT_DEFECT && row->group != CS_ROWS_CONNECTION_DEFECT) continue;
    const bool first = i == l->dims.coordinates || row[-1].group != row->group || row[-1].signal != row->signal;
    const bool last = i + 1 == l->map.rows || row[1].group != row->group || row[1].signal != row->signal;
    cs_text_add(t, first ? "  one = row[%zu] * row[%zu];\n" : "  one = FMA(row[%zu], row[%zu], one);\n", i, i);
    const char *const chain = signals % 2 == 0 ? "most" : "other";
    if (last) cs_text_add(t, "  %s = LARGER(one, %s);\n", chain, chain);
    signals += last;
  }
  cs_text_add(t,
              "  return LARGER(most, other);\n}\n"
              "static V largest_defect(const struct control *c) {\n  return sqrt(largest_square(c));\n}\n");
}
