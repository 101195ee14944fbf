/* A hash index over the items of a list. The owner stores and compares the items; the index stores their numbers and
 * hashes. A zero-initialised index is empty. */
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

/* The hash of no bytes, and the number of no item. */
#define CS_INDEX_SEED UINT64_C(1469598103934665603)
#define CS_INDEX_NONE SIZE_MAX

/* Extends `hash` by further bytes. */
uint64_t cs_index_hash(uint64_t hash, const void *bytes, size_t size);

/* The next item with that hash, CS_INDEX_NONE after the last. *probe starts at 0 and is kept between calls:
 *
 *   for (size_t probe = 0, item; (item = cs_index_next(index, hash, &probe)) != CS_INDEX_NONE;)
 *     if (...item matches...) return item; */
size_t cs_index_next(const struct cs_index *index, uint64_t hash, size_t *probe);

/* Adds an item below 2^32 - 1; false when out of memory, or of numbers, with the index unchanged. */
bool cs_index_add(struct cs_index *index, uint64_t hash, size_t item);

/* Makes room for so many items, beyond which the index grows; false when out of memory. */
bool cs_index_reserve(struct cs_index *index, size_t items);

/* Frees the index and leaves it empty. */
void cs_index_clear(struct cs_index *index);

#endif
