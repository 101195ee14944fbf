/* A hash index: finds items of a list by what they hold. The owner keeps the items and compares them; the index knows
 * their numbers and hashes. An index of zeros is empty. */
#ifndef COSWEEP_INDEX_H
#define COSWEEP_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cs_index_slot;

struct cs_index {
  struct cs_index_slot *slot; /* [slots] */
  size_t slots, count;        /* slots: 0 or a power of two; count: items */
};

/* The hash of nothing, and no item. */
#define CS_INDEX_SEED UINT64_C(1469598103934665603)
#define CS_INDEX_NONE SIZE_MAX

/* The hash that goes on from `hash` with further bytes. */
uint64_t cs_index_hash(uint64_t hash, const void *bytes, size_t size);

/* The next item of that hash, CS_INDEX_NONE after the last. *probe is 0 at first, and kept between calls:
 *
 *   for (size_t probe = 0, item; (item = cs_index_next(index, hash, &probe)) != CS_INDEX_NONE;)
 *     if (...item is the one...) return item; */
size_t cs_index_next(const struct cs_index *index, uint64_t hash, size_t *probe);

/* Adds an item; false when memory is short, and the index stays as it is. */
bool cs_index_add(struct cs_index *index, uint64_t hash, size_t item);

/* Frees what the index holds, and makes it empty. */
void cs_index_clear(struct cs_index *index);

#endif
