#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "list.h"

/* Items stay what they were through every move. */
Test(list, grows_by_one) {
  size_t *item = NULL;
  for (size_t count = 0; count < 1000; count++) {
    cr_assert(cs_list_grow(&item, count, sizeof *item));
    item[count] = 3 * count;
    for (size_t i = 0; i <= count; i++)
      cr_assert_eq(item[i], 3 * i, "item %zu of %zu", i, count);
  }
  free(item);
}

Test(list, reserves) {
  double *item = NULL;
  cr_assert(cs_list_reserve(&item, 0, sizeof *item));
  cr_assert_not_null(item);
  cr_assert(cs_list_reserve(&item, 2, sizeof *item));
  item[1] = 2.5;
  cr_assert(cs_list_reserve(&item, 100, sizeof *item));
  cr_expect_eq(item[1], 2.5);
  free(item);
}

/* Items of no bytes are a list all the same. */
Test(list, nothing) {
  char *item = NULL;
  cr_assert(cs_list_reserve(&item, 10, 0));
  cr_expect_not_null(item);
  free(item);
}

/* What no memory can hold is refused, and the list stays. */
Test(list, overflow) {
  double *item = NULL;
  cr_assert(cs_list_reserve(&item, 1, sizeof *item));
  item[0] = 1.5;
  cr_expect_not(cs_list_reserve(&item, SIZE_MAX / sizeof *item + 2, sizeof *item));
  cr_expect_not(cs_list_grow(&item, (SIZE_MAX >> 1) + 1, sizeof *item));
  cr_expect_eq(item[0], 1.5);
  free(item);
}
