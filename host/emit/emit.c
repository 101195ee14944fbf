#include "emit.h"

#include <math.h>
#include <string.h>

#include "define.h"
#include "dopri5.h"
#include "emit_model.h"
#include "emit_places.h"
#include "emit_step.h"
#include "emit_vary.h"
#include "fragment.h"
#include "modes.h"
#include "source.h"
#include "tableau.h"

static int add_fragment(struct cs_text *t, const char *name, struct cs_error *error) {
  const char *text = cs_fragment(name);
  if (text == NULL) return cs_error_set(error, CS_DEVICE, "kernel fragment %s is not in the program", name);
  cs_text_add(t, "\n#line 1 \"kernels/%s\"\n", name);
  cs_text_append(t, text, strlen(text));
  return CS_OK;
}

/* The fragments of a list, skipping NULL. */
static int add_fragments(struct cs_text *t, const char *const *list, size_t fragments, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; code == CS_OK && i < fragments; i++)
    if (list[i] != NULL) code = add_fragment(t, list[i], error);
  return code;
}

/* Positions of accumulators and results in a run's state. */
static void run_places(const struct cs_layout *l, struct cs_define *t) {
  const long monitor_max = l->measures.top_of[CS_MONITOR_MAX];
  const struct cs_size places[] = {{"STATE_ITEMS", l->stepped.items},       {"STATE_SUMS", l->stepped.sums},
                                   {"STATE_TOPS", l->stepped.tops},         {"STATE_FINALS", l->stepped.finals},
                                   {"STATE_DIVERGED", l->stepped.diverged}, {"STATE_GROWTH", l->stepped.growth}};
  cs_define_count(t, "SUMS", l->measures.sums);
  cs_define_count(t, "TOPS", l->measures.tops);
  cs_define_count(t, "FINALS", l->measures.finals);
  cs_define_sizes(t, places, sizeof places / sizeof *places);
  cs_define_number(t, "STATE_FINAL", l->measures.states);
  cs_define_number(t, "MONITOR_MAX", monitor_max < 0 ? -1 : (long)l->stepped.tops + monitor_max);
}

/* Matrices of doubling, for a work-item and for a team. */
static void doubling_sizes(const struct cs_layout *l, unsigned lanes, struct cs_define *t) {
  const struct cs_tiling tiling = cs_layout_tiling(l, lanes);
  const struct cs_team team = cs_layout_team(l);
  const struct cs_size sizes[] = {{"TILE_ROWS_R", tiling.rows_r},
                                  {"TILE_COLUMNS_R", tiling.columns_r},
                                  {"TILE_ROWS_W", tiling.rows_w},
                                  {"TILE_COLUMNS_W", tiling.columns_w},
                                  {"NRP", tiling.padded_r},
                                  {"NP", tiling.padded},
                                  {"WORKSPACE", cs_layout_doubling_items(l, lanes)},
                                  {"TEAM_Z", team.z},
                                  {"TEAM_NEXT", team.next},
                                  {"TEAM_AGAIN", team.again},
                                  {"KEPT", l->dims.kept}};
  cs_define_sizes(t, sizes, sizeof sizes / sizeof *sizes);
  cs_define_count(t, "DEPENDENT", l->dims.coordinates - l->dims.kept);
  cs_define_facts(t, CS_FACTS_DOUBLING);
}

/* Groups of rows of the measures: whether they exist, and their first rows. */
static void row_groups(const struct cs_layout *l, struct cs_define *t) {
  static const struct {
    const char *want, *row;
    enum cs_rows rows;
  } group[] = {{"WANT_OUTPUT_DEFECT", "ROW_OUTPUT_DEFECT", CS_ROWS_OUTPUT_DEFECT},
               {"WANT_CONNECTION_DEFECT", NULL, CS_ROWS_CONNECTION_DEFECT},
               {"WANT_OUTPUT_POINT", "ROW_OUTPUT_POINT", CS_ROWS_OUTPUT_POINT},
               {"WANT_INPUT_POINT", "ROW_INPUT_POINT", CS_ROWS_INPUT_POINT},
               {"WANT_STATE_POINT", "ROW_STATE_POINT", CS_ROWS_STATE_POINT},
               {"WANT_MONITOR", "ROW_MONITOR", CS_ROWS_MONITOR},
               {"WANT_LOCAL_ERROR", "ROW_LOCAL_ERROR", CS_ROWS_LOCAL_ERROR},
               {"WANT_LOCAL_ESTIMATE", "ROW_LOCAL_ESTIMATE", CS_ROWS_LOCAL_ESTIMATE},
               {"WANT_OUTPUT_ERROR", "ROW_OUTPUT_ERROR", CS_ROWS_OUTPUT_ERROR},
               {"WANT_INPUT_ERROR", "ROW_INPUT_ERROR", CS_ROWS_INPUT_ERROR},
               {"WANT_STATE_ERROR", "ROW_STATE_ERROR", CS_ROWS_STATE_ERROR},
               {"WANT_OUTPUT_DEFECT_TRUE", "ROW_OUTPUT_DEFECT_TRUE", CS_ROWS_OUTPUT_DEFECT_TRUE},
               {"WANT_BOND_ENERGY", "ROW_BOND_ENERGY", CS_ROWS_BOND_ENERGY},
               {"WANT_INTEGRATION_DEFECT", "ROW_INTEGRATION_DEFECT", CS_ROWS_INTEGRATION_DEFECT}};
  for (size_t i = 0; i < sizeof group / sizeof *group; i++) {
    cs_define_number(t, group[i].want, l->map.wanted[group[i].rows]);
    const bool wanted = l->map.wanted[group[i].rows];
    if (group[i].row != NULL) cs_define_number(t, group[i].row, wanted ? (long)l->map.first_row[group[i].rows] : -1);
  }
}

/* Sizes that stepping needs too. */
static void map_sizes(const struct cs_layout *l, struct cs_define *t) {
  const struct cs_size list[] = {{"NR", l->dims.exact},
                                 {"NX", l->dims.states},
                                 {"NZ", l->dims.coordinates},
                                 {"BLOCKS", l->dims.blocks},
                                 {"COEFFICIENTS", l->coefficients.count},
                                 {"PIECES", l->step.pieces},
                                 {"ROWS", l->map.rows},
                                 {"INSIDE_ROWS", l->map.inside_rows},
                                 {"POINT_ITEMS", l->map.point_items},
                                 {"INSIDE_ITEMS", l->map.inside_items},
                                 {"NODES_FEW", l->step.few},
                                 {"ROLLED", !cs_layout_unrolled(l)}};
  cs_define_sizes(t, list, sizeof list / sizeof *list);
  cs_define_facts(t, CS_FACTS_LANE);
  cs_define_text(t, "#define LARGEST_STATE %g\n", CS_LARGEST_STATE);
  cs_define_integers(t, "STATE_AT", l->dims.states, l->at.state);
  if (!l->kind.lean) run_places(l, t);
}

/* Whether memories at T_0 result from the exact solution before it: values alone have no past. */
static bool knows_past(const struct cs_layout *l) {
  bool any = l->degree.wave == 0;
  for (size_t o = 0; o < l->dims.outputs; o++)
    any = any || l->degree.output[o] > 0;
  return (l->method.start == CS_CONSISTENT && any) || (l->method.start == CS_RAMP && l->method.hold == CS_TAYLOR);
}

static void sizes(const struct cs_layout *l, unsigned lanes, struct cs_define *t) {
  const struct cs_size list[] = {
      {"NQ", l->dims.powers},
      {"DERIVATIVES", cs_layout_derivatives(l)},
      {"CUBIC", l->method.hold == CS_HERMITE},
      {"PARTS", l->master.parts},
      {"STAGES", l->master.stages},
      {"ITERATIONS", cs_method_repetitions(&l->method)},
      {"LATEST", cs_layout_latest(l)},
      {"RATES", cs_layout_has_rates(l) ? cs_layout_points(l, NULL, NULL) : 0},
      {"SOLVED", l->method.feedthrough == CS_SOLVED},
      {"JOINS", (size_t)l->method.continuity},
      {"START_SLOPED", l->method.start == CS_CONSISTENT},
      {"CONVERGED", l->method.iterations == CS_CONVERGED},
      {"RELAXED", cs_layout_relaxes(l)},
      {"PREPARED", cs_layout_prepared(l)},
      {"HANDED", l->dims.handed},
      {"HANDED_AT", l->map.handed_at},
      {"INTERPOLATES", cs_layout_interpolates(l)},
      {"LEADERS", l->master.leaders},
      {"ALTERNATES", l->kind.alternates},
      {"USER_MASTER", l->master.user != NULL},
      {"MASTER_MEMORY", l->master.memory},
      {"MASTER_AT", l->at.master},
      {"ESTIMATES", l->coefficients.estimates},
      {"ESTIMATE_AT", l->coefficients.estimate_at},
      {"SEGMENTS", l->step.segments},
      {"VARIES", l->kind.varies},
      {"ACROSS", cs_layout_is_across(l)},
      {"INEXACT", l->kind.inexact},
      {"ADAPTIVES", l->kind.adaptive},
      {"ANY_IMPLICIT", l->kind.implicit},
      {"ANY_FROZEN", l->kind.frozen},
      {"FOLLOWS_MODEL", l->kind.follows_model},
      {"FOLLOWS_THROUGHOUT", l->kind.follows_throughout},
      {"START_FROM_HISTORY", knows_past(l)},
      {"CYCLE", l->control.cycle != NULL ? l->control.cycle->ratios : 0},
  };
  map_sizes(l, t);
  cs_define_sizes(t, list, sizeof list / sizeof *list);
  cs_define_count(t, "NU", l->dims.inputs);
  cs_define_count(t, "NY", l->dims.outputs);
  cs_define_count(t, "NM", l->dims.monitors);
  if (l->kind.doubles) doubling_sizes(l, lanes, t);
  row_groups(l, t);
}

/* Numbers of points.clh and of a step's place in a cycle, in a program that assembles maps. */
static void point_places(const struct cs_layout *l, struct cs_define *t) {
  static const struct cs_size list[] = {{"K_INVERSE", 4}, {"K_NODE", 16}, {"K_RATIO", 4}};
  size_t at = l->coefficients.count;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    cs_define_size(t, list[i].name, l->control.cycle != NULL ? at : 0);
    if (l->control.cycle != NULL) at += list[i].value;
  }
  cs_define_size(t, "K_LEADER", l->kind.alternates ? at++ : 0);
  cs_define_size(t, "K_PREPARED", at);
  cs_define_size(t, "NUMBERS", at + cs_layout_prepared(l));
}

/* Names that fragments shared by all kinds of programs use, where these programs have no such numbers. */
static void absent_places(const struct cs_layout *l, struct cs_define *t) {
  static const char *const modal[] = {"MODE_OCTAVE", "MODE_OCTAVE_ALWAYS", "MODE_TURN", "MODE_SLOW"};
  if (!l->kind.varies) point_places(l, t);
  if (!l->kind.varies) cs_define_number(t, "K_SOLVER_TOLERANCE", 0);
  if (!l->kind.varies) cs_define_number(t, "TERMS", 0);
  for (size_t i = 0; i < sizeof modal / sizeof *modal && !l->kind.stiff; i++)
    cs_define_number(t, modal[i], 0);
}

/* Coordinates of z that doubling keeps, and those determined by the states. */
static void doubled_coordinates(const struct cs_layout *l, struct cs_define *t) {
  struct cs_define_list kept = {0}, dependent = {0}, input = {0};
  for (size_t i = 0; i < l->dims.coordinates; i++) {
    size_t q = 0;
    while (q < l->dims.inputs && !(l->at.from_states[q] && l->at.input[q] == (long)i))
      q++;
    cs_define_add(q < l->dims.inputs ? &dependent : &kept, (long)i);
    if (q < l->dims.inputs) cs_define_add(&input, (long)q);
  }
  cs_define_list(t, "KEPT_AT", &kept, 0);
  cs_define_list(t, "DEPENDENT_AT", &dependent, 0);
  cs_define_list(t, "DEPENDENT_INPUT", &input, 0);
}

/* A table of a number of each state. */
static void of_states(const struct cs_layout *l, const char *name, long (*number)(const struct cs_layout *, size_t),
                      struct cs_define *t) {
  struct cs_define_list list = {0};
  for (size_t a = 0; a < l->dims.states; a++)
    cs_define_add(&list, number(l, a));
  cs_define_list(t, name, &list, 0);
}

static const struct cs_subsystem *own_subsystem(const struct cs_layout *l, size_t state) {
  return &l->model->subsystem[l->model->state[state].subsystem];
}

static long first_state(const struct cs_layout *l, size_t state) {
  return (long)own_subsystem(l, state)->first_state;
}

static long own_states(const struct cs_layout *l, size_t state) {
  return (long)own_subsystem(l, state)->states;
}

static long number_of_subsystem(const struct cs_layout *l, size_t state) {
  return (long)l->model->state[state].subsystem;
}

static unsigned solver_of(const struct cs_layout *l, size_t state) {
  return l->method.subsystem[l->model->state[state].subsystem].solver;
}

static long is_adaptive(const struct cs_layout *l, size_t state) {
  return solver_of(l, state) == CS_DOPRI5;
}

/* 1: the slope before, 2: the state before. */
static long remembers(const struct cs_layout *l, size_t state) {
  return solver_of(l, state) == CS_AB2 ? 1 : solver_of(l, state) == CS_BDF2 ? 2 : 0;
}

static long begins_anew(const struct cs_layout *l, size_t state) {
  return !l->method.subsystem[l->model->state[state].subsystem].keeps;
}

static long memory_at(const struct cs_layout *l, size_t state) {
  return l->at.memory[state];
}

static long is_frozen(const struct cs_layout *l, size_t state) {
  return solver_of(l, state) == CS_EULER;
}

/* First state and size of each state's subsystem, and the series of the solvers' local defects. */
static void solver_blocks(const struct cs_layout *l, struct cs_define *t) {
  cs_define_text(t, "\n/* solvers */\n");
  of_states(l, "FIRST", first_state, t);
  of_states(l, "SIZE", own_states, t);
  cs_define_size(t, "SIZE_MAX_", l->dims.largest);
  cs_define_facts(t, CS_FACTS_SOLVER);
  cs_define_text(t, "#define SERIES_REACH %.1f\n", CS_SERIES_REACH);
}

/* Tables of the solvers in use, one slot per solver. */
static void solver_tables(const struct cs_layout *l, struct cs_define *t) {
  enum { MOST = 8 }; /* solvers with tables */
  int slot_of[CS_SOLVERS], slots = 0, used[MOST];
  for (int s = 0; s < CS_SOLVERS; s++)
    slot_of[s] = -1;
  struct cs_define_list slot = {0};
  for (size_t a = 0; a < l->dims.states; a++) {
    const unsigned solver = solver_of(l, a);
    if (solver != CS_EXACT && solver != CS_DOPRI5 && slot_of[solver] < 0) {
      used[slots] = solver;
      slot_of[solver] = slots++;
    }
    cs_define_add(&slot, slot_of[solver]);
  }
  cs_define_list(t, "SLOT", &slot, 0);
  cs_define_integers(t, "LENGTH", l->dims.states, l->step.micro_length);
  double weight[MOST * CS_STAGES * (CS_SERIES + 1)] = {0}, a[MOST * CS_STAGES * CS_STAGES], b[MOST * CS_STAGES];
  double c[MOST * CS_STAGES], implicit[MOST];
  size_t cubic[MOST];
  for (int s = 0; s < slots; s++) {
    const struct cs_tableau *table = cs_tableau_of(used[s]);
    implicit[s] = table->implicit;
    cubic[s] = table->cubic;
    for (int i = 0; i < CS_STAGES; i++) {
      b[s * CS_STAGES + i] = table->b[i];
      c[s * CS_STAGES + i] = table->c[i];
      for (int j = 0; j < CS_STAGES; j++)
        a[(s * CS_STAGES + i) * CS_STAGES + j] = table->a[i][j];
      for (int n = 1; n <= CS_SERIES; n++)
        weight[(s * CS_STAGES + i) * (CS_SERIES + 1) + n] = cs_tableau_weight(table, i, n);
    }
  }
  const size_t n = (size_t)slots;
  cs_define_reals(t, "WEIGHT", n * CS_STAGES * (CS_SERIES + 1), weight);
  cs_define_reals(t, "STAGE_A", n * CS_STAGES * CS_STAGES, a);
  cs_define_reals(t, "STAGE_B", n * CS_STAGES, b);
  cs_define_reals(t, "STAGE_C", n * CS_STAGES, c);
  cs_define_reals(t, "IMPLICIT", n, implicit);
  cs_define_integers(t, "HERMITE", n, cubic);
}

/* Solvers with memory, and where it is in z. */
static void memory_tables(const struct cs_layout *l, struct cs_define *t) {
  cs_define_size(t, "MEMORIES", 1);
  cs_define_size(t, "FIRST_STEP", l->step.ramps ? 1 : CS_STEADY);
  of_states(l, "REMEMBERS", remembers, t);
  of_states(l, "ANEW", begins_anew, t);
  of_states(l, "MEMORY_AT", memory_at, t);
}

/* States of subsystems with solver dopri5, and its tables, empty where there are none. */
static void dopri5_tables(const struct cs_layout *l, struct cs_define *t) {
  enum { STAGES = CS_DOPRI5_STAGES, ROWS = CS_DOPRI5_ROWS, TERMS = CS_SERIES + 1 };
  double a[STAGES * STAGES], b[ROWS * STAGES], c[STAGES], weight[ROWS * STAGES * TERMS] = {0};
  const size_t some = l->kind.adaptive > 0;
  of_states(l, "ADAPTIVE", is_adaptive, t);
  of_states(l, "SUBSYSTEM", number_of_subsystem, t);
  for (int i = 0; some && i < STAGES; i++) {
    c[i] = cs_dopri5_c(i);
    for (int j = 0; j < STAGES; j++)
      a[i * STAGES + j] = cs_dopri5_a(i, j);
    for (int row = 0; row < ROWS; row++) {
      b[row * STAGES + i] = cs_dopri5_b(row, i);
      for (int n = 1; n < TERMS; n++)
        weight[(row * STAGES + i) * TERMS + n] = cs_dopri5_weight(row, i, n);
    }
  }
  cs_define_facts(t, CS_FACTS_DOPRI5);
  cs_define_reals(t, "DOPRI5_A", some * STAGES * STAGES, a);
  cs_define_reals(t, "DOPRI5_B", some * ROWS * STAGES, b);
  cs_define_reals(t, "DOPRI5_C", some * STAGES, c);
  cs_define_reals(t, "DOPRI5_WEIGHT", some * ROWS * STAGES * TERMS, weight);
}

/* Fragments whose functions have names of another fragment that follows: `renamed` from these to those behind them. */
static int add_beneath(struct cs_text *t, const char *const *list, size_t fragments, const char *const (*renamed)[2],
                       size_t names, struct cs_error *error) {
  for (size_t i = 0; i < names; i++)
    cs_text_add(t, "#define %s %s\n", renamed[i][0], renamed[i][1]);
  const int code = add_fragments(t, list, fragments, error);
  for (size_t i = 0; i < names; i++)
    cs_text_add(t, "#undef %s\n", renamed[i][0]);
  return code;
}

/* Its repetitions are solved for as others, by the same factors. */
static int add_waveform(struct cs_text *t, struct cs_error *error) {
  static const char *const list[] = {"step/sweep.clh", "step/repetition.clh", "step/master_converged.clh"};
  static const char *const renamed[][2] = {{"master_repeat", "sweep_repeat"},
                                           {"master_prepare", "converged_prepare"},
                                           {"master_step", "converged_step"},
                                           {"master_exchange", "converged_exchange"}};
  cs_text_add(t, "\n");
  const int code = add_beneath(t, list, sizeof list / sizeof *list, renamed, sizeof renamed / sizeof *renamed, error);
  return code == CS_OK ? add_fragment(t, "step/master_waveform.clh", error) : code;
}

/* The factors of its Jacobian are those of a converged step whose repetition is the Jacobian. */
static int add_jacobian(struct cs_text *t, struct cs_error *error) {
  static const char *const sweep[] = {"step/sweep.clh"}, *const converged[] = {"step/repetition.clh",
                                                                               "step/master_converged.clh"};
  static const char *const of_sweep[][2] = {{"master_repeat", "sweep_repeat"}};
  static const char *const of_converged[][2] = {{"master_repeat", "jacobian_of"}, {"master_step", "converged_step"}};
  cs_text_add(t, "\n");
  int code = add_beneath(t, sweep, 1, of_sweep, 1, error);
  if (code == CS_OK) code = add_fragment(t, "step/master_jacobian.clh", error);
  cs_text_add(t, "\n");
  return code == CS_OK ? add_beneath(t, converged, 2, of_converged, 2, error) : code;
}

/* Exchanges otherwise than others. */
static int add_fitted(struct cs_text *t, struct cs_error *error) {
  static const char *const list[] = {"step/master_jacobi.clh"};
  static const char *const renamed[][2] = {{"master_exchange", "jacobi_exchange"}};
  cs_text_add(t, "\n");
  const int code = add_beneath(t, list, 1, renamed, 1, error);
  return code == CS_OK ? add_fragment(t, "step/master_fitted.clh", error) : code;
}

/* Walks through the legs of the other master with rates. */
static int add_rates_in_turn(struct cs_text *t, struct cs_error *error) {
  static const char *const list[] = {"step/master_rates.clh"};
  static const char *const renamed[][2] = {{"master_step", "rates_step"}};
  cs_text_add(t, "\n");
  const int code = add_beneath(t, list, 1, renamed, 1, error);
  return code == CS_OK ? add_fragment(t, "step/master_rates_in_turn.clh", error) : code;
}

static int add_master(const struct cs_layout *l, struct cs_text *t, struct cs_error *error) {
  if (l->kind.varies) {
    const int code = add_fragment(t, "step/across.clh", error);
    if (code != CS_OK) return code;
  }
  const bool converged = l->method.iterations == CS_CONVERGED, sweeps = cs_layout_interpolates(l);
  const char *list[] = {sweeps ? "step/sweep.clh" : NULL, converged || l->kind.tolerates ? "step/repetition.clh" : NULL,
                        converged                     ? "step/master_converged.clh"
                        : l->kind.tolerates           ? "step/master_tolerance.clh"
                        : sweeps                      ? "step/master_sweep.clh"
                        : cs_layout_has_rates(l)      ? "step/master_rates.clh"
                        : l->kind.compensates         ? "step/master_compensated.clh"
                        : cs_method_waves(&l->method) ? "step/master_waves.clh"
                                                      : "step/master_jacobi.clh"};
  const int code = l->master.user != NULL          ? add_fragment(t, "step/master_user.clh", error)
                   : l->method.hold == CS_WAVEFORM ? add_waveform(t, error)
                   : l->method.jacobian > 0        ? add_jacobian(t, error)
                   : cs_method_fits(&l->method)    ? add_fitted(t, error)
                   : cs_layout_rates_in_turn(l)    ? add_rates_in_turn(t, error)
                                                   : add_fragments(t, list, sizeof list / sizeof *list, error);
  if (l->master.user != NULL) cs_text_add(t, "\n#line 1 \"%s\"\n%s\n", l->master.user->path, l->master.user->text);
  if (l->master.memory > 0 && l->master.memory == l->master.solvers)
    cs_text_add(t, "\n#define master_begin(u, own)\n"); /* the memory is none of the master's */
  return code;
}

/* A user's macro must not change the surrounding program, that is, its name must not occur there. `meant`: the macro
 * provided for users to define, or NULL. */
static int check_macros(const char *path, const char *text, const char *meant, const char *program,
                        struct cs_error *error) {
  size_t length;
  bool defines = false;
  for (const char *at = cs_source_word(text, &length); at != NULL; at = cs_source_word(at + length, &length)) {
    const bool known = meant != NULL && length == strlen(meant) && strncmp(at, meant, length) == 0;
    if (defines && !known && cs_source_count(program, at, length) != cs_source_count(text, at, length))
      return cs_error_set(error, CS_DEVICE, "%s: #define %.*s: the program around it has this name; want another", path,
                          (int)length, at);
    defines = length == strlen("define") && strncmp(at, "define", length) == 0;
  }
  return CS_OK;
}

/* The map of a step and the initial values of a run. */
static int add_map(const struct cs_layout *l, struct cs_text *t, struct cs_error *error) {
  const char *list[] = {"step/of_map.clh",   "step/macro_step.clh",
                        "step/measures.clh", "step/begin.clh",
                        "step/estimate.clh", "step/local.clh",
                        "fixed/columns.clh", "step/points.clh",
                        "fixed/assemble.cl", l->kind.lean ? NULL : "fixed/begin.cl"};
  return add_fragments(t, list, sizeof list / sizeof *list, error);
}

/* Steps of the map, as text of the variant. */
static int add_steps(const struct cs_layout *l, struct cs_text *t, struct cs_error *error) {
  static const char *const list[] = {"fixed/types.clh", "fixed/nodes.clh", "fixed/step.clh"};
  cs_text_add(t, "\n#line 1 \"variant: step\"\n");
  cs_define_facts(&(struct cs_define){.text = t}, CS_FACTS_STEP);
  cs_emit_step(l, t);
  const int code = cs_layout_unrolled(l) ? CS_OK : add_fragment(t, "fixed/rolled.clh", error);
  return code == CS_OK ? add_fragments(t, list, sizeof list / sizeof *list, error) : code;
}

/* Runs with variable steps, by teams or not. */
static int add_variable(const struct cs_layout *l, bool teams, struct cs_text *t, struct cs_error *error) {
  static const char *const control[] = {
      [CS_FIXED] = "vary/control_fixed.clh",           [CS_PI_DEFECT] = "vary/control_pi_defect.clh",
      [CS_PI_ECCO] = "vary/control_pi_ecco.clh",       [CS_THRESHOLD] = "vary/control_threshold.clh",
      [CS_RICHARDSON] = "vary/control_richardson.clh", [CS_CYCLE] = "vary/control_cycle.clh"};
  static const char *const before[] = {"step/of_run.clh", "step/macro_step.clh", "step/measures.clh", "step/begin.clh",
                                       "step/points.clh", "step/spacing.clh",    "step/estimate.clh", "step/local.clh",
                                       "vary/types.clh",  "vary/rows.clh",       "vary/tried.clh",    "vary/events.clh",
                                       "vary/halves.clh"};
  int code = add_fragments(t, before, sizeof before / sizeof *before, error);
  if (l->method.control == CS_USER_CONTROL) {
    const struct cs_user_fragment *user = &l->sweep->controls->user.item[l->method.user_control];
    cs_text_add(t, "\n#line 1 \"%s\"\n%s\n", user->path, user->text);
  } else if (code == CS_OK) {
    code = add_fragment(t, control[l->method.control], error);
  }
  static const char *const eventful[] = {"vary/guards.clh", "vary/march.clh", "vary/matching.clh", "vary/search.clh",
                                         "vary/settle.clh", "vary/walk.clh",  "vary/order.clh",    "vary/course.clh"};
  if (code == CS_OK && l->kind.eventful) code = add_fragments(t, eventful, sizeof eventful / sizeof *eventful, error);
  if (code == CS_OK && l->kind.eventful && l->master.together) code = add_fragment(t, "vary/parallel.clh", error);
  if (code == CS_OK && !l->kind.eventful) code = add_fragment(t, "vary/no_state_events.clh", error);
  const char *after[] = {"vary/record.clh",
                         "vary/lanes_memory.clh",
                         "vary/judge.clh",
                         "vary/split.clh",
                         "vary/note.clh",
                         "vary/algorithm.clh",
                         "vary/begin_varied.cl",
                         teams ? "vary/team.clh" : "vary/vary.cl",
                         teams ? "vary/vary_team.cl" : NULL};
  return code == CS_OK ? add_fragments(t, after, sizeof after / sizeof *after, error) : code;
}

/* The fragments between the model and the master. */
static int add_method(const struct cs_layout *l, struct cs_text *t, struct cs_error *error) {
  static const char *const hold[] = {[CS_TAYLOR] = "hold/hold_taylor.clh",
                                     [CS_LAGRANGE] = "hold/hold_lagrange.clh",
                                     [CS_BACKWARD_DIFFERENCE] = "hold/hold_backward_difference.clh",
                                     [CS_HERMITE] = "hold/hold_hermite.clh",
                                     [CS_WAVEFORM] = "hold/hold_lagrange.clh",       /* of degree 0: values alone */
                                     [CS_LEAST_SQUARES] = "hold/hold_lagrange.clh"}; /* of outputs */
  static const char *const feedthrough[] = {[CS_EXPLICIT] = "hold/feedthrough_explicit.clh",
                                            [CS_SOLVED] = "hold/feedthrough_solved.clh",
                                            [CS_REFRESH] = "hold/feedthrough_explicit.clh"};
  const char *list[] = {l->kind.varies ? "lanes/sink_vector.clh" : "lanes/sink.clh",
                        "lanes/elementary.clh",
                        "flow/flow.clh",
                        l->kind.stiff ? "flow/hop.clh" : NULL,
                        l->kind.stiff ? "flow/stiff.clh" : "flow/series.clh",
                        "flow/solvers.clh",
                        l->kind.remembers ? "flow/memory.clh" : NULL,
                        "flow/dopri5.clh",
                        !cs_method_sends_slopes(&l->method) ? "hold/hold_points.clh" : NULL,
                        hold[l->method.hold],
                        "hold/held_derivatives.clh",
                        feedthrough[l->method.feedthrough],
                        l->method.feedthrough == CS_REFRESH ? "hold/exchange_refresh.clh" : "hold/exchange.clh",
                        "inside/defect_series.clh",
                        "inside/defects.clh",
                        "inside/inside.clh",
                        "step/types.clh",
                        "step/macro.clh",
                        l->kind.remembers ? "step/solver_memory.clh" : NULL};
  return add_fragments(t, list, sizeof list / sizeof *list, error);
}

/* Positions of the modal coordinates' numbers. */
static void mode_places(const struct cs_layout *l, struct cs_define *t) {
  static const char *const names[CS_MODES] = {[CS_MODES_M] = "MODE_M",
                                              [CS_MODES_Y] = "MODE_Y",
                                              [CS_MODES_T] = "MODE_T",
                                              [CS_MODES_I] = "MODE_I",
                                              [CS_MODES_RATE] = "MODE_RATE",
                                              [CS_MODES_SLOW] = "MODE_SLOW",
                                              [CS_MODES_A] = "MODE_A",
                                              [CS_MODES_B] = "MODE_B",
                                              [CS_MODES_C] = "MODE_C",
                                              [CS_MODES_E] = "MODE_E",
                                              [CS_MODES_OWN] = "MODE_OWN",
                                              [CS_MODES_OWN_I] = "MODE_OWN_I",
                                              [CS_MODES_RATE_A] = "MODE_RATE_A",
                                              [CS_MODES_OCTAVE] = "MODE_OCTAVE",
                                              [CS_MODES_OCTAVE_ALWAYS] = "MODE_OCTAVE_ALWAYS",
                                              [CS_MODES_TURN] = "MODE_TURN"};
  for (int i = 0; i < CS_MODES; i++)
    cs_define_size(t, names[i], l->coefficients.modes_at + cs_mode_places_at(l, (enum cs_modes_part)i));
}

/* Positions of the parameters of a user-defined master. */
static void own_places(const struct cs_layout *l, struct cs_define *t) {
  const struct cs_user_fragments *user = &l->sweep->masters->user;
  for (size_t i = 0; l->master.user != NULL && i < user->names; i++)
    if (!isnan(l->master.user->own[i]))
      cs_define_text(t, "#define P_%s %zu\n", user->name[i], l->coefficients.own_at + i);
}

/* Steps repeated to a tolerance. */
static void tolerance_names(const struct cs_layout *l, struct cs_define *t) {
  cs_define_size(t, "REPEAT_AT", l->coefficients.repetition_at);
  cs_define_size(t, "REPEAT_KEPT_AT", l->coefficients.repetition_at + CS_REPETITION_NUMBERS);
  cs_define_size(t, "ACCELERATES", l->method.acceleration != CS_ACCELERATION_NONE);
  cs_define_size(t, "QUASI_NEWTON", l->method.acceleration == CS_QUASI_NEWTON);
  cs_define_facts(t, CS_FACTS_REPEATED);
}

/* Ends of lines: effort, flow, what the line sends there, the line's state and sign. */
static void line_tables(const struct cs_layout *l, struct cs_define *t) {
  static const char *const name[] = {"LINE_EFFORT", "LINE_FLOW", "LINE_SENT", "LINE_STATE", "LINE_SIGN"};
  struct cs_define_list list[sizeof name / sizeof *name] = {{0}};
  for (size_t e = 0; e < 2 * l->model->lines; e++) {
    const struct cs_line *line = &l->model->line[e / 2];
    const struct cs_subsystem *own = &l->model->subsystem[line->subsystem];
    cs_define_add(&list[0], (long)line->effort[e % 2]);
    cs_define_add(&list[1], (long)line->flow[e % 2]);
    cs_define_add(&list[2], (long)(own->first_output + e % 2));
    cs_define_add(&list[3], (long)own->first_state);
    cs_define_add(&list[4], (long)line->sign);
  }
  cs_define_size(t, "LINE_ENDS", 2 * l->model->lines);
  cs_define_lists(t, name, list, sizeof name / sizeof *name);
}

/* Sizes, choices and tables. */
static void names(const struct cs_layout *l, unsigned lanes, struct cs_define *t) {
  sizes(l, lanes, t);
  cs_emit_places(l, t);
  if (l->kind.varies) cs_emit_vary_places(l, t);
  if (l->kind.doubles) doubled_coordinates(l, t);
  of_states(l, "FROZEN", is_frozen, t);
  solver_blocks(l, t);
  solver_tables(l, t);
  dopri5_tables(l, t);
  cs_define_size(t, "STIFF", l->kind.stiff);
  cs_define_size(t, "HIGHER", l->kind.stiff ? cs_layout_derivatives(l) - 1 : 0);
  if (l->kind.stiff) mode_places(l, t);
  own_places(l, t);
  if (l->kind.compensates) cs_define_size(t, "COMPENSATION_AT", l->coefficients.compensation_at);
  if (cs_method_fits(&l->method)) cs_define_size(t, "FIT_POINTS", l->method.points);
  if (cs_method_waves(&l->method)) line_tables(l, t);
  if (l->kind.tolerates) tolerance_names(l, t);
  if (l->kind.remembers) memory_tables(l, t);
  if (l->method.jacobian > 0) cs_define_size(t, "JACOBIAN", l->method.jacobian);
  if (cs_layout_rates_in_turn(l)) cs_define_size(t, "RATES_IN_TURN", 1);
  absent_places(l, t);
}

void cs_emit_names(const struct cs_layout *l, unsigned lanes, struct cs_define *t) {
  names(l, lanes, t);
  if (!l->kind.lean && !l->kind.varies) cs_emit_step_tables(l, t);
}

/* Everything before the first fragment of a part. */
static int begin_program(const char *model, const char *what, unsigned lanes, bool unrolls, struct cs_text *t,
                         struct cs_error *error) {
  cs_text_add(t, "/* %s%s */\n#define VW %u\n#define UNROLLS %d\n", model, what, lanes, unrolls);
  return add_fragment(t, "lanes/lanes.clh", error);
}

/* Sizes, tables and the model. */
static int add_model(const struct cs_layout *l, unsigned lanes, struct cs_text *t, struct cs_error *error) {
  const char *list[] = {l->kind.remembers ? "flow/memory_types.clh" : NULL, "flow/types.clh",
                        l->kind.stiff ? "flow/row.clh" : NULL, l->kind.stiff ? "flow/modes.clh" : "flow/states.clh"};
  cs_text_add(t, "\n#line 1 \"variant: sizes and tables\"\n");
  struct cs_define to = {.text = t};
  names(l, lanes, &to);
  t->failed |= to.failed;
  const int code = add_fragments(t, list, sizeof list / sizeof *list, error);
  cs_text_add(t, "\n#line 1 \"variant: model %s\"\n", l->model->name);
  cs_emit_model(l, t);
  return code;
}

static int check_users(const struct cs_layout *l, const char *program, struct cs_error *error) {
  int code = CS_OK;
  if (l->master.user != NULL) code = check_macros(l->master.user->path, l->master.user->text, NULL, program, error);
  if (code == CS_OK && l->kind.varies && l->method.control == CS_USER_CONTROL) {
    const struct cs_user_fragment *control = &l->sweep->controls->user.item[l->method.user_control];
    code = check_macros(control->path, control->text, "CONTROL_SEES_CUT", program, error);
  }
  return code;
}

static int emit_method(const struct cs_layout *l, unsigned lanes, bool teams, struct cs_text *t,
                       struct cs_error *error) {
  struct cs_text method = {0};
  cs_text_add(&method, ": ");
  cs_sweep_describe_method(l->sweep, &l->method, &method);
  if (teams) cs_text_add(&method, ", by teams");
  int code = begin_program(l->model->name, cs_text_string(&method), lanes,
                           l->kind.varies && (teams || l->dims.coordinates + l->dims.states <= 64), t, error);
  t->failed |= method.failed;
  cs_text_free(&method);
  if (code == CS_OK) code = add_model(l, lanes, t, error);
  if (teams) cs_emit_vary_team(l, t);
  if (code == CS_OK) code = add_method(l, t, error);
  if (code == CS_OK) code = add_master(l, t, error);
  if (code == CS_OK) code = l->kind.varies ? add_variable(l, teams, t, error) : add_map(l, t, error);
  if (code == CS_OK && t->failed) code = cs_error_memory(error);
  return code == CS_OK ? check_users(l, t->data, error) : code;
}

/* The same for all methods whose maps have the same entries. */
static int emit_step(const struct cs_layout *l, unsigned lanes, struct cs_text *t, struct cs_error *error) {
  int code = begin_program(l->model->name, ": steps", lanes, false, t, error);
  cs_text_add(t, "\n#line 1 \"variant: sizes and tables\"\n");
  map_sizes(l, &(struct cs_define){.text = t});
  if (code == CS_OK) code = add_steps(l, t, error);
  return code == CS_OK ? add_fragment(t, "fixed/step.cl", error) : code;
}

static int emit_step_team(const struct cs_layout *l, struct cs_text *t, struct cs_error *error) {
  static const char *const list[] = {"fixed/nodes.clh", "fixed/step_team.cl"};
  const int code = begin_program(l->model->name, ": steps by teams", 1, false, t, error);
  cs_text_add(t, "\n#line 1 \"variant: sizes and tables\"\n");
  struct cs_define to = {.text = t};
  map_sizes(l, &to);
  cs_define_facts(&to, CS_FACTS_STEP);
  cs_emit_places_entries(l, &to);
  cs_emit_step_team(l, &to);
  t->failed |= to.failed;
  return code == CS_OK ? add_fragments(t, list, sizeof list / sizeof *list, error) : code;
}

/* After the steps. */
static int add_doubling(enum cs_part part, struct cs_text *t, struct cs_error *error) {
  static const char *const kernel[] = {[CS_PART_DOUBLE] = "fixed/double.cl",
                                       [CS_PART_ROOT] = "fixed/double_root.cl",
                                       [CS_PART_DOUBLE_TEAM] = "fixed/double_team.cl"};
  const char *list[] = {"fixed/powers.clh", "fixed/gram.clh", "fixed/root.clh", "fixed/double.clh", kernel[part]};
  return add_fragments(t, list, sizeof list / sizeof *list, error);
}

static int emit_doubling(const struct cs_layout *l, unsigned lanes, enum cs_part part, struct cs_text *t,
                         struct cs_error *error) {
  int code = begin_program(l->model->name, ": doubling", lanes, false, t, error);
  if (code == CS_OK) code = add_model(l, lanes, t, error);
  if (code == CS_OK) code = add_steps(l, t, error);
  return code == CS_OK ? add_doubling(part, t, error) : code;
}

bool cs_emit_joins(enum cs_part part) {
  return part == CS_PART_METHOD || part == CS_PART_STEP || part == CS_PART_DOUBLE;
}

int cs_emit_joint(const struct cs_layout *l, unsigned lanes, const bool part[CS_PARTS], struct cs_text *t,
                  struct cs_error *error) {
  int code = emit_method(l, lanes, false, t, error);
  if (code == CS_OK && (part[CS_PART_STEP] || part[CS_PART_DOUBLE])) code = add_steps(l, t, error);
  if (code == CS_OK && part[CS_PART_STEP]) code = add_fragment(t, "fixed/step.cl", error);
  if (code == CS_OK && part[CS_PART_DOUBLE]) code = add_doubling(CS_PART_DOUBLE, t, error);
  return code == CS_OK && t->failed ? cs_error_memory(error) : code;
}

static int emit_spectrum(unsigned lanes, struct cs_text *t, struct cs_error *error) {
  static const char *const list[] = {"spectrum/matrix.clh", "spectrum/rows.clh", "spectrum/spectrum.clh",
                                     "spectrum/spectrum.cl"};
  const int code = begin_program("eigenvalues of maps", "", lanes, false, t, error);
  cs_text_add(t, "\n#line 1 \"variant: sizes and tables\"\n");
  cs_define_facts(&(struct cs_define){.text = t}, CS_FACTS_SPECTRUM);
  return code == CS_OK ? add_fragments(t, list, sizeof list / sizeof *list, error) : code;
}

bool cs_emit_has(const struct cs_layout *l, unsigned lanes, enum cs_part part) {
  const bool steps = !l->kind.lean && !l->kind.varies, doubles = steps && l->kind.doubles;
  switch (part) {
    case CS_PART_METHOD:
      return true;
    case CS_PART_STEP:
      return steps;
    case CS_PART_STEP_TEAM:
      return lanes == 1 && cs_layout_step_team(l).items > 0;
    case CS_PART_DOUBLE:
    case CS_PART_ROOT:
      return doubles;
    case CS_PART_DOUBLE_TEAM:
      return doubles && lanes == 1 && cs_layout_team_bytes(l) > 0;
    case CS_PART_VARY_TEAM:
      return lanes == 1 && cs_layout_vary_team(l).items > 0;
    default:
      return l->kind.stability;
  }
}

int cs_emit(const struct cs_layout *l, unsigned lanes, enum cs_part part, struct cs_text *t, struct cs_error *error) {
  const int code = part == CS_PART_METHOD      ? emit_method(l, lanes, false, t, error)
                   : part == CS_PART_STEP      ? emit_step(l, lanes, t, error)
                   : part == CS_PART_STEP_TEAM ? emit_step_team(l, t, error)
                   : part == CS_PART_VARY_TEAM ? emit_method(l, 1, true, t, error)
                   : part == CS_PART_SPECTRUM  ? emit_spectrum(lanes, t, error)
                                               : emit_doubling(l, lanes, part, t, error);
  return code == CS_OK && t->failed ? cs_error_memory(error) : code;
}

int cs_emit_all(const struct cs_layout *l, unsigned lanes, struct cs_text *t, struct cs_error *error) {
  int code = CS_OK;
  for (int part = 0; part < CS_PARTS && code == CS_OK; part++) {
    if (!cs_emit_has(l, lanes, (enum cs_part)part)) continue;
    if (part > 0) cs_text_add(t, "\n/* ---- a separate program ---- */\n");
    code = cs_emit(l, lanes, (enum cs_part)part, t, error);
  }
  return code;
}
