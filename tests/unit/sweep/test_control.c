/* What sweep files say of step size control: which settings a control takes, defaults, numbers of the runs, text. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep_case.h"

static struct cs_sweep *sweep;
static struct cs_settings settings;
static struct cs_error error;

static void unload(void) {
  cs_settings_free(&settings);
  cs_sweep_free(sweep);
  sweep = NULL;
}

static void tear_down(void) {
  unload();
  remove("own.clh");
  sweep_case_close();
}

static void set_up(void) {
  sweep_case_open();
  sweep_case_write("own.clh",
                   "\xef\xbb\xbf"
                   "control_begin control_step");
}

TestSuite(control, .init = set_up, .fini = tear_down);

static void load(const char *step, const char *method, const char *axes) {
  unload();
  sweep_case_compose_step(step, method, axes);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 0, &settings);
}

/* Compilers do not take what some editors begin a text with. */
Test(control, fragments_have_no_byte_order_mark) {
  load("\"control\": {\"kernel\": \"own.clh\"}, \"initial\": 0.01", "", "");
  cr_expect_str_eq(sweep->controls->user.item[0].text, "control_begin control_step");
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

#define PI "\"control\": \"pi_defect\", \"initial\": 0.01, \"tolerance\": 1e-3"
#define ECCO                                      \
  "\"control\": \"pi_ecco\", \"initial\": 0.01, " \
  "\"bonds\": [{\"a\": [\"a.u\", \"a.y\"], \"b\": [\"b.u\", \"b.y\"]}]"
#define LIMIT "\"control\": \"threshold\", \"signal\": \"b.y\", \"threshold\": -5, \"above\": 0.1, \"below\": 0.2"

/* Each control with nothing but what it needs, and all its numbers. */
static const struct {
  const char *step;
  enum cs_control control;
  double number[CS_CONTROL_NUMBERS];
} defaults[] = {
    /* initial, min, max, max_steps, underflow, tolerance, kp, ki, alpha, growth_max, shrink_max, atol, rtol, accept,
     * threshold, above, below */
    {"\"size\": 0.1",
     CS_FIXED,
     {0.1, 0, INFINITY, 1e8, 2e-13, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}},
    {"\"control\": \"pi_defect\", \"initial\": 0.01, \"tolerance\": 1e-3",
     CS_PI_DEFECT,
     {0.01, 0, INFINITY, 1e8, 2e-13, 1e-3, 0.13, 1.0 / 15, NAN, 2, 0, NAN, NAN, NAN, NAN, NAN, NAN}},
    {ECCO, CS_PI_ECCO, {0.01, 0, INFINITY, 1e8, 2e-13, NAN, 0.2, 0.1, 1, 1.2, 0.2, 1e-6, 1e-6, NAN, NAN, NAN, NAN}},
    {LIMIT, CS_THRESHOLD, {NAN, 0, INFINITY, 1e8, 2e-13, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, -5, 0.1, 0.2}},
    {"\"control\": {\"kernel\": \"own.clh\"}, \"initial\": 0.01",
     CS_USER_CONTROL,
     {0.01, 0, INFINITY, 1e8, 2e-13, 1e-3, 0, 0, 1, INFINITY, 0, 1e-6, 1e-6, 1, NAN, NAN, NAN}},
    {"\"control\": \"richardson\", \"initial\": 0.01",
     CS_RICHARDSON,
     {0.01, 0, INFINITY, 1e8, 2e-13, NAN, NAN, NAN, 0.9, 6, 0.2, 1e-4, 1e-4, 1, NAN, NAN, NAN}},
};

Test(control, each_has_its_defaults) {
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
    load(defaults[i].step, "", "");
    const struct cs_method *method = &settings.method;
    cr_expect_eq(method->control, defaults[i].control);
    cr_expect_eq(method->end, CS_END_EXACT);
    cr_expect_eq(method->estimate, CS_ESTIMATE_PLAIN);
    cr_expect_eq(method->norm, CS_NORM_RMS);
    for (size_t n = 0; n < CS_CONTROL_NUMBERS; n++) {
      cr_expect(same(settings.control[n], defaults[i].number[n]), "case %zu, number %zu is %g", i, n,
                settings.control[n]);
    }
    cr_expect(same(settings.step_size, i == 0 ? 0.1 : NAN));
  }
}

#define H_AXIS "{\"name\": \"h\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2]}"
/* Every number can be given, and can be an axis. */
static const struct {
  const char *step, *name;
  enum cs_control_number number;
} numbers[] = {
    {PI, "min", CS_CONTROL_MIN},
    {PI, "max", CS_CONTROL_MAX},
    {PI, "max_steps", CS_CONTROL_MOST},
    {PI, "underflow", CS_CONTROL_UNDERFLOW},
    {PI, "kp", CS_CONTROL_KP},
    {PI, "ki", CS_CONTROL_KI},
    {PI, "growth_max", CS_CONTROL_GROWTH_MAX},
    {PI, "shrink_max", CS_CONTROL_SHRINK_MAX},
    {"\"control\": \"pi_defect\", \"tolerance\": 1", "initial", CS_CONTROL_INITIAL},
    {"\"control\": \"pi_defect\", \"initial\": 1", "tolerance", CS_CONTROL_TOLERANCE},
    {"\"control\": \"richardson\", \"initial\": 1", "alpha", CS_CONTROL_ALPHA},
    {"\"control\": \"richardson\", \"initial\": 1", "atol", CS_CONTROL_ATOL},
    {"\"control\": \"richardson\", \"initial\": 1", "rtol", CS_CONTROL_RTOL},
    {"\"control\": \"richardson\", \"initial\": 1", "accept", CS_CONTROL_ACCEPT},
    {ECCO, "kp", CS_CONTROL_KP},
    {ECCO, "alpha", CS_CONTROL_ALPHA},
    {"\"control\": \"threshold\", \"signal\": \"a.y\", \"above\": 1, \"below\": 1", "threshold", CS_CONTROL_THRESHOLD},
    {"\"control\": \"threshold\", \"signal\": \"a.y\", \"threshold\": 1, \"below\": 1", "above", CS_CONTROL_ABOVE},
    {"\"control\": \"threshold\", \"signal\": \"a.y\", \"threshold\": 1, \"above\": 1", "below", CS_CONTROL_BELOW},
    {"\"control\": {\"kernel\": \"own.clh\"}, \"initial\": 1", "above", CS_CONTROL_ABOVE},
    {"\"control\": {\"kernel\": \"own.clh\"}, \"initial\": 1", "tolerance", CS_CONTROL_TOLERANCE},
    {"\"control\": {\"kernel\": \"own.clh\"}, \"initial\": 1", "growth_max", CS_CONTROL_GROWTH_MAX},
};

Test(control, numbers_are_given_or_are_axes) {
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char text[256], axis[256];
    snprintf(text, sizeof text, "%s, \"%s\": 3", numbers[i].step, numbers[i].name);
    load(text, "", "");
    cr_expect_eq(settings.control[numbers[i].number], 3, "%s", numbers[i].name);
    snprintf(axis, sizeof axis, "{\"name\": \"x\", \"path\": \"method.step.%s\", \"values\": [7, -5, 0]}",
             numbers[i].name);
    load(numbers[i].step, "", axis);
    static const double values[] = {7, -5, 0};
    for (size_t run = 0; run < 3; run++) {
      cs_settings_of(sweep, run, &settings);
      cr_expect_eq(settings.control[numbers[i].number], values[run], "%s", numbers[i].name);
    }
  }
}

/* Runs whose numbers mean nothing, and why. */
static const struct {
  const char *step, *method, *axes, *reason;
} invalid[] = {
    {"", "", "{\"name\": \"x\", \"path\": \"method.step.size\", \"values\": [-1]}",
     "method.step.size -1 is not above 0"},
    {"\"size\": 1", "", "{\"name\": \"x\", \"path\": \"t_end\", \"values\": [0]}", "t_end 0 is not above 0"},
    {PI, "", "{\"name\": \"x\", \"path\": \"method.step.min\", \"values\": [-1]}", "method.step.min -1 is below 0"},
    {PI, "", "{\"name\": \"x\", \"path\": \"method.step.max\", \"values\": [0]}", "method.step.max 0 is not above 0"},
    {PI ", \"max\": 0.5", "", "{\"name\": \"x\", \"path\": \"method.step.min\", \"values\": [0.6]}",
     "method.step.min 0.6 is above method.step.max 0.5"},
    {PI, "", "{\"name\": \"x\", \"path\": \"method.step.shrink_max\", \"values\": [3]}",
     "method.step.shrink_max 3 is above method.step.growth_max 2"},
    {PI, "", "{\"name\": \"x\", \"path\": \"method.step.underflow\", \"values\": [-1]}",
     "method.step.underflow -1 is below 0"},
    {"\"control\": \"pi_defect\", \"initial\": 1", "",
     "{\"name\": \"x\", \"path\": \"method.step.tolerance\", \"values\": [-1]}",
     "method.step.tolerance -1 is not above 0"},
    {"\"control\": \"pi_defect\", \"tolerance\": 1", "",
     "{\"name\": \"x\", \"path\": \"method.step.initial\", \"values\": [0]}", "method.step.initial 0 is not above 0"},
    {"\"control\": \"richardson\", \"initial\": 1", "",
     "{\"name\": \"x\", \"path\": \"method.step.atol\", \"values\": [-2]}", "method.step.atol -2 is below 0"},
    {"\"control\": \"richardson\", \"initial\": 1, \"rtol\": 0", "",
     "{\"name\": \"x\", \"path\": \"method.step.atol\", \"values\": [0]}",
     "method.step.atol and method.step.rtol are both 0"},
    {"\"control\": \"richardson\", \"initial\": 1", "",
     "{\"name\": \"x\", \"path\": \"method.step.accept\", \"values\": [0]}", "method.step.accept 0 is not above 0"},
    {"\"control\": \"richardson\", \"initial\": 1", "",
     "{\"name\": \"x\", \"path\": \"method.step.alpha\", \"values\": [0]}", "method.step.alpha 0 is not above 0"},
    {LIMIT, "", "{\"name\": \"x\", \"path\": \"method.step.below\", \"values\": [0]}",
     "method.step.below 0 is not above 0"},
    {"\"size\": 1", "\"subsystems\": {\"b\": {\"solver\": \"dopri5\"}}",
     "{\"name\": \"x\", \"path\": \"method.tolerance\", \"values\": [0]}", "subsystem b: tolerance 0 is not above 0"},
};

Test(control, numbers_without_meaning_have_their_reasons) {
  for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
    struct cs_text reason = {0};
    load(invalid[i].step, invalid[i].method, invalid[i].axes);
    cr_expect_not(cs_settings_check(sweep, &settings, CS_SIMULATION, &reason), "case %zu", i);
    cr_expect_str_eq(cs_text_string(&reason), invalid[i].reason);
    cs_text_free(&reason);
  }
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
    struct cs_text reason = {0};
    load(defaults[i].step, "", "");
    cr_expect(cs_settings_check(sweep, &settings, CS_SIMULATION, &reason), "%s", cs_text_string(&reason));
    cs_text_free(&reason);
  }
}

#define OWN "{\"name\": \"c\", \"path\": \"method.step.control\", \"values\": "

Test(control, on_an_axis_each_run_has_its_own_defaults) {
  load("\"size\": 0.5, \"initial\": 0.25, \"tolerance\": 1e-3, \"norm\": \"thesis\", \"end\": \"overshoot\"", "",
       OWN "[\"fixed\", \"pi_defect\", \"richardson\"]}");
  static const double growth[] = {NAN, 2, 6}, tolerance[] = {NAN, 1e-3, NAN}, initial[] = {0.5, 0.25, 0.25};
  for (size_t run = 0; run < 3; run++) {
    cs_settings_of(sweep, run, &settings);
    cr_expect(same(settings.control[CS_CONTROL_GROWTH_MAX], growth[run]));
    cr_expect(same(settings.control[CS_CONTROL_TOLERANCE], tolerance[run]));
    cr_expect_eq(settings.control[CS_CONTROL_INITIAL], initial[run]);
    cr_expect_eq(settings.method.norm, run == 2 ? CS_NORM_THESIS : CS_NORM_RMS);
    cr_expect_eq(settings.method.end, run > 0 ? CS_END_OVERSHOOT : CS_END_EXACT);
  }
  load("\"size\": 0.5, \"initial\": 0.25, \"tolerance\": 1e-3, \"growth_max\": 3", "",
       OWN "[\"fixed\", \"pi_defect\", \"richardson\"]}");
  for (size_t run = 0; run < 3; run++) {
    cs_settings_of(sweep, run, &settings);
    cr_expect(same(settings.control[CS_CONTROL_GROWTH_MAX], run == 0 ? NAN : 3));
  }
}

Test(control, the_limit_of_underflow_follows_the_end_of_the_run) {
  load("\"size\": 0.5", "", "{\"name\": \"T\", \"path\": \"t_end\", \"values\": [1, 1000]}");
  for (size_t run = 0; run < 2; run++) {
    cs_settings_of(sweep, run, &settings);
    cr_expect_eq(settings.control[CS_CONTROL_UNDERFLOW], 1e-13 * settings.t_end);
  }
}

Test(control, words_select_kernels) {
  load("\"control\": \"richardson\", \"initial\": 1", "\"feedthrough\": \"explicit\"",
       "{\"name\": \"a\", \"path\": \"method.step.end\", \"values\": [\"exact\", \"overshoot\"]},\n"
       "{\"name\": \"b\", \"path\": \"method.step.norm\", \"values\": [\"rms\", \"thesis\"]},\n"
       "{\"name\": \"c\", \"path\": \"method.step.estimate\", \"values\": [\"plain\", \"corrected\"]},\n"
       "{\"name\": \"atol\", \"path\": \"method.step.atol\", \"values\": [1, 2]}");
  struct cs_settings other;
  cr_assert_eq(cs_settings_new(sweep, &other, &error), CS_OK);
  for (size_t i = 0; i < sweep->runs; i++) {
    for (size_t k = 0; k < sweep->runs; k++) {
      cs_settings_of(sweep, i, &settings);
      cs_settings_of(sweep, k, &other);
      cr_expect_eq(cs_method_equal(sweep->model->subsystems, &settings.method, &other.method), i / 2 == k / 2,
                   "%zu %zu", i, k);
    }
  }
  cs_settings_free(&other);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void expect_description(const char *want) {
  struct cs_text text = {0};
  cs_sweep_describe_method(sweep, &settings.method, &text);
  cr_expect_str_eq(text.data, want);
  cs_text_free(&text);
}

Test(control, messages_name_it) {
  load(PI ", \"end\": \"overshoot\"", "", "");
  expect_description("taylor, order 0, solved, consistent, exact, control pi_defect, end overshoot");
  load("\"control\": \"richardson\", \"initial\": 1, \"norm\": \"thesis\", \"estimate\": \"corrected\"",
       "\"feedthrough\": \"explicit\"", "");
  expect_description(
      "taylor, order 0, explicit, consistent, exact, control richardson, estimate corrected, norm thesis");
  load("\"size\": 1", "\"solver\": \"dopri5\"", "");
  expect_description("taylor, order 0, solved, consistent, dopri5");
}

/* The object "step" of the printed sweep, which reads back equal and prints the same. */
static void expect_printed(const char *step, const char *method, const char *axes, const char *want) {
  struct cs_text first = {0}, second = {0};
  struct cs_sweep *again = NULL;
  struct cs_settings other;
  load(step, method, axes);
  cs_sweep_print(sweep, &first);
  const char *from = strstr(first.data, "\"step\": {");
  cr_assert_not_null(from);
  struct cs_text found = {0};
  for (const char *p = from + 9; *p != '}'; p++)
    cs_text_add(&found, *p == '\n' ? "" : *p == ' ' && p[-1] != ',' && p[-1] != ':' ? "" : "%c", *p);
  cr_expect_str_eq(found.data, want);
  cs_text_free(&found);
  sweep_case_write("printed.json", first.data);
  cr_assert_eq(cs_sweep_load("printed.json", NULL, 0, &again, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(again, &other, &error), CS_OK);
  for (size_t run = 0; run < sweep->runs; run++) {
    cs_settings_of(sweep, run, &settings);
    cs_settings_of(again, run, &other);
    cr_expect(cs_method_equal(sweep->model->subsystems, &settings.method, &other.method));
    for (size_t n = 0; n < CS_CONTROL_NUMBERS; n++)
      cr_expect(same(settings.control[n], other.control[n]), "run %zu, number %zu", run, n);
    for (size_t s = 0; s < sweep->model->subsystems; s++)
      cr_expect(same(settings.tolerance[s], other.tolerance[s]));
  }
  cs_sweep_print(again, &second);
  cr_expect_str_eq(first.data, second.data);
  cs_text_free(&first);
  cs_text_free(&second);
  cs_settings_free(&other);
  cs_sweep_free(again);
}

Test(control, printed_with_its_defaults_a_sweep_reads_back_equal) {
  expect_printed("\"size\": 0.5", "", "",
                 "\"control\": \"fixed\",\"size\": 0.5,\"max_steps\": 100000000,\"underflow\": \"auto\","
                 "\"estimate\": \"plain\"");
  expect_printed(PI, "", "",
                 "\"control\": \"pi_defect\",\"initial\": 0.01,\"min\": 0,\"max\": \"none\",\"max_steps\": 100000000,"
                 "\"underflow\": \"auto\",\"end\": \"exact\",\"tolerance\": 0.001,\"kp\": 0.13,"
                 "\"ki\": 0.06666666666666667,\"growth_max\": 2,\"shrink_max\": 0,\"defects\": \"both\"");
  expect_printed("\"control\": \"richardson\", \"initial\": 1, \"max\": 3, \"underflow\": 1e-9, \"atol\": 0", "", "",
                 "\"control\": \"richardson\",\"initial\": 1,\"min\": 0,\"max\": 3,\"max_steps\": 100000000,"
                 "\"underflow\": 1e-09,\"end\": \"exact\",\"alpha\": 0.9,\"growth_max\": 6,\"shrink_max\": 0.2,"
                 "\"atol\": 0,\"rtol\": 0.0001,\"estimate\": \"plain\",\"norm\": \"rms\",\"accept\": 1");
  expect_printed("\"initial\": 1, \"tolerance\": 2, \"kp\": \"auto\"", "", OWN "[\"pi_defect\", \"richardson\"]}",
                 "\"control\": \"fixed\",\"initial\": 1,\"min\": 0,\"max\": \"none\",\"max_steps\": 100000000,"
                 "\"underflow\": \"auto\",\"end\": \"exact\",\"tolerance\": 2,\"kp\": \"auto\","
                 "\"ki\": 0.06666666666666667,\"alpha\": 0.9,\"growth_max\": \"auto\",\"shrink_max\": \"auto\","
                 "\"atol\": 0.0001,\"rtol\": 0.0001,\"estimate\": \"plain\",\"norm\": \"rms\",\"defects\": "
                 "\"both\",\"accept\": 1");
}

Test(control, tolerances_belong_to_solver_dopri5) {
  load("\"size\": 1", "\"solver\": \"dopri5\"", "");
  cr_expect_eq(settings.method.subsystem[0].solver, CS_DOPRI5);
  cr_expect_eq(settings.method.subsystem[0].micro_steps, 1);
  cr_expect_eq(settings.tolerance[0], 1e-6);
  load("\"size\": 1", "\"tolerance\": 1e-3, \"subsystems\": {\"b\": {\"solver\": \"dopri5\"}}", "");
  cr_expect(isnan(settings.tolerance[0]));
  cr_expect_eq(settings.tolerance[1], 1e-3);
  load("\"size\": 1", "\"solver\": \"dopri5\", \"subsystems\": {\"b\": {\"tolerance\": 1e-9}}",
       "{\"name\": \"x\", \"path\": \"method.tolerance\", \"values\": [1, 2]}");
  for (size_t run = 0; run < 2; run++) {
    cs_settings_of(sweep, run, &settings);
    cr_expect_eq(settings.tolerance[0], (double)(run + 1));
    cr_expect_eq(settings.tolerance[1], 1e-9);
  }
  expect_printed("\"size\": 1", "\"solver\": \"dopri5\"", "",
                 "\"control\": \"fixed\",\"size\": 1,\"max_steps\": 100000000,\"underflow\": \"auto\","
                 "\"estimate\": \"plain\"");
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

static void expect_error(const char *step, const char *method, const char *axes, const char *message) {
  struct cs_sweep *wrong = NULL;
  sweep_case_compose_step(step, method, axes);
  cr_expect_eq(cs_sweep_load("s.json", NULL, 0, &wrong, &error), CS_INPUT, "accepted: %s %s %s", step, method, axes);
  cr_expect_str_eq(error.message, message);
  cs_sweep_free(wrong);
}

/* All numbers of a run, in settings that were of another run before, and in fresh ones. */
static void expect_fresh(size_t run) {
  struct cs_settings fresh;
  cr_assert_eq(cs_settings_new(sweep, &fresh, &error), CS_OK);
  cs_settings_of(sweep, run, &settings);
  cs_settings_of(sweep, run, &fresh);
  cr_expect(cs_method_equal(sweep->model->subsystems, &settings.method, &fresh.method), "%zu", run);
  cr_expect(same(settings.step_size, fresh.step_size), "%zu", run);
  cr_expect_eq(settings.t_end, fresh.t_end);
  for (int i = 0; i < CS_CONTROL_NUMBERS; i++)
    cr_expect(same(settings.control[i], fresh.control[i]), "%zu: %d", run, i);
  for (size_t p = 0; p < sweep->model->parameters; p++) {
    cr_expect_eq(settings.parameters[p], fresh.parameters[p], "%zu: %zu", run, p);
    cr_expect_eq(settings.given[p], fresh.given[p]);
  }
  cr_expect_eq(settings.skipped, fresh.skipped);
  cs_settings_free(&fresh);
}

Test(control, settings_of_a_run_do_not_depend_on_the_run_before) {
  static const char axes[] =
      "{\"name\": \"t\", \"path\": \"t_end\", \"values\": [2, 3]},"
      "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2, 3]},"
      "{\"name\": \"c\", \"path\": \"method.step.control\", \"values\": [\"fixed\", \"pi_defect\"]},"
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2]},"
      "{\"name\": \"q\", \"path\": \"parameters.q\", \"values\": [4, 5]}";
  const size_t along[] = {1};
  load("\"initial\": 0.01, \"tolerance\": 1e-3", "", axes);
  for (size_t run = 0; run < sweep->runs; run++)
    expect_fresh(run);
  for (size_t i = 0, run = 1; i < 5 * sweep->runs; i++, run = 29 * run % 47) {
    expect_fresh(run);
    if (i % 3 == 0) cs_settings_at(sweep, run, along, (const double[]){7.0}, 1, &settings);
    if (i % 3 == 0) cr_expect_eq(settings.parameters[0], 7.0);
    if (i % 6 == 0) expect_fresh(run);
  }
}

#define FIXED_KEYS "control, size, max_steps, underflow, estimate"
#define PI_KEYS \
  "control, initial, min, max, max_steps, underflow, end, tolerance, kp, ki, growth_max, shrink_max, defects"

static const struct {
  const char *step, *method, *axes, *message;
} mistakes[] = {
    {"\"size\": 1, \"initial\": 2", "", "",
     "s.json:2:32: method.step.initial: has no effect with control fixed; want one of: " FIXED_KEYS},
    {"\"size\": 1, \"end\": \"exact\"", "", "",
     "s.json:2:32: method.step.end: has no effect with control fixed; want one of: " FIXED_KEYS},
    {PI ", \"size\": 1", "", "",
     "s.json:2:81: method.step.size: has no effect with control pi_defect; want one of: " PI_KEYS},
    {PI ", \"atol\": 1", "", "",
     "s.json:2:81: method.step.atol: has no effect with control pi_defect; want one of: " PI_KEYS},
    {"\"size\": 1, " PI ", \"accept\": 2", "",
     "{\"name\": \"c\", \"path\": \"method.step.control\", \"values\": [\"fixed\", \"pi_defect\"]}",
     "s.json:2:92: method.step.accept: has no effect with controls fixed, pi_defect; want one of: control, size, "
     "initial, min, max, max_steps, underflow, end, tolerance, kp, ki, growth_max, shrink_max, estimate, defects"},
    {"\"size\": 1", "", "{\"name\": \"x\", \"zip\": {\"method.step.kp\": [1]}}",
     "s.json:4:32: axes[0].zip.method.step.kp: path \"method.step.kp\" has no effect with control fixed; want one of: "
     "method.step.control, method.step.size, method.step.max_steps, method.step.underflow, method.step.estimate"},
    {"\"control\": \"pi_defect\", \"tolerance\": 1", "", "",
     "s.json:1:1: method.step.initial is not given, as control pi_defect needs it; want a number > 0, or an axis over "
     "it"},
    {"\"control\": \"pi_defect\", \"initial\": 1", "", "",
     "s.json:1:1: method.step.tolerance is not given, as control pi_defect needs it; want a number > 0, or an axis "
     "over it"},
    {"\"size\": 1", "",
     "{\"name\": \"c\", \"path\": \"method.step.control\", \"values\": [\"fixed\", \"pi_defect\", \"richardson\"]}",
     "s.json:1:1: method.step.initial is not given, as controls pi_defect, richardson need it; want a number > 0, or "
     "an axis over it"},
    {"\"control\": \"pid\"", "", "",
     "s.json:2:32: method.step.control: unknown control \"pid\"; want one of: fixed, pi_defect, pi_ecco, threshold, "
     "richardson, cycle, or {\"kernel\": file} for a user-defined one"},
    {PI ", \"min\": -1", "", "", "s.json:2:88: method.step.min: found -1; want a number >= 0"},
    {PI ", \"max\": 0", "", "", "s.json:2:88: method.step.max: found 0; want a number > 0, or \"none\""},
    {PI ", \"max\": \"inf\"", "", "",
     "s.json:2:88: method.step.max: unknown max \"inf\"; want a number > 0, or \"none\""},
    {PI ", \"kp\": true", "", "", "s.json:2:87: method.step.kp: found true or false; want a number, or \"auto\""},
    {PI ", \"underflow\": -1", "", "", "s.json:2:94: method.step.underflow: found -1; want a number >= 0, or \"auto\""},
    {PI ", \"end\": \"early\"", "", "",
     "s.json:2:88: method.step.end: unknown end \"early\"; want one of: exact, overshoot"},
    {"\"control\": \"richardson\", \"initial\": 1, \"accept\": 0", "", "",
     "s.json:2:70: method.step.accept: found 0; want a number > 0"},
    {"\"control\": \"richardson\", \"initial\": 1, \"norm\": \"max\"", "", "",
     "s.json:2:68: method.step.norm: unknown norm \"max\"; want one of: rms, thesis"},
    {"\"control\": \"richardson\", \"initial\": 1, \"estimate\": \"corrected\"", "", "",
     "s.json:2:72: method.step.estimate: estimate corrected is for outputs of the held input, which feedthrough solved "
     "replaces; want estimate plain, or feedthrough explicit"},
    {PI, "\"engine\": \"double\"", "",
     "s.json:3:11: method.engine: engine double combines equal steps, but control pi_defect changes them; want engine "
     "auto or step"},
    {"\"size\": 1", "\"engine\": \"double\", \"solver\": \"dopri5\"", "",
     "s.json:3:11: method.engine: engine double multiplies step matrices, and steps with solver dopri5 of subsystem a "
     "have none; want engine auto or step"},
    {"\"size\": 1", "\"solver\": \"dopri5\", \"tolerance\": 0", "",
     "s.json:3:34: method.tolerance: found 0; want a number > 0"},
    {"\"size\": 1", "\"tolerance\": 1, \"subsystems\": {\"a\": {\"solver\": \"exact\"}}", "",
     "s.json:3:1: method.tolerance: has no effect without solver dopri5; want none, or solver dopri5"},
    {"\"size\": 1", "\"solver\": \"dopri5\", \"subsystems\": {\"a\": {\"solver\": \"exact\", \"tolerance\": 1}}", "",
     "s.json:3:61: method.subsystems.a.tolerance: has no effect without solver dopri5; want none, or solver dopri5"},
    {PI, "", "{\"name\": \"x\", \"path\": \"method.step.end\", \"values\": [\"exact\", 1]}",
     "s.json:4:71: axes[0].values[1]: found a number; want one of: exact, overshoot"},
    {PI, "", "{\"name\": \"x\", \"path\": \"method.step.max\", \"values\": [\"none\"]}",
     "s.json:4:62: axes[0].values[0]: found a string; want a number"},
};

Test(control, mistakes_are_named) {
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    expect_error(mistakes[i].step, mistakes[i].method, mistakes[i].axes, mistakes[i].message);
}

/* What metrics and the study ask of control and solver: members of the sweep and of method.step. */
static const struct {
  const char *rest, *method, *message;
} studies[] = {
    {"\"t_end\": 1, \"metrics\": [\"local_error\"]", "\"step\": {\n" PI "}",
     "s.json:3:12: method.step.control: control pi_defect changes the step size, but metric local_error requires a "
     "fixed one; want control fixed, or other metrics"},
    {"\"t_end\": 1, \"metrics\": [\"stable\"]", "\"step\": {\n" PI "}",
     "s.json:3:12: method.step.control: control pi_defect changes the step size, but metric stable requires a fixed "
     "one; want control fixed, or other metrics"},
    {"\"t_end\": 1, \"metrics\": [\"stable\"]", "\"step\": {\"size\": 1},\n\"solver\": \"dopri5\"",
     "s.json:3:11: method.solver: solver dopri5 of subsystem a adapts its steps, so that a macro step has no matrix, "
     "which metric stable needs; want another solver, or other metrics"},
    {"\"t_end\": 1, \"metrics\": [\"bond_share\"]", "\"step\": {\"size\": 1}",
     "s.json:1:91: metrics[0]: \"bond_share\" is not available: no run has step control pi_ecco; want one of: "},
    {"\"study\": \"stability\"", "\"step\": {\n\"control\": \"pi_defect\", \"size\": 1}",
     "s.json:3:12: method.step.control: control pi_defect changes the step size, but study stability analyses given "
     "steps; want control fixed or cycle"},
    {"\"study\": \"stability\"", "\"step\": {\"size\": 1},\n\"solver\": \"dopri5\"",
     "s.json:3:11: method.solver: solver dopri5 of subsystem a adapts its steps, so that a macro step has no matrix; "
     "want another solver in study stability"},
    {"\"study\": \"stability\"", "\"step\": {\n" PI "}",
     "s.json:3:25: method.step.initial: does not apply to study stability, which simulates no steps; want one of: "
     "control, "
     "size"},
    {"\"study\": \"stability\"", "\"step\": {\"size\": 1},\n\"tolerance\": 1",
     "s.json:3:1: method.tolerance: does not apply to study stability, which simulates no steps; want one of: "},
};

Test(control, what_needs_one_step_size_or_a_matrix_is_refused) {
  for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
    struct cs_text text = {0};
    struct cs_sweep *wrong = NULL;
    cs_text_add(&text, "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", %s,\n",
                studies[i].rest);
    cs_text_add(&text, "\"method\": {%s}}\n", studies[i].method);
    sweep_case_write("s.json", text.data);
    cs_text_free(&text);
    cr_expect_eq(cs_sweep_load("s.json", NULL, 0, &wrong, &error), CS_INPUT, "accepted: %s", studies[i].method);
    error.message[strlen(studies[i].message)] = '\0'; /* lists of everything are tested elsewhere */
    cr_expect_str_eq(error.message, studies[i].message);
    cs_sweep_free(wrong);
  }
}
