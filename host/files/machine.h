/* What the machine, and the limits of this process, leave room for. */
#ifndef COSWEEP_MACHINE_H
#define COSWEEP_MACHINE_H

#include "error.h"

/* Bytes of memory that the process may have in all: those of the machine, or of its control group or limit of address
 * space if that is less. */
double cs_machine_memory(void);

/* Bytes of memory that the process has, and the most it had so far; both 0 where the system does not tell. */
struct cs_machine_use {
  double now, most;
};
struct cs_machine_use cs_machine_use(void);
/* The most is what the process has now, where the system can. */
void cs_machine_forget_most(void);
/* Hands memory back that has been freed in small pieces, where the C library can. */
void cs_machine_give_back(void);

/* CS_IO, with both numbers, if a file of `bytes` bytes exceeds the process's limit of file size, or if files of so many
 * bytes in all exceed the free space in the folder of `path`. */
int cs_machine_check_file(const char *path, double bytes, struct cs_error *error);
int cs_machine_check_space(const char *path, double bytes, struct cs_error *error);

#endif
