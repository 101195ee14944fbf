#include "tableau.h"

#include <math.h>
#include <stddef.h>

#include "sweep.h"

static const struct cs_tableau tableaus[] = {
    [CS_EULER] = {.order = 1, .stages = 1, .b = {1.0}, .cubic = false},
    [CS_HEUN] = {.order = 2, .stages = 2, .a = {{0}, {1.0}}, .b = {0.5, 0.5}, .c = {0.0, 1.0}, .cubic = true},
    [CS_RK4] = {.order = 4,
                .stages = 4,
                .a = {{0}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
                .b = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0},
                .c = {0.0, 0.5, 0.5, 1.0},
                .cubic = true},
    [CS_IMPLICIT_EULER] = {.order = 1, .implicit = 1.0, .cubic = true},
    [CS_TRAPEZOIDAL] = {.order = 2, .implicit = 0.5, .cubic = true},
    /* the first micro step of ab2; what bdf2 has beside its memory (kernels/flow/memory.clh) */
    [CS_AB2] = {.order = 2, .stages = 2, .a = {{0}, {1.0}}, .b = {0.5, 0.5}, .c = {0.0, 1.0}, .cubic = true},
    [CS_BDF2] = {.order = 2, .implicit = 2.0 / 3.0, .remembers = 1.0 / 3.0, .cubic = true},
};

const struct cs_tableau *cs_tableau_of(int solver) {
  return &tableaus[solver];
}

/* w(a, j) = b^T A^a c^j, the weight of (hA)^a h B U_j in an explicit Runge-Kutta step (docs/methods.md section 4). */
static double input_weight(const struct cs_tableau *t, int power, int j) {
  double v[CS_STAGES], next[CS_STAGES];
  for (int i = 0; i < t->stages; i++)
    v[i] = j == 0 ? 1.0 : pow(t->c[i], j);
  for (int p = 0; p < power; p++) {
    for (int i = 0; i < t->stages; i++) {
      next[i] = 0.0;
      for (int k = 0; k < t->stages; k++)
        next[i] += t->a[i][k] * v[k];
    }
    for (int i = 0; i < t->stages; i++)
      v[i] = next[i];
  }
  double sum = 0.0;
  for (int i = 0; i < t->stages; i++)
    sum += t->b[i] * v[i];
  return sum;
}

double cs_tableau_weight(const struct cs_tableau *t, int stage, int n) {
  if (stage + n <= t->order) return 0.0;
  if (t->implicit > 0.0) return stage == 0 ? t->implicit * n - 1.0 + (n % 2 == 0 ? -t->remembers : t->remembers) : 0.0;
  const double in = n * input_weight(t, stage, n - 1);
  return stage == 0 ? in - 1.0 : in - input_weight(t, stage - 1, n);
}
