#include <criterion/criterion.h>

#include "index.h"

static size_t find(const struct cs_index *index, const double *value, uint64_t hash, double wanted) {
  for (size_t probe = 0, item; (item = cs_index_next(index, hash, &probe)) != CS_INDEX_NONE;)
    if (value[item] == wanted) return item;
  return CS_INDEX_NONE;
}

static uint64_t hash_of(double value) {
  return cs_index_hash(CS_INDEX_SEED, &value, sizeof value);
}

/* Items are found through every growth, and nothing else is. */
Test(index, finds_what_was_added) {
  enum { COUNT = 5000 };
  static double value[COUNT];
  struct cs_index index = {0};
  cr_assert_eq(find(&index, value, hash_of(0.0), 0.0), CS_INDEX_NONE);
  for (size_t i = 0; i < COUNT; i++) {
    value[i] = (double)i * 0.5;
    cr_assert(cs_index_add(&index, hash_of(value[i]), i));
    cr_assert_eq(find(&index, value, hash_of(value[i / 2]), value[i / 2]), i / 2);
  }
  cr_expect_eq(index.count, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    cr_expect_eq(find(&index, value, hash_of(value[i]), value[i]), i);
    cr_expect_eq(find(&index, value, hash_of(value[i] + 0.25), value[i] + 0.25), CS_INDEX_NONE);
  }
  cs_index_clear(&index);
  cr_expect_eq(find(&index, value, hash_of(1.0), 1.0), CS_INDEX_NONE);
}

/* Room that was made beforehand, or in between, changes nothing. */
Test(index, room) {
  enum { COUNT = 300 };
  static double value[COUNT];
  struct cs_index index = {0};
  cr_assert(cs_index_reserve(&index, 0));
  cr_expect_eq(index.slots, 0);
  for (size_t i = 0; i < COUNT; i++) {
    if (i == 7) cr_assert(cs_index_reserve(&index, COUNT));
    const size_t slots = index.slots;
    value[i] = (double)i;
    cr_assert(cs_index_add(&index, hash_of(value[i]), i));
    cr_expect(i < 7 || index.slots == slots, "grew at item %zu", i);
  }
  for (size_t i = 0; i < COUNT; i++)
    cr_expect_eq(find(&index, value, hash_of(value[i]), value[i]), i);
  cs_index_clear(&index);
}

/* All items of one hash come, each once, and none of another hash that begins at the same slot. */
Test(index, one_hash) {
  enum { COUNT = 200 };
  struct cs_index index = {0};
  const uint64_t hash = 7, other = hash + 4096;
  bool seen[COUNT] = {false};
  for (size_t i = 0; i < COUNT; i++) {
    cr_assert(cs_index_add(&index, hash, i));
    cr_assert(cs_index_add(&index, other, COUNT + i));
  }
  size_t count = 0;
  for (size_t probe = 0, item; (item = cs_index_next(&index, hash, &probe)) != CS_INDEX_NONE; count++) {
    cr_assert_lt(item, COUNT);
    cr_expect_not(seen[item], "item %zu came twice", item);
    seen[item] = true;
  }
  cr_expect_eq(count, COUNT);
  cs_index_clear(&index);
}

/* A hash depends on every byte and on their order, also behind the last whole word, and can be gone on from. */
Test(index, hash) {
  unsigned char bytes[19] = {0};
  const uint64_t zeros = cs_index_hash(CS_INDEX_SEED, bytes, sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; i++) {
    bytes[i] = 1;
    cr_expect_neq(cs_index_hash(CS_INDEX_SEED, bytes, sizeof bytes), zeros, "byte %zu", i);
    bytes[i] = 0;
  }
  const double forth[] = {1.0, 2.0}, back[] = {2.0, 1.0};
  cr_expect_neq(cs_index_hash(CS_INDEX_SEED, forth, sizeof forth), cs_index_hash(CS_INDEX_SEED, back, sizeof back));
  cr_expect_eq(cs_index_hash(hash_of(1.0), &forth[1], sizeof *forth),
               cs_index_hash(CS_INDEX_SEED, forth, sizeof forth));
}

/* Round numbers, whose lower bits are all zero, do not share slots. */
Test(index, round_numbers_spread) {
  enum { COUNT = 1024 };
  static unsigned char taken[4 * COUNT];
  size_t distinct = 0;
  for (size_t i = 0; i < COUNT; i++) {
    unsigned char *slot = &taken[hash_of((double)i) % sizeof taken];
    distinct += *slot == 0;
    *slot = 1;
  }
  cr_expect_gt(distinct, COUNT / 2, "%zu of %d", distinct, COUNT);
}
