/* Which lines of a figure are in colour, in which order they are named, and by what. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "drawn.h"

static struct cs_error error;

enum { HOLDS = 2, ORDERS = 5, PROBLEMS = 2, SIZES = 3, SIGNALS = 2, METHODS = HOLDS * ORDERS };

/* Errors of the methods at the cheapest run, halved by each doubling of the cost but for number 6, whose run in the
 * middle is worse than the cheapest one. Number 2 is best everywhere. */
static const double base[METHODS] = {5, 9, 1, 7, 3, 2, 10, 4, 8, 6};

static double error_of(size_t method, size_t problem, size_t size, size_t signal) {
  const double own = method == 6 && size == 1 ? 20.0 : base[method] / (double)(1 << size);
  return signal == 0 ? own * (double)(1 + problem) : 1.0;
}

static struct cs_table *make_methods(void) {
  static const char *const holds[] = {"taylor", "lagrange"}, *const signals[] = {"a", "b"};
  static const double orders[] = {0, 1, 2, 3, 4}, ks[] = {1, 2}, sizes[] = {0.4, 0.2, 0.1};
  static const size_t all[] = {0, 1, 2, 3, 4};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"hold\", \"path\": \"method.hold\"}, {\"name\": \"order\", \"path\": "
      "\"method.order\"}, {\"name\": \"k\", \"path\": \"parameters.k\"}, {\"name\": \"H\", \"path\": "
      "\"method.step.size\"}]}"};
  struct cs_array *value;
  struct cs_table *table = cs_table_new("Methods", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "hold", "", "", HOLDS, NULL, holds, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "order", "1", "", ORDERS, orders, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "k", "1", "", PROBLEMS, ks, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "H", "s", "", SIZES, sizes, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "output", "", "", SIGNALS, NULL, signals, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 4, all, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "evaluations", "1", "calls", CS_INT64, 4, all, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 5, all, &value, &error), CS_OK);
  struct cs_array *const cost = cs_table_find(table, "evaluations");
  for (size_t i = 0; i < value->count; i++) {
    const size_t run = i / SIGNALS;
    value->data.float64[i] = error_of(run / SIZES / PROBLEMS, run / SIZES % PROBLEMS, run % SIZES, i % SIGNALS);
    cost->data.int64[run] = 10 << run % SIZES;
  }
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  return table;
}

/* What the legend says of the curves, in their order. */
static void expect_titles(const struct cs_figure_panel *panel, const char *const *want, size_t count) {
  cr_assert_eq(panel->curves, count, "%zu curves", panel->curves);
  for (size_t i = 0; i < count; i++)
    expect_entry(&panel->curve[i], want[i]);
}

/* The best eight in colour, named from above as they end; of all others one grey curve, first, under them. A method is
 * the runs that no other of its own beats; problems are rows, the signal is that whose errors lie farthest apart. */
Test(figure_methods, best_in_colour_in_the_order_of_their_ends) {
  static const char *const titles[] = {"2 others",        "lagrange, order 1", "taylor, order 1",
                                       "taylor, order 3", "taylor, order 0",   "lagrange, order 2",
                                       "taylor, order 4", "lagrange, order 0", "taylor, order 2"};
  static const size_t places[] = {0, 7, 5, 6, 4, 3, 2, 1, 0}; /* by the ranking: ties in the order of the file */
  struct cs_table *table = make_methods();
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = "cost"});
  cr_assert(figure->panels == 2 && figure->across == 1, "%zu panels, %zu across", figure->panels, figure->across);
  cr_expect_str_eq(figure->panel[1].title, "k = 2");
  for (size_t p = 0; p < 2; p++) {
    const struct cs_figure_panel *panel = &figure->panel[p];
    cr_expect_str_eq(panel->y.label, "RMS output error of a [m]");
    expect_titles(panel, titles, sizeof titles / sizeof *titles);
    for (size_t i = 1; i < panel->curves; i++)
      cr_expect(panel->curve[i].ink == CS_INK_SERIES && panel->curve[i].series == places[i], "%zu: %zu", i,
                panel->curve[i].series);
    const struct cs_figure_curve *others = &panel->curve[0], *dented = &panel->curve[1];
    cr_expect_eq(others->ink, CS_INK_OTHERS);
    cr_expect(others->points == 8 && isnan(others->y[3]) && others->y[4] == 6.0 * (double)(1 + p), "%zu points",
              others->points);
    cr_assert_eq(dented->points, 2u);
    cr_expect(dented->x[1] == 40.0 && dented->y[1] == 2.5 * (double)(1 + p));
  }
  cr_expect_not_null(
      strstr(figure->notes, "8 of 10 methods in colour, those with most of the runs that no other beats\n"), "%s",
      figure->notes);
  cr_expect_not_null(strstr(figure->notes,
                            "of 2 signals the one whose errors lie farthest apart; --signal or --panel "
                            "output chooses\n"),
                     "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Colours are those of all problems of the file, also where one of them is drawn. */
Test(figure_methods, one_problem_has_the_colours_of_all) {
  static const char *const where[] = {"k=2"};
  struct cs_table *table = make_methods();
  struct cs_array *value = cs_table_find(table, "output_error");
  for (size_t i = 0; i < SIZES; i++) /* number 9 is best at k = 2, where two of three runs are its, number 2 of both */
    value->data.float64[((9 * PROBLEMS + 1) * SIZES + i) * SIGNALS] = i == 0 ? 1.9 : i == 1 ? 0.9 : 7.0;
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = "cost", .where = where, .wheres = 1});
  cr_assert_eq(figure->panels, 1u);
  const struct cs_figure_panel *panel = &figure->panel[0];
  for (size_t i = 0; i < panel->curves; i++)
    if (panel->curve[i].ink == CS_INK_SERIES && panel->curve[i].series == 0)
      cr_expect_str_eq(panel->curve[i].title, "taylor, order 2");
  cs_figure_free(figure);
  cs_table_free(table);
}

Test(figure_methods, as_many_as_wanted) {
  static const char *const titles[] = {"8 others", "lagrange, order 0", "taylor, order 2"};
  static const char *const highlight[] = {"hold=lagrange"}, *const two[] = {"hold=taylor,order=4", "order=1"};
  static const char *const orders[] = {"5 others", "order 1", "order 3", "order 4", "order 2", "order 0"};
  static const char *const some[] = {"7 others", "lagrange, order 1", "taylor, order 1", "taylor, order 4"};
  struct cs_table *table = make_methods();
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = "cost", .methods = 2});
  expect_titles(&figure->panel[0], titles, 3);
  cs_figure_free(figure);
  figure = draw(table, &(struct cs_figure_request){.kind = "cost", .highlight = highlight, .highlights = 1});
  expect_titles(&figure->panel[0], orders, 6);
  cr_expect_not_null(strstr(figure->notes, "5 of 10 methods in colour: hold=lagrange, all with lagrange\n"), "%s",
                     figure->notes);
  cs_figure_free(figure);
  figure = draw(table, &(struct cs_figure_request){.kind = "cost", .highlight = two, .highlights = 2});
  expect_titles(&figure->panel[0], some, 4);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* The slope of a line is that at large costs, whatever it is at small ones; a line whose slopes do not agree there has
 * none. */
Test(figure_methods, slopes) {
  enum { LINES = 3, RUNS = 5 };
  static const double errors[LINES][RUNS] = {{100, 50, 4, 1, 0.25}, {16, 8, 4, 2, 1}, {200, 60, 40, 30, 3}};
  static const char *const holds[LINES] = {"taylor", "lagrange", "hermite"};
  static const double sizes[RUNS] = {0.16, 0.08, 0.04, 0.02, 0.01};
  static const char *const titles[] = {"hermite", "lagrange: slope -1.00", "taylor: slope -2.00"};
  static const size_t all[] = {0, 1};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"hold\", \"path\": \"method.hold\"}, {\"name\": "
      "\"H\", \"path\": \"method.step.size\"}]}"};
  struct cs_array *value;
  struct cs_table *table = cs_table_new("Slopes", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "hold", "", "", LINES, NULL, holds, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "H", "s", "", RUNS, sizes, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 2, all, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "evaluations", "1", "calls", CS_INT64, 2, all, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 2, all, &value, &error), CS_OK);
  struct cs_array *const cost = cs_table_find(table, "evaluations");
  for (size_t i = 0; i < value->count; i++) {
    value->data.float64[i] = errors[i / RUNS][i % RUNS];
    cost->data.int64[i] = 10 << i % RUNS;
  }
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = "cost", .slopes = true});
  expect_titles(&figure->panel[0], titles, LINES);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Signals side by side, problems below each other. */
Test(figure_methods, signals_as_panels) {
  struct cs_table *table = make_methods();
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = "cost", .panel = "output"});
  cr_assert(figure->panels == 4 && figure->across == 2, "%zu panels, %zu across", figure->panels, figure->across);
  cr_expect_str_eq(figure->panel[1].title, "k = 1, b");
  cr_expect_str_eq(figure->panel[1].y.label, "RMS output error [m]");
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Of more than eight curves those in colour are lowest most often. */
Test(figure_methods, curves) {
  static const char *const titles[] = {"2 others",          "lagrange, order 1", "taylor, order 1",
                                       "lagrange, order 3", "taylor, order 3",   "lagrange, order 4",
                                       "taylor, order 0",   "lagrange, order 2", "taylor, order 2"};
  struct cs_table *table = make_methods();
  struct cs_array *value = cs_table_find(table, "output_error");
  for (size_t i = 0; i < value->count; i++) /* number 4 and 5 are not even second at one size */
    if (i / SIGNALS / SIZES / PROBLEMS == 4 || i / SIGNALS / SIZES / PROBLEMS == 5) value->data.float64[i] = 100.0;
  struct cs_figure *figure =
      draw(table, &(struct cs_figure_request){.kind = "lines", .x = "H", .curve = "hold,order", .signal = "a"});
  const struct cs_figure_panel *panel = &figure->panel[0];
  cr_assert_eq(figure->panels, 2u);
  expect_titles(panel, titles, sizeof titles / sizeof *titles);
  cr_expect(panel->curve[0].ink == CS_INK_OTHERS && panel->curve[0].points == 8 && panel->curve[0].y[0] == 100.0);
  cr_expect(panel->curve[8].series == 0 && panel->curve[8].y[0] == 1.0);
  cr_expect_not_null(strstr(figure->notes, "8 of 10 curves in colour, those that are lowest most often\n"), "%s",
                     figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* One place where a curve is far below all others is one place. */
Test(figure_methods, curves_lowest_most_often) {
  struct cs_table *table = make_methods();
  struct cs_array *value = cs_table_find(table, "output_error");
  for (size_t p = 0; p < PROBLEMS; p++) /* number 5 at the last size */
    value->data.float64[((5 * PROBLEMS + p) * SIZES + 2) * SIGNALS] = 1e-9;
  struct cs_figure *figure =
      draw(table, &(struct cs_figure_request){.kind = "lines", .x = "H", .curve = "hold,order", .signal = "a"});
  const struct cs_figure_panel *panel = &figure->panel[0];
  for (size_t i = 0; i < panel->curves; i++)
    if (panel->curve[i].ink == CS_INK_SERIES && panel->curve[i].series < 2)
      cr_expect_str_eq(panel->curve[i].title, panel->curve[i].series == 0 ? "taylor, order 2" : "lagrange, order 0");
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Positions of an axis that changes a method's settings together with its step size are runs of one method. */
Test(figure_methods, settings_that_move_with_step_sizes) {
  static const double runs[] = {0, 1, 2, 3, 4, 5}, size[] = {0.4, 0.4, 0.2, 0.2, 0.1, 0.1};
  static const double order[] = {1, 2, 1, 2, 1, 2};
  static const size_t all[] = {0};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"setting\", \"zip\": {\"method.order\": [], \"method.step.size\": []}}]}"};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("Settings", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "setting", "1", "", 6, runs, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "setting_order", "1", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  memcpy(array->data.float64, order, sizeof order);
  cr_assert_eq(cs_table_add_array(table, "setting_size", "s", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  memcpy(array->data.float64, size, sizeof size);
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 6; i++)
    array->data.float64[i] = pow(size[i], order[i]);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 1, all, &array, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "steps", "1", "", CS_INT64, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 6; i++)
    array->data.int64[i] = (int64_t)(10.0 / size[i]);
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = "cost"});
  static const char *const titles[] = {"order 1", "order 2"};
  expect_titles(&figure->panel[0], titles, 2);
  cr_expect(figure->panel[0].curve[0].points == 3 && figure->panel[0].curve[1].points == 3);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Single runs that are about to grow without bound do not compress all lines. */
Test(figure_methods, large_errors_of_single_runs) {
  struct cs_table *table = make_methods();
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = "cost"});
  cr_expect_null(strstr(figure->notes, "above the axis"), "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_find(table, "output_error")->data.float64[0] = 1e9; /* of method 0 at the cheapest run */
  figure = draw(table, &(struct cs_figure_request){.kind = "cost"});
  cr_expect(figure->panel[0].y.most > 100.0 && figure->panel[0].y.most < 1000.0, "%g", figure->panel[0].y.most);
  cr_expect_not_null(strstr(figure->notes, "the largest values are above the axis and not shown\n"), "%s",
                     figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Of a setting that an axis moves together with others, each value is named once. */
Test(figure_methods, highlights_of_settings_that_move_together) {
  static const double runs[] = {0, 1, 2, 3, 4};
  static const char *const masters[] = {"jacobi", "jacobi", "gauss_seidel", "gauss_seidel", "gauss_seidel"};
  static const double iterations[] = {0, 1, 0, 1, 2};
  static const char *const good[] = {"master=gauss_seidel,iterations=1"}, *const bad[] = {"master=gauss"},
                           *const number[] = {"iterations=7"};
  static const char *const titles[] = {"4 others", "gauss_seidel, iterations 1"};
  static const size_t all[] = {0};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"master\", \"zip\": {\"method.master\": [], \"method.iterations\": []}}]}"};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("Masters", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "master", "1", "", 5, runs, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "master_master", "1", "", CS_TEXT, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 5; i++)
    array->data.text[i] = strdup(masters[i]);
  cr_assert_eq(cs_table_add_array(table, "master_iterations", "1", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  memcpy(array->data.float64, iterations, sizeof iterations);
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 5; i++)
    array->data.float64[i] = 1.0 / (double)(1 + i);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 1, all, &array, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "steps", "1", "", CS_INT64, 1, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 5; i++)
    array->data.int64[i] = 10 + (int64_t)i;
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  struct cs_figure *figure =
      draw(table, &(struct cs_figure_request){.kind = "cost", .highlight = good, .highlights = 1});
  expect_titles(&figure->panel[0], titles, 2);
  cs_figure_free(figure);
  const char *const *const wrong[] = {bad, number};
  static const char *const want[] = {"--highlight \"master=gauss\"; want one of: jacobi, gauss_seidel",
                                     "--highlight \"iterations=7\"; want one of: 0, 1, 2"};
  for (size_t i = 0; i < 2; i++) {
    const struct cs_figure_request request = {.kind = "cost", .highlight = wrong[i], .highlights = 1};
    cr_expect_eq(cs_figure_new(table, &request, &figure, &error), CS_USAGE);
    cr_expect_str_eq(error.message, want[i]);
  }
  cs_table_free(table);
}

/* Under jacobi the sequence of subsystems says nothing, in either kind of figure. */
Test(figure_methods, idle_settings) {
  static const double runs[] = {0, 1, 2}, steps[] = {0.1, 0.2};
  static const char *const masters[] = {"jacobi", "gauss_seidel", "gauss_seidel"}, *const sequences[] = {"model", "ab",
                                                                                                         "ba"};
  static const char *const want[] = {"jacobi", "gauss_seidel, ab", "gauss_seidel, ba"};
  static const size_t all[] = {0, 1};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"m\", \"zip\": {\"method.master\": [], \"method.sequence\": []}}, {\"name\": \"H\", "
      "\"path\": \"method.step.size\"}]}"};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("Masters", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "m", "1", "", 3, runs, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "H", "s", "", 2, steps, NULL, NULL, &error), CS_OK);
  for (int k = 0; k < 2; k++) {
    const char *name = k == 0 ? "m_master" : "m_sequence";
    cr_assert_eq(cs_table_add_array(table, name, "1", "", CS_TEXT, 1, all, &array, &error), CS_OK);
    for (size_t i = 0; i < 3; i++)
      array->data.text[i] = strdup(k == 0 ? masters[i] : sequences[i]);
  }
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 2, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 6; i++)
    array->data.float64[i] = 4.0 - (double)(i / 2) - 0.1 * (double)(i % 2);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 2, all, &array, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "steps", "1", "", CS_INT64, 2, all, &array, &error), CS_OK);
  for (size_t i = 0; i < 6; i++)
    array->data.int64[i] = 10 + (int64_t)i;
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  static const char *const kinds[] = {"cost", "lines"};
  for (size_t k = 0; k < 2; k++) {
    struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = kinds[k], .metric = "output_error"});
    expect_titles(&figure->panel[0], want, 3);
    cs_figure_free(figure);
  }
  cs_table_free(table);
}

/* Settings of a controller are compared at equal cost: a line for each value of the one that matters most. */
Test(figure_methods, settings_that_are_numbers) {
  enum { TOLERANCES = 5, GAINS = 3 };
  static const double tolerance[] = {1e-4, 1e-3, 1e-2, 1e-1, 1}, gain[] = {0.1, 0.2, 0.3};
  static const char *const outputs[] = {"a.y"}, *const want[] = {"ki = 0.3", "ki = 0.2", "ki = 0.1"};
  static const size_t all[] = {0, 1, 2, 3};
  static const char *const sweep[] = {
      "{\"axes\": [{\"name\": \"tolerance\", \"path\": \"method.step.tolerance\"}, {\"name\": \"kp\", \"path\": "
      "\"method.step.kp\"}, {\"name\": \"ki\", \"path\": \"method.step.ki\"}]}"};
  struct cs_array *array;
  struct cs_table *table = cs_table_new("Controller", "test", "none");
  cr_assert_eq(cs_table_add_dimension(table, "tolerance", "1", "", TOLERANCES, tolerance, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "kp", "1", "", GAINS, gain, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "ki", "1", "", GAINS, gain, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "output", "", "", 1, NULL, outputs, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 3, all, &array, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 4, all, &array, &error), CS_OK);
  for (size_t i = 0; i < array->count; i++)
    array->data.float64[i] = tolerance[i / 9] * (1.0 + (double)(i % 3)) * (1.0 + 0.1 * (double)(i / 3 % 3));
  cr_assert_eq(cs_table_add_array(table, "evaluations", "1", "", CS_INT64, 3, all, &array, &error), CS_OK);
  for (size_t i = 0; i < array->count; i++)
    array->data.int64[i] = 10000 >> (2 * (i / 9));
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, sweep, &error), CS_OK);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_expect_str_eq(figure->kind, "cost");
  expect_titles(&figure->panel[0], want, 3);
  cr_expect_not_null(strstr(figure->notes, "ki makes the largest difference at equal cost; --curve chooses\n"), "%s",
                     figure->notes);
  cs_figure_free(figure);
  figure = draw(table, &(struct cs_figure_request){.kind = "cost", .curve = "kp"});
  cr_expect_null(strstr(figure->notes, "largest difference"), "%s", figure->notes);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Several results: the signal of the first, and as many in colour as there are colours for. */
Test(figure_methods, several_results) {
  struct cs_table *one = make_methods(), *other = make_methods();
  struct cs_array *value = cs_table_find(other, "output_error");
  for (size_t i = 0; i < value->count; i++) /* its errors lie farthest apart in the other signal */
    if (i % SIGNALS == 1) value->data.float64[i] = pow(10.0, (double)(i % 7));
  struct cs_figure *alone = draw(other, &(struct cs_figure_request){.kind = "cost"});
  cr_expect_str_eq(alone->panel[0].y.label, "RMS output error of b [m]");
  cs_figure_free(alone);
  const struct cs_figure_file file[] = {{one, "one.h5"}, {other, "other.h5"}, {one, "third.h5"}};
  struct cs_figure *figure = NULL;
  cr_assert_eq(cs_figure_compare(file, 3, &(struct cs_figure_request){.kind = "cost"}, &figure, &error), CS_OK, "%s",
               error.message);
  cr_expect_str_eq(figure->panel[0].y.label, "RMS output error of a [m]");
  cr_expect_eq(count_series(&figure->panel[0]), 15, "%zu lines", count_series(&figure->panel[0]));
  cs_figure_free(figure);
  cs_table_free(one);
  cs_table_free(other);
}

Test(figure_methods, errors) {
  static const char *const axis[] = {"hodl=taylor"}, *const value[] = {"order=1,hold=tailor"}, *const empty[] = {""},
                           *const knob[] = {"H=0.1"}, *const none[] = {"order=1,order=2"};
  static const struct {
    struct cs_figure_request request;
    const char *want;
  } row[] = {
      {{.highlight = axis, .highlights = 1},
       "--highlight \"hodl=taylor\"; did you mean \"hold\"? want AXIS=VALUE with AXIS one of: hold, order"},
      {{.highlight = value, .highlights = 1},
       "--highlight \"hold=tailor\"; did you mean \"taylor\"? want one of: taylor, lagrange"},
      {{.highlight = empty, .highlights = 1}, "--highlight \"\"; want AXIS=VALUE with AXIS one of: hold, order"},
      {{.highlight = knob, .highlights = 1}, "--highlight \"H=0.1\"; want AXIS=VALUE with AXIS one of: hold, order"},
      {{.highlight = none, .highlights = 1}, "--highlight \"order=1,order=2\"; no line of the figure has all of these"},
      {{.methods = 17}, "--methods 17; want at most 16, which colours and symbols distinguish"},
      {{.kind = "map", .methods = 2},
       "--methods: a figure of kind map has no lines to choose from; want another --kind"},
      {{.kind = "map", .highlight = axis, .highlights = 1}, "--highlight: a figure of kind map has no lines"},
      {{.kind = "map", .slopes = true}, "--slopes: a figure of kind map does not draw an error over its cost"},
      {{.kind = "lines", .slopes = true}, "--slopes: a figure of kind lines does not draw an error over its cost"},
  };
  struct cs_table *table = make_methods();
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_figure_request request = row[i].request;
    struct cs_figure *figure = NULL;
    if (request.kind == NULL) request.kind = "cost";
    cr_expect_eq(cs_figure_new(table, &request, &figure, &error), CS_USAGE, "row %zu", i);
    cr_expect(strncmp(error.message, row[i].want, strlen(row[i].want)) == 0, "row %zu: %s", i, error.message);
  }
  cs_table_free(table);
}
