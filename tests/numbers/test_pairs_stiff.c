/* The rows of test_pairs.c that have a stiff network or a long latency, in quadruple precision, which takes its time:
 * of the first 40 rows. Tolerance: that of test_stiff.c. */
#include <criterion/criterion.h>

#include "pair_run.h"
#include "plain_quad.h"

Test(pairs_stiff, match_the_reference) {
  pair_compare(40);
}
