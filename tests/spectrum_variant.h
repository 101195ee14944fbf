/* What emission prints for kernels/spectrum.cl, for an example with a single coefficient: z = (r1, r2, 1 | x1, memory,
 * x2), the memory's row of the map without entries. Included by test_spectrum.c, and built as OpenCL C. */
#define NR 3
#define NX 2
#define NZ 6
#define BLOCKS 2
#define COEFFICIENTS 1
#define STATE_ITEMS 10
#define STATE_RADIUS 0
#define STATE_DECAYING 1
#define STATE_GROWTH_EXACT 2
#define STATE_FAILED 3
#define WANT_EIGENVALUES 1
#define STATE_EIGENVALUES 4
__constant int STATE_AT[NX] = {3, 5}, BLOCK[NZ] = {0, 0, 0, 1, 1, 1}, BLOCK_FIRST[BLOCKS + 1] = {0, 3, 6};
__constant int ENTRY[NZ * BLOCKS] = {0, -1, 3, -1, -1, -1, 6, 9, -1, -1, 12, 15};

static void mul_M(const V *k, const V *x, V *y) {
  y[0] = k[0] * ((V)-0.5 * x[0] + (V)2.0 * x[1] + (V)7.0 * x[2]);
  y[1] = k[0] * ((V)-2.0 * x[0] - (V)0.5 * x[1] + (V)9.0 * x[2]);
  y[2] = (V)0.0;
}
