/* The eigenvalues of kernels/spectrum/ compiled ahead: one program for all variants. */
#include "facts.h"
#include "variant.h"

#include "lanes.h" /* after all headers of C: it changes the meaning of fabs and others */

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { CS_SPECTRUM_FACTS(CS_FACT_ENUMERATOR) };

static _Thread_local size_t global_id, global_size;
#define get_global_id(d) global_id
#define get_global_size(d) global_size
#define __kernel static

/* clang-format off */
#include "kernels/spectrum/matrix.clh"
#ifdef CS_LARGE
#include "rows.h"
#else
#include "kernels/spectrum/rows.clh"
#endif
#include "kernels/spectrum/spectrum.clh"
#include "kernels/spectrum/spectrum.cl"
/* clang-format on */

static void run(const void *variant, void *const *argument, const size_t *first, const size_t *end, const size_t *size,
                void *memory) {
  int64_t number[11];
  const unsigned before = lanes_flush();
  (void)variant, (void)memory;
  for (int i = 0; i < 11; i++)
    number[i] = *(const int64_t *)argument[5 + i];
  global_size = size[0];
  for (global_id = first[0]; global_id < end[0]; global_id++)
    spectrum_lanes(argument[0], argument[1], argument[2], argument[3], argument[4], number[0], number[1], number[2],
                   number[3], number[4], number[5], number[6], number[7], number[8], number[9], number[10]);
  lanes_keep(before);
}

#define JOIN_(a, b, c, d) a##b##c##d
#define JOIN(a, b, c, d) JOIN_(a, b, c, d)
#ifndef CS_LARGE
const unsigned JOIN(cs_native_, CS_NATIVE_SET, _, lanes) = VW;
#endif
const struct cs_native_entry JOIN(cs_native_, CS_NATIVE_SET, _, CS_NATIVE_PART)[] = {{"spectrum_lanes", run}, {0}};
