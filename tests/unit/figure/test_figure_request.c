/* Requests: which curves and panels are chosen, settings that move together, and what a table cannot fulfil. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "drawn.h"
#include "figure_case.h"

static struct cs_error error;

Test(figure, chosen_curves_and_panels) {
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.curve = "solver,order", .panel = "output"});
  cr_assert_eq(figure->panels, 2);
  cr_expect_str_eq(figure->panel[1].title, "body.f");
  cr_assert_eq(count_series(&figure->panel[0]), 6);
  cr_expect_str_eq(figure_case_entry(&figure->panel[0].curve[3]), "euler, order 0: slope 1.00");
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
      const char *title = figure_case_entry(&figure->panel[0].curve[c]);
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
    array->data.float64[i] = 10.0 - (double)i;
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 1, all, &array, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "steps", "1", "", CS_INT64, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 6; i++)
    array->data.int64[i] = 100 + (int64_t)i;
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  for (int cost = 0; cost < 2; cost++) {
    struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = cost ? "cost" : "lines"});
    const struct cs_figure_panel *panel = &figure->panel[0];
    cr_assert_eq(panel->curves, 2u);
    for (size_t g = 0; g < 2; g++) {
      const struct cs_figure_curve *curve = &panel->curve[g];
      cr_expect_str_eq(curve->title, words[g]);
      cr_expect(curve->points == 3 && curve->draw == CS_DRAW_BOTH);
      cr_expect_eq(curve->series, cost ? 1 - g : g); /* pi_defect reaches one error more */
      for (size_t i = 0; i < 3; i++)
        cr_expect(curve->x[i] == (cost ? 100.0 + (double)(2 * i + g) : size[2 * i + g]) &&
                  curve->y[i] == 10.0 - (double)(2 * i + g));
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
      {{.metric = "output_eror"},
       "--metric \"output_eror\"; did you mean \"output_error\"? want one of: status, output_error"},
      {{.x = "h"}, "--x \"h\"; want one of: solver, order, H, output"},
      {{.kind = "histogram"}, "--kind \"histogram\"; want one of: convergence, map, cost, trace, lines, points"},
      {{.curve = "order,h"}, "--curve \"h\"; want one of: solver, order, H, output"},
      {{.curve = "H"}, "--curve \"H\": the figure uses this dimension already; want another dimension"},
      {{.metric = "output_error,status", .panel = "solver,order,output"},
       "--panel \"output\"; want one of: solver, order, H"},
      {{.metric = "output_error,output_error,output_error,output_error"},
       "--metric: 16 panels and more; want at most 12: --where and --signal choose"},
      {{.panel = "order", .curve = "order"}, "--panel \"order\": the figure uses this dimension already"},
      {{.signal = "f"}, "--signal \"f\"; did you mean \"body.f\"? want one of: body.x_1, body.f"},
      {{.signal = "f", .metric = "status"}, "--signal \"f\"; status has no signals"},
      {{.where = axis, .wheres = 1}, "--where \"h=1\"; want AXIS=VALUE with AXIS one of: solver, order, H, output"},
      {{.where = value, .wheres = 1}, "--where \"solver=heun\"; want one of: exact, euler"},
      {{.where = number, .wheres = 1}, "--where \"H=0.2\"; want one of: 0.001, "},
      {{.x = "solver", .kind = "convergence"}, "--kind convergence: solver has no numbers"},
      {{.x = "output", .panel = "H,order"},
       "27 panels by order (3), H (9); want at most 12: --where AXIS=VALUE chooses"},
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

/* Panels by two dimensions, of which the second is long: the first side by side. */
Test(figure, long_grids_stand) {
  static const char *const where[] = {"H=0.001", "H=0.01", "H=0.1", "H=0.003162", "H=0.03162"};
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = "lines",
                                                                     .x = "order",
                                                                     .curve = "output",
                                                                     .panel = "solver,H",
                                                                     .metric = "output_error",
                                                                     .where = where,
                                                                     .wheres = 5});
  cr_assert_eq(figure->panels, 10);
  cr_expect_eq(figure->across, 2);
  for (size_t p = 0; p < 10; p++)
    cr_expect_eq(strncmp(figure->panel[p].title, p % 2 == 0 ? "exact" : "euler", 5), 0, "%s", figure->panel[p].title);
  cr_expect_str_eq(figure->panel[2].title + 5, figure->panel[3].title + 5);
  cs_figure_free(figure);
  cs_table_free(table);
}
