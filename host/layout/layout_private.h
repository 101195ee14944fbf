/* Shared by the files layout*.c, modes.c, separate.c and signals.c. */
#ifndef COSWEEP_LAYOUT_PRIVATE_H
#define COSWEEP_LAYOUT_PRIVATE_H

#include <stdlib.h>

#include "layout.h"

static inline size_t cs_max_size(size_t a, size_t b) {
  return a > b ? a : b;
}

/* Zeroed memory for max(count, 1) items; sets *failed if there is none. */
static inline void *cs_layout_take(size_t count, size_t size, bool *failed) {
  void *memory = calloc(cs_max_size(count, 1), size);
  if (memory == NULL) *failed = true;
  return memory;
}

/* Entry i of an operator whose packed numbers (network.h) go on at *from. */
static inline double cs_layout_unpack(const struct cs_pattern *p, size_t i, const double **from) {
  return p->set[i] ? *(*from)++ : 0.0;
}

/* Whether an input is connected to an output. */
static inline bool cs_layout_connected(const struct cs_layout *l, size_t input, size_t output) {
  return l->pattern[CS_OP_L].set[input * l->dims.outputs + output] != 0;
}

/* Structurally non-zero entries of all operators; sets kind.affine and dims.exact. */
int cs_layout_patterns(struct cs_layout *layout, struct cs_error *error);
/* Degree of what is added to inputs so that they do not jump; 0: nothing is. */
size_t cs_layout_joined_degree(const struct cs_layout *layout);
/* Fills layout->master; a master with memory adds a block to z. */
int cs_layout_master(struct cs_layout *layout, struct cs_error *error);
/* Fills layout->control, for variable steps. */
void cs_layout_control(struct cs_layout *layout);
/* On which subsystems the recorded samples of outputs depend, [outputs][subsystems]. */
void cs_layout_recorded(const struct cs_layout *layout, unsigned char *of_output);
/* Rows of the map and of the measures with their entries and accumulators. */
int cs_layout_rows(struct cs_layout *layout, struct cs_error *error);
void cs_layout_rows_free(struct cs_layout *layout);

#endif
