/* Stability of a co-simulation: eigenvalues of the block of Psi of the co-simulation's own coordinates (all of z but
 * r), and of the matrix M of the exact problem. Needs the map of one step in `data`. A separate program, the same for
 * all variants, whose sizes and positions are arguments.
 *
 * table: [rows][rows] positions of the block's entries in the map, -1 for 0; [rows] 1 where the map has the row of
 * Psi - I; [states][states] positions of M's entries among the coefficients, or -1.
 * Results in `state`:
 *   STATE_RADIUS        largest |lambda| of the block; 0 when it is empty
 *   STATE_DECAYING      the same without neutral eigenvalues; 0 when none is left
 *   STATE_GROWTH_EXACT  largest real part of M's eigenvalues, K_ZEROS of which are 0; -infinity without states
 *   STATE_CONTRACTION   largest |lambda| of the maps of a repetition, [handed][handed] from item handed_at of each map
 *   STATE_FAILED        1 if an entry was not finite or the iteration did not converge, else 0
 *   STATE_EIGENVALUES   if there is room, the block's real parts [rows], then its imaginary parts, sorted
 * Results that could not be computed are NaN. A work-item needs SPECTRUM_ITEMS of the larger of rows and handed as
 * workspace per lane. */
#define SPECTRUM_NEUTRAL 1e-9

/* Multiple neutral modes of the model, for which K_NEUTRAL is larger than SPECTRUM_NEUTRAL, give a step as many
 * eigenvalues 1 as K_ZEROS. Rounding separates them, by up to K_NEUTRAL, which leaves their sum: the nearest ones to 1
 * together count as 1 + max(0, sum (lambda - 1)). */
struct cluster {
  V reach, excess; /* distance from 1 of the last of them; sum of lambda - 1 */
  M multiple, neutral;
};

INLINE V from_1(__global const double *w, const size_t pitch, int rows, int i) {
  return absolute(AT_PITCH(w, SPECTRUM_RE(rows, i), pitch) - REAL(1.0), AT_PITCH(w, SPECTRUM_IM(rows, i), pitch));
}

/* The distance from 1 of the `zeros` nearest eigenvalues. */
static V nearest(__global const double *w, const size_t pitch, int rows, V zeros) {
  V most = REAL(0.0);
  for (int i = 0; i < rows; i++) {
    const V own = from_1(w, pitch, rows, i);
    V nearer = REAL(0.0);
    for (int j = 0; j < rows; j++) nearer += SEL(from_1(w, pitch, rows, j) < own, REAL(1.0), REAL(0.0));
    most = fmax(most, SEL(nearer < zeros, own, REAL(0.0)));
  }
  return most;
}

static void gather_cluster(__global const double *w, const size_t pitch, int rows, V zeros, V neutral,
                           struct cluster *c) {
  c->multiple = neutral > REAL(SPECTRUM_NEUTRAL);
  c->reach = neutral;
  c->excess = REAL(0.0);
  if (ANY(c->multiple)) c->reach = SEL(c->multiple, fmin(neutral, nearest(w, pitch, rows, zeros)), neutral);
  for (int i = 0; i < rows; i++) {
    const V re = AT_PITCH(w, SPECTRUM_RE(rows, i), pitch);
    c->excess += SEL(from_1(w, pitch, rows, i) <= c->reach, re - REAL(1.0), REAL(0.0));
  }
  c->neutral = NOT(c->multiple) | (c->excess <= REAL(SPECTRUM_NEUTRAL));
}

static void load_step_block(__global const double *p, const size_t stride, __global const long *table, int rows,
                            __global double *w, const size_t pitch) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) {
      const long place = table[i * rows + j];
      const V value = place < 0 ? REAL(0.0) : AT(p, place);
      PUT_PITCH(w, i * SPECTRUM_ROW(rows) + j, pitch,
                value + REAL(i == j && table[rows * rows + i] != 0 ? 1.0 : 0.0));
    }
}

/* The block in w, multiplied from the left by that of a further step. */
static void multiply_step_block(__global const double *p, const size_t stride, __global const long *table, int rows,
                                __global double *w, const size_t pitch) {
  for (int j = 0; j < rows; j++) {
    for (int i = 0; i < rows; i++)
      PUT_PITCH(w, SPECTRUM_SIZE(rows, i), pitch, AT_PITCH(w, i * SPECTRUM_ROW(rows) + j, pitch));
    for (int i = 0; i < rows; i++) {
      V sum = table[rows * rows + i] != 0 ? AT_PITCH(w, SPECTRUM_SIZE(rows, i), pitch) : REAL(0.0);
      for (int n = 0; n < rows; n++) {
        const long place = table[i * rows + n];
        if (place >= 0) sum = FMA(AT(p, place), AT_PITCH(w, SPECTRUM_SIZE(rows, n), pitch), sum);
      }
      PUT_PITCH(w, i * SPECTRUM_ROW(rows) + j, pitch, sum);
    }
  }
}

/* M without its constant component. */
static void load_exact_matrix(__global const double *c, const size_t stride, __global const long *table, int states,
                              __global double *w, const size_t pitch) {
  for (int i = 0; i < states; i++)
    for (int j = 0; j < states; j++) {
      const long place = table[i * states + j];
      PUT_PITCH(w, i * SPECTRUM_ROW(states) + j, pitch, place < 0 ? REAL(0.0) : AT(c, place));
    }
}

/* Whether two groups have the same M and as many zero eigenvalues, in every lane. */
static bool same_exact_matrix(__global const double *c, __global const double *other, const size_t stride,
                              __global const long *table, int states) {
  if (ANY(NOT(AT(c, K_ZEROS) == AT(other, K_ZEROS)))) return false;
  for (int i = 0; i < states * states; i++)
    if (table[i] >= 0 && ANY(NOT(AT(c, table[i]) == AT(other, table[i])))) return false;
  return true;
}

static void load_repetition(__global const double *p, const size_t stride, long at, int handed, __global double *w,
                            const size_t pitch) {
  for (int i = 0; i < handed; i++)
    for (int j = 0; j < handed; j++) PUT_PITCH(w, i * SPECTRUM_ROW(handed) + j, pitch, AT(p, at + i * handed + j));
}

static V largest(__global const double *w, const size_t pitch, int rows) {
  V most = REAL(0.0);
  for (int i = 0; i < rows; i++)
    most = fmax(most, absolute(AT_PITCH(w, SPECTRUM_RE(rows, i), pitch), AT_PITCH(w, SPECTRUM_IM(rows, i), pitch)));
  return most;
}

static void put_step_spectrum(__global const double *w, const size_t pitch, int rows, V zeros, V neutral,
                              __global double *to, const size_t stride, bool all, M converged) {
  V decaying = REAL(0.0), radius = REAL(0.0);
  struct cluster c;
  gather_cluster(w, pitch, rows, zeros, neutral, &c);
  for (int i = 0; i < rows; i++) {
    const V re = AT_PITCH(w, SPECTRUM_RE(rows, i), pitch);
    const V im = AT_PITCH(w, SPECTRUM_IM(rows, i), pitch);
    const M inside = from_1(w, pitch, rows, i) <= c.reach;
    const V own = AT_PITCH(w, SPECTRUM_SIZE(rows, i), pitch);
    const V size = SEL(inside & c.multiple, REAL(1.0) + fmax(c.excess, REAL(0.0)), own);
    radius = fmax(radius, size);
    decaying = SEL(inside & c.neutral, decaying, fmax(decaying, size));
    if (!all) continue;
    PUT(to, STATE_EIGENVALUES + i, re);
    PUT(to, STATE_EIGENVALUES + rows + i, im);
  }
  PUT(to, STATE_RADIUS, SEL(converged, radius, REAL(NAN)));
  PUT(to, STATE_DECAYING, SEL(converged, decaying, REAL(NAN)));
}

/* The largest real part of the eigenvalues of M, `zeros` of which are 0; NaN where they were not found. */
static V growth_of(__global double *w, const size_t pitch, int states, V zeros) {
  V growth = REAL(-INFINITY);
  const M good = spectrum(w, pitch, states);
  sort_spectrum(w, pitch, states);
  for (int i = 0; i < states; i++) {
    const M zero = REAL((double)(states - i)) <= zeros;
    growth = fmax(growth, SEL(zero, REAL(0.0), AT_PITCH(w, SPECTRUM_RE(states, i), pitch)));
  }
  return SEL(good, growth, REAL(NAN));
}

/* Groups first <= g < last; a work-item processes every `workers`-th, so that its matrix stays in the cache. `items`,
 * `coefficients`, `state_items`: lengths of a lane's maps, coefficients and state. phases: maps of a lane, of the steps
 * of a cycle one after the other, whose product is taken. */
__kernel void HINTED spectrum_lanes(__global const double *coefficients, __global const double *data, __global double *state,
                             __global double *workspace, __global const long *table, const long items,
                             const long groups, const long first, const long last, const long rows_, const long states_,
                             const long coefficient_items, const long state_items, const long phases,
                             const long handed_, const long handed_at) {
  const long worker = get_global_id(0), workers = get_global_size(0);
  const int rows = (int)rows_, states = (int)states_, handed = (int)handed_;
  const size_t stride = LANE_STRIDE(groups), pitch = LANE_STRIDE(workers);
  __global double *w = LANE_SCOPE(workspace, SPECTRUM_ITEMS(rows > handed ? rows : handed), worker, workers);
  V growth = REAL(NAN);
  __global const double *before = coefficients; /* those of the group that growth is of */
  for (long g = first + worker; g < last; g += workers) {
    __global const double *k = LANE_SCOPE(coefficients, coefficient_items, g, groups);
    __global double *to = LANE_SCOPE(state, state_items, g, groups);
    V contraction = REAL(0.0);
    __global const double *maps = LANE_SCOPE(data, items, g, groups);
    load_step_block(maps, stride, table, rows, w, pitch);
    for (long phase = 1; phase < phases; phase++)
      multiply_step_block(LANE_SKIP(maps, phase * (items / phases), stride), stride, table, rows, w, pitch);
    const M step = spectrum(w, pitch, rows);
    sort_spectrum(w, pitch, rows);
    put_step_spectrum(w, pitch, rows, AT(k, K_ZEROS), AT(k, K_NEUTRAL), to, stride, state_items > STATE_EIGENVALUES, step);
    if (g == first + worker || !same_exact_matrix(k, before, stride, table + rows * rows + rows, states)) {
      load_exact_matrix(k, stride, table + rows * rows + rows, states, w, pitch);
      growth = growth_of(w, pitch, states, AT(k, K_ZEROS));
    }
    before = k;
    for (long phase = 0; phase < phases; phase++) {
      load_repetition(LANE_SKIP(maps, phase * (items / phases), stride), stride, handed_at, handed, w, pitch);
      const M good = spectrum(w, pitch, handed);
      const V own = largest(w, pitch, handed);
      contraction = SEL(good & (own <= contraction), contraction, SEL(good, own, REAL(NAN)));
    }
    PUT(to, STATE_CONTRACTION, contraction);
    PUT(to, STATE_GROWTH_EXACT, growth);
    PUT(to, STATE_FAILED, SEL(step & (growth == growth), REAL(0.0), REAL(1.0)));
  }
}
