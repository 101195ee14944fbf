/* The fragments of kernels/ compiled ahead, for every variant: what is a constant in a specialised program is a
 * variable here, set before a kernel runs. Compiled for each instruction set (CS_NATIVE_SET), for networks with and
 * without fast modes (STIFF), for fixed and for variable steps (VARIES); once more for variable steps of some small
 * models, with their sizes as constants (CS_SMALL_STATES, CS_SMALL_POWERS). Holds, feed-throughs and controls, of which
 * a specialised program has one each, are chosen when called. */
#include "facts.h"
#include "method.h"
#include "variant.h"

#include "lanes.h" /* after all headers of C: it changes the meaning of fabs and others */
#ifdef CS_LARGE
#include "wide.h"
#endif

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

/* Words of OpenCL C that C does not have: a fragment with such a name builds here alone. */
#pragma GCC poison half global local constant private kernel

enum {
  CS_LANE_FACTS(CS_FACT_ENUMERATOR) CS_STEP_FACTS(CS_FACT_ENUMERATOR) CS_DOUBLING_FACTS(CS_FACT_ENUMERATOR)
      CS_SOLVER_FACTS(CS_FACT_ENUMERATOR) CS_DOPRI5_FACTS(CS_FACT_ENUMERATOR) CS_VARY_FACTS(CS_FACT_ENUMERATOR)
          CS_PI_DEFECT_FACTS(CS_FACT_ENUMERATOR) CS_PI_ECCO_FACTS(CS_FACT_ENUMERATOR)
              CS_REPEATED_FACTS(CS_FACT_ENUMERATOR) TERMS = CS_MOST_POWERS
};
#define SERIES_REACH CS_SERIES_REACH

#define LARGEST_NORM CS_LARGEST_NORM
#define STIFF_NORM CS_STIFF_NORM
#define NORM_FEW CS_NORM_FEW
#define CHAIN_FEW CS_CHAIN_FEW
#define STEP_ROUNDING CS_STEP_ROUNDING
#define END_ROUNDING CS_END_ROUNDING
#define LARGEST_STATE CS_LARGEST_STATE
#define OCTAVE_MOST ((double)CS_MODES_OCTAVE_MOST)

/* What no variant of these kernels has. */
#define USER_MASTER 0
#define COMPENSATES (MASTER_MEMORY > 0 && COMPENSATION_AT > 0)
#define TOLERATES (MASTER_MEMORY > 0 && REPEAT_AT > 0)
#if !VARIES
#define ACROSS 0
#define POINTS 0
#define K_SOLVER_TOLERANCE 0
#endif

/* ---- private memory: the largest sizes, or those of small models ---- */
#ifdef CS_LARGE
#define ROOM_STATES CS_NATIVE_MOST_STATES
#define ROOM_SIGNALS CS_NATIVE_MOST_SIGNALS
#else
#define ROOM_STATES CS_NATIVE_MOST
#define ROOM_SIGNALS CS_NATIVE_MOST
#endif
#ifdef CS_SMALL_STATES
enum {
  NX = CS_SMALL_STATES,
  NR = NX,
  NQ = CS_SMALL_POWERS,
  NU = CS_NATIVE_SMALL_SIGNALS,
  NU1 = NU,
  NY = NU,
  NY1 = NU,
};
#define ONE(name) enum { name = 1 };
#define ZERO(name) enum { name = 0 };
CS_SMALL_ONES(ONE)
CS_SMALL_VARIED_ONES(ONE)
CS_SMALL_ZEROS(ZERO)
CS_SMALL_VARIED_ZEROS(ZERO)
#undef ONE
#undef ZERO
#define ROOM(small, any) small
#else
#define ROOM(small, any) any
#define NX ROOM_STATES
#define NR (ROOM_STATES + 1)
#define NU1 ROOM_SIGNALS
#define NY1 ROOM_SIGNALS
#define NQ 4
#define PARTS CS_NATIVE_PARTS
#define LATEST CS_MAX_LATENCY
#define HIGHER 3
#define RATES 1
#define MASTER_MEMORY (CS_MAX_POINTS * ROOM_SIGNALS + ROOM_STATES)
#define COURSE CS_NATIVE_COURSE(ROOM_STATES)
#endif
#define ROOM_ROWS CS_NATIVE_ROWS(ROOM_STATES, ROOM_SIGNALS)
#define NZ ROOM(CS_NATIVE_SMALL_ROWS, CS_NATIVE_COORDINATES(ROOM_STATES, ROOM_SIGNALS))
#define ROWS ROOM(CS_NATIVE_SMALL_ROWS, NZ + ROOM_ROWS)
#define SUMS1 ROOM(CS_NATIVE_SMALL_ROWS, ROOM_ROWS)
#define TOPS1 SUMS1
#define INSIDE_ROWS1 SUMS1
#define FINALS1 SUMS1
#define NM1 ROOM(CS_NATIVE_SMALL_ROWS, ROOM_SIGNALS)
#define SIZE_MAX_ ROOM_STATES
#define BONDS1 ROOM_SIGNALS
#define CONTROL_MEMORY1 CS_NATIVE_MEMORY
#define TRIGGERS1 CS_NATIVE_EVENTS
#define SIGNALS1 (ROOM_STATES + 2 * ROOM_SIGNALS)
#define SUBSYSTEMS ROOM_SIGNALS
#ifdef CS_LARGE /* matrices of subsystems are kept in the memory that the host gives (large.clh) */
#define INVERSES \
  V *inverse;    \
  SOLVER_MEMORY
#define INVERSES_KNOWN(k, v) inverse_known(k, &(v)->inverse)
static bool inverse_known(const V *k, V **inverse);
#define HOP_MATRICES(name, count) V *name;
#define HOP_ATTACH(t, terms) ((t)->d = kept_hop(k), (t)->p = (t)->d + (size_t)NX * SIZE_MAX_)
#define HOP_MORE double length; /* s */
#endif
/* clang-format off */
#include "kernels/flow/memory_types.clh"
#include "kernels/flow/types.clh"
#include "kernels/step/types.clh"
#if VARIES
#include "kernels/vary/types.clh"
#else
#include "kernels/fixed/types.clh"
#endif
/* clang-format on */
#ifndef CS_SMALL_STATES
#undef NX
#undef NR
#undef NU1
#undef NY1
#undef NQ
#undef PARTS
#undef LATEST
#undef HIGHER
#undef RATES
#undef MASTER_MEMORY
#undef COURSE
#endif
#undef NZ
#undef ROWS
#undef SUMS1
#undef TOPS1
#undef INSIDE_ROWS1
#undef FINALS1
#undef NM1
#undef SIZE_MAX_
#undef BONDS1
#undef CONTROL_MEMORY1
#undef TRIGGERS1
#undef SIGNALS1
#undef SUBSYSTEMS

/* ---- the variant: its numbers and tables under their names ---- */
static _Thread_local const struct cs_native_variant *variant;
#define NUMBER(name) static _Thread_local int name;
#define INTEGERS(name) static _Thread_local const int *name;
#define REALS(name) static _Thread_local const double *name;
#ifdef CS_SMALL_STATES
#define CS_KERNEL_NUMBERS CS_NAMED_NUMBERS
#define CS_VARIED_KERNEL_NUMBERS CS_VARIED_NUMBERS
#else
#define CS_KERNEL_NUMBERS(NAME) CS_SMALL_SIZES(NAME) CS_SMALL_ONES(NAME) CS_SMALL_ZEROS(NAME) CS_NAMED_NUMBERS(NAME)
#define CS_VARIED_KERNEL_NUMBERS(NAME) CS_SMALL_VARIED_ONES(NAME) CS_SMALL_VARIED_ZEROS(NAME) CS_VARIED_NUMBERS(NAME)
#endif
CS_KERNEL_NUMBERS(NUMBER)
CS_NAMED_INTEGERS(INTEGERS)
CS_NAMED_REALS(REALS)
#if VARIES
CS_VARIED_KERNEL_NUMBERS(NUMBER)
CS_VARIED_INTEGERS(INTEGERS)
CS_VARIED_REALS(REALS)
#endif
#undef NUMBER
#undef INTEGERS
#undef REALS

static void take(const struct cs_native_variant *from) {
  variant = from;
#define TAKE(name) name = from->name;
  CS_KERNEL_NUMBERS(TAKE)
  CS_NAMED_INTEGERS(TAKE)
  CS_NAMED_REALS(TAKE)
#if VARIES
  CS_VARIED_KERNEL_NUMBERS(TAKE)
  CS_VARIED_INTEGERS(TAKE)
  CS_VARIED_REALS(TAKE)
#endif
#undef TAKE
}
#define LEGENDRE ((const double(*)[4])LEGENDRE)
#define BINOMIAL ((const double(*)[TERMS])BINOMIAL)
#define RHO ((const double(*)[TERMS])RHO)

static _Thread_local size_t global_id[2], global_size[2];
#define get_global_id(d) global_id[d]
#define get_global_size(d) global_size[d]
#define __kernel static

/* ---- the fragments, in the order of emission ---- */
/* clang-format off */
#include "kernels/lanes/elementary.clh"
#if VARIES
#include "kernels/lanes/sink_vector.clh"
#else
#include "kernels/lanes/sink.clh"
#endif
#ifdef CS_LARGE
#define row_times wide_dot
#define part_of wide_part
#else
#include "kernels/flow/row.clh"
#endif
#if STIFF
#include "kernels/flow/modes.clh"
#else
#include "kernels/flow/states.clh"
#endif
#include "model.clh"
#include "kernels/flow/flow.clh"
#ifdef CS_LARGE
#include "large.clh"
#elif STIFF
#include "kernels/flow/hop.clh"
#include "kernels/flow/stiff.clh"
#endif
#if !STIFF
#include "kernels/flow/series.clh"
#endif
#include "kernels/flow/solvers.clh"
#include "kernels/flow/memory.clh"
#include "kernels/flow/dopri5.clh"

#define hold_outputs taylor_outputs
#define hold_inputs taylor_inputs
#define hold_history taylor_history
#include "kernels/hold/hold_taylor.clh"
#undef hold_outputs
#undef hold_inputs
#undef hold_history
#define hold_outputs points_outputs
#define hold_history points_history
static V input_history(const V *coefficient, int width, const V *rest, int degree, int j);
#include "kernels/hold/hold_points.clh"
#undef hold_outputs
#undef hold_history
#define hold_inputs lagrange_inputs
#define input_history lagrange_history
#include "kernels/hold/hold_lagrange.clh"
#undef hold_inputs
#undef input_history
#define hold_inputs difference_inputs
#define input_history difference_history
#include "kernels/hold/hold_backward_difference.clh"
#undef hold_inputs
#undef input_history

#define hold_outputs hermite_outputs
#define hold_inputs hermite_inputs
#define hold_history hermite_history
#include "kernels/hold/hold_hermite.clh"
#undef hold_outputs
#undef hold_inputs
#undef hold_history

static V input_history(const V *coefficient, int width, const V *rest, int degree, int j) {
  return variant->hold == CS_BACKWARD_DIFFERENCE ? difference_history(coefficient, width, rest, degree, j)
                                                 : lagrange_history(coefficient, width, rest, degree, j);
}
static void hold_inputs(const V *k, const V *c0, const V *c1, const V *rest, const V *uexact, const V *u, int step,
                        V *c) {
  if (variant->hold == CS_TAYLOR)
    taylor_inputs(k, c0, c1, rest, uexact, u, step, c);
  else if (variant->hold == CS_HERMITE)
    hermite_inputs(k, c0, c1, rest, uexact, u, step, c);
  else if (variant->hold == CS_BACKWARD_DIFFERENCE)
    difference_inputs(k, c0, c1, rest, uexact, u, step, c);
  else
    lagrange_inputs(k, c0, c1, rest, uexact, u, step, c);
}
static void hold_outputs(const V *k, const V *g0, const V *remainder, const V *y, const V *exact, int ramp, V *g) {
  (variant->hold == CS_TAYLOR    ? taylor_outputs
   : variant->hold == CS_HERMITE ? hermite_outputs
                                 : points_outputs)(k, g0, remainder, y, exact, ramp, g);
}
static void hold_history(const V *k, const V *r, const V *fast, const V *exact, V *c, V *g, V *growth) {
  (variant->hold == CS_TAYLOR    ? taylor_history
   : variant->hold == CS_HERMITE ? hermite_history
                                 : points_history)(k, r, fast, exact, c, g, growth);
}

#include "kernels/hold/held_derivatives.clh"
#define feedthrough_derivatives explicit_derivatives
#define feedthrough_gap explicit_gap
#include "kernels/hold/feedthrough_explicit.clh"
#undef feedthrough_derivatives
#undef feedthrough_gap
#define feedthrough_derivatives solved_derivatives
#define feedthrough_gap solved_gap
#include "kernels/hold/feedthrough_solved.clh"
#undef feedthrough_derivatives
#undef feedthrough_gap
#define exchange exchange_samples
#include "kernels/hold/exchange.clh"
#undef exchange
#define exchange exchange_refreshed
#include "kernels/hold/exchange_refresh.clh"
#undef exchange

static void feedthrough_derivatives(const V *k, V *x, const V *c, V *y) {
  (variant->feedthrough == CS_SOLVED ? solved_derivatives : explicit_derivatives)(k, x, c, y);
}
static void feedthrough_gap(const V *k, const V *c, const V *y, V *gap) {
  (variant->feedthrough == CS_SOLVED ? solved_gap : explicit_gap)(k, c, y, gap);
}
static void exchange(const V *k, int part, const V *x, const V *c, const V *y, const V *exact, V *u) {
  (variant->feedthrough == CS_REFRESH ? exchange_refreshed : exchange_samples)(k, part, x, c, y, exact, u);
}

#include "kernels/inside/defect_series.clh"
#include "kernels/inside/defects.clh"
#if defined CS_LARGE && STIFF && !VARIES
#define inside_nodes walk_nodes
#include "kernels/inside/inside.clh"
#undef inside_nodes
#include "inside_rows.clh"
#else
#include "kernels/inside/inside.clh"
#endif
#include "kernels/step/macro.clh"
#include "kernels/step/solver_memory.clh"
#if VARIES
#include "kernels/step/across.clh"
#endif
#define master_repeat no_repeat
#define master_prepare no_prepare
#define master_step jacobi_step
#define master_exchange jacobi_exchange
#include "kernels/step/master_jacobi.clh"
#undef master_repeat
#undef master_prepare
#undef master_step
#undef master_exchange
#define master_repeat no_rates_repeat
#define master_prepare no_rates_prepare
#define master_step rates_step
#define master_exchange rates_exchange
#include "kernels/step/master_rates.clh"
#undef master_repeat
#undef master_prepare
#undef master_step
#undef master_exchange
#define master_step rates_in_turn_step
#include "kernels/step/master_rates_in_turn.clh"
#undef master_step
#define master_repeat no_compensated_repeat
#define master_prepare compensated_prepare
#define master_step compensated_step
#define master_exchange compensated_exchange
#include "kernels/step/master_compensated.clh"
#undef master_begin
#undef master_repeat
#undef master_prepare
#undef master_step
#undef master_exchange
#define master_exchange fitted_exchange
#include "kernels/step/master_fitted.clh"
#undef master_begin
#undef master_exchange
#define master_repeat no_waves_repeat
#define master_prepare no_waves_prepare
#define master_step waves_step
#define master_exchange waves_exchange
#include "kernels/step/master_waves.clh"
#undef master_begin
#undef master_repeat
#undef master_prepare
#undef master_step
#undef master_exchange
#define master_repeat sweep_repeat
#include "kernels/step/sweep.clh"
#define master_prepare sweep_prepare
#define master_step sweep_step
#define master_exchange sweep_exchange
#include "kernels/step/master_sweep.clh"
#undef master_prepare
#undef master_step
#undef master_exchange
#undef master_repeat
#define master_repeat jacobian_repeat
#define master_step jacobian_step
#include "kernels/step/master_jacobian.clh"
#undef master_repeat
#undef master_step
/* Of which master_prepare makes factors. */
static void prepared_repeat(const V *k, int step, const V *given, V *result) {
  (JACOBIAN ? jacobian_of : sweep_repeat)(k, step, given, result);
}
#define master_repeat prepared_repeat
#include "kernels/step/repetition.clh"
#define master_prepare converged_prepare
#define master_step converged_step
#define master_exchange converged_exchange
#include "kernels/step/master_converged.clh"
#undef master_prepare
#undef master_step
#undef master_exchange
#define master_prepare tolerance_prepare
#define master_step tolerance_step
#define master_exchange tolerance_exchange
#include "kernels/step/master_tolerance.clh"
#undef master_begin
#undef master_repeat
#undef master_prepare
#undef master_step
#undef master_exchange
#define master_repeat waveform_repeat
#define master_prepare waveform_prepare
#define master_step waveform_step
#define master_exchange waveform_exchange
#include "kernels/step/master_waveform.clh"
#undef master_repeat
#undef master_prepare
#undef master_step
#undef master_exchange
static void master_repeat(const V *k, int step, const V *given, V *result) {
  (WAVE ? waveform_repeat : JACOBIAN ? jacobian_repeat : sweep_repeat)(k, step, given, result);
}
static void master_prepare(V *k, int step) {
  (COMPENSATES ? compensated_prepare
   : TOLERATES ? tolerance_prepare
   : WAVE      ? waveform_prepare
               : converged_prepare)(k, step);
}
static void master_step(const V *k, struct macro *m, const struct sink *to) {
  (WAVE           ? waveform_step
   : CONVERGED    ? converged_step
   : TOLERATES    ? tolerance_step
   : JACOBIAN     ? jacobian_step
   : RATES_IN_TURN ? rates_in_turn_step
   : INTERPOLATES ? sweep_step
   : RATES        ? rates_step
   : COMPENSATES  ? compensated_step
   : LINE_ENDS    ? waves_step
                  : jacobi_step)(k, m, to);
}
static void master_exchange(const V *k, struct macro *m) {
  (RATES        ? rates_exchange
   : FIT_POINTS ? fitted_exchange
   : LINE_ENDS  ? waves_exchange
                : jacobi_exchange)(k, m);
}

#if VARIES
#include "kernels/step/of_run.clh"
#include "kernels/step/macro_step.clh"
#include "kernels/step/measures.clh"
#include "begin.clh"
#include "kernels/step/points.clh"
#include "kernels/step/spacing.clh"
#include "kernels/step/estimate.clh"
#include "kernels/step/local.clh"
#include "kernels/vary/rows.clh"
#include "kernels/vary/tried.clh"
#include "kernels/vary/events.clh"
#include "kernels/vary/halves.clh"

/* All controls have the same names, and CONTROL_SEES_CUT only where they see cut steps. */
#define control_begin fixed_begin
#define control_step fixed_step
#include "kernels/vary/control_fixed.clh"
#undef control_begin
#undef control_step
#define control_begin pi_defect_begin
#define control_step pi_defect_step
#include "kernels/vary/control_pi_defect.clh"
#undef control_begin
#undef control_step
#define control_begin pi_ecco_begin
#define control_step pi_ecco_step
#include "kernels/vary/control_pi_ecco.clh"
#undef control_begin
#undef control_step
#ifdef CONTROL_SEES_CUT
#error "one of these controls sees cut steps: say so in CONTROL_SEES_CUT below"
#endif
#define control_begin threshold_begin
#define control_step threshold_step
#include "kernels/vary/control_threshold.clh"
enum { THRESHOLD_SEES_CUT = CONTROL_SEES_CUT };
#undef control_begin
#undef control_step
#undef CONTROL_SEES_CUT
#define control_begin richardson_begin
#define control_step richardson_step
#include "kernels/vary/control_richardson.clh"
enum { RICHARDSON_SEES_CUT = CONTROL_SEES_CUT };
#undef control_begin
#undef control_step
#undef CONTROL_SEES_CUT
#define control_begin cycle_begin
#define control_step cycle_step
#include "kernels/vary/control_cycle.clh"
enum { CYCLE_SEES_CUT = CONTROL_SEES_CUT };
#undef control_begin
#undef control_step
#undef CONTROL_SEES_CUT
#define CONTROL_SEES_CUT                                        \
  (variant->control == CS_THRESHOLD    ? THRESHOLD_SEES_CUT     \
   : variant->control == CS_RICHARDSON ? RICHARDSON_SEES_CUT    \
   : variant->control == CS_CYCLE      ? CYCLE_SEES_CUT         \
                                       : 0)

#define CONTROL_SEES_VALUES (variant->control != CS_PI_DEFECT || EVENTS || RECORDS || WANT_FLOW || COURSE)

/* Calls in place rather than of pointers: what a controller computes for traces alone is left out of them. */
#define EACH_CONTROL(CASE)                                                                                            \
  CASE(CS_FIXED, fixed) CASE(CS_PI_DEFECT, pi_defect) CASE(CS_PI_ECCO, pi_ecco) CASE(CS_THRESHOLD, threshold)         \
      CASE(CS_RICHARDSON, richardson) CASE(CS_CYCLE, cycle)
static void control_begin(const V *k, const V *y, V *nominal, V *memory) {
#define CASE(control, name)                  \
  case control:                              \
    name##_begin(k, y, nominal, memory);     \
    break;
  switch (variant->control) { EACH_CONTROL(CASE) }
#undef CASE
}
static void control_step(const V *k, struct control *c) {
#define CASE(control, name) \
  case control:             \
    name##_step(k, c);      \
    break;
  switch (variant->control) { EACH_CONTROL(CASE) }
#undef CASE
}

#if STIFF
#include "kernels/vary/no_state_events.clh"
#else
#include "kernels/vary/guards.clh"
#include "kernels/vary/march.clh"
#include "kernels/vary/matching.clh"
#include "kernels/vary/search.clh"
#include "kernels/vary/settle.clh"
#include "kernels/vary/walk.clh"
#include "kernels/vary/order.clh"
#include "kernels/vary/course.clh"
#include "kernels/vary/parallel.clh"
#endif
#include "kernels/vary/record.clh"
#include "kernels/vary/lanes_memory.clh"
#include "kernels/vary/judge.clh"
#include "kernels/vary/split.clh"
#include "kernels/vary/note.clh"
#include "kernels/vary/algorithm.clh"
#include "kernels/vary/begin_varied.cl"
#include "kernels/vary/vary.cl"
#else
#include "kernels/step/of_map.clh"
#include "kernels/step/macro_step.clh"
#include "kernels/step/measures.clh"
#include "begin.clh"
#include "kernels/step/estimate.clh"
#include "kernels/step/local.clh"
#define assemble_columns columns_alone
#include "kernels/fixed/columns.clh"
#undef assemble_columns
#include "abreast.clh"
#include "kernels/step/points.clh"
#include "kernels/fixed/assemble.cl"
#include "kernels/fixed/begin.cl"

#define EACH(count, F) for (int each = 0; each < (count); each++) F(each)
#define EACH_Z(F) EACH(NZ, F)
#define EACH_SUM(F) EACH(SUMS, F)
#define EACH_TOP(F) EACH(TOPS, F)
#define EACH_FINAL(F) EACH(FINALS, F)
#ifdef CS_LARGE
#include "stepping.h"
#define go_ahead rolled_ahead
#else
#define go_ahead large_ahead
#endif
#include "kernels/fixed/rolled.clh"
#undef go_ahead
#ifdef CS_LARGE
#include "ahead.clh"
#endif
#include "steps.clh"
static long go_ahead(const double *p, const size_t stride, const int nodes, long n, long end, V *z, V *sum, V *top,
                     V *size) {
  return ROLLED ? large_ahead(p, stride, nodes, n, end, z, sum, top, size)
                : small_ahead(p, nodes, n, end, z, sum, top, size);
}
#include "kernels/fixed/nodes.clh"
#include "kernels/fixed/step.clh"
#include "kernels/fixed/step.cl"

#ifdef CS_LARGE
#include "doubling.h"
#else
/* Tiles of one row and as many columns as the variant's tiles have. */
#define DEFINE_PRODUCT(NAME, ROWS, COLUMNS, START, RIGHT, STORE)                                                      \
  INLINE_ALWAYS void NAME##_by(const int B, double *w, const size_t pitch, int i0, int i1, int j0, int j1, int k0,    \
                               int k1, int a, int b, int to, V keep, M where) {                                       \
    for (int i = i0; i < i1; i++)                                                                                     \
      for (int j = j0; j < j1; j += B) {                                                                              \
        V acc[5];                                                                                                     \
        UNROLL_WHOLE for (int c = 0; c < B; c++) acc[c] = START(i, j + c);                                            \
        for (int k = k0; k < k1; k++) {                                                                               \
          const V left = CELL(a, i, k);                                                                               \
          UNROLL_WHOLE for (int c = 0; c < B; c++) acc[c] = FMA(left, RIGHT(k, j + c), acc[c]);                       \
        }                                                                                                             \
        UNROLL_WHOLE for (int c = 0; c < B; c++) STORE(i, j + c, acc[c]);                                             \
      }                                                                                                               \
  }                                                                                                                   \
  static void NAME(double *w, const size_t pitch, int i0, int i1, int j0, int j1, int k0, int k1, int a, int b,       \
                   int to, V keep, M where) {                                                                         \
    if (COLUMNS == 2)                                                                                                 \
      NAME##_by(2, w, pitch, i0, i1, j0, j1, k0, k1, a, b, to, keep, where);                                          \
    else if (COLUMNS == 3)                                                                                            \
      NAME##_by(3, w, pitch, i0, i1, j0, j1, k0, k1, a, b, to, keep, where);                                          \
    else if (COLUMNS == 4)                                                                                            \
      NAME##_by(4, w, pitch, i0, i1, j0, j1, k0, k1, a, b, to, keep, where);                                          \
    else                                                                                                              \
      NAME##_by(5, w, pitch, i0, i1, j0, j1, k0, k1, a, b, to, keep, where);                                          \
  }
#endif
#define APPLY_ROWS(ROWS, from, to, end)                                    \
  for (int i = from; i < to; i++) {                                        \
    V sum = keep * z[i];                                                   \
    for (int k = 0; k < end; k++) sum = FMA(CELL(matrix, i, k), z[k], sum); \
    next[i] = sum;                                                         \
  }
#include "kernels/fixed/powers.clh"
#ifdef CS_LARGE
#include "squares.h"
#endif
#include "kernels/fixed/gram.clh"
#include "kernels/fixed/root.clh"
#include "kernels/fixed/double.clh"
#include "kernels/fixed/double.cl"
#include "kernels/fixed/double_root.cl"
#endif
/* clang-format on */

/* ---- the kernels as functions with the same arguments ---- */
#define BUFFER(i) ((double *)argument[i])
#define LONG(i) (*(const int64_t *)argument[i])

#ifndef CS_SMALL_STATES
static void series_open(void) {}
#endif
#ifndef CS_LARGE
static void kept_forget(double *memory) {}
#endif
#define DEFINE_KERNEL(name, ...)                                                                          \
  static void run_##name(const void *from, void *const *argument, const size_t *first, const size_t *end, \
                         const size_t *size, void *memory) {                                              \
    const unsigned before = lanes_flush();                                                                \
    take(from);                                                                                           \
    series_open();                                                                                        \
    global_size[0] = size[0];                                                                             \
    global_size[1] = size[1];                                                                             \
    for (global_id[0] = first[0]; global_id[0] < end[0]; global_id[0]++) {                                \
      kept_forget(memory);                                                                                \
      for (global_id[1] = first[1]; global_id[1] < end[1]; global_id[1]++)                                \
        name(__VA_ARGS__);                                                                                \
    }                                                                                                     \
    lanes_keep(before);                                                                                   \
  }
#if VARIES
DEFINE_KERNEL(begin_varied, BUFFER(0), BUFFER(1), BUFFER(2), argument[3], BUFFER(4), LONG(5))
DEFINE_KERNEL(vary_lanes, BUFFER(0), BUFFER(1), BUFFER(2), argument[3], BUFFER(4), LONG(5), LONG(6), LONG(7), LONG(8))
#else
DEFINE_KERNEL(assemble_map, BUFFER(0), BUFFER(1), LONG(2), LONG(3), LONG(4), LONG(5), LONG(6), LONG(7), LONG(8))
DEFINE_KERNEL(begin_lanes, BUFFER(0), BUFFER(1), LONG(2))
DEFINE_KERNEL(step_lanes, BUFFER(0), BUFFER(1), BUFFER(2), LONG(3), LONG(4), LONG(5), LONG(6))
DEFINE_KERNEL(double_lanes, BUFFER(0), BUFFER(1), BUFFER(2), BUFFER(3), LONG(4), LONG(5), LONG(6), LONG(7), LONG(8))
DEFINE_KERNEL(double_lanes_root, BUFFER(0), BUFFER(1), BUFFER(2), BUFFER(3), LONG(4), LONG(5), LONG(6), LONG(7),
              LONG(8))
#endif

#define JOIN_(a, b, c, d) a##b##c##d
#define JOIN(a, b, c, d) JOIN_(a, b, c, d)
const struct cs_native_entry JOIN(cs_native_, CS_NATIVE_SET, _, CS_NATIVE_PART)[] = {
#if VARIES
    {"begin_varied", run_begin_varied},
    {"vary_lanes", run_vary_lanes},
#else
    {"assemble_map", run_assemble_map},
    {"begin_lanes", run_begin_lanes},
    {"step_lanes", run_step_lanes},
    {"double_lanes", run_double_lanes},
    {"double_lanes_root", run_double_lanes_root},
#endif
    {0}};
