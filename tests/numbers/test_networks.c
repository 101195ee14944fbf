/* What has to hold for whole networks: the order of subsystems does not matter to Jacobi, a constant only moves the
 * point of rest, a model too large for straight-line code has the orders of theory, and errors at points belong to
 * errors in between. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"

static void run(struct harness *harness, const char *method, const char *axes, const char *metrics, const char *fits,
                unsigned lanes, struct engine_case *result) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"networks\", \"model\": \"model.json\", \"t_end\": 2, "
              "\"method\": {%s%s\"step\": {\"size\": 0.1}}, \"fits\": [%s], \"axes\": [%s], \"metrics\": %s}\n",
              method, *method ? ", " : "", fits, axes, metrics);
  cr_assert(!text.failed);
  engine_case_run(harness, text.data, lanes, 0, result);
  cs_text_free(&text);
}

/* ---- order of subsystems */

/* 1e-12 relative, 1e-15 absolute: signals are of order 0.1 to 1, and sums of several connections round anew. */
Test(networks, jacobi_does_not_see_the_order_of_subsystems) {
  static const char axes[] =
      "{\"name\": \"method\", \"zip\": {\"method.hold\": [\"taylor\", \"lagrange\"], "
      "\"method.feedthrough\": [\"explicit\", \"solved\"], \"method.input_order\": [2, 1], "
      "\"method.output_order\": [1, 2], \"method.solver\": [\"euler\", \"exact\"]}}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.05, 0.5]}";
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case first, reversed;
  char *model = harness_read("models/ring/model.json"), *backwards = harness_reverse_subsystems(model);
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  run(&harness, "", axes, ENGINE_CASE_METRICS, "", 0, &first);
  harness_write(&harness, "model.json", backwards);
  run(&harness, "", axes, ENGINE_CASE_METRICS, "", 0, &reversed);
  cr_assert_str_eq(harness.sweep->model->subsystem[0].name, "cell3");
  engine_case_compare_by_name(&check, &reversed, &first, 1e-12, 1e-15);
  harness_finish(&check, "order of subsystems");
  engine_case_free(&first);
  engine_case_free(&reversed);
  harness_close(&harness);
  free(model);
  free(backwards);
}

/* ---- constants */

/* Two lags with feed-through. The constants e = 0.3, f = 0.2 of a and 0.7 into b.u, times `c`, keep it at rest at
 * a.x = 0.57 c, b.x = b.u = 1.68 c, a.u = b.y = 0.84 c. Starts (da, db) away from there. Monitors have constants of
 * these values times `shift`. */
static const char lags[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"constants\", \"parameters\": {\"c\": %s, \"da\": %s, \"db\": %s, "
    "\"shift\": %s},\n"
    "\"subsystems\": [\n"
    "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-2]], \"B\": [[1]],\n"
    "\"C\": [[1]], \"D\": [[0.25]], \"x0\": [\"0.57*c+da\"]%s},\n"
    "{\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]], \"B\": [[1]],\n"
    "\"C\": [[1]], \"D\": [[-0.5]], \"x0\": [\"1.68*c+db\"]}],\n"
    "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\"}%s],\n"
    "\"monitors\": [{\"name\": \"ax\", \"terms\": {\"a.x.x\": 1}%s},\n"
    "{\"name\": \"bu\", \"terms\": {\"b.u.u\": 1}%s}, {\"name\": \"by\", \"terms\": {\"b.y.y\": 1}%s}]}\n";

static void run_lags(struct harness *harness, const char *c, const char *da, const char *db, bool constants,
                     const char *shift, struct engine_case *result) {
  static const char axes[] =
      "{\"name\": \"method\", \"zip\": {\"method.hold\": [\"taylor\", \"lagrange\", \"taylor\"], "
      "\"method.order\": [2, 2, 1], \"method.feedthrough\": [\"explicit\", \"solved\", \"refresh\"], "
      "\"method.start\": [\"consistent\", \"ramp\", \"zero\"], \"method.solver\": [\"exact\", \"heun\", \"euler\"]}}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.05, 0.4]}";
  char model[2048];
  const bool moved = shift[0] != '0';
  snprintf(model, sizeof model, lags, c, da, db, shift, constants ? ", \"e\": [\"0.3*c\"], \"f\": [\"0.2*c\"]" : "",
           constants ? ", {\"to\": \"b.u\", \"value\": \"0.7*c\"}" : "", moved ? ", \"constant\": \"0.57*shift\"" : "",
           moved ? ", \"constant\": \"1.68*shift\"" : "", moved ? ", \"constant\": \"0.84*shift\"" : "");
  harness_write(harness, "model.json", model);
  run(harness, "", axes, ENGINE_CASE_METRICS, "", 0, result);
}

/* Defects and errors are those of the twin without constants that starts as far from rest. Monitors differ by their
 * values at rest, which are the constants of the twin's: constants in the network and in monitors are the same. */
Test(networks, constants_only_move_the_point_of_rest) {
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case affine, twin;
  harness_open(&harness);
  run_lags(&harness, "1", "0.43", "-1.18", true, "0", &affine);
  run_lags(&harness, "0", "0.43", "-1.18", false, "1", &twin);
  for (size_t m = 0; m < CS_METRICS; m++) {
    const char *name = cs_metric_table[m].name;
    if (cs_metric_table[m].over == CS_OVER_NOTHING || cs_table_find(twin.table, name) == NULL) continue;
    for (size_t r = 0; r < twin.runs; r++) {
      size_t signals;
      const double *value = engine_case_values(&affine, name, r, &signals);
      const double *expected = engine_case_values(&twin, name, r, &signals);
      for (size_t i = 0; i < signals; i++)
        harness_compare(&check, value[i], expected[i], 1e-12,
                        cs_metric_table[m].over == CS_OVER_MONITOR ? 1e-14 : 1e-16, "run %zu: %s, signal %zu", r, name,
                        i);
    }
  }
  harness_finish(&check, "constants");
  engine_case_free(&affine);
  engine_case_free(&twin);
  harness_close(&harness);
}

Test(networks, a_network_at_rest_stays_there) {
  struct harness harness;
  struct engine_case result;
  harness_open(&harness);
  run_lags(&harness, "1", "0", "0", true, "0", &result);
  static const char *const metrics[] = {"output_error_max", "input_error_max", "state_error_max", "output_defect"};
  for (size_t r = 0; r < result.runs; r++) {
    size_t signals;
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
      const double *value = engine_case_values(&result, metrics[m], r, &signals);
      for (size_t i = 0; i < signals; i++)
        cr_expect_leq(value[i], 1e-15, "run %zu: %s, signal %zu: %g", r, metrics[m], i, value[i]);
    }
    const double *max = engine_case_values(&result, "monitor_max", r, &signals);
    cr_expect_float_eq(max[0], 0.57, 1e-15);
    cr_expect_float_eq(max[1], 1.68, 1e-15);
  }
  engine_case_free(&result);
  harness_close(&harness);
}

/* ---- 16 states */

static void open_chain(struct harness *harness) {
  harness_open(harness);
  engine_case_model(harness, "models/mass_chain/model.json");
}

static void expect_order(const struct cs_table *table, const char *fit, size_t order, size_t metric_order,
                         const char *signal) {
  const double value = harness_value(table, fit, &order, signal);
  cr_expect_float_eq(value, (double)metric_order, 0.05, "order %zu: %s of %s is %g, want %zu", order, fit, signal,
                     value, metric_order);
}

/* docs/methods.md section 6: hold taylor, m = n: all of order n + 1. Masses 1 to 3, which the wave has reached. */
Test(networks, sixteen_states_have_the_orders_of_theory) {
  static const char axes[] =
      "{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1, 2]}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.001, 0.008, 4]}";
  static const char *const outputs[] = {"mass1.x", "mass1.v", "mass2.x", "mass2.v", "mass3.x"};
  static const char *const inputs[] = {"mass1.force", "mass2.force", "mass3.force"};
  struct harness harness;
  struct engine_case result;
  open_chain(&harness);
  run(&harness, "", axes, "[\"output_defect\", \"connection_defect\", \"state_error\", \"input_error\"]",
      "{\"along\": \"H\"}", 0, &result);
  const struct cs_note *kernels = cs_table_find_note(result.table, "kernel");
  for (size_t n = 0; n < 3; n++) {
    cr_expect_not_null(strstr(kernels->text[n], "kernels/fixed/rolled.clh"), "order %zu: straight-line code", n);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
      expect_order(result.table, "output_defect_order", n, n + 1, outputs[i]);
      expect_order(result.table, "state_error_order", n, n + 1, outputs[i]);
    }
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
      expect_order(result.table, "connection_defect_order", n, n + 1, inputs[i]);
      expect_order(result.table, "input_error_order", n, n + 1, inputs[i]);
    }
  }
  engine_case_free(&result);
  harness_close(&harness);
}

/* 1e-13 relative, 1e-16 absolute. */
Test(networks, sixteen_states_in_vectors_of_one_and_eight) {
  static const char axes[] = "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.03, 0.1, 0.25, 1]}";
  static const char method[] = "\"hold\": \"lagrange\", \"order\": 1";
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case narrow, wide;
  open_chain(&harness);
  run(&harness, method, axes, ENGINE_CASE_METRICS, "", 1, &narrow);
  run(&harness, method, axes, ENGINE_CASE_METRICS, "", 8, &wide);
  engine_case_compare(&check, &wide, &narrow, 1e-13, 1e-16);
  harness_finish(&check, "16 states in vectors");
  engine_case_free(&narrow);
  engine_case_free(&wide);
  harness_close(&harness);
}

/* ---- errors at points and in between */

/* The RMS at points is the right-hand rectangle rule of the continuous one: their relative distance is of first order.
 */
Test(networks, errors_at_points_approach_continuous_ones) {
  static const char axes[] =
      "{\"name\": \"at\", \"path\": \"method.error_at\", \"values\": [\"continuous\", \"points\"]}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.04, 0.02, 0.01]}";
  enum { SIZES = 3 };
  struct harness harness;
  struct engine_case result;
  open_chain(&harness);
  run(&harness, "", axes, "[\"state_error\"]", "", 0, &result);
  for (size_t state = 0; state < 4; state++) { /* of masses 1 and 2 */
    double distance[SIZES];
    for (size_t h = 0; h < SIZES; h++) {
      size_t signals;
      const double continuous = engine_case_values(&result, "state_error", h, &signals)[state];
      distance[h] = engine_case_values(&result, "state_error", SIZES + h, &signals)[state] / continuous - 1;
      cr_expect(fabs(distance[h]) > 1e-5 && fabs(distance[h]) < 0.1, "state %zu: distance %g", state, distance[h]);
    }
    for (size_t h = 1; h < SIZES; h++) {
      cr_expect_float_eq(distance[h] / distance[h - 1], 0.5, 0.05, "state %zu: distances %g, %g", state,
                         distance[h - 1], distance[h]);
    }
  }
  engine_case_free(&result);
  harness_close(&harness);
}

/* Many stiff networks, each with modes of its own: the bits of every one alone. */
Test(networks, many_fast_ones_have_the_bits_of_each_alone) {
  static const char text[] =
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"many\", \"model\": \"model.json\", \"t_end\": 20, \"method\": "
      "{\"hold\": \"lagrange\", \"order\": 1, \"feedthrough\": \"explicit\"}, \"axes\": [{\"name\": \"H\", \"path\": "
      "\"method.step.size\", \"values\": [10]}, {\"name\": \"dk\", \"path\": \"parameters.dk\", %s}], "
      "\"metrics\": [\"output_error\", \"state_error\", \"output_defect\"]}";
  struct harness harness;
  struct engine_case all, some;
  struct cs_text sweep = {0};
  harness_open(&harness);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  cs_text_add(&sweep, text, "\"linspace\": [1, 600, 600]");
  engine_case_run(&harness, sweep.data, 0, 0, &all);
  cs_text_free(&sweep);
  cs_text_add(&sweep, text, "\"values\": [1, 7, 513, 519, 600]");
  engine_case_run(&harness, sweep.data, 0, 0, &some);
  static const size_t chosen[] = {0, 6, 512, 518, 599};
  for (size_t i = 0; i < 5; i++)
    engine_case_same_run(&all, chosen[i], &some, i);
  engine_case_free(&all);
  engine_case_free(&some);
  cs_text_free(&sweep);
  harness_close(&harness);
}
