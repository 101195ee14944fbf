/* The map of one macro step.
 *
 * coefficients: [COEFFICIENTS] per lane; data: [items] per lane (docs: lanes.clh). */

static void load_coefficients(__global const double *coefficients, long g, long groups, V *k) {
  __global const double *p = LANE_SCOPE(coefficients, COEFFICIENTS, g, groups);
  const size_t stride = LANE_STRIDE(groups);
  for (int i = 0; i < COEFFICIENTS; i++) k[i] = AT(p, i);
  modes_split(k, k[K_H]);
}

/* A column of the map of one macro step, z being a basis vector. */
static void macro_step(const V *k, const V *z, int step, const struct sink *to) {
  struct macro m;
  step_unpack(k, z, to->column >= NR, step, &m);
  master_step(k, &m, to);
  step_exchange(k, &m);
  put_map(&m, to);
  put_measures(k, &m, to);
}

/* Columns first <= column < last of the map of step number `ramp` (if large, of all later steps), divided among the
 * work-items of the second dimension. */
__kernel void assemble_map(__global const double *coefficients, __global double *data, const long items,
                           const long ramp, const long groups, const long first, const long last) {
  const long g = get_global_id(0);
  if (g >= groups) return;
  V k[COEFFICIENTS], z[NZ];
  struct sink to;
  load_coefficients(coefficients, g, groups, k);
  to.data = LANE_SCOPE(data, items, g, groups);
  to.stride = LANE_STRIDE(groups);
  for (int i = 0; i < NZ; i++) z[i] = REAL(0.0);
  for (long column = first + get_global_id(1); column < last; column += get_global_size(1)) {
    to.column = (int)column;
    z[column] = REAL(1.0);
    macro_step(k, z, (int)ramp, &to);
    if ((WANT_LOCAL_ERROR || WANT_LOCAL_ESTIMATE) && column < NR) put_local_errors(k, z, &to);
    z[column] = REAL(0.0);
  }
}
