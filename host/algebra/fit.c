#include "fit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct point {
  double x, y;   /* abscissa, and value */
  double lx, ly; /* their logarithms */
};

static const double slope_tolerance = 0.1;

static int compare_points(const void *left, const void *right) {
  const struct point *a = left, *b = right;
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  return (a->y > b->y) - (a->y < b->y); /* makes the result independent of the input order */
}

/* The usable points in ascending order of x. Points of equal abscissa, which have no slope between them, are merged
 * into one with the mean of their logarithms. Returns the number of points. */
static size_t take_points(const double *x, const double *y, size_t count, double floor, struct point *point) {
  size_t used = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(x[i]) && isfinite(y[i]) && x[i] > 0 && y[i] > 0 && y[i] > floor)
      point[used++] = (struct point){.x = x[i], .y = y[i], .lx = log(x[i]), .ly = log(y[i])};
  qsort(point, used, sizeof *point, compare_points);
  size_t distinct = 0;
  for (size_t i = 0; i < used;) {
    size_t same = i;
    double sum = 0;
    for (; same < used && point[same].x == point[i].x; same++)
      sum += point[same].ly;
    struct point merged = point[i];
    merged.ly = sum / (double)(same - i);
    point[distinct++] = merged;
    i = same;
  }
  return distinct;
}

static double median(const double *sorted, size_t count) {
  return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

/* Inserts a slope into `count` sorted ones. */
static void insert(double *sorted, size_t count, double slope) {
  size_t place = count;
  for (; place > 0 && sorted[place - 1] > slope; place--)
    sorted[place] = sorted[place - 1];
  sorted[place] = slope;
}

/* Whether every slope is within the tolerance of the median. */
static int agree(const double *sorted, size_t count) {
  double middle = median(sorted, count);
  return middle - sorted[0] <= slope_tolerance && sorted[count - 1] - middle <= slope_tolerance;
}

/* Number of leading points whose local slopes agree; `slope`: workspace, [count - 1]. */
static size_t asymptotic(const struct point *point, size_t count, double *slope) {
  size_t points = 1;
  for (; points < count; points++) {
    const struct point *a = &point[points - 1], *b = &point[points];
    insert(slope, points - 1, (b->ly - a->ly) / (b->lx - a->lx));
    if (!agree(slope, points)) break;
  }
  return points;
}

/* p and r^2 of ly = p lx + q, centred on the means. Constant values fit exactly. */
static void least_squares(const struct point *point, size_t count, struct cs_fit *fit) {
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0, rest = 0;
  for (size_t i = 0; i < count; i++) {
    mean_x += point[i].lx / (double)count;
    mean_y += point[i].ly / (double)count;
  }
  for (size_t i = 0; i < count; i++) {
    double dx = point[i].lx - mean_x, dy = point[i].ly - mean_y;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  fit->order = xy / xx;
  for (size_t i = 0; i < count; i++) {
    double residual = point[i].ly - mean_y - fit->order * (point[i].lx - mean_x);
    rest += residual * residual;
  }
  fit->r2 = yy > 0 ? 1 - rest / yy : 1;
}

/* `scattered`: over all points. */
static struct cs_fit fit_points(const double *x, const double *y, size_t count, double floor, bool scattered) {
  struct cs_fit fit = {.order = NAN, .r2 = NAN, .first = NAN, .last = NAN, .points = 0};
  if (count < 3) return fit;
  struct point *point = malloc(count * sizeof *point);
  double *slope = malloc(count * sizeof *slope);
  if (point == NULL || slope == NULL) {
    fit.points = -1;
    goto out;
  }
  size_t usable = take_points(x, y, count, floor, point);
  size_t used = scattered || usable < 3 ? usable : asymptotic(point, usable, slope);
  if (used < 3) goto out;
  least_squares(point, used, &fit);
  fit.first = point[0].x;
  fit.last = point[used - 1].x;
  fit.points = (long)used;
out:
  free(point);
  free(slope);
  return fit;
}

struct cs_fit cs_fit_order(const double *x, const double *y, size_t count, double floor) {
  return fit_points(x, y, count, floor, false);
}

struct cs_fit cs_fit_scattered(const double *x, const double *y, size_t count) {
  return fit_points(x, y, count, 0.0, true);
}
