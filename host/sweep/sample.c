#include "sample.h"

#include <math.h>
#include <stdlib.h>

const char *cs_sample_name(enum cs_sample kind) {
  static const char *const name[CS_SAMPLES] = {"lhs", "sobol", "random"};
  return name[kind];
}

/* ---- random numbers */

/* SplitMix64: S. Vigna's finaliser of a Weyl sequence. */
static uint64_t next(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* A sequence of its own for every seed and dimension. */
static uint64_t begin(uint64_t seed, size_t dimension) {
  uint64_t state = seed, first = next(&state);
  state = first ^ (uint64_t)dimension;
  return next(&state);
}

static double unit(uint64_t bits) {
  return (double)(bits >> 11) * 0x1p-53;
}

/* From 0 to below `most`, without bias. */
static uint64_t below(uint64_t *state, uint64_t most) {
  const uint64_t rest = UINT64_MAX - UINT64_MAX % most;
  uint64_t bits = next(state);
  while (bits >= rest)
    bits = next(state);
  return bits % most;
}

/* ---- designs */

/* In every dimension one point in each of `count` equal parts, in random order. */
static int fill_lhs(uint64_t state, size_t count, double *point, struct cs_error *error) {
  size_t *order = malloc(count * sizeof *order);
  if (order == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < count; i++)
    order[i] = i;
  for (size_t i = count; i > 1; i--) {
    const size_t k = (size_t)below(&state, i), last = order[i - 1];
    order[i - 1] = order[k];
    order[k] = last;
  }
  for (size_t i = 0; i < count; i++)
    point[i] = fmin(((double)order[i] + unit(next(&state))) / (double)count, 1.0 - 0x1p-53); /* not rounded to 1 */
  free(order);
  return CS_OK;
}

/* The primitive polynomials' degrees and inner coefficients and the first direction numbers, from dimension 2 on: S.
 * Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30,
 * 2008, their table new-joe-kuo-6.21201. */
static const struct {
  unsigned degree, inner, first[7];
} joe_kuo[CS_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

enum { BITS = 32 };

static void find_directions(size_t dimension, uint32_t *direction) {
  for (unsigned i = 0; i < BITS; i++)
    direction[i] = UINT32_C(1) << (BITS - 1 - i);
  if (dimension == 0) return;
  const unsigned degree = joe_kuo[dimension - 1].degree, inner = joe_kuo[dimension - 1].inner;
  for (unsigned i = 0; i < degree; i++)
    direction[i] = (uint32_t)joe_kuo[dimension - 1].first[i] << (BITS - 1 - i);
  for (unsigned i = degree; i < BITS; i++) {
    direction[i] = direction[i - degree] ^ (direction[i - degree] >> degree);
    for (unsigned k = 1; k < degree; k++)
      if (inner >> (degree - 1 - k) & 1) direction[i] ^= direction[i - k];
  }
}

static void fill_sobol(size_t dimension, uint32_t shift, size_t count, double *point) {
  uint32_t direction[BITS], at = 0;
  find_directions(dimension, direction);
  for (size_t i = 0; i < count; i++) {
    unsigned zero = 0; /* the lowest bit of i that is not set */
    point[i] = (double)(at ^ shift) * 0x1p-32;
    while (i >> zero & 1)
      zero++;
    if (zero < BITS) at ^= direction[zero];
  }
}

int cs_sample_fill(enum cs_sample kind, uint64_t seed, size_t dimensions, size_t count, double *point,
                   struct cs_error *error) {
  int code = CS_OK;
  for (size_t d = 0; d < dimensions && code == CS_OK; d++) {
    uint64_t state = begin(seed, d);
    double *to = point + d * count;
    if (kind == CS_SAMPLE_LHS) code = fill_lhs(state, count, to, error);
    if (kind == CS_SAMPLE_SOBOL) fill_sobol(d, seed == 0 ? 0 : (uint32_t)(next(&state) >> 32), count, to);
    for (size_t i = 0; kind == CS_SAMPLE_RANDOM && i < count; i++)
      to[i] = unit(next(&state));
  }
  return code;
}
