/* Modal coordinates of stiff networks: they separate modes, keep the digits of slow ones and describe the same network.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modes.h"
#include "network.h"
#include "sweep_case.h"

enum { STATES = 3, OUTPUTS = 2, MOST = 64 };

static struct cs_sweep *sweep;
static struct cs_layout *layout;
static struct cs_networks *networks;
static double *modes;
static struct cs_error error;

/* Eigenvalues -l and -1 mixed densely, by integers so that the slow one is exactly -1, and a slow lag after it. */
static const char model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"parameters\": {\"l\": 1e8},\n"
    " \"subsystems\": [{\"name\": \"mixed\", \"states\": [\"p\", \"q\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "   \"A\": [[\"1-2*l\", \"l-1\"], [\"2-2*l\", \"l-2\"]], \"B\": [[1], [2]], \"C\": [[1, 0]], \"x0\": [1, 2]},\n"
    "  {\"name\": \"lag\", \"states\": [\"z\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "   \"A\": [[-3]], \"B\": [[1]], \"C\": [[1]]}],\n"
    " \"connections\": [{\"from\": \"mixed.y\", \"to\": \"lag.u\"}, {\"to\": \"mixed.u\", \"value\": 0}]}\n";

static const char text[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"modes.json\", \"t_end\": 1,\n"
    " \"method\": {\"step\": {\"size\": 0.1}}, \"metrics\": [\"output_error\"]}";

static void set_up(void) {
  double overrides[1] = {0};
  unsigned char given[1] = {0};
  struct cs_settings settings;
  size_t index;
  sweep_case_open();
  sweep_case_write("modes.json", model);
  sweep_case_write("s.json", text);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 0, &settings);
  cr_assert_eq(cs_layout_new(sweep, &settings.method, CS_SIMULATION, false, true, &layout, &error), CS_OK);
  cr_assert_eq(cs_networks_new(layout, &networks, &error), CS_OK);
  cr_assert_eq(cs_networks_find(networks, overrides, given, 0, &index, &error), CS_OK);
  cs_settings_free(&settings);
  modes = calloc(cs_mode_places_at(layout, CS_MODES), sizeof *modes);
  cr_assert_eq(cs_modes_fill(layout, networks->numbers, true, modes, &error), CS_OK, "%s", error.message);
}

static void tear_down(void) {
  free(modes);
  cs_networks_free(networks);
  cs_layout_free(layout);
  cs_sweep_free(sweep);
  remove("modes.json");
  sweep_case_close();
}

TestSuite(modes, .init = set_up, .fini = tear_down);

static const double *part(enum cs_modes_part which) {
  return modes + cs_mode_places_at(layout, which);
}

/* [states][largest] to [states][states] of the two subsystems. */
static double block(enum cs_modes_part which, int row, int column) {
  const int first = row < 2 ? 0 : 2, size = row < 2 ? 2 : 1;
  if (column < first || column >= first + size) return 0.0;
  return part(which)[row * (int)layout->dims.largest + column - first];
}

static void expect(double value, double want, double scale, const char *what) {
  cr_expect_leq(fabs(value - want), 4e-15 * scale, "%s: %.17g, want %.17g", what, value, want);
}

Test(modes, slow_modes_keep_their_digits) {
  const size_t n = layout->dims.exact;
  int slow = 0, fast = 0;
  for (size_t i = 0; i < n; i++) {
    const double rate = part(CS_MODES_RATE)[i], value = part(CS_MODES_M)[i * n + i];
    if (rate > 1e7) {
      expect(value, -1e8, 1e8, "fast");
      fast++;
    } else if (fabs(value + 1.0) < 0.5) {
      expect(value, -1.0, 1e3, "slow"); /* a double precision Schur form alone: 1e-8 */
      slow++;
    }
  }
  cr_expect_eq(fast, 1);
  cr_expect_geq(slow, 1);
  cr_expect_eq(part(CS_MODES_RATE_A)[0], part(CS_MODES_RATE_A)[1]);
  cr_expect_geq(part(CS_MODES_RATE_A)[0], 9e7);
}

Test(modes, blocks_are_decoupled) {
  const size_t n = layout->dims.exact;
  for (size_t i = 0; i < n * n; i++)
    if (part(CS_MODES_RATE)[i / n] > 1e7 && part(CS_MODES_RATE)[i % n] < 1e7)
      cr_expect_eq(part(CS_MODES_M)[i], 0.0, "entry %zu", i);
  cr_expect_eq(block(CS_MODES_A, 0, 1) * block(CS_MODES_A, 1, 0), 0.0);
}

/* T and the subsystems' coordinates lead back to the model's own states, and Y to its outputs. */
Test(modes, coordinates_describe_the_same_network) {
  const size_t n = layout->dims.exact;
  const double *t = part(CS_MODES_T), *inverse = part(CS_MODES_I), *y = part(CS_MODES_Y);
  for (size_t j = 0; j < n; j++) {
    double own[STATES] = {0};
    for (int a = 0; a < STATES; a++)
      for (int b = 0; b < STATES; b++)
        for (size_t i = 0; i < n; i++)
          own[a] += block(CS_MODES_OWN, a, b) * t[(size_t)b * n + i] * inverse[i * n + j];
    for (int a = 0; a < STATES; a++)
      expect(own[a], (size_t)a == j ? 1.0 : 0.0, 10.0, "states");
    for (int o = 0; o < OUTPUTS; o++) {
      double sum = 0.0;
      for (size_t i = 0; i < n; i++)
        sum += y[(size_t)o * n + i] * inverse[i * n + j];
      expect(sum, (size_t)(o == 0 ? 0 : 2) == j ? 1.0 : 0.0, 10.0, "outputs");
    }
  }
  for (int o = 0; o < OUTPUTS; o++)
    for (int b = 0; b < STATES; b++) {
      double sum = 0.0;
      for (int a = 0; a < STATES; a++)
        sum += part(CS_MODES_C)[o * STATES + a] * block(CS_MODES_OWN_I, a, b);
      expect(sum, (o == 0 ? 0 : 2) == b ? 1.0 : 0.0, 10.0, "C");
    }
}

/* Numbers of the network for a layout of this method; its kind is returned. */
static uint64_t fill(const struct cs_method *method, bool other, double **numbers) {
  struct cs_layout *own;
  cr_assert_eq(cs_layout_new(sweep, method, CS_SIMULATION, false, true, &own, &error), CS_OK, "%s", error.message);
  own->kind.other = other;
  *numbers = calloc(cs_mode_places_at(own, CS_MODES), sizeof **numbers);
  cr_assert_eq(cs_modes_fill(own, networks->numbers, true, *numbers, &error), CS_OK, "%s", error.message);
  const uint64_t kind = cs_modes_kind(own, true);
  cs_layout_free(own);
  return kind;
}

/* They are of one kind where they are equal, which is all that methods have in common. */
Test(modes, are_those_of_another_method) {
  enum { METHODS = 5 };
  struct cs_settings settings;
  double *numbers[METHODS];
  uint64_t kind[METHODS];
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 0, &settings);
  const size_t bytes = cs_mode_places_at(layout, CS_MODES) * sizeof **numbers;
  kind[0] = fill(&settings.method, false, &numbers[0]);
  kind[1] = fill(&settings.method, true, &numbers[1]);
  settings.method.control = CS_RICHARDSON;
  kind[2] = fill(&settings.method, false, &numbers[2]);
  settings.method.control = CS_FIXED;
  settings.method.hold = CS_LAGRANGE;
  settings.method.subsystem[0].input_order = 2;
  kind[3] = fill(&settings.method, false, &numbers[3]);
  settings.method.master = CS_GAUSS_SEIDEL;
  kind[4] = fill(&settings.method, false, &numbers[4]);
  for (int i = 0; i < METHODS; i++)
    for (int j = 0; j < METHODS; j++)
      cr_expect_eq(kind[i] == kind[j], memcmp(numbers[i], numbers[j], bytes) == 0, "%d and %d", i, j);
  cr_expect_eq(kind[0], kind[3]);
  cr_expect_eq(kind[0], kind[4]);
  for (int i = 0; i < METHODS; i++)
    free(numbers[i]);
  cs_settings_free(&settings);
}
