/* Stepping of the assembled map: z <- z + (Psi - I) z, sums of squares, maxima and final values of the measures.
 *
 * Steps k0 <= k < k1 of every lane; a lane with N steps stands still afterwards. Partial sums are kept over CHUNK steps
 * counted from T_0, whatever the launches are. The last step of a lane also leaves its final values. A lane whose z
 * leaves the range of numbers (not finite, or beyond 1e150) stops there: STATE_DIVERGED gets its step number.
 * Emitted per variant: advance (z of the next step), measure (adds the squares, raises the maxima), final_values. */
#define CHUNK 256

static M out_of_range(const V *z) {
  M bad = !(fabs(z[0]) <= (V)1e150);
  for (int i = 1; i < NZ; i++) bad = bad | !(fabs(z[i]) <= (V)1e150);
  return bad;
}

static void take(M where, const V *next, V *z) {
  for (int i = 0; i < NZ; i++) z[i] = SEL(where, next[i], z[i]);
}

__kernel void step_lanes(__global const double *coefficients, __global const double *data, __global double *state,
                   const long items, const long k0, const long k1, const long groups) {
  const long g = get_global_id(0);
  if (g >= groups) return;
  const size_t stride = LANE_STRIDE(groups);
  __global const double *c = LANE_SCOPE(coefficients, COEFFICIENTS, g, groups);
  __global const double *p = LANE_SCOPE(data, items, g, groups);
  __global double *to = LANE_SCOPE(state, STATE_ITEMS, g, groups);
  V z[NZ], next[NZ], saved[NZ], sum[SUMS1], top[TOPS1];
  V diverged = AT(to, STATE_DIVERGED);
  const V last = SEL(diverged > (V)0.0, (V)-1.0, AT(c, K_N) - (V)1.0);
  V stop = last;
  const int nodes = INSIDE_ROWS ? PIECES * (int)lanes_max(AT(c, K_PANELS) + AT(c, K_LEVELS)) * (int)lanes_max(AT(c, K_NODES)) : 0;
  for (int i = 0; i < NZ; i++) z[i] = AT(to, i);
  for (int i = 0; i < TOPS; i++) top[i] = AT(to, STATE_TOPS + i);
  const long shortest = (long)lanes_min(stop), longest = (long)lanes_max(stop);

  for (long k = k0; k < k1 && k < longest;) {
    const long chunk = k - k % CHUNK + CHUNK;
    const long end = min(min(chunk, k1), longest);
    for (int i = 0; i < SUMS; i++) sum[i] = (V)0.0;
    for (int i = 0; i < NZ; i++) saved[i] = z[i];
    if (end <= shortest && !ANY(stop != last)) {
      for (long n = k; n < end; n++) {
        measure(p, stride, nodes, z, sum, top, (V)1.0);
        advance(p, stride, z, next);
        for (int i = 0; i < NZ; i++) z[i] = next[i];
      }
    } else {
      for (long n = k; n < end; n++) {
        const M on = (V)(double)n < stop;
        measure(p, stride, nodes, z, sum, top, SEL(on, (V)1.0, (V)0.0));
        advance(p, stride, z, next);
        take(on, next, z);
      }
    }
    if (ANY(out_of_range(z))) {
      /* once more, with a look at every step */
      for (int i = 0; i < SUMS; i++) sum[i] = (V)0.0;
      for (int i = 0; i < NZ; i++) z[i] = saved[i];
      for (long n = k; n < end; n++) {
        const M on = (V)(double)n < stop;
        measure(p, stride, nodes, z, sum, top, SEL(on, (V)1.0, (V)0.0));
        advance(p, stride, z, next);
        const M bad = on & out_of_range(next);
        take(on & !bad, next, z);
        diverged = SEL(bad, (V)(double)(n + 1), diverged);
        stop = SEL(bad, (V)-1.0, stop);
      }
    }
    for (int i = 0; i < SUMS; i++) PUT(to, STATE_SUMS + i, AT(to, STATE_SUMS + i) + sum[i]);
    k = end;
  }

  const M final = (stop >= (V)(double)k0) & (stop < (V)(double)k1);
  if (ANY(final)) {
    V value[FINALS1];
    for (int i = 0; i < SUMS; i++) sum[i] = (V)0.0;
    measure(p, stride, nodes, z, sum, top, SEL(final, (V)1.0, (V)0.0));
    advance(p, stride, z, next);
    final_values(p, stride, z, next, value);
    for (int i = 0; i < FINALS; i++) PUT(to, STATE_FINALS + i, SEL(final, value[i], AT(to, STATE_FINALS + i)));
    for (int i = 0; i < SUMS; i++) PUT(to, STATE_SUMS + i, AT(to, STATE_SUMS + i) + sum[i]);
    diverged = SEL(final & out_of_range(next), stop + (V)1.0, diverged);
    take(final, next, z);
  }
  for (int i = 0; i < NZ; i++) PUT(to, i, z[i]);
  for (int i = 0; i < TOPS; i++) PUT(to, STATE_TOPS + i, top[i]);
  PUT(to, STATE_DIVERGED, diverged);
}
