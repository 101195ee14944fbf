/* Subsystems and connections among the variables of a file. */
#ifndef COSWEEP_VARIABLES_H
#define COSWEEP_VARIABLES_H

#include "draft.h"
#include "variable.h"

/* Whether a variable of that name beside matrices means something. */
bool cs_variables_has_meaning(const char *name);
/* Every struct of `root` with a field A is a subsystem; A to D of `root` itself are one, called `name`. CS_INPUT with
 * FILE: NAME: what is wrong. */
int cs_variables_read(const char *file, const char *name, const struct cs_variable *root, struct cs_draft *draft,
                      struct cs_error *error);

#endif
