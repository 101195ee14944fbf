/* Times a stability map by hand, a loop over LAPACK's dgeev, and prints one JSON line. A rival for cosweep: the sweep
 * feedthrough_map.json, its matrix written down in closed form. */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

static const double step_size = 0.1, gain_end = 2; /* s; d1 and d2 from -2 to 2 */

/* Rows and columns: states x1, x2, the inputs' values u1, u2 at T[k] and v1, v2 at T[k-1]. */
enum { X1, X2, U1, U2, V1, V2, ROWS };

enum { LENGTH_WORK = 34 * ROWS };

struct map {
  size_t points;  /* along each axis */
  double *radius; /* [points d1][points d2]; not a number where LAPACK failed */
};

/* x' = -x + u with u held as u + s (u - v), s from 0 to 1, and y = x + d (2 u - v) at the end of the step, which is the
 * other lag's input. Column by column. */
static void assemble(double d1, double d2, double a[ROWS * ROWS]) {
  const double decay = exp(-step_size), value = 1 - decay, slope = 1 - value / step_size;
  memset(a, 0, ROWS * ROWS * sizeof *a);
#define AT(row, column) a[(column)*ROWS + (row)]
  AT(X1, X1) = AT(X2, X2) = decay;
  AT(X1, U1) = AT(X2, U2) = value + slope;
  AT(X1, V1) = AT(X2, V2) = -slope;
  AT(V1, U1) = AT(V2, U2) = 1;
  for (int j = 0; j < ROWS; j++) {
    AT(U1, j) = AT(X2, j);
    AT(U2, j) = AT(X1, j);
  }
  AT(U1, U2) += 2 * d2;
  AT(U1, V2) -= d2;
  AT(U2, U1) += 2 * d1;
  AT(U2, V1) -= d1;
#undef AT
}

static double radius(double a[ROWS * ROWS]) {
  double re[ROWS], im[ROWS], work[LENGTH_WORK], largest = 0;
  if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', ROWS, a, ROWS, re, im, NULL, 1, NULL, 1, work, LENGTH_WORK) != 0)
    return NAN;
  for (int i = 0; i < ROWS; i++)
    largest = fmax(largest, hypot(re[i], im[i]));
  return largest;
}

static double gain(const struct map *map, size_t i) {
  return gain_end * (2 * (double)i / (double)(map->points - 1) - 1);
}

static void run_row(void *context, size_t row) {
  struct map *map = context;
  double a[ROWS * ROWS];
  for (size_t j = 0; j < map->points; j++) {
    assemble(gain(map, row), gain(map, j), a);
    map->radius[row * map->points + j] = radius(a);
  }
}

static int write_values(const struct map *map, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) return -1;
  const size_t points = map->points * map->points;
  const int failed = fwrite(map->radius, sizeof *map->radius, points, file) != points;
  return fclose(file) || failed ? -1 : 0;
}

static int usage(const char *program) {
  fprintf(stderr,
          "usage: %s [--points N] [--values FILE]\n"
          "  --points N    points along each axis, 2 to 10000 (default 1000)\n"
          "  --values FILE write the spectral radii as doubles, d2 running fastest\n",
          program);
  return 2;
}

int main(int argc, char **argv) {
  struct map map = {.points = 1000};
  struct measured measured;
  const char *values = NULL;
  for (int i = 1; i < argc; i += 2) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    const long count = strcmp(argv[i], "--points") == 0 ? measure_count(value, 2, 10000) : 0;
    if (count > 0)
      map.points = (size_t)count;
    else if (strcmp(argv[i], "--values") == 0 && *value)
      values = value;
    else
      return usage(argv[0]);
  }
  map.radius = malloc(map.points * map.points * sizeof *map.radius);
  int status = 1;
  if (!map.radius) {
    fprintf(stderr, "%s: not enough memory for %zu points along each axis\n", argv[0], map.points);
    goto out;
  }
  if (measure_threads(1, map.points, run_row, &map, &measured)) {
    fprintf(stderr, "%s: could not start a thread\n", argv[0]);
    goto out;
  }
  if (values && write_values(&map, values)) {
    fprintf(stderr, "%s: %s: could not be written\n", argv[0], values);
    goto out;
  }
  printf("{\"case\": \"stability_map\", \"points\": %zu, \"threads\": 1, \"seconds\": %.6g, \"core_seconds\": %.6g}\n",
         map.points * map.points, measured.seconds, measured.core_seconds);
  status = 0;
out:
  free(map.radius);
  return status;
}
