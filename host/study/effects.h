/* Main effects: how much of what makes runs of equal cost differ in error belongs to each axis alone. */
#ifndef COSWEEP_EFFECTS_H
#define COSWEEP_EFFECTS_H

#include "comparison.h"

struct cs_effect {
  size_t axis;
  double share; /* of the variance of log error, 0 to 1 */
};

struct cs_effects {
  struct cs_effect effect[CS_MAX_DIMENSIONS]; /* the largest first */
  size_t count;                               /* 0: too few runs, or nothing to tell apart */
  double rest;                                /* of axes together */
  size_t runs;
};

/* Of the axes that compete, combinations and knobs: runs that may be on fronts, with errors above 0, beside those of
 * their case whose costs lie in the same tenth of a decade. A share is the variance of the means along the axis. */
int cs_effects_find(const struct cs_comparison *comparison, struct cs_effects *effects, struct cs_error *error);
/* Appends "kp 62 %, ki 20 %, together 18 %". */
void cs_effects_add(const struct cs_comparison *comparison, const struct cs_effects *effects, struct cs_text *text);

#endif
