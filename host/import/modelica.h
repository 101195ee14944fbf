/* OpenModelica's linearized models: files that its operator `linearize` writes. */
#ifndef COSWEEP_MODELICA_H
#define COSWEEP_MODELICA_H

#include "draft.h"

/* Adds the subsystem of a text, `file` in messages; CS_INPUT with FILE:LINE. Read are the parameters n, m, p, x0, u0,
 * A, B, C, D and names such as Real 'x_NAME' = x[1]; all else is skipped. */
int cs_modelica_parse(const char *file, const char *text, size_t length, struct cs_draft *draft,
                      struct cs_error *error);
int cs_modelica_read(const char *file, struct cs_draft *draft, struct cs_error *error);

#endif
