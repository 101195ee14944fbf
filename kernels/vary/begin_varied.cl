/* The state of runs with variable macro steps at T_0. */

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
  lanes_mark(a, marks, lane, own);
}
