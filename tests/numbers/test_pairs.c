/* Every value of every setting with every value of every other, networks among them, on random networks: the rows of a
 * covering array (oracle/pair_table.h), against tests/oracle.
 *
 * Tolerances are those of the tests of single subjects: test_random_methods.c, test_random_variable.c,
 * test_random_events.c. */
#include <criterion/criterion.h>

#include "pair_run.h"

Test(pairs, match_the_reference) {
  pair_compare(0);
}
