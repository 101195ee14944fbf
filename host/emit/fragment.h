/* The kernel fragments of kernels/, embedded when the program is built. */
#ifndef COSWEEP_FRAGMENT_H
#define COSWEEP_FRAGMENT_H

/* Text of kernels/<path>, "flow/flow.clh", or NULL. */
const char *cs_fragment(const char *path);

#endif
