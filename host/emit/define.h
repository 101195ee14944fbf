/* Numbers in kernel text: macros and __constant tables. */
#ifndef COSWEEP_DEFINE_H
#define COSWEEP_DEFINE_H

#include "text.h"

void cs_define_number(struct cs_text *text, const char *name, long value);
void cs_define_size(struct cs_text *text, const char *name, size_t value);
/* The count as NAME and, for array lengths, max(count, 1) as NAME1: OpenCL has no arrays of length 0. */
void cs_define_count(struct cs_text *text, const char *name, size_t count);

struct cs_size {
  const char *name;
  size_t value;
};
void cs_define_sizes(struct cs_text *text, const struct cs_size *list, size_t sizes);

/* The lists of facts.h. */
enum cs_facts {
  CS_FACTS_LANE,
  CS_FACTS_STEP,
  CS_FACTS_DOUBLING,
  CS_FACTS_SOLVER,
  CS_FACTS_DOPRI5,
  CS_FACTS_SPECTRUM,
  CS_FACTS_VARY,
  CS_FACTS_PI_DEFECT,
  CS_FACTS_PI_ECCO
};
void cs_define_facts(struct cs_text *text, enum cs_facts which);

/* __constant tables; an empty one has a single element 0. */
void cs_define_integers(struct cs_text *text, const char *name, size_t count, const size_t *values);
void cs_define_reals(struct cs_text *text, const char *name, size_t count, const double *values);

#endif
