/* Ways to share the work of a sweep that may not change it: teams of work-items, several devices, runs that are the
 * same work computed once. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "engine_case.h"

#define SWEEP                                                                                                    \
  "{\"format\": \"cosweep-sweep/1\", \"name\": \"ways\", \"model\": \"model.json\", \"study\": \"simulation\", " \
  "\"t_end\": 10, \"method\": {\"hold\": \"taylor\", \"order\": 1, \"step\": {\"control\": \"fixed\"}%s}, "      \
  "\"axes\": [%s{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.0003, 1, 37]}], "             \
  "\"metrics\": [\"output_defect\", \"connection_defect\", \"output_error\", \"state_error_final\", \"steps\"]}"

static void run_on(struct harness *harness, const char *method, const char *axis, struct cs_device *const *device,
                   size_t devices, const struct cs_engine_options *options, struct engine_case *result) {
  struct cs_engine_options own = *options;
  struct cs_text sweep = {0};
  struct cs_error error;
  *result = (struct engine_case){0};
  cs_text_add(&sweep, SWEEP, method, axis);
  harness_load(harness, sweep.data);
  result->runs = harness->sweep->runs;
  if (own.build_pays == 0.0) own.build_pays = harness_build_pays(device[0]);
  cr_assert_eq(cs_engine_run_on(harness->sweep, device, devices, &own, &result->table, &result->outcome, &error), CS_OK,
               "%s", error.message);
  cs_text_free(&sweep);
}

static void run(struct harness *harness, const char *method, const char *axis, const struct cs_engine_options *options,
                struct engine_case *result) {
  run_on(harness, method, axis, &harness->device, 1, options, result);
}

static void open_opencl(struct harness *harness) {
  harness_open_opencl(harness);
  engine_case_model(harness, "models/two_mass_oscillator/model.json");
}

Test(ways, teams_of_any_size_give_the_same_bytes) {
  static const char method[] = ", \"engine\": \"double\"";
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case alone, team, lanes;
  struct cs_device *host = NULL;
  struct cs_error error;
  open_opencl(&harness);
  cr_assert_eq(cs_device_open("host", &host, &error), CS_OK, "%s", error.message);
  run(&harness, method, "", &(struct cs_engine_options){.lanes = 1, .team = 1, .build_pays = INFINITY}, &alone);
  run(&harness, method, "", &(struct cs_engine_options){.lanes = 1, .team = 48, .build_pays = INFINITY}, &team);
  run_on(&harness, method, "", &host, 1, &(struct cs_engine_options){.lanes = 0}, &lanes); /* the bits of a built one */
  engine_case_all_doubled(&team);
  engine_case_same(&alone, &team);
  engine_case_compare(&check, &team, &lanes, 1e-12, 1e-24);
  harness_finish(&check, "teams against vectors");
  engine_case_free(&alone);
  engine_case_free(&team);
  engine_case_free(&lanes);
  cs_device_close(host);
  harness_close(&harness);
}

/* Of a small model, whose rows are in registers, and of a larger one, whose map is in local memory. */
Test(ways, teams_step_with_the_same_bits) {
  static const char *const models[] = {"models/two_mass_oscillator/model.json", "models/mass_chain/model.json"};
  static const char method[] = ", \"engine\": \"step\"";
  struct harness harness;
  struct engine_case team, host_alone;
  struct cs_device *host = NULL;
  struct cs_error error;
  open_opencl(&harness);
  cr_assert_eq(cs_device_open("host", &host, &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    engine_case_model(&harness, models[i]);
    run(&harness, method, "", &(struct cs_engine_options){.lanes = 1, .team = 1, .build_pays = INFINITY}, &team);
    run_on(&harness, method, "", &host, 1, &(struct cs_engine_options){.lanes = 0}, &host_alone);
    engine_case_same(&team, &host_alone);
    engine_case_free(&team);
    engine_case_free(&host_alone);
  }
  cs_device_close(host);
  harness_close(&harness);
}

#define VARIED                                                                                                       \
  "{\"format\": \"cosweep-sweep/1\", \"name\": \"ways\", \"model\": \"model.json\", \"study\": \"simulation\", "     \
  "\"t_end\": 3, \"method\": {%s, \"step\": {%s}}, \"axes\": [{\"name\": \"H\", \"path\": \"method.step.initial\", " \
  "\"values\": [0.001, 0.02, 0.3]}], \"metrics\": [\"output_defect\", \"connection_defect\", %s\"state_error\", "    \
  "\"state_error_final\", \"steps\"]}"

static void run_varied(struct harness *harness, const char *sweep, struct cs_device *device,
                       const struct cs_engine_options *options, struct engine_case *result) {
  struct cs_error error;
  *result = (struct engine_case){0};
  harness_load(harness, sweep);
  result->runs = harness->sweep->runs;
  cr_assert_eq(cs_engine_run_on(harness->sweep, &device, 1, options, &result->table, &result->outcome, &error), CS_OK,
               "%s", error.message);
}

/* Steps that one series covers and longer ones, both holds with teams, their feed-throughs, starts and controls. */
Test(ways, teams_vary_their_steps_with_the_same_bits) {
  static const struct {
    const char *model, *method, *step, *inside;
  } cases[] = {{"models/two_mass_oscillator/model.json", "\"hold\": \"taylor\", \"order\": 2",
                "\"control\": \"pi_defect\", \"tolerance\": 1e-2", "\"output_error\", \"input_error\", "},
               {"models/mass_chain/model.json", "\"hold\": \"lagrange\", \"order\": 2, \"start\": \"ramp\"",
                "\"control\": \"pi_defect\", \"tolerance\": 1e-1", "\"output_error\", "},
               {"models/mass_spring_damper_feedthrough/model.json",
                "\"hold\": \"taylor\", \"order\": 1, \"feedthrough\": \"solved\"",
                "\"control\": \"pi_defect\", \"tolerance\": 1e-2", "\"input_error\", "}};
  struct harness harness;
  struct engine_case team, host_alone;
  struct cs_device *host = NULL;
  struct cs_error error;
  open_opencl(&harness);
  cr_assert_eq(cs_device_open("host", &host, &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_text sweep = {0};
    cs_text_add(&sweep, VARIED, cases[i].method, cases[i].step, cases[i].inside);
    engine_case_model(&harness, cases[i].model);
    run_varied(&harness, sweep.data, harness.device,
               &(struct cs_engine_options){.lanes = 1, .team = 1, .build_pays = INFINITY}, &team);
    run_varied(&harness, sweep.data, host, &(struct cs_engine_options){.lanes = 0, .build_pays = INFINITY},
               &host_alone);
    engine_case_same(&team, &host_alone);
    engine_case_free(&team);
    engine_case_free(&host_alone);
    cs_text_free(&sweep);
  }
  cs_device_close(host);
  harness_close(&harness);
}

Test(ways, devices_share_the_runs) {
  struct harness harness;
  struct cs_error error;
  struct engine_case one, two;
  open_opencl(&harness);
  struct cs_device *device[2] = {harness.device};
  cr_assert_eq(cs_device_open(NULL, &device[1], &error), CS_OK, "%s", error.message);
  const struct cs_engine_options options = {.tile_runs = 3, .build_pays = INFINITY}; /* nothing pays to be optimised */
  run(&harness, "", "", &options, &one);
  run_on(&harness, "", "", device, 2, &options, &two);
  engine_case_same(&one, &two);
  const struct cs_note *names = cs_table_find_note(two.table, "device");
  cr_expect(names != NULL && names->count == 2, "both devices stand in the result");
  engine_case_free(&one);
  engine_case_free(&two);
  cs_device_close(device[1]);
  harness_close(&harness);
}
