/* Settings of step size control other than numbers: power bonds, signals, user controllers. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "result.h"
#include "sweep_case.h"

static struct cs_sweep *sweep;
static struct cs_settings settings;
static struct cs_error error;

static const char own[] = "static void control_begin() {}\nstatic void control_step() {}\n";

static void set_up(void) {
  sweep_case_open();
  sweep_case_write("own.clh", own);
}

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

TestSuite(control_lists, .init = set_up, .fini = tear_down);

static void load(const char *step, const char *method, const char *axes) {
  unload();
  sweep_case_compose_step(step, method, axes);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 0, &settings);
}

static void expect_description(const char *want) {
  struct cs_text text = {0};
  cs_sweep_describe_method(sweep, &settings.method, &text);
  cr_expect_str_eq(text.data, want);
  cs_text_free(&text);
}

/* The printed sweep has that part, prints the same when it is read, and makes the same methods. */
static void expect_printed(const char *part) {
  struct cs_text first = {0}, second = {0};
  struct cs_sweep *again = NULL;
  struct cs_settings other;
  cs_sweep_print(sweep, &first);
  cr_expect_not_null(strstr(first.data, part), "%s in\n%s", part, first.data);
  sweep_case_write("printed.json", first.data);
  cr_assert_eq(cs_sweep_load("printed.json", NULL, 0, &again, &error), CS_OK, "%s", error.message);
  cs_sweep_print(again, &second);
  cr_expect_str_eq(first.data, second.data);
  cr_assert_eq(cs_settings_new(again, &other, &error), CS_OK);
  for (size_t run = 0; run < sweep->runs; run++) {
    cs_settings_of(sweep, run, &settings);
    cs_settings_of(again, run, &other);
    cr_expect(cs_method_equal(sweep->model->subsystems, &settings.method, &other.method));
  }
  cs_settings_free(&other);
  cs_text_free(&first);
  cs_text_free(&second);
  cs_sweep_free(again);
}

#define ECCO "\"control\": \"pi_ecco\", \"initial\": 1, "
#define AB "{\"a\": [\"a.u\", \"a.y\"], \"b\": [\"b.u\", \"b.y\"]}"
#define BA "{\"a\": [\"b.u\", \"b.y\"], \"b\": [\"a.u\", \"a.y\"], \"sign\": 1}"

Test(control_lists, bonds_are_read) {
  load(ECCO "\"bonds\": [" AB ", " BA "]", "", "");
  cr_assert_eq(settings.method.bonds, 1);
  const struct cs_bond_list *list = &sweep->controls->list[1];
  cr_assert_eq(list->bonds, 2);
  cr_expect_eq(list->bond[0].input[0], 0);
  cr_expect_eq(list->bond[0].output[0], 0);
  cr_expect_eq(list->bond[0].input[1], 1);
  cr_expect_eq(list->bond[0].output[1], 1);
  cr_expect_eq(list->bond[0].sign, -1);
  cr_expect_eq(list->bond[1].input[0], 1);
  cr_expect_eq(list->bond[1].sign, 1);
  cr_expect_eq(sweep->controls->list[0].bonds, 0);
  expect_description("taylor, order 0, solved, consistent, exact, control pi_ecco of 2 bonds");
  expect_printed("\"sign\": 1");
}

#define BOND_AXIS                                                                                         \
  "{\"name\": \"at\", \"path\": \"method.step.bonds\", \"values\": [{\"label\": \"one\", \"value\": [" AB \
  "]}, "                                                                                                  \
  "{\"label\": \"both\", \"value\": [" AB ", " BA "]}, {\"label\": \"again\", \"value\": [" AB "]}]}"

Test(control_lists, bonds_may_be_an_axis) {
  load(ECCO "\"kp\": 0.1", "", BOND_AXIS);
  static const unsigned short number[] = {1, 2, 1};
  for (size_t run = 0; run < 3; run++) {
    cs_settings_of(sweep, run, &settings);
    cr_expect_eq(settings.method.bonds, number[run]);
  }
  cr_expect_eq(sweep->controls->lists, 3, "equal lists are one");
  cr_expect_str_eq(sweep->axis[0].labels[1], "both");
  expect_printed("\"label\": \"both\"");
}

Test(control_lists, bonds_belong_to_pi_ecco) {
  load("\"size\": 1, \"initial\": 1, \"bonds\": [" AB "]", "",
       "{\"name\": \"c\", \"path\": \"method.step.control\", \"values\": [\"fixed\", \"pi_ecco\"]}");
  cr_expect_eq(settings.method.bonds, 0);
  cs_settings_of(sweep, 1, &settings);
  cr_expect_eq(settings.method.bonds, 1);
}

static void expect_bonds(const char *bonds, size_t count, const char *const *names) {
  char step[1024];
  struct cs_text name = {0};
  snprintf(step, sizeof step, ECCO "\"bonds\": [%s]", bonds);
  load(step, "", "");
  cr_assert_eq(cs_controls_bonds(sweep->controls), count);
  for (size_t i = 0; i < count; i++) {
    cs_controls_name_bond(sweep->controls, i, &name);
    cr_expect_str_eq(name.data, names[i]);
    cs_text_free(&name);
  }
}

Test(control_lists, bonds_have_names) {
  expect_bonds(AB ", " BA, 2, (const char *const[]){"a.u | b.u", "b.u | a.u"});
  expect_bonds(AB ", " BA ", " AB, 3, (const char *const[]){"bond0", "b.u | a.u", "bond2"});
  load(ECCO "\"kp\": 0.1", "",
       "{\"name\": \"at\", \"path\": \"method.step.bonds\", \"values\": [{\"label\": \"one\", \"value\": [" BA
       "]}, "
       "{\"label\": \"both\", \"value\": [" AB ", " BA "]}]}");
  struct cs_text name = {0};
  cs_controls_name_bond(sweep->controls, 0, &name);
  cr_expect_str_eq(name.data, "bond0", "the lists do not agree: %s", name.data);
  cs_text_free(&name);
}

Test(control_lists, results_have_a_dimension_of_bonds) {
  const struct cs_plan_options options = {.study = CS_SIMULATION, .lanes = 1, .memory = 1 << 28};
  struct cs_plan *plan = NULL;
  struct cs_table *table = NULL;
  struct cs_text text = {0};
  cs_text_add(&text, "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 2, ");
  cs_text_add(&text, "\"metrics\": [\"bond_share\", \"output_error\"], \"method\": {\"step\": {%s}}, \"axes\": [%s]}",
              ECCO "\"kp\": 0.1", BOND_AXIS);
  sweep_case_write("s.json", text.data);
  cs_text_free(&text);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_plan_new(sweep, &options, &plan, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_result_new(sweep, plan->modes, (struct cs_result_home){0}, NULL, "", &table, &error), CS_OK, "%s",
               error.message);
  const struct cs_dimension *bond = cs_table_find_dimension(table, "bond");
  cr_assert_not_null(bond);
  cr_assert_eq(bond->length, 2);
  cr_expect_str_eq(bond->labels[0], "a.u | b.u");
  const struct cs_array *share = cs_table_find(table, "bond_share");
  cr_assert_not_null(share);
  cr_assert_eq(share->dimensions, 2);
  cr_expect_str_eq(table->dimension[share->dimension[1]].name, "bond");
  cr_expect_str_eq(share->unit, "1");
  cr_expect_eq(share->count, 6);
  cr_expect(isnan(share->data.float64[5]));
  cs_table_free(table);
  cs_plan_free(plan);
}

#define LIMIT "\"control\": \"threshold\", \"threshold\": 0.5, \"above\": 0.1, \"below\": 0.2"

Test(control_lists, signals_are_outputs) {
  load(LIMIT ", \"signal\": \"b.y\"", "", "");
  cr_expect_eq(settings.method.signal, 1);
  expect_description("taylor, order 0, solved, consistent, exact, control threshold of b.y");
  expect_printed("\"signal\": \"b.y\"");
  load(LIMIT, "",
       "{\"name\": \"at\", \"path\": \"method.step.signal\", \"values\": [\"b.y\", {\"label\": \"first\", \"value\": "
       "\"a.y\"}]}");
  cr_expect_eq(settings.method.signal, 1);
  cr_expect_str_eq(sweep->axis[0].labels[0], "b.y");
  cr_expect_str_eq(sweep->axis[0].labels[1], "first");
  cs_settings_of(sweep, 1, &settings);
  cr_expect_eq(settings.method.signal, 0);
  expect_printed("\"path\": \"method.step.signal\"");
}

Test(control_lists, controllers_of_the_users_own_are_read) {
  load("\"control\": {\"kernel\": \"own.clh\", \"memory\": 3}, \"initial\": 0.5", "", "");
  cr_expect_eq(settings.method.control, CS_USER_CONTROL);
  cr_expect_eq(settings.method.user_control, 0);
  cr_assert_eq(sweep->controls->user.count, 1);
  cr_expect_str_eq(sweep->controls->user.item[0].path, "own.clh");
  cr_expect_str_eq(sweep->controls->user.item[0].text, own);
  cr_expect_eq(sweep->controls->user.item[0].memory, 3);
  expect_description("taylor, order 0, solved, consistent, exact, control own.clh");
  expect_printed("\"growth_max\": \"auto\"");
  load("\"size\": 1, \"initial\": 0.5", "",
       "{\"name\": \"c\", \"path\": \"method.step.control\", \"values\": [\"fixed\", {\"label\": \"mine\", \"value\": "
       "{\"kernel\": \"own.clh\"}}, {\"label\": \"more\", \"value\": {\"kernel\": \"own.clh\", \"memory\": 1}}, "
       "{\"label\": \"same\", \"value\": {\"kernel\": \"own.clh\"}}]}");
  static const unsigned char control[] = {CS_FIXED, CS_USER_CONTROL, CS_USER_CONTROL, CS_USER_CONTROL};
  static const unsigned short number[] = {0, 0, 1, 0};
  for (size_t run = 0; run < 4; run++) {
    cs_settings_of(sweep, run, &settings);
    cr_expect_eq(settings.method.control, control[run]);
    cr_expect_eq(settings.method.user_control, number[run]);
  }
}

Test(control_lists, each_selects_a_kernel) {
  load("\"size\": 1, \"initial\": 1, \"threshold\": 1, \"above\": 1, \"below\": 1", "",
       "{\"name\": \"c\", \"path\": \"method.step.control\", \"values\": [\"fixed\", \"pi_ecco\", \"threshold\", "
       "{\"label\": \"mine\", \"value\": {\"kernel\": \"own.clh\"}}, {\"label\": \"more\", \"value\": {\"kernel\": "
       "\"own.clh\", \"memory\": 1}}]},\n"
       "{\"name\": \"s\", \"path\": \"method.step.signal\", \"values\": [\"a.y\", \"b.y\"]},\n"
       "{\"name\": \"b\", \"path\": \"method.step.bonds\", \"values\": [{\"label\": \"ab\", \"value\": [" AB
       "]}, "
       "{\"label\": \"ba\", \"value\": [" BA "]}]}");
  struct cs_settings other;
  cr_assert_eq(cs_settings_new(sweep, &other, &error), CS_OK);
  for (size_t i = 0; i < sweep->runs; i++) {
    for (size_t k = 0; k < sweep->runs; k++) {
      cs_settings_of(sweep, i, &settings);
      cs_settings_of(sweep, k, &other);
      const bool bonds = i / 4 != 1 || i % 2 == k % 2, signals = i / 4 != 2 || i / 2 % 2 == k / 2 % 2;
      cr_expect_eq(cs_method_equal(sweep->model->subsystems, &settings.method, &other.method),
                   i / 4 == k / 4 && bonds && signals, "%zu %zu", i, k);
    }
  }
  cs_settings_free(&other);
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

#define CYCLE "\"control\": \"cycle\", \"size\": 1"
#define RATIOS "a list of 1 to 16 numbers > 0, [1, 2]"
#define LIST "a list of power bonds, [{\"a\": [input, output], \"b\": [input, output]}, ...]"

static const struct {
  const char *step, *axes, *message;
} mistakes[] = {
    {ECCO "\"kp\": 1", "",
     "s.json:1:1: method.step.bonds is not given, as control pi_ecco needs it; want " LIST ", or an axis over it"},
    {ECCO "\n\"bonds\": []", "", "s.json:3:10: method.step.bonds: found an empty list; want at least one power bond"},
    {ECCO "\n\"bonds\": \"all\"", "", "s.json:3:10: method.step.bonds: found a string; want " LIST},
    {ECCO "\n\"bonds\": [1]", "", "s.json:3:11: method.step.bonds[0]: found a number; want an object"},
    {ECCO "\n\"bonds\": [{\"a\": [\"a.u\", \"a.y\"]}]", "",
     "s.json:3:11: method.step.bonds[0]: missing key \"b\"; want a list"},
    {ECCO "\n\"bonds\": [{\"a\": [\"a.u\"]}]", "",
     "s.json:3:17: method.step.bonds[0].a: found 1 items; want two, [input, output]"},
    {ECCO "\n\"bonds\": [{\"a\": [\"a.y\", \"a.u\"]}]", "",
     "s.json:3:18: method.step.bonds[0].a[0]: unknown input \"a.y\"; want one of: a.u, b.u"},
    {ECCO "\n\"bonds\": [{\"a\": [\"a.u\", \"a.x\"]}]", "",
     "s.json:3:25: method.step.bonds[0].a[1]: unknown output \"a.x\"; want one of: a.y, b.y"},
    {ECCO "\n\"bonds\": [{\"a\": [\"a.u\", 1]}]", "",
     "s.json:3:25: method.step.bonds[0].a[1]: found a number; want a string"},
    {ECCO "\n\"bonds\": [{\"c\": 1}]", "", "s.json:3:12: method.step.bonds[0].c: unknown key; want one of: a, b, sign"},
    {ECCO "\n\"bonds\": [{\"a\": [\"a.u\", \"a.y\"], \"b\": [\"b.u\", \"b.y\"],\n\"sign\": 2}]", "",
     "s.json:4:9: method.step.bonds[0].sign: found 2; want 1 or -1"},
    {ECCO "\"kp\": 1", "{\"name\": \"x\", \"path\": \"method.step.bonds\", \"values\": [[" AB "]]}",
     "s.json:4:64: axes[0].values[0]: found a list without label; want {\"label\": text, \"value\": list}"},
    {ECCO "\"kp\": 1", "{\"name\": \"x\", \"path\": \"method.step.bonds\", \"linspace\": [0, 1, 2]}",
     "s.json:4:53: axes[0].linspace: bonds takes no numbers; want \"values\" with some of: {\"label\": text, "
     "\"value\": "
     "list of power bonds}"},
    {"\"size\": 1,\n\"bonds\": [" AB "]", "",
     "s.json:3:1: method.step.bonds: has no effect with control fixed; want one of: control, size, max_steps, "
     "underflow, estimate"},
    {CYCLE, "",
     "s.json:1:1: method.step.ratios is not given, as control cycle needs it; want " RATIOS ", or an axis over it"},
    {CYCLE ",\n\"ratios\": []", "", "s.json:3:11: method.step.ratios: found 0 ratios; want 1 to 16"},
    {CYCLE ",\n\"ratios\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "",
     "s.json:3:11: method.step.ratios: found 17 ratios; want 1 to 16"},
    {CYCLE ",\n\"ratios\": [1, 0]", "", "s.json:3:15: method.step.ratios[1]: found 0; want a number > 0"},
    {CYCLE ",\n\"ratios\": [1, \"2\"]", "", "s.json:3:15: method.step.ratios[1]: found a string; want a number"},
    {CYCLE ",\n\"ratios\": 2", "", "s.json:3:11: method.step.ratios: found a number; want " RATIOS},
    {"\"size\": 1,\n\"ratios\": [1, 2]", "",
     "s.json:3:1: method.step.ratios: has no effect with control fixed; want one of: control, size, max_steps, "
     "underflow, estimate"},
    {CYCLE, "{\"name\": \"x\", \"path\": \"method.step.ratios\", \"values\": [[1, 2]]}",
     "s.json:4:65: axes[0].values[0]: found a list without label; want {\"label\": text, \"value\": list}"},
    {LIMIT, "",
     "s.json:1:1: method.step.signal is not given, as control threshold needs it; want an output, "
     "\"subsystem.output\", or an axis over it"},
    {LIMIT ",\n\"signal\": \"a.u\"", "",
     "s.json:3:11: method.step.signal: unknown output \"a.u\"; want one of: a.y, b.y"},
    {LIMIT ",\n\"signal\": 0", "",
     "s.json:3:11: method.step.signal: found a number; want an output, \"subsystem.output\""},
    {LIMIT, "{\"name\": \"x\", \"path\": \"method.step.signal\", \"logspace\": [1, 2, 2]}",
     "s.json:4:54: axes[0].logspace: signal takes no numbers; want \"values\" with some of: \"subsystem.output\""},
    {LIMIT, "{\"name\": \"x\", \"path\": \"method.step.signal\", \"values\": [\"a.y\", \"c.y\"]}",
     "s.json:4:72: axes[0].values[1]: unknown output \"c.y\"; did you mean \"a.y\"? want one of: a.y, b.y"},
    {"\"control\": {\"kernel\": \"own.clh\"}", "",
     "s.json:1:1: method.step.initial is not given, as control user-defined needs it; want a number > 0, or an axis "
     "over "
     "it"},
    {"\"initial\": 1, \"norm\": \"rms\",\n\"control\": {\"kernel\": \"own.clh\"}", "",
     "s.json:2:35: method.step.norm: has no effect with control user-defined; want one of: control, initial, min, max, "
     "max_steps, underflow, end, tolerance, kp, ki, alpha, growth_max, shrink_max, atol, rtol, accept, threshold, "
     "above, below"},
    {"\n\"control\": {\"kernel\": \"none.clh\"}", "",
     "s.json:3:23: method.step.control.kernel: none.clh: cannot be opened: No such file or directory; want a readable "
     "kernel fragment"},
    {"\n\"control\": {\"kernel\": \"model.json\"}", "",
     "s.json:3:23: method.step.control.kernel: model.json defines no control_begin; want control_begin, control_step "
     "(docs/controllers.md)"},
    {"\n\"control\": {\"kernel\": \"beyond.clh\"}", "",
     "s.json:3:23: method.step.control.kernel: beyond.clh:2: #include is refused: what a fragment does has to follow "
     "from its text; want it written out"},
    {"\n\"control\": {\"kernel\": \"a*/b.clh\"}", "",
     "s.json:3:23: method.step.control.kernel: a*/b.clh: cannot name a fragment; want a path without \", \\, */ and "
     "line breaks"},
    {"\n\"control\": {\"kernel\": \"a\\nb.clh\"}", "",
     "s.json:3:23: method.step.control.kernel: a?b.clh: cannot name a fragment; want a path without \", \\, */ and "
     "line breaks"},
    {"\n\"control\": {\"kernel\": \"a\\\"b.clh\"}", "",
     "s.json:3:23: method.step.control.kernel: a\"b.clh: cannot name a fragment; want a path without \", \\, */ and "
     "line breaks"},
    {"\n\"control\": {\"memory\": 1}", "", "s.json:3:12: method.step.control: missing key \"kernel\"; want a string"},
    {"\n\"control\": {\"kernel\": \"own.clh\", \"memory\": 65}", "",
     "s.json:3:44: method.step.control.memory: found 65; want an integer from 0 to 64"},
    {"\n\"control\": {\"kernel\": \"own.clh\", \"passes\": 1}", "",
     "s.json:3:34: method.step.control.passes: unknown key; want one of: kernel, memory"},
    {"\"size\": 1", "{\"name\": \"x\", \"path\": \"method.step.control\", \"linspace\": [0, 1, 2]}",
     "s.json:4:55: axes[0].linspace: control takes no numbers; want \"values\" with some of: fixed, pi_defect, "
     "pi_ecco, "
     "threshold, richardson, cycle, {\"label\": text, \"value\": {\"kernel\": file}}"},
    {ECCO "\"bonds\": [" AB "]", "{\"name\": \"bond\", \"path\": \"parameters.p\", \"values\": [1]}",
     "s.json:4:19: axes[0].name: \"bond\" is already the name of a signal dimension; want another name"},
};

Test(control_lists, mistakes_are_named) {
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    struct cs_sweep *wrong = NULL;
    sweep_case_compose_step(mistakes[i].step, "", mistakes[i].axes);
    sweep_case_write("beyond.clh", "/* control_begin */\n#include \"control_step.h\"\n");
    cr_expect_eq(cs_sweep_load("s.json", NULL, 0, &wrong, &error), CS_INPUT, "accepted: %s", mistakes[i].step);
    cr_expect_str_eq(error.message, mistakes[i].message);
    cs_sweep_free(wrong);
  }
}
