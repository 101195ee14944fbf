/* Layout -> OpenCL text: the whole program of a variant, with the model as named straight-line code between the
 * fragments of kernels/. Pure. */
#ifndef COSWEEP_EMIT_H
#define COSWEEP_EMIT_H

#include "layout.h"
#include "text.h"

/* lanes: 1, 2, 4, 8 or 16. CS_DEVICE when memory is short. */
int cs_emit(const struct cs_layout *layout, unsigned lanes, struct cs_text *source, struct cs_error *error);

/* The same and, in study stability, the program of eigenvalues behind it: for people to read. */
int cs_emit_all(const struct cs_layout *layout, unsigned lanes, struct cs_text *text, struct cs_error *error);
/* The program that study stability needs beside: the same for all variants. */
int cs_emit_spectrum(unsigned lanes, struct cs_text *source, struct cs_error *error);

#endif
