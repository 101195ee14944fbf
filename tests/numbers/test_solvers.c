/* The one-step solvers against their Butcher tableaus: tests/plain.c carries out their stages literally, in long
 * double, on the two-mass model and on a random network.
 *
 * Tolerance: 1e-11 relative, or 1e-15 of the signal's RMS, where the difference of two solutions has lost its digits
 * even in long double. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "plain_compare.h"
#include "random_cases.h"

static const char *const solvers[] = {"euler", "heun", "rk4", "implicit_euler", "trapezoidal", "ab2", "bdf2"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* What every solver is run with. */
struct row {
  const char *hold;
  int order, micro_steps;
  const char *feedthrough, *start, *error_at;
};

static const struct row two_mass_rows[] = {
    {"taylor", 0, 2, "explicit", "consistent", "points"}, {"taylor", 1, 4, "explicit", "consistent", "points"},
    {"taylor", 2, 2, "solved", "consistent", "points"},   {"lagrange", 0, 4, "solved", "consistent", "points"},
    {"lagrange", 1, 2, "explicit", "ramp", "points"},     {"lagrange", 2, 4, "explicit", "consistent", "continuous"},
};
static const struct row random_rows[] = {
    {"taylor", 2, 4, "solved", "consistent", "points"},
    {"lagrange", 1, 2, "solved", "consistent", "continuous"},
    {"lagrange", 2, 2, "solved", "zero", "points"},
};

enum {
  TWO_MASS_ROWS = sizeof two_mass_rows / sizeof *two_mass_rows,
  RANDOM_ROWS = sizeof random_rows / sizeof *random_rows
};

static const char sweep_head[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"solvers\", \"model\": \"model.json\", \"study\": \"simulation\",\n"
    "\"t_end\": %g, \"method\": {\"step\": {\"control\": \"fixed\", \"size\": %g}},\n"
    "\"metrics\": [\"output_defect\", \"output_defect_true\", \"connection_defect\", \"integration_defect\",\n"
    "\"output_error\", \"input_error\", \"state_error\", \"output_error_max\", \"input_error_max\",\n"
    "\"state_error_max\", \"output_error_final\", \"input_error_final\", \"state_error_final\"],\n"
    "\"axes\": [{\"name\": \"settings\", \"zip\": {";

/* Appends `"path": ["...", ...]`, repeated for every solver. */
static void add_words(struct cs_text *text, const char *path, const struct row *rows, size_t count, size_t offset) {
  cs_text_add(text, "\"%s\": [", path);
  for (size_t i = 0; i < count; i++) {
    const char *word;
    memcpy(&word, (const char *)&rows[i] + offset, sizeof word);
    cs_text_add(text, "%s\"%s\"", i ? ", " : "", word);
  }
  cs_text_add(text, "],\n");
}

static char *write_sweep(const struct row *rows, size_t count, double size, double t_end) {
  struct cs_text text = {0};
  cs_text_add(&text, sweep_head, t_end, size);
  add_words(&text, "method.hold", rows, count, offsetof(struct row, hold));
  add_words(&text, "method.feedthrough", rows, count, offsetof(struct row, feedthrough));
  add_words(&text, "method.start", rows, count, offsetof(struct row, start));
  add_words(&text, "method.error_at", rows, count, offsetof(struct row, error_at));
  cs_text_add(&text, "\"method.order\": [");
  for (size_t i = 0; i < count; i++)
    cs_text_add(&text, "%s%d", i ? ", " : "", rows[i].order);
  cs_text_add(&text, "],\n\"method.micro_steps\": [");
  for (size_t i = 0; i < count; i++)
    cs_text_add(&text, "%s%d", i ? ", " : "", rows[i].micro_steps);
  cs_text_add(&text, "]}},\n{\"name\": \"solver\", \"path\": \"method.solver\", \"values\": [");
  for (size_t i = 0; i < SOLVERS; i++)
    cs_text_add(&text, "%s\"%s\"", i ? ", " : "", solvers[i]);
  cs_text_add(&text, "]}]}\n");
  cr_assert(!text.failed);
  return text.data;
}

static void compare_rows(const char *engine, const char *model, const struct row *rows, size_t count, double size,
                         double t_end, const char *title) {
  struct harness harness;
  struct harness_check check = {0};
  struct plain_result *result = malloc(sizeof *result);
  char *sweep = write_sweep(rows, count, size, t_end), name[64];
  cr_assert(result != NULL);
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  harness_load_engine(&harness, sweep, engine);
  harness_run(&harness);
  for (size_t run = 0; run < harness.sweep->runs; run++) {
    const size_t index[] = {run / SOLVERS, run % SOLVERS};
    snprintf(name, sizeof name, "row %zu, %s", index[0], solvers[index[1]]);
    plain_run(harness.sweep, run, NULL, NULL, result);
    plain_compare(&harness, index, result, 1e-11, 1e-15, &check, name);
  }
  harness_finish(&check, title);
  harness_close(&harness);
  free(sweep);
  free(result);
}

/* Doubling works with the same map of one step: one row of each network. */
Test(solvers, match_their_tableaus_on_two_masses) {
  char *model = harness_read("models/two_mass_oscillator/model.json");
  compare_rows("step", model, two_mass_rows, TWO_MASS_ROWS, 0.25, 5, "solvers, two masses, step");
  compare_rows("double", model, two_mass_rows + TWO_MASS_ROWS - 1, 1, 0.25, 5, "solvers, two masses, double");
  free(model);
}

Test(solvers, match_their_tableaus_on_a_random_network) {
  enum { CASE = 28 }; /* 5 states, 5 inputs, affine terms; contractive at this step size */
  struct random_cases cases;
  random_cases_load(&cases);
  compare_rows("step", cases.model[CASE], random_rows, RANDOM_ROWS, 0.125, 3, "solvers, random network, step");
  compare_rows("double", cases.model[CASE], random_rows, 1, 0.125, 3, "solvers, random network, double");
  random_cases_free(&cases);
}
