#include "store_items.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TINY = 4 << 10 }; /* bytes; below this, compression saves too little */

size_t cs_store_items_shape(size_t dimensions, const hsize_t *length, size_t size, hsize_t *chunk) {
  hsize_t inner = 1;
  for (size_t i = dimensions; i-- > 0;) {
    hsize_t room = CS_STORE_ITEMS_CHUNK / size / inner;
    if (room < 1) room = 1;
    const hsize_t parts = (length[i] + room - 1) / room;
    chunk[i] = (length[i] + parts - 1) / parts;
    inner *= chunk[i];
    if (parts == 1) continue;
    for (size_t before = 0; before < i; before++)
      chunk[before] = 1;
    return i;
  }
  return 0;
}

bool cs_store_items_deflate(double bytes) {
  return bytes >= TINY;
}

struct cs_store_items cs_store_items_begin(struct cs_store_writer *writer, hid_t dataset, const char *name,
                                           enum cs_type type, size_t dimensions, const hsize_t *length) {
  struct cs_store_items items = {.writer = writer, .name = name, .dataset = dataset, .whole = 1};
  double bytes;
  items.size = cs_table_item_size(type);
  bytes = (double)items.size;
  items.cut = cs_store_items_shape(dimensions, length, items.size, items.chunk);
  for (size_t i = 0; i < dimensions; i++) {
    items.length[i] = length[i];
    items.whole *= items.chunk[i];
    bytes *= (double)length[i];
  }
  items.deflates = cs_store_items_deflate(bytes);
  items.missing = type == CS_FLOAT64 ? (double)NAN : 0.0; /* 0.0: zeros in every type */
  return items;
}

/* Items that the next chunk has in the dataset: fewer than it has room for at the edge. */
static size_t next_count(const struct cs_store_items *items) {
  const hsize_t left = items->length[items->cut] - items->at[items->cut], part = items->chunk[items->cut];
  return items->whole / part * (left < part ? left : part);
}

static void advance(struct cs_store_items *items) {
  for (size_t i = items->cut;; i--) {
    items->at[i] += items->chunk[i];
    if (items->at[i] < items->length[i] || i == 0) return;
    items->at[i] = 0;
  }
}

static int write_chunk(struct cs_store_items *items, const void *data) {
  struct cs_store_writer *w = items->writer;
  const void *packed;
  size_t bytes;
  int code = cs_chunk_pack(w->chunk, data, items->whole, items->size, items->deflates, &packed, &bytes, w->error);
  if (code == CS_OK && H5Dwrite_chunk(items->dataset, H5P_DEFAULT, 0, items->at, bytes, packed) < 0)
    code = cs_hdf5_door_fail(w->error, w->path, "write", items->name);
  if (code == CS_OK) code = cs_claim_check(w->claim, w->error);
  advance(items);
  return code;
}

/* Fills the rest of a chunk at the edge. */
static void fill(struct cs_store_items *items) {
  for (size_t i = items->held; i < items->whole; i++)
    memcpy(items->room + i * items->size, &items->missing, items->size);
}

/* Adds items to those held; writes their chunk when it is complete. */
static int hold(struct cs_store_items *items, const unsigned char *data, size_t count) {
  if (items->room == NULL) items->room = malloc(items->whole * items->size);
  if (items->room == NULL) return cs_error_memory(items->writer->error);
  memcpy(items->room + items->held * items->size, data, count * items->size);
  items->held += count;
  if (items->held < next_count(items)) return CS_OK;
  fill(items);
  items->held = 0;
  return write_chunk(items, items->room);
}

int cs_store_items_put(struct cs_store_items *items, const void *data, size_t count) {
  const unsigned char *next = data;
  int code = CS_OK;
  for (size_t part; count > 0 && code == CS_OK; count -= part, next += part * items->size) {
    const size_t want = next_count(items) - items->held;
    part = count < want ? count : want;
    code = part == items->whole ? write_chunk(items, next) : hold(items, next, part);
  }
  return code;
}

void cs_store_items_end(struct cs_store_items *items) {
  free(items->room);
  items->room = NULL;
}
