/* MAT-files, HDF5 files and what Python reads, in a process of its own: damaged bytes can make libraries crash or run
 * for ever, and so can the code of FMUs. */
#ifndef COSWEEP_FOREIGN_H
#define COSWEEP_FOREIGN_H

#include "draft.h"
#include "python.h"

/* Adds the subsystems and connections of a file; `name`: of a subsystem that stands alone. *result: it is a result of
 * cosweep, and adds nothing. CS_IO: it cannot be read; CS_INPUT: a subsystem or its code is wrong. */
int cs_foreign_read(const char *file, const char *name, const struct cs_python_wish *python, struct cs_draft *draft,
                    bool *result, struct cs_error *error);
/* The model of a result. */
int cs_foreign_read_result(const char *file, struct cs_text *model, struct cs_error *error);

#endif
