#include "hdf5file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "hdf5_door.h"
#include "role.h"
#include "text.h"
#include "utf16.h"
#include "variable.h"

/* At the beginning, or after a block of the user: 512 bytes, 1024, ... */
bool cs_hdf5file_is_one(const char *path) {
  static const char signature[] = "\211HDF\r\n\032\n";
  char bytes[8];
  FILE *file = fopen(path, "rb");
  bool found = false;
  for (long at = 0; file != NULL && !found && at <= 1L << 16; at = at == 0 ? 512 : 2 * at)
    if (fseek(file, at, SEEK_SET) != 0 || fread(bytes, 1, sizeof bytes, file) != sizeof bytes)
      break;
    else
      found = memcmp(bytes, signature, sizeof bytes) == 0;
  if (file != NULL) fclose(file);
  return found;
}

/* A dataset or an attribute. HDF5's objects are left open: the process ends. */
struct data {
  hid_t id, type, space;
  bool attribute;
  int dimensions;
  hsize_t dimension[H5S_MAX_RANK];
  size_t count;
};

struct reader {
  hid_t file;
  struct cs_error *error;
};

static int fail(const struct reader *r, const char *what) {
  return cs_error_set(r->error, CS_IO, "%s", what);
}

static int said(const struct reader *r, bool done) {
  return done ? CS_OK : cs_error_memory(r->error);
}

static int open_data(const struct reader *r, hid_t id, bool attribute, struct data *data) {
  char why[CS_HDF5_DOOR_REASON];
  if (!attribute && cs_hdf5_door_refuses(id, why)) return fail(r, why);
  *data = (struct data){.id = id,
                        .attribute = attribute,
                        .type = attribute ? H5Aget_type(id) : H5Dget_type(id),
                        .space = attribute ? H5Aget_space(id) : H5Dget_space(id)};
  data->dimensions = data->space < 0 ? -1 : H5Sget_simple_extent_dims(data->space, data->dimension, NULL);
  if (data->type < 0 || data->dimensions < 0) return fail(r, "cannot be read");
  if (H5Sget_simple_extent_type(data->space) == H5S_NULL) {
    data->dimensions = 2;
    return CS_OK;
  }
  data->count = 1;
  for (int i = 0; i < data->dimensions; i++)
    data->count = data->dimension[i] == 0 || data->count > SIZE_MAX / data->dimension[i]
                      ? (data->dimension[i] == 0 ? 0 : SIZE_MAX)
                      : data->count * (size_t)data->dimension[i];
  return CS_OK;
}

static int read_raw(const struct reader *r, const struct data *data, hid_t memory, void *out) {
  const herr_t done =
      data->attribute ? H5Aread(data->id, memory, out) : H5Dread(data->id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  char reason[CS_HDF5_DOOR_REASON];
  if (done >= 0) return CS_OK;
  return cs_hdf5_door_reason(reason) ? cs_error_set(r->error, CS_IO, "cannot be read: %s", reason)
                                     : cs_error_memory(r->error);
}

/* Rows and columns as MATLAB has them; *turned: the file has them the other way round. */
static void find_shape(const struct data *data, bool matlab, size_t shape[2], bool *turned) {
  *turned = matlab && data->dimensions == 2;
  shape[0] = data->dimensions > 0 ? (size_t)data->dimension[*turned ? 1 : 0] : 1;
  shape[1] = data->dimensions > 1 ? (size_t)data->dimension[*turned ? 0 : 1] : 1;
}

/* Of more than two dimensions as the file has them. */
static bool fit(const struct data *data, bool matlab, struct cs_variable *v, size_t shape[2], bool *turned,
                bool *fits) {
  size_t all[H5S_MAX_RANK];
  find_shape(data, matlab, shape, turned);
  for (int i = 0; i < data->dimensions; i++)
    all[i] = (size_t)data->dimension[i];
  return data->dimensions > 2 ? cs_variable_fit(v, (size_t)data->dimensions, all, fits)
                              : cs_variable_fit(v, 2, shape, fits);
}

/* ---- attributes */

/* A short text attribute, "" where there is none. */
static void read_class(hid_t object, const char *name, char *text, size_t size) {
  hid_t id = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
  hid_t type = id >= 0 ? H5Aget_type(id) : H5I_INVALID_HID;
  text[0] = '\0';
  if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || H5Tget_size(type) >= size)
    return;
  memset(text, 0, size);
  if (H5Aread(id, type, text) < 0) text[0] = '\0';
}

static bool is_marked(hid_t object, const char *name) {
  return H5Aexists(object, name) > 0;
}

/* ---- data */

static int read_doubles(const struct reader *r, const struct data *data, double **number) {
  *number = calloc(data->count + 1, sizeof **number);
  return *number != NULL ? read_raw(r, data, H5T_NATIVE_DOUBLE, *number) : cs_error_memory(r->error);
}

static int read_numbers(const struct reader *r, const struct data *data, bool matlab, struct cs_variable *v) {
  size_t shape[2];
  bool turned, fits;
  const bool done = fit(data, matlab, v, shape, &turned, &fits);
  if (!done || !fits) return said(r, done);
  double *number = NULL;
  int code = data->count > 0 ? read_doubles(r, data, &number) : CS_OK;
  if (code == CS_OK) code = said(r, cs_variable_give(v, shape[0], shape[1]));
  v->list = data->dimensions == 1;
  for (size_t i = 0; code == CS_OK && number != NULL && i < shape[0]; i++)
    for (size_t k = 0; k < shape[1]; k++)
      v->number[i * shape[1] + k] = number[turned ? k * shape[0] + i : i * shape[1] + k];
  free(number);
  return code;
}

/* What MATLAB writes for something empty: its dimensions as data. */
static int read_empty(const struct reader *r, const struct data *data, struct cs_variable *v) {
  double *number = NULL;
  size_t shape[2] = {0, 0};
  int code = data->count > 0 && data->count < 33 ? read_doubles(r, data, &number) : CS_OK;
  for (size_t i = 0; i < 2 && code == CS_OK && number != NULL && data->count == 2; i++)
    shape[i] = number[i] > 0.0 && number[i] <= CS_DRAFT_MOST ? (size_t)number[i] : 0;
  free(number);
  return code == CS_OK ? said(r, cs_variable_give(v, shape[0], shape[1])) : code;
}

/* Characters of MATLAB, 16 bits each. */
static int read_characters(const struct reader *r, const struct data *data, struct cs_variable *v) {
  size_t shape[2];
  bool turned, fits;
  const bool done = fit(data, true, v, shape, &turned, &fits);
  if (!done || !fits) return said(r, done);
  uint16_t *unit = calloc(data->count + 1, sizeof *unit), *row = calloc(shape[1] + 1, sizeof *row);
  int code = unit != NULL && row != NULL ? CS_OK : cs_error_memory(r->error);
  if (code == CS_OK && data->count > 0) code = read_raw(r, data, H5T_NATIVE_UINT16, unit);
  if (shape[0] != 1) {
    v->kind = CS_VARIABLE_CELLS;
    v->rows = shape[0];
    v->columns = 1;
  }
  for (size_t i = 0; i < shape[0] && code == CS_OK; i++) {
    struct cs_variable *to = shape[0] != 1 ? cs_variable_add(v, "") : v;
    struct cs_text text = {0};
    size_t length = shape[1];
    for (size_t k = 0; k < shape[1]; k++)
      row[k] = unit[turned ? k * shape[0] + i : i * shape[1] + k];
    while (shape[0] != 1 && length > 0 && row[length - 1] == ' ')
      length--;
    cs_utf16_add(&text, row, length);
    cs_text_make_plain(&text);
    code = said(r, to != NULL && !text.failed && cs_variable_say(to, CS_VARIABLE_TEXT, cs_text_string(&text)));
    cs_text_free(&text);
  }
  free(unit);
  free(row);
  return code;
}

/* One text, or cells of texts. */
static int keep_text(const struct reader *r, const char *bytes, size_t length, struct cs_variable *v) {
  struct cs_text text = {0};
  cs_text_append(&text, bytes, strnlen(bytes, length));
  cs_text_make_plain(&text);
  const bool done = !text.failed && cs_variable_say(v, CS_VARIABLE_TEXT, cs_text_string(&text));
  cs_text_free(&text);
  return said(r, done);
}

static int keep_texts(const struct reader *r, const struct data *data, const size_t shape[2], const char *bytes,
                      size_t size, struct cs_variable *v) {
  int code = CS_OK;
  if (data->dimensions > 0) {
    v->kind = CS_VARIABLE_CELLS;
    v->rows = shape[0];
    v->columns = shape[1];
  }
  for (size_t i = 0; i < data->count && code == CS_OK; i++) {
    struct cs_variable *to = data->dimensions > 0 ? cs_variable_add(v, "") : v;
    const char *at = size > 0 ? bytes + i * size : ((char *const *)(const void *)bytes)[i];
    code = to == NULL   ? cs_error_memory(r->error)
           : at == NULL ? said(r, cs_variable_say(to, CS_VARIABLE_TEXT, ""))
           : size > 0   ? keep_text(r, at, size, to)
                        : keep_text(r, at, strlen(at), to);
  }
  return code;
}

static int read_texts(const struct reader *r, const struct data *data, struct cs_variable *v) {
  size_t shape[2];
  bool turned, fits;
  const bool done = fit(data, false, v, shape, &turned, &fits);
  if (!done || !fits) return said(r, done);
  const bool varies = H5Tis_variable_str(data->type) > 0;
  const size_t size = varies ? 0 : H5Tget_size(data->type);
  enum { LONGEST = 4096 };
  if (!varies && (size == 0 || size > LONGEST)) return fail(r, "holds texts that are too long");
  char *bytes = calloc(data->count + 1, varies ? sizeof(char *) : size);
  hid_t type = varies ? H5Tcopy(data->type) : data->type;
  int code = bytes != NULL ? CS_OK : cs_error_memory(r->error);
  if (code == CS_OK && data->count > 0) code = read_raw(r, data, type, bytes);
  if (code == CS_OK) code = keep_texts(r, data, shape, bytes, size, v);
  free(bytes);
  return code;
}

/* ---- objects in each other */

static int read_object(const struct reader *r, hid_t id, struct cs_variable *v, int deep);

static int read_cells(const struct reader *r, const struct data *data, struct cs_variable *v, int deep) {
  size_t shape[2];
  bool turned, fits;
  const bool done = fit(data, true, v, shape, &turned, &fits);
  if (!done || !fits) return said(r, done);
  if (deep == 1) return said(r, cs_variable_say(v, CS_VARIABLE_OTHER, "a cell inside others"));
  hobj_ref_t *reference = calloc(data->count + 1, sizeof *reference);
  int code = reference != NULL ? CS_OK : cs_error_memory(r->error);
  if (code == CS_OK && data->count > 0) code = read_raw(r, data, H5T_STD_REF_OBJ, reference);
  v->kind = CS_VARIABLE_CELLS;
  v->rows = shape[0];
  v->columns = shape[1];
  for (size_t i = 0; i < data->count && code == CS_OK; i++) {
    struct cs_variable *part = cs_variable_add(v, "");
    const size_t at = turned ? i % shape[1] * shape[0] + i / shape[1] : i;
    hid_t id = H5Rdereference2(data->id, H5P_DEFAULT, H5R_OBJECT, &reference[at]);
    code = part == NULL ? cs_error_memory(r->error)
           : id < 0     ? fail(r, "refers to nothing")
                        : read_object(r, id, part, deep - 1);
  }
  free(reference);
  return code;
}

static bool is_numbers(const char *class) {
  static const char *const classes[] = {"double", "single", "logical", "int8",  "uint8", "int16",
                                        "uint16", "int32",  "uint32",  "int64", "uint64"};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strcmp(class, classes[i]) == 0) return true;
  return false;
}

static int read_by_type(const struct reader *r, const struct data *data, bool matlab, struct cs_variable *v, int deep) {
  switch (H5Tget_class(data->type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_ENUM:
      return read_numbers(r, data, matlab, v);
    case H5T_STRING:
      return read_texts(r, data, v);
    case H5T_COMPOUND:
      if (H5Tget_nmembers(data->type) != 2) break;
      return said(r, cs_variable_say(v, CS_VARIABLE_OTHER, "complex; want real numbers"));
    case H5T_REFERENCE:
      return read_cells(r, data, v, deep);
    default:
      break;
  }
  return said(r, cs_variable_say(v, CS_VARIABLE_OTHER, "of a type that is not read; want numbers or texts"));
}

static int read_dataset(const struct reader *r, hid_t id, struct cs_variable *v, int deep) {
  struct data data;
  char class[64];
  read_class(id, "MATLAB_class", class, sizeof class);
  const bool characters = strcmp(class, "char") == 0, empty = is_marked(id, "MATLAB_empty");
  int code = open_data(r, id, false, &data);
  if (code != CS_OK) return code;
  if (characters && empty) return said(r, cs_variable_say(v, CS_VARIABLE_TEXT, ""));
  if (empty) return read_empty(r, &data, v);
  if (characters && H5Tget_class(data.type) == H5T_INTEGER) return read_characters(r, &data, v);
  if (class[0] != '\0' && !is_numbers(class) && !characters && strcmp(class, "cell") != 0)
    return said(r, cs_variable_say(v, CS_VARIABLE_OBJECT, class));
  return read_by_type(r, &data, class[0] != '\0', v, deep);
}

/* ---- groups */

struct member {
  const struct reader *reader;
  struct cs_variable *whole;
  int deep, code;
  bool root;
};

static int read_member(const struct member *m, hid_t id, const char *name, bool attribute) {
  struct cs_error wrong = {0};
  const struct reader reader = {m->reader->file, &wrong};
  struct cs_variable *v = cs_variable_add(m->whole, name);
  struct data data;
  int code = v != NULL ? CS_OK : cs_error_memory(&wrong);
  if (code == CS_OK && attribute) code = open_data(&reader, id, true, &data);
  if (code == CS_OK)
    code = attribute ? read_by_type(&reader, &data, false, v, 1) : read_object(&reader, id, v, m->deep - 1);
  if (code == CS_IO) return cs_error_set(m->reader->error, code, "\"%s\" %s", name, wrong.message);
  return code == CS_OK ? CS_OK : cs_error_memory(m->reader->error);
}

static bool is_group(hid_t id) {
  return H5Iget_type(id) == H5I_GROUP;
}

static bool has_meaning(const char *name) {
  return cs_role_of(name).kind != CS_ROLE_NONE;
}

static bool is_empty(hid_t id) {
  return H5Iget_type(id) == H5I_DATASET && H5Sget_simple_extent_npoints(H5Dget_space(id)) == 0;
}

static void say_member(struct member *m, const char *name, const char *text) {
  struct cs_variable *v = cs_variable_add(m->whole, name);
  if (v == NULL || !cs_variable_say(v, CS_VARIABLE_OTHER, text)) m->code = cs_error_memory(m->reader->error);
}

/* Links by names are not followed. MATLAB keeps its own in #refs# and #subsystem#. */
static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *context) {
  struct member *m = context;
  if (m->root && (strcmp(name, "#refs#") == 0 || strcmp(name, "#subsystem#") == 0)) return 0;
  hid_t id = info->type == H5L_TYPE_HARD ? H5Oopen(group, name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (info->type == H5L_TYPE_EXTERNAL)
    m->code = cs_error_set(m->reader->error, CS_IO, "\"%s\" " CS_HDF5_DOOR_ELSEWHERE, name);
  else if (info->type != H5L_TYPE_HARD)
    say_member(m, name, "a link; want the data themselves");
  else if (id < 0)
    m->code = cs_error_set(m->reader->error, CS_IO, "\"%s\" cannot be read", name);
  else if (!m->root || is_group(id) || is_empty(id) || has_meaning(name) || is_marked(id, "MATLAB_object_decode"))
    m->code = read_member(m, id, name, false);
  else
    say_member(m, name, "not read");
  return m->code != CS_OK;
}

static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context) {
  struct member *m = context;
  (void)info;
  if (!has_meaning(name)) return 0;
  hid_t id = H5Aopen(object, name, H5P_DEFAULT);
  m->code =
      id < 0 ? cs_error_set(m->reader->error, CS_IO, "\"%s\" cannot be read", name) : read_member(m, id, name, true);
  return m->code != CS_OK;
}

/* In the order in which they were written, where the file knows it; else of their names. */
static H5_index_t order_of(hid_t group) {
  unsigned flags = 0;
  hid_t list = H5Gget_create_plist(group);
  if (list >= 0) H5Pget_link_creation_order(list, &flags);
  return (flags & H5P_CRT_ORDER_INDEXED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

static int read_members(const struct reader *r, hid_t group, struct cs_variable *v, int deep, bool root) {
  struct member m = {r, v, deep, CS_OK, root};
  v->kind = CS_VARIABLE_STRUCT;
  v->rows = v->columns = 1;
  const bool done = H5Literate(group, order_of(group), H5_ITER_INC, NULL, visit_link, &m) >= 0 &&
                    (m.code != CS_OK || H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_attribute, &m) >= 0);
  return m.code != CS_OK ? m.code : done ? CS_OK : fail(r, "cannot be read");
}

/* A sparse matrix of MATLAB: a group of ir, jc, data, with the number of rows as an attribute. */
static int fill_sparse(const struct reader *r, const struct cs_variable *s, size_t rows, struct cs_variable *v) {
  const struct cs_variable *ir = cs_variable_find(s, "ir"), *jc = cs_variable_find(s, "jc"),
                           *data = cs_variable_find(s, "data");
  if (jc == NULL || jc->kind != CS_VARIABLE_NUMBERS || jc->rows * jc->columns < 1 || rows > CS_DRAFT_MOST)
    return fail(r, "is no sparse matrix that is read");
  if (data != NULL && data->kind == CS_VARIABLE_OTHER)
    return said(r, cs_variable_say(v, CS_VARIABLE_OTHER, data->text));
  const size_t columns = jc->rows * jc->columns - 1;
  const size_t items =
      ir != NULL && data != NULL && ir->kind == CS_VARIABLE_NUMBERS && data->kind == CS_VARIABLE_NUMBERS
          ? (ir->rows * ir->columns < data->rows * data->columns ? ir->rows * ir->columns : data->rows * data->columns)
          : 0;
  if (!cs_variable_give(v, rows, columns)) return cs_error_memory(r->error);
  for (size_t k = 0; k < columns; k++)
    for (double at = jc->number[k]; at < jc->number[k + 1]; at++) {
      if (!(at >= 0.0 && at < (double)items)) return fail(r, "is no sparse matrix");
      const double row = ir->number[(size_t)at];
      if (!(row >= 0.0 && row < (double)rows)) return fail(r, "is no sparse matrix");
      v->number[(size_t)row * columns + k] = data->number[(size_t)at];
    }
  return CS_OK;
}

/* Lists of more items than a matrix has rows. */
static int read_list(const struct reader *r, hid_t group, const char *name, struct cs_variable *whole) {
  struct data data;
  hid_t id = H5Lexists(group, name, H5P_DEFAULT) > 0 ? H5Dopen(group, name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (id < 0) return CS_OK;
  struct cs_variable *v = cs_variable_add(whole, name);
  int code = v != NULL ? open_data(r, id, false, &data) : cs_error_memory(r->error);
  if (code != CS_OK) return code;
  if (H5Tget_class(data.type) == H5T_COMPOUND) return read_by_type(r, &data, true, v, 1);
  if (data.count > (size_t)CS_DRAFT_MOST * CS_DRAFT_MOST) return fail(r, "is no sparse matrix that is read");
  code = read_doubles(r, &data, &v->number);
  v->kind = CS_VARIABLE_NUMBERS;
  v->rows = data.count;
  v->columns = 1;
  return code;
}

static int read_sparse(const struct reader *r, hid_t group, struct cs_variable *v) {
  static const char *const names[] = {"ir", "jc", "data"};
  struct cs_variable lists = {0};
  unsigned long long rows = 0;
  hid_t id = H5Aopen(group, "MATLAB_sparse", H5P_DEFAULT);
  int code =
      id >= 0 && H5Sget_simple_extent_npoints(H5Aget_space(id)) == 1 && H5Aread(id, H5T_NATIVE_ULLONG, &rows) >= 0
          ? CS_OK
          : fail(r, "is no sparse matrix");
  for (size_t i = 0; i < 3 && code == CS_OK; i++)
    code = read_list(r, group, names[i], &lists);
  if (code == CS_OK) code = fill_sparse(r, &lists, (size_t)rows, v);
  cs_variable_free(&lists);
  return code;
}

static int read_object(const struct reader *r, hid_t id, struct cs_variable *v, int deep) {
  char class[64];
  if (H5Iget_type(id) == H5I_DATASET) return read_dataset(r, id, v, deep);
  if (!is_group(id)) return said(r, cs_variable_say(v, CS_VARIABLE_OTHER, "no data"));
  read_class(id, "MATLAB_class", class, sizeof class);
  if (is_marked(id, "MATLAB_sparse")) return read_sparse(r, id, v);
  if (class[0] != '\0' && strcmp(class, "struct") != 0) return said(r, cs_variable_say(v, CS_VARIABLE_OBJECT, class));
  if (deep == 1) return said(r, cs_variable_say(v, CS_VARIABLE_OTHER, "a structure inside others"));
  return read_members(r, id, v, deep, false);
}

static bool is_result(hid_t file) {
  return H5Lexists(file, "provenance", H5P_DEFAULT) > 0 && H5Lexists(file, "provenance/model", H5P_DEFAULT) > 0;
}

int cs_hdf5file_read(const char *path, struct cs_variable *root, struct cs_error *error) {
  struct cs_error why = {0};
  cs_hdf5_door_quiet();
  cs_hdf5_door_confine();
  const struct reader r = {H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), &why};
  if (r.file < 0) return cs_hdf5_door_fail(error, path, "read", NULL);
  int code = is_result(r.file) ? said(&r, cs_variable_say(root, CS_VARIABLE_TEXT, "result"))
                               : read_members(&r, H5Gopen(r.file, "/", H5P_DEFAULT), root, CS_VARIABLE_DEEPEST, true);
  return code == CS_OK ? CS_OK : cs_error_set(error, code, "%s: %s", path, why.message);
}
