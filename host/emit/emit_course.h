/* What kernels know of a model's state events and modes (kernels/vary/guards.clh). */
#ifndef COSWEEP_EMIT_COURSE_H
#define COSWEEP_EMIT_COURSE_H

#include "define.h"
#include "layout.h"

/* Before the fragments: sizes, positions, tables; of a model without them sizes of 0. */
void cs_emit_course(const struct cs_layout *layout, struct cs_define *to);

#endif
