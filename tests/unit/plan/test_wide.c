/* Pairs of doubles beside numbers of more digits, whose products are exact to 113 bits. */
#include <criterion/criterion.h>
#include <math.h>

#include "wide.h"

enum { N = 12 };

/* Numbers with digits beyond those of a double, of sizes far apart. */
static void fill(cs_wide *a, int seed) {
  for (int i = 0; i < N * N; i++) {
    const double share = sin(1.0 + seed + 2.7 * i), rest = cos(3.0 * i + seed);
    a[i] = ((cs_wide)share + (cs_wide)rest * 0x1p-60) * (i / N % 2 ? 1e12 : 1.0) / (i % N % 3 ? 1.0 : 1e9);
  }
}

/* The largest difference of two rows' entries, relative to the sum of what they consist of. */
static double distance(const cs_wide *found, const cs_wide *want, const cs_wide *size) {
  cs_wide most = 0.0;
  for (int i = 0; i < N * N; i++)
    most = cs_wide_larger(most, cs_wide_size(found[i] - want[i]) / size[i]);
  return (double)most;
}

Test(wide, products_have_106_bits) {
  cs_wide a[N * N], b[N * N], found[N * N], want[N * N], size[N * N];
  double room[4 * N * N];
  cr_assert_eq(cs_wide_room(N), sizeof room / sizeof *room);
  fill(a, 1);
  fill(b, 2);
  fill(found, 3);
  for (int i = 0; i < N * N; i++) {
    want[i] = found[i];
    size[i] = cs_wide_size(want[i]);
    for (int k = 0; k < N; k++) {
      want[i] += a[i / N * N + k] * b[k * N + i % N];
      size[i] += cs_wide_size(a[i / N * N + k] * b[k * N + i % N]);
    }
  }
  cs_wide_add_product(N, N, N, a, N, b, found, room);
  cr_expect(distance(found, want, size) < 0x1p-100, "%g", distance(found, want, size));
  cs_wide_product(2, 3, 4, a + 1, N, b, found, room); /* rows of a part of a */
  const cs_wide sum = a[N + 1] * b[3] + a[N + 2] * b[7] + a[N + 3] * b[11];
  cr_expect((double)(cs_wide_size(found[7] - sum) / cs_wide_size(sum)) < 0x1p-98);
}

Test(wide, inverses_have_as_many) {
  cs_wide a[N * N], inverse[N * N], one[N * N], unit[N * N], size[N * N];
  double room[4 * N * N];
  fill(a, 4);
  cr_assert(cs_wide_invert(N, a, inverse, room));
  cs_wide_product(N, N, N, a, N, inverse, one, room);
  for (int i = 0; i < N * N; i++) {
    unit[i] = i % (N + 1) == 0;
    size[i] = 0.0;
    for (int k = 0; k < N; k++)
      size[i] += cs_wide_size(a[i / N * N + k] * inverse[k * N + i % N]);
  }
  cr_expect(distance(one, unit, size) < 0x1p-92, "%g", distance(one, unit, size));
  for (int i = 0; i < N; i++)
    a[3 * N + i] = 0.0;
  cr_expect_not(cs_wide_invert(N, a, inverse, room));
}
