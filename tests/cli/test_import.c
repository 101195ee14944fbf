/* cosweep import: models of files of other programs, and every message about a file that is wrong. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_case.h"
#include "json.h"
#include "text.h"

static char source[4096];

static void set_up(void) {
  cr_assert_not_null(getcwd(source, sizeof source));
  cli_case_open();
}

TestSuite(import, .init = set_up, .fini = cli_case_close);

static char *read_text(const char *path) {
  struct cs_text text = {0};
  cr_assert_eq(cs_text_read(&text, path, "file", NULL), 0, "%s", path);
  return text.data;
}

static void expect_same(const struct cs_node *got, const struct cs_node *want, const char *where) {
  cr_assert_not_null(got, "no %s", where);
  cr_assert_eq(cs_json_kind(got), cs_json_kind(want), "%s", where);
  if (cs_json_kind(want) == CS_NUMBER) cr_expect_eq(cs_json_number(got), cs_json_number(want), "%s", where);
  if (cs_json_kind(want) == CS_STRING) cr_expect_str_eq(cs_json_string(got), cs_json_string(want), "%s", where);
  if (cs_json_kind(want) != CS_LIST && cs_json_kind(want) != CS_OBJECT) return;
  cr_assert_eq(cs_json_length(got), cs_json_length(want), "%s", where);
  for (size_t i = 0; i < cs_json_length(want); i++) {
    const char *key = cs_json_key(cs_json_at(want, i));
    expect_same(key != NULL ? cs_json_get(got, key) : cs_json_at(got, i), cs_json_at(want, i),
                key != NULL ? key : where);
  }
}

/* The file's value is that of the text. */
static void expect_model(const char *file, const char *text) {
  struct cs_json *got, *want;
  struct cs_error error;
  cr_assert_eq(cs_json_load(file, &got, &error), 0, "%s", error.message);
  cr_assert_eq(cs_json_parse("want", text, strlen(text), &want, &error), 0, "%s", error.message);
  expect_same(cs_json_root(got), cs_json_root(want), "model");
  cs_json_free(got);
  cs_json_free(want);
}

Test(import, a_linearized_model_of_openmodelica) {
  char words[8192], expected[8192];
  snprintf(words, sizeof words, "import %s/tests/data/import/linear_motor.mo", source);
  snprintf(expected, sizeof expected, "%s/tests/data/import/linear_motor.expected.json", source);
  struct cli_result got = cli_run(words);
  cr_assert_eq(got.status, 0, "%s", got.err);
  cr_expect_not_null(strstr(got.err,
                            "linear_motor.mo: offsets at the point of linearisation are not in the file; "
                            "where the model is not at rest there, add e\n"
                            "no source: motor_drive.v, constantly 12\n"
                            "no source: motor_drive.tau_load, constantly 0.5\n"));
  cr_expect_not_null(strstr(got.out, "1 subsystem, 2 states, 2 inputs, 1 output"));
  cli_free(&got);
  char *text = read_text(expected);
  expect_model("linear_motor.json", text);
  free(text);
  cli_expect("check linear_motor.json", 0, "model linear_motor");
  cli_expect(words, 5, "linear_motor.json");
  strcat(words, " --force --name motor");
  cli_expect(words, 0, "motor.json: model motor");
}

Test(import, other_ways_to_write_a_linearized_model) {
  char words[8192];
  snprintf(words, sizeof words, "import %s/tests/data/import/several.mo -o s.json", source);
  cli_expect(words, 0, "1 subsystem, 2 states, 1 input, 0 outputs");
  expect_model("s.json",
               "{\"format\": \"cosweep-model/1\", \"name\": \"several\", "
               "\"description\": \"imported from several.mo\", \"subsystems\": [{"
               "\"name\": \"linearized_model\", \"states\": [\"a\", \"x2\"], "
               "\"inputs\": [{\"name\": \"x1_s\", \"description\": \"1\\\\'s\"}], \"outputs\": [], "
               "\"A\": [[0, 1], [-1, -2]], \"B\": [[0], [0]], \"C\": [], \"x0\": [-0.0015, 2]}], "
               "\"connections\": [{\"to\": \"linearized_model.x1_s\", \"value\": 0}]}");
}

/* Sizes follow from the declarations, whatever they are called; a byte order mark may stand in front. */
Test(import, earlier_forms_of_linearized_models) {
  static const char *const sizes[][3] = {{"n", "m", "p"}, {"n", "k", "l"}, {"n", "p", "q"}, {"2", "1", "1"}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const char *n = sizes[i][0], *m = sizes[i][1], *p = sizes[i][2];
    struct cs_text text = {0};
    cs_text_add(&text, "\xef\xbb\xbfmodel linear_motor\n");
    for (int s = 0; s < 3 && n[0] == 'n'; s++)
      cs_text_add(&text, "  parameter Integer %s = %d;\n", sizes[i][s], s == 0 ? 2 : 1);
    cs_text_add(&text, "  parameter Real x0[%s] = {0.25, 0};\n  parameter Real u0[%s] = {0};\n", n, m);
    cs_text_add(&text, "  parameter Real A[%s, %s] = [0, 1; -4, -0.5];\n  parameter Real B[%s, %s] = [0; 1];\n", n, n,
                n, m);
    cs_text_add(&text, "  parameter Real C[%s, %s] = [1, 0];\n  parameter Real D[%s, %s] = [0];\n", p, n, p, m);
    cs_text_add(&text, "  Real 'x_w' = x[2];\n  Real 'u_tau' = u[1];\nend linear_motor;\n");
    cli_case_write("linear.mo", text.data);
    cs_text_free(&text);
    cli_expect("import linear.mo -o m.json --force", 0, "1 subsystem, 2 states, 1 input, 1 output");
    expect_model(
        "m.json",
        "{\"format\": \"cosweep-model/1\", \"name\": \"linear\", \"description\": \"imported from linear.mo\", "
        "\"subsystems\": [{\"name\": \"motor\", \"description\": \"linear_motor\", \"states\": [\"x1\", \"w\"], "
        "\"inputs\": [\"tau\"], \"outputs\": [\"y1\"], \"A\": [[0, 1], [-4, -0.5]], \"B\": [[0], [1]], "
        "\"C\": [[1, 0]], \"x0\": [0.25, 0]}], \"connections\": [{\"to\": \"motor.tau\", \"value\": 0}]}");
  }
}

#define MOTOR                                                                                                          \
  "\"motor\": {\"A\": [[-1, 2], [0, -3]], \"B\": [[0], [1]], \"C\": [[1, 0]], \"D\": [[0.5]], \"x0\": [0.1, 1e-300], " \
  "\"StateName\": [\"i (A)\", \"i.A\"], \"StateUnit\": [\"A\", \"\"], \"InputName\": [\"tau\"], \"OutputName\": "      \
  "[\"w\"]}"
#define LOAD                                                                                                       \
  "\"2 load\": {\"A\": [[-1]], \"B\": [[1]], \"C\": [[1]], \"D\": [[3]], \"InputName\": [\"w\"], \"OutputName\": " \
  "[\"tau\"]}"

Test(import, matrices_connected_in_the_file_and_by_name) {
  static const char subsystems[] =
      "{\"format\": \"cosweep-model/1\", \"name\": \"two\", \"description\": \"imported from two.json\", "
      "\"subsystems\": [{\"name\": \"motor\", \"states\": [{\"name\": \"i_A\", \"unit\": \"A\", \"description\": \"i "
      "(A)\"}, "
      "{\"name\": \"i_A_2\", \"description\": \"i.A\"}], \"inputs\": [\"tau\"], \"outputs\": [\"w\"], "
      "\"A\": [[-1, 2], [0, -3]], \"B\": [[0], [1]], \"C\": [[1, 0]], \"D\": [[0.5]], \"x0\": [0.1, 1e-300]}, "
      "{\"name\": \"x2_load\", \"description\": \"2 load\", \"states\": [\"x1\"], \"inputs\": [\"w\"], "
      "\"outputs\": [\"tau\"], \"A\": [[-1]], \"B\": [[1]], \"C\": [[1]], \"D\": [[3]]}], \"connections\": [";
  char want[4096];
  cli_case_write("two.json", "{" MOTOR ", " LOAD ", \"connections\": [[\"motor.w\", \"2 load.w\", -2]]}");
  cli_expect("import two.json --match -o a.json", 0, "2 direct feed-throughs, 1 algebraic loop\n");
  snprintf(want, sizeof want,
           "%s{\"from\": \"motor.w\", \"to\": \"x2_load.w\", \"gain\": -2}, "
           "{\"from\": \"x2_load.tau\", \"to\": \"motor.tau\"}]}",
           subsystems);
  expect_model("a.json", want);
  cli_case_write("two.json", "{" MOTOR ", " LOAD "}");
  cli_expect("import two.json --connect=x2_load.tau->motor.tau*2.5 -o b.json", 0,
             "2 direct feed-throughs, 0 algebraic");
  snprintf(want, sizeof want,
           "%s{\"from\": \"x2_load.tau\", \"to\": \"motor.tau\", \"gain\": 2.5}, "
           "{\"to\": \"x2_load.w\", \"value\": 0}]}",
           subsystems);
  expect_model("b.json", want);
  cli_case_write("motor.json", "{\"A\": [[-1]], \"B\": [[1]], \"C\": [[1]], \"InputName\": [\"tau\"]}");
  cli_expect("import two.json motor.json --match -o c.json", 0, "3 subsystems");
  cli_case_write("three.json",
                 "{\"a\": {\"A\": [[-1]], \"C\": [[1]]}, \"b\": {\"A\": [[-1]], \"C\": [[1]]}, "
                 "\"c\": {\"A\": [[-1]], \"B\": [[1]], \"InputName\": [\"y1\"]}}");
  cli_case_write("constant.json", "{\"a\": {\"A\": [[-1]], \"B\": [[1]]}, \"connections\": [[2.5, \"a.u1\"]]}");
  cli_expect("import constant.json -o f.json", 0, "1 subsystem");
  expect_model("f.json",
               "{\"format\": \"cosweep-model/1\", \"name\": \"constant\", \"description\": \"imported from "
               "constant.json\", \"subsystems\": [{\"name\": \"a\", \"states\": [\"x1\"], \"inputs\": [\"u1\"], "
               "\"outputs\": [], \"A\": [[-1]], \"B\": [[1]], \"C\": []}], \"connections\": [{\"to\": \"a.u1\", "
               "\"value\": 2.5}]}");
  cli_expect("import constant.json --step 1 -o g.json", 2, "--step: means nothing without FMUs");
  cli_expect("import constant.json --at 1 -o g.json", 2, "--at: means nothing without FMUs");
  cli_case_write("gain.json", "{\"A\": [], \"D\": [[1, 2]]}");
  cli_expect("import gain.json -o e.json", 0, "gain: 0 states, 2 inputs, 1 output");
  cli_expect("import three.json --match -o d.json", 3,
             "--match: a.y1 and b.y1 would feed c.y1; want --connect for one of them");
  cli_expect("import three.json --connect=a.y->c.y1 -o d.json", 3,
             "--connect: no output \"a.y\"; want one of: a.y1, b.y1");
  cli_expect("import three.json --connect=a.y1 -o d.json", 2, "want \"a.y -> b.u\" or \"a.y -> b.u * gain\"");
  cli_expect("import three.json --connect=a.y1->c.y1*x -o d.json", 2, "want \"a.y -> b.u\"");
  cli_expect("import three.json --name 1 -o d.json", 3, "\"1\" is not a name");
  cli_expect("import three.json", 2, "three.json");
  cli_expect("import three.txt -o d.json", 5,
             "three.txt: unknown kind of file; want one of: .mo, .json, .mat, .h5, .fmu, .ssp, .ssd, .npz, .py");
  cr_expect(!cli_case_has("d.json"));
}

static void expect_refused(const char *file, const char *text, const char *message) {
  char words[64];
  cli_case_write(file, text);
  snprintf(words, sizeof words, "import %s -o out.json", file);
  cli_expect(words, 3, message);
  cr_expect(!cli_case_has("out.json"), "%s", message);
}

Test(import, what_is_wrong_in_matrices) {
  static const char *const cases[][2] = {
      {"{\"a\": {\"A\": [[1, 2], [3, 4], [5, 6]]}}", "in.json:1:7: a: A is 3x2; want as many columns as rows"},
      {"{\"A\": [[1, 2, 3], [3, 4, 3], [5, 6, 3]], \"B\": [[1], [2]]}", "in.json:1:1: B has 2 rows, A 3"},
      {"{\"A\": [[1]], \"C\": [[1, 2]]}", "C has 2 columns, A 1"},
      {"{\"A\": [[1]], \"B\": [[1]], \"C\": [[1]], \"D\": [[1, 2]]}", "D has 2 columns, B 1"},
      {"{\"A\": [[1]], \"x0\": [1, 2]}", "x0 has 2 numbers, A 1 state"},
      {"{\"A\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], \"StateName\": [\"a\", \"b\"]}",
       "StateName has 2 names, A 3 states"},
      {"{\"A\": [[1]], \"OutputUnit\": [\"m\"]}", "OutputUnit has 1 unit, C 0 outputs"},
      {"{\"A\": [[1, 2], [3]]}", "in.json:1:16: A[1]: 1 numbers; want 2, as in the first row"},
      {"{\"A\": [[\"k\"]]}", "in.json:1:9: A[0][0]: found a string; want a number"},
      {"{\"A\": [[1]], \"Ts\": 0.01}", "Ts is 0.01: cosweep takes continuous subsystems (d2c)"},
      {"{\"A\": [[1]], \"Q\": [1]}",
       "in.json:1:14: Q: unknown key; want one of: A, B, C, D, e, f, x0, u0, E, StateName, StateUnit, InputName, "
       "InputUnit, OutputName, OutputUnit"},
      {"{\"A\": [[1]], \"a\": [[1]]}", "in.json:1:14: a: unknown key"},
      {"{\"s\": {\"a\": [[1]]}}", "in.json:1:7: s: no A; want the matrices A, B, C and D"},
      {"{\"A\": [[1]], \"dt\": true}", "in.json:1:20: dt is 1: cosweep takes continuous subsystems (d2c)"},
      {"{\"s\": {\"A\": [[1]], \"InputDelay\": [0, 2]}}",
       "in.json:1:34: s: InputDelay is 2: cosweep takes subsystems without delays (pade)"},
      {"{\"A\": [[1]], \"E\": [[0]]}", "in.json:1:1: E is singular: the equations are not solvable for x'"},
      {"{\"A\": [[1e300]], \"E\": [[1e-300]]}", "in.json:1:1: solved for x' with E numbers are not finite"},
      {"{\"A\": [[1, 2], 3]}", "in.json:1:16: A[1]: found a number; want a list"},
      {"{\"a\": {\"B\": [[1]]}}", "in.json:1:7: a: no A; want the matrices A, B, C and D"},
      {"{}", "in.json: no subsystem; want objects with the matrices A, B, C and D"},
      {"{\"a\": {\"A\": [[1]]}, \"connections\": [[\"a.y\"]]}",
       "connections[0]: want [\"a.y\", \"b.u\"], [\"a.y\", \"b.u\", gain] or [constant, \"b.u\"]"},
      {"{\"a\": {\"A\": [[1]]}, \"connections\": [[\"a.y\", \"a.u\"]]}", "in.json: no output \"a.y\""},
      {"{\"format\": \"cosweep-model/1\"}",
       "in.json:1:12: format: is a file of cosweep's own, which check, explain and run "
       "take as it is; want matrices"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_refused("in.json", cases[i][0], cases[i][1]);
}

#define SIZES "model m\nparameter Integer n = 2;\nparameter Integer m = 1;\nparameter Integer p = 1;\n"

Test(import, what_is_wrong_in_linearized_models) {
  static const char *const cases[][2] = {
      {SIZES "parameter Real A[n, n] = [1, 2; 3, 4];\n\nparameter Real C[p, n] =\n [1, 2, 3, 4];\n",
       "linear.mo:7: C: 4 numbers, want p x n = 1 x 2"},
      {SIZES "parameter Real A[n, n] = [1, 2, 3; 4];",
       "linear.mo:5: A: 2 rows of different lengths, want n x n = 2 x 2"},
      {SIZES "parameter Real A[n, n] = [1, 2, 3, 4];", "linear.mo:5: A: 1 rows, want n x n = 2 x 2"},
      {SIZES "parameter Real x0[n] = {1};\nparameter Real A = zeros(n, n);", "linear.mo:5: x0: 1 numbers, want n = 2"},
      {SIZES "parameter Real A = zeros(n, q);", "linear.mo:5: A: found q; want n, m, p or a whole number up to 2000"},
      {SIZES "parameter Real A = zeros(n, n);\nparameter Real A = zeros(n, n);",
       "linear.mo:6: A: twice, first in line 5"},
      {SIZES "parameter Real A = [1, nan; 2, 3];", "linear.mo:5: A: found nan; want a number"},
      {SIZES "parameter Real A = [1, 2;", "linear.mo:5: A: the file ends; want a number"},
      {SIZES "parameter Real A = B * C;", "linear.mo:5: A: found B; want {...}, [...; ...] or zeros(...)"},
      {SIZES, "linear.mo: no \"parameter Real A\""},
      {"model m end m;", "linear.mo: no \"parameter Real A\"; want a file written by OpenModelica's linearize"},
      {"parameter Integer n = 1000000;\nparameter Real A[n, n] = [];",
       "linear.mo:2: A: a size of 1000000; want at most 2000"},
      {SIZES "parameter Real A[n, n] = [1, 2; 3, 4] * 2;", "linear.mo:5: A: found *; want ;"},
      {"parameter Real A = [1, 2; 3];", "linear.mo:1: A: rows of different lengths"},
      {SIZES "parameter Real A[n, n, n] = [1];", "linear.mo:5: A: found n; want ]"},
      {SIZES "parameter Real A[n, n] = zeros(n, n);\nparameter Real E[n, n] = [1, 0; 0, 0];",
       "linear.mo: E is singular"},
      {SIZES "parameter Real A[n, n] = zeros(n, n);\n parameter Modelica.Units.SI.Time Ts = 0.1 \"s\";",
       "linear.mo:6: Ts is 0.1: cosweep takes continuous subsystems (d2c)"},
      {SIZES "parameter Real A[n, n] = zeros(n, n);\nparameter Real inputDelay[m] = {2};",
       "linear.mo:6: inputDelay is 2: cosweep takes subsystems without delays (pade)"},
      {SIZES "parameter Real A[n, n] = zeros(n, n);\nReal u_f = u[1];", "linear.mo: InputName has 1 name, B 0 inputs"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_refused("linear.mo", cases[i][0], cases[i][1]);
}
