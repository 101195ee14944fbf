/* How orders pass through networks: integration gains one in a step, feed-through none, a run loses what its steps
 * gain. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "json.h"
#include "orders.h"

/* A source s, a chain of two integrators in a, feed-through in b, back to a. */
static const char text[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"subsystems\": ["
    "{\"name\": \"s\", \"states\": [\"x\"], \"outputs\": [\"y\"], \"A\": [[-1]], \"C\": [[1]]},"
    "{\"name\": \"a\", \"states\": [\"x\", \"v\"], \"inputs\": [\"u\", \"w\"], \"outputs\": [\"x\"],"
    " \"A\": [[0, 1], [0, 0]], \"B\": [[0, 0], [1, 1]], \"C\": [[1, 0]]},"
    "{\"name\": \"b\", \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"D\": [[2]]}],"
    " \"connections\": [{\"from\": \"s.y\", \"to\": \"a.u\"}, {\"from\": \"a.x\", \"to\": \"b.u\"},"
    " {\"from\": \"b.y\", \"to\": \"a.w\"}]}";
enum { S_X, A_X, A_V };  /* states */
enum { S_Y, A_XY, B_Y }; /* outputs */

static struct cs_model *model;
static struct cs_orders *usual, *first, *run;
static struct cs_orders_step step;
static struct cs_error error;

static void set_up(void) {
  static const size_t sequence[] = {0, 1, 2};
  struct cs_json *json;
  cr_assert_eq(cs_json_parse("m", text, sizeof text - 1, &json, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_model_read(json, &model, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_orders_new(model, &usual, &error), CS_OK);
  cr_assert_eq(cs_orders_new(model, &first, &error), CS_OK);
  cr_assert_eq(cs_orders_new(model, &run, &error), CS_OK);
  cs_orders_none(model, first);
  step = (struct cs_orders_step){.extrapolated = {2, 2, 2}, .interpolated = {2, 2, INFINITY}, .sequence = sequence};
}

static void clean_up(void) {
  cs_orders_free(usual);
  cs_orders_free(first);
  cs_orders_free(run);
  cs_model_free(model);
}

TestSuite(orders, .init = set_up, .fini = clean_up);

static void expect(const struct cs_orders *o, double s_x, double a_x, double a_v, double b_y) {
  cr_expect_eq(o->state[S_X], s_x, "%g, want %g", o->state[S_X], s_x);
  cr_expect_eq(o->state[A_X], a_x, "%g, want %g", o->state[A_X], a_x);
  cr_expect_eq(o->state[A_V], a_v, "%g, want %g", o->state[A_V], a_v);
  cr_expect_eq(o->output[B_Y], b_y, "%g, want %g", o->output[B_Y], b_y);
}

static void take(void) {
  cs_orders_take_step(model, &step, usual);
  cs_orders_of_run(model, step.solved, INFINITY, usual, first, run);
}

Test(orders, integration_gains_one) {
  take();
  expect(usual, INFINITY, 4, 3, 2);
  expect(run, INFINITY, 2, 2, 2);
  cr_expect_eq(cs_orders_own(model, usual, B_Y), 2);
  cr_expect_eq(cs_orders_own(model, usual, A_XY), 4);
}

Test(orders, solved_outputs_follow_states) {
  step.solved = true;
  take();
  expect(usual, INFINITY, 4, 3, 4);
  cr_expect_eq(cs_orders_own(model, usual, B_Y), 2, "before they are solved");
}

/* In turn b.y follows the new a.x; only what a receives of b is extrapolated. */
Test(orders, in_turn) {
  step.in_turn = true;
  step.interpolated = (struct cs_orders_held){9, 9, INFINITY};
  take();
  expect(usual, INFINITY, 4, 3, 4);
  cr_expect_eq(usual->input[0], 9);
  cr_expect_eq(usual->input[1], 2);
}

/* Repetitions pass on new values: through b in one, through a in the next. */
Test(orders, repetitions) {
  step.interpolated = (struct cs_orders_held){9, 9, INFINITY};
  step.repetitions = 1;
  take();
  expect(usual, INFINITY, 4, 3, 4);
  step.repetitions = 2;
  take();
  expect(usual, INFINITY, 6, 5, 4);
  step.converged = true;
  take();
  expect(usual, INFINITY, 11, 10, 11);
}

/* What the first steps do to states stays; what they do to inputs does not. */
Test(orders, first_steps) {
  cs_orders_take_step(model, &step, first);
  step.extrapolated = step.interpolated = (struct cs_orders_held){5, 5, 5};
  take();
  expect(run, INFINITY, 3, 3, 3);
  cr_expect_eq(run->input[2], 3);
  cs_orders_of_run(model, false, 1, usual, first, run);
  expect(run, 1, 1, 1, 1);
}
