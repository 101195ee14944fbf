#include "store_stay.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "list.h"
#include "metric.h"
#include "store_items.h"
#include "stream.h"

bool cs_store_stay_may(const struct cs_reader *reader, const char *name, const struct cs_shape *shape) {
  const struct cs_staying *s = reader->staying;
  if (s == NULL || reader->table->name != NULL || shape->type == CS_TEXT || shape->dimensions == 0) return false;
  if (shape->count * cs_table_item_size(shape->type) < s->least) return false;
  return cs_metric_find(name) >= 0 || strcmp(name, "status") == 0 || strcmp(name, "engine_used") == 0;
}

int cs_store_stay_keep(const struct cs_reader *reader, hid_t dataset, const struct cs_shape *shape) {
  struct cs_staying *s = reader->staying;
  if (!cs_list_grow(&s->dataset, s->count, sizeof *s->dataset) || !cs_list_grow(&s->shape, s->count, sizeof *s->shape))
    return cs_error_memory(reader->error);
  if (H5Iinc_ref(dataset) < 0) return cs_store_dataset_fail(reader, "keep", NULL);
  s->dataset[s->count] = dataset;
  s->shape[s->count++] = *shape;
  return CS_OK;
}

/* Where a block begins, and its lengths; false if there is no such block. Returns its items in *count. */
static bool place_block(const struct cs_shape *shape, size_t block, hsize_t *start, hsize_t *length, size_t *count) {
  hsize_t chunk[CS_MAX_DIMENSIONS];
  const size_t size = cs_table_item_size(shape->type);
  const size_t cut = cs_store_items_shape((size_t)shape->dimensions, shape->length, size, chunk);
  *count = 1;
  for (size_t i = (size_t)shape->dimensions; i-- > 0;) {
    const hsize_t parts = i > cut ? 1 : (shape->length[i] + chunk[i] - 1) / chunk[i];
    start[i] = block % parts * chunk[i];
    length[i] = shape->length[i] - start[i] < chunk[i] ? shape->length[i] - start[i] : chunk[i];
    block /= parts;
    *count *= length[i];
  }
  return block == 0;
}

void cs_store_stay_blocks(const struct cs_table *table, const struct cs_array *array, struct cs_lazy_array *lazy) {
  hsize_t length[CS_MAX_DIMENSIONS], chunk[CS_MAX_DIMENSIONS];
  size_t inner = 1;
  for (size_t i = 0; i < array->dimensions; i++)
    length[i] = table->dimension[array->dimension[i]].length;
  lazy->size = cs_table_item_size(array->type);
  const size_t cut = cs_store_items_shape(array->dimensions, length, lazy->size, chunk);
  for (size_t i = cut + 1; i < array->dimensions; i++)
    inner *= length[i];
  lazy->line = inner * length[cut];
  lazy->block = inner * chunk[cut];
}

static int read_block(const struct cs_reader *reader, const struct cs_store_request *request, void *items,
                      size_t *bytes) {
  const struct cs_shape *shape = &reader->staying->shape[request->array];
  const hid_t dataset = reader->staying->dataset[request->array];
  hsize_t start[CS_MAX_DIMENSIONS], length[CS_MAX_DIMENSIONS];
  size_t count;
  if (!place_block(shape, request->block, start, length, &count))
    return cs_error_set(reader->error, CS_IO, "%s: has no such block", reader->path);
  *bytes = count * cs_table_item_size(shape->type);
  cs_store_dataset_limit_time(*bytes);
  const int code = cs_store_dataset_part(reader, dataset, "a block", shape, start, length, items);
  return code == CS_OK ? cs_store_dataset_check_flags(reader, dataset, shape, items, count) : code;
}

static bool take_request(int answer, struct cs_store_request *request) {
  return recv(answer, request, sizeof *request, MSG_WAITALL) == (ssize_t)sizeof *request;
}

void cs_store_stay_answer(const struct cs_reader *reader, int answer) {
  struct cs_store_request request;
  void *items = malloc(CS_LAZY_BYTES);
  fflush(reader->to);
  while (take_request(answer, &request) && request.array < reader->staying->count) {
    struct cs_error error = {0};
    struct cs_reader own = *reader;
    size_t bytes = 0;
    own.error = &error;
    const int code = items != NULL ? read_block(&own, &request, items, &bytes) : cs_error_memory(&error);
    cs_stream_put_count(reader->to, code == CS_OK);
    if (code == CS_OK)
      fwrite(items, 1, bytes, reader->to);
    else
      cs_stream_put_text(reader->to, error.message);
    if (fflush(reader->to) != 0) break;
  }
  free(items);
}
