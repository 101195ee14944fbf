#include "stream.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

enum record { TABLE = 'T', DIMENSION = 'D', ARRAY = 'A', GROUP = 'G', NOTE = 'N', END = 'E' };

/* ---- pieces */

/* Nothing after what could not be written: the reader would take it for something else. */
static void put(FILE *to, const void *data, size_t size, size_t count) {
  if (count > 0 && !ferror(to)) fwrite(data, size, count, to);
}

static void put_record(FILE *to, enum record record) {
  const char mark = (char)record;
  put(to, &mark, 1, 1);
}

void cs_stream_put_count(FILE *to, size_t count) {
  put(to, &count, sizeof count, 1);
}

void cs_stream_put_text(FILE *to, const char *text) {
  const size_t length = strlen(text);
  cs_stream_put_count(to, length);
  put(to, text, 1, length);
}

static void put_texts(FILE *to, char *const *text, size_t count) {
  for (size_t i = 0; i < count; i++)
    cs_stream_put_text(to, text[i] != NULL ? text[i] : "");
}

bool cs_stream_take_count(FILE *from, size_t *count) {
  return fread(count, sizeof *count, 1, from) == 1;
}

/* In blocks: the length may be nonsense. */
char *cs_stream_take_text(FILE *from) {
  struct cs_text text = {0};
  char block[4096];
  size_t left, got = 1;
  if (!cs_stream_take_count(from, &left)) return NULL;
  cs_text_append(&text, "", 0);
  for (; left > 0 && got > 0; left -= got) {
    got = fread(block, 1, left < sizeof block ? left : sizeof block, from);
    cs_text_append(&text, block, got);
  }
  if (left == 0 && !text.failed) return text.data;
  cs_text_free(&text);
  return NULL;
}

void cs_stream_put_outcome(FILE *to, int code, const struct cs_error *error) {
  cs_stream_put_count(to, (size_t)code);
  cs_stream_put_text(to, code != CS_OK ? error->message : "");
}

bool cs_stream_take_outcome(FILE *from, int *code, struct cs_error *error) {
  size_t number = 0;
  if (!cs_stream_take_count(from, &number) || (number != CS_OK && (number < CS_INPUT || number > CS_IO))) return false;
  char *message = cs_stream_take_text(from);
  const bool good = message != NULL && (number == CS_OK || message[0] != '\0');
  const bool memory = message == NULL && !feof(from) && !ferror(from);
  if (good) *code = number == CS_OK ? CS_OK : cs_error_set(error, (int)number, "%s", message);
  if (memory) *code = cs_error_memory(error);
  free(message);
  return good || memory;
}

static void free_texts(char **text, size_t count) {
  for (size_t i = 0; text != NULL && i < count; i++)
    free(text[i]);
  free(text);
}

/* NULL if they break off; a list grows with what comes. */
static char **take_texts(FILE *from, size_t count) {
  char **text = count < SIZE_MAX / sizeof *text ? calloc(count + 1, sizeof *text) : NULL;
  for (size_t i = 0; text != NULL && i < count; i++)
    if ((text[i] = cs_stream_take_text(from)) == NULL) {
      free_texts(text, i);
      return NULL;
    }
  return text;
}

/* Name, unit and description. */
static void put_names(FILE *to, const char *name, const char *unit, const char *long_name) {
  cs_stream_put_text(to, name);
  cs_stream_put_text(to, unit);
  cs_stream_put_text(to, long_name);
}

enum { NAMES = 3 };

/* ---- writing */

void cs_stream_put_table(FILE *to, const struct cs_table *table) {
  put_record(to, TABLE);
  put_names(to, table->title, table->source, table->history);
}

void cs_stream_put_dimension(FILE *to, const struct cs_dimension *d) {
  put_record(to, DIMENSION);
  put_names(to, d->name, d->unit, d->long_name);
  cs_stream_put_count(to, d->length);
  cs_stream_put_count(to, d->labels != NULL);
  if (d->labels != NULL)
    put_texts(to, d->labels, d->length);
  else
    put(to, d->values, sizeof *d->values, d->length);
}

static void put_array(FILE *to, const struct cs_array *a, bool absent) {
  put_record(to, ARRAY);
  put_names(to, a->name, a->unit, a->long_name);
  cs_stream_put_count(to, (size_t)a->type);
  cs_stream_put_count(to, a->dimensions);
  for (size_t i = 0; i < a->dimensions; i++)
    cs_stream_put_count(to, a->dimension[i]);
  cs_stream_put_count(to, a->flag_meanings != NULL);
  if (a->flag_meanings != NULL) cs_stream_put_text(to, a->flag_meanings);
  cs_stream_put_count(to, absent);
}

void cs_stream_put_array(FILE *to, const struct cs_array *a) {
  put_array(to, a, false);
}

void cs_stream_put_absent(FILE *to, const struct cs_array *a) {
  put_array(to, a, true);
}

void cs_stream_put_items(FILE *to, enum cs_type type, const void *items, size_t count) {
  cs_stream_put_count(to, count);
  if (type == CS_TEXT)
    put_texts(to, items, count);
  else
    put(to, items, cs_table_item_size(type), count);
}

void cs_stream_put_group(FILE *to, const struct cs_table *group) {
  put_record(to, GROUP);
  cs_stream_put_text(to, group->name);
  cs_stream_put_text(to, group->title);
}

void cs_stream_put_note(FILE *to, const struct cs_note *note) {
  put_record(to, NOTE);
  cs_stream_put_text(to, note->name);
  cs_stream_put_count(to, (size_t)note->type);
  cs_stream_put_count(to, note->count);
  cs_stream_put_count(to, (size_t)note->scalar);
  put(to, &note->float64, sizeof note->float64, 1);
  put(to, &note->int64, sizeof note->int64, 1);
  put_texts(to, note->text, note->count);
}

void cs_stream_put_end(FILE *to, int code, const struct cs_error *error) {
  put_record(to, END);
  cs_stream_put_outcome(to, code, error);
}

/* ---- reading */

/* What is read, and where it goes: the root or its group. */
struct taking {
  FILE *from;
  struct cs_table *root, *table;
  bool broken; /* the items of an array */
  int code;    /* of adding to the table */
  struct cs_error *error;
};

/* Whether all is well so far; `code` is that of an addition. */
static bool keep(struct taking *t, int code) {
  t->code = code;
  return code == CS_OK;
}

static bool take_names(FILE *from, char *name[NAMES]) {
  bool good = true;
  for (size_t i = 0; i < NAMES; i++)
    good = (name[i] = good ? cs_stream_take_text(from) : NULL) != NULL;
  return good;
}

static void free_names(char *name[NAMES]) {
  for (size_t i = 0; i < NAMES; i++)
    free(name[i]);
}

static bool take_table(struct taking *t) {
  char *name[NAMES];
  const bool good = take_names(t->from, name) && t->root == NULL;
  if (good) t->root = t->table = cs_table_new(name[0], name[1], name[2]);
  free_names(name);
  return good && (t->root != NULL || keep(t, cs_error_memory(t->error)));
}

static bool take_dimension(struct taking *t) {
  char *name[NAMES], **labels = NULL;
  double *values = NULL;
  size_t length = 0, named = 0;
  bool good =
      take_names(t->from, name) && cs_stream_take_count(t->from, &length) && cs_stream_take_count(t->from, &named);
  if (good && named)
    good = (labels = take_texts(t->from, length)) != NULL;
  else if (good)
    good = length < SIZE_MAX / sizeof *values && (values = malloc((length + 1) * sizeof *values)) != NULL &&
           fread(values, sizeof *values, length, t->from) == length;
  good = good && keep(t, cs_table_add_dimension(t->table, name[0], name[1], name[2], length, values,
                                                (const char *const *)labels, NULL, t->error));
  free_names(name);
  free_texts(labels, length);
  free(values);
  return good;
}

/* Type and dimensions of an array. */
static bool take_shape(const struct taking *t, size_t *type, size_t *dimensions, size_t *dimension) {
  bool good = cs_stream_take_count(t->from, type) && *type <= CS_TEXT && cs_stream_take_count(t->from, dimensions) &&
              *dimensions <= CS_MAX_DIMENSIONS;
  for (size_t i = 0; good && i < *dimensions; i++)
    good = cs_stream_take_count(t->from, &dimension[i]) && dimension[i] < t->table->dimensions;
  return good;
}

/* `count` items of an array, from item `first` on. */
static bool take_block(FILE *from, struct cs_array *array, size_t first, size_t count) {
  const size_t size = cs_table_item_size(array->type);
  if (array->type != CS_TEXT) return fread(array->data.uint8 + first * size, size, count, from) == count;
  for (size_t i = first; i < first + count; i++)
    if ((array->data.text[i] = cs_stream_take_text(from)) == NULL) return false;
  return true;
}

/* All items, unless they break off. */
static bool take_items(struct taking *t, struct cs_array *array) {
  for (size_t done = 0, count = 0; done < array->count; done += count) {
    if (!cs_stream_take_count(t->from, &count) || count > array->count - done) return false;
    t->broken = count == 0;
    if (t->broken) return true;
    if (!take_block(t->from, array, done, count)) return false;
  }
  return true;
}

/* Room for items that all will be set. */
static bool allocate_items(struct taking *t, struct cs_array *array) {
  if (array->type == CS_TEXT)
    array->data.text = calloc(array->count, sizeof *array->data.text);
  else
    array->data.uint8 = malloc(array->count * cs_table_item_size(array->type));
  return array->data.uint8 != NULL || keep(t, cs_error_memory(t->error));
}

static bool take_array(struct taking *t) {
  char *name[NAMES];
  size_t type, dimensions, dimension[CS_MAX_DIMENSIONS], flags = 0, absent = 0;
  struct cs_array *array = NULL;
  bool good = take_names(t->from, name) && take_shape(t, &type, &dimensions, dimension) &&
              keep(t, cs_table_declare_array(t->table, name[0], name[1], name[2], (enum cs_type)type, dimensions,
                                             dimension, &array, t->error)) &&
              cs_stream_take_count(t->from, &flags);
  if (good && flags) good = (array->flag_meanings = cs_stream_take_text(t->from)) != NULL;
  good = good && cs_stream_take_count(t->from, &absent) && (!absent || (type != CS_TEXT && t->table == t->root));
  if (!absent) good = good && allocate_items(t, array) && take_items(t, array);
  free_names(name);
  return good;
}

static bool take_group(struct taking *t) {
  char *name = cs_stream_take_text(t->from), *title = name != NULL ? cs_stream_take_text(t->from) : NULL;
  const bool good =
      title != NULL && t->root->group == NULL && keep(t, cs_table_add_group(t->root, name, title, &t->table, t->error));
  free(name);
  free(title);
  return good;
}

static bool take_note(struct taking *t) {
  size_t type = 0, count = 0, scalar = 0;
  double float64 = 0;
  int64_t int64 = 0;
  char *name = cs_stream_take_text(t->from), **text = NULL;
  bool good = name != NULL && cs_stream_take_count(t->from, &type) && type <= CS_TEXT && type != CS_UINT8 &&
              cs_stream_take_count(t->from, &count) && cs_stream_take_count(t->from, &scalar) &&
              fread(&float64, sizeof float64, 1, t->from) == 1 && fread(&int64, sizeof int64, 1, t->from) == 1 &&
              (type != CS_TEXT || !scalar || count == 1) && (text = take_texts(t->from, count)) != NULL;
  if (good && type == CS_TEXT)
    good = keep(t, cs_table_add_text(t->root, name, count, scalar != 0, (const char *const *)text, t->error));
  else if (good)
    good = keep(t, cs_table_add_number(t->root, name, (enum cs_type)type, float64, int64, t->error));
  free(name);
  free_texts(text, count);
  return good;
}

static bool take_record(struct taking *t, int record) {
  if (t->broken || (t->root == NULL) != (record == TABLE)) return false;
  return record == TABLE       ? take_table(t)
         : record == DIMENSION ? take_dimension(t)
         : record == ARRAY     ? take_array(t)
         : record == GROUP     ? take_group(t)
         : record == NOTE      ? take_note(t)
                               : false;
}

/* True if the end is there. */
static bool take_end(struct taking *t) {
  return cs_stream_take_outcome(t->from, &t->code, t->error) && (t->code != CS_OK || (t->root != NULL && !t->broken));
}

bool cs_stream_take(FILE *from, struct cs_table **table, int *code, struct cs_error *error) {
  struct taking t = {.from = from, .error = error};
  int record = fgetc(from);
  while (record != END && take_record(&t, record))
    record = fgetc(from);
  const bool answered = t.code != CS_OK || (record == END && take_end(&t));
  if (!answered || t.code != CS_OK) {
    cs_table_free(t.root);
    t.root = NULL;
  }
  *table = t.root;
  *code = t.code;
  return answered;
}
