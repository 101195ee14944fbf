/* Ticks of axes, and the room that their numbers take. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "letters.h"
#include "page.h"

double cs_page_part(const struct cs_figure_axis *axis, double value) {
  return axis->log ? log(value / axis->least) / log(axis->most / axis->least)
                   : (value - axis->least) / (axis->most - axis->least);
}

double cs_page_step(const struct cs_figure_axis *axis, double most) {
  const double least = (axis->most - axis->least) / most, decade = pow(10.0, floor(log10(least)));
  const double step = least <= decade         ? decade
                      : least <= 2.0 * decade ? 2.0 * decade
                      : least <= 5.0 * decade ? 5.0 * decade
                                              : 10.0 * decade;
  return axis->whole ? fmax(step, 1.0) : step;
}

int cs_page_digits(const struct cs_figure_axis *axis, double step, int least) {
  const double needed = 1.0 + ceil(log10(fmax(fabs(axis->least), fabs(axis->most)) / step));
  return needed > 15.0 ? 15 : needed > least ? (int)needed : least;
}

/* Exponents are written in 0.8 of the size. */
static double width_of(double value, int digits, double size) {
  char text[40];
  const int length = snprintf(text, sizeof text, "%.*g", digits, value);
  const char *exponent = memchr(text, 'e', (size_t)length);
  if (exponent == NULL) return cs_letters_width(text, (size_t)length, size);
  return cs_letters_width(text, (size_t)(exponent - text), size) + cs_letters_width("\303\22710", 4, size) +
         0.8 * cs_letters_width(exponent + 1, strlen(exponent + 1), size);
}

/* All candidates: equidistant ones, or some multiples of each decade. */
static size_t candidates(const struct cs_figure_axis *axis, double *tick) {
  static const double multiples[] = {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}, few[] = {1.0, 2.0, 5.0};
  const bool all = axis->most < 12.0 * axis->least;
  const double *multiple = all ? multiples : few;
  const size_t each = all ? sizeof multiples / sizeof *multiples : sizeof few / sizeof *few;
  size_t count = 0;
  if (axis->most < 4.0 * axis->least) {
    const double step = cs_page_step(axis, 6.0), first = ceil(axis->least / step);
    for (int i = 0; (first + i) * step <= axis->most && count < CS_PAGE_TICKS; i++)
      tick[count++] = (first + i) * step;
    return count;
  }
  for (double decade = pow(10.0, floor(log10(axis->least))); decade <= axis->most; decade *= 10.0)
    for (size_t i = 0; i < each && count < CS_PAGE_TICKS; i++)
      if (multiple[i] * decade >= axis->least && multiple[i] * decade <= axis->most)
        tick[count++] = multiple[i] * decade;
  return count;
}

size_t cs_page_short_ticks(const struct cs_figure_axis *axis, double length, double size, double *tick) {
  size_t count = 0;
  double end = -INFINITY; /* of the last one */
  if (!axis->log || axis->ticks > 0 || axis->most >= 50.0 * axis->least) return 0;
  const size_t all = candidates(axis, tick);
  for (size_t i = 0; i < all; i++) {
    const double half = 0.5 * width_of(tick[i], 6, size), at = length * cs_page_part(axis, tick[i]);
    if (length > 0.0 && at - half < end + 0.6 * size) continue;
    end = at + half;
    tick[count++] = tick[i];
  }
  return count;
}

double cs_page_widest_tick(const struct cs_figure_axis *axis, double most, double size) {
  double widest = 0.0, tick[CS_PAGE_TICKS];
  if (axis->ticks > 0) return 0.0;
  const size_t count = cs_page_short_ticks(axis, 0.0, 0.0, tick);
  for (size_t i = 0; i < count; i++)
    widest = fmax(widest, width_of(tick[i], 6, size));
  if (count > 0) return widest;
  if (axis->log) { /* 10 with an exponent in a smaller font */
    const double low = floor(log10(axis->least)), high = floor(log10(axis->most));
    return cs_letters_width("10", 2, size) + 0.8 * fmax(width_of(low, 6, size), width_of(high, 6, size));
  }
  const double step = cs_page_step(axis, most), first = ceil(axis->least / step);
  const int digits = cs_page_digits(axis, step, 6);
  for (int i = 0; i < CS_PAGE_TICKS && (first + i) * step <= axis->most; i++)
    widest = fmax(widest, width_of((first + i) * step, digits, size));
  return widest;
}

double cs_page_most_ticks(const struct cs_figure_axis *axis, double length, double size) {
  double most = fmax(1.0, length / (3.0 * size));
  while (most > 1.0 && !axis->log && axis->ticks == 0) {
    const double step = cs_page_step(axis, most), apart = length * step / (axis->most - axis->least);
    if (cs_page_widest_tick(axis, most, size) + 0.8 * size <= apart) break;
    most *= 0.8;
  }
  return most;
}
