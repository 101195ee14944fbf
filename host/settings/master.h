/* Settings of masters that are not words: sequences in which subsystems advance, and fragments of user-defined masters
 * (docs/formats.md section 2, docs/masters.md). */
#ifndef COSWEEP_MASTER_H
#define COSWEEP_MASTER_H

#include <stddef.h>

#include "json.h"
#include "method.h"
#include "model.h"
#include "user_fragment.h"

struct cs_masters {
  const struct cs_model *model; /* borrowed */
  const char *sweep;            /* path of the sweep file (borrowed), to which paths of fragments are relative */
  size_t sequences;
  size_t **sequence; /* [sequences][subsystems] subsystems in the order in which they advance; of enum cs_sequence the
                        model's */
  struct cs_user_fragments user;
};

int cs_masters_new(const struct cs_model *model, const char *sweep, struct cs_masters *masters, struct cs_error *error);
void cs_masters_free(struct cs_masters *masters);

/* Index of the sequence in `node`, a list of the names of all subsystems. */
int cs_masters_read_sequence(struct cs_masters *masters, const struct cs_json *json, const struct cs_node *node,
                             double *number, struct cs_error *error);
/* Index of the user-defined master in `node`, {"kernel": path, "memory": count, "passes": count}; reads the
 * fragment. */
int cs_masters_read_user(struct cs_masters *masters, const struct cs_json *json, const struct cs_node *node,
                         double *number, struct cs_error *error);

#endif
