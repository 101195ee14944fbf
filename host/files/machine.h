/* What the machine, and the limits of this process, leave room for. */
#ifndef COSWEEP_MACHINE_H
#define COSWEEP_MACHINE_H

#include "error.h"

/* Bytes of memory that the process may have in all: those of the machine, or of its control group or limit of address
 * space if that is less. */
double cs_machine_memory(void);

/* CS_IO, with both numbers, if a file of `bytes` bytes exceeds the process's limit of file size, or if files of so many
 * bytes in all exceed the free space in the folder of `path`. */
int cs_machine_check_file(const char *path, double bytes, struct cs_error *error);
int cs_machine_check_space(const char *path, double bytes, struct cs_error *error);

#endif
