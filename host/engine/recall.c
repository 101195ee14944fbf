#include "recall.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "list.h"

/* Numbers that are kept at most: 16 MiB. */
enum { MOST = 1 << 21 };

struct entry {
  const struct cs_layout *layout;
  size_t at; /* of its packed numbers, before the derived ones */
};

struct cs_recall {
  pthread_mutex_t lock; /* protects all of it */
  struct entry *entry;
  size_t entries;
  double *number;
  size_t numbers;
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

static uint64_t hash_of(const struct cs_layout *layout, const double *packed, size_t count) {
  return cs_index_hash(cs_index_hash(CS_INDEX_SEED, &layout, sizeof(void *)), packed, count * sizeof *packed);
}

/* NULL: none. With the lock. */
static const double *find(const struct cs_recall *r, const struct cs_layout *layout, const double *packed,
                          size_t count) {
  const uint64_t hash = hash_of(layout, packed, count);
  for (size_t probe = 0, i; (i = cs_index_next(&r->index, hash, &probe)) != CS_INDEX_NONE;) {
    const double *number = r->number + r->entry[i].at;
    if (r->entry[i].layout == layout && memcmp(number, packed, count * sizeof *packed) == 0) return number + count;
  }
  return NULL;
}

bool cs_recall_find(struct cs_recall *r, const struct cs_layout *layout, const double *packed, size_t count,
                    double *derived, size_t items) {
  pthread_mutex_lock(&r->lock);
  const double *found = find(r, layout, packed, count);
  if (found != NULL) memcpy(derived, found, items * sizeof *derived);
  pthread_mutex_unlock(&r->lock);
  return found != NULL;
}

/* With the lock. */
static bool add(struct cs_recall *r, const struct cs_layout *layout, const double *packed, size_t count,
                const double *derived, size_t items) {
  const size_t at = r->numbers;
  if (r->number == NULL && !cs_list_reserve(&r->number, MOST, sizeof *r->number)) return false;
  if (!cs_list_grow(&r->entry, r->entries, sizeof *r->entry)) return false;
  if (!cs_index_add(&r->index, hash_of(layout, packed, count), r->entries)) return false;
  memcpy(r->number + at, packed, count * sizeof *packed);
  memcpy(r->number + at + count, derived, items * sizeof *derived);
  r->entry[r->entries++] = (struct entry){layout, at};
  r->numbers += count + items;
  return true;
}

int cs_recall_keep(struct cs_recall *r, const struct cs_layout *layout, const double *packed, size_t count,
                   const double *derived, size_t items, struct cs_error *error) {
  bool good = true;
  pthread_mutex_lock(&r->lock);
  if (r->numbers + count + items > MOST) {
    r->numbers = r->entries = 0;
    cs_index_clear(&r->index);
  }
  if (count + items <= MOST) good = add(r, layout, packed, count, derived, items);
  pthread_mutex_unlock(&r->lock);
  return good ? CS_OK : cs_error_memory(error);
}
