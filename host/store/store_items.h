/* Numbers of a dataset, written one after the other as they come, chunk by chunk. */
#ifndef COSWEEP_STORE_ITEMS_H
#define COSWEEP_STORE_ITEMS_H

#include "chunk.h"
#include "claim.h"
#include "hdf5_door.h"
#include "store_driver.h"
#include "table.h"

/* An open file and its error record. */
struct cs_store_writer {
  hid_t file, driver;
  hid_t text, transfer;   /* the type of all texts, and how they are written */
  const char *path;       /* the final name, for messages */
  struct cs_claim *claim; /* keeps what failed */
  struct cs_store_link *link;
  struct cs_chunk *chunk;
  struct cs_error *error;
};

struct cs_store_items {
  struct cs_store_writer *writer;
  const char *name;
  hid_t dataset;
  bool deflates;
  size_t size;                             /* bytes of a number */
  size_t cut;                              /* the dimension that chunks are parts of */
  hsize_t length[CS_MAX_DIMENSIONS];       /* of the dataset */
  hsize_t chunk[CS_MAX_DIMENSIONS], whole; /* of a chunk, and all its items */
  hsize_t at[CS_MAX_DIMENSIONS];           /* of the next chunk */
  double missing;                          /* fills the chunks at the edges */
  unsigned char *room;                     /* [whole] items, of which `held` are there; NULL: not yet needed */
  size_t held;
};

enum { CS_STORE_ITEMS_CHUNK = 1 << 20 }; /* bytes: upper limit of a chunk, and HDF5's cache per dataset */

/* The shape of chunks, of numbers of `size` bytes: contiguous in the order of the items. Returns the dimension that is
 * cut: those behind it are complete, of those before it a chunk has one place. */
size_t cs_store_items_shape(size_t dimensions, const hsize_t *length, size_t size, hsize_t *chunk);
/* Whether so many bytes are worth compressing. */
bool cs_store_items_deflate(double bytes);

/* Begins the items of a dataset of numbers of that shape, just created with such chunks. `name`, dataset and writer are
 * borrowed. */
struct cs_store_items cs_store_items_begin(struct cs_store_writer *writer, hid_t dataset, const char *name,
                                           enum cs_type type, size_t dimensions, const hsize_t *length);
/* The next `count` items. After the last one the dataset is complete. */
int cs_store_items_put(struct cs_store_items *items, const void *data, size_t count);
void cs_store_items_end(struct cs_store_items *items);

#endif
