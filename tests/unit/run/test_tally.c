/* What is told of work that is done and left. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sizing.h"
#include "sweep_case.h"
#include "tally.h"

static struct cs_sweep *sweep;
static struct cs_plan *plan;
static struct cs_tally *tally;
static struct cs_error error;
static struct cs_progress told;

static void keep(const struct cs_progress *progress, void *context) {
  (void)context;
  told = *progress;
}

static const struct cs_engine_options options = {.progress = keep};

/* 100 runs of 1,000 steps, half of which are known, by one worker. */
static void set_up(void) {
  const struct cs_device_info host = {.cpu = true,
                                      .host = true,
                                      .fp64 = true,
                                      .units = 1,
                                      .native_width = 1,
                                      .group = 1,
                                      .memory = 1 << 30,
                                      .largest_buffer = 1 << 28},
                              *devices[] = {&host};
  bool known[100] = {0};
  memset(known, true, 50);
  sweep_case_open();
  sweep_case_write("s.json",
                   "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 1, "
                   "\"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.001, 0.002, "
                   "100]}], \"metrics\": [\"output_error\"], \"method\": {\"engine\": \"step\"}}");
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_sizing_plan(sweep, devices, 1, &options, &plan, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_plan_drop(plan, known, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_tally_new(plan, &options, 1, 1, &tally, &error), CS_OK, "%s", error.message);
}

static void tear_down(void) {
  cs_tally_free(tally);
  cs_plan_free(plan);
  cs_sweep_free(sweep);
  sweep_case_close();
}

TestSuite(tally, .init = set_up, .fini = tear_down);

static void launch(enum cs_work kind, double share, double seconds) {
  double work = 0.0;
  for (size_t i = plan->done; i < plan->tiles; i++)
    work += kind == CS_WORK_STEPS ? cs_sizing_tile_work(plan, &plan->tile[i])
                                  : cs_tally_assembly_work(plan, &plan->tile[i]);
  cs_tally_launch(tally, kind, 0, seconds, (struct cs_span){0.0, seconds});
  cs_tally_work(tally, kind, share * work, kind == CS_WORK_STEPS ? share * 1e6 : 0.0);
}

/* Runs that were known before do not make a run fast. */
Test(tally, rates_of_what_is_computed) {
  cs_tally_built(tally, 0.0);
  cr_expect_eq(told.runs_done, 50);
  cr_expect_eq(told.runs_rate, 0.0);
  cs_tally_runs(tally, 25);
  cr_expect_eq(told.runs_done, 75);
  cr_expect_float_eq(told.runs_rate * told.seconds, 25, 1e-6);
  launch(CS_WORK_STEPS, 0.5, 1.0);
  cr_expect_float_eq(told.steps_rate * told.seconds, 0.5e6, 1e-3);
}

/* No kind of work stands for the other, and no small beginning for the whole. */
Test(tally, left_when_all_is_known) {
  cs_tally_built(tally, 0.0);
  cr_expect(isnan(told.remaining));
  launch(CS_WORK_ASSEMBLY, 0.5, 1.0);
  cr_expect(isnan(told.remaining));
  launch(CS_WORK_STEPS, 0.004, 1.0);
  cs_tally_runs(tally, 1);
  cr_expect_float_eq(told.remaining, 1.0 + 249.0, 1e-6);
}

Test(tally, left_of_a_long_run) {
  cs_tally_built(tally, 0.0);
  launch(CS_WORK_ASSEMBLY, 0.001, 1.0);
  launch(CS_WORK_STEPS, 0.001, 1.0);
  cr_expect(isnan(told.remaining));
  launch(CS_WORK_ASSEMBLY, 0.1, 1.0);
  launch(CS_WORK_STEPS, 0.1, 1.0);
  cr_expect_float_eq(told.remaining, 2.0 * (2.0 / 0.101 * 0.899), 1e-6);
}
