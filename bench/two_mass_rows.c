/* Coefficients of the step, initial values, and what the sums mean. */
#include "two_mass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZE = 5, TERMS = 30 };

/* Numbers of the model, Glumac and Kovacic 2023, eq. (40)-(44). */
static const double J1 = 10, c1 = 1, d1 = 1, ck = 1, dk = 2, J2 = 10, c2 = 1, d2 = 2;
static const double phi10 = 0.1, omega10 = 0.1, phi20 = 0.2, omega20 = 0.1;

/* A linear system z' = M z in the scaled time s. */
struct flow {
  size_t size;
  double M[MAX_SIZE][MAX_SIZE];
};

/* Weights of M^k/k! in the three kinds of row: e^M, its derivative at s = 1, and the value at s = 1/2 minus the
 * tangent from s = 1. The last one has no terms below k = 2: small values come out without cancellation. */
static double weight_end(int k) {
  (void)k;
  return 1;
}

static double weight_slope(int k) {
  return k;
}

static double weight_middle(int k) {
  return ldexp(1, -k) - 1 + 0.5 * k;
}

/* row = sum over k of weight(k) c M^k/k!. The norm of M is below 2 for steps up to 1 s: 30 terms are exact. */
static void series(const struct flow *flow, const double *c, double (*weight)(int), double *row) {
  double term[MAX_SIZE] = {0}, next[MAX_SIZE] = {0};
  memcpy(term, c, flow->size * sizeof *term);
  memset(row, 0, flow->size * sizeof *row);
  for (int k = 0; k < TERMS; k++) {
    for (size_t j = 0; j < flow->size; j++)
      row[j] += weight(k) * term[j];
    for (size_t j = 0; j < flow->size; j++) {
      next[j] = 0;
      for (size_t i = 0; i < flow->size; i++)
        next[j] += term[i] * flow->M[i][j];
      next[j] /= k + 1;
    }
    memcpy(term, next, sizeof term);
  }
}

/* Multiplies the first `rows` rows, which are derivatives by time, with H: d/ds = H d/dt. */
static struct flow scaled(struct flow flow, size_t rows, double H) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < flow.size; j++)
      flow.M[i][j] *= H;
  return flow;
}

/* (phi1, omega1, phi2, u0, u1): the input is a state of its own, u' = u1 in scaled time. */
static struct flow oscillator1(double H) {
  struct flow flow = {5,
                      {{0, 1, 0, 0, 0},
                       {-(c1 + ck) / J1, -(d1 + dk) / J1, ck / J1, dk / J1, 0},
                       {0, 0, 0, 1, 0},
                       {0, 0, 0, 0, 1},
                       {0, 0, 0, 0, 0}}};
  return scaled(flow, 3, H);
}

/* (phi2, omega2, v0, v1) */
static struct flow oscillator2(double H) {
  struct flow flow = {4, {{0, 1, 0, 0}, {-c2 / J2, -d2 / J2, 1 / J2, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}}};
  return scaled(flow, 2, H);
}

/* (phi1, omega1, phi2, omega2), both oscillators coupled */
static struct flow exact(double H) {
  struct flow flow = {4,
                      {{0, 1, 0, 0},
                       {-(c1 + ck) / J1, -(d1 + dk) / J1, ck / J1, dk / J1},
                       {0, 0, 0, 1},
                       {ck / J2, dk / J2, -(ck + c2) / J2, -(dk + d2) / J2}}};
  return scaled(flow, 4, H);
}

static const double unit[MAX_SIZE][MAX_SIZE] = {
    {1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}};

void two_mass_rows(double step_size, double row[COEFFICIENTS]) {
  const double tau1[] = {ck, dk, -ck, -dk, 0}; /* over oscillator 1 and its input; over the exact solution likewise */
  const double *omega2 = unit[1];              /* over oscillator 2 */

  const struct flow first = oscillator1(step_size);
  series(&first, unit[0], weight_end, row + FLOW1_PHI1);
  series(&first, unit[1], weight_end, row + FLOW1_OMEGA1);
  row[FLOW1_STEP] = step_size;
  row[FLOW1_HALF_STEP] = 0.5 * step_size;
  series(&first, tau1, weight_end, row + TAU1);
  series(&first, tau1, weight_slope, row + TAU1_SLOPE);
  series(&first, tau1, weight_middle, row + TAU1_MIDDLE);

  const struct flow second = oscillator2(step_size);
  series(&second, unit[0], weight_end, row + FLOW2_PHI2);
  series(&second, omega2, weight_end, row + FLOW2_OMEGA2);
  series(&second, omega2, weight_slope, row + OMEGA2_SLOPE);
  series(&second, omega2, weight_middle, row + OMEGA2_MIDDLE);

  const struct flow both = exact(step_size);
  for (size_t i = 0; i < 4; i++)
    series(&both, unit[i], weight_end, row + EXACT_FLOW + 4 * i);
  series(&both, tau1, weight_end, row + EXACT_TAU1);
}

/* Consistent start: inputs and their derivatives from the exact solution. */
void two_mass_initial(double step_size, double initial[VARIABLES]) {
  const double x[] = {phi10, omega10, phi20, omega20};
  const struct flow both = exact(step_size);
  double slope[4] = {0};
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 4; j++)
      slope[i] += both.M[i][j] * x[j];
  const double omega2[] = {x[3], slope[3]};
  const double tau1[] = {ck * (x[0] - x[2]) + dk * (x[1] - x[3]),
                         ck * (slope[0] - slope[2]) + dk * (slope[1] - slope[3])};
  memcpy(initial + OSCILLATOR1, x, 3 * sizeof *x);
  memcpy(initial + OSCILLATOR1 + 3, omega2, sizeof omega2);
  memcpy(initial + OSCILLATOR2, x + 2, 2 * sizeof *x);
  memcpy(initial + OSCILLATOR2 + 2, tau1, sizeof tau1);
  memcpy(initial + EXACT, x, sizeof x);
}

int ensemble_new(size_t runs, double smallest, double t_end, struct ensemble *ensemble) {
  *ensemble = (struct ensemble){.runs = runs,
                                .step_size = malloc(runs * sizeof *ensemble->step_size),
                                .steps = malloc(runs * sizeof *ensemble->steps),
                                .coefficient = malloc(COEFFICIENTS * runs * sizeof *ensemble->coefficient),
                                .initial = malloc(VARIABLES * runs * sizeof *ensemble->initial),
                                .sum = calloc(SUMS * runs, sizeof *ensemble->sum)};
  if (!ensemble->step_size || !ensemble->steps || !ensemble->coefficient || !ensemble->initial || !ensemble->sum) {
    ensemble_free(ensemble);
    return -1;
  }
  for (size_t run = 0; run < runs; run++) {
    const double H = pow(smallest, 1 - (double)run / (double)(runs - 1));
    double row[COEFFICIENTS], initial[VARIABLES];
    two_mass_rows(H, row);
    two_mass_initial(H, initial);
    ensemble->step_size[run] = H;
    ensemble->steps[run] = (long)ceil(t_end / H * (1 - 1e-9));
    for (size_t i = 0; i < COEFFICIENTS; i++)
      ensemble->coefficient[i * runs + run] = row[i];
    for (size_t i = 0; i < VARIABLES; i++)
      ensemble->initial[i * runs + run] = initial[i];
  }
  return 0;
}

void ensemble_free(struct ensemble *ensemble) {
  free(ensemble->step_size);
  free(ensemble->steps);
  free(ensemble->coefficient);
  free(ensemble->initial);
  free(ensemble->sum);
  *ensemble = (struct ensemble){0};
}

void two_mass_results(const struct ensemble *ensemble, size_t run, double result[RESULTS]) {
  double mean[SUMS];
  for (size_t i = 0; i < SUMS; i++)
    mean[i] = ensemble->sum[i * ensemble->runs + run] / (double)ensemble->steps[run];
  /* Step RMS of a defect rho ((T - t)/(H/2))^2: |rho| 2^2/sqrt(5), eq. (32). */
  result[0] = sqrt(mean[DEFECT_TAU1] * 16 / 5);
  result[1] = sqrt(mean[DEFECT_OMEGA2] * 16 / 5);
  result[2] = sqrt(mean[CONNECTION1_MIDDLE] + mean[CONNECTION1_SLOPE] / 12);
  result[3] = sqrt(mean[CONNECTION2_MIDDLE] + mean[CONNECTION2_SLOPE] / 12);
  result[4] = sqrt(mean[ERROR_TAU1]);
  result[5] = sqrt(mean[ERROR_OMEGA2]);
}
