/* Doubling: sums of squares over many equal steps in O(log N), and z of the last step.
 *
 * With Psi = I + D the map of one step and G_m = sum_{j<m} z_j z_j^T, the measures' squares add up to f G_m f^T, and
 *   G_2m = G_m + Psi^m G_m (Psi^m)^T,        D_2m = 2 D_m + D_m^2,         z_2m = Psi^m z_m;
 *   G_m+1 = G_m + z_m z_m^T,                 D_m+1 = D_m + D_1 (I + D_m),  z_m+1 = Psi z_m.
 * A lane with N steps processes the bits of N from the highest down, so that lanes of different N share the work; a
 * lane with fewer bits waits at m = 0. Using increments D keeps slow modes accurate; once Psi^m as a whole is small,
 * Psi^m itself is used (`keep` 0 instead of 1), which keeps decayed values accurate.
 *
 * If cancellation in a sum costs more digits than its squares can spare, the run is repeated with the factor of G
 * (root.clh). */

/* One more step in the lanes of `odd`. */
INLINE void one_more(__global double *w, const size_t pitch, const bool root, int power, int to, V keep, M odd, V *z) {
  V next[NP], add[NP];
  for (int i = 0; i < NP; i++) add[i] = SEL(odd, z[i], REAL(0.0));
  if (root)
    add_to_root(w, pitch, add);
  else
    add_to_gram(w, pitch, add);
  apply(w, pitch, ONE_STEP, REAL(1.0), z, next);
  for (int i = 0; i < NP; i++) z[i] = SEL(odd, next[i], z[i]);
  TRIANGULAR(extend, ONE_STEP, power, to, keep, odd);
}

/* z from the first to the last of the given number of steps, and G or its factor. */
INLINE void double_steps(__global double *w, const size_t pitch, const bool root, V steps, V *z) {
  const double most = lanes_max(steps);
  double scale = 1.0;
  V keep = REAL(1.0), next[NP];
  int power = POWER_A, spare = POWER_B;
  while (2.0 * scale <= most) scale *= 2.0;
  for (bool begun = false; scale >= 1.0 && most > 0.0; scale *= 0.5, begun = true) {
    const V count = floor(steps / REAL(scale));
    const M odd = count - REAL(2.0) * floor(REAL(0.5) * count) > REAL(0.5);
    if (begun) {
      if (root)
        double_root(w, pitch, power, spare, keep);
      else
        double_gram(w, pitch, power, spare, keep);
      apply(w, pitch, power, keep, z, next);
      for (int i = 0; i < NP; i++) z[i] = next[i];
      TRIANGULAR(spread, power, power, spare, REAL(2.0) * keep, odd);
      power = POWER_A + POWER_B - power;
      spare = POWER_A + POWER_B - spare;
    }
    if (ANY(odd)) {
      one_more(w, pitch, root, power, spare, keep, odd, z);
      power = POWER_A + POWER_B - power;
      spare = POWER_A + POWER_B - spare;
    }
    keep = carry_whole(w, pitch, power, keep);
  }
}

/* Whether z exceeds 1e150 or is NaN, at the end or before it. */
INLINE M out_of_matrix(__global const double *w, const size_t pitch, const bool root, const V *z) {
  M bad = NOT(fabs(z[0]) <= REAL(1e150));
  for (int i = 0; i < KEPT; i++) {
    const int at = PADDED(i);
    bad = bad | NOT(fabs(z[at]) <= REAL(1e150));
    if (!root) bad = bad | NOT(CELL(GRAM, at, at) <= REAL(1e300));
    for (int j = 0; root && j <= at; j++) bad = bad | NOT(fabs(CELL(GRAM, at, j)) <= REAL(1e149));
  }
  return bad;
}

/* The measures' sums of squares in the lanes of `on`. Returns the lanes where a sum has terms more than CANCELLED times
 * as large as itself. */
#define CANCELLED 1e4

INLINE M add_sums(__global const double *p, const size_t stride, __global const double *w, const size_t pitch,
                  const bool root, __global double *to, int nodes, M on) {
  V sum[SUMS1], size[SUMS1], f[KEPT];
  M cancelled = on & NOT(on);
  for (int s = 0; s < SUMS; s++) sum[s] = size[s] = REAL(0.0);
  for (int i = NZ; i < ROWS; i++) {
    const int s = POINT_SUM[i - NZ];
    if (s < 0) continue;
    kept_row(p, stride, ENTRY + i * BLOCKS, 0, -1, w, pitch, f);
    sum[s] += root ? root_squares(w, pitch, f) : gram_squares(w, pitch, f, &size[s]);
  }
  for (int node = 0; node < nodes; node++)
    for (int i = 0; i < INSIDE_ROWS; i++) {
      const int s = INSIDE_SUM[i];
      kept_row(p, stride, INSIDE_ENTRY + i * BLOCKS, POINT_ITEMS + node * INSIDE_ITEMS, -1, w, pitch, f);
      sum[s] += root ? root_squares(w, pitch, f) : gram_squares(w, pitch, f, &size[s]);
    }
  for (int s = 0; s < SUMS; s++) {
    PUT(to, STATE_SUMS + s, AT(to, STATE_SUMS + s) + SEL(on, sum[s], REAL(0.0)));
    cancelled = cancelled | (size[s] > REAL(CANCELLED) * sum[s]);
  }
  return cancelled & on;
}

/* Steps `from` to the last of the group's lanes; needs the map of those steps in `data`. If the run must be repeated
 * in another way, STATE_DIVERGED becomes AGAIN_BY_STEPS (z may have overflowed, and step_lanes determines when) or
 * AGAIN_BY_ROOT (with the factor of G). */
INLINE void double_group(__global const double *c, __global const double *p, __global double *to, const size_t stride,
                         __global double *w, const size_t pitch, const bool root, double from) {
  V z[NP], k[COEFFICIENTS];
  const V stop = AT(c, K_N) - REAL(1.0);
  const M on = (stop >= REAL(from)) & NOT(AT(to, STATE_DIVERGED) > REAL(0.0));
  for (int i = 0; i < NP; i++) z[i] = REAL(0.0);
  for (int i = 0; i < KEPT; i++) z[PADDED(i)] = AT(to, KEPT_AT[i]);
  for (int i = 0; i < COEFFICIENTS; i++) k[i] = AT(c, i);
  put_gains(k, w, pitch);
  begin_doubling(p, stride, w, pitch);
  double_steps(w, pitch, root, SEL(on, stop - REAL(from), REAL(0.0)), z);
  for (int i = 0; i < KEPT; i++) PUT(to, KEPT_AT[i], SEL(on, z[PADDED(i)], AT(to, KEPT_AT[i])));
  for (int d = 0; d < DEPENDENT; d++) {
    V sum = REAL(0.0);
    for (int a = 0; a < NX; a++) sum = FMA(WORKSPACE_GAIN(d, a), AT(to, STATE_AT[a]), sum);
    PUT(to, DEPENDENT_AT[d], SEL(on, sum, AT(to, DEPENDENT_AT[d])));
  }
  const M bad = on & out_of_matrix(w, pitch, root, z);
  const int nodes = measured_nodes(c, stride);
  const M cancelled = add_sums(p, stride, w, pitch, root, to, nodes, on & NOT(bad));
  last_step(p, stride, to, nodes, stop, on & NOT(bad | cancelled));
  PUT(to, STATE_DIVERGED,
      SEL(bad, REAL((double)AGAIN_BY_STEPS), SEL(cancelled, REAL((double)AGAIN_BY_ROOT), AT(to, STATE_DIVERGED))));
}

/* Groups first <= g < last; a work-item takes every `workers`-th, so that its matrices stay in the cache. */
#define DEFINE_DOUBLE(NAME, root)                                                                                      \
  __kernel void NAME(__global const double *coefficients, __global const double *data, __global double *state,        \
                     __global double *workspace, const long items, const long from, const long groups,                \
                     const long first, const long last) {                                                              \
    const long worker = get_global_id(0), workers = get_global_size(0);                                                \
    __global double *w = LANE_SCOPE(workspace, WORKSPACE, worker, workers);                                     \
    const size_t pitch = LANE_STRIDE(workers);                                                                         \
    for (long g = first + worker; g < last; g += workers)                                                              \
      double_group(LANE_SCOPE(coefficients, COEFFICIENTS, g, groups), LANE_SCOPE(data, items, g, groups),              \
                   LANE_SCOPE(state, STATE_ITEMS, g, groups), LANE_STRIDE(groups), w, pitch, root, (double)from);      \
  }
DEFINE_DOUBLE(double_lanes, false)
DEFINE_DOUBLE(double_lanes_root, true)
