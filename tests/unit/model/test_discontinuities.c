/* State events, modes, shared events, forms: what is read, and what is refused. */
#include "patched.h"

/* Two subsystems that share a collision, `hit`, and `loop`, which is the same for both only where b is in mode on:
 * there g = 3 v_a + h and h = 2 v_b + w g, so that g = 6 v_a + 4 v_b. */
static const char good[] =
    "{'format': 'cosweep-model/1', 'name': 'net', 'parameters': {'k': 4, 'w': 0.5},\n"
    " 'subsystems': [\n"
    "  {'name': 'b', 'states': ['x', 'v'], 'inputs': ['xa', 'va', 'g'], 'outputs': ['x', 'v', 'h'],\n"
    "   'A': [[0, 1], ['-k', 0]], 'B': [[0, 0, 0], [0, 0, 0]], 'C': [[1, 0], [0, 1], [0, 2]],\n"
    "   'modes': [{'name': 'off', 'description': 'no loop'}, {'name': 'on', 'D': [[0, 0, 0], [0, 0, 0], [0, 0, "
    "'w']]}]},\n"
    "  {'name': 'a', 'states': ['x', 'v', 'z'], 'inputs': ['xb', 'vb', 'v'], 'outputs': ['x', 'v', 'g'],\n"
    "   'A': [[0, 1, 0], [0, 0, 0], [0, 0, 0]], 'B': [[0, 0, 0], [0, 0, 0], [0, 0, 0]],\n"
    "   'C': [[1, 0, 0], [0, 1, 0], [0, 3, 0]], 'D': [[0, 0, 0], [0, 0, 0], [0, 0, 1]],\n"
    "   'modes': [{'name': 'slip'}, {'name': 'rest'},\n"
    "             {'name': 'stick', 'A': [[0, 0, 0], [0, 0, 0], [0, 0, 0]], 'e': [0, 'k', 0]}]},\n"
    "  {'name': 'c', 'states': ['q'], 'A': [[0]]}],\n"
    " 'connections': [{'from': 'b.x', 'to': 'a.xb'}, {'from': 'b.v', 'to': 'a.vb'}, {'from': 'b.h', 'to': 'a.v'},\n"
    "  {'from': 'a.x', 'to': 'b.xa'}, {'from': 'a.v', 'to': 'b.va'}, {'from': 'a.g', 'to': 'b.g'}],\n"
    " 'events': [\n"
    "  {'name': 'hit', 'in': {'a': ['slip', 'rest']},\n"
    "   'when': {'a': [{'terms': {'x.x': -1, 'xb': 1}, 'above': '-1/k'}, {'terms': {'x.v': -1, 'vb': 1}, 'above': "
    "0}],\n"
    "            'b': [{'terms': {'xa': 1, 'y.x': -1}, 'below': '1/k'}, {'terms': {'va': 1, 'x.v': -1}, 'below': "
    "0}]},\n"
    "   'set': {'a.v': {'terms': {'vb': 'k', 'y.v': -1}, 'constant': 2}, 'b.v': {'terms': {'h': 1}}}, 'to': {'b': "
    "'on'}},\n"
    "  {'name': 'tick', 't': 'k', 'in': {'b': 'on'}, 'add': {'a.z': {'terms': {'z': 1}}, 'c.q': 0}, 'to': {'a': "
    "'stick'}},\n"
    "  {'name': 'loop', 'in': {'b': 'on'}, 'when': {'b': [{'terms': {'g': 1}, 'above': 7}],\n"
    "   'a': [{'terms': {'x.v': 6, 'vb': 4}, 'above': 7}]}, 'set': {'b.x': 0}}]}\n";

static struct cs_model *model;
static struct cs_error error;

static int read_patched(const char *from, const char *to) {
  return read_patched_text(good, from, to, &model, &error);
}

static void tear_down(void) {
  cs_model_free(model);
}

TestSuite(discontinuities, .fini = tear_down);

enum { B, A, C };
enum { OFF, ON, SLIP, REST, STICK };

static void load_good(void) {
  cr_assert_eq(read_patched("net", "net"), CS_OK, "%s", error.message);
}

/* ---- what is read */

Test(discontinuities, modes_are_read) {
  load_good();
  cr_assert_eq(model->modes, 5);
  cr_expect_eq(model->subsystem[B].modes, 2);
  cr_expect_eq(model->subsystem[A].modes, 3);
  cr_expect_eq(model->subsystem[A].first_mode, SLIP);
  cr_expect_eq(model->subsystem[C].modes, 0);
  cr_expect_str_eq(model->mode[OFF].description, "no loop");
  cr_expect_str_eq(model->mode[STICK].name, "stick");
  cr_expect_eq(model->mode[STICK].subsystem, A);
}

static void expect_numbers(enum cs_matrix matrix, const size_t *mode, const double *want) {
  double parameters[2], numbers[36];
  const struct cs_entries *entries = &model->matrix[matrix];
  cr_assert_eq(cs_model_parameters(model, NULL, NULL, parameters, &error), CS_OK, "%s", error.message);
  cr_assert_leq(entries->rows * entries->columns, sizeof numbers / sizeof *numbers);
  cr_assert_eq(cs_model_numbers(model, matrix, mode, parameters, numbers, &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < entries->rows * entries->columns; i++)
    cr_expect_eq(numbers[i], want[i], "matrix %d, number %zu: %g", matrix, i, numbers[i]);
}

Test(discontinuities, modes_have_matrices_of_their_own_or_the_subsystems) {
  const size_t stick[] = {OFF, STICK, 0}, rest[] = {ON, REST, 0};
  const double free_A[36] = {[1] = 1, [6] = -4, [15] = 1}, stuck_A[36] = {[1] = 1, [6] = -4};
  const double off_D[36] = {[35] = 1}, on_D[36] = {[14] = 0.5, [35] = 1};
  load_good();
  expect_numbers(CS_A, NULL, free_A);
  expect_numbers(CS_A, rest, free_A);
  expect_numbers(CS_A, stick, stuck_A);
  expect_numbers(CS_E, NULL, (double[6]){0});
  expect_numbers(CS_E, rest, (double[6]){0});
  expect_numbers(CS_E, stick, (double[6]){[3] = 4});
  expect_numbers(CS_D, NULL, off_D);
  expect_numbers(CS_D, stick, off_D);
  expect_numbers(CS_D, rest, on_D);
}

Test(discontinuities, entries_of_modes_are_sorted) {
  load_good();
  for (int m = 0; m < CS_MATRICES; m++) {
    for (size_t i = 1; i < model->matrix[m].count; i++) {
      const struct cs_entry *a = &model->matrix[m].entry[i - 1], *b = a + 1;
      const bool same = a->row == b->row && a->column == b->column;
      cr_expect(a->row < b->row || (a->row == b->row && a->column < b->column) || (same && a->mode < b->mode),
                "matrix %d, entry %zu", m, i);
    }
  }
  const struct cs_entries *a = &model->matrix[CS_A], *d = &model->matrix[CS_D];
  cr_assert_eq(a->count, 4, "two of b for all times, and one of a for each mode in which it moves");
  cr_expect_eq(a->entry[0].mode, -1);
  cr_expect_eq(a->entry[2].mode, SLIP);
  cr_expect_eq(a->entry[3].mode, REST);
  cr_assert_eq(d->count, 2);
  cr_expect_eq(d->entry[0].mode, ON);
  cr_expect_eq(d->entry[1].mode, -1);
}

Test(discontinuities, events_are_read) {
  static const unsigned char in[3][5] = {{1, 1, 1, 1, 0}, {0, 1, 1, 1, 1}, {0, 1, 1, 1, 1}};
  static const long to[3][3] = {{ON, -1, -1}, {-1, STICK, -1}, {-1, -1, -1}};
  static const struct cs_event want[3] = {{.conditions = 4, .changes = 2},
                                          {.timed = true, .first_condition = 4, .first_change = 2, .changes = 2},
                                          {.first_condition = 4, .conditions = 2, .first_change = 4, .changes = 1}};
  load_good();
  cr_assert_eq(model->events, 3);
  cr_expect_eq(model->state_events, 2);
  for (size_t e = 0; e < 3; e++) {
    const struct cs_event *event = &model->event[e];
    cr_expect_eq(event->timed, want[e].timed);
    cr_expect_eq(event->first_condition, want[e].first_condition);
    cr_expect_eq(event->conditions, want[e].conditions);
    cr_expect_eq(event->first_change, want[e].first_change);
    cr_expect_eq(event->changes, want[e].changes);
    cr_expect_eq(memcmp(event->in, in[e], sizeof in[e]), 0, "in of event %zu", e);
    cr_expect_eq(memcmp(event->to, to[e], sizeof to[e]), 0, "to of event %zu", e);
  }
}

Test(discontinuities, conditions_are_in_the_order_of_the_subsystems) {
  static const struct cs_condition want[] = {{0, B, false}, {0, B, false}, {0, A, true},
                                             {0, A, true},  {2, B, true},  {2, A, true}};
  load_good();
  cr_assert_eq(model->conditions, 6);
  for (size_t i = 0; i < 6; i++) {
    cr_expect_eq(model->condition[i].event, want[i].event);
    cr_expect_eq(model->condition[i].subsystem, want[i].subsystem);
    cr_expect_eq(model->condition[i].above, want[i].above);
  }
  expect_numbers(CS_WHEN_X, NULL, (double[36]){[7] = -1, [14] = -1, [21] = -1, [33] = 6});
  expect_numbers(CS_WHEN_U, NULL, (double[36]){[0] = 1, [7] = 1, [15] = 1, [22] = 1, [26] = 1, [34] = 4});
  expect_numbers(CS_WHEN_Y, NULL, (double[36]){[0] = -1});
  expect_numbers(CS_WHEN_BOUND, NULL, (double[]){0.25, 0, -0.25, 0, 7, 7});
  cr_expect_eq(model->matrix[CS_WHEN_BOUND].count, 4, "a literal 0 is absent");
}

Test(discontinuities, changes_are_forms) {
  static const struct cs_change want[] = {{0, 3, false}, {0, 1, false}, {1, 4, true}, {1, 5, true}, {2, 0, false}};
  load_good();
  cr_assert_eq(model->changes, 5);
  for (size_t i = 0; i < 5; i++) {
    cr_expect_eq(model->change[i].event, want[i].event);
    cr_expect_eq(model->change[i].state, want[i].state);
    cr_expect_eq(model->change[i].adds, want[i].adds);
  }
  expect_numbers(CS_EVENT_SET, NULL, (double[18]){[3] = 2});
  cr_expect_eq(model->matrix[CS_EVENT_SET].count, 3, "also where a form has no constant");
  cr_expect_eq(model->matrix[CS_EVENT_ADD].count, 2);
  expect_numbers(CS_CHANGE_X, NULL, (double[30]){[16] = 1});
  expect_numbers(CS_CHANGE_U, NULL, (double[30]){[4] = 4});
  expect_numbers(CS_CHANGE_Y, NULL, (double[30]){[4] = -1, [8] = 1});
}

Test(discontinuities, good_variations) {
  static const char *const cases[][2] = {
      {"{'va': 1, 'x.v': -1}, 'below': 0", "{'va': '-w/w', 'y.v': 1}, 'above': 0"},
      {"{'va': 1, 'x.v': -1}", "{'va': 1, 'x.v': -1.0000000001}"},
      {"{'va': 1, 'x.v': -1}, 'below': 0", "{'va': 1, 'x.v': -1, 'u.g': 0}, 'below': 'w-w'"},
      {"'set': {'b.x': 0}", "'add': {'b.x': {}}"},
      {"'set': {'b.x': 0}", "'set': {'b.x': {'constant': 'w'}}"},
      {"'set': {'b.x': 0}", "'set': {'b.x': {'terms': {}}}"},
      {"'set': {'b.x': 0}", "'to': {'a': 'rest', 'b': 'off'}"},
      {"'in': {'a': ['slip', 'rest']}", "'in': {'a': ['slip', 'rest', 'stick'], 'b': 'off'}"},
      {"'in': {'a': ['slip', 'rest']}", "'description': 'always'"},
      {"'in': {'a': ['slip', 'rest']}", "'in': {'b': ['off', 'on']}"},    /* one of them is where it leads to */
      {"'in': {'a': ['slip', 'rest']}", "'in': {'a': 'stick'}"},          /* never */
      {"{'g': 1}, 'above': 7}],\n   'a': [{'terms': {'x.v': 6, 'vb': 4}", /* 6 * 0.1 is not quite 0.6 */
       "{'g': 0.1, 'va': -0.6}, 'above': 7}],\n   'a': [{'terms': {'vb': 0.4}"},
      {"'w': 0.5", "'w': 1"}, /* a loop without a solution in mode on */
      {"{'name': 'rest'}", "{'name': 'rest', 'B': [[0, 0, 0], [0, 0, 0], [0, 0, 1]], 'f': [0, 0, 0]}"},
      {"'A': [[0]]}", "'modes': [{'name': 'on', 'A': [[0]]}, {'name': 'off', 'A': [['k']], 'B': [], 'C': []}]}"},
      {"'A': [[0]]}", "'A': [['w']], 'modes': [{'name': 'on', 'A': [[0]]}, {'name': 'off', 'A': [['k']]}]}"},
      {"'A': [[0]]}", "'A': [['w']], 'modes': [{'name': 'on'}, {'name': 'off'}]}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cr_expect_eq(read_patched(cases[i][0], cases[i][1]), CS_OK, "%s: %s", cases[i][1], error.message);
    cs_model_free(model);
    model = NULL;
  }
}

/* ---- what is refused */

Test(discontinuities, bad_modes_events_forms_and_views) {
  static const struct bad cases[] = {
      {"'modes': [{'name': 'off', 'description': 'no loop'}, ", "'modes': [",
       "f:5:13: subsystems[0].modes: found 1 mode; want at least 2"},
      {"'A': [[0]]}", "'A': [[0]], 'modes': []}", "f:11:55: subsystems[2].modes: found 0 modes; want at least 2"},
      {"'A': [[0]]}", "'A': [[0]], 'modes': {}}", "f:11:55: subsystems[2].modes: found an object; want a list"},
      {"{'name': 'rest'}", "{'name': 'slip'}",
       "f:9:41: subsystems[1].modes[1].name: 'slip' is already the name of modes[0]; want different names"},
      {"{'name': 'rest'}", "{'name': 'at rest'}",
       "f:9:41: subsystems[1].modes[1].name: 'at rest' is not a name; want a letter followed by letters, digits or _"},
      {"{'name': 'rest'}", "{}", "f:9:32: subsystems[1].modes[1]: missing key 'name'; want a string"},
      {"{'name': 'rest'}", "'rest'", "f:9:32: subsystems[1].modes[1]: found a string; want an object"},
      {"{'name': 'rest'}", "{'name': 'rest', 'x0': [0, 0, 0]}",
       "f:9:49: subsystems[1].modes[1].x0: unknown key; want one of: name, description, A, B, C, D, e, f"},
      {"{'name': 'rest'}", "{'name': 'rest', 'description': 1}",
       "f:9:64: subsystems[1].modes[1].description: found a number; want a string"},
      {"{'name': 'rest'}", "{'name': 'rest', 'A': [[0, 0, 0]]}",
       "f:9:54: subsystems[1].modes[1].A: number of rows is 1; want 3, one per state"},
      {"{'name': 'rest'}", "{'name': 'rest', 'B': [[0, 0, 0], [0, 0], [0, 0, 0]]}",
       "f:9:66: subsystems[1].modes[1].B[1]: number of entries is 2; want 3, one per input"},
      {"{'name': 'rest'}", "{'name': 'rest', 'C': [[0, 0, 0], [0, 0, 0], [0, 0, 'n']]}",
       "f:9:84: subsystems[1].modes[1].C[2][2]: unknown name 'n' in 'n'; want one of: k, w, pi, sqrt, exp, log, sin, "
       "cos, tan, abs, min, max"},
      {"{'name': 'rest'}", "{'name': 'rest', 'D': 0}", "f:9:54: subsystems[1].modes[1].D: found a number; want a list"},
      {"{'name': 'rest'}", "{'name': 'rest', 'e': [0, 0]}",
       "f:9:54: subsystems[1].modes[1].e: number of entries is 2; want 3, one per state"},
      {"{'name': 'rest'}", "{'name': 'rest', 'f': [0, 0, '1/(k-4)']}",
       "f:9:61: subsystems[1].modes[1].f[2]: division by zero; want a finite number"},
      {"'A': [[0]]}", "'modes': [{'name': 'p', 'A': [[1]]}, {'name': 'q'}]}",
       "f:11:3: subsystems[2]: missing key 'A'; want a 1 x 1 matrix, a row per state and a column per state"},
      {"'A': [[0]]}", "'A': [['n']], 'modes': [{'name': 'p', 'A': [[1]]}, {'name': 'q', 'A': [[2]]}]}",
       "f:11:41: subsystems[2].A[0][0]: unknown name 'n' in 'n'; want one of: k, w, pi, sqrt, exp, log, sin, cos, tan, "
       "abs, min, max"},
      {"'t': 'k', ", "'t': 'k', 'when': {'b': []}, ", "f:19:3: events[1]: found both 't' and 'when'; want one of them"},
      {"'t': 'k', ", "",
       "f:19:3: events[1]: found neither 't' nor 'when'; want 't' (a time event) or 'when' (a state event)"},
      {", 'set': {'b.x': 0}}", "}", "f:20:3: events[2]: the event changes nothing; want 'set', 'add' or 'to'"},
      {"'when': {'b': [{'terms': {'g': 1}, 'above': 7}],\n   'a': [{'terms': {'x.v': 6, 'vb': 4}, 'above': 7}]}",
       "'when': {}", "f:20:47: events[2].when: found no conditions; want at least one subsystem"},
      {"'when': {'b': [{'terms': {'g': 1}, 'above': 7}],\n   'a': [{'terms': {'x.v': 6, 'vb': 4}, 'above': 7}]}",
       "'when': []", "f:20:47: events[2].when: found a list; want an object"},
      {"'when': {'b'", "'when': {'d'", "f:20:48: events[2].when.d: unknown subsystem 'd'; want one of: b, a, c"},
      {"[{'terms': {'g': 1}, 'above': 7}]", "[]", "f:20:53: events[2].when.b: found no conditions; want at least one"},
      {"[{'terms': {'g': 1}, 'above': 7}]", "{'terms': {'g': 1}, 'above': 7}",
       "f:20:53: events[2].when.b: found an object; want a list"},
      {"[{'terms': {'g': 1}, 'above': 7}]", "['g']", "f:20:54: events[2].when.b[0]: found a string; want an object"},
      {"{'terms': {'g': 1}, 'above': 7}", "{'terms': {'g': 1}, 'above': 7, 'below': 8}",
       "f:20:54: events[2].when.b[0]: found both 'above' and 'below'; want one of them"},
      {"{'terms': {'g': 1}, 'above': 7}", "{'terms': {'g': 1}}",
       "f:20:54: events[2].when.b[0]: found neither 'above' nor 'below'; want one of them"},
      {"{'terms': {'g': 1}, 'above': 7}", "{'terms': {'g': 1}, 'over': 7}",
       "f:20:74: events[2].when.b[0].over: unknown key; want one of: terms, above, below"},
      {"{'terms': {'g': 1}, 'above': 7}", "{'above': 7}",
       "f:20:54: events[2].when.b[0]: missing key 'terms'; want a value"},
      {"{'terms': {'g': 1}, 'above': 7}", "{'terms': {'g': 1}, 'above': [7]}",
       "f:20:83: events[2].when.b[0].above: found a list; want a number or an expression"},
      {"{'terms': {'g': 1}, 'above': 7}", "{'terms': {'g': 1}, 'above': '1/(k-4)'}",
       "f:20:83: events[2].when.b[0].above: division by zero; want a finite number"},
      {"{'terms': {'g': 1}, 'above': 7}", "{'terms': {}, 'above': 7}",
       "f:20:64: events[2].when.b[0].terms: found no signals; want at least one"},
      {"{'terms': {'g': 1}, 'above': 7}", "{'terms': ['g'], 'above': 7}",
       "f:20:64: events[2].when.b[0].terms: found a list; want an object"},
      {"{'terms': {'g': 1}, 'above': 7}", "{'terms': {'g': []}, 'above': 7}",
       "f:20:70: events[2].when.b[0].terms.g: found a list; want a number or an expression"},
      {"'vb': 4}", "'vc': 4}",
       "f:21:31: events[2].when.a[0].terms.vc: unknown signal 'vc' of subsystem a; want one of: x.x, x.v, x.z, u.xb, "
       "u.vb, u.v, y.x, y.v, y.g"},
      {"'vb': 4}", "'y.vb': 4}",
       "f:21:31: events[2].when.a[0].terms.y.vb: unknown signal 'y.vb' of subsystem a; did you mean 'u.vb'? want one "
       "of: x.x, x.v, x.z, "
       "u.xb, u.vb, u.v, y.x, y.v, y.g"},
      {"'vb': 4}", "'a.vb': 4}",
       "f:21:31: events[2].when.a[0].terms.a.vb: unknown signal 'a.vb' of subsystem a; did you mean 'u.vb'? want one "
       "of: x.x, x.v, x.z, "
       "u.xb, u.vb, u.v, y.x, y.v, y.g"},
      {"'vb': 4}", "'b.z': 4}",
       "f:21:31: events[2].when.a[0].terms.b.z: unknown signal 'b.z' of subsystem a; did you mean 'x.z'? want one of: "
       "x.x, x.v, x.z, u.xb, "
       "u.vb, u.v, y.x, y.v, y.g"},
      {"'vb': 4}", "'b.h': 4}",
       "f:21:31: events[2].when.a[0].terms.b.h: events see their own subsystem alone; give a an input that receives "
       "b.h"},
      {"'vb': 4}", "'b.x.v': 4}",
       "f:21:31: events[2].when.a[0].terms.b.x.v: events see their own subsystem alone; give a an input that receives "
       "b.x.v"},
      {"'vb': 4}", "'x': 4}",
       "f:21:31: events[2].when.a[0].terms.x: 'x' is a state and an output of a; want x.x or y.x"},
      {"'vb': 4}", "'v': 4}",
       "f:21:31: events[2].when.a[0].terms.v: 'v' is a state, an input and an output of a; want x.v, u.v or y.v"},
      {"'vb': 4}", "'vb': 4, 'u.vb': 1}",
       "f:21:40: events[2].when.a[0].terms.u.vb: the same signal as 'vb'; want each signal once"},
      {"'in': {'a': ['slip', 'rest']}", "'in': {}", "f:15:25: events[0].in: found no subsystems; want at least one"},
      {"'in': {'a': ['slip', 'rest']}", "'in': 'slip'", "f:15:25: events[0].in: found a string; want an object"},
      {"'in': {'a': ['slip', 'rest']}", "'in': {'d': 'slip'}",
       "f:15:26: events[0].in.d: unknown subsystem 'd'; want one of: b, a, c"},
      {"'in': {'a': ['slip', 'rest']}", "'in': {'c': 'slip'}", "f:15:26: events[0].in.c: subsystem c has no modes"},
      {"'in': {'a': ['slip', 'rest']}", "'in': {'a': 'on'}",
       "f:15:31: events[0].in.a: unknown mode 'on' of a; want one of: slip, rest, stick"},
      {"'in': {'a': ['slip', 'rest']}", "'in': {'a': ['slip', 'on']}",
       "f:15:40: events[0].in.a[1]: unknown mode 'on' of a; want one of: slip, rest, stick"},
      {"'in': {'a': ['slip', 'rest']}", "'in': {'a': ['slip', 'slip']}",
       "f:15:40: events[0].in.a[1]: found 'slip' before; want each mode once"},
      {"'in': {'a': ['slip', 'rest']}", "'in': {'a': []}",
       "f:15:31: events[0].in.a: found no modes; want at least one"},
      {"'in': {'a': ['slip', 'rest']}", "'in': {'a': 1}", "f:15:31: events[0].in.a: found a number; want a string"},
      {"'to': {'a': 'stick'}", "'to': {'c': 'on'}", "f:19:103: events[1].to.c: subsystem c has no modes"},
      {"'to': {'a': 'stick'}", "'to': {'a': 'off'}",
       "f:19:108: events[1].to.a: unknown mode 'off' of a; want one of: slip, rest, stick"},
      {"'to': {'a': 'stick'}", "'to': {'a': ['stick']}", "f:19:108: events[1].to.a: found a list; want a string"},
      {"'to': {'a': 'stick'}", "'to': {'b': 'on'}",
       "f:19:108: events[1].to.b: 'on' is the mode that 'in' asks for; want another one"},
      {"'to': {'a': 'stick'}", "'to': {}", "f:19:102: events[1].to: found no subsystems; want at least one"},
      {"'set': {'b.x': 0}", "'set': {'b.x': {'term': 0}}",
       "f:21:72: events[2].set.b.x.term: unknown key; did you mean 'terms'? want one of: terms, constant"},
      {"'set': {'b.x': 0}", "'set': {'b.x': {'terms': 0}}",
       "f:21:81: events[2].set.b.x.terms: found a number; want an object"},
      {"'set': {'b.x': 0}", "'set': {'b.x': {'terms': {'a.v': 1}}}",
       "f:21:82: events[2].set.b.x.terms.a.v: events see their own subsystem alone; give b an input that receives a.v"},
      {"'set': {'b.x': 0}", "'set': {'b.x': {'terms': {'v': 1}}}",
       "f:21:82: events[2].set.b.x.terms.v: 'v' is a state and an output of b; want x.v or y.v"},
      {"'set': {'b.x': 0}", "'set': {'b.x': {'terms': {'h': 1, 'y.h': 1}}}",
       "f:21:90: events[2].set.b.x.terms.y.h: the same signal as 'h'; want each signal once"},
      {"'set': {'b.x': 0}", "'set': {'b.x': {'constant': 'n'}}",
       "f:21:84: events[2].set.b.x.constant: unknown name 'n' in 'n'; want one of: k, w, pi, sqrt, exp, log, sin, cos, "
       "tan, abs, min, max"},
      {"'set': {'b.x': 0}", "'set': {'b.x': {'constant': 'log(-k)'}}",
       "f:21:84: events[2].set.b.x.constant: log of -4; want a finite number"},
      {"'set': {'b.x': 0}", "'set': {'b.x': 0}, 'add': {'b.x': {'terms': {'h': 1}}}",
       "f:21:83: events[2].add.b.x: both set and added to by the event; want each state of an event once"},
      {"{'xa': 1, 'y.x': -1}, 'below': '1/k'", "{'xa': 1, 'y.x': -1}, 'below': '2/k'",
       "f:16:12: events[0].when: the views of b and a differ in condition 1: the exact solution gives them different "
       "values; want the same"},
      {"{'xa': 1, 'y.x': -1}, 'below': '1/k'", "{'xa': 1, 'y.x': -1}, 'above': '1/k'",
       "f:16:12: events[0].when: the views of b and a differ in condition 1: the exact solution gives them different "
       "values; want the same"},
      {"{'va': 1, 'x.v': -1}", "{'va': 2, 'x.v': -2}",
       "f:16:12: events[0].when: the views of b and a differ in condition 2: the exact solution gives them different "
       "values; want the same"},
      {"{'va': 1, 'x.v': -1}", "{'va': 1, 'x.v': -1.00000001}",
       "f:16:12: events[0].when: the views of b and a differ in condition 2: the exact solution gives them different "
       "values; want the same"},
      {", {'terms': {'va': 1, 'x.v': -1}, 'below': 0}]", "]",
       "f:16:12: events[0].when: the views of b and a have 1 and 2 conditions; want as many in each"},
      {"'loop', 'in': {'b': 'on'},", "'loop',",
       "f:20:28: events[2].when: the views of b and a differ in condition 1: the exact solution gives them different "
       "values; want the same"},
      {"'w': 0.5", "'w': 0.25",
       "f:20:47: events[2].when: the views of b and a differ in condition 1: the exact solution gives them different "
       "values; want the same"},
      {"{'x.v': 6, 'vb': 4}", "{'x.v': 3, 'vb': 2}",
       "f:20:47: events[2].when: the views of b and a differ in condition 1: the exact solution gives them different "
       "values; want the same"},
  };
  expect_refused_in(good, cases, sizeof cases / sizeof *cases);
}

/* A model whose `events` private events have `conditions` conditions each, and whose first `subsystems` of eight have
 * `modes` modes, from each of which a time event leads to the next one. */
static void expect_size(size_t events, size_t conditions, size_t subsystems, size_t modes, const char *want) {
  struct cs_text text = {0};
  cs_text_add(&text, "{'format': 'cosweep-model/1', 'name': 'large',\n 'subsystems': [");
  for (size_t s = 0; s < 8; s++) {
    cs_text_add(&text, "%s\n{'name': 's%zu', 'states': ['x'], 'A': [[0]]", s > 0 ? "," : "", s);
    for (size_t m = 0; s < subsystems && m < modes; m++)
      cs_text_add(&text, "%s{'name': 'm%zu'}%s", m == 0 ? ", 'modes': [" : ", ", m, m + 1 < modes ? "" : "]");
    cs_text_add(&text, "}");
  }
  cs_text_add(&text, "],\n 'events': [{'name': 'first', 't': 1, 'set': {'s0.x': 1}}");
  for (size_t s = 0; s < subsystems; s++)
    for (size_t m = 1; m < modes; m++)
      cs_text_add(&text, ",\n{'name': 's%zum%zu', 't': 1, 'in': {'s%zu': 'm%zu'}, 'to': {'s%zu': 'm%zu'}}", s, m, s,
                  m - 1, s, m);
  for (size_t e = 0; e < events; e++) {
    cs_text_add(&text, ",\n{'name': 'e%zu', 'set': {'s7.x': 1}, 'when': {'s7': [", e);
    for (size_t c = 0; c < conditions; c++)
      cs_text_add(&text, "%s{'terms': {'x': 1}, 'above': 0}", c > 0 ? ", " : "");
    cs_text_add(&text, "]}}");
  }
  cs_text_add(&text, "]}");
  const int code = read_patched_text(text.data, "large", "large", &model, &error);
  char *message = patch(want, "", "");
  cr_expect_eq(code, *want == '\0' ? CS_OK : CS_INPUT, "%zu, %zu: %s", events, subsystems, error.message);
  if (*want != '\0') cr_expect_str_eq(error.message, message);
  cs_model_free(model);
  model = NULL;
  free(message);
  cs_text_free(&text);
}

Test(discontinuities, sizes_are_limited) {
  expect_size(64, 1, 0, 0, "");
  expect_size(65, 1, 0, 0, "f:11:12: events: found 65 state events; want at most 64");
  expect_size(2, 32, 0, 0, "");
  expect_size(7, 10, 0, 0, "f:11:12: events: found 70 conditions; want at most 64");
  expect_size(0, 0, 6, 2, "");
  expect_size(0, 0, 4, 3, "f:3:54: subsystems[0].modes: events lead to 81 configurations of modes; want at most 64");
  expect_size(0, 0, 7, 2, "f:3:54: subsystems[0].modes: events lead to 128 configurations of modes; want at most 64");
  expect_size(0, 0, 8, 3,
              "f:3:54: subsystems[0].modes: events lead to at least 256 configurations of modes; want at most 64");
}
