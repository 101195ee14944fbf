/* Events of a run that is traced, of both solutions: from the rows of the kernels to the group /events
 * (docs/formats.md, section 4). */
#ifndef COSWEEP_OCCURRENCES_H
#define COSWEEP_OCCURRENCES_H

#include "record.h"
#include "table.h"

/* Zeroed at first. */
struct cs_occurrences {
  size_t count, room, left_out; /* left_out: more than a row has room for */
  double *item;                 /* [count] of CS_OCCURRENCE_ITEMS + 2 states numbers each */
};

/* Takes over what has happened in a step that was accepted; `row`: all of its record. At T_0 (`start`) the solutions
 * are one, and each event is one of both. */
int cs_occurrences_take(struct cs_occurrences *all, const struct cs_layout *layout, const double *row, bool start,
                        struct cs_error *error);
/* Adds the group, in the order of time, with partners as far apart as `window`, s; nothing if nothing has happened. */
int cs_occurrences_add(struct cs_occurrences *all, const struct cs_layout *layout, double window,
                       struct cs_table *table, struct cs_error *error);
void cs_occurrences_free(struct cs_occurrences *all);

#endif
