/* The time loop: LANES runs side by side, one per element of a vector. LANES 1 is plain scalar C.
 *
 * Every index below is a constant after inlining, so that the variables of a step live in registers and each
 * coefficient is an operand of one multiply-add. */
#include <string.h>

#include "two_mass.h"

#ifndef LANES
#error "compile with -DLANES=1 (scalar) or -DLANES=8 (vectors of 8 doubles)"
#endif

#if LANES == 1
typedef double real;
const char two_mass_implementation[] = "scalar C";
#else
typedef double real __attribute__((vector_size(LANES * sizeof(double))));
const char two_mass_implementation[] = "vector C";
#endif

const unsigned two_mass_width = LANES;

/* Steps whose squares are summed before they join the totals: short sums lose fewer digits, and only the totals need
 * to know which runs have ended. */
enum { CHUNK = 256 };

/* What changes from step to step. */
struct state {
  real z1[5], z2[4], r[4]; /* oscillator 1 and its input, oscillator 2 and its input, exact solution */
};

static inline real row4(const real *c, const real *z) {
  return c[0] * z[0] + (c[1] * z[1] + (c[2] * z[2] + c[3] * z[3]));
}

static inline real row5(const real *c, const real *z) {
  return c[0] * z[0] + row4(c + 1, z + 1);
}

/* Adds the squares of the polynomial end + slope (s - 1): its middle value and its slope. */
static inline void add_polynomial(real end, real slope, real *sum) {
  const real middle = end - 0.5 * slope;
  sum[0] += middle * middle;
  sum[1] += slope * slope;
}

/* One macro step; adds the squares of its defects and errors to `sum`. */
static inline void step(const real *c, struct state *state, real *sum) {
  const real *z1 = state->z1, *z2 = state->z2, *r = state->r;

  /* Advance and sample: states, outputs and slopes at T[k]. */
  const real phi1 = row5(c + FLOW1_PHI1, z1);
  const real omega1 = row5(c + FLOW1_OMEGA1, z1);
  const real phi2 = z1[2] + c[FLOW1_STEP] * z1[3] + c[FLOW1_HALF_STEP] * z1[4];
  const real phi2_own = row4(c + FLOW2_PHI2, z2);
  const real omega2 = row4(c + FLOW2_OMEGA2, z2);
  const real omega2_slope = row4(c + OMEGA2_SLOPE, z2);
  const real tau1 = row5(c + TAU1, z1);
  const real tau1_slope = row5(c + TAU1_SLOPE, z1);
  const real r_next[4] = {row4(c + EXACT_FLOW, r), row4(c + EXACT_FLOW + 4, r), row4(c + EXACT_FLOW + 8, r),
                          row4(c + EXACT_FLOW + 12, r)};

  /* Measure: output defects, connection defects, output errors. */
  const real defect_tau1 = row5(c + TAU1_MIDDLE, z1);
  const real defect_omega2 = row4(c + OMEGA2_MIDDLE, z2);
  sum[DEFECT_TAU1] += defect_tau1 * defect_tau1;
  sum[DEFECT_OMEGA2] += defect_omega2 * defect_omega2;
  add_polynomial(z1[3] + z1[4] - omega2, z1[4] - omega2_slope, sum + CONNECTION1_MIDDLE);
  add_polynomial(z2[2] + z2[3] - tau1, z2[3] - tau1_slope, sum + CONNECTION2_MIDDLE);
  const real error_tau1 = tau1 - row4(c + EXACT_TAU1, r);
  const real error_omega2 = omega2 - r_next[3];
  sum[ERROR_TAU1] += error_tau1 * error_tau1;
  sum[ERROR_OMEGA2] += error_omega2 * error_omega2;

  /* Exchange: each output is the other's input. */
  *state = (struct state){.z1 = {phi1, omega1, phi2, omega2, omega2_slope},
                          .z2 = {phi2_own, omega2, tau1, tau1_slope},
                          .r = {r_next[0], r_next[1], r_next[2], r_next[3]}};
}

/* The item's values of the runs that share a vector. */
static inline real load(const struct ensemble *ensemble, const double *items, size_t item, size_t first) {
  real value;
  memcpy(&value, items + item * ensemble->runs + first, sizeof value);
  return value;
}

/* The next step number at which a run of the vector ends or a chunk is full; the weight of a run that has ended is 0
 * until then, of the others 1. */
static long segment_end(const long *steps, long k, real *weight) {
  double alive[LANES];
  long end = k + CHUNK;
  for (size_t lane = 0; lane < LANES; lane++) {
    alive[lane] = steps[lane] > k;
    if (steps[lane] > k && steps[lane] < end) end = steps[lane];
  }
  memcpy(weight, alive, sizeof *weight);
  return end;
}

void two_mass_run(struct ensemble *ensemble, size_t first) {
  const long *steps = ensemble->steps + first; /* descending: the first run of the vector is the longest */
  real c[COEFFICIENTS], z[VARIABLES], total[SUMS] = {0};
  for (size_t i = 0; i < COEFFICIENTS; i++)
    c[i] = load(ensemble, ensemble->coefficient, i, first);
  for (size_t i = 0; i < VARIABLES; i++)
    z[i] = load(ensemble, ensemble->initial, i, first);
  struct state state;
  memcpy(state.z1, z + OSCILLATOR1, sizeof state.z1);
  memcpy(state.z2, z + OSCILLATOR2, sizeof state.z2);
  memcpy(state.r, z + EXACT, sizeof state.r);

  for (long k = 0; k < steps[0];) {
    real weight, sum[SUMS] = {0};
    const long end = segment_end(steps, k, &weight);
    for (; k < end; k++)
      step(c, &state, sum);
    for (size_t i = 0; i < SUMS; i++)
      total[i] += sum[i] * weight;
  }
  for (size_t i = 0; i < SUMS; i++)
    memcpy(ensemble->sum + i * ensemble->runs + first, &total[i], sizeof total[i]);
}
