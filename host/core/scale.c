#include "scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t cs_scale_position(size_t length, const double *values, char *const *labels, const char *text) {
  char *end = NULL;
  const double number = strtod(text, &end);
  double nearest = INFINITY;
  size_t found = length;
  for (size_t i = 0; i < length; i++) {
    if (labels != NULL) {
      if (strcmp(labels[i], text) == 0) return i;
      continue;
    }
    const double distance = fabs(values[i] - number);
    if (end == text || *end != '\0' || distance > 5e-4 * fabs(values[i]) || distance >= nearest) continue;
    nearest = distance;
    found = i;
  }
  return found;
}

void cs_scale_list(size_t length, const double *values, char *const *labels, struct cs_text *text) {
  enum { MOST = 24 };
  if (labels == NULL && length > MOST) {
    cs_text_add(text, "the %zu values from %.6g to %.6g", length, values[0], values[length - 1]);
    return;
  }
  for (size_t i = 0; i < length; i++) {
    cs_text_add(text, i > 0 ? ", " : "");
    if (labels != NULL)
      cs_text_add(text, "%s", labels[i]);
    else
      cs_text_add(text, "%.6g", values[i]);
  }
}
