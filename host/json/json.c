#include "json.h"

#include <cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "list.h"
#include "machine.h"
#include "near.h"
#include "scan.h"
#include "words.h"

/* What stands for the path of a member of a replaced value, and of its items. */
struct origin {
  char *before, *after;
  size_t *line; /* [1 + items], or NULL */
};

/* A value with its place. Children are in an array, for access by index. */
struct cs_node {
  cJSON *value; /* owned by the file's tree */
  struct cs_node *parent, **child;
  size_t children, index; /* index: in the parent */
  struct cs_value_place place;
  char *set;             /* path on the command line that made this node; NULL for a node of the file */
  struct origin *origin; /* NULL: its own path */
};

struct cs_json {
  char *name;
  cJSON *value; /* of the root */
  struct cs_node *root;
  struct cs_faults *faults; /* found by its readers so far */
  size_t values;
};

static void origin_free(struct origin *origin) {
  if (origin == NULL) return;
  free(origin->before);
  free(origin->after);
  free(origin->line);
  free(origin);
}

static void node_free(struct cs_node *node) {
  if (node == NULL) return;
  for (size_t i = 0; i < node->children; i++)
    node_free(node->child[i]);
  free(node->child);
  free(node->set);
  origin_free(node->origin);
  free(node);
}

/* Nodes for `value` and everything in it, in the order of the scanner's places, of which *next is the first to use. */
static struct cs_node *node_new(cJSON *value, struct cs_node *parent, const struct cs_places *places, size_t *next) {
  struct cs_node *node = calloc(1, sizeof *node);
  if (node == NULL) return NULL;
  node->value = value;
  node->parent = parent;
  node->place = places->item[(*next)++];
  for (cJSON *item = value->child; item != NULL; item = item->next) {
    struct cs_node *child = cs_list_grow(&node->child, node->children, sizeof(struct cs_node *))
                                ? node_new(item, node, places, next)
                                : NULL;
    if (child == NULL) {
      node_free(node);
      return NULL;
    }
    child->index = node->children;
    node->child[node->children++] = child;
  }
  return node;
}

static int compare_keys(const void *left, const void *right) {
  const struct cs_node *a = *(const struct cs_node *const *)left, *b = *(const struct cs_node *const *)right;
  int order = strcmp(a->value->string, b->value->string);
  return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Fails at the second occurrence of a key in any object inside `node`. */
static int check_duplicates(const struct cs_json *json, const struct cs_node *node, struct cs_error *error) {
  if (cs_json_kind(node) == CS_OBJECT && node->children > 1) {
    const struct cs_node **sorted = calloc(node->children, sizeof(const struct cs_node *));
    if (sorted == NULL) return cs_error_memory(error);
    memcpy(sorted, node->child, node->children * sizeof(const struct cs_node *));
    qsort(sorted, node->children, sizeof(const struct cs_node *), compare_keys);
    const struct cs_node *first = NULL, *second = NULL;
    for (size_t i = 1; i < node->children && second == NULL; i++) {
      if (strcmp(sorted[i - 1]->value->string, sorted[i]->value->string) == 0) {
        first = sorted[i - 1];
        second = sorted[i];
      }
    }
    free(sorted);
    if (second != NULL) {
      return cs_json_fail_key(json, second, error, "duplicate key, first at %zu:%zu; want each key once",
                              first->place.key.line, first->place.key.column);
    }
  }
  for (size_t i = 0; i < node->children; i++) {
    int code = check_duplicates(json, node->child[i], error);
    if (code != CS_OK) return code;
  }
  return CS_OK;
}

/* Values take a hundred times the memory of their text. */
static int check_memory(const char *name, size_t values, struct cs_error *error) {
  enum { OVERHEAD = 64 }; /* of allocations, and of the list of places, which doubles */
  const double need =
      (double)values * (sizeof(struct cs_node) + sizeof(cJSON) + sizeof(struct cs_value_place) + OVERHEAD);
  const double room = cs_machine_memory();
  if (need <= room) return CS_OK;
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "%s: ", name);
  cs_words_add_count(&wrong, (double)values);
  cs_text_add(&wrong, " values need ");
  cs_words_add_bytes(&wrong, need);
  cs_text_add(&wrong, " of memory, there are ");
  cs_words_add_bytes(&wrong, room);
  const int code = wrong.failed ? cs_error_memory(error) : cs_error_set(error, CS_DEVICE, "%s", wrong.data);
  cs_text_free(&wrong);
  return code;
}

int cs_json_parse(const char *name, const char *text, size_t length, struct cs_json **json, struct cs_error *error) {
  struct cs_places places = {0};
  struct cs_text copy = {0};
  struct cs_json *made = NULL;
  int code = cs_scan(name, text, length, &places, error);
  if (code == CS_OK) code = check_memory(name, places.count, error);
  if (code != CS_OK) goto out;
  const size_t mark = cs_text_mark_length(text, length);
  cs_text_append(&copy, text + mark, length - mark);
  made = copy.failed ? NULL : calloc(1, sizeof *made);
  if (made != NULL) {
    size_t next = 0;
    made->name = cs_text_copy(name);
    made->faults = calloc(1, sizeof *made->faults);
    made->values = places.count;
    made->value = cJSON_ParseWithOpts(copy.data, NULL, 1);
    made->root = made->value != NULL ? node_new(made->value, NULL, &places, &next) : NULL;
  }
  if (made == NULL || made->name == NULL || made->faults == NULL || made->root == NULL) {
    code = cs_error_memory(error);
    goto out;
  }
  code = check_duplicates(made, made->root, error);
out:
  if (code != CS_OK) {
    cs_json_free(made);
    made = NULL;
  }
  *json = made;
  cs_text_free(&copy);
  cs_scan_free(&places);
  return code;
}

int cs_json_load(const char *path, struct cs_json **json, struct cs_error *error) {
  *json = NULL;
  struct cs_text text = {0};
  int code = cs_text_read(&text, path, "JSON file", error);
  if (code == CS_OK) code = cs_json_parse(path, text.data, text.length, json, error);
  cs_text_free(&text);
  return code;
}

/* A document has small pieces all over the heap. */
void cs_json_free(struct cs_json *json) {
  enum { MANY = 10000 };
  if (json == NULL) return;
  const bool many = json->values > MANY;
  cJSON_Delete(json->value);
  node_free(json->root);
  cs_faults_free(json->faults);
  free(json->name);
  free(json);
  if (many) cs_machine_give_back();
}

const struct cs_node *cs_json_root(const struct cs_json *json) {
  return json->root;
}

enum cs_kind cs_json_kind(const struct cs_node *node) {
  switch (node->value->type & 0xFF) {
    case cJSON_NULL:
      return CS_NULL;
    case cJSON_Number:
      return CS_NUMBER;
    case cJSON_String:
      return CS_STRING;
    case cJSON_Array:
      return CS_LIST;
    case cJSON_Object:
      return CS_OBJECT;
    default:
      return CS_BOOL;
  }
}

size_t cs_json_length(const struct cs_node *node) {
  return node->children;
}

const struct cs_node *cs_json_at(const struct cs_node *node, size_t index) {
  return index < node->children ? node->child[index] : NULL;
}

const struct cs_node *cs_json_get(const struct cs_node *node, const char *key) {
  if (cs_json_kind(node) != CS_OBJECT) return NULL;
  for (size_t i = 0; i < node->children; i++)
    if (strcmp(node->child[i]->value->string, key) == 0) return node->child[i];
  return NULL;
}

const char *cs_json_key(const struct cs_node *node) {
  return node->value->string;
}

double cs_json_number(const struct cs_node *node) {
  return node->value->valuedouble;
}

const char *cs_json_string(const struct cs_node *node) {
  return node->value->valuestring;
}

bool cs_json_bool(const struct cs_node *node) {
  return cJSON_IsTrue(node->value);
}

const char *cs_json_kind_name(enum cs_kind kind) {
  static const char *const names[] = {"null", "true or false", "a number", "a string", "a list", "an object"};
  return names[kind];
}

/* `line`: 0 for the member itself, then its items. */
static void add_origin(struct cs_text *text, const struct origin *origin, size_t line) {
  cs_text_add(text, "%s", origin->before);
  if (origin->line != NULL) cs_text_add(text, "%zu", origin->line[line]);
  cs_text_add(text, "%s", origin->after);
}

/* "subsystems[0].A[1][2]"; nothing for the root. */
static void add_path(struct cs_text *text, const struct cs_node *node) {
  const struct cs_node *parent = node->parent;
  if (parent == NULL) return;
  if (node->origin != NULL || parent->origin != NULL) {
    const bool own = node->origin != NULL;
    add_origin(text, own ? node->origin : parent->origin, own ? 0 : 1 + node->index);
    return;
  }
  add_path(text, parent);
  if (cs_json_kind(parent) == CS_OBJECT) {
    cs_text_add(text, "%s%s", parent->parent != NULL ? "." : "", node->value->string);
    return;
  }
  cs_text_add(text, "[%zu]", node->index);
}

/* The message about `node`, "FILE:LINE:COLUMN: PATH: what"; control characters from the file are shown as '?', so
 * that a message stays one line. */
static int fail_at(const struct cs_json *json, const struct cs_node *node, struct cs_place place,
                   struct cs_error *error, const char *format, va_list arguments) {
  struct cs_text text = {0};
  struct cs_error what;
  vsnprintf(what.message, sizeof what.message, format, arguments);
  if (node->set != NULL)
    cs_text_add(&text, "--set %s: ", node->set);
  else
    cs_text_add(&text, "%s:%zu:%zu: ", json->name, place.line, place.column);
  bool said = node->set != NULL && cs_json_kind(node) != CS_OBJECT; /* the path of --set is the node's own */
  if (node->parent != NULL && !said) {
    add_path(&text, node);
    cs_text_add(&text, ": ");
  }
  cs_text_add(&text, "%s", what.message);
  int code = CS_INPUT;
  if (text.failed) {
    code = cs_error_memory(error);
  } else {
    for (char *p = text.data; *p; p++)
      *p = (unsigned char)*p < 0x20 || *p == 0x7F ? '?' : *p;
    cs_error_set(error, code, "%s", text.data);
  }
  cs_text_free(&text);
  return code;
}

int cs_json_fail(const struct cs_json *json, const struct cs_node *node, struct cs_error *error, const char *format,
                 ...) {
  va_list arguments;
  va_start(arguments, format);
  const int code = fail_at(json, node, node->place.value, error, format, arguments);
  va_end(arguments);
  return code;
}

int cs_json_fail_key(const struct cs_json *json, const struct cs_node *member, struct cs_error *error,
                     const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int code = fail_at(json, member, member->place.key, error, format, arguments);
  va_end(arguments);
  return code;
}

int cs_json_fail_text(const struct cs_json *json, const struct cs_node *node, bool key, struct cs_text *text,
                      struct cs_error *error) {
  int code = text->failed ? cs_error_memory(error)
             : key        ? cs_json_fail_key(json, node, error, "%s", text->data)
                          : cs_json_fail(json, node, error, "%s", text->data);
  cs_text_free(text);
  return code;
}

/* ---- several faults */

enum { MOST_FAULTS = 20 };

int cs_json_also(const struct cs_json *json, int code, int next, const struct cs_error *error) {
  if (next == CS_INPUT) cs_faults_add(json->faults, error != NULL ? error->message : "");
  return next != CS_OK ? next : code;
}

bool cs_json_goes_on(const struct cs_json *json, int code) {
  return code == CS_OK || (code == CS_INPUT && json->faults->count < MOST_FAULTS);
}

int cs_json_tell(const struct cs_json *json, int code, struct cs_error *error) {
  if (code != CS_INPUT || error == NULL) return code;
  cs_faults_add(json->faults, error->message);
  return json->faults->lines.failed ? code : cs_error_set(error, code, "%s", cs_text_string(&json->faults->lines));
}

int cs_json_want(const struct cs_json *json, const struct cs_node *node, enum cs_kind kind, struct cs_error *error) {
  enum cs_kind found = cs_json_kind(node);
  return found == kind
             ? CS_OK
             : cs_json_fail(json, node, error, "found %s; want %s", cs_json_kind_name(found), cs_json_kind_name(kind));
}

int cs_json_check_keys(const struct cs_json *json, const struct cs_node *node, const char *const *legal,
                       struct cs_error *error) {
  int code = cs_json_want(json, node, CS_OBJECT, error);
  if (code != CS_OK) return code; /* the items of a list have no keys */
  for (size_t i = 0; i < node->children && cs_json_goes_on(json, code); i++) {
    size_t k = 0;
    while (legal[k] != NULL && strcmp(legal[k], node->child[i]->value->string) != 0)
      k++;
    if (legal[k] != NULL) continue;
    struct cs_text wrong = {0};
    cs_text_add(&wrong, "unknown key; want one of: ");
    for (k = 0; legal[k] != NULL; k++)
      cs_text_add(&wrong, "%s%s", k > 0 ? ", " : "", legal[k]);
    cs_near_suggest(&wrong, node->child[i]->value->string);
    code = cs_json_also(json, code, cs_json_fail_text(json, node->child[i], true, &wrong, error), error);
  }
  return code;
}

static int need(const struct cs_json *json, const struct cs_node *object, const char *key, const char *want,
                const struct cs_node **out, struct cs_error *error) {
  int code = cs_json_want(json, object, CS_OBJECT, error);
  if (code != CS_OK) return code;
  *out = cs_json_get(object, key);
  return *out != NULL ? CS_OK : cs_json_fail(json, object, error, "missing key \"%s\"; want %s", key, want);
}

int cs_json_need(const struct cs_json *json, const struct cs_node *object, const char *key, const struct cs_node **out,
                 struct cs_error *error) {
  return need(json, object, key, "a value", out, error);
}

int cs_json_need_string(const struct cs_json *json, const struct cs_node *object, const char *key, const char **out,
                        struct cs_error *error) {
  const struct cs_node *node = NULL;
  int code = need(json, object, key, cs_json_kind_name(CS_STRING), &node, error);
  if (code == CS_OK) code = cs_json_want(json, node, CS_STRING, error);
  *out = code != CS_OK ? NULL : cs_json_string(node);
  return code;
}

int cs_json_need_format(const struct cs_json *json, const struct cs_node *root, const char *want,
                        struct cs_error *error) {
  static const char *const kinds[] = {"model", "sweep"};
  const char *format = NULL;
  int code = cs_json_need_string(json, root, "format", &format, error);
  if (code != CS_OK) return code;
  const struct cs_node *node = cs_json_get(root, "format");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char legal[32];
    snprintf(legal, sizeof legal, "cosweep-%s/1", kinds[i]);
    const bool found = strcmp(legal, format) == 0;
    if (found && strcmp(kinds[i], want) == 0) return CS_OK;
    if (found)
      return cs_json_fail(json, node, error, "this is a %s; want a %s, \"cosweep-%s/1\"", kinds[i], want, want);
  }
  return cs_json_fail(json, node, error, "unknown format \"%s\"; want \"cosweep-%s/1\"", format, want);
}

int cs_json_need_list(const struct cs_json *json, const struct cs_node *object, const char *key,
                      const struct cs_node **out, struct cs_error *error) {
  int code = need(json, object, key, cs_json_kind_name(CS_LIST), out, error);
  return code != CS_OK ? code : cs_json_want(json, *out, CS_LIST, error);
}

/* `text` as a JSON scalar, or else as a string; NULL and an error if it is neither. */
static cJSON *scalar_new(const char *path, const char *text, struct cs_error *error) {
  struct cs_json *json = NULL;
  cJSON *value = NULL;
  if (cs_json_parse("", text, strlen(text), &json, NULL) == CS_OK) {
    if (cJSON_IsArray(json->value) || cJSON_IsObject(json->value)) {
      cs_error_set(error, CS_USAGE, "--set %s: the value is %s; want a number, true, false, null or a string", path,
                   cs_json_kind_name(cs_json_kind(json->root)));
      goto out;
    }
    value = cJSON_Duplicate(json->value, 0);
  } else {
    for (size_t at = 0, length = strlen(text), size; at < length; at += size) {
      size = cs_text_utf8_length(text + at, length - at);
      if (size == 0) {
        cs_error_set(error, CS_USAGE, "--set %s: the value is not UTF-8; want text in UTF-8", path);
        goto out;
      }
    }
    value = cJSON_CreateString(text);
  }
  if (value == NULL) cs_error_memory(error);
out:
  cs_json_free(json);
  return value;
}

/* Adds a member for --set PATH; takes ownership of `value`, also on failure (NULL). */
static struct cs_node *add_member(struct cs_node *object, const char *key, cJSON *value, const char *path) {
  struct cs_node *node = calloc(1, sizeof *node);
  if (node != NULL) node->set = cs_text_copy(path);
  if (node == NULL || node->set == NULL || value == NULL ||
      !cs_list_grow(&object->child, object->children, sizeof(struct cs_node *)) ||
      !cJSON_AddItemToObject(object->value, key, value)) {
    cJSON_Delete(value);
    node_free(node);
    return NULL;
  }
  node->value = value;
  node->parent = object;
  node->index = object->children;
  return object->child[object->children++] = node;
}

/* Replaces a scalar by `value`; takes ownership of it, also on failure. */
static int replace_scalar(struct cs_node *node, cJSON *value, const char *path, struct cs_error *error) {
  struct cs_node *parent = node->parent;
  char *set = cs_text_copy(path);
  bool done = set != NULL && (cs_json_kind(parent) == CS_OBJECT
                                  ? cJSON_ReplaceItemInObjectCaseSensitive(parent->value, node->value->string, value)
                                  : cJSON_ReplaceItemInArray(parent->value, (int)node->index, value));
  if (!done) {
    free(set);
    cJSON_Delete(value);
    return cs_error_memory(error);
  }
  node->value = value;
  free(node->set);
  node->set = set;
  return CS_OK;
}

/* The child of `node` that a segment of the path of --set names; *child is NULL if an object lacks it. */
static int find_child(const struct cs_node *node, const char *segment, const char *path, struct cs_node **child,
                      struct cs_error *error) {
  *child = NULL;
  enum cs_kind kind = cs_json_kind(node);
  if (kind == CS_OBJECT) {
    for (size_t i = 0; i < node->children; i++)
      *child = strcmp(node->child[i]->value->string, segment) == 0 ? node->child[i] : *child;
    return CS_OK;
  }
  if (kind != CS_LIST) {
    return cs_error_set(error, CS_USAGE, "--set %s: %s is looked up in %s; want the path of a scalar", path, segment,
                        cs_json_kind_name(kind));
  }
  errno = 0;
  unsigned long index = strtoul(segment, NULL, 10);
  if (segment[strspn(segment, "0123456789")] || errno || index >= node->children) {
    return cs_error_set(error, CS_USAGE, "--set %s: no item %s in a list of %zu; want an index from 0", path, segment,
                        node->children);
  }
  *child = node->child[index];
  return CS_OK;
}

/* Follows `path`, which is split at its dots into `count` zero-terminated `segments`. */
static int set_scalar(struct cs_json *json, const char *path, const char *segments, size_t count, cJSON *value,
                      struct cs_error *error) {
  struct cs_node *node = json->root;
  int code = CS_OK;
  for (size_t i = 0; i < count && code == CS_OK; i++, segments += strlen(segments) + 1) {
    struct cs_node *child = NULL;
    bool last = i + 1 == count;
    code = find_child(node, segments, path, &child, error);
    if (code != CS_OK) break;
    if (child == NULL) {
      child = add_member(node, segments, last ? value : cJSON_CreateObject(), path);
      value = last ? NULL : value;
      code = child != NULL ? CS_OK : cs_error_memory(error);
    } else if (last && (cs_json_kind(child) == CS_LIST || cs_json_kind(child) == CS_OBJECT)) {
      code = cs_error_set(error, CS_USAGE, "--set %s: leads to %s; want the path of a scalar", path,
                          cs_json_kind_name(cs_json_kind(child)));
    } else if (last) {
      code = replace_scalar(child, value, path, error);
      value = NULL;
    }
    node = child;
  }
  cJSON_Delete(value);
  return code;
}

int cs_json_set(struct cs_json *json, const char *path, const char *value, struct cs_error *error) {
  size_t length = strlen(path), count = 1;
  bool empty = length == 0 || path[0] == '.' || path[length - 1] == '.' || strstr(path, "..") != NULL;
  char *segments = cs_text_copy(path);
  if (segments == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < length; i++) {
    if (segments[i] == '.') {
      segments[i] = '\0';
      count++;
    }
  }
  int code = CS_USAGE;
  cJSON *scalar = NULL;
  if (empty || count > CS_MAX_DEPTH) {
    cs_error_set(error, code, "--set %s: not a path; want at most %d names joined by dots, such as method.step.size",
                 path, CS_MAX_DEPTH);
  } else if ((scalar = scalar_new(path, value, error)) != NULL) {
    code = set_scalar(json, path, segments, count, scalar, error);
  }
  free(segments);
  return code;
}

int cs_json_assign(struct cs_json *json, const char *text, struct cs_error *error) {
  const char *equals = strchr(text, '=');
  if (equals == NULL)
    return cs_error_set(error, CS_USAGE, "--set %s: no '='; want path=value, such as method.step.size=0.01", text);
  char *path = cs_text_copy(text);
  if (path == NULL) return cs_error_memory(error);
  path[equals - text] = '\0';
  const int code = cs_json_set(json, path, equals + 1, error);
  free(path);
  return code;
}

/* Nodes for `value` and everything in it, at the place of another one. */
static struct cs_node *node_at(cJSON *value, struct cs_node *parent, size_t index, struct cs_value_place place) {
  struct cs_node *node = calloc(1, sizeof *node);
  if (node == NULL) return NULL;
  *node = (struct cs_node){.value = value, .parent = parent, .index = index, .place = place};
  place.key = place.value;
  for (cJSON *item = value->child; item != NULL; item = item->next) {
    struct cs_node *child = cs_list_grow(&node->child, node->children, sizeof(struct cs_node *))
                                ? node_at(item, node, node->children, place)
                                : NULL;
    if (child == NULL) {
      node_free(node);
      return NULL;
    }
    node->child[node->children++] = child;
  }
  return node;
}

int cs_json_replace(struct cs_json *json, const struct cs_node *member, const char *key, const char *text,
                    struct cs_error *error) {
  struct cs_node *parent = member->parent;
  const size_t index = member->index;
  size_t values = 1;
  for (const char *p = text; *p != '\0'; p++)
    values += *p == ',';
  int code = check_memory(json->name, values, error);
  if (code != CS_OK) return code;
  cJSON *value = cJSON_Parse(text);
  char *name = cs_text_copy(key);
  struct cs_node *node = value != NULL ? node_at(value, parent, index, member->place) : NULL;
  if (node == NULL || name == NULL) {
    cJSON_Delete(value);
    free(name);
    node_free(node);
    return cs_error_memory(error);
  }
  value->string = name;
  cJSON_ReplaceItemViaPointer(parent->value, member->value, value);
  node_free(parent->child[index]);
  parent->child[index] = node;
  return CS_OK;
}

void cs_json_add_path(const struct cs_node *node, struct cs_text *text) {
  add_path(text, node);
}

struct cs_value_place cs_json_place(const struct cs_node *node) {
  return node->place;
}

int cs_json_stand_for(const struct cs_node *member, const struct cs_json_origin *origin, struct cs_error *error) {
  struct cs_node *node = member->parent->child[member->index];
  struct origin *made = calloc(1, sizeof *made);
  const size_t lines = origin->line != NULL ? 1 + node->children : 0;
  if (made != NULL) *made = (struct origin){cs_text_copy(origin->before), cs_text_copy(origin->after), NULL};
  if (made != NULL && lines > 0) made->line = malloc(lines * sizeof *made->line);
  if (made == NULL || made->before == NULL || made->after == NULL || (lines > 0 && made->line == NULL)) {
    origin_free(made);
    return cs_error_memory(error);
  }
  if (lines > 0) memcpy(made->line, origin->line, lines * sizeof *made->line);
  origin_free(node->origin);
  node->origin = made;
  node->place = origin->place;
  for (size_t i = 0; i < node->children; i++)
    node->child[i]->place = (struct cs_value_place){origin->place.value, origin->place.value};
  return CS_OK;
}
