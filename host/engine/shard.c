#include "shard.h"

#include <math.h>
#include <stdlib.h>

struct block {
  int class;
  size_t number;
};

size_t cs_shard_block(size_t runs, size_t shards) {
  enum { LEAST_BLOCKS = 1024 };
  size_t block = 1;
  while (block < CS_SHARD_BLOCK && runs / (2 * block) >= LEAST_BLOCKS * shards)
    block *= 2;
  return block;
}

/* floor(4 log2 w) of the steps of a block's first, middle and last run, by comparisons alone, which are the same on all
 * machines; 0 where nothing is predicted. */
static int class_of(const struct cs_plan *plan, size_t first, size_t last) {
  static const double quarter[] = {0.5, 0.59460355750136051, 0.70710678118654757, 0.84089641525371450};
  const size_t run[] = {first, first + (last - first) / 2, last};
  double work = 0.0;
  for (size_t i = 0; i < sizeof run / sizeof *run; i++)
    if (plan->run[run[i]].status == CS_STATUS_OK && isfinite(plan->run[run[i]].steps)) work += plan->run[run[i]].steps;
  if (!(work > 0.0)) return 0;
  int exponent, part = 3;
  const double mantissa = frexp(work, &exponent);
  while (part > 0 && mantissa < quarter[part])
    part--;
  return 4 * exponent + part;
}

static int compare(const void *a, const void *b) {
  const struct block *x = a, *y = b;
  if (x->class != y->class) return x->class > y->class ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

void cs_shard_classes(const struct cs_plan *plan, size_t size, int *class) {
  for (size_t first = 0; first < plan->runs; first += size)
    class[first / size] = class_of(plan, first, first + size <= plan->runs ? first + size - 1 : plan->runs - 1);
}

int cs_shard_deal(const int *class, size_t blocks, size_t shards, uint32_t **shard, struct cs_error *error) {
  struct block *block = malloc((blocks + 1) * sizeof *block);
  *shard = malloc((blocks + 1) * sizeof **shard);
  if (block == NULL || *shard == NULL) {
    free(block);
    free(*shard);
    *shard = NULL;
    return cs_error_memory(error);
  }
  for (size_t i = 0; i < blocks; i++)
    block[i] = (struct block){class[i], i};
  qsort(block, blocks, sizeof *block, compare);
  /* Rounds that begin with another shard each time, by multiples of the golden ratio: nothing that repeats along the
   * axes falls to the same one. */
  for (size_t k = 0; k < blocks; k++) {
    const uint32_t turn = (uint32_t)((uint64_t)(k / shards) * UINT64_C(0x9E3779B9));
    (*shard)[block[k].number] = (uint32_t)(1 + (k % shards + ((uint64_t)turn * shards >> 32)) % shards);
  }
  free(block);
  return CS_OK;
}
