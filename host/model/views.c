#include "views.h"

#include <math.h>

static const double same = 1e-9; /* relative to the larger value */

static bool rows_differ(size_t length, const double *a, const double *b) {
  double gap = 0.0, size = 0.0;
  for (size_t i = 0; i < length; i++) {
    gap = fmax(gap, fabs(a[i] - b[i]));
    size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
  }
  return gap > same * size;
}

size_t cs_views_end(const struct cs_model *model, size_t first, size_t end) {
  size_t i = first;
  while (i < end && model->condition[i].subsystem == model->condition[first].subsystem)
    i++;
  return i;
}

bool cs_views_differ(const struct cs_model *model, size_t event, const double *row, struct cs_views_gap *gap) {
  const size_t r = model->states + 1, first = model->event[event].first_condition;
  const size_t end = first + model->event[event].conditions, count = cs_views_end(model, first, end) - first;
  for (size_t i = first + count; i < end; i++) {
    const size_t number = (i - first) % count;
    if (!rows_differ(r, row + (first + number) * r, row + i * r)) continue;
    *gap = (struct cs_views_gap){.one = model->subsystem[model->condition[first].subsystem].name,
                                 .other = model->subsystem[model->condition[i].subsystem].name,
                                 .condition = number + 1};
    return true;
  }
  return false;
}
