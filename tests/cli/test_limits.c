/* Limits of stability as info says them: by the first change, islands apart. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_case.h"

static char models[4096];

static void set_up(void) {
  cr_assert_not_null(getcwd(models, sizeof models - 64));
  strcat(models, "/models");
  cli_case_open();
}

TestSuite(limits, .init = set_up, .fini = cli_case_close);

/* Runs a stability sweep of a model over H, `axes` before it, and returns what info says of it. */
static struct cli_result info_of_model(const char *model, const char *axes, const char *steps, const char *options) {
  char sweep[8192], words[200];
  snprintf(sweep, sizeof sweep,
           "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"%s\", \"study\": "
           "\"stability\", \"method\": {\"hold\": \"lagrange\"}, \"axes\": [%s{\"name\": \"H\", \"path\": "
           "\"method.step.size\", %s, \"unit\": \"s\"}], \"boundary\": {\"along\": \"H\"}}",
           model, axes, steps);
  cli_case_write("s.json", sweep);
  struct cli_result run = cli_run("run s.json --device host --quiet --force");
  cr_assert_eq(run.status, 0, "%s", run.err);
  cli_free(&run);
  snprintf(words, sizeof words, "info s.h5%s", options);
  run = cli_run(words);
  cr_assert_eq(run.status, 0, "%s", run.err);
  return run;
}

/* The same of the ring. */
static struct cli_result info_of(const char *axes, const char *options) {
  char model[4200];
  snprintf(model, sizeof model, "%s/ring/model.json", models);
  return info_of_model(model, axes, "\"logspace\": [0.2, 20, 121]", options);
}

static void expect_lines(struct cli_result *got, const char *const *line) {
  for (; *line != NULL; line++)
    cr_expect_not_null(strstr(got->out, *line), "no\n%s\nin\n%s", *line, got->out);
  cli_free(got);
}
#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(limits, first_changes_and_islands) {
  struct cli_result got = info_of("{\"name\": \"m\", \"path\": \"method.order\", \"values\": [0, 1]}, ", "");
  expect_lines(&got, LINES("limits of stability along H (s)\n"
                           "  m  stable up to  also stable in\n"
                           "  0       1.10627  from 6.649\n"
                           "  1      0.665412\n"));
}

Test(limits, many_combinations_by_their_extremes) {
  struct cli_result got = info_of(
      "{\"name\": \"m\", \"path\": \"method.order\", \"values\": [0, 1, 2]}, {\"name\": "
      "\"RL\", \"path\": \"parameters.RL\", \"linspace\": [0.1, 0.8, 8]}, ",
      "");
  expect_lines(&got, LINES("limits of stability along H (s)\n", "  smallest  2  0.8      0.468226\n",
                           "  largest   0  0.8       2.54265  from 2.812\n",
                           "  Of 24 combinations 24 have a limit, 0 are stable up to the end"));
}

Test(limits, as_json) {
  struct cli_result got = info_of("{\"name\": \"m\", \"path\": \"method.order\", \"values\": [0, 1]}, ", " --json");
  expect_lines(&got, LINES("\"boundary\": {\"along\": \"H\"", "\"stable_first\": 0.6654", "\"limit\": true"));
}

/* Where the model itself grows no coupling is stable, which info says; elsewhere it says nothing of it. */
Test(limits, a_model_that_grows) {
  struct cli_result got = info_of("{\"name\": \"RL\", \"path\": \"parameters.RL\", \"values\": [-0.1, 0.1]}, ", "");
  expect_lines(&got, LINES("grows     121: there the model itself does, and no coupling is to blame\n"));
  got = info_of("", "");
  cr_expect_null(strstr(got.out, "grows"), "%s", got.out);
  cli_free(&got);
}

/* A servo whose first limit is 0.616 ms; at 44.98 ms only the last of its islands ends. */
Test(limits, a_servo_by_its_first_limit) {
  struct cli_result got = info_of_model(COSWEEP_SOURCE_DIR "/tests/data/servo.json",
                                        "{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1]}, ",
                                        "\"linspace\": [1e-4, 0.05, 500]", "");
  expect_lines(&got, LINES("limits of stability along H (s)\n  order  stable up to  also stable in\n"
                           "      0   0.000615944  0.02984 ... 0.03008, 0.04453 ... 0.04498\n"));
  got = cli_run("report s.h5 -o -");
  cr_expect_eq(got.status, 0, "%s", got.err);
  expect_lines(&got, LINES("0.000615944</td><td>0.02984 … 0.03008, 0.04453 … 0.04498</td>"));
}
