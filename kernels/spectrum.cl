/* Stability of a co-simulation: eigenvalues of the block of Psi that the co-simulation's own coordinates have (all of
 * z but r), and of the exact problem's matrix M. Needs the map of one step in `data`.
 *
 * Leaves in `state`
 *   STATE_RADIUS        largest |lambda| of the block; 0 when it is empty
 *   STATE_DECAYING      the same without the eigenvalues within SPECTRUM_NEUTRAL of 1; 0 when none is left
 *   STATE_GROWTH_EXACT  largest real part of M's eigenvalues; -infinity without states
 *   STATE_FAILED        1 where an entry was not finite or the iteration did not converge, else 0
 *   STATE_EIGENVALUES   (WANT_EIGENVALUES) the block's real parts [NZ - NR], then its imaginary parts, sorted
 * What could not be computed is not a number. A work-item works in SPECTRUM_WORKSPACE numbers per lane. */
#define SPECTRUM_ROWS (NZ - NR)
#define SPECTRUM_WORKSPACE SPECTRUM_ITEMS(SPECTRUM_ROWS) /* of Psi's block; that of M, NX <= NZ - NR, fits */
#define SPECTRUM_NEUTRAL 1e-9

/* Psi's block: rows of the states come as those of Psi - I. */
static void load_step_block(__global const double *p, const size_t stride, __global double *w, const size_t pitch) {
  for (int i = 0; i < SPECTRUM_ROWS; i++)
    for (int j = 0; j < SPECTRUM_ROWS; j++) {
      const int block = BLOCK[NR + j], entry = ENTRY[(NR + i) * BLOCKS + block];
      const V value = entry < 0 ? (V)0.0 : AT(p, entry + NR + j - BLOCK_FIRST[block]);
      PUT_PITCH(w, i * SPECTRUM_ROW(SPECTRUM_ROWS) + j, pitch, value);
    }
  for (int a = 0; a < NX; a++) {
    const int at = (STATE_AT[a] - NR) * (SPECTRUM_ROW(SPECTRUM_ROWS) + 1);
    PUT_PITCH(w, at, pitch, AT_PITCH(w, at, pitch) + (V)1.0);
  }
}

/* M without its constant component, column by column. */
static void load_exact_matrix(const V *k, __global double *w, const size_t pitch) {
  V unit[NR], column[NR];
  for (int i = 0; i < NR; i++) unit[i] = (V)0.0;
  for (int j = 0; j < NX; j++) {
    unit[j] = (V)1.0;
    mul_M(k, unit, column);
    unit[j] = (V)0.0;
    for (int i = 0; i < NX; i++) PUT_PITCH(w, i * SPECTRUM_ROW(NX) + j, pitch, column[i]);
  }
}

static void put_step_spectrum(__global const double *w, const size_t pitch, __global double *to,
                              const size_t stride, M converged) {
  V decaying = (V)0.0;
  for (int i = 0; i < SPECTRUM_ROWS; i++) {
    const V re = AT_PITCH(w, SPECTRUM_RE(SPECTRUM_ROWS, i), pitch);
    const V im = AT_PITCH(w, SPECTRUM_IM(SPECTRUM_ROWS, i), pitch);
    const V size = AT_PITCH(w, SPECTRUM_SIZE(SPECTRUM_ROWS, i), pitch);
    const M neutral = absolute(re - (V)1.0, im) <= (V)SPECTRUM_NEUTRAL;
    decaying = SEL(neutral, decaying, fmax(decaying, size));
#if WANT_EIGENVALUES
    PUT(to, STATE_EIGENVALUES + i, re);
    PUT(to, STATE_EIGENVALUES + SPECTRUM_ROWS + i, im);
#endif
  }
  const V radius = SPECTRUM_ROWS > 0 ? AT_PITCH(w, SPECTRUM_SIZE(SPECTRUM_ROWS, 0), pitch) : (V)0.0;
  PUT(to, STATE_RADIUS, SEL(converged, radius, (V)NAN));
  PUT(to, STATE_DECAYING, SEL(converged, decaying, (V)NAN));
}

static void spectrum_group(__global const double *c, __global const double *p, __global double *to, const size_t stride,
                           __global double *w, const size_t pitch) {
  V k[COEFFICIENTS], growth = (V)-INFINITY;
  for (int i = 0; i < COEFFICIENTS; i++) k[i] = AT(c, i);
  load_step_block(p, stride, w, pitch);
  const M step = spectrum(w, pitch, SPECTRUM_ROWS);
  sort_spectrum(w, pitch, SPECTRUM_ROWS);
  put_step_spectrum(w, pitch, to, stride, step);
  load_exact_matrix(k, w, pitch);
  const M exact = spectrum(w, pitch, NX);
  for (int i = 0; i < NX; i++) growth = fmax(growth, AT_PITCH(w, SPECTRUM_RE(NX, i), pitch));
  PUT(to, STATE_GROWTH_EXACT, SEL(exact, growth, (V)NAN));
  PUT(to, STATE_FAILED, SEL(step & exact, (V)0.0, (V)1.0));
}

/* Groups first <= g < last; a work-item takes every `workers`-th, so that its matrix stays in the cache. */
__kernel void spectrum_lanes(__global const double *coefficients, __global const double *data, __global double *state,
                             __global double *workspace, const long items, const long groups, const long first,
                             const long last) {
  const long worker = get_global_id(0), workers = get_global_size(0);
  __global double *w = LANE_SCOPE(workspace, SPECTRUM_WORKSPACE, worker, workers);
  for (long g = first + worker; g < last; g += workers)
    spectrum_group(LANE_SCOPE(coefficients, COEFFICIENTS, g, groups), LANE_SCOPE(data, items, g, groups),
                   LANE_SCOPE(state, STATE_ITEMS, g, groups), LANE_STRIDE(groups), w, LANE_STRIDE(workers));
}
