/* A file's name while the file is being made: one process at a time makes it, and nobody ever sees half of it.
 *
 * `<path>.part` is the unfinished file, `<path>.lock` excludes other processes (flock); a file of its own, because the
 * unfinished one changes its name. What a killed process left behind is taken over. */
#ifndef COSWEEP_CLAIM_H
#define COSWEEP_CLAIM_H

#include <stddef.h>

#include "error.h"

struct cs_claim;

/* CS_IO if `path` exists and not `force`, if it cannot be written there, or if another process has claimed it.
 * Makes an empty unfinished file; nothing of an existing file is touched until cs_claim_commit. */
int cs_claim_open(const char *path, int force, struct cs_claim **claim, struct cs_error *error);
const char *cs_claim_path(const struct cs_claim *claim);
/* Writes the whole file, to the disk first, then under its name. Once only. */
int cs_claim_commit(struct cs_claim *claim, const void *data, size_t bytes, struct cs_error *error);
/* Gives the name up; without a commit the unfinished file goes too. NULL is fine. */
void cs_claim_close(struct cs_claim *claim);

#endif
