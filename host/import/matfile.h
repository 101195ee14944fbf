/* MAT-files of versions 4, 5 and 7, by libmatio where the build has it. */
#ifndef COSWEEP_MATFILE_H
#define COSWEEP_MATFILE_H

#include "error.h"
#include "variable.h"

/* The variables that have a meaning, as parts of `root`. libmatio may crash or loop on damaged files: for a process of
 * its own. CS_IO: no MAT-file, damaged, or a build without libmatio. */
int cs_matfile_read(const char *path, struct cs_variable *root, struct cs_error *error);

#endif
