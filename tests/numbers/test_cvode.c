/* Solver `exact` against SUNDIALS CVODE, run subsystem by subsystem with the held inputs and restarted at every
 * communication point: final states to 1e-9 of the largest. */
#include <criterion/criterion.h>
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "harness.h"
#include "plain.h"
#include "random_cases.h"

/* x' = A x + v(s), s = t/H */
struct problem {
  const struct plain_network *network;
  size_t subsystem;
  double H;
  double v[4][PLAIN_MAX];
};

static int right_side(realtype t, N_Vector x, N_Vector slope, void *data) {
  const struct problem *problem = data;
  const struct cs_subsystem *sub = &problem->network->model->subsystem[problem->subsystem];
  double s = t / problem->H;
  for (size_t i = 0; i < sub->states; i++) {
    double value = problem->v[0][i] + s * (problem->v[1][i] + s * (problem->v[2][i] + s * problem->v[3][i]));
    for (size_t j = 0; j < sub->states; j++) {
      double a = (double)problem->network->A.at[sub->first_state + i][sub->first_state + j];
      value += a * NV_Ith_S(x, j);
    }
    NV_Ith_S(slope, i) = value;
  }
  return 0;
}

/* A plain_flow_fn; context: the SUNContext. */
static void cvode_flow(void *context, const struct plain_network *network, size_t subsystem, real H, real s,
                       real v[4][PLAIN_MAX], const real *x, real *result) {
  SUNContext sun = context;
  size_t states = network->model->subsystem[subsystem].states;
  struct problem problem = {.network = network, .subsystem = subsystem, .H = (double)H};
  N_Vector state = N_VNew_Serial((sunindextype)states, sun);
  for (size_t i = 0; i < states; i++) {
    NV_Ith_S(state, i) = (double)x[i];
    for (size_t j = 0; j < 4; j++)
      problem.v[j][i] = (double)v[j][i];
  }
  SUNMatrix jacobian = SUNDenseMatrix((sunindextype)states, (sunindextype)states, sun);
  SUNLinearSolver solver = SUNLinSol_Dense(state, jacobian, sun);
  void *cvode = CVodeCreate(CV_BDF, sun);
  double end = (double)(s * H), reached = 0;
  cr_assert(cvode != NULL && solver != NULL);
  cr_assert_eq(CVodeInit(cvode, right_side, 0, state), CV_SUCCESS);
  cr_assert_eq(CVodeSStolerances(cvode, 1e-12, 1e-14), CV_SUCCESS);
  cr_assert_eq(CVodeSetUserData(cvode, &problem), CV_SUCCESS);
  cr_assert_eq(CVodeSetLinearSolver(cvode, solver, jacobian), CV_SUCCESS);
  cr_assert_eq(CVodeSetMaxNumSteps(cvode, 100000), CV_SUCCESS);
  cr_assert_eq(CVodeSetStopTime(cvode, end), CV_SUCCESS);
  cr_assert_geq(CVode(cvode, end, state, &reached, CV_NORMAL), 0);
  cr_assert_eq(reached, end);
  for (size_t i = 0; i < states; i++)
    result[i] = NV_Ith_S(state, i);
  CVodeFree(&cvode);
  SUNLinSolFree(solver);
  SUNMatDestroy(jacobian);
  N_VDestroy(state);
}

static const char sweep[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"cvode\", \"model\": \"model.json\", \"study\": \"simulation\",\n"
    "\"t_end\": 2.5, \"method\": {\"solver\": \"exact\", \"step\": {\"control\": \"fixed\", \"size\": 0.125}},\n"
    "\"axes\": [{\"name\": \"settings\", \"zip\": {\n"
    "\"method.hold\": [\"taylor\", \"taylor\", \"lagrange\", \"backward_difference\"],\n"
    "\"method.order\": [0, 2, 1, 2],\n"
    "\"method.feedthrough\": [\"explicit\", \"solved\", \"explicit\", \"solved\"]}}],\n"
    "\"metrics\": [\"monitor_final\"]}\n";

static void compare_final_states(const struct harness *harness, const char *engine, SUNContext sun,
                                 struct plain_result *result, struct harness_check *check) {
  const struct cs_model *model = harness->sweep->model;
  for (size_t run = 0; run < harness->sweep->runs; run++) {
    plain_run(harness->sweep, run, cvode_flow, sun, result);
    real largest = 0;
    for (size_t i = 0; i < model->states; i++)
      largest = fmaxl(largest, fabsl(result->state[i]));
    for (size_t i = 0; i < model->states; i++) {
      harness_compare(check, harness_value(harness->table, "monitor_final", &run, model->monitor[i].name),
                      (double)result->state[i], 0, 1e-9 * (double)largest, "%s, run %zu, %s", engine, run,
                      model->state[i].name);
    }
  }
}

static const char *const engines[] = {"step", "double"};

static void compare_model(const char *model, const char *title) {
  struct harness harness;
  struct harness_check check = {0};
  SUNContext sun;
  struct plain_result *result = malloc(sizeof *result);
  char *monitored = harness_monitor_states(model);
  cr_assert(result != NULL && SUNContext_Create(NULL, &sun) == 0);
  harness_open(&harness);
  harness_write(&harness, "model.json", monitored);
  for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
    harness_load_engine(&harness, sweep, engines[e]);
    harness_run(&harness);
    compare_final_states(&harness, engines[e], sun, result, &check);
  }
  harness_finish(&check, title);
  harness_close(&harness);
  SUNContext_Free(&sun);
  free(monitored);
  free(result);
}

Test(cvode, final_states_of_two_masses) {
  char *model = harness_read("models/two_mass_oscillator/model.json");
  compare_model(model, "cvode, two masses, step and double");
  free(model);
}

Test(cvode, final_states_of_a_random_network) {
  enum { CASE = 28 };
  struct random_cases cases;
  random_cases_load(&cases);
  compare_model(cases.model[CASE], "cvode, random network, step and double");
  random_cases_free(&cases);
}
