/* Coordinates along a dimension, numbers or labels, as a user names them. */
#ifndef COSWEEP_SCALE_H
#define COSWEEP_SCALE_H

#include <stddef.h>

#include "text.h"

/* Position of a label, or of the number nearest to `text`, which may be rounded to 4 digits as it is printed, among
 * [length] labels or values; `length` where there is none. */
size_t cs_scale_position(size_t length, const double *values, char *const *labels, const char *text);
/* What positions there are: "exact, euler", or the range of many numbers. */
void cs_scale_list(size_t length, const double *values, char *const *labels, struct cs_text *text);

#endif
