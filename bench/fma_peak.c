/* Peak rate of fused multiply-adds in double precision: what one core of this machine can do at best. */
#include <stdio.h>
#include <string.h>

#include "measure.h"

enum { LANES = 8, CHAINS = 16, REPETITIONS = 1 << 22, BLOCKS = 8 };

typedef double vector __attribute__((vector_size(LANES * sizeof(double))));

/* Independent chains a = a b + c that converge to 1: enough of them to hide the latency of the units. */
static void multiply_add(void *context, size_t item) {
  const vector b = (vector){0} + 0.999999, c = (vector){0} + 1e-6;
  vector a[CHAINS];
  for (int i = 0; i < CHAINS; i++)
    a[i] = (vector){0} + i;
  for (long k = 0; k < REPETITIONS; k++)
    for (int i = 0; i < CHAINS; i++)
      a[i] = a[i] * b + c;
  double *result = context;
  for (int i = 1; i < CHAINS; i++)
    a[0] += a[i];
  memcpy(&result[item], &a[0], sizeof result[item]);
}

int main(int argc, char **argv) {
  const long threads = argc == 1 ? (long)measure_processors() : measure_count(argv[1], 1, MAX_THREADS);
  if (argc > 2 || threads < 0) {
    fprintf(stderr, "usage: %s [THREADS]\n", argv[0]);
    return 2;
  }
  double result[BLOCKS * MAX_THREADS];
  const size_t items = (size_t)(BLOCKS * threads);
  struct measured measured;
  if (measure_threads((unsigned)threads, items, multiply_add, result, &measured)) {
    fprintf(stderr, "%s: could not start %ld threads\n", argv[0], threads);
    return 1;
  }
  double checksum = 0;
  for (size_t i = 0; i < items; i++)
    checksum += result[i];
  const double flop = 2.0 * LANES * CHAINS * REPETITIONS * (double)items;
  char device[256];
  measure_device(device, sizeof device);
  printf(
      "{\"case\": \"fma_peak\", \"implementation\": \"vector C\", \"device\": \"%s\", \"threads\": %ld, "
      "\"seconds\": %.6g, \"core_seconds\": %.6g, \"gflops_per_core\": %.6g, \"checksum\": %.12g}\n",
      device, threads, measured.seconds, measured.core_seconds, 1e-9 * flop / measured.core_seconds, checksum);
  return 0;
}
