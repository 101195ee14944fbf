/* What decides between the combinations of a ranking, one rule after the other. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "rank.h"

enum { CASES = 3, COMBINATIONS = 4, RUNS = CASES * COMBINATIONS };

/* Combinations in the order of their standings at equal error, from their costs in each case; 0: above the limit. */
static void expect_order(const double cost[CASES][COMBINATIONS], const size_t want[COMBINATIONS]) {
  double costs[RUNS], errors[RUNS];
  size_t of_case[RUNS], combination_of[RUNS];
  for (size_t i = 0; i < RUNS; i++) {
    of_case[i] = i / COMBINATIONS;
    combination_of[i] = i % COMBINATIONS;
    costs[i] = cost[of_case[i]][combination_of[i]];
    errors[i] = costs[i] > 0 ? 0.5 : 2;
  }
  const struct cs_rank_runs runs = {.runs = RUNS,
                                    .cases = CASES,
                                    .combinations = COMBINATIONS,
                                    .cost = costs,
                                    .error = errors,
                                    .case_of = of_case,
                                    .combination_of = combination_of};
  struct cs_rank_choice choice[RUNS];
  struct cs_rank_standing standing[COMBINATIONS];
  struct cs_error error;
  cs_rank_choose(&runs, CS_RANK_AT_ERROR, 1, choice);
  cr_assert_eq(cs_rank_standings(&runs, CS_RANK_AT_ERROR, choice, standing, &error), CS_OK);
  for (size_t i = 0; i < COMBINATIONS; i++)
    cr_expect_eq(standing[i].combination, want[i], "place %zu: combination %zu, want %zu", i, standing[i].combination,
                 want[i]);
}

/* Number 2 wins everywhere but reaches one case less; 3 reaches none. */
Test(standings, cases_reached_come_first) {
  expect_order((const double[][COMBINATIONS]){{20, 30, 10}, {20, 30, 10}, {20, 30}}, (const size_t[]){0, 1, 2, 3});
}

/* Number 1 wins no case, 0 wins one; but its costs are 1.1 times the best ones, those of 0 three times. */
Test(standings, then_the_median_of_the_ratios) {
  expect_order((const double[][COMBINATIONS]){{10, 11, 40}, {30, 11, 10}, {30, 11, 10}}, (const size_t[]){2, 1, 0, 3});
}

/* The medians of 0, 1 and 2 are 2; number 2 wins a case, and 1 is less bad at its worst than 0. */
Test(standings, then_cases_won_and_then_the_worst) {
  expect_order((const double[][COMBINATIONS]){{20, 20, 10, 90}, {20, 20, 20, 10}, {50, 30, 40, 10}},
               (const size_t[]){3, 2, 1, 0});
}

/* ---- order */

static void expect_ranked(const struct cs_rank_runs *runs, size_t first, size_t second, size_t third) {
  size_t order[3];
  struct cs_error error;
  cr_assert_eq(cs_rank_order(runs, order, &error), CS_OK);
  cr_expect(order[0] == first && order[1] == second && order[2] == third, "%zu %zu %zu", order[0], order[1], order[2]);
}

/* Two cases, three combinations of two runs each: costs 10 and 20. Number 1 has most points of the fronts, 2 one of
 * them, 0 none; without its point 2 is behind 0, which reaches more errors at less cost. */
Test(standings, order_by_points_of_the_fronts_then_by_cost) {
  static const double cost[] = {10, 20, 10, 20, 10, 20, 10, 20, 10, 20, 10, 20};
  static const size_t of_case[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, of[] = {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2};
  double errors[] = {4, 2.5, 3, 1, 5, 5, 4, 2, 3, 2.2, 5, 1};
  const struct cs_rank_runs runs = {.runs = 12,
                                    .cases = 2,
                                    .combinations = 3,
                                    .cost = cost,
                                    .error = errors,
                                    .case_of = of_case,
                                    .combination_of = of};
  expect_ranked(&runs, 1, 2, 0);
  errors[11] = 5;
  expect_ranked(&runs, 1, 0, 2);
}

/* Equal points are the first combination's; runs without a number are nobody's. */
Test(standings, order_of_equal_combinations) {
  static const double cost[] = {10, 10, 10}, errors[] = {NAN, 1, 1};
  static const size_t of_case[] = {0, 0, 0}, of[] = {0, 1, 2};
  const struct cs_rank_runs runs = {.runs = 3,
                                    .cases = 1,
                                    .combinations = 3,
                                    .cost = cost,
                                    .error = errors,
                                    .case_of = of_case,
                                    .combination_of = of};
  expect_ranked(&runs, 1, 2, 0);
}

/* Of two that have no point of the front, the one that reaches the first of its two errors at twice the cost is before
 * the one that reaches both at three times the cost: the lower median counts. */
Test(standings, order_by_the_cost_of_reaching_errors) {
  static const double cost[] = {10, 20, 30, 60, 20, 40}, errors[] = {1, 0.5, 1, 0.5, 1, 1};
  static const size_t of_case[6] = {0}, of[] = {0, 0, 1, 1, 2, 2};
  const struct cs_rank_runs runs = {.runs = 6,
                                    .cases = 1,
                                    .combinations = 3,
                                    .cost = cost,
                                    .error = errors,
                                    .case_of = of_case,
                                    .combination_of = of};
  expect_ranked(&runs, 0, 2, 1);
}
