/* Kernel fragments of users' own that a sweep names: {"kernel": path, "memory": count, ...}. */
#ifndef COSWEEP_USER_FRAGMENT_H
#define COSWEEP_USER_FRAGMENT_H

#include <stddef.h>

#include "json.h"

/* Reads the text at the path in `node`, which is relative to the sweep file at `sweep`, and checks what would show only
 * in the compiler's words about the program around it, or not at all: comments without an end, and functions that the
 * fragment has to define, `wanted` up to NULL (`document` says more). *path and *text are the caller's, also on
 * failure. */
int cs_user_fragment_read(const struct cs_json *json, const struct cs_node *node, const char *sweep,
                          const char *const *wanted, const char *document, char **path, char **text,
                          struct cs_error *error);

/* An optional count from `least` to `most` beside it; `initial` where it is not given. */
int cs_user_fragment_count(const struct cs_json *json, const struct cs_node *object, const char *key, int least,
                           int most, size_t initial, size_t *count, struct cs_error *error);

#endif
