/* The assembled map and its measures as OpenCL: straight-line code for small models, tables for fixed/rolled.clh for
 * large ones. */
#ifndef COSWEEP_EMIT_STEP_H
#define COSWEEP_EMIT_STEP_H

#include "define.h"
#include "layout.h"

/* Up to this many entries, the nodes of short steps are straight-line code. */
enum { CS_FEW_ITEMS = 256 };

/* Accumulators of the rows of measures, for the functions that take them by tables. */
void cs_emit_step_rows(const struct cs_layout *layout, struct cs_define *to);

/* All tables, for any size of model. */
void cs_emit_step_tables(const struct cs_layout *layout, struct cs_define *to);

void cs_emit_step(const struct cs_layout *layout, struct cs_text *text);

/* The tables of fixed/step_team.cl. */
void cs_emit_step_team(const struct cs_layout *layout, struct cs_define *to);

#endif
