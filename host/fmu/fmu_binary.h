/* The shared library of host/fmu/binary as the build has made it. */
#ifndef COSWEEP_FMU_BINARY_H
#define COSWEEP_FMU_BINARY_H

#include <stddef.h>

extern const unsigned char *const cs_fmu_binary; /* [cs_fmu_binary_size] */
extern const size_t cs_fmu_binary_size;

#endif
