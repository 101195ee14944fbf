/* A file driver of HDF5 that writes through a claim, which keeps failures: HDF5 that meets a failing write (a full
 * disk) may not notice before closing the file, and then crashes. Here it never meets one. Whoever writes asks
 * cs_claim_check.
 */
#ifndef COSWEEP_STORE_DRIVER_H
#define COSWEEP_STORE_DRIVER_H

#include "claim.h"
#include "hdf5_door.h"

/* Sets the driver of a file access list; the claim must outlive the file. *driver is to be closed after the file, with
 * H5FDunregister. */
bool cs_store_driver_set(hid_t access, struct cs_claim *claim, hid_t *driver);

#endif
