/* Layout -> OpenCL text: the complete program of a variant, the model as straight-line code with named signals between
 * the fragments of kernels/. Pure functions. */
#ifndef COSWEEP_EMIT_H
#define COSWEEP_EMIT_H

#include "layout.h"
#include "text.h"

/* lanes: 1, 2, 4, 8 or 16. CS_DEVICE when memory is short. */
int cs_emit(const struct cs_layout *layout, unsigned lanes, struct cs_text *source, struct cs_error *error);

/* The numbers and tables of that program alone, for kernels compiled ahead (native/): lines `#define NAME number` and
 * `__constant int NAME[] = {...};`, or double. */
int cs_emit_names(const struct cs_layout *layout, unsigned lanes, struct cs_text *names, struct cs_error *error);

/* The program followed, in study stability, by the eigenvalue program: for human readers. */
int cs_emit_all(const struct cs_layout *layout, unsigned lanes, struct cs_text *text, struct cs_error *error);
/* The eigenvalue program of study stability, the same for all variants. */
int cs_emit_spectrum(unsigned lanes, struct cs_text *source, struct cs_error *error);

#endif
