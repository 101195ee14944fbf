/* Work in a process of its own, whose crash or endless loop becomes an error of this one. */
#ifndef COSWEEP_CHILD_H
#define COSWEEP_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "error.h"
#include "text.h"

struct cs_child {
  FILE *from; /* what it writes */
  pid_t process;
  bool late; /* once closed: it had all the time that it might take */
};

/* Starts a process that calls work(to, context) and ends. CS_IO if there can be none, CS_DEVICE for lack of memory. */
int cs_child_open(void (*work)(FILE *to, void *context), void *context, struct cs_child *child, struct cs_error *error);
/* Waits for the end; if it did not come by itself, appends what happened: "crashed (...)". False if the process could
 * not write all that it had to say. */
bool cs_child_close(struct cs_child *child, struct cs_text *why);

/* For the child: the bytes that it may allocate, and the seconds of computing that it may take from now on. */
void cs_child_limit_memory(size_t bytes);
void cs_child_limit_time(double seconds);

#endif
