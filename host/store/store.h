/* Tables in HDF5 files (docs/formats.md section 4). */
#ifndef COSWEEP_STORE_H
#define COSWEEP_STORE_H

#include <stddef.h>

#include "table.h"

/* A claim on the name of a result file. */
struct cs_store;

/* Claims `path`: CS_IO if it exists and not `force`, if the directory is not writable, or if another process has
 * claimed it. An existing file is not touched until cs_store_commit. */
int cs_store_open(const char *path, int force, struct cs_store **store, struct cs_error *error);
/* Writes the table under a temporary name, syncs it to disk and renames it. */
int cs_store_commit(struct cs_store *store, const struct cs_table *table, struct cs_error *error);
/* Gives up the claim; without a commit, removes the unfinished file. NULL is allowed. */
void cs_store_close(struct cs_store *store);

/* Reads a result file; CS_IO if it is not one of cosweep. */
int cs_store_read(const char *path, struct cs_table **table, struct cs_error *error);

/* Expected size of the file in bytes, assuming typical compression. */
size_t cs_store_estimate(const struct cs_table *table);

#endif
