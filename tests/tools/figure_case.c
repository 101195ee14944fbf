#include "figure_case.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char sweep[] =
    "{\"axes\": [{\"name\": \"solver\", \"path\": \"method.solver\"}, {\"name\": \"order\", \"path\": "
    "\"method.order\"}, "
    "{\"name\": \"H\", \"path\": \"method.step.size\"}]}";

double figure_case_step(size_t i) {
  return 0.001 * pow(10.0, 0.25 * (double)i);
}

struct cs_table *figure_case_table(bool fitted) {
  static const char *const solvers[] = {"exact", "euler"}, *const outputs[] = {"body.x_1", "body.f"};
  static const double orders[] = {0, 1, 2};
  static const size_t all[] = {0, 1, 2, 3}, of_fit[] = {0, 1, 3};
  double steps[STEPS];
  struct cs_error error;
  struct cs_array *value, *status, *units, *order;
  struct cs_table *table = cs_table_new("A title", "test", "none");
  for (size_t i = 0; i < STEPS; i++)
    steps[i] = figure_case_step(i);
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
    value->data.float64[i] = solver == 1 && o == 2 ? 0.0
                                                   : (1.0 + (double)solver) * pow(10.0, (double)output) *
                                                         pow(figure_case_step(h), (double)o + 1.0);
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

const char *figure_case_entry(const struct cs_figure_curve *curve) {
  static char entry[256];
  struct cs_text text = {0};
  cs_figure_add_entry(curve, true, true, &text);
  snprintf(entry, sizeof entry, "%s", cs_text_string(&text));
  cs_text_free(&text);
  return entry;
}
