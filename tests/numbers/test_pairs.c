/* Every value of every setting with every value of every other, networks among them, on random networks: the rows of a
 * covering array (oracle/pair_table.h), against tests/oracle. COSWEEP_ROUNDS=2000 in the environment: so many rows, of
 * as many arrays as that takes; COSWEEP_SEED: another seed.
 *
 * Tolerances are those of the tests of single subjects: test_random_methods.c, test_random_variable.c,
 * test_random_events.c. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "pair_run.h"

static size_t number(const char *name, size_t otherwise) {
  const char *given = getenv(name);
  return given != NULL ? strtoul(given, NULL, 10) : otherwise;
}

Test(pairs, match_the_reference) {
  pair_compare(number("COSWEEP_ROUNDS", 0), number("COSWEEP_SEED", 1));
}
