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

/* Fills `derived` from the numbers of the key. */
typedef int cs_recall_derive(void *context, double *derived, struct cs_error *error);

/* derived [items]: as they were kept under an equal key; else from `derive`, and a copy is kept, unless it fails.
 * Whoever asks meanwhile for the same waits for it. When there are too many, all earlier ones are forgotten. */
int cs_recall_get(struct cs_recall *recall, struct cs_recall_key key, double *derived, size_t items,
                  cs_recall_derive *derive, void *context, struct cs_error *error);

#endif
