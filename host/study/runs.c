#include "runs.h"

#include <string.h>

const struct cs_node *cs_runs_axis(const struct cs_json *sweep, const char *name) {
  const struct cs_node *axes = sweep != NULL ? cs_node_get(cs_json_root(sweep), "axes") : NULL;
  for (size_t i = 0; axes != NULL && i < cs_node_length(axes); i++) {
    const struct cs_node *said = cs_node_get(cs_node_at(axes, i), "name");
    if (said != NULL && cs_node_kind(said) == CS_STRING && strcmp(cs_node_string(said), name) == 0)
      return cs_node_at(axes, i);
  }
  return NULL;
}
