/* What lanes.clh provides, for a C compiler with vector extensions: VW runs in parallel, as many as fit a register of
 * the target, because compilers keep larger vectors in memory; with CS_LARGE one run, whose numbers are plain ones. A
 * multiplication and an addition are one operation where FMA says so, nowhere else (-ffp-contract=off): results have
 * the bits of every other build. */
#ifndef COSWEEP_NATIVE_LANES_H
#define COSWEEP_NATIVE_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifdef CS_LARGE
#define VW 1
#define APART _Pragma("GCC ivdep")
typedef double V;
typedef int M;
typedef uint64_t I; /* shifted as bits */
#else
#define APART
#if defined __AVX512F__
#define VW 8
#elif defined __AVX2__
#define VW 4
#else
#define VW 2
#endif
typedef double V __attribute__((vector_size(8 * VW)));
typedef int64_t M __attribute__((vector_size(8 * VW)));
typedef M I;
#endif

#define __global
#define __local
#define __constant const
#define TABLE static const
#define INLINE static inline
#define INLINE_ALWAYS static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#define UNROLL
#define HINTED
#define UNROLL_WHOLE _Pragma("GCC unroll 36")
#define WHERE(condition, size) (size)
#define EXACT_ROOM 0

#ifdef CS_LARGE
#define REAL(x) ((V)(x))
#define NOT(mask) (!(mask))
static inline I lanes_bits(double x) {
  I i;
  memcpy(&i, &x, sizeof i);
  return i;
}
static inline V lanes_number(I i) {
  V x;
  memcpy(&x, &i, sizeof x);
  return x;
}
#define AS_I(x) lanes_bits(x)
#define AS_V(i) lanes_number(i)
#define SEL(mask, a, b) ((mask) ? REAL(a) : REAL(b))
#define ANY(mask) (mask)
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define fma(a, b, c) FMA(a, b, c)
/* Of two where one is NaN, and of two zeros, the second. */
#define LARGER(a, b) SEL((a) > (b), a, b)
#define SMALLER(a, b) SEL((a) < (b), a, b)
#define lanes_max(a) (a)
#define lanes_min(a) (a)
#define FIRST_LANE(v) (v)
#define LANES_FROM(c) (c)[0]
#define LANES_TO(v, c) ((c)[0] = (v))
#else
/* The same number in every lane; a vector as it is. */
#define REAL(x) ((x) - (V){0})
#define NOT(mask) (~(M)(mask))
#define AS_I(x) ((I)(x))
#define AS_V(i) ((V)(i))

static inline V lanes_choose(M mask, V a, V b) {
#if defined __AVX2__ && !defined __AVX512F__
  return (V)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
  return (V)(((M)a & mask) | ((M)b & ~mask)); /* one instruction with AVX-512 */
#endif
}
#define SEL(mask, a, b) lanes_choose((M)(mask), REAL(a), REAL(b))

#define ANY(mask) lanes_any((M)(mask))

/* Instructions that the language has no operator for. */
#if defined __AVX512F__ || defined __AVX2__
#ifdef __AVX512F__
#define WORD __m512d
#define INSTRUCTION(name) _mm512_##name
static inline bool lanes_any(M mask) {
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
}
#else
#define WORD __m256d
#define INSTRUCTION(name) _mm256_##name
static inline bool lanes_any(M mask) {
  return _mm256_movemask_pd((__m256d)mask) != 0;
}
#endif
static inline V lanes_fma(V a, V b, V c) {
  return (V)INSTRUCTION(fmadd_pd)((WORD)a, (WORD)b, (WORD)c);
}
#define LANES_FUNCTION(name)                   \
  static inline V lanes_##name(V a) {          \
    return (V)INSTRUCTION(name##_pd)((WORD)a); \
  }
#else
static inline bool lanes_any(M mask) {
  return (mask[0] | mask[1]) != 0;
}
static inline V lanes_fma(V a, V b, V c) {
  for (int i = 0; i < VW; i++)
    a[i] = (fma)(a[i], b[i], c[i]);
  return a;
}
#define LANES_FUNCTION(name)          \
  static inline V lanes_##name(V a) { \
    for (int i = 0; i < VW; i++)      \
      a[i] = (name)(a[i]);            \
    return a;                         \
  }
#endif
LANES_FUNCTION(sqrt)
LANES_FUNCTION(floor)
LANES_FUNCTION(ceil)

static inline V lanes_fmod(V a, V b) {
  for (int i = 0; i < VW; i++)
    a[i] = (fmod)(a[i], b[i]);
  return a;
}
static inline V lanes_abs(V a) {
  return (V)((M)a & INT64_MAX);
}
/* Of two where one is NaN, and of two zeros, the second: as this instruction has it. */
#if defined __AVX512F__ || defined __AVX2__
#define LARGER(a, b) ((V)INSTRUCTION(max_pd)((WORD)REAL(a), (WORD)REAL(b)))
#define SMALLER(a, b) ((V)INSTRUCTION(min_pd)((WORD)REAL(a), (WORD)REAL(b)))
#else
#define LARGER(a, b) SEL((a) > (b), a, b)
#define SMALLER(a, b) SEL((a) < (b), a, b)
#endif
/* The other one where one is NaN, as OpenCL's. */
static inline V lanes_larger(V a, V b) {
  return lanes_choose(b != b, a, LARGER(a, b));
}
static inline V lanes_smaller(V a, V b) {
  return lanes_choose(b != b, a, SMALLER(a, b));
}

/* OpenCL's functions, of lanes or of one number. */
#define fma(a, b, c) lanes_fma(REAL(a), REAL(b), REAL(c))
#define sqrt(a) _Generic((a), V : lanes_sqrt, default : sqrt)(a)
#define floor(a) _Generic((a), V : lanes_floor, default : floor)(a)
#define ceil(a) _Generic((a), V : lanes_ceil, default : ceil)(a)
#define fabs(a) _Generic((a), V : lanes_abs, default : fabs)(a)
#define fmod(a, b) lanes_fmod(REAL(a), REAL(b))
#define fmax(a, b) _Generic((a), V : lanes_larger, default : fmax)(a, b)
#define fmin(a, b) _Generic((a), V : lanes_smaller, default : fmin)(a, b)
#define FMA(a, b, c) fma(a, b, c)

/* Lane i is lane i ^ half of `a`. */
static inline V lanes_crossed(V a, int half) {
#if defined(__clang__) /* which takes constant places only */
  V crossed;
  for (int i = 0; i < VW; i++)
    crossed[i] = a[i ^ half];
  return crossed;
#else
  I other;
  for (int i = 0; i < VW; i++)
    other[i] = i ^ half;
  return __builtin_shuffle(a, other);
#endif
}

/* Of those that are not NaN. */
static inline double lanes_max(V a) {
  for (int half = VW / 2; half > 0; half /= 2)
    a = lanes_larger(a, lanes_crossed(a, half));
  return a[0];
}
static inline double lanes_min(V a) {
  return -lanes_max(-a);
}

#define FIRST_LANE(v) (v)[0]
static inline V lanes_from(const double *c) {
  V v;
  memcpy(&v, c, sizeof v);
  return v;
}
#define LANES_FROM(c) lanes_from(c)
static inline void lanes_to(V v, double *c) {
  memcpy(c, &v, sizeof v);
}
#define LANES_TO(v, c) lanes_to(v, c)
#endif

/* Large models have fast modes that decay, and entries far from the diagonal: numbers with fewer digits, for which
 * processors take many times as long, are 0 there. */
#if defined CS_LARGE && defined __x86_64__
static inline unsigned lanes_flush(void) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | _MM_FLUSH_ZERO_ON | 0x40 /* those that are read */);
  return before;
}
static inline void lanes_keep(unsigned before) {
  _mm_setcsr(before);
}
#else
static inline unsigned lanes_flush(void) {
  return 0;
}
static inline void lanes_keep(unsigned before) {
  (void)before;
}
#endif

static inline long lanes_least(long a, long b) {
  return a < b ? a : b;
}
#define min(a, b) lanes_least(a, b)

/* Data of a group of lanes: [group][item][lane]. */
#define AT_PITCH(base, item, pitch) (((const V *)(base))[(size_t)(item)])
#define PUT_PITCH(base, item, pitch, value) (((V *)(base))[(size_t)(item)] = REAL(value))
#define LANE_SCOPE(pointer, items, g, groups) ((pointer) + (size_t)(g) * (size_t)(items)*VW)
#define LANE_STRIDE(groups) ((size_t)0)
#define LANE_SKIP(pointer, items, stride) ((pointer) + (size_t)(items)*VW)
#define AT(base, item) AT_PITCH(base, item, stride)
#define PUT(base, item, value) PUT_PITCH(base, item, stride, value)

#endif
