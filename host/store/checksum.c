#include "checksum.h"

void cs_checksum_begin(struct cs_checksum *sum) {
  const uint64_t polynomial = UINT64_C(0xC96C5795D7870F42);
  for (unsigned i = 0; i < 256; i++) {
    uint64_t rest = i;
    for (int bit = 0; bit < 8; bit++)
      rest = rest >> 1 ^ (rest & 1 ? polynomial : 0);
    sum->table[0][i] = rest;
  }
  for (unsigned i = 0; i < 256; i++)
    for (int k = 1; k < 8; k++)
      sum->table[k][i] = sum->table[k - 1][i] >> 8 ^ sum->table[0][sum->table[k - 1][i] & 0xff];
  sum->value = 0;
}

void cs_checksum_add(struct cs_checksum *sum, const void *bytes, size_t count) {
  const unsigned char *b = bytes;
  uint64_t rest = ~sum->value;
  for (; count >= 8; count -= 8, b += 8) {
    uint64_t next = 0;
    for (int k = 0; k < 8; k++)
      next |= (uint64_t)b[k] << 8 * k;
    next ^= rest;
    rest = 0;
    for (int k = 0; k < 8; k++)
      rest ^= sum->table[7 - k][next >> 8 * k & 0xff];
  }
  for (; count > 0; count--, b++)
    rest = rest >> 8 ^ sum->table[0][(rest ^ *b) & 0xff];
  sum->value = ~rest;
}
