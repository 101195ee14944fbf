#include "store_dataset.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "status.h"
#include "text.h"

enum { ALWAYS = 1 << 26, PACKED = 1100, PACE_FILE = 1 << 21, PACE_DATA = 1 << 24 }; /* bytes; ratio; bytes/s, slow */

int cs_store_dataset_allow(const struct cs_reader *reader, const char *name, double bytes) {
  struct cs_allowance *a = reader->allowance;
  a->taken += bytes;
  if (a->taken > ALWAYS + PACKED * a->file)
    return cs_error_set(reader->error, CS_IO,
                        "%s: \"%s\" holds more than a file of %.0f bytes can; the file is damaged", reader->path, name,
                        a->file);
  cs_child_limit_time(1.0 + a->file / PACE_FILE + a->taken / PACE_DATA);
  return CS_OK;
}

void cs_store_dataset_limit_time(size_t bytes) {
  cs_child_limit_time(1.0 + (double)bytes / PACE_FILE);
}

int cs_store_dataset_fail(const struct cs_reader *reader, const char *doing, const char *name) {
  return cs_hdf5_door_fail(reader->error, reader->path, doing, name);
}

int cs_store_dataset_fail_foreign(const struct cs_reader *reader, const char *name, const char *what) {
  return cs_error_set(reader->error, CS_IO, "%s: \"%s\" %s; want a result file of cosweep", reader->path, name, what);
}

/* Copies texts read by HDF5, NULL where none was written, and frees HDF5's memory. */
static int take_texts(const struct cs_reader *reader, hid_t space, char **raw, size_t count, char **text) {
  int code = CS_OK;
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    text[i] = cs_text_copy(raw[i] != NULL ? raw[i] : "");
    if (text[i] == NULL) code = cs_error_memory(reader->error);
  }
  if (H5Dvlen_reclaim(reader->text, space, H5P_DEFAULT, raw) < 0 && code == CS_OK)
    code = cs_store_dataset_fail(reader, "free memory", NULL);
  return code;
}

void cs_store_dataset_free_texts(char **text, size_t count) {
  for (size_t i = 0; text != NULL && i < count; i++)
    free(text[i]);
  free(text);
}

/* Other types must not be read as texts. */
static int check_text(const struct cs_reader *reader, hid_t type, const char *name) {
  if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) return CS_OK;
  return cs_store_dataset_fail_foreign(reader, name, "is not a text of variable length");
}

int cs_store_dataset_texts(const struct cs_reader *reader, hid_t dataset, const char *name, size_t count,
                           char ***text) {
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  char **raw = calloc(count, sizeof *raw);
  *text = calloc(count, sizeof **text);
  int code = raw != NULL && *text != NULL ? check_text(reader, type, name) : cs_error_memory(reader->error);
  if (code == CS_OK && H5Dread(dataset, reader->text, H5S_ALL, H5S_ALL, reader->transfer, raw) < 0)
    code = cs_store_dataset_fail(reader, "read", name);
  else if (code == CS_OK)
    code = take_texts(reader, space, raw, count, *text);
  if (code != CS_OK) {
    cs_store_dataset_free_texts(*text, count);
    *text = NULL;
  }
  free(raw);
  code = cs_hdf5_door_close(space, H5Sclose, code, reader->error, reader->path);
  return cs_hdf5_door_close(type, H5Tclose, code, reader->error, reader->path);
}

int cs_store_dataset_attribute(const struct cs_reader *reader, hid_t object, const char *name, char **text) {
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
    code = cs_store_dataset_fail_foreign(reader, name, "is not one text");
  if (code == CS_OK && H5Aread(attribute, reader->text, &raw) < 0)
    code = cs_store_dataset_fail(reader, "read the attribute", name);
  else if (code == CS_OK)
    code = take_texts(reader, space, &raw, 1, text);
  code = cs_hdf5_door_close(space, H5Sclose, code, reader->error, reader->path);
  code = cs_hdf5_door_close(type, H5Tclose, code, reader->error, reader->path);
  return cs_hdf5_door_close(attribute, H5Aclose, code, reader->error, reader->path);
}

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

int cs_store_dataset_check_flags(const struct cs_reader *reader, hid_t dataset, const struct cs_shape *shape,
                                 const void *data, size_t count) {
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

static int read_type(const struct cs_reader *reader, hid_t dataset, const char *name, enum cs_type *type) {
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
    code = cs_store_dataset_fail_foreign(reader, name, "has neither numbers nor texts");
  return cs_hdf5_door_close(id, H5Tclose, code, reader->error, reader->path);
}

int cs_store_dataset_shape(const struct cs_reader *reader, hid_t dataset, const char *name, struct cs_shape *shape) {
  hid_t space = H5Dget_space(dataset);
  int code = CS_OK;
  hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  shape->dimensions = count > 0 ? H5Sget_simple_extent_ndims(space) : -1;
  if (shape->dimensions < 0 || shape->dimensions > CS_MAX_DIMENSIONS ||
      H5Sget_simple_extent_dims(space, shape->length, NULL) < 0)
    code = cs_store_dataset_fail_foreign(reader, name, "has no data");
  shape->count = code != CS_OK ? 0 : (size_t)count;
  code = cs_hdf5_door_close(space, H5Sclose, code, reader->error, reader->path);
  shape->most = most_of(name);
  if (code == CS_OK) code = read_type(reader, dataset, name, &shape->type);
  return code == CS_OK ? cs_store_dataset_allow(reader, name, (double)shape->count * sizeof(double)) : code;
}

static hid_t memory_type(enum cs_type type) {
  return type == CS_FLOAT64 ? H5T_NATIVE_DOUBLE : type == CS_INT64 ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT8;
}

int cs_store_dataset_numbers(const struct cs_reader *reader, hid_t dataset, const char *name, enum cs_type type,
                             void *data) {
  if (H5Dread(dataset, memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    return cs_store_dataset_fail(reader, "read", name);
  return CS_OK;
}

/* Both selections have the same shape: HDF5 then copies whole runs of items, else one item after the other. */
int cs_store_dataset_part(const struct cs_reader *reader, hid_t dataset, const char *name, const struct cs_shape *shape,
                          const hsize_t *start, const hsize_t *length, void *data) {
  const hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(shape->dimensions, length, NULL);
  const bool good = file >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, length, NULL) >= 0 &&
                    H5Dread(dataset, memory_type(shape->type), memory, file, H5P_DEFAULT, data) >= 0;
  int code = good ? CS_OK : cs_store_dataset_fail(reader, "read", name);
  code = cs_hdf5_door_close(memory, H5Sclose, code, reader->error, reader->path);
  return cs_hdf5_door_close(file, H5Sclose, code, reader->error, reader->path);
}
