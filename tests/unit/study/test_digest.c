/* What cosweep info and cosweep report say of a result, from tables made here: orders beside theory, the ranges of
 * metrics, the best, the worst and the failed runs, and the steps of a trace. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "digest_case.h"
#include "metric.h"
#include "status.h"
#include "theory.h"

static struct cs_error error;

/* ---- theory */

static const char method[] =
    "\"master\": \"jacobi\", \"iterations\": 0, \"hold\": \"taylor\", \"nodes\": \"lobatto\", \"input_order\": 2, "
    "\"output_order\": 2, \"feedthrough\": \"explicit\", \"start\": \"consistent\", "
    "\"solver\": \"exact\", \"error_at\": \"continuous\", \"sequence\": \"model\", \"events\": {\"detect\": "
    "\"all\", \"reset\": \"joint\", \"interruption\": 0, \"first\": \"sequence\", \"grid\": \"restart\"}, "
    "\"micro_steps\": \"auto\", \"continuity\": \"none\", \"relaxation\": 1, \"jacobian\": \"none\", \"latency\": 0";

static const char *model = digest_case_model;

/* A table of runs along H whose sweep has the usual settings, those of `change` ("hold lagrange") replaced. */
static struct cs_table *one_axis(const char *change, const char *control, const char *events) {
  struct cs_text text = {0}, sweep = {0};
  const double sizes[] = {0.1, 0.2, 0.4};
  size_t axis;
  struct cs_table *table = cs_table_new("", "", "");
  cs_text_add(&text, model, events);
  digest_case_note(table, "model", text.data);
  char settings[1024], key[64], words[256];
  snprintf(settings, sizeof settings, "%s", method);
  snprintf(words, sizeof words, "%s", change);
  for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
    const char *value = strtok(NULL, " ");
    snprintf(key, sizeof key, "\"%s\": ", word);
    char *at = strstr(settings, key), rest[1024];
    cr_assert(at != NULL && value != NULL, "%s", change);
    at += strlen(key);
    snprintf(rest, sizeof rest, "%s", at + strcspn(at, ","));
    const char *quote = value[0] >= '0' && value[0] <= '9' ? "" : "\"", *second = strchr(value, ',');
    if (second != NULL) /* a list of two */
      snprintf(at, (size_t)(settings + sizeof settings - at), "[\"%.*s\", \"%s\"]%s", (int)(second - value), value,
               second + 1, rest);
    else
      snprintf(at, (size_t)(settings + sizeof settings - at), "%s%s%s%s", quote, value, quote, rest);
  }
  cs_text_add(&sweep,
              "{\"method\": {%s, \"step\": {\"control\": \"%s\"}}, \"axes\": [{\"name\": \"H\", \"path\": "
              "\"method.step.size\", \"values\": [0.1, 0.2, 0.4]}]}",
              settings, control);
  digest_case_note(table, "sweep", sweep.data);
  cs_table_add_dimension(table, "H", "s", "", 3, sizes, NULL, &axis, &error);
  cs_table_add_array(table, "status", "1", "", CS_UINT8, 1, &axis, NULL, &error);
  cs_text_free(&text);
  cs_text_free(&sweep);
  return table;
}

struct rule {
  const char *change;
  int metric;
  size_t signal;
  double want;
};

static void expect_order_with(const char *events, const char *change, int metric, size_t signal, double want) {
  struct cs_table *table = one_axis(change, "fixed", events);
  struct cs_runs runs;
  struct cs_theory *theory;
  cr_assert_eq(cs_runs_open(table, &runs, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_theory_open(&runs, &theory, &error), CS_OK, "%s", error.message);
  const double order = cs_theory_order(theory, 0, 0, metric, signal);
  cr_expect(order == want || (isnan(order) && isnan(want)), "\"%s\", %s, signal %zu: %g, want %g", change,
            cs_metric_table[metric].name, signal, order, want);
  cs_theory_free(theory);
  cs_runs_close(&runs);
  cs_table_free(table);
}

static void expect_order(const char *change, int metric, size_t signal, double want) {
  expect_order_with("", change, metric, signal, want);
}

/* docs/methods.md section 6, "Orders to expect"; NaN where it says nothing. */
Test(digest, orders_to_expect) {
  static const struct rule rules[] = {
      {"", CS_OUTPUT_DEFECT, B_W, 3},
      {"", CS_CONNECTION_DEFECT, 0, 3},
      {"", CS_OUTPUT_ERROR, A_X, 3},
      {"", CS_STATE_ERROR_FINAL, 0, 3},
      {"", CS_INTEGRATION_DEFECT, 0, INFINITY},
      {"input_order 1", CS_OUTPUT_DEFECT, B_W, 3},
      {"input_order 1", CS_CONNECTION_DEFECT, 0, 2},
      {"output_order 0", CS_OUTPUT_DEFECT, B_W, 1},
      {"output_order 0", CS_OUTPUT_ERROR, B_W, 1},
      {"feedthrough solved", CS_OUTPUT_DEFECT, B_W, 3},
      {"input_order 1 feedthrough solved", CS_OUTPUT_DEFECT, B_W, 2},
      {"hold lagrange", CS_CONNECTION_DEFECT, 0, 3},
      {"hold lagrange output_order 0", CS_STATE_ERROR, 0, 3},
      {"hold lagrange output_order 0", CS_OUTPUT_ERROR, 0, 1},
      {"hold backward_difference", CS_OUTPUT_ERROR, 0, 2},
      {"hold backward_difference", CS_OUTPUT_DEFECT, 0, 3},
      {"hold backward_difference input_order 0 output_order 0", CS_OUTPUT_ERROR, 0, 1},
      {"hold hermite input_order 3 output_order 3", CS_OUTPUT_ERROR, 0, 4},
      {"hold hermite input_order 3 output_order 3", CS_CONNECTION_DEFECT, 0, 4},
      {"hold hermite input_order 3 output_order 3", CS_OUTPUT_DEFECT, B_W, 4},
      {"hold hermite input_order 3 output_order 3 start ramp", CS_STATE_ERROR, 0, 3},
      {"hold hermite input_order 3 output_order 3 start ramp latency 1", CS_STATE_ERROR, 0, 2},
      {"hold hermite input_order 3 output_order 3 start ramp latency 1", CS_OUTPUT_DEFECT, A_X, NAN},
      {"hold waveform iterations converged error_at points", CS_OUTPUT_ERROR, A_X, 4},
      {"hold waveform iterations converged error_at points input_order 3", CS_OUTPUT_ERROR, A_X, 6},
      {"hold waveform iterations converged input_order 3 nodes equal", CS_STATE_ERROR_FINAL, 0, 4},
      {"hold waveform iterations converged input_order 3", CS_INPUT_ERROR, 0, 4},
      {"hold waveform iterations converged input_order 3", CS_OUTPUT_ERROR, A_X, 3},
      {"hold waveform iterations converged", CS_LOCAL_ERROR, A_X, NAN},
      {"hold waveform iterations 2", CS_STATE_ERROR, 0, NAN},
      {"hold least_squares", CS_STATE_ERROR, 0, 3},
      {"hold lagrange start ramp iterations 1 jacobian first", CS_STATE_ERROR, 0, 3}, /* 2 without */
      {"hold lagrange iterations 1 relaxation 0.9 jacobian first", CS_STATE_ERROR, 0, NAN},
      {"solver euler", CS_OUTPUT_DEFECT, A_X, INFINITY},
      {"solver euler continuity c1", CS_OUTPUT_DEFECT, A_X, NAN},
      {"solver euler output_order 0", CS_OUTPUT_DEFECT, A_X, 1},
      {"solver euler", CS_CONNECTION_DEFECT, 0, 2},
      {"solver euler", CS_OUTPUT_ERROR, 0, 1},
      {"solver heun input_order 3 output_order 3", CS_STATE_ERROR, 0, 2},
      {"solver rk4", CS_STATE_ERROR, 0, 3},
      {"solver heun", CS_CONNECTION_DEFECT, 0, NAN},
      {"solver dopri5", CS_STATE_ERROR, 0, NAN},
      {"start zero", CS_CONNECTION_DEFECT, 0, 1.5},
      {"start zero", CS_OUTPUT_ERROR, A_X, 2},
      {"start zero", CS_OUTPUT_ERROR, B_W, 1.5},
      {"start zero", CS_OUTPUT_DEFECT, B_W, 3},
      {"start zero input_order 0 output_order 0", CS_CONNECTION_DEFECT, 0, 1},
      {"start ramp", CS_STATE_ERROR, 0, 2},
      {"start ramp hold lagrange", CS_STATE_ERROR, 0, 2},
      {"start ramp hold lagrange iterations 1", CS_STATE_ERROR, 0, 2},
      {"start ramp iterations 1", CS_INPUT_ERROR, 0, 1.5},
      {"hold lagrange iterations 1 relaxation 0.9", CS_STATE_ERROR, 0, NAN},
      {"hold lagrange iterations converged relaxation 0.9", CS_STATE_ERROR, 0, 3},
      {"start ramp", CS_OUTPUT_DEFECT, 0, 2.5},
      {"master gauss_seidel", CS_STATE_ERROR, 0, 3},
      {"master gauss_seidel", CS_CONNECTION_DEFECT, 0, NAN},
      {"master mine", CS_STATE_ERROR, 0, NAN},
      {"hold lagrange", CS_LOCAL_ERROR, A_X, 5},
      {"hold lagrange", CS_LOCAL_ERROR, A_V, 4},
      {"hold lagrange", CS_LOCAL_ERROR_ESTIMATE, B_W, 3},
      {"hold lagrange feedthrough solved", CS_LOCAL_ERROR, B_W, 4},
      {"hold lagrange iterations 1", CS_LOCAL_ERROR, B_W, 4},
      {"hold lagrange iterations 1 continuity c1", CS_LOCAL_ERROR, B_W, NAN},
      {"hold backward_difference master gauss_seidel", CS_LOCAL_ERROR, A_X, NAN},
      {"", CS_MONITOR_RMS, 0, NAN},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    expect_order(rules[i].change, rules[i].metric, rules[i].signal, rules[i].want);
}

/* docs/methods.md section 6: how much of a start is left depends on holds, repetitions, continuity and feed-through. */
Test(digest, orders_to_expect_of_starts) {
  static const struct rule rules[] = {
      {"start zero hold lagrange feedthrough solved iterations converged", CS_STATE_ERROR, 0, 2},
      {"start zero hold lagrange feedthrough solved iterations converged", CS_OUTPUT_DEFECT, A_X, 1.5},
      {"start zero hold lagrange input_order 1 output_order 1 iterations converged", CS_STATE_ERROR, 0, 2},
      {"start zero hold backward_difference iterations converged", CS_STATE_ERROR, 0, 2},
      {"start zero iterations converged", CS_STATE_ERROR, 0, 3},
      {"start zero iterations converged continuity c0", CS_STATE_ERROR, 0, 3},
      {"start zero iterations converged continuity c1", CS_STATE_ERROR, 0, 2},
      {"start ramp iterations converged continuity c1", CS_STATE_ERROR, 0, 2},
      {"start ramp iterations converged", CS_STATE_ERROR, 0, 3},
      {"start ramp iterations converged", CS_INPUT_ERROR, 0, 2.5},
      {"start ramp iterations converged", CS_INPUT_ERROR_MAX, 0, 3},
      {"start ramp iterations converged error_at points", CS_INPUT_ERROR, 0, 3},
      {"start ramp iterations 1 feedthrough solved", CS_STATE_ERROR, 0, 3},
      {"start ramp iterations 1 feedthrough solved relaxation 0.5", CS_STATE_ERROR, 0, NAN},
      {"start ramp hold lagrange feedthrough solved master gauss_seidel", CS_STATE_ERROR, 1, 2},
      {"start ramp hold lagrange feedthrough solved master gauss_seidel", CS_INPUT_ERROR, 0, 1.5},
      {"start ramp hold lagrange feedthrough solved master gauss_seidel", CS_INPUT_ERROR, 1, 2},
      {"start ramp hold lagrange feedthrough solved master gauss_seidel sequence b,a", CS_INPUT_ERROR, 1, 1.5},
      {"continuity c1 master gauss_seidel input_order 1 output_order 1", CS_STATE_ERROR, 1, 2},
      {"continuity c0 iterations converged input_order 0 output_order 0", CS_STATE_ERROR, 0, 2},
      {"continuity c1 iterations converged input_order 1 output_order 1", CS_STATE_ERROR, 0, 4},
      {"continuity c1 hold lagrange iterations converged input_order 0 output_order 0", CS_STATE_ERROR, 0, 2},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    expect_order(rules[i].change, rules[i].metric, rules[i].signal, rules[i].want);
}

/* Nothing is expected where values that go round a loop of feed-through may grow from step to step, or where more
 * repetitions would leave less of a start. */
Test(digest, orders_to_expect_of_loops) {
  static const struct rule rules[] = {
      {"", CS_STATE_ERROR, 0, 3},
      {"feedthrough solved", CS_STATE_ERROR, 0, 3},
      {"hold lagrange input_order 1", CS_STATE_ERROR, 0, 2},
      {"hold lagrange", CS_STATE_ERROR, 0, NAN},
      {"hold lagrange feedthrough solved", CS_STATE_ERROR, 0, 3},
      {"hold lagrange iterations 2", CS_STATE_ERROR, 0, 3},
      {"hold lagrange iterations converged", CS_STATE_ERROR, 0, 3},
      {"hold lagrange input_order 1 latency 1", CS_STATE_ERROR, 0, NAN},
      {"hold hermite input_order 3 output_order 3", CS_STATE_ERROR, 0, NAN},
      {"start ramp iterations 1", CS_STATE_ERROR, 0, NAN},
      {"start ramp iterations converged", CS_STATE_ERROR, 0, 3},
      {"start ramp", CS_STATE_ERROR, 0, 2},
  };
  model =
      "{\"format\": \"cosweep-model/1\", \"name\": \"loop\", \"subsystems\": ["
      "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],"
      " \"A\": [[-1]], \"B\": [[1]], \"C\": [[1]], \"D\": [[0.3]]},"
      "{\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],"
      " \"A\": [[-2]], \"B\": [[1]], \"C\": [[1]], \"D\": [[-0.3]]}],"
      " \"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\"}]%s}";
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    expect_order(rules[i].change, rules[i].metric, rules[i].signal, rules[i].want);
}

/* docs/methods.md section 9, "Orders". */
Test(digest, orders_to_expect_of_events) {
  static const char wall[] =
      ", \"events\": [{\"name\": \"e\", \"when\": {\"a\": [{\"terms\": {\"x.x\": 1}, \"above\": 1}]}, \"set\": "
      "{\"a.x\": 0}}]";
  static const struct rule rules[] = {
      {"feedthrough solved", CS_EVENT_TIME_ERROR, 0, 3},
      {"feedthrough solved", CS_EVENT_TIME_ERROR_MAX, 0, 3},
      {"feedthrough solved", CS_EVENT_TIME_ERROR_FIRST, 0, 3},
      {"feedthrough solved", CS_OUTPUT_ERROR_BETWEEN, B_W, 3},
      {"feedthrough solved", CS_INPUT_ERROR_BETWEEN, 0, 3},
      {"feedthrough solved", CS_STATE_ERROR_BETWEEN, 0, 3},
      {"feedthrough solved", CS_STATE_ERROR, 0, NAN},
      {"feedthrough solved input_order 3 output_order 1", CS_EVENT_TIME_ERROR, 0, 2},
      {"feedthrough solved master gauss_seidel", CS_EVENT_TIME_ERROR, 0, 3},
      {"feedthrough solved hold lagrange", CS_EVENT_TIME_ERROR, 0, 2},
      {"feedthrough solved hold lagrange", CS_STATE_ERROR_BETWEEN, 0, 2},
      {"feedthrough solved hold lagrange", CS_OUTPUT_ERROR_BETWEEN, A_X, 2},
      {"feedthrough solved hold lagrange", CS_OUTPUT_ERROR_BETWEEN, B_W, 2},
      {"feedthrough solved hold lagrange", CS_INPUT_ERROR_BETWEEN, 0, 1.5},
      {"feedthrough solved hold lagrange", CS_INPUT_ERROR_BETWEEN, 1, 1.5},
      {"feedthrough solved hold lagrange error_at points", CS_INPUT_ERROR_BETWEEN, 0, 1.5},
      {"feedthrough solved hold lagrange master gauss_seidel", CS_INPUT_ERROR_BETWEEN, 0, 1.5},
      {"feedthrough solved hold lagrange master gauss_seidel", CS_INPUT_ERROR_BETWEEN, 1, 2},
      {"feedthrough solved hold lagrange master gauss_seidel sequence b,a", CS_INPUT_ERROR_BETWEEN, 0, 1.5},
      {"feedthrough solved hold lagrange master gauss_seidel sequence b,a", CS_INPUT_ERROR_BETWEEN, 1, 1.5},
      {"feedthrough solved hold lagrange master gauss_seidel first predicted", CS_INPUT_ERROR_BETWEEN, 0, NAN},
      {"feedthrough solved hold lagrange iterations 1", CS_EVENT_TIME_ERROR, 0, 3},
      {"feedthrough solved hold lagrange iterations converged", CS_STATE_ERROR_BETWEEN, 0, 3},
      {"feedthrough solved hold lagrange iterations 1", CS_INPUT_ERROR_BETWEEN, 0, 2.5},
      {"feedthrough solved hold lagrange iterations 1", CS_OUTPUT_ERROR_BETWEEN, B_W, 2.5},
      {"feedthrough solved hold lagrange iterations 1 error_at points", CS_INPUT_ERROR_BETWEEN, 0, 2.5},
      {"feedthrough solved hold lagrange input_order 0", CS_INPUT_ERROR_BETWEEN, 0, 1},
      {"feedthrough solved hold lagrange input_order 0", CS_EVENT_TIME_ERROR, 0, 1},
      {"feedthrough solved hold lagrange input_order 0", CS_OUTPUT_ERROR_BETWEEN, A_X, 1},
      {"feedthrough solved hold backward_difference", CS_EVENT_TIME_ERROR, 0, NAN},
      {"", CS_EVENT_TIME_ERROR, 0, NAN},
      {"feedthrough solved start ramp", CS_EVENT_TIME_ERROR, 0, NAN},
      {"feedthrough solved solver rk4", CS_EVENT_TIME_ERROR, 0, NAN},
      {"feedthrough solved detect points", CS_EVENT_TIME_ERROR, 0, NAN},
      {"feedthrough solved reset extrapolated", CS_EVENT_TIME_ERROR, 0, NAN},
      {"feedthrough solved interruption 0.001", CS_EVENT_TIME_ERROR, 0, NAN},
      {"feedthrough solved continuity c0", CS_EVENT_TIME_ERROR, 0, NAN},
      {"feedthrough solved", CS_FIRST_DIVERGENCE, 0, NAN},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    expect_order_with(wall, rules[i].change, rules[i].metric, rules[i].signal, rules[i].want);
}

/* Inputs that move no state still say when events happen; an output that follows them alone has no defect of its own.
 */
Test(digest, orders_to_expect_of_events_alone) {
  model =
      "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"subsystems\": [{\"name\": \"a\", \"states\": [\"x\"], "
      "\"inputs\": [\"u\"], \"outputs\": [\"x\", \"u\"], \"A\": [[-1]], \"B\": [[0]], \"C\": [[1], [0]], \"D\": [[0], "
      "[1]]}], \"connections\": [{\"from\": \"a.x\", \"to\": \"a.u\"}]%s}";
  expect_order_with(
      ", \"events\": [{\"name\": \"e\", \"when\": {\"a\": [{\"terms\": {\"x.x\": 1, \"u.u\": 1}, \"above\": 1}]},"
      " \"set\": {\"a.x\": 0}}]",
      "feedthrough solved", CS_EVENT_TIME_ERROR, 0, 3);
  expect_order("", CS_STATE_ERROR, 0, NAN);
  expect_order("", CS_OUTPUT_ERROR_FINAL, 0, NAN);
  expect_order("", CS_OUTPUT_ERROR, 1, 3);
  expect_order("", CS_OUTPUT_DEFECT, 0, 3);
  expect_order("", CS_OUTPUT_DEFECT, 1, NAN);
}

/* docs/methods.md section 6: polynomials begin anew at events of given times. */
Test(digest, orders_to_expect_where_steps_end_at_events) {
  static const char jump[] = ", \"events\": [{\"name\": \"e\", \"t\": 1, \"add\": {\"a.x\": 1}}]";
  static const struct rule rules[] = {
      {"feedthrough solved", CS_STATE_ERROR, 0, 3},
      {"feedthrough solved", CS_INPUT_ERROR, 0, 3},
      {"feedthrough solved", CS_CONNECTION_DEFECT, 0, 3},
      {"feedthrough solved continuity c1 iterations converged", CS_STATE_ERROR, 0, 4},
      {"feedthrough solved continuity c1 hold lagrange iterations converged", CS_STATE_ERROR, 0, 2},
      {"feedthrough solved hold lagrange", CS_STATE_ERROR, 0, 2},
      {"feedthrough solved hold lagrange", CS_STATE_ERROR_MAX, 0, 2},
      {"feedthrough solved hold lagrange", CS_OUTPUT_ERROR, A_X, 2},
      {"feedthrough solved hold lagrange", CS_OUTPUT_ERROR, B_W, 2},
      {"feedthrough solved hold lagrange output_order 1", CS_OUTPUT_ERROR, B_W, 2},
      {"feedthrough solved hold lagrange", CS_OUTPUT_ERROR_FINAL, B_W, 2},
      {"feedthrough solved hold lagrange", CS_INPUT_ERROR, 0, 1.5},
      {"feedthrough solved hold lagrange", CS_INPUT_ERROR_MAX, 0, 1},
      {"feedthrough solved hold lagrange", CS_INPUT_ERROR_FINAL, 0, 2},
      {"feedthrough solved hold lagrange iterations 2", CS_STATE_ERROR, 0, 3},
      {"feedthrough solved hold lagrange iterations 2", CS_INPUT_ERROR, 0, 2.5},
      {"feedthrough solved hold backward_difference", CS_INPUT_ERROR, 0, 1.5},
      {"feedthrough solved hold lagrange", CS_CONNECTION_DEFECT, 0, NAN},
      {"feedthrough solved hold lagrange", CS_LOCAL_ERROR, A_X, NAN},
      {"feedthrough solved hold lagrange solver euler", CS_STATE_ERROR, 0, 1},
      {"feedthrough solved hold lagrange input_order 0 output_order 0", CS_INPUT_ERROR, 0, 1},
      {"feedthrough solved hold lagrange input_order 0 output_order 0", CS_CONNECTION_DEFECT, 0, 1},
      {"feedthrough solved interruption 0.001", CS_STATE_ERROR, 0, NAN},
      {"", CS_STATE_ERROR, 0, NAN},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    expect_order_with(jump, rules[i].change, rules[i].metric, rules[i].signal, rules[i].want);
}

/* Where every rule says something, a metric without a rule of its own is expected to have none of theirs. */
Test(digest, orders_of_metrics_without_a_rule) {
  struct cs_table *table = one_axis("feedthrough solved", "fixed", "");
  struct cs_runs runs;
  struct cs_theory *theory;
  cr_assert_eq(cs_runs_open(table, &runs, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_theory_open(&runs, &theory, &error), CS_OK, "%s", error.message);
  cr_expect(isnan(cs_theory_order(theory, 0, 0, -1, 0)), "a metric that the table has not got");
  cr_expect(isnan(cs_theory_order(theory, 0, 0, CS_OUTPUT_ERROR, 1 << 20)), "an output that the model has not got");
  for (int m = 0; m < CS_METRICS; m++) {
    const bool expected = !isnan(cs_theory_order(theory, 0, 0, m, A_X));
    cr_expect_eq(expected, cs_metric_table[m].order != CS_ORDER_NONE, "%s", cs_metric_table[m].name);
  }
  cs_theory_free(theory);
  cs_runs_close(&runs);
  cs_table_free(table);
}

/* Steps that vary follow no such rule, nor do explicit outputs with feed-through where states jump. */
Test(digest, nothing_to_expect_of_steps_that_vary) {
  static const char jump[] = ", \"events\": [{\"name\": \"e\", \"t\": 1, \"add\": {\"a.x\": 1}}]";
  static const struct { const char *control, *events; } others[] = {{"pi_defect", ""}, {"fixed", jump}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    struct cs_table *table = one_axis("", others[i].control, others[i].events);
    struct cs_runs runs;
    struct cs_theory *theory;
    cr_assert_eq(cs_runs_open(table, &runs, &error), CS_OK, "%s", error.message);
    cr_assert_eq(cs_theory_open(&runs, &theory, &error), CS_OK, "%s", error.message);
    cr_expect(isnan(cs_theory_order(theory, 0, 0, CS_STATE_ERROR, 0)));
    cs_theory_free(theory);
    cs_runs_close(&runs);
    cs_table_free(table);
  }
}

/* ---- a result of two axes */

static struct cs_table *table;
static struct cs_digest digest;

static void open_result(void) {
  table = digest_case_result();
  cr_assert_eq(cs_digest_open(table, &digest, &error), CS_OK, "%s", error.message);
}

static void close_result(void) {
  cs_digest_free(&digest);
  cs_table_free(table);
}

TestSuite(digest_of_result, .init = open_result, .fini = close_result);

static void expect_place(size_t run, size_t without, const char *want) {
  struct cs_text text = {0};
  cs_digest_add_place(&digest, run, without, &text);
  cr_expect_str_eq(text.data, want);
  cs_text_free(&text);
}

Test(digest_of_result, axes) {
  cr_assert_eq(digest.axes, 2);
  cr_expect_str_eq(digest.axis[0].paths, "method.input_order, method.start");
  cr_expect_eq(digest.axis[0].spacing, CS_SPACING_LIST);
  cr_expect_eq(digest.axis[1].spacing, CS_SPACING_LOGARITHMIC);
  cr_expect_eq(digest.axis[1].least, 0.1);
  cr_expect_eq(digest.axis[1].largest, 0.8);
  expect_place(5, CS_DIGEST_NONE, "input_order 1, start zero, H 0.2");
  expect_place(5, 1, "input_order 1, start zero");
}

Test(digest_of_result, ranges_leave_failed_runs_out) {
  const struct cs_digest_metric *error_metric = &digest.metric[0], *steps = &digest.metric[1];
  cr_assert_eq(digest.metrics, 2);
  cr_expect_str_eq(steps->array->name, "steps");
  cr_expect_eq(error_metric->numbers, 6 * OUTPUTS - 1);
  cr_expect_eq(error_metric->least.value, 1);
  cr_expect_eq(error_metric->least.run, 0);
  cr_expect_eq(error_metric->least.signal, 0);
  cr_expect_eq(error_metric->largest.value, 21);
  cr_expect_eq(error_metric->largest.run, 6);
  cr_expect_eq(error_metric->largest.signal, B_W);
  cr_expect_eq(steps->least.signal, CS_DIGEST_NONE);
}

/* Run 0 lacks a number, 3 and 7 failed: 1, 2, 4, 5, 6 are left, of which two lists of two can be told apart. */
Test(digest_of_result, best_and_worst_runs) {
  cr_assert_eq(digest.ranked, 2);
  cr_expect_eq(digest.best[0].run, 1);
  cr_expect_eq(digest.best[0].value, 6);
  cr_expect_eq(digest.best[0].signal, B_W);
  cr_expect_eq(digest.best[1].run, 2);
  cr_expect_eq(digest.worst[0].run, 6);
  cr_expect_eq(digest.worst[1].run, 5);
  cr_expect_str_eq(digest.cost->name, "steps");
}

Test(digest_of_result, failed_runs) {
  cr_assert_eq(digest.failures, 2);
  cr_expect_eq(digest.good, 6);
  cr_expect_eq(digest.failure[0].status, 1);
  cr_expect_eq(digest.failure[0].count, 1);
  cr_expect_eq(digest.failure[0].run[0], 3);
  cr_expect_eq(digest.failure[1].run[0], 7);
  cr_expect_eq(digest.failure[1].first[0], 1);
  cr_expect_eq(digest.failure[1].last[1], 3);
  cr_expect_str_eq(cs_digest_status(7), "invalid");
}

/* The names in messages are those of the file's flags. */
Test(digest, status_names) {
  struct cs_text words = {0};
  for (int i = 0; i < CS_STATUSES; i++)
    cs_text_add(&words, "%s%s", i > 0 ? " " : "", cs_digest_status(i));
  cr_expect_str_eq(words.data, CS_STATUS_WORDS);
  cs_text_free(&words);
}

/* Order 0 with 1 is expected to reach 1, whatever starts; order 1 with start zero 2, and 1.5 behind feed-through. */
Test(digest_of_result, orders_beside_theory) {
  static const struct {
    double expected;
    enum cs_verdict verdict;
  } want[] = {{1, CS_VERDICT_AGREES}, {1, CS_VERDICT_DEVIATES}, {1, CS_VERDICT_UNKNOWN},
              {2, CS_VERDICT_AGREES}, {2, CS_VERDICT_AGREES},   {1.5, CS_VERDICT_AGREES}};
  cr_assert_eq(digest.fits, 1);
  const struct cs_digest_fit *fit = &digest.fit[0];
  cr_expect_eq(fit->axis, 1);
  cr_expect_eq(fit->rows, 2);
  cr_expect_eq(fit->columns, OUTPUTS);
  cr_expect_eq(fit->run[1], SIZES);
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    cr_expect_eq(fit->order[i].expected, want[i].expected, "%zu: %g", i, fit->order[i].expected);
    cr_expect_eq(fit->order[i].verdict, want[i].verdict, "%zu: %s", i, cs_digest_verdict(fit->order[i].verdict));
  }
  cr_expect_eq(fit->verdicts[CS_VERDICT_AGREES], 4);
}

Test(digest, of_a_foreign_file) {
  struct cs_digest empty;
  table = cs_table_new("", "", "");
  cr_expect_eq(cs_digest_open(table, &empty, &error), CS_IO);
  cr_expect(strstr(error.message, "want a result of cosweep"), "%s", error.message);
  cs_digest_free(&empty);
  cs_table_free(table);
}

/* ---- traces */

Test(digest, trace) {
  const double time[] = {0, 0.1, 0.3, 0.2, 0.5}, size[] = {NAN, 0.1, 0.2, 0.1, 0.3}, x[] = {1, -3, 100, 2, 0.5};
  const uint8_t accepted[] = {1, 1, 0, 1, 1}, status[] = {0, 0, 0, 0, 2};
  size_t t;
  struct cs_array *array;
  struct cs_digest_trace trace;
  table = cs_table_new("", "", "");
  cs_table_add_dimension(table, "t", "s", "", 5, time, NULL, &t, &error);
  cr_expect(!cs_digest_is_trace(table));
  cs_table_add_array(table, "accepted", "1", "", CS_UINT8, 1, &t, &array, &error);
  memcpy(array->data.uint8, accepted, sizeof accepted);
  cs_table_add_array(table, "status", "1", "", CS_UINT8, 1, &t, &array, &error);
  memcpy(array->data.uint8, status, sizeof status);
  cs_table_add_array(table, "H", "s", "", CS_FLOAT64, 1, &t, &array, &error);
  memcpy(array->data.float64, size, sizeof size);
  cs_table_add_array(table, "x", "m", "", CS_FLOAT64, 1, &t, &array, &error);
  memcpy(array->data.float64, x, sizeof x);
  cr_assert(cs_digest_is_trace(table));
  cr_assert_eq(cs_digest_open_trace(table, &trace, &error), CS_OK, "%s", error.message);
  cr_expect_eq(trace.steps, 3);
  cr_expect_eq(trace.rejected, 1);
  cr_expect_eq(trace.status, 2);
  cr_expect_eq(trace.t_last, 0.5);
  cr_expect_eq(trace.least, 0.1);
  cr_expect_eq(trace.largest, 0.3);
  cr_expect_eq(trace.largest_at, 0.5);
  cr_assert_eq(trace.courses, 1);
  cr_expect_eq(trace.course[0].end, 0.5);
  cr_expect_eq(trace.course[0].largest, 3, "rejected steps count");
  cr_expect_eq(trace.course[0].at, 0.1);
  cs_digest_free_trace(&trace);
  cs_table_free(table);
}

/* ---- results that differ from the one above in one respect */

/* Each list keeps three, whatever comes when: the last run is the third best. */
Test(digest, three_best_and_three_worst_runs) {
  static const double errors[RUNS] = {1, 6, 2, 8, 5, 4, 7, 3};
  static const size_t best[] = {0, 2, 7}, worst[] = {3, 6, 1};
  table = digest_case_result();
  memset(cs_table_find(table, "status")->data.uint8, 0, RUNS);
  struct cs_array *metric = cs_table_find(table, "output_error");
  for (size_t i = 0; i < metric->count; i++)
    metric->data.float64[i] = errors[i / OUTPUTS];
  cr_assert_eq(cs_digest_open(table, &digest, &error), CS_OK, "%s", error.message);
  cr_assert_eq(digest.ranked, 3);
  for (size_t i = 0; i < 3; i++) {
    cr_expect_eq(digest.best[i].run, best[i], "best %zu: run %zu", i, digest.best[i].run);
    cr_expect_eq(digest.worst[i].run, worst[i], "worst %zu: run %zu", i, digest.worst[i].run);
  }
  close_result();
}

/* Orders agree within 0.15, and deviate on both sides of that. */
Test(digest, orders_too_low_deviate) {
  static const struct {
    double order;
    enum cs_verdict verdict;
  } row[] = {{-2, CS_VERDICT_DEVIATES}, {0.84, CS_VERDICT_DEVIATES}, {0.86, CS_VERDICT_AGREES},
             {1.14, CS_VERDICT_AGREES}, {1.16, CS_VERDICT_DEVIATES}, {3, CS_VERDICT_DEVIATES}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    table = digest_case_result();
    cs_table_find(table, "output_error_order")->data.float64[0] = row[i].order;
    cr_assert_eq(cs_digest_open(table, &digest, &error), CS_OK, "%s", error.message);
    cr_expect_eq(digest.fit[0].order[0].expected, 1);
    cr_expect_eq(digest.fit[0].order[0].verdict, row[i].verdict, "order %g: %s", row[i].order,
                 cs_digest_verdict(digest.fit[0].order[0].verdict));
    close_result();
  }
}
