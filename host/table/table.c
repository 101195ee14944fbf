#include "table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "spill.h"
#include "text.h"

size_t cs_table_item_size(enum cs_type type) {
  return type == CS_UINT8 ? sizeof(uint8_t) : sizeof(double);
}

static void free_texts(char **text, size_t count) {
  if (text != NULL)
    for (size_t i = 0; i < count; i++)
      free(text[i]);
  free(text);
}

static char **copy_texts(const char *const *text, size_t count) {
  char **copy = calloc(count ? count : 1, sizeof *copy);
  if (copy == NULL) return NULL;
  for (size_t i = 0; i < count; i++) {
    copy[i] = cs_text_copy(text[i] != NULL ? text[i] : "");
    if (copy[i] == NULL) {
      free_texts(copy, count);
      return NULL;
    }
  }
  return copy;
}

static double *copy_numbers(const double *values, size_t count) {
  double *copy = malloc(count * sizeof *copy);
  if (copy != NULL) memcpy(copy, values, count * sizeof *copy);
  return copy;
}

static void clear_dimension(struct cs_dimension *dimension) {
  free(dimension->name);
  free(dimension->unit);
  free(dimension->long_name);
  free(dimension->values);
  free_texts(dimension->labels, dimension->length);
}

static void clear_array(struct cs_array *array) {
  free(array->name);
  free(array->unit);
  free(array->long_name);
  free(array->flag_meanings);
  free(array->lazy);
  switch (array->type) {
    case CS_FLOAT64:
      free(array->data.float64);
      break;
    case CS_INT64:
      free(array->data.int64);
      break;
    case CS_UINT8:
      free(array->data.uint8);
      break;
    case CS_TEXT:
      free_texts(array->data.text, array->count);
      break;
  }
}

static void clear_note(struct cs_note *note) {
  free(note->name);
  free_texts(note->text, note->count);
}

struct cs_table *cs_table_new(const char *title, const char *source, const char *history) {
  struct cs_table *table = calloc(1, sizeof *table);
  if (table == NULL) return NULL;
  table->title = cs_text_copy(title != NULL ? title : "");
  table->source = cs_text_copy(source != NULL ? source : "");
  table->history = cs_text_copy(history != NULL ? history : "");
  if (table->title == NULL || table->source == NULL || table->history == NULL) {
    cs_table_free(table);
    return NULL;
  }
  return table;
}

void cs_table_free(struct cs_table *table) {
  if (table == NULL) return;
  for (size_t i = 0; i < table->dimensions; i++)
    clear_dimension(&table->dimension[i]);
  for (size_t i = 0; i < table->arrays; i++)
    clear_array(&table->array[i]);
  for (size_t i = 0; i < table->notes; i++)
    clear_note(&table->note[i]);
  free(table->dimension);
  free(table->array);
  free(table->note);
  cs_table_free(table->group);
  cs_lazy_free(table->lazy);
  free(table->name);
  free(table->title);
  free(table->source);
  free(table->history);
  free(table);
}

/* Dimensions, arrays and the group share one namespace in the result file. */
static int check_name(const struct cs_table *table, const char *name, struct cs_error *error) {
  if (!name[0] || strchr(name, '/') != NULL)
    return cs_error_set(error, CS_INPUT, "result: \"%s\" cannot name a variable; want a name without \"/\"", name);
  if (strcmp(name, "provenance") == 0)
    return cs_error_set(error, CS_INPUT, "result: the name \"provenance\" is taken by the group of that name");
  if (cs_table_find(table, name) != NULL || cs_table_find_dimension(table, name) != NULL ||
      (table->group != NULL && table->group->name != NULL && strcmp(table->group->name, name) == 0))
    return cs_error_set(error, CS_INPUT, "result: two variables are named \"%s\"; want different names", name);
  return CS_OK;
}

int cs_table_add_group(struct cs_table *table, const char *name, const char *title, struct cs_table **group,
                       struct cs_error *error) {
  assert(table->group == NULL && table->name == NULL);
  int code = check_name(table, name, error);
  if (code != CS_OK) return code;
  table->group = *group = cs_table_new(title, NULL, NULL);
  if (*group != NULL) (*group)->name = cs_text_copy(name);
  return *group != NULL && (*group)->name != NULL ? CS_OK : cs_error_memory(error);
}

int cs_table_add_dimension(struct cs_table *table, const char *name, const char *unit, const char *long_name,
                           size_t length, const double *values, const char *const *labels, size_t *index,
                           struct cs_error *error) {
  assert(!values != !labels);
  int code = check_name(table, name, error);
  if (code != CS_OK) return code;
  if (length == 0) return cs_error_set(error, CS_INPUT, "result: dimension \"%s\" has length 0; want at least 1", name);
  if (!cs_list_grow(&table->dimension, table->dimensions, sizeof *table->dimension)) return cs_error_memory(error);
  struct cs_dimension new = {.name = cs_text_copy(name),
                             .unit = cs_text_copy(unit != NULL ? unit : ""),
                             .long_name = cs_text_copy(long_name != NULL ? long_name : ""),
                             .length = length,
                             .values = values != NULL ? copy_numbers(values, length) : NULL,
                             .labels = labels != NULL ? copy_texts(labels, length) : NULL};
  if (new.name == NULL || new.unit == NULL || new.long_name == NULL || (new.values == NULL &&new.labels == NULL)) {
    clear_dimension(&new);
    return cs_error_memory(error);
  }
  if (index != NULL) *index = table->dimensions;
  table->dimension[table->dimensions++] = new;
  return CS_OK;
}

int cs_table_add_numbers(struct cs_table *table, const char *name, const char *what, size_t length, size_t *index,
                         struct cs_error *error) {
  double *number = malloc((length + 1) * sizeof *number);
  struct cs_text sentence = {0};
  cs_text_add(&sentence, "number of the %s, from 0", what);
  for (size_t i = 0; number != NULL && i < length; i++)
    number[i] = (double)i;
  const int code = number == NULL || sentence.failed
                       ? cs_error_memory(error)
                       : cs_table_add_dimension(table, name, "1", sentence.data, length, number, NULL, index, error);
  cs_text_free(&sentence);
  free(number);
  return code;
}

/* Product of the lengths; 0 when it does not fit the address space. */
static size_t count_items(const struct cs_table *table, size_t dimensions, const size_t *dimension) {
  size_t count = 1;
  for (size_t i = 0; i < dimensions; i++) {
    size_t length = table->dimension[dimension[i]].length;
    if (count > SIZE_MAX / sizeof(double) / length) return 0;
    count *= length;
  }
  return count;
}

static int allocate_data(struct cs_array *array) {
  switch (array->type) {
    case CS_FLOAT64:
      array->data.float64 = malloc(array->count * sizeof(double));
      if (array->data.float64 == NULL) return 0;
      for (size_t i = 0; i < array->count; i++)
        array->data.float64[i] = NAN;
      return 1;
    case CS_INT64:
      array->data.int64 = calloc(array->count, sizeof(int64_t));
      return array->data.int64 != NULL;
    case CS_UINT8:
      array->data.uint8 = calloc(array->count, sizeof(uint8_t));
      return array->data.uint8 != NULL;
    case CS_TEXT:
      array->data.text = calloc(array->count, sizeof(char *));
      return array->data.text != NULL;
  }
  return 0;
}

int cs_table_declare_array(struct cs_table *table, const char *name, const char *unit, const char *long_name,
                           enum cs_type type, size_t dimensions, const size_t *dimension, struct cs_array **array,
                           struct cs_error *error) {
  int code = check_name(table, name, error);
  if (code != CS_OK) return code;
  if (dimensions > CS_MAX_DIMENSIONS)
    return cs_error_set(error, CS_INPUT, "result: \"%s\" has %zu dimensions; want at most %d", name, dimensions,
                        CS_MAX_DIMENSIONS);
  size_t count = count_items(table, dimensions, dimension);
  if (count == 0) return cs_error_memory(error);
  if (!cs_list_grow(&table->array, table->arrays, sizeof *table->array)) return cs_error_memory(error);
  struct cs_array new = {.name = cs_text_copy(name),
                         .unit = cs_text_copy(unit != NULL ? unit : ""),
                         .long_name = cs_text_copy(long_name != NULL ? long_name : ""),
                         .type = type,
                         .dimensions = dimensions,
                         .count = count};
  for (size_t i = 0; i < dimensions; i++)
    new.dimension[i] = dimension[i];
  if (new.name == NULL || new.unit == NULL || new.long_name == NULL) {
    clear_array(&new);
    return cs_error_memory(error);
  }
  table->array[table->arrays] = new;
  *array = &table->array[table->arrays++];
  return CS_OK;
}

int cs_table_add_array(struct cs_table *table, const char *name, const char *unit, const char *long_name,
                       enum cs_type type, size_t dimensions, const size_t *dimension, struct cs_array **array,
                       struct cs_error *error) {
  struct cs_array *new;
  const int code = cs_table_declare_array(table, name, unit, long_name, type, dimensions, dimension, &new, error);
  if (code != CS_OK) return code;
  if (!allocate_data(new)) {
    clear_array(new);
    table->arrays--;
    return cs_error_memory(error);
  }
  if (array != NULL) *array = new;
  return CS_OK;
}

/* ---- arrays over the runs in a file ------------------------------------------------------------------------------ */

static int load_block(void *spill, size_t part, size_t block, void *items, size_t bytes, struct cs_error *error) {
  return cs_spill_get(spill, part, (uint64_t)block * CS_LAZY_BYTES, items, bytes, error);
}

static void close_spill(void *spill) {
  cs_spill_close(spill);
}

int cs_table_spill(struct cs_table *table, const char *beside, struct cs_error *error) {
  const int code = cs_spill_open(beside, &table->spill, error);
  if (code != CS_OK) return code;
  table->lazy = cs_lazy_new(&(struct cs_lazy_source){load_block, close_spill, table->spill});
  if (table->lazy == NULL) return cs_error_memory(error);
  table->home = CS_IN_FILE;
  return CS_OK;
}

/* The part of the file that an array has. */
static int give_part(struct cs_table *table, struct cs_array *array, struct cs_error *error) {
  const size_t size = cs_table_item_size(array->type);
  struct cs_lazy_array *lazy = calloc(1, sizeof *lazy);
  if (lazy == NULL) return cs_error_memory(error);
  *lazy = (struct cs_lazy_array){
      .of = table->lazy, .size = size, .line = array->count, .block = CS_LAZY_BYTES / size, .count = array->count};
  array->lazy = lazy;
  return cs_spill_add(table->spill, (uint64_t)array->count * size, &lazy->number, error);
}

int cs_table_add_homed(struct cs_table *table, const char *name, const char *unit, const char *long_name,
                       enum cs_type type, size_t dimensions, const size_t *dimension, struct cs_array **array,
                       struct cs_error *error) {
  struct cs_array *new;
  if (table->home == CS_IN_MEMORY)
    return cs_table_add_array(table, name, unit, long_name, type, dimensions, dimension, array, error);
  int code = cs_table_declare_array(table, name, unit, long_name, type, dimensions, dimension, &new, error);
  if (code == CS_OK && table->home == CS_IN_FILE) code = give_part(table, new, error);
  if (code == CS_OK && array != NULL) *array = new;
  return code;
}

int cs_table_put(const struct cs_table *table, struct cs_array *array, size_t first, const void *items, size_t count,
                 struct cs_error *error) {
  const size_t size = cs_table_item_size(array->type);
  if (array->lazy != NULL)
    return cs_spill_put(table->spill, array->lazy->number, (uint64_t)first * size, items, count * size, error);
  memcpy(array->data.uint8 + first * size, items, count * size);
  return CS_OK;
}

int cs_table_get(const struct cs_table *table, const struct cs_array *array, size_t first, void *items, size_t count,
                 struct cs_error *error) {
  const size_t size = cs_table_item_size(array->type);
  for (size_t i = 0; array->lazy != NULL && table->spill == NULL && i < count; i++)
    memcpy((char *)items + i * size, cs_lazy_item(array->lazy, first + i), size);
  if (array->lazy != NULL && table->spill == NULL) return cs_table_check(table, error);
  if (array->lazy != NULL)
    return cs_spill_get(table->spill, array->lazy->number, (uint64_t)first * size, items, count * size, error);
  memcpy(items, array->data.uint8 + first * size, count * size);
  return CS_OK;
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

/* Takes ownership of the contents of `note`, also on failure. */
static int add_note(struct cs_table *table, struct cs_note note, struct cs_error *error) {
  if (note.name != NULL && cs_table_find_note(table, note.name) != NULL) {
    int code = cs_error_set(error, CS_INPUT, "result: two notes are named \"%s\"; want different names", note.name);
    clear_note(&note);
    return code;
  }
  if (note.name == NULL || !cs_list_grow(&table->note, table->notes, sizeof *table->note)) {
    clear_note(&note);
    return cs_error_memory(error);
  }
  table->note[table->notes++] = note;
  return CS_OK;
}

int cs_table_add_text(struct cs_table *table, const char *name, size_t count, int scalar, const char *const *text,
                      struct cs_error *error) {
  assert(!scalar || count == 1);
  if (count == 0) return cs_error_set(error, CS_INPUT, "result: note \"%s\" is an empty list; want a text", name);
  char **copy = copy_texts(text, count);
  if (copy == NULL) return cs_error_memory(error);
  struct cs_note note = {.name = cs_text_copy(name), .type = CS_TEXT, .count = count, .scalar = scalar, .text = copy};
  return add_note(table, note, error);
}

int cs_table_add_number(struct cs_table *table, const char *name, enum cs_type type, double float64, int64_t int64,
                        struct cs_error *error) {
  assert(type == CS_FLOAT64 || type == CS_INT64);
  struct cs_note note = {.name = cs_text_copy(name), .type = type, .scalar = 1, .float64 = float64, .int64 = int64};
  return add_note(table, note, error);
}

int cs_table_check(const struct cs_table *table, struct cs_error *error) {
  return cs_lazy_check(table->lazy, error);
}

double cs_table_number(const struct cs_array *array, size_t i) {
  switch (array->type) {
    case CS_FLOAT64:
      return cs_table_float64(array, i);
    case CS_INT64:
      return (double)cs_table_int64(array, i);
    case CS_UINT8:
      return cs_table_uint8(array, i);
    default:
      return NAN;
  }
}

struct cs_array *cs_table_find(const struct cs_table *table, const char *name) {
  for (size_t i = 0; i < table->arrays; i++)
    if (strcmp(table->array[i].name, name) == 0) return &table->array[i];
  return NULL;
}

const struct cs_dimension *cs_table_find_dimension(const struct cs_table *table, const char *name) {
  for (size_t i = 0; i < table->dimensions; i++)
    if (strcmp(table->dimension[i].name, name) == 0) return &table->dimension[i];
  return NULL;
}

const struct cs_note *cs_table_find_note(const struct cs_table *table, const char *name) {
  for (size_t i = 0; i < table->notes; i++)
    if (strcmp(table->note[i].name, name) == 0) return &table->note[i];
  return NULL;
}

const char *cs_table_text(const struct cs_table *table, const char *name) {
  const struct cs_note *note = cs_table_find_note(table, name);
  return note != NULL && note->type == CS_TEXT && note->count > 0 ? note->text[0] : NULL;
}
