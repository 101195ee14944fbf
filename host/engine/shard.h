/* Parts of a sweep that are computed apart: which runs belong to which, so that all take about as long
 * (docs/formats.md section 7). */
#ifndef COSWEEP_SHARD_H
#define COSWEEP_SHARD_H

#include <stdint.h>

#include "plan.h"

enum { CS_SHARDS = 65535 };

/* The shard, from 1 to `shards`, of blocks of runs, [cs_shard_blocks]; a function of the sweep alone. `plan`: of all
 * runs. */
size_t cs_shard_block(size_t runs, size_t shards);
int cs_shard_deal(const struct cs_plan *plan, size_t shards, uint32_t **shard, struct cs_error *error);

#endif
