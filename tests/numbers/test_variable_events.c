/* Time events where they are special: in the first step, several at once, at and beyond the end, in steps that are
 * rejected; and the step size after them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "vary_case.h"

/* c.s counts what happened: + 1 at te, then = 2 and + 1/2 at 0.35. */
static const char model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"kicks\", \"parameters\": {\"te\": 0.5},\n"
    "\"subsystems\": [\n"
    "{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]],\n"
    "\"B\": [[1]], \"C\": [[1]], \"x0\": [1]},\n"
    "{\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-2]],\n"
    "\"B\": [[1]], \"C\": [[0.5]], \"D\": [[0.25]], \"x0\": [0.5]},\n"
    "{\"name\": \"c\", \"states\": [\"s\"], \"outputs\": [\"y\"], \"A\": [[0]], \"C\": [[1]], \"x0\": [1]}],\n"
    "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\"}],\n"
    "\"events\": [\n"
    "{\"name\": \"kick\", \"t\": \"te\", \"add\": {\"c.s\": 1, \"a.x\": 20}},\n"
    "{\"name\": \"reset\", \"t\": 0.35, \"set\": {\"c.s\": 2, \"b.x\": -0.5}},\n"
    "{\"name\": \"more\", \"t\": 0.35, \"add\": {\"c.s\": 0.5, \"a.x\": -0.25}, \"set\": {\"b.x\": 0}}],\n"
    "\"monitors\": [{\"name\": \"count\", \"terms\": {\"c.s\": 1}}]}\n";

#define FIXED "\"control\": \"fixed\", \"size\": 0.1"
#define EVEN "\"control\": \"pi_defect\", \"initial\": 0.1, \"min\": 0.1, \"max\": 0.1, \"tolerance\": 1"
#define HALVES "\"control\": \"richardson\", \"initial\": 5, \"atol\": 1e-4, \"rtol\": 1e-4"

static void open(struct harness *harness) {
  harness_open(harness);
  harness_write(harness, "model.json", model);
}

/* ---- what happens, and when */

static double value(const struct harness *harness, const char *metric, size_t run, const char *signal) {
  return harness_value(harness->table, metric, &run, signal);
}

/* te in the first step, with the other events to within 1e-13 t_end, later, to within 1e-13 t_end of the end, at the
 * end, beyond it, and between the end and where fixed steps end. */
enum { TIMES = 9 };
static const char times[] = "1e-9, 0.02, 0.35, 0.35000000000002, 0.7, 0.99999999999995, 1, 5, 1.02";
static const double counted[TIMES] = {2.5, 2.5, 2.5, 2.5, 3.5, 2.5, 2.5, 2.5, 2.5};

static void check_times(const char *method, const char *step, const double *steps, const double *end) {
  const struct vary_case sweep = {1, method, step, "parameters.te", times, NULL};
  struct harness harness;
  open(&harness);
  char *text = vary_case_text(&sweep);
  harness_load(&harness, text);
  harness_run(&harness);
  for (size_t i = 0; i < TIMES; i++) {
    cr_expect_eq(value(&harness, "status", i, NULL), 0, "%s: run %zu failed", step, i);
    cr_expect_float_eq(value(&harness, "monitor_final", i, "count"), counted[i], 1e-14, "%s: run %zu counted %.17g",
                       step, i, value(&harness, "monitor_final", i, "count"));
    cr_expect_float_eq(value(&harness, "state_error_final", i, "c.s"), 0, 1e-15, "both solutions jump");
    if (steps == NULL) continue;
    cr_expect_eq(value(&harness, "steps", i, NULL), steps[i], "%s: run %zu took %g steps, want %g", step, i,
                 value(&harness, "steps", i, NULL), steps[i]);
    cr_expect_float_eq(value(&harness, "t_final", i, NULL), end[i], 1e-14, "%s: run %zu ended at %.17g", step, i,
                       value(&harness, "t_final", i, NULL));
    cr_expect_float_eq(value(&harness, "step_min", i, NULL), 0.1, 1e-15, "cut steps do not count");
    cr_expect_float_eq(value(&harness, "step_max", i, NULL), 0.1, 1e-15, "the nominal step outlives the cut");
  }
  free(text);
  harness_close(&harness);
}

Test(variable_events, take_place_once_each_in_their_order) {
  static const double steps[TIMES] = {12, 12, 11, 11, 11, 11, 11, 11, 11};
  static const double past[TIMES] = {1.05, 1.05, 1.05, 1.05, 1, 1.05, 1.05, 1.05, 1.05},
                      exact[TIMES] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  check_times("\"order\": 1, ", FIXED, steps, past);
  check_times("\"hold\": \"lagrange\", \"order\": 2, ", EVEN ", \"end\": \"overshoot\"", steps, past);
  check_times("\"order\": 1, ", EVEN, steps, exact);
  check_times("\"hold\": \"lagrange\", \"order\": 1, ", HALVES, NULL, NULL);
}

Test(variable_events, at_the_start_are_no_events) {
  const struct vary_case sweep = {1, "", FIXED, "parameters.te", "0.5, 0, -1", NULL};
  struct harness harness;
  open(&harness);
  char *text = vary_case_text(&sweep);
  harness_load(&harness, text);
  harness_run(&harness);
  for (size_t i = 0; i < 3; i++)
    cr_expect_eq(value(&harness, "status", i, NULL), i == 0 ? 0 : 7, "run %zu", i);
  free(text);
  harness_close(&harness);
}

/* ---- step sizes */

/* Steps are 0.35, 0.55, 0.1 where all are cut. */
Test(variable_events, leave_step_min_to_whole_steps_if_there_are_any) {
  static const struct {
    const char *method, *step;
    double least, most;
  } list[] = {{"", "\"control\": \"fixed\", \"size\": 0.6", 0.6, 0.6}, /* the last one is whole */
              {"", "\"control\": \"pi_defect\", \"initial\": 5, \"tolerance\": 1", 0.1, 0.55},
              {"", "\"control\": \"richardson\", \"initial\": 0.8, \"atol\": 1e9", 0.1, 0.55},
              {"\"solver\": \"dopri5\", ", "\"control\": \"pi_defect\", \"initial\": 5, \"tolerance\": 1", 0.1, 0.55},
              {"\"solver\": \"dopri5\", ", "\"control\": \"richardson\", \"initial\": 0.8, \"atol\": 1e9", 0.1, 0.55}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const struct vary_case sweep = {1, list[i].method, list[i].step, "parameters.te", "0.9", NULL};
    struct harness harness;
    struct harness_check check = {0};
    open(&harness);
    vary_case_against_plain(&harness, &sweep, NULL, 1e-10, 1e-15, &check);
    harness_finish(&check, list[i].step);
    cr_expect_float_eq(value(&harness, "step_min", 0, NULL), list[i].least, 1e-15, "%s: step_min %.17g", list[i].step,
                       value(&harness, "step_min", 0, NULL));
    cr_expect_float_eq(value(&harness, "step_max", 0, NULL), list[i].most, 1e-15, "%s: step_max %.17g", list[i].step,
                       value(&harness, "step_max", 0, NULL));
    harness_close(&harness);
  }
}

/* ---- against the plain reference */

/* Rejected attempts: the first step's, those that would have ended at an event, those that would have ended the run. */
struct rejections {
  size_t first, event, end;
};

static void look(void *context, const struct plain_attempt *attempt) {
  struct rejections *seen = context;
  const real to = attempt->T + attempt->H;
  if (attempt->accepted) return;
  seen->first += attempt->T == 0;
  seen->event += fabsl(to - 0.35L) < 1e-15L || fabsl(to - 0.9L) < 1e-15L;
  seen->end += fabsl(to - 1) < 1e-15L;
}

static void compare(const char *method, const char *step, struct rejections *seen) {
  const struct vary_case sweep = {1, method, step, "parameters.te", "1e-9, 0.02, 0.35, 0.9, 1, 5", NULL};
  const struct plain_watch watch = {look, seen};
  struct harness harness;
  struct harness_check check = {0};
  open(&harness);
  vary_case_against_plain(&harness, &sweep, seen != NULL ? &watch : NULL, 1e-10, 1e-15, &check);
  harness_finish(&check, step);
  harness_close(&harness);
}

Test(variable_events, match_the_reference_without_rejections) {
  compare("\"hold\": \"lagrange\", \"order\": 2, ", FIXED, NULL);
  compare("\"hold\": \"taylor\", \"order\": 1, \"feedthrough\": \"explicit\", ",
          "\"control\": \"pi_defect\", \"initial\": 0.2, \"tolerance\": 0.01", NULL);
  compare("\"hold\": \"lagrange\", \"order\": 0, ",
          "\"control\": \"threshold\", \"signal\": \"c.y\", \"threshold\": 2.2, \"above\": 0.03, \"below\": 0.08",
          NULL);
}

/* Inputs go on from what they extrapolate after the event, also where a master then interpolates them. */
Test(variable_events, match_the_reference_with_continuity) {
  static const char *const masters[] = {"jacobi", "gauss_seidel"}, *const holds[] = {"taylor", "lagrange"},
                           *const steps[] = {FIXED, HALVES};
  for (size_t i = 0; i < 64; i++) {
    struct cs_text method = {0};
    cs_text_add(&method,
                "\"master\": \"%s\", \"hold\": \"%s\", \"continuity\": \"c%zu\", \"input_order\": %zu, "
                "\"output_order\": %zu, \"start\": \"ramp\", ",
                masters[i & 1], holds[i >> 1 & 1], i >> 2 & 1, (i >> 3 & 1) * 2, i >> 4 & 1);
    compare(method.data, steps[i >> 5], NULL);
    cs_text_free(&method);
  }
}

Test(variable_events, match_the_reference_where_cut_steps_are_rejected) {
  static const char *const methods[] = {"\"hold\": \"lagrange\", \"order\": 2, \"start\": \"ramp\", ",
                                        "\"hold\": \"taylor\", \"order\": 1, \"feedthrough\": \"explicit\", "};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    struct rejections seen = {0};
    compare(methods[i], HALVES, &seen);
    cr_expect(seen.first > 0 && seen.event > 0 && seen.end > 0,
              "rejected: %zu in first steps, %zu at events, %zu at the end", seen.first, seen.event, seen.end);
  }
}
