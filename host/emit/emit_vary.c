#include "emit_vary.h"

#include <math.h>
#include <stdlib.h>

#include "emit_course.h"
#include "emit_step.h"
#include "linalg.h"
#include "list.h"
#include "modes.h"
#include "record.h"

/* ---- sizes and places -------------------------------------------------------------------------------------------- */

static void control_numbers(const struct cs_layout *l, struct cs_define *t) {
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
static void gauss_tables(struct cs_define *t) {
  enum { NODES = 5 };
  double node[NODES], weight[NODES];
  cs_linalg_gauss(NODES, node, weight);
  cs_define_size(t, "GAUSS_NODES", NODES);
  cs_define_reals(t, "GAUSS_NODE", NODES, node);
  cs_define_reals(t, "GAUSS_WEIGHT", NODES, weight);
}

/* Numbers of a step that the kernel computes, spacing.clh. */
static void step_numbers(const struct cs_layout *l, struct cs_define *t) {
  const struct cs_size list[] = {{"K_PREPARED", cs_layout_prepared(l)},
                                 {"K_RATE", 1},
                                 {"K_LEADER", 1},
                                 {"K_INVERSE", 4},
                                 {"K_NODE", 16},
                                 {"K_FACTOR", 4},
                                 {"K_RATIO", 4}};
  size_t at = l->coefficients.count;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    cs_define_size(t, list[i].name, at);
    at += list[i].value;
  }
  cs_define_size(t, "NUMBERS", at);
}

static void state_places(const struct cs_layout *l, struct cs_define *t) {
  static const struct {
    const char *name;
    enum cs_vary_state at;
  } list[] = {
      {"STATE_SCALE", CS_VARY_SCALE},         {"STATE_SPACING", CS_VARY_SPACING},   {"STATE_TIME", CS_VARY_TIME},
      {"STATE_REST", CS_VARY_REST},           {"STATE_NOMINAL", CS_VARY_NOMINAL},   {"STATE_EVENT", CS_VARY_EVENT},
      {"STATE_STEPS", CS_VARY_STEPS},         {"STATE_REJECTED", CS_VARY_REJECTED}, {"STATE_LEAST", CS_VARY_LEAST},
      {"STATE_MOST", CS_VARY_MOST},           {"STATE_STATUS", CS_VARY_STATUS},     {"STATE_SHARED", CS_VARY_SHARED},
      {"STATE_LEAST_CUT", CS_VARY_LEAST_CUT}, {"STATE_SPLIT", CS_VARY_SPLIT}};
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

/* Tables of `pi_ecco` and switches of the controller's code. */
static void control_tables(const struct cs_layout *l, struct cs_define *t) {
  const struct cs_method *m = &l->method;
  cs_define_size(t, "HALVES", l->kind.halves);
  cs_define_count(t, "CONTROL_MEMORY", l->control.memory);
  cs_define_count(t, "BONDS", l->control.bonds);
  cs_define_size(t, "ENERGIES", l->control.energies);
  if (m->control == CS_PI_DEFECT) cs_define_facts(t, CS_FACTS_PI_DEFECT);
  if (m->control == CS_PI_ECCO) cs_define_facts(t, CS_FACTS_PI_ECCO);
  cs_define_size(t, "PREDICTS", l->master.leaders > 1 && !l->kind.alternates && !l->master.together);
  cs_define_size(t, "OVERSHOOTS", m->control == CS_FIXED || m->control == CS_CYCLE || m->end == CS_END_OVERSHOOT);
  cs_define_size(t, "THRESHOLD_SIGNAL", m->control == CS_THRESHOLD ? m->signal : 0);
  cs_define_size(t, "THESIS_NORM", m->norm == CS_NORM_THESIS);
  cs_define_size(t, "CORRECTED", l->coefficients.estimates > 0);
  cs_define_size(t, "INPUT_DEGREE", l->degree.least);
  cs_define_size(t, "ALL_NEW", !cs_layout_extrapolates(l));
  const size_t bonds = l->control.bonds > 0 ? l->control.bonds : l->control.energies;
  const struct cs_bond *bond = bonds > 0 ? l->sweep->controls->list[m->bonds].bond : NULL;
  static const char *const name[] = {"BOND_INPUT", "BOND_OUTPUT"};
  struct cs_define_list list = {0};
  for (int k = 0; k < 2; k++) {
    for (size_t b = 0; b < bonds; b++)
      for (int side = 0; side < 2; side++)
        cs_define_add(&list, (long)(k == 0 ? bond[b].input[side] : bond[b].output[side]));
    cs_define_list(t, name[k], &list, 0);
  }
  double *sign = NULL;
  for (size_t b = 0; b < bonds; b++) {
    t->failed = t->failed || !cs_list_grow(&sign, b, sizeof *sign);
    if (!t->failed) sign[b] = bond[b].sign;
  }
  cs_define_reals(t, "BOND_SIGN", t->failed ? 0 : bonds, sign);
  free(sign);
}

static double binomial(int i, int j) {
  double value = 1.0;
  for (int n = 1; n <= j; n++)
    value = value * (i - n + 1) / n;
  return value;
}

enum { TERMS = CS_MOST_POWERS };

static void reach_tables(const struct cs_layout *l, struct cs_define *t) {
  struct cs_define_list powers = {0};
  double reach[CS_MOST_LEVELS];
  size_t levels = 0;
  for (; levels < CS_MOST_LEVELS; levels++)
    cs_define_add(&powers, (long)cs_layout_powers(l, levels, &reach[levels]));
  cs_define_list(t, "POWERS", &powers, 0);
  cs_define_reals(t, "REACH", levels, reach);
  cs_define_size(t, "REACHES", levels);
}

/* Weights of the series' terms, all but HALF_POWER including 1/i!. */
static void series_tables(struct cs_define *t) {
  static const double factorial[4] = {1.0, 1.0, 2.0, 6.0};
  double inverse[TERMS + 1] = {1.0}, half[TERMS], chosen[4 * TERMS], rho[4 * TERMS];
  for (int i = 1; i <= TERMS; i++)
    inverse[i] = inverse[i - 1] / i;
  for (int i = 0; i < TERMS; i++) {
    half[i] = ldexp(1.0, -i);
    for (int n = 0; n < 4; n++) {
      double rest = half[i];
      for (int j = 0; j <= n; j++)
        rest -= binomial(i, j) * ldexp(j % 2 == 0 ? 1.0 : -1.0, -j);
      chosen[n * TERMS + i] = binomial(i, n) * inverse[i];
      rho[n * TERMS + i] = i <= n ? 0.0 : rest * inverse[i];
    }
  }
  cs_define_size(t, "TERMS", TERMS);
  cs_define_reals(t, "FACTORIAL", 4, factorial);
  cs_define_reals(t, "INVERSE", TERMS + 1, inverse);
  cs_define_reals(t, "HALF_POWER", TERMS, half);
  cs_define_matrix(t, "BINOMIAL", 4, TERMS, chosen);
  cs_define_matrix(t, "RHO", 4, TERMS, rho);
}

/* Ranges of coefficients for series_coefficients of across.clh. */
static void series_ranges(const struct cs_layout *l, struct cs_define *t) {
  static const enum cs_operator used[] = {CS_OP_M, CS_OP_A, CS_OP_B, CS_OP_L};
  const size_t fixed = CS_K_X0 + l->dims.states;
  size_t first[4], end[4];
  for (size_t n = 0; n < 4; n++) {
    first[n] = end[n] = cs_layout_first_coefficient(l, used[n]);
    while (end[n] < l->coefficients.estimate_at && l->coefficients.list[end[n] - fixed].from == used[n])
      end[n]++;
  }
  cs_define_integers(t, "SERIES_FIRST", 4, first);
  cs_define_integers(t, "SERIES_END", 4, end);
}

/* Positions in a row of a trace. */
static void record_places(const struct cs_layout *l, struct cs_define *t) {
  cs_define_size(t, "RECORDS", l->kind.records);
  for (int i = 0; i < CS_RECORDS; i++)
    cs_define_size(t, cs_record_table[i].place, cs_record_place(l, (enum cs_record)i));
  cs_define_size(t, "RECORD_ITEMS", cs_record_place(l, CS_RECORDS));
}

/* ---- tables of the variant's rows -------------------------------------------------------------------------------- */

/* The output that is the flow of each monitor, or -1. */
static void flow_outputs(const struct cs_layout *l, struct cs_define *t) {
  struct cs_define_list list = {0};
  for (size_t m = 0; m < l->dims.monitors; m++)
    cs_define_add(&list, (long)l->model->monitor[m].flow);
  cs_define_list(t, "FLOW_OF", &list, -1);
}

/* Coefficients of an operator of events, [rows][columns]; -1 where it has no entry. */
static void event_places(const struct cs_layout *l, const char *name, enum cs_operator op, struct cs_define *t) {
  const struct cs_pattern *p = &l->pattern[op];
  size_t place = cs_layout_first_coefficient(l, op);
  struct cs_define_list list = {0};
  for (size_t i = 0; i < p->rows * p->columns; i++)
    cs_define_add(&list, p->set[i] ? (long)place++ : -1);
  cs_define_list(t, name, &list, -1);
}

/* Rows of the signals whose defects control the steps. */
static void defect_rows(const struct cs_layout *l, struct cs_define *t) {
  struct cs_define_list first = {0}, end = {0};
  for (size_t i = l->dims.coordinates; i < l->map.rows; i++) {
    const struct cs_row *row = &l->map.row[i];
    if (!(l->kind.sees_defects ? cs_layout_sees(l, row->group)
                               : row->group == CS_ROWS_OUTPUT_DEFECT || row->group == CS_ROWS_CONNECTION_DEFECT))
      continue;
    const bool begins = i == l->dims.coordinates || row[-1].group != row->group || row[-1].signal != row->signal;
    const bool ends = i + 1 == l->map.rows || row[1].group != row->group || row[1].signal != row->signal;
    if (begins) cs_define_add(&first, (long)i);
    if (ends) cs_define_add(&end, (long)i + 1);
  }
  cs_define_size(t, "DEFECTS", end.count);
  cs_define_list(t, "DEFECT_FIRST", &first, 0);
  cs_define_list(t, "DEFECT_END", &end, 0);
}

static void row_tables(const struct cs_layout *l, struct cs_define *t) {
  flow_outputs(l, t);
  event_places(l, "EVENT_TIME_AT", CS_OP_EVENT_TIME, t);
  event_places(l, "EVENT_SET_AT", CS_OP_EVENT_SET, t);
  event_places(l, "EVENT_ADD_AT", CS_OP_EVENT_ADD, t);
  defect_rows(l, t);
  cs_emit_step_rows(l, t);
}

void cs_emit_vary_places(const struct cs_layout *l, struct cs_define *t) {
  cs_define_text(t, "\n/* variable steps */\n");
  cs_define_size(t, "POINTS", !cs_method_sends_slopes(&l->method));
  cs_define_size(t, "RAMPED", l->method.start == CS_RAMP);
  cs_define_size(t, "INSIDE_ROWS1", l->map.inside_rows > 0 ? l->map.inside_rows : 1);
  cs_define_size(t, "PANELS_MOST", cs_layout_panels_most(l));
  cs_define_size(t, "EVENTS", l->model->events);
  cs_define_text(t,
                 "#define LARGEST_NORM %g\n#define STIFF_NORM %g\n#define NORM_FEW %g\n#define CHAIN_FEW %a\n"
                 "#define STEP_ROUNDING %g\n#define END_ROUNDING %g\n#define OCTAVE_MOST %d.0\n",
                 CS_LARGEST_NORM, CS_STIFF_NORM, CS_NORM_FEW, CS_CHAIN_FEW, CS_STEP_ROUNDING, CS_END_ROUNDING,
                 CS_MODES_OCTAVE_MOST);
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
  series_ranges(l, t);
  row_tables(l, t);
  cs_emit_course(l, t);
}

/* ---- teams ------------------------------------------------------------------------------------------------------- */

/* Adds the rows of an operator: where their coefficients begin, and with which number of x each is multiplied. */
static void add_operator(const struct cs_layout *l, enum cs_operator op, struct cs_define_list *first,
                         struct cs_define_list *column) {
  const struct cs_pattern *p = &l->pattern[op];
  const size_t begin = CS_K_X0 + l->dims.states;
  size_t place = cs_layout_first_coefficient(l, op);
  for (size_t i = 0; i < p->rows; i++) {
    cs_define_add(first, (long)place);
    for (size_t j = 0; j < p->columns; j++) {
      if (!p->set[i * p->columns + j]) continue;
      while (column->count <= place - begin && !column->failed)
        cs_define_add(column, 0);
      if (!column->failed) column->value[place - begin] = op == CS_OP_BIAS ? l->dims.exact - 1 : j;
      place++;
    }
  }
  cs_define_add(first, (long)place);
}

void cs_emit_vary_team(const struct cs_layout *l, struct cs_text *text) {
  static const struct {
    const char *name;
    enum cs_operator op;
  } operators[] = {{"OP_M", CS_OP_M}, {"OP_Y", CS_OP_Y}, {"OP_A", CS_OP_A}, {"OP_B", CS_OP_B},      {"OP_C", CS_OP_C},
                   {"OP_D", CS_OP_D}, {"OP_L", CS_OP_L}, {"OP_S", CS_OP_S}, {"OP_BIAS", CS_OP_BIAS}};
  const struct cs_vary_team team = cs_layout_vary_team(l);
  struct cs_define t = {.text = text};
  struct cs_define_list first = {0}, column = {0};
  struct cs_team_array arrays[CS_TEAM_ARRAYS];
  size_t at = 0;
  cs_define_text(&t, "\n/* teams */\n");
  cs_define_size(&t, "VARY_TEAM", team.items);
  cs_define_size(&t, "TEAM_ROOM", team.room);
  cs_define_size(&t, "TEAM_NEAR", team.near);
  cs_define_size(&t, "TEAM_CONTROL_AT", l->coefficients.control_at);
  cs_define_size(&t, "TEAM_JUDGES", l->kind.sees_defects);
  cs_define_size(&t, "TEAM_SEES", l->method.control == CS_PI_ECCO || l->method.control == CS_THRESHOLD);
  cs_layout_vary_team_arrays(l, arrays);
  for (size_t i = 0; i < CS_TEAM_ARRAYS; i++) {
    cs_define_size(&t, arrays[i].name, at);
    at += arrays[i].count;
  }
  cs_define_size(&t, "T_NUMBERS", at);
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    cs_define_size(&t, operators[i].name, first.count);
    add_operator(l, operators[i].op, &first, &column);
  }
  cs_define_size(&t, "OPERATORS_AT", CS_K_X0 + l->dims.states);
  cs_define_list(&t, "OPERATOR_FIRST", &first, 0);
  cs_define_list(&t, "OPERATOR_COLUMN", &column, 0);
  text->failed |= t.failed;
}
