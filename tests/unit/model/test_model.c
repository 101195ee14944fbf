#include <math.h>

#include "patched.h"

/* Two subsystems with states and a source without any; apostrophes stand for quotes. */
static const char good[] =
    "{'format': 'cosweep-model/1', 'name': 'net', 'description': 'A network', 'reference': 'nowhere',\n"
    " 'parameters': {'k': {'value': 4, 'unit': 'N/m', 'description': 'stiffness'}, 'm': 2, 'w': 'sqrt(k/m)'},\n"
    " 'subsystems': [\n"
    "  {'name': 'p', 'states': ['v', {'name': 'q', 'unit': 'm'}], 'inputs': ['F'], 'outputs': ['v'],\n"
    "   'A': [[0, '-k/m'], [1, 0]], 'B': [['1/m'], [0]], 'C': [[1, 0]], 'x0': [1, 0], 'e': [0, 'm']},\n"
    "  {'name': 's', 'states': ['z'], 'inputs': ['v', 'w'], 'outputs': ['F', 'z'],\n"
    "   'A': [['-w^2']], 'B': [[1, 0]], 'C': [['-k'], [1]], 'D': [[0, 'm'], [0, 0]], 'f': [0, 7]},\n"
    "  {'name': 'c', 'outputs': ['one'], 'f': [1]}],\n"
    " 'connections': [\n"
    "  {'from': 's.F', 'to': 'p.F', 'gain': '-m'},\n"
    "  {'from': 'p.v', 'to': 's.v'},\n"
    "  {'from': 'c.one', 'to': 's.w', 'gain': 3},\n"
    "  {'to': 's.w', 'value': 'k/2'},\n"
    "  {'from': 'c.one', 'to': 'p.F', 'gain': 0},\n"
    "  {'from': 's.F', 'to': 'p.F'}],\n"
    " 'monitors': [\n"
    "  {'name': 'dv', 'unit': 'm/s', 'terms': {'p.y.v': 1, 's.v': '-k', 'p.q': 2}}],\n"
    " 'events': []}\n";

static struct cs_model *model;
static struct cs_error error;

static void tear_down(void) {
  cs_model_free(model);
}

TestSuite(model, .fini = tear_down);

static int read_patched(const char *from, const char *to) {
  return read_patched_text(good, from, to, &model, &error);
}

static void load_good(void) {
  cr_assert_eq(read_patched("net", "net"), CS_OK, "%s", error.message);
}

static void expect_numbers(enum cs_matrix matrix, size_t rows, size_t columns, const double *want) {
  double parameters[3], numbers[32];
  cr_assert_eq(cs_model_parameters(model, NULL, NULL, parameters, &error), CS_OK, "%s", error.message);
  cr_assert_eq(model->matrix[matrix].rows, rows);
  cr_assert_eq(model->matrix[matrix].columns, columns);
  cr_assert_eq(cs_model_numbers(model, matrix, NULL, parameters, numbers, &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < rows * columns; i++) {
    /* Small integers, but w^2 goes through a square root. */
    cr_expect_leq(fabs(numbers[i] - want[i]), 1e-15, "matrix %d, number %zu: %.17g", matrix, i, numbers[i]);
  }
}

Test(model, names_and_signals_read_back) {
  load_good();
  cr_expect_str_eq(model->name, "net");
  cr_expect_str_eq(model->description, "A network");
  cr_expect_str_eq(model->reference, "nowhere");
  cr_assert_eq(model->parameters, 3);
  cr_expect_str_eq(model->parameter[0].name, "k");
  cr_expect_str_eq(model->parameter[0].unit, "N/m");
  cr_expect_str_eq(model->parameter[0].description, "stiffness");
  cr_expect_str_eq(model->parameter[1].unit, "");
  cr_assert_eq(model->subsystems, 3);
  cr_expect_str_eq(model->subsystem[1].name, "s");
  cr_expect_eq(model->subsystem[1].first_state, 2);
  cr_expect_eq(model->subsystem[1].first_input, 1);
  cr_expect_eq(model->subsystem[1].first_output, 1);
  cr_expect_eq(model->subsystem[2].states, 0);
  cr_expect_eq(model->subsystem[2].inputs, 0);
  cr_expect_eq(model->subsystem[2].first_output, 3);
  cr_assert_eq(model->states, 3);
  cr_assert_eq(model->inputs, 3);
  cr_assert_eq(model->outputs, 4);
  cr_expect_str_eq(model->state[1].name, "p.q");
  cr_expect_str_eq(model->state[1].unit, "m");
  cr_expect_eq(model->state[2].subsystem, 1);
  cr_expect_str_eq(model->input[2].name, "s.w");
  cr_expect_str_eq(model->output[3].name, "c.one");
  cr_assert_eq(model->monitors, 1);
  cr_expect_str_eq(model->monitor[0].name, "dv");
  cr_expect_str_eq(model->monitor[0].unit, "m/s");
  cr_expect_eq(cs_model_parameter(model, "w"), 2);
  cr_expect_eq(cs_model_parameter(model, "nope"), -1);
}

Test(model, matrices_are_stacked) {
  load_good();
  expect_numbers(CS_A, 3, 3, (double[]){0, -2, 0, 1, 0, 0, 0, 0, -2});
  expect_numbers(CS_B, 3, 3, (double[]){0.5, 0, 0, 0, 0, 0, 0, 1, 0});
  expect_numbers(CS_C, 4, 3, (double[]){1, 0, 0, 0, 0, -4, 0, 0, 1, 0, 0, 0});
  expect_numbers(CS_D, 4, 3, (double[]){0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0});
  expect_numbers(CS_E, 3, 1, (double[]){0, 2, 0});
  expect_numbers(CS_F, 4, 1, (double[]){0, 0, 7, 1});
  expect_numbers(CS_X0, 3, 1, (double[]){1, 0, 0});
  expect_numbers(CS_L, 3, 4, (double[]){0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3});
  expect_numbers(CS_BIAS, 3, 1, (double[]){0, 0, 2});
  expect_numbers(CS_MX, 1, 3, (double[]){0, 2, 0});
  expect_numbers(CS_MU, 1, 3, (double[]){0, -4, 0});
  expect_numbers(CS_MY, 1, 4, (double[]){1, 0, 0, 0});
}

#define TWO_EVENTS                                                                                \
  "'events': [{'name': 'kick', 't': 'm/4', 'add': {'p.v': '-k', 's.z': 0}, 'set': {'p.q': 0}},\n" \
  "{'name': 'stop', 'description': 'at rest', 't': 0.5, 'set': {'s.z': 'm', 'p.v': '0*k'}}]"

Test(model, events_are_read) {
  load_good();
  cr_expect_eq(model->events, 0);
  cr_expect_eq(model->matrix[CS_EVENT_SET].count, 0);
  cs_model_free(model);
  cr_assert_eq(read_patched("'events': []", TWO_EVENTS), CS_OK, "%s", error.message);
  cr_assert_eq(model->events, 2);
  cr_expect_str_eq(model->event[0].name, "kick");
  cr_expect_str_eq(model->event[1].name, "stop");
  expect_numbers(CS_EVENT_TIME, 2, 1, (double[]){0.5, 0.5});
  expect_numbers(CS_EVENT_SET, 2, 3, (double[]){0, 0, 0, 0, 0, 2});
  expect_numbers(CS_EVENT_ADD, 2, 3, (double[]){-4, 0, 0, 0, 0, 0});
  static const size_t set[][2] = {{0, 1}, {1, 0}, {1, 2}}, add[][2] = {{0, 0}, {0, 2}};
  cr_assert_eq(model->matrix[CS_EVENT_SET].count, 3, "a literal 0 is a value to set");
  cr_assert_eq(model->matrix[CS_EVENT_ADD].count, 2);
  for (size_t i = 0; i < 3; i++) {
    cr_expect_eq(model->matrix[CS_EVENT_SET].entry[i].row, set[i][0]);
    cr_expect_eq(model->matrix[CS_EVENT_SET].entry[i].column, set[i][1]);
    cr_expect(i == 2 || (model->matrix[CS_EVENT_ADD].entry[i].row == add[i][0] &&
                         model->matrix[CS_EVENT_ADD].entry[i].column == add[i][1]));
  }
}

Test(model, monitors_may_have_a_constant) {
  cr_assert_eq(read_patched("'unit': 'm/s', 'terms'", "'constant': '-2*k', 'terms'"), CS_OK, "%s", error.message);
  expect_numbers(CS_MC, 1, 1, (double[]){-8});
}

Test(model, monitors_may_have_a_flow) {
  load_good();
  cr_expect_eq(model->monitor[0].flow, -1);
  cs_model_free(model);
  cr_assert_eq(read_patched("'unit': 'm/s', 'terms'", "'flow': 's.z', 'terms'"), CS_OK, "%s", error.message);
  cr_expect_eq(model->monitor[0].flow, 2);
}

Test(model, entries_are_sorted_and_without_zeros) {
  load_good();
  for (size_t m = 0; m < CS_MATRICES; m++) {
    const struct cs_entries *entries = &model->matrix[m];
    for (size_t i = 0; i < entries->count; i++) {
      const struct cs_entry *entry = &entries->entry[i];
      cr_expect_not(cs_expr_is_zero(entry->expr));
      cr_expect_not_null(entry->node);
      cr_expect(i == 0 || entry[-1].row < entry->row ||
                (entry[-1].row == entry->row && entry[-1].column <= entry->column));
    }
  }
  cr_expect_eq(model->matrix[CS_A].count, 3);
  cr_expect_eq(model->matrix[CS_L].count, 4);
  cr_expect_eq(model->matrix[CS_BIAS].count, 1);
}

Test(model, parameters_can_be_overridden) {
  load_good();
  double values[3];
  const double overrides[3] = {16, 0, 0}, zero_mass[3] = {0, 0, 0}, infinite[3] = {INFINITY, 0, 0};
  const unsigned char first[3] = {1, 0, 0}, second[3] = {0, 1, 0};
  cr_assert_eq(cs_model_parameters(model, overrides, first, values, &error), CS_OK);
  cr_expect_eq(values[0], 16);
  cr_expect_eq(values[1], 2);
  cr_expect_eq(values[2], sqrt(8));
  cr_expect_eq(cs_model_parameters(model, zero_mass, second, values, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:2:92: parameters.w: division by zero; want a finite number");
  cr_expect_eq(cs_model_parameters(model, infinite, first, values, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:2:32: parameters.k.value: overridden by inf; want a finite number");
  double numbers[9];
  cr_expect_eq(cs_model_numbers(model, CS_A, NULL, zero_mass, numbers, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:5:14: subsystems[0].A[0][1]: division by zero; want a finite number");
}

Test(model, good_variations) {
  static const char *const cases[][2] = {
      {"'reference': 'nowhere',", ""},
      {",\n 'events': []", ""},
      {"'k': {'value': 4,", "'k': {'value': '2*2',"},
      {"'w': 'sqrt(k/m)'", "'w': {'value': 'sqrt(k/m)'}"},
      {"'inputs': ['F']", "'inputs': [{'name': 'F', 'unit': 'N', 'description': 'force'}]"},
      {"{'name': 'c',",
       "{'name': 'c', 'description': 'source', 'states': [], 'inputs': [], 'A': [], 'B': [], 'C': [], "
       "'D': [],"},
      {"{'name': 'c',", "{'name': 'c', 'C': [[]], 'D': [[]],"},
      {"'name': 'dv', 'unit': 'm/s'", "'name': 'dv', 'description': 'difference'"},
      {"{'name': 'c',", "{'name': 'idle'}, {'name': 'c',"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cr_expect_eq(read_patched(cases[i][0], cases[i][1]), CS_OK, "%s: %s", cases[i][1], error.message);
    cs_model_free(model);
    model = NULL;
  }
}

static void expect_refused(const struct bad *cases, size_t count) {
  expect_refused_in(good, cases, count);
}

#define A_NAME "is not a name; want a letter followed by letters, digits or _"
#define EXPRESSION_NAMES "k, m, w, pi, sqrt, exp, log, sin, cos, tan, abs, min, max"

Test(model, bad_heads_and_parameters) {
  static const struct bad cases[] = {
      {"cosweep-model/1", "cosweep-sweep/1", "f:1:12: format: this is a sweep; want a model, 'cosweep-model/1'"},
      {"'format': 'cosweep-model/1', ", "", "f:1:1: missing key 'format'; want a string"},
      {"'cosweep-model/1'", "1", "f:1:12: format: found a number; want a string"},
      {"'net'", "'two mass'", "f:1:39: name: 'two mass' " A_NAME},
      {"'net'", "''", "f:1:39: name: '' " A_NAME},
      {"'A network'", "7", "f:1:61: description: found a number; want a string"},
      {"'reference'", "'refer'",
       "f:1:74: refer: unknown key; want one of: format, name, description, reference, parameters, subsystems, "
       "connections, lines, monitors, events, $schema"},
      {"'reference': ", "'$schema': 3, 'reference': ", "f:1:85: $schema: found a number; want a string"},
      {"'events': []", "'events': {}", "f:18:12: events: found an object; want a list"},
      {"'m': 2", "'2m': 2", "f:2:79: parameters.2m: '2m' " A_NAME},
      {"'m': 2", "'pi': 2", "f:2:79: parameters.pi: 'pi' is reserved in expressions; want another name"},
      {"'m': 2", "'max': 2", "f:2:79: parameters.max: 'max' is reserved in expressions; want another name"},
      {"'m': 2", "'m': [2]", "f:2:84: parameters.m: found a list; want a number or an expression"},
      {"'m': 2", "'m': 'w'",
       "f:2:84: parameters.m: parameter 'w' is not listed before this one; want parameters listed earlier"},
      {"'m': 2", "'m': 'm'",
       "f:2:84: parameters.m: parameter 'm' is not listed before this one; want parameters listed earlier"},
      {"'m': 2", "'m': {'unit': 'kg'}", "f:2:84: parameters.m: missing key 'value'; want a value"},
      {"'m': 2", "'m': {'value': 2, 'units': 'kg'}",
       "f:2:97: parameters.m.units: unknown key; did you mean 'unit'? want one of: value, unit, description"},
      {"'m': 2", "'m': {'value': 2, 'unit': 1}", "f:2:105: parameters.m.unit: found a number; want a string"},
      {"'m': 2", "'m': 0", "f:2:92: parameters.w: division by zero; want a finite number"},
      {"'sqrt(k/m)'", "'sqrt(-k)'", "f:2:92: parameters.w: sqrt of -4; want a finite number"},
      {"'sqrt(k/m)'", "'sqrt(k/g)'",
       "f:2:92: parameters.w: unknown name 'g' in 'sqrt(k/g)'; want one of: " EXPRESSION_NAMES},
  };
  expect_refused(cases, sizeof cases / sizeof *cases);
}

#define N63 "abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrstuvwxyz_123456789"
#define TOO_LONG "'abcdefghijklmnopqrstuvwx...' has 64 characters; want at most 63"

/* Places of names: what to replace, by what around the name, the line and column where it stands, its path. */
static const struct {
  const char *from, *before, *behind, *place;
} names[] = {
    {"'net'", "'", "'", "f:1:39: name"},
    {"'m': 2", "'", "': 1, 'm': 2", "f:2:79: parameters." N63 "0"},
    {"'name': 's'", "'name': '", "'", "f:6:12: subsystems[1].name"},
    {"['z'], 'inputs'", "['", "'], 'inputs'", "f:6:28: subsystems[1].states[0]"},
    {"'q', 'unit'", "'", "', 'unit'", "f:4:42: subsystems[0].states[1].name"},
    {"['v', 'w']", "['", "', 'w']", "f:6:45: subsystems[1].inputs[0]"},
    {"['F', 'z']", "['", "', 'z']", "f:6:68: subsystems[1].outputs[0]"},
    {"'dv'", "'", "'", "f:17:12: monitors[0].name"},
    {"'events': []", "'events': [{'name': '", "', 't': 1, 'set': {'p.v': 0}}]", "f:18:22: events[0].name"},
};

Test(model, names_have_at_most_63_characters) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    for (size_t more = 0; more < 2; more++) {
      struct cs_text to = {0}, want = {0};
      cs_text_add(&to, "%s%s%s%s", names[i].before, N63, more ? "0" : "", names[i].behind);
      cs_text_add(&want, "%s: " TOO_LONG, names[i].place);
      const int code = read_patched(names[i].from, to.data);
      char *message = patch(want.data, "", "");
      /* shorter names may leave others without what they name */
      if (more)
        cr_expect(code == CS_INPUT && strcmp(error.message, message) == 0, "%s", error.message);
      else
        cr_expect(code == CS_OK || strstr(error.message, "characters") == NULL, "%s", error.message);
      free(message);
      cs_text_free(&to);
      cs_text_free(&want);
      cs_model_free(model);
      model = NULL;
    }
  }
}

Test(model, bad_subsystems) {
  static const struct bad cases[] = {
      {"'name': 's'", "'name': 'p'",
       "f:6:12: subsystems[1].name: 'p' is already the name of subsystems[0]; want different names"},
      {"'name': 's'", "'name': 's.1'", "f:6:12: subsystems[1].name: 's.1' " A_NAME},
      {"'name': 's', ", "", "f:6:3: subsystems[1]: missing key 'name'; want a string"},
      {"{'name': 'c', 'outputs': ['one'], 'f': [1]}", "7", "f:8:3: subsystems[2]: found a number; want an object"},
      {"'x0'", "'x1'",
       "f:5:68: subsystems[0].x1: unknown key; did you mean 'x0'? want one of: name, description, states, inputs, "
       "outputs, A, B, C, D, e, "
       "f, g, "
       "x0, modes"},
      {"['v', 'w']", "['v', 'v']",
       "f:6:50: subsystems[1].inputs[1]: s.v is already item 0 of this list; want different names"},
      {"['v', 'w']", "['v', '_w']", "f:6:50: subsystems[1].inputs[1]: '_w' " A_NAME},
      {"['v', 'w']", "['v', 1]", "f:6:50: subsystems[1].inputs[1]: found a number; want a string"},
      {"['v', 'w']", "'v'", "f:6:44: subsystems[1].inputs: found a string; want a list"},
      {"'unit': 'm'}", "'units': 'm'}",
       "f:4:47: subsystems[0].states[1].units: unknown key; did you mean 'unit'? want one of: name, unit, description"},
      {"'A': [[0, '-k/m'], [1, 0]], ", "",
       "f:4:3: subsystems[0]: missing key 'A'; want a 2 x 2 matrix, a row per state and a column per state"},
      {"'B': [['1/m'], [0]], ", "",
       "f:4:3: subsystems[0]: missing key 'B'; want a 2 x 1 matrix, a row per state and a column per input"},
      {"'C': [[1, 0]], ", "",
       "f:4:3: subsystems[0]: missing key 'C'; want a 1 x 2 matrix, a row per output and a column per state"},
      {"'A': [[0, '-k/m'], [1, 0]]", "'A': [[0, '-k/m']]",
       "f:5:9: subsystems[0].A: number of rows is 1; want 2, one per state"},
      {"'A': [[0, '-k/m'], [1, 0]]", "'A': [[0, '-k/m'], [1, 0, 0]]",
       "f:5:23: subsystems[0].A[1]: number of entries is 3; want 2, one per state"},
      {"'A': [[0, '-k/m'], [1, 0]]", "'A': [0, 1]", "f:5:10: subsystems[0].A[0]: found a number; want a list"},
      {"'B': [['1/m'], [0]]", "'B': [['1/m', 0], [0, 0]]",
       "f:5:38: subsystems[0].B[0]: number of entries is 2; want 1, one per input"},
      {"'D': [[0, 'm'], [0, 0]]", "'D': 0", "f:7:61: subsystems[1].D: found a number; want a list"},
      {"'D': [[0, 'm'], [0, 0]]", "'D': [[0, 'm'], [0, null]]",
       "f:7:76: subsystems[1].D[1][1]: found null; want a number or an expression"},
      {"'x0': [1, 0]", "'x0': [1]", "f:5:74: subsystems[0].x0: number of entries is 1; want 2, one per state"},
      {"'x0': [1, 0]", "'x0': [[1, 0]]", "f:5:74: subsystems[0].x0: number of entries is 1; want 2, one per state"},
      {"'f': [0, 7]", "'f': [0, 7, 1]", "f:7:86: subsystems[1].f: number of entries is 3; want 2, one per output"},
      {"'-k/m'", "'-k/n'", "f:5:14: subsystems[0].A[0][1]: unknown name 'n' in '-k/n'; want one of: " EXPRESSION_NAMES},
      {"'-k/m'", "'log(-k/m)'", "f:5:14: subsystems[0].A[0][1]: log of -2; want a finite number"},
  };
  expect_refused(cases, sizeof cases / sizeof *cases);
}

Test(model, a_model_needs_subsystems) {
  static const char *const cases[][2] = {
      {"{\"format\": \"cosweep-model/1\", \"name\": \"n\"}", "f:1:1: missing key \"subsystems\"; want a list"},
      {"{\"format\": \"cosweep-model/1\", \"name\": \"n\", \"subsystems\": []}",
       "f:1:58: subsystems: found an empty list; want at least one subsystem"},
      {"[]", "f:1:1: found a list; want an object"},
      {"{\"format\": \"cosweep-model/1\", \"name\": \"n\", \"subsystems\": [{\"name\": \"a\", \"inputs\": [\"u\"]}]}",
       "f:1:1: inputs without a connection: a.u; want every input reached by an output or a value"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_json *json;
    cr_assert_eq(cs_json_parse("f", cases[i][0], strlen(cases[i][0]), &json, &error), CS_OK);
    cr_expect_eq(cs_model_read(json, &model, &error), CS_INPUT);
    cr_expect_str_eq(error.message, cases[i][1]);
  }
}

Test(model, bad_connections) {
  static const struct bad cases[] = {
      {"'from': 'p.v'", "'from': 'p.w'",
       "f:11:12: connections[1].from: unknown output 'p.w'; want one of: p.v, s.F, s.z, c.one"},
      {"'from': 'p.v'", "'from': 'v'",
       "f:11:12: connections[1].from: unknown output 'v'; did you mean 'p.v'? want one of: p.v, s.F, s.z, c.one"},
      {"'from': 'p.v'", "'from': 'p.q'",
       "f:11:12: connections[1].from: 'p.q' is a state, not an output; want one of: p.v, s.F, s.z, c.one"},
      {"'from': 'p.v'", "'from': 's.w'",
       "f:11:12: connections[1].from: 's.w' is an input, not an output; want one of: p.v, s.F, s.z, c.one"},
      {"'to': 's.v'", "'to': 'p.v'",
       "f:11:25: connections[1].to: 'p.v' is a state, not an input; want one of: p.F, s.v, s.w"},
      {"'to': 's.v'", "'to': 'c.one'",
       "f:11:25: connections[1].to: 'c.one' is an output, not an input; want one of: p.F, s.v, s.w"},
      {", 'to': 's.v'", "", "f:11:3: connections[1]: missing key 'to'; want a string"},
      {"'from': 'p.v', ", "",
       "f:11:3: connections[1]: neither 'from' nor 'value'; want either 'from' (an output) or "
       "'value'"},
      {"'to': 's.v'", "'to': 's.v', 'value': 1",
       "f:11:3: connections[1]: both 'from' and 'value'; want either 'from' (an output) or 'value'"},
      {"'value': 'k/2'", "'value': 'k/2', 'gain': 1",
       "f:13:33: connections[3].gain: a gain together with 'value'; want it with 'from' only"},
      {"'gain': 3", "'weight': 3", "f:12:34: connections[2].weight: unknown key; want one of: from, to, gain, value"},
      {"'gain': 3", "'gain': '1/(k-4)'", "f:12:42: connections[2].gain: division by zero; want a finite number"},
      {"'k/2'", "true", "f:13:26: connections[3].value: found true or false; want a number or an expression"},
      {"  {'from': 'p.v', 'to': 's.v'},\n", "",
       "f:9:17: connections: inputs without a connection: s.v; want every input reached by an output or a value"},
  };
  expect_refused(cases, sizeof cases / sizeof *cases);
}

Test(model, bad_monitors) {
  static const struct bad cases[] = {
      {"'p.y.v': 1", "'p.v': 1",
       "f:17:43: monitors[0].terms.p.v: 'p.v' is a state and an output; want one of: p.x.v, p.y.v"},
      {"'p.y.v': 1", "'p.u.v': 1",
       "f:17:43: monitors[0].terms.p.u.v: unknown signal 'p.u.v'; did you mean 'p.x.v'? want one of: p.x.v, p.x.q, "
       "s.x.z, p.u.F, s.u.v, "
       "s.u.w, "
       "p.y.v, s.y.F, s.y.z, c.y.one"},
      {"'p.y.v': 1", "'q': 1",
       "f:17:43: monitors[0].terms.q: unknown signal 'q'; did you mean 'p.x.q'? want one of: p.x.v, p.x.q, s.x.z, "
       "p.u.F, s.u.v, s.u.w, "
       "p.y.v, "
       "s.y.F, s.y.z, c.y.one"},
      {"'p.y.v': 1", "'p.x.q': 1", "f:17:68: monitors[0].terms.p.q: the same signal as 'p.x.q'; want each signal once"},
      {"'s.v': '-k'", "'s.v': []", "f:17:62: monitors[0].terms.s.v: found a list; want a number or an expression"},
      {"{'p.y.v': 1, 's.v': '-k', 'p.q': 2}", "{}",
       "f:17:42: monitors[0].terms: found no terms; want at least one signal"},
      {"{'p.y.v': 1, 's.v': '-k', 'p.q': 2}", "[]", "f:17:42: monitors[0].terms: found a list; want an object"},
      {"'terms': {'p.y.v': 1, 's.v': '-k', 'p.q': 2}", "'unit2': 1",
       "f:17:33: monitors[0].unit2: unknown key; did you mean 'unit'? want one of: name, unit, description, terms, "
       "constant, flow"},
      {"'unit': 'm/s', 'terms'", "'constant': 'v0', 'terms'",
       "f:17:30: monitors[0].constant: unknown name 'v0' in 'v0'; want one of: k, m, w, pi, sqrt, exp, log, "
       "sin, cos, tan, abs, min, max"},
      {"'unit': 'm/s', 'terms'", "'flow': 'p.q', 'terms'",
       "f:17:26: monitors[0].flow: 'p.q' is a state, not an output; want one of: p.v, s.F, s.z, c.one"},
      {"'unit': 'm/s', 'terms'", "'flow': 1, 'terms'", "f:17:26: monitors[0].flow: found a number; want a string"},
      {"'name': 'dv'", "'name': 'd v'", "f:17:12: monitors[0].name: 'd v' " A_NAME},
      {"{'name': 'dv'", "{'name': 'dv', 'terms': {'p.q': 1}}, {'name': 'dv'",
       "f:17:49: monitors[1].name: 'dv' is already the name of monitors[0]; want different names"},
      {"'s.v': '-k'", "'s.v': 'k^400*k^400'",
       "f:17:62: monitors[0].terms.s.v: not finite: 6.66801e+240 * 6.66801e+240; want a finite number"},
  };
  expect_refused(cases, sizeof cases / sizeof *cases);
}

#define STATES "want one of: p.v, p.q, s.z"

Test(model, bad_events) {
  static const struct bad cases[] = {
      {"'events': []", "'events': [1]", "f:18:13: events[0]: found a number; want an object"},
      {"'events': []", "'events': [{'t': 1, 'set': {'p.v': 1}}]",
       "f:18:13: events[0]: missing key 'name'; want a string"},
      {"'events': []", "'events': [{'name': 'a b', 't': 1, 'set': {'p.v': 1}}]",
       "f:18:22: events[0].name: 'a b' " A_NAME},
      {"'events': []", "'events': [{'name': 'a', 'set': {'p.v': 1}}]",
       "f:18:13: events[0]: found neither 't' nor 'when'; want 't' (a time event) or 'when' (a state event)"},
      {"'events': []", "'events': [{'name': 'a', 't': 0, 'set': {'p.v': 1}}]",
       "f:18:32: events[0].t: found 0; want a time > 0"},
      {"'events': []", "'events': [{'name': 'a', 't': -1.5, 'set': {'p.v': 1}}]",
       "f:18:32: events[0].t: found -1.5; want a time > 0"},
      {"'events': []", "'events': [{'name': 'a', 't': [1], 'set': {'p.v': 1}}]",
       "f:18:32: events[0].t: found a list; want a number or an expression"},
      {"'events': []", "'events': [{'name': 'a', 't': '1/(k-4)', 'set': {'p.v': 1}}]",
       "f:18:32: events[0].t: division by zero; want a finite number"},
      {"'events': []", "'events': [{'name': 'a', 't': 1}]",
       "f:18:13: events[0]: the event changes nothing; want 'set', 'add' or 'to'"},
      {"'events': []", "'events': [{'name': 'a', 't': 1, 'set': {}}]",
       "f:18:42: events[0].set: found no states; want at least one"},
      {"'events': []", "'events': [{'name': 'a', 't': 1, 'add': []}]",
       "f:18:42: events[0].add: found a list; want an object"},
      {"'events': []", "'events': [{'name': 'a', 't': 1, 'set': {'p.w': 1}}]",
       "f:18:43: events[0].set.p.w: unknown state 'p.w'; " STATES},
      {"'events': []", "'events': [{'name': 'a', 't': 1, 'add': {'p.F': 1}}]",
       "f:18:43: events[0].add.p.F: 'p.F' is an input, not a state; " STATES},
      {"'events': []", "'events': [{'name': 'a', 't': 1, 'add': {'p.v': true}}]",
       "f:18:50: events[0].add.p.v: found true or false; want a number or an expression"},
      {"'events': []", "'events': [{'name': 'a', 't': 1, 'add': {'p.v': 1}, 'set': {'p.v': 0}}]",
       "f:18:43: events[0].add.p.v: both set and added to by the event; want each state of an event once"},
      {"'events': []", "'events': [{'name': 'a', 't': 1, 'at': {'p.v': 1}}]",
       "f:18:35: events[0].at: unknown key; did you mean 't'? want one of: name, description, t, when, in, to, set, "
       "add"},
      {"'events': []", "'events': [{'name': 'a', 't': 1, 'set': {'p.v': 1}}, {'name': 'a', 't': 2, 'add': {'p.v': 1}}]",
       "f:18:64: events[1].name: 'a' is already the name of events[0]; want different names"},
  };
  expect_refused(cases, sizeof cases / sizeof *cases);
}

/* All faults that are independent of each other are named at once. */
Test(model, several_faults) {
  static const struct bad cases[] = {
      {"'from': 'p.v'", "'frm': 0, 'from': 'p.v', 'gian': 1",
       "f:11:4: connections[1].frm: unknown key; did you mean 'from'? want one of: from, to, gain, value\n"
       "f:11:29: connections[1].gian: unknown key; did you mean 'gain'? want one of: from, to, gain, value"},
  };
  expect_refused(cases, sizeof cases / sizeof *cases);
}

Test(model, missing_files_are_io_errors) {
  cr_expect_eq(cs_model_load("/nonexistent/model.json", &model, &error), CS_IO);
  cr_expect_null(model);
}
