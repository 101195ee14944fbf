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
  lanes_mark(a, marks, lane, own);
}
