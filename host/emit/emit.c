#include "emit.h"

#include <math.h>
#include <string.h>

#include "dopri5.h"
#include "emit_model.h"
#include "emit_step.h"
#include "emit_vary.h"
#include "fragment.h"
#include "linalg.h"
#include "source.h"
#include "tableau.h"

static int add_fragment(struct cs_text *t, const char *name, struct cs_error *error) {
  const char *text = cs_fragment(name);
  if (text == NULL) return cs_error_set(error, CS_DEVICE, "kernel fragment %s is not in the program", name);
  cs_text_add(t, "\n#line 1 \"kernels/%s\"\n", name);
  cs_text_append(t, text, strlen(text));
  return CS_OK;
}

static void define(struct cs_text *t, const char *name, long value) {
  cs_text_add(t, "#define %s %ld\n", name, value);
}

/* Accumulators and results of a run in its state. */
static void run_places(const struct cs_layout *l, struct cs_text *t) {
  define(t, "SUMS", (long)l->sums);
  define(t, "SUMS1", l->sums > 0 ? (long)l->sums : 1);
  define(t, "TOPS", (long)l->tops);
  define(t, "TOPS1", l->tops > 0 ? (long)l->tops : 1);
  define(t, "FINALS", (long)l->finals);
  define(t, "FINALS1", l->finals > 0 ? (long)l->finals : 1);
  define(t, "STATE_ITEMS", (long)l->state_items);
  define(t, "STATE_SUMS", (long)l->state_sums);
  define(t, "STATE_TOPS", (long)l->state_tops);
  define(t, "STATE_FINALS", (long)l->state_finals);
  define(t, "STATE_DIVERGED", (long)l->state_diverged);
  define(t, "STATE_GROWTH", (long)l->state_growth);
  define(t, "STATE_FINAL", l->final_of[CS_STATE_ERROR_FINAL]);
  define(t, "MONITOR_MAX", l->top_of[CS_MONITOR_MAX] < 0 ? -1 : (long)l->state_tops + l->top_of[CS_MONITOR_MAX]);
}

static void sizes(const struct cs_layout *l, unsigned lanes, struct cs_text *t) {
  define(t, "NR", (long)l->r);
  define(t, "NX", (long)l->x);
  define(t, "NU", (long)l->u);
  define(t, "NU1", l->u > 0 ? (long)l->u : 1);
  define(t, "NY", (long)l->y);
  define(t, "NY1", l->y > 0 ? (long)l->y : 1);
  define(t, "NM", (long)l->monitors);
  define(t, "NM1", l->monitors > 0 ? (long)l->monitors : 1);
  define(t, "NZ", (long)l->z);
  define(t, "NQ", (long)l->coefficients_of_input);
  define(t, "BLOCKS", (long)l->blocks);
  define(t, "PARTS", (long)l->parts);
  define(t, "STAGES", (long)l->stages);
  define(t, "ITERATIONS", l->method.iterations);
  define(t, "INTERPOLATES", l->parts > 1 || l->method.iterations > 0);
  define(t, "USER_MASTER", l->user != NULL);
  define(t, "MASTER_MEMORY", (long)l->master_memory);
  define(t, "MASTER_AT", (long)l->master_at);
  if (l->doubles) {
    const struct cs_tiling tiling = cs_layout_tiling(l, lanes);
    define(t, "TILE_ROWS_R", (long)tiling.rows_r);
    define(t, "TILE_COLUMNS_R", (long)tiling.columns_r);
    define(t, "TILE_ROWS_W", (long)tiling.rows_w);
    define(t, "TILE_COLUMNS_W", (long)tiling.columns_w);
    define(t, "NRP", (long)tiling.padded_r);
    define(t, "NP", (long)tiling.padded);
    define(t, "KEPT", (long)l->kept);
    define(t, "DEPENDENT", (long)(l->z - l->kept));
    define(t, "DEPENDENT1", l->z > l->kept ? (long)(l->z - l->kept) : 1);
  }
  define(t, "COEFFICIENTS", (long)l->coefficients);
  define(t, "ESTIMATES", (long)l->estimates);
  define(t, "ESTIMATE_AT", (long)l->estimate_at);
  define(t, "K_H", CS_K_H);
  define(t, "K_NORM", CS_K_NORM);
  define(t, "K_N", CS_K_N);
  define(t, "K_PANELS", CS_K_PANELS);
  define(t, "K_LEVELS", CS_K_LEVELS);
  define(t, "K_FIRST_PANEL", CS_K_FIRST_PANEL);
  define(t, "K_NODES", CS_K_NODES);
  define(t, "K_X0", CS_K_X0);
  define(t, "SEGMENTS", (long)l->segments);
  define(t, "PIECES", (long)l->pieces);
  define(t, "VARIES", l->varies);
  define(t, "ACROSS", cs_layout_is_across(l));
  define(t, "INEXACT", l->inexact);
  define(t, "ADAPTIVES", l->adaptive);
  define(t, "ANY_IMPLICIT", l->implicit);
  define(t, "ANY_FROZEN", l->frozen);
  define(t, "FOLLOWS_MODEL", l->follows_model);
  define(t, "FOLLOWS_THROUGHOUT", l->follows_throughout);
  define(t, "START_FROM_HISTORY",
         l->method.start == CS_CONSISTENT || (l->method.start == CS_RAMP && l->method.hold == CS_TAYLOR));
  define(t, "ROWS", (long)l->rows);
  define(t, "INSIDE_ROWS", (long)l->inside_rows);
  define(t, "POINT_ITEMS", (long)l->point_items);
  define(t, "INSIDE_ITEMS", (long)l->inside_items);
  if (!l->stability) run_places(l, t);
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
               {"WANT_INTEGRATION_DEFECT", "ROW_INTEGRATION_DEFECT", CS_ROWS_INTEGRATION_DEFECT}};
  for (size_t i = 0; i < sizeof group / sizeof group[0]; i++) {
    define(t, group[i].want, l->wanted[group[i].rows]);
    if (group[i].row != NULL && l->wanted[group[i].rows]) define(t, group[i].row, (long)l->first_row[group[i].rows]);
  }
}

/* __constant arrays; an empty one gets one element, for OpenCL has none of length 0. */
static void integers(struct cs_text *t, const char *name, size_t count, const size_t *values) {
  cs_text_add(t, "__constant int %s[] = {", name);
  for (size_t i = 0; i < count; i++)
    cs_text_add(t, "%s%ld", i > 0 ? ", " : "", (long)values[i]);
  cs_text_add(t, "%s};\n", count == 0 ? "0" : "");
}

static void reals(struct cs_text *t, const char *name, size_t count, const double *values) {
  cs_text_add(t, "__constant double %s[] = {", name);
  for (size_t i = 0; i < count; i++)
    cs_text_add(t, "%s%.17g%s", i > 0 ? ", " : "", values[i],
                values[i] == floor(values[i]) && fabs(values[i]) < 1e15 ? ".0" : "");
  cs_text_add(t, "%s};\n", count == 0 ? "0.0" : "");
}

static void entries(struct cs_text *t, const char *name, size_t blocks, size_t count, const struct cs_row *row) {
  cs_text_add(t, "__constant int %s[] = {", name);
  for (size_t i = 0; i < count; i++)
    for (size_t b = 0; b < blocks; b++)
      cs_text_add(t, "%s%d", i + b > 0 ? ", " : "", row[i].entry[b]);
  cs_text_add(t, "%s};\n", count == 0 ? "0" : "");
}

static double square_factor(const struct cs_layout *l, int degree) {
  double node[8], weight[8], sum = 0.0, half = 1.0;
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
static void legendre(struct cs_text *t) {
  static const double factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040};
  cs_text_add(t, "__constant double LEGENDRE[4][4] = {");
  for (int i = 0; i < 4; i++) {
    cs_text_add(t, "%s{", i > 0 ? ", " : "");
    for (int j = 0; j < 4; j++)
      cs_text_add(
          t, "%s%.17e", j > 0 ? ", " : "",
          j < i ? 0.0 : sqrt(2.0 * i + 1.0) * factorial[j] * factorial[j] / (factorial[j - i] * factorial[j + i + 1]));
    cs_text_add(t, "}");
  }
  cs_text_add(t, "};\n");
}

static void quadrature_tables(const struct cs_layout *l, struct cs_text *t) {
  double node[8], weight[8];
  cs_text_add(t, "\n/* Gauss-Legendre nodes and weights on [0, 1] */\n");
  define(t, "NODES_FEW", (long)l->few);
  cs_linalg_gauss(l->few, node, weight);
  reals(t, "NODE_FEW", l->few, node);
  reals(t, "WEIGHT_FEW", l->few, weight);
  cs_linalg_gauss(8, node, weight);
  reals(t, "NODE_8", 8, node);
  reals(t, "WEIGHT_8", 8, weight);
}

static void places(const struct cs_layout *l, struct cs_text *t) {
  cs_text_add(t, "\n/* places in z and in the assembled map */\n");
  integers(t, "INPUT_ORDER", l->u, l->input_order);
  integers(t, "OUTPUT_ORDER", l->y, l->output_order);
  integers(t, "ESTIMATE_DEGREE", l->y, l->estimate_degree);
  integers(t, "STATE_AT", l->x, l->state_at);
  integers(t, "INPUT_AT", l->parts * l->u, (const size_t *)l->input_at);
  integers(t, "OUTPUT_AT", l->y, (const size_t *)l->output_at);
  integers(t, "BLOCK_FIRST", l->blocks + 1, l->block_first);
  cs_text_add(t, "__constant int BLOCK[] = {");
  for (size_t b = 0; b < l->blocks; b++)
    for (size_t i = l->block_first[b]; i < l->block_first[b + 1]; i++)
      cs_text_add(t, "%s%zu", i > 0 ? ", " : "", b);
  cs_text_add(t, "};\n");
  entries(t, "ENTRY", l->blocks, l->rows, l->row);
  if (l->inside_rows > 0) entries(t, "INSIDE_ENTRY", l->blocks, l->inside_rows, l->inside);
  if (l->wanted[CS_ROWS_CONNECTION_DEFECT]) {
    integers(t, "ROW_CONNECTION_DEFECT", l->u, l->connection_row);
    integers(t, "CONNECTION_DEGREE", l->u, l->connection_degree);
    legendre(t);
  }
  double factor[4];
  for (int d = 0; d < 4; d++)
    factor[d] = square_factor(l, d);
  cs_text_add(t, "/* step RMS of the estimated output defect over |rho|, [G](30),(32), by degree */\n");
  reals(t, "DEFECT_FACTOR", 4, factor);
  if (l->inside_rows > 0) quadrature_tables(l, t);
}

/* Coordinates of z that doubling keeps, and those that follow from states. */
static void doubled_coordinates(const struct cs_layout *l, struct cs_text *t) {
  struct cs_text kept = {0}, dependent = {0}, input = {0};
  for (size_t i = 0; i < l->z; i++) {
    size_t q = 0;
    while (q < l->u && !(l->from_states[q] && l->input_at[q] == (long)i))
      q++;
    struct cs_text *list = q < l->u ? &dependent : &kept;
    cs_text_add(list, "%s%zu", list->length > 0 ? ", " : "", i);
    if (q < l->u) cs_text_add(&input, "%s%zu", input.length > 0 ? ", " : "", q);
  }
  cs_text_add(t, "__constant int KEPT_AT[] = {%s};\n", kept.data != NULL ? kept.data : "0");
  cs_text_add(t, "__constant int DEPENDENT_AT[] = {%s};\n", dependent.data != NULL ? dependent.data : "0");
  cs_text_add(t, "__constant int DEPENDENT_INPUT[] = {%s};\n", input.data != NULL ? input.data : "0");
  t->failed = t->failed || kept.failed || dependent.failed || input.failed;
  cs_text_free(&kept);
  cs_text_free(&dependent);
  cs_text_free(&input);
}

/* Each state's subsystem, and the series of the solvers' local defects. */
static void solver_blocks(const struct cs_layout *l, struct cs_text *t) {
  size_t largest = 1;
  cs_text_add(t, "\n/* solvers */\n__constant int FIRST[] = {");
  for (size_t a = 0; a < l->x; a++)
    cs_text_add(t, "%s%zu", a > 0 ? ", " : "", l->model->subsystem[l->model->state[a].subsystem].first_state);
  cs_text_add(t, "};\n__constant int SIZE[] = {");
  for (size_t a = 0; a < l->x; a++) {
    const size_t size = l->model->subsystem[l->model->state[a].subsystem].states;
    if (size > largest) largest = size;
    cs_text_add(t, "%s%zu", a > 0 ? ", " : "", size);
  }
  cs_text_add(t, "};\n");
  define(t, "SIZE_MAX_", (long)largest);
  define(t, "SERIES", CS_SERIES);
  cs_text_add(t, "#define SERIES_REACH %.1f\n", CS_SERIES_REACH);
}

/* Tables of the solvers in use: a slot each. */
static void solver_tables(const struct cs_layout *l, struct cs_text *t) {
  int slot_of[8], slots = 0, used[8];
  for (int s = 0; s < 8; s++)
    slot_of[s] = -1;
  cs_text_add(t, "__constant int SLOT[] = {");
  for (size_t a = 0; a < l->x; a++) {
    const int solver = l->method.subsystem[l->model->state[a].subsystem].solver;
    if (solver != CS_EXACT && solver != CS_DOPRI5 && slot_of[solver] < 0) {
      used[slots] = solver;
      slot_of[solver] = slots++;
    }
    cs_text_add(t, "%s%d", a > 0 ? ", " : "", slot_of[solver]);
  }
  cs_text_add(t, "};\n");
  integers(t, "LENGTH", l->x, l->micro_length);
  define(t, "STAGES_MAX", CS_STAGES);
  cs_text_add(t,
              "#define STATE_TAU(a, piece, tau) (((V)(double)((piece) * (SEGMENTS / PIECES) %% LENGTH[a]) + (tau) * "
              "(V)(double)(SEGMENTS / PIECES)) / (V)(double)LENGTH[a])\n");
  double weight[8 * CS_STAGES * (CS_SERIES + 1)] = {0}, a[8 * CS_STAGES * CS_STAGES], b[8 * CS_STAGES];
  double c[8 * CS_STAGES], implicit[8];
  size_t cubic[8];
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
  reals(t, "WEIGHT", n * CS_STAGES * (CS_SERIES + 1), weight);
  reals(t, "STAGE_A", n * CS_STAGES * CS_STAGES, a);
  reals(t, "STAGE_B", n * CS_STAGES, b);
  reals(t, "STAGE_C", n * CS_STAGES, c);
  reals(t, "IMPLICIT", n, implicit);
  integers(t, "HERMITE", n, cubic);
}

/* States of subsystems with solver dopri5, and its tables. */
static void dopri5_tables(const struct cs_layout *l, struct cs_text *t) {
  enum { STAGES = CS_DOPRI5_STAGES, ROWS = CS_DOPRI5_ROWS };
  double a[STAGES * STAGES], b[ROWS * STAGES], c[STAGES], weight[ROWS * STAGES * (CS_SERIES + 1)] = {0};
  const char *separator = "__constant int ADAPTIVE[] = {";
  for (size_t i = 0; i < l->x; i++, separator = ", ")
    cs_text_add(t, "%s%d", separator, l->method.subsystem[l->model->state[i].subsystem].solver == CS_DOPRI5);
  separator = "};\n__constant int SUBSYSTEM[] = {";
  for (size_t i = 0; i < l->x; i++, separator = ", ")
    cs_text_add(t, "%s%zu", separator, l->model->state[i].subsystem);
  cs_text_add(t, "};\n#define TOLERANCE_OF(k, a) (k)[K_SOLVER_TOLERANCE + SUBSYSTEM[a]]\n");
  for (int i = 0; i < STAGES; i++) {
    c[i] = cs_dopri5_c(i);
    for (int j = 0; j < STAGES; j++)
      a[i * STAGES + j] = cs_dopri5_a(i, j);
    for (int row = 0; row < ROWS; row++) {
      b[row * STAGES + i] = cs_dopri5_b(row, i);
      for (int n = 1; n <= CS_SERIES; n++)
        weight[(row * STAGES + i) * (CS_SERIES + 1) + n] = cs_dopri5_weight(row, i, n);
    }
  }
  reals(t, "DOPRI5_A", STAGES * STAGES, a);
  reals(t, "DOPRI5_B", ROWS * STAGES, b);
  reals(t, "DOPRI5_C", STAGES, c);
  reals(t, "DOPRI5_WEIGHT", ROWS * STAGES * (CS_SERIES + 1), weight);
}

static void frozen_slopes(const struct cs_layout *l, struct cs_text *t) {
  if (!l->frozen) {
    cs_text_add(t, "#define FROZEN_SLOPE(a) 0\n#define FROZEN_LINE(a) ((V)0.0)\n");
    return;
  }
  cs_text_add(t, "__constant int FROZEN[] = {");
  for (size_t a = 0; a < l->x; a++)
    cs_text_add(t, "%s%d", a > 0 ? ", " : "", l->method.subsystem[l->model->state[a].subsystem].solver == CS_EULER);
  cs_text_add(t,
              "};\n#define FROZEN_SLOPE(a) FROZEN[a]\n"
              "#define FROZEN_LINE(a) (v->series[NX + (a)] / micro_length(a))\n");
}

static int add_master(const struct cs_layout *l, struct cs_text *t, struct cs_error *error) {
  if (cs_layout_is_across(l)) return add_fragment(t, "step/across.clh", error);
  if (l->user == NULL)
    return add_fragment(
        t, l->parts > 1 || l->method.iterations > 0 ? "step/master_sweep.clh" : "step/master_jacobi.clh", error);
  const int code = add_fragment(t, "step/master_user.clh", error);
  cs_text_add(t, "\n#line 1 \"%s\"\n%s\n", l->user->path, l->user->text);
  return code;
}

/* A user's macro would change the program around it, unseen, where that has the word too. `meant`: the one that is for
 * this, or NULL. */
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

static bool is_local(const struct cs_layout *l) {
  return l->wanted[CS_ROWS_LOCAL_ERROR] || l->wanted[CS_ROWS_LOCAL_ESTIMATE];
}

/* The map of a step and what a run begins with. */
static int add_map(const struct cs_layout *l, struct cs_text *t, struct cs_error *error) {
  const char *list[] = {"step/measures.clh",
                        l->stability ? NULL : "step/begin.clh",
                        is_local(l) ? "step/estimate.clh" : NULL,
                        is_local(l) ? "step/local.clh" : NULL,
                        "fixed/assemble.cl",
                        l->stability ? NULL : "fixed/begin.cl"};
  int code = CS_OK;
  for (size_t i = 0; code == CS_OK && i < sizeof list / sizeof list[0]; i++)
    if (list[i] != NULL) code = add_fragment(t, list[i], error);
  return code;
}

/* Stepping and doubling. */
static int add_steps(const struct cs_layout *l, unsigned lanes, struct cs_text *t, struct cs_error *error) {
  int code = CS_OK;
  cs_text_add(t, "\n#line 1 \"variant: step\"\n");
  cs_emit_step(l, t);
  if (!cs_layout_unrolled(l)) code = add_fragment(t, "fixed/rolled.clh", error);
  if (code == CS_OK) code = add_fragment(t, "fixed/step.cl", error);
  static const char *const doubling[] = {"fixed/powers.clh", "fixed/gram.clh", "fixed/root.clh", "fixed/double.cl"};
  for (size_t i = 0; code == CS_OK && l->doubles && i < sizeof doubling / sizeof doubling[0]; i++)
    code = add_fragment(t, doubling[i], error);
  if (code == CS_OK && lanes == 1 && cs_layout_team_bytes(l) > 0) code = add_fragment(t, "fixed/double_team.cl", error);
  return code;
}

/* Runs whose steps vary. */
static int add_variable(const struct cs_layout *l, struct cs_text *t, struct cs_error *error) {
  static const char *const control[] = {[CS_FIXED] = "vary/control_fixed.clh",
                                        [CS_PI_DEFECT] = "vary/control_pi_defect.clh",
                                        [CS_PI_ECCO] = "vary/control_pi_ecco.clh",
                                        [CS_THRESHOLD] = "vary/control_threshold.clh",
                                        [CS_RICHARDSON] = "vary/control_richardson.clh"};
  static const char *const before[] = {"step/measures.clh", "step/begin.clh", "step/spacing.clh", "step/estimate.clh"};
  int code = CS_OK;
  for (size_t i = 0; i < sizeof before / sizeof *before && code == CS_OK; i++)
    code = add_fragment(t, before[i], error);
  cs_text_add(t, "\n#line 1 \"variant: steps\"\n");
  cs_emit_vary_functions(l, t);
  if (code == CS_OK && is_local(l)) code = add_fragment(t, "step/local.clh", error);
  if (code == CS_OK) code = add_fragment(t, "vary/tried.clh", error);
  if (code == CS_OK) code = add_fragment(t, "vary/events.clh", error);
  if (code == CS_OK && l->halves) code = add_fragment(t, "vary/halves.clh", error);
  if (code == CS_OK) code = add_fragment(t, "vary/control.clh", error);
  cs_text_add(t, "\n#line 1 \"variant: control\"\n");
  cs_emit_vary_control(l, t);
  if (l->method.control == CS_USER_CONTROL) {
    const struct cs_user_fragment *user = &l->sweep->controls->user.item[l->method.user_control];
    cs_text_add(t, "\n#line 1 \"%s\"\n%s\n", user->path, user->text);
  } else if (code == CS_OK) {
    code = add_fragment(t, control[l->method.control], error);
  }
  if (code == CS_OK && l->records) code = add_fragment(t, "vary/record.clh", error);
  return code == CS_OK ? add_fragment(t, "vary/vary.cl", error) : code;
}

int cs_emit(const struct cs_layout *l, unsigned lanes, struct cs_text *t, struct cs_error *error) {
  static const char *const hold[] = {"hold/hold_taylor.clh", "hold/hold_lagrange.clh",
                                     "hold/hold_backward_difference.clh"};
  static const char *const feedthrough[] = {"hold/feedthrough_explicit.clh", "hold/feedthrough_solved.clh",
                                            "hold/feedthrough_explicit.clh"};
  struct cs_text method = {0};
  cs_method_describe(l->sweep, &l->method, &method);
  cs_text_add(t, "/* %s: %s */\n#define VW %u\n#define UNROLLS %d\n", l->model->name, cs_text_string(&method), lanes,
              l->varies && l->z + l->x <= 64);
  cs_text_free(&method);
  int code = add_fragment(t, "lanes/lanes.clh", error);
  cs_text_add(t, "\n#line 1 \"variant: sizes and tables\"\n");
  sizes(l, lanes, t);
  places(l, t);
  if (l->varies) cs_emit_vary_places(l, t);
  if (l->doubles) doubled_coordinates(l, t);
  frozen_slopes(l, t);
  if (l->inexact || l->adaptive) solver_blocks(l, t);
  if (l->inexact) solver_tables(l, t);
  if (l->adaptive) dopri5_tables(l, t);
  cs_text_add(t, "\n#line 1 \"variant: model %s\"\n", l->model->name);
  cs_emit_model(l, t);
  const char *list[] = {l->varies ? "lanes/sink_vector.clh" : "lanes/sink.clh",
                        l->varies ? "lanes/elementary.clh" : NULL,
                        "flow/flow.clh",
                        l->inexact ? "flow/solvers.clh" : NULL,
                        l->adaptive ? "flow/dopri5.clh" : NULL,
                        l->method.hold != CS_TAYLOR ? "hold/hold_points.clh" : NULL,
                        hold[l->method.hold],
                        "hold/held_derivatives.clh",
                        feedthrough[l->method.feedthrough],
                        l->method.feedthrough == CS_REFRESH ? "hold/exchange_refresh.clh" : "hold/exchange.clh",
                        l->follows_model ? "inside/defect_series.clh" : NULL,
                        "inside/defects.clh",
                        l->inside_rows > 0 ? "inside/inside.clh" : NULL,
                        "step/macro.clh"};
  for (size_t i = 0; code == CS_OK && i < sizeof list / sizeof list[0]; i++)
    if (list[i] != NULL) code = add_fragment(t, list[i], error);
  if (code == CS_OK) code = add_master(l, t, error);
  if (code == CS_OK && l->varies) code = add_variable(l, t, error);
  if (code == CS_OK && !l->varies) code = add_map(l, t, error);
  if (code == CS_OK && !l->stability && !l->varies) code = add_steps(l, lanes, t, error);
  if (code == CS_OK && t->failed) code = cs_error_memory(error);
  if (code == CS_OK && l->user != NULL) code = check_macros(l->user->path, l->user->text, NULL, t->data, error);
  if (code == CS_OK && l->varies && l->method.control == CS_USER_CONTROL) {
    const struct cs_user_fragment *control = &l->sweep->controls->user.item[l->method.user_control];
    code = check_macros(control->path, control->text, "CONTROL_SEES_CUT", t->data, error);
  }
  return code;
}

int cs_emit_spectrum(unsigned lanes, struct cs_text *t, struct cs_error *error) {
  static const char *const list[] = {"lanes/lanes.clh", "spectrum/spectrum.clh", "spectrum/spectrum.cl"};
  int code = CS_OK;
  cs_text_add(t, "/* eigenvalues of maps */\n#define VW %u\n", lanes);
  for (size_t i = 0; i < sizeof list / sizeof *list && code == CS_OK; i++)
    code = add_fragment(t, list[i], error);
  return code == CS_OK && t->failed ? cs_error_memory(error) : code;
}

int cs_emit_all(const struct cs_layout *l, unsigned lanes, struct cs_text *t, struct cs_error *error) {
  const int code = cs_emit(l, lanes, t, error);
  if (code != CS_OK || !l->stability) return code;
  cs_text_add(t, "\n/* ---- a program of its own ---- */\n");
  return cs_emit_spectrum(lanes, t, error);
}
