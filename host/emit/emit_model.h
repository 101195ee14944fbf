/* The network's operators as straight-line OpenCL functions; structurally zero entries produce no code. */
#ifndef COSWEEP_EMIT_MODEL_H
#define COSWEEP_EMIT_MODEL_H

#include "layout.h"

void cs_emit_model(const struct cs_layout *layout, struct cs_text *text);

#endif
