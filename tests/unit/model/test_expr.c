#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "expr.h"

static const char *unknown;

static const char *const names[] = {"a", "b", "c1"};
static const double parameters[] = {2, 3, -5};

Test(expr, values) {
  static const struct {
    const char *text;
    double value;
  } cases[] = {
      {"1", 1},
      {" 1.5e-3 ", 1.5e-3},
      {".5 + 1.", 1.5},
      {"2E+2", 200},
      {"a", 2},
      {"-(c1+b)/a", 1},
      {"1 - 2 - 3", -4},
      {"8 / 4 / 2", 1},
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"2 ^ 3 ^ 2", 512},
      {"-a^2", -4},
      {"(-a)^2", 4},
      {"2^-1", 0.5},
      {"2^-a^2", 0.0625},
      {"--a", 2},
      {"a*-b", -6},
      {"pi", 3.14159265358979323846},
      {"sqrt(16)", 4},
      {"exp(1)", 2.718281828459045},
      {"log(exp(2))", 2},
      {"sin(pi/2) + cos(0)", 2},
      {"tan(0)", 0},
      {"abs(c1)", 5},
      {"min(b, a)", 2},
      {"max(a, b, c1, 1)", 3},
      {"min(max(a, 1), sqrt(b*b)) + 1", 3},
      {"0 ^ 0", 1},
      {"(-8) ^ 3", -512},
      {"\t1 +\n2", 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_expr *expr;
    struct cs_error error = {0};
    double value = NAN;
    cr_assert_eq(cs_expr_parse(cases[i].text, names, 3, &expr, &unknown, &error), CS_OK, "%s", error.message);
    cr_assert_eq(cs_expr_value(expr, parameters, &value, &error), CS_OK, "%s", error.message);
    /* The library functions round to about one unit in the last place. */
    cr_expect_leq(fabs(value - cases[i].value), 4e-16 * fabs(cases[i].value), "%s = %.17g", cases[i].text, value);
    cs_expr_free(expr);
  }
}

Test(expr, bad_texts_are_refused) {
#define NAMES "want one of: a, b, c1, pi, sqrt, exp, log, sin, cos, tan, abs, min, max"
  static const char *const cases[][2] = {
      {"", "unexpected end in \"\"; want a number, a name, - or ("},
      {"a+", "unexpected end in \"a+\"; want a number, a name, - or ("},
      {"+a", "unexpected + at character 1 in \"+a\"; want a number, a name, - or ("},
      {"a b", "unexpected b at character 3 in \"a b\"; want an operator or the end"},
      {"2 pi", "unexpected p at character 3 in \"2 pi\"; want an operator or the end"},
      {"a**b", "unexpected * at character 3 in \"a**b\"; want a number, a name, - or ("},
      {"(a", "unexpected end in \"(a\"; want an operator or )"},
      {"a)", "unexpected ) at character 2 in \"a)\"; want an operator or the end"},
      {"a(2)", "unexpected ( at character 2 in \"a(2)\"; want an operator or the end"},
      {"a−b", "unexpected − at character 2 in \"a−b\"; want an operator or the end"},
      {"x*a", "unknown name \"x\" in \"x*a\"; " NAMES},
      {"c", "unknown name \"c\" in \"c\"; " NAMES},
      {"c12", "unknown name \"c12\" in \"c12\"; did you mean \"c1\"?"},
      {"inf", "unknown name \"inf\" in \"inf\"; " NAMES},
      {"sqrt", "unexpected end in \"sqrt\"; want ( after the name of a function"},
      {"sqrt()", "unexpected ) at character 6 in \"sqrt()\"; want a number, a name, - or ("},
      {"sqrt(a, b)", "unexpected , at character 7 in \"sqrt(a, b)\"; want )"},
      {"min(a)", "one argument of min in \"min(a)\"; want two or more"},
      {"max(a b)", "unexpected b at character 7 in \"max(a b)\"; want , or )"},
      {"0x10", "unexpected x at character 2 in \"0x10\"; want a decimal number"},
      {"1e", "unexpected e at character 2 in \"1e\"; want an operator or the end"},
      {".", "unexpected . at character 1 in \".\"; want a digit before or after the point"},
      {"1e999", "number out of range in \"1e999\"; want a magnitude up to 1.79e308"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_expr *expr;
    struct cs_error error = {0};
    cr_assert_eq(cs_expr_parse(cases[i][0], names, 3, &expr, &unknown, &error), CS_INPUT, "accepted: %s", cases[i][0]);
    cr_expect_str_eq(error.message, cases[i][1]);
    cr_expect_null(expr);
  }
}

Test(expr, values_that_are_not_finite_have_a_reason) {
  static const char *const cases[][2] = {
      {"a / (b - 3)", "division by zero"},
      {"0 ^ -1", "division by zero"},
      {"sqrt(c1)", "sqrt of -5"},
      {"log(0)", "log of 0"},
      {"log(-1)", "log of -1"},
      {"c1 ^ 0.5", "power 0.5 of the negative number -5"},
      {"exp(1000)", "not finite: exp of 1000"},
      {"min(1, exp(1000))", "not finite: exp of 1000"},
      {"1e308 * 10", "not finite: 1e+308 * 10"},
      {"1 / exp(1000)", "not finite: exp of 1000"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_expr *expr;
    struct cs_error error = {0};
    double value;
    cr_assert_eq(cs_expr_parse(cases[i][0], names, 3, &expr, &unknown, &error), CS_OK, "%s", error.message);
    cr_assert_eq(cs_expr_value(expr, parameters, &value, &error), CS_INPUT, "%s has a value", cases[i][0]);
    cr_expect_str_eq(error.message, cases[i][1]);
    cs_expr_free(expr);
  }
}

Test(expr, nesting_is_bounded) {
  char text[10001];
  static const char openers[] = "(-";
  for (size_t i = 0; i < strlen(openers); i++) {
    struct cs_expr *expr;
    struct cs_error error = {0};
    memset(text, openers[i], sizeof text - 1);
    text[sizeof text - 1] = '\0';
    cr_expect_eq(cs_expr_parse(text, names, 3, &expr, &unknown, &error), CS_INPUT);
    cr_expect_str_eq(error.message, "nested deeper than 64 levels; want a simpler expression");
  }
  struct cs_expr *expr;
  struct cs_error error = {0};
  double value = 0;
  for (size_t i = 0; i < 5000; i++)
    memcpy(text + 2 * i, i < 4999 ? "a+" : "a ", 2);
  text[10000] = '\0';
  cr_assert_eq(cs_expr_parse(text, names, 3, &expr, &unknown, &error), CS_OK, "length alone is no depth");
  cr_expect_eq(cs_expr_value(expr, parameters, &value, &error), CS_OK);
  cr_expect_eq(value, 10000);
  cs_expr_free(expr);
}

Test(expr, zeros_and_uses_are_known) {
  static const struct {
    const char *text;
    bool zero, uses_b;
  } cases[] = {{"0", true, false}, {"0.0", true, false}, {"0*a", false, false}, {"min(a,b)", false, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_expr *expr;
    struct cs_error error;
    cr_assert_eq(cs_expr_parse(cases[i].text, names, 3, &expr, &unknown, &error), CS_OK);
    cr_expect_eq(cs_expr_is_zero(expr), cases[i].zero, "%s", cases[i].text);
    cr_expect_eq(cs_expr_uses(expr, 1), cases[i].uses_b, "%s", cases[i].text);
    cs_expr_free(expr);
  }
  struct cs_expr *number = cs_expr_number(-0.0);
  cr_expect(cs_expr_is_zero(number));
  cs_expr_free(number);
  cr_expect(cs_expr_is_reserved("pi"));
  cr_expect(cs_expr_is_reserved("max"));
  cr_expect_not(cs_expr_is_reserved("a"));
}
