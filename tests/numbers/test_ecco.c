/* Runs of Kyllingstad 2025 with power bonds, thresholds and events (tests/data/kyllingstad_ecco.csv,
 * kyllingstad_reservoirs.csv) by the engine. Tolerances: variable_tables.h. */
#include <criterion/criterion.h>

#include "variable_tables.h"

static void compare_ecco(struct variable_runner *runner, struct harness_check *check) {
  variable_compare_ecco(runner, 1, check);
}

Test(ecco, energy_controlled_runs) {
  variable_compare_engine(compare_ecco, "pi_ecco");
}

Test(ecco, reservoirs_with_an_event) {
  variable_compare_engine(variable_compare_reservoirs, "reservoirs");
}
