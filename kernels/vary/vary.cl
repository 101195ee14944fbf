/* Runs with variable macro steps: every run has its own time and advances until it ends.
 *
 * coefficients [lane][COEFFICIENTS], state [lane][STATE_ITEMS], marks [lane][MARKS]: of a tile's runs. A launch
 * processes them in any order: order [groups * VW] is the run of each lane, -1 - run for a lane that only pads its
 * vector. This skips runs that have ended and groups runs with similar step sizes; results do not depend on it.
 *
 * The state contains z, then: STATE_SCALE, the step size that memories are scaled to; STATE_SPACING [3] (spacing.clh);
 * STATE_TIME and STATE_REST, T_k in two parts; STATE_NOMINAL, the next step wanted; STATE_EVENT, the time up to which
 * events have happened; STATE_STEPS, _REJECTED, _LEAST, _LEAST_CUT, _MOST, _STATUS, _SHARED; STATE_MEMORY of the
 * controller; STATE_COARSE [NZ], STATE_COARSE_SCALE, STATE_COARSE_SPACING [3] of halves.clh; STATE_FLOW, STATE_PREDICTED
 * [NM]; STATE_SHARE [BONDS]; sums, maxima, final values. */

#ifndef CONTROL_SEES_CUT /* whether the controller uses steps that were cut by an event or t_end */
#define CONTROL_SEES_CUT 0
#endif
#ifndef CONTROL_SEES_VALUES /* whether the controller uses inputs and outputs; compilers leave out what it does not */
#define CONTROL_SEES_VALUES 1
#endif

/* One item of every lane: base [lane][items]. */
static V gather(__global const double *base, const long *lane, long items, long item) {
  double c[VW];
  for (int i = 0; i < VW; i++) c[i] = base[lane[i] * items + item];
  return LANES_FROM(c);
}

/* Padding lanes (own false) store nothing. */
static void scatter(__global double *base, const long *lane, const bool *own, long items, long item, V value) {
  double c[VW];
  LANES_TO(value, c);
  for (int i = 0; i < VW; i++)
    if (own[i]) base[lane[i] * items + item] = c[i];
}

/* Applies EACH(place, value) to every item of the state but the sums. */
#define EACH_ITEMS(EACH)                                                                    \
  UNROLL for (int i = 0; i < NZ; i++) EACH(i, a->z[i])                                      \
  EACH(STATE_SCALE, a->scale)                                                               \
  UNROLL for (int i = 0; i < 3; i++) EACH(STATE_SPACING + i, a->spacing[i])                 \
  EACH(STATE_TIME, a->time)                                                                 \
  EACH(STATE_REST, a->rest)                                                                 \
  EACH(STATE_NOMINAL, a->nominal)                                                           \
  EACH(STATE_EVENT, a->event)                                                               \
  EACH(STATE_STEPS, a->steps)                                                               \
  EACH(STATE_REJECTED, a->rejected)                                                         \
  EACH(STATE_LEAST, a->least)                                                               \
  EACH(STATE_LEAST_CUT, a->least_cut)                                                       \
  EACH(STATE_MOST, a->most)                                                                 \
  EACH(STATE_STATUS, a->status)                                                             \
  EACH(STATE_SHARED, a->shared)                                                             \
  UNROLL for (int i = 0; i < CONTROL_MEMORY; i++) EACH(STATE_MEMORY + i, a->memory[i])      \
  UNROLL for (int i = 0; i < BONDS; i++) EACH(STATE_SHARE + i, a->share[i])                 \
  UNROLL for (int i = 0; i < TOPS; i++) EACH(STATE_TOPS + i, a->top[i])                     \
  UNROLL for (int i = 0; i < FINALS; i++) EACH(STATE_FINALS + i, a->final[i])               \
  if (HALVES) {                                                                             \
    UNROLL for (int i = 0; i < NZ; i++) EACH(STATE_COARSE + i, a->coarse[i])                \
    EACH(STATE_COARSE_SCALE, a->coarse_scale)                                               \
    UNROLL for (int i = 0; i < 3; i++) EACH(STATE_COARSE_SPACING + i, a->coarse_spacing[i]) \
  }                                                                                         \
  if (STIFF) {                                                                              \
    EACH(STATE_SPLIT, a->split)                                                             \
  }                                                                                         \
  UNROLL for (int i = 0; i < COURSE; i++) EACH(STATE_COURSE + i, a->course[i])              \
  if (WANT_FLOW) {                                                                          \
    UNROLL for (int i = 0; i < NM; i++) EACH(STATE_FLOW + i, a->flow[i])                    \
    UNROLL for (int i = 0; i < NM; i++) EACH(STATE_PREDICTED + i, a->predicted[i])          \
  }

static void lanes_load(struct lanes *a, __global const double *state, const long *lane) {
#define LOAD_ITEM(place, value) value = gather(state, lane, STATE_ITEMS, place);
  EACH_ITEMS(LOAD_ITEM)
  UNROLL for (int i = 0; i < SUMS; i++) a->sum[i] = REAL(0.0); /* of this launch, added to those of the state at its end */
}

static void lanes_store(const struct lanes *a, __global double *state, const long *lane, const bool *own) {
#define STORE_ITEM(place, value) scatter(state, lane, own, STATE_ITEMS, place, value);
  EACH_ITEMS(STORE_ITEM)
  UNROLL for (int i = 0; i < SUMS; i++)
    STORE_ITEM(STATE_SUMS + i, gather(state, lane, STATE_ITEMS, STATE_SUMS + i) + a->sum[i])
}

static V within(const V *k, V h) {
  return SMALLER(LARGER(h, k[K_MIN]), k[K_MAX]);
}

/* Whether steps of this size make no sense for the network. */
static M too_large(const V *k, V nominal) {
  const M large = NOT(k[K_RATE] * nominal <= (COURSE ? course_reach() : REAL(LARGEST_NORM)));
  return GRADED ? large | (spacing_octave(k, nominal) > REAL(OCTAVE_MOST)) : large;
}

/* Whether they are for the program of stiff networks; with state events there is none. */
static M too_stiff(const V *k, V nominal) {
  return STIFF || COURSE ? nominal != nominal : k[K_RATE] * nominal > REAL(STIFF_NORM);
}

/* A step of 0 is too small even without an underflow limit. */
static M too_small(const V *k, V nominal) {
  return (nominal < k[K_UNDERFLOW]) | (nominal <= REAL(0.0));
}

/* The runs of a group of lanes; `own` is false for padding lanes. */
static void lanes_of(__global const int *order, long g, long *lane, bool *own) {
  for (int i = 0; i < VW; i++) {
    const int run = order[g * VW + i];
    own[i] = run >= 0;
    lane[i] = run >= 0 ? run : -1 - run;
  }
}

static void load_numbers(__global const double *coefficients, const long *lane, V *k) {
  for (int i = 0; i < COEFFICIENTS; i++) k[i] = gather(coefficients, lane, CONFIGURATIONS * COEFFICIENTS, i);
  k[K_RATE] = k[K_NORM];
}

/* Monitors at T_0, in absolute value. */
static void begin_tops(const V *k, const V *r, V *top) {
  V x[NX], m[NM1], c[NQ * NU1], none[NY1];
  UNROLL for (int i = 0; i < NX; i++) x[i] = REAL(0.0);
  UNROLL for (int i = 0; i < NQ * NU; i++) c[i] = REAL(0.0);
  UNROLL for (int l = 0; l < NY; l++) none[l] = REAL(0.0);
  monitors(k, r, x, c, none, m);
  UNROLL for (int i = 0; i < NM; i++) top[i] = fabs(m[i]);
}

/* z at T_0 from r there, for steps and points as set in k; any: lanes with an event there, with the inputs held before. */
static void begin_state(const V *k, struct lanes *a, const V *r, const V *held, M any, V *growth) {
  begin_at(k, r, START_FROM_HISTORY, START_SLOPED, a->z, growth);
  if (COURSE && ANY(any)) course_begin_again(k, a, r, held, any);
}

__kernel void HINTED begin_varied(__global const double *coefficients, __global double *state, __global double *marks,
                           __global const int *order, __global double *record, const long groups) {
  const long g = get_global_id(0);
  if (g >= groups) return;
  long lane[VW];
  bool own[VW];
  V k[NUMBERS], y[NY1], growth;
  struct lanes lanes, *a = &lanes;
  lanes_of(order, g, lane, own);
  load_numbers(coefficients, lane, k);
  for (int i = 0; i < STATE_ITEMS; i++) scatter(state, lane, own, STATE_ITEMS, i, REAL(0.0));
  lanes_load(a, state, lane);

  V r[NR], held[NU1];
  if (COURSE) {
    course_open(k, a, coefficients, lane);
    if (RECORDS) course_open_row(a, record);
    course_begin(k, a);
  }
  begin_exact(k, r);
  mul_Y(k, r, y);
  a->nominal = within(k, k[K_INITIAL]);
  control_begin(k, y, &a->nominal, a->memory);
  a->nominal = within(k, a->nominal);
  a->scale = a->nominal;
  UNROLL for (int p = 0; p < 3; p++) a->spacing[p] = RAMPED ? REAL(INFINITY) : REAL((double)(p + 1)) * a->nominal;
  const M wild = too_large(k, a->nominal);
  a->status = SEL(too_small(k, a->nominal), REAL((double)UNDERFLOW), REAL((double)RUNNING));
  a->status = SEL(too_stiff(k, a->nominal), REAL((double)AGAIN_STIFF), a->status);
  a->status = SEL(wild, REAL((double)INVALID), a->status);
  a->split = SEL(wild, REAL(0.0), a->nominal);
  modes_split(k, a->split);
  spacing_set(k, SEL(wild, REAL(0.0), a->nominal), a->spacing);
  const M any = COURSE ? course_begin_events(k, a, r, held, y) : wild;
  begin_state(k, a, r, held, any, &growth);
  a->least = a->least_cut = REAL(INFINITY);
  a->event = REAL(0.0);
  if (HALVES) halves_begin(k, a, wild);
  if (HALVES && !RAMPED) begin_state(k, a, r, held, any, &growth);
  if (WANT_FLOW) flows(y, a->flow);
  if (WANT_MONITOR && MONITOR_MAX >= 0) begin_tops(k, r, a->top + MONITOR_MAX - STATE_TOPS);
  if (RECORDS) record_start(record, k, r, y, a->nominal, a->status);
  if (RECORDS && COURSE) course_record_start(a, any);
  lanes_store(a, state, lane, own);
  scatter(state, lane, own, STATE_ITEMS, STATE_GROWTH, growth);
  scatter(marks, lane, own, MARKS, MARK_STATUS, a->status);
  scatter(marks, lane, own, MARKS, MARK_TIME, a->time);
  scatter(marks, lane, own, MARKS, MARK_NOMINAL, a->nominal);
  scatter(marks, lane, own, MARKS, MARK_TRIED, REAL(0.0));
  scatter(marks, lane, own, MARKS, MARK_TAKEN, REAL(0.0));
}

static struct leg plan_leg(const V *k, const struct lanes *a, M active) {
  struct leg leg;
  leg.target = event_next(k, a->event);
  leg.target = SEL(leg.target < k[K_T_END] * REAL(1.0 - 1e-13), leg.target, REAL(INFINITY));
  if (!OVERSHOOTS) leg.target = SMALLER(leg.target, k[K_T_END]);
  const V gap = leg.target - a->time - a->rest;
  leg.lands = gap <= a->nominal * REAL(1.0 + STEP_ROUNDING);
  leg.h = SEL(active, SEL(leg.lands, gap, a->nominal), REAL(0.0));
  if (COURSE) course_plan(k, a, active, &leg);
  return leg;
}

/* Advances T_k, kept in two parts whose sum is exact. */
static void pass_time(struct lanes *a, const struct leg *leg, M taken) {
  const V step = leg->h + a->rest, sum = a->time + step, part = sum - a->time;
  const V rest = (a->time - (sum - part)) + (step - part);
  a->time = SEL(taken, SEL(leg->lands, leg->target, sum), a->time);
  a->rest = SEL(taken, SEL(leg->lands, REAL(0.0), rest), a->rest);
}

/* Start and end time of the current step, whether accepted or rejected. */
static void record_time(__global double *row, const struct lanes *a, const struct leg *leg) {
  row[RECORD_START] = FIRST_LANE(a->time);
  row[RECORD_T] = FIRST_LANE(SEL(leg->lands, leg->target, a->time + (leg->h + a->rest)));
}

/* Events up to this time belong to the end of the leg. */
static V event_until(const V *k, const struct leg *leg) {
  return leg->target + REAL(1e-13) * k[K_T_END];
}

static M out_of_range(const V *z) {
  M bad = NOT(fabs(z[0]) <= REAL(1e150));
  UNROLL for (int i = 1; i < NZ; i++) bad = bad | NOT(fabs(z[i]) <= REAL(1e150));
  return bad;
}

static void control_look(const struct lanes *a, const struct leg *leg, struct control *c) {
  c->h = leg->h;
  c->nominal = c->next = a->nominal;
  c->cut = (COURSE ? leg->lands | leg->aims : leg->lands) & (leg->h < a->nominal * REAL(1.0 - STEP_ROUNDING));
  c->steps = a->steps + REAL(1.0);
  c->accept = c->h == c->h;
  c->eps = REAL(0.0);
  c->shared = REAL(0.0);
  UNROLL for (int i = 0; i < CONTROL_MEMORY; i++) c->memory[i] = a->memory[i];
}

/* All tries, accepted, rejected or given up. */
static V tried_steps(const struct lanes *a) {
  return COURSE ? a->steps + a->rejected + given_up(a) : a->steps + a->rejected;
}

/* Updates the counts and the status. */
static void conclude(const V *k, struct lanes *a, const struct leg *leg, const struct control *c, M active, M taken,
                     M bad) {
  const M keeps = CONTROL_SEES_CUT ? (active & NOT(active)) : (c->cut & taken);
  a->steps = SEL(taken, a->steps + REAL(1.0), a->steps);
  a->rejected = SEL(active & NOT(taken) & NOT(bad), a->rejected + REAL(1.0), a->rejected);
  a->least = SEL(taken & NOT(c->cut), SMALLER(leg->h, a->least), a->least);
  a->least_cut = SEL(taken & c->cut, SMALLER(leg->h, a->least_cut), a->least_cut);
  a->most = SEL(taken, LARGER(leg->h, a->most), a->most);
  UNROLL for (int i = 0; i < CONTROL_MEMORY; i++)
    a->memory[i] = SEL(taken & NOT(keeps), c->memory[i], a->memory[i]);
  UNROLL for (int b = 0; b < BONDS; b++) a->share[b] = SEL(taken & NOT(keeps), a->share[b] + c->share[b], a->share[b]);
  a->shared = SEL(taken & NOT(keeps), a->shared + c->shared, a->shared);
  a->nominal = SEL(active & NOT(keeps), within(k, c->next), a->nominal);

  const M passed = a->time >= k[K_T_END] * REAL(1.0 - STEP_ROUNDING); /* with the tolerance used in counting steps */
  const M ended = taken & (OVERSHOOTS ? passed : leg->lands & (leg->target >= k[K_T_END]));
  const M wild = too_large(k, a->nominal), small = too_small(k, a->nominal);
  const M stuck = active & NOT(taken) & (a->nominal >= leg->h); /* rejected without a smaller step to try */
  V status = REAL((double)RUNNING);
  status = SEL(tried_steps(a) >= k[K_MAX_STEPS], REAL((double)STEP_LIMIT), status);
  status = SEL(too_stiff(k, a->nominal), REAL((double)AGAIN_STIFF), status);
  status = SEL(wild, REAL((double)INVALID), status);
  status = SEL(small | stuck, REAL((double)UNDERFLOW), status);
  status = SEL(ended, REAL((double)DONE), status);
  status = SEL(bad, REAL((double)DIVERGED), status);
  a->status = SEL(active, status, a->status);
}

/* Accumulates the measures at T_k: sums over steps of size h, maxima, final values. */
static void note_measures(struct lanes *a, const struct tried *t, V h, M taken) {
  add_measures(t->row, t->inside, h, taken, a->sum);
  raise_tops(t->row, taken, a->top);
  take_finals(t->row, t->z, taken, a->final);
}

static void note_flow(struct lanes *a, const V *recorded, const V *sent, V h, M taken) {
  V now[NM1], then[NM1];
  flows(recorded, now);
  flows(sent, then);
  UNROLL for (int i = 0; i < NM; i++) {
    a->predicted[i] = SEL(taken, FMA(REAL(-0.5) * h, now[i] - a->flow[i], a->predicted[i]), a->predicted[i]);
    a->flow[i] = SEL(taken, then[i], a->flow[i]);
  }
}

/* Refers z, whose memories are scaled to steps of size h, to a solution that has gained components, gain [NR]. */
static void change_reference(V *k, V h, const V *gain, V *z) {
  const V before = k[K_H];
  V y[NQ * NY1], u[NU1];
  STATES(k, gain, x);
  k[K_H] = h;
  exact_outputs(k, gain, y);
  k[K_H] = before;
  for (int a = 0; a < NX; a++) z[STATE_AT[a]] -= x[a];
  for (int part = 0; part < PARTS; part++)
    for (int j = 0; j < NQ; j++) {
      mul_L_part(k, part, y + j * NY, u);
      for (int q = 0; q < NU; q++)
        if (INPUT_AT[part * NU + q] >= 0 && j <= INPUT_ORDER[q]) z[INPUT_AT[part * NU + q] + j] -= u[q];
    }
  for (int j = 0; LATEST && j < NQ; j++) {
    mul_L(k, y + j * NY, u);
    for (int q = 0; q < NU; q++)
      for (int i = 0; i < LATE[q] && j <= INPUT_ORDER[q]; i++) z[LATE_AT[q] + i * (INPUT_ORDER[q] + 1) + j] -= u[q];
  }
  for (int j = 0; j < JOINS; j++) {
    mul_L(k, y + j * NY, u);
    for (int q = 0; q < NU; q++)
      if (JOINT_AT[q] >= 0) z[JOINT_AT[q] + j] -= u[q];
  }
  for (int l = 0; l < NY; l++)
    for (int j = 0; OUTPUT_AT[l] >= 0 && j <= OUTPUT_ORDER[l]; j++) z[OUTPUT_AT[l] + j] -= y[j * NY + l];
}

/* Tells slow components from fast ones by steps of size h in the lanes of `on`. */
static void change_split(V *k, struct lanes *a, V h, M on) {
  V gain[NR];
  const V to = SEL(on, h, a->split);
  M any = to != to;
  modes_split(k, a->split);
  for (int i = 0; i < NR; i++) gain[i] = k[MODE_SLOW + i];
  modes_split(k, to);
  for (int i = 0; i < NR; i++) {
    gain[i] = k[MODE_SLOW + i] - gain[i];
    any = any | (gain[i] != REAL(0.0));
    gain[i] *= a->z[i];
  }
  if (ANY(any)) {
    change_reference(k, a->scale, gain, a->z);
    if (HALVES) change_reference(k, a->coarse_scale, gain, a->coarse);
  }
  a->split = to;
}

/* Tries the leg as one step. */
static void try_whole(V *k, struct lanes *a, const struct leg *leg, int ramp, struct trial *t, struct control *c) {
  struct tried *last = &t->last;
  t->h = leg->h;
  try_step(k, a->z, a->scale, a->spacing, t->h, ramp, true, last);
  if (WANT_LOCAL_ERROR || WANT_LOCAL_ESTIMATE) {
    struct sink rows;
    rows.row = last->row;
    put_local_errors(k, a->z, &rows);
    spacing_set(k, t->h, a->spacing);
  }
  if (!CONTROL_SEES_VALUES) return;
  plain_outputs(k, last->m.f.r, last->m.y, c->y);
  plain_inputs(k, last->m.f.r, last->m.c1, c->u);
}

/* Events at the end of the leg happen to what was tried. Returns the lanes with one; what the inputs receive. */
static M happen(V *k, const struct lanes *a, const struct leg *leg, M active, struct trial *t, struct control *c,
                struct outcome *o) {
  const M jumps = active & leg->lands & (leg->target < k[K_T_END] * REAL(1.0 - 1e-13));
  V y[NY1], r[NR], fast[NR];
  if (CONTROL_SEES_VALUES)
    UNROLL for (int l = 0; l < NY; l++) c->sent[l] = c->y[l];
  if (COURSE) return course_happen(k, a, leg, active, t, c, o);
  if (!EVENTS || !ANY(jumps)) return jumps;
  if (HALVES) spacing_set(k, t->h, t->middle_spacing);
  events_happen(k, &t->last, a->event, event_until(k, leg), jumps);
  if (HALVES) halves_restart(t, jumps);
  UNROLL for (int i = 0; i < NR; i++) r[i] = t->last.z[i]; /* after the jump */
  modes_parts(k, r, r, fast);
  plain_outputs(k, r, t->last.m.y, y);
  UNROLL for (int l = 0; l < NY; l++) c->sent[l] = SEL(jumps, y[l], c->y[l]);
  return jumps;
}

/* Adds up the measures of what was tried. */
static void note(struct lanes *a, const struct trial *t, const struct control *c, M taken) {
  if (HALVES) note_measures(a, t->first, t->h, taken);
  note_measures(a, &t->last, t->h, taken);
  if (WANT_FLOW && HALVES) note_flow(a, t->middle, t->middle, t->h, taken);
  if (WANT_FLOW) note_flow(a, c->y, c->sent, t->h, taken);
}

/* z and the points after the step, in the lanes of `taken`. */
static void accept(const V *k, struct lanes *a, const struct leg *leg, const struct trial *t, M jumps, M taken) {
  UNROLL for (int i = 0; i < NZ; i++) a->z[i] = SEL(taken, t->last.z[i], a->z[i]);
  a->scale = SEL(taken, t->h, a->scale);
  if (HALVES) halves_accept(a, leg, t, taken);
  spacing_advance(a->spacing, t->h, taken);
  if (EVENTS) {
    spacing_restart(a->spacing, jumps & taken);
    if (HALVES) spacing_restart(a->coarse_spacing, jumps & taken);
    if (!COURSE) a->event = SEL(jumps & taken, event_until(k, leg), a->event);
  }
  pass_time(a, leg, taken);
}

/* The row of what was tried, before the run's state changes. */
static void record_trial(const V *k, const struct lanes *a, const struct leg *leg, const struct trial *t,
                         const struct control *c, const struct outcome *o, M jumped, M given_up) {
  record_time(a->record, a, leg);
  record_tried(a->record, k, HALVES ? t->first : &t->last, &t->last, c);
  if (COURSE) course_record(k, a->record, &t->last, c, o, given_up);
  if (EVENTS) a->record[RECORD_EVENT] = FIRST_LANE(SEL(jumped, REAL(1.0), REAL(0.0)));
}

/* Tries the step, as a whole or by halves, and shows it to the controller. */
static void try_leg(V *k, struct lanes *a, const struct leg *leg, int ramp, M active, struct trial *t,
                    struct control *c) {
  control_look(a, leg, c);
  if (HALVES)
    try_halves(k, a, leg, ramp, active, t, c);
  else
    try_whole(k, a, leg, ramp, t, c);
  c->row = t->last.row;
}

/* One step of the lanes in `active`, accepted or rejected. */
static void lanes_step(V *k, struct lanes *a, int ramp, M active) {
  const struct leg leg = plan_leg(k, a, active);
  struct control c;
  struct trial t;
  struct outcome o;
  if (STIFF) change_split(k, a, leg.h, active);
  if (ALTERNATES) k[K_LEADER] = a->steps - REAL(2.0) * floor(REAL(0.5) * a->steps);
  try_leg(k, a, &leg, ramp, active, &t, &c);
  const M tried = active;
  if (COURSE) active = active & NOT(course_look(k, a, &t, &leg, active, &o));
  const M jumps = happen(k, a, &leg, active, &t, &c, &o);
  control_step(k, &c);
  const M bad = active & c.accept & out_of_range(t.last.z), taken = active & c.accept & NOT(bad);
  if (RECORDS) record_trial(k, a, &leg, &t, &c, &o, jumps & taken, tried & NOT(active));
  note(a, &t, &c, taken);
  accept(k, a, &leg, &t, jumps, taken);
  if (COURSE) course_accept(k, a, &leg, &o, jumps, active, taken);
  conclude(k, a, &leg, &c, active, taken, bad);
  if (COURSE) course_conclude(k, a, &o, jumps, taken);
  if (RECORDS) record_end(a->record, a->status, taken);
}

/* At most `attempts` steps of every lane, accepted or rejected, until `accepts` have been accepted since T_0. */
__kernel void HINTED vary_lanes(__global const double *coefficients, __global double *state, __global double *marks,
                         __global const int *order, __global double *record, const long groups, const long attempts,
                         const long accepts, const long ramp) {
  const long g = get_global_id(0);
  if (g >= groups) return;
  long lane[VW];
  bool own[VW];
  V k[NUMBERS];
  struct lanes lanes, *a = &lanes;
  lanes_of(order, g, lane, own);
  load_numbers(coefficients, lane, k);
  lanes_load(a, state, lane);
  if (COURSE) {
    course_open(k, a, coefficients, lane);
    course_numbers(k, a);
  }
  for (long n = 0; n < attempts; n++) {
    const M active = (a->status == REAL((double)RUNNING)) & (a->steps < REAL((double)accepts));
    if (!ANY(active)) break;
    if (RECORDS) a->record = record + n * RECORD_ITEMS;
    if (RECORDS && COURSE) course_open_row(a, a->record);
    lanes_step(k, a, (int)ramp, active);
  }
  lanes_store(a, state, lane, own);
  scatter(marks, lane, own, MARKS, MARK_STATUS, a->status);
  scatter(marks, lane, own, MARKS, MARK_TIME, a->time);
  scatter(marks, lane, own, MARKS, MARK_NOMINAL, a->nominal);
  scatter(marks, lane, own, MARKS, MARK_TRIED, tried_steps(a));
  scatter(marks, lane, own, MARKS, MARK_TAKEN, a->steps);
}
