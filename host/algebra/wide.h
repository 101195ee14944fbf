/* Numbers of 106 bits, as pairs of doubles hi + lo with |lo| at most half a unit in the last place of hi: hi is what
 * they are in double precision. Matrices and vectors are two arrays. */
#ifndef COSWEEP_WIDE_H
#define COSWEEP_WIDE_H

#include <stdbool.h>
#include <stddef.h>

struct cs_wide {
  double *hi, *lo;
};

/* Room for `count` numbers, which are 0; sets *failed if there is none. */
struct cs_wide cs_wide_take(size_t count, bool *failed);
void cs_wide_free(struct cs_wide a);

/* Those from place `at` on. */
static inline struct cs_wide cs_wide_at(struct cs_wide a, size_t at) {
  return (struct cs_wide){a.hi + at, a.lo + at};
}

static inline void cs_wide_put(struct cs_wide a, size_t at, double value) {
  a.hi[at] = value;
  a.lo[at] = 0.0;
}

static inline void cs_wide_swap(struct cs_wide a, size_t i, size_t j) {
  const double hi = a.hi[i], lo = a.lo[i];
  a.hi[i] = a.hi[j], a.lo[i] = a.lo[j];
  a.hi[j] = hi, a.lo[j] = lo;
}

void cs_wide_clear(size_t count, struct cs_wide a);
void cs_wide_diagonal(size_t n, double value, struct cs_wide a); /* [n][n], 0 outside the diagonal */
void cs_wide_copy(size_t count, struct cs_wide from, struct cs_wide to);

/* c [count] += factor b [count], which is not c; `factor`: the first of its numbers. */
void cs_wide_add(size_t count, struct cs_wide factor, struct cs_wide b, struct cs_wide c);

/* a [count] *= factor, which is not in a. */
void cs_wide_scale(size_t count, struct cs_wide factor, struct cs_wide a);

/* to [1] = 1 / from [1]. */
void cs_wide_reciprocal(struct cs_wide from, struct cs_wide to);

/* c [rows][columns] = a [rows][inner], rows `pitch` apart, times b [inner][columns]; and c += a b. */
void cs_wide_product(size_t rows, size_t inner, size_t columns, struct cs_wide a, size_t pitch, struct cs_wide b,
                     struct cs_wide c);
void cs_wide_add_product(size_t rows, size_t inner, size_t columns, struct cs_wide a, size_t pitch, struct cs_wide b,
                         struct cs_wide c);

/* inverse [n][n] = a^-1; a [n][n] is overwritten. False if it is singular. */
bool cs_wide_invert(size_t n, struct cs_wide a, struct cs_wide inverse);

#endif
