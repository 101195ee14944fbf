/* What a file is, for a command that takes another one. */
#ifndef COSWEEP_KINDS_H
#define COSWEEP_KINDS_H

#include "cli.h"

/* Fails if an operand is a result where the command takes a sweep, or a sweep or model where it takes a result. A file
 * that is neither, or cannot be read, is left to the command. */
int cs_kinds_check(const struct cs_command *command, const struct cs_arguments *arguments, struct cs_error *error);

#endif
