#include "store_driver.h"

#include <stdint.h>
#include <stdlib.h>

struct file {
  H5FD_t pub; /* first, of HDF5 */
  struct cs_store_link *link;
  haddr_t allocated, end;
};

struct setting {
  struct cs_store_link *link;
};

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
  const struct setting *setting = H5Pget_driver_info(access);
  struct file *file = setting != NULL ? calloc(1, sizeof *file) : NULL;
  (void)name, (void)flags, (void)most;
  if (setting != NULL) setting->link->failed = file == NULL;
  if (file == NULL) return NULL;
  file->link = setting->link;
  file->link->open = true;
  return &file->pub;
}

/* Only now is the end final: HDF5 allocates more than it keeps. */
static herr_t driver_close(H5FD_t *file) {
  struct file *f = (struct file *)file;
  if (f->link->claim != NULL) cs_claim_cut(f->link->claim, f->allocated);
  f->link->open = false;
  free(f);
  return 0;
}

/* Neighbouring small writes are put together. */
static herr_t driver_query(const H5FD_t *file, unsigned long *flags) {
  (void)file;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

static haddr_t driver_allocated(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const struct file *)file)->allocated;
}

static herr_t driver_allocate(H5FD_t *file, H5FD_mem_t type, haddr_t end) {
  (void)type;
  ((struct file *)file)->allocated = end;
  return 0;
}

static haddr_t driver_end(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const struct file *)file)->end;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t bytes, void *to) {
  struct cs_claim *claim = ((struct file *)file)->link->claim;
  (void)type, (void)list;
  if (claim == NULL) return -1;
  cs_claim_get(claim, at, to, bytes);
  return 0;
}

/* The end is where it would be without a failure. */
static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t bytes, const void *from) {
  struct file *f = (struct file *)file;
  (void)type, (void)list;
  if (f->link->claim != NULL) cs_claim_put(f->link->claim, at, from, bytes);
  if (at + bytes > f->end) f->end = at + bytes;
  return 0;
}

static herr_t driver_truncate(H5FD_t *file, hid_t list, hbool_t closing) {
  struct file *f = (struct file *)file;
  (void)list, (void)closing;
  f->end = f->allocated;
  return 0;
}

static const H5FD_class_t driver_class = {.name = "claim",
                                          .maxaddr = INT64_MAX,
                                          .fc_degree = H5F_CLOSE_STRONG,
                                          .fapl_size = sizeof(struct setting),
                                          .open = driver_open,
                                          .close = driver_close,
                                          .query = driver_query,
                                          .get_eoa = driver_allocated,
                                          .set_eoa = driver_allocate,
                                          .get_eof = driver_end,
                                          .read = driver_read,
                                          .write = driver_write,
                                          .truncate = driver_truncate,
                                          .fl_map = H5FD_FLMAP_DICHOTOMY};

bool cs_store_driver_set(hid_t access, struct cs_store_link *link, hid_t *driver) {
  const struct setting setting = {link};
  *driver = H5FDregister(&driver_class);
  return *driver >= 0 && H5Pset_driver(access, *driver, &setting) >= 0;
}

void cs_store_driver_let_go(struct cs_store_link *link, hid_t driver) {
  if (driver >= 0) H5FDunregister(driver);
  if (link != NULL && link->open)
    link->claim = NULL;
  else
    free(link);
}
