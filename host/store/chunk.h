/* Chunks of numbers as HDF5's filters shuffle, deflate (or not) and fletcher32 would make them one after the other, at
 * a tenth of the time: byte planes that are noise are stored instead of searched for repetitions. Any reader of HDF5
 * unpacks them. */
#ifndef COSWEEP_CHUNK_H
#define COSWEEP_CHUNK_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* Room that chunks of one file share. */
struct cs_chunk;

struct cs_chunk *cs_chunk_new(void); /* NULL if memory is short */
void cs_chunk_free(struct cs_chunk *chunk);

/* Packs `count` numbers of `size` bytes. *packed is valid until the next call. `deflates`: shuffled and deflated before
 * the checksum is appended. CS_DEVICE if memory is short. */
int cs_chunk_pack(struct cs_chunk *chunk, const void *numbers, size_t count, size_t size, bool deflates,
                  const void **packed, size_t *bytes, struct cs_error *error);

#endif
