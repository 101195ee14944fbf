/* cosweep new and cosweep schema: what they write, what they refuse, and that a newcomer's first commands work. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli_case.h"
#include "json.h"
#include "store.h"
#include "sweep.h"

#ifndef COSWEEP_SOURCE_DIR
#define COSWEEP_SOURCE_DIR "."
#endif

TestSuite(new, .init = cli_case_open, .fini = cli_case_close, .timeout = 600);

static const char all[] = "README.md model.json schemas sweep.json";

static void enter(const char *directory) {
  cr_assert_eq(chdir(directory), 0, "no directory %s", directory);
}

static void expect_files(const char *files) {
  char *there = cli_case_files();
  cr_expect_str_eq(there, files);
  free(there);
}

static void expect(const char *words, int status, const char *message) {
  struct cli_result r = cli_run(words);
  cr_expect_eq(r.status, status, "cosweep %s: exit status %d, want %d\n%s", words, r.status, status, r.err);
  cr_expect(strstr(r.err, message), "cosweep %s: \"%s\" is not in: %s", words, message, r.err);
  cli_free(&r);
}

static char *read_text(const char *path) {
  struct cs_text text = {0};
  struct cs_error error;
  cr_assert_eq(cs_text_read(&text, path, "text", &error), CS_OK, "%s", error.message);
  return text.data;
}

/* ---- what is written */

Test(new, writes_a_directory) {
  struct cli_result r = cli_run("new demo");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect_str_eq(r.out,
                   "demo/model.json\ndemo/sweep.json\ndemo/README.md\ndemo/schemas/model.schema.json\n"
                   "demo/schemas/sweep.schema.json\n");
  cr_expect(strstr(r.err, "  cd demo\n"), "%s", r.err);
  cli_free(&r);
  expect_files("demo model.json sweep.json");
  enter("demo");
  expect_files(all);
  enter("schemas");
  expect_files("model.schema.json sweep.schema.json");
}

Test(new, empty_working_directory_serves) {
  cr_assert_eq(mkdir("empty", 0755), 0);
  enter("empty");
  cli_case_write(".hidden", "mine\n");
  struct cli_result r = cli_run("new");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect_eq(strncmp(r.out, "model.json\n", 11), 0, "%s", r.out);
  cr_expect_null(strstr(r.err, "cd "), "%s", r.err);
  cli_free(&r);
  cr_expect_eq(remove(".hidden"), 0);
  expect_files(all);
}

/* The files are those of host/cli/starter, and name schemas that are there. */
Test(new, files_are_the_starter) {
  static const char *const files[] = {"README.md", "model.json", "sweep.json"};
  expect("new demo --quiet", 0, "");
  enter("demo");
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char source[512];
    snprintf(source, sizeof source, "%s/host/cli/starter/%s", COSWEEP_SOURCE_DIR, files[i]);
    char *made = read_text(files[i]), *want = read_text(source), *schema = strstr(want, "\"schemas/");
    cr_expect_str_eq(made, want, "%s", files[i]);
    cr_expect_eq(schema != NULL, i > 0, "%s: $schema", files[i]);
    free(made);
    free(want);
  }
  for (size_t i = 1; i < sizeof files / sizeof *files; i++) {
    struct cs_error error;
    struct cs_json *json;
    cr_assert_eq(cs_json_load(files[i], &json, &error), CS_OK, "%s", error.message);
    const char *schema = cs_json_string(cs_json_get(cs_json_root(json), "$schema"));
    cr_expect_eq(access(schema, R_OK), 0, "%s names %s", files[i], schema);
    cs_json_free(json);
  }
}

/* ---- what is refused, and then nothing is left */

Test(new, replaces_nothing) {
  expect("new", 5, "the working directory is not empty, it contains \"");
  expect("new .", 5, "./model.json: exists, and cosweep new never replaces files");
  expect("new no/where", 5, "no/where: cannot create the directory");
  expect("new model.json", 5, "model.json/schemas: cannot create the directory");
  expect("new a b", 2, "unexpected argument \"b\"");
  expect_files("model.json sweep.json");
  cr_assert_eq(mkdir("other", 0755), 0);
  enter("other");
  cli_case_write("schemas", "mine\n");
  expect("new .", 5, "./schemas/model.schema.json: there is no directory \"./schemas\"");
  expect_files("schemas");
  expect("new ../other", 5, "../other/schemas/model.schema.json: there is no directory \"../other/schemas\"");
  expect_files("schemas");
}

/* A half-written file would have its name. */
Test(new, files_appear_whole) {
  const struct cli_how small = {.largest_file = 1000};
  struct cli_result r = cli_run_how("new demo", &small);
  cr_expect_eq(r.status, 5, "exit status %d", r.status);
  cr_expect(strstr(r.err, ".part: File too large"), "%s", r.err);
  cli_free(&r);
  expect_files("model.json sweep.json");
}

/* ---- what it is for */

static double order_of(const struct cs_table *table, const char *metric, size_t order, size_t signal) {
  const struct cs_array *array = cs_table_find(table, metric);
  cr_assert_not_null(array, "no %s", metric);
  return array->data.float64[2 * order + signal];
}

/* The commands that it prints; figures need gnuplot. */
Test(new, first_commands_work) {
  struct cs_error error;
  struct cs_table *table;
  struct cli_result r = cli_run("new demo");
  size_t commands = 0;
  enter("demo");
  for (char *line = strstr(r.err, "  cosweep "); line != NULL; line = strstr(line, "  cosweep ")) {
    line += strlen("  cosweep ");
    char words[128];
    snprintf(words, sizeof words, "%.*s", (int)strcspn(line, "#\n"), line);
    if (strncmp(words, "plot ", 5) == 0 && access("/usr/bin/gnuplot", X_OK) != 0) continue;
    while (words[strlen(words) - 1] == ' ')
      words[strlen(words) - 1] = '\0';
    expect(words, 0, "");
    commands++;
  }
  cli_free(&r);
  cr_expect_geq(commands, 3);
  cr_assert_eq(cs_store_read("sweep.h5", &table, &error), CS_OK, "%s", error.message);
  for (size_t order = 0; order < 3; order++)
    for (size_t signal = 0; signal < 2; signal++) {
      cr_expect_float_eq(order_of(table, "output_error_order", order, signal), (double)order + 1, 0.1);
      cr_expect_float_eq(order_of(table, "connection_defect_order", order, signal), (double)order + 1, 0.1);
    }
  cs_table_free(table);
}

/* ---- schemas */

Test(new, schema_prints_the_file) {
  static const char *const kinds[] = {"model", "sweep"};
  for (size_t i = 0; i < 2; i++) {
    char words[32], path[512];
    snprintf(words, sizeof words, "schema %s", kinds[i]);
    snprintf(path, sizeof path, "%s/docs/schemas/%s.schema.json", COSWEEP_SOURCE_DIR, kinds[i]);
    struct cli_result r = cli_run(words);
    char *want = read_text(path);
    cr_expect_eq(r.status, 0, "%s", r.err);
    cr_expect_str_eq(r.out, want);
    free(want);
    cli_free(&r);
  }
  expect("schema result", 2, "\"result\"; want one of: model, sweep");
  expect("schema", 2, "want model or sweep");
}
