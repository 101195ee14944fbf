/* Coordinates along a dimension, numbers or labels, as a user names them: "AXIS=VALUE", and what is said to a name that
 * is none of those there are. */
#ifndef COSWEEP_SCALE_H
#define COSWEEP_SCALE_H

#include <stddef.h>

#include "text.h"

/* Position of a label, or of the number nearest to `text`, which may be rounded to 4 digits as it is printed, among
 * [length] labels or values; `length` where there is none. */
size_t cs_scale_position(size_t length, const double *values, char *const *labels, const char *text);
/* What positions there are: "exact, euler", or the range of many numbers. */
void cs_scale_list(size_t length, const double *values, char *const *labels, struct cs_text *text);

/* The value in `said`, "AXIS=VALUE", where it is about the axis of that name; NULL elsewhere. */
const char *cs_scale_value(const char *said, const char *axis);
/* *at: the position of `value`. CS_USAGE with the positions there are where it is none of them; `said` is what the user
 * gave for the option, "AXIS=VALUE" or the value alone. */
int cs_scale_choose(size_t length, const double *values, char *const *labels, const char *value, const char *option,
                    const char *said, size_t *at, struct cs_error *error);
/* CS_USAGE: --option "said" is none of the names (freed), or names none of these axes. */
int cs_scale_fail(const char *option, const char *said, struct cs_text *names, struct cs_error *error);
int cs_scale_fail_axis(const char *option, const char *said, struct cs_text *axes, struct cs_error *error);

#endif
