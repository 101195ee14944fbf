/* Numbers that were derived from others at some cost, found again by what they follow from: plans of points number
 * their networks anew, and most of them have those of the plan before, as have variants among each other. From any
 * thread. */
#ifndef COSWEEP_RECALL_H
#define COSWEEP_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct cs_recall;

/* What is derived from numbers [count], in one of several ways. */
struct cs_recall_key {
  uint64_t way;
  const double *number;
  size_t count;
};

int cs_recall_new(struct cs_recall **recall, struct cs_error *error);
/* NULL is allowed. */
void cs_recall_free(struct cs_recall *recall);

/* Bytes that so many entries take, each of so many numbers with those it follows from. */
double cs_recall_bytes(size_t entries, size_t numbers);

/* Copies what was kept under an equal key: derived [items], as many as were kept. False if nothing was. */
bool cs_recall_find(struct cs_recall *recall, struct cs_recall_key key, double *derived, size_t items);
/* Keeps a copy. When there are too many, all earlier ones are forgotten. */
int cs_recall_keep(struct cs_recall *recall, struct cs_recall_key key, const double *derived, size_t items,
                   struct cs_error *error);

#endif
