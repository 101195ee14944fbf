#define _XOPEN_SOURCE 700
/* The checksum of a file, and the line in which it ends. */
#include "seal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checksum.h"

static uint64_t sum_of(const void *bytes, size_t count, size_t first) {
  struct cs_checksum sum;
  cs_checksum_begin(&sum);
  cs_checksum_add(&sum, bytes, first);
  cs_checksum_add(&sum, (const char *)bytes + first, count - first);
  return sum.value;
}

/* The check value of CRC-64/XZ in the catalogue of CRC algorithms (reveng.sourceforge.io); parts in any lengths. */
Test(seal, the_checksum_is_that_of_xz) {
  for (size_t first = 0; first <= 9; first++)
    cr_expect_eq(sum_of("123456789", 9, first), UINT64_C(0x995DC9BBDF1939FA), "%zu bytes first", first);
  cr_expect_eq(sum_of("", 0, 0), 0);
}

/* Whatever is computed side by side: pieces that are too short for that give the same. */
Test(seal, long_input_has_the_checksum_of_its_pieces) {
  enum { COUNT = 200001, PIECE = 1001 };
  static unsigned char bytes[COUNT];
  struct cs_checksum sum;
  for (size_t i = 0; i < COUNT; i++)
    bytes[i] = (unsigned char)(i * i >> 5);
  cs_checksum_begin(&sum);
  for (size_t i = 0; i < COUNT; i += PIECE)
    cs_checksum_add(&sum, bytes + i, COUNT - i < PIECE ? COUNT - i : PIECE);
  for (size_t first = 0; first < COUNT; first += 33333)
    cr_expect_eq(sum_of(bytes, COUNT, first), sum.value, "%zu bytes first", first);
}

static char path[] = "/tmp/cosweep-seal-XXXXXX";

static void write_bytes(const char *bytes, size_t count) {
  FILE *file = fopen(path, "wb");
  cr_assert(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

static enum cs_seal check(size_t count) {
  enum cs_seal seal = CS_SEAL_NONE;
  struct cs_error error = {0};
  size_t size = 0;
  cr_expect_eq(cs_seal_check(path, &seal, &size, &error), CS_OK, "%s", error.message);
  cr_expect_eq(size, count);
  return seal;
}

Test(seal, no_bit_can_be_flipped) {
  enum { COUNT = 60 };
  char bytes[COUNT + CS_SEAL_BYTES + 1];
  for (size_t i = 0; i < COUNT; i++)
    bytes[i] = (char)(7 * i * i);
  struct cs_checksum sum;
  cs_checksum_begin(&sum);
  cs_checksum_add(&sum, bytes, COUNT);
  cs_seal_print(&sum, bytes + COUNT);
  cr_assert(close(mkstemp(path)) == 0);
  write_bytes(bytes, COUNT + CS_SEAL_BYTES);
  cr_expect_eq(check(COUNT + CS_SEAL_BYTES), CS_SEAL_RIGHT);
  for (size_t bit = 0; bit < 8 * (COUNT + CS_SEAL_BYTES); bit++) {
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    write_bytes(bytes, COUNT + CS_SEAL_BYTES);
    cr_expect_neq(check(COUNT + CS_SEAL_BYTES), CS_SEAL_RIGHT, "bit %zu", bit);
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
  }
  for (size_t count = 0; count < COUNT + CS_SEAL_BYTES; count++) {
    write_bytes(bytes, count);
    cr_expect_eq(check(count), CS_SEAL_NONE, "%zu bytes", count);
  }
  unlink(path);
}

Test(seal, what_is_no_file_is_refused) {
  static const struct {
    const char *path, *message;
  } row[] = {{"/tmp", "/tmp: is not a regular file"},
             {"/dev/zero", "/dev/zero: is not a regular file"},
             {"/no/such", "/no/such: cannot open: No such file"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    enum cs_seal seal;
    struct cs_error error = {0};
    size_t size;
    cr_expect_eq(cs_seal_check(row[i].path, &seal, &size, &error), CS_IO);
    cr_expect(strstr(error.message, row[i].message), "%s", error.message);
  }
}
