/* Internals of digest.h. */
#ifndef COSWEEP_DIGEST_PRIVATE_H
#define COSWEEP_DIGEST_PRIVATE_H

#include "digest.h"

/* Sets `fit` and `fits`; the axes, metrics and theory must be open. */
int cs_digest_open_fits(struct cs_digest *digest, struct cs_error *error);

#endif
