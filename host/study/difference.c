#include "difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "json.h"
#include "list.h"

/* ---- whether both can be compared */

static const struct cs_array *runs_of(const struct cs_table *table) {
  const struct cs_array *status = cs_table_find(table, "status");
  return status != NULL ? status : cs_table_find(table, "accepted");
}

static bool same_value(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* Appends how the coordinates differ; nothing if they do not. */
static void add_mismatch(const struct cs_dimension *a, const struct cs_dimension *b, struct cs_text *text) {
  if (a->length != b->length) {
    cs_text_add(text, "%zu and %zu values along %s", a->length, b->length, a->name);
    return;
  }
  if ((a->labels != NULL) != (b->labels != NULL)) {
    cs_text_add(text, "%s has names in one and numbers in the other", a->name);
    return;
  }
  for (size_t i = 0; i < a->length; i++) {
    if (a->labels != NULL && strcmp(a->labels[i], b->labels[i]) != 0) {
      cs_text_add(text, "value %zu of %s is %s and %s", i, a->name, a->labels[i], b->labels[i]);
      return;
    }
    if (a->values != NULL && b->values != NULL && !same_value(a->values[i], b->values[i])) {
      cs_text_add(text, "value %zu of %s is %.17g and %.17g", i, a->name, a->values[i], b->values[i]);
      return;
    }
  }
}

int cs_difference_check_axes(const struct cs_table *first, const struct cs_table *second, const char *const *name,
                             struct cs_error *error) {
  const struct cs_array *a = runs_of(first), *b = runs_of(second);
  struct cs_text wrong = {0};
  for (int i = 0; i < 2; i++)
    if ((i == 0 ? a : b) == NULL)
      return cs_error_set(error, CS_IO, "%s: has no variable \"status\"; want a result file of cosweep", name[i]);
  if ((cs_table_find(first, "accepted") != NULL) != (cs_table_find(second, "accepted") != NULL))
    cs_text_add(&wrong, "one is a result and the other a trace");
  else if (a->dimensions != b->dimensions)
    cs_text_add(&wrong, "%zu and %zu axes", a->dimensions, b->dimensions);
  for (size_t i = 0; i < a->dimensions && wrong.length == 0; i++) {
    const struct cs_dimension *p = &first->dimension[a->dimension[i]], *q = &second->dimension[b->dimension[i]];
    if (strcmp(p->name, q->name) != 0)
      cs_text_add(&wrong, "axis %zu of them is \"%s\" in the one and \"%s\" in the other", i + 1, p->name, q->name);
    else
      add_mismatch(p, q, &wrong);
  }
  if (wrong.length == 0 && !wrong.failed) return CS_OK;
  cs_error_set(error, CS_IO, "%s and %s cannot be compared: %s", name[0], name[1], cs_text_string(&wrong));
  cs_text_free(&wrong);
  return CS_IO;
}

/* ---- variables */

static bool same_dimension(const struct cs_dimension *a, const struct cs_dimension *b) {
  struct cs_text wrong = {0};
  if (strcmp(a->name, b->name) != 0) return false;
  add_mismatch(a, b, &wrong);
  const bool same = wrong.length == 0;
  cs_text_free(&wrong);
  return same;
}

/* Whether both have the same dimensions, with the same coordinates where they are names. */
static bool same_shape(const struct cs_table *first, const struct cs_array *a, const struct cs_table *second,
                       const struct cs_array *b) {
  if (a->dimensions != b->dimensions || a->count != b->count) return false;
  for (size_t i = 0; i < a->dimensions; i++)
    if (!same_dimension(&first->dimension[a->dimension[i]], &second->dimension[b->dimension[i]])) return false;
  return true;
}

static void compare_items(const struct cs_array *a, const struct cs_array *b, struct cs_difference_row *row) {
  *row = (struct cs_difference_row){.array = a, .values = a->count};
  for (size_t i = 0; i < a->count; i++) {
    const double p = cs_table_number(a, i), q = cs_table_number(b, i);
    if (isfinite(p)) row->scale = fmax(row->scale, fabs(p));
    if (isfinite(q)) row->scale = fmax(row->scale, fabs(q));
    if (same_value(p, q)) continue;
    row->differing++;
    if (!isfinite(p) || !isfinite(q)) {
      if (row->unmatched++ == 0) row->at = i;
    } else if (fabs(p - q) > row->largest) {
      row->largest = fabs(p - q);
      if (row->unmatched == 0) row->at = i;
    }
  }
}

static int compare_arrays(struct cs_difference *d, struct cs_error *error) {
  for (size_t i = 0; i < d->first->arrays; i++) {
    const struct cs_array *a = &d->first->array[i], *b = cs_table_find(d->second, a->name);
    if (a->type == CS_TEXT) continue;
    if (b == NULL || b->type == CS_TEXT || !same_shape(d->first, a, d->second, b)) {
      cs_text_add_name(&d->only[0], a->name);
      continue;
    }
    if (!cs_list_grow(&d->row, d->rows, sizeof *d->row)) return cs_error_memory(error);
    compare_items(a, b, &d->row[d->rows++]);
  }
  for (size_t i = 0; i < d->second->arrays; i++) {
    const struct cs_array *b = &d->second->array[i], *a = cs_table_find(d->first, b->name);
    if (b->type != CS_TEXT && (a == NULL || a->type == CS_TEXT || !same_shape(d->first, a, d->second, b)))
      cs_text_add_name(&d->only[1], b->name);
  }
  return d->only[0].failed || d->only[1].failed ? cs_error_memory(error) : CS_OK;
}

double cs_difference_relative(const struct cs_difference_row *row) {
  if (row->unmatched > 0 || (row->differing > 0 && row->array->type == CS_UINT8)) return INFINITY; /* a code */
  return row->largest > 0.0 ? row->largest / row->scale : 0.0;
}

void cs_difference_add_place(const struct cs_difference *d, const struct cs_difference_row *row, struct cs_text *text) {
  size_t inner = row->array->count, at = row->at;
  bool any = false;
  for (size_t i = 0; i < row->array->dimensions; i++) {
    const struct cs_dimension *dimension = &d->first->dimension[row->array->dimension[i]];
    inner /= dimension->length;
    const size_t position = at / inner;
    at %= inner;
    if (dimension->length == 1) continue;
    cs_text_add(text, "%s%s ", any ? ", " : "", dimension->name);
    if (dimension->labels != NULL)
      cs_text_add(text, "%s", dimension->labels[position]);
    else if (dimension->values != NULL)
      cs_text_add(text, "%.6g", dimension->values[position]);
    else
      cs_text_add(text, "%zu", position);
    any = true;
  }
}

/* ---- settings */

static int add_setting(struct cs_difference *d, const char *path, const char *first, const char *second,
                       struct cs_error *error) {
  if (!cs_list_grow(&d->setting, d->settings, sizeof *d->setting)) return cs_error_memory(error);
  struct cs_difference_setting *to = &d->setting[d->settings++];
  *to = (struct cs_difference_setting){cs_text_copy(path), cs_text_copy(first), cs_text_copy(second)};
  return to->path != NULL && to->first != NULL && to->second != NULL ? CS_OK : cs_error_memory(error);
}

/* A value in one line, without the blanks of JSON. */
static void add_value(const struct cs_node *node, struct cs_text *text) {
  if (node == NULL) return;
  if (cs_json_kind(node) == CS_STRING) {
    cs_text_add(text, "%s", cs_json_string(node));
    return;
  }
  struct cs_text all = {0};
  cs_json_print(node, &all);
  for (const char *p = cs_text_string(&all); *p != '\0'; p += strspn(p, " \n")) {
    const size_t length = strcspn(p, " \n");
    if (text->length > 0 && length > 0) cs_text_add(text, " ");
    cs_text_append(text, p, length);
    p += length;
    if (*p == '\0') break;
  }
  text->failed |= all.failed;
  cs_text_free(&all);
}

/* Shortens a value for display, between characters. */
static void shorten(struct cs_text *text) {
  enum { MOST = 60 };
  size_t end = MOST;
  if (text->length <= MOST + 3) return;
  while (end > 0 && ((unsigned char)text->data[end] & 0xc0) == 0x80)
    end--;
  text->data[text->length = end] = '\0';
  cs_text_add(text, "...");
}

static int compare_nodes(struct cs_difference *d, const char *path, const struct cs_node *a, const struct cs_node *b,
                         struct cs_error *error);

/* Members of an object in both, and those that one of both has. */
static int compare_members(struct cs_difference *d, const char *path, const struct cs_node *a, const struct cs_node *b,
                           struct cs_error *error) {
  int code = CS_OK;
  for (int side = 0; side < 2; side++) {
    const struct cs_node *from = side == 0 ? a : b;
    for (size_t i = 0; i < cs_json_length(from) && code == CS_OK; i++) {
      const struct cs_node *member = cs_json_at(from, i);
      const struct cs_node *other = cs_json_get(side == 0 ? b : a, cs_json_key(member));
      struct cs_text inner = {0};
      if (side == 1 && other != NULL) continue;
      cs_text_add(&inner, "%s%s%s", path, *path != '\0' ? "." : "", cs_json_key(member));
      code = inner.failed ? cs_error_memory(error)
                          : compare_nodes(d, inner.data, side == 0 ? member : NULL, side == 0 ? other : member, error);
      cs_text_free(&inner);
    }
  }
  return code;
}

/* Lists of objects or lists of one length, item by item. */
static int compare_items_of(struct cs_difference *d, const char *path, const struct cs_node *a, const struct cs_node *b,
                            struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < cs_json_length(a) && code == CS_OK; i++) {
    struct cs_text inner = {0};
    cs_text_add(&inner, "%s[%zu]", path, i);
    code =
        inner.failed ? cs_error_memory(error) : compare_nodes(d, inner.data, cs_json_at(a, i), cs_json_at(b, i), error);
    cs_text_free(&inner);
  }
  return code;
}

static bool is_nested(const struct cs_node *node) {
  const enum cs_kind kind = cs_json_kind(node);
  if (kind != CS_LIST || cs_json_length(node) == 0) return false;
  const enum cs_kind inner = cs_json_kind(cs_json_at(node, 0));
  return inner == CS_OBJECT || inner == CS_LIST;
}

static int compare_nodes(struct cs_difference *d, const char *path, const struct cs_node *a, const struct cs_node *b,
                         struct cs_error *error) {
  if (a != NULL && b != NULL && cs_json_kind(a) == CS_OBJECT && cs_json_kind(b) == CS_OBJECT)
    return compare_members(d, path, a, b, error);
  if (a != NULL && b != NULL && is_nested(a) && is_nested(b) && cs_json_length(a) == cs_json_length(b))
    return compare_items_of(d, path, a, b, error);
  struct cs_text first = {0}, second = {0};
  add_value(a, &first);
  add_value(b, &second);
  int code = first.failed || second.failed ? cs_error_memory(error) : CS_OK;
  const bool same = strcmp(cs_text_string(&first), cs_text_string(&second)) == 0 && (a == NULL) == (b == NULL);
  shorten(&first);
  shorten(&second);
  if (code == CS_OK && !same) code = add_setting(d, path, cs_text_string(&first), cs_text_string(&second), error);
  cs_text_free(&first);
  cs_text_free(&second);
  return code;
}

/* The sweep or the model of both, member by member; as a whole where one is not JSON. */
static int compare_documents(struct cs_difference *d, const char *name, const char *path, struct cs_error *error) {
  const char *text[2] = {cs_digest_text(d->first, name), cs_digest_text(d->second, name)};
  struct cs_json *json[2] = {NULL, NULL};
  int code = CS_OK;
  if (strcmp(text[0], text[1]) == 0) return CS_OK;
  for (int i = 0; i < 2; i++)
    if (cs_json_parse(name, text[i], strlen(text[i]), &json[i], NULL) != CS_OK) json[i] = NULL;
  if (json[0] != NULL && json[1] != NULL)
    code = compare_nodes(d, path, cs_json_root(json[0]), cs_json_root(json[1]), error);
  else
    code = add_setting(d, name, "", "another one", error);
  cs_json_free(json[0]);
  cs_json_free(json[1]);
  return code;
}

static int compare_settings(struct cs_difference *d, struct cs_error *error) {
  static const char *const notes[] = {"version", "device", "driver"};
  int code = compare_documents(d, "sweep", "", error);
  if (code == CS_OK) code = compare_documents(d, "model", "model", error);
  for (size_t i = 0; i < sizeof notes / sizeof *notes && code == CS_OK; i++)
    if (strcmp(cs_digest_text(d->first, notes[i]), cs_digest_text(d->second, notes[i])) != 0)
      code = add_setting(d, notes[i], cs_digest_text(d->first, notes[i]), cs_digest_text(d->second, notes[i]), error);
  return code;
}

int cs_difference_open(const struct cs_table *first, const struct cs_table *second, const char *const *name,
                       struct cs_difference *d, struct cs_error *error) {
  *d = (struct cs_difference){.first = first, .second = second};
  int code = cs_difference_check_axes(first, second, name, error);
  if (code == CS_OK) code = compare_arrays(d, error);
  return code == CS_OK ? compare_settings(d, error) : code;
}

void cs_difference_close(struct cs_difference *d) {
  for (size_t i = 0; i < d->settings; i++) {
    free(d->setting[i].path);
    free(d->setting[i].first);
    free(d->setting[i].second);
  }
  free(d->setting);
  free(d->row);
  cs_text_free(&d->only[0]);
  cs_text_free(&d->only[1]);
  *d = (struct cs_difference){0};
}
