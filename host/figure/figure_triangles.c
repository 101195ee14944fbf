/* Triangles of integer slope beside curves of logarithmic axes. */
#include <math.h>
#include <stdio.h>

#include "figure_private.h"

/* Lower left corner, width and height, as fractions of the axis ranges. */
struct triangle {
  double x, y, width, height;
};

/* Position of `value` along an axis, as a fraction of its range. */
static double part_of(const struct cs_figure_axis *axis, double value) {
  return log(value / axis->least) / log(axis->most / axis->least);
}

/* Height of a curve there, as a fraction of the range; NaN if it has no points on both sides. */
static double height_at(const struct cs_figure_panel *panel, const struct cs_figure_curve *curve, double x) {
  for (size_t i = 1; i < curve->points; i++) {
    const double a = part_of(&panel->x, curve->x[i - 1]), b = part_of(&panel->x, curve->x[i]);
    const double from = part_of(&panel->y, curve->y[i - 1]), to = part_of(&panel->y, curve->y[i]);
    if ((a <= x) != (b <= x) && !isnan(from) && !isnan(to)) return from + (to - from) * (x - a) / (b - a);
  }
  return NAN;
}

/* Smallest vertical distance from the triangle with its label to the curves and earlier triangles; negative if it
 * leaves the panel. */
static double clearance(const struct cs_figure_panel *panel, size_t curves, const struct triangle *t,
                        const struct triangle *other, size_t others) {
  enum { SAMPLES = 5 };
  double least = fmin(fmin(t->y, 1.0 - t->y - t->height), fmin(t->x, 0.94 - t->x - t->width));
  for (size_t c = 0; c < curves; c++)
    for (int i = 0; i <= SAMPLES; i++) {
      const double along = 1.25 * i / SAMPLES, y = height_at(panel, &panel->curve[c], t->x + along * t->width);
      const double top = t->y + fmin(along, 1.0) * t->height;
      if (!isnan(y)) least = fmin(least, y > top ? y - top : y < t->y ? t->y - y : 0.0);
    }
  for (size_t i = 0; i < others; i++) {
    const double aside = fmax(t->x - other[i].x - 1.4 * other[i].width, other[i].x - t->x - 1.4 * t->width);
    const double above = fmax(t->y - other[i].y - other[i].height, other[i].y - t->y - t->height);
    least = fmin(least, fmax(0.0, fmax(aside, above)));
  }
  return least;
}

/* Room that a triangle needs, and that is enough, in fractions of the range. */
static const double needed = 0.01, enough = 0.035;

/* The place with most room for a triangle of slope `order` near a curve of that slope, within the range that its slope
 * was fitted to; returns the room, 0 if there is none. */
static double search(const struct cs_figure_panel *panel, size_t curves, double order, double size,
                     const struct triangle *other, size_t others, struct triangle *best) {
  enum { PLACES = 12 };
  const double wide = log(panel->x.most / panel->x.least), high = log(panel->y.most / panel->y.least);
  struct triangle t = {.width = size * fmin(0.13, 0.3 * high / (order * wide))};
  double most = 0.0;
  t.height = order * t.width * wide / high;
  if (t.height < needed) return 0.0;
  for (size_t c = 0; c < curves; c++) {
    const struct cs_figure_curve *curve = &panel->curve[c];
    if (!(fabs(curve->order - order) <= 0.25)) continue;
    for (int i = 0; i < 2 * PLACES; i++) {
      t.x = 0.08 + 0.75 * (i % PLACES) / PLACES;
      const double middle = panel->x.least * exp(wide * (t.x + 0.5 * t.width));
      if (!(middle >= curve->fitted_from && middle <= curve->fitted_to)) continue;
      const double under = height_at(panel, &panel->curve[c], t.x),
                   over = height_at(panel, &panel->curve[c], t.x + t.width);
      t.y = i < PLACES ? under - 0.05 : fmax(under, over) + 0.03;
      const double room = fmin(clearance(panel, curves, &t, other, others), enough);
      if (!(room > most)) continue;
      most = room;
      *best = t;
    }
  }
  return most;
}

/* The same for smaller ones where there is little room; false if there is none. */
static bool find_place(const struct cs_figure_panel *panel, size_t curves, double order, const struct triangle *other,
                       size_t others, struct triangle *best) {
  static const double sizes[] = {1.0, 0.75, 0.55};
  double most = 0.0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && most < enough; i++) {
    struct triangle found;
    const double room = search(panel, curves, order, sizes[i], other, others, &found);
    if (!(room > most)) continue;
    most = room;
    *best = found;
  }
  return most > needed;
}

static int add_triangle(struct cs_figure_panel *panel, double order, const struct triangle *t, struct cs_error *error) {
  const double wide = log(panel->x.most / panel->x.least), high = log(panel->y.most / panel->y.least);
  const double x[] = {t->x, t->x + t->width, t->x + t->width, t->x}, y[] = {t->y, t->y, t->y + t->height, t->y};
  struct cs_figure_curve *triangle = cs_figure_add_curve(panel, 4, NULL);
  char text[32];
  if (triangle == NULL) return cs_error_memory(error);
  triangle->ink = CS_INK_REFERENCE;
  for (size_t i = 0; i < 4; i++) {
    triangle->x[i] = panel->x.least * exp(wide * x[i]);
    triangle->y[i] = panel->y.least * exp(high * y[i]);
  }
  snprintf(text, sizeof text, "%.0f", order);
  const double right = panel->x.least * exp(wide * (x[1] + 0.012));
  if (cs_figure_add_label(panel, right, sqrt(triangle->y[1] * triangle->y[2]), text) == CS_OK) return CS_OK;
  return cs_error_memory(error);
}

int cs_figure_add_triangles(struct cs_figure_panel *panel, struct cs_error *error) {
  enum { MOST = 6 };
  const size_t curves = panel->curves;
  struct triangle done[MOST];
  size_t count = 0;
  int code = CS_OK;
  for (double order = 1.0; order <= MOST && code == CS_OK; order += 1.0) {
    if (!find_place(panel, curves, order, done, count, &done[count])) continue;
    code = add_triangle(panel, order, &done[count], error);
    count++;
  }
  return code;
}
