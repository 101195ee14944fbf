/* Errors on stderr. */
#ifndef COSWEEP_COMPLAINT_H
#define COSWEEP_COMPLAINT_H

#include "error.h"

/* Prints the message, which may have several lines. On a terminal a line "FILE:LINE:COLUMN: ..." is followed by that
 * line of the file and a caret below the column. Names in it may come from a file: control characters are replaced. */
void cs_complaint_print(const struct cs_error *error);

#endif
