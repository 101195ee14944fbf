/* Variables in HDF5 files, also MAT-files of version 7.3. */
#ifndef COSWEEP_HDF5FILE_H
#define COSWEEP_HDF5FILE_H

#include "error.h"
#include "variable.h"

/* Whether a file is HDF5, by its first bytes. */
bool cs_hdf5file_is_one(const char *path);
/* The groups and variables that have a meaning, as parts of `root`; a result of cosweep is a text instead. Damaged
 * files may make HDF5 crash or loop: for a process of its own. CS_IO: it cannot be read. */
int cs_hdf5file_read(const char *path, struct cs_variable *root, struct cs_error *error);

#endif
