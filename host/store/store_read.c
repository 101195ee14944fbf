#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5_door.h"
#include "store_private.h"
#include "store_stay.h"
#include "stream.h"
#include "text.h"

/* The attributes of a dataset. */
struct about {
  char *unit, *long_name, *flag_meanings;
};

static int read_about(const struct cs_reader *reader, hid_t dataset, struct about *about) {
  *about = (struct about){0};
  int code = cs_store_dataset_attribute(reader, dataset, "units", &about->unit);
  if (code == CS_OK) code = cs_store_dataset_attribute(reader, dataset, "long_name", &about->long_name);
  if (code == CS_OK && H5Aexists(dataset, "flag_meanings") > 0)
    code = cs_store_dataset_attribute(reader, dataset, "flag_meanings", &about->flag_meanings);
  return code;
}

static void clear_about(struct about *about) {
  free(about->unit);
  free(about->long_name);
  free(about->flag_meanings);
}

static int read_dimension(const struct cs_reader *reader, hid_t dataset, const char *name) {
  struct cs_shape shape;
  struct about about = {0};
  double *values = NULL;
  char **labels = NULL;
  int code = cs_store_dataset_shape(reader, dataset, name, &shape);
  if (code == CS_OK && shape.dimensions != 1)
    code = cs_store_dataset_fail_foreign(reader, name, "is a scale of several dimensions");
  if (code == CS_OK) code = read_about(reader, dataset, &about);
  if (code != CS_OK) goto out;
  if (shape.type == CS_TEXT) {
    code = cs_store_dataset_texts(reader, dataset, name, shape.count, &labels);
  } else {
    values = malloc(shape.count * sizeof *values);
    code = values != NULL ? cs_store_dataset_numbers(reader, dataset, name, CS_FLOAT64, values)
                          : cs_error_memory(reader->error);
  }
  if (code == CS_OK)
    code = cs_table_add_dimension(reader->table, name, about.unit, about.long_name, shape.count, values,
                                  (const char *const *)labels, NULL, reader->error);
  if (code == CS_OK) cs_stream_put_dimension(reader->to, &reader->table->dimension[reader->table->dimensions - 1]);
out:
  cs_store_dataset_free_texts(labels, shape.count);
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
static int find_dimensions(const struct cs_reader *reader, hid_t dataset, const char *name,
                           const struct cs_shape *shape, size_t *dimension) {
  for (int i = 0; i < shape->dimensions; i++) {
    struct scale_name scale = {0};
    const struct cs_dimension *found = NULL;
    if (H5DSget_num_scales(dataset, (unsigned)i) == 1 &&
        H5DSiterate_scales(dataset, (unsigned)i, NULL, take_scale_name, &scale) > 0)
      found = cs_table_find_dimension(reader->table, scale.text);
    free(scale.text);
    if (scale.failed) return cs_error_memory(reader->error);
    if (found == NULL || found->length != shape->length[i])
      return cs_store_dataset_fail_foreign(reader, name, "has a dimension without a scale of its length");
    dimension[i] = (size_t)(found - reader->table->dimension);
  }
  return CS_OK;
}

/* ---- items of arrays, passed on as they are read */

static int pass_texts(const struct cs_reader *reader, hid_t dataset, const char *name, const struct cs_shape *shape) {
  char **text = NULL;
  const int code = cs_store_dataset_texts(reader, dataset, name, shape->count, &text);
  if (code == CS_OK) cs_stream_put_items(reader->to, CS_TEXT, text, shape->count);
  cs_store_dataset_free_texts(text, shape->count);
  return code;
}

enum { BLOCK = 1 << 22 }; /* bytes; more than any buffer of HDF5: what is then freed, the C library keeps */

/* The rows of an array, items with the same first index, and how many to read at once: whole chunks, as each is
 * unpacked as a whole. */
struct rows {
  hsize_t all, once;
  size_t items; /* of a row */
};

static struct rows split(hid_t dataset, const struct cs_shape *shape) {
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

static int pass_numbers(const struct cs_reader *reader, hid_t dataset, const char *name, const struct cs_shape *shape) {
  const struct rows rows = split(dataset, shape);
  void *data = malloc(rows.once * rows.items * cs_table_item_size(shape->type));
  int code = data != NULL ? CS_OK : cs_error_memory(reader->error);
  hsize_t start[CS_MAX_DIMENSIONS] = {0}, length[CS_MAX_DIMENSIONS];
  memcpy(length, shape->length, sizeof length);
  for (hsize_t count; start[0] < rows.all && code == CS_OK; start[0] += count) {
    count = rows.all - start[0] < rows.once ? rows.all - start[0] : rows.once;
    const size_t items = count * rows.items;
    length[0] = count;
    code = count == rows.all ? cs_store_dataset_numbers(reader, dataset, name, shape->type, data)
                             : cs_store_dataset_part(reader, dataset, name, shape, start, length, data);
    if (code == CS_OK) code = cs_store_dataset_check_flags(reader, dataset, shape, data, items);
    if (code == CS_OK) cs_stream_put_items(reader->to, shape->type, data, items);
  }
  free(data);
  return code;
}

static int read_array(const struct cs_reader *reader, hid_t dataset, const char *name) {
  struct cs_shape shape;
  struct about about = {0};
  size_t dimension[CS_MAX_DIMENSIONS];
  struct cs_array *array = NULL;
  int code = cs_store_dataset_shape(reader, dataset, name, &shape);
  if (code == CS_OK) code = find_dimensions(reader, dataset, name, &shape, dimension);
  if (code == CS_OK) code = read_about(reader, dataset, &about);
  if (code == CS_OK)
    code = cs_table_declare_array(reader->table, name, about.unit, about.long_name, shape.type,
                                  (size_t)shape.dimensions, dimension, &array, reader->error);
  if (code != CS_OK) goto out;
  array->flag_meanings = about.flag_meanings;
  about.flag_meanings = NULL;
  if (cs_store_stay_may(reader, name, &shape)) {
    cs_stream_put_absent(reader->to, array);
    code = cs_store_stay_keep(reader, dataset, &shape);
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

static int add_note(const struct cs_reader *reader, hid_t dataset, const char *name, const struct cs_shape *shape) {
  double float64 = 0;
  int64_t int64 = 0;
  int code;
  if (shape->type == CS_TEXT) {
    char **text = NULL;
    code = cs_store_dataset_texts(reader, dataset, name, shape->count, &text);
    if (code == CS_OK)
      code = cs_table_add_text(reader->table, name, shape->count, shape->dimensions == 0, (const char *const *)text,
                               reader->error);
    cs_store_dataset_free_texts(text, shape->count);
    return code;
  }
  if (shape->count != 1) return cs_store_dataset_fail_foreign(reader, name, "is not one number");
  if (shape->type == CS_FLOAT64)
    code = cs_store_dataset_numbers(reader, dataset, name, CS_FLOAT64, &float64);
  else
    code = cs_store_dataset_numbers(reader, dataset, name, CS_INT64, &int64);
  if (code != CS_OK) return code;
  return cs_table_add_number(reader->table, name, shape->type == CS_FLOAT64 ? CS_FLOAT64 : CS_INT64, float64, int64,
                             reader->error);
}

static int read_note(const struct cs_reader *reader, hid_t dataset, const char *name) {
  struct cs_shape shape;
  int code = cs_store_dataset_shape(reader, dataset, name, &shape);
  if (code == CS_OK) code = add_note(reader, dataset, name, &shape);
  if (code == CS_OK) cs_stream_put_note(reader->to, &reader->table->note[reader->table->notes - 1]);
  return code;
}

enum what { SCALES, OTHERS, GROUPS };
typedef int read_object(const struct cs_reader *reader, hid_t object, const char *name);

static bool is_what(hid_t object, const char *name, enum what what) {
  if (H5Iget_type(object) == H5I_GROUP) return what == GROUPS && strcmp(name, "provenance") != 0;
  return H5Iget_type(object) == H5I_DATASET && what == (H5DSis_scale(object) > 0 ? SCALES : OTHERS);
}

/* The name of link number `i` of a group in order of creation; *name is owned by the caller, also on failure. */
static int read_name(const struct cs_reader *reader, hid_t group, hsize_t i, char **name) {
  const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
  const size_t size = length < 0 ? 0 : (size_t)length + 1;
  *name = NULL;
  if (size == 0) return cs_store_dataset_fail(reader, "list", NULL);
  *name = malloc(size);
  if (*name == NULL) return cs_error_memory(reader->error);
  return H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, *name, size, H5P_DEFAULT) < 0
             ? cs_store_dataset_fail(reader, "list", NULL)
             : CS_OK;
}

/* ---- judging datasets instead of wanting their contents */

struct cs_judging {
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
static void put_name(struct cs_judging *j, hid_t object, const char *name) {
  char path[1024];
  const bool known = object >= 0 && H5Iget_name(object, path, sizeof path) > 1;
  cs_stream_put_text(j->to, known ? path + 1 : name);
  cs_stream_put_count(j->to, j->seen);
  fflush(j->to);
}

/* Reads a dataset (negative: it cannot be opened, which is the `fault`) and passes its name and a verdict on. Where
 * memory fails there is none. */
static int judge(const struct cs_reader *reader, hid_t dataset, const struct cs_error *fault, const char *name,
                 read_object *read) {
  struct cs_judging *j = reader->judging;
  struct cs_error error = *fault;
  struct cs_reader own = *reader;
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
static int open_object(const struct cs_reader *reader, hid_t group, const char *name, hid_t *object) {
  char why[CS_HDF5_DOOR_REASON] = CS_HDF5_DOOR_ELSEWHERE;
  H5L_info_t link;
  const bool leads = H5Lget_info(group, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_EXTERNAL;
  *object = leads ? H5I_INVALID_HID : H5Oopen(group, name, H5P_DEFAULT);
  if (!leads && *object < 0) return cs_store_dataset_fail(reader, "open", name);
  if (!leads && (H5Iget_type(*object) != H5I_DATASET || !cs_hdf5_door_refuses(*object, why))) return CS_OK;
  if (*object >= 0) H5Oclose(*object);
  *object = H5I_INVALID_HID;
  return cs_error_set(reader->error, CS_IO, "%s: \"%s\" %s", reader->path, name, why);
}

/* An object that cannot be opened is none of the scales, and no group. */
static int visit(const struct cs_reader *reader, hid_t group, const char *name, enum what what, read_object *read) {
  const bool judged = reader->judging != NULL && what != GROUPS;
  struct cs_error fault = {0};
  struct cs_reader own = *reader;
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
static int read_group(const struct cs_reader *reader, hid_t group, enum what what, read_object *read) {
  H5G_info_t info;
  if (H5Gget_info(group, &info) < 0) return cs_store_dataset_fail(reader, "list", NULL);
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
static int read_subtable(const struct cs_reader *reader, hid_t group, const char *name) {
  char *title = NULL;
  struct cs_reader inner = *reader;
  if (reader->table->group != NULL) return cs_store_dataset_fail_foreign(reader, name, "is a second group of results");
  int code = cs_store_dataset_attribute(reader, group, "title", &title);
  if (code == CS_OK) code = cs_table_add_group(reader->table, name, title, &inner.table, reader->error);
  if (code == CS_OK) cs_stream_put_group(reader->to, inner.table);
  if (code == CS_OK) code = read_group(&inner, group, SCALES, read_dimension);
  if (code == CS_OK) code = read_group(&inner, group, OTHERS, read_array);
  free(title);
  return code;
}

static int read_table(struct cs_reader *reader) {
  char *title = NULL, *source = NULL, *history = NULL;
  hid_t notes = H5I_INVALID_HID;
  if (H5Lexists(reader->file, "provenance", H5P_DEFAULT) <= 0)
    return cs_error_set(reader->error, CS_IO, "%s: has no group \"provenance\"; want a result file of cosweep",
                        reader->path);
  int code = cs_store_dataset_attribute(reader, reader->file, "title", &title);
  if (code == CS_OK) code = cs_store_dataset_attribute(reader, reader->file, "source", &source);
  if (code == CS_OK) code = cs_store_dataset_attribute(reader, reader->file, "history", &history);
  if (code != CS_OK) goto out;
  reader->table = cs_table_new(title, source, history);
  if (reader->table == NULL) code = cs_error_memory(reader->error);
  if (code == CS_OK) cs_stream_put_table(reader->to, reader->table);
  if (code == CS_OK) code = read_group(reader, reader->file, SCALES, read_dimension);
  if (code == CS_OK) code = read_group(reader, reader->file, OTHERS, read_array);
  if (code == CS_OK) code = read_group(reader, reader->file, GROUPS, read_subtable);
  if (code != CS_OK) goto out;
  notes = H5Gopen2(reader->file, "provenance", H5P_DEFAULT);
  code = notes < 0 ? cs_store_dataset_fail(reader, "open", "provenance") : read_group(reader, notes, OTHERS, read_note);
out:
  free(title);
  free(source);
  free(history);
  return cs_hdf5_door_close(notes, H5Gclose, code, reader->error, reader->path);
}

int cs_store_read_file(FILE *to, const struct cs_store_task *task, struct cs_error *error) {
  const char *path = task->path;
  struct cs_allowance allowance = {.file = (double)task->size};
  struct cs_judging judging = {.task = task, .to = to};
  struct cs_reader reader = {.path = path, .to = to, .allowance = &allowance, .error = error};
  struct cs_staying staying = {.least = task->least};
  if (task->judges) reader.judging = &judging;
  if (task->judges && (reader.to = fopen("/dev/null", "wb")) == NULL)
    return errno == ENOMEM ? cs_error_memory(error)
                           : cs_error_set(error, CS_IO, "/dev/null: cannot open: %s", strerror(errno));
  int code = cs_store_dataset_allow(&reader, "", 0);
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
  if (code == CS_OK)
    code = reader.text < 0 || reader.transfer < 0 ? cs_store_dataset_fail(&reader, "read", NULL) : read_table(&reader);
  if (code == CS_OK && staying.count > 0) {
    cs_stream_put_end(to, CS_OK, error);
    cs_store_stay_answer(&reader, task->answer);
  }
  cs_table_free(reader.table);
  return code; /* the process ends: nothing needs to be closed */
}
