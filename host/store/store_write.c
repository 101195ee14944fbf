#include "store_write.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store_driver.h"
#include "store_items.h"
#include "text.h"

enum { BRANCHES = 4 /* half the entries of a node in an index of chunks; few, as nodes are never smaller */ };

static hid_t file_type(const struct cs_store_writer *writer, enum cs_type type) {
  switch (type) {
    case CS_FLOAT64:
      return H5T_IEEE_F64LE;
    case CS_INT64:
      return H5T_STD_I64LE;
    case CS_UINT8:
      return H5T_STD_U8LE;
    case CS_TEXT:
      return writer->text;
  }
  return H5I_INVALID_HID;
}

static hid_t memory_type(const struct cs_store_writer *writer, enum cs_type type) {
  switch (type) {
    case CS_FLOAT64:
      return H5T_NATIVE_DOUBLE;
    case CS_INT64:
      return H5T_NATIVE_INT64;
    case CS_UINT8:
      return H5T_NATIVE_UINT8;
    case CS_TEXT:
      return writer->text;
  }
  return H5I_INVALID_HID;
}

/* Times are not recorded, so that the same table gives the same file. The order of attributes is, because netCDF reads
 * in that order. Texts are stored in HDF5's heap, to which filters do not apply; in chunks only where they `grow`. */
static hid_t creation(enum cs_type type, size_t dimensions, const hsize_t *length, bool grow) {
  static const double missing = NAN;
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (list < 0) return list;
  double bytes = (double)cs_table_item_size(type);
  for (size_t i = 0; i < dimensions; i++)
    bytes *= (double)length[i];
  bool good = H5Pset_obj_track_times(list, false) >= 0 &&
              H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0;
  if (good && type == CS_FLOAT64) good = H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &missing) >= 0;
  if (good && dimensions > 0 && (grow || type != CS_TEXT)) {
    hsize_t chunk[CS_MAX_DIMENSIONS];
    cs_store_items_shape(dimensions, length, cs_table_item_size(type), chunk);
    good = H5Pset_chunk(list, (int)dimensions, chunk) >= 0;
    if (good && type != CS_TEXT && cs_store_items_deflate(bytes))
      good = H5Pset_shuffle(list) >= 0 && H5Pset_deflate(list, 1) >= 0;
    if (good && type != CS_TEXT) good = H5Pset_fletcher32(list) >= 0;
  }
  if (good) return list;
  H5Pclose(list);
  return H5I_INVALID_HID;
}

/* `count` 0: a scalar. */
static int write_attribute(struct cs_store_writer *writer, hid_t object, const char *name, hid_t type, hid_t memory,
                           size_t count, const void *value) {
  int code = CS_OK;
  hid_t attribute = H5I_INVALID_HID;
  hsize_t length = count;
  hid_t space = count ? H5Screate_simple(1, &length, NULL) : H5Screate(H5S_SCALAR);
  if (space >= 0) attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0 || H5Awrite(attribute, memory, value) < 0)
    code = cs_hdf5_door_fail(writer->error, writer->path, "write the attribute", name);
  code = cs_hdf5_door_close(attribute, H5Aclose, code, writer->error, writer->path);
  return cs_hdf5_door_close(space, H5Sclose, code, writer->error, writer->path);
}

static int write_text_attribute(struct cs_store_writer *writer, hid_t object, const char *name, const char *text) {
  return write_attribute(writer, object, name, writer->text, writer->text, 0, &text);
}

/* The attributes of every dataset. */
static int describe(struct cs_store_writer *writer, hid_t dataset, const char *unit, const char *long_name) {
  int code = write_text_attribute(writer, dataset, "long_name", long_name);
  if (code == CS_OK) code = write_text_attribute(writer, dataset, "units", unit);
  return code;
}

/* The CF convention for flags. */
static int write_flags(struct cs_store_writer *writer, hid_t dataset, const char *meanings) {
  uint8_t value[256];
  size_t count = 0;
  for (const char *word = meanings; *word && count < 256;) {
    size_t length = strcspn(word, " ");
    if (length) {
      value[count] = (uint8_t)count;
      count++;
    }
    word += length + strspn(word + length, " ");
  }
  if (count == 0) return CS_OK;
  int code = write_attribute(writer, dataset, "flag_values", H5T_STD_U8LE, H5T_NATIVE_UINT8, count, value);
  if (code == CS_OK) code = write_text_attribute(writer, dataset, "flag_meanings", meanings);
  return code;
}

/* Numbers of several dimensions go chunk by chunk, packed by us; without data they follow. */
static int write_items(struct cs_store_writer *writer, hid_t dataset, const char *name, enum cs_type type,
                       size_t dimensions, const hsize_t *length, const void *data) {
  if (type == CS_TEXT || dimensions == 0)
    return H5Dwrite(dataset, memory_type(writer, type), H5S_ALL, H5S_ALL,
                    type == CS_TEXT ? writer->transfer : H5P_DEFAULT, data) >= 0
               ? cs_claim_check(writer->claim, writer->error)
               : cs_hdf5_door_fail(writer->error, writer->path, "write", name);
  if (data == NULL) return CS_OK;
  struct cs_store_items items = cs_store_items_begin(writer, dataset, name, type, dimensions, length);
  size_t count = 1;
  for (size_t i = 0; i < dimensions; i++)
    count *= length[i];
  const int code = cs_store_items_put(&items, data, count);
  cs_store_items_end(&items);
  return code;
}

/* Writes a dataset of the given shape; `dimensions` 0: a scalar; `most`: maximum lengths, NULL: as given. The caller
 * closes *dataset, also on failure. */
static int write_growing(struct cs_store_writer *writer, hid_t group, const char *name, enum cs_type type,
                         size_t dimensions, const hsize_t *length, const hsize_t *most, const void *data,
                         hid_t *dataset) {
  int code;
  hid_t list = creation(type, dimensions, length, most != NULL);
  hid_t space = dimensions ? H5Screate_simple((int)dimensions, length, most) : H5Screate(H5S_SCALAR);
  *dataset = H5I_INVALID_HID;
  if (list >= 0 && space >= 0)
    *dataset = H5Dcreate2(group, name, file_type(writer, type), space, H5P_DEFAULT, list, H5P_DEFAULT);
  code = *dataset < 0 ? cs_hdf5_door_fail(writer->error, writer->path, "write", name)
                      : write_items(writer, *dataset, name, type, dimensions, length, data);
  code = cs_hdf5_door_close(space, H5Sclose, code, writer->error, writer->path);
  return cs_hdf5_door_close(list, H5Pclose, code, writer->error, writer->path);
}

static int write_dataset(struct cs_store_writer *writer, hid_t group, const char *name, enum cs_type type,
                         size_t dimensions, const hsize_t *length, const void *data, hid_t *dataset) {
  return write_growing(writer, group, name, type, dimensions, length, NULL, data, dataset);
}

static int write_dimension(struct cs_store_writer *writer, hid_t group, const struct cs_dimension *dimension) {
  hid_t dataset;
  const hsize_t length = dimension->length, most = H5S_UNLIMITED;
  const void *data = dimension->labels != NULL ? (const void *)dimension->labels : dimension->values;
  int code = write_growing(writer, group, dimension->name, dimension->labels != NULL ? CS_TEXT : CS_FLOAT64, 1, &length,
                           dimension->unlimited ? &most : NULL, data, &dataset);
  if (code == CS_OK && H5DSset_scale(dataset, dimension->name) < 0)
    code = cs_hdf5_door_fail(writer->error, writer->path, "make a scale of", dimension->name);
  if (code == CS_OK) code = describe(writer, dataset, dimension->unit, dimension->long_name);
  return cs_hdf5_door_close(dataset, H5Dclose, code, writer->error, writer->path);
}

static int attach(struct cs_store_writer *writer, hid_t group, hid_t dataset, size_t index, const char *name) {
  int code = CS_OK;
  hid_t scale = H5Dopen2(group, name, H5P_DEFAULT);
  if (scale < 0 || H5DSattach_scale(dataset, scale, (unsigned)index) < 0 ||
      H5DSset_label(dataset, (unsigned)index, name) < 0)
    code = cs_hdf5_door_fail(writer->error, writer->path, "attach the scale", name);
  return cs_hdf5_door_close(scale, H5Dclose, code, writer->error, writer->path);
}

/* The texts of an array; those that were never set, NULL in the table, are "" in the file. */
static const char **whole_texts(const struct cs_array *array) {
  const char **text = calloc(array->count, sizeof *text);
  for (size_t i = 0; text != NULL && i < array->count; i++)
    text[i] = array->data.text[i] != NULL ? array->data.text[i] : "";
  return text;
}

/* The numbers of an array that are in the table's file. */
static int write_placed(struct cs_store_writer *writer, hid_t dataset, const struct cs_table *table,
                        const struct cs_array *array, const hsize_t *length) {
  const size_t most = CS_STORE_ITEMS_CHUNK / cs_table_item_size(array->type);
  struct cs_store_items items =
      cs_store_items_begin(writer, dataset, array->name, array->type, array->dimensions, length);
  void *part = malloc(CS_STORE_ITEMS_CHUNK);
  int code = part == NULL ? cs_error_memory(writer->error) : CS_OK;
  for (size_t first = 0, count; first < array->count && code == CS_OK; first += count) {
    count = array->count - first < most ? array->count - first : most;
    code = cs_table_get(table, array, first, part, count, writer->error);
    if (code == CS_OK) code = cs_store_items_put(&items, part, count);
  }
  free(part);
  cs_store_items_end(&items);
  return code;
}

static int write_array(struct cs_store_writer *writer, hid_t group, const struct cs_table *table,
                       const struct cs_array *array) {
  static const double missing = NAN;
  hid_t dataset = H5I_INVALID_HID;
  hsize_t length[CS_MAX_DIMENSIONS], most[CS_MAX_DIMENSIONS];
  bool grows = false;
  for (size_t i = 0; i < array->dimensions; i++) {
    const struct cs_dimension *dimension = &table->dimension[array->dimension[i]];
    length[i] = dimension->length;
    most[i] = dimension->unlimited ? H5S_UNLIMITED : length[i];
    grows = grows || dimension->unlimited;
  }
  const char **text = array->type == CS_TEXT ? whole_texts(array) : NULL;
  if (array->type == CS_TEXT && text == NULL) return cs_error_memory(writer->error);
  const void *data = text != NULL ? (const void *)text : array->data.float64;
  int code = write_growing(writer, group, array->name, array->type, array->dimensions, length, grows ? most : NULL,
                           data, &dataset);
  if (code == CS_OK && array->lazy != NULL) code = write_placed(writer, dataset, table, array, length);
  for (size_t i = 0; i < array->dimensions && code == CS_OK; i++)
    code = attach(writer, group, dataset, i, table->dimension[array->dimension[i]].name);
  if (code == CS_OK) code = describe(writer, dataset, array->unit, array->long_name);
  if (code == CS_OK && array->type == CS_FLOAT64)
    code = write_attribute(writer, dataset, "_FillValue", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &missing);
  if (code == CS_OK && array->flag_meanings != NULL) code = write_flags(writer, dataset, array->flag_meanings);
  free(text);
  return cs_hdf5_door_close(dataset, H5Dclose, code, writer->error, writer->path);
}

/* The scale of a list of texts: 0, 1, 2, ... named <note>_number. */
static int write_numbers(struct cs_store_writer *writer, hid_t group, const char *name, size_t count) {
  hid_t dataset = H5I_INVALID_HID;
  hsize_t length = count;
  int64_t *number = calloc(count, sizeof *number);
  if (number == NULL) return cs_error_memory(writer->error);
  for (size_t i = 0; i < count; i++)
    number[i] = (int64_t)i;
  int code = write_dataset(writer, group, name, CS_INT64, 1, &length, number, &dataset);
  if (code == CS_OK && H5DSset_scale(dataset, name) < 0)
    code = cs_hdf5_door_fail(writer->error, writer->path, "make a scale of", name);
  if (code == CS_OK) code = describe(writer, dataset, "1", "number in the list, from 0");
  free(number);
  return cs_hdf5_door_close(dataset, H5Dclose, code, writer->error, writer->path);
}

static int write_note(struct cs_store_writer *writer, hid_t group, const struct cs_note *note) {
  hid_t dataset = H5I_INVALID_HID;
  hsize_t length = note->count;
  struct cs_text scale = {0};
  int code = CS_OK;
  if (!note->scalar) {
    cs_text_add(&scale, "%s_number", note->name);
    code = scale.failed ? cs_error_memory(writer->error) : write_numbers(writer, group, scale.data, note->count);
  }
  const void *data = note->text;
  if (note->type == CS_FLOAT64) data = &note->float64;
  if (note->type == CS_INT64) data = &note->int64;
  if (code == CS_OK)
    code = write_dataset(writer, group, note->name, note->type, note->scalar ? 0 : 1, &length, data, &dataset);
  if (code == CS_OK && !note->scalar) code = attach(writer, group, dataset, 0, scale.data);
  cs_text_free(&scale);
  return cs_hdf5_door_close(dataset, H5Dclose, code, writer->error, writer->path);
}

/* The caller closes the group, also on failure. */
static int make_group(struct cs_store_writer *writer, const char *name, hid_t *group) {
  hid_t list = H5Pcreate(H5P_GROUP_CREATE);
  int code = CS_OK;
  *group = H5I_INVALID_HID;
  if (list >= 0 && H5Pset_obj_track_times(list, false) >= 0 &&
      H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0 &&
      H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
    *group = H5Gcreate2(writer->file, name, H5P_DEFAULT, list, H5P_DEFAULT);
  if (*group < 0) code = cs_hdf5_door_fail(writer->error, writer->path, "write", name);
  return cs_hdf5_door_close(list, H5Pclose, code, writer->error, writer->path);
}

static int write_notes(struct cs_store_writer *writer, const struct cs_table *table) {
  hid_t group;
  int code = make_group(writer, "provenance", &group);
  for (size_t i = 0; i < table->notes && code == CS_OK; i++)
    code = write_note(writer, group, &table->note[i]);
  return cs_hdf5_door_close(group, H5Gclose, code, writer->error, writer->path);
}

/* Dimensions and arrays of the root or of a group. */
static int write_contents(struct cs_store_writer *writer, hid_t group, const struct cs_table *table) {
  int code = CS_OK;
  for (size_t i = 0; i < table->dimensions && code == CS_OK; i++)
    code = write_dimension(writer, group, &table->dimension[i]);
  for (size_t i = 0; i < table->arrays && code == CS_OK; i++)
    code = write_array(writer, group, table, &table->array[i]);
  return code;
}

static int write_group(struct cs_store_writer *writer, const struct cs_table *table) {
  hid_t group;
  int code = make_group(writer, table->name, &group);
  if (code == CS_OK) code = write_text_attribute(writer, group, "title", table->title);
  if (code == CS_OK) code = write_contents(writer, group, table);
  return cs_hdf5_door_close(group, H5Gclose, code, writer->error, writer->path);
}

static int write_table(struct cs_store_writer *writer, const struct cs_table *table) {
  const struct {
    const char *name, *text;
  } root[] = {
      {"Conventions", "CF-1.8"}, {"title", table->title}, {"source", table->source}, {"history", table->history}};
  const struct cs_note *point = cs_table_find_note(table, "linearised");
  int code = CS_OK;
  for (size_t i = 0; i < sizeof root / sizeof *root && code == CS_OK; i++)
    code = write_text_attribute(writer, writer->file, root[i].name, root[i].text);
  if (code == CS_OK && point != NULL) /* of the notes the one without which numbers would be misread */
    code = write_text_attribute(writer, writer->file, point->name, point->text[0]);
  if (code == CS_OK) code = write_contents(writer, writer->file, table);
  if (code == CS_OK && table->group != NULL) code = write_group(writer, table->group);
  if (code == CS_OK) code = write_notes(writer, table);
  return code;
}

static hid_t file_creation(void) {
  hid_t list = H5Pcreate(H5P_FILE_CREATE);
  if (list < 0 || (H5Pset_obj_track_times(list, false) >= 0 &&
                   H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0 &&
                   H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0 &&
                   H5Pset_istore_k(list, BRANCHES) >= 0))
    return list;
  H5Pclose(list);
  return H5I_INVALID_HID;
}

/* The number of branches is stored in an object of its own, which has times unless the library's defaults leave them
 * out. */
static hid_t create_without_times(const char *path, hid_t creating, hid_t access) {
  if (H5Pset_obj_track_times(H5P_GROUP_CREATE_DEFAULT, false) < 0) return H5I_INVALID_HID;
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creating, access);
  H5Pset_obj_track_times(H5P_GROUP_CREATE_DEFAULT, true);
  return file;
}

/* Closing the file closes everything left open by a failure. */
static hid_t create_file(struct cs_store_writer *writer) {
  hid_t file = H5I_INVALID_HID;
  hid_t creating = file_creation(), access = H5Pcreate(H5P_FILE_ACCESS);
  if (creating >= 0 && access >= 0 && cs_store_driver_set(access, writer->link, &writer->driver) &&
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
      H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) >= 0)
    file = create_without_times(writer->path, creating, access);
  if (creating >= 0) H5Pclose(creating);
  if (access >= 0) H5Pclose(access);
  return file;
}

/* The lack of memory of HDF5 hides no failure of the claim. */
static int close_file(struct cs_store_writer *writer, int code) {
  code = cs_hdf5_door_close(writer->text, H5Tclose, code, writer->error, writer->path);
  code = cs_hdf5_door_close(writer->transfer, H5Pclose, code, writer->error, writer->path);
  code = cs_hdf5_door_close(writer->file, H5Fclose, code, writer->error, writer->path);
  cs_store_driver_let_go(writer->link, writer->driver);
  return code == CS_OK ? cs_claim_check(writer->claim, writer->error) : code;
}

int cs_store_write(struct cs_claim *claim, const struct cs_table *table, struct cs_error *error) {
  struct cs_hdf5_door_quiet quiet = cs_hdf5_door_quiet();
  struct cs_store_writer writer = {.file = H5I_INVALID_HID,
                                   .driver = H5I_INVALID_HID,
                                   .path = cs_claim_path(claim),
                                   .claim = claim,
                                   .chunk = cs_chunk_new(),
                                   .error = error};
  writer.link = calloc(1, sizeof *writer.link);
  int code = writer.chunk == NULL || writer.link == NULL ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK) writer.link->claim = claim;
  writer.text = cs_hdf5_door_text_type();
  writer.transfer = cs_hdf5_door_text_transfer();
  if (code == CS_OK) writer.file = create_file(&writer);
  if (code == CS_OK && writer.link->failed) code = cs_error_memory(error);
  if (code == CS_OK && (writer.file < 0 || writer.text < 0 || writer.transfer < 0))
    code = cs_hdf5_door_fail(error, writer.path, "begin", NULL);
  if (code == CS_OK) code = write_table(&writer, table);
  code = close_file(&writer, code);
  cs_chunk_free(writer.chunk);
  cs_hdf5_door_loud(quiet);
  return code;
}
