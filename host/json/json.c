#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "json_private.h"
#include "list.h"
#include "machine.h"
#include "words.h"

void cs_json_free_origin(struct origin *origin) {
  if (origin == NULL) return;
  free(origin->before);
  free(origin->after);
  free(origin->line);
  free(origin);
}

void cs_json_free_node(struct cs_node *node) {
  if (node == NULL) return;
  for (size_t i = 0; i < node->children; i++)
    cs_json_free_node(node->child[i]);
  free(node->child);
  free(node->set);
  cs_json_free_origin(node->origin);
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
      cs_json_free_node(node);
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

int cs_json_check_memory(const char *name, size_t values, struct cs_error *error) {
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
  if (code == CS_OK) code = cs_json_check_memory(name, places.count, error);
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
  cs_json_free_node(json->root);
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
void cs_json_add_path(const struct cs_node *node, struct cs_text *text) {
  const struct cs_node *parent = node->parent;
  if (parent == NULL) return;
  if (node->origin != NULL || parent->origin != NULL) {
    const bool own = node->origin != NULL;
    add_origin(text, own ? node->origin : parent->origin, own ? 0 : 1 + node->index);
    return;
  }
  cs_json_add_path(parent, text);
  if (cs_json_kind(parent) == CS_OBJECT) {
    cs_text_add(text, "%s%s", parent->parent != NULL ? "." : "", node->value->string);
    return;
  }
  cs_text_add(text, "[%zu]", node->index);
}

struct cs_value_place cs_json_place(const struct cs_node *node) {
  return node->place;
}
