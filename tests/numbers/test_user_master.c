/* Masters of users' own: the moving average against a simulation written out here, the functions of the contract
 * against a built-in master, and what is said of fragments that are wrong. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_case.h"
#include "engine_case.h"
#include "linalg.h"
#include "opencl.h"

typedef long double real;

/* ---- the worked example */

/* x(t) of x1' = -x1 + u1, x2' = -x2 + u2, u = (y2, y1), y = x + d u, from (1, 1/2): the matrix of (x1, x2) has equal
 * diagonals, so that its exponential is hyperbolic or trigonometric; here by its Taylor series. */
static void exact_states(real d1, real d2, real t, real *x) {
  const real s = 1 / (1 - d1 * d2);
  const real m[2][2] = {{-1 + d2 * s, s}, {s, -1 + d1 * s}};
  real term[2] = {1, 0.5L};
  x[0] = term[0];
  x[1] = term[1];
  for (int i = 1; i < 200; i++) {
    const real a = (m[0][0] * term[0] + m[0][1] * term[1]) * t / i, b = (m[1][0] * term[0] + m[1][1] * term[1]) * t / i;
    x[0] += term[0] = a;
    x[1] += term[1] = b;
  }
}

/* The sweep's moving average, step by step: errors of the states at the end. */
static void simulate(real d1, real d2, real H, real t_end, double *error) {
  const real d[2] = {d1, d2}, s = 1 / (1 - d1 * d2), decay = expl(-H);
  const long steps = (long)ceill(t_end / H * (1 - 1e-9L));
  real x[2] = {1, 0.5L}, y[2], u[2], kept[2][2], exact[2];
  for (int i = 0; i < 2; i++) /* consistent: y = (I - D L)^-1 x */
    y[i] = s * (x[i] + d[i] * x[1 - i]);
  for (int i = 0; i < 2; i++)
    kept[0][i] = kept[1][i] = u[i] = y[1 - i];
  for (long k = 0; k < steps; k++) {
    for (int i = 0; i < 2; i++) {
      x[i] = decay * x[i] + (1 - decay) * u[i];
      y[i] = x[i] + d[i] * u[i];
    }
    for (int i = 0; i < 2; i++) {
      u[i] = (y[1 - i] + kept[0][i] + kept[1][i]) / 3;
      kept[1][i] = kept[0][i];
      kept[0][i] = y[1 - i];
    }
  }
  exact_states(d1, d2, (real)steps * H, exact);
  for (int i = 0; i < 2; i++)
    error[i] = (double)fabsl(x[i] - exact[i]);
}

Test(user_master, moving_average_is_what_it_says) {
  static const char *const signal[] = {"lag1.x", "lag2.x"};
  static const double d[] = {0.2, 0.5, 0.9, 1.1};
  struct harness harness;
  struct harness_check check = {0};
  const char *const set[] = {"metrics.0=state_error_final"};
  struct cs_error error;
  harness_open_auto(&harness);
  cr_assert_eq(cs_sweep_load(COSWEEP_SOURCE_DIR "/sweeps/moving_average.json", set, 1, &harness.sweep, &error), CS_OK,
               "%s", error.message);
  harness_run(&harness);
  for (size_t i = 0; i < 4; i++)
    for (size_t h = 8; h < 25; h += 4) {
      const size_t index[] = {2, i, h};
      double want[2];
      simulate(d[i], -d[i], harness.sweep->axis[2].values[h], 4, want);
      for (size_t s = 0; s < 2; s++)
        harness_compare(&check, harness_value(harness.table, "state_error_final", index, signal[s]), want[s], 1e-11,
                        1e-15, "d = %g, H = %g: %s", d[i], harness.sweep->axis[2].values[h], signal[s]);
    }
  harness_finish(&check, "moving average");
  harness_close(&harness);
}

/* H = 0: the values v that are exchanged follow v_(k+1) = L D (v_k + v_(k-1) + v_(k-2))/3, beside the states, whose
 * eigenvalues are 1. */
static double radius_of_means(double d1, double d2) {
  double a[36] = {0}, re[6], im[6], radius = 1.0;
  for (int i = 0; i < 3; i++) {
    a[2 * i + 1] = d2 / 3;
    a[6 + 2 * i] = d1 / 3;
  }
  for (int i = 2; i < 6; i++)
    a[6 * i + i - 2] = 1;
  cr_assert_eq(cs_linalg_eigenvalues(6, a, re, im, NULL), CS_OK);
  for (int i = 0; i < 6; i++)
    radius = fmax(radius, hypot(re[i], im[i]));
  return radius;
}

Test(user_master, moving_average_is_stable_where_its_means_are) {
  static const double d[] = {0.5, 1.1, 1.6, 3};
  struct harness harness;
  struct harness_check check = {0};
  struct cs_text sweep = {0};
  harness_open_auto(&harness);
  engine_case_model(&harness, "models/linear_feedthrough/model.json");
  cs_text_add(
      &sweep,
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"study\": \"stability\",\n"
      "\"method\": {\"hold\": \"lagrange\", \"feedthrough\": \"explicit\", \"step\": {\"size\": 0},\n"
      "\"master\": {\"kernel\": \"" COSWEEP_SOURCE_DIR
      "/sweeps/moving_average.clh\", \"memory\": 2}},\n"
      "\"axes\": [{\"name\": \"d1\", \"path\": \"parameters.d1\", \"values\": [0.5, 1.1, 1.6, 3]},\n"
      "{\"name\": \"d2\", \"path\": \"parameters.d2\", \"values\": [-0.5, -1.1, -1.6, -3]}]}");
  harness_load(&harness, sweep.data);
  harness_run(&harness);
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 4; j++) {
      const size_t index[] = {i, j};
      harness_compare(&check, harness_value(harness.table, "spectral_radius", index, NULL),
                      radius_of_means(d[i], -d[j]), 1e-10, 0, "d1 = %g, d2 = %g", d[i], -d[j]);
    }
  cr_expect(radius_of_means(1.1, -1.1) == 1 && radius_of_means(3, -3) > 1.1, "both sides of the limit");
  harness_finish(&check, "spectral radius of moving averages");
  cs_text_free(&sweep);
  harness_close(&harness);
}

/* ---- the contract */

#define ITERATED                                                                     \
  "static void master_step(const V *k, struct macro *m, const struct sink *to) { \n" \
  "  V u[NU1], held[NQ * NU1];\n"                                                    \
  "  held_now(k, m, held);\n"                                                        \
  "  hold_now(k, m, held);\n"                                                        \
  "  for (int i = 0; i <= 2; i++) {\n"                                               \
  "    step_advance(k, m, i == 2, to);\n"                                            \
  "    step_samples(k, m, m->y);\n"                                                  \
  "    received(k, m, u);\n"                                                         \
  "    for (int j = 0; j < NQ * NU; j++) held[j] = j < NU ? u[j] : (V)0.0;\n"        \
  "    if (i < 2) hold_now(k, m, held);\n"                                           \
  "  }\n"                                                                            \
  "}\n"                                                                              \
  "static void master_exchange(const V *k, struct macro *m) { exchange_by_hold(k, m); }\n"

#define RING                                                                                                      \
  "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"study\": \"simulation\", "     \
  "\"t_end\": 2, \"method\": {\"hold\": \"lagrange\", \"feedthrough\": \"explicit\", %s}, \"axes\": [{\"name\": " \
  "\"H\", \"path\": \"method.step.size\", \"values\": [0.01, 0.1]}], \"metrics\": " ENGINE_CASE_METRICS           \
  ", "                                                                                                            \
  "\"fits\": []}"

static void run_ring(struct harness *harness, const char *method, struct engine_case *result) {
  struct cs_text text = {0};
  cs_text_add(&text, RING, method);
  engine_case_run(harness, text.data, 0, 0, result);
  cs_text_free(&text);
}

Test(user_master, can_repeat_the_step_as_iterations_do) {
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case built_in, own;
  harness_open_auto(&harness);
  engine_case_model(&harness, "models/ring/model.json");
  harness_write(&harness, "iterated.clh", ITERATED);
  run_ring(&harness, "\"iterations\": 2", &built_in);
  run_ring(&harness, "\"master\": {\"kernel\": \"iterated.clh\", \"passes\": 3}", &own);
  engine_case_compare(&check, &own, &built_in, 1e-11, 1e-15);
  harness_finish(&check, "iterations by a fragment");
  engine_case_free(&built_in);
  engine_case_free(&own);
  harness_close(&harness);
}

/* ---- parameters */

#define TREND                                                                             \
  "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", %s\n"    \
  "\"method\": {\"hold\": \"lagrange\", \"feedthrough\": \"explicit\", \"step\": {%s},\n" \
  "\"master\": {\"kernel\": \"" COSWEEP_SOURCE_DIR                                        \
  "/sweeps/trend.clh\", \"memory\": 1, "                                                  \
  "\"parameters\": {\"weight\": %s}}},\n"                                                 \
  "\"axes\": [{\"name\": \"G\", \"path\": \"parameters.RL\", \"values\": [0.1, 0.2]}%s]%s}"

static const struct {
  const char *study, *step, *metrics;
} parametric[] = {
    {"\"t_end\": 2,", "\"size\": 0.05", ", \"fits\": [], \"metrics\": " ENGINE_CASE_METRICS},
    {"\"t_end\": 2,",
     "\"control\": \"threshold\", \"signal\": \"cell1.v_left\", \"threshold\": 0.5, \"above\": 0.05, \"below\": 0.02",
     ", \"fits\": [], \"metrics\": [\"state_error\", \"output_error_max\", \"steps\"]"},
    {"\"study\": \"stability\",", "\"size\": 0.3", ""}};

static void run_trend(struct harness *harness, size_t way, const char *weight, const char *axis,
                      struct engine_case *result) {
  struct cs_text text = {0};
  cs_text_add(&text, TREND, parametric[way].study, parametric[way].step, weight, axis, parametric[way].metrics);
  engine_case_run(harness, text.data, 0, 0, result);
  cs_text_free(&text);
}

Test(user_master, parameters_on_an_axis_are_numbers_of_the_runs, .timeout = 300) {
  static const char *const weight[] = {"0", "0.3", "0.5"};
  struct harness harness;
  harness_open_auto(&harness);
  engine_case_model(&harness, "models/ring/model.json");
  for (size_t way = 0; way < sizeof parametric / sizeof *parametric; way++) {
    struct engine_case all, one[3];
    run_trend(&harness, way, "77",
              ", {\"name\": \"w\", \"path\": \"method.master.parameters.weight\", \"values\": [0, 0.3, 0.5]}", &all);
    for (size_t w = 0; w < 3; w++) {
      run_trend(&harness, way, weight[w], "", &one[w]);
      for (size_t g = 0; g < 2; g++)
        engine_case_same_run(&all, 3 * g + w, &one[w], g);
    }
    size_t signals;
    const char *const metric = way == 2 ? "spectral_radius" : "state_error";
    cr_expect_neq(*engine_case_values(&all, metric, 1, &signals), *engine_case_values(&all, metric, 2, &signals),
                  "the weight changes nothing");
    for (size_t w = 0; w < 3; w++)
      engine_case_free(&one[w]);
    engine_case_free(&all);
  }
  harness_close(&harness);
}

Test(user_master, a_held_value_for_the_middle_of_the_step_has_order_2) {
  struct harness harness;
  struct harness_check check = {0};
  harness_open_auto(&harness);
  harness_run_shipped(&harness, "trend");
  for (size_t w = 0; w < 7; w++) {
    const size_t index[] = {w};
    harness_compare(&check, harness_value(harness.table, "state_error_order", index, "oscillator1.phi2"),
                    w == 3 ? 2 : 1, 0.05, 0, "weight number %zu", w);
  }
  harness_finish(&check, "order over the weight");
  harness_close(&harness);
}

/* ---- fragments that are wrong */

static const char sweep_text[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"study\": \"simulation\",\n"
    "\"t_end\": 1, \"method\": {\"step\": {\"size\": 0.1},\n"
    "\"master\": {\"kernel\": \"own.clh\"%s}}}\n";

static void expect_failure(const char *fragment, const char *members, int status, const char *message) {
  struct cs_text text = {0};
  cs_text_add(&text, sweep_text, members);
  cli_case_write("own.json", text.data);
  cs_text_free(&text);
  if (fragment != NULL) cli_case_write("own.clh", fragment);
  struct cli_result r = cli_run("run own.json --force");
  cr_expect_eq(r.status, status, "status %d: %s", r.status, r.err);
  cr_expect(strstr(r.err, message) != NULL, "\"%s\" is not in: %s", message, r.err);
  cli_free(&r);
}

/* What a compiler of OpenCL says, or what comes of a fragment that it has built. */
static void expect_built(const char *fragment, const char *members, int status, const char *message) {
  if (opencl_is_there()) expect_failure(fragment, members, status, message);
}

Test(user_master, wrong_fragments_are_named_with_their_place, .init = cli_case_open, .fini = cli_case_close,
     .timeout = 300) {
  setenv("COSWEEP_DEVICE", "auto", 1);
  if (!opencl_is_there()) opencl_skipped("fragments that are built");
  static const char good[] =
      "static void master_step(const V *k, struct macro *m, const struct sink *to) {\n"
      "  hold_extrapolated(m);\n"
      "  step_advance(k, m, true, to);\n"
      "}\n"
      "static void master_exchange(const V *k, struct macro *m) { exchange_by_hold(k, m); }\n";
  struct cs_text broken = {0};
  expect_failure(NULL, "", 3, "own.json:3:22: method.master.kernel: own.clh: cannot be opened");
  expect_failure("/* nothing */\n", "", 3, "method.master.kernel: own.clh defines no master_step; want master_step");
  expect_failure(good, ", \"memory\": 1", 3, "own.clh defines no master_begin");
  expect_failure(good, ", \"memory\": 65", 3, "method.master.memory: found 65; want an integer from 0 to 64");
  expect_failure(good, ", \"colour\": 1", 3, "want one of: kernel, memory, parameters, passes");
  expect_failure(good, ", \"parameters\": 1", 3, "method.master.parameters: found a number; want an object");
  expect_failure(good, ", \"parameters\": {\"a b\": 1}", 3, "\"a b\" is not a name");
  expect_failure(good, ", \"parameters\": {\"a\": \"1\"}", 3,
                 "method.master.parameters.a: found a string; want a number");
#define GAIN_ON_AXIS(members)                                                                             \
  members                                                                                                 \
      "}}, \"axes\": [{\"name\": \"a\", \"values\": [1], \"path\": \"method.master.parameters.gian\"}], " \
      "\"modes\": {\"x\": {\"y\": 1"
  expect_failure(good, GAIN_ON_AXIS(", \"parameters\": {\"gain\": 1}"), 3,
                 "no master has a parameter \"gian\"; did you mean \"gain\"? want one of: gain");
  expect_failure(good, GAIN_ON_AXIS(""), 3,
                 "no master has a parameter \"gian\"; want {\"kernel\": file, \"parameters\": {...}} as master");
  expect_failure("/* master_step master_exchange */\n", "", 3, "own.clh defines no master_step");
  cs_text_add(&broken, "%sstatic void master_begin(const V *u, V *own) { own[0] = u[0]; }\n", good);
  expect_built(broken.data, ", \"memory\": 1", 1, "diverged at step 1");
  cs_text_free(&broken);
  expect_built(
      "static void master_step(const V *k, struct macro *m, const struct sink *to) { hold_extrapolated(m); }\n"
      "static void master_exchange(const V *k, struct macro *m) { exchange_by_hold(k, m); }\n",
      "", 1, "diverged at step 1");
  expect_built(
      "static void master_step(const V *k, struct macro *m, const struct sink *to) {\n"
      "  hold_extrapolated(m);\n  step_advance(k, m, true, to);\n}\n"
      "static void master_exchange(const V *k, struct macro *m) { /* forgotten */ }\n",
      "", 1, "diverged at step");
  cs_text_add(&broken, "%s/* and\n", good);
  expect_failure(broken.data, "", 3, "own.clh:6: unterminated comment; want */");
  cs_text_free(&broken);
  cs_text_add(&broken, "%s# /* a gain */ include \"gain.h\"\n", good);
  expect_failure(broken.data, "", 3,
                 "own.json:3:22: method.master.kernel: own.clh:6: #include is refused: what a fragment does has to "
                 "follow from its text; want it written out");
  struct cli_result checked = cli_run("check own.json");
  cr_expect(checked.status == 3 && strstr(checked.err, "own.clh:6: #include is refused") != NULL, "%s", checked.err);
  cli_free(&checked);
  cs_text_free(&broken);
  cs_text_add(&broken, "/* no #define V */\n#define MINE 1 // not \"yours\n#define NU 7\n%s", good);
  expect_built(broken.data, "", 4, "own.clh: #define NU: the program around it has this name; want another");
  cs_text_free(&broken);
  cs_text_add(&broken, "%sint oops = nothing;\n", good);
  expect_built(broken.data, "", 4, "own.clh:6:");
  cs_text_free(&broken);
  setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
  expect_failure(good, "", 4,
                 "the host cannot compute this, as own.clh is a fragment of OpenCL, and OpenCL has no device");
}
