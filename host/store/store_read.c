#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5_door.h"
#include "shape.h"
#include "store.h"
#include "text.h"

/* An open file and its error record. */
struct reader {
  hid_t file, text;
  const char *path;
  struct cs_table *table;
  struct cs_error *error;
};

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
  if (code == CS_OK && H5Dread(dataset, reader->text, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) < 0)
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
};

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
  return code != CS_OK ? code : read_type(reader, dataset, name, &shape->type);
}

static int read_numbers(const struct reader *reader, hid_t dataset, const char *name, enum cs_type type, void *data) {
  hid_t memory = type == CS_FLOAT64 ? H5T_NATIVE_DOUBLE : type == CS_INT64 ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT8;
  if (H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) return fail(reader, "read", name);
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
out:
  free_texts(labels, shape.count);
  free(values);
  clear_about(&about);
  return code;
}

/* Copies the name of a dimension's scale to `data`, a char *. */
static herr_t take_scale_name(hid_t dataset, unsigned index, hid_t scale, void *data) {
  (void)dataset;
  (void)index;
  char **name = data;
  const ssize_t length = H5DSget_scale_name(scale, NULL, 0);
  *name = length > 0 ? malloc((size_t)length + 1) : NULL;
  return *name != NULL && H5DSget_scale_name(scale, *name, (size_t)length + 1) > 0 ? 1 : -1;
}

/* Finds the table's dimensions by the scales attached to a dataset. */
static int find_dimensions(const struct reader *reader, hid_t dataset, const char *name, const struct shape *shape,
                           size_t *dimension) {
  for (int i = 0; i < shape->dimensions; i++) {
    char *scale = NULL;
    const struct cs_dimension *found = NULL;
    if (H5DSget_num_scales(dataset, (unsigned)i) == 1 &&
        H5DSiterate_scales(dataset, (unsigned)i, NULL, take_scale_name, &scale) > 0)
      found = cs_table_find_dimension(reader->table, scale);
    free(scale);
    if (found == NULL || found->length != shape->length[i])
      return fail_foreign(reader, name, "has a dimension without a scale of its length");
    dimension[i] = (size_t)(found - reader->table->dimension);
  }
  return CS_OK;
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
    code = cs_table_add_array(reader->table, name, about.unit, about.long_name, shape.type, (size_t)shape.dimensions,
                              dimension, &array, reader->error);
  if (code != CS_OK) goto out;
  array->flag_meanings = about.flag_meanings;
  about.flag_meanings = NULL;
  if (shape.type != CS_TEXT) {
    code = read_numbers(reader, dataset, name, shape.type, array->data.float64);
  } else {
    char **text = NULL;
    code = read_texts(reader, dataset, name, shape.count, &text);
    for (size_t i = 0; i < shape.count && text != NULL; i++)
      array->data.text[i] = text[i];
    free(text);
  }
out:
  clear_about(&about);
  return code;
}

static int read_note(const struct reader *reader, hid_t dataset, const char *name) {
  struct shape shape;
  double float64 = 0;
  int64_t int64 = 0;
  int code = read_shape(reader, dataset, name, &shape);
  if (code != CS_OK) return code;
  if (shape.type == CS_TEXT) {
    char **text = NULL;
    code = read_texts(reader, dataset, name, shape.count, &text);
    if (code == CS_OK)
      code = cs_table_add_text(reader->table, name, shape.count, shape.dimensions == 0, (const char *const *)text,
                               reader->error);
    free_texts(text, shape.count);
    return code;
  }
  if (shape.count != 1) return fail_foreign(reader, name, "is not one number");
  if (shape.type == CS_FLOAT64)
    code = read_numbers(reader, dataset, name, CS_FLOAT64, &float64);
  else
    code = read_numbers(reader, dataset, name, CS_INT64, &int64);
  if (code != CS_OK) return code;
  return cs_table_add_number(reader->table, name, shape.type == CS_FLOAT64 ? CS_FLOAT64 : CS_INT64, float64, int64,
                             reader->error);
}

enum what { SCALES, OTHERS, GROUPS };

static bool is_what(hid_t object, const char *name, enum what what) {
  if (H5Iget_type(object) == H5I_GROUP) return what == GROUPS && strcmp(name, "provenance") != 0;
  return H5Iget_type(object) == H5I_DATASET && what == (H5DSis_scale(object) > 0 ? SCALES : OTHERS);
}

/* The name of link number `i` of a group in order of creation; NULL on failure. */
static char *link_name(hid_t group, hsize_t i) {
  const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
  const size_t size = length < 0 ? 0 : (size_t)length + 1;
  char *name = size > 0 ? malloc(size) : NULL;
  if (name != NULL && H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, size, H5P_DEFAULT) < 0) {
    free(name);
    name = NULL;
  }
  return name;
}

/* Reads, in order of creation, the scales of a group, its other datasets, or its groups. */
static int read_group(const struct reader *reader, hid_t group, enum what what,
                      int (*read)(const struct reader *reader, hid_t dataset, const char *name)) {
  H5G_info_t info;
  if (H5Gget_info(group, &info) < 0) return fail(reader, "list", NULL);
  int code = CS_OK;
  for (hsize_t i = 0; i < info.nlinks && code == CS_OK; i++) {
    char *name = link_name(group, i);
    if (name == NULL) return fail(reader, "list", NULL);
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0) code = fail(reader, "open", name);
    if (object >= 0 && is_what(object, name, what)) code = read(reader, object, name);
    code = cs_hdf5_door_close(object, H5Oclose, code, reader->error, reader->path);
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

int cs_store_read(const char *path, struct cs_table **table, struct cs_error *error) {
  *table = NULL;
  struct cs_hdf5_door_quiet quiet = cs_hdf5_door_quiet();
  struct reader reader = {.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), .path = path, .error = error};
  int code = CS_OK;
  if (reader.file < 0) code = cs_hdf5_door_fail(error, path, "open", NULL); /* before another call clears the reason */
  if (reader.file < 0 && H5Fis_hdf5(path) == 0)
    code = cs_error_set(error, CS_IO, "%s: is not an HDF5 file; want a result file of cosweep", path);
  reader.text = cs_hdf5_door_text_type();
  if (code == CS_OK) code = reader.text < 0 ? fail(&reader, "read", NULL) : read_table(&reader);
  if (code == CS_OK) code = cs_shape_check(reader.table, path, error);
  code = cs_hdf5_door_close(reader.text, H5Tclose, code, error, path);
  code = cs_hdf5_door_close(reader.file, H5Fclose, code, error, path);
  if (code != CS_OK)
    cs_table_free(reader.table);
  else
    *table = reader.table;
  cs_hdf5_door_loud(quiet);
  return code;
}
