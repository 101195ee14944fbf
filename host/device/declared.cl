/* What programs use of OpenCL's functions, for PoCL, whose compiler otherwise reads 18,000 lines that declare all of them
 * with every program: 0.2 s, even if it is kept. Without the types that they have for real numbers or integers here a
 * call would be taken for one with others. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define INFINITY (__builtin_inff())
#define NAN as_float(0x7fffffff)
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define as_float(x) __builtin_astype((x), float)
#define as_long(x) __builtin_astype((x), long)
#define as_long2(x) __builtin_astype((x), long2)
#define as_long4(x) __builtin_astype((x), long4)
#define as_long8(x) __builtin_astype((x), long8)
#define as_long16(x) __builtin_astype((x), long16)
#define as_double(x) __builtin_astype((x), double)
#define as_double2(x) __builtin_astype((x), double2)
#define as_double4(x) __builtin_astype((x), double4)
#define as_double8(x) __builtin_astype((x), double8)
#define as_double16(x) __builtin_astype((x), double16)

#define DECLARED __attribute__((overloadable, const))
#define SIZES(of) of(2) of(3) of(4) of(8) of(16)

#define VECTORS(n)                                          \
  typedef int int##n __attribute__((ext_vector_type(n)));   \
  typedef long long##n __attribute__((ext_vector_type(n))); \
  typedef ulong ulong##n __attribute__((ext_vector_type(n))); \
  typedef float float##n __attribute__((ext_vector_type(n))); \
  typedef double double##n __attribute__((ext_vector_type(n)));
SIZES(VECTORS)

#define REAL(type)                          \
  DECLARED type ceil(type);                 \
  DECLARED type fabs(type);                 \
  DECLARED type floor(type);                \
  DECLARED type fma(type, type, type);      \
  DECLARED type fmax(type, type);           \
  DECLARED type fmin(type, type);           \
  DECLARED type fmod(type, type);           \
  DECLARED type sqrt(type);
#define REALS(n) REAL(float##n) REAL(double##n)
REAL(float) REAL(double) SIZES(REALS)

#define INTEGER(type) DECLARED type max(type, type); DECLARED type min(type, type);
INTEGER(int) INTEGER(uint) INTEGER(long) INTEGER(ulong)

DECLARED float ldexp(float, int);
DECLARED double ldexp(double, int);
DECLARED int any(long);
#define LANES(n)                                                                     \
  DECLARED float##n ldexp(float##n, int##n);                                         \
  DECLARED double##n ldexp(double##n, int##n);                                       \
  DECLARED double##n select(double##n, double##n, long##n);                          \
  DECLARED double##n select(double##n, double##n, ulong##n);                         \
  DECLARED int any(long##n);                                                         \
  __attribute__((overloadable, pure)) double##n vload##n(size_t, const __global double *);                   \
  __attribute__((overloadable, pure)) double##n vload##n(size_t, const __local double *);                    \
  __attribute__((overloadable, pure)) double##n vload##n(size_t, const __private double *);                  \
  __attribute__((overloadable)) void vstore##n(double##n, size_t, __global double *);  \
  __attribute__((overloadable)) void vstore##n(double##n, size_t, __local double *);   \
  __attribute__((overloadable)) void vstore##n(double##n, size_t, __private double *);
SIZES(LANES)

DECLARED size_t get_global_id(uint);
DECLARED size_t get_global_size(uint);
DECLARED size_t get_group_id(uint);
DECLARED size_t get_local_id(uint);
DECLARED size_t get_local_size(uint);
DECLARED size_t get_num_groups(uint);
__attribute__((overloadable, convergent)) void barrier(uint);

#undef DECLARED
#undef SIZES
#undef VECTORS
#undef REAL
#undef REALS
#undef INTEGER
#undef LANES
#line 1
