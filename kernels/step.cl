/* Stepping of the assembled map: z <- z + (Psi - I) z, sums of squares, maxima and final values of the measures.
 *
 * Steps k0 <= k < k1 of every lane; a lane with N steps stands still afterwards. Partial sums are kept over CHUNK steps
 * counted from T_0, whatever the launches are. The last step of a lane also leaves its final values. A lane whose z
 * leaves the range of numbers (not finite, or beyond 1e150) stops there: STATE_DIVERGED gets its step number.
 * Emitted per variant: advance (z of the next step), measure (adds the squares, raises the maxima), final_values. */
#define CHUNK 256

INLINE M out_of_range(const V *z) {
  M bad = !(fabs(z[0]) <= (V)1e150);
#define JUDGE(i) bad = bad | !(fabs(z[i]) <= (V)1e150);
  EACH_Z(JUDGE)
  return bad;
}

#define CLEAR_SUM(i) sum[i] = (V)0.0;
#define STORE_SUM(i) PUT(to, STATE_SUMS + (i), AT(to, STATE_SUMS + (i)) + sum[i]);
#define SAVE_Z(i) saved[i] = z[i];
#define RESTORE_Z(i) z[i] = saved[i];
#define NEXT_Z(i) z[i] = next[i];
#define NEXT_Z_ON(i) z[i] = SEL(on, next[i], z[i]);
#define NEXT_Z_GOOD(i) z[i] = SEL(good, next[i], z[i]);

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
#define LOAD_Z(i) z[i] = AT(to, i);
#define LOAD_TOP(i) top[i] = AT(to, STATE_TOPS + (i));
  EACH_Z(LOAD_Z)
  EACH_TOP(LOAD_TOP)
  const long shortest = (long)lanes_min(stop), longest = (long)lanes_max(stop);

  for (long k = k0; k < k1 && k < longest;) {
    const long chunk = k - k % CHUNK + CHUNK;
    const long end = min(min(chunk, k1), longest);
    EACH_SUM(CLEAR_SUM)
    EACH_Z(SAVE_Z)
    if (end <= shortest && !ANY(stop != last)) {
      for (long n = k; n < end; n++) {
        measure(p, stride, nodes, z, sum, top, (V)1.0);
        advance(p, stride, z, next);
        EACH_Z(NEXT_Z)
      }
    } else {
      for (long n = k; n < end; n++) {
        const M on = (V)(double)n < stop;
        measure(p, stride, nodes, z, sum, top, SEL(on, (V)1.0, (V)0.0));
        advance(p, stride, z, next);
        EACH_Z(NEXT_Z_ON)
      }
    }
    if (ANY(out_of_range(z))) {
      /* once more, with a look at every step */
      EACH_SUM(CLEAR_SUM)
      EACH_Z(RESTORE_Z)
      for (long n = k; n < end; n++) {
        const M on = (V)(double)n < stop;
        measure(p, stride, nodes, z, sum, top, SEL(on, (V)1.0, (V)0.0));
        advance(p, stride, z, next);
        const M bad = on & out_of_range(next);
        const M good = on & !bad;
        EACH_Z(NEXT_Z_GOOD)
        diverged = SEL(bad, (V)(double)(n + 1), diverged);
        stop = SEL(bad, (V)-1.0, stop);
      }
    }
    EACH_SUM(STORE_SUM)
    k = end;
  }

  const M on = (stop >= (V)(double)k0) & (stop < (V)(double)k1);
  if (ANY(on)) {
    V value[FINALS1];
    EACH_SUM(CLEAR_SUM)
    measure(p, stride, nodes, z, sum, top, SEL(on, (V)1.0, (V)0.0));
    advance(p, stride, z, next);
    final_values(p, stride, z, next, value);
#define STORE_FINAL(i) PUT(to, STATE_FINALS + (i), SEL(on, value[i], AT(to, STATE_FINALS + (i))));
    EACH_FINAL(STORE_FINAL)
    EACH_SUM(STORE_SUM)
    diverged = SEL(on & out_of_range(next), stop + (V)1.0, diverged);
    EACH_Z(NEXT_Z_ON)
  }
#define STORE_Z(i) PUT(to, i, z[i]);
#define STORE_TOP(i) PUT(to, STATE_TOPS + (i), top[i]);
  EACH_Z(STORE_Z)
  EACH_TOP(STORE_TOP)
  PUT(to, STATE_DIVERGED, diverged);
}
