#include "store.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "claim.h"
#include "seal.h"
#include "store_items.h"
#include "store_write.h"

struct cs_store {
  struct cs_claim *claim;
};

int cs_store_open(const char *path, int force, struct cs_store **store, struct cs_error *error) {
  *store = NULL;
  struct cs_store *new = calloc(1, sizeof *new);
  if (new == NULL) return cs_error_memory(error);
  int code = cs_claim_open(path, force, &new->claim, error);
  if (code != CS_OK) {
    free(new);
    return code;
  }
  *store = new;
  return CS_OK;
}

/* Of all that was written, which HDF5 has gone back to here and there. */
static void make_seal(struct cs_claim *claim, char seal[CS_SEAL_BYTES + 1]) {
  unsigned char block[1 << 16];
  struct cs_checksum sum;
  const uint64_t size = cs_claim_size(claim);
  cs_checksum_begin(&sum);
  for (uint64_t at = 0; at < size; at += sizeof block) {
    const size_t count = size - at < sizeof block ? (size_t)(size - at) : sizeof block;
    cs_claim_get(claim, at, block, count);
    cs_checksum_add(&sum, block, count);
  }
  cs_seal_print(&sum, seal);
}

int cs_store_commit(struct cs_store *store, const struct cs_table *table, struct cs_error *error) {
  char seal[CS_SEAL_BYTES + 1];
  int code = cs_store_write(store->claim, table, error);
  if (code == CS_OK) make_seal(store->claim, seal);
  if (code == CS_OK) code = cs_claim_check(store->claim, error);
  return code == CS_OK ? cs_claim_commit(store->claim, seal, CS_SEAL_BYTES, error) : code;
}

void cs_store_close(struct cs_store *store) {
  if (store == NULL) return;
  cs_claim_close(store->claim);
  free(store);
}

/* Fractions left after shuffle and gzip, measured with HDF5 1.10: 0.89 for noisy numbers and 0.77 for smooth results,
 * hence the middle; about two bytes of eight for counts, almost nothing for statuses. */
static const double kept_float64 = 0.83, kept_int64 = 0.25, kept_uint8 = 0.02;

enum {
  BASE_BYTES = 4096,  /* superblock, the two groups */
  HEADER_BYTES = 800, /* object header and link of a dataset */
  INDEX_BYTES = 450,  /* of a chunked dataset, per 6 chunks */
  TEXT_BYTES = 40     /* reference and heap entry of a text, in addition to its characters */
};

static size_t text_bytes(const char *text) {
  return TEXT_BYTES + (text != NULL ? strlen(text) : 0);
}

static size_t texts_bytes(char *const *text, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    bytes += text_bytes(text[i]);
  return bytes;
}

double cs_store_estimate_numbers(enum cs_type type, double count) {
  const double bytes = count * (double)cs_table_item_size(type);
  const double kept = !cs_store_items_deflate(bytes) ? 1.0
                      : type == CS_FLOAT64           ? kept_float64
                      : type == CS_INT64             ? kept_int64
                                                     : kept_uint8;
  return floor(bytes * kept) + INDEX_BYTES * (1 + floor(floor(bytes / CS_STORE_ITEMS_CHUNK) / 6));
}

static size_t numbers_bytes(enum cs_type type, size_t count) {
  return (size_t)cs_store_estimate_numbers(type, (double)count);
}

size_t cs_store_estimate(const struct cs_table *table) {
  size_t bytes = BASE_BYTES + text_bytes(table->title) + text_bytes(table->source) + text_bytes(table->history);
  for (size_t i = 0; i < table->dimensions; i++) {
    const struct cs_dimension *dimension = &table->dimension[i];
    bytes += HEADER_BYTES + text_bytes(dimension->unit) + text_bytes(dimension->long_name);
    bytes += dimension->labels != NULL ? texts_bytes(dimension->labels, dimension->length)
                                       : numbers_bytes(CS_FLOAT64, dimension->length);
  }
  for (size_t i = 0; i < table->arrays; i++) {
    const struct cs_array *array = &table->array[i];
    bytes += HEADER_BYTES + text_bytes(array->unit) + text_bytes(array->long_name);
    bytes +=
        array->type == CS_TEXT ? texts_bytes(array->data.text, array->count) : numbers_bytes(array->type, array->count);
  }
  if (table->group != NULL) bytes += cs_store_estimate(table->group);
  for (size_t i = 0; i < table->notes; i++)
    bytes += HEADER_BYTES + texts_bytes(table->note[i].text, table->note[i].count);
  return bytes;
}
