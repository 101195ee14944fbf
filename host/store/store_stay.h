/* Numbers that stay in the file, of which blocks are read when they are asked for. */
#ifndef COSWEEP_STORE_STAY_H
#define COSWEEP_STORE_STAY_H

#include "store_dataset.h"
#include "store_private.h"

struct cs_staying {
  size_t least;   /* bytes */
  hid_t *dataset; /* [count], which stay open */
  struct cs_shape *shape;
  size_t count;
};

/* Whether the numbers of a dataset do: of the root, and of a result, as traces are small. */
bool cs_store_stay_may(const struct cs_reader *reader, const char *name, const struct cs_shape *shape);
int cs_store_stay_keep(const struct cs_reader *reader, hid_t dataset, const struct cs_shape *shape);

/* The shape of an array's blocks. */
void cs_store_stay_blocks(const struct cs_table *table, const struct cs_array *array, struct cs_lazy_array *lazy);

/* Answers the requests that come from `answer`, until there are no more. */
void cs_store_stay_answer(const struct cs_reader *reader, int answer);

#endif
