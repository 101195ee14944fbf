/* What a variant defines for the fragments of kernels/: numbers and tables by name, printed or handed over. */
#ifndef COSWEEP_DEFINE_H
#define COSWEEP_DEFINE_H

#include <stdbool.h>

#include "text.h"

/* Where definitions go: into `text`, as macros and __constant tables, or, where that is NULL, to the functions, which
 * get them as they are. */
struct cs_define {
  struct cs_text *text;
  void (*number)(void *context, const char *name, long value);
  void (*integers)(void *context, const char *name, size_t count, const size_t *values); /* negative ones as long */
  void (*reals)(void *context, const char *name, size_t count, const double *values);
  void *context;
  bool failed; /* out of memory */
};

void cs_define_number(struct cs_define *to, const char *name, long value);
void cs_define_size(struct cs_define *to, const char *name, size_t value);
/* The count as NAME and, for array lengths, max(count, 1) as NAME1: OpenCL has no arrays of length 0. */
void cs_define_count(struct cs_define *to, const char *name, size_t count);

struct cs_size {
  const char *name;
  size_t value;
};
void cs_define_sizes(struct cs_define *to, const struct cs_size *list, size_t sizes);

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
  CS_FACTS_PI_ECCO,
  CS_FACTS_REPEATED
};
/* Printed only: kernels compiled ahead include facts.h. */
void cs_define_facts(struct cs_define *to, enum cs_facts which);

/* Tables; an empty one has a single element 0. */
void cs_define_integers(struct cs_define *to, const char *name, size_t count, const size_t *values);
void cs_define_reals(struct cs_define *to, const char *name, size_t count, const double *values);
/* values [rows][columns] */
void cs_define_matrix(struct cs_define *to, const char *name, size_t rows, size_t columns, const double *values);

/* A table of integers to which they are added one by one. Defining it empties it; without elements it has one, `none`.
 */
struct cs_define_list {
  size_t count, *value;
  bool failed;
};
void cs_define_add(struct cs_define_list *list, long value);
void cs_define_list(struct cs_define *to, const char *name, struct cs_define_list *list, long none);
/* Several of them; without elements they have one, 0. */
void cs_define_lists(struct cs_define *to, const char *const *name, struct cs_define_list *list, size_t lists);

/* Comments and macros that programs alone have. */
void cs_define_text(struct cs_define *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
