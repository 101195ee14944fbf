/* Signals that ask the process to end: Ctrl-C, a closed terminal, limits of processor time and file size. */
#ifndef COSWEEP_INTERRUPT_H
#define COSWEEP_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

#include "text.h"

/* To be called before other threads start. From now on such a signal ends the process with CS_INTERRUPTED, a message
 * and without its temporary files (litter.h), whatever its threads do; where the files that it was to write are there
 * (claim.h), with CS_OK and half a second for what else it has to say. CS_DEVICE if that cannot be arranged. Once is
 * enough: a second call does nothing. */
int cs_interrupt_watch(struct cs_error *error);

/* Blocks these signals until cs_interrupt_watch, for threads that start before it. */
void cs_interrupt_block(void);

/* For commands that can stop by themselves: the value returned becomes the number of the first signal, and they have
 * half a second to end in order before the process is ended; a second signal ends it at once. */
const volatile sig_atomic_t *cs_interrupt_catch(void);

/* Whether there was one, for a failure that it may have caused: a child that got the same signal is seen to end at the
 * same time. */
bool cs_interrupt_came(void);

/* Another process says that they were interrupted. */
void cs_interrupt_silence(void);

/* Has add(context, text) append what an interruption leaves behind to its message, from whatever thread; NULL: nothing
 * more. It must not wait for other threads. */
void cs_interrupt_leave(void (*add)(void *context, struct cs_text *text), void *context);

/* Says which signal it was, and what it leaves, in place of the message of a CS_INTERRUPTED error. */
void cs_interrupt_describe(struct cs_error *error);

/* The command is done: the process has nothing more to say, and ends with `status` whatever arrives. */
void cs_interrupt_finish(int status);

#endif
