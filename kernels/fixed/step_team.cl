/* Stepping (step.cl) by a team: the STEP_TEAM work-items of a group share one run, with the same bits. For GPUs, where
 * the map and z of a run per work-item would spill to global memory. One lane per run (VW 1).
 *
 * Every work-item has rows of its own, TEAM_ROW [item][TEAM_SLOTS]: of the next z below NZ, of the measures of a step
 * below ROWS, of a node inside it from there on, -1 for none. All rows of a sum have the same owner, in their order.
 * The entries of the rows of a step are held in registers or in local memory where there is room for them.
 *
 * A step reads one z and writes the next, in turn; a barrier after each is all that the team needs, as its control flow
 * follows from the run alone. */
#define TEAM_HELD (TEAM_SLOTS * NZ <= 48)
#define TEAM_NEAR (!TEAM_HELD && POINT_ITEMS + STEP_ROOM <= 4096) /* 32 KiB, which every device has */
#if TEAM_HELD
#define TEAM_UNROLL UNROLL_WHOLE
#else
#define TEAM_UNROLL
#endif
#define TEAM_SLOT(q) TEAM_ROW[(int)get_local_id(0) * TEAM_SLOTS + (q)]
#define TEAM_SHARE(i, count) for (int i = (int)get_local_id(0); i < (count); i += STEP_TEAM)

/* Places in the local memory of a team, after z of even and odd steps: sums, those of a step, maxima, whether the next z is
 * out of range, of even and odd steps. */
enum {
  STEP_SUM = 2 * NZ,
  STEP_OWN = STEP_SUM + SUMS1,
  STEP_TOP = STEP_OWN + SUMS1,
  STEP_BAD = STEP_TOP + TOPS1,
  STEP_ROOM = STEP_BAD + 2
};

static int sum_of(int row) {
  return row < NZ ? -1 : row < ROWS ? POINT_SUM[row - NZ] : INSIDE_SUM[row - ROWS];
}

static int top_of(int row) { return row < NZ || row >= ROWS ? -1 : POINT_TOP[row - NZ]; }

/* Whether a slot is the first one of its sum. */
static bool begins_sum(int q) {
  const int sum = sum_of(TEAM_SLOT(q));
  return sum >= 0 && (q == 0 || sum_of(TEAM_SLOT(q - 1)) != sum);
}

/* A row times z, of the rows that begin at `base`; entry [BLOCKS]: the row's. */
static double team_dot(__global const double *p, const size_t stride, int base, __constant const int *entry,
                       __local const double *z) {
  double e = 0.0;
  for (int b = 0; b < BLOCKS; b++) {
    const int at = entry[b], first = BLOCK_FIRST[b];
    for (int j = first; at >= 0 && j < BLOCK_FIRST[b + 1]; j++) e = fma(AT(p, base + at + j - first), z[j], e);
  }
  return e;
}

/* A row of a step, which begins at entry [BLOCKS], of a map in local memory. */
static double team_dot_near(__local const double *map, __constant const int *entry, __local const double *z) {
  double e = 0.0;
  for (int b = 0; b < BLOCKS; b++) {
    const int at = entry[b], first = BLOCK_FIRST[b];
    for (int j = first; at >= 0 && j < BLOCK_FIRST[b + 1]; j++) e = fma(map[at + j - first], z[j], e);
  }
  return e;
}

/* The entries of a work-item's rows, 0 where a row has none. */
static void team_hold(__global const double *p, const size_t stride, double *held) {
  TEAM_UNROLL for (int q = 0; q < TEAM_SLOTS; q++) {
    const int row = TEAM_SLOT(q);
    TEAM_UNROLL for (int j = 0; j < NZ; j++) {
      const int at = row >= 0 && row < ROWS ? ENTRY[row * BLOCKS + BLOCK[j]] : -1;
      held[q * NZ + j] = at >= 0 ? AT(p, at + j - BLOCK_FIRST[BLOCK[j]]) : 0.0;
    }
  }
}

static void team_take(double e, int row, __local double *w) {
  const int sum = sum_of(row), top = top_of(row);
  const int at = (ROLLED ? STEP_OWN : STEP_SUM) + sum;
  if (sum >= 0) w[at] = fma(e, e, w[at]);
  if (top >= 0) w[STEP_TOP + top] = fmax(w[STEP_TOP + top], fabs(e));
}

/* The step with number n: measures of z, the next z. */
static void team_step(__global const double *p, const size_t stride, const int nodes, const double *held,
                      __local const double *map, __local double *w, long n) {
  const int odd = (int)(n & 1), at = odd * NZ, next = NZ - at;
  for (int q = 0; ROLLED && q < TEAM_SLOTS; q++)
    if (begins_sum(q)) w[STEP_OWN + sum_of(TEAM_SLOT(q))] = 0.0;
  TEAM_UNROLL for (int q = 0; q < TEAM_SLOTS; q++) {
    const int row = TEAM_SLOT(q);
    if (row >= 0 && row < ROWS) {
      double e = 0.0;
#if TEAM_HELD
      UNROLL_WHOLE for (int j = 0; j < NZ; j++) e = fma(held[q * NZ + j], w[at + j], e);
#else
      e = TEAM_NEAR ? team_dot_near(map, ENTRY + row * BLOCKS, w + at)
                    : team_dot(p, stride, 0, ENTRY + row * BLOCKS, w + at);
#endif
      if (row < NZ) {
        if (IS_INCREMENT[row]) e = w[at + row] + e;
        w[next + row] = e;
        if (!(fabs(e) <= LARGEST_STATE)) w[STEP_BAD + odd] = 1.0;
      } else {
        team_take(e, row, w);
      }
    }
  }
  for (int node = 0; node < nodes; node++)
    for (int q = 0; q < TEAM_SLOTS; q++) {
      const int row = TEAM_SLOT(q);
      if (row < ROWS) continue;
      const int base = POINT_ITEMS + node * INSIDE_ITEMS;
      team_take(team_dot(p, stride, base, INSIDE_ENTRY + (row - ROWS) * BLOCKS, w + at), row, w);
    }
  for (int q = 0; ROLLED && q < TEAM_SLOTS; q++)
    if (begins_sum(q)) w[STEP_SUM + sum_of(TEAM_SLOT(q))] += w[STEP_OWN + sum_of(TEAM_SLOT(q))];
  barrier(CLK_LOCAL_MEM_FENCE);
}

static void team_clear_sums(__local double *w) {
  for (int q = 0; q < TEAM_SLOTS; q++)
    if (begins_sum(q)) w[STEP_SUM + sum_of(TEAM_SLOT(q))] = 0.0;
}

static void team_store_sums(const size_t stride, __global double *to, __local const double *w) {
  for (int q = 0; q < TEAM_SLOTS; q++) {
    const int sum = sum_of(TEAM_SLOT(q));
    if (begins_sum(q)) PUT(to, STATE_SUMS + sum, AT(to, STATE_SUMS + sum) + w[STEP_SUM + sum]);
  }
}

/* Final values of the last step, from z and the next one. */
static void team_finals(__global const double *p, const size_t stride, __global double *to, __local const double *w,
                        const int z, const int next) {
  TEAM_SHARE(i, ROWS - NZ) {
    const int final = POINT_FINAL[i];
    if (final >= 0) PUT(to, STATE_FINALS + final, team_dot(p, stride, 0, ENTRY + (NZ + i) * BLOCKS, w + z));
  }
  TEAM_SHARE(a, STATE_FINAL >= 0 ? NX : 0) PUT(to, STATE_FINALS + STATE_FINAL + a, w[next + STATE_AT[a]]);
}

__kernel void step_team(__global const double *coefficients, __global const double *data, __global double *state,
                        const long items, const long k0, const long k1, const long groups) {
  __local double w[STEP_ROOM], map[TEAM_NEAR ? POINT_ITEMS : 1];
  const long g = (long)get_group_id(0);
  const size_t stride = LANE_STRIDE(groups);
  __global const double *c = LANE_SCOPE(coefficients, COEFFICIENTS, g, groups);
  __global const double *p = LANE_SCOPE(data, items, g, groups);
  __global double *to = LANE_SCOPE(state, STATE_ITEMS, g, groups);
  double held[TEAM_HELD ? TEAM_SLOTS * NZ : 1];
  double diverged = AT(to, STATE_DIVERGED);
  const long stop = diverged > 0.0 ? -1 : (long)AT(c, K_N) - 1; /* number of the run's last step */
  const int nodes = measured_nodes(c, stride);
  long k = k0, end = min(k1, stop + 1);
  if (TEAM_HELD) team_hold(p, stride, held);
  TEAM_SHARE(m, TEAM_NEAR ? POINT_ITEMS : 0) map[m] = AT(p, m);
  TEAM_SHARE(i, NZ) w[(k & 1) * NZ + i] = AT(to, i);
  for (int q = 0; q < TEAM_SLOTS; q++)
    if (top_of(TEAM_SLOT(q)) >= 0) w[STEP_TOP + top_of(TEAM_SLOT(q))] = AT(to, STATE_TOPS + top_of(TEAM_SLOT(q)));
  w[STEP_BAD] = w[STEP_BAD + 1] = 0.0;
  barrier(CLK_LOCAL_MEM_FENCE);

  team_clear_sums(w);
  while (k < end) {
    team_step(p, stride, nodes, held, map, w, k);
    const bool bad = w[STEP_BAD + (k & 1)] != 0.0;
    if (bad) { /* the z before stays */
      diverged = (double)(k + 1);
      end = k;
    } else {
      if (k == stop) team_finals(p, stride, to, w, (int)(k & 1) * NZ, NZ - (int)(k & 1) * NZ);
      k++;
    }
    if (bad || k % CHUNK == 0 || k == stop || k == end) {
      team_store_sums(stride, to, w);
      team_clear_sums(w);
    }
  }
  TEAM_SHARE(j, NZ) PUT(to, j, w[(k & 1) * NZ + j]);
  for (int q = 0; q < TEAM_SLOTS; q++)
    if (top_of(TEAM_SLOT(q)) >= 0) PUT(to, STATE_TOPS + top_of(TEAM_SLOT(q)), w[STEP_TOP + top_of(TEAM_SLOT(q))]);
  if (get_local_id(0) == 0) PUT(to, STATE_DIVERGED, diverged);
}
