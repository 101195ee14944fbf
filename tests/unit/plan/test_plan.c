/* Meaningless runs are found in planning: statuses and reasons in the plan. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan.h"
#include "sweep_case.h"

static struct cs_sweep *sweep;
static struct cs_plan *plan;
static struct cs_error error;

/* A lag that follows a constant, and events at t1 and t1 + 1. */
static const char model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"parameters\": {\"t1\": 1},\n"
    " \"subsystems\": [{\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "   \"A\": [[-1]], \"B\": [[1]], \"C\": [[1]]}],\n"
    " \"connections\": [{\"to\": \"a.u\", \"value\": 0}],\n"
    " \"monitors\": [{\"name\": \"sum\", \"flow\": \"a.y\", \"terms\": {\"a.x.x\": 1}}],\n"
    " \"events\": [{\"name\": \"kick\", \"t\": \"t1\", \"set\": {\"a.x\": 0}},\n"
    "   {\"name\": \"again\", \"t\": \"t1+1\", \"add\": {\"a.x\": 1}}]}\n";

static void set_up(void) {
  sweep_case_open();
  sweep_case_write("events.json", model);
}

static void unload(void) {
  cs_plan_free(plan);
  cs_sweep_free(sweep);
  plan = NULL;
  sweep = NULL;
}

static void tear_down(void) {
  unload();
  remove("events.json");
  sweep_case_close();
}

TestSuite(plan, .init = set_up, .fini = tear_down);

/* Loads a sweep of `file`; `rest` are its members other than name and model. */
static int load(const char *file, const char *rest) {
  struct cs_text text = {0};
  unload();
  cs_text_add(&text, "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"%s\",\n%s}", file, rest);
  cr_assert_not(text.failed);
  sweep_case_write("s.json", text.data);
  cs_text_free(&text);
  return cs_sweep_load("s.json", NULL, 0, &sweep, &error);
}

static void expect_statuses(const char *file, const char *rest, const int *status, const char *const *reasons) {
  cr_assert_eq(load(file, rest), CS_OK, "%s", error.message);
  const struct cs_plan_options options = {.study = sweep->study, .lanes = 1, .memory = 1 << 28};
  cr_assert_eq(cs_plan_new(sweep, &options, &plan, &error), CS_OK, "%s", error.message);
  size_t ok = 0;
  for (size_t i = 0; i < plan->runs; i++) {
    cr_expect_eq(plan->run[i].status, status[i], "run %zu: status %d, want %d\n%s", i, plan->run[i].status, status[i],
                 plan->reasons.text.data ? plan->reasons.text.data : "");
    ok += status[i] == CS_STATUS_OK;
  }
  cr_expect_eq(plan->ordered, ok);
  for (; *reasons; reasons++) {
    cr_expect(plan->reasons.text.data && strstr(plan->reasons.text.data, *reasons), "no '%s' in:\n%s", *reasons,
              plan->reasons.text.data ? plan->reasons.text.data : "");
  }
}

#define FIXED "\"method\": {\"step\": {\"size\": 0.1}}"

Test(plan, events_come_after_the_start) {
  expect_statuses("events.json",
                  "\"t_end\": 3, " FIXED
                  ", \"axes\": [{\"name\": \"t1\", \"path\": \"parameters.t1\", \"values\": [1, 0, -0.5, -1, 2.5, 9]}]",
                  (int[]){0, CS_STATUS_INVALID, CS_STATUS_INVALID, CS_STATUS_INVALID, 0, 0},
                  (const char *const[]){"run 1 (t1=0): event kick is at t = 0, not after the start",
                                        "run 3 (t1=-1): event kick is at t = -1, not after the start", NULL});
}

Test(plan, flows_predict_monitors) {
  cr_assert_eq(load("events.json", "\"t_end\": 3, \"metrics\": [\"monitor_predicted\"], " FIXED), CS_OK, "%s",
               error.message);
  cr_expect(sweep->metric[CS_MONITOR_PREDICTED]);
  cr_assert_eq(load("events.json", "\"t_end\": 3, " FIXED), CS_OK, "%s", error.message);
  cr_expect_not(sweep->metric[CS_MONITOR_PREDICTED], "on request only");
}

Test(plan, events_mean_nothing_to_a_single_step) {
  expect_statuses("events.json",
                  "\"study\": \"stability\", " FIXED
                  ", \"axes\": [{\"name\": \"t1\", \"path\": \"parameters.t1\", \"values\": [1, -1]}]",
                  (int[]){0, 0}, (const char *const[]){NULL});
}

Test(plan, doubling_knows_no_events) {
  cr_expect_eq(load("events.json", "\"t_end\": 3, \"method\": {\"engine\": \"double\", \"step\": {\"size\": 1}}"),
               CS_INPUT);
  cr_expect_str_eq(
      error.message,
      "s.json:2:34: method.engine: engine double knows no events, which the model has; want engine auto or "
      "step");
}

Test(plan, a_source_has_nothing_to_adapt) {
  sweep_case_write("events.json",
                   "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"subsystems\": [\n"
                   "{\"name\": \"one\", \"outputs\": [\"y\"], \"f\": [1]},\n"
                   "{\"name\": \"lag\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]], "
                   "\"B\": [[1]], \"C\": [[1]]}],\n"
                   "\"connections\": [{\"from\": \"one.y\", \"to\": \"lag.u\"}]}");
  static const char sweep_of[] =
      "\"t_end\": 3, \"method\": {\"engine\": \"double\", \"step\": {\"size\": 1}, \"subsystems\": {\"%s\": "
      "{\"solver\": "
      "\"dopri5\"}}}";
  char rest[256];
  snprintf(rest, sizeof rest, sweep_of, "one");
  cr_expect_eq(load("events.json", rest), CS_OK, "%s", error.message);
  snprintf(rest, sizeof rest, sweep_of, "lag");
  cr_expect_eq(load("events.json", rest), CS_INPUT);
}

Test(plan, numbers_of_step_size_control_fail_run_by_run) {
  expect_statuses(
      "model.json",
      "\"t_end\": 1, \"method\": {\"step\": {\"control\": \"pi_defect\", \"initial\": 0.1, \"max\": 0.5, "
      "\"tolerance\": 1}}, \"axes\": [\n"
      "{\"name\": \"tol\", \"path\": \"method.step.tolerance\", \"values\": [0.1, 0]},\n"
      "{\"name\": \"min\", \"path\": \"method.step.min\", \"values\": [0, -1, 0.6]}]",
      (int[]){0, CS_STATUS_INVALID, CS_STATUS_INVALID, CS_STATUS_INVALID, CS_STATUS_INVALID, CS_STATUS_INVALID},
      (const char *const[]){"run 1 (tol=0.1, min=-1): method.step.min -1 is below 0",
                            "run 2 (tol=0.1, min=0.6): method.step.min 0.6 is above method.step.max 0.5",
                            "run 3 (tol=0, min=0): method.step.tolerance 0 is not above 0", NULL});
}

Test(plan, fixed_steps_may_be_too_small) {
  expect_statuses("model.json",
                  "\"t_end\": 1, \"method\": {\"step\": {\"underflow\": 0.01, \"size\": 1}}, \"axes\": "
                  "[{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.01, 0.009, 1e-9, 1]}]",
                  (int[]){0, CS_STATUS_UNDERFLOW, CS_STATUS_STEP_LIMIT, 0},
                  (const char *const[]){"run 1 (H=0.009): method.step.size 0.009 is below method.step.underflow 0.01",
                                        "run 2 (H=1e-09): ", NULL});
}

/* Runs with the same step size control share its numbers: tolerance and t_end count, the model's parameter does not. */
Test(plan, pacing_once_for_all_that_share_it) {
  cr_assert_eq(load("events.json",
                    "\"t_end\": 3, \"method\": {\"step\": {\"control\": \"pi_defect\", \"initial\": 0.1, \"max\": 0.5, "
                    "\"tolerance\": 1}}, \"axes\": [\n"
                    "{\"name\": \"tol\", \"path\": \"method.step.tolerance\", \"values\": [0.1, 0.2, 0.1]},\n"
                    "{\"name\": \"t1\", \"path\": \"parameters.t1\", \"values\": [1, 2]},\n"
                    "{\"name\": \"end\", \"path\": \"t_end\", \"values\": [3, 5]}]"),
               CS_OK, "%s", error.message);
  const struct cs_plan_options options = {.study = sweep->study, .lanes = 1, .memory = 1 << 28};
  struct cs_settings settings;
  cr_assert_eq(cs_plan_new(sweep, &options, &plan, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cr_assert_eq(plan->ordered, 12);
  cr_expect_eq(plan->pacing.count, 4);
  for (size_t i = 0; i < plan->runs; i++) {
    const double *numbers = cs_pacing_numbers(&plan->pacing, plan->paced[i]);
    cs_settings_of(sweep, i, &settings);
    cr_expect_eq(memcmp(numbers, settings.control, sizeof settings.control), 0, "run %zu", i);
    cr_expect_eq(numbers[CS_PACING_T_END], settings.t_end, "run %zu", i);
    cr_expect_eq(memcmp(numbers + CS_PACING_TOLERANCES, settings.tolerance, sizeof *settings.tolerance), 0);
  }
  cs_settings_free(&settings);
}

Test(plan, as_many_steps_as_are_allowed_are_taken) {
  expect_statuses("model.json",
                  "\"t_end\": 1, \"method\": {\"step\": {\"max_steps\": 10, \"size\": 1}}, \"axes\": "
                  "[{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.2, 0.1, 0.099]}]",
                  (int[]){0, 0, CS_STATUS_STEP_LIMIT}, (const char *const[]){"run 2 (H=0.099): 11 steps", NULL});
  cr_expect_eq(plan->run[1].steps, 10);
}

/* Plans runs of the given orders with 40 step sizes each; `memory` 0: ample. */
static void cut(const char *orders, size_t tile_runs, size_t memory) {
  char rest[512];
  snprintf(rest, sizeof rest,
           "\"t_end\": 1, \"metrics\": [\"connection_defect\"], \"fits\": [], \"method\": {\"engine\": \"step\"}, "
           "\"axes\": [{\"name\": \"order\", \"path\": \"method.order\", "
           "\"values\": [%s]}, {\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.01, 0.05, 40]}]",
           orders);
  cr_assert_eq(load("model.json", rest), CS_OK, "%s", error.message);
  const struct cs_plan_options options = {
      .study = sweep->study, .lanes = 8, .memory = memory > 0 ? memory : 1 << 28, .tile_runs = tile_runs};
  cr_assert_eq(cs_plan_new(sweep, &options, &plan, &error), CS_OK, "%s", error.message);
}

/* Every run is in exactly one tile; each tile has a single method. */
static void expect_tiles(size_t most_runs, size_t tiles) {
  unsigned char seen[120] = {0};
  cr_expect_eq(plan->tiles, tiles, "%zu tiles, want %zu", plan->tiles, tiles);
  for (size_t i = 0; i < plan->tiles; i++) {
    const struct cs_tile *tile = &plan->tile[i];
    cr_expect(tile->count > 0 && tile->count <= most_runs, "tile %zu: %zu runs", i, tile->count);
    for (size_t k = 0; k < tile->count; k++) {
      cr_expect_eq(plan->run[tile->run[k]].variant, tile->variant);
      seen[tile->run[k]]++;
    }
  }
  for (size_t run = 0; run < plan->runs; run++)
    cr_expect_eq(seen[run], 1, "run %zu: %d times", run, seen[run]);
}

/* A limit that no run reaches, also by plans of parts, which show nothing of an axis as long as they are; one that some
 * run reaches. */
Test(plan, axes_that_change_nothing) {
  static const struct {
    const char *axes;
    enum cs_plan_effect effect[2];
  } list[] = {
      {"{\"name\": \"most\", \"path\": \"method.step.max_steps\", \"values\": [100, 200]},"
       "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2, 0.3]}",
       {CS_EFFECT_NONE, CS_EFFECT_SEEN}},
      {"{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2, 0.3]},"
       "{\"name\": \"most\", \"path\": \"method.step.max_steps\", \"values\": [100, 200]}",
       {CS_EFFECT_SEEN, CS_EFFECT_NONE}},
      {"{\"name\": \"most\", \"path\": \"method.step.max_steps\", \"values\": [20, 200]},"
       "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2, 0.3]}",
       {CS_EFFECT_SEEN, CS_EFFECT_SEEN}},
  };
  const struct cs_plan_options options = {.study = CS_SIMULATION, .lanes = 1, .memory = 1 << 28};
  struct cs_text text = {0};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    for (size_t runs = 3; runs <= 6; runs += 3) {
      enum cs_plan_effect effect[2] = {CS_EFFECT_UNKNOWN, CS_EFFECT_UNKNOWN};
      text.length = 0;
      cs_text_add(&text, "\"t_end\": 3, \"axes\": [%s]", list[i].axes);
      cr_assert_eq(load("model.json", text.data), CS_OK, "%s", error.message);
      for (size_t first = 0; first < sweep->runs; first += runs) {
        const struct cs_sweep part = cs_sweep_part(sweep, first, runs);
        cr_assert_eq(cs_plan_new(&part, &options, &plan, &error), CS_OK, "%s", error.message);
        cs_plan_note_effects(plan, effect);
        cs_plan_free(plan);
        plan = NULL;
      }
      for (int a = 0; a < 2; a++)
        cr_expect_eq(effect[a], runs == 3 && a == 0 && i != 1 ? CS_EFFECT_UNKNOWN : list[i].effect[a],
                     "sweep %zu, axis %d by %zu: %d", i, a, runs, effect[a]);
    }
  cs_text_free(&text);
}

Test(plan, tiles_hold_every_run_once) {
  cut("0, 1, 2", 0, 0);
  expect_tiles(40, 3);
  cut("0, 1, 2", 40, 0);
  expect_tiles(40, 3);
  cut("0, 1, 2", 16, 0);
  expect_tiles(16, 9);
  cut("0, 1, 2", 1, 0);
  expect_tiles(1, 120);
}

/* Tiles take memory for whole vectors, here of 8 runs; one that is too large is halved: 10 of 40 runs, then 15 and 15
 * of the others. */
Test(plan, tiles_fit_into_memory) {
  cut("1", 0, 0);
  const struct cs_plan_options options = plan->options;
  const struct cs_layout *layout = plan->variant[0];
  const size_t nodes = plan->tile[0].nodes, two = cs_plan_tile_bytes(&options, layout, 16, nodes);
  cr_expect_eq(cs_plan_tile_bytes(&options, layout, 9, nodes), two);
  cr_expect_eq(2 * cs_plan_tile_bytes(&options, layout, 1, nodes), two);
  cut("1", 0, two);
  expect_tiles(15, 3);
  cut("1", 0, two - 1);
  expect_tiles(8, 6);
}

/* Two subsystems that hold each other, with so many states together, all of them coupled to their neighbours. */
static void write_chain(size_t states) {
  struct cs_text text = {0};
  const size_t half[] = {states / 2, states - states / 2};
  cs_text_add(&text, "{\"format\": \"cosweep-model/1\", \"name\": \"chain\", \"subsystems\": [");
  for (size_t p = 0; p < 2; p++) {
    cs_text_add(&text, "%s{\"name\": \"p%zu\", \"states\": [", p > 0 ? "," : "", p);
    for (size_t i = 0; i < half[p]; i++)
      cs_text_add(&text, "%s\"x%zu\"", i > 0 ? "," : "", i);
    cs_text_add(&text, "], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [");
    for (size_t i = 0; i < half[p]; i++)
      for (size_t j = 0; j < half[p]; j++)
        cs_text_add(&text, "%s%d%s",
                    j > 0   ? ","
                    : i > 0 ? ",["
                            : "[",
                    i == j                     ? -2
                    : i + 1 == j || j + 1 == i ? 1
                                               : 0,
                    j + 1 == half[p] ? "]" : "");
    cs_text_add(&text, "], \"B\": [");
    for (size_t i = 0; i < half[p]; i++)
      cs_text_add(&text, "%s[%d]", i > 0 ? "," : "", i == 0);
    cs_text_add(&text, "], \"C\": [[");
    for (size_t i = 0; i < half[p]; i++)
      cs_text_add(&text, "%s%d", i > 0 ? "," : "", i == 0);
    cs_text_add(&text, "]]}");
  }
  cs_text_add(&text,
              "], \"connections\": [{\"from\": \"p0.y\", \"to\": \"p1.u\"}, {\"from\": \"p1.y\", \"to\": "
              "\"p0.u\"}]}");
  cr_assert_not(text.failed);
  sweep_case_write("chain.json", text.data);
  cs_text_free(&text);
}

/* The smallest number of steps that auto doubles. */
static double doubled_from(size_t states, const char *metric) {
  struct cs_text rest = {0};
  write_chain(states);
  cs_text_add(&rest, "\"t_end\": 1e5, " FIXED ", \"metrics\": [\"%s\"]", metric);
  cr_assert_eq(load("chain.json", rest.data), CS_OK, "%s", error.message);
  cs_text_free(&rest);
  const struct cs_plan_options options = {.study = sweep->study, .lanes = 1, .memory = 1 << 28};
  cr_assert_eq(cs_plan_new(sweep, &options, &plan, &error), CS_OK, "%s", error.message);
  const size_t nodes = plan->run[0].nodes;
  double least = 1.0, most = 1e6;
  cr_assert(cs_layout_doubles(plan->variant[0], most, nodes));
  while (most - least > 1.0) {
    const double middle = floor(0.5 * (least + most));
    *(cs_layout_doubles(plan->variant[0], middle, nodes) ? &most : &least) = middle;
  }
  remove("chain.json");
  return most;
}

Test(plan, networks_are_doubled_from_some_number_of_steps_on) {
  static const struct {
    size_t states;
    const char *metric;
    double steps;
  } of[] = {
      {20, "state_error_final", 910}, {40, "state_error_final", 2233}, {40, "output_error", 1665},
      {41, "state_error_final", 818}, {41, "output_error", 2137},      {200, "state_error_final", 5280},
      {200, "output_error", 14479},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    const double found = doubled_from(of[i].states, of[i].metric);
    cr_expect_eq(found, of[i].steps, "%zu states, %s: from %g steps on, want %g", of[i].states, of[i].metric, found,
                 of[i].steps);
  }
}
