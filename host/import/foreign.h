/* MAT-files and HDF5 files, read in a process of its own: damaged bytes can make their libraries crash or run for
 * ever. */
#ifndef COSWEEP_FOREIGN_H
#define COSWEEP_FOREIGN_H

#include "draft.h"

/* Adds the subsystems and connections of a file; `name`: of a subsystem that stands alone. *result: it is a result of
 * cosweep, and adds nothing. CS_IO: it cannot be read; CS_INPUT: a subsystem is wrong. */
int cs_foreign_read(const char *file, const char *name, struct cs_draft *draft, bool *result, struct cs_error *error);
/* The model of a result. */
int cs_foreign_read_result(const char *file, struct cs_text *model, struct cs_error *error);

#endif
