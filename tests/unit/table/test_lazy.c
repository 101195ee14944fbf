/* Numbers that come block by block: the right ones, in any order, and after a failure none. */
#include "lazy.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static size_t loads, failing; /* number of the load that fails; 0: none */
static int closed;

/* Item i of array a is 1000000 a + i; lines of 10 items in blocks of 4, or of 1000 in blocks of 1. */
static int load(void *context, size_t array, size_t block, void *items, size_t bytes, struct cs_error *error) {
  const size_t parts = array == 0 ? 3 : 1000, line = array == 0 ? 10 : 1000, size = array == 0 ? 4 : 1;
  const size_t first = block / parts * line + block % parts * size;
  double *item = items;
  (void)context;
  if (++loads == failing) return cs_error_set(error, CS_IO, "load %zu failed", loads);
  if (failing > 0 && loads > failing) return cs_error_set(error, CS_IO, "asked again");
  cr_expect_eq(bytes, sizeof *item * (array == 0 && block % parts == 2 ? 2 : size));
  for (size_t i = 0; i < bytes / sizeof *item; i++)
    item[i] = 1e6 * (double)array + (double)(first + i);
  return CS_OK;
}

static void close_source(void *context) {
  (void)context;
  closed++;
}

static struct cs_lazy *lazy;
static struct cs_lazy_array array[2];
static struct cs_error error;

static void set_up(void) {
  lazy = cs_lazy_new(&(struct cs_lazy_source){load, close_source, NULL});
  cr_assert_not_null(lazy);
  array[0] = (struct cs_lazy_array){.of = lazy, .number = 0, .size = sizeof(double), .line = 10, .block = 4};
  array[1] = (struct cs_lazy_array){.of = lazy, .number = 1, .size = sizeof(double), .line = 1000, .block = 1};
  loads = failing = 0;
}

static void tear_down(void) {
  cs_lazy_free(lazy);
  cr_expect_eq(closed, 1);
}

TestSuite(lazy, .init = set_up, .fini = tear_down);

static double number(size_t of, size_t i) {
  return *(const double *)cs_lazy_item(&array[of], i);
}

Test(lazy, items_are_right_in_any_order) {
  size_t at = 1;
  for (size_t i = 0; i < 20000; i++) {
    at = (at * 1103515245 + 12345) % 2147483648;
    const size_t of = at / 65536 % 2, item = at / 131072 % 5000;
    cr_assert_eq(number(of, item), 1e6 * (double)of + (double)item, "item %zu of array %zu", item, of);
  }
  cr_expect_eq(cs_lazy_check(lazy, &error), CS_OK);
}

/* What was used last is kept: going through is a load for each block, and going back over the last ones is none. */
Test(lazy, a_block_is_loaded_once_while_it_is_kept) {
  for (size_t i = 0; i < 5000; i++)
    cr_assert_eq(number(1, i), 1e6 + (double)i);
  cr_expect_eq(loads, 5000);
  for (size_t i = 5000; i-- > 5000 - CS_LAZY_BLOCKS;)
    cr_assert_eq(number(1, i), 1e6 + (double)i);
  cr_expect_eq(loads, 5000);
  for (size_t i = 0; i < 40; i++)
    cr_assert_eq(number(0, i), (double)i);
  cr_expect_eq(loads, 5012);
}

/* A block that made room for others is not read again where it was. */
Test(lazy, a_block_that_is_gone_is_loaded_again) {
  cr_expect_eq(number(0, 4), 4.0);
  for (size_t i = 0; i < 2 * CS_LAZY_BLOCKS; i++)
    cr_expect_eq(number(1, i), 1e6 + (double)i);
  cr_expect_eq(number(0, 4), 4.0);
}

Test(lazy, after_a_failure_there_are_zeros_and_its_message) {
  failing = 3;
  for (size_t i = 0; i < 30; i++)
    cr_expect_eq(number(0, i), i < 8 ? (double)i : 0.0, "item %zu", i);
  for (int again = 0; again < 2; again++) {
    cr_expect_eq(cs_lazy_check(lazy, &error), CS_IO);
    cr_expect_str_eq(error.message, "load 3 failed");
  }
  cr_expect_eq(loads, 3);
}
