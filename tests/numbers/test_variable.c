/* Runs of variable step by the engine against the tables of Glumac and Kovačić 2023 (Fig. 7 to 10) and Andersson 2013
 * (Table 5.2), tolerances in variable_tables.h; limits of steps against tests/plain_vary.c. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "variable_tables.h"

#define HEAD                                                                                                  \
  "{\"format\": \"cosweep-sweep/1\", \"name\": \"limits\", \"model\": \"model.json\", \"t_end\": 1,\n"        \
  "\"metrics\": [\"steps\", \"rejected_steps\", \"evaluations\", \"step_min\", \"step_mean\", \"step_max\", " \
  "\"t_final\"],\n"                                                                                           \
  "\"method\": {\"hold\": \"lagrange\", \"order\": 1, \"start\": \"ramp\", "

static void compare_glumac(struct variable_runner *runner, struct harness_check *check) {
  variable_compare_glumac(runner, 1, check);
}

Test(variable, defect_controlled_runs) {
  variable_compare_engine(compare_glumac, "pi_defect");
}

Test(variable, richardson_controlled_runs) {
  variable_compare_engine(variable_compare_quarter_car, "richardson");
}

/* ---- ends that are none, and what min and max do, against the plain reference */

static const struct {
  const char *step;
  int status;
} limits[] = {
    {"\"control\": \"pi_defect\", \"initial\": 1e-3, \"tolerance\": 1e-2, \"max_steps\": 7", 3},
    {"\"control\": \"pi_defect\", \"initial\": 1e-2, \"tolerance\": 1e-9, \"underflow\": 1e-3", 2},
    {"\"control\": \"pi_defect\", \"initial\": 1e-4, \"tolerance\": 1e-2, \"underflow\": 1e-3", 2},
    {"\"control\": \"pi_defect\", \"initial\": 1e-2, \"tolerance\": 1e-9, \"underflow\": 1e-3, \"min\": 2e-3", 0},
    {"\"control\": \"pi_defect\", \"initial\": 1e-2, \"tolerance\": 1e-2, \"max\": 5e-3", 0},
    {"\"control\": \"richardson\", \"initial\": 0.3, \"atol\": 1e-6, \"rtol\": 1e-6, \"max_steps\": 9", 3},
    {"\"control\": \"richardson\", \"initial\": 0.3, \"atol\": 1e-9, \"rtol\": 1e-9, \"underflow\": 2e-3", 2},
    {"\"control\": \"richardson\", \"initial\": 0.3, \"atol\": 1e-9, \"rtol\": 1e-9, \"min\": 5e-2", 2},
    {"\"control\": \"richardson\", \"initial\": 0.3, \"atol\": 1e-3, \"rtol\": 1e-3, \"end\": \"overshoot\"", 0},
    {"\"control\": \"threshold\", \"signal\": \"oscillator1.tau1\", \"threshold\": 0, \"above\": 0.1, \"below\": 0.3",
     0},
    {"\"control\": \"threshold\", \"signal\": \"oscillator1.tau1\", \"threshold\": 0, \"above\": 0.1, \"below\": 0.3, "
     "\"max\": 0.07",
     0},
};

Test(variable, limits_of_steps) {
  static const enum cs_metric metrics[] = {CS_STEPS,     CS_REJECTED_STEPS, CS_EVALUATIONS, CS_STEP_MIN,
                                           CS_STEP_MEAN, CS_STEP_MAX,       CS_T_FINAL};
  struct harness harness;
  struct variable_runner engine;
  struct harness_check check = {0};
  struct plain_result *plain = malloc(sizeof *plain);
  char *model = harness_read("models/two_mass_oscillator/model.json");
  variable_open(&engine, &harness, false);
  harness_write(&harness, "model.json", model);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct cs_text sweep = {0};
    cs_text_add(&sweep, HEAD "\"step\": {%s}}}\n", limits[i].step);
    variable_run(&engine, sweep.data);
    plain_run(harness.sweep, 0, NULL, NULL, plain);
    cr_expect_eq(plain->status, limits[i].status, "%s: status %d of the reference", limits[i].step, plain->status);
    harness_compare(&check, variable_value(&engine, "status", NULL, NULL), limits[i].status, 0, 0, "%s: status",
                    limits[i].step);
    const size_t counts = limits[i].status == 0 ? sizeof metrics / sizeof *metrics : 3;
    for (size_t m = 0; m < counts; m++) {
      const struct cs_metric_info *info = &cs_metric_table[metrics[m]];
      harness_compare(&check, variable_value(&engine, info->name, NULL, NULL), (double)plain->metric[metrics[m]][0],
                      info->reduction == CS_COUNT ? 0 : 1e-11, 0, "%s: %s", limits[i].step, info->name);
    }
    cs_text_free(&sweep);
  }
  harness_finish(&check, "limits");
  variable_close(&engine);
  free(model);
  free(plain);
}
