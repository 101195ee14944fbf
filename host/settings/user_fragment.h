/* User-defined kernel fragments of a sweep: {"kernel": path, "memory": count, "passes": count}. */
#ifndef COSWEEP_USER_FRAGMENT_H
#define COSWEEP_USER_FRAGMENT_H

#include <stddef.h>

#include "json.h"

enum { CS_MOST_LISTED = 60000 }; /* fragments, sequences or lists of bonds of a sweep; a method stores their indices */

/* A user-defined master or controller. */
struct cs_user_fragment {
  char *path;    /* as the file gives it */
  char *text;    /* OpenCL C */
  size_t memory; /* numbers kept from step to step; of a master per input */
  size_t passes; /* of a master: how often it advances all subsystems per step; else 1 */
};

struct cs_user_fragments {
  size_t count;
  struct cs_user_fragment *item; /* [count] */
};

/* Requirements on fragments of a kind. */
struct cs_user_kind {
  bool passes;               /* whether they have "passes" */
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
void cs_user_fragment_free(struct cs_user_fragments *fragments);

#endif
