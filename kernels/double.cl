/* Doubling: sums of squares over many equal steps in O(log N), and z of the last step.
 *
 * With Psi = I + D the map of one step and G_m = sum_{j<m} z_j z_j^T, the measures' squares add up to f G_m f^T, and
 *   G_2m = G_m + Psi^m G_m (Psi^m)^T,        D_2m = 2 D_m + D_m^2,         z_2m = Psi^m z_m;
 *   G_m+1 = G_m + z_m z_m^T,                 D_m+1 = D_m + D_1 (I + D_m),  z_m+1 = Psi z_m.
 * A lane with N steps goes through the bits of N from the highest down, so that lanes of different N share the work;
 * a lane whose bits have not begun stands at m = 0. Increments D keep slow modes exact; once Psi^m as a whole is
 * small, Psi^m itself is carried (`keep` 0 instead of 1 in `power` + keep I), so that decayed values stay exact too.
 *
 * A work-item works in its own part of `workspace`, 4 matrices [NP][NP] per lane, and takes every `workers`-th group:
 * the matrices stay in the cache. Rows and columns are padded to tiles: r from 0, the rest of z from NRP; Psi is block
 * lower triangular. */
#define CELLS (NP * NP)
#define CELL(m, i, j) AT_PITCH(w, ((m)*NP + (i)) * NP + (j), pitch)
#define PUT_CELL(m, i, j, value) PUT_PITCH(w, ((m)*NP + (i)) * NP + (j), pitch, value)
#define PADDED(i) ((i) < NR ? (i) : (i)-NR + NRP)
#define IN_R(i) ((i) < NRP)

enum { GRAM, ONE_STEP, POWER_A, POWER_B };

/* acc[r][c] += sum over from <= k < to of a[i + r][k] b[k][j + c]. */
INLINE void add_product(__global const double *w, const size_t pitch, int a, int b, int i, int j, int from, int to,
                        V acc[TILE][TILE]) {
  for (int k = from; k < to; k++) {
    V right[TILE];
#pragma unroll
    for (int c = 0; c < TILE; c++) right[c] = CELL(b, k, j + c);
#pragma unroll
    for (int r = 0; r < TILE; r++) {
      const V left = CELL(a, i + r, k);
#pragma unroll
      for (int c = 0; c < TILE; c++) acc[r][c] = FMA(left, right[c], acc[r][c]);
    }
  }
}

/* The same with b transposed. */
INLINE void add_product_transposed(__global const double *w, const size_t pitch, int a, int b, int i, int j, int to,
                                   V acc[TILE][TILE]) {
  for (int k = 0; k < to; k++) {
    V right[TILE];
#pragma unroll
    for (int c = 0; c < TILE; c++) right[c] = CELL(b, j + c, k);
#pragma unroll
    for (int r = 0; r < TILE; r++) {
      const V left = CELL(a, i + r, k);
#pragma unroll
      for (int c = 0; c < TILE; c++) acc[r][c] = FMA(left, right[c], acc[r][c]);
    }
  }
}

#define EACH_TILE(i, j) \
  for (int i = 0; i < NP; i += TILE) \
    for (int j = 0; j < NP; j += TILE)
#define EACH_IN_TILE(r, c) \
  _Pragma("unroll") for (int r = 0; r < TILE; r++) _Pragma("unroll") for (int c = 0; c < TILE; c++)

/* G <- G + Psi^m G (Psi^m)^T; `spare` is overwritten. */
static void double_gram(__global double *w, const size_t pitch, int power, int spare, V keep) {
  V acc[TILE][TILE];
  EACH_TILE(i, j) {
    EACH_IN_TILE(r, c) acc[r][c] = keep * CELL(GRAM, i + r, j + c);
    add_product(w, pitch, power, GRAM, i, j, 0, IN_R(i) ? NRP : NP, acc);
    EACH_IN_TILE(r, c) PUT_CELL(spare, i + r, j + c, acc[r][c]);
  }
  EACH_TILE(i, j) {
    if (j > i) continue;
    EACH_IN_TILE(r, c) acc[r][c] = FMA(keep, CELL(spare, i + r, j + c), CELL(GRAM, i + r, j + c));
    add_product_transposed(w, pitch, spare, power, i, j, IN_R(j) ? NRP : NP, acc);
    EACH_IN_TILE(r, c) PUT_CELL(GRAM, i + r, j + c, acc[r][c]);
    if (j < i) EACH_IN_TILE(r, c) PUT_CELL(GRAM, j + c, i + r, acc[r][c]);
  }
}

/* to = power^2 + 2 keep power. */
static void double_power(__global double *w, const size_t pitch, int power, int to, V keep) {
  V acc[TILE][TILE];
  EACH_TILE(i, j) {
    if (IN_R(i) && !IN_R(j)) {
      EACH_IN_TILE(r, c) PUT_CELL(to, i + r, j + c, (V)0.0);
      continue;
    }
    EACH_IN_TILE(r, c) acc[r][c] = (V)2.0 * keep * CELL(power, i + r, j + c);
    add_product(w, pitch, power, power, i, j, IN_R(j) ? 0 : NRP, IN_R(i) ? NRP : NP, acc);
    EACH_IN_TILE(r, c) PUT_CELL(to, i + r, j + c, acc[r][c]);
  }
}

/* to = power + D_1 (power + keep I) in the lanes of `odd`, power in the others. */
static void extend_power(__global double *w, const size_t pitch, int power, int to, V keep, M odd) {
  V acc[TILE][TILE];
  EACH_TILE(i, j) {
    if (IN_R(i) && !IN_R(j)) {
      EACH_IN_TILE(r, c) PUT_CELL(to, i + r, j + c, (V)0.0);
      continue;
    }
    EACH_IN_TILE(r, c) acc[r][c] = keep * CELL(ONE_STEP, i + r, j + c);
    add_product(w, pitch, ONE_STEP, power, i, j, IN_R(j) ? 0 : NRP, IN_R(i) ? NRP : NP, acc);
    EACH_IN_TILE(r, c) {
      const V before = CELL(power, i + r, j + c);
      PUT_CELL(to, i + r, j + c, SEL(odd, before + acc[r][c], before));
    }
  }
}

/* next = (matrix + keep I) z */
static void apply(__global const double *w, const size_t pitch, int matrix, V keep, const V *z, V *next) {
  for (int i = 0; i < NP; i++) {
    V sum = keep * z[i];
    const int to = IN_R(i) ? NRP : NP;
    for (int k = 0; k < to; k++) sum = FMA(CELL(matrix, i, k), z[k], sum);
    next[i] = sum;
  }
}

/* One more step in the lanes of `odd`. */
static void extend(__global double *w, const size_t pitch, int power, int to, V keep, M odd, V *z) {
  V next[NP];
  for (int i = 0; i < NP; i++) {
    const V left = SEL(odd, z[i], (V)0.0);
    for (int j = 0; j < NP; j++) PUT_CELL(GRAM, i, j, FMA(left, SEL(odd, z[j], (V)0.0), CELL(GRAM, i, j)));
  }
  apply(w, pitch, ONE_STEP, (V)1.0, z, next);
  for (int i = 0; i < NP; i++) z[i] = SEL(odd, next[i], z[i]);
  extend_power(w, pitch, power, to, keep, odd);
}

/* Carries Psi^m itself in lanes where its norm is at most 1/2. */
static V carry_whole(__global double *w, const size_t pitch, int power, V keep) {
  V squares = (V)0.0;
  for (int i = 0; i < NZ; i++) {
    for (int j = 0; j < NZ; j++) {
      const V entry = CELL(power, PADDED(i), PADDED(j)) + (V)(i == j ? 1.0 : 0.0);
      squares = FMA(entry, entry, squares);
    }
    if (!ANY((squares <= (V)0.25) & (keep > (V)0.5))) return keep;
  }
  const M whole = (squares <= (V)0.25) & (keep > (V)0.5);
  for (int i = 0; i < NZ; i++) {
    const int at = PADDED(i);
    PUT_CELL(power, at, at, CELL(power, at, at) + SEL(whole, (V)1.0, (V)0.0));
  }
  return SEL(whole, (V)0.0, keep);
}

/* D_1 from the assembled map; the other matrices 0. */
static void begin_doubling(__global const double *p, const size_t stride, __global double *w, const size_t pitch) {
  for (int i = 0; i < 4 * CELLS; i++) PUT_PITCH(w, i, pitch, (V)0.0);
  for (int i = 0; i < NZ; i++) {
    for (int b = 0; b < BLOCKS; b++) {
      const int place = ENTRY[i * BLOCKS + b], first = BLOCK_FIRST[b];
      for (int j = first; place >= 0 && j < BLOCK_FIRST[b + 1]; j++)
        PUT_CELL(ONE_STEP, PADDED(i), PADDED(j), AT(p, place + j - first));
    }
    if (!IS_INCREMENT[i]) PUT_CELL(ONE_STEP, PADDED(i), PADDED(i), CELL(ONE_STEP, PADDED(i), PADDED(i)) - (V)1.0);
  }
}

/* f G f^T for a row of measures, its blocks' first entries in `entry`. */
static V sum_of_squares(__global const double *p, const size_t stride, __global const double *w, const size_t pitch,
                        __constant int *entry, int base) {
  V total = (V)0.0;
  for (int a = 0; a < BLOCKS; a++) {
    if (entry[a] < 0) continue;
    for (int i = BLOCK_FIRST[a]; i < BLOCK_FIRST[a + 1]; i++) {
      const V f = AT(p, base + entry[a] + i - BLOCK_FIRST[a]);
      V below = (V)0.0;
      for (int b = 0; b <= a; b++) {
        if (entry[b] < 0) continue;
        const int place = base + entry[b] - BLOCK_FIRST[b], end = b == a ? i : BLOCK_FIRST[b + 1];
        for (int j = BLOCK_FIRST[b]; j < end; j++) below = FMA(CELL(GRAM, PADDED(i), PADDED(j)), AT(p, place + j), below);
      }
      total = FMA(f, FMA(CELL(GRAM, PADDED(i), PADDED(i)), f, (V)2.0 * below), total);
    }
  }
  return SEL(total < (V)0.0, (V)0.0, total);
}

static void add_sums(__global const double *p, const size_t stride, __global const double *w, const size_t pitch,
                     __global double *to, int nodes, M on) {
  for (int i = NZ; i < ROWS; i++) {
    if (POINT_SUM[i - NZ] < 0) continue;
    const int at = STATE_SUMS + POINT_SUM[i - NZ];
    PUT(to, at, AT(to, at) + SEL(on, sum_of_squares(p, stride, w, pitch, ENTRY + i * BLOCKS, 0), (V)0.0));
  }
  for (int node = 0; node < nodes; node++)
    for (int i = 0; i < INSIDE_ROWS; i++) {
      const int at = STATE_SUMS + INSIDE_SUM[i];
      const V sum = sum_of_squares(p, stride, w, pitch, INSIDE_ENTRY + i * BLOCKS, POINT_ITEMS + node * INSIDE_ITEMS);
      PUT(to, at, AT(to, at) + SEL(on, sum, (V)0.0));
    }
}

/* z from the first to the last of so many steps, and their Gram matrix. */
static void double_steps(__global double *w, const size_t pitch, V steps, V *z) {
  const double most = lanes_max(steps);
  double scale = 1.0;
  V keep = (V)1.0, next[NP];
  int power = POWER_A, spare = POWER_B;
  while (2.0 * scale <= most) scale *= 2.0;
  for (bool begun = false; scale >= 1.0 && most > 0.0; scale *= 0.5, begun = true) {
    const V count = floor(steps / (V)scale);
    const M odd = count - (V)2.0 * floor((V)0.5 * count) > (V)0.5;
    if (begun) {
      double_gram(w, pitch, power, spare, keep);
      apply(w, pitch, power, keep, z, next);
      for (int i = 0; i < NP; i++) z[i] = next[i];
      double_power(w, pitch, power, spare, keep);
      power = POWER_A + POWER_B - power;
      spare = POWER_A + POWER_B - spare;
    }
    if (ANY(odd)) {
      extend(w, pitch, power, spare, keep, odd, z);
      power = POWER_A + POWER_B - power;
      spare = POWER_A + POWER_B - spare;
    }
    keep = carry_whole(w, pitch, power, keep);
  }
}

/* Steps `from` to the last of the group's lanes; needs the map of those steps in `data`. STATE_DIVERGED becomes -1 where z may
 * have left the range of numbers on the way: when it did is for step_lanes to say. */
static void double_group(__global const double *c, __global const double *p, __global double *to, const size_t stride,
                         __global double *w, const size_t pitch, double from) {
  V z[NP];
  const V stop = AT(c, K_N) - (V)1.0;
  const M on = (stop >= (V)from) & !(AT(to, STATE_DIVERGED) > (V)0.0);
  for (int i = 0; i < NP; i++) z[i] = (V)0.0;
  for (int i = 0; i < NZ; i++) z[PADDED(i)] = AT(to, i);
  begin_doubling(p, stride, w, pitch);
  double_steps(w, pitch, SEL(on, stop - (V)from, (V)0.0), z);
  M bad = !(fabs(z[0]) <= (V)1e150);
  for (int i = 0; i < NZ; i++) {
    const int at = PADDED(i);
    bad = bad | !(fabs(z[at]) <= (V)1e150) | !(CELL(GRAM, at, at) <= (V)1e300);
    PUT(to, i, SEL(on, z[at], AT(to, i)));
  }
  bad = bad & on;
  const int nodes = measured_nodes(c, stride);
  add_sums(p, stride, w, pitch, to, nodes, on & !bad);
  last_step(p, stride, to, nodes, stop, on & !bad);
  PUT(to, STATE_DIVERGED, SEL(bad, (V)-1.0, AT(to, STATE_DIVERGED)));
}

/* Groups first <= g < last. */
__kernel void double_lanes(__global const double *coefficients, __global const double *data, __global double *state,
                           __global double *workspace, const long items, const long from, const long groups,
                           const long first, const long last) {
  const long worker = get_global_id(0), workers = get_global_size(0);
  __global double *w = LANE_SCOPE(workspace, 4 * CELLS, worker, workers);
  const size_t pitch = LANE_STRIDE(workers);
  for (long g = first + worker; g < last; g += workers) {
    double_group(LANE_SCOPE(coefficients, COEFFICIENTS, g, groups), LANE_SCOPE(data, items, g, groups),
                 LANE_SCOPE(state, STATE_ITEMS, g, groups), LANE_STRIDE(groups), w, pitch, (double)from);
  }
}
