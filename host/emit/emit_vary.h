/* What vary.cl needs of a variant: sizes, positions in the state, and tables of its rows. */
#ifndef COSWEEP_EMIT_VARY_H
#define COSWEEP_EMIT_VARY_H

#include "define.h"
#include "layout.h"

/* Before the fragments: numbers of the lane and positions in its state. */
void cs_emit_vary_places(const struct cs_layout *layout, struct cs_define *to);

/* What team.clh needs besides. */
void cs_emit_vary_team(const struct cs_layout *layout, struct cs_text *text);

#endif
