/* The tree of a parsed file, for json*.c alone. */
#ifndef COSWEEP_JSON_PRIVATE_H
#define COSWEEP_JSON_PRIVATE_H

#include <cJSON.h>

#include "faults.h"
#include "json.h"

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

/* With all that is in it; `node` may be NULL. */
void cs_json_free_node(struct cs_node *node);
void cs_json_free_origin(struct origin *origin); /* or NULL */

/* CS_DEVICE where so many values, which take a hundred times the memory of their text, have no room. */
int cs_json_check_memory(const char *name, size_t values, struct cs_error *error);

#endif
