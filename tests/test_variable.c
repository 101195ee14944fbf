/* Runs of variable step by the engine against the tables of Glumac and Kovačić 2023 (Fig. 7 to 10) and Andersson 2013
 * (Table 5.2). Tolerances: variable_tables.h. */
#include <criterion/criterion.h>

#include "variable_tables.h"

typedef void compare_fn(struct variable_runner *runner, struct harness_check *check);

static void compare_with(compare_fn *compare, const char *title) {
  struct harness harness;
  struct variable_runner runner;
  struct harness_check check = {0};
  variable_open(&runner, &harness, false);
  compare(&runner, &check);
  harness_finish(&check, title);
  variable_close(&runner);
}

static void compare_glumac(struct variable_runner *runner, struct harness_check *check) {
  variable_compare_glumac(runner, 1, check);
}

Test(variable, defect_controlled_runs) {
  compare_with(compare_glumac, "pi_defect");
}

Test(variable, richardson_controlled_runs) {
  compare_with(variable_compare_quarter_car, "richardson");
}
