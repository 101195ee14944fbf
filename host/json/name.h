/* Names in model and sweep files: a letter followed by letters, digits or _. */
#ifndef COSWEEP_NAME_H
#define COSWEEP_NAME_H

#include "json.h"

enum { CS_NAME_MOST = 63 }; /* characters of a name (docs/formats.md section 1, maxLength in docs/schemas) */

/* Fails unless `name` is legal; the error is at the key of `node` if `key`, else at its value. */
int cs_name_check(const struct cs_json *json, const struct cs_node *node, bool key, const char *name,
                  struct cs_error *error);

#endif
