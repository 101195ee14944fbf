/* Numbers that memory has no room for: parts of a file without a name, of which nothing is left however the process
 * ends. It is read and written by calls, not mapped: what the disk refuses is an error, never a signal. */
#ifndef COSWEEP_SPILL_H
#define COSWEEP_SPILL_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct cs_spill;

/* `beside`: the name of a file in whose folder there is room; where a file needs a name it is this one with
 * CS_SPILL_SUFFIX, for a moment, and only one process may write `beside`. CS_IO if the folder cannot be written. */
#define CS_SPILL_SUFFIX ".table"
int cs_spill_open(const char *beside, struct cs_spill **spill, struct cs_error *error);
void cs_spill_close(struct cs_spill *spill); /* NULL is allowed */

/* A further part of so many bytes, numbered from 0, which are zeros. The disk gives them at once: CS_IO if it has no
 * room. */
int cs_spill_add(struct cs_spill *spill, uint64_t bytes, size_t *part, struct cs_error *error);

/* `bytes` bytes of a part, from byte `first` on. */
int cs_spill_put(const struct cs_spill *spill, size_t part, uint64_t first, const void *data, size_t bytes,
                 struct cs_error *error);
int cs_spill_get(const struct cs_spill *spill, size_t part, uint64_t first, void *data, size_t bytes,
                 struct cs_error *error);

#endif
