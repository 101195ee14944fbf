/* A file's name while the file is being made: one process at a time makes it, and nobody ever sees half of it.
 *
 * `<path>.part` is the unfinished file, `<path>.lock` excludes other processes (flock). The lock is a file of its own
 * because the unfinished one is renamed, and because HDF5 locks that one itself. What a killed process left behind is
 * taken over. */
#ifndef COSWEEP_CLAIM_H
#define COSWEEP_CLAIM_H

#include "error.h"

struct cs_claim;

/* CS_IO if `path` exists and not `force`, if it cannot be written there, or if another process has claimed it.
 * Makes an empty unfinished file; nothing of an existing file is touched until cs_claim_commit. */
int cs_claim_open(const char *path, int force, struct cs_claim **claim, struct cs_error *error);
const char *cs_claim_path(const struct cs_claim *claim);
const char *cs_claim_part(const struct cs_claim *claim); /* path of the unfinished file */
/* Makes the unfinished file, closed by its writer, the final one: on the disk first, then under its name. */
int cs_claim_commit(struct cs_claim *claim, struct cs_error *error);
/* Gives the name up; without a commit the unfinished file goes too. NULL is fine. */
void cs_claim_close(struct cs_claim *claim);

#endif
