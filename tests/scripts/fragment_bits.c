/* Fragments of kernels/ as C11 over macro steps of several lengths: every result in hexadecimal, for contraction.sh. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/kernels/fragments.h"

static void print(const char *name, const V *values, int count) {
  for (int i = 0; i < count; i++)
    printf("%s[%d] %a\n", name, i, values[i]);
}

static void step(double theta) {
  V k[COEFFICIENTS] = {[K_H] = theta / 4.5, [K_NORM] = theta};
  struct flow f;
  struct solver v;
  memset(&f, 0, sizeof f);
  for (int i = 0; i < NR; i++)
    f.r[i] = f.r0[i] = 1 - 0.3 * i;
  for (int i = 0; i < NX; i++)
    f.x[i] = f.x0[i] = 0.1 * (i + 1);
  for (int i = 0; i < NQ * NU; i++)
    f.c0[i] = 0.05 * (i - 2);
  solver_open(k, &v);
  for (int segment = 0; segment < SEGMENTS; segment++) {
    solver_begin(k, &f, &v, segment);
    flow_by(k, &f, 1.0 / SEGMENTS);
    solver_end(k, &f, &v, segment);
  }
  print("x", f.x, NX);
  print("r", f.r, NR);
  print("q", f.q, NQ * NY);
}

int main(void) {
  for (double theta = 0.01; theta < 10; theta *= 1.7)
    step(theta);
  return 0;
}
