/* Items of arrays that stay where they are, and come block by block when they are asked for; of all blocks of a table
 * some are kept. */
#ifndef COSWEEP_LAZY_H
#define COSWEEP_LAZY_H

#include <stddef.h>

#include "error.h"

enum { CS_LAZY_BLOCKS = 96, CS_LAZY_BYTES = 1 << 20 }; /* blocks that are kept; of a block, at most */

/* Where items come from. */
struct cs_lazy_source {
  /* Block number `block` of array number `array`: `bytes` at `items`. */
  int (*load)(void *context, size_t array, size_t block, void *items, size_t bytes, struct cs_error *error);
  void (*close)(void *context);
  void *context;
};

struct cs_lazy;

/* Takes ownership of the source, also on failure; NULL if memory is short. */
struct cs_lazy *cs_lazy_new(const struct cs_lazy_source *source);
void cs_lazy_free(struct cs_lazy *lazy);
/* CS_OK unless a block could not be had: the first failure is kept, and its items, as all later ones, are zeros. */
int cs_lazy_check(const struct cs_lazy *lazy, struct cs_error *error);

/* An array: lines of `line` items each, which are cut into blocks of `block` items, the last one the rest. */
struct cs_lazy_array {
  struct cs_lazy *of; /* borrowed */
  size_t number, size, line, block, count;
  const unsigned char *here; /* the block used last: items from `first` on, `held` of them */
  size_t first, held;
};

/* Not for item numbers within the block used last. */
const void *cs_lazy_fetch(struct cs_lazy_array *array, size_t item);

/* Valid until another item of any array of the table is asked for. */
static inline const void *cs_lazy_item(struct cs_lazy_array *array, size_t item) {
  return item - array->first < array->held ? array->here + (item - array->first) * array->size
                                           : cs_lazy_fetch(array, item);
}

#endif
