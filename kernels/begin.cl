/* What a run starts with: z, accumulators and the growth of the exact solution on its way to the history, at T_0.
 * coefficients: [COEFFICIENTS] per lane; state: [STATE_ITEMS] per lane (lanes.clh). */
__kernel void begin_lanes(__global const double *coefficients, __global double *state, const long groups) {
  const long g = get_global_id(0);
  if (g >= groups) return;
  V k[COEFFICIENTS], z[NZ], r[NR], exact[NQ * NY1], c[PARTS * NQ * NU1], h[NQ * NY1], growth = (V)1.0;
  load_coefficients(coefficients, g, groups, k);
  for (int i = 0; i < NZ; i++) z[i] = (V)0.0;
  for (int i = 0; i < NX; i++) r[i] = k[K_X0 + i];
  if (NR > NX) r[NR - 1] = (V)1.0;
  exact_outputs(k, r, exact);
  for (int i = 0; i < PARTS * NQ * NU; i++) c[i] = (V)0.0;
#if START_FROM_HISTORY
  hold_history(k, r, exact, c, h, &growth);
#else
  /* start `zero`, and `ramp` of point holds: only values are known; all higher coefficients are absent */
  for (int part = 0; part < PARTS; part++)
    for (int j = 0; j < NQ; j++) {
      V *to = c + (part * NQ + j) * NU;
      mul_L_part(k, part, exact + j * NY, to);
      for (int q = 0; q < NU; q++) to[q] = j == 0 ? (V)0.0 : -to[q];
    }
  for (int j = 0; j < NQ; j++)
    for (int l = 0; l < NY; l++) h[j * NY + l] = j == 0 ? (V)0.0 : -exact[j * NY + l];
#endif
  for (int i = 0; i < NR; i++) z[i] = r[i];
  for (int part = 0; part < PARTS; part++)
    for (int q = 0; q < NU; q++)
      for (int j = 0; INPUT_AT[part * NU + q] >= 0 && j <= INPUT_ORDER[q]; j++)
        z[INPUT_AT[part * NU + q] + j] = c[(part * NQ + j) * NU + q];
  for (int l = 0; l < NY; l++)
    for (int j = 0; OUTPUT_AT[l] >= 0 && j <= OUTPUT_ORDER[l]; j++) z[OUTPUT_AT[l] + j] = h[j * NY + l];
#if MASTER_MEMORY
  {
    V y[NY1], u[NU1];
    mul_Y(k, r, y);
    mul_L(k, y, u);
    add_bias(k, r, u);
    master_begin(u, z + MASTER_AT);
  }
#endif

  __global double *p = LANE_SCOPE(state, STATE_ITEMS, g, groups);
  const size_t stride = LANE_STRIDE(groups);
  for (int i = 0; i < STATE_ITEMS; i++) PUT(p, i, (V)0.0);
  for (int i = 0; i < NZ; i++) PUT(p, i, z[i]);
#if WANT_MONITOR
  {
    V x[NX], y[NY1], m[NM1];
    for (int i = 0; i < NX; i++) x[i] = (V)0.0;
    for (int i = 0; i < NQ * NU; i++) c[i] = (V)0.0;
    for (int l = 0; l < NY; l++) y[l] = (V)0.0;
    monitors(k, r, x, c, y, m);
    for (int i = 0; i < NM; i++) {
      if (MONITOR_MAX >= 0) PUT(p, MONITOR_MAX + i, fabs(m[i]));
    }
  }
#endif
  PUT(p, STATE_GROWTH, growth);
}
