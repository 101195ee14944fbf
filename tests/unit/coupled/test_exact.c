/* RMS of exact outputs beside integrals by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"

static struct cs_error error;

/* Two lags of rates a and b from x = 1, y = x1 - x2 and x2, a constant c into the second, and events. */
static const char model[] =
    "{'format': 'cosweep-model/1', 'name': 'm', 'subsystems': [{'name': 's', 'states': ['x', 'z'], 'inputs': ['u'],"
    " 'outputs': ['d', 'z'], 'A': [[%.17g, 0], [0, %.17g]], 'B': [[0], [1]], 'C': [[1, -1], [0, 1]], 'x0': [1, 1]}],"
    " 'connections': [{'to': 's.u', 'value': %g}], 'events': [%s]}";

/* rms [2] over T. */
static void find(double a, double b, double c, const char *events, double T, double *rms) {
  struct cs_text text = {0};
  struct cs_json *json;
  struct cs_model *made;
  cs_text_add(&text, model, -a, -b, c, events);
  for (char *p = text.data; *p; p++)
    *p = *p == '\'' ? '"' : *p;
  cr_assert_eq(cs_json_parse("f", text.data, text.length, &json, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_model_read(json, &made, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_exact_rms(made, NULL, NULL, T, rms, &error), CS_OK, "%s", error.message);
  cs_model_free(made);
  cs_text_free(&text);
}

/* int_0^T e^(-k t) dt. */
static double area(double k, double T) {
  return k == 0.0 ? T : -expm1(-k * T) / k;
}

static void expect(double found, double want, double tolerance, const char *what) {
  cr_expect(fabs(found - want) <= tolerance * want, "%s: %.17g, not %.17g", what, found, want);
}

/* The difference of both lags, squared: e^-2at - 2 e^-(a+b)t + e^-2bt. */
static double difference(double a, double b, double T) {
  return sqrt((area(2 * a, T) - 2 * area(a + b, T) + area(2 * b, T)) / T);
}

Test(exact, decays_slow_fast_and_both) {
  static const double rate[][2] = {{1, 2}, {1e-3, 5}, {0, 1}, {1e8, 1}, {1e8, 1e-3}, {3e4, 1e9}};
  for (size_t i = 0; i < sizeof rate / sizeof *rate; i++) {
    const double T = 7.5;
    double rms[2];
    find(rate[i][0], rate[i][1], 0.0, "", T, rms);
    expect(rms[0], difference(rate[i][0], rate[i][1], T), 1e-13, "difference");
    expect(rms[1], sqrt(area(2 * rate[i][1], T) / T), 1e-13, "lag");
  }
}

/* With b = a (1 + 1e-7) the difference is e^-at a 1e-7 t: seven digits of the states are not in it. */
Test(exact, small_differences_of_large_states) {
  double rms[2];
  find(1.0, 1.0000001, 0.0, "", 3.0, rms);
  expect(rms[0], 1e-7 * sqrt(((2 - (9 * 4 + 3 * 4 + 2) * exp(-6.0)) / 8) / 3.0), 2e-7, "difference");
}

Test(exact, constants_and_events) {
  double rms[2];
  find(1.0, 2.0, 2.0, "", 4.0, rms); /* z stays 1 */
  expect(rms[1], 1.0, 1e-14, "at rest");
  find(1.0, 0.0, 0.0, "{'name': 'a', 't': 1, 'set': {'s.z': 0}}, {'name': 'b', 't': 3, 'add': {'s.z': 2}}", 4.0, rms);
  expect(rms[1], sqrt((1.0 + 0.0 + 4.0) / 4.0), 1e-14, "events");
  find(1.0, 0.0, 0.0, "{'name': 'a', 't': 4, 'set': {'s.z': 100}}", 4.0, rms);
  expect(rms[1], 1.0, 1e-14, "an event at the end");
}

Test(exact, nothing_that_is_not_finite) {
  double rms[2];
  find(-1000.0, 1.0, 0.0, "", 1e6, rms);
  cr_expect(isnan(rms[0]));
}
