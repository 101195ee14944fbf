#include "export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scale.h"
#include "word_list.h"

/* ---- what the file has */

bool cs_export_lies_over(const struct cs_array *array, size_t dimension) {
  for (size_t i = 0; i < array->dimensions; i++)
    if (array->dimension[i] == dimension) return true;
  return false;
}

/* Without a status all dimensions are axes; in a group the first, others are of signals. */
static void find_axes(struct cs_export *export) {
  for (size_t d = 0; d < export->table->dimensions; d++) {
    export->axis[d] = export->table != export->root ? d == 0
                      : export->runs.status == NULL ? true
                                                    : export->runs.dimension[d].nature != CS_NATURE_SIGNAL;
    export->length[d] = export->table->dimension[d].length;
  }
}

bool cs_export_is_place(const struct cs_export *export, const struct cs_array *array) {
  if (export->table != export->root) return cs_table_find_dimension(export->root, array->name) != NULL;
  return array->dimensions == 1 && cs_runs_setting(&export->runs, array->dimension[0], array) != NULL;
}

const struct cs_dimension *cs_export_signals(const struct cs_export *export, const struct cs_array *array) {
  for (size_t i = 0; i < array->dimensions; i++)
    if (!export->axis[array->dimension[i]]) return &export->table->dimension[array->dimension[i]];
  return NULL;
}

/* ---- choosing */

static int choose_table(struct cs_export *export, const struct cs_export_wish *wish, struct cs_error *error) {
  struct cs_text names = {0};
  const struct cs_table *group = export->root->group;
  export->table = wish->group != NULL ? group : export->root;
  if (wish->group == NULL || (group != NULL && strcmp(group->name, wish->group) == 0)) return CS_OK;
  if (group != NULL) cs_text_add_name(&names, group->name);
  return cs_scale_fail("group", wish->group, &names, error);
}

/* Marks the arrays of a list of names. */
static int ask(const struct cs_table *table, const char *list, bool *asked, struct cs_error *error) {
  struct cs_word_list words;
  int code = cs_word_list_read(list, &words, error);
  for (size_t i = 0; i < words.count && code == CS_OK; i++) {
    const struct cs_array *array = cs_table_find(table, words.word[i]);
    struct cs_text names = {0};
    if (array != NULL) {
      asked[array - table->array] = true;
      continue;
    }
    for (size_t k = 0; k < table->arrays; k++)
      cs_text_add_name(&names, table->array[k].name);
    code = cs_scale_fail("metric", words.word[i], &names, error);
  }
  cs_word_list_free(&words);
  return code;
}

static int choose_arrays(struct cs_export *export, const struct cs_export_wish *wish, struct cs_error *error) {
  const struct cs_table *table = export->table;
  bool *asked = calloc(table->arrays + 1, sizeof *asked);
  int code = asked != NULL ? CS_OK : cs_error_memory(error);
  export->asked = wish->metrics > 0;
  for (size_t i = 0; i < wish->metrics && code == CS_OK; i++)
    code = ask(table, wish->metric[i], asked, error);
  for (size_t k = 0; k < table->arrays && code == CS_OK; k++)
    if (!export->asked || asked[k] || cs_export_is_place(export, &table->array[k]))
      export->array[export->arrays++] = &table->array[k];
  free(asked);
  return code;
}

/* Whether any exported array is over this dimension. */
static bool is_used(const struct cs_export *export, size_t dimension) {
  for (size_t i = 0; i < export->arrays; i++)
    if (!cs_export_is_place(export, export->array[i]) && cs_export_lies_over(export->array[i], dimension)) return true;
  return false;
}

/* Where positions are selected. */
struct selection {
  struct cs_export *export;
  size_t dimension;
};

/* The first position selected along a dimension deselects all others. */
static int take_position(void *of, size_t at, struct cs_error *error) {
  const struct selection *s = of;
  struct cs_export *export = s->export;
  const size_t d = s->dimension;
  if (export->chosen[d] == NULL) {
    export->chosen[d] = calloc(export->table->dimension[d].length, sizeof **export->chosen);
    if (export->chosen[d] == NULL) return cs_error_memory(error);
    export->length[d] = 0;
    export->first[d] = at;
  }
  export->length[d] += !export->chosen[d][at];
  export->chosen[d][at] = true;
  if (at < export->first[d]) export->first[d] = at;
  return CS_OK;
}

/* "dimension=value" */
static int choose_position(struct cs_export *export, const char *where, struct cs_error *error) {
  struct cs_text names = {0};
  for (size_t d = 0; d < export->table->dimensions; d++) {
    const struct cs_dimension *dimension = &export->table->dimension[d];
    const char *value = cs_scale_value(where, dimension->name);
    if (!is_used(export, d)) continue;
    cs_text_add_name(&names, dimension->name);
    if (value == NULL) continue;
    cs_text_free(&names);
    return cs_scale_take(dimension, value, "where", where, take_position, &(struct selection){export, d}, error);
  }
  return cs_scale_fail_axis("where", where, &names, error);
}

static int open(struct cs_export *export, const struct cs_export_wish *wish, struct cs_error *error) {
  int code = choose_table(export, wish, error);
  if (code == CS_OK) code = cs_runs_open(export->table, &export->runs, error);
  if (code != CS_OK && code != CS_IO) return code; /* CS_IO: no readable sweep, so no array is a setting of an axis */
  const size_t dimensions = export->table->dimensions;
  export->chosen = calloc(dimensions + 1, sizeof *export->chosen);
  export->first = calloc(dimensions + 1, sizeof *export->first);
  export->length = calloc(dimensions + 1, sizeof *export->length);
  export->axis = calloc(dimensions + 1, sizeof *export->axis);
  export->array = calloc(export->table->arrays + 1, sizeof *export->array);
  if (export->chosen == NULL || export->first == NULL || export->length == NULL || export->axis == NULL ||
      export->array == NULL)
    return cs_error_memory(error);
  find_axes(export);
  code = choose_arrays(export, wish, error);
  for (size_t i = 0; i < wish->wheres && code == CS_OK; i++)
    code = choose_position(export, wish->where[i], error);
  return code;
}

int cs_export_open(const struct cs_table *root, const struct cs_export_wish *wish, struct cs_export *export,
                   struct cs_error *error) {
  *export = (struct cs_export){.root = root};
  return cs_error_usage(error, open(export, wish, error), wish->command != NULL ? wish->command : "export");
}

void cs_export_close(struct cs_export *export) {
  for (size_t d = 0; export->chosen != NULL && d < export->table->dimensions; d++)
    free(export->chosen[d]);
  cs_runs_close(&export->runs);
  free(export->chosen);
  free(export->first);
  free(export->length);
  free(export->axis);
  free(export->array);
  *export = (struct cs_export){0};
}

/* ---- going through */

size_t cs_export_item(const struct cs_export *export, const struct cs_array *array, const size_t *position) {
  size_t item = 0;
  for (size_t i = 0; i < array->dimensions; i++)
    item = item * export->table->dimension[array->dimension[i]].length + position[array->dimension[i]];
  return item;
}

bool cs_export_has(const struct cs_export *export, size_t dimension, size_t position) {
  return export->chosen[dimension] == NULL || export->chosen[dimension][position];
}

bool cs_export_advance(const struct cs_export *export, size_t count, const size_t *dimension, size_t *position) {
  for (size_t i = count; i-- > 0;) {
    const size_t d = dimension[i];
    while (++position[d] < export->table->dimension[d].length)
      if (cs_export_has(export, d, position[d])) return true;
    position[d] = export->first[d];
  }
  return false;
}
