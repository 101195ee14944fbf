#include "checksum.h"

/* Each lookup waits for the one before it: long input is cut into lanes, whose remainders are computed side by side. */
enum { LANES = 4, LANE = 1 << 13 };

static const uint64_t polynomial = UINT64_C(0xC96C5795D7870F42);
static const uint64_t one = UINT64_C(1) << 63; /* x^0: the lowest power is the highest bit */

/* a b modulo the polynomial. */
static uint64_t multiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  for (; b != 0; b <<= 1) {
    product ^= b >> 63 ? a : 0;
    a = a >> 1 ^ (a & 1 ? polynomial : 0);
  }
  return product;
}

static uint64_t power_of_x(unsigned power) {
  uint64_t result = one;
  for (uint64_t square = one >> 1; power > 0; power /= 2, square = multiply(square, square))
    if (power % 2) result = multiply(result, square);
  return result;
}

void cs_checksum_begin(struct cs_checksum *sum) {
  for (unsigned i = 0; i < 256; i++) {
    uint64_t rest = i;
    for (int bit = 0; bit < 8; bit++)
      rest = rest >> 1 ^ (rest & 1 ? polynomial : 0);
    sum->table[0][i] = rest;
  }
  for (unsigned i = 0; i < 256; i++)
    for (int k = 1; k < 8; k++)
      sum->table[k][i] = sum->table[k - 1][i] >> 8 ^ sum->table[0][sum->table[k - 1][i] & 0xff];
  sum->shift = power_of_x(8 * LANE);
  sum->value = 0;
}

/* The remainder with eight more bytes. */
static inline uint64_t add_eight(const struct cs_checksum *sum, uint64_t rest, const unsigned char *b) {
  uint64_t next = 0;
  for (int k = 0; k < 8; k++)
    next |= (uint64_t)b[k] << 8 * k;
  next ^= rest;
  rest = 0;
  for (int k = 0; k < 8; k++)
    rest ^= sum->table[7 - k][next >> 8 * k & 0xff];
  return rest;
}

static uint64_t add_lanes(const struct cs_checksum *sum, uint64_t rest, const unsigned char *b) {
  uint64_t lane[LANES] = {rest};
  for (size_t i = 0; i < LANE; i += 8)
    for (size_t k = 0; k < LANES; k++)
      lane[k] = add_eight(sum, lane[k], b + k * LANE + i);
  for (size_t k = 1; k < LANES; k++)
    lane[k] ^= multiply(lane[k - 1], sum->shift);
  return lane[LANES - 1];
}

void cs_checksum_add(struct cs_checksum *sum, const void *bytes, size_t count) {
  const unsigned char *b = bytes;
  uint64_t rest = ~sum->value;
  for (; count >= LANES * LANE; count -= LANES * LANE, b += LANES * LANE)
    rest = add_lanes(sum, rest, b);
  for (; count >= 8; count -= 8, b += 8)
    rest = add_eight(sum, rest, b);
  for (; count > 0; count--, b++)
    rest = rest >> 8 ^ sum->table[0][(rest ^ *b) & 0xff];
  sum->value = ~rest;
}
