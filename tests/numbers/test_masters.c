/* What has to hold for masters whatever the numbers: who sees the order of subsystems and who does not, what iterations
 * converge to, how often subsystems are called, and what is said of settings that are wrong. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"
#include "layout.h"
#include "plain_compare.h"
#include "plan.h"
#include "sweep_case.h"

/* A sweep of model.json: members of method, axes, metrics. */
static const char frame[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"masters\", \"model\": \"model.json\", \"t_end\": 1,\n"
    "\"study\": \"simulation\", \"method\": {%s, \"step\": {\"size\": 0.125}}, \"axes\": [%s],\n"
    "\"metrics\": %s}\n";

static void run(struct harness *harness, const char *method, const char *axes, const char *metrics,
                struct engine_case *result) {
  struct cs_text text = {0};
  cs_text_add(&text, frame, method, axes, metrics);
  cr_assert(!text.failed);
  engine_case_run(harness, text.data, 0, 0, result);
  cs_text_free(&text);
}

/* model.json with a lag of that feed-through per letter of `names`, and a connection per word of `edges`: "ab" from a
 * to b. Constants feed all inputs. */
static void write_network(struct harness *harness, const char *names, const char *edges, double feedthrough) {
  struct cs_text text = {0};
  cs_text_add(&text, "{\"format\": \"cosweep-model/1\", \"name\": \"lags\", \"parameters\": {}, \"subsystems\": [");
  for (size_t i = 0; names[i]; i++) {
    cs_text_add(&text,
                "%s{\"name\": \"%c\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
                "\"A\": [[%g]], \"B\": [[1]], \"C\": [[1.25]], \"D\": [[%g]], \"x0\": [%g]}",
                i ? ",\n" : "", names[i], -1 - 0.5 * (double)i, feedthrough, 1 - 0.75 * (double)i);
  }
  cs_text_add(&text, "],\n\"connections\": [");
  for (const char *edge = edges; *edge; edge += 2 + strspn(edge + 2, " "))
    cs_text_add(&text, "{\"from\": \"%c.y\", \"to\": \"%c.u\", \"gain\": 0.5},\n", edge[0], edge[1]);
  for (size_t i = 0; names[i]; i++)
    cs_text_add(&text, "%s{\"to\": \"%c.u\", \"value\": 0.5}", i ? ", " : "", names[i]);
  cs_text_add(&text, "],\n\"monitors\": [{\"name\": \"first\", \"terms\": {\"%c.u.u\": 1}}]}\n", names[0]);
  cr_assert(!text.failed);
  harness_write(harness, "model.json", text.data);
  cs_text_free(&text);
}

/* An axis over sequences: words of letters, each the name of a subsystem. */
static void add_sequences(struct cs_text *text, const char *words) {
  const char *separator = "{\"name\": \"sequence\", \"path\": \"method.sequence\", \"values\": [";
  while (*words) {
    const size_t length = strcspn(words, " ");
    cs_text_add(text, "%s{\"label\": \"%.*s\", \"value\": [", separator, (int)length, words);
    for (size_t i = 0; i < length; i++)
      cs_text_add(text, "%s\"%c\"", i ? ", " : "", words[i]);
    cs_text_add(text, "]}");
    separator = ",\n";
    words += length + strspn(words + length, " ");
  }
  cs_text_add(text, "]}");
  cr_assert(!text->failed);
}

/* ---- the order of subsystems */

static const char two_methods[] =
    "{\"name\": \"settings\", \"zip\": {\"method.hold\": [\"taylor\", \"lagrange\"], \"method.input_order\": [2, 1],\n"
    "\"method.output_order\": [1, 2], \"method.solver\": [\"exact\", \"heun\"], \"method.iterations\": [%s],\n"
    "\"method.feedthrough\": [\"explicit\", \"solved\"], \"method.start\": [\"ramp\", \"consistent\"]}}";

/* `method` on tests/data/three_way.json and on the same listed last to first: 1e-13, sums round anew. */
static void compare_listings(const char *method, const char *title) {
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case first, reversed;
  struct cs_text axis = {0};
  char *model = harness_read("tests/data/three_way.json"), *backwards = harness_reverse_subsystems(model);
  cs_text_add(&axis, two_methods, "1, 2");
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  run(&harness, method, axis.data, ENGINE_CASE_METRICS, &first);
  harness_write(&harness, "model.json", backwards);
  run(&harness, method, axis.data, ENGINE_CASE_METRICS, &reversed);
  cr_assert_str_eq(harness.sweep->model->subsystem[0].name, "c");
  engine_case_compare_by_name(&check, &reversed, &first, 1e-13, 1e-16);
  harness_finish(&check, title);
  engine_case_free(&first);
  engine_case_free(&reversed);
  harness_close(&harness);
  cs_text_free(&axis);
  free(model);
  free(backwards);
}

Test(masters, repeated_jacobi_does_not_see_the_listing) {
  compare_listings("\"master\": \"jacobi\"", "listing, jacobi with iterations");
}

Test(masters, a_repeated_sequence_does_not_see_the_listing) {
  compare_listings("\"master\": \"gauss_seidel\", \"sequence\": [\"b\", \"a\", \"c\"]", "listing, sequence repeated");
}

/* gauss_seidel in `sequence` beside jacobi where no subsystem is fed by one before it. */
static void compare_with_jacobi(const char *edges, const char *sequence, const char *iterations, const char *title) {
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case jacobi, sequential;
  struct cs_text axis = {0}, axes = {0};
  cs_text_add(&axis, two_methods, iterations);
  add_sequences(&axes, sequence);
  cs_text_add(&axes, ", %s", axis.data);
  harness_open(&harness);
  write_network(&harness, "abc", edges, 0.25);
  run(&harness, "\"master\": \"jacobi\"", axis.data, ENGINE_CASE_METRICS, &jacobi);
  run(&harness, "\"master\": \"gauss_seidel\"", axes.data, ENGINE_CASE_METRICS, &sequential);
  engine_case_compare(&check, &sequential, &jacobi, 1e-13, 1e-16);
  harness_finish(&check, title);
  engine_case_free(&jacobi);
  engine_case_free(&sequential);
  harness_close(&harness);
  cs_text_free(&axis);
  cs_text_free(&axes);
}

/* Loops of a subsystem with itself are extrapolated by both, and interpolated by both in iterations. */
Test(masters, gauss_seidel_without_mutual_feeding_is_jacobi) {
  compare_with_jacobi("aa bb cc", "bca", "0, 2", "subsystems apart");
}

Test(masters, gauss_seidel_against_a_chain_is_jacobi) {
  compare_with_jacobi("ab bc bb", "cba", "0, 0", "a chain, last subsystem first");
}

/* ---- sparse networks */

/* Runs on the network that stands in model.json, along sequences and an axis `settings` of two. */
static void compare_with_plain(struct harness *harness, const char *engine, const char *master, const char *sequences,
                               const char *settings) {
  struct harness_check check = {0};
  struct plain_result *result = malloc(sizeof *result);
  struct cs_text axes = {0}, sweep = {0};
  cr_assert(result != NULL);
  add_sequences(&axes, sequences);
  cs_text_add(&axes, ", %s", settings);
  cs_text_add(&sweep, frame, master, axes.data, ENGINE_CASE_METRICS);
  harness_load_engine(harness, sweep.data, engine);
  harness_run(harness);
  for (size_t r = 0; r < harness->sweep->runs; r++) {
    const size_t index[] = {r / 2, r % 2};
    char name[64];
    snprintf(name, sizeof name, "%s, run %zu", master, r);
    plain_run(harness->sweep, r, NULL, NULL, result);
    plain_compare(harness, index, result, 1e-11, 1e-15, &check, name);
  }
  harness_finish(&check, engine);
  free(result);
  cs_text_free(&axes);
  cs_text_free(&sweep);
}

/* Seven subsystems with a loop among four of them: what a step touches grows with iterations and sequences, and the
 * engine leaves out what stays untouched. */
static void compare_sparse(const char *engine, const char *master, const char *sequences) {
  struct harness harness;
  struct cs_text settings = {0};
  cs_text_add(&settings, two_methods, "1, 2");
  harness_open(&harness);
  write_network(&harness, "abcdefg", "ab bc cd de ef fc gb ee", 0.25);
  compare_with_plain(&harness, engine, master, sequences, settings.data);
  harness_close(&harness);
  cs_text_free(&settings);
}

Test(masters, sparse_networks_match_the_reference_by_stepping) {
  compare_sparse("step", "\"master\": \"gauss_seidel\"", "gfedcba dacfgbe");
  compare_sparse("step", "\"master\": \"jacobi\"", "abcdefg");
}

Test(masters, sparse_networks_match_the_reference_by_doubling) {
  compare_sparse("double", "\"master\": \"gauss_seidel\"", "dacfgbe");
}

/* b has new values of one source and old ones of the other. Outputs without feed-through follow from states, so that
 * doubling leaves their memories out: those of the old values alone. */
static void compare_mixed(const char *engine) {
  struct harness harness;
  harness_open(&harness);
  write_network(&harness, "abc", "ab cb bc ca", 0);
  compare_with_plain(&harness, engine, "\"master\": \"gauss_seidel\"", "abc",
                     "{\"name\": \"settings\", \"zip\": {\"method.hold\": [\"taylor\", \"lagrange\"],\n"
                     "\"method.input_order\": [0, 1], \"method.output_order\": [0, 1]}}");
  harness_close(&harness);
}

Test(masters, inputs_of_new_and_old_states_by_stepping) {
  compare_mixed("step");
}

Test(masters, inputs_of_new_and_old_states_by_doubling) {
  compare_mixed("double");
}

/* ---- iterations */

/* Largest difference of the first run's final state errors. */
static double apart(const struct engine_case *one, const struct engine_case *other) {
  double most = 0;
  size_t signals;
  const double *x = engine_case_values(one, "state_error_final", 0, &signals);
  const double *y = engine_case_values(other, "state_error_final", 0, &signals);
  for (size_t i = 0; i < signals; i++)
    most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

/* Of order 0, all masters, sequences and feed-throughs iterate towards u~ = L y(T_k) + b: the errors of the 40th
 * iterate contract beyond rounding. */
Test(masters, iterations_of_order_zero_have_one_fixed_point) {
  static const char explicit_outputs[] =
      "{\"name\": \"f\", \"path\": \"method.feedthrough\", \"values\": [\"explicit\"]}";
  static const char both[] =
      "{\"name\": \"f\", \"path\": \"method.feedthrough\", \"values\": [\"explicit\", \"solved\"]}";
  static const char metrics[] = "[\"output_defect\", \"output_error\", \"input_error\", \"state_error_final\"]";
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case plain, jacobi, sequential;
  struct cs_text axes = {0};
  add_sequences(&axes, "abc acb bac bca cab cba");
  cs_text_add(&axes, ", %s", explicit_outputs);
  harness_open(&harness);
  engine_case_model(&harness, "tests/data/three_way.json");
  run(&harness, "\"iterations\": 0", explicit_outputs, metrics, &plain);
  run(&harness, "\"iterations\": 40", both, metrics, &jacobi);
  run(&harness, "\"master\": \"gauss_seidel\", \"iterations\": 40", axes.data, metrics, &sequential);
  cr_assert_gt(apart(&plain, &jacobi), 1e-3);
  for (size_t m = 0; m < CS_METRICS; m++) {
    const char *name = cs_metric_table[m].name;
    if (cs_metric_table[m].over == CS_OVER_NOTHING || cs_table_find(jacobi.table, name) == NULL) continue;
    for (size_t r = 0; r < 1 + sequential.runs; r++) {
      size_t signals;
      const double *want = engine_case_values(&jacobi, name, 0, &signals);
      const double *value =
          r ? engine_case_values(&sequential, name, r - 1, &signals) : engine_case_values(&jacobi, name, 1, &signals);
      for (size_t i = 0; i < signals; i++)
        harness_compare(&check, value[i], want[i], 1e-12, 1e-15, "run %zu: %s, signal %zu", r, name, i);
    }
  }
  harness_finish(&check, "fixed point");
  engine_case_free(&plain);
  engine_case_free(&jacobi);
  engine_case_free(&sequential);
  harness_close(&harness);
  cs_text_free(&axes);
}

/* ---- counts */

/* Networks, sequences and for each of them the longest chain of subsystems that wait for the one before. */
static const struct {
  const char *names, *edges, *sequences;
  size_t stages[6];
} counted[] = {
    {"abc", "ab bc", "abc acb bac bca cab cba", {3, 2, 2, 2, 2, 1}},
    {"abc", "ab bc ca", "abc acb bac bca cab cba", {3, 2, 2, 3, 3, 2}},
    {"hpqr", "hp hq hr ph qh rh", "hpqr phqr pqhr pqrh", {2, 3, 3, 2}},
    {"hpqr", "hp hq hr", "hpqr phqr pqhr pqrh", {2, 2, 2, 1}},
};

static void load(struct harness *harness, const char *method, const char *axes) {
  struct cs_text text = {0};
  cs_text_add(&text, frame, method, axes, "[\"steps\", \"evaluations\", \"stages\", \"repeated_steps\"]");
  cr_assert(!text.failed);
  harness_load(harness, text.data);
  cs_text_free(&text);
}

static struct cs_plan *plan_of(const struct harness *harness) {
  struct cs_error error;
  struct cs_plan *plan;
  const struct cs_plan_options options = {.lanes = 1, .memory = 1 << 20};
  cr_assert_eq(cs_plan_new(harness->sweep, &options, &plan, &error), CS_OK, "%s", error.message);
  return plan;
}

Test(masters, calls_of_a_step_are_counted) {
  static const char iterations[] = "{\"name\": \"k\", \"path\": \"method.iterations\", \"values\": [0, 2]}";
  struct harness harness;
  harness_directory(&harness);
  for (size_t n = 0; n < sizeof counted / sizeof *counted; n++) {
    struct cs_text axes = {0};
    cs_text_add(&axes, "{\"name\": \"m\", \"path\": \"method.master\", \"values\": [\"gauss_seidel\", \"jacobi\"]},\n");
    add_sequences(&axes, counted[n].sequences);
    cs_text_add(&axes, ", %s", iterations);
    write_network(&harness, counted[n].names, counted[n].edges, 0.25);
    load(&harness, "\"order\": 0", axes.data);
    struct cs_plan *plan = plan_of(&harness);
    for (size_t r = 0; r < plan->runs; r++) {
      const struct cs_layout *layout = plan->variant[plan->run[r].variant];
      const size_t passes = r % 2 ? 3 : 1;
      const size_t stages = r < plan->runs / 2 ? counted[n].stages[r / 2] : 1;
      cr_expect_eq(cs_layout_evaluations(layout), passes * strlen(counted[n].names));
      cr_expect_eq(cs_layout_stages(layout), passes * stages, "network %zu, run %zu", n, r);
    }
    cs_plan_free(plan);
    cs_text_free(&axes);
  }
  harness_close(&harness);
}

Test(masters, calls_of_a_run_are_counted) {
  struct harness harness;
  harness_open(&harness);
  write_network(&harness, "abc", "ab bc", 0.25);
  load(&harness, "\"master\": \"gauss_seidel\", \"sequence\": [\"b\", \"a\", \"c\"], \"iterations\": 2", "");
  harness_run(&harness);
  cr_expect_eq(harness_value(harness.table, "steps", NULL, NULL), 8);
  cr_expect_eq(harness_value(harness.table, "evaluations", NULL, NULL), 8 * 3 * 3);
  cr_expect_eq(harness_value(harness.table, "stages", NULL, NULL), 8 * 3 * 2);
  cr_expect_eq(harness_value(harness.table, "repeated_steps", NULL, NULL), 8 * 2);
  harness_close(&harness);
}

/* ---- what is wrong */

#define ONCE "; want each subsystem once: a, b"
#define ORDERS "want one of: model, alternating, or a list of the names of all subsystems"
#define MASTERS "want one of: jacobi, gauss_seidel, or {\"kernel\": file} for a user-defined one"
#define COUNT "want an integer from 0 to 100, or \"converged\" or \"tolerance\""
#define REFRESH "feedthrough refresh requires master jacobi without iterations; want explicit or solved"
#define SEQUENCES(values) "{\"name\": \"x\", \"path\": \"method.sequence\", \"values\": [" values "]}"

/* Members of method (line 3) and axes (line 5). */
static const struct {
  const char *method, *axes, *message;
} wrong[] = {
    {"\"sequence\": [\"a\", \"x\"]", "", "s.json:3:19: method.sequence[1]: unknown subsystem \"x\"" ONCE},
    {"\"sequence\": [\"b\"]", "", "s.json:3:13: method.sequence: found 1 of 2 subsystems" ONCE},
    {"\"sequence\": []", "", "s.json:3:13: method.sequence: found 0 of 2 subsystems" ONCE},
    {"\"sequence\": [\"a\", \"a\"]", "", "s.json:3:19: method.sequence[1]: subsystem \"a\" is listed twice" ONCE},
    {"\"sequence\": [\"a\", \"b\", \"a\"]", "",
     "s.json:3:24: method.sequence[2]: subsystem \"a\" is listed twice" ONCE},
    {"\"sequence\": [\"a\", 1]", "", "s.json:3:19: method.sequence[1]: found a number; want a string"},
    {"\"sequence\": \"ab\"", "", "s.json:3:13: method.sequence: unknown sequence \"ab\"; " ORDERS},
    {"\"sequence\": 3", "", "s.json:3:13: method.sequence: found a number; " ORDERS},
    {"", SEQUENCES("[\"a\", \"b\"], [\"b\", \"a\"]"),
     "s.json:5:53: axes[0].values[0]: found a list without label; want {\"label\": text, \"value\": list}"},
    {"", SEQUENCES("{\"label\": \"l\", \"value\": [\"b\"]}"),
     "s.json:5:77: axes[0].values[0].value: found 1 of 2 subsystems" ONCE},
    {"\"master\": \"gauss\"", "", "s.json:3:11: method.master: unknown master \"gauss\"; " MASTERS},
    {"\"master\": [\"jacobi\"]", "", "s.json:3:11: method.master: found a list; " MASTERS},
    {"\"master\": \"gauss_seidel\", \"feedthrough\": \"refresh\"", "", "s.json:3:42: method.feedthrough: " REFRESH},
    {"\"iterations\": 1, \"feedthrough\": \"refresh\"", "", "s.json:3:33: method.feedthrough: " REFRESH},
    {"\"feedthrough\": \"refresh\"",
     "{\"name\": \"x\", \"path\": \"method.master\", \"values\": [\"jacobi\", \"gauss_seidel\"]}",
     "s.json:3:16: method.feedthrough: " REFRESH ", or the combination in \"skip\" (x=gauss_seidel)"},
    {"\"iterations\": 101", "", "s.json:3:15: method.iterations: found 101; " COUNT},
    {"\"iterations\": 1.5", "", "s.json:3:15: method.iterations: found 1.5; " COUNT},
    {"\"iterations\": \"two\"", "", "s.json:3:15: method.iterations: unknown iterations \"two\"; " COUNT},
    {"", "{\"name\": \"x\", \"path\": \"method.iterations\", \"values\": [0, 101]}",
     "s.json:5:58: axes[0].values[1]: found 101; " COUNT},
    {"", "{\"name\": \"x\", \"path\": \"method.iterations\", \"linspace\": [0, 3, 3]}",
     "s.json:5:56: axes[0].linspace: value 2 of 3 is 1.5; " COUNT},
};

Test(masters, wrong_settings_are_named, .init = sweep_case_open, .fini = sweep_case_close) {
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct cs_error error = {0};
    struct cs_sweep *sweep = NULL;
    sweep_case_compose(wrong[i].method, wrong[i].axes, "");
    cr_expect_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_INPUT, "row %zu", i);
    cr_expect_str_eq(error.message, wrong[i].message);
    cs_sweep_free(sweep);
  }
}

/* ---- a small network with ramps and loops */

/* One output has a lower order than the inputs it reaches; inputs start as ramps; the loop of feed-throughs is solved
 * in one run, explicit in the other. */
static void compare_small(const char *master) {
  struct harness harness;
  harness_open(&harness);
  write_network(&harness, "abc", "ab cb bc ca", 0.25);
  compare_with_plain(&harness, "step", master, "abc",
                     "{\"name\": \"settings\", \"zip\": {\"method.hold\": [\"taylor\", \"lagrange\"],\n"
                     "\"method.feedthrough\": [\"solved\", \"explicit\"], \"method.input_order\": [2, 2], "
                     "\"method.output_order\": [2, 1]}}");
  harness_close(&harness);
}

Test(masters, jacobi_with_ramps_and_unequal_orders) {
  compare_small("\"master\": \"jacobi\", \"start\": \"ramp\", \"subsystems\": {\"c\": {\"output_order\": 0}}");
}

Test(masters, gauss_seidel_with_ramps_and_unequal_orders) {
  compare_small("\"master\": \"gauss_seidel\", \"start\": \"ramp\", \"subsystems\": {\"c\": {\"output_order\": 0}}");
}
