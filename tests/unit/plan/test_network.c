/* Networks of parameter sets one after another: what is known of a set does not depend on the sets before it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness_files.h"
#include "network.h"
#include "sweep_case.h"

enum { SETS = 2000, MOST = 64 };

static struct cs_error error;

/* A loop of gains g and h, which is singular where g h = 1, whose dynamics depend on other parameters. */
static const char model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"m\",\n"
    " \"parameters\": {\"g\": 0.5, \"h\": 0.5, \"a\": 2, \"b\": 1, \"x\": 1},\n"
    " \"subsystems\": [{\"name\": \"p\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "   \"A\": [[\"-a\"]], \"B\": [[\"1/b\"]], \"C\": [[1]], \"D\": [[\"g\"]], \"x0\": [\"x\"]},\n"
    "  {\"name\": \"q\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "   \"A\": [[-1]], \"B\": [[\"b\"]], \"C\": [[\"a*b\"]], \"D\": [[\"h\"]]}],\n"
    " \"connections\": [{\"from\": \"p.y\", \"to\": \"q.u\"}, {\"from\": \"q.y\", \"to\": \"p.u\", \"gain\": "
    "\"x\"}]}\n";

static const char text[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"loop.json\", \"t_end\": 1,\n"
    " \"method\": {\"step\": {\"size\": 0.1}}, \"metrics\": [\"output_error\"]}";

static struct cs_networks *networks_of(const struct cs_layout *layout) {
  struct cs_networks *networks;
  cr_assert_eq(cs_networks_new(layout, &networks, &error), CS_OK, "%s", error.message);
  return networks;
}

/* Compares configuration c of set `one` with that of the only set of `other`. */
static void expect_same(const struct cs_networks *networks, size_t one, const struct cs_networks *other, size_t c) {
  const size_t packed = networks->packed;
  cr_expect_eq(networks->status[one + c], other->status[c]);
  cr_expect(memcmp(networks->numbers + (one + c) * packed, other->numbers + c * packed, packed * sizeof(double)) == 0);
  cr_expect(memcmp(&networks->norm[one + c], &other->norm[c], sizeof(double)) == 0);
  cr_expect_eq(networks->chain[one + c], other->chain[c]);
  const char *reason = networks->reason[one + c], *wanted = other->reason[c];
  cr_expect((reason == NULL) == (wanted == NULL) && (reason == NULL || strcmp(reason, wanted) == 0));
}

/* Sets that differ from the one before in one parameter, by a factor or a special value; `invalid`, `singular`: how
 * many. */
static void walk(const struct cs_sweep *sweep, enum cs_study study, size_t *invalid, size_t *singular) {
  static const double special[] = {0.0, 0.5, 1.0, 2.0};
  double overrides[MOST];
  unsigned char given[MOST] = {0};
  struct cs_settings settings;
  struct cs_layout *layout;
  cr_assert(sweep->model->parameters <= MOST);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 0, &settings);
  cr_assert_eq(cs_layout_new(sweep, &settings.method, study, false, false, &layout, &error), CS_OK);
  struct cs_networks *networks = networks_of(layout);
  networks->distinct = study == CS_STABILITY; /* where sets are not looked for, the same one comes again */
  cr_assert_eq(cs_model_parameters(sweep->model, NULL, NULL, overrides, &error), CS_OK);
  memset(given, 1, sweep->model->parameters);
  for (size_t set = 0; set < SETS; set++) {
    const size_t changed = (size_t)rand() % sweep->model->parameters, drawn = (size_t)rand() % 100;
    const double last = overrides[changed];
    overrides[changed] = drawn < 50 ? special[drawn % 4] : last * (0.8 + 0.005 * (double)drawn);
    struct cs_networks *alone = networks_of(layout);
    size_t at, first;
    cr_assert_eq(cs_networks_find(networks, overrides, given, 0, &at, &error), CS_OK);
    cr_assert_eq(cs_networks_find(alone, overrides, given, 0, &first, &error), CS_OK);
    for (size_t c = 0; c < networks->configurations; c++)
      expect_same(networks, at, alone, c);
    *invalid += alone->status[0] == CS_STATUS_INVALID;
    *singular += alone->status[0] == CS_STATUS_SINGULAR;
    if (overrides[changed] == 0.0) overrides[changed] = last;
    cs_networks_free(alone);
  }
  cs_networks_free(networks);
  cs_layout_free(layout);
  cs_settings_free(&settings);
}

static void walk_both(const struct cs_sweep *sweep, size_t *invalid, size_t *singular) {
  walk(sweep, CS_SIMULATION, invalid, singular);
  walk(sweep, CS_STABILITY, invalid, singular);
}

Test(network, does_not_depend_on_the_sets_before) {
  static const char *const shipped[] = {"sweeps/demonstration.json", "sweeps/stick_slip.json", "sweeps/hammer.json",
                                        "sweeps/thermostat.json", "sweeps/kyllingstad_reservoirs.json"};
  struct cs_sweep *sweep;
  size_t invalid = 0, singular = 0;
  for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
    char *path = harness_source_path(shipped[i]);
    cr_assert_eq(cs_sweep_load(path, NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
    walk_both(sweep, &invalid, &singular);
    cs_sweep_free(sweep);
    free(path);
  }
  sweep_case_open();
  sweep_case_write("loop.json", model);
  sweep_case_write("s.json", text);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  walk_both(sweep, &invalid, &singular);
  cs_sweep_free(sweep);
  remove("loop.json");
  sweep_case_close();
  cr_expect(invalid > 0, "no set was invalid");
  cr_expect(singular > 9, "only %zu sets were singular", singular);
}
