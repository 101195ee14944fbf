/* Combinations of axis values that are not run. */
#ifndef COSWEEP_SKIP_H
#define COSWEEP_SKIP_H

#include "sweep.h"

/* One axis of a combination: match[i] is 1 if value i of the axis belongs to it. */
struct cs_skip_condition {
  size_t axis, stride, length;
  unsigned char *match; /* [length] */
};

struct cs_skip {
  size_t conditions;
  struct cs_skip_condition *condition;
};

struct cs_skips {
  size_t count;
  struct cs_skip *skip;
};

/* `list` may be NULL. On failure `skips` holds what was read so far, to be freed. */
int cs_skips_read(const struct cs_json *json, const struct cs_node *list, const struct cs_axis *axes, size_t count,
                  struct cs_skips *skips, struct cs_error *error);
void cs_skips_free(struct cs_skips *skips);
bool cs_skips_match(const struct cs_skips *skips, size_t run);

#endif
