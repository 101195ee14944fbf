/* The command trace: which run, where to, and what it says. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli_case.h"
#include "store.h"

TestSuite(cli_trace, .init = cli_case_open, .fini = cli_case_close, .timeout = 300);

static void expect_files(const char *files) {
  char *there = cli_case_files();
  cr_expect_str_eq(there, files);
  free(there);
}

/* Six runs: order of two values, p of three. */
static void write_six(void) {
  cli_case_sweep("six.json", "six", 0.25, 1,
                 "{\"name\": \"hold\", \"path\": \"method.hold\", \"values\": [\"taylor\", \"lagrange\"]},"
                 "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2.00001, 4]}",
                 "\"output_error\"");
}

Test(cli_trace, steps_must_fit_the_memory) {
  struct cli_result r = cli_run(
      "trace sweep.json --run 0 --most 1000000000000 --set method.step.size=1e-13 --set "
      "method.step.max_steps=1e15 --set method.step.underflow=1e-15");
  cr_expect_eq(r.status, 4, "exit status %d", r.status);
  cr_expect(strstr(r.err, "sweep.json: 1,000,000,000,000 steps to record need at least "), "%s", r.err);
  cr_expect(strstr(r.err, " TB of memory, there are "), "%s", r.err);
  cli_free(&r);
  expect_files("model.json sweep.json");
}

Test(cli_trace, says_how_to_choose_a_run) {
  static const struct {
    const char *words, *message;
  } list[] = {
      {"trace six.json",
       "six.json has 6 runs; want --run N, 0 to 5, or --at AXIS=VALUE for each of: "
       "hold (taylor, lagrange); p (1, 2.00001, 4)"},
      {"trace six.json --at hold=lagrange", "AXIS=VALUE for each of: p (1, 2.00001, 4)"},
      {"trace six.json --at hold=lag", "--at \"hold=lag\"; want one of: taylor, lagrange"},
      {"trace six.json --at p=3", "--at \"p=3\"; want one of: 1, 2.00001, 4"},
      {"trace six.json --at q=3", "--at \"q=3\"; want AXIS=VALUE with AXIS one of: hold, p"},
      {"trace six.json --run 6", "--run 6; six.json has 6 runs, want 0 to 5"},
      {"trace six.json --run -1", "--run -1; want a whole number from 0"},
      {"trace six.json --run 1 --at p=1", "--run and --at both select the run"},
      {"trace six.json --run 1 --most 0", "--most 0; want a whole number from 1"},
      {"trace six.json six.json", "unexpected argument \"six.json\""},
      {"trace", "want a sweep file"},
  };
  write_six();
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    struct cli_result r = cli_run(list[i].words);
    cr_expect_eq(r.status, 2, "%s: exit status %d", list[i].words, r.status);
    cr_expect(strstr(r.err, list[i].message), "%s: %s", list[i].words, r.err);
    cli_free(&r);
  }
  expect_files("model.json six.json sweep.json");
}

Test(cli_trace, writes_the_run_that_was_chosen) {
  struct cs_error error;
  struct cs_table *table;
  write_six();
  struct cli_result r = cli_run("trace six.json --at p=2 --at hold=lagrange");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect_str_eq(r.out, "six_trace.h5\n");
  cr_expect(strstr(r.err, "six: run 4 (hold=lagrange, p=2.00001), 4 accepted and 0 rejected steps up to 1 s"), "%s",
            r.err);
  cli_free(&r);
  r = cli_run("info six_trace.h5");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strstr(r.out, "run       4: hold=lagrange, p=2.00001\ntime      0 ... 1 s\nended     ok\n"), "%s", r.out);
  cr_expect(strstr(r.out, "steps     4 taken, 0 rejected\nH         0.25 s\n"), "%s", r.out);
  cli_free(&r);
  r = cli_run("info six_trace.h5 --json");
  cr_expect(strstr(r.out, "\"kind\": \"trace\"") && strstr(r.out, "\"taken\": 4, \"rejected\": 0"), "%s", r.out);
  cli_free(&r);
  r = cli_run("trace six.json --run 4 --quiet --json -o other.h5");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect_str_empty(r.err, "%s", r.err);
  cr_expect(strstr(r.out, "{\"output\": \"other.h5\", "), "%s", r.out);
  cr_expect(strstr(r.out,
                   "\"run\": 4, \"at\": \"hold=lagrange, p=2.00001\", \"status\": \"ok\", \"steps\": 4, "
                   "\"rejected_steps\": 0, \"given_up_steps\": 0, \"t_final\": 1, \"seconds\": "),
            "%s", r.out);
  cli_free(&r);
  cr_assert_eq(cs_store_read("six_trace.h5", &table, &error), CS_OK, "%s", error.message);
  const struct cs_dimension *t = cs_table_find_dimension(table, "t");
  cr_assert_eq(t->length, 5);
  for (int i = 0; i < 5; i++)
    cr_expect_eq(t->values[i], 0.25 * i);
  cr_expect_eq(cs_table_find_note(table, "run")->int64, 4);
  cr_expect_eq(cs_table_find_note(table, "runs")->int64, 1);
  cr_expect_str_eq(cs_table_find_note(table, "engine")->text[0], "step");
  cr_expect_str_eq(cs_table_find_note(table, "at")->text[0], "hold=lagrange, p=2.00001");
  cr_expect_str_eq(cs_table_find_note(table, "command")->text[0], "cosweep trace six.json --at p=2 --at hold=lagrange");
  cs_table_free(table);
  r = cli_run("trace six.json --run 0");
  cr_expect_eq(r.status, 5, "%s", r.err);
  cr_expect(strstr(r.err, "six_trace.h5"), "%s", r.err);
  cli_free(&r);
  r = cli_run("trace six.json --run 0 --force --quiet --set method.step.size=0.5");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cli_free(&r);
  expect_files("model.json other.h5 six.json six_trace.h5 sweep.json");
}

/* Of settings that move together their values are said, as in the file. */
Test(cli_trace, names_what_a_zip_moves) {
  cli_case_sweep(
      "zip.json", "zip", 0.1, 1,
      "{\"name\": \"fineness\", \"zip\": {\"method.step.size\": [0.25, 0.125], \"parameters.p\": [2, 2.00001]}}",
      "\"output_error\"");
  struct cli_result r = cli_run("trace zip.json --at fineness=1");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strstr(r.err, "zip: run 1 (size=0.125, p=2.00001), 8 accepted and 0 rejected steps up to 1 s"), "%s",
            r.err);
  cli_free(&r);
}

Test(cli_trace, keeps_what_there_is_of_a_failed_run) {
  struct cs_error error;
  struct cs_table *table;
  struct cli_result r = cli_run("trace sweep.json --run 0 --most 2 -o short.h5");
  cr_expect_eq(r.status, 1, "exit status %d", r.status);
  cr_expect(strstr(r.err, "short.h5: run 0 stopped after 2 steps, at t = "), "%s", r.err);
  cli_free(&r);
  cr_assert_eq(cs_store_read("short.h5", &table, &error), CS_OK, "%s", error.message);
  cr_expect_eq(cs_table_find_dimension(table, "t")->length, 3);
  cr_expect_eq(cs_table_find(table, "status")->data.uint8[2], 3);
  cs_table_free(table);
  r = cli_run("info short.h5 --rank output_error");
  cr_expect_eq(r.status, 2, "exit status %d", r.status);
  cr_expect(strstr(r.err, "short.h5: a trace is one run"), "%s", r.err);
  cli_free(&r);
}

Test(cli_trace, interrupted_leaves_no_file) {
  cli_case_sweep("long.json", "long", 1e-6, 9e4, "", "\"output_error\"");
  struct cli_child child = cli_start("trace long.json --most 5000000", NULL);
  cli_case_await("long_trace.h5.part");
  cr_assert_eq(kill(child.pid, SIGINT), 0);
  struct cli_result r = cli_end(&child);
  cr_expect_eq(r.status, 130, "exit status %d", r.status);
  cr_expect(strstr(r.err, "interrupted"), "%s", r.err);
  cli_free(&r);
  expect_files("long.json model.json sweep.json");
}
