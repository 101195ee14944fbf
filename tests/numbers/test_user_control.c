/* Controllers of users' own: one that is a built-in law gives the same runs, rejected steps leave nothing behind, the
 * worked example does what it says, and what is said of fragments that are wrong. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_case.h"
#include "engine_case.h"
#include "opencl.h"

#define SWEEP                                                                                                      \
  "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 3,\n"                  \
  "\"method\": {\"order\": 1, \"hold\": \"%s\", \"feedthrough\": \"explicit\", \"step\": {%s, \"initial\": 0.02, " \
  "\"tolerance\": 1e-3}},\n\"axes\": [{\"name\": \"tolerance\", \"path\": \"method.step.tolerance\", "             \
  "\"values\": [0.1, 0.01, 0.001, 1e-4]}],\n\"metrics\": " ENGINE_CASE_METRICS "}"

static void run(struct harness *harness, const char *hold, const char *step, struct engine_case *result) {
  struct cs_text sweep = {0};
  cs_text_add(&sweep, SWEEP, hold, step);
  engine_case_run(harness, sweep.data, 0, 0, result);
  cs_text_free(&sweep);
}

/* [G](38),(39) with gains kp and ki, by logarithms of the user's own. */
static const char law[] =
    "static void control_begin(const V *k, const V *y, V *nominal, V *memory) {\n"
    "  memory[0] = memory[1] = natural_log(*nominal);\n"
    "}\n"
    "static void control_step(const V *k, struct control *c) {\n"
    "  const V e = natural_log(k[K_TOLERANCE]) - natural_log(LARGER(largest_defect(c), (V)1e-16));\n"
    "  const V integral = c->memory[0] + k[K_KI] * e, wanted = integral + k[K_KP] * e;\n"
    "  const V log_h = SMALLER(wanted, c->memory[1] + natural_log(k[K_GROWTH_MAX]));\n"
    "  c->memory[0] = integral + log_h - wanted;\n"
    "  c->memory[1] = log_h;\n"
    "  c->next = exponential(log_h);\n"
    "}\n";

Test(user_control, the_law_of_a_built_in_one_gives_its_runs) {
  static const char *const hold[] = {"taylor", "lagrange"};
  struct harness harness;
  struct harness_check check = {0};
  harness_open_auto(&harness);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_write(&harness, "law.clh", law);
  for (size_t h = 0; h < 2; h++) {
    struct engine_case own, built_in;
    run(&harness, hold[h],
        "\"control\": {\"kernel\": \"law.clh\", \"memory\": 2}, \"kp\": 0.13, \"ki\": 0.06666666666666667, "
        "\"growth_max\": 2",
        &own);
    run(&harness, hold[h], "\"control\": \"pi_defect\"", &built_in);
    engine_case_compare(&check, &own, &built_in, 1e-11, 1e-16);
    engine_case_free(&own);
    engine_case_free(&built_in);
  }
  harness_finish(&check, "pi_defect as a user's controller");
  harness_close(&harness);
}

/* Tries every step first at four times, then at twice the size. */
static const char retreat[] =
    "static void control_begin(const V *k, const V *y, V *nominal, V *memory) {\n"
    "  *nominal = (V)4.0 * k[K_INITIAL];\n"
    "}\n"
    "static void control_step(const V *k, struct control *c) {\n"
    "  c->accept = c->h < (V)1.5 * k[K_INITIAL];\n"
    "  c->next = SEL(c->accept, (V)4.0 * k[K_INITIAL], (V)0.5 * c->h);\n"
    "}\n";

/* The history is that of the first step wanted, four times as long: start ramp has none. */
Test(user_control, rejected_steps_leave_nothing_behind) {
  static const char *const hold[] = {"taylor", "lagrange", "backward_difference"};
  struct harness harness;
  struct harness_check check = {0};
  harness_open_auto(&harness);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_write(&harness, "retreat.clh", retreat);
  for (size_t h = 0; h < 3; h++) {
    static const char text[] =
        "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 2.5,\n"
        "\"method\": {\"order\": 2, \"hold\": \"%s\", \"feedthrough\": \"explicit\", \"start\": \"ramp\", \"step\": "
        "{%s}},\n\"metrics\": " ENGINE_CASE_METRICS "}";
    struct engine_case tried, straight;
    struct cs_text sweep = {0};
    cs_text_add(&sweep, text, hold[h],
                "\"control\": {\"kernel\": \"retreat.clh\"}, \"initial\": 0.015625, \"end\": \"overshoot\"");
    engine_case_run(&harness, sweep.data, 0, 0, &tried);
    cs_text_free(&sweep);
    cs_text_add(&sweep, text, hold[h], "\"size\": 0.015625");
    engine_case_run(&harness, sweep.data, 0, 0, &straight);
    cs_text_free(&sweep);
    cr_expect_eq(engine_case_steps(&tried, 0), 160, "%ld steps", engine_case_steps(&tried, 0));
    engine_case_compare(&check, &tried, &straight, 1e-10, 1e-15);
    engine_case_free(&tried);
    engine_case_free(&straight);
  }
  harness_finish(&check, "every step rejected twice");
  harness_close(&harness);
}

Test(user_control, worked_example_keeps_its_tolerance) {
  struct harness harness;
  struct cs_error error;
  harness_open_auto(&harness);
  cr_assert_eq(cs_sweep_load(COSWEEP_SOURCE_DIR "/sweeps/filter.json", NULL, 0, &harness.sweep, &error), CS_OK, "%s",
               error.message);
  harness_run(&harness);
  long rejected = 0;
  for (size_t t = 0; t < 12; t++) {
    const size_t own[] = {1, t}, built_in[] = {0, t};
    const double steps = harness_value(harness.table, "steps", own, NULL);
    const double others = harness_value(harness.table, "steps", built_in, NULL);
    const double tolerance = harness.sweep->axis[1].values[t];
    rejected += (long)harness_value(harness.table, "rejected_steps", own, NULL);
    cr_expect(fabs(steps / others - 1.0) < 0.25, "tolerance %g: %g steps, pi_defect %g", tolerance, steps, others);
    const double defect = harness_value(harness.table, "connection_defect", own, "oscillator2.tau1");
    cr_expect(defect < 1.2 * tolerance, "tolerance %g: defect %g", tolerance, defect);
  }
  cr_expect_gt(rejected, 100);
  harness_close(&harness);
}

/* ---- fragments that are wrong */

static void expect_failure(const char *fragment, const char *members, int status, const char *message) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\",\n"
              "\"t_end\": 1, \"method\": {\"step\": {\"initial\": 0.1, \"tolerance\": 0.1,\n"
              "\"control\": {\"kernel\": \"own.clh\"%s}}}}\n",
              members);
  cli_case_write("own.json", text.data);
  cs_text_free(&text);
  if (fragment != NULL) cli_case_write("own.clh", fragment);
  struct cli_result r = cli_run("run own.json --force");
  cr_expect_eq(r.status, status, "status %d: %s", r.status, r.err);
  cr_expect(strstr(r.err, message) != NULL, "\"%s\" is not in: %s", message, r.err);
  cli_free(&r);
}

/* What a compiler of OpenCL says, or what comes of a fragment that it has built. */
static void expect_built(const char *fragment, const char *members, int status, const char *message) {
  if (opencl_is_there()) expect_failure(fragment, members, status, message);
}

#define BEGIN "static void control_begin(const V *k, const V *y, V *nominal, V *memory) {}\n"
#define STEP(body) "static void control_step(const V *k, struct control *c) {" body "}\n"

Test(user_control, wrong_fragments_are_named_with_their_place, .init = cli_case_open, .fini = cli_case_close,
     .timeout = 300) {
  setenv("COSWEEP_DEVICE", "auto", 1);
  if (!opencl_is_there()) opencl_skipped("fragments that are built");
  expect_failure(NULL, "", 3, "own.json:3:23: method.step.control.kernel: own.clh: cannot be opened");
  expect_failure(BEGIN, "", 3, "own.clh defines no control_step; want control_begin, control_step");
  expect_failure(BEGIN STEP(""), ", \"memory\": 65", 3, "found 65; want an integer from 0 to 64");
  expect_failure(BEGIN STEP(""), ", \"passes\": 1", 3, "want one of: kernel, memory");
  expect_built(BEGIN STEP("c->next = nothing;"), "", 4, "own.clh:2:");
  expect_built("#define NY 7\n" BEGIN STEP(""), "", 4, "own.clh: #define NY: the program around it has this name");
  expect_built("#define CONTROL_SEES_CUT 1\n" BEGIN STEP(""), "", 0, "steps in");
  expect_built(BEGIN STEP("c->next = (V)NAN;"), "", 1, "step size fell below method.step.underflow");
  expect_built(BEGIN STEP("c->accept = c->h < (V)0.0;"), "", 1, "step size fell below method.step.underflow");
  expect_built(BEGIN STEP("c->accept = c->h < (V)0.0; c->next = (V)0.5 * c->h;"), "", 1,
               "step size fell below method.step.underflow");
}
