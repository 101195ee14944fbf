#include "index.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

/* 8 bytes, because looking up one of millions costs the time of a cache line. */
struct cs_index_slot {
  uint32_t hash, number; /* number of the item, + 1; 0: free */
};

static uint32_t folded(uint64_t hash) {
  return (uint32_t)(hash ^ hash >> 32);
}

/* Slots are chosen by the low bits, while numbers differ in the high ones: those are folded down before and after. */
static uint64_t mix(uint64_t hash, uint64_t word) {
  hash ^= word;
  hash = (hash ^ (hash >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ (hash >> 29);
}

uint64_t cs_index_hash(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *from = bytes;
  uint64_t word;
  for (; size >= sizeof word; size -= sizeof word, from += sizeof word) {
    memcpy(&word, from, sizeof word);
    hash = mix(hash, word);
  }
  if (size == 0) return hash;
  word = 0;
  memcpy(&word, from, size);
  return mix(hash, word);
}

size_t cs_index_next(const struct cs_index *index, uint64_t hash, size_t *probe) {
  const uint32_t wanted = folded(hash);
  while (index->slots > 0) {
    const struct cs_index_slot *slot = &index->slot[(wanted + *probe) & (index->slots - 1)];
    if (slot->number == 0) break;
    ++*probe;
    if (slot->hash == wanted) return slot->number - 1;
  }
  return CS_INDEX_NONE;
}

static void put(struct cs_index *index, struct cs_index_slot entry) {
  size_t at = entry.hash & (index->slots - 1);
  while (index->slot[at].number != 0)
    at = (at + 1) & (index->slots - 1);
  index->slot[at] = entry;
}

/* Keeps at least a third of the slots free. Twice as many take over the old ones in two streams. */
bool cs_index_reserve(struct cs_index *index, size_t items) {
  struct cs_index larger = {.slots = index->slots, .count = index->count};
  while (3 * items > 2 * larger.slots)
    larger.slots = larger.slots == 0 ? FIRST_SLOTS : 2 * larger.slots;
  if (larger.slots == index->slots) return true;
  larger.slot = calloc(larger.slots, sizeof *larger.slot);
  if (larger.slot == NULL) return false;
  for (size_t i = 0; i < index->slots; i++)
    if (index->slot[i].number != 0) put(&larger, index->slot[i]);
  free(index->slot);
  *index = larger;
  return true;
}

bool cs_index_add(struct cs_index *index, uint64_t hash, size_t item) {
  if (item >= UINT32_MAX || !cs_index_reserve(index, index->count + 1)) return false;
  put(index, (struct cs_index_slot){.hash = folded(hash), .number = (uint32_t)item + 1});
  index->count++;
  return true;
}

void cs_index_clear(struct cs_index *index) {
  free(index->slot);
  *index = (struct cs_index){0};
}
