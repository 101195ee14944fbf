/* Gains of loops of feed-through: the spectral radius of |D| |L|, or slightly more. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "loop.h"

/* Two subsystems, b with two inputs; `connections` beside a.y to b.u and constants. */
static double gain(double d, double back, const char *connections) {
  char text[1024];
  struct cs_error error;
  struct cs_json *json;
  struct cs_model *model;
  snprintf(text, sizeof text,
           "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"parameters\": {\"d\": {\"value\": 1}, \"e\": "
           "{\"value\": 1}}, \"subsystems\": ["
           "{\"name\": \"a\", \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"D\": [[\"d\"]]},"
           "{\"name\": \"b\", \"inputs\": [\"u\", \"v\"], \"outputs\": [\"y\"], \"D\": [[\"e\", 5]]}],"
           " \"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"},"
           " {\"value\": 1, \"to\": \"a.u\"}, {\"value\": 1, \"to\": \"b.v\"}%s]}",
           connections);
  cr_assert_eq(cs_json_parse("m", text, strlen(text), &json, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_model_read(json, &model, &error), CS_OK, "%s", error.message);
  const double parameters[] = {d, back};
  double room[5];
  const double found = cs_loop_gain(model, parameters, room);
  cs_model_free(model);
  return found;
}

static void expect_slightly_more(double found, double radius, const char *what) {
  cr_expect(found >= radius && found < 1.03 * radius, "%s: %g", what, found);
}

Test(loop, gains) {
  static const char back[] = ", {\"from\": \"b.y\", \"to\": \"a.u\"}", own[] = ", {\"from\": \"b.y\", \"to\": \"b.v\"}";
  cr_expect_eq(gain(3, 7, ""), 0, "a chain");
  cr_expect_float_eq(gain(0.5, 0.5, back), 0.5, 1e-12);
  cr_expect_float_eq(gain(0.5, -0.5, back), 0.5, 1e-12, "signs do not count");
  expect_slightly_more(gain(8, 0.02, back), 0.4, "in units that do not balance");
  expect_slightly_more(gain(3, 7, own), 5, "through one subsystem");
  cr_expect(isnan(gain(INFINITY, 1, back)));
}
