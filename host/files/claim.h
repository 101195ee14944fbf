/* Exclusive, atomic creation of a file: one process at a time writes it, and readers never see a partial file.
 *
 * `<path>.part` is the unfinished file, `<path>.lock` excludes other processes (flock) and names its holder
 * (lock.h); it is separate because the unfinished file is renamed. Where the file system has no locks, which is said on
 * stderr, the file alone excludes them, and stays if the process is killed. Leftovers of a killed process are taken
 * over. */
#ifndef COSWEEP_CLAIM_H
#define COSWEEP_CLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

/* What these names end in. */
#define CS_CLAIM_PART ".part"
#define CS_CLAIM_LOCK ".lock"

struct cs_claim;

/* CS_IO if `path` exists and `force` is 0, if it cannot be created, or if another process holds the claim. Creates an
 * empty unfinished file; an existing file stays untouched until cs_claim_commit. */
int cs_claim_open(const char *path, int force, struct cs_claim **claim, struct cs_error *error);
const char *cs_claim_path(const struct cs_claim *claim);
/* Writes a part of the file that others follow. */
int cs_claim_append(struct cs_claim *claim, const void *data, size_t bytes, struct cs_error *error);
/* The same at any place, for libraries that must not meet a failure: the first one is kept, after it nothing is
 * written, and cs_claim_check says it. What was never written is read as zeros. */
void cs_claim_put(struct cs_claim *claim, uint64_t at, const void *data, size_t bytes);
void cs_claim_get(struct cs_claim *claim, uint64_t at, void *data, size_t bytes);
void cs_claim_cut(struct cs_claim *claim, uint64_t size); /* to that many bytes, or up to them with zeros */
uint64_t cs_claim_size(const struct cs_claim *claim);
int cs_claim_check(const struct cs_claim *claim, struct cs_error *error);
/* Writes `data`, the last part, syncs the file to disk and renames it to `path`. A file that is replaced keeps its
 * permissions. CS_OK if and only if `path` is complete and new. To be called once. */
int cs_claim_commit(struct cs_claim *claim, const void *data, size_t bytes, struct cs_error *error);
/* How many files the process commits until it has done what it was asked for; 1 unless said. Known per process, like
 * its signals. */
void cs_claim_expect(size_t files);
/* Whether these are there. After cs_litter_remove that does not change any more. */
bool cs_claim_is_met(void);
/* Releases the claim; without a commit the unfinished file is removed. NULL is allowed. */
void cs_claim_close(struct cs_claim *claim);

#endif
