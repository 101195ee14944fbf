/* Tables of a variant: where everything stands in z and in the assembled map, and what measures are made with. */
#ifndef COSWEEP_EMIT_PLACES_H
#define COSWEEP_EMIT_PLACES_H

#include "define.h"
#include "layout.h"

/* Of these: blocks of z, and where the rows of the map and of its measures have theirs. */
void cs_emit_places_entries(const struct cs_layout *layout, struct cs_define *to);

void cs_emit_places(const struct cs_layout *layout, struct cs_define *to);

#endif
