/* The files that a command reads, which it never overwrites. */
#ifndef COSWEEP_INPUTS_H
#define COSWEEP_INPUTS_H

#include "option.h"
#include "sweep.h"

struct cs_input;

struct cs_inputs {
  struct cs_input *input; /* [count] */
  size_t count;
};

/* The files that are the command's operands; all that a sweep names. Files are known by device and inode, whatever
 * their names; one that is not there is left out. */
int cs_inputs_add_operands(struct cs_inputs *inputs, const struct cs_arguments *arguments, struct cs_error *error);
int cs_inputs_add_sweep(struct cs_inputs *inputs, const struct cs_sweep *sweep, struct cs_error *error);

/* CS_USAGE, with both names, if `output` or a temporary file beside it (claim.h) is one of them; "-" is stdout. */
int cs_inputs_check(const struct cs_inputs *inputs, const char *output, const char *command, struct cs_error *error);

void cs_inputs_free(struct cs_inputs *inputs);

#endif
