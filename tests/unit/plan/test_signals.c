/* Sizes of the exact signals do not depend on the units of states. */
#include <criterion/criterion.h>
#include <math.h>

#include "network.h"
#include "signals.h"
#include "sweep_case.h"

TestSuite(signals, .init = sweep_case_open, .fini = sweep_case_close);

static struct cs_error error;

/* x' = -x + q z, z' = -z from z = 1/q: x = t e^-t, whose largest value at 65 instants up to 20 s is that at 0.9375 s.
 */
static const char model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"parameters\": {\"q\": 1}, \"subsystems\": [\n"
    "{\"name\": \"s\", \"states\": [\"x\", \"z\"], \"inputs\": [], \"outputs\": [\"y\", \"w\"],\n"
    "\"A\": [[-1, \"q\"], [0, -1]], \"C\": [[1, 0], [0, \"q\"]], \"x0\": [0, \"1/q\"]}], \"connections\": []}\n";

Test(signals, have_sizes_in_any_units) {
  static const char text[] =
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 20,\n"
      "\"method\": {\"step\": {\"size\": 0.1}}, \"metrics\": [\"output_error\"]}";
  struct cs_sweep *sweep;
  struct cs_settings settings;
  struct cs_layout *layout;
  struct cs_networks *networks;
  sweep_case_write("model.json", model);
  sweep_case_write("s.json", text);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 0, &settings);
  cr_assert_eq(cs_layout_new(sweep, &settings.method, CS_SIMULATION, false, false, &layout, &error), CS_OK);
  cr_assert_eq(cs_networks_new(layout, &networks, &error), CS_OK);
  for (double q = 1.0; q < 1e31; q *= 1e15) {
    const unsigned char given = 1;
    double size[16];
    size_t at;
    cr_assert_eq(cs_networks_find(networks, &q, &given, 0, &at, &error), CS_OK);
    cr_assert_leq(cs_signals_place(layout, CS_SIZES_OF), 16);
    cr_assert_eq(cs_signals_find(layout, networks->numbers + at * networks->packed, 20.0, size, &error), CS_OK);
    cr_expect_float_eq(size[0], 0.9375 * exp(-0.9375), 1e-13, "q = %g: y is %.17g", q, size[0]);
    cr_expect_float_eq(size[1], 1.0, 1e-13, "q = %g: w is %.17g", q, size[1]);
  }
  cs_networks_free(networks);
  cs_layout_free(layout);
  cs_settings_free(&settings);
  cs_sweep_free(sweep);
}
