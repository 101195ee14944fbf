/* Doubling: sums of squares over many equal steps in O(log N), and z of the last step.
 *
 * With Psi = I + D the map of one step and G_m = sum_{j<m} z_j z_j^T, the measures' squares add up to f G_m f^T, and
 *   G_2m = G_m + Psi^m G_m (Psi^m)^T,        D_2m = 2 D_m + D_m^2,         z_2m = Psi^m z_m;
 *   G_m+1 = G_m + z_m z_m^T,                 D_m+1 = D_m + D_1 (I + D_m),  z_m+1 = Psi z_m.
 * A lane with N steps goes through the bits of N from the highest down, so that lanes of different N share the work;
 * a lane whose bits have not begun stands at m = 0. Increments D keep slow modes exact; once Psi^m as a whole is
 * small, Psi^m itself is carried (`keep` 0 instead of 1 in `power` + keep I), so that decayed values stay exact too.
 *
 * A work-item works in its own part of `workspace`, 5 matrices [NP][NP] per lane, and takes every `workers`-th group:
 * the matrices stay in the cache. TILE_COLUMNS of a block divide its TILE_ROWS. Rows and columns are padded to tiles: r from 0, the rest of z from NRP; Psi is block
 * lower triangular. */
#define CELLS (NP * NP)
#define CELL(m, i, j) AT_PITCH(w, ((m)*NP + (i)) * NP + (j), pitch)
#define PUT_CELL(m, i, j, value) PUT_PITCH(w, ((m)*NP + (i)) * NP + (j), pitch, value)
#define PADDED(i) ((i) < NR ? (i) : (i)-NR + NRP)

enum { GRAM, ONE_STEP, SPREAD, POWER_A, POWER_B };

/* Products of blocks, rows i0 <= i < i1 and columns j0 <= j < j1, the inner index from k0 to k1, in register tiles of A x
 * B: START opens an accumulator, RIGHT is the second factor's entry, STORE closes. */
#define IN_TILE(r, c) _Pragma("unroll") for (int r = 0; r < A; r++) _Pragma("unroll") for (int c = 0; c < B; c++)
#define DEFINE_PRODUCT(NAME, ROWS, COLUMNS, START, RIGHT, STORE)                                                      \
  static void NAME(__global double *w, const size_t pitch, int i0, int i1, int j0, int j1, int k0, int k1, int a,     \
                   int b, int to, V keep, M where) {                                                                  \
    enum { A = ROWS, B = COLUMNS };                                                                                   \
    for (int i = i0; i < i1; i += A)                                                                                  \
      for (int j = j0; j < j1; j += B) {                                                                              \
        V acc[A][B], right[B];                                                                                        \
        IN_TILE(r, c) acc[r][c] = START(i + r, j + c);                                                                \
        for (int k = k0; k < k1; k++) {                                                                               \
          _Pragma("unroll") for (int c = 0; c < B; c++) right[c] = RIGHT(k, j + c);                                   \
          _Pragma("unroll") for (int r = 0; r < A; r++) {                                                             \
            const V left = CELL(a, i + r, k);                                                                         \
            _Pragma("unroll") for (int c = 0; c < B; c++) acc[r][c] = FMA(left, right[c], acc[r][c]);                 \
          }                                                                                                           \
        }                                                                                                             \
        IN_TILE(r, c) STORE(i + r, j + c, acc[r][c]);                                                                 \
      }                                                                                                               \
  }
/* The four kinds of blocks; a tile takes as many columns as suit the block of j, and as many rows as leave room. */
#define DEFINE_PRODUCTS(NAME, START, RIGHT, STORE)                                    \
  DEFINE_PRODUCT(NAME##_rr, TILE_ROWS_R, TILE_COLUMNS_R, START, RIGHT, STORE)         \
  DEFINE_PRODUCT(NAME##_wr, TILE_COLUMNS_W, TILE_COLUMNS_R, START, RIGHT, STORE)      \
  DEFINE_PRODUCT(NAME##_ww, TILE_ROWS_W, TILE_COLUMNS_W, START, RIGHT, STORE)

#define PLAIN(k, j) CELL(b, k, j)
#define TRANSPOSED(k, j) CELL(b, j, k)
#define PUT_ALONE(i, j, value) PUT_CELL(to, i, j, value)
/* tiles below the diagonal stand for those above it too */
#define PUT_BOTH(row, column, value)                     \
  do {                                                   \
    PUT_CELL(to, row, column, value);                    \
    if (j + B <= i) PUT_CELL(to, column, row, value);    \
  } while (0)

/* a b + keep b */
#define KEEP_RIGHT(i, j) keep *CELL(b, i, j)
DEFINE_PRODUCTS(spread, KEEP_RIGHT, PLAIN, PUT_ALONE)
DEFINE_PRODUCT(spread_rw, TILE_COLUMNS_R, TILE_COLUMNS_W, KEEP_RIGHT, PLAIN, PUT_ALONE)

/* to + a b^T + keep a, symmetric */
#define KEEP_LEFT(i, j) FMA(keep, CELL(a, i, j), CELL(to, i, j))
DEFINE_PRODUCT(fold_rr, TILE_COLUMNS_R, TILE_COLUMNS_R, KEEP_LEFT, TRANSPOSED, PUT_BOTH)
DEFINE_PRODUCT(fold_wr, TILE_COLUMNS_W, TILE_COLUMNS_R, KEEP_LEFT, TRANSPOSED, PUT_BOTH)
DEFINE_PRODUCT(fold_ww, TILE_COLUMNS_W, TILE_COLUMNS_W, KEEP_LEFT, TRANSPOSED, PUT_BOTH)

/* b + a (b + keep I) in the lanes of `where`, b in the others */
#define KEEP_FACTOR(i, j) keep *CELL(a, i, j)
#define PUT_WHERE(i, j, value) PUT_CELL(to, i, j, CELL(b, i, j) + SEL(where, value, (V)0.0))
DEFINE_PRODUCTS(extend, KEEP_FACTOR, PLAIN, PUT_WHERE)

#define TRIANGULAR(NAME, a, b, to, keep, where)                                       \
  do {                                                                                \
    NAME##_rr(w, pitch, 0, NRP, 0, NRP, 0, NRP, a, b, to, keep, where);               \
    NAME##_wr(w, pitch, NRP, NP, 0, NRP, 0, NP, a, b, to, keep, where);               \
    NAME##_ww(w, pitch, NRP, NP, NRP, NP, NRP, NP, a, b, to, keep, where);            \
  } while (0)

/* G <- G + Psi^m G (Psi^m)^T; SPREAD is overwritten with Psi^m G. */
static void double_gram(__global double *w, const size_t pitch, int power, V keep) {
  const M all = keep >= (V)0.0;
  spread_rr(w, pitch, 0, NRP, 0, NRP, 0, NRP, power, GRAM, SPREAD, keep, all);
  spread_rw(w, pitch, 0, NRP, NRP, NP, 0, NRP, power, GRAM, SPREAD, keep, all);
  spread_wr(w, pitch, NRP, NP, 0, NRP, 0, NP, power, GRAM, SPREAD, keep, all);
  spread_ww(w, pitch, NRP, NP, NRP, NP, 0, NP, power, GRAM, SPREAD, keep, all);
  for (int i = 0; i < NRP; i += TILE_COLUMNS_R)
    fold_rr(w, pitch, i, i + TILE_COLUMNS_R, 0, i + TILE_COLUMNS_R, 0, NRP, SPREAD, power, GRAM, keep, all);
  fold_wr(w, pitch, NRP, NP, 0, NRP, 0, NRP, SPREAD, power, GRAM, keep, all);
  for (int i = NRP; i < NP; i += TILE_COLUMNS_W)
    fold_ww(w, pitch, i, i + TILE_COLUMNS_W, NRP, i + TILE_COLUMNS_W, 0, NP, SPREAD, power, GRAM, keep, all);
}

/* next = (matrix + keep I) z for rows from..to, whose entries end at `end`. */
#define APPLY_ROWS(ROWS, from, to, end)                                                                \
  for (int i = from; i < to; i += ROWS) {                                                              \
    V sum[ROWS];                                                                                       \
    _Pragma("unroll") for (int r = 0; r < ROWS; r++) sum[r] = keep * z[i + r];                         \
    for (int k = 0; k < end; k++) {                                                                    \
      const V right = z[k];                                                                            \
      _Pragma("unroll") for (int r = 0; r < ROWS; r++) sum[r] = FMA(CELL(matrix, i + r, k), right, sum[r]); \
    }                                                                                                  \
    _Pragma("unroll") for (int r = 0; r < ROWS; r++) next[i + r] = sum[r];                             \
  }

static void apply(__global const double *w, const size_t pitch, int matrix, V keep, const V *z, V *next) {
  APPLY_ROWS(TILE_ROWS_R, 0, NRP, NRP)
  APPLY_ROWS(TILE_ROWS_W, NRP, NP, NP)
}

/* One more step in the lanes of `odd`. */
static void one_more(__global double *w, const size_t pitch, int power, int to, V keep, M odd, V *z) {
  V next[NP], add[NP];
  for (int i = 0; i < NP; i++) add[i] = SEL(odd, z[i], (V)0.0);
  for (int i = 0; i < NP; i++)
    for (int j = 0; j < NP; j++) PUT_CELL(GRAM, i, j, FMA(add[i], add[j], CELL(GRAM, i, j)));
  apply(w, pitch, ONE_STEP, (V)1.0, z, next);
  for (int i = 0; i < NP; i++) z[i] = SEL(odd, next[i], z[i]);
  TRIANGULAR(extend, ONE_STEP, power, to, keep, odd);
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
  for (int i = 0; i < 5 * CELLS; i++) PUT_PITCH(w, i, pitch, (V)0.0);
  for (int i = 0; i < NZ; i++) {
    for (int b = 0; b < BLOCKS; b++) {
      const int place = ENTRY[i * BLOCKS + b], first = BLOCK_FIRST[b];
      for (int j = first; place >= 0 && j < BLOCK_FIRST[b + 1]; j++)
        PUT_CELL(ONE_STEP, PADDED(i), PADDED(j), AT(p, place + j - first));
    }
    if (!IS_INCREMENT[i]) PUT_CELL(ONE_STEP, PADDED(i), PADDED(i), CELL(ONE_STEP, PADDED(i), PADDED(i)) - (V)1.0);
  }
}

/* Adds f G f^T for a row of measures, its blocks' first entries in `entry`; and to *size the same without signs. */
static V sum_of_squares(__global const double *p, const size_t stride, __global const double *w, const size_t pitch,
                        __constant int *entry, int base, V *size) {
  V total = (V)0.0;
  for (int a = 0; a < BLOCKS; a++) {
    if (entry[a] < 0) continue;
    for (int i = BLOCK_FIRST[a]; i < BLOCK_FIRST[a + 1]; i++) {
      const V f = AT(p, base + entry[a] + i - BLOCK_FIRST[a]), own = CELL(GRAM, PADDED(i), PADDED(i)) * f;
      V below = (V)0.0, sizes = (V)0.0;
      for (int b = 0; b <= a; b++) {
        if (entry[b] < 0) continue;
        const int place = base + entry[b] - BLOCK_FIRST[b], end = b == a ? i : BLOCK_FIRST[b + 1];
        for (int j = BLOCK_FIRST[b]; j < end; j++) {
          const V term = CELL(GRAM, PADDED(i), PADDED(j)) * AT(p, place + j);
          below += term;
          sizes += fabs(term);
        }
      }
      total = FMA(f, FMA((V)2.0, below, own), total);
      *size = FMA(fabs(f), FMA((V)2.0, sizes, fabs(own)), *size);
    }
  }
  return total;
}

/* The measures' sums of squares in the lanes of `on`. Gives the lanes where one of them is what is left of terms more
 * than CANCELLED times as large: squares lose twice the digits that stepping loses there. */
#define CANCELLED 1e4

static M add_sums(__global const double *p, const size_t stride, __global const double *w, const size_t pitch,
                  __global double *to, int nodes, M on) {
  V sum[SUMS1], size[SUMS1];
  M cancelled = on & !on;
  for (int s = 0; s < SUMS; s++) sum[s] = size[s] = (V)0.0;
  for (int i = NZ; i < ROWS; i++) {
    const int s = POINT_SUM[i - NZ];
    if (s >= 0) sum[s] += sum_of_squares(p, stride, w, pitch, ENTRY + i * BLOCKS, 0, &size[s]);
  }
  for (int node = 0; node < nodes; node++)
    for (int i = 0; i < INSIDE_ROWS; i++) {
      const int s = INSIDE_SUM[i];
      sum[s] += sum_of_squares(p, stride, w, pitch, INSIDE_ENTRY + i * BLOCKS, POINT_ITEMS + node * INSIDE_ITEMS,
                               &size[s]);
    }
  for (int s = 0; s < SUMS; s++) {
    PUT(to, STATE_SUMS + s, AT(to, STATE_SUMS + s) + SEL(on, sum[s], (V)0.0));
    cancelled = cancelled | (size[s] > (V)CANCELLED * sum[s]);
  }
  return cancelled & on;
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
      double_gram(w, pitch, power, keep);
      apply(w, pitch, power, keep, z, next);
      for (int i = 0; i < NP; i++) z[i] = next[i];
      TRIANGULAR(spread, power, power, spare, (V)2.0 * keep, odd);
      power = POWER_A + POWER_B - power;
      spare = POWER_A + POWER_B - spare;
    }
    if (ANY(odd)) {
      one_more(w, pitch, power, spare, keep, odd, z);
      power = POWER_A + POWER_B - power;
      spare = POWER_A + POWER_B - spare;
    }
    keep = carry_whole(w, pitch, power, keep);
  }
}

/* Steps `from` to the last of the group's lanes; needs the map of those steps in `data`. STATE_DIVERGED becomes -1 where
 * the run is to be done step by step: z may have left the range of numbers on the way, and when it did is for step_lanes
 * to say; or too many digits of a sum were cancelled. */
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
  bad = bad | add_sums(p, stride, w, pitch, to, nodes, on & !bad);
  last_step(p, stride, to, nodes, stop, on & !bad);
  PUT(to, STATE_DIVERGED, SEL(bad, (V)-1.0, AT(to, STATE_DIVERGED)));
}

/* Groups first <= g < last. */
__kernel void double_lanes(__global const double *coefficients, __global const double *data, __global double *state,
                           __global double *workspace, const long items, const long from, const long groups,
                           const long first, const long last) {
  const long worker = get_global_id(0), workers = get_global_size(0);
  __global double *w = LANE_SCOPE(workspace, 5 * CELLS, worker, workers);
  const size_t pitch = LANE_STRIDE(workers);
  for (long g = first + worker; g < last; g += workers) {
    double_group(LANE_SCOPE(coefficients, COEFFICIENTS, g, groups), LANE_SCOPE(data, items, g, groups),
                 LANE_SCOPE(state, STATE_ITEMS, g, groups), LANE_STRIDE(groups), w, pitch, (double)from);
  }
}
