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
  int exit;  /* once closed: its exit status, -1 if a signal ended it */
};

/* Starts a process that calls work(to, context) and ends, with this one where a signal ends that (litter.h). CS_IO if
 * there can be none, CS_DEVICE for lack of memory. */
int cs_child_open(void (*work)(FILE *to, void *context), void *context, struct cs_child *child, struct cs_error *error);
/* Waits for the end of the process, then ends what it has left in a session of its own. If it did not end by itself,
 * appends what happened: "crashed (...)". False if the process could not write all that it had to say. */
bool cs_child_close(struct cs_child *child, struct cs_text *why);

/* For the child: the bytes that it may allocate, and the seconds of computing that it may take from now on; or those
 * that may pass, also for a program that it becomes. */
void cs_child_limit_memory(size_t bytes);
void cs_child_limit_time(double seconds);
void cs_child_limit_wait(double seconds);
/* For the child, before it becomes a program that may do anything: a session of its own, without terminal, input and
 * output, which the end of the parent ends. */
void cs_child_leave(void);

#endif
