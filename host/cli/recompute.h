/* cosweep verify --recompute: whether runs of a result have the bytes that this program computes. */
#ifndef COSWEEP_RECOMPUTE_H
#define COSWEEP_RECOMPUTE_H

#include "error.h"
#include "option.h"
#include "text.h"

/* Computes runs of the result again, drawn as the options say, and appends a line on what was found to `text`. CS_IO if
 * some number, axis, signal or unit is another one than in the file, with a line for each run that differs in
 * `text`; CS_DEVICE if the runs cannot be computed as they were: by another version, on a device that is not here, by a
 * sweep or fragments that have changed or cannot be read, or perhaps by another device than the first. */
int cs_recompute(const char *path, const struct cs_arguments *arguments, struct cs_text *text, struct cs_error *error);

#endif
