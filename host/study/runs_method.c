/* Which positions along a dimension are runs of one method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "runs.h"

/* A position with its group so far, and what divides the group further. */
struct position {
  size_t at, group;
  const char *word; /* NULL: a number */
  double number;
};

static int compare(const void *left, const void *right) {
  const struct position *a = left, *b = right;
  if (a->group != b->group) return a->group < b->group ? -1 : 1;
  const int words = a->word != NULL ? strcmp(a->word, b->word) : 0;
  return words != 0 ? words : (a->number > b->number) - (a->number < b->number);
}

static int compare_places(const void *left, const void *right) {
  const struct position *a = left, *b = right;
  return (a->at > b->at) - (a->at < b->at);
}

/* Divides groups by the values of one setting. */
static void divide(struct position *list, size_t length, const struct cs_array *array) {
  for (size_t i = 0; i < length; i++) {
    list[i].word = array->type == CS_TEXT ? array->data.text[list[i].at] : NULL;
    const double number = array->type == CS_TEXT ? 0.0 : array->data.float64[list[i].at];
    list[i].number = isnan(number) ? INFINITY : number; /* which has a place among others */
  }
  qsort(list, length, sizeof *list, compare);
  for (size_t i = 0, group = 0, before = 0; i < length; i++) {
    const struct position last = list[i > 0 ? i - 1 : 0];
    const bool new = i > 0 && (list[i].group != before || (list[i].word != NULL ? strcmp(list[i].word, last.word) != 0
                                                                                : list[i].number != last.number));
    before = list[i].group;
    group += new;
    list[i].group = group;
  }
}

/* Whether a setting that the axis changes together with others is part of a method. */
static bool is_of_method(const struct cs_runs *runs, size_t dimension, const struct cs_array *array) {
  const char *setting = cs_runs_setting(runs, dimension, array), *path;
  if (setting == NULL) return false;
  for (size_t i = 0; (path = cs_runs_path(runs->dimension[dimension].axis, i)) != NULL; i++) {
    const char *dot = strrchr(path, '.');
    if (strcmp(dot != NULL ? dot + 1 : path, setting) == 0 && cs_runs_role_of(path) == CS_ROLE_COMBINATION) return true;
  }
  return false;
}

/* Numbers the groups in the order of their first positions. */
static size_t number(struct position *list, size_t length, size_t *method, size_t *first) {
  size_t methods = 0;
  qsort(list, length, sizeof *list, compare_places);
  for (size_t i = 0; i < length; i++)
    first[i] = SIZE_MAX;
  for (size_t i = 0; i < length; i++) {
    if (first[list[i].group] == SIZE_MAX) first[list[i].group] = methods++;
    method[i] = first[list[i].group];
  }
  return methods;
}

int cs_runs_methods(const struct cs_runs *runs, size_t dimension, size_t *method, size_t *methods,
                    struct cs_error *error) {
  const size_t length = runs->table->dimension[dimension].length;
  const struct cs_runs_dimension *about = &runs->dimension[dimension];
  const bool combines = about->role == CS_ROLE_COMBINATION && about->nature != CS_NATURE_SIGNAL;
  const bool zip = about->axis != NULL && cs_json_get(about->axis, "zip") != NULL;
  bool divided = false;
  *methods = combines ? length : 1;
  for (size_t i = 0; i < length; i++)
    method[i] = combines ? i : 0;
  if (!combines || !zip) return CS_OK;
  struct position *list = calloc(length + 1, sizeof *list);
  size_t *first = malloc((length + 1) * sizeof *first);
  const int code = list != NULL && first != NULL ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; code == CS_OK && i < length; i++)
    list[i].at = i;
  for (size_t i = 0; code == CS_OK && i < runs->table->arrays; i++) {
    if (!is_of_method(runs, dimension, &runs->table->array[i])) continue;
    divide(list, length, &runs->table->array[i]);
    divided = true;
  }
  if (code == CS_OK && divided) *methods = number(list, length, method, first);
  free(list);
  free(first);
  return code;
}
