/* The rows of test_pairs.c that have a stiff network or a long latency, in quadruple precision, which takes its time:
 * of the first 40 rows by default, COSWEEP_ROUNDS=0 of a whole array. Tolerance: that of test_stiff.c. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "pair_run.h"
#include "plain_quad.h"

static size_t number(const char *name, size_t otherwise) {
  const char *given = getenv(name);
  return given != NULL ? strtoul(given, NULL, 10) : otherwise;
}

Test(pairs_stiff, match_the_reference) {
  pair_compare(number("COSWEEP_ROUNDS", 40), number("COSWEEP_SEED", 1));
}
