/* Shared by writing and reading of result files. The only file that includes hdf5.h; only for store*. */
#ifndef COSWEEP_HDF5_DOOR_H
#define COSWEEP_HDF5_DOOR_H

#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdbool.h>

#include "error.h"

/* Stops HDF5 from printing its errors, which go into our messages instead; cs_hdf5_door_loud restores what the calling
 * program had set. */
struct cs_hdf5_door_quiet {
  H5E_auto2_t function;
  void *data;
};
struct cs_hdf5_door_quiet cs_hdf5_door_quiet(void);
void cs_hdf5_door_loud(struct cs_hdf5_door_quiet quiet);

/* For a process that reads a file: from now on HDF5 follows no link into another one and loads no plugin. */
void cs_hdf5_door_confine(void);
/* Why a dataset is not read: its data are in other files, as external storage or a virtual dataset, or packed by a
 * filter that HDF5 has as a plugin only. False: there is no reason. Of links into other files the first is said too. */
#define CS_HDF5_DOOR_ELSEWHERE "is kept in another file"
enum { CS_HDF5_DOOR_REASON = 256 };
bool cs_hdf5_door_refuses(hid_t dataset, char reason[CS_HDF5_DOOR_REASON]);

/* The innermost reason that HDF5 gives; false if it had no memory. */
bool cs_hdf5_door_reason(char text[CS_HDF5_DOOR_REASON]);
/* "FILE: cannot DOING \"NAME\": REASON"; `name` may be NULL. Returns CS_IO,
 * or CS_DEVICE when HDF5 had no memory. */
int cs_hdf5_door_fail(struct cs_error *error, const char *file, const char *doing, const char *name);

/* Closes `id` unless it is negative. Returns `code`, or the failure to close if `code` is CS_OK. */
int cs_hdf5_door_close(hid_t id, herr_t (*close)(hid_t), int code, struct cs_error *error, const char *file);

/* The type of texts of variable length in UTF-8; negative on failure. */
hid_t cs_hdf5_door_text_type(void);

/* How texts are read and written: a property list for H5Dread and H5Dwrite; negative on failure. */
hid_t cs_hdf5_door_text_transfer(void);

#endif
