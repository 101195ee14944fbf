#include "methods.h"

#include <stdlib.h>
#include <string.h>

#include "figure_private.h"
#include "scale.h"
#include "word_list.h"

/* ---- lines ------------------------------------------------------------------------------------------------------- */

void cs_methods_open(const struct cs_view *view, struct cs_methods *methods) {
  *methods = (struct cs_methods){.view = view, .count = 1};
}

void cs_methods_close(struct cs_methods *methods) {
  for (size_t s = 0; s < CS_MAX_DIMENSIONS; s++)
    free(methods->part[s]);
  free(methods->order);
  free(methods->place);
  *methods = (struct cs_methods){0};
}

int cs_methods_add(struct cs_methods *methods, size_t slice, const size_t *group, struct cs_error *error) {
  const struct cs_slice *s = &methods->view->slice[slice];
  const size_t length = s->dimension->length;
  size_t *part = methods->part[slice] = malloc((length + 1) * sizeof *part);
  size_t *of_group = malloc((length + 1) * sizeof *of_group), parts = 0;
  const bool room = part != NULL && of_group != NULL;
  for (size_t i = 0; room && i < length; i++)
    part[i] = of_group[i] = SIZE_MAX;
  for (size_t i = 0; room && i < s->count; i++) {
    size_t *of = &of_group[group[s->kept[i]]];
    if (*of == SIZE_MAX) *of = parts++;
    part[s->kept[i]] = *of;
  }
  free(of_group);
  if (!room) return cs_error_memory(error);
  methods->slice[methods->slices++] = slice;
  methods->parts[slice] = parts;
  methods->count *= parts;
  return CS_OK;
}

size_t cs_methods_line(const struct cs_methods *methods, const size_t *position) {
  size_t line = 0;
  for (size_t i = 0; i < methods->slices; i++) {
    const size_t s = methods->slice[i];
    line = line * methods->parts[s] + methods->part[s][position[s]];
  }
  return line;
}

/* The part of a line along a slice, and the first position in it. */
static size_t part_of(const struct cs_methods *methods, size_t line, size_t slice) {
  for (size_t i = methods->slices; methods->slice[i - 1] != slice; i--)
    line /= methods->parts[methods->slice[i - 1]];
  return line % methods->parts[slice];
}

static size_t first_of(const struct cs_methods *methods, size_t slice, size_t part) {
  size_t at = 0;
  while (methods->part[slice][at] != part)
    at++;
  return at;
}

/* ---- settings that an axis changes together ---------------------------------------------------------------------- */

/* Array number `a` if it has a setting that the slice changes together with others; NULL otherwise. */
static const struct cs_array *setting_at(const struct cs_methods *methods, size_t slice, size_t a, const char **name) {
  const struct cs_view *view = methods->view;
  const struct cs_array *array = &view->table->array[a];
  *name = cs_runs_setting(&view->runs, view->metric->dimension[slice], array);
  return *name != NULL ? array : NULL;
}

static bool same(const struct cs_array *a, size_t i, size_t k) {
  return a->type == CS_TEXT ? strcmp(a->data.text[i], a->data.text[k]) == 0 : a->data.float64[i] == a->data.float64[k];
}

/* Whether a setting has one value in each part of the slice, so that it belongs to the method. */
static bool is_of_parts(const struct cs_methods *methods, size_t slice, const struct cs_array *array) {
  for (size_t at = 0; at < array->count; at++) {
    const size_t part = methods->part[slice][at];
    if (part != SIZE_MAX && !same(array, at, first_of(methods, slice, part))) return false;
  }
  return true;
}

/* ---- highlights -------------------------------------------------------------------------------------------------- */

/* "hold=taylor": the parts of a slice that are meant. */
struct term {
  size_t slice;
  bool *meant; /* [parts] */
};

/* *at: a position of a setting with that value; each is listed once where there is none. */
static int choose_setting(const struct cs_array *array, const char *said, const char *value, size_t *at,
                          struct cs_error *error) {
  size_t *first = malloc((array->count + 1) * sizeof *first), count = 0, chosen = 0;
  double *values = malloc((array->count + 1) * sizeof *values);
  char **labels = malloc((array->count + 1) * sizeof *labels);
  int code = first != NULL && values != NULL && labels != NULL ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; code == CS_OK && i < array->count; i++) {
    size_t k = 0;
    while (k < count && !same(array, first[k], i))
      k++;
    if (k < count) continue;
    first[count] = i;
    if (array->type == CS_TEXT)
      labels[count++] = array->data.text[i];
    else
      values[count++] = array->data.float64[i];
  }
  if (code == CS_OK)
    code = cs_scale_choose(count, values, array->type == CS_TEXT ? labels : NULL, value, "highlight", said, &chosen,
                           error);
  if (code == CS_OK) *at = first[chosen];
  free(first);
  free(values);
  free(labels);
  return code;
}

/* Reads the value of a term: of a setting, or of the axis where `array` is NULL. */
static int read_value(const struct cs_methods *methods, const char *said, const char *value,
                      const struct cs_array *array, struct term *term, struct cs_error *error) {
  const struct cs_slice *slice = &methods->view->slice[term->slice];
  const struct cs_dimension *d = slice->dimension;
  size_t at = 0;
  const int code = array != NULL
                       ? choose_setting(array, said, value, &at, error)
                       : cs_scale_choose(d->length, d->values, d->labels, value, "highlight", said, &at, error);
  if (code != CS_OK) return code;
  term->meant = calloc(methods->parts[term->slice] + 1, sizeof *term->meant);
  if (term->meant == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < slice->count; i++)
    if (array != NULL ? same(array, slice->kept[i], at) : slice->kept[i] == at)
      term->meant[methods->part[term->slice][slice->kept[i]]] = true;
  return CS_OK;
}

static int read_term(const struct cs_methods *methods, const char *said, struct term *term, struct cs_error *error) {
  struct cs_text names = {0};
  const char *name, *value = NULL;
  for (size_t i = 0; i < methods->slices; i++) {
    const struct cs_array *array = NULL;
    term->slice = methods->slice[i];
    const char *axis = methods->view->slice[term->slice].dimension->name;
    bool settings = false;
    for (size_t a = 0; a < methods->view->table->arrays && value == NULL; a++) {
      const struct cs_array *next = setting_at(methods, term->slice, a, &name);
      if (next == NULL || !is_of_parts(methods, term->slice, next)) continue;
      settings = true;
      cs_text_add_name(&names, name);
      value = cs_scale_value(said, name);
      if (value != NULL) array = next;
    }
    if (!settings) cs_text_add_name(&names, axis);
    if (value == NULL) value = cs_scale_value(said, axis);
    if (value == NULL) continue;
    cs_text_free(&names);
    return read_value(methods, said, value, array, term, error);
  }
  return cs_scale_fail_axis("highlight", said, &names, error);
}

/* Marks the lines for which all terms of "hold=taylor,order=2" hold. */
static int highlight(const struct cs_methods *methods, const char *said, bool *marked, struct cs_error *error) {
  bool *left = malloc((methods->count + 1) * sizeof *left), some = false;
  struct cs_word_list terms = {0};
  int code = left != NULL ? cs_word_list_read(said, &terms, error) : cs_error_memory(error);
  for (size_t line = 0; code == CS_OK && line < methods->count; line++)
    left[line] = true;
  for (size_t i = 0; i < terms.count && code == CS_OK; i++) {
    struct term term = {0};
    code = read_term(methods, terms.word[i], &term, error);
    for (size_t line = 0; code == CS_OK && line < methods->count; line++)
      left[line] = left[line] && term.meant[part_of(methods, line, term.slice)];
    free(term.meant);
  }
  cs_word_list_free(&terms);
  for (size_t line = 0; code == CS_OK && line < methods->count; line++) {
    some = some || left[line];
    marked[line] = marked[line] || left[line];
  }
  if (code == CS_OK && !some)
    code = cs_error_set(error, CS_USAGE, "--highlight \"%s\"; no line of the figure has all of these", said);
  free(left);
  return code;
}

/* ---- choice ------------------------------------------------------------------------------------------------------ */

int cs_methods_rank(struct cs_methods *methods, const struct cs_rank_runs *runs, struct cs_error *error) {
  const struct cs_figure_request *request = methods->view->request;
  const size_t most = request->methods > 0 ? request->methods : CS_FIGURE_CURVES, count = methods->count;
  bool *marked = calloc(count + 1, sizeof *marked);
  size_t *order = malloc((count + 1) * sizeof *order);
  methods->order = malloc((count + 1) * sizeof *methods->order);
  methods->place = malloc((count + 1) * sizeof *methods->place);
  int code = marked != NULL && order != NULL && methods->order != NULL && methods->place != NULL
                 ? cs_rank_order(runs, order, error)
                 : cs_error_memory(error);
  for (size_t i = 0; i < request->highlights && code == CS_OK; i++)
    code = highlight(methods, request->highlight[i], marked, error);
  size_t place = 0;
  for (size_t pass = 0; pass < 2 && code == CS_OK; pass++) {
    for (size_t i = 0; i < count; i++) {
      const bool first = request->highlights == 0 || marked[order[i]];
      if (first != (pass == 0)) continue;
      methods->place[order[i]] = place;
      methods->order[place++] = order[i];
    }
    if (pass == 0) methods->coloured = place < most ? place : most;
  }
  free(marked);
  free(order);
  return code;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Whether the lines in colour differ along a slice. */
static bool differs(const struct cs_methods *methods, size_t slice) {
  const size_t first = methods->coloured > 0 ? part_of(methods, methods->order[0], slice) : 0;
  for (size_t i = 1; i < methods->coloured; i++)
    if (part_of(methods, methods->order[i], slice) != first) return true;
  return false;
}

/* The position that stands for line number `i` in colour along a slice. */
static size_t position_of(const struct cs_methods *methods, size_t i, size_t slice) {
  return first_of(methods, slice, part_of(methods, methods->order[i], slice));
}

/* Whether a setting differs between the lines in colour. */
static bool setting_differs(const struct cs_methods *methods, size_t slice, const struct cs_array *array) {
  for (size_t i = 1; i < methods->coloured; i++)
    if (!same(array, position_of(methods, 0, slice), position_of(methods, i, slice))) return true;
  return false;
}

/* Whether words among the settings tell all parts in colour apart. */
static bool words_suffice(const struct cs_methods *methods, size_t slice) {
  for (size_t i = 0; i < methods->coloured; i++)
    for (size_t k = 0; k < i; k++) {
      const size_t a = position_of(methods, i, slice), b = position_of(methods, k, slice);
      bool apart = a == b;
      const char *name;
      for (size_t n = 0; n < methods->view->table->arrays && !apart; n++) {
        const struct cs_array *array = setting_at(methods, slice, n, &name);
        apart = array != NULL && array->type == CS_TEXT && is_of_parts(methods, slice, array) && !same(array, a, b);
      }
      if (!apart) return false;
    }
  return true;
}

/* Appends the settings of a position that differ between the lines in colour, or `all` of them. */
static void add_settings(const struct cs_methods *methods, size_t slice, size_t at, bool all, struct cs_text *text) {
  const bool words = words_suffice(methods, slice);
  const size_t start = text->length;
  const char *name;
  for (size_t n = 0; n < methods->view->table->arrays; n++) {
    const struct cs_array *array = setting_at(methods, slice, n, &name);
    if (array == NULL || !is_of_parts(methods, slice, array) || (words && !all && array->type != CS_TEXT)) continue;
    if (!all && !setting_differs(methods, slice, array)) continue;
    if (cs_runs_is_idle(&methods->view->runs, methods->view->metric->dimension[slice], name, at)) continue;
    cs_text_add(text, "%s", text->length > start ? ", " : "");
    if (array->type == CS_TEXT)
      cs_text_add(text, "%s", array->data.text[at]);
    else
      cs_text_add(text, "%s %.4g", name, array->data.float64[at]);
  }
  if (text->length == start) cs_view_add_place(methods->view, &methods->view->slice[slice], at, text);
}

static void add_part(const struct cs_methods *methods, size_t line, size_t slice, bool all, struct cs_text *text) {
  const struct cs_slice *s = &methods->view->slice[slice];
  const size_t at = first_of(methods, slice, part_of(methods, line, slice));
  if (s->nature == CS_NATURE_WORD && s->dimension->labels == NULL)
    add_settings(methods, slice, at, all, text);
  else
    cs_view_add_place(methods->view, s, at, text);
}

void cs_methods_add_name(const struct cs_methods *methods, size_t line, struct cs_text *text) {
  const bool alone = methods->coloured == 1;
  for (size_t i = 0; i < methods->slices; i++) {
    const size_t s = methods->slice[i];
    if (methods->parts[s] < 2 || (!alone && !differs(methods, s))) continue;
    cs_text_add(text, "%s", text->length > 0 ? ", " : "");
    add_part(methods, line, s, alone, text);
  }
}

void cs_methods_note(const struct cs_methods *methods, const char *what, const char *why, struct cs_text *notes) {
  const struct cs_figure_request *request = methods->view->request;
  const char *separator = ", all with ";
  if (methods->coloured == methods->count) return;
  cs_text_add(notes, "%zu of %zu %s in colour", methods->coloured, methods->count, what);
  if (request->highlights == 0) cs_text_add(notes, ", %s", why);
  for (size_t i = 0; i < request->highlights; i++)
    cs_text_add(notes, "%s%s", i == 0 ? ": " : "; ", request->highlight[i]);
  for (size_t i = 0; i < methods->slices && methods->coloured > 1; i++) {
    const size_t s = methods->slice[i];
    if (methods->parts[s] < 2 || differs(methods, s)) continue;
    cs_text_add(notes, "%s", separator);
    add_part(methods, methods->order[0], s, true, notes);
    separator = ", ";
  }
  cs_text_add(notes, "\n");
}
