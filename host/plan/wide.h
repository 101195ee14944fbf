/* Numbers with more digits than a double has: 113 bits, or the 64 of long double where the compiler has no such type.
 * What takes n^3 operations computes with pairs of doubles, 106 bits: software takes tens of times as long for numbers
 * of this type.
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

/* Numbers hi + lo, |lo| at most half a unit in the last place of hi. */
struct cs_wide_pairs {
  double *hi, *lo;
};

/* Those from place `at` on. */
static inline struct cs_wide_pairs cs_wide_at(struct cs_wide_pairs p, size_t at) {
  return (struct cs_wide_pairs){p.hi + at, p.lo + at};
}

static inline cs_wide cs_wide_get(struct cs_wide_pairs p, size_t at) {
  return (cs_wide)p.hi[at] + p.lo[at];
}

static inline void cs_wide_put(struct cs_wide_pairs p, size_t at, cs_wide value) {
  p.hi[at] = (double)value;
  p.lo[at] = (double)(value - p.hi[at]);
}

struct cs_wide_pairs cs_wide_split(size_t count, const cs_wide *from, double *room); /* room [2][count] */
void cs_wide_join(size_t count, struct cs_wide_pairs from, cs_wide *to);

/* c [count] += (hi + lo) b [count], which is not c. */
void cs_wide_add(size_t count, double hi, double lo, struct cs_wide_pairs b, struct cs_wide_pairs c);

/* a [count] *= factor. */
void cs_wide_scale(size_t count, cs_wide factor, struct cs_wide_pairs a);

/* Doubles of room for matrices of up to n rows and columns. */
size_t cs_wide_room(size_t n);

/* c [rows][columns] = a [rows][inner], rows `pitch` apart, times b [inner][columns]; and c += a b. */
void cs_wide_product(size_t rows, size_t inner, size_t columns, const cs_wide *a, size_t pitch, const cs_wide *b,
                     cs_wide *c, double *room);
void cs_wide_add_product(size_t rows, size_t inner, size_t columns, const cs_wide *a, size_t pitch, const cs_wide *b,
                         cs_wide *c, double *room);

/* inverse [n][n] = a^-1. False if a is singular. */
bool cs_wide_invert(size_t n, const cs_wide *a, cs_wide *inverse, double *room);

#endif
