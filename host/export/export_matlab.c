/* A level 5 MAT-file, readable by MATLAB, Octave, SciPy and Julia (MathWorks, MAT-File Format, 2019). Each element is a
 * type, a byte count and the bytes, padded to a multiple of 8. Numbers are double, texts char, lists of texts cells;
 * indices have the order of docs/formats.md: error(H, output). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "list.h"

enum data_type { INT8 = 1, UINT16 = 4, INT32 = 5, UINT32 = 6, DOUBLE = 9, MATRIX = 14, UTF16 = 17 };
enum array_class { CELL_CLASS = 1, STRUCT_CLASS = 2, CHAR_CLASS = 4, DOUBLE_CLASS = 6 };
enum { LONGEST_NAME = 63, HEADER = 116 };

/* The file being written; `large` is set if a variable exceeds 2 GB. */
struct mat {
  const struct cs_export *export;
  struct cs_text *bytes; /* what was not taken yet */
  char *large;           /* the variable's name, owned; NULL: none */
  bool streams;          /* it is at the numbers of a variable, rather than of a field, whose struct has no size yet */
  int code;              /* of what was taken */
  struct cs_error *error;
};

enum { BLOCK = 1 << 20, NUMBERS = 512 };

/* Hands over what there is, if it is much: all of it has its final bytes. */
static void hand_over(struct mat *mat) {
  if (mat->export->take == NULL || mat->bytes->length < BLOCK || mat->bytes->failed) return;
  if (mat->code == CS_OK && mat->large == NULL)
    mat->code = mat->export->take(mat->export->context, mat->bytes, mat->error);
  mat->bytes->length = 0; /* after a failure all the rest is in vain */
}

/* ---- elements */

static void add_zeros(struct mat *mat, size_t count) {
  static const char zeros[8];
  cs_text_append(mat->bytes, zeros, count);
}

static void add_element(struct mat *mat, enum data_type type, const void *data, size_t bytes) {
  const uint32_t tag[] = {(uint32_t)type, (uint32_t)bytes};
  cs_text_append(mat->bytes, (const char *)tag, sizeof tag);
  cs_text_append(mat->bytes, data, bytes);
  add_zeros(mat, (8 - bytes % 8) % 8);
}

/* Begins an array; its contents follow, then end_array with the value returned. */
static size_t begin_array(struct mat *mat, enum array_class class, const char *name, size_t dimensions,
                          const size_t *length) {
  const uint32_t tag[] = {MATRIX, 0}, flags[] = {(uint32_t) class, 0};
  int32_t size[CS_MAX_DIMENSIONS] = {1, 1};
  for (size_t i = 0; i < dimensions; i++)
    size[i] = (int32_t)length[i];
  cs_text_append(mat->bytes, (const char *)tag, sizeof tag);
  const size_t start = mat->bytes->length;
  add_element(mat, UINT32, flags, sizeof flags);
  add_element(mat, INT32, size, (dimensions > 2 ? dimensions : 2) * sizeof *size);
  add_element(mat, INT8, name, strlen(name));
  return start;
}

static void note_large(struct mat *mat, const char *name) {
  if (mat->large == NULL) mat->large = cs_text_copy(name);
  mat->bytes->failed |= mat->large == NULL;
}

/* The bytes that follow the tag of an array that began at `start`. */
static void set_bytes(struct mat *mat, size_t start, size_t bytes, const char *name) {
  const uint32_t size = (uint32_t)bytes;
  if (mat->bytes->failed) return;
  if (bytes > INT32_MAX) note_large(mat, name);
  memcpy(mat->bytes->data + start - sizeof size, &size, sizeof size);
}

static void end_array(struct mat *mat, size_t start, const char *name) {
  set_bytes(mat, start, mat->bytes->length - start, name);
}

/* Text as UTF-16, the encoding of char arrays; ASCII as plain 16-bit numbers, which older readers understand too. */
static void add_text(struct mat *mat, const char *name, const char *text) {
  struct cs_text plain = {0};
  cs_text_add_plain(&plain, text);
  uint16_t *unit = malloc((plain.length + 1) * sizeof *unit);
  size_t units = 0;
  if (unit == NULL || plain.failed) {
    free(unit);
    cs_text_free(&plain);
    mat->bytes->failed = 1;
    return;
  }
  for (size_t i = 0, length; i < plain.length; i += length) {
    length = cs_text_utf8_length(plain.data + i, plain.length - i);
    const uint32_t point = cs_text_code(plain.data + i, length);
    if (point >= 0x10000) {
      unit[units++] = (uint16_t)(0xd800 + ((point - 0x10000) >> 10));
      unit[units++] = (uint16_t)(0xdc00 + (point & 0x3ff));
    } else {
      unit[units++] = (uint16_t)point;
    }
  }
  const size_t start = begin_array(mat, CHAR_CLASS, name, 2, (size_t[]){units > 0, units});
  add_element(mat, units == plain.length ? UINT16 : UTF16, unit, units * sizeof *unit);
  end_array(mat, start, name);
  cs_text_free(&plain);
  free(unit);
}

static void add_texts(struct mat *mat, const char *name, size_t dimensions, const size_t *length,
                      const char *const *text, size_t count) {
  const size_t start = begin_array(mat, CELL_CLASS, name, dimensions, length);
  for (size_t i = 0; i < count; i++)
    add_text(mat, "", text[i] != NULL ? text[i] : "");
  end_array(mat, start, name);
}

static void add_doubles(struct mat *mat, const char *name, size_t dimensions, const size_t *length, const double *value,
                        size_t count) {
  const size_t start = begin_array(mat, DOUBLE_CLASS, name, dimensions, length);
  if (count > INT32_MAX / sizeof *value) {
    note_large(mat, name);
    return;
  }
  add_element(mat, DOUBLE, value, count * sizeof *value);
  end_array(mat, start, name);
}

/* ---- names */

/* Distinct names of variables or fields that MATLAB accepts. */
struct names {
  char (*name)[LONGEST_NAME + 1];
  size_t count;
};

static bool is_used(const struct names *names, const char *name) {
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->name[i], name) == 0) return true;
  return false;
}

static bool is_keyword(const char *name) {
  static const char *const list[] = {"break",      "case",   "catch",    "classdef", "continue", "else",      "elseif",
                                     "end",        "for",    "function", "global",   "if",       "otherwise", "parfor",
                                     "persistent", "return", "spmd",     "switch",   "try",      "while"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

/* Letters, digits and underscores, starting with a letter, at most 63; distinct names stay distinct. */
static const char *take_name(struct mat *mat, struct names *names, const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                    legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (!cs_list_grow(&names->name, names->count, sizeof *names->name)) {
    mat->bytes->failed = 1;
    return "";
  }
  char *taken = memset(names->name[names->count], 0, sizeof *names->name); /* a struct has all bytes of its fields */
  size_t length = 0;
  if (strchr(letters, name[0]) == NULL) taken[length++] = 'x';
  for (; *name != '\0' && length < LONGEST_NAME; name++)
    taken[length++] = strchr(legal, *name) != NULL ? *name : '_';
  taken[length] = '\0';
  while (is_used(names, taken) || is_keyword(taken)) {
    if (length == LONGEST_NAME) length -= 8;
    taken[length++] = '_';
    taken[length] = '\0';
  }
  names->count++;
  return taken;
}

/* Begins a struct; its fields follow in this order, as arrays without names. */
static size_t begin_struct(struct mat *mat, const char *name, const struct names *fields) {
  const uint32_t tag = sizeof(int32_t) << 16 | INT32; /* as MATLAB writes it for so few bytes */
  const int32_t width = LONGEST_NAME + 1;
  const size_t start = begin_array(mat, STRUCT_CLASS, name, 2, (size_t[]){1, 1}), bytes = fields->count * (size_t)width;
  cs_text_append(mat->bytes, (const char *)&tag, sizeof tag);
  cs_text_append(mat->bytes, (const char *)&width, sizeof width);
  add_element(mat, INT8, fields->name, bytes);
  return start;
}

/* ---- the result */

static void add_dimension(struct mat *mat, const struct cs_export *export, size_t d, const char *name) {
  const struct cs_dimension *dimension = &export->table->dimension[d];
  const size_t length[] = {export->length[d], 1};
  double *value = malloc(length[0] * sizeof *value);
  const char **label = malloc(length[0] * sizeof *label);
  if (value == NULL || label == NULL) mat->bytes->failed = 1;
  for (size_t at = 0, i = 0; at < dimension->length && !mat->bytes->failed; at++) {
    if (!cs_export_has(export, d, at)) continue;
    if (dimension->labels != NULL)
      label[i++] = dimension->labels[at];
    else
      value[i++] = dimension->values[at];
  }
  if (mat->bytes->failed) goto out;
  if (dimension->labels != NULL)
    add_texts(mat, name, 2, length, label, length[0]);
  else
    add_doubles(mat, name, 2, length, value, length[0]);
out:
  free(value);
  free(label);
}

/* The array's dimensions with their lengths; MATLAB has no arrays of fewer than two. */
static size_t shape(const struct cs_export *export, const struct cs_array *array, size_t *dimension, size_t *length) {
  for (size_t i = 0; i < array->dimensions; i++) {
    dimension[i] = array->dimension[array->dimensions - 1 - i]; /* the first index is the fastest */
    length[i] = export->length[array->dimension[i]];
  }
  for (size_t i = array->dimensions; i < 2; i++)
    length[i] = 1;
  return array->dimensions > 2 ? array->dimensions : 2;
}

/* Numbers as they come. */
static void add_numbers(struct mat *mat, const struct cs_export *export, const struct cs_array *array,
                        const size_t *dimension, size_t *position, size_t count) {
  double value[NUMBERS];
  size_t held = 0;
  for (size_t i = 0; i < count && mat->large == NULL; i++) {
    value[held++] = cs_table_number(array, cs_export_item(export, array, position));
    cs_export_advance(export, array->dimensions, dimension, position);
    if (held < NUMBERS && i + 1 < count) continue;
    cs_text_append(mat->bytes, (const char *)value, held * sizeof *value);
    held = 0;
    if (mat->streams) hand_over(mat);
  }
}

static void add_array(struct mat *mat, const struct cs_export *export, const struct cs_array *array, const char *name) {
  size_t dimension[CS_MAX_DIMENSIONS], length[CS_MAX_DIMENSIONS], count = 1, i = 0;
  const size_t dimensions = shape(export, array, dimension, length);
  for (size_t k = 0; k < dimensions; k++)
    count *= length[k];
  size_t *position = calloc(export->table->dimensions + 1, sizeof *position);
  const char **text = array->type == CS_TEXT ? calloc(count, sizeof *text) : NULL;
  if (position == NULL || (array->type == CS_TEXT && text == NULL)) {
    mat->bytes->failed = 1;
    goto out;
  }
  memcpy(position, export->first, export->table->dimensions * sizeof *position);
  if (array->type == CS_TEXT) {
    do
      text[i++] = array->data.text[cs_export_item(export, array, position)];
    while (cs_export_advance(export, array->dimensions, dimension, position));
    add_texts(mat, name, dimensions, length, text, count);
  } else {
    const size_t start = begin_array(mat, DOUBLE_CLASS, name, dimensions, length), bytes = count * sizeof(double);
    const uint32_t tag[] = {DOUBLE, (uint32_t)bytes};
    cs_text_append(mat->bytes, (const char *)tag, sizeof tag);
    set_bytes(mat, start, mat->bytes->length - start + bytes, name);
    add_numbers(mat, export, array, dimension, position, count);
  }
out:
  free(position);
  free(text);
}

static bool is_needed(const struct cs_export *export, size_t d) {
  for (size_t i = 0; i < export->arrays; i++)
    for (size_t k = 0; k < export->array[i]->dimensions; k++)
      if (export->array[i]->dimension[k] == d) return true;
  return false;
}

/* A struct with one attribute of every array, one field each. */
enum about { UNIT, SENTENCE, OVER };

static void add_names_of(struct mat *mat, const struct cs_export *export, const struct cs_array *array) {
  const char *over[CS_MAX_DIMENSIONS];
  for (size_t i = 0; i < array->dimensions; i++)
    over[i] = export->table->dimension[array->dimension[i]].name;
  add_texts(mat, "", 2, (size_t[]){1, array->dimensions}, over, array->dimensions);
}

static void add_about(struct mat *mat, const struct cs_export *export, const char *name, enum about about) {
  struct names fields = {0};
  const struct cs_table *table = export->table;
  for (size_t d = 0; d < table->dimensions && about != OVER; d++)
    if (is_needed(export, d)) take_name(mat, &fields, table->dimension[d].name);
  for (size_t i = 0; i < export->arrays; i++)
    take_name(mat, &fields, export->array[i]->name);
  const size_t start = begin_struct(mat, name, &fields);
  for (size_t d = 0; d < table->dimensions && about != OVER; d++)
    if (is_needed(export, d))
      add_text(mat, "", about == UNIT ? table->dimension[d].unit : table->dimension[d].long_name);
  for (size_t i = 0; i < export->arrays; i++)
    if (about == OVER)
      add_names_of(mat, export, export->array[i]);
    else
      add_text(mat, "", about == UNIT ? export->array[i]->unit : export->array[i]->long_name);
  end_array(mat, start, name);
  free(fields.name);
}

/* The exported group with all its arrays, as one struct. */
static void add_group(struct mat *mat, const struct cs_export *export, const char *name) {
  struct names fields = {0};
  for (size_t d = 0; d < export->table->dimensions; d++)
    take_name(mat, &fields, export->table->dimension[d].name);
  for (size_t i = 0; i < export->arrays; i++)
    take_name(mat, &fields, export->array[i]->name);
  const size_t start = begin_struct(mat, name, &fields);
  for (size_t d = 0; d < export->table->dimensions; d++)
    add_dimension(mat, export, d, "");
  for (size_t i = 0; i < export->arrays; i++)
    add_array(mat, export, export->array[i], "");
  end_array(mat, start, name);
  free(fields.name);
}

static void add_provenance(struct mat *mat, const struct cs_table *root, const char *name) {
  struct names fields = {0};
  for (size_t i = 0; i < root->notes; i++)
    take_name(mat, &fields, root->note[i].name);
  const size_t start = begin_struct(mat, name, &fields);
  for (size_t i = 0; i < root->notes; i++) {
    const struct cs_note *note = &root->note[i];
    const double value = note->type == CS_INT64 ? (double)note->int64 : note->float64;
    if (note->type != CS_TEXT)
      add_doubles(mat, "", 2, (size_t[]){1, 1}, &value, 1);
    else if (note->scalar)
      add_text(mat, "", note->text[0]);
    else
      add_texts(mat, "", 2, (size_t[]){note->count, 1}, (const char *const *)note->text, note->count);
  }
  end_array(mat, start, name);
  free(fields.name);
}

static void add_header(struct mat *mat) {
  static const uint16_t version = 0x0100, order = 'M' << 8 | 'I';
  char text[HEADER];
  memset(text, ' ', sizeof text);
  static const char about[] = "MATLAB 5.0 MAT-file, written by cosweep export";
  memcpy(text, about, sizeof about - 1);
  cs_text_append(mat->bytes, text, sizeof text);
  add_zeros(mat, 8); /* no subsystem data */
  cs_text_append(mat->bytes, (const char *)&version, sizeof version);
  cs_text_append(mat->bytes, (const char *)&order, sizeof order);
}

int cs_export_matlab(const struct cs_export *export, struct cs_text *bytes, struct cs_error *error) {
  struct mat mat = {.export = export, .bytes = bytes, .error = error};
  struct names names = {0};
  struct cs_export group = {0};
  const struct cs_export_wish whole_group = {.group = export->root->group != NULL ? export->root->group->name : NULL};
  int code = CS_OK;
  add_header(&mat);
  for (size_t d = 0; d < export->table->dimensions; d++)
    if (is_needed(export, d)) add_dimension(&mat, export, d, take_name(&mat, &names, export->table->dimension[d].name));
  mat.streams = true;
  for (size_t i = 0; i < export->arrays; i++)
    add_array(&mat, export, export->array[i], take_name(&mat, &names, export->array[i]->name));
  mat.streams = false;
  if (whole_group.group != NULL && export->table == export->root && !export->asked) {
    code = cs_export_open(export->root, &whole_group, &group, error);
    if (code == CS_OK) add_group(&mat, &group, take_name(&mat, &names, whole_group.group));
    cs_export_close(&group);
  }
  add_about(&mat, export, take_name(&mat, &names, "units"), UNIT);
  add_about(&mat, export, take_name(&mat, &names, "long_names"), SENTENCE);
  add_about(&mat, export, take_name(&mat, &names, "dimensions"), OVER);
  add_text(&mat, take_name(&mat, &names, "title"), export->table->title);
  add_provenance(&mat, export->root, take_name(&mat, &names, "provenance"));
  if (code == CS_OK && bytes->failed) code = cs_error_memory(error);
  if (code == CS_OK) code = mat.code;
  if (code == CS_OK && mat.large != NULL)
    code =
        cs_error_set(error, CS_USAGE,
                     "cosweep export: \"%s\" takes more than the 2 GB that a variable of a MAT-file can; want less of "
                     "it with --where AXIS=VALUE, or h5read of the result itself",
                     mat.large);
  free(mat.large);
  free(names.name);
  return code;
}
