/* Figures as descriptions: which curves and panels a table becomes, slopes, gaps, and requests it cannot fulfil. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "figure_case.h"
#include "gnuplot.h"
#include "status.h"

static struct cs_error error;

static struct cs_figure *draw(const struct cs_table *table, const struct cs_figure_request *request) {
  struct cs_figure *figure = NULL;
  cr_assert_eq(cs_figure_new(table, request, &figure, &error), CS_OK, "%s", error.message);
  return figure;
}

/* Curves beside reference triangles. */
static size_t count_series(const struct cs_figure_panel *panel) {
  size_t count = 0;
  for (size_t i = 0; i < panel->curves; i++)
    count += panel->curve[i].ink == CS_INK_SERIES;
  return count;
}

/* ---- convergence */

Test(figure, convergence_without_options) {
  static const char *const titles[] = {"exact, body.x_1", "exact, body.f", "euler, body.x_1", "euler, body.f"};
  static const char *const labels[] = {"RMS output error [m]", "RMS output error [N]"};
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_expect_str_eq(figure->kind, "convergence");
  cr_expect_str_eq(figure->title, "A title");
  cr_assert_eq(figure->panels, 4);
  cr_expect_eq(figure->across, 2);
  for (size_t p = 0; p < 4; p++) {
    const struct cs_figure_panel *panel = &figure->panel[p];
    cr_expect_str_eq(panel->title, titles[p]);
    cr_expect_str_eq(panel->x.label, "macro step size H [s]");
    cr_expect_str_eq(panel->y.label, labels[p % 2]);
    cr_expect(panel->x.log && panel->y.log);
    cr_expect(panel->x.least < figure_case_step(0) && panel->x.most > figure_case_step(STEPS - 1));
    cr_assert_eq(count_series(panel), ORDERS);
    for (size_t c = 0; c < ORDERS; c++) {
      const struct cs_figure_curve *curve = &panel->curve[c];
      char want[32];
      snprintf(want, sizeof want, p >= 2 && c == 2 ? "order %zu: zero" : "order %zu: slope %.2f", c, (double)c + 1.0);
      cr_expect_str_eq(curve->title, want);
      cr_expect_eq(curve->series, c);
      cr_assert_eq(curve->points, STEPS);
      for (size_t i = 0; i < STEPS; i++) {
        const bool gap = p >= 2 && (c == 2 || (c == 1 && i == 2));
        const double y = (p >= 2 ? 2.0 : 1.0) * (p % 2 == 1 ? 10.0 : 1.0) * pow(figure_case_step(i), (double)c + 1.0);
        cr_expect_eq(curve->x[i], figure_case_step(i));
        cr_expect(gap ? isnan(curve->y[i]) : fabs(curve->y[i] - y) <= 1e-12 * y, "panel %zu, curve %zu: %g", p, c,
                  curve->y[i]);
      }
    }
  }
  cr_expect_eq(figure->panel[0].y.most, figure->panel[2].y.most); /* one unit, one range */
  cr_expect_neq(figure->panel[0].y.most, figure->panel[1].y.most);
  cr_expect(strstr(figure->notes, "2 values not drawn: the run failed") != NULL, "%s", figure->notes);
  cr_expect(strstr(figure->notes, "18 values of 0 or less") != NULL, "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* A triangle of every whole slope, as steep as it says, that touches no curve. */
/* Events over H; `found`: how many of the times have a partner. */
static struct cs_table *make_event_times(size_t found) {
  static const char *const events[] = {"hit"};
  static const size_t over[] = {2, 4};
  struct cs_array *array;
  struct cs_table *table = figure_case_table(false);
  cr_assert_eq(cs_table_add_dimension(table, "event", "", "event", 1, NULL, events, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "event_time_error", "s", "", CS_FLOAT64, 2, over, &array, &error), CS_OK);
  for (size_t i = 0; i < found; i++)
    array->data.float64[i] = figure_case_step(i);
  return table;
}

Test(figure, convergence_begins_with_times_of_events) {
  static const struct {
    struct cs_figure_request request;
    size_t found;
    const char *label;
  } cases[] = {
      {{0}, STEPS, "RMS event time error [s]"},
      {{.kind = "convergence"}, STEPS, "RMS event time error [s]"},
      {{.kind = "convergence"}, 0, "RMS output error [m]"},
      {{.metric = "output_error"}, STEPS, "RMS output error [m]"},
      {{.kind = "lines"}, STEPS, "RMS output error [m]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_table *table = make_event_times(cases[i].found);
    struct cs_figure *figure = draw(table, &cases[i].request);
    cr_expect_str_eq(figure->panel[0].y.label, cases[i].label, "case %zu: %s", i, figure->panel[0].y.label);
    cs_figure_free(figure);
    cs_table_free(table);
  }
}

Test(figure, triangles) {
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  const struct cs_figure_panel *panel = &figure->panel[0];
  cr_assert_eq(panel->curves, 2 * ORDERS);
  cr_assert_eq(panel->labels, ORDERS);
  for (size_t i = 0; i < ORDERS; i++) {
    const struct cs_figure_curve *t = &panel->curve[ORDERS + i];
    char want[16];
    snprintf(want, sizeof want, "%zu", i + 1);
    cr_expect_str_eq(panel->label[i].text, want);
    cr_expect_eq(t->ink, CS_INK_REFERENCE);
    const double slope = log(t->y[2] / t->y[1]) / log(t->x[1] / t->x[0]);
    cr_expect(fabs(slope - (double)i - 1.0) < 1e-9, "slope %g", slope);
    for (size_t c = 0; c < ORDERS; c++) {
      const double below = pow(t->x[0], (double)c + 1.0), above = pow(t->x[1], (double)c + 1.0);
      cr_expect((below > t->y[0] && above > t->y[2]) || (below < t->y[0] && above < t->y[1]), "%zu, %zu", i, c);
    }
  }
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Orders in the file are those of the legend. */
Test(figure, orders_of_the_file) {
  struct cs_table *table = figure_case_table(true);
  struct cs_figure *figure = draw(
      table,
      &(struct cs_figure_request){.where = (const char *const[]){"solver=euler"}, .wheres = 1, .signal = "body.f"});
  cr_assert_eq(figure->panels, 1);
  cr_expect_str_eq(figure->panel[0].curve[0].title, "order 0: slope 7.00");
  cr_expect_not_null(strstr(figure->notes, "only solver = euler, output = body.f\n"), "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Triangles stand where the slopes were fitted. */
Test(figure, triangles_within_the_fit) {
  static const size_t of_fit[] = {0, 1, 3};
  struct cs_table *table = figure_case_table(true);
  struct cs_array *end[2];
  for (int e = 0; e < 2; e++) {
    const char *name = e == 0 ? "output_error_order_first" : "output_error_order_last";
    cr_assert_eq(cs_table_add_array(table, name, "s", "", CS_FLOAT64, 3, of_fit, &end[e], &error), CS_OK);
    for (size_t i = 0; i < end[e]->count; i++)
      end[e]->data.float64[i] = figure_case_step(e == 0 ? 4 : STEPS - 1);
  }
  struct cs_figure *figure =
      draw(table, &(struct cs_figure_request){.where = (const char *const[]){"solver=exact"}, .wheres = 1});
  const struct cs_figure_panel *panel = &figure->panel[0];
  size_t triangles = 0;
  for (size_t c = 0; c < panel->curves; c++) {
    const struct cs_figure_curve *t = &panel->curve[c];
    if (t->ink != CS_INK_REFERENCE) continue;
    triangles++;
    cr_expect_geq(sqrt(t->x[0] * t->x[1]), figure_case_step(4));
  }
  cr_expect_geq(triangles, 1);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* ---- many values */

/* Forty numbers of a parameter: five curves, from the first to the last, or where curves and panels are others the one
 * in the middle. More signals than panels: twelve. Notes for all. */
Test(figure, too_many_values) {
  static const size_t all[] = {0, 1, 2, 3};
  static const double q[] = {1, 2, 3};
  const char *names[20];
  char name[20][8];
  double values[40], steps[] = {0.1, 0.01, 0.001};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("Many", "test", "none");
  for (size_t i = 0; i < 40; i++)
    values[i] = (double)i;
  for (size_t i = 0; i < 20; i++) {
    snprintf(name[i], sizeof name[i], "s%zu", i);
    names[i] = name[i];
  }
  cr_assert_eq(cs_table_add_dimension(table, "p", "1", "", 40, values, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "q", "1", "", 3, q, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "H", "s", "", 3, steps, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "state", "", "", 20, NULL, names, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 3, all, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "state_error", "see state_units", "", CS_FLOAT64, 4, all, &array, &error),
               CS_OK);
  for (size_t i = 0; i < array->count; i++)
    array->data.float64[i] = 1.0 + (double)(i / 180);
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"p\", \"path\": \"parameters.p\"}, {\"name\": \"q\", \"path\": \"parameters.q\"}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\"}]}"};
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_assert_eq(figure->panel[0].curves, 3);
  cr_expect_eq(figure->panel[0].curve[0].y[0], 21.0);
  cr_expect_not_null(strstr(figure->notes, "1 of 40 values of p: p = 20; --where p=VALUE chooses\n"), "%s",
                     figure->notes);
  cs_figure_free(figure);
  figure = draw(table, &(struct cs_figure_request){.where = (const char *const[]){"q=2"}, .wheres = 1});
  cr_expect_str_eq(figure->kind, "convergence");
  cr_expect_eq(figure->panels, CS_FIGURE_PANELS);
  cr_expect_str_eq(figure->panel[11].title, "s19");
  cr_assert_eq(figure->panel[0].curves, 5);
  cr_expect_str_eq(figure->panel[0].curve[0].title, "p = 0: slope 0.00");
  cr_expect_eq(figure->panel[0].curve[4].y[0], 40.0);
  cr_expect_not_null(strstr(figure->notes, "5 of 40 values of p; --where p=VALUE chooses\n"), "%s", figure->notes);
  cr_expect_not_null(strstr(figure->notes, "12 of 20 values of state; "), "%s", figure->notes);
  cs_figure_free(figure);
  memset(cs_table_find(table, "status")->data.uint8, 1, 360);
  cr_expect_eq(cs_figure_new(table, &(struct cs_figure_request){0}, &figure, &error), CS_NO_RESULT);
  cr_expect_str_eq(error.message, "state_error: no run that is drawn succeeded");
  cs_table_free(table);
}

/* Values that grow without bound do not flatten the others. */
Test(figure, unbounded_values) {
  struct cs_table *table = figure_case_table(false);
  struct cs_array *value = cs_table_find(table, "output_error");
  value->data.float64[0] = 1e140;
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_expect_lt(figure->panel[0].y.most, 1e6);
  cr_expect_eq(figure->panel[0].curve[0].y[0], 1e140);
  cr_expect_not_null(strstr(figure->notes, "beyond the axis"), "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* ---- maps */

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

static const struct cs_figure_curve *find_ink(const struct cs_figure_panel *panel, enum cs_figure_ink ink) {
  for (size_t i = 0; i < panel->curves; i++)
    if (panel->curve[i].ink == ink) return &panel->curve[i];
  return NULL;
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

/* ---- cost */

/* Two masters, three step sizes: costs 40, 20, 10 of both; errors 0.1, 0.5, 1 and 0.15, 0.2, 3. */
static struct cs_table *make_contest(void) {
  static const char *const masters[] = {"a", "b"}, *const signals[] = {"s"};
  static const double steps[] = {0.1, 0.2, 0.4}, orders[] = {0}, errors[] = {0.1, 0.5, 1, 0.15, 0.2, 3};
  static const size_t all[] = {0, 1, 2, 3};
  struct cs_array *value, *cost;
  struct cs_table *table = cs_table_new("A contest", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "master", "", "", 2, NULL, masters, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "order", "1", "", 1, orders, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "H", "s", "", 3, steps, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "output", "", "", 1, NULL, signals, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 3, all, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "evaluations", "1", "calls", CS_INT64, 3, all, &cost, &error), CS_OK);
  for (size_t i = 0; i < 6; i++)
    cost->data.int64[i] = 40 >> i % 3;
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 4, all, &value, &error), CS_OK);
  memcpy(value->data.float64, errors, sizeof errors);
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"master\", \"path\": \"method.master\"}, {\"name\": \"order\", \"path\": "
      "\"method.order\"}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\"}]}"};
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  return table;
}

Test(figure, error_against_cost) {
  static const double stairs[][2] = {{10, 1}, {20, 1}, {20, 0.2}, {40, 0.2}, {40, 0.1}}, b[] = {3, 0.2, 0.15};
  struct cs_table *table = make_contest();
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.x = "evaluations"});
  cr_expect_str_eq(figure->kind, "cost");
  cr_assert_eq(figure->panels, 1);
  const struct cs_figure_panel *panel = &figure->panel[0];
  cr_expect_str_eq(panel->x.label, "calls");
  cr_expect_str_eq(panel->y.label, "RMS output error [m]");
  cr_expect(panel->x.log && panel->y.log);
  cr_assert_eq(panel->curves, 3);
  const struct cs_figure_curve *best = find_ink(panel, CS_INK_FRONT), *second = &panel->curve[2];
  cr_assert_eq(best->points, 5);
  for (size_t i = 0; i < 5; i++)
    cr_expect(best->x[i] == stairs[i][0] && best->y[i] == stairs[i][1], "%zu: %g, %g", i, best->x[i], best->y[i]);
  cr_expect_str_eq(second->title, "b");
  cr_assert_eq(second->points, 3);
  for (size_t i = 0; i < 3; i++)
    cr_expect(second->x[i] == (double)(10 << i) && second->y[i] == b[i], "%zu: %g, %g", i, second->x[i], second->y[i]);
  cs_figure_free(figure);
  cr_expect_eq(cs_figure_new(table, &(struct cs_figure_request){.kind = "cost", .x = "stages"}, &figure, &error),
               CS_USAGE);
  cr_expect_str_eq(error.message, "--kind cost --x stages: want --x with one of the counts: evaluations");
  for (size_t i = 0; i < table->arrays; i++) /* numbers of points of fits are no cost */
    if (strcmp(table->array[i].name, "evaluations") == 0) table->array[i].dimensions--;
  cr_expect_eq(cs_figure_new(table, &(struct cs_figure_request){.kind = "cost"}, &figure, &error), CS_USAGE);
  cr_expect(strstr(error.message, "the file has no cost metric; want evaluations"), "%s", error.message);
  cs_table_free(table);
}

/* ---- traces */

/* Five rows: the start, two steps, a rejected one, a step. */
static struct cs_table *make_trace(void) {
  static const double t[] = {0, 0.1, 0.3, 0.7, 0.5}, H[] = {NAN, 0.1, 0.2, 0.4, 0.2}, y[] = {1, 2, 3, 9, 4};
  static const int64_t accepted[] = {1, 1, 1, 0, 1};
  static const char *const outputs[] = {"a.y"};
  static const size_t all[] = {0, 1};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("A trace", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "t", "s", "", 5, t, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "output", "", "", 1, NULL, outputs, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "accepted", "1", "", CS_UINT8, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 5; i++)
    array->data.uint8[i] = (uint8_t)accepted[i];
  cr_assert_eq(cs_table_add_array(table, "H", "s", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  memcpy(array->data.float64, H, sizeof H);
  cr_assert_eq(cs_table_add_array(table, "y", "V", "", CS_FLOAT64, 2, all, &array, &error), CS_OK);
  memcpy(array->data.float64, y, sizeof y);
  cr_assert_eq(cs_table_add_array(table, "y_exact", "V", "", CS_FLOAT64, 2, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 5; i++)
    array->data.float64[i] = y[i] + 0.5;
  return table;
}

/* Curves with NaN for the gap. */
static void expect_curve(const struct cs_figure_curve *curve, size_t points, const double *x, const double *y) {
  cr_assert_eq(curve->points, points, "%zu points", curve->points);
  for (size_t i = 0; i < points; i++)
    cr_expect(curve->x[i] == x[i] && (isnan(y[i]) ? isnan(curve->y[i]) : curve->y[i] == y[i]), "point %zu: %g, %g", i,
              curve->x[i], curve->y[i]);
}

Test(figure, trace) {
  static const double t[] = {0, 0.1, 0.3, 0.5}, y[] = {1, 2, 3, 4};
  struct cs_table *table = make_trace();
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_expect_str_eq(figure->kind, "trace");
  cr_expect(figure->stacked);
  cr_assert_eq(figure->panels, 2);
  const struct cs_figure_panel *signals = &figure->panel[0], *steps = &figure->panel[1];
  cr_expect_str_eq(signals->y.label, "a.y [V]");
  cr_expect_str_eq(signals->x.label, "t [s]");
  const struct cs_figure_curve *exact = find_ink(signals, CS_INK_EXACT), *rejected = find_ink(steps, CS_INK_REJECTED);
  cr_assert_eq(signals->curve[0].points, 4);
  cr_assert_eq(exact->points, 4);
  for (size_t i = 0; i < 4; i++) {
    cr_expect(signals->curve[0].x[i] == t[i] && signals->curve[0].y[i] == y[i], "%zu", i);
    cr_expect(exact->x[i] == t[i] && exact->y[i] == y[i] + 0.5, "%zu", i);
  }
  cr_expect_str_eq(steps->y.label, "H [s]");
  expect_curve(&steps->curve[0], 4, (const double[]){0, 0.1, 0.1, 0.5}, (const double[]){0.1, 0.1, 0.2, 0.2});
  cr_assert_eq(rejected->points, 1);
  cr_expect(rejected->x[0] == 0.7 && rejected->y[0] == 0.4);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* A try that an event inside ended is not called rejected. */
Test(figure, tries_given_up) {
  struct cs_table *table = make_trace();
  static const size_t t[] = {0};
  struct cs_array *found;
  cr_assert_eq(cs_table_add_array(table, "found", "1", "", CS_UINT8, 1, t, &found, &error), CS_OK);
  for (size_t i = 0; i < 5; i++)
    found->data.uint8[i] = i == 3;
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  const struct cs_figure_panel *steps = &figure->panel[1];
  const struct cs_figure_curve *rejected = find_ink(steps, CS_INK_REJECTED), *up = find_ink(steps, CS_INK_GIVEN_UP);
  cr_expect_eq(rejected->points, 0);
  cr_expect_null(rejected->title);
  cr_expect_str_eq(up->title, "given up at an event");
  expect_curve(up, 1, (const double[]){0.7}, (const double[]){0.4});
  cs_figure_free(figure);
  cs_table_free(table);
}

/* States that jump at 0.3, in the exact solution at 0.2; a time event at 0.3. */
static void add_events(struct cs_table *table) {
  static const double time[] = {0.2, 0.3, 0.3}, before[] = {2.5, 3, 6}, after[] = {-2.5, 6, 7};
  static const int64_t partner[] = {-1, -1, -1};
  static const uint8_t exact[] = {1, 0, 0}, timed[] = {0, 0, 1};
  static const double x[] = {1, 2, 3, 9, 4}, x_after[] = {1, 2, 7, 9, 4};
  static const char *const states[] = {"a.x"};
  const size_t over[] = {0, 1};
  size_t root[] = {0, 0};
  struct cs_table *group;
  struct cs_array *array;
  cr_assert_eq(cs_table_add_dimension(table, "state", "", "", 1, NULL, states, &root[1], &error), CS_OK);
  for (int i = 0; i < 3; i++) {
    const char *const names[] = {"x", "x_exact", "x_after"};
    cr_assert_eq(cs_table_add_array(table, names[i], "m", "", CS_FLOAT64, 2, root, &array, &error), CS_OK);
    memcpy(array->data.float64, i == 2 ? x_after : x, sizeof x);
    for (size_t k = 0; k < 5 && i == 1; k++)
      array->data.float64[k] += 0.5;
  }
  cr_assert_eq(cs_table_add_group(table, "events", "", &group, &error), CS_OK);
  cr_assert_eq(cs_table_add_numbers(group, "occurrence", "event", 3, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(group, "state", "", "", 1, NULL, states, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(group, "time", "s", "", CS_FLOAT64, 1, over, &array, &error), CS_OK);
  memcpy(array->data.float64, time, sizeof time);
  cr_assert_eq(cs_table_add_array(group, "solution", "1", "", CS_UINT8, 1, over, &array, &error), CS_OK);
  memcpy(array->data.uint8, exact, sizeof exact);
  cr_assert_eq(cs_table_add_array(group, "timed", "1", "", CS_UINT8, 1, over, &array, &error), CS_OK);
  memcpy(array->data.uint8, timed, sizeof timed);
  cr_assert_eq(cs_table_add_array(group, "partner", "1", "", CS_INT64, 1, over, &array, &error), CS_OK);
  memcpy(array->data.int64, partner, sizeof partner);
  cr_assert_eq(cs_table_add_array(group, "x_before", "m", "", CS_FLOAT64, 2, over, &array, &error), CS_OK);
  memcpy(array->data.float64, before, sizeof before);
  cr_assert_eq(cs_table_add_array(group, "x_after", "m", "", CS_FLOAT64, 2, over, &array, &error), CS_OK);
  memcpy(array->data.float64, after, sizeof after);
}

Test(figure, traces_have_gaps_and_ticks_at_events) {
  static const double x[] = {0, 0, 0.1, 0.1, 0.3, 0.3, 0.3, 0.5, 0.5}, y[] = {1, 1, 2, 2, 3, NAN, 7, 4, 4};
  static const double at[] = {0, 0.1, 0.2, 0.2, 0.2, 0.3, 0.5}, exact[] = {1.5, 2.5, 2.5, NAN, -2.5, 3.5, 4.5};
  struct cs_table *table = make_trace();
  add_events(table);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.metric = "x"});
  const struct cs_figure_panel *signals = &figure->panel[0];
  expect_curve(&signals->curve[0], 9, x, y);
  expect_curve(find_ink(signals, CS_INK_EXACT), 7, at, exact);
  cr_assert_eq(signals->marks, 3);
  for (size_t i = 0; i < 3; i++) {
    cr_expect_eq(signals->mark[i].x, i == 0 ? 0.2 : 0.3);
    cr_expect_eq(signals->mark[i].above, i > 0);
    cr_expect_eq(signals->mark[i].alone, i < 2, "time events need no partner");
  }
  cr_expect_eq(figure->panel[1].marks, 0);
  cs_figure_free(figure);
  cs_table_free(table);
}

Test(figure, wrong_requests_of_traces) {
  static const struct {
    struct cs_figure_request request;
    const char *want;
  } row[] = {
      {{.metric = "x"}, "--metric \"x\"; a trace has other quantities; want one of: y"},
      {{.signal = "a.x"}, "--signal \"a.x\"; want one of: a.y"},
      {{.panel = "t"}, "--panel \"t\"; a trace is one run over t, want --metric and --signal alone"},
  };
  struct cs_table *table = make_trace(), *result = figure_case_table(false);
  struct cs_figure *figure = NULL;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    cr_expect_eq(cs_figure_new(table, &row[i].request, &figure, &error), CS_USAGE, "row %zu", i);
    cr_expect_str_eq(error.message, row[i].want, "row %zu: %s", i, error.message);
  }
  cr_expect_eq(cs_figure_new(result, &(struct cs_figure_request){.kind = "trace"}, &figure, &error), CS_USAGE);
  cr_expect_eq(strncmp(error.message, "--kind trace: the file is not a trace", 37), 0);
  cs_table_free(table);
  cs_table_free(result);
}

/* ---- requests */

Test(figure, chosen_curves_and_panels) {
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.curve = "solver,order", .panel = "output"});
  cr_assert_eq(figure->panels, 2);
  cr_expect_str_eq(figure->panel[1].title, "body.f");
  cr_assert_eq(count_series(&figure->panel[0]), 6);
  cr_expect_str_eq(figure->panel[0].curve[3].title, "euler, order 0: slope 1.00");
  cs_figure_free(figure);
  figure = draw(table, &(struct cs_figure_request){.x = "order",
                                                   .curve = "H",
                                                   .where = (const char *const[]){"H=0.1", "H=0.001"},
                                                   .wheres = 2,
                                                   .signal = "body.f",
                                                   .kind = "lines"});
  cr_expect_str_eq(figure->kind, "lines");
  cr_expect_str_eq(figure->panel[0].x.label, "order");
  cr_assert_eq(count_series(&figure->panel[0]), 2);
  cr_expect_str_eq(figure->panel[0].curve[1].title, "H = 0.1 s");
  cr_expect_eq(figure->panel[0].curve[1].y[2], 10.0 * pow(figure_case_step(8), 3.0));
  cs_figure_free(figure);
  cs_table_free(table);
}

Test(figure, several_metrics) {
  static const size_t all[] = {0, 1, 2, 3};
  struct cs_array *array;
  struct cs_table *table = figure_case_table(true);
  cr_assert_eq(cs_table_add_array(table, "output_defect", "see output_units", "", CS_FLOAT64, 4, all, &array, &error),
               CS_OK);
  for (size_t i = 0; i < array->count; i++)
    array->data.float64[i] = 3.0 * cs_table_find(table, "output_error")->data.float64[i];
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.metric = "output_defect,output_error"});
  cr_assert_eq(figure->panels, 8);
  cr_expect_eq(figure->across, 2);
  cr_expect_str_eq(figure->panel[1].y.label, "RMS output defect [N]");
  cr_expect_str_eq(figure->panel[5].y.label, "RMS output error [N]");
  cr_expect_eq(figure->panel[0].curve[0].y[0], 3.0 * figure->panel[4].curve[0].y[0]);
  cr_expect_not_null(strstr(figure->notes, "2 values not drawn: the run failed\n"));
  cr_expect_null(strstr(strstr(figure->notes, "run failed") + 1, "run failed"), "%s", figure->notes);
  cs_figure_free(figure);
  cr_expect_eq(cs_figure_new(table, &(struct cs_figure_request){.metric = "output_error,output_defect", .panel = "H"},
                             &figure, &error),
               CS_USAGE);
  cs_table_free(table);
}

/* Settings that move together are called by their names, by numbers only where names do not tell them apart, and never
 * by what all have. */
Test(figure, settings_that_move_together) {
  static const char *const starts[][2] = {{"ramp", "zero"}, {"zero", "zero"}};
  static const char *const want[][2] = {{"ramp", "zero"}, {"k 3", "k 4"}};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"case\", \"zip\": {\"method.start\": [], \"parameters.k\": [], \"parameters.same\": "
      "[]}}]}"};
  static const double cases[] = {0, 1}, steps[] = {0.1, 0.01};
  static const size_t all[] = {0, 1};
  for (size_t n = 0; n < 2; n++) {
    struct cs_table *table = cs_table_new("Cases", "test", "none");
    struct cs_array *start, *k, *same, *value;
    cr_assert_eq(cs_table_add_dimension(table, "case", "1", "", 2, cases, NULL, NULL, &error), CS_OK);
    cr_assert_eq(cs_table_add_dimension(table, "H", "s", "", 2, steps, NULL, NULL, &error), CS_OK);
    cr_assert_eq(cs_table_add_array(table, "case_start", "1", "", CS_TEXT, 1, all, &start, &error), CS_OK);
    for (size_t i = 0; i < 2; i++)
      start->data.text[i] = strdup(starts[n][i]);
    cr_assert_eq(cs_table_add_array(table, "case_k", "1", "", CS_FLOAT64, 1, all, &k, &error), CS_OK);
    cr_assert_eq(cs_table_add_array(table, "case_same", "1", "", CS_FLOAT64, 1, all, &same, &error), CS_OK);
    cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 2, all, &value, &error), CS_OK);
    k = cs_table_find(table, "case_k"), same = cs_table_find(table, "case_same");
    for (size_t i = 0; i < 2; i++) {
      k->data.float64[i] = 3.0 + (double)i;
      same->data.float64[i] = 5.0;
    }
    for (size_t i = 0; i < value->count; i++)
      value->data.float64[i] = 1.0 + (double)i;
    cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
    struct cs_figure *figure =
        draw(table, &(struct cs_figure_request){.kind = "convergence", .x = "H", .curve = "case"});
    for (size_t c = 0; c < 2; c++) {
      const char *title = figure->panel[0].curve[c].title;
      cr_expect_eq(strncmp(title, want[n][c], strlen(want[n][c])), 0, "%zu, %zu: %s", n, c, title);
    }
    cs_figure_free(figure);
    cs_table_free(table);
  }
}

/* Two settings that move together: k = 4, 1, 3, 2 and d = 1, 2, 3, 4. output_error = 10 + i, of the run i. */
static struct cs_table *make_design(void) {
  static const double runs[] = {0, 1, 2, 3}, k[] = {4, 1, 3, 2}, d[] = {1, 2, 3, 4};
  static const size_t all[] = {0};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"sample\", \"zip\": {\"parameters.k\": [], \"parameters.d\": []}}]}"};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("A design", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "sample", "1", "", 4, runs, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "sample_k", "N/m", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  memcpy(array->data.float64, k, sizeof k);
  cr_assert_eq(cs_table_add_array(table, "sample_d", "1", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  memcpy(array->data.float64, d, sizeof d);
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 4; i++)
    array->data.float64[i] = 10.0 + (double)i;
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  return table;
}

Test(figure, settings_that_move_together_along_x) {
  static const struct {
    struct cs_figure_request request;
    const char *kind, *label, *note;
    double x[4];
    enum cs_figure_draw draw;
  } row[] = {
      {{0},
       "points",
       "k [N/m]",
       "sample moves several settings and is drawn over k; --x SETTING chooses\n",
       {4, 1, 3, 2},
       CS_DRAW_POINTS},
      {{.x = "sample"},
       "points",
       "k [N/m]",
       "sample moves several settings and is drawn over k; --x SETTING chooses\n",
       {4, 1, 3, 2},
       CS_DRAW_POINTS},
      {{.x = "d"}, "lines", "d", "", {1, 2, 3, 4}, CS_DRAW_BOTH},
      {{.x = "parameters.d"}, "lines", "d", "", {1, 2, 3, 4}, CS_DRAW_BOTH},
      {{.x = "sample_d"}, "lines", "d", "", {1, 2, 3, 4}, CS_DRAW_BOTH},
      {{.x = "d", .kind = "points"}, "points", "d", "", {1, 2, 3, 4}, CS_DRAW_POINTS},
      {{.x = "sample", .kind = "points"}, "points", "sample", "", {0, 1, 2, 3}, CS_DRAW_POINTS},
  };
  struct cs_table *table = make_design();
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_figure *figure = draw(table, &row[i].request);
    const struct cs_figure_panel *panel = &figure->panel[0];
    cr_expect_str_eq(figure->kind, row[i].kind, "row %zu: %s", i, figure->kind);
    cr_expect_str_eq(panel->x.label, row[i].label, "row %zu: %s", i, panel->x.label);
    cr_expect_str_eq(figure->notes, row[i].note, "row %zu: %s", i, figure->notes);
    cr_expect_eq(panel->curve[0].draw, row[i].draw, "row %zu", i);
    for (size_t k = 0; k < 4; k++)
      cr_expect(panel->curve[0].x[k] == row[i].x[k] && panel->curve[0].y[k] == 10.0 + (double)k, "row %zu: %g", i,
                panel->curve[0].x[k]);
    cs_figure_free(figure);
  }
  struct cs_figure *figure = NULL;
  cr_expect_eq(cs_figure_new(table, &(struct cs_figure_request){.x = "e"}, &figure, &error), CS_USAGE);
  cr_expect_str_eq(error.message, "--x \"e\"; want one of: sample");
  cs_table_free(table);
}

/* Words among settings that move together divide a curve: 2 x 3 runs of two controls, interleaved; the sizes of each
 * are in order. */
Test(figure, words_that_move_with_numbers) {
  static const double runs[] = {0, 1, 2, 3, 4, 5}, size[] = {0.1, 0.4, 0.2, 0.5, 0.3, 0.6};
  static const char *const words[] = {"fixed", "pi_defect"};
  static const size_t all[] = {0};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"setting\", \"zip\": {\"method.step.control\": [], \"method.step.size\": []}}]}"};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("Settings", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "setting", "1", "", 6, runs, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "setting_control", "1", "", CS_TEXT, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 6; i++)
    array->data.text[i] = strdup(words[i % 2]);
  cr_assert_eq(cs_table_add_array(table, "setting_size", "s", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  memcpy(array->data.float64, size, sizeof size);
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 6; i++)
    array->data.float64[i] = 10.0 + (double)i;
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 1, all, &array, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "steps", "1", "", CS_INT64, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 6; i++)
    array->data.int64[i] = 100 + (int64_t)i;
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  for (int cost = 0; cost < 2; cost++) {
    struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = cost ? "cost" : "lines"});
    const struct cs_figure_panel *panel = &figure->panel[0];
    cr_assert_eq(panel->curves, 2u + (unsigned)cost); /* the front first */
    for (size_t g = 0; g < 2; g++) {
      const struct cs_figure_curve *curve = &panel->curve[g + (size_t)cost];
      cr_expect_str_eq(curve->title, words[g]);
      cr_expect(curve->points == 3 && curve->draw == CS_DRAW_BOTH && curve->series == g);
      for (size_t i = 0; i < 3; i++)
        cr_expect(curve->x[i] == (cost ? 100.0 + (double)(2 * i + g) : size[2 * i + g]) &&
                  curve->y[i] == 10.0 + (double)(2 * i + g));
    }
    cs_figure_free(figure);
  }
  cs_table_free(table);
}

/* A sample is drawn as points, before orders and against cost, where runs in no order are not joined. */
Test(figure, samples_beside_orders) {
  static const double orders[] = {0, 1};
  static const size_t all[] = {0, 1};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"order\", \"path\": \"method.order\"}, {\"name\": \"design\", \"zip\": "
      "{\"parameters.k\": []}}]}"};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("Sample", "test", "none");
  double runs[20];
  for (size_t i = 0; i < 20; i++)
    runs[i] = (double)i;
  cr_assert_eq(cs_table_add_dimension(table, "order", "1", "", 2, orders, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "design", "1", "", 20, runs, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "design_k", "1", "", CS_FLOAT64, 1, all + 1, &array, &error), CS_OK);
  for (size_t i = 0; i < 20; i++)
    array->data.float64[i] = 1.0 + (double)(7 * i % 20);
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 2, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 40; i++)
    array->data.float64[i] = 1.0 + (double)i;
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 2, all, &array, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "steps", "1", "", CS_INT64, 2, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 40; i++)
    array->data.int64[i] = 100 + (int64_t)i;
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  for (int cost = 0; cost < 2; cost++) {
    struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = cost ? "cost" : NULL});
    const struct cs_figure_panel *panel = &figure->panel[0];
    cr_assert_eq(panel->curves, 2);
    cr_expect(panel->curve[0].points == 20 && panel->curve[0].draw == CS_DRAW_POINTS);
    if (!cost) cr_expect_str_eq(panel->x.label, "k");
    cs_figure_free(figure);
  }
  cs_table_free(table);
}

/* A status is a number with a word; ok, 0, is drawn as well. */
Test(figure, statuses) {
  static const double steps[] = {0.001, 0.01, 0.1};
  static const size_t all[] = {0};
  static const uint8_t status[] = {0, 0, 1};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("Status", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "H", "s", "", 3, steps, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 1, all, &array, &error), CS_OK);
  memcpy(array->data.uint8, status, sizeof status);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.metric = "status"});
  const struct cs_figure_panel *panel = &figure->panel[0];
  cr_expect_str_eq(panel->y.label, "status (0=ok, 1=diverged)");
  cr_expect(!panel->y.log && panel->curve[0].draw == CS_DRAW_POINTS);
  for (size_t i = 0; i < 3; i++)
    cr_expect_eq(panel->curve[0].y[i], status[i]);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Methods whose steps and tolerances move together have nothing in common but their cost. */
Test(figure, efforts_that_move_together) {
  static const char *const controls[] = {"fixed", "pi_defect"};
  static const double fineness[] = {0, 1, 2}, sizes[] = {0.1, 0.03, 0.01};
  static const size_t all[] = {0, 1};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"control\", \"path\": \"method.step.control\"}, {\"name\": \"fineness\", \"zip\": "
      "{\"method.step.size\": [], \"method.step.tolerance\": []}}]}"};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("Control", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "control", "1", "", 2, NULL, controls, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "fineness", "1", "", 3, fineness, NULL, NULL, &error), CS_OK);
  for (int i = 0; i < 2; i++) {
    const char *name = i == 0 ? "fineness_size" : "fineness_tolerance";
    cr_assert_eq(cs_table_add_array(table, name, "1", "", CS_FLOAT64, 1, all + 1, &array, &error), CS_OK);
    memcpy(array->data.float64, sizes, sizeof sizes);
  }
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 2, all, &array, &error), CS_OK);
  for (size_t i = 0; i < array->count; i++)
    array->data.float64[i] = sizes[i % 3];
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 2, all, &array, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "steps", "1", "", CS_INT64, 2, all, &array, &error), CS_OK);
  for (size_t i = 0; i < array->count; i++)
    array->data.int64[i] = (int64_t)(1.0 / sizes[i % 3]) + (int64_t)i;
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_expect_str_eq(figure->kind, "cost");
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Values that the user chose are all drawn, or refused. */
Test(figure, chosen_values_are_never_thinned) {
  static const char *const where[] = {"H=0.001", "H=0.001778", "H=0.003162", "H=0.005623",
                                      "H=0.01",  "H=0.01778",  "H=0.03162",  "H=0.05623"};
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure =
      draw(table,
           &(struct cs_figure_request){.kind = "lines", .x = "order", .where = where, .wheres = 8, .signal = "body.f"});
  cr_expect_eq(count_series(&figure->panel[0]) * figure->panels, 16, "%zu panels", figure->panels);
  cr_expect_null(strstr(figure->notes, "chooses"), "%s", figure->notes);
  cs_figure_free(figure);
  cr_expect_eq(cs_figure_new(table,
                             &(struct cs_figure_request){
                                 .kind = "lines", .x = "order", .curve = "solver", .where = where, .wheres = 8},
                             &figure, &error),
               CS_USAGE);
  cr_expect_str_eq(error.message, "16 panels by H (8), output (2); want at most 12: --where AXIS=VALUE chooses");
  cs_table_free(table);
}

Test(figure, panels_without_values_are_left_out) {
  struct cs_table *table = figure_case_table(false);
  struct cs_array *value = cs_table_find(table, "output_error");
  for (size_t i = 0; i < value->count / 2; i++)
    value->data.float64[i] = NAN; /* of the first solver */
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_assert_eq(figure->panels, 2);
  cr_expect_str_eq(figure->panel[0].title, "euler, body.x_1");
  cr_expect_not_null(strstr(figure->notes, "2 of 4 panels not drawn: they have no values\n"), "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* A run alone: a panel for each signal. */
Test(figure, signals_of_different_units_share_no_panel) {
  static const char *const one[] = {"solver=exact", "order=1", "H=0.1"};
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.where = one, .wheres = 3, .kind = "lines"});
  cr_assert_eq(figure->panels, 2);
  cr_expect_str_eq(figure->panel[0].y.label, "RMS output error [m]");
  cr_expect_str_eq(figure->panel[1].y.label, "RMS output error [N]");
  cs_figure_free(figure);
  cs_table_free(table);
}

Test(figure, names_as_points) {
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.x = "solver", .kind = "points"});
  cr_expect_str_eq(figure->kind, "points");
  cr_assert_eq(figure->panel[0].x.ticks, SOLVERS);
  cr_expect_str_eq(figure->panel[0].x.tick[1], "euler");
  cr_expect_eq(figure->panel[0].curve[0].draw, CS_DRAW_POINTS);
  cs_figure_free(figure);
  figure = draw(table, &(struct cs_figure_request){.x = "output", .kind = "points"});
  cr_expect_str_eq(figure->panel[0].y.label, "RMS output error [units differ]");
  cr_expect_str_eq(figure->panel[0].x.tick[1], "body.f [N]");
  cs_figure_free(figure);
  cs_table_free(table);
}

Test(figure, wrong_requests) {
  static const char *const axis[] = {"h=1"}, *const value[] = {"solver=heun"}, *const number[] = {"H=0.2"};
  static const struct {
    struct cs_figure_request request;
    const char *want;
  } row[] = {
      {{.metric = "output_eror"}, "--metric \"output_eror\"; want one of: status, output_error"},
      {{.x = "h"}, "--x \"h\"; want one of: solver, order, H, output"},
      {{.kind = "histogram"}, "--kind \"histogram\"; want one of: convergence, map, cost, trace, lines, points"},
      {{.curve = "order,h"}, "--curve \"h\"; want one of: solver, order, H, output"},
      {{.curve = "H"}, "--curve \"H\": the figure uses this dimension already; want another dimension"},
      {{.metric = "output_error,status", .panel = "solver,order,output"},
       "--panel \"output\"; want one of: solver, order, H"},
      {{.metric = "output_error,output_error,output_error,output_error"},
       "--metric: 16 panels and more; want at most 12: --where and --signal choose"},
      {{.panel = "order", .curve = "order"}, "--panel \"order\": the figure uses this dimension already"},
      {{.signal = "f"}, "--signal \"f\"; want one of: body.x_1, body.f"},
      {{.signal = "f", .metric = "status"}, "--signal \"f\"; status has no signals"},
      {{.where = axis, .wheres = 1}, "--where \"h=1\"; want AXIS=VALUE with AXIS one of: solver, order, H, output"},
      {{.where = value, .wheres = 1}, "--where \"solver=heun\"; want one of: exact, euler"},
      {{.where = number, .wheres = 1}, "--where \"H=0.2\"; want one of: 0.001, "},
      {{.x = "solver", .kind = "convergence"}, "--kind convergence: solver has no numbers"},
      {{.x = "output", .panel = "H,order"},
       "27 panels by order (3), H (9); want at most 12: --where AXIS=VALUE chooses"},
      {{.x = "output", .curve = "H,order"}, "27 curves by order (3), H (9); want at most 16"},
  };
  struct cs_table *table = figure_case_table(false);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_figure *figure = NULL;
    cr_expect_eq(cs_figure_new(table, &row[i].request, &figure, &error), CS_USAGE, "row %zu", i);
    cr_expect(strncmp(error.message, row[i].want, strlen(row[i].want)) == 0, "row %zu: %s", i, error.message);
    cr_expect_null(figure);
  }
  cs_table_free(table);
}

/* ---- scripts */

/* In single quotes gnuplot obeys nothing, in double ones no octal numbers: whatever the title says, it stays one. */
Test(figure, texts_stay_texts_in_scripts) {
  struct cs_table *table = figure_case_table(false);
  struct cs_text script = {0}, numbers = {0};
  free(table->title);
  table->title = cs_text_copy("'Tom's' `ls` \\ $x\a 'end'");
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_assert_eq(cs_gnuplot_script(figure, "svg", "o'ut", "d'at", &script, &numbers, &error), CS_OK, "%s", error.message);
  static const char *const parts[] = {
      "set label 1000 \"\\047Tom\\047s\\047 \\140ls\\140 \\134 \\044x\357\277\275 \\047end\\047\" at ",
      "folder.\"o\\047ut\"\n", "folder.\"d\\047at\"\n"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    cr_expect(strstr(cs_text_string(&script), parts[i]), "%s is not in\n%.1500s", parts[i], cs_text_string(&script));
  cs_text_free(&script);
  cs_text_free(&numbers);
  cs_figure_free(figure);
  cs_table_free(table);
}
