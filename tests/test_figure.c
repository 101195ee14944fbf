/* Figures as descriptions: which curves and panels a table becomes, slopes, gaps, and requests it cannot fulfil. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"

static struct cs_error error;

/* ---- a table made by hand */

enum { SOLVERS = 2, ORDERS = 3, STEPS = 9, OUTPUTS = 2 };

static const char sweep[] =
    "{\"axes\": [{\"name\": \"solver\", \"path\": \"method.solver\"}, {\"name\": \"order\", \"path\": "
    "\"method.order\"}, "
    "{\"name\": \"H\", \"path\": \"method.step.size\"}]}";

static double step(size_t i) {
  return 0.001 * pow(10.0, 0.25 * (double)i);
}

/* output_error = (1 + solver) 10^output H^(order + 1), of outputs in m and in N; the run with solver euler, order 1 and
 * the third H failed; order 2 of euler is zero. Its fitted orders are order + 1, of euler 7. */
static struct cs_table *make_table(bool fitted) {
  static const char *const solvers[] = {"exact", "euler"}, *const outputs[] = {"body.x_1", "body.f"};
  static const double orders[] = {0, 1, 2};
  static const size_t all[] = {0, 1, 2, 3}, of_fit[] = {0, 1, 3};
  double steps[STEPS];
  struct cs_array *value, *status, *units, *order;
  struct cs_table *table = cs_table_new("A title", "test", "none");
  for (size_t i = 0; i < STEPS; i++)
    steps[i] = step(i);
  cr_assert_eq(cs_table_add_dimension(table, "solver", "", "solver", SOLVERS, NULL, solvers, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "order", "1", "order", ORDERS, orders, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "H", "s", "macro step size", STEPS, steps, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "output", "", "output", OUTPUTS, NULL, outputs, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "output_units", "", "", CS_TEXT, 1, &all[3], &units, &error), CS_OK);
  units->data.text[0] = strdup("m");
  units->data.text[1] = strdup("N");
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 3, all, &status, &error), CS_OK);
  status->data.uint8[(1 * ORDERS + 1) * STEPS + 2] = 1;
  cr_assert_eq(cs_table_add_array(table, "output_error", "see output_units", "", CS_FLOAT64, 4, all, &value, &error),
               CS_OK);
  for (size_t i = 0; i < value->count; i++) {
    const size_t output = i % OUTPUTS, h = i / OUTPUTS % STEPS, o = i / OUTPUTS / STEPS % ORDERS;
    const size_t solver = i / OUTPUTS / STEPS / ORDERS;
    value->data.float64[i] = solver == 1 && o == 2
                                 ? 0.0
                                 : (1.0 + (double)solver) * pow(10.0, (double)output) * pow(step(h), (double)o + 1.0);
  }
  if (fitted) {
    cr_assert_eq(cs_table_add_array(table, "output_error_order", "1", "", CS_FLOAT64, 3, of_fit, &order, &error),
                 CS_OK);
    for (size_t i = 0; i < order->count; i++)
      order->data.float64[i] = i / OUTPUTS / ORDERS == 1 ? 7.0 : (double)(i / OUTPUTS % ORDERS) + 1.0;
  }
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, (const char *const[]){sweep}, &error), CS_OK);
  return table;
}

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
  static const char *const labels[] = {"output_error [m]", "output_error [N]"};
  struct cs_table *table = make_table(false);
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
    cr_expect(panel->x.least < step(0) && panel->x.most > step(STEPS - 1));
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
        const double y = (p >= 2 ? 2.0 : 1.0) * (p % 2 == 1 ? 10.0 : 1.0) * pow(step(i), (double)c + 1.0);
        cr_expect_eq(curve->x[i], step(i));
        cr_expect(gap ? isnan(curve->y[i]) : fabs(curve->y[i] - y) <= 1e-12 * y, "panel %zu, curve %zu: %g", p, c,
                  curve->y[i]);
      }
    }
  }
  cr_expect(strstr(figure->notes, "2 values not drawn: the run failed") != NULL, "%s", figure->notes);
  cr_expect(strstr(figure->notes, "18 values of 0 or less") != NULL, "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* A triangle of every whole slope, as steep as it says, that touches no curve. */
Test(figure, triangles) {
  struct cs_table *table = make_table(false);
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
  struct cs_table *table = make_table(true);
  struct cs_figure *figure = draw(
      table,
      &(struct cs_figure_request){.where = (const char *const[]){"solver=euler"}, .wheres = 1, .signal = "body.f"});
  cr_assert_eq(figure->panels, 1);
  cr_expect_str_eq(figure->panel[0].curve[0].title, "order 0: slope 7.00");
  cs_figure_free(figure);
  cs_table_free(table);
}

/* ---- requests */

Test(figure, chosen_curves_and_panels) {
  struct cs_table *table = make_table(false);
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
  cr_expect_eq(figure->panel[0].curve[1].y[2], 10.0 * pow(step(8), 3.0));
  cs_figure_free(figure);
  cs_table_free(table);
}

Test(figure, names_as_points) {
  struct cs_table *table = make_table(false);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.x = "solver", .kind = "points"});
  cr_expect_str_eq(figure->kind, "points");
  cr_assert_eq(figure->panel[0].x.ticks, SOLVERS);
  cr_expect_str_eq(figure->panel[0].x.tick[1], "euler");
  cr_expect_eq(figure->panel[0].curve[0].draw, CS_DRAW_POINTS);
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
      {{.kind = "histogram"}, "--kind \"histogram\"; want one of: convergence, "},
      {{.curve = "order,h"}, "--curve \"h\"; want one of: solver, order, H, output"},
      {{.curve = "H"}, "--curve \"H\": the figure has it elsewhere already; want another dimension"},
      {{.panel = "order", .curve = "order"}, "--panel \"order\": the figure has it elsewhere already"},
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
  struct cs_table *table = make_table(false);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_figure *figure = NULL;
    cr_expect_eq(cs_figure_new(table, &row[i].request, &figure, &error), CS_USAGE, "row %zu", i);
    cr_expect(strncmp(error.message, row[i].want, strlen(row[i].want)) == 0, "row %zu: %s", i, error.message);
    cr_expect_null(figure);
  }
  cs_table_free(table);
}
