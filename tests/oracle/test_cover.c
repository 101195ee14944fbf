/* Covering arrays: every pair that a judge accepts in some row is covered, every other one is refused, and rows are
 * few. The judge is told here; the generator sees no more than what it answers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "cover.h"

enum { FACTORS = 9 };

static const size_t values[FACTORS] = {3, 4, 2, 5, 3, 2, 4, 3, 2};

/* Two that exclude each other; one that needs two others; one that needs one of two; three that cannot be together; one
 * that needs one which needs another. */
static bool accepts(void *context, const unsigned char *row) {
  (void)context;
  if (row[0] == 1 && row[1] == 2) return false;
  if (row[3] == 4 && (row[4] != 2 || row[6] == 3)) return false;
  if (row[2] == 1 && row[5] != 1 && row[7] != 1) return false;
  if (row[0] == 2 && row[4] == 1 && row[7] == 2) return false;
  if (row[8] == 1 && row[1] != 3) return false;
  return row[1] != 3 || row[6] != 0;
}

static bool accepts_all(void *context, const unsigned char *row) {
  (void)context;
  (void)row;
  return true;
}

/* Whether some row with both values is accepted, by trying all. */
static bool is_possible(size_t f, size_t v, size_t g, size_t w) {
  unsigned char row[FACTORS] = {0};
  for (size_t i = 0; i < FACTORS;) {
    row[f] = (unsigned char)v;
    row[g] = (unsigned char)w;
    if (accepts(NULL, row)) return true;
    for (i = 0; i < FACTORS; i++) {
      if (i == f || i == g) continue;
      if (++row[i] < values[i]) break;
      row[i] = 0;
    }
  }
  return false;
}

static void check(uint64_t seed) {
  static bool seen[FACTORS][FACTORS][8][8];
  unsigned char row[FACTORS];
  size_t rows = 0;
  struct cover *cover = cover_new(values, FACTORS, seed, true, accepts, NULL);
  memset(seen, 0, sizeof seen);
  for (; cover_next(cover, row); rows++) {
    cr_assert(accepts(NULL, row));
    for (size_t f = 0; f < FACTORS; f++)
      for (size_t g = 0; g < FACTORS; g++)
        seen[f][g][row[f]][row[g]] = true;
  }
  for (size_t f = 0; f < FACTORS; f++) {
    for (size_t g = f + 1; g < FACTORS; g++) {
      for (size_t i = 0; i < values[f] * values[g]; i++) {
        const size_t v = i / values[g], w = i % values[g];
        const bool can = is_possible(f, v, g, w);
        cr_expect_eq(seen[f][g][v][w], can, "seed %d: %zu=%zu, %zu=%zu", (int)seed, f, v, g, w);
        cr_expect_eq(cover_refused(cover, f, v, g, w), !can);
      }
    }
  }
  const struct cover_counts n = cover_counted(cover);
  cr_expect_eq(n.covered + n.refused, n.pairs);
  cr_expect_leq(rows, 40, "%zu rows", rows);
  if (seed == 1) printf("%zu rows for %zu of %zu pairs, %zu rows asked\n", rows, n.covered, n.pairs, n.asked);
  cover_free(cover);
}

Test(cover, every_possible_pair_is_covered) {
  for (uint64_t seed = 1; seed <= 20; seed++)
    check(seed);
}

/* 5 x 4 rows at least. */
Test(cover, rows_are_few) {
  unsigned char row[FACTORS];
  size_t rows = 0;
  struct cover *cover = cover_new(values, FACTORS, 1, false, accepts_all, NULL);
  while (cover_next(cover, row))
    rows++;
  cr_expect_leq(rows, 30, "%zu rows", rows);
  cover_free(cover);
}

Test(cover, another_array_covers_the_same_pairs) {
  unsigned char row[FACTORS];
  struct cover *cover = cover_new(values, FACTORS, 7, true, accepts, NULL);
  while (cover_next(cover, row))
    continue;
  const size_t covered = cover_counted(cover).covered;
  cover_again(cover);
  cr_expect_eq(cover_counted(cover).covered, 0);
  while (cover_next(cover, row))
    continue;
  cr_expect_eq(cover_counted(cover).covered, covered);
  cover_free(cover);
}
