/* The kernels compiled ahead: the fragments of kernels/ as functions of the program, with the sizes of a variant at run
 * time (kernels.c). Results have the bits of the specialised programs of emit.h. */
#ifndef COSWEEP_NATIVE_H
#define COSWEEP_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct cs_layout;
struct cs_model;
struct cs_native;

/* The instruction set in use: avx512, avx2 or any; runs per work-item with it: 1 of a large model. */
const char *cs_native_set(void);
unsigned cs_native_lanes(const struct cs_model *model);
/* The largest models that there are kernels for. */
enum { CS_NATIVE_MOST_STATES = 1000, CS_NATIVE_MOST_SIGNALS = 256 };

/* A variant. CS_DEVICE: it has more signals than there is private memory for, variable steps or a fragment of a user,
 * or memory is short. `layout` must outlive it. */
int cs_native_new(const struct cs_layout *layout, struct cs_native **native, struct cs_error *error);
/* CS_DEVICE if there is none for the layout: why. */
int cs_native_check(const struct cs_layout *layout, struct cs_error *why);
/* The eigenvalues of study stability, for all variants of a model. */
int cs_native_spectrum(const struct cs_model *model, struct cs_native **native, struct cs_error *error);
void cs_native_free(struct cs_native *native);

/* Runs work-items first[d] <= i < end[d] of size[d], d < 2, of the kernel of this name in kernels/. argument: its
 * arguments, pointers to buffers and to 64-bit numbers; memory: of the calling thread (cs_native_needs). NULL: there is
 * none. */
typedef void cs_native_run(const void *variant, void *const *argument, const size_t *first, const size_t *end,
                           const size_t *size, void *memory);
cs_native_run *cs_native_find(const struct cs_native *native, const char *name);
const void *cs_native_variant(const struct cs_native *native);
/* Bytes that a thread needs: of its stack, and of memory besides. */
void cs_native_needs(const struct cs_native *native, size_t *stack, size_t *memory);
/* Bytes of this memory that it usually touches. */
size_t cs_native_uses(const struct cs_native *native);

#endif
