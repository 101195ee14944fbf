/* The command run where not all goes well: failed runs, interruption, other processes, directories, terminals. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli_case.h"
#include "opencl.h"
#include "store.h"

#ifndef COSWEEP_SOURCE_DIR
#define COSWEEP_SOURCE_DIR "."
#endif

TestSuite(cli_run, .init = cli_case_open, .fini = cli_case_close, .timeout = 300);

#define P_AXIS(values) "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [" values "]}"

static void expect_files(const char *files) {
  char *there = cli_case_files();
  cr_expect_str_eq(there, files);
  free(there);
}

/* Some minutes of work, were it not stopped. */
static void write_long_sweep(void) {
  cli_case_sweep("long.json", "long", 1e-3, 9e4,
                 "{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [1, 2, 1024]}", "\"output_error\"");
}

/* The child of a long run, well into it. */
static struct cli_child start_long(void) {
  const struct timespec second = {.tv_sec = 1};
  write_long_sweep();
  struct cli_child child = cli_start("run long.json", NULL);
  cli_case_await("long.h5.part");
  nanosleep(&second, NULL);
  return child;
}

/* ---- failed runs */

Test(cli_run, invalid_value_fails_alone) {
  struct cs_error error;
  struct cs_table *table;
  cli_case_sweep("one_bad.json", "one_bad", 0.1, 1, P_AXIS("-1, 1, 2"), "\"output_error\", \"steps\"");
  struct cli_result r = cli_run("run one_bad.json --quiet");
  cr_expect_eq(r.status, 0);
  cr_expect(strstr(r.err, "one_bad: 1 of 3 runs failed"), "%s", r.err);
  cr_expect(strstr(r.err, "  invalid: 1\n  run 0 (p=-1): "), "%s", r.err);
  cr_expect(strstr(r.err, "sqrt"), "no reason in: %s", r.err);
  cli_free(&r);
  cr_assert_eq(cs_store_read("one_bad.h5", &table, &error), CS_OK, "%s", error.message);
  const uint8_t *status = cs_table_find(table, "status")->data.uint8;
  const double *output_error = cs_table_find(table, "output_error")->data.float64;
  cr_expect(status[0] == 7 && status[1] == 0 && status[2] == 0);
  cr_expect(isnan(output_error[0]) && isnan(output_error[1]));
  for (int i = 2; i < 6; i++)
    cr_expect(isfinite(output_error[i]) && output_error[i] > 0);
  cs_table_free(table);
  r = cli_run("info one_bad.h5");
  cr_expect(strstr(r.out, "runs      3: 2 ok, 1 invalid\n"), "%s", r.out);
  cr_expect(strstr(r.out, "\nruns that did not succeed\n  1 invalid: a swept value makes "), "%s", r.out);
  cr_expect(strstr(r.out, "\n    run 0: p -1\n"), "%s", r.out);
  cli_free(&r);
}

/* Failures are told by what they share: where, one run, and why steps diverge. */
Test(cli_run, failures_share_a_reason) {
  cli_case_write("loop.json",
                 "{\"format\": \"cosweep-model/1\", \"name\": \"loop\", \"parameters\": {\"g\": 0},\n"
                 "\"subsystems\": [{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
                 "\"A\": [[-1]], \"B\": [[1]], \"C\": [[1]], \"D\": [[\"g\"]], \"x0\": [1]}],\n"
                 "\"connections\": [{\"from\": \"a.y\", \"to\": \"a.u\"}]}");
  cli_case_write(
      "share.json",
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"share\", \"model\": \"loop.json\", \"t_end\": 200,\n"
      "\"method\": {\"hold\": \"lagrange\", \"feedthrough\": \"explicit\"}, \"metrics\": [\"output_error\"],\n"
      "\"axes\": [{\"name\": \"g\", \"path\": \"parameters.g\", \"values\": [-3, -2, 0, 1]},\n"
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.05]}]}");
  struct cli_result r = cli_run("run share.json --quiet --device host");
  cr_expect_eq(r.status, 0);
  cr_expect_not_null(strstr(r.err,
                            "share: 6 of 8 runs failed\n"
                            "  diverged: 4, all at g -3 ... -2\n"
                            "  loop_singular: 2, all at g 1\n"
                            "  run 6 (g=1, H=0.1): the algebraic loop I - D L is singular\n"
                            "  run 0 (g=-3, H=0.1): diverged at step "),
                     "%s", r.err);
  cr_expect_not_null(strstr(r.err, "  run 0: the spectral radius of its step is 2.927"), "%s", r.err);
  cr_expect_not_null(strstr(r.err, ", and still 3 for H -> 0: no step size helps\n"), "%s", r.err);
  r = cli_run("info share.h5"); /* the file keeps the reasons */
  const char *diverged = strstr(r.out, "  4 diverged: "), *singular = strstr(r.out, "  2 loop_singular: ");
  cr_assert(diverged != NULL && singular != NULL, "%s", r.out);
  const char *why = strstr(r.out, "    run 0: the spectral radius of its step is 2.927, and still 3 for H -> 0: no\n");
  cr_expect(diverged < why && why < singular, "%s", r.out);
  cr_expect_not_null(strstr(singular, "    run 6 (g=1, H=0.1): the algebraic loop I - D L is singular\n"), "%s", r.out);
  r = cli_run("report share.h5 -o -");
  cr_expect_not_null(strstr(r.out, "run 0: the spectral radius of its step is 2.927"), "%s", r.out);
  cli_free(&r);
}

/* Of settings that move together the values are told, not their place in the list. */
Test(cli_run, failures_name_settings_that_move_together) {
  cli_case_sweep("together.json", "together", 0.1, 1,
                 "{\"name\": \"set\", \"zip\": {\"parameters.p\": [1, -4, 2, -3], "
                 "\"method.step.size\": [0.1, 0.0123456, 0.2, 0.3]}}",
                 "\"steps\"");
  struct cli_result r = cli_run("run together.json --quiet");
  cr_expect_not_null(strstr(r.err, "  invalid: 2, all at p -4 ... -3\n  run 1 (p=-4, size=0.01235): "), "%s", r.err);
  r = cli_run("trace together.json --at set=2 --quiet");
  r = cli_run("info together_trace.h5");
  cr_expect_not_null(strstr(r.out, "\nrun       2: p=2, size=0.2\n"), "%s", r.out);
  cli_free(&r);
}

/* A first step that is never rejected sets the error of all small tolerances; a smaller one does not. */
Test(cli_run, a_floor_of_errors_is_explained) {
  static const char *const initial[] = {"0.5", "1e-5"};
  for (size_t i = 0; i < 2; i++) {
    char sweep[1024];
    snprintf(sweep, sizeof sweep,
             "{\"format\": \"cosweep-sweep/1\", \"name\": \"floor\", \"model\": \"" COSWEEP_SOURCE_DIR
             "/models/two_mass_oscillator/model.json\", \"t_end\": 3,\n"
             "\"method\": {\"hold\": \"lagrange\", \"order\": 1, \"step\": {\"control\": \"pi_defect\", "
             "\"initial\": %s}},\n"
             "\"axes\": [{\"name\": \"tol\", \"path\": \"method.step.tolerance\", "
             "\"logspace\": [1e-7, 1e-2, 6]}]}",
             initial[i]);
    cli_case_write("floor.json", sweep);
    struct cli_result r = cli_run("run floor.json --quiet --force");
    cr_expect_eq(r.status, 0, "%s", r.err);
    r = cli_run("info floor.h5");
    const char *hint = strstr(r.out, "  output_error does not fall below ");
    cr_expect_eq(hint != NULL, i == 0, "%s", r.out);
    cli_free(&r);
  }
}

Test(cli_run, no_good_run_is_exit_1) {
  struct stat file;
  cli_case_sweep("all_bad.json", "all_bad", 0.1, 1, P_AXIS("-1, -2, -3, -5"), "\"steps\"");
  struct cli_result r = cli_run("run all_bad.json --quiet");
  cr_expect_eq(r.status, 1, "exit status %d", r.status);
  cr_expect(strstr(r.err, "  invalid: 4\n  run 0 (p=-1): "), "%s", r.err);
  cr_expect(strstr(r.err, "all_bad.h5: no run succeeded"), "%s", r.err);
  cr_expect_str_eq(r.out, "all_bad.h5\n");
  cr_expect_eq(stat("all_bad.h5", &file), 0, "no result file");
  cli_free(&r);
}

/* ---- interruption */

Test(cli_run, interrupted_leaves_nothing) {
  struct cli_child child = start_long();
  cr_assert_eq(kill(child.pid, SIGINT), 0);
  struct cli_result r = cli_end(&child);
  cr_expect_eq(r.status, 130, "exit status %d", r.status);
  cr_expect(strstr(r.err, "interrupted"), "%s", r.err);
  cr_expect_str_empty(r.out);
  cli_free(&r);
  expect_files("long.json model.json sweep.json");
}

/* With `auto` another process builds for the long sweep; killed, its parent cannot even tell it to end. */
Test(cli_run, interrupted_or_killed_while_another_process_builds_leaves_none) {
  static const int signals[] = {SIGTERM, SIGINT, SIGKILL};
  opencl_needed();
  setenv("COSWEEP_DEVICE", "auto", 1);
  const struct cli_how how = {.environment = "COSWEEP_CACHE=kept"};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    write_long_sweep();
    struct cli_child child = cli_start("run long.json", &how);
    cli_case_await("kept/*.lock");
    cr_assert_eq(kill(child.pid, signals[i]), 0);
    struct cli_result r = cli_end(&child);
    if (signals[i] != SIGKILL) cr_expect_eq(r.status, 130, "signal %d: exit status %d", signals[i], r.status);
    cli_free(&r);
    const struct timespec pause = {.tv_nsec = 20000000};
    for (int k = 0; k < 75 && access("kept", F_OK) == 0 && cli_case_has("kept/*.lock"); k++)
      nanosleep(&pause, NULL);
    cr_expect(!cli_case_has("kept/*.lock"), "signal %d: a process goes on building", signals[i]);
    if (signals[i] != SIGKILL) expect_files("kept long.json model.json sweep.json");
  }
}

/* Nothing can stop the compiler, so the process ends around it. */
Test(cli_run, interrupted_in_a_compiler_leaves_nothing) {
  opencl_needed();
  setenv("COSWEEP_DEVICE", "cpu", 1);
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGXFSZ};
  const struct cli_how how = {.environment = "COSWEEP_CACHE=kept"};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct cli_child child = cli_start("run sweep.json", &how);
    cli_case_await("kept/*.lock");
    cr_assert_eq(kill(child.pid, signals[i]), 0);
    if (i % 2 == 0) cr_assert_eq(kill(child.pid, signals[i]), 0);
    struct cli_result r = cli_end(&child);
    cr_expect_eq(r.status, 130, "signal %d: exit status %d", signals[i], r.status);
    cr_expect(strncmp(r.err, "interrupted", 11) == 0 && strchr(r.err, '\n') == r.err + strlen(r.err) - 1,
              "signal %d: %s", signals[i], r.err);
    cli_free(&r);
    expect_files("kept model.json sweep.json");
    cr_expect_eq(rmdir("kept/run"), 0, "signal %d: folders of PoCL are left", signals[i]);
    cr_expect_eq(rmdir("kept"), 0, "signal %d: files of the cache are left", signals[i]);
  }
}

Test(cli_run, file_size_limit_leaves_nothing) {
  const struct cli_how small = {.largest_file = 1000};
  struct cli_result r = cli_run("run sweep.json");
  cli_free(&r);
  static const char *const words[] = {"export small.h5 --format matlab", "export small.h5 --format xdmf",
                                      "report small.h5"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    r = cli_run_how(words[i], &small);
    cr_expect_eq(r.status, 5, "cosweep %s: exit status %d", words[i], r.status);
    cr_expect(strstr(r.err, "File too large"), "cosweep %s: no reason in: %s", words[i], r.err);
    cli_free(&r);
    expect_files("model.json small.h5 sweep.json");
  }
}

Test(cli_run, room_is_looked_at_before_a_run) {
  const struct cli_how small = {.largest_file = 20000};
  cli_case_sweep("many.json", "many", 0.1, 1,
                 "{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [1, 2, 1000]},"
                 "{\"name\": \"q\", \"path\": \"parameters.q\", \"linspace\": [1, 2, 1000]}",
                 "\"output_error\"");
  struct cli_result r = cli_run_how("run many.json", &small);
  cr_expect_eq(r.status, 5, "exit status %d", r.status);
  cr_expect(strstr(r.err, "many.h5: takes about 13"), "%s", r.err);
  cr_expect(strstr(r.err, " MB; the limit of file size (ulimit -f) is 20"), "%s", r.err);
  cli_free(&r);
  r = cli_run_how("run sweep.json -o few.h5", &small); /* of which the text of the kernel is most */
  cr_expect_eq(r.status, 5, "exit status %d", r.status);
  cr_expect(strstr(r.err, "few.h5: takes about ") && strstr(r.err, " kB; the limit of file size"), "%s", r.err);
  cli_free(&r);
  expect_files("many.json model.json sweep.json");
}

Test(cli_run, results_larger_than_the_memory_allowed_are_announced) {
  cli_case_sweep("many.json", "many", 0.1, 1,
                 "{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [1, 2, 130]},"
                 "{\"name\": \"q\", \"path\": \"parameters.q\", \"linspace\": [1, 2, 130]}",
                 "\"output_error\"");
  struct cli_result r = cli_run("run many.json --memory 1");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strstr(r.err, "many.json: its results take 287 kB, more than a quarter of --memory") != NULL, "%s", r.err);
  cr_expect(strstr(r.err, "in a file without a name beside many.h5") != NULL, "%s", r.err);
  cli_free(&r);
  expect_files("many.h5 many.json model.json sweep.json");
  r = cli_run("run many.json -o other.h5 --memory 2"); /* windows of another size too */
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strstr(r.err, "its results take") == NULL, "%s", r.err);
  cli_free(&r);
  cli_expect("compare many.h5 other.h5", 0, "no difference");
}

/* Nothing is allocated for them, and only some of the runs are planned. */
Test(cli_run, huge_sweeps_are_looked_at_and_refused_with_numbers) {
  static const char *const commands[] = {"check", "run --dry-run"};
  cli_case_sweep("many.json", "many", 0.1, 1,
                 "{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [1, 2, 1000000]},"
                 "{\"name\": \"q\", \"path\": \"parameters.q\", \"linspace\": [1, 2, 1000000]}",
                 "\"output_error\"");
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    char words[64];
    snprintf(words, sizeof words, "%s many.json", commands[i]);
    struct cli_result r = cli_run(words);
    cr_expect_eq(r.status, 0, "cosweep %s: exit status %d: %s", words, r.status, r.err);
    cr_expect(strstr(r.out, "1,000,000,000,000, of which 262,144 were planned: all that follows is about so\n"), "%s",
              r.out);
    cr_expect(strstr(r.out, "  steps     10,000,000,000,000\n"), "%s", r.out);
    cr_expect(strstr(r.out, "  result    1") && strstr(r.out, " TB\n"), "%s", r.out);
    cli_free(&r);
  }
  struct cli_result r = cli_run("run many.json");
  cr_expect_eq(r.status, 5, "exit status %d", r.status);
  cr_expect(strstr(r.err, "many.h5: takes about ") && strstr(r.err, " TB; the free space there is "), "%s", r.err);
  cli_free(&r);
  struct cli_result one = cli_run("trace --run 999999999999 many.json"); /* of which no other is planned */
  cr_expect_eq(one.status, 0, "%s", one.err);
  cli_free(&one);
  expect_files("many.json many_trace.h5 model.json sweep.json");
}

Test(cli_run, second_process_on_one_file_stops) {
  struct cli_child first = start_long();
  struct cli_result second = cli_run("run sweep.json -o long.h5 --force");
  cr_expect_eq(second.status, 5, "exit status %d", second.status);
  cr_expect(strstr(second.err, "long.h5: another process is writing it"), "%s", second.err);
  cli_free(&second);
  cr_assert_eq(kill(first.pid, SIGINT), 0);
  struct cli_result r = cli_end(&first);
  cr_expect_eq(r.status, 130, "the second process has disturbed the first: %s", r.err);
  cli_free(&r);
  expect_files("long.json model.json sweep.json");
}

/* ---- closed descriptors */

/* Otherwise the result would have the number of standard error, and receive what is printed there. */
Test(cli_run, closed_descriptors_are_not_taken_by_files) {
  const struct cli_how closed = {.closed = true};
  write_long_sweep();
  struct cli_child child = cli_start("run long.json", &closed);
  cli_case_await("long.h5.part");
  for (int fd = 0; fd < 3; fd++) {
    char link[64], target[64] = "";
    snprintf(link, sizeof link, "/proc/%ld/fd/%d", (long)child.pid, fd);
    if (readlink(link, target, sizeof target - 1) < 0) cr_skip_test("this machine has no /proc");
    cr_expect_str_eq(target, "/dev/null", "descriptor %d", fd);
  }
  cr_assert_eq(kill(child.pid, SIGINT), 0);
  struct cli_result r = cli_end(&child);
  cr_expect_eq(r.status, 130, "exit status %d", r.status);
  cli_free(&r);
}

Test(cli_run, results_do_not_need_standard_output) {
  const struct cli_how closed = {.closed = true};
  struct cs_error error;
  struct cs_table *table;
  cli_case_sweep("one_bad.json", "one_bad", 0.1, 1, P_AXIS("-1, 1, 2"), "\"output_error\"");
  struct cli_result r = cli_run_how("run one_bad.json", &closed);
  cr_expect_eq(r.status, 0, "exit status %d", r.status);
  cli_free(&r);
  cr_assert_eq(cs_store_read("one_bad.h5", &table, &error), CS_OK, "%s", error.message);
  cs_table_free(table);
  static const char *const printing[] = {"info one_bad.h5", "export one_bad.h5 -o -", "check one_bad.json", "--help",
                                         "run sweep.json --dry-run"};
  for (size_t i = 0; i < sizeof printing / sizeof *printing; i++) {
    r = cli_run_how(printing[i], &closed);
    cr_expect_eq(r.status, 5, "cosweep %s: exit status %d", printing[i], r.status);
    cli_free(&r);
  }
}

/* ---- directories */

Test(cli_run, read_only_directory) {
  const struct cli_how nobody = {.unprivileged = true};
  cr_assert_eq(chmod(".", 0555), 0);
  struct cli_result r = cli_run_how("run sweep.json", &nobody);
  cr_assert_eq(chmod(".", 0755), 0);
  cr_expect_eq(r.status, 5, "exit status %d", r.status);
  cr_expect(strstr(r.err, "small.h5: cannot create"), "%s", r.err);
  cr_expect(strstr(r.err, "want a directory that can be written"), "%s", r.err);
  cli_free(&r);
  expect_files("model.json sweep.json");
}

/* ---- terminals */

Test(cli_run, progress_on_a_terminal) {
  const struct cli_how plain = {.environment = "NO_COLOR=1", .terminal = true},
                       colour = {.environment = "NO_COLOR=", .terminal = true};
  struct cli_result r = cli_run_how("run sweep.json -o a.h5", &plain);
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strstr(r.err, "\r[....................]"), "no bar in: %s", r.err);
  cr_expect(strstr(r.err, " of 4 runs"), "%s", r.err);
  cr_expect_null(strstr(r.err, "building"), "the host builds nothing, but: %s", r.err);
  cr_expect_null(strchr(r.err, '\033'), "NO_COLOR is set, but: %s", r.err);
  cli_free(&r);
  r = cli_run_how("run sweep.json -o b.h5", &colour);
  cr_expect(strchr(r.err, '\033'), "no colour in: %s", r.err);
  cli_free(&r);
  r = cli_run_how("run sweep.json -o c.h5 --quiet", &colour);
  cr_expect_str_empty(r.err, "--quiet, but: %s", r.err);
  cli_free(&r);
}

/* Runs whose steps grow beyond what their kernels can do are computed again; progress, summary and info count them. A
 * limit of the step that allows it is known beforehand. */
Test(cli_run, runs_that_are_repeated_are_told) {
  const struct cli_how terminal = {.environment = "NO_COLOR=1", .terminal = true};
  cli_case_write(
      "stiff.json",
      "{\"format\": \"cosweep-model/1\", \"name\": \"stiff\", \"subsystems\": ["
      "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-100]],"
      " \"B\": [[1]], \"C\": [[1]], \"x0\": [1]}, {\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"],"
      " \"outputs\": [\"y\"], \"A\": [[-1]], \"B\": [[1]], \"C\": [[1]], \"x0\": [1]}], \"connections\": ["
      "{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\"}]}");
  cli_case_write("long.json",
                 "{\"format\": \"cosweep-sweep/1\", \"name\": \"long\", \"model\": \"stiff.json\", \"t_end\": 20,"
                 " \"method\": {\"step\": {\"control\": \"pi_defect\", \"initial\": 0.01}}, \"axes\": ["
                 "{\"name\": \"tolerance\", \"path\": \"method.step.tolerance\", \"values\": [0.01, 0.1]}],"
                 " \"metrics\": [\"output_error\"]}");
  struct cli_result r = cli_run_how("run long.json", &terminal);
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strstr(r.err, "0 of 2 repeated runs"), "%s", r.err);
  cr_expect(strstr(r.err, " 2 runs again for steps that are long for the network, in "), "%s", r.err);
  cli_free(&r);
  r = cli_run("run long.json --force --quiet --json");
  cr_expect(strstr(r.out, "\"repeats\": 2,"), "%s", r.out);
  cli_free(&r);
  r = cli_run("info long.h5");
  cr_expect(strstr(r.out, "repeated  2 runs, from their start by other kernels"), "%s", r.out);
  cli_free(&r);
  r = cli_run("info long.h5 --json");
  cr_expect(strstr(r.out, "\"repeats\": 2"), "%s", r.out);
  cli_free(&r);
  static const char *const limited[] = {"run long.json --force --set method.step.max=0.1",
                                        "run long.json --force --set method.step.max=5"};
  for (size_t i = 0; i < 2; i++) {
    r = cli_run_how(limited[i], &terminal);
    cr_expect_null(strstr(r.err, "again"), "%s: %s", limited[i], r.err);
    cli_free(&r);
  }
}
