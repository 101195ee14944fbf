#include "matfile.h"

#if !COSWEEP_MATIO

int cs_matfile_read(const char *path, struct cs_variable *root, struct cs_error *error) {
  (void)root;
  return cs_error_set(error, CS_IO, "%s: this build reads no MAT-files (libmatio-dev)", path);
}

#else

#include <matio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "matextent.h"
#include "role.h"
#include "text.h"
#include "utf16.h"

/* What a variable of the file holds, as numbers of one type. */
struct items {
  enum matio_types type;
  const void *data;
  size_t count;
};

static double item(const struct items *items, size_t i) {
  switch (items->type) {
    case MAT_T_DOUBLE:
      return ((const double *)items->data)[i];
    case MAT_T_SINGLE:
      return ((const float *)items->data)[i];
    case MAT_T_INT8:
      return ((const int8_t *)items->data)[i];
    case MAT_T_UINT8:
    case MAT_T_UTF8:
      return ((const uint8_t *)items->data)[i];
    case MAT_T_INT16:
      return ((const int16_t *)items->data)[i];
    case MAT_T_UINT16:
    case MAT_T_UTF16:
      return ((const uint16_t *)items->data)[i];
    case MAT_T_INT32:
      return ((const int32_t *)items->data)[i];
    case MAT_T_UINT32:
    case MAT_T_UTF32:
      return ((const uint32_t *)items->data)[i];
    case MAT_T_INT64:
      return (double)((const int64_t *)items->data)[i];
    case MAT_T_UINT64:
      return (double)((const uint64_t *)items->data)[i];
    default:
      return 0.0;
  }
}

/* The items of a matrix that is full; false if there are fewer than its dimensions say. */
static bool find_items(const matvar_t *m, struct items *items) {
  const size_t size = Mat_SizeOf(m->data_type);
  *items = (struct items){m->data_type, m->data, size > 0 ? m->nbytes / size : 0};
  return m->dims[0] * m->dims[1] == 0 || (m->data != NULL && size > 0 && items->count >= m->dims[0] * m->dims[1]);
}

static int fail(const char *what, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "%s", what);
}

static int said(bool done, struct cs_error *error) {
  return done ? CS_OK : cs_error_memory(error);
}

static const char damaged[] = "has fewer numbers than its dimensions say";

static int read_full(const matvar_t *m, struct cs_variable *v, struct cs_error *error) {
  struct items items;
  const size_t rows = m->dims[0], columns = m->dims[1];
  if (!find_items(m, &items)) return fail(damaged, error);
  if (!cs_variable_give(v, rows, columns)) return cs_error_memory(error);
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < columns; k++)
      v->number[i * columns + k] = item(&items, k * rows + i);
  return CS_OK;
}

static int read_sparse(const matvar_t *m, struct cs_variable *v, struct cs_error *error) {
  const mat_sparse_t *s = m->data;
  const size_t rows = m->dims[0], columns = m->dims[1];
  const struct items items = {m->data_type, s != NULL ? s->data : NULL, s != NULL ? s->ndata : 0};
  if (!cs_variable_give(v, rows, columns)) return cs_error_memory(error);
  if (s == NULL || s->jc == NULL || s->njc < columns + 1) return rows * columns == 0 ? CS_OK : fail(damaged, error);
  for (size_t k = 0; k < columns; k++)
    for (size_t at = s->jc[k]; at < s->jc[k + 1]; at++) {
      if (at >= s->nir || at >= items.count || s->ir == NULL || items.data == NULL || s->ir[at] >= rows)
        return fail("is no sparse matrix", error);
      v->number[s->ir[at] * columns + k] = item(&items, at);
    }
  return CS_OK;
}

/* ---- texts */

static bool is_bytes(enum matio_types type) {
  return type == MAT_T_UTF8 || type == MAT_T_UINT8 || type == MAT_T_INT8;
}

static void add_units(struct cs_text *text, const struct items *items, size_t rows, size_t columns, size_t row) {
  uint16_t *unit = calloc(columns, sizeof *unit);
  for (size_t k = 0; unit != NULL && k < columns; k++) {
    const double code = item(items, k * rows + row);
    unit[k] = code >= 0.0 && code <= UINT16_MAX ? (uint16_t)code : '?';
  }
  if (unit != NULL) cs_utf16_add(text, unit, columns);
  text->failed |= unit == NULL;
  free(unit);
}

/* A row of characters; of several without the blanks at its end. A single one may have more bytes than characters. */
static int read_row(const struct items *items, size_t rows, size_t columns, size_t row, struct cs_variable *v,
                    struct cs_error *error) {
  struct cs_text text = {0};
  if (!is_bytes(items->type))
    add_units(&text, items, rows, columns, row);
  else if (rows == 1)
    cs_text_append(&text, items->data, items->count);
  else
    for (size_t k = 0; k < columns; k++)
      cs_text_append(&text, (const char *)items->data + k * rows + row, 1);
  while (rows > 1 && text.length > 0 && text.data[text.length - 1] == ' ')
    text.data[--text.length] = '\0';
  cs_text_make_plain(&text);
  const bool done = !text.failed && cs_variable_say(v, CS_VARIABLE_TEXT, cs_text_string(&text));
  cs_text_free(&text);
  return said(done, error);
}

static int read_characters(const matvar_t *m, struct cs_variable *v, struct cs_error *error) {
  struct items items;
  const size_t rows = m->dims[0], columns = m->dims[1];
  if (rows == 0 || columns == 0) return said(cs_variable_say(v, CS_VARIABLE_TEXT, ""), error);
  if (!find_items(m, &items)) return fail(damaged, error);
  if (rows == 1) return read_row(&items, 1, columns, 0, v, error);
  v->kind = CS_VARIABLE_CELLS;
  v->rows = rows;
  v->columns = 1;
  int code = CS_OK;
  for (size_t i = 0; i < rows && code == CS_OK; i++) {
    struct cs_variable *part = cs_variable_add(v, "");
    code = part != NULL ? read_row(&items, rows, columns, i, part, error) : cs_error_memory(error);
  }
  return code;
}

/* ---- variables in each other */

static int read(matvar_t *m, struct cs_variable *v, int deep, struct cs_error *error);

static int read_cells(matvar_t *m, struct cs_variable *v, int deep, struct cs_error *error) {
  matvar_t **cell = m->data;
  v->kind = CS_VARIABLE_CELLS;
  v->rows = m->dims[0];
  v->columns = m->dims[1];
  const size_t count = v->rows * v->columns;
  if (count > 0 && (cell == NULL || m->nbytes / sizeof *cell < count)) return fail(damaged, error);
  int code = CS_OK;
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    struct cs_variable *part = cs_variable_add(v, "");
    code = part == NULL ? cs_error_memory(error)
                        : read(cell[i % v->columns * v->rows + i / v->columns], part, deep - 1, error);
  }
  return code;
}

static int read_struct(matvar_t *m, struct cs_variable *v, int deep, struct cs_error *error) {
  char *const *names = Mat_VarGetStructFieldnames(m);
  const unsigned fields = Mat_VarGetNumberOfFields(m);
  int code = CS_OK;
  v->kind = CS_VARIABLE_STRUCT;
  v->rows = m->dims[0];
  v->columns = m->dims[1];
  for (unsigned i = 0; i < fields && v->rows * v->columns > 0 && code == CS_OK; i++) {
    if (names == NULL || names[i] == NULL) return fail("has fields without names", error);
    struct cs_variable *part = cs_variable_add(v, names[i]);
    code = part != NULL ? read(Mat_VarGetStructFieldByIndex(m, i, 0), part, deep - 1, error) : cs_error_memory(error);
  }
  return code;
}

static int read_matrix(const matvar_t *m, struct cs_variable *v, struct cs_error *error) {
  if (m->isComplex) return said(cs_variable_say(v, CS_VARIABLE_OTHER, "complex; want real numbers"), error);
  return m->class_type == MAT_C_SPARSE ? read_sparse(m, v, error) : read_full(m, v, error);
}

static int read(matvar_t *m, struct cs_variable *v, int deep, struct cs_error *error) {
  bool fits = true;
  if (m == NULL || m->class_type == MAT_C_EMPTY) return said(cs_variable_give(v, 0, 0), error);
  if (m->class_type == MAT_C_OPAQUE || m->class_type == MAT_C_OBJECT)
    return said(cs_variable_say(v, CS_VARIABLE_OBJECT, ""), error);
  if (m->class_type == MAT_C_FUNCTION)
    return said(cs_variable_say(v, CS_VARIABLE_OTHER, "a function; want numbers"), error);
  const bool done = cs_variable_fit(v, m->dims != NULL && m->rank > 0 ? (size_t)m->rank : 0, m->dims, &fits);
  if (!done || !fits) return said(done, error);
  if (m->class_type == MAT_C_CHAR) return read_characters(m, v, error);
  if (m->class_type != MAT_C_CELL && m->class_type != MAT_C_STRUCT) return read_matrix(m, v, error);
  if (deep == 1) return said(cs_variable_say(v, CS_VARIABLE_OTHER, "a cell or structure inside others"), error);
  return m->class_type == MAT_C_CELL ? read_cells(m, v, deep, error) : read_struct(m, v, deep, error);
}

/* ---- the file */

/* With a meaning, or without anything in it, which need not be said. */
static bool is_wanted(const matvar_t *m) {
  for (int i = 0; m->dims != NULL && i < m->rank; i++)
    if (m->dims[i] == 0) return true;
  return m->class_type == MAT_C_STRUCT || m->class_type == MAT_C_OBJECT || cs_role_of(m->name).kind != CS_ROLE_NONE;
}

static int read_variable(mat_t *mat, matvar_t *m, struct cs_variable *root, struct cs_error *error) {
  struct cs_error wrong = {0};
  if (m->class_type == MAT_C_OPAQUE) return CS_OK;                   /* matextent.c has found it */
  if (m->name == NULL && m->class_type == MAT_C_UINT8) return CS_OK; /* what objects refer to */
  if (m->name == NULL) return fail("holds a variable without a name", error);
  const bool wanted = is_wanted(m);
  if (wanted && m->class_type != MAT_C_OBJECT && Mat_VarReadDataAll(mat, m) != 0)
    return cs_error_set(error, CS_IO, "\"%s\" cannot be read", m->name);
  struct cs_variable *v = cs_variable_add(root, m->name);
  if (v != NULL && !wanted) return said(cs_variable_say(v, CS_VARIABLE_OTHER, "not read"), error);
  int code = v != NULL ? read(m, v, CS_VARIABLE_DEEPEST - 1, &wrong) : cs_error_memory(error);
  if (code == CS_IO) return cs_error_set(error, code, "\"%s\" %s", m->name, wrong.message);
  return code == CS_OK ? CS_OK : cs_error_memory(error);
}

int cs_matfile_read(const char *path, struct cs_variable *root, struct cs_error *error) {
  size_t want = 0, got = 0;
  struct cs_error why = {0};
  int code = cs_matextent_read(path, &want, root, &why);
  mat_t *mat = code == CS_OK ? Mat_Open(path, MAT_ACC_RDONLY) : NULL;
  if (code == CS_OK && mat == NULL) code = fail("is no MAT-file", &why);
  for (matvar_t *m; code == CS_OK && (m = Mat_VarReadNextInfo(mat)) != NULL; got++) {
    code = read_variable(mat, m, root, &why);
    Mat_VarFree(m);
  }
  if (mat != NULL) Mat_Close(mat);
  if (code == CS_OK && got != want) {
    struct cs_text text = {0};
    cs_text_add(&text, "is damaged: holds %zu variables, of which %zu can be read", want, got);
    code = text.failed ? cs_error_memory(&why) : fail(text.data, &why);
    cs_text_free(&text);
  }
  return code == CS_OK ? CS_OK : cs_error_set(error, code, "%s: %s", path, why.message);
}

#endif
