/* The kernels compiled ahead give the bits of the programs that are built for a variant: all holds, masters,
 * feed-throughs, solvers, controls and studies, steps one by one and doubled, with and without fast modes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "engine_case.h"
#include "random_cases.h"

#define EVERY                                                                                             \
  "\"output_defect\", \"output_defect_true\", \"connection_defect\", \"output_error\", \"input_error\", " \
  "\"state_error\", \"state_error_final\""
#define RATED "\"output_error\", \"input_error\", \"state_error\", \"output_error_max\", \"state_error_final\""
#define FIXED "\"step\": {\"control\": \"fixed\"}"
#define SIZES(values) "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [" values "]}"
#define TOLERANCES "{\"name\": \"tol\", \"path\": \"method.step.tolerance\", \"logspace\": [1e-5, 1e-2, 9]}"
#define POINTS "\"output_defect\", \"connection_defect\", \"output_error\", \"state_error_final\", \"steps\""
#define BONDS                                                                   \
  "\"bonds\": [{\"a\": [\"spring_damper.velocity\", \"spring_damper.force\"], " \
  "\"b\": [\"mass.force\", \"mass.velocity\"]}]"

static const struct way {
  const char *model;
  double t_end; /* s; 0: study stability */
  const char *method, *axis, *metrics;
} ways[] = {
    {"two_mass_oscillator", 30, "\"feedthrough\": \"explicit\", \"order\": 3, \"hold\": \"taylor\", " FIXED,
     SIZES("0.03, 0.1, 0.5, 1, 9"), EVERY},
    {"two_mass_oscillator", 30,
     "\"feedthrough\": \"explicit\", \"order\": 2, \"hold\": \"lagrange\", \"master\": \"gauss_seidel\", "
     "\"engine\": \"step\", " FIXED,
     SIZES("0.03, 0.1, 0.5, 1, 9"), EVERY},
    {"quarter_car", 1,
     "\"feedthrough\": \"explicit\", \"order\": 2, \"hold\": \"backward_difference\", \"start\": \"ramp\", " FIXED,
     SIZES("0.001, 0.004"), EVERY ", \"local_error\", \"local_error_estimate\""},
    {"linear_feedthrough", 3,
     "\"feedthrough\": \"solved\", \"order\": 1, \"hold\": \"taylor\", \"iterations\": 1, " FIXED,
     SIZES("0.03, 0.1, 0.5, 1"), EVERY ", \"local_error\", \"local_error_estimate\""},
    {"two_mass_oscillator", 30, "\"order\": 1, \"hold\": \"taylor\", \"iterations\": \"converged\", " FIXED,
     SIZES("0.03, 0.5, 9"), EVERY ", \"local_error\""},
    {"two_mass_oscillator", 10,
     "\"order\": 2, \"hold\": \"lagrange\", \"master\": \"gauss_seidel\", \"iterations\": 2, \"relaxation\": 0.7, "
     "\"continuity\": \"c1\", \"start\": \"ramp\", " FIXED,
     SIZES("0.03, 0.5"), EVERY ", \"local_error\""},
    {"two_mass_oscillator", 10,
     "\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"lagrange\", \"continuity\": \"c0\", \"latency\": 2, "
     "\"step\": {\"control\": \"pi_defect\", \"tolerance\": 0.01}",
     "{\"name\": \"first\", \"path\": \"method.step.initial\", \"values\": [0.01, 0.1]}", EVERY ", \"steps\""},
    {"ring", 0, "\"hold\": \"lagrange\", \"order\": 1, \"iterations\": \"converged\"", SIZES("0.1, 1, 5"),
     "\"spectral_radius\", \"contraction\""},
    {"two_mass_oscillator", 10,
     "\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"lagrange\", \"master\": \"gauss_seidel\", "
     "\"iterations\": \"tolerance\", \"acceleration\": \"quasi_newton\", \"relaxation\": 0.5, " FIXED,
     SIZES("0.03, 0.5, 9"), EVERY ", \"local_error\", \"repetitions\", \"repetitions_max\", \"unconverged_steps\""},
    {"quarter_car", 1,
     "\"order\": 0, \"hold\": \"lagrange\", \"iterations\": \"tolerance\", \"acceleration\": \"aitken\", "
     "\"relaxation\": 0.5, \"start\": \"ramp\", " FIXED,
     SIZES("0.002, 0.01, 0.1"), EVERY ", \"repetitions\", \"unconverged_steps\""},
    {"two_mass_oscillator", 10,
     "\"feedthrough\": \"explicit\", \"order\": 2, \"hold\": \"lagrange\", \"error_at\": \"points\", \"start\": "
     "\"ramp\", "
     "\"subsystems\": {\"oscillator1\": {\"rate\": 3}, \"oscillator2\": {\"rate\": 2}}, " FIXED,
     SIZES("0.03, 0.5, 9"), RATED},
    {"ring", 4,
     "\"feedthrough\": \"solved\", \"order\": 1, \"hold\": \"taylor\", \"error_at\": \"points\", "
     "\"subsystems\": {\"cell1\": {\"rate\": 3}, \"cell2\": {\"rate\": 2}}, " FIXED,
     SIZES("0.03, 0.2, 3"), RATED},
    {"ring", 0, "\"hold\": \"lagrange\", \"order\": 1, \"subsystems\": {\"cell1\": {\"rate\": 3}}", SIZES("0.1, 1, 5"),
     "\"spectral_radius\", \"stable\""},
    {"two_mass_oscillator", 10,
     "\"order\": 3, \"hold\": \"hermite\", \"start\": \"ramp\", \"master\": \"gauss_seidel\", \"iterations\": "
     "1, " FIXED,
     SIZES("0.03, 0.5, 9"), EVERY ", \"local_error\""},
    {"ring", 0, "\"hold\": \"hermite\", \"order\": 3, \"iterations\": \"converged\"", SIZES("0.1, 1, 5"),
     "\"spectral_radius\", \"contraction\""},
    {"linear_feedthrough", 3, "\"feedthrough\": \"refresh\", \"order\": 1, \"hold\": \"taylor\", " FIXED,
     SIZES("0.03, 0.1"), EVERY},
    {"two_mass_oscillator", 30,
     "\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"taylor\", \"solver\": \"euler\", " FIXED,
     SIZES("0.03, 0.1, 0.5, 9"), EVERY ", \"integration_defect\""},
    {"two_mass_oscillator", 60,
     "\"feedthrough\": \"explicit\", \"order\": 2, \"hold\": \"taylor\", \"solver\": \"implicit_euler\", " FIXED,
     SIZES("8, 15"), EVERY ", \"integration_defect\""},
    {"two_mass_oscillator", 30,
     "\"hold\": \"lagrange\", \"order\": 1, \"iterations\": 1, \"solver\": \"bdf2\", \"memory\": \"keep\", " FIXED,
     SIZES("0.03, 0.1, 0.5, 9"), EVERY ", \"integration_defect\""},
    {"two_mass_oscillator", 3,
     "\"hold\": \"lagrange\", \"compensation\": 0.5, \"solver\": \"ab2\", \"memory\": \"keep\", \"micro_steps\": "
     "4, " FIXED,
     SIZES("0.03, 0.1"), EVERY},
    {"two_mass_oscillator", 20,
     "\"order\": 1, \"solver\": \"ab2\", \"step\": {\"control\": \"pi_defect\", \"initial\": 0.001}", TOLERANCES,
     POINTS},
    {"mass_chain", 2, "\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"lagrange\", " FIXED, SIZES("0.01, 0.1"),
     "\"output_error\", \"output_defect\", \"monitor_final\""},
    {"two_mass_oscillator", 0, "\"feedthrough\": \"explicit\", \"hold\": \"lagrange\", \"order\": 1",
     SIZES("0.1, 0.5, 1, 2, 5, 10"), "\"spectral_radius\", \"stable\""},
    {"two_mass_oscillator", 60,
     "\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"taylor\", \"step\": {\"control\": \"pi_defect\", "
     "\"tolerance\": 0.01}",
     "{\"name\": \"first\", \"path\": \"method.step.initial\", \"values\": [0.01, 0.1, 16]}", EVERY ", \"steps\""},
    {"quarter_car", 0.3,
     "\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"lagrange\", \"step\": {\"control\": \"richardson\", "
     "\"initial\": 0.001}",
     "{\"name\": \"tol\", \"paths\": [\"method.step.atol\", \"method.step.rtol\"], \"logspace\": [1e-4, 1e-2, 9]}",
     "\"output_defect\", \"connection_defect\", \"output_error\", \"steps\""},
    {"damped_oscillator", 3,
     "\"feedthrough\": \"explicit\", \"order\": 0, \"hold\": \"lagrange\", \"step\": {\"control\": \"pi_ecco\", "
     "\"initial\": 0.1, \"atol\": 1e-5, \"rtol\": 1e-5, \"min\": 1e-5, \"max\": 0.1, " BONDS "}",
     "{\"name\": \"ki\", \"path\": \"method.step.ki\", \"values\": [0.01, 0.02, 0.05]}",
     "\"monitor_final\", \"monitor_max\", \"monitor_predicted\", \"steps\", \"output_error\", \"bond_energy\""},
    /* small models with kernels of their own */
    {"two_mass_oscillator", 20,
     "\"feedthrough\": \"explicit\", \"order\": 1, \"hold\": \"taylor\", \"error_at\": \"points\", \"step\": "
     "{\"control\": \"pi_defect\", \"initial\": 0.001}",
     TOLERANCES, POINTS},
    {"damped_oscillator", 3,
     "\"feedthrough\": \"explicit\", \"order\": 0, \"hold\": \"lagrange\", \"step\": {\"control\": \"pi_ecco\", "
     "\"initial\": 0.1, \"atol\": 1e-5, \"rtol\": 1e-5, \"min\": 1e-5, \"max\": 0.1, " BONDS "}",
     "{\"name\": \"ki\", \"path\": \"method.step.ki\", \"values\": [0.01, 0.02, 0.05]}",
     "\"monitor_final\", \"monitor_max\", \"monitor_predicted\", \"steps\""},
    {"linear_feedthrough", 3,
     "\"feedthrough\": \"solved\", \"order\": 1, \"hold\": \"lagrange\", \"error_at\": \"points\", \"step\": "
     "{\"control\": \"pi_defect\", \"initial\": 0.001}",
     TOLERANCES, POINTS},
    {"reservoirs", 1.2,
     "\"feedthrough\": \"explicit\", \"order\": 1, \"solver\": \"dopri5\", \"tolerance\": 1e-3, \"step\": "
     "{\"control\": \"pi_defect\", \"initial\": 0.05}",
     "{\"name\": \"tol\", \"path\": \"method.step.tolerance\", \"logspace\": [1e-3, 1e-2, 5]}, "
     "{\"name\": \"first\", \"path\": \"method.step.initial\", \"values\": [0.05, 5]}",
     "\"output_error\", \"steps\", \"step_min\", \"step_max\", \"state_error\", \"integration_defect\""},
};

static void run(struct harness *harness, struct cs_device *device, struct engine_case *result) {
  struct cs_error error;
  *result = (struct engine_case){.runs = harness->sweep->runs};
  cr_assert_eq(cs_engine_run(harness->sweep, device, NULL, &result->table, &result->outcome, &error), CS_OK, "%s",
               error.message);
}

static void compare(struct harness *harness, struct cs_device *host, const struct way *way) {
  char path[128];
  struct cs_text sweep = {0};
  struct engine_case built, ahead;
  snprintf(path, sizeof path, "models/%s/model.json", way->model);
  engine_case_model(harness, path);
  cs_text_add(&sweep,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"way\", \"model\": \"model.json\", \"study\": \"%s\", ",
              way->t_end > 0 ? "simulation" : "stability");
  if (way->t_end > 0) cs_text_add(&sweep, "\"t_end\": %g, ", way->t_end);
  cs_text_add(&sweep, "\"method\": {%s}, \"axes\": [%s], \"metrics\": [%s]}", way->method, way->axis, way->metrics);
  harness_load(harness, sweep.data);
  run(harness, harness->device, &built);
  run(harness, host, &ahead);
  engine_case_same(&built, &ahead);
  engine_case_free(&built);
  engine_case_free(&ahead);
  cs_text_free(&sweep);
}

Test(native, has_the_bits_of_programs_built_for_a_variant) {
  struct harness harness;
  struct cs_device *host = NULL;
  struct cs_error error;
  harness_open_opencl(&harness);
  cr_assert_eq(cs_device_open("host", &host, &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    compare(&harness, host, &ways[i]);
  cs_device_close(host);
  harness_close(&harness);
}

/* Every tenth of the random networks. */
Test(native, random_networks_have_the_bits_of_programs) {
  struct random_cases cases;
  struct harness harness;
  struct cs_device *host = NULL;
  struct cs_error error;
  random_cases_load(&cases);
  harness_open_opencl(&harness);
  cr_assert_eq(cs_device_open("host", &host, &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < cases.count; i += 10) {
    struct engine_case built, ahead;
    random_cases_open(&cases, i, &harness);
    run(&harness, harness.device, &built);
    run(&harness, host, &ahead);
    engine_case_same(&built, &ahead);
    engine_case_free(&built);
    engine_case_free(&ahead);
  }
  cs_device_close(host);
  harness_close(&harness);
  random_cases_free(&cases);
}
