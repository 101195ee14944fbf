#include "plain_dopri5.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

enum { STAGES = 7, MOST = 20000 };

/* Dormand and Prince 1980; the last row is the solution of order 5. */
static const real A[STAGES][STAGES] = {
    {0},
    {1 / (real)5},
    {3 / (real)40, 9 / (real)40},
    {44 / (real)45, -56 / (real)15, 32 / (real)9},
    {19372 / (real)6561, -25360 / (real)2187, 64448 / (real)6561, -212 / (real)729},
    {9017 / (real)3168, -355 / (real)33, 46732 / (real)5247, 49 / (real)176, -5103 / (real)18656},
    {35 / (real)384, 0, 500 / (real)1113, 125 / (real)192, -2187 / (real)6784, 11 / (real)84}};
static const real C[STAGES] = {0, 1 / (real)5, 3 / (real)10, 4 / (real)5, 8 / (real)9, 1, 1};
/* The solution of order 4, for the error estimate. */
static const real embedded[STAGES] = {
    5179 / (real)57600, 0, 7571 / (real)16695, 393 / (real)640, -92097 / (real)339200, 187 / (real)2100, 1 / (real)40};
/* dopri5.f's rcont5. */
static const real D[STAGES] = {-12715105075 / (real)11282082432,  0,
                               87487479700 / (real)32700410799,   -10690763975 / (real)1880347072,
                               701980252875 / (real)199316789632, -1453857185 / (real)822651844,
                               69997945 / (real)29380423};

static void right_side(const struct plain_driven *system, real s, const real *x, real *slope) {
  for (size_t i = 0; i < system->states; i++) {
    slope[i] = system->v[0][i] + s * (system->v[1][i] + s * (system->v[2][i] + s * system->v[3][i]));
    for (size_t j = 0; j < system->states; j++)
      slope[i] += system->A.at[i][j] * x[j];
    slope[i] *= system->H;
  }
}

/* ||A|| H, the largest sum of a row. */
static real norm(const struct plain_driven *system) {
  real most = 0;
  for (size_t i = 0; i < system->states; i++) {
    real sum = 0;
    for (size_t j = 0; j < system->states; j++)
      sum += fabs(system->A.at[i][j]) * system->H;
    most = fmax(most, sum);
  }
  return most;
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
    const real ratio = e / (tolerance + tolerance * fmax(fabs(step->x0[q]), fabs(step->x1[q])));
    sum += ratio * ratio;
    step->slope0[q] = h * k[0][q];
    step->slope1[q] = h * k[STAGES - 1][q];
  }
  return system->states > 0 ? sqrt(sum / (real)system->states) : 0;
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
      run->reach = fmax(run->reach, norm(system) * h);
    }
    h *= err > 0 ? fmin(5, fmax(1 / (real)5, 9 * pow(err, -1 / (real)5) / 10)) : 5;
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
