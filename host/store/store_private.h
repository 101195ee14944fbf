/* Internals of store.h. */
#ifndef COSWEEP_STORE_PRIVATE_H
#define COSWEEP_STORE_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>

#include "store.h"

/* What a process of its own is to read. */
struct cs_store_task {
  const char *path;
  size_t size;        /* bytes */
  bool judges;        /* wants verdicts instead of contents */
  const size_t *skip; /* [skips] datasets that are not to be judged, by number from 1 */
  size_t skips;
};

/* Reads a file and passes its contents on as records of stream.h, without their end; or, for verdicts, the name of each
 * dataset and its number, its enum cs_store_state and the fault. For a process of its own: it limits what that may
 * take, and closes nothing. */
int cs_store_read_file(FILE *to, const struct cs_store_task *task, struct cs_error *error);

#endif
