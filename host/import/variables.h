/* Subsystems and connections among the variables of a file, of whatever kind: what is read, what is refused because it
 * changes the meaning of the matrices, and what is named because it is not read. */
#ifndef COSWEEP_VARIABLES_H
#define COSWEEP_VARIABLES_H

#include "draft.h"
#include "variable.h"

/* Every struct of `root` with a field A, or with D alone, is a subsystem; A to D of `root` itself are one, called
 * `name`. a to d stand for them where there is no A. CS_INPUT with FILE: NAME: what is wrong, FILE:LINE:COLUMN where
 * the variable has a place. */
int cs_variables_read(const char *file, const char *name, const struct cs_variable *root, struct cs_draft *draft,
                      struct cs_error *error);

#endif
