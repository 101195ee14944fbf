#include "plain_dopri5.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 7, MOST = 20000 };

/* Dormand and Prince 1980; the last row is the solution of order 5. */
static const real A[STAGES][STAGES] = {{0},
                                       {1 / 5.0L},
                                       {3 / 40.0L, 9 / 40.0L},
                                       {44 / 45.0L, -56 / 15.0L, 32 / 9.0L},
                                       {19372 / 6561.0L, -25360 / 2187.0L, 64448 / 6561.0L, -212 / 729.0L},
                                       {9017 / 3168.0L, -355 / 33.0L, 46732 / 5247.0L, 49 / 176.0L, -5103 / 18656.0L},
                                       {35 / 384.0L, 0, 500 / 1113.0L, 125 / 192.0L, -2187 / 6784.0L, 11 / 84.0L}};
static const real C[STAGES] = {0, 1 / 5.0L, 3 / 10.0L, 4 / 5.0L, 8 / 9.0L, 1, 1};
/* The solution of order 4, for the error estimate. */
static const real embedded[STAGES] = {5179 / 57600.0L, 0,        7571 / 16695.0L, 393 / 640.0L, -92097 / 339200.0L,
                                      187 / 2100.0L,   1 / 40.0L};
/* dopri5.f's rcont5. */
static const real D[STAGES] = {-12715105075 / 11282082432.0L,  0,
                               87487479700 / 32700410799.0L,   -10690763975 / 1880347072.0L,
                               701980252875 / 199316789632.0L, -1453857185 / 822651844.0L,
                               69997945 / 29380423.0L};

static void right_side(const struct plain_driven *system, real s, const real *x, real *slope) {
  for (size_t i = 0; i < system->states; i++) {
    slope[i] = system->v[0][i] + s * (system->v[1][i] + s * (system->v[2][i] + s * system->v[3][i]));
    for (size_t j = 0; j < system->states; j++)
      slope[i] += system->A.at[i][j] * x[j];
    slope[i] *= system->H;
  }
}

/* Fills the step but for its end; returns err. */
static real try_step(const struct plain_driven *system, real h, double tolerance, struct plain_micro_step *step) {
  real k[STAGES][PLAIN_MAX], sum = 0;
  for (size_t i = 0; i < STAGES; i++) {
    memcpy(step->x1, step->x0, sizeof step->x1);
    for (size_t j = 0; j < i; j++)
      for (size_t q = 0; q < system->states; q++)
        step->x1[q] += h * A[i][j] * k[j][q];
    right_side(system, step->from + C[i] * h, step->x1, k[i]);
  }
  for (size_t q = 0; q < system->states; q++) {
    real e = 0;
    step->bump[q] = 0;
    for (size_t i = 0; i < STAGES; i++) {
      e += h * (A[STAGES - 1][i] - embedded[i]) * k[i][q];
      step->bump[q] += h * D[i] * k[i][q];
    }
    const real ratio = e / (tolerance + tolerance * fmaxl(fabsl(step->x0[q]), fabsl(step->x1[q])));
    sum += ratio * ratio;
    step->slope0[q] = h * k[0][q];
    step->slope1[q] = h * k[STAGES - 1][q];
  }
  return sqrtl(sum / (real)system->states);
}

void plain_dopri5_run(const struct plain_driven *system, const real *x, double tolerance, struct plain_dopri5 *run) {
  real s = 0, h = 1;
  size_t room = 0;
  *run = (struct plain_dopri5){.states = system->states};
  while (s < 1) {
    if (run->steps == room) {
      room = room == 0 ? 16 : 2 * room;
      run->step = realloc(run->step, room * sizeof *run->step);
      cr_assert(run->step != NULL);
    }
    struct plain_micro_step *step = &run->step[run->steps];
    const int last = s + h >= 1 - 1e-12L;
    h = last ? 1 - s : h;
    step->from = s;
    step->to = last ? 1 : s + h;
    memcpy(step->x0, run->steps == 0 ? x : run->step[run->steps - 1].x1, system->states * sizeof *x);
    const real err = try_step(system, h, tolerance, step);
    cr_assert_lt(run->tries++, MOST);
    if (err <= 1) {
      s = step->to;
      run->steps++;
    }
    h *= err > 0 ? fminl(5, fmaxl(0.2L, 0.9L * powl(err, -0.2L))) : 5;
  }
}

/* x0 + t (d + (1 - t) (b + t (c + (1 - t) bump))), d = x1 - x0, b = slope0 - d, c = d - slope1 - b */
void plain_dopri5_value(const struct plain_dopri5 *run, real s, real *x, real *derivative) {
  size_t i = 0;
  while (i + 1 < run->steps && run->step[i].to < s)
    i++;
  const struct plain_micro_step *step = &run->step[i];
  const real h = step->to - step->from, t = (s - step->from) / h;
  for (size_t q = 0; q < run->states; q++) {
    const real d = step->x1[q] - step->x0[q], b = step->slope0[q] - d, c = d - step->slope1[q] - b;
    const real e = step->bump[q];
    x[q] = step->x0[q] + t * (d + (1 - t) * (b + t * (c + (1 - t) * e)));
    derivative[q] = (d + (1 - 2 * t) * b + t * (2 - 3 * t) * c + 2 * t * (1 - t) * (1 - 2 * t) * e) / h;
  }
}

void plain_dopri5_free(struct plain_dopri5 *run) {
  free(run->step);
  *run = (struct plain_dopri5){0};
}
