/* Pareto fronts and rankings: a table made by hand with its answers, what has to hold for any numbers, the roles of
 * axes, and what cosweep info --rank prints. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_case.h"
#include "comparison.h"
#include "effects.h"
#include "json.h"
#include "rank.h"
#include "store.h"

static struct cs_error error;

/* ---- by hand */

/* Two cases of three combinations, with three runs each; "-" takes no part.
 *
 *            case 0                          case 1
 *   run  cost  error  combination   run  cost  error  combination
 *    0    10   0.5        0           9   10   0.8        0
 *    1    20   0.1        0          10   20   0.4        0
 *    2    40   0.02       0          11   40   0.2        0
 *    3    10   0.9        1          12   10   -          1
 *    4    20   0.1        1          13   20   0.1        1
 *    5    40   0.004      1          14   40   0.01       1
 *    6    30   0.3        2          15   30   0          2
 *    7    60   0.02       2          16   60   0          2
 *    8   120   0.004      2          17  120   0          2
 *
 * Front of case 0: (10, 0.5), (20, 0.1) of two runs, (40, 0.004); run 2 loses to run 5, run 8 is dearer than run 5.
 * Front of case 1: (10, 0.8), (20, 0.1), (30, 0). */
static const double hand_cost[] = {10, 20, 40, 10, 20, 40, 30, 60, 120, 10, 20, 40, 10, 20, 40, 30, 60, 120};
static const double hand_error[] = {0.5, 0.1, 0.02, 0.9, 0.1, 0.004, 0.3, 0.02, 0.004,
                                    0.8, 0.4, 0.2,  NAN, 0.1, 0.01,  0,   0,    0};
static const size_t hand_case[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const size_t hand_combination[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 0, 1, 1, 1, 2, 2, 2};

static const struct cs_rank_runs hand = {.runs = 18,
                                         .cases = 2,
                                         .combinations = 3,
                                         .cost = hand_cost,
                                         .error = hand_error,
                                         .case_of = hand_case,
                                         .combination_of = hand_combination};

static void expect_front(size_t of_case, size_t wanted, const struct cs_rank_point *want) {
  struct cs_rank_point *front;
  size_t *start;
  cr_assert_eq(cs_rank_fronts(&hand, &front, &start, &error), CS_OK);
  cr_assert_eq(start[of_case + 1] - start[of_case], wanted);
  for (size_t i = 0; i < wanted; i++) {
    const struct cs_rank_point *p = &front[start[of_case] + i];
    cr_expect(p->cost == want[i].cost && p->error == want[i].error, "point %zu: %g, %g", i, p->cost, p->error);
    cr_expect(p->run == want[i].run && p->of_case == of_case, "point %zu: run %zu", i, p->run);
    cr_expect_eq(p->ties, want[i].ties, "point %zu: %zu ties", i, p->ties);
  }
  free(front);
  free(start);
}

Test(rank, fronts_made_by_hand) {
  expect_front(0, 3, (struct cs_rank_point[]){{10, 0.5, 0, 0, 0}, {20, 0.1, 1, 1, 0}, {40, 0.004, 5, 0, 0}});
  expect_front(1, 3, (struct cs_rank_point[]){{10, 0.8, 9, 0, 1}, {20, 0.1, 13, 0, 1}, {30, 0, 15, 0, 1}});
}

static void expect_standing(const struct cs_rank_standing *s, size_t combination, size_t reached, size_t wins,
                            size_t last, double median, double worst) {
  cr_expect_eq(s->combination, combination, "combination %zu, want %zu", s->combination, combination);
  cr_expect_eq(s->reached, reached, "combination %zu: reached %zu", combination, s->reached);
  cr_expect_eq(s->wins, wins, "combination %zu: wins %zu", combination, s->wins);
  cr_expect_eq(s->last, last, "combination %zu: last %zu", combination, s->last);
  cr_expect(s->median == median || (isnan(s->median) && isnan(median)), "combination %zu: median %g", combination,
            s->median);
  cr_expect(s->worst == worst || (isnan(s->worst) && isnan(worst)), "combination %zu: worst %g", combination, s->worst);
}

/* Error <= 0.1. Case 0: combination 0 runs 20, 1 runs 20, 2 runs 60. Case 1: none, 20, 30. */
Test(rank, equal_error_by_hand) {
  static const size_t want[] = {1, 4, 7, CS_RANK_NONE, 13, 15};
  struct cs_rank_choice choice[6];
  struct cs_rank_standing standing[3];
  cs_rank_choose(&hand, CS_RANK_AT_ERROR, 0.1, choice);
  for (size_t i = 0; i < 6; i++)
    cr_expect_eq(choice[i].run, want[i], "place %zu: run %zu", i, choice[i].run);
  cr_assert_eq(cs_rank_standings(&hand, CS_RANK_AT_ERROR, choice, standing, &error), CS_OK);
  expect_standing(&standing[0], 1, 2, 2, 1, 1, 1); /* in case 1 it has no cheaper run: the other did not succeed */
  expect_standing(&standing[1], 2, 2, 0, 1, 1.5, 3);
  expect_standing(&standing[2], 0, 1, 1, 0, 1, 1);
}

/* Cost <= 40. Case 0: errors 0.02, 0.004, 0.3. Case 1: 0.2, 0.01, 0: zero wins, and what is above it is infinitely
 * worse. */
Test(rank, equal_cost_by_hand) {
  static const size_t want[] = {2, 5, 6, 11, 14, 15};
  struct cs_rank_choice choice[6];
  struct cs_rank_standing standing[3];
  cs_rank_choose(&hand, CS_RANK_AT_COST, 40, choice);
  for (size_t i = 0; i < 6; i++)
    cr_expect_eq(choice[i].run, want[i], "place %zu: run %zu", i, choice[i].run);
  cr_assert_eq(cs_rank_standings(&hand, CS_RANK_AT_COST, choice, standing, &error), CS_OK);
  expect_standing(&standing[0], 2, 2, 1, 1, 1, 0.3 / 0.004);
  expect_standing(&standing[1], 1, 2, 1, 2, 1, INFINITY);
  expect_standing(&standing[2], 0, 2, 0, 2, 5, INFINITY);
}

/* Medians of 18 costs, 17 of which take part, and of the 14 errors above 0. */
Test(rank, limits_by_hand) {
  double median;
  cr_assert_eq(cs_rank_median(&hand, hand_cost, &median, &error), CS_OK);
  cr_expect_eq(median, 30);
  cr_assert_eq(cs_rank_median(&hand, hand_error, &median, &error), CS_OK);
  cr_expect_eq(median, 0.1);
  static const double row[][2] = {
      {0, 0},          {1, 1},         {1.01, 1.1},       {0.01, 0.01},     {1.02e-5, 1.1e-5},
      {0.0999, 0.1},   {99.5, 100},    {0.00983, 0.0099}, {3e-200, 3e-200}, {5.55e-7, 5.6e-7},
      {9.91e-8, 1e-7}, {12345, 13000}, {2.5, 2.5}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    cr_expect_eq(cs_rank_round_up(row[i][0]), row[i][1], "%g: %.17g", row[i][0], cs_rank_round_up(row[i][0]));
}

/* ---- any numbers */

enum { RUNS = 600, CASES = 3, COMBINATIONS = 7 };

static double noise_cost[RUNS], noise_error[RUNS];
static size_t noise_case[RUNS], noise_combination[RUNS];

/* Few distinct values, so that there are ties; one in eight takes no part. */
static struct cs_rank_runs make_noise(void) {
  unsigned state = 12345;
  for (size_t i = 0; i < RUNS; i++) {
    unsigned word[4];
    for (int j = 0; j < 4; j++)
      word[j] = (state = state * 1664525u + 1013904223u) >> 16;
    noise_cost[i] = 1 + word[0] % 40;
    noise_error[i] = word[1] % 8 == 0 ? NAN : (word[1] >> 3) % 50 / 10.0;
    noise_case[i] = word[2] % CASES;
    noise_combination[i] = word[3] % COMBINATIONS;
  }
  return (struct cs_rank_runs){.runs = RUNS,
                               .cases = CASES,
                               .combinations = COMBINATIONS,
                               .cost = noise_cost,
                               .error = noise_error,
                               .case_of = noise_case,
                               .combination_of = noise_combination};
}

static bool beats(size_t a, size_t b) {
  return noise_case[a] == noise_case[b] && noise_cost[a] <= noise_cost[b] && noise_error[a] <= noise_error[b] &&
         (noise_cost[a] < noise_cost[b] || noise_error[a] < noise_error[b]);
}

Test(rank, a_front_is_what_nobody_beats) {
  const struct cs_rank_runs runs = make_noise();
  struct cs_rank_point *front;
  size_t *start, on_front = 0, told = 0;
  cr_assert_eq(cs_rank_fronts(&runs, &front, &start, &error), CS_OK);
  for (size_t i = 0; i < RUNS; i++) {
    bool beaten = isnan(noise_error[i]);
    for (size_t j = 0; j < RUNS && !beaten; j++)
      beaten = beats(j, i);
    on_front += !beaten;
    for (size_t p = 0; p < start[CASES]; p++)
      cr_expect(front[p].run != i || !beaten, "run %zu is beaten", i);
  }
  for (size_t p = 0; p < start[CASES]; p++)
    told += 1 + front[p].ties;
  cr_expect_eq(told, on_front, "%zu runs on the fronts, want %zu", told, on_front);
  for (size_t k = 0; k < CASES; k++) {
    cr_expect_gt(start[k + 1], start[k] + 2);
    for (size_t p = start[k]; p < start[k + 1]; p++)
      cr_expect(front[p].of_case == k && (p == start[k] || front[p].cost > front[p - 1].cost));
  }
  free(front);
  free(start);
}

Test(rank, a_choice_is_the_best_within_the_limit) {
  const struct cs_rank_runs runs = make_noise();
  const double limit[] = {1.5, 20}, *const under[] = {noise_error, noise_cost},
               *const value[] = {noise_cost, noise_error};
  struct cs_rank_choice choice[CASES * COMBINATIONS];
  for (int by = 0; by < 2; by++) {
    cs_rank_choose(&runs, (enum cs_rank_by)by, limit[by], choice);
    for (size_t i = 0; i < RUNS; i++) {
      const struct cs_rank_choice *c = &choice[noise_case[i] * COMBINATIONS + noise_combination[i]];
      if (isnan(noise_error[i])) continue;
      if (under[by][i] <= limit[by])
        cr_expect(c->run != CS_RANK_NONE && value[by][c->run] <= value[by][i] && under[by][c->run] <= limit[by]);
      if (under[by][i] <= limit[by] && value[by][c->run] == value[by][i])
        cr_expect(under[by][c->run] < under[by][i] || (under[by][c->run] == under[by][i] && c->run <= i));
      if (c->run != CS_RANK_NONE && value[by][i] < value[by][c->run]) cr_expect_not(c->last);
    }
  }
}

/* ---- roles of axes */

static const char roles_sweep[] =
    "{\"axes\": [{\"name\": \"hold\", \"path\": \"method.hold\"}, {\"name\": \"dk\", \"path\": \"parameters.dk\"},"
    "{\"name\": \"H\", \"path\": \"method.step.size\"}, {\"name\": \"mixed\", \"zip\": {\"method.step.size\": [], "
    "\"method.input_order\": []}}, {\"name\": \"both\", \"paths\": [\"method.order\", \"t_end\"]}, "
    "{\"name\": \"one\", \"path\": \"method.start\"}]}";

/* A result with an axis of each kind, 2 x 2 x 3 x 2 x 2 x 1 runs: the first output's error is the run's number, the
 * second's twice that, negative. */
static struct cs_table *make_table(const char *sweep) {
  static const char *const holds[] = {"taylor", "lagrange"}, *const start[] = {"ramp"},
                           *const outputs[] = {"a.y", "b.y"};
  static const double dk[] = {1, 2}, H[] = {0.1, 0.2, 0.4}, number[] = {0, 1};
  static const size_t dimension[] = {0, 1, 2, 3, 4, 5, 6};
  const size_t runs = 48;
  struct cs_table *table = cs_table_new("made", "test", "");
  struct cs_array *array;
  cr_assert(table != NULL);
  cs_table_add_dimension(table, "hold", "1", "", 2, NULL, holds, NULL, &error);
  cs_table_add_dimension(table, "dk", "1", "", 2, dk, NULL, NULL, &error);
  cs_table_add_dimension(table, "H", "s", "", 3, H, NULL, NULL, &error);
  cs_table_add_dimension(table, "mixed", "1", "", 2, number, NULL, NULL, &error);
  cs_table_add_dimension(table, "both", "1", "", 2, number, NULL, NULL, &error);
  cs_table_add_dimension(table, "one", "1", "", 1, NULL, start, NULL, &error);
  cs_table_add_dimension(table, "output", "1", "", 2, NULL, outputs, NULL, &error);
  cr_assert_eq(cs_table_add_array(table, "output_error", "1", "", CS_FLOAT64, 7, dimension, &array, &error), CS_OK);
  for (size_t i = 0; i < 2 * runs; i++)
    array->data.float64[i] = i % 2 ? -2.0 * (double)(i / 2) : (double)(i / 2);
  cr_assert_eq(cs_table_add_array(table, "steps", "1", "", CS_INT64, 6, dimension, &array, &error), CS_OK);
  for (size_t i = 0; i < runs; i++)
    array->data.int64[i] = 100 + (int64_t)i;
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 6, dimension, &array, &error), CS_OK);
  array->data.uint8[7] = 1;
  if (sweep != NULL) cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, &sweep, &error), CS_OK);
  return table;
}

Test(rank, axes_have_roles) {
  static const enum cs_role want[] = {CS_ROLE_COMBINATION, CS_ROLE_CASE, CS_ROLE_KNOB,
                                      CS_ROLE_COMBINATION, CS_ROLE_CASE, CS_ROLE_FIXED};
  const struct cs_comparison_wish wish = {.path = "made.h5", .metric = "output_error"};
  struct cs_table *table = make_table(roles_sweep);
  struct cs_comparison c;
  cr_assert_eq(cs_comparison_open(table, &wish, &c, &error), CS_OK, "%s", error.message);
  for (size_t a = 0; a < 6; a++)
    cr_expect_eq(c.role[a], want[a], "axis %zu has role %d", a, (int)c.role[a]);
  cr_expect_eq(c.runs.cases, 4);
  cr_expect_eq(c.runs.combinations, 4);
  cr_expect(c.selected == 48 && c.failed == 1 && c.not_finite == 0);
  cr_expect_str_eq(c.cost->name, "steps");
  for (size_t run = 0; run < 48; run++) {
    const size_t hold = run / 24, dk = run / 12 % 2, mixed = run / 2 % 2, both = run % 2;
    cr_expect_eq(c.runs.case_of[run], 2 * dk + both);
    cr_expect_eq(c.runs.combination_of[run], 2 * hold + mixed);
    cr_expect(run == 7 ? isnan(c.runs.error[run]) : c.runs.error[run] == 2.0 * (double)run);
    cr_expect_eq(c.runs.cost[run], 100 + (double)run);
    const size_t member = cs_comparison_member(&c, CS_ROLE_COMBINATION, c.runs.combination_of[run]);
    cr_expect(cs_runs_position(&c.over, member, 0) == hold && cs_runs_position(&c.over, member, 3) == mixed);
  }
  cs_comparison_free(&c);
  cs_table_free(table);
}

/* Numbers that make a method finer or coarser, and words that make it another one. */
Test(rank, settings_of_steps_and_tolerances_have_roles) {
  static const struct {
    const char *path;
    enum cs_role role;
  } row[] = {{"method.step.tolerance", CS_ROLE_KNOB},
             {"method.step.initial", CS_ROLE_KNOB},
             {"method.step.above", CS_ROLE_KNOB},
             {"method.tolerance", CS_ROLE_KNOB},
             {"method.subsystems.a.tolerance", CS_ROLE_KNOB},
             {"method.step.control", CS_ROLE_COMBINATION},
             {"method.step.end", CS_ROLE_COMBINATION},
             {"method.step.norm", CS_ROLE_COMBINATION},
             {"method.step.estimate", CS_ROLE_COMBINATION},
             {"method.step.bonds", CS_ROLE_COMBINATION},
             {"method.step.signal", CS_ROLE_COMBINATION},
             {"method.subsystems.a.solver", CS_ROLE_COMBINATION}};
  const struct cs_comparison_wish wish = {.path = "made.h5", .metric = "output_error"};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char sweep[1024];
    snprintf(sweep, sizeof sweep,
             "{\"axes\": [{\"name\": \"hold\", \"path\": \"method.hold\"}, {\"name\": \"dk\", \"path\": "
             "\"parameters.dk\"}, {\"name\": \"H\", \"path\": \"%s\"}, {\"name\": \"mixed\", \"path\": "
             "\"method.step.size\"}, {\"name\": \"both\", \"path\": \"t_end\"}, {\"name\": \"one\", \"path\": "
             "\"method.start\"}]}",
             row[i].path);
    struct cs_table *table = make_table(sweep);
    struct cs_comparison c;
    cr_assert_eq(cs_comparison_open(table, &wish, &c, &error), CS_OK, "%s", error.message);
    cr_expect_eq(c.role[2], row[i].role, "%s has role %d", row[i].path, (int)c.role[2]);
    cs_comparison_free(&c);
    cs_table_free(table);
  }
}

Test(rank, a_value_and_a_signal_can_be_chosen) {
  const char *at[] = {"dk=2", "hold=lagrange", "H=0.20001"};
  const struct cs_comparison_wish wish = {
      .path = "made.h5", .metric = "output_error", .cost = "steps", .signal = "a.y", .at = at, .ats = 3};
  struct cs_table *table = make_table(roles_sweep);
  struct cs_comparison c;
  cr_assert_eq(cs_comparison_open(table, &wish, &c, &error), CS_OK, "%s", error.message);
  cr_expect_eq(c.selected, 4);
  cr_expect(c.runs.cases == 2 && c.runs.combinations == 2);
  for (size_t run = 0; run < 48; run++) {
    const bool chosen = run / 24 == 1 && run / 12 % 2 == 1 && run / 4 % 3 == 1;
    cr_expect(chosen ? c.runs.error[run] == (double)run : isnan(c.runs.error[run]), "run %zu", run);
  }
  const size_t member = cs_comparison_member(&c, CS_ROLE_FIXED, 0);
  cr_expect(cs_runs_position(&c.over, member, 1) == 1 && cs_runs_position(&c.over, member, 2) == 1);
  cs_comparison_free(&c);
  cs_table_free(table);
}

/* What is named is compared, each with the best of everything else; what defines problems stays. */
Test(rank, axes_can_be_named) {
  static const enum cs_role want[] = {CS_ROLE_KNOB, CS_ROLE_CASE, CS_ROLE_COMBINATION,
                                      CS_ROLE_KNOB, CS_ROLE_CASE, CS_ROLE_FIXED};
  static const char *const by[] = {"H", "one"};
  const struct cs_comparison_wish wish = {.path = "made.h5", .metric = "output_error", .by = by, .bys = 2};
  struct cs_table *table = make_table(roles_sweep);
  struct cs_comparison c;
  cr_assert_eq(cs_comparison_open(table, &wish, &c, &error), CS_OK, "%s", error.message);
  for (size_t a = 0; a < 6; a++)
    cr_expect_eq(c.role[a], want[a], "axis %zu has role %d", a, (int)c.role[a]);
  cr_expect(c.runs.cases == 4 && c.runs.combinations == 3);
  cs_comparison_free(&c);
  cs_table_free(table);
}

/* Two axes that move log error by one and by two decades have 1/5 and 4/5 of its variance at equal cost. */
Test(rank, main_effects_are_shares_of_variance) {
  const struct cs_comparison_wish wish = {.path = "made.h5", .metric = "output_error"};
  struct cs_table *table = make_table(roles_sweep);
  const struct cs_array *of = cs_table_find(table, "output_error"), *cost = cs_table_find(table, "steps");
  struct cs_comparison c;
  struct cs_effects effects;
  for (size_t run = 0; run < 48; run++) {
    const size_t hold = run / 24, dk = run / 12 % 2, mixed = run / 2 % 2;
    const double value = pow(10.0, (double)hold + 2.0 * (double)mixed + 5.0 * (double)dk);
    of->data.float64[2 * run] = of->data.float64[2 * run + 1] = value;
    cost->data.int64[run] = 100;
  }
  cs_table_find(table, "status")->data.uint8[7] = 0;
  cr_assert_eq(cs_comparison_open(table, &wish, &c, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_effects_find(&c, &effects, &error), CS_OK);
  cr_assert_eq(effects.count, 3);
  cr_expect_eq(effects.runs, 48);
  cr_expect(effects.effect[0].axis == 3 && fabs(effects.effect[0].share - 0.8) < 1e-12);
  cr_expect(effects.effect[1].axis == 0 && fabs(effects.effect[1].share - 0.2) < 1e-12);
  cr_expect(effects.effect[2].axis == 2 && fabs(effects.effect[2].share) < 1e-12 && effects.rest < 1e-12);
  struct cs_text words = {0};
  cs_effects_add(&c, &effects, &words);
  cr_expect_str_eq(cs_text_string(&words), "mixed 80 %, hold 20 %, H 0 %, together 0 %");
  cs_text_free(&words);
  cs_comparison_free(&c);
  cs_table_free(table);
}

/* Runs that are no compromise take no part in fronts; in rankings they do. */
Test(rank, fronts_leave_out_what_is_unstable_or_above_the_signal) {
  static const size_t dimension[] = {0, 1, 2, 3, 4, 5, 6};
  const struct cs_comparison_wish wish = {.path = "made.h5", .metric = "output_error"};
  struct cs_table *table = make_table(roles_sweep);
  struct cs_array *array;
  struct cs_comparison c;
  cr_assert_eq(cs_table_add_array(table, "spectral_radius", "1", "", CS_FLOAT64, 6, dimension, &array, &error), CS_OK);
  for (size_t run = 0; run < 48; run++)
    array->data.float64[run] = run == 3 ? 1.5 : 1.0;
  cr_assert_eq(cs_table_add_array(table, "output_exact", "1", "", CS_FLOAT64, 7, dimension, &array, &error), CS_OK);
  for (size_t i = 0; i < 96; i++)
    array->data.float64[i] = i == 11 ? 9.0 : 1000.0;
  cr_assert_eq(cs_comparison_open(table, &wish, &c, &error), CS_OK, "%s", error.message);
  cr_expect(c.unstable == 1 && c.above == 1, "%zu unstable, %zu above", c.unstable, c.above);
  for (size_t run = 0; run < 48; run++)
    cr_expect_eq(isnan(c.fronts.error[run]) != 0, run == 3 || run == 5 || run == 7, "run %zu", run);
  cr_expect_eq(c.runs.error[3], 6.0);
  cs_comparison_free(&c);
  cs_table_free(table);
}

static void expect_refused(const struct cs_table *table, const struct cs_comparison_wish *wish, int code,
                           const char *message) {
  struct cs_comparison c;
  const int found = cs_comparison_open(table, wish, &c, &error);
  cr_expect_eq(found, code, "code %d, want %d: %s", found, code, error.message);
  cr_expect(strstr(error.message, message), "\"%s\" is not in: %s", message, error.message);
  cs_comparison_free(&c);
}

Test(rank, wishes_the_file_cannot_fulfil) {
  static const struct {
    const char *metric, *cost, *signal, *at, *message;
  } row[] = {
      {"output_eror", NULL, NULL, NULL,
       "--rank \"output_eror\"; did you mean \"output_error\"? want one of: output_error (see"},
      {"steps", NULL, NULL, NULL, "--rank \"steps\"; want one of: output_error"},
      {"output_error", "evaluations", NULL, NULL, "--cost \"evaluations\"; want one of: steps (see"},
      {"output_error", NULL, "a", NULL, "--signal \"a\"; want one of: a.y, b.y"},
      {"output_error", NULL, NULL, "hold", "--at \"hold\"; want AXIS=VALUE with AXIS one of: hold, dk, H"},
      {"output_error", NULL, NULL, "h=1", "--at \"h=1\"; want AXIS=VALUE"},
      {"output_error", NULL, NULL, "H=0.3", "--at \"H=0.3\"; want one of: 0.1, 0.2, 0.4 (see"},
      {"output_error", NULL, NULL, "H=", "--at \"H=\"; want one of: 0.1"},
      {"output_error", NULL, NULL, "hold=tailor",
       "--at \"hold=tailor\"; did you mean \"taylor\"? want one of: taylor, lagrange"},
  };
  struct cs_table *table = make_table(roles_sweep), *silent = make_table(NULL), *other = make_table("{\"axes\": []}");
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const char *at[] = {row[i].at};
    const struct cs_comparison_wish wish = {.path = "made.h5",
                                            .metric = row[i].metric,
                                            .cost = row[i].cost,
                                            .signal = row[i].signal,
                                            .at = at,
                                            .ats = row[i].at != NULL};
    expect_refused(table, &wish, CS_USAGE, row[i].message);
  }
  const struct cs_comparison_wish wish = {.path = "made.h5", .metric = "output_error"};
  expect_refused(silent, &wish, CS_IO, "made.h5: no text \"sweep\"");
  expect_refused(other, &wish, CS_IO, "made.h5: the sweep in provenance has no axis \"hold\"");
  cs_table_free(table);
  cs_table_free(silent);
  cs_table_free(other);
}

/* ---- the program */

TestSuite(rank_cli, .init = cli_case_open, .fini = cli_case_close, .timeout = 300);

/* Orders 0 to 2 at 10, 20 and 40 steps: at any cost order 2 is the most accurate, order 0 the least. */
static void run_orders(const char *more) {
  char axes[512];
  snprintf(axes, sizeof axes,
           "{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1, 2]}, "
           "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.05, 0.025], \"unit\": \"s\"}%s",
           more);
  cli_case_sweep("orders.json", "orders", 0.1, 1, axes, "\"state_error\", \"steps\"");
  struct cli_result r = cli_run("run orders.json --quiet");
  cr_assert_eq(r.status, 0, "%s", r.err);
  cli_free(&r);
}

/* The points of a sample alone are ranked against each other, though they are different problems, and the file says how
 * they were drawn; beside an axis of settings they are cases. */
Test(rank_cli, samples) {
  cli_case_sweep("lhs.json", "lhs", 0.1, 1,
                 "{\"name\": \"design\", \"sample\": {\"lhs\": 12, \"seed\": 7, \"over\": {\"parameters.p\": [1, 2], "
                 "\"method.step.size\": {\"log\": [0.01, 0.1]}}}}",
                 "\"state_error\", \"steps\"");
  cli_expect("run lhs.json --quiet", 0, "");
  cli_expect("info lhs.h5", 0, "  design     12  Latin hypercube, seed 7  parameters.p, method.step.size\n");
  cli_expect("info lhs.h5 --json", 0, "\"spacing\": \"\", \"design\": {\n   \"lhs\": 12,\n   \"seed\": 7,");
  cli_expect("info lhs.h5 --rank state_error", 0, "ranked    design, whose points are different problems\n");
  cli_expect("info lhs.h5 --rank state_error", 0, "\n  12 ");
  run_orders(", {\"name\": \"drawn\", \"sample\": {\"random\": 3, \"over\": {\"parameters.p\": [1, 2]}}}");
  cli_expect("info orders.h5 --rank state_error", 0, "cases     3; runs compete at equal drawn\n");
}

static double number(const struct cs_node *object, const char *key) {
  const struct cs_node *node = cs_json_get(object, key);
  cr_assert(node != NULL && cs_json_kind(node) == CS_NUMBER, "no number \"%s\"", key);
  return cs_json_number(node);
}

/* The larger of both states' errors, [order][H] as the file has them. */
static void read_errors(double largest[3][3]) {
  struct cs_table *table;
  cr_assert_eq(cs_store_read("orders.h5", &table, &error), CS_OK, "%s", error.message);
  const double *value = cs_table_find(table, "state_error")->data.float64;
  for (size_t i = 0; i < 9; i++)
    largest[i / 3][i % 3] = fmax(value[2 * i], value[2 * i + 1]);
  cs_table_free(table);
}

static struct cs_json *rank_json(const char *words) {
  struct cs_json *json;
  struct cli_result r = cli_run(words);
  cr_assert_eq(r.status, 0, "%s", r.err);
  cr_assert_eq(cs_json_parse("stdout", r.out, strlen(r.out), &json, &error), CS_OK, "%s\n%s", error.message, r.out);
  cli_free(&r);
  return json;
}

Test(rank_cli, orders_at_equal_cost_and_error) {
  double largest[3][3];
  char words[256];
  run_orders("");
  read_errors(largest);
  snprintf(words, sizeof words, "info orders.h5 --rank state_error --budget 25 --error %.17g --json", largest[0][2]);
  struct cs_json *json = rank_json(words);
  const struct cs_node *root = cs_json_root(json);
  cr_expect_str_eq(cs_json_string(cs_json_get(root, "cost")), "steps");
  const struct cs_node *front = cs_json_get(cs_json_at(cs_json_get(root, "cases"), 0), "front");
  cr_assert_eq(cs_json_length(front), 3);
  for (size_t i = 0; i < 3; i++) {
    cr_expect_eq(number(cs_json_at(front, i), "run"), (double)(6 + i));
    cr_expect_eq(number(cs_json_at(front, i), "cost"), (double)(10u << i));
    cr_expect_eq(number(cs_json_at(front, i), "error"), largest[2][i]);
    cr_expect_eq(number(cs_json_get(cs_json_at(front, i), "settings"), "order"), 2);
  }
  const struct cs_node *budget = cs_json_get(root, "equal_cost"), *at = cs_json_get(root, "equal_error");
  for (size_t i = 0; i < 3; i++) {
    const struct cs_node *entry = cs_json_at(budget, i), *choice = cs_json_at(cs_json_get(entry, "cases"), 0);
    cr_expect_eq(number(cs_json_get(entry, "settings"), "order"), (double)(2 - i));
    cr_expect_eq(number(entry, "median"), largest[2 - i][1] / largest[2][1]);
    cr_expect_eq(number(choice, "cost"), 20);
    cr_expect_eq(number(cs_json_get(choice, "settings"), "H"), 0.05);
  }
  /* Order 0 needs all its steps, order 2 the fewest: its first run is below already. */
  cr_expect_eq(number(cs_json_get(cs_json_at(at, 0), "settings"), "order"), 2);
  cr_expect_eq(number(cs_json_get(cs_json_at(at, 2), "settings"), "order"), 0);
  cr_expect_eq(number(cs_json_at(cs_json_get(cs_json_at(at, 2), "cases"), 0), "cost"), 40);
  cr_expect_eq(number(cs_json_at(at, 2), "median"), 4);
  cs_json_free(json);
}

static void expect_text(const char *words, const char *const *parts, size_t count) {
  struct cli_result r = cli_run(words);
  cr_assert_eq(r.status, 0, "%s", r.err);
  for (size_t i = 0; i < count; i++)
    cr_expect(strstr(r.out, parts[i]), "cosweep %s: \"%s\" is not in\n%s", words, parts[i], r.out);
  for (const char *line = r.out; *line != '\0'; line += strcspn(line, "\n") + 1)
    cr_expect_leq(strcspn(line, "\n"), 79, "too wide: %.*s", (int)strcspn(line, "\n"), line);
  cli_free(&r);
}

Test(rank_cli, one_case_is_a_front_and_two_tables) {
  static const char *const parts[] = {"  state_error (largest of 2 states) against steps\n",
                                      "runs      9 compared; unstable ones may be among them: without metrics\n",
                                      "ranked    order\nbest      over H\n",
                                      "Pareto front: ",
                                      "equal error: least cost of an error <= 1\n",
                                      "  1   *10      1  ",
                                      "  * the cheapest run of this combination in the file\n",
                                      "equal cost: least error of a cost <= 20 (the median; --budget sets it)\n"};
  run_orders("");
  expect_text("info orders.h5 --rank state_error --error 1", parts, sizeof parts / sizeof *parts);
}

Test(rank_cli, several_cases_are_summed_up) {
  static const char *const parts[] = {"cases     2; runs compete at equal p\n", "Pareto front at p 1: ",
                                      "Pareto front at p 2: ", "  1        2     2       1       1      2\n"};
  static const char *const fixed[] = {"at        p 2\n", "Pareto front: "};
  run_orders(", {\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2]}");
  expect_text("info orders.h5 --rank state_error --budget 25", parts, sizeof parts / sizeof *parts);
  expect_text("info orders.h5 --rank state_error --at p=2", fixed, sizeof fixed / sizeof *fixed);
}

/* Settings that move together are shown by their values; a table too wide goes below. */
Test(rank_cli, wide_tables_break) {
  static const char *const parts[] = {
      "  #  cost  times     error\n  1    10      1  ",
      "\n        solver exact, hold taylor, feedthrough explicit, input_order 1,\n        output_order 1, start "};
  cli_case_sweep("zip.json", "zip", 0.1, 1,
                 "{\"name\": \"settings\", \"zip\": {\"method.solver\": [\"exact\", \"implicit_euler\"], "
                 "\"method.hold\": [\"taylor\", \"backward_difference\"], \"method.feedthrough\": [\"explicit\", "
                 "\"solved\"], \"method.input_order\": [1, 0], \"method.output_order\": [1, 0], \"method.start\": "
                 "[\"consistent\", \"ramp\"]}}",
                 "\"state_error\", \"steps\"");
  struct cli_result r = cli_run("run zip.json --quiet");
  cr_assert_eq(r.status, 0, "%s", r.err);
  cli_free(&r);
  expect_text("info zip.h5 --rank state_error", parts, sizeof parts / sizeof *parts);
}

Test(rank_cli, nothing_to_rank_is_said) {
  static const struct {
    const char *words, *message;
    int status;
  } row[] = {
      {"info free.h5 --rank output_error", "free.h5: has no cost metric; want evaluations, stages or steps", 5},
      {"info small.h5 --cost steps", "cosweep info: --cost needs --rank METRIC (see: cosweep info --help)", 2},
      {"info small.h5 --at p=1", "--at needs --rank METRIC", 2},
      {"info small.h5 --rank output_error --error 0", "--error 0; want a number above 0", 2},
      {"info small.h5 --rank output_error --budget ten", "--budget ten; want a number above 0", 2},
      {"info bad.h5 --rank output_error", "bad.h5: none of 2 runs succeeded", 1},
  };
  cli_case_sweep("free.json", "free", 0.1, 1, "", "\"output_error\"");
  struct cli_result r = cli_run("run sweep.json free.json -o . --quiet");
  cr_assert_eq(r.status, 0, "%s", r.err);
  cli_free(&r);
  cli_case_sweep("bad.json", "bad", 0.1, 1, "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [-1, -2]}",
                 "\"output_error\", \"steps\"");
  r = cli_run("run bad.json --quiet");
  cr_assert_eq(r.status, 1);
  cli_free(&r);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    r = cli_run(row[i].words);
    cr_expect_eq(r.status, row[i].status, "cosweep %s: exit status %d", row[i].words, r.status);
    cr_expect(strstr(r.err, row[i].message), "cosweep %s: %s", row[i].words, r.err);
    cr_expect_str_empty(r.out);
    cli_free(&r);
  }
}
