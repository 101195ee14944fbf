/* Doubling (double.clh) by a team: the work-items of a group share one run, whose matrices are in local memory. For
 * GPUs, where matrices of one run per work-item would spill to global memory. One lane per run (VW 1); matrices
 * [KEPT][KEPT].
 *
 * `w`: local memory: the MATRICES; at TEAM_Z and TEAM_NEXT z before and after a step; at TEAM_AGAIN how to repeat the
 * run, 0 if it need not be repeated. All functions are called by the whole team; barriers separate parts of which one
 * reads what the other writes. */
#define SHARED(m, i, j) w[((m)*KEPT + (i)) * KEPT + (j)]
#define TEAM_CELL(c, i, j) \
  for (int c = (int)get_local_id(0), i = c / KEPT, j = c % KEPT; c < KEPT * KEPT; \
       c += (int)get_local_size(0), i = c / KEPT, j = c % KEPT)
#define TEAM_EACH(i, count) for (int i = (int)get_local_id(0); i < (count); i += (int)get_local_size(0))
#define TEAM_WAIT barrier(CLK_LOCAL_MEM_FENCE)

/* to = a b + keep b (a b + keep a with `left`), block lower triangular. */
static void team_product(__local double *w, int a, int b, int to, double keep, bool left) {
  TEAM_CELL(c, i, j) {
    double sum = 0.0;
    if (i >= NR || j < NR) {
      const int end = i < NR ? NR : KEPT;
      sum = keep * (left ? SHARED(a, i, j) : SHARED(b, i, j));
      for (int k = j < NR ? 0 : NR; k < end; k++) sum = fma(SHARED(a, i, k), SHARED(b, k, j), sum);
    }
    SHARED(to, i, j) = sum;
  }
  TEAM_WAIT;
}

/* G <- G + Psi^m G (Psi^m)^T; `spare` is overwritten. */
static void team_gram(__local double *w, int power, int spare, double keep) {
  TEAM_CELL(c, i, j) {
    double sum = keep * SHARED(GRAM, i, j);
    const int end = i < NR ? NR : KEPT;
    for (int k = 0; k < end; k++) sum = fma(SHARED(power, i, k), SHARED(GRAM, k, j), sum);
    SHARED(spare, i, j) = sum;
  }
  TEAM_WAIT;
  TEAM_CELL(d, i, j) {
    if (j > i) continue;
    double sum = fma(keep, SHARED(spare, i, j), SHARED(GRAM, i, j));
    const int end = j < NR ? NR : KEPT;
    for (int k = 0; k < end; k++) sum = fma(SHARED(spare, i, k), SHARED(power, j, k), sum);
    SHARED(GRAM, i, j) = sum;
    SHARED(GRAM, j, i) = sum;
  }
  TEAM_WAIT;
}

/* next = (matrix + keep I) z; then z = next */
static void team_apply(__local double *w, int matrix, double keep, __local double *z, __local double *next) {
  TEAM_EACH(i, KEPT) {
    double sum = keep * z[i];
    const int end = i < NR ? NR : KEPT;
    for (int k = 0; k < end; k++) sum = fma(SHARED(matrix, i, k), z[k], sum);
    next[i] = sum;
  }
  TEAM_WAIT;
  TEAM_EACH(j, KEPT) z[j] = next[j];
  TEAM_WAIT;
}

/* Switches to Psi^m itself once its norm is at most 1/2; returns the new `keep`. */
static double team_carry_whole(__local double *w, int power, double keep) {
  double squares = 0.0;
  for (int i = 0; i < KEPT && squares <= 0.25; i++)
    for (int j = 0; j < (i < NR ? NR : KEPT); j++) {
      const double entry = SHARED(power, i, j) + (i == j ? 1.0 : 0.0);
      squares = fma(entry, entry, squares);
    }
  if (keep < 0.5 || !(squares <= 0.25)) return keep;
  TEAM_WAIT;
  TEAM_EACH(i, KEPT) SHARED(power, i, i) += 1.0;
  TEAM_WAIT;
  return 0.0;
}

static void team_steps(__local double *w, __local double *z, __local double *next, double steps) {
  double scale = 1.0, keep = 1.0;
  int power = POWER_A, spare = POWER_B;
  while (2.0 * scale <= steps) scale *= 2.0;
  for (bool begun = false; scale >= 1.0 && steps > 0.0; scale *= 0.5, begun = true) {
    const double count = floor(steps / scale);
    if (begun) {
      team_gram(w, power, spare, keep);
      team_apply(w, power, keep, z, next);
      team_product(w, power, power, spare, 2.0 * keep, false);
      power = POWER_A + POWER_B - power;
      spare = POWER_A + POWER_B - spare;
    }
    if (count - 2.0 * floor(0.5 * count) > 0.5) {
      TEAM_CELL(c, i, j) SHARED(GRAM, i, j) = fma(z[i], z[j], SHARED(GRAM, i, j));
      TEAM_WAIT;
      team_apply(w, ONE_STEP, 1.0, z, next);
      team_product(w, ONE_STEP, power, spare, keep, true);
      TEAM_CELL(d, i, j) SHARED(power, i, j) += SHARED(spare, i, j);
      TEAM_WAIT;
    }
    keep = team_carry_whole(w, power, keep);
  }
}

#define TEAM_GAIN(d, a) gain[(d)*NX + (a)]
#define IN_PRIVATE const V *gain
DEFINE_KEPT_ROW(team_row, IN_PRIVATE, TEAM_GAIN)

static void team_begin(__global const double *p, const size_t stride, __local double *w, const V *gain) {
  V f[KEPT];
  TEAM_EACH(zero, MATRICES * KEPT * KEPT) w[zero] = 0.0;
  TEAM_WAIT;
  TEAM_EACH(i, KEPT) {
    const int row = KEPT_AT[i];
    team_row(p, stride, ENTRY + row * BLOCKS, 0, IS_INCREMENT[row] ? -1 : row, gain, f);
    for (int j = 0; j < (i < NR ? NR : KEPT); j++) SHARED(ONE_STEP, i, j) = f[j];
  }
  TEAM_WAIT;
}

/* f G f^T for f [KEPT], and the same with absolute values; by one work-item. */
static double team_squares(__local const double *w, const V *f, double *size) {
  double total = 0.0;
  for (int i = 0; i < KEPT; i++)
    for (int j = 0; j <= i; j++) {
      const double term = f[i] * SHARED(GRAM, i, j) * f[j] * (i == j ? 1.0 : 2.0);
      total += term;
      *size += fabs(term);
    }
  return total;
}

/* Sums of squares, one per work-item; *again becomes AGAIN_BY_ROOT if cancellation costs too many digits. */
static void team_sums(__global const double *p, const size_t stride, __local const double *w, __global double *to,
                      int nodes, const V *gain, __local double *again) {
  V f[KEPT];
  TEAM_EACH(s, SUMS) {
    double sum = 0.0, size = 0.0;
    for (int i = NZ; i < ROWS; i++) {
      if (POINT_SUM[i - NZ] != s) continue;
      team_row(p, stride, ENTRY + i * BLOCKS, 0, -1, gain, f);
      sum += team_squares(w, f, &size);
    }
    for (int node = 0; node < nodes; node++)
      for (int i = 0; i < INSIDE_ROWS; i++) {
        if (INSIDE_SUM[i] != s) continue;
        team_row(p, stride, INSIDE_ENTRY + i * BLOCKS, POINT_ITEMS + node * INSIDE_ITEMS, -1, gain, f);
        sum += team_squares(w, f, &size);
      }
    PUT(to, STATE_SUMS + s, AT(to, STATE_SUMS + s) + sum);
    if (size > CANCELLED * sum) *again = AGAIN_BY_ROOT; /* all work-items write the same value */
  }
}

/* One run; arguments as double_group. */
static void team_run(__global const double *c, __global const double *p, __global double *to, const size_t stride,
                     __local double *w, double from) {
  __local double *z = w + TEAM_Z, *next = w + TEAM_NEXT, *again = w + TEAM_AGAIN;
  V k[COEFFICIENTS], gain[DEPENDENT1 * NX], u[NU1];
  const double stop = AT(c, K_N) - 1.0;
  const bool first = get_local_id(0) == 0;
  if (!(stop >= from) || AT(to, STATE_DIVERGED) > 0.0) return; /* the same for the whole team */
  TEAM_EACH(l, KEPT) z[l] = AT(to, KEPT_AT[l]);
  if (first) *again = 0.0;
  for (int i = 0; i < COEFFICIENTS; i++) k[i] = AT(c, i);
  for (int a = 0; a < NX && DEPENDENT > 0; a++) {
    state_gain(k, a, u);
    for (int d = 0; d < DEPENDENT; d++) gain[d * NX + a] = u[DEPENDENT_INPUT[d]];
  }
  team_begin(p, stride, w, gain);
  team_steps(w, z, next, stop - from);
  TEAM_EACH(m, KEPT) {
    if (!(fabs(z[m]) <= LARGEST_STATE) || !(SHARED(GRAM, m, m) <= 1e300)) *again = AGAIN_BY_STEPS;
    PUT(to, KEPT_AT[m], z[m]);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  TEAM_EACH(d, DEPENDENT) {
    double sum = 0.0;
    for (int a = 0; a < NX; a++) sum = fma(gain[d * NX + a], AT(to, STATE_AT[a]), sum);
    PUT(to, DEPENDENT_AT[d], sum);
  }
  const bool bad = *again < 0.0;
  const int nodes = measured_nodes(c, stride);
  TEAM_WAIT;
  if (!bad) team_sums(p, stride, w, to, nodes, gain, again);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (first && *again == 0.0) last_step(p, stride, to, nodes, stop, 1);
  if (first && *again < 0.0) PUT(to, STATE_DIVERGED, *again);
  TEAM_WAIT;
}

/* Runs first <= g < last; each team processes every `teams`-th. */
__kernel void double_team(__global const double *coefficients, __global const double *data, __global double *state,
                          const long items, const long from, const long groups, const long first, const long last,
                          __local double *w) {
  for (long g = first + get_group_id(0); g < last; g += get_num_groups(0))
    team_run(LANE_SCOPE(coefficients, COEFFICIENTS, g, groups), LANE_SCOPE(data, items, g, groups),
             LANE_SCOPE(state, STATE_ITEMS, g, groups), LANE_STRIDE(groups), w, (double)from);
}
