/* Numbers for a page: shuffled, deflated, in base64. */
#include <stdint.h>
#include <stdlib.h>

#include "explore_private.h"

enum { CHECKSUM = 4 }; /* bytes at the end of a chunk, of no use here */

static double number_of(const struct cs_explore_item *item, size_t i) {
  return item->theory != NULL ? item->theory->order[i].expected : cs_table_number(item->array, i);
}

/* The number of chosen items. */
static size_t count_of(const struct cs_export *from, const struct cs_array *array) {
  size_t count = 1;
  for (size_t i = 0; i < array->dimensions; i++)
    count *= from->length[array->dimension[i]];
  return count;
}

/* The chosen items, as doubles, or as the bytes of flags. */
static int collect(const struct cs_export *from, const struct cs_explore_item *item, void *to, struct cs_error *error) {
  const struct cs_array *array = item->array;
  size_t *position = calloc(from->table->dimensions + 1, sizeof *position), count = 0;
  if (position == NULL) return cs_error_memory(error);
  for (size_t d = 0; d < from->table->dimensions; d++)
    position[d] = from->first[d];
  do {
    const size_t at = cs_export_item(from, array, position);
    if (array->type == CS_UINT8)
      ((uint8_t *)to)[count++] = cs_table_uint8(array, at);
    else
      ((double *)to)[count++] = number_of(item, at);
  } while (cs_export_advance(from, array->dimensions, array->dimension, position));
  free(position);
  return cs_table_check(from->root, error);
}

static void add_base64(const unsigned char *byte, size_t bytes, struct cs_text *text) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char four[4];
  for (size_t i = 0; i < bytes; i += 3) {
    const size_t left = bytes - i;
    const uint32_t bits =
        (uint32_t)byte[i] << 16 | (left > 1 ? (uint32_t)byte[i + 1] << 8 : 0) | (left > 2 ? (uint32_t)byte[i + 2] : 0);
    four[0] = digit[bits >> 18];
    four[1] = digit[bits >> 12 & 63];
    four[2] = left > 1 ? digit[bits >> 6 & 63] : '=';
    four[3] = left > 2 ? digit[bits & 63] : '=';
    cs_text_append(text, four, sizeof four);
  }
}

int cs_explore_add_numbers(const struct cs_export *from, const struct cs_explore_item *item, struct cs_chunk *chunk,
                           struct cs_text *text, struct cs_error *error) {
  const size_t count = count_of(from, item->array), size = item->array->type == CS_UINT8 ? 1 : sizeof(double);
  void *numbers = calloc(count > 0 ? count : 1, size);
  const void *packed;
  size_t bytes;
  if (numbers == NULL) return cs_error_memory(error);
  int code = count > 0 ? collect(from, item, numbers, error) : CS_OK;
  if (code == CS_OK) code = cs_chunk_pack(chunk, numbers, count, size, true, &packed, &bytes, error);
  if (code == CS_OK) add_base64(packed, bytes - CHECKSUM, text);
  free(numbers);
  return code;
}
