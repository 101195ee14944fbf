/* Shards: each run in one of them, about the same work in all. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "shard.h"

/* A plan of `runs` runs with the given predicted steps. */
static struct cs_plan plan_of(size_t runs, double (*steps)(size_t run)) {
  struct cs_plan plan = {.runs = runs, .run = calloc(runs, sizeof(struct cs_run))};
  cr_assert_not_null(plan.run);
  for (size_t i = 0; i < runs; i++)
    plan.run[i] = (struct cs_run){.steps = steps(i), .status = CS_STATUS_OK};
  return plan;
}

/* The shards of its blocks; free() them. */
static uint32_t *deal(const struct cs_plan *plan, size_t shards) {
  const size_t block = cs_shard_block(plan->runs, shards), blocks = (plan->runs + block - 1) / block;
  int *class = calloc(blocks, sizeof *class);
  uint32_t *shard = NULL;
  struct cs_error error;
  cs_shard_classes(plan, block, class);
  cr_assert_eq(cs_shard_deal(class, blocks, shards, &shard, &error), CS_OK);
  free(class);
  return shard;
}

static double equal(size_t run) {
  (void)run;
  return 0.0;
}

static double along_an_axis(size_t run) {
  return pow(10.0, 1.0 + 3.0 * (double)(run % 40) / 39.0);
}

static double along_the_first_axis(size_t run) {
  return pow(10.0, 1.0 + 3.0 * (double)(run / 500) / 39.0);
}

/* Largest work of a shard over the mean; `cost`: of a run, which is 1 where nothing is predicted. */
static double spread(size_t runs, size_t shards, double (*steps)(size_t run), double (*cost)(size_t run)) {
  struct cs_plan plan = plan_of(runs, steps);
  uint32_t *shard = deal(&plan, shards);
  double *work = calloc(shards + 1, sizeof *work), all = 0.0, most = 0.0;
  const size_t block = cs_shard_block(runs, shards);
  for (size_t run = 0; run < runs; run++) {
    cr_assert(shard[run / block] >= 1 && shard[run / block] <= shards);
    work[shard[run / block]] += cost(run);
    all += cost(run);
  }
  for (size_t s = 1; s <= shards; s++)
    most = fmax(most, work[s]);
  free(work);
  free(shard);
  free(plan.run);
  return most * (double)shards / all;
}

Test(shard, work_is_dealt_evenly) {
  static const size_t shards[] = {1, 2, 3, 8, 40, 100, 128};
  for (size_t i = 0; i < sizeof shards / sizeof *shards; i++) {
    const double known = fmax(spread(20000, shards[i], along_an_axis, along_an_axis),
                              spread(20000, shards[i], along_the_first_axis, along_the_first_axis));
    const double unknown =
        fmax(spread(20000, shards[i], equal, along_an_axis), spread(20000, shards[i], equal, along_the_first_axis));
    cr_expect(known < 1.1, "%zu shards: the largest has %g times the mean", shards[i], known);
    cr_expect(unknown < 1.5, "%zu shards, nothing predicted: the largest has %g times the mean", shards[i], unknown);
  }
}

Test(shard, there_may_be_more_shards_than_runs) {
  struct cs_plan plan = plan_of(3, equal);
  uint32_t *shard = deal(&plan, CS_SHARDS);
  cr_expect_eq(cs_shard_block(3, CS_SHARDS), 1);
  cr_expect(shard[0] != shard[1] && shard[1] != shard[2] && shard[0] != shard[2]);
  free(shard);
  free(plan.run);
}
