/* What was derived is found again under the same numbers and the same way only. */
#include "recall.h"

#include <criterion/criterion.h>

enum { COUNT = 3, ITEMS = 5 };

static struct cs_recall *recall;
static struct cs_error error;

static void set_up(void) {
  cr_assert_eq(cs_recall_new(&recall, &error), CS_OK);
}

static void tear_down(void) {
  cs_recall_free(recall);
}

TestSuite(recall, .init = set_up, .fini = tear_down);

static void keep(uint64_t way, double first, double value) {
  const double number[COUNT] = {first, 2.0, 3.0}, derived[ITEMS] = {value, 0.0, 0.0, 0.0, -value};
  cr_assert_eq(cs_recall_keep(recall, (struct cs_recall_key){way, number, COUNT}, derived, ITEMS, &error), CS_OK);
}

/* The value that was kept; 0 if there is none. */
static double find(uint64_t way, double first, double last) {
  const double number[COUNT] = {first, 2.0, last};
  double derived[ITEMS] = {0.0};
  const bool found = cs_recall_find(recall, (struct cs_recall_key){way, number, COUNT}, derived, ITEMS);
  cr_expect_eq(derived[ITEMS - 1], -derived[0]);
  cr_expect_eq(found, derived[0] != 0.0);
  return derived[0];
}

Test(recall, finds_what_was_kept) {
  cr_expect_eq(find(0, 1.0, 3.0), 0.0);
  keep(0, 1.0, 10.0);
  keep(1, 1.0, 20.0);
  keep(0, 4.0, 30.0);
  cr_expect_eq(find(0, 1.0, 3.0), 10.0);
  cr_expect_eq(find(1, 1.0, 3.0), 20.0);
  cr_expect_eq(find(0, 4.0, 3.0), 30.0);
  cr_expect_eq(find(1, 4.0, 3.0), 0.0);
  cr_expect_eq(find(0, 1.0, 3.5), 0.0);
  cr_expect_eq(find(2, 1.0, 3.0), 0.0);
}

/* More than there is room for, twice: what was kept last is there, what came first no more. So many that some have the
 * same hash. */
Test(recall, forgets_rather_than_grows) {
  enum { ROOM = (1 << 21) / (COUNT + ITEMS), KEPT = 3 * ROOM };
  for (size_t i = 0; i < KEPT; i++)
    keep(0, (double)i, 1.0 + (double)i);
  for (size_t i = 0; i < KEPT; i++)
    cr_assert_eq(find(0, (double)i, 3.0), i < 2 * ROOM ? 0.0 : 1.0 + (double)i, "%zu", i);
}

/* What is larger than all of the room is kept alone, until something else is. */
Test(recall, too_much_at_once) {
  enum { MANY = 1 << 21 };
  double *derived = calloc(MANY, sizeof *derived);
  const double number[COUNT] = {1.0, 2.0, 3.0};
  const struct cs_recall_key key = {3, number, COUNT};
  cr_assert_not_null(derived);
  derived[MANY - 1] = 7.0;
  cr_expect_eq(cs_recall_keep(recall, key, derived, MANY, &error), CS_OK);
  derived[MANY - 1] = 0.0;
  cr_expect(cs_recall_find(recall, key, derived, MANY));
  cr_expect_eq(derived[MANY - 1], 7.0);
  keep(0, 1.0, 10.0);
  cr_expect_eq(find(0, 1.0, 3.0), 10.0);
  cr_expect_not(cs_recall_find(recall, key, derived, MANY));
  free(derived);
}
