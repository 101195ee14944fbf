/* Masters on random networks: gauss_seidel in random sequences and both masters with iterations, over all holds,
 * orders, starts, solvers and what feed-throughs they know, against tests/plain.c. Networks and step sizes are those
 * of tests/data/random; into every other one each input receives from all subsystems, its own included.
 *
 * Tolerance: 1e-11 relative, or 1e-15 of the signal's RMS, as in test_solvers.c. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plain_compare.h"
#include "random_cases.h"

enum { GAUSS_SEIDEL_CASES = 36, JACOBI_CASES = 9, CASES = GAUSS_SEIDEL_CASES + JACOBI_CASES, ATTEMPTS = 100 };

/* ---- random numbers */

/* splitmix64 */
static uint64_t draw_bits(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static size_t draw(uint64_t *state, size_t count) {
  return (size_t)(draw_bits(state) >> 11) % count;
}

static const char *draw_word(uint64_t *state, const char *const *words, size_t count) {
  return words[draw(state, count)];
}

/* ---- cases */

/* Connections from an output of every subsystem to every input, with gains up to 0.3, before those of the text. */
static char *mix_sources(uint64_t *state, const struct cs_model *model, const char *text) {
  static const char key[] = "\"connections\":[";
  const char *at = strstr(text, key);
  struct cs_text mixed = {0};
  cr_assert(at != NULL);
  cs_text_append(&mixed, text, (size_t)(at - text) + sizeof key - 1);
  for (size_t i = 0; i < model->inputs; i++) {
    for (size_t s = 0; s < model->subsystems; s++) {
      const struct cs_subsystem *sub = &model->subsystem[s];
      const size_t output = sub->first_output + draw(state, sub->outputs);
      cs_text_add(&mixed, "{\"from\": \"%s\", \"to\": \"%s\", \"gain\": %g},\n", model->output[output].name,
                  model->input[i].name, ((double)draw(state, 61) - 30) / 100);
    }
  }
  cs_text_add(&mixed, "%s", at + sizeof key - 1);
  cr_assert(!mixed.failed);
  return mixed.data;
}

/* A random order of all subsystems. */
static void add_sequence(uint64_t *state, const struct cs_model *model, struct cs_text *text) {
  size_t order[PLAIN_MAX];
  for (size_t i = 0; i < model->subsystems; i++) {
    const size_t at = draw(state, i + 1);
    order[i] = order[at];
    order[at] = i;
  }
  for (size_t i = 0; i < model->subsystems; i++) {
    cs_text_add(text, "%s\"%s\"", i ? ", " : ", \"sequence\": [", model->subsystem[order[i]].name);
  }
  cs_text_add(text, "]");
}

static const char *const solvers[] = {"exact", "euler", "heun", "rk4", "implicit_euler", "trapezoidal"};

/* One subsystem with orders and a solver of its own. */
static void add_override(uint64_t *state, const struct cs_model *model, struct cs_text *text) {
  const char *name = model->subsystem[draw(state, model->subsystems)].name;
  cs_text_add(text, ", \"subsystems\": {\"%s\": {\"input_order\": %zu, \"output_order\": %zu, \"solver\": \"%s\"}}",
              name, draw(state, 4), draw(state, 4), draw_word(state, solvers, 6));
}

/* The hold and the iterations go through all pairs, the rest is drawn. */
static void add_method(uint64_t *state, size_t number, const struct cs_model *model, struct cs_text *text) {
  static const char *const holds[] = {"taylor", "lagrange", "backward_difference"};
  static const char *const starts[] = {"consistent", "ramp", "zero"};
  static const char *const feedthroughs[] = {"explicit", "solved"}, *const places[] = {"continuous", "points"};
  const bool jacobi = number >= GAUSS_SEIDEL_CASES;
  cs_text_add(text, "\"master\": \"%s\", \"iterations\": %zu, \"hold\": \"%s\"", jacobi ? "jacobi" : "gauss_seidel",
              jacobi ? 1 + number / 3 % 3 : number / 3 % 4, holds[number % 3]);
  cs_text_add(text, ", \"input_order\": %zu, \"output_order\": %zu", draw(state, 4), draw(state, 4));
  cs_text_add(text, ", \"feedthrough\": \"%s\", \"start\": \"%s\"", draw_word(state, feedthroughs, 2),
              draw_word(state, starts, 3));
  cs_text_add(text, ", \"solver\": \"%s\", \"error_at\": \"%s\"", draw_word(state, solvers, 6),
              draw_word(state, places, 2));
  if (!jacobi && draw(state, 4) > 0) {
    add_sequence(state, model, text);
  }
  if (draw(state, 3) == 0) {
    add_override(state, model, text);
  }
}

static void write_sweep(uint64_t *state, size_t number, const struct cs_sweep *original, struct cs_text *text) {
  struct cs_settings settings;
  struct cs_error error;
  cr_assert_eq(cs_settings_new(original, &settings, &error), CS_OK);
  cs_sweep_settings(original, 0, &settings);
  cs_text_add(text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"masters\", \"model\": \"model.json\",\n"
              "\"study\": \"simulation\", \"t_end\": %.17g, \"metrics\": [\"output_defect\", \"output_defect_true\",\n"
              "\"connection_defect\", \"integration_defect\", \"output_error\", \"input_error\", \"state_error\",\n"
              "\"output_error_max\", \"input_error_max\", \"state_error_max\", \"output_error_final\",\n"
              "\"input_error_final\", \"state_error_final\"], \"method\": {\"step\": {\"size\": %.17g},\n",
              (double)(12 + draw(state, 20)) * settings.step_size, settings.step_size);
  add_method(state, number, original->model, text);
  cs_text_add(text, "}}\n");
  cr_assert(!text->failed);
  cs_settings_free(&settings);
}

/* Whether signals and errors are of a size that rounding does not grow in. */
static bool well_behaved(const struct cs_model *model, const struct plain_result *result) {
  static const struct {
    enum cs_over over;
    enum cs_metric error;
  } kinds[] = {{CS_OVER_OUTPUT, CS_OUTPUT_ERROR}, {CS_OVER_INPUT, CS_INPUT_ERROR}, {CS_OVER_STATE, CS_STATE_ERROR}};
  for (size_t kind = 0; kind < 3; kind++) {
    const struct plain_signals signals = plain_signals_of(model, result, kinds[kind].over);
    for (size_t i = 0; i < signals.count; i++) {
      const real rms = signals.rms[i];
      if (!(rms > 1e-2L && rms < 30 && result->metric[kinds[kind].error][i] < 0.5L * rms)) {
        return false;
      }
    }
  }
  return true;
}

/* Draws model and sweep until they behave, with the reference's values; false: never. The text of the sweep, to be
 * freed, lies in `sweep`. */
static bool draw_case(const struct random_cases *cases, size_t number, struct harness *harness,
                      struct plain_result *result, struct cs_text *sweep) {
  for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
    uint64_t state = 1000 * attempt + number;
    const size_t network = draw(&state, cases->count);
    random_cases_open(cases, network, harness);
    *sweep = (struct cs_text){0};
    write_sweep(&state, number, harness->sweep, sweep);
    if (number % 2) {
      char *mixed = mix_sources(&state, harness->sweep->model, cases->model[network]);
      harness_write(harness, "model.json", mixed);
      free(mixed);
    }
    harness_load(harness, sweep->data);
    plain_run(harness->sweep, 0, NULL, NULL, result);
    if (well_behaved(harness->sweep->model, result)) {
      return true;
    }
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
