/* Table <-> HDF5 (docs/formats.md section 4). The only module that includes hdf5.h; every return value is checked. */
#ifndef COSWEEP_STORE_H
#define COSWEEP_STORE_H

#include <stddef.h>

#include "table.h"

/* A name under construction beside the final one. */
struct cs_store;

/* Claims `path`: CS_IO if it exists and not `force`, if the directory is not writable, or if another process has
 * claimed it. Nothing of an existing file is touched until commit. */
int cs_store_open(const char *path, int force, struct cs_store **store, struct cs_error *error);
/* Writes the whole table beside the final name, fsyncs, renames, fsyncs the directory. Frees nothing. */
int cs_store_commit(struct cs_store *store, const struct cs_table *table, struct cs_error *error);
/* Gives the claim up and removes unfinished files (does nothing of that after a commit). NULL is fine. Safe to call
 * on the way out after SIGINT. */
void cs_store_close(struct cs_store *store);

/* Reads a result file back (cosweep info, tests). */
int cs_store_read(const char *path, struct cs_table **table, struct cs_error *error);

/* Expected size of the file in bytes, compression of incompressible float data assumed. */
size_t cs_store_estimate(const struct cs_table *table);

#endif
