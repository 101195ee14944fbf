/* Control `cycle` in study stability: radii beside an independent table, and what has to hold of any cycle. Simulations
 * with it are in test_random_variable.c. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine_case.h"

static struct harness harness;

static void set_up(void) {
  harness_open(&harness);
}

static void tear_down(void) {
  harness_close(&harness);
}

TestSuite(cycle, .init = set_up, .fini = tear_down);

#define HEAD "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"study\": \"stability\",\n"

static double number(const char *name, size_t i) {
  return cs_table_number(cs_table_find(harness.table, name), i);
}

/* "d1=0.3;d2=-0.3" as members of an object, "1/2" as a list. */
static void add_separated(const char *from, char between, bool members, struct cs_text *text) {
  const char *comma = "";
  while (*from != '\0') {
    const char ends[] = {between, '\0'};
    const size_t length = strcspn(from, ends), name = members ? strcspn(from, "=") : 0;
    if (members)
      cs_text_add(text, "%s\"%.*s\": %.*s", comma, (int)name, from, (int)(length - name - 1), from + name + 1);
    else
      cs_text_add(text, "%s%.*s", comma, (int)length, from);
    comma = ", ";
    from += length + (from[length] == between);
  }
}

/* Radii and rates of cycles, as products of plain steps computed with 50 digits: steps that are stable alone, but not
 * in turn, among them. */
Test(cycle, radii_of_the_table) {
  struct harness_csv csv;
  struct harness_check radii = {0}, rates = {0};
  harness_csv_load("tests/data/answers/cycles.csv", &csv);
  cr_assert_eq(csv.rows, 24);
  for (size_t row = 0; row < csv.rows; row++) {
    struct cs_text sweep = {0};
    char path[128];
    snprintf(path, sizeof path, "models/%s/model.json", harness_csv_text(&csv, row, "model"));
    engine_case_model(&harness, path);
    cs_text_add(&sweep, HEAD "\"parameters\": {");
    add_separated(harness_csv_text(&csv, row, "parameters"), ';', true, &sweep);
    cs_text_add(&sweep, "},\n\"method\": {\"hold\": \"lagrange\", \"feedthrough\": \"%s\", \"order\": %s,\n",
                harness_csv_text(&csv, row, "feedthrough"), harness_csv_text(&csv, row, "order"));
    cs_text_add(&sweep, "\"step\": {\"control\": \"cycle\", \"size\": %s, \"ratios\": [",
                harness_csv_text(&csv, row, "H"));
    add_separated(harness_csv_text(&csv, row, "ratios"), '/', false, &sweep);
    cs_text_add(&sweep, "]}}}");
    cr_assert(!sweep.failed);
    harness_load(&harness, sweep.data);
    harness_run(&harness);
    const bool limit = harness_csv_text(&csv, row, "growth_rate")[0] == '\0'; /* H = 0 */
    harness_compare(&radii, number("spectral_radius", 0), harness_csv_number(&csv, row, "spectral_radius"), 1e-11, 0,
                    "row %zu", row);
    harness_compare(&radii, number("spectral_radius_decaying", 0),
                    harness_csv_number(&csv, row, "spectral_radius_decaying"), 1e-11, 0, "row %zu, decaying", row);
    if (limit)
      cr_expect(isnan(number("growth_rate", 0)), "row %zu: a rate at H = 0", row);
    else
      harness_compare(&rates, number("growth_rate", 0), harness_csv_number(&csv, row, "growth_rate"), 1e-11, 1e-11,
                      "row %zu, rate", row);
    cs_text_free(&sweep);
  }
  harness_csv_free(&csv);
  harness_finish(&radii, "radii of cycles");
  harness_finish(&rates, "rates of cycles");
}

/* Equal steps: one step's radius to the power of their number, with all holds and masters, and the same rates. Any
 * rotation of a cycle has its radius; a common factor of the ratios is one of the size. */
Test(cycle, powers_and_rotations) {
  static const char sweep[] = HEAD
      "\"method\": {\"feedthrough\": \"explicit\", \"step\": {\"control\": \"cycle\", \"size\": 0.06}}, \"axes\": [\n"
      "{\"name\": \"master\", \"path\": \"method.master\", \"values\": [\"jacobi\", \"gauss_seidel\"]},\n"
      "{\"name\": \"hold\", \"path\": \"method.hold\", \"values\": [\"taylor\", \"lagrange\", "
      "\"backward_difference\"]},\n"
      "{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1, 2, 3]},\n"
      "{\"name\": \"cycle\", \"path\": \"method.step.ratios\", \"values\": [{\"label\": \"1\", \"value\": [1]},\n"
      "{\"label\": \"1, 1, 1\", \"value\": [1, 1, 1]}, {\"label\": \"1, 2, 4\", \"value\": [1, 2, 4]},\n"
      "{\"label\": \"2, 4, 1\", \"value\": [2, 4, 1]}, {\"label\": \"4, 1, 2\", \"value\": [4, 1, 2]}]},\n"
      "{\"name\": \"iterations\", \"path\": \"method.iterations\", \"values\": [0, 1]}]}";
  enum { CYCLES = 5, INNER = 2 };
  struct harness_check check = {0};
  engine_case_model(&harness, "models/ring/model.json");
  harness_load(&harness, sweep);
  harness_run(&harness);
  const size_t runs = cs_table_find(harness.table, "spectral_radius")->count;
  for (size_t run = 0; run < runs; run++) {
    const size_t cycle = run / INNER % CYCLES, first = run - cycle * INNER, other = cycle < 2 ? 0 : 2;
    const double want = number("spectral_radius", first + other * INNER);
    cr_assert_eq(number("status", run), 0);
    harness_compare(&check, number("spectral_radius", run), cycle == 1 ? pow(want, 3) : want, 1e-11, 0, "run %zu", run);
    harness_compare(&check, number("growth_rate", run), number("growth_rate", first + other * INNER), 1e-10, 1e-10,
                    "run %zu, rate", run);
  }
  harness_finish(&check, "powers and rotations");
}

/* A run that diverges grows in every cycle by the radius of the cycle, also where inputs go on from the step before. */
Test(cycle, runs_grow_by_the_radius) {
  static const char method[] =
      "\"model\": \"model.json\", \"method\": {\"hold\": \"lagrange\", \"order\": 3, \"feedthrough\": "
      "\"explicit\",\n\"step\": {\"control\": \"cycle\", \"size\": 0.4, \"ratios\": [2, 4, 1]}},\n";
  static const char axis[] =
      "{\"name\": \"join\", \"path\": \"method.continuity\", \"values\": [\"none\", \"c0\", \"c1\"]}";
  enum { JOINS = 3 };
  struct harness_check check = {0};
  struct cs_text sweep = {0};
  double radius[JOINS];
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  cs_text_add(&sweep, "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"study\": \"stability\", %s\"axes\": [%s]}",
              method, axis);
  harness_load(&harness, cs_text_string(&sweep));
  harness_run(&harness);
  for (size_t i = 0; i < JOINS; i++)
    radius[i] = number("spectral_radius", i);
  cs_text_free(&sweep);
  cs_text_add(&sweep,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", %s\"metrics\": [\"state_error_final\"], \"axes\": "
              "[%s,\n{\"name\": \"t_end\", \"path\": \"t_end\", \"values\": [112, 114.8]}]}",
              method, axis);
  harness_load(&harness, cs_text_string(&sweep));
  harness_run(&harness);
  const size_t states = cs_table_find(harness.table, "state_error_final")->count / (2 * JOINS);
  for (size_t i = 0; i < JOINS; i++)
    harness_compare(&check,
                    number("state_error_final", (2 * i + 1) * states) / number("state_error_final", 2 * i * states),
                    radius[i], 1e-11, 0, "run %zu", i);
  cs_text_free(&sweep);
  harness_finish(&check, "growth of runs");
}

/* The number of steps is known before a run: the sum over all runs is what they take, also where the end of a run is
 * that of a step or of a cycle, and where one step is longer than the run. */
Test(cycle, steps_are_known_in_advance) {
  struct cs_engine_options options = {0};
  struct cs_forecast forecast;
  struct cs_error error;
  double steps = 0.0;
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_load(
      &harness,
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 3,\n"
      "\"method\": {\"step\": {\"control\": \"cycle\"}}, \"metrics\": [\"steps\"], \"axes\": [\n"
      "{\"name\": \"ratios\", \"path\": \"method.step.ratios\", \"values\": [{\"label\": \"1\", \"value\": [1]},\n"
      "{\"label\": \"1:2\", \"value\": [1, 2]}, {\"label\": \"1:3:0.5\", \"value\": [1, 3, 0.5]}]},\n"
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.3, 0.37, 1, 20]}]}\n");
  harness_run(&harness);
  const struct cs_array *counted = cs_table_find(harness.table, "steps");
  for (size_t run = 0; run < counted->count; run++)
    steps += (double)counted->data.int64[run];
  cr_assert_eq(cs_engine_forecast(harness.sweep, cs_device_info(harness.device), &options, &forecast, &error), CS_OK,
               "%s", error.message);
  cr_expect_eq(forecast.varied, 0);
  cr_expect_eq(forecast.steps, steps, "%g steps predicted, %g taken", forecast.steps, steps);
}
