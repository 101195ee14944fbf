/* Initial state of a run at T_0: z, accumulators, and the growth of the exact solution when integrated back for the
 * history.
 * coefficients: [COEFFICIENTS] per lane; state: [STATE_ITEMS] per lane (lanes.clh). */
__kernel void HINTED begin_lanes(__global const double *coefficients, __global double *state, const long groups) {
  const long g = get_global_id(0);
  if (g >= groups) return;
  V k[COEFFICIENTS], z[NZ], growth;
  load_coefficients(coefficients, g, groups, k);
  begin_values(k, z, &growth);
  __global double *p = LANE_SCOPE(state, STATE_ITEMS, g, groups);
  const size_t stride = LANE_STRIDE(groups);
  for (int i = 0; i < STATE_ITEMS; i++) PUT(p, i, REAL(0.0));
  for (int i = 0; i < NZ; i++) PUT(p, i, z[i]);
  if (WANT_MONITOR && MONITOR_MAX >= 0) {
    V x[NX], y[NY1], m[NM1], c[NQ * NU1];
    for (int i = 0; i < NX; i++) x[i] = REAL(0.0);
    for (int i = 0; i < NQ * NU; i++) c[i] = REAL(0.0);
    for (int l = 0; l < NY; l++) y[l] = REAL(0.0);
    monitors(k, z, x, c, y, m);
    for (int i = 0; i < NM; i++) PUT(p, MONITOR_MAX + i, fabs(m[i]));
  }
  PUT(p, STATE_GROWTH, growth);
}
