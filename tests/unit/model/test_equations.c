/* Subsystems by equations: the matrices they become, and what is said of faulty ones. */
#include <complex.h>
#include <math.h>

#include "patched.h"

static const char good[] =
    "{'format': 'cosweep-model/1', 'name': 'net',\n"
    " 'parameters': {'k': 4, 'm': 2, 'T': 0.3, 'x': 1},\n"
    " 'subsystems': [\n"
    "  {'name': 'p', 'states': ['v', 'q'], 'inputs': ['F'], 'outputs': ['v', 'sum'],\n"
    "   'f': ['(F - k*q)/m', 'v + m'],\n"
    "   'g': ['v', '3*(v - q) + k'], 'x0': [1, 'm']},\n"
    "  {'name': 's', 'states': ['z'], 'inputs': ['v'], 'outputs': ['F'],\n"
    "   'f': ['(v - z)/T'], 'g': ['-(m*v*sqrt(k) + z*-1)']}],\n"
    " 'connections': [{'from': 's.F', 'to': 'p.F'}, {'from': 'p.v', 'to': 's.v'}],\n"
    " 'events': [{'name': 'kick', 't': 1, 'add': {'p.v': 'k'}, 'set': {'p.q': 0}}]}\n";

static struct cs_model *model;
static struct cs_error error;
static const char *unknown;

static void tear_down(void) {
  cs_model_free(model);
}

TestSuite(equations, .fini = tear_down);

static void expect_numbers(enum cs_matrix matrix, size_t entries, const double *want) {
  double parameters[4], numbers[16];
  cr_assert_eq(cs_model_parameters(model, NULL, NULL, parameters, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_model_numbers(model, matrix, NULL, parameters, numbers, &error), CS_OK, "%s", error.message);
  size_t present = 0, size = model->matrix[matrix].rows * model->matrix[matrix].columns;
  for (size_t i = 0; i < size; i++) {
    cr_expect_eq(numbers[i], want[i], "matrix %d, entry %zu: %.17g", (int)matrix, i, numbers[i]);
    present += want[i] != 0;
  }
  cr_expect_eq(model->matrix[matrix].count, entries);
  cr_expect_eq(present, entries);
}

Test(equations, become_matrices) {
  cr_assert_eq(read_patched_text(good, "net", "net", &model, &error), CS_OK, "%s", error.message);
  expect_numbers(CS_A, 3, (double[]){0, -2, 0, 1, 0, 0, 0, 0, -1 / 0.3});
  expect_numbers(CS_B, 2, (double[]){0.5, 0, 0, 0, 0, 1 / 0.3});
  expect_numbers(CS_C, 4, (double[]){1, 0, 0, 3, -3, 0, 0, 0, 1});
  expect_numbers(CS_D, 1, (double[]){0, 0, 0, 0, 0, -4});
  expect_numbers(CS_E, 1, (double[]){0, 2, 0});
  expect_numbers(CS_F, 1, (double[]){0, 4, 0});
  expect_numbers(CS_X0, 2, (double[]){1, 2, 0});
  cr_expect_eq(model->matrix[CS_EVENT_ADD].count, 1);
}

/* Constants of sums and differences; of a long sum with terms of several variables, and one within a quotient. */
Test(equations, terms_keep_their_signs) {
  cr_assert_eq(
      read_patched_text(good, "'f': ['(F - k*q)/m', 'v + m']",
                        "'f': ['(F - m*q + v - (q - k) - 3*F - v/m)/m', '(v + m) - (q + k) - -F']", &model, &error),
      CS_OK, "%s", error.message);
  expect_numbers(CS_A, 5, (double[]){0.25, -1.5, 0, 1, -1, 0, 0, 0, -1 / 0.3});
  expect_numbers(CS_B, 3, (double[]){-1, 0, 1, 0, 0, 1 / 0.3});
  expect_numbers(CS_E, 2, (double[]){2, -2, 0});
}

Test(equations, without_states_or_outputs) {
  cr_assert_eq(
      read_patched_text(good, "'states': ['z'], 'inputs': ['v'], 'outputs': ['F'],\n   'f': ['(v - z)/T'], 'g'",
                        "'inputs': ['v'], 'outputs': ['F'], 'g'", &model, &error),
      CS_INPUT);
  cr_expect_not_null(strstr(error.message, "unknown name \"z\""));
  cr_assert_eq(read_patched_text(good,
                                 "'states': ['z'], 'inputs': ['v'], 'outputs': ['F'],\n   'f': ['(v - z)/T'], "
                                 "'g': ['-(m*v*sqrt(k) + z*-1)']",
                                 "'inputs': ['v'], 'outputs': ['F'], 'g': ['k - 2*v']", &model, &error),
               CS_OK, "%s", error.message);
  expect_numbers(CS_D, 1, (double[]){0, 0, 0, 0, 0, -2});
  expect_numbers(CS_F, 2, (double[]){0, 4, 4});
}

Test(equations, faults_are_found_at_their_place) {
  static const struct bad cases[] = {
      {"'v + m'", "'v + m + n'",
       "f:5:25: subsystems[0].f[1]: unknown name 'n' in 'v + m + n'; want one of: k, m, T, x, v, q, F, pi, sqrt, exp, "
       "log, sin, cos, tan, abs, min, max"},
      {"'v + m'", "'v + sine(m)'",
       "f:5:25: subsystems[0].f[1]: unknown name 'sine' in 'v + sine(m)'; did you mean 'sin'?"},
      {"'v + m'", "'v + t'",
       "f:5:25: subsystems[0].f[1]: 't' is unknown, equations have no time; want a clock, a state whose f is 1"},
      {"'v + m'", "'v + '", "f:5:25: subsystems[0].f[1]: unexpected end in 'v + '; want a number, a name, - or ("},
      {"'v + m'", "true", "f:5:25: subsystems[0].f[1]: found true or false; want a number or an expression"},
      {"'v + m'", "'v + abs(q - m)'",
       "f:5:25: subsystems[0].f[1]: abs, min or max of a state or an input is not smooth; want modes and events"},
      {"'v + m'", "'2^q'",
       "f:5:25: subsystems[0].f[1]: a state or an input in an exponent; want a constant exponent, or exp(b*log(a)) for "
       "a^b"},
      {"'v + m'", "'v*q'",
       "f:10:2: events: events together with equations that are not linear, those of p; want a linear model with them"},
      {"'x': 1", "'z': 1",
       "f:8:10: subsystems[1].f[0]: 'z' is a state and a parameter; rename one\n"
       "f:8:30: subsystems[1].g[0]: 'z' is a state and a parameter; rename one"},
      {"'inputs': ['v'], 'outputs': ['F']", "'inputs': ['v', 'z'], 'outputs': ['F']",
       "f:8:10: subsystems[1].f[0]: 'z' is an input and a state; rename one\n"
       "f:8:30: subsystems[1].g[0]: 'z' is an input and a state; rename one\n"
       "f:9:17: connections: inputs without a connection: s.z; want every input reached by an output or a value"},
      {"'states': ['z']", "'states': ['exp']",
       "f:7:28: subsystems[1].states[0]: 'exp' is reserved in expressions; want another name"},
      {", 'v + m'", "", "f:5:9: subsystems[0].f: number of expressions is 1; want 2, one per state"},
      {"'g': ['v', '3*(v - q) + k'],", "",
       "f:4:3: subsystems[0]: missing key 'g'; want a list of 2 expressions, one per output"},
      {"'f': ['(F - k*q)/m', 'v + m'],", "",
       "f:4:3: subsystems[0]: missing key 'f'; want a list of 2 expressions, one per state"},
      {"'f': ['(F - k*q)/m', 'v + m'],", "'A': [[0, 1], [1, 0]],",
       "f:5:4: subsystems[0].A: 'A' together with equations; want either matrices, 'A' to 'f', or equations, 'f' and "
       "'g'"},
      {"'x0': [1, 'm']", "'modes': [{'name': 'a'}, {'name': 'b'}]",
       "f:6:33: subsystems[0].modes: 'modes' together with equations; want either matrices, 'A' to 'f', or equations, "
       "'f' and 'g'"},
      {"'v + m'", "'v + m/(k - 4)'", "f:5:25: subsystems[0].f[1]: division by zero; want a finite number"},
  };
  expect_refused_in(good, cases, sizeof cases / sizeof *cases);
}

Test(equations, a_name_is_clear_where_it_is_not_used) {
  cr_expect_eq(
      read_patched_text(good, "['v', 'q'], 'inputs': ['F']", "['v', 'q'], 'inputs': ['F', 'x']", &model, &error),
      CS_INPUT);
  cr_expect_not_null(strstr(error.message, "inputs without a connection: p.x"), "%s", error.message);
}

/* ---- operating points */

static const char nonlinear[] =
    "{'format': 'cosweep-model/1', 'name': 'net', 'parameters': {'p': 4},\n"
    " 'subsystems': [\n"
    "  {'name': 'a', 'states': ['x'], 'inputs': ['u'], 'outputs': ['y'], 'f': ['p - x^2 + u'], 'g': ['x*x'], 'x0': "
    "[3]},\n"
    "  {'name': 'b', 'states': ['z'], 'inputs': ['v'], 'outputs': ['w'], 'f': ['v - z'], 'g': ['0.5*z']}],\n"
    " 'connections': [{'from': 'b.w', 'to': 'a.u'}, {'from': 'a.y', 'to': 'b.v'}]}\n";

/* x^2 = p + z/2 and z = x^2: x^2 = 2 p. */
Test(equations, operating_points_are_equilibria) {
  static const struct {
    const char *from, *to;
    double x;
  } cases[] = {{"net", "net", 2.8284271247461903}, {"'x0': [3]", "'x0': [-1]", -2.8284271247461903}};
  for (size_t i = 0; i < 2; i++) {
    double values[4], slope[2], numbers[4];
    cr_assert_eq(read_patched_text(nonlinear, cases[i].from, cases[i].to, &model, &error), CS_OK, "%s", error.message);
    cr_assert_eq(model->values, 5);
    double all[5];
    cr_assert_eq(cs_model_parameters(model, NULL, NULL, all, &error), CS_OK);
    cr_assert_eq(cs_model_operate(model, false, all, &error), CS_OK, "%s", error.message);
    memcpy(values, all + 1, sizeof values);
    cr_expect_leq(fabs(values[0] - cases[i].x), 1e-15 * fabs(cases[i].x), "x = %.17g", values[0]);
    cr_expect_leq(fabs(values[1] - 8), 1e-14, "z = %.17g", values[1]);
    cr_expect_leq(fabs(values[2] - 4), 1e-14, "u = %.17g", values[2]);
    cr_assert_eq(cs_model_slopes(model, all, slope, &error), CS_OK);
    cr_expect(fabs(slope[0]) < 1e-14 && fabs(slope[1]) < 1e-14, "%g %g", slope[0], slope[1]);
    cr_assert_eq(cs_model_numbers(model, CS_A, NULL, all, numbers, &error), CS_OK);
    cr_expect_eq(numbers[0], -2 * values[0]);
    cr_expect_eq(numbers[3], -1);
    cr_assert_eq(cs_model_numbers(model, CS_C, NULL, all, numbers, &error), CS_OK);
    cr_expect_eq(numbers[0], 2 * values[0]);
    cr_assert_eq(cs_model_operate(model, true, all, &error), CS_OK);
    cr_expect_eq(all[1], i == 0 ? 3 : -1);
    cs_model_free(model);
    model = NULL;
  }
}

/* Whole steps of Newton's method go from x to -x^3 here. */
Test(equations, steps_are_damped) {
  double all[5];
  cr_assert_eq(read_patched_text(nonlinear, "p - x^2 + u", "0*u - x/sqrt(1 + x^2)", &model, &error), CS_OK, "%s",
               error.message);
  cr_assert_eq(cs_model_parameters(model, NULL, NULL, all, &error), CS_OK);
  cr_assert_eq(cs_model_operate(model, false, all, &error), CS_OK, "%s", error.message);
  cr_expect(fabs(all[1]) < 1e-12 && fabs(all[2]) < 1e-12, "%g %g", all[1], all[2]);
}

Test(equations, points_without_equilibrium_have_a_reason) {
  static const char *const cases[][3] = {
      {"'p - x^2 + u'", "'p + x^2 + 0*u'", "no equilibrium was found from the initial states within 50 rounds"},
      {"'v - z'", "'0*v'", "the Jacobian is singular, so that there is none or many beside each other"},
      {"'p - x^2 + u'", "'log(-1 - x^2) + u'", "f:3:75: subsystems[0].f[0]: log of -10 at the operating point"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double values[5];
    cr_assert_eq(read_patched_text(nonlinear, cases[i][0], cases[i][1], &model, &error), CS_OK, "%s", error.message);
    cr_assert_eq(cs_model_parameters(model, NULL, NULL, values, &error), CS_OK);
    cr_expect_eq(cs_model_operate(model, false, values, &error), CS_INPUT);
    cr_expect_not_null(strstr(error.message, cases[i][2]), "%s", error.message);
    cs_model_free(model);
    model = NULL;
  }
}

Test(equations, nonlinear_models_are_limited) {
  static const struct bad cases[] = {
      {"'name': 'net',", "'name': 'net', 'events': [{'name': 'e', 't': 1, 'set': {'a.x': 0}}],",
       "f:1:46: events: events together with equations that are not linear, those of a; want a linear model with them"},
  };
  expect_refused_in(nonlinear, cases, 1);
  cr_expect_eq(read_patched_text(nonlinear, "'g': ['x*x']", "'g': ['x*u']", &model, &error), CS_OK);
  cs_model_free(model);
  model = NULL;
  cr_expect_eq(read_patched_text(nonlinear,
                                 "'inputs': ['u'], 'outputs': ['y'], 'f': ['p - x^2 + u'], 'g': ['x*x'], 'x0': [3]},\n"
                                 "  {'name': 'b', 'states': ['z'], 'inputs': ['v'], 'outputs': ['w'], 'f': ['v - z'], "
                                 "'g': ['0.5*z']}],\n"
                                 " 'connections': [{'from': 'b.w', 'to': 'a.u'}, {'from': 'a.y', 'to': 'b.v'}]}",
                                 "'inputs': ['u'], 'outputs': ['y'], 'f': ['p - x^2 + u'], 'g': ['x*u'], 'x0': [3]}],\n"
                                 " 'connections': [{'from': 'a.y', 'to': 'a.u'}]}",
                                 &model, &error),
               CS_INPUT);
  cr_expect_not_null(strstr(error.message, "connections: a loop of direct feed-through by way of a.y"), "%s",
                     error.message);
  cr_expect_eq(
      read_patched_text(nonlinear,
                        "'g': ['x*x'], 'x0': [3]},\n  {'name': 'b', 'states': ['z'], 'inputs': ['v'], "
                        "'outputs': ['w'], 'f': ['v - z'], 'g': ['0.5*z']",
                        "'g': ['x*u'], 'x0': [3]},\n  {'name': 'b', 'inputs': ['v'], 'outputs': ['w'], 'g': ['0.5*v']",
                        &model, &error),
      CS_INPUT);
  cr_expect_not_null(strstr(error.message, "connections: a loop of direct feed-through by way of "), "%s",
                     error.message);
}

/* ---- derivatives beside complex steps, in long double */

static const char *const names[] = {"a", "b", "c"};
static const double values[] = {0.7, 1.3, 1.9};
static unsigned long long state;

static unsigned draw(unsigned below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % below;
}

static int derive(const struct cs_expr *expr, size_t by, struct cs_expr **derivative) {
  struct cs_derivation *derivation;
  *derivative = NULL;
  int code = cs_expr_open_derivation(expr, by, by, &derivation, &error);
  if (code == CS_OK) code = cs_expr_derivative(derivation, by, derivative, &error);
  cs_expr_close_derivation(derivation);
  return code;
}

/* A random expression as text, and its value for x + i h in place of parameter x. Operands are kept between 1e-3 and
 * 1e3, so that nothing is ill-conditioned. */
static complex long double grow(struct cs_text *text, const complex long double *at, int depth) {
  const unsigned kind = depth == 0 ? draw(2) : 2 + draw(9);
  complex long double a, b;
  if (kind == 0) {
    const unsigned k = draw(3);
    cs_text_add(text, "%s", names[k]);
    return at[k];
  }
  if (kind == 1) {
    const unsigned n = 1 + draw(4);
    cs_text_add(text, "%u", n);
    return n;
  }
  cs_text_add(text, kind == 6   ? "sqrt(1 + ("
                    : kind == 7 ? "exp(-("
                    : kind == 8 ? "log(2 + ("
                    : kind == 9 ? "sin("
                                : "(");
  a = grow(text, at, depth - 1);
  switch (kind) {
    case 6:
      cs_text_add(text, ")^2)");
      return csqrtl(1 + a * a);
    case 7:
      cs_text_add(text, ")^2/8)");
      return cexpl(-a * a / 8);
    case 8:
      cs_text_add(text, ")^2)");
      return clogl(2 + a * a);
    case 9:
      cs_text_add(text, ")");
      return csinl(a);
    case 10:
      cs_text_add(text, ")/4 - tan(cos(");
      b = grow(text, at, depth - 1);
      cs_text_add(text, ")/2)");
      return a / 4 - ctanl(ccosl(b) / 2);
    default:
      break;
  }
  static const char *const operators[] = {") + (", ") - (", ")*(", ")/(2 + ("};
  cs_text_add(text, "%s", operators[kind - 2]);
  b = grow(text, at, depth - 1);
  cs_text_add(text, kind == 5 ? ")^2)" : ")");
  return kind == 2 ? a + b : kind == 3 ? a - b : kind == 4 ? a * b : a / (2 + b * b);
}

Test(equations, derivatives_are_those_of_complex_steps) {
  double worst = 0.0;
  for (unsigned i = 0; i < 1000; i++) {
    struct cs_text text = {0};
    struct cs_expr *expr, *derivative;
    const long double h = 1e-1000L;
    const unsigned by = i % 3;
    double value;
    complex long double at[3] = {values[0], values[1], values[2]};
    at[by] += h * I;
    state = i;
    const int depth = (int)(1 + i % 5);
    const long double exact = cimagl(grow(&text, at, depth)) / h;
    cr_assert_eq(cs_expr_parse(text.data, names, 3, &expr, &unknown, &error), CS_OK, "%s: %s", text.data,
                 error.message);
    cr_assert_eq(derive(expr, by, &derivative), CS_OK, "%s: %s", text.data, error.message);
    cr_assert_eq(cs_expr_value(derivative, values, &value, &error), CS_OK, "%s: %s", text.data, error.message);
    const double wrong = fabs((double)((value - exact) / fmaxl(1.0L, fabsl(exact))));
    worst = fmax(worst, wrong);
    cr_expect_leq(wrong, 1e-14, "%u: d/d%s %s = %.17g, not %.20Lg", i, names[by], text.data, value, exact);
    cs_expr_free(expr);
    cs_expr_free(derivative);
    cs_text_free(&text);
  }
  cr_log_info("largest deviation %.2g", worst);
}

Test(equations, powers_have_derivatives_too) {
  static const struct {
    const char *text;
    double derivative; /* by a = 0.7; b = 1.3 */
  } cases[] = {{"a^2", 1.4},
               {"a^0.5", 0.5976143046671968},
               {"a^b", 1.1680804743278316},
               {"2*a^-1", -4.081632653061225},
               {"exp(b*log(a))", 1.1680804743278316},
               {"b", 0},
               {"5*a - a*5", 0},
               {"a^0", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_expr *expr, *derivative;
    double value = NAN;
    cr_assert_eq(cs_expr_parse(cases[i].text, names, 3, &expr, &unknown, &error), CS_OK);
    cr_assert_eq(derive(expr, 0, &derivative), CS_OK);
    cr_expect_eq(cs_expr_value(derivative, values, &value, &error), CS_OK);
    cr_expect_leq(fabs(value - cases[i].derivative), 1e-15 * fabs(cases[i].derivative), "%s: %.17g", cases[i].text,
                  value);
    cs_expr_free(expr);
    cs_expr_free(derivative);
  }
}

Test(equations, long_ones_are_bounded) {
  static char text[40001];
  for (size_t i = 0; i < 20000; i++)
    memcpy(text + 2 * i, i < 19999 ? "a*" : "a ", 2);
  text[40000] = '\0';
  for (size_t skip = 0; skip <= 30002; skip += 30002) {
    struct cs_expr *expr, *derivative;
    cr_assert_eq(cs_expr_parse(text + skip, names, 3, &expr, &unknown, &error), CS_OK, "%s", error.message);
    cr_expect_eq(derive(expr, 0, &derivative), CS_INPUT);
    cr_expect_str_eq(error.message, skip > 0 ? "its derivative is too long; want a simpler expression"
                                             : "an expression of 39999 operations; want at most 10000");
    cr_expect_null(derivative);
    cs_expr_free(expr);
  }
}
