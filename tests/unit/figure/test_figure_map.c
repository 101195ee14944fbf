/* Maps as descriptions: cells, contours, boundaries, what failed. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "drawn.h"
#include "status.h"

static struct cs_error error;

enum { COLUMNS = 7, ROWS = 5, CELLS = COLUMNS * ROWS };

/* spectral_radius = H dk, of the second master ten times that; both axes logarithmic, rho = 1 where dk = 1 / H. One run
 * of the first master failed. */
static struct cs_table *make_map(void) {
  static const char *const masters[] = {"jacobi", "gauss_seidel"};
  static const size_t all[] = {0, 1, 2};
  double dk[ROWS], steps[COLUMNS];
  struct cs_array *rho, *status;
  struct cs_table *table = cs_table_new("A map", "test", "none");
  for (size_t i = 0; i < ROWS; i++)
    dk[i] = pow(10.0, (double)i - 2.0);
  for (size_t i = 0; i < COLUMNS; i++)
    steps[i] = pow(10.0, 0.5 * (double)i - 1.4);
  cr_assert_eq(cs_table_add_dimension(table, "master", "", "", 2, NULL, masters, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "dk", "N s/m", "", ROWS, dk, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "H", "s", "", COLUMNS, steps, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 3, all, &status, &error), CS_OK);
  status->data.uint8[0] = 1;
  cr_assert_eq(cs_table_add_array(table, "spectral_radius", "1", "", CS_FLOAT64, 3, all, &rho, &error), CS_OK);
  for (size_t i = 0; i < 2 * CELLS; i++)
    rho->data.float64[i] = (i < CELLS ? 1.0 : 10.0) * dk[i / COLUMNS % ROWS] * steps[i % COLUMNS];
  cr_assert_eq(cs_table_add_text(table, "study", 1, 1, (const char *const[]){"stability"}, &error), CS_OK);
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"master\", \"path\": \"method.master\"}, {\"name\": \"dk\", \"path\": "
      "\"parameters.dk\"}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\"}]}"};
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  return table;
}

/* The pixel of a map at a place. */
static double pixel(const struct cs_figure_panel *panel, double x, double y) {
  const double column = log(x / panel->x.least) / log(panel->x.most / panel->x.least) * (double)panel->map->columns;
  const double row = log(y / panel->y.least) / log(panel->y.most / panel->y.least) * (double)panel->map->rows;
  return panel->map->value[(size_t)row * panel->map->columns + (size_t)column];
}

/* Cells in their places, failed runs empty, and a boundary that goes through rho = 1: between the points of a grid that
 * is straight in logarithms it is exact. */
Test(figure, map_of_radii) {
  struct cs_table *table = make_map();
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_expect_str_eq(figure->kind, "map");
  cr_assert_eq(figure->panels, 2);
  cr_expect_str_eq(figure->panel[1].title, "gauss_seidel");
  for (size_t p = 0; p < 2; p++) {
    const struct cs_figure_panel *panel = &figure->panel[p];
    const double factor = p == 0 ? 1.0 : 10.0;
    cr_expect_str_eq(panel->x.label, "H [s]");
    cr_expect_str_eq(panel->y.label, "dk [N s/m]");
    cr_expect_str_eq(panel->z.label, "spectral radius");
    cr_expect(panel->x.log && panel->y.log && panel->z.log);
    cr_expect_eq(panel->map->divide, 1.0);
    for (size_t i = 0; i < CELLS; i++) {
      const double x = pow(10.0, 0.5 * (double)(i % COLUMNS) - 1.4), y = pow(10.0, (double)(i / COLUMNS) - 2.0);
      const double want = fmin(fmax(factor * x * y, 0.01), 100.0), got = pixel(panel, x, y);
      cr_expect(p == 0 && i == 0 ? isnan(got) : fabs(got - want) < 1e-9 * want, "%zu, %zu: %g, want %g", p, i, got,
                want);
    }
    const struct cs_figure_curve *boundary = find_ink(panel, CS_INK_BOUNDARY);
    cr_assert_not_null(boundary);
    size_t points = 0;
    for (size_t i = 0; i < boundary->points; i++) {
      if (isnan(boundary->y[i])) continue;
      points++;
      cr_expect(fabs(factor * boundary->x[i] * boundary->y[i] - 1.0) < 1e-6, "%g", boundary->x[i] * boundary->y[i]);
    }
    cr_expect_geq(points, 8);
  }
  cr_expect(strstr(figure->notes, "line: boundary of stability\ngrey: 1 failed run\n") != NULL, "%s", figure->notes);
  cr_expect(strstr(figure->notes, "colours end at 0.01 and 100") != NULL, "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Radii that are 1 wherever they are stable have the colours of what is stable, and the boundary lies half way to the
 * next point, for nothing says where it is. */
Test(figure, map_of_neutral_radii) {
  struct cs_table *table = make_map();
  struct cs_array *rho = cs_table_find(table, "spectral_radius");
  for (size_t i = 0; i < 2 * CELLS; i++)
    rho->data.float64[i] = i % COLUMNS < 3 ? 1.0 + 5e-10 : i % COLUMNS < 6 ? 2.0 : 1.0 + 5e-9;
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  const struct cs_figure_panel *panel = &figure->panel[1];
  const struct cs_figure_curve *boundary = find_ink(panel, CS_INK_BOUNDARY);
  const double step = sqrt(10.0), x = pow(10.0, 0.5 * 2.0 - 1.4);
  cr_expect(panel->z.least < 0.99 && panel->z.most == 2.0, "%g to %g", panel->z.least, panel->z.most);
  cr_expect(pixel(panel, x, 1.0) < 0.995 && pixel(panel, x, 1.0) > panel->z.least, "%.17g", pixel(panel, x, 1.0));
  cr_expect_eq(pixel(panel, x * step, 1.0), 2.0);
  cr_expect(pixel(panel, x * pow(step, 4.0), 1.0) > 1.005);
  cr_assert_eq(boundary->points, 3 * (ROWS + 1)); /* and to the frame on both sides */
  for (size_t i = 0; i < boundary->points; i++)
    if (i % 3 < 2) cr_expect(fabs(boundary->x[i] / (x * sqrt(step)) - 1.0) < 1e-9, "%zu: %g", i, boundary->x[i]);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Runs that a sweep leaves out have not failed. */
Test(figure, failed_and_skipped) {
  struct cs_table *table = make_map();
  cs_table_find(table, "status")->data.uint8[1] = CS_STATUS_SKIPPED;
  cs_table_find(table, "status")->data.uint8[CELLS] = CS_STATUS_SKIPPED;
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_expect_not_null(strstr(figure->notes, "grey: 1 failed run\ngrey: 2 skipped runs\n"), "%s", figure->notes);
  cs_figure_free(figure);
  figure = draw(table, &(struct cs_figure_request){.kind = "lines"});
  cr_expect_not_null(
      strstr(figure->notes, "1 value not drawn: the run failed\n2 values not drawn: the run was skipped\n"), "%s",
      figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* As at H = 0, where states have eigenvalues 1: feed-through d1 d2 decays, is gone where one of them is 0, and does not
 * decay where it is 1. */
Test(figure, map_of_feedthrough) {
  enum { SIDE = 4 };
  static const double side[SIDE] = {0.0, 0.5, 1.0, 2.0};
  static const size_t both[] = {0, 1};
  struct cs_array *rho, *decaying;
  struct cs_table *table = cs_table_new("A map", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "d1", "1", "", SIDE, side, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "d2", "1", "", SIDE, side, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "spectral_radius", "1", "", CS_FLOAT64, 2, both, &rho, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "spectral_radius_decaying", "1", "", CS_FLOAT64, 2, both, &decaying, &error),
               CS_OK);
  rho = cs_table_find(table, "spectral_radius");
  for (size_t i = 0; i < SIDE * SIDE; i++) {
    const double product = side[i / SIDE] * side[i % SIDE];
    const bool grows = product == 1.0 && i / SIDE != i % SIDE; /* beside (0, 2), which is gone all the same */
    rho->data.float64[i] = grows ? 3.0 : fmax(product, 1.0);
    decaying->data.float64[i] = grows ? 3.0 : product != 1.0 ? product : 0.0;
  }
  cr_assert_eq(cs_table_add_text(table, "study", 1, 1, (const char *const[]){"stability"}, &error), CS_OK);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = "map"});
  const struct cs_figure_panel *panel = &figure->panel[0];
  const struct cs_figure_curve *boundary = find_ink(panel, CS_INK_BOUNDARY);
  bool found = false;
  cr_assert_not_null(boundary);
  for (size_t i = 0; i < boundary->points; i++)
    found = found || (fabs(boundary->x[i] - 1.0) < 1e-6 && fabs(boundary->y[i] - 1.0) < 1e-6);
  cr_expect(found, "not where both are 1");
  const double place[][3] = {{0.0, 2.0, 0.25}, {1.0, 1.0, 0.9}}; /* at most, at least */
  for (size_t k = 0; k < 2; k++) {
    const double column = (place[k][0] - panel->x.least) / (panel->x.most - panel->x.least);
    const double row = (place[k][1] - panel->y.least) / (panel->y.most - panel->y.least);
    const double got = panel->map->value[(size_t)(row * (double)panel->map->rows) * panel->map->columns +
                                         (size_t)(column * (double)panel->map->columns)];
    cr_expect(k == 0 ? got <= place[k][2] : got >= place[k][2], "%zu: %g", k, got);
  }
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Limits are named, and that something beyond the first is stable again. */
Test(figure, limits_and_islands) {
  static const double order[] = {0, 1, 2}, limit[] = {0.1, 0.2, 0.3}, last[] = {0.1, 0.7, 0.3};
  static const size_t along[] = {0};
  struct cs_array *to[2];
  struct cs_table *table = cs_table_new("Limits", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "order", "1", "", 3, order, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "H_stable_first", "s", "", CS_FLOAT64, 1, along, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "H_stable_max", "s", "", CS_FLOAT64, 1, along, &to[1], &error), CS_OK);
  to[0] = cs_table_find(table, "H_stable_first");
  for (size_t i = 0; i < 3; i++) {
    to[0]->data.float64[i] = limit[i];
    to[1]->data.float64[i] = last[i];
  }
  cr_assert_eq(cs_table_add_text(table, "study", 1, 1, (const char *const[]){"stability"}, &error), CS_OK);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.metric = "H_stable_first"});
  cr_expect_str_eq(figure->panel[0].y.label, "stable up to H [s]");
  cr_expect_not_null(strstr(figure->notes, "1 of 3 are stable again beyond: cosweep info names these islands\n"), "%s",
                     figure->notes);
  cs_figure_free(figure);
  figure = draw(table, &(struct cs_figure_request){.metric = "H_stable_max"});
  cr_expect_str_eq(figure->panel[0].y.label, "last stable H, islands included [s]");
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Values of both signs have two hues, alike in size, and a line where they change; those far below the largest are
 * rounding, and few large ones do not make all others pale. */
Test(figure, map_of_both_signs) {
  static const size_t all[] = {0, 1, 2};
  struct cs_table *table = make_map();
  struct cs_array *rho = cs_table_find(table, "spectral_radius"), *growth;
  cr_assert_eq(cs_table_add_array(table, "excess_growth_rate", "1/s", "", CS_FLOAT64, 3, all, &growth, &error), CS_OK);
  rho = cs_table_find(table, "spectral_radius");
  for (size_t i = 0; i < 2 * CELLS; i++)
    growth->data.float64[i] = i % CELLS == CELLS - 1 ? 1e4 : i % CELLS == 1 ? 1e-4 : log(rho->data.float64[i]);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.metric = "excess_growth_rate"});
  for (size_t p = 0; p < 2; p++) {
    const struct cs_figure_panel *panel = &figure->panel[p];
    const struct cs_figure_curve *zero = find_ink(panel, CS_INK_BOUNDARY);
    const double factor = p == 0 ? 1.0 : 10.0;
    cr_expect_eq(panel->map->divide, 0.0);
    cr_expect_eq(panel->z.least, -panel->z.most);
    cr_expect(panel->z.most > 10.0 && panel->z.most < 1e3, "%g", panel->z.most);
    cr_expect_eq(pixel(panel, pow(10.0, 0.5 * (COLUMNS - 1) - 1.4), pow(10.0, ROWS - 3.0)), panel->z.most);
    cr_expect_lt(pixel(panel, pow(10.0, 0.5 - 1.4), 0.01), 0.0);
    cr_assert_not_null(zero);
    for (size_t i = 0; i < zero->points; i++)
      if (!isnan(zero->y[i])) cr_expect(fabs(log(factor * zero->x[i] * zero->y[i])) < 1e-6, "%g", zero->x[i]);
  }
  cr_expect_not_null(strstr(figure->notes, "line: 0\n"), "%s", figure->notes);
  cr_expect_not_null(strstr(figure->notes, "colours end at -"), "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* A radius over the step size: on a logarithmic axis, where a limit at 1 can be seen, with the crossings of the file. A
 * name that is a part of a word of the description only is added to it. */
Test(figure, crossings_of_the_file) {
  static const double H[] = {1, 2, 3, 4}, count[] = {0, 1, 2};
  static const size_t along[] = {0}, over[] = {1};
  struct cs_array *rho, *crossings;
  struct cs_table *table = cs_table_new("Limits", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "g", "s", "gain of the loop", 4, H, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "crossing", "1", "", 3, count, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "spectral_radius", "1", "", CS_FLOAT64, 1, along, &rho, &error), CS_OK);
  for (size_t i = 0; i < 4; i++)
    rho->data.float64[i] = i == 1 ? 4.0 : 0.9;
  cr_assert_eq(cs_table_add_array(table, "g_crossings", "s", "", CS_FLOAT64, 1, over, &crossings, &error), CS_OK);
  crossings->data.float64[0] = 1.2;
  crossings->data.float64[1] = 2.7;
  cr_assert_eq(cs_table_add_text(table, "study", 1, 1, (const char *const[]){"stability"}, &error), CS_OK);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.metric = "spectral_radius", .kind = "lines"});
  const struct cs_figure_panel *panel = &figure->panel[0];
  cr_expect(panel->y.log);
  cr_expect_str_eq(panel->x.label, "gain of the loop g [s]");
  cr_assert_eq(panel->curves, 3); /* and the limit */
  cr_expect(panel->curve[1].more && panel->curve[1].title == NULL);
  cr_expect_eq(panel->curve[1].series, panel->curve[0].series);
  cr_assert_eq(panel->curve[1].points, 2);
  for (size_t i = 0; i < 2; i++)
    cr_expect(panel->curve[1].x[i] == crossings->data.float64[i] && panel->curve[1].y[i] == 1.0);
  cr_expect_not_null(strstr(figure->notes, "circles: where stability changes\n"), "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* The boundary goes through the crossings of the file, where the map has it between the same neighbours. */
Test(figure, boundary_of_the_file) {
  static const size_t over[] = {0, 1, 3};
  static const double count[] = {0, 1};
  struct cs_array *crossings;
  struct cs_table *table = make_map();
  const struct cs_figure_panel *panel;
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  double row[ROWS], want[ROWS];
  size_t rows = 0;
  panel = &figure->panel[0];
  const struct cs_figure_curve *boundary = find_ink(panel, CS_INK_BOUNDARY);
  for (size_t i = 0; i < boundary->points; i++) /* the points on rows, and others close to them */
    for (size_t r = 0; r < ROWS && !isnan(boundary->y[i]); r++)
      if (fabs(boundary->y[i] / pow(10.0, (double)r - 2.0) - 1.0) < 1e-9 &&
          (rows == 0 || row[rows - 1] < boundary->y[i])) {
        row[rows] = boundary->y[i];
        want[rows++] = 1.05 * boundary->x[i];
      }
  cr_assert_geq(rows, 3);
  cs_figure_free(figure);
  cr_assert_eq(cs_table_add_dimension(table, "crossing", "1", "", 2, count, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "H_crossings", "s", "", CS_FLOAT64, 3, over, &crossings, &error), CS_OK);
  for (size_t k = 0; k < rows; k++)
    crossings->data.float64[2 * (size_t)lround(log10(row[k]) + 2.0)] = want[k];
  figure = draw(table, &(struct cs_figure_request){0});
  boundary = find_ink(&figure->panel[0], CS_INK_BOUNDARY);
  for (size_t k = 0; k < rows; k++) {
    size_t found = 0;
    for (size_t i = 0; i < boundary->points; i++)
      if (!isnan(boundary->y[i]) && fabs(boundary->y[i] / row[k] - 1.0) < 1e-9) found += boundary->x[i] == want[k];
    cr_expect_geq(found, 1, "row %g: the line does not go through %g", row[k], want[k]);
  }
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Points of the group show between the cells, in the panel they belong to. */
Test(figure, refined_points) {
  static const size_t over[] = {0};
  static const char *const names[] = {"H", "dk", "spectral_radius"};
  static const double value[] = {0.0397 * 1.77, 0.03162, 33.0};
  struct cs_table *table = make_map(), *group;
  struct cs_array *array;
  const double point[] = {0};
  cr_assert_eq(cs_table_add_group(table, "refined", "points", &group, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(group, "point", "1", "", 1, point, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(group, "master", "", "", CS_TEXT, 1, over, &array, &error), CS_OK);
  array->data.text[0] = strdup("gauss_seidel");
  cr_assert_eq(cs_table_add_array(group, "level", "1", "", CS_UINT8, 1, over, &array, &error), CS_OK);
  array->data.uint8[0] = 2;
  for (size_t i = 0; i < 3; i++) {
    cr_assert_eq(cs_table_add_array(group, names[i], "1", "", CS_FLOAT64, 1, over, &array, &error), CS_OK);
    array->data.float64[0] = value[i];
  }
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_expect_eq(pixel(&figure->panel[1], value[0], value[1]), 33.0);
  cr_expect_neq(pixel(&figure->panel[0], value[0], value[1]), 33.0);
  cr_expect_neq(pixel(&figure->panel[1], value[0] * 1.5, value[1]), 33.0);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Without such a search the circles stand where straight lines between runs pass 1. */
Test(figure, crossings_between_runs) {
  static const double H[] = {1, 2, 3, 4};
  static const size_t along[] = {0};
  struct cs_array *rho;
  struct cs_table *table = cs_table_new("Limits", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "g", "s", "gain of the loop", 4, H, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "spectral_radius", "1", "", CS_FLOAT64, 1, along, &rho, &error), CS_OK);
  for (size_t i = 0; i < 4; i++)
    rho->data.float64[i] = i == 1 ? 4.0 : i == 3 ? 1.0 + 1e-12 : 0.9; /* 1 but for rounding */
  cr_assert_eq(cs_table_add_text(table, "study", 1, 1, (const char *const[]){"stability"}, &error), CS_OK);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.metric = "spectral_radius", .kind = "lines"});
  const struct cs_figure_panel *panel = &figure->panel[0];
  cr_assert_eq(panel->curves, 3);
  cr_assert_eq(panel->curve[1].points, 2);
  cr_expect_float_eq(panel->curve[1].x[0], 1.0 + 0.1 / 3.1, 1e-12);
  cr_expect_float_eq(panel->curve[1].x[1], 2.0 + 3.0 / 3.1, 1e-12);
  cr_expect_not_null(strstr(figure->notes, "circles: where stability changes, interpolated between runs\n"));
  cs_figure_free(figure);
  cs_table_free(table);
}
