/* CRC-64 as in xz (polynomial 0x42F0E1EBA9EA3693, reflected). */
#ifndef COSWEEP_CHECKSUM_H
#define COSWEEP_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

struct cs_checksum {
  uint64_t table[8][256]; /* of eight bytes at once */
  uint64_t shift;         /* what as many zeros as a lane has bytes multiply a remainder by */
  uint64_t value;         /* of the bytes added so far; 0 of none */
};

void cs_checksum_begin(struct cs_checksum *sum);
void cs_checksum_add(struct cs_checksum *sum, const void *bytes, size_t count);

#endif
