/* Runs of Kyllingstad 2025 with power bonds, thresholds and events (tests/data/kyllingstad_ecco.csv,
 * kyllingstad_reservoirs.csv) by the engine. Tolerances: variable_tables.h. */
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

static void compare_ecco(struct variable_runner *runner, struct harness_check *check) {
  variable_compare_ecco(runner, 1, check);
}

Test(ecco, energy_controlled_runs) {
  compare_with(compare_ecco, "pi_ecco");
}

Test(ecco, reservoirs_with_an_event) {
  compare_with(variable_compare_reservoirs, "reservoirs");
}
