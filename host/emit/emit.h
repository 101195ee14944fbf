/* Layout -> OpenCL text: the programs of a variant, the model as straight-line code with named signals between the
 * fragments of kernels/. Pure functions. */
#ifndef COSWEEP_EMIT_H
#define COSWEEP_EMIT_H

#include "define.h"
#include "layout.h"
#include "text.h"

/* A variant's kernels are in several programs, so that only those are built which its runs launch. */
enum cs_part {
  CS_PART_METHOD,      /* all that depends on the method: assembly and begin of runs, or variable steps */
  CS_PART_STEP,        /* stepping, */
  CS_PART_STEP_TEAM,   /* by teams */
  CS_PART_DOUBLE,      /* doubling, */
  CS_PART_ROOT,        /* with the factor of the Gram matrix, */
  CS_PART_DOUBLE_TEAM, /* by teams */
  CS_PART_VARY_TEAM,   /* variable steps by teams */
  CS_PART_SPECTRUM,    /* eigenvalues, the same for all variants */
  CS_PARTS
};

/* Whether the variant has such a program. */
bool cs_emit_has(const struct cs_layout *layout, unsigned lanes, enum cs_part part);
/* lanes: 1, 2, 4, 8 or 16. CS_DEVICE when memory is short. */
int cs_emit(const struct cs_layout *layout, unsigned lanes, enum cs_part part, struct cs_text *source,
            struct cs_error *error);

/* Whether a part can be in one program with CS_PART_METHOD. */
bool cs_emit_joins(enum cs_part part);
/* One program for CS_PART_METHOD and those others of the parts that can be joined to it: less work for a compiler that
 * does not optimise. */
int cs_emit_joint(const struct cs_layout *layout, unsigned lanes, const bool part[CS_PARTS], struct cs_text *source,
                  struct cs_error *error);

/* The numbers and tables of those programs alone, for kernels compiled ahead (native/). */
void cs_emit_names(const struct cs_layout *layout, unsigned lanes, struct cs_define *to);

/* All of them, one after the other: for human readers. */
int cs_emit_all(const struct cs_layout *layout, unsigned lanes, struct cs_text *text, struct cs_error *error);

#endif
