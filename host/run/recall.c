#include "recall.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "list.h"

/* Numbers that are kept at most, 16 MiB, unless one entry has more. */
enum { MOST = 1 << 21 };

struct entry {
  uint64_t way;
  size_t at, count; /* of what it follows from, before what is derived */
};

struct cs_recall {
  pthread_mutex_t lock; /* protects all of it */
  struct entry *entry;
  size_t entries;
  double *number; /* [room] */
  size_t numbers, room;
  struct cs_index index;
};

int cs_recall_new(struct cs_recall **recall, struct cs_error *error) {
  *recall = calloc(1, sizeof **recall);
  if (*recall == NULL) return cs_error_memory(error);
  pthread_mutex_init(&(*recall)->lock, NULL);
  return CS_OK;
}

void cs_recall_free(struct cs_recall *r) {
  if (r == NULL) return;
  pthread_mutex_destroy(&r->lock);
  cs_index_clear(&r->index);
  free(r->entry);
  free(r->number);
  free(r);
}

double cs_recall_bytes(size_t entries, size_t numbers) {
  const double all = (double)entries * (double)numbers, most = numbers > MOST ? (double)numbers : MOST;
  return sizeof(double) * (all < most ? all : most);
}

static uint64_t hash_of(struct cs_recall_key key) {
  return cs_index_hash(cs_index_hash(CS_INDEX_SEED, &key.way, sizeof key.way), key.number,
                       key.count * sizeof *key.number);
}

bool cs_recall_find(struct cs_recall *r, struct cs_recall_key key, double *derived, size_t items) {
  const uint64_t hash = hash_of(key);
  bool found = false;
  pthread_mutex_lock(&r->lock);
  for (size_t probe = 0, i; !found && (i = cs_index_next(&r->index, hash, &probe)) != CS_INDEX_NONE;) {
    const struct entry *entry = &r->entry[i];
    const double *number = r->number + entry->at;
    found = entry->way == key.way && entry->count == key.count &&
            memcmp(number, key.number, key.count * sizeof *number) == 0;
    if (found) memcpy(derived, number + key.count, items * sizeof *derived);
  }
  pthread_mutex_unlock(&r->lock);
  return found;
}

/* With the lock. */
static bool add(struct cs_recall *r, struct cs_recall_key key, const double *derived, size_t items) {
  const size_t needed = r->numbers + key.count + items, room = needed > MOST ? needed : MOST;
  if (room > r->room && !cs_list_reserve(&r->number, room, sizeof *r->number)) return false;
  if (room > r->room) r->room = room;
  if (!cs_list_grow(&r->entry, r->entries, sizeof *r->entry)) return false;
  if (!cs_index_add(&r->index, hash_of(key), r->entries)) return false;
  double *to = r->number + r->numbers;
  memcpy(to, key.number, key.count * sizeof *to);
  memcpy(to + key.count, derived, items * sizeof *to);
  r->entry[r->entries++] = (struct entry){key.way, r->numbers, key.count};
  r->numbers += key.count + items;
  return true;
}

int cs_recall_keep(struct cs_recall *r, struct cs_recall_key key, const double *derived, size_t items,
                   struct cs_error *error) {
  pthread_mutex_lock(&r->lock);
  if (r->numbers + key.count + items > MOST) {
    r->numbers = r->entries = 0;
    cs_index_clear(&r->index);
  }
  const bool good = add(r, key, derived, items);
  pthread_mutex_unlock(&r->lock);
  return good ? CS_OK : cs_error_memory(error);
}
