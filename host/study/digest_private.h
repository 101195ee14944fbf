/* Internals of digest.h. */
#ifndef COSWEEP_DIGEST_PRIVATE_H
#define COSWEEP_DIGEST_PRIVATE_H

#include "digest.h"

/* Sets `fit` and `fits`; the axes, metrics and theory must be open. */
int cs_digest_open_fits(struct cs_digest *digest, struct cs_error *error);
/* Sets `events` and what follows it; the status must be open. */
void cs_digest_find_events(struct cs_digest *digest);
/* The maximum absolute value of `judge` over its signals; NaN if one is NaN or the run failed. */
struct cs_digest_point cs_digest_judge(const struct cs_digest *digest, size_t run);
/* Sets `floor`; `judge` must be. */
void cs_digest_find_floor(struct cs_digest *digest);
/* Whether an array is over the axes of the runs, and at most one dimension more. */
bool cs_digest_is_over_runs(const struct cs_digest *digest, const struct cs_array *array);

#endif
