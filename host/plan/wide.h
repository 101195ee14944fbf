/* Numbers with more digits than a double has: 113 bits, or the 64 of long double where the compiler has no such type.
 */
#ifndef COSWEEP_WIDE_H
#define COSWEEP_WIDE_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>

#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 cs_wide;
#else
typedef long double cs_wide;
#endif

static inline cs_wide cs_wide_size(cs_wide a) {
  return a < 0 ? -a : a;
}

static inline cs_wide cs_wide_larger(cs_wide a, cs_wide b) {
  return a > b ? a : b;
}

/* c [rows][columns] = a [rows][inner] b [inner][columns], and c += a b. */
void cs_wide_product(size_t rows, size_t inner, size_t columns, const cs_wide *a, const cs_wide *b, cs_wide *c);
void cs_wide_add_product(size_t rows, size_t inner, size_t columns, const cs_wide *a, const cs_wide *b, cs_wide *c);

/* inverse [n][n] = a^-1; a is overwritten. False if a is singular. */
bool cs_wide_invert(size_t n, cs_wide *a, cs_wide *inverse);

#endif
