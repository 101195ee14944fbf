/* The command line without long runs: usage, input, output, what the commands print. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli_case.h"
#include "json.h"
#include "opencl.h"
#include "store.h"

#ifndef COSWEEP_SOURCE_DIR
#define COSWEEP_SOURCE_DIR "."
#endif

TestSuite(cli, .init = cli_case_open, .fini = cli_case_close, .timeout = 300);

/* Runs `words`; the exit status and a part of stderr. */
static void expect(const char *words, int status, const char *message) {
  struct cli_result r = cli_run(words);
  cr_expect_eq(r.status, status, "cosweep %s: exit status %d, want %d\n%s", words, r.status, status, r.err);
  cr_expect(strstr(r.err, message), "cosweep %s: \"%s\" is not in: %s", words, message, r.err);
  cli_free(&r);
}

static void expect_files(const char *files) {
  char *there = cli_case_files();
  cr_expect_str_eq(there, files);
  free(there);
}

/* ---- usage */

Test(cli, wrong_usage_is_one_line_with_a_hint) {
  static const struct {
    const char *words, *message;
  } row[] = {
      {"rum", "unknown command \"rum\"; did you mean \"run\"?"},
      {"inof x.h5", "did you mean \"info\"?"},
      {"--versoin", "did you mean \"--version\"?"},
      {"foo", "unknown command \"foo\" (all: cosweep --help)"},
      {"run", "want a sweep file"},
      {"check", "want a model or sweep file"},
      {"info", "want a result file"},
      {"info a.h5 b.h5", "unexpected argument \"b.h5\""},
      {"devices x", "unexpected argument \"x\""},
      {"run sweep.json --forse", "unknown option \"--forse\"; did you mean \"--force\"?"},
      {"run sweep.json --dryrun", "did you mean \"--dry-run\"?"},
      {"run sweep.json -x", "unknown option"},
      {"run sweep.json --lanes 3", "--lanes 3; want one of: 1, 2, 4, 8, 16"},
      {"run sweep.json --lanes=-1", "--lanes -1; want one of"},
      {"run sweep.json --tile-runs 0", "--tile-runs 0; want a whole number from 1"},
      {"run sweep.json --memory 2x", "--memory 2x; want megabytes, as 512, or a size with K, M, G or T, as 512M"},
      {"run sweep.json --memory 99999999999999999999999", "want megabytes"},
      {"run sweep.json --memory 0", "--memory 0; want megabytes"},
      {"run sweep.json --memory 1GB", "--memory 1GB; want megabytes"},
      {"run sweep.json --memory -1G", "--memory -1G; want megabytes"},
      {"run sweep.json --memory 0x10", "--memory 0x10; want megabytes"},
      {"run sweep.json --memory nanG", "--memory nanG; want megabytes"},
      {"run sweep.json --memory G", "--memory G; want megabytes"},
      {"run sweep.json --set H", "--set \"H\"; want PATH=VALUE"},
      {"run sweep.json --quiet=1", "--quiet takes no value"},
      {"run sweep.json -o", "--output needs a value, FILE"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cli_result r = cli_run(row[i].words);
    cr_expect_eq(r.status, 2, "cosweep %s: exit status %d", row[i].words, r.status);
    cr_expect(strstr(r.err, row[i].message), "cosweep %s: %s", row[i].words, r.err);
    cr_expect(strstr(r.err, "--help)"), "cosweep %s: no hint in: %s", row[i].words, r.err);
    cr_expect_eq(strchr(r.err, '\n'), r.err + strlen(r.err) - 1, "cosweep %s: not one line: %s", row[i].words, r.err);
    cr_expect_str_empty(r.out);
    cli_free(&r);
  }
  expect_files("model.json sweep.json");
}

Test(cli, without_a_command_help_is_an_error) {
  struct cli_result bare = cli_run(""), help = cli_run("--help");
  cr_expect_eq(bare.status, 2);
  cr_expect_str_empty(bare.out);
  cr_expect_str_eq(bare.err, help.out);
  cli_free(&bare);
  cli_free(&help);
}

Test(cli, help_names_every_command_and_option) {
  static const char *const commands[] = {"run", "check", "info", "devices"};
  static const char *const options[] = {"--output",    "--device", "--set",    "--dry-run",
                                        "--force",     "--lanes",  "--memory", "--quiet",
                                        "--tile-runs", "--json",   "--help",   "--print-kernel"};
  struct cli_result help = cli_run("--help"), run = cli_run("run --help"), version = cli_run("--version");
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    cr_expect(strstr(help.out, commands[i]));
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    cr_expect(strstr(run.out, options[i]), "%s", options[i]);
  for (const char *line = run.out; *line != '\0'; line += strcspn(line, "\n") + 1)
    cr_expect_leq(strcspn(line, "\n"), 80, "too wide: %.*s", (int)strcspn(line, "\n"), line);
  cr_expect_eq(help.status + run.status + version.status, 0);
  cr_expect_eq(strncmp(version.out, "cosweep ", 8), 0);
  cli_free(&help);
  cli_free(&run);
  cli_free(&version);
}

/* ---- input */

Test(cli, wrong_input_is_exit_3) {
  cli_case_write("no_model.json",
                 "{\"format\": \"cosweep-sweep/1\", \"name\": \"a\", \"model\": \"absent.json\",\n"
                 " \"study\": \"simulation\", \"t_end\": 1, \"method\": {\"step\": {\"size\": 0.1}}}\n");
  cli_case_write("format.json", "{\"format\": \"cosweep-swep/1\"}\n");
  cli_case_write("cut.json", "{\"format\": \n");
  expect("run no_model.json", 3, "no_model.json:1:53: model: absent.json");
  expect("run cut.json", 3, "cut.json:");
  expect("check format.json", 3, "format.json:1:12: format: unknown format \"cosweep-swep/1\"; want one of");
  expect("run sweep.json --set method.hold=lagrnge", 3,
         "--set method.hold: unknown hold \"lagrnge\"; did you mean \"lagrange\"? want one of: taylor");
  expect("run absent.json", 5, "absent.json: cannot be opened");
  expect("check model.json --set parameters.p=2", 2, "--set applies to sweep files only");
  expect_files("cut.json format.json model.json no_model.json sweep.json");
}

/* Files that another command takes. */
Test(cli, files_of_another_kind_are_named) {
  cli_case_write("small.json",
                 "{\"format\": \"cosweep-sweep/1\", \"name\": \"small\", \"model\": \"model.json\", \"t_end\": 1,\n"
                 " \"method\": {\"step\": {\"size\": 0.5}}}\n");
  expect("run model.json", 3, "model.json: is a model; run takes a sweep");
  expect("trace model.json", 3, "model.json: is a model; trace takes a sweep");
  expect("plot sweep.json", 5, "sweep.json: is a sweep; plot takes its result: cosweep run sweep.json");
  expect("info model.json", 5, "model.json: is a model; info takes the result of a sweep");
  struct cli_result made = cli_run("run small.json --device host --quiet");
  cr_expect_eq(made.status, 0, "%s", made.err);
  cli_free(&made);
  expect("run small.h5", 3, "small.h5: is a result; run takes a sweep");
}

/* Every line of a message that names a place; tabs stay tabs, and terminals take no more than that from a file. */
Test(cli, carets_on_a_terminal) {
  static const struct {
    const char *text, *shown;
  } row[] = {
      {"{\"format\": \"cosweep-model/1\", \"näme\": \"m\"}\r\n",
       "\r\n  {\"format\": \"cosweep-model/1\", \"näme\": \"m\"}\r\n                                ^\r\n"},
      {"{\"format\": \"cosweep-model/1\",\n\t\"x\": \"m\"}\n", "\r\n  \t\"x\": \"m\"}\r\n  \t^\r\n"},
      {"{\"format\": \"\x1b[1m\"}\n", "\r\n  {\"format\": \"\xef\xbf\xbd[1m\"}\r\n              ^\r\n"},
  };
  const struct cli_how terminal = {.environment = "NO_COLOR=1", .terminal = true};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    cli_case_write("wrong.json", row[i].text);
    struct cli_result r = cli_run_how("check wrong.json", &terminal), plain = cli_run("check wrong.json");
    cr_expect_not_null(strstr(r.err, row[i].shown), "%s", r.err);
    cr_expect_null(strchr(plain.err, '^'), "%s", plain.err);
    cli_free(&r);
    cli_free(&plain);
  }
}

Test(cli, set_of_a_path_that_an_axis_moves) {
  cli_case_write("moved.json",
                 "{\"format\": \"cosweep-sweep/1\", \"name\": \"moved\", \"model\": \"model.json\", \"t_end\": 1,\n"
                 " \"method\": {\"step\": {\"size\": 0.5}},\n"
                 " \"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.5]},\n"
                 " {\"name\": \"o\", \"path\": \"method.input_order\", \"values\": [0, 1]}]}\n");
  expect("run moved.json --set method.step.size=0.1", 2,
         "--set method.step.size: has no effect, axis \"H\" moves it; want a path that no axis moves");
  expect("run moved.json --set method.input_order=1", 2, "--set method.input_order: has no effect, axis \"o\"");
  struct cli_result r = cli_run("check moved.json --set method.order=1 --device host"); /* and the output order */
  cr_expect_eq(r.status, 0, "%s", r.err);
  cli_free(&r);
}

Test(cli, check_looks_at_every_file) {
  cli_case_write("wrong.json", "{\"format\": \"cosweep-model/1\"}\n");
  struct cli_result r = cli_run("check wrong.json model.json sweep.json");
  cr_expect_eq(r.status, 3);
  cr_expect(strstr(r.err, "wrong.json:1:1"), "%s", r.err);
  cr_expect(strstr(r.out, "model.json: model ring"), "%s", r.out);
  cr_expect(strstr(r.out, "2 subsystems, 2 states, 2 inputs, 2 outputs"), "%s", r.out);
  cr_expect(strstr(r.out, "sweep.json: sweep small"), "%s", r.out);
  cr_expect(strstr(r.out, "1, 2, 3, 4"), "the axis is not listed: %s", r.out);
  cr_expect(strstr(r.out, "runs      4\n"), "%s", r.out);
  cr_expect(strstr(r.out, "steps     40\n"), "%s", r.out);
  cr_expect(strstr(r.out, "kernels   1 of the host, in 1 tile "), "%s", r.out);
  cli_free(&r);
  expect_files("model.json sweep.json wrong.json");
}

/* ---- study stability */

static void expect_in(const char *text, const char *part) {
  cr_expect(strstr(text, part), "no \"%s\" in: %s", part, text);
}

/* A gain may convert units, but 1 does not. */
Test(cli, check_compares_units) {
  static const char model[] =
      "{\"format\": \"cosweep-model/1\", \"name\": \"units\", \"subsystems\": [\n"
      "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [{\"name\": \"u\", \"unit\": \"N m\"}, {\"name\": \"v\", "
      "\"unit\": \"N\"}],\n"
      "\"outputs\": [{\"name\": \"y\", \"unit\": \"rad/s\"}], \"A\": [[-1]], \"B\": [[1, 1]], \"C\": [[1]]}],\n"
      "\"connections\": [{\"from\": \"a.y\", \"to\": \"a.u\"}, {\"from\": \"a.y\", \"to\": \"a.v\", \"gain\": 2}]}";
  cli_case_write("units.json", model);
  struct cli_result r = cli_run("check units.json");
  cr_expect_eq(r.status, 0);
  expect_in(r.out, "    units differ: a.y (rad/s) -> a.u (N m) with gain 1\n  cosweep explain units.json: ");
  cr_expect_null(strstr(r.out, "a.v"));
  cli_free(&r);
}

/* What equations become. */
Test(cli, check_prints_matrices) {
  static const char model[] =
      "{\"format\": \"cosweep-model/1\", \"name\": \"pair\", \"parameters\": {\"k\": 4, \"m\": 2}, \"subsystems\": [\n"
      "{\"name\": \"mass\", \"states\": [\"x\", \"v\"], \"inputs\": [\"F\"], \"outputs\": [\"v\"],\n"
      "\"f\": [\"v\", \"(F - k*x)/m + 1\"], \"g\": [\"v\"]},\n"
      "{\"name\": \"damper\", \"inputs\": [\"v\"], \"outputs\": [\"F\"], \"D\": [[-0.5]], \"f\": [\"k\"]}],\n"
      "\"connections\": [{\"from\": \"mass.v\", \"to\": \"damper.v\"}, {\"from\": \"damper.F\", \"to\": \"mass.F\"}]}";
  cli_case_write("pair.json", model);
  struct cli_result r = cli_run("check pair.json --matrices");
  cr_expect_eq(r.status, 0, "%s", r.err);
  expect_in(r.out,
            "  mass\n      A = [[0, 1], [-2, 0]]\n      B = [[0], [0.5]]\n      C = [[0, 1]]\n      e = [0, 1]\n"
            "  damper\n      D = [[-0.5]]\n      f = [4]\n  cosweep explain pair.json: ");
  cli_free(&r);
  expect("check sweep.json --matrices", 2, "sweep.json: is a sweep; --matrices applies to model files only");
}

Test(cli, check_counts_events_and_modes) {
  struct cli_result hits = cli_run("check " COSWEEP_SOURCE_DIR "/tests/data/events/model_push.json"),
                    modes = cli_run("check " COSWEEP_SOURCE_DIR "/models/woodpecker/model.json");
  cr_expect_eq(hits.status, 0);
  cr_expect(strstr(hits.out, "\n  2 state events (1 private, 1 shared), 1 time event\n") != NULL, "%s", hits.out);
  cr_expect(strstr(modes.out,
                   "\n  5 state events (5 private, 0 shared); modes: sleeve low/free/high, bird locked/free; 3 "
                   "configurations\n") != NULL,
            "%s", modes.out);
  cli_free(&hits);
  cli_free(&modes);
}

/* Of the events of a model that a sweep has before its end at 1 s; with k = 1 all of them do something. */
Test(cli, check_names_events_that_change_nothing) {
  static const char model[] =
      "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"parameters\": {\"k\": 0}, \"subsystems\": [\n"
      "{\"name\": \"a\", \"states\": [\"x\", \"z\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1, 0], "
      "[0, 0]], \"B\": [[1], [0]], \"C\": [[1, 0]],\n"
      "\"modes\": [{\"name\": \"off\"}, {\"name\": \"on\", \"f\": [1]}]}],\n"
      "\"connections\": [{\"from\": \"a.y\", \"to\": \"a.u\", \"gain\": 0.5}], \"events\": [\n"
      "{\"name\": \"reset\", \"t\": 0.1, \"set\": {\"a.z\": 0}},\n"
      "{\"name\": \"swap\", \"t\": 0.1, \"set\": {\"a.z\": {\"terms\": {\"x.x\": 1}}}},\n"
      "{\"name\": \"twice\", \"t\": 0.1, \"set\": {\"a.z\": {\"terms\": {\"x.z\": 2}}}},\n"
      "{\"name\": \"input\", \"t\": 0.1, \"add\": {\"a.z\": {\"terms\": {\"u\": 1}}}},\n"
      "{\"name\": \"output\", \"t\": 0.1, \"add\": {\"a.x\": 0, \"a.z\": {\"terms\": {\"y\": 1}}}},\n"
      "{\"name\": \"switch\", \"t\": 0.1, \"add\": {\"a.z\": 0}, \"to\": {\"a\": \"on\"}},\n"
      "{\"name\": \"zero\", \"t\": 0.2, \"add\": {\"a.x\": \"k\", \"a.z\": 0}},\n"
      "{\"name\": \"form\", \"t\": 0.2, \"add\": {\"a.z\": {\"terms\": {\"u\": \"k\", \"y\": 0}, \"constant\": 0}}},\n"
      "{\"name\": \"same\", \"t\": 0.2, \"set\": {\"a.z\": {\"terms\": {\"x.z\": \"1+k\"}}}},\n"
      "{\"name\": \"late\", \"t\": \"1+k\", \"add\": {\"a.x\": 0}},\n"
      "{\"name\": \"stuck\", \"when\": {\"a\": [{\"terms\": {\"x.x\": 1}, \"above\": 9}]}, \"add\": {\"a.x\": "
      "\"-k\"}}]}";
  static const char sweep[] =
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"idle.json\", \"t_end\": 1, \"parameters\": "
      "{\"k\": 1}, \"method\": {\"step\": {\"size\": 0.1}},\n"
      "\"axes\": [{\"name\": \"k\", \"path\": \"parameters.k\", \"values\": [%s]}]}";
#define STEPS " changes nothing but ends steps and begins polynomials anew\n"
#define STUCK \
  "event stuck changes nothing: where its conditions hold they go on to hold, which ends the run with status 5\n"
  static const char *const found[] = {"0",
                                      "  note      event zero" STEPS "  note      event form" STEPS
                                      "  note      event same" STEPS "  note      " STUCK,
                                      "0, 1",
                                      "",
                                      "-0.1, 0",
                                      "  note      event late" STEPS,
                                      "0.5, 0.5",
                                      "  note      axis k changes nothing: its runs are equal\n"};
  char text[512];
  cli_case_write("idle.json", model);
  struct cli_result r = cli_run("check idle.json");
  cr_expect_eq(r.status, 0, "%s", r.err);
  expect_in(r.out, "1 output\n    event zero" STEPS "    event form" STEPS "    event same" STEPS "    event late" STEPS
                   "    " STUCK "  cosweep explain");
  cli_free(&r);
  for (size_t i = 0; i < sizeof found / sizeof *found; i += 2) {
    snprintf(text, sizeof text, sweep, found[i]);
    cli_case_write("idle_sweep.json", text);
    r = cli_run("check idle_sweep.json");
    cr_expect_eq(r.status, 0, "%s", r.err);
    const char *after = strstr(r.out, "  for       ");
    cr_assert_not_null(after, "%s", r.out);
    cr_expect_str_eq(strchr(after, '\n') + 1, found[i + 1], "k = %s: %s", found[i], r.out);
    cli_free(&r);
  }
}

/* A memory that goes on over jumps costs an order. */
Test(cli, check_knows_kept_memories) {
  static const char *const extra[] = {"--set method.memory=restart", "--set method.continuity=c0", ""};
  cli_case_write("kept.json",
                 "{\"format\": \"cosweep-sweep/1\", \"name\": \"kept\", \"model\": \"" COSWEEP_SOURCE_DIR
                 "/models/ring/model.json\", \"t_end\": 1, \"method\": {\"solver\": \"ab2\", \"memory\": \"keep\", "
                 "\"step\": {\"size\": 0.1}}}");
  for (size_t i = 0; i < sizeof extra / sizeof *extra; i++) {
    char words[256];
    snprintf(words, sizeof words, "check kept.json %s", extra[i]);
    struct cli_result r = cli_run(words);
    cr_expect_eq(r.status, 0, "%s", r.err);
    cr_expect_eq(strstr(r.out, "keeps its memory over inputs that jump") != NULL, i == 2, "%s", r.out);
    cli_free(&r);
  }
}

/* An axis that acts in a mode that no run begins in does not change nothing. */
Test(cli, check_looks_at_all_modes) {
  struct cli_result r = cli_run("check " COSWEEP_SOURCE_DIR "/sweeps/hammer.json");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect_null(strstr(r.out, "changes nothing"), "%s", r.out);
  cli_free(&r);
}

Test(cli, stability) {
  cli_case_write(
      "stable.json",
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"stable\", \"model\": \"model.json\", \"study\": \"stability\",\n"
      " \"method\": {\"hold\": \"lagrange\", \"step\": {\"size\": 0.1}},\n"
      " \"metrics\": [\"spectral_radius\", \"stable\", \"eigenvalue\"],\n"
      " \"axes\": [{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, -1, 2]}]}\n");
  struct cli_result check = cli_run("check stable.json"), dry = cli_run("run stable.json --dry-run --json"),
                    run = cli_run("run stable.json"), info = cli_run("info stable.h5");
  expect_in(check.out, "study     stability\n");
  expect_in(check.out, "metrics: spectral_radius stable eigenvalue\n");
  expect_in(check.out, "runs      3, 1 invalid\n");
  expect_in(check.out, "analyses  2\n");
  expect_in(dry.out, "\"analyses\": 2,");
  expect_in(dry.out, "\"variants\": 1, \"built\": 0,");
  cr_expect_eq(run.status, 0, "%s", run.err);
  expect_in(run.err, "stable: 3 runs in ");
  expect_in(run.err, "  invalid: 1\n  run 1 (p=-1): ");
  expect_in(info.out, "study     stability\n");
  expect_in(info.out, "eigenvalue_im");
  struct cs_error error;
  struct cs_table *table;
  cr_assert_eq(cs_store_read("stable.h5", &table, &error), CS_OK, "%s", error.message);
  const struct cs_array *stable = cs_table_find(table, "stable");
  cr_expect_eq(stable->type, CS_UINT8);
  cr_expect_str_eq(stable->flag_meanings, "unstable stable");
  const struct cs_array *re = cs_table_find(table, "eigenvalue_re");
  cr_assert(re != NULL && re->dimensions == 2);
  cr_expect_str_eq(table->dimension[re->dimension[1]].name, "mode");
  const double radius = cs_table_find(table, "spectral_radius")->data.float64[0];
  cr_expect_float_eq(hypot(re->data.float64[0], cs_table_find(table, "eigenvalue_im")->data.float64[0]), radius, 1e-15);
  cr_expect(isnan(re->data.float64[4]), "an invalid run has eigenvalues");
  cr_expect_null(cs_table_find(table, "engine_used"));
  cs_table_free(table);
  cli_free(&check);
  cli_free(&dry);
  cli_free(&run);
  cli_free(&info);
}

/* ---- devices */

Test(cli, without_a_device) {
  unsetenv("COSWEEP_DEVICE");
  const struct cli_how none = {.environment = "OCL_ICD_VENDORS=/nonexistent"};
  struct cli_result devices = cli_run_how("devices", &none), run = cli_run_how("run sweep.json -o sweep.h5", &none),
                    named = cli_run_how("run sweep.json -o named.h5 --device cpu", &none),
                    check = cli_run_how("check sweep.json", &none);
  cr_expect_eq(devices.status, 0, "%s", devices.err);
  cr_expect(strstr(devices.out, "\n* ") && strstr(devices.out, " host "), "%s", devices.out);
  cr_expect(strstr(devices.out, "\nauto: the host computes at once, alone: no device"), "%s", devices.out);
  cr_expect_eq(run.status, 0, "%s", run.err);
  cr_expect_eq(named.status, 4);
  cr_expect(strstr(named.err, "pocl-opencl-icd"), "%s", named.err);
  cr_expect_eq(check.status, 0, "%s", check.err);
  cli_free(&devices);
  cli_free(&run);
  cli_free(&named);
  cli_free(&check);
  expect_files("model.json sweep.h5 sweep.json");
}

Test(cli, devices) {
  struct cli_result r = cli_run("devices");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strstr(r.out, "fp64"), "%s", r.out);
  cr_expect(strstr(r.out, "\n* "), "no default is marked: %s", r.out);
  cr_expect(strstr(r.out, "\nauto: the host computes at once"), "%s", r.out);
  cli_free(&r);
  expect("run sweep.json --device no-such-device", 4,
         opencl_is_there() ? "nothing matches \"no-such-device\"" : "no OpenCL device found");
  expect_files("model.json sweep.json");
}

/* ---- results */

/* Within 80 columns; only the paths of the command line may be longer. */
static void expect_narrow(const char *text) {
  for (const char *line = text; *line != '\0';) {
    size_t columns = 0;
    const char *end = line;
    for (; *end != '\n' && *end != '\0'; end++)
      columns += ((unsigned char)*end & 0xc0) != 0x80;
    cr_expect_leq(columns, 79, "%.*s", (int)(end - line), line);
    line = *end == '\n' ? end + 1 : end;
  }
}

Test(cli, result_and_its_description) {
  struct cli_result r = cli_run("run sweep.json");
  cr_assert_eq(r.status, 0, "%s", r.err);
  cr_expect_str_eq(r.out, "small.h5\n");
  cr_expect(strstr(r.err, "4 runs, 40 steps"), "%s", r.err);
  cli_free(&r);
  expect_files("model.json small.h5 sweep.json");
  r = cli_run("info small.h5");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strstr(r.out, "runs      4: 4 ok"), "%s", r.out);
  cr_expect(strstr(r.out, "command   cosweep run sweep.json\n"), "%s", r.out);
  cr_expect(strstr(r.out, "  output_error  2 outputs"), "%s", r.out);
  cr_expect(strstr(r.out, "    smallest "), "%s", r.out);
  cr_expect(strstr(r.out, "\nbest and worst runs by output_error"), "%s", r.out);
  cr_expect_null(strchr(r.out, '\033'), "colours without a terminal");
  expect_narrow(r.out);
  cli_free(&r);
  r = cli_run("info small.h5 --json");
  struct cs_json *json = NULL;
  struct cs_error error;
  cr_assert_eq(cs_json_parse("info", r.out, strlen(r.out), &json, &error), CS_OK, "%s", error.message);
  const struct cs_node *root = cs_json_root(json);
  cr_expect_eq(cs_json_number(cs_json_get(root, "runs")), 4);
  cr_expect_str_eq(cs_json_string(cs_json_get(cs_json_at(cs_json_get(root, "axes"), 0), "paths")), "parameters.p");
  cr_expect_eq(cs_json_length(cs_json_get(root, "failures")), 0);
  cs_json_free(json);
  cli_free(&r);
  expect("info sweep.json", 5, "sweep.json: ");
  expect("info absent.h5", 5, "absent.h5");
}

Test(cli, existing_result_wants_force) {
  cli_case_write("there.h5", "mine\n");
  expect("run sweep.json -o there.h5", 5, "there.h5: exists; --force overwrites it");
  struct stat file;
  cr_expect_eq(stat("there.h5", &file), 0);
  cr_expect_eq(file.st_size, 5);
  expect("run sweep.json -o there.h5 --force", 0, "4 runs");
  cr_expect_eq(stat("there.h5", &file), 0);
  cr_expect_gt(file.st_size, 1000);
  expect("run sweep.json -o ./sweep.json --force", 2,
         "writing ./sweep.json would overwrite sweep.json, which is read; want another name");
  expect("export there.h5 -o there.h5 --force", 2,
         "writing there.h5 would overwrite there.h5, which is read; want another name");
  cr_expect_eq(stat("there.h5", &file), 0);
  cr_expect_gt(file.st_size, 1000);
  expect("import model.json", 3, "is a file of cosweep's own, which check, explain and run take as it is");
  expect("run sweep.json -o . --force", 5, "is a directory");
  expect("run sweep.json -o no/where.h5", 5, "there is no directory \"no\"");
  expect_files("model.json sweep.json there.h5");
}

Test(cli, several_sweeps_go_into_a_directory) {
  cli_case_sweep("other.json", "other", 0.2, 1, "", "\"steps\"");
  expect("run sweep.json sweep.json", 2, "want different names");
  struct cli_result r = cli_run("run sweep.json other.json -o made --quiet");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect_str_eq(r.out, "made/small.h5\nmade/other.h5\n");
  cr_expect_str_empty(r.err, "--quiet, but: %s", r.err);
  cli_free(&r);
  expect_files("made model.json other.json sweep.json");
}

static double number(const struct cs_node *object, const char *key) {
  const struct cs_node *node = cs_json_get(object, key);
  cr_assert(node != NULL && cs_json_kind(node) == CS_NUMBER, "no number \"%s\"", key);
  return cs_json_number(node);
}

Test(cli, json_can_be_parsed) {
  struct cs_error error;
  struct cs_json *json;
  struct cli_result r = cli_run("run sweep.json --json --quiet --set name=\"quoted\\");
  cr_assert_eq(r.status, 3, "a name with a quote is none: %s", r.err);
  cli_free(&r);
  r = cli_run("run sweep.json --json --quiet -o a\"b\\c.h5");
  cr_assert_eq(r.status, 0, "%s", r.err);
  cr_assert_eq(cs_json_parse("stdout", r.out, strlen(r.out), &json, &error), CS_OK, "%s\n%s", error.message, r.out);
  const struct cs_node *root = cs_json_root(json);
  cr_expect_str_eq(cs_json_string(cs_json_get(root, "output")), "a\"b\\c.h5");
  cr_expect_eq(cs_json_kind(cs_json_get(root, "device")), CS_STRING);
  cr_expect_eq(number(root, "variants"), 1);
  cr_expect_eq(number(root, "runs"), 4);
  cr_expect_eq(number(root, "steps"), 40);
  cr_expect_gt(number(root, "seconds"), 0);
  cr_expect_geq(number(root, "seconds"), number(root, "device_seconds"));
  cr_expect_gt(number(root, "core_seconds"), 0);
  cr_expect_eq(number(cs_json_get(root, "status"), "ok"), 4);
  cr_expect_eq(number(cs_json_get(root, "status"), "invalid"), 0);
  cs_json_free(json);
  cli_free(&r);
}

/* A number that --dry-run says. */
static double forecast_of(const char *sweep, const char *key) {
  struct cs_error error;
  struct cs_json *json;
  struct cs_text words = {0};
  cs_text_add(&words, "run %s -o size.h5 --force --dry-run --json", sweep);
  struct cli_result r = cli_run(words.data);
  cr_assert_eq(r.status, 0, "%s", r.err);
  cr_assert_eq(cs_json_parse("stdout", r.out, strlen(r.out), &json, &error), CS_OK, "%s", error.message);
  const double said = number(cs_json_root(json), key);
  cs_json_free(json);
  cli_free(&r);
  cs_text_free(&words);
  return said;
}

/* Runs a sweep and returns the size of what it has written. */
static double size_of(const char *sweep, const char *options, const char *written) {
  struct stat file;
  struct cs_text words = {0};
  cr_expect_neq(stat(written, &file), 0, "--dry-run has written %s", written);
  cs_text_add(&words, "run %s -o size.h5 --quiet%s", sweep, options);
  struct cli_result r = cli_run(words.data);
  cr_assert_eq(r.status, 0, "%s", r.err);
  cr_assert_eq(stat(written, &file), 0);
  remove(written);
  cli_free(&r);
  cs_text_free(&words);
  return (double)file.st_size;
}

/* What --dry-run says of the sizes of result and journal against the two; the journal has its process and heads of
 * records besides. */
static void expect_size(const char *sweep) {
  const double result = forecast_of(sweep, "file_size"), journal = forecast_of(sweep, "journal_size");
  const double written = size_of(sweep, "", "size.h5"), kept = size_of(sweep, " --shard 1/1", "size.h5.1of1.journal");
  cr_expect_float_eq(result, written, 0.1 * written, "%s: said %.0f bytes, is %.0f", sweep, result, written);
  cr_expect(journal < kept && kept < journal + 1000, "%s: said %.0f bytes of journal, is %.0f", sweep, journal, kept);
}

Test(cli, dry_run_touches_nothing_and_knows_sizes) {
  struct cli_result r = cli_run("run sweep.json --dry-run");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strstr(r.out, "runs      4\n"), "%s", r.out);
  cr_expect(strstr(r.out, "of which tiles"), "%s", r.out);
  cli_free(&r);
  expect_files("model.json sweep.json");
  cli_case_sweep("large.json", "large", 0.1, 1,
                 "{\"name\": \"p\", \"path\": \"parameters.p\", \"logspace\": [0.3, 7, 300]},"
                 "{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.002, 1, 100]}",
                 "\"output_error\", \"connection_defect\"");
  expect_size("large.json");
  cli_case_sweep("beside.json", "beside", 0.1, 1,
                 "{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.002, 1, 100]}",
                 "\"output_error\", \"spectral_radius\", \"rounding\"");
  expect_size("beside.json");
  expect_size(COSWEEP_SOURCE_DIR "/tests/data/small_sweep.json");
  expect_files("beside.json large.json model.json sweep.json");
}

Test(cli, kernels_are_printed_and_not_run) {
  struct cli_result r = cli_run("run sweep.json --print-kernel");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cr_expect(strstr(r.out, "__kernel void"), "%s", r.out);
  cr_expect(strstr(r.out, "#pragma OPENCL FP_CONTRACT OFF"), "compilers choose what they contract");
  cli_free(&r);
  expect_files("model.json sweep.json");
}

Test(cli, full_output_is_exit_5) {
  const struct cli_how full = {.out = "/dev/full"};
  struct cli_result r = cli_run_how("--version", &full);
  cr_expect_eq(r.status, 5);
  cr_expect(strstr(r.err, "standard output"), "%s", r.err);
  cli_free(&r);
}
