/* Internals of store.h: a table as an HDF5 file. */
#ifndef COSWEEP_STORE_WRITE_H
#define COSWEEP_STORE_WRITE_H

#include "claim.h"
#include "table.h"

/* Writes all but the seal, through the claim. */
int cs_store_write(struct cs_claim *claim, const struct cs_table *table, struct cs_error *error);

#endif
