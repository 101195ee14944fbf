/* The longest names and labels there may be, from model and sweep to every command that reads the result. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli_case.h"
#include "text.h"

TestSuite(names, .init = cli_case_open, .fini = cli_case_close, .timeout = 600);

#define TAIL "abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrstuvwxyz_12345678" /* 62 characters */
#define LABEL TAIL TAIL TAIL TAIL TAIL

static void write_model(void) {
  struct cs_text text = {0};
  cs_text_add(&text, "{\"format\": \"cosweep-model/1\", \"name\": \"%s\", \"parameters\": {\"%s\": 1, \"%s\": 3},\n",
              "m" TAIL, "p" TAIL, "q" TAIL);
  cs_text_add(&text, "\"subsystems\": [{\"name\": \"%s\", \"states\": [\"%s\"], \"inputs\": [\"%s\"], ", "s" TAIL,
              "x" TAIL, "u" TAIL);
  cs_text_add(&text, "\"outputs\": [\"%s\"], \"A\": [[\"-%s\"]], \"B\": [[\"-%s\"]], \"C\": [[1]]}],\n", "y" TAIL,
              "p" TAIL, "q" TAIL);
  cs_text_add(&text, "\"connections\": [{\"from\": \"%s.%s\", \"to\": \"%s.%s\"}],\n", "s" TAIL, "y" TAIL, "s" TAIL,
              "u" TAIL);
  cs_text_add(&text, "\"monitors\": [{\"name\": \"%s\", \"terms\": {\"%s.%s\": 1}}]}\n", "n" TAIL, "s" TAIL, "x" TAIL);
  cli_case_write("model.json", cs_text_string(&text));
  cs_text_free(&text);
}

/* Writes a sweep of the study over p, q and labels; `rest`: its further members. */
static void write_sweep(const char *study, const char *axis, const char *rest) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"a\", \"model\": \"model.json\", \"study\": \"%s\",\n",
              study);
  cs_text_add(&text, "\"method\": {\"solver\": \"exact\", \"step\": {\"size\": 0.5}}, \"axes\": [\n");
  cs_text_add(&text, "{\"name\": \"%s\", \"path\": \"method.step.size\", \"values\": [0.25, 0.5, 1, 4]},\n", axis);
  cs_text_add(&text, "{\"name\": \"l\", \"path\": \"parameters.%s\", \"values\": [{\"label\": \"%s\", \"value\": 1}, ",
              "p" TAIL, LABEL);
  cs_text_add(&text, "{\"label\": \"b\", \"value\": 2}]}], %s}\n", rest);
  cli_case_write("sweep.json", cs_text_string(&text));
  cs_text_free(&text);
}

/* Runs a command that has to succeed; it has to print `part`. */
static void expect_success(const char *words, const char *part) {
  struct cli_result result = cli_run(words);
  cr_expect_eq(result.status, 0, "%s: %d: %s", words, result.status, result.err);
  cr_expect_not_null(strstr(result.out, part), "%s: %s", words, result.out);
  cli_free(&result);
}

Test(names, of_63_characters_are_read_by_every_command) {
  static const struct {
    const char *study, *rest, *part;
  } cases[] = {
      {"stability", "\"boundary\": {\"along\": \"H" TAIL "\"}", "H" TAIL},
      {"simulation", "\"t_end\": 8, \"fits\": [{\"along\": \"H" TAIL "\"}]", "H" TAIL},
  };
  write_model();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_sweep(cases[i].study, "H" TAIL, cases[i].rest);
    expect_success("run sweep.json -o r.h5 --force --quiet", "");
    expect_success("info r.h5", cases[i].part);
    expect_success("info r.h5", LABEL);
    expect_success("info --json r.h5", cases[i].part);
    expect_success(i == 0 ? "export r.h5 -o l.csv --metric H" TAIL "_stable_max" : "info r.h5", "");
    expect_success("plot r.h5 --force", "");
    expect_success("report r.h5 --force", "");
    expect_success("export r.h5 -o r.csv --force", "");
    expect_success("export r.h5 -o r.mat --force", "");
  }
  expect_success("trace sweep.json --run 0 -o t.h5 --force --quiet", "");
  expect_success("info t.h5", "s" TAIL ".y" TAIL);
}

Test(names, longer_ones_are_refused_before_anything_runs) {
  write_model();
  write_sweep("stability", "HH" TAIL, "\"boundary\": {\"along\": \"HH" TAIL "\"}");
  struct cli_result result = cli_run("run sweep.json -o r.h5 --quiet");
  cr_expect_eq(result.status, 3);
  cr_expect_str_eq(
      result.err,
      "sweep.json:3:10: axes[0].name: \"HHabcdefghijklmnopqrstuv...\" has 64 characters; want at most 63\n");
  char *files = cli_case_files();
  cr_expect_null(strstr(files, "r.h5"), "%s", files);
  free(files);
  cli_free(&result);
}
