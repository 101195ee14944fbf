/* Traces as descriptions: curves, gaps, events, requests that they cannot fulfil. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "drawn.h"
#include "figure_case.h"

static struct cs_error error;

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

/* What is named is drawn alone: a quantity of every step, one of every signal, several of them. */
Test(figure, quantities_of_a_trace) {
  static const struct {
    const char *metric, *label[2];
  } row[] = {{"H", {"H [s]", NULL}},
             {"y_exact", {"y_exact of a.y [V]", NULL}},
             {"H,y", {"H [s]", "a.y [V]"}},
             {"H+y", {"H [s]", "a.y [V]"}}, /* two units */
             {"y+y_exact", {"a.y, y_exact of a.y [V]", NULL}},
             {"H+y+y_exact", {"H [s]", "a.y, y_exact of a.y [V]"}}};
  struct cs_table *table = make_trace();
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_figure *figure = draw(table, &(struct cs_figure_request){.metric = row[i].metric});
    cr_assert_eq(figure->panels, 1 + (row[i].label[1] != NULL), "%s: %zu panels", row[i].metric, figure->panels);
    for (size_t p = 0; p < figure->panels; p++)
      cr_expect_str_eq(figure->panel[p].y.label, row[i].label[p], "%s", figure->panel[p].y.label);
    cs_figure_free(figure);
  }
  cs_table_free(table);
}

/* Quantities with "+" between them: every curve has a name and a number of its own, each event one tick. */
Test(figure, quantities_that_share_a_panel) {
  static const double values[] = {0, 5, 0, 6, 0, 7, 0, 8, 0, 9};
  static const char *const names[] = {"a.y", "m"}, *const title[] = {"a.y", "monitors: a.y", "m", "exact solution"};
  static const size_t by_monitor[] = {0, 2};
  struct cs_table *table = make_trace();
  struct cs_array *array;
  cr_assert_eq(cs_table_add_dimension(table, "monitor", "", "", 2, NULL, names, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "monitor_value", "V", "", CS_FLOAT64, 2, by_monitor, &array, &error), CS_OK);
  memcpy(array->data.float64, values, sizeof values);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.metric = "y+monitor_value,H"});
  cr_assert_eq(figure->panels, 2);
  const struct cs_figure_panel *panel = &figure->panel[0];
  cr_expect_str_eq(panel->y.label, "a.y, monitors [V]");
  cr_assert_eq(panel->curves, 4);
  for (size_t i = 0; i < 4; i++) {
    cr_expect_str_eq(panel->curve[i].title, title[i], "%s", panel->curve[i].title);
    cr_expect(i == 3 || panel->curve[i].series == i, "%s: %zu", title[i], panel->curve[i].series);
  }
  expect_curve(&panel->curve[2], 4, (const double[]){0, 0.1, 0.3, 0.5}, (const double[]){5, 6, 7, 9});
  cs_figure_free(figure);
  add_events(table);
  figure = draw(table, &(struct cs_figure_request){.metric = "x+x_exact"});
  cr_expect_eq(figure->panels, 1);
  cr_expect_eq(figure->panel[0].marks, 3);
  cs_figure_free(figure);
  cs_table_free(table);
}

Test(figure, wrong_requests_of_traces) {
  static const struct {
    struct cs_figure_request request;
    const char *want;
  } row[] = {
      {{.metric = "x"}, "--metric \"x\"; a trace has other quantities; want one of: y, accepted, H, y_exact"},
      {{.metric = "y,h"}, "--metric \"h\"; a trace has other quantities; want one of: y, accepted, H, y_exact"},
      {{.metric = "y+h"}, "--metric \"h\"; a trace has other quantities; want one of: y, accepted, H, y_exact"},
      {{.metric = "y+"}, "--metric \"\"; a trace has other quantities; want one of: y, accepted, H, y_exact"},
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

/* Local errors and their estimates are curves of one panel, below the others; an estimate alone has a panel where it is
 * no part of the control. */
Test(figure, local_errors_and_their_estimates) {
  static const double values[] = {NAN, -1e-3, 2e-3, NAN, 4e-2};
  static const size_t all[] = {0, 1};
  for (int way = 0; way < 3; way++) {
    struct cs_array *array;
    struct cs_table *table = make_trace();
    cr_assert_eq(cs_table_add_array(table, "local_error_estimate", "V", "", CS_FLOAT64, 2, all, &array, &error), CS_OK);
    for (size_t i = 0; i < 5; i++)
      array->data.float64[i] = 0.5 * values[i];
    if (way == 0)
      cr_assert_eq(cs_table_add_array(table, "local_error", "V", "", CS_FLOAT64, 2, all, &array, &error), CS_OK);
    else if (way == 1)
      cr_assert_eq(cs_table_add_array(table, "degree", "1", "", CS_FLOAT64, 1, all, &array, &error), CS_OK);
    if (way == 0) memcpy(array->data.float64, values, sizeof values);
    struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
    cr_assert_eq(figure->panels, way == 1 ? 2u : 3u, "%d: %zu panels", way, figure->panels);
    const struct cs_figure_panel *panel = &figure->panel[1];
    const double t[] = {0.1, 0.3, 0.5}, sizes[] = {1e-3, 2e-3, 4e-2}, halves[] = {5e-4, 1e-3, 2e-2};
    if (way == 0) {
      cr_expect_str_eq(panel->y.label, "local error of a.y [V]");
      cr_assert_eq(panel->curves, 2u);
      cr_expect_str_eq(panel->curve[0].title, "error");
      cr_expect_str_eq(panel->curve[1].title, "estimate");
      expect_curve(&panel->curve[0], 3, t, sizes);
      cr_expect(panel->y.log && panel->curve[0].series == 0 && panel->curve[1].series == CS_FIGURE_CURVES);
    } else if (way == 2) {
      cr_expect_str_eq(panel->y.label, "local error estimate of a.y [V]");
    }
    if (way != 1) expect_curve(&panel->curve[panel->curves - 1], 3, t, halves);
    cs_figure_free(figure);
    if (way == 0) { /* alone: both as well */
      figure = draw(table, &(struct cs_figure_request){.metric = "local_error"});
      cr_assert(figure->panels == 1 && figure->panel[0].curves == 2);
      expect_curve(&figure->panel[0].curve[1], 3, t, halves);
      cs_figure_free(figure);
    }
    cs_table_free(table);
  }
}
