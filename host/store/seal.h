/* The last bytes of a result file: the checksum of all bytes before them, as a line of text. HDF5 does not look at what
 * follows the end of its own data. */
#ifndef COSWEEP_SEAL_H
#define COSWEEP_SEAL_H

#include <stddef.h>

#include "checksum.h"
#include "error.h"

enum { CS_SEAL_BYTES = 32 };

/* The seal of a file of that checksum, zero-terminated. */
void cs_seal_print(const struct cs_checksum *sum, char seal[CS_SEAL_BYTES + 1]);

/* CS_SEAL_NONE: the file has none; it comes from another program or from an earlier version, or its end is missing. */
enum cs_seal { CS_SEAL_NONE, CS_SEAL_RIGHT, CS_SEAL_WRONG };

/* Compares a file with its seal; `size` gets its bytes. CS_IO if it cannot be read. */
int cs_seal_check(const char *path, enum cs_seal *seal, size_t *size, struct cs_error *error);

#endif
