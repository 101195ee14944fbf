/* cosweep explain: what it prints, and what may be asked. Its numbers are compared with others by check_explain.py. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_case.h"

static char source[4096], ring[4096], mass[4096];

static const char *path_of(const char *model, const char *more) {
  static char words[8192];
  snprintf(words, sizeof words, "%s/models/%s/model.json%s", source, model, more);
  return words;
}

static void set_up(void) {
  cr_assert_not_null(getcwd(ring, sizeof ring - 64));
  strcpy(source, ring);
  strcpy(mass, ring);
  strcat(ring, "/models/ring/model.json");
  strcat(mass, "/models/colliding_masses/model.json");
  cli_case_open();
}

TestSuite(explain, .init = set_up, .fini = cli_case_close);

static void expect_lines(const char *options, const char *const *line) {
  char words[8192];
  snprintf(words, sizeof words, "explain --quiet --device host %s", options);
  struct cli_result got = cli_run(words);
  cr_assert_eq(got.status, 0, "%s", got.err);
  for (; *line != NULL; line++)
    cr_expect_not_null(strstr(got.out, *line), "no line\n%s\nin\n%s", *line, got.out);
  cli_free(&got);
}
#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(explain, the_ring_as_documented) {
  char options[8192];
  snprintf(options, sizeof options, "%s --H 0.67", ring);
  expect_lines(options,
               LINES("ring: 3 subsystems, 6 states, 7 inputs, 6 outputs, 6 connections\n\n"
                     "feed-through: one loop, all outputs\n"
                     "  DL        -0.0283+-0.2362i twice  0.0566+-0.2311i     largest 0.2379\n"
                     "  at H = 0  solved: always stable\n"
                     "            explicit, lagrange  0: 0.238  1: 0.709  2: 1.209 !  3: 1.718 !\n\n"
                     "modes                  time     frequency  damping  in\n"
                     "  -0.9622+-1.8271i     1.04 s   0.2908 Hz  0.466    cell2 60 %, cell1 38 %\n"
                     "  -0.6022+-1.2503i     1.66 s   0.1990 Hz  0.434    cell3 52 %, cell1 32 %, cell2 16 %\n"
                     "  -0.1                   10 s        -     1        cell1, cell2, cell3 33 %\n"
                     "  -0.04272             23.4 s        -     1        cell3 58 %, cell1 28 %, cell2 14 %\n\n"
                     "largest stable H (s)         order 0       1       2       3\n"
                     "  jacobi                       1.106* 0.6654  0.4752  0.2964\n"
                     "  gauss_seidel cell1 first     1.568*  1.176* 0.9335  0.7235\n"
                     "  gauss_seidel cell3 first     1.568*  1.120  0.9110  0.6903\n"
                     "  gauss_seidel alternating         -   1.103  0.7464  0.4783\n"
                     "  * stable again beyond\n"
                     "  - none from 0.00484 to 147 s, at 60 step sizes in each decade\n\n"
                     "jacobi, lagrange 1 at H = 0.67: |lambda| 1.00758, grows by 0.01127 1/s, 0.4415\n"
                     "Hz, 3.4 steps a turn; cell1 48 %, cell2 46 %, cell3 6 %\n",
                     "  cell2.v_left -> cell1.v_right   0.338   } the same loop\n"
                     "  cell1.i_right -> cell2.i_left   0.338   }\n",
                     "merged: cell1+cell2 0.926   cell1+cell3 0.699   cell2+cell3 0.671\n\n- Use",
                     "- With explicit outputs orders 2 and 3 diverge however small H is",
                     "- The model has no mode at 0.44 Hz; the coupling creates it.\n"));
  /* The most worthwhile first. */
  expect_lines(options,
               LINES("- Use gauss_seidel cell1 first in place of jacobi: 1.8 times the step, up to 1.17 s.\n"
                     "- Use order 0 with jacobi: 1.7 times the step, up to 1.10 s.\n"
                     "- Merge cell1 and cell2: 1.4 times the step, up to 0.925 s.\n"
                     "- In other tools no communication step up to 147 s is too large, with the subsystems in the "
                     "order cell1, cell2, cell3, in every second step backwards (Gauss-Seidel), inputs held constant "
                     "(order 0), feed-through solved.\n"));
  snprintf(options, sizeof options, "%s --set method.iterations=1", ring); /* which excludes alternating */
  expect_lines(options, LINES("- In other tools the largest stable communication step is"));
}

Test(explain, what_subsystems_can_do_adds_rows) {
  char options[8192];
  snprintf(options, sizeof options, "%s --can derivatives,rollback", ring);
  expect_lines(options,
               LINES("  jacobi iterations 1 ", "  gauss_seidel cell1 first iterations 1 ", "  jacobi taylor ",
                     "  gauss_seidel cell3 first iterations 1 taylor ", "  converged ", "  converged taylor ",
                     "  converged hermite ", "\n\n- Iterate each step until it converges: no step is too large.\n",
                     "explicit, taylor  1: 0.238  2: 0.238  3: 0.238"));
  expect_lines(path_of("mass_spring_damper", " --can integrals"),
               LINES("\n  jacobi compensation 1       0.1691* 0.1757  0.1755  0.1628\n"));
}

Test(explain, compensation_where_a_discrepancy_is_monitored) {
  static const char advice[] =
      "- Monitor dx grows by what inputs lack of a flow: with hold lagrange and compensation 1 "
      "only that of the last step remains.\n";
  expect_lines(path_of("damped_oscillator", ""), LINES(advice));
}

Test(explain, all_at_once_where_there_are_events) {
  static const char advice[] = "method.events.first parallel";
  char words[8300];
  expect_lines(mass, LINES("- With gauss_seidel and method.events.first parallel all subsystems step at once while no "
                           "event is predicted: 1 stage in place of 2, for a larger error with the same H.\n"));
  snprintf(words, sizeof words, "explain --quiet --device host %s", path_of("mass_spring_damper", ""));
  struct cli_result got = cli_run(words);
  cr_expect_null(strstr(got.out, advice), "%s", got.out);
  cli_free(&got);
}

/* What explain and recommend, by a format with a place for settings, say of a memory that is kept. */
static void expect_jumping(const char *format, const char *settings, const char *wanted, bool said) {
  char words[8400], more[200];
  snprintf(more, sizeof more, " --set method.solver=%s", settings);
  snprintf(words, sizeof words, format, path_of("mass_spring_damper", more));
  struct cli_result got = cli_run(words);
  cr_assert_eq(got.status, 0, "%s: %s", words, got.err);
  cr_expect_eq(strstr(got.out, wanted) != NULL, said, "%s: %s", words, got.out);
  cli_free(&got);
}

Test(explain, memory_that_is_kept_over_inputs_that_jump) {
  static const char advice[] =
      "- With these settings a solver keeps its memory over inputs that jump: order 1 in its "
      "micro steps, 2 with memory restart or continuity c0.\n";
  static const char explain[] = "explain --quiet --device host %s";
  expect_jumping(explain, "ab2 --set method.memory=keep", advice, true);
  expect_jumping(explain, "ab2", advice, false);
  expect_jumping(explain, "bdf2 --set method.memory=keep --set method.continuity=c0", advice, false);
  static const char recommend[] = "recommend --quiet --device host --force --error 0.05 %s";
  expect_jumping(
      recommend, "bdf2 --set method.memory=keep",
      "\nWith these settings a solver keeps its memory over inputs that jump: order 1 in\nits micro steps, 2 "
      "with memory restart or continuity c0.\n",
      true);
  expect_jumping(recommend, "bdf2 --set method.memory=keep --json",
                 "\"advice\": [\"With these settings a solver keeps its memory", true);
}

Test(explain, held_constants_that_alternate) {
  expect_lines(path_of("mass_spring_damper", ""),
               LINES("\n  gauss_seidel alternating         -  0.",
                     "- Held constants have order 2 at communication points with gauss_seidel alternating, as no "
                     "output depends directly on an input; of what has order 2 and more without iterations nothing "
                     "allows larger steps: it has no limit up to 1.31 s.\n"));
}

static const char model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"two\", \"parameters\": {\"a\": -1, \"d\": 0}, \"subsystems\": ["
    "{\"name\": \"s\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[\"a\"]], \"B\": [[1]],"
    " \"C\": [[1]], \"D\": [[\"d\"]]}, {\"name\": \"t\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": "
    "[\"y\"],"
    " \"A\": [[\"a\"]], \"B\": [[1]], \"C\": [[1]], \"D\": [[\"d\"]]}], \"connections\": ["
    "{\"from\": \"s.y\", \"to\": \"t.u\"}, {\"from\": \"t.y\", \"to\": \"s.u\", \"gain\": -1}]}";

Test(explain, models_that_grow_are_not_damped_or_do_not_move) {
  cli_case_write("two.json", model);
  expect_lines("two.json --set parameters.a=1",
               LINES("the coupled model itself grows by 1 1/s: limits of stability say "
                     "nothing; see recommend\n"));
  expect_lines("two.json --set parameters.a=0",
               LINES("the coupled model is not damped: what the coupling adds to its growth at H = 0.1 s (1/s)\n",
                     "  jacobi                        0.0498   0.000255  -0.000373  -5.39e-06\n"
                     "  gauss_seidel s first               0   0.000126",
                     "  gauss_seidel alternating           0 ",
                     "without iterations it changes the undamped model least, namely not at all.\n"));
  expect_lines("two.json --set parameters.a=-3", LINES("feed-through: none; no loop: nothing to diverge at H = 0\n"));
}

Test(explain, other_modes_of_a_model_with_events) {
  char options[8192];
  snprintf(options, sizeof options, "%s --set method.feedthrough=explicit", mass);
  expect_lines(options, LINES("colliding_masses: 2 subsystems"));
}

static void expect_error(const char *words, int status, const char *message) {
  struct cli_result got = cli_run(words);
  cr_expect_eq(got.status, status, "%s: %d %s", words, got.status, got.err);
  cr_expect_not_null(strstr(got.err, message), "%s: %s", words, got.err);
  cr_expect_str_eq(got.out, "");
  cli_free(&got);
}

Test(explain, what_is_wrong_is_said) {
  cli_case_write("two.json", model);
  expect_error("explain sweep.json", 3, "sweep.json: is a sweep; explain takes a model, whose settings go into --set");
  expect_error("explain two.json --H 0", 2, "--H 0: \"0\" is no step size; want numbers above 0, separated by commas");
  expect_error("explain two.json --H 1,,2", 2, "\"\" is no step size");
  expect_error("explain two.json --H 1e999", 2, "is no step size");
  expect_error("explain two.json --for jacobi,lagrange", 2, "want MASTER,HOLD,ORDER");
  expect_error("explain two.json --for newton,lagrange,1", 2,
               "unknown master \"newton\"; want one of: jacobi, gauss_seidel");
  expect_error("explain two.json --for gauss-seidel,lagrange,1", 2, "did you mean \"gauss_seidel\"?");
  expect_error("explain two.json --for jacobi,lagrange,4", 2, "unknown order \"4\"; want one of: 0, 1, 2, 3");
  expect_error("explain two.json --for jacobi,lagrange,1,2", 2, "want MASTER,HOLD,ORDER");
  expect_error("explain two.json --steps 1", 2, "--steps 1: want A:B, two different step sizes above 0");
  expect_error("explain two.json --H 1e12", 1, "the eigenvalues of a step of 1e+12 s cannot be computed");
  expect_error("explain two.json --steps 1:0", 2, "want A:B");
  expect_error("explain two.json --steps 1:1", 2, "want A:B");
  expect_error("explain two.json --steps 1e-300:1e300", 2, "want A:B");
  expect_error("explain two.json --steps 0.001:1e12", 1, "the eigenvalues of pattern b cannot be computed");
  expect_error("explain two.json --can fly", 2, "unknown word \"fly\"; want some of: derivatives, rollback, integrals");
  expect_error("explain two.json --set method.order=2", 2, "--set method.order=2: explain varies method.order itself");
  expect_error("explain two.json --set K=2", 2, "did you mean \"parameters.K\"?");
  expect_error("explain two.json --set t_end=2", 2, "want parameters.NAME=, modes.NAME= or method.PATH=");
  expect_error("explain two.json --set method.fedthrough=explicit", 3, "method.fedthrough");
  expect_error("explain two.json --set parameters.b=1", 3, "parameters.b");
  expect_error("explain two.json --set parameters.d=1 --set parameters.a=nan", 3, "parameters.a");
  expect_error("explain absent.json", 5, "absent.json");
}

Test(explain, a_singular_loop_has_no_solution) {
  char loop[sizeof model];
  strcpy(loop, model);
  strstr(loop, "\"gain\": -1")[8] = ' ';
  cli_case_write("loop.json", loop);
  expect_error("explain loop.json --set parameters.d=1", 3, "the algebraic loop I - D L is singular");
}

Test(explain, a_page) {
  char words[8192];
  snprintf(words, sizeof words, "explain --quiet --device host %s -o ring.html", ring);
  struct cli_result got = cli_run(words);
  cr_expect_eq(got.status, 0, "%s", got.err);
  cr_expect_str_eq(got.out, "ring.html\n");
  cli_free(&got);
  expect_error(words, 5, "ring.html");
  cr_expect(cli_case_has("ring.html"));
}

/* ---- recommend */

Test(explain, recommend_writes_a_sweep_that_runs) {
  char words[8192];
  snprintf(words, sizeof words,
           "recommend --quiet --device host %s --signal cell1.v_left --error 1e-2 --cost stages --t-end 12", ring);
  struct cli_result got = cli_run(words);
  cr_expect_eq(got.status, 0, "%s", got.err);
  cr_expect_not_null(strstr(got.out, "ring, t_end 12 s, error of cell1.v_left at most 0.01 of its RMS\n"), "%s",
                     got.out);
  cr_expect_not_null(strstr(got.out, "  1  "), "%s", got.out);
  cr_expect_not_null(
      strstr(got.out, "wrote ring_recommended.json, to be given to cosweep run, and the result to cosweep plot\n"));
  cli_free(&got);
  expect_error(words, 5, "ring_recommended.json");
  got = cli_run("run ring_recommended.json --device host --quiet");
  cr_expect_eq(got.status, 0, "%s", got.err);
  cli_free(&got);
}

Test(explain, recommend_knows_compensation) {
  char words[8400];
  snprintf(words, sizeof words, "recommend --quiet --device host %s",
           path_of("mass_spring_damper", " --can integrals"));
  struct cli_result got = cli_run(words);
  cr_assert_eq(got.status, 0, "%s", got.err);
  cr_expect_not_null(strstr(got.out, "4.8     jacobi compensation 1, lagrange 3\n"), "%s", got.out);
  cr_expect_not_null(strstr(got.out, "(order 3), given back in each step what\nthey lacked in the one before (NEPCE)."),
                     "%s", got.out);
  cli_free(&got);
  got = cli_run("run mass_spring_damper_recommended.json --device host --quiet");
  cr_expect_eq(got.status, 0, "%s", got.err);
  cli_free(&got);
}

/* The model, with an initial value. */
static void write_moving(void) {
  char moving[sizeof model + 16];
  const char *states = strstr(model, "\"states\"");
  snprintf(moving, sizeof moving, "%.*s\"x0\": [1], %s", (int)(states - model), model, states);
  cli_case_write("two.json", moving);
}

Test(explain, recommend_chooses_the_end_from_the_modes) {
  write_moving();
  struct cli_result got = cli_run("recommend --quiet --device host two.json --error 1e-2");
  cr_expect_eq(got.status, 0, "%s", got.err);
  cr_expect_not_null(strstr(got.out, "two, t_end 5 s, error of "), "%s", got.out);
  cli_free(&got);
}

/* A nonlinear model has no errors: the largest stable steps, those of fewer stages first, as explain has them. */
Test(explain, recommend_of_a_nonlinear_model) {
  char words[8400];
  snprintf(words, sizeof words, "recommend --quiet --device host %s",
           path_of("boost_converter", " --cost stages --can rollback"));
  struct cli_result got = cli_run(words);
  cr_assert_eq(got.status, 0, "%s", got.err);
  cr_expect_not_null(strstr(got.out,
                            "boost_converter, largest stable steps; nonlinear models are not simulated, so errors are "
                            "unknown\nA nonlinear model, linearised at the equilibrium that is reached from the"),
                     "%s", got.out);
  cr_expect_not_null(strstr(got.out, "344.7     172.4  0.005801   jacobi, lagrange 0\n"), "%s", got.out);
  cr_expect_not_null(strstr(got.out, "207.7     207.7  0.009627   gauss_seidel control first, lagrange 0\n"), "%s",
                     got.out);
  cli_free(&got);
  got = cli_run("run boost_converter_recommended.json --device host --json");
  cr_expect_eq(got.status, 0, "%s", got.err);
  cr_expect_not_null(strstr(got.out, "\"linearised\": \"at the equilibrium"), "%s", got.out);
  cli_free(&got);
  snprintf(words, sizeof words, "recommend --quiet --device host %s",
           path_of("boost_converter", " --set operating_point=initial --json --force"));
  got = cli_run(words);
  cr_expect_eq(got.status, 0, "%s", got.err);
  cr_expect_not_null(strstr(got.out, "\"linearised\": \"at the initial states\", \"error\": null, \"t_end\": null"),
                     "%s", got.out);
  cli_free(&got);
  snprintf(words, sizeof words, "recommend %s", path_of("boost_converter", " --error 1%"));
  expect_error(words, 2,
               "is nonlinear, and only linear models are simulated; want it left out, for the largest stable");
  snprintf(words, sizeof words, "recommend --device host --quiet %s",
           path_of("boost_converter", " --set parameters.ki=4000 --force"));
  expect_error(words, 1,
               "the model itself grows, linearised at the equilibrium that is reached from the initial states: limits");
}

Test(explain, recommend_says_what_is_wrong) {
  char words[8192];
  cli_case_write("two.json", model);
  expect_error("recommend two.json", 1,
               "nothing moves: all initial values and constants are zero; give x0 in the model");
  expect_error("recommend two.json --error 1%%", 2, "--error 1%%; want a number above 0, or a percentage, as 1%");
  expect_error("recommend two.json --error 150%", 2, "--error 150%: want a number between 0 and 1");
  expect_error("recommend two.json --error 1", 2, "--error 1: want a number between 0 and 1");
  expect_error("recommend two.json --signal s.y,t.x", 2, "--signal t.x: no such output; want one of: s.y, t.y");
  expect_error("recommend two.json --set method.order=2", 2, "recommend varies method.order itself");
  expect_error("recommend sweep.json", 3, "recommend takes a model");
  expect_error("recommend two.json -o -", 2, "the table goes to standard output");
  expect_error("recommend two.json --t-end 1e-9", 2, "too short for macro steps");
  snprintf(words, sizeof words, "recommend %s", mass);
  expect_error(words, 3, "recommend takes models without state events");
  write_moving();
  expect_error("recommend two.json --error 1e-13 --device host", 1,
               "no combination reaches 1e-13 above H = 0.00222; smallest error ");
}
