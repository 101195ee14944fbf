/* A file driver of HDF5 that writes through a claim, which keeps failures: HDF5 that meets a failing write (a full
 * disk) may not notice before closing the file, and then crashes. Here it never meets one. Whoever writes asks
 * cs_claim_check.
 */
#ifndef COSWEEP_STORE_DRIVER_H
#define COSWEEP_STORE_DRIVER_H

#include "claim.h"
#include "hdf5_door.h"

/* A file that HDF5 could not close, for lack of memory, it closes when the program ends: then there is no claim. */
struct cs_store_link {
  struct cs_claim *claim;
  bool open;
  bool failed; /* to open, for lack of memory, of which HDF5 says nothing */
};

/* Sets the driver of a file access list. `link` is allocated by the caller. */
bool cs_store_driver_set(hid_t access, struct cs_store_link *link, hid_t *driver);
/* After the file: frees the link unless HDF5 still has it. */
void cs_store_driver_let_go(struct cs_store_link *link, hid_t driver);

#endif
