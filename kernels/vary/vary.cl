/* Runs with variable macro steps: every run has its own time and advances until it ends.
 *
 * coefficients [lane][COEFFICIENTS], state [lane][STATE_ITEMS], marks [lane][MARKS]: of a tile's runs. A launch
 * processes them in any order: order [groups * VW] is the run of each lane, -1 - run for a lane that only pads its
 * vector. This skips runs that have ended and groups runs with similar step sizes; results do not depend on it.
 *
 * The state contains z, then: STATE_SCALE, the step size that memories are scaled to; STATE_SPACING [3] (spacing.clh);
 * STATE_TIME and STATE_REST, T_k in two parts; STATE_NOMINAL, the next step wanted; STATE_EVENT, the time up to which
 * events have happened; STATE_STEPS, _REJECTED, _LEAST, _MOST, _STATUS, _SHARED; STATE_MEMORY of the controller;
 * STATE_COARSE [NZ], STATE_COARSE_SCALE, STATE_COARSE_SPACING [3] of halves.clh; STATE_FLOW, STATE_PREDICTED [NM];
 * STATE_SHARE [BONDS]; sums, maxima, final values. */
#if RECORDS
#define RECORD_ARGUMENT __global double *record, /* rows of record.clh, of the only run */
#else
#define RECORD_ARGUMENT
#endif

#ifndef CONTROL_SEES_CUT /* whether the controller uses steps that were cut by an event or t_end */
#define CONTROL_SEES_CUT 0
#endif

/* One item of every lane: base [lane][items]. */
static V gather(__global const double *base, const long *lane, long items, long item) {
#if VW == 1
  return base[lane[0] * items + item];
#else
  double c[VW];
  for (int i = 0; i < VW; i++) c[i] = base[lane[i] * items + item];
  return CAT(vload, VW)(0, c);
#endif
}

/* Padding lanes (own false) store nothing. */
static void scatter(__global double *base, const long *lane, const bool *own, long items, long item, V value) {
#if VW == 1
  if (own[0]) base[lane[0] * items + item] = value;
#else
  double c[VW];
  CAT(vstore, VW)(value, 0, c);
  for (int i = 0; i < VW; i++)
    if (own[i]) base[lane[i] * items + item] = c[i];
#endif
}

struct lanes {
  V z[NZ], scale, spacing[3];
#if STIFF
  V split; /* the step size by which slow components are told from fast ones in z (modes.clh) */
#endif
  V time, rest, nominal, event, steps, rejected, least, most, status;
  V memory[CONTROL_MEMORY1], shared, share[BONDS1];
#if HALVES
  V coarse[NZ], coarse_scale, coarse_spacing[3];
#endif
#if WANT_FLOW
  V flow[NM1], predicted[NM1];
#endif
  V sum[SUMS1], top[TOPS1], final[FINALS1];
#if RECORDS
  __global double *record; /* row of the current step */
#endif
};

/* Applies EACH(place, value) to every item of the state but the sums. */
#if STIFF
#define EACH_SPLIT(EACH) EACH(STATE_SPLIT, a->split)
#else
#define EACH_SPLIT(EACH)
#endif
#if HALVES
#define EACH_COARSE(EACH)                                                                   \
  UNROLL for (int i = 0; i < NZ; i++) EACH(STATE_COARSE + i, a->coarse[i])                  \
  EACH(STATE_COARSE_SCALE, a->coarse_scale)                                                 \
  UNROLL for (int i = 0; i < 3; i++) EACH(STATE_COARSE_SPACING + i, a->coarse_spacing[i])
#else
#define EACH_COARSE(EACH)
#endif
#if WANT_FLOW
#define EACH_FLOW(EACH)                                                                     \
  UNROLL for (int i = 0; i < NM; i++) EACH(STATE_FLOW + i, a->flow[i])                      \
  UNROLL for (int i = 0; i < NM; i++) EACH(STATE_PREDICTED + i, a->predicted[i])
#else
#define EACH_FLOW(EACH)
#endif
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
  EACH(STATE_MOST, a->most)                                                                 \
  EACH(STATE_STATUS, a->status)                                                             \
  EACH(STATE_SHARED, a->shared)                                                             \
  UNROLL for (int i = 0; i < CONTROL_MEMORY; i++) EACH(STATE_MEMORY + i, a->memory[i])      \
  UNROLL for (int i = 0; i < BONDS; i++) EACH(STATE_SHARE + i, a->share[i])                 \
  UNROLL for (int i = 0; i < TOPS; i++) EACH(STATE_TOPS + i, a->top[i])                     \
  UNROLL for (int i = 0; i < FINALS; i++) EACH(STATE_FINALS + i, a->final[i])               \
  EACH_COARSE(EACH)                                                                         \
  EACH_SPLIT(EACH)                                                                          \
  EACH_FLOW(EACH)

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
#if GRADED
  return NOT(k[K_RATE] * nominal <= REAL(LARGEST_NORM)) | (k[MODE_OCTAVE] > REAL(OCTAVE_MOST));
#else
  return NOT(k[K_RATE] * nominal <= REAL(LARGEST_NORM));
#endif
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
  for (int i = 0; i < COEFFICIENTS; i++) k[i] = gather(coefficients, lane, COEFFICIENTS, i);
  k[K_RATE] = k[K_NORM];
}

__kernel void begin_varied(__global const double *coefficients, __global double *state, __global double *marks,
                           __global const int *order, RECORD_ARGUMENT const long groups) {
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

  V r[NR];
  begin_exact(k, r);
  mul_Y(k, r, y);
  a->nominal = within(k, k[K_INITIAL]);
  control_begin(k, y, &a->nominal, a->memory);
  a->nominal = within(k, a->nominal);
  a->scale = a->nominal;
  UNROLL for (int p = 0; p < 3; p++) a->spacing[p] = RAMPED ? REAL(INFINITY) : REAL((double)(p + 1)) * a->nominal;
  const M wild = too_large(k, a->nominal);
  a->status = SEL(too_small(k, a->nominal), REAL((double)UNDERFLOW), REAL((double)RUNNING));
#if !STIFF
  a->status = SEL(k[K_RATE] * a->nominal > REAL(STIFF_NORM), REAL((double)AGAIN_STIFF), a->status);
#endif
  a->status = SEL(wild, REAL((double)INVALID), a->status);
#if STIFF
  a->split = SEL(wild, REAL(0.0), a->nominal);
  modes_split(k, a->split);
#endif
  spacing_set(k, SEL(wild, REAL(0.0), a->nominal), a->spacing);
  begin_values(k, a->z, &growth);
  a->least = REAL(INFINITY);
  a->event = REAL(0.0);
#if HALVES
  UNROLL for (int p = 0; p < 3; p++) a->coarse_spacing[p] = a->spacing[p];
  a->coarse_scale = a->nominal;
  UNROLL for (int i = 0; i < NZ; i++) a->coarse[i] = a->z[i];
  a->scale = REAL(0.5) * a->nominal;
  if (!RAMPED) {
    UNROLL for (int p = 0; p < 3; p++) a->spacing[p] *= REAL(0.5);
    spacing_set(k, SEL(wild, REAL(0.0), a->scale), a->spacing);
    begin_values(k, a->z, &growth);
  } else {
    rescale(a->coarse, REAL(0.5), a->z);
  }
#endif
#if WANT_FLOW
  flows(y, a->flow);
#endif
#if WANT_MONITOR
  {
    V x[NX], m[NM1], c[NQ * NU1], none[NY1];
    UNROLL for (int i = 0; i < NX; i++) x[i] = REAL(0.0);
    UNROLL for (int i = 0; i < NQ * NU; i++) c[i] = REAL(0.0);
    UNROLL for (int l = 0; l < NY; l++) none[l] = REAL(0.0);
    monitors(k, r, x, c, none, m);
    UNROLL for (int i = 0; i < NM; i++)
      if (MONITOR_MAX >= 0) a->top[MONITOR_MAX - STATE_TOPS + i] = fabs(m[i]);
  }
#endif
#if RECORDS
  record_start(record, k, r, y, a->nominal, a->status);
#endif
  lanes_store(a, state, lane, own);
  scatter(state, lane, own, STATE_ITEMS, STATE_GROWTH, growth);
  scatter(marks, lane, own, MARKS, MARK_STATUS, a->status);
  scatter(marks, lane, own, MARKS, MARK_TIME, a->time);
  scatter(marks, lane, own, MARKS, MARK_NOMINAL, a->nominal);
  scatter(marks, lane, own, MARKS, MARK_TRIED, REAL(0.0));
  scatter(marks, lane, own, MARKS, MARK_TAKEN, REAL(0.0));
}

/* Size and end of the current step. */
struct leg {
  V h;      /* its size */
  M lands;  /* it ends at an event or at t_end */
  V target; /* that time */
};

static struct leg plan_leg(const V *k, const struct lanes *a, M active) {
  struct leg leg;
  leg.target = event_next(k, a->event);
  leg.target = SEL(leg.target < k[K_T_END] * REAL(1.0 - 1e-13), leg.target, REAL(INFINITY));
  if (!OVERSHOOTS) leg.target = SMALLER(leg.target, k[K_T_END]);
  const V gap = leg.target - a->time - a->rest;
  leg.lands = gap <= a->nominal * REAL(1.0 + STEP_ROUNDING);
  leg.h = SEL(active, SEL(leg.lands, gap, a->nominal), REAL(0.0));
  return leg;
}

/* Advances T_k, kept in two parts whose sum is exact. */
static void pass_time(struct lanes *a, const struct leg *leg, M taken) {
  const V step = leg->h + a->rest, sum = a->time + step, part = sum - a->time;
  const V rest = (a->time - (sum - part)) + (step - part);
  a->time = SEL(taken, SEL(leg->lands, leg->target, sum), a->time);
  a->rest = SEL(taken, SEL(leg->lands, REAL(0.0), rest), a->rest);
}

#if RECORDS
/* Start and end time of the current step, whether accepted or rejected. */
static void record_time(__global double *row, const struct lanes *a, const struct leg *leg) {
  row[RECORD_START] = FIRST(a->time);
  row[RECORD_T] = FIRST(SEL(leg->lands, leg->target, a->time + (leg->h + a->rest)));
}
#endif

static M out_of_range(const V *z) {
  M bad = NOT(fabs(z[0]) <= REAL(1e150));
  UNROLL for (int i = 1; i < NZ; i++) bad = bad | NOT(fabs(z[i]) <= REAL(1e150));
  return bad;
}

static void control_look(const struct lanes *a, const struct leg *leg, struct control *c) {
  c->h = leg->h;
  c->nominal = c->next = a->nominal;
  c->cut = leg->lands & (leg->h < a->nominal * REAL(1.0 - STEP_ROUNDING));
  c->steps = a->steps + REAL(1.0);
  c->accept = c->h == c->h;
  c->eps = REAL(0.0);
#if BONDS
  c->shared = REAL(0.0);
#endif
  UNROLL for (int i = 0; i < CONTROL_MEMORY; i++) c->memory[i] = a->memory[i];
}

/* Updates the counts and the status. */
static void conclude(const V *k, struct lanes *a, const struct leg *leg, const struct control *c, M active, M taken,
                     M bad) {
  const M keeps = CONTROL_SEES_CUT ? (active & NOT(active)) : (c->cut & taken);
  a->steps = SEL(taken, a->steps + REAL(1.0), a->steps);
  a->rejected = SEL(active & NOT(taken) & NOT(bad), a->rejected + REAL(1.0), a->rejected);
  a->least = SEL(taken & NOT(c->cut), SMALLER(leg->h, a->least), a->least);
  a->most = SEL(taken, LARGER(leg->h, a->most), a->most);
  UNROLL for (int i = 0; i < CONTROL_MEMORY; i++)
    a->memory[i] = SEL(taken & NOT(keeps), c->memory[i], a->memory[i]);
#if BONDS
  UNROLL for (int b = 0; b < BONDS; b++) a->share[b] = SEL(taken & NOT(keeps), a->share[b] + c->share[b], a->share[b]);
  a->shared = SEL(taken & NOT(keeps), a->shared + c->shared, a->shared);
#endif
  a->nominal = SEL(active & NOT(keeps), within(k, c->next), a->nominal);

  const M passed = a->time >= k[K_T_END] * REAL(1.0 - STEP_ROUNDING); /* with the tolerance used in counting steps */
  const M ended = taken & (OVERSHOOTS ? passed : leg->lands & (leg->target >= k[K_T_END]));
  const M wild = too_large(k, a->nominal), small = too_small(k, a->nominal);
#if !STIFF
  const M stiff = k[K_RATE] * a->nominal > REAL(STIFF_NORM);
#endif
  const M stuck = active & NOT(taken) & (a->nominal >= leg->h); /* rejected without a smaller step to try */
  V status = REAL((double)RUNNING);
  status = SEL(a->steps + a->rejected >= k[K_MAX_STEPS], REAL((double)STEP_LIMIT), status);
#if !STIFF
  status = SEL(stiff, REAL((double)AGAIN_STIFF), status);
#endif
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

#if WANT_FLOW
static void note_flow(struct lanes *a, const V *recorded, const V *sent, V h, M taken) {
  V now[NM1], then[NM1];
  flows(recorded, now);
  flows(sent, then);
  UNROLL for (int i = 0; i < NM; i++) {
    a->predicted[i] = SEL(taken, FMA(REAL(-0.5) * h, now[i] - a->flow[i], a->predicted[i]), a->predicted[i]);
    a->flow[i] = SEL(taken, then[i], a->flow[i]);
  }
}
#endif

#if STIFF
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
#if HALVES
    change_reference(k, a->coarse_scale, gain, a->coarse);
#endif
  }
  a->split = to;
}
#endif

/* One step of the lanes in `active`, accepted or rejected. */
static void lanes_step(V *k, struct lanes *a, int ramp, M active) {
  const struct leg leg = plan_leg(k, a, active);
  struct control c;
#if STIFF
  change_split(k, a, leg.h, active);
#endif
  control_look(a, &leg, &c);
#if HALVES
  struct tried coarse, first, t;
  V difference[NY1], middle_spacing[3];
  const V h2 = REAL(0.5) * leg.h;
  c.degree = halves_degree(a->coarse_spacing, ramp);
  UNROLL for (int i = 0; i < NR; i++) a->coarse[i] = a->z[i];
  UNROLL for (int s = 0; s < NX; s++) a->coarse[STATE_AT[s]] = a->z[STATE_AT[s]];
  try_step(k, a->z, a->scale, a->spacing, h2, 2 * ramp - 1, true, &first);
  V middle[NY1];
  plain_outputs(k, first.m.f.r, first.m.y, middle);
  UNROLL for (int p = 0; p < 3; p++) middle_spacing[p] = a->spacing[p];
  spacing_advance(middle_spacing, h2, active);
  try_step(k, first.z, h2, middle_spacing, h2, 2 * ramp, true, &t);
  plain_outputs(k, t.m.f.r, t.m.y, c.y);
  plain_inputs(k, t.m.f.r, t.m.c1, c.u);
  try_step(k, a->coarse, a->coarse_scale, a->coarse_spacing, leg.h, ramp, false, &coarse);
  UNROLL for (int l = 0; l < NY; l++) difference[l] = t.m.y[l] - coarse.m.y[l];
  halves_estimate(k, c.degree, difference, c.estimate);
  halves_remember(k, &t, &coarse);
#else
  struct tried t;
  try_step(k, a->z, a->scale, a->spacing, leg.h, ramp, true, &t);
#if WANT_LOCAL_ERROR || WANT_LOCAL_ESTIMATE
  struct sink rows;
  rows.row = t.row;
  put_local_errors(k, a->z, &rows);
  spacing_set(k, leg.h, a->spacing);
#endif
  plain_outputs(k, t.m.f.r, t.m.y, c.y);
  plain_inputs(k, t.m.f.r, t.m.c1, c.u);
#endif
  c.row = t.row;
  UNROLL for (int l = 0; l < NY; l++) c.sent[l] = c.y[l];
#if EVENTS
  const V until = leg.target + REAL(1e-13) * k[K_T_END];
  const M jumps = active & leg.lands & (leg.target < k[K_T_END] * REAL(1.0 - 1e-13));
  if (ANY(jumps)) {
#if HALVES
    spacing_set(k, h2, middle_spacing);
#endif
    events_happen(k, &t, a->event, until, jumps);
#if HALVES
    V again[NZ]; /* the coarse polynomials restart where the fine ones do */
    rescale(t.z, REAL(2.0), again);
    UNROLL for (int i = 0; i < NZ; i++) coarse.z[i] = SEL(jumps, again[i], coarse.z[i]);
#endif
    V y[NY1];
    V r[NR]; /* after the jump */
    UNROLL for (int i = 0; i < NR; i++) r[i] = t.z[i];
#if STIFF
    V fast[NR];
    modes_parts(k, r, r, fast);
#endif
    plain_outputs(k, r, t.m.y, y);
    UNROLL for (int l = 0; l < NY; l++) c.sent[l] = SEL(jumps, y[l], c.y[l]);
  }
#endif
  control_step(k, &c);
  const M bad = active & c.accept & out_of_range(t.z);
  const M taken = active & c.accept & NOT(bad);
#if RECORDS
  record_time(a->record, a, &leg);
#if HALVES
  record_tried(a->record, k, &first, &t, &c);
#else
  record_tried(a->record, k, &t, &t, &c);
#endif
#if EVENTS
  a->record[RECORD_EVENT] = FIRST(SEL(jumps & taken, REAL(1.0), REAL(0.0)));
#endif
#endif
#if HALVES
  note_measures(a, &first, h2, taken);
  note_measures(a, &t, h2, taken);
#else
  note_measures(a, &t, leg.h, taken);
#endif
#if WANT_FLOW
#if HALVES
  note_flow(a, middle, middle, h2, taken);
  note_flow(a, c.y, c.sent, h2, taken);
#else
  note_flow(a, c.y, c.sent, leg.h, taken);
#endif
#endif
  UNROLL for (int i = 0; i < NZ; i++) a->z[i] = SEL(taken, t.z[i], a->z[i]);
#if HALVES
  a->scale = SEL(taken, h2, a->scale);
  spacing_advance(a->spacing, h2, taken);
  spacing_advance(a->spacing, h2, taken);
  UNROLL for (int i = 0; i < NZ; i++) a->coarse[i] = SEL(taken, coarse.z[i], a->coarse[i]);
  a->coarse_scale = SEL(taken, leg.h, a->coarse_scale);
  spacing_advance(a->coarse_spacing, leg.h, taken);
#else
  a->scale = SEL(taken, leg.h, a->scale);
  spacing_advance(a->spacing, leg.h, taken);
#endif
#if EVENTS
  spacing_restart(a->spacing, jumps & taken);
#if HALVES
  spacing_restart(a->coarse_spacing, jumps & taken);
#endif
  a->event = SEL(jumps & taken, until, a->event);
#endif
  pass_time(a, &leg, taken);
  conclude(k, a, &leg, &c, active, taken, bad);
#if RECORDS
  a->record[RECORD_ACCEPTED] = FIRST(SEL(taken, REAL(1.0), REAL(0.0)));
  a->record[RECORD_STATUS] = FIRST(a->status);
#endif
}

/* At most `attempts` steps of every lane, accepted or rejected, until `accepts` have been accepted since T_0. */
__kernel void vary_lanes(__global const double *coefficients, __global double *state, __global double *marks,
                         __global const int *order, RECORD_ARGUMENT const long groups, const long attempts,
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
  for (long n = 0; n < attempts; n++) {
    const M active = (a->status == REAL((double)RUNNING)) & (a->steps < REAL((double)accepts));
    if (!ANY(active)) break;
#if RECORDS
    a->record = record + n * RECORD_ITEMS;
#endif
    lanes_step(k, a, (int)ramp, active);
  }
  lanes_store(a, state, lane, own);
  scatter(marks, lane, own, MARKS, MARK_STATUS, a->status);
  scatter(marks, lane, own, MARKS, MARK_TIME, a->time);
  scatter(marks, lane, own, MARKS, MARK_NOMINAL, a->nominal);
  scatter(marks, lane, own, MARKS, MARK_TRIED, a->steps + a->rejected);
  scatter(marks, lane, own, MARKS, MARK_TAKEN, a->steps);
}
