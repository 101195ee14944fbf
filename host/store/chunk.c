#include "chunk.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "list.h"

struct cs_chunk {
  unsigned char *plain, *packed;
  size_t room_plain, room_packed;
};

enum { CHECKSUM = 4, LEVEL = 1 };

/* Bits per byte above which deflating saves less than a sixteenth. */
#define NOISE 7.5

struct cs_chunk *cs_chunk_new(void) {
  return calloc(1, sizeof(struct cs_chunk));
}

void cs_chunk_free(struct cs_chunk *chunk) {
  if (chunk == NULL) return;
  free(chunk->plain);
  free(chunk->packed);
  free(chunk);
}

static bool need(unsigned char **bytes, size_t *room, size_t want) {
  if (*room >= want) return true;
  if (!cs_list_reserve(bytes, want, 1)) return false;
  *room = want;
  return true;
}

/* ---- fletcher32 -------------------------------------------------------------------------------------------------- */

/* Sums modulo 65535 of words of two bytes, the first one the higher, and of these sums; carries are added now and then,
 * before they can be lost. A remainder of 0 may be 65535, as in HDF5. */
static uint32_t fletcher32(const unsigned char *byte, size_t count) {
  enum { WORDS = 360 }; /* whose sums have 32 bits */
  uint32_t first = 0, second = 0;
  for (size_t left = count / 2; left > 0;) {
    const size_t words = left < WORDS ? left : WORDS;
    for (size_t i = 0; i < words; i++, byte += 2) {
      first += (uint32_t)byte[0] << 8 | byte[1];
      second += first;
    }
    first = (first & 0xffff) + (first >> 16);
    second = (second & 0xffff) + (second >> 16);
    left -= words;
  }
  if (count % 2 == 1) {
    first += (uint32_t)byte[0] << 8;
    second += first;
    first = (first & 0xffff) + (first >> 16);
    second = (second & 0xffff) + (second >> 16);
  }
  first = (first & 0xffff) + (first >> 16);
  second = (second & 0xffff) + (second >> 16);
  return second << 16 | first;
}

static void put_checksum(unsigned char *bytes, size_t count) {
  const uint32_t sum = fletcher32(bytes, count);
  for (int i = 0; i < CHECKSUM; i++)
    bytes[count + (size_t)i] = (unsigned char)(sum >> 8 * i);
}

/* ---- shuffle and deflate ----------------------------------------------------------------------------------------- */

/* First all first bytes, then all second ones, ... */
static void shuffle(const unsigned char *from, size_t count, size_t size, unsigned char *to) {
  for (size_t k = 0; k < size; k++)
    for (size_t i = 0; i < count; i++)
      to[k * count + i] = from[i * size + k];
}

/* Of single bytes, in bits. */
static double entropy(const unsigned char *byte, size_t count) {
  uint32_t number[4][256] = {{0}}; /* of each value, of every fourth byte: one counter would wait for itself */
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    number[i % 4][byte[i]]++;
  for (size_t v = 0; v < 256; v++) {
    const double here = (double)number[0][v] + number[1][v] + number[2][v] + number[3][v];
    if (here > 0.0) sum -= here / (double)count * log2(here / (double)count);
  }
  return sum;
}

/* One stream, whose level changes between the planes. */
static bool deflate_planes(z_stream *z, unsigned char *plane, size_t count, size_t planes) {
  bool good = true;
  int before = LEVEL;
  for (size_t k = 0; k < planes && good; k++, plane += count) {
    const int level = entropy(plane, count) > NOISE ? 0 : LEVEL;
    if (level != before) good = deflateParams(z, level, Z_DEFAULT_STRATEGY) == Z_OK;
    before = level;
    z->next_in = plane;
    z->avail_in = (uInt)count;
    const int want = k + 1 == planes ? Z_STREAM_END : Z_OK;
    good = good && deflate(z, want == Z_OK ? Z_NO_FLUSH : Z_FINISH) == want;
  }
  return good;
}

/* The stream of the plain bytes, into `packed`; *bytes: 0 if memory is short. */
static void deflate_plain(struct cs_chunk *chunk, size_t count, size_t size, size_t *bytes) {
  z_stream z = {0};
  *bytes = 0;
  if (deflateInit(&z, LEVEL) != Z_OK) return;
  z.next_out = chunk->packed;
  z.avail_out = (uInt)(chunk->room_packed - CHECKSUM);
  if (deflate_planes(&z, chunk->plain, count, size)) *bytes = (size_t)z.total_out;
  deflateEnd(&z);
}

int cs_chunk_pack(struct cs_chunk *chunk, const void *numbers, size_t count, size_t size, bool deflates,
                  const void **packed, size_t *bytes, struct cs_error *error) {
  const size_t plain = count * size, most = plain + plain / 8 + 1024; /* stored blocks, of a plane each, add little */
  *bytes = plain;
  if (!need(&chunk->packed, &chunk->room_packed, most + CHECKSUM)) return cs_error_memory(error);
  if (deflates) {
    if (!need(&chunk->plain, &chunk->room_plain, plain)) return cs_error_memory(error);
    shuffle(numbers, count, size, chunk->plain);
    deflate_plain(chunk, count, size, bytes);
    if (*bytes == 0) return cs_error_memory(error);
  } else {
    memcpy(chunk->packed, numbers, plain);
  }
  put_checksum(chunk->packed, *bytes);
  *packed = chunk->packed;
  *bytes += CHECKSUM;
  return CS_OK;
}
