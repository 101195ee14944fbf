/* Who holds a lock file: the file says it, for the messages of others. */
#ifndef COSWEEP_LOCK_H
#define COSWEEP_LOCK_H

#include <stdbool.h>

#include "text.h"

/* Writes this process into a file that it holds; without room there it stays empty, which is no failure. */
void cs_lock_sign(int fd);
/* Appends "node17, process 4711, since 2026-11-22T10:12:05Z"; "a process" if the file does not say. */
void cs_lock_add_holder(int fd, struct cs_text *text);
/* Whether flock() failed because the file system has no locks, by errno. */
bool cs_lock_is_unknown(int reason);

#endif
