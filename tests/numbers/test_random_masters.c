/* Masters on random networks: gauss_seidel in random sequences and both masters with iterations, over all holds,
 * orders, starts, solvers and what feed-throughs they know, against tests/plain.c. Networks and step sizes are those
 * of tests/data/random; into every other one each input receives from all subsystems, its own included.
 *
 * Tolerance: 1e-11 relative, or 1e-15 of the signal's RMS, as in test_solvers.c. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "random_cases.h"
#include "random_draw.h"

enum { GAUSS_SEIDEL_CASES = 36, JACOBI_CASES = 9, CASES = GAUSS_SEIDEL_CASES + JACOBI_CASES, ATTEMPTS = 100 };

/* ---- cases */

/* The hold and the iterations go through all pairs, the rest is drawn. */
static void add_method(uint64_t *state, size_t number, const struct cs_model *model, struct cs_text *text) {
  static const char *const holds[] = {"taylor", "lagrange", "backward_difference"};
  static const char *const starts[] = {"consistent", "ramp", "zero"};
  static const char *const feedthroughs[] = {"explicit", "solved"}, *const places[] = {"continuous", "points"};
  const bool jacobi = number >= GAUSS_SEIDEL_CASES;
  cs_text_add(text, "\"master\": \"%s\", \"iterations\": %zu, \"hold\": \"%s\"", jacobi ? "jacobi" : "gauss_seidel",
              jacobi ? 1 + number / 3 % 3 : number / 3 % 4, holds[number % 3]);
  cs_text_add(text, ", \"input_order\": %zu, \"output_order\": %zu", random_draw(state, 4), random_draw(state, 4));
  cs_text_add(text, ", \"feedthrough\": \"%s\", \"start\": \"%s\"", random_word(state, feedthroughs, 2),
              random_word(state, starts, 3));
  cs_text_add(text, ", \"solver\": \"%s\", \"error_at\": \"%s\"", random_word(state, random_solvers, RANDOM_SOLVERS),
              random_word(state, places, 2));
  if (!jacobi && random_draw(state, 4) > 0) random_add_sequence(state, model, text);
  if (random_draw(state, 3) == 0) random_add_override(state, model, text);
}

static void write_sweep(uint64_t *state, size_t number, const struct cs_sweep *original, struct cs_text *text) {
  struct cs_settings settings;
  struct cs_error error;
  cr_assert_eq(cs_settings_new(original, &settings, &error), CS_OK);
  cs_settings_of(original, 0, &settings);
  cs_text_add(text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"masters\", \"model\": \"model.json\",\n"
              "\"study\": \"simulation\", \"t_end\": %.17g, \"metrics\": [\"output_defect\", \"output_defect_true\",\n"
              "\"connection_defect\", \"integration_defect\", \"output_error\", \"input_error\", \"state_error\",\n"
              "\"output_error_max\", \"input_error_max\", \"state_error_max\", \"output_error_final\",\n"
              "\"input_error_final\", \"state_error_final\"], \"method\": {\"step\": {\"size\": %.17g},\n",
              (double)(12 + random_draw(state, 20)) * settings.step_size, settings.step_size);
  add_method(state, number, original->model, text);
  cs_text_add(text, "}}\n");
  cr_assert(!text->failed);
  cs_settings_free(&settings);
}

/* Draws model and sweep until they behave, with the reference's values; false: never. The text of the sweep, to be
 * freed, lies in `sweep`. */
static bool draw_case(const struct random_cases *cases, size_t number, struct harness *harness,
                      struct plain_result *result, struct cs_text *sweep) {
  for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
    uint64_t state = 1000 * attempt + number;
    const size_t network = random_draw(&state, cases->count);
    random_cases_open(cases, network, harness);
    *sweep = (struct cs_text){0};
    write_sweep(&state, number, harness->sweep, sweep);
    if (number % 2) {
      char *mixed = random_mix_sources(&state, harness->sweep->model, cases->model[network]);
      harness_write(harness, "model.json", mixed);
      free(mixed);
    }
    harness_load(harness, sweep->data);
    plain_run(harness->sweep, 0, NULL, NULL, result);
    if (random_well_behaved(harness->sweep->model, result)) return true;
    cs_text_free(sweep);
  }
  return false;
}

/* Every `stride`-th case with one engine. */
static void compare_cases(const char *engine, size_t stride, const char *title) {
  struct random_cases cases;
  struct harness harness;
  struct harness_check check = {0};
  struct plain_result *result = malloc(sizeof *result);
  cr_assert(result != NULL);
  random_cases_load(&cases);
  harness_open(&harness);
  for (size_t i = 0; i < CASES; i += stride) {
    struct cs_text sweep, name = {0};
    cr_assert(draw_case(&cases, i, &harness, result, &sweep), "case %zu", i);
    harness_load_engine(&harness, sweep.data, engine);
    cs_text_add(&name, "case %zu: %s", i, strstr(sweep.data, "\"master\""));
    harness_run(&harness);
    cr_expect_eq(harness_value(harness.table, "status", NULL, NULL), 0, "%s", name.data);
    plain_compare(&harness, NULL, result, 1e-11, 1e-15, &check, name.data);
    cs_text_free(&name);
    cs_text_free(&sweep);
  }
  harness_finish(&check, title);
  free(result);
  harness_close(&harness);
  random_cases_free(&cases);
}

Test(random_masters, match_the_reference_by_stepping) {
  compare_cases("step", 1, "masters on random networks, step");
}

/* A fifth of the cases, among them every hold and number of iterations. */
Test(random_masters, match_the_reference_by_doubling) {
  compare_cases("double", 5, "masters on random networks, double");
}
