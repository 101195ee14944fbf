/* Archives as zip has them (PKWARE's APPNOTE, 4.3), without compression and without times, so that the same contents
 * are the same bytes. */
#ifndef COSWEEP_ZIP_H
#define COSWEEP_ZIP_H

#include "text.h"

struct cs_zip {
  struct cs_text bytes, directory;
  unsigned entries;
};

/* Appends a file. Bytes are of 4 GB at most altogether; with more the archive has failed, as by lack of memory. */
void cs_zip_add(struct cs_zip *zip, const char *name, const char *data, size_t length);
/* Appends the directory and moves the archive to `bytes`, also a failed one; frees the rest. */
void cs_zip_end(struct cs_zip *zip, struct cs_text *bytes);

#endif
