/* Parts of a digest that stand in files of their own. */
#ifndef COSWEEP_DIGEST_PRIVATE_H
#define COSWEEP_DIGEST_PRIVATE_H

#include "digest.h"

/* Fills `fit` and `fits`; all else is there. */
int cs_digest_open_fits(struct cs_digest *digest, struct cs_error *error);

#endif
