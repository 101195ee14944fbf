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

/* Reads a result file; CS_IO if it is not one of cosweep, or damaged. It is read in a process of its own, so that no
 * file can make the calling one crash or wait for ever. */
int cs_store_read(const char *path, struct cs_table **table, struct cs_error *error);

/* The same, but numbers over the runs of at least so many bytes stay in the file: only cs_table_float64 and the like
 * have them, and cs_table_check says whether they could be had. The process lives as long as the table. */
enum { CS_STORE_LARGE = 4 << 20 };
int cs_store_read_lazily(const char *path, size_t least, struct cs_table **table, struct cs_error *error);

/* CS_STORE_READABLE: without a checksum to compare with. */
enum cs_store_state { CS_STORE_OK, CS_STORE_READABLE, CS_STORE_DAMAGED };

struct cs_store_part {
  char *name; /* of a dataset, "provenance/sweep" */
  enum cs_store_state state;
  char *reason; /* why it is damaged; "" */
};

struct cs_store_verdict {
  enum cs_store_state whole; /* all bytes of the file */
  size_t parts;
  struct cs_store_part *part; /* the datasets */
};

/* Compares the file with its checksum and reads every dataset. CS_IO if that is not possible; `whole` is set even then.
 * cs_store_free_verdict is needed even on failure. */
int cs_store_verify(const char *path, struct cs_store_verdict *verdict, struct cs_error *error);
void cs_store_free_verdict(struct cs_store_verdict *verdict);

/* Expected bytes of an array of numbers in the file, assuming typical compression; of the whole file. */
double cs_store_estimate_numbers(enum cs_type type, double count);
size_t cs_store_estimate(const struct cs_table *table);

#endif
