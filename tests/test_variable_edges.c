/* Runs of variable step at their limits: beside runs of any other length, with steps rejected where a step is special,
 * at the limits of the step size, and where they fail. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"
#include "plan.h"
#include "vary_case.h"

#define PI "\"control\": \"pi_defect\", \"initial\": 25, \"tolerance\": "
#define HALVES "\"control\": \"richardson\", \"initial\": 25, \"atol\": 1e-3, \"rtol\": 1e-3"

static void open(struct harness *harness) {
  harness_open(harness);
  engine_case_model(harness, "models/two_mass_oscillator/model.json");
}

static void run(struct harness *harness, const struct vary_case *sweep, unsigned lanes, size_t tile_runs,
                struct engine_case *result) {
  char *text = vary_case_text(sweep);
  engine_case_run(harness, text, lanes, tile_runs, result);
  free(text);
}

/* ---- neighbours */

/* Largest steps from 0.001 s, 25000 steps, to 25 s, at best one. */
enum { LENGTHS = 9 };
static const char *const length[LENGTHS] = {"25", "0.001", "3", "0.011", "0.5", "24", "1.7", "0.03", "0.2"};

/* Values of the axis from the first to the last or the other way. */
static void list_lengths(bool reversed, struct cs_text *text) {
  for (size_t i = 0; i < LENGTHS; i++)
    cs_text_add(text, "%s%s", i > 0 ? ", " : "", length[reversed ? LENGTHS - 1 - i : i]);
}

/* A lane's numbers are its own: whatever runs beside it, in whatever order and tile, and, but for rounding, in vectors
 * of whatever width. */
static void check_neighbours(const char *method, const char *step, bool rejects) {
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case all, other;
  struct cs_text values = {0}, back = {0};
  struct vary_case sweep = {.t_end = 25, .method = method, .step = step, .path = "method.step.max"};
  open(&harness);
  list_lengths(false, &values);
  list_lengths(true, &back);

  sweep.values = values.data;
  run(&harness, &sweep, 8, 0, &all);
  long least = 1L << 40, most = 0, rejected = 0;
  for (size_t i = 0; i < LENGTHS; i++) {
    const long steps = engine_case_steps(&all, i);
    cr_assert_eq(engine_case_status(&all, i), 0);
    least = steps < least ? steps : least;
    most = steps > most ? steps : most;
    rejected += (long)harness_value(all.table, "rejected_steps", &i, NULL);
  }
  cr_assert(most >= 1000 * least, "from %ld to %ld steps", least, most);
  cr_assert_eq(rejected > 0, rejects, "%ld steps rejected", rejected);

  run(&harness, &sweep, 8, 3, &other);
  engine_case_same(&all, &other);
  engine_case_free(&other);
  run(&harness, &sweep, 1, 0, &other);
  engine_case_compare(&check, &other, &all, 1e-12, 1e-24);
  for (size_t i = 0; i < LENGTHS; i++)
    cr_expect_eq(engine_case_steps(&other, i), engine_case_steps(&all, i));
  engine_case_free(&other);
  sweep.values = back.data;
  run(&harness, &sweep, 8, 0, &other);
  for (size_t i = 0; i < LENGTHS; i++)
    engine_case_same_run(&all, i, &other, LENGTHS - 1 - i);
  engine_case_free(&other);
  for (size_t i = 0; i < LENGTHS; i++) {
    sweep.values = length[i];
    run(&harness, &sweep, 8, 0, &other);
    engine_case_same_run(&all, i, &other, 0);
    engine_case_free(&other);
  }
  harness_finish(&check, "vectors of one lane against eight");
  engine_case_free(&all);
  cs_text_free(&values);
  cs_text_free(&back);
  harness_close(&harness);
}

Test(variable_edges, neighbours_do_not_matter_by_one_series, .timeout = 300) {
  check_neighbours("\"hold\": \"taylor\", \"order\": 1, \"feedthrough\": \"explicit\", ", PI "100", false);
}

Test(variable_edges, neighbours_do_not_matter_with_rejected_steps, .timeout = 300) {
  check_neighbours("\"hold\": \"lagrange\", \"order\": 2, \"start\": \"ramp\", ", HALVES, true);
}

Test(variable_edges, neighbours_do_not_matter_with_other_solvers, .timeout = 300) {
  check_neighbours("\"master\": \"gauss_seidel\", \"hold\": \"lagrange\", \"order\": 1, \"solver\": \"rk4\", ",
                   PI "1e4", false);
}
