/* Values from the command line and from tables, in place of those of the file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json_private.h"
#include "list.h"

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
    cs_json_free_node(node);
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
      cs_json_free_node(node);
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
  int code = cs_json_check_memory(json->name, values, error);
  if (code != CS_OK) return code;
  cJSON *value = cJSON_Parse(text);
  char *name = cs_text_copy(key);
  struct cs_node *node = value != NULL ? node_at(value, parent, index, member->place) : NULL;
  if (node == NULL || name == NULL) {
    cJSON_Delete(value);
    free(name);
    cs_json_free_node(node);
    return cs_error_memory(error);
  }
  value->string = name;
  cJSON_ReplaceItemViaPointer(parent->value, member->value, value);
  cs_json_free_node(parent->child[index]);
  parent->child[index] = node;
  return CS_OK;
}

int cs_json_stand_for(const struct cs_node *member, const struct cs_json_origin *origin, struct cs_error *error) {
  struct cs_node *node = member->parent->child[member->index];
  struct origin *made = calloc(1, sizeof *made);
  const size_t lines = origin->line != NULL ? 1 + node->children : 0;
  if (made != NULL) *made = (struct origin){cs_text_copy(origin->before), cs_text_copy(origin->after), NULL};
  if (made != NULL && lines > 0) made->line = malloc(lines * sizeof *made->line);
  if (made == NULL || made->before == NULL || made->after == NULL || (lines > 0 && made->line == NULL)) {
    cs_json_free_origin(made);
    return cs_error_memory(error);
  }
  if (lines > 0) memcpy(made->line, origin->line, lines * sizeof *made->line);
  cs_json_free_origin(node->origin);
  node->origin = made;
  node->place = origin->place;
  for (size_t i = 0; i < node->children; i++)
    node->child[i]->place = (struct cs_value_place){origin->place.value, origin->place.value};
  return CS_OK;
}
