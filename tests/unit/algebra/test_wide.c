/* Pairs of doubles beside numbers of more digits, whose products are exact to 113 bits. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "wide.h"

#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif

enum { N = 12 };

static quad size_of(quad a) {
  return a < 0 ? -a : a;
}

/* Numbers with digits beyond those of a double, of sizes far apart: 106 bits of them. */
static struct cs_wide fill(quad *a, int seed) {
  bool failed = false;
  const struct cs_wide w = cs_wide_take(N * N, &failed);
  cr_assert_not(failed);
  for (int i = 0; i < N * N; i++) {
    const double share = sin(1.0 + seed + 2.7 * i), rest = cos(3.0 * i + seed);
    const quad value = ((quad)share + (quad)rest * 0x1p-60) * (i / N % 2 ? 1e12 : 1.0) / (i % N % 3 ? 1.0 : 1e9);
    w.hi[i] = (double)value;
    w.lo[i] = (double)(value - w.hi[i]);
    a[i] = (quad)w.hi[i] + w.lo[i];
  }
  return w;
}

static quad at(struct cs_wide a, int i) {
  cr_expect(fabs(a.lo[i]) <= 0x1p-53 * fabs(a.hi[i]));
  return (quad)a.hi[i] + a.lo[i];
}

/* The largest difference of two rows' entries, relative to the sum of what they consist of. */
static double distance(struct cs_wide found, const quad *want, const quad *size) {
  double most = 0.0;
  for (int i = 0; i < N * N; i++)
    most = fmax(most, (double)(size_of(at(found, i) - want[i]) / size[i]));
  return most;
}

Test(wide, products_have_106_bits) {
  quad x[N * N], y[N * N], want[N * N], size[N * N];
  const struct cs_wide a = fill(x, 1), b = fill(y, 2), found = fill(want, 3);
  for (int i = 0; i < N * N; i++) {
    size[i] = size_of(want[i]);
    for (int k = 0; k < N; k++) {
      want[i] += x[i / N * N + k] * y[k * N + i % N];
      size[i] += size_of(x[i / N * N + k] * y[k * N + i % N]);
    }
  }
  cs_wide_add_product(N, N, N, a, N, b, found);
  cr_expect(distance(found, want, size) < 0x1p-100, "%g", distance(found, want, size));
  cs_wide_product(2, 3, 4, cs_wide_at(a, 1), N, b, found); /* rows of a part of a */
  const quad sum = x[N + 1] * y[3] + x[N + 2] * y[7] + x[N + 3] * y[11];
  cr_expect((double)(size_of(at(found, 7) - sum) / size_of(sum)) < 0x1p-98);
  cs_wide_free(a);
  cs_wide_free(b);
  cs_wide_free(found);
}

Test(wide, inverses_have_as_many) {
  quad x[N * N], y[N * N], unit[N * N], size[N * N];
  const struct cs_wide a = fill(x, 4), inverse = fill(y, 5), one = fill(unit, 6), left = fill(x, 4);
  cr_assert(cs_wide_invert(N, left, inverse));
  cs_wide_product(N, N, N, a, N, inverse, one);
  for (int i = 0; i < N * N; i++) {
    unit[i] = i % (N + 1) == 0;
    size[i] = 0.0;
    for (int k = 0; k < N; k++)
      size[i] += size_of(x[i / N * N + k] * at(inverse, k * N + i % N));
  }
  cr_expect(distance(one, unit, size) < 0x1p-92, "%g", distance(one, unit, size));
  cs_wide_copy(N * N, a, left);
  cs_wide_clear(N, cs_wide_at(left, 3 * N));
  cr_expect_not(cs_wide_invert(N, left, inverse));
  cs_wide_free(a);
  cs_wide_free(inverse);
  cs_wide_free(one);
  cs_wide_free(left);
}

Test(wide, a_reciprocal_has_as_many) {
  quad x[N * N], y[N * N];
  const struct cs_wide a = fill(x, 7), to = fill(y, 8);
  for (int i = 0; i < N * N; i++) {
    cs_wide_reciprocal(cs_wide_at(a, i), cs_wide_at(to, i));
    cr_expect((double)size_of(at(to, i) * x[i] - 1.0) < 0x1p-102, "%d", i);
  }
  cs_wide_free(a);
  cs_wide_free(to);
}
