#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "chunk.h"

enum { MOST = 40000, CHECKSUM = 4 };

static unsigned char numbers[8 * MOST], shuffled[8 * MOST], back[8 * MOST];

/* `noisy` of eight bytes are noise, the others constant. */
static void fill(size_t count, size_t size, size_t noisy) {
  uint64_t state = count;
  for (size_t i = 0; i < count * size; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    numbers[i] = i % size < noisy ? (unsigned char)(state >> 56) : 7;
  }
}

/* The sums in wide numbers, reduced once: what fletcher32 means. */
static uint32_t sum_of(const unsigned char *byte, size_t count) {
  uint64_t first = 0, second = 0;
  for (size_t i = 0; i < count; i += 2) {
    first += (uint64_t)byte[i] << 8 | (i + 1 < count ? byte[i + 1] : 0);
    second = (second + first) % 65535;
  }
  return (uint32_t)(second << 16 | first % 65535);
}

static uint32_t sum_at(const unsigned char *byte) {
  return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

static void expect_sum(const unsigned char *packed, size_t bytes) {
  const uint32_t sum = sum_at(packed + bytes - CHECKSUM), want = sum_of(packed, bytes - CHECKSUM);
  cr_expect_eq(sum % 65536 % 65535, want % 65536, "%zu bytes: %x, want %x", bytes, sum, want);
  cr_expect_eq((sum >> 16) % 65535, want >> 16, "%zu bytes: %x, want %x", bytes, sum, want);
}

/* Packs numbers and unpacks them with zlib; the bytes that they took. */
static size_t there_and_back(struct cs_chunk *chunk, size_t count, size_t size) {
  const void *packed;
  size_t bytes;
  uLongf length = sizeof back;
  struct cs_error error;
  cr_assert_eq(cs_chunk_pack(chunk, numbers, count, size, true, &packed, &bytes, &error), CS_OK);
  expect_sum(packed, bytes);
  cr_assert_eq(uncompress(back, &length, packed, bytes - CHECKSUM), Z_OK, "%zu of %zu bytes", count, size);
  cr_assert_eq(length, count * size);
  for (size_t i = 0; i < count * size; i++)
    shuffled[i % size * count + i / size] = numbers[i];
  cr_expect_arr_eq(back, shuffled, count * size, "%zu of %zu bytes", count, size);
  return bytes;
}

Test(chunk, any_reader_unpacks_it) {
  struct cs_chunk *chunk = cs_chunk_new();
  static const size_t counts[] = {1, 2, 3, 359, 360, 361, 5000, MOST};
  cr_assert_not_null(chunk);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (size_t noisy = 0; noisy <= 8; noisy++) {
      fill(counts[i], 8, noisy);
      there_and_back(chunk, counts[i], 8);
      fill(counts[i], 1, noisy % 2);
      there_and_back(chunk, counts[i], 1);
    }
  cs_chunk_free(chunk);
}

Test(chunk, noise_is_stored_and_what_repeats_is_not) {
  struct cs_chunk *chunk = cs_chunk_new();
  fill(MOST, 8, 6);
  const size_t bytes = there_and_back(chunk, MOST, 8);
  cr_expect_gt(bytes, 6 * (size_t)MOST);
  cr_expect_lt(bytes, 6 * (size_t)MOST + 6 * (size_t)MOST / 1000 + 1000, "%zu bytes", bytes);
  cs_chunk_free(chunk);
}

Test(chunk, what_is_not_deflated_is_as_it_was) {
  struct cs_chunk *chunk = cs_chunk_new();
  const void *packed;
  size_t bytes;
  struct cs_error error;
  for (size_t count = 1; count < 800; count += 7) {
    fill(count, 1, 1);
    cr_assert_eq(cs_chunk_pack(chunk, numbers, count, 1, false, &packed, &bytes, &error), CS_OK);
    cr_assert_eq(bytes, count + CHECKSUM);
    cr_expect_arr_eq(packed, numbers, count);
    expect_sum(packed, bytes);
  }
  cs_chunk_free(chunk);
}
