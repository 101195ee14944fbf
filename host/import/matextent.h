/* What a MAT-file of version 4 or 5 says outside of its variables' values, which libmatio does not tell: how many there
 * are, as it ends at the first that it cannot read as at the end of the file, and which are objects of classes. */
#ifndef COSWEEP_MATEXTENT_H
#define COSWEEP_MATEXTENT_H

#include "error.h"
#include "variable.h"

/* Adds the objects to `root`. CS_IO with a message without the file's name: no MAT-file, or it ends within a variable.
 */
int cs_matextent_read(const char *path, size_t *variables, struct cs_variable *root, struct cs_error *error);

#endif
