/* cosweep verify --recompute: whether orders, boundaries and refined points of a result follow from its runs. */
#ifndef COSWEEP_FOLLOW_H
#define COSWEEP_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "boundary.h"
#include "sweep.h"
#include "table.h"
#include "text.h"

struct cs_follow {
  const char *path;
  const struct cs_table *table; /* of the result */
  const struct cs_sweep *sweep;
  size_t modes;
  uint64_t seed;
  const size_t *run; /* [runs], those computed again, ascending */
  size_t runs;
  struct cs_text *text; /* gets a line for what differs, and one for each of the three that does not */
  size_t differing;     /* lines with a boundary, refined points */
};

/* Whether two items have the same bytes, or both no number. */
bool cs_follow_is_equal(const struct cs_array *a, size_t i, const struct cs_array *b, size_t k);

/* Draws one number of each of `count` equal parts of those below `all`, [count], ascending. */
int cs_follow_draw(uint64_t seed, size_t all, size_t count, size_t *number, struct cs_error *error);

/* A cs_engine_between: computes the boundary again on the lines through the runs, and as many refined points as runs;
 * finds out whether refined points are those that follow from all spectral radii. context: a struct cs_follow. */
int cs_follow_between(void *context, cs_evaluate *evaluate, void *points, struct cs_error *error);

/* CS_IO if something between the runs differs, or an order, all of which are fitted again. */
int cs_follow_conclude(const struct cs_follow *follow, struct cs_error *error);

#endif
