/* Kernel fragments of users' own that a sweep names: {"kernel": path, "memory": count, "passes": count}. */
#ifndef COSWEEP_USER_FRAGMENT_H
#define COSWEEP_USER_FRAGMENT_H

#include <stddef.h>

#include "json.h"

enum { CS_MOST_LISTED = 60000 }; /* fragments, sequences or lists of bonds of a sweep: a method has their numbers */

/* A master or a controller. */
struct cs_user_fragment {
  char *path;    /* as the file gives it */
  char *text;    /* OpenCL C */
  size_t memory; /* numbers that it keeps from step to step: a master for every input */
  size_t passes; /* of a master: times that it advances all subsystems in a step; else 1 */
};

struct cs_user_fragments {
  size_t count;
  struct cs_user_fragment *item; /* [count] */
};

/* What fragments of a kind are held to. */
struct cs_user_kind {
  bool passes;               /* whether they say how many passes they make */
  const char *const *wanted; /* functions that they define, up to NULL */
  const char *const *simple; /* the same without memory */
  const char *document;      /* says more */
};

/* Number of the fragment in `node` among `fragments`, where it is added if it is new. Its path is relative to the sweep
 * file at `sweep`. The text is checked for what would show only in the compiler's words about the program around it, or
 * not at all: comments without an end, and missing functions. */
int cs_user_fragment_read(struct cs_user_fragments *fragments, const struct cs_user_kind *kind, const char *sweep,
                          const struct cs_json *json, const struct cs_node *node, double *number,
                          struct cs_error *error);
void cs_user_fragment_free(struct cs_user_fragments *fragments);

#endif
