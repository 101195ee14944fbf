/* The map of one macro step.
 *
 * coefficients: [COEFFICIENTS] per lane; data: [items] per lane (docs: lanes.clh). */

static void load_coefficients(__global const double *coefficients, long g, long groups, V *k) {
  __global const double *p = LANE_SCOPE(coefficients, COEFFICIENTS, g, groups);
  const size_t stride = LANE_STRIDE(groups);
  for (int i = 0; i < COEFFICIENTS; i++) k[i] = AT(p, i);
  modes_split(k, k[K_H]);
}

/* Turns the lane's numbers to step number `phase` of a cycle of steps; those before the first are of the cycle before.
 * The norm is that of the longest. Returns the step's size divided by that of the step before. */
static V turn_to(V *k, int phase) {
  V spacing[3];
  double length = 0.0, longest = 0.0;
  for (int i = 0; i < CYCLE; i++) longest = CYCLE_RATIO[i] > longest ? CYCLE_RATIO[i] : longest;
  for (int p = 0; p < 3; p++) {
    length += CYCLE_RATIO[(phase - 1 - p + 3 * CYCLE) % WHERE(CYCLE, CYCLE)];
    spacing[p] = REAL(length);
  }
  spacing_points(k, REAL(CYCLE_RATIO[phase]), spacing);
  k[K_H] *= REAL(CYCLE_RATIO[phase]);
  k[K_NORM] *= REAL(CYCLE_RATIO[phase] / longest);
  if (ALTERNATES) k[K_LEADER] = REAL((double)(phase % 2));
  modes_split(k, k[K_H]);
  return REAL(CYCLE_RATIO[phase] / CYCLE_RATIO[(phase - 1 + CYCLE) % WHERE(CYCLE, CYCLE)]);
}

/* Columns first <= column < last of the map of step number `ramp` (if large, of all later steps), divided among the
 * work-items of the second dimension. With a cycle of steps, of its step number `phase`, behind the maps of those before
 * it; z is scaled to the step before. Columns from NZ on are those of a repetition. Without `measured` the map alone,
 * in whose rows for measures and nodes nothing is written. */
__kernel void HINTED assemble_map(__global const double *coefficients, __global double *data, const long items,
                           const long ramp, const long groups, const long first, const long last,
                           const long phase, const long measured) {
  const long g = get_global_id(0);
  if (g >= groups) return;
  V k[NUMBERS], q = REAL(1.0);
  struct sink to;
  load_coefficients(coefficients, g, groups, k);
  to.data = LANE_SCOPE(data, items, g, groups);
  to.stride = LANE_STRIDE(groups);
  to.measures = measured != 0;
  if (CYCLE > 0) {
    q = turn_to(k, (int)phase);
    to.data = LANE_SKIP(to.data, phase * POINT_ITEMS, to.stride);
  }
  if (PREPARED) master_prepare(k, (int)ramp);
  assemble_columns(k, q, first + get_global_id(1), last, get_global_size(1), (int)ramp, &to);
}
