/* State events where they are special: at the start, at the end and beyond, many at one time, without end, so short
 * that a step would pass them, with numbers that make no sense. */
#include <criterion/criterion.h>
#include <math.h>

#include "digest.h"
#include "engine_case.h"

/* A ball above a table at rest, in a room whose temperature it does not feel. */
static const char ball[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"ball\", \"parameters\": {\"e\": 1, \"height\": 0.3, \"least\": 0},\n"
    "\"subsystems\": [\n"
    "{\"name\": \"ball\", \"states\": [\"x\", \"v\"], \"inputs\": [\"z\"], \"outputs\": [\"x\"], \"A\": [[0, 1], [0, "
    "0]],\n"
    "\"B\": [[0], [0]], \"C\": [[1, 0]], \"e\": [0, -9.81], \"x0\": [\"height\", 0]},\n"
    "{\"name\": \"table\", \"states\": [\"z\"], \"outputs\": [\"z\"], \"A\": [[-1]], \"C\": [[1]], \"x0\": [0]}],\n"
    "\"connections\": [{\"from\": \"table.z\", \"to\": \"ball.z\"}],\n"
    "\"events\": [{\"name\": \"bounce\", \"when\": {\"ball\": [{\"terms\": {\"x.x\": 1, \"z\": -1}, \"below\": 0},\n"
    "{\"terms\": {\"v\": 1}, \"below\": \"least\"}]}, \"set\": {\"ball.v\": {\"terms\": {\"v\": \"-e\"}}}}]}\n";

/* A clock t' = 1 with conditions: at `first` a state counts, at `second` another one. */
static const char clock_model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"clock\", \"parameters\": {\"first\": 0.5, \"second\": 5, \"p\": "
    "1},\n"
    "\"subsystems\": [\n"
    "{\"name\": \"c\", \"states\": [\"t\", \"n\", \"a\", \"b\"], \"outputs\": [\"t\"], \"A\": [[0, 0, 0, 0], [0, 0, 0, "
    "0],\n"
    "[0, 0, 0, 0], [0, 0, 0, 0]], \"C\": [[1, 0, 0, 0]], \"e\": [1, 0, 0, 0]},\n"
    "{\"name\": \"s\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]], \"B\": [[1]], "
    "\"C\": [[1]],\n"
    "\"x0\": [1]}],\n"
    "\"connections\": [{\"from\": \"c.t\", \"to\": \"s.u\"}],\n"
    "\"events\": [\n"
    "{\"name\": \"one\", \"when\": {\"c\": [{\"terms\": {\"x.t\": 1}, \"above\": \"first\"}, {\"terms\": {\"a\": 1}, "
    "\"below\": "
    "0.5}]},\n\"set\": {\"c.a\": 1}, \"add\": {\"c.n\": \"p\"}},\n"
    "{\"name\": \"two\", \"when\": {\"c\": [{\"terms\": {\"x.t\": 1}, \"above\": \"second\"}, {\"terms\": {\"b\": 1}, "
    "\"below\": "
    "0.5}]},\n\"set\": {\"c.b\": 1}, \"add\": {\"c.n\": 10}}]}\n";

/* A clock that a fast lag follows from 0.45 s on. */
static const char lag_model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"lag\", \"parameters\": {\"rate\": 1},\n"
    "\"subsystems\": [\n"
    "{\"name\": \"c\", \"states\": [\"t\"], \"outputs\": [\"t\"], \"A\": [[0]], \"C\": [[1]], \"e\": [1]},\n"
    "{\"name\": \"s\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]], \"B\": [[1]], "
    "\"C\": [[1]],\n"
    "\"modes\": [{\"name\": \"slow\"}, {\"name\": \"fast\", \"A\": [[\"-rate\"]], \"B\": [[\"rate\"]]}]}],\n"
    "\"connections\": [{\"from\": \"c.t\", \"to\": \"s.u\"}],\n"
    "\"events\": [\n"
    "{\"name\": \"one\", \"in\": {\"s\": \"slow\"}, \"when\": {\"c\": [{\"terms\": {\"x.t\": 1}, \"above\": 0.45}, "
    "{\"terms\": {\"x.t\": 1}, \"below\": 0.6}]}, "
    "\"to\": {\"s\": \"fast\"}},\n"
    "{\"name\": \"two\", \"in\": {\"s\": \"fast\"}, \"when\": {\"s\": [{\"terms\": {\"x\": 1}, \"above\": 0.75}]}, "
    "\"to\": {\"s\": \"slow\"}}]}\n";

/* Two outputs in a loop of feed-through, 10/3 and 8/3 until x, at once, changes its sign. */
static const char loop_model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"loop\",\n"
    "\"subsystems\": [\n"
    "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[0]], \"B\": [[0]], "
    "\"C\": [[1]],\n\"D\": [[0.5]], \"x0\": [1]},\n"
    "{\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[0]], \"B\": [[0]], "
    "\"C\": [[1]],\n\"D\": [[0.5]], \"x0\": [2]}],\n"
    "\"connections\": [{\"from\": \"b.y\", \"to\": \"a.u\"}, {\"from\": \"a.y\", \"to\": \"b.u\"}],\n"
    "\"monitors\": [{\"name\": \"m\", \"terms\": {\"a.x.x\": 1}, \"flow\": \"a.y\"}],\n"
    "\"events\": [{\"name\": \"turn\", \"when\": {\"a\": [{\"terms\": {\"x.x\": 1}, \"above\": 0}]}, \"set\": "
    "{\"a.x\": "
    "-1}}]}\n";

#define SWEEP(t_end, method, path, values)                                                                     \
  "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": " t_end            \
  ", \"method\": "                                                                                             \
  "{\"order\": 1, \"step\": {\"control\": \"fixed\", \"size\": 0.1}" method                                    \
  "}, \"axes\": [{\"name\": \"v\", "                                                                           \
  "\"path\": \"" path "\", \"values\": [" values                                                               \
  "]}], \"metrics\": [\"events\", \"exact_events\", \"late_events\", "                                         \
  "\"missed_events\", \"spurious_events\", \"event_time_error_max\", \"state_error\", \"state_error_final\", " \
  "\"first_divergence\", \"time_between\", \"event_time\", \"event_kind\", \"steps\"]}"

static struct harness harness;

static void tear_down(void) {
  harness_close(&harness);
}

TestSuite(state_events, .fini = tear_down);

static void run(const char *model, const char *sweep) {
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  harness_load(&harness, sweep);
  harness_run(&harness);
}

static double value(const char *metric, size_t run, const char *signal) {
  return harness_value(harness.table, metric, &run, signal);
}

/* Number `item` of a run's list of first events. */
static double listed(const char *metric, size_t run, size_t item) {
  const struct cs_array *array = cs_table_find(harness.table, metric);
  const size_t at = run * 16 + item;
  return array->type == CS_FLOAT64 ? array->data.float64[at] : (double)array->data.int64[at];
}

/* An elastic ball bounces every 2 sqrt(2 h / g); one with restitution 1/2 comes to rest after infinitely many bounces,
 * and a reset that leaves its conditions true happens again and again. */
Test(state_events, end_where_they_have_no_end) {
  run(ball, SWEEP("2", "", "parameters.e", "1, 0.5, 0, 1"));
  const int status[] = {0, 5, 5, 0};
  for (size_t i = 0; i < 4; i++)
    cr_expect_eq(value("status", i, NULL), status[i], "run %zu: status %g", i, value("status", i, NULL));
  const double fall = sqrt(2 * 0.3 / 9.81);
  cr_expect_eq(value("events", 0, "bounce"), floor((2 + fall) / (2 * fall)));
  cr_expect_float_eq(listed("event_time", 0, 0), fall, 1e-14);
  cr_expect_gt(value("events", 1, "bounce"), 40, "counts of a failed run stay");
  cr_expect_lt(value("events", 1, "bounce"), 90);
  cr_expect_leq(value("exact_events", 2, "bounce"), 33);
  cr_expect(isnan(value("state_error", 1, "ball.x")), "its errors do not");
  cr_expect_eq(value("state_error", 0, "ball.x"), value("state_error", 3, "ball.x"), "neighbours have the same bytes");
  cr_expect_lt(value("state_error_final", 0, "ball.x"), 1e-12);
}

/* At the start, in both solutions, within 1e-9 of a step's end, at the end of the run and beyond it. */
Test(state_events, at_the_ends) {
  run(clock_model, SWEEP("1", "", "parameters.first", "0, 1e-12, 0.0999999999999, 0.3, 0.9999999, 1, 2, -1"));
  const double count[] = {1, 1, 1, 1, 1, 0, 0, 1};
  for (size_t i = 0; i < 8; i++) {
    cr_expect_eq(value("status", i, NULL), 0);
    cr_expect_eq(value("events", i, "one"), count[i], "run %zu: %g events", i, value("events", i, "one"));
    cr_expect_eq(value("exact_events", i, "one"), count[i]);
    cr_expect_eq(value("late_events", i, "one"), 0, "run %zu", i);
    cr_expect_eq(value("missed_events", i, "one") + value("spurious_events", i, "one"), 0);
    cr_expect_lt(value("state_error_final", i, "c.n"), 1e-15, "run %zu", i);
    if (count[i] > 0)
      cr_expect_lt(value("event_time_error_max", i, "one"), i == 1 ? 1.1e-10 : 1e-14, "run %zu: %g s", i,
                   value("event_time_error_max", i, "one"));
  }
  cr_expect_eq(listed("event_time", 0, 0), 0);
  cr_expect_eq(value("steps", 0, NULL), 10, "an event at the start cuts no step");
  cr_expect_eq(value("steps", 6, NULL), 10);
}

/* Outputs sent after an event at T_0 are those of the inputs held until then, with `explicit` ones: a.y is -1 + 5/3,
 * b.y remains 10/3; in the next step a.y remains, in the one after it is -1 + 7/6. */
Test(state_events, at_the_start_of_explicit_outputs) {
  harness_open(&harness);
  harness_write(&harness, "model.json", loop_model);
  harness_load(&harness,
               "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 2,\n"
               "\"method\": {\"order\": 0, \"feedthrough\": \"explicit\", \"step\": {\"size\": 1}},\n"
               "\"metrics\": [\"events\", \"monitor_predicted\"]}");
  harness_run(&harness);
  cr_expect_eq(harness_value(harness.table, "events", NULL, "turn"), 1);
  cr_expect_float_eq(harness_value(harness.table, "monitor_predicted", NULL, "m"), 0.25, 1e-15);
}

/* Two at one time happen in the order of the file, whichever ended the step; each time counts once. */
Test(state_events, several_at_one_time) {
  run(clock_model, SWEEP("1", ", \"events\": {\"at_once\": 2}", "parameters.second", "0.5, 0.50000000001, 0.7"));
  for (size_t i = 0; i < 3; i++) {
    cr_expect_eq(value("status", i, NULL), 0);
    cr_expect_eq(value("events", i, "one"), 1);
    cr_expect_eq(value("events", i, "two"), 1);
    cr_expect_eq(listed("event_kind", i, 0), 0);
    cr_expect_eq(listed("event_kind", i, 1), 1);
  }
  harness_close(&harness);
  run(clock_model, SWEEP("1", ", \"events\": {\"at_once\": 1}", "parameters.second", "0.5, 0.7"));
  cr_expect_eq(value("status", 0, NULL), 5, "more at once than allowed");
  cr_expect_eq(value("status", 1, NULL), 0);
}

/* What never happens changes nothing. */
Test(state_events, none) {
  static const char sweep[] = SWEEP("3", "", "parameters.p", "1, 2");
  run(clock_model, SWEEP("3", "", "parameters.first", "100, 200"));
  const double error = value("state_error", 0, "s.x"), last = value("state_error_final", 0, "s.x");
  cr_expect_float_eq(value("time_between", 0, NULL), 3.0, 1e-14);
  cr_expect(isnan(value("first_divergence", 0, NULL)));
  cr_expect_eq(error, value("state_error", 1, "s.x"));
  harness_close(&harness);
  run(clock_model, sweep);
  cr_expect_float_eq(value("state_error", 0, "s.x"), error, 1e-12, "events of c do not act on s");
  cr_expect_float_eq(value("state_error_final", 0, "s.x"), last, 1e-12);
}

/* Numbers that are not finite make a run invalid, and no other. */
Test(state_events, numbers_without_meaning) {
  run(ball, SWEEP("1", "", "parameters.e", "1e308, 1"));
  cr_expect_neq(value("status", 0, NULL), 0, "velocities overflow");
  cr_expect_eq(value("status", 1, NULL), 0);
}

/* docs/methods.md section 9: event times and errors between events have the order m + 1. Where events fall in their
 * steps differs with H, so that it takes many step sizes to see it. */
Test(state_events, orders) {
  static const char sweep[] =
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 7, \"method\": "
      "{\"hold\": "
      "\"taylor\", \"step\": {\"control\": \"fixed\", \"size\": 0.01}},\n\"axes\": [{\"name\": \"master\", \"path\": "
      "\"method.master\", \"values\": [\"jacobi\", \"gauss_seidel\"]},\n{\"name\": \"order\", \"path\": "
      "\"method.order\", "
      "\"values\": [1, 2, 3]},\n{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.0008, 0.03, 41]}],\n"
      "\"metrics\": [\"event_time_error\", \"state_error_between\"], \"fits\": [{\"along\": \"H\"}]}";
  struct cs_error error;
  struct cs_digest digest;
  harness_open(&harness);
  engine_case_model(&harness, "models/colliding_masses/model.json");
  harness_load(&harness, sweep);
  harness_run(&harness);
  cr_assert_eq(cs_digest_open(harness.table, &digest, &error), CS_OK, "%s", error.message);
  cr_expect_eq(digest.fits, 2);
  for (size_t i = 0; i < digest.fits; i++) {
    const struct cs_digest_fit *fit = &digest.fit[i];
    for (size_t o = 0; o < fit->rows * fit->columns; o++) {
      const struct cs_digest_order *order = &fit->order[o];
      cr_expect_eq(order->expected, (double)(o / fit->columns % 3 + 2));
      cr_expect_eq(order->verdict, CS_VERDICT_AGREES, "%s, %zu: %g", fit->metric->name, o, order->order);
      cr_expect_eq(order->points, 41);
    }
  }
  cs_digest_free(&digest);
}

/* What a swept value parts: the views of an event have to be the same where it can happen, in mode p of b alone. */
Test(state_events, views_that_swept_values_part) {
  static const char pair[] =
      "{\"format\": \"cosweep-model/1\", \"name\": \"pair\", \"parameters\": {\"p\": 1, \"q\": 1},\n"
      "\"subsystems\": [\n"
      "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]], \"B\": [[1]], "
      "\"C\": [[1]]},\n"
      "{\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]], \"B\": [[1]], "
      "\"C\": [[1]], \"f\": [1],\n"
      "\"modes\": [{\"name\": \"m\"}, {\"name\": \"n\", \"C\": [[\"q\"]]}]}],\n"
      "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\"}],\n"
      "\"events\": [{\"name\": \"e\", \"in\": {\"b\": \"m\"}, \"to\": {\"b\": \"n\"}, \"when\": {\n"
      "\"a\": [{\"terms\": {\"x\": 1, \"u\": 1}, \"above\": 9}],\n"
      "\"b\": [{\"terms\": {\"u\": \"p\", \"x\": 1}, \"above\": 8}]}}]}\n";
  run(pair, SWEEP("1", "", "parameters.p", "1, 2, 1"));
  const int parted[] = {0, 7, 0};
  for (size_t i = 0; i < 3; i++)
    cr_expect_eq(value("status", i, NULL), parted[i], "p, run %zu: %g", i, value("status", i, NULL));
  harness_close(&harness);
  run(pair, SWEEP("1", "", "parameters.q", "1, 2"));
  cr_expect_eq(value("status", 1, NULL), 0, "in mode n they differ, but there the event cannot happen");
}

/* Modes that decay in a small part of a step: a lag of rate a that has caught up with t passes t - 1/a. Beyond 10^4
 * times the fastest time scale, 3000 and 300 at orders 2 and 3, runs are refused, at their start or where they enter
 * such a mode. */
Test(state_events, stiff_modes) {
  run(lag_model, SWEEP("1", "", "parameters.rate", "1e3, 9e4, 1.1e5"));
  for (size_t i = 0; i < 2; i++) {
    const double rate = i == 0 ? 1e3 : 9e4;
    cr_expect_eq(value("status", i, NULL), 0);
    cr_expect_eq(value("events", i, "two"), 1);
    cr_expect_float_eq(listed("event_time", i, 1), 0.75 + 1 / rate, 1e-12);
    cr_expect_lt(value("event_time_error_max", i, "two"), 1e-12);
    cr_expect_lt(value("state_error_final", i, "s.x"), 1e-12, "%g", value("state_error_final", i, "s.x"));
    cr_expect_lt(value("state_error", i, "s.x"), 1e-11, "rate %g: %g", rate, value("state_error", i, "s.x"));
  }
  cr_expect_eq(value("status", 2, NULL), 7, "entered at 0.45 s");
  cr_expect_eq(value("events", 2, "one"), 1, "counts of a failed run stay");
  harness_close(&harness);
  run(lag_model, SWEEP("1", ", \"subsystems\": {\"s\": {\"input_order\": 2}, \"c\": {\"output_order\": 2}}",
                       "parameters.rate", "2.9e4, 3.1e4"));
  cr_expect_eq(value("status", 0, NULL), 0);
  cr_expect_lt(value("state_error_final", 0, "s.x"), 1e-12);
  cr_expect_eq(value("status", 1, NULL), 7);
  harness_close(&harness);
  run(lag_model, SWEEP("1", ", \"subsystems\": {\"s\": {\"input_order\": 3}, \"c\": {\"output_order\": 3}}",
                       "parameters.rate", "2.9e3, 3.1e3"));
  cr_expect_eq(value("status", 0, NULL), 0);
  cr_expect_lt(value("state_error_final", 0, "s.x"), 1e-12);
  cr_expect_eq(value("status", 1, NULL), 7);
}
