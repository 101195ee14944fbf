/* What writing and reading result files share: the only file that includes hdf5.h, for store*.c alone. */
#ifndef COSWEEP_HDF5_DOOR_H
#define COSWEEP_HDF5_DOOR_H

#include <hdf5.h>
#include <hdf5_hl.h>

#include "error.h"

/* HDF5 prints its errors unless told not to; they go into our messages instead. What the caller's program had set is
 * put back at the end. */
struct cs_hdf5_quiet {
  H5E_auto2_t function;
  void *data;
};
struct cs_hdf5_quiet cs_hdf5_quiet(void);
void cs_hdf5_loud(struct cs_hdf5_quiet quiet);

/* "FILE: cannot DOING \"NAME\": REASON", the reason being the innermost one HDF5 gives; `name` may be NULL. CS_IO. */
int cs_hdf5_fail(struct cs_error *error, const char *file, const char *doing, const char *name);

/* Closes what is open (a negative id is not) and, when that fails and `code` is CS_OK, makes it a failure. */
int cs_hdf5_close(hid_t id, herr_t (*close)(hid_t), int code, struct cs_error *error, const char *file);

/* Text of any length in UTF-8; negative on failure. */
hid_t cs_hdf5_text_type(void);

#endif
