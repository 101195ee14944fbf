/* The kernel fragments of kernels/, embedded at build time. */
#ifndef COSWEEP_FRAGMENT_H
#define COSWEEP_FRAGMENT_H

/* Text of kernels/<path>, e.g. "flow/flow.clh", or NULL. */
const char *cs_fragment(const char *path);

#endif
