/* Parts of a sweep that are computed apart: which runs belong to which, so that all take about as long
 * (docs/formats.md section 7). */
#ifndef COSWEEP_SHARD_H
#define COSWEEP_SHARD_H

#include <stdint.h>

#include "plan.h"

enum { CS_SHARDS = 65535 };

/* Runs are dealt in blocks of so many consecutive ones, a power of two up to CS_SHARD_BLOCK. */
enum { CS_SHARD_BLOCK = 4096 };
size_t cs_shard_block(size_t runs, size_t shards);
/* What a block of runs is taken to cost: class [] of the blocks of a plan of a sweep's runs from the first of a block
 * on, whole blocks but the sweep's last. */
void cs_shard_classes(const struct cs_plan *plan, size_t block, int *class);
/* The shard, from 1 to `shards`, of each block: free() it. */
int cs_shard_deal(const int *class, size_t blocks, size_t shards, uint32_t **shard, struct cs_error *error);

#endif
