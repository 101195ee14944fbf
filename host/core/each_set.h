/* Functions compiled for each instruction set: the same operations in the same order, as many at once as the machine
 * has room for. */
#ifndef COSWEEP_EACH_SET_H
#define COSWEEP_EACH_SET_H

#if defined __x86_64__ && defined __GLIBC__ && !defined __clang__
#define CS_EACH_SET __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CS_EACH_SET
#endif

#endif
