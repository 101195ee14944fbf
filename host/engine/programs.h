/* The programs of a variant on a device: kernels compiled ahead on the host, built ones elsewhere. */
#ifndef COSWEEP_PROGRAMS_H
#define COSWEEP_PROGRAMS_H

#include "device.h"
#include "layout.h"
#include "options.h"
#include "text.h"

struct cs_programs {
  struct cs_program *own, *spectrum; /* spectrum: in study stability */
};

/* OpenCL's are built unless the cache has them, `quick` without optimisation unless it has them with it; CS_DEVICE with
 * the compiler's messages. On failure `programs` is empty. */
int cs_programs_open(struct cs_device *device, const struct cs_layout *layout, unsigned lanes, bool quick,
                     const struct cs_engine_options *options, struct cs_programs *programs, struct cs_error *error);
/* After all kernels were launched. */
void cs_programs_keep(struct cs_programs *programs);
void cs_programs_free(struct cs_programs *programs);
/* Whether all of these are open on the device or in the cache, built in that way. */
bool cs_programs_are_kept(struct cs_device *device, const struct cs_text source[2], size_t count, bool quick);

/* The sources of OpenCL's programs: of the variant, and in study stability of its eigenvalues, which all variants
 * share; *count is 1 or 2. The caller frees both texts. */
int cs_programs_emit(const struct cs_layout *layout, unsigned lanes, struct cs_text source[2], size_t *count,
                     struct cs_error *error);

#endif
