/* User-defined kernel fragments of a sweep: {"kernel": path, "memory": count, "passes": count, "parameters": {...}}. */
#ifndef COSWEEP_USER_FRAGMENT_H
#define COSWEEP_USER_FRAGMENT_H

#include <stddef.h>

#include "json.h"

enum {
  CS_MOST_LISTED = 60000, /* fragments, sequences or lists of bonds of a sweep; a method stores their indices */
  CS_MOST_OWN = 16        /* names of parameters of all masters of a sweep */
};

/* A user-defined master or controller. */
struct cs_user_fragment {
  char *path;              /* as the file gives it */
  char *text;              /* OpenCL C */
  size_t memory;           /* numbers kept from step to step; of a master per input */
  size_t passes;           /* of a master: how often it advances all subsystems per step; else 1 */
  double own[CS_MOST_OWN]; /* its parameters, by the sweep's names for them; NaN: it has none of that name */
};

struct cs_user_fragments {
  size_t count;
  struct cs_user_fragment *item; /* [count] */
  size_t names;
  const char *name[CS_MOST_OWN]; /* [names] of parameters (borrowed from the file) */
};

/* Requirements on fragments of a kind. */
struct cs_user_kind {
  bool master;               /* whether they have "passes" and "parameters" */
  const char *const *wanted; /* functions to be defined, NULL-terminated */
  const char *const *simple; /* the same for fragments without memory */
  const char *document;      /* the documentation for messages */
};

/* Index of the fragment in `node` among `fragments`, to which a new one is added. Its path is relative to the sweep
 * file `sweep`. Checks for unterminated comments and missing functions, which the compiler would report unclearly or
 * not at all. */
int cs_user_fragment_read(struct cs_user_fragments *fragments, const struct cs_user_kind *kind, const char *sweep,
                          const struct cs_json *json, const struct cs_node *node, double *number,
                          struct cs_error *error);
/* Collects the names of parameters of all masters below `node`, which are needed before the first one is read: paths of
 * axes name them. */
int cs_user_fragment_find_names(struct cs_user_fragments *fragments, const struct cs_json *json,
                                const struct cs_node *node, struct cs_error *error);
void cs_user_fragment_free(struct cs_user_fragments *fragments);

#endif
