#include "lazy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A block that is kept. */
struct block {
  struct cs_lazy_array *array; /* NULL: none yet */
  size_t number;
  uint64_t used; /* when: the least one makes room */
  unsigned char *items;
};

struct cs_lazy {
  struct cs_lazy_source source;
  struct block block[CS_LAZY_BLOCKS];
  uint64_t clock;
  struct cs_error error;
  int code;
};

struct cs_lazy *cs_lazy_new(const struct cs_lazy_source *source) {
  struct cs_lazy *lazy = calloc(1, sizeof *lazy);
  if (lazy != NULL)
    lazy->source = *source;
  else
    source->close(source->context);
  return lazy;
}

void cs_lazy_free(struct cs_lazy *lazy) {
  if (lazy == NULL) return;
  for (size_t i = 0; i < CS_LAZY_BLOCKS; i++)
    free(lazy->block[i].items);
  lazy->source.close(lazy->source.context);
  free(lazy);
}

int cs_lazy_check(const struct cs_lazy *lazy, struct cs_error *error) {
  if (lazy == NULL || lazy->code == CS_OK) return CS_OK;
  return cs_error_set(error, lazy->code, "%s", lazy->error.message);
}

/* The block if it is kept, or else the one that makes room for it. */
static struct block *find(struct cs_lazy *lazy, const struct cs_lazy_array *array, size_t number) {
  struct block *oldest = &lazy->block[0];
  for (size_t i = 0; i < CS_LAZY_BLOCKS; i++) {
    struct block *b = &lazy->block[i];
    if (b->array == array && b->number == number) return b;
    if (b->used < oldest->used) oldest = b;
  }
  return oldest;
}

/* Fills a block with zeros if there is no getting at it. */
static void load(struct cs_lazy *lazy, struct block *b, struct cs_lazy_array *array, size_t number, size_t items) {
  const size_t bytes = items * array->size;
  if (b->array != NULL && b->array->here == b->items) b->array->held = 0;
  b->array = array;
  b->number = number;
  if (lazy->code == CS_OK)
    lazy->code = lazy->source.load(lazy->source.context, array->number, number, b->items, bytes, &lazy->error);
  if (lazy->code != CS_OK) memset(b->items, 0, bytes);
}

const void *cs_lazy_fetch(struct cs_lazy_array *array, size_t item) {
  static const double zero;
  struct cs_lazy *lazy = array->of;
  const size_t parts = (array->line + array->block - 1) / array->block;
  const size_t line = item / array->line, part = item % array->line / array->block;
  const size_t first = part * array->block, left = array->line - first, number = line * parts + part;
  struct block *b = find(lazy, array, number);
  const size_t items = left < array->block ? left : array->block;
  if (b->items == NULL) b->items = malloc(CS_LAZY_BYTES);
  if (b->items == NULL) {
    if (lazy->code == CS_OK) lazy->code = cs_error_memory(&lazy->error);
    return &zero;
  }
  if (b->array != array || b->number != number) load(lazy, b, array, number, items);
  b->used = ++lazy->clock;
  array->here = b->items;
  array->first = line * array->line + first;
  array->held = items;
  return array->here + (item - array->first) * array->size;
}
