#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "child.h"
#include "hdf5_door.h"
#include "list.h"
#include "metric.h"
#include "status.h"
#include "store_items.h"
#include "store_private.h"
#include "stream.h"
#include "text.h"

/* An open file and its error record. Contents are passed on as they are read; the table keeps all but the items of
 * arrays. */
struct reader {
  hid_t file;
  hid_t text, transfer; /* the type of all texts, and how they are read */
  const char *path;
  FILE *to;
  struct allowance *allowance;
  struct judging *judging; /* NULL: contents are wanted, and the first fault ends it */
  struct staying *staying; /* NULL: no numbers stay in the file */
  struct cs_table *table;
  struct cs_error *error;
};

/* What a file of its size may hold when unpacked: a thousandth of it at best is what gzip makes of anything. */
struct allowance {
  double file, taken; /* bytes */
};

enum { ALWAYS = 1 << 26, PACKED = 1100, PACE_FILE = 1 << 21, PACE_DATA = 1 << 24 }; /* bytes; ratio; bytes/s, slow */

/* Before data are read: limits their amount, and the time that all may take, to what the file can be meant to hold. */
static int allow(const struct reader *reader, const char *name, double bytes) {
  struct allowance *a = reader->allowance;
  a->taken += bytes;
  if (a->taken > ALWAYS + PACKED * a->file)
    return cs_error_set(reader->error, CS_IO,
                        "%s: \"%s\" holds more than a file of %.0f bytes can; the file is damaged", reader->path, name,
                        a->file);
  cs_child_limit_time(1.0 + a->file / PACE_FILE + a->taken / PACE_DATA);
  return CS_OK;
}

static int fail(const struct reader *reader, const char *doing, const char *name) {
  return cs_hdf5_door_fail(reader->error, reader->path, doing, name);
}

static int fail_foreign(const struct reader *reader, const char *name, const char *what) {
  return cs_error_set(reader->error, CS_IO, "%s: \"%s\" %s; want a result file of cosweep", reader->path, name, what);
}

/* Copies texts read by HDF5, NULL where none was written, and frees HDF5's memory. */
static int take_texts(const struct reader *reader, hid_t space, char **raw, size_t count, char **text) {
  int code = CS_OK;
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    text[i] = cs_text_copy(raw[i] != NULL ? raw[i] : "");
    if (text[i] == NULL) code = cs_error_memory(reader->error);
  }
  if (H5Dvlen_reclaim(reader->text, space, H5P_DEFAULT, raw) < 0 && code == CS_OK)
    code = fail(reader, "free memory", NULL);
  return code;
}

static void free_texts(char **text, size_t count) {
  for (size_t i = 0; text != NULL && i < count; i++)
    free(text[i]);
  free(text);
}

/* Other types must not be read as texts. */
static int check_text(const struct reader *reader, hid_t type, const char *name) {
  if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) return CS_OK;
  return fail_foreign(reader, name, "is not a text of variable length");
}

/* All texts of a dataset; *text is owned by the caller, who knows the count. */
static int read_texts(const struct reader *reader, hid_t dataset, const char *name, size_t count, char ***text) {
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  char **raw = calloc(count, sizeof *raw);
  *text = calloc(count, sizeof **text);
  int code = raw != NULL && *text != NULL ? check_text(reader, type, name) : cs_error_memory(reader->error);
  if (code == CS_OK && H5Dread(dataset, reader->text, H5S_ALL, H5S_ALL, reader->transfer, raw) < 0)
    code = fail(reader, "read", name);
  else if (code == CS_OK)
    code = take_texts(reader, space, raw, count, *text);
  if (code != CS_OK) {
    free_texts(*text, count);
    *text = NULL;
  }
  free(raw);
  code = cs_hdf5_door_close(space, H5Sclose, code, reader->error, reader->path);
  return cs_hdf5_door_close(type, H5Tclose, code, reader->error, reader->path);
}

/* A text attribute of an object, "" where there is none. *text is owned by the caller. */
static int read_attribute(const struct reader *reader, hid_t object, const char *name, char **text) {
  *text = NULL;
  if (H5Aexists(object, name) <= 0) {
    *text = cs_text_copy("");
    return *text != NULL ? CS_OK : cs_error_memory(reader->error);
  }
  char *raw = NULL;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
  hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
  int code = check_text(reader, type, name);
  if (code == CS_OK && (space < 0 || H5Sget_simple_extent_npoints(space) != 1))
    code = fail_foreign(reader, name, "is not one text");
  if (code == CS_OK && H5Aread(attribute, reader->text, &raw) < 0)
    code = fail(reader, "read the attribute", name);
  else if (code == CS_OK)
    code = take_texts(reader, space, &raw, 1, text);
  code = cs_hdf5_door_close(space, H5Sclose, code, reader->error, reader->path);
  code = cs_hdf5_door_close(type, H5Tclose, code, reader->error, reader->path);
  return cs_hdf5_door_close(attribute, H5Aclose, code, reader->error, reader->path);
}

/* The attributes of a dataset. */
struct about {
  char *unit, *long_name, *flag_meanings;
};

static int read_about(const struct reader *reader, hid_t dataset, struct about *about) {
  *about = (struct about){0};
  int code = read_attribute(reader, dataset, "units", &about->unit);
  if (code == CS_OK) code = read_attribute(reader, dataset, "long_name", &about->long_name);
  if (code == CS_OK && H5Aexists(dataset, "flag_meanings") > 0)
    code = read_attribute(reader, dataset, "flag_meanings", &about->flag_meanings);
  return code;
}

static void clear_about(struct about *about) {
  free(about->unit);
  free(about->long_name);
  free(about->flag_meanings);
}

/* Shape and type of a dataset. */
struct shape {
  int dimensions;
  hsize_t length[CS_MAX_DIMENSIONS];
  size_t count;
  enum cs_type type;
  uint8_t most; /* the largest number of a flag */
};

/* Flags of results, which tell two things apart, but these; other numbers may be any. */
static uint8_t most_of(const char *name) {
  static const char *const flags[] = {"stable", "accepted", "event", "found", "solution", "timed", "late"};
  enum { WAYS = 3 };
  if (strcmp(name, "status") == 0) return CS_STATUSES - 1;
  if (strcmp(name, "engine_used") == 0) return WAYS - 1;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strcmp(name, flags[i]) == 0) return 1;
  return UINT8_MAX;
}

static int check_flags(const struct reader *reader, hid_t dataset, const struct shape *shape, const void *data,
                       size_t count) {
  const uint8_t *flag = data;
  char name[64] = "/?";
  size_t i = 0;
  while (shape->type == CS_UINT8 && i < count && flag[i] <= shape->most)
    i++;
  if (shape->type != CS_UINT8 || i == count) return CS_OK;
  H5Iget_name(dataset, name, sizeof name);
  return cs_error_set(reader->error, CS_IO,
                      "%s: \"%s\" is %d somewhere; want 0 to %d: the file is damaged, or of a later version of cosweep",
                      reader->path, name + 1, flag[i], shape->most);
}

static int read_type(const struct reader *reader, hid_t dataset, const char *name, enum cs_type *type) {
  hid_t id = H5Dget_type(dataset);
  int code = CS_OK;
  H5T_class_t class = id >= 0 ? H5Tget_class(id) : H5T_NO_CLASS;
  if (class == H5T_FLOAT)
    *type = CS_FLOAT64;
  else if (class == H5T_INTEGER)
    *type = H5Tget_size(id) == 1 ? CS_UINT8 : CS_INT64;
  else if (class == H5T_STRING)
    *type = CS_TEXT;
  else
    code = fail_foreign(reader, name, "has neither numbers nor texts");
  return cs_hdf5_door_close(id, H5Tclose, code, reader->error, reader->path);
}

static int read_shape(const struct reader *reader, hid_t dataset, const char *name, struct shape *shape) {
  hid_t space = H5Dget_space(dataset);
  int code = CS_OK;
  hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  shape->dimensions = count > 0 ? H5Sget_simple_extent_ndims(space) : -1;
  if (shape->dimensions < 0 || shape->dimensions > CS_MAX_DIMENSIONS ||
      H5Sget_simple_extent_dims(space, shape->length, NULL) < 0)
    code = fail_foreign(reader, name, "has no data");
  shape->count = code != CS_OK ? 0 : (size_t)count;
  code = cs_hdf5_door_close(space, H5Sclose, code, reader->error, reader->path);
  shape->most = most_of(name);
  if (code == CS_OK) code = read_type(reader, dataset, name, &shape->type);
  return code == CS_OK ? allow(reader, name, (double)shape->count * sizeof(double)) : code;
}

static hid_t memory_type(enum cs_type type) {
  return type == CS_FLOAT64 ? H5T_NATIVE_DOUBLE : type == CS_INT64 ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT8;
}

static int read_numbers(const struct reader *reader, hid_t dataset, const char *name, enum cs_type type, void *data) {
  if (H5Dread(dataset, memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) return fail(reader, "read", name);
  return CS_OK;
}

static int read_dimension(const struct reader *reader, hid_t dataset, const char *name) {
  struct shape shape;
  struct about about = {0};
  double *values = NULL;
  char **labels = NULL;
  int code = read_shape(reader, dataset, name, &shape);
  if (code == CS_OK && shape.dimensions != 1) code = fail_foreign(reader, name, "is a scale of several dimensions");
  if (code == CS_OK) code = read_about(reader, dataset, &about);
  if (code != CS_OK) goto out;
  if (shape.type == CS_TEXT) {
    code = read_texts(reader, dataset, name, shape.count, &labels);
  } else {
    values = malloc(shape.count * sizeof *values);
    code = values != NULL ? read_numbers(reader, dataset, name, CS_FLOAT64, values) : cs_error_memory(reader->error);
  }
  if (code == CS_OK)
    code = cs_table_add_dimension(reader->table, name, about.unit, about.long_name, shape.count, values,
                                  (const char *const *)labels, NULL, reader->error);
  if (code == CS_OK) cs_stream_put_dimension(reader->to, &reader->table->dimension[reader->table->dimensions - 1]);
out:
  free_texts(labels, shape.count);
  free(values);
  clear_about(&about);
  return code;
}

struct scale_name {
  char *text;
  bool failed; /* out of memory */
};

/* Copies the name of a dimension's scale to `data`, a struct scale_name. */
static herr_t take_scale_name(hid_t dataset, unsigned index, hid_t scale, void *data) {
  (void)dataset;
  (void)index;
  struct scale_name *name = data;
  const ssize_t length = H5DSget_scale_name(scale, NULL, 0);
  name->text = length > 0 ? malloc((size_t)length + 1) : NULL;
  name->failed = length > 0 && name->text == NULL;
  return name->text != NULL && H5DSget_scale_name(scale, name->text, (size_t)length + 1) > 0 ? 1 : -1;
}

/* Finds the table's dimensions by the scales attached to a dataset. */
static int find_dimensions(const struct reader *reader, hid_t dataset, const char *name, const struct shape *shape,
                           size_t *dimension) {
  for (int i = 0; i < shape->dimensions; i++) {
    struct scale_name scale = {0};
    const struct cs_dimension *found = NULL;
    if (H5DSget_num_scales(dataset, (unsigned)i) == 1 &&
        H5DSiterate_scales(dataset, (unsigned)i, NULL, take_scale_name, &scale) > 0)
      found = cs_table_find_dimension(reader->table, scale.text);
    free(scale.text);
    if (scale.failed) return cs_error_memory(reader->error);
    if (found == NULL || found->length != shape->length[i])
      return fail_foreign(reader, name, "has a dimension without a scale of its length");
    dimension[i] = (size_t)(found - reader->table->dimension);
  }
  return CS_OK;
}

/* ---- items of arrays, passed on as they are read */

static int pass_texts(const struct reader *reader, hid_t dataset, const char *name, const struct shape *shape) {
  char **text = NULL;
  const int code = read_texts(reader, dataset, name, shape->count, &text);
  if (code == CS_OK) cs_stream_put_items(reader->to, CS_TEXT, text, shape->count);
  free_texts(text, shape->count);
  return code;
}

enum { BLOCK = 1 << 22 }; /* bytes; more than any buffer of HDF5: what is then freed, the C library keeps */

/* The rows of an array, items with the same first index, and how many to read at once: whole chunks, as each is
 * unpacked as a whole. */
struct rows {
  hsize_t all, once;
  size_t items; /* of a row */
};

static struct rows split(hid_t dataset, const struct shape *shape) {
  struct rows rows = {.all = shape->dimensions > 0 ? shape->length[0] : 1};
  hsize_t chunk[CS_MAX_DIMENSIONS];
  rows.items = shape->count / rows.all;
  const hsize_t most = BLOCK / (rows.items * cs_table_item_size(shape->type));
  const hid_t list = H5Dget_create_plist(dataset);
  if (list < 0 || H5Pget_layout(list) != H5D_CHUNKED || H5Pget_chunk(list, CS_MAX_DIMENSIONS, chunk) < 1) chunk[0] = 1;
  if (list >= 0) H5Pclose(list);
  rows.once = most > chunk[0] ? most - most % chunk[0] : chunk[0];
  if (rows.once > rows.all) rows.once = rows.all;
  return rows;
}

/* Both selections have the same shape: HDF5 then copies whole runs of items, else one item after the other. */
static int read_rows(const struct reader *reader, hid_t dataset, const char *name, const struct shape *shape,
                     hsize_t first, hsize_t count, void *data) {
  hsize_t start[CS_MAX_DIMENSIONS] = {first}, length[CS_MAX_DIMENSIONS];
  memcpy(length, shape->length, sizeof length);
  length[0] = count;
  const hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(shape->dimensions, length, NULL);
  const bool good = file >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, length, NULL) >= 0 &&
                    H5Dread(dataset, memory_type(shape->type), memory, file, H5P_DEFAULT, data) >= 0;
  int code = good ? CS_OK : fail(reader, "read", name);
  code = cs_hdf5_door_close(memory, H5Sclose, code, reader->error, reader->path);
  return cs_hdf5_door_close(file, H5Sclose, code, reader->error, reader->path);
}

static int pass_numbers(const struct reader *reader, hid_t dataset, const char *name, const struct shape *shape) {
  const struct rows rows = split(dataset, shape);
  void *data = malloc(rows.once * rows.items * cs_table_item_size(shape->type));
  int code = data != NULL ? CS_OK : cs_error_memory(reader->error);
  for (hsize_t first = 0, count; first < rows.all && code == CS_OK; first += count) {
    count = rows.all - first < rows.once ? rows.all - first : rows.once;
    const size_t items = count * rows.items;
    code = count == rows.all ? read_numbers(reader, dataset, name, shape->type, data)
                             : read_rows(reader, dataset, name, shape, first, count, data);
    if (code == CS_OK) code = check_flags(reader, dataset, shape, data, items);
    if (code == CS_OK) cs_stream_put_items(reader->to, shape->type, data, items);
  }
  free(data);
  return code;
}

/* ---- numbers that stay in the file ------------------------------------------------------------------------------ */

struct staying {
  size_t least;   /* bytes */
  hid_t *dataset; /* [count], which stay open */
  struct shape *shape;
  size_t count;
};

/* Of the root, and of a result: traces are small. */
static bool may_stay(const struct reader *reader, const char *name, const struct shape *shape) {
  const struct staying *s = reader->staying;
  if (s == NULL || reader->table->name != NULL || shape->type == CS_TEXT || shape->dimensions == 0) return false;
  if (shape->count * cs_table_item_size(shape->type) < s->least) return false;
  return cs_metric_find(name) >= 0 || strcmp(name, "status") == 0 || strcmp(name, "engine_used") == 0;
}

static int stay(const struct reader *reader, hid_t dataset, const struct shape *shape) {
  struct staying *s = reader->staying;
  if (!cs_list_grow(&s->dataset, s->count, sizeof *s->dataset) || !cs_list_grow(&s->shape, s->count, sizeof *s->shape))
    return cs_error_memory(reader->error);
  if (H5Iinc_ref(dataset) < 0) return fail(reader, "keep", NULL);
  s->dataset[s->count] = dataset;
  s->shape[s->count++] = *shape;
  return CS_OK;
}

/* Where a block begins, and its lengths; false if there is no such block. Returns its items in *count. */
static bool place_block(const struct shape *shape, size_t block, hsize_t *start, hsize_t *length, size_t *count) {
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

void cs_store_blocks(const struct cs_table *table, const struct cs_array *array, struct cs_lazy_array *lazy) {
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

static int read_block(const struct reader *reader, const struct cs_store_request *request, void *items, size_t *bytes) {
  const struct shape *shape = &reader->staying->shape[request->array];
  const hid_t dataset = reader->staying->dataset[request->array];
  hsize_t start[CS_MAX_DIMENSIONS], length[CS_MAX_DIMENSIONS];
  size_t count;
  if (!place_block(shape, request->block, start, length, &count))
    return cs_error_set(reader->error, CS_IO, "%s: has no such block", reader->path);
  *bytes = count * cs_table_item_size(shape->type);
  cs_child_limit_time(1.0 + (double)*bytes / PACE_FILE);
  const hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(shape->dimensions, length, NULL);
  const bool good = file >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, length, NULL) >= 0 &&
                    H5Dread(dataset, memory_type(shape->type), memory, file, H5P_DEFAULT, items) >= 0;
  int code = good ? check_flags(reader, dataset, shape, items, count) : fail(reader, "read", "a block");
  code = cs_hdf5_door_close(memory, H5Sclose, code, reader->error, reader->path);
  return cs_hdf5_door_close(file, H5Sclose, code, reader->error, reader->path);
}

static bool take_request(int answer, struct cs_store_request *request) {
  return recv(answer, request, sizeof *request, MSG_WAITALL) == (ssize_t)sizeof *request;
}

/* Until the other side has no more. */
static void answer_requests(const struct reader *reader, int answer) {
  struct cs_store_request request;
  void *items = malloc(CS_LAZY_BYTES);
  fflush(reader->to);
  while (take_request(answer, &request) && request.array < reader->staying->count) {
    struct cs_error error = {0};
    struct reader own = *reader;
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

static int read_array(const struct reader *reader, hid_t dataset, const char *name) {
  struct shape shape;
  struct about about = {0};
  size_t dimension[CS_MAX_DIMENSIONS];
  struct cs_array *array = NULL;
  int code = read_shape(reader, dataset, name, &shape);
  if (code == CS_OK) code = find_dimensions(reader, dataset, name, &shape, dimension);
  if (code == CS_OK) code = read_about(reader, dataset, &about);
  if (code == CS_OK)
    code = cs_table_declare_array(reader->table, name, about.unit, about.long_name, shape.type,
                                  (size_t)shape.dimensions, dimension, &array, reader->error);
  if (code != CS_OK) goto out;
  array->flag_meanings = about.flag_meanings;
  about.flag_meanings = NULL;
  if (may_stay(reader, name, &shape)) {
    cs_stream_put_absent(reader->to, array);
    code = stay(reader, dataset, &shape);
    goto out;
  }
  cs_stream_put_array(reader->to, array);
  code =
      shape.type == CS_TEXT ? pass_texts(reader, dataset, name, &shape) : pass_numbers(reader, dataset, name, &shape);
  if (code != CS_OK) cs_stream_put_items(reader->to, shape.type, NULL, 0);
out:
  clear_about(&about);
  return code;
}

static int add_note(const struct reader *reader, hid_t dataset, const char *name, const struct shape *shape) {
  double float64 = 0;
  int64_t int64 = 0;
  int code;
  if (shape->type == CS_TEXT) {
    char **text = NULL;
    code = read_texts(reader, dataset, name, shape->count, &text);
    if (code == CS_OK)
      code = cs_table_add_text(reader->table, name, shape->count, shape->dimensions == 0, (const char *const *)text,
                               reader->error);
    free_texts(text, shape->count);
    return code;
  }
  if (shape->count != 1) return fail_foreign(reader, name, "is not one number");
  if (shape->type == CS_FLOAT64)
    code = read_numbers(reader, dataset, name, CS_FLOAT64, &float64);
  else
    code = read_numbers(reader, dataset, name, CS_INT64, &int64);
  if (code != CS_OK) return code;
  return cs_table_add_number(reader->table, name, shape->type == CS_FLOAT64 ? CS_FLOAT64 : CS_INT64, float64, int64,
                             reader->error);
}

static int read_note(const struct reader *reader, hid_t dataset, const char *name) {
  struct shape shape;
  int code = read_shape(reader, dataset, name, &shape);
  if (code == CS_OK) code = add_note(reader, dataset, name, &shape);
  if (code == CS_OK) cs_stream_put_note(reader->to, &reader->table->note[reader->table->notes - 1]);
  return code;
}

enum what { SCALES, OTHERS, GROUPS };
typedef int read_object(const struct reader *reader, hid_t object, const char *name);

static bool is_what(hid_t object, const char *name, enum what what) {
  if (H5Iget_type(object) == H5I_GROUP) return what == GROUPS && strcmp(name, "provenance") != 0;
  return H5Iget_type(object) == H5I_DATASET && what == (H5DSis_scale(object) > 0 ? SCALES : OTHERS);
}

/* The name of link number `i` of a group in order of creation; *name is owned by the caller, also on failure. */
static int read_name(const struct reader *reader, hid_t group, hsize_t i, char **name) {
  const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
  const size_t size = length < 0 ? 0 : (size_t)length + 1;
  *name = NULL;
  if (size == 0) return fail(reader, "list", NULL);
  *name = malloc(size);
  if (*name == NULL) return cs_error_memory(reader->error);
  return H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, *name, size, H5P_DEFAULT) < 0
             ? fail(reader, "list", NULL)
             : CS_OK;
}

/* ---- judging datasets instead of wanting their contents */

struct judging {
  const struct cs_store_task *task;
  FILE *to;
  size_t seen;
};

/* Whether the dataset's data have checksums of their own. */
static bool is_summed(hid_t dataset) {
  const hid_t list = dataset >= 0 ? H5Dget_create_plist(dataset) : H5I_INVALID_HID;
  const bool summed =
      list >= 0 && H5Pget_filter_by_id2(list, H5Z_FILTER_FLETCHER32, NULL, NULL, NULL, 0, NULL, NULL) >= 0;
  if (list >= 0) H5Pclose(list);
  return summed;
}

static bool is_skipped(const struct cs_store_task *task, size_t number) {
  for (size_t i = 0; i < task->skips; i++)
    if (task->skip[i] == number) return true;
  return false;
}

/* Its path in the file. Flushed: should reading it crash, it is known what was read. */
static void put_name(struct judging *j, hid_t object, const char *name) {
  char path[1024];
  const bool known = object >= 0 && H5Iget_name(object, path, sizeof path) > 1;
  cs_stream_put_text(j->to, known ? path + 1 : name);
  cs_stream_put_count(j->to, j->seen);
  fflush(j->to);
}

/* Reads a dataset (negative: it cannot be opened, which is the `fault`) and passes its name and a verdict on. Where
 * memory fails there is none. */
static int judge(const struct reader *reader, hid_t dataset, const struct cs_error *fault, const char *name,
                 read_object *read) {
  struct judging *j = reader->judging;
  struct cs_error error = *fault;
  struct reader own = *reader;
  own.error = &error;
  j->seen++;
  if (is_skipped(j->task, j->seen)) return CS_OK;
  put_name(j, dataset, name);
  const int code = dataset < 0 ? CS_IO : read(&own, dataset, name);
  if (code == CS_DEVICE) {
    cs_stream_put_count(j->to, CS_STORE_UNJUDGED);
    return cs_error_set(reader->error, code, "%s", error.message);
  }
  cs_stream_put_count(j->to, code != CS_OK ? CS_STORE_DAMAGED : is_summed(dataset) ? CS_STORE_OK : CS_STORE_READABLE);
  cs_stream_put_text(j->to, error.message);
  return CS_OK;
}

/* ---- groups */

/* *object: negative, and the error says why, if it cannot be opened, or is not to be read. */
static int open_object(const struct reader *reader, hid_t group, const char *name, hid_t *object) {
  char why[CS_HDF5_DOOR_REASON] = CS_HDF5_DOOR_ELSEWHERE;
  H5L_info_t link;
  const bool leads = H5Lget_info(group, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_EXTERNAL;
  *object = leads ? H5I_INVALID_HID : H5Oopen(group, name, H5P_DEFAULT);
  if (!leads && *object < 0) return fail(reader, "open", name);
  if (!leads && (H5Iget_type(*object) != H5I_DATASET || !cs_hdf5_door_refuses(*object, why))) return CS_OK;
  if (*object >= 0) H5Oclose(*object);
  *object = H5I_INVALID_HID;
  return cs_error_set(reader->error, CS_IO, "%s: \"%s\" %s", reader->path, name, why);
}

/* An object that cannot be opened is none of the scales, and no group. */
static int visit(const struct reader *reader, hid_t group, const char *name, enum what what, read_object *read) {
  const bool judged = reader->judging != NULL && what != GROUPS;
  struct cs_error fault = {0};
  struct reader own = *reader;
  hid_t object;
  own.error = &fault;
  int code = open_object(&own, group, name, &object);
  if (code == CS_DEVICE || (code != CS_OK && !judged))
    *reader->error = fault;
  else if (object >= 0 ? !is_what(object, name, what) : what != OTHERS)
    code = CS_OK;
  else
    code = judged ? judge(reader, object, &fault, name, read) : read(reader, object, name);
  return cs_hdf5_door_close(object, H5Oclose, code, reader->error, reader->path);
}

/* Reads, in order of creation, the scales of a group, its other datasets, or its groups. */
static int read_group(const struct reader *reader, hid_t group, enum what what, read_object *read) {
  H5G_info_t info;
  if (H5Gget_info(group, &info) < 0) return fail(reader, "list", NULL);
  int code = CS_OK;
  for (hsize_t i = 0; i < info.nlinks && code == CS_OK; i++) {
    char *name;
    code = read_name(reader, group, i, &name);
    if (code == CS_OK) code = visit(reader, group, name, what, read);
    free(name);
  }
  return code;
}

/* A group other than that of the notes; there is at most one. */
static int read_subtable(const struct reader *reader, hid_t group, const char *name) {
  char *title = NULL;
  struct reader inner = *reader;
  if (reader->table->group != NULL) return fail_foreign(reader, name, "is a second group of results");
  int code = read_attribute(reader, group, "title", &title);
  if (code == CS_OK) code = cs_table_add_group(reader->table, name, title, &inner.table, reader->error);
  if (code == CS_OK) cs_stream_put_group(reader->to, inner.table);
  if (code == CS_OK) code = read_group(&inner, group, SCALES, read_dimension);
  if (code == CS_OK) code = read_group(&inner, group, OTHERS, read_array);
  free(title);
  return code;
}

static int read_table(struct reader *reader) {
  char *title = NULL, *source = NULL, *history = NULL;
  hid_t notes = H5I_INVALID_HID;
  if (H5Lexists(reader->file, "provenance", H5P_DEFAULT) <= 0)
    return cs_error_set(reader->error, CS_IO, "%s: has no group \"provenance\"; want a result file of cosweep",
                        reader->path);
  int code = read_attribute(reader, reader->file, "title", &title);
  if (code == CS_OK) code = read_attribute(reader, reader->file, "source", &source);
  if (code == CS_OK) code = read_attribute(reader, reader->file, "history", &history);
  if (code != CS_OK) goto out;
  reader->table = cs_table_new(title, source, history);
  if (reader->table == NULL) code = cs_error_memory(reader->error);
  if (code == CS_OK) cs_stream_put_table(reader->to, reader->table);
  if (code == CS_OK) code = read_group(reader, reader->file, SCALES, read_dimension);
  if (code == CS_OK) code = read_group(reader, reader->file, OTHERS, read_array);
  if (code == CS_OK) code = read_group(reader, reader->file, GROUPS, read_subtable);
  if (code != CS_OK) goto out;
  notes = H5Gopen2(reader->file, "provenance", H5P_DEFAULT);
  code = notes < 0 ? fail(reader, "open", "provenance") : read_group(reader, notes, OTHERS, read_note);
out:
  free(title);
  free(source);
  free(history);
  return cs_hdf5_door_close(notes, H5Gclose, code, reader->error, reader->path);
}

int cs_store_read_file(FILE *to, const struct cs_store_task *task, struct cs_error *error) {
  const char *path = task->path;
  struct allowance allowance = {.file = (double)task->size};
  struct judging judging = {.task = task, .to = to};
  struct reader reader = {.path = path, .to = to, .allowance = &allowance, .error = error};
  struct staying staying = {.least = task->least};
  if (task->judges) reader.judging = &judging;
  if (task->judges && (reader.to = fopen("/dev/null", "wb")) == NULL)
    return errno == ENOMEM ? cs_error_memory(error)
                           : cs_error_set(error, CS_IO, "/dev/null: cannot open: %s", strerror(errno));
  int code = allow(&reader, "", 0);
  cs_hdf5_door_quiet();
  cs_hdf5_door_confine();
  reader.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (reader.file < 0) code = cs_hdf5_door_fail(error, path, "open", NULL); /* before another call clears the reason */
  if (reader.file < 0 && H5Fis_hdf5(path) == 0)
    code = cs_error_set(error, CS_IO, "%s: is not an HDF5 file; want a result file of cosweep", path);
  reader.text = cs_hdf5_door_text_type();
  reader.transfer = cs_hdf5_door_text_transfer();
  if (code == CS_OK && task->least > 0 && H5Lexists(reader.file, "accepted", H5P_DEFAULT) <= 0)
    reader.staying = &staying;
  if (code == CS_OK) code = reader.text < 0 || reader.transfer < 0 ? fail(&reader, "read", NULL) : read_table(&reader);
  if (code == CS_OK && staying.count > 0) {
    cs_stream_put_end(to, CS_OK, error);
    answer_requests(&reader, task->answer);
  }
  cs_table_free(reader.table);
  return code; /* the process ends: nothing needs to be closed */
}
