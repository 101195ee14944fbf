/* The kernel fragments of kernels/, embedded at build time. */
#ifndef COSWEEP_FRAGMENT_H
#define COSWEEP_FRAGMENT_H

#include <stddef.h>

/* Text of kernels/<path>, e.g. "flow/flow.clh", or NULL. */
const char *cs_fragment(const char *path);
/* That of fragment number `index`, or NULL after the last. */
const char *cs_fragment_at(size_t index);

#endif
