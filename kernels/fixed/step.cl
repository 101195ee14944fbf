/* Stepping of the assembled map: z <- z + (Psi - I) z, sums of squares, maxima and final values of the measures.
 *
 * Steps k0 <= k < k1 of every lane; a lane with N steps is unchanged afterwards. Partial sums are taken over CHUNK
 * steps counted from T_0, independently of the launches. The last step of a lane also stores its final values. A lane
 * whose z diverges (not finite, or beyond LARGEST_STATE) stops: STATE_DIVERGED is set to the step number. */

#define CLEAR_SUM(i) sum[i] = REAL(0.0);
#define STORE_SUM(i) PUT(to, STATE_SUMS + (i), AT(to, STATE_SUMS + (i)) + sum[i]);
#define SAVE_Z(i) slow.z[i] = z[i];
#define NEXT_Z(i) z[i] = next[i];
#define ADD_SIZE(i) size = FMA(z[i], z[i], size);
#define SLOW_LOAD_TOP(i) slow.top[i] = top[i];
#define TAKE_Z(i) z[i] = slow.z[i];
#define TAKE_SUM(i) sum[i] = slow.sum[i];
#define TAKE_TOP(i) top[i] = slow.top[i];
#define LOAD_Z(i) z[i] = AT(to, i);
#define LOAD_TOP(i) top[i] = AT(to, STATE_TOPS + (i));
#define STORE_Z(i) PUT(to, i, z[i]);
#define STORE_TOP(i) PUT(to, STATE_TOPS + (i), top[i]);

__kernel void HINTED step_lanes(__global const double *coefficients, __global const double *data, __global double *state,
                         const long items, const long k0, const long k1, const long groups) {
  const long g = get_global_id(0);
  if (g >= groups) return;
  const size_t stride = LANE_STRIDE(groups);
  __global const double *c = LANE_SCOPE(coefficients, COEFFICIENTS, g, groups);
  __global const double *p = LANE_SCOPE(data, items, g, groups);
  __global double *to = LANE_SCOPE(state, STATE_ITEMS, g, groups);
  V z[NZ], next[NZ], sum[SUMS1], top[TOPS1];
  struct slow slow;
  V diverged = AT(to, STATE_DIVERGED);
  V stop = SEL(diverged > REAL(0.0), REAL(-1.0), AT(c, K_N) - REAL(1.0)); /* number of the lane's last step */
  const int nodes = measured_nodes(c, stride);
  EACH_Z(LOAD_Z)
  EACH_TOP(LOAD_TOP)

  for (long k = k0; k < k1;) {
    const long longest = (long)lanes_max(stop);
    if (k >= longest) break;
    const long end = min(min(k - k % CHUNK + CHUNK, k1), longest);
    bool fast = end <= (long)lanes_min(stop);
    EACH_SUM(CLEAR_SUM)
    EACH_Z(SAVE_Z)
    EACH_TOP(SLOW_LOAD_TOP)
    if (fast) {
      V size = REAL(0.0); /* beyond 1e299 if any z was beyond LARGEST_STATE, NaN if any was NaN */
      long n = k;
#ifdef AHEAD
      n = go_ahead(p, stride, nodes, n, end, z, sum, top, &size);
#endif
      for (; n < end; n++) {
        measure(p, stride, nodes, z, sum, top, REAL(1.0));
        advance(p, stride, z, next);
        EACH_Z(NEXT_Z)
        EACH_Z(ADD_SIZE)
      }
      fast = !ANY(NOT(size <= REAL(1e299)));
    }
    if (!fast) { /* a lane ends or diverges in this chunk: step by step, checking each */
      EACH_SUM(SLOW_CLEAR_SUM)
      for (long n = k; n < end; n++) {
        const M on = REAL((double)n) < stop;
        single_step(p, stride, nodes, slow.z, slow.next, slow.sum, slow.top, on);
        const M bad = on & out_of_range(slow.next);
        const M good = on & NOT(bad);
        EACH_Z(SLOW_NEXT_Z)
        diverged = SEL(bad, REAL((double)(n + 1)), diverged);
        stop = SEL(bad, REAL(-1.0), stop);
      }
      EACH_Z(TAKE_Z)
      EACH_SUM(TAKE_SUM)
      EACH_TOP(TAKE_TOP)
    }
    EACH_SUM(STORE_SUM)
    k = end;
  }

  EACH_Z(STORE_Z)
  EACH_TOP(STORE_TOP)
  PUT(to, STATE_DIVERGED, diverged);
  last_step(p, stride, to, nodes, stop, (stop >= REAL((double)k0)) & (stop < REAL((double)k1)));
}
