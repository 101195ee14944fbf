/* cosweep compare: equal results, other methods, other axes, NaN, tolerances. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "cli_case.h"

TestSuite(compare, .init = cli_case_open, .fini = cli_case_close);

static void run(const char *options) {
  char words[300];
  snprintf(words, sizeof words, "run sweep.json --device host --quiet --force %s", options);
  struct cli_result got = cli_run(words);
  cr_assert_eq(got.status, 0, "%s: %s", options, got.err);
  cli_free(&got);
}

/* status; what stdout and stderr contain, NULL: nothing is asked. */
static void expect(const char *words, int status, const char *out, const char *err) {
  struct cli_result got = cli_run(words);
  cr_expect_eq(got.status, status, "%s: %d\n%s\n%s", words, got.status, got.out, got.err);
  if (out != NULL) cr_expect_not_null(strstr(got.out, out), "%s: no\n%s\nin\n%s", words, out, got.out);
  if (err != NULL) cr_expect_not_null(strstr(got.err, err), "%s: no\n%s\nin\n%s", words, err, got.err);
  cli_free(&got);
}

Test(compare, two_runs_on_one_device) {
  run("-o a.h5");
  run("-o b.h5");
  expect("compare a.h5 b.h5", 0, "made by the same program from the same sweep and model\nno difference\n", NULL);
  expect("compare a.h5 b.h5 --json", 0, "\"differing\": 0", NULL);
}

Test(compare, two_methods) {
  run("-o a.h5");
  run("-o b.h5 --set method.master=gauss_seidel");
  expect("compare a.h5 b.h5", 1, "  method.master  jacobi  gauss_seidel\n", "a.h5 and b.h5 differ: ");
  expect("compare a.h5 b.h5", 1, "\ndifferences\n", NULL);
  expect("compare a.h5 b.h5", 1, "no difference in ", NULL);
  expect("compare a.h5 b.h5 --tolerance 1e6", 0, "output_error ", NULL);
  expect("compare a.h5 b.h5 --json", 1, "{\"path\": \"method.master\", \"first\": \"jacobi\"", NULL);
}

/* A number late in a matrix of the model, far beyond what is shown of a value. */
Test(compare, another_model) {
  cli_case_sweep("sweep.json", "small", 0.1, 1.0, "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2]}",
                 "\"output_error\"");
  static const char model[] =
      "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"parameters\": {\"p\": 1, \"q\": 1}, \"subsystems\": "
      "[{\"name\": \"a\", \"states\": [\"x\", \"y\", \"z\"], \"inputs\": [\"u\"], \"outputs\": [\"w\"], \"A\": "
      "[[-1, 0, 0], [0, -1, 0], [0, 0, -%d]], \"B\": [[1], [0], [0]], \"C\": [[\"p\", 0, 0]], \"x0\": [1, 1, 1]}], "
      "\"connections\": [{\"from\": \"a.w\", \"to\": \"a.u\", \"gain\": -1}]}";
  char text[1000];
  for (int i = 2; i < 4; i++) {
    snprintf(text, sizeof text, model, i);
    cli_case_write("model.json", text);
    run(i == 2 ? "-o a.h5" : "-o b.h5");
  }
  expect("compare a.h5 b.h5", 0, "model.subsystems[0].A[2]", NULL);
}

Test(compare, statuses_are_no_numbers) {
  cli_case_sweep("sweep.json", "small", 0.1, 1.0,
                 "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.01]}", "\"steps\"");
  run("-o a.h5");
  run("-o b.h5 --set method.step.max_steps=20");
  expect("compare a.h5 b.h5 --tolerance 1e9", 1, "a code", "status");
}

Test(compare, other_values_and_axes_are_refused) {
  run("-o a.h5");
  cli_case_sweep("sweep.json", "small", 0.1, 1.0,
                 "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2, 3, 5]}", "\"output_error\"");
  run("-o b.h5");
  cli_case_sweep("sweep.json", "small", 0.1, 1.0,
                 "{\"name\": \"q\", \"path\": \"parameters.q\", \"values\": [1, 2, 3, 5]}", "\"output_error\"");
  run("-o c.h5");
  expect("compare a.h5 b.h5", 5, NULL, "a.h5 and b.h5 cannot be compared: ");
  expect("compare b.h5 c.h5", 5, NULL,
         "b.h5 and c.h5 cannot be compared: axis 1 of them is \"p\" in the one and "
         "\"q\" in the other");
  expect("compare a.h5", 2, NULL, "1 file; want two");
  expect("compare a.h5 b.h5 c.h5", 2, NULL, "3 files; want two");
  expect("compare a.h5 sweep.json", 5, NULL, "sweep.json");
}

Test(compare, what_one_has_not) {
  cli_case_sweep("sweep.json", "small", 0.1, 1.0, "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2]}",
                 "\"output_error\", \"steps\"");
  run("-o a.h5");
  cli_case_sweep("sweep.json", "small", 0.1, 1.0, "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2]}",
                 "\"output_error\", \"evaluations\"");
  run("-o b.h5");
  expect("compare a.h5 b.h5", 0, "only in a.h5, or over other signals: steps\n", NULL);
  expect("compare a.h5 b.h5", 0, "only in b.h5, or over other signals: evaluations\n", NULL);
}

Test(compare, runs_that_fail_in_one) {
  cli_case_sweep("sweep.json", "small", 0.1, 1.0,
                 "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.01]}", "\"output_error\"");
  run("-o a.h5");
  run("-o b.h5 --set method.step.max_steps=20");
  expect("compare a.h5 b.h5 --tolerance 1e9", 1, "not finite  H 0.01", NULL);
}
