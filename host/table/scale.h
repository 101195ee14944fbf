/* Coordinates (numbers or labels) that options name as "AXIS=VALUE", and the errors for unknown names. */
#ifndef COSWEEP_SCALE_H
#define COSWEEP_SCALE_H

#include <stddef.h>

#include <stdbool.h>

#include "table.h"
#include "text.h"

/* Position of the label `text`, or of the value nearest to the number `text`, which may be rounded to 4 digits, among
 * [length] labels or values; `length` if there is none. */
size_t cs_scale_position(size_t length, const double *values, char *const *labels, const char *text);
/* Appends the coordinates: "exact, euler", or only the range of many numbers. */
void cs_scale_list(size_t length, const double *values, char *const *labels, struct cs_text *text);

/* VALUE of `said`, "AXIS=VALUE", if AXIS is `axis`; else NULL. */
const char *cs_scale_value(const char *said, const char *axis);
/* *at: the position of `value`. If there is none: CS_USAGE with the coordinates; `said` is the option's argument,
 * "AXIS=VALUE" or the value alone. */
int cs_scale_choose(size_t length, const double *values, char *const *labels, const char *value, const char *option,
                    const char *said, size_t *at, struct cs_error *error);
/* Whether `value` is a range "A:B", of which one end may be left out; its ends. */
bool cs_scale_range(const char *value, double *from, double *to);
/* The same for a dimension, whose positions are handed to `take`: one, or of "A:B" all from A to B, of which one may be
 * left out. */
int cs_scale_take(const struct cs_dimension *dimension, const char *value, const char *option, const char *said,
                  int (*take)(void *of, size_t at, struct cs_error *error), void *of, struct cs_error *error);
/* CS_USAGE: --option "said" is none of `names`, or names none of `axes`. Both lists are freed. */
int cs_scale_fail(const char *option, const char *said, struct cs_text *names, struct cs_error *error);
int cs_scale_fail_axis(const char *option, const char *said, struct cs_text *axes, struct cs_error *error);

#endif
