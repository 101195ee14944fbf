/* No command overwrites what it reads, by whatever name, not even with --force. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_case.h"
#include "figure_case.h"
#include "store.h"
#include "text.h"

static void open_case(void) {
  struct cs_error error;
  struct cs_store *store = NULL;
  cli_case_open();
  cli_case_write("master.clh", "void master_step(void) {}\nvoid master_exchange(void) {}\n");
  cli_case_write("control.clh", "void control_begin(void) {}\nvoid control_step(void) {}\n");
  struct cs_table *table = figure_case_table(true);
  cr_assert_eq(cs_store_open("result.h5", 0, &store, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_store_commit(store, table, &error), CS_OK, "%s", error.message);
  cs_store_close(store);
  cs_table_free(table);
}

TestSuite(inputs, .init = open_case, .fini = cli_case_close, .timeout = 120);

static char *read_text(const char *path) {
  struct cs_text text = {0};
  struct cs_error error;
  cr_assert_eq(cs_text_read(&text, path, "file", &error), CS_OK, "%s", error.message);
  return text.data;
}

/* The command is refused with both names, and the file stays as it is. */
static void expect_refused(const char *words, const char *output, const char *input) {
  struct cs_text want = {0};
  char *before = read_text(input);
  struct cli_result r = cli_run(words);
  char *after = read_text(input);
  cs_text_add(&want, ": writing %s would overwrite %s, which is read; want another name", output, input);
  cr_expect_eq(r.status, 2, "cosweep %s: exit status %d", words, r.status);
  cr_expect(strstr(r.err, want.data), "cosweep %s: \"%s\" is not in: %s", words, want.data, r.err);
  cr_expect_str_eq(before, after, "cosweep %s: %s has changed", words, input);
  free(before);
  free(after);
  cli_free(&r);
  cs_text_free(&want);
}

static void copy(const char *from, const char *to) {
  char command[128];
  snprintf(command, sizeof command, "cp %s %s", from, to);
  cr_assert_eq(system(command), 0);
}

#define BOOST(folder, file) COSWEEP_SOURCE_DIR "/" folder "/boost_converter" file ".json"

/* check -: from standard input, with paths from the working directory; and words that are completed without a file. */
Test(inputs, of_standard_input) {
  static const struct {
    const char *command, *said;
  } cases[] = {
      {"cat " COSWEEP_SOURCE_DIR "/models/ring/model.json | \"$COSWEEP_PROGRAM\" check - > said 2>&1",
       "-: model ring\n"},
      {"echo '{\"format\": \"cosweep-sweep/1\", \"nam\": 3}' | \"$COSWEEP_PROGRAM\" check - > said 2>&1; test $? = 3",
       "-:1:31: nam: unknown key; did you mean \"name\"?\n"},
      {"\"$COSWEEP_PROGRAM\" --complete explain --for '' > said", "gauss_seidel,hermite,3\n"},
      {"\"$COSWEEP_PROGRAM\" --complete explain --set '' " BOOST("models", "/model") " > said",
       "parameters.ki=\noperating_point=\n"},
      {"\"$COSWEEP_PROGRAM\" --complete explain --set operating_point " BOOST("models", "/model") " > said",
       "equilibrium\ninitial\n"},
      {"\"$COSWEEP_PROGRAM\" --complete run --set '' " BOOST("sweeps", "") " > said", "operating_point=\n"},
      {"\"$COSWEEP_PROGRAM\" --complete run --set operating_point " BOOST("sweeps", "") " > said",
       "equilibrium\ninitial\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cr_expect_eq(system(cases[i].command), 0, "%s", cases[i].command);
    char *said = read_text("said");
    cr_expect_not_null(strstr(said, cases[i].said), "%s: %s", cases[i].command, said);
    free(said);
  }
}

Test(inputs, of_sweeps) {
  static const char *const commands[] = {"run", "trace"};
  for (size_t i = 0; i < 2; i++) {
    char words[128];
    for (const char *const *file = (const char *const[]){"sweep.json", "model.json", NULL}; *file != NULL; file++) {
      snprintf(words, sizeof words, "%s sweep.json --force %s -o %s", commands[i], i > 0 ? "--run 0" : "", *file);
      expect_refused(words, *file, *file);
    }
  }
}

static const char with_fragments[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"own\", \"model\": \"model.json\", \"t_end\": 1,\n"
    " \"method\": {\"master\": {\"kernel\": \"master.clh\"},\n"
    "  \"step\": {\"control\": {\"kernel\": \"control.clh\"}, \"initial\": 0.1}}}\n";

Test(inputs, fragments) {
  cli_case_write("own.json", with_fragments);
  expect_refused("run own.json --force -o master.clh", "master.clh", "master.clh");
  expect_refused("run own.json --force -o control.clh", "control.clh", "control.clh");
  expect_refused("trace own.json --force -o ./control.clh", "./control.clh", "control.clh");
}

Test(inputs, code_is_named_or_refused) {
  static const char *const commands[] = {"run own.json", "check own.json", "trace own.json"};
  cli_case_write("own.json", with_fragments);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    char words[64];
    snprintf(words, sizeof words, "%s --no-fragments", commands[i]);
    struct cli_result r = cli_run(words);
    cr_expect_eq(r.status, 3, "cosweep %s: exit status %d", words, r.status);
    cr_expect_str_eq(r.err, "own.json: has fragments of code: master.clh, control.clh; --no-fragments allows none\n");
    cli_free(&r);
  }
  struct cli_result loud = cli_run("run own.json"), quiet = cli_run("run own.json --quiet"),
                    none = cli_run("check sweep.json --no-fragments");
  cr_expect_eq(strncmp(loud.err, "own: compiles master.clh, control.clh\n", 38), 0, "%s", loud.err);
  cr_expect_null(strstr(quiet.err, "compiles"), "%s", quiet.err);
  cr_expect_eq(none.status, 0, "%s", none.err);
  cli_free(&loud);
  cli_free(&quiet);
  cli_free(&none);
}

/* What one sweep is read from is not the result of another. */
Test(inputs, of_other_sweeps) {
  cli_case_write("own.json", with_fragments);
  cli_case_sweep("taken.json", "taken", 0.1, 1, "", "\"steps\"");
  cr_assert_eq(link("master.clh", "taken.h5"), 0);
  expect_refused("run own.json taken.json --force", "taken.h5", "master.clh");
}

Test(inputs, links) {
  cr_assert_eq(symlink("model.json", "soft.h5"), 0);
  cr_assert_eq(link("model.json", "hard.h5"), 0);
  expect_refused("run sweep.json --force -o soft.h5", "soft.h5", "model.json");
  expect_refused("run sweep.json --force -o hard.h5", "hard.h5", "model.json");
  cr_assert_eq(rename("model.json", "real.json"), 0);
  cr_assert_eq(symlink("real.json", "model.json"), 0);
  expect_refused("run sweep.json --force -o real.json", "real.json", "model.json");
}

/* The names beside a result that exist while it is written. */
Test(inputs, temporary_files) {
  copy("sweep.json", "a.h5.part");
  copy("sweep.json", "a.h5.lock");
  expect_refused("run a.h5.part -o a.h5", "a.h5.part", "a.h5.part");
  expect_refused("run a.h5.lock -o a.h5", "a.h5.lock", "a.h5.lock");
}

Test(inputs, results) {
  copy("result.h5", "result.dat");
  copy("result.h5", "result.gp");
  copy("result.h5", "result.svg");
  expect_refused("plot result.dat --script --force -o result.png", "result.dat", "result.dat");
  expect_refused("plot result.gp --script --force -o result.png", "result.gp", "result.gp");
  expect_refused("plot result.svg --force", "result.svg", "result.svg");
  expect_refused("plot result.h5 result.svg --force -o ./result.svg", "./result.svg", "result.svg");
  copy("result.h5", "result.html");
  expect_refused("report result.html --force", "result.html", "result.html");
  expect_refused("report result.h5 --force -o result.h5", "result.h5", "result.h5");
  expect_refused("export result.h5 --force -o result.h5", "result.h5", "result.h5");
  cr_assert_eq(symlink("result.h5", "result.csv"), 0);
  expect_refused("export result.h5 --force", "result.csv", "result.h5");
}
