/* Axes: their values and the slots that they bind. */
#ifndef COSWEEP_AXIS_H
#define COSWEEP_AXIS_H

#include "series.h"
#include "slots.h"
#include "sweep.h"

/* Reads all axes (`list` may be NULL), binds their slots, and multiplies their lengths into *runs. On failure *axes
 * holds what was read so far, to be freed. */
int cs_axes_read(const struct cs_json *json, const struct cs_node *list, struct cs_slots *slots, struct cs_axis **axes,
                 size_t *count, size_t *runs, struct cs_error *error);
/* Runs between neighbours along axis number `axis` of axes [count]. */
size_t cs_axis_stride(const struct cs_axis *axes, size_t count, size_t axis);
/* Replaces what the axis sets by `value`. The axis must not select kernels. */
void cs_axis_set(const struct cs_axis *axis, const struct cs_slots *slots, double value, struct cs_settings *settings);
/* Sets what the axis gives run `to` in settings of run `from`, numbers in the whole sweep; false, with some of it set,
 * if the two differ in what other settings follow from. */
bool cs_axis_move(const struct cs_axis *axis, const struct cs_slots *slots, size_t from, size_t to,
                  struct cs_settings *settings);
/* Appends the coordinate of value `i`: its label or its number. */
void cs_axis_add_value(const struct cs_axis *axis, size_t i, struct cs_text *text);
void cs_axes_free(struct cs_axis *axes, size_t count);

#endif
