/* Axes that are samples or tables: where their points lie, and what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "sweep_case.h"

static struct cs_error error;

TestSuite(design, .init = sweep_case_open, .fini = sweep_case_close);

/* The sequence in 21 dimensions against numbers of another implementation with the same table: its points 1, 2, 5 and
 * 100 in some dimensions, in units of 2^-7. */
Test(design, sobol_is_that_of_joe_and_kuo) {
  enum { COUNT = 128, DIMENSIONS = CS_SOBOL_DIMENSIONS };
  static const struct {
    size_t point, dimension;
    double value;
  } known[] = {
      {1, 0, 64},   {1, 1, 64},   {1, 2, 64},     {1, 5, 64},    {1, 9, 64},    {1, 13, 64},
      {1, 16, 64},  {1, 19, 64},  {1, 20, 64},    {2, 0, 96},    {2, 1, 32},    {2, 2, 32},
      {2, 5, 96},   {2, 9, 96},   {2, 13, 32},    {2, 16, 96},   {2, 19, 32},   {2, 20, 32},
      {5, 0, 112},  {5, 1, 112},  {5, 2, 16},     {5, 5, 80},    {5, 9, 16},    {5, 13, 16},
      {5, 16, 112}, {5, 19, 80},  {5, 20, 80},    {100, 0, 53},  {100, 1, 33},  {100, 2, 99},
      {100, 5, 95}, {100, 9, 89}, {100, 13, 109}, {100, 16, 87}, {100, 19, 43}, {100, 20, 97},
  };
  double *point = malloc(COUNT * DIMENSIONS * sizeof *point);
  cr_assert_eq(cs_sample_fill(CS_SAMPLE_SOBOL, 0, DIMENSIONS, COUNT, point, &error), CS_OK);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    cr_expect_eq(point[known[i].dimension * COUNT + known[i].point] * COUNT, known[i].value, "point %zu, dimension %zu",
                 known[i].point, known[i].dimension);
  for (size_t d = 0; d < DIMENSIONS; d++) { /* one in each part of every side */
    bool met[COUNT] = {false};
    for (size_t i = 0; i < COUNT; i++)
      met[(size_t)(point[d * COUNT + i] * COUNT)] = true;
    for (size_t i = 0; i < COUNT; i++)
      cr_expect(met[i], "dimension %zu, part %zu", d, i);
  }
  free(point);
}

/* A Latin hypercube has one point in each part; other seeds are other points; random points have the moments of the
 * cube and do not go together. */
Test(design, points_fill_the_cube) {
  enum { COUNT = 1000 };
  static const enum cs_sample kinds[] = {CS_SAMPLE_LHS, CS_SAMPLE_RANDOM, CS_SAMPLE_SOBOL};
  for (size_t k = 0; k < 3; k++) {
    double point[2 * COUNT], other[2 * COUNT], mean[2] = {0}, both = 0.0, parts = 0.0;
    bool met[COUNT] = {false};
    cr_assert_eq(cs_sample_fill(kinds[k], 1, 2, COUNT, point, &error), CS_OK);
    cr_assert_eq(cs_sample_fill(kinds[k], 2, 2, COUNT, other, &error), CS_OK);
    cr_expect_neq(memcmp(point, other, sizeof point), 0);
    for (size_t i = 0; i < COUNT; i++) {
      cr_assert(point[i] >= 0.0 && point[i] < 1.0);
      parts += !met[(size_t)(point[i] * COUNT)];
      met[(size_t)(point[i] * COUNT)] = true;
      mean[0] += point[i] / COUNT;
      mean[1] += point[COUNT + i] / COUNT;
      both += (point[i] - 0.5) * (point[COUNT + i] - 0.5) / COUNT;
    }
    cr_expect(fabs(mean[0] - 0.5) < 0.03 && fabs(mean[1] - 0.5) < 0.03, "%s: means %g, %g", cs_sample_name(kinds[k]),
              mean[0], mean[1]);
    cr_expect(fabs(both) < 0.01, "%s: covariance %g", cs_sample_name(kinds[k]), both);
    if (kinds[k] == CS_SAMPLE_LHS) cr_expect_eq(parts, COUNT);
    if (kinds[k] == CS_SAMPLE_RANDOM) cr_expect(fabs(parts / COUNT - 0.632) < 0.05, "%g parts", parts);
  }
}

/* The numbers of the first seed: results must not change with the machine. */
Test(design, random_numbers_stay) {
  double point[2];
  cr_assert_eq(cs_sample_fill(CS_SAMPLE_RANDOM, 1, 1, 2, point, &error), CS_OK);
  cr_expect(point[0] == 0x1.631405e8db1b0p-1 && point[1] == 0x1.f18b6c5907ee0p-1, "%a, %a", point[0], point[1]);
}

/* Points by logarithms are powers of the ratio of both ends, to rounding, and the same everywhere. */
Test(design, logarithms_are_powers) {
  struct cs_sweep *sweep = sweep_case_load("",
                                           "{\"name\": \"s\", \"sample\": {\"sobol\": 256, \"seed\": 3, \"over\": "
                                           "{\"parameters.p\": [0, 1], \"parameters.q\": {\"log\": [0.01, 300]}}}}",
                                           "");
  double point[2 * 256];
  cr_assert_eq(cs_sample_fill(CS_SAMPLE_SOBOL, 3, 2, 256, point, &error), CS_OK);
  for (size_t i = 0; i < 256; i++) {
    const double want = 0.01 * pow(3e4, point[256 + i]), found = sweep->axis[0].column[1].values[i];
    cr_expect(fabs(found / want - 1.0) < 1e-14, "point %zu: %.17g, want %.17g", i, found, want);
    cr_expect(found >= 0.01 && found <= 300.0);
  }
  cs_sweep_free(sweep);
}

/* A sample is a zip axis, in the order of its ranges. */
Test(design, sample_becomes_a_zip) {
  struct cs_sweep *sweep = sweep_case_load("",
                                           "{\"name\": \"s\", \"sample\": {\"lhs\": 40, \"seed\": 5, \"over\": "
                                           "{\"parameters.p\": [2, 4], \"parameters.q\": {\"log\": [0.01, 100]}}}}",
                                           "");
  const struct cs_axis *axis = &sweep->axis[0];
  struct cs_text text = {0};
  cr_assert_eq(axis->length, 40);
  cr_assert_eq(axis->columns, 2);
  cr_expect_str_eq(axis->column[1].name, "s_q");
  for (size_t c = 0; c < 2; c++) {
    bool met[40] = {false};
    for (size_t i = 0; i < 40; i++) {
      const double value = axis->column[c].values[i];
      met[(size_t)(40 * (c == 0 ? (value - 2.0) / 2.0 : log10(value / 0.01) / 4.0))] = true;
    }
    for (size_t i = 0; i < 40; i++)
      cr_expect(met[i]);
  }
  cs_sweep_print(sweep, &text);
  cr_expect_not_null(strstr(text.data, "\"zip\": {"));
  cr_expect_null(strstr(text.data, "\"sample\""));
  struct cs_json *designs = NULL;
  cr_assert_eq(cs_json_parse("designs", sweep->designs, strlen(sweep->designs), &designs, &error), CS_OK);
  const struct cs_node *design = cs_json_get(cs_json_root(designs), "s");
  cr_expect_eq(cs_json_number(cs_json_get(design, "lhs")), 40);
  cr_expect_eq(cs_json_number(cs_json_get(design, "seed")), 5);
  cr_expect_str_eq(cs_json_key(cs_json_at(cs_json_get(design, "over"), 1)), "parameters.q");
  cs_json_free(designs);
  cs_text_free(&text);
  cs_sweep_free(sweep);
}

Test(design, table_becomes_a_zip) {
  sweep_case_write("t.csv",
                   "\xef\xbb\xbfmethod.master, parameters.p "
                   ",\"method.input_order\"\r\n\r\njacobi,1e-3,0\r\n\"gauss_seidel\" ,-2 , 1\n");
  struct cs_sweep *sweep = sweep_case_load("", "{\"name\": \"c\", \"zip\": \"t.csv\"}", "");
  const struct cs_axis *axis = &sweep->axis[0];
  cr_assert_eq(axis->length, 2);
  cr_assert_eq(axis->columns, 3);
  cr_expect_str_eq(axis->column[0].name, "c_master");
  cr_expect_str_eq(axis->column[0].labels[1], "gauss_seidel");
  cr_expect(axis->column[1].values[0] == 1e-3 && axis->column[1].values[1] == -2.0);
  cr_expect_str_eq(axis->column[2].name, "c_input_order");
  cr_expect_str_eq(sweep->designs, "{\"c\": \"t.csv\"}");
  cs_sweep_free(sweep);
}

/* As pandas writes a table with its index, spreadsheets with commas of their own and with cells that were touched, and
 * other programs with a comma after every value. */
Test(design, tables_of_other_programs) {
  static const char *const tables[] = {
      ",parameters.p,method.master\n0,0.5,jacobi\n1,-2e-3,jacobi\n",
      "\"\",\"parameters.p\",\"method.master\"\n\"1\",\"0.5\",jacobi\n\"2\",-2e-3,jacobi\n",
      "parameters.p;method.master\r\n0,5;jacobi\r\n-2e-3;jacobi\r\n",
      "parameters.p;method.master;;\n0.5;jacobi;;\n-0.002;jacobi;;\n;;;\n",
      "parameters.p,method.master,\n0.5,jacobi,\n-0.002,jacobi,\n",
      "parameters.p\tmethod.master\n0,5\tjacobi\n-0,002\tjacobi\n",
      "\"parameters.p\"\t\"method.master\"\n0.5\tjacobi\n-0.002\tjacobi\n",
  };
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    sweep_case_write("t.csv", tables[i]);
    struct cs_sweep *sweep = sweep_case_load("", "{\"name\": \"c\", \"zip\": \"t.csv\"}", "");
    const struct cs_axis *axis = &sweep->axis[0];
    cr_assert(axis->length == 2 && axis->columns == 2, "%s", tables[i]);
    cr_expect(axis->column[0].values[0] == 0.5 && axis->column[0].values[1] == -2e-3, "%s", tables[i]);
    cr_expect_str_eq(axis->column[1].labels[1], "jacobi", "%s", tables[i]);
    cs_sweep_free(sweep);
  }
}

Test(design, mistakes_are_named) {
  static const struct {
    const char *axis, *table, *message;
  } row[] = {
      {"\"zip\": \"t.csv\"", "", "axes[0].zip: t.csv: is empty; want a CSV file, a line of paths and lines of values"},
      {"\"zip\": \"t.csv\"", "parameters.p\n", "t.csv: found 1 line; want a line of paths and lines of values"},
      {"\"zip\": \"t.csv\"", "parameters.p,parameters.q\n1,2\n\n1\n",
       "axes[0].zip: t.csv:4: found 1 value; want 2, as in the first line"},
      {"\"zip\": \"t.csv\"", "parameters.p,parameters.p\n1,2\n",
       "t.csv:1: path \"parameters.p\" stands in columns 1 and 2; want each path once"},
      {"\"zip\": \"t.csv\"", "parameters.p\n1\n\nx\n",
       "axes[0].zip: t.csv:4: parameters.p: found \"x\"; want a decimal number"},
      {"\"zip\": \"t.csv\"", "method.master,parameters.p\njacobi,\n",
       "axes[0].zip: t.csv:2: parameters.p: found \"\"; want a decimal number"},
      {"\"zip\": \"t.csv\"", "method.master,parameters.p\n\"a\n\nb\",1\njacobi,x\n",
       "t.csv:5: parameters.p: found \"x\""},
      {"\"zip\": \"t.csv\"", "parameters.p\n0x10\n", "t.csv:2: parameters.p: found \"0x10\"; want a decimal number"},
      {"\"zip\": \"t.csv\"", "method.step.size,t_end\n0.1,1\n0x1,1\n",
       "t.csv:3: method.step.size: found \"0x1\"; want a decimal number"},
      {"\"zip\": \"t.csv\"", "\n,t_end\n0,1\n2,1\n",
       "axes[0].zip: t.csv:2: column 1 has no name; want the path of a setting"},
      {"\"zip\": \"t.csv\"", "parameters.p,, \n1,,2\n", "t.csv:1: column 3 has no name; want the path of a setting"},
      {"\"zip\": \"t.csv\"", ",t_end,t_end\n0,1,1\n", "path \"t_end\" stands in columns 2 and 3; want each path once"},
      {"\"zip\": \"t.csv\"", "parameters.p\n1e999\n", "t.csv:2: parameters.p: found \"1e999\"; want a decimal number"},
      {"\"zip\": \"t.csv\"", "parameters.p;parameters.q\n0,5;1\n2;1.5\n",
       "t.csv:3: found \"1.5\" and, before it, \"0,5\"; want decimal points or commas"},
      {"\"zip\": \"t.csv\"", "parameters.p;t_end\n1,234.5;1\n", "t.csv:2: parameters.p: found \"1,234.5\"; want a"},
      {"\"zip\": \"t.csv\"", "parameters.p,t_end\n\"0,5\",1\n", "t.csv:2: parameters.p: found \"0,5\"; want a"},
      {"\"zip\": \"t.csv\"", "method.input_order\nx\n", "axes[0].zip: t.csv:2: method.input_order: found a string"},
      {"\"zip\": \"t.csv\"", "method.order,method.master\n\n1,jacobi\n\n3,jacob\n4,jacobi\n",
       "axes[0].zip: t.csv:6: method.order: found 4; want an integer from 0 to 3"},
      {"\"zip\": \"t.csv\"", "method.order,method.master\n\n1,jacobi\n\n3,jacob\n",
       "axes[0].zip: t.csv:5: method.master: unknown master \"jacob\""},
      {"\"zip\": \"t.csv\"", "\nparameters.r\n1\n", "axes[0].zip: t.csv:2: parameters.r: unknown parameter \"r\""},
      {"\"zip\": \"no.csv\"", "", "axes[0].zip: no.csv: cannot be opened: No such file or directory"},
      {"\"sample\": {\"lhs\": 3}", "", "axes[0].sample: missing key \"over\""},
      {"\"sample\": {\"over\": {\"parameters.p\": [0, 1]}}", "",
       "axes[0].sample: want one of the keys: lhs, sobol, random, with the number of points"},
      {"\"sample\": {\"lhs\": 3, \"random\": 3, \"over\": {}}", "",
       "axes[0].sample.random: given together with \"lhs\"; want one of: lhs, sobol, random"},
      {"\"sample\": {\"lhs\": 2.5, \"over\": {\"parameters.p\": [0, 1]}}", "",
       "axes[0].sample.lhs: found 2.5; want an integer from 1 to 67108864"},
      {"\"sample\": {\"lhs\": 3, \"seed\": -1, \"over\": {\"parameters.p\": [0, 1]}}", "",
       "axes[0].sample.seed: found -1; want an integer from 0"},
      {"\"sample\": [3]", "", "axes[0].sample: found a list; want an object"},
      {"\"sample\": {\"lhs\": 3, \"over\": {}}", "", "axes[0].sample.over: found an empty object"},
      {"\"sample\": {\"lhs\": 3, \"over\": {\"parameters.p\": [1, 1]}}", "",
       "axes[0].sample.over.parameters.p: found 1 and 1; want [low, high] with low below high"},
      {"\"sample\": {\"lhs\": 3, \"over\": {\"parameters.p\": [-1e308, 1e308]}}", "",
       "axes[0].sample.over.parameters.p: found -1e+308 and 1e+308, too far apart for a double"},
      {"\"sample\": {\"lhs\": 3, \"over\": {\"parameters.p\": {\"log\": [1e-300, 1e300]}}}", "",
       "axes[0].sample.over.parameters.p.log: found 1e-300 and 1e+300, too far apart for a double"},
      {"\"sample\": {\"lhs\": 3, \"over\": {\"parameters.p\": [1]}}", "",
       "axes[0].sample.over.parameters.p: found 1 items; want [low, high]"},
      {"\"sample\": {\"lhs\": 3, \"over\": {\"parameters.p\": {\"log\": [0, 1]}}}", "",
       "axes[0].sample.over.parameters.p.log: found 0; want numbers > 0 with log"},
      {"\"sample\": {\"lhs\": 3, \"over\": {\"method.order\": [0, 3]}}", "",
       "axes[0].sample.over.method.order: found "},
      {"\"sample\": {\"lhs\": 3, \"over\": {\"parameters.r\": [0, 3]}}", "",
       "s.json:5:45: axes[0].sample.over.parameters.r: unknown parameter \"r\""},
      {"\"sample\": {\"lhs\": 3, \"over\": {\"parameters.p\": [0, 3]}}, \"values\": [1]", "",
       "axes[0].values: given together with \"sample\"; want the ranges in sample.over"},
      {"\"path\": \"t_end\", \"sample\": {\"lhs\": 3, \"over\": {\"parameters.p\": [0, 1]}}", "",
       "axes[0].path: given together with \"sample\"; want one of: path, paths, zip, sample"},
      {"\"zip\": {}, \"sample\": {\"lhs\": 3, \"over\": {\"parameters.p\": [0, 1]}}", "",
       "axes[0].zip: given together with \"sample\"; want one of: path, paths, zip, sample"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_text axis = {0};
    struct cs_sweep *sweep = NULL;
    cs_text_add(&axis, "{\"name\": \"s\", %s}", row[i].axis);
    sweep_case_write("t.csv", row[i].table);
    sweep_case_compose("", axis.data, "");
    cr_expect_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_INPUT, "%s", row[i].axis);
    cr_expect_not_null(strstr(error.message, row[i].message), "%s\nfound: %s", row[i].axis, error.message);
    cs_sweep_free(sweep);
    cs_text_free(&axis);
  }
}
