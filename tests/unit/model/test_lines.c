/* Lines of a model: what they are as subsystems, and what is refused. */
#include "links.h"
#include "patched.h"

#define MASSES                                                                              \
  "{'format': 'cosweep-model/1', 'name': 'net', 'parameters': {'k': 3},\n"                  \
  " 'subsystems': [\n"                                                                      \
  "  {'name': 'p', 'states': ['v'], 'inputs': [{'name': 'F', 'unit': 'N'}, 'g'],\n"         \
  "   'outputs': [{'name': 'v', 'unit': 'm/s'}], 'A': [[0]], 'B': [[1, 1]], 'C': [[1]]},\n" \
  "  {'name': 'q', 'states': ['v'], 'inputs': ['F'], 'outputs': ['v'], 'A': [[-1]], 'B': [[2]], 'C': [[1]]}"

static const char with_line[] = MASSES
    "],\n"
    " 'connections': [{'to': 'p.g', 'value': 1}],\n"
    " 'lines': [\n"
    "  {'name': 's', 'a': {'flow': 'p.v', 'effort': 'p.F'}, 'b': {'flow': 'q.v', 'effort': 'q.F'},\n"
    "   'stiffness': '2*k', 'x0': 'k', 'sign': -1}],\n"
    " 'monitors': [{'name': 'm', 'terms': {'s.force': 1, 's.flow_a': 1, 's.effort_b': 2}}]}\n";

static const char by_hand[] = MASSES
    ",\n"
    "  {'name': 's', 'states': ['force'], 'inputs': ['flow_a', 'flow_b'], 'outputs': ['effort_a', 'effort_b'],\n"
    "   'A': [[0]], 'B': [['2*k', '2*k']], 'C': [[1], [1]], 'x0': ['k']}],\n"
    " 'connections': [{'to': 'p.g', 'value': 1},\n"
    "  {'from': 'p.v', 'to': 's.flow_a'}, {'from': 's.effort_a', 'to': 'p.F', 'gain': -1},\n"
    "  {'from': 'q.v', 'to': 's.flow_b'}, {'from': 's.effort_b', 'to': 'q.F', 'gain': -1}],\n"
    " 'monitors': [{'name': 'm', 'terms': {'s.force': 1, 's.flow_a': 1, 's.effort_b': 2}}]}\n";

static struct cs_model *read(const char *text, const char *from, const char *to) {
  struct cs_model *model = NULL;
  struct cs_error error = {0};
  cr_assert_eq(read_patched_text(text, from, to, &model, &error), CS_OK, "%s", error.message);
  return model;
}

static void expect_same_matrices(const struct cs_model *a, const struct cs_model *b) {
  const double parameters[] = {3};
  for (int m = 0; m < CS_MATRICES; m++) {
    double of_a[64] = {0}, of_b[64] = {0};
    struct cs_error error;
    cr_assert(a->matrix[m].rows == b->matrix[m].rows && a->matrix[m].columns == b->matrix[m].columns, "%d", m);
    cr_assert_leq(a->matrix[m].rows * a->matrix[m].columns, 64);
    cr_assert_eq(cs_model_numbers(a, (enum cs_matrix)m, NULL, parameters, of_a, &error), CS_OK);
    cr_assert_eq(cs_model_numbers(b, (enum cs_matrix)m, NULL, parameters, of_b, &error), CS_OK);
    cr_expect_arr_eq(of_a, of_b, sizeof of_a, "matrix %d", m);
  }
}

static void expect_same_links(const struct cs_model *a, const struct cs_model *b) {
  const double parameters[] = {3};
  struct cs_link of_a[8], of_b[8];
  size_t in_a, in_b;
  struct cs_error error;
  cr_assert_leq(cs_links_room(a), 8);
  cr_assert_eq(cs_links_read(a, parameters, of_a, &in_a, &error), CS_OK);
  cr_assert_eq(cs_links_read(b, parameters, of_b, &in_b, &error), CS_OK);
  cr_assert(in_a == 4 && in_b == 4, "%zu, %zu", in_a, in_b);
  for (size_t i = 0; i < 4; i++)
    cr_expect(of_a[i].from == of_b[i].from && of_a[i].to == of_b[i].to && of_a[i].gain == of_b[i].gain, "%zu", i);
}

Test(lines, a_line_is_a_subsystem) {
  struct cs_model *a = read(with_line, "", ""), *b = read(by_hand, "", "");
  cr_expect_eq(a->lines, 1);
  cr_expect_eq(a->subsystems, 3);
  cr_expect_str_eq(a->subsystem[2].name, "s");
  cr_expect_str_eq(a->state[2].name, "s.force");
  cr_expect_str_eq(a->state[2].unit, "N");
  cr_expect_str_eq(a->input[a->subsystem[2].first_input].unit, "m/s");
  cr_expect_str_eq(a->output[a->subsystem[2].first_output].unit, "N");
  cr_expect_str_eq(a->output[a->subsystem[2].first_output + 1].unit, "");
  expect_same_matrices(a, b);
  expect_same_links(a, b);
  cs_model_free(a);
  cs_model_free(b);
}

Test(lines, effort_may_have_either_sign) {
  struct cs_model *a = read(with_line, ", 'sign': -1", ", 'sign': 1");
  cr_expect_eq(a->line[0].sign, 1);
  cs_model_free(a);
  a = read(with_line, ", 'sign': -1", "");
  cr_expect_eq(a->line[0].sign, -1);
  cs_model_free(a);
}

Test(lines, bad_lines) {
  static const struct bad cases[] = {
      {"'name': 's', 'a'", "'name': 'q', 'a'",
       "f:8:12: lines[0].name: 'q' is already the name of subsystems[1]; want different names"},
      {"'stiffness': '2*k', ", "", "f:8:3: lines[0]: missing key 'stiffness'; want a number or an expression"},
      {"'2*k'", "'2*l'",
       "f:9:17: lines[0].stiffness: unknown name 'l' in '2*l'; want one of: k, pi, sqrt, exp, log, sin, cos, tan, abs, "
       "min, max"},
      {"'sign': -1", "'sign': 2", "f:9:43: lines[0].sign: found 2; want 1 or -1"},
      {"'sign': -1", "'sign': '-'", "f:9:43: lines[0].sign: found a string; want a number"},
      {"'stiffness'", "'stiff'",
       "f:9:4: lines[0].stiff: unknown key; want one of: name, description, a, b, stiffness, x0, sign"},
      {"'a': {'flow': 'p.v', 'effort': 'p.F'}, ", "",
       "f:8:3: lines[0]: missing key 'a'; want an object with 'flow', an output, and 'effort', an input"},
      {"{'flow': 'q.v', 'effort': 'q.F'}", "'q'", "f:8:61: lines[0].b: found a string; want an object"},
      {"'flow': 'q.v', ", "", "f:8:61: lines[0].b: missing key 'flow'; want a string"},
      {"'flow': 'q.v'", "'flow': 'q.F'",
       "f:8:70: lines[0].b.flow: 'q.F' is an input, not an output; want one of: p.v, q.v, s.effort_a, s.effort_b"},
      {"'effort': 'q.F'", "'effort': 'q.v'",
       "f:8:87: lines[0].b.effort: 'q.v' is a state, not an input; want one of: p.F, p.g, q.F, s.flow_a, s.flow_b"},
      {"'effort': 'q.F'", "'effort': 'p.F'",
       "f:8:61: lines[0].b: q.v and p.F are of two subsystems; want a flow and an effort of one"},
      {"'effort': 'p.F'", "'effort': 'p.g'",
       "f:8:48: lines[0].a.effort: p.g has another connection; want an input that only this end reaches"},
      {"'to': 'p.g'", "'to': 's.flow_a'",
       "f:6:25: connections[0].to: s.flow_a is reached by its line alone; want an input of a subsystem of the list"},
      {"'flow': 'q.v', 'effort': 'q.F'", "'flow': 's.effort_a', 'effort': 's.flow_b'",
       "f:8:70: lines[0].b.flow: s.effort_a is of a line; want an output of a subsystem of the list"},
      {"{'to': 'p.g', 'value': 1}", "",
       "f:6:17: connections: inputs without a connection: p.g; want every input reached by an output or a value"},
  };
  expect_refused_in(with_line, cases, sizeof cases / sizeof *cases);
}
