/* Tables of a variant: where everything stands in z and in the assembled map, and what measures are made with. */
#ifndef COSWEEP_EMIT_PLACES_H
#define COSWEEP_EMIT_PLACES_H

#include "layout.h"

void cs_emit_places(const struct cs_layout *layout, struct cs_text *text);

#endif
