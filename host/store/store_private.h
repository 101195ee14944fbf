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
  size_t least;       /* bytes from which on numbers over the runs stay in the file; 0: none do */
  int ask, answer;    /* ends of a pair of sockets, for the process that reads: of the one that asks for them */
  const size_t *skip; /* [skips] datasets that are not to be judged, by number from 1 */
  size_t skips;
  bool broken; /* the process that judged did not come to its end: the error says that the file is damaged */
};

/* In place of a dataset's state and fault: memory was short. */
enum { CS_STORE_UNJUDGED = CS_STORE_DAMAGED + 1 };

/* Of numbers that stay in the file: a block of an array, both counted from 0, arrays in the order of the table. The
 * answer: 1 and the items, or 0 and a text. What is no array ends it. */
struct cs_store_request {
  size_t array, block;
};

/* Reads a file and passes its contents on as records of stream.h, without their end; or, for verdicts, the name of each
 * dataset and its number, its enum cs_store_state and the fault. Where numbers stay in the file, it ends the records
 * and answers requests until there are no more. For a process of its own: it limits what that may take, and closes
 * nothing. */
int cs_store_read_file(FILE *to, const struct cs_store_task *task, struct cs_error *error);

#endif
