/* Figures of convergence and cost as descriptions: which curves and panels a table becomes, slopes, gaps, and their
 * scripts. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawn.h"
#include "figure_case.h"

static struct cs_error error;

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
      cr_expect_str_eq(figure_case_entry(curve), want);
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

/* --xrange: y fits what is then visible, also where a line passes the edge between two points. */
Test(figure, y_fits_the_visible) {
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.kind = "convergence", .signal = "body.x_1"});
  const struct cs_figure_panel *panel = &figure->panel[0];
  const double edge = sqrt(figure_case_step(1) * figure_case_step(2)), last = figure_case_step(STEPS - 1);
  const double whole = panel->y.least;
  cr_assert_eq(cs_figure_limit(figure, false, edge, last, &error), CS_OK);
  cr_expect_gt(panel->y.least, whole);
  const double least = pow(edge, 3.0), most = 2.0 * last; /* of order 2, and of order 0 with the other solver */
  cr_expect(panel->y.least < least && panel->y.least > 0.5 * least, "%g, %g", panel->y.least, least);
  cr_expect(panel->y.most > most && panel->y.most < 2.0 * most, "%g, %g", panel->y.most, most);
  cr_assert_eq(cs_figure_limit(figure, false, 1e3, 1e4, &error), CS_OK); /* nothing is visible: y stays */
  cr_expect(panel->y.least > 0.5 * least);
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
  cr_expect_str_eq(figure_case_entry(&figure->panel[0].curve[0]), "order 0: slope 7.00");
  cr_expect_not_null(strstr(figure->notes, "only solver = euler\n"), "%s", figure->notes);
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
  cr_expect_str_eq(figure_case_entry(&figure->panel[0].curve[0]), "p = 0: slope 0.00");
  cr_expect_eq(figure->panel[0].curve[4].y[0], 40.0);
  cr_expect_not_null(strstr(figure->notes, "5 of 40 values of p; --where p=VALUE chooses\n"), "%s", figure->notes);
  cr_expect_not_null(strstr(figure->notes, "12 of 20 values of state; "), "%s", figure->notes);
  cs_figure_free(figure);
  memset(cs_table_find(table, "status")->data.uint8, 1, 360);
  cr_expect_eq(cs_figure_new(table, &(struct cs_figure_request){0}, &figure, &error), CS_NO_RESULT);
  cr_expect_str_eq(error.message, "state_error: no run that is drawn succeeded");
  cs_table_free(table);
}

/* Where the file has the exact signals, errors are drawn up to a decade above the largest of the panel's own. */
Test(figure, errors_above_the_signal) {
  static const size_t all[] = {0, 1, 2, 3};
  for (int known = 0; known < 2; known++) {
    struct cs_table *table = figure_case_table(false);
    struct cs_array *exact;
    cs_table_find(table, "output_error")->data.float64[0] = 5.0;
    if (known) {
      cr_assert_eq(
          cs_table_add_array(table, "output_exact", "see output_units", "", CS_FLOAT64, 4, all, &exact, &error), CS_OK);
      for (size_t i = 0; i < exact->count; i++)
        exact->data.float64[i] = i % OUTPUTS == 0 ? 2e-3 : 100.0;
    }
    struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
    cr_expect(known ? figure->panel[0].y.most > 0.02 && figure->panel[0].y.most < 0.1 : figure->panel[0].y.most > 5.0,
              "%g", figure->panel[0].y.most);
    cr_expect_eq(strstr(figure->notes, "diverging values above the axis are not shown\n") != NULL, known);
    cs_figure_free(figure);
    cs_table_free(table);
  }
}

/* Values that grow without bound do not flatten the others. */
Test(figure, unbounded_values) {
  struct cs_table *table = figure_case_table(false);
  struct cs_array *value = cs_table_find(table, "output_error");
  value->data.float64[0] = 1e140;
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_expect_lt(figure->panel[0].y.most, 1e6);
  cr_expect_eq(figure->panel[0].curve[0].y[0], 1e140);
  cr_expect_not_null(strstr(figure->notes, "above the axis"), "%s", figure->notes);
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
  static const double a[] = {1, 0.5, 0.1}, b[] = {3, 0.2, 0.15};
  struct cs_table *table = make_contest();
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){.x = "evaluations"});
  cr_expect_str_eq(figure->kind, "cost");
  cr_assert_eq(figure->panels, 1);
  const struct cs_figure_panel *panel = &figure->panel[0];
  cr_expect_str_eq(panel->x.label, "calls");
  cr_expect_str_eq(panel->y.label, "RMS output error [m]");
  cr_expect(panel->x.log && panel->y.log);
  cr_assert_eq(panel->curves, 2); /* as they end, from above */
  cr_expect_str_eq(panel->curve[0].title, "b");
  cr_expect_str_eq(panel->curve[1].title, "a");
  cr_expect(panel->curve[0].series == 1 && panel->curve[1].series == 0); /* two of three common best runs are a's */
  for (size_t i = 0; i < 3; i++) {
    const struct cs_figure_curve *one = &panel->curve[1], *other = &panel->curve[0];
    cr_expect(one->x[i] == (double)(10 << i) && one->y[i] == a[i], "%zu: %g, %g", i, one->x[i], one->y[i]);
    cr_expect(other->x[i] == (double)(10 << i) && other->y[i] == b[i], "%zu: %g, %g", i, other->x[i], other->y[i]);
  }
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
