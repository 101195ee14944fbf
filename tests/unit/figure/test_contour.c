/* Contours of fields by hand: closed lines, saddles, missing values, added points, known crossings. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"

enum { N = 21 };

static struct cs_error error;
static struct cs_figure_panel panel;
static double x[N], y[N], value[N * N];

static void set_up(void) {
  memset(&panel, 0, sizeof panel);
  for (int i = 0; i < N; i++)
    x[i] = y[i] = -1.0 + 0.1 * i;
}

static void tear_down(void) {
  cs_figure_free_panel(&panel);
}

TestSuite(contour, .init = set_up, .fini = tear_down);

/* The line; NULL if there is none. */
static const struct cs_figure_curve *draw(const struct cs_contour *field) {
  cr_assert_eq(cs_figure_add_contour(field, &panel, CS_INK_BOUNDARY, &error), CS_OK);
  return panel.curves > 0 ? &panel.curve[0] : NULL;
}

static double circle(double a, double b) {
  return a * a + b * b - 0.47;
}

/* Every end of a segment is that of another one: the line is closed. */
Test(contour, a_circle_is_closed) {
  for (int i = 0; i < N * N; i++)
    value[i] = circle(x[i % N], y[i / N]);
  const struct cs_figure_curve *line = draw(&(struct cs_contour){N, N, x, y, .value = value});
  cr_assert_not_null(line);
  for (size_t i = 0; i < line->points; i++) {
    size_t others = 0;
    if (isnan(line->x[i])) continue;
    cr_expect(fabs(hypot(line->x[i], line->y[i]) - sqrt(0.47)) < 3e-3, "(%g, %g)", line->x[i], line->y[i]);
    for (size_t k = 0; k < line->points; k++)
      others += k != i && fabs(line->x[k] - line->x[i]) < 1e-12 && fabs(line->y[k] - line->y[i]) < 1e-12;
    cr_expect_eq(others, 1, "(%g, %g) has %zu", line->x[i], line->y[i], others);
  }
}

/* Added points divide a cell: the line follows them, closer than between the corners of the cell. */
Test(contour, added_points) {
  static const double coarse[] = {-1.0, 0.0, 1.0};
  struct cs_contour_point point[N * N];
  double corner[9], far = 0.0;
  size_t count = 0;
  for (int i = 0; i < 9; i++)
    corner[i] = circle(coarse[i % 3], coarse[i / 3]);
  for (int i = 0; i < 17 * 17; i++) {
    const double a = -1.0 + 0.125 * (i % 17), b = -1.0 + 0.125 * (i / 17);
    if (i % 17 % 8 != 0 || i / 17 % 8 != 0) point[count++] = (struct cs_contour_point){a, b, circle(a, b)};
  }
  const struct cs_figure_curve *line =
      draw(&(struct cs_contour){3, 3, coarse, coarse, .value = corner, .point = point, .points = count});
  cr_assert_not_null(line);
  cr_expect_gt(line->points, 60);
  for (size_t i = 0; i < line->points; i++)
    if (!isnan(line->x[i])) far = fmax(far, fabs(hypot(line->x[i], line->y[i]) - sqrt(0.47)));
  cr_expect_lt(far, 5e-3, "%g", far);
}

/* In a saddle the mean decides which corners belong together. */
Test(contour, saddles_both_ways) {
  static const double side[] = {0.0, 1.0};
  static const double corner[2][4] = {{-1.0, 0.5, 0.5, -1.0}, {-0.5, 1.0, 1.0, -0.5}};
  for (int k = 0; k < 2; k++) {
    const struct cs_figure_curve *line = draw(&(struct cs_contour){2, 2, side, side, .value = corner[k]});
    cr_assert_not_null(line);
    cr_assert_eq(line->points, 6);
    for (size_t i = 0; i < 6; i += 3) { /* below the mean the inside is one: lines cut off the corners (1, 0), (0, 1) */
      const double a = line->x[i] + line->x[i + 1], b = line->y[i] + line->y[i + 1];
      cr_expect((a > 1.0) == (k == 0 ? b < 1.0 : b > 1.0), "%d: (%g, %g)", k, a / 2, b / 2);
    }
    tear_down();
    set_up();
  }
}

Test(contour, no_side_no_line) {
  for (int i = 0; i < N * N; i++)
    value[i] = i % N > N / 2 ? NAN : x[i % N] < -0.45 ? -1.0 : 1.0;
  const struct cs_figure_curve *line = draw(&(struct cs_contour){N, N, x, y, .value = value});
  cr_assert_not_null(line);
  for (size_t i = 0; i < line->points; i++)
    cr_expect(isnan(line->x[i]) || (line->x[i] > -0.51 && line->x[i] < -0.39), "%g", line->x[i]);
  tear_down();
  set_up();
  for (int i = 0; i < N * N; i++)
    value[i] = -1.0;
  cr_expect_null(draw(&(struct cs_contour){N, N, x, y, .value = value}));
}

/* Half way, as it says nothing else, but for rows: 0.3 of the way. */
static double crossing(const void *context, bool upwards, size_t line, double from, double to) {
  (void)context;
  (void)line;
  return upwards ? NAN : from + 0.3 * (to - from);
}

Test(contour, known_crossings_and_logarithms) {
  static const double side[] = {1.0, 100.0};
  static const double corner[] = {-1.0, 1.0, -1.0, 1.0};
  const struct cs_figure_curve *line =
      draw(&(struct cs_contour){2, 2, side, side, .log_x = true, .log_y = true, .value = corner});
  cr_assert_not_null(line);
  cr_expect_float_eq(line->x[0], 10.0, 1e-12);
  tear_down();
  set_up();
  line = draw(&(struct cs_contour){2, 2, side, side, .value = corner, .crossing = crossing});
  cr_expect_float_eq(line->x[0], 30.7, 1e-12);
}

/* A straight boundary x = slope y + 0.033 below which something else is larger: values there say nothing of it. */
static double slope;

static double bent(double a, double b) {
  return fmax(a - slope * b - 0.033, -1e-3);
}

static double crossing_of_rows(const void *context, bool upwards, size_t line, double from, double to) {
  const double at = slope * y[line] + 0.033;
  (void)context;
  return !upwards && at >= fmax(fmin(from, to), -1.0) && at <= fmin(fmax(from, to), 1.0) ? at : NAN;
}

/* The largest distance of the line from the boundary along x, away from the edges of the map, beyond which nothing is
 * known. */
static double off_boundary(const struct cs_figure_curve *line) {
  double far = 0.0;
  for (size_t i = 0; i < line->points; i++)
    if (fabs(line->x[i]) < 0.65 && fabs(line->y[i]) < 0.85)
      far = fmax(far, fabs(line->x[i] - slope * line->y[i] - 0.033));
  return far;
}

/* Between known crossings the line is straight, steep or flat, also through a cell that points divide. */
Test(contour, bent_fields) {
  static const double slopes[] = {0.04, 0.9, 4.0};
  struct cs_contour_point point[25];
  for (int k = 0; k < 25; k++)
    point[k] = (struct cs_contour_point){0.1 * (k % 5) / 4, 0.1 * (k / 5) / 4, 0.0};
  for (int s = 0; s < 6; s++) {
    slope = slopes[s % 3];
    for (int i = 0; i < N * N; i++)
      value[i] = bent(x[i % N], y[i / N]);
    for (int k = 0; k < 25; k++)
      point[k].value = bent(point[k].x, point[k].y);
    const struct cs_contour field = {N,
                                     N,
                                     x,
                                     y,
                                     .value = value,
                                     .bent = true,
                                     .point = point,
                                     .points = s < 3 ? 25 : 0,
                                     .crossing = crossing_of_rows};
    const struct cs_figure_curve *line = draw(&field);
    cr_assert_not_null(line);
    cr_expect_gt(line->points, 30);
    cr_expect_lt(off_boundary(line), 1e-9, "slope %g: %g", slope, off_boundary(line));
    tear_down();
    set_up();
  }
}

/* Whether one of the line's ends has these coordinates. */
static bool has_end(const struct cs_figure_curve *line, double at_x, double at_y) {
  bool found = false;
  for (size_t i = 0; i < line->points; i++)
    found = found || (fabs(line->x[i] - at_x) < 1e-9 && fabs(line->y[i] - at_y) < 1e-9);
  return found;
}

/* Beyond the outermost nodes lines go on to the frame, upwards, downwards and to both sides. */
Test(contour, lines_reach_the_frame) {
  static const double frame[] = {-1.2, 1.1, -1.3, 1.05};
  const struct cs_contour field = {N, N, x, y, .value = value, .frame = frame};
  for (int i = 0; i < N * N; i++)
    value[i] = x[i % N] - 0.033;
  const struct cs_figure_curve *line = draw(&field);
  cr_expect(has_end(line, 0.033, -1.3) && has_end(line, 0.033, 1.05));
  tear_down();
  set_up();
  for (int i = 0; i < N * N; i++)
    value[i] = y[i / N] - 0.033;
  line = draw(&field);
  cr_expect(has_end(line, -1.2, 0.033) && has_end(line, 1.1, 0.033));
}

/* Without crossings the values outside continue to the boundary. */
Test(contour, bent_fields_without_crossings) {
  slope = 0.9;
  for (int i = 0; i < N * N; i++)
    value[i] = bent(x[i % N], y[i / N]);
  const struct cs_figure_curve *line = draw(&(struct cs_contour){N, N, x, y, .value = value, .bent = true});
  cr_assert_not_null(line);
  cr_expect_lt(off_boundary(line), 0.25 * 0.1, "%g", off_boundary(line));
}
