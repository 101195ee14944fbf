/* What the variables of a result file must look like (docs/formats.md section 4), checked once where it is read:
 * whoever reads the table then relies on it. */
#ifndef COSWEEP_SHAPE_H
#define COSWEEP_SHAPE_H

#include "error.h"
#include "table.h"

/* CS_IO, with a message that names `path` and the variable, unless
 * - no array has a dimension twice;
 * - there is "status" or, in a trace, "accepted", of uint8; the metrics of table/metric.h have their types and its
 *   dimensions, followed by that of their signals, whose scale has names (mode: numbers);
 * - orders and boundaries have the dimensions of their metric, or of status, without one axis; what belongs to an order
 *   has those of the order;
 * - a group has one dimension, which all its arrays are over; coordinates are of the kind of the root's dimension;
 * - a table with "accepted" is a trace, with its variables over t, or over t and signals. */
int cs_shape_check(const struct cs_table *table, const char *path, struct cs_error *error);

#endif
