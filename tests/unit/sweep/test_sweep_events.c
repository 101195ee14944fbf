/* Events and modes in sweep files: what they mean, and what is said about wrong ones. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep_case.h"

#define HEAD                                                                                                       \
  "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"parameters\": {\"p\": 1, \"q\": 2},\n \"subsystems\": [\n" \
  "  {\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"                          \
  "   \"A\": [[\"-1/p\"]], \"B\": [[1]], \"C\": [[1]]"
#define MIDDLE                                                                              \
  "},\n  {\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"]," \
  "\n   \"A\": [[\"-q\"]], \"B\": [[1]], \"C\": [[1]]"
#define TAIL                                                                                   \
  "}],\n \"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": " \
  "\"a.u\"}],\n \"events\": ["
#define TICK "{\"name\": \"tick\", \"t\": 0.5, \"add\": {\"a.x\": 1}}"
#define HIT                                                                                                      \
  "{\"name\": \"hit\", \"in\": {\"a\": \"stick\"}, \"when\": {\"a\": [{\"terms\": {\"x\": 1}, \"above\": 1}]}, " \
  "\"to\": {\"a\": \"slip\"}}"
#define DROP "{\"name\": \"drop\", \"when\": {\"b\": [{\"terms\": {\"x\": 1}, \"below\": -1}]}, \"set\": {\"b.x\": 0}}"
#define MODES ", \"modes\": [{\"name\": \"stick\"}, {\"name\": \"slip\", \"A\": [[-2]]}, {\"name\": \"gone\"}]"

/* Without events; with a time event; with two state events around it, one of which changes a mode of a. */
static const char without[] = HEAD MIDDLE TAIL "]}", timed[] = HEAD MIDDLE TAIL TICK "]}",
                  whole[] = HEAD MODES MIDDLE TAIL HIT ", " TICK ", " DROP "]}";

static struct cs_sweep *sweep;
static struct cs_settings settings;
static struct cs_error error;

static void tear_down(void) {
  cs_settings_free(&settings);
  cs_sweep_free(sweep);
  sweep_case_close();
}

TestSuite(sweep_events, .init = sweep_case_open, .fini = tear_down);

static void load(const char *model, const char *method, const char *axes, const char *rest) {
  sweep_case_write("model.json", model);
  sweep = sweep_case_load(method, axes, rest);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 0, &settings);
}

/* ---- what is said about wrong ones */

#define EVENT_KEYS "detect, reset, interruption, grid, first, horizon, restart, window, at_once, max, table"
#define GAUSS "\"master\": \"gauss_seidel\", "
#define USER "\"master\": {\"kernel\": \"user.clh\"}, "
#define EVENTS(members) "\"events\": {" members "}"
#define AXIS(path, values) "{\"name\": \"z\", \"path\": \"" path "\", \"values\": [" values "]}"
#define NO_STATE_EVENTS "has no effect without state events; want none, or a model with state events"
#define NO_EVENTS "has no effect without events; want none, or a model with events"

/* Members of method (line 3), axes (line 5) and the sweep (line 6). */
static const struct {
  const char *model, *method, *axes, *rest, *message;
} wrong[] = {
    /* keys and values */
    {whole, EVENTS("\"detekt\": \"all\""), "", "",
     "s.json:3:12: method.events.detekt: unknown key; did you mean \"detect\"? want one of: " EVENT_KEYS},
    {whole, "\"events\": []", "", "", "s.json:3:11: method.events: found a list; want an object"},
    {whole, EVENTS("\"detect\": \"some\""), "", "",
     "s.json:3:22: method.events.detect: unknown detect \"some\"; want one of: all, first, points"},
    {whole, EVENTS("\"reset\": 1"), "", "",
     "s.json:3:21: method.events.reset: found a number; want one of: joint, extrapolated"},
    {whole, EVENTS("\"grid\": \"kept\""), "", "",
     "s.json:3:20: method.events.grid: unknown grid \"kept\"; did you mean \"keep\"? want one of: restart, keep"},
    {whole, EVENTS("\"first\": \"model\""), "", "",
     "s.json:3:21: method.events.first: unknown first \"model\"; want one of: sequence, predicted, parallel"},
    {whole, EVENTS("\"interruption\": -1"), "", "",
     "s.json:3:28: method.events.interruption: found -1; want a number >= 0"},
    {whole, GAUSS EVENTS("\"first\": \"predicted\", \"horizon\": -1"), "", "",
     "s.json:3:71: method.events.horizon: found -1; want a number >= 0"},
    {whole, EVENTS("\"restart\": \"auto\""), "", "",
     "s.json:3:23: method.events.restart: unknown restart \"auto\"; want a number > 0, or \"none\""},
    {whole, EVENTS("\"restart\": 0"), "", "",
     "s.json:3:23: method.events.restart: found 0; want a number > 0, or \"none\""},
    {whole, EVENTS("\"window\": 0"), "", "",
     "s.json:3:22: method.events.window: found 0; want a number > 0, or \"auto\""},
    {whole, EVENTS("\"at_once\": 0"), "", "",
     "s.json:3:23: method.events.at_once: found 0; want an integer from 1 to 9007199254740992"},
    {whole, EVENTS("\"max\": 1.5"), "", "",
     "s.json:3:19: method.events.max: found 1.5; want an integer from 1 to 9007199254740992"},
    {whole, EVENTS("\"table\": 1001"), "", "",
     "s.json:3:21: method.events.table: found 1001; want an integer from 0 to 1000"},
    {whole, "", AXIS("method.events.detect", "\"some\""), "",
     "s.json:5:58: axes[0].values[0]: unknown detect \"some\"; want one of: all, first, points"},
    {whole, "", AXIS("method.events.window", "\"auto\""), "",
     "s.json:5:58: axes[0].values[0]: found a string; want a number"},
    {whole, "", AXIS("method.events.max", "1.5"), "", "s.json:5:55: axes[0].values[0]: found 1.5; want an integer"},
    /* of models with events, with state events */
    {without, EVENTS("\"grid\": \"keep\""), "", "", "s.json:3:12: method.events.grid: " NO_EVENTS},
    {without, EVENTS("\"interruption\": 1"), "", "", "s.json:3:12: method.events.interruption: " NO_EVENTS},
    {without, EVENTS("\"restart\": 1"), "", "", "s.json:3:12: method.events.restart: " NO_EVENTS},
    {without, "", AXIS("method.events.grid", "\"keep\""), "",
     "s.json:5:23: axes[0].path: path \"method.events.grid\" " NO_EVENTS},
    {timed, EVENTS("\"detect\": \"all\""), "", "", "s.json:3:12: method.events.detect: " NO_STATE_EVENTS},
    {timed, EVENTS("\"reset\": \"joint\""), "", "", "s.json:3:12: method.events.reset: " NO_STATE_EVENTS},
    {timed, EVENTS("\"first\": \"sequence\""), "", "", "s.json:3:12: method.events.first: " NO_STATE_EVENTS},
    {timed, EVENTS("\"horizon\": 1"), "", "", "s.json:3:12: method.events.horizon: " NO_STATE_EVENTS},
    {timed, EVENTS("\"window\": 1"), "", "", "s.json:3:12: method.events.window: " NO_STATE_EVENTS},
    {timed, EVENTS("\"at_once\": 1"), "", "", "s.json:3:12: method.events.at_once: " NO_STATE_EVENTS},
    {timed, EVENTS("\"max\": 1"), "", "", "s.json:3:12: method.events.max: " NO_STATE_EVENTS},
    {timed, EVENTS("\"table\": 1"), "", "", "s.json:3:12: method.events.table: " NO_STATE_EVENTS},
    {timed, "", AXIS("method.events.window", "1"), "",
     "s.json:5:23: axes[0].path: path \"method.events.window\" " NO_STATE_EVENTS},
    {timed, "", "{\"name\": \"z\", \"zip\": {\"method.events.max\": [1]}}", "",
     "s.json:5:23: axes[0].zip.method.events.max: path \"method.events.max\" " NO_STATE_EVENTS},
    {whole, "", AXIS("method.events.table", "1"), "",
     "s.json:5:23: axes[0].path: path \"method.events.table\" is one number of the whole sweep; want one of: "},
    /* combinations */
    {whole, EVENTS("\"detect\": \"first\""), "", "",
     "s.json:3:22: method.events.detect: detect first needs a sequence of subsystems, which master jacobi has not; "
     "want master gauss_seidel, or detect all or points"},
    {whole, EVENTS("\"first\": \"predicted\""), "", "",
     "s.json:3:21: method.events.first: first predicted needs a sequence of subsystems, which master jacobi has not; "
     "want master gauss_seidel, or first sequence"},
    {whole, USER EVENTS("\"detect\": \"first\""), "", "",
     "s.json:3:56: method.events.detect: detect first needs a sequence of subsystems, which a user-defined master has "
     "not; want master gauss_seidel, or detect all or points"},
    {whole, USER EVENTS("\"first\": \"predicted\""), "", "",
     "s.json:3:55: method.events.first: first predicted needs a sequence of subsystems, which a user-defined master "
     "has not; want master gauss_seidel, or first sequence"},
    {whole, "",
     AXIS("method.events.detect", "\"all\", \"first\"") ",\n{\"name\": \"m\", \"path\": \"method.master\", \"values\": "
                                                        "[\"jacobi\", \"gauss_seidel\"]}",
     "",
     "s.json:5:23: axes[0].path: detect first needs a sequence of subsystems, which master jacobi has not; want "
     "master gauss_seidel, or detect all or points, or the combination in \"skip\" (z=first, m=jacobi)"},
    {whole, GAUSS "\"iterations\": 1, " EVENTS("\"first\": \"predicted\""), "", "",
     "s.json:3:64: method.events.first: first predicted has no meaning with iterations; want iterations 0, or first "
     "sequence"},
    {whole, EVENTS("\"horizon\": 1"), "", "",
     "s.json:3:12: method.events.horizon: has no effect without first predicted or parallel; want none, or one "
     "of these"},
    {whole, "", AXIS("method.events.horizon", "1"), "",
     "s.json:5:23: axes[0].path: path \"method.events.horizon\" has no effect without first predicted or parallel; "
     "want none, or one of these"},
    {whole, EVENTS("\"restart\": 1"), "", "",
     "s.json:3:12: method.events.restart: has no effect with control fixed; want none, or another control"},
    {timed, "", AXIS("method.events.restart", "1"), "",
     "s.json:5:23: axes[0].path: path \"method.events.restart\" has no effect with control fixed; want none, or "
     "another control"},
    {whole, "\"engine\": \"double\"", "", "",
     "s.json:3:11: method.engine: engine double knows no events, which the model has; want engine auto or step"},
    /* modes */
    {whole, "", "", "\"modes\": []", "s.json:6:10: modes: found a list; want an object"},
    {whole, "", "", "\"modes\": {\"c\": \"stick\"}", "s.json:6:11: modes.c: unknown subsystem \"c\"; want one of: a"},
    {whole, "", "", "\"modes\": {\"b\": \"stick\"}", "s.json:6:11: modes.b: subsystem b has no modes; want one of: a"},
    {timed, "", "", "\"modes\": {\"a\": \"stick\"}",
     "s.json:6:11: modes.a: subsystem a has no modes; want none, the model has no modes"},
    {whole, "", "", "\"modes\": {\"a\": \"stuck\"}",
     "s.json:6:16: modes.a: unknown mode \"stuck\" of a; did you mean \"stick\"? want one of: stick, slip, gone"},
    {whole, "", "", "\"modes\": {\"a\": 1}", "s.json:6:16: modes.a: found a number; want one of: stick, slip, gone"},
    {whole, "", AXIS("modes.b", "\"stick\""), "",
     "s.json:5:23: axes[0].path: subsystem b has no modes; want one of: a"},
    {whole, "", AXIS("modes.c", "\"stick\""), "", "s.json:5:23: axes[0].path: unknown subsystem \"c\"; want one of: a"},
    {whole, "", AXIS("modes.a", "\"stick\", \"stuck\""), "",
     "s.json:5:54: axes[0].values[1]: unknown mode \"stuck\" of a; did you mean \"stick\"? want one of: stick, slip, "
     "gone"},
    {whole, "", "{\"name\": \"z\", \"path\": \"modes.a\", \"linspace\": [0, 1, 2]}", "",
     "s.json:5:34: axes[0].linspace: a takes no numbers; want \"values\" with some of: stick, slip, gone"},
    /* metrics */
    {timed, "", "", "\"metrics\": [\"rollbacks\"]",
     "s.json:6:13: metrics[0]: \"rollbacks\" is not available: the model has no state events; want one of: "},
    {timed, "", "", "\"metrics\": [\"state_error_between\"]",
     "s.json:6:13: metrics[0]: \"state_error_between\" is not available: the model has no state events; want one of: "},
    {whole, "", "", "\"metrics\": [\"local_error\"]",
     "s.json:6:13: metrics[0]: \"local_error\" is not available: the model has state events, or events with modes, "
     "forms or settings of method.events; want one of: "},
    {whole, "", "", "\"metrics\": [\"local_error_estimate\"]",
     "s.json:6:13: metrics[0]: \"local_error_estimate\" is not available: the model has state events, or events with "
     "modes, forms or settings of method.events; want one of: "},
    {whole, "", "", "\"metrics\": [\"spectral_radius\"]",
     "s.json:6:13: metrics[0]: \"spectral_radius\" is available in study stability only: the model has state events, "
     "or "
     "events with modes, forms or settings of method.events; want one of: "},
    {whole, "", "", "\"metrics\": [\"sequence_changes\"]",
     "s.json:6:13: metrics[0]: \"sequence_changes\" is not available: no run has first predicted; want one of: "},
    {whole, GAUSS EVENTS("\"first\": \"predicted\""), "", "\"metrics\": [\"parallel_steps\"]",
     "s.json:6:13: metrics[0]: \"parallel_steps\" is not available: no run has first parallel; want one of: "},
    {whole, EVENTS("\"first\": \"parallel\""), "", "",
     "s.json:3:21: method.events.first: first parallel needs a sequence of subsystems, which master jacobi has not; "
     "want master gauss_seidel, or first sequence"},
    {whole, EVENTS("\"table\": 0"), "", "\"metrics\": [\"event_time\"]",
     "s.json:6:13: metrics[0]: \"event_time\" is not available: method.events.table is 0; want one of: "},
};

/* The message, or its beginning where that ends with the list of all that is wanted. */
Test(sweep_events, wrong_members) {
  sweep_case_write("user.clh", "void master_step(void) {}\nvoid master_exchange(void) {}\n");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const size_t length = strlen(wrong[i].message);
    const bool listed = wrong[i].message[length - 1] == ' ';
    sweep_case_write("model.json", wrong[i].model);
    sweep_case_compose(wrong[i].method, wrong[i].axes, wrong[i].rest);
    cr_expect_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_INPUT, "row %zu", i);
    if (listed) error.message[length] = '\0';
    cr_expect_str_eq(error.message, wrong[i].message, "row %zu: %s", i, error.message);
  }
  remove("user.clh");
}

Test(sweep_events, controls_that_change_steps_keep_no_grid) {
  static const char step[] = "\"control\": \"pi_defect\", \"initial\": 0.1, \"tolerance\": 0.1";
  sweep_case_write("model.json", timed);
  sweep_case_compose_step(step, EVENTS("\"grid\": \"keep\""), "");
  cr_expect_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_INPUT);
  cr_expect_str_eq(
      error.message,
      "s.json:3:12: method.events.grid: has no effect with control pi_defect; want none, or control fixed");
  sweep_case_compose_step(step, EVENTS("\"restart\": 0.25"), "");
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 0, &settings);
  cr_expect_eq(settings.event[CS_EVENT_RESTART], 0.25);
}

/* ---- what they mean */

static void expect_numbers(double interruption, double horizon, double restart, double window, double at_once,
                           double most) {
  const double want[CS_EVENT_NUMBERS] = {[CS_EVENT_INTERRUPTION] = interruption, [CS_EVENT_HORIZON] = horizon,
                                         [CS_EVENT_RESTART] = restart,           [CS_EVENT_WINDOW] = window,
                                         [CS_EVENT_AT_ONCE] = at_once,           [CS_EVENT_MOST] = most};
  for (int i = 0; i < CS_EVENT_NUMBERS; i++)
    cr_expect_eq(settings.event[i], want[i], "number %d: %g", i, settings.event[i]);
}

static void expect_words(int detect, int reset, int grid, int first) {
  const struct cs_method *m = &settings.method;
  cr_expect(m->detect == detect && m->reset == reset && m->grid == grid && m->first == first, "%d %d %d %d", m->detect,
            m->reset, m->grid, m->first);
}

Test(sweep_events, defaults) {
  load(whole, "", "", "");
  expect_words(CS_DETECT_ALL, CS_RESET_JOINT, CS_GRID_RESTART, CS_FIRST_SEQUENCE);
  expect_numbers(0, 1.5, INFINITY, 1.0 / 50, 32, 10000);
  cr_expect_eq(sweep->table, 16);
  cr_expect_eq(sweep->starts, 1);
  cr_expect_eq(settings.mode[0], sweep->model->subsystem[0].first_mode);
  cr_expect_eq(settings.mode[1], SIZE_MAX);
  cr_expect_eq(sweep->start[0], settings.mode[0]);
  cr_expect_eq(sweep->start[1], SIZE_MAX);
}

Test(sweep_events, settings_are_those_given) {
  load(
      whole,
      GAUSS EVENTS("\"detect\": \"first\", \"reset\": \"extrapolated\", \"grid\": \"keep\", \"first\": \"predicted\", "
                   "\"interruption\": 1e-4, \"horizon\": 2, \"window\": 0.2, \"at_once\": 5, \"max\": 7, \"table\": 3"),
      "", "\"modes\": {\"a\": \"gone\"}");
  expect_words(CS_DETECT_FIRST, CS_RESET_EXTRAPOLATED, CS_GRID_KEEP, CS_FIRST_PREDICTED);
  expect_numbers(1e-4, 2, INFINITY, 0.2, 5, 7);
  cr_expect_eq(sweep->table, 3);
  cr_expect_str_eq(sweep->model->mode[settings.mode[0]].name, "gone");
  struct cs_text text = {0};
  cs_sweep_describe_method(sweep, &settings.method, &text);
  cr_expect_not_null(strstr(text.data, ", detect first, reset extrapolated, grid keep, first predicted"), "%s",
                     text.data);
  cs_text_free(&text);
}

Test(sweep_events, axes_of_numbers_and_modes_select_no_kernel) {
  load(whole, "",
       AXIS("modes.a", "\"gone\", \"slip\"") ",\n{\"name\": \"w\", \"path\": \"method.events.window\", \"values\": "
                                             "[0.1, 0.2, 0.3]},\n{\"name\": \"T\", \"path\": \"t_end\", "
                                             "\"values\": [1, 2]}",
       "");
  struct cs_settings other;
  cr_assert_eq(cs_settings_new(sweep, &other, &error), CS_OK);
  cs_settings_of(sweep, 11, &other);
  cr_expect(cs_method_equal(sweep->model->subsystems, &settings.method, &other.method));
  cr_expect_eq(settings.event[CS_EVENT_WINDOW], 0.1);
  cr_expect_eq(other.event[CS_EVENT_WINDOW], 0.3);
  const struct cs_mode *mode = sweep->model->mode;
  cr_expect_str_eq(mode[settings.mode[0]].name, "gone");
  cr_expect_str_eq(mode[other.mode[0]].name, "slip");
  cr_expect_eq(sweep->starts, 2);
  cr_expect_str_eq(mode[sweep->start[0]].name, "gone");
  cr_expect_str_eq(mode[sweep->start[2]].name, "slip");
  cr_expect_eq(sweep->start[3], SIZE_MAX);
  cs_settings_free(&other);
}

/* Modes that several values of an axis share are one start. */
Test(sweep_events, starts_are_distinct) {
  load(whole, "",
       "{\"name\": \"z\", \"zip\": {\"modes.a\": [\"gone\", \"slip\", \"gone\"], \"parameters.p\": [1, 2, 3]}}", "");
  cr_assert_eq(sweep->starts, 2);
  cr_expect_str_eq(sweep->model->mode[sweep->start[0]].name, "gone");
  cr_expect_str_eq(sweep->model->mode[sweep->start[2]].name, "slip");
  cs_settings_of(sweep, 2, &settings);
  cr_expect_eq(settings.mode[0], sweep->start[0]);
}

/* Two subsystems of nine modes each. */
Test(sweep_events, starts_are_limited) {
  struct cs_text modes = {0}, names = {0}, model = {0}, axes = {0};
  for (int i = 0; i < 9; i++) {
    cs_text_add(&modes, "%s{\"name\": \"m%d\"}", i > 0 ? ", " : "", i);
    cs_text_add(&names, "%s\"m%d\"", i > 0 ? ", " : "", i);
  }
  cs_text_add(&model, HEAD ", \"modes\": [%s]" MIDDLE ", \"modes\": [%s]" TAIL "]}", modes.data, modes.data);
  cs_text_add(&axes, "{\"name\": \"i\", \"path\": \"modes.b\", \"values\": [%s]},\n" AXIS("modes.a", "%s"), names.data,
              names.data);
  sweep_case_write("model.json", model.data);
  sweep_case_compose("", axes.data, "");
  cr_expect_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_INPUT);
  cr_expect_str_eq(error.message,
                   "s.json:6:23: axes[1].path: runs begin in 81 configurations of modes; want at most 64");
  cs_text_free(&modes);
  cs_text_free(&names);
  cs_text_free(&model);
  cs_text_free(&axes);
}

/* The window follows t_end unless it is given. */
Test(sweep_events, the_window_is_a_part_of_the_run) {
  load(whole, "", "{\"name\": \"T\", \"path\": \"t_end\", \"values\": [1, 5]}", "");
  cs_settings_of(sweep, 1, &settings);
  cr_expect_eq(settings.event[CS_EVENT_WINDOW], 0.1);
}

/* Without search no event ends a step inside, so that `reset` selects nothing. */
Test(sweep_events, points_alone_have_one_reset) {
  load(whole, EVENTS("\"detect\": \"points\""), AXIS("method.events.reset", "\"joint\", \"extrapolated\""), "");
  cs_settings_of(sweep, 1, &settings);
  cr_expect_eq(settings.method.reset, CS_RESET_JOINT);
}

/* Numbers on axes are judged run by run. */
Test(sweep_events, runs_with_wrong_numbers_are_invalid) {
  static const struct {
    const char *path, *reason;
  } rows[] = {{"interruption", "method.events.interruption -1 is below 0"},
              {"window", "method.events.window -1 is not above 0"},
              {"at_once", "method.events.at_once -1 is below 1"},
              {"max", "method.events.max -1 is below 1"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cs_text axis = {0}, reason = {0};
    cs_text_add(&axis, AXIS("method.events.%s", "1, -1"), rows[i].path);
    load(whole, "", axis.data, "");
    cr_expect(cs_settings_check(sweep, &settings, CS_SIMULATION, &reason), "%s", reason.data);
    cs_settings_of(sweep, 1, &settings);
    cr_expect(!cs_settings_check(sweep, &settings, CS_SIMULATION, &reason));
    cr_expect_str_eq(reason.data, rows[i].reason);
    cs_text_free(&axis);
    cs_text_free(&reason);
    cs_settings_free(&settings);
    cs_sweep_free(sweep);
    sweep = NULL;
  }
}

static void expect_round_trip(void) {
  struct cs_text first = {0}, second = {0};
  struct cs_sweep *again = NULL;
  cs_sweep_print(sweep, &first);
  sweep_case_write("printed.json", first.data);
  cr_assert_eq(cs_sweep_load("printed.json", NULL, 0, &again, &error), CS_OK, "%s", error.message);
  cs_sweep_print(again, &second);
  cr_expect_str_eq(first.data, second.data);
  cs_text_free(&first);
  cs_text_free(&second);
  cs_sweep_free(again);
}

static void expect_printed(const char *part, bool there) {
  struct cs_text text = {0};
  cs_sweep_print(sweep, &text);
  cr_expect_eq(strstr(text.data, part) != NULL, there, "%s in\n%s", part, text.data);
  cs_text_free(&text);
}

Test(sweep_events, printed_with_every_default) {
  static const char *const parts[] = {"\"detect\": \"all\"",     "\"reset\": \"joint\"", "\"interruption\": 0",
                                      "\"grid\": \"restart\"",   "\"window\": \"auto\"", "\"at_once\": 32",
                                      "\"first\": \"sequence\"", "\"max\": 10000",       "\"table\": 16",
                                      "\"a\": \"stick\""};
  load(whole, "", "", "");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    expect_printed(parts[i], true);
  expect_printed("horizon", false);
  expect_printed("\"restart\":", false);
  expect_round_trip();
}

Test(sweep_events, printed_as_far_as_they_have_a_meaning) {
  load(timed, "", "", "");
  expect_printed("\"grid\": \"restart\"", true);
  expect_printed("\"interruption\": 0", true);
  expect_printed("detect", false);
  expect_printed("modes", false);
  expect_round_trip();
}

Test(sweep_events, nothing_is_printed_without_events) {
  load(without, "", "", "");
  expect_printed("events", false);
  expect_printed("modes", false);
}

Test(sweep_events, printed_axes_of_modes_read_back) {
  load(whole, EVENTS("\"table\": 0"), AXIS("modes.a", "\"gone\", \"slip\""), "");
  expect_printed("\"a\": \"stick\"", false);
  expect_round_trip();
}

/* ---- metrics */

Test(sweep_events, default_metrics_of_models_with_state_events) {
  load(whole, "", "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2]}",
       "\"fits\": [{\"along\": \"H\"}]");
  for (int m = 0; m < CS_METRICS; m++) {
    const struct cs_metric_info *info = &cs_metric_table[m];
    const bool other = info->over == CS_OVER_MONITOR || info->study != CS_SIMULATION || info->on_request;
    cr_expect_eq(sweep->metric[m], !other, "%s", info->name);
    cr_expect_eq(sweep->fit[0].metric[m], !other && info->fitted, "%s", info->name);
  }
  cr_expect_eq(cs_sweep_signals(sweep, CS_OVER_EVENT), 2);
  cr_expect_str_eq(cs_model_signal_name(sweep->model, CS_OVER_EVENT, 0), "hit");
  cr_expect_str_eq(cs_model_signal_name(sweep->model, CS_OVER_EVENT, 1), "drop");
  cr_expect_eq(cs_sweep_signals(sweep, CS_OVER_OCCURRENCE), 16);
}

Test(sweep_events, metrics_on_request) {
  load(whole, GAUSS EVENTS("\"first\": \"predicted\", \"table\": 2"), "",
       "\"metrics\": [\"sequence_changes\", \"event_time\", \"exact_event_kind\", \"event_time_error_first\"]");
  for (int m = 0; m < CS_METRICS; m++)
    cr_expect_eq(
        sweep->metric[m],
        m == CS_SEQUENCE_CHANGES || m == CS_EVENT_TIMES || m == CS_EXACT_EVENT_KINDS || m == CS_EVENT_TIME_ERROR_FIRST,
        "%s", cs_metric_table[m].name);
  cr_expect_eq(cs_metric_type(CS_EVENT_TIMES), CS_FLOAT64);
  cr_expect_eq(cs_metric_type(CS_EXACT_EVENT_KINDS), CS_INT64);
  cr_expect_eq(cs_metric_type(CS_EVENTS), CS_INT64);
  cr_expect_eq(cs_sweep_signals(sweep, CS_OVER_OCCURRENCE), 2);
}

/* Study stability looks at the modes that runs begin in. */
Test(sweep_events, stability_of_modes) {
  sweep_case_write("model.json", whole);
  sweep_case_write("s.json",
                   "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"study\": "
                   "\"stability\", \"method\": {\"step\": {\"size\": 0.1}}, \"axes\": [" AXIS(
                       "modes.a", "\"stick\", \"slip\"") "]}");
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_expect(sweep->metric[CS_SPECTRAL_RADIUS]);
  cr_expect_eq(sweep->starts, 2);
  expect_printed("events", false);
  expect_round_trip();
}
