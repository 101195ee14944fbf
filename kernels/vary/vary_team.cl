/* Variable steps by a team (team.clh). */

/* Applies EACH(place, value) to the numbers of a run's state that are no arrays of the team. */
#define TEAM_ITEMS(EACH)                                                                   \
  EACH(STATE_SCALE, a->scale)                                                              \
  UNROLL_WHOLE for (int i = 0; i < 3; i++) EACH(STATE_SPACING + i, a->spacing[i])          \
  EACH(STATE_TIME, a->time)                                                                \
  EACH(STATE_REST, a->rest)                                                                \
  EACH(STATE_NOMINAL, a->nominal)                                                          \
  EACH(STATE_EVENT, a->event)                                                              \
  EACH(STATE_STEPS, a->steps)                                                              \
  EACH(STATE_REJECTED, a->rejected)                                                        \
  EACH(STATE_LEAST, a->least)                                                              \
  EACH(STATE_LEAST_CUT, a->least_cut)                                                      \
  EACH(STATE_MOST, a->most)                                                                \
  EACH(STATE_STATUS, a->status)                                                            \
  EACH(STATE_SHARED, a->shared)                                                            \
  UNROLL_WHOLE for (int i = 0; i < CONTROL_MEMORY; i++) EACH(STATE_MEMORY + i, a->memory[i]) \
  UNROLL_WHOLE for (int i = 0; i < BONDS; i++) EACH(STATE_SHARE + i, a->share[i])

/* Numbers of the lane that are the same for all work-items; those of the network are read where they are used. */
static void team_numbers(__global const double *c, V *k) {
  UNROLL_WHOLE for (int i = 0; i < K_X0; i++) k[i] = c[i];
  UNROLL_WHOLE for (int n = TEAM_CONTROL_AT; n < COEFFICIENTS; n++) k[n] = c[n];
  k[K_RATE] = k[K_NORM];
}

static void team_load(__local double *w, __global const double *state, struct lanes *a) {
#define TEAM_LOAD(place, value) value = state[place];
  TEAM_ITEMS(TEAM_LOAD)
  TEAM_SHARE(n, NZ) w[T_Z + n] = state[n];
  TEAM_SHARE(s, SUMS) w[T_SUM + s] = 0.0;
  TEAM_SHARE(t, TOPS) w[T_TOP + t] = state[STATE_TOPS + t];
  TEAM_SHARE(f, FINALS) w[T_FINAL + f] = state[STATE_FINALS + f];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

static void team_store(__local const double *w, __global double *state, __global double *marks, const struct lanes *a) {
  TEAM_SHARE(n, NZ) state[n] = w[T_Z + n];
  TEAM_SHARE(s, SUMS) state[STATE_SUMS + s] = state[STATE_SUMS + s] + w[T_SUM + s];
  TEAM_SHARE(t, TOPS) state[STATE_TOPS + t] = w[T_TOP + t];
  TEAM_SHARE(f, FINALS) state[STATE_FINALS + f] = w[T_FINAL + f];
  if (get_local_id(0) > 0) return;
#define TEAM_STORE(place, value) state[place] = value;
  TEAM_ITEMS(TEAM_STORE)
  marks[MARK_STATUS] = a->status;
  marks[MARK_TIME] = a->time;
  marks[MARK_NOMINAL] = a->nominal;
  marks[MARK_TRIED] = tried_steps(a);
  marks[MARK_TAKEN] = a->steps;
}

/* try_step of tried.clh and what the controller sees, from T_Z. */
INLINE void team_try(NEARBY const double *c, __local double *w, V *k, const struct lanes *a, V h, int ramp) {
  spacing_set(k, h, a->spacing);
  const V q = h == a->scale ? 1.0 : h * (1.0 / a->scale), q2 = q * q, q3 = q2 * q;
  TEAM_SHARE(i, NZ) {
    const int power = POWER_OF[i];
    w[T_START + i] = power == 0 ? w[T_Z + i] : w[T_Z + i] * (power == 1 ? q : power == 2 ? q2 : q3);
  }
  TEAM_SHARE(n, INSIDE_ROWS) w[T_INSIDE + n] = 0.0;
  if (get_local_id(0) == 0) {
    w[T_BAD] = 0.0;
    UNROLL_WHOLE for (int j = 0; j < 16; j++) w[T_NODES + j] = POINTS ? k[K_NODE + j] : 0.0;
    UNROLL_WHOLE for (int d = 0; d < NQ; d++) w[T_FACTORS + d] = POINTS && WANT_OUTPUT_DEFECT ? k[K_FACTOR + d] : 0.0;
  }
  TEAM_WAIT;
  team_unpack(c, w, k, ramp);
  team_rewind(w);
  const int last = team_across(c, w, k, ramp);
  team_exchange(c, w, k, ramp);
  team_measures(c, w, k, ramp);
  TEAM_WAIT;
  if (TEAM_SEES) {
    TEAM_SHARE(l, NY) {
      const double y = team_mul(c, 1.0, OP_Y + l, w + T_FR);
      w[T_VALUES + l] = y;
      w[T_SEEN_Y + l] = y + w[T_Y + l];
    }
    TEAM_WAIT;
    TEAM_SHARE(p, NU) {
      const double u = team_mul(c, 1.0, OP_L + p, w + T_VALUES);
      w[T_SEEN_U + p] = team_add(c, 1.0, OP_BIAS + p, w + T_FR, u) + w[T_C1 + p];
    }
    TEAM_WAIT;
  }
  if (INSIDE_ROWS) team_inside(c, w, k, last);
  TEAM_WAIT;
}

/* What the controller is shown. */
INLINE void team_judge(__local const double *w, const V *k, struct control *c) {
  V row[ROWS];
  c->row = row;
  UNROLL_WHOLE for (int i = NZ; i < ROWS; i++) row[i] = TEAM_JUDGES ? w[T_ROW + i] : 0.0;
  UNROLL_WHOLE for (int l = 0; l < NY; l++) c->y[l] = c->sent[l] = TEAM_SEES ? w[T_SEEN_Y + l] : 0.0;
  UNROLL_WHOLE for (int q = 0; q < NU; q++) c->u[q] = TEAM_SEES ? w[T_SEEN_U + q] : 0.0;
  control_step(k, c);
}

/* note_measures, and z after the step. */
static void team_accept(__local double *w, V h) {
  TEAM_SHARE(s, SUMS) {
    double sum = w[T_SUM + s];
    for (int i = NZ; i < ROWS; i++)
      if (POINT_SUM[i - NZ] == s) sum = fma(h * w[T_ROW + i], w[T_ROW + i], sum);
    for (int n = 0; n < INSIDE_ROWS; n++)
      if (INSIDE_SUM[n] == s) sum = fma(h, w[T_INSIDE + n], sum);
    w[T_SUM + s] = sum;
  }
  TEAM_SHARE(t, TOPS)
    for (int i = NZ; i < ROWS; i++)
      if (POINT_TOP[i - NZ] == t) w[T_TOP + t] = fmax(w[T_TOP + t], fabs(w[T_ROW + i]));
  TEAM_SHARE(m, ROWS - NZ)
    if (POINT_FINAL[m] >= 0) w[T_FINAL + POINT_FINAL[m]] = w[T_ROW + NZ + m];
  TEAM_SHARE(a, STATE_FINAL >= 0 ? NX : 0) w[T_FINAL + STATE_FINAL + a] = w[T_NEXT + STATE_AT[a]];
  TEAM_SHARE(i, NZ) w[T_Z + i] = w[T_NEXT + i];
}

/* lanes_step (algorithm.clh). */
INLINE void team_step(NEARBY const double *numbers, __local double *w, V *k, struct lanes *a, int ramp) {
  const M active = true;
  const struct leg leg = plan_leg(k, a, active);
  struct control c;
  control_look(a, &leg, &c);
  team_try(numbers, w, k, a, leg.h, ramp);
  team_judge(w, k, &c);
  const M bad = c.accept && w[T_BAD] != 0.0, taken = c.accept && !bad;
  if (taken) team_accept(w, leg.h);
  a->scale = taken ? leg.h : a->scale;
  spacing_advance(a->spacing, leg.h, taken);
  pass_time(a, &leg, taken);
  conclude(k, a, &leg, &c, active, taken, bad);
  TEAM_WAIT;
}

/* Arguments as vary_lanes; a group of work-items has run order[its number]. */
__kernel void vary_team(__global const double *coefficients, __global double *state, __global double *marks,
                        __global const int *order, __global double *record, const long groups, const long attempts,
                        const long accepts, const long ramp) {
  __local double w[TEAM_ROOM];
  if ((long)get_group_id(0) >= groups) return;
  const long run = order[get_group_id(0)];
  __global const double *numbers = coefficients + run * COEFFICIENTS;
  V k[NUMBERS];
  struct lanes lanes, *a = &lanes;
  team_numbers(numbers, k);
  TEAM_SHARE(i, TEAM_NEAR ? COEFFICIENTS : 0) w[T_NUMBERS + i] = numbers[i];
  team_load(w, state + run * STATE_ITEMS, a);
#if TEAM_NEAR
  __local const double *c = w + T_NUMBERS;
#else
  __global const double *c = numbers;
#endif
  for (long n = 0; n < attempts; n++) {
    if (a->status != (double)RUNNING || a->steps >= (double)accepts) break;
    team_step(c, w, k, a, (int)ramp);
  }
  team_store(w, state + run * STATE_ITEMS, marks + run * MARKS, a);
}
