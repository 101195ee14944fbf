/* Dense products of the kernels for large models, whose numbers are plain ones: vectors go along rows. Every sum is
 * added up in the order of its inner index, whatever the tiles. */
#ifndef COSWEEP_NATIVE_WIDE_H
#define COSWEEP_NATIVE_WIDE_H

#include <stdbool.h>
#include <stddef.h>

#if defined __AVX512F__
typedef __m512d wide;
#define WIDE 8
#define WIDE_CALL(name) _mm512_##name
#elif defined __AVX2__
typedef __m256d wide;
#define WIDE 4
#define WIDE_CALL(name) _mm256_##name
#endif

#define WIDE_UNROLL _Pragma("GCC unroll 8")

#ifdef WIDE
static inline wide wide_from(const double *x) {
  return WIDE_CALL(loadu_pd)(x);
}
static inline void wide_to(double *x, wide a) {
  WIDE_CALL(storeu_pd)(x, a);
}
static inline wide wide_same(double x) {
  return WIDE_CALL(set1_pd)(x);
}
static inline wide wide_fma(wide a, wide b, wide c) {
  return WIDE_CALL(fmadd_pd)(a, b, c);
}
#else
typedef double wide;
#define WIDE 1
static inline wide wide_from(const double *x) {
  return *x;
}
static inline void wide_to(double *x, wide a) {
  *x = a;
}
static inline wide wide_same(double x) {
  return x;
}
static inline wide wide_fma(wide a, wide b, wide c) {
  return __builtin_fma(a, b, c);
}
#endif

/* Exchanges halves of vectors that are `apart`, of all pairs: WIDE rows become columns. */
#define WIDE_EXCHANGE(apart, low, high)                                \
  WIDE_UNROLL for (int i = 0; i < WIDE; i++) if ((i & (apart)) == 0) { \
    const wide a = x[i], b = x[i + (apart)];                           \
    x[i] = low;                                                        \
    x[i + (apart)] = high;                                             \
  }
static inline void wide_transpose(wide *x) {
#if WIDE == 8
  const __m512i low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
  WIDE_EXCHANGE(1, _mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b))
  WIDE_EXCHANGE(2, _mm512_permutex2var_pd(a, low, b), _mm512_permutex2var_pd(a, high, b))
  WIDE_EXCHANGE(4, _mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee))
#elif WIDE == 4
  WIDE_EXCHANGE(1, _mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b))
  WIDE_EXCHANGE(2, _mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31))
#else
  (void)x;
#endif
}

/* The first `count` < WIDE numbers, and zeros. */
static inline wide wide_some(const double *x, int count) {
#if WIDE == 8
  return _mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1u), x);
#elif WIDE == 4
  const __m256i place = _mm256_set_epi64x(3, 2, 1, 0);
  return _mm256_maskload_pd(x, _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), place));
#else
  (void)x, (void)count;
  return 0.0;
#endif
}

static inline double wide_sum(wide a) {
  double each[WIDE];
  wide_to(each, a);
  for (int half = WIDE / 2; half > 0; half /= 2)
    WIDE_UNROLL for (int i = 0; i < half; i++) each[i] += each[i + half];
  return each[0];
}

/* sum + row times x, in two vectors of partial sums. */
static inline double wide_dot(const double *row, const double *x, int count, double sum) {
  wide part[2] = {wide_same(0.0), wide_same(0.0)};
  int j = 0;
  for (; j + 2 * WIDE <= count; j += 2 * WIDE) {
    part[0] = wide_fma(wide_from(row + j), wide_from(x + j), part[0]);
    part[1] = wide_fma(wide_from(row + j + WIDE), wide_from(x + j + WIDE), part[1]);
  }
  if (j + WIDE <= count) {
    part[0] = wide_fma(wide_from(row + j), wide_from(x + j), part[0]);
    j += WIDE;
  }
  if (j < count) part[1] = wide_fma(wide_some(row + j, count - j), wide_some(x + j, count - j), part[1]);
#if WIDE == 1
  return sum + (part[0] + part[1]);
#else
  return sum + wide_sum(WIDE_CALL(add_pd)(part[0], part[1]));
#endif
}

/* Numbers of x [count] from the first to the last that is not 0: coordinates of a block, or none. */
static inline int wide_part(const double *x, int count, int *first) {
  int begin = 0;
  while (begin < count && x[begin] == 0.0)
    begin++;
  while (count > begin && x[count - 1] == 0.0)
    count--;
  *first = begin;
  return count - begin;
}

/* A tile of ROWS rows and WIDES vectors of c = or += a b. */
#define WIDE_TILE(ROWS, WIDES)                                                                                     \
  static inline void wide_tile_##ROWS##_##WIDES(int inner, const double *a, size_t pa, const double *b, size_t pb, \
                                                double *c, size_t pc, bool add) {                                  \
    wide sum[ROWS][WIDES];                                                                                         \
    WIDE_UNROLL for (int r = 0; r < ROWS; r++) WIDE_UNROLL for (int w = 0; w < WIDES; w++) sum[r][w] =             \
        add ? wide_from(c + r * pc + w * WIDE) : wide_same(0.0);                                                   \
    for (int l = 0; l < inner; l++) {                                                                              \
      wide right[WIDES];                                                                                           \
      WIDE_UNROLL for (int w = 0; w < WIDES; w++) right[w] = wide_from(b + (size_t)l * pb + w * WIDE);             \
      WIDE_UNROLL for (int r = 0; r < ROWS; r++) {                                                                 \
        const wide left = wide_same(a[r * pa + (size_t)l]);                                                        \
        WIDE_UNROLL for (int w = 0; w < WIDES; w++) sum[r][w] = wide_fma(left, right[w], sum[r][w]);               \
      }                                                                                                            \
    }                                                                                                              \
    WIDE_UNROLL for (int r = 0; r < ROWS; r++) WIDE_UNROLL for (int w = 0; w < WIDES; w++)                         \
        wide_to(c + r * pc + w * WIDE, sum[r][w]);                                                                 \
  }
WIDE_TILE(4, 2)
WIDE_TILE(4, 1)
WIDE_TILE(1, 2)
WIDE_TILE(1, 1)

/* c [rows][columns] = or += a [rows][inner] b [inner][columns]; pa, pb, pc: numbers from one row to the next. */
static inline void wide_product(int rows, int inner, int columns, const double *a, size_t pa, const double *b,
                                size_t pb, double *c, size_t pc, bool add) {
  int j = 0;
  while (j < columns) {
    const int wides = columns - j >= 2 * WIDE ? 2 : columns - j >= WIDE ? 1 : 0;
    for (int i = 0; i < rows;) {
      const double *left = a + (size_t)i * pa;
      double *to = c + (size_t)i * pc + j;
      if (wides == 0) {
        double sum = add ? *to : 0.0;
        for (int l = 0; l < inner; l++)
          sum = __builtin_fma(left[l], b[(size_t)l * pb + (size_t)j], sum);
        *to = sum;
        i++;
      } else if (rows - i >= 4) {
        (wides == 2 ? wide_tile_4_2 : wide_tile_4_1)(inner, left, pa, b + j, pb, to, pc, add);
        i += 4;
      } else {
        (wides == 2 ? wide_tile_1_2 : wide_tile_1_1)(inner, left, pa, b + j, pb, to, pc, add);
        i++;
      }
    }
    j += wides == 0 ? 1 : wides * WIDE;
  }
}

#endif
