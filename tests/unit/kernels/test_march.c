/* The search for the first time at which conditions hold together (kernels/vary/march.clh) against dense sampling: of
 * random polynomials none is stepped over, however short the time, and none is found early or late. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { TERMS = 18, GUARDS1 = 2 };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
/* clang-format off */
#include "kernels/lanes/lanes.clh"
#include "kernels/vary/march.clh"
/* clang-format on */
#pragma GCC diagnostic pop

static uint64_t state = 7;

/* Uniform in [-1, 1). */
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ldexp((double)(state >> 11), -52) - 1.0;
}

static double value_at(const double *p, double s) {
  double v = 0.0;
  for (int i = TERMS; i-- > 0;)
    v = v * s + p[i];
  return v;
}

/* The series of a random motion with ||M|| h up to 1. */
static void random_series(double *p) {
  const double norm = pow(10.0, -1.0 + uniform());
  double power = 1.0;
  for (int i = 0; i < TERMS; i++, power *= norm / i)
    p[i] = uniform() * power;
}

/* An oscillation, lifted so that its maximum lies `above` 0. */
static void random_touch(double above, double *p) {
  const double a = 0.2 + 0.15 * (1.0 + uniform()), b = 3.14159 * uniform();
  double term = 1.0;
  for (int i = 0; i < TERMS; i++, term *= a / i)
    p[i] = term * cos(b + 1.5707963267948966 * i);
  double largest = -INFINITY;
  for (int i = 0; i <= 4000; i++)
    largest = fmax(largest, value_at(p, i / 4000.0));
  p[0] += above - largest;
}

static bool all_hold(const double *p, int guards, double s, double slack) {
  bool holds = true;
  for (int g = 0; g < guards; g++) {
    double size = 0.0;
    for (int i = 0; i < TERMS; i++)
      size += fabs(p[g * TERMS + i]);
    holds = holds && value_at(p + g * TERMS, s) >= slack * size;
  }
  return holds;
}

/* Compares one set with samples. */
static void check(const double *p, int guards, size_t *found) {
  double cut = INFINITY;
  const double s = first_time(p, TERMS, 0, guards, 1, &cut);
  cr_assert(cut == INFINITY, "the search was given up at %g", cut);
  *found += isfinite(s);
  for (int i = 0; i <= 500; i++) {
    const double at = i / 500.0;
    if (at >= fmin(s, 1.0) - 1e-9) break;
    cr_assert(!all_hold(p, guards, at, 1e-13), "holds at %.17g, found at %.17g", at, s);
  }
  if (isfinite(s)) cr_assert(all_hold(p, guards, s, -1e-12), "does not hold where found, at %.17g", s);
}

Test(march, random_conditions_are_found_in_time) {
  double p[2 * TERMS];
  size_t found = 0;
  for (int n = 0; n < 60000; n++) {
    const int guards = 1 + n % 2;
    for (int g = 0; g < guards; g++)
      random_series(p + g * TERMS);
    check(p, guards, &found);
  }
  cr_expect(found > 20000 && found < 50000, "%zu of 60,000 hold somewhere", found);
}

Test(march, touches_from_a_hundredth_to_the_last_digits) {
  double p[2 * TERMS];
  size_t found = 0, touches = 0;
  for (int n = 0; n < 40000; n++) {
    const double above = pow(10.0, -2.0 - n % 11);
    random_touch(above, p);
    if (n % 3 == 0) random_series(p + TERMS);
    check(p, n % 3 == 0 ? 2 : 1, &found);
    if (n % 3 == 0) continue;
    double cut = INFINITY;
    touches++;
    cr_assert(isfinite(first_time(p, TERMS, 0, 1, 1, &cut)), "a touch by %g was stepped over", above);
  }
  cr_expect(touches > 20000 && found >= touches);
}

/* Two roots that lie as near together as 1e-7: between them it holds. */
Test(march, short_times) {
  for (int n = 0; n < 20000; n++) {
    double p[TERMS] = {0}, cut = INFINITY;
    const double from = 0.1 + 0.4 * (1.0 + uniform()), width = pow(10.0, -1.0 - 3.0 * (1.0 + uniform()));
    const double to = fmin(from + width, 0.9999999);
    p[0] = -from * to;
    p[1] = from + to;
    p[2] = -1.0;
    const double s = first_time(p, TERMS, 0, 1, 1, &cut);
    cr_assert(isfinite(s) && s >= from - 1e-8 && s <= to + 1e-8, "between %.17g and %.17g: %.17g", from, to, s);
  }
}

/* At the start, at the end, nowhere, and where nothing moves. */
Test(march, ends) {
  double p[TERMS] = {0}, cut = INFINITY;
  cr_expect_eq(first_time(p, TERMS, 0, 1, 1, &cut), 0.0, "0 holds at once");
  p[0] = -1.0;
  cr_expect_eq(first_time(p, TERMS, 0, 1, 1, &cut), INFINITY);
  p[1] = 1.0;
  cr_expect_float_eq(first_time(p, TERMS, 0, 1, 1, &cut), 1.0, 1e-15);
  p[1] = 1.0 - 1e-12;
  cr_expect_eq(first_time(p, TERMS, 0, 1, 1, &cut), INFINITY);
  p[0] = NAN;
  cr_expect_eq(first_time(p, TERMS, 0, 1, 1, &cut), INFINITY, "what is not a number never holds");
  p[0] = 1.0;
  cr_expect_eq(first_time(p, TERMS, 0, 1, 0, &cut), INFINITY, "the lane is off");
  cr_expect_eq(cut, INFINITY);
}

/* Conditions that go on along straight lines: before the first time some fail, at it none does, and where there is none
 * some fail at every time at which one begins to hold. */
Test(march, lines_hold_together) {
  enum { SETS = 20000, LINES = 3 };
  size_t found = 0;
  for (int set = 0; set < SETS; set++) {
    double value[LINES], rate[LINES], first = INFINITY;
    for (int g = 0; g < LINES; g++) {
      value[g] = uniform();
      rate[g] = set % 5 == g ? 0.0 : uniform();
    }
    for (int at = 0; at <= LINES; at++) { /* at 0 and at every root */
      const double s = at == LINES ? 0.0 : -value[at] / rate[at];
      bool holds = s >= 0.0 && isfinite(s);
      for (int g = 0; g < LINES; g++)
        holds = holds && (g == at || value[g] + rate[g] * s >= 0.0);
      if (holds) first = fmin(first, s);
    }
    const double s = line_time(value, rate, 0, LINES);
    found += isfinite(s);
    cr_assert(s == first, "set %d: %g instead of %g", set, s, first);
  }
  cr_expect_gt(found, SETS / 10);
  cr_expect_lt(found, SETS / 2);
}
