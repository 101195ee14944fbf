/* Times the two-mass study with a step size of its own in every run, by hand, and prints one JSON line. A rival for
 * cosweep: Jacobi, hold taylor of order 1, explicit feed-through, exact subsystems, consistent start, control pi_defect
 * without rejection. One run after the other, in the coordinates that keep small errors exact: the exact solution, and
 * the co-simulation minus it.
 *
 * A step is a Taylor series about its start. With u and v the errors of the held inputs (omega2 of oscillator 1, tau1
 * of oscillator 2), values and slopes from the last exchange, and from order 2 on minus the exact inputs' derivatives,
 *   x^(i+1) = A x^(i) + B u^(i),   r^(i+1) = M r^(i),   x(H) = sum H^i/i! x^(i). */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* Numbers of the model, Glumac and Kovacic 2023, eq. (40)-(44). */
static const double J1 = 10, c1 = 1, d1 = 1, ck = 1, dk = 2, J2 = 10, c2 = 1, d2 = 2;
static const double phi10 = 0.1, omega10 = 0.1, phi20 = 0.2, omega20 = 0.1;

static const double t_end = 100, initial = 1e-3; /* s */
static const double kp = 0.13, ki = 1.0 / 15, log_growth_max = 0.69314718055994531;

/* A bound of the coupled system's norm, 1/s. With velocities in units of the bound itself the rows of the angles sum up
 * to it, and so do those of the velocities, 0.3/rate + 0.5. */
static const double rate = 0.8521;

/* Powers 0..n-1 are enough for steps with rate H <= reach[n]: the first one left out is below 2^-46 of the first that
 * the held inputs lack, of order 2. */
enum { LEAST_POWERS = 5, MOST_POWERS = 40 };

/* Weights of H^i/i! x^(i): in what the tangent from the end of the step misses at its middle, 2^-i - 1 + i/2. */
struct tables {
  double reach[MOST_POWERS + 1], inverse[MOST_POWERS + 1], middle[MOST_POWERS + 1];
};

/* RMS results of a run: output defects, connection defects, output errors at the communication points. */
enum { DEFECT_TAU1, DEFECT_OMEGA2, CONNECTION_OMEGA2, CONNECTION_TAU1, ERROR_TAU1, ERROR_OMEGA2, RESULTS };

struct state {
  double phi1, omega1, phi2, omega2; /* exact solution */
  double e_phi1, e_omega1, e_angle;  /* errors of oscillator 1, the angle being its own integral of omega2 */
  double e_phi2, e_omega2;           /* of oscillator 2 */
  double u, u_slope, v, v_slope;     /* of the inputs omega2 and tau1 at the last exchange */
};

struct study {
  struct tables tables;
  size_t runs;
  double *tolerance; /* [runs] */
  double *result;    /* [runs][RESULTS] */
  long *steps;       /* [runs] */
};

/* ---- one step */

static double squared(double x) {
  return x * x;
}

/* Takes a step of H with `powers` powers of the series; square [RESULTS]: the mean squares over the step, and those of
 * the errors at its end. */
static inline void take_step(const struct tables *table, double H, int powers, struct state *state,
                             double square[RESULTS]) {
  const double p0 = -(c1 + ck) / J1, p1 = -(d1 + dk) / J1, pk = ck / J1, qk = dk / J1;
  const double m0 = ck / J2, m1 = dk / J2, m2 = -(ck + c2) / J2, m3 = -(dk + d2) / J2, a0 = -c2 / J2, a1 = -d2 / J2;
  struct state s = *state, to = s;
  double u = s.u, v = s.v, weight = 1, u_tail = 0, u_tail_slope = 0, v_tail = 0, v_tail_slope = 0;
  double middle_tau1 = 0, middle_omega2 = 0;
  for (int i = 1; i < powers; i++) {
    const double omega1 = (p0 * s.phi1 + p1 * s.omega1) + (pk * s.phi2 + qk * s.omega2);
    const double omega2 = (m0 * s.phi1 + m1 * s.omega1) + (m2 * s.phi2 + m3 * s.omega2);
    const double e_omega1 = (p0 * s.e_phi1 + p1 * s.e_omega1) + (pk * s.e_angle + qk * u);
    const double e_omega2 = (a0 * s.e_phi2 + a1 * s.e_omega2) + v / J2;
    s = (struct state){s.omega1, omega1, s.omega2, omega2, s.e_omega1, e_omega1, u, s.e_omega2, e_omega2, 0, 0, 0, 0};
    weight *= H * table->inverse[i];
    to.phi1 += weight * s.phi1;
    to.omega1 += weight * s.omega1;
    to.phi2 += weight * s.phi2;
    to.omega2 += weight * s.omega2;
    to.e_phi1 += weight * s.e_phi1;
    to.e_omega1 += weight * s.e_omega1;
    to.e_angle += weight * s.e_angle;
    to.e_phi2 += weight * s.e_phi2;
    to.e_omega2 += weight * s.e_omega2;
    if (i == 1) {
      u = state->u_slope;
      v = state->v_slope;
      continue;
    }
    const double tau1 = ck * (s.phi1 - s.phi2) + dk * (s.omega1 - s.omega2);
    const double middle = weight * table->middle[i], slope = weight * i;
    middle_tau1 += middle * (tau1 + ck * (s.e_phi1 - s.e_angle) + dk * (s.e_omega1 + s.omega2));
    middle_omega2 += middle * (s.omega2 + s.e_omega2);
    u = -s.omega2;
    v = -tau1;
    u_tail += weight * u;
    u_tail_slope += slope * u;
    v_tail += weight * v;
    v_tail_slope += slope * v;
  }
  /* the outputs' errors at T_k, with the inputs as held: the next exchange */
  const double end_u = state->u + H * state->u_slope + u_tail, end_v = state->v + H * state->v_slope + v_tail;
  const double u_rate = state->u_slope + u_tail_slope / H;
  const double e_acceleration = p0 * to.e_phi1 + p1 * to.e_omega1 + pk * to.e_angle + qk * end_u;
  to.u = to.e_omega2;
  to.u_slope = a0 * to.e_phi2 + a1 * to.e_omega2 + end_v / J2;
  to.v = ck * (to.e_phi1 - to.e_angle) + dk * (to.e_omega1 - end_u);
  to.v_slope = ck * (to.e_omega1 - end_u) + dk * (e_acceleration - u_rate);

  /* Defects: the step RMS of rho ((T - t)/(H/2))^2 is 4 |rho|/sqrt(5), eq. (32); that of a straight line follows from
   * its value in the middle and its slope. */
  const double u_turn = H * (state->u_slope - to.u_slope) + u_tail_slope;
  const double v_turn = H * (state->v_slope - to.v_slope) + v_tail_slope;
  const double u_gap = (state->u - to.u) + 0.5 * (H * (state->u_slope + to.u_slope) - u_tail_slope) + u_tail;
  const double v_gap = (state->v - to.v) + 0.5 * (H * (state->v_slope + to.v_slope) - v_tail_slope) + v_tail;
  square[DEFECT_TAU1] = 3.2 * squared(middle_tau1);
  square[DEFECT_OMEGA2] = 3.2 * squared(middle_omega2);
  square[CONNECTION_OMEGA2] = squared(u_gap) + squared(u_turn) / 12;
  square[CONNECTION_TAU1] = squared(v_gap) + squared(v_turn) / 12;
  square[ERROR_TAU1] = squared(to.v);
  square[ERROR_OMEGA2] = squared(to.u);
  *state = to;
}

/* ---- one run */

/* Control pi_defect, eq. (38), (39), in logarithms. */
struct control {
  double log_tolerance, integral, log_step;
};

static double largest_defect(const double square[RESULTS]) {
  return fmax(
      fmax(fmax(square[DEFECT_TAU1], square[DEFECT_OMEGA2]), fmax(square[CONNECTION_OMEGA2], square[CONNECTION_TAU1])),
      1e-32);
}

static double next_step(struct control *control, const double square[RESULTS]) {
  const double e = control->log_tolerance - 0.5 * log(largest_defect(square));
  const double reached = control->integral + ki * e, wanted = reached + kp * e;
  control->log_step = fmin(wanted, control->log_step + log_growth_max);
  control->integral = reached + control->log_step - wanted;
  return exp(control->log_step);
}

static void run_one(void *context, size_t run) {
  struct study *study = context;
  const struct tables *table = &study->tables;
  struct state state = {.phi1 = phi10, .omega1 = omega10, .phi2 = phi20, .omega2 = omega20};
  struct control control = {log(study->tolerance[run]), log(initial), log(initial)};
  double square[RESULTS], sum[RESULTS] = {0}, t = 0, lost = 0, H = initial;
  int powers = LEAST_POWERS;
  long steps = 0;
  for (bool last = false; !last; steps++) {
    const double left = t_end - t - lost;
    last = left <= H * (1 + 1e-9);
    if (last) H = left;
    while (powers > LEAST_POWERS && rate * H <= table->reach[powers - 1])
      powers--;
    while (powers < MOST_POWERS && rate * H > table->reach[powers])
      powers++;
    take_step(table, H, powers, &state, square);
    for (int i = 0; i < RESULTS; i++)
      sum[i] += H * square[i];
    const double before = t, step = H + lost;
    t += step;
    lost = step - (t - before);
    if (!last) H = next_step(&control, square);
  }
  for (int i = 0; i < RESULTS; i++)
    study->result[run * RESULTS + i] = sqrt(sum[i] / t_end);
  study->steps[run] = steps;
}

/* ---- all runs */

static void fill_tables(struct tables *table) {
  double factorial = 1; /* (i)!/2 */
  for (int i = 1; i <= MOST_POWERS; i++) {
    factorial *= i > 2 ? i : 1;
    table->inverse[i] = 1.0 / i;
    table->middle[i] = ldexp(1, -i) - 1 + 0.5 * i;
    table->reach[i] = i > 2 ? pow(ldexp(factorial, -46), 1.0 / (i - 2)) : 0;
  }
}

/* Reads tolerances, one a line. Returns 0, -1 when the file cannot be read, has none or one that is not above 0. */
static int read_tolerances(const char *path, struct study *study) {
  FILE *file = fopen(path, "r");
  if (!file) return -1;
  size_t room = 0;
  double value;
  int found;
  while ((found = fscanf(file, "%lf", &value)) == 1 && value > 0) {
    if (study->runs == room) {
      room = room ? 2 * room : 1024;
      double *more = realloc(study->tolerance, room * sizeof *more);
      if (!more) break;
      study->tolerance = more;
    }
    study->tolerance[study->runs++] = value;
  }
  fclose(file);
  return found == EOF && study->runs ? 0 : -1;
}

static int write_values(const struct study *study, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  fputs(
      "tolerance,steps,output_defect_tau1,output_defect_omega2,connection_defect_omega2,connection_defect_tau1,"
      "output_error_tau1,output_error_omega2\n",
      file);
  for (size_t run = 0; run < study->runs; run++) {
    fprintf(file, "%.17g,%ld", study->tolerance[run], study->steps[run]);
    for (size_t i = 0; i < RESULTS; i++)
      fprintf(file, ",%.17g", study->result[run * RESULTS + i]);
    fputc('\n', file);
  }
  const int failed = ferror(file);
  return fclose(file) || failed ? -1 : 0;
}

static void print_case(const struct study *study, unsigned threads, const struct measured *measured) {
  char device[256];
  long steps = 0;
  measure_device(device, sizeof device);
  for (size_t run = 0; run < study->runs; run++)
    steps += study->steps[run];
  printf(
      "{\"case\": \"two_mass_vary\", \"implementation\": \"scalar C\", \"device\": \"%s\", \"threads\": %u, "
      "\"runs\": %zu, \"steps\": %ld, \"seconds\": %.6g, \"core_seconds\": %.6g}\n",
      device, threads, study->runs, steps, measured->seconds, measured->core_seconds);
}

static int usage(const char *program) {
  fprintf(stderr,
          "usage: %s --tolerances FILE [--threads N] [--values FILE]\n"
          "  --tolerances FILE  a tolerance above 0 for every run, one a line\n"
          "  --threads N        threads, 1 to %d (default: every processor)\n"
          "  --values FILE      write tolerance, steps and the six RMS results of every run\n",
          program, MAX_THREADS);
  return 2;
}

int main(int argc, char **argv) {
  struct study study = {0};
  struct measured measured;
  const char *tolerances = NULL, *values = NULL;
  long threads = measure_processors();
  for (int i = 1; i < argc; i += 2) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--tolerances") == 0 && *value)
      tolerances = value;
    else if (strcmp(argv[i], "--values") == 0 && *value)
      values = value;
    else if (strcmp(argv[i], "--threads") != 0 || (threads = measure_count(value, 1, MAX_THREADS)) < 0)
      return usage(argv[0]);
  }
  if (!tolerances) return usage(argv[0]);
  int status = 1;
  if (read_tolerances(tolerances, &study)) {
    fprintf(stderr, "%s: %s: want tolerances above 0, one a line\n", argv[0], tolerances);
    goto out;
  }
  study.steps = malloc(study.runs * sizeof *study.steps);
  study.result = malloc(study.runs * RESULTS * sizeof *study.result);
  if (!study.steps || !study.result) {
    fprintf(stderr, "%s: not enough memory for %zu runs\n", argv[0], study.runs);
    goto out;
  }
  fill_tables(&study.tables);
  if (measure_threads((unsigned)threads, study.runs, run_one, &study, &measured)) {
    fprintf(stderr, "%s: could not start %ld threads\n", argv[0], threads);
    goto out;
  }
  if (values && write_values(&study, values)) {
    fprintf(stderr, "%s: %s: could not be written\n", argv[0], values);
    goto out;
  }
  print_case(&study, (unsigned)threads, &measured);
  status = 0;
out:
  free(study.tolerance);
  free(study.steps);
  free(study.result);
  return status;
}
