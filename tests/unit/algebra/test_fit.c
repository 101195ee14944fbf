#include <criterion/criterion.h>
#include <math.h>

#include "fit.h"

enum { COUNT = 16 };

/* Abscissae 1e-3 ... 1, evenly on the logarithmic scale. */
static void abscissae(double *x) {
  for (int i = 0; i < COUNT; i++)
    x[i] = pow(10, -3 + 3.0 * i / (COUNT - 1));
}

static void expect_no_fit(struct cs_fit fit) {
  cr_expect(isnan(fit.order) && isnan(fit.r2) && isnan(fit.first) && isnan(fit.last));
  cr_expect_eq(fit.points, 0);
}

Test(fit, a_power_law_is_found_exactly) {
  double x[COUNT], y[COUNT];
  abscissae(x);
  for (int order = -2; order <= 5; order++) {
    for (int i = 0; i < COUNT; i++)
      y[i] = 0.3 * pow(x[i], order);
    struct cs_fit fit = cs_fit_order(x, y, COUNT, 0);
    cr_expect_float_eq(fit.order, order, 1e-12, "order %d: %.17g", order, fit.order);
    cr_expect(fit.r2 > 1 - 1e-12 && fit.r2 <= 1);
    cr_expect_eq(fit.points, COUNT);
    cr_expect_eq(fit.first, x[0]);
    cr_expect_eq(fit.last, x[COUNT - 1]);
  }
}

Test(fit, order_of_the_points_does_not_matter) {
  double x[COUNT], y[COUNT], mixed_x[COUNT], mixed_y[COUNT];
  abscissae(x);
  for (int i = 0; i < COUNT; i++)
    y[i] = pow(x[i], 1.5) * (1 + 0.01 * sin(40.0 * i) + x[i]);
  for (int i = 0; i < COUNT; i++) {
    mixed_x[i * 5 % COUNT] = x[i];
    mixed_y[i * 5 % COUNT] = y[i];
  }
  struct cs_fit sorted = cs_fit_order(x, y, COUNT, 0), mixed = cs_fit_order(mixed_x, mixed_y, COUNT, 0);
  cr_expect_eq(sorted.order, mixed.order);
  cr_expect_eq(sorted.r2, mixed.r2);
  cr_expect_eq(sorted.last, mixed.last);
  cr_expect_eq(sorted.points, mixed.points);
  cr_expect_gt(sorted.points, 3);
  cr_expect_lt(sorted.r2, 1);
}

/* y = x^2 + 5 x^3 bends above x = 0.01: its slope is 2 + 5 x / (1 + 5 x). */
Test(fit, the_bend_at_large_abscissae_is_left_out) {
  double x[COUNT], y[COUNT];
  abscissae(x);
  for (int i = 0; i < COUNT; i++)
    y[i] = pow(x[i], 2) + 5 * pow(x[i], 3);
  struct cs_fit fit = cs_fit_order(x, y, COUNT, 0);
  cr_expect_float_eq(fit.order, 2, 0.05, "%g", fit.order);
  cr_expect_eq(fit.first, x[0]);
  cr_expect_lt(fit.last, 0.1);
  cr_expect_gt(fit.last, 0.005);
  cr_expect_eq(x[fit.points - 1], fit.last);
}

Test(fit, the_range_ends_where_slopes_differ_by_a_tenth) {
  const struct {
    double off;
    long points;
  } row[] = {{0.09, 7}, {-0.09, 7}, {0.11, 5}, {-0.11, 5}};
  for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
    double x[7] = {1}, y[7] = {1};
    for (int i = 0; i < 6; i++) {
      x[i + 1] = x[i] * 2;
      y[i + 1] = y[i] * pow(2, 2 + (i == 4 ? row[r].off : 0));
    }
    struct cs_fit fit = cs_fit_order(x, y, 7, 0);
    cr_expect_eq(fit.points, row[r].points, "%g: %ld points", row[r].off, fit.points);
  }
}

Test(fit, values_on_the_floor_are_left_out) {
  double x[COUNT], y[COUNT];
  abscissae(x);
  for (int i = 0; i < COUNT; i++)
    y[i] = fmax(pow(x[i], 4), 1e-9);
  struct cs_fit fit = cs_fit_order(x, y, COUNT, 1e-9);
  cr_expect_float_eq(fit.order, 4, 1e-12, "%g", fit.order);
  cr_expect_gt(pow(fit.first, 4), 1e-9);
  cr_expect_lt(fit.points, COUNT);
  cr_expect_eq(fit.last, x[COUNT - 1]);
}

Test(fit, zeros_and_what_is_not_finite_are_left_out) {
  double x[COUNT], y[COUNT];
  abscissae(x);
  for (int i = 0; i < COUNT; i++)
    y[i] = x[i];
  y[0] = 0;
  y[3] = NAN;
  y[5] = INFINITY;
  y[7] = -1;
  x[9] = NAN;
  x[11] = 0;
  x[12] = -0.5;
  struct cs_fit fit = cs_fit_order(x, y, COUNT, 0);
  cr_expect_float_eq(fit.order, 1, 1e-12);
  cr_expect_eq(fit.points, COUNT - 7);
  cr_expect_eq(fit.first, x[1]);
}

Test(fit, equal_abscissae_are_one_point) {
  const double x[] = {0.1, 0.1, 0.2, 0.4, 0.4, 0.8};
  const double y[] = {0.01 * 2, 0.01 / 2, 0.04, 0.16 / 3, 0.16 * 3, 0.64};
  struct cs_fit fit = cs_fit_order(x, y, 6, 0);
  cr_expect_float_eq(fit.order, 2, 1e-12, "%g", fit.order);
  cr_expect_eq(fit.points, 4);
  const double one[] = {0.1, 0.1, 0.1};
  expect_no_fit(cs_fit_order(one, y, 3, 0));
}

Test(fit, a_constant_has_order_zero) {
  const double x[] = {1, 2, 4, 8}, y[] = {3, 3, 3, 3};
  struct cs_fit fit = cs_fit_order(x, y, 4, 0);
  cr_expect_eq(fit.order, 0);
  cr_expect_eq(fit.r2, 1);
  cr_expect_eq(fit.points, 4);
}

Test(fit, fewer_than_three_points_are_no_fit) {
  const double x[] = {1, 2, 4, 8}, y[] = {1, 2, 8, 64}, low[] = {1, 2, 0, 0};
  expect_no_fit(cs_fit_order(x, y, 0, 0));
  expect_no_fit(cs_fit_order(x, y, 2, 0));
  expect_no_fit(cs_fit_order(x, low, 4, 0));
  expect_no_fit(cs_fit_order(x, y, 4, 0)); /* slopes 1, 2, 3: none of them an order */
  expect_no_fit(cs_fit_order(x, y, 4, 100));
}

/* Constants that differ by a factor of 3 from point to point: no local slope is near the order, all points together
 * are. */
Test(fit, scattered_points_count_all) {
  double x[COUNT], y[COUNT];
  abscissae(x);
  for (int i = 0; i < COUNT; i++)
    y[i] = (i % 2 == 0 ? 1 : 3) * pow(x[i], 2);
  expect_no_fit(cs_fit_order(x, y, COUNT, 0));
  struct cs_fit fit = cs_fit_scattered(x, y, COUNT);
  cr_expect_float_eq(fit.order, 2, 0.1, "%g", fit.order);
  cr_expect_eq(fit.points, COUNT);
  y[0] = NAN;
  fit = cs_fit_scattered(x, y, COUNT);
  cr_expect_eq(fit.points, COUNT - 1);
  cr_expect_eq(fit.first, x[1]);
  expect_no_fit(cs_fit_scattered(x, y, 3));
}
