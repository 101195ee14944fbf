/* Expressions of parameters, and their derivatives. */
#include "expr.h"
#include "fuzz.h"

static void take(const char *bytes, size_t size) {
  static const char *const names[] = {"p", "q", "omega"};
  static const double values[] = {2.0, -0.5, 1e9};
  struct cs_expr *expr = NULL, *derived;
  struct cs_derivation *derivation;
  const char *unknown;
  struct cs_error error;
  double value;
  (void)size;
  const int code = cs_expr_parse(bytes, names, 3, &expr, &unknown, &error);
  if (code == CS_OK) cs_expr_value(expr, values, &value, &error);
  for (size_t p = 0; p < 4 && code == CS_OK; p++) {
    derived = NULL;
    int made = cs_expr_open_derivation(expr, p < 3 ? p : 1, p < 2 ? p : 2, &derivation, &error);
    for (size_t v = p; made == CS_OK && p < 3 && (v = cs_expr_next_variable(derivation, v)) <= 2; v++) {
      cs_expr_free(derived);
      made = cs_expr_derivative(derivation, v, &derived, &error);
    }
    if (made == CS_OK && p == 3) made = cs_expr_constant(derivation, &derived, &error);
    if (made == CS_OK && derived != NULL) cs_expr_value(derived, values, &value, &error);
    cs_expr_free(derived);
    cs_expr_close_derivation(derivation);
  }
  cs_expr_free(expr);
}

static void seed(void) {
  static const char *const texts[] = {"sqrt(p^2 + q^2) / (2 * pi)",
                                      "-p^-q^2",
                                      "max(min(p, q), abs(omega))",
                                      "1e-3",
                                      "exp(-p) * sin(omega) + cos(q) - tan(1)",
                                      "((((p))))",
                                      "log(p)/q",
                                      "q*p/(p - omega)^3",
                                      "2 ^ 3 ^ 2"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    fuzz_seed_text(texts[i]);
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed};
