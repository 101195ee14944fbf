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

/* What a thread is deriving, on its stack. */
struct making {
  uint64_t hash;
  struct making *next;
};

struct cs_recall {
  pthread_mutex_t lock; /* protects all of it */
  pthread_cond_t made;
  struct making *making;
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
  pthread_cond_init(&(*recall)->made, NULL);
  return CS_OK;
}

void cs_recall_free(struct cs_recall *r) {
  if (r == NULL) return;
  pthread_mutex_destroy(&r->lock);
  pthread_cond_destroy(&r->made);
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

/* With the lock, as all that follows but cs_recall_get. */
static bool find(struct cs_recall *r, struct cs_recall_key key, uint64_t hash, double *derived, size_t items) {
  bool found = false;
  for (size_t probe = 0, i; !found && (i = cs_index_next(&r->index, hash, &probe)) != CS_INDEX_NONE;) {
    const struct entry *entry = &r->entry[i];
    const double *number = r->number + entry->at;
    found = entry->way == key.way && entry->count == key.count &&
            memcmp(number, key.number, key.count * sizeof *number) == 0;
    if (found) memcpy(derived, number + key.count, items * sizeof *derived);
  }
  return found;
}

static bool add(struct cs_recall *r, struct cs_recall_key key, uint64_t hash, const double *derived, size_t items) {
  const size_t needed = r->numbers + key.count + items, room = needed > MOST ? needed : MOST;
  if (room > r->room && !cs_list_reserve(&r->number, room, sizeof *r->number)) return false;
  if (room > r->room) r->room = room;
  if (!cs_list_grow(&r->entry, r->entries, sizeof *r->entry)) return false;
  if (!cs_index_add(&r->index, hash, r->entries)) return false;
  double *to = r->number + r->numbers;
  memcpy(to, key.number, key.count * sizeof *to);
  memcpy(to + key.count, derived, items * sizeof *to);
  r->entry[r->entries++] = (struct entry){key.way, r->numbers, key.count};
  r->numbers += key.count + items;
  return true;
}

static bool keep(struct cs_recall *r, struct cs_recall_key key, uint64_t hash, const double *derived, size_t items) {
  if (r->numbers + key.count + items > MOST) {
    r->numbers = r->entries = 0;
    cs_index_clear(&r->index);
  }
  return add(r, key, hash, derived, items);
}

static bool is_making(const struct cs_recall *r, uint64_t hash) {
  const struct making *m = r->making;
  while (m != NULL && m->hash != hash)
    m = m->next;
  return m != NULL;
}

static void end_making(struct cs_recall *r, const struct making *own) {
  struct making **at = &r->making;
  while (*at != own)
    at = &(*at)->next;
  *at = own->next;
  pthread_cond_broadcast(&r->made);
}

int cs_recall_get(struct cs_recall *r, struct cs_recall_key key, double *derived, size_t items,
                  cs_recall_derive *derive, void *context, struct cs_error *error) {
  struct making own = {.hash = hash_of(key)};
  int code = CS_OK;
  pthread_mutex_lock(&r->lock);
  bool found = find(r, key, own.hash, derived, items);
  while (!found && is_making(r, own.hash)) {
    pthread_cond_wait(&r->made, &r->lock);
    found = find(r, key, own.hash, derived, items);
  }
  if (!found) {
    own.next = r->making;
    r->making = &own;
    pthread_mutex_unlock(&r->lock);
    code = derive(context, derived, error);
    pthread_mutex_lock(&r->lock);
    if (code == CS_OK && !keep(r, key, own.hash, derived, items)) code = cs_error_memory(error);
    end_making(r, &own);
  }
  pthread_mutex_unlock(&r->lock);
  return code;
}
