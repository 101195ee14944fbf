/* What a figure says of its origin, inside its file: SVG <title>, <desc> and <metadata>, texts of a PNG, document
 * information of a PDF. */
#ifndef COSWEEP_STAMP_H
#define COSWEEP_STAMP_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "text.h"

struct cs_stamp {
  const char *title, *command, *data; /* UTF-8; command line and data files, NULL: not said */
};

/* Writes the stamp and the version of cosweep into the bytes of a figure, "svg", "png" or "pdf", drawn by gnuplot.
 * CS_IO if they are not in that format. */
int cs_stamp_add(const char *format, const struct cs_stamp *stamp, struct cs_text *bytes, struct cs_error *error);
/* Whether these bytes have been stamped. */
bool cs_stamp_is_ours(const char *format, const char *bytes, size_t length);

#endif
